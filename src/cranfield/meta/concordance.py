"""Concordance test of measures against simpler gold measures.

Count the pairs of rankings on which two measures disagree, and how often each of the two is
concordant with gold measures. Gold measures are simple measures that every good measure should
respect, such as intent recall and precision.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import tables
from cranfield.arrays import Bools, Floats, estimate_rounding, subtract_rounded
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, to_list
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.lazy_imports import special
from cranfield.meta.results import MethodResult, format_summary
from cranfield.scores import Note
from cranfield.stats.measure_scores import (
    MeasureScores,
    check_run_count,
    extract_measure,
    find_ranking_measures,
    format_reasons,
)
from cranfield.stats.result import check_alpha
from cranfield.stats.samples import check_topic_count
from cranfield.stats.tables import build_p_column
from cranfield.tables import Field, ResultTable, build_columns, build_grid_columns, build_pair_columns
from cranfield.wording import format_count, suggest_keywords

__all__ = ["Concordance", "concordance"]

Signs: TypeAlias = NDArray[np.int8]


@dataclass(frozen=True)
class ConcordancePair:
    """Two measures that disagree, and how often each agrees with all gold measures.

    `compared` is the number of pairs of rankings, `disagreements` the number of pairs on which the
    two measures strictly disagree. Among these, a measure is `concordant` if no gold measure
    contradicts it. It `wins` if it is concordant and the other measure is not.

    >>> names = "D#-nDCG", "ERR-IA", ("I-rec", "P")
    >>> pair = ConcordancePair(*names, 6800, 1106, concordant=(778, 316), wins=(592, 130))
    >>> [f"{share:.0%}" for share in (*pair.shares, *pair.win_shares)]
    ['70%', '29%', '54%', '12%']
    """

    first: str
    second: str
    gold: tuple[str, ...]
    compared: int
    disagreements: int
    concordant: tuple[int, int]
    wins: tuple[int, int]

    @property
    def shares(self) -> tuple[float, float]:
        """Conc(first | second, gold) and Conc(second | first, gold), nan without disagreements."""
        return self._divide_by_disagreements(self.concordant)

    @property
    def win_shares(self) -> tuple[float, float]:
        """Fractions of disagreements that each measure wins, nan without disagreements."""
        return self._divide_by_disagreements(self.wins)

    def _divide_by_disagreements(self, counts: tuple[int, int]) -> tuple[float, float]:
        n = self.disagreements or np.nan
        return counts[0] / n, counts[1] / n

    @property
    def pvalue(self) -> float:
        """P-value of the exact sign test on the wins."""
        return compute_sign_test(*self.wins)


@dataclass(frozen=True)
class Concordance(MethodResult):
    """Result of the concordance test, for every pair of measures.

    `pairs` has the result with each gold measure and with all gold measures together.
    """

    _human_tables = ("matrix",)
    _flat_tables = ("pairs",)

    pairs: tuple[ConcordancePair, ...]
    measures: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    alpha: float
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        numbers = {}
        for pair in self.with_gold():
            numbers[f"{pair.first} against {pair.second}"] = pair.shares[0]
            numbers[f"{pair.second} against {pair.first}"] = pair.shares[1]
        descriptions = [format_count(len(self.runs), "run"), format_count(len(self.topics), "topic")]
        return format_summary(self, [*descriptions, f"gold {' and '.join(self.gold[-1])}"], numbers)

    def with_gold(self, *names: str) -> tuple[ConcordancePair, ...]:
        """Return the pairs of measures, compared by these gold measures."""
        selection = names or self.gold[-1]
        if selection not in self.gold:
            valid_names = "; ".join(map(", ".join, self.gold))
            problem = f"unknown gold measures {', '.join(selection)}"
            raise InputError.from_problem(problem, f"Valid: {valid_names}.")
        return tuple(pair for pair in self.pairs if pair.gold == selection)

    def _build_tables(self) -> list[ResultTable]:
        return [build_matrix_table(self), build_pairs_table(self)]

    def _build_settings(self) -> dict[str, Any]:
        values = tables.read_settings(self, "alpha", "gold", "runs", "topics")
        return values | {"gold": [*map(format_gold, self.gold)]}


@suggest_keywords
def concordance(
    scores: ScoresLike, gold: str | Sequence[Any], measures: Sequence[Any] | None = None, alpha: float = 0.01
) -> Concordance:
    """Run the concordance test: which of two measures agrees with simple gold measures?

    For all pairs of runs (X, Y) and all topics, with ΔM = M(X) − M(Y): M1 and M2 disagree if ΔM1 ·
    ΔM2 < 0. In this case, M1 is concordant with the gold measure M* if ΔM1 · ΔM* ≥ 0.

    Conc(M1|M2, M*) = (disagreements where M1 is concordant) / (disagreements)

    Several gold measures are used one by one, then together: a measure is concordant with all of
    them if it is concordant with each. The sign test uses the disagreements on which exactly one of
    the two measures is concordant. It assumes independent disagreements. Pairs that share a run are
    dependent, so the p-value is too low. `alpha` is the level of significance.

    All measures of `scores` except the gold measures are compared, or the named `measures`.
    Differences below the rounding error (1e-12 of the largest score) count as 0. The sign of
    measures with lower is better is reversed. Topics with an undefined score are excluded from that
    measure.

    Reference: Sakai 2012, Evaluation with Informational and Navigational Intents, WWW; Sakai 2014,
    Metrics, Statistics, Tests, section 5.3 (Figure 17, Table 2).

    >>> from cranfield.scores import Scores
    >>> scores = Scores(  # M1 prefers x, M2 prefers y; gold says x in topic 1 and neither in 2
    ...     values=[[[0.9, 0.1, 1.0], [0.8, 0.3, 0.5]], [[0.5, 0.2, 0.5], [0.6, 0.4, 0.5]]],
    ...     runs=["x", "y"], topics=["1", "2"],
    ...     measures=["M1", "M2", "gold"], summaries=["mean"] * 3,
    ... )
    >>> [pair] = concordance(scores, "gold").pairs
    >>> pair.disagreements, pair.concordant, pair.wins, pair.pvalue
    (2, (2, 1), (1, 0), 1.0)
    """
    check_alpha(alpha)
    scores = read_scores(scores)
    golden, selected = _parse_measure_names(gold, measures)
    check_run_count(scores)
    check_topic_count(len(scores.topics), 1)
    names, exclusions = find_ranking_measures(scores, [m for m in selected or scores.measures if m not in golden])
    candidates = {name: extract_measure(scores, name) for name in names}
    standard = {name: extract_measure(scores, name) for name in find_ranking_measures(scores, golden)[0]}
    _check_gold_measures(standard, golden)
    if len(candidates) < 2:
        problem = f"{format_count(len(candidates), 'measure')} to compare{format_reasons(exclusions)}"
        raise InputError(problem, "at least 2")
    every_measure = candidates | standard
    signs = {name: _compute_pair_signs(item.values) for name, item in every_measure.items()}
    gold_sets = dict.fromkeys([*((name,) for name in golden), golden])  # one by one, then all
    return Concordance(
        tuple(chain(*(_compare_measures(candidates, standard, signs, names) for names in gold_sets))),
        tuple(candidates),
        tuple(gold_sets),
        alpha,
        scores.runs,
        scores.topics,
        (*scores.notes, *exclusions, *chain(*(item.notes for item in every_measure.values()))),
    )


def _parse_measure_names(
    gold: str | Sequence[Any], measures: Sequence[Any] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the gold measures and of the measures to compare, if given."""
    gold_list = [gold] if isinstance(gold, str) else to_list("gold", gold, "names of measures")
    golden = tuple(dict.fromkeys(map(str, gold_list)))
    if not golden:
        raise InputError.from_problem("no gold measure given")
    selected = () if measures is None else tuple(map(str, to_list("measures", measures, "names")))
    if duplicates := [name for name in selected if name in golden]:
        raise InputError.from_problem(f"{duplicates[0]} is both a measure and a gold measure")
    return golden, selected


