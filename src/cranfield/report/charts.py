"""What pictures are made of: axes, lines that can be told apart, points with names, panels.

All have one look. A picture takes some layers, such as `lines` with what they tell and a line
`across`, lays them into a `panel` with two axes, and is `finished` below a heading. Where texts
are to have room beside their points, a `Plane` knows where these are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.late import pl
from cranfield.report import places
from cranfield.report.look import MANY, PLAIN, Look, Size, Style
from cranfield.report.pictures import alt
from cranfield.report.places import Box, Point, Ticks
from cranfield.scores import Notice
from cranfield.wording import counted, folded, some

GREY = "#808080"
SIZE: Size = (420.0, 280.0)  # of a panel, in points
LEGEND = 40  # characters of a name in a legend
STROKES = {"symbolType": "stroke", "symbolSize": 500, "symbolOpacity": 1}  # a legend of dashes


Vega = Mapping[str, Any]  # what Vega-Lite is told of something
NO: Vega = {}


# -- data and axes --------------------------------------------------------------------------------


def rows_of(data: pl.DataFrame) -> Any:
    """A frame as the data of a chart; what is not a number is no point."""
    rows = data.fill_nan(None).to_dicts()
    with alt.utils.schemapi.debug_mode(False):  # which would look at every row
        return alt.Data(values=rows)


def axis(
    side: str, field: str, title: Any, ends: Ticks | None = None, scale: Vega = NO, **look: Any
) -> Any:
    """What is to the right (x) or upwards (y): from 0 on, or between two ends."""
    channel = alt.X if side == "x" else alt.Y
    usual = {"domain": ends, "nice": False} if ends else {"zero": True}
    return channel(f"{field}:Q", title=title, scale={**usual, **scale}, axis=look)


def ranks(last: int) -> Vega:
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
    if lines > MANY:
        expected = f"at most {MANY}, which the eye can tell apart"
        raise InputError(f"{lines} lines to draw", f"{expected}: name topics, or give fewer runs")


def short(names: pl.Series) -> pl.Series:
    """A column of names, as long as a legend has room for."""
    every = names.unique(maintain_order=True).to_list()
    return names.replace_strict(every, places.shortened(every, LEGEND), return_dtype=pl.String)


def told_apart(
    names: pl.Series,
    title: str | list[str],
    look: Look,
    styles: Mapping[str, Style] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Encodings that tell the names in a column apart: colours, shapes of points, and dashes, each
    that of its name in every picture, unless other `styles` are given.
    """
    each = names.unique(maintain_order=True).to_list()
    styles = styles or look.styles(each)
    legend = {**settings, **_shortened(each, settings)}
    made = {"color": alt.Color, "shape": alt.Shape, "dash": alt.StrokeDash}
    for name, place in (("color", "colour"), ("shape", "shape"), ("dash", "dash")):
        # A legend of points has no dashes, which would cut them to pieces. With a domain of its
        # own, Vega-Lite does not take what dashes tell for the same legend, and hide both.
        hidden = name == "dash" and not settings
        domain, shown = ([*each, ""], {"legend": None}) if hidden else (each, legend)
        range = [getattr(styles[one], place) for one in each] + [[1, 0]] * hidden
        scale = alt.Scale(domain=domain, range=range)
        made[name] = made[name](names.name, type="nominal", title=title, scale=scale, **shown)
    return made


def _shortened(names: Sequence[str], settings: Vega) -> Vega:
    """What makes a legend write long names shorter."""
    own = settings.get("legend", {})
    if own is None or max(map(len, names), default=0) <= LEGEND:
        return {}
    labels = dict(zip(names, places.shortened(names, LEGEND), strict=True))
    return {"legend": {**own, "labelExpr": f"{json.dumps(labels)}[datum.label]"}}


def below(names: Sequence[str], width: float, look: Look) -> Vega:
    """A legend below a panel, in as many columns as have room."""
    longest = min(LEGEND, max(map(len, names), default=0))
    wide = look.points(longest * places.LETTER + 30)
    return {"orient": "bottom", "columns": max(1, int(width / wide)), "symbolOpacity": 1}


def by_name(names: pl.Series, look: Look) -> Any:
    """The colours of names that are written beside what they colour, so that no legend is needed:
    each its own if they are few, and one for all if they are many or without colours.
    """
    each = names.unique(maintain_order=True).to_list()
    if look.grey or len(each) > MANY:
        return alt.value(look.colour)
    scale = alt.Scale(domain=each, range=[style.colour for style in look.styles(each).values()])
    return alt.Color(names.name, type="nominal", scale=scale, legend=None)


