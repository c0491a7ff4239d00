"""`repro`: measures of reproducibility of runs, as in repro_eval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any, Unpack

import numpy as np

from cranfield.arrays import Floats, Ints, estimate_rounding, subtract_rounded
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import Settings, with_options
from cranfield.measures.selection import MeasuresLike
from cranfield.runs.overlap import P, Ties, compute_rbo_bounds, compute_tau_b
from cranfield.runs.sources import RunBlock, RunSource, check_common_topics, iterate_blocks
from cranfield.scores import Note, Scores
from cranfield.stats.paired import build_t_outcome, t_test
from cranfield.stats.resampling import TRIALS, run_in_chunks
from cranfield.stats.result import check_confidence, check_open_fraction, format_p
from cranfield.stats.samples import check_topic_count, mean
from cranfield.tables import Field, ResultTable, bind_rows, format_interval, format_percent
from cranfield.wording import format_count, format_number

MEASURE = "nDCG@10"
IN_MEMORY = "run"  # `where` of a run without a file
SIDES = ("A", "B")  # the advanced run and the baseline run
_SIGNED = ("mean A − B", "mean A2 − B2", "ΔRI")


# -- equations ------------------------------------------------------------------------------------


def compute_rmse(original: Floats, reproduced: Floats) -> float:
    """Return the root mean square error √mean (M − M′)² of topic scores.

    >>> round(compute_rmse(np.array([0.5, 0.6, 0.4, 0.7]), np.array([0.45, 0.6, 0.35, 0.65])), 7)
    0.0433013
    """
    return math.sqrt(mean((original - reproduced) ** 2))


def compute_largest_rmse(original: Floats) -> float:
    """Return the largest possible RMSE √mean max(M, 1 − M)², NaN for scores outside [0, 1].

    >>> round(compute_largest_rmse(np.array([0.5, 0.6, 0.4, 0.7])), 7)
    0.6041523
    """
    if (original < 0).any() or (original > 1).any():
        return math.nan
    return math.sqrt(mean(np.maximum(original, 1 - original) ** 2))


def divide(a: Any, b: Any) -> Any:
    """Return a / b, NaN where b is 0 up to rounding."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.nan), where=np.abs(b) > estimate_rounding(1.0))


def subtract(a: Any, b: Any) -> Any:
    """Return a − b, 0 up to rounding."""
    return subtract_rounded(a, b, estimate_rounding(a, b))


def compute_effect_ratio(a: Any, b: Any, a2: Any, b2: Any) -> Any:
    """Return ER = mean(M′a − M′b) / mean(Ma − Mb), from means."""
    return divide(subtract(a2, b2), subtract(a, b))


def compute_improvement_difference(a: Any, b: Any, a2: Any, b2: Any) -> Any:
    """Return ΔRI = RI − RI′ with RI = (M̄a − M̄b) / M̄b, from means."""
    return divide(subtract(a, b), b) - divide(subtract(a2, b2), b2)


def compute_union_tau(original: RunBlock, reproduced: RunBlock) -> Floats:
    """Return KTU of each topic: Kendall's τ of two lists of positions in the union of documents.

    The union has the documents of the original ranking first, then the new documents of the
    reproduced one. Both lists are cut to the shorter length. NaN for fewer than two documents.
    """
    n = len(original.lengths)
    lines = original.find_lines(reproduced.table.docs, reproduced.topic)
    is_new = lines < 0
    new_before: Ints = np.cumsum(is_new) - is_new
    first_new = np.append(new_before, is_new.sum())[reproduced.bounds[:-1]]
    position = np.where(
        is_new,
        original.lengths[reproduced.topic] + new_before - first_new[reproduced.topic],
        lines - original.bounds[reproduced.topic],
    )
    kept = reproduced.place < np.minimum(original.lengths, reproduced.lengths)[reproduced.topic]
    return compute_tau_b(reproduced.place[kept], position[kept], reproduced.topic[kept], n)


def compute_lowest_rbo(original: RunBlock, reproduced: RunBlock, p: float) -> Floats:
    """Return the lower bound of RBO of each topic, in the order of the rankings, without ties."""
    lines = original.find_lines(reproduced.table.docs, reproduced.topic)
    values = np.empty(len(original.lengths))
    for t in range(len(values)):
        part = slice(*reproduced.bounds[t : t + 2])
        places = np.flatnonzero(lines[part] >= 0)
        in_original = lines[part][places] - original.bounds[t]
        first, second = (_build_places(int(x.lengths[t])) for x in (original, reproduced))
        values[t] = compute_rbo_bounds(first, second, (in_original, places), p).lower
    return values


