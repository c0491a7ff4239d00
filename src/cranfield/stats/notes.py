"""Notes about p-values that may be inaccurate."""

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
SKEWED = 0.3  # |skewness| / √n that doubles or empties a tail of 0.025


def note_trials(sampled: Sampled, alpha: float = 0.05, pvalue: float | None = None) -> tuple[Note, ...]:
    """Return the standard error of a p-value from random trials, if it matters.

    `pvalue` is the p-value corrected for the number of tests, which is compared with `alpha`. Its
    Monte-Carlo error is larger by the same factor. The error matters if `alpha` is within two
    standard errors of p, because more trials could move p to the other side of `alpha`. It also
    matters if fewer than 10 trials are as extreme as the data: the error is then a third of p or
    more. A count of 0 is shown as a bound, p < 1 / trials, and needs no note if `alpha` is far
    from this bound.

    >>> note_trials(Sampled(count=3, trials=10_000, seed=0))[0].text
    'p = 0.0004, standard error 0.0002 from 10,000 trials. Use trials=100000 for a more precise p'
    >>> note_trials(Sampled(count=480, trials=10_000, seed=0))[0].text
    'p = 0.0481, standard error 0.0021 from 10,000 trials, may be on either side of 0.05. Use \
trials=100000 for a more precise p'
    >>> note_trials(Sampled(count=100, trials=10_000, seed=0))
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
    """Note values that are too skewed for a t-test, or for Tukey's test.

    To first order (Edgeworth expansion), skewness γ moves a tail of 0.025 of the t-test by
    0.085 γ / √n: at |γ| = 0.3 √n one tail has twice its nominal size and the other is empty. The
    note is returned beyond this limit if γ is also three standard errors from 0, which is rare for
    few values. Heavy tails on both sides make the test conservative, so they need no note.

    Reference: Hall 1992, The Bootstrap and Edgeworth Expansion.

    >>> note_skewness(np.array([0.0] * 20 + [0.9]))[0].text  # 19 / √20
    'the 21 differences are too skewed (4.25) for this test: p may be inaccurate'
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
    text = f"the {n} differences are too skewed ({skewness:.2f}) for this test"
    return (Note("normality", f"{text}: p may be inaccurate"),)


def note_identical(z: Floats) -> tuple[Note, ...]:
    """Note that all differences are 0.

    >>> note_identical(np.zeros(5))[0].text
    'all 5 differences are 0: the systems have identical scores'
    """
    if z.any():
        return ()
    text = f"all {len(z)} differences are 0: the systems have identical scores"
    return (Note("identical", text),)


def note_constant(z: Floats, tolerance: float) -> tuple[Note, ...]:
    """Note that all differences are equal, for tests that use their variance.

    >>> note_constant(np.array([0.25, 0.25]), 0)[0].text
    'all 2 differences are 0.25: this test needs differences that vary'
    """
    if np.ptp(z) > tolerance or not z.any():
        return ()
    values_text = f"all {len(z)} differences are {z[0]:.4g}"
    return (Note("constant", f"{values_text}: this test needs differences that vary"),)


def note_zeros(z: Floats) -> tuple[Note, ...]:
    """Note the topics that were excluded because their difference is 0.

    >>> note_zeros(np.array([0.0, 0.5, -0.25]))[0].text
    '1 of 3 topics excluded (difference 0)'
    """
    zeros = int(np.count_nonzero(z == 0))
    if zeros in (0, len(z)):  # if all are 0: see note_identical
        return ()
    text = f"{zeros} of {format_count(len(z), 'topic')} excluded (difference 0)"
    return (Note("zeros", text),)


def merge_notes(named_notes: Iterable[tuple[str, Note]], noun: str) -> tuple[Note, ...]:
    """Return one note of each kind, with its first subject and their number.

    >>> pairs = [(f"AP, a – {run}", Note("identical", "all is the same")) for run in "bcd"]
    >>> [note.text for note in merge_notes(pairs, "pair")]
    ['AP, a – b: all is the same. Also affected: 2 other pairs']
    """
    by_kind: dict[str, dict[str, Note]] = {}
    for subject, note in named_notes:
        by_kind.setdefault(note.kind, {})[subject] = note
    return tuple(_merge_kind(kind, list(by_subject.items()), noun) for kind, by_subject in by_kind.items())


def _merge_kind(kind: str, by_subject: Sequence[tuple[str, Note]], noun: str) -> Note:
    (subject, note), *rest = by_subject
    likewise = f". Also affected: {format_count(len(rest), f'other {noun}')}" if rest else ""
    return Note(kind, f"{subject}: {note.text}{likewise}")


def _count_decimals(p: float) -> int:
    """Return 4, or the number of decimals that shows one digit of a small number."""
    return max(4, math.ceil(-math.log10(p)))
