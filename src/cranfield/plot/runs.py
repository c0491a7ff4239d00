"""Means of runs, with confidence intervals and significant differences.

Draw the means of runs with confidence intervals, the best first, one panel per measure. Runs that
share a letter are not significantly different.
"""

from __future__ import annotations

from math import isnan
from typing import Any, Unpack

from cranfield.comparison import RunSummary, compare
from cranfield.comparison.tables import describe_procedure
from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, layout
from cranfield.figures.charts import VerticalNames
from cranfield.figures.figure import Figure, alt
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.measures.grammar import MeasureLike
from cranfield.measures.selection import MeasuresLike
from cranfield.options import option, switch
from cranfield.plot.kinds import (
    Drawing,
    FigureKind,
    JudgmentsOrScores,
    add_drawing_options,
    build_frame,
    collect_undefined_notes,
    find_column,
    format_axis_title,
    prepare_scores,
)
from cranfield.scores import Note, Scores
from cranfield.stats.measure_scores import extract_measure
from cranfield.stats.options import build_testing_options
from cranfield.stats.resampling import TRIALS
from cranfield.tables import format_percent, format_topics

__all__ = ["runs"]

COLUMNS = ("measure", "run", "topics", "mean", "low", "high", "groups")
WIDTHS = {1: 300.0, 2: 180.0}  # of a panel, if there are so many
WIDTH, IN_A_ROW = 140.0, 3


@add_drawing_options
def runs(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    sort: MeasureLike | None = None,
    bars: bool = False,
    letters: bool = True,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    **drawing: Unpack[Drawing],
) -> Figure:
    """Plot the means of runs with confidence intervals, the best first.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`, or only scores as for `compare`.
    sort
        Measure that orders the runs. Default: the first measure.
    bars
        Draw bars from 0 instead of dots.
    letters
        Add letters: runs that share a letter are not significantly different.
    test, correction, alpha, trials
        As for `compare`. Intervals have confidence 1 − alpha.

    >>> x = {f"q{i}": i / 10 for i in range(8)}
    >>> y = {topic: value + 0.1 for topic, value in x.items()}
    >>> picture = runs({"bm25": x, "dense": y})
    >>> [(run, round(mean, 4), groups) for _, run, _, mean, _, _, groups in picture.data.rows()]
    [('dense', 0.45, 'a'), ('bm25', 0.35, 'b')]
    >>> picture.save("runs.pdf")  # doctest: +SKIP
    """
    scores, theme, sampling = prepare_scores(qrels, runs, measures, drawing)
    sort_measure = scores.measures[0] if sort is None else find_column(scores, sort)
    testing = {"test": test, "correction": correction, "alpha": alpha, "trials": trials} | sampling
    rows, captions, notes = _summarize_runs(scores, letters, testing)
    order = [row.run for row in rows if row.measure == sort_measure]
    rows.sort(key=lambda row: (scores.measures.index(row.measure), order.index(row.run)))
    data = build_frame([[getattr(row, name) for name in COLUMNS] for row in rows], COLUMNS)
    run_list = VerticalNames.from_names(order, theme)
    notes += (*collect_undefined_notes(data, "mean"), *run_list.collect_notes())
    return Figure(lambda: _draw_chart(scores, data, run_list, captions, bars, theme), data, notes)


