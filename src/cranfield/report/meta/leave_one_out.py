"""Leave-one-out test: can the judgments score runs that were not pooled?

Leave out each run, or team, in turn: score its runs without the judgments of documents that only it
contributed to the pool. If scores and ranks hardly change, the collection can be used for runs that
were not pooled.
"""

from __future__ import annotations

from math import isnan
from typing import Any

from cranfield.figures import charts
from cranfield.figures.charts import build_number_tooltips
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, MAX_STYLES, Theme
from cranfield.lazy_imports import pl
from cranfield.meta.leave_one_out import LeaveOneOut, leave_one_out
from cranfield.options import option
from cranfield.report import options
from cranfield.report.meta import Computation, Method
from cranfield.tables import (
    ResultTable,
    bind_rows,
    build_columns,
    build_table,
    format_difference,
    format_runs_and_topics,
)
from cranfield.wording import format_count

TABLES = ("summary", "runs", "contributors")
SIDE = 300  # of a panel, in points
MAX_NAMES = 8  # runs with the largest changes


def build_tables(result: LeaveOneOut) -> list[ResultTable]:
    return [build_summary_table(result), build_runs_table(result), build_contributors_table(result)]


def build_summary_table(result: LeaveOneOut) -> ResultTable:
    """Return a row for each measure with the changes of scores and ranks."""
    column = bind_rows(result.summaries)
    return build_table(
        "summary",
        f"Leave-one-out test, {_describe_comparison(result)}: every run is scored without the "
        f"judgments of documents that no other {result.kind} has in its first {result.pool_depth}. "
        "Changes of scores are absolute. τ: Kendall's τ_b between the runs by all judgments and "
        "by these scores.",
        column("measure", key=True),
        *build_columns(column, "mean_change", "largest_change"),
        column("largest_change_of", head="of"),
        *build_columns(column, "ranks_changed", "largest_rank_change"),
        column("tau", head="τ"),
    )


def build_runs_table(result: LeaveOneOut) -> ResultTable:
    column = bind_rows(result.results)
    owner = "this run" if result.kind == "run" else "its team"
    return build_table(
        "runs",
        f"Leave-one-out test, {_describe_comparison(result)}: the score of each run by all "
        "judgments (before) and without the judgments of documents that only "
        f"{owner} has in the first {result.pool_depth} (after). Ranks are among all runs; runs of "
        f"every other {result.kind} are scored by all judgments.",
        column("measure", key=True),
        column("contributor", head="team", visible=result.kind == "team", key=True),
        column("run", key=True),
        *build_columns(column, "before", "after"),
        column("difference", text=format_difference),
        column("relative", head="%", text=lambda x: "–" if isnan(x) else f"{100 * x:+.2f}"),
        *build_columns(column, "rank_before", "rank_after"),
    )


def build_contributors_table(result: LeaveOneOut) -> ResultTable:
    """Return a row for each run, or team, with its own contribution."""
    column = bind_rows(result.contributors)
    return build_table(
        "contributors",
        f"Documents in the first {result.pool_depth} of {_describe_comparison(result)}, and "
        f"documents that no other {result.kind} has there.",
        column("contributor", lambda one: one.name, result.kind, key=True),
        column("runs", lambda one: len(one.runs), visible=result.kind == "team"),
        *build_columns(column, "documents", "unique", "unique_judged", "unique_relevant"),
    )


def _describe_comparison(result: LeaveOneOut) -> str:
    teams_text = f" of {format_count(len(result.contributors), 'team')} on "
    size = format_runs_and_topics(len(result.runs), len(result.topics))
    return size if result.kind == "run" else size.replace(" on ", teams_text)


# -- the picture ----------------------------------------------------------------------------------


def build_figure(result: LeaveOneOut, theme: Theme = DEFAULT_THEME) -> Figure:
    """Plot scores without the contributor against scores by all judgments."""
    columns = ("measure", "contributor", "run", "before", "after", "difference")
    data = build_runs_table(result).to_frame(*columns)
    return Figure(lambda: _draw_scatter(data, result, theme), data, result.notes)


def _draw_scatter(data: pl.DataFrame, result: LeaveOneOut, theme: Theme) -> Any:
    panels = [
        _draw_panel(data.filter(measure=name), name, result, theme) for name in result.measures
    ]
    owner = "the run" if result.kind == "run" else "its team"
    captions = [
        f"below the dashed line: lower without the documents that only {owner} has in the first "
        f"{result.pool_depth}",
        "names: runs with the largest changes",
    ]
    return charts.build_panels(
        panels, 3, theme, f"Leave-one-out test: {_describe_comparison(result)}", captions
    )


def _draw_panel(data: pl.DataFrame, measure: str, result: LeaveOneOut, theme: Theme) -> Any:
    axis_names = {"before": "all judgments", "after": f"{result.kind} left out"}
    titles = {name: f"{measure}, {text}" for name, text in axis_names.items()}
    plane = charts.Plane.with_equal_axes(data, titles, SIDE, theme)
    tooltip = ["contributor:N", "run:N", *build_number_tooltips("before", "after", "difference")]
    points = plane.draw_points(tooltip, data["run"])
    if result.kind == "team" and data["contributor"].n_unique() <= MAX_STYLES:
        marks = charts.encode_names(data["contributor"], "team", theme)
        points = points.encode(marks["color"], marks["shape"])
    changed = data.filter(pl.col("difference") != 0)
    largest = changed.sort(pl.col("difference").abs(), descending=True).head(MAX_NAMES)
    texts = plane.draw_labels(plane.place_names(largest, data, MAX_NAMES, plane.diagonal_boxes))
    return plane.build_panel(data, plane.draw_diagonal(), points, *texts)


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=7,
    name="leave-one-out",
    computation=Computation(leave_one_out, inputs="runs"),
    settings_names=("pool_depth", "kind", "runs", "topics"),
    flat_tables=("runs",),
    measures="AP nDCG@10",
    runs_help="the runs that made the pool",
    options=(
        option(
            "--teams",
            "FILE",
            "leave out teams, not runs: lines `run team`, or a table with these columns",
        ),
        option(
            "--depth",
            "N",
            "depth of the pool (default: to which all rankings are judged)",
            value="count",
        ),
        *options.build_plot_options("scores before and after", "the"),
    ),
)
