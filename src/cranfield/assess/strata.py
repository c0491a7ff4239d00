"""Strata of a pool by the best rank of documents, and samples for assessment."""

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
SYNTAX = "Use ranks from 1 without gaps, and rates in (0, 1]: 1-10:1,11-100:0.2"
STRATUM = re.compile(r"(\d{1,9})-(\d{1,9}):(\d+\.?\d*|\.\d+)", re.ASCII)


class Stratum(NamedTuple):
    """The documents with a best rank from `first` to `last`, sampled at a rate."""

    first: int
    last: int
    rate: float

    def count_drawn(self, size: int) -> int:
        """Return the sample size: rate times size, rounded half up, at least one.

        >>> Stratum(11, 100, 0.2).count_drawn(12), Stratum(11, 100, 0.2).count_drawn(1)
        (2, 1)
        """
        return min(size, max(1, math.floor(self.rate * size + 0.5)))


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample of a pool. Arrays have a cell for each document of the pool."""

    strata: tuple[Stratum, ...]
    seed: int
    stratum: Ints  # number of the stratum, from 1
    is_drawn: Bools
    level: Floats  # judged level, NaN if unjudged

    def iter_levels(self) -> Iterator[tuple[int, float | None]]:
        """Yield stratum and level of each document.

        The level is −1 if the document was not sampled, None if it was sampled and is unjudged.
        """
        levels = np.where(self.is_drawn, self.level, -1.0).tolist()
        for stratum, level in zip(self.stratum.tolist(), levels, strict=True):
            yield stratum, None if math.isnan(level) else level


def read_strata(strata: StrataLike) -> tuple[Stratum, ...]:
    """Read strata from text such as ``"1-10:1,11-100:0.2"``, or from triples.

    >>> read_strata("1-10:1,11-100:0.2")
    (Stratum(first=1, last=10, rate=1.0), Stratum(first=11, last=100, rate=0.2))
    """
    stratum_list: list[Stratum] = []
    for first, last, rate in _parse_strata(strata) if isinstance(strata, str) else strata or ():
        follows = first == (stratum_list[-1].last + 1 if stratum_list else 1) and first <= last and last % 1 == 0
        if not follows or not 0 < rate <= 1:
            problem = f"invalid stratum {first:g}-{last:g}:{rate:g}"
            raise InputError.from_problem(problem, SYNTAX)
        stratum_list.append(Stratum(int(first), int(last), rate))
    if not stratum_list and strata is not None:
        raise InputError.from_problem("no stratum given", SYNTAX)
    return tuple(stratum_list)


def _parse_strata(text: str) -> Iterator[tuple[int, int, float]]:
    for part in text.split(","):
        match = STRATUM.fullmatch(part.strip())
        if match is None:
            raise InputError.from_problem(f"invalid stratum {part.strip()!r}", SYNTAX)
        yield int(match[1]), int(match[2]), float(match[3])


def draw_sample(
    docs: Mapping[str, Sequence[str]], best: Ints, strata: Sequence[Stratum], seed: int, levels: Floats | None
) -> Sample:
    """Draw a random sample of each stratum of each topic, without replacement.

    Strata are by the best ranks of documents. The sample of a topic depends only on the seed, its
    name and its documents.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError.from_problem(f"seed must be an integer ≥ 0, found {seed!r}")
    lasts = [stratum.last for stratum in strata]
    number = np.searchsorted(lasts, best) + 1
    is_drawn, begin = np.zeros(len(best), dtype=bool), 0
    for topic, topic_docs in docs.items():
        stream = np.random.default_rng([int(seed), *topic.encode()])
        for s, stratum in enumerate(strata, 1):
            members = begin + np.flatnonzero(number[begin : begin + len(topic_docs)] == s)
            if len(members):
                is_drawn[stream.choice(members, stratum.count_drawn(len(members)), replace=False)] = True
        begin += len(topic_docs)
    known_levels = np.full(len(number), np.nan) if levels is None else levels
    return Sample(tuple(strata), int(seed), number, is_drawn, known_levels)
