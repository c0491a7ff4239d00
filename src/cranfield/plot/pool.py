"""Relevant documents by pool depth, and the teams that retrieve them.

Draw the fraction of all known relevant documents in the first d documents, by depth d: for all runs
together, and for each team. Without teams, there is one line per run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.data.tracks import TeamsLike
from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, rank_charts
from cranfield.figures.figure import Figure, alt
from cranfield.figures.rank_charts import NamedLines
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.meta.contributions import RelevantCount, RelevantCounts, count_relevant
from cranfield.options import option
from cranfield.plot.kinds import Drawing, FigureKind, add_drawing_options, build_frame
from cranfield.tables import format_topics
from cranfield.wording import format_count

__all__ = ["pool"]


@add_drawing_options
def pool(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    teams: TeamsLike = None,
    cutoffs: Iterable[int] | None = None,
    **drawing: Unpack[Drawing],
) -> Figure:
    """Plot the relevant documents by depth: of all runs together, and of each team.

    qrels, runs
        Judgments and runs as for `evaluate`.
    teams
        Teams of the runs: ``{run: team}``, a path or a frame. By default every run is separate.
    cutoffs
        Depths. Default: round depths up to the end of the longest ranking.

    The data also have the number of documents, and the number of documents that no other team has
    up to this depth. If there are more than eight teams, only the teams with the most relevant
    documents have labels.

    >>> runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["c", "a"]}}
    >>> picture = pool({"1": {"a": 1, "b": 1, "c": 0}}, runs, cutoffs=[2])
    >>> picture.data.select("name", "relevant", "share", "unique").rows()
    [('all', 2, 1.0, None), ('x', 2, 1.0, 1), ('y', 1, 0.5, 0)]
    >>> picture.save("pool.pdf")  # doctest: +SKIP
    """
    theme, evaluate_options = Theme.split_options(drawing)
    result = count_relevant(qrels, runs, cutoffs, teams=teams, **evaluate_options)
    data = build_frame(result.rows, RelevantCount._fields).with_columns(pl.col("unique").cast(pl.Int64))
    noun = data["kind"][-1]
    deepest = data.filter(pl.col("depth") == data["depth"].max(), pl.col("kind") == noun)
    lines = NamedLines.from_values(dict(deepest.select("name", "relevant").rows()), theme)
    captions = [f"Relevant documents of {format_topics([result.topics])}."]
    captions += lines.describe_names("with the most relevant documents", noun)
    notes = (*result.notes, *lines.collect_notes(noun))
    return Figure(lambda: _draw_chart(result, data, lines, captions, theme), data, notes)


def _draw_chart(
    result: RelevantCounts, data: pl.DataFrame, lines: NamedLines, captions: list[str], theme: Theme
) -> Any:
    noun = data["kind"][-1]
    plot_data = data.with_columns(at=pl.col("depth"), value=pl.col("share"), line=pl.col("name"))
    owner_data, pooled_data = plot_data.filter(kind=noun), plot_data.filter(kind="all")
    depths = data["depth"].to_list()
    x = rank_charts.build_rank_axis(min(depths), max(depths), "depth", theme)
    y = rank_charts.build_value_axis(plot_data, f"fraction of {format_count(result.relevant, 'relevant document')}")
    counts = [alt.Tooltip(f"{name}:Q", format=",") for name in ("relevant", "unique")]
    tooltip = ["name:N", "depth:Q", *counts, *charts.build_number_tooltips("share")]
    has_several = len(lines.labels) > 1
    broad = rank_charts.draw_outline(pooled_data, f"all {noun}s", x, y, tooltip, theme) if has_several else []
    panel = rank_charts.draw_panel(owner_data, lines, x, y, tooltip, theme, *broad)
    return rank_charts.combine_panels([panel], 1, theme, captions)


FIGURE = FigureKind(
    __doc__,
    place=9,
    function=pool,
    takes="runs",
    measures="",
    options=(
        option("--teams", "FILE", "teams of the runs: lines `run team`, or a table with these columns"),
        option(
            "--cutoffs", "X,X,…", "depths (default: round depths up to the end of the longest ranking)", value="numbers"
        ),
    ),
    gallery={"pool": ""},
)
