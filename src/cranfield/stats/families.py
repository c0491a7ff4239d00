"""Many pairs of systems tested at once: which tests there are, and what is done about their number.

Tests made for many systems (Tukey's HSD, randomised or not) bound the chance of any false alarm
by themselves. Tests of two systems are done pair by pair, and their p-values corrected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.errors import InputError
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import Outcome
from cranfield.stats.samples import Matrix, Systems, Topics, matrix

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Two systems by number, what the test found, and the p-value corrected for their number."""

    first: int
    second: int
    outcome: Outcome
    pvalue: float


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
    pairs: Sequence[tuple[int, int]] | None = None,
    correction: str | None = None,
    trials: int = TRIALS,
    seed: int = 0,
    topics: Topics = "same",
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[PairTest]:
    """Test pairs of systems, by default all of them.

    Tests of many systems use all of them, whichever pairs are asked for. The family that is
    corrected for are the pairs asked for.

    >>> x = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.3, 0.5, 0.6], "c": [0.9, 0.8, 0.7, 0.9]}
    >>> [round(pair.pvalue, 4) for pair in compare_pairs(x, "t")]
    [0.0154, 0.0332, 0.0538]
    """
    found = matrix(scores, topics)
    pairs = found.pairs if pairs is None else list(pairs)
    test = usual_test(len(found.systems)) if test is None else test
    if test not in TESTS:
        raise InputError(f"test {test!r}", f"one of {', '.join(TESTS)}")
    correction = usual_correction(test, len(pairs)) if correction is None else correction
    if correction not in CORRECTION_TITLES:
        raise InputError(f"correction {correction!r}", f"one of {', '.join(CORRECTION_TITLES)}")
    if test in OF_MANY and correction != "none":
        expected = f"none: the {TITLES[test]} allows for the number of systems by itself"
        raise InputError(f"correction {correction!r}", expected)
    random = {"trials": trials, "seed": seed, "threads": threads} if test in RANDOM else {}
    if test in OF_MANY:
        outcomes = _of_many(found, test, pairs, {**random, "progress": progress})
    else:
        one = _of_two(test)
        outcomes = []
        for i, j in pairs:
            outcomes.append(one(found.values[:, i], found.values[:, j], **random))
            if progress is not None:
                progress(trials)
    from cranfield.stats.corrections import CORRECTIONS

    adjusted = CORRECTIONS[correction]([o.pvalue for o in outcomes]).pvalues
    return [
        PairTest(i, j, outcome, float(p))
        for (i, j), outcome, p in zip(pairs, outcomes, adjusted, strict=True)
    ]


def _of_many(
    found: Matrix, test: str, pairs: Sequence[tuple[int, int]], random: dict[str, Any]
) -> list[Outcome]:
    from cranfield.stats.tukey import randomised_tukey_hsd, tukey_hsd

    family = tukey_hsd(found) if test == "tukey" else randomised_tukey_hsd(found, **random)
    return [family.pair(found.systems[i], found.systems[j]) for i, j in pairs]


def _of_two(test: str) -> Callable[..., Outcome]:
    from cranfield.stats import paired

    return {
        "randomisation": paired.randomisation,
        "t": paired.t_test,
        "wilcoxon": paired.wilcoxon,
        "sign": paired.sign_test,
        "bootstrap": paired.bootstrap,
        "bootstrap-shift": partial(paired.bootstrap, studentised=False),
    }[test]
