"""How are the scores of each run distributed over topics?

Draw a point for each topic, and a box for each run: its quartiles, the median, and lines to the
lowest and the highest score.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, nan
from typing import Any, Unpack

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
from cranfield.report.charts import Listed
from cranfield.report.look import Look
from cranfield.report.pictures import Picture, alt
from cranfield.scores import Notice, Scores
from cranfield.stats.summary import QUARTILES, summarise
from cranfield.wording import counted

__all__ = ["distribution"]

OF_RUN = ("lowest", "quartile", "median", "upper_quartile", "highest")
COLUMNS = ("measure", "run", "topic", "score", *OF_RUN)
WIDTHS = {1: 320.0, 2: 190.0}  # of a panel, if there are so many
WIDTH, IN_A_ROW, STEP = 150.0, 3, 22.0
MOST_POINTS = 10_000  # of a picture: more make it heavy, and hide each other


@shows_drawing
def distribution(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    **drawing: Unpack[Drawing],
) -> Picture:
    """A figure of the scores of each run: a point for each topic, and a box, the best run first.

    qrels, runs, measures
        Judgments, runs and measures, as `evaluate` takes them; or, alone, scores, as `compare`
        does.

    Boxes are from the lower to the upper quartile (`cf.stats.summarise`), with the median; lines go
    to the lowest and the highest score.

    >>> scores = {"bm25": {"q1": 0.1, "q2": 0.4, "q3": 0.4}}
    >>> distribution(scores).data.select("quartile", "median").row(0)
    (0.25, 0.4)
    """
    look, given = Look.of(drawing)
    scores = scored(qrels, runs, measures, given)
    data = frame([*_points(scores)], COLUMNS)
    notices = (*scores.notices, *undefined(data, "score"))
    first = data.filter(measure=scores.measures[0])
    listed = Listed.of(first["run"].unique(maintain_order=True).to_list(), look, STEP)
    few = len(data) <= MOST_POINTS
    if not few:
        text = f"points of {counted(len(data), 'score')} would hide each other: boxes alone"
        notices += (Notice("points", text),)
    return Picture(
        lambda: _chart(scores, data, listed, few, look), data, (*notices, *listed.notices())
    )


def _points(scores: Scores) -> Iterator[tuple[Any, ...]]:
    for measure in scores.measures:
        for run in scores.sorted_by(measure).runs:
            of_topics = {topic: scores[run, topic, measure] for topic in scores.topics}
            known = [value for value in of_topics.values() if not isnan(value)]
            quartiles = summarise(known).quantiles if known else dict.fromkeys(QUARTILES, nan)
            for topic, score in of_topics.items():
                yield measure, run, topic, score, *quartiles.values()


def _chart(scores: Scores, data: pl.DataFrame, listed: Listed, few: bool, look: Look) -> Any:
    width = look.width or WIDTHS.get(len(scores.measures), WIDTH)
    panels = []
    for place, measure in enumerate(scores.measures):
        rows = listed.rows(data.filter(measure=measure)).drop_nans("score")
        title, first = axis_title(scores, measure), place % IN_A_ROW == 0
        panels.append(_panel(rows, listed, title, first, few, width, look))
    told = "Boxes: quartiles and median; lines: to the lowest and the highest"
    whole = listed.width(look) + width * min(len(panels), IN_A_ROW)
    said = [f"{told}{'; points: topics' if few else ''}."]
    return charts.panels(panels, IN_A_ROW, look, "", said, whole)


def _panel(
    data: pl.DataFrame,
    listed: Listed,
    title: str,
    first: bool,
    few: bool,
    width: float,
    look: Look,
) -> Any:
    """The runs by one measure: points, and boxes over them."""
    ends = places.from_zero(data["score"], 0.0)
    value = charts.axis("x", "score", title, [ends[0], ends[-1]], tickCount=4)
    base = alt.Chart().encode(listed.axis(first, grid=False), value)
    colour = charts.by_name(data["run"], look)
    turns = data.with_columns(turn=pl.int_range(pl.len()).over("run") * 7 % 13 / 6 - 1)
    jitter = alt.YOffset("turn:Q", scale={"domain": [-1.8, 1.8]})
    told = ["run:N", "topic:N", *charts.decimals("score")]
    points = base.mark_point(filled=True, size=12, opacity=0.45)
    boxes = base.properties(data=charts.rows_of(data.unique("run", maintain_order=True)))
    of_run = ["run:N", *charts.decimals(*OF_RUN)]
    thin, high = {"color": "black", "strokeWidth": 1}, 0.6 * listed.height / len(listed.labels)
    box = {"fill": "transparent", "stroke": "black", "strokeWidth": 1, "size": high}
    layers = [
        boxes.mark_rule(**thin).encode(alt.X("lowest:Q"), alt.X2("quartile:Q")),
        boxes.mark_rule(**thin).encode(alt.X("upper_quartile:Q"), alt.X2("highest:Q")),
        boxes.mark_bar(**box).encode(
            alt.X("quartile:Q"), alt.X2("upper_quartile:Q"), tooltip=of_run
        ),
        boxes.mark_tick(color="black", thickness=2, size=high).encode(alt.X("median:Q")),
    ]
    if few:
        layers.insert(0, points.encode(jitter, color=colour, tooltip=told))
    return charts.panel(turns, *layers, size=(width, listed.height))


FIGURE = Figure(
    __doc__,
    place=5,
    function=distribution,
    options={},
    gallery={"distribution": '-m "AP nDCG@10"'},
)
