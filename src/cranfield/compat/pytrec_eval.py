"""The interface of pytrec_eval: ``from cranfield.compat import pytrec_eval``.

>>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
>>> run = {"q1": {"d1": 0.4, "d2": 0.9, "d4": 0.1}, "q9": {"d1": 1.0}}
>>> RelevanceEvaluator(qrels, {"map", "ndcg_cut.5,10"}).evaluate(run)["q1"]["map"]
0.25

Names, parameters, keys and rules (trec_eval 9) are the same as in pytrec-eval-terrier. Scores are
doubles here. pytrec_eval uses single precision, in which close scores can be tied.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import numpy as np

from cranfield.compat.scorer import Request, Scorer, read_fields
from cranfield.data.reading.columns import VALUE, Kind
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.base import Measure
from cranfield.measures.counts import NumRel
from cranfield.measures.grammar import parse_measure
from cranfield.measures.trec_eval import AT_RANKS, AT_SHARES, OFFICIAL, SET, VERSION_9, find_measure
from cranfield.scores import FLOOR

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

supported_measures: set[str] = set(VERSION_9)
supported_nicknames: dict[str, set[str]] = {"official": set(OFFICIAL), "set": set(SET), "all_trec": set(VERSION_9)}

_DEFAULTS: dict[str, tuple[float, ...]] = {"set_F": (1.0,)} | AT_RANKS | AT_SHARES
_NO_PARAMETER = (math.nan,)  # Parameter of a measure without one.

_TEXTS = ("runid", "relstring")  # Texts: pytrec_eval returns 0 for them.
_SHAPE = re.compile(rf"({'|'.join(VERSION_9)})(?:[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*))?")

T = TypeVar("T")


class RelevanceEvaluator:
    """Judgments prepared once, for many runs.

    `measures` are names such as ``map``, ``ndcg_cut`` (at all default ranks), ``ndcg_cut_10``,
    ``ndcg_cut.5,10``, or nicknames such as ``official``. Documents count as relevant from
    `relevance_level` on. `judged_docs_only_flag` removes unjudged documents from the rankings.

    >>> RelevanceEvaluator({"q1": {"d1": 1}}, ["P.1,5", "recip_rank"]).evaluate({"q1": {"d1": 1.0}})
    {'q1': {'recip_rank': 1.0, 'P_1': 1.0, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if relevance_level < 1:
            raise TypeError(f"found relevance_level {relevance_level}, expected an integer ≥ 1")
        by_key: dict[str, Measure] = {}
        for name, parameters in _parse_measures(measures).items():
            for parameter in sorted(parameters or _DEFAULTS.get(name, _NO_PARAMETER)):
                measure = _build_measure(name, parameter, relevance_level, bool(judged_docs_only_flag))
                by_key[_format_key(name, parameter)] = measure
        self._keys = tuple(by_key)
        judged = {topic: docs for topic, docs in query_relevance.items() if docs}
        R = NumRel(rel=float(relevance_level))
        self._score = Scorer(judged, [Request(measure) for measure in (*by_key.values(), R)])

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return ``{topic: {name: value}}`` for judged topics of the run, in its order."""
        results: dict[str, dict[str, float]] = {}
        if scores is None:  # as there
            return results
        for topic, (*values, R) in self._score(scores).items():
            results[topic] = dict(zip(self._keys, values, strict=True))
            for key in self._keys:
                if key.startswith("gm_"):  # Logarithms, which are averaged.
                    results[topic][key] = math.log(max(results[topic][key], FLOOR))
                elif key == "Rndcg" and not R:  # These measures use the relevance level.
                    results[topic][key] = 0.0
        return results


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return the value for all topics: sum of counts, geometric mean of ``gm_``, else mean.

    >>> compute_aggregated_measure("num_ret", [3, 4]), compute_aggregated_measure("map", [0.5, 1])
    (7.0, 0.75)
    """
    numbers = np.array(list(values), dtype=float)
    if measure.startswith("num_"):
        return float(numbers.sum())
    mean = float(numbers.sum() / len(numbers)) if len(numbers) else math.nan  # to their last bit
    return float(np.exp(mean)) if measure.startswith("gm_") else mean


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the run in the lines of a TREC file.

    >>> parse_run(["q1 Q0 d7 1 2.5 bm25"])["q1"]
    {'d7': 2.5}
    """
    return _parse_lines(f_run, "run", float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the judgments in the lines of a TREC file.

    >>> parse_qrel(["q1 0 d7 2"])["q1"]
    {'d7': 2}
    """
    return _parse_lines(f_qrel, "qrels", int)


def _parse_lines(lines: Iterable[str], kind: Kind, number: Callable[[str], T]) -> dict[str, dict[str, T]]:
    topics: dict[str, dict[str, T]] = defaultdict(dict)
    for line in read_fields(lines, kind):
        docs = topics[line["topic"]]
        if line["doc"] in docs:
            problem = f"duplicate document {line['doc']!r} in topic {line['topic']}"
            raise InputError.from_problem(problem, "", kind)
        docs[line["doc"]] = number(line[VALUE[kind]])
    return topics


# -- names ----------------------------------------------------------------------------------------


def _parse_measures(measures: Iterable[str]) -> dict[str, set[float]]:
    """Return the parameters of each measure in trec_eval's order, empty for defaults.

    As in pytrec_eval, parameters replace defaults: P and P_3 together are P_3.
    """
    parameters_by_name: dict[str, set[float]] = {}
    for text in [measures] if isinstance(measures, str) else measures:
        if text in supported_nicknames:
            for name in supported_nicknames[text]:
                parameters_by_name.setdefault(name, set())
            continue
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            raise ValueError(f"unsupported measure {text}")
        name, parameters = shape[1], {float(p) for p in (shape[2] or "").split(",") if p}
        if parameters and name not in _DEFAULTS:
            hint = "; ndcg_cut has a cutoff" if name == "ndcg" else ""
            raise ValueError(f"unsupported measure {text}: {name} has no parameters{hint}")
        parameters_by_name.setdefault(name, set()).update(parameters)
    if len(parameters_by_name.get("set_F", ())) > 1:
        raise ValueError("unsupported measure set_F with several parameters: it has one key")
    return {name: parameters_by_name[name] for name in VERSION_9 if name in parameters_by_name}


def _format_key(name: str, parameter: float) -> str:
    """Format the key of a value in the results."""
    if name in AT_RANKS:
        return f"{name}_{parameter:.0f}"
    return f"{name}_{parameter:.2f}" if name in AT_SHARES else name


def _build_measure(name: str, parameter: float, level: float, condensed: bool) -> Measure:
    """Build the cranfield measure of a name."""
    if name in _TEXTS:
        return parse_measure("Utility(a=0, b=0)")  # Always 0.
    argument = parameter if name in _DEFAULTS else None
    try:
        return find_measure(name, argument, rel=level, condensed=condensed, version=9)
    except CranfieldError as problem:
        raise ValueError(f"unsupported measure {name}_{parameter:.15g}: {problem}") from None
