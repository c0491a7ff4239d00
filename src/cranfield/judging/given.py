"""What people and a judge gave, ready for estimates: scores of topics, or labels of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.answers import ByRun
from cranfield.data.audits import AuditLike, AuditOrder, read_audit
from cranfield.data.judged_answers import Invalid, completed, read_assignments, read_support
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.tracks import choose_topics, named_topics
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.answers import AnswerCollection, evaluate_answers
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.results import read_incomplete
from cranfield.evaluation.weighted import Added, Relabelled, labelled_by_both
from cranfield.judging.estimates import ByAnswer, BySample, ByTopic, Estimates
from cranfield.judging.imputing import imputed
from cranfield.judging.labelled import by_labels
from cranfield.measures.base import Measure
from cranfield.measures.bounds import is_sum
from cranfield.scores import Notice, Scores, about, about_topics
from cranfield.stats.judged import LEAST
from cranfield.stats.measured import Measured, measured, ranking
from cranfield.wording import counted, option, some

Of: TypeAlias = Literal["nuggets", "citations"]
ANSWERS: dict[Of, Callable[..., ByRun[Any]]] = {
    "nuggets": read_assignments,
    "citations": read_support,
}
_GIVEN = {"nuggets": "assignments", "citations": "support"}  # to `evaluate_answers`
MissingLabels: TypeAlias = Literal["unknown", "nonrelevant"]
Judged: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level
MANY = 100  # documents from which on it is no chance that levels are all the same, or never high


@dataclass(frozen=True)
class Asked:
    """What is asked of every estimate; `notices` are those found on the way."""

    confidence: float
    target: float | None
    at_random: bool
    runs: Any
    measures: Any
    options: Mapping[str, Any]
    notices: list[Notice]
    invalid: Invalid = "error"
    missing_labels: MissingLabels = "unknown"
    labels: bool = False  # whether labels were drawn one by one
    declared: bool = True  # whether the user declares what are judgments, and what is a run

    @property
    def of_runs(self) -> dict[str, Any]:
        """The options without those that judgments were read with, and runs are not."""
        return {k: v for k, v in self.options.items() if k not in ("labels", "qrels_format")}

    def levels(self, given: QrelsLike) -> Judged:
        """Judgments, read as the options say."""
        known = {name: self.options[name] for name in _WRITTEN if self.options.get(name)}
        return read_qrels(given, self.options.get("qrels_format"), **known).to_dict()


_WRITTEN = ("separator", "labels", "columns")  # how judgments are


def from_scores(
    people: Any, judges: Mapping[str, Any], whose: str, how: Asked
) -> dict[str, Sequence[Estimates]]:
    """Of scores by topic, by people and by each judge."""
    mine = read_incomplete(people, how.measures)
    read = {who: read_incomplete(given, how.measures) for who, given in judges.items()}
    return {
        who: _by_topic(mine, scores, how, (whose, who), "score") for who, scores in read.items()
    }


def from_answers(
    people: Any, judges: Mapping[str, Any], whose: str, of: Of, how: Asked
) -> tuple[dict[str, Sequence[Estimates]], dict[str, Judged]]:
    """Of what was judged of answers: scores by each, and the labels, run by run, of all."""
    given = {whose: people, **judges}
    read = {name: ANSWERS[of](x, invalid=how.invalid) for name, x in given.items()}
    mine = read.pop(whose)
    labels = {name: _labels(found) for name, found in {whose: mine, **read}.items()}
    if how.labels:
        return {
            who: _by_labels(mine, found, of, how, (whose, who)) for who, found in read.items()
        }, labels
    by_people = _by_people(mine, [*read.values()], of, how, whose)
    made = dict[str, Sequence[Estimates]]()
    for who, found in read.items():
        scores = _only_labelled(_scored(found, of, how), found)
        how.notices.extend([one for one in scores.notices if one.kind in TOLD])
        made[who] = _by_topic(by_people, scores, how, (whose, who), "answer")
    return made, labels


def _by_labels(
    mine: ByRun[Any], judge: ByRun[Any], of: Of, how: Asked, names: tuple[str, str]
) -> list[BySample]:
    """Labels that were drawn one by one."""
    given: dict[str, Any] = {_GIVEN[of]: judge}
    parts = given.get("assignments"), None, None, given.get("support"), None, None
    measures: Any = AnswerCollection.of(*parts).asked(how.measures)
    options = how.confidence, how.target
    made, notices = by_labels(mine, judge, measures, of.removesuffix("s"), names, options)
    how.notices.extend(notices)
    return made


TOLD = ("invalid-labels", "missing-nuggets", "undefined")  # notices of the judge's scores


def _scored(found: ByRun[Any], of: Of, how: Asked) -> Scores:
    given: dict[str, Any] = {_GIVEN[of]: found, "measures": how.measures}
    return evaluate_answers(**given)


def _only_labelled(scores: Scores, found: ByRun[Any]) -> Scores:
    """The scores, NaN where an answer has no label: it is unknown, not 0."""
    there = [[found.get(run, topic) is not None for topic in scores.topics] for run in scores.runs]
    values = np.where(np.array(there)[:, :, None], scores.values, np.nan)
    return replace(scores, values=values, undefined="nan")


def _by_people(
    mine: ByRun[Any], judges: Sequence[ByRun[Any]], of: Of, how: Asked, whose: str
) -> Scores:
    """The scores by people; one that depends on labels that they did not give is unknown.

    It is known if it is the same with all missing labels at 0 and at 1.
    """
    low, high = (
        _only_labelled(_scored(completed(mine, judges, label), of, how), mine)
        for label in (0.0, 1.0)
    )
    how.notices.extend([one for one in low.notices if one.kind == "invalid-labels"])
    known = low.values == high.values
    partly = (~known & ~np.isnan(low.values)).any(axis=2)
    if partly.any():
        count, every = int(partly.sum()), sum(map(len, mine.by_run.values()))
        text = f"{whose} labelled {count:,} of {counted(every, 'answer')} in part, so that scores "
        text += "are unknown: they count as labelled by the judge only"
        how.notices.append(Notice("partly-labelled", text))
    return replace(low, values=np.where(known, low.values, np.nan))


def _labels(found: ByRun[Any]) -> Judged:
    """How far answers support nuggets, or citations their sentences: topic -> which -> level."""
    made: Judged = {}
    for run, topics in found.by_run.items():
        for topic, entry in topics.items():
            labels = made.setdefault(topic, {})
            if isinstance(entry.found, tuple):
                labels.update({f"{run}: {one.name}": one.support for one in entry.found})
                continue
            for number, cited in entry.found.items():
                labels.update({f"{run}: {number} {doc}": x.support for doc, x in cited.items()})
    return made


def from_judgments(
    people: Judged, judges: Mapping[str, Judged], whose: str, audit: AuditLike, how: Asked
) -> dict[str, Sequence[Estimates]]:
    """Of judgments and runs: people's of some topics or, with an audit, of some documents."""
    if how.labels:
        return {
            who: _sampled(people, levels, _drawn(people, levels, (whose, who)), how)
            for who, levels in judges.items()
        }
    if audit is None:
        return {
            who: _evaluated((whose, people), (who, levels), how) for who, levels in judges.items()
        }
    order = read_audit(audit)
    return {who: _sampled(people, levels, order, how) for who, levels in judges.items()}


