"""What arrays hold: the types that all rooms share, and which of their numbers are the same.

Rounding must not decide: 0.1 + 0.2 is not 0.3, and 0.3 − 0.2 not 0.2 − 0.1. Whatever depends on
which of two numbers is the greater, such as ranks, signs, ties and best items, asks here.
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
else:  # numpy.typing is for those who check types
    Floats = Ints = Bools = Bytes = Words = np.ndarray

LARGEST = 1e12  # level or gain: sums of them remain finite, and still know what 1 is
TOLERANCE = 1e-12  # of the largest number that was added: what rounding may make of a tie


def estimate_rounding(*values: Any) -> float:
    """What rounding may make of a difference of 0 between such values, NaN and infinite ones apart.

    >>> rounding_of([0.5, float("nan")], [-2.0])
    2e-12
    """
    magnitudes = [np.abs(np.asarray(x, dtype=np.float64)) for x in values]
    return TOLERANCE * max(float(x[np.isfinite(x)].max(initial=0.0)) for x in magnitudes)


def subtract_rounded(x: Any, y: Any, rounding: Any) -> Floats:
    """x − y, and 0 where rounding could have made it.

    >>> apart(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5]), 1e-12)
    array([0. , 0.5])
    """
    z = x - y
    return np.where(np.abs(z) <= rounding, 0.0, z)


def sort_rounded(values: Floats, rounding: Any) -> tuple[Ints, Ints]:
    """The order of the values along the last axis, the lowest first, and at each of its places the
    first place of the same value. `rounding` is one for all, or that of each value.

    >>> order, first = placed(np.array([0.7, 0.1 + 0.2, 0.3]), 1e-12)
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
    """The values, where those that differ by rounding alone are all as the lowest of them.

    >>> settled(np.array([0.7, 0.1 + 0.2, 0.3]), 1e-12)
    array([0.7, 0.3, 0.3])
    """
    order, first = sort_rounded(values, rounding)
    lowest = np.take_along_axis(values, np.take_along_axis(order, first, axis=-1), axis=-1)
    output = np.empty_like(values)
    np.put_along_axis(output, order, lowest, axis=-1)
    return output
