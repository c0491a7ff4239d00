"""Gates of suites: verdicts on macro means, also on slices of topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from cranfield.arrays import TOLERANCE
from cranfield.comparison.suite_slices import SuiteSlicePair
from cranfield.comparison.suites import Suite, SuitePair
from cranfield.errors import InputError, check_choice
from cranfield.scores import Note
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.gate import Gate, GateVerdict, Undecided, check_margin, decide_by_interval
from cranfield.stats.measure_scores import find_ranking_measures, format_reasons, get_sign
from cranfield.stats.paired import build_t_outcome
from cranfield.stats.power import topics_to_decide
from cranfield.stats.result import format_p

_Pair: TypeAlias = SuitePair | SuiteSlicePair


def build_suite_gate(suite: Suite, margin: float | None, undecided: Undecided) -> Gate:
    """Decide for every measure, and every tested slice, whether the systems may replace the baselines."""
    _check_suite(suite, margin)
    check_choice("undecided", undecided, Undecided)
    measures, excluded = find_ranking_measures(suite.means)
    if not measures:
        raise InputError(f"no measure to decide by{format_reasons(excluded)}", "a measure that ranks runs")
    means = {("", row.measure, row.run): row.mean for row in suite.runs}
    means |= {(f"{row.attribute} {row.slice}", row.measure, row.run): row.mean for row in suite.slices}
    rows: list[_Pair] = [*suite.pairs, *suite.slice_pairs]
    pairs = [row for measure in measures for row in rows if row.measure == measure]
    verdicts = [_build_verdict(suite, pair, means, margin) for pair in pairs if pair.run not in suite.baselines]
    estimates = " of the standardised difference" if suite.standardise else ""
    notes = tuple(_note_measures(suite, measures))
    settings = suite.alpha, margin, undecided, estimates
    return Gate(tuple(verdicts), "t", *settings, notes=notes, slice_rule=_describe_slices(suite))


def _check_suite(suite: Suite, margin: float | None) -> None:
    """Raise an error for a suite or a margin that a gate cannot decide by."""
    if suite.seeds:
        problem = "the check for worse runs is not defined for systems of several runs"
        raise InputError.from_problem(problem, "Compare single runs.")
    if not suite.baselines:
        raise InputError.from_problem("the suite has no baseline", "Use suite(…, baseline=…).")
    if margin is None:
        return
    check_margin(margin, suite.alpha)
    causes = {
        "standardised differences": suite.standardise,
        "slices of topics": bool(suite.slices),
        "clusters of topics": any(scores.clusters for scores in suite.scores.values()),
    }
    for name, is_cause in causes.items():
        if is_cause:
            raise InputError.from_problem(f"a margin is not defined with {name}", "Leave one of them out.")


def _note_measures(suite: Suite, measures: list[str]) -> Iterator[Note]:
    for name in suite.measures:
        if name not in measures:
            yield Note("no-verdict", f"{name} has no verdict: neither high nor low values are better")


def _describe_slices(suite: Suite) -> str:
    """Return the test and the correction of the verdicts on slices."""
    if not suite.slices:
        return ""
    corrected = f", {CORRECTIONS[suite.correction].title} for all pairs and slices of an attribute"
    return f"paired t-test{corrected if suite.correction != 'none' else ''}"


def _build_verdict(
    suite: Suite, pair: _Pair, means: Mapping[tuple[str, str, str], float], margin: float | None
) -> GateVerdict:
    """Return the verdict on a pair, by the corrected p or by the margin."""
    attribute, part = getattr(pair, "attribute", ""), getattr(pair, "slice", "")
    sign = get_sign(suite.means, pair.measure)
    mean, other = (means[f"{attribute} {part}".strip(), pair.measure, run] for run in (pair.run, pair.other))
    is_ratio = other > 0 and not suite.standardise
    verdict = GateVerdict(
        pair.measure, pair.run, pair.other,
        "fail" if pair.verdict == "worse" else "pass",
        pair.topics, pair.difference, mean / other - 1 if is_ratio else None, pair.low, pair.high,
        pair.pvalue, pair.wins, pair.ties, pair.losses, sign < 0,
        shown_p=format_p(pair.pvalue), attribute=attribute, slice=part, collections=pair.collections,
    )  # fmt: skip
    if margin is None or not isinstance(pair, SuitePair):
        return verdict
    outcome = build_t_outcome("", sign * pair.difference, pair.se, pair.df, pair.topics, "", "two-sided", ())
    interval = outcome.confidence_interval(1 - 2 * suite.alpha)
    decision = decide_by_interval(interval, margin, TOLERANCE * max(abs(mean), abs(other)))
    variance = pair.topics * pair.se**2
    needed = topics_to_decide(sign * pair.difference, variance, margin, suite.alpha)
    low, high = sorted((sign * interval.low, sign * interval.high))
    return replace(verdict, decision=decision, low=low, high=high, needed=needed if decision == "undecided" else None)
