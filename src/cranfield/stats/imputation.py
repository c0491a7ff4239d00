"""A judge of everything and people of a random sample, where scores are no sums of labels.

Of nDCG or AP the score of a list is no sum of what its documents are worth: a label changes the
ideal list, too. What people would have said of the documents that were not drawn is drawn from what
they said of others with the same label of the judge, at similar ranks, and in the same topic; and
the mean of the scores is corrected by how much the documents that were drawn change it, each
counted as many times as documents of its probability were left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.stats.resampling import create_generator

__all__: list[str] = []

Score = Callable[[Floats], Floats]  # labels [versions, documents] -> scores [lists, versions]
DRAWS = 100  # completions of the labels of each topic
ROWS = 20_000  # of labels that are scored at a time
QUARTERS = 4  # of the probabilities, which follow the ranks that documents have
MAX_LABELS = 10  # different labels of a judge; more are put together
PRIOR_ALL, PRIOR_LABEL, PRIOR_CELL, PRIOR_TOPIC = (
    1.0,
    2.0,
    4.0,
    1.0,
)  # documents that priors count as


@dataclass(frozen=True, eq=False)
class Labels:
    """Documents of some topics: what the judge says of all, and people of those that were drawn."""

    topic_of: Ints
    judge: Floats
    people: Ints  # which of `values`; −1 where it was not drawn
    values: Floats  # the levels that people gave, ascending
    probabilities: Floats

    @property
    def sampled(self) -> Ints:
        """Which documents people labelled."""
        return np.flatnonzero(self.people >= 0)


def estimate_level_probabilities(labels: Labels) -> Floats:
    """How probable each level is by people, [documents, values], from what they said of others.

    Documents with the same label of the judge and of the same quarter of probabilities are asked
    first; where they are few, all with that label, and all; then the odds of relevance are
    multiplied by (observed + 1)/(expected + 1) relevant documents of those drawn in the topic.
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
        share = np.divide(group_counts, group_counts.sum(axis=1, keepdims=True), out=np.zeros_like(group_counts),
                          where=count > 0)  # fmt: skip
        probabilities = (count * share + strength * probabilities) / (count + strength)
    relevant = labels.values > 0
    expected = probabilities[:, relevant].sum(axis=1)
    observed = counts[:, relevant].any(axis=1).astype(np.float64)
    sums = [
        _sum_others((is_sampled * x)[:, None], labels.topic_of)[:, 0] for x in (observed, expected)
    ]
    odds = (sums[0] + PRIOR_TOPIC) / (sums[1] + PRIOR_TOPIC)
    probabilities = probabilities * np.where(relevant, odds[:, None], 1.0)
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))


def compute_explained_variance(labels: Labels, chance: Floats) -> float:
    """How much of the variance of people's levels is told by what is known of other documents."""
    sampled = labels.sampled
    weight, level = 1.0 / labels.probabilities[sampled], labels.values[labels.people[sampled]]
    mean = float(weight @ level / weight.sum())
    residual, total = (weight @ (level - x) ** 2 for x in (chance[sampled] @ labels.values, mean))
    return float(1.0 - residual / total) if total > 0 else 1.0


def _group_values(x: Floats, max_groups: int) -> Ints:
    """Equal values have a number in common; where they are many, neighbours have, too."""
    values, group = np.unique(x, return_inverse=True)
    if len(values) <= max_groups:
        return group.reshape(-1)
    return np.searchsorted(np.quantile(x, np.arange(1, max_groups) / max_groups), x, side="left")


def _sum_others(x: Floats, group: Ints) -> Floats:
    """The sums over all documents of a group, without that of the document itself."""
    sums = np.zeros((int(group.max(initial=0)) + 1, x.shape[1]))
    np.add.at(sums, group, x)
    return np.maximum(sums[group] - x, 0.0)


def correct_scores(
    labels: Labels, chance: Floats, docs: Ints, score: Score, stream: int
) -> tuple[Floats, Floats]:
    """The scores of the lists of a topic, and what each of its documents changes in them.

    `docs` are the documents of the topic. The scores are the mean over completions of the labels
    plus Σ_drawn (1 − π)/π · (what the document changes): how much higher scores are with people's
    label of it than with one that is drawn as if it were not known. [lists], [lists, documents].
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