def _drawn(people: Judged, judge: Judged, names: tuple[str, str]) -> AuditOrder:
    """People's documents as a sample of the judge's, all drawn with the same probability."""
    pairs = [(topic, doc) for topic, docs in judge.items() for doc in docs]
    mine = [pair for pair in pairs if pair[1] in people.get(pair[0], {})]
    if not mine:
        raise InputError(f"no document that both {names[0]} and {names[1]} judged", "some")
    rest = [pair for pair in pairs if pair[1] not in people.get(pair[0], {})]
    draws = np.repeat([0.5, 1.5], [len(mine), len(rest)])  # below 1: drawn
    probabilities = np.full(len(pairs), len(mine) / len(pairs))
    return AuditOrder((*mine, *rest), probabilities, draws, "labels")


# -- by topics ------------------------------------------------------------------------------------


def _evaluated(
    people: tuple[str, Judged],
    judge: tuple[str, Judged],
    how: Asked,
) -> list[Estimates]:
    """People's judgments of some topics, and the judge's of all, as scores."""
    names = people[0], judge[0]
    wanted = named_topics(how.options.get("topics"))
    if wanted is not None:
        wanted = choose_topics(wanted, {**people[1], **judge[1]}, strict=False)
        how.notices.extend(about_topics(wanted))
    by_people, by_judge = (_levels_scored(side, how, wanted) for side in (people, judge))
    known = {(notice.kind, notice.run) for notice in how.notices}  # of another judge
    how.notices.extend([one for one in by_judge.notices if (one.kind, one.run) not in known])
    how.notices.extend(_about_documents(names, people[1], judge[1], how.missing_labels))
    if how.missing_labels == "unknown":
        by_people = _without_unknown(by_people, people, judge[1], how, wanted)
    return _by_topic(by_people, by_judge, how, names, "ranking", _incomplete())


