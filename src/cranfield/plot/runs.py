"""Which runs are better, and how sure is it?

Draw the means of runs with confidence intervals, the best first, a panel for each measure, and
letters beside: runs that share one are not significantly different.
"""

from __future__ import annotations

from math import isnan
from typing import Any, Unpack

from cranfield.comparison import RunSummary, compare
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.evaluate import RunsLike
from cranfield.late import pl
from cranfield.measures.grammar import MeasureLike
from cranfield.plot.kinds import (
    Drawing,
    Figure,
    JudgmentsOrScores,
    axis_title,
    column,
    frame,
    scored,
    shows_drawing,
    undefined,
)
from cranfield.report import charts, options, places
from cranfield.report.charts import Listed
from cranfield.report.comparison import procedure
from cranfield.report.look import Look
from cranfield.report.pictures import Picture, alt
from cranfield.report.sheets import percent, topics_text
from cranfield.scores import Notice, Scores
from cranfield.stats.measured import measured
from cranfield.stats.resampling import TRIALS

__all__ = ["runs"]

COLUMNS = ("measure", "run", "topics", "mean", "low", "high", "groups")
WIDTHS = {1: 300.0, 2: 180.0}  # of a panel, if there are so many
WIDTH, IN_A_ROW = 140.0, 3


@shows_drawing
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
) -> Picture:
    """A figure of the means of runs, with confidence intervals, the best first.

    qrels, runs, measures
        Judgments, runs and measures, as `evaluate` takes them; or, alone, scores, as `compare`
        does.
    sort
        The measure that orders the runs: the first, if not given.
    bars
        Bars from 0, not dots.
    letters
        Whether letters stand beside: runs that share one are not significantly different.
    test, correction, alpha, trials
        As `compare` takes them; intervals have confidence 1 − alpha.

    >>> x = {f"q{i}": i / 10 for i in range(8)}
    >>> y = {topic: value + 0.1 for topic, value in x.items()}
    >>> picture = runs({"bm25": x, "dense": y})
    >>> [(run, round(mean, 4), groups) for _, run, _, mean, _, _, groups in picture.data.rows()]
    [('dense', 0.45, 'a'), ('bm25', 0.35, 'b')]
    >>> picture.save("runs.pdf")  # doctest: +SKIP
    """
    look, given = Look.of(drawing)
    scores = scored(qrels, runs, measures, given)
    by = scores.measures[0] if sort is None else column(scores, sort)
    testing = {"test": test, "correction": correction, "alpha": alpha, "trials": trials}
    testing |= {name: given[name] for name in ("seed", "threads") if name in given}
    rows, told, notices = _summaries(scores, letters, testing)
    order = [row.run for row in rows if row.measure == by]
    rows.sort(key=lambda row: (scores.measures.index(row.measure), order.index(row.run)))
    data = frame([[getattr(row, name) for name in COLUMNS] for row in rows], COLUMNS)
    listed = Listed.of(order, look)
    notices += (*undefined(data, "mean"), *listed.notices())
    return Picture(lambda: _chart(scores, data, listed, told, bars, look), data, notices)


def _summaries(
    scores: Scores, letters: bool, testing: dict[str, Any]
) -> tuple[list[RunSummary], list[str], tuple[Notice, ...]]:
    """The runs by each measure, the best first; what the figure says of them; what to know.

    What cannot be tested, one run or one topic, has no letters, and one topic no interval.
    """
    sure = percent(1 - testing["alpha"])
    found, told, notices = [], [], tuple(scores.notices)
    tested = [m for m in scores.measures if _can_be_tested(scores, m)] if letters else []
    if tested:
        comparison = compare(scores.select(measures=tested), **testing)
        found, notices = [*comparison.runs], comparison.notices
        same = "Runs that share a letter are not significantly different"
        told = [f"{same}: {procedure(comparison)}."] if any(row.groups for row in found) else []
    intervals = scores.interval(confidence=1 - testing["alpha"])
    for measure in scores.measures:
        for run in scores.sorted_by(measure).runs if measure not in tested else ():
            one = intervals[run][measure]
            found.append(RunSummary(measure, run, one.n, one.mean, one.low, one.high))
    what = f"Means over {topics_text(row.topics for row in found)}"
    of = "" if all(isnan(row.low) for row in found) else f", with {sure} t intervals"
    return found, [f"{what}{of}.", *told], notices


def _can_be_tested(scores: Scores, measure: str) -> bool:
    several = len(scores.runs) > 1
    return several and len(measured(scores, measure, turned=False).matrix.topics) > 1


# -- the chart ------------------------------------------------------------------------------------


def _chart(
    scores: Scores, data: pl.DataFrame, listed: Listed, told: list[str], bars: bool, look: Look
) -> Any:
    count = len(scores.measures)
    width = look.width or WIDTHS.get(count, WIDTH)
    panels = []
    for place, measure in enumerate(scores.measures):
        of_measure = listed.rows(data.filter(measure=measure))
        first = place % IN_A_ROW == 0
        title = axis_title(scores, measure)
        panels.append(_panel(of_measure, listed, title, first, bars, width, look))
    whole = listed.width(look) + width * min(count, IN_A_ROW)
    return charts.panels(panels, IN_A_ROW, look, "", told, whole)


def _panel(
    data: pl.DataFrame,
    listed: Listed,
    title: Any,
    first: bool,
    bars: bool,
    width: float,
    look: Look,
) -> Any:
    """The runs by one measure: means, intervals, letters."""
    known = [v for name in ("mean", "low", "high") for v in data[name].drop_nans()]
    ticks = places.from_zero(known, 0.0) if bars else places.around_all(known or [0.0])
    value = charts.axis("x", "mean", title, [ticks[0], ticks[-1]], tickCount=4)
    base = alt.Chart().encode(listed.axis(first, grid=not bars), value)
    tooltip = ["run:N", "topics:Q", *charts.decimals("mean", "low", "high"), "groups:N"]
    told = base.encode(color=charts.by_name(data["run"], look), tooltip=tooltip)
    interval = base.mark_rule if bars else told.mark_rule
    ends = alt.X("low:Q"), alt.X2("high:Q")
    if bars:  # which intervals are seen on
        thin = {"color": "white", "strokeWidth": 2.6}, {"color": "black", "strokeWidth": 1.2}
        shown = told.mark_bar(opacity=0.6, height={"band": 0.7})
        layers = [shown, *(interval(**style).encode(*ends) for style in thin)]
    else:
        layers = [interval(strokeWidth=1.5).encode(*ends), told.mark_point(filled=True)]
    beside = base.mark_text(align="left").encode(alt.Text("groups:N"), x=alt.value(width + 6))
    return charts.panel(data, *layers, beside, size=(width, listed.height))


FIGURE = Figure(
    __doc__,
    place=1,
    function=runs,
    options={
        "--sort MEASURE": "the best run by this measure first (default: the first measure)",
        "--bars": "bars from 0, not dots",
        "letters --no-letters": {"help": "means and intervals alone", "action": "store_false"},
        **options.how_tested("; intervals have confidence 1 − A"),
    },
    gallery={"runs": '-m "AP nDCG@10"', "bars": "-m P@10 --bars --grey"},
)
