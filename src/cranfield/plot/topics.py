"""On which topics are runs good, and on which is one better than another?

Draw the scores of all runs on each topic; of two runs their differences, the largest first; or how
far each run is above or below another, or the median of all runs, with the best and the worst run
of each topic marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from cranfield.arrays import apart, rounding_of
from cranfield.errors import InputError
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
    undefined,
)
from cranfield.report import charts, places
from cranfield.report.charts import SideBySide
from cranfield.report.look import MANY, Look, Style
from cranfield.report.pictures import Picture, alt
from cranfield.report.places import Ticks
from cranfield.scores import Notice, Scores
from cranfield.stats.measured import direction
from cranfield.stats.summary import over_runs
from cranfield.wording import counted, some

__all__ = ["topics"]

MEDIAN = "median"
HEIGHT = 150.0  # of a panel
MOST_PANELS = 12
OF_ALL = ("best", "median", "worst")
SCORES = ("measure", "topic", "run", "score", *OF_ALL)
DIFFERENCES = ("measure", "topic", "run", "score", "against", "other", "difference", "better",
               *OF_ALL)  # fmt: skip
LINE, TICK = "#cccccc", "#555555"


@shows_drawing
def topics(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    against: str | None = None,
    show: str | Sequence[str] | None = None,
    **drawing: Unpack[Drawing],
) -> Picture:
    """A figure of scores topic by topic, or of differences, the largest first.

    qrels, runs, measures
        Judgments, runs and measures, as `evaluate` takes them; or, alone, scores, as `compare`
        does.
    against
        What each run is compared with: a run, or ``median``, that of all runs on each topic. Two
        runs are compared with each other, the first with the second, if nothing is said.
    show
        The runs that are shown, if not all; the median, the best and the worst are of all.

    >>> x, y = {"q1": 0.5, "q2": 0.25}, {"q1": 0.25, "q2": 0.5}
    >>> picture = topics({"bm25": x, "dense": y})
    >>> picture.data.select("topic", "difference", "better").rows()
    [('q1', 0.25, 'bm25'), ('q2', -0.25, 'dense')]
    >>> picture.save("topics.pdf")  # doctest: +SKIP
    """
    look, given = Look.of(drawing)
    scores = scored(qrels, runs, measures, given)
    chosen = _named(scores, show)
    if against is None and chosen == scores.runs and len(chosen) == 2:
        against = chosen[1]
    if against is None:
        return _every_run(scores, chosen, look)
    if against not in (MEDIAN, *scores.runs):
        raise InputError(f"against {against!r}", f"{MEDIAN}, or one of {some(scores.runs, 'run')}")
    compared = [run for run in chosen if run != against]
    if not compared:
        raise InputError(f"no run but {against}", "one to compare with it")
    return _differing(scores, compared, against, look)


def _named(scores: Scores, show: str | Sequence[str] | None) -> tuple[str, ...]:
    """The runs that are shown."""
    named = scores.runs if show is None else (show,) if isinstance(show, str) else tuple(show)
    for run in named:
        if run not in scores.runs:
            raise InputError(f"run {run!r}", f"one of {some(scores.runs, 'run')}")
    return named


def _axes(sides: SideBySide, below: str, y: str, title: str, ends: Ticks, look: Look) -> Any:
    """A chart with topics to the right, and a column upwards."""
    value = charts.axis("y", y, title, [ends[0], ends[-1]], tickCount=5)
    return alt.Chart().encode(sides.axis(below, look), value)


# -- every run on every topic ---------------------------------------------------------------------


def _every_run(scores: Scores, runs: Sequence[str], look: Look) -> Picture:
    """A mark for each run on each topic, on a line from the worst to the best."""
    data = frame([*_scores(scores, runs)], SCORES)
    notices = (*scores.notices, *undefined(data, "score", "topic"))
    sides = SideBySide.of(scores.topics, look)
    few = "" if len(runs) <= MANY else "; a point is a run"
    of = counted(len(scores.runs), "run")
    told = [f"Lines: from the worst to the best of {of}; ticks: their median{few}."]
    alone = len(scores.runs) == 1
    [short] = places.shortened(runs[:1], charts.LEGEND)

    def draw() -> Any:
        panels = [
            _panel_of_scores(scores, m, data.filter(measure=m), look) for m in scores.measures
        ]
        wide = sides.width + look.points(40)
        heading, said = (short, []) if alone else ("", told)
        return charts.panels(panels, 1, look, heading, said, wide)

    return Picture(draw, data, (*notices, *sides.notices()))


def _scores(scores: Scores, runs: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Every run on every topic, the easiest topic first."""
    for measure in scores.measures:
        found, sign = over_runs(scores, measure), direction(scores, measure)
        for t in np.argsort(-sign * found.mean, kind="stable").tolist():  # NaN is last
            topic, of_all = scores.topics[t], [float(getattr(found, name)[t]) for name in OF_ALL]
            for run in runs:
                yield measure, topic, run, scores[run, topic, measure], *of_all


