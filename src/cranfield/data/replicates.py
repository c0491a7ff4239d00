"""Replicates: several values of an item, run and measure.

Epochs and repeats are averaged within an item. Seeds are runs of a system.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.columns import find_spelling
from cranfield.data.reading.lines import parse_identifier
from cranfield.wording import format_count

SEED = "seed"
_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "epoch": ("epoch", "epochs"),
    "repeat": ("repeat", "repetition"),
    "replicate": ("replicate", "replication"),
    "iteration": ("iteration",),
    SEED: ("seed", "random_seed"),
}


class Replicate(NamedTuple):
    """Name of a replicate, such as ``epoch 2`` or ``seed 13``.

    >>> print(Replicate("epoch", "2"))
    epoch 2
    """

    noun: str
    label: str

    def __str__(self) -> str:
        return f"{self.noun} {self.label}"

    def join(self, seed: Replicate | None) -> Replicate:
        """Return the seed with this replicate, for replicates that are kept apart.

        >>> print(Replicate("epoch", "2").join(Replicate("seed", "13")))
        seed 13/2
        """
        return self if seed is None else Replicate(seed.noun, f"{seed.label}/{self.label}")


Cell: TypeAlias = tuple[str, Replicate | None]  # measure, replicate
Cells: TypeAlias = dict[str, dict[Cell, float | None]]  # by topic; None is missing
Values: TypeAlias = dict[str, dict[str, float | None]]  # topic -> measure

make_cell = lru_cache(maxsize=1 << 16)(lambda measure, replicate: (measure, replicate))


def find_replicate_columns(names: Iterable[str]) -> dict[str, str]:
    """Map nouns such as ``epoch`` and ``seed`` to the columns of a table.

    >>> find_replicate_columns(["qid", "Seed", "AP", "epoch"])
    {'epoch': 'epoch', 'seed': 'Seed'}
    """
    names = list(names)
    columns = {noun: find_spelling(spellings, names) for noun, spellings in _SPELLINGS.items()}
    return {noun: column for noun, column in columns.items() if column is not None}


def read_replicates(cells: Mapping[str, Any], columns: Mapping[str, str]) -> tuple[Replicate | None, Replicate | None]:
    """Return the replicate and the seed of a line.

    >>> read_replicates({"epoch": 2, "seed": 13}, {"epoch": "epoch", "seed": "seed"})
    (Replicate(noun='epoch', label='2'), Replicate(noun='seed', label='13'))
    """
    labels = {noun: format_label(cells[column]) for noun, column in columns.items()}
    seed = labels.pop(SEED, None)
    parts = {noun: label for noun, label in labels.items() if label is not None}
    replicate = Replicate(" and ".join(parts), "/".join(parts.values())) if parts else None
    return replicate, None if seed is None else Replicate(SEED, seed)


def format_label(value: Any) -> str | None:
    """Return the label of a replicate: integral numbers without decimals, None if empty.

    >>> format_label(2.0), format_label("2"), format_label("")
    ('2', '2', None)
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return parse_identifier(value) or None


def average_replicates(by_topic: Cells) -> tuple[Values, str]:
    """Return the mean of the replicates of each topic and measure, and the text of a note.

    Missing replicates (None) are excluded. The text is empty if no topic has several replicates.

    >>> one, two = (Replicate("epoch", str(i)) for i in (1, 2))
    >>> average_replicates({"q1": {("AP", one): 0.5, ("AP", two): 1.0}})
    ({'q1': {'AP': 0.75}}, '2 epochs per item: means are used')
    """
    values: Values = {}
    counts: Counter[int] = Counter()  # numbers of values of the items
    nouns: dict[str, None] = {}
    largest = 0  # number of replicates, also without a value
    for topic, cells in by_topic.items():
        groups: dict[str, list[float | None]] = {}
        for (measure, replicate), value in cells.items():
            groups.setdefault(measure, []).append(value)
            if replicate is not None:
                nouns[replicate.noun] = None
        present = {measure: _drop_missing(group) for measure, group in groups.items()}
        values[topic] = {measure: _average(group) for measure, group in present.items()}
        largest = max(largest, *map(len, groups.values()))
        counts.update(map(len, present.values()))
    return values, _describe_counts(counts, " and ".join(nouns) or "value", largest) if largest > 1 else ""


def _drop_missing(values: Sequence[float | None]) -> list[float]:
    """Return the values of replicates without missing and, if there are others, undefined ones."""
    present = [x for x in values if x is not None]
    return [x for x in present if not math.isnan(x)] or present[:1]


def _average(values: list[float]) -> float | None:
    if len(values) < 2:
        return values[0] if values else None
    try:
        return fmean(values)
    except OverflowError:  # the sum is above the largest double, the mean is not
        return math.fsum(value / len(values) for value in values)


def _describe_counts(counts: Mapping[int, int], noun: str, largest: int) -> str:
    """Return the note: number of replicates per item, and the values with fewer ones."""
    if set(counts) == {largest}:
        return f"{format_count(largest, noun)} per item: means are used"
    fewer = sum(count for n, count in counts.items() if n < largest)
    low, part = min(counts), f"{fewer:,} of {sum(counts.values()):,} scores have fewer than {largest}"
    return f"{low} to {largest} {noun}s per item: means are used, {part}"
