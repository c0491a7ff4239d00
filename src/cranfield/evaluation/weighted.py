"""Scores by LLM judge labels and human labels.

Sums are split into contributions of documents. Other measures are computed for any labels of the
documents of a topic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.qrels import read_qrels
from cranfield.data.run import Run
from cranfield.data.run_reader import call_with_split
from cranfield.data.values import Values
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import LabelledRun
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.measures.bounds import SUMS, compute_terms, is_sum
from cranfield.measures.lists import Gold, Lists, total
from cranfield.measures.selection import find_deepest

Pairs = Sequence[tuple[str, str]]  # topics and documents
Levels = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class WeightedScores:
    """The scores of a measure by the judge [runs, topics], and the contributions of documents.

    For sampled documents [runs, documents]: `human` is the contribution with human labels, `change`
    the human contribution minus the judge's. `topic_of` is the topic of each document.
    """

    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    judged: Floats
    change: Floats
    human: Floats
    counted_docs: Bools  # [runs, documents] True for documents at ranks that count
    topic_of: Ints
    selected_docs: Bools  # True for sampled documents of topics that count
    lower_is_better: bool


def label_with_both(
    judge: Levels,
    human: Levels,
    sampled: Pairs,
    runs: RunsLike,
    measures: Any,
    auditable: set[tuple[str, str]],
    declared: bool = True,
    **options: Any,
) -> tuple[Evaluator, list[LabelledRun]]:
    """Label runs with the documents labelled by the judge or by humans.

    `auditable` are the documents that could be sampled. Measures must not use other documents.
    `declared`: the user declared the formats.
    """
    merged = _merge_highest(judge, human, sampled)
    for topic, doc in auditable:
        if topic in merged:
            merged[topic].setdefault(doc, 0.0)
    evaluator = Evaluator(replace(read_qrels(merged), declared=declared), measures, **options)
    evaluator.options.reject_expected_ties()
    for m in evaluator.measures:
        _check_measure(m, evaluator)
    if evaluator.collection.intents is not None or not evaluator.collection.labels.is_default:
        raise InputError.from_problem("an audit does not support intents, classes or groups")

    def read(runs_read: Sequence[Run]) -> list[LabelledRun]:
        labelled = [evaluator.collection.label(run) for run in runs_read]
        levels = Values.from_lists(judge)
        for labelled_run in labelled:
            scores = evaluator.collection.get_values(labelled_run)
            evaluator.collection.check_swapped(labelled_run.run, scores, levels)
            evaluator.collection.check_overlap(labelled_run)
            _check_documents(evaluator, labelled_run, auditable)
        return labelled

    return evaluator, call_with_split(evaluator.read(runs), read)


def _check_measure(m: Measure, evaluator: Evaluator) -> None:
    """Raise an error for a measure that is neither a sum nor a mean of labels only."""
    if is_sum(m):
        return
    if m.summary != "mean" or len(m.names()) != 1 or evaluator.collection.extras:
        problem = f"an audit does not support {m}: it is no mean over topics of labels only"
        raise InputError.from_problem(problem)
    if evaluator.options.undefined != "zero":
        sums = ", ".join(SUMS)
        problem = f"an audit does not support undefined={evaluator.options.undefined} for {m}"
        raise InputError.from_problem(problem, f"Use undefined=zero, or one of {sums}.")


def _merge_highest(judge: Levels, human: Levels, sampled: Pairs) -> dict[str, dict[str, float]]:
    """Return the judge's levels, or the higher level of judge and human.

    The judged documents and the highest level are then the same for both.
    """
    merged = {topic: dict(docs) for topic, docs in judge.items()}
    for topic, doc in sampled:
        docs = merged.setdefault(topic, {})
        docs[doc] = max(docs.get(doc, 0.0), human[topic][doc])
    return merged


def _check_documents(evaluator: Evaluator, labelled_run: LabelledRun, auditable: set[tuple[str, str]]) -> None:
    """Raise an error if a run has documents above the cutoff that could not be sampled."""
    collection, options = evaluator.collection, evaluator.options
    last = find_deepest(evaluator.measures, options.depth)
    ranked = labelled_run.run.rankings(None if last is None else last + options.exclude_self)
    topics = [t for t, is_selected in zip(collection.topics, collection.topic_mask, strict=True) if is_selected]
    unknown = [
        (topic, doc)
        for topic in topics
        for doc in ranked.get(topic, ())
        if (topic, doc) not in auditable and not (options.exclude_self and doc == topic)
    ]
    if unknown:
        topic, doc = unknown[0]
        location = f"{labelled_run.run.name}: {len(unknown):,} documents such as {doc} of topic {topic}"
        suffix = "" if last is None else f" up to rank {last}"
        fix = "Use an audit of this run, or a measure with a lower cutoff."
        raise InputError.from_problem(f"{location}{suffix} are not in the audit", fix)


class LabelContributions:
    """Contributions of documents to scores, by judge labels and human labels."""

    def __init__(self, evaluator: Evaluator, judge: Levels, human: Levels, sampled: Pairs) -> None:
        self.evaluator, self.collection = evaluator, evaluator.collection
        gold = self.collection.gold
        topics = [self.collection.topics[t] for t in gold.judgments.item_topics.tolist()]
        items = {pair: i for i, pair in enumerate(zip(topics, gold.item_docs, strict=True))}
        self.judge_levels = np.array([judge.get(t, {}).get(d, 0.0) for t, d in items])
        self.human_levels = self.judge_levels.copy()
        self.place = np.full(len(items), -1)  # index among sampled documents
        for k, (topic, doc) in enumerate(sampled):
            item = items[topic, doc]
            self.human_levels[item], self.place[item] = human[topic][doc], k
        self.topic_of = np.array([self.collection.find_topic(topic) for topic, _ in sampled])
        self.sampled = len(sampled)

    def compute_weighted(self, m: Measure, labelled: Sequence[LabelledRun]) -> WeightedScores:
        """Compute the scores and contributions of one measure."""
        mask = self.collection.topic_mask
        parts = [
            self._compute_run(m, self.collection.select_topics(labelled_run.rankings)) for labelled_run in labelled
        ]
        judged, change, human, weight = (np.stack(x) for x in zip(*parts, strict=True))
        number = np.cumsum(mask) - 1
        is_selected_doc = mask[self.topic_of]
        return WeightedScores(
            m.names()[0],
            tuple(labelled_run.run.name for labelled_run in labelled),
            tuple(t for t, is_selected in zip(self.collection.topics, mask, strict=True) if is_selected),
            judged[:, mask],
            change[:, is_selected_doc],
            human[:, is_selected_doc],
            weight[:, is_selected_doc] != 0,
            number[self.topic_of][is_selected_doc],
            is_selected_doc,
            m.better == "lower",
        )

    def _compute_run(self, m: Measure, rankings: Rankings) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the judge's scores, and change, human contribution and weight of documents."""
        judged = np.zeros(len(self.collection.topics))
        change, human, weights = np.zeros((3, self.sampled))
        sides = [replace(rankings, levels=levels[rankings.items]) for levels in (self.judge_levels, self.human_levels)]
        measuring = self.evaluator.scorer
        for block in measuring.blocks:
            topic_measure = measuring.with_topic_gains(m, block.start)
            of_judge, of_people = (compute_terms(topic_measure, block.build_lists(side)) for side in sides)
            judge_gain, human_gain = of_judge.gain, of_people.gain
            weight = np.broadcast_to(of_judge.weight, judge_gain.shape)
            columns = np.arange(judge_gain.shape[1])
            counts = np.diff(rankings.offsets[block.start : block.stop + 1])
            mask = columns < counts[:, None]
            hits = (rankings.offsets[block.start : block.stop, None] + columns)[mask]
            judged[block.start : block.stop] = total(judge_gain * weight * mask)
            places = self.place[rankings.items[hits]]
            is_sampled = places >= 0
            change[places[is_sampled]] = (weight * (human_gain - judge_gain))[mask][is_sampled]
            human[places[is_sampled]] = (weight * human_gain)[mask][is_sampled]
            weights[places[is_sampled]] = weight[mask][is_sampled]
        return judged, change, human, weights


