"""Comparisons on slices of topics: means, pairs, and whether differences depend on the slice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, subtract_rounded
from cranfield.comparison.pairs import Verdict, choose_verdict, collect_pair_notes, count_signs, count_wins
from cranfield.comparison.systems import SystemRuns
from cranfield.data.attributes import NONE
from cranfield.dataclass import dataclass
from cranfield.scores import Note, Scores
from cranfield.scores.clusters import MIN_CLUSTERS, Clusters, compute_cr2_error, note_few_clusters
from cranfield.scores.slices import MIN_TOPICS, SliceSummary, group_topics, summarise_slices
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, PairTest, compare_slices, find_required_size, get_default_correction
from cranfield.stats.measure_scores import extract_measure
from cranfield.stats.result import format_p, is_fully_enumerated
from cranfield.stats.samples import Matrix, mean
from cranfield.stats.slices import Interaction, build_interaction, is_constant, permute_slices
from cranfield.wording import format_count, format_names

_COLUMNS = 64  # pairs whose permutations are in memory together


@dataclass(frozen=True)
class SlicePair:
    """Comparison of two runs on the topics of a slice, as `PairComparison`.

    `pvalue` is corrected for all pairs and slices of the attribute. Slices of fewer than 5 topics,
    and topics without a value, have no interval (NaN) and no p-value (None).
    """

    measure: str
    attribute: str
    slice: str
    run: str
    other: str
    topics: int
    difference: float
    low: float
    high: float
    pvalue: float | None
    uncorrected: float | None
    wins: int
    ties: int
    losses: int
    verdict: Verdict
    smallest_pvalue: float = 0.0


@dataclass(frozen=True)
class SliceInteraction:
    """Welch's test whether the difference of two runs is the same on all slices of an attribute.

    `pvalue` is corrected for the number of pairs (Holm). `permutation` is the p-value by permutation
    of the slices over topics, None for topics in clusters.
    """

    measure: str
    attribute: str
    run: str
    other: str
    slices: int
    topics: int
    statistic: float
    df1: float
    df2: float
    pvalue: float
    uncorrected: float
    permutation: float | None


@dataclass(frozen=True)
class SliceTest:
    """Test and correction of the pairs on slices. `trials` is None if no trials are random."""

    test: str
    correction: str
    trials: int | None = None

    def shown_p(self, pair: SlicePair) -> str:
        """Format the p-value of a pair on a slice."""
        return "–" if pair.pvalue is None else format_p(pair.pvalue)


@dataclass(frozen=True)
class SliceResults:
    """Rows of all tables of slices, the test, and notes."""

    slices: tuple[SliceSummary, ...] = ()
    pairs: tuple[SlicePair, ...] = ()
    interactions: tuple[SliceInteraction, ...] = ()
    test: SliceTest | None = None
    notes: tuple[Note, ...] = ()

    @classmethod
    def merge(cls, results: Sequence[SliceResults]) -> SliceResults:
        """Return the rows and notes of several results."""
        return cls(
            tuple(row for result in results for row in result.slices),
            tuple(row for result in results for row in result.pairs),
            tuple(row for result in results for row in result.interactions),
            notes=tuple(note for result in results for note in result.notes),
        )


# -- topics of slices -----------------------------------------------------------------------------


def extract_matrix(scores: Scores, measure: str) -> Matrix:
    """Extract the scores of a measure, with the clusters of topics."""
    part = extract_measure(scores, measure, turned=False).matrix
    if not scores.clusters:
        return part
    return replace(part, clusters=Clusters.from_labels([scores.clusters[topic] for topic in part.topics]))


def select_slice(part: Matrix, topics: Sequence[str]) -> Matrix:
    """Return the part of a matrix with some of its topics."""
    names = {*topics}
    rows = [row for row, topic in enumerate(part.topics) if topic in names]
    return part.select_topics(rows, None if part.clusters is None else part.clusters.select(rows))


def is_tested(name: str, part: Matrix) -> bool:
    """Return True if a slice has a value, 5 topics and, if topics have clusters, 3 clusters."""
    has_clusters = part.clusters is None or len(part.clusters) >= MIN_CLUSTERS
    return name != NONE and len(part.topics) >= MIN_TOPICS and has_clusters


# -- all measures and attributes ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SliceComparer:
    """Settings of comparisons on slices. `correction` is None for the default."""

    scores: Scores
    alpha: float
    test: str
    correction: str | None
    draws: Mapping[str, Any]  # trials, seed, threads
    groups: SystemRuns | None = None

    def compare(self, parts: Sequence[Matrix], pairs: Sequence[Sequence[tuple[int, int]]]) -> SliceResults:
        """Compare the pairs of each measure on the slices of all attributes."""
        if not self.scores.attributes:
            return SliceResults()
        results = [
            self._compare_attribute(m, part, numbers, attribute)
            for m, (part, numbers) in enumerate(zip(parts, pairs, strict=True))
            for attribute in self.scores.attributes
        ]
        merged = SliceResults.merge(results)
        trials = max((result.test.trials or 0 for result in results if result.test is not None), default=0)
        test = SliceTest(*self._choose_test(), trials or None)
        return replace(merged, test=test, notes=(*merged.notes, *self._note_seeds()))

    def _choose_test(self) -> tuple[str, str]:
        """Return the test of two runs, randomisation instead of Tukey's tests, and the correction."""
        test = "randomisation" if TESTS[self.test].is_joint else self.test
        return test, get_default_correction(test, pairs=2) if self.correction is None else self.correction

    def _note_seeds(self) -> Iterator[Note]:
        if self._has_random_seeds:
            yield Note("no-interaction", "differences between slices are not tested for other seeds. Use --seeds fixed")

    @property
    def _has_random_seeds(self) -> bool:
        return self.groups is not None and self.groups.seeds == "random"

    def _compare_attribute(
        self, m: int, part: Matrix, pairs: Sequence[tuple[int, int]], attribute: str
    ) -> SliceResults:
        """Compare pairs on the slices of one attribute by one measure."""
        measure, better = self.scores.measures[m], self.scores.better[m]
        subject = f"{measure}, {attribute}"
        parts = self._split_topics(part, attribute)
        tested = {name: x for name, x in parts.items() if is_tested(name, x)}
        by_slice, settings = self._test_slices(tested, pairs)
        rows = [
            row
            for name, x in parts.items()
            for row in self._build_pairs((measure, attribute, name), x, pairs, by_slice.get(name), better)
        ]
        interactions, notes = self._test_interactions((measure, attribute), part, tested, pairs)
        return SliceResults(
            tuple(self._summarise(measure, attribute, parts)),
            tuple(rows),
            interactions,
            settings,
            (*self._note_tests(subject, parts, by_slice), *self._note_sizes(subject, parts, by_slice), *notes),
        )

    def _split_topics(self, part: Matrix, attribute: str) -> dict[str, Matrix]:
        """Return the scores on each slice."""
        topics = {*part.topics}
        values = {topic: x for topic, x in self.scores.attributes[attribute].items() if topic in topics}
        return {name: select_slice(part, names) for name, names in group_topics(values).items()}

    def _test_slices(
        self, tested: Mapping[str, Matrix], pairs: Sequence[tuple[int, int]]
    ) -> tuple[dict[str, list[PairTest]], SliceTest]:
        """Test the pairs on each slice, corrected for all of them."""
        (test, correction), size = self._choose_test(), len(tested) * len(pairs)
        level = self.alpha / size if size and CORRECTIONS[correction].simultaneous else self.alpha
        outcomes = compare_slices([*tested.values()], pairs, test, correction, 1 - level, **self.draws)
        is_random = TESTS[test].random and not is_fully_enumerated(x.outcome.sampled for row in outcomes for x in row)
        trials = self.draws["trials"] if is_random and outcomes else None
        return dict(zip(tested, outcomes, strict=True)), SliceTest(test, correction, trials)

    def _note_tests(
        self, subject: str, parts: Mapping[str, Matrix], tested: Mapping[str, Sequence[PairTest]]
    ) -> Iterator[Note]:
        """Yield the notes of the tests on slices, each kind once."""
        notes = [
            note
            for name, pairs in tested.items()
            for note in collect_pair_notes(f"{subject} {name}", parts[name], pairs, self.alpha)
            if note.kind in SLICE_NOTES
        ]
        yield from _merge_slice_notes(notes)

    # -- tables -----------------------------------------------------------------------------------

    def _summarise(self, measure: str, attribute: str, parts: Mapping[str, Matrix]) -> Iterator[SliceSummary]:
        """Yield the means on slices, with intervals for other seeds if seeds are random."""
        topics = [topic for part in parts.values() for topic in part.topics]
        selected = self.scores.select(topics=topics, measures=[measure])
        values = {attribute: selected.attributes[attribute]}
        [summary] = selected.summaries
        for row in summarise_slices(replace(selected, attributes=values), 1 - self.alpha):
            part = parts[row.slice]
            if self._has_random_seeds and self.groups is not None and is_interval(row):
                fields = self.groups.describe_system(part, part.systems.index(row.run), self.alpha, summary)
                yield replace(row, low=fields["low"], high=fields["high"])
            else:
                yield row

    def _build_pairs(
        self,
        key: tuple[str, str, str],
        part: Matrix,
        pairs: Sequence[tuple[int, int]],
        tested: Sequence[PairTest] | None,
        better: str,
    ) -> Iterator[SlicePair]:
        """Yield the rows of a slice."""
        n = len(part.topics)
        for place, ((i, j), signs) in enumerate(zip(pairs, count_signs(part, pairs), strict=True)):
            names = part.systems[i], part.systems[j]
            difference, wins = float(part.means[i] - part.means[j]), count_wins(signs, n, better)
            if tested is None:
                yield SlicePair(*key, *names, n, difference, math.nan, math.nan, None, None, *wins, "")
                continue
            pair = tested[place]
            low, high = (math.nan, math.nan) if pair.interval is None else (pair.interval.low, pair.interval.high)
            pvalues = pair.pvalue_at(self.alpha), pair.outcome.pvalue
            verdict = choose_verdict(pair, signs, self.alpha, better)
            yield SlicePair(*key, *names, n, difference, low, high, *pvalues, *wins, verdict, pair.smallest_pvalue)

    def _note_sizes(
        self, subject: str, parts: Mapping[str, Matrix], tested: Mapping[str, Sequence[PairTest]]
    ) -> Iterator[Note]:
        """Note the slices on which no difference can be significant, and slices of few clusters."""
        family = sum(map(len, tested.values())) if CORRECTIONS[self._choose_test()[1]].family_wise else 1
        required: dict[tuple[int, str], list[str]] = {}
        for name, pairs in tested.items():
            if pairs[0].is_hopeless(self.alpha):
                size = find_required_size(self._choose_test()[0], pairs[0].outcome, self.alpha / family)
                required.setdefault(size, []).append(name)
        for (count, noun), names in required.items():
            text = f"{subject}: no difference can be significant on {format_names(names, 'slice')}"
            tests = f" after the correction for {format_count(family, 'test')}" if family > 1 else ""
            yield Note("hopeless", f"{text}{tests}. Use --test t, or {format_count(count, noun)} or more")
        few = [name for name in tested if (found := parts[name].clusters) is not None and note_few_clusters(found)]
        if few:
            text = f"{subject}: {format_names(few, 'slice')} with few clusters: intervals depend on single clusters"
            yield Note("clusters", text)

    # -- interactions -----------------------------------------------------------------------------

    def _test_interactions(
        self, key: tuple[str, str], part: Matrix, tested: Mapping[str, Matrix], pairs: Sequence[tuple[int, int]]
    ) -> tuple[tuple[SliceInteraction, ...], list[Note]]:
        """Run Welch's test for each pair, unless slices have no variance or share a cluster."""
        if len(tested) < 2 or self._has_random_seeds:
            return (), []
        subject = ", ".join(key)
        if shared := _find_shared_clusters(self.scores, tested):
            text = (
                f"{subject}: {format_names(shared, 'cluster')} in two slices: differences between slices are not tested"
            )
            return (), [Note("no-interaction", text)]
        differences, estimates = _estimate_pairs([*tested.values()], pairs, TOLERANCE * part.scale)
        columns = [k for k in range(len(pairs)) if all(row[k].weight is not None for row in estimates)]
        results = [_build_interaction([row[k] for row in estimates], sum(map(len, differences))) for k in columns]
        permuted = self._permute([z[:, columns] for z in differences], part)
        names = [(part.systems[pairs[k][0]], part.systems[pairs[k][1]]) for k in columns]
        constant = [name for name, row in zip(tested, estimates, strict=True) if any(x.weight is None for x in row)]
        notes = _note_constant(subject, constant, len(pairs) - len(columns), len(pairs))
        return tuple(_build_interactions(key, names, results, permuted)), notes

    def _permute(self, differences: Sequence[Floats], part: Matrix) -> Sequence[float | None]:
        """Return the permutation p-values of columns. Topics of clusters cannot be permuted."""
        columns = np.concatenate(differences)
        if part.clusters is not None and not part.clusters.are_single:
            return [None] * columns.shape[1]
        codes = np.repeat(np.arange(len(differences)), [len(z) for z in differences])
        blocks = [columns[:, begin : begin + _COLUMNS] for begin in range(0, columns.shape[1], _COLUMNS)]
        return [p for block in blocks for p in permute_slices(block, codes, **self.draws)]


