"""Labelling tables: read in parts, on all cores, with memory for a few parts only.

A part is cut into the topics it holds. Topics that are whole are labelled at once; the first and
the last may go on in the neighbouring parts and wait for them. If a topic turns up again later,
the lines are not grouped by topic, and the table is gathered and grouped first.

Documents are compared as 64-bit hashes, and exactly where hashes agree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cranfield.data.run import Part, Run
from cranfield.data.trec import Irregular
from cranfield.errors import InputError
from cranfield.labelling.blocks import Bools, Floats, Ints, Rankings, rankings_of, spans
from cranfield.labelling.gold import GoldStandard, Hashes

if TYPE_CHECKING:
    import polars as pl


class _Scattered(Exception):
    """The lines of a topic are not adjacent."""


@dataclass
class _Labelled:
    """What is known of some whole topics of a run."""

    names: list[str] = field(default_factory=list)  # all topics, judged or not
    topics: list[Ints] = field(default_factory=list)  # the judged ones: their index,
    returned: list[Ints] = field(default_factory=list)  # length,
    tied: list[Ints] = field(default_factory=list)  # and tied documents
    hits: list[tuple[Ints, Ints, Ints, Ints, Ints]] = field(default_factory=list)
    contradicted: list[str] = field(default_factory=list)

    def add(self, other: _Labelled) -> None:
        self.names += other.names
        self.topics += other.topics
        self.returned += other.returned
        self.tied += other.tied
        self.hits += other.hits
        self.contradicted += other.contradicted


@dataclass(frozen=True)
class ColumnLabels:
    """The rankings of a run read from a table, and the topics it was seen to hold."""

    rankings: Rankings
    topics: tuple[str, ...]
    contradicted: tuple[str, ...]


def label_columns(
    gold: GoldStandard,
    run: Run,
    exclude_self: bool = False,
    threads: int = 2,
    progress: Callable[[int], None] | None = None,
) -> ColumnLabels:
    """Where a run in a table placed the judged documents."""
    try:
        try:
            found = _in_parts(gold, run, exclude_self, threads, progress)
        except _Scattered:
            found = _gathered(gold, run, exclude_self)
    except Irregular:
        raise run.refusal() from None
    if not found.names:
        raise run.refusal() if run.source else InputError("no results", "some", run.where)
    n = len(gold.qrels.topics)
    returned, tied = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    where = np.concatenate(found.topics)
    returned[where], tied[where] = np.concatenate(found.returned), np.concatenate(found.tied)
    hits = [np.concatenate(column) for column in zip(*found.hits, strict=True)]
    topics, ranks, items, first, last = hits
    return ColumnLabels(
        rankings_of(returned, topics, ranks, items, first, last, tied),
        tuple(found.names),
        tuple(found.contradicted),
    )


def _in_parts(
    gold: GoldStandard,
    run: Run,
    exclude_self: bool,
    threads: int,
    progress: Callable[[int], None] | None,
) -> _Labelled:
    found, seen = _Labelled(), set[str]()
    waiting: list[pl.DataFrame] = []  # the lines so far of a topic that may go on

    def finish() -> None:
        if waiting:
            import polars as pl

            whole = pl.concat(waiting) if len(waiting) > 1 else waiting[0]
            keep(_label(gold, run, whole, exclude_self))
            waiting.clear()

    def keep(labelled: _Labelled) -> None:
        if not seen.isdisjoint(labelled.names):
            raise _Scattered
        seen.update(labelled.names)
        if len(set(labelled.names)) < len(labelled.names):
            raise _Scattered
        found.add(labelled)

    for edges, middle in _worked(gold, run, exclude_self, threads):
        for position, edge in enumerate(edges):
            if waiting and waiting[0]["topic"][0] != edge["topic"][0]:
                finish()
            waiting.append(edge)
            if position == 0 and middle is not None:
                finish()
                keep(middle)
        if progress is not None:
            progress(1)
    finish()
    return found


def _worked(
    gold: GoldStandard, run: Run, exclude_self: bool, threads: int
) -> Iterator[tuple[list[pl.DataFrame], _Labelled | None]]:
    """The parts of a run in order, each as its first and last topic and the labelled middle."""
    assert run.parts is not None  # noqa: S101

    def work(part: Part) -> tuple[list[pl.DataFrame], _Labelled | None]:
        table = part().drop("tag", strict=False)
        if len(table) == 0:
            return [], None
        starts = _starts(table)
        if len(starts) < 3:
            ends = [*starts[1:], len(table)]
            return [table[int(a) : int(b)] for a, b in zip(starts, ends, strict=True)], None
        a, b = int(starts[1]), int(starts[-1])
        whole = _label(gold, run, table[a:b], exclude_self, starts[1:-1] - a)
        return [table[:a], table[b:]], whole

    queue: deque[Future[tuple[list[pl.DataFrame], _Labelled | None]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for part in run.parts():
                queue.append(pool.submit(work, part))
                if len(queue) > threads:
                    yield queue.popleft().result()
            while queue:
                yield queue.popleft().result()
        finally:
            for future in queue:
                future.cancel()


def _gathered(gold: GoldStandard, run: Run, exclude_self: bool) -> _Labelled:
    """The whole table at once, its lines grouped by topic without changing their order."""
    import polars as pl

    assert run.parts is not None  # noqa: S101
    table = pl.concat(
        [part().select("topic", "doc", "value", pl.col("^rank$")) for part in run.parts()]
    )
    return _label(gold, run, table.sort("topic", maintain_order=True), exclude_self)


def _starts(table: pl.DataFrame) -> Ints:
    """The first row of each topic."""
    topic = table["topic"]
    return np.flatnonzero(topic.ne_missing(topic.shift(1)).to_numpy())


def _label(
    gold: GoldStandard,
    run: Run,
    table: pl.DataFrame,
    exclude_self: bool,
    starts: Ints | None = None,
) -> _Labelled:
    """Label topics that are whole and whose lines are adjacent, from the rows `starts`."""
    if exclude_self:
        table, starts = table.filter(table["topic"] != table["doc"]), None
    if starts is None:
        starts = _starts(table)
    if len(starts) == 0:
        return _Labelled()
    names = table["topic"].gather(starts).to_list()
    sizes = np.diff(np.append(starts, len(table)))
    topics = np.array([gold.topic_index.get(name, -1) for name in names], dtype=np.int64)
    segment = np.repeat(np.arange(len(starts)), sizes)
    doc_hash = table["doc"].hash().to_numpy()
    _refuse_duplicates(run, table, doc_hash, segment)
    value = -np.arange(len(table), dtype=np.float64) if run.given else table["value"].to_numpy()
    order = _Order(value, starts, sizes, segment)
    rows, items = _judged_rows(gold, table, doc_hash, topics, segment)
    first, last, ranks = order.places(rows, table["doc"])
    judged = topics >= 0
    contradicted = [] if run.given else order.contradicted(table)
    return _Labelled(
        names,
        [topics[judged]],
        [sizes[judged]],
        [order.tied()[judged]],
        [(topics[segment[rows]], ranks, items, first, last)],
        [names[s] for s in contradicted if judged[s]],
    )


def _mixed(doc_hash: Hashes, number: Ints) -> Hashes:
    """A document's hash within a topic or segment of the given number."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    return doc_hash ^ (number.astype(np.uint64) + np.uint64(1)) * golden


