"""Notes and warnings about an evaluation."""

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
from cranfield.evaluation.options import OPTIONS
from cranfield.evaluation.spelling import collect_spelling_notes
from cranfield.labelling.blocks import Intents, Judgments, Rankings, count_by
from cranfield.measures.base import Measure
from cranfield.measures.selection import find_deepest
from cranfield.scores import Facts, Note, note_topics, note_topics_file, sort_notes
from cranfield.wording import describe_disagreement, format_count, format_names, format_option

if TYPE_CHECKING:
    from cranfield.evaluation.collection import Collection, LabelledRun
    from cranfield.evaluation.scoring import Scorer

UNDEFINED = {
    "zero": "scored 0",
    "error": "",
    "nan": "undefined, and so are the means",
    "skip": "excluded from the means",
}

OTHER_ORDERS = ("best", "worst", "expected")  # orders of ties other than the run's

MIN_DOCUMENTS = 10  # shorter rankings or fewer topics are not compared

K = TypeVar("K")


def collect_notes(measuring: Scorer, counts: Bools, labelled: Sequence[LabelledRun]) -> tuple[Note, ...]:
    """Collect the notes about an evaluation. `counts` selects the topics that count."""
    collection, measures = measuring.collection, measuring.measures
    notes = [note for labelled_run in labelled for note in collect_run_notes(labelled_run, collection, measures)]
    notes += check_stray_topics(collection, labelled)
    returned = {labelled_run.run.name: labelled_run.rankings.returned for labelled_run in labelled}
    return combine_notes(measuring, counts, notes, returned)


def check_stray_topics(collection: Collection, labelled: Sequence[LabelledRun]) -> Iterator[Note]:
    """Warn of a judged topic in memory or JSON that may be another key of the object.

    No run contains the topic or its documents, and every run contains all other topics (≥ 2).
    """
    qrels = collection.gold.qrels
    answered = [
        collection.select_topics(labelled_run.full_rankings).answered[collection.topic_mask]
        for labelled_run in labelled
    ]
    if not isinstance(qrels.raw_docs, list) or not answered:
        return
    missing = ~answered[0]
    differ = any((~mask != missing).any() for mask in answered)
    if missing.sum() != 1 or len(missing) < 3 or differ:
        return
    names = _select_flagged(list(compress(collection.topics, collection.topic_mask)), missing)
    judged = qrels.select_topics(names).doc_names
    if not any(labelled_run.run.has_any(judged) for labelled_run in labelled):
        text = f"no run has {format_names(names, 'topic')} or any of its documents"
        fix = "If this is not a topic but another key, remove it."
        yield Note("stray-topics", f"{qrels.where}: {text}. {fix}", topics=tuple(names))


def combine_notes(
    measuring: Scorer, counts: Bools, run_notes: Iterable[Note], returned: Mapping[str, Ints]
) -> tuple[Note, ...]:
    """Combine the notes about runs with the notes about the evaluation.

    `returned` has the lengths of the rankings of each run, −1 for missing topics.
    """
    mask = measuring.collection.topic_mask
    lengths = [lists[(lists >= 0) & mask] for lists in returned.values()]
    settings = measuring.measures, measuring.options.depth
    notes = (
        *collect_evaluation_notes(measuring, counts),
        *run_notes,
        *collect_length_notes([*returned], lengths, *settings),
    )
    return sort_notes(notes)


def collect_evaluation_notes(measuring: Scorer, counts: Bools) -> Iterator[Note]:
    """Yield the notes about the evaluation. `counts` selects the topics that count."""
    collection = measuring.collection
    yield from collect_settings_notes(measuring)
    yield from note_topics_file(collection.options.named_topics)
    for extra in collection.extras:
        yield from extra.collect_notes()
    yield from collect_intent_notes(collection, measuring.measures)
    if not collection.declared and collection.values.look_like_scores:
        text = f"{collection.gold.qrels.where}: levels {collection.values}"
        yield Note("levels", text)
    yield from collect_judgment_notes(
        collection.gold.qrels,
        collection.gold.judgments.max_level,
        measuring.measures,
        [m for m in measuring.measures if measuring.with_topic_gains(m, 0).takes_max_level()],
        collection.labels.is_default,
        lambda m: measuring.find_topics_without_relevant(m, counts),
        measuring.options.undefined,
    )
    if (groups := collection.labels.groups) is not None:
        yield from _note_unjudged_topics(groups.names, collection, groups.where)
    yield from collect_tie_notes(measuring)


