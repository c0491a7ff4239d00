"""Measures at many cutoffs: runs are labelled once, and scored wherever somebody looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, with_each
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.collection import Labelled
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.options import Settings
from cranfield.measures.base import Measure
from cranfield.measures.parameters import is_number, shown
from cranfield.scores import Scores

CURVE = "IPrec"  # whose points are recalls
EVERY = 20  # a list so short is looked at rank by rank
ROUND = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)  # cutoffs of longer ones: these, times ten, …
MOST, DEEPEST = 200, 1_000_000_000  # cutoffs, and the last of them


class Point(NamedTuple):
    """The summary of a measure over topics at one cutoff, or recall, with its interval."""

    run: str
    measure: str
    at: float
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Curves:
    """Scores at many cutoffs: `columns` are those of each measure, by cutoff."""

    scores: Scores
    columns: Mapping[str, Mapping[float, str]]
    of_recall: frozenset[str]  # the measures whose points are recalls

    def points(self, confidence: float | None = None) -> Iterator[Point]:
        """Measure by measure and run by run; given a confidence, with t intervals of means."""
        kinds = dict(zip(self.scores.measures, self.scores.summaries, strict=True))
        found = {} if confidence is None else self.scores.interval(confidence=confidence)
        for measure, columns in self.columns.items():
            for run, means in self.scores.summary().items():
                for at, column in columns.items():
                    ends: tuple[float | None, ...] = None, None
                    if found and kinds[column] != "sum":
                        ends = found[run][column].low, found[run][column].high
                    yield Point(run, measure, at, means[column], *ends)


def curves(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = CURVE,
    cutoffs: Iterable[float] | None = None,
    **options: Unpack[Settings],
) -> Curves:
    """Measures against their cutoffs; of IPrec against recall.

    `cutoffs` are ranks, in any order; if none are given, those of `cutoffs_to` the longest list.
    Measures are named without a cutoff. All are computed in one evaluation of runs read once.

    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}
    >>> [(p.at, p.value) for p in curves(qrels, run, "Recall").points()]
    [(1, 0.5), (2, 0.5), (3, 1.0)]
    """
    plain = Evaluator(qrels, measures, **options)
    _refuse_other(plain.measures)
    asked = None if cutoffs is None else checked(cutoffs, plain.measures)

    def scored(each: Sequence[Run]) -> Curves:
        labelled = [plain.collection.label(run) for run in each]
        found = plain.scored(labelled)  # which refuses what cannot be scored
        ranks = asked or cutoffs_to(_longest(plain, labelled))
        made = {m: _at(m, asked, ranks) for m in plain.measures}
        every = [m for of_one in made.values() for m in of_one.values()]
        scores = plain.with_measures(every).scored(labelled)
        return Curves(
            # what is said of a measure need not be said at every cutoff
            replace(scores, notices=found.notices),
            {
                _name(m): {at: one.names()[0] for at, one in of_one.items()}
                for m, of_one in made.items()
            },
            frozenset(_name(m) for m in made if _is_recall(m)),
        )

    return with_each(plain.read(runs), scored)


def cutoffs_to(longest: int) -> tuple[int, ...]:
    """Ranks to look at down to the last of a list: every one, or round ones and the last.

    >>> cutoffs_to(3), cutoffs_to(60)
    ((1, 2, 3), (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 60))
    """
    last = max(longest, 1)
    if last <= EVERY:
        return tuple(range(1, last + 1))
    steps = (step * 10**e for e in range(len(str(last))) for step in ROUND)
    return (*(int(step) for step in steps if step < last and step == int(step)), last)


def checked(cutoffs: Iterable[float], measures: Sequence[Measure] = ()) -> tuple[Any, ...]:
    """The cutoffs that were asked for, each once and in order: ranks, or recalls."""
    recalls = {_is_recall(m) for m in measures} or {False}
    if len(recalls) > 1:
        names = ", ".join(map(str, measures))
        raise InputError(f"cutoffs for {names}", "those of ranks or of recalls: ask one by one")
    (of_recall,) = recalls
    low, high = (0, 1) if of_recall else (1, DEEPEST)
    expected = "recalls from 0 to 1" if of_recall else f"whole numbers from 1 to {DEEPEST:,}"
    if isinstance(cutoffs, str) or not isinstance(cutoffs, Iterable):
        raise InputError(f"cutoffs {cutoffs!r}", expected)
    found = [*cutoffs]
    for at in found:
        if not (is_number(at) and low <= at <= high and (of_recall or at % 1 == 0)):
            raise InputError(f"cutoff {shown(at)}", expected)
    if not 1 <= len({*found}) <= MOST:
        raise InputError(f"{len({*found})} cutoffs", f"from 1 to {MOST}")
    return tuple(sorted({*found} if of_recall else {*map(int, found)}))


def _refuse_other(measures: Iterable[Measure]) -> None:
    """Refuse what has no cutoff left to choose, or gives several numbers at each."""
    for m in measures:
        if m.cutoff is not None:
            raise InputError(m, f"a measure without a cutoff, such as {type(m).__name__}")
        if not _is_recall(m) and len((m @ 1).names()) > 1:
            raise InputError(f"{m}, which gives several numbers", "a measure that gives one")


def _at(m: Measure, asked: Sequence[float] | None, ranks: Sequence[float]) -> dict[float, Measure]:
    """A measure at each of its points."""
    points: Sequence[float] = ranks
    if _is_recall(m):
        points = asked or m.recalls()  # type: ignore[attr-defined]
    named = {at: f"{m.called}@{shown(at)}" if m.called else "" for at in points}
    return {at: replace(m, cutoff=at, called=named[at]) for at in points}  # type: ignore[arg-type]


def _is_recall(m: Measure) -> bool:
    return m.at_name == "recall"


def _name(m: Measure) -> str:
    return m.called or str(m)


def _longest(evaluator: Evaluator, labelled: Iterable[Labelled]) -> int:
    """The length of the longest list, as far as it is looked at."""
    collection, depth = evaluator.collection, evaluator.options.depth
    lists = [collection.of_chosen(one.rankings).lengths for one in labelled]
    longest = max(int(lengths.max(initial=0)) for lengths in lists)
    return longest if depth is None else min(longest, depth)


# -- judged documents -----------------------------------------------------------------------------

COUNTS = ("NumRet", "NumJudgedRet", "NumRelRet")


class Judged(NamedTuple):
    """How much of the documents of a run between two ranks, and down to the last, is judged.

    `documents` are those of all topics at these ranks: lists that end above have none there. Of
    them `judged` and `relevant` are shares, None if there are none; `judged_to` is Judged@last, the
    mean over topics.
    """

    run: str
    first: int
    last: int
    documents: int
    judged: float | None
    relevant: float | None
    judged_to: float


def judged_by_rank(
    qrels: QrelsLike,
    runs: RunsLike,
    cutoffs: Iterable[float] | None = None,
    **options: Unpack[Settings],
) -> tuple[list[Judged], Scores]:
    """How much of each run is judged, rank by rank or between one cutoff and the next.

    Beside it the scores that this is made of, with what is to be known of them.

    >>> qrels, run = {"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "b", "y"]}
    >>> [(row.first, row.last, row.judged) for row in judged_by_rank(qrels, run, [1, 4])[0]]
    [(1, 1, 1.0), (2, 4, 0.3333333333333333)]
    """
    found = curves(qrels, runs, ("Judged", *COUNTS), cutoffs, **options)
    shares, *counts = found.columns.values()
    made = []
    for run, value in found.scores.summary().items():
        down_to: dict[float, list[float]] = {0: [0.0] * len(COUNTS)}
        for above, last in pairwise((0, *map(int, shares))):
            down_to[last] = [value[columns[last]] for columns in counts]
            between = zip(down_to[last], down_to[above], strict=True)
            there, *those = (down - before for down, before in between)
            judged, relevant = (one / there if there else None for one in those)
            documents, to_last = int(there), value[shares[last]]
            made.append(Judged(run, above + 1, last, documents, judged, relevant, to_last))
    return made, found.scores
