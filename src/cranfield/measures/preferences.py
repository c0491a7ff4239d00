"""Measures of preference judgments: the fulfilled preferences of a ranked list.

A preference of a over b is fulfilled if a is retrieved above b, or a is retrieved and b is not. The
names are trec_eval's. Measures that end in ``_ret`` only count preferences between two retrieved
documents. Measures that end in ``_imp`` omit preferences between two documents that are not
retrieved; the others count these as not fulfilled. A topic without preferences scores 0.

`MEASURES` follows trec_eval's descriptions, `PRINTED` its code. They differ for two measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from cranfield.labelling.preferences import LevelPreferences, PreferenceCounts, RankedGroup


def prefs_num_prefs_poss(x: PreferenceCounts) -> float:
    """Return the number of preferences."""
    return float(sum(group.possible for group in x.groups))


def prefs_num_prefs_ful(x: PreferenceCounts) -> float:
    """Return the number of fulfilled preferences."""
    return float(sum(group.fulfilled for group in x.groups))


def prefs_num_prefs_ful_ret(x: PreferenceCounts) -> float:
    """Return the number of fulfilled preferences between retrieved documents."""
    return prefs_num_prefs_ful(x.among_retrieved)


def prefs_simp(x: PreferenceCounts) -> float:
    """Return the fraction of fulfilled preferences, over all groups."""
    return _divide(prefs_num_prefs_ful(x), prefs_num_prefs_poss(x))


def prefs_pair(x: PreferenceCounts) -> float:
    """Return the mean over document pairs of the fraction of groups fulfilled.

    The groups of a pair prefer one of its documents. If no two groups have a pair in common, the
    result is `prefs_simp`.
    """
    return _mean_over_pairs(x, x.unseen_pairs) if len(x.groups) > 1 else prefs_simp(x)


def prefs_avgjg(x: PreferenceCounts) -> float:
    """Return the mean over groups of the fraction of fulfilled preferences.

    Each group has the same weight. A group without preferences counts as 0.
    """
    return _mean([_divide(group.fulfilled, group.possible) for group in x.groups])


def prefs_avgjg_Rnonrel(x: PreferenceCounts) -> float:
    """Return `prefs_avgjg` with R nonrelevant documents in each group.

    R is the number of relevant documents of the group. The result does not depend on the number of
    judged nonrelevant documents (level 0). If there are more than R, only the first R of the list
    count. If there are fewer, the missing ones are assumed: not retrieved, and worse than each
    relevant document.
    """
    return _mean([_score_equal_nonrelevant(group) for group in x.groups])


def prefs_simp_ret(x: PreferenceCounts) -> float:
    """Return `prefs_simp` among retrieved documents."""
    return prefs_simp(x.among_retrieved)


def prefs_pair_ret(x: PreferenceCounts) -> float:
    """Return `prefs_pair` among retrieved documents."""
    return prefs_pair(x.among_retrieved)


def prefs_avgjg_ret(x: PreferenceCounts) -> float:
    """Return `prefs_avgjg` among retrieved documents."""
    return prefs_avgjg(x.among_retrieved)


def prefs_avgjg_Rnonrel_ret(x: PreferenceCounts) -> float:
    """Return `prefs_avgjg_Rnonrel` among retrieved documents."""
    return prefs_avgjg_Rnonrel(x.among_retrieved)


def prefs_simp_imp(x: PreferenceCounts) -> float:
    """Return `prefs_simp` without preferences between documents not retrieved."""
    possible = sum(group.possible - group.unseen for group in x.groups)
    return _divide(prefs_num_prefs_ful(x), possible)


def prefs_pair_imp(x: PreferenceCounts) -> float:
    """Return `prefs_pair` without pairs of documents that are not retrieved."""
    return _mean_over_pairs(x, 0) if len(x.groups) > 1 else prefs_simp_imp(x)


def prefs_avgjg_imp(x: PreferenceCounts) -> float:
    """Return `prefs_avgjg` without preferences between documents not retrieved."""
    return _mean([_divide(group.fulfilled, group.possible - group.unseen) for group in x.groups])


MEASURES: dict[str, Callable[[PreferenceCounts], float]] = {
    name: measure for name, measure in globals().items() if name.startswith("prefs_")
}


def _score_equal_nonrelevant(group: RankedGroup) -> float:
    R, missing = group.R, group.R - group.N
    if missing < 0:
        reduced = group.limit_nonrelevant(R)
        return _divide(reduced.fulfilled, reduced.possible)
    fulfilled = group.fulfilled + group.R_retrieved * missing
    return _divide(fulfilled, group.possible + R * missing)


def _score_as_printed(x: PreferenceCounts, among_retrieved: bool = False) -> float:
    """Return the value that trec_eval prints for `prefs_avgjg_Rnonrel` or `_ret`.

    This holds for versions 9 and 10. A group without preferences makes the topic 0.
    """
    groups = (x.among_retrieved if among_retrieved else x).groups
    shares = [_score_group_as_printed(group_seen, group.R) for group_seen, group in zip(groups, x.groups, strict=True)]
    return 0.0 if any(map(math.isnan, shares)) else _mean(shares)


def _score_group_as_printed(group: RankedGroup, R: int) -> float:
    """Return the fraction of a group's preferences that are fulfilled.

    R is the number of all relevant documents.

    If there are more than R nonrelevant documents, pairs of these count as preferences if levels
    define the preferences; with sub groups, all R do. If there are fewer, the assumed documents are
    worse than all R.
    """
    missing = group.R - group.N
    if missing >= 0:
        fulfilled = group.fulfilled + group.R_retrieved * missing
        return _divide(fulfilled, group.possible + R * missing, default=math.nan)
    if not isinstance(group.order, LevelPreferences):
        reduced = group.limit_nonrelevant(R)
        return _divide(reduced.fulfilled, reduced.possible, default=math.nan)
    reduced = group.limit_nonrelevant(group.R)
    nonrelevant = np.minimum(np.arange(group.R), group.retrieved - group.R_retrieved)
    fulfilled, possible = (reduced.fulfilled + int(nonrelevant.sum()), reduced.possible + group.R * group.N)
    return _divide(fulfilled, possible, default=math.nan)


PRINTED = MEASURES | {
    "prefs_avgjg_Rnonrel": _score_as_printed,
    "prefs_avgjg_Rnonrel_ret": partial(_score_as_printed, among_retrieved=True),
}


def _mean_over_pairs(x: PreferenceCounts, failed: int) -> float:
    """Return the mean over all pairs with votes, and `failed` pairs that score 0."""
    fulfilled, against = x.votes
    shares = fulfilled / (fulfilled + against)
    return _divide(_sum(shares), len(shares) + failed)


def _mean(values: Sequence[float]) -> float:
    return _sum(values) / len(values)


def _sum(values: Sequence[float] | np.ndarray) -> float:
    """Sum in order, as trec_eval does."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _divide(part: float, total: float, default: float = 0.0) -> float:
    return part / total if total else default
