"""What pictures are made of: axes, lines that can be told apart, points with names, panels.

All have one look. A picture takes some layers, such as `lines` with what they tell and a line
`across`, lays them into a `panel` with two axes, and is `finished` below a heading. Where texts
are to have room beside their points, a `Plane` knows where these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.report import places
from cranfield.report.late import pl
from cranfield.report.pictures import alt
from cranfield.report.places import Box, Point, Ticks

# Okabe and Ito's colours, which colour-blind people can tell apart; yellow, weak on white, is last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left",
          "triangle-right")  # fmt: skip
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 3], [1, 3], [6, 2, 1, 2, 1, 2])

LOOK: dict[str, Any] = {
    "background": "white",
    "font": "sans-serif",
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal",
             "gridColor": "#e6e6e6", "titlePadding": 6, "labelFlush": False},
    "axisY": {"minExtent": 30},  # so that panels are below each other
    # names are `shortened` before: cut at the end they could become equal
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "symbolSize": 70, "labelLimit": 0,
               "titleLimit": 0, "symbolStrokeWidth": 1.5},
    "title": {"fontSize": 13, "anchor": "start", "offset": 6, "frame": "group",
              "subtitleFontSize": 12},
    "text": {"fontSize": 11},
    "line": {"strokeWidth": 1.5},
    "point": {"size": 45, "strokeWidth": 1.5, "opacity": 1},
    "concat": {"spacing": 16},
}  # fmt: skip
ABOVE: dict[str, Any] = {"fontSize": 15, "offset": 12}  # the heading of several panels
GREY = "#808080"
LEGEND = 40  # characters of a name in a legend
STROKES = {"symbolType": "stroke", "symbolSize": 500, "symbolOpacity": 1}  # a legend of dashes


Look = Mapping[str, Any]  # as Vega-Lite calls it
NO: Look = {}


# -- data and axes --------------------------------------------------------------------------------


def rows_of(data: pl.DataFrame) -> Any:
    """A frame as the data of a chart; what is not a number is no point."""
    return alt.Data(values=data.fill_nan(None).to_dicts())


def axis(
    side: str, field: str, title: Any, ends: Ticks | None = None, scale: Look = NO, **look: Any
) -> Any:
    """What is to the right (x) or upwards (y): from 0 on, or between two ends."""
    channel = alt.X if side == "x" else alt.Y
    usual = {"domain": ends, "nice": False} if ends else {"zero": True}
    return channel(f"{field}:Q", title=title, scale={**usual, **scale}, axis=look)


def ranks(last: int) -> Look:
    """The look of an axis of ranks from 1: whole numbers, not too many."""
    steps = (1, 5, *(m * 10**e for e in range(1, 7) for m in (1, 2, 5)), last)
    step = next(step for step in steps if step * 9 >= last)
    return {"values": sorted({1, *range(step, last + 1, step)}), "format": "d", "grid": False}


def decimals(*names: str, format: str = ".4f") -> list[Any]:
    """Numbers that a point tells, with four decimals or as they are asked for."""
    return [alt.Tooltip(f"{name}:Q", format=format) for name in names]


# -- lines ----------------------------------------------------------------------------------------


def refuse_many(lines: int) -> None:
    """More lines than there are colours cannot be told apart."""
    if lines > len(COLOURS):
        expected = f"at most {len(COLOURS)}, which the eye can tell apart"
        raise InputError(f"{lines} lines to draw", f"{expected}: name topics, or give fewer runs")


def short(names: pl.Series) -> pl.Series:
    """A column of names, as long as a legend has room for."""
    every = names.unique(maintain_order=True).to_list()
    return names.replace_strict(every, places.shortened(every, LEGEND), return_dtype=pl.String)


def told_apart(names: pl.Series, title: str | list[str], **settings: Any) -> dict[str, Any]:
    """Encodings that tell the names in a column apart: colours, shapes of points, and dashes where
    one line lies on another. More lines than there are colours have other dashes with the same.
    """
    each, many = names.unique(maintain_order=True).to_list(), len(COLOURS)
    made = {"color": alt.Color, "shape": alt.Shape, "dash": alt.StrokeDash}
    for name, values, turn in (("color", COLOURS, 0), ("shape", SHAPES, 0), ("dash", DASHES, 1)):
        # A legend of points has no dashes, which would cut them to pieces. With a domain of its
        # own, Vega-Lite does not take what dashes tell for the same legend, and hide both.
        hidden = turn and not settings
        domain, look = ([*each, ""], {"legend": None}) if hidden else (each, settings)
        looks = [values[(k + turn * (k // many)) % many] for k in range(len(domain))]
        scale = alt.Scale(domain=domain, range=looks)
        made[name] = made[name](names.name, type="nominal", title=title, scale=scale, **look)
    return made


def lines(
    base: Any, apart: Look, tooltip: Sequence[Any], marked: str = "", **look: Any
) -> list[Any]:
    """Lines on two axes, marks on those points that are `marked`, and points, which nobody sees,
    that tell what they are.
    """
    base = base.encode(apart["color"])
    marks = [base.transform_filter(marked).mark_point().encode(apart["shape"])] if marked else []
    told = base.mark_point(opacity=0, size=90, clip=look.get("clip", False))
    return [base.mark_line(**look).encode(apart["dash"]), *marks, told.encode(tooltip=tooltip)]


def curves(
    data: pl.DataFrame,
    x: Any,
    y: Any,
    title: str,
    tooltip: Sequence[Any],
    *below: Any,
    names: pl.Series | None = None,
    bands: Iterable[Sequence[str]] = (),
    **look: Any,
) -> Any:
    """A panel of lines, told apart by the column `line`, over other layers and over bands from one
    column to another; the legend says what the lines are, and has all `names`.
    """
    apart = told_apart(data["line"] if names is None else names, title, legend=STROKES)
    base = alt.Chart().encode(x, y)
    area = base.mark_area(opacity=0.13).encode(apart["color"])
    areas = [area.encode(alt.Y(f"{low}:Q"), alt.Y2(f"{high}:Q")) for low, high in bands]
    return panel(data, *below, *areas, *lines(base, apart, tooltip, **look))


def across(field: str, *values: float) -> Any:
    """A grey line at each value of what is upwards."""
    rows = alt.Data(values=[{field: value} for value in values])
    return alt.Chart(rows).mark_rule(color=GREY).encode(alt.Y(f"{field}:Q"))


# -- cells ----------------------------------------------------------------------------------------

CELL, ROW = 92, 44  # in points


def shade(field: str, title: str, ends: Ticks) -> Any:
    """What makes a cell darker, but not so dark that texts cannot be read."""
    scale = {"domain": ends, "range": ["#eff6fc", "#6baed6"]}
    return alt.Color(f"{field}:Q", scale=scale, title=title)


def cells(
    data: pl.DataFrame, names: Mapping[str, Sequence[str]], shade: Any, texts: Mapping[str, Look]
) -> Any:
    """A panel of cells: the names in one column side by side, those in another below each other,
    and in each cell its texts, columns with their looks.
    """
    (x, columns), (y, rows) = names.items()
    plain = {"grid": False, "ticks": False, "domain": False}
    above = {"orient": "top", "labelAngle": 0, "labelLimit": CELL - 4, **plain}
    base = alt.Chart().encode(
        alt.X(f"{x}:N", sort=columns, title=None, axis=above),
        alt.Y(f"{y}:N", sort=rows, title=None, axis={"labelLimit": 200, **plain}),
    )
    tooltip = [f"{name}:N" for name in (y, x, *texts)]
    layers = [
        base.mark_rect(stroke="white").encode(shade, tooltip=tooltip),
        *(base.mark_text(**look).encode(alt.Text(f"{name}:N")) for name, look in texts.items()),
    ]
    return panel(data, *layers, width=CELL * len(columns), height=ROW * len(rows))


# -- points with names ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Plane:
    """A panel of one column against another, in which it is known where things are.

    `titles` has both columns, the one to the right first, and what their axes are called; `axes`
    the numbers on these; so many points around them are `padding`; `look` is that of the axes.
    """

    titles: Look
    axes: Sequence[Ticks]
    width: float
    height: float
    padding: float = 0.0
    look: Look = field(default_factory=dict)

    @classmethod
    def square(cls, data: pl.DataFrame, titles: Look, side: float, **look: Any) -> Plane:
        """One that shows how two columns differ: both axes are the same."""
        ticks = places.around_all(value for name in titles for value in data[name])
        return cls(titles, (ticks, ticks), side, side, look=look)

    @property
    def window(self) -> list[Ticks]:
        """The ends of the panel, which may be a little beyond those of the axes."""
        made = []
        for ticks, side in zip(self.axes, (self.width, self.height), strict=True):
            room = self.padding * (ticks[-1] - ticks[0]) / max(side - 2 * self.padding, 1.0)
            made.append([ticks[0] - room, ticks[-1] + room])
        return made

    def at(self, values: pl.DataFrame | Iterable[Point]) -> list[Point]:
        """Where values are, or the rows of a frame."""
        points = values.select(*self.titles).rows() if hasattr(values, "select") else values
        (left, right), (bottom, top) = self.window
        return [
            ((x - left) / (right - left) * self.width, (top - y) / (top - bottom) * self.height)
            for x, y in points
        ]

    def written(
        self, data: pl.DataFrame, labels: Sequence[str], taken: Sequence[Box], **how: Any
    ) -> pl.DataFrame:
        """The rows with what is written beside their points, and the places of this."""
        chosen = places.places_for(self.at(data), labels, self.width, self.height, taken, **how)
        made = {"label": labels, "place": chosen}
        return data.with_columns(pl.Series(name, of, pl.String) for name, of in made.items())

    def named(
        self, data: pl.DataFrame, among: pl.DataFrame, most: int, taken: Sequence[Box] = ()
    ) -> pl.DataFrame:
        """Runs with their names and the places of these, at the first `most` at the utmost.

        Names are as long as lets most of them have a place; they cover no points of the runs that
        they are among, nor what is taken.
        """
        covered = [*(places.around(point, 5) for point in self.at(among)), *taken]
        rooms = [max(8, int(self.width / places.LETTER / share)) for share in (2, 4, 6)]
        labels = [places.shortened(data["run"].to_list(), room) for room in rooms]
        tries = [self.written(data, these, covered, most=most) for these in labels]
        return max(tries, key=lambda made: (made["place"] != "").sum())

    @property
    def base(self) -> Any:
        """A chart that has the axes."""
        made = []
        both = zip("xy", self.titles.items(), self.window, self.axes, strict=True)
        for side, (name, title), ends, ticks in both:
            at = {"values": ticks} if self.padding else {"tickCount": len(ticks) - 1}
            made.append(axis(side, name, title, ends, **{**at, **self.look}))
        return alt.Chart().encode(*made)

    def points(self, tooltip: Sequence[Any]) -> Any:
        """A point for each row."""
        look = {"filled": True, "color": COLOURS[0], "opacity": 0.85}
        return self.base.mark_point(**look).encode(tooltip=tooltip)

    def texts(self, data: pl.DataFrame, **look: Any) -> list[Any]:
        """The labels of points at their places; those without a place are not shown."""
        return [
            self.base.mark_text(**places.PLACES[place], **look)
            .encode(alt.Text("label:N"))
            .properties(data=rows_of(data.filter(place=place)))
            for place in data["place"].unique(maintain_order=True)
            if place
        ]

    def equal(self) -> Any:
        """The line on which both are equal."""
        ends = alt.Data(values=[dict.fromkeys(self.titles, end) for end in self.window[0]])
        return self.base.mark_line(color="#b0b0b0", strokeDash=[4, 3]).properties(data=ends)

    @property
    def on_equal(self) -> list[Box]:
        """What this line covers, for names to keep off it."""
        ends = self.at((end, end) for end in self.window[0])
        return [places.around(point, 1) for point in places.between(ends)]

    def panel(self, data: pl.DataFrame, *layers: Any, **more: Any) -> Any:
        """The panel with what is in it."""
        return panel(data, *layers, width=self.width, height=self.height, **more)


# -- panels ---------------------------------------------------------------------------------------


def panel(
    data: pl.DataFrame | None, *layers: Any, width: float = 420, height: float = 280, **more: Any
) -> Any:
    """Layers over each other; they share the data, if there are some."""
    shared = {} if data is None else {"data": rows_of(data)}
    return alt.layer(*layers, **shared).properties(width=width, height=height, **more)


def panels(charts: Sequence[Any], columns: int, heading: str, told: Sequence[str] = ()) -> Any:
    """Several panels, so many beside each other, below what they show."""
    return finished(alt.concat(*charts, columns=columns), heading, told, **ABOVE)


def finished(chart: Any, heading: str, told: Sequence[str] = (), **look: Any) -> Any:
    """A chart below what it shows, if it is said, and what is to be known of it."""
    title = {"text": heading, **({"subtitle": told} if told else {}), **look}
    return (chart.properties(title=title) if heading else chart).configure(**LOOK)
