"""Means or differences on slices of topics.

Draw one panel per run: its mean on each slice of topics with a confidence interval. With a
baseline, or for two runs, draw the differences instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite, isnan
from typing import Any, TypeAlias, Unpack

from cranfield.comparison import Comparison, compare
from cranfield.comparison.tables import describe_procedure, describe_slice_procedure
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.attributes import attach_attributes, attach_clusters
from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures import charts, layout
from cranfield.figures.charts import VerticalNames
from cranfield.figures.figure import Figure, alt
from cranfield.figures.theme import Theme
from cranfield.lazy_imports import pl
from cranfield.measures.selection import MeasuresLike
from cranfield.options import option
from cranfield.plot.kinds import Drawing, FigureKind, JudgmentsOrScores, add_drawing_options, build_frame, get_scores
from cranfield.scores import Note, Scores
from cranfield.scores.slices import MIN_TOPICS, summarise_slices
from cranfield.stats.options import build_testing_options
from cranfield.stats.resampling import TRIALS
from cranfield.stats.result import format_p, format_p_statement
from cranfield.tables import format_difference, format_interval, format_percent
from cranfield.wording import format_number

__all__ = ["slices"]

COLUMNS = ("measure", "attribute", "run", "other", "slice", "topics", "value", "low", "high", "pvalue")
ALL_TOPICS = "All topics"
MAX_PANELS = 24
WIDTH, IN_A_ROW = 220.0, 2
TEXT_WIDTH = 27  # characters of a value with its interval
Row: TypeAlias = tuple[Any, ...]


@add_drawing_options
def slices(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    baseline: str | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    **drawing: Unpack[Drawing],
) -> Figure:
    """Plot the means of runs, or the differences of pairs, on slices of topics.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`, or only scores as for `compare`. `by` selects
        the slices.
    baseline
        Plot the differences of all other runs from this run. Default: the differences of two runs,
        or the means of one run or of more than two runs.
    test, correction, alpha, trials
        As for `compare`.

    >>> x = {f"q{i}": i / 10 for i in range(12)}
    >>> by = {topic: "odd" if i % 2 else "even" for i, topic in enumerate(x)}
    >>> figure = slices({"bm25": x}, by=by)
    >>> [(name, round(mean, 4)) for name, mean in figure.data.select("slice", "value").rows()]
    [('even', 0.5), ('odd', 0.6), ('All topics', 0.55)]
    """
    theme, options = Theme.split_options(drawing)
    sampling = {name: options[name] for name in ("seed", "threads") if name in options}
    own: dict[str, Any] = {
        name: options.pop(name) for name in ("by", "queries", "clusters") if runs is None and name in options
    }
    scores = _attach_topics(get_scores(qrels, runs, measures, options), **own)
    if not scores.attributes:
        raise InputError.from_problem("no slices of topics", "Use --by FILE:COLUMN, or by=….")
    has_pairs = len(scores.runs) == 2 or baseline is not None
    settings: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha, "trials": trials} | sampling
    comparison = compare(scores, baseline, **settings) if has_pairs else None
    rows = [*(_list_means(scores, alpha) if comparison is None else _list_differences(comparison))]
    panels = _Panels(scores, comparison, alpha, build_frame(rows, COLUMNS), theme)
    if len(panels.keys) > MAX_PANELS:
        problem = f"{len(panels.keys)} panels of runs, measures and attributes, more than {MAX_PANELS}"
        raise InputError.from_problem(problem, "Select fewer runs, measures or attributes.")
    notes = scores.notes if comparison is None else comparison.notes
    return Figure(panels.draw, panels.data, (*notes, *panels.note_infinite()))


def _attach_topics(scores: Scores, by: Any = None, queries: Any = None, clusters: Any = None) -> Scores:
    scores = scores if by is None else attach_attributes(scores, by, queries)
    return scores if clusters is None else attach_clusters(scores, clusters)


def _list_means(scores: Scores, alpha: float) -> Iterator[Row]:
    """Yield the means of each run on the slices, and over all topics."""
    intervals = scores.interval(confidence=1 - alpha)
    rows = [*summarise_slices(scores, 1 - alpha)]
    for measure, attribute, run in dict.fromkeys((row.measure, row.attribute, row.run) for row in rows):
        for row in rows:
            if (row.measure, row.attribute, row.run) == (measure, attribute, run):
                yield measure, attribute, run, None, row.slice, row.topics, row.mean, row.low, row.high, None
        whole = intervals[run][measure]
        yield measure, attribute, run, None, ALL_TOPICS, whole.n, whole.mean, whole.low, whole.high, None


def _list_differences(comparison: Comparison) -> Iterator[Row]:
    """Yield the differences of each pair on the slices, and on all topics."""
    for pair in comparison.pairs:
        for attribute in comparison.scores.attributes:
            key = pair.measure, attribute, pair.run, pair.other
            for row in comparison.slice_pairs:
                if (row.measure, row.attribute, row.run, row.other) == key:
                    yield *key, row.slice, row.topics, row.difference, row.low, row.high, row.pvalue
            yield *key, ALL_TOPICS, pair.topics, pair.difference, pair.low, pair.high, pair.pvalue


# -- the chart ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Panels:
    """Panels of the figure: one per measure, attribute, and run or pair."""

    scores: Scores
    comparison: Comparison | None
    alpha: float
    data: pl.DataFrame
    theme: Theme

    @property
    def keys(self) -> list[Row]:
        """Measure, attribute, run and other run of each panel."""
        return [*dict.fromkeys(self.data.select(COLUMNS[:4]).rows())]

    def note_infinite(self) -> Iterator[Note]:
        """Note intervals without ends: a test of this size cannot be significant."""
        rows = self.data.filter(pl.col("low").is_infinite())
        if len(rows):
            yield Note("hopeless", f"{len(rows):,} infinite intervals of slices that are too small are not shown")

    def draw(self) -> Any:
        """Draw all panels."""
        keys, width = self.keys, self.theme.width or WIDTH
        several_attributes = len(self.scores.attributes) > 1
        panels = []
        for place, key in enumerate(keys):
            shows_names = several_attributes or place % IN_A_ROW == 0
            panels.append(self._draw_panel(key, self._list_names(key), shows_names, width))
        text_width = self.theme.scale_points(layout.LETTER) * TEXT_WIDTH
        whole_width = self._list_names(keys[0]).compute_width(self.theme) + (width + text_width) * min(len(panels), 2)
        return charts.build_panels(panels, IN_A_ROW, self.theme, "", [*self._build_captions()], whole_width)

    def _select_rows(self, key: Row) -> pl.DataFrame:
        measure, attribute, run, other = key
        rows = self.data.filter(measure=measure, attribute=attribute, run=run)
        return rows if other is None else rows.filter(other=other)

    def _list_names(self, key: Row) -> VerticalNames:
        """List the slices with their numbers of topics, and all topics below a gap."""
        topics = dict(self._select_rows(key).select("slice", "topics").rows())
        names = VerticalNames.from_names([*topics], self.theme)
        labels = {name: f"{label} ({topics[name]:,})" for name, label in names.labels.items()}
        return replace(names, labels=labels)

    def _build_captions(self) -> Iterator[str]:
        sure = format_percent(1 - self.alpha)
        if self.comparison is None:
            kind = "CR2 intervals for other clusters" if self.scores.clusters else "t intervals for other topics"
            yield f"Means on slices of topics (number of topics), with {sure} {kind}."
        else:
            yield (
                f"Differences on slices of topics (number of topics), with {sure} intervals: "
                f"{describe_slice_procedure(self.comparison)}. All topics: {describe_procedure(self.comparison)}."
            )
        yield f"Slices of fewer than {MIN_TOPICS} topics have no interval."

    def _build_title(self, key: Row) -> str:
        """Return the title of a panel, with the p-value of the interaction of a pair."""
        measure, _, run, other = key
        better = self.scores.better[self.scores.measures.index(measure)]
        lower = " (lower is better)" if better == "lower" else ""
        title = f"{run}, {measure}{lower}" if other is None else f"{run} − {other}, {measure}{lower}"
        rows = () if self.comparison is None else self.comparison.interactions
        for row in rows:
            if (row.measure, row.attribute, row.run, row.other) == key:
                title += f" (Welch's test of slices: {format_p_statement(format_p(row.pvalue))})"
        return title

    def _choose_ticks(self, measure: str) -> Sequence[float]:
        """Choose the ticks of all panels of a measure."""
        rows = self.data.filter(measure=measure)
        ends = [x for name in ("value", "low", "high") for x in rows[name] if x is not None and isfinite(x)]
        low, high = min(ends), max(ends)
        if self.comparison is not None:
            low, high = min(0.0, low), max(0.0, high)
        return layout.choose_ticks(low, high if high > low else low + 1.0)

    def _draw_panel(self, key: Row, names: VerticalNames, shows_names: bool, width: float) -> Any:
        """Draw the rows of a run or a pair: intervals, values, texts and the line of all topics."""
        is_difference = self.comparison is not None
        data = self._select_rows(key).drop("pvalue")
        ticks = self._choose_ticks(key[0])
        format_value = format_difference if is_difference else format_number
        sign = "+" if is_difference else ""
        texts = [
            f"{format_value(value)} {format_interval(*_drop_infinite(first, last), sign)}"
            for value, first, last in data.select("value", "low", "high").rows()
        ]
        finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in ("low", "high")]
        rows = names.label_rows(data.with_columns(text=pl.Series(texts, dtype=pl.String)), "slice")
        rows = rows.with_columns(*finite)
        base = alt.Chart().encode(
            names.build_axis(shows_names, grid=False),
            charts.build_axis("x", "value", self._build_title(key), [ticks[0], ticks[-1]], tickCount=5),
        )
        is_whole = f"datum.slice == '{ALL_TOPICS}'"
        tooltip = ["slice:N", "topics:Q", *charts.build_number_tooltips("value", "low", "high")]
        styled = base.encode(color=alt.value(self.theme.colour), tooltip=tooltip)
        thick = alt.condition(is_whole, alt.value(2.5), alt.value(1.5))
        shape = alt.condition(is_whole, alt.value("diamond"), alt.value("circle"))
        size = alt.condition(is_whole, alt.value(90), alt.value(35))
        line = 0.0 if is_difference else float(data.filter(slice=ALL_TOPICS)["value"][0])
        rule = alt.Chart(alt.Data(values=[{"line": line}])).mark_rule(color=charts.GREY, strokeDash=[4, 3])
        layers = [
            rule.encode(alt.X("line:Q")),
            styled.mark_rule().encode(alt.X("low:Q"), alt.X2("high:Q"), strokeWidth=thick),
            styled.mark_point(filled=True, opacity=1).encode(shape=shape, size=size),
            base.mark_text(align="left").encode(alt.Text("text:N"), x=alt.value(width + 8)),
        ]
        return charts.build_panel(rows, *layers, size=(width, names.height))


def _drop_infinite(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """Return the ends of an interval, or None for intervals that are infinite or absent."""
    ends = [x for x in (low, high) if x is not None and not isnan(x) and isfinite(x)]
    return (ends[0], ends[1]) if len(ends) == 2 else (None, None)


FIGURE = FigureKind(
    __doc__,
    place=10,
    function=slices,
    options=(
        option("--by", "FILE:COLUMN", "slices of topics: FILE:COLUMN, length or relevant", name="by", repeat=True),
        option("--queries", "FILE", "queries of topics, for --by length", requires="by"),
        option("--clusters", "FILE:COLUMN", "clusters of topics, such as variations of one need"),
        option(
            "--baseline",
            "RUN",
            "draw the differences of all other runs from this run (default: of two runs, otherwise means)",
        ),
        *build_testing_options(),
    ),
    gallery={"slices": "sim/qrels.txt sim/runs/sys01.txt sim/runs/sys04.txt -m nDCG@10 --by relevant/3"},
)
