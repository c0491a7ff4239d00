"""Scores by cutoff, or precision by recall.

Draw measures against their cutoffs: one line per run, one panel per measure. For IPrec this is the
recall-precision curve. Measures are named without a cutoff. Bands are confidence intervals of the
means.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.evaluation.cutoffs import CURVE, Curves, Point, compute_curves
from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, rank_charts
from cranfield.figures.figure import Figure, alt
from cranfield.figures.rank_charts import NamedLines
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.measures.selection import MeasuresLike
from cranfield.options import option, switch
from cranfield.plot.kinds import (
    Drawing,
    FigureKind,
    add_drawing_options,
    build_frame,
    collect_undefined_notes,
    format_axis_title,
)
from cranfield.tables import format_percent, format_topics

__all__ = ["curve"]

IN_A_ROW = 2


@add_drawing_options
def curve(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    cutoffs: Iterable[float] | None = None,
    band: bool = False,
    confidence: float = 0.95,
    **drawing: Unpack[Drawing],
) -> Figure:
    """Plot measures against their cutoffs: one line per run, one panel per measure.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`. Measures have no cutoff here. Default:
        IPrec, the recall-precision curve.
    cutoffs
        Ranks of the points, or recall levels for IPrec. Default: round ranks up to the end of the
        longest ranking, or recall 0, 0.1, …, 1.
    band, confidence
        Draw Student's t intervals of the means as bands, with this confidence.

    If there are more than eight runs, only the best runs by the first measure have labels.

    >>> picture = curve({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "Recall")
    >>> picture.data.select("run", "at", "value").rows()
    [('run', 1.0, 0.5), ('run', 2.0, 0.5), ('run', 3.0, 1.0)]
    >>> picture.save("curve.pdf")  # doctest: +SKIP
    """
    theme, evaluate_options = Theme.split_options(drawing)
    selected = CURVE if measures is None and evaluate_options.get("preset") is None else measures
    result = compute_curves(qrels, runs, selected, cutoffs, **evaluate_options)
    rows = result.iter_points(confidence if band else None)
    data = build_frame([*rows], Point._fields).with_columns(pl.col("at", "low", "high").cast(pl.Float64))
    data = data.select("measure", "run", "at", "value", "low", "high")
    if not band:
        data = data.drop("low", "high")
    undefined_notes = collect_undefined_notes(data, "value")
    lines = NamedLines.from_values(_compute_run_means(result, data), theme, min(IN_A_ROW, len(result.columns)))
    captions = [*_build_captions(result, data, confidence), *lines.describe_names("with the best scores", "run")]
    notes = (*result.scores.notes, *undefined_notes, *lines.collect_notes("run"))
    return Figure(lambda: _draw_chart(result, data, lines, captions, theme), data, notes)


def _compute_run_means(result: Curves, data: pl.DataFrame) -> dict[str, float]:
    """Return the mean of each run over all points of the first measure, higher is better."""
    first = next(iter(result.columns.values()))
    place = result.scores.measures.index(next(iter(first.values())))
    sign = -1 if result.scores.better[place] == "lower" else 1
    first_data = data.filter(measure=data["measure"][0])
    means = first_data.group_by("run", maintain_order=True).agg(pl.col("value").mean())
    return {run: sign * mean for run, mean in means.rows()}


SUMMARIES = {"mean": "means", "gmean": "geometric means", "clipped": "means", "sum": "sums"}


def _build_captions(result: Curves, data: pl.DataFrame, confidence: float) -> list[str]:
    """Describe the plotted values."""
    first_columns = [next(iter(columns.values())) for columns in result.columns.values()]
    kinds = dict(zip(result.scores.measures, result.scores.summaries, strict=True))
    noun = " and ".join(dict.fromkeys(SUMMARIES[kinds[column]] for column in first_columns))
    text = f"{noun.capitalize()} over {format_topics([len(result.scores.topics)])}"
    has_intervals = "low" in data.columns and data["low"].drop_nulls().drop_nans().len()
    return [f"{text}, with {format_percent(confidence)} t intervals." if has_intervals else f"{text}."]


def _draw_chart(result: Curves, data: pl.DataFrame, lines: NamedLines, captions: list[str], theme: Theme) -> Any:
    panels = []
    for measure, columns in result.columns.items():
        measure_data = data.filter(measure=measure).rename({"run": "line"})
        column = next(iter(columns.values()))
        title = format_axis_title(result.scores, column).replace(column, measure)
        y = rank_charts.build_value_axis(measure_data, title)
        if measure in result.of_recall:
            x = rank_charts.build_recall_axis()
        else:
            x = rank_charts.build_rank_axis(min(columns), max(columns), "cutoff", theme)
        tooltip = [
            alt.Tooltip("line:N", title="run"),
            "at:Q",
            *charts.build_number_tooltips("value", *measure_data.columns[4:]),
        ]
        panels.append(rank_charts.draw_panel(measure_data, lines, x, y, tooltip, theme))
    return rank_charts.combine_panels(panels, IN_A_ROW, theme, captions)


FIGURE = FigureKind(
    __doc__,
    place=3,
    function=curve,
    takes="runs",
    measures=CURVE,
    options=(
        option(
            "--cutoffs",
            "X,X,…",
            "ranks or recall levels (IPrec) of the points (default: round ranks up "
            "to the end of the longest ranking; recall 0, 0.1, …, 1)",
            value="numbers",
        ),
        switch("--band", "confidence intervals of the means as bands"),
        option("--confidence", "C", "confidence of the intervals", value="number", default=0.95, requires="band"),
    ),
    gallery={"curve": "-m IPrec --band", "cutoffs": "-m nDCG"},
)