class RelabelledLists:
    """Scores of the rankings of a topic for any labels of its documents."""

    def __init__(self, evaluator: Evaluator, labelled: Sequence[LabelledRun], measures: Sequence[Measure]) -> None:
        self.collection, self.with_topic_gains = (evaluator.collection, evaluator.scorer.with_topic_gains)
        self.rankings = [self.collection.select_topics(labelled_run.rankings) for labelled_run in labelled]
        self.measures = measures

    def list_docs(self, topic: int) -> list[str]:
        """Return the documents of a topic, in the order of labels."""
        start, stop = self.collection.gold.judgments.offsets[topic : topic + 2]
        return self.collection.gold.item_docs[start:stop]

    def compute_scores(self, topic: int, labels: Floats, levels: Floats) -> Floats:
        """Return scores [measures × runs, versions] for labels [versions, documents].

        `levels` are all possible levels. A document with the label NaN is unjudged.
        """
        judged = ~np.isnan(labels)
        ideal = -np.sort(-labels, axis=1)  # NaN last
        highest = max(0.0, float(levels.max(initial=0.0)))
        gold = Gold(np.nan_to_num(ideal), ~np.isnan(ideal), highest)
        gold.distinct = levels
        lists = [self._build_lists(x, topic, labels, judged, gold) for x in self.rankings]
        measures = [self.with_topic_gains(m, topic) for m in self.measures]
        return np.stack([m.compute(x)[:, 0] for m in measures for x in lists])

    def _build_lists(self, rankings: Rankings, topic: int, labels: Floats, judged: Bools, gold: Gold) -> Lists:
        """Return the ranking of a topic for each version of the labels."""
        hits = slice(*rankings.offsets[topic : topic + 2])
        positions = rankings.items[hits] - self.collection.gold.judgments.offsets[topic]
        ranks = np.broadcast_to(rankings.ranks[hits], (len(labels), len(positions)))
        length = np.full(len(labels), rankings.lengths[topic])
        level, is_judged = np.nan_to_num(labels[:, positions]), judged[:, positions]
        return Lists(np.where(is_judged, ranks, length[:, None] + 1), level, is_judged, length, gold)
