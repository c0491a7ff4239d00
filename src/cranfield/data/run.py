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
from cranfield.data.qrels import Good, Qrels, good_records
from cranfield.data.reading import letor
from cranfield.data.reading.adapters import holds_rows, is_ranx, to_plain
from cranfield.data.reading.columns import TREC, ColumnsLike, read_columns
from cranfield.data.reading.formats import Decision, Format, decide, runs_in
from cranfield.data.reading.lines import not_empty, real
from cranfield.data.reading.mappings import Nested, are_strings, is_listed, is_plain, nested
from cranfield.data.reading.objects import is_shaped, is_whole, object_records, object_topics
from cranfield.data.reading.records import PLAIN, Record, Text, checked
from cranfield.data.reading.shapes import entries
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, PartRead, Table, whole_topics
from cranfield.data.reading.tables import Framed, framed, is_frame
from cranfield.data.systems import (
    RunNames,
    SeveralRuns,
    distinct,
    refuse_many,
    refuse_twice,
)
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, one_of
from cranfield.wording import option, suggests_keywords

RunLike: TypeAlias = Any  # a path, {topic: {doc: score}}, {topic: [doc, …]}, a frame, tuples,
# records, Run, or predictions for LETOR data: an array or a list of numbers
Ties: TypeAlias = Literal["trec", "rank", "given", "file"]
TIES: tuple[Ties, ...] = get_args(Ties)
RankBy: TypeAlias = Literal["score", "rank", "given"]  # what orders the documents of a ranking
Reading: TypeAlias = Literal["score", "trec", "rank", "given", "file"]  # both at once
BY_SCORE = ("score", "trec", "file")
PART = 1 << 16  # predictions that are labelled at a time
FLOATS = {float, np.float64}  # types whose values are doubles


def reading_order(ties: str | None, order: str | None = None) -> Reading | None:
    """Return the order in which a run is read: None if the run decides.

    ``rank`` and ``given`` as `ties` are older spellings of the same `order`. Other ways with ties,
    such as ``best``, are no matter of reading.

    >>> reading_order("file", "score"), reading_order("best", "rank"), reading_order("given")
    ('file', 'rank', 'given')
    """
    if order is not None:
        one_of("order", order, RankBy)
    if (ties in ("rank", "given") and order not in (None, ties)) or (order, ties) == (
        "rank",
        "file",
    ):
        names = [option(f"--{n} {x}", f'{n}="{x}"') for n, x in (("order", order), ("ties", ties))]
        fix = f"Use {option('--order', 'order=')} alone, or break ties of equal scores."
        raise InputError.problem(f"{' contradicts '.join(names)}", fix)
    if order == "score":
        return "trec" if ties == "trec" else "file" if ties == "file" else "score"
    known: tuple[Reading, ...] = get_args(Reading)
    return next((one for one in known if one == (order or ties)), None)


def tie_order(ties: Ties | None, order: RankBy | None) -> Ties | None:
    """Return both options as one, for readers that know `ties` only."""
    reading = _checked(ties, order)
    return "trec" if reading == "score" else reading


def lacking(reading: Reading, where: str, line: int | None = None) -> InputError:
    """Return the error for a run without the scores or ranks that an option requires."""
    name = "ties" if reading in ("trec", "file") else "order"
    asked = option(f"--{name} {reading}", f'{name}="{reading}"')
    what = "scores" if reading in BY_SCORE else "ranks"
    return InputError.problem(f"no {what}, which {asked} requires", "", where, line)


class Disagreeing(NamedTuple):
    """Topics in which ranks, or the positions in a list, contradict the scores."""

    topics: tuple[str, ...] = ()
    rising: tuple[str, ...] = ()  # of three or more documents, whose scores rise from top to bottom
    long: int = 0  # how many topics have three or more documents

    @property
    def rise(self) -> bool:
        """Return True if the scores of most topics of three or more documents rise."""
        return 2 * len(self.rising) > self.long


NONE_DISAGREE = Disagreeing()


