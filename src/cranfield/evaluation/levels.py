"""Judgments and a run built from the levels of a ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from cranfield.arrays import LARGEST
from cranfield.errors import InputError

Levels: TypeAlias = Sequence[float | None]


def build_qrels_and_run(
    levels: Levels, judged: Levels | None = None
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Build judgments and a run from levels. Documents are named by rank, missed ones by number.

    `judged` are all judged levels of the topic (default: the levels of the ranking). Level 0 in the
    ranking need not be repeated in `judged`.

    >>> build_qrels_and_run([2, None], judged=[2, 1])
    ({'levels': {'1': 2.0, 'missed 1': 1.0}}, {'levels': {'1': 0.0, '2': -1.0}})
    """
    by_rank = {str(r): _check_level(x, "levels") for r, x in enumerate(levels, 1) if x is not None}
    all_levels = by_rank.values() if judged is None else [_check_level(x, "judged") for x in judged]
    excess = Counter(x for x in by_rank.values() if x > 0) - Counter(all_levels)
    if excess:
        problem = f"levels {format_levels(excess.elements())} are missing in judged"
        raise InputError.from_problem(problem, "Pass all judged levels of the topic.")
    missed_levels = sorted((Counter(all_levels) - Counter(by_rank.values())).elements(), reverse=True)
    if not by_rank and not missed_levels:
        raise InputError.from_problem("no judged level")
    missed_docs = {f"missed {i}": x for i, x in enumerate(missed_levels, 1)}
    run = {str(r): 1.0 - r for r in range(1, len(levels) + 1)}
    return {"levels": by_rank | missed_docs}, {"levels": run}


def format_levels(levels: Iterable[float | None]) -> str:
    """Format levels as in an input, with - for unjudged documents.

    >>> format_levels([3, None, 0.5])
    '3 - 0.5'
    """
    return " ".join("-" if x is None else f"{x:g}" for x in levels)


def _check_level(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise InputError(f"{value!r}", "a level", name)
    return float(value)
