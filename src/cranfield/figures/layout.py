"""Layout of figures: ticks of axes, places of labels, shortened names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from cranfield.wording import measure_width

LETTER, LINE = 6.3, 13.0  # points, size of text with font size 11

Ticks = list[float]


def from_zero(values: Iterable[float], room: float) -> Ticks:
    """Choose ticks from 0 (or the lowest negative value) to above all values."""
    numbers = [value for value in values if not math.isnan(value)]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    return choose_ticks(min(low, 0.0), max(high, 0.0) / (1 - room) or 1.0)


def fit_ticks(values: Iterable[float]) -> Ticks:
    """Choose ticks with space around the points for their names."""
    numbers = list(values)
    low, high = min(numbers), max(numbers)
    is_constant = math.isclose(low, high)  # except for rounding errors
    room = (0.1 * abs(high) or 1.0) if is_constant else 0.12 * (high - low)
    return choose_ticks(low - room if low < 0 else max(low - room, 0.0), high + room)


def choose_ticks(low: float, high: float) -> Ticks:
    """Choose round numbers from below the lowest to above the highest value.

    An axis that ends with a number has it at the same height in all panels, and the title above it.

    >>> choose_ticks(0.1, 0.95)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    step, digits = round_step((high - low) / 8)
    steps = range(math.floor(low / step), math.ceil(high / step) + 1)
    return [round(k * step, digits) for k in steps]


def round_step(least: float) -> tuple[float, int]:
    """The next 1, 2 or 5 times a power of ten, and the decimals of what it leads to.

    >>> round_step(0.12)
    (0.2, 1)
    """
    digits = -math.floor(math.log10(least))
    return next(x for k in (1, 2, 5, 10) if (x := k * 10.0**-digits) >= least), digits


# -- texts beside their points --------------------------------------------------------------------

PLACES: dict[str, dict[str, Any]] = {
    "right": {"align": "left", "baseline": "middle", "dx": 7},
    "left": {"align": "right", "baseline": "middle", "dx": -7},
    "above": {"align": "center", "baseline": "bottom", "dy": -6},
    "below": {"align": "center", "baseline": "top", "dy": 7},
    "above right": {"align": "left", "baseline": "bottom", "dx": 4, "dy": -4},
    "above left": {"align": "right", "baseline": "bottom", "dx": -4, "dy": -4},
    "below right": {"align": "left", "baseline": "top", "dx": 4, "dy": 5},
    "below left": {"align": "right", "baseline": "top", "dx": -4, "dy": 5},
}
MAX_OVERLAP = 4.0  # square points
MIN_DISTANCE_RATIO = 1.25  # of other points, relative to the distance of a label from its own point
SAME_POINT = 1.5  # points; closer points look like one

Point = tuple[float, float]  # from the left and from the top
Box = tuple[float, float, float, float]  # left, top, right, bottom


def sample_points(points: Sequence[Point]) -> Iterator[Point]:
    """Yield points on a line, at most 4 points apart."""
    for (x, y), (to_x, to_y) in pairwise(points):
        steps = math.ceil(math.dist((x, y), (to_x, to_y)) / 4)
        for k in range(1, steps):
            yield x + (to_x - x) * k / steps, y + (to_y - y) * k / steps


def build_box(point: Point, reach: float) -> Box:
    x, y = point
    return x - reach, y - reach, x + reach, y + reach


def choose_places(
    points: Sequence[Point],
    texts: Sequence[str],
    width: float,
    height: float,
    occupied: Sequence[Box],
    size: float = 1.0,
    sides: Sequence[str] = (),
    limit: int | None = None,
    neighbours: Sequence[Point] = (),
) -> list[str]:
    """Choose the place of each label, on its preferred side if possible.

    No label overlaps occupied boxes or other labels. No label is closer to a neighbour than to its
    own point. The place is empty if there is no space, and for labels after the first `limit`.
    `size` scales the labels."""
    covered, places = list(occupied), []
    for k, (point, text) in enumerate(zip(points[:limit], texts[:limit], strict=True)):
        long = LETTER * size * measure_width(text)
        boxes = {place: _compute_box(point, long, LINE * size, place) for place in PLACES}
        boxes = {place: box for place, box in boxes.items() if _is_nearest(box, point, neighbours)}
        if not boxes:
            places.append("")
            continue
        hidden = {place: _compute_overlap(box, covered, width, height) for place, box in boxes.items()}
        preferred = sides[k] if sides else "right"
        place = min(hidden, key=lambda name: (hidden[name], name != preferred))
        places.append(place if hidden[place] <= MAX_OVERLAP else "")
        covered += [boxes[place]] if places[-1] else []
    return places + [""] * (len(texts) - len(places))