def compare_ranks(rankings: Iterable[tuple[str, Sequence[tuple[float, float]]]]) -> Disagreeing:
    """Compare the (rank, score) pairs of each topic.

    >>> compare_ranks([("q1", [(1, 0.1), (2, 0.2), (3, 0.2)]), ("q2", [(1, 0.5), (2, 0.4)])])
    Disagreeing(topics=('q1',), rising=('q1',), long=1)
    """
    topics, rising, long = [], [], 0
    for topic, pairs in rankings:
        long += len(pairs) > 2
        scores = [score for _, score in sorted(pairs, key=lambda pair: (pair[0], -pair[1]))]
        if all(above >= below for above, below in pairwise(scores)):
            continue
        topics.append(topic)
        if len(scores) > 2 and all(above <= below for above, below in pairwise(scores)):
            rising.append(topic)
    return Disagreeing(tuple(topics), tuple(rising), long)


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
    lists. With `given`, the order is that of the lists.

    >>> read_run({"q1": {"d1": 0.5, "d2": 0.9}}, name="bm25")
    Run 'bm25'
    """

    name: str
    _: KW_ONLY
    given: bool = False
    where: str = "run"
    source: Source | None = None
    stable: bool = False
    in_doubt: str = ""  # which columns were taken, where others could be meant
    by_rank: bool = False  # whether values are ranks
    merging: Merging | None = None  # how several lines become one document, and what was done
    declared: bool = False  # whether the user read it as a run: then it cannot be judgments
    disagreeing: Disagreeing = NONE_DISAGREE  # of lists in memory

    def __repr__(self) -> str:
        return f"Run {self.name!r}"

    @abstractmethod
    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: value}}``, the value being what documents are ranked by."""

    @abstractmethod
    def list_of(self, topic: str) -> dict[str, float]:
        """``{doc: value}`` of one topic, empty if the run does not answer it."""

    @abstractmethod
    def tops(self, depth: int | None) -> dict[str, Top]:
        """Of each list the first `depth` documents, and what decided which they are.

        >>> read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).tops(2)
        {'q1': Top(docs=['d2', 'd3'], tied=True, contradicted=False)}
        """

    @abstractmethod
    def renamed(self, name: Callable[[str], str]) -> Run:
        """The run with other names of its topics."""

    @property
    def description(self) -> str:
        """What its file says of the system: the YAML of ir_metadata, or NTCIR's SYSDESC."""
        return "" if self.source is None else self.source.description

    def tables(self) -> Iterator[Table]:
        """The parts of a table one after the other, none of a run that is a mapping."""
        return iter(())

    def held(self, progress: Callable[[PartRead], None] | None = None) -> Run:
        """The run with all it has in memory."""
        return self

    def apart(self) -> Sequence[Run]:
        """The runs that it turns out to be, if it was read from a file that may hold several."""
        return [self]

    def returns_any(self, docs: Sequence[str]) -> bool:
        """Return True if some topic has one of these documents, or nothing can be read again."""
        return True

    def find_disagreeing(self) -> Disagreeing:
        """Return the topics in which ranks, or positions, contradict the scores."""
        return NONE_DISAGREE if self.given or self.by_rank else self.disagreeing

    def ranked(self, topic: str) -> list[str]:
        """The documents of one topic from the top down, none if the run does not answer it."""
        return from_the_top(self.list_of(topic), self.given, self.stable)

    def rankings(self, depth: int | None = None) -> dict[str, list[str]]:
        """``{topic: [doc, …]}`` from the top down, of each list the first `depth` documents.

        >>> read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).rankings(2)
        {'q1': ['d2', 'd3']}
        """
        return {topic: top.docs for topic, top in self.tops(depth).items()}


@dataclass(frozen=True, eq=False, repr=False)
class ListRun(Run):
    """A run in memory: ``{topic: {doc: value}}``."""

    lists: Mapping[str, Mapping[str, float]]

    def to_dict(self) -> dict[str, dict[str, float]]:
        return {topic: dict(self.to_doubles(topic, docs)) for topic, docs in self.lists.items()}

    def list_of(self, topic: str) -> dict[str, float]:
        return dict(self.to_doubles(topic, self.lists.get(topic, {})))

    def tops(self, depth: int | None) -> dict[str, Top]:
        return {topic: self._top(topic, docs, depth) for topic, docs in self.lists.items()}

    def _top(self, topic: str, docs: Mapping[str, float], depth: int | None) -> Top:
        docs = self.to_doubles(topic, docs)
        ranked = from_the_top(docs, self.given, self.stable)
        tied = not self.given and _parts_equals([docs[d] for d in ranked], depth)
        return Top(ranked[:depth], tied, topic in self.find_disagreeing().topics)

    def returns_any(self, docs: Sequence[str]) -> bool:
        return any(doc in found for found in self.lists.values() for doc in docs)

    def to_doubles(self, topic: str, docs: Mapping[str, Any]) -> Mapping[str, float]:
        """Return a ranking whose scores are the doubles that are compared, whatever they were.

        Raise an error if a score is not a finite number, or a document not a string.
        """
        if not are_strings(docs):
            raise self.not_a_name(topic, docs)
        scores = docs.values()
        if FLOATS.issuperset(map(type, scores)):  # the sum is quicker, but may overflow
            doubles, odd = docs, not (isfinite(sum(scores)) or all(map(isfinite, scores)))
        else:
            doubles = {doc: real(score) for doc, score in docs.items()}
            odd = None in doubles.values()
        if odd:
            raise self.without_order(topic, docs)
        return doubles

    def merged(self, merging: Merging, repeated: Mapping[str, int]) -> ListRun:
        """The run in which several lines have become one document; some repeated others."""
        lists = {}
        for topic, docs in self.lists.items():
            doubles = self.to_doubles(topic, docs)
            lists[topic] = merging.of_list(topic, doubles, repeated.get(topic, 0))
        return replace(self, lists=lists, merging=merging)

    def without_order(self, topic: str, docs: Mapping[str, float]) -> InputError:
        """The error that names the score of a list that is no number."""
        doc, score = next((d, s) for d, s in docs.items() if real(s) is None)
        found = f"score {score!r} for document {doc} of topic {topic}"
        return InputError(found, "a finite number", self.where)

    def not_a_name(self, topic: str, docs: Mapping[Any, float]) -> InputError:
        """The error that names a document of a list that is not a string, among others that are."""
        doc = next(doc for doc in docs if not isinstance(doc, str))
        return InputError(f"document {doc!r} of topic {topic}", "a string", self.where)

    def renamed(self, name: Callable[[str], str]) -> ListRun:
        return replace(self, lists={name(topic): docs for topic, docs in self.lists.items()})


OF_FILES = ("parts", "format", "text", "each", "source")  # fields that are not pickled


