"""Which pairs of runs differ, how surely, and by how much?

Draw a matrix of all pairs of runs: above the diagonal p-values, below it effect sizes, runs in the
order of their means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from typing import Any, Unpack

from cranfield.comparison import Comparison, PairComparison, compare
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.evaluate import RunsLike
from cranfield.late import pl
from cranfield.plot.kinds import (
    Drawing,
    Figure,
    JudgmentsOrScores,
    axis_title,
    frame,
    scored,
    shows_drawing,
)
from cranfield.report import charts, options
from cranfield.report.charts import Listed, SideBySide
from cranfield.report.comparison import procedure
from cranfield.report.look import Look
from cranfield.report.pictures import Picture, alt
from cranfield.report.sheets import runs_on
from cranfield.stats.effects import EFFECTS, EffectName
from cranfield.stats.resampling import TRIALS

__all__ = ["pairs"]

COLUMNS = ("measure", "run", "other", "difference", "pvalue", "effect", "verdict", "shown_p")
CELL, SMALL_CELL = 42.0, 15.0  # points, with texts and without
WITH_TEXTS = 34.0  # points of a cell that has room for one
FEW = 15  # runs, whose cells have texts
LEVELS = (0.001, 0.01)  # below α
P_COLOURS = ("#08519c", "#3182bd", "#9ecae1", "#f2f2f2")
P_GREYS = ("#525252", "#969696", "#cccccc", "#f5f5f5")


@shows_drawing
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
) -> Picture:
    """A figure of all pairs of runs: p-values above the diagonal, effect sizes below it.

    qrels, runs, measures
        Judgments, runs and measures, as `evaluate` takes them; or, alone, scores, as `compare`
        does.
    test, correction, alpha, trials, effect
        As `compare` takes them.

    >>> x = {f"q{i}": i / 10 for i in range(8)}
    >>> y = {topic: value + 0.1 for topic, value in x.items()}
    >>> pairs({"bm25": x, "dense": y}).data.select("run", "other", "pvalue").rows()  # 2 / 2 ** 8
    [('dense', 'bm25', 0.0078125)]
    """
    look, given = Look.of(drawing)
    scores = scored(qrels, runs, measures, given)
    testing: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    testing |= {"trials": trials, "effect": effect}
    testing |= {name: given[name] for name in ("seed", "threads") if name in given}
    found = compare(scores, **testing)
    data = frame([[*_row(found, pair)] for pair in found.pairs], COLUMNS)
    names = [_listed(found, measure, look) for measure in scores.measures]
    left_out = dict.fromkeys(notice for listed in names for notice in listed.notices())
    return Picture(lambda: _chart(found, data, look), data, (*found.notices, *left_out))


def _row(found: Comparison, pair: PairComparison) -> Iterator[Any]:
    yield from (getattr(pair, name) for name in COLUMNS[:-1])
    yield found.shown_p(pair)


def _listed(found: Comparison, measure: str, look: Look) -> Listed:
    """The runs in the order of their means, in cells that are as wide as high."""
    order = [row.run for row in found.runs if row.measure == measure]
    cell = look.points(CELL if len(order) <= FEW else SMALL_CELL)
    side = look.width or cell * len(order)
    return Listed.of(order, replace(look, width=side, height=look.height or side))


# -- the chart ------------------------------------------------------------------------------------


def _chart(found: Comparison, data: pl.DataFrame, look: Look) -> Any:
    panels = [_panel(found, data.filter(measure=m), m, look) for m in found.scores.measures]
    size = runs_on(len(found.scores.runs), *(run.topics for run in found.runs))
    told = [
        f"Above the diagonal p-values ({procedure(found)}), below it effect sizes of row − column "
        f"({EFFECTS[found.effect].title}); {size}, the best first."
    ]
    listed = _listed(found, found.scores.measures[0], look)
    wide = max(200, listed.height) + listed.width(look)
    return charts.panels(panels, 2, look, "", told, wide).resolve_scale(color="independent")


def _panel(found: Comparison, data: pl.DataFrame, measure: str, look: Look) -> Any:
    listed = _listed(found, measure, look)
    side = listed.height
    cell = side / len(listed.labels)
    sides = SideBySide(listed.labels, side, cell >= look.points(8.5))
    base = alt.Chart().encode(listed.axis(grid=False), sides.axis(None, look, orient="top"))
    drawn = data.filter(*(pl.col(name).is_in([*listed.labels]) for name in ("run", "other")))
    drawn = drawn.drop("measure", "verdict")
    above = sides.rows(listed.rows(drawn), "other")
    below = sides.rows(listed.rows(drawn, "other"), "run")
    layers = [*_pvalues(base, above, found.alpha, side, look), *_effects(base, below, look)]
    texts = cell >= look.points(WITH_TEXTS)
    chart = alt.layer(*(layer for layer in layers if texts or layer.mark.type != "text"))
    title = axis_title(found.scores, measure)
    return chart.resolve_scale(color="independent").properties(width=side, height=side, title=title)


def _pvalues(base: Any, data: pl.DataFrame, alpha: float, side: float, look: Look) -> list[Any]:
    """Cells above the diagonal, the darker the surer, and what is written in them."""
    names = [*(f"p ≤ {level:g}" for level in (*LEVELS, alpha) if level <= alpha), f"p > {alpha:g}"]
    colours = (P_GREYS if look.grey else P_COLOURS)[-len(names) :]
    levels = pl.Series([_level(p, alpha) for p in data["pvalue"]], dtype=pl.String)
    rows = base.properties(data=charts.rows_of(data.with_columns(level=levels)))
    legend = {**charts.below(names, side, look), "symbolType": "square", "symbolSize": 110}
    scale = {"domain": names, "range": colours}
    shade = alt.Color("level:N", scale=scale, title=None, legend=legend)
    on_dark = {"test": f"datum.pvalue <= {LEVELS[-1]}", "value": "white"}
    return _cells(rows, shade, "shown_p", on_dark, look)


def _effects(base: Any, data: pl.DataFrame, look: Look) -> list[Any]:
    """Cells below the diagonal, the darker the larger, and what is written in them."""
    texts = ["–" if isnan(x) else f"{-x:+z.2f}".replace("-", "−") for x in data["effect"]]
    data = data.with_columns(
        effect=-pl.col("effect"),
        size=pl.col("effect").abs(),
        text=pl.Series(texts, dtype=pl.String),
    )
    most = max(1.0, *data["size"].fill_nan(0.0))
    scale = {"scheme": "greys" if look.grey else "oranges", "domain": [0, most]}
    legend = {"orient": "bottom", "gradientLength": look.points(90), "tickCount": 3}
    shade = alt.Color("size:Q", scale=scale, title="|effect size|", legend=legend)
    rows = base.properties(data=charts.rows_of(data))
    on_dark = {"test": f"datum.size > {0.6 * most}", "value": "white"}
    return _cells(rows, shade, "text", on_dark, look)


def _cells(rows: Any, shade: Any, text: str, on_dark: charts.Vega, look: Look) -> list[Any]:
    tooltip = ["run:N", "other:N", *charts.decimals("difference", "effect"), "shown_p:N"]
    cells = rows.mark_rect(stroke="white", strokeWidth=1).encode(shade, tooltip=tooltip)
    colour = {"condition": on_dark, "value": "black"}
    written = rows.mark_text(fontSize=look.points(9))
    return [cells, written.encode(alt.Text(f"{text}:N"), color=colour)]


def _level(pvalue: float, alpha: float) -> str:
    """The lowest level that a p-value is not above."""
    kept = [level for level in (*LEVELS, alpha) if pvalue <= level <= alpha]
    return f"p ≤ {kept[0]:g}" if kept else f"p > {alpha:g}"


FIGURE = Figure(
    __doc__,
    place=7,
    function=pairs,
    options={
        **options.how_tested(),
        f"--effect {{{','.join(EFFECTS)}}}": "effect size: Cohen's d_z (dz, default for two runs), "
        "Hedges' g (g), Glass's Δ (glass), or by the residuals of ANOVA (anova, default for more)",
    },
    gallery={"pairs": "-m AP"},
    least=2,
)
