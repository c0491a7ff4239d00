"""Lists without files: the levels of one list, or a batch of lists as arrays with a mask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cranfield.arrays import LARGEST, Bools, Floats
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.lists import Costs, Gold, IntentBlock, Lengths, Lists, above


def lists_of(
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
    level = _matrix("levels", levels)
    there = _mask("mask", mask, level)
    level = np.where(there, level, np.nan)
    found = ~np.isnan(level)
    known = level if judged is None else _matrix("judged", judged)
    if len(known) != len(level):
        raise CranfieldError(f"found {len(known)} rows of judged for {len(level)} lists")
    is_known = found if judged is None else _mask("judged_mask", judged_mask, known)
    is_known = is_known & ~np.isnan(known)
    for name, values in (("levels", level[found]), ("judged", known[is_known])):
        if np.isinf(values).any():
            raise InputError(f"an infinite number in {name}", "levels")
        if np.abs(values).max(initial=0.0) > LARGEST:
            raise InputError(f"{np.abs(values).max():g} in {name}", f"levels up to {LARGEST:g}")
    if judged is not None and judged is not levels:
        _refuse_unknown(level, found & (level > 0), known, is_known)
        known, is_known = _with_nonrelevant(level, found, known, is_known)
    # Judged items move to the left, in the order of their ranks; what is left is padding.
    order = np.argsort(~found, axis=1, kind="stable")[:, : int(found.sum(axis=1).max(initial=0))]
    n, needed = there.sum(axis=1), there if every_length else found & (level > 0)
    hit = np.take_along_axis(found, order, axis=1)
    rank = np.take_along_axis(np.cumsum(there, axis=1), order, axis=1)
    return Lists(
        np.where(hit, rank, n[:, None] + 1),
        np.where(hit, np.take_along_axis(level, order, axis=1), 0.0),
        hit,
        n,
        _gold(known, is_known, judged is not None),
        lengths={
            unit: _lengths(_matrix("lengths", given, there.shape), there, needed, order)
            for unit, given in (lengths or {}).items()
        },
        costs=None if costs is None else _costs(_matrix("costs", costs, there.shape), there),
    )


def _matrix(name: str, values: Any, shape: tuple[int, ...] | None = None) -> Floats:
    try:
        made = np.array(values, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError):
        made = np.empty((0, 0, 0))
    made = made[None, :] if made.ndim == 1 else made
    if made.ndim != 2:
        raise InputError(
            f"{name} that are no list and no array [n, depth] of numbers",
            "one (rows of different lengths need padding and mask=)",
        )
    if shape is not None and made.shape != shape:
        raise InputError(f"{name} of shape {made.shape}", shape)
    return made


def _mask(name: str, mask: Any, of: Floats) -> Bools:
    if mask is None:
        return np.ones(of.shape, dtype=bool)
    try:
        made = np.asarray(mask)
    except ValueError:  # rows of different lengths
        made = np.empty(0, dtype=str)
    made = made[None, :] if made.ndim == 1 else made
    if made.dtype.kind not in "biufO" or not np.isin(made, (0, 1)).all():
        raise InputError(f"{name} of other things", "an array of true and false")
    if made.shape != of.shape:
        raise InputError(f"{name} of shape {made.shape}", of.shape)
    return made.astype(bool)


def _gold(levels: Floats, judged: Bools, known: bool) -> Gold:
    """The judged levels of each list, highest first."""
    falling = -np.sort(np.where(judged, -levels, np.inf), axis=1)
    filled = np.arange(levels.shape[1]) < judged.sum(axis=1)[:, None]
    falling = np.where(filled, falling, 0.0)
    return Gold(falling, filled, float(falling.max(initial=0.0)), known=known)


def _with_nonrelevant(
    level: Floats, found: Bools, known: Floats, is_known: Bools
) -> tuple[Floats, Bools]:
    """Nonrelevant items of the list are judged, whether they were named as such or not."""
    lacking = (found & (level <= 0)).sum(axis=1) - (is_known & (known <= 0)).sum(axis=1)
    more = np.arange(max(0, int(lacking.max(initial=0)))) < lacking[:, None]
    return (
        np.concatenate((known, np.zeros(more.shape)), axis=1),
        np.concatenate((is_known, more), axis=1),
    )


def _refuse_unknown(level: Floats, found: Bools, known: Floats, is_known: Bools) -> None:
    """Every relevant item of a list must be among the judged ones."""
    row = np.concatenate((np.nonzero(found)[0], np.nonzero(is_known)[0]))
    value = np.concatenate((level[found], known[is_known]))
    spare = np.repeat([-1, 1], [np.count_nonzero(found), np.count_nonzero(is_known)])
    order = np.lexsort((value, row))
    row, value, spare = row[order], value[order], spare[order]
    new = np.ones(len(row), dtype=bool)
    new[1:] = (row[1:] != row[:-1]) | (value[1:] != value[:-1])
    starts = np.flatnonzero(new)
    if not len(starts):
        return
    lacking = np.flatnonzero(np.add.reduceat(spare, starts) < 0)
    if len(lacking):
        raise InputError(
            f"level {value[starts[lacking[0]]]:g} in the list more often than in judged",
            "judged to hold all judged levels of the topic",
        )


def _lengths(length: Floats, there: Bools, needed: Bools, order: Any) -> Lengths:
    length = np.where(needed | (there & ~np.isnan(length)), length, 0.0)
    if not np.isfinite(length).all() or (length < 0).any():
        raise InputError("a length that is not a number from 0", "one per item")
    return Lengths(
        np.take_along_axis(length, order, axis=1), np.take_along_axis(above(length), order, axis=1)
    )


def _costs(cost: Floats, there: Bools) -> Costs:
    """The costs of the items, rank by rank."""
    bad = there & ~np.isnan(cost) & ~(np.isfinite(cost) & (cost > 0))
    if bad.any():
        raise InputError(f"cost {cost[bad][0]:g}", "a number above 0")
    return Costs(cost[there], there.sum(axis=1))


def intent_lists(
    levels: Any,
    judged: Any = None,
    probabilities: Any = None,
    navigational: Any = (),
    lengths: Mapping[str, Any] | None = None,
) -> Lists:
    """One list for several intents: of each item the levels for all of them, None if unjudged.

    Ties in the greedy ideal list are broken by the order of `judged`.
    """
    rows = _by_intent("levels", [row for row in levels if row is not None])
    every = rows if judged is None else _by_intent("judged", judged)
    I = len((every or rows or [[]])[0])
    for row in [*rows, *every]:
        if len(row) != I:
            raise InputError(f"levels for {len(row)} intents", I)
    weights = np.ones(I) if probabilities is None else _probabilities(probabilities, I)
    known = np.array(every, dtype=np.float64).reshape(1, len(every), I)
    block = IntentBlock(
        weights[None, :],
        np.array([0.0 if probabilities is not None else float(I)]),
        np.isin(np.arange(I), list(navigational))[None, :],
        np.ones((1, I), dtype=bool),
        known,
        np.ones((1, len(every)), dtype=bool),
    )
    found = iter(rows)
    best = [None if row is None else max(next(found), default=0) for row in levels]
    x = lists_of(best, [max(row, default=0) for row in every], None, None, lengths, False)
    x.gold.intents, x.gold.known = block, judged is not None
    x.by_intent = np.array(rows, dtype=np.float64).reshape(1, len(rows), I)
    return x


def _probabilities(given: Any, I: int) -> Floats:
    """How probable intents are: as many numbers as there are intents."""
    p: Floats = _matrix("probabilities", given)[0]
    if p.shape != (I,):
        raise InputError(f"{p.size} probabilities", I)
    if not (abs(p.sum() - 1.0) <= 1e-6 and min(p) >= 0):
        raise InputError(f"probabilities {p.tolist()}", "a sum of 1")
    return p


def _by_intent(name: str, rows: Any) -> list[list[float]]:
    """Levels for all intents, item by item."""
    try:
        made = [[float(level) for level in row] for row in rows]
    except (TypeError, ValueError):
        made = [[np.nan]]
    if not all(abs(level) <= LARGEST for row in made for level in row):
        expected = "the levels of each item for all intents, such as [[2, 0], [0, 1]]"
        raise InputError(f"{name} of other things", expected)
    return made
