"""What the leave-one-out test found: tables, and the picture of scores before and after."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from cranfield.meta.leave_one_out import LeaveOneOut
from cranfield.report.pictures import Picture, altair, rows_of, shortened, told_apart
from cranfield.report.places import (
    around,
    around_all,
    finished,
    places_for,
    points_at,
    texts_at,
)
from cranfield.report.sheets import Field, Sheet, runs_on, signed
from cranfield.wording import counted

if TYPE_CHECKING:
    import polars as pl

TABLES = ("summary", "runs", "contributors")
SIDE = 300  # of a panel, in points
COLUMNS = 3
NAMED = 8  # runs, those that change most


def summary_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each measure: how much scores and ranks change."""
    made = found.summaries
    return Sheet(
        "summary",
        [
            Field("measure", [s.measure for s in made], key=True),
            Field("mean_change", [s.mean_change for s in made]),
            Field("largest_change", [s.largest_change for s in made]),
            Field("largest_change_of", [s.largest_change_of for s in made], "of"),
            Field("ranks_changed", [s.ranks_changed for s in made]),
            Field("largest_rank_change", [s.largest_rank_change for s in made]),
            Field("tau", [s.tau for s in made], "τ"),
        ],
        f"Leave-one-out test, {_compared(found)}: every run is scored without the judgments of "
        f"documents that no other {found.kind} has in its first {found.pool_depth}. Changes of "
        "scores are absolute. τ is Kendall's τ_b between the runs by all judgments and the runs "
        "so scored.",
    )


def runs_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each run and measure."""
    made = found.results
    relative = [one.relative for one in made]
    owner = "it" if found.kind == "run" else "its team"
    return Sheet(
        "runs",
        [
            Field("measure", [one.measure for one in made], key=True),
            Field("contributor", [one.contributor for one in made], "team",
                  people=found.kind == "team", key=True),
            Field("run", [one.run for one in made], key=True),
            Field("before", [one.before for one in made]),
            Field("after", [one.after for one in made]),
            Field("difference", [one.difference for one in made],
                  texts=[signed(one.difference) for one in made]),
            Field("relative", relative, "%",
                  ["–" if isnan(value) else f"{100 * value:+.2f}" for value in relative]),
            Field("rank_before", [one.rank_before for one in made]),
            Field("rank_after", [one.rank_after for one in made]),
        ],
        f"Leave-one-out test, {_compared(found)}: the score of each run by all judgments (before) "
        f"and without those of the documents that {owner} alone has in the first "
        f"{found.pool_depth} (after). Ranks are among all runs, those of each other {found.kind} "
        "by all judgments.",
    )  # fmt: skip


def contributors_sheet(found: LeaveOneOut) -> Sheet:
    """A row for each run, or team: what it alone brought."""
    made = found.contributors
    return Sheet(
        "contributors",
        [
            Field("contributor", [one.name for one in made], found.kind, key=True),
            Field("runs", [len(one.runs) for one in made], people=found.kind == "team"),
            Field("documents", [one.documents for one in made]),
            Field("unique", [one.unique for one in made]),
            Field("unique_judged", [one.unique_judged for one in made]),
            Field("unique_relevant", [one.unique_relevant for one in made]),
        ],
        f"Documents in the first {found.pool_depth} of {_compared(found)}, and those that no other "
        f"{found.kind} has there.",
    )


def settings(found: LeaveOneOut) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    return {
        "pool_depth": found.pool_depth,
        "kind": found.kind,
        "runs": len(found.runs),
        "topics": len(found.topics),
    }


def _compared(found: LeaveOneOut) -> str:
    topics = len(found.topics)
    if found.kind == "run":
        return runs_on(len(found.runs), topics)
    teams = counted(len(found.contributors), "team")
    return f"{counted(len(found.runs), 'run')} of {teams} on {counted(topics, 'topic')}"


def picture(found: LeaveOneOut) -> Picture:
    """Scores without a run's contributor against scores by all judgments: a point for each run."""
    import polars as pl

    data = pl.DataFrame(
        {
            name: [getattr(one, name) for one in found.results]
            for name in ("measure", "contributor", "run", "before", "after", "difference")
        }
    )
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
    return finished(chart, "")


def _panel(data: pl.DataFrame, measure: str, found: LeaveOneOut) -> Any:
    alt = altair()
    ticks = around_all([*data["before"], *data["after"]])
    scale = alt.Scale(domain=[ticks[0], ticks[-1]], nice=False, zero=False)
    axis = alt.Axis(values=ticks, labelOverlap=True, labelFlush=False)
    x = alt.X("before:Q", title=f"{measure}, all judgments", scale=scale, axis=axis)
    y = alt.Y("after:Q", title=f"{measure}, {found.kind} left out", scale=scale, axis=axis)
    rows = [{"before": end, "after": end} for end in (ticks[0], ticks[-1])]
    same = alt.Chart(alt.Data(values=rows)).mark_line(color="#b0b0b0", strokeDash=[4, 3])
    names = list(dict.fromkeys(data["contributor"]))
    tooltip = ["contributor:N", "run:N"]
    tooltip += [alt.Tooltip(f"{n}:Q", format=".4f") for n in ("before", "after", "difference")]
    points = alt.Chart(rows_of(data)).mark_point(filled=True, color="#0072B2", opacity=0.8)
    encoded = points.encode(x, y, tooltip=tooltip)
    if found.kind == "team" and len(names) <= 8:
        apart = told_apart("contributor", names, "team")
        encoded = encoded.encode(color=apart["color"], shape=apart["shape"])
    texts = texts_at(alt.Chart().encode(x, y), _named(data, ticks))
    return alt.layer(same.encode(x, y), encoded, *texts).properties(width=SIDE, height=SIDE)


def _named(data: pl.DataFrame, ticks: Sequence[float]) -> pl.DataFrame:
    """The runs that change most, with labels and places beside their points and others."""
    import polars as pl

    side, axes = float(SIDE), (list(ticks), list(ticks))
    taken = [around(at, 5) for at in points_at(data["before"], data["after"], axes, side, side)]
    changed = data.filter(pl.col("difference") != 0)
    most = changed.sort(pl.col("difference").abs(), descending=True).head(NAMED)
    at = points_at(most["before"], most["after"], axes, side, side)
    labels = shortened(most["run"].to_list(), 16)
    places = places_for(at, labels, side, side, taken)
    return most.with_columns(
        pl.Series("label", labels, pl.String), pl.Series("place", places, pl.String)
    )
