"""What many tests and few runs warn of, in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from cranfield.arrays import Floats, rounding_of
from cranfield.scores import Notice
from cranfield.stats.families import PairTest
from cranfield.wording import counted

FEW_RUNS = 4  # of three, one order in six is that of another ranking by chance


def of_rankings(means: Mapping[str, Floats]) -> tuple[Notice, ...]:
    """What to know of rankings before they are compared, given the means of the runs by measure:
    that there are few runs, and that a measure gives all of them the same.

    >>> [notice.text for notice in of_rankings({"AP": np.array([0.5, 0.5, 0.5, 0.5])})]
    ['AP ranks nothing: all runs have the same mean']
    """
    notices = [
        Notice("constant", f"{measure} ranks nothing: all runs have the same mean")
        for measure, x in means.items()
        if np.ptp(x) <= rounding_of(x)
    ]
    runs = min(map(len, means.values()), default=FEW_RUNS)
    if runs < FEW_RUNS:
        text = f"rankings of {counted(runs, 'run')} are compared: so few agree easily by chance"
        notices.append(Notice("few-runs", text))
    return tuple(notices)


def near_alpha(tests: Mapping[str, Iterable[PairTest]], alpha: float) -> tuple[Notice, ...]:
    """Whether more trials might decide otherwise: p-values, by measure, within two Monte-Carlo
    standard errors of `alpha`.

    Others may rest on few trials, too, but what is concluded from them does not.
    """
    near = {measure: sum(_is_near(one, alpha) for one in of) for measure, of in tests.items()}
    shown = [f"{measure}: {counted(n, 'p-value')}" for measure, n in near.items() if n]
    if not shown:
        return ()
    text = f"{', '.join(shown)} may be on either side of {alpha:g}: use more trials"
    return (Notice("trials", text),)


def _is_near(test: PairTest, alpha: float) -> bool:
    sampled = test.outcome.sampled
    if sampled is None or sampled.exact:
        return False
    error = sampled.error * test.pvalue / test.outcome.pvalue  # of the corrected p-value
    return abs(test.pvalue - alpha) <= 2 * error
