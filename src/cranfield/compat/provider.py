"""cranfield as a provider of ir_measures itself: whatever calls that package has our measures, too.

>>> import ir_measures
>>> from cranfield.compat import provider
>>> measures = [provider.measure("Q@10"), ir_measures.RR]
>>> qrels, run = {"q1": {"a": 2, "b": 1}}, {"q1": {"b": 0.9, "x": 0.5, "a": 0.1}}
>>> found = ir_measures.calc_aggregate(measures, qrels, run)
>>> {str(m): round(found[m], 4) for m in measures}  # (2/3 + 5/6) / 2
{'Q@10': 0.75, 'RR': 1.0}

Importing this module makes the provider known as ``cranfield``, which is asked last, and every
measure of ranked lists that ir_measures has no name for: ``parse_measure("Q(beta=10)@10")``. What
both have a name for is theirs, unless it is asked for as ours, and then its name says so:

>>> provider.measure("AP@10"), provider.AP @ 10 == ir_measures.AP @ 10
(cranfield.AP@10, False)

``python -m cranfield.compat.provider QRELS RUN MEASURE…`` is the command line of ir_measures with
this provider and these measures: by itself it loads no providers but its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from cranfield.compat import inputs
from cranfield.compat import ir_measures as shim
from cranfield.compat.scorer import is_empty
from cranfield.data.run import RunLike, read_run
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.evaluate import Evaluator as OurEvaluator
from cranfield.late import missing
from cranfield.measures.base import REGISTRY, Measure
from cranfield.measures.grammar import OURS, MeasureLike, parse_measure
from cranfield.scores import SUMMARISED

try:
    import ir_measures as theirs
    from ir_measures.measures import registry as their_measures
    from ir_measures.providers import registry as their_providers
except ImportError:
    raise missing("ir_measures") from None

__all__ = ["PROVIDER", "CranfieldMeasure", "CranfieldProvider", "main", "measure", "register"]

_THEIRS = frozenset(their_measures)  # the names that ir_measures has by itself


# -- measures -------------------------------------------------------------------------------------


class Summary:
    """The value for all topics, to the last bit that of `Scores.summary`."""

    def __init__(self, summary: str) -> None:
        self._of = SUMMARISED[summary]
        self._values: list[float] = []

    def add(self, value: float) -> None:
        """One more topic."""
        self._values.append(value)

    def result(self) -> float:
        """The mean, the sum or the geometric mean of the values so far."""
        return self._of(self._values)


class CranfieldMeasure(theirs.Measure):
    """One of cranfield's measures, `ours`, as ir_measures takes them; made by `measure`.

    >>> measure("Q")(beta=10) @ 20, measure("ERR")["max_level"], measure("hit=Success@10")
    (Q(beta=10)@20, None, hit)
    """

    def __init__(self, ours: Measure) -> None:
        fields = {f.name: f for f in ours.parameters()}
        values = {name: getattr(ours, name) for name in (*fields, "cutoff")}
        usual = {name: f.default for name, f in fields.items()} | {"cutoff": None}
        set_ = {name: x for name, x in values.items() if x != usual[name]}
        super().__init__(**set_)  # type: ignore[no-untyped-call]
        self.ours = ours
        self.NAME = self.__name__ = OURS + type(ours).__name__  # which is nobody else's
        self.SHORT_DESC = (ours.__doc__ or "").split("\n")[0]
        self.SUPPORTED_PARAMS = {
            name: theirs.ParamInfo(default=default) for name, default in usual.items()
        }
        text, name = ours.called or str(ours), ours.called or type(ours).__name__
        self._text = OURS + text if name in _THEIRS else text

    def validate_params(self) -> None:
        """Refuse what is several numbers; whatever else is wrong could not have been made."""
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
        """What makes one number of those of the topics."""
        return Summary(self.ours.summary)


def measure(text: MeasureLike) -> CranfieldMeasure:
    """A measure of cranfield for ir_measures, written as everywhere in cranfield.

    >>> measure("nDCG(gain=exp)@10"), measure("D(nDCG)@10"), measure("cranfield.RR")
    (cranfield.nDCG(gain=exp)@10, D(nDCG)@10, cranfield.RR)
    """
    ours = parse_measure(text)
    if lacks := _lacks(ours):
        raise InputError(f"{ours}, which {lacks}", "a measure of judgments and runs alone")
    return CranfieldMeasure(ours)


def _lacks(ours: Measure | type[Measure]) -> str:
    """What a measure takes that ir_measures does not hand on."""
    if not ours.ranks_documents():
        return f"takes {ours.takes}"
    if ours.length_unit:
        return "takes lengths of documents"
    if ours.needs_verticals:
        return "takes verticals"
    if ours.summary == "gmean":  # PyTerrier would take the mean, under this name
        return "is a geometric mean over topics"
    return ""


def __getattr__(name: str) -> CranfieldMeasure:
    """``from cranfield.compat.provider import Q, nDCG``: our measures by name."""
    if name not in REGISTRY or REGISTRY[name].combines:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return measure(name)


# -- the provider ---------------------------------------------------------------------------------


class _Evaluator(theirs.Evaluator):
    """Judgments prepared once; our measures are as in `evaluate`, theirs as in ir_measures."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        every = sorted(dict.fromkeys(measures), key=str)  # ir_measures hands on a set
        qrels = inputs.held(qrels)
        self._ours = [*_evaluators([m for m in every if isinstance(m, CranfieldMeasure)], qrels)]
        others = [m for m in every if not isinstance(m, CranfieldMeasure)]
        self._others = shim.Evaluator(others, qrels) if others else None
        found: list[Sequence[str]] = [e.collection.topics for _, e in self._ours]
        found += [self._others.qrel_qids] if self._others else []
        self._topics = found[0] if found else ()
        super().__init__(every, self._topics)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        run = inputs.held(run)
        if self._ours:
            yield from self._of_ours(inputs.rows(run, "run"))
        for metric in self._others.iter_calc(run) if self._others else ():
            kind = theirs.CwlMetric if isinstance(metric, shim.CwlMetric) else theirs.Metric
            yield kind(*metric)

    def _of_ours(self, lists: Any) -> Iterator[theirs.Metric]:
        given: RunLike = {self._topics[0]: {}} if is_empty(lists) else lists
        run = read_run(given, run_names="first").held()
        for measures, evaluator in self._ours:
            scores = evaluator.scores([run], strangers=True)
            columns = {m: scores.measures.index(m.ours.names()[0]) for m in measures}
            for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
                for m, column in columns.items():
                    yield theirs.Metric(topic, m, values[column])


