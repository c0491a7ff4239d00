"""Distribution of the scores of each run over topics.

Draw one point per topic and one box per run: quartiles and median, with lines to the lowest and the
highest score.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, nan
from typing import Any, Unpack

from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, layout
from cranfield.figures.charts import VerticalNames
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
from cranfield.scores import Note, Scores
from cranfield.stats.summary import QUARTILES, summarise
from cranfield.wording import format_count

__all__ = ["distribution"]

BOX_COLUMNS = ("lowest", "quartile", "median", "upper_quartile", "highest")
COLUMNS = ("measure", "run", "topic", "score", *BOX_COLUMNS)
WIDTHS = {1: 320.0, 2: 190.0}  # of a panel, if there are so many
WIDTH, IN_A_ROW, STEP = 150.0, 3, 22.0
MOST_POINTS = 10_000  # of a picture: more make it heavy, and hide each other


@add_drawing_options
def distribution(
    qrels: JudgmentsOrScores, runs: RunsLike | None = None, measures: MeasuresLike = None, **drawing: Unpack[Drawing]
) -> Figure:
    """Plot the scores of each run: a point for each topic and a box, the best run first.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`, or only scores as for `compare`.

    Boxes extend from the lower to the upper quartile (`cf.stats.summarise`) and show the median.
    Lines extend to the lowest and the highest score.

    >>> scores = {"bm25": {"q1": 0.1, "q2": 0.4, "q3": 0.4}}
    >>> distribution(scores).data.select("quartile", "median").row(0)
    (0.25, 0.4)
    """
    scores, theme, _ = prepare_scores(qrels, runs, measures, drawing)
    data = build_frame([*_collect_points(scores)], COLUMNS)
    notes = (*scores.notes, *collect_undefined_notes(data, "score"))
    first = data.filter(measure=scores.measures[0])
    run_list = VerticalNames.from_names(first["run"].unique(maintain_order=True).to_list(), theme, STEP)
    has_points = len(data) <= MOST_POINTS
    if not has_points:
        text = f"{format_count(len(data), 'score')} are too many for points: only boxes are drawn"
        notes += (Note("points", text),)
    return Figure(
        lambda: _draw_chart(scores, data, run_list, has_points, theme), data, (*notes, *run_list.collect_notes())
    )


def _collect_points(scores: Scores) -> Iterator[tuple[Any, ...]]:
    for measure in scores.measures:
        for run in scores.sorted_by(measure).runs:
            topic_scores = {topic: scores[run, topic, measure] for topic in scores.topics}
            defined = [value for value in topic_scores.values() if not isnan(value)]
            quartiles = summarise(defined).quantiles if defined else dict.fromkeys(QUARTILES, nan)
            for topic, score in topic_scores.items():
                yield measure, run, topic, score, *quartiles.values()


def _draw_chart(scores: Scores, data: pl.DataFrame, run_list: VerticalNames, has_points: bool, theme: Theme) -> Any:
    width = theme.width or WIDTHS.get(len(scores.measures), WIDTH)
    panels = []
    for place, measure in enumerate(scores.measures):
        rows = run_list.label_rows(data.filter(measure=measure)).drop_nans("score")
        title, first = format_axis_title(scores, measure), place % IN_A_ROW == 0
        panels.append(_draw_panel(rows, run_list, title, first, has_points, width, theme))
    legend = "Boxes: quartiles and median; lines: to the lowest and the highest"
    full_width = run_list.compute_width(theme) + width * min(len(panels), IN_A_ROW)
    captions = [f"{legend}{'; points: topics' if has_points else ''}."]
    return charts.build_panels(panels, IN_A_ROW, theme, "", captions, full_width)


def _draw_panel(
    data: pl.DataFrame, run_list: VerticalNames, title: str, first: bool, has_points: bool, width: float, theme: Theme
) -> Any:
    """Draw the runs by one measure: points, with boxes in front."""
    ends = layout.from_zero(data["score"], 0.0)
    value = charts.build_axis("x", "score", title, [ends[0], ends[-1]], tickCount=4)
    base = alt.Chart().encode(run_list.build_axis(first, grid=False), value)
    colour = charts.encode_colours(data["run"], theme)
    turns = data.with_columns(turn=pl.int_range(pl.len()).over("run") * 7 % 13 / 6 - 1)
    jitter = alt.YOffset("turn:Q", scale={"domain": [-1.8, 1.8]})
    tooltip = ["run:N", "topic:N", *charts.build_number_tooltips("score")]
    points = base.mark_point(filled=True, size=12, opacity=0.45)
    boxes = base.properties(data=charts.to_chart_data(data.unique("run", maintain_order=True)))
    box_tooltip = ["run:N", *charts.build_number_tooltips(*BOX_COLUMNS)]
    thin, high = {"color": "black", "strokeWidth": 1}, 0.6 * run_list.height / len(run_list.labels)
    box = {"fill": "transparent", "stroke": "black", "strokeWidth": 1, "size": high}
    layers = [
        boxes.mark_rule(**thin).encode(alt.X("lowest:Q"), alt.X2("quartile:Q")),
        boxes.mark_rule(**thin).encode(alt.X("upper_quartile:Q"), alt.X2("highest:Q")),
        boxes.mark_bar(**box).encode(alt.X("quartile:Q"), alt.X2("upper_quartile:Q"), tooltip=box_tooltip),
        boxes.mark_tick(color="black", thickness=2, size=high).encode(alt.X("median:Q")),
    ]
    if has_points:
        layers.insert(0, points.encode(jitter, color=colour, tooltip=tooltip))
    return charts.build_panel(turns, *layers, size=(width, run_list.height))


FIGURE = FigureKind(__doc__, place=5, function=distribution, options=(), gallery={"distribution": '-m "AP nDCG@10"'})