@dataclass(frozen=True, eq=False, repr=False)
class TableRun(Run):
    """A run in parts: tables that are read one after the other, when somebody needs them."""

    parts: Callable[[], Iterator[Part]]
    format: Format | None = None  # of the file, where errors have lines
    text: Text = PLAIN
    each: Callable[[], Sequence[Run]] | None = None  # reads the file if it holds several runs

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the results themselves: another process may not have the file."""
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in OF_FILES}
        return _restore, (kept, [table.compact() for table in self.tables()])

    def apart(self) -> Sequence[Run]:
        if self.each is None:
            return [self]
        return [replace(run, merging=self.merging and self.merging.anew()) for run in self.each()]

    def tables(self) -> Iterator[Table]:
        """The parts one after the other; one that is not in order is the error it is."""
        with self.refusing():
            yield from (part() for part in self.parts())

    def to_dict(self) -> dict[str, dict[str, float]]:
        made: dict[str, dict[str, float]] = {}
        for name, docs, values in self._lists():
            known = made.setdefault(name, {})
            expected = len(known) + len(docs)
            known.update(zip(docs.tolist(), values.tolist(), strict=True))
            if len(known) < expected:
                raise self.refusal(f"a document of topic {name} twice", "each document once")
        return made

    def _lists(self) -> Iterator[tuple[str, Strings, Floats]]:
        """A topic, some documents of it and their values, one after the other."""
        tables = self.tables() if self.merging is None else self._merged()
        for table in tables:
            for name, (a, b) in zip(table.names, table.bounds(), strict=True):
                yield name, table.docs[a:b], table.values[a:b]

    def _merged(self) -> Iterator[Table]:
        """Whole topics, each document once."""
        with self.grouped() as parts:
            yield from (self.merged(part()) for part in parts)

    def list_of(self, topic: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, docs, values in self._lists():
            if name == topic:
                found.update(zip(docs.tolist(), values.tolist(), strict=True))
        return found

    def tops(self, depth: int | None) -> dict[str, Top]:
        with self.refusing():
            return self._each_top(depth)

    def _each_top(self, depth: int | None) -> dict[str, Top]:
        found: dict[str, Top] = {}
        for table in whole_topics(self.tables()):
            if not found.keys().isdisjoint(table.names):  # lines of a topic are far apart
                with self.grouped() as parts:
                    return {t: top for p in parts for t, top in self._tops(p(), depth).items()}
            found |= self._tops(table, depth)
        if not found:
            raise self.refusal("no results", "at least one")
        return found

    def renamed(self, name: Callable[[str], str]) -> TableRun:
        return self.changed(
            lambda table: replace(table, topics=Strings.of([name(t) for t in table.names]))
        )

    def changed(self, change: Callable[[Table], Table]) -> TableRun:
        """The run with something changed in each of its parts, whenever it is read."""
        return replace(
            self, parts=lambda: (partial(_changed, change, part) for part in self.parts())
        )

    def held(self, progress: Callable[[PartRead], None] | None = None) -> TableRun:
        tables = []
        for table in self.tables():
            tables.append(table.compact())
            if progress is not None:
                progress(self.read_of(table))
        return replace(self, parts=lambda: iter([lambda table=table: table for table in tables]))

    def returns_any(self, docs: Sequence[str]) -> bool:
        wanted, some = Strings.of(list(docs)).hashes(), False
        for table in self.tables():
            some = True
            if np.isin(table.hashes, wanted).any():
                return True
        return not some

    def find_disagreeing(self) -> Disagreeing:
        """Read the run once more: only after ranks were seen to contradict scores."""
        if self.given or self.by_rank:
            return NONE_DISAGREE
        return compare_ranks(self._ranks())

    def _ranks(self) -> Iterator[tuple[str, Sequence[tuple[float, float]]]]:
        """Rank and score of each document, topic by topic."""
        with self.grouped() as parts:
            for table in (part() for part in parts):
                ranks = table.ranks
                for name, (a, b) in zip(table.names, table.bounds(), strict=True):
                    if ranks is not None:
                        yield (
                            name,
                            list(zip(ranks[a:b].tolist(), table.values[a:b].tolist(), strict=True)),
                        )

    def read_of(self, table: Table) -> PartRead:
        """What is told of a part that was read."""
        return PartRead(self.name, len(table), table.taken)

    def gathered(self) -> Table:
        """The whole run at once, its lines grouped by topic without changing their order."""
        return Table.joined([table.compact() for table in self.tables()]).grouped()

    @contextmanager
    def grouped(
        self, threads: int = 1, progress: Callable[[PartRead], None] | None = None
    ) -> Iterator[Iterator[Part]]:
        """The run in parts of whole topics, however far apart the lines of these are."""
        from cranfield.data.reading.grouping import grouped

        told = None if progress is None else lambda table: progress(self.read_of(table))
        with self.refusing(), grouped(self.parts(), threads, told) as parts:
            yield parts

    def merged(self, table: Table) -> Table:
        """A table of whole topics, each document once: several lines are merged, or an error."""
        merging = self.merging
        if (merging is None or merging.duplicates == "error") and (twice := table.repeats()):
            raise Irregular(f"document {twice[1]} of topic {twice[0]} twice", "each document once")
        return table if merging is None else merging.of_table(table)

    def _tops(self, table: Table, depth: int | None) -> dict[str, Top]:
        """Of each list of a table of whole topics the first documents."""
        table = self.merged(table)
        order = np.arange(len(table)) if self.given else _falling(table, self.stable)
        lists = [order[a:b] for a, b in table.bounds()]
        docs = iter(table.docs[np.concatenate([order[:0], *(rows[:depth] for rows in lists)])])
        return {
            name: Top(
                list(islice(docs, len(rows[:depth]))),
                not self.given and _parts_equals(table.values[rows], depth),
                not self.given and _contradicted(table, rows),
            )
            for name, rows in zip(table.names, lists, strict=True)
        }

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Raise the error of the run if something about it is Irregular."""
        try:
            yield
        except Irregular as error:
            found, expected = error.args or ("lines out of order", "results")
            raise self.refusal(found, expected) from None

    def refusal(self, found: str, expected: str) -> CranfieldError:
        """The error that explains why the run cannot be used, with its line if there is one."""
        if self.source is None or self.format is None:
            return InputError(found, expected, self.where)
        return self.format.first_error(self.source, "run", self.text)


