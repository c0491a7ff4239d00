"""Gates of comparisons: verdicts on runs, also on slices of topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, subtract_rounded
from cranfield.comparison import Comparison, PairComparison
from cranfield.comparison.slices import SlicePair, SliceTest, extract_matrix, select_slice
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.scores import Note
from cranfield.scores.slices import group_topics
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, count_required_topics
from cranfield.stats.few_topics import is_out_of_reach
from cranfield.stats.gate import Gate, GateVerdict, Undecided, check_margin, within_margin
from cranfield.stats.measure_scores import find_ranking_measures, format_reasons, get_sign
from cranfield.stats.resampling import TRIALS
from cranfield.stats.samples import Matrix
from cranfield.wording import format_names

Pair: TypeAlias = PairComparison | SlicePair


def build_gate(comparison: Comparison, margin: float | None, undecided: Undecided) -> Gate:
    """Decide for every measure, and every tested slice, whether the runs may replace the baselines."""
    _check_comparison(comparison, margin)
    check_choice("undecided", undecided, Undecided)
    measures, excluded = find_ranking_measures(comparison.scores)
    if not measures:
        raise InputError(f"no measure to decide by{format_reasons(excluded)}", "a measure that ranks runs")
    families = [family for family in _list_families(comparison) if family.measure in measures]
    verdicts = [
        family.build_verdict(pair, margin)
        for family in families
        for pair in family.pairs
        if pair.run not in comparison.baselines
    ]
    estimates = TESTS[comparison.test].estimates
    estimated = "" if "mean" in estimates else f" of {estimates}"
    trials = None if comparison.enumerated else comparison.trials
    notes = (*_note_measures(comparison, measures), *_note_slices(comparison))
    settings = comparison.test, comparison.alpha, margin, undecided, estimated, trials, notes
    return Gate(tuple(verdicts), *settings, slice_rule=_describe_slices(comparison))


def _describe_slices(comparison: Comparison) -> str:
    """Return the test and the correction of the verdicts on slices."""
    test = comparison.slice_test
    if test is None:
        return ""
    corrected = f", {CORRECTIONS[test.correction].title} for all pairs and slices of an attribute"
    return f"{TESTS[test.test].title}{corrected if test.correction != 'none' else ''}"


def _check_comparison(comparison: Comparison, margin: float | None) -> None:
    """Raise an error for a comparison or a margin that a gate cannot decide by."""
    if comparison.systems:
        problem = "the check for worse runs is not defined for systems of several runs"
        raise InputError.from_problem(problem, "Compare single runs.")
    if not comparison.baselines:
        problem = "the comparison has no baseline"
        raise InputError.from_problem(problem, "Use compare(…, baseline=…).")
    if margin is not None:
        check_margin(margin, comparison.alpha)
        for name, value in (("slices", comparison.scores.attributes), ("clusters", comparison.scores.clusters)):
            if value:
                raise InputError.from_problem(
                    f"a margin is not defined with {name} of topics", "Leave one of them out."
                )


def _note_measures(comparison: Comparison, measures: Sequence[str]) -> Iterator[Note]:
    for name in comparison.scores.measures:
        if name not in measures:
            yield Note("no-verdict", f"{name} has no verdict: neither high nor low values are better")


def _note_slices(comparison: Comparison) -> Iterator[Note]:
    """Note the slices without a verdict."""
    for attribute in comparison.scores.attributes:
        rows = [row for row in comparison.slice_pairs if row.attribute == attribute and row.pvalue is None]
        names = [*dict.fromkeys(row.slice for row in rows)]
        if names:
            yield Note("no-verdict", f"{attribute}: {format_names(names, 'slice')} without a verdict, not tested")


@dataclass(frozen=True, eq=False)
class _Family:
    """Pairs by one measure whose p-values are corrected together, with the settings of their test.

    `values` are the scores of the topics of each slice (``""``: all topics), and `means` the means
    by slice and run.
    """

    comparison: Comparison
    measure: str
    pairs: Sequence[Pair]
    test: str
    correction: str
    trials: int | None  # None if all outcomes are enumerated
    shown_p: Callable[[Any], str]
    values: Mapping[str, Matrix]
    means: Mapping[tuple[str, str], float]

    def build_verdict(self, pair: Pair, margin: float | None) -> GateVerdict:
        """Return the verdict on a pair."""
        name = getattr(pair, "slice", "")
        part, sign = self.values[name], get_sign(self.comparison.scores, self.measure)
        x, y = (part.values[:, part.systems.index(run)] for run in (pair.run, pair.other))
        mean, other = (self.means[name, run] for run in (pair.run, pair.other))
        verdict = GateVerdict(
            pair.measure, pair.run, pair.other,
            "fail" if pair.verdict == "worse" else "pass",
            pair.topics, pair.difference, mean / other - 1 if other > 0 else None, pair.low, pair.high,
            pair.pvalue or 0.0,
            pair.wins, pair.ties, pair.losses, sign < 0, shown_p=self.shown_p(pair),
            attribute=getattr(pair, "attribute", ""), slice=name,
        )  # fmt: skip
        if margin is None:
            return self._decide_by_test(verdict, pair, _compute_unit_differences(x, y, part), part)
        result = within_margin(sign * x, sign * y, margin, self.comparison.alpha, *self._choose_draws())
        low, high = sorted((sign * result.interval.low, sign * result.interval.high))
        b_low, b_high = sorted((sign * result.bootstrap.low, sign * result.bootstrap.high))
        return replace(
            verdict,
            decision=result.decision,
            low=low,
            high=high,
            bootstrap_low=b_low,
            bootstrap_high=b_high,
            by_bootstrap=result.by_bootstrap,
            needed=result.needed,
        )

    def _choose_draws(self) -> tuple[int, int]:
        return self.comparison.trials or TRIALS, self.comparison.seed or 0

    def _decide_by_test(self, verdict: GateVerdict, pair: Pair, z: Floats, part: Matrix) -> GateVerdict:
        """Return the verdict by the test, undecided if no loss could have been significant.

        `z` are the differences of topics, or their sums over clusters.
        """
        least, alpha = self._compute_smallest_p(pair, z, part), self.comparison.alpha
        verdict = replace(verdict, least=least, smallest=pair.smallest_pvalue)
        if part.clusters is not None:
            verdict = replace(verdict, clusters=len(part.clusters), differing=int(np.count_nonzero(z)))
        hopeless = is_out_of_reach(pair.smallest_pvalue, alpha)
        if verdict.decision == "fail" or not (hopeless or _is_unseen_loss(verdict, alpha)):
            return verdict
        level = alpha / (len(self.pairs) if CORRECTIONS[self.correction].family_wise else 1)
        if self.trials and is_out_of_reach(1 / (self.trials + 1), level):
            return replace(verdict, decision="undecided")  # too few trials, not topics
        if hopeless:
            required: int | None = count_required_topics(self.test, level)
        else:  # topics that differ
            n, differ = len(z), int(np.count_nonzero(z))
            more = ((k, (np.arange(n) < k) * np.arange(1.0, n + 1)) for k in range(differ + 1, n))
            smallest = ((k, self._compute_smallest_p(pair, signs, part)) for k, signs in more)
            required = next((k for k, p in smallest if p is not None and p <= alpha), n)
        return replace(verdict, decision="undecided", needed=required)

    def _compute_smallest_p(self, pair: Pair, z: Floats, part: Matrix) -> float | None:
        """Return the smallest p-value of a pair that differs on these topics, or clusters."""
        row = TESTS[self.test]
        if row.smallest_p is None or (part.clusters is not None and not row.random):
            return None  # clusters differ in size, so only signs of clusters have a bound
        least = max(row.smallest_p(z), 1 / (self.trials + 1) if self.trials else 0.0)
        pvalues = [least if p is pair else p.uncorrected or 0.0 for p in self.pairs]
        return float(CORRECTIONS[self.correction](pvalues).pvalues[self.pairs.index(pair)])


def _compute_unit_differences(x: Floats, y: Floats, part: Matrix) -> Floats:
    """Return the differences of topics, or their sums over clusters, without rounding errors."""
    z = subtract_rounded(x, y, TOLERANCE * part.scale)
    if part.clusters is None:
        return z
    sums = part.clusters.sum(z)
    return np.where(np.abs(sums) <= TOLERANCE * part.scale * part.clusters.sizes.max(), 0.0, sums)


def _is_unseen_loss(verdict: GateVerdict, alpha: float) -> bool:
    """Return True for a loss on too few topics to be significant."""
    if verdict.least is None or not is_out_of_reach(verdict.least, alpha):
        return False
    worse = -verdict.difference if verdict.lower_is_better else verdict.difference
    return worse < 0 or verdict.losses > verdict.wins


def _list_families(comparison: Comparison) -> Iterator[_Family]:
    """Yield the pairs on all topics by each measure, then the pairs on slices of each attribute."""
    trials = None if comparison.enumerated else comparison.trials
    for measure in comparison.scores.measures:
        part = extract_matrix(comparison.scores, measure)
        pairs = [pair for pair in comparison.pairs if pair.measure == measure]
        means = {("", row.run): row.mean for row in comparison.runs if row.measure == measure}
        test = comparison.test, comparison.correction, trials
        yield _Family(comparison, measure, pairs, *test, comparison.shown_p, {"": part}, means)
    if comparison.slice_test is not None:
        yield from _list_slice_families(comparison, comparison.slice_test)


def _list_slice_families(comparison: Comparison, test: SliceTest) -> Iterator[_Family]:
    """Yield the tested pairs on the slices of each attribute, by measure."""
    for measure, (attribute, values) in product(comparison.scores.measures, comparison.scores.attributes.items()):
        part = extract_matrix(comparison.scores, measure)
        pairs = [
            pair
            for pair in comparison.slice_pairs
            if (pair.measure, pair.attribute) == (measure, attribute) and pair.pvalue is not None
        ]
        means = {
            (row.slice, row.run): row.mean
            for row in comparison.slices
            if (row.measure, row.attribute) == (measure, attribute)
        }
        parts = {name: select_slice(part, topics) for name, topics in group_topics(values).items()}
        settings = test.test, test.correction, test.trials, test.shown_p
        yield _Family(comparison, measure, pairs, *settings, parts, means)
