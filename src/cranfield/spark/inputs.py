"""What runs are to Spark: DataFrames, and readers that make tables of their rows wherever they are.

Lines of text are parsed by the readers of `data/`, so that there is one grammar. Rows of a
DataFrame have no order: what needs the order of lines is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.files import record_input
from cranfield.data.reading.columns import in_doubt, name_columns, read_columns
from cranfield.data.reading.formats import Format, decide
from cranfield.data.reading.lines import short
from cranfield.data.reading.packing import packed_in
from cranfield.data.reading.partitions import partition_values, refuse_parsed
from cranfield.data.reading.records import Record, Text
from cranfield.data.reading.source import LIMITS, Beginning, Limits, Piece, Source
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import (
    Framed,
    are_numbers,
    first_cells,
    id_columns,
    in_spark,
    is_parquet,
    is_spark,
    tidy,
)
from cranfield.data.run import Reading as Order
from cranfield.data.run import by_order, lacking
from cranfield.data.systems import refuse_twice
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, FileError, InputError
from cranfield.evaluation.options import Options
from cranfield.late import pl
from cranfield.spark.session import Spark, reason, told

Batches: TypeAlias = Iterable[Any]  # of Arrow
LINES = 1 << 16  # rows that become a table at a time, at least
PIECE, STRETCH = 1 << 22, 1 << 27  # bytes that become a table, and that are the work of a task
HEAD = 100  # lines that tell the format of a text
UNPACKED = "gz, bz2, zst or lz4, which the end of its name tells"
NEITHER = (
    "lines of text, Parquet or a DataFrame: read other files with spark.read, without inferSchema, "
    "which parses ids"
)


class Bad(NamedTuple):
    """Rows that are none of a run: what is wrong with the first, and how many there are."""

    found: str
    expected: str
    hint: str
    rows: int

    @classmethod
    def of(cls, errors: Sequence[InputError]) -> Bad:
        first = errors[0]
        found = first.found.partition(" in row ")[0]  # of a batch, which nobody knows
        return cls(found, first.expected, first.hint, len(errors))


@dataclass(frozen=True, eq=False)
class LineReader:
    """Makes tables of lines of text: of rows that are lines, or numbers of stretches of files."""

    format: Format
    text: Text
    where: str
    stretches: Sequence[tuple[str, int, int]] = ()  # path, first byte and that after the last
    limits: Limits = field(default_factory=LIMITS.get)  # of those who ask, not of the workers

    def tables(self, batches: Batches) -> Iterator[Table | Bad]:
        """The tables, and what is wrong with lines, in their order."""
        return map(self._table, self._read(batches) if self.stretches else _lines(batches))

    def _read(self, batches: Batches) -> Iterator[bytes]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                path, *ends = self.stretches[number]
                source = Source(path, self.limits)
                for begin, stop in source.bounds(PIECE, *ends):
                    yield source.stretch(begin, stop)

    def _table(self, text: bytes) -> Table | Bad:
        piece = Piece(self.where, self.limits, text)
        try:
            if piece.long_line(text) is not None or self.format.piece is None:
                raise Irregular
            return self.format.piece(text, "run", self.text)
        except Irregular:
            every = self.format.each(piece, "run", self.text)
            errors = [_shown(found, text) for found in every if isinstance(found, InputError)]
            unknown = InputError(f"lines that are no {self.format.name} run", "results")
            return Bad.of(errors or [unknown])


@dataclass(frozen=True, eq=False)
class RowReader:
    """Makes tables of the rows of a DataFrame, whose columns have our names."""

    text: Text
    where: str

    def tables(self, batches: Batches) -> Iterator[Table | Bad]:
        """The tables, and what is wrong with rows, in their order."""
        for some in _gathered(batches):
            frame = pl.DataFrame(some)
            try:
                found = tidy(frame, "run", self.where, self.text)
                yield Framed.of(found, "run", frame.columns, self.text).table()
            except InputError as error:
                yield Bad.of([error] * self._count(frame))

    def _count(self, frame: Any) -> int:
        """How many rows are wrong, each by itself."""
        wrong = 0
        for row in frame.iter_slices(1):
            try:
                tidy(row, "run", self.where, self.text)
            except InputError:
                wrong += 1
        return max(wrong, 1)


Reader: TypeAlias = LineReader | RowReader


@dataclass(frozen=True, eq=False)
class Reading:
    """How rows become tables of runs: all that a worker needs to know of an input."""

    number: int  # of the input
    reader: Reader
    where: str
    ties: Order | None
    by_tag: bool

    def tables(self, batches: Batches) -> Iterator[Table | Bad]:
        """Tables of one run each, with the values that its rows are ranked by."""
        for table in self.reader.tables(batches):
            if isinstance(table, Bad):
                yield table
            elif len(table):
                yield from self._by_tag(table)

    def _by_tag(self, table: Table) -> Iterator[Table | Bad]:
        each = table.by_tag() if self.by_tag else [replace(table, tag=None, tags=None)]
        for one in each:
            try:
                yield by_order(one.grouped(), self.ties, self.where)
            except InputError as error:
                yield Bad.of([error])


@dataclass(frozen=True, eq=False)
class Given:
    """A DataFrame with one run or several, and how it is read."""

    frame: Any
    reading: Reading
    name: str | None  # if the user gave it one
    in_doubt: str = ""
    files: frozenset[str] = frozenset()  # the URIs of its files, if it is a path


def given_runs(spark: Spark, runs: Any, options: Options, typed: bool) -> list[Given]:
    """The runs of an argument: a path or a DataFrame, several, or a dict from their names."""
    made = _Making(spark, options, typed)
    every = list(runs) if isinstance(runs, list | tuple | Mapping) else [runs]
    if not every:
        raise InputError("no run", "at least one")
    if isinstance(runs, Mapping):
        each = enumerate(runs.items())
        inputs = [made.given(number, run, str(name), str(name)) for number, (name, run) in each]
    else:
        refuse_twice(run for run in every if isinstance(run, str | os.PathLike))
        inputs = [
            made.given(number, run, None, "run" if len(every) == 1 else f"run{number + 1}")
            for number, run in enumerate(every)
        ]
    _refuse_same_files(inputs)
    return inputs


def _refuse_same_files(inputs: Iterable[Given]) -> None:
    """Raise an error if two paths name the same file, as ``x`` and ``file:///dir/x`` can."""
    owners: dict[str, Given] = {}
    for one in inputs:
        for file in sorted(one.files):
            if (other := owners.setdefault(file, one)) is not one:
                problem = f"duplicate run: {other.reading.where} also names {file}"
                raise InputError.problem(problem, "Name each file once.", one.reading.where)