def _changed(change: Callable[[Table], Table], part: Part) -> Table:
    return change(part())


def _parts_equals(values: Sequence[float] | Floats, depth: int | None) -> bool:
    """Whether falling values are the same on both sides of a depth."""
    return depth is not None and len(values) > depth and bool(values[depth - 1] == values[depth])


def _contradicted(table: Table, rows: Ints) -> bool:
    """Whether a better rank goes with a lower score, among rows of falling scores."""
    if table.ranks is None or not (np.diff(table.ranks[rows]) < 0).any():
        return False
    by_rank = rows[
        np.lexsort((table.ranks[rows], -table.values[rows]))
    ]  # equal scores may have any
    return bool((np.diff(table.ranks[by_rank]) < 0).any())


def from_the_top(docs: Mapping[str, float], given: bool, stable: bool) -> list[str]:
    """Documents by value, then by id, both falling, or then as they come; or as they come."""
    if given:
        return list(docs)
    equals = docs if stable else sorted(docs, reverse=True)
    return sorted(equals, key=docs.__getitem__, reverse=True)


def _falling(table: Table, stable: bool) -> Ints:
    """The rows of a table in the same order, group by group."""
    within = np.diff(table.group) == 0
    if not (within & (np.diff(table.values) >= 0)).any():
        return np.arange(len(table))
    by_name = () if stable else (~key for key in reversed(table.docs.sort_keys()))
    return np.lexsort([*by_name, -table.values, table.group])


def no_judged_topic(
    topics: Sequence[str], judged: Sequence[str], qrels: str, run: Run | None = None
) -> InputError:
    """The error that a run is which answers other topics than those that are judged.

    >>> no_judged_topic(["7"], ["101", "102", "103"], "qrels.txt", read_run({"7": ["a"]}))
    InputError('run: found topics 7, expected some of 101, 102, … (judged in qrels.txt)')
    """
    where = of = None
    if run is not None:
        where = run.name if run.where == "run" else run.where
        of = None if run.name == where else run.name
    return no_topic(topics, judged, "" if qrels == "qrels" else f"judged in {qrels}", where, of)


def no_topic(
    topics: Sequence[str],
    wanted: Sequence[str],
    hint: str,
    where: str | None = None,
    run: str | None = None,
) -> InputError:
    """The error that a run is which answers other topics than those that are wanted."""
    found = f"topics {_few(topics)}" + ("" if run is None else f" of run {run}")
    hint = "; ".join(filter(None, (hint, explain_folded(match_folded(topics, wanted)))))
    return InputError(found, f"some of {_few(wanted)}", where, hint=hint)


def _few(names: Sequence[str]) -> str:
    return ", ".join([*names[:2], *["…"] * (len(names) > 2)]) or "(none)"


@suggests_keywords
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
    own, by_tag = read_columns(columns), run_names == "tag"
    text = Text(separator, further=further, types=types, by_tag=by_tag, columns=own)
    runs = _Reader(format, _checked(ties, order), text, qrels, run_names, merging).runs(data)
    if len(runs) > 1:
        raise SeveralRuns([run.name for run in runs], runs[0].where)
    return _as_one(runs[0], name)


