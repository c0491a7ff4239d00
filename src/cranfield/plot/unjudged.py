"""How much of what runs return was judged, and down to which rank?

Draw the share of documents that are judged, rank by rank, a line for each run: where it is low,
scores rest on guesses. Lists that end above a rank do not count there.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import nan, sqrt
from typing import Any, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.errors import InputError
from cranfield.evaluation.cutoffs import Judged, judged_by_rank
from cranfield.evaluation.evaluate import RunsLike
from cranfield.late import pl
from cranfield.plot.kinds import Drawing, Figure, frame, shows_drawing
from cranfield.report import by_rank, charts
from cranfield.report.by_rank import Lines
from cranfield.report.look import Look
from cranfield.report.pictures import Picture, alt
from cranfield.report.sheets import topics_text

__all__ = ["unjudged"]


@shows_drawing
def unjudged(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    cutoffs: Iterable[int] | None = None,
    cumulative: bool = False,
    **drawing: Unpack[Drawing],
) -> Picture:
    """A figure of the share of documents that are judged, by rank, a line for each run.

    qrels, runs
        Judgments and runs, as `evaluate` takes them.
    cutoffs
        The last ranks of groups of ranks: every rank of short lists, else 1, 2, 3, 5, 7, 10, 15, …
        down to the end of the longest list, if not given.
    cumulative
        Draw Judged@k, the mean over topics of the judged share of the first k documents. Else it
        is the share of the documents of all topics at these ranks alone; lists that have ended
        above do not count.

    The data also have the share of relevant documents at these ranks. Of more than eight runs those
    of which least is judged have names.

    >>> picture = unjudged({"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "b"]})
    >>> picture.data.select("last", "judged", "judged_to").rows()
    [(1, 1.0, 1.0), (2, 0.0, 0.5), (3, 1.0, 0.6666666666666666)]
    >>> picture.save("unjudged.pdf")  # doctest: +SKIP
    """
    look, given = Look.of(drawing)
    rows, scores = judged_by_rank(qrels, runs, cutoffs, **given)
    data = frame(rows, Judged._fields).with_columns(pl.col("judged", "relevant").cast(pl.Float64))
    if not data["documents"].sum():
        raise InputError("no document in the lists of the runs", "some")
    shown = "judged_to" if cumulative else "judged"
    means = data.group_by("run", maintain_order=True).agg(pl.col(shown).mean())
    lines = Lines.of({run: nan if mean is None else -mean for run, mean in means.rows()}, look)
    of = topics_text([len(scores.topics)])
    ended = "; lists that end above a rank do not count there"
    told = [
        f"Means over {of}." if cumulative else f"Documents of {of}{ended}.",
        *lines.told("of which least is judged", "run"),
    ]
    notices = (*scores.notices, *lines.notices("run"))
    return Picture(lambda: _chart(data, lines, told, shown, look), data, notices)


def _chart(data: pl.DataFrame, lines: Lines, told: list[str], shown: str, look: Look) -> Any:
    ends = data["last"].unique().sort().to_list()
    first = ends[0] if shown == "judged_to" else 1
    log = by_rank.is_log(first, ends[-1])
    middle = [sqrt(a * b) if log else (a + b) / 2 for a, b in data.select("first", "last").rows()]
    at = data["last"] if shown == "judged_to" else pl.Series(middle)
    drawn = data.with_columns(at=at, value=pl.col(shown), line=pl.col("run"))
    titles = {"judged": ("rank", "judged share"), "judged_to": ("cutoff k", "Judged@k")}
    x = by_rank.rank_axis(first, ends[-1], titles[shown][0], look)
    y = charts.axis("y", "value", titles[shown][1], [0.0, 1.0], tickCount=5)
    numbers = charts.decimals("judged", "relevant", "judged_to")
    tooltip = ["run:N", "first:Q", "last:Q", alt.Tooltip("documents:Q", format=","), *numbers]
    panel = by_rank.panel(drawn, lines, x, y, tooltip, look)
    return by_rank.figure([panel], 1, look, told)


FIGURE = Figure(
    __doc__,
    place=8,
    function=unjudged,
    takes="runs",
    measures="",
    options={
        "--cutoffs X,X,…": "the last ranks of groups of ranks (default: round ones down to the end "
        "of the longest list)",
        "--cumulative": "Judged@k: the first k documents, not those at some ranks alone",
    },
    gallery={"unjudged": ""},
)
