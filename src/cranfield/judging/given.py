"""What people and a judge gave, ready for estimates: scores of topics, or labels of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.answers import ByRun
from cranfield.data.audits import AuditLike, AuditOrder, read_audit
from cranfield.data.judged_answers import read_assignments, read_support
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.tracks import choose_topics, named_topics
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.answers import evaluate_answers
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.results import read_scores
from cranfield.evaluation.weighted import Added, Relabelled, labelled_by_both
from cranfield.judging.estimates import BySample, ByTopic, Estimates
from cranfield.judging.imputing import imputed
from cranfield.measures.base import Measure
from cranfield.measures.bounds import is_sum
from cranfield.scores import Notice, Scores, about_topics
from cranfield.stats.judged import LEAST
from cranfield.stats.measured import measured, ranking
from cranfield.wording import counted, some

Of: TypeAlias = Literal["nuggets", "citations"]
ANSWERS: dict[Of, Callable[[Any], ByRun[Any]]] = {
    "nuggets": read_assignments,
    "citations": read_support,
}
_GIVEN = {"nuggets": "assignments", "citations": "support"}  # to `evaluate_answers`
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
    mine = read_scores(people, measures=how.measures)
    read = {who: read_scores(given, measures=how.measures) for who, given in judges.items()}
    return {who: _by_topic(mine, scores, how, (whose, who)) for who, scores in read.items()}


def from_answers(
    people: Any, judges: Mapping[str, Any], whose: str, of: Of, how: Asked
) -> tuple[dict[str, Sequence[Estimates]], dict[str, Judged]]:
    """Of what was judged of answers: scores by each, and the labels, run by run, of all."""
    read = {name: ANSWERS[of](given) for name, given in {whose: people, **judges}.items()}
    scores = dict[str, Scores]()
    for name, found in read.items():
        given: dict[str, Any] = {_GIVEN[of]: found, "measures": how.measures}
        scores[name] = evaluate_answers(**given)
    by_topic: dict[str, Sequence[Estimates]] = {
        who: _by_topic(scores[whose], scores[who], how, (whose, who)) for who in judges
    }
    return by_topic, {name: _labels(found) for name, found in read.items()}


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
    if audit is None:
        return {
            who: _evaluated((whose, people), (who, levels), how) for who, levels in judges.items()
        }
    order = read_audit(audit)
    return {who: _sampled(people, levels, order, how) for who, levels in judges.items()}


# -- by topics ------------------------------------------------------------------------------------


def _evaluated(
    people: tuple[str, Judged],
    judge: tuple[str, Judged],
    how: Asked,
) -> list[ByTopic]:
    """People's judgments of some topics, and the judge's of all, as scores."""
    names = people[0], judge[0]
    wanted = named_topics(how.options.get("topics"))
    if wanted is not None:
        wanted = choose_topics(wanted, {**people[1], **judge[1]}, strict=False)
        how.notices.extend(about_topics(wanted))
    given = how.of_runs
    scores = []
    for name, said in (people, judge):
        topics = None if wanted is None else [t for t in wanted if t in said]
        if topics is not None:
            if not topics:
                raise InputError(f"no topic of {some(wanted or (), 'topic')} by {name}", "some")
            given = {**given, "topics": topics}
        usual = "AP" if how.measures is None and given.get("preset") is None else how.measures
        scores.append(evaluate(read_qrels(said), how.runs, usual, **given))
    known = {(notice.kind, notice.run) for notice in how.notices}  # of another judge
    how.notices.extend([one for one in scores[1].notices if (one.kind, one.run) not in known])
    how.notices.extend(_about_documents(names, people[1], judge[1]))
    return _by_topic(scores[0], scores[1], how, names)


def _about_documents(names: tuple[str, str], people: Judged, judge: Judged) -> Iterator[Notice]:
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
    if shared < 0.9 * labelled:
        text = f"{names[0]} judged {shared:,} of {counted(labelled, 'document')} that {names[1]} "
        text += "did in the same topics: what people did not judge counts as not relevant"
        yield Notice("incomplete", f"{text}; is it a sample? Then give the audit it was drawn by")


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


def _by_topic(people: Scores, judge: Scores, how: Asked, names: tuple[str, str]) -> list[ByTopic]:
    """The scores by both, measure by measure, on the topics that each has."""
    runs = tuple(run for run in people.runs if run in judge.runs)
    if not runs:
        raise InputError(f"no run in both {names[0]} and {names[1]}", "scores of the same runs")
    alone = [run for one in (people, judge) for run in one.runs if run not in runs]
    if alone:
        how.notices.append(Notice("missing-runs", f"{some(alone, 'run')} in one only, left out"))
    columns, others = ranking(people, [m for m in people.measures if m in judge.measures])
    how.notices.extend(others)
    if not columns:
        raise InputError(f"no measure in both {names[0]} and {names[1]}", "at least one")
    return [
        _of_measure(people.select([*runs]), judge.select([*runs]), m, how, names) for m in columns
    ]


def _of_measure(
    people: Scores,
    judge: Scores,
    measure: str,
    how: Asked,
    names: tuple[str, str],
) -> ByTopic:
    mine, its = (measured(one, measure, turned=False) for one in (people, judge))
    how.notices.extend([notice for notice in mine.notices if notice.kind != "undefined"])
    by_people, by_judge = mine.matrix, its.matrix
    place = {topic: t for t, topic in enumerate(by_judge.topics)}
    both = [(t, place[topic]) for t, topic in enumerate(by_people.topics) if topic in place]
    lacking = [topic for topic in by_people.topics if topic not in place]
    if lacking:
        text = f"{some(lacking, 'topic')} of {names[0]} that {names[1]} has no {measure} of"
        swapped = ": are the two swapped?" if len(both) == len(place) else ""
        said = f"{text}, left out{swapped}"
        how.notices.append(Notice("missing-topics", said, topics=tuple(lacking)))
    if len(both) < LEAST:
        found = f"{counted(len(both), 'topic')} of {names[0]} and {names[1]} by {measure}"
        raise InputError(found, f"at least {LEAST}")
    rows, columns = np.array(both).T
    rest = np.setdiff1d(np.arange(len(place)), columns)
    how.notices.extend(_about_order(by_judge.topics, columns.tolist(), names))
    Y, f = by_people.values.T, by_judge.values.T
    lower = people.better[people.measures.index(measure)] == "lower"
    return ByTopic(
        measure, people.runs, lower, Y[:, rows], f[:, columns], f[:, rest],
        how.confidence, how.at_random, how.target,
    )  # fmt: skip


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
    unlabelled = [doc for topic, doc in sampled if doc not in judge.get(topic, {})]
    if unlabelled:
        text = f"{some(unlabelled, 'document')} of the audit without a label of the judge, which "
        how.notices.append(Notice("unlabelled", f"{text}counts as level 0"))
    given = how.of_runs
    usual = "P@10" if how.measures is None and given.get("preset") is None else how.measures
    known = dict(zip(order.pairs, every.tolist(), strict=True))
    evaluator, labelled = labelled_by_both(
        judge, people, sampled, how.runs, usual, {*known}, **given
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
            how.confidence, how.target,
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
