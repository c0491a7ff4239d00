"""Lines against ranks, or recalls: what the figures of curves, judgments and pools are drawn with.

The rows that they are drawn from have the columns line, a name, at and value, perhaps low and
high, and whatever points tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.late import pl
from cranfield.report import charts, places
from cranfield.report.look import MANY, Look, Style
from cranfield.report.pictures import alt
from cranfield.scores import Notice
from cranfield.wording import counted

WIDTH, HEIGHT = 360.0, 230.0
FAINT = "#d0d0d0"  # lines without a name
LINEAR = 20  # as far as an axis of ranks is not logarithmic
MARKS = 25  # of a line at the most; other points have none
LETTER = places.LETTER * 12 / 11  # of the legend, which is a little larger


# -- samples of lines -----------------------------------------------------------------------------

SAMPLE = 26.0  # points of a line in the legend, which go from −1 to 1 there
THIN = 0.06  # half the width of the line

SMALLER = 0.34  # a mark than the sample
# Vega's own shapes of points, so small.
MARK = {
    "circle": "M.28,0A.28,.28,0,1,1,-.28,0A.28,.28,0,1,1,.28,0Z",
    "square": "M-.25,-.25H.25V.25H-.25Z",
    "triangle-up": "M0,-.3L.32,.26H-.32Z",
    "diamond": "M0,-.36L.3,0L0,.36L-.3,0Z",
    "cross": "M-.34,-.11H-.11V-.34H.11V-.11H.34V.11H.11V.34H-.11V.11H-.34Z",
    "triangle-down": "M0,.3L-.32,-.26H.32Z",
    "triangle-left": "M-.3,0L.26,-.32V.32Z",
    "triangle-right": "M.3,0L-.26,.32V-.32Z",
}


def sample(style: Style) -> str:
    """A line with its dashes and a mark on it, as a path of SVG that is filled: Vega-Lite's own
    legends have lines or marks.

    >>> sample(Style("black", "square", [13, 6]))
    'M-1.000,-0.06H0.000V0.06H-1.000ZM0.462,-0.06H1.000V0.06H0.462ZM-.25,-.25H.25V.25H-.25Z'
    """
    at, drawn, pattern = -1.0, "", cycle(style.dash)
    while at < 1:
        ink, gap = next(pattern), next(pattern)
        end = min(at + 2 * ink / SAMPLE, 1.0) if gap else 1.0
        drawn += f"M{at:.3f},-{THIN}H{end:.3f}V{THIN}H{at:.3f}Z"
        at = end + 2 * gap / SAMPLE
    own = re.sub(r"-?[\d.]+", lambda m: f"{float(m[0]) * SMALLER:.3f}", style.shape)
    return drawn + MARK.get(style.shape, own)  # which is a path itself


# -- which lines have names -----------------------------------------------------------------------


@dataclass(frozen=True)
class Lines:
    """The lines of a figure: what those are called that can be told apart, and who the others are,
    which stand behind them in grey.
    """

    labels: Mapping[str, str]
    others: Sequence[str]
    width: float  # that the legend may have

    @classmethod
    def of(cls, worth: Mapping[str, float], look: Look, panels: int = 1) -> Lines:
        """All lines in their order, or, of too many, those worth most; so many panels have room."""
        names = [*worth]
        if len(names) > MANY:
            names.sort(key=lambda name: (math.isnan(worth[name]), -worth[name]))
        shown, width = names[:MANY], panels * _width(look)
        room = int((width - look.points(SAMPLE)) / look.points(LETTER))
        short = places.shortened(shown, min(charts.LEGEND, max(12, room)))
        return cls(dict(zip(shown, short, strict=True)), names[MANY:], width)

    def told(self, which: str, noun: str) -> list[str]:
        """Which lines have names, if not all do."""
        every = counted(len(self.labels) + len(self.others), noun)
        said = f"Named: the {len(self.labels)} of {every} {which}; grey: the others."
        return [said] if self.others else []

    def notices(self, noun: str) -> tuple[Notice, ...]:
        """That some lines have no name, if so."""
        if not self.others:
            return ()
        every = counted(len(self.labels) + len(self.others), noun)
        where = "in .html it is told at the line, in .csv all are listed"
        return (Notice("names", f"{len(self.others)} of {every} in grey, without a name: {where}"),)

    def rows(self, data: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The rows of lines with names, with these, and those of the others."""
        named = pl.col("line").is_in([*self.labels])
        label = pl.col("line").replace_strict(dict(self.labels), return_dtype=pl.String)
        return data.filter(named).with_columns(label=label), data.filter(~named)

    def legend(self, look: Look) -> list[Any]:
        """Encodings with one legend below: a sample of each line, and its name."""
        styles = look.styles(self.labels)
        longest = max(map(len, self.labels.values()))
        most = max(1, int(self.width / look.points(SAMPLE + 20 + LETTER * longest)))
        rows = math.ceil(len(self.labels) / most)
        style = alt.Legend(
            orient="bottom",
            columns=math.ceil(len(self.labels) / rows),
            title=None,
            offset=8,
            symbolSize=look.points(SAMPLE) ** 2,
            symbolOpacity=1,
            rowPadding=2,
            clipHeight=look.points(16),
        )
        colours = [styles[name].colour for name in self.labels]
        samples = [sample(styles[name]) for name in self.labels]
        return [
            channel(
                "label:N", scale={"domain": [*self.labels.values()], "range": range}, legend=style
            )
            for channel, range in ((alt.Color, colours), (alt.Shape, samples))
        ]


def _width(look: Look) -> float:
    return look.width or WIDTH


