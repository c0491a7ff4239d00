"""Meanings of symbols: the papers' symbols, and the names of steps.

A measure with other step names explains them in its `symbols`.
"""

from __future__ import annotations

NOTATION = {
    "r": "rank",
    "I": "1 if the item is relevant, else 0",
    "C": "relevant items up to the rank",
    "g": "gain of the item",
    "cg": "cumulative gain at the rank",
    "g*": "gain of the item in the ideal list",
    "cg*": "cumulative gain of the ideal list at the rank",
    "R": "relevant items known",
    "N": "nonrelevant items known",
    "n": "length of the list",
    "l": "cutoff",
    "h": "highest level",
    "g_h": "gain of the highest level",
    "I_i, C_i, g_i": "I, C and g for intent i",
    "Pr(i|q)": "probability of intent i",
}
"""Symbols of formulas."""

LETTERS = {
    "Pr": "probability that the item satisfies the user",
    "r": "rank",
    "x": "level of the item",
    "p": "parameter p",
    "β": "parameter beta",
    "γ": "parameter gamma",
}
"""Letters in the names of steps and in descriptions of variants."""

WALK = {
    "c": "cost of the item",
    "C": "probability of continuing to the next item",
    "W": "attention at the rank",
    "L": "probability that the item is the last one seen",
    "EU": "expected utility: gain per item seen",
    "ETU": "expected total utility: gain when the user stops",
    "EC": "expected cost per item seen",
    "ETC": "expected total cost",
    "ED": "expected depth: items seen",
}
"""Symbols of user models (C/W/L)."""

STEPS = {
    "Σ": "sum over the ranks",
    "C(l)": "relevant items up to the cutoff, or in the list",
    "C(n)": "relevant items in the list",
    "C(R)": "relevant items up to rank R, or up to a multiple of R",
    "cg(l)": "cumulative gain at the cutoff",
    "cg*(l)": "cumulative gain of the ideal list at the cutoff",
    "judged": "judged items in the list",
    "P": "precision: relevant fraction of the items so far",
    "Recall": "fraction of the relevant items in the list",
    "pairs in the wrong order": "a nonrelevant item above a relevant one",
    "d": "discount of the rank",
    "g/d": "discounted gain",
    "I/d": "discounted I",
    "nDCG(r)": "nDCG at the rank",
    "p^(r−1)": "probability that users reach the rank",
    "cg/r": "gain per rank so far, at a relevant item",
    "δ/(r − 1/β)": "reciprocal rank, slightly more for higher levels, 0 if not relevant",
    "stop": "weight of the users who stop at the rank",
    "BR": "blended ratio: C and cg divided by their best values at the rank",
    "RR": "one over the rank",
    "IE": "utility left after the effort of reading so far",
    "S": "sum of the precision at relevant items",
    "dsat(r−1)": "probability that no item above satisfied the user",
    "T": "seconds until the user reaches the item",
    "gain": "gain of the item",
    "pos": "characters read by the end of the item",
    "D": "discount factor at this position",
    "g·D": "discounted gain",
    "nonrelevant above": "judged nonrelevant items above",
    "1 − penalty": "value of a relevant item, reduced by the items above",
    "pen": "relative gain difference to the items above with less gain",
    "g·(1 − penalty)": "gain, reduced by the items above",
    "r'": "rank among the judged items",
    "precision above": "relevant fraction of the judged items above",
    "inferred": "estimated precision at a relevant item",
    "E": "precision at the item, estimated from the samples of strata",
    "N_s/n_s": "documents of the item's stratum per judged document",
    "I·N_s/n_s·E": "contribution of the relevant item, scaled up to unsampled items",
    "R̂": "estimated number of relevant items",
    "g/log2(r + 1)": "discounted gain",
    "k_s/j_s": "items of the stratum in the list per judged item",
    "g/log2(r + 1)·k_s/j_s": "discounted gain, scaled up to unsampled items",
    "l − r + C": "items left to check below the rank, plus relevant items up to it",
    "I·(l − r + C)": "l − r + C at relevant items",
    "search length": "nonrelevant items seen",
    "new intents": "intents covered here for the first time",
    "ng": "gain of the item over all intents, reduced for intents served above",
    "ng·d": "ng times the discount d",
    "Pr(v|i)/max": "probability of the vertical for the intent, divided by the highest",
}
"""Names of the steps of measures."""

EXPECTED_NOTATION = {
    "I": "probability that the item at the rank is relevant",
    "C": "mean number of relevant items up to the rank if the item there is relevant",
    "g": "mean gain at the rank",
    "cg": "mean cumulative gain at the rank if the item there is relevant",
}
"""Symbols averaged over the orders of tied items (expected.py)."""
