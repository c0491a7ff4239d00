"""Where things are in a picture: numbers on its axes, texts beside points, names with room."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from cranfield.wording import cells

LETTER, LINE = 6.3, 13.0  # size of text of 11 points

Ticks = list[float]


def from_zero(values: Iterable[float], room: float) -> Ticks:
    """An axis that begins at 0, or below it if a value is, with some room beyond the values."""
    known = [value for value in values if not math.isnan(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    return ticks_of(min(low, 0.0), max(high, 0.0) / (1 - room) or 1.0)


def around_all(values: Iterable[float]) -> Ticks:
    """An axis with room around the points for their names."""
    known = list(values)
    low, high = min(known), max(known)
    same = math.isclose(low, high)  # but for rounding
    room = (0.1 * abs(high) or 1.0) if same else 0.12 * (high - low)
    return ticks_of(low - room if low < 0 else max(low - room, 0.0), high + room)


def ticks_of(low: float, high: float) -> Ticks:
    """Round numbers from below the lowest to above the highest.

    An axis that ends in a number has it at the same height in all panels, and the title above it.

    >>> ticks_of(0.1, 0.95)
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
TOUCH = 4.0  # square points of others that a text may cover
CLEARLY = 1.25  # times the distance of a text from its point: where other points may begin
SAME = 1.5  # points between two points that look like one

Point = tuple[float, float]  # from the left, and from the top
Box = tuple[float, float, float, float]  # left, top, right, bottom


def between(points: Sequence[Point]) -> Iterator[Point]:
    """Points of a line, close to each other."""
    for (x, y), (to_x, to_y) in pairwise(points):
        steps = math.ceil(math.dist((x, y), (to_x, to_y)) / 4)
        for k in range(1, steps):
            yield x + (to_x - x) * k / steps, y + (to_y - y) * k / steps


def around(point: Point, reach: float) -> Box:
    x, y = point
    return x - reach, y - reach, x + reach, y + reach


def places_for(
    at: Sequence[Point],
    texts: Sequence[str],
    width: float,
    height: float,
    taken: Sequence[Box],
    size: float = 1.0,
    sides: Sequence[str] = (),
    most: int | None = None,
    among: Sequence[Point] = (),
) -> list[str]:
    """Choose the place of each point's text, on its own side if possible.

    No text covers what is taken or another text, and none is closer to another point of `among`
    than to its own. A text without room has no place, nor has one after the first `most`. Texts
    are `size` times as large as usual.
    """
    covered, chosen = list(taken), []
    for k, (point, text) in enumerate(zip(at[:most], texts[:most], strict=True)):
        long = LETTER * size * cells(text)
        boxes = {place: _box(point, long, LINE * size, place) for place in PLACES}
        boxes = {place: box for place, box in boxes.items() if _is_nearest(box, point, among)}
        if not boxes:
            chosen.append("")
            continue
        hidden = {place: _hidden(box, covered, width, height) for place, box in boxes.items()}
        own = sides[k] if sides else "right"
        place = min(hidden, key=lambda name: (hidden[name], name != own))
        chosen.append(place if hidden[place] <= TOUCH else "")
        covered += [boxes[place]] if chosen[-1] else []
    return chosen + [""] * (len(texts) - len(chosen))


def _box(point: Point, long: float, high: float, place: str) -> Box:
    """What a text covers beside, above or below its point."""
    (x, y), look = point, PLACES[place]
    left = x + look.get("dx", 0) - long * {"left": 0, "center": 0.5, "right": 1}[look["align"]]
    top = y + look.get("dy", 0) - high * {"top": 0, "middle": 0.5, "bottom": 1}[look["baseline"]]
    return left, top, left + long, top + high


def _is_nearest(box: Box, point: Point, among: Sequence[Point]) -> bool:
    """Whether a text is clearly closer to its point than to the others."""
    own = CLEARLY * _distance(box, point)
    return all(math.dist(point, other) < SAME or _distance(box, other) > own for other in among)


def _distance(box: Box, point: Point) -> float:
    """The distance of a point from a box.

    >>> _distance((3, 4, 9, 9), (0, 0)), _distance((3, 4, 9, 9), (5, 5))
    (5.0, 0.0)
    """
    (left, top, right, bottom), (x, y) = box, point
    return math.hypot(max(left - x, 0.0, x - right), max(top - y, 0.0, y - bottom))


def _hidden(box: Box, taken: Sequence[Box], width: float, height: float) -> float:
    """How much of others a text would cover, and how much of it would be outside."""
    left, top, right, bottom = box
    outside = max(0.0, -left) + max(0.0, right - width) + max(0.0, -top) + max(0.0, bottom - height)
    covered = sum(
        max(0.0, min(right, r) - max(left, l)) * max(0.0, min(bottom, b) - max(top, t))
        for l, t, r, b in taken
    )
    return covered + 2 * LINE * outside


# -- names that have room -------------------------------------------------------------------------


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Names of at most `most` characters, as different as they were.

    What all begin and end with goes first, then what is in the middle of a name; names that are
    equal then have their number in the list, ``…#3``.

    >>> shortened(["bm25", "dense"], 8)
    ['bm25', 'dense']
    >>> shortened(["our_group_bm25_v1", "our_group_dense_v1"], 12)
    ['our_g…bm25…', 'our_g…dense…']
    >>> shortened(["retrievability", "bm25"], 9)
    ['retr…lity', 'bm25']
    """
    if max(map(len, names), default=0) <= most:
        return list(names)
    begin = _shared_words(names)
    rests = [name.removeprefix(begin)[::-1] for name in names]
    end = _shared_words(rests)
    own = [rest.removeprefix(end)[::-1] + ("…" if end else "") for rest in rests]
    if begin:
        room = most - 1 - max(map(len, own))
        own = [f"{begin[: max(0, room)]}…{name}" for name in own]
    half = (most - 1) // 2
    made = [x if len(x) <= most else f"{x[:half]}…{x[-half:]}" for x in own]
    equal = {name for name, count in Counter(made).items() if count > 1}
    return [
        f"{name[: most - 5].rstrip('…')}…#{number}" if name in equal else name
        for number, name in enumerate(made, 1)
    ]


def _shared_words(names: Sequence[str]) -> str:
    """The whole words that all names begin with.

    >>> _shared_words(["bm25_v10", "bm25_v12"]), _shared_words(["bm25", "bm26"])
    ('bm25_', '')
    """
    first, last = min(names), max(names)
    same = next((k for k, c in enumerate(first) if c != last[k]), len(first))
    return first[: max((k for k in range(same + 1) if not first[k - 1 : k].isalnum()), default=0)]
