"""Lists without files: the levels of one list, or a batch of lists as arrays with a mask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cranfield.arrays import LARGEST, Bools, Floats
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.lists import Costs, Gold, IntentBlock, Lengths, Lists, sum_above


def build_lists(
    levels: Any,
    judged: Any,
    mask: Any = None,
    judged_mask: Any = None,
    lengths: Mapping[str, Any] | None = None,
    every_length: bool = True,
    costs: Any = None,
) -> Lists:
    """A block of lists from the levels of their items, as `Measure.__call__` describes them."""
    if judged is levels and judged_mask is None:
        judged_mask = mask
    level = _read_matrix("levels", levels)
    filled = _read_mask("mask", mask, level)
    level = np.where(filled, level, np.nan)
    is_judged = ~np.isnan(level)
    known_levels = level if judged is None else _read_matrix("judged", judged)
    if len(known_levels) != len(level):
        raise CranfieldError(f"found {len(known_levels)} rows of judged for {len(level)} lists")
    is_known = is_judged if judged is None else _read_mask("judged_mask", judged_mask, known_levels)
    is_known = is_known & ~np.isnan(known_levels)
    for name, values in (("levels", level[is_judged]), ("judged", known_levels[is_known])):
        if np.isinf(values).any():
            raise InputError(f"an infinite number in {name}", "levels")
        if np.abs(values).max(initial=0.0) > LARGEST:
            raise InputError(f"{np.abs(values).max():g} in {name}", f"levels up to {LARGEST:g}")
    if judged is not None and judged is not levels:
        _check_known_levels(level, is_judged & (level > 0), known_levels, is_known)
        known_levels, is_known = _add_nonrelevant(level, is_judged, known_levels, is_known)
    # Judged items move to the left, in the order of their ranks; what is left is padding.
    order = np.argsort(~is_judged, axis=1, kind="stable")[
        :, : int(is_judged.sum(axis=1).max(initial=0))
    ]
    n, needs_length = filled.sum(axis=1), filled if every_length else is_judged & (level > 0)
    hit = np.take_along_axis(is_judged, order, axis=1)
    rank = np.take_along_axis(np.cumsum(filled, axis=1), order, axis=1)
    return Lists(
        np.where(hit, rank, n[:, None] + 1),
        np.where(hit, np.take_along_axis(level, order, axis=1), 0.0),
        hit,
        n,
        _build_gold(known_levels, is_known, judged is not None),
        lengths={
            unit: _read_lengths(
                _read_matrix("lengths", unit_values, filled.shape), filled, needs_length, order
            )
            for unit, unit_values in (lengths or {}).items()
        },
        costs=None
        if costs is None
        else _read_costs(_read_matrix("costs", costs, filled.shape), filled),
    )


def _read_matrix(name: str, values: Any, shape: tuple[int, ...] | None = None) -> Floats:
    try:
        matrix = np.array(values, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError):
        matrix = np.empty((0, 0, 0))
    matrix = matrix[None, :] if matrix.ndim == 1 else matrix
    if matrix.ndim != 2:
        raise InputError(
            f"{name} that are no list and no array [n, depth] of numbers",
            "one (rows of different lengths need padding and mask=)",
        )
    if shape is not None and matrix.shape != shape:
        raise InputError(f"{name} of shape {matrix.shape}", shape)
    return matrix


def _read_mask(name: str, mask: Any, array: Floats) -> Bools:
    if mask is None:
        return np.ones(array.shape, dtype=bool)
    try:
        flags = np.asarray(mask)
    except ValueError:  # rows of different lengths
        flags = np.empty(0, dtype=str)
    flags = flags[None, :] if flags.ndim == 1 else flags
    if flags.dtype.kind not in "biufO" or not np.isin(flags, (0, 1)).all():
        raise InputError(f"{name} of other things", "an array of true and false")
    if flags.shape != array.shape:
        raise InputError(f"{name} of shape {flags.shape}", array.shape)
    return flags.astype(bool)


def _build_gold(levels: Floats, judged: Bools, is_complete: bool) -> Gold:
    """The judged levels of each list, highest first."""
    falling = -np.sort(np.where(judged, -levels, np.inf), axis=1)
    filled = np.arange(levels.shape[1]) < judged.sum(axis=1)[:, None]
    falling = np.where(filled, falling, 0.0)
    return Gold(falling, filled, float(falling.max(initial=0.0)), is_complete=is_complete)


def _add_nonrelevant(
    level: Floats, is_judged: Bools, known_levels: Floats, is_known: Bools
) -> tuple[Floats, Bools]:
    """Nonrelevant items of the list are judged, whether they were named as such or not."""
    missing = (is_judged & (level <= 0)).sum(axis=1) - (is_known & (known_levels <= 0)).sum(axis=1)
    added = np.arange(max(0, int(missing.max(initial=0)))) < missing[:, None]
    return (
        np.concatenate((known_levels, np.zeros(added.shape)), axis=1),
        np.concatenate((is_known, added), axis=1),
    )


def _check_known_levels(
    level: Floats, is_judged: Bools, known_levels: Floats, is_known: Bools
) -> None:
    """Every relevant item of a list must be among the judged ones."""
    row = np.concatenate((np.nonzero(is_judged)[0], np.nonzero(is_known)[0]))
    value = np.concatenate((level[is_judged], known_levels[is_known]))
    spare = np.repeat([-1, 1], [np.count_nonzero(is_judged), np.count_nonzero(is_known)])
    order = np.lexsort((value, row))
    row, value, spare = row[order], value[order], spare[order]
    new = np.ones(len(row), dtype=bool)
    new[1:] = (row[1:] != row[:-1]) | (value[1:] != value[:-1])
    starts = np.flatnonzero(new)
    if not len(starts):
        return
    excess = np.flatnonzero(np.add.reduceat(spare, starts) < 0)
    if len(excess):
        raise InputError(
            f"level {value[starts[excess[0]]]:g} in the list more often than in judged",
            "judged to hold all judged levels of the topic",
        )


def _read_lengths(length: Floats, filled: Bools, needs_length: Bools, order: Any) -> Lengths:
    length = np.where(needs_length | (filled & ~np.isnan(length)), length, 0.0)
    if not np.isfinite(length).all() or (length < 0).any():
        raise InputError("a length that is not a number from 0", "one per item")
    return Lengths(
        np.take_along_axis(length, order, axis=1),
        np.take_along_axis(sum_above(length), order, axis=1),
    )


def _read_costs(cost: Floats, filled: Bools) -> Costs:
    """The costs of the items, rank by rank."""
    bad = filled & ~np.isnan(cost) & ~(np.isfinite(cost) & (cost > 0))
    if bad.any():
        raise InputError(f"cost {cost[bad][0]:g}", "a number above 0")
    return Costs(cost[filled], filled.sum(axis=1))


def build_intent_lists(
    levels: Any,
    judged: Any = None,
    probabilities: Any = None,
    navigational: Any = (),
    lengths: Mapping[str, Any] | None = None,
) -> Lists:
    """One list for several intents: of each item the levels for all of them, None if unjudged.

    Ties in the greedy ideal list are broken by the order of `judged`.
    """
    rows = _read_intent_levels("levels", [row for row in levels if row is not None])
    judged_rows = rows if judged is None else _read_intent_levels("judged", judged)
    I = len((judged_rows or rows or [[]])[0])
    for row in [*rows, *judged_rows]:
        if len(row) != I:
            raise InputError(f"levels for {len(row)} intents", I)
    weights = np.ones(I) if probabilities is None else _read_probabilities(probabilities, I)
    known_levels = np.array(judged_rows, dtype=np.float64).reshape(1, len(judged_rows), I)
    block = IntentBlock(
        weights[None, :],
        np.array([0.0 if probabilities is not None else float(I)]),
        np.isin(np.arange(I), list(navigational))[None, :],
        np.ones((1, I), dtype=bool),
        known_levels,
        np.ones((1, len(judged_rows)), dtype=bool),
    )
    remaining = iter(rows)
    best = [None if row is None else max(next(remaining), default=0) for row in levels]
    x = build_lists(best, [max(row, default=0) for row in judged_rows], None, None, lengths, False)
    x.gold.intents, x.gold.is_complete = block, judged is not None
    x.intent_levels = np.array(rows, dtype=np.float64).reshape(1, len(rows), I)
    return x


def _read_probabilities(values: Any, I: int) -> Floats:
    """How probable intents are: as many numbers as there are intents."""
    p: Floats = _read_matrix("probabilities", values)[0]
    if p.shape != (I,):
        raise InputError(f"{p.size} probabilities", I)
    if not (abs(p.sum() - 1.0) <= 1e-6 and min(p) >= 0):
        raise InputError(f"probabilities {p.tolist()}", "a sum of 1")
    return p


def _read_intent_levels(name: str, rows: Any) -> list[list[float]]:
    """Levels for all intents, item by item."""
    try:
        levels = [[float(level) for level in row] for row in rows]
    except (TypeError, ValueError):
        levels = [[np.nan]]
    if not all(abs(level) <= LARGEST for row in levels for level in row):
        expected = "the levels of each item for all intents, such as [[2, 0], [0, 1]]"
        raise InputError(f"{name} of other things", expected)
    return levels
