"""Stability of rankings on fewer topics, or with fewer judgments.

Rank runs on random samples of the topics, or with random parts of the judgments, and compare these
rankings with the ranking on all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from cranfield import tables
from cranfield.arrays import Bools, Floats
from cranfield.data.qrels import QrelsLike
from cranfield.data.run_inputs import RunLike
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice, check_number
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.figures import charts
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.meta.notes import collect_ranking_notes
from cranfield.meta.rankings import STATISTICS
from cranfield.meta.results import MethodResult, format_summary
from cranfield.meta.sizes import check_sizes, to_nonempty_list
from cranfield.scores import Note
from cranfield.stats.measure_scores import split_by_measure
from cranfield.stats.resampling import CELLS, Progress, run_in_chunks
from cranfield.stats.result import check_confidence
from cranfield.stats.samples import Matrix
from cranfield.wording import format_count, format_names, suggest_keywords

__all__ = ["Stability", "stability", "stability_of_judgments"]

TRIALS = 1000
TRIALS_OF_JUDGMENTS = 20
ROUNDING = 1e-9  # of a judgment: 0.7 · 10 is 7
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)

Against: TypeAlias = Literal["all", "others"]


@dataclass(frozen=True)
class StabilityPoint:
    """Mean correlation of rankings over trials.

    `size` is the number of topics in a sample, or the fraction of the judgments. `low` and `high`
    enclose the fraction of trials given by the confidence, the rest equally divided.
    """

    measure: str
    size: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Stability(MethodResult):
    """Correlations of rankings of the same runs, by measure and sample size.

    ``result["AP"]`` are the points of AP, the smallest sample first. The ranking by a sample is
    compared with the ranking by ``against="all"`` topics or judgments, or by as many ``"others"``.
    """

    _human_tables = ("sizes",)
    _flat_tables = ("points",)
    _settings_names = (
        "sampled",
        "statistic",
        "against",
        "replacement",
        "confidence",
        "runs",
        "topics",
        "trials",
        "seed",
    )

    sampled: Literal["topics", "judgments"]
    statistic: str
    against: Against
    points: tuple[StabilityPoint, ...]
    runs: tuple[str, ...]
    topics: int
    confidence: float
    trials: int
    seed: int
    replacement: bool = False
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        descriptions = [self.statistic, format_count(len(self.runs), "run"), f"samples of {self.sampled}"]
        return format_summary(self, descriptions, {f"{x.measure} at {x.size:g}": x.mean for x in self.points})

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures with points."""
        return tuple(dict.fromkeys(point.measure for point in self.points))

    def __getitem__(self, measure: object) -> tuple[StabilityPoint, ...]:
        points = tuple(point for point in self.points if point.measure == str(measure))
        if not points:
            problem = f"unknown measure {str(measure)!r}"
            raise InputError.from_problem(problem, f"Measures: {', '.join(self.measures)}.")
        return points

    def _build_tables(self) -> list[tables.ResultTable]:
        """Return sizes against measures, and a row for each measure and size."""
        sizes = sorted({point.size for point in self.points})
        cells = {(p.measure, p.size): tables.format_mean_with_interval(p) for p in self.points}
        fields = tables.build_grid_columns(sizes, self.measures, lambda n, name: cells.get((name, n), "–"))
        key = tables.Field(_format_size_unit(self), None, texts=[f"{size:g}" for size in sizes], key=True)
        return [tables.ResultTable("sizes", [key, *fields], format_caption(self)), _build_points_table(self)]

    def _build_figure(self, theme: Theme = DEFAULT_THEME) -> Figure:
        """Plot the mean of the statistic against the sample size, one line per measure.

        Few measures have their intervals as bands.
        """
        data = _build_points_table(self).to_frame("measure", "size", "mean", "low", "high")
        return Figure(lambda: _draw_chart(self, theme, data), data, self.notes)


# -- of topics ------------------------------------------------------------------------------------


