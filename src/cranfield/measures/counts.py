"""Counts, and how much of a list was judged at all."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.base import Measure, cite, is_built_in, measure
from cranfield.measures.lists import Lists, to_floats, total
from cranfield.measures.parameters import param, rel_param
from cranfield.measures.sets import count_ranks, count_returned


class DescriptiveMeasure(Measure):
    """What a list or its judgments are like, not how good the list is."""

    better = "neither"
    effectiveness = False
    holds_under_ties = True

    def rewards_better_items(self) -> bool:
        return self.cutoff is None and is_built_in(type(self))


class Coverage(DescriptiveMeasure):
    """How much of a list the judgments know: of no run the merit, and true of every topic."""

    task = "whether a collection's judgments can be used for a run that was not pooled"


@measure
class Judged(Coverage):
    """The share of the items shown that were judged.

    Judged@l = judged items down to l / min(l, n), n the length of the list

    Low values say that the other scores rest on guesses: unjudged items count as nonrelevant.

    >>> (Judged @ 4)([1, None, 0])
    0.6666666666666666
    """

    references = cite("macavaney2022")

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("judged", total(x.J)), count_returned(x))


@measure
class Unjudged(Coverage):
    """The fraction of the ranks down to the cutoff that hold an unjudged item.

    Unjudged@l = unjudged items down to l / l;   without a cutoff, over the length of the list

    scope=topic is trec_eval's unj: items not judged for the topic. scope=collection is BEIR's Hole:
    items judged for no topic of the judgments, at most as many. If the list ends before l, the
    ranks below its end hold no item.

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
        """How many items down to the cutoff are judged, in the scope."""
        if self.scope == "topic":
            return total(x.J)
        judged = x.gold.judged_anywhere
        return to_floats([sum(doc in judged for doc in x.docs(t)) for t in range(len(x))])


class Count(DescriptiveMeasure):
    """A number of things: summed over topics, true whatever is relevant, and never best."""

    summary = "sum"
    range = "whole numbers"


class OrderFreeCount(Count):
    """A count that every order of a list has, at every cutoff."""

    def rewards_better_items(self) -> bool:
        return is_built_in(type(self))


@measure
class NumQ(OrderFreeCount):
    """The number of topics evaluated.

    >>> NumQ()([1])
    1.0
    """

    def score(self, x: Lists) -> Floats:
        return np.ones(len(x))


@measure
class NumRet(OrderFreeCount):
    """The number of items returned.

    >>> NumRet()([1, 0, None])
    3.0
    """

    def score(self, x: Lists) -> Floats:
        return count_returned(x)


@measure
class NumRel(OrderFreeCount):
    """R: the number of items known to be relevant.

    >>> NumRel()([1], judged=[1, 1, 0])
    2.0
    """

    rel: float | None = rel_param()

    def score(self, x: Lists) -> Floats:
        return x.R


@measure
class NumRelRet(Count):
    """The number of relevant items returned.

    >>> NumRelRet()([1, 0, 1])
    2.0
    """

    rel: float | None = rel_param()

    def score(self, x: Lists) -> Floats:
        return total(x.I)


@measure
class NumNonRelRet(Count):
    """The number of items returned that were judged nonrelevant.

    NumNonRelRet@l = judged items down to l − C(l)

    >>> NumNonRelRet()([1, 0, None])
    1.0
    """

    rel: float | None = rel_param()

    def score(self, x: Lists) -> Floats:
        return total(x.J) - total(x.I)


@measure
class NumJudgedRet(Count):
    """The number of items returned that were judged.

    NumJudgedRet@l = judged items down to l

    >>> NumJudgedRet()([1, 0, None])
    2.0
    """

    def score(self, x: Lists) -> Floats:
        return total(x.J)


@measure
class NumUnjudgedRet(Count):
    """The number of items returned that nobody judged.

    NumUnjudgedRet@l = min(l, n) − judged items down to l

    >>> NumUnjudgedRet()([1, 0, None])
    1.0
    """

    def score(self, x: Lists) -> Floats:
        return count_returned(x) - total(x.J)