def _panel_of_scores(scores: Scores, measure: str, data: pl.DataFrame, look: Look) -> Any:
    data = data.drop_nans("score")
    names = data["topic"].unique(maintain_order=True).to_list()
    sides = SideBySide.of(names, look)
    data = sides.rows(data)
    ends = places.from_zero([*data["score"], *data["best"], *data["worst"]], 0.0)
    below = f"{counted(len(names), 'topic')}, the easiest first"
    base = _axes(sides, below, "score", axis_title(scores, measure), ends, look)
    tooltip = ["topic:N", "run:N", *charts.decimals("score")]
    size = look.size(sides.width, HEIGHT)
    if len(scores.runs) == 1:
        colour = charts.by_name(data["run"], look)
        bars = base.mark_bar(width={"band": 0.8}).encode(color=colour)
        return charts.panel(data, bars.encode(tooltip=tooltip), size=size)
    of_topics = base.properties(data=charts.rows_of(data.unique("topic", maintain_order=True)))
    told = ["topic:N", *charts.decimals(*OF_ALL)]
    lines = of_topics.mark_rule(color=LINE).encode(alt.Y("worst:Q"), alt.Y2("best:Q"))
    medians = of_topics.mark_tick(color=TICK, thickness=1.5, width={"band": 0.9})
    each = data["run"].unique(maintain_order=True)
    points = base.mark_point(filled=True, size=14, opacity=0.35, color=look.colour)
    if len(each) <= MANY:
        legend = charts.below(each.to_list(), sides.width, look)
        marks = charts.told_apart(each, "", look, legend=legend)
        area = min(28.0, max(8.0, (1.6 * sides.width / len(names)) ** 2))
        points = base.mark_point(filled=True, size=area).encode(marks["color"], marks["shape"])
    layers = lines, medians.encode(alt.Y("median:Q"), tooltip=told), points.encode(tooltip=tooltip)
    return charts.panel(data, *layers, size=size)


# -- differences ----------------------------------------------------------------------------------


def _differing(scores: Scores, runs: Sequence[str], against: str, look: Look) -> Picture:
    """A panel for each run: how far it is above or below another, or the median."""
    data = frame([*_differences(scores, runs, against)], DIFFERENCES)
    notices = (*scores.notices, *undefined(data, "difference", "topic"))
    drawn, without = [*runs[:MOST_PANELS]], runs[MOST_PANELS:]
    if without:
        where = "choose which are shown, or see them all in .csv"
        text = f"{some(without, 'run')} without room in the picture: {where}"
        notices += (Notice("names", text),)
    sides = SideBySide.of(scores.topics, look)
    told = []
    if against == MEDIAN:
        of = counted(len(scores.runs), "run")
        told = [f"Bars: from the median of {of}; lines: to the best and the worst of them."]

    others = [against] if against in scores.runs else []
    styles = look.styles(scores.runs if len(scores.runs) <= MANY else (*drawn, *others))

    def draw() -> Any:
        panels = [
            _panel_of_differences(scores, data.filter(measure=measure, run=run), styles, look)
            for measure in scores.measures
            for run in drawn
        ]
        return charts.panels(panels, 1, look, "", told, sides.width + look.points(40))

    return Picture(draw, data, (*notices, *sides.notices()))


