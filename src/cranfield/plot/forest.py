"""Differences on the collections of a suite.

Draw a forest plot: one row per collection with the difference of two systems and its interval, then
the macro mean with its interval for these collections, for collections like these, and for one
further collection. One panel per pair of systems and measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, Unpack

from cranfield.comparison.suite_tables import describe_topics
from cranfield.comparison.suites import Suite, SuitePair, suite
from cranfield.errors import InputError
from cranfield.figures import charts, layout
from cranfield.figures.charts import VerticalNames
from cranfield.figures.figure import Figure, alt
from cranfield.figures.theme import Theme, ThemeOptions
from cranfield.lazy_imports import pl
from cranfield.measures.selection import MeasuresLike
from cranfield.plot.kinds import FigureKind, build_frame
from cranfield.tables import format_difference, format_interval, format_percent
from cranfield.wording import format_count, format_number

__all__ = ["forest"]

COLUMNS = ("measure", "run", "other", "row", "collection", "topics", "difference", "low", "high")
MAX_PANELS = 12
WIDTH, IN_A_ROW = 240.0, 2
TEXT_WIDTH = 27  # characters of a difference with its interval


def forest(
    suite: Suite | Any,
    runs: Any = None,
    measures: MeasuresLike = None,
    *,
    baseline: str | Sequence[str] | None = None,
    **look: Unpack[ThemeOptions],
) -> Figure:
    """Plot the differences of systems on each collection, and the macro mean with its intervals.

    suite, runs, measures, baseline
        A result of `cf.suite`, or its arguments: collections, runs, measures and baseline.

    >>> x = {"a": {"1": 0.5, "2": 0.6, "3": 0.4}, "b": {"1": 0.4, "2": 0.5, "3": 0.2}}
    >>> y = {"a": {"1": 0.2, "2": 0.3, "3": 0.4}, "b": {"1": 0.3, "2": 0.1, "3": 0.1}}
    >>> [(row, round(d, 4)) for row, d in forest({"scifact": x, "nq": y}).data.select("row", "difference").rows()]
    [('collection', 0.1333), ('collection', 0.1333), ('these', 0.1333)]
    """
    result = _get_suite(suite, runs, measures, baseline)
    if len(result.pairs) > MAX_PANELS:
        problem = f"{len(result.pairs)} pairs of systems and measures, more than {MAX_PANELS} panels"
        raise InputError.from_problem(problem, "Select a baseline or a measure.")
    theme = Theme(**look)
    data = build_frame([row for pair in result.pairs for row in _build_rows(result, pair)], COLUMNS)
    names = _add_topics(VerticalNames.from_names(_list_names(result), theme), result)
    notes = (*names.collect_notes("row"), *result.notes)
    return Figure(lambda: _draw_chart(result, data, names, theme), data, notes)


def _get_suite(collections: Any, runs: Any, measures: Any, baseline: Any) -> Suite:
    if not isinstance(collections, Suite):
        return suite(collections, runs, measures=measures, baseline=baseline)
    if any(value is not None for value in (runs, measures, baseline)):
        raise InputError.from_problem("runs, measures or baseline with a result of cf.suite", "Pass only the result.")
    return collections


def _build_rows(result: Suite, pair: SuitePair) -> Iterator[tuple[Any, ...]]:
    """Yield a row per collection, and up to three rows of the macro mean."""
    key = pair.measure, pair.run, pair.other
    for row in result.forest:
        if (row.measure, row.run, row.other) == key:
            yield *key, "collection", row.collection, row.topics, row.difference, row.low, row.high
    ends = {
        "these": (pair.low, pair.high),
        "like these": (pair.further_low, pair.further_high),
        "further": (pair.prediction_low, pair.prediction_high),
    }
    for name, (low, high) in ends.items():
        if name == "these" or not isnan(low):
            yield *key, name, _name_macro_row(result, name), pair.topics, pair.difference, low, high


def _name_macro_row(result: Suite, row: str) -> str:
    count = format_count(len(result.collections), "collection")
    names = {"these": f"Mean of these {count}", "like these": "Mean of collections like these"}
    return names.get(row, "One further collection")


def _list_names(result: Suite) -> list[str]:
    """List the names on the axis, with a gap before the macro mean."""
    macro = ["these"] if all(isnan(pair.further_low) for pair in result.pairs) else ["these", "like these", "further"]
    collections = dict.fromkeys(row.collection for row in result.forest)
    return [*collections, " ", *(_name_macro_row(result, row) for row in macro)]


def _add_topics(names: VerticalNames, result: Suite) -> VerticalNames:
    """Return the names with the number of topics of each collection."""
    topics = {row.collection: row.topics for row in result.forest}
    labels = {name: f"{label} ({topics[name]:,})" if name in topics else label for name, label in names.labels.items()}
    return replace(names, labels=labels)


# -- the chart ------------------------------------------------------------------------------------


def _draw_chart(result: Suite, data: pl.DataFrame, names: VerticalNames, theme: Theme) -> Any:
    width = theme.width or WIDTH
    panels = []
    for place, pair in enumerate(result.pairs):
        rows = data.filter(measure=pair.measure, run=pair.run, other=pair.other)
        panels.append(_draw_panel(result, pair, rows, names, place % IN_A_ROW == 0, width, theme))
    text_width = theme.scale_points(layout.LETTER) * TEXT_WIDTH
    panel_width = names.compute_width(theme) + (width + text_width) * min(len(panels), IN_A_ROW)
    return charts.build_panels(panels, IN_A_ROW, theme, "", [*_build_captions(result)], panel_width)


def _build_captions(result: Suite) -> Iterator[str]:
    confidence = format_percent(1 - result.alpha)
    units = f"other {describe_topics(result)}{' and other seeds' if result.seeds == 'random' else ''}"
    standardised = ", in standard deviations" if result.standardise else ""
    yield (
        f"Differences on {format_count(len(result.collections), 'collection')} (topics){standardised} and their macro "
        f"mean, with {confidence} intervals. Diamonds: for {units} on these collections; for the mean of collections "
        "like these; for one further collection."
    )
    several = len(result.pairs) > 1
    values = [
        f"{_name_pair(result, pair) if several else ''} I² = {pair.i2:.0%}, τ = {format_number(pair.tau)}".strip()
        for pair in result.pairs
        if not isnan(pair.i2)
    ]
    if values:
        yield f"Variation of true differences between collections: {'; '.join(values)}."


def _name_pair(result: Suite, pair: SuitePair) -> str:
    measure = f" by {pair.measure}" if len(result.measures) > 1 else ""
    return f"{pair.run} − {pair.other}{measure}"


def _draw_panel(
    result: Suite, pair: SuitePair, data: pl.DataFrame, names: VerticalNames, first: bool, width: float, theme: Theme
) -> Any:
    """Draw the rows of a pair: intervals, differences, texts and the zero line."""
    ends = [x for name in ("difference", "low", "high") for x in data[name].drop_nans()]
    ticks = layout.choose_ticks(min(0.0, *ends), max(0.0, *ends) or 1.0)
    better = result.means.better[result.measures.index(pair.measure)]
    title = f"{pair.run} − {pair.other}, {pair.measure}{' (lower is better)' if better == 'lower' else ''}"
    texts = [f"{format_difference(d)} {format_interval(low, high, '+')}" for d, low, high in data.select(
        "difference", "low", "high").rows()]  # fmt: skip
    rows = names.label_rows(data.with_columns(text=pl.Series(texts, dtype=pl.String)), "collection")
    value = charts.build_axis("x", "difference", title, [ticks[0], ticks[-1]], tickCount=5)
    base = alt.Chart().encode(names.build_axis(first, grid=False), value)
    is_macro = "datum.row != 'collection'"
    tooltip = ["collection:N", "topics:Q", *charts.build_number_tooltips("difference", "low", "high")]
    styled = base.encode(color=alt.value(theme.colour), tooltip=tooltip)
    thick = alt.condition(is_macro, alt.value(2.5), alt.value(1.5))
    shape = alt.condition(is_macro, alt.value("diamond"), alt.value("circle"))
    size = alt.condition(is_macro, alt.value(90), alt.value(35))
    zero = alt.Chart(alt.Data(values=[{"zero": 0.0}])).mark_rule(color=charts.GREY, strokeDash=[4, 3])
    layers = [
        zero.encode(alt.X("zero:Q")),
        styled.mark_rule().encode(alt.X("low:Q"), alt.X2("high:Q"), strokeWidth=thick),
        styled.mark_point(filled=True, opacity=1).encode(shape=shape, size=size),
        base.mark_text(align="left").encode(alt.Text("text:N"), x=alt.value(width + 8)),
    ]
    return charts.build_panel(rows, *layers, size=(width, names.height))


FIGURE = FigureKind(__doc__, place=8, function=forest, options=(), takes="suite", measures="")