def _compare_measures(
    candidates: Mapping[str, MeasureScores],
    standard: Mapping[str, MeasureScores],
    signs: Mapping[str, Signs],
    gold: tuple[str, ...],
) -> list[ConcordancePair]:
    """Compare all pairs of measures by these gold measures."""
    defined = np.logical_and.reduce([standard[name].defined for name in gold])
    agrees: dict[str, Bools] = {
        m: np.logical_and.reduce([signs[m] * signs[name] >= 0 for name in gold]) for m in candidates
    }
    pairs = []
    for first, second in combinations(candidates, 2):
        topics = defined & candidates[first].defined & candidates[second].defined
        disagree = (signs[first] * signs[second] < 0) & topics
        of_first, of_second = disagree & agrees[first], disagree & agrees[second]
        counts = len(disagree) * _count(topics), _count(disagree)
        concordant = _count(of_first), _count(of_second)
        wins = _count(of_first & ~of_second), _count(of_second & ~of_first)
        pairs.append(ConcordancePair(first, second, gold, *counts, concordant, wins))
    return pairs


def _count(flags: Bools) -> int:
    return int(np.count_nonzero(flags))


def _compute_pair_signs(values: Floats) -> Signs:
    """Return the better of two runs as 1, 0 or −1: [pairs of runs, topics]."""
    first, second = np.triu_indices(values.shape[1], 1)
    return compute_signs(values[:, first].T, values[:, second].T, values)


