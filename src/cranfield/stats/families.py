"""Many pairs of systems tested at once: which tests there are, and what is done about their number.

Tests made for many systems (Tukey's HSD, randomised or not) bound the chance of any false alarm
by themselves. Tests of two systems are done pair by pair, and their p-values corrected.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, brief, is_one_of
from cranfield.scores import Interval, Notice
from cranfield.stats import paired, tukey
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.few_topics import is_out_of_reach, smallest_by_shape, smallest_by_signs
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import Outcome, Sampled
from cranfield.stats.samples import Axes, Matrix, Systems, Topics, matrix
from cranfield.wording import counted, some, suggests_keywords

__all__ = ["PairTest", "compare_pairs"]


@dataclass(frozen=True)
class Test:
    """A test that systems can be compared by: a row of `TESTS`.

    `function` tests two systems, given their scores, and returns an `Outcome`; or all of them at
    once (`many`), given a `Matrix`, and returns a `Family`. One that is `random` takes trials, seed
    and threads. `estimates` is what its interval is of. `smallest` is the smallest p-value that a
    number of topics can justify, `least` the one that so many differences other than 0 could have
    had, if a bound is known. `at_once`, if there is one, does what `function` does for many pairs,
    or for many matrices (`many`), faster.
    """

    name: str
    title: str
    function: Callable[..., Any]
    many: bool = False
    random: bool = False
    estimates: str = "the difference of means"
    smallest: Callable[[int], float] = smallest_by_signs
    least: Callable[[Floats], float] | None = None
    at_once: Callable[..., Any] | None = None


_TESTS = (
    Test("randomised-tukey", "randomised Tukey HSD test", tukey.randomised_tukey_hsd,
         many=True, random=True, at_once=tukey.randomised_tukey_hsds),
    Test("tukey", "Tukey HSD test", tukey.tukey_hsd, many=True,
         smallest=smallest_by_shape),
    Test("randomisation", "paired randomisation test", paired.randomisation,
         random=True, least=paired.least_of_signs, at_once=paired.randomisations),
    Test("t", "paired t-test", paired.t_test, smallest=smallest_by_shape,
         least=paired.least_of_t),
    Test("wilcoxon", "Wilcoxon signed-rank test", paired.wilcoxon,
         estimates="the pseudo-median of differences", least=paired.least_of_ranks),
    Test("sign", "sign test", paired.sign_test, estimates="the median difference",
         least=paired.least_of_signs),
    Test("bootstrap", "paired bootstrap test (studentised)", paired.bootstrap, random=True),
    Test("bootstrap-shift", "paired bootstrap test (mean shift)",
         partial(paired.bootstrap, studentised=False), random=True),
)  # fmt: skip
TESTS = {test.name: test for test in _TESTS}
"""All tests by name. The usual ones are chosen by `usual_test`."""


@dataclass(frozen=True)
class PairTest:
    """Two systems by number, what the test found, and the p-value corrected for their number.

    `interval` is that of the test, if a confidence was asked for. The outcome has forgotten its
    trials: thousands of pairs would keep millions. `smallest_pvalue` is corrected, too.
    """

    first: int
    second: int
    outcome: Outcome
    pvalue: float
    interval: Interval | None = None
    smallest_pvalue: float = 0.0

    def pvalue_at(self, alpha: float) -> float:
        """Return the corrected p-value, or the smallest one if `alpha` is out of its reach."""
        return max(self.pvalue, self.smallest_pvalue * self.is_hopeless(alpha))

    def is_hopeless(self, alpha: float) -> bool:
        """Return True if no difference, however large, could be significant."""
        return is_out_of_reach(self.smallest_pvalue, alpha)

    @property
    def sampled(self) -> Sampled | None:
        """Trials, seed and Monte-Carlo error of a test that counts."""
        return self.outcome.sampled


def usual_test(systems: int) -> str:
    """The test that is done if none is named: by how many systems there are.

    >>> usual_test(2), usual_test(5)
    ('randomisation', 'randomised-tukey')
    """
    return "randomisation" if systems == 2 else "randomised-tukey"


def usual_correction(test: str, pairs: int) -> str:
    """The correction that is made if none is named: Holm's, where pairs are tested one by one.

    >>> usual_correction("t", 3), usual_correction("t", 1), usual_correction("tukey", 3)
    ('holm', 'none', 'none')
    """
    return "holm" if is_one_of(test, TESTS) and not TESTS[test].many and pairs > 1 else "none"


def decided(test: str | None, correction: str | None, systems: int, pairs: int) -> tuple[str, str]:
    """The test and the correction that are named, or else the usual ones.

    >>> decided(None, None, systems=2, pairs=1), decided("t", None, systems=3, pairs=3)
    (('randomisation', 'none'), ('t', 'holm'))
    """
    test = usual_test(systems) if test is None else test
    return test, usual_correction(test, pairs) if correction is None else correction


def steps(test: str | None, systems: int, pairs: int, trials: int) -> int:
    """How many steps a test of these pairs tells its `progress`.

    >>> steps("t", 3, 3, trials=100), steps("bootstrap", 3, 3, 100), steps(None, 3, 3, 100)
    (3, 300, 100)
    """
    row = TESTS[decided(test, None, systems, pairs)[0]]
    return (trials if row.random else 1) * (1 if row.many else pairs)


def about_reach(
    measure: str, tested: Sequence[PairTest], test: str, correction: str, trials: int, alpha: float
) -> tuple[Notice, ...]:
    """Return a notice if no difference, however large, could have been significant."""
    one, outcome = tested[0], tested[0].outcome
    if not one.is_hopeless(alpha):
        return ()
    family = len(tested) if CORRECTIONS[correction].family_wise else 1
    needed, noun = more_to_reach(test, outcome, alpha / family)
    size = counted(outcome.n if noun == "topic" else trials, noun)
    pairs = f" for {counted(family, 'pair')}" if family > 1 else ""
    smallest = f"with {size} the smallest p-value of this test is {one.smallest_pvalue:.4f}{pairs}"
    no_interval = one.interval is not None and math.isinf(one.interval.high)
    text = f"{measure}: {smallest}, above α = {alpha:g}: no verdict{', no interval' * no_interval}"
    return (Notice("hopeless", f"{text}. Use {counted(needed, noun)} or more"),)


def name_subjects(
    measure: str, systems: Sequence[str], notices: Sequence[tuple[PairTest, Sequence[Notice]]]
) -> list[tuple[str, Notice]]:
    """Return the notices on pairs with their subjects: the measure if one is on all pairs."""
    times = Counter(notice for _, of_pair in notices for notice in of_pair)
    return [
        (
            measure
            if times[notice] == len(notices)
            else f"{measure}, {systems[pair.first]} – {systems[pair.second]}",
            notice,
        )
        for pair, of_pair in notices
        for notice in of_pair
    ]


def more_to_reach(test: str, outcome: Outcome, alpha: float) -> tuple[int, str]:
    """Return the number of topics, or of trials, from which on the test can reach `alpha`.

    >>> x, y = [0.5, 0.7, 0.9], [0.4, 0.5, 0.6]
    >>> more_to_reach("bootstrap", paired.bootstrap(x, y), 0.05)  # 2 / 2⁶
    (6, 'topic')
    >>> more_to_reach("bootstrap", paired.bootstrap(x, y, trials=2), 0.05)  # 1 / (19 + 1)
    (19, 'trial')
    """
    smallest = TESTS[test].smallest
    if smallest(outcome.n) < outcome.smallest_pvalue:
        return math.ceil(1 / alpha - 1e-9) - 1, "trial"
    return topics_to_reach(test, alpha), "topic"


def topics_to_reach(test: str, alpha: float) -> int:
    """Return the smallest number of topics that can justify a p-value of `alpha`.

    >>> topics_to_reach("sign", 0.05), topics_to_reach("sign", 0.05 / 3), topics_to_reach("t", 0.05)
    (6, 7, 2)
    """
    return next(n for n in count(2) if not is_out_of_reach(TESTS[test].smallest(n), alpha))


@suggests_keywords
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
    ``bootstrap-shift``; `correction`, of tests of two, ``holm`` (the default), ``bonferroni``,
    ``bh`` or ``none``. The functions of these tests and corrections have the references.

    `pairs` are of systems by name, or by number from 0. Tests of many systems use all of them,
    whichever pairs are asked for. The family that is corrected for are the pairs asked for.

    >>> x = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.3, 0.5, 0.6], "c": [0.9, 0.8, 0.7, 0.9]}
    >>> [pair.pvalue for pair in compare_pairs(x, "randomisation")]  # 3 pairs × 2 / 2 ** 4
    [0.375, 0.375, 0.375]
    """
    systems = matrix(scores, topics, axes)
    numbers = systems.pairs if pairs is None else _numbers(systems, pairs)
    how: dict[str, Any] = {"trials": trials, "seed": seed, "threads": threads}
    asked = [systems], [numbers], test, correction, confidence
    return compare_each(*asked, **how, progress=progress)[0]


