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
from cranfield.stats.resampling import generator

__all__: list[str] = []

Score = Callable[[Floats], Floats]  # labels [versions, documents] -> scores [lists, versions]
DRAWS = 100  # completions of the labels of each topic
ROWS = 20_000  # of labels that are scored at a time
QUARTERS = 4  # of the probabilities, which follow the ranks that documents have
MANY = 10  # different labels of a judge; more are put together
OF_ALL, OF_LABEL, OF_CELL, OF_TOPIC = 1.0, 2.0, 4.0, 1.0  # documents that priors count as


@dataclass(frozen=True, eq=False)
class Labels:
    """Documents of some topics: what the judge says of all, and people of those that were drawn."""

    topic_of: Ints
    judge: Floats
    people: Ints  # which of `values`; −1 where it was not drawn
    values: Floats  # the levels that people gave, ascending
    probabilities: Floats

    @property
    def drawn(self) -> Ints:
        """Which documents people labelled."""
        return np.flatnonzero(self.people >= 0)


def chances(labels: Labels) -> Floats:
    """How probable each level is by people, [documents, values], from what they said of others.

    Documents with the same label of the judge and of the same quarter of probabilities are asked
    first; where they are few, all with that label, and all; then the odds of relevance are
    multiplied by (observed + 1)/(expected + 1) relevant documents of those drawn in the topic.
    """
    own = np.zeros((len(labels.people), len(labels.values)))
    drawn = labels.drawn
    own[drawn, labels.people[drawn]] = 1.0 / labels.probabilities[drawn]
    one = (labels.people >= 0).astype(np.float64)
    label = _grouped(labels.judge, MANY)
    cell = label * QUARTERS + _grouped(labels.probabilities, QUARTERS)
    found = np.full(own.shape, 1.0 / own.shape[1])
    for group, strength in ((np.zeros_like(label), OF_ALL), (label, OF_LABEL), (cell, OF_CELL)):
        said, count = _of_others(own, group), _of_others(one[:, None], group)
        share = np.divide(said, said.sum(axis=1, keepdims=True), out=np.zeros_like(said),
                          where=count > 0)  # fmt: skip
        found = (count * share + strength * found) / (count + strength)
    relevant = labels.values > 0
    expected = found[:, relevant].sum(axis=1)
    seen = own[:, relevant].any(axis=1).astype(np.float64)
    sums = [_of_others((one * x)[:, None], labels.topic_of)[:, 0] for x in (seen, expected)]
    odds = (sums[0] + OF_TOPIC) / (sums[1] + OF_TOPIC)
    found = found * np.where(relevant, odds[:, None], 1.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def explained(labels: Labels, chance: Floats) -> float:
    """How much of the variance of people's levels is told by what is known of other documents."""
    drawn = labels.drawn
    weight, level = 1.0 / labels.probabilities[drawn], labels.values[labels.people[drawn]]
    mean = float(weight @ level / weight.sum())
    left, every = (weight @ (level - x) ** 2 for x in (chance[drawn] @ labels.values, mean))
    return float(1.0 - left / every) if every > 0 else 1.0


def _grouped(x: Floats, most: int) -> Ints:
    """Equal values have a number in common; where they are many, neighbours have, too."""
    values, group = np.unique(x, return_inverse=True)
    if len(values) <= most:
        return group.reshape(-1)
    return np.searchsorted(np.quantile(x, np.arange(1, most) / most), x, side="left")


def _of_others(x: Floats, group: Ints) -> Floats:
    """The sums over all documents of a group, without that of the document itself."""
    sums = np.zeros((int(group.max(initial=0)) + 1, x.shape[1]))
    np.add.at(sums, group, x)
    return np.maximum(sums[group] - x, 0.0)


def corrected(
    labels: Labels, chance: Floats, docs: Ints, score: Score, stream: int
) -> tuple[Floats, Floats]:
    """The scores of the lists of a topic, and what each of its documents changes in them.

    `docs` are the documents of the topic. The scores are the mean over completions of the labels
    plus Σ_drawn (1 − π)/π · (what the document changes): how much higher scores are with people's
    label of it than with one that is drawn as if it were not known. [lists], [lists, documents].
    """
    rng = generator(0, stream)
    people, p = labels.people[docs], labels.probabilities[docs]
    levels = np.cumsum(chance[docs], axis=1)[:, :-1]
    drawn = (rng.random((DRAWS, len(docs), 1)) > levels).sum(axis=2)
    completed = np.where(people >= 0, people, drawn)
    scores = score(labels.values[completed])
    change = np.zeros((len(scores), len(docs)))
    which, column = np.nonzero((completed != drawn) & (p < 1))
    for start in range(0, len(which), ROWS):
        row, doc = which[start : start + ROWS], column[start : start + ROWS]
        other = completed[row]
        other[np.arange(len(row)), doc] = drawn[row, doc]
        more = scores[:, row] - score(labels.values[other])
        change += [np.bincount(doc, x, minlength=len(docs)) for x in more]
    change /= DRAWS
    return scores.mean(axis=1) + change @ ((1.0 - p) / p), change