def _refuse_duplicates(run: Run, table: pl.DataFrame, doc_hash: Hashes, segment: Ints) -> None:
    keys = np.sort(_mixed(doc_hash, segment))
    if not (keys[1:] == keys[:-1]).any():
        return
    twice = table.filter(table.select("topic", "doc").is_duplicated())
    if len(twice):
        topic, doc = twice["topic"][0], twice["doc"][0]
        if run.source is not None and run.format in ("trec", "csv", "tsv", "jsonl"):
            raise run.refusal()
        raise InputError(f"document {doc} of topic {topic} twice", "each document once", run.where)


def _judged_rows(
    gold: GoldStandard, table: pl.DataFrame, doc_hash: Hashes, topics: Ints, segment: Ints
) -> tuple[Ints, Ints]:
    """The rows that hold judged documents, and the items they are."""
    offsets = gold.qrels.offsets
    present = topics[topics >= 0]
    if not len(present):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    begin, count = offsets[present], offsets[present + 1] - offsets[present]
    judged = spans(begin, count)
    sought = _mixed(gold.doc_hashes[judged], np.repeat(present, count))
    rows, place = _matches(_mixed(doc_hash, topics[segment]), sought)
    found = judged[place]
    same = (table["doc"].gather(rows) == gold.docs.gather(found)).to_numpy()
    same &= gold.judgments.item_topics[found] == topics[segment[rows]]
    return rows[same], gold.items[found[same]]


