"""Provider of ir_measures with cranfield's measures, for all programs that use ir_measures.

>>> import ir_measures
>>> from cranfield.compat import provider
>>> measures = [provider.measure("Q@10"), ir_measures.RR]
>>> qrels, run = {"q1": {"a": 2, "b": 1}}, {"q1": {"b": 0.9, "x": 0.5, "a": 0.1}}
>>> found = ir_measures.calc_aggregate(measures, qrels, run)
>>> {str(m): round(found[m], 4) for m in measures}  # (2/3 + 5/6) / 2
{'Q@10': 0.75, 'RR': 1.0}

Importing this module registers the provider ``cranfield``, with the lowest priority, and every
measure of ranked lists that ir_measures has no name for: ``parse_measure("Q(beta=10)@10")``. A name
that both packages have is ir_measures' measure. `measure` returns ours, named ``cranfield.``:

>>> provider.measure("AP@10"), provider.AP @ 10 == ir_measures.AP @ 10
(cranfield.AP@10, False)

``python -m cranfield.compat.provider QRELS RUN MEASURE…`` is the command line of ir_measures with
this provider and these measures. Without it, ir_measures only loads its own providers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from cranfield.compat import inputs
from cranfield.compat import ir_measures as shim
from cranfield.compat.scorer import is_empty
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import read_run
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.evaluate import Evaluator as OurEvaluator
from cranfield.lazy_imports import make_missing_error
from cranfield.measures.base import REGISTRY, Measure
from cranfield.measures.grammar import OWN_PREFIX, MeasureLike, parse_measure
from cranfield.scores import SUMMARISED

try:
    import ir_measures as theirs
    from ir_measures.measures import registry as their_measures
    from ir_measures.providers import registry as their_providers
except ImportError:
    raise make_missing_error("ir_measures") from None

__all__ = ["PROVIDER", "CranfieldMeasure", "CranfieldProvider", "main", "measure", "register"]

_IR_MEASURES_NAMES = frozenset(their_measures)  # Names of ir_measures.


# -- measures -------------------------------------------------------------------------------------


class Summary:
    """The value for all topics, bit by bit as in `Scores.summary`."""

    def __init__(self, summary: str) -> None:
        self._summarize = SUMMARISED[summary]
        self._values: list[float] = []

    def add(self, value: float) -> None:
        """One more topic."""
        self._values.append(value)

    def result(self) -> float:
        """Return the mean, the sum or the geometric mean of the values."""
        return self._summarize(self._values)


class CranfieldMeasure(theirs.Measure):
    """A cranfield measure, `ours`, as an ir_measures measure; created by `measure`.

    >>> measure("Q")(beta=10) @ 20, measure("ERR")["max_level"], measure("hit=Success@10")
    (Q(beta=10)@20, None, hit)
    """

    def __init__(self, ours: Measure) -> None:
        fields = {f.name: f for f in ours.list_parameters()}
        values = {name: getattr(ours, name) for name in (*fields, "cutoff")}
        defaults = {name: f.default for name, f in fields.items()} | {"cutoff": None}
        set_ = {name: x for name, x in values.items() if x != defaults[name]}
        super().__init__(**set_)  # type: ignore[no-untyped-call]
        self.ours = ours
        self.NAME = self.__name__ = OWN_PREFIX + type(ours).__name__  # A name of no other measure.
        self.SHORT_DESC = (ours.__doc__ or "").split("\n")[0]
        self.SUPPORTED_PARAMS = {name: theirs.ParamInfo(default=default) for name, default in defaults.items()}
        text, name = ours.called or str(ours), ours.called or type(ours).__name__
        self._text = OWN_PREFIX + text if name in _IR_MEASURES_NAMES else text

    def validate_params(self) -> None:
        """Raise an error for a measure with several numbers."""
        if len(names := self.ours.names()) > 1:
            raise InputError(f"{self}, which is several numbers", f"one, such as {names[0]}")

    def __call__(self, **params: Any) -> CranfieldMeasure:
        try:
            return measure(replace(self.ours, **params))
        except TypeError as problem:
            raise CranfieldError(str(problem)) from None

    def __repr__(self) -> str:
        return self._text

    def aggregator(self) -> Any:
        """Return the aggregator over topics."""
        return Summary(self.ours.summary)


def measure(text: MeasureLike) -> CranfieldMeasure:
    """A measure of cranfield for ir_measures, written as everywhere in cranfield.

    >>> measure("nDCG(gain=exp)@10"), measure("D(nDCG)@10"), measure("cranfield.RR")
    (cranfield.nDCG(gain=exp)@10, D(nDCG)@10, cranfield.RR)
    """
    native = parse_measure(text)
    if lacks := _find_missing_input(native):
        raise InputError(f"{native}, which {lacks}", "a measure of judgments and runs only")
    return CranfieldMeasure(native)


def _find_missing_input(native: Measure | type[Measure]) -> str:
    """Return the input of a measure that ir_measures does not pass on, or an empty string."""
    if not native.takes_rankings():
        return f"takes {native.takes}"
    if native.length_unit:
        return "requires lengths of documents"
    if native.needs_verticals:
        return "takes verticals"
    if native.summary == "gmean":  # PyTerrier would compute the mean under this name.
        return "is a geometric mean over topics"
    return ""


def __getattr__(name: str) -> CranfieldMeasure:
    """``from cranfield.compat.provider import Q, nDCG``: our measures by name."""
    if name not in REGISTRY or REGISTRY[name].combines:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return measure(name)


# -- the provider ---------------------------------------------------------------------------------


class _Evaluator(theirs.Evaluator):
    """Judgments prepared once, for cranfield measures and ir_measures measures."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        ordered = sorted(dict.fromkeys(measures), key=str)  # ir_measures passes a set.
        qrels = inputs.materialize(qrels)
        self._native = [*_build_evaluators([m for m in ordered if isinstance(m, CranfieldMeasure)], qrels)]
        other_measures = [m for m in ordered if not isinstance(m, CranfieldMeasure)]
        self._shim = shim.Evaluator(other_measures, qrels) if other_measures else None
        topics: list[Sequence[str]] = [e.collection.topics for _, e in self._native]
        topics += [self._shim.qrel_qids] if self._shim else []
        self._topics = topics[0] if topics else ()
        super().__init__(ordered, self._topics)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        run = inputs.materialize(run)
        if self._native:
            yield from self._compute_native(inputs.to_rows(run, "run"))
        for metric in self._shim.iter_calc(run) if self._shim else ():
            kind = theirs.CwlMetric if isinstance(metric, shim.CwlMetric) else theirs.Metric
            yield kind(*metric)

    def _compute_native(self, lists: Any) -> Iterator[theirs.Metric]:
        run_data: RunLike = {self._topics[0]: {}} if is_empty(lists) else lists
        run = read_run(run_data, run_names="first").load()
        for measures, evaluator in self._native:
            scores = evaluator.score_runs([run], strangers=True)
            columns = {m: scores.measures.index(m.ours.names()[0]) for m in measures}
            for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
                for m, column in columns.items():
                    yield theirs.Metric(topic, m, values[column])


