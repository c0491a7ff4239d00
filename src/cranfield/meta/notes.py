"""Notes about few runs, constant measures and p-values near α."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from cranfield.arrays import Floats, estimate_rounding
from cranfield.scores import Note
from cranfield.stats.families import PairTest
from cranfield.wording import format_count

FEW_RUNS = 4  # of three, one order in six is that of another ranking by chance


def collect_ranking_notes(means: Mapping[str, Floats]) -> tuple[Note, ...]:
    """Return notes about rankings: few runs, or a measure with equal means of all runs.

    >>> [note.text for note in collect_ranking_notes({"AP": np.array([0.5, 0.5, 0.5, 0.5])})]
    ['AP cannot rank the runs: all have the same mean']
    """
    notes = [
        Note("constant", f"{measure} cannot rank the runs: all have the same mean")
        for measure, x in means.items()
        if np.ptp(x) <= estimate_rounding(x)
    ]
    runs = min(map(len, means.values()), default=FEW_RUNS)
    if runs < FEW_RUNS:
        text = f"only {format_count(runs, 'run')}: their rankings can easily agree by chance"
        notes.append(Note("few-runs", text))
    return tuple(notes)


def collect_alpha_notes(tests: Mapping[str, Iterable[PairTest]], alpha: float) -> tuple[Note, ...]:
    """Return a note about p-values, by measure, within two standard errors of `alpha`.

    More trials could decide these otherwise. Other p-values may be as imprecise, but the conclusion
    does not depend on it.
    """
    counts = {
        measure: sum(_is_near(pair_test, alpha) for pair_test in pair_tests) for measure, pair_tests in tests.items()
    }
    texts = [f"{measure}: {format_count(n, 'p-value')}" for measure, n in counts.items() if n]
    if not texts:
        return ()
    text = f"{', '.join(texts)} too close to {alpha:g} to decide. Use more trials."
    return (Note("trials", text),)


def _is_near(test: PairTest, alpha: float) -> bool:
    sampled = test.outcome.sampled
    if sampled is None or sampled.exact:
        return False
    error = sampled.error * test.pvalue / test.outcome.pvalue  # of the corrected p-value
    return abs(test.pvalue - alpha) <= 2 * error
