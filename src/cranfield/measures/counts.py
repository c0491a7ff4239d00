"""Counts, and the judged fraction of a list."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.base import Measure, cite, is_built_in, measure
from cranfield.measures.lists import Lists, to_floats, total
from cranfield.measures.parameters import param, rel_param
from cranfield.measures.sets import count_ranks, count_returned


class DescriptiveMeasure(Measure):
    """A property of a list or its judgments, not its quality."""

    better = "neither"
    effectiveness = False
    holds_under_ties = True

    def rewards_better_items(self) -> bool:
        return self.cutoff is None and is_built_in(type(self))


class Coverage(DescriptiveMeasure):
    """The coverage of a list by judgments, defined for every topic."""

    task = "checking if judgments can be used for a run that was not pooled"


@measure
class Judged(Coverage):
    """Judged fraction of the items up to the cutoff.

    Judged@l = judged items up to l / min(l, n), n the length of the list

    If it is low, other scores are uncertain, because unjudged items count as nonrelevant.

    >>> (Judged @ 4)([1, None, 0])
    0.6666666666666666
    """

    references = cite("macavaney2022")

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("judged", total(x.J)), count_returned(x))


@measure
class Unjudged(Coverage):
    """Fraction of the ranks up to the cutoff with an unjudged item.

    Unjudged@l = unjudged items up to l / l;   without a cutoff, divided by the length of the list

    scope=topic is trec_eval's unj: items not judged for the topic. scope=collection is BEIR's Hole:
    items not judged for any topic, a subset of the former. If the list ends before l, the ranks
    below its end are empty.

    >>> (Unjudged @ 4)([1, None, 0])
    0.25
    >>> import cranfield as cf
    >>> qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": ["a", "b", "c"], "2": ["b"]}
    >>> cf.evaluate(qrels, run, "Unjudged@4 Hole@4").values[0].tolist()
    [[0.5, 0.25], [0.0, 0.0]]
    """

    scope: str = param("topic", "judged for the topic, or for any topic (BEIR's Hole)",
                       choices=("topic", "collection"))  # fmt: skip

    references = cite("buckley2005", "thakur2021")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "needs_documents", self.scope == "collection")

    def exact_under_ties(self) -> bool:
        return self.scope == "topic"

    def score(self, x: Lists) -> Floats:
        return x.ratio(count_returned(x) - x.step("judged", self._count_judged(x)), count_ranks(x))

    def _count_judged(self, x: Lists) -> Floats:
        """Return the number of judged items up to the cutoff, in the scope."""
        if self.scope == "topic":
            return total(x.J)
        judged = x.gold.judged_anywhere
        return to_floats([sum(doc in judged for doc in x.docs(t)) for t in range(len(x))])


class Count(DescriptiveMeasure):
    """A count, summed over topics. No run is best."""

    summary = "sum"
    range = "whole numbers"


class OrderFreeCount(Count):
    """A count that does not depend on the order of a list, at any cutoff."""

    def rewards_better_items(self) -> bool:
        return is_built_in(type(self))


@measure
class NumQ(OrderFreeCount):
    """The number of evaluated topics.

    >>> NumQ()([1])
    1.0
    """

    def score(self, x: Lists) -> Floats:
        return np.ones(len(x))


@measure
class NumRet(OrderFreeCount):
    """The number of returned items.

    >>> NumRet()([1, 0, None])
    3.0
    """

    def score(self, x: Lists) -> Floats:
        return count_returned(x)


@measure
class NumRel(OrderFreeCount):
    """R: the number of items judged relevant.

    >>> NumRel()([1], judged=[1, 1, 0])
    2.0
    """

    rel: float | None = rel_param()

    def score(self, x: Lists) -> Floats:
        return x.R


@measure
class NumRelRet(Count):
    """The number of returned items that are relevant.

    >>> NumRelRet()([1, 0, 1])
    2.0
    """

    rel: float | None = rel_param()

    def score(self, x: Lists) -> Floats:
        return total(x.I)


@measure
class NumNonRelRet(Count):
    """The number of returned items that are judged nonrelevant.

    NumNonRelRet@l = judged items up to l − C(l)

    >>> NumNonRelRet()([1, 0, None])
    1.0
    """

    rel: float | None = rel_param()

    def score(self, x: Lists) -> Floats:
        return total(x.J) - total(x.I)


@measure
class NumJudgedRet(Count):
    """The number of returned items that are judged.

    NumJudgedRet@l = judged items up to l

    >>> NumJudgedRet()([1, 0, None])
    2.0
    """

    def score(self, x: Lists) -> Floats:
        return total(x.J)


@measure
class NumUnjudgedRet(Count):
    """The number of returned items that are unjudged.

    NumUnjudgedRet@l = min(l, n) − judged items up to l

    >>> NumUnjudgedRet()([1, 0, None])
    1.0
    """

    def score(self, x: Lists) -> Floats:
        return count_returned(x) - total(x.J)