@suggests_keywords
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
    text is not read before it is used, and may then turn out to hold several runs: see `with_each`.
    The other options are those of `read_run`.

    >>> rows = [("q1", "Q0", "d1", 1, 0.9, "bm25"), ("q1", "Q0", "d1", 1, 0.5, "dense")]
    >>> read_runs(rows)
    [Run 'bm25', Run 'dense']
    """
    one_of("run_names", run_names, RunNames)
    merging = Merging(chunks, chunk_score, duplicates)
    own, by_tag = read_columns(columns), run_names == "tag"
    text = Text(separator, types=types, by_tag=by_tag, columns=own)
    reader = _Reader(format, _checked(ties, order), text, qrels, run_names, merging)
    named = _named(_paths(runs), qrels)
    refuse_twice(data for _, _, data in named if isinstance(data, str | os.PathLike))
    found: list[Run] = []
    for name, where, data in named:
        read = reader.runs(data, where)
        if name is not None and len(read) > 1:
            raise SeveralRuns([run.name for run in read], name)
        found += [_as_one(run, name) for run in read] if name is not None else read
    given = distinct(found)
    return with_each(given, _looked_over) if look else given


def _checked(ties: Ties | None, order: RankBy | None) -> Reading | None:
    """Return the order in which runs are read, after a look at the values of both options."""
    if ties is not None:
        one_of("ties", ties, Ties)
    return reading_order(ties, order)


def _paths(runs: Any) -> Any:
    """The runs; of directories, those that are in them."""
    if isinstance(runs, str | os.PathLike):
        return runs_in(runs)
    if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        return [path for run in runs for path in runs_in(run)]
    return runs


def _looked_over(runs: Sequence[Run]) -> list[Run]:
    """The runs, of which all lines have been read that may be those of others."""
    for run in runs:
        if isinstance(run, TableRun) and run.each is not None:
            for _ in run.tables():
                pass
    return list(runs)


def with_each(runs: Sequence[Run], use: Callable[[Sequence[Run]], T]) -> T:
    """Return `use(runs)`; a text that contains several runs is replaced by these runs.

    A text is read when it is used, so its tags, one for each run, are known only then.
    """
    try:
        return use(runs)
    except SeveralRuns:
        each = [one for run in runs for one in run.apart()]
        if len(each) == len(runs):
            raise
        return use(distinct(each))


@dataclass(frozen=True)
class _Reader:
    """How runs are read."""

    format: str | None
    ties: Reading | None
    text: Text
    qrels: Qrels | None
    names: RunNames | Literal["first"]
    merging: Merging

    def __post_init__(self) -> None:
        if self.ties == "given":
            object.__setattr__(self, "text", replace(self.text, ordered=True))
        if self.merging.duplicates != "error":
            object.__setattr__(self, "text", replace(self.text, repeats=True))

    def runs(self, data: RunLike, where: str = "run") -> Sequence[Run]:
        """The runs that some data hold; text is taken for one as long as nobody has used it."""
        found = self._runs(data, where)
        return [self._merged(run) for run in found] if self.merging.asked else found

    def _merged(self, run: Run, repeated: Mapping[str, int] = {}) -> Run:
        """The run, in which several lines may be one document."""
        if run.merging is not None:
            if not run.merging.like(self.merging):
                raise InputError("a run already read with other chunks or duplicates", "the same")
            return run
        order: Order = "given" if run.given else "rank" if run.by_rank else "score"
        merging = self.merging.of_run(order, run.where)
        if isinstance(run, ListRun):
            return run.merged(merging, repeated)
        return replace(run, merging=merging)

    def _runs(self, data: RunLike, where: str) -> Sequence[Run]:
        if isinstance(data, Run):
            return [self._again(data)]
        if is_ranx(data):
            return [self._in_memory(to_plain(data, "run", where), where, data.name)]
        data = to_plain(data, "run", where)
        if catalogues.is_named(data):
            return [self._in_memory(list(catalogues.results(data)), data, None)]
        if isinstance(data, str | os.PathLike):
            return self._of_file(Source.of(data))
        if _are_numbers(data):
            read = partial(letor.predictions_of, data)
            return [_predicted(read, self.qrels, self.ties, where)]
        if is_frame(data):
            return self._of_frame(framed(data, "run", where, self.text), where)
        if is_shaped(data):
            shaped = object_records(data, "run", where, self.text)
            good = good_records(checked(shaped, "run", where, self.text))
            return self._of_good(good, object_topics(data, "run", where, self.text), where)
        return [self._in_memory(one, where, tag) for tag, one in self._by_tag(data, where)]

    def _in_memory(self, data: Any, where: str, tag: str | None) -> Run:
        scored = not is_listed(data)
        once, repeated = self._without_repeats(data) if self.text.repeats else (data, {})
        lists = nested(once, "run", where, self.text)[0]
        placed = _placed_in(data, self.text) if scored else []
        if self.ties == "rank" and placed and len(placed) == sum(map(len, lists.values())):
            return self._of_one(replace(_table_of(placed, True, False), tag=tag), where)
        run = self._of_lists(lists, scored, where, tag, repeated)
        return replace(run, disagreeing=compare_ranks(_ranks_of(placed).items()))

    def _without_repeats(self, data: Any) -> tuple[Any, Mapping[str, int]]:
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
        return self._each_once(lists, pairs)

    def _each_once(
        self, lists: dict[Any, Any], pairs: Mapping[Any, Sequence[tuple[Any, float]]]
    ) -> tuple[dict[Any, Any], dict[str, int]]:
        """Lists of documents and values added to others, of each document the line that counts."""
        merging = replace(self.merging, order="given" if self.ties == "given" else "score")
        once = {topic: merging.without_repeats(few) for topic, few in pairs.items()}
        return lists | once, {str(t): len(pairs[t]) - len(docs) for t, docs in once.items()}

    def _again(self, run: Run) -> Run:
        ties = self.ties
        if (ties == "rank" and not run.by_rank) or (ties in BY_SCORE and run.by_rank):
            name = "score" if ties in BY_SCORE else ties
            asked = option(f"--order {name}", f'order="{name}"')
            raise InputError.problem(f"run {run.name!r} is already read", f"Pass {asked} before.")
        stable = run.stable if ties in (None, "score") else ties == "file"
        given = run.given or ties == "given"
        return replace(run, given=given, stable=stable, declared=True)

    def _by_tag(self, data: Any, where: str) -> Iterable[tuple[str | None, Any]]:
        """What is in memory and no frame; of rows, those of each tag."""
        in_rows = isinstance(data, Iterable) and not isinstance(data, Mapping | str | bytes)
        if self.names != "tag" or not in_rows:
            return [(None, data)]
        rows, width = list(data), len(TREC["run"])
        if not rows or not all(isinstance(row, Sequence) and len(row) == width for row in rows):
            return [(None, rows)]
        each: dict[str | None, list[Any]] = {}
        for row in rows:
            each.setdefault(None if row[-1] is None else str(row[-1]), []).append(row)
        refuse_many(each, where)
        return each.items()

    def _of_lists(
        self,
        lists: Nested,
        scored: bool,
        where: str,
        tag: str | None = None,
        repeated: Mapping[str, int] = {},
    ) -> Run:
        ties = self.ties
        not_empty(lists, "results", where)
        if ties is not None and (ties == "rank" or (ties in BY_SCORE and not scored)):
            raise lacking(ties, where)
        given, stable = ties == "given" or not scored, ties == "file"
        run = ListRun(tag or where, lists, given=given, where=where, stable=stable)
        return self._merged(run, repeated) if self.merging.asked else run

    def _of_table(self, table: Table, where: str) -> list[Run]:
        if self.names != "tag":
            tag = table.tag if self.names == "first" else None
            return [self._of_one(replace(table, tag=tag, tags=None), where)]
        tables: dict[str, Table] = {}
        for one in table.by_tag():
            tables[one.tag or ""] = one
            refuse_many(tables, where)
        return [self._of_one(one, where) for one in tables.values()]

    def _of_frame(self, frame: Framed, where: str) -> list[Run]:
        """The runs of a frame; a long one becomes tables part by part, when it is evaluated."""
        if not frame.long or (self.names == "tag" and frame.several):
            return self._of_table(frame.table(), where)
        first = next(frame.parts())()
        first = first if self.names != "file" else replace(first, tag=None)
        return [self._of_one(first, where, frame.parts)]

    def _of_one(
        self, table: Table, where: str, parts: Callable[[], Iterator[Part]] | None = None
    ) -> TableRun:
        """The run of a table, or of one that begins as this and is read in parts."""
        ties = self.ties
        if ties is not None and ties in BY_SCORE and not table.scored:
            raise lacking(ties, where)
        if ties is None and not table.scored:
            ties = "given" if table.ranks is None else "rank"
        ranked = by_order(table, ties, where)
        run = _in_parts(table.tag or where, [lambda: ranked], ties, where)
        if parts is not None:
            run = replace(run, parts=parts)
            run = run.changed(lambda part: by_order(part, ties or "trec", where))
        return replace(run, in_doubt=table.in_doubt)

    # -- files ------------------------------------------------------------------------------------

    def _of_file(self, source: Source) -> Sequence[Run]:
        """The fast way where the file is in order, else record by record, for errors' places."""
        forced, qrels = self.format, self.qrels
        decision = decide(source, forced, self.text, "run")
        format, text = decision.format, decision.text
        learnt = qrels is not None and qrels.lines is not None and format.checks is None
        if format.placed or (learnt and forced is None and self._predicted(source, decision)):
            read, where = partial(letor.read_predictions, source), source.name
            return [replace(_predicted(read, qrels, self.ties, where), source=source)]
        if format.streamed and text.separator is None:
            return [self._streamed(source, format, text)]
        try:
            runs = self._read(source, format, text)
        except Irregular:
            runs = self._of_records(source, format, text)
        made = [replace(run, source=source) for run in runs]
        return [
            replace(run, format=format, text=text) if isinstance(run, TableRun) else run
            for run in made
        ]

    def _predicted(self, source: Source, decision: Decision) -> bool:
        """Whether a file holds predictions for LETOR data, in order or not."""
        plain = decision.format.streamed and decision.text.separator is None
        return letor.are_predictions(source) or (plain and letor.are_meant(source))

    def _read(self, source: Source, format: Format, text: Text) -> list[Run]:
        where = source.name
        if (tabular := format.named(text)) is None:
            return self._of_table(format.table(source, "run", text), where)
        if (parts := tabular.parts(source, "run", text)) is None:
            return self._of_frame(tabular.framed(source, "run", text), where)
        first = next(parts())()
        run = replace(self._of_one(first, where, parts), source=source, format=format, text=text)
        return [self._one_or_several(run, first.tag, where)]

    def _streamed(self, source: Source, format: Format, text: Text) -> TableRun:
        """Text whose parts are read when it is evaluated, and not kept."""
        ties, where = self.ties, source.name
        first = next(format.each(source, "run", text), None)
        if not isinstance(first, Record):
            raise format.first_error(source, "run", text)
        if ties is not None and ties in BY_SCORE and first.value is None:
            raise lacking(ties, where)
        ties = "rank" if ties is None and first.value is None else ties
        tag = first.tag
        name = where if self.names == "file" or tag is None else tag
        run = replace(_in_parts(name, (), ties, where), source=source, format=format, text=text)
        run = replace(run, parts=lambda: format.parts(source, "run", text))
        run = run.changed(lambda table: by_order(table, ties, where))
        return self._one_or_several(run, tag, where)

    def _one_or_several(self, run: TableRun, tag: str | None, where: str) -> TableRun:
        """A run that is read in parts, which may turn out to have other tags than the first."""
        if self.names != "tag":
            return run
        return replace(run.changed(partial(_refuse_others, tag, where)), each=partial(_each, run))

    def _of_records(self, source: Source, format: Format, text: Text) -> list[Run]:
        """Record by record, with the line of every error."""
        good = good_records(format.errors(source, "run", text))
        return self._of_good(good, format.topics(source, "run", text), source.name)

    def _of_good(self, good: Good, topics: Iterable[str] | None, where: str) -> list[Run]:
        found, _, in_doubt = good
        scored = all(r.value is not None for r in found)
        several = self.names == "tag" and len({r.tag for r in found}) > 1
        if topics is not None and not several and (self.ties != "rank" or not found):
            lists, repeated = self._each_once({}, _pairs_of(found, topics))
            tag = found[0].tag if found and self.names != "file" else None
            run = self._of_lists(lists, scored, where, tag, repeated)
            placed = compare_ranks(_ranks_of(found).items()) if scored else NONE_DISAGREE
            return [replace(run, in_doubt=in_doubt, disagreeing=placed)]
        if self.ties == "rank" and (unranked := [r for r in found if r.rank is None]):
            raise lacking("rank", where, unranked[0].line)
        table = replace(_table_of(found, scored, self.text.types), in_doubt=in_doubt)
        return self._of_table(table, where)


