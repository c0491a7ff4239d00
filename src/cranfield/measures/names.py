"""What other tools call our measures.

One table per tool where the same name means different things, one for all where it does not.
A value ``A|B`` is A without a cutoff and B with one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# trec_eval's names (after the patterns below have taken the cutoff out of them).
TREC_EVAL = {
    "map": "AP|AP(norm=R)",
    "p": "P",
    "recall": "Recall",
    "success": "Success",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "map_cut": "AP(norm=R)",
    "bpref": "bpref",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}

# NTCIREVAL's names: `ntcir:nDCG@10`, or a cutoff written as it prints them, `nDCG@0010`.
NTCIREVAL = {
    "rr": "RR",
    "ap": "AP",
    "q": "Q",
    "q-measure": "Q",
    "p": "P",
    "prec": "P",
    "hit": "Success",
    "ndcg": "nDCG(discount=jk)",
    "msndcg": "nDCG",
    "err": "ERR(prob=linear)",
    "rbp": "RBP(p=0.95)",
    "bpref": "bpref",
}

# ir_measures' and ranx's names, and those of NTCIREVAL and trec_eval that nobody else uses.
ALIASES = TREC_EVAL | {
    "mrr": "RR",
    "ndcg_burges": "nDCG(gain=exp)",
    "precision": "P",
    "r": "Recall",
    "hit": "Success",
    "hit_rate": "Success",
    "hits": "NumRelRet",
    "msndcg": "nDCG",
    "q-measure": "Q",
    "rbp": "RBP",
}

# Names with numbers inside, rewritten before anything else.
PATTERNS = [
    # trec_eval: P_10, ndcg_cut_10, and as its -m option writes them: P.10, ndcg_cut.10
    (re.compile(r"(P|recall|success|ndcg_cut|map_cut)[_.](\d+)"), r"\1@\2"),
    # ranx: rbp.95 with binary relevance from level 1; a threshold as in mrr@10-l2, map-l2
    (re.compile(r"rbp\.(\d+)"), r"RBP(p=0.\1, rel=1)"),
    (re.compile(r"rbp\.(\d+)-l(\d+)"), r"RBP(p=0.\1, rel=\2)"),
    (re.compile(r"([\w-]+?)-l(\d+)"), r"\1(rel=\2)"),
    (re.compile(r"([\w-]+?)@(\d+)-l(\d+)"), r"\1(rel=\3)@\2"),
]

# ir_measures' parameters: name -> (our name, our value).
PARAMETERS: dict[str, Callable[[str], tuple[str, str]]] = {
    "dcg": lambda v: ("gain", {"exp-log2": "exp", "log2": "linear"}.get(v, v)),
    "judged_only": lambda v: ("condensed", v),
    "max_rel": lambda v: ("max_level", v),
    "cutoff": lambda v: ("cutoff", v),
}
