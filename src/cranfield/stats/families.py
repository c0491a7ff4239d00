"""Many pairs of systems tested at once: which tests there are, and what is done about their number.

Tests made for many systems (Tukey's HSD, randomised or not) bound the chance of any false alarm
by themselves. Tests of two systems are done pair by pair, and their p-values corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from cranfield.errors import InputError
from cranfield.scores import Interval
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import Outcome
from cranfield.stats.samples import Matrix, Systems, Topics, matrix
from cranfield.wording import some

OF_TWO = ("randomisation", "t", "wilcoxon", "sign", "bootstrap", "bootstrap-shift")
OF_MANY = ("randomised-tukey", "tukey")
TESTS = (*OF_MANY, *OF_TWO)
RANDOM = ("randomised-tukey", "randomisation", "bootstrap", "bootstrap-shift")

TITLES = {
    "randomised-tukey": "randomised Tukey HSD test",
    "tukey": "Tukey HSD test",
    "randomisation": "paired randomisation test",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "bootstrap": "paired bootstrap test (studentised)",
    "bootstrap-shift": "paired bootstrap test (mean shift)",
}
CORRECTION_TITLES = {
    "none": "no correction",
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
}


@dataclass(frozen=True)
class PairTest:
    """Two systems by number, what the test found, and the p-value corrected for their number.

    `interval` is that of the test, if a confidence was asked for. The outcome has forgotten its
    trials: thousands of pairs would keep millions.
    """

    first: int
    second: int
    outcome: Outcome
    pvalue: float
    interval: Interval | None = None


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
    return "holm" if test in OF_TWO and pairs > 1 else "none"


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
) -> list[PairTest]:
    """Test pairs of systems, by default all of them.

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
    found = matrix(scores, topics)
    pairs = found.pairs if pairs is None else _numbers(found, pairs)
    test = usual_test(len(found.systems)) if test is None else test
    if test not in TESTS:
        raise InputError(f"test {test!r}", f"one of {', '.join(TESTS)}")
    correction = usual_correction(test, len(pairs)) if correction is None else correction
    if correction not in CORRECTION_TITLES:
        raise InputError(f"correction {correction!r}", f"one of {', '.join(CORRECTION_TITLES)}")
    if test in OF_MANY and correction != "none":
        expected = f"none: the {TITLES[test]} allows for the number of systems by itself"
        raise InputError(f"correction {correction!r}", expected)
    how = {"trials": trials, "seed": seed, "threads": threads} if test in RANDOM else {}
    if test in OF_MANY:
        outcomes = _of_many(found, test, pairs, {**how, "progress": progress})
    else:
        outcomes = _of_two(found, test, pairs, how, progress)
    kept = [
        (_without_trials(o), None if confidence is None else o.confidence_interval(confidence))
        for o in outcomes
    ]
    from cranfield.stats.corrections import CORRECTIONS

    adjusted = CORRECTIONS[correction]([outcome.pvalue for outcome, _ in kept]).pvalues
    return [
        PairTest(i, j, outcome, float(p), interval)
        for (i, j), (outcome, interval), p in zip(pairs, kept, adjusted, strict=True)
    ]


def _numbers(found: Matrix, pairs: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs of systems by number, given so or by name."""
    places: dict[Any, int] = {name: i for i, name in enumerate(found.systems)}
    places |= {i: i for i in range(len(found.systems))}
    made = []
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2 or not set(pair) <= places.keys():
            raise InputError(f"pair {pair!r}", f"two of {some(found.systems, 'system')}")
        made.append((places[pair[0]], places[pair[1]]))
    return made


def _without_trials(outcome: Outcome) -> Outcome:
    def bounds(confidence: float) -> tuple[float, float]:
        raise InputError("an interval asked of a pair", "compare_pairs(…, confidence=0.95)")

    return replace(outcome, bounds=bounds)


def _of_many(
    found: Matrix, test: str, pairs: Sequence[tuple[int, int]], how: dict[str, Any]
) -> Iterator[Outcome]:
    from cranfield.stats.tukey import randomised_tukey_hsd, tukey_hsd

    family = tukey_hsd(found) if test == "tukey" else randomised_tukey_hsd(found, **how)
    return (family.pair(found.systems[i], found.systems[j]) for i, j in pairs)


def _of_two(
    found: Matrix,
    test: str,
    pairs: Sequence[tuple[int, int]],
    how: dict[str, Any],
    progress: Progress | None,
) -> Iterator[Outcome]:
    from cranfield.stats import paired

    named: dict[str, Callable[..., Outcome]] = {
        "t": paired.t_test,
        "wilcoxon": paired.wilcoxon,
        "sign": paired.sign_test,
        "bootstrap": paired.bootstrap,
        "bootstrap-shift": partial(paired.bootstrap, studentised=False),
    }
    if test == "randomisation":
        yield from paired.randomisations(found.values, pairs, **how, progress=progress)
        return
    for i, j in pairs:
        yield named[test](found.values[:, i], found.values[:, j], **how)
        if progress is not None:
            progress(how.get("trials", 1))
