"""What the user should know about the scores: never an error, always said."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, compress
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cranfield.arrays import Bools, Ints
from cranfield.data.qrels import Qrels
from cranfield.data.run import Run
from cranfield.evaluation.spelling import of_spelling
from cranfield.labelling.blocks import Intents, Judgments, Rankings, count_by
from cranfield.measures.base import Measure
from cranfield.scores import Facts, Notice, about, about_topics, loud_first
from cranfield.wording import counted, disagreement, option, some

if TYPE_CHECKING:
    from cranfield.evaluation.collection import Collection, Labelled
    from cranfield.evaluation.measuring import Measuring

UNDEFINED = {
    "zero": "counted as 0",
    "error": "",
    "nan": "undefined, and so are the means over them",
    "skip": "left out of the means",
}

OTHER_ORDERS = ("best", "worst", "expected")  # of tied documents, than that of the run

MANY = 10  # documents: lists of fewer differ in length for many reasons

K = TypeVar("K")


def of_all(measuring: Measuring, counts: Bools, labelled: Sequence[Labelled]) -> tuple[Notice, ...]:
    """What is to be known of an evaluation of runs; `counts` says which topics do."""
    collection, measures = measuring.collection, measuring.measures
    told = [notice for one in labelled for notice in of_run(one, collection, measures)]
    told += stray_topics(collection, labelled)
    returned = {one.run.name: one.rankings.returned for one in labelled}
    return together(measuring, counts, told, returned)


def stray_topics(collection: Collection, labelled: Sequence[Labelled]) -> Iterator[Notice]:
    """Warn of a judged topic in memory or JSON that may be another key of the object.

    No run answers it or returns its documents, and every run answers all others, at least two.
    """
    qrels = collection.gold.qrels
    answered = [collection.of_chosen(one.placed).answered[collection.chosen] for one in labelled]
    if not isinstance(qrels.given, list) or not answered:
        return
    missing = ~answered[0]
    differ = any((~other != missing).any() for other in answered)
    if missing.sum() != 1 or len(missing) < 3 or differ:
        return
    names = _flagged(list(compress(collection.topics, collection.chosen)), missing)
    judged = qrels.of_topics(names).doc_names
    if not any(one.run.returns_any(judged) for one in labelled):
        text = (
            f"no run answers {some(names, 'topic')}, or returns one of the documents judged there"
        )
        fix = "If this is no topic but another key, remove it."
        yield Notice("stray-topics", f"{qrels.where}: {text}. {fix}", topics=tuple(names))


def together(
    measuring: Measuring, counts: Bools, told: Iterable[Notice], returned: Mapping[str, Ints]
) -> tuple[Notice, ...]:
    """What was told of each run, with what is to be known of all; `returned` are the lengths of
    their lists, −1 where there is none.
    """
    chosen = measuring.collection.chosen
    lengths = [lists[(lists >= 0) & chosen] for lists in returned.values()]
    asked = measuring.measures, measuring.options.depth
    every = (*of_evaluation(measuring, counts), *told, *of_lengths([*returned], lengths, *asked))
    return loud_first(every)


def of_evaluation(measuring: Measuring, counts: Bools) -> Iterator[Notice]:
    """What is to be known whatever the run; `counts` says which topics do."""
    collection = measuring.collection
    yield from of_settings(measuring)
    yield from about_topics(collection.options.named_topics)
    for extra in collection.extras:
        yield from extra.notices()
    yield from of_intents(collection, measuring.measures)
    if not collection.declared and collection.values.look_like_scores:
        text = f"{collection.gold.qrels.where}: levels {collection.values}"
        yield Notice("levels", text)
    yield from of_judgments(
        collection.gold.qrels,
        collection.gold.judgments.max_level,
        measuring.measures,
        [m for m in measuring.measures if measuring.here(m, 0).takes_max_level()],
        collection.counting.plain,
        lambda m: measuring.without_relevant(m, counts),
        measuring.options.undefined,
    )
    if (groups := collection.counting.groups) is not None:
        yield from _without_judgments(groups.names, collection, groups.where)
    yield from of_ties(measuring)


def of_settings(measuring: Measuring) -> Iterator[Notice]:
    """What was chosen for the user, changes nothing, or differs from topic to topic."""
    preset, plain = measuring.options.task, measuring.collection.counting.plain
    if preset is not None:
        said = [f"{name} is {meaning}" for name, meaning in preset.settings.items()]
        if preset.classes and plain:
            said.append("the task has equivalence classes, here are none (--classes)")
        if preset.groups and plain:
            said.append("the task has groups that count together, here are none (--groups)")
        yield from (Notice("preset", f"{preset.name}: {text}") for text in said)
    for setting, why in measuring.asked.idle:
        yield Notice("settings", f"{setting} changes nothing: {why}")
    if (gains := measuring.gains) is not None:
        collection = measuring.collection
        tables: dict[str, dict[str, tuple[int]]] = {}
        for topic, gain in compress(zip(collection.topics, gains, strict=True), collection.chosen):
            if not isinstance(gain, str):
                tables.setdefault(":".join(map("{:g}".format, gain)), {})[topic] = (1,)
        parts = tuple(Facts(f"{table} in {{0:topic}}", x) for table, x in tables.items())
        yield Notice.from_facts("gains", Facts("gains by topic: {parts}", parts=parts))


# -- judgments ------------------------------------------------------------------------------------


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
    lacking = _grouped(
        [m for m in measures if m.effectiveness], lambda m: tuple(without_relevant(m))
    )
    lower = undefined == "zero" and any(m.better == "lower" for m in measures)
    then = "counted as the worst score" if lower else UNDEFINED[undefined]
    for topics, those in lacking.items():
        # Measures may differ in what they call relevant: then say which are meant.
        who = "" if len(lacking) == 1 and _agree(measures) else "{measures}: "
        text = f"{who}{{topics}} without a relevant document, {then}"
        counts = dict.fromkeys(topics, (1,))
        yield Notice.from_facts("no-relevant", Facts(text, counts, name_columns(those)))
    yield from _of_file(qrels, plain)
    yield from _of_levels(max_level, measures, silent)
    yield from _of_failures(qrels, measures)


def _of_file(qrels: Qrels, plain: bool) -> Iterator[Notice]:
    """What a file of judgments says that nobody listens to, or that could mean something else."""
    yield from _of_columns(qrels.in_doubt, qrels.where)
    if qrels.repeated:
        text = f"{counted(qrels.repeated, 'judgment')} repeated, each alike"
        yield Notice("duplicates", f"{qrels.where}: {text}")
    if qrels.grouped and plain:
        text = f"{counted(qrels.grouped, 'judgment')} name a class, which is ignored"
        yield Notice("classes", f"{qrels.where}: {text}; --classes counts each class once")


def _of_columns(in_doubt: str, where: str, run: str | None = None) -> Iterator[Notice]:
    """Which columns were taken, where others could be meant."""
    if in_doubt:
        yield Notice("columns", f"{where}: {in_doubt}", run)


def _of_levels(
    max_level: float, measures: Sequence[Measure], silent: Sequence[Measure]
) -> Iterator[Notice]:
    """What is taken for the highest level; `silent` measures do not declare one."""
    if silent:
        text = f"the highest level is {max_level:g}, the highest in the judgments"
        pattern = f"{{measures}}: {text}; max_level= declares another"
        yield Notice.from_facts("max-level", Facts(pattern, measures=name_columns(silent)))
    declared = _grouped(measures, lambda m: getattr(m, "max_level", None))
    for level, those in declared.items():
        if level < max_level:
            text = f"{{measures}}: levels up to {max_level:g} in the judgments count as {level:g}"
            yield Notice.from_facts("max-level", Facts(text, measures=name_columns(those)))


def _of_failures(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """How many levels are -1, which LLM judges that failed may have written.

    Other levels below 0 are meant (TREC's -2 is spam), and samples mark what was not drawn.
    """
    failed = qrels.levels == -1
    if not failed.any() or qrels.strata is not None or not (qrels.levels[~failed] >= 0).all():
        return
    if failed.all() or all(m.takes_unsampled or not m.effectiveness for m in measures):
        return
    n = int(failed.sum())
    text = f"{counted(n, 'judgment')} of level -1 count{'s' * (n == 1)} as nonrelevant"
    yield Notice("failed", f"{qrels.where}: {text}. If the judge failed, remove these judgments")


def _without_judgments(
    named: Iterable[str], collection: Collection, where: str
) -> Iterator[Notice]:
    judged = set(collection.topics)
    others = [topic for topic in named if topic not in judged]
    if others and collection.options.named_topics is None:
        text = f"{where}: {some(others, 'topic')} without judgments, ignored"
        yield Notice("unjudged-topics", text, topics=tuple(others))


# -- intents --------------------------------------------------------------------------------------


def of_intents(collection: Collection, measures: Sequence[Measure]) -> Iterator[Notice]:
    """What was taken for granted about intents."""
    intents, known = collection.intents, collection.known
    if intents is None:
        return
    if collection.options.per_intent:
        text = "every intent is a topic of its own: topic/intent; the mean is over intents"
        yield Notice("intents", text)
    else:
        taken = _taken_for_granted(collection, intents, measures)
        yield from (Notice.from_facts("intents", facts) for facts in taken if facts.measures)
    if all(len(names) == 1 for names in compress(intents.names, collection.chosen)):
        text = "every topic has one intent only: is the second column of the judgments the intent?"
        yield Notice("one-intent", text)
    if known is not None:
        named = dict.fromkeys((*known.probabilities, *known.navigational))
        yield from _without_judgments(named, collection, known.where)


def _taken_for_granted(
    collection: Collection, intents: Intents, measures: Sequence[Measure]
) -> Iterator[Facts]:
    """What nobody said about intents, and the measures that ask for it."""

    def facts(those: Iterable[Measure], text: str, topics: Sequence[str] = ()) -> Facts:
        counts = dict.fromkeys(topics, (1,)) if topics else None
        return Facts(f"{{measures}}: {text}", counts, name_columns(those), lists_topics=False)

    otherwise = "(--intents FILE says otherwise)"
    asked = collection.chosen
    if alike := _flagged(collection.topics, asked & (intents.alike > 1)):
        where = "" if len(alike) == asked.sum() else " of {topics}"
        text = f"the intents{where} are taken to be equally probable {otherwise}"
        yield facts((m for m in measures if m.weighs_intents()), text, alike if where else ())
    if not intents.navigational[np.repeat(asked, intents.counts)].any():
        text = f"all intents are taken to be informational {otherwise}"
        yield facts((m for m in measures if m.types_intents()), text)
    text = "a document counts at the highest level it has for any intent"
    yield facts((m for m in measures if m.takes == "lists" and m.effectiveness), text)


# -- ties -----------------------------------------------------------------------------------------


def of_ties(measuring: Measuring) -> Iterator[Notice]:
    """What was made of ties, if something was."""
    options, measures = measuring.options, measuring.measures
    if options.ties == "expected":
        known = [m for m in measures if measuring.exact(m)]
        drawn = f"{options.tie_samples} random orders (seed {options.seed})"
        parts = [
            Facts(text, measures=name_columns(those, str))
            for text, those in (
                ("exact for {measures}", known),
                (f"from {drawn} for {{measures}}", [m for m in measures if m not in known]),
            )
            if those
        ]
        text = "mean over all orders of tied documents: {parts}"
        yield Notice.from_facts("tie-order", Facts(text, parts=tuple(parts), separator="; "))
    elif options.ties in ("best", "worst"):
        yield _claim_bounds(measuring, options.ties)


def _claim_bounds(measuring: Measuring, ties: str) -> Notice:
    """Return the note on the order by level: for which measures it is a bound."""
    measures = measuring.measures
    than = {"best": "better", "worst": "worse"}[ties]
    unbound = [m for m in measures if not measuring.bounded(m)]
    scored = name_columns((m for m in unbound if m.better != "neither"), str)
    described = name_columns((m for m in unbound if m.better == "neither"), str)
    described |= {name: name for m in measures for name in measuring.residual_columns(m)}
    claims = (
        Facts(f"another order may score {than} under {{measures}}", measures=scored),
        Facts("another order may change {measures}", measures=described),
    )
    text = f"tied documents ordered by level, the {ties} first: "
    another = Facts(text + "{parts}", parts=tuple(x for x in claims if x.holds()), separator="; ")
    none = Facts(f"{text}no other order scores {than}")
    return Notice.from_facts("tie-order", *(x for x in (another, none) if x.holds()))


# -- runs -----------------------------------------------------------------------------------------


def of_run(
    labelled: Labelled, collection: Collection, measures: Sequence[Measure]
) -> Iterator[Notice]:
    """What is odd about a run."""
    name, judged, options = labelled.run.name, collection.topics, collection.options
    rankings, named = collection.of_chosen(labelled.placed), options.named_topics

    def notice(kind: str, text: str, topics: Sequence[str] = ()) -> Notice:
        return Notice(kind, f"{name}: {text}", name, tuple(topics))

    yield from _of_columns(labelled.run.in_doubt, name, name)
    yield from _of_values(labelled, collection)
    yield from _of_one_document(name, rankings, judged)
    yield from of_merging([labelled.run])
    yield from _few_topics(name, judged, rankings.answered, collection.chosen)
    then = "left out" if options.topics == "common" else "counted as empty lists"
    unanswered = _flagged(judged, ~rankings.answered)
    yield from about("missing-topics", unanswered, f"not answered, {then}", name)
    known = set(judged)
    unjudged = [topic for topic in labelled.topics if named is None and topic not in known]
    yield from about("unjudged-topics", unjudged, "without judgments, ignored", name)
    yield from _ties(name, rankings, collection, measures)
    if contradicted := [t for t in labelled.contradicted if named is None or t in named]:
        yield from _rising(labelled)
        yield notice("rank-order", disagreement(contradicted), contradicted)
    yield from _unjudged_documents(name, rankings, collection, measures)
    yield from of_spelling(labelled, collection)
    for extra in collection.extras:
        yield from extra.notices_of(labelled.run, rankings)
    if options.ties != "expected" and not collection.counting.plain:
        yield from of_counts(name, collection.of_chosen(labelled.rankings), collection.ideal)


def _of_values(labelled: Labelled, collection: Collection) -> Iterator[Notice]:
    """Whether a run looks like judgments."""
    run, scores = labelled.run.name, collection.values_of(labelled)
    if scores is None or scores.look_like_scores:
        return
    if not collection.values.look_like_scores:
        if scores.sizes.sum() >= MANY:
            word = "score" if len(scores.different) == 1 else "scores"
            yield Notice("few-scores", f"{run}: only the {word} {scores}", run)
        return
    text = f"scores {scores} look like levels, and the levels of the judgments like scores"
    yield Notice("swapped", f"{run}: {text}. If they are swapped, give the judgments first", run)


def _rising(labelled: Labelled) -> Iterator[Notice]:
    """Warn if lower scores are better in most topics, as distances are."""
    name = labelled.run.name
    if 2 * len(labelled.contradicted) < len(labelled.topics):
        return  # and do not read the run once more
    found = labelled.run.find_disagreeing()
    if found.rise:
        order = option("--order rank or given", 'order="rank" or "given"')
        columns = option("--columns run.score=NAME", 'columns={"run.score": NAME}')
        text = f"scores rise from the top to the bottom of {some(found.rising, 'topic')}"
        fix = f"If they are distances, use {order}, or name the scores with {columns}."
        yield Notice("rising-scores", f"{name}: {text}. {fix}", name, found.rising)


def _ties(
    name: str, rankings: Rankings, collection: Collection, measures: Sequence[Measure]
) -> Iterator[Notice]:
    """Tied documents that could change a score: for the deepest measures, then for others."""
    could = "ties could change a score"
    could = "ties matter" if collection.options.ties in OTHER_ORDERS else could
    pattern = f"{{run}}: {could} in {{topics}}: {{0}} of {{1}} tied documents"
    facts: list[Facts] = []
    groups = [*_by_reach(measures, collection.options.depth).values()]
    for place, those in enumerate(groups):
        in_doubt = doubtful(rankings, collection, [*chain(*groups[place:])])
        if not in_doubt.any():
            break
        counts = _counts(collection.topics, in_doubt, rankings.tied)
        facts.append(Facts(pattern, counts, name_columns(those)))
    if facts:
        yield Notice.from_facts("ties", *facts, run=name)


def _by_reach(measures: Sequence[Measure], depth: int | None) -> dict[int | None, list[Measure]]:
    """The measures by the last rank that they look at, the deepest first; None: the end."""
    groups: dict[int | None, list[Measure]] = {}
    for m in measures:
        groups.setdefault(deepest([m], depth), []).append(m)
    order = sorted(groups, key=lambda reach: -math.inf if reach is None else -reach)
    return {reach: groups[reach] for reach in order}


def _counts(topics: Sequence[str], *columns: Ints) -> dict[str, tuple[int, ...]]:
    """Counts by topic, where the last is above 0."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {topic: row for topic, row in zip(topics, rows, strict=True) if row[-1] > 0}


def _of_one_document(name: str, rankings: Rankings, topics: Sequence[str]) -> Iterator[Notice]:
    """Whether many topics have one document each, as if topics and documents were swapped."""
    lengths = rankings.lengths[rankings.answered]
    if len(lengths) >= MANY and (lengths == 1).all():
        columns = option("--columns topic=NAME,doc=NAME", 'columns={"topic": NAME, "doc": NAME}')
        text = "{run}: one document in each of {0:topic}"
        text += f". If topic and document are swapped, use {columns}"
        counts = _counts(topics, rankings.lengths)
        yield Notice.from_facts("one-document", Facts(text, counts, lists_topics=False), run=name)


def of_merging(runs: Iterable[Run]) -> Iterator[Notice]:
    """What became of several lines of one document."""
    for run in runs:
        for kind, text in () if run.merging is None else run.merging.said():
            yield Notice(kind, f"{run.name}: {text}", run.name)


def _few_topics(
    name: str, judged: Sequence[str], answered: Bools, asked: Bools
) -> Iterator[Notice]:
    """Whether fewer than half of the topics are answered."""
    if 2 * (answered & asked).sum() < asked.sum():
        counts = _counts(judged, (answered & asked).astype(np.int64), asked.astype(np.int64))
        text = "{run}: only {0} of {1:judged topic} answered"
        yield Notice.from_facts("few-topics", Facts(text, counts, below=0.5), run=name)


def of_lengths(
    names: Sequence[str], lengths: Sequence[Ints], measures: Sequence[Measure], depth: int | None
) -> Iterator[Notice]:
    """Runs whose lists are much shorter than those of the others, where a measure looks deeper.

    `lengths` are those of the lists of each run, in the topics that it answers.
    """
    scoring = [m for m in measures if m.effectiveness]
    if len(names) < 2 or not scoring:
        return
    deep = deepest(scoring, depth) or np.inf
    medians = [_median(own.tolist()) if len(own) else np.inf for own in lengths]
    for i, (name, own) in enumerate(zip(names, medians, strict=True)):
        others = _median(medians[:i] + medians[i + 1 :])
        if MANY <= others < np.inf and own < min(others / 2, deep):
            median = f"median {own:,.0f} documents over {counted(len(lengths[i]), 'topic')}"
            text = f"lists shorter ({median}) than those of other runs ({others:,.0f})"
            text += ": measures that look deeper see empty ranks"
            those = [m for m in scoring if (deepest([m], depth) or np.inf) > own]
            facts = Facts(f"{{run}}: {text}", measures=name_columns(those))
            yield Notice.from_facts("short-lists", facts, run=name)


def _median(numbers: Sequence[float]) -> float:
    """The middle of a few numbers, faster than NumPy and lighter than `statistics`."""
    ordered, n = sorted(numbers), len(numbers)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def doubtful(rankings: Rankings, collection: Collection, measures: Sequence[Measure]) -> Ints:
    """Per topic, how many tied documents could change a score by trading places."""
    sampled = any(m.takes_samples for m in measures)  # to which it matters what was drawn
    reach = deepest(measures, collection.options.depth)
    return rankings.doubtful(reach, _alike(collection), not sampled)


def _alike(collection: Collection) -> bool:
    """Whether it is all the same which of two documents of one level comes first."""
    plain = collection.counting.plain and collection.intents is None
    return plain and not any(extra.tells_apart for extra in collection.extras)


def _flagged(topics: Sequence[str], flags: Bools) -> list[str]:
    return [topic for topic, flag in zip(topics, flags, strict=True) if flag]


def of_counts(name: str, rankings: Rankings, ideal: Judgments) -> Iterator[Notice]:
    """Whether a strategy of somebody's own counts more than there is to find."""
    topics = len(ideal.topics)
    found = np.bincount(rankings.hit_topics, np.maximum(rankings.levels, 0.0), topics)
    there = np.bincount(ideal.item_topics, np.maximum(ideal.levels, 0.0), topics)
    if more := _flagged(ideal.topics, found > there * (1 + 1e-9)):
        text = f"the labels of {some(more, 'topic')} are worth more than the ideal list"
        yield Notice("labels", f"{name}: {text}: scores may exceed 1", name, tuple(more))


def deepest(measures: Sequence[Measure], depth: int | None) -> int | None:
    """The last rank that any measure looks at; None if that is the end of the list."""
    # A cutoff of a condensed list may lie anywhere in the list itself.
    cutoffs = [depth if m.last_rank is None or m.condensed else m.last_rank for m in measures]
    seen = [c for c in cutoffs if c is not None]
    if len(seen) < len(cutoffs):
        return None
    return max(seen) if depth is None else min(depth, max(seen))


def _unjudged_documents(
    name: str, rankings: Rankings, collection: Collection, measures: Sequence[Measure]
) -> Iterator[Notice]:
    """That nothing was judged; or how much was not, at the smallest cutoff that minds."""
    if not len(rankings.ranks) and rankings.lengths.sum():
        columns = ": are the columns of the judgments topic intent doc level?"
        asked = "" if collection.intents is None else columns
        yield Notice("none-judged", f"{name}: none of its documents is judged{asked}", name)
        return
    minding = [m for m in measures if m.effectiveness and not (m.condensed or m.ignores_unjudged)]
    if collection.options.ties == "expected":
        return
    facts = []
    for l, those in reversed(_by_reach(minding, collection.options.depth).items()):
        most = rankings.lengths.max(initial=0) if l is None else l
        shown = np.minimum(rankings.lengths, most)
        judged = count_by(rankings.hit_topics[rankings.ranks <= most], len(shown))
        what = "returned documents" if l is None else f"documents in the top {l}"
        pattern = f"{{run}}: {{0}} of {{1}} {what} are unjudged and count as nonrelevant"
        counts = _counts(collection.topics, shown - judged, shown)
        facts.append(Facts(pattern, counts, name_columns(those), lists_topics=False))
    if facts and facts[0].holds():
        yield Notice.from_facts("unjudged", *facts, run=name)


# -- measures by name -----------------------------------------------------------------------------


def _grouped(
    measures: Sequence[Measure], key: Callable[[Measure], K | None]
) -> dict[K, list[Measure]]:
    """The measures that have something in common, where they have anything."""
    groups: dict[K, list[Measure]] = {}
    for m in measures:
        if common := key(m):
            groups.setdefault(common, []).append(m)
    return groups


def name_columns(
    measures: Iterable[Measure], called: Callable[[Measure], str] | None = None
) -> dict[str, str]:
    """The columns of measures, as notices name them; measurements of a user model share a name."""

    names: dict[str, str] = {}
    for m in measures:
        columns, shared = _columns_of(m)
        names |= dict.fromkeys(columns, shared if called is None else called(m))
    return names


@lru_cache(maxsize=1 << 12)
def _columns_of(m: Measure) -> tuple[tuple[str, ...], str]:
    """Return the columns of a measure, and its name without a measurement."""
    return tuple(m.names()), str(replace(m, measurement="") if m.is_model else m)


def _agree(measures: Sequence[Measure]) -> bool:
    """Whether all measures call the same documents relevant."""
    scoring = [m for m in measures if m.effectiveness]
    tables = [m for m in scoring if isinstance(getattr(m, "gain", None), tuple)]
    return len({getattr(m, "rel", None) for m in scoring}) == 1 and not tables
