"""Are runs that did not contribute to the pool scored as they should be?

The leave-one-out test. Each run, or team, is left out in turn: its runs are scored without the
judgments of documents that nobody else had in the pool. If scores and ranks hardly change, the
collection can be used for runs that were not pooled.
"""

from __future__ import annotations

from math import isnan
from typing import Any

from cranfield.late import pl
from cranfield.meta.leave_one_out import LeaveOneOut, leave_one_out
from cranfield.report import charts, options
from cranfield.report.charts import decimals
from cranfield.report.look import MANY, PLAIN, Look
from cranfield.report.meta import Method, Work
from cranfield.report.pictures import Picture
from cranfield.report.sheets import Sheet, columns, each, runs_on, signed, table
from cranfield.wording import counted

TABLES = ("summary", "runs", "contributors")
SIDE = 300  # of a panel, in points
NAMED = 8  # runs, those that change most


def sheets(found: LeaveOneOut) -> list[Sheet]:
    """All tables: of measures, of runs, of contributors."""
    return [summary_sheet(found), runs_sheet(found), contributors_sheet(found)]


def summary_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each measure: how much scores and ranks change."""
    of = columns(found.summaries)
    return table(
        "summary",
        f"Leave-one-out test, {_compared(found)}: every run is scored without the judgments of "
        f"documents that no other {found.kind} has in its first {found.pool_depth}. Changes of "
        "scores are absolute. τ is Kendall's τ_b between the runs by all judgments and the runs "
        "so scored.",
        of("measure", key=True),
        *each(of, "mean_change", "largest_change"),
        of("largest_change_of", head="of"),
        *each(of, "ranks_changed", "largest_rank_change"),
        of("tau", head="τ"),
    )


def runs_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each run and measure."""
    of = columns(found.results)
    owner = "it" if found.kind == "run" else "its team"
    return table(
        "runs",
        f"Leave-one-out test, {_compared(found)}: the score of each run by all judgments (before) "
        f"and without those of the documents that {owner} alone has in the first "
        f"{found.pool_depth} (after). Ranks are among all runs, those of each other {found.kind} "
        "by all judgments.",
        of("measure", key=True),
        of("contributor", head="team", people=found.kind == "team", key=True),
        of("run", key=True),
        *each(of, "before", "after"),
        of("difference", text=signed),
        of("relative", head="%", text=lambda x: "–" if isnan(x) else f"{100 * x:+.2f}"),
        *each(of, "rank_before", "rank_after"),
    )


def contributors_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each run, or team: what it alone brought."""
    of = columns(found.contributors)
    return table(
        "contributors",
        f"Documents in the first {found.pool_depth} of {_compared(found)}, and those that no other "
        f"{found.kind} has there.",
        of("contributor", lambda one: one.name, found.kind, key=True),
        of("runs", lambda one: len(one.runs), people=found.kind == "team"),
        *each(of, "documents", "unique", "unique_judged", "unique_relevant"),
    )


def _compared(found: LeaveOneOut) -> str:
    of_teams = f" of {counted(len(found.contributors), 'team')} on "
    size = runs_on(len(found.runs), len(found.topics))
    return size if found.kind == "run" else size.replace(" on ", of_teams)


# -- the picture ----------------------------------------------------------------------------------


def picture(found: LeaveOneOut, look: Look = PLAIN) -> Picture:
    """Scores without a run's contributor against scores by all judgments: a point for each run."""
    columns = ("measure", "contributor", "run", "before", "after", "difference")
    data = runs_sheet(found).frame(*columns)
    return Picture(lambda: _scatter(data, found, look), data, found.notices)


def _scatter(data: pl.DataFrame, found: LeaveOneOut, look: Look) -> Any:
    panels = [_panel(data.filter(measure=name), name, found, look) for name in found.measures]
    owner = "the run" if found.kind == "run" else "its team"
    told = [
        f"below the dashed line: lower without what {owner} alone brought to the first "
        f"{found.pool_depth}",
        "names: runs that change most",
    ]
    return charts.panels(panels, 3, look, f"Leave-one-out test: {_compared(found)}", told)


def _panel(data: pl.DataFrame, measure: str, found: LeaveOneOut, look: Look) -> Any:
    how = {"before": "all judgments", "after": f"{found.kind} left out"}
    titles = {name: f"{measure}, {text}" for name, text in how.items()}
    plane = charts.Plane.square(data, titles, SIDE, look)
    told = ["contributor:N", "run:N", *decimals("before", "after", "difference")]
    points = plane.points(told, data["run"])
    if found.kind == "team" and data["contributor"].n_unique() <= MANY:
        apart = charts.told_apart(data["contributor"], "team", look)
        points = points.encode(apart["color"], apart["shape"])
    changed = data.filter(pl.col("difference") != 0)
    most = changed.sort(pl.col("difference").abs(), descending=True).head(NAMED)
    texts = plane.texts(plane.named(most, data, NAMED, plane.on_equal))
    return plane.panel(data, plane.equal(), points, *texts)


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=7,
    name="leave-one-out",
    work=Work(leave_one_out, takes="runs"),
    told=("pool_depth", "kind", "runs", "topics"),
    flat=("runs",),
    measures="AP nDCG@10",
    runs="the runs that made the pool",
    options={
        "--teams FILE": "leave out teams, not runs: lines `run team`, or a table with these "
        "columns",
        "--depth N": "depth of the pool (default: to which all rankings are judged)",
        **options.plot("scores before and after", "the"),
    },
)
