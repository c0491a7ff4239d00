"""The interface of ir_measures: ``from cranfield.compat import ir_measures``.

>>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
>>> run = {"q1": {"d1": 0.4, "d2": 0.9, "d4": 0.1}, "q9": {"d1": 1.0}}
>>> calc_aggregate([AP, P(rel=2)@2], qrels, run)
{AP: 0.125, P(rel=2)@2: 0.25}

Measures have the syntax, names and meaning of ir_measures: ``AP@10`` divides by all relevant
documents, the highest level of ``ERR@20`` is 4. Judgments and runs are dicts of dicts, frames,
named tuples, generators of them, or anything else `cranfield.evaluate` reads. Every judged topic
counts, missing topics as zero. For measures of diversity, the iteration of a judgment is
its subtopic:

>>> qrels = [Qrel("q1", "d1", 1, "company"), Qrel("q1", "d2", 1, "fruit")]
>>> calc_aggregate([StRecall@1, alpha_nDCG@10], qrels, {"q1": {"d1": 0.9, "d2": 0.4}})
{StRecall@1: 0.5, alpha_nDCG@10: 1.0}
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from itertools import product
from typing import Any, ClassVar, NamedTuple, TypeAlias

from cranfield.compat import inputs
from cranfield.compat.inputs import COLUMNS, clip_levels, materialize, read_subtopic_qrels, sort_frame, to_rows
from cranfield.compat.mapping import MODELS, build_five_requests, build_request
from cranfield.compat.pytrec_eval import supported_nicknames
from cranfield.compat.scorer import Request, Scorer, is_empty
from cranfield.data.qrels import Qrels
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.measures import base
from cranfield.measures.translation import is_user_model
from cranfield.measures.trec_eval import AT_RANKS, AT_SHARES

Qrel = inputs.Qrel
ScoredDoc = inputs.ScoredDoc
read_trec_qrels = inputs.read_trec_qrels
read_trec_run = inputs.read_trec_run


class Metric(NamedTuple):
    """The value of a measure for one topic, with the caller's measure object."""

    query_id: str
    measure: Any
    value: float


class CwlMetric(NamedTuple):
    """The five measurements of a user model for one topic; the first is the value."""

    query_id: str
    measure: Any
    value: float
    expected_total_utility: float
    expected_cost: float
    expected_total_cost: float
    expected_items: float


class CalcResults(NamedTuple):
    """The values for all topics, and for each topic."""

    aggregated: Any  # {measure: value}, or the value of a single measure
    per_query: list[Metric | CwlMetric]


# -- measures -------------------------------------------------------------------------------------


class ParamInfo(NamedTuple):
    """Properties of a parameter."""

    dtype: type | None = None
    required: bool = False
    choices: Any = None
    default: Any = None
    desc: str | None = None


class MeanAgg:
    """Running mean of values."""

    def __init__(self, default: float = math.nan) -> None:
        self.sum, self.count, self.default = 0.0, 0, default

    def add(self, value: float) -> None:
        """One more value."""
        self.sum += value
        self.count += 1

    def result(self) -> float:
        """Return the mean of all values."""
        return self.sum / self.count if self.count else self.default


