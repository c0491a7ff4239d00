"""The interface of ir_measures: ``from cranfield.compat import ir_measures``.

>>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
>>> run = {"q1": {"d1": 0.4, "d2": 0.9, "d4": 0.1}, "q9": {"d1": 1.0}}
>>> calc_aggregate([AP, P(rel=2)@2], qrels, run)
{AP: 0.125, P(rel=2)@2: 0.25}

Measures are written, printed and compared as there, and mean what they mean there: ``AP@10``
divides by all relevant documents, ``ERR@20`` takes 4 for the highest level. Judgments and runs are
dicts of dicts, frames, named tuples, generators of them, or anything else `cranfield.evaluate`
reads. Every judged topic counts, unanswered ones as zero. To measures of diversity the iteration of
a judgment is its subtopic:

>>> qrels = [Qrel("q1", "d1", 1, "company"), Qrel("q1", "d2", 1, "fruit")]
>>> calc_aggregate([StRecall@1, alpha_nDCG@10], qrels, {"q1": {"d1": 0.9, "d2": 0.4}})
{StRecall@1: 0.5, alpha_nDCG@10: 1.0}
"""

from __future__ import annotations

import ast
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any, NamedTuple, TextIO, TypeAlias

from cranfield.compat.scorer import Gains, Scorer, Wanted, fields
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.columns import SPELLINGS, Kind, spelt
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.run import Run
from cranfield.errors import CranfieldError, InputError
from cranfield.measures import base, grammar
from cranfield.measures.names import IR_MEASURES, PARAMETERS

_ITERATION = "0"  # of judgments that name none


class Qrel(NamedTuple):
    """One judgment."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = _ITERATION


class ScoredDoc(NamedTuple):
    """One result."""

    query_id: str
    doc_id: str
    score: float


class Metric(NamedTuple):
    """The value of one measure for one topic; the measure is the caller's own object."""

    query_id: str
    measure: Any
    value: float


class CalcResults(NamedTuple):
    """The values for all topics together, and for each."""

    aggregated: Any  # {measure: value}, or the value if the measure itself was asked
    per_query: list[Metric]


