"""Comparison of ids without case, spaces, Unicode form, leading zeros, decimals.

It never matches ids. It explains why ids did not match.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from unicodedata import normalize


def _strip_zeros(name: str) -> str:
    return name.lstrip("0") or name[-1:]


FOLDS: dict[str, Callable[[str], str]] = {  # in the order of application
    "Unicode normalisation": lambda name: normalize("NFC", name),
    "spaces": str.strip,
    "case": str.casefold,
    "decimals": lambda name: name.removesuffix(".0"),
    "leading zeros": _strip_zeros,
}


def fold_id(name: str) -> str:
    """Return an id without the differences that `FOLDS` ignores.

    >>> fold_id(" 007.0"), fold_id("FT911-3"), fold_id("0")
    ('7', 'ft911-3', '0')
    """
    for fold in FOLDS.values():
        name = fold(name)
    return name


def fold_ids(names: Sequence[str]) -> list[str]:
    """Return `fold_id` of each id.

    Plain ASCII ids are folded together, five times as fast.

    >>> fold_ids(["FT911-3", "0012.0"])
    ['ft911-3', '12']
    """
    text = "\n".join(names)
    lines = text.lower().split("\n") if text.isascii() else []
    if len(lines) != len(names):
        return [*map(fold_id, names)]
    stripped = [line.strip().removesuffix(".0") for line in lines]
    return [_strip_zeros(name) if name[:1] == "0" else name for name in stripped]


def match_folded(names: Iterable[str], candidates: Collection[str]) -> list[tuple[str, str]]:
    """Return the pairs of ids that are equal only after folding.

    >>> match_folded(["0301", "302"], ["301", "302"])
    [('0301', '301')]
    """
    candidate_set = {*candidates}
    unmatched = [name for name in names if name not in candidate_set]
    if not unmatched:
        return []
    matched = {*names}
    unused = [candidate for candidate in candidates if candidate not in matched]
    folded = dict(zip(fold_ids(unused), unused, strict=True))
    pairs = zip(unmatched, fold_ids(unmatched), strict=True)
    return [(name, folded[folded_name]) for name, folded_name in pairs if folded_name in folded]


def explain_folded(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the difference of the first pair of ids, or "".

    >>> explain_folded([("0301", "301")])
    "ids differ only in leading zeros: '0301' and '301'"
    """
    pair = pairs[0] if pairs else None
    return f"ids differ only in {describe_difference(*pair)}: {pair[0]!r} and {pair[1]!r}" if pair else ""


def describe_difference(name: str, other_name: str) -> str:
    """Return the kinds of difference between two ids with the same folded form.

    >>> describe_difference("FT911-3", "ft911-3"), describe_difference("007", "7.0")
    ('case', 'decimals and leading zeros')
    """
    for kind, fold in FOLDS.items():
        if fold(name) == fold(other_name):
            return kind
    changed = []
    for kind, fold in FOLDS.items():
        folded = fold(name), fold(other_name)
        if folded != (name, other_name):
            changed.append(kind)
        name, other_name = folded
    return " and ".join(changed)
