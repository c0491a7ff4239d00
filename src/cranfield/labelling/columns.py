"""Label runs in tables, read in parts by several threads.

Each part is split into topics. Complete topics are labelled immediately. The first and the last
topic of a part may continue in the neighbouring parts and wait for them. If a topic occurs again
later, the lines are not grouped by topic. They are then grouped first, on disk for large runs.

Documents are compared as 64-bit hashes, then exactly if the hashes are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, fields, replace
from typing import TypeAlias

import numpy as np

from cranfield import kernel
from cranfield.arrays import Bools, Floats, Ints, Words
from cranfield.data.parallel import map_in_order
from cranfield.data.reading.strings import Strings, expand_spans
from cranfield.data.reading.table import DocumentValues, Irregular, PartRead, Table, hash_in_groups
from cranfield.data.run import Part, TableRun
from cranfield.data.values import ValueRecorder
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import RankingBuilder, RunLabels, Sampled
from cranfield.labelling.gold import GoldStandard


class _UngroupedTopicError(Exception):
    """The lines of a topic are not adjacent."""


@dataclass
class _LabelledPart(RankingBuilder):
    """The labels of some complete topics of a run."""

    names: list[str] = field(default_factory=list)  # all topics, judged or not
    sample: list[Sampled] = field(default_factory=list)  # see `RunLabels`
    contradicted: list[str] = field(default_factory=list)

    def add(self, part: _LabelledPart) -> None:
        for column in fields(self):
            getattr(self, column.name).extend(getattr(part, column.name))


def label_columns(
    gold: GoldStandard,
    run: TableRun,
    exclude_self: bool = False,
    threads: int = 2,
    progress: Callable[[PartRead], None] | None = None,
    sources: Sequence[DocumentValues] = (),
    watch: ValueRecorder | None = None,
) -> RunLabels:
    """Label a run in a table."""

    def label(table: Table) -> _LabelledPart:
        if watch is not None:
            watch.note(table)
        labelled = _label(gold, run, table, exclude_self, sources)
        if run.merging is None:
            labelled.sample.append(_sample_documents(table))
        return labelled

    with run.wrap_errors():
        try:
            labelled_topics = _label_parts(run, label, threads, progress)
        except _UngroupedTopicError:
            if watch is not None:
                watch.clear()
            with run.group_by_topic(threads, progress) as parts:
                labelled_topics = _LabelledPart()
                for labelled in map_in_order(parts, lambda part: label(part()), threads):
                    labelled_topics.add(labelled)
    if not labelled_topics.names:
        raise run.make_error("no results", "at least one")
    rankings = labelled_topics.build_rankings(gold.judgments, sources)
    return RunLabels(
        rankings, tuple(labelled_topics.names), tuple(labelled_topics.contradicted), sample=labelled_topics.sample
    )


SAMPLED_TOPICS, SAMPLED_DOCS = 20, 10  # topics per part, documents per topic


def _sample_documents(table: Table) -> Sampled:
    """Return copies of the first documents of a few topics."""
    step = 1 + len(table.starts) // SAMPLED_TOPICS
    starts, sizes = table.starts[::step], np.minimum(table.sizes[::step], SAMPLED_DOCS)
    return table.names[::step], sizes, table.docs[expand_spans(starts, sizes)].copy()


# -- parts ----------------------------------------------------------------------------------------

_Worked: TypeAlias = tuple[list[Table], _LabelledPart | None, PartRead]


def _label_parts(
    run: TableRun, label: Callable[[Table], _LabelledPart], threads: int, progress: Callable[[PartRead], None] | None
) -> _LabelledPart:
    labelled_topics, names_seen = _LabelledPart(), set[str]()
    waiting: list[Table] = []  # lines of a topic that may continue in the next part

    def finish() -> None:
        if waiting:
            table = Table.concatenate(waiting)
            last_topic = replace(table, topics=table.topics[:1], starts=table.starts[:1])
            keep(label(last_topic))

    def keep(labelled: _LabelledPart) -> None:
        if not names_seen.isdisjoint(labelled.names) or len(set(labelled.names)) < len(labelled.names):
            raise _UngroupedTopicError
        names_seen.update(labelled.names)
        labelled_topics.add(labelled)

    def label_part(part: Part) -> _Worked:
        table = part()
        n, read = len(table.starts), run.make_progress(table)
        if n < 3:
            return [table.slice_groups(i, i + 1).copy() for i in range(n)], None, read
        middle = label(table.slice_groups(1, n - 1))
        return [table.slice_groups(0, 1).copy(), table.slice_groups(n - 1, n).copy()], middle, read

    for edges, middle, read in map_in_order(run.parts(), label_part, threads):
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
    return labelled_topics


# -- whole topics ---------------------------------------------------------------------------------


def _label(
    gold: GoldStandard, run: TableRun, table: Table, exclude_self: bool, sources: Sequence[DocumentValues]
) -> _LabelledPart:
    """Label complete topics with adjacent lines."""
    is_plain = run.merging is None and not exclude_self and not sources and len(table)
    if (compiled := kernel.KERNEL) is not None and is_plain:
        return _label_compiled(compiled, gold, run, table)
    table = run.merge_table(table)
    names = table.names
    if exclude_self:
        table = table.select_lines(~table.docs.compare(Strings.from_list(names)[table.group]))
    length = dict(zip(table.names, table.sizes.tolist(), strict=True))
    index = gold.topic_index
    judged_names = [name for name in names if name in index]
    labelled_part = _LabelledPart(names=names)
    tied = _match_documents(gold, run, table, sources, labelled_part) if len(table) else {}
    lists = [(index[name], length.get(name, 0), tied.get(name, 0)) for name in judged_names]
    labelled_part.lists.append(tuple(np.array(lists, dtype=np.int64).reshape(-1, 3).T))
    return labelled_part


def _label_compiled(compiled: kernel.Kernel, gold: GoldStandard, run: TableRun, table: Table) -> _LabelledPart:
    """Label complete topics with the compiled kernel."""
    no_values, docs, judged = np.empty(0), table.docs, gold.table
    values = no_values if run.keeps_order else table.values
    ranks = no_values if table.ranks is None else table.ranks
    bounds = np.append(table.starts, len(table))
    topics = np.array([gold.topic_index.get(name, -1) for name in table.names], dtype=np.int64)
    tied, contradicted = np.zeros((2, len(topics)), dtype=np.int64)
    hits, duplicate = compiled.place_rows(
        docs.buffer,
        (docs.start, docs.length, table.hashes, values, ranks),
        (bounds, topics),
        judged.docs.buffer,
        (judged.docs.start, judged.docs.length, judged.hashes, gold.items, gold.qrels.offsets),
        (tied, contradicted),
        run.stable,
    )
    if duplicate >= 0:
        topic = table.names[int(np.searchsorted(bounds, duplicate, side="right")) - 1]
        doc = docs[duplicate : duplicate + 1].tolist()[0]
        raise Irregular(f"duplicate document {doc!r} in topic {topic}", "")
    is_judged = topics >= 0
    return _LabelledPart(
        lists=[(topics[is_judged], np.diff(bounds)[is_judged], tied[is_judged])],
        hits=[tuple(np.frombuffer(hits, dtype=np.int64).reshape(-1, 5).T)],
        names=table.names,
        contradicted=[table.names[i] for i in np.flatnonzero(contradicted).tolist()],
    )


def _match_documents(
    gold: GoldStandard, run: TableRun, table: Table, sources: Sequence[DocumentValues], labelled_part: _LabelledPart
) -> dict[str, int]:
    """Add the hits and document values of some lines. Return the tied documents by topic."""
    index, segment = gold.topic_index, table.group
    topics = np.array([index.get(name, -1) for name in table.names], dtype=np.int64)
    value = -np.arange(len(table), dtype=np.float64) if run.keeps_order else table.values
    order = Order(value, table.starts, segment, run.stable)
    rows, items = find_judged_rows(gold, table, topics, segment)
    first, last, ranks = order.compute_ranks(rows, table.docs)
    topic = topics[segment[rows]]
    by_rank = np.lexsort((ranks, topic))
    hits = (topic, ranks, items, first, last)
    labelled_part.hits.append(tuple(column[by_rank] for column in hits))
    if sources:
        ranked = replace(table, values=value).reorder(order.sort_rows(table.docs))
        lines = ranked.select_lines(topics[segment] >= 0)
        labelled_part.document_rows.append(tuple(source.rows(lines) for source in sources))
        labelled_part.scores.append(lines.values)
    if not run.keeps_order:
        contradicted = (table.names[s] for s in order.find_contradicted(table.ranks))
        labelled_part.contradicted += [name for name in contradicted if name in index]
    return dict(zip(table.names, order.count_tied().tolist(), strict=True))


def find_judged_rows(gold: GoldStandard, table: Table, topics: Ints, segment: Ints) -> tuple[Ints, Ints]:
    """Return the rows with judged documents and their items."""
    offsets = gold.qrels.offsets
    present = topics[topics >= 0]
    judged = expand_spans(offsets[present], offsets[present + 1] - offsets[present])
    if not len(judged):
        return judged, judged
    rows = _filter_keys(hash_in_groups(table.hashes, topics[segment]), gold.hashes[judged])
    indices = gold.table.find(table.docs[rows], table.hashes[rows], topics[segment[rows]])
    is_judged = indices >= 0
    return rows[is_judged], gold.items[indices[is_judged]]


def _filter_keys(keys: Words, sought: Words) -> Ints:
    """Return the indices of keys that may be sought.

    Most keys are not sought. A table of the last bits of sought keys excludes them.
    """
    bits = np.uint64((1 << max(14, (8 * len(sought)).bit_length())) - 1)
    table = np.zeros(int(bits) + 1, dtype=bool)
    table[sought & bits] = True
    return np.flatnonzero(table[keys & bits])


class Order:
    """The order of the lines of some topics by value, computed only as far as needed.

    Equal values are ordered by document id. If `stable`, they stay in file order.
    """

    def __init__(self, value: Floats, starts: Ints, segment: Ints, stable: bool) -> None:
        self.starts, self.segment, self.stable = starts, segment, stable
        self.within = np.ones(len(value), dtype=bool)  # not the first of its topic
        self.within[starts] = False
        self.position = np.arange(len(value))  # position of each row
        self.row = self.position  # row at each position
        if ((value[1:] > value[:-1]) & self.within[1:]).any():
            self.row = np.lexsort((-value, segment))
            self.position = np.empty_like(self.row)
            self.position[self.row] = np.arange(len(value))
        ordered = value[self.row]
        self.equals_previous = self.within.copy()  # the position holds the same value as the one before
        self.equals_previous[1:] &= ordered[1:] == ordered[:-1]

    def count_tied(self) -> Ints:
        """Count the tied documents of each topic."""
        if not self.equals_previous.any():
            return np.zeros(len(self.starts), dtype=np.int64)
        is_tied = self.equals_previous.copy()
        is_tied[:-1] |= self.equals_previous[1:]
        return np.add.reduceat(is_tied, self.starts, dtype=np.int64)

    def compute_ranks(self, rows: Ints, docs: Strings) -> tuple[Ints, Ints, Ints]:
        """Return the first and last rank allowed by the value of each row, and its rank."""
        position = self.position[rows]
        start = self.starts[self.segment[rows]]
        if not self.equals_previous.any():
            ranks = position - start + 1
            return ranks, ranks, ranks
        group_starts = np.flatnonzero(~self.equals_previous)
        group = np.searchsorted(group_starts, position, side="right") - 1
        begin = group_starts[group]
        end = np.append(group_starts, len(self.equals_previous))[group + 1]
        rank = begin - start + 1
        tied = end - begin > 1
        if self.stable:
            rank = position - start + 1
        elif tied.any():
            rank = rank + self._count_larger_ids(position, begin, end, tied, docs)
        return begin - start + 1, end - start, rank

    def sort_rows(self, docs: Strings) -> Ints:
        """Return all rows in rank order."""
        rows = np.arange(len(docs))
        *_, rank = self.compute_ranks(rows, docs)
        ranked = np.empty_like(rows)
        ranked[self.starts[self.segment] + rank - 1] = rows
        return ranked

    def _count_larger_ids(self, position: Ints, begin: Ints, end: Ints, tied: Bools, docs: Strings) -> Ints:
        """Count the documents with the same value and a larger id."""
        first, index = np.unique(begin[tied], return_index=True)
        sizes = end[tied][index] - first
        members = expand_spans(first, sizes)
        group = np.repeat(np.arange(len(first)), sizes)
        keys = docs[self.row[members]].compute_sort_keys()
        by_name = np.lexsort([*(~key for key in reversed(keys)), group])  # largest id first
        place = np.zeros(len(self.equals_previous), dtype=np.int64)
        place[members[by_name]] = expand_spans(np.zeros_like(sizes), sizes)
        return np.where(tied, place[position], 0)

    def find_contradicted(self, ranks: Floats | None) -> list[int]:
        """Return the topics in which a better rank has a lower score."""
        if ranks is None:
            return []
        rank = ranks[self.row]
        falls = self.within.copy()
        falls[1:] &= rank[1:] < rank[:-1]
        topics = []
        for topic in np.unique(self.segment[self.row[falls]]).tolist():
            start = self.starts[topic]
            stop = np.append(self.starts, len(rank))[topic + 1]
            worst = np.maximum.accumulate(rank[start:stop])
            # Equal scores may have any rank order. Each rank is compared with higher scores only.
            first = np.where(self.equals_previous[start:stop], 0, np.arange(stop - start))
            group = np.maximum.accumulate(first)
            worst_above = np.append(-np.inf, worst)[group]
            if (rank[start:stop] < worst_above).any():
                topics.append(topic)
        return topics
