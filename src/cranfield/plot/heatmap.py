"""Hard topics, and the runs that fail on them.

Draw the scores of all runs on all topics as cells: the darker, the higher. The best run is at the
top, the easiest topic on the left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, layout
from cranfield.figures.charts import HorizontalNames, VerticalNames
from cranfield.figures.figure import Figure, alt
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.measures.selection import MeasuresLike
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
from cranfield.scores import Scores
from cranfield.stats.measure_scores import get_sign
from cranfield.stats.summary import compute_run_statistics
from cranfield.wording import format_count

__all__ = ["heatmap"]

COLUMNS = ("measure", "run", "topic", "score")


@add_drawing_options
def heatmap(
    qrels: JudgmentsOrScores, runs: RunsLike | None = None, measures: MeasuresLike = None, **drawing: Unpack[Drawing]
) -> Figure:
    """Plot the scores of all runs on all topics as cells.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`, or only scores as for `compare`.

    Runs are ordered by their means, the best first. Topics are ordered by the mean over all runs,
    the easiest first.

    >>> x, y = {"q1": 0.25, "q2": 0.5}, {"q1": 0.5, "q2": 1.0}
    >>> heatmap({"bm25": x, "dense": y}).data.select("run", "topic", "score").rows()[:2]
    [('dense', 'q2', 1.0), ('dense', 'q1', 0.5)]
    """
    scores, theme, _ = prepare_scores(qrels, runs, measures, drawing)
    data = build_frame([*_collect_cells(scores)], COLUMNS)
    notes = (*scores.notes, *collect_undefined_notes(data, "score", "run"))
    orders = [scores.sorted_by(measure).runs for measure in scores.measures]
    names = [VerticalNames.from_names(order, theme) for order in orders]
    run_list, sides = names[0], HorizontalNames.from_names(scores.topics, theme)
    left_out = dict.fromkeys(note for label_list in names for note in label_list.collect_notes())

    def draw() -> Any:
        panels = [_draw_panel(scores, m, data.filter(measure=m), theme) for m in scores.measures]
        lost = ["White: undefined."] if data["score"].is_nan().any() else []
        chart = charts.build_panels(panels, 1, theme, "", lost, run_list.compute_width(theme) + sides.width)
        return chart.resolve_scale(color="independent")

    return Figure(draw, data, (*notes, *left_out, *sides.collect_notes()))


def _collect_cells(scores: Scores) -> Iterator[tuple[Any, ...]]:
    for measure in scores.measures:
        topic_means = get_sign(scores, measure) * compute_run_statistics(scores, measure).mean
        order = np.argsort(-topic_means, kind="stable").tolist()  # NaN is last
        for run in scores.sorted_by(measure).runs:
            for t in order:
                topic = scores.topics[t]
                yield measure, run, topic, scores[run, topic, measure]


def _draw_panel(scores: Scores, measure: str, data: pl.DataFrame, theme: Theme) -> Any:
    runs, topics = (data[name].unique(maintain_order=True).to_list() for name in ("run", "topic"))
    run_list, sides = (VerticalNames.from_names(runs, theme), HorizontalNames.from_names(topics, theme))
    data = sides.label_rows(run_list.label_rows(data))
    ends = layout.from_zero(data["score"], 0.0)
    title = f"{format_count(len(sides.labels), 'topic')}, the easiest first"
    base = alt.Chart().encode(run_list.build_axis(grid=False), sides.build_axis(title, theme))
    tooltip = ["run:N", "topic:N", *charts.build_number_tooltips("score")]
    scale = {"scheme": "greys" if theme.grey else "blues", "domain": [ends[0], ends[-1]]}
    legend = {"gradientLength": min(max(run_list.height, 40), 120), "format": ".1f", "tickCount": 3}
    name = format_axis_title(scores, measure)
    shade = alt.Color("score:Q", scale=scale, title=name.split(" ", 1), legend=legend)
    cells = base.mark_rect().encode(shade, tooltip=tooltip)
    return charts.build_panel(data.drop_nans("score"), cells, size=(sides.width, run_list.height))


FIGURE = FigureKind(__doc__, place=4, function=heatmap, options=(), gallery={"heatmap": "-m AP"})
