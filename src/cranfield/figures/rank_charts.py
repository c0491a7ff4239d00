"""Lines against rank or recall, for the figures curve, unjudged and pool.

The data have the columns line (a name), at and value, optionally low and high, and the columns of
the tooltip.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.figures import charts, layout
from cranfield.figures.figure import alt
from cranfield.figures.theme import MAX_STYLES, Style, Theme
from cranfield.lazy_imports import pl
from cranfield.scores import Note
from cranfield.wording import format_count

WIDTH, HEIGHT = 360.0, 230.0
UNNAMED_COLOUR = "#d0d0d0"  # lines without a name
MAX_LINEAR_RANK = 20  # longer axes of ranks are logarithmic
MAX_MARKS = 25  # per line
LETTER = layout.LETTER * 12 / 11  # font size 12 in the legend


# -- samples of lines -----------------------------------------------------------------------------

SAMPLE_LENGTH = 26.0  # points of a line sample (−1 to 1 in its path)
HALF_LINE_WIDTH = 0.06  # in units of the path

MARK_SCALE = 0.34  # size of a mark relative to the sample
# Shapes of Vega at this scale.
MARK_PATHS = {
    "circle": "M.28,0A.28,.28,0,1,1,-.28,0A.28,.28,0,1,1,.28,0Z",
    "square": "M-.25,-.25H.25V.25H-.25Z",
    "triangle-up": "M0,-.3L.32,.26H-.32Z",
    "diamond": "M0,-.36L.3,0L0,.36L-.3,0Z",
    "cross": "M-.34,-.11H-.11V-.34H.11V-.11H.34V.11H.11V.34H-.11V.11H-.34Z",
    "triangle-down": "M0,.3L-.32,-.26H.32Z",
    "triangle-left": "M-.3,0L.26,-.32V.32Z",
    "triangle-right": "M.3,0L-.26,.32V-.32Z",
}


def build_sample_path(style: Style) -> str:
    """Return a line sample with dashes and a mark, as an SVG path.

    Legends of Vega-Lite have either lines or marks.

    >>> build_sample_path(Style("black", "square", [13, 6]))
    'M-1.000,-0.06H0.000V0.06H-1.000ZM0.462,-0.06H1.000V0.06H0.462ZM-.25,-.25H.25V.25H-.25Z'
    """
    position, path, pattern = -1.0, "", cycle(style.dash)
    while position < 1:
        ink, gap = next(pattern), next(pattern)
        end = min(position + 2 * ink / SAMPLE_LENGTH, 1.0) if gap else 1.0
        path += f"M{position:.3f},-{HALF_LINE_WIDTH}H{end:.3f}V{HALF_LINE_WIDTH}H{position:.3f}Z"
        position = end + 2 * gap / SAMPLE_LENGTH
    custom_mark = re.sub(r"-?[\d.]+", lambda m: f"{float(m[0]) * MARK_SCALE:.3f}", style.shape)
    return path + MARK_PATHS.get(style.shape, custom_mark)  # custom shapes are paths


# -- which lines have names -----------------------------------------------------------------------


@dataclass(frozen=True)
class NamedLines:
    """Labels of the lines that get a style, and the unnamed lines drawn in grey."""

    labels: Mapping[str, str]
    unnamed: Sequence[str]
    width: float  # of the legend

    @classmethod
    def from_values(cls, values: Mapping[str, float], theme: Theme, panels: int = 1) -> NamedLines:
        """Choose the lines to name: all, or those with the highest values."""
        names = [*values]
        if len(names) > MAX_STYLES:
            names.sort(key=lambda name: (math.isnan(values[name]), -values[name]))
        displayed, width = names[:MAX_STYLES], panels * _get_width(theme)
        room = int((width - theme.scale_points(SAMPLE_LENGTH)) / theme.scale_points(LETTER))
        short = layout.shorten_names(displayed, min(charts.LEGEND, max(12, room)))
        return cls(dict(zip(displayed, short, strict=True)), names[MAX_STYLES:], width)

    def describe_names(self, criterion: str, noun: str) -> list[str]:
        """Return a sentence about the selection of named lines, if some are unnamed."""
        total = format_count(len(self.labels) + len(self.unnamed), noun)
        sentence = f"Named: the {len(self.labels)} of {total} {criterion}. Grey: the other lines."
        return [sentence] if self.unnamed else []

    def collect_notes(self, noun: str) -> tuple[Note, ...]:
        """Return a note if some lines are unnamed."""
        if not self.unnamed:
            return ()
        total = format_count(len(self.labels) + len(self.unnamed), noun)
        advice = "use .html (names on hover) or .csv"
        return (Note("names", f"{len(self.unnamed)} of {total} are grey and have no name: {advice}"),)

    def split_rows(self, data: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Split the rows into named lines, with labels, and unnamed lines."""
        has_name = pl.col("line").is_in([*self.labels])
        label = pl.col("line").replace_strict(dict(self.labels), return_dtype=pl.String)
        return data.filter(has_name).with_columns(label=label), data.filter(~has_name)

    def build_legend(self, theme: Theme) -> list[Any]:
        """Encode colours and line samples in one legend below the panel."""
        styles = theme.assign_styles(self.labels)
        longest = max(map(len, self.labels.values()))
        max_columns = max(1, int(self.width / theme.scale_points(SAMPLE_LENGTH + 20 + LETTER * longest)))
        rows = math.ceil(len(self.labels) / max_columns)
        style = alt.Legend(
            orient="bottom",
            columns=math.ceil(len(self.labels) / rows),
            title=None,
            offset=8,
            symbolSize=theme.scale_points(SAMPLE_LENGTH) ** 2,
            symbolOpacity=1,
            rowPadding=2,
            clipHeight=theme.scale_points(16),
        )
        colours = [styles[name].colour for name in self.labels]
        samples = [build_sample_path(styles[name]) for name in self.labels]
        return [
            channel("label:N", scale={"domain": [*self.labels.values()], "range": range}, legend=style)
            for channel, range in ((alt.Color, colours), (alt.Shape, samples))
        ]


