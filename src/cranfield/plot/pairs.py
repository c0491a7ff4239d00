"""Differences between pairs of runs: p-values and effect sizes.

Draw a matrix of all pairs of runs: p-values above the diagonal, effect sizes below it. Runs are
ordered by their means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from typing import Any, Unpack

from cranfield.comparison import Comparison, PairComparison, compare
from cranfield.comparison.tables import describe_procedure
from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts
from cranfield.figures.charts import HorizontalNames, VerticalNames
from cranfield.figures.figure import Figure, alt
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.measures.selection import MeasuresLike
from cranfield.options import choice
from cranfield.plot.kinds import (
    Drawing,
    FigureKind,
    JudgmentsOrScores,
    add_drawing_options,
    build_frame,
    format_axis_title,
    prepare_scores,
)
from cranfield.stats.effects import EFFECTS, EffectName
from cranfield.stats.options import build_testing_options
from cranfield.stats.resampling import TRIALS
from cranfield.tables import format_runs_and_topics

__all__ = ["pairs"]

COLUMNS = ("measure", "run", "other", "difference", "pvalue", "effect", "verdict", "shown_p")
CELL, SMALL_CELL = 42.0, 15.0  # points, with texts and without
WITH_TEXTS = 34.0  # points of a cell that has room for one
MAX_TEXT_RUNS = 15  # runs, whose cells have texts
LEVELS = (0.001, 0.01)  # below α
P_COLOURS = ("#08519c", "#3182bd", "#9ecae1", "#f2f2f2")
P_GREYS = ("#525252", "#969696", "#cccccc", "#f5f5f5")


@add_drawing_options
def pairs(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    effect: EffectName | None = None,
    **drawing: Unpack[Drawing],
) -> Figure:
    """Plot all pairs of runs: p-values above the diagonal, effect sizes below it.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`, or only scores as for `compare`.
    test, correction, alpha, trials, effect
        As for `compare`.

    >>> x = {f"q{i}": i / 10 for i in range(8)}
    >>> y = {topic: value + 0.1 for topic, value in x.items()}
    >>> pairs({"bm25": x, "dense": y}).data.select("run", "other", "pvalue").rows()  # 2 / 2 ** 8
    [('dense', 'bm25', 0.0078125)]
    """
    scores, theme, sampling = prepare_scores(qrels, runs, measures, drawing)
    comparison = compare(
        scores, test=test, correction=correction, alpha=alpha, trials=trials, effect=effect, **sampling
    )
    data = build_frame([[*_build_row(comparison, pair)] for pair in comparison.pairs], COLUMNS)
    names = [_list_runs(comparison, measure, theme) for measure in scores.measures]
    left_out = dict.fromkeys(note for run_list in names for note in run_list.collect_notes())
    return Figure(lambda: _draw_chart(comparison, data, theme), data, (*comparison.notes, *left_out))


def _build_row(comparison: Comparison, pair: PairComparison) -> Iterator[Any]:
    yield from (getattr(pair, name) for name in COLUMNS[:-1])
    yield comparison.shown_p(pair)


def _list_runs(comparison: Comparison, measure: str, theme: Theme) -> VerticalNames:
    """List the runs in the order of their means, in square cells."""
    order = [row.run for row in comparison.runs if row.measure == measure]
    cell = theme.scale_points(CELL if len(order) <= MAX_TEXT_RUNS else SMALL_CELL)
    side = theme.width or cell * len(order)
    return VerticalNames.from_names(order, replace(theme, width=side, height=theme.height or side))


# -- the chart ------------------------------------------------------------------------------------


def _draw_chart(comparison: Comparison, data: pl.DataFrame, theme: Theme) -> Any:
    panels = [_draw_panel(comparison, data.filter(measure=m), m, theme) for m in comparison.scores.measures]
    size = format_runs_and_topics(len(comparison.scores.runs), *(run.topics for run in comparison.runs))
    captions = [
        f"Above the diagonal: p-values ({describe_procedure(comparison)}). Below it: effect sizes "
        f"of row − column ({EFFECTS[comparison.effect].title}). {size}, the best first."
    ]
    run_list = _list_runs(comparison, comparison.scores.measures[0], theme)
    wide = max(200, run_list.height) + run_list.compute_width(theme)
    return charts.build_panels(panels, 2, theme, "", captions, wide).resolve_scale(color="independent")


def _draw_panel(comparison: Comparison, data: pl.DataFrame, measure: str, theme: Theme) -> Any:
    run_list = _list_runs(comparison, measure, theme)
    side = run_list.height
    cell = side / len(run_list.labels)
    sides = HorizontalNames(run_list.labels, side, cell >= theme.scale_points(8.5))
    base = alt.Chart().encode(run_list.build_axis(grid=False), sides.build_axis(None, theme, orient="top"))
    shown_data = data.filter(*(pl.col(name).is_in([*run_list.labels]) for name in ("run", "other")))
    shown_data = shown_data.drop("measure", "verdict")
    upper_data = sides.label_rows(run_list.label_rows(shown_data), "other")
    lower_data = sides.label_rows(run_list.label_rows(shown_data, "other"), "run")
    layers = [*_draw_pvalues(base, upper_data, comparison.alpha, side, theme), *_draw_effects(base, lower_data, theme)]
    texts = cell >= theme.scale_points(WITH_TEXTS)
    chart = alt.layer(*(layer for layer in layers if texts or layer.mark.type != "text"))
    title = format_axis_title(comparison.scores, measure)
    return chart.resolve_scale(color="independent").properties(width=side, height=side, title=title)


def _draw_pvalues(base: Any, data: pl.DataFrame, alpha: float, side: float, theme: Theme) -> list[Any]:
    """Draw the cells above the diagonal, darker for smaller p-values, with their texts."""
    names = [*(f"p ≤ {level:g}" for level in (*LEVELS, alpha) if level <= alpha), f"p > {alpha:g}"]
    colours = (P_GREYS if theme.grey else P_COLOURS)[-len(names) :]
    levels = pl.Series([_format_level(p, alpha) for p in data["pvalue"]], dtype=pl.String)
    rows = base.properties(data=charts.to_chart_data(data.with_columns(level=levels)))
    legend = {**charts.place_legend_below(names, side, theme), "symbolType": "square", "symbolSize": 110}
    scale = {"domain": names, "range": colours}
    shade = alt.Color("level:N", scale=scale, title=None, legend=legend)
    on_dark = {"test": f"datum.pvalue <= {LEVELS[-1]}", "value": "white"}
    return _draw_cells(rows, shade, "shown_p", on_dark, theme)


def _draw_effects(base: Any, data: pl.DataFrame, theme: Theme) -> list[Any]:
    """Draw the cells below the diagonal, darker for larger effects, with their texts."""
    texts = ["–" if isnan(x) else f"{-x:+z.2f}".replace("-", "−") for x in data["effect"]]
    data = data.with_columns(
        effect=-pl.col("effect"), size=pl.col("effect").abs(), text=pl.Series(texts, dtype=pl.String)
    )
    maximum = max(1.0, *data["size"].fill_nan(0.0))
    scale = {"scheme": "greys" if theme.grey else "oranges", "domain": [0, maximum]}
    legend = {"orient": "bottom", "gradientLength": theme.scale_points(90), "tickCount": 3}
    shade = alt.Color("size:Q", scale=scale, title="|effect size|", legend=legend)
    rows = base.properties(data=charts.to_chart_data(data))
    on_dark = {"test": f"datum.size > {0.6 * maximum}", "value": "white"}
    return _draw_cells(rows, shade, "text", on_dark, theme)


def _draw_cells(rows: Any, shade: Any, text: str, on_dark: charts.Vega, theme: Theme) -> list[Any]:
    tooltip = ["run:N", "other:N", *charts.build_number_tooltips("difference", "effect"), "shown_p:N"]
    cells = rows.mark_rect(stroke="white", strokeWidth=1).encode(shade, tooltip=tooltip)
    colour = {"condition": on_dark, "value": "black"}
    labels = rows.mark_text(fontSize=theme.scale_points(9))
    return [cells, labels.encode(alt.Text(f"{text}:N"), color=colour)]


def _format_level(pvalue: float, alpha: float) -> str:
    """Return the smallest level that a p-value does not exceed."""
    levels = [level for level in (*LEVELS, alpha) if pvalue <= level <= alpha]
    return f"p ≤ {levels[0]:g}" if levels else f"p > {alpha:g}"


FIGURE = FigureKind(
    __doc__,
    place=7,
    function=pairs,
    options=(
        *build_testing_options(),
        choice(
            "--effect",
            EFFECTS,
            "effect size: dz (Cohen's d_z, default for two runs), g (Hedges' g), glass (Glass's Δ) "
            "or anova (by the residuals of ANOVA, default for more runs)",
        ),
    ),
    gallery={"pairs": "-m AP"},
    least=2,
)
