"""What a page shows of some inputs only: unjudged documents, a second set of judgments, intents,
users who walk down lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.blocks import Block, in_blocks
from cranfield.measures.base import FIVE
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import parse_measures
from cranfield.meta.correlation import correlation
from cranfield.meta.judgments import JudgmentComparison, compare_judgments
from cranfield.report.page.gathering import Gathered
from cranfield.report.page.limits import COMPLETE
from cranfield.report.page.numbers import number, numbers
from cranfield.scores import Notice, Scores
from cranfield.wording import counted

RANKS = 20  # of walks
DIVERSE = ("IRec@10", "D(nDCG)@10", "Dsharp(nDCG)@10")
AGREED = {
    "agreement": "percent agreement",
    "kappa": "Cohen's κ",
    "kappa_linear": "κ, linear weights",
    "kappa_quadratic": "κ, quadratic weights",
    "alpha_ordinal": "Krippendorff's α, ordinal",
}


@dataclass(frozen=True)
class Section:
    """A part of the page: what it shows, and what else is to be said of it."""

    data: dict[str, Any]
    notices: tuple[Notice, ...] = ()
    left_out: tuple[str, ...] = ()


def sections_of(
    found: Gathered, second: Mapping[str, Mapping[str, float]] | None, names: tuple[str, str]
) -> list[Section]:
    """All for which there are inputs."""
    made = [*_unjudged(found)]
    if second is not None:
        made.append(_second(found, second, names))
    made += _diversity(found)
    return [*made, *_walks(found)]


def _section(id: str, title: str, text: str, *tables: dict[str, Any], **others: Any) -> Any:
    return {"id": id, "title": title, "text": text, "tables": list(tables), **others}


def _table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = ""
) -> dict[str, Any]:
    return {"title": title, "columns": [*columns], "rows": [*map(list, rows)], "note": note}


# -- unjudged documents ---------------------------------------------------------------------------


def _unjudged(found: Gathered) -> Iterator[Section]:
    """What unjudged documents could still make of each run."""
    if found.of.looking is None or found.of.looking.column.name not in found.boundings:
        return
    name = found.of.looking.column.name
    means = found.scores.values[:, :, found.scores.measures.index(name)].mean(axis=1)
    ends = [found.mean_bounds(name, i) for i in range(len(found.runs))]
    rows = [
        [run, *numbers((mean, *both, both[1] - both[0]))]
        for run, mean, both in zip(found.scores.runs, means.tolist(), ends, strict=True)
    ]
    text = (
        f"Each unjudged document that {name} looks at may be of any level, or of no use: the mean "
        "of a run is between the lowest and the highest value, whatever they are. The bounds of "
        "differences are with the pairs of runs."
    )
    columns = ("run", name, "lowest", "highest", "width")
    table = _table("What unjudged documents allow", columns, rows)
    yield Section(_section("unjudged", "Unjudged documents", text, table))


# -- a second set of judgments --------------------------------------------------------------------


def _second(
    found: Gathered, second: Mapping[str, Mapping[str, float]], names: tuple[str, str]
) -> Section:
    """How far two sets of judgments agree: the documents about which they do not come first."""
    first = found.of.collection.gold.qrels
    compared = compare_judgments(first, dict(second), names=names, rel=found.of.rel)
    differ = sorted(_disagreements(first.to_dict(), second), key=lambda row: -abs(row[-1]))
    most = found.of.limits.disagreements
    rows = [[topic, doc, *numbers(levels)] for topic, doc, *levels in differ[:most]]
    tables = [
        _table(
            "Disagreements, the largest first",
            ("topic", "document", *names, "difference"),
            rows,
            f"{len(rows):,} of {len(differ):,}" if len(rows) < len(differ) else "",
        ),
        _table("Agreement", ("", "by level", "relevant or not"), [*_agreed(compared)]),
        *_ranked(found, names),
    ]
    relevant = f"{compared.relevant[0]:,} relevant by {names[0]}, {compared.relevant[1]:,} by"
    text = (
        f"{counted(compared.items.both, 'document')} judged by both; {len(differ):,} of them at "
        f"different levels. {relevant} {names[1]}."
    )
    left = (f"{len(rows):,} of {len(differ):,} disagreements are shown; {COMPLETE}.",)
    made = _section("second", "Second judgments", text, *tables)
    return Section(made, tuple(compared.notices), left if len(rows) < len(differ) else ())


def _disagreements(
    first: Mapping[str, Mapping[str, float]], second: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[str, str, float, float, float]]:
    for topic, docs in first.items():
        others = second.get(topic, {})
        for doc, level in docs.items():
            if doc in others and others[doc] != level:
                yield topic, doc, level, others[doc], others[doc] - level


def _agreed(compared: JudgmentComparison) -> Iterator[list[Any]]:
    for name, title in AGREED.items():
        sides = (compared.levels, compared.binary)
        values = [None if side is None else side.values.get(name) for side in sides]
        yield [title, *numbers(values)]


def _ranked(found: Gathered, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """What becomes of the runs, by the first measure."""
    others, name = found.by_others, found.scores.measures[0]
    if others is None or name not in others.measures:
        return
    by = [scores.summary() for scores in (found.scores, others)]
    rows = [[run, *numbers(of[run][name] for of in by)] for run in found.scores.runs]
    yield _table(f"{name} by both", ("run", *names), rows, _tau(found.scores, others, name))


def _tau(first: Scores, second: Scores, name: str) -> str:
    try:
        sets = (first.select(measures=[name]), second.select(measures=[name]))
        tau = correlation(*sets, trials=1).values[0, 0]
    except InputError:  # of one run, or one topic
        return ""
    return f"Kendall's τ between the two rankings of runs is {tau:.4f}."


# -- diversity ------------------------------------------------------------------------------------


def _diversity(found: Gathered) -> Iterator[Section]:
    """Relevance against intent recall, and the intents that runs cover."""
    intents = found.of.collection.intents
    if intents is None or not found.of.ordered:
        return
    wanted = list(parse_measures(DIVERSE))
    labelled = [one.labelled for one in found.runs]
    scores = found.of.evaluator.with_measures(wanted).scored(labelled, strangers=True)
    recall, relevance, _ = scores.measures
    means = scores.summary()
    points = [
        {"name": run, "x": number(of[recall]), "y": number(of[relevance])}
        for run, of in means.items()
    ]
    rows = [[run, *numbers(of.values())] for run, of in means.items()]
    counts = intents.counts[[found.of.collection.place(topic) for topic in scores.topics]]
    covered = np.rint(scores.values[:, :, 0] * counts)  # [runs, topics]
    by_topic = [
        [topic, int(n), *numbers((x.min(), x.mean(), x.max()))]
        for topic, n, x in zip(scores.topics, counts.tolist(), covered.T, strict=True)
    ]
    spread = ("fewest covered", "mean over runs", "most covered")
    text = (
        f"Who finds more relevant documents is higher in {relevance}, who covers more intents in "
        f"{recall}; Dsharp is their mean. An intent is covered if a document in the top 10 is "
        "relevant to it."
    )
    yield Section(
        _section(
            "diversity",
            "Intents",
            text,
            _table("Runs", ("run", *scores.measures), rows),
            _table("Intents covered in the top 10", ("topic", "intents", *spread), by_topic),
            scatter={"x": recall, "y": relevance, "points": points},
        )
    )


# -- users who walk down lists --------------------------------------------------------------------


def _walks(found: Gathered) -> Iterator[Section]:
    """How users of each model walk down the lists, and what they take from it."""
    if not found.of.ordered:
        return
    models = dict.fromkeys(
        replace(m, measurement="EU", called="")
        for m in found.of.evaluator.measures
        if isinstance(m, UserModel)
    )
    for k, model in enumerate(models):
        yield _walk(found, model, f"walk-{k + 1}")


def _walk(found: Gathered, model: UserModel, id: str) -> Section:
    name, most = str(model).removesuffix(".EU"), found.of.limits.walks
    evaluator = found.of.evaluator.with_measures([model.reading(one) for one in FIVE])
    labelled = [one.labelled for one in found.runs]
    means = evaluator.scored(labelled, strangers=True).summary()
    rows = [[run, *numbers(of.values())] for run, of in means.items()]
    shown = found.runs[:most]
    walks = {one.labelled.run.name: _points(_seen(found, model, one.labelled)) for one in shown}
    if len(shown) == len(found.runs) > 1 and _alike([*walks.values()]):
        walks = {"every run": walks[shown[0].labelled.run.name]}  # whatever the list holds
    lines = [{"name": run, "points": points} for run, points in walks.items()]
    text = (
        f"How probable it is that a user of {name} looks at a rank, in the mean over topics. EU is "
        "the expected utility of a document, ETU that of the whole list, EC and ETC are costs, and "
        "ED is the expected depth."
    )
    left = (f"The walks down the first {most} runs are shown; {COMPLETE}.",)
    return Section(
        _section(
            id,
            f"Walk: {name}",
            text,
            _table("What users take from the lists", ("run", *FIVE), rows),
            lines={"x": "rank", "y": "looked at", "lines": lines},
        ),
        left_out=left if len(shown) < len(found.runs) else (),
    )


def _seen(found: Gathered, model: UserModel, labelled: Any) -> Floats:
    """The probability of seeing each of the first ranks, in the mean over topics."""
    measuring = found.of.evaluator.with_measures([model]).measuring
    (own,) = measuring.measures

    def walked(block: Block) -> Floats:
        m: Any = measuring.here(own, block.start)
        walk = m.walk_down(m.items(block.lists(labelled.rankings)))
        whole = np.broadcast_to(walk.V, (block.stop - block.start, walk.V.shape[-1]))
        return np.array(whole[:, :RANKS])

    parts = in_blocks(measuring.blocks, walked, found.of.evaluator.options.workers)
    return np.asarray(np.concatenate(parts)[found.places].mean(axis=0))


def _points(seen: Floats) -> list[list[Any]]:
    return [[rank, number(value, 4)] for rank, value in enumerate(seen.tolist(), 1)]


def _alike(walks: Sequence[list[list[Any]]]) -> bool:
    return all(walk == walks[0] for walk in walks)
