"""The picture of diversified search: relevance against intent recall, a point for each run.

It is drawn from a frame that `cranfield.plot` makes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from cranfield.measures.parameters import shown
from cranfield.report import places
from cranfield.report.late import pl
from cranfield.report.pictures import alt, rows_of
from cranfield.report.places import Box, Point, Ticks, around_all

SIDE = 380.0  # of the panel, in points
PADDING = 8.0  # points around the axes, so that a run at 0 or 1 is seen whole
NAMED = 150  # names of runs that are tried to be placed
POINT, CROSS, LINES, VALUES = "#0072B2", "#7fb3d5", "#d0d0d0", "#808080"  # told apart in grey, too
HALO = {"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"}  # below text, over lines


class Plane(NamedTuple):
    """What is drawn against what: `y` against `x`, and lines of γ·x + (1 − γ)·y."""

    x: str
    y: str
    gamma: float
    zoom: bool = False
    width: float = SIDE
    height: float = SIDE

    def axes(self, data: pl.DataFrame) -> tuple[Ticks, Ticks]:
        """From 0 to 1, and beyond if a run is; zoomed, around the runs and their intervals."""
        return self._axis(data, self.x), self._axis(data, self.y)

    def _axis(self, data: pl.DataFrame, name: str) -> Ticks:
        if self.zoom:
            columns = [column for column in (name, *ends(name)) if column in data.columns]
            return around_all(v for column in columns for v in data[column].drop_nans())
        values = data[name].to_list()  # but not its interval, which may pass where it ends
        return places.ticks_of(min(0.0, *values), max(1.0, *values))

    def window(self, axes: Sequence[Ticks]) -> list[Ticks]:
        """The ends of the panel, a little beyond those of the axes."""
        made = []
        for ticks, side in zip(axes, (self.width, self.height), strict=True):
            room = PADDING * (ticks[-1] - ticks[0]) / max(side - 2 * PADDING, 1.0)
            made.append([ticks[0] - room, ticks[-1] + room])
        return made

    def at(self, points: Sequence[Point], window: Sequence[Ticks]) -> list[Point]:
        """Where values are in the panel."""
        xs, ys = ([point[k] for point in points] for k in (0, 1))
        return places.points_at(xs, ys, window, self.width, self.height)

    def formula(self) -> str:
        """What the lines are lines of.

        >>> Plane("IRec@10", "D(nDCG)@10", 0.5).formula()
        'D# = 0.5 IRec@10 + 0.5 D(nDCG)@10'
        """
        sharp = "D# = " if self.y.startswith("D(") else ""
        rest = round(1 - self.gamma, 12)
        return f"{sharp}{shown(self.gamma)} {self.x} + {shown(rest)} {self.y}"


def ends(name: str) -> tuple[str, str]:
    """The columns of a measure's interval."""
    return f"{name}.low", f"{name}.high"


def scatter(data: pl.DataFrame, plane: Plane, names: bool, said: str = "", title: str = "") -> Any:
    """A point for each run, over lines on which all runs have the same ♯ value.

    With columns for the ends of intervals, a cross at each point shows them; `said` says so.
    """
    axes = plane.axes(data)
    window = plane.window(axes)
    x, y = (
        channel(f"{name}:Q", title=measure, axis=alt.Axis(values=ticks, grid=False),
                scale=alt.Scale(domain=domain, nice=False, zero=False))
        for channel, name, measure, ticks, domain in zip(
            (alt.X, alt.Y), "xy", (plane.x, plane.y), axes, window, strict=True
        )
    )  # fmt: skip
    data = _as_drawn(placed(data, plane, names), plane)
    base = alt.Chart(rows_of(data)).encode(x, y)
    tooltip = [alt.Tooltip("run:N")] + [
        alt.Tooltip(f"{name}:Q", title=measure, format=".4f")
        for name, measure in (("x", plane.x), ("y", plane.y), ("sharp", plane.formula()))
    ]
    cross = base.mark_rule(color=CROSS, strokeWidth=0.8, clip=True)
    arms = (alt.X("x_low:Q"), alt.X2("x_high:Q")), (alt.Y("y_low:Q"), alt.Y2("y_high:Q"))
    crosses = [cross.encode(*ends) for ends in arms if "x_low" in data.columns]
    points = base.mark_point(filled=True, color=POINT, opacity=0.85).encode(tooltip=tooltip)
    # Halos hide the lines below names, but never a part of a cross.
    names_below, names_above = places.texts_at(base, data, **HALO), places.texts_at(base, data)
    layers = [*_lines(x, y, plane, axes), *names_below, *crosses, points, *names_above]
    told = [f"lines: {plane.formula()}", *([said] if said else [])]
    chart, heading = alt.layer(*layers).interactive(), title or f"{plane.y} against {plane.x}"
    return places.headed(chart, heading, told, width=plane.width, height=plane.height)


def _as_drawn(data: pl.DataFrame, plane: Plane) -> pl.DataFrame:
    """The frame with names that a chart can take: those of measures hold dots and brackets."""
    new = {
        old: axis + end
        for name, axis in ((plane.x, "x"), (plane.y, "y"))
        for old, end in zip((name, *ends(name)), ("", "_low", "_high"), strict=True)
    }
    return data.rename({old: name for old, name in new.items() if old in data.columns})


# -- lines of equal value -------------------------------------------------------------------------