@suggest_keywords
def stability(
    scores: ScoresLike,
    sizes: int | Sequence[int] | None = None,
    statistic: str = "kendall",
    against: Against = "all",
    replacement: bool = False,
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Stability:
    """Correlate rankings of runs on samples of topics, by the number of topics.

    In each trial, topics are drawn at random, by default without `replacement`, and runs are ranked
    by their means on them. `statistic` compares this ranking with the ranking by ``all`` topics, or
    by as many ``others``, which are disjoint (sizes are then at most half of the topics). See
    `correlation` for the statistics: ``kendall`` (τ_a), ``kendall-b``, ``tau-ap``, … Runs that are
    tied on all topics keep τ_a below 1.

    Large samples share most topics with each other and with all topics. Their rankings agree for
    this reason. Topics are assumed to be a random sample. All measures use the same samples. For
    measures with lower is better, and for undefined scores, see `discriminative_power`.

    Reference: Buckley and Voorhees 2000, Evaluating evaluation measure stability, SIGIR; Sakai
    2014, Metrics, Statistics, Tests, section 5.

    >>> scores = {"a": {"1": 0.5, "2": 0.4}, "b": {"1": 0.2, "2": 0.3}, "c": {"1": 0.3, "2": 0.1}}
    >>> found = stability(scores, [1, 2])["score"]  # a > b > c; 1: a > c > b, τ = 1/3; 2: τ = 1
    >>> found[0].low == 1 / 3, found[0].high, found[1].mean
    (True, 1.0, 1.0)
    """
    correlate = _get_statistic(statistic, confidence)
    if against not in get_args(Against):
        raise InputError(f"against={against!r}", "'all' or 'others'")
    if against == "others" and replacement:
        raise InputError.from_problem("disjoint samples cannot be drawn with replacement")
    matrices, notes = split_by_measure(read_scores(scores))
    measure_sizes = {m: _choose_sizes(sizes, x, m, against) for m, x in matrices.items()}
    points: list[StabilityPoint] = []
    for measure, matrix in matrices.items():
        (n, m), selected = matrix.values.shape, measure_sizes[measure]
        trial = _make_trial(matrix, selected, correlate, against, replacement)
        chunks = run_in_chunks(trial, trials, seed, max(n, 2 * m * m), threads, progress)
        trial_values = np.concatenate(chunks, axis=1)
        points += [_compute_point(measure, s, x, confidence) for s, x in zip(selected, trial_values, strict=True)]
    size, notes = (
        (*_get_runs_and_topics(matrices), confidence, trials, seed),
        (*notes, *_collect_ranking_notes(matrices)),
    )
    return Stability("topics", statistic, against, tuple(points), *size, replacement, notes)


def _get_runs_and_topics(matrices: Mapping[str, Matrix]) -> tuple[tuple[str, ...], int]:
    """Return the runs, and the number of topics on which a measure is defined."""
    matrix_list = list(matrices.values())
    return matrix_list[0].systems, max(len(matrix.topics) for matrix in matrix_list)


def _get_statistic(statistic: str, confidence: float) -> Callable[..., Floats]:
    check_confidence(confidence)
    check_choice("statistic", statistic, STATISTICS)
    return STATISTICS[statistic]


def _choose_sizes(sizes: int | Sequence[int] | None, matrix: Matrix, measure: str, against: Against) -> list[int]:
    """Return the requested sizes, or ten."""
    maximum = len(matrix.topics) // (2 if against == "others" else 1)
    ten = [math.ceil(maximum * k / 10) for k in range(1, 11)]
    return check_sizes(ten if sizes is None else sizes, maximum, measure)


def _collect_ranking_notes(matrices: Mapping[str, Matrix]) -> tuple[Note, ...]:
    return collect_ranking_notes({measure: matrix.means for measure, matrix in matrices.items()})


def _make_trial(
    matrix: Matrix, sizes: Sequence[int], correlate: Callable[..., Floats], against: Against, replacement: bool
) -> Callable[[np.random.Generator, int], Floats]:
    """Return a function that computes the statistic of each size: [sizes, trials]."""
    x, n = matrix.values, len(matrix.topics)
    full_means = matrix.means[None]

    def run_trials(rng: np.random.Generator, trials: int) -> Floats:
        place = rng.permuted(np.tile(np.arange(n), (trials, 1)), axis=1)
        values = []
        for size in sizes:
            weights = np.asarray(place < size, dtype=np.float64)  # how often each topic counts
            if replacement:
                weights[:] = rng.multinomial(size, np.full(n, 1 / n), size=trials)
            means = (weights @ x / size)[:, None]  # [trials, 1, runs]
            if against == "others":
                means_of_others = ((place >= size) & (place < 2 * size)) @ x / size
                values.append(correlate(means, means_of_others[:, None])[:, 0, 0])
            else:
                values.append(correlate(means, full_means)[:, 0, 0])
        return np.stack(values)

    return run_trials


def _compute_point(measure: str, size: float, values: Floats, confidence: float) -> StabilityPoint:
    """Return the point of the trials with a value: τ_b has none if all runs are tied."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return StabilityPoint(measure, size, math.nan, math.nan, math.nan)
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = np.quantile(defined, ends, method="inverted_cdf")  # τ has no values in between
    return StabilityPoint(measure, size, math.fsum(defined) / len(defined), float(low), float(high))


# -- of judgments ---------------------------------------------------------------------------------


def stability_of_judgments(
    qrels: QrelsLike,
    runs: RunLike | Sequence[RunLike],
    measures: Any = None,
    shares: float | Sequence[float] = SHARES,
    statistic: str = "kendall",
    confidence: float = 0.95,
    trials: int = TRIALS_OF_JUDGMENTS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Stability:
    """Correlate rankings of runs with a part of the judgments, by the fraction that is kept.

    In each trial, the judgments of every topic are put in random order, relevant judgments (level
    above 0) and others separately. Of both, the first ⌈share · number⌉ are kept: smaller fractions
    are parts of larger ones, and at least one relevant document remains if there was one. Other
    documents are unjudged. `statistic` compares the ranking by the kept judgments with the ranking
    by all judgments, as in `stability`.

    Judgments are removed at random. The judgments missing in a shallow pool are not a random part,
    which is harder for measures. `options` are those of `cranfield.evaluate`. Classes of documents
    and judgments for intents are an error. All judgments determine the gains of topics
    (``gains="topic"``) and the order of tied documents (``ties="best"``).

    Reference: Buckley and Voorhees 2004, Retrieval evaluation with incomplete information, SIGIR;
    Sakai and Kando 2008, On information retrieval metrics designed for evaluation with incomplete
    relevance assessments, Information Retrieval 11.

    >>> qrels = {"q1": {"a": 1, "b": 0}}
    >>> found = stability_of_judgments(qrels, [{"q1": ["a"]}, {"q1": ["b", "a"]}], "AP", [0.5, 1])
    >>> [(point.size, point.mean) for point in found["AP"]]  # rounded up, both are kept
    [(0.5, 1.0), (1.0, 1.0)]
    """
    correlate = _get_statistic(statistic, confidence)
    selected = []
    for share in to_nonempty_list(shares, "share"):
        check_number("share", share, "a number in (0, 1]")
        selected.append(float(share))
    selected = sorted({*selected})
    if not all(0 < share <= 1 for share in selected):
        raise InputError(f"shares {', '.join(f'{x:g}' for x in selected)}", "numbers in (0, 1]")
    if options.get("labelling") is not None:
        raise InputError.from_problem("classes and groups of items are not supported")
    evaluator = Evaluator(qrels, measures, threads=threads, **options)
    if evaluator.collection.intents is not None:
        raise InputError.from_problem("judgments for intents are not supported")
    loaded_runs, scores = evaluator.read_and_score(runs)
    matrices, measure_notes = split_by_measure(scores, least=1)
    notes = (*measure_notes, *_collect_ranking_notes(matrices))
    rankings = [evaluator.collection.compute_rankings(run) for run in loaded_runs]
    judgments = evaluator.collection.gold.judgments
    scored = np.isin(judgments.topics, scores.topics)
    reduced: set[str] = set()

    def run_trial(rng: np.random.Generator, _: int) -> Floats:
        order = rng.random(len(judgments.levels))
        rows = []
        for share in selected:
            values = score_with(evaluator, rankings, draw_judgments(judgments, order, share))
            parts = split_by_measure(replace(scores, values=values[:, scored]), least=0)[0]
            rows.append([_compute_correlation(correlate, parts[m], whole_m) for m, whole_m in matrices.items()])
            reduced.update(m for m in matrices if parts[m].topics != matrices[m].topics)
        return np.array(rows)

    trial_values = np.stack(run_in_chunks(run_trial, trials, seed, CELLS, threads, progress))
    if reduced:
        names = format_names([m for m in matrices if m in reduced], "measure")
        text = f"with fewer judgments, {names} undefined on some topics, excluded from that trial"
        notes = (*notes, Note("undefined", text))
    points = tuple(
        _compute_point(measure, share, trial_values[:, s, k], confidence)
        for k, measure in enumerate(matrices)
        for s, share in enumerate(selected)
    )
    size = *_get_runs_and_topics(matrices), confidence, trials, seed
    return Stability("judgments", statistic, "all", points, *size, notes=notes)


def _compute_correlation(correlate: Callable[..., Floats], x: Matrix, y: Matrix) -> float:
    """Return the statistic between the rankings by the means of two samples."""
    return float(correlate(x.means[None], y.means[None])[0, 0]) if x.topics else math.nan


def draw_judgments(judgments: Any, order: Floats, share: float) -> Bools:
    """Return which judgments are kept: the first of a random order, by topic and relevance."""
    group = 2 * judgments.item_topics + (judgments.levels > 0)
    sizes = np.bincount(group)
    ordered = np.lexsort((order, group))
    place = np.empty(len(group), dtype=np.int64)
    place[ordered] = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group[ordered]]
    return np.asarray(place < np.ceil(share * sizes - ROUNDING)[group])


def score_with(evaluator: Evaluator, rankings: Sequence[Any], is_kept: Bools) -> Floats:
    """Return [runs, topics, columns]: scores of labelled runs with some of the judged items."""
    part = evaluator.with_part(is_kept)
    return np.stack(
        [part.scorer.compute_values(run_rankings.with_hits(is_kept[run_rankings.items])) for run_rankings in rankings]
    )


# -- tables and figures ---------------------------------------------------------------------------

BANDS = 3  # measures whose intervals are drawn: more would hide each other


def _build_points_table(result: Stability) -> tables.ResultTable:
    column = tables.bind_rows(result.points)
    return tables.build_table(
        "points",
        format_caption(result),
        column("measure", key=True),
        column("size", head=_format_size_unit(result), text="{:g}".format),
        column("mean"),
        *tables.build_interval_columns(result.points, result.confidence),
        *tables.build_constant_columns(result._build_settings(), result.points),
    )


def _format_size_unit(result: Stability) -> str:
    return "topics" if result.sampled == "topics" else "fraction of judgments"


def format_caption(result: Stability) -> str:
    """Describe the samples, the comparison and the trials."""
    return (
        f"{STATISTICS[result.statistic].title} between the rankings of "
        f"{format_count(len(result.runs), 'run')} {_describe_comparison(result)}: mean, and range "
        f"of the middle {tables.format_percent(result.confidence)} of the trials. "
        f"{_describe_sample(result)}."
    )


def _describe_comparison(result: Stability) -> str:
    if result.sampled == "judgments":
        return "with a random part of the judgments and with all"
    replacement_text = " with replacement" if result.replacement else ""
    if result.against == "others":
        return "on a random sample of topics and on a disjoint sample"
    return f"on a random sample of topics{replacement_text} and on all"


def _describe_sample(result: Stability) -> str:
    trials = format_count(result.trials, "trial")
    return f"{format_count(result.topics, 'topic')} ({trials}, seed {result.seed})"


def _draw_chart(result: Stability, theme: Theme, data: pl.DataFrame) -> Any:
    topics, judgments = ("topics in a sample", "d", ""), ("fraction of the judgments", "%", "%")
    sampled, form, tooltip_format = topics if result.sampled == "topics" else judgments
    mean = f"{STATISTICS[result.statistic].title}, mean of {format_count(result.trials, 'trial')}"
    close = {"zero": False, "nice": False, "padding": 6}
    values = charts.build_number_tooltips("mean", "low", "high")
    has_bands = len(result.measures) <= BANDS
    line = charts.shorten_name_column(data["measure"])
    measure_styles = theme.assign_styles(result.measures)
    styles = {line_name: measure_styles[measure] for line_name, measure in zip(line, data["measure"], strict=True)}
    chart = charts.draw_curves(
        data.with_columns(line=line),
        charts.build_axis("x", "size", sampled, scale=close, grid=False, format=form),
        charts.build_axis("y", "mean", mean, scale={"zero": False}),
        "measure",
        ["measure:N", *charts.build_number_tooltips("size", format=tooltip_format), *values],
        theme,
        styles=styles,
        bands=[("low", "high")] if has_bands else [],
        point={"filled": True, "size": 25},
    )
    middle = f"bands: the middle {tables.format_percent(result.confidence)} of the trials"
    heading = f"Rankings of {format_count(len(result.runs), 'run')} {_describe_comparison(result)}"
    return charts.finish_chart(chart, theme, heading, [_describe_sample(result), *([middle] if has_bands else [])])