def _differences(scores: Scores, runs: Sequence[str], against: str) -> Iterator[tuple[Any, ...]]:
    """Every run against another or the median, its largest difference first."""
    for m, measure in enumerate(scores.measures):
        found, sign = over_runs(scores, measure), direction(scores, measure)
        known = scores.better[m] != "neither"
        values = dict(zip(scores.runs, scores.values[:, :, m], strict=True))
        y = found.median if against == MEDIAN else values[against]
        for run in runs:
            x = values[run]
            z = apart(x, y, rounding_of(x, y))
            for t in np.argsort(-z, kind="stable").tolist():
                won = float(np.sign(sign * z[t]))
                better = {1.0: run, -1.0: against}.get(won, "") if known else ""
                of_all = [float(getattr(found, name)[t]) for name in OF_ALL]
                at = measure, scores.topics[t], run, float(x[t])
                yield *at, against, float(y[t]), float(z[t]), better, *of_all


def _panel_of_differences(
    scores: Scores, data: pl.DataFrame, styles: Mapping[str, Style], look: Look
) -> Any:
    measure, against = (data[name][0] for name in ("measure", "against"))
    data = data.drop_nans("difference")
    sides = SideBySide.of(data["topic"].to_list(), look)
    of_median = against == MEDIAN
    ends_of = [f"to_{name}" for name in ("worst", "best")]
    sign = pl.col("difference").sign() * direction(scores, measure)
    data = sides.rows(data).with_columns(
        *((pl.col(name) - pl.col("other")).alias(f"to_{name}") for name in ("worst", "best")),
        side=pl.when(sign > 0).then("run").when(sign < 0).then("against").otherwise(pl.lit("")),
    )
    title = _counted(data, scores.better[scores.measures.index(measure)] == "neither")
    shown = ["difference", *(ends_of if of_median else [])]
    ends = places.from_zero([value for name in shown for value in data[name]], 0.0)
    below = f"{counted(len(data), 'topic')}, by falling difference"
    upwards = f"difference in {axis_title(scores, measure)}"
    base = _axes(sides, below, "difference", upwards, ends, look)
    columns = ["score", "other", "difference", *(OF_ALL if of_median else ())]
    tooltip = ["topic:N", "run:N", "against:N", "better:N", *charts.decimals(*columns)]
    colours = {name: style.colour for name, style in styles.items()}  # the same in all panels
    colours |= {against: "#b3b3b3"} if of_median or look.grey else {}
    scale = {"domain": [*colours], "range": [*colours.values()]}
    colour = alt.Color("side:N", scale=scale, legend=None)
    bars = base.mark_bar(width={"band": 0.75}).encode(colour, tooltip=tooltip)
    lines = base.mark_rule(color=LINE, strokeWidth=1).encode(
        alt.Y("to_worst:Q"), alt.Y2("to_best:Q")
    )
    dots = [base.mark_tick(color=TICK, thickness=1, width={"band": 0.75}).encode(alt.Y(f"{name}:Q"))
            for name in ends_of]  # fmt: skip
    zero = charts.across("difference", 0)
    layers = [lines, bars, *dots, zero] if of_median else [bars, zero]
    return charts.panel(data, *layers, size=look.size(sides.width, HEIGHT), title=title)


def _counted(data: pl.DataFrame, neither: bool) -> dict[str, Any]:
    """Which run a panel is of, and on how many topics it is the better one, or the higher one if
    neither is better.
    """
    run, against = data["run"][0], data["against"][0]
    label, other = places.shortened([run, against], charts.LEGEND)
    than = "the median" if against == MEDIAN else other
    above, below = ("higher", "lower") if neither else ("better", "worse")
    won, lost, equal = (data["side"].to_list().count(name) for name in (run, against, ""))
    text = f"{above} on {won}, {below} on {lost}, equal on {equal}"
    long = len(label) + len(than) > charts.LEGEND
    return {"text": [label, f"− {than}"] if long else f"{label} − {than}", "subtitle": text}


FIGURE = Figure(
    __doc__,
    place=2,
    function=topics,
    options={
        "--against RUN": "what each run is compared with, a run or median, which is that of all "
        "runs on each topic (default: of two runs, the second)",
        "--show RUN …": {"help": "only this run; may be repeated (default: all)", "dest": "show"},
    },
    gallery={
        "topics": "-m AP",
        "differences": "sim/qrels.txt sim/runs/sys01.txt sim/runs/sys06.txt -m AP",
        "median": "-m AP --against median --show sys01 --show sys03",
    },
)
