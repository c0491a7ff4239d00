"""`Run`: the ranked lists of one system, in memory or still in their file."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, fields, replace
from functools import partial
from itertools import count, islice, pairwise
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data import catalogues
from cranfield.data.folding import explain_folded, match_folded
from cranfield.data.merging import ChunkScore, ChunksLike, Duplicates, Merging, Order
from cranfield.data.qrels import Qrels, ValidRecords, collect_records
from cranfield.data.reading import letor
from cranfield.data.reading.adapters import has_rows, is_ranx, to_plain
from cranfield.data.reading.columns import TREC, ColumnsLike, read_columns
from cranfield.data.reading.formats import DetectedFormat, Format, detect_format, list_runs
from cranfield.data.reading.lines import check_not_empty, to_number
from cranfield.data.reading.mappings import Nested, has_only_strings, is_listed, is_plain, to_nested
from cranfield.data.reading.objects import (
    is_shaped,
    is_single_run,
    list_object_topics,
    read_object_records,
)
from cranfield.data.reading.records import DEFAULT_OPTIONS, ReadOptions, Record, check_records
from cranfield.data.reading.shapes import read_entries
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, PartRead, Table, iter_whole_topics
from cranfield.data.reading.tables import TidyFrame, is_frame, tidy_frame
from cranfield.data.systems import (
    RunNames,
    SeveralRuns,
    check_distinct_paths,
    check_tag_count,
    resolve_names,
)
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, check_choice
from cranfield.wording import format_option, suggest_keywords

RunLike: TypeAlias = Any  # a path, {topic: {doc: score}}, {topic: [doc, …]}, a frame, tuples,
# records, Run, or predictions for LETOR data: an array or a list of numbers
Ties: TypeAlias = Literal["trec", "rank", "given", "file"]
TIES: tuple[Ties, ...] = get_args(Ties)
RankBy: TypeAlias = Literal["score", "rank", "given"]  # what orders the documents of a ranking
Reading: TypeAlias = Literal["score", "trec", "rank", "given", "file"]  # both at once
BY_SCORE = ("score", "trec", "file")
PART = 1 << 16  # predictions that are labelled at a time
FLOATS = {float, np.float64}  # types whose values are doubles


def choose_order(ties: str | None, order: str | None = None) -> Reading | None:
    """Return the order in which a run is read: None if the run decides.

    ``rank`` and ``given`` as `ties` are older spellings of the same `order`. Other ways with ties,
    such as ``best``, are no matter of reading.

    >>> reading_order("file", "score"), reading_order("best", "rank"), reading_order("given")
    ('file', 'rank', 'given')
    """
    if order is not None:
        check_choice("order", order, RankBy)
    if (ties in ("rank", "given") and order not in (None, ties)) or (order, ties) == (
        "rank",
        "file",
    ):
        names = [
            format_option(f"--{n} {x}", f'{n}="{x}"') for n, x in (("order", order), ("ties", ties))
        ]
        fix = f"Use {format_option('--order', 'order=')} alone, or break ties of equal scores."
        raise InputError.from_problem(f"{' contradicts '.join(names)}", fix)
    if order == "score":
        return "trec" if ties == "trec" else "file" if ties == "file" else "score"
    orders: tuple[Reading, ...] = get_args(Reading)
    return next((reading for reading in orders if reading == (order or ties)), None)


def combine_order(ties: Ties | None, order: RankBy | None) -> Ties | None:
    """Return both options as one, for readers that know `ties` only."""
    reading = _check_order(ties, order)
    return "trec" if reading == "score" else reading


def make_missing_error(reading: Reading, location: str, line: int | None = None) -> InputError:
    """Return the error for a run without the scores or ranks that an option requires."""
    name = "ties" if reading in ("trec", "file") else "order"
    option_text = format_option(f"--{name} {reading}", f'{name}="{reading}"')
    columns = "scores" if reading in BY_SCORE else "ranks"
    return InputError.from_problem(
        f"no {columns}, which {option_text} requires", "", location, line
    )


class Disagreement(NamedTuple):
    """Topics in which ranks, or the positions in a list, contradict the scores."""

    topics: tuple[str, ...] = ()
    rising: tuple[str, ...] = ()  # of three or more documents, whose scores rise from top to bottom
    long: int = 0  # how many topics have three or more documents

    @property
    def rise(self) -> bool:
        """Return True if the scores of most topics of three or more documents rise."""
        return 2 * len(self.rising) > self.long


NO_DISAGREEMENT = Disagreement()


def compare_ranks(rankings: Iterable[tuple[str, Sequence[tuple[float, float]]]]) -> Disagreement:
    """Compare the (rank, score) pairs of each topic.

    >>> compare_ranks([("q1", [(1, 0.1), (2, 0.2), (3, 0.2)]), ("q2", [(1, 0.5), (2, 0.4)])])
    Disagreeing(topics=('q1',), rising=('q1',), long=1)
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
T = TypeVar("T")


class Top(NamedTuple):
    """The first documents of a list."""

    docs: list[str]
    tied: bool  # whether a tie decided which they are
    contradicted: bool = False  # whether ranks contradict the scores, which decided


