"""Audits: documents in the order in which people are to judge them, and how probably each is drawn.

Text: ``topic doc probability draw``. Whoever judges the documents down to some place has a random
sample: that is what the order is for.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.reading.cells import Layout, get_location, read_lines
from cranfield.data.reading.columns import SPELLINGS, TOPICS
from cranfield.data.reading.lines import format_first_line
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
)


@dataclass(frozen=True, eq=False)
class AuditOrder:
    """Documents in the order of their draws.

    A draw is a random number from 0 to 1, over the probability: those below 1 are the sample. At
    any other bound c, those below it were drawn with the probabilities min(1, c·π).
    """

    pairs: tuple[tuple[str, str], ...]  # topic and document
    probabilities: Floats
    draws: Floats
    where: str = "audit"

    def __len__(self) -> int:
        return len(self.pairs)

    def compute_probabilities(self, count: int) -> Floats:
        """The probabilities of all documents if the first so many are judged, and no others.

        The bound is the draw of the next document, unless these are just those below 1.
        """
        if count == int(np.count_nonzero(self.draws < 1)):
            return self.probabilities
        bound = self.draws[count] if count < len(self) else math.inf
        return np.minimum(1.0, bound * self.probabilities)


def read_audit(data: AuditLike) -> AuditOrder:
    """An audit, from a path, a frame or tuples; lines may be in any order.

    >>> found = read_audit([("301", "b", 0.5, 1.25), ("301", "a", 0.8, 0.5)])
    >>> found.pairs, found.first(1).tolist(), found.first(2).tolist()
    ((('301', 'a'), ('301', 'b')), [0.8, 0.5], [1.0, 1.0])
    """
    if isinstance(data, AuditOrder):
        return data
    rows: dict[tuple[str, str], tuple[float, float]] = {}
    line_numbers: dict[tuple[str, str], int | None] = {}
    for line in read_lines(data, LAYOUT, "audit"):
        pair = line.get_name("topic"), line.get_name("doc")
        if pair in rows:
            raise line.make_error(
                f"{pair[1]} of topic {pair[0]} again{format_first_line(line_numbers[pair])}", "once"
            )
        p = line.get_number("probability", "a probability, above 0 and at most 1", 0)
        if not 0 < p <= 1:
            raise line.make_error(f"probability {p:g}", "a probability, above 0 and at most 1")
        rows[pair], line_numbers[pair] = (
            (p, line.get_number("draw", "a number from 0", 0)),
            line.number,
        )
    order = sorted(rows, key=lambda pair: rows[pair][1])
    columns = np.array([rows[pair] for pair in order]).T
    return AuditOrder(tuple(order), columns[0], columns[1], get_location(data, "audit"))
