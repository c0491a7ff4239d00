"""Parts of figures: axes, lines, legends, points with names and panels.

A figure combines layers into a `build_panel` with two axes and calls `finish_chart` to add a
heading and the theme. A `Plane` computes positions, so that labels can be placed next to points.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.figures import layout
from cranfield.figures.figure import alt
from cranfield.figures.layout import Box, Point, Ticks
from cranfield.figures.theme import DEFAULT_THEME, MAX_STYLES, Size, Style, Theme
from cranfield.lazy_imports import pl
from cranfield.scores import Note
from cranfield.wording import fold_text, format_count, format_names

GREY = "#808080"
SIZE: Size = (420.0, 280.0)  # of a panel in points
LEGEND = 40  # characters of a name in a legend
STROKES = {"symbolType": "stroke", "symbolSize": 500, "symbolOpacity": 1}  # a legend of dashes


Vega = Mapping[str, Any]  # settings of Vega-Lite
NO: Vega = {}


# -- data and axes --------------------------------------------------------------------------------


def to_chart_data(data: pl.DataFrame) -> Any:
    """Convert a frame to chart data. NaN values are not drawn."""
    rows = data.fill_nan(None).to_dicts()
    with alt.utils.schemapi.debug_mode(False):  # validation of each row is slow
        return alt.Data(values=rows)


def build_axis(side: str, field: str, title: Any, ends: Ticks | None = None, scale: Vega = NO, **style: Any) -> Any:
    """Build an axis for x or y, from 0 or between two ends."""
    channel = alt.X if side == "x" else alt.Y
    default_scale = {"domain": ends, "nice": False} if ends else {"zero": True}
    return channel(f"{field}:Q", title=title, scale={**default_scale, **scale}, axis=style)


def build_rank_axis_style(last: int) -> Vega:
    """Return the style of an axis of ranks from 1, with at most about ten integers."""
    steps = (1, 5, *(m * 10**e for e in range(1, 7) for m in (1, 2, 5)), last)
    step = next(step for step in steps if step * 9 >= last)
    return {"values": sorted({1, *range(step, last + 1, step)}), "format": "d", "grid": False}


def build_number_tooltips(*names: str, format: str = ".4f") -> list[Any]:
    """Build tooltips of numbers, with four decimals by default."""
    return [alt.Tooltip(f"{name}:Q", format=format) for name in names]


# -- lines ----------------------------------------------------------------------------------------


def check_line_count(lines: int) -> None:
    """Raise an error if there are more lines than distinguishable styles."""
    if lines > MAX_STYLES:
        expected = f"at most {MAX_STYLES} distinguishable lines"
        raise InputError(f"{lines} lines to draw", f"{expected}: select topics, or give fewer runs")


def shorten_name_column(names: pl.Series) -> pl.Series:
    """Shorten the names in a column to the width of a legend."""
    distinct = names.unique(maintain_order=True).to_list()
    return names.replace_strict(distinct, layout.shorten_names(distinct, LEGEND), return_dtype=pl.String)


def encode_names(
    names: pl.Series, title: str | list[str], theme: Theme, styles: Mapping[str, Style] | None = None, **settings: Any
) -> dict[str, Any]:
    """Encode names by colour, shape and dash. Default: the same style in all figures."""
    distinct = names.unique(maintain_order=True).to_list()
    styles = styles or theme.assign_styles(distinct)
    legend = {**settings, **_shorten_legend(distinct, settings)}
    encodings = {"color": alt.Color, "shape": alt.Shape, "dash": alt.StrokeDash}
    for name, place in (("color", "colour"), ("shape", "shape"), ("dash", "dash")):
        # A legend of points has no dashes, which would break them. With a different domain,
        # Vega-Lite does not merge the legend of dashes with the others and hide both.
        hidden = name == "dash" and not settings
        domain, legend_style = ([*distinct, ""], {"legend": None}) if hidden else (distinct, legend)
        range = [getattr(styles[label], place) for label in distinct] + [[1, 0]] * hidden
        scale = alt.Scale(domain=domain, range=range)
        encodings[name] = encodings[name](names.name, type="nominal", title=title, scale=scale, **legend_style)
    return encodings


def _shorten_legend(names: Sequence[str], settings: Vega) -> Vega:
    """Return legend settings that shorten long names."""
    legend = settings.get("legend", {})
    if legend is None or max(map(len, names), default=0) <= LEGEND:
        return {}
    labels = dict(zip(names, layout.shorten_names(names, LEGEND), strict=True))
    return {"legend": {**legend, "labelExpr": f"{json.dumps(labels)}[datum.label]"}}


def place_legend_below(names: Sequence[str], width: float, theme: Theme) -> Vega:
    """Return settings of a legend below a panel, in as many columns as fit."""
    longest = min(LEGEND, max(map(len, names), default=0))
    column_width = theme.scale_points(longest * layout.LETTER + 30)
    return {"orient": "bottom", "columns": max(1, int(width / column_width)), "symbolOpacity": 1}


def encode_colours(names: pl.Series, theme: Theme) -> Any:
    """Encode names by colour without a legend, for names next to their marks.

    All marks have one colour if there are too many names, or if the theme has no colours.
    """
    distinct = names.unique(maintain_order=True).to_list()
    if theme.grey or len(distinct) > MAX_STYLES:
        return alt.value(theme.colour)
    scale = alt.Scale(domain=distinct, range=[style.colour for style in theme.assign_styles(distinct).values()])
    return alt.Color(names.name, type="nominal", scale=scale, legend=None)


def draw_lines(base: Any, encodings: Vega, tooltip: Sequence[Any], mark_filter: str = "", **style: Any) -> list[Any]:
    """Draw lines, marks of points that match a filter, and tooltip targets."""
    base = base.encode(encodings["color"])
    marks = [base.transform_filter(mark_filter).mark_point().encode(encodings["shape"])] if mark_filter else []
    targets = base.mark_point(opacity=0, size=90, clip=style.get("clip", False))
    return [base.mark_line(**style).encode(encodings["dash"]), *marks, targets.encode(tooltip=tooltip)]


def draw_curves(
    data: pl.DataFrame,
    x: Any,
    y: Any,
    title: str,
    tooltip: Sequence[Any],
    theme: Theme,
    *background: Any,
    names: pl.Series | None = None,
    styles: Mapping[str, Style] | None = None,
    bands: Iterable[Sequence[str]] = (),
    **style: Any,
) -> Any:
    """Draw a panel of lines named by the column `line`.

    Background layers and bands are below the lines. A band fills the area between two columns. The
    legend contains all `names`.
    """
    line_names = data["line"] if names is None else names
    encodings = encode_names(line_names, title, theme, styles, legend=STROKES)
    base = alt.Chart().encode(x, y)
    area = base.mark_area(opacity=0.13).encode(encodings["color"])
    areas = [area.encode(alt.Y(f"{low}:Q"), alt.Y2(f"{high}:Q")) for low, high in bands]
    layers = *background, *areas, *draw_lines(base, encodings, tooltip, **style)
    return build_panel(data, *layers, size=theme.choose_size(*SIZE))


def draw_horizontal_lines(field: str, *values: float) -> Any:
    """Draw a grey horizontal line at each value."""
    rows = alt.Data(values=[{field: value} for value in values])
    return alt.Chart(rows).mark_rule(color=GREY).encode(alt.Y(f"{field}:Q"))


# -- names below each other, and side by side ------------------------------------------------------

STEP = 15.0  # points from one name to the next
MAX_NAMES = 200  # per panel, which is then 3,000 points high


@dataclass(frozen=True)
class VerticalNames:
    """Names on the y axis of a panel: as many as fit, shortened if necessary.

    `labels` maps the displayed names to their labels. `omitted` are the names that do not fit.
    """

    labels: Mapping[str, str]
    height: float
    omitted: Sequence[str] = ()

    @classmethod
    def from_names(cls, names: Sequence[str], theme: Theme, step: float = STEP) -> VerticalNames:
        """Choose labels and height. A height set by the theme limits the names."""
        least = theme.scale_points(layout.LINE - 2)
        room = MAX_NAMES if theme.height is None else max(1, int(theme.height / least))
        displayed = [*names[:room]]
        letters = LEGEND if theme.width is None else theme.width / theme.scale_points(layout.LETTER)
        short = layout.shorten_names(displayed, min(LEGEND, max(12, int(letters))))
        labels = dict(zip(displayed, short, strict=True))
        return cls(labels, theme.height or theme.scale_points(step) * len(displayed), names[room:])

    def label_rows(self, data: pl.DataFrame, name: str = "run") -> pl.DataFrame:
        """Return the rows of displayed names, with a label column."""
        labelled = data.filter(pl.col(name).is_in([*self.labels]))
        labels = pl.col(name).replace_strict(dict(self.labels), return_dtype=pl.String)
        return labelled.with_columns(label=labels)

    def build_axis(self, show_names: bool = True, **style: Any) -> Any:
        """Build the axis. Panels after the first omit the names."""
        defaults = {"ticks": False, "domain": False, "labelLimit": 0, "labelOverlap": False}
        defaults |= {"labelPadding": 5}
        defaults |= {} if show_names else {"labels": False, "minExtent": 0}
        scale = {"domain": [*self.labels.values()]}
        return alt.Y("label:N", scale=scale, title=None, axis={**defaults, **style})

    def compute_width(self, theme: Theme) -> float:
        """Return the approximate width of the labels in points."""
        return theme.scale_points(layout.LETTER) * max(map(len, self.labels.values()), default=0)

    def collect_notes(self, noun: str = "run") -> tuple[Note, ...]:
        """Return a note if some names do not fit."""
        if not self.omitted:
            return ()
        advice = "increase the height, or write all of them to .csv"
        text = f"{format_names(self.omitted, noun)} without space in the figure: {advice}"
        return (Note("names", text),)


SMALL = 9.0  # points, font size of vertical names
WIDTH_RANGE = (260.0, 560.0)  # width in points of a panel that adapts to its names


@dataclass(frozen=True)
class HorizontalNames:
    """Names on the x axis of a panel, written only if all of them fit."""

    labels: Mapping[str, str]
    width: float
    names_fit: bool

    @classmethod
    def from_names(cls, names: Sequence[str], theme: Theme) -> HorizontalNames:
        """Choose labels and width of the panel."""
        narrowest, widest = WIDTH_RANGE
        step = theme.scale_points(SMALL + 1)
        width = theme.width or min(max(narrowest, step * len(names)), widest)
        labels = dict(zip(names, layout.shorten_names(names, LEGEND // 2), strict=True))
        return cls(labels, width, width / max(1, len(names)) >= theme.scale_points(SMALL - 0.5))

    def label_rows(self, data: pl.DataFrame, name: str = "topic") -> pl.DataFrame:
        """Return the rows with a label column."""
        labels = pl.col(name).replace_strict(dict(self.labels), return_dtype=pl.String)
        return data.with_columns(at=labels)

    def build_axis(self, title: str | None, theme: Theme, **style: Any) -> Any:
        """Build the axis, with the names if they fit."""
        defaults: dict[str, Any] = {"grid": False, "ticks": False, "domain": False, "labelLimit": 0}
        defaults |= {"labels": self.names_fit, "labelFontSize": theme.scale_points(SMALL)}
        longest = max(map(len, self.labels.values())) + 1
        is_upright = longest * theme.scale_points(layout.LETTER) > self.width / len(self.labels)
        defaults |= {"labelOverlap": False, "labelAngle": -90 if is_upright else 0}
        defaults |= {"labelBaseline": "middle"} if is_upright else {}
        scale = {"domain": [*self.labels.values()]}
        return alt.X("at:N", scale=scale, title=title, axis={**defaults, **style})

    def collect_notes(self, noun: str = "topic") -> tuple[Note, ...]:
        """Return a note if the names do not fit."""
        if self.names_fit:
            return ()
        advice = "increase the width, or use .html (names on hover) or .csv"
        text = f"the names of {format_count(len(self.labels), noun)} have no space: {advice}"
        return (Note("names", text),)


# -- cells ----------------------------------------------------------------------------------------

CELL, ROW = 92, 44  # in points


def encode_shade(field: str, title: str, ends: Ticks, theme: Theme) -> Any:
    """Encode a number by the shade of a cell, light enough for text."""
    range = ["#f5f5f5", "#a6a6a6"] if theme.grey else ["#eff6fc", "#6baed6"]
    scale = {"domain": ends, "range": range}
    return alt.Color(f"{field}:Q", scale=scale, title=title)


def draw_cells(
    data: pl.DataFrame, names: Mapping[str, Sequence[str]], shade: Any, texts: Mapping[str, Vega], theme: Theme
) -> Any:
    """Draw a panel of cells with texts: one cell per column name and row name.

    `texts` maps columns of the data to Vega-Lite text styles.
    """
    (x, columns), (y, rows) = names.items()
    width, height = theme.choose_size(theme.scale_points(CELL) * len(columns), theme.scale_points(ROW) * len(rows))
    axis_style = {"grid": False, "ticks": False, "domain": False}
    column_axis_style = {"orient": "top", "labelAngle": 0, "labelLimit": width / len(columns) - 4}
    base = alt.Chart().encode(
        alt.X(f"{x}:N", sort=columns, title=None, axis={**column_axis_style, **axis_style}),
        alt.Y(f"{y}:N", sort=rows, title=None, axis={"labelLimit": 200, **axis_style}),
    )
    tooltip = [f"{name}:N" for name in (y, x, *texts)]
    layers = [
        base.mark_rect(stroke="white").encode(shade, tooltip=tooltip),
        *(base.mark_text(**style).encode(alt.Text(f"{name}:N")) for name, style in texts.items()),
    ]
    return build_panel(data, *layers, size=(width, height))


# -- points with names ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Plane:
    """Panel of one column against another, with known positions.

    `titles` maps the x and the y column to axis titles. `axes` has the ticks, `padding` the points
    around them, and `style` further Vega-Lite settings of the axes.
    """

    titles: Vega
    axes: Sequence[Ticks]
    width: float
    height: float
    theme: Theme = DEFAULT_THEME
    padding: float = 0.0
    style: Vega = field(default_factory=dict)

    @classmethod
    def with_equal_axes(cls, data: pl.DataFrame, titles: Vega, side: float, theme: Theme, **style: Any) -> Plane:
        """Create a plane with the same ticks on both axes, to compare two columns."""
        ticks = layout.fit_ticks(value for name in titles for value in data[name])
        return cls(titles, (ticks, ticks), *theme.choose_size(side, side), theme, style=style)

    @property
    def window(self) -> list[Ticks]:
        """Ends of the panel, which extend beyond the axes by the padding."""
        ends = []
        for ticks, side in zip(self.axes, (self.width, self.height), strict=True):
            room = self.padding * (ticks[-1] - ticks[0]) / max(side - 2 * self.padding, 1.0)
            ends.append([ticks[0] - room, ticks[-1] + room])
        return ends

    def locate(self, values: pl.DataFrame | Iterable[Point]) -> list[Point]:
        """Return the positions of values or rows in points."""
        points = values.select(*self.titles).rows() if hasattr(values, "select") else values
        (left, right), (bottom, top) = self.window
        return [((x - left) / (right - left) * self.width, (top - y) / (top - bottom) * self.height) for x, y in points]

    def place_labels(
        self, data: pl.DataFrame, labels: Sequence[str], occupied: Sequence[Box], **options: Any
    ) -> pl.DataFrame:
        """Return the rows with labels and their places."""
        room = self.width, self.height, occupied, self.theme.scale_points(1)
        label_places = layout.choose_places(self.locate(data), labels, *room, **options)
        new_columns = {"label": labels, "place": label_places}
        return data.with_columns(pl.Series(name, values, pl.String) for name, values in new_columns.items())

    def place_names(
        self, data: pl.DataFrame, neighbours: pl.DataFrame, limit: int, occupied: Sequence[Box] = ()
    ) -> pl.DataFrame:
        """Return runs with their names and places, at most `limit` of them.

        Names are shortened to the length with which most names get a place. They do not cover
        points of neighbours or occupied boxes, and each name is closest to its own point."""
        points = self.locate(neighbours)
        covered = [*(layout.build_box(point, 5) for point in points), *occupied]
        letter = self.theme.scale_points(layout.LETTER)
        lengths = [max(8, int(self.width / letter / share)) for share in (2, 4, 6)]
        labels = [layout.shorten_names(data["run"].to_list(), length) for length in lengths]
        placements = [
            self.place_labels(data, candidates, covered, limit=limit, neighbours=points) for candidates in labels
        ]
        return max(placements, key=lambda placement: (placement["place"] != "").sum())

    @property
    def base(self) -> Any:
        """Chart with the axes."""
        axes = []
        sides = zip("xy", self.titles.items(), self.window, self.axes, strict=True)
        for side, (name, title), ends, ticks in sides:
            ticks_style = {"values": ticks} if self.padding else {"tickCount": len(ticks) - 1}
            axes.append(build_axis(side, name, title, ends, **{**ticks_style, **self.style}))
        return alt.Chart().encode(*axes)

    def draw_points(self, tooltip: Sequence[Any], names: pl.Series) -> Any:
        """Draw a point for each row, coloured by name."""
        base = self.base.mark_point(filled=True, opacity=0.85)
        return base.encode(color=encode_colours(names, self.theme), tooltip=tooltip)

    def draw_labels(self, data: pl.DataFrame, **style: Any) -> list[Any]:
        """Draw the labels that have a place."""
        return [
            self.base.mark_text(**layout.PLACES[place], **style)
            .encode(alt.Text("label:N"))
            .properties(data=to_chart_data(data.filter(place=place)))
            for place in data["place"].unique(maintain_order=True)
            if place
        ]

    def draw_diagonal(self) -> Any:
        """Draw the line on which both columns are equal."""
        ends = alt.Data(values=[dict.fromkeys(self.titles, end) for end in self.window[0]])
        return self.base.mark_line(color="#b0b0b0", strokeDash=[4, 3]).properties(data=ends)

    @property
    def diagonal_boxes(self) -> list[Box]:
        """Boxes along the diagonal, to keep names off the line."""
        ends = self.locate((end, end) for end in self.window[0])
        return [layout.build_box(point, 1) for point in layout.sample_points(ends)]

    def build_panel(self, data: pl.DataFrame, *layers: Any, **more: Any) -> Any:
        return build_panel(data, *layers, size=(self.width, self.height), **more)


def note_unnamed_runs(frames: Iterable[pl.DataFrame]) -> tuple[Note, ...]:
    """Return a note with the runs whose points have no name, if any."""
    unnamed = dict.fromkeys(run for frame in frames for run in frame.filter(place="")["run"])
    text = f"no space in the figure for the name of {format_names([*unnamed], 'run')}"
    return (Note("names", f"{text}. The .html figure shows it on hover"),) if unnamed else ()


# -- panels ---------------------------------------------------------------------------------------


def build_panel(data: pl.DataFrame | None, *layers: Any, size: Size = SIZE, **more: Any) -> Any:
    """Layer charts that share the data."""
    shared = {} if data is None else {"data": to_chart_data(data)}
    width, height = size
    return alt.layer(*layers, **shared).properties(width=width, height=height, **more)


def build_panels(
    charts: Sequence[Any], columns: int, theme: Theme, heading: str = "", lines: Sequence[str] = (), width: float = 0
) -> Any:
    """Concatenate panels of the same width below one heading."""
    return finish_chart(alt.concat(*charts, columns=columns), theme, heading, lines, width, several_panels=True)


def finish_chart(
    chart: Any,
    theme: Theme,
    heading: str = "",
    lines: Sequence[str] = (),
    width: float = 0,
    several_panels: bool = False,
) -> Any:
    """Add a heading, lines below the heading and the theme to a chart.

    The title of the theme replaces the heading. An empty title removes the heading and the lines.
    Lines are folded to the width of the chart, if it is known.
    """
    if theme.title == "":
        return chart.configure(**theme.build_config())
    width = width or (theme.width + theme.scale_points(60) if theme.width else 0)
    room = max(30, int(width / theme.scale_points(layout.LETTER - 0.3))) if width else 1000
    unbroken = [text.replace(" = ", "\xa0=\xa0") for text in lines]  # no line break at equals signs
    lines = [line.replace("\xa0", " ") for text in unbroken for line in fold_text(text, room)]
    size, offset = (15, 12) if several_panels else (13, 6)
    text = heading if theme.title is None else theme.title
    title: dict[str, Any] = {"text": text, "fontSize": theme.scale_points(size), "offset": offset}
    if not text:  # without a heading, Vega-Lite shows no subtitle
        title = {"text": lines, "fontSize": theme.scale_points(12), "fontWeight": "normal"}
    elif lines:
        title["subtitle"] = lines
    return (chart.properties(title=title) if text or lines else chart).configure(**theme.build_config())
