"""Gains: what a relevance level is worth.

A *level* is what the assessor wrote; a *gain* is what a measure makes of it:

- ``linear``: the level itself;
- ``exp``: 2^level − 1;
- ``binary``: 1 above level 0;
- ``unit``: the level over the highest, from 0 to 1;
- ``raw``: the level itself, below 0 too (user models and DCG's family);
- a table such as ``1:2:3``: the gains of levels 1, 2, 3 (level 0 and below gain nothing).

Levels below 0 (junk, spam) gain nothing but with ``raw``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import LARGEST, Floats
from cranfield.errors import InputError

Gain: TypeAlias = str | tuple[float, ...]
GainLike: TypeAlias = str | float | Sequence[float] | Mapping[int, float]  # what users write

NAMES = ("linear", "exp", "binary", "unit", "raw")
MAX_LEVELS = 1000  # of which each is looked at, or has a gain of its own
MAX_EXPONENT = 1000  # sums of gains must remain finite


def parse_gain(value: object) -> Gain:
    """A gain from what users write: a name, ``"1:2:3"``, a sequence, or a dict by level.

    >>> parse_gain("exp"), parse_gain("1:2.5"), parse_gain([1, 3]), parse_gain({1: 1, 2: 3})
    ('exp', (1.0, 2.5), (1.0, 3.0), (1.0, 3.0))
    """
    if isinstance(value, str) and value in NAMES:
        return value
    try:
        table = tuple(float(x) for x in _list_gains(value))
    except (TypeError, ValueError):
        table = ()
    if max(table, default=0.0) > LARGEST:
        raise InputError(f"gain {value!r}", f"gains up to {LARGEST:g}")
    if not table or not all(np.isfinite(table)) or [0.0, *table] != sorted([0.0, *table]):
        raise InputError(
            f"gain {value!r}",
            f"{', '.join(NAMES)} or the gains of levels 1, 2, … such as 1:2:3, "
            "none lower than the one before",
        )
    return table


def _list_gains(value: Any) -> Any:
    """What levels 1, 2, … gain, one after the other."""
    if isinstance(value, str):
        return value.split(":")
    if isinstance(value, Mapping):
        levels = range(1, len(value) + 1)
        has_int_keys = all(isinstance(x, int) for x in value)
        return [value[x] for x in levels] if has_int_keys and set(value) == set(levels) else []
    return [value] if isinstance(value, int | float) else value


def get_top_level(gain: Gain) -> float | None:
    """The highest level a gain table declares; None if the gain is not a table."""
    return None if isinstance(gain, str) else float(len(gain))


def compute_gains(
    gain: Gain, level: Floats, parameter: str = "gain", highest: float | None = None
) -> Floats:
    """The gains of an array of levels, or what else a table says of levels."""
    if gain == "raw":
        return level
    positive = np.maximum(level, 0.0)
    if gain == "linear" or (gain == "unit" and not highest):
        return positive
    if gain == "unit":
        return positive / highest
    if gain == "exp":
        if positive.max(initial=0.0) > MAX_EXPONENT:
            _raise_gain_error(gain, positive.max(), f"levels up to {MAX_EXPONENT}", parameter)
        return np.exp2(positive) - 1.0
    if gain == "binary":
        return (positive > 0).astype(np.float64)
    table = np.concatenate(([0.0], np.asarray(gain, dtype=np.float64)))
    if positive.size:
        is_whole = positive == np.floor(positive)
        if not is_whole.all():
            _raise_gain_error(gain, positive[~is_whole][0], "whole levels", parameter)
        if positive.max() >= len(table):
            _raise_gain_error(gain, positive.max(), f"levels up to {len(table) - 1}", parameter)
    return table[positive.astype(np.int64)]


def _raise_gain_error(gain: Gain, level: float, expected: str, parameter: str) -> None:
    text = gain if isinstance(gain, str) else ":".join(f"{x:g}" for x in gain)
    raise InputError(f"level {level:g} in the judgments", expected, f"{parameter} {text}")
