"""Labelling nested dicts: only the judged documents' ranks matter.

A document's rank is one more than the number of documents with a higher score. So the judged
documents are looked up, their scores are searched for among all scores of the list, for many
topics at a time, and names are compared only among ties.
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
from cranfield.data.reading.table import Noted, Table
from cranfield.data.run import ListRun, from_the_top
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import Placed, Rankings, count_by
from cranfield.labelling.gold import GoldStandard

BATCH = 256  # topics worked on at once


@dataclass
class _Batch:
    """Some lists of a run: all their scores, and the judged documents found in them."""

    topics: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    lists: list[Mapping[str, float]] = field(default_factory=list)
    scores: list[bytes] = field(default_factory=list)  # as packed doubles
    found: list[list[str]] = field(default_factory=list)
    found_scores: list[float] = field(default_factory=list)
    items: list[int] = field(default_factory=list)


def label_lists(
    gold: GoldStandard, run: ListRun, exclude_self: bool = False, noted: Sequence[Noted] = ()
) -> Rankings:
    """Where a run in memory placed the judged documents, with what is to be noted of all."""
    if not noted and (quick := _compiled(gold, run, exclude_self)) is not None:
        return quick.rankings(gold.judgments, noted)
    if kernel.KERNEL is not None:  # nobody has looked at all of them so far
        run = replace(run, lists=from_mapping(run.lists, "run", run.where)[0])
    placed, batch = Placed(), _Batch()

    def finish() -> None:
        lists = _Lists(batch, run.stable)
        placed.lists.append((lists.topics, lists.sizes, lists.tied()))
        placed.hits.append(lists.hits())
        if noted:
            lines = lists.ranked()
            placed.noted.append(tuple(known.rows(lines) for known in noted))
            placed.scores.append(lines.values)

    for t, (topic, judged) in enumerate(zip(gold.qrels.topics, gold.by_topic, strict=True)):
        ranked = run.lists.get(topic)
        if ranked is None:
            continue
        ranked = run.to_doubles(topic, ranked)
        if exclude_self and topic in ranked:
            ranked = {doc: score for doc, score in ranked.items() if doc != topic}
        if run.given:  # the order is the list's own: score it by place
            ranked = {doc: -float(place) for place, doc in enumerate(ranked)}
        batch.scores.append(struct.pack(f"{len(ranked)}d", *ranked.values()))  # fastest
        found = list(judged.keys() & ranked.keys())
        batch.topics.append(t)
        batch.names.append(topic)
        batch.lists.append(ranked)
        batch.found.append(found)
        batch.found_scores += map(ranked.__getitem__, found)
        batch.items += map(judged.__getitem__, found)
        if len(batch.topics) == BATCH:
            finish()
            batch = _Batch()
    finish()
    return placed.rankings(gold.judgments, noted)


def _compiled(gold: GoldStandard, run: ListRun, exclude_self: bool) -> Placed | None:
    """The same in one loop, by the compiled part, if there is one and the lists are plain."""
    hashes = gold.name_hashes
    if kernel.KERNEL is None or hashes is None or type(run.lists) is not dict:
        return None
    qrels, how = gold.qrels, (run.stable, run.given, exclude_self)
    judged = hashes, gold.items, qrels.offsets
    found = kernel.KERNEL.place_lists(run.lists, qrels.topics, qrels.doc_names, judged, *how)
    if found is None:
        return None
    hits, lists = (np.frombuffer(columns, dtype=np.int64) for columns in found)
    return Placed([tuple(lists.reshape(-1, 3).T)], [tuple(hits.reshape(-1, 5).T)])


class _Lists:
    """The lists of a batch as arrays: their scores side by side, falling within each list."""

    def __init__(self, batch: _Batch, stable: bool) -> None:
        self.batch, self.stable = batch, stable
        self.topics = np.array(batch.topics, dtype=np.int64)
        self.sizes = np.array([len(packed) // 8 for packed in batch.scores], dtype=np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.scores = np.frombuffer(b"".join(batch.scores))
        self.list = np.repeat(np.arange(len(self.sizes)), self.sizes)
        self.within = np.ones(len(self.scores), dtype=bool)  # not the first of its list
        self.within[self.starts[self.sizes > 0]] = False
        self.falling = self._falling()

    def _falling(self) -> Floats:
        rises = np.flatnonzero((self.scores[1:] > self.scores[:-1]) & self.within[1:]) + 1
        if not len(rises):
            return self.scores
        falling = self.scores.copy()
        for which in np.unique(self.list[rises]).tolist():
            rows = self.rows(which)
            falling[rows] = -np.sort(-falling[rows])
        return falling

    def rows(self, which: int) -> slice:
        """The rows of a list."""
        return slice(self.starts[which], self.starts[which] + self.sizes[which])

    def ranked(self) -> Table:
        """All documents, in the order of their ranks."""
        lists = (from_the_top(ranked, False, self.stable) for ranked in self.batch.lists)
        docs = Strings.of([doc for ranked in lists for doc in ranked])
        topics = Strings.of(self.batch.names)
        return Table(topics, self.starts, docs, docs.hashes(), self.falling)

    def tied(self) -> Ints:
        """Per list, the documents whose score equals another's."""
        same = self.within.copy()
        same[1:] &= self.falling[1:] == self.falling[:-1]
        either = same.copy()
        either[:-1] |= same[1:]
        return count_by(self.list[either], len(self.sizes))

    def hits(self) -> tuple[Ints, ...]:
        """Topic, rank, item, and best and worst possible rank of each judged document."""
        which = np.repeat(np.arange(len(self.sizes)), [len(found) for found in self.batch.found])
        score = np.array(self.batch.found_scores, dtype=np.float64)
        first = self._count(which, score, lambda x, s: x > s) + 1
        last = self._count(which, score, lambda x, s: x >= s)
        ranks = first.copy()
        doubtful = np.flatnonzero(last > first)
        if len(doubtful):
            names = [doc for found in self.batch.found for doc in found]
            lists = which[doubtful]
            for t in np.unique(lists).tolist():
                hits = doubtful[lists == t].tolist()
                place = self._among_equals(t, {float(score[k]) for k in hits})
                for k in hits:
                    ranks[k] += place[names[k]]
        return self.topics[which], ranks, np.array(self.batch.items, dtype=np.int64), first, last

    def _count(self, which: Ints, score: Floats, above: Callable[[Floats, Floats], Bools]) -> Ints:
        """How many scores of its list are above each score: a binary search for all at once."""
        low = begin = self.starts[which]
        high = low + self.sizes[which]
        for _ in range(int(self.sizes.max(initial=0)).bit_length()):
            searching = low < high
            middle = np.where(searching, (low + high) // 2, begin)
            on = searching & above(self.falling[middle], score)
            low, high = np.where(on, middle + 1, low), np.where(searching & ~on, middle, high)
        return low - begin

    def _among_equals(self, which: int, scores: set[float]) -> dict[str, int]:
        """The places of the documents with one of these scores among their equals: largest id
        first, or as they come.
        """
        groups: dict[float, list[str]] = {score: [] for score in scores}
        for doc, score in self.batch.lists[which].items():
            if score in groups:
                groups[score].append(doc)
        return {
            doc: place
            for docs in groups.values()
            for place, doc in enumerate(docs if self.stable else sorted(docs, reverse=True))
        }