SLICE_NOTES = ("trials", "normality", "far", "few-topics", "constant")


def is_interval(row: SliceSummary) -> bool:
    """Return True if a slice has an interval."""
    return not math.isnan(row.low)


def _merge_slice_notes(notes: Sequence[Note]) -> Iterator[Note]:
    """Yield the first note of each kind, with the number of other slices."""
    for kind in dict.fromkeys(note.kind for note in notes):
        first, *others = [note for note in notes if note.kind == kind]
        rest = f". Also affected: {format_count(len(others), 'other slice')}" if others else ""
        yield replace(first, text=f"{first.text}{rest}")


def _find_shared_clusters(scores: Scores, tested: Mapping[str, Matrix]) -> list[str]:
    """Return the clusters that are in two slices."""
    if not scores.clusters:
        return []
    slices: dict[str, set[str]] = {}
    for name, part in tested.items():
        for topic in part.topics:
            slices.setdefault(scores.clusters[topic], set()).add(name)
    return [cluster for cluster, names in slices.items() if len(names) > 1]


@dataclass(frozen=True)
class _Estimate:
    """Mean difference on a slice, 1 / SE² (None if SE is 0), and degrees of freedom."""

    mean: float
    weight: float | None
    df: float


def _estimate_difference(z: Floats, clusters: Clusters | None, tolerance: float) -> _Estimate:
    """Estimate a mean difference, with a CR2 standard error for topics in clusters."""
    average = mean(z)
    if is_constant(z, tolerance):
        return _Estimate(average, None, math.nan)
    if clusters is None or clusters.are_single:
        return _Estimate(average, len(z) / float(z.var(ddof=1)), len(z) - 1.0)
    error = compute_cr2_error(z, clusters, tolerance)
    return _Estimate(average, error**-2.0 if error else None, clusters.df)