def collect_settings_notes(measuring: Scorer) -> Iterator[Note]:
    """Yield notes about presets, options without an effect, and gains by topic."""
    preset, is_default = measuring.options.task, measuring.collection.labels.is_default
    if preset is not None:
        texts = [f"{name} is {meaning}" for name, meaning in preset.settings.items()]
        if preset.classes and is_default:
            texts.append("the task has equivalence classes, here are none (--classes)")
        if preset.groups and is_default:
            texts.append("the task has groups that count together, here are none (--groups)")
        yield from (Note("preset", f"{preset.name}: {text}") for text in texts)
    for name, reason in measuring.unused_options.items():
        option = format_option(OPTIONS[name].flags[-1], name)
        yield Note("settings", f"{option} has no effect: {reason}")
    if (gains := measuring.gains) is not None:
        collection = measuring.collection
        tables: dict[str, dict[str, tuple[int]]] = {}
        for topic, gain in compress(zip(collection.topics, gains, strict=True), collection.topic_mask):
            if not isinstance(gain, str):
                tables.setdefault(":".join(map("{:g}".format, gain)), {})[topic] = (1,)
        parts = tuple(Facts(f"{table} in {{0:topic}}", x) for table, x in tables.items())
        yield Note.from_facts("gains", Facts("gains by topic: {parts}", parts=parts))


# -- judgments ------------------------------------------------------------------------------------


def collect_judgment_notes(
    qrels: Qrels,
    max_level: float,
    measures: Sequence[Measure],
    undeclared: Sequence[Measure],
    is_default: bool,
    without_relevant: Callable[[Measure], list[str]],
    undefined: str,
) -> Iterator[Note]:
    """Yield the notes about the judgments.

    `undeclared` measures use the highest level of the judgments. `is_default`: every judged item
    counts.
    """
    by_topics = _group_measures([m for m in measures if m.effectiveness], lambda m: tuple(without_relevant(m)))
    lower = undefined == "zero" and any(m.better == "lower" for m in measures)
    effect = "scored worst" if lower else UNDEFINED[undefined]
    for topics, affected in by_topics.items():
        # Measures with different thresholds of relevance are named.
        prefix = "" if len(by_topics) == 1 and _has_common_threshold(measures) else "{measures}: "
        text = f"{prefix}{{topics}} without relevant documents, {effect}"
        counts = dict.fromkeys(topics, (1,))
        yield Note.from_facts("no-relevant", Facts(text, counts, name_columns(affected)))
    yield from _collect_file_notes(qrels, is_default)
    yield from _note_max_level(max_level, measures, undeclared)
    yield from _note_failed_labels(qrels, measures)


def _collect_file_notes(qrels: Qrels, is_default: bool) -> Iterator[Note]:
    """Yield notes about ignored or ambiguous contents of a qrels file."""
    yield from _note_columns(qrels.in_doubt, qrels.where)
    if qrels.repeated:
        text = f"{format_count(qrels.repeated, 'judgment')} repeated with the same level"
        yield Note("duplicates", f"{qrels.where}: {text}")
    if qrels.grouped and is_default:
        text = f"{format_count(qrels.grouped, 'judgment')} with a class, ignored"
        yield Note("classes", f"{qrels.where}: {text}. Use --classes to count each class once.")


def _note_columns(in_doubt: str, location: str, run: str | None = None) -> Iterator[Note]:
    """Note the chosen columns if others are possible."""
    if in_doubt:
        yield Note("columns", f"{location}: {in_doubt}", run)


def _note_max_level(max_level: float, measures: Sequence[Measure], undeclared: Sequence[Measure]) -> Iterator[Note]:
    """Note the highest level. `undeclared` measures have no `max_level`."""
    if undeclared:
        text = f"the highest level is {max_level:g}, as in the judgments"
        pattern = f"{{measures}}: {text}. Use max_level= to declare another."
        yield Note.from_facts("max-level", Facts(pattern, measures=name_columns(undeclared)))
    declared = _group_measures(measures, lambda m: getattr(m, "max_level", None))
    for level, affected in declared.items():
        if level < max_level:
            text = f"{{measures}}: levels up to {max_level:g} in the judgments count as {level:g}"
            yield Note.from_facts("max-level", Facts(text, measures=name_columns(affected)))


