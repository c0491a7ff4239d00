"""Which topics are hard, and for which runs?

Draw the scores of all runs on all topics as cells, the darker the higher: the best run is at the
top, the easiest topic on the left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

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
from cranfield.report.charts import Listed, SideBySide
from cranfield.report.look import Look
from cranfield.report.pictures import Picture, alt
from cranfield.scores import Scores
from cranfield.stats.measured import direction
from cranfield.stats.summary import over_runs
from cranfield.wording import counted

__all__ = ["heatmap"]

COLUMNS = ("measure", "run", "topic", "score")


@shows_drawing
def heatmap(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    **drawing: Unpack[Drawing],
) -> Picture:
    """A figure of the scores of all runs on all topics, as cells.

    qrels, runs, measures
        Judgments, runs and measures, as `evaluate` takes them; or, alone, scores, as `compare`
        does.

    Runs are in the order of their means, the best first; topics in that of the mean over all runs,
    the easiest first.

    >>> x, y = {"q1": 0.25, "q2": 0.5}, {"q1": 0.5, "q2": 1.0}
    >>> heatmap({"bm25": x, "dense": y}).data.select("run", "topic", "score").rows()[:2]
    [('dense', 'q2', 1.0), ('dense', 'q1', 0.5)]
    """
    look, given = Look.of(drawing)
    scores = scored(qrels, runs, measures, given)
    data = frame([*_cells(scores)], COLUMNS)
    notices = (*scores.notices, *undefined(data, "score", "run"))
    orders = [scores.sorted_by(measure).runs for measure in scores.measures]
    names = [Listed.of(order, look) for order in orders]
    listed, sides = names[0], SideBySide.of(scores.topics, look)
    left_out = dict.fromkeys(notice for one in names for notice in one.notices())

    def draw() -> Any:
        panels = [_panel(scores, m, data.filter(measure=m), look) for m in scores.measures]
        lost = ["White: undefined."] if data["score"].is_nan().any() else []
        chart = charts.panels(panels, 1, look, "", lost, listed.width(look) + sides.width)
        return chart.resolve_scale(color="independent")

    return Picture(draw, data, (*notices, *left_out, *sides.notices()))


def _cells(scores: Scores) -> Iterator[tuple[Any, ...]]:
    for measure in scores.measures:
        of_topics = direction(scores, measure) * over_runs(scores, measure).mean
        order = np.argsort(-of_topics, kind="stable").tolist()  # NaN is last
        for run in scores.sorted_by(measure).runs:
            for t in order:
                topic = scores.topics[t]
                yield measure, run, topic, scores[run, topic, measure]


def _panel(scores: Scores, measure: str, data: pl.DataFrame, look: Look) -> Any:
    runs, topics = (data[name].unique(maintain_order=True).to_list() for name in ("run", "topic"))
    listed, sides = Listed.of(runs, look), SideBySide.of(topics, look)
    data = sides.rows(listed.rows(data))
    ends = places.from_zero(data["score"], 0.0)
    title = f"{counted(len(sides.labels), 'topic')}, the easiest first"
    base = alt.Chart().encode(listed.axis(grid=False), sides.axis(title, look))
    tooltip = ["run:N", "topic:N", *charts.decimals("score")]
    scale = {"scheme": "greys" if look.grey else "blues", "domain": [ends[0], ends[-1]]}
    legend = {"gradientLength": min(max(listed.height, 40), 120), "format": ".1f", "tickCount": 3}
    name = axis_title(scores, measure)
    shade = alt.Color("score:Q", scale=scale, title=name.split(" ", 1), legend=legend)
    cells = base.mark_rect().encode(shade, tooltip=tooltip)
    return charts.panel(data.drop_nans("score"), cells, size=(sides.width, listed.height))


FIGURE = Figure(
    __doc__,
    place=4,
    function=heatmap,
    options={},
    gallery={"heatmap": "-m AP"},
)