# -- measures -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """A measure as ir_measures writes it: ``P(rel=2)@5``.

    >>> P(rel=1)@5 == P@5, str(nDCG(dcg="exp-log2")@10)
    (True, "nDCG(dcg='exp-log2')@10")
    >>> (nDCG @ 10).calc_aggregate({"q1": {"d1": 1}}, {"q1": {"d1": 0.5}})
    1.0
    """

    name: str
    defaults: Mapping[str, Any] = field(default_factory=dict)  # its parameters
    params: Mapping[str, Any] = field(default_factory=dict)  # those that are not at their default

    def __call__(self, **params: Any) -> Measure:
        if unknown := sorted(params.keys() - self.defaults.keys()):
            known = ", ".join(self.defaults) or "none"
            raise CranfieldError(f"{self.name} has no parameter {unknown[0]!r}, only {known}")
        every = {**self.params, **params}
        return replace(self, params={k: v for k, v in every.items() if v != self.defaults[k]})

    def __matmul__(self, at: float) -> Measure:
        return self(**{self._at: at})

    def __str__(self) -> str:
        set_ = [f"{k}={_shown(v)}" for k, v in self.params.items() if k != self._at]
        name = self.name + (f"({','.join(set_)})" if set_ else "")
        return name + (f"@{self.params[self._at]}" if self._at in self.params else "")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def _at(self) -> str:
        """What the number behind @ is."""
        return "recall" if "recall" in self.defaults else "cutoff"

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """The value for each topic."""
        return iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """The value for all topics together."""
        return calc_aggregate([self], qrels, run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """Both."""
        both = calc([self], qrels, run)
        return CalcResults(both.aggregated[self], both.per_query)

    def evaluator(self, qrels: Any) -> Evaluator:
        """The judgments prepared once, for many runs."""
        return Evaluator([self], qrels)


MeasureLike: TypeAlias = Any  # a Measure, its text, or a measure object of ir_measures itself

_REL: dict[str, Any] = {"rel": 1}
_CUT: dict[str, Any] = {"cutoff": None}
_JUDGED: dict[str, Any] = {"judged_only": False}

AP = MAP = Measure("AP", _CUT | _REL | _JUDGED)
Accuracy = Measure("Accuracy", _CUT | _REL)
Bpref = BPref = Measure("Bpref", _REL)
Compat = Measure("Compat", {"p": 0.95, "normalize": True})
ERR = Measure("ERR", _CUT)
IPrec = Measure("IPrec", {"recall": None} | _REL | _JUDGED)
Judged = Measure("Judged", _CUT)
NumQ = Measure("NumQ")
NumRel = Measure("NumRel", _REL)
NumRet = Measure("NumRet", {"rel": None})
NumRelRet = NumRet(rel=1)
P = Precision = Measure("P", _CUT | _REL | _JUDGED)
R = Recall = Measure("R", _CUT | _REL | _JUDGED)
RBP = Measure("RBP", _CUT | {"p": 0.8, "rel": None})
RR = MRR = Measure("RR", _CUT | _REL | _JUDGED)
Rprec = RPrec = Measure("Rprec", _REL | _JUDGED)
SetAP = Measure("SetAP", _REL | _JUDGED)
SetF = Measure("SetF", _REL | {"beta": 1.0} | _JUDGED)
SetP = Measure("SetP", _REL | {"relative": False} | _JUDGED)
SetRelP = SetP(relative=True)
SetR = Measure("SetR", _REL)
Success = Measure("Success", _CUT | _REL | _JUDGED)
infAP = Measure("infAP", _REL)
nDCG = NDCG = Measure("nDCG", _CUT | {"dcg": "log2", "gains": None} | _JUDGED)

# of diversity: the iteration of a judgment is the subtopic
_ALPHA: dict[str, Any] = {"alpha": 0.5}
_BETA: dict[str, Any] = {"beta": 0.5}

AP_IA = MAP_IA = Measure("AP_IA", _REL | _JUDGED)
ERR_IA = Measure("ERR_IA", _CUT | _REL | _JUDGED)
NRBP = Measure("NRBP", _REL | _ALPHA | _BETA)
P_IA = Measure("P_IA", _CUT | _REL | _JUDGED)
StRecall = Measure("StRecall", _CUT | _REL)
alpha_DCG = α_DCG = Measure("alpha_DCG", _CUT | _REL | _ALPHA | _JUDGED)  # noqa: PLC2401
alpha_nDCG = α_nDCG = Measure("alpha_nDCG", _CUT | _REL | _ALPHA | _JUDGED)  # noqa: PLC2401
nERR_IA = Measure("nERR_IA", _CUT | _REL | _JUDGED)
nNRBP = Measure("nNRBP", _REL | _ALPHA | _BETA)

_KNOWN = {name: value for name, value in globals().items() if isinstance(value, Measure)}
__all__ = sorted(  # noqa: PLE0605 (the measures above, and what is done with them)
    [
        *_KNOWN,
        *("CalcResults", "Evaluator", "Measure", "Metric", "Qrel", "ScoredDoc", "calc"),
        *("calc_aggregate", "evaluator", "iter_calc", "parse_measure"),
        *("read_trec_qrels", "read_trec_run"),
    ]
)
_SHAPE = re.compile(r"(\w+)\s*(?:\((.*)\))?\s*(?:@\s*(\d*\.?\d+))?", re.DOTALL)


def parse_measure(measure: str | Measure) -> Measure:
    """The measure a text stands for.

    >>> parse_measure("MAP@100"), parse_measure("nDCG(gains={0: 0, 1: 1, 2: 3})@10")
    (AP@100, nDCG(gains={2:3})@10)
    """
    if isinstance(measure, Measure):
        return measure
    shape = _SHAPE.fullmatch(measure.strip())
    try:
        if shape is None:
            raise CranfieldError("expected Name(param=value, …)@cutoff")
        if shape[1] not in _KNOWN:
            raise CranfieldError(f"there is no such measure here, only {', '.join(_KNOWN)}")
        found = _KNOWN[shape[1]](**_values(shape[2] or ""))
        return found @ ast.literal_eval(shape[3]) if shape[3] else found
    except CranfieldError as problem:
        raise CranfieldError(f"measure {measure!r}: {problem}") from None


def _values(text: str) -> dict[str, Any]:
    """The parameters between the brackets: numbers, strings, booleans, dicts of them."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        return {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError):
        raise CranfieldError(f"cannot read the parameters ({text})") from None


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        changed = ",".join(f"{k}:{v}" for k, v in sorted(value.items()) if k != v)
        return f"{{{changed}}}"
    return repr(value)


