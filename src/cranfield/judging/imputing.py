"""Measures that are no sums, from a judge's labels of all documents and people's of a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evaluation.weighted import Relabelled
from cranfield.judging.estimates import ByImputation
from cranfield.stats.imputed import Labels, chances, corrected, explained

Levels = Mapping[str, Mapping[str, float]]
Pair = tuple[str, str]  # topic and document


class _Sampled(NamedTuple):
    """The documents of an audit, topic by topic, in the order of a collection."""

    topics: Ints  # those that count
    offsets: Ints  # where the documents of each begin
    kept: list[Ints]  # which documents of the topic are in the audit
    labels: Labels

    def docs(self, k: int) -> Ints:
        return np.arange(*self.offsets[k : k + 2])


def imputed(
    versions: Relabelled,
    runs: tuple[str, ...],
    people: Levels,
    judge: Levels,
    known: Mapping[Pair, float],
    sampled: set[Pair],
    confidence: float,
    target: float | None,
) -> list[ByImputation]:
    """Each measure of the versions, by the judge and people, by people, and by the judge alone.

    `known` are the documents of an audit, with the probability of each, and `sampled` those that
    people labelled. Without the judge, all documents have the same label of it.
    """
    found = _documents(versions, people, judge, known, sampled)
    alone = _alone(versions, found)
    with_judge = _estimates(versions, found, found.labels)
    blind = Labels(**{**vars(found.labels), "judge": np.zeros_like(found.labels.judge)})
    without = _estimates(versions, found, blind)
    drawn, p = found.labels.drawn, found.labels.probabilities
    told = explained(found.labels, chances(found.labels))
    made = []
    for k, m in enumerate(versions.measures):
        rows = slice(k * len(runs), (k + 1) * len(runs))
        (estimates, change), (by_people, said) = (
            (scores[rows], x[rows][:, drawn]) for scores, x in (with_judge, without)
        )
        made.append(
            ByImputation(
                m.names()[0], runs, m.better == "lower", alone[rows], change, said,
                found.labels.topic_of[drawn], p[drawn], p, confidence, target,
                estimates=estimates, by_people=by_people, explained=told,
            )
        )  # fmt: skip
    return made


def _documents(
    versions: Relabelled,
    people: Levels,
    judge: Levels,
    known: Mapping[Pair, float],
    sampled: set[Pair],
) -> _Sampled:
    """The documents of the audit of the topics that count, and their labels."""
    collection = versions.collection
    topics = np.flatnonzero(collection.chosen)
    pairs, kept = list[Pair](), list[Ints]()
    for t in topics.tolist():
        topic, docs = collection.topics[t], versions.docs(t)
        there = [i for i, doc in enumerate(docs) if (topic, doc) in known]
        kept.append(np.array(there, dtype=np.int64))
        pairs += [(topic, docs[i]) for i in there]
    counts = np.array([len(x) for x in kept])
    said = [people[topic][doc] for topic, doc in pairs if (topic, doc) in sampled]
    values = np.unique(said)
    place = {level: k for k, level in enumerate(values.tolist())}
    labels = Labels(
        np.repeat(np.arange(len(topics)), counts),
        np.array([judge.get(topic, {}).get(doc, 0.0) for topic, doc in pairs]),
        np.array([place[people[t][d]] if (t, d) in sampled else -1 for t, d in pairs]),
        values,
        np.array([known[pair] for pair in pairs]),
    )
    return _Sampled(topics, np.append(0, np.cumsum(counts)), kept, labels)


def _estimates(versions: Relabelled, found: _Sampled, labels: Labels) -> tuple[Floats, Floats]:
    """The scores of each topic, [measures × runs, topics], and what each document changes."""
    chance, scores, changes = chances(labels), list[Floats](), list[Floats]()
    for k, t in enumerate(found.topics.tolist()):
        kept, width = found.kept[k], len(versions.docs(t))

        def score(x: Floats, t: int = t, kept: Ints = kept, width: int = width) -> Floats:
            return versions.scores(t, _spread(x, kept, width), labels.values)

        of_topic, change = corrected(labels, chance, found.docs(k), score, k)
        scores.append(of_topic)
        changes.append(change)
    return np.stack(scores, axis=1), np.concatenate(changes, axis=1)


def _alone(versions: Relabelled, found: _Sampled) -> Floats:
    """The scores of each topic by the judge alone."""
    levels = np.unique(found.labels.judge)
    rows = []
    for k, t in enumerate(found.topics.tolist()):
        own = found.labels.judge[found.docs(k)][None, :]
        rows.append(versions.scores(t, _spread(own, found.kept[k], len(versions.docs(t))), levels))
    return np.concatenate(rows, axis=1)


def _spread(labels: Floats, kept: Ints, width: int) -> Floats:
    """Labels of some documents of a topic, NaN of the others."""
    if len(kept) == width:
        return labels
    every = np.full((len(labels), width), np.nan)
    every[:, kept] = labels
    return every