@dataclass(frozen=True, eq=False)
class Run(ABC):
    """One system's lists: a mapping (`ListRun`), or parts of a table (`TableRun`).

    The value of a document is what it is ranked by, larger first; equal values are ordered by
    document id, larger first (trec_eval's rule); with `stable`, they stay in the order of the
    lists. With `keeps_order`, the order is that of the lists.

    >>> read_run({"q1": {"d1": 0.5, "d2": 0.9}}, name="bm25")
    Run 'bm25'
    """

    name: str
    _: KW_ONLY
    keeps_order: bool = False
    where: str = "run"
    source: Source | None = None
    stable: bool = False
    in_doubt: str = ""  # which columns were taken, where others could be meant
    by_rank: bool = False  # whether values are ranks
    merging: Merging | None = None  # how several lines become one document, and what was done
    declared: bool = False  # whether the user read it as a run: then it cannot be judgments
    disagreement: Disagreement = NO_DISAGREEMENT  # of lists in memory

    def __repr__(self) -> str:
        return f"Run {self.name!r}"

    @abstractmethod
    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: value}}``, the value being what documents are ranked by."""

    @abstractmethod
    def get_scores(self, topic: str) -> dict[str, float]:
        """``{doc: value}`` of one topic, empty if the run does not answer it."""

    @abstractmethod
    def find_tops(self, depth: int | None) -> dict[str, Top]:
        """Of each list the first `depth` documents, and what decided which they are.

        >>> read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).tops(2)
        {'q1': Top(docs=['d2', 'd3'], tied=True, contradicted=False)}
        """

    @abstractmethod
    def rename_topics(self, name: Callable[[str], str]) -> Run:
        """The run with other names of its topics."""

    @property
    def description(self) -> str:
        """What its file says of the system: the YAML of ir_metadata, or NTCIR's SYSDESC."""
        return "" if self.source is None else self.source.description

    def iterate_tables(self) -> Iterator[Table]:
        """The parts of a table one after the other, none of a run that is a mapping."""
        return iter(())

    def load(self, progress: Callable[[PartRead], None] | None = None) -> Run:
        """The run with all it has in memory."""
        return self

    def split_by_tag(self) -> Sequence[Run]:
        """The runs that it turns out to be, if it was read from a file that may hold several."""
        return [self]

    def has_any(self, docs: Sequence[str]) -> bool:
        """Return True if some topic has one of these documents, or nothing can be read again."""
        return True

    def find_disagreement(self) -> Disagreement:
        """Return the topics in which ranks, or positions, contradict the scores."""
        return NO_DISAGREEMENT if self.keeps_order or self.by_rank else self.disagreement

    def rank_topic(self, topic: str) -> list[str]:
        """The documents of one topic from the top down, none if the run does not answer it."""
        return rank_documents(self.get_scores(topic), self.keeps_order, self.stable)

    def rankings(self, depth: int | None = None) -> dict[str, list[str]]:
        """``{topic: [doc, …]}`` from the top down, of each list the first `depth` documents.

        >>> read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).rankings(2)
        {'q1': ['d2', 'd3']}
        """
        return {topic: top.docs for topic, top in self.find_tops(depth).items()}


@dataclass(frozen=True, eq=False, repr=False)
class ListRun(Run):
    """A run in memory: ``{topic: {doc: value}}``."""

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
        """Return a ranking whose scores are the doubles that are compared, whatever they were.

        Raise an error if a score is not a finite number, or a document not a string.
        """
        if not has_only_strings(docs):
            raise self.make_doc_error(topic, docs)
        scores = docs.values()
        if FLOATS.issuperset(map(type, scores)):  # the sum is quicker, but may overflow
            doubles, odd = docs, not (isfinite(sum(scores)) or all(map(isfinite, scores)))
        else:
            doubles = {doc: to_number(score) for doc, score in docs.items()}
            odd = None in doubles.values()
        if odd:
            raise self.make_score_error(topic, docs)
        return doubles

    def merge_chunks(self, merging: Merging, repeated: Mapping[str, int]) -> ListRun:
        """The run in which several lines have become one document; some repeated others."""
        lists = {}
        for topic, docs in self.lists.items():
            doubles = self.to_doubles(topic, docs)
            lists[topic] = merging.merge_ranking(topic, doubles, repeated.get(topic, 0))
        return replace(self, lists=lists, merging=merging)

    def make_score_error(self, topic: str, docs: Mapping[str, float]) -> InputError:
        """The error that names the score of a list that is no number."""
        doc, score = next((d, s) for d, s in docs.items() if to_number(s) is None)
        problem = f"score {score!r} for document {doc} of topic {topic}"
        return InputError(problem, "a finite number", self.where)

    def make_doc_error(self, topic: str, docs: Mapping[Any, float]) -> InputError:
        """The error that names a document of a list that is not a string, among others that are."""
        doc = next(doc for doc in docs if not isinstance(doc, str))
        return InputError(f"document {doc!r} of topic {topic}", "a string", self.where)

    def rename_topics(self, name: Callable[[str], str]) -> ListRun:
        return replace(self, lists={name(topic): docs for topic, docs in self.lists.items()})


FILE_FIELDS = ("parts", "format", "text", "each", "source")  # fields that are not pickled


