"""Counts, and how much of a list was judged at all."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.base import Measure, cite, measure
from cranfield.measures.lists import Lists, total
from cranfield.measures.parameters import rel_param
from cranfield.measures.sets import returned, shown_items


class Descriptive(Measure):
    """What a list or its judgments are like, not how good the list is."""

    better = "neither"
    effectiveness = False
    holds_under_ties = True


class Coverage(Descriptive):
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
        return x.ratio(x.step("judged", total(x.J)), returned(x))


@measure
class Unjudged(Coverage):
    """The share of the ranks down to the cutoff that hold an item nobody judged.

    Unjudged@l = unjudged items down to l / l;   without a cutoff, over the length of the list

    trec_eval's unj. Where the list ends before l there is no item, judged or not. BEIR's Hole has
    the items that were judged for no topic at all, and so at most as many.

    >>> (Unjudged @ 4)([1, None, 0])
    0.25
    """

    references = cite("buckley2005")

    def score(self, x: Lists) -> Floats:
        return x.ratio(returned(x) - x.step("judged", total(x.J)), shown_items(x))


class Count(Descriptive):
    """A number of things: summed over topics, true whatever is relevant, and never best."""

    summary = "sum"
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
        return returned(x)


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
        return returned(x) - total(x.J)