SHORT = 24.0  # points of a line that has no room for its value
INWARD = 22.0  # points from the upper left end of a line to its value


class Level(NamedTuple):
    """A line of equal value, from its upper left end to the lower right one."""

    value: float
    start: Point
    stop: Point


def levels(gamma: float, axes: Sequence[Ticks], window: Sequence[Ticks]) -> list[Level]:
    """The lines γ·x + (1 − γ)·y = c through a window, for round c between the ends of the axes.

    >>> levels(0.5, [[0, 1], [0, 1]], [[0, 1], [0, 1]])[0]
    Level(value=0.1, start=(0, 0.2), stop=(0.2, 0))
    """
    low, high = (gamma * axes[0][end] + (1 - gamma) * axes[1][end] for end in (0, -1))
    step, digits = places.round_step((high - low) / 10 * (1 - 1e-9))
    inside = range(math.floor(low / step + 1e-9) + 1, math.ceil(high / step - 1e-9))
    values = [round(k * step, digits) for k in inside]
    return [Level(value, *_clipped(value, gamma, window)) for value in values]


def _clipped(c: float, gamma: float, window: Sequence[Ticks]) -> tuple[Point, Point]:
    """Where a line enters a window, on the left or above, and where it leaves it."""
    (left, right), (bottom, top) = window
    if gamma == 0:
        return (left, c), (right, c)
    if gamma == 1:
        return (c, top), (c, bottom)

    def x_at(y: float) -> float:
        return round((c - (1 - gamma) * y) / gamma, 12)

    def y_at(x: float) -> float:
        return round((c - gamma * x) / (1 - gamma), 12)

    start = (left, y_at(left)) if y_at(left) <= top else (x_at(top), top)
    stop = (right, y_at(right)) if y_at(right) >= bottom else (x_at(bottom), bottom)
    return start, stop


def _values(plane: Plane, axes: Sequence[Ticks]) -> list[tuple[Level, Point]]:
    """The lines that have room for their value, and where it is on them."""
    window = plane.window(axes)
    made = []
    for level in levels(plane.gamma, axes, window):
        (x, y), (to_x, to_y) = level.start, level.stop
        long = math.dist(*plane.at([level.start, level.stop], window))
        if long >= SHORT:
            share = min(INWARD / long, 0.5)
            made.append((level, (x + share * (to_x - x), y + share * (to_y - y))))
    return made


def _lines(x: Any, y: Any, plane: Plane, axes: Sequence[Ticks]) -> list[Any]:
    """The lines, and on each its value."""
    found = levels(plane.gamma, axes, plane.window(axes))
    drawn = [{"x": a[0], "y": a[1], "x2": b[0], "y2": b[1]} for _, a, b in found]
    values = [
        {"x": at[0], "y": at[1], "value": shown(level.value)} for level, at in _values(plane, axes)
    ]
    line = alt.Chart(alt.Data(values=drawn)).mark_rule(color=LINES, strokeWidth=0.8, clip=True)
    text = alt.Chart(alt.Data(values=values)).encode(x, y, alt.Text("value:N"))
    return [
        line.encode(x, y, alt.X2("x2"), alt.Y2("y2")),
        text.mark_text(fontSize=10, **HALO),
        text.mark_text(fontSize=10, color=VALUES),
    ]


# -- names ----------------------------------------------------------------------------------------

THIN = 0.05  # half a line's width, in points, as far as names care


def placed(data: pl.DataFrame, plane: Plane, names: bool = True) -> pl.DataFrame:
    """The runs, the best first, with their names and the places of these.

    The last may have no place.
    """
    data = data.sort("sharp", descending=True, maintain_order=True)
    axes = plane.axes(data)
    at = plane.at(data.select(plane.x, plane.y).rows(), plane.window(axes))
    taken = (
        [places.around(point, 5) for point in at] + _written(plane, axes) + _crosses(data, plane)
    )
    size, most = (plane.width, plane.height), NAMED if names else 0
    return places.named([data], data["run"].to_list(), [at], [taken], size, most)[0]


def _written(plane: Plane, axes: Sequence[Ticks]) -> list[Box]:
    """What the values of lines cover."""
    found = _values(plane, axes)
    middles = plane.at([at for _, at in found], plane.window(axes))
    halves = [places.LETTER * len(shown(level.value)) / 2 for level, _ in found]
    return [(x - w, y - 6, x + w, y + 6) for (x, y), w in zip(middles, halves, strict=True)]


def _crosses(data: pl.DataFrame, plane: Plane) -> list[Box]:
    """What the intervals cover, if there are any: so little that a name may lie across an arm of
    a cross, but not along it.
    """
    columns = [plane.x, plane.y, *ends(plane.x), *ends(plane.y)]
    if not set(columns) <= set(data.columns):
        return []
    window = plane.window(plane.axes(data))
    boxes = []
    for x, y, left, right, low, high in data.select(columns).drop_nans().rows():
        at = plane.at([(left, y), (right, y), (x, high), (x, low)], window)
        for (x1, y1), (x2, y2) in (at[:2], at[2:]):
            boxes.append((x1 - THIN, y1 - THIN, x2 + THIN, y2 + THIN))
    return boxes


def unnamed(data: pl.DataFrame, plane: Plane) -> int:
    """How many runs have a point without a name, for want of room."""
    return int((placed(data, plane)["place"] == "").sum())
