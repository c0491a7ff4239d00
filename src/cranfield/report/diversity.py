"""Chart of diversified search: relevance against intent recall, a point per run.

`cranfield.plot` makes the frame, with the columns run, x, y, sharp, and optionally the ends of
intervals: x_low, x_high, y_low and y_high.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from cranfield.figures import charts, layout
from cranfield.figures.charts import Plane
from cranfield.figures.figure import alt
from cranfield.figures.layout import Box, Point, Ticks
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.measures.parameters import format_value

SIDE = 380.0  # of the panel in points
PADDING = 8.0  # points around the axes, for runs at 0 or 1
MAX_NAMES = 150  # names of runs to place
CROSS, LINES = "#7fb3d5", "#d0d0d0"  # distinct from points, also in grey
HALO = {"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"}  # below text, over lines


def build_plane(data: pl.DataFrame, x: str, y: str, zoom: bool, theme: Theme) -> Plane:
    """Build a plane of one measure against another.

    Axes go from 0 to 1, or beyond if a run does. With `zoom`, they fit the runs and their
    intervals."""
    axes = [_choose_axis(data, name, zoom) for name in "xy"]
    size = theme.choose_size(SIDE, SIDE)
    return Plane({"x": x, "y": y}, axes, *size, theme, PADDING, {"grid": False})


def _choose_axis(data: pl.DataFrame, name: str, zoom: bool) -> Ticks:
    if zoom:
        columns = data.select(pl.col(f"^{name}(_low|_high)?$"))
        return layout.fit_ticks(v for column in columns for v in column.drop_nans())
    values = data[name].to_list()  # without intervals, which can exceed the axes
    return layout.choose_ticks(min(0.0, *values), max(1.0, *values))


def format_formula(x: str, y: str, gamma: float) -> str:
    """Return the equation of the lines.

    >>> format_formula("IRec@10", "D(nDCG)@10", 0.5)
    'D# = 0.5 IRec@10 + 0.5 D(nDCG)@10'
    """
    sharp = "D# = " if y.startswith("D(") else ""
    return f"{sharp}{format_value(gamma)} {x} + {format_value(round(1 - gamma, 12))} {y}"


def draw_scatter(data: pl.DataFrame, plane: Plane, gamma: float, cross_note: str = "") -> Any:
    """Draw a point per run, above lines of equal ♯ value.

    If the data have ends of intervals, each point has a cross, described by `cross_note`.
    """
    x, y = plane.titles.values()
    sharp = format_formula(x, y, gamma)
    columns = {"x": x, "y": y, "sharp": sharp}.items()
    tooltip = [alt.Tooltip(f"{c}:Q", title=name, format=".4f") for c, name in columns]
    colour = "#b3b3b3" if plane.theme.grey else CROSS
    cross = plane.base.mark_rule(color=colour, strokeWidth=0.8, clip=True)
    arms = (alt.X("x_low:Q"), alt.X2("x_high:Q")), (alt.Y("y_low:Q"), alt.Y2("y_high:Q"))
    crosses = [cross.encode(*ends) for ends in arms if "x_low" in data.columns]
    lines = plane.base.properties(data=charts.to_chart_data(_build_lines(plane, gamma)))
    line = lines.mark_rule(color=LINES, strokeWidth=0.8, clip=True)
    moved = lines.transform_calculate(x="datum.at_x", y="datum.at_y")
    value, small = moved.encode(alt.Text("value:N")), plane.theme.scale_points(10)
    # Halos hide the lines below names, but never a part of a cross.
    layers = [
        line.encode(alt.X2("x2"), alt.Y2("y2")),
        *(value.mark_text(fontSize=small, **style) for style in (HALO, {"color": charts.GREY})),
        *plane.draw_labels(data, **HALO),
        *crosses,
        plane.draw_points(["run:N", *tooltip], data["run"]),
        *plane.draw_labels(data),
    ]
    caption_lines = [f"lines: {sharp}", *([cross_note] if cross_note else [])]
    chart = plane.build_panel(data, *layers).interactive()
    return charts.finish_chart(chart, plane.theme, f"{y} against {x}", caption_lines)


# -- lines of equal value -------------------------------------------------------------------------

SHORT = 24.0  # points, lines below this length have no value
INWARD = 22.0  # points from the upper left end of a line to its value


class Level(NamedTuple):
    """Line of equal value, from its upper left to its lower right end."""

    value: float
    start: Point
    stop: Point


def compute_levels(gamma: float, axes: Sequence[Ticks], window: Sequence[Ticks]) -> list[Level]:
    """Return the lines γ·x + (1 − γ)·y = c in a window, for round values of c.

    >>> compute_levels(0.5, [[0, 1], [0, 1]], [[0, 1], [0, 1]])[0]
    Level(value=0.1, start=(0, 0.2), stop=(0.2, 0))
    """
    low, high = (gamma * axes[0][end] + (1 - gamma) * axes[1][end] for end in (0, -1))
    step, digits = layout.round_step((high - low) / 10 * (1 - 1e-9))
    steps = range(math.floor(low / step + 1e-9) + 1, math.ceil(high / step - 1e-9))
    values = [round(k * step, digits) for k in steps]
    return [Level(value, *_clip_line(value, gamma, window)) for value in values]


def _clip_line(c: float, gamma: float, window: Sequence[Ticks]) -> tuple[Point, Point]:
    """Return the points at which a line enters and leaves a window."""
    (left, right), (bottom, top) = window

    def solve_other(weight: float, value: float) -> float:
        """Solve the equation for the other coordinate."""
        rest = c - weight * value
        return round(rest / (1 - weight), 12) if weight < 1 else math.copysign(math.inf, rest)

    start = max(left, solve_other(1 - gamma, top)), min(top, solve_other(gamma, left))
    return start, (min(right, solve_other(1 - gamma, bottom)), max(bottom, solve_other(gamma, right)))


def _build_lines(plane: Plane, gamma: float) -> pl.DataFrame:
    """Return the ends of the lines and the places of their values."""
    rows = []
    for value, (x, y), (x2, y2) in compute_levels(gamma, plane.axes, plane.window):
        long = math.dist(*plane.locate([(x, y), (x2, y2)]))
        share = min(INWARD / max(long, SHORT), 0.5)
        text = format_value(value) if long >= SHORT else ""
        rows.append((x, y, x2, y2, x + share * (x2 - x), y + share * (y2 - y), text))
    return pl.DataFrame(rows, ("x", "y", "x2", "y2", "at_x", "at_y", "value"), orient="row")


# -- names ----------------------------------------------------------------------------------------

HALF_CROSS_WIDTH = 0.05  # points


def place_names(data: pl.DataFrame, plane: Plane, gamma: float, names: bool = True) -> pl.DataFrame:
    """Return the runs, best first, with placed names.

    The last runs can be without a place.
    """
    data = data.sort("sharp", descending=True, maintain_order=True)
    occupied = _compute_value_boxes(plane, gamma) + _compute_cross_boxes(data, plane)
    return plane.place_names(data, data, MAX_NAMES if names else 0, occupied)


def _compute_value_boxes(plane: Plane, gamma: float) -> list[Box]:
    """Return the boxes of the values of lines."""
    lines_with_value = _build_lines(plane, gamma).filter(pl.col("value") != "")
    middles = plane.locate(lines_with_value.select("at_x", "at_y").rows())
    halves = lines_with_value["value"].str.len_chars() * layout.LETTER / 2
    return [(x - w, y - 6, x + w, y + 6) for (x, y), w in zip(middles, halves, strict=True)]


def _compute_cross_boxes(data: pl.DataFrame, plane: Plane) -> list[Box]:
    """Return the boxes of the intervals, which a name may cross but not follow."""
    if "x_low" not in data.columns:
        return []
    columns = "x", "y", "x_low", "x_high", "y_low", "y_high"
    boxes = []
    for x, y, left, right, low, high in data.select(columns).drop_nans().rows():
        points = plane.locate([(left, y), (right, y), (x, high), (x, low)])
        for (x1, y1), (x2, y2) in (points[:2], points[2:]):
            boxes.append((x1 - HALF_CROSS_WIDTH, y1 - HALF_CROSS_WIDTH, x2 + HALF_CROSS_WIDTH, y2 + HALF_CROSS_WIDTH))
    return boxes
