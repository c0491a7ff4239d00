"""cranfield: which search system is better, and how sure are we?

import cranfield as cf
scores = cf.evaluate("qrels.txt", ["bm25.run", "dense.run"], ["AP", cf.nDCG @ 10])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.run import Run, read_run
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.evaluate import Evaluator, evaluate
from cranfield.evaluation.presets import Preset, preset, presets
from cranfield.labelling.strategies import Combinations, EquivalenceClasses, Labelling
from cranfield.measures.base import REGISTRY, Measure, measure, param
from cranfield.measures.counts import (
    Judged,
    NumJudgedRet,
    NumNonRelRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    NumUnjudgedRet,
    Unjudged,
)
from cranfield.measures.cumulated import BR, Rmeasure, nCG, nG
from cranfield.measures.curve import AP11, IPrec
from cranfield.measures.cwl import Items, UserModel, Walk, user_model
from cranfield.measures.dcg import DCG, RBP, nDCG, nRBP
from cranfield.measures.distributions import JSD, NMD, RNOD, RSNOD
from cranfield.measures.diversity import (
    DIN,
    ERR_IA,
    IA,
    NRBP,
    D,
    DINsharp,
    Dsharp,
    IRec,
    PplusQ,
    PplusQsharp,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
)
from cranfield.measures.experimental import G, RnDCG, binG, nDCGrel
from cranfield.measures.graded import GAP, NWRR, WRR, Compat, gAP
from cranfield.measures.grammar import parse_measure, parse_measures
from cranfield.measures.incomplete import (
    GMbpref,
    bpref,
    bpref_N,
    bpref_R,
    bpref_relative,
    infAP,
    rpref_N,
    rpref_relative,
    rpref_relative2,
)
from cranfield.measures.lists import Lists, ratio, total
from cranfield.measures.models import (
    BPM,
    BPMD,
    IFT,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    NPV,
    SDCG,
    SET,
    IFTGoal,
    IFTRate,
    TrAP,
)
from cranfield.measures.ncu import (
    AP,
    EBR,
    ERR,
    GMAP,
    NCU,
    RR,
    YAAP,
    O,
    Pmeasure,
    Pplus,
    Q,
    iRBU,
    nEBR,
    nERR,
    niRBU,
)
from cranfield.measures.reading import TBG, U
from cranfield.measures.sessions import clickU, nsDCG, sDCG, sU
from cranfield.measures.sets import (
    E,
    F,
    P,
    PairAccuracy,
    Recall,
    RelP,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetRecall,
    SetRelP,
    Success,
    Utility,
)
from cranfield.measures.texts import (
    ROUGE,
    ROUGES,
    ROUGESU,
    NuggetF,
    NuggetRecall,
    Pourpre,
    Sflat,
    Smeasure,
    Ssharp,
    Tflat,
    Tmeasure,
    WRecall,
)
from cranfield.measures.verticals import QUscore, Vscore
from cranfield.scores import Interval, Notice, Scores

if TYPE_CHECKING:
    from cranfield import compat, meta, plot, stats
    from cranfield.assess.aggregate import aggregate
    from cranfield.assess.agreement import Agreement, agreement
    from cranfield.assess.assessments import Assessments, read_assessments
    from cranfield.assess.pool import Pool, pool
    from cranfield.comparison import Comparison, compare
    from cranfield.data.ntcir.nev import read_means
    from cranfield.data.simulate import Collection, simulate
    from cranfield.evaluation.distributions import evaluate_distributions
    from cranfield.evaluation.hierarchy import evaluate_hierarchy
    from cranfield.evaluation.labelled import LabelledList
    from cranfield.evaluation.listing import label
    from cranfield.evaluation.results import read_scores
    from cranfield.evaluation.sessions import evaluate_sessions, trailtext
    from cranfield.evaluation.steps import Explanation
    from cranfield.evaluation.texts import evaluate_texts
    from cranfield.evaluation.tracing import explain
    from cranfield.tools.ntcir import read_matrix, read_nev

# Not needed to evaluate: imported when asked for.
_LATER = {
    "Agreement": "cranfield.assess.agreement",
    "Assessments": "cranfield.assess.assessments",
    "aggregate": "cranfield.assess.aggregate",
    "agreement": "cranfield.assess.agreement",
    "evaluate_texts": "cranfield.evaluation.texts",
    "evaluate_hierarchy": "cranfield.evaluation.hierarchy",
    "evaluate_sessions": "cranfield.evaluation.sessions",
    "trailtext": "cranfield.evaluation.sessions",
    "evaluate_distributions": "cranfield.evaluation.distributions",
    "read_assessments": "cranfield.assess.assessments",
    "read_matrix": "cranfield.tools.ntcir",
    "read_means": "cranfield.data.ntcir.nev",
    "read_nev": "cranfield.tools.ntcir",
    "Collection": "cranfield.data.simulate",
    "Comparison": "cranfield.comparison",
    "compare": "cranfield.comparison",
    "read_scores": "cranfield.evaluation.results",
    "Explanation": "cranfield.evaluation.steps",
    "Pool": "cranfield.assess.pool",
    "LabelledList": "cranfield.evaluation.labelled",
    "explain": "cranfield.evaluation.tracing",
    "label": "cranfield.evaluation.listing",
    "pool": "cranfield.assess.pool",
    "simulate": "cranfield.data.simulate",
}

__version__ = "0.1.0"

__all__ = [
    "AP",
    "AP11",
    "BPM",
    "BPMD",
    "BR",
    "DCG",
    "DIN",
    "EBR",
    "ERR",
    "ERR_IA",
    "GAP",
    "GMAP",
    "IA",
    "IFT",
    "INSQ",
    "INST",
    "JSD",
    "NCU",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NMD",
    "NPV",
    "NRBP",
    "NWRR",
    "RBP",
    "REGISTRY",
    "RNOD",
    "ROUGE",
    "ROUGES",
    "ROUGESU",
    "RR",
    "RSNOD",
    "SDCG",
    "SET",
    "TBG",
    "WRR",
    "YAAP",
    "Agreement",
    "Assessments",
    "Collection",
    "Combinations",
    "Comparison",
    "Compat",
    "CranfieldError",
    "D",
    "DINsharp",
    "Dsharp",
    "E",
    "EquivalenceClasses",
    "Evaluator",
    "Explanation",
    "F",
    "G",
    "GMbpref",
    "IFTGoal",
    "IFTRate",
    "IPrec",
    "IRec",
    "InputError",
    "Interval",
    "Items",
    "Judged",
    "LabelledList",
    "Labelling",
    "Lists",
    "Measure",
    "Notice",
    "NuggetF",
    "NuggetRecall",
    "NumJudgedRet",
    "NumNonRelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "NumUnjudgedRet",
    "O",
    "P",
    "PairAccuracy",
    "Pmeasure",
    "Pool",
    "Pourpre",
    "Pplus",
    "PplusQ",
    "PplusQsharp",
    "Preset",
    "Q",
    "QUscore",
    "Qrels",
    "Recall",
    "RelP",
    "Rmeasure",
    "RnDCG",
    "Rprec",
    "Run",
    "Scores",
    "SetAP",
    "SetF",
    "SetP",
    "SetRecall",
    "SetRelP",
    "Sflat",
    "Smeasure",
    "Ssharp",
    "Success",
    "Tflat",
    "Tmeasure",
    "TrAP",
    "U",
    "Unjudged",
    "UserModel",
    "Utility",
    "Vscore",
    "WRecall",
    "Walk",
    "aggregate",
    "agreement",
    "alpha_DCG",
    "alpha_nDCG",
    "binG",
    "bpref",
    "bpref_N",
    "bpref_R",
    "bpref_relative",
    "clickU",
    "compare",
    "compat",
    "evaluate",
    "evaluate_distributions",
    "evaluate_hierarchy",
    "evaluate_sessions",
    "evaluate_texts",
    "explain",
    "gAP",
    "iRBU",
    "infAP",
    "label",
    "measure",
    "meta",
    "nCG",
    "nDCG",
    "nDCGrel",
    "nEBR",
    "nERR",
    "nERR_IA",
    "nG",
    "nNRBP",
    "nRBP",
    "niRBU",
    "nsDCG",
    "param",
    "parse_measure",
    "parse_measures",
    "plot",
    "pool",
    "preset",
    "presets",
    "ratio",
    "read_assessments",
    "read_matrix",
    "read_means",
    "read_nev",
    "read_qrels",
    "read_run",
    "read_scores",
    "rpref_N",
    "rpref_relative",
    "rpref_relative2",
    "sDCG",
    "sU",
    "simulate",
    "stats",
    "total",
    "trailtext",
    "user_model",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name in ("compat", "meta", "plot", "stats"):
        return import_module(f"cranfield.{name}")
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}")
