"""Nightly results.

Draw a series: the mean of every night with its interval, the median of the nights before, the mean
of a baseline, and marks on nights that differ significantly. One panel per measure and run.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, Unpack

from cranfield.comparison.trend import LAST, Trend
from cranfield.comparison.trend import trend as compute_trend
from cranfield.errors import InputError
from cranfield.figures import charts, layout
from cranfield.figures.figure import Figure, alt
from cranfield.figures.theme import Theme, ThemeOptions
from cranfield.lazy_imports import pl
from cranfield.measures.selection import MeasuresLike
from cranfield.plot.kinds import FigureKind, build_frame
from cranfield.tables import format_percent
from cranfield.wording import format_count

__all__ = ["trend"]

COLUMNS = ("measure", "run", "night", "mean", "low", "high", "reference", "difference", "pvalue", "verdict")
MAX_PANELS = 12
WIDTH, HEIGHT, IN_A_ROW = 420.0, 170.0, 2
MARKS = {"better": "triangle-up", "worse": "triangle-down"}


def trend(
    nights: Trend | Any,
    baseline: Any = None,
    measures: MeasuresLike = None,
    *,
    last: int | None = None,
    **look: Unpack[ThemeOptions],
) -> Figure:
    """Plot the means of nights with intervals, and mark nights that differ significantly.

    nights, baseline, measures, last
        A result of `cf.trend`, or its arguments.

    >>> x = {"1": 0.5, "2": 0.6, "3": 0.4, "4": 0.7}
    >>> nights = {"mon": x, "tue": {t: s - 0.1 - 0.01 * int(t) for t, s in x.items()}}
    >>> trend(nights).data.select("night", "verdict").rows()
    [('mon', ''), ('tue', 'worse')]
    """
    result = _get_trend(nights, baseline, measures, last)
    panels = len(result.measures) * len(result.runs)
    if panels > MAX_PANELS:
        problem = f"{panels} series of runs and measures, more than {MAX_PANELS} panels"
        raise InputError.from_problem(problem, "Select a measure, or give nights of fewer runs.")
    theme = Theme(**look)
    data = build_frame([*_build_rows(result)], COLUMNS)
    return Figure(lambda: _draw_chart(result, data, theme), data, result.notes)


def _get_trend(nights: Any, baseline: Any, measures: Any, last: int | None) -> Trend:
    if not isinstance(nights, Trend):
        return compute_trend(nights, baseline, measures=measures, last=LAST if last is None else last)
    if any(value is not None for value in (baseline, measures, last)):
        raise InputError.from_problem("arguments with a result of cf.trend", "Pass only the result.")
    return nights


def _build_rows(result: Trend) -> Iterator[tuple[Any, ...]]:
    """Yield a row per night: its mean, the mean of the tested reference, and the test."""
    for row in result.nights:
        key = row.measure, row.run, row.night
        test = result.find(*key, result.tested)
        reference = None if test is None or result.has_logarithms(row.measure) else row.mean - test.difference
        tested = (None,) * 3 if test is None else (reference, test.difference, test.pvalue)
        yield *key, row.mean, row.low, row.high, *tested, "" if test is None else test.verdict


# -- the chart ------------------------------------------------------------------------------------


def _draw_chart(result: Trend, data: pl.DataFrame, theme: Theme) -> Any:
    width, height = theme.choose_size(WIDTH, HEIGHT)
    panels = [
        _draw_panel(result, data.filter(measure=measure, run=run), measure, run, (width, height), theme)
        for measure in result.measures
        for run in result.runs
    ]
    total = (width + theme.scale_points(60)) * min(len(panels), IN_A_ROW)
    return charts.build_panels(panels, IN_A_ROW, theme, "", [_build_caption(result)], total)


def _build_caption(result: Trend) -> str:
    confidence = format_percent(1 - result.alpha)
    reference = f"the median of the last {result.last} nights" if result.baseline is None else str(result.baseline)
    return (
        f"Means of {format_count(len(result.names), 'night')} with {confidence} intervals. Dashed: {reference}. "
        f"Triangles: nights that differ significantly from it, corrected for all looks."
    )


def _draw_panel(
    result: Trend, data: pl.DataFrame, measure: str, run: str, size: tuple[float, float], theme: Theme
) -> Any:
    """Draw the means with a band, the reference as a dashed line, and marks of verdicts."""
    width, _ = size
    data = data.with_columns(pl.col("reference").cast(pl.Float64))
    values = [x for name in ("mean", "low", "high", "reference") for x in data[name].drop_nulls().drop_nans()]
    ticks = layout.choose_ticks(min(values), max(values) if max(values) > min(values) else min(values) + 1)
    is_lower = result.get_better(measure) == "lower"
    name = f"{run}, {measure}" if len(result.runs) > 1 else measure
    title, ends = f"{name}{' (lower is better)' if is_lower else ''}", [ticks[0], ticks[-1]]
    mean, low, reference = (
        charts.build_axis("y", field, title, ends, tickCount=5) for field in ("mean", "low", "reference")
    )
    tooltip = ["night:N", *charts.build_number_tooltips("mean", "low", "high", "difference", "pvalue"), "verdict:N"]
    base = alt.Chart().encode(_build_night_axis(result.names, width, theme))
    layers = [
        base.mark_area(opacity=0.15, color=theme.colour).encode(low, alt.Y2("high:Q")),
        base.mark_line(color=charts.GREY, strokeDash=[5, 3]).encode(reference),
        base.mark_line(color=theme.colour).encode(mean),
        base.mark_point(filled=True, opacity=1, size=theme.scale_points(18), color=theme.colour).encode(
            mean, tooltip=tooltip
        ),
    ]
    for verdict, shape in MARKS.items():
        marked = base.transform_filter(alt.FieldEqualPredicate(field="verdict", equal=verdict))
        style = {"shape": shape, "size": theme.scale_points(110), "color": "black", "opacity": 1}
        layers.append(marked.mark_point(filled=True, **style).encode(mean, tooltip=tooltip))
    return charts.build_panel(data, *layers, size=size)


def _build_night_axis(names: tuple[str, ...], width: float, theme: Theme) -> Any:
    """Build the axis of nights, with as many names as fit, the last one included."""
    room = theme.scale_points(layout.LETTER) * (max(map(len, names)) + 2)
    step = max(1, ceil(len(names) * room / width))
    shown = [*reversed(names[::-1][::step])]
    axis = {"values": shown, "labelAngle": 0, "grid": False, "labelLimit": 0, "labelOverlap": False}
    return alt.X("night:N", sort=None, scale={"type": "point", "domain": [*names]}, title=None, axis=axis)


FIGURE = FigureKind(__doc__, place=9, function=trend, options=(), takes="trend", measures="")
