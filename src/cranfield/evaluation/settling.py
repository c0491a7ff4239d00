"""The shortest list of documents whose judgments would decide a comparison of two runs."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, Ints
from cranfield.data.qrels import QrelsLike
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import RunsLike
from cranfield.evaluation.options import Settings, with_options
from cranfield.evaluation.unjudged import BoundedRuns, RunDocuments
from cranfield.measures.bounds import Effects, compute_effects, has_outer_bounds, is_sum
from cranfield.measures.selection import MeasuresLike
from cranfield.tables import ResultTable, bind_rows, format_difference
from cranfield.wording import format_count

_MAX_TRIALS = 300  # documents that are omitted one by one, to see if the list still decides


@dataclass(frozen=True)
class DecidingDocument:
    """An unjudged document, its ranks in both runs, and the largest change of the difference.

    `effect` is exact for measures that are sums of gains, and an estimate for others. A rank is None
    if the document is not above the cutoff of the run.
    """

    topic: str
    doc: str
    rank: int | None
    other_rank: int | None
    effect: float


@dataclass(frozen=True)
class Settlement(TableResult):
    """The documents whose judgments would decide a comparison, largest effect first.

    The difference of means `value` of `run` and `other` is between `low` and `high`, whatever the
    judgments of the `unjudged` documents are. If the `documents` are judged nonrelevant, as they
    count now, no judgments of other documents can change the sign of the difference. `fewest` is the
    smallest number of judgments, of any outcome, that could decide (None if unknown). `exact` is
    False if the range can be too wide, and the list longer than necessary.
    """

    run: str
    other: str
    measure: str
    value: float
    low: float
    high: float
    unjudged: int
    documents: tuple[DecidingDocument, ...]
    fewest: int | None
    exact: bool

    @property
    def decided(self) -> bool:
        """True if no judgments can change the sign of the difference."""
        return not self.documents

    def _build_tables(self, *_: Any, **__: Any) -> list[ResultTable]:
        column = bind_rows(self.documents)
        return [
            ResultTable(
                "settle",
                [
                    column("topic", key=True, dtype=str),
                    column("doc", key=True, dtype=str),
                    column("rank", head=f"rank in {self.run}", dtype=int),
                    column("other_rank", head=f"rank in {self.other}", dtype=int),
                    column("effect", text=lambda x: f"{x:.4f}", dtype=float),
                ],
                f"Documents whose judgments would decide whether {self.run} or {self.other} is better by "
                f"{self.measure}.",
                lines=[*self._describe()],
            )
        ]

    def _build_document(self) -> dict[str, Any]:
        names = ("run", "other", "measure", "value", "low", "high", "unjudged", "fewest", "exact", "decided")
        rows = [{name: getattr(row, name) for name in DecidingDocument.__annotations__} for row in self.documents]
        return {name: getattr(self, name) for name in names} | {"documents": rows}

    def _describe(self) -> list[str]:
        """Describe the range of the difference and the list."""
        low, high = format_difference(self.low), format_difference(self.high)
        lines = [
            f"{self.run} − {self.other}: {format_difference(self.value)}, between {low} and {high} for all judgments "
            f"of {format_count(self.unjudged, 'unjudged document')}"
        ]
        if self.decided:
            return [*lines, "decided: no judgments can change the sign"]
        lines.append(
            f"decided if {format_count(len(self.documents), 'document')} of this list "
            f"{'is' if len(self.documents) == 1 else 'are'} nonrelevant"
        )
        if self.fewest is not None:
            lines.append(f"at least {format_count(self.fewest, 'judgment')} of any level are necessary to decide")
        if not self.exact:
            lines.append("the range is an outer bound: a shorter list may be enough")
        return lines


@with_options
def settle(
    qrels: QrelsLike,
    runs: RunsLike,
    run: str,
    other: str,
    measure: MeasuresLike = None,
    **options: Unpack[Settings],
) -> Settlement:
    """Return the documents whose judgments would decide which of two runs is better.

    Each unjudged document could have any level, so the difference of two means has a range. The
    list contains the documents that have to be nonrelevant, as they count now, so that no judgments
    of other documents can change the sign of the difference. If one of them turns out to be
    relevant, add its judgment and repeat.

    For sums of gains (P, DCG, RBP), no list is shorter. For nDCG, Recall and the other measures with
    an exact range, no document of a list of up to 300 can be omitted. For AP, GMAP, ERR and iRBU, the
    list is sufficient. Default `measure`: the first of the preset, otherwise nDCG@10.

    >>> runs = {"x": {"q": ["a", "b", "c"]}, "y": {"q": ["d", "e", "c"]}}
    >>> result = settle({"q": {"a": 1, "d": 0}}, runs, "x", "y", "DCG@3")  # b, c and e are not judged
    >>> [document.doc for document in result.documents], round(result.low, 4), round(result.high, 4)
    ([], 0.3691, 1.6309)
    >>> [document.doc for document in settle({"q": {"a": 1}}, runs, "x", "y", "DCG@3").documents]
    ['d']
    """
    bounded = BoundedRuns.read(qrels, runs, measure, options)
    for name in (run, other):
        if not isinstance(name, str) or name not in bounded.scores.runs:
            raise InputError.from_problem(f"unknown run {name!r}. Runs: {', '.join(bounded.scores.runs)}")
    if run == other:
        raise InputError.from_problem("settle needs two different runs")
    return _Decision(bounded, *(bounded.scores.runs.index(name) for name in (run, other))).settle()


class _Decision:
    """The difference of two runs, with some unjudged documents judged nonrelevant."""

    def __init__(self, bounded: BoundedRuns, a: int, b: int) -> None:
        self.bounded, self.bounding = bounded, bounded.bounding
        self.indices = a, b
        self.a, self.b = (bounded.documents[i] for i in (a, b))
        values = bounded.values[a] - bounded.values[b]
        self.value = float(values.mean())
        self.low, self.high = self._compute_ends(np.zeros(0, dtype=np.int64))

    @cached_property
    def width(self) -> int:
        """More than the number of unjudged documents of any topic."""
        return max(map(len, self.bounding.numbers), default=0) + 1

    def _encode(self, topic: Ints, doc: Ints) -> Ints:
        return topic * self.width + doc

    def _compute_ends(self, judged: Ints) -> tuple[float, float]:
        """Return the range of the difference of means if these documents are nonrelevant."""
        a, b = (self._judge(run, judged) for run in (self.a, self.b))
        low, high = self.bounding.compute_bounds(a, b)
        places = self.bounded.places
        return float(low[places].mean()), float(high[places].mean())

    def _judge(self, run: RunDocuments, judged: Ints) -> RunDocuments:
        topic = np.repeat(np.arange(len(run.sizes)), run.sizes)
        mask = (run.docs >= 0) & np.isin(self._encode(topic, run.docs), judged)
        return replace(run, levels=np.where(mask, 0.0, run.levels), docs=np.where(mask, -1, run.docs))

    def _is_decided(self, judged: Ints) -> bool:
        low, high = self._compute_ends(judged)
        return low > TOLERANCE or high < -TOLERANCE or max(abs(low), abs(high)) <= TOLERANCE

    @cached_property
    def effects(self) -> Effects:
        """The effects of all unjudged documents of the topics that count, on the mean."""
        ranks = int((self.a.sizes + self.b.sizes).max(initial=0)) + 1
        parts = []
        for block in self.bounding.collection.build_blocks(ranks, self.bounding.measuring.gains):
            m = self.bounding.measuring.with_topic_gains(self.bounding.measure, block.start)
            part = compute_effects(m, self.a.build_block(block), self.b.build_block(block))
            parts.append(part._replace(topic=part.topic + block.start))
        effects = Effects(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        counted = np.isin(effects.topic, self.bounded.places)
        topics = len(self.bounded.places)
        return Effects(
            effects.topic[counted], effects.doc[counted], effects.low[counted] / topics, effects.high[counted] / topics
        )

    def settle(self) -> Settlement:
        """Find the list."""
        topic, doc, _, _ = self.effects
        rows = self._find_rows() if not self._is_decided(topic[:0]) else topic[:0]
        run, other = (self.bounded.scores.runs[i] for i in self.indices)
        return Settlement(
            run,
            other,
            str(self.bounded.scores.measures[0]),
            self.value,
            self.low,
            self.high,
            len(doc),
            tuple(self._describe(row) for row in rows.tolist()),
            self._count_fewest() if len(rows) else (0 if is_sum(self.bounding.measure) else None),
            not has_outer_bounds(self.bounding.measure),
        )

    @cached_property
    def _adverse(self) -> Floats:
        """The largest change of the difference by each document, against its sign."""
        _, _, low, high = self.effects
        return -low if self.value > TOLERANCE else high if self.value < -TOLERANCE else np.maximum(-low, high)

    def _find_rows(self) -> Ints:
        """Return the shortest prefix of the documents, largest effect first, that decides."""
        topic, doc, _, _ = self.effects
        order = np.lexsort((doc, topic, -self._adverse))
        codes = self._encode(topic, doc)[order]
        enough, too_few = len(order), 0
        while enough - too_few > 1:
            middle = (enough + too_few) // 2
            if self._is_decided(codes[:middle]):
                enough = middle
            else:
                too_few = middle
        rows = order[:enough]
        return rows if is_sum(self.bounding.measure) or enough > _MAX_TRIALS else self._drop_needless(rows)

    def _drop_needless(self, rows: Ints) -> Ints:
        """Return the documents that the list needs. Documents with small effects are omitted first."""
        topic, doc, _, _ = self.effects
        codes = self._encode(topic, doc)
        needed: Bools = np.full(len(rows), True)
        for i in reversed(range(len(rows))):
            needed[i] = False
            needed[i] = not self._is_decided(codes[rows[needed]])
        return rows[needed]

    def _count_fewest(self) -> int | None:
        """Return the smallest number of judgments that could decide, for either run."""
        if not is_sum(self.bounding.measure):
            return None
        _, _, low, high = self.effects
        gained = np.cumsum(-np.sort(low - high))
        missing = np.array([-self.low, self.high]) + TOLERANCE
        counts = np.searchsorted(gained, missing, side="right") + 1
        return min(int(counts.min()), len(low))

    def _describe(self, row: int) -> DecidingDocument:
        topic, doc = int(self.effects.topic[row]), int(self.effects.doc[row])
        rank, other_rank = (ranks.get((topic, doc)) for ranks in self._ranks)
        name = self.bounding.collection.topics[topic]
        return DecidingDocument(name, self._names[topic][doc], rank, other_rank, float(self._adverse[row]))

    @cached_property
    def _names(self) -> list[list[str]]:
        """The unjudged documents of each topic, by number."""
        return [list(numbers) for numbers in self.bounding.numbers]

    @cached_property
    def _ranks(self) -> list[dict[tuple[int, int], int]]:
        """The rank of each unjudged document, by topic and number, for both runs."""
        return [_list_ranks(run) for run in (self.a, self.b)]


def _list_ranks(run: RunDocuments) -> dict[tuple[int, int], int]:
    topic = np.repeat(np.arange(len(run.sizes)), run.sizes)
    rank = np.arange(len(topic)) - run.offsets[topic] + 1
    mask = run.docs >= 0
    cells = zip(topic[mask].tolist(), run.docs[mask].tolist(), strict=True)
    return dict(zip(cells, rank[mask].tolist(), strict=True))
