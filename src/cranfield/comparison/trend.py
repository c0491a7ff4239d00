"""`trend`: a series of nightly results, and whether tonight differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, estimate_rounding, subtract_rounded
from cranfield.comparison.pairs import Verdict
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.nights import MissingTopics, Nights, read_nights
from cranfield.scores import Note, Scores, format_first_notes
from cranfield.stats.few_topics import is_out_of_reach
from cranfield.stats.gate import Decision, Undecided
from cranfield.stats.looks import LookOutcome, repeated_t_test
from cranfield.stats.measure_scores import extract_measure, find_ranking_measures, format_reasons
from cranfield.stats.notes import merge_notes
from cranfield.stats.paired import find_smallest_t_p, t_test
from cranfield.stats.result import check_alpha, format_p, format_p_statement
from cranfield.stats.samples import Matrix, mean
from cranfield.tables import ResultTable
from cranfield.wording import escape_unprintable, format_count, suggest_keywords

Reference: TypeAlias = Literal["previous", "median", "baseline"]
LAST = 7  # nights of the median
_SHOWN = 10


@dataclass(frozen=True)
class NightScore:
    """Mean of a run on a night, with an interval for other topics."""

    measure: str
    run: str
    night: str
    topics: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class NightDifference:
    """Paired difference of a night from a reference: ``previous``, ``median`` or ``baseline``.

    `low` and `high` are the interval of this night alone, and `uncorrected` its p-value. The tested
    reference also has `look`, the number of tests so far, `pvalue`, corrected for all looks,
    `band_low` and `band_high`, the interval that holds on all nights together, and a `verdict`.
    """

    measure: str
    run: str
    night: str
    reference: Reference
    topics: int
    difference: float
    low: float
    high: float
    band_low: float
    band_high: float
    pvalue: float | None
    uncorrected: float
    look: int | None
    wins: int
    ties: int
    losses: int
    verdict: Verdict
    smallest_pvalue: float = 0.0  # of this number of different topics and this look


@dataclass(frozen=True, eq=False, repr=False)
class Trend(TableResult):
    """Series of nightly results, by measure and run, with tests that account for repeated looks.

    `scores` maps each run to its scores, with nights as runs. `tested` is the reference of the test:
    ``baseline`` if there is a baseline, otherwise ``median``, of the `last` nights before. `looks` is
    the number of earlier tests.
    """

    scores: Mapping[str, Scores]
    nights: tuple[NightScore, ...]
    differences: tuple[NightDifference, ...]
    tested: Reference
    last: int
    alpha: float
    looks: int = 0
    baseline: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(self.scores)

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return self._first.measures

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nights, oldest first."""
        return tuple(dict.fromkeys(row.night for row in self.nights))

    @property
    def _first(self) -> Scores:
        return next(iter(self.scores.values()))

    @property
    def tonight(self) -> tuple[NightDifference, ...]:
        """Test of the last night, for each measure and run."""
        return tuple(row for row in self.differences if row.night == self.names[-1] and row.look is not None)

    @property
    def worse(self) -> tuple[NightDifference, ...]:
        """Tests of the last night with a significantly worse mean."""
        return tuple(row for row in self.tonight if row.verdict == "worse")

    def get_better(self, measure: str) -> str:
        """Return ``higher``, ``lower`` or ``neither``."""
        return self._first.better[self.measures.index(measure)]

    def has_logarithms(self, measure: str) -> bool:
        """Return True if differences are those of logarithms, for geometric means."""
        return self._first.summaries[self.measures.index(measure)] == "gmean"

    def find(self, measure: str, run: str, night: str, reference: Reference) -> NightDifference | None:
        """Return the difference of a night from a reference, or None if there is none."""
        return self._by_key.get((measure, run, night, reference))

    @cached_property
    def _by_key(self) -> dict[tuple[str, str, str, Reference], NightDifference]:
        return {(row.measure, row.run, row.night, row.reference): row for row in self.differences}

    def decide(self, row: NightDifference, undecided: Undecided = "fail") -> Decision:
        """Return ``fail`` if a test found a loss, and ``undecided`` if no loss could be significant."""
        check_choice("undecided", undecided, Undecided)
        if row.verdict == "worse":
            return "fail"
        sign = -1 if self.get_better(row.measure) == "lower" else 1
        is_loss = sign * row.difference < 0 or row.losses > row.wins
        return "undecided" if is_loss and is_out_of_reach(row.smallest_pvalue, self.alpha) else "pass"

    def passes(self, undecided: Undecided = "fail") -> bool:
        """Return True if no run is worse tonight by any measure. Undecided tests fail by default."""
        measures, excluded = find_ranking_measures(self._first)
        if not measures:
            raise InputError(f"no measure to decide by{format_reasons(excluded)}", "a measure that ranks runs")
        allowed = ("pass", "undecided") if undecided == "pass" else ("pass",)
        rows = [row for row in self.tonight if row.measure in measures]
        return all(self.decide(row, undecided) in allowed for row in rows)

    def _build_tables(self, summary: bool = False) -> list[ResultTable]:
        from cranfield.comparison.trend_tables import build_tables

        return build_tables(self, summary)

    def _write_answer(self) -> str:
        from cranfield.comparison.trend_tables import write_answer

        return write_answer(self)

    def _select_tables(self, format: str, summary: bool = False) -> tuple[str, ...]:
        from cranfield.comparison.trend_tables import select_tables

        return select_tables(format, summary)

    def _build_settings(self) -> dict[str, Any]:
        from cranfield.comparison.trend_tables import build_settings

        return build_settings(self)

    def __repr__(self) -> str:
        head = f"Trend: {format_count(len(self.names), 'night')}, {format_count(len(self.runs), 'run')}"
        lines = [
            f"{row.measure}: {row.run} on {row.night} {row.difference:+z.4f} from {row.reference}, "
            f"{format_p_statement(format_p(row.pvalue or 0.0))} {row.verdict}".rstrip()
            for row in self.tonight[:_SHOWN]
        ]
        return "\n".join([*map(escape_unprintable, [head, *lines]), *format_first_notes(self.notes, len(self.runs))])


