"""Scores at many cutoffs, computed from runs that are labelled once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_reader import call_with_split
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import LabelledRun
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.options import Settings
from cranfield.measures.base import Measure
from cranfield.measures.parameters import format_value, is_number
from cranfield.measures.selection import MeasuresLike
from cranfield.scores import Scores

CURVE = "IPrec"  # points are recall levels
MAX_CONTIGUOUS = 20  # rankings up to this length get a point per rank
ROUND_CUTOFFS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)  # cutoffs of longer rankings, times 1, 10, 100, …
MAX_CUTOFFS, MAX_CUTOFF = 200, 1_000_000_000  # number of cutoffs, highest cutoff


class Point(NamedTuple):
    """The summary of a measure over topics at one cutoff or recall level."""

    run: str
    measure: str
    at: float
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Curves:
    """Scores at many cutoffs, with the columns of each measure by cutoff."""

    scores: Scores
    columns: Mapping[str, Mapping[float, str]]
    of_recall: frozenset[str]  # measures with recall levels as points

    def iter_points(self, confidence: float | None = None) -> Iterator[Point]:
        """Yield the points by measure and run, with t intervals if a confidence is given."""
        kinds = dict(zip(self.scores.measures, self.scores.summaries, strict=True))
        intervals = {} if confidence is None else self.scores.interval(confidence=confidence)
        for measure, columns in self.columns.items():
            for run, means in self.scores.summary().items():
                for cutoff, column in columns.items():
                    ends: tuple[float | None, ...] = None, None
                    if intervals and kinds[column] != "sum":
                        ends = intervals[run][column].low, intervals[run][column].high
                    yield Point(run, measure, cutoff, means[column], *ends)


def compute_curves(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = CURVE,
    cutoffs: Iterable[float] | None = None,
    **options: Unpack[Settings],
) -> Curves:
    """Compute measures at many cutoffs. For IPrec, the cutoffs are recall levels.

    `cutoffs` are ranks in any order (default: chosen for the longest ranking). Measures have no
    cutoff. Runs are read once.

    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}
    >>> [(p.at, p.value) for p in compute_curves(qrels, run, "Recall").iter_points()]
    [(1, 0.5), (2, 0.5), (3, 1.0)]
    """
    evaluator = Evaluator(qrels, measures, **options)
    _check_measures(evaluator.measures)
    selected = None if cutoffs is None else check_cutoffs(cutoffs, evaluator.measures)

    def compute(each: Sequence[Run]) -> Curves:
        labelled = [evaluator.collection.label(run) for run in each]
        scores_uncut = evaluator.score_labelled(labelled)  # raises an error for runs that cannot be scored
        ranks = selected or choose_cutoffs(_find_longest(evaluator, labelled))
        variants = {m: _set_cutoffs(m, selected, ranks) for m in evaluator.measures}
        measures_at_cutoffs = [m for by_cutoff in variants.values() for m in by_cutoff.values()]
        scores = evaluator.with_measures(measures_at_cutoffs).score_labelled(labelled)
        return Curves(
            # The notes of the measures without a cutoff are not repeated for every cutoff.
            replace(scores, notes=scores_uncut.notes),
            {
                _get_name(m): {cutoff: measure.names()[0] for cutoff, measure in by_cutoff.items()}
                for m, by_cutoff in variants.items()
            },
            frozenset(_get_name(m) for m in variants if _is_recall(m)),
        )

    return call_with_split(evaluator.read(runs), compute)


def choose_cutoffs(longest: int) -> tuple[int, ...]:
    """Return all ranks of a short ranking, or round ranks and the last rank.

    >>> choose_cutoffs(3), choose_cutoffs(60)
    ((1, 2, 3), (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 60))
    """
    last = max(longest, 1)
    if last <= MAX_CONTIGUOUS:
        return tuple(range(1, last + 1))
    steps = (step * 10**e for e in range(len(str(last))) for step in ROUND_CUTOFFS)
    return (*(int(step) for step in steps if step < last and step == int(step)), last)


def check_cutoffs(cutoffs: Iterable[float], measures: Sequence[Measure] = ()) -> tuple[Any, ...]:
    """Return the distinct cutoffs in order: ranks, or recall levels."""
    recalls = {_is_recall(m) for m in measures} or {False}
    if len(recalls) > 1:
        names = ", ".join(map(str, measures))
        raise InputError.from_problem(f"{names} have different cutoffs: ranks and recall levels")
    (of_recall,) = recalls
    low, high = (0, 1) if of_recall else (1, MAX_CUTOFF)
    expected = "recall levels in [0, 1]" if of_recall else f"integers from 1 to {MAX_CUTOFF:,}"
    if isinstance(cutoffs, str) or not isinstance(cutoffs, Iterable):
        raise InputError(f"cutoffs {cutoffs!r}", expected)
    values = [*cutoffs]
    for cutoff in values:
        if not (is_number(cutoff) and low <= cutoff <= high and (of_recall or cutoff % 1 == 0)):
            raise InputError(f"cutoff {format_value(cutoff)}", expected)
    if not 1 <= len({*values}) <= MAX_CUTOFFS:
        raise InputError(f"{len({*values})} cutoffs", f"from 1 to {MAX_CUTOFFS}")
    return tuple(sorted({*values} if of_recall else {*map(int, values)}))


def _check_measures(measures: Iterable[Measure]) -> None:
    """Raise an error for measures with a cutoff or with several columns."""
    for m in measures:
        if m.cutoff is not None:
            raise InputError.from_problem(f"{m} has a cutoff. Use {type(m).__name__}.")
        if not _is_recall(m) and len((m @ 1).names()) > 1:
            raise InputError.from_problem(f"{m} has several columns")


def _set_cutoffs(m: Measure, recalls: Sequence[float] | None, ranks: Sequence[float]) -> dict[float, Measure]:
    """Return the measure at each of its cutoffs."""
    points: Sequence[float] = ranks
    if _is_recall(m):
        points = recalls or m.list_recalls()  # type: ignore[attr-defined]
    names = {cutoff: f"{m.called}@{format_value(cutoff)}" if m.called else "" for cutoff in points}
    return {cutoff: replace(m, cutoff=cutoff, called=names[cutoff]) for cutoff in points}  # type: ignore[arg-type]


def _is_recall(m: Measure) -> bool:
    return m.cutoff_name == "recall"


def _get_name(m: Measure) -> str:
    return m.called or str(m)


def _find_longest(evaluator: Evaluator, labelled: Iterable[LabelledRun]) -> int:
    """Return the length of the longest ranking, at most the depth."""
    collection, depth = evaluator.collection, evaluator.options.depth
    lists = [collection.select_topics(labelled_run.rankings).lengths for labelled_run in labelled]
    longest = max(int(lengths.max(initial=0)) for lengths in lists)
    return longest if depth is None else min(longest, depth)


# -- judged documents -----------------------------------------------------------------------------

COUNTS = ("NumRet", "NumJudgedRet", "NumRelRet")


class JudgedRange(NamedTuple):
    """The judged documents of a run between two ranks.

    `documents` counts the documents of all topics at these ranks. `judged` and `relevant` are
    fractions of them, None if there are no documents. `judged_to` is Judged@last, the mean over
    topics.
    """

    run: str
    first: int
    last: int
    documents: int
    judged: float | None
    relevant: float | None
    judged_to: float


def compute_judged_by_rank(
    qrels: QrelsLike, runs: RunsLike, cutoffs: Iterable[float] | None = None, **options: Unpack[Settings]
) -> tuple[list[JudgedRange], Scores]:
    """Return the fraction of judged documents of each run, by rank or between cutoffs.

    The second value are the scores with their notes.

    >>> qrels, run = {"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "b", "y"]}
    >>> [(row.first, row.last, row.judged) for row in compute_judged_by_rank(qrels, run, [1, 4])[0]]
    [(1, 1, 1.0), (2, 4, 0.3333333333333333)]
    """
    curves = compute_curves(qrels, runs, ("Judged", *COUNTS), cutoffs, **options)
    fractions, *counts = curves.columns.values()
    rows = []
    for run, value in curves.scores.summary().items():
        cumulative: dict[float, list[float]] = {0: [0.0] * len(COUNTS)}
        for start, last in pairwise((0, *map(int, fractions))):
            cumulative[last] = [value[columns[last]] for columns in counts]
            pairs = zip(cumulative[last], cumulative[start], strict=True)
            returned, *counted = (current - previous for current, previous in pairs)
            judged, relevant = (count / returned if returned else None for count in counted)
            documents, to_last = int(returned), value[fractions[last]]
            rows.append(JudgedRange(run, start + 1, last, documents, judged, relevant, to_last))
    return rows, curves.scores
