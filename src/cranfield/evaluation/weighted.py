"""Scores that are sums, taken apart: what each document adds, by two sets of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.qrels import read_qrels
from cranfield.data.run import Run, with_each
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import Labelled
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.notices import deepest
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.measures.bounds import SUMS, is_sum, terms_of
from cranfield.measures.lists import total

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
    topic_of: Ints
    kept: Bools  # which of the sampled documents these are: those of topics that count
    lower_is_better: bool


def weighted(
    judge: Levels,
    people: Levels,
    sampled: Pairs,
    runs: RunsLike,
    measures: Any,
    known: set[tuple[str, str]],
    **options: Any,
) -> list[Weighted]:
    """What documents that people labelled, too, add to the scores of runs, measure by measure.

    `known` are the documents that could be sampled: a measure may look at no others.
    """
    both = _highest(judge, people, sampled)
    evaluator = Evaluator(read_qrels(both), measures, **options)
    evaluator.options.refuse_expected()
    for m in evaluator.measures:
        if not is_sum(m):
            expected = f"a measure that is a sum, with an audit: {', '.join(SUMS)}"
            raise InputError(str(m), expected)
    if evaluator.collection.intents is not None or not evaluator.collection.counting.plain:
        raise InputError("intents, classes or groups of documents", "none with an audit")

    def read(each: Sequence[Run]) -> list[Labelled]:
        labelled = [evaluator.collection.label(run) for run in each]
        for one in labelled:
            evaluator.collection.refuse_stranger(one)
            _refuse_unknown(evaluator, one, known)
        return labelled

    labelled = with_each(evaluator.read(runs), read)
    added = _Added(evaluator, judge, people, sampled)
    return [added.by(m, labelled) for m in evaluator.measures]


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


class _Added:
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
        judged, change, said = (np.stack(x) for x in zip(*found, strict=True))
        number = np.cumsum(chosen) - 1
        of_chosen = chosen[self.topic_of]
        return Weighted(
            m.names()[0],
            tuple(one.run.name for one in labelled),
            tuple(t for t, kept in zip(self.collection.topics, chosen, strict=True) if kept),
            judged[:, chosen],
            change[:, of_chosen],
            said[:, of_chosen],
            number[self.topic_of][of_chosen],
            of_chosen,
            m.better == "lower",
        )

    def _run(self, m: Measure, rankings: Rankings) -> tuple[Floats, Floats, Floats]:
        """Scores by the judge, and what sampled documents add more, and in all, by people."""
        judged = np.zeros(len(self.collection.topics))
        change, said = np.zeros((2, self.sampled))
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
        return judged, change, said
