"""When a p-value should not be taken at its word: one sentence each, as notices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from cranfield.arrays import Floats
from cranfield.scores import Note
from cranfield.stats.resampling import MAX_TRIALS
from cranfield.stats.result import Sampled
from cranfield.wording import format_count, format_option

FEW_EXTREME = 10  # a count below it has a relative error of a third or more
SKEWED = 0.3  # |skewness| / √n at which a tail of 0.025 is doubled, or empty


def note_trials(
    sampled: Sampled, alpha: float = 0.05, pvalue: float | None = None
) -> tuple[Note, ...]:
    """Return the standard error of a p-value from random trials, if it matters.

    `pvalue` is the p-value corrected for the number of tests, which is what is compared with
    `alpha`; its Monte-Carlo error is larger by the same factor. It matters if `alpha` is within two
    standard errors of p, which more trials might put on its other side, and if fewer than 10
    trials are as extreme as the data: the error is then a third of p or more. A count of 0 is
    shown as a bound, p < 1 / trials, which is no reason to warn if `alpha` is far from it.

    >>> about_trials(Sampled(count=3, trials=10_000, seed=0))[0].text
    'p = 0.0004, standard error 0.0002 from 10,000 trials. Use trials=100000 for a more precise p'
    >>> about_trials(Sampled(count=480, trials=10_000, seed=0))[0].text
    'p = 0.0481, standard error 0.0021 from 10,000 trials, may be on either side of 0.05. Use \
trials=100000 for a more precise p'
    >>> about_trials(Sampled(count=100, trials=10_000, seed=0))
    ()
    """
    if sampled.exact:
        return ()
    p = sampled.pvalue if pvalue is None else pvalue
    error, trials = sampled.error * p / sampled.pvalue, format_count(sampled.trials, "trial")
    is_near = abs(p - alpha) <= 2 * error
    if not is_near and not 0 < sampled.count < FEW_EXTREME:
        return ()
    places = _count_decimals(min(p, error) or p)
    p_text = f"p = {p:.{places}f}, standard error {error:.{places}f} from {trials}"
    alpha_text = f", may be on either side of {alpha:g}" if is_near else ""
    more = min(MAX_TRIALS, 10 * sampled.trials)
    use = format_option(f"--trials {more}", f"trials={more}")
    return (Note("trials", f"{p_text}{alpha_text}. Use {use} for a more precise p"),)


def note_skewness(z: Floats) -> tuple[Note, ...]:
    """Whether the values are too skewed for a t-test of their mean, or for Tukey's of many.

    To first order (the Edgeworth expansion), skewness γ moves a tail of 0.025 of the t-test by
    0.085 γ / √n: at |γ| = 0.3 √n one tail is twice what it should be and the other is empty.
    Beyond that we warn, if γ is also three standard errors from 0, which few values seldom are.
    Tails that are heavy on both sides make the test cautious, not wrong: no warning.

    Reference: Hall 1992, The Bootstrap and Edgeworth Expansion.

    >>> about_normality(np.array([0.0] * 20 + [0.9]))[0].text  # 19 / √20
    'the differences of 21 topics are too skewed (4.25) for this test: p may be far off'
    """
    n = len(z)
    centred = z - z.mean()
    variance = float((centred**2).mean())
    if variance == 0:
        return ()
    skewness = float((centred**3).mean()) / variance**1.5
    error = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    if abs(skewness) <= max(SKEWED * math.sqrt(n), 3 * error):
        return ()
    text = f"the differences of {n} topics are too skewed ({skewness:.2f}) for this test"
    return (Note("normality", f"{text}: p may be far off"),)


def note_identical(z: Floats) -> tuple[Note, ...]:
    """Whether all differences are 0.

    >>> about_identical(np.zeros(5))[0].text
    'all 5 differences are 0: nothing tells the systems apart'
    """
    if z.any():
        return ()
    text = f"all {len(z)} differences are 0: nothing tells the systems apart"
    return (Note("identical", text),)


def note_constant(z: Floats, tolerance: float) -> tuple[Note, ...]:
    """Whether all differences are the same, and not 0: for tests that go by their variance.

    >>> about_constant(np.array([0.25, 0.25]), 0)[0].text
    'all 2 differences are 0.25: a test that goes by their variance has nothing to go by'
    """
    if np.ptp(z) > tolerance or not z.any():
        return ()
    values_text = f"all {len(z)} differences are {z[0]:.4g}"
    return (
        Note("constant", f"{values_text}: a test that goes by their variance has nothing to go by"),
    )


def note_zeros(z: Floats) -> tuple[Note, ...]:
    """Whether topics without a difference were left out.

    >>> about_zeros(np.array([0.0, 0.5, -0.25]))[0].text
    '1 of 3 topics without a difference left out'
    """
    zeros = int(np.count_nonzero(z == 0))
    if zeros in (0, len(z)):  # all of them: about_identical says so
        return ()
    text = f"{zeros} of {format_count(len(z), 'topic')} without a difference left out"
    return (Note("zeros", text),)


def merge_notes(named_notes: Iterable[tuple[str, Note]], noun: str) -> tuple[Note, ...]:
    """One notice of each kind, with what it is about and how many others it is about.

    >>> told = [(f"AP, a – {run}", Notice("identical", "all is the same")) for run in "bcd"]
    >>> [notice.text for notice in in_short(told, "pair")]
    ['AP, a – b: all is the same; likewise 2 other pairs']
    """
    by_kind: dict[str, dict[str, Note]] = {}
    for subject, note in named_notes:
        by_kind.setdefault(note.kind, {})[subject] = note
    return tuple(
        _merge_kind(kind, list(by_subject.items()), noun) for kind, by_subject in by_kind.items()
    )


def _merge_kind(kind: str, by_subject: Sequence[tuple[str, Note]], noun: str) -> Note:
    (subject, note), *rest = by_subject
    likewise = f"; likewise {format_count(len(rest), f'other {noun}')}" if rest else ""
    return Note(kind, f"{subject}: {note.text}{likewise}")


def _count_decimals(p: float) -> int:
    """Four, or as many as it takes to show one digit of a small number."""
    return max(4, math.ceil(-math.log10(p)))
