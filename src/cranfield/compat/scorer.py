"""Shared parts of the drop-in replacements: values by topic and measure."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.adapters import to_frame
from cranfield.data.reading.columns import TREC, Kind
from cranfield.data.reading.tables import is_frame
from cranfield.data.run import ListRun, Run
from cranfield.data.run_reader import read_run
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.measures.base import Measure
from cranfield.measures.counts import Judged
from cranfield.measures.incomplete import infAP

Relabel: TypeAlias = Callable[[float], float]  # Comparable and hashable.


@dataclass(frozen=True)
class Gains:
    """Replacement of levels."""

    pairs: tuple[tuple[float, float], ...]

    def __call__(self, level: float) -> float:
        return dict(self.pairs).get(level, level)


@dataclass(frozen=True)
class Scale:
    """Levels as gains in [0, 1]; levels beyond the bounds are clipped."""

    low: float
    high: float

    def __call__(self, level: float) -> float:
        return (min(max(level, 0.0, self.low), self.high) - self.low) / (self.high - self.low)

    def warn_beyond(self, levels: Floats) -> None:
        """Warn about levels beyond the bounds. Levels below 0 count as 0 for all measures."""
        lowest, highest = max(levels.min(), 0.0), levels.max()
        if lowest < self.low or highest > self.high:
            problem = f"found levels from {lowest:g} to {highest:g}"
            text = f"{problem}, expected min_rel={self.low:g} to max_rel={self.high:g}"
            warnings.warn(f"{text}. Levels beyond are clipped", stacklevel=2)


@dataclass(frozen=True)
class Threshold:
    """Levels as 1 at or above a threshold, else 0."""

    rel: float

    def __call__(self, level: float) -> float:
        return float(level >= self.rel)


class Request(NamedTuple):
    """A measure, and the function that changes the levels of judgments for it."""

    measure: Measure
    relabel: Relabel | None = None

    @property
    def pooled(self) -> bool:
        """True if the measure uses documents that were pooled but not judged, with levels below 0.

        For all other measures such documents are unjudged, as in trec_eval.
        """
        return isinstance(self.measure, infAP | Judged) and not self.measure.condensed


class Scorer:
    """Prepared judgments. A call with a run returns the values of its judged topics.

    Without judgments there are no values. True is a level, and infinity a score, as in the
    originals.

    >>> from cranfield.measures.ncu import AP, RR
    >>> score = Scorer({"q1": {"a": 1}, "q2": {"a": 1}}, [Request(AP()), Request(RR())])
    >>> score({"q2": {"a": 1.0}, "q1": {"b": math.inf, "a": 1.0}})
    {'q2': [1.0, 1.0], 'q1': [0.5, 0.5]}
    """

    def __init__(self, qrels: Any, requests: Sequence[Request]) -> None:
        self.topics: Sequence[str] = ()
        self._requests = requests
        self._places: dict[tuple[Relabel | None, bool], list[int]] = {}  # For measures with equal levels.
        if is_empty(qrels):
            return
        judged = _read_judgments(qrels)
        self.topics = judged.topics
        for place, request in enumerate(requests):
            self._places.setdefault((request.relabel, request.pooled), []).append(place)
        self._evaluators = {
            key: Evaluator(_relabel_qrels(judged, *key), [requests[i].measure for i in places])
            for key, places in self._places.items()
        }

    def __call__(self, run: Any) -> dict[str, list[float]]:
        """Return the values in order of the measures, for each judged topic of the run."""
        if is_empty(run) or not self.topics:
            return {}
        try:
            return self._score_run(read_run(run, run_names="first").load())
        except InputError:
            finite = _replace_infinite(run)
            if finite is None:
                raise
            return self._score_run(read_run(finite))

    def _score_run(self, run: Run) -> dict[str, list[float]]:
        values = {topic: [0.0] * len(self._requests) for topic in self.topics}
        order = [topic for topic in _order_topics(run) if topic in values]
        if not order:
            return {}
        unanswered: set[str] = set()
        for key, places in self._places.items():
            scores = self._evaluators[key].score_runs([run], strangers=True)
            columns = [scores.measures.index(str(self._requests[i].measure)) for i in places]
            for topic, row in zip(scores.topics, scores.values[0].tolist(), strict=True):
                for i, column in zip(places, columns, strict=True):
                    values[topic][i] = row[column]
            missing = (n.topics for n in scores.notes if n.kind == "missing-topics")
            unanswered.update(*missing)
        return {topic: values[topic] for topic in order if topic not in unanswered}


def is_empty(data: Any) -> bool:
    """Return True if the data are empty."""
    return isinstance(data, Sized) and not len(data)


def _order_topics(run: Run) -> Iterable[str]:
    """Return the topics of a run, in its order."""
    if isinstance(run, ListRun):
        return run.lists
    return dict.fromkeys(topic for table in run.iterate_tables() for topic in table.names)


def _read_judgments(qrels: Any) -> Qrels:
    """Read judgments, with 1 for True and 0 for False."""
    try:
        return read_qrels(qrels)
    except InputError:
        if not isinstance(qrels, Mapping) or not all(isinstance(x, Mapping) for x in qrels.values()):
            raise
    numbers = {
        topic: {doc: int(x) if isinstance(x, bool) else x for doc, x in docs.items()} for topic, docs in qrels.items()
    }
    return read_qrels(numbers)  # Raises the same error.


def _replace_infinite(run: Any) -> Any:
    """Return a run in memory with finite numbers for infinite scores and booleans, else None."""
    if is_frame(run):
        run = to_frame(run, "run", "score")
        run = list(zip(*(run[name] for name in run.columns), strict=True))
    data: Any = None
    if isinstance(run, Mapping):
        data = {
            topic: {doc: _make_finite(x) for doc, x in docs.items()} if isinstance(docs, Mapping) else docs
            for topic, docs in run.items()
        }
    elif isinstance(run, list):
        data = [tuple(map(_make_finite, row)) for row in run]
    return data


def _make_finite(value: Any) -> Any:
    if isinstance(value, bool):
        return float(value)
    infinite = isinstance(value, float | np.floating) and math.isinf(value)
    return math.copysign(sys.float_info.max, value) if infinite else value


def _relabel_qrels(qrels: Qrels, relabel: Relabel | None, pooled: bool) -> Qrels:
    """Return the judgments with changed levels, without negative levels unless they are used."""
    if relabel is None and (pooled or qrels.levels.min(initial=0.0) >= 0):
        return qrels
    if isinstance(relabel, Scale):
        relabel.warn_beyond(qrels.levels)
    judged = {
        topic: {doc: level if relabel is None else relabel(level) for doc, level in docs.items()}
        for topic, docs in qrels.to_dict().items()
    }
    if pooled:
        return read_qrels(judged)
    return read_qrels({t: {d: x for d, x in docs.items() if x >= 0} for t, docs in judged.items()})


def read_fields(lines: Iterable[str], kind: Kind) -> Iterator[Mapping[str, str]]:
    """Yield the fields of each nonempty line of a TREC file, by name."""
    names = TREC[kind]
    for number, line in enumerate(lines, 1):
        values = line.split()
        if len(values) == len(names):
            yield dict(zip(names, values, strict=True))
        elif values:
            expected = f"{len(names)}: {' '.join(names)}"
            raise InputError(f"{len(values)} fields ({line.strip()})", expected, kind, number)
