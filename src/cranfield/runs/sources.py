"""Several runs topic by topic, in bounded memory.

The lines of all runs are grouped by topic, on disk if there are many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np

from cranfield.arrays import Ints
from cranfield.data.reading.grouping import group_topics
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from cranfield.data.run import Part, Run, TableRun, has_rank_conflict, make_no_topic_error, sort_rows
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.runs.overlap import Ties, find_ties
from cranfield.scores import Note, note_topics
from cranfield.wording import describe_disagreement


@dataclass(eq=False)
class RunSource:
    """A run, and facts for notes, collected while it is read."""

    run: Run
    topics: dict[str, None] = field(default_factory=dict)
    tied: list[str] = field(default_factory=list)
    contradicted: list[str] = field(default_factory=list)

    def iterate_parts(self, number: int) -> Iterator[Part]:
        """Yield parts of the run. Their `strata` are its number."""
        run = self.run
        if not isinstance(run, TableRun):
            yield partial(_mark_run, _to_table(run), number)
            return
        with run.wrap_errors():
            for part in run.parts():
                yield partial(_read_part, run, part, number)

    def select(self, table: Table, number: int) -> tuple[Ints, Table]:
        """Return the topic number and the line of each result of this run, best first."""
        mask = np.asarray(table.strata == number)
        groups = np.unique(table.group[mask])
        part = replace(table.select_lines(mask), strata=None)
        if isinstance(self.run, TableRun):
            with self.run.wrap_errors():
                part = self.run.merge_table(part)
        if not self.run.keeps_order:
            part = part.reorder(sort_rows(part, self.run.stable))
            self._collect_facts(part)
        self.topics.update(dict.fromkeys(part.names))
        return groups[part.group], part

    def _collect_facts(self, part: Table) -> None:
        same = (np.diff(part.values) == 0) & (np.diff(part.group) == 0)
        self.tied += [part.names[i] for i in np.unique(part.group[1:][same])]
        if part.ranks is not None and not self.run.by_rank:
            groups = zip(part.names, part.iter_bounds(), strict=True)
            self.contradicted += [name for name, (a, b) in groups if has_rank_conflict(part, np.arange(a, b))]

    def describe(self, topics: Sequence[str], missing_text: str, has_ties: bool) -> Iterator[Note]:
        """Yield the notes about these topics. `has_ties` adds a note about ties, if the order matters."""
        run, selected = self.run, {*topics}
        missing = [topic for topic in topics if topic not in self.topics]
        yield from note_topics("missing-topics", missing, f"missing, {missing_text}", run.name)
        for kind, text in () if run.merging is None else run.merging.describe_merges():
            yield Note(kind, f"{run.name}: {text}", run.name)
        contradicted = [x for x in self.contradicted or run.disagreement.topics if x in selected]
        tied = [x for x in self.tied if x in selected]
        if contradicted:
            yield Note("rank-order", f"{run.name}: {describe_disagreement(contradicted)}", run.name, (*contradicted,))
        if tied and has_ties:
            order = "in input order" if run.stable else "ordered by document id"
            yield from note_topics("ties", tied, f"with equal scores, {order}", run.name)


def _read_part(run: TableRun, part: Part, number: int) -> Table:
    with run.wrap_errors():
        return _mark_run(part(), number)


def _to_table(run: Run) -> Table:
    """Return a run in memory as a table."""
    rankings = run.to_dict()
    pairs = [(topic, doc, score) for topic, docs in rankings.items() for doc, score in docs.items()]
    topics, docs, scores = zip(*pairs, strict=True) if pairs else ((), (), ())
    return Table.from_columns(Strings.from_list(docs), np.array(scores, dtype=float), Strings.from_list(topics))


def _mark_run(table: Table, number: int) -> Table:
    """Return the columns to rank documents by, with the number of the run as `strata`."""
    ranks = np.full(len(table), np.nan) if table.ranks is None else table.ranks
    strata = np.full(len(table), float(number))
    return Table(table.topics, table.starts, table.docs, table.hashes, table.values, ranks=ranks, strata=strata)


def iterate_grouped(sources: Sequence[RunSource]) -> Iterator[Table]:
    """Yield tables of whole topics with the lines of all runs: see `RunSource.select`."""
    parts = chain.from_iterable(source.iterate_parts(number) for number, source in enumerate(sources))
    with group_topics(parts) as groups:
        for group in groups:
            yield group()
    for source in sources:
        if not source.topics:
            raise InputError.from_problem("no results in run", "", source.run.where)


@dataclass(frozen=True, eq=False)
class RunBlock:
    """The rankings of a run in a block of topics. `topic` is the topic number of each line."""

    table: Table
    topic: Ints
    ties: Ties
    bounds: Ints  # first line of each topic, and the number of lines

    @classmethod
    def read(cls, source: RunSource, table: Table, number: int) -> RunBlock:
        """Read the rankings of a run from a table with the lines of all runs."""
        topic, part = source.select(table, number)
        bounds = np.searchsorted(topic, np.arange(len(table.names) + 1))
        return cls(part, topic, find_ties(part.values, topic, source.run.keeps_order), bounds)

    @property
    def place(self) -> Ints:
        """The place of each line in its ranking, from 0."""
        return np.asarray(np.arange(len(self.topic)) - self.bounds[self.topic])

    @cached_property
    def lengths(self) -> Ints:
        """The number of documents of each topic."""
        return np.diff(self.bounds)

    def find_lines(self, docs: Strings, topic: Ints) -> Ints:
        """Return the line of each document of a topic, −1 if absent."""
        group = np.full(len(self.lengths), -1, dtype=np.int64)
        group[self.topic] = self.table.group
        return self.table.find(docs, docs.compute_hashes(), group[topic])

    def get_ranks(self, lines: Ints, topic: Ints) -> Ints:
        """Return the ranks of lines. An absent document (−1) has the rank length + 1."""
        return np.where(lines < 0, self.lengths[topic], lines - self.bounds[topic]) + 1


def iterate_blocks(sources: Sequence[RunSource]) -> Iterator[tuple[list[str], list[RunBlock]]]:
    """Yield some topics, and the rankings of each run."""
    for table in iterate_grouped(sources):
        yield table.names, [RunBlock.read(source, table, i) for i, source in enumerate(sources)]


def check_common_topics(first: RunSource, second: RunSource) -> None:
    """Raise an error if two runs, which were read, have no common topic."""
    if first.topics.keys().isdisjoint(second.topics):
        raise make_no_topic_error([*second.topics], [*first.topics], f"topics of {first.run.name}", second.run.name)