def _evaluators(
    measures: list[CranfieldMeasure], qrels: Any
) -> Iterator[tuple[list[CranfieldMeasure], OurEvaluator]]:
    """Our evaluators of some measures: of documents, and of subtopics, which iterations name."""
    if is_empty(qrels):
        return
    for diverse in (False, True):
        some = [m for m in measures if (m.ours.takes == "intents") == diverse]
        if some:
            judged = inputs.by_subtopic(qrels) if diverse else inputs.rows(qrels, "qrels")
            yield some, OurEvaluator(judged, [m.ours for m in some])


class CranfieldProvider(theirs.Provider):
    """cranfield for ir_measures: our measures, and all of theirs that `compat.ir_measures` has."""

    NAME = "cranfield"

    def supports(self, measure: theirs.Measure) -> bool:
        """Whether the measure can be computed, with these parameters."""
        measure.validate_params()
        if isinstance(measure, CranfieldMeasure):
            return True
        if hasattr(measure, "runtime_impl"):  # a function of somebody's, whatever its name
            return False
        try:
            shim.Evaluator([measure], {})
        except CranfieldError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        every = [*measures]
        if unknown := [m for m in every if not self.supports(m)]:
            raise InputError(f"measure {unknown[0]}", "one that cranfield has, too")
        return _Evaluator(every, qrels)


PROVIDER = CranfieldProvider()  # type: ignore[no-untyped-call]


def register(first: bool = False) -> None:
    """Have ir_measures ask this provider last, as importing does; or `first`, of all measures.

    >>> import ir_measures
    >>> register(first=True)
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'cranfield'
    >>> register()
    """
    asked = theirs.DefaultPipeline.providers
    if PROVIDER in asked:
        asked.remove(PROVIDER)
    asked.insert(0 if first else len(asked), PROVIDER)
    their_providers[PROVIDER.NAME] = PROVIDER
    for name, ours in REGISTRY.items():
        if name not in their_measures and not ours.combines and not _lacks(ours):
            theirs.measures.register(measure(name), name=name)


# -- the command line -----------------------------------------------------------------------------


def main() -> None:
    """The command line of ir_measures, with our measures and ``--provider cranfield``."""
    from unittest.mock import patch

    from ir_measures.__main__ import main_cli

    def parsed(text: str) -> theirs.Measure:
        try:
            return read(text)
        except (NameError, ValueError):
            return measure(text)

    read = theirs.parse_measure
    try:
        with patch.object(theirs, "parse_measure", parsed):
            main_cli()
    except CranfieldError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)


register()

if __name__ == "__main__":
    main()