@dataclass(frozen=True, eq=False)
class _Making:
    spark: Spark
    options: Options
    typed: bool

    @property
    def text(self) -> Text:
        options = self.options
        return Text(
            options.separator,
            types=self.typed,
            by_tag=options.run_names == "tag",
            columns=read_columns(options.columns),
        )

    def given(self, number: int, run: Any, name: str | None, where: str) -> Given:
        """One input of runs."""
        if is_spark(run):
            return self._of_frame(number, run, name, where)
        if run == "-":
            raise InputError("standard input", "a path: all workers read it", "-")
        if isinstance(run, str | os.PathLike):
            return self._of_path(number, os.fspath(run), name)
        raise InputError(type(run).__name__, "paths or DataFrames of Spark", where)

    def _of_path(self, number: int, path: str, name: str | None) -> Given:
        lines = text_lines(self.spark, path)
        files = frozenset(lines.inputFiles())
        head = first_lines(lines, path)
        forced = self.options.run_format
        if forced == "parquet" or (forced is None and is_parquet(Beginning(head))):
            made = self._of_frame(number, parquet(self.spark, path), name, head.name)
            return replace(made, files=files)
        decision = decide(head, forced, self.text, "run")
        format, text = decision.format, decision.text
        if not format.streamed:
            raise InputError(f"a {format.name} run", NEITHER, head.name)
        first = next(format.each(head, "run", text), None)
        if isinstance(first, InputError):
            raise first
        if not isinstance(first, Record):
            raise InputError("an empty file", "results", head.name)
        ties = self._order(first.value is not None, first.rank is not None, head.name)
        reader = LineReader(format, text, head.name, [*stretches(lines)])
        if n := len(reader.stretches):
            lines = self.spark.range(0, n, 1, n)
        reading = Reading(number, reader, head.name, ties, text.by_tag)
        return Given(lines, reading, name, files=files)

    def _of_frame(self, number: int, frame: Any, name: str | None, where: str) -> Given:
        text = self.text
        names = list(frame.columns)

        def has_numbers(name: str) -> bool:
            return are_numbers(first_cells(frame, name))

        named = name_columns(names, "run", where, None, text.typed, text.columns, has_numbers)
        refuse_parsed(frame, id_columns(named), where)
        ties = self._order("score" in named, "rank" in named, where)
        chosen = frame.selectExpr(
            *(f"{in_spark(theirs)} AS {in_spark(ours)}" for ours, theirs in named.items())
        )
        doubt = in_doubt(named, frame.columns, text.typed, text.columns)
        reader = RowReader(replace(text, columns={}), where)
        return Given(chosen, Reading(number, reader, where, ties, text.by_tag), name, doubt)

    def _order(self, scored: bool, ranked: bool, where: str) -> Order | None:
        """What the lists are ordered by; rows of DataFrames have no order of their own."""
        asked = self.options.reading
        if asked in ("given", "file") or not (scored or ranked):
            name = "order" if asked == "given" else "ties"
            found = f"{name}={asked}" if asked else "neither scores nor ranks"
            raise InputError(found, "scores or ranks: Spark does not keep the order of rows", where)
        if asked is not None and not (ranked if asked == "rank" else scored):
            raise lacking(asked, where)
        return "rank" if asked is None and not scored else asked


