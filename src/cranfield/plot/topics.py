"""Scores by topic, or differences between two runs.

Draw the scores of all runs on each topic. For two runs, draw their differences, the largest first.
With `--against`, draw the difference of each run from another run or from the median of all runs.
The best and the worst run of each topic are then marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from cranfield.arrays import estimate_rounding, subtract_rounded
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, layout
from cranfield.figures.charts import HorizontalNames
from cranfield.figures.figure import Figure, alt
from cranfield.figures.layout import Ticks
from cranfield.figures.theme import MAX_STYLES, Style, Theme
from cranfield.lazy_imports import pl
from cranfield.measures.selection import MeasuresLike
from cranfield.options import option
from cranfield.plot.kinds import (
    Drawing,
    FigureKind,
    JudgmentsOrScores,
    add_drawing_options,
    build_frame,
    collect_undefined_notes,
    format_axis_title,
    prepare_scores,
)
from cranfield.scores import Note, Scores
from cranfield.stats.measure_scores import get_sign
from cranfield.stats.summary import compute_run_statistics
from cranfield.wording import format_count, format_names

__all__ = ["topics"]

MEDIAN = "median"
HEIGHT = 150.0  # of a panel
MOST_PANELS = 12
SUMMARY_COLUMNS = ("best", "median", "worst")
SCORES = ("measure", "topic", "run", "score", *SUMMARY_COLUMNS)
DIFFERENCES = ("measure", "topic", "run", "score", "against", "other", "difference", "better",
               *SUMMARY_COLUMNS)  # fmt: skip
LINE, TICK = "#cccccc", "#555555"


@add_drawing_options
def topics(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    against: str | None = None,
    show: str | Sequence[str] | None = None,
    **drawing: Unpack[Drawing],
) -> Figure:
    """Plot scores by topic, or differences, the largest first.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`, or only scores as for `compare`.
    against
        Run that each run is compared with, or ``median``, the median of all runs on each topic. Two
        runs are by default compared with each other, the first with the second.
    show
        Runs to show. Default: all. The median, the best and the worst are of all runs.

    >>> x, y = {"q1": 0.5, "q2": 0.25}, {"q1": 0.25, "q2": 0.5}
    >>> picture = topics({"bm25": x, "dense": y})
    >>> picture.data.select("topic", "difference", "better").rows()
    [('q1', 0.25, 'bm25'), ('q2', -0.25, 'dense')]
    >>> picture.save("topics.pdf")  # doctest: +SKIP
    """
    scores, theme, _ = prepare_scores(qrels, runs, measures, drawing)
    selected_runs = _select_runs(scores, show)
    if against is None and selected_runs == scores.runs and len(selected_runs) == 2:
        against = selected_runs[1]
    if against is None:
        return _draw_every_run(scores, selected_runs, theme)
    if against not in (MEDIAN, *scores.runs):
        raise InputError.from_problem(
            f"unknown run {against!r}", f"Use {MEDIAN} or one of {format_names(scores.runs, 'run')}."
        )
    compared_runs = [run for run in selected_runs if run != against]
    if not compared_runs:
        raise InputError.from_problem(f"no run to compare with {against}")
    return _draw_differences(scores, compared_runs, against, theme)


def _select_runs(scores: Scores, show: str | Sequence[str] | None) -> tuple[str, ...]:
    names = scores.runs if show is None else (show,) if isinstance(show, str) else tuple(show)
    for run in names:
        if run not in scores.runs:
            problem = f"unknown run {run!r}"
            raise InputError.from_problem(problem, f"Use one of {format_names(scores.runs, 'run')}.")
    return names


def _build_axes(sides: HorizontalNames, x_title: str, y: str, title: str, ends: Ticks, theme: Theme) -> Any:
    value = charts.build_axis("y", y, title, [ends[0], ends[-1]], tickCount=5)
    return alt.Chart().encode(sides.build_axis(x_title, theme), value)


# -- every run on every topic ---------------------------------------------------------------------


def _draw_every_run(scores: Scores, runs: Sequence[str], theme: Theme) -> Figure:
    """Draw a mark for each run on each topic, on a line from the worst to the best."""
    data = build_frame([*_collect_scores(scores, runs)], SCORES)
    notes = (*scores.notes, *collect_undefined_notes(data, "score", "topic"))
    sides = HorizontalNames.from_names(scores.topics, theme)
    point_text = "" if len(runs) <= MAX_STYLES else "; a point is a run"
    run_count = format_count(len(scores.runs), "run")
    captions = [f"Lines: from the worst to the best of {run_count}; ticks: their median{point_text}."]
    alone = len(scores.runs) == 1
    [short] = layout.shorten_names(runs[:1], charts.LEGEND)

    def draw() -> Any:
        panels = [_draw_scores_panel(scores, m, data.filter(measure=m), theme) for m in scores.measures]
        wide = sides.width + theme.scale_points(40)
        heading, lines = (short, []) if alone else ("", captions)
        return charts.build_panels(panels, 1, theme, heading, lines, wide)

    return Figure(draw, data, (*notes, *sides.collect_notes()))


def _collect_scores(scores: Scores, runs: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield every run on every topic, the easiest topic first."""
    for measure in scores.measures:
        summary, sign = compute_run_statistics(scores, measure), get_sign(scores, measure)
        for t in np.argsort(-sign * summary.mean, kind="stable").tolist():  # NaN is last
            topic, summary_values = (scores.topics[t], [float(getattr(summary, name)[t]) for name in SUMMARY_COLUMNS])
            for run in runs:
                yield measure, topic, run, scores[run, topic, measure], *summary_values


def _draw_scores_panel(scores: Scores, measure: str, data: pl.DataFrame, theme: Theme) -> Any:
    data = data.drop_nans("score")
    names = data["topic"].unique(maintain_order=True).to_list()
    sides = HorizontalNames.from_names(names, theme)
    data = sides.label_rows(data)
    ends = layout.from_zero([*data["score"], *data["best"], *data["worst"]], 0.0)
    x_title = f"{format_count(len(names), 'topic')}, the easiest first"
    base = _build_axes(sides, x_title, "score", format_axis_title(scores, measure), ends, theme)
    tooltip = ["topic:N", "run:N", *charts.build_number_tooltips("score")]
    size = theme.choose_size(sides.width, HEIGHT)
    if len(scores.runs) == 1:
        colour = charts.encode_colours(data["run"], theme)
        bars = base.mark_bar(width={"band": 0.8}).encode(color=colour)
        return charts.build_panel(data, bars.encode(tooltip=tooltip), size=size)
    topic_base = base.properties(data=charts.to_chart_data(data.unique("topic", maintain_order=True)))
    median_tooltip = ["topic:N", *charts.build_number_tooltips(*SUMMARY_COLUMNS)]
    lines = topic_base.mark_rule(color=LINE).encode(alt.Y("worst:Q"), alt.Y2("best:Q"))
    medians = topic_base.mark_tick(color=TICK, thickness=1.5, width={"band": 0.9})
    run_names = data["run"].unique(maintain_order=True)
    points = base.mark_point(filled=True, size=14, opacity=0.35, color=theme.colour)
    if len(run_names) <= MAX_STYLES:
        legend = charts.place_legend_below(run_names.to_list(), sides.width, theme)
        marks = charts.encode_names(run_names, "", theme, legend=legend)
        area = min(28.0, max(8.0, (1.6 * sides.width / len(names)) ** 2))
        points = base.mark_point(filled=True, size=area).encode(marks["color"], marks["shape"])
    layers = (lines, medians.encode(alt.Y("median:Q"), tooltip=median_tooltip), points.encode(tooltip=tooltip))
    return charts.build_panel(data, *layers, size=size)


# -- differences ----------------------------------------------------------------------------------


def _draw_differences(scores: Scores, runs: Sequence[str], against: str, theme: Theme) -> Figure:
    """Draw a panel for each run: its differences from another run or from the median."""
    data = build_frame([*_collect_differences(scores, runs, against)], DIFFERENCES)
    notes = (*scores.notes, *collect_undefined_notes(data, "difference", "topic"))
    shown_runs, hidden_runs = [*runs[:MOST_PANELS]], runs[MOST_PANELS:]
    if hidden_runs:
        advice = "select runs with --show, or write all of them to .csv"
        text = f"{format_names(hidden_runs, 'run')} without space in the figure: {advice}"
        notes += (Note("names", text),)
    sides = HorizontalNames.from_names(scores.topics, theme)
    captions = []
    if against == MEDIAN:
        run_count = format_count(len(scores.runs), "run")
        captions = [f"Bars: from the median of {run_count}; lines: to the best and the worst of them."]

    other_runs = [against] if against in scores.runs else []
    styles = theme.assign_styles(scores.runs if len(scores.runs) <= MAX_STYLES else (*shown_runs, *other_runs))

    def draw() -> Any:
        panels = [
            _draw_differences_panel(scores, data.filter(measure=measure, run=run), styles, theme)
            for measure in scores.measures
            for run in shown_runs
        ]
        return charts.build_panels(panels, 1, theme, "", captions, sides.width + theme.scale_points(40))

    return Figure(draw, data, (*notes, *sides.collect_notes()))


def _collect_differences(scores: Scores, runs: Sequence[str], against: str) -> Iterator[tuple[Any, ...]]:
    """Yield the differences of each run from another run or the median, the largest first."""
    for m, measure in enumerate(scores.measures):
        summary, sign = compute_run_statistics(scores, measure), get_sign(scores, measure)
        has_direction = scores.better[m] != "neither"
        values = dict(zip(scores.runs, scores.values[:, :, m], strict=True))
        y = summary.median if against == MEDIAN else values[against]
        for run in runs:
            x = values[run]
            z = subtract_rounded(x, y, estimate_rounding(x, y))
            for t in np.argsort(-z, kind="stable").tolist():
                won = float(np.sign(sign * z[t]))
                better = {1.0: run, -1.0: against}.get(won, "") if has_direction else ""
                summary_values = [float(getattr(summary, name)[t]) for name in SUMMARY_COLUMNS]
                row_start = measure, scores.topics[t], run, float(x[t])
                yield *row_start, against, float(y[t]), float(z[t]), better, *summary_values


def _draw_differences_panel(scores: Scores, data: pl.DataFrame, styles: Mapping[str, Style], theme: Theme) -> Any:
    measure, against = (data[name][0] for name in ("measure", "against"))
    data = data.drop_nans("difference")
    sides = HorizontalNames.from_names(data["topic"].to_list(), theme)
    is_median = against == MEDIAN
    ends_of = [f"to_{name}" for name in ("worst", "best")]
    sign = pl.col("difference").sign() * get_sign(scores, measure)
    data = sides.label_rows(data).with_columns(
        *((pl.col(name) - pl.col("other")).alias(f"to_{name}") for name in ("worst", "best")),
        side=pl.when(sign > 0).then("run").when(sign < 0).then("against").otherwise(pl.lit("")),
    )
    title = _format_counts(data, scores.better[scores.measures.index(measure)] == "neither")
    value_columns = ["difference", *(ends_of if is_median else [])]
    ends = layout.from_zero([value for name in value_columns for value in data[name]], 0.0)
    x_title = f"{format_count(len(data), 'topic')}, by falling difference"
    upwards = f"difference in {format_axis_title(scores, measure)}"
    base = _build_axes(sides, x_title, "difference", upwards, ends, theme)
    columns = ["score", "other", "difference", *(SUMMARY_COLUMNS if is_median else ())]
    tooltip = ["topic:N", "run:N", "against:N", "better:N", *charts.build_number_tooltips(*columns)]
    colours = {name: style.colour for name, style in styles.items()}  # the same in all panels
    colours |= {against: "#b3b3b3"} if is_median or theme.grey else {}
    scale = {"domain": [*colours], "range": [*colours.values()]}
    colour = alt.Color("side:N", scale=scale, legend=None)
    bars = base.mark_bar(width={"band": 0.75}).encode(colour, tooltip=tooltip)
    lines = base.mark_rule(color=LINE, strokeWidth=1).encode(alt.Y("to_worst:Q"), alt.Y2("to_best:Q"))
    dots = [base.mark_tick(color=TICK, thickness=1, width={"band": 0.75}).encode(alt.Y(f"{name}:Q"))
            for name in ends_of]  # fmt: skip
    zero = charts.draw_horizontal_lines("difference", 0)
    layers = [lines, bars, *dots, zero] if is_median else [bars, zero]
    return charts.build_panel(data, *layers, size=theme.choose_size(sides.width, HEIGHT), title=title)


def _format_counts(data: pl.DataFrame, neither: bool) -> dict[str, Any]:
    """Title a panel: the run, and the number of topics on which it is better (or higher)."""
    run, against = data["run"][0], data["against"][0]
    label, other_label = layout.shorten_names([run, against], charts.LEGEND)
    than = "the median" if against == MEDIAN else other_label
    win_word, loss_word = ("higher", "lower") if neither else ("better", "worse")
    won, lost, equal = (data["side"].to_list().count(name) for name in (run, against, ""))
    text = f"{win_word} on {won}, {loss_word} on {lost}, equal on {equal}"
    long = len(label) + len(than) > charts.LEGEND
    return {"text": [label, f"− {than}"] if long else f"{label} − {than}", "subtitle": text}


FIGURE = FigureKind(
    __doc__,
    place=2,
    function=topics,
    options=(
        option(
            "--against",
            "RUN",
            "compare with this run, or with median, the median of all runs on each topic (default: "
            "for two runs, the second)",
        ),
        option("--show", "RUN", "show only this run; may be repeated (default: all)", name="show", repeat=True),
    ),
    gallery={
        "topics": "-m AP",
        "differences": "sim/qrels.txt sim/runs/sys01.txt sim/runs/sys06.txt -m AP",
        "median": "-m AP --against median --show sys01 --show sys03",
    },
)