def _get_width(theme: Theme) -> float:
    return theme.width or WIDTH


# -- axes -----------------------------------------------------------------------------------------


def is_logarithmic(first: float, last: float) -> bool:
    """Return True if an axis of ranks is logarithmic.

    An axis of recall starts at 0 and is linear.
    """
    return last > MAX_LINEAR_RANK * first > 0


def build_rank_axis(first: float, last: float, title: str, theme: Theme) -> Any:
    """Build an axis of ranks: linear for few ranks, logarithmic for many."""
    if not is_logarithmic(first, last):
        ends = [first - 0.5, last + 0.5] if first == last else [first, last]
        axis_style = charts.build_rank_axis_style(int(last))
        return charts.build_axis("x", "at", title, ends, **axis_style)
    decades = range(len(str(int(last))))
    ticks = [digit * 10**e for e in decades for digit in (1, 2, 5)]
    if theme.scale_points(30) * len(ticks) > _get_width(theme):
        ticks = [tick for tick in ticks if str(tick).startswith("1")]
    ticks = [tick for tick in ticks if first <= tick <= last / 1.5] + [int(last)]
    style = {"values": ticks, "format": "d", "grid": False}
    return charts.build_axis("x", "at", f"{title} (log scale)", [first, last], {"type": "log"}, **style)


def build_recall_axis() -> Any:
    return charts.build_axis("x", "at", "recall", [0.0, 1.0], tickCount=5, grid=False)


def build_value_axis(data: pl.DataFrame, title: str) -> Any:
    """Build an axis from 0 to above all values and intervals.

    It ends at 1 if no value is above 1.
    """
    values, ends = _collect_numbers(data, "value"), _collect_numbers(data, "low", "high")
    low = 0.0 if min(values, default=0.0) >= 0 else -math.inf
    high = 1.0 if max(values, default=1.0) <= 1 else math.inf
    ticks = layout.from_zero([*values, *(min(max(end, low), high) for end in ends)], 0.0)
    return charts.build_axis("y", "value", title, [ticks[0], ticks[-1]], tickCount=len(ticks) - 1)