def _pairs_of(found: Sequence[Record], topics: Iterable[str]) -> dict[str, list[tuple[str, float]]]:
    """Documents and values by topic, of which records cannot tell if it has none.

    Without scores, their order is that of their ranks, or their own.
    """
    pairs: dict[str, list[tuple[str, float]]] = {topic: [] for topic in topics}
    if any(r.value is None for r in found):
        found = sorted(found, key=lambda r: r.rank or 0)
    for place, r in enumerate(found):
        pairs[r.topic].append((r.doc, -float(place) if r.value is None else r.value))
    return pairs


def _ranks_of(found: Sequence[Record]) -> dict[str, list[tuple[float, float]]]:
    """Rank and score of each document by topic, if it has both."""
    made: dict[str, list[tuple[float, float]]] = {}
    for record in found:
        if record.rank is not None and record.value is not None:
            made.setdefault(record.topic, []).append((record.rank, record.value))
    return made


def _placed_in(data: Any, text: Text) -> list[Record]:
    """Return the results in memory that have ranks: positions in lists, or the ranks of rows.

    The documents of a dict have no order.
    """
    made: list[tuple[Any, Any, Any, Any]] = []
    if isinstance(data, Mapping):
        for topic, docs in () if is_plain(data) else data.items():
            if docs and not isinstance(docs, Mapping):
                cells = entries(docs, "run", text)
                made += [(topic, x["doc"], x.get("score"), x.get("rank")) for x in cells]
    elif len(next(iter(data), ())) == len(TREC["run"]):
        made = [(row[0], row[2], row[4], row[3]) for row in data]
    numbers = ((topic, doc, real(score), real(rank)) for topic, doc, score, rank in made)
    return [
        Record(None, str(topic), str(doc), score, rank, None)
        for topic, doc, score, rank in numbers
        if score is not None and rank is not None
    ]