def _compute_box(point: Point, long: float, high: float, place: str) -> Box:
    """Return the box of a label next to, above or below its point."""
    (x, y), look = point, PLACES[place]
    left = x + look.get("dx", 0) - long * {"left": 0, "center": 0.5, "right": 1}[look["align"]]
    top = y + look.get("dy", 0) - high * {"top": 0, "middle": 0.5, "bottom": 1}[look["baseline"]]
    return left, top, left + long, top + high


def _is_nearest(box: Box, point: Point, neighbours: Sequence[Point]) -> bool:
    """Return True if a label is clearly closer to its point than to the neighbours."""
    required = MIN_DISTANCE_RATIO * _compute_distance(box, point)
    return all(
        math.dist(point, neighbour) < SAME_POINT or _compute_distance(box, neighbour) > required
        for neighbour in neighbours
    )


def _compute_distance(box: Box, point: Point) -> float:
    """Return the distance of a point from a box.

    >>> _compute_distance((3, 4, 9, 9), (0, 0)), _compute_distance((3, 4, 9, 9), (5, 5))
    (5.0, 0.0)
    """
    (left, top, right, bottom), (x, y) = box, point
    return math.hypot(max(left - x, 0.0, x - right), max(top - y, 0.0, y - bottom))


def _compute_overlap(box: Box, occupied: Sequence[Box], width: float, height: float) -> float:
    """Return the covered area plus a penalty for the part outside the panel."""
    left, top, right, bottom = box
    outside = max(0.0, -left) + max(0.0, right - width) + max(0.0, -top) + max(0.0, bottom - height)
    covered = sum(
        max(0.0, min(right, r) - max(left, l)) * max(0.0, min(bottom, b) - max(top, t)) for l, t, r, b in occupied
    )
    return covered + 2 * LINE * outside


# -- names that have room -------------------------------------------------------------------------


def shorten_names(names: Sequence[str], max_length: int) -> list[str]:
    """Shorten names to `max_length` characters and keep them distinct.

    The common prefix and suffix are removed first, then the middle of a name. Names that become
    equal get their number, ``…#3``.

    >>> shorten_names(["bm25", "dense"], 8)
    ['bm25', 'dense']
    >>> shorten_names(["our_group_bm25_v1", "our_group_dense_v1"], 12)
    ['our_g…bm25…', 'our_g…dense…']
    >>> shorten_names(["retrievability", "bm25"], 9)
    ['retr…lity', 'bm25']
    """
    if max(map(len, names), default=0) <= max_length:
        return list(names)
    prefix = _find_common_prefix(names)
    rests = [name.removeprefix(prefix)[::-1] for name in names]
    suffix = _find_common_prefix(rests)
    stems = [rest.removeprefix(suffix)[::-1] + ("…" if suffix else "") for rest in rests]
    if prefix:
        room = max_length - 1 - max(map(len, stems))
        stems = [f"{prefix[: max(0, room)]}…{name}" for name in stems]
    half = (max_length - 1) // 2
    candidates = [x if len(x) <= max_length else f"{x[:half]}…{x[-half:]}" for x in stems]
    equal = {name for name, count in Counter(candidates).items() if count > 1}
    return [
        f"{name[: max_length - 5].rstrip('…')}…#{number}" if name in equal else name
        for number, name in enumerate(candidates, 1)
    ]


def _find_common_prefix(names: Sequence[str]) -> str:
    """Return the complete words with which all names start.

    >>> _find_common_prefix(["bm25_v10", "bm25_v12"]), _find_common_prefix(["bm25", "bm26"])
    ('bm25_', '')
    """
    first, last = min(names), max(names)
    mismatch = next((k for k, c in enumerate(first) if c != last[k]), len(first))
    return first[: max((k for k in range(mismatch + 1) if not first[k - 1 : k].isalnum()), default=0)]