@dataclass(frozen=True, eq=False, repr=False)
class TableRun(Run):
    """A run in parts: tables that are read one after the other, when somebody needs them."""

    parts: Callable[[], Iterator[Part]]
    format: Format | None = None  # of the file, where errors have lines
    text: ReadOptions = DEFAULT_OPTIONS
    each: Callable[[], Sequence[Run]] | None = None  # reads the file if it holds several runs

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the results themselves: another process may not have the file."""
        state = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in FILE_FIELDS}
        return _restore, (state, [table.copy() for table in self.iterate_tables()])

    def split_by_tag(self) -> Sequence[Run]:
        if self.each is None:
            return [self]
        return [
            replace(run, merging=self.merging and self.merging.copy_without_counts())
            for run in self.each()
        ]

    def iterate_tables(self) -> Iterator[Table]:
        """The parts one after the other; one that is not in order is the error it is."""
        with self.wrap_errors():
            yield from (part() for part in self.parts())

    def to_dict(self) -> dict[str, dict[str, float]]:
        rankings: dict[str, dict[str, float]] = {}
        for name, docs, values in self._iterate_rankings():
            ranking = rankings.setdefault(name, {})
            expected = len(ranking) + len(docs)
            ranking.update(zip(docs.tolist(), values.tolist(), strict=True))
            if len(ranking) < expected:
                raise self.make_error(f"a document of topic {name} twice", "each document once")
        return rankings

    def _iterate_rankings(self) -> Iterator[tuple[str, Strings, Floats]]:
        """A topic, some documents of it and their values, one after the other."""
        tables = self.iterate_tables() if self.merging is None else self._iterate_merged()
        for table in tables:
            for name, (a, b) in zip(table.names, table.iter_bounds(), strict=True):
                yield name, table.docs[a:b], table.values[a:b]

    def _iterate_merged(self) -> Iterator[Table]:
        """Whole topics, each document once."""
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
            if not tops.keys().isdisjoint(table.names):  # lines of a topic are far apart
                with self.group_by_topic() as parts:
                    return {
                        t: top
                        for p in parts
                        for t, top in self._find_table_tops(p(), depth).items()
                    }
            tops |= self._find_table_tops(table, depth)
        if not tops:
            raise self.make_error("no results", "at least one")
        return tops

    def rename_topics(self, name: Callable[[str], str]) -> TableRun:
        return self.change_parts(
            lambda table: replace(table, topics=Strings.from_list([name(t) for t in table.names]))
        )

    def change_parts(self, change: Callable[[Table], Table]) -> TableRun:
        """The run with something changed in each of its parts, whenever it is read."""
        return replace(
            self, parts=lambda: (partial(_apply_change, change, part) for part in self.parts())
        )

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
        """Read the run once more: only after ranks were seen to contradict scores."""
        if self.keeps_order or self.by_rank:
            return NO_DISAGREEMENT
        return compare_ranks(self._iterate_ranks())

    def _iterate_ranks(self) -> Iterator[tuple[str, Sequence[tuple[float, float]]]]:
        """Rank and score of each document, topic by topic."""
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
        """What is told of a part that was read."""
        return PartRead(self.name, len(table), table.bytes_read)

    def gather(self) -> Table:
        """The whole run at once, its lines grouped by topic without changing their order."""
        return Table.concatenate([table.copy() for table in self.iterate_tables()]).group_by_topic()

    @contextmanager
    def group_by_topic(
        self, threads: int = 1, progress: Callable[[PartRead], None] | None = None
    ) -> Iterator[Iterator[Part]]:
        """The run in parts of whole topics, however far apart the lines of these are."""
        from cranfield.data.reading.grouping import group_topics

        report = None if progress is None else lambda table: progress(self.make_progress(table))
        with self.wrap_errors(), group_topics(self.parts(), threads, report) as parts:
            yield parts

    def merge_table(self, table: Table) -> Table:
        """A table of whole topics, each document once: several lines are merged, or an error."""
        merging = self.merging
        if (merging is None or merging.duplicates == "error") and (twice := table.find_duplicate()):
            raise Irregular(f"document {twice[1]} of topic {twice[0]} twice", "each document once")
        return table if merging is None else merging.merge_table(table)

    def _find_table_tops(self, table: Table, depth: int | None) -> dict[str, Top]:
        """Of each list of a table of whole topics the first documents."""
        table = self.merge_table(table)
        order = np.arange(len(table)) if self.keeps_order else _sort_rows(table, self.stable)
        lists = [order[a:b] for a, b in table.iter_bounds()]
        docs = iter(table.docs[np.concatenate([order[:0], *(rows[:depth] for rows in lists)])])
        return {
            name: Top(
                list(islice(docs, len(rows[:depth]))),
                not self.keeps_order and _has_tie_at_depth(table.values[rows], depth),
                not self.keeps_order and _has_rank_conflict(table, rows),
            )
            for name, rows in zip(table.names, lists, strict=True)
        }

    @contextmanager
    def wrap_errors(self) -> Iterator[None]:
        """Raise the error of the run if something about it is Irregular."""
        try:
            yield
        except Irregular as error:
            problem, expected = error.args or ("lines out of order", "results")
            raise self.make_error(problem, expected) from None

    def make_error(self, problem: str, expected: str) -> CranfieldError:
        """The error that explains why the run cannot be used, with its line if there is one."""
        if self.source is None or self.format is None:
            return InputError(problem, expected, self.where)
        return self.format.get_error(self.source, "run", self.text)


def _apply_change(change: Callable[[Table], Table], part: Part) -> Table:
    return change(part())


def _has_tie_at_depth(values: Sequence[float] | Floats, depth: int | None) -> bool:
    """Whether falling values are the same on both sides of a depth."""
    return depth is not None and len(values) > depth and bool(values[depth - 1] == values[depth])


def _has_rank_conflict(table: Table, rows: Ints) -> bool:
    """Whether a better rank goes with a lower score, among rows of falling scores."""
    if table.ranks is None or not (np.diff(table.ranks[rows]) < 0).any():
        return False
    by_rank = rows[
        np.lexsort((table.ranks[rows], -table.values[rows]))
    ]  # equal scores may have any
    return bool((np.diff(table.ranks[by_rank]) < 0).any())


def rank_documents(docs: Mapping[str, float], keeps_order: bool, stable: bool) -> list[str]:
    """Documents by value, then by id, both falling, or then as they come; or as they come."""
    if keeps_order:
        return list(docs)
    equals = docs if stable else sorted(docs, reverse=True)
    return sorted(equals, key=docs.__getitem__, reverse=True)


def _sort_rows(table: Table, stable: bool) -> Ints:
    """The rows of a table in the same order, group by group."""
    within = np.diff(table.group) == 0
    if not (within & (np.diff(table.values) >= 0)).any():
        return np.arange(len(table))
    by_name = () if stable else (~key for key in reversed(table.docs.compute_sort_keys()))
    return np.lexsort([*by_name, -table.values, table.group])


def make_no_judged_topic_error(
    topics: Sequence[str], judged: Sequence[str], qrels: str, run: Run | None = None
) -> InputError:
    """The error that a run is which answers other topics than those that are judged.

    >>> no_judged_topic(["7"], ["101", "102", "103"], "qrels.txt", read_run({"7": ["a"]}))
    InputError('run: found topics 7, expected some of 101, 102, … (judged in qrels.txt)')
    """
    location = run_name = None
    if run is not None:
        location = run.name if run.where == "run" else run.where
        run_name = None if run.name == location else run.name
    return make_no_topic_error(
        topics, judged, "" if qrels == "qrels" else f"judged in {qrels}", location, run_name
    )


def make_no_topic_error(
    topics: Sequence[str],
    expected_topics: Sequence[str],
    hint: str,
    location: str | None = None,
    run: str | None = None,
) -> InputError:
    """The error that a run is which answers other topics than those that are wanted."""
    problem = f"topics {_format_first(topics)}" + ("" if run is None else f" of run {run}")
    hint = "; ".join(filter(None, (hint, explain_folded(match_folded(topics, expected_topics)))))
    return InputError(problem, f"some of {_format_first(expected_topics)}", location, hint=hint)


def _format_first(names: Sequence[str]) -> str:
    return ", ".join([*names[:2], *["…"] * (len(names) > 2)]) or "(none)"


@suggest_keywords
def read_run(
    data: RunLike,
    format: str | None = None,
    *,
    name: str | None = None,
    ties: Ties | None = None,
    order: RankBy | None = None,
    separator: str | None = None,
    types: bool = False,
    qrels: Qrels | None = None,
    further: bool = False,
    run_names: RunNames | Literal["first"] = "tag",
    chunks: ChunksLike = None,
    chunk_score: ChunkScore | None = None,
    duplicates: Duplicates = "error",
    columns: ColumnsLike | None = None,
) -> Run:
    """A run from a path, a mapping, a Polars or pandas frame, tuples, or records.

    ``DIR/NAME`` (or ``DIR/*.NAME.res``) is the run NAME of a directory with one for each topic, as
    NTCIREVAL has them.

    For `qrels` from LETOR data, predictions will do: an array, a list or a file of numbers, in the
    order of the lines of that data.

    `order` is what orders a ranking: ``score`` (the default if there are scores), ``rank``, the
    rank column (the default of a table with ranks and no scores), or ``given``, the order of the
    file or list (the default if there is neither). `ties` orders equal scores: ``trec`` by document
    id, descending (the default), or ``file`` as they come (the default of predictions). ``rank``
    and ``given`` as `ties` are older spellings of the same `order`.
    `format` forces the format of a file; `columns` says what columns are called that have other
    names, as in ``"topic=user_id,score=rating"``, or their numbers from 1; `separator` stands
    between the fields of a line of text, instead of blanks; what follows the six fields of a TREC
    run's line is an error, unless `further` allows it. With `types`, the type of each result is
    kept: the second column of TREC text, or the column ``type`` of a table.

    Lines with several run tags are several runs, which is an error here (text says so when it is
    used): `read_runs` reads them all. With `run_names` ``file`` they are one run, named by its
    path; with ``first``, as trec_eval has it, by the tag of the first line.

    `chunks` makes documents of chunks: it is the sign between the id of a document and that of a
    chunk, a regular expression between slashes whose group is the document, or a function from the
    one to the other. `chunk_score` is what a document scores: the ``max`` of its chunks (the
    default), their ``sum``, or the ``first`` of them, which is also meant where ranks or the order
    of the list decide. `duplicates` are an error, or of each the ``first`` or ``best`` is kept.
    """
    merging = Merging(chunks, chunk_score, duplicates)
    column_names, by_tag = read_columns(columns), run_names == "tag"
    text = ReadOptions(
        separator, extra_fields=further, types=types, by_tag=by_tag, columns=column_names
    )
    runs = _Reader(format, _check_order(ties, order), text, qrels, run_names, merging).read(data)
    if len(runs) > 1:
        raise SeveralRuns([run.name for run in runs], runs[0].where)
    return _require_one(runs[0], name)


@suggest_keywords
def read_runs(
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    format: str | None = None,
    *,
    ties: Ties | None = None,
    order: RankBy | None = None,
    separator: str | None = None,
    types: bool = False,
    qrels: Qrels | None = None,
    run_names: RunNames = "tag",
    chunks: ChunksLike = None,
    chunk_score: ChunkScore | None = None,
    duplicates: Duplicates = "error",
    columns: ColumnsLike | None = None,
    look: bool = True,
) -> list[Run]:
    """One run or several (a list, or a dict from their names), each under a name of its own.

    A directory with one for each topic, as NTCIREVAL has them, stands for all runs in it. Lines
    with several tags are several runs, each named by its tag, or by the path where tags clash or
    are missing; with `run_names` ``file``, a file is one run, named by its path. Without `look`,
    text is not read before it is used, and may then turn out to hold several runs: see `call_with_split`.
    The other options are those of `read_run`.

    >>> rows = [("q1", "Q0", "d1", 1, 0.9, "bm25"), ("q1", "Q0", "d1", 1, 0.5, "dense")]
    >>> read_runs(rows)
    [Run 'bm25', Run 'dense']
    """
    check_choice("run_names", run_names, RunNames)
    merging = Merging(chunks, chunk_score, duplicates)
    column_names, by_tag = read_columns(columns), run_names == "tag"
    text = ReadOptions(separator, types=types, by_tag=by_tag, columns=column_names)
    reader = _Reader(format, _check_order(ties, order), text, qrels, run_names, merging)
    named_runs = _name_runs(_expand_directories(runs), qrels)
    check_distinct_paths(data for _, _, data in named_runs if isinstance(data, str | os.PathLike))
    all_runs: list[Run] = []
    for name, location, data in named_runs:
        read = reader.read(data, location)
        if name is not None and len(read) > 1:
            raise SeveralRuns([run.name for run in read], name)
        all_runs += [_require_one(run, name) for run in read] if name is not None else read
    distinct_runs = resolve_names(all_runs)
    return call_with_split(distinct_runs, _read_all) if look else distinct_runs


def _check_order(ties: Ties | None, order: RankBy | None) -> Reading | None:
    """Return the order in which runs are read, after a look at the values of both options."""
    if ties is not None:
        check_choice("ties", ties, Ties)
    return choose_order(ties, order)


def _expand_directories(runs: Any) -> Any:
    """The runs; of directories, those that are in them."""
    if isinstance(runs, str | os.PathLike):
        return list_runs(runs)
    if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        return [path for run in runs for path in list_runs(run)]
    return runs


def _read_all(runs: Sequence[Run]) -> list[Run]:
    """The runs, of which all lines have been read that may be those of others."""
    for run in runs:
        if isinstance(run, TableRun) and run.each is not None:
            for _ in run.iterate_tables():
                pass
    return list(runs)


def call_with_split(runs: Sequence[Run], use: Callable[[Sequence[Run]], T]) -> T:
    """Return `use(runs)`; a text that contains several runs is replaced by these runs.

    A text is read when it is used, so its tags, one for each run, are known only then.
    """
    try:
        return use(runs)
    except SeveralRuns:
        split_runs = [part for run in runs for part in run.split_by_tag()]
        if len(split_runs) == len(runs):
            raise
        return use(resolve_names(split_runs))


@dataclass(frozen=True)
class _Reader:
    """How runs are read."""

    format: str | None
    ties: Reading | None
    text: ReadOptions
    qrels: Qrels | None
    names: RunNames | Literal["first"]
    merging: Merging

    def __post_init__(self) -> None:
        if self.ties == "given":
            object.__setattr__(self, "text", replace(self.text, ordered=True))
        if self.merging.duplicates != "error":
            object.__setattr__(self, "text", replace(self.text, allows_duplicates=True))

    def read(self, data: RunLike, location: str = "run") -> Sequence[Run]:
        """The runs that some data hold; text is taken for one as long as nobody has used it."""
        runs = self._read_data(data, location)
        return [self._apply_merging(run) for run in runs] if self.merging.is_needed else runs

    def _apply_merging(self, run: Run, repeated: Mapping[str, int] = {}) -> Run:
        """The run, in which several lines may be one document."""
        if run.merging is not None:
            if not run.merging.has_same_options(self.merging):
                raise InputError("a run already read with other chunks or duplicates", "the same")
            return run
        order: Order = "given" if run.keeps_order else "rank" if run.by_rank else "score"
        merging = self.merging.with_order(order, run.where)
        if isinstance(run, ListRun):
            return run.merge_chunks(merging, repeated)
        return replace(run, merging=merging)

    def _read_data(self, data: RunLike, location: str) -> Sequence[Run]:
        if isinstance(data, Run):
            return [self._update_run(data)]
        if is_ranx(data):
            return [self._read_memory(to_plain(data, "run", location), location, data.name)]
        data = to_plain(data, "run", location)
        if catalogues.is_catalogue_name(data):
            return [self._read_memory(list(catalogues.read_scores(data)), data, None)]
        if isinstance(data, str | os.PathLike):
            return self._read_file(Source.from_path(data))
        if _are_numbers(data):
            read = partial(letor.to_predictions, data)
            return [_read_predictions(read, self.qrels, self.ties, location)]
        if is_frame(data):
            return self._from_frame(tidy_frame(data, "run", location, self.text), location)
        if is_shaped(data):
            shaped = read_object_records(data, "run", location, self.text)
            good = collect_records(check_records(shaped, "run", location, self.text))
            return self._from_records(
                good, list_object_topics(data, "run", location, self.text), location
            )
        return [
            self._read_memory(value, location, tag)
            for tag, value in self._split_rows(data, location)
        ]

    def _read_memory(self, data: Any, location: str, tag: str | None) -> Run:
        scored = not is_listed(data)
        unique, repeated = (
            self._drop_duplicates(data) if self.text.allows_duplicates else (data, {})
        )
        lists = to_nested(unique, "run", location, self.text)[0]
        ranked_rows = _find_ranked_rows(data, self.text) if scored else []
        if (
            self.ties == "rank"
            and ranked_rows
            and len(ranked_rows) == sum(map(len, lists.values()))
        ):
            return self._build_run(
                replace(_build_table(ranked_rows, True, False), tag=tag), location
            )
        run = self._from_lists(lists, scored, location, tag, repeated)
        return replace(run, disagreement=compare_ranks(_collect_ranks(ranked_rows).items()))

    def _drop_duplicates(self, data: Any) -> tuple[Any, Mapping[str, int]]:
        """Lists or rows in memory, each document once, and how many lines were left out."""
        lists: dict[Any, Any] = dict(data) if isinstance(data, Mapping) else {}
        pairs: dict[Any, list[tuple[Any, float]]] = {}
        for topic, docs in lists.items():
            if isinstance(docs, list | tuple) and all(isinstance(doc, str | int) for doc in docs):
                pairs[topic] = [(doc, -float(place)) for place, doc in enumerate(docs)]
            elif isinstance(docs, list | tuple) and all(map(_is_pair, docs)):
                pairs[topic] = [(doc, float(value)) for doc, value in docs]
        if not lists:
            data = list(data)
            if not all(map(_is_row, data)):
                return data, {}  # which is an error
            for row in data:
                topic, doc, value = row if len(row) == 3 else (row[0], row[2], row[4])
                pairs.setdefault(topic, []).append((doc, float(value)))
        return self._merge_pairs(lists, pairs)

    def _merge_pairs(
        self, lists: dict[Any, Any], pairs: Mapping[Any, Sequence[tuple[Any, float]]]
    ) -> tuple[dict[Any, Any], dict[str, int]]:
        """Lists of documents and values added to others, of each document the line that counts."""
        merging = replace(self.merging, order="given" if self.ties == "given" else "score")
        unique = {
            topic: merging.drop_duplicates(topic_pairs) for topic, topic_pairs in pairs.items()
        }
        return lists | unique, {str(t): len(pairs[t]) - len(docs) for t, docs in unique.items()}

    def _update_run(self, run: Run) -> Run:
        ties = self.ties
        if (ties == "rank" and not run.by_rank) or (ties in BY_SCORE and run.by_rank):
            name = "score" if ties in BY_SCORE else ties
            option_text = format_option(f"--order {name}", f'order="{name}"')
            raise InputError.from_problem(
                f"run {run.name!r} is already read", f"Pass {option_text} before."
            )
        stable = run.stable if ties in (None, "score") else ties == "file"
        keeps_order = run.keeps_order or ties == "given"
        return replace(run, keeps_order=keeps_order, stable=stable, declared=True)

    def _split_rows(self, data: Any, location: str) -> Iterable[tuple[str | None, Any]]:
        """What is in memory and no frame; of rows, those of each tag."""
        in_rows = isinstance(data, Iterable) and not isinstance(data, Mapping | str | bytes)
        if self.names != "tag" or not in_rows:
            return [(None, data)]
        rows, width = list(data), len(TREC["run"])
        if not rows or not all(isinstance(row, Sequence) and len(row) == width for row in rows):
            return [(None, rows)]
        groups: dict[str | None, list[Any]] = {}
        for row in rows:
            groups.setdefault(None if row[-1] is None else str(row[-1]), []).append(row)
        check_tag_count(groups, location)
        return groups.items()

    def _from_lists(
        self,
        lists: Nested,
        scored: bool,
        location: str,
        tag: str | None = None,
        repeated: Mapping[str, int] = {},
    ) -> Run:
        ties = self.ties
        check_not_empty(lists, "results", location)
        if ties is not None and (ties == "rank" or (ties in BY_SCORE and not scored)):
            raise make_missing_error(ties, location)
        keeps_order, stable = ties == "given" or not scored, ties == "file"
        run = ListRun(
            tag or location, lists, keeps_order=keeps_order, where=location, stable=stable
        )
        return self._apply_merging(run, repeated) if self.merging.is_needed else run

    def _from_table(self, table: Table, location: str) -> list[Run]:
        if self.names != "tag":
            tag = table.tag if self.names == "first" else None
            return [self._build_run(replace(table, tag=tag, tags=None), location)]
        tables: dict[str, Table] = {}
        for part in table.split_by_tag():
            tables[part.tag or ""] = part
            check_tag_count(tables, location)
        return [self._build_run(part, location) for part in tables.values()]

    def _from_frame(self, frame: TidyFrame, location: str) -> list[Run]:
        """The runs of a frame; a long one becomes tables part by part, when it is evaluated."""
        if not frame.is_long or (self.names == "tag" and frame.has_several_runs):
            return self._from_table(frame.to_table(), location)
        first = next(frame.iter_parts())()
        first = first if self.names != "file" else replace(first, tag=None)
        return [self._build_run(first, location, frame.iter_parts)]

    def _build_run(
        self, table: Table, location: str, parts: Callable[[], Iterator[Part]] | None = None
    ) -> TableRun:
        """The run of a table, or of one that begins as this and is read in parts."""
        ties = self.ties
        if ties is not None and ties in BY_SCORE and not table.scored:
            raise make_missing_error(ties, location)
        if ties is None and not table.scored:
            ties = "given" if table.ranks is None else "rank"
        ranked = apply_order(table, ties, location)
        run = _build_table_run(table.tag or location, [lambda: ranked], ties, location)
        if parts is not None:
            run = replace(run, parts=parts)
            run = run.change_parts(lambda part: apply_order(part, ties or "trec", location))
        return replace(run, in_doubt=table.doubts)

    # -- files ------------------------------------------------------------------------------------

    def _read_file(self, source: Source) -> Sequence[Run]:
        """The fast way where the file is in order, else record by record, for errors' places."""
        forced, qrels = self.format, self.qrels
        decision = detect_format(source, forced, self.text, "run")
        format, text = decision.format, decision.options
        learnt = qrels is not None and qrels.lines is not None and format.check_file is None
        if format.positional or (
            learnt and forced is None and self._is_prediction_file(source, decision)
        ):
            read, location = partial(letor.read_predictions, source), source.name
            return [replace(_read_predictions(read, qrels, self.ties, location), source=source)]
        if format.streamed and text.separator is None:
            return [self._stream_file(source, format, text)]
        try:
            runs = self._read_tables(source, format, text)
        except Irregular:
            runs = self._read_records(source, format, text)
        sourced = [replace(run, source=source) for run in runs]
        return [
            replace(run, format=format, text=text) if isinstance(run, TableRun) else run
            for run in sourced
        ]

    def _is_prediction_file(self, source: Source, decision: DetectedFormat) -> bool:
        """Whether a file holds predictions for LETOR data, in order or not."""
        is_text = decision.format.streamed and decision.options.separator is None
        return letor.has_predictions(source) or (is_text and letor.can_be_predictions(source))

    def _read_tables(self, source: Source, format: Format, text: ReadOptions) -> list[Run]:
        location = source.name
        if (tabular := format.get_tabular(text)) is None:
            return self._from_table(format.read_table(source, "run", text), location)
        if (parts := tabular.get_parts(source, "run", text)) is None:
            return self._from_frame(tabular.read_tidy(source, "run", text), location)
        first = next(parts())()
        run = replace(
            self._build_run(first, location, parts), source=source, format=format, text=text
        )
        return [self._expect_tags(run, first.tag, location)]

    def _stream_file(self, source: Source, format: Format, text: ReadOptions) -> TableRun:
        """Text whose parts are read when it is evaluated, and not kept."""
        ties, location = self.ties, source.name
        first = next(format.iter_records(source, "run", text), None)
        if not isinstance(first, Record):
            raise format.get_error(source, "run", text)
        if ties is not None and ties in BY_SCORE and first.value is None:
            raise make_missing_error(ties, location)
        ties = "rank" if ties is None and first.value is None else ties
        tag = first.tag
        name = location if self.names == "file" or tag is None else tag
        run = replace(
            _build_table_run(name, (), ties, location), source=source, format=format, text=text
        )
        run = replace(run, parts=lambda: format.iter_parts(source, "run", text))
        run = run.change_parts(lambda table: apply_order(table, ties, location))
        return self._expect_tags(run, tag, location)

    def _expect_tags(self, run: TableRun, tag: str | None, location: str) -> TableRun:
        """A run that is read in parts, which may turn out to have other tags than the first."""
        if self.names != "tag":
            return run
        return replace(
            run.change_parts(partial(_check_tag, tag, location)), each=partial(_split_run, run)
        )

    def _read_records(self, source: Source, format: Format, text: ReadOptions) -> list[Run]:
        """Record by record, with the line of every error."""
        good = collect_records(format.check_records(source, "run", text))
        return self._from_records(good, format.list_topics(source, "run", text), source.name)

    def _from_records(
        self, good: ValidRecords, topics: Iterable[str] | None, location: str
    ) -> list[Run]:
        records, _, in_doubt = good
        scored = all(r.value is not None for r in records)
        has_tags = self.names == "tag" and len({r.tag for r in records}) > 1
        if topics is not None and not has_tags and (self.ties != "rank" or not records):
            lists, repeated = self._merge_pairs({}, _collect_pairs(records, topics))
            tag = records[0].tag if records and self.names != "file" else None
            run = self._from_lists(lists, scored, location, tag, repeated)
            disagreement = (
                compare_ranks(_collect_ranks(records).items()) if scored else NO_DISAGREEMENT
            )
            return [replace(run, in_doubt=in_doubt, disagreement=disagreement)]
        if self.ties == "rank" and (unranked := [r for r in records if r.rank is None]):
            raise make_missing_error("rank", location, unranked[0].line)
        table = replace(_build_table(records, scored, self.text.types), doubts=in_doubt)
        return self._from_table(table, location)


def _collect_pairs(
    records: Sequence[Record], topics: Iterable[str]
) -> dict[str, list[tuple[str, float]]]:
    """Documents and values by topic, of which records cannot tell if it has none.

    Without scores, their order is that of their ranks, or their own.
    """
    pairs: dict[str, list[tuple[str, float]]] = {topic: [] for topic in topics}
    if any(r.value is None for r in records):
        records = sorted(records, key=lambda r: r.rank or 0)
    for place, r in enumerate(records):
        pairs[r.topic].append((r.doc, -float(place) if r.value is None else r.value))
    return pairs


def _collect_ranks(records: Sequence[Record]) -> dict[str, list[tuple[float, float]]]:
    """Rank and score of each document by topic, if it has both."""
    ranks: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        if record.rank is not None and record.value is not None:
            ranks.setdefault(record.topic, []).append((record.rank, record.value))
    return ranks


def _find_ranked_rows(data: Any, text: ReadOptions) -> list[Record]:
    """Return the results in memory that have ranks: positions in lists, or the ranks of rows.

    The documents of a dict have no order.
    """
    rows: list[tuple[Any, Any, Any, Any]] = []
    if isinstance(data, Mapping):
        for topic, docs in () if is_plain(data) else data.items():
            if docs and not isinstance(docs, Mapping):
                cells = read_entries(docs, "run", text)
                rows += [(topic, x["doc"], x.get("score"), x.get("rank")) for x in cells]
    elif len(next(iter(data), ())) == len(TREC["run"]):
        rows = [(row[0], row[2], row[4], row[3]) for row in data]
    numbers = ((topic, doc, to_number(score), to_number(rank)) for topic, doc, score, rank in rows)
    return [
        Record(None, str(topic), str(doc), score, rank, None)
        for topic, doc, score, rank in numbers
        if score is not None and rank is not None
    ]


def _is_pair(pair: Any) -> bool:
    """Whether this is a document with its score."""
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return False
    return isinstance(pair[0], str | int) and to_number(pair[1]) is not None


def _is_row(row: Any) -> bool:
    """Whether this is a result in memory: three cells, or those of a line of TREC text."""
    if not isinstance(row, Sequence) or len(row) not in (3, len(TREC["run"])):
        return False
    topic, doc, value = row if len(row) == 3 else (row[0], row[2], row[4])
    return (
        all(isinstance(name, str | int) for name in (topic, doc)) and to_number(value) is not None
    )


def _check_tag(tag: str | None, location: str, table: Table) -> Table:
    """The table, if all its lines have that tag."""
    if table.tags is not None or (len(table) and (table.tag or "") != (tag or "")):
        other_tags = (
            [table.tag or ""] if table.tags is None else table.tags[table.tags.find_changes()]
        )
        raise SeveralRuns(list(dict.fromkeys([tag or "", *other_tags])), location)
    return table


def _split_run(run: TableRun) -> list[Run]:
    """Every run of a text, in memory if there are several."""
    tags: dict[str, None] = {}
    for table in run.iterate_tables():
        tags |= dict.fromkeys(part.tag or "" for part in table.split_by_tag() if len(part))
        check_tag_count(tags, run.where)
    if len(tags) == 1:
        return [run]
    parts: dict[str, list[Part]] = {tag: [] for tag in tags}
    for table in run.iterate_tables():
        for part in table.split_by_tag():
            if len(part):
                parts[part.tag or ""].append(partial(_return_table, part.copy()))
    return [
        replace(run, name=tag, parts=partial(iter, tag_parts)) for tag, tag_parts in parts.items()
    ]


def _return_table(table: Table) -> Table:
    return table


def _name_runs(runs: Any, qrels: Qrels | None) -> list[tuple[str | None, str, RunLike]]:
    """The runs of an argument, each with the name the user gave it, if any, and what else it is."""
    if isinstance(runs, Mapping):
        if _has_runs(runs, qrels):
            return [(str(n), str(n) if _are_numbers(r) else "run", r) for n, r in runs.items()]
        return [(None, "run", runs)]
    if _is_list_of_numbers(runs) or is_single_run(runs):
        return [(None, "run", runs)]
    if isinstance(runs, list | tuple) and any(_is_run(r, qrels) for r in runs):
        named_types = (str, os.PathLike, Run)
        in_memory = count(1)
        if len(runs) == 1:
            return [(None, "run", runs[0])]
        return [
            (None, "" if isinstance(r, named_types) else f"run{next(in_memory)}", r) for r in runs
        ]
    return [(None, "run", runs)]


def _has_runs(data: Mapping[Any, Any], qrels: Qrels | None) -> bool:
    """Whether a mapping is one of runs by their names, and not one of topics."""
    sample = list(islice(data.values(), 100))
    if is_shaped(data) or is_plain(data) or any(map(_is_topic, sample)):
        return False
    return any(_is_run(value, qrels) for value in sample)


def _is_topic(value: Any) -> bool:
    """Return True if this is ``{doc: score}``, judged by the first document."""
    return isinstance(value, Mapping) and to_number(next(iter(value.values()), None)) is not None


def _is_run(value: Any, qrels: Qrels | None) -> bool:
    """Whether a value is a run by itself, and not a row or a list of one."""
    if isinstance(value, Mapping):
        inner = value.values()
        return bool(value) and all(isinstance(docs, Mapping | list | tuple) for docs in inner)
    if _is_list_of_numbers(value):
        if qrels is not None and qrels.lines is not None and len(value) == len(qrels.levels):
            return True
        return any(isinstance(x, float | np.floating) for x in value)  # others may name documents
    if isinstance(value, str | os.PathLike | Run) or is_frame(value) or _is_array(value):
        return True
    return is_ranx(value) or has_rows(value) or is_single_run(value)


def _are_numbers(data: Any) -> bool:
    """Whether these are predictions in memory."""
    return _is_array(data) or _is_list_of_numbers(data)


def _is_array(data: Any) -> bool:
    """Whether this is an array or a series, of NumPy, pandas, Polars or another library."""
    return hasattr(data, "__array__") and not is_frame(data) and not has_rows(data)


def _is_list_of_numbers(data: Any) -> bool:
    """Whether this is a list of numbers, told by the first."""
    return isinstance(data, list | tuple) and bool(data) and to_number(data[0]) is not None


def _restore(state: Mapping[str, Any], tables: Sequence[Table]) -> TableRun:
    """The run that was pickled."""
    return TableRun(**state, parts=lambda: iter([lambda table=table: table for table in tables]))


def _require_one(run: Run, name: str | None) -> Run:
    """A run that is to be one, and is an error if its file holds others; under a name, if any."""
    run = replace(run, each=None) if isinstance(run, TableRun) else run
    return replace(run, name=name) if name else run


def _build_table_run(
    name: str, parts: Sequence[Part], ties: Reading | None, location: str
) -> TableRun:
    keeps_order, stable = ties == "given", ties == "file"
    return TableRun(
        name,
        lambda: iter(parts),
        keeps_order=keeps_order,
        where=location,
        stable=stable,
        by_rank=ties == "rank",
    )


def apply_order(table: Table, ties: Reading | None, location: str) -> Table:
    """The table with the values its rows are ranked by."""
    if ties is None:
        _check_exchanged(table, location)
    if ties != "rank":
        return table
    if table.ranks is None:
        option_text = format_option("--order rank", 'order="rank"')
        raise InputError.from_problem(
            f"ranks are not numbers, which {option_text} requires", where=location
        )
    return replace(table, values=-table.ranks)


def _check_exchanged(table: Table, location: str) -> None:
    """Refuse scores 1, 2, 3, … with ranks that are fractions: the columns may be exchanged."""
    if table.ranks is None or not len(table) or table.sizes[0] < 2:
        return
    scores, ranks = (column[: table.sizes[0]] for column in (table.values, table.ranks))
    fractions = np.trunc(ranks) != ranks
    if fractions.any() and np.array_equal(scores, np.arange(1, len(scores) + 1)):
        problem = f"scores 1, 2, … and ranks such as {ranks[fractions][0]:g}"
        option_text = format_option("--order score", 'order="score"')
        hint = f"are their columns exchanged? if not, {option_text} takes the scores"
        raise InputError(problem, "ranks 1, 2, … and scores", location, hint=hint)


def _read_predictions(
    read: Callable[[int, str, str], Floats],
    qrels: Qrels | None,
    ties: Reading | None,
    location: str,
) -> Run:
    """One number for each judgment of LETOR data: read, and put where the judgments are."""
    if qrels is None or qrels.lines is None:
        expected = "documents with their scores, or LETOR data as judgments"
        hint = format_option("", "for arrays, use cf.evaluate_arrays(y_true, y_score, group)")
        raise InputError("predictions", expected, location, hint=hint)
    if ties == "rank":
        raise make_missing_error(ties, location)
    values = read(len(qrels.levels), qrels.where, location)[qrels.lines]
    cuts = np.searchsorted(qrels.offsets, np.arange(0, len(values), PART))
    bounds = np.unique(np.append(cuts, len(qrels.topics))).tolist()
    tables = [partial(_build_topic_table, values, qrels, *bound) for bound in pairwise(bounds)]
    return _build_table_run(location, tables, "file" if ties in (None, "score") else ties, location)


def _build_topic_table(values: Floats, qrels: Qrels, first: int, stop: int) -> Table:
    """The topics first..stop-1 of the judgments, with other values."""
    begin, end = qrels.offsets[[first, stop]].tolist()
    docs = qrels.docs[begin:end]
    starts = qrels.offsets[first:stop] - begin
    topics = Strings.from_list(qrels.topics[first:stop])
    return Table(topics, starts, docs, docs.compute_hashes(), values[begin:end])


def _build_table(records: Sequence[Record], scored: bool, typed: bool) -> Table:
    """Records as columns."""
    topics, docs = (
        Strings.from_list([getattr(r, name) for r in records]) for name in ("topic", "doc")
    )
    ranks, types = [record.rank for record in records], [record.type or "" for record in records]
    tags = [record.tag or "" for record in records]
    return replace(
        Table.from_columns(docs, np.array([record.value or 0.0 for record in records]), topics),
        ranks=None if None in ranks else np.array(ranks),
        tag=records[0].tag,
        scored=scored,
        types=Strings.from_list(types) if typed and any(types) else None,
        tags=Strings.from_list(tags) if len({*tags}) > 1 else None,
    )