def _build_evaluators(
    measures: list[CranfieldMeasure], qrels: Any
) -> Iterator[tuple[list[CranfieldMeasure], OurEvaluator]]:
    """Build the evaluators of measures of documents, and of subtopics (iterations)."""
    if is_empty(qrels):
        return
    for diverse in (False, True):
        group = [m for m in measures if (m.ours.takes == "intents") == diverse]
        if group:
            judged = inputs.read_subtopic_qrels(qrels) if diverse else inputs.to_rows(qrels, "qrels")
            yield group, OurEvaluator(judged, [m.ours for m in group])


class CranfieldProvider(theirs.Provider):
    """Provider of our measures, and of all ir_measures measures in `compat.ir_measures`."""

    NAME = "cranfield"

    def supports(self, measure: theirs.Measure) -> bool:
        """Return True if the measure can be computed with these parameters."""
        measure.validate_params()
        if isinstance(measure, CranfieldMeasure):
            return True
        if hasattr(measure, "runtime_impl"):  # A custom function with any name.
            return False
        try:
            shim.Evaluator([measure], {})
        except CranfieldError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        all_measures = [*measures]
        if unknown := [m for m in all_measures if not self.supports(m)]:
            raise InputError(f"measure {unknown[0]}", "a measure that cranfield also has")
        return _Evaluator(all_measures, qrels)


PROVIDER = CranfieldProvider()  # type: ignore[no-untyped-call]


def register(first: bool = False) -> None:
    """Let ir_measures use this provider last, as the import does, or `first`.

    >>> import ir_measures
    >>> register(first=True)
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'cranfield'
    >>> register()
    """
    providers = theirs.DefaultPipeline.providers
    if PROVIDER in providers:
        providers.remove(PROVIDER)
    providers.insert(0 if first else len(providers), PROVIDER)
    their_providers[PROVIDER.NAME] = PROVIDER
    for name, native in REGISTRY.items():
        if name not in their_measures and not native.combines and not _find_missing_input(native):
            theirs.measures.register(measure(name), name=name)


# -- the command line -----------------------------------------------------------------------------


def main() -> None:
    """Run the command line of ir_measures with cranfield's measures and provider."""
    from unittest.mock import patch

    from ir_measures.__main__ import main_cli

    def parse(text: str) -> theirs.Measure:
        try:
            return read(text)
        except (NameError, ValueError):
            return measure(text)

    read = theirs.parse_measure
    try:
        with patch.object(theirs, "parse_measure", parse):
            main_cli()
    except CranfieldError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)


register()

if __name__ == "__main__":
    main()
