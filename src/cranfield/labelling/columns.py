"""Labelling tables: read in parts, on all cores, with memory for a few parts only.

A part is cut into the topics it holds. Topics that are whole are labelled at once; the first and
the last may go on in the neighbouring parts and wait for them. If a topic turns up again later,
the lines are not grouped by topic: then they are grouped first, on disk if they are many.

Documents are compared as 64-bit hashes, and exactly where hashes agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, fields, replace
from typing import TypeAlias

import numpy as np

from cranfield import kernel
from cranfield.arrays import Bools, Floats, Ints, Words
from cranfield.data.reading.parts import in_order
from cranfield.data.reading.strings import Strings, spans
from cranfield.data.reading.table import Irregular, Noted, PartRead, Table, in_group
from cranfield.data.run import Part, TableRun
from cranfield.data.values import Watch
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import Placed, RunLabels, Sampled
from cranfield.labelling.gold import GoldStandard


class _Scattered(Exception):
    """The lines of a topic are not adjacent."""


@dataclass
class _Labelled(Placed):
    """What is known of some whole topics of a run."""

    names: list[str] = field(default_factory=list)  # all topics, judged or not
    sample: list[Sampled] = field(default_factory=list)  # see `RunLabels`
    contradicted: list[str] = field(default_factory=list)

    def add(self, other: _Labelled) -> None:
        for column in fields(self):
            getattr(self, column.name).extend(getattr(other, column.name))


def label_columns(
    gold: GoldStandard,
    run: TableRun,
    exclude_self: bool = False,
    threads: int = 2,
    progress: Callable[[PartRead], None] | None = None,
    noted: Sequence[Noted] = (),
    watch: Watch | None = None,
) -> RunLabels:
    """Where a run in a table placed the judged documents, with what is to be noted of all."""

    def label(table: Table) -> _Labelled:
        if watch is not None:
            watch.note(table)
        labelled = _label(gold, run, table, exclude_self, noted)
        if run.merging is None:
            labelled.sample.append(_sampled(table))
        return labelled

    with run.refusing():
        try:
            found = _in_parts(run, label, threads, progress)
        except _Scattered:
            if watch is not None:
                watch.clear()
            with run.grouped(threads, progress) as parts:
                found = _Labelled()
                for labelled in in_order(parts, lambda part: label(part()), threads):
                    found.add(labelled)
    if not found.names:
        raise run.refusal("no results", "at least one")
    rankings = found.rankings(gold.judgments, noted)
    return RunLabels(rankings, tuple(found.names), tuple(found.contradicted), sample=found.sample)


SAMPLED_TOPICS, SAMPLED_DOCS = 20, 10  # of each part of a run, and of each of these topics


def _sampled(table: Table) -> Sampled:
    """Return the first documents of a few topics, without holding on to the text."""
    step = 1 + len(table.starts) // SAMPLED_TOPICS
    starts, sizes = table.starts[::step], np.minimum(table.sizes[::step], SAMPLED_DOCS)
    return table.names[::step], sizes, table.docs[spans(starts, sizes)].copy()


# -- parts ----------------------------------------------------------------------------------------

_Worked: TypeAlias = tuple[list[Table], _Labelled | None, PartRead]


def _in_parts(
    run: TableRun,
    label: Callable[[Table], _Labelled],
    threads: int,
    progress: Callable[[PartRead], None] | None,
) -> _Labelled:
    found, seen = _Labelled(), set[str]()
    waiting: list[Table] = []  # the lines so far of a topic that may go on

    def finish() -> None:
        if waiting:
            whole = Table.joined(waiting)
            one = replace(whole, topics=whole.topics[:1], starts=whole.starts[:1])
            keep(label(one))

    def keep(labelled: _Labelled) -> None:
        if not seen.isdisjoint(labelled.names) or len(set(labelled.names)) < len(labelled.names):
            raise _Scattered
        seen.update(labelled.names)
        found.add(labelled)

    def work(part: Part) -> _Worked:
        table = part()
        n, read = len(table.starts), run.read_of(table)
        if n < 3:
            return [table.groups(i, i + 1).compact() for i in range(n)], None, read
        middle = label(table.groups(1, n - 1))
        return [table.groups(0, 1).compact(), table.groups(n - 1, n).compact()], middle, read

    for edges, middle, read in in_order(run.parts(), work, threads):
        for position, edge in enumerate(edges):
            if waiting and waiting[0].names != edge.names:
                finish()
            waiting.append(edge)
            if position == 0 and middle is not None:
                finish()
                keep(middle)
        if progress is not None:
            progress(read)
    finish()
    return found


# -- whole topics ---------------------------------------------------------------------------------


def _label(
    gold: GoldStandard, run: TableRun, table: Table, exclude_self: bool, noted: Sequence[Noted]
) -> _Labelled:
    """Label topics that are whole and whose lines are adjacent."""
    plain = run.merging is None and not exclude_self and not noted and len(table)
    if (compiled := kernel.KERNEL) is not None and plain:
        return _compiled(compiled, gold, run, table)
    table = run.merged(table)
    names = table.names
    if exclude_self:
        table = table.where(~table.docs.same(Strings.of(names)[table.group]))
    length = dict(zip(table.names, table.sizes.tolist(), strict=True))
    index = gold.topic_index
    known = [name for name in names if name in index]
    found = _Labelled(names=names)
    tied = _place(gold, run, table, noted, found) if len(table) else {}
    lists = [(index[name], length.get(name, 0), tied.get(name, 0)) for name in known]
    found.lists.append(tuple(np.array(lists, dtype=np.int64).reshape(-1, 3).T))
    return found


def _compiled(
    compiled: kernel.Kernel, gold: GoldStandard, run: TableRun, table: Table
) -> _Labelled:
    """The same in one loop, by the compiled part."""
    none, docs, judged = np.empty(0), table.docs, gold.table
    values = none if run.given else table.values
    ranks = none if table.ranks is None else table.ranks
    bounds = np.append(table.starts, len(table))
    topics = np.array([gold.topic_index.get(name, -1) for name in table.names], dtype=np.int64)
    tied, contradicted = np.zeros((2, len(topics)), dtype=np.int64)
    hits, twice = compiled.place_rows(
        docs.buffer,
        (docs.start, docs.length, table.hashes, values, ranks),
        (bounds, topics),
        judged.docs.buffer,
        (judged.docs.start, judged.docs.length, judged.hashes, gold.items, gold.qrels.offsets),
        (tied, contradicted),
        run.stable,
    )
    if twice >= 0:
        topic = table.names[int(np.searchsorted(bounds, twice, side="right")) - 1]
        found = f"document {docs[twice : twice + 1].tolist()[0]} of topic {topic} twice"
        raise Irregular(found, "each document once")
    known = topics >= 0
    return _Labelled(
        lists=[(topics[known], np.diff(bounds)[known], tied[known])],
        hits=[tuple(np.frombuffer(hits, dtype=np.int64).reshape(-1, 5).T)],
        names=table.names,
        contradicted=[table.names[i] for i in np.flatnonzero(contradicted).tolist()],
    )


def _place(
    gold: GoldStandard, run: TableRun, table: Table, noted: Sequence[Noted], found: _Labelled
) -> dict[str, int]:
    """Find the hits of some lines, and what is to be noted of all; how many are tied, by topic."""
    index, segment = gold.topic_index, table.group
    topics = np.array([index.get(name, -1) for name in table.names], dtype=np.int64)
    value = -np.arange(len(table), dtype=np.float64) if run.given else table.values
    order = Order(value, table.starts, segment, run.stable)
    rows, items = judged_rows(gold, table, topics, segment)
    first, last, ranks = order.places(rows, table.docs)
    topic = topics[segment[rows]]
    by_rank = np.lexsort((ranks, topic))
    hits = (topic, ranks, items, first, last)
    found.hits.append(tuple(column[by_rank] for column in hits))
    if noted:
        ranked = replace(table, values=value).reordered(order.from_the_top(table.docs))
        lines = ranked.where(topics[segment] >= 0)
        found.noted.append(tuple(known.rows(lines) for known in noted))
        found.scores.append(lines.values)
    if not run.given:
        contradicted = (table.names[s] for s in order.contradicted(table.ranks))
        found.contradicted += [name for name in contradicted if name in index]
    return dict(zip(table.names, order.tied().tolist(), strict=True))


def judged_rows(gold: GoldStandard, table: Table, topics: Ints, segment: Ints) -> tuple[Ints, Ints]:
    """The rows that hold judged documents, and the items they are."""
    offsets = gold.qrels.offsets
    present = topics[topics >= 0]
    judged = spans(offsets[present], offsets[present + 1] - offsets[present])
    if not len(judged):
        return judged, judged
    rows = _sifted(in_group(table.hashes, topics[segment]), gold.hashes[judged])
    found = gold.table.find(table.docs[rows], table.hashes[rows], topics[segment[rows]])
    known = found >= 0
    return rows[known], gold.items[found[known]]


def _sifted(keys: Words, sought: Words) -> Ints:
    """The places in `keys` that may hold a sought key.

    Most keys are nobody's: a table of the sought keys' last bits sifts them out.
    """
    bits = np.uint64((1 << max(14, (8 * len(sought)).bit_length())) - 1)
    wanted = np.zeros(int(bits) + 1, dtype=bool)
    wanted[sought & bits] = True
    return np.flatnonzero(wanted[keys & bits])


class Order:
    """The order of the lines of some topics by value, computed only as far as it is needed.

    Equal values are ordered by document id, or, if `stable`, as they come.
    """

    def __init__(self, value: Floats, starts: Ints, segment: Ints, stable: bool) -> None:
        self.starts, self.segment, self.stable = starts, segment, stable
        self.within = np.ones(len(value), dtype=bool)  # not the first of its topic
        self.within[starts] = False
        self.position = np.arange(len(value))  # where each row stands in the order
        self.row = self.position  # which row stands at each position
        if ((value[1:] > value[:-1]) & self.within[1:]).any():
            self.row = np.lexsort((-value, segment))
            self.position = np.empty_like(self.row)
            self.position[self.row] = np.arange(len(value))
        ordered = value[self.row]
        self.same = self.within.copy()  # the position holds the same value as the one before
        self.same[1:] &= ordered[1:] == ordered[:-1]

    def tied(self) -> Ints:
        """Per topic, the documents whose value equals another's."""
        if not self.same.any():
            return np.zeros(len(self.starts), dtype=np.int64)
        either = self.same.copy()
        either[:-1] |= self.same[1:]
        return np.add.reduceat(either, self.starts, dtype=np.int64)

    def places(self, rows: Ints, docs: Strings) -> tuple[Ints, Ints, Ints]:
        """First and last rank a row's value allows, and the rank it has among its equals."""
        position = self.position[rows]
        start = self.starts[self.segment[rows]]
        if not self.same.any():
            ranks = position - start + 1
            return ranks, ranks, ranks
        group_starts = np.flatnonzero(~self.same)
        group = np.searchsorted(group_starts, position, side="right") - 1
        begin = group_starts[group]
        end = np.append(group_starts, len(self.same))[group + 1]
        rank = begin - start + 1
        tied = end - begin > 1
        if self.stable:
            rank = position - start + 1
        elif tied.any():
            rank = rank + self._by_name(position, begin, end, tied, docs)
        return begin - start + 1, end - start, rank

    def from_the_top(self, docs: Strings) -> Ints:
        """All rows, in the order of their ranks."""
        every = np.arange(len(docs))
        *_, rank = self.places(every, docs)
        ranked = np.empty_like(every)
        ranked[self.starts[self.segment] + rank - 1] = every
        return ranked

    def _by_name(self, position: Ints, begin: Ints, end: Ints, tied: Bools, docs: Strings) -> Ints:
        """How many documents of the same value have a larger id: those of tied groups only."""
        first, index = np.unique(begin[tied], return_index=True)
        sizes = end[tied][index] - first
        members = spans(first, sizes)
        group = np.repeat(np.arange(len(first)), sizes)
        keys = docs[self.row[members]].sort_keys()
        by_name = np.lexsort([*(~key for key in reversed(keys)), group])  # largest id first
        place = np.zeros(len(self.same), dtype=np.int64)
        place[members[by_name]] = spans(np.zeros_like(sizes), sizes)
        return np.where(tied, place[position], 0)

    def contradicted(self, ranks: Floats | None) -> list[int]:
        """The topics in which a better rank goes with a lower score."""
        if ranks is None:
            return []
        rank = ranks[self.row]
        falls = self.within.copy()
        falls[1:] &= rank[1:] < rank[:-1]
        found = []
        for topic in np.unique(self.segment[self.row[falls]]).tolist():
            start = self.starts[topic]
            stop = np.append(self.starts, len(rank))[topic + 1]
            worst = np.maximum.accumulate(rank[start:stop])
            # Equal scores may have any ranks: each is compared with those of higher scores.
            first = np.where(self.same[start:stop], 0, np.arange(stop - start))
            group = np.maximum.accumulate(first)
            above = np.append(-np.inf, worst)[group]
            if (rank[start:stop] < above).any():
                found.append(topic)
        return found