def _collect_numbers(data: pl.DataFrame, *columns: str) -> list[float]:
    """Return the numbers of the columns that exist."""
    available = [data[name] for name in columns if name in data.columns]
    return [value for column in available for value in column.drop_nulls().drop_nans()]


# -- the panel ------------------------------------------------------------------------------------


def draw_panel(
    data: pl.DataFrame, lines: NamedLines, x: Any, y: Any, tooltip: Sequence[Any], theme: Theme, *background: Any
) -> Any:
    """Draw lines with marks and bands, above unnamed lines and background layers."""
    named_rows, other_rows = lines.split_rows(_flag_marks(data))
    base = alt.Chart().encode(x, y)
    layers = [*background]
    if lines.unnamed:
        faint = base.properties(data=charts.to_chart_data(other_rows)).encode(alt.Detail("line:N"))
        layers.append(faint.mark_line(color=UNNAMED_COLOUR, strokeWidth=0.8).encode(tooltip=tooltip))
    styles = theme.assign_styles(lines.labels)
    line_charts = [
        (base.transform_filter(alt.FieldEqualPredicate(field="label", equal=label)), styles[name])
        for name, label in lines.labels.items()
    ]
    if "low" in data.columns:
        ends = alt.Y("low:Q"), alt.Y2("high:Q")
        bands = [line_chart.mark_area(opacity=0.13, clip=True, color=style.colour) for line_chart, style in line_charts]
        layers += [band.encode(*ends) for band in bands]
    for line_chart, style in line_charts:
        layers.append(line_chart.mark_line(color=style.colour, strokeDash=style.dash))
        mark = {"shape": style.shape, "color": style.colour, "size": theme.scale_points(38)}
        layers.append(line_chart.transform_filter("datum.marked").mark_point(filled=True, **mark))
    # These invisible points carry the tooltips and the legend.
    targets = base.mark_point(opacity=0, size=90, filled=True)
    layers.append(targets.encode(*lines.build_legend(theme), tooltip=tooltip))
    return charts.build_panel(named_rows, *layers, size=theme.choose_size(WIDTH, HEIGHT))


def draw_outline(data: pl.DataFrame, name: str, x: Any, y: Any, tooltip: Sequence[Any], theme: Theme) -> list[Any]:
    """Draw a broad line with its name at the upper left."""
    base = alt.Chart(charts.to_chart_data(data)).encode(x, y)
    middle = data.slice((len(data) - 1) // 2, 1).with_columns(label=pl.lit(name))
    text = base.properties(data=charts.to_chart_data(middle)).encode(alt.Text("label:N"))
    text_style = {"align": "right", "baseline": "bottom", "dx": -5, "dy": -2}
    return [
        base.mark_line(color="black", strokeWidth=3).encode(tooltip=tooltip),
        text.mark_text(**text_style, fontSize=theme.scale_points(12)),
    ]


def _flag_marks(data: pl.DataFrame) -> pl.DataFrame:
    """Flag the first and last point, and points far enough from the previous mark."""
    points = sorted({*_collect_numbers(data, "at")})
    log = is_logarithmic(points[0], points[-1])
    positions = {x: math.log(x) if log else x for x in points}
    min_distance = (positions[points[-1]] - positions[points[0]]) / MAX_MARKS
    marks = points[:1]
    for x in points[1:]:
        if positions[x] - positions[marks[-1]] >= min_distance:
            marks.append(x)
    marks[max(len(marks) - 1, 1) :] = points[-1:]
    return data.with_columns(marked=pl.col("at").is_in(marks))


def combine_panels(panels: Sequence[Any], columns: int, theme: Theme, lines: Sequence[str]) -> Any:
    """Combine panels with one legend below."""
    if len(panels) == 1:
        return charts.finish_chart(panels[0], theme, "", lines, _get_width(theme))
    chart = alt.concat(*panels, columns=columns).resolve_scale(color="shared", shape="shared")
    width = _get_width(theme) * min(columns, len(panels))
    return charts.finish_chart(chart, theme, "", lines, width)
