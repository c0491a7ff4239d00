"""Scores by two sets of labels: sums taken apart, by what each document adds; other measures by any
labels of the documents of a topic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.qrels import read_qrels
from cranfield.data.run import Run, with_each
from cranfield.data.values import Values
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import Labelled
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.notices import deepest
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.measures.bounds import SUMS, is_sum, terms_of
from cranfield.measures.lists import Gold, Lists, total

Pairs = Sequence[tuple[str, str]]  # topics and documents
Levels = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Weighted:
    """A measure's scores by the judge [runs, topics], and what sampled documents add to them.

    `change` is how much more a document adds by people than by the judge, `said` what it adds by
    people, [runs, documents]; `topic_of` the topic of each document.
    """

    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    judged: Floats
    change: Floats
    said: Floats
    seen: Bools  # which documents are at ranks that count, [runs, documents]
    topic_of: Ints
    kept: Bools  # which of the sampled documents these are: those of topics that count
    lower_is_better: bool


def labelled_by_both(
    judge: Levels,
    people: Levels,
    sampled: Pairs,
    runs: RunsLike,
    measures: Any,
    known: set[tuple[str, str]],
    declared: bool = True,
    **options: Any,
) -> tuple[Evaluator, list[Labelled]]:
    """Runs, and where they have documents that the judge labelled, or people.

    `known` are the documents that could be sampled: a measure may look at no others. `declared`:
    the user declares what are judgments, and what is a run.
    """
    both = _highest(judge, people, sampled)
    for topic, doc in known:
        if topic in both:
            both[topic].setdefault(doc, 0.0)
    evaluator = Evaluator(replace(read_qrels(both), declared=declared), measures, **options)
    evaluator.options.refuse_expected()
    for m in evaluator.measures:
        _refuse_unsuited(m, evaluator)
    if evaluator.collection.intents is not None or not evaluator.collection.counting.plain:
        raise InputError("intents, classes or groups of documents", "none with an audit")

    def read(each: Sequence[Run]) -> list[Labelled]:
        labelled = [evaluator.collection.label(run) for run in each]
        levels = Values.of_lists(judge)
        for one in labelled:
            scores = evaluator.collection.values_of(one)
            evaluator.collection.refuse_swapped(one.run, scores, levels)
            evaluator.collection.refuse_stranger(one)
            _refuse_unknown(evaluator, one, known)
        return labelled

    return evaluator, with_each(evaluator.read(runs), read)


def _refuse_unsuited(m: Measure, evaluator: Evaluator) -> None:
    """A measure that is neither a sum nor a mean over topics of what labels decide alone."""
    if is_sum(m):
        return
    if m.summary != "mean" or len(m.names()) != 1 or evaluator.collection.extras:
        expected = "a measure that is a mean over topics, of labels alone, with an audit"
        raise InputError(str(m), expected)
    if evaluator.options.undefined != "zero":
        sums = ", ".join(SUMS)
        raise InputError(
            f"undefined={evaluator.options.undefined} for {m}", f"zero with an audit, or {sums}"
        )


def _highest(judge: Levels, people: Levels, sampled: Pairs) -> dict[str, dict[str, float]]:
    """The judgments of the judge, and the higher of both where people labelled, too: so that what
    is known, and the highest level, are those of both.
    """
    made = {topic: dict(docs) for topic, docs in judge.items()}
    for topic, doc in sampled:
        docs = made.setdefault(topic, {})
        docs[doc] = max(docs.get(doc, 0.0), people[topic][doc])
    return made


def _refuse_unknown(evaluator: Evaluator, one: Labelled, known: set[tuple[str, str]]) -> None:
    """A run with documents, down to where measures look, that could not have been sampled."""
    collection, options = evaluator.collection, evaluator.options
    last = deepest(evaluator.measures, options.depth)
    ranked = one.run.rankings(None if last is None else last + options.exclude_self)
    wanted = [t for t, chosen in zip(collection.topics, collection.chosen, strict=True) if chosen]
    others = [
        (topic, doc)
        for topic in wanted
        for doc in ranked.get(topic, ())
        if (topic, doc) not in known and not (options.exclude_self and doc == topic)
    ]
    if others:
        topic, doc = others[0]
        where = f"{one.run.name}: {len(others):,} documents such as {doc} of topic {topic}"
        down = "" if last is None else f" down to rank {last}"
        expected = f"only such documents{down}: an audit of this run, or a measure cut before"
        raise InputError(f"{where} that are not in the audit", expected)


class Added:
    """What documents add to scores, by the judge and by people."""

    def __init__(self, evaluator: Evaluator, judge: Levels, people: Levels, sampled: Pairs) -> None:
        self.evaluator, self.collection = evaluator, evaluator.collection
        gold = self.collection.gold
        topics = [self.collection.topics[t] for t in gold.judgments.item_topics.tolist()]
        items = {pair: i for i, pair in enumerate(zip(topics, gold.item_docs, strict=True))}
        self.by_judge = np.array([judge.get(t, {}).get(d, 0.0) for t, d in items])
        self.by_people = self.by_judge.copy()
        self.place = np.full(len(items), -1)  # among those sampled
        for k, (topic, doc) in enumerate(sampled):
            item = items[topic, doc]
            self.by_people[item], self.place[item] = people[topic][doc], k
        self.topic_of = np.array([self.collection.place(topic) for topic, _ in sampled])
        self.sampled = len(sampled)

    def by(self, m: Measure, labelled: Sequence[Labelled]) -> Weighted:
        """By one measure."""
        chosen = self.collection.chosen
        found = [self._run(m, self.collection.of_chosen(one.rankings)) for one in labelled]
        judged, change, said, weight = (np.stack(x) for x in zip(*found, strict=True))
        number = np.cumsum(chosen) - 1
        of_chosen = chosen[self.topic_of]
        return Weighted(
            m.names()[0],
            tuple(one.run.name for one in labelled),
            tuple(t for t, kept in zip(self.collection.topics, chosen, strict=True) if kept),
            judged[:, chosen],
            change[:, of_chosen],
            said[:, of_chosen],
            weight[:, of_chosen] != 0,
            number[self.topic_of][of_chosen],
            of_chosen,
            m.better == "lower",
        )

    def _run(self, m: Measure, rankings: Rankings) -> tuple[Floats, Floats, Floats, Floats]:
        """Scores by the judge, and what sampled documents add more, and in all, by people; and the
        weights of their ranks.
        """
        judged = np.zeros(len(self.collection.topics))
        change, said, weights = np.zeros((3, self.sampled))
        sides = [
            replace(rankings, levels=levels[rankings.items])
            for levels in (self.by_judge, self.by_people)
        ]
        measuring = self.evaluator.measuring
        for block in measuring.blocks:
            here = measuring.here(m, block.start)
            of_judge, of_people = (terms_of(here, block.lists(side)) for side in sides)
            worth, more = of_judge.worth, of_people.worth
            weight = np.broadcast_to(of_judge.weight, worth.shape)
            columns = np.arange(worth.shape[1])
            counts = np.diff(rankings.offsets[block.start : block.stop + 1])
            there = columns < counts[:, None]
            hits = (rankings.offsets[block.start : block.stop, None] + columns)[there]
            judged[block.start : block.stop] = total(worth * weight * there)
            places = self.place[rankings.items[hits]]
            drawn = places >= 0
            change[places[drawn]] = (weight * (more - worth))[there][drawn]
            said[places[drawn]] = (weight * more)[there][drawn]
            weights[places[drawn]] = weight[there][drawn]
        return judged, change, said, weights


class Relabelled:
    """Scores of the lists of a topic by any labels of its documents."""

    def __init__(
        self, evaluator: Evaluator, labelled: Sequence[Labelled], measures: Sequence[Measure]
    ) -> None:
        self.collection, self.here = evaluator.collection, evaluator.measuring.here
        self.rankings = [self.collection.of_chosen(one.rankings) for one in labelled]
        self.measures = measures

    def docs(self, topic: int) -> list[str]:
        """The documents of a topic, in the order of labels."""
        start, stop = self.collection.gold.judgments.offsets[topic : topic + 2]
        return self.collection.gold.item_docs[start:stop]

    def scores(self, topic: int, labels: Floats, levels: Floats) -> Floats:
        """By labels [versions, documents]: [measures × runs, versions]; `levels` are all there are.

        A document with the label NaN is as if nobody had judged it.
        """
        judged = ~np.isnan(labels)
        ideal = -np.sort(-labels, axis=1)  # NaN last
        highest = max(0.0, float(levels.max(initial=0.0)))
        gold = Gold(np.nan_to_num(ideal), ~np.isnan(ideal), highest, distinct=levels)
        lists = [self._lists(x, topic, labels, judged, gold) for x in self.rankings]
        measures = [self.here(m, topic) for m in self.measures]
        return np.stack([m.values(x)[:, 0] for m in measures for x in lists])

    def _lists(
        self, rankings: Rankings, topic: int, labels: Floats, judged: Bools, gold: Gold
    ) -> Lists:
        """A list of a topic, as often as there are versions of its labels."""
        hits = slice(*rankings.offsets[topic : topic + 2])
        own = rankings.items[hits] - self.collection.gold.judgments.offsets[topic]
        ranks = np.broadcast_to(rankings.ranks[hits], (len(labels), len(own)))
        length = np.full(len(labels), rankings.lengths[topic])
        level, there = np.nan_to_num(labels[:, own]), judged[:, own]
        return Lists(np.where(there, ranks, length[:, None] + 1), level, there, length, gold)
