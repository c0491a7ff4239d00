"""Fraction of judged documents by rank.

Draw the fraction of documents that are judged at each rank, one line per run. Where it is low,
scores are uncertain. Rankings that end above a rank do not count at that rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import nan, sqrt
from typing import Any, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.errors import InputError
from cranfield.evaluation.cutoffs import JudgedRange, compute_judged_by_rank
from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, rank_charts
from cranfield.figures.figure import Figure, alt
from cranfield.figures.rank_charts import NamedLines
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.options import option, switch
from cranfield.plot.kinds import Drawing, FigureKind, add_drawing_options, build_frame
from cranfield.tables import format_topics

__all__ = ["unjudged"]


@add_drawing_options
def unjudged(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    cutoffs: Iterable[int] | None = None,
    cumulative: bool = False,
    **drawing: Unpack[Drawing],
) -> Figure:
    """Plot the fraction of documents that are judged, by rank: one line per run.

    qrels, runs
        Judgments and runs as for `evaluate`.
    cutoffs
        Last ranks of groups of ranks. Default: every rank of short rankings, else 1, 2, 3, 5, 7,
        10, 15, … up to the end of the longest ranking.
    cumulative
        Draw Judged@k, the mean over topics of the judged fraction of the first k documents. By
        default, draw the fraction of the documents of all topics at these ranks. Rankings that have
        ended above do not count.

    The data also have the fraction of relevant documents at these ranks. If there are more than
    eight runs, only the runs with the fewest judged documents have labels.

    >>> picture = unjudged({"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "b"]})
    >>> picture.data.select("last", "judged", "judged_to").rows()
    [(1, 1.0, 1.0), (2, 0.0, 0.5), (3, 1.0, 0.6666666666666666)]
    >>> picture.save("unjudged.pdf")  # doctest: +SKIP
    """
    theme, evaluate_options = Theme.split_options(drawing)
    rows, scores = compute_judged_by_rank(qrels, runs, cutoffs, **evaluate_options)
    data = build_frame(rows, JudgedRange._fields).with_columns(pl.col("judged", "relevant").cast(pl.Float64))
    if not data["documents"].sum():
        raise InputError.from_problem("the runs have no documents")
    column = "judged_to" if cumulative else "judged"
    means = data.group_by("run", maintain_order=True).agg(pl.col(column).mean())
    lines = NamedLines.from_values({run: nan if mean is None else -mean for run, mean in means.rows()}, theme)
    topics_label = format_topics([len(scores.topics)])
    ended = "Rankings that end above a rank do not count there"
    captions = [
        f"Means over {topics_label}." if cumulative else f"Documents of {topics_label}. {ended}.",
        *lines.describe_names("with the fewest judged documents", "run"),
    ]
    notes = (*scores.notes, *lines.collect_notes("run"))
    return Figure(lambda: _draw_chart(data, lines, captions, column, theme), data, notes)


def _draw_chart(data: pl.DataFrame, lines: NamedLines, captions: list[str], column: str, theme: Theme) -> Any:
    ends = data["last"].unique().sort().to_list()
    first = ends[0] if column == "judged_to" else 1
    log = rank_charts.is_logarithmic(first, ends[-1])
    middle = [sqrt(a * b) if log else (a + b) / 2 for a, b in data.select("first", "last").rows()]
    positions = data["last"] if column == "judged_to" else pl.Series(middle)
    plot_data = data.with_columns(at=positions, value=pl.col(column), line=pl.col("run"))
    titles = {"judged": ("rank", "fraction judged"), "judged_to": ("cutoff k", "Judged@k")}
    x = rank_charts.build_rank_axis(first, ends[-1], titles[column][0], theme)
    y = charts.build_axis("y", "value", titles[column][1], [0.0, 1.0], tickCount=5)
    numbers = charts.build_number_tooltips("judged", "relevant", "judged_to")
    tooltip = ["run:N", "first:Q", "last:Q", alt.Tooltip("documents:Q", format=","), *numbers]
    panel = rank_charts.draw_panel(plot_data, lines, x, y, tooltip, theme)
    return rank_charts.combine_panels([panel], 1, theme, captions)


FIGURE = FigureKind(
    __doc__,
    place=8,
    function=unjudged,
    takes="runs",
    measures="",
    options=(
        option(
            "--cutoffs",
            "X,X,…",
            "last ranks of groups of ranks (default: round ranks up to the end of the longest ranking)",
            value="numbers",
        ),
        switch("--cumulative", "Judged@k: the first k documents, not only some ranks"),
    ),
    gallery={"unjudged": ""},
)
