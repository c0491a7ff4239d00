"""Measures of preference judgments: how many of the users' preferences a ranked list fulfils.

A preference of a over b is fulfilled if a is retrieved above b, or a is retrieved and b is not.
The names are trec_eval's. Those that end in ``_ret`` see nothing but preferences between two
retrieved documents; those that end in ``_imp`` leave out preferences neither document of which
was retrieved, which the others count as not fulfilled. A topic without preferences scores 0.

`MEASURES` has them as trec_eval describes them, `PRINTED` as it computes them: two are not alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from cranfield.labelling.preferences import LevelPreferences, PreferenceCounts, RankedGroup


def prefs_num_prefs_poss(x: PreferenceCounts) -> float:
    """The number of preferences."""
    return float(sum(group.possible for group in x.groups))


def prefs_num_prefs_ful(x: PreferenceCounts) -> float:
    """The number of preferences that are fulfilled."""
    return float(sum(group.fulfilled for group in x.groups))


def prefs_num_prefs_ful_ret(x: PreferenceCounts) -> float:
    """The number of fulfilled preferences between two retrieved documents."""
    return prefs_num_prefs_ful(x.among_retrieved)


def prefs_simp(x: PreferenceCounts) -> float:
    """The share of preferences that are fulfilled, those of all groups taken together."""
    return _divide(prefs_num_prefs_ful(x), prefs_num_prefs_poss(x))


def prefs_pair(x: PreferenceCounts) -> float:
    """The mean over pairs of documents of the share of groups whose preference is fulfilled.

    The groups of a pair are those that prefer one of the two. Where no two groups speak of the
    same pair, this is `prefs_simp`.
    """
    return _mean_over_pairs(x, x.unseen_pairs) if len(x.groups) > 1 else prefs_simp(x)


def prefs_avgjg(x: PreferenceCounts) -> float:
    """The mean over groups of the share of their preferences that are fulfilled.

    A user with few preferences counts as much as one with many. A group without any counts as 0.
    """
    return _mean([_divide(group.fulfilled, group.possible) for group in x.groups])


def prefs_avgjg_Rnonrel(x: PreferenceCounts) -> float:
    """`prefs_avgjg` where each group has as many nonrelevant documents as relevant ones, R.

    Then it does not matter how many nonrelevant documents (level 0) were judged. If they are more
    than R, only the first R of the list count. If they are fewer, the missing ones are made up:
    not retrieved, and worse than each relevant document.
    """
    return _mean([_score_equal_nonrelevant(group) for group in x.groups])


def prefs_simp_ret(x: PreferenceCounts) -> float:
    """`prefs_simp` among retrieved documents."""
    return prefs_simp(x.among_retrieved)


def prefs_pair_ret(x: PreferenceCounts) -> float:
    """`prefs_pair` among retrieved documents."""
    return prefs_pair(x.among_retrieved)


def prefs_avgjg_ret(x: PreferenceCounts) -> float:
    """`prefs_avgjg` among retrieved documents."""
    return prefs_avgjg(x.among_retrieved)


def prefs_avgjg_Rnonrel_ret(x: PreferenceCounts) -> float:
    """`prefs_avgjg_Rnonrel` among retrieved documents."""
    return prefs_avgjg_Rnonrel(x.among_retrieved)


def prefs_simp_imp(x: PreferenceCounts) -> float:
    """`prefs_simp` without preferences neither document of which was retrieved."""
    possible = sum(group.possible - group.unseen for group in x.groups)
    return _divide(prefs_num_prefs_ful(x), possible)


def prefs_pair_imp(x: PreferenceCounts) -> float:
    """`prefs_pair` without pairs neither document of which was retrieved."""
    return _mean_over_pairs(x, 0) if len(x.groups) > 1 else prefs_simp_imp(x)


def prefs_avgjg_imp(x: PreferenceCounts) -> float:
    """`prefs_avgjg` without preferences neither document of which was retrieved."""
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
    """What trec_eval 9 and 10 print for `prefs_avgjg_Rnonrel`, or for its `_ret`.

    A group with nothing to count makes the topic 0.
    """
    groups = (x.among_retrieved if among_retrieved else x).groups
    shares = [
        _score_group_as_printed(group_seen, group.R)
        for group_seen, group in zip(groups, x.groups, strict=True)
    ]
    return 0.0 if any(map(math.isnan, shares)) else _mean(shares)


def _score_group_as_printed(group: RankedGroup, R: int) -> float:
    """The share of a group's preferences that are fulfilled; R are all of its relevant documents.

    More than R nonrelevant documents: pairs of them count as preferences where levels say what is
    preferred, all R where sub groups do. Fewer: those made up are worse than all R.
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
    fulfilled, possible = (
        reduced.fulfilled + int(nonrelevant.sum()),
        reduced.possible + group.R * group.N,
    )
    return _divide(fulfilled, possible, default=math.nan)


PRINTED = MEASURES | {
    "prefs_avgjg_Rnonrel": _score_as_printed,
    "prefs_avgjg_Rnonrel_ret": partial(_score_as_printed, among_retrieved=True),
}


def _mean_over_pairs(x: PreferenceCounts, failed: int) -> float:
    """Over all pairs that groups vote on, and some that score 0."""
    fulfilled, against = x.votes
    shares = fulfilled / (fulfilled + against)
    return _divide(_sum(shares), len(shares) + failed)


def _mean(values: Sequence[float]) -> float:
    return _sum(values) / len(values)


def _sum(values: Sequence[float] | np.ndarray) -> float:
    """One after the other, as trec_eval adds."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _divide(part: float, total: float, default: float = 0.0) -> float:
    return part / total if total else default
