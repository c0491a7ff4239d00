"""What the user should know about the scores: never an error, always said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from cranfield.arrays import Bools
from cranfield.data.costs import DocCosts
from cranfield.data.groups import Groups
from cranfield.data.intents import Intents as KnownIntents
from cranfield.data.qrels import Qrels
from cranfield.data.run import Run
from cranfield.data.verticals import Verticals
from cranfield.evaluation.presets import Preset
from cranfield.labelling.blocks import Intents, Judgments, Rankings
from cranfield.measures.base import Measure
from cranfield.measures.cwl import UserModel
from cranfield.measures.gains import Gain
from cranfield.scores import Notice
from cranfield.wording import counted, some

UNDEFINED = {
    "zero": "counted as 0",
    "error": "",
    "nan": "undefined, and so are the means over them",
    "skip": "left out of the means",
}


NO_MODEL = "no measure is a user model (INST is, and AP.EU)"
USELESS = {
    "gain": ("gains", "no measure takes it from there"),
    "costs": ("costs", NO_MODEL),
    "measurements": ("measurements", NO_MODEL),
    "residuals": ("residuals", "no measure has them (RBP has, INST, and AP.EU)"),
    "cost-unit": ("cost-unit", "there are no costs"),
    "intents": ("what is known of intents", "no measure is of diversity (Dsharp(nDCG)@10 is)"),
    "verticals": (
        "verticals",
        "no measure asks for them (Vscore does), and they are no items (--embed-verticals)",
    ),
}


def of_judgments(
    qrels: Qrels,
    max_level: float,
    measures: Sequence[Measure],
    silent: Sequence[Measure],
    plain: bool,
    without_relevant: Callable[[Measure], list[str]],
    undefined: str,
) -> Iterator[Notice]:
    """What is odd about the judgments, whatever the run.

    `silent` measures take the highest level there is; labelling is `plain` if every judged item
    counts.
    """
    lacking: dict[tuple[str, ...], list[Measure]] = {}
    for m in measures:
        if m.effectiveness and (topics := tuple(without_relevant(m))):
            lacking.setdefault(topics, []).append(m)
    for topics, found in lacking.items():
        # Measures may differ in what they call relevant: then say which are meant.
        who = "" if len(lacking) == 1 and _agree(measures) else f"{_names(found)}: "
        said = f"{who}{some(topics, 'topic')} without a relevant document"
        lower = undefined == "zero" and any(m.better == "lower" for m in measures)
        then = "counted as the worst score" if lower else UNDEFINED[undefined]
        yield Notice("no-relevant", f"{said}, {then}", topics=topics)
    if qrels.repeated:
        said = f"{counted(qrels.repeated, 'judgment')} repeated, each alike"
        yield Notice("duplicates", f"{qrels.where}: {said}")
    if qrels.grouped and plain:
        said = f"{counted(qrels.grouped, 'judgment')} name a class, which is ignored"
        yield Notice("classes", f"{qrels.where}: {said}; --classes counts each class once")
    if silent:
        said = f"the highest level is {max_level:g}, the highest in the judgments"
        yield Notice("max-level", f"{_names(silent)}: {said}; max_level= declares another")
    capped: dict[float, list[Measure]] = {}
    for m in measures:
        declared = getattr(m, "max_level", None)
        if declared is not None and declared < max_level:
            capped.setdefault(declared, []).append(m)
    for declared, meant in capped.items():
        said = f"levels up to {max_level:g} in the judgments count as {declared:g}"
        yield Notice("max-level", f"{_names(meant)}: {said}")


def of_settings(
    preset: Preset | None, gains: Sequence[Gain] | None, useless: Sequence[str], plain: bool
) -> Iterator[Notice]:
    """What was chosen for the user, or by topic; `plain` labelling lets all judged items count."""
    if preset is not None:
        for name, meaning in preset.settings.items():
            yield Notice("preset", f"{preset.name}: {name} is {meaning}")
        if preset.classes and plain:
            said = "the task has equivalence classes, here are none (--classes)"
            yield Notice("preset", f"{preset.name}: {said}")
        if preset.groups and plain:
            said = "the task has groups that count together, here are none (--groups)"
            yield Notice("preset", f"{preset.name}: {said}")
    for name in useless:
        option, why = USELESS.get(name, (name, "no measure takes it from there"))
        yield Notice("settings", f"{option} changes nothing: {why}")
    if gains is not None:
        tables = Counter(":".join(map("{:g}".format, g)) for g in gains if not isinstance(g, str))
        said = ", ".join(f"{table} in {counted(n, 'topic')}" for table, n in tables.items())
        yield Notice("gains", f"gains by topic: {said}")


def of_costs(costs: DocCosts | None, models: Sequence[UserModel]) -> Iterator[Notice]:
    """What costs are, and what they are taken to be where there is no document."""
    if costs is None:
        return
    if costs.unit:
        said = f"costs are in {costs.unit}, and so is ETC; EC is in {costs.unit} per item"
        yield Notice("costs", said)
    beyond = sorted({f"{m.max_cost:g}" for m in models})
    said = f"ranks beyond the end of a list cost {' or '.join(beyond)}"
    yield Notice("costs", f"{said} (max_cost)")


def of_intents(
    intents: Intents | None,
    known: KnownIntents | None,
    judged: Sequence[str],
    measures: Sequence[Measure],
    per_intent: bool,
) -> Iterator[Notice]:
    """What was taken for granted about intents."""
    if intents is None:
        return
    if per_intent:
        said = "every intent is a topic of its own: topic/intent; the mean is over intents"
        yield Notice("intents", said)
    else:
        alike = [t for t, n in zip(judged, intents.alike, strict=True) if n > 1]
        if asking := [m for m in measures if m.weighs_intents() and alike]:
            where = "" if len(alike) == len(judged) else f" of {some(alike, 'topic')}"
            said = f"the intents{where} are taken to be equally probable"
            yield Notice("intents", f"{_names(asking)}: {said} (--intents FILE says otherwise)")
        typed = [m for m in measures if m.types_intents()]
        if typed and not intents.navigational.any():
            said = "all intents are taken to be informational (--intents FILE says otherwise)"
            yield Notice("intents", f"{_names(typed)}: {said}")
        if plain := [m for m in measures if m.takes == "lists" and m.effectiveness]:
            said = "a document counts at the highest level it has for any intent"
            yield Notice("intents", f"{_names(plain)}: {said}")
    if all(len(names) == 1 for names in intents.names):
        said = "every topic has one intent only: is the second column of the judgments the intent?"
        yield Notice("one-intent", said)
    if known is not None:
        named = dict.fromkeys((*known.probabilities, *known.navigational))
        if others := [topic for topic in named if topic not in set(judged)]:
            said = f"{some(others, 'topic')} without judgments, ignored"
            yield Notice("unjudged-topics", f"{known.where}: {said}", topics=tuple(others))


def of_verticals(run: Run, rankings: Rankings, known: Verticals | None) -> Iterator[Notice]:
    """Verticals of a run that no intent asks for."""
    if known is not None and np.isnan(rankings.noted["vertical"]).any():
        said = f"{some(known.unknown(run), 'vertical')} not in {known.where}, worth 0"
        yield Notice("verticals", f"{run.name}: {said}", run.name)


def of_groups(groups: Groups | None, judged: Sequence[str]) -> Iterator[Notice]:
    """Classes that no judgments belong to."""
    others = [topic for topic in groups.names if topic not in set(judged)] if groups else []
    if groups is not None and others:
        said = f"{some(others, 'topic')} without judgments, ignored"
        yield Notice("unjudged-topics", f"{groups.where}: {said}", topics=tuple(others))


def of_ties(
    ties: str | None,
    measures: Sequence[Measure],
    exact: Callable[[Measure], bool],
    bounded: Callable[[Measure], bool],
    samples: int,
    seed: int,
) -> Iterator[Notice]:
    """What was made of ties, if something was."""
    if ties == "expected":
        known = [str(m) for m in measures if exact(m)]
        others = [str(m) for m in measures if not exact(m)]
        said = "mean over all orders of tied documents"
        parts = [f"exact for {_few(known)}"] if known else []
        if others:
            parts.append(f"from {samples} random orders (seed {seed}) for {_few(others)}")
        yield Notice("tie-order", f"{said}: {'; '.join(parts)}")
    elif ties in ("best", "worst"):
        said = f"tied documents ordered by level, the {ties} first"
        than = {"best": "better", "worst": "worse"}[ties]
        unbound = [str(m) for m in measures if m.better != "neither" and not bounded(m)]
        if unbound:
            said += f": another order may score {than} under {_few(unbound)}"
        else:
            said += f": no other order scores {than}"
        yield Notice("tie-order", said)


def _names(measures: Sequence[Measure]) -> str:
    """The names of measures; the measurements of a user model share one."""
    plain = (replace(m, measurement="") if isinstance(m, UserModel) else m for m in measures)
    return ", ".join(dict.fromkeys(map(str, plain)))


def _few(names: Sequence[str]) -> str:
    """All names, or the first of very many."""
    more = len(names) - 12
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:12])} and {more} more"


def _agree(measures: Sequence[Measure]) -> bool:
    """Whether all measures call the same documents relevant."""
    settings = {
        (getattr(m, "rel", None), getattr(m, "gain", "linear")) for m in measures if m.effectiveness
    }
    return len({rel for rel, _ in settings}) == 1 and not any(
        isinstance(gain, tuple) for _, gain in settings
    )


def of_run(
    name: str,
    rankings: Rankings,
    judged: Sequence[str],
    measures: Sequence[Measure],
    *,
    alike: bool,
    depth: int | None,
    topics: Sequence[str],
    missing: str,
    contradicted: Sequence[str],
    ties: str | None = None,
    by_intent: bool = False,
) -> Iterator[Notice]:
    """What is odd about a run; `topics` are all it has lists for, `judged` those with judgments."""

    def notice(kind: str, said: str, about: Sequence[str] = ()) -> Notice:
        return Notice(kind, f"{name}: {said}", name, tuple(about))

    def where(flags: Bools) -> list[str]:
        return [topic for topic, flag in zip(judged, flags, strict=True) if flag]

    if unanswered := where(~rankings.answered):
        yield notice(
            "missing-topics", f"{some(unanswered, 'topic')} not answered, {missing}", unanswered
        )
    known = set(judged)
    if unjudged := [t for t in topics if t not in known]:
        yield notice(
            "unjudged-topics", f"{some(unjudged, 'topic')} without judgments, ignored", unjudged
        )
    doubtful = rankings.doubtful(deepest(measures, depth), alike)
    if tied := where(doubtful > 0):
        count = f"{doubtful.sum()} of {rankings.tied.sum()} tied documents"
        other = ties in ("best", "worst", "expected")  # then the order is not the run's
        could = "ties matter" if other else "ties could change a score"
        yield notice("ties", f"{could} in {some(tied, 'topic')}: {count}", tied)
    if contradicted:
        said = f"ranks contradict scores in {some(contradicted, 'topic')}; the scores decide"
        yield notice("rank-order", said, contradicted)
    if not len(rankings.ranks) and rankings.lengths.sum():
        said = "none of its documents is judged"
        said += ": are the columns of the judgments topic intent doc level?" if by_intent else ""
        yield notice("none-judged", said)
        return
    unseen = None if ties == "expected" else _unjudged_documents(rankings, measures, depth)
    if unseen:
        yield notice("unjudged", unseen)


def of_counts(name: str, rankings: Rankings, ideal: Judgments) -> Iterator[Notice]:
    """Whether a strategy of somebody's own counts more than there is to find."""
    topics = len(ideal.topics)
    found = np.bincount(rankings.hit_topics, np.maximum(rankings.levels, 0.0), topics)
    there = np.bincount(ideal.item_topics, np.maximum(ideal.levels, 0.0), topics)
    over = found > there * (1 + 1e-9)
    if more := [topic for topic, flag in zip(ideal.topics, over, strict=True) if flag]:
        said = f"the labels of {some(more, 'topic')} are worth more than the ideal list"
        yield Notice("labels", f"{name}: {said}: scores may exceed 1", name, tuple(more))


def deepest(measures: Sequence[Measure], depth: int | None) -> int | None:
    """The last rank that any measure looks at; None if that is the end of the list."""
    # A cutoff of a condensed list may lie anywhere in the list itself.
    cutoffs = [depth if m.depth is None or m.condensed else m.depth for m in measures]
    seen = [c for c in cutoffs if c is not None]
    if len(seen) < len(cutoffs):
        return None
    return max(seen) if depth is None else min(depth, max(seen))


def _unjudged_documents(
    rankings: Rankings, measures: Sequence[Measure], depth: int | None
) -> str | None:
    """How much was never judged, at the smallest cutoff of a measure that minds."""
    cutoffs = [m.depth for m in measures if m.depth and m.effectiveness and not m.condensed]
    if not cutoffs:
        return None
    l = min(cutoffs) if depth is None else min(depth, *cutoffs)
    shown = int(np.minimum(rankings.lengths, l).sum())
    unjudged = shown - int(np.count_nonzero(rankings.ranks <= l))
    if not unjudged:
        return None
    return f"{unjudged} of {shown} documents in the top {l} are unjudged and count as nonrelevant"