def compare_each(
    every: Sequence[Matrix],
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
    """`compare_pairs` of each of several matrices of the same systems, such as of several measures.

    `pairs`, by number, are as many of each.
    """
    test, correction = decided(test, correction, len(every[0].systems), len(pairs[0]))
    _refuse(test, correction)
    row = TESTS[test]
    how = {"trials": trials, "seed": seed, "threads": threads} if row.random else {}
    return [
        _corrected(numbers, outcomes, correction, confidence)
        for numbers, outcomes in zip(
            pairs, _outcomes(row, every, pairs, how, progress), strict=True
        )
    ]


def _corrected(
    pairs: Sequence[tuple[int, int]],
    outcomes: Iterable[Outcome],
    correction: str,
    confidence: float | None,
) -> list[PairTest]:
    kept = [
        (_without_trials(o), None if confidence is None else o.confidence_interval(confidence))
        for o in outcomes
    ]
    adjusted = CORRECTIONS[correction]([outcome.pvalue for outcome, _ in kept]).pvalues
    family = len(kept) if CORRECTIONS[correction].family_wise else 1
    return [
        PairTest(i, j, outcome, float(p), interval, min(1.0, family * outcome.smallest_pvalue))
        for (i, j), (outcome, interval), p in zip(pairs, kept, adjusted, strict=True)
    ]


def _refuse(test: str, correction: str) -> None:
    """Tests and corrections that there are not, or not together."""
    for what, name, known in (("test", test, TESTS), ("correction", correction, CORRECTIONS)):
        if not is_one_of(name, known):
            raise InputError(f"{what} {brief(name)}", f"one of {', '.join(known)}")
    if TESTS[test].many and correction != "none":
        expected = f"none: the {TESTS[test].title} allows for the number of systems by itself"
        raise InputError(f"correction {correction!r}", expected)


def _numbers(found: Matrix, pairs: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs of systems by number, given so or by name."""
    places: dict[Any, int] = {name: i for i, name in enumerate(found.systems)}
    places |= {i: i for i in range(len(found.systems))}
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2 or not set(pair) <= places.keys():
            raise InputError(f"pair {pair!r}", f"two of {some(found.systems, 'system')}")
    return [(places[first], places[second]) for first, second in pairs]


def _without_trials(outcome: Outcome) -> Outcome:
    return replace(outcome, bounds=_no_bounds)


def _no_bounds(confidence: float) -> tuple[float, float]:
    raise InputError("an interval asked of a pair", "compare_pairs(…, confidence=0.95)")


def _outcomes(
    test: Test,
    every: Sequence[Matrix],
    pairs: Sequence[Sequence[tuple[int, int]]],
    how: dict[str, Any],
    progress: Progress | None,
) -> Iterator[Iterable[Outcome]]:
    """What the test finds for each pair of each matrix."""
    if test.many and test.at_once is not None:
        families = test.at_once(every, **how, progress=progress)
    elif test.many:
        families = map(test.function, every)
    else:
        for systems, numbers in zip(every, pairs, strict=True):
            yield _two_by_two(test, systems, numbers, how, progress)
        return
    for family, numbers in zip(families, pairs, strict=True):
        names = family.systems
        yield [family.pair(names[i], names[j]) for i, j in numbers]


def _two_by_two(
    test: Test,
    systems: Matrix,
    pairs: Sequence[tuple[int, int]],
    how: dict[str, Any],
    progress: Progress | None,
) -> Iterator[Outcome]:
    if test.at_once is not None:
        yield from test.at_once(systems.values, pairs, **how, progress=progress)
    else:
        for i, j in pairs:
            yield test.function(systems.values[:, i], systems.values[:, j], **how)
            if progress is not None:
                progress(how.get("trials", 1))