def _is_pair(pair: Any) -> bool:
    """Whether this is a document with its score."""
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return False
    return isinstance(pair[0], str | int) and real(pair[1]) is not None


def _is_row(row: Any) -> bool:
    """Whether this is a result in memory: three cells, or those of a line of TREC text."""
    if not isinstance(row, Sequence) or len(row) not in (3, len(TREC["run"])):
        return False
    topic, doc, value = row if len(row) == 3 else (row[0], row[2], row[4])
    return all(isinstance(name, str | int) for name in (topic, doc)) and real(value) is not None


def _refuse_others(tag: str | None, where: str, table: Table) -> Table:
    """The table, if all its lines have that tag."""
    if table.tags is not None or (len(table) and (table.tag or "") != (tag or "")):
        others = [table.tag or ""] if table.tags is None else table.tags[table.tags.changes()]
        raise SeveralRuns(list(dict.fromkeys([tag or "", *others])), where)
    return table


def _each(whole: TableRun) -> list[Run]:
    """Every run of a text, in memory if there are several."""
    tags: dict[str, None] = {}
    for table in whole.tables():
        tags |= dict.fromkeys(one.tag or "" for one in table.by_tag() if len(one))
        refuse_many(tags, whole.where)
    if len(tags) == 1:
        return [whole]
    parts: dict[str, list[Part]] = {tag: [] for tag in tags}
    for table in whole.tables():
        for one in table.by_tag():
            if len(one):
                parts[one.tag or ""].append(partial(_same, one.compact()))
    return [replace(whole, name=tag, parts=partial(iter, few)) for tag, few in parts.items()]


def _same(table: Table) -> Table:
    return table


def _named(runs: Any, qrels: Qrels | None) -> list[tuple[str | None, str, RunLike]]:
    """The runs of an argument, each with the name the user gave it, if any, and what else it is."""
    if isinstance(runs, Mapping):
        if _holds_runs(runs, qrels):
            return [(str(n), str(n) if _are_numbers(r) else "run", r) for n, r in runs.items()]
        return [(None, "run", runs)]
    if _is_list_of_numbers(runs) or is_whole(runs):
        return [(None, "run", runs)]
    if isinstance(runs, list | tuple) and any(_is_run(r, qrels) for r in runs):
        known = (str, os.PathLike, Run)
        in_memory = count(1)
        if len(runs) == 1:
            return [(None, "run", runs[0])]
        return [(None, "" if isinstance(r, known) else f"run{next(in_memory)}", r) for r in runs]
    return [(None, "run", runs)]


