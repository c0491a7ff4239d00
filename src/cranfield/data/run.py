"""`Run`: the rankings of one system, in memory or in a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, fields, replace
from functools import partial
from itertools import islice, pairwise
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.folding import explain_folded, match_folded
from cranfield.data.merging import Merging
from cranfield.data.reading.formats import Format
from cranfield.data.reading.lines import to_number
from cranfield.data.reading.mappings import has_only_strings
from cranfield.data.reading.records import DEFAULT_OPTIONS, ReadOptions
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, PartRead, Table, iter_whole_topics
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError

FLOATS = {float, np.float64}  # types whose values are doubles


class Disagreement(NamedTuple):
    """Topics in which ranks, or positions in a list, contradict the scores."""

    topics: tuple[str, ...] = ()
    rising: tuple[str, ...] = ()  # three or more documents, rising scores
    long: int = 0  # number of topics with three or more documents

    @property
    def rise(self) -> bool:
        """True if scores rise with rank in most topics with three or more documents."""
        return 2 * len(self.rising) > self.long


NO_DISAGREEMENT = Disagreement()


def compare_ranks(rankings: Iterable[tuple[str, Sequence[tuple[float, float]]]]) -> Disagreement:
    """Compare the (rank, score) pairs of each topic.

    >>> compare_ranks([("q1", [(1, 0.1), (2, 0.2), (3, 0.2)]), ("q2", [(1, 0.5), (2, 0.4)])])
    Disagreement(topics=('q1',), rising=('q1',), long=1)
    """
    topics, rising, long = [], [], 0
    for topic, pairs in rankings:
        long += len(pairs) > 2
        scores = [score for _, score in sorted(pairs, key=lambda pair: (pair[0], -pair[1]))]
        if all(upper >= lower for upper, lower in pairwise(scores)):
            continue
        topics.append(topic)
        if len(scores) > 2 and all(upper <= lower for upper, lower in pairwise(scores)):
            rising.append(topic)
    return Disagreement(tuple(topics), tuple(rising), long)


Part: TypeAlias = Callable[[], Table]


class Top(NamedTuple):
    """First documents of a ranking."""

    docs: list[str]
    tied: bool  # True if a tie decides which documents these are
    contradicted: bool = False  # True if ranks contradict the scores, which decide


@dataclass(frozen=True, eq=False)
class Run(ABC):
    """Rankings of one system: a mapping (`ListRun`) or parts of a table (`TableRun`).

    Documents are ordered by value, larger first. Ties are ordered by document id, larger first
    (trec_eval's rule), or with `stable` by input order. With `keeps_order`, the order is the input
    order.

    >>> import cranfield as cf
    >>> cf.read_run({"q1": {"d1": 0.5, "d2": 0.9}}, name="bm25")
    Run 'bm25'
    """

    name: str
    _: KW_ONLY
    keeps_order: bool = False
    where: str = "run"
    source: Source | None = None
    stable: bool = False
    in_doubt: str = ""  # note about columns that could have another meaning
    by_rank: bool = False  # True if values are ranks
    merging: Merging | None = None  # options for merging lines, and counts
    declared: bool = False  # True if read as a run by the user, so not judgments
    disagreement: Disagreement = NO_DISAGREEMENT  # of rankings in memory

    def __repr__(self) -> str:
        return f"Run {self.name!r}"

    @abstractmethod
    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{topic: {doc: value}}`` with the values that documents are ordered by."""

    @abstractmethod
    def get_scores(self, topic: str) -> dict[str, float]:
        """Return ``{doc: value}`` of one topic, empty if the topic is missing."""

    @abstractmethod
    def find_tops(self, depth: int | None) -> dict[str, Top]:
        """Return the first `depth` documents of each ranking.

        >>> import cranfield as cf
        >>> cf.read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).find_tops(2)
        {'q1': Top(docs=['d2', 'd3'], tied=True, contradicted=False)}
        """

    @abstractmethod
    def rename_topics(self, name: Callable[[str], str]) -> Run:
        """Return the run with renamed topics."""

    @property
    def description(self) -> str:
        """Description of the system in the file: YAML of ir_metadata, or NTCIR's SYSDESC."""
        return "" if self.source is None else self.source.description

    def iterate_tables(self) -> Iterator[Table]:
        """Yield the parts of the table, none if the run is a mapping."""
        return iter(())

    def load(self, progress: Callable[[PartRead], None] | None = None) -> Run:
        """Return the run with all data in memory."""
        return self

    def split_by_tag(self) -> Sequence[Run]:
        """Return the runs in the file, split by run tag."""
        return [self]

    def has_any(self, docs: Sequence[str]) -> bool:
        """Return True if a topic has one of the documents.

        Also True if the run cannot be read again.
        """
        return True

    def find_disagreement(self) -> Disagreement:
        """Return the topics in which ranks, or positions, contradict the scores."""
        return NO_DISAGREEMENT if self.keeps_order or self.by_rank else self.disagreement

    def rank_topic(self, topic: str) -> list[str]:
        """Return the ranked documents of a topic, empty if the topic is missing."""
        return rank_documents(self.get_scores(topic), self.keeps_order, self.stable)

    def rankings(self, depth: int | None = None) -> dict[str, list[str]]:
        """Return ``{topic: [doc, …]}`` with the first `depth` documents per ranking.

        >>> import cranfield as cf
        >>> cf.read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).rankings(2)
        {'q1': ['d2', 'd3']}
        """
        return {topic: top.docs for topic, top in self.find_tops(depth).items()}


@dataclass(frozen=True, eq=False, repr=False)
class ListRun(Run):
    """Run in memory: ``{topic: {doc: value}}``."""

    lists: Mapping[str, Mapping[str, float]]

    def to_dict(self) -> dict[str, dict[str, float]]:
        return {topic: dict(self.to_doubles(topic, docs)) for topic, docs in self.lists.items()}

    def get_scores(self, topic: str) -> dict[str, float]:
        return dict(self.to_doubles(topic, self.lists.get(topic, {})))

    def find_tops(self, depth: int | None) -> dict[str, Top]:
        return {topic: self._find_top(topic, docs, depth) for topic, docs in self.lists.items()}

    def _find_top(self, topic: str, docs: Mapping[str, float], depth: int | None) -> Top:
        docs = self.to_doubles(topic, docs)
        ranked = rank_documents(docs, self.keeps_order, self.stable)
        tied = not self.keeps_order and _has_tie_at_depth([docs[d] for d in ranked], depth)
        return Top(ranked[:depth], tied, topic in self.find_disagreement().topics)

    def has_any(self, docs: Sequence[str]) -> bool:
        return any(doc in ranking for ranking in self.lists.values() for doc in docs)

    def to_doubles(self, topic: str, docs: Mapping[str, Any]) -> Mapping[str, float]:
        """Return a ranking with scores as doubles.

        Raise an error if a score is not a finite number, or a document not a string.
        """
        if not has_only_strings(docs):
            raise self.make_doc_error(topic, docs)
        scores = docs.values()
        if FLOATS.issuperset(map(type, scores)):  # the sum is faster, but may overflow
            doubles, odd = docs, not (isfinite(sum(scores)) or all(map(isfinite, scores)))
        else:
            doubles = {doc: to_number(score) for doc, score in docs.items()}
            odd = None in doubles.values()
        if odd:
            raise self.make_score_error(topic, docs)
        return doubles

    def merge_chunks(self, merging: Merging, repeated: Mapping[str, int]) -> ListRun:
        """Return the run with merged lines. `repeated` has the number of dropped lines."""
        lists = {}
        for topic, docs in self.lists.items():
            doubles = self.to_doubles(topic, docs)
            lists[topic] = merging.merge_ranking(topic, doubles, repeated.get(topic, 0))
        return replace(self, lists=lists, merging=merging)

    def make_score_error(self, topic: str, docs: Mapping[str, float]) -> InputError:
        """Return the error for the first score of a ranking that is not a number."""
        doc, score = next((d, s) for d, s in docs.items() if to_number(s) is None)
        problem = f"score {score!r} for document {doc} of topic {topic}"
        return InputError(problem, "a finite number", self.where)

    def make_doc_error(self, topic: str, docs: Mapping[Any, float]) -> InputError:
        """Return the error for the first document of a ranking that is not a string."""
        doc = next(doc for doc in docs if not isinstance(doc, str))
        return InputError(f"document {doc!r} of topic {topic}", "a string", self.where)

    def rename_topics(self, name: Callable[[str], str]) -> ListRun:
        return replace(self, lists={name(topic): docs for topic, docs in self.lists.items()})


FILE_FIELDS = ("parts", "format", "text", "load_runs", "source")  # fields that are not pickled


@dataclass(frozen=True, eq=False, repr=False)
class TableRun(Run):
    """Run in parts: tables that are read when they are used."""

    parts: Callable[[], Iterator[Part]]
    format: Format | None = None  # of the file, if errors have lines
    text: ReadOptions = DEFAULT_OPTIONS
    load_runs: Callable[[], Sequence[Run]] | None = None  # returns the runs of a file with several tags

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the data instead of the path: another process may not have the file."""
        state = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in FILE_FIELDS}
        return _restore, (state, [table.copy() for table in self.iterate_tables()])

    def split_by_tag(self) -> Sequence[Run]:
        if self.load_runs is None:
            return [self]
        return [replace(run, merging=self.merging and self.merging.copy_without_counts()) for run in self.load_runs()]

    def iterate_tables(self) -> Iterator[Table]:
        """Yield the parts. Raise the error of the file if one is irregular."""
        with self.wrap_errors():
            yield from (part() for part in self.parts())

    def to_dict(self) -> dict[str, dict[str, float]]:
        rankings: dict[str, dict[str, float]] = {}
        for name, docs, values in self._iterate_rankings():
            ranking = rankings.setdefault(name, {})
            expected = len(ranking) + len(docs)
            ranking.update(zip(docs.tolist(), values.tolist(), strict=True))
            if len(ranking) < expected:
                raise self.make_error(f"duplicate document in topic {name}", "")
        return rankings

    def _iterate_rankings(self) -> Iterator[tuple[str, Strings, Floats]]:
        """Yield a topic, some of its documents and their values."""
        tables = self.iterate_tables() if self.merging is None else self._iterate_merged()
        for table in tables:
            for name, (a, b) in zip(table.names, table.iter_bounds(), strict=True):
                yield name, table.docs[a:b], table.values[a:b]

    def _iterate_merged(self) -> Iterator[Table]:
        """Yield whole topics without duplicate documents."""
        with self.group_by_topic() as parts:
            yield from (self.merge_table(part()) for part in parts)

    def get_scores(self, topic: str) -> dict[str, float]:
        scores: dict[str, float] = {}
        for name, docs, values in self._iterate_rankings():
            if name == topic:
                scores.update(zip(docs.tolist(), values.tolist(), strict=True))
        return scores

    def find_tops(self, depth: int | None) -> dict[str, Top]:
        with self.wrap_errors():
            return self._find_all_tops(depth)

    def _find_all_tops(self, depth: int | None) -> dict[str, Top]:
        tops: dict[str, Top] = {}
        for table in iter_whole_topics(self.iterate_tables()):
            if not tops.keys().isdisjoint(table.names):  # lines of a topic are scattered
                with self.group_by_topic() as parts:
                    return {t: top for p in parts for t, top in self._find_table_tops(p(), depth).items()}
            tops |= self._find_table_tops(table, depth)
        if not tops:
            raise self.make_error("no results in run", "")
        return tops

    def rename_topics(self, name: Callable[[str], str]) -> TableRun:
        return self.change_parts(lambda table: replace(table, topics=Strings.from_list([name(t) for t in table.names])))

    def change_parts(self, change: Callable[[Table], Table]) -> TableRun:
        """Return the run with a function applied to each part when it is read."""
        return replace(self, parts=lambda: (partial(_apply_change, change, part) for part in self.parts()))

    def load(self, progress: Callable[[PartRead], None] | None = None) -> TableRun:
        tables = []
        for table in self.iterate_tables():
            tables.append(table.copy())
            if progress is not None:
                progress(self.make_progress(table))
        return replace(self, parts=lambda: iter([lambda table=table: table for table in tables]))

    def has_any(self, docs: Sequence[str]) -> bool:
        hashes, has_tables = Strings.from_list(list(docs)).compute_hashes(), False
        for table in self.iterate_tables():
            has_tables = True
            if np.isin(table.hashes, hashes).any():
                return True
        return not has_tables

    def find_disagreement(self) -> Disagreement:
        """Read the run again. Called only if ranks contradict scores."""
        if self.keeps_order or self.by_rank:
            return NO_DISAGREEMENT
        return compare_ranks(self._iterate_ranks())

    def _iterate_ranks(self) -> Iterator[tuple[str, Sequence[tuple[float, float]]]]:
        """Yield the rank and score of each document, topic by topic."""
        with self.group_by_topic() as parts:
            for table in (part() for part in parts):
                ranks = table.ranks
                for name, (a, b) in zip(table.names, table.iter_bounds(), strict=True):
                    if ranks is not None:
                        yield (
                            name,
                            list(zip(ranks[a:b].tolist(), table.values[a:b].tolist(), strict=True)),
                        )

    def make_progress(self, table: Table) -> PartRead:
        return PartRead(self.name, len(table), table.bytes_read)

    def gather(self) -> Table:
        """Return the run as one table, grouped by topic in stable order."""
        return Table.concatenate([table.copy() for table in self.iterate_tables()]).group_by_topic()

    @contextmanager
    def group_by_topic(
        self, threads: int = 1, progress: Callable[[PartRead], None] | None = None
    ) -> Iterator[Iterator[Part]]:
        """Split the run into parts of whole topics, even if their lines are scattered."""
        from cranfield.data.reading.grouping import group_topics

        report = None if progress is None else lambda table: progress(self.make_progress(table))
        with self.wrap_errors(), group_topics(self.parts(), threads, report) as parts:
            yield parts

    def merge_table(self, table: Table) -> Table:
        """Return a table of whole topics with merged lines.

        Raise Irregular for duplicates.
        """
        merging = self.merging
        if (merging is None or merging.duplicates == "error") and (twice := table.find_duplicate()):
            raise Irregular(f"duplicate document {twice[1]!r} in topic {twice[0]}", "")
        return table if merging is None else merging.merge_table(table)

    def _find_table_tops(self, table: Table, depth: int | None) -> dict[str, Top]:
        """Return the first documents of each ranking of a table of whole topics."""
        table = self.merge_table(table)
        order = np.arange(len(table)) if self.keeps_order else sort_rows(table, self.stable)
        lists = [order[a:b] for a, b in table.iter_bounds()]
        docs = iter(table.docs[np.concatenate([order[:0], *(rows[:depth] for rows in lists)])])
        return {
            name: Top(
                list(islice(docs, len(rows[:depth]))),
                not self.keeps_order and _has_tie_at_depth(table.values[rows], depth),
                not self.keeps_order and has_rank_conflict(table, rows),
            )
            for name, rows in zip(table.names, lists, strict=True)
        }

    @contextmanager
    def wrap_errors(self) -> Iterator[None]:
        """Convert Irregular to the error of the run."""
        try:
            yield
        except Irregular as error:
            problem, expected = error.args or ("lines out of order", "results")
            raise self.make_error(problem, expected) from None

    def make_error(self, problem: str, expected: str) -> CranfieldError:
        """Return the error of the run, with its line if the file has lines."""
        if self.source is None or self.format is None:
            return InputError(problem, expected, self.where)
        return self.format.get_error(self.source, "run", self.text)


def _apply_change(change: Callable[[Table], Table], part: Part) -> Table:
    return change(part())


def _has_tie_at_depth(values: Sequence[float] | Floats, depth: int | None) -> bool:
    """Return True if the values before and after a depth are equal."""
    return depth is not None and len(values) > depth and bool(values[depth - 1] == values[depth])


def has_rank_conflict(table: Table, rows: Ints) -> bool:
    """Return True if a better rank has a lower score. `rows` have falling scores."""
    if table.ranks is None or not (np.diff(table.ranks[rows]) < 0).any():
        return False
    by_rank = rows[np.lexsort((table.ranks[rows], -table.values[rows]))]  # equal scores may have any rank order
    return bool((np.diff(table.ranks[by_rank]) < 0).any())


def rank_documents(docs: Mapping[str, float], keeps_order: bool, stable: bool) -> list[str]:
    """Order documents by value, then by id, both descending, or in input order."""
    if keeps_order:
        return list(docs)
    equals = docs if stable else sorted(docs, reverse=True)
    return sorted(equals, key=docs.__getitem__, reverse=True)


def sort_rows(table: Table, stable: bool) -> Ints:
    """Return the rows of a table in this order, group by group."""
    within = np.diff(table.group) == 0
    if not (within & (np.diff(table.values) >= 0)).any():
        return np.arange(len(table))
    by_name = () if stable else (~key for key in reversed(table.docs.compute_sort_keys()))
    return np.lexsort([*by_name, -table.values, table.group])


def make_no_judged_topic_error(
    topics: Sequence[str], judged: Sequence[str], qrels: str, run: Run | None = None
) -> InputError:
    """Return the error for a run without any judged topic.

    >>> import cranfield as cf
    >>> run = cf.read_run({"7": ["a"]})
    >>> make_no_judged_topic_error(["7"], ["101", "102", "103"], "qrels.txt", run)
    InputError('run: found topics 7, expected some of 101, 102, … (judged in qrels.txt)')
    """
    location = run_name = None
    if run is not None:
        location = run.name if run.where == "run" else run.where
        run_name = None if run.name == location else run.name
    return make_no_topic_error(topics, judged, "" if qrels == "qrels" else f"judged in {qrels}", location, run_name)


def make_no_topic_error(
    topics: Sequence[str],
    expected_topics: Sequence[str],
    hint: str,
    location: str | None = None,
    run: str | None = None,
) -> InputError:
    """Return the error for a run without any expected topic."""
    problem = f"topics {_format_first(topics)}" + ("" if run is None else f" of run {run}")
    hint = "; ".join(filter(None, (hint, explain_folded(match_folded(topics, expected_topics)))))
    return InputError(problem, f"some of {_format_first(expected_topics)}", location, hint=hint)


def _format_first(names: Sequence[str]) -> str:
    return ", ".join([*names[:2], *["…"] * (len(names) > 2)]) or "(none)"


def _restore(state: Mapping[str, Any], tables: Sequence[Table]) -> TableRun:
    """Return the unpickled run."""
    return TableRun(**state, parts=lambda: iter([lambda table=table: table for table in tables]))
