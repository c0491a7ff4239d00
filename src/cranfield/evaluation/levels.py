"""Lists without files: levels in the order of the ranks, as judgments and a run have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from cranfield.arrays import LARGEST
from cranfield.errors import InputError

Levels: TypeAlias = Sequence[float | None]


def as_files(
    levels: Levels, judged: Levels | None = None
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Judgments and a run: documents are called by their ranks, others that are judged by numbers.

    `judged` are all judged levels of the topic, those of the list if not given. A nonrelevant
    document of the list is judged, whether its level is named there or not.

    >>> as_files([2, None], judged=[2, 1])
    ({'levels': {'1': 2.0, 'missed 1': 1.0}}, {'levels': {'1': 0.0, '2': -1.0}})
    """
    found = {str(r): _level(x, "levels") for r, x in enumerate(levels, 1) if x is not None}
    known = found.values() if judged is None else [_level(x, "judged") for x in judged]
    lacking = Counter(x for x in found.values() if x > 0) - Counter(known)
    if lacking:
        more = "more often in the list than in judged"
        raise InputError(f"{written(lacking.elements())} {more}", "all judged levels of the topic")
    missed = sorted((Counter(known) - Counter(found.values())).elements(), reverse=True)
    if not found and not missed:
        raise InputError("no judged level", "at least one")
    others = {f"missed {i}": x for i, x in enumerate(missed, 1)}
    run = {str(r): 1.0 - r for r in range(1, len(levels) + 1)}
    return {"levels": found | others}, {"levels": run}


def written(levels: Iterable[float | None]) -> str:
    """Levels as a user writes them: - for a document that nobody judged.

    >>> written([3, None, 0.5])
    '3 - 0.5'
    """
    return " ".join("-" if x is None else f"{x:g}" for x in levels)


def _level(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise InputError(f"{value!r}", "a level", where)
    return float(value)