@suggest_keywords
def trend(
    nights: Mapping[str, Any] | Sequence[Any],
    baseline: Any = None,
    *,
    measures: Any = None,
    last: int = LAST,
    looks: int = 0,
    alpha: float = 0.05,
    missing: MissingTopics = "error",
    lower: str | Sequence[Any] = (),
) -> Trend:
    """Follow nightly results: means, differences from earlier nights, and a test of each night.

    Every night is compared with the night before, with the median of the `last` nights before, and
    with a baseline such as the last release. The median is the night with the median mean (the mean
    of two nights if their number is even), so that differences stay paired. One reference is tested:
    the baseline, or the median without a baseline. The test accounts for repeated looks: if nothing
    ever changes, the probability of any false alarm is at most α for each run and measure, however
    many nights follow (`cf.stats.repeated_t_test`).

    nights
        Paths of score files, oldest first, or ``{night: scores}``: any input of `read_scores`.
    baseline
        Scores of a release: a path or any input of `read_scores`.
    measures
        Default: all measures that every night has, without counts.
    last
        Number of nights of the median.
    looks
        Number of earlier tests, before the first of these nights. If you delete old nights, pass
        their number: otherwise the error rate starts again.
    alpha
        Probability of any false alarm. Intervals of single nights have confidence 1 − alpha.
    missing
        Topics that some nights lack: ``error`` (default) or ``common``, which excludes them.
    lower
        Measures for which lower is better, as in `read_scores`.

    >>> x = {"1": 0.5, "2": 0.6, "3": 0.4, "4": 0.7}
    >>> series = {f"day {i}": {t: s + 0.001 * i * int(t) for t, s in x.items()} for i in range(4)}
    >>> series["day 4"] = {t: s - 0.2 for t, s in series["day 3"].items()}
    >>> result = trend(series)
    >>> [(row.night, row.look, row.verdict) for row in result.tonight]
    [('day 4', 4, 'worse')]
    """
    check_alpha(alpha)
    for name, value, least in (("last", last, 1), ("looks", looks, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError(f"{name}={value!r}", f"an integer ≥ {least}")
    content = read_nights(nights, baseline, measures, missing, lower)
    analyse = partial(_analyse_series, content, last=last, looks=looks, alpha=alpha)
    results = [analyse(run, measure) for run in content.scores for measure in content.measures]
    scores, differences, notes = zip(*results, strict=True)
    return Trend(
        content.scores,
        tuple(chain(*scores)),
        tuple(chain(*differences)),
        "median" if content.baseline is None else "baseline",
        last,
        alpha,
        looks,
        content.baseline,
        (*content.notes, *merge_notes([*chain(*notes)], "series")),
    )


# -- one series -----------------------------------------------------------------------------------

_NamedNote: TypeAlias = tuple[str, Note]


def _analyse_series(
    content: Nights, run: str, measure: str, last: int, looks: int, alpha: float
) -> tuple[list[NightScore], list[NightDifference], list[_NamedNote]]:
    """Return means, differences and notes of a run by a measure."""
    scores = content.scores[run]
    extracted = extract_measure(scores, measure, turned=False)
    matrix = extracted.matrix
    if len(matrix.topics) < 2:
        raise InputError(f"{format_count(len(matrix.topics), 'topic')} with {measure}", "at least 2")
    nights = [name for name in matrix.systems if name != content.baseline]
    columns = {name: matrix.values[:, i] for i, name in enumerate(matrix.systems)}
    subject = f"{measure}, {run}" if len(content.scores) > 1 else measure
    prefix = f"{measure}: "  # part of the subject
    notes = [(subject, note.rewrite(lambda text: text.removeprefix(prefix))) for note in extracted.notes]
    differences = []
    for place in range(len(nights)):
        references = dict(_list_references(columns, nights, place, last, content.baseline))
        tested: Reference = "median" if content.baseline is None else "baseline"
        for name, values in references.items():
            # Without a baseline, the first night has no test.
            look = place + looks + (content.baseline is not None) if name == tested else None
            key = measure, run, nights[place], name
            better = scores.better[scores.measures.index(measure)]
            row, of_test = _compare_night(key, columns[nights[place]], values, look, better, alpha)
            differences.append(row)
            if look is not None and place == len(nights) - 1:
                notes += [(subject, note) for note in of_test if note.kind != "identical"]
    return [*_summarise(scores, measure, run, matrix, nights, alpha)], differences, notes


def _list_references(
    columns: Mapping[str, Floats], nights: Sequence[str], place: int, last: int, baseline: str | None
) -> Iterator[tuple[Reference, Floats]]:
    """Yield the references of a night with their scores by topic."""
    if place:
        earlier = nights[max(0, place - last) : place]
        yield "previous", columns[nights[place - 1]]
        yield "median", find_median_night([columns[name] for name in earlier])
    if baseline is not None:
        yield "baseline", columns[baseline]


def find_median_night(nights: Sequence[Floats]) -> Floats:
    """Return the scores of the night with the median mean, or the mean of two nights.

    The median of each topic would be biased for skewed scores: a topic with scores of mostly 1 and
    sometimes 0 has a median of 1.

    >>> find_median_night([np.array([0.2, 0.4]), np.array([0.9, 0.1]), np.array([0.0, 0.2])]).tolist()
    [0.2, 0.4]
    >>> find_median_night([np.array([0.25, 0.5]), np.array([0.75, 0.5])]).tolist()
    [0.5, 0.5]
    """
    order = sorted(range(len(nights)), key=lambda i: mean(nights[i]))
    low, high = order[(len(nights) - 1) // 2], order[len(nights) // 2]
    return nights[low] if low == high else (nights[low] + nights[high]) / 2


def _compare_night(
    key: tuple[str, str, str, Reference], x: Floats, y: Floats, look: int | None, better: str, alpha: float
) -> tuple[NightDifference, tuple[Note, ...]]:
    """Return the difference from a reference, tested if it is a look."""
    outcome = t_test(x, y) if look is None else repeated_t_test(x, y, look)
    ends = outcome.confidence_interval(1 - alpha)
    z = subtract_rounded(x, y, max(estimate_rounding(x, y), TOLERANCE))
    sign = -1 if better == "lower" else 1
    wins, losses = (int((side * sign * z > 0).sum()) for side in (1, -1))
    band, pvalue, uncorrected, verdict, smallest = (np.nan, np.nan), None, outcome.pvalue, "", 0.0
    if isinstance(outcome, LookOutcome):
        interval = outcome.confidence_band(1 - alpha)
        band, pvalue, uncorrected = (interval.low, interval.high), outcome.pvalue, outcome.uncorrected
        smallest = min(1.0, find_smallest_t_p(z) / outcome.fraction)
        if pvalue <= alpha and better != "neither" and outcome.difference:
            verdict = "better" if sign * outcome.difference > 0 else "worse"
    row = NightDifference(
        *key, len(z), outcome.difference, ends.low, ends.high, float(band[0]), float(band[1]), pvalue, uncorrected,
        look, wins, len(z) - wins - losses, losses, verdict, smallest,  # type: ignore[arg-type]
    )  # fmt: skip
    return row, outcome.notes


def _summarise(
    scores: Scores, measure: str, run: str, matrix: Matrix, nights: Sequence[str], alpha: float
) -> Iterator[NightScore]:
    """Yield the mean of each night."""
    selected = scores.select(topics=[*matrix.topics], measures=[measure])
    intervals = selected.interval("t", confidence=1 - alpha)
    for night in nights:
        interval = intervals[night][measure]
        yield NightScore(measure, run, night, interval.n, interval.mean, interval.low, interval.high)
