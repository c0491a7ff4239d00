"""cranfield: which search system is better, and how sure are we?

import cranfield as cf
scores = cf.evaluate("qrels.txt", ["bm25.run", "dense.run"], ["AP", cf.nDCG @ 10])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.run import Run, read_run
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluate import Evaluator, evaluate
from cranfield.measures.base import REGISTRY, Measure, measure, param
from cranfield.measures.cascade import ERR, RBP
from cranfield.measures.counts import Judged, NumQ, NumRel, NumRelRet, NumRet
from cranfield.measures.dcg import nDCG
from cranfield.measures.grammar import parse_measure, parse_measures
from cranfield.measures.lists import Lists, ratio, total
from cranfield.measures.ncu import AP, RR, Q
from cranfield.measures.preference import bpref
from cranfield.measures.sets import P, Recall, Success
from cranfield.scores import Interval, Notice, Scores

if TYPE_CHECKING:
    from cranfield.data.simulate import Collection, simulate

__version__ = "0.1.0"

__all__ = [
    "AP",
    "ERR",
    "RBP",
    "REGISTRY",
    "RR",
    "Collection",
    "CranfieldError",
    "Evaluator",
    "InputError",
    "Interval",
    "Judged",
    "Lists",
    "Measure",
    "Notice",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "Qrels",
    "Recall",
    "Run",
    "Scores",
    "Success",
    "bpref",
    "evaluate",
    "measure",
    "nDCG",
    "param",
    "parse_measure",
    "parse_measures",
    "ratio",
    "read_qrels",
    "read_run",
    "simulate",
    "total",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in ("Collection", "simulate"):  # not needed to evaluate: imported when asked for
        from cranfield.data import simulate as module

        return getattr(module, name)
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}")