def _matches(keys: Hashes, sought: Hashes) -> tuple[Ints, Ints]:
    """The places in `keys` that hold a sought key, and the place of that key in `sought`.

    Most keys are nobody's: a table of the sought keys' last bits sifts them out first.
    """
    bits = np.uint64((1 << max(16, int(16 * len(sought)).bit_length())) - 1)
    wanted = np.zeros(int(bits) + 1, dtype=bool)
    wanted[sought & bits] = True
    rows = np.flatnonzero(wanted[keys & bits])
    order = np.argsort(sought)
    place = np.searchsorted(sought, keys[rows], sorter=order)
    inside = place < len(sought)
    rows, place = rows[inside], order[place[inside]]
    equal = sought[place] == keys[rows]
    return rows[equal], place[equal]


class _Order:
    """The order of the lines of some topics by value, computed only as far as it is needed."""

    def __init__(self, value: Floats, starts: Ints, sizes: Ints, segment: Ints) -> None:
        self.value, self.starts, self.sizes, self.segment = value, starts, sizes, segment
        within = np.ones(len(value), dtype=bool)
        within[starts] = False
        self.position = np.arange(len(value))  # where each row stands in the order
        self.row = self.position  # which row stands at each position
        if ((value[1:] > value[:-1]) & within[1:]).any():
            self.row = np.lexsort((-value, segment))
            self.position = np.empty_like(self.row)
            self.position[self.row] = np.arange(len(value))
        ordered = value[self.row]
        self.same: Bools = within.copy()  # the position holds the same value as the one before
        self.same[1:] &= ordered[1:] == ordered[:-1]

    def tied(self) -> Ints:
        """Per topic, the documents whose value equals another's."""
        if not self.same.any():
            return np.zeros(len(self.starts), dtype=np.int64)
        either = self.same.copy()
        either[:-1] |= self.same[1:]
        return np.add.reduceat(either, self.starts, dtype=np.int64)

    def places(self, rows: Ints, docs: pl.Series) -> tuple[Ints, Ints, Ints]:
        """First and last rank a row's value allows, and the rank its document id gives it."""
        position = self.position[rows]
        start = self.starts[self.segment[rows]]
        if not self.same.any():
            ranks = position - start + 1
            return ranks, ranks, ranks
        group_starts = np.flatnonzero(~self.same)
        group = np.searchsorted(group_starts, position, side="right") - 1
        begin = group_starts[group]
        end = np.append(group_starts, len(self.value))[group + 1]
        rank = begin - start + 1
        tied = end - begin > 1
        if tied.any():
            rank = rank + self._by_name(position, begin, end, tied, docs)
        return begin - start + 1, end - start, rank

    def _by_name(
        self, position: Ints, begin: Ints, end: Ints, tied: Bools, docs: pl.Series
    ) -> Ints:
        """How many documents of the same value have a larger id: those of tied groups only."""
        import polars as pl

        first, index = np.unique(begin[tied], return_index=True)
        sizes = end[tied][index] - first
        members = spans(first, sizes)
        group = np.repeat(np.arange(len(first)), sizes)
        names = pl.DataFrame({"group": group, "doc": docs.gather(self.row[members])})
        by_name = names.select(pl.arg_sort_by("group", "doc", descending=[False, True]))
        place = np.zeros(len(self.value), dtype=np.int64)
        place[members[by_name.to_series().to_numpy()]] = spans(np.zeros_like(sizes), sizes)
        return np.where(tied, place[position], 0)

    def contradicted(self, table: pl.DataFrame) -> list[int]:
        """The topics in which a better rank goes with a lower score."""
        if "rank" not in table.columns or table["rank"].null_count():
            return []
        rank = table["rank"].to_numpy()[self.row]
        inside = np.ones(len(rank), dtype=bool)
        inside[self.starts] = False
        falls = inside.copy()
        falls[1:] &= (rank[1:] < rank[:-1]) & ~self.same[1:]
        return sorted(set(self.segment[self.row[falls]].tolist()))