def _in_our_words(name: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a measure, where ours are other ones."""
    match name:
        case "NumRet" if "rel" in params:
            return "NumRelRet", params
        case "SetP" if params.pop("relative", False):
            return "SetRelP", params
        case "SetF" if "beta" in params:  # trec_eval's F, which does not square it
            params["alpha"] = 1.0 / (params.pop("beta") + 1.0)
        case "IPrec":  # trec_eval 9's rule
            params["reach"] = "trec9"
        case "alpha_nDCG" | "nERR_IA" | "nNRBP":  # ndeval's ideal list
            params["equal"] = "bits"
    return name, params


def _wanted(measure: Measure) -> Wanted:
    """What to compute for a measure."""
    name, params = _in_our_words(measure.name, dict(measure.params))
    pairs = tuple(sorted((params.pop("gains", None) or {}).items()))
    plain, _, at_cutoff = IR_MEASURES.get(name.lower(), name).partition("|")
    ours = grammar.parse_measure(at_cutoff if at_cutoff and "cutoff" in params else plain)
    settings: dict[str, Any] = {}
    for key, value in params.items():
        settings |= PARAMETERS[key](value) if key in PARAMETERS else {key: value}
    if ours.at_name in settings:
        settings["cutoff"] = settings.pop(ours.at_name)
    if ours.combines and "rel" in settings:  # it is the other measure's
        ours = ours.with_defaults({"rel": settings.pop("rel")})
    try:
        found = Wanted(replace(ours, **settings), Gains(pairs) if pairs else None)
    except CranfieldError as problem:
        raise CranfieldError(f"measure {str(measure)!r}: {problem}") from None
    if len(found.measure.names()) > 1:
        raise CranfieldError(f"measure {str(measure)!r}: expected a recall, {measure}@0.1")
    return found


# -- judgments and runs ---------------------------------------------------------------------------


def read_trec_qrels(file: str | PathLike[str] | TextIO) -> Iterator[Qrel]:
    """The judgments of a TREC file: a path, an open file, or its text.

    >>> list(read_trec_qrels("q1 0 d1 2\\n"))
    [Qrel(query_id='q1', doc_id='d1', relevance=2, iteration='0')]
    """
    for line in _fields(file, "qrels"):
        yield Qrel(line["topic"], line["doc"], int(line["level"]), line["iteration"])


def read_trec_run(file: str | PathLike[str] | TextIO) -> Iterator[ScoredDoc]:
    """The results of a TREC file: a path, an open file, or its text.

    >>> list(read_trec_run("q1 Q0 d1 1 2.5 bm25\\n"))
    [ScoredDoc(query_id='q1', doc_id='d1', score=2.5)]
    """
    for line in _fields(file, "run"):
        yield ScoredDoc(line["topic"], line["doc"], float(line["score"]))


def _fields(file: str | PathLike[str] | TextIO, kind: Kind) -> Iterator[Mapping[str, str]]:
    if not isinstance(file, str | PathLike):
        yield from fields(file, kind)
    elif "\n" in fspath(file):
        yield from fields(io.StringIO(fspath(file)), kind)
    else:
        with Source.of(file).reading() as stream:
            yield from fields(io.TextIOWrapper(stream, encoding="utf-8"), kind)


def _by_subtopic(qrels: Any) -> Qrels:
    """Judgments for subtopics, which iterations name; without any they are for one."""
    if isinstance(qrels, Qrels) and qrels.by_intent is None:
        qrels = qrels.to_dict()
    elif is_frame(qrels) and spelt(SPELLINGS["intent"], qrels.columns) is None:
        qrels = read_qrels(qrels).to_dict()
    if isinstance(qrels, Mapping):
        levels = (level for docs in qrels.values() for level in docs.values())
        if not isinstance(next(levels, None), Mapping):
            qrels = {topic: {_ITERATION: docs} for topic, docs in qrels.items()}
    return read_qrels(_rows(qrels, "relevance", subtopics=True), by_intent=True)


def _from_zero(qrels: Qrels) -> Qrels:
    """The judgments, with levels below 0 like any other that is not relevant."""
    assert qrels.by_intent is not None  # noqa: S101
    known = replace(qrels.by_intent, levels=qrels.by_intent.levels.clip(min=0.0))
    return replace(qrels, levels=qrels.levels.clip(min=0.0), by_intent=known)


def _rows(data: Any, value: str, subtopics: bool = False) -> Any:
    """What cranfield reads: named tuples by the names of their fields, all else as it is."""
    if isinstance(data, Mapping | str | PathLike | Qrels | Run) or is_frame(data):
        return data
    names = ("query_id", "doc_id", value)
    try:
        if subtopics:
            return [
                (row.query_id, getattr(row, "iteration", _ITERATION), row.doc_id, row.relevance)
                for row in data
            ]
        return [tuple(getattr(row, name) for name in names) for row in data]
    except (AttributeError, TypeError):
        kind = "qrels" if value == "relevance" else "run"
        expected = f"a dict of dicts, a frame, or named tuples ({', '.join(names)})"
        raise InputError(type(data).__name__, expected, kind) from None


# -- calculating ----------------------------------------------------------------------------------


class Evaluator:
    """Judgments prepared once, for many runs; made by `evaluator`."""

    def __init__(self, measures: MeasureLike | Iterable[MeasureLike], qrels: Any) -> None:
        several = isinstance(measures, Iterable) and not isinstance(measures, str)
        self.measures = tuple(dict.fromkeys(measures if several else [measures]))
        wanted = [_wanted(_one(m)) for m in self.measures]
        self._counts = {
            m for m, w in zip(self.measures, wanted, strict=True) if w.measure.summary == "sum"
        }
        diverse = [i for i, one in enumerate(wanted) if one.measure.takes == "intents"]
        plain = [i for i, one in enumerate(wanted) if one.measure.takes != "intents"]
        judged = _by_subtopic(qrels) if diverse else _rows(qrels, "relevance")
        self._scorers = [(plain, Scorer(judged, [wanted[i] for i in plain]))]
        if diverse:
            scorer = Scorer(_from_zero(judged), [wanted[i] for i in diverse])
            self._scorers.append((diverse, scorer))
        self._topics = self._scorers[0][1].topics

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """The value of every measure for every judged topic."""
        lists = _rows(run, "score")
        values = {topic: [0.0] * len(self.measures) for topic in self._topics}
        for places, scorer in self._scorers:
            for topic, row in scorer(lists).items():
                for place, value in zip(places, row, strict=True):
                    values[topic][place] = value
        for topic, scored in values.items():
            for m, value in zip(self.measures, scored, strict=True):
                yield Metric(topic, m, value)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """The values for all judged topics: counts are added up, all else is averaged."""
        return self._aggregated(self.iter_calc(run))

    def calc(self, run: Any) -> CalcResults:
        """The values for all topics together, and for each."""
        per_query = list(self.iter_calc(run))
        return CalcResults(self._aggregated(per_query), per_query)

    def _aggregated(self, metrics: Iterable[Metric]) -> dict[Any, float]:
        values: dict[Any, list[float]] = {m: [] for m in self.measures}
        for metric in metrics:
            values[metric.measure].append(metric.value)
        return {
            m: math.fsum(x) if m in self._counts else math.fsum(x) / len(x)
            for m, x in values.items()
        }


def _one(measure: MeasureLike) -> Measure:
    """A measure, from whatever was given for it."""
    if isinstance(measure, base.Measure | base.MeasureType):
        raise InputError(
            f"cranfield's own {measure}",
            "one of compat.ir_measures: the same name can mean something else there",
        )
    return parse_measure(measure if isinstance(measure, Measure) else str(measure))


def evaluator(measures: Iterable[MeasureLike], qrels: Any) -> Evaluator:
    """The judgments prepared once, for many runs.

    >>> ev = evaluator([nDCG@10, "RR"], {"q1": {"d1": 1}})
    >>> ev.calc_aggregate({"q1": {"d2": 0.9, "d1": 0.8}})["RR"]
    0.5
    """
    return Evaluator(measures, qrels)


def iter_calc(measures: Iterable[MeasureLike], qrels: Any, run: Any) -> Iterator[Metric]:
    """The value of every measure for every judged topic.

    >>> list(iter_calc([RR], [Qrel("q1", "d1", 1)], [ScoredDoc("q1", "d1", 0.5)]))
    [Metric(query_id='q1', measure=RR, value=1.0)]
    """
    return Evaluator(measures, qrels).iter_calc(run)


def calc_aggregate(measures: Iterable[MeasureLike], qrels: Any, run: Any) -> dict[Any, float]:
    """The values for all judged topics: counts are added up, all else is averaged."""
    return Evaluator(measures, qrels).calc_aggregate(run)


def calc(measures: Iterable[MeasureLike], qrels: Any, run: Any) -> CalcResults:
    """The values for all topics together, and for each."""
    return Evaluator(measures, qrels).calc(run)
