"""`Run`: the ranked lists of one system, in memory or still in their file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.data import topic_dirs, trec
from cranfield.data.formats import Format, recognise
from cranfield.data.ir4qa import is_ir4qa, read_ir4qa
from cranfield.data.mappings import Nested, is_listed, nested, read_json
from cranfield.data.records import PLAIN, Record, Text, errors, first_error, real, records
from cranfield.data.source import Source
from cranfield.data.strings import Floats, Ints, Strings
from cranfield.data.table import Table
from cranfield.data.tables import NotATable, frame_table, is_frame, read_table
from cranfield.errors import CranfieldError, InputError

RunLike: TypeAlias = Any  # a path, {topic: {doc: score}}, {topic: [doc, …]}, a frame, tuples, Run
Ties: TypeAlias = Literal["trec", "rank", "given"]
TIES: tuple[Ties, ...] = ("trec", "rank", "given")


def reading_order(ties: str | None) -> Ties | None:
    """The order in which a run is to be read: None, as it says itself, for other ways with ties."""
    return next((known for known in TIES if known == ties), None)


Part: TypeAlias = Callable[[], Table]


@dataclass(frozen=True, eq=False)
class Run:
    """One system's lists: a mapping, or parts of a table read one after the other.

    The value of a document is what it is ranked by, larger first; equal values are ordered by
    document id, larger first (trec_eval's rule). With `given`, the order is that of the lists.

    >>> read_run({"q1": {"d1": 0.5, "d2": 0.9}}, name="bm25")
    Run 'bm25'
    """

    name: str
    lists: Mapping[str, Mapping[str, float]] | None
    parts: Callable[[], Iterator[Part]] | None = None
    given: bool = False
    where: str = "run"
    source: Source | None = None
    format: Format | None = None

    def __repr__(self) -> str:
        return f"Run {self.name!r}"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: value}}``, the value being what documents are ranked by."""
        if self.lists is not None:
            return {topic: dict(docs) for topic, docs in self.lists.items()}
        made: dict[str, dict[str, float]] = {}
        for table in (part() for part in self.parts()) if self.parts else ():
            docs, values = table.docs.tolist(), table.values.tolist()
            for name, (a, b) in zip(table.names, table.bounds(), strict=True):
                made.setdefault(name, {}).update(zip(docs[a:b], values[a:b], strict=True))
        return made

    def list_of(self, topic: str) -> dict[str, float]:
        """``{doc: value}`` of one topic, empty if the run does not answer it."""
        if self.lists is not None:
            return dict(self.lists.get(topic, {}))
        found: dict[str, float] = {}
        for table in (part() for part in self.parts()) if self.parts else ():
            for name, (a, b) in zip(table.names, table.bounds(), strict=True):
                if name == topic:
                    values = table.values[a:b].tolist()
                    found.update(zip(table.docs[a:b].tolist(), values, strict=True))
        return found

    def ranked(self, topic: str) -> list[str]:
        """The documents of one topic from the top down, none if the run does not answer it."""
        return from_the_top(self.list_of(topic), self.given)

    def rankings(self, depth: int | None = None) -> dict[str, list[str]]:
        """``{topic: [doc, …]}`` from the top down, of each list the first `depth` documents.

        >>> read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).rankings(2)
        {'q1': ['d2', 'd3']}
        """
        return {topic: docs for topic, (docs, _) in self.tops(depth).items()}

    def tops(self, depth: int | None) -> dict[str, tuple[list[str], bool]]:
        """Of each list the first `depth` documents, and whether a tie decided which they are.

        >>> read_run({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}}).tops(2)
        {'q1': (['d2', 'd3'], True)}
        """
        if self.lists is not None:
            return {topic: self._top(topic, docs, depth) for topic, docs in self.lists.items()}
        try:
            found: dict[str, tuple[list[str], bool]] = {}
            for table in self._whole_topics():
                if not found.keys().isdisjoint(table.names):  # lines of a topic are far apart
                    return self._tops(self.gathered(), depth)
                found |= self._tops(table, depth)
        except trec.Irregular:
            raise self.refusal("lines out of order", "results") from None
        if not found:
            raise self.refusal("no results", "at least one")
        return found

    def _top(
        self, topic: str, docs: Mapping[str, float], depth: int | None
    ) -> tuple[list[str], bool]:
        if any(real(score) is None for score in docs.values()):
            raise self.without_order(topic, docs)
        ranked = from_the_top(docs, self.given)
        return ranked[:depth], not self.given and _parts_equals([docs[d] for d in ranked], depth)

    def without_order(self, topic: str, docs: Mapping[str, float]) -> InputError:
        """The error that names the score of a list that is no number."""
        doc, score = next((d, s) for d, s in docs.items() if real(s) is None)
        found = f"score {score!r} for document {doc} of topic {topic}"
        return InputError(found, "a finite number", self.where)

    def _whole_topics(self) -> Iterator[Table]:
        """Part after part, the last topic of each with the next one, where it may go on."""
        waiting: list[Table] = []
        for part in self.parts() if self.parts else ():
            waiting.append(part())
            if len({*waiting[0].names, *waiting[-1].names}) > 1:
                table = Table.joined(waiting).grouped()
                last = len(table.names) - 1
                yield table.groups(0, last)
                waiting = [table.groups(last, last + 1).compact()]
        if waiting:
            yield Table.joined(waiting).grouped()

    def gathered(self) -> Table:
        """The whole run at once, its lines grouped by topic without changing their order."""
        parts = self.parts() if self.parts else ()
        return Table.joined([part().compact() for part in parts]).grouped()

    def _tops(self, table: Table, depth: int | None) -> dict[str, tuple[list[str], bool]]:
        """The same for a table of whole topics."""
        if twice := table.repeats():
            found = f"document {twice[1]} of topic {twice[0]} twice"
            raise self.refusal(found, "each document once")
        order = np.arange(len(table)) if self.given else _falling(table)
        lists = [order[a:b] for a, b in table.bounds()]
        docs = iter(table.docs[np.concatenate([order[:0], *(rows[:depth] for rows in lists)])])
        return {
            name: (
                list(islice(docs, len(rows[:depth]))),
                not self.given and _parts_equals(table.values[rows], depth),
            )
            for name, rows in zip(table.names, lists, strict=True)
        }

    def refusal(self, found: str, expected: str) -> CranfieldError:
        """The error that explains why the run cannot be used, with its line if there is one."""
        if self.source is None or self.format is None:
            return InputError(found, expected, self.where)
        return first_error(self.source, self.format, "run")


def _parts_equals(values: Sequence[float] | Floats, depth: int | None) -> bool:
    """Whether falling values are the same on both sides of a depth."""
    return depth is not None and len(values) > depth and bool(values[depth - 1] == values[depth])


def from_the_top(docs: Mapping[str, float], given: bool) -> list[str]:
    """Documents by value, then by id, both falling; or in the order given."""
    if given:
        return list(docs)
    return sorted(sorted(docs, reverse=True), key=docs.__getitem__, reverse=True)


def _falling(table: Table) -> Ints:
    """The rows of a table in the same order, group by group."""
    within = np.diff(table.group) == 0
    if not (within & (np.diff(table.values) >= 0)).any():
        return np.arange(len(table))
    by_name = (~key for key in reversed(table.docs.sort_keys()))
    return np.lexsort([*by_name, -table.values, table.group])


def read_run(
    data: RunLike,
    format: str | None = None,
    *,
    name: str | None = None,
    ties: Ties | None = None,
    separator: str | None = None,
    types: bool = False,
) -> Run:
    """A run from a path, a mapping, a Polars or pandas frame, or tuples.

    ``DIR/NAME`` (or ``DIR/*.NAME.res``) is the run NAME of a directory with one for each topic, as
    NTCIREVAL has them.

    `ties` is the order of the lists: ``trec`` by score, then document id, both descending (the
    default where there are scores); ``rank`` by the rank column (the default of a table with
    ranks and no scores); ``given`` as they come (the default where there is neither).
    `format` forces the format of a file; `separator` stands between the fields of a line of text,
    instead of blanks. With `types`, the type of each result is kept: the second column of TREC
    text, or the column ``type`` of a table.
    """
    if ties is not None and ties not in TIES:
        raise CranfieldError(f"found ties {ties!r}, expected one of {', '.join(TIES)}")
    if isinstance(data, Run):
        if ties == "rank":
            raise CranfieldError("found a run already read, expected ties=rank when it is read")
        return replace(data, name=name or data.name, given=data.given or ties == "given")
    if isinstance(data, str | os.PathLike):
        inside = topic_dirs.lists(os.fspath(data), separator)
        if inside is not None:
            run = _of_nested(
                dict(inside), False, ties, os.fspath(data), topic_dirs.run_name(os.fspath(data))
            )
        else:
            run = _read_file(Source.of(data), format, ties, Text(separator), types)
    elif is_frame(data):
        run = _of_table(frame_table(data, "run", "run", types), "run", ties)
    else:
        lists, _ = nested(data, "run", "run")
        run = _of_nested(lists, not is_listed(data), ties, "run")
    return replace(run, name=name) if name else run


def read_runs(
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    format: str | None = None,
    *,
    ties: Ties | None = None,
    separator: str | None = None,
    types: bool = False,
) -> list[Run]:
    """One run or several (a list, or a dict from their names), each under a name of its own.

    A directory with one for each topic, as NTCIREVAL has them, stands for all runs in it.
    """
    if isinstance(runs, str | os.PathLike):
        runs = _inside(runs)
    elif isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        runs = [path for run in runs for path in _inside(run)]
    read = [
        read_run(data, format, name=name, ties=ties, separator=separator, types=types)
        for name, data in _named(runs)
    ]
    return [replace(run, name=name) for run, name in zip(read, _distinct(read), strict=True)]


def _inside(path: str | os.PathLike[str]) -> list[str]:
    """A run, or all runs of a directory."""
    inside = topic_dirs.runs(os.fspath(path)) if os.path.isdir(path) else []
    return inside or [os.fspath(path)]


def _named(runs: Any) -> list[tuple[str | None, RunLike]]:
    """The runs of an argument, each with the name the user gave it, if any."""
    if isinstance(runs, Mapping):
        if any(_is_run(value) for value in islice(runs.values(), 100)):
            return [(str(name), run) for name, run in runs.items()]
        return [(None, runs)]
    if isinstance(runs, list | tuple) and any(_is_run(r) for r in runs):
        in_memory = 0
        named: list[tuple[str | None, RunLike]] = []
        for run in runs:
            memory = not isinstance(run, str | os.PathLike | Run)
            in_memory += memory
            named.append((f"run{in_memory}" if memory else None, run))
        return named if named and len(named) > 1 else [(None, runs[0])]
    return [(None, runs)]


def _is_run(value: Any) -> bool:
    """Whether a value is a run by itself, and not a row or a list of one."""
    if isinstance(value, Mapping):
        inner = value.values()
        return bool(value) and all(isinstance(docs, Mapping | list | tuple) for docs in inner)
    return isinstance(value, str | os.PathLike | Run) or is_frame(value)


def _distinct(runs: Sequence[Run]) -> list[str]:
    """A run's name is its tag; where tags clash, the path as given. No path twice."""
    paths = [run.source.path for run in runs if run.source is not None]
    places = [os.path.abspath(path) for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise CranfieldError(f"found {path} twice, expected each run once")
    names = [run.name for run in runs]
    unique = [
        run.where if names.count(run.name) > 1 and run.where != "run" else run.name for run in runs
    ]
    for name in unique:
        if unique.count(name) > 1:
            raise CranfieldError(f"found two runs named {name!r}, expected different names")
    return unique


def _of_nested(
    lists: Nested, scored: bool, ties: Ties | None, where: str, tag: str | None = None
) -> Run:
    if not lists:
        raise InputError("no results", "at least one", where)
    if ties == "rank":
        raise InputError("no ranks", "a rank column for ties=rank", where)
    if ties == "trec" and not scored:
        raise InputError("no scores", "scores for ties=trec", where)
    return Run(tag or where, lists, given=ties == "given" or not scored, where=where)


def _of_table(table: Table, where: str, ties: Ties | None) -> Run:
    if ties == "trec" and not table.scored:
        raise InputError("no scores", "scores for ties=trec", where)
    if ties is None and not table.scored:
        ties = "given" if table.ranks is None else "rank"
    ranked = by_order(table, ties, where)
    return Run(table.tag or where, None, lambda: iter([lambda: ranked]), ties == "given", where)


def by_order(table: Table, ties: Ties | None, where: str) -> Table:
    """The table with the values its rows are ranked by."""
    if ties != "rank":
        return table
    if table.ranks is None:
        raise InputError("ranks that are not numbers", "a number for ties=rank", where)
    return replace(table, values=-table.ranks)


def _read_file(
    source: Source, forced: str | None, ties: Ties | None, text: Text, types: bool
) -> Run:
    """The fast way where the file is in order, else record by record, with every error's place."""
    if forced is None and is_ir4qa(source):
        lists = {topic: _by_place(docs) for topic, docs in read_ir4qa(source).items()}
        name = os.path.basename(source.path).removesuffix(".xml")
        return replace(_of_nested(dict(lists), False, ties, source.name, name), source=source)
    format = recognise(source, forced, text.separator)
    if format == "trec" and text == PLAIN:
        run = _stream(source, ties, types)
    elif format in ("trec", "ntcir", "early", "json", "jsonl"):
        run = _read_records(source, format, ties, text, types)
    else:
        try:
            run = _of_table(read_table(source, format, "run", types), source.name, ties)
        except NotATable:
            run = _read_records(source, format, ties, text, types)
    return replace(run, source=source, format=format)


def _by_place(docs: Sequence[str]) -> dict[str, float]:
    """Documents from the top down, with values that fall."""
    return {doc: -float(place) for place, doc in enumerate(docs)}


def _stream(source: Source, ties: Ties | None, types: bool) -> Run:
    """TREC text: its parts are read when it is evaluated, and not kept."""

    def table(read: Callable[[], bytes]) -> Table:
        return by_order(trec.read_table(read(), "run", types), ties, source.name)

    def parts() -> Iterator[Part]:
        for read in source.pieces():
            yield partial(table, read)

    return Run(_first_tag(source), None, parts, given=ties == "given", where=source.name)


def _first_tag(source: Source) -> str:
    for record in records(source, "trec", "run"):
        if isinstance(record, Record) and record.tag is not None:
            return record.tag
        break
    raise first_error(source, "trec", "run")


def _read_records(
    source: Source, format: Format, ties: Ties | None, text: Text, types: bool
) -> Run:
    """Line by line, with the line of every error."""
    found: list[Record] = []
    for item in errors(source, format, "run", text):
        if isinstance(item, Record):
            found.append(item)
        elif item.cause is not None:
            raise item.cause
    scored = all(r.value is not None for r in found)
    if not scored and any(r.value is not None for r in found):
        expected = "a score on every line or on none"
        raise InputError("scores on some lines only", expected, source.name)
    if ties == "rank" and (unranked := [r for r in found if r.rank is None]):
        raise InputError("no rank", "one for ties=rank", source.name, unranked[0].line)
    if format == "json":  # records cannot tell of topics without documents
        lists: dict[str, dict[str, float]] = {topic: {} for topic in read_json(source)}
        for place, r in enumerate(found):
            lists[r.topic][r.doc] = -float(place) if r.value is None else r.value
        return _of_nested(dict(lists), scored, ties, source.name)
    return _of_table(_table_of(found, scored, types), source.name, ties)


def _table_of(found: Sequence[Record], scored: bool, types: bool) -> Table:
    """Records as columns."""
    topics = [r.topic for r in found]
    starts = [i for i, topic in enumerate(topics) if i == 0 or topic != topics[i - 1]]
    docs = Strings.of([r.doc for r in found])
    ranks = np.array([np.nan if r.rank is None else r.rank for r in found])
    return Table(
        [topics[i] for i in starts],
        np.array(starts, dtype=np.int64),
        docs,
        docs.hashes(),
        np.array([r.value or 0.0 for r in found]),
        None if np.isnan(ranks).any() else ranks,
        found[0].tag,
        scored,
        Strings.of([r.type or "" for r in found]) if types and any(r.type for r in found) else None,
    )
