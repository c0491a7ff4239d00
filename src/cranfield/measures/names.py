"""Names of measures in other tools.

Each tool with ambiguous names has its own table; unambiguous names share one. A value ``A|B`` is A
without a cutoff and B with one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from cranfield.errors import InputError


def _map_own_names(names: str, settings: str = "") -> dict[str, str]:
    """Map names that are equal to ours, in any case."""
    return {name.lower(): name + settings for name in names.split()}


def _invert(table: dict[str, str]) -> dict[str, str]:
    """Invert a table: map each foreign name to ours."""
    return {name: own_name for own_name, names in table.items() for name in names.split()}


# trec_eval's names, without cutoffs (removed by the patterns below).
TREC_EVAL = {
    **_map_own_names("Rprec bpref P Recall Success infAP Utility binG G DCG nDCG RnDCG YAAP"),
    "map": "AP|AP(norm=R)",
    "gm_map": "GMAP",
    "rprec_mult": "Rprec(reach=trec9)",
    "gm_bpref": "GMbpref",
    "recip_rank": "RR",
    "iprec_at_recall": "IPrec(reach=nearest)",
    "11pt_avg": "AP11(reach=nearest)",
    "relative_p": "RelP",
    "ndcg_cut": "nDCG",
    "ndcg_rel": "nDCGrel",
    "map_cut": "AP(norm=R)",
    "set_p": "SetP",
    "set_relative_p": "SetRelP",
    "set_recall": "SetRecall",
    "set_map": "SetAP",
    "set_f": "SetF",
    "unj": "Unjudged",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonRelRet",
}

# NTCIREVAL's names: `ntcir:nDCG@10`, or with its cutoff format, `nDCG@0010`.
NTCIREVAL = {
    **_map_own_names("RR AP Q P bpref"),
    **_map_own_names("bpref_R bpref_N bpref_relative rpref_N rpref_relative rpref_relative2"),
    "o-measure": "O",
    "p-measure": "Pmeasure",
    "p-plus": "Pplus",
    "q-measure": "Q",
    "ncugu,p": "NCU(stop=gu, utility=P)",
    "ncugu,br": "NCU(stop=gu, utility=BR)",
    "ncugu,ie": "NCU(stop=gu, utility=IE)",
    "ncurb,p": "NCU(stop=rb, utility=P)|NCU(stop=rb, utility=P, norm=min)",
    "ncurb,br": "NCU(stop=rb, utility=BR)|NCU(stop=rb, utility=BR, norm=min)",
    "ncurb,ie": "NCU(stop=rb, utility=IE)|NCU(stop=rb, utility=IE, norm=min)",
    "gap": "GAP(thresholds=level)",
    "ndcg": "nDCG(discount=jk)",
    "msndcg": "nDCG",
    "prec": "P",
    "hit": "Success",
    **_map_own_names("RBP nRBP", "(p=0.95)"),
    **_map_own_names("ERR nERR EBR nEBR iRBU niRBU", "(prob=linear)"),
}

# ir_measures' names with another meaning than in cranfield.
IR_MEASURES = {
    "accuracy": "PairAccuracy",
    "ap": "AP|AP(norm=R)",
    "map": "AP|AP(norm=R)",
    "err": "ERR(max_level=4)",
    "mrr": "RR",
    "precision": "P",
    "r": "Recall",
    "setr": "SetRecall",
}

# Unambiguous names of other tools.
ALIASES = {
    **TREC_EVAL,
    **{n: ours.partition("|")[0] for n, ours in NTCIREVAL.items() if "-" in n or "," in n},
    **{name: IR_MEASURES[name] for name in ("mrr", "precision", "r", "setr")},
    **_invert(
        {
            "nDCG": "msndcg",
            "P": "prec",
            "Success": "hit hit_rate hitrate",
            "DCG(gain=exp)": "dcg_burges",
            "F": "f1 f_1 f-measure",
            "E": "e-measure",
            "nCG": "nsr",
            "AP11": "11pt-ap",
            "bpref_N": "rankeff",
            "NumRelRet": "hits",
            "nDCG(gain=exp)": "ndcg_burges",
            "Pplus": "p+",
            "Rmeasure": "r-measure",
            "Rprec": "r-precision r_precision",
            "RBP": "rbp",
            "U": "u-measure",
            # BEIR's
            "RelP": "r_cap",
            "Unjudged(scope=collection)": "hole",
            # diversity: NTCIR's, ndeval's, ir_measures'
            "IRec": "i-rec",
            "IRec(intents=relevant)": "strec strecall",
            "alpha_DCG": "alpha-dcg α-dcg α_dcg",
            "alpha_nDCG": "alpha-ndcg α-ndcg α_ndcg",
            "IA(AP, intents=relevant)": "map_ia ap_ia map-ia",
            "IA(P, intents=relevant)": "p_ia p-ia",
            "IA(AP)": "ap-ia",
            "ERR_IA": "err-ia",
            "nERR_IA": "nerr-ia",
            "PplusQ": "p+q",
            "PplusQsharp": "p+q# p+q♯",
            # sessions and texts
            "sU": "session-u",
            "ROUGE": "rouge-n",
            "ROUGEL": "rouge-l",
            "EM": "exact_match exact-match",
            "TokenF1": "token_f1 token-f1",
            "ROUGES": "rouge-s",
            "ROUGESU": "rouge-su",
            "NuggetF": "f_qa",
            "Ssharp": "f-flat s# s♯",
            "Sflat": "s-flat s♭",
            "Smeasure": "s-measure",
            "Tflat": "t-flat t♭",
            "Tmeasure": "t-measure",
            "WRecall": "w-recall w-rec",
            "Vscore": "v-score",
            "QUscore": "qu-score",
        }
    ),
}

# Names in the papers without a measure: the reason, and what to use instead.
_NO_FORMULA = "the papers give no formula"
_CITED = "the papers only cite it"
NOT_MEASURES = {
    "h-measure": "it scores subtopics of two levels. Use `cranfield hierarchy`.",
    "hscore": "it scores subtopics of two levels. Use `cranfield hierarchy`.",
    "statap": f"{_NO_FORMULA}. For sampled judgments, use xinfAP or infNDCG.",
    "adm": f"{_NO_FORMULA} of the Average Distance Measure. For graded scores, use nDCG or Q.",
    "ucs": f"{_NO_FORMULA} of the User's Character Score. Its presets contain the other measures.",
    "crs": f"{_NO_FORMULA} of the Combinational Relevance Score. Use AP with --groups.",
    "passage-ap": f"{_NO_FORMULA}. Evaluate documents with AP.",
    "utterance-ap": f"{_NO_FORMULA}. Evaluate documents with AP.",
    "pointwise-ap": f"{_NO_FORMULA}. Evaluate documents with AP.",
    "fractional-ap": f"{_NO_FORMULA}. Evaluate documents with AP.",
    "ndcg2": f"{_NO_FORMULA} (LETOR). Use nDCG(letor=true).",
    "α♯-ia": f"{_CITED}. Use alpha_nDCG or IA(M).",
    "alpha#-ia": f"{_CITED}. Use alpha_nDCG or IA(M).",
    "d_rank": f"{_CITED}. For rankings of runs, use `cranfield meta correlation`.",
}

# Groups of measures.
GROUPS = {
    "nuggets": "NuggetV(strict=true) NuggetV NuggetW(strict=true) NuggetW NuggetA(strict=true) NuggetA",
    "citations": "CitationP CitationR CitationF",
    "short": "EM TokenF1 Contains ROUGEL",
}

# Names that contain numbers. Patterns are compiled only if a name is not cranfield's.
_CUT = "P|relative_P|recall|success|ndcg_cut|map_cut|unj|iprec_at_recall"
PATTERNS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    # trec_eval: P_10, ndcg_cut_10, and as its -m option writes them: P.10, ndcg_cut.10
    (rf"(?i)({_CUT})[_.]((?:\d*\.)?\d+)", r"\1@\2"),
    (r"(?i)Rprec_mult[_.]((?:\d*\.)?\d+)", r"Rprec(mult=\1, reach=trec9)"),
    (r"set_F[_.](\d+(?:\.\d+)?)", lambda m: f"set_F(alpha={1 / (float(m[1]) + 1)!r})"),
    (r"ideal_dcg", "DCG.ideal"),
    # NTCIR: D-nDCG@10, D♯-Q@10, DIN#-nDCG@10, U-IA, I-rec@n
    (r"(D|DIN)-([A-Za-z]\w*)(@\d+)?", r"\1(\2)\3"),
    (r"(D|DIN)[♯#]-([A-Za-z]\w*)(@\d+)?", r"\1sharp(\2)\3"),
    (r"(?i)(?!n?ERR|M?AP|P)([A-Za-z]\w*)-IA(@\d+)?", r"IA(\1)\2"),
    (r"I-rec@n", "IRec(top=intents)"),
    # condensed lists (Sakai 2014): AP', CL-AP
    (r"([A-Za-z]\w*)['’′](@\d+)?", r"\1(condensed=true)\2"),
    (r"CL-([A-Za-z]\w*)(@\d+)?", r"\1(condensed=true)\2"),
    # ROUGE-2, ROUGE-SU4
    (r"(?i)rouge-?(\d+)(\.\w+)?", r"ROUGE(n=\1)\2"),
    (r"(?i)rouge-?(su?)(\d+)(\.\w+)?", r"ROUGE\1(skip=\2)\3"),
    # ir_measures: its BPM has the budget behind @
    (r"BPM\(([^()]*\bmax_rel=[^()]*)\)@(\d+)(\.\w+)?", r"BPM(\1, K=\2)\3"),
    # ranx: rbp.95 with binary relevance from level 1; a threshold as in mrr@10-l2, map-l2
    (r"rbp\.(\d+)", r"RBP(p=0.\1, rel=1)"),
    (r"rbp\.(\d+)-l(\d+)", r"RBP(p=0.\1, rel=\2)"),
    (r"([\w-]+?)-l(\d+)", r"\1(rel=\2)"),
    (r"([\w-]+?)@(\d+)-l(\d+)", r"\1(rel=\3)@\2"),
]

# trec_eval's notation for several cutoffs: P.5,10
CUTOFF_LIST = rf"(?i)((?:trec:)?(?:{_CUT}|Rprec_mult)[_.])([\d.]+(?:,[\d.]+)+)"

# Parameters of other tools, or of several parameters: name -> cranfield's names and values.
Translations: TypeAlias = dict[str, Callable[[str], dict[str, str]]]
PARAMETERS: Translations = {
    "dcg": lambda v: {"gain": {"exp-log2": "exp", "log2": "linear"}.get(v, v)},
    "judged_only": lambda v: {"condensed": v},
    "max_rel": lambda v: {"max_level": v},
    "theta": lambda v: {"p": v},  # cwl_eval's RBP
    "phi": lambda v: {"p": v},
    "h": lambda v: {"halflife": v},  # its TBG
    "letor": lambda v: {"true": {"gain": "exp", "discount": "jk"}, "false": {}}[v.lower()],
}
# Parameters of user models in ir_measures, with gains of level / highest level.
MODEL_PARAMETERS: Translations = {
    **PARAMETERS,
    "max_rel": lambda v: {"max_level": v, "gain": "unit"},
    "min_rel": lambda v: {"0": {}}[v],
    "p": lambda v: {"phi": v},  # its NERR10
}
EXPECTED = {"letor": "true or false", "min_rel": "0 (gains are level / max_rel)"}


def translate_parameter(translations: Translations, key: str, value: str) -> dict[str, str]:
    """Translate a parameter of another tool.

    >>> translate_parameter(MODEL_PARAMETERS, "max_rel", "3")
    {'max_level': '3', 'gain': 'unit'}
    """
    try:
        return translations[key](value)
    except KeyError:
        raise InputError.from_problem(f"{key} must be {EXPECTED[key]}, found {value}") from None


def get_measure_name(target: str) -> str:
    """Return the measure of a table entry, without its parameters."""
    return re.split(r"[(|]", target)[0]


def list_aliases(name: str) -> list[str]:
    """Return the names of a measure in other tools.

    >>> list_aliases("RR")
    ['recip_rank', 'mrr', 'ntcir:rr']
    """

    all_names = ALIASES | {f"ntcir:{a}": target for a, target in NTCIREVAL.items()}
    aliases = {a: target for a, target in all_names.items() if get_measure_name(target) == name and a != name.lower()}
    exact = [a for a, target in aliases.items() if target == name]
    return exact + [f"{a} = {target}" for a, target in aliases.items() if target != name]
