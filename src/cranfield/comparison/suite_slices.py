"""Slices of topics in a suite: macro means and differences on the slices of all collections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from cranfield.comparison.pairs import Verdict
from cranfield.comparison.suite_estimates import SuiteEstimate, SuiteEstimator, SuitePart, build_outcome, mean
from cranfield.data.attributes import NONE
from cranfield.dataclass import dataclass
from cranfield.scores import Note
from cranfield.scores.clusters import MIN_CLUSTERS
from cranfield.scores.slices import MIN_TOPICS, group_topics
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.result import Outcome
from cranfield.wording import format_names


@dataclass(frozen=True)
class SuiteSlice:
    """Macro mean of a system on a slice, over the collections that have the slice."""

    measure: str
    attribute: str
    slice: str
    run: str
    collections: int
    topics: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class SuiteSlicePair:
    """Comparison of two systems on a slice, over the collections that have the slice.

    `pvalue` is corrected for all pairs and slices of the attribute. `wins` counts collections.
    """

    measure: str
    attribute: str
    slice: str
    run: str
    other: str
    collections: int
    topics: int
    difference: float
    low: float
    high: float
    pvalue: float
    uncorrected: float
    wins: int
    ties: int
    losses: int
    verdict: Verdict


@dataclass(frozen=True)
class SuiteSlices:
    """Rows of slices by one measure, and notes."""

    slices: tuple[SuiteSlice, ...] = ()
    pairs: tuple[SuiteSlicePair, ...] = ()
    notes: tuple[Note, ...] = ()


def compare_slices(
    estimator: SuiteEstimator, measure: str, better: str, names: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> SuiteSlices:
    """Compare pairs of systems on the slices of all attributes.

    A slice of a collection needs 5 topics, and 3 clusters if topics have clusters.
    """
    attributes = dict.fromkeys(chain.from_iterable(part.attributes for part in estimator.parts))
    results = [_compare_attribute(estimator, measure, attribute, better, names, pairs) for attribute in attributes]
    return SuiteSlices(
        tuple(chain.from_iterable(result.slices for result in results)),
        tuple(chain.from_iterable(result.pairs for result in results)),
        tuple(chain.from_iterable(result.notes for result in results)),
    )


def _compare_attribute(
    estimator: SuiteEstimator,
    measure: str,
    attribute: str,
    better: str,
    names: Sequence[str],
    pairs: Sequence[tuple[str, str]],
) -> SuiteSlices:
    """Compare pairs of systems on the slices of an attribute."""
    parts, excluded = _split_parts(estimator.parts, attribute)
    estimators = {name: _restrict(estimator, of_slice) for name, of_slice in parts.items()}
    slices = [
        SuiteSlice(measure, attribute, name, run, *_count(part), *_estimate_mean(part, run))
        for name, part in estimators.items()
        for run in names
    ]
    estimates = [(name, part, part.compare(*pair)) for name, part in estimators.items() for pair in pairs]
    outcomes = [build_outcome(mean(x.d), x.variance, len(x.d)) for _, _, x in estimates]
    row = CORRECTIONS[estimator.settings.correction]
    uncorrected = [outcome.pvalue for outcome in outcomes]
    pvalues = row(uncorrected).pvalues if len(uncorrected) > 1 else uncorrected
    level = estimator.settings.alpha / (len(estimates) if row.simultaneous else 1)
    rows = [
        _build_pair((measure, attribute, name), part, estimate, outcome, float(pvalue), level, better)
        for (name, part, estimate), outcome, pvalue in zip(estimates, outcomes, pvalues, strict=True)
    ]
    return SuiteSlices(tuple(slices), tuple(rows), tuple(_note_excluded(f"{measure}, {attribute}", excluded)))


def _split_parts(parts: Sequence[SuitePart], attribute: str) -> tuple[dict[str, list[SuitePart]], dict[str, list[str]]]:
    """Return the parts of collections on each slice, and the collections where slices are too small."""
    slices: dict[str, list[SuitePart]] = {}
    excluded: dict[str, list[str]] = {}
    for part in parts:
        for name, topics in group_topics(part.attributes.get(attribute, {})).items():
            restricted = part.select_topics(topics, 1.0)
            few_clusters = restricted.clusters is not None and len(restricted.clusters) < MIN_CLUSTERS
            if name == NONE:
                continue
            if len(restricted.values) < MIN_TOPICS or few_clusters:
                excluded.setdefault(name, []).append(part.collection)
            else:
                slices.setdefault(name, []).append(restricted)
    return slices, excluded


def _restrict(estimator: SuiteEstimator, parts: Sequence[SuitePart]) -> SuiteEstimator:
    """Return the estimator of a slice. The parts of a collection have the same weight."""
    collections = tuple(dict.fromkeys(part.collection for part in parts))
    sizes = {name: sum(part.collection == name for part in parts) for name in collections}
    weighted = [replace(part, weight=1 / sizes[part.collection]) for part in parts]
    return replace(estimator, parts=weighted, collections=collections)


def _count(estimator: SuiteEstimator) -> tuple[int, int]:
    """Return the numbers of collections and topics."""
    return len(estimator.collections), sum(map(estimator.count_topics, estimator.collections))


def _estimate_mean(estimator: SuiteEstimator, run: str) -> tuple[float, float, float]:
    """Return the macro mean of a system with its interval."""
    means = [
        mean([float(estimator.get_systems(part, run).mean()) for part in estimator.list_parts(name)])
        for name in estimator.collections
    ]
    outcome = build_outcome(mean(means), estimator.estimate_variance([run], estimator.collections), len(means))
    ends = outcome.confidence_interval(estimator.confidence)
    return outcome.difference, ends.low, ends.high


def _build_pair(
    key: tuple[str, str, str],
    estimator: SuiteEstimator,
    estimate: SuiteEstimate,
    outcome: Outcome,
    pvalue: float,
    level: float,
    better: str,
) -> SuiteSlicePair:
    ends, sign = outcome.confidence_interval(1 - level), -1 if better == "lower" else 1
    verdict: Verdict = ""
    if pvalue <= estimator.settings.alpha and better != "neither" and outcome.difference:
        verdict = "better" if sign * outcome.difference > 0 else "worse"
    wins, losses = (int((side * sign * estimate.d > 0).sum()) for side in (1, -1))
    counts = wins, len(estimate.d) - wins - losses, losses
    numbers = outcome.difference, ends.low, ends.high, pvalue, outcome.pvalue
    return SuiteSlicePair(*key, estimate.run, estimate.other, *_count(estimator), *numbers, *counts, verdict)


def _note_excluded(subject: str, excluded: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    """Note the slices that are too small on some collections."""
    for name, collections in excluded.items():
        listed = format_names([*dict.fromkeys(collections)], "collection")
        text = f"{subject}: slice {name} has fewer than {MIN_TOPICS} topics (or {MIN_CLUSTERS} clusters) on {listed}"
        yield Note("small-slice", f"{text}, excluded there")
