"""Columns and captions of tests: p-values, trials, procedures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from cranfield.stats.families import TESTS
from cranfield.stats.result import format_p
from cranfield.tables import Field
from cranfield.wording import format_count


def describe_test(test: str, trials: int | None, seed: int | None, enumerated: bool, extra: str = "") -> list[str]:
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
    texts = [*map(format_p, rows)]
    return build_optional_p_column([row.pvalue for row in rows], alpha, name, head, texts, None)


def build_optional_p_column(
    pvalues: Sequence[float | None],
    alpha: float,
    name: str = "pvalue",
    head: str = "p",
    texts: Sequence[str] | None = None,
    dtype: type | None = float,
) -> Field:
    """Build a column of p-values, None or nan if unknown, with stars.

    >>> build_optional_p_column([0.5, None, 0.01], 0.05).texts
    ['0.5000', '–', '0.0100']
    """
    if texts is None:
        texts = ["–" if p is None or math.isnan(p) else format_p(p) for p in pvalues]
    stars = ["*" if p is not None and p <= alpha else "" for p in pvalues]
    return Field(name, pvalues, head, texts, marks=stars if any(stars) else (), dtype=dtype)
