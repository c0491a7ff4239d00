"""Scores of any measure from judge labels of all and human labels of some.

The score of a ranking by nDCG or AP is not a sum over documents, because a label also changes the
ideal ranking. Human labels of documents that were not sampled are therefore imputed. They are drawn
from the human labels of documents with the same judge label, at similar ranks, and in the same
topic. The mean score is then corrected by the effect of the sampled documents, weighted by their
inclusion probabilities.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.stats.resampling import create_generator

__all__: list[str] = []

Score = Callable[[Floats], Floats]  # labels [versions, documents] -> scores [rankings, versions]
DRAWS = 100  # completions of the labels of each topic
ROWS = 20_000  # completions scored together
QUARTERS = 4  # of the probabilities, which depend on the ranks of documents
MAX_LABELS = 10  # distinct judge labels; more are grouped
PRIOR_ALL, PRIOR_LABEL, PRIOR_CELL, PRIOR_TOPIC = (
    1.0,
    2.0,
    4.0,
    1.0,
)  # weights of the priors, in documents


@dataclass(frozen=True, eq=False)
class Labels:
    """Documents with judge labels of all and human labels of a sample."""

    topic_of: Ints
    judge: Floats
    people: Ints  # index in `values`; −1 if not sampled
    values: Floats  # the human levels, ascending
    probabilities: Floats

    @property
    def sampled(self) -> Ints:
        """Documents with a human label."""
        return np.flatnonzero(self.people >= 0)


def estimate_level_probabilities(labels: Labels) -> Floats:
    """Estimate probabilities of human levels, [documents, values].

    Documents with the same judge label and of the same quarter of probabilities have the largest
    influence. If there are few, all documents with that label count more, then all documents.
    Finally the odds of relevance are multiplied by (observed + 1)/(expected + 1) relevant documents
    of the sample in the topic.
    """
    counts = np.zeros((len(labels.people), len(labels.values)))
    sampled = labels.sampled
    counts[sampled, labels.people[sampled]] = 1.0 / labels.probabilities[sampled]
    is_sampled = (labels.people >= 0).astype(np.float64)
    label = _group_values(labels.judge, MAX_LABELS)
    cell = label * QUARTERS + _group_values(labels.probabilities, QUARTERS)
    probabilities = np.full(counts.shape, 1.0 / counts.shape[1])
    for group, strength in (
        (np.zeros_like(label), PRIOR_ALL),
        (label, PRIOR_LABEL),
        (cell, PRIOR_CELL),
    ):
        group_counts, count = _sum_others(counts, group), _sum_others(is_sampled[:, None], group)
        total = group_counts.sum(axis=1, keepdims=True)
        share = np.divide(group_counts, total, out=np.zeros_like(group_counts), where=count > 0)
        probabilities = (count * share + strength * probabilities) / (count + strength)
    relevant = labels.values > 0
    expected = probabilities[:, relevant].sum(axis=1)
    observed = counts[:, relevant].any(axis=1).astype(np.float64)
    sums = [_sum_others((is_sampled * x)[:, None], labels.topic_of)[:, 0] for x in (observed, expected)]
    odds = (sums[0] + PRIOR_TOPIC) / (sums[1] + PRIOR_TOPIC)
    probabilities = probabilities * np.where(relevant, odds[:, None], 1.0)
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))


def compute_explained_variance(labels: Labels, chance: Floats) -> float:
    """Return the explained fraction of the variance of human levels."""
    sampled = labels.sampled
    weight, level = 1.0 / labels.probabilities[sampled], labels.values[labels.people[sampled]]
    mean = float(weight @ level / weight.sum())
    residual, total = (weight @ (level - x) ** 2 for x in (chance[sampled] @ labels.values, mean))
    return float(1.0 - residual / total) if total > 0 else 1.0


def _group_values(x: Floats, max_groups: int) -> Ints:
    """Number the distinct values, or quantile groups of many values."""
    values, group = np.unique(x, return_inverse=True)
    if len(values) <= max_groups:
        return group.reshape(-1)
    return np.searchsorted(np.quantile(x, np.arange(1, max_groups) / max_groups), x, side="left")


def _sum_others(x: Floats, group: Ints) -> Floats:
    """Return the sums over all other documents of the same group."""
    sums = np.zeros((int(group.max(initial=0)) + 1, x.shape[1]))
    np.add.at(sums, group, x)
    return np.maximum(sums[group] - x, 0.0)


def correct_scores(labels: Labels, chance: Floats, docs: Ints, score: Score, stream: int) -> tuple[Floats, Floats]:
    """Compute the scores of a topic, and the effect of each document on them.

    `docs` are the documents of the topic. The scores are the mean over completions of the labels
    plus Σ_sampled (1 − π)/π · effect. The effect of a document is the increase of the scores if its
    imputed label is replaced by its human label. Returns [rankings] and [rankings, documents].
    """
    rng = create_generator(0, stream)
    people, p = labels.people[docs], labels.probabilities[docs]
    levels = np.cumsum(chance[docs], axis=1)[:, :-1]
    imputed = (rng.random((DRAWS, len(docs), 1)) > levels).sum(axis=2)
    completed = np.where(people >= 0, people, imputed)
    scores = score(labels.values[completed])
    change = np.zeros((len(scores), len(docs)))
    version, column = np.nonzero((completed != imputed) & (p < 1))
    for start in range(0, len(version), ROWS):
        row, doc = version[start : start + ROWS], column[start : start + ROWS]
        changed = completed[row]
        changed[np.arange(len(row)), doc] = imputed[row, doc]
        more = scores[:, row] - score(labels.values[changed])
        change += [np.bincount(doc, x, minlength=len(docs)) for x in more]
    change /= DRAWS
    return scores.mean(axis=1) + change @ ((1.0 - p) / p), change
