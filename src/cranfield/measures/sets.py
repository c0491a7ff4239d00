"""Set measures: how many of the items down to a cutoff are relevant."""

from __future__ import annotations

import numpy as np

from cranfield.labelling.blocks import Floats
from cranfield.measures.base import Measure, measure, rel_param
from cranfield.measures.lists import Lists, ratio, total


@measure
class P(Measure):
    """Precision: the share of the items shown that are relevant.

    P@l = C(l) / l

    P@l divides by l even if fewer items were returned; P without a cutoff divides by the number
    of items returned.

    >>> (P @ 10)([1, 0, 0, 1, 1, 1, 0, 0, 1, 1])  # seed 003, section 3
    0.6
    """

    rel: float | None = rel_param()
    references = ("vanrijsbergen1979",)
    task = "how good the first page is; ignores the order within it"

    def score(self, x: Lists) -> Floats:
        return ratio(total(x.I), x.n if x.l is None else x.l)


@measure
class Recall(Measure):
    """Recall: the share of the relevant items that are shown.

    Recall@l = C(l) / R

    >>> (Recall @ 2)([1, 0, 1], judged=[1, 1, 1, 1, 0])
    0.25
    """

    rel: float | None = rel_param()
    references = ("vanrijsbergen1979",)
    task = "whether a later stage, or a patient user, can find everything"

    def score(self, x: Lists) -> Floats:
        return ratio(total(x.I), x.R)


@measure
class Success(Measure):
    """Success (Hit): 1 if there is a relevant item down to the cutoff, else 0.

    Success@l = 1 if C(l) > 0, else 0

    >>> (Success @ 2)([0, 0, 1]), (Success @ 3)([0, 0, 1])
    (0.0, 1.0)
    """

    rel: float | None = rel_param()
    references = ("sakai2011ntcireval",)
    task = "one answer is enough: question answering, known-item search, retrieval for RAG"

    def score(self, x: Lists) -> Floats:
        return np.minimum(total(x.I), 1.0)
