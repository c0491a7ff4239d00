"""What symbols mean: those of the papers, and the names that measures give to their own steps.

A measure that notes steps under other names says what they mean in its `symbols`.
"""

from __future__ import annotations

NOTATION = {
    "r": "rank",
    "I": "1 if the item is relevant, else 0",
    "C": "relevant items down to the rank",
    "g": "gain of the item",
    "cg": "gains down to the rank, added up",
    "g*": "gain of the item in the ideal list",
    "cg*": "the ideal list's gains down to the rank, added up",
    "R": "relevant items known",
    "N": "nonrelevant items known",
    "n": "length of the list",
    "l": "cutoff",
    "h": "highest level",
    "g_h": "gain of the highest level",
    "I_i, C_i, g_i": "I, C and g for intent i",
    "Pr(i|q)": "how probable intent i is",
}
"""The symbols of formulas."""

LETTERS = {
    "Pr": "probability that the item satisfies the user",
    "r": "rank",
    "x": "level of the item",
    "p": "parameter p",
    "β": "parameter beta",
    "γ": "parameter gamma",
}
"""What letters mean in the names of steps, and where a measure says which version it is."""

WALK = {
    "c": "cost of the item",
    "C": "probability of going on to the next item",
    "W": "attention that the rank gets",
    "L": "probability that the item is the last one seen",
    "EU": "expected utility: gain per item seen",
    "ETU": "expected total utility: gain by the time the user stops",
    "EC": "expected cost per item seen",
    "ETC": "expected total cost",
    "ED": "expected depth: items seen",
}
"""The symbols of user models (C/W/L)."""

STEPS = {
    "Σ": "sum over the ranks",
    "C(l)": "relevant items down to the cutoff, or in the list",
    "C(n)": "relevant items in the list",
    "C(R)": "relevant items down to rank R, or to a multiple of it",
    "cg(l)": "gains down to the cutoff, added up",
    "cg*(l)": "the same in the ideal list",
    "judged": "judged items in the list",
    "P": "precision: the share of the items so far that are relevant",
    "Recall": "the share of the relevant items that are there",
    "pairs in the wrong order": "a nonrelevant item above a relevant one",
    "d": "discount of the rank",
    "g/d": "discounted gain",
    "I/d": "discounted I",
    "nDCG(r)": "nDCG down to the rank",
    "p^(r−1)": "probability that users get as far as the rank",
    "cg/r": "gain per rank so far, at a relevant item",
    "δ/(r − 1/β)": "reciprocal rank, a little more for higher levels, 0 if not relevant",
    "stop": "weight of the users who stop at the rank",
    "BR": "blended ratio: C and cg over the best there can be at the rank",
    "RR": "one over the rank",
    "IE": "what the effort of reading so far leaves",
    "S": "precision at the relevant items, added up",
    "dsat(r−1)": "probability that no item above did",
    "T": "seconds until the user comes to the item",
    "gain": "what the item is worth",
    "pos": "characters read by the end of the item",
    "D": "what a gain is still worth there",
    "g·D": "gain, as much as it is still worth there",
    "nonrelevant above": "items above that were judged nonrelevant",
    "1 − penalty": "what a relevant item counts, less for what stands above",
    "pen": "what the items above lack that are worth less",
    "g·(1 − penalty)": "gain, less for what stands above",
    "r'": "rank among the judged items",
    "precision above": "share of the judged items above that are relevant",
    "inferred": "precision at a relevant item, as estimated",
    "E": "precision at the item, as estimated from the samples of strata",
    "N_s/n_s": "documents of the item's stratum for each that was judged",
    "I·N_s/n_s·E": "what a relevant item counts for those that were not drawn, too",
    "R̂": "relevant items, as estimated",
    "g/log2(r + 1)": "discounted gain",
    "k_s/j_s": "items of the stratum in the list for each of them that was judged",
    "g/log2(r + 1)·k_s/j_s": "discounted gain, for those that were not drawn, too",
    "l − r + C": "what is left to check below the rank, and relevant items down to it",
    "I·(l − r + C)": "the same at relevant items",
    "search length": "nonrelevant items that are looked at",
    "new intents": "intents served here for the first time",
    "ng": "what the item is worth to all intents, less to those served above",
    "ng·d": "ng times what the rank leaves of it, d",
    "Pr(v|i)/max": "how much users of the intent want the vertical, over the one wanted most",
}
"""The names under which measures note their steps."""

EXPECTED_NOTATION = {
    "I": "probability that the item at the rank is relevant",
    "C": "relevant items down to the rank if the item there is relevant, in the mean",
    "g": "gain at the rank, in the mean",
    "cg": "gains down to the rank if the item there is relevant, in the mean",
}
"""What symbols mean where ties leave open which item stands at a rank (expected.py)."""
