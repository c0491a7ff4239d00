"""Rank correlation of runs between measures or sets of judgments.

Correlate the rankings of runs by every two measures, or those of every measure by two sets of
judgments, with intervals from resampled topics.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from cranfield import tables
from cranfield.errors import InputError
from cranfield.figures import charts, layout
from cranfield.figures.charts import Plane, build_number_tooltips
from cranfield.figures.figure import Figure
from cranfield.figures.layout import shorten_names
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.meta.correlation import TRIALS, CorrelationMatrix, correlation
from cranfield.meta.rankings import STATISTICS, P
from cranfield.options import option
from cranfield.report import options
from cranfield.report.meta import Computation, Method
from cranfield.wording import format_number

TABLES = ("matrix", "pairs")


def format_title(result: CorrelationMatrix) -> str:
    """Return the name of the statistic."""
    return STATISTICS[result.statistic].title + ("" if result.p is None else f" (p = {result.p:g})")


def format_caption(result: CorrelationMatrix) -> str:
    """Describe the rankings, runs, topics and intervals."""
    subject = f"the rankings by {' and '.join(result.sets) or 'two measures'}"
    if STATISTICS[result.statistic].has_gold:
        gold = result.sets[0] if result.sets else "the measure of the column"
        subject += f", gold: {gold}"
    return (
        f"{format_title(result)} between {subject}: {_format_counts(result)} "
        f"({result.trials:,} trials, seed {result.seed})."
    )


def _format_counts(result: CorrelationMatrix) -> str:
    """Describe the number of runs and topics, and the intervals."""
    size = tables.format_runs_and_topics(len(result.runs), result.topics)
    return f"{size}, {tables.format_percent(result.confidence)} bootstrap intervals over topics"


def build_tables(result: CorrelationMatrix) -> list[tables.ResultTable]:
    """Return the matrix and the pairs; only the pairs between two sets."""
    matrix = [] if result.between == "sets" else [build_matrix_table(result)]
    return [*matrix, build_pairs_table(result)]


def build_matrix_table(result: CorrelationMatrix) -> tables.ResultTable:
    """Return a matrix of measures; the upper triangle of a symmetric statistic."""
    pairs = [(row["x"], row["y"]) for row in result.rows()]
    texts = {pair: tables.format_mean_with_interval(result[pair]) for pair in pairs}
    rows, columns = (
        result.names[: -1 if result.symmetric else None],
        result.names[result.symmetric :],
    )
    key = tables.Field("measure", None, texts=rows, key=True)
    cells = tables.build_grid_columns(rows, columns, lambda x, y: texts.get((x, y), ""))
    return tables.ResultTable("matrix", [key, *cells], format_caption(result))


def build_pairs_table(result: CorrelationMatrix) -> tables.ResultTable:
    """Return a row for each pair of measures or, between sets, for each measure."""
    rows = result.rows()
    column, intervals = tables.bind_rows(rows), [result[row["x"], row["y"]] for row in rows]
    heads = {"x": "measure", "y": "other" if result.symmetric else "gold"}
    keys = [column(name, itemgetter(name), head, key=True) for name, head in heads.items()]
    if result.between == "sets":
        keys = [column("measure", itemgetter("x"), key=True)]
    return tables.build_table(
        "pairs",
        format_caption(result),
        *keys,
        *tables.build_constant_columns({"statistic": result.statistic}, rows),
        column("value", itemgetter("value"), STATISTICS[result.statistic].title),
        *tables.build_interval_columns(intervals, result.confidence),
        *tables.build_constant_columns(
            tables.read_settings(result, *METHOD.settings_names[2:]), rows
        ),
    )


# -- pictures -------------------------------------------------------------------------------------

SIDE = 260.0  # a panel of the scatter
MAX_NAMES = 60  # runs whose names are tried to be placed
MOST_PANELS, IN_A_ROW = 12, 3


def build_figure(result: CorrelationMatrix, theme: Theme = DEFAULT_THEME) -> Figure:
    """Draw a heat map of the matrix; between two sets, the means by one against the other."""
    if result.between == "sets":
        return build_scatter_figure(result, theme)
    data = pl.DataFrame(result.rows())
    return Figure(lambda: _draw_heat_map(result, theme, data), data, result.notes)


def build_scatter_figure(result: CorrelationMatrix, theme: Theme = DEFAULT_THEME) -> Figure:
    """Draw the means by two measures, or by two sets: a point for each run.

    There is a panel for each pair of measures, or for each measure.
    """
    if len(result.pairs) > MOST_PANELS:
        problem = f"{len(result.pairs)} pairs of {len(result.names)} measures"
        raise InputError(problem, f"at most {MOST_PANELS} pairs to draw")
    frames = [_build_means_frame(result, i, j) for i, j in result.pairs]
    planes = [
        _build_plane(result, data, *pair, theme)
        for data, pair in zip(frames, result.pairs, strict=True)
    ]
    named_data = [
        plane.place_names(data, data, MAX_NAMES, plane.diagonal_boxes if result.sets else ())
        for plane, data in zip(planes, frames, strict=True)
    ]
    data, notes = pl.concat(frames), charts.note_unnamed_runs(named_data)

    def draw() -> Any:
        panels = [
            _draw_scatter(result, plane, pair_data, *pair)
            for plane, pair_data, pair in zip(planes, named_data, result.pairs, strict=True)
        ]
        wide = planes[0].width * min(len(panels), IN_A_ROW) + theme.scale_points(40)
        return charts.build_panels(
            panels, IN_A_ROW, theme, _format_heading(result), _format_subtitle(result), wide
        )

    return Figure(draw, data, (*result.notes, *notes))


def _build_means_frame(result: CorrelationMatrix, i: int, j: int) -> pl.DataFrame:
    """Return the means of the runs by two measures, or by two sets."""
    first, second = (result.means[0][i], result.means[-1][j])
    other_column = {} if result.sets else {"other": result.names[j]}
    rows = zip(result.runs, first.tolist(), second.tolist(), strict=True)
    return pl.DataFrame(
        [
            {"measure": result.names[i], **other_column, "run": run, "first": x, "second": y}
            for run, x, y in rows
        ]
    )


def _build_plane(
    result: CorrelationMatrix, data: pl.DataFrame, i: int, j: int, theme: Theme
) -> Plane:
    if result.sets:
        titles = dict(zip(("first", "second"), map("mean by {}".format, result.sets), strict=True))
        return Plane.with_equal_axes(data, titles, SIDE, theme, grid=False)
    titles = {"first": f"mean {result.names[i]}", "second": f"mean {result.names[j]}"}
    axes = [layout.fit_ticks(data[name]) for name in titles]
    return Plane(titles, axes, *theme.choose_size(SIDE, SIDE), theme, style={"grid": False})


def _draw_scatter(
    result: CorrelationMatrix, plane: Plane, data: pl.DataFrame, i: int, j: int
) -> Any:
    tooltip = ["run:N", *build_number_tooltips("first", "second")]
    equal = [plane.draw_diagonal()] if result.sets else []  # above it the second set gives more
    layers = *equal, plane.draw_points(tooltip, data["run"]), *plane.draw_labels(data)
    names = result.names[i], result.names[j]
    subject = names[0] if result.sets else format_title(result)
    return plane.build_panel(
        data, *layers, title=f"{subject}: {tables.format_mean_with_interval(result[names])}"
    )


def _draw_heat_map(result: CorrelationMatrix, theme: Theme, data: pl.DataFrame) -> Any:
    """Draw a cell for each pair, with the value and its interval."""
    labels = dict(zip(result.names, shorten_names(result.names, 24), strict=True))
    intervals = data.select("low", "high").rows()
    cell_data = data.with_columns(
        pl.col("x", "y").replace(labels),
        shown=pl.Series([format_number(value) for value in data["value"]]),
        interval=pl.Series([tables.format_interval(*ends) for ends in intervals]),
    )
    label_list, least = list(labels.values()), min(0.5, *data["value"].fill_nan(1.0))
    columns, rows = (
        (label_list[1:], label_list[:-1]) if result.symmetric else (label_list, label_list)
    )
    chart = charts.draw_cells(
        cell_data,
        {"y": columns, "x": rows},
        charts.encode_shade("value", STATISTICS[result.statistic].title, [least, 1], theme),
        {
            "shown": {"fontSize": theme.scale_points(12), "dy": theme.scale_points(-7)},
            "interval": {"fontSize": theme.scale_points(9), "dy": theme.scale_points(9)},
        },
        theme,
    )
    return charts.finish_chart(
        chart, theme, _format_heading(result), _format_subtitle(result)
    ).configure_view(stroke=None)


def _format_heading(result: CorrelationMatrix) -> str:
    return f"{format_title(result)} between {' and '.join(result.sets) or 'measures'}"


def _format_subtitle(result: CorrelationMatrix) -> list[str]:
    """Return the lines below the title."""
    gold = f"{result.sets[0]} is gold" if result.sets else "columns are gold"
    return [_format_counts(result), *([gold] if STATISTICS[result.statistic].has_gold else [])]


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=4,
    name="correlation",
    computation=Computation(
        correlation, activity="resampling", steps=lambda asked, *_: asked.trials
    ),
    settings_names=("statistic", "p", "confidence", "runs", "topics", "trials", "seed"),
    human_tables=("matrix",),
    flat_tables=("pairs",),
    options=(
        option(
            "--qrels2",
            "FILE",
            "other judgments: correlate each measure by QRELS with itself by these",
        ),
        *options.build_statistic_option(
            "; of tau-ap the measure of the column, or QRELS, is the gold one"
        ),
        option(
            "--p",
            "P",
            f"how deep it looks (default: {P})",
            value="number",
            requires="statistic",
            requires_value="rbo",
        ),
        *options.build_confidence_option(),
        *options.build_trial_options(TRIALS, "random draws of topics, for intervals"),
        *options.build_plot_options("the matrix, or with --qrels2 the means by both", "its"),
    ),
)