def _note_failed_labels(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Note]:
    """Warn of level −1, which a failed LLM judge may have written.

    Other levels below 0 are intended (TREC's −2 is spam). Samples mark undrawn documents by −1.
    """
    failed = qrels.levels == -1
    if not failed.any() or qrels.strata is not None or not (qrels.levels[~failed] >= 0).all():
        return
    if failed.all() or all(m.takes_unsampled or not m.effectiveness for m in measures):
        return
    n = int(failed.sum())
    text = f"{format_count(n, 'judgment')} of level -1 count{'s' * (n == 1)} as nonrelevant"
    yield Note("failed", f"{qrels.where}: {text}. If the judge failed, remove these judgments.")


def _note_unjudged_topics(topics: Iterable[str], collection: Collection, location: str) -> Iterator[Note]:
    judged = set(collection.topics)
    unjudged = [topic for topic in topics if topic not in judged]
    if unjudged and collection.options.named_topics is None:
        text = f"{location}: {format_names(unjudged, 'topic')} without judgments, ignored"
        yield Note("unjudged-topics", text, topics=tuple(unjudged))


# -- intents --------------------------------------------------------------------------------------


def collect_intent_notes(collection: Collection, measures: Sequence[Measure]) -> Iterator[Note]:
    """Yield the notes about intents."""
    intents, intent_info = collection.intents, collection.intent_info
    if intents is None:
        return
    if collection.options.per_intent:
        text = "every intent is scored as a topic (topic/intent). Means are over intents."
        yield Note("intents", text)
    else:
        assumptions = _list_assumptions(collection, intents, measures)
        yield from (Note.from_facts("intents", facts) for facts in assumptions if facts.measures)
    if all(len(names) == 1 for names in compress(intents.names, collection.topic_mask)):
        text = "every topic has one intent. Check that column 2 of the qrels is the intent."
        yield Note("one-intent", text)
    if intent_info is not None:
        topics = dict.fromkeys((*intent_info.probabilities, *intent_info.navigational))
        yield from _note_unjudged_topics(topics, collection, intent_info.where)


def _list_assumptions(collection: Collection, intents: Intents, measures: Sequence[Measure]) -> Iterator[Facts]:
    """Yield the assumptions about intents, with the measures that need them."""

    def make_facts(affected: Iterable[Measure], text: str, topics: Sequence[str] = ()) -> Facts:
        counts = dict.fromkeys(topics, (1,)) if topics else None
        return Facts(f"{{measures}}: {text}", counts, name_columns(affected), lists_topics=False)

    hint = f"Use {format_option('--intents FILE', 'intents=')} to set"
    mask = collection.topic_mask
    if uniform := _select_flagged(collection.topics, mask & (intents.uniform_counts > 1)):
        which_topics = "" if len(uniform) == mask.sum() else " of {topics}"
        text = f"the intents{which_topics} have equal probability. {hint} probabilities."
        yield make_facts((m for m in measures if m.needs_intent_weights()), text, uniform if which_topics else ())
    if not intents.navigational[np.repeat(mask, intents.counts)].any():
        text = f"all intents are informational. {hint} types."
        yield make_facts((m for m in measures if m.needs_intent_types()), text)
    text = "the level of a document is its highest level for any intent"
    yield make_facts((m for m in measures if m.takes == "lists" and m.effectiveness), text)


# -- ties -----------------------------------------------------------------------------------------


def collect_tie_notes(measuring: Scorer) -> Iterator[Note]:
    """Yield the notes about the order of ties."""
    options, measures = measuring.options, measuring.measures
    if options.ties == "expected":
        exact = [m for m in measures if measuring.is_exact(m)]
        sample = f"{options.tie_samples} random orders (seed {options.seed})"
        parts = [
            Facts(text, measures=name_columns(group, str))
            for text, group in (
                ("exact for {measures}", exact),
                (f"from {sample} for {{measures}}", [m for m in measures if m not in exact]),
            )
            if group
        ]
        text = "mean over all orders of tied documents: {parts}"
        yield Note.from_facts("tie-order", Facts(text, parts=tuple(parts), separator="; "))
    elif options.ties in ("best", "worst"):
        yield _build_order_note(measuring, options.ties)


