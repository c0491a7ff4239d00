"""Audit orders: documents in judging order, with their inclusion probabilities.

Text: ``topic doc probability draw``. The documents up to any place in the order are a random
sample.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.reading.cells import Layout, get_location, read_lines
from cranfield.data.reading.columns import SPELLINGS, TOPICS
from cranfield.dataclass import dataclass

AuditLike: TypeAlias = Any  # a path, an AuditOrder, a frame or tuples

LAYOUT = Layout(
    (("topic", "doc", "probability", "draw"), ("topic", "doc", "probability", "draw", "to_judge")),
    ("topic", "doc", "probability", "draw"),
    {
        "topic": TOPICS,
        "doc": SPELLINGS["doc"],
        "probability": ("probability", "inclusion_probability", "pi", "p"),
        "draw": ("draw",),
        "to_judge": ("to_judge",),
    },
    table="audit",
)


@dataclass(frozen=True, eq=False)
class AuditOrder:
    """Documents in the order of their draws.

    A draw is a uniform random number in [0, 1) divided by the probability π. Documents with a draw
    below 1 are the sample. For another bound c, documents with a draw below c were drawn with
    probability min(1, c·π).
    """

    pairs: tuple[tuple[str, str], ...]  # topic and document
    probabilities: Floats
    draws: Floats
    where: str = "audit"

    def __len__(self) -> int:
        return len(self.pairs)

    def compute_probabilities(self, count: int) -> Floats:
        """Return inclusion probabilities if the first `count` documents are judged.

        The bound is the draw of the next document, unless the `count` documents are exactly those
        with a draw below 1.
        """
        if count == int(np.count_nonzero(self.draws < 1)):
            return self.probabilities
        bound = self.draws[count] if count < len(self) else math.inf
        return np.minimum(1.0, bound * self.probabilities)


def read_audit(data: AuditLike) -> AuditOrder:
    """Read an audit from a path, a frame or tuples, with lines in any order.

    >>> audit = read_audit([("301", "b", 0.5, 1.25), ("301", "a", 0.8, 0.5)])
    >>> audit.pairs, audit.compute_probabilities(1).tolist()
    ((('301', 'a'), ('301', 'b')), [0.8, 0.5])
    >>> audit.compute_probabilities(2).tolist()
    [1.0, 1.0]
    """
    if isinstance(data, AuditOrder):
        return data
    rows: dict[tuple[str, str], tuple[float, float]] = {}
    line_numbers: dict[tuple[str, str], int | None] = {}
    for line in read_lines(data, LAYOUT, "audit"):
        pair = line.get_name("topic"), line.get_name("doc")
        if pair in rows:
            raise line.make_duplicate_error(f"document {pair[1]!r} in topic {pair[0]}", line_numbers[pair])
        p = line.get_number("probability", "a probability > 0 and ≤ 1", 0)
        if not 0 < p <= 1:
            raise line.make_error(f"probability {p:g}", "a probability > 0 and ≤ 1")
        rows[pair], line_numbers[pair] = (
            (p, line.get_number("draw", "a number ≥ 0", 0)),
            line.number,
        )
    order = sorted(rows, key=lambda pair: rows[pair][1])
    columns = np.array([rows[pair] for pair in order]).T
    return AuditOrder(tuple(order), columns[0], columns[1], get_location(data, "audit"))