def _summarize_runs(
    scores: Scores, letters: bool, testing: dict[str, Any]
) -> tuple[list[RunSummary], list[str], tuple[Note, ...]]:
    """Return the runs by each measure, the best first, the caption lines, and the notes.

    Measures that cannot be tested, with one run or one topic, have no letters. One topic has no
    interval.
    """
    confidence_text = format_percent(1 - testing["alpha"])
    rows, captions, notes = [], [], tuple(scores.notes)
    tested = [m for m in scores.measures if _can_be_tested(scores, m)] if letters else []
    if tested:
        comparison = compare(scores.select(measures=tested), **testing)
        rows, notes = [*comparison.runs], comparison.notes
        explanation = "Runs that share a letter are not significantly different"
        captions = [f"{explanation}: {describe_procedure(comparison)}."] if any(row.groups for row in rows) else []
    intervals = scores.interval(confidence=1 - testing["alpha"])
    for measure in scores.measures:
        for run in scores.sorted_by(measure).runs if measure not in tested else ():
            interval = intervals[run][measure]
            rows.append(RunSummary(measure, run, interval.n, interval.mean, interval.low, interval.high))
    means_text = f"Means over {format_topics(row.topics for row in rows)}"
    intervals_text = "" if all(isnan(row.low) for row in rows) else f", with {confidence_text} t intervals"
    return rows, [f"{means_text}{intervals_text}.", *captions], notes


def _can_be_tested(scores: Scores, measure: str) -> bool:
    has_several_runs = len(scores.runs) > 1
    return has_several_runs and len(extract_measure(scores, measure, turned=False).matrix.topics) > 1


# -- the chart ------------------------------------------------------------------------------------


def _draw_chart(
    scores: Scores, data: pl.DataFrame, run_list: VerticalNames, captions: list[str], bars: bool, theme: Theme
) -> Any:
    count = len(scores.measures)
    width = theme.width or WIDTHS.get(count, WIDTH)
    panels = []
    for place, measure in enumerate(scores.measures):
        measure_data = run_list.label_rows(data.filter(measure=measure))
        first = place % IN_A_ROW == 0
        title = format_axis_title(scores, measure)
        panels.append(_draw_panel(measure_data, run_list, title, first, bars, width, theme))
    full_width = run_list.compute_width(theme) + width * min(count, IN_A_ROW)
    return charts.build_panels(panels, IN_A_ROW, theme, "", captions, full_width)


def _draw_panel(
    data: pl.DataFrame, run_list: VerticalNames, title: Any, first: bool, bars: bool, width: float, theme: Theme
) -> Any:
    """Draw the runs by one measure: means, intervals, letters."""
    values = [v for name in ("mean", "low", "high") for v in data[name].drop_nans()]
    ticks = layout.from_zero(values, 0.0) if bars else layout.fit_ticks(values or [0.0])
    value = charts.build_axis("x", "mean", title, [ticks[0], ticks[-1]], tickCount=4)
    base = alt.Chart().encode(run_list.build_axis(first, grid=not bars), value)
    tooltip = ["run:N", "topics:Q", *charts.build_number_tooltips("mean", "low", "high"), "groups:N"]
    styled = base.encode(color=charts.encode_colours(data["run"], theme), tooltip=tooltip)
    interval = base.mark_rule if bars else styled.mark_rule
    ends = alt.X("low:Q"), alt.X2("high:Q")
    if bars:  # which intervals are seen on
        thin = {"color": "white", "strokeWidth": 2.6}, {"color": "black", "strokeWidth": 1.2}
        bar_layer = styled.mark_bar(opacity=0.6, height={"band": 0.7})
        layers = [bar_layer, *(interval(**style).encode(*ends) for style in thin)]
    else:
        layers = [interval(strokeWidth=1.5).encode(*ends), styled.mark_point(filled=True)]
    letters = base.mark_text(align="left").encode(alt.Text("groups:N"), x=alt.value(width + 6))
    return charts.build_panel(data, *layers, letters, size=(width, run_list.height))


FIGURE = FigureKind(
    __doc__,
    place=1,
    function=runs,
    options=(
        option("--sort", "MEASURE", "measure that orders the runs (default: the first)"),
        switch("--bars", "bars from 0 instead of dots"),
        switch("--no-letters", "only means and intervals", name="letters", const=False),
        *build_testing_options("; intervals have confidence 1 − A"),
    ),
    gallery={"runs": '-m "AP nDCG@10"', "bars": "-m P@10 --bars --grey"},
)
