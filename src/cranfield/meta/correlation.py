"""Rank correlation of runs between measures or sets of judgments.

Correlate the rankings of runs by every two measures, or the rankings of every measure by two sets
of judgments, with intervals from resampled topics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from cranfield import tables
from cranfield.arrays import Bools, Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.figures import charts, layout
from cranfield.figures.charts import Plane, build_number_tooltips
from cranfield.figures.figure import Figure
from cranfield.figures.layout import shorten_names
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.meta.notes import collect_ranking_notes
from cranfield.meta.rankings import STATISTICS
from cranfield.meta.results import MethodResult, format_summary
from cranfield.runs.overlap import P
from cranfield.scores import Interval, Note, Scores
from cranfield.stats.measure_scores import (
    check_run_count,
    extract_measure,
    find_ranking_measures,
    find_undefined_topics,
    format_reasons,
    get_sign,
    note_excluded,
    note_undefined,
)
from cranfield.stats.resampling import Progress, run_in_chunks
from cranfield.stats.result import check_confidence, check_open_fraction
from cranfield.stats.samples import check_topic_count
from cranfield.wording import format_count, format_names, format_number, suggest_keywords

__all__ = ["CorrelationMatrix", "correlation"]

TRIALS = 1000


@dataclass(frozen=True, eq=False)
class CorrelationMatrix(MethodResult):
    """Rank correlations of the same runs, with intervals.

    `values[i, j]` is the correlation between the measures `names[i]` and `names[j]`. The second is
    the gold ranking of ``tau-ap``. With ``between="sets"``, i is ranked by the other scores and j
    by the first. `low` and `high` are the limits of the intervals, `means` [sets, measures, runs]
    the means that rank the runs. `sets` are the names of the two sets.
    """

    _human_tables = ("matrix",)
    _flat_tables = ("pairs",)
    _settings_names = ("statistic", "p", "confidence", "runs", "topics", "trials", "seed")

    statistic: str
    between: Literal["measures", "sets"]
    names: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    runs: tuple[str, ...]
    topics: int
    means: Floats
    confidence: float
    trials: int
    seed: int
    p: float | None = None
    sets: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        descriptions = [self.statistic, format_count(len(self.runs), "run"), format_count(self.topics, "topic")]
        numbers = {
            self.names[i] if i == j else f"{self.names[i]} – {self.names[j]}": self.values[i, j] for i, j in self.pairs
        }
        return format_summary(self, descriptions, numbers)

    def __getitem__(self, pair: tuple[str, str]) -> Interval:
        """Return the value between two measures as `mean`, with its interval."""
        for name in pair:
            if name not in self.names:
                problem = f"unknown measure {name!r}"
                raise InputError.from_problem(problem, f"Measures: {', '.join(self.names)}.")
        return self._build_interval(*map(self.names.index, pair))

    def _build_interval(self, i: int, j: int) -> Interval:
        low, high, value = (float(x[i, j]) for x in (self.low, self.high, self.values))
        method, n = "bootstrap of topics", self.topics
        return Interval(low, high, value, method, self.confidence, n, self.trials, self.seed)

    @property
    def symmetric(self) -> bool:
        """True if values[i, j] always equals values[j, i]."""
        return self.between == "measures" and not STATISTICS[self.statistic].has_gold

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Informative cells: the diagonal between sets, otherwise pairs of different measures.

        Symmetric statistics have each pair once.
        """
        k = len(self.names)
        if self.between == "sets":
            return [(i, i) for i in range(k)]
        return [(i, j) for i in range(k) for j in range(i + 1 if self.symmetric else 0, k)
                if i != j]  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return a dictionary for each pair: x, y, value, low, high."""
        intervals = [(i, j, self._build_interval(i, j)) for i, j in self.pairs]
        return [
            {"x": self.names[i], "y": self.names[j],
             "value": interval.mean, "low": interval.low, "high": interval.high}
            for i, j, interval in intervals
        ]  # fmt: skip

    def _build_tables(self) -> list[tables.ResultTable]:
        """Return the matrix and the pairs, but only the pairs between two sets."""
        matrix = [] if self.between == "sets" else [build_matrix_table(self)]
        return [*matrix, build_pairs_table(self)]

    def _build_figure(self, theme: Theme = DEFAULT_THEME) -> Figure:
        """Draw a heat map of the matrix or, between two sets, one mean against the other."""
        if self.between == "sets":
            return build_scatter_figure(self, theme)
        data = pl.DataFrame(self.rows())
        return Figure(lambda: _draw_heat_map(self, theme, data), data, self.notes)


@suggest_keywords
def correlation(
    scores: ScoresLike,
    others: ScoresLike | None = None,
    statistic: str = "kendall",
    measures: Sequence[Any] | None = None,
    p: float = P,
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    names: Sequence[str] = ("the first set", "the second set"),
) -> CorrelationMatrix:
    """Correlate the rankings of runs by measures, or by two sets of judgments or topics.

    Runs are ranked by their means over topics, or by geometric means. With `others`, scores of the
    same runs by other judgments or on other topics, every measure is compared between the two sets,
    and `scores` is gold. Without `others`, every measure of `scores` is compared with every other
    measure. `statistic` is ``kendall`` (τ_a), ``kendall-b``, ``tau-ap``, ``tau-ap-symmetric``,
    ``tau-ap-b``, ``spearman`` or ``rbo`` (extrapolated, with `p`): see the functions of these names
    in `cranfield.meta`.

    The interval is a bootstrap interval: the topics of both sets are drawn `trials` times with
    replacement, and runs are ranked and compared each time. Drawn topics repeat, so these rankings
    are noisier and usually agree less than rankings on as many different topics. The quantiles of
    the trials are therefore shifted by (value − mean of the trials), and cut to the range of the
    statistic. The interval is for the expected value of these runs on as many topics, if these
    topics are a random sample. The value on one other topic set varies more. The interval does not
    depend on the other measures.

    The sign of measures with lower is better is reversed. Measures without a direction are
    excluded. Topics with an undefined score in one of the sets are excluded from that measure.
    `notes` list these cases. `scores` and `others` are Scores or anything that `read_scores`
    accepts. Tables and figures call them by `names`.

    Reference: Sakai 2014, Metrics, Statistics, Tests, section 5.2; of the bootstrap, Efron and
    Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.

    >>> scores = Scores(
    ...     values=[[[0.9, 0.8], [0.7, 0.6]], [[0.4, 0.1], [0.6, 0.3]], [[0.2, 0.2], [0.2, 0.4]]],
    ...     runs=["a", "b", "c"], topics=["1", "2"], measures=["AP", "Q"], summaries=["mean"] * 2,
    ... )
    >>> found = correlation(scores)  # AP: a > b > c, Q: a > c > b; topic 1 and topic 2 alone, too
    >>> round(found["AP", "Q"].mean, 4), round(found["AP", "Q"].low, 4)
    (0.3333, 0.3333)
    """
    check_choice("statistic", statistic, STATISTICS)
    check_confidence(confidence)
    sets = [read_scores(side) for side in (scores, others) if side is not None]
    topics = tuple(dict.fromkeys(topic for side in sets for topic in side.topics))
    check_topic_count(len(topics), 2)
    defined_topics, notes = _find_comparable(sets, measures, topics)
    runs, selected = (sets[0].runs, [side.select(sets[0].runs, None, list(defined_topics)) for side in sets])
    defined = np.stack(list(defined_topics.values()), axis=1)  # [topics, k]
    topic_scores = np.stack([_align_topics(side, topics) for side in selected])  # [sets, topics, k, m]
    topic_scores[:, ~defined] = np.nan
    means = np.stack([_compute_means(side, topics, defined) for side in selected])
    ranked = means * np.array([[get_sign(sets[0], m)] for m in defined_topics])
    row = STATISTICS[statistic]
    correlate: Callable[..., Floats] = partial(row, p=check_open_fraction("p", p)) if statistic == "rbo" else row
    values = correlate(ranked[-1], ranked[0])
    notes += _collect_ranking_notes(ranked, list(defined_topics))

    def resample(rng: np.random.Generator, size: int) -> Floats:
        n = len(topics)
        weights = rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
        resampled_means = _compute_weighted_means(topic_scores, weights)  # [sets, trials, k, m]
        return _drop_undefined(
            correlate(resampled_means[-1], resampled_means[0]), resampled_means[-1], resampled_means[0]
        )

    cells = max(len(topics), len(runs) ** 2)  # whatever is asked for: streams belong to chunks
    trial_values = np.concatenate(run_in_chunks(resample, trials, seed, cells, threads, progress))
    low, high = _compute_interval_ends(trial_values, values, confidence).clip(row.least, 1)
    return CorrelationMatrix(
        statistic,
        "measures" if others is None else "sets",
        tuple(defined_topics),
        values,
        low,
        high,
        runs,
        int(defined.any(axis=1).sum()),
        means,
        confidence,
        trials,
        seed,
        p if statistic == "rbo" else None,
        check_two_names(names) if others is not None else (),
        tuple(dict.fromkeys(notes)),
    )


# -- what is compared -----------------------------------------------------------------------------


def check_two_names(names: Sequence[str]) -> tuple[str, str]:
    """Return the names of two sets. Raise an error if they are equal or empty."""
    pair = tuple(map(str, names)) if not isinstance(names, str) else (names,)
    if len(pair) != 2 or pair[0] == pair[1] or not all(name.strip() for name in pair):
        raise InputError(f"names {', '.join(pair)}", "two different names, one for each set")
    return pair[0], pair[1]


def _find_comparable(
    sets: Sequence[Scores], measures: Sequence[Any] | None, topics: Sequence[str]
) -> tuple[dict[str, Bools], list[Note]]:
    """Return the measures that can rank the runs, with the topics on which each is defined.

    Also return the notes about the scores and about the other measures.
    """
    rankable, exclusions = _select_rankable(sets, measures)
    least = 2 if len(sets) == 1 else 1  # measures, and topics of each set
    defined_topics: dict[str, Bools] = {}
    measure_notes: list[Note] = []
    for m in rankable:
        unknown, error_notes = find_undefined_topics(sets, m)
        topic_count = min(len(set(side.topics) - unknown) for side in sets)
        if topic_count < least:
            exclusions.append(note_excluded(m, f"defined for {format_count(topic_count, 'topic')} only"))
            continue
        defined_topics[m] = np.array([topic not in unknown for topic in topics])
        undefined_notes = [note_undefined(m, [topic for topic in topics if topic in unknown])] if unknown else []
        measure_notes += [*error_notes, *undefined_notes]
    if len(defined_topics) < least:
        count = format_count(len(defined_topics), "comparable measure")
        raise InputError(f"{count}{format_reasons(exclusions)}", f"at least {least}")
    if unshared := _find_unshared([sets[0].topics, sets[-1].topics]):
        topic_names = format_names(unshared, "topic")
        text = f"only one set has scores of {topic_names}"
        measure_notes.append(Note("missing-topics", text))
    return defined_topics, [*chain(*(side.notes for side in sets)), *exclusions, *measure_notes]


def _select_rankable(sets: Sequence[Scores], measures: Sequence[Any] | None) -> tuple[list[str], list[Note]]:
    """Return the selected measures that rank the runs. All sets must have them."""
    if unshared := _find_unshared([sets[0].runs, sets[-1].runs]):
        raise InputError(f"{format_names(unshared, 'run')} in only one set of scores", "the same runs in both")
    check_run_count(sets[0])
    selected = [*sets[0].measures] if measures is None else [*map(str, measures)]
    for side in sets:
        if missing := [m for m in selected if m not in side.measures]:
            raise InputError.from_problem(f"no scores of {', '.join(missing)}")
    rankable, exclusions = find_ranking_measures(sets[0], selected)
    return rankable, [*exclusions]


def _find_unshared(name_lists: Sequence[Sequence[str]]) -> list[str]:
    """Return the names that only one of two sets has."""
    unshared = set(name_lists[0]) ^ set(name_lists[1])
    return [name for names in name_lists for name in names if name in unshared]


def _collect_ranking_notes(ranked: Floats, names: Sequence[str]) -> list[Note]:
    return [*chain(*(collect_ranking_notes(dict(zip(names, x, strict=True))) for x in ranked))]


# -- means ----------------------------------------------------------------------------------------


def _compute_means(scores: Scores, topics: Sequence[str], defined: Bools) -> Floats:
    """Return [measures, runs]: the mean of each measure over its defined topics."""
    scored_topics = set(scores.topics)
    means = []
    for measure, is_defined in zip(scores.measures, defined.T, strict=True):
        selected = [topic for topic, ok in zip(topics, is_defined, strict=True) if ok and topic in scored_topics]
        summary = scores.select(None, selected, [measure]).summary()
        means.append([run_means[measure] for run_means in summary.values()])
    return np.array(means)


def _align_topics(scores: Scores, topics: Sequence[str]) -> Floats:
    """Return [topics, measures, runs], higher is better, nan if undefined."""
    place = {topic: t for t, topic in enumerate(scores.topics)}
    source = np.stack([extract_measure(scores, m).values for m in scores.measures], axis=1)
    values = np.full((len(topics), *source.shape[1:]), np.nan)
    rows = [t for t, topic in enumerate(topics) if topic in place]
    values[rows] = source[[place[topics[t]] for t in rows]]
    return values


def _compute_weighted_means(topic_scores: Floats, weights: Floats) -> Floats:
    """Return [sets, trials, measures, runs]: means over drawn topics, nan without a value."""
    sets, topics, k, m = topic_scores.shape
    is_defined = ~np.isnan(topic_scores)
    sums, counts = (
        (weights @ array.reshape(sets, topics, k * m)).reshape(sets, len(weights), k, m)
        for array in (np.where(is_defined, topic_scores, 0.0), is_defined.astype(np.float64))
    )
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def _drop_undefined(values: Floats, x: Floats, y: Floats) -> Floats:
    """Set values to nan if a run of one of the rankings has no mean."""
    a, b = np.isfinite(x).all(axis=-1, keepdims=True), np.isfinite(y).all(axis=-1, keepdims=True)
    return np.where(a & np.swapaxes(b, -1, -2), values, np.nan)


def _compute_interval_ends(trial_values: Floats, values: Floats, confidence: float) -> Floats:
    """Return the limits: quantiles of the trials, shifted so that their mean is the value."""
    trials = np.where(np.isnan(trial_values).all(axis=0), 0.0, trial_values)  # nan again by the values
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    ends = np.nanquantile(trials, tails, axis=0, method="inverted_cdf")  # τ has no others between
    is_defined = ~np.isnan(trials)
    total = np.cumsum(np.where(is_defined, trials, 0.0), axis=0)[-1]  # in order, however many cells
    return np.asarray(ends + (values - total / is_defined.sum(axis=0)))


# -- tables and figures ---------------------------------------------------------------------------

SIDE = 260.0  # a panel of the scatter
MAX_NAMES = 60  # runs whose names are tried to be placed
MOST_PANELS, IN_A_ROW = 12, 3


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


def build_matrix_table(result: CorrelationMatrix) -> tables.ResultTable:
    """Return a matrix of measures, or the upper triangle of a symmetric statistic."""
    pairs = [(row["x"], row["y"]) for row in result.rows()]
    texts = {pair: tables.format_mean_with_interval(result[pair]) for pair in pairs}
    rows, columns = (result.names[: -1 if result.symmetric else None], result.names[result.symmetric :])
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
        *tables.build_constant_columns(tables.read_settings(result, *result._settings_names[2:]), rows),
    )


def build_scatter_figure(result: CorrelationMatrix, theme: Theme = DEFAULT_THEME) -> Figure:
    """Draw the means by two measures, or by two sets: a point for each run.

    There is a panel for each pair of measures, or for each measure.
    """
    if len(result.pairs) > MOST_PANELS:
        problem = f"{len(result.pairs)} pairs of {len(result.names)} measures"
        raise InputError(problem, f"at most {MOST_PANELS} pairs to draw")
    frames = [_build_means_frame(result, i, j) for i, j in result.pairs]
    planes = [_build_plane(result, data, *pair, theme) for data, pair in zip(frames, result.pairs, strict=True)]
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
        return charts.build_panels(panels, IN_A_ROW, theme, _format_heading(result), _format_subtitle(result), wide)

    return Figure(draw, data, (*result.notes, *notes))


def _build_means_frame(result: CorrelationMatrix, i: int, j: int) -> pl.DataFrame:
    """Return the means of the runs by two measures, or by two sets."""
    first, second = (result.means[0][i], result.means[-1][j])
    other_column = {} if result.sets else {"other": result.names[j]}
    rows = zip(result.runs, first.tolist(), second.tolist(), strict=True)
    return pl.DataFrame(
        [{"measure": result.names[i], **other_column, "run": run, "first": x, "second": y} for run, x, y in rows]
    )


def _build_plane(result: CorrelationMatrix, data: pl.DataFrame, i: int, j: int, theme: Theme) -> Plane:
    if result.sets:
        titles = dict(zip(("first", "second"), map("mean by {}".format, result.sets), strict=True))
        return Plane.with_equal_axes(data, titles, SIDE, theme, grid=False)
    titles = {"first": f"mean {result.names[i]}", "second": f"mean {result.names[j]}"}
    axes = [layout.fit_ticks(data[name]) for name in titles]
    return Plane(titles, axes, *theme.choose_size(SIDE, SIDE), theme, style={"grid": False})


def _draw_scatter(result: CorrelationMatrix, plane: Plane, data: pl.DataFrame, i: int, j: int) -> Any:
    tooltip = ["run:N", *build_number_tooltips("first", "second")]
    equal = [plane.draw_diagonal()] if result.sets else []  # above it the second set gives more
    layers = *equal, plane.draw_points(tooltip, data["run"]), *plane.draw_labels(data)
    names = result.names[i], result.names[j]
    subject = names[0] if result.sets else format_title(result)
    return plane.build_panel(data, *layers, title=f"{subject}: {tables.format_mean_with_interval(result[names])}")


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
    columns, rows = (label_list[1:], label_list[:-1]) if result.symmetric else (label_list, label_list)
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
    return charts.finish_chart(chart, theme, _format_heading(result), _format_subtitle(result)).configure_view(
        stroke=None
    )


def _format_heading(result: CorrelationMatrix) -> str:
    return f"{format_title(result)} between {' and '.join(result.sets) or 'measures'}"


def _format_subtitle(result: CorrelationMatrix) -> list[str]:
    """Return the lines below the title."""
    gold = f"{result.sets[0]} is gold" if result.sets else "columns are gold"
    return [_format_counts(result), *([gold] if STATISTICS[result.statistic].has_gold else [])]