def _build_order_note(measuring: Scorer, ties: str) -> Note:
    """Return the note that lists the measures for which the order by level is no bound."""
    measures = measuring.measures
    comparative = {"best": "better", "worst": "worse"}[ties]
    unbound = [m for m in measures if not measuring.is_bounded(m)]
    scored = name_columns((m for m in unbound if m.better != "neither"), str)
    descriptive = name_columns((m for m in unbound if m.better == "neither"), str)
    descriptive |= {name: name for m in measures for name in measuring.name_residual_columns(m)}
    claims = (
        Facts(f"another order may score {comparative} under {{measures}}", measures=scored),
        Facts("another order may change {measures}", measures=descriptive),
    )
    text = f"tied documents ordered by level, the {ties} first: "
    may_differ = Facts(text + "{parts}", parts=tuple(x for x in claims if x.has_content()), separator="; ")
    is_bound = Facts(f"{text}no other order scores {comparative}")
    return Note.from_facts("tie-order", *(x for x in (may_differ, is_bound) if x.has_content()))


# -- runs -----------------------------------------------------------------------------------------


def collect_run_notes(labelled: LabelledRun, collection: Collection, measures: Sequence[Measure]) -> Iterator[Note]:
    """Yield the notes about one run."""
    name, topics_judged, options = labelled.run.name, collection.topics, collection.options
    rankings, selected = collection.select_topics(labelled.full_rankings), options.named_topics

    def make_note(kind: str, text: str, topics: Sequence[str] = ()) -> Note:
        return Note(kind, f"{name}: {text}", name, tuple(topics))

    yield from _note_columns(labelled.run.in_doubt, name, name)
    yield from _note_scores(labelled, collection)
    yield from _note_one_document(name, rankings, topics_judged)
    yield from collect_merging_notes([labelled.run])
    yield from _note_few_topics(name, topics_judged, rankings.answered, collection.topic_mask)
    effect = "excluded" if options.topics == "common" else "scored as empty"
    unanswered = _select_flagged(topics_judged, ~rankings.answered)
    yield from note_topics("missing-topics", unanswered, f"missing, {effect}", name)
    judged_topics = set(topics_judged)
    unjudged = [topic for topic in labelled.topics if selected is None and topic not in judged_topics]
    yield from note_topics("unjudged-topics", unjudged, "without judgments, ignored", name)
    yield from _note_ties(name, rankings, collection, measures)
    if contradicted := [t for t in labelled.contradicted if selected is None or t in selected]:
        yield from _note_rising_scores(labelled)
        yield make_note("rank-order", describe_disagreement(contradicted), contradicted)
    yield from _note_unjudged_documents(name, rankings, collection, measures)
    yield from collect_spelling_notes(labelled, collection)
    for extra in collection.extras:
        yield from extra.collect_run_notes(labelled.run, rankings)
    if options.ties != "expected" and not collection.labels.is_default:
        yield from collect_label_notes(name, collection.select_topics(labelled.rankings), collection.ideal)


def _note_scores(labelled: LabelledRun, collection: Collection) -> Iterator[Note]:
    """Warn if a run looks like judgments."""
    run, scores = labelled.run.name, collection.get_values(labelled)
    if scores is None or scores.look_like_scores:
        return
    if not collection.values.look_like_scores:
        is_ordered = labelled.run.by_rank or labelled.run.keeps_order  # the scores are ranks
        if scores.sizes.sum() >= MIN_DOCUMENTS and not is_ordered:
            word = "score" if len(scores.different) == 1 else "scores"
            yield Note("few-scores", f"{run}: only the {word} {scores}", run)
        return
    text = f"scores {scores} look like levels, and the levels of the judgments like scores"
    yield Note("swapped", f"{run}: {text}. If they are swapped, give the judgments first", run)


def _note_rising_scores(labelled: LabelledRun) -> Iterator[Note]:
    """Warn if lower scores are better in most topics, as distances are."""
    name = labelled.run.name
    if 2 * len(labelled.contradicted) < len(labelled.topics):
        return  # without reading the run again
    disagreement_found = labelled.run.find_disagreement()
    if disagreement_found.rise:
        order = format_option("--order rank or given", 'order="rank" or "given"')
        columns = format_option("--columns run.score=NAME", 'columns={"run.score": NAME}')
        topics = format_names(disagreement_found.rising, "topic")
        text = f"scores rise from the top to the bottom of {topics}"
        fix = f"If they are distances, use {order}, or name the scores with {columns}."
        yield Note("rising-scores", f"{name}: {text}. {fix}", name, disagreement_found.rising)