def _incomplete() -> str:
    """What to do about scores that depend on documents without a human label."""
    audit, labels, nonrelevant = (
        option("--audit-file", "audit="),
        option("--drawn labels", 'drawn="labels"'),
        option("--missing-labels nonrelevant", 'missing_labels="nonrelevant"'),
    )
    return (
        f"scores that depend on unlabelled documents are unknown: use {audit}, {labels} if all "
        f"documents had the same chance, or {nonrelevant}"
    )


def _levels_scored(
    side: tuple[str, Judged], how: Asked, wanted: Sequence[str] | None = None
) -> Scores:
    """The scores of runs by the judgments of people, or of a judge."""
    name, said = side
    given = how.of_runs
    if wanted is not None:
        topics = [t for t in wanted if t in said]
        if not topics:
            raise InputError(f"no topic of {some(wanted, 'topic')} by {name}", "some")
        given = {**given, "topics": topics}
    usual = "AP" if how.measures is None and given.get("preset") is None else how.measures
    qrels = replace(read_qrels(said), declared=how.declared, where=name)
    return evaluate(qrels, how.runs, usual, **given)


def _without_unknown(
    scores: Scores,
    people: tuple[str, Judged],
    judge: Judged,
    how: Asked,
    wanted: Sequence[str] | None,
) -> Scores:
    """The scores by people, NaN if labels that they did not give can change them.

    A score is known if it is the same with all missing labels at 0 and at the highest level.
    """
    said = people[1]
    lacking = {
        topic: [doc for doc in judge[topic] if doc not in docs]
        for topic, docs in said.items()
        if topic in judge
    }
    if not any(lacking.values()):
        return scores
    highest = max(level for docs in said.values() for level in docs.values())
    low, high = (
        _levels_scored(
            (people[0], {t: {**dict.fromkeys(lacking.get(t, ()), level), **docs}
                         for t, docs in said.items()}), how, wanted)
        for level in (0.0, max(highest, 1.0))
    )  # fmt: skip
    known = (low.values == high.values) | (np.isnan(low.values) & np.isnan(high.values))
    return replace(low, values=np.where(known, low.values, np.nan), undefined="nan")


def _about_documents(
    names: tuple[str, str], people: Judged, judge: Judged, missing: MissingLabels
) -> Iterator[Notice]:
    """How much of what the judge labelled in people's topics people labelled, too, and how."""
    both = [topic for topic in people if topic in judge]
    labelled = sum(len(judge[topic]) for topic in both)
    documents = [(topic, doc) for topic in both for doc in people[topic] if doc in judge[topic]]
    if both and not documents:
        found = f"no document that both {names[0]} and {names[1]} judged"
        raise InputError(f"{found} in {counted(len(both), 'topic')}", "some: are ids the same?")
    levels = [(people[topic][doc], judge[topic][doc]) for topic, doc in documents]
    yield from _about_levels(names, levels)
    shared = len(documents)
    if shared < labelled:
        text = f"{names[0]} judged {shared:,} of {counted(labelled, 'document')} that {names[1]} "
        text += "did in the same topics: "
        if missing == "unknown":
            text += "scores that depend on the others are unknown"
        else:
            text += "the others count as nonrelevant"
        yield Notice("incomplete", text)


def _about_levels(
    names: tuple[str, str], levels: Sequence[tuple[float, float]]
) -> Iterator[Notice]:
    """Labels that may be on two scales, or those of one file twice."""
    highest = [max(pair[i] for pair in levels) for i in (0, 1)] if levels else [0.0, 0.0]
    if len(levels) >= MANY and highest[0] != highest[1]:
        text = f"{names[0]} has levels up to {highest[0]:g}, {names[1]} up to {highest[1]:g}"
        text += ", of the same documents: if these are two scales, agreement and gains mean little"
        yield Notice("scales", text)
    if len(levels) >= MANY and all(mine == its for mine, its in levels):
        text = f"{names[0]} and {names[1]} have the same levels for all {len(levels):,} documents"
        yield Notice("same-levels", f"{text} of both: is one a copy of the other?")


def _by_topic(
    people: Scores, judge: Scores, how: Asked, names: tuple[str, str], unit: str, hint: str = ""
) -> list[Estimates]:
    """The scores by both, measure by measure, on the topics that each has."""
    if not {*people.runs} & {*judge.runs}:
        raise InputError(f"no run in both {names[0]} and {names[1]}", "scores of the same runs")
    if unknown := [run for run in people.runs if run not in judge.runs]:
        text = f"{some(unknown, 'run')} of {names[0]} that {names[1]} has no score of, left out"
        how.notices.append(Notice("missing-runs", text))
    columns, others = ranking(people, [m for m in people.measures if m in judge.measures])
    how.notices.extend(others)
    if not columns:
        raise InputError(f"no measure in both {names[0]} and {names[1]}", "at least one")
    return [_of_measure(people, judge, m, how, names, unit, hint) for m in columns]


