"""What the shims share: values by topic and measure, with the peers' reading of the judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.columns import TREC, Kind
from cranfield.data.run import read_run
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.measures.base import Measure
from cranfield.measures.counts import Judged
from cranfield.measures.incomplete import infAP

Gains: TypeAlias = tuple[tuple[float, float], ...]


class Wanted(NamedTuple):
    """A measure, and the level that takes the place of each judged level if they are changed."""

    measure: Measure
    gains: Gains = ()

    @property
    def pooled(self) -> bool:
        """Whether it knows documents that were pooled but not judged, written as levels below 0.

        To all others such documents are like any that nobody judged, as trec_eval has it.
        """
        return isinstance(self.measure, infAP | Judged) and not self.measure.condensed


class Scorer:
    """Judgments prepared once; called with a run, the values for its judged topics.

    >>> from cranfield.measures.ncu import AP, RR
    >>> Scorer({"q1": {"a": 1}, "q2": {"a": 1}}, [Wanted(AP()), Wanted(RR())])({"q1": {"a": 1.0}})
    {'q1': [1.0, 1.0]}
    """

    def __init__(self, qrels: Any, wanted: Sequence[Wanted]) -> None:
        judged = read_qrels(qrels)
        self.topics, self._wanted = judged.topics, wanted
        self._places: dict[tuple[Gains, bool], list[int]] = {}  # of those with the same levels
        for place, one in enumerate(wanted):
            self._places.setdefault((one.gains, one.pooled), []).append(place)
        self._evaluators = {
            key: Evaluator(_relabelled(judged, *key), [wanted[i].measure for i in places])
            for key, places in self._places.items()
        }

    def __call__(self, run: Any) -> dict[str, list[float]]:
        """The values in the order of the measures, for each judged topic that the run answers."""
        if isinstance(run, Sized) and not len(run):
            return {}
        read = read_run(run)
        values = {topic: [0.0] * len(self._wanted) for topic in self.topics}
        unanswered: set[str] = set()
        for key, places in self._places.items():
            scores = self._evaluators[key](read)
            columns = [scores.measures.index(str(self._wanted[i].measure)) for i in places]
            for topic, row in zip(scores.topics, scores.values[0].tolist(), strict=True):
                for i, column in zip(places, columns, strict=True):
                    values[topic][i] = row[column]
            missing = (n.topics for n in scores.notices if n.kind == "missing-topics")
            unanswered.update(*missing)
        return {topic: row for topic, row in values.items() if topic not in unanswered}


def _relabelled(qrels: Qrels, gains: Gains, pooled: bool) -> Qrels:
    """The judgments with other levels, and without those below 0 unless they mean something."""
    if not gains and (pooled or qrels.levels.min(initial=0.0) >= 0):
        return qrels
    gain = dict(gains)
    judged = {
        topic: {doc: gain.get(level, level) for doc, level in docs.items()}
        for topic, docs in qrels.to_dict().items()
    }
    if pooled:
        return read_qrels(judged)
    return read_qrels({t: {d: x for d, x in docs.items() if x >= 0} for t, docs in judged.items()})


def fields(lines: Iterable[str], kind: Kind) -> Iterator[Mapping[str, str]]:
    """The fields of each line of a TREC file that holds something, by their names."""
    names = TREC[kind]
    for number, line in enumerate(lines, 1):
        found = line.split()
        if len(found) == len(names):
            yield dict(zip(names, found, strict=True))
        elif found:
            expected = f"{len(names)}: {' '.join(names)}"
            raise InputError(f"{len(found)} fields ({line.strip()})", expected, kind, number)
