"""Who found the relevant documents, and how deep must a pool be for them?

Draw the share of all relevant documents known that are in the first d documents, by depth d: of
all runs together, and of each team, or run if teams are not told.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.data.tracks import TeamsLike
from cranfield.evaluation.evaluate import RunsLike
from cranfield.late import pl
from cranfield.meta.contributions import Found, RelevantFound, relevant_found
from cranfield.plot.kinds import Drawing, Figure, frame, shows_drawing
from cranfield.report import by_rank, charts
from cranfield.report.by_rank import Lines
from cranfield.report.look import Look
from cranfield.report.pictures import Picture, alt
from cranfield.report.sheets import topics_text
from cranfield.wording import counted

__all__ = ["pool"]


@shows_drawing
def pool(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    teams: TeamsLike = None,
    cutoffs: Iterable[int] | None = None,
    **drawing: Unpack[Drawing],
) -> Picture:
    """A figure of the relevant documents found by depth: by all runs together, and by each team.

    qrels, runs
        Judgments and runs, as `evaluate` takes them.
    teams
        Whose the runs are: ``{run: team}``, a path or a frame. Else every run is by itself.
    cutoffs
        The depths, round ones down to the end of the longest list if not given.

    The data also have the numbers of documents, and of those that nobody else has down to this
    depth. Of more than eight teams those that find most have names.

    >>> runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["c", "a"]}}
    >>> picture = pool({"1": {"a": 1, "b": 1, "c": 0}}, runs, cutoffs=[2])
    >>> picture.data.select("name", "relevant", "share", "unique").rows()
    [('all', 2, 1.0, None), ('x', 2, 1.0, 1), ('y', 1, 0.5, 0)]
    >>> picture.save("pool.pdf")  # doctest: +SKIP
    """
    look, given = Look.of(drawing)
    found = relevant_found(qrels, runs, cutoffs, teams=teams, **given)
    data = frame(found.rows, Found._fields).with_columns(pl.col("unique").cast(pl.Int64))
    noun = data["kind"][-1]
    deepest = data.filter(pl.col("depth") == data["depth"].max(), pl.col("kind") == noun)
    lines = Lines.of(dict(deepest.select("name", "relevant").rows()), look)
    told = [f"Relevant documents of {topics_text([found.topics])}."]
    told += lines.told("that find most", noun)
    notices = (*found.notices, *lines.notices(noun))
    return Picture(lambda: _chart(found, data, lines, told, look), data, notices)


def _chart(
    found: RelevantFound, data: pl.DataFrame, lines: Lines, told: list[str], look: Look
) -> Any:
    noun = data["kind"][-1]
    drawn = data.with_columns(at=pl.col("depth"), value=pl.col("share"), line=pl.col("name"))
    each, every = drawn.filter(kind=noun), drawn.filter(kind="all")
    depths = data["depth"].to_list()
    x = by_rank.rank_axis(min(depths), max(depths), "depth", look)
    y = by_rank.value_axis(drawn, f"share of {counted(found.relevant, 'relevant document')}")
    counts = [alt.Tooltip(f"{name}:Q", format=",") for name in ("relevant", "unique")]
    tooltip = ["name:N", "depth:Q", *counts, *charts.decimals("share")]
    several = len(lines.labels) > 1
    broad = by_rank.outline(every, f"all {noun}s", x, y, tooltip, look) if several else []
    panel = by_rank.panel(each, lines, x, y, tooltip, look, *broad)
    return by_rank.figure([panel], 1, look, told)


FIGURE = Figure(
    __doc__,
    place=9,
    function=pool,
    takes="runs",
    measures="",
    options={
        "--teams FILE": "whose the runs are: lines `run team`, or a table with these columns",
        "--cutoffs X,X,…": "the depths (default: round ones down to the end of the longest list)",
    },
    gallery={"pool": ""},
)
