"""Lists from arrays: the levels of one list, or a batch of lists with a mask."""

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
    """Build a block of lists from levels. See `Measure.__call__`."""
    if judged is levels and judged_mask is None:
        judged_mask = mask
    level = _read_matrix("levels", levels)
    filled = _read_mask("mask", mask, level)
    level = np.where(filled, level, np.nan)
    is_judged = ~np.isnan(level)
    known_levels = level if judged is None else _read_matrix("judged", judged)
    if len(known_levels) != len(level):
        problem = f"judged has {len(known_levels)} rows, levels has {len(level)}"
        raise CranfieldError(problem)
    is_known = is_judged if judged is None else _read_mask("judged_mask", judged_mask, known_levels)
    is_known = is_known & ~np.isnan(known_levels)
    for name, values in (("levels", level[is_judged]), ("judged", known_levels[is_known])):
        if np.isinf(values).any():
            raise InputError.from_problem(f"{name} contains an infinite number")
        if np.abs(values).max(initial=0.0) > LARGEST:
            problem = f"{name} must be ≤ {LARGEST:g} in size, found {np.abs(values).max():g}"
            raise InputError.from_problem(problem)
    if judged is not None and judged is not levels:
        _check_known_levels(level, is_judged & (level > 0), known_levels, is_known)
        known_levels, is_known = _add_nonrelevant(level, is_judged, known_levels, is_known)
    # Judged items move to the left, in the order of their ranks. The rest is padding.
    order = np.argsort(~is_judged, axis=1, kind="stable")[:, : int(is_judged.sum(axis=1).max(initial=0))]
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
            unit: _read_lengths(_read_matrix("lengths", unit_values, filled.shape), filled, needs_length, order)
            for unit, unit_values in (lengths or {}).items()
        },
        costs=None if costs is None else _read_costs(_read_matrix("costs", costs, filled.shape), filled),
    )


def _read_matrix(name: str, values: Any, shape: tuple[int, ...] | None = None) -> Floats:
    try:
        matrix = np.array(values, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError):
        matrix = np.empty((0, 0, 0))
    matrix = matrix[None, :] if matrix.ndim == 1 else matrix
    if matrix.ndim != 2:
        fix = "Pad rows of different lengths and pass mask="
        raise InputError.from_problem(f"{name} must be a list or an array [n, depth]", fix)
    if shape is not None and matrix.shape != shape:
        raise InputError(f"shape {matrix.shape} of {name}", shape)
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
        raise InputError.from_problem(f"{name} must be an array of booleans")
    if flags.shape != array.shape:
        raise InputError(f"shape {flags.shape} of {name}", array.shape)
    return flags.astype(bool)


def _build_gold(levels: Floats, judged: Bools, is_complete: bool) -> Gold:
    falling = -np.sort(np.where(judged, -levels, np.inf), axis=1)
    filled = np.arange(levels.shape[1]) < judged.sum(axis=1)[:, None]
    falling = np.where(filled, falling, 0.0)
    return Gold(falling, filled, float(falling.max(initial=0.0)), is_complete=is_complete)


def _add_nonrelevant(level: Floats, is_judged: Bools, known_levels: Floats, is_known: Bools) -> tuple[Floats, Bools]:
    """Add nonrelevant items of the list that are missing from the judged items."""
    missing = (is_judged & (level <= 0)).sum(axis=1) - (is_known & (known_levels <= 0)).sum(axis=1)
    added = np.arange(max(0, int(missing.max(initial=0)))) < missing[:, None]
    return (np.concatenate((known_levels, np.zeros(added.shape)), axis=1), np.concatenate((is_known, added), axis=1))


def _check_known_levels(level: Floats, is_judged: Bools, known_levels: Floats, is_known: Bools) -> None:
    """Raise InputError if a level of the list is missing from the judged items."""
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
        problem = f"level {value[starts[excess[0]]]:g} is more frequent in the list than in judged"
        raise InputError.from_problem(problem, "judged must contain all judged levels of the topic")


def _read_lengths(length: Floats, filled: Bools, needs_length: Bools, order: Any) -> Lengths:
    length = np.where(needs_length | (filled & ~np.isnan(length)), length, 0.0)
    if not np.isfinite(length).all() or (length < 0).any():
        raise InputError.from_problem("lengths must be numbers ≥ 0, one per item")
    return Lengths(np.take_along_axis(length, order, axis=1), np.take_along_axis(sum_above(length), order, axis=1))


def _read_costs(cost: Floats, filled: Bools) -> Costs:
    bad = filled & ~np.isnan(cost) & ~(np.isfinite(cost) & (cost > 0))
    if bad.any():
        raise InputError.from_problem(f"costs must be > 0, found {cost[bad][0]:g}")
    return Costs(cost[filled], filled.sum(axis=1))


def build_intent_lists(
    levels: Any,
    judged: Any = None,
    probabilities: Any = None,
    navigational: Any = (),
    lengths: Mapping[str, Any] | None = None,
) -> Lists:
    """Build one list for several intents.

    `levels` contains the levels of each item for all intents, or None for an unjudged item. The
    order of `judged` breaks ties in the greedy ideal list.
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
    p: Floats = _read_matrix("probabilities", values)[0]
    if p.shape != (I,):
        raise InputError(f"{p.size} probabilities", I)
    if not (abs(p.sum() - 1.0) <= 1e-6 and min(p) >= 0):
        problem = f"probabilities must be ≥ 0 with a sum of 1, found {p.tolist()}"
        raise InputError.from_problem(problem)
    return p


def _read_intent_levels(name: str, rows: Any) -> list[list[float]]:
    try:
        levels = [[float(level) for level in row] for row in rows]
    except (TypeError, ValueError):
        levels = [[np.nan]]
    if not all(abs(level) <= LARGEST for row in levels for level in row):
        fix = "Pass the levels of each item for all intents, such as [[2, 0], [0, 1]]"
        raise InputError.from_problem(f"invalid {name}", fix)
    return levels
