"""The equations of measures, with the divisors and ideal rankings of other tools.

A formula returns the numerator and the divisor of each topic. It sees levels as gains, so that
gains, thresholds and negative levels are handled once, in `scoring`. Measures without a formula
here are computed by their class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.measures.dcg import DISCOUNTS
from cranfield.measures.lists import Lists, to_floats, total

Conventions: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Topics:
    """The rankings and the judgments of all topics as gains."""

    m: Any
    x: Lists  # the rankings to the cutoff
    n: Ints  # lengths of the complete rankings
    ideal: Floats  # [topics, items] gains of judged documents, falling
    list_retrieved: Callable[[], Floats]  # [topics, items] gains of judged documents of the ranking, falling
    conventions: Conventions

    @cached_property
    def retrieved(self) -> Floats:
        """The gains of judged documents of the complete ranking, falling."""
        return self.list_retrieved()

    @property
    def k(self) -> float:
        """The cutoff, or infinity."""
        return np.inf if self.m.cutoff is None else float(self.m.cutoff)

    @property
    def R(self) -> Floats:
        """The number of relevant documents."""
        return to_floats((self.ideal > 0).sum(axis=1))

    @property
    def R_retrieved(self) -> Floats:
        """The number of relevant documents of the ranking."""
        return to_floats((self.retrieved > 0).sum(axis=1))

    @property
    def relevant(self) -> Floats:
        """The number of relevant documents in the input of the tool."""
        return self.R_retrieved if self.conventions["tool-knows"] == "ranking" else self.R


Formula: TypeAlias = Callable[[Topics], tuple[Floats, Floats]]


def floor_decimals(values: Any, decimals: int) -> Floats:
    """Return the values cut after some decimals. A difference by rounding is no digit."""
    return to_floats(np.floor(np.asarray(values) * 10.0**decimals + 1e-9) / 10.0**decimals)


def divide_dcg(t: Topics) -> tuple[Floats, Floats]:
    """Return DCG and the DCG of the ideal ranking."""
    discount: Callable[[Ints, float], Any] = DISCOUNTS[t.conventions["discount"]]
    floored = t.conventions.get("terms") == "floor-2"

    def sum_terms(gain: Floats, rank: Ints) -> Floats:
        terms = gain / to_floats(discount(np.maximum(rank, 1), t.m.b))
        return total(floor_decimals(terms, 2) if floored else terms)

    ideal = t.conventions["ideal"]
    gains = t.retrieved if ideal == "retrieved@k" else t.ideal
    if t.m.gain == "raw":  # cranfield's ideal ranking has no harmful documents
        gains = np.maximum(gains, 0.0)
    if ideal != "judged" and t.m.cutoff is not None:
        gains = gains[:, : t.m.cutoff]
    rank = np.arange(1, gains.shape[1] + 1)[None, :]
    last = np.full((len(gains), 1), np.inf if ideal == "judged" else t.k)
    if ideal == "length":
        last = np.minimum(t.n[:, None], t.k)
    return sum_terms(t.x.g, t.x.r), sum_terms(np.where(rank <= last, gains, 0.0), rank)


def divide_precisions(t: Topics) -> tuple[Floats, Floats]:
    """Return the sum of precisions at relevant documents, and its divisor."""
    divisors: dict[str, Callable[[], Floats]] = {
        "R": lambda: t.R,
        "min": lambda: np.minimum(t.R, t.k),
        "found": lambda: total(t.x.I),
        "retrieved": lambda: t.R_retrieved,
        "min-retrieved": lambda: np.minimum(t.R_retrieved, t.k),
    }
    return total(t.x.I * t.x.C / np.maximum(t.x.r, 1)), divisors[t.conventions["AP-over"]]()


def divide_by_ranks(t: Topics) -> tuple[Floats, Floats]:
    """Return the number of relevant documents up to the cutoff, and the number of ranks."""
    length = t.conventions["P-over"] == "length" or t.m.cutoff is None
    return total(t.x.I), to_floats(np.minimum(t.n, t.k) if length else np.full(len(t.n), t.k))


def divide_by_relevant(t: Topics) -> tuple[Floats, Floats]:
    """Return the number of relevant documents up to the cutoff, and R."""
    divisors = {"R": t.R, "min": np.minimum(t.R, t.k), "retrieved": t.R_retrieved}
    return total(t.x.I), divisors[t.conventions["Recall-over"]]


def invert_rank(t: Topics) -> tuple[Floats, Floats]:
    """Return the reciprocal rank of the first relevant document, and 1."""
    return total(t.x.first / np.maximum(t.x.r, 1)), np.ones(len(t.n))


def find_any(t: Topics) -> tuple[Floats, Floats]:
    """Return 1 if a document up to the cutoff is relevant, and 1."""
    return np.minimum(total(t.x.first), 1.0), np.ones(len(t.n))


FORMULAS: dict[str, Formula] = {
    "nDCG": divide_dcg,
    "AP": divide_precisions,
    "P": divide_by_ranks,
    "SetP": divide_by_ranks,
    "Recall": divide_by_relevant,
    "SetRecall": divide_by_relevant,
    "RelP": divide_by_relevant,
    "RR": invert_rank,
    "Success": find_any,
}
"""The formulas of the measures that tools define differently, by the name of the class."""
