"""Where things are in a picture: the numbers on its axes, and texts beside their points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from cranfield.report.late import pl
from cranfield.report.pictures import LOOK, alt, rows_of, shortened

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


def finished(chart: Any, title: str) -> Any:
    if title:
        chart = chart.properties(title={"text": title, "fontSize": 15, "offset": 12})
    return chart.configure(**LOOK)


def headed(chart: Any, heading: str, told: Sequence[str], offset: int = 0, **size: float) -> Any:
    """A chart below what it shows, and what is to be known of it."""
    title = {"text": heading, "subtitle": told} | ({"offset": offset} if offset else {})
    return finished(chart.properties(**size, title=title), "")


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

Point = tuple[float, float]  # from the left, and from the top
Box = tuple[float, float, float, float]  # left, top, right, bottom


def texts_at(base: Any, data: pl.DataFrame, **look: Any) -> list[Any]:
    """The labels of points at their places; those without a place are not shown."""
    return [
        base.mark_text(**PLACES[place], **look)
        .encode(alt.Text("label:N"))
        .properties(data=rows_of(data.filter(data["place"] == place)))
        for place in data["place"].unique(maintain_order=True)
        if place
    ]


def points_at(
    xs: Iterable[float], ys: Iterable[float], axes: Iterable[Ticks], width: float, height: float
) -> list[Point]:
    """Where values are in a panel."""
    (left, right), (bottom, top) = ((ticks[0], ticks[-1]) for ticks in axes)
    return [
        ((x - left) / (right - left) * width, (top - y) / (top - bottom) * height)
        for x, y in zip(xs, ys, strict=True)
    ]


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
    sides: Sequence[str] = (),
    most: int | None = None,
) -> list[str]:
    """Where each point has its text, on its own side if it can be: none covers what is taken, nor
    another text. One that has no room has no place, nor has one after the first `most`.
    """
    from rich.cells import cell_len

    covered, chosen = list(taken), []
    for k, (point, text) in enumerate(zip(at[:most], texts[:most], strict=True)):
        boxes = {place: _box(point, LETTER * cell_len(text), place) for place in PLACES}
        hidden = {place: _hidden(box, covered, width, height) for place, box in boxes.items()}
        own = sides[k] if sides else "right"
        place = min(hidden, key=lambda name: (hidden[name], name != own))
        chosen.append(place if hidden[place] <= TOUCH else "")
        covered += [boxes[place]] if chosen[-1] else []
    return chosen + [""] * (len(texts) - len(chosen))


def named(
    frames: Sequence[pl.DataFrame],
    names: Sequence[str],
    at: Sequence[Sequence[Point]],
    taken: Sequence[Sequence[Box]],
    size: tuple[float, float],
    most: int,
) -> list[pl.DataFrame]:
    """The runs of each frame, with their names and the places of these beside their points.

    The first `most` may have a place; names are as long as lets most of them have one.
    """
    tries: list[list[pl.DataFrame]] = []
    for share in (2, 4, 6):
        short = shortened(names, max(8, int(size[0] / LETTER / share)))
        label_of = dict(zip(names, short, strict=True))
        tries.append([])
        for frame, points, boxes in zip(frames, at, taken, strict=True):
            labels = [label_of[run] for run in frame["run"]]
            places = places_for(points, labels, *size, boxes, most=most)
            columns = pl.Series("label", labels), pl.Series("place", places)
            tries[-1].append(frame.with_columns(columns))
    return max(tries, key=lambda made: sum((frame["place"] != "").sum() for frame in made))


def _box(point: Point, long: float, place: str) -> Box:
    """What a text covers beside, above or below its point."""
    (x, y), look = point, PLACES[place]
    left = x + look.get("dx", 0) - long * {"left": 0, "center": 0.5, "right": 1}[look["align"]]
    top = y + look.get("dy", 0) - LINE * {"top": 0, "middle": 0.5, "bottom": 1}[look["baseline"]]
    return left, top, left + long, top + LINE


def _hidden(box: Box, taken: Sequence[Box], width: float, height: float) -> float:
    """How much of others a text would cover, and how much of it would be outside."""
    left, top, right, bottom = box
    outside = max(0.0, -left) + max(0.0, right - width) + max(0.0, -top) + max(0.0, bottom - height)
    covered = sum(
        max(0.0, min(right, r) - max(left, l)) * max(0.0, min(bottom, b) - max(top, t))
        for l, t, r, b in taken
    )
    return covered + 2 * LINE * outside


# -- panels of points -----------------------------------------------------------------------------


class Square:
    """A panel that shows how two columns of some rows differ, given with the titles of their axes:
    both have the same.
    """

    def __init__(
        self, data: pl.DataFrame, titles: Mapping[str, str], side: float, **axis: Any
    ) -> None:
        self.data, self.columns, self.side = data, tuple(titles), side
        self.ticks = around_all([v for name in titles for v in data[name]])
        scale = alt.Scale(domain=[self.ticks[0], self.ticks[-1]], nice=False, zero=False)
        ticks = alt.Axis(values=self.ticks, labelOverlap=True, labelFlush=False, **axis)
        self.axes = [
            channel(f"{name}:Q", title=title, scale=scale, axis=ticks)
            for channel, (name, title) in zip((alt.X, alt.Y), titles.items(), strict=True)
        ]

    def named(self, data: pl.DataFrame, most: int) -> pl.DataFrame:
        """Runs with their names and the places of these, at the first `most` at the utmost."""
        labels = shortened(data["run"].to_list(), 16)
        taken = [around(point, 5) for point in self._at(self.data)]
        chosen = places_for(self._at(data), labels, self.side, self.side, taken, most=most)
        made = {"label": labels, "place": chosen}
        return data.with_columns(pl.Series(name, of, pl.String) for name, of in made.items())

    def _at(self, data: pl.DataFrame) -> list[Point]:
        xs, ys = (data[name] for name in self.columns)
        return points_at(xs, ys, (self.ticks, self.ticks), self.side, self.side)

    def equal(self, **look: Any) -> Any:
        """The line on which both are equal."""
        ends = [dict.fromkeys(self.columns, end) for end in (self.ticks[0], self.ticks[-1])]
        return alt.Chart(alt.Data(values=ends)).mark_line(**look).encode(*self.axes)

    def drawn(self, *layers: Any) -> Any:
        """What is in the panel."""
        return alt.layer(*layers).properties(width=self.side, height=self.side)