def _note_ties(name: str, rankings: Rankings, collection: Collection, measures: Sequence[Measure]) -> Iterator[Note]:
    """Note tied documents that could change a score, the deepest measures first."""
    effect = "ties could change a score"
    effect = "ties matter" if collection.options.ties in OTHER_ORDERS else effect
    pattern = f"{{run}}: {effect} in {{topics}}: {{0}} of {{1}} tied documents"
    facts: list[Facts] = []
    groups = [*_group_by_reach(measures, collection.options.depth).values()]
    for number, group in enumerate(groups):
        influential = count_influential_ties(rankings, collection, [*chain(*groups[number:])])
        if not influential.any():
            break
        counts = _build_counts(collection.topics, influential, rankings.tied)
        facts.append(Facts(pattern, counts, name_columns(group)))
    if facts:
        yield Note.from_facts("ties", *facts, run=name)


def _group_by_reach(measures: Sequence[Measure], depth: int | None) -> dict[int | None, list[Measure]]:
    """Group measures by the last rank they use, the deepest first. None: no limit."""
    groups: dict[int | None, list[Measure]] = {}
    for m in measures:
        groups.setdefault(find_deepest([m], depth), []).append(m)
    order = sorted(groups, key=lambda reach: -math.inf if reach is None else -reach)
    return {reach: groups[reach] for reach in order}