def compute_signs(first: Floats, second: Floats, values: Floats) -> Signs:
    """Return 1 if the first value is greater, −1 if the second is, 0 within the rounding error."""
    z = subtract_rounded(first, second, estimate_rounding(values))
    return np.subtract(z > 0, z < 0, dtype=np.int8)


def compute_sign_test(first: int, second: int) -> float:
    """Return the two-sided p-value of wins and losses: binomial with p = ½, 1 without any.

    >>> round(compute_sign_test(4, 1), 4)  # 2 · (1 + 5) / 2⁵
    0.375
    """
    return min(1.0, 2 * float(special.bdtr(min(first, second), first + second, 0.5)))


def _check_gold_measures(standard: Mapping[str, MeasureScores], names: Sequence[str]) -> None:
    """Raise an error for gold measures without a direction."""
    if unordered := [name for name in names if name not in standard]:
        problem = f"gold measure {unordered[0]} has no direction: neither high nor low is better"
        raise InputError.from_problem(problem)


# -- tables and figures ---------------------------------------------------------------------------


def build_matrix_table(result: Concordance) -> ResultTable:
    """Return the measures against each other, for each set of gold measures."""
    rows = [(gold, first) for gold in result.gold for first in result.measures[:-1]]
    cells = {(p.gold, p.first, p.second): format_cell(p, result.alpha) for p in result.pairs}
    key = [
        Field("gold", None, texts=[format_gold(gold) for gold, _ in rows], key=True),
        Field("measure", None, texts=[first for _, first in rows], key=True),
    ]
    columns = build_grid_columns(rows, result.measures[1:], lambda row, second: cells.get((*row, second), "–"))
    text = (
        f"Concordance test: {_describe_comparison(result)}. Percentages of the pairs of rankings "
        "on which the measures of row and column strictly disagree (number in parentheses): the "
        f"measure of the row / of the column is concordant with {_describe_gold(result)}. "
        f"†: significant by the exact sign test (p ≤ α = {result.alpha:g}) on the disagreements "
        "in which only one of the two is concordant."
    )
    return ResultTable("matrix", [*key, *columns], text)


def build_pairs_table(result: Concordance) -> ResultTable:
    """Return a row for each pair of measures and set of gold measures."""
    column = tables.bind_rows(result.pairs)
    return tables.build_table(
        "pairs",
        f"Concordance test: {_describe_comparison(result)}. Share: percentage of the disagreements "
        f"in which a measure is concordant with {_describe_gold(result)}. Wins: only this measure "
        f"is concordant. p: exact sign test on the wins. * p ≤ α = {result.alpha:g}.",
        column("gold", lambda pair: format_gold(pair.gold), key=True),
        *build_columns(column, "first", "second", key=True),
        column("compared", visible=False),
        column("disagreements"),
        *build_pair_columns(column, "concordant", "concordant", visible=False),
        *build_pair_columns(column, "share", "shares", text=_format_share),
        *build_pair_columns(column, "wins", "wins"),
        build_p_column(result.pairs, result.alpha),
        column("significant", lambda pair: pair.pvalue <= result.alpha, visible=False),
    )


def format_cell(pair: ConcordancePair, alpha: float) -> str:
    """Format a cell of the matrix: ``70%/29%† (1106)``."""
    if not pair.disagreements:
        return "– (0)"
    first, second = (f"{share:.0%}" for share in pair.shares)
    return f"{first}/{second}{'†' if pair.pvalue <= alpha else ''} ({pair.disagreements})"


def format_gold(gold: Sequence[str]) -> str:
    """Join the names of gold measures.

    >>> format_gold(["IRec@10", "P@10"])
    'IRec@10 & P@10'
    """
    return " & ".join(gold)


def _format_share(share: float) -> str:
    """Format a percentage, or a dash for nan (no disagreement)."""
    return "–" if math.isnan(share) else f"{share:.1%}"


def _describe_comparison(result: Concordance) -> str:
    lists = max((pair.compared for pair in result.pairs), default=0)
    run_pairs = math.comb(len(result.runs), 2)
    size = tables.format_runs_and_topics(len(result.runs), *(pair.compared // run_pairs for pair in result.pairs))
    return f"{format_count(lists, 'pair')} of rankings of {size}"


def _describe_gold(result: Concordance) -> str:
    suffix = " measures of the row, all together" if len(result.gold) > 1 else " measure"
    return f"the gold{suffix}"
