"""Gains: the values that measures give to relevance levels.

The assessor assigns a *level*, the measure maps it to a *gain*:

- ``linear``: the level,
- ``exp``: 2^level − 1,
- ``binary``: 1 for levels above 0,
- ``unit``: the level divided by the highest, from 0 to 1,
- ``raw``: the level, negative values included (user models and DCG's family),
- a table such as ``1:2:3``: the gains of levels 1, 2, 3.

Levels of 0 and below (junk, spam) have gain 0, except with ``raw``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import LARGEST, Floats
from cranfield.errors import InputError

Gain: TypeAlias = str | tuple[float, ...]
GainLike: TypeAlias = str | float | Sequence[float] | Mapping[int, float]  # accepted from users

NAMES = ("linear", "exp", "binary", "unit", "raw")
MAX_LEVELS = 1000  # highest level if every level is enumerated
MAX_EXPONENT = 1000  # sums of gains must remain finite


def parse_gain(value: object) -> Gain:
    """Parse a gain: a name, ``"1:2:3"``, a sequence, or a dict by level.

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
        raise InputError.from_problem(f"invalid gain {value!r}: gains must be ≤ {LARGEST:g}")
    fix = f"Use {', '.join(NAMES)} or a table such as 1:2:3."
    if not table or not all(np.isfinite(table)):
        raise InputError.from_problem(f"invalid gain {value!r}", fix)
    if [0.0, *table] != sorted([0.0, *table]):
        raise InputError.from_problem(f"invalid gain {value!r}: gains must not decrease", fix)
    return table


def _list_gains(value: Any) -> Any:
    """Return the gains of levels 1, 2, …."""
    if isinstance(value, str):
        return value.split(":")
    if isinstance(value, Mapping):
        levels = range(1, len(value) + 1)
        has_int_keys = all(isinstance(x, int) for x in value)
        return [value[x] for x in levels] if has_int_keys and set(value) == set(levels) else []
    return [value] if isinstance(value, int | float) else value


def get_top_level(gain: Gain) -> float | None:
    """Return the highest level of a gain table, or None for a named gain."""
    return None if isinstance(gain, str) else float(len(gain))


def compute_gains(gain: Gain, level: Floats, parameter: str = "gain", highest: float | None = None) -> Floats:
    """Return the gains of an array of levels, or the values of another table."""
    if gain == "raw":
        return level
    positive = np.maximum(level, 0.0)
    if gain == "linear" or (gain == "unit" and not highest):
        return positive
    if gain == "unit":
        return positive / highest
    if gain == "exp":
        if positive.max(initial=0.0) > MAX_EXPONENT:
            _raise_gain_error(gain, positive.max(), f"levels ≤ {MAX_EXPONENT}", parameter)
        return np.exp2(positive) - 1.0
    if gain == "binary":
        return (positive > 0).astype(np.float64)
    table = np.concatenate(([0.0], np.asarray(gain, dtype=np.float64)))
    if positive.size:
        is_whole = positive == np.floor(positive)
        if not is_whole.all():
            _raise_gain_error(gain, positive[~is_whole][0], "integer levels", parameter)
        if positive.max() >= len(table):
            _raise_gain_error(gain, positive.max(), f"levels ≤ {len(table) - 1}", parameter)
    return table[positive.astype(np.int64)]


def _raise_gain_error(gain: Gain, level: float, expected: str, parameter: str) -> None:
    text = gain if isinstance(gain, str) else ":".join(f"{x:g}" for x in gain)
    raise InputError(f"level {level:g} in the judgments", expected, f"{parameter} {text}")