def _estimate_pairs(
    parts: Sequence[Matrix], pairs: Sequence[tuple[int, int]], tolerance: float
) -> tuple[list[Floats], list[list[_Estimate]]]:
    """Return the differences [topics, pairs] on each slice, and the estimate of each slice and pair."""
    first, second = np.array(pairs).T
    differences = [subtract_rounded(x.values[:, first], x.values[:, second], tolerance) for x in parts]
    estimates = [
        [_estimate_difference(column, x.clusters, tolerance) for column in z.T]
        for z, x in zip(differences, parts, strict=True)
    ]
    return differences, estimates


def _build_interaction(estimates: Sequence[_Estimate], topics: int) -> Interaction:
    """Run Welch's test on the mean differences of slices."""
    means, weights, dfs = (np.array([getattr(x, name) for x in estimates]) for name in ("mean", "weight", "df"))
    return build_interaction(means, weights, dfs, topics)


def _build_interactions(
    key: tuple[str, str],
    names: Sequence[tuple[str, str]],
    results: Sequence[Interaction],
    permuted: Sequence[float | None],
) -> Iterator[SliceInteraction]:
    """Yield the rows of pairs, with p-values corrected for their number (Holm)."""
    corrected = CORRECTIONS["holm"]([result.pvalue for result in results]).pvalues.tolist() if results else []
    for pair, row, pvalue, permutation in zip(names, results, corrected, permuted, strict=True):
        size, degrees = (row.slices, row.topics), (row.df1, row.df2)
        yield SliceInteraction(*key, *pair, *size, row.statistic, *degrees, pvalue, row.pvalue, permutation)


def _note_constant(subject: str, slices: Sequence[str], affected: int, pairs: int) -> list[Note]:
    """Note pairs without a test of the interaction: all differences of a slice are equal."""
    if not affected:
        return []
    names = format_names(slices, "slice")
    which = f" of {affected:,} of {pairs:,} pairs" if pairs > 1 else ""
    text = f"{subject}: all differences on {names} are equal: differences between slices{which} are not tested"
    return [Note("no-interaction", text)]