def _holds_runs(data: Mapping[Any, Any], qrels: Qrels | None) -> bool:
    """Whether a mapping is one of runs by their names, and not one of topics."""
    few = list(islice(data.values(), 100))
    if is_shaped(data) or is_plain(data) or any(map(_is_topic, few)):
        return False
    return any(_is_run(value, qrels) for value in few)


def _is_topic(value: Any) -> bool:
    """Return True if this is ``{doc: score}``, judged by the first document."""
    return isinstance(value, Mapping) and real(next(iter(value.values()), None)) is not None


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
    return is_ranx(value) or holds_rows(value) or is_whole(value)


def _are_numbers(data: Any) -> bool:
    """Whether these are predictions in memory."""
    return _is_array(data) or _is_list_of_numbers(data)


def _is_array(data: Any) -> bool:
    """Whether this is an array or a series, of NumPy, pandas, Polars or another library."""
    return hasattr(data, "__array__") and not is_frame(data) and not holds_rows(data)


def _is_list_of_numbers(data: Any) -> bool:
    """Whether this is a list of numbers, told by the first."""
    return isinstance(data, list | tuple) and bool(data) and real(data[0]) is not None


def _restore(kept: Mapping[str, Any], tables: Sequence[Table]) -> TableRun:
    """The run that was pickled."""
    return TableRun(**kept, parts=lambda: iter([lambda table=table: table for table in tables]))


def _as_one(run: Run, name: str | None) -> Run:
    """A run that is to be one, and is an error if its file holds others; under a name, if any."""
    run = replace(run, each=None) if isinstance(run, TableRun) else run
    return replace(run, name=name) if name else run


def _in_parts(name: str, parts: Sequence[Part], ties: Reading | None, where: str) -> TableRun:
    given, stable = ties == "given", ties == "file"
    return TableRun(
        name, lambda: iter(parts), given=given, where=where, stable=stable, by_rank=ties == "rank"
    )


def by_order(table: Table, ties: Reading | None, where: str) -> Table:
    """The table with the values its rows are ranked by."""
    if ties is None:
        _refuse_exchanged(table, where)
    if ties != "rank":
        return table
    if table.ranks is None:
        asked = option("--order rank", 'order="rank"')
        raise InputError.problem(f"ranks are not numbers, which {asked} requires", where=where)
    return replace(table, values=-table.ranks)


def _refuse_exchanged(table: Table, where: str) -> None:
    """Refuse scores 1, 2, 3, … with ranks that are fractions: the columns may be exchanged."""
    if table.ranks is None or not len(table) or table.sizes[0] < 2:
        return
    scores, ranks = (column[: table.sizes[0]] for column in (table.values, table.ranks))
    fractions = np.trunc(ranks) != ranks
    if fractions.any() and np.array_equal(scores, np.arange(1, len(scores) + 1)):
        found = f"scores 1, 2, … and ranks such as {ranks[fractions][0]:g}"
        asked = option("--order score", 'order="score"')
        hint = f"are their columns exchanged? if not, {asked} takes the scores"
        raise InputError(found, "ranks 1, 2, … and scores", where, hint=hint)


def _predicted(
    read: Callable[[int, str, str], Floats],
    qrels: Qrels | None,
    ties: Reading | None,
    where: str,
) -> Run:
    """One number for each judgment of LETOR data: read, and put where the judgments are."""
    if qrels is None or qrels.lines is None:
        expected = "documents with their scores, or LETOR data as judgments"
        hint = option("", "for arrays, use cf.evaluate_arrays(y_true, y_score, group)")
        raise InputError("predictions", expected, where, hint=hint)
    if ties == "rank":
        raise lacking(ties, where)
    values = read(len(qrels.levels), qrels.where, where)[qrels.lines]
    cuts = np.searchsorted(qrels.offsets, np.arange(0, len(values), PART))
    bounds = np.unique(np.append(cuts, len(qrels.topics))).tolist()
    tables = [partial(_placed, values, qrels, *bound) for bound in pairwise(bounds)]
    return _in_parts(where, tables, "file" if ties in (None, "score") else ties, where)


def _placed(values: Floats, qrels: Qrels, first: int, stop: int) -> Table:
    """The topics first..stop-1 of the judgments, with other values."""
    begin, end = qrels.offsets[[first, stop]].tolist()
    docs = qrels.docs[begin:end]
    starts = qrels.offsets[first:stop] - begin
    topics = Strings.of(qrels.topics[first:stop])
    return Table(topics, starts, docs, docs.hashes(), values[begin:end])


def _table_of(found: Sequence[Record], scored: bool, typed: bool) -> Table:
    """Records as columns."""
    topics, docs = (Strings.of([getattr(r, name) for r in found]) for name in ("topic", "doc"))
    ranks, types = [record.rank for record in found], [record.type or "" for record in found]
    tags = [record.tag or "" for record in found]
    return replace(
        Table.of(docs, np.array([record.value or 0.0 for record in found]), topics),
        ranks=None if None in ranks else np.array(ranks),
        tag=found[0].tag,
        scored=scored,
        types=Strings.of(types) if typed and any(types) else None,
        tags=Strings.of(tags) if len({*tags}) > 1 else None,
    )
