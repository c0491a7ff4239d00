"""`cf.plot.diversity`: relevance against the intents that runs cover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.lines import to_number
from cranfield.errors import InputError
from cranfield.figures.charts import note_unnamed_runs
from cranfield.figures.figure import Figure
from cranfield.figures.theme import POINTS, Theme
from cranfield.lazy_imports import pl
from cranfield.measures.grammar import MeasureLike
from cranfield.plot.kinds import build_frame, find_column, get_scores_and_measures
from cranfield.report import diversity as scatters
from cranfield.scores import Interval, Note, Scores
from cranfield.wording import format_count, format_names

__all__ = ["diversity"]


def diversity(
    qrels: Scores | QrelsLike,
    runs: Any = None,
    measure: MeasureLike = "D(nDCG)@10",
    against: MeasureLike = "IRec@10",
    *,
    gamma: float = 0.5,
    intervals: bool = False,
    level: float = 0.95,
    zoom: bool = False,
    names: bool = True,
    title: str | None = None,
    width: float | None = None,
    height: float | None = None,
    font_size: float = POINTS,
    grey: bool = False,
    **options: Any,
) -> Figure:
    """Plot relevance against intent recall: one point per run.

    Runs with more relevant documents are higher, runs that cover more intents are further to the
    right. Runs on the same line have the same D♯-measure, γ·I-rec + (1 − γ)·D-measure.

    qrels, runs
        Judgments and runs as for `evaluate`, or only its scores.
    measure, against
        Measures of the vertical and of the horizontal axis.
    gamma
        Weight of `against` in the lines.
    intervals, level
        Draw Student's t intervals of both means as crosses, with this confidence.
    zoom
        Fit the axes to the runs. By default both axes go from 0 to 1.
    names
        Label the points with the names of the runs if there is room.
    title, width, height, font_size, grey
        Appearance: see `cranfield.figures.theme.Theme`.

    Other options are passed to `evaluate`.

    >>> values = [[[0.5, 0.4], [0.7, 0.2]], [[1.0, 0.2], [0.6, 0.4]]]
    >>> topics, measures = ("q1", "q2"), ("IRec@10", "D(nDCG)@10")
    >>> scores = Scores(values, ("bm25", "mmr"), topics, measures, ("mean", "mean"))
    >>> picture = diversity(scores, gamma=0.75)
    >>> [(run, round(sharp, 4)) for run, *_, sharp in picture.data.rows()]
    [('bm25', 0.525), ('mmr', 0.675)]
    >>> picture.save("diversity.pdf")  # doctest: +SKIP
    """
    share = to_number(gamma)
    if share is None or not 0 <= share <= 1:
        raise InputError(f"gamma={gamma!r}", "a number in [0, 1]")
    theme = Theme(title, width, height, font_size, grey)
    scores, columns = get_scores_and_measures(qrels, runs, (against, measure), options)
    x, y = (find_column(scores, selection) for selection in columns)
    if x == y:
        raise InputError.from_problem(f"{x} is used for both axes", "Use two measures.")
    run_intervals = scores.interval(confidence=level) if intervals else None
    data = _collect_points(scores, x, y, share, run_intervals)
    defined = data.drop_nans([x, y])
    if defined.is_empty():
        raise InputError.from_problem(f"no run has both {x} and {y}")
    notes = tuple(scores.notes)
    if undefined_runs := [run for run in scores.runs if run not in defined["run"]]:
        text = f"{format_names(undefined_runs, 'run')} without a mean of {x} or {y}: not shown"
        notes += (Note("undefined", text),)
    # charts cannot take names of measures, which hold dots and brackets
    plot_data = defined.rename(dict(zip(defined.columns, PLOT_COLUMNS, strict=False)))
    plane = scatters.build_plane(plot_data, x, y, zoom, theme)
    named_data = scatters.place_names(plot_data, plane, share, names)
    if names:
        notes += note_unnamed_runs([named_data])
    crosses = _describe_intervals(run_intervals, x, y) if run_intervals else ""
    return Figure(lambda: scatters.draw_scatter(named_data, plane, share, crosses), data, notes)


_Intervals: TypeAlias = Mapping[str, Mapping[str, Interval]]


PLOT_COLUMNS = ("run", "x", "y", "sharp", "x_low", "x_high", "y_low", "y_high")


def _collect_points(scores: Scores, x: str, y: str, gamma: float, intervals: _Intervals | None) -> pl.DataFrame:
    """Return both measures of each run, their combination, and the limits of their intervals."""
    rows = []
    for run, means in scores.summary().items():
        axis_intervals = [intervals[run][name] for name in (x, y)] if intervals else []
        ends = [end for interval in axis_intervals for end in (interval.low, interval.high)]
        rows.append((run, means[x], means[y], gamma * means[x] + (1 - gamma) * means[y], *ends))
    more = [f"{name}.{end}" for name in (x, y) for end in ("low", "high") if intervals]
    return build_frame(rows, ("run", x, y, "sharp", *more))


def _describe_intervals(intervals: _Intervals, x: str, y: str) -> str:
    """Describe the crosses."""
    interval_list = [run_intervals[name] for run_intervals in intervals.values() for name in (x, y)]
    minimum, maximum = (min(interval.n for interval in interval_list), max(interval.n for interval in interval_list))
    if maximum < 2:
        raise InputError(format_count(maximum, "topic"), "at least 2 for intervals")
    topics = format_count(maximum, "topic") if minimum == maximum else f"{minimum} to {maximum} topics"
    label = f"{100 * interval_list[0].confidence:g}% confidence intervals"
    return f"crosses: {label} of the means over {topics} (Student's t)"
