"""Array types, and comparisons of numbers that are equal up to rounding errors.

Rounding errors must not decide a comparison: 0.1 + 0.2 is not 0.3, and 0.3 − 0.2 is not 0.2 − 0.1.
Code that compares numbers for ranks, signs, ties or best items uses these functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]
    Bools: TypeAlias = NDArray[np.bool_]
    Bytes: TypeAlias = NDArray[np.uint8]
    Words: TypeAlias = NDArray[np.uint64]
else:  # numpy.typing is only needed by type checkers
    Floats = Ints = Bools = Bytes = Words = np.ndarray

LARGEST = 1e12  # largest level or gain: sums remain finite and keep a precision below 1
TOLERANCE = 1e-12  # relative rounding error: a fraction of the largest number added


def estimate_rounding(*values: Any) -> float:
    """Return the largest rounding error of a difference, ignoring NaN and infinite values.

    >>> estimate_rounding([0.5, float("nan")], [-2.0])
    2e-12
    """
    magnitudes = [np.abs(np.asarray(x, dtype=np.float64)) for x in values]
    return TOLERANCE * max(float(x[np.isfinite(x)].max(initial=0.0)) for x in magnitudes)


def subtract_rounded(x: Any, y: Any, rounding: Any) -> Floats:
    """Return x − y, with differences below the rounding error set to 0.

    >>> subtract_rounded(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5]), 1e-12)
    array([0. , 0.5])
    """
    z = x - y
    return np.where(np.abs(z) <= rounding, 0.0, z)


def sort_rounded(values: Floats, rounding: Any) -> tuple[Ints, Ints]:
    """Return the ascending order of values, and the first position of each group of equal values.

    Both are along the last axis. `rounding` is one number, or one for each value.

    >>> order, first = sort_rounded(np.array([0.7, 0.1 + 0.2, 0.3]), 1e-12)
    >>> order.tolist(), first.tolist()
    ([2, 1, 0], [0, 0, 2])
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    allowed = np.take_along_axis(np.broadcast_to(rounding, values.shape), order, axis=-1)
    new = ~(np.diff(ordered, axis=-1) <= allowed[..., 1:])
    first = np.zeros(values.shape, dtype=np.int64)
    first[..., 1:] = new * np.arange(1, values.shape[-1])
    return order, np.maximum.accumulate(first, axis=-1)


def unify_rounded(values: Floats, rounding: Any) -> Floats:
    """Return the values with groups that differ only by rounding set to their lowest value.

    >>> unify_rounded(np.array([0.7, 0.1 + 0.2, 0.3]), 1e-12)
    array([0.7, 0.3, 0.3])
    """
    order, first = sort_rounded(values, rounding)
    lowest = np.take_along_axis(values, np.take_along_axis(order, first, axis=-1), axis=-1)
    output = np.empty_like(values)
    np.put_along_axis(output, order, lowest, axis=-1)
    return output
