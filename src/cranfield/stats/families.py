"""Tests of many pairs of systems, and the correction of p-values.

Joint tests of all systems (Tukey's HSD, randomised or not) control the family-wise error rate
themselves. Tests of two systems are run pair by pair, and their p-values are corrected.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, describe_value, is_one_of
from cranfield.scores import Interval, Note
from cranfield.stats import clusters, paired, tukey
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.crossed import compare_clustered_runs, compare_runs
from cranfield.stats.few_topics import is_out_of_reach, limit_p_by_shape, limit_p_by_signs
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import Outcome, Sampled
from cranfield.stats.samples import Axes, Matrix, Systems, Topics, to_matrix
from cranfield.wording import format_count, format_names, suggest_keywords

__all__ = ["PairTest", "compare_pairs"]


@dataclass(frozen=True)
class Test:
    """Row of `TESTS`: a test that compares systems.

    `function` takes the scores of two systems and returns an `Outcome`. If `is_joint`, it takes a
    `Matrix` of all systems and returns a `Family`. A `random` test takes trials, seed and threads.
    `estimates` describes the parameter of its interval. `limit_p` returns the smallest p-value that
    a number of topics can justify, `smallest_p` the smallest p-value for these numbers of
    differences other than 0, if a bound is known. `batch_function`, if set, does the same as
    `function` for many pairs, or for many matrices if `is_joint`, and is faster. A `crossed` test
    takes the runs of two systems, `Matrix.replicates`, instead of their means. `clustered` does the
    same for the pairs of a matrix with clusters of topics. It is None if there is no such test.
    """

    name: str
    title: str
    function: Callable[..., Any]
    is_joint: bool = False
    random: bool = False
    estimates: str = "the difference of means"
    limit_p: Callable[[int], float] = limit_p_by_signs
    smallest_p: Callable[[Floats], float] | None = None
    batch_function: Callable[..., Any] | None = None
    crossed: bool = False
    clustered: Callable[..., Iterator[Outcome]] | None = None


_TESTS = (
    Test("randomised-tukey", "randomised Tukey HSD test", tukey.randomised_tukey_hsd,
         is_joint=True, random=True, batch_function=tukey.run_randomised_tukey_hsds,
         clustered=clusters.run_clustered_tukey),
    Test("tukey", "Tukey HSD test", tukey.tukey_hsd, is_joint=True,
         limit_p=limit_p_by_shape),
    Test("randomisation", "paired randomisation test", paired.randomisation, random=True,
         smallest_p=paired.find_smallest_sign_p, batch_function=paired.run_randomisations,
         clustered=partial(clusters.run_clustered_pairs, clusters.clustered_randomisation)),
    Test("t", "paired t-test", paired.t_test, limit_p=limit_p_by_shape,
         smallest_p=paired.find_smallest_t_p,
         clustered=partial(clusters.run_clustered_pairs, clusters.clustered_t_test)),
    Test("wilcoxon", "Wilcoxon signed-rank test", paired.wilcoxon,
         estimates="the pseudo-median of differences", smallest_p=paired.find_smallest_rank_p),
    Test("sign", "sign test", paired.sign_test, estimates="the median difference",
         smallest_p=paired.find_smallest_sign_p),
    Test("bootstrap", "paired bootstrap test (studentised)", paired.bootstrap, random=True,
         clustered=partial(clusters.run_clustered_pairs, clusters.clustered_bootstrap)),
    Test("bootstrap-shift", "paired bootstrap test (mean shift)",
         partial(paired.bootstrap, studentised=False), random=True),
    Test("crossed", "crossed t-test", compare_runs, limit_p=limit_p_by_shape, crossed=True,
         clustered=compare_clustered_runs),
)  # fmt: skip
TESTS = {test.name: test for test in _TESTS}
"""All tests by name. The defaults are chosen by `usual_test`."""
TESTS_OF_RUNS = tuple(name for name, test in TESTS.items() if not test.crossed)
"""Tests of runs. The others need systems of several runs."""


@dataclass(frozen=True)
class PairTest:
    """Two systems by number, the outcome of their test, and the corrected p-value.

    `interval` is the interval of the test, if a confidence was requested. The outcome does not keep
    its trials: thousands of pairs would need too much memory. `smallest_pvalue` is also corrected.
    """

    first: int
    second: int
    outcome: Outcome
    pvalue: float
    interval: Interval | None = None
    smallest_pvalue: float = 0.0

    def pvalue_at(self, alpha: float) -> float:
        """Return the corrected p-value, or the smallest one if `alpha` is below it."""
        return max(self.pvalue, self.smallest_pvalue * self.is_hopeless(alpha))

    def is_hopeless(self, alpha: float) -> bool:
        """Return True if no difference, however large, can be significant."""
        return is_out_of_reach(self.smallest_pvalue, alpha)

    @property
    def sampled(self) -> Sampled | None:
        """Trials, seed and Monte-Carlo error of a test that counts trials."""
        return self.outcome.sampled


def get_default_test(systems: int) -> str:
    """Return the default test for a number of systems.

    >>> get_default_test(2), get_default_test(5)
    ('randomisation', 'randomised-tukey')
    """
    return "randomisation" if systems == 2 else "randomised-tukey"


def get_default_correction(test: str, pairs: int) -> str:
    """Return the default correction: Holm's if several pairs are tested one by one.

    >>> default = get_default_correction
    >>> default("t", 3), default("t", 1), default("tukey", 3)
    ('holm', 'none', 'none')
    """
    return "holm" if is_one_of(test, TESTS) and not TESTS[test].is_joint and pairs > 1 else "none"


def choose_test(test: str | None, correction: str | None, systems: int, pairs: int) -> tuple[str, str]:
    """Return the given test and correction, or the defaults.

    >>> choose_test(None, None, systems=2, pairs=1), choose_test("t", None, systems=3, pairs=3)
    (('randomisation', 'none'), ('t', 'holm'))
    """
    test = get_default_test(systems) if test is None else test
    return test, get_default_correction(test, pairs) if correction is None else correction


def count_steps(test: str | None, systems: int, pairs: int, trials: int) -> int:
    """Return the number of steps that a test of these pairs reports to `progress`.

    >>> [count_steps(test, 3, 3, trials=100) for test in ("t", "bootstrap", None)]
    [3, 300, 100]
    """
    row = TESTS[choose_test(test, None, systems, pairs)[0]]
    return (trials if row.random else 1) * (1 if row.is_joint else pairs)


def note_reach(
    measure: str, tested: Sequence[PairTest], test: str, correction: str, trials: int, alpha: float
) -> tuple[Note, ...]:
    """Note that no difference, however large, can be significant."""
    first_pair, outcome = tested[0], tested[0].outcome
    if not first_pair.is_hopeless(alpha):
        return ()
    family = len(tested) if CORRECTIONS[correction].family_wise else 1
    required, noun = find_required_size(test, outcome, alpha / family)
    size = format_count(trials if noun == "trial" else count_units(outcome)[0], noun)
    pairs = f" for {format_count(family, 'pair')}" if family > 1 else ""
    smallest = f"with {size} the smallest p-value of this test is {first_pair.smallest_pvalue:.4f}{pairs}"
    no_interval = first_pair.interval is not None and math.isinf(first_pair.interval.high)
    text = f"{measure}: {smallest}, above α = {alpha:g}: no verdict{', no interval' * no_interval}"
    return (Note("hopeless", f"{text}. Use {format_count(required, noun)} or more"),)


def name_subjects(
    measure: str, systems: Sequence[str], notes: Sequence[tuple[PairTest, Sequence[Note]]]
) -> list[tuple[str, Note]]:
    """Add a subject to each note: the pair, or the measure for all pairs."""
    times = Counter(note for _, of_pair in notes for note in of_pair)
    return [
        (
            measure if times[note] == len(notes) else f"{measure}, {systems[pair.first]} – {systems[pair.second]}",
            note,
        )
        for pair, of_pair in notes
        for note in of_pair
    ]


def find_required_size(test: str, outcome: Outcome, alpha: float) -> tuple[int, str]:
    """Return the number of topics, or trials, with which a test can reach `alpha`.

    >>> x, y = [0.5, 0.7, 0.9], [0.4, 0.5, 0.6]
    >>> find_required_size("bootstrap", paired.bootstrap(x, y), 0.05)  # 2 / 2⁶
    (6, 'topic')
    >>> find_required_size("bootstrap", paired.bootstrap(x, y, trials=2), 0.05)  # 1 / (19 + 1)
    (19, 'trial')
    """
    smallest = TESTS[test].limit_p
    units, noun = count_units(outcome)
    if smallest(units) < outcome.smallest_pvalue:
        return math.ceil(1 / alpha - 1e-9) - 1, "trial"
    return count_required_topics(test, alpha), noun


def count_units(outcome: Outcome) -> tuple[int, str]:
    """Return the number of independent units, and their noun: topics or clusters of topics."""
    if isinstance(outcome, clusters.ClusteredOutcome):
        return outcome.clusters, "cluster"
    return outcome.n, "topic"


def count_required_topics(test: str, alpha: float) -> int:
    """Return the smallest number of topics that can justify a p-value of `alpha`.

    >>> count = count_required_topics
    >>> count("sign", 0.05), count("sign", 0.05 / 3), count("t", 0.05)
    (6, 7, 2)
    """
    return next(n for n in count(2) if not is_out_of_reach(TESTS[test].limit_p(n), alpha))


@suggest_keywords
def compare_pairs(
    scores: Systems,
    test: str | None = None,
    pairs: Sequence[tuple[str | int, str | int]] | None = None,
    correction: str | None = None,
    trials: int = TRIALS,
    seed: int = 0,
    topics: Topics = "same",
    confidence: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    axes: Axes | None = None,
) -> list[PairTest]:
    """Test pairs of systems, by default all of them.

    `scores` are Scores of one measure, ``{system: {topic: score}}``, or an array with its `axes`,
    ``("topics", "runs")`` or ``("runs", "topics")``.

    `test` is ``randomised-tukey`` (the default for more than two systems), ``tukey``,
    ``randomisation`` (the default for two), ``t``, ``wilcoxon``, ``sign``, ``bootstrap`` or
    ``bootstrap-shift``. `correction`, for tests of two systems, is ``holm`` (the default),
    ``bonferroni``, ``bh`` or ``none``. The functions of these tests and corrections have
    references.

    `pairs` contain systems by name, or by number from 0. Joint tests use all systems, whichever
    pairs are requested. P-values are corrected for the number of requested pairs.

    >>> x = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.3, 0.5, 0.6], "c": [0.9, 0.8, 0.7, 0.9]}
    >>> [pair.pvalue for pair in compare_pairs(x, "randomisation")]  # 3 pairs × 2 / 2 ** 4
    [0.375, 0.375, 0.375]
    """
    systems = to_matrix(scores, topics, axes)
    numbers = systems.pairs if pairs is None else _find_pairs(systems, pairs)
    trial_settings: dict[str, Any] = {"trials": trials, "seed": seed, "threads": threads}
    test_settings = [systems], [numbers], test, correction, confidence
    return compare_each(*test_settings, **trial_settings, progress=progress)[0]


def compare_each(
    matrices: Sequence[Matrix],
    pairs: Sequence[Sequence[tuple[int, int]]],
    test: str | None = None,
    correction: str | None = None,
    confidence: float | None = None,
    *,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[list[PairTest]]:
    """Compute `compare_pairs` for several matrices of the same systems.

    `pairs` are given by number; each matrix has the same number of pairs.
    """
    test, correction = choose_test(test, correction, len(matrices[0].systems), len(pairs[0]))
    trial_settings = {"trials": trials, "seed": seed, "threads": threads}
    each = _check_and_test(matrices, pairs, test, correction, trial_settings, progress)
    return [
        _correct_outcomes(numbers, outcomes, correction, confidence)
        for numbers, outcomes in zip(pairs, each, strict=True)
    ]


def compare_slices(
    slices: Sequence[Matrix],
    pairs: Sequence[tuple[int, int]],
    test: str,
    correction: str,
    confidence: float,
    *,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
) -> list[list[PairTest]]:
    """Test the same pairs on each slice of the topics. P-values are corrected over all pairs and slices."""
    trial_settings = {"trials": trials, "seed": seed, "threads": threads}
    each = _check_and_test(slices, [pairs] * len(slices), test, correction, trial_settings, None)
    tested = _correct_outcomes([*pairs] * len(slices), chain.from_iterable(each), correction, confidence)
    return [tested[begin : begin + len(pairs)] for begin in range(0, len(tested), len(pairs))]


def _check_and_test(
    matrices: Sequence[Matrix],
    pairs: Sequence[Sequence[tuple[int, int]]],
    test: str,
    correction: str,
    trial_settings: dict[str, Any],
    progress: Progress | None,
) -> Iterator[Iterable[Outcome]]:
    """Check a test, and return the outcomes of the pairs of each matrix."""
    _check_test(test, correction)
    row = TESTS[test]
    if row.crossed and not all(part.replicates for part in matrices):
        problem = f"test {test!r} compares systems of several runs"
        raise InputError.from_problem(problem, "Use compare(…, systems=…) or --systems, or cf.stats.crossed.")
    if row.clustered is None and any(part.clusters is not None for part in matrices):
        names = [name for name, other in TESTS.items() if other.clustered is not None and other.crossed == row.crossed]
        raise InputError(f"test {test!r} with clusters of topics", f"one of {', '.join(names)}")
    return _compute_outcomes(row, matrices, pairs, trial_settings if row.random else {}, progress)


def _correct_outcomes(
    pairs: Sequence[tuple[int, int]],
    outcomes: Iterable[Outcome],
    correction: str,
    confidence: float | None,
) -> list[PairTest]:
    tested = [(_drop_trials(o), None if confidence is None else o.confidence_interval(confidence)) for o in outcomes]
    adjusted = CORRECTIONS[correction]([outcome.pvalue for outcome, _ in tested]).pvalues
    family = len(tested) if CORRECTIONS[correction].family_wise else 1
    return [
        PairTest(i, j, outcome, float(p), interval, min(1.0, family * outcome.smallest_pvalue))
        for (i, j), (outcome, interval), p in zip(pairs, tested, adjusted, strict=True)
    ]


def _check_test(test: str, correction: str) -> None:
    """Raise an error for an unknown test or correction, or an impossible combination."""
    for kind, name, choices in (("test", test, TESTS), ("correction", correction, CORRECTIONS)):
        if not is_one_of(name, choices):
            raise InputError(f"{kind} {describe_value(name)}", f"one of {', '.join(choices)}")
    if TESTS[test].is_joint and correction != "none":
        expected = f"none: the {TESTS[test].title} allows for the number of systems by itself"
        raise InputError(f"correction {correction!r}", expected)


def _find_pairs(systems: Matrix, pairs: Sequence[Any]) -> list[tuple[int, int]]:
    """Return pairs of systems by number. `pairs` contain names or numbers."""
    places: dict[Any, int] = {name: i for i, name in enumerate(systems.systems)}
    places |= {i: i for i in range(len(systems.systems))}
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2 or not set(pair) <= places.keys():
            raise InputError(f"pair {pair!r}", f"two of {format_names(systems.systems, 'system')}")
    return [(places[first], places[second]) for first, second in pairs]


def _drop_trials(outcome: Outcome) -> Outcome:
    return replace(outcome, bounds=_raise_no_bounds)


def _raise_no_bounds(confidence: float) -> tuple[float, float]:
    raise InputError.from_problem("the pair has no interval", "Use compare_pairs(…, confidence=0.95).")


def _compute_outcomes(
    test: Test,
    matrices: Sequence[Matrix],
    pairs: Sequence[Sequence[tuple[int, int]]],
    trial_settings: dict[str, Any],
    progress: Progress | None,
) -> Iterator[Iterable[Outcome]]:
    """Yield the outcomes of the pairs of each matrix."""
    if any(part.clusters is not None for part in matrices):
        for part, numbers in zip(matrices, pairs, strict=True):
            yield _test_clusters(test, part, numbers, trial_settings, progress)
        return
    if test.is_joint and test.batch_function is not None:
        families = test.batch_function(matrices, **trial_settings, progress=progress)
    elif test.is_joint:
        families = map(test.function, matrices)
    else:
        for systems, numbers in zip(matrices, pairs, strict=True):
            yield _test_pairs(test, systems, numbers, trial_settings, progress)
        return
    for family, numbers in zip(families, pairs, strict=True):
        names = family.systems
        yield [family.pair(names[i], names[j]) for i, j in numbers]


def _test_clusters(
    test: Test,
    part: Matrix,
    pairs: Sequence[tuple[int, int]],
    trial_settings: dict[str, Any],
    progress: Progress | None,
) -> Iterable[Outcome]:
    """Test pairs by cluster, or without clusters if each cluster has one topic."""
    if test.clustered is not None and part.clusters is not None and not part.clusters.are_single:
        return test.clustered(part, part.clusters, pairs, progress=progress, **trial_settings)
    single = replace(part, clusters=None)
    return next(iter(_compute_outcomes(test, [single], [pairs], trial_settings, progress)))


def _test_pairs(
    test: Test,
    systems: Matrix,
    pairs: Sequence[tuple[int, int]],
    trial_settings: dict[str, Any],
    progress: Progress | None,
) -> Iterator[Outcome]:
    if test.batch_function is not None:
        yield from test.batch_function(systems.values, pairs, **trial_settings, progress=progress)
    else:
        samples = systems.replicates if test.crossed else systems.values.T
        for i, j in pairs:
            yield test.function(samples[i], samples[j], **trial_settings)
            if progress is not None:
                progress(trial_settings.get("trials", 1))