class SumAgg:
    """Running sum of values."""

    def __init__(self) -> None:
        self.sum: float = 0

    def add(self, value: float) -> None:
        """One more value."""
        self.sum += value

    def result(self) -> float:
        """Return the sum of all values."""
        return self.sum


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
    required: tuple[str, ...] = ()  # parameters that have to be given

    DEFAULT: ClassVar[float] = 0.0  # for a topic that the run does not answer

    @property
    def NAME(self) -> str:
        """Its name."""
        return self.name

    @property
    def AT_PARAM(self) -> str:
        """Name of the parameter after @."""
        return "recall" if "recall" in self.defaults else "cutoff"

    @property
    def SUPPORTED_PARAMS(self) -> dict[str, ParamInfo]:
        """Its parameters."""
        return {
            name: ParamInfo(required=name in self.required, default=default) for name, default in self.defaults.items()
        }

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.defaults[name])

    def validate_params(self) -> None:
        """Raise an error if a required parameter is missing."""
        for name in self.required:
            if name not in self.params:
                raise CranfieldError(f"measure '{self}': required parameter {name} is missing")

    def aggregator(self) -> MeanAgg | SumAgg:
        """Return the aggregator over topics."""
        return SumAgg() if self.name.startswith("Num") else MeanAgg()

    def __call__(self, **params: Any) -> Measure:
        if unknown := sorted(params.keys() - self.defaults.keys()):
            names = ", ".join(self.defaults) or "none"
            raise CranfieldError(f"{self.name} has no parameter {unknown[0]!r}, only {names}")
        values = {**self.params, **params}
        return replace(self, params={k: v for k, v in values.items() if v != self.defaults[k]})

    def __matmul__(self, value: float) -> Measure:
        return self(**{self.AT_PARAM: value})

    def __str__(self) -> str:
        set_ = [f"{k}={_format_value(v)}" for k, v in self.params.items() if k != self.AT_PARAM]
        name = self.name + (f"({','.join(set_)})" if set_ else "")
        parameter = self.AT_PARAM
        return name + (f"@{self.params[parameter]}" if parameter in self.params else "")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric | CwlMetric]:
        """Yield the value for each topic."""
        return iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """Return the value for all topics."""
        return calc_aggregate([self], qrels, run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """Return the value for all topics, and for each topic."""
        results = calc([self], qrels, run)
        return CalcResults(results.aggregated[self], results.per_query)

    def evaluator(self, qrels: Any) -> Evaluator:
        """Return an evaluator with prepared judgments, for many runs."""
        return Evaluator([self], qrels)


BaseMeasure = Measure
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

# Measures of diversity: the iteration of a judgment is the subtopic.
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

# User models, which have five measurements in cwl_eval.
_SCALE: dict[str, Any] = {"min_rel": 0, "max_rel": None}
_T: dict[str, Any] = {"T": 1.0}
_REQUIRED_LIMITS = ("cutoff", "max_rel")

BPM = Measure("BPM", _CUT | _T | _SCALE, required=_REQUIRED_LIMITS)
INSQ = Measure("INSQ", _T | _SCALE, required=("max_rel",))
INST = Measure("INST", _T | _SCALE, required=("max_rel",))
NERR8 = Measure("NERR8", _CUT | _SCALE, required=_REQUIRED_LIMITS)
NERR9 = Measure("NERR9", _CUT | _SCALE, required=_REQUIRED_LIMITS)
NERR10 = Measure("NERR10", {"p": 0.9} | _SCALE, required=("max_rel",))
NERR11 = Measure("NERR11", _T | _SCALE, required=("max_rel",))
SDCG = Measure("SDCG", _CUT | {"dcg": "log2"} | _SCALE, required=_REQUIRED_LIMITS)

_MEASURES = {name: value for name, value in globals().items() if isinstance(value, Measure)}
_SHAPE = re.compile(r"(\w+)\s*(?:\((.*)\))?\s*(?:@\s*(\d*\.?\d+))?", re.DOTALL)


def parse_measure(measure: str | Measure) -> Measure:
    """Return the measure in a text.

    >>> parse_measure("MAP@100"), parse_measure("nDCG(gains={0: 0, 1: 1, 2: 3})@10")
    (AP@100, nDCG(gains={2:3})@10)
    """
    if isinstance(measure, Measure):
        return measure
    shape = _SHAPE.fullmatch(measure.strip())
    try:
        if shape is None:
            raise CranfieldError("expected Name(param=value, …)@cutoff")
        if shape[1] not in _MEASURES:
            raise CranfieldError(f"unknown measure. Valid: {', '.join(_MEASURES)}")
        instance = _MEASURES[shape[1]](**_parse_parameters(shape[2] or ""))
        return instance @ ast.literal_eval(shape[3]) if shape[3] else instance
    except CranfieldError as problem:
        raise CranfieldError(f"measure {measure!r}: {problem}") from None


def _parse_parameters(text: str) -> dict[str, Any]:
    """Parse the parameters in parentheses: numbers, strings, booleans, dicts."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        return {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError):
        raise CranfieldError(f"cannot read the parameters ({text})") from None


def _format_value(value: Any) -> str:
    if isinstance(value, Mapping):
        changed = ",".join(f"{k}:{v}" for k, v in sorted(value.items()) if k != v)
        return f"{{{changed}}}"
    return repr(value)


_WITHOUT_NUMBERS = {  # Names of trec_eval
    **{"bpref": Bpref, "infAP": infAP, "map": AP, "ndcg": nDCG, "recip_rank": RR, "Rprec": Rprec},
    **{"num_q": NumQ, "num_rel": NumRel, "num_rel_ret": NumRelRet, "num_ret": NumRet},
    **{"set_map": SetAP, "set_P": SetP, "set_recall": SetR, "set_relative_P": SetRelP},
}
_WITH_NUMBERS = {  # and what their numbers are
    **{"map_cut": (AP, "cutoff"), "ndcg_cut": (nDCG, "cutoff"), "P": (P, "cutoff")},
    **{"recall": (R, "cutoff"), "success": (Success, "cutoff")},
    **{"iprec_at_recall": (IPrec, "recall"), "set_F": (SetF, "beta")},
}
_DEFAULTS: dict[str, tuple[float, ...]] = {**AT_RANKS, **AT_SHARES, "set_F": (1.0,)}
_NUMBERS = re.compile(r"(.+?)[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


def parse_trec_measure(measure: str) -> list[Measure]:
    """Return the measures for a name of trec_eval.

    >>> parse_trec_measure("ndcg_cut.5,10"), parse_trec_measure("success")
    ([nDCG@5, nDCG@10], [Success@1, Success@5, Success@10])
    """
    if measure in supported_nicknames:
        supported = {*_WITHOUT_NUMBERS, *_WITH_NUMBERS}
        names = sorted(supported_nicknames[measure])
        if skipped := [name for name in names if name not in {*supported, "runid"}]:
            warnings.warn(f"{measure} without {', '.join(skipped)}", stacklevel=2)
        return [parsed for name in names if name in supported for parsed in parse_trec_measure(name)]
    if measure in _WITHOUT_NUMBERS:
        return [_WITHOUT_NUMBERS[measure]]
    shape = None if measure in _WITH_NUMBERS else _NUMBERS.fullmatch(measure)
    name = shape[1] if shape else measure
    if name not in _WITH_NUMBERS:
        expected = f"a name of trec_eval: {', '.join((*_WITHOUT_NUMBERS, *_WITH_NUMBERS))}"
        raise ValueError(f"found measure {measure!r}, expected {expected}")
    family, number = _WITH_NUMBERS[name]
    read = int if number == "cutoff" else float
    values = shape[2].split(",") if shape else _DEFAULTS[name]
    return [family(**{number: read(value)}) for value in values]


# -- measures of one's own ------------------------------------------------------------------------

Defining: TypeAlias = Callable[[Any, Any], Iterable[tuple[str, float]]]


@dataclass(frozen=True, eq=False, repr=False)
class DefinedMeasure(Measure):
    """A function of frames as a measure; created by `define` and `define_byquery`."""

    impl: Defining = field(kw_only=True)
    RUN_INPUTS: Sequence[str] = COLUMNS["run"]
    QREL_INPUTS: Sequence[str] = COLUMNS["qrels"]
    PRETTY_NAME: str | None = None
    SHORT_DESC: str | None = None

    def __str__(self) -> str:
        return super().__str__() if self.name else object.__repr__(self)

    __repr__ = __str__

    def aggregator(self) -> MeanAgg:
        return MeanAgg()

    def values(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """Yield the values of the function; a cutoff limits the documents of each ranking."""
        if (cutoff := self.params.get("cutoff")) is not None:
            run = run.groupby("query_id").head(cutoff).reset_index(drop=True)
        for topic, value in self.impl(qrels, run):
            yield Metric(topic, self, value)


def define(
    impl: Defining,
    name: str | None = None,
    support_cutoff: bool = True,
    *,
    run_inputs: Sequence[str] | None = None,
    qrel_inputs: Sequence[str] | None = None,
    pretty_name: str | None = None,
    short_desc: str | None = None,
) -> DefinedMeasure:
    """Return a measure from a function of two pandas frames: judgments and results.

    The function returns pairs of topics and values.

    >>> most = define(lambda qrels, run: run.groupby("query_id")["score"].max().items(), "most")
    >>> most.calc_aggregate({"q1": {"a": 1}}, {"q1": {"a": 0.5, "b": 2.5}})
    2.5
    """
    return DefinedMeasure(
        name or "",
        _CUT if support_cutoff else {},
        impl=impl,
        RUN_INPUTS=list(run_inputs or COLUMNS["run"]),
        QREL_INPUTS=list(qrel_inputs or COLUMNS["qrels"]),
        PRETTY_NAME=pretty_name,
        SHORT_DESC=short_desc,
    )


def define_byquery(
    impl: Callable[[Any, Any], float], name: str | None = None, support_cutoff: bool = True, **others: Any
) -> DefinedMeasure:
    """Return a measure from a function of the judgments and results of one topic.

    >>> def size(qrels, run):
    ...     return len(run)
    >>> size = define_byquery(size)
    >>> calc_aggregate([size, size @ 1], {"q1": {"a": 1}}, {"q1": {"a": 0.5, "b": 2.5}})
    {size: 2.0, size@1: 1.0}
    """

    def iter_topics(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        for topic, results in run.groupby("query_id"):
            yield topic, impl(qrels[qrels["query_id"] == topic], results)

    return define(iter_topics, name or getattr(impl, "__name__", repr(impl)), support_cutoff, **others)


# -- calculating ----------------------------------------------------------------------------------


class Evaluator:
    """Judgments prepared once, for many runs; created by `evaluator`.

    With `five`, user models have five measurements.
    """

    def __init__(self, measures: MeasureLike | Iterable[MeasureLike], qrels: Any, five: bool = False) -> None:
        is_iterable = isinstance(measures, Iterable) and not isinstance(measures, str)
        self.measures = tuple(dict.fromkeys(measures if is_iterable else [measures]))
        parsed = {m: _resolve_measure(m) for m in self.measures}
        self._aggregators = {m: measure.aggregator for m, measure in parsed.items()}
        self._custom = {m: measure for m, measure in parsed.items() if isinstance(measure, DefinedMeasure)}
        requests = {m: _build_requests(measure, five) for m, measure in parsed.items() if m not in self._custom}
        qrels = materialize(qrels)
        self._frame = sort_frame(qrels, "qrels") if self._custom else None
        self._scorers = list(_build_scorers(requests, qrels))
        topics = [scorer.topics for scorer in self._scorers]
        if self._frame is not None:
            topics.append(tuple(self._frame["query_id"].unique()))
        self.qrel_qids = topics[0] if topics else ()

    def iter_calc(self, run: Any) -> Iterator[Metric | CwlMetric]:
        """Yield all values by judged topic: topics of the run in its order, then missing topics."""
        run = materialize(run)
        missing = dict.fromkeys(product(self.measures, self.qrel_qids))
        for metric in self._evaluate_run(run):
            missing.pop((metric.measure, metric.query_id), None)
            yield metric
        for measure, topic in sorted(missing, key=lambda x: (str(x[0]), x[1])):
            yield Metric(topic, measure, Measure.DEFAULT)

    def _evaluate_run(self, run: Any) -> Iterator[Metric | CwlMetric]:
        if self._custom:
            frame = sort_frame(run, "run")
            for m, custom in self._custom.items():
                yield from (Metric(x.query_id, m, x.value) for x in custom.values(self._frame, frame))
        lists = to_rows(run, "run") if self._scorers else None
        for scorer in self._scorers:
            yield from scorer(lists)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Return the values for all judged topics: sums of counts, means of other measures."""
        return self._aggregate(self.iter_calc(run))

    def calc(self, run: Any) -> CalcResults:
        """Return the values for all topics, and for each topic."""
        per_query = list(self.iter_calc(run))
        return CalcResults(self._aggregate(per_query), per_query)

    def _aggregate(self, metrics: Iterable[Metric | CwlMetric]) -> dict[Any, float]:
        aggregators = {m: aggregator() for m, aggregator in self._aggregators.items()}
        for metric in metrics:
            aggregators[metric.measure].add(metric.value)
        return {m: aggregator.result() for m, aggregator in aggregators.items()}


class _Columns:
    """Measures with the same judgments; a call with a run yields their values by topic."""

    def __init__(self, requests: Mapping[Any, list[Request]], judged: Any) -> None:
        self._sizes = {m: len(columns) for m, columns in requests.items()}
        self._score = Scorer(judged, [request for columns in requests.values() for request in columns])
        self.topics = self._score.topics

    def __call__(self, run: Any) -> Iterator[Metric | CwlMetric]:
        for topic, values in self._score(run).items():
            row = iter(values)
            for m, size in self._sizes.items():
                first = next(row)
                if size == 1:
                    yield Metric(topic, m, first)
                else:
                    yield CwlMetric(topic, m, first, next(row), next(row), next(row), next(row))


def _build_scorers(requests: Mapping[Any, list[Request]], qrels: Any) -> Iterator[_Columns]:
    """Yield the scorers of measures of documents, and of diversity."""
    subtopic_requests = {m: group for m, group in requests.items() if group[0].measure.takes == "intents"}
    if subtopic_requests and not is_empty(qrels):
        qrels = read_subtopic_qrels(qrels)
    if document_requests := {m: group for m, group in requests.items() if m not in subtopic_requests}:
        yield _Columns(document_requests, to_rows(qrels, "qrels"))
    if subtopic_requests:
        yield _Columns(subtopic_requests, clip_levels(qrels) if isinstance(qrels, Qrels) else ())


def _build_requests(measure: Measure, five: bool) -> list[Request]:
    """Return the requests that compute a measure: one, or five for a user model."""
    measure.validate_params()
    try:
        if is_user_model(measure.name, measure.params) or (five and measure.name in MODELS):
            return build_five_requests(measure.name, measure.params)
        return [build_request(measure.name, measure.params)]
    except CranfieldError as problem:
        raise CranfieldError(f"measure {str(measure)!r}: {problem}") from None


def _resolve_measure(measure: MeasureLike) -> Measure:
    """Return the measure for an argument."""
    if isinstance(measure, base.Measure | base.MeasureType):
        raise InputError(
            f"cranfield's own {measure}", "a measure of compat.ir_measures, if the name can have another meaning"
        )
    return parse_measure(measure if isinstance(measure, Measure) else str(measure))


# -- providers ------------------------------------------------------------------------------------

_REQUIRED = object()  # Required parameters of providers.
Conditions: TypeAlias = Mapping[str, tuple[Any, ...]]  # Valid values of parameters.

_NO_CUTOFF: Conditions = {"cutoff": (None,)}
_ALL_DOCS: Conditions = {"judged_only": (False,)}
_NEEDS_CUTOFF: Conditions = {"cutoff": (_REQUIRED,)}
_NEEDS_MAX_REL: Conditions = {"max_rel": (_REQUIRED,)}
_REL_1: Conditions = {"rel": (1,)}
_NO_GAINS: Conditions = {"gains": (None,)}


def _map_to_any(names: str) -> dict[str, Conditions]:
    return {name: {} for name in names.split()}


@dataclass(frozen=True)
class Provider:
    """A provider of ir_measures by name; all numbers are cranfield's.

    >>> pytrec_eval.supports(AP @ 5), pytrec_eval.supports(ERR @ 5)
    (True, False)
    """

    NAME: str
    measures: Mapping[str, Conditions] | None = None  # None: all

    def supports(self, measure: Measure) -> bool:
        """Return True if the provider has the measure with these parameters."""
        if self.measures is None:
            return measure.name in _MEASURES or isinstance(measure, DefinedMeasure)
        if self.NAME == "runtime" or isinstance(measure, DefinedMeasure):
            return self.NAME == "runtime" and isinstance(measure, DefinedMeasure)
        if measure.name not in self.measures:
            return False
        return all(
            measure[name] is not None if _REQUIRED in allowed else measure[name] in allowed
            for name, allowed in self.measures[measure.name].items()
        )

    def is_available(self) -> bool:
        """Return True: no package has to be installed."""
        return True

    def evaluator(self, measures: Iterable[MeasureLike], qrels: Any) -> Evaluator:
        """Return an evaluator with prepared judgments, for many runs.

        >>> ev = evaluator([nDCG@10, "RR"], {"q1": {"d1": 1}})
        >>> ev.calc_aggregate({"q1": {"d2": 0.9, "d1": 0.8}})["RR"]
        0.5
        """
        result = Evaluator(measures, qrels, five=self.NAME == "cwl_eval")
        for measure in result.measures if self.measures is not None else ():
            if not self.supports(_resolve_measure(measure)):
                raise CranfieldError(f"found measure '{measure}', expected one of {self.NAME}'s")
        return result

    def iter_calc(self, measures: Iterable[MeasureLike], qrels: Any, run: Any) -> Iterator[Metric | CwlMetric]:
        """Yield the value of every measure for every judged topic.

        >>> list(iter_calc([RR], [Qrel("q1", "d1", 1)], [ScoredDoc("q1", "d1", 0.5)]))
        [Metric(query_id='q1', measure=RR, value=1.0)]
        """
        return self.evaluator(measures, qrels).iter_calc(run)

    def calc_aggregate(self, measures: Iterable[MeasureLike], qrels: Any, run: Any) -> dict[Any, float]:
        """Return the values for all judged topics: sums of counts, means of other measures."""
        return self.evaluator(measures, qrels).calc_aggregate(run)

    def calc(self, measures: Iterable[MeasureLike], qrels: Any, run: Any) -> CalcResults:
        """Return the values for all topics, and for each topic."""
        return self.evaluator(measures, qrels).calc(run)

    @contextmanager
    def calc_ctxt(
        self, measures: Iterable[MeasureLike], qrels: Any
    ) -> Iterator[Callable[[Any], Iterator[Metric | CwlMetric]]]:
        """Deprecated name of `evaluator`."""
        _warn_deprecated("calc_ctxt", "evaluator")
        yield self.evaluator(measures, qrels).iter_calc

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Return the columns of runs that the measures need.

        >>> run_inputs([AP, nDCG@10])
        ['query_id', 'doc_id', 'score']
        """
        return self._list_columns(measures, "RUN_INPUTS", COLUMNS["run"])

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Return the columns of judgments that the measures need."""
        return self._list_columns(measures, "QREL_INPUTS", COLUMNS["qrels"])

    def _list_columns(self, measures: Iterable[Measure], attribute: str, default: Sequence[str]) -> list[str]:
        columns = (getattr(m, attribute, default) for m in measures if self.supports(m))
        return list(dict.fromkeys(name for names in columns for name in names))


def _warn_deprecated(name: str, instead: str) -> None:
    warnings.warn(f"{name} is deprecated: use {instead}", DeprecationWarning, stacklevel=3)


accuracy = Provider("accuracy", _map_to_any("Accuracy"))
compat = Provider("compat", _map_to_any("Compat"))
cwl_eval = Provider(
    "cwl_eval",
    {
        **{"P": _ALL_DOCS, "RR": {**_NO_CUTOFF, **_ALL_DOCS}, "AP": {**_NO_CUTOFF, **_ALL_DOCS}},
        **{"RBP": {**_NO_CUTOFF, "rel": (_REQUIRED,)}, "SDCG": {**_NEEDS_CUTOFF, **_NEEDS_MAX_REL, "dcg": ("log2",)}},
        **dict.fromkeys(("BPM", "NERR10", "NERR11", "INST", "INSQ"), _NEEDS_MAX_REL),
        **{name: {**_NEEDS_CUTOFF, **_NEEDS_MAX_REL} for name in ("NERR8", "NERR9")},
    },
)
gdeval = Provider(
    "gdeval", {"nDCG": {**_NEEDS_CUTOFF, **_NO_GAINS, **_ALL_DOCS, "dcg": ("exp-log2",)}, "ERR": _NEEDS_CUTOFF}
)
judged = Provider("judged", _map_to_any("Judged"))
msmarco = Provider("msmarco", {"RR": _ALL_DOCS})
pyndeval = Provider("pyndeval", _map_to_any("ERR_IA nERR_IA alpha_DCG alpha_nDCG NRBP nNRBP AP_IA P_IA StRecall"))
pytrec_eval = Provider(
    "pytrec_eval",
    {
        **_map_to_any("P Rprec AP R Bpref NumRet NumQ SetAP SetF SetP SetR Success IPrec infAP"),
        **{"RR": _NO_CUTOFF, "nDCG": {"dcg": ("log2",)}, "NumRel": _REL_1},
    },
)
ranx = Provider(
    "ranx",
    {
        **dict.fromkeys(("P", "SetP", "Rprec", "AP", "R"), _ALL_DOCS),
        **{"RR": {**_NO_CUTOFF, **_ALL_DOCS}, "nDCG": {**_NO_GAINS, **_ALL_DOCS}, "SetR": {}},
        **{"NumRet": {"rel": (_REQUIRED,)}, "Success": {**_NEEDS_CUTOFF, **_ALL_DOCS}},
    },
)
runtime = Provider("runtime", {})
trectools = Provider(
    "trectools",
    {
        **{name: {**_REL_1, **_ALL_DOCS} for name in ("P", "Rprec", "AP")},
        **{"RR": {**_NO_CUTOFF, **_REL_1, **_ALL_DOCS}, "nDCG": {**_NO_GAINS, **_ALL_DOCS}},
        **{"Bpref": _REL_1, "RBP": {}},
    },
)

DefaultPipeline = Provider("default")
evaluator = DefaultPipeline.evaluator
iter_calc = DefaultPipeline.iter_calc
calc_aggregate = DefaultPipeline.calc_aggregate
calc = DefaultPipeline.calc
calc_ctxt = DefaultPipeline.calc_ctxt
run_inputs = DefaultPipeline.run_inputs
qrel_inputs = DefaultPipeline.qrel_inputs


# -- names of before ------------------------------------------------------------------------------


class GenericQrel(Qrel):
    """Deprecated name of `Qrel`."""

    def __new__(cls, *values: Any, **fields: Any) -> GenericQrel:
        _warn_deprecated("GenericQrel", "Qrel")
        return super().__new__(cls, *values, **fields)


class GenericScoredDoc(ScoredDoc):
    """Deprecated name of `ScoredDoc`."""

    def __new__(cls, *values: Any, **fields: Any) -> GenericScoredDoc:
        _warn_deprecated("GenericScoredDoc", "ScoredDoc")
        return super().__new__(cls, *values, **fields)


def convert_trec_name(measure: str) -> list[Measure]:
    """Deprecated name of `parse_trec_measure`."""
    _warn_deprecated("convert_trec_name", "parse_trec_measure")
    return parse_trec_measure(measure)


def parse_trec_qrels(file: Any) -> Iterator[Qrel]:
    """Deprecated name of `read_trec_qrels`."""
    _warn_deprecated("parse_trec_qrels", "read_trec_qrels")
    return read_trec_qrels(file)


def parse_trec_run(file: Any) -> Iterator[ScoredDoc]:
    """Deprecated name of `read_trec_run`."""
    _warn_deprecated("parse_trec_run", "read_trec_run")
    return read_trec_run(file)


_PROVIDERS = {name for name, value in globals().items() if isinstance(value, Provider)}
__all__ = sorted(  # noqa: PLE0605 (the measures and providers above, and what is done with them)
    [
        *(*_MEASURES, *_PROVIDERS, "BaseMeasure", "CalcResults", "CwlMetric", "Evaluator"),
        *("GenericQrel", "GenericScoredDoc", "MeanAgg", "Measure", "Metric", "ParamInfo"),
        *("Provider", "Qrel", "ScoredDoc", "SumAgg", "calc", "calc_aggregate", "calc_ctxt"),
        *("convert_trec_name", "define", "define_byquery", "evaluator", "iter_calc"),
        *("parse_measure", "parse_trec_measure", "parse_trec_qrels", "parse_trec_run"),
        *("qrel_inputs", "read_trec_qrels", "read_trec_run", "run_inputs"),
    ]
)
