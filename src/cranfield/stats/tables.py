"""Columns and captions of tests: p-values, trials, procedures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cranfield.stats.families import TESTS
from cranfield.stats.result import format_p
from cranfield.tables import Field
from cranfield.wording import format_count


def describe_test(
    test: str, trials: int | None, seed: int | None, enumerated: bool, extra: str = ""
) -> list[str]:
    """Return phrases that describe a test: its title, the trials and the extra text.

    >>> describe_test("t", None, None, False, "no correction")
    ['paired t-test', 'no correction']
    """
    trials_text = f"{format_count(trials or 0, 'trial')}, seed {seed}"
    basis = "all outcomes enumerated" if enumerated else trials_text
    row = TESTS[test]
    return [row.title, *([basis] if row.random else []), *([extra] if extra else [])]


def _format_p(row: Any) -> str:
    """Format the p-value of a row, with the resolution of its trials."""
    sampled = getattr(row, "sampled", None)
    if sampled is None:
        return format_p(row.pvalue)
    least = sampled.count == 0 and row.pvalue == sampled.pvalue  # corrected, it is another bound
    return format_p(row.pvalue, sampled.trials, least)


def build_p_column(
    rows: Sequence[Any],
    alpha: float,
    name: str = "pvalue",
    head: str = "p",
    format_p: Callable[[Any], str] = _format_p,
) -> Field:
    """Build a column of p-values, with a star at values of at most `alpha`.

    >>> from cranfield.stats.result import Sampled
    >>> build_p_column([Sampled(0, 99, seed=0), Sampled(19, 99, seed=0)], 0.05).marks
    ['*', '']
    """
    pvalues = [row.pvalue for row in rows]
    stars = ["*" if p <= alpha else "" for p in pvalues]
    return Field(name, pvalues, head, [*map(format_p, rows)], marks=stars if any(stars) else ())
