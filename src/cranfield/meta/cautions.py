"""What many tests warn of, in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cranfield.scores import Notice
from cranfield.stats.families import PairTest
from cranfield.wording import counted


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


def in_short(told: Iterable[tuple[str, Notice]], noun: str) -> tuple[Notice, ...]:
    """One notice of each kind, with what it is about and how many others it is about.

    >>> told = [(f"AP, a – {run}", Notice("identical", "all is the same")) for run in "bcd"]
    >>> [notice.text for notice in in_short(told, "pair")]
    ['AP, a – b: all is the same; likewise 2 other pairs']
    """
    by_kind: dict[str, dict[str, Notice]] = {}
    for about, notice in told:
        by_kind.setdefault(notice.kind, {})[about] = notice
    return tuple(_first(kind, list(found.items()), noun) for kind, found in by_kind.items())


def _first(kind: str, found: Sequence[tuple[str, Notice]], noun: str) -> Notice:
    (about, notice), *others = found
    likewise = f"; likewise {counted(len(others), f'other {noun}')}" if others else ""
    return Notice(kind, f"{about}: {notice.text}{likewise}")