def _of_measure(
    people: Scores,
    judge: Scores,
    measure: str,
    how: Asked,
    names: tuple[str, str],
    unit: str,
    hint: str,
) -> Estimates:
    """By topic, if people scored the same topics of all runs; otherwise by each answer."""
    mine, its = (measured(one, measure, turned=False) for one in (people, judge))
    how.notices.extend([notice for notice in mine.notices if notice.kind != "undefined"])
    topics, Y, f = _aligned(mine, its)
    scored = [t for t, row in zip(mine.topics, mine.values, strict=True) if not np.isnan(row).all()]
    _note_lacking(scored, topics, measure, how, names)
    how.notices.extend(_about_judge(judge.runs, topics, Y, f, names))
    Y[np.isnan(f)] = np.nan
    labelled, judged = ~np.isnan(Y), ~np.isnan(f)
    same = bool((labelled == labelled[0]).all() and judged.all())
    count, noun = (labelled[0].sum(), "topic") if same else (labelled.sum(), unit)
    if count < LEAST:
        found = f"{counted(int(count), noun)} of {names[0]} and {names[1]} by {measure}"
        unknown = bool(np.isnan(people.values).any())
        raise InputError(found, f"at least {LEAST}", hint=hint if unknown else "")
    lower = people.better[people.measures.index(measure)] == "lower"
    options = how.confidence, how.at_random, how.target
    if not same:
        how.notices.extend(_about_unlabelled(judge.runs, labelled, judged, names, unit))
        return ByAnswer(measure, judge.runs, lower, Y, f, *options, unit)
    both = labelled[0]
    how.notices.extend(_about_order(topics, np.flatnonzero(both).tolist(), names))
    return ByTopic(measure, judge.runs, lower, Y[:, both], f[:, both], f[:, ~both], *options)


def _aligned(mine: Measured, its: Measured) -> tuple[list[str], Floats, Floats]:
    """The topics that the judge scored, and scores [runs, topics] of its runs: people's, NaN where
    there is none, and the judge's.
    """
    known = np.flatnonzero(~np.isnan(its.values).all(axis=1)).tolist()
    topics, f = [its.topics[t] for t in known], its.values[known].T
    rows, columns = ({x: k for k, x in enumerate(names)} for names in (mine.topics, mine.runs))
    Y = np.full(f.shape, np.nan)
    for t, topic in enumerate(topics):
        for r, run in enumerate(its.runs):
            if topic in rows and run in columns:
                Y[r, t] = mine.values[rows[topic], columns[run]]
    return topics, Y, f


def _note_lacking(
    scored: Sequence[str], topics: Sequence[str], measure: str, how: Asked, names: tuple[str, str]
) -> None:
    """Note topics of people that the judge has no score of."""
    lacking = [topic for topic in scored if topic not in topics]
    if lacking:
        text = f"{some(lacking, 'topic')} of {names[0]} that {names[1]} has no {measure} of"
        swapped = ": are the two swapped?" if {*topics} <= {*scored} else ""
        said = f"{text}, left out{swapped}"
        how.notices.append(Notice("missing-topics", said, topics=tuple(lacking)))


def _about_judge(
    runs: Sequence[str], topics: Sequence[str], Y: Floats, f: Floats, names: tuple[str, str]
) -> Iterator[Notice]:
    """Answers without a score of the judge: they are unknown, not 0."""
    for run, mine, its in zip(runs, Y, f, strict=True):
        few = [topics[t] for t in np.flatnonzero(np.isnan(its)).tolist()]
        also = int(np.count_nonzero(~np.isnan(mine) & np.isnan(its)))
        by_people = f", {also:,} with labels of {names[0]}" if also else ""
        said = f"without labels of {names[1]}{by_people}, left out of the estimates of this run"
        yield from about("unjudged-topics", few, said, run)


def _about_unlabelled(
    runs: Sequence[str], labelled: Bools, judged: Bools, names: tuple[str, str], unit: str
) -> Iterator[Notice]:
    """How many answers people labelled, and that the others are unknown."""
    count, topics = int(labelled.sum()), int(labelled.any(axis=0).sum())
    of = f"{count:,} of {counted(int(judged.sum()), unit)} in {counted(topics, 'topic')}"
    text = f"{names[0]} labelled {of}: the others count as labelled by {names[1]} only"
    yield Notice("unlabelled", text)
    if unseen := [run for run, of_run in zip(runs, labelled, strict=True) if not of_run.any()]:
        text = f"{some(unseen, 'run')} without labels of {names[0]}: no estimate and no interval"
        yield Notice("no-labels", text)


