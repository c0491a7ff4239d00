"""What many tests and few runs warn of, in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from cranfield.arrays import Floats, estimate_rounding
from cranfield.scores import Note
from cranfield.stats.families import PairTest
from cranfield.wording import format_count

FEW_RUNS = 4  # of three, one order in six is that of another ranking by chance


def collect_ranking_notes(means: Mapping[str, Floats]) -> tuple[Note, ...]:
    """What to know of rankings before they are compared, given the means of the runs by measure:
    that there are few runs, and that a measure gives all of them the same.

    >>> [notice.text for notice in of_rankings({"AP": np.array([0.5, 0.5, 0.5, 0.5])})]
    ['AP ranks nothing: all runs have the same mean']
    """
    notes = [
        Note("constant", f"{measure} ranks nothing: all runs have the same mean")
        for measure, x in means.items()
        if np.ptp(x) <= estimate_rounding(x)
    ]
    runs = min(map(len, means.values()), default=FEW_RUNS)
    if runs < FEW_RUNS:
        text = (
            f"rankings of {format_count(runs, 'run')} are compared: so few agree easily by chance"
        )
        notes.append(Note("few-runs", text))
    return tuple(notes)


def collect_alpha_notes(tests: Mapping[str, Iterable[PairTest]], alpha: float) -> tuple[Note, ...]:
    """Whether more trials might decide otherwise: p-values, by measure, within two Monte-Carlo
    standard errors of `alpha`.

    Others may rest on few trials, too, but what is concluded from them does not.
    """
    counts = {
        measure: sum(_is_near(pair_test, alpha) for pair_test in pair_tests)
        for measure, pair_tests in tests.items()
    }
    texts = [f"{measure}: {format_count(n, 'p-value')}" for measure, n in counts.items() if n]
    if not texts:
        return ()
    text = f"{', '.join(texts)} may be on either side of {alpha:g}: use more trials"
    return (Note("trials", text),)


def _is_near(test: PairTest, alpha: float) -> bool:
    sampled = test.outcome.sampled
    if sampled is None or sampled.exact:
        return False
    error = sampled.error * test.pvalue / test.outcome.pvalue  # of the corrected p-value
    return abs(test.pvalue - alpha) <= 2 * error