def lines(
    base: Any, apart: Vega, tooltip: Sequence[Any], marked: str = "", **style: Any
) -> list[Any]:
    """Lines on two axes, marks on those points that are `marked`, and points, which nobody sees,
    that tell what they are.
    """
    base = base.encode(apart["color"])
    marks = [base.transform_filter(marked).mark_point().encode(apart["shape"])] if marked else []
    told = base.mark_point(opacity=0, size=90, clip=style.get("clip", False))
    return [base.mark_line(**style).encode(apart["dash"]), *marks, told.encode(tooltip=tooltip)]


def curves(
    data: pl.DataFrame,
    x: Any,
    y: Any,
    title: str,
    tooltip: Sequence[Any],
    look: Look,
    *below: Any,
    names: pl.Series | None = None,
    styles: Mapping[str, Style] | None = None,
    bands: Iterable[Sequence[str]] = (),
    **style: Any,
) -> Any:
    """A panel of lines, told apart by the column `line`, over other layers and over bands from one
    column to another; the legend says what the lines are, and has all `names`.
    """
    each = data["line"] if names is None else names
    apart = told_apart(each, title, look, styles, legend=STROKES)
    base = alt.Chart().encode(x, y)
    area = base.mark_area(opacity=0.13).encode(apart["color"])
    areas = [area.encode(alt.Y(f"{low}:Q"), alt.Y2(f"{high}:Q")) for low, high in bands]
    layers = *below, *areas, *lines(base, apart, tooltip, **style)
    return panel(data, *layers, size=look.size(*SIZE))


def across(field: str, *values: float) -> Any:
    """A grey line at each value of what is upwards."""
    rows = alt.Data(values=[{field: value} for value in values])
    return alt.Chart(rows).mark_rule(color=GREY).encode(alt.Y(f"{field}:Q"))


# -- names below each other, and side by side ------------------------------------------------------

STEP = 15.0  # points from one name to the next
MOST_NAMES = 200  # of a panel, which is then 3,000 points high


@dataclass(frozen=True)
class Listed:
    """Names below each other on the axis of a panel: those that have room, as long as they may be.

    `labels` has what is written for each of them, `without` are names that have no room.
    """

    labels: Mapping[str, str]
    height: float
    without: Sequence[str] = ()

    @classmethod
    def of(cls, names: Sequence[str], look: Look, step: float = STEP) -> Listed:
        """The names in their order; of a height that is asked for, as many as have room in it."""
        least = look.points(places.LINE - 2)
        room = MOST_NAMES if look.height is None else max(1, int(look.height / least))
        shown = [*names[:room]]
        letters = LEGEND if look.width is None else look.width / look.points(places.LETTER)
        short = places.shortened(shown, min(LEGEND, max(12, int(letters))))
        labels = dict(zip(shown, short, strict=True))
        return cls(labels, look.height or look.points(step) * len(shown), names[room:])

    def rows(self, data: pl.DataFrame, name: str = "run") -> pl.DataFrame:
        """The rows of names that are shown, with their labels."""
        kept = data.filter(pl.col(name).is_in([*self.labels]))
        labels = pl.col(name).replace_strict(dict(self.labels), return_dtype=pl.String)
        return kept.with_columns(label=labels)

    def axis(self, written: bool = True, **style: Any) -> Any:
        """The axis, with the names or, in panels beside the first, without them."""
        plain = {"ticks": False, "domain": False, "labelLimit": 0, "labelOverlap": False}
        plain |= {"labelPadding": 5}
        plain |= {} if written else {"labels": False, "minExtent": 0}
        scale = {"domain": [*self.labels.values()]}
        return alt.Y("label:N", scale=scale, title=None, axis={**plain, **style})

    def width(self, look: Look) -> float:
        """How wide the names are, roughly."""
        return look.points(places.LETTER) * max(map(len, self.labels.values()), default=0)

    def notices(self, noun: str = "run") -> tuple[Notice, ...]:
        """That some have no room, if so."""
        if not self.without:
            return ()
        where = "give more height, or see them all in .csv"
        text = f"{some(self.without, noun)} without room in the picture: {where}"
        return (Notice("names", text),)


SMALL = 9.0  # points of names side by side, which stand upright
WIDE = (260.0, 560.0)  # points of a panel that is as wide as its names need


