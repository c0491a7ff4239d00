"""Strata of a pool, by the best rank of a document, and what is drawn of each for assessors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.errors import InputError

StrataLike: TypeAlias = str | Sequence[tuple[int, int, float]] | None
EXPECTED = "ranks and rates from rank 1 on, without gaps: 1-10:1,11-100:0.2"
STRATUM = re.compile(r"(\d{1,9})-(\d{1,9}):(\d+\.?\d*|\.\d+)", re.ASCII)


class Stratum(NamedTuple):
    """The documents whose best rank is from `first` to `last`: of these a share is drawn."""

    first: int
    last: int
    rate: float

    def count_drawn(self, size: int) -> int:
        """How many of so many documents are drawn: their share, rounded half up, but one at least.

        >>> Stratum(11, 100, 0.2).drawn(12), Stratum(11, 100, 0.2).drawn(1)
        (2, 1)
        """
        return min(size, max(1, math.floor(self.rate * size + 0.5)))


@dataclass(frozen=True, eq=False)
class Sample:
    """What was drawn of a pool: arrays have a cell for each document of it."""

    strata: tuple[Stratum, ...]
    seed: int
    stratum: Ints  # the number of its stratum, from 1
    is_drawn: Bools
    level: Floats  # what it was judged, NaN where it was not

    def iter_levels(self) -> Iterator[tuple[int, float | None]]:
        """Stratum and level of each document: −1 where it was not drawn, None where it was, and is
        not judged yet.
        """
        levels = np.where(self.is_drawn, self.level, -1.0).tolist()
        for stratum, level in zip(self.stratum.tolist(), levels, strict=True):
            yield stratum, None if math.isnan(level) else level


def read_strata(strata: StrataLike) -> tuple[Stratum, ...]:
    """Strata as in ``"1-10:1,11-100:0.2"``, or as triples.

    >>> read_strata("1-10:1,11-100:0.2")
    (Stratum(first=1, last=10, rate=1.0), Stratum(first=11, last=100, rate=0.2))
    """
    stratum_list: list[Stratum] = []
    for first, last, rate in _parse_strata(strata) if isinstance(strata, str) else strata or ():
        follows = (
            first == (stratum_list[-1].last + 1 if stratum_list else 1)
            and first <= last
            and last % 1 == 0
        )
        if not follows or not 0 < rate <= 1:
            raise InputError(f"stratum {first:g}-{last:g}:{rate:g}", EXPECTED)
        stratum_list.append(Stratum(int(first), int(last), rate))
    if not stratum_list and strata is not None:
        raise InputError("no stratum", EXPECTED)
    return tuple(stratum_list)


def _parse_strata(text: str) -> Iterator[tuple[int, int, float]]:
    """Strata as users write them."""
    for part in text.split(","):
        match = STRATUM.fullmatch(part.strip())
        if match is None:
            raise InputError(f"stratum {part.strip()!r}", EXPECTED)
        yield int(match[1]), int(match[2]), float(match[3])


def draw_sample(
    docs: Mapping[str, Sequence[str]],
    best: Ints,
    strata: Sequence[Stratum],
    seed: int,
    levels: Floats | None,
) -> Sample:
    """A random sample of each stratum of each topic, by the best ranks of documents, without
    replacement.

    What is drawn of a topic depends on the seed, its name and its documents alone.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed {seed!r}", "a whole number from 0")
    lasts = [stratum.last for stratum in strata]
    number = np.searchsorted(lasts, best) + 1
    is_drawn, begin = np.zeros(len(best), dtype=bool), 0
    for topic, topic_docs in docs.items():
        stream = np.random.default_rng([int(seed), *topic.encode()])
        for s, stratum in enumerate(strata, 1):
            members = begin + np.flatnonzero(number[begin : begin + len(topic_docs)] == s)
            if len(members):
                is_drawn[
                    stream.choice(members, stratum.count_drawn(len(members)), replace=False)
                ] = True
        begin += len(topic_docs)
    known_levels = np.full(len(number), np.nan) if levels is None else levels
    return Sample(tuple(strata), int(seed), number, is_drawn, known_levels)
