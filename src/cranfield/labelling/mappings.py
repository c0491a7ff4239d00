"""Label runs in nested dicts.

The rank of a document is one more than the number of documents with a higher score. Only the
judged documents are looked up. Their scores are searched among the sorted scores of the ranking,
for many topics together. Names are compared only among ties.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from cranfield import kernel
from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.reading.mappings import from_mapping
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import DocumentValues, Table
from cranfield.data.run import ListRun, rank_documents
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import RankingBuilder, Rankings, count_by
from cranfield.labelling.gold import GoldStandard

BATCH = 256  # topics per batch


@dataclass
class _Batch:
    """Some rankings of a run: all scores, and the judged documents."""

    topics: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    lists: list[Mapping[str, float]] = field(default_factory=list)
    scores: list[bytes] = field(default_factory=list)  # as C doubles
    judged_docs: list[list[str]] = field(default_factory=list)
    judged_scores: list[float] = field(default_factory=list)
    items: list[int] = field(default_factory=list)


def label_lists(
    gold: GoldStandard, run: ListRun, exclude_self: bool = False, sources: Sequence[DocumentValues] = ()
) -> Rankings:
    """Label a run in memory."""
    if not sources and (quick := _label_compiled(gold, run, exclude_self)) is not None:
        return quick.build_rankings(gold.judgments, sources)
    if kernel.KERNEL is not None:  # the scores are not validated so far
        run = replace(run, lists=from_mapping(run.lists, "run", run.where)[0])
    builder, batch = RankingBuilder(), _Batch()

    def finish() -> None:
        lists = _BatchLists(batch, run.stable)
        builder.lists.append((lists.topics, lists.sizes, lists.count_tied()))
        builder.hits.append(lists.find_hits())
        if sources:
            lines = lists.rank_documents()
            builder.document_rows.append(tuple(source.rows(lines) for source in sources))
            builder.scores.append(lines.values)

    for t, (topic, judged) in enumerate(zip(gold.qrels.topics, gold.by_topic, strict=True)):
        ranked = run.lists.get(topic)
        if ranked is None:
            continue
        ranked = run.to_doubles(topic, ranked)
        if exclude_self and topic in ranked:
            ranked = {doc: score for doc, score in ranked.items() if doc != topic}
        if run.keeps_order:  # ordered as in the input: use the position as score
            ranked = {doc: -float(place) for place, doc in enumerate(ranked)}
        batch.scores.append(struct.pack(f"{len(ranked)}d", *ranked.values()))  # fastest
        judged_docs = list(judged.keys() & ranked.keys())
        batch.topics.append(t)
        batch.names.append(topic)
        batch.lists.append(ranked)
        batch.judged_docs.append(judged_docs)
        batch.judged_scores += map(ranked.__getitem__, judged_docs)
        batch.items += map(judged.__getitem__, judged_docs)
        if len(batch.topics) == BATCH:
            finish()
            batch = _Batch()
    finish()
    return builder.build_rankings(gold.judgments, sources)


def _label_compiled(gold: GoldStandard, run: ListRun, exclude_self: bool) -> RankingBuilder | None:
    """Label plain dicts with the kernel. Return None if not possible."""
    hashes = gold.name_hashes
    if kernel.KERNEL is None or hashes is None or type(run.lists) is not dict:
        return None
    qrels, settings = gold.qrels, (run.stable, run.keeps_order, exclude_self)
    judged = hashes, gold.items, qrels.offsets
    buffers = kernel.KERNEL.place_lists(run.lists, qrels.topics, qrels.doc_names, judged, *settings)
    if buffers is None:
        return None
    hits, lists = (np.frombuffer(columns, dtype=np.int64) for columns in buffers)
    return RankingBuilder([tuple(lists.reshape(-1, 3).T)], [tuple(hits.reshape(-1, 5).T)])


class _BatchLists:
    """The rankings of a batch as arrays, with scores in descending order."""

    def __init__(self, batch: _Batch, stable: bool) -> None:
        self.batch, self.stable = batch, stable
        self.topics = np.array(batch.topics, dtype=np.int64)
        self.sizes = np.array([len(packed) // 8 for packed in batch.scores], dtype=np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.scores = np.frombuffer(b"".join(batch.scores))
        self.list = np.repeat(np.arange(len(self.sizes)), self.sizes)
        self.within = np.ones(len(self.scores), dtype=bool)  # not the first of its list
        self.within[self.starts[self.sizes > 0]] = False
        self.sorted_scores = self._sort_scores()

    def _sort_scores(self) -> Floats:
        rises = np.flatnonzero((self.scores[1:] > self.scores[:-1]) & self.within[1:]) + 1
        if not len(rises):
            return self.scores
        falling = self.scores.copy()
        for index in np.unique(self.list[rises]).tolist():
            rows = self.get_rows(index)
            falling[rows] = -np.sort(-falling[rows])
        return falling

    def get_rows(self, index: int) -> slice:
        """Return the rows of a ranking."""
        return slice(self.starts[index], self.starts[index] + self.sizes[index])

    def rank_documents(self) -> Table:
        """Return all documents in rank order."""
        lists = (rank_documents(ranked, False, self.stable) for ranked in self.batch.lists)
        docs = Strings.from_list([doc for ranked in lists for doc in ranked])
        topics = Strings.from_list(self.batch.names)
        return Table(topics, self.starts, docs, docs.compute_hashes(), self.sorted_scores)

    def count_tied(self) -> Ints:
        """Count the tied documents of each ranking."""
        equals_previous = self.within.copy()
        equals_previous[1:] &= self.sorted_scores[1:] == self.sorted_scores[:-1]
        is_tied = equals_previous.copy()
        is_tied[:-1] |= equals_previous[1:]
        return count_by(self.list[is_tied], len(self.sizes))

    def find_hits(self) -> tuple[Ints, ...]:
        """Return topic, rank, item, best and worst possible rank of each judged document."""
        list_indices = np.repeat(np.arange(len(self.sizes)), [len(docs) for docs in self.batch.judged_docs])
        score = np.array(self.batch.judged_scores, dtype=np.float64)
        first = self._count(list_indices, score, lambda x, s: x > s) + 1
        last = self._count(list_indices, score, lambda x, s: x >= s)
        ranks = first.copy()
        tied_hits = np.flatnonzero(last > first)
        if len(tied_hits):
            names = [doc for docs in self.batch.judged_docs for doc in docs]
            lists = list_indices[tied_hits]
            for t in np.unique(lists).tolist():
                hits = tied_hits[lists == t].tolist()
                place = self._order_ties(t, {float(score[k]) for k in hits})
                for k in hits:
                    ranks[k] += place[names[k]]
        return (self.topics[list_indices], ranks, np.array(self.batch.items, dtype=np.int64), first, last)

    def _count(self, list_indices: Ints, score: Floats, is_above: Callable[[Floats, Floats], Bools]) -> Ints:
        """Count the scores of the ranking above each score by a vectorised binary search."""
        low = begin = self.starts[list_indices]
        high = low + self.sizes[list_indices]
        for _ in range(int(self.sizes.max(initial=0)).bit_length()):
            searching = low < high
            middle = np.where(searching, (low + high) // 2, begin)
            is_higher = searching & is_above(self.sorted_scores[middle], score)
            low, high = (np.where(is_higher, middle + 1, low), np.where(searching & ~is_higher, middle, high))
        return low - begin

    def _order_ties(self, index: int, scores: set[float]) -> dict[str, int]:
        """Return the position of each document among documents with the same score.

        They are ordered by id, descending. If `stable`, they stay in input order.
        """
        groups: dict[float, list[str]] = {score: [] for score in scores}
        for doc, score in self.batch.lists[index].items():
            if score in groups:
                groups[score].append(doc)
        return {
            doc: place
            for docs in groups.values()
            for place, doc in enumerate(docs if self.stable else sorted(docs, reverse=True))
        }