def _build_counts(topics: Sequence[str], *columns: Ints) -> dict[str, tuple[int, ...]]:
    """Return the counts by topic if the last count is above 0."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {topic: row for topic, row in zip(topics, rows, strict=True) if row[-1] > 0}


def _note_one_document(name: str, rankings: Rankings, topics: Sequence[str]) -> Iterator[Note]:
    """Warn if many topics have one document each: topics and documents may be swapped."""
    lengths = rankings.lengths[rankings.answered]
    if len(lengths) >= MIN_DOCUMENTS and (lengths == 1).all():
        columns = format_option("--columns topic=NAME,doc=NAME", 'columns={"topic": NAME, "doc": NAME}')
        text = "{run}: one document in each of {0:topic}"
        text += f". If topic and document are swapped, use {columns}"
        counts = _build_counts(topics, rankings.lengths)
        yield Note.from_facts("one-document", Facts(text, counts, lists_topics=False), run=name)


def collect_merging_notes(runs: Iterable[Run]) -> Iterator[Note]:
    """Yield the notes about merged chunks and duplicates."""
    for run in runs:
        for kind, text in () if run.merging is None else run.merging.describe_merges():
            yield Note(kind, f"{run.name}: {text}", run.name)


def _note_few_topics(name: str, judged: Sequence[str], answered: Bools, mask: Bools) -> Iterator[Note]:
    """Warn if the run has fewer than half of the topics."""
    if 2 * (answered & mask).sum() < mask.sum():
        counts = _build_counts(judged, (answered & mask).astype(np.int64), mask.astype(np.int64))
        text = "{run}: only {0} of {1:judged topic} are in the run"
        yield Note.from_facts("few-topics", Facts(text, counts, below=0.5), run=name)


def collect_length_notes(
    names: Sequence[str], lengths: Sequence[Ints], measures: Sequence[Measure], depth: int | None
) -> Iterator[Note]:
    """Warn of runs with much shorter rankings than other runs if a measure uses deeper ranks.

    `lengths` are the lengths of the rankings of each run, without missing topics.
    """
    scoring = [m for m in measures if m.effectiveness]
    if len(names) < 2 or not scoring:
        return
    reach = find_deepest(scoring, depth) or np.inf
    medians = [_compute_median(own_median.tolist()) if len(own_median) else np.inf for own_median in lengths]
    for i, (name, own_median) in enumerate(zip(names, medians, strict=True)):
        median_others = _compute_median(medians[:i] + medians[i + 1 :])
        if MIN_DOCUMENTS <= median_others < np.inf and own_median < min(median_others / 2, reach):
            median = f"median {own_median:,.0f} documents over {format_count(len(lengths[i]), 'topic')}"
            text = f"rankings are short ({median}, other runs {median_others:,.0f})"
            text += ". At deeper cutoffs, the missing ranks are empty."
            affected = [m for m in scoring if (find_deepest([m], depth) or np.inf) > own_median]
            facts = Facts(f"{{run}}: {text}", measures=name_columns(affected))
            yield Note.from_facts("short-lists", facts, run=name)


def _compute_median(numbers: Sequence[float]) -> float:
    """Return the median. NumPy is slower, and `statistics` is slow to import."""
    ordered, n = sorted(numbers), len(numbers)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def count_influential_ties(rankings: Rankings, collection: Collection, measures: Sequence[Measure]) -> Ints:
    """Count, per topic, the tied documents that could change a score."""
    sampled = any(m.takes_samples for m in measures)  # undrawn documents also matter
    reach = find_deepest(measures, collection.options.depth)
    return rankings.count_influential_ties(reach, _is_level_sufficient(collection), not sampled)


def _is_level_sufficient(collection: Collection) -> bool:
    """Return True if swapping documents of equal level cannot change a score."""
    is_default = collection.labels.is_default and collection.intents is None
    return is_default and not any(extra.distinguishes_documents for extra in collection.extras)


def _select_flagged(topics: Sequence[str], flags: Bools) -> list[str]:
    return [topic for topic, flag in zip(topics, flags, strict=True) if flag]


def collect_label_notes(name: str, rankings: Rankings, ideal: Judgments) -> Iterator[Note]:
    """Warn if a custom strategy assigns more than the ideal ranking has."""
    topics = len(ideal.topics)
    retrieved = np.bincount(rankings.hit_topics, np.maximum(rankings.levels, 0.0), topics)
    possible = np.bincount(ideal.item_topics, np.maximum(ideal.levels, 0.0), topics)
    if exceeding := _select_flagged(ideal.topics, retrieved > possible * (1 + 1e-9)):
        text = f"levels of {format_names(exceeding, 'topic')} exceed the ideal ranking"
        yield Note("labels", f"{name}: {text}. Scores may exceed 1.", name, tuple(exceeding))


def _note_unjudged_documents(
    name: str, rankings: Rankings, collection: Collection, measures: Sequence[Measure]
) -> Iterator[Note]:
    """Note unjudged documents at the smallest affected cutoff, or that none is judged."""
    if not len(rankings.ranks) and rankings.lengths.sum():
        columns = "topic, doc, level" if collection.intents is None else "topic, intent, doc, level"
        text = f"no retrieved document is judged. Check that the qrels columns are {columns}."
        yield Note("none-judged", f"{name}: {text}", name)
        return
    affected = [m for m in measures if m.effectiveness and not (m.condensed or m.ignores_unjudged)]
    if collection.options.ties == "expected":
        return
    facts = []
    for l, group in reversed(_group_by_reach(affected, collection.options.depth).items()):
        depth = rankings.lengths.max(initial=0) if l is None else l
        lengths = np.minimum(rankings.lengths, depth)
        judged = count_by(rankings.hit_topics[rankings.ranks <= depth], len(lengths))
        kind = "returned documents" if l is None else f"documents in the top {l}"
        pattern = f"{{run}}: {{0}} of {{1}} {kind} are unjudged and count as nonrelevant"
        counts = _build_counts(collection.topics, lengths - judged, lengths)
        facts.append(Facts(pattern, counts, name_columns(group), lists_topics=False))
    if facts and facts[0].has_content():
        yield Note.from_facts("unjudged", *facts, run=name)


# -- measures by name -----------------------------------------------------------------------------


def _group_measures(measures: Sequence[Measure], key: Callable[[Measure], K | None]) -> dict[K, list[Measure]]:
    """Group measures by key, without measures with an empty key."""
    groups: dict[K, list[Measure]] = {}
    for m in measures:
        if value := key(m):
            groups.setdefault(value, []).append(m)
    return groups


def name_columns(measures: Iterable[Measure], get_name: Callable[[Measure], str] | None = None) -> dict[str, str]:
    """Map columns to names of measures. Measurements of a user model share a name."""

    names: dict[str, str] = {}
    for m in measures:
        columns, shared = _get_columns(m)
        names |= dict.fromkeys(columns, shared if get_name is None else get_name(m))
    return names


@lru_cache(maxsize=1 << 12)
def _get_columns(m: Measure) -> tuple[tuple[str, ...], str]:
    """Return the columns of a measure and its name without a measurement."""
    return tuple(m.names()), str(replace(m, measurement="") if m.is_model else m)


def _has_common_threshold(measures: Sequence[Measure]) -> bool:
    """Return True if all measures have the same threshold of relevance."""
    scoring = [m for m in measures if m.effectiveness]
    tables = [m for m in scoring if isinstance(getattr(m, "gain", None), tuple)]
    return len({getattr(m, "rel", None) for m in scoring}) == 1 and not tables