# -- axes -----------------------------------------------------------------------------------------


def is_log(first: float, last: float) -> bool:
    """Whether an axis of ranks is logarithmic; one of recalls, from 0, never is."""
    return last > LINEAR * first > 0


def rank_axis(first: float, last: float, title: str, look: Look) -> Any:
    """An axis of ranks: of few all are alike far from each other, of many they are logarithmic."""
    if not is_log(first, last):
        ends = [first - 0.5, last + 0.5] if first == last else [first, last]
        whole = charts.ranks(int(last))
        return charts.axis("x", "at", title, ends, **whole)
    decades = range(len(str(int(last))))
    ticks = [digit * 10**e for e in decades for digit in (1, 2, 5)]
    if look.points(30) * len(ticks) > _width(look):
        ticks = [tick for tick in ticks if str(tick).startswith("1")]
    ticks = [tick for tick in ticks if first <= tick <= last / 1.5] + [int(last)]
    style = {"values": ticks, "format": "d", "grid": False}
    return charts.axis("x", "at", f"{title} (log scale)", [first, last], {"type": "log"}, **style)


def recall_axis() -> Any:
    """An axis of recalls."""
    return charts.axis("x", "at", "recall", [0.0, 1.0], tickCount=5, grid=False)


def value_axis(data: pl.DataFrame, title: str) -> Any:
    """From 0 to above all values, and above their intervals, but not above 1 where none is."""
    values, ends = _known(data, "value"), _known(data, "low", "high")
    low = 0.0 if min(values, default=0.0) >= 0 else -math.inf
    high = 1.0 if max(values, default=1.0) <= 1 else math.inf
    ticks = places.from_zero([*values, *(min(max(end, low), high) for end in ends)], 0.0)
    return charts.axis("y", "value", title, [ticks[0], ticks[-1]], tickCount=len(ticks) - 1)


def _known(data: pl.DataFrame, *columns: str) -> list[float]:
    """The numbers in some columns, if they are there."""
    there = [data[name] for name in columns if name in data.columns]
    return [value for column in there for value in column.drop_nulls().drop_nans()]


# -- the panel ------------------------------------------------------------------------------------


def panel(
    data: pl.DataFrame,
    lines: Lines,
    x: Any,
    y: Any,
    tooltip: Sequence[Any],
    look: Look,
    *behind: Any,
) -> Any:
    """Lines with marks and perhaps bands; behind them those without a name, and other layers."""
    named, others = lines.rows(_marked(data))
    base = alt.Chart().encode(x, y)
    layers = [*behind]
    if lines.others:
        faint = base.properties(data=charts.rows_of(others)).encode(alt.Detail("line:N"))
        layers.append(faint.mark_line(color=FAINT, strokeWidth=0.8).encode(tooltip=tooltip))
    styles = look.styles(lines.labels)
    each = [
        (base.transform_filter(alt.FieldEqualPredicate(field="label", equal=label)), styles[name])
        for name, label in lines.labels.items()
    ]
    if "low" in data.columns:
        ends = alt.Y("low:Q"), alt.Y2("high:Q")
        bands = [own.mark_area(opacity=0.13, clip=True, color=style.colour) for own, style in each]
        layers += [band.encode(*ends) for band in bands]
    for own, style in each:
        layers.append(own.mark_line(color=style.colour, strokeDash=style.dash))
        mark = {"shape": style.shape, "color": style.colour, "size": look.points(38)}
        layers.append(own.transform_filter("datum.marked").mark_point(filled=True, **mark))
    # Nobody sees these points: they tell what they are, and have the legend.
    told = base.mark_point(opacity=0, size=90, filled=True)
    layers.append(told.encode(*lines.legend(look), tooltip=tooltip))
    return charts.panel(named, *layers, size=look.size(WIDTH, HEIGHT))


def outline(
    data: pl.DataFrame, name: str, x: Any, y: Any, tooltip: Sequence[Any], look: Look
) -> list[Any]:
    """A broad line that rises above all others, with its name on its upper left."""
    base = alt.Chart(charts.rows_of(data)).encode(x, y)
    middle = data.slice((len(data) - 1) // 2, 1).with_columns(label=pl.lit(name))
    text = base.properties(data=charts.rows_of(middle)).encode(alt.Text("label:N"))
    beside = {"align": "right", "baseline": "bottom", "dx": -5, "dy": -2}
    return [
        base.mark_line(color="black", strokeWidth=3).encode(tooltip=tooltip),
        text.mark_text(**beside, fontSize=look.points(12)),
    ]


def _marked(data: pl.DataFrame) -> pl.DataFrame:
    """Mark the first and the last point, and those between that are not close to another mark."""
    points = sorted({*_known(data, "at")})
    log = is_log(points[0], points[-1])
    place = {at: math.log(at) if log else at for at in points}
    apart = (place[points[-1]] - place[points[0]]) / MARKS
    marked = points[:1]
    for at in points[1:]:
        if place[at] - place[marked[-1]] >= apart:
            marked.append(at)
    marked[max(len(marked) - 1, 1) :] = points[-1:]
    return data.with_columns(marked=pl.col("at").is_in(marked))


def figure(panels: Sequence[Any], columns: int, look: Look, told: Sequence[str]) -> Any:
    """Panels with one legend below all of them."""
    if len(panels) == 1:
        return charts.finished(panels[0], look, "", told, _width(look))
    whole = alt.concat(*panels, columns=columns).resolve_scale(color="shared", shape="shared")
    width = _width(look) * min(columns, len(panels))
    return charts.finished(whole, look, "", told, width)
