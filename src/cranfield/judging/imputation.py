"""Estimators for measures that are not sums, from a sample of documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evaluation.weighted import RelabelledLists
from cranfield.judging.estimates import ImputationEstimator
from cranfield.stats.imputation import Labels, compute_explained_variance, correct_scores, estimate_level_probabilities

Levels = Mapping[str, Mapping[str, float]]
Pair = tuple[str, str]  # topic and document


class _AuditDocuments(NamedTuple):
    """Documents of an audit, topic by topic, in the order of a collection."""

    topics: Ints  # evaluated topics
    offsets: Ints  # first document of each topic
    doc_indices: list[Ints]  # documents of the topic that are in the audit
    labels: Labels

    def get_docs(self, k: int) -> Ints:
        return np.arange(*self.offsets[k : k + 2])


def build_imputation_estimators(
    versions: RelabelledLists,
    runs: tuple[str, ...],
    people: Levels,
    judge: Levels,
    probabilities: Mapping[Pair, float],
    sampled: set[Pair],
    confidence: float,
    target: float | None,
) -> list[ImputationEstimator]:
    """Build the estimator of each measure from judge and human labels.

    `probabilities` has the documents of an audit with their drawing probabilities. `sampled` are
    the documents with human labels. Without the judge, all documents have the same judge label.
    """
    documents = _collect_documents(versions, people, judge, probabilities, sampled)
    judge_scores = _score_judge(versions, documents)
    with_judge = _compute_estimates(versions, documents, documents.labels)
    labels_without_judge = Labels(**{**vars(documents.labels), "judge": np.zeros_like(documents.labels.judge)})
    without = _compute_estimates(versions, documents, labels_without_judge)
    sampled_docs, p = documents.labels.sampled, documents.labels.probabilities
    explained_variance = compute_explained_variance(documents.labels, estimate_level_probabilities(documents.labels))
    estimators = []
    for k, m in enumerate(versions.measures):
        rows = slice(k * len(runs), (k + 1) * len(runs))
        (estimates, change), (by_people, human_changes) = (
            (scores[rows], x[rows][:, sampled_docs]) for scores, x in (with_judge, without)
        )
        estimators.append(
            ImputationEstimator(
                m.names()[0], runs, m.better == "lower", judge_scores[rows], change, human_changes,
                documents.labels.topic_of[sampled_docs], p[sampled_docs], p, confidence, target,
                estimates=estimates, by_people=by_people, explained=explained_variance,
            )
        )  # fmt: skip
    return estimators


def _collect_documents(
    versions: RelabelledLists, people: Levels, judge: Levels, probabilities: Mapping[Pair, float], sampled: set[Pair]
) -> _AuditDocuments:
    """Collect the audit documents and labels of evaluated topics."""
    collection = versions.collection
    topics = np.flatnonzero(collection.topic_mask)
    pairs, doc_indices = list[Pair](), list[Ints]()
    for t in topics.tolist():
        topic, docs = collection.topics[t], versions.list_docs(t)
        indices = [i for i, doc in enumerate(docs) if (topic, doc) in probabilities]
        doc_indices.append(np.array(indices, dtype=np.int64))
        pairs += [(topic, docs[i]) for i in indices]
    counts = np.array([len(x) for x in doc_indices])
    human_levels = [people[topic][doc] for topic, doc in pairs if (topic, doc) in sampled]
    values = np.unique(human_levels)
    place = {level: k for k, level in enumerate(values.tolist())}
    labels = Labels(
        np.repeat(np.arange(len(topics)), counts),
        np.array([judge.get(topic, {}).get(doc, 0.0) for topic, doc in pairs]),
        np.array([place[people[t][d]] if (t, d) in sampled else -1 for t, d in pairs]),
        values,
        np.array([probabilities[pair] for pair in pairs]),
    )
    return _AuditDocuments(topics, np.append(0, np.cumsum(counts)), doc_indices, labels)


def _compute_estimates(versions: RelabelledLists, documents: _AuditDocuments, labels: Labels) -> tuple[Floats, Floats]:
    """Return scores [measures × runs, topics] and their change by documents."""
    chance, scores, changes = estimate_level_probabilities(labels), list[Floats](), list[Floats]()
    for k, t in enumerate(documents.topics.tolist()):
        kept, width = documents.doc_indices[k], len(versions.list_docs(t))

        def score_labels(x: Floats, t: int = t, indices: Ints = kept, width: int = width) -> Floats:
            return versions.compute_scores(t, _expand_labels(x, indices, width), labels.values)

        of_topic, change = correct_scores(labels, chance, documents.get_docs(k), score_labels, k)
        scores.append(of_topic)
        changes.append(change)
    return np.stack(scores, axis=1), np.concatenate(changes, axis=1)


def _score_judge(versions: RelabelledLists, documents: _AuditDocuments) -> Floats:
    """Return the score of each topic by the judge only."""
    levels = np.unique(documents.labels.judge)
    rows = []
    for k, t in enumerate(documents.topics.tolist()):
        judge_labels = documents.labels.judge[documents.get_docs(k)][None, :]
        rows.append(
            versions.compute_scores(
                t, _expand_labels(judge_labels, documents.doc_indices[k], len(versions.list_docs(t))), levels
            )
        )
    return np.concatenate(rows, axis=1)


def _expand_labels(labels: Floats, indices: Ints, width: int) -> Floats:
    """Return labels of all documents of a topic, NaN outside the audit."""
    if len(indices) == width:
        return labels
    expanded = np.full((len(labels), width), np.nan)
    expanded[:, indices] = labels
    return expanded