def _about_order(
    topics: Sequence[str], judged: Sequence[int], names: tuple[str, str]
) -> Iterator[Notice]:
    """Topics that are just the first, or the last, of all are seldom a random sample."""
    n, every = len(judged), len(topics)
    if every - n < 2 or math.comb(every, n) < 200:
        return
    for order in (topics, sorted(topics), sorted(topics, key=lambda t: (len(t), t))):
        chosen = {topics[t] for t in judged}
        for end, part in (("first", order[:n]), ("last", order[-n:])):
            if chosen == {*part}:
                text = f"{names[0]} judged the {end} {n} of {every} topics: were they drawn at "
                yield Notice("not-random", f"{text}random? If not, no interval holds")
                return


# -- within topics --------------------------------------------------------------------------------


def _sampled(
    people: Judged,
    judge: Judged,
    order: AuditOrder,
    how: Asked,
) -> list[BySample]:
    """The judge's labels of all documents, and people's of the first so many of an audit."""
    count = _judged_so_far(people, order, how.notices)
    sampled, every = order.pairs[:count], order.first(count)
    unlabelled = [doc for topic, doc in order.pairs if doc not in judge.get(topic, {})]
    if unlabelled:
        text = f"{some(unlabelled, 'document')} of the audit without a label of the judge, which "
        how.notices.append(Notice("unlabelled", f"{text}counts as level 0"))
    given = how.of_runs
    usual = "P@10" if how.measures is None and given.get("preset") is None else how.measures
    known = dict(zip(order.pairs, every.tolist(), strict=True))
    evaluator, labelled = labelled_by_both(
        judge, people, sampled, how.runs, usual, {*known}, how.declared, **given
    )
    added = Added(evaluator, judge, people, sampled)
    others = [m for m in evaluator.measures if not is_sum(m)]
    ratios = dict[Measure, BySample]()
    if others:
        how.notices.extend(_about_others(judge, known))
        runs = tuple(one.run.name for one in labelled)
        versions = Relabelled(evaluator, labelled, others)
        made = imputed(versions, runs, people, judge, known, {*sampled}, how.confidence, how.target)
        ratios = dict(zip(others, made, strict=True))

    def of_sum(m: Measure) -> BySample:
        one = added.by(m, labelled)
        return BySample(
            one.measure, one.runs, one.lower_is_better, one.judged, one.change, one.said,
            one.topic_of, every[:count][one.kept], _of_topics(order, every, one.topics),
            how.confidence, how.target, seen=one.seen,
        )  # fmt: skip

    return [ratios[m] if m in ratios else of_sum(m) for m in evaluator.measures]


def _about_others(judge: Judged, known: Mapping[tuple[str, str], float]) -> Iterator[Notice]:
    """Documents that the judge labelled, and that could not have been drawn."""
    outside = sum((topic, doc) not in known for topic, docs in judge.items() for doc in docs)
    if outside:
        text = f"{counted(outside, 'document')} of the judge's that the audit does not have, left "
        yield Notice("audit", f"{text}out of ideal lists: nobody could draw them")


def _of_topics(order: AuditOrder, every: Floats, topics: Sequence[str]) -> Floats:
    """The probabilities of the documents of some topics."""
    kept = {*topics}
    return every[[topic in kept for topic, _ in order.pairs]]


def _judged_so_far(people: Judged, order: AuditOrder, notices: list[Notice]) -> int:
    """How many of the audit's documents, from the first on, people judged."""
    judged = [doc in people.get(topic, {}) for topic, doc in order.pairs]
    count = judged.index(False) if False in judged else len(judged)
    to_judge = int(np.count_nonzero(order.draws < 1))
    if not count:
        topic, doc = order.pairs[0]
        found = f"no judgment of {doc} of topic {topic}, the first of the audit"
        raise InputError(found, "people's judgments in the order of the audit", order.where)
    if count < to_judge:
        topic, doc = order.pairs[count]
        text = f"people judged {count:,} of {to_judge:,} documents of the audit, up to {doc} of "
        text += f"topic {topic}: the sample is taken to end there"
        notices.append(Notice("audit", text))
    extra = sum(judged[count:])
    outside = sum(map(len, people.values())) - sum(judged)
    if extra + outside:
        text = f"{counted(extra + outside, 'judgment')} of people that are not of the sample, left"
        notices.append(Notice("audit", f"{text} out: nobody knows how they were chosen"))
    return count
