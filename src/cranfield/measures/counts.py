"""Counts, and how much of a list was judged at all."""

from __future__ import annotations

import numpy as np

from cranfield.labelling.blocks import Floats
from cranfield.measures.base import Measure, measure, rel_param
from cranfield.measures.lists import Lists, ratio, total


@measure
class Judged(Measure):
    """The share of the items shown that were judged.

    Judged@l = judged items down to l / min(l, n), n the length of the list

    Low values say that the other scores rest on guesses: unjudged items count as nonrelevant.

    >>> (Judged @ 4)([1, None, 0])
    0.6666666666666666
    """

    better = "neither"
    effectiveness = False
    references = ("macavaney2022",)
    task = "whether a collection's judgments can be used for a run that was not pooled"

    def score(self, x: Lists) -> Floats:
        return ratio(total(x.judged), x.n if x.l is None else np.minimum(x.n, x.l))


class Count(Measure):
    """A number of things: summed over topics, true whatever is relevant, and never best."""

    summary = "sum"
    better = "neither"
    effectiveness = False
    range = "whole numbers"


@measure
class NumQ(Count):
    """The number of topics evaluated.

    >>> NumQ()([1])
    1.0
    """

    def score(self, x: Lists) -> Floats:
        return np.ones(len(x))


@measure
class NumRet(Count):
    """The number of items returned.

    >>> NumRet()([1, 0, None])
    3.0
    """

    def score(self, x: Lists) -> Floats:
        return (x.n if x.l is None else np.minimum(x.n, x.l)).astype(np.float64)


@measure
class NumRel(Count):
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
