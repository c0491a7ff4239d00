"""What the leave-one-out test found: tables, and the picture of scores before and after."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from cranfield.meta.leave_one_out import POOL_DEPTH, LeaveOneOut, leave_one_out
from cranfield.report import options, places
from cranfield.report.meta import Method, Work
from cranfield.report.options import option
from cranfield.report.pictures import Picture, altair, decimals, rows_of, shortened, told_apart
from cranfield.report.sheets import Sheet, columns, runs_on, settings_of, signed
from cranfield.wording import counted

if TYPE_CHECKING:
    import polars as pl

TABLES = ("summary", "runs", "contributors")
SIDE = 300  # of a panel, in points
COLUMNS = 3
NAMED = 8  # runs, those that change most


def sheets(found: LeaveOneOut) -> list[Sheet]:
    """All tables: of measures, of runs, of contributors."""
    return [summary_sheet(found), runs_sheet(found), contributors_sheet(found)]


def summary_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each measure: how much scores and ranks change."""
    of = columns(found.summaries)
    return Sheet(
        "summary",
        [
            of("measure", key=True),
            of("mean_change"),
            of("largest_change"),
            of("largest_change_of", head="of"),
            of("ranks_changed"),
            of("largest_rank_change"),
            of("tau", head="τ"),
        ],
        f"Leave-one-out test, {_compared(found)}: every run is scored without the judgments of "
        f"documents that no other {found.kind} has in its first {found.pool_depth}. Changes of "
        "scores are absolute. τ is Kendall's τ_b between the runs by all judgments and the runs "
        "so scored.",
    )


def runs_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each run and measure."""
    of = columns(found.results)
    owner = "it" if found.kind == "run" else "its team"
    return Sheet(
        "runs",
        [
            of("measure", key=True),
            of("contributor", head="team", people=found.kind == "team", key=True),
            of("run", key=True),
            of("before"),
            of("after"),
            of("difference", text=signed),
            of("relative", head="%", text=lambda x: "–" if isnan(x) else f"{100 * x:+.2f}"),
            of("rank_before"),
            of("rank_after"),
        ],
        f"Leave-one-out test, {_compared(found)}: the score of each run by all judgments (before) "
        f"and without those of the documents that {owner} alone has in the first "
        f"{found.pool_depth} (after). Ranks are among all runs, those of each other {found.kind} "
        "by all judgments.",
    )  # fmt: skip


def contributors_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each run, or team: what it alone brought."""
    of = columns(found.contributors)
    return Sheet(
        "contributors",
        [
            of("contributor", lambda one: one.name, found.kind, key=True),
            of("runs", lambda one: len(one.runs), people=found.kind == "team"),
            of("documents"),
            of("unique"),
            of("unique_judged"),
            of("unique_relevant"),
        ],
        f"Documents in the first {found.pool_depth} of {_compared(found)}, and those that no other "
        f"{found.kind} has there.",
    )


def settings(found: LeaveOneOut) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    return settings_of(found, "pool_depth", "kind", "runs", "topics")


def _compared(found: LeaveOneOut) -> str:
    topics = len(found.topics)
    if found.kind == "run":
        return runs_on(len(found.runs), topics)
    teams = counted(len(found.contributors), "team")
    return f"{counted(len(found.runs), 'run')} of {teams} on {counted(topics, 'topic')}"


# -- the picture ----------------------------------------------------------------------------------


def picture(found: LeaveOneOut) -> Picture:
    """Scores without a run's contributor against scores by all judgments: a point for each run."""
    columns = ("measure", "contributor", "run", "before", "after", "difference")
    data = runs_sheet(found).frame(*columns)
    return Picture(lambda: _scatter(data, found), data, found.notices)


def _scatter(data: pl.DataFrame, found: LeaveOneOut) -> Any:
    alt = altair()
    panels = [_panel(data.filter(measure=name), name, found) for name in found.measures]
    owner = "the run" if found.kind == "run" else "its team"
    chart = alt.concat(*panels, columns=COLUMNS).properties(
        title={
            "text": f"Leave-one-out test: {_compared(found)}",
            "subtitle": [
                f"below the dashed line: lower without what {owner} alone brought to the first "
                f"{found.pool_depth}",
                "names: runs that change most",
            ],
            "offset": 12,
        }
    )
    return places.finished(chart, "")


def _panel(data: pl.DataFrame, measure: str, found: LeaveOneOut) -> Any:
    alt = altair()
    ticks = places.around_all([*data["before"], *data["after"]])
    scale = alt.Scale(domain=[ticks[0], ticks[-1]], nice=False, zero=False)
    axis = alt.Axis(values=ticks, labelOverlap=True, labelFlush=False)
    x = alt.X("before:Q", title=f"{measure}, all judgments", scale=scale, axis=axis)
    y = alt.Y("after:Q", title=f"{measure}, {found.kind} left out", scale=scale, axis=axis)
    rows = [{"before": end, "after": end} for end in (ticks[0], ticks[-1])]
    same = alt.Chart(alt.Data(values=rows)).mark_line(color="#b0b0b0", strokeDash=[4, 3])
    names = list(dict.fromkeys(data["contributor"]))
    tooltip = ["contributor:N", "run:N", *decimals("before", "after", "difference")]
    points = alt.Chart(rows_of(data)).mark_point(filled=True, color="#0072B2", opacity=0.8)
    encoded = points.encode(x, y, tooltip=tooltip)
    if found.kind == "team" and len(names) <= 8:
        apart = told_apart("contributor", names, "team")
        encoded = encoded.encode(color=apart["color"], shape=apart["shape"])
    texts = places.texts_at(alt.Chart().encode(x, y), _named(data, ticks))
    return alt.layer(same.encode(x, y), encoded, *texts).properties(width=SIDE, height=SIDE)


def _named(data: pl.DataFrame, ticks: Sequence[float]) -> pl.DataFrame:
    """The runs that change most, with labels and places beside their points and others."""
    import polars as pl

    side, axes = float(SIDE), (list(ticks), list(ticks))
    taken = [
        places.around(at, 5)
        for at in places.points_at(data["before"], data["after"], axes, side, side)
    ]
    changed = data.filter(pl.col("difference") != 0)
    most = changed.sort(pl.col("difference").abs(), descending=True).head(NAMED)
    at = places.points_at(most["before"], most["after"], axes, side, side)
    labels = shortened(most["run"].to_list(), 16)
    chosen = places.places_for(at, labels, side, side, taken)
    return most.with_columns(
        pl.Series("label", labels, pl.String), pl.Series("place", chosen, pl.String)
    )


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    place=7,
    name="leave-one-out",
    help="are runs that did not contribute to the pool scored as they should be?",
    description="The leave-one-out test. Each run, or team, is left out in turn: its runs are "
    "scored without the judgments of documents that nobody else had in the pool. If scores and "
    "ranks hardly change, the collection can be used for runs that were not pooled.",
    work=Work(leave_one_out, takes="runs"),
    result=LeaveOneOut,
    flat=("runs",),
    measures="AP nDCG@10",
    runs="the runs that made the pool",
    options=(
        option(
            "--teams", metavar="FILE",
            help="leave out teams, not runs: lines `run team`, or a table with these columns",
        ),
        option(
            "--pool-depth", type="count", metavar="K", default=POOL_DEPTH,
            help=f"how many documents of each list were judged (default: {POOL_DEPTH})",
        ),
        options.plot("scores before and after", "the", below=True),
    ),
)  # fmt: skip
