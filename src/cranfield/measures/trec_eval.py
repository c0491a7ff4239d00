"""trec_eval's measures: names in its order, parameters and definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.labelling.blocks import Judgments
from cranfield.measures.base import Measure
from cranfield.measures.dcg import RBP, compute_powers
from cranfield.measures.grammar import parse_measure
from cranfield.measures.lists import Lists
from cranfield.measures.preferences import MEASURES

PREFERENCES = tuple(MEASURES)
BY_GROUP = {"map_avgjg": "map", "P_avgjg": "P", "Rprec_mult_avgjg": "Rprec_mult"}
NAMES = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref"),
    *("Rprec_mult", "utility", "11pt_avg", "binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel"),
    *("Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P"),
    *("set_recall", "set_map", "set_F", "num_nonrel_judged_ret", *PREFERENCES, *BY_GROUP),
    *("yaap", "rbp", "rbp_resid", "unj"),
)
OFFICIAL = NAMES[:12]
SET = (*NAMES[:5], "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F")
VERSION_9 = tuple(name for name in NAMES[: NAMES.index(PREFERENCES[0])] if name not in ("dcg", "ideal_dcg"))
NICKNAMES = {
    "official": OFFICIAL,
    "set": SET,
    "all_trec": (*VERSION_9, "rbp", "rbp_resid", "unj"),
    "all_prefs": ("runid", "num_q", *PREFERENCES),
    "prefs": ("runid", "num_q", *PREFERENCES[:6]),
    "qrels_jg": ("runid", "num_q", *BY_GROUP),
}

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
AT_RANKS: dict[str, tuple[float, ...]] = dict.fromkeys(
    ("P", "recall", "relative_P", "map_cut", "ndcg_cut", "P_avgjg"), RANKS
) | {"success": (1, 5, 10), "unj": (5, 10, 20)}
FIFTHS = tuple(i / 5 for i in range(1, 11))
AT_SHARES: dict[str, tuple[float, ...]] = {
    "iprec_at_recall": tuple(i / 10 for i in range(11)),
    "Rprec_mult": FIFTHS,
    "Rprec_mult_avgjg": FIFTHS,
}
WITH_GAINS = ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg")  # level=gain
LEVELS_AS_GAINS = (*WITH_GAINS, "ndcg_cut", "rbp", "rbp_resid")  # whatever is called relevant


class Residual(RBP):
    """The residual of rbp: the gain if all unjudged documents were relevant.

    rbp_resid = p^n + (1 − p) Σ_{unjudged r} p^(r−1), n the length of the list; 0 if all are judged

    >>> Residual(p=0.5)([None, 1]), Residual(p=0.5)([0, 1])
    (0.75, 0.0)
    """

    def score(self, x: Lists) -> Floats:
        residuals = np.zeros(len(x))
        n = x.n.tolist()
        p = compute_powers(self.p, np.arange(max(n, default=0) + 1))
        for t, (ranks, judged) in enumerate(zip(x.r, x.judged, strict=True)):
            unjudged = np.ones(n[t], dtype=bool)
            unjudged[ranks[judged] - 1] = False
            if unjudged.any():  # added up from the top rank down, as there
                residuals[t] = p[n[t]] + (1.0 - self.p) * np.cumsum(p[: n[t]][unjudged])[-1]
        return residuals


OWN_MEASURES = {"rbp": RBP(p=0.9, max_level=1), "rbp_resid": Residual(p=0.9)}


def find_measure(
    name: str,
    cutoff: float | None = None,
    *,
    rel: float = 1.0,
    condensed: bool = False,
    version: int = 10,
    **parameters: Any,
) -> Measure:
    """Return the measure for one of trec_eval's names.

    Documents from level `rel` are relevant. `cutoff` is a rank or a fraction of R. Versions 9 and
    10 round the number of documents for a recall differently.

    >>> find_measure("P", 5), find_measure("ndcg_cut", 10), find_measure("map", rel=2)
    (P(rel=1)@5, nDCG@10, AP(rel=2))
    >>> find_measure("11pt_avg", version=9), find_measure("utility", a=2.0)
    (AP11(rel=1, reach=trec9), Utility(a=2, rel=1))
    """
    suffix = "" if cutoff is None else f"_{np.format_float_positional(cutoff, trim='-')}"
    measure = OWN_MEASURES.get(name) or parse_measure(f"trec:{name}{suffix}")
    settings: dict[str, Any] = {"condensed": condensed, **parameters}
    if hasattr(measure, "rel") and name not in LEVELS_AS_GAINS:
        settings["rel"] = float(rel)
    if version == 9 and name in ("iprec_at_recall", "11pt_avg"):
        settings["reach"] = "trec9"
    return replace(measure, **settings)


# -- gains by level -------------------------------------------------------------------------------


def apply_gains(levels: Floats, gain_table: Mapping[int, float]) -> Floats:
    """Return the gain of each item: the value for its level, else the level."""
    gains = levels.copy()
    for level, gain in gain_table.items():
        gains[levels == level] = gain
    return gains


def compute_unit_gains(judgments: Judgments, levels: Floats, gain_table: Mapping[int, float]) -> Floats:
    """Return gains from 0 to 1, as rbp needs them.

    gain = (g − min g)/(max g − min g) if a gain of the topic is outside 0 to 1. The minimum and
    maximum are over all levels from 0 to the topic's highest, and the levels with given gains.
    """
    gains = apply_gains(levels, gain_table)
    top = np.zeros(len(judgments.topics))
    is_judged = ~np.isnan(levels)
    np.maximum.at(top, judgments.item_topics[is_judged], levels[is_judged])
    low, high = np.zeros(len(top)), np.zeros(len(top))
    for h in np.unique(top).tolist():
        lowest = next(level for level in count() if level not in gain_table)
        highest = next(h - distance for distance in count() if h - distance not in gain_table)
        candidates = [*gain_table.values(), *(x for x in (lowest, highest) if 0 <= x <= h)]
        low[top == h], high[top == h] = min(candidates), max(candidates)
    outside = (low < 0) | (high > 1)
    low, span = np.where(outside, low, 0.0), np.where(outside, high - low, 1.0)
    topic = judgments.item_topics
    return (gains - low[topic]) / np.where(span == 0, 1.0, span)[topic]