def text_lines(spark: Spark, path: str) -> Any:
    """The lines of a text, as bytes."""
    with told(partial(unreadable, path)):
        lines = spark.read.option("lineSep", "\n").text(in_hadoop(path))
        files = lines.inputFiles()
        if not files:
            why = "Spark finds no file there; those whose names begin with _ or . are none to it"
            raise FileError("read", path, why)
        for file in local_files(files):
            with suppress(OSError):
                record_input(os.stat(file))
        return lines.select(lines["value"].cast("binary"))


def parquet(spark: Spark, path: str) -> Any:
    """The rows of Parquet; the values of partition directories such as ``qid=007`` stay text.

    Spark parses them, unless a schema declares text. The session of the user keeps its settings.
    """
    place = in_hadoop(path)
    with told(partial(unreadable, path)):
        rows = spark.read.parquet(place)
        texts = {*partition_values(rows)} & {*rows.columns}
        if not texts:
            return rows
        within = spark.read.option("recursiveFileLookup", True).parquet(place)  # no partitions
        types = {column.name: column.dataType for column in within.schema}
        schema = rows.schema.jsonValue()
        for column, parsed in zip(schema["fields"], rows.schema, strict=True):
            if types.get(parsed.name) != parsed.dataType:
                column["type"] = "string"
        rows = spark.read.schema(type(rows.schema).fromJson(schema)).parquet(place)
        return rows.withColumns({name: rows[in_spark(name)].cast("string") for name in texts})


def in_hadoop(path: str) -> str:
    """How Spark is told of a file that is here, whose name could mean others: patterns stay.

    >>> in_hadoop("runs/*.txt")
    'runs/*.txt'
    """
    return re.sub(r"[][*?{}\\]", r"\\\g<0>", path) if os.path.exists(path) else path


def stretches(lines: Any) -> Iterator[tuple[str, int, int]]:
    """Stretches of the files that lines are in, if these are here and not packed: workers read them
    in far less time than Java, which makes a row of every line.
    """
    files = lines.inputFiles()
    sources = [Source(path) for path in local_files(files)]
    if len(sources) == len(files) and all(source.plain for source in sources):
        total = sum(os.path.getsize(source) for source in sources)
        size = min(max(total // 16, PIECE), STRETCH)
        for source in sources:
            yield from ((source.path, *ends) for ends in source.bounds(size))


def local_files(uris: Iterable[str]) -> list[str]:
    """Return the paths of the files that are on this machine.

    >>> local_files(["file:///runs/a%20b.txt", "hdfs://host/runs/c.txt"])
    ['/runs/a b.txt']
    """
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    files = map(urlsplit, uris)
    return [url2pathname(file.path) for file in files if file.scheme == "file"]


def first_lines(lines: Any, path: str) -> Piece:
    """How a text begins."""
    with told(partial(unreadable, path)):
        head = Piece(path, text=b"".join(bytes(row[0]) + b"\n" for row in lines.take(HEAD)))
    if layer := packed_in(head.text):
        raise InputError(f"{layer} data", f"text, or packed as Spark unpacks it: {UNPACKED}", path)
    return head


def unreadable(path: str, error: Exception) -> CranfieldError:
    """The error that a path is which Spark cannot read."""
    missing = "PATH_NOT_FOUND" in str(error)
    return FileError("read", path, "no such file or directory" if missing else reason(error))


# -- batches --------------------------------------------------------------------------------------


def _shown(error: InputError, text: bytes) -> InputError:
    """The error with its line, whose number tells nothing: others stand before the text."""
    if error.line is None or "(" in error.found:
        return error
    line = short(text.split(b"\n")[error.line - 1].decode("utf-8", "replace").strip())
    return InputError(f"{error.found} ({line})", error.expected, hint=error.hint)


def _gathered(batches: Batches) -> Iterator[Any]:
    """Batches, as tables of at least so many rows: what is done with a table takes a while."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= LINES:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []
    if held and sum(map(len, held)):
        yield pa.Table.from_batches(held).combine_chunks()


def _lines(batches: Batches) -> Iterator[bytes]:
    """The text of lines."""
    return (_joined(some.column(0)) for some in _gathered(batches))


def _joined(lines: Any) -> bytes:
    """A column of lines as the text that they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = lines.combine_chunks() if isinstance(lines, pa.ChunkedArray) else lines
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    whole = pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column)
    joined: bytes = pc.binary_join(whole, b"\n")[0].as_buffer().to_pybytes()
    return joined + b"\n"


def readable_qrels(spark: Spark, qrels: Any) -> Any:
    """Judgments as the readers take them; what only Spark can read is fetched."""
    if not isinstance(qrels, str | os.PathLike) or "://" not in (path := os.fspath(qrels)):
        return qrels
    lines = text_lines(spark, path)
    if is_parquet(Beginning(first_lines(lines, path))):
        return parquet(spark, path)
    return Piece(path, text=b"".join(bytes(row[0]) + b"\n" for row in lines.collect()))