def _build_places(n: int) -> Ties:
    return Ties(np.arange(n), np.ones(n, dtype=np.int64))


# -- results --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReproductionValue:
    """A value of a reproduction. `measure` is None for values of rankings.

    `value` is None if undefined, `lower` and `upper` are None without an interval.
    """

    measure: str | None
    what: str
    value: float | None
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(TableResult):
    """Measures of the reproducibility of runs.

    `original` and `reproduced` are the names of the advanced run A and, optionally, of the baseline
    run B. `original_scores` and `reproduced_scores` have their scores.
    """

    original: tuple[str, ...]
    reproduced: tuple[str, ...]
    rows: Rows[ReproductionValue]
    original_scores: Scores = field(compare=False)
    reproduced_scores: Scores = field(compare=False)
    is_replicated: bool
    p: float
    trials: int
    seed: int
    confidence: float
    notes: tuple[Note, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of all runs."""
        return (*self.original, *self.reproduced)

    def value(self, what: str, measure: str | None = None) -> ReproductionValue:
        """Return a row by its name, by default for the first measure: ``result.value("ER")``."""
        for row in self.rows:
            if row.what == what and measure in (None, row.measure):
                return row
        names = dict.fromkeys(row.what for row in self.rows if measure in (None, row.measure))
        raise InputError(f"value {what!r}", f"one of {', '.join(names)}")

    def _build_tables(self) -> list[ResultTable]:
        column = bind_rows(self.rows)
        measures = dict.fromkeys(row.measure for row in self.rows if row.measure)
        texts = [
            "" if row.lower is None else format_interval(row.lower, row.upper, "+" if row.what in _SIGNED else "")
            for row in self.rows
        ]
        head = f"{format_percent(self.confidence)} interval"
        return [
            ResultTable(
                "values",
                (
                    Field(
                        "measure",
                        [row.measure for row in self.rows],
                        texts=[row.measure or "" for row in self.rows],
                        visible=len(measures) > 1,
                        key=True,
                        dtype=str,
                    ),
                    column("what", key=True),
                    Field("value", [row.value for row in self.rows], texts=[*map(_format_value, self.rows)]),
                    column("lower", visible=False, dtype=float),
                    column("upper", visible=False, dtype=float),
                    Field("interval", None, head, texts, visible=any(texts)),
                ),
                self._describe(list(measures)),
            )
        ]

    def _describe(self, measures: Sequence[str]) -> str:
        verb = "replicate" if self.is_replicated else "reproduce"
        names = " and ".join(self.reproduced), verb, " and ".join(self.original)
        head = f"How well {' '.join(names)}{f' by {measures[0]}' if len(measures) == 1 else ''}"
        pairs = zip(SIDES, self.original, self.reproduced, strict=False)
        texts = [f"{side}: {first} → {second}" for side, first, second in pairs]
        counts = [len(self.original_scores.topics)]
        if self.is_replicated:
            topics = f"{format_count(counts[0], 'topic')} and {len(self.reproduced_scores.topics):,} other topics"
            test = "p: unpaired t-test"
        else:
            topics, test = format_count(counts[0], "topic"), f"RBO: lower bound, p = {self.p:g}. p: paired t-test"
        intervals = f"Intervals: percentile bootstrap of topics, {self.trials:,} trials, seed {self.seed}"
        return f"{head}, on {topics}. {', '.join(texts)}. {test}. {intervals}."

    def __repr__(self) -> str:
        shown = [f"{row.what} {_format_value(row)}" for row in self.rows if row.value is not None][:8]
        return f"Reproduction of {' and '.join(self.original)}: {', '.join(shown)}"


def _format_value(row: ReproductionValue) -> str:
    if row.value is None:
        return "–"
    return format_p(row.value) if row.what.startswith("p ") else format_number(row.value)


# -- computation ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Resampling:
    """Settings of intervals."""

    trials: int = TRIALS
    seed: int = 0
    confidence: float = 0.95

    def find_bounds(self, values: Floats) -> tuple[float, float] | tuple[None, None]:
        """Return percentiles of the trials with a value."""
        defined = values[~np.isnan(values)]
        if not len(defined):
            return None, None
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(defined, [tail, 1 - tail])
        return float(low), float(high)

    def draw_means(self, *samples: Floats) -> list[Floats]:
        """Return means [trials, columns] of topics drawn from each sample [topics, columns].

        NaN are excluded from the mean. All columns of a sample use the same topics.
        """

        def run_trial(rng: np.random.Generator, size: int) -> list[Floats]:
            return [_draw_means(rng, size, sample) for sample in samples]

        topics = sum(map(len, samples))  # without columns: the same topics for all values
        chunks = run_in_chunks(run_trial, self.trials, self.seed, topics)
        return [np.concatenate(parts) for parts in zip(*chunks, strict=True)]


def _draw_means(rng: np.random.Generator, size: int, sample: Floats) -> Floats:
    drawn = sample[rng.integers(len(sample), size=(size, len(sample)))]  # [trials, topics, columns]
    counts = (~np.isnan(drawn)).sum(axis=1)
    return np.asarray(divide(np.nansum(drawn, axis=1), counts))


def _compare_rankings(pairs: Sequence[tuple[Run, Run]], topics: Sequence[str], p: float) -> Floats:
    """Return KTU and RBO of each pair [topics, 2 · pairs], NaN for topics that both runs lack."""
    index = {topic: t for t, topic in enumerate(topics)}
    values = np.full((len(topics), 2 * len(pairs)), np.nan)
    for i, pair in enumerate(pairs):
        both = [RunSource(run) for run in pair]
        for names, (original, reproduced) in iterate_blocks(both):
            rows = [(t, index[name]) for t, name in enumerate(names) if name in index]
            blocks, places = (list(x) for x in zip(*rows, strict=True)) if rows else ([], [])
            values[places, i] = compute_union_tau(original, reproduced)[blocks]
            values[places, len(pairs) + i] = compute_lowest_rbo(original, reproduced, p)[blocks]
        check_common_topics(*both)
    return values


def _list_ranking_values(values: Floats, resampling: Resampling) -> Iterator[ReproductionValue]:
    pairs = values.shape[1] // 2
    (drawn,) = resampling.draw_means(values)
    for i, what in enumerate(("KTU", "RBO")):
        for j, side in enumerate(SIDES[:pairs]):
            column = values[:, i * pairs + j]
            defined = column[~np.isnan(column)]
            value = mean(defined) if len(defined) else None
            bounds = resampling.find_bounds(drawn[:, i * pairs + j]) if value is not None else (None, None)
            yield ReproductionValue(None, f"{what} ({side})", value, *bounds)


@dataclass(frozen=True, eq=False)
class _MeasureScores:
    """Scores of A and B [topics, 2], and of their reproductions."""

    measure: str
    original: Floats
    reproduced: Floats
    is_replicated: bool

    def list_values(self, resampling: Resampling) -> tuple[list[ReproductionValue], list[Note]]:
        """Return the values, and notes about them."""
        rows, notes = ([], []) if self.is_replicated else self._list_errors(resampling)
        rows += self._list_pvalues()
        if self.original.shape[1] == 2:
            effects, more = self._list_effects(resampling)
            return rows + effects, notes + more
        return rows, notes

    def _list_errors(self, resampling: Resampling) -> tuple[list[ReproductionValue], list[Note]]:
        """Return RMSE and nRMSE of each run."""
        squares = (self.original - self.reproduced) ** 2
        largest = np.maximum(self.original, 1 - self.original) ** 2
        n = squares.shape[1]
        (drawn,) = resampling.draw_means(np.hstack([squares, largest]))
        rows: list[list[ReproductionValue]] = [[], []]
        notes = []
        for j, side in enumerate(SIDES[:n]):
            rmse = compute_rmse(self.original[:, j], self.reproduced[:, j])
            scale = compute_largest_rmse(self.original[:, j])
            bounds = resampling.find_bounds(np.sqrt(drawn[:, j]))
            rows[0].append(ReproductionValue(self.measure, f"RMSE ({side})", rmse, *bounds))
            row = ReproductionValue(self.measure, f"nRMSE ({side})", None)
            if not math.isnan(scale):
                bounds = resampling.find_bounds(np.sqrt(drawn[:, j] / drawn[:, n + j]))
                row = ReproductionValue(self.measure, f"nRMSE ({side})", rmse / scale, *bounds)
            rows[1].append(row)
            if math.isnan(scale):
                notes.append(Note("no-nrmse", f"{self.measure}: scores outside [0, 1], so nRMSE is undefined"))
        return [*rows[0], *rows[1]], notes[:1]

    def _list_pvalues(self) -> list[ReproductionValue]:
        rows = []
        for side, x, y in zip(SIDES, self.original.T, self.reproduced.T, strict=False):
            pvalue = _compute_unpaired_p(x, y) if self.is_replicated else t_test(x, y).pvalue
            rows.append(ReproductionValue(self.measure, f"p ({side})", pvalue))
        return rows

    def _list_effects(self, resampling: Resampling) -> tuple[list[ReproductionValue], list[Note]]:
        """Return ER and ΔRI, and the mean differences that they compare."""
        means = [mean(x) for x in (*self.original.T, *self.reproduced.T)]
        if self.is_replicated:
            drawn = [*np.hstack(resampling.draw_means(self.original, self.reproduced)).T]
        else:  # one draw for all runs
            drawn = [*resampling.draw_means(np.hstack([self.original, self.reproduced]))[0].T]
        original, reproduced = (resampling.find_bounds(subtract(drawn[i], drawn[i + 1])) for i in (0, 2))
        low, high = original
        has_effect = low is not None and high is not None and not low <= 0 <= high
        effects = (
            ("ER", compute_effect_ratio(*means), compute_effect_ratio(*drawn)),
            ("ΔRI", compute_improvement_difference(*means), compute_improvement_difference(*drawn)),
        )
        notes = []
        rows = [
            ReproductionValue(self.measure, "mean A − B", float(subtract(means[0], means[1])), *original),
            ReproductionValue(self.measure, "mean A2 − B2", float(subtract(means[2], means[3])), *reproduced),
        ]
        for what, value, trials in effects:
            has_interval = not math.isnan(value) and (has_effect or what != "ER")
            bounds = resampling.find_bounds(trials) if has_interval else (None, None)
            rows.append(ReproductionValue(self.measure, what, _get_number(value), *bounds))
            if has_interval and (count := int(np.isnan(trials).sum())):
                text = f"the interval excludes {count:,} of {format_count(len(trials), 'trial')} without a value"
                notes.append(Note("undefined", f"{self.measure}: {what}: {text}"))
        if not has_effect:
            interval = format_interval(low, high, "+")
            text = f"the interval of the original difference A − B {interval} contains 0, so ER has no interval"
            notes.append(Note("no-effect", f"{self.measure}: {text}"))
        return rows, notes


def _get_number(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


def _compute_unpaired_p(x: Floats, y: Floats) -> float:
    """Return the p-value of Student's t-test with pooled variance, as in repro_eval."""
    n, m = len(x), len(y)
    check_topic_count(min(n, m), 2)
    difference = mean(x) - mean(y)
    squares = [math.fsum((values - mean(values)) ** 2) for values in (x, y)]
    error = math.sqrt(math.fsum(squares) / (n + m - 2) * (1 / n + 1 / m))
    rounding = estimate_rounding(x, y)
    if abs(difference) <= rounding:
        difference = 0.0
    error = 0.0 if error <= rounding else error
    return build_t_outcome("unpaired t-test", difference, error, n + m - 2, n + m, "", "two-sided", ()).pvalue


# -- the function ---------------------------------------------------------------------------------


@with_options
def repro(
    qrels: QrelsLike,
    original: RunLike | Sequence[RunLike],
    reproduced: RunLike | Sequence[RunLike],
    measures: MeasuresLike = None,
    *,
    replicated: QrelsLike | None = None,
    p: float = P,
    trials: int = TRIALS,
    confidence: float = 0.95,
    **options: Unpack[Settings],
) -> Reproduction:
    """Measure how well runs reproduce the runs of another experiment.

    A is the advanced run, B the baseline. RMSE compares topic scores, KTU and RBO compare rankings,
    p tests original against reproduced scores. ER is the ratio of the mean differences A − B, ΔRI the
    difference of the relative improvements.

    Parameters
    ----------
    qrels : path, dict or frame
        Judgments, see `read_qrels`.
    original : list
        Original runs A and B, or A only.
    reproduced : list
        Reproduced runs A2 and B2, or A2 only.
    measures : str or list, optional
        Default: nDCG@10.
    replicated : path, dict or frame, optional
        Judgments of other topics, with which the reproduced runs are evaluated. Only ER, ΔRI and an
        unpaired p are then computed.
    p : float
        Parameter of RBO, between 0 and 1 (default: 0.9).
    trials : int
        Trials of the bootstrap, with the seed `seed`.
    confidence : float
        Confidence of intervals.

    Returns
    -------
    Reproduction

    Reference: Breuer et al. 2020, How to Measure the Reproducibility of System-oriented IR Experiments,
    SIGIR.

    >>> qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    >>> first, last = {t: ["a", "b"] for t in qrels}, {t: ["b", "a"] for t in qrels}
    >>> result = repro(qrels, [first, last], [{**first, "3": ["b", "a"]}, last], "RR")
    >>> round(result.value("ER").value, 4), round(result.value("RMSE (A)").value, 4)
    (0.6667, 0.2887)
    """
    check_open_fraction("p", p)
    resampling = Resampling(trials, options.get("seed") or 0, check_confidence(confidence))
    groups = [_list_runs(name, runs) for name, runs in (("original", original), ("reproduced", reproduced))]
    if len(groups[0]) != len(groups[1]):
        counts = [format_count(len(runs), "run") for runs in groups]
        raise InputError.from_problem(f"found {counts[0]} in original and {counts[1]} in reproduced")
    evaluator = Evaluator(qrels, measures or MEASURE, **options)
    second = None if replicated is None else Evaluator(replicated, measures or MEASURE, **options)

    def compare(runs: Sequence[Run]) -> Reproduction:
        return _compare_runs(runs, len(groups[0]), evaluator, second, resampling, p)

    return call_with_split(_name_runs([run for runs in groups for run in evaluator.read(runs)]), compare)


def _name_runs(runs: Sequence[Run]) -> list[Run]:
    """Return runs named by tag, or by path if tags clash. In memory: A, B, A2 and B2."""
    half = SIDES[: (len(runs) + 1) // 2]
    sides = [*half, *(f"{side}2" for side in half)]
    files: dict[str, list[str]] = {}
    for run in runs:
        files.setdefault(run.name, []).append(run.where)
    names = []
    for run, side in zip(runs, sides, strict=False):
        places = files[run.name]
        clashes = run.where == IN_MEMORY and len(places) > 1
        names.append(side if clashes else run.name if len({*places}) == 1 else run.where)
    return [replace(run, name=name) for run, name in zip(runs, names, strict=False)]


def _list_runs(name: str, runs: Any) -> list[Any]:
    run_list = [*runs] if isinstance(runs, list | tuple) else [runs]
    if len(run_list) not in (1, 2):
        count = format_count(len(run_list), "run")
        raise InputError(f"{count} in {name}", "the advanced run, and optionally the baseline run")
    return run_list


def _compare_runs(
    runs: Sequence[Run], n: int, evaluator: Evaluator, second: Evaluator | None, resampling: Resampling, p: float
) -> Reproduction:
    if len(runs) != 2 * n:
        raise InputError(format_count(len(runs), "run"), f"{2 * n}", hint=", ".join(run.name for run in runs))
    original, reproduced = runs[:n], runs[n:]
    scores = evaluator.score_runs(original)
    other_scores = (evaluator if second is None else second).score_runs(reproduced)
    notes = [*scores.notes, *other_scores.notes]
    rows: list[ReproductionValue] = []
    if second is None:
        pairs = [*zip(original, reproduced, strict=True)]
        values = _compare_rankings(pairs, scores.topics, p)
        rows += _list_ranking_values(values, resampling)
        notes += _note_undefined(values[:, :n])
    for m in range(len(scores.measures)):
        measure, more = _select_measure(scores, other_scores, m, second is not None)
        values_of_measure, notes_of_measure = measure.list_values(resampling)
        rows += values_of_measure
        notes += more + notes_of_measure
    return Reproduction(
        scores.runs,
        other_scores.runs,
        Rows(rows),
        scores,
        other_scores,
        second is not None,
        p,
        resampling.trials,
        resampling.seed,
        resampling.confidence,
        tuple(dict.fromkeys(notes)),
    )


def _note_undefined(taus: Floats) -> Iterator[Note]:
    """Note how many values of KTU are undefined."""
    for side, column in zip(SIDES, taus.T, strict=False):
        if count := int(np.isnan(column).sum()):
            topics = format_count(count, "topic")
            yield Note("undefined", f"KTU ({side}): undefined for {topics}, which its mean excludes")


def _select_measure(scores: Scores, others: Scores, m: int, is_replicated: bool) -> tuple[_MeasureScores, list[Note]]:
    """Return the scores of a measure on topics where all runs have one."""
    name = scores.measures[m]
    original, reproduced = scores.values[:, :, m].T, others.values[:, :, m].T
    masks = [~np.isnan(x).any(axis=1) for x in (original, reproduced)]
    if not is_replicated:
        masks = [masks[0] & masks[1]] * 2
    excluded = sum(int((~mask).sum()) for mask in (masks if is_replicated else masks[:1]))
    notes = [Note("undefined", f"{name}: {format_count(excluded, 'topic')} without a score, excluded")] * bool(excluded)
    original, reproduced = original[masks[0]], reproduced[masks[1]]
    check_topic_count(min(len(original), len(reproduced)), 2)
    return _MeasureScores(name, original, reproduced, is_replicated), notes