@dataclass(frozen=True)
class SideBySide:
    """Names side by side on the axis of a panel, which are written if all have room."""

    labels: Mapping[str, str]
    width: float
    written: bool

    @classmethod
    def of(cls, names: Sequence[str], look: Look) -> SideBySide:
        """The names in their order."""
        least, most = WIDE
        step = look.points(SMALL + 1)
        width = look.width or min(max(least, step * len(names)), most)
        labels = dict(zip(names, places.shortened(names, LEGEND // 2), strict=True))
        return cls(labels, width, width / max(1, len(names)) >= look.points(SMALL - 0.5))

    def rows(self, data: pl.DataFrame, name: str = "topic") -> pl.DataFrame:
        """The rows with the labels of their names."""
        labels = pl.col(name).replace_strict(dict(self.labels), return_dtype=pl.String)
        return data.with_columns(at=labels)

    def axis(self, title: str | None, look: Look, **style: Any) -> Any:
        """The axis, with the names if they have room."""
        plain: dict[str, Any] = {"grid": False, "ticks": False, "domain": False, "labelLimit": 0}
        plain |= {"labels": self.written, "labelFontSize": look.points(SMALL)}
        longest = max(map(len, self.labels.values())) + 1
        upright = longest * look.points(places.LETTER) > self.width / len(self.labels)
        plain |= {"labelOverlap": False, "labelAngle": -90 if upright else 0}
        plain |= {"labelBaseline": "middle"} if upright else {}
        scale = {"domain": [*self.labels.values()]}
        return alt.X("at:N", scale=scale, title=title, axis={**plain, **style})

    def notices(self, noun: str = "topic") -> tuple[Notice, ...]:
        """That the names have no room, if so."""
        if self.written:
            return ()
        where = "give more width; in .html they are told at each mark, in .csv all are listed"
        text = f"the names of {counted(len(self.labels), noun)} have no room: {where}"
        return (Notice("names", text),)


# -- cells ----------------------------------------------------------------------------------------

CELL, ROW = 92, 44  # in points


def shade(field: str, title: str, ends: Ticks, look: Look) -> Any:
    """What makes a cell darker, but not so dark that texts cannot be read."""
    range = ["#f5f5f5", "#a6a6a6"] if look.grey else ["#eff6fc", "#6baed6"]
    scale = {"domain": ends, "range": range}
    return alt.Color(f"{field}:Q", scale=scale, title=title)


def cells(
    data: pl.DataFrame,
    names: Mapping[str, Sequence[str]],
    shade: Any,
    texts: Mapping[str, Vega],
    look: Look,
) -> Any:
    """A panel of cells: the names in one column side by side, those in another below each other,
    and in each cell its texts, columns with what Vega-Lite is told of them.
    """
    (x, columns), (y, rows) = names.items()
    width, height = look.size(look.points(CELL) * len(columns), look.points(ROW) * len(rows))
    plain = {"grid": False, "ticks": False, "domain": False}
    above = {"orient": "top", "labelAngle": 0, "labelLimit": width / len(columns) - 4}
    base = alt.Chart().encode(
        alt.X(f"{x}:N", sort=columns, title=None, axis={**above, **plain}),
        alt.Y(f"{y}:N", sort=rows, title=None, axis={"labelLimit": 200, **plain}),
    )
    tooltip = [f"{name}:N" for name in (y, x, *texts)]
    layers = [
        base.mark_rect(stroke="white").encode(shade, tooltip=tooltip),
        *(base.mark_text(**style).encode(alt.Text(f"{name}:N")) for name, style in texts.items()),
    ]
    return panel(data, *layers, size=(width, height))


# -- points with names ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Plane:
    """A panel of one column against another, in which it is known where things are.

    `titles` has both columns, the one to the right first, and what their axes are called; `axes`
    the numbers on these; so many points around them are `padding`; `style` is what else Vega-Lite
    is told of the axes.
    """

    titles: Vega
    axes: Sequence[Ticks]
    width: float
    height: float
    look: Look = PLAIN
    padding: float = 0.0
    style: Vega = field(default_factory=dict)

    @classmethod
    def square(
        cls, data: pl.DataFrame, titles: Vega, side: float, look: Look, **style: Any
    ) -> Plane:
        """One that shows how two columns differ: both axes are the same."""
        ticks = places.around_all(value for name in titles for value in data[name])
        return cls(titles, (ticks, ticks), *look.size(side, side), look, style=style)

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
        room = self.width, self.height, taken, self.look.points(1)
        chosen = places.places_for(self.at(data), labels, *room, **how)
        made = {"label": labels, "place": chosen}
        return data.with_columns(pl.Series(name, of, pl.String) for name, of in made.items())

    def named(
        self, data: pl.DataFrame, among: pl.DataFrame, most: int, taken: Sequence[Box] = ()
    ) -> pl.DataFrame:
        """Runs with their names and the places of these, at the first `most` at the utmost.

        Names are as long as lets most of them have a place. They cover no points of the runs that
        they are among, nor what is taken, and each is closest to its own point.
        """
        points = self.at(among)
        covered = [*(places.around(point, 5) for point in points), *taken]
        letter = self.look.points(places.LETTER)
        rooms = [max(8, int(self.width / letter / share)) for share in (2, 4, 6)]
        labels = [places.shortened(data["run"].to_list(), room) for room in rooms]
        tries = [self.written(data, these, covered, most=most, among=points) for these in labels]
        return max(tries, key=lambda made: (made["place"] != "").sum())

    @property
    def base(self) -> Any:
        """A chart that has the axes."""
        made = []
        both = zip("xy", self.titles.items(), self.window, self.axes, strict=True)
        for side, (name, title), ends, ticks in both:
            at = {"values": ticks} if self.padding else {"tickCount": len(ticks) - 1}
            made.append(axis(side, name, title, ends, **{**at, **self.style}))
        return alt.Chart().encode(*made)

    def points(self, tooltip: Sequence[Any], names: pl.Series) -> Any:
        """A point for each row, in the colour of its name."""
        base = self.base.mark_point(filled=True, opacity=0.85)
        return base.encode(color=by_name(names, self.look), tooltip=tooltip)

    def texts(self, data: pl.DataFrame, **style: Any) -> list[Any]:
        """The labels of points at their places; those without a place are not shown."""
        return [
            self.base.mark_text(**places.PLACES[place], **style)
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
        return panel(data, *layers, size=(self.width, self.height), **more)


def nameless(frames: Iterable[pl.DataFrame]) -> tuple[Notice, ...]:
    """Return a notice that names the runs whose points have no name, if there are some."""
    without = dict.fromkeys(run for frame in frames for run in frame.filter(place="")["run"])
    text = f"no room for the name of {some([*without], 'run')}"
    return (Notice("names", f"{text}. The .html figure shows it on hover"),) if without else ()


# -- panels ---------------------------------------------------------------------------------------


def panel(data: pl.DataFrame | None, *layers: Any, size: Size = SIZE, **more: Any) -> Any:
    """Layers over each other; they share the data, if there are some."""
    shared = {} if data is None else {"data": rows_of(data)}
    width, height = size
    return alt.layer(*layers, **shared).properties(width=width, height=height, **more)


def panels(
    charts: Sequence[Any],
    columns: int,
    look: Look,
    heading: str = "",
    told: Sequence[str] = (),
    width: float = 0,
) -> Any:
    """Several panels, so many beside each other, below what they show; all are so wide."""
    return finished(alt.concat(*charts, columns=columns), look, heading, told, width, several=True)


def finished(
    chart: Any,
    look: Look,
    heading: str = "",
    told: Sequence[str] = (),
    width: float = 0,
    several: bool = False,
) -> Any:
    """A chart below what it shows, the title that is asked for or else a heading, if there is one,
    and what is to be known of it, in lines that are not wider than the chart, if that is known;
    `several` panels have larger headings. An empty title leaves out all of it.
    """
    if look.title == "":
        return chart.configure(**look.config())
    width = width or (look.width + look.points(60) if look.width else 0)
    room = max(30, int(width / look.points(places.LETTER - 0.3))) if width else 1000
    whole = [text.replace(" = ", "\xa0=\xa0") for text in told]  # not broken there
    told = [line.replace("\xa0", " ") for text in whole for line in folded(text, room)]
    size, offset = (15, 12) if several else (13, 6)
    text = heading if look.title is None else look.title
    title: dict[str, Any] = {"text": text, "fontSize": look.points(size), "offset": offset}
    if not text:  # Vega-Lite shows nothing below no heading
        title = {"text": told, "fontSize": look.points(12), "fontWeight": "normal"}
    elif told:
        title["subtitle"] = told
    return (chart.properties(title=title) if text or told else chart).configure(**look.config())
