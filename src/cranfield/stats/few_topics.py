"""Limits of tests with few topics: smallest p-values, and levels."""

from __future__ import annotations

from cranfield.scores import Note
from cranfield.wording import format_count

# The number of topics from which a test held its level of 0.05 (at most 0.075 of p-values, the
# criterion of Bradley 1978) for equal systems: `levels` of tests/coverage_simulated.py. Other tests
# held it for every number of topics.
ENOUGH_TOPICS = {"bootstrap-shift": 30}


def limit_p_by_signs(n: int, sides: int = 2) -> float:
    """Return the smallest p-value of a test without assumed distribution.

    If two systems are equal, their scores of a topic are exchangeable. Then all n differences have
    the same sign with probability 2 / 2ⁿ, or one specific sign with probability 1 / 2ⁿ. No test of
    the pair can justify a smaller p-value. This includes the bootstrap, which has p < 1 / trials if
    all n differences are equal. It also includes the randomised Tukey HSD test: its p-values can be
    smaller because it permutes the scores of all systems, but a third system is no evidence on a
    pair.

    >>> limit_p_by_signs(5), limit_p_by_signs(6), limit_p_by_signs(6, sides=1)
    (0.0625, 0.03125, 0.015625)
    """
    return min(1.0, sides * 0.5**n)


def limit_p_by_shape(n: int) -> float:
    """Return 0, the smallest p-value of tests that assume a normal distribution.

    >>> limit_p_by_shape(2)
    0.0
    """
    return 0.0


def is_out_of_reach(smallest: float, alpha: float) -> bool:
    """Return True if no p-value can be as small as `alpha`.

    >>> is_out_of_reach(0.0625, 0.05), is_out_of_reach(0.05, 1 - 0.95)  # with a rounding tolerance
    (True, False)
    """
    return smallest > alpha + 1e-12


def note_few_topics(test: str, n: int) -> tuple[Note, ...]:
    """Note that the level of a test does not hold for this number of topics.

    >>> note_few_topics("bootstrap-shift", 10)[0].text
    '10 topics: p may be too small. In simulations this test holds its level from 30 topics on'
    >>> note_few_topics("randomisation", 10)
    ()
    """
    enough = ENOUGH_TOPICS.get(test, 0)
    if n >= enough:
        return ()
    holds = f"In simulations this test holds its level from {enough} topics on"
    return (Note("few-topics", f"{format_count(n, 'topic')}: p may be too small. {holds}"),)
