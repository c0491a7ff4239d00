"""Runs as Spark inputs: DataFrames, and readers that build tables on the workers.

The readers of `data/` parse lines of text, so that there is one grammar. Rows of a DataFrame have
no order: options that depend on the order of lines raise an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.files import register_input
from cranfield.data.orders import Reading as Order
from cranfield.data.orders import apply_order, make_missing_error
from cranfield.data.reading.adapters import read_partition_values, reject_parsed_ids
from cranfield.data.reading.columns import describe_doubts, name_columns, read_columns
from cranfield.data.reading.compression import detect_compression
from cranfield.data.reading.formats import Format, detect_format
from cranfield.data.reading.lines import truncate_text
from cranfield.data.reading.records import ReadOptions, Record
from cranfield.data.reading.source import LIMITS, Beginning, Limits, Piece, Source
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import (
    TidyFrame,
    is_numeric,
    is_parquet,
    is_spark,
    list_id_columns,
    quote_spark_name,
    read_first_cells,
    tidy_table,
)
from cranfield.data.systems import check_distinct_paths
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, FileError, InputError
from cranfield.evaluation.options import Options
from cranfield.lazy_imports import pl
from cranfield.spark.session import Spark, find_reason, wrap_spark_errors

Batches: TypeAlias = Iterable[Any]  # of Arrow
TABLE_ROWS = 1 << 16  # rows that become a table at a time, at least
TABLE_BYTES, PARTITION_BYTES = (1 << 22, 1 << 27)  # bytes that become a table, and that are the work of a task
HEAD_LINES = 100  # Lines used to detect the format.
COMPRESSIONS = "gz, bz2, zst or lz4, by its extension"
EXPECTED_INPUT = (
    "lines of text, Parquet or a DataFrame: read other files with spark.read, without inferSchema, which parses ids"
)


class RowErrors(NamedTuple):
    """Invalid rows of a run: the error of the first, and their number."""

    found: str
    expected: str
    hint: str
    rows: int

    @classmethod
    def from_errors(cls, errors: Sequence[InputError]) -> RowErrors:
        first = errors[0]
        problem = first.found.partition(" in row ")[0]  # of a batch, which nobody knows
        return cls(problem, first.expected, first.hint, len(errors))


@dataclass(frozen=True, eq=False)
class LineReader:
    """Builds tables from lines of text, or from numbers of file partitions."""

    format: Format
    text: ReadOptions
    location: str
    partitions: Sequence[tuple[str, int, int]] = ()  # path, first byte and that after the last
    limits: Limits = field(default_factory=LIMITS.get)  # of those who ask, not of the workers

    def read_tables(self, batches: Batches) -> Iterator[Table | RowErrors]:
        """Yield the tables, and the errors of lines, in order."""
        return map(self._parse, self._read(batches) if self.partitions else _read_text(batches))

    def _read(self, batches: Batches) -> Iterator[bytes]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                path, *ends = self.partitions[number]
                source = Source(path, self.limits)
                for begin, stop in source.iter_bounds(TABLE_BYTES, *ends):
                    yield source.read_range(begin, stop)

    def _parse(self, text: bytes) -> Table | RowErrors:
        piece = Piece(self.location, self.limits, text)
        try:
            if piece.find_long_line(text) is not None or self.format.read_piece is None:
                raise Irregular
            return self.format.read_piece(text, "run", self.text)
        except Irregular:
            records = self.format.iter_records(piece, "run", self.text)
            errors = [_add_line_text(record, text) for record in records if isinstance(record, InputError)]
            unknown = InputError(f"lines that are no {self.format.name} run", "results")
            return RowErrors.from_errors(errors or [unknown])


@dataclass(frozen=True, eq=False)
class RowReader:
    """Builds tables from the rows of a DataFrame with our column names."""

    text: ReadOptions
    location: str

    def read_tables(self, batches: Batches) -> Iterator[Table | RowErrors]:
        """Yield the tables, and the errors of rows, in order."""
        for table in _combine_batches(batches):
            frame = pl.DataFrame(table)
            try:
                tidy_frame = tidy_table(frame, "run", self.location, self.text)
                yield TidyFrame.from_frame(tidy_frame, "run", frame.columns, self.text).to_table()
            except InputError as error:
                yield RowErrors.from_errors([error] * self._count_bad_rows(frame))

    def _count_bad_rows(self, frame: Any) -> int:
        """Count the rows that are invalid by themselves."""
        wrong = 0
        for row in frame.iter_slices(1):
            try:
                tidy_table(row, "run", self.location, self.text)
            except InputError:
                wrong += 1
        return max(wrong, 1)


Reader: TypeAlias = LineReader | RowReader


@dataclass(frozen=True, eq=False)
class RunReader:
    """Reader of an input: everything a worker needs to build tables of runs."""

    number: int  # of the input
    reader: Reader
    location: str
    ties: Order | None
    by_tag: bool

    def read_tables(self, batches: Batches) -> Iterator[Table | RowErrors]:
        """Tables of one run each, with the values that its rows are ranked by."""
        for table in self.reader.read_tables(batches):
            if isinstance(table, RowErrors):
                yield table
            elif len(table):
                yield from self._split_by_tag(table)

    def _split_by_tag(self, table: Table) -> Iterator[Table | RowErrors]:
        tables = table.split_by_tag() if self.by_tag else [replace(table, tag=None, tags=None)]
        for part in tables:
            try:
                yield apply_order(part.group_by_topic(), self.ties, self.location)
            except InputError as error:
                yield RowErrors.from_errors([error])


@dataclass(frozen=True, eq=False)
class RunInput:
    """A DataFrame with one or more runs, and its reader."""

    frame: Any
    reading: RunReader
    name: str | None  # if the user gave it one
    in_doubt: str = ""
    files: frozenset[str] = frozenset()  # the URIs of its files, if it is a path


def prepare_runs(spark: Spark, runs: Any, options: Options, typed: bool) -> list[RunInput]:
    """Return the inputs for a path or a DataFrame, several of them, or a dict from names."""
    builder = _InputBuilder(spark, options, typed)
    run_list = list(runs) if isinstance(runs, list | tuple | Mapping) else [runs]
    if not run_list:
        raise InputError("no run", "at least one")
    if isinstance(runs, Mapping):
        numbered_runs = enumerate(runs.items())
        inputs = [builder.build(number, run, str(name), str(name)) for number, (name, run) in numbered_runs]
    else:
        check_distinct_paths(run for run in run_list if isinstance(run, str | os.PathLike))
        inputs = [
            builder.build(number, run, None, "run" if len(run_list) == 1 else f"run{number + 1}")
            for number, run in enumerate(run_list)
        ]
    _check_same_files(inputs)
    return inputs


def _check_same_files(inputs: Iterable[RunInput]) -> None:
    """Raise an error if two paths name the same file, as ``x`` and ``file:///dir/x`` can."""
    owners: dict[str, RunInput] = {}
    for run_input in inputs:
        for file in sorted(run_input.files):
            if (owner := owners.setdefault(file, run_input)) is not run_input:
                problem = f"duplicate run: {owner.reading.location} also names {file}"
                raise InputError.from_problem(problem, "Name each file once.", run_input.reading.location)


@dataclass(frozen=True, eq=False)
class _InputBuilder:
    spark: Spark
    options: Options
    typed: bool

    @property
    def text(self) -> ReadOptions:
        options = self.options
        return ReadOptions(
            options.separator,
            types=self.typed,
            by_tag=options.run_names == "tag",
            columns=read_columns(options.columns),
        )

    def build(self, number: int, run: Any, name: str | None, location: str) -> RunInput:
        """One input of runs."""
        if is_spark(run):
            return self._build_from_frame(number, run, name, location)
        if run == "-":
            raise InputError("standard input", "a path: all workers read it", "-")
        if isinstance(run, str | os.PathLike):
            return self._build_from_path(number, os.fspath(run), name)
        raise InputError(type(run).__name__, "paths or DataFrames of Spark", location)

    def _build_from_path(self, number: int, path: str, name: str | None) -> RunInput:
        lines = read_lines(self.spark, path)
        files = frozenset(lines.inputFiles())
        head = read_head(lines, path)
        forced = self.options.run_format
        if forced == "parquet" or (forced is None and is_parquet(Beginning(head))):
            run_input = self._build_from_frame(number, read_parquet_rows(self.spark, path), name, head.name)
            return replace(run_input, files=files)
        decision = detect_format(head, forced, self.text, "run")
        format, text = decision.format, decision.options
        if not format.streams_runs:
            raise InputError(f"a {format.name} run", EXPECTED_INPUT, head.name)
        first = next(format.iter_records(head, "run", text), None)
        if isinstance(first, InputError):
            raise first
        if not isinstance(first, Record):
            raise InputError("an empty file", "results", head.name)
        ties = self._choose_order(first.value is not None, first.rank is not None, head.name)
        reader = LineReader(format, text, head.name, [*split_files(lines)])
        if n := len(reader.partitions):
            lines = self.spark.range(0, n, 1, n)
        reading = RunReader(number, reader, head.name, ties, text.by_tag)
        return RunInput(lines, reading, name, files=files)

    def _build_from_frame(self, number: int, frame: Any, name: str | None, location: str) -> RunInput:
        text = self.text
        names = list(frame.columns)

        def has_numbers(name: str) -> bool:
            return is_numeric(read_first_cells(frame, name))

        columns = name_columns(names, "run", location, None, text.uses_second_column, text.columns, has_numbers)
        reject_parsed_ids(frame, list_id_columns(columns), location)
        ties = self._choose_order("score" in columns, "rank" in columns, location)
        selection = frame.selectExpr(
            *(f"{quote_spark_name(column)} AS {quote_spark_name(target)}" for target, column in columns.items())
        )
        doubt = describe_doubts(columns, frame.columns, text.uses_second_column, text.columns)
        reader = RowReader(replace(text, columns={}), location)
        return RunInput(selection, RunReader(number, reader, location, ties, text.by_tag), name, doubt)

    def _choose_order(self, scored: bool, ranked: bool, location: str) -> Order | None:
        """Return the order of rankings; rows of DataFrames have no order."""
        order = self.options.reading
        if order in ("given", "file") or not (scored or ranked):
            name = "order" if order == "given" else "ties"
            problem = f"{name}={order}" if order else "neither scores nor ranks"
            raise InputError(problem, "scores or ranks: Spark does not keep the order of rows", location)
        if order is not None and not (ranked if order == "rank" else scored):
            raise make_missing_error(order, location)
        return "rank" if order is None and not scored else order


def read_lines(spark: Spark, path: str) -> Any:
    """Return the lines of a text as bytes."""
    with wrap_spark_errors(partial(make_read_error, path)):
        lines = spark.read.option("lineSep", "\n").text(escape_path(path))
        files = lines.inputFiles()
        if not files:
            reason = "Spark finds no file; it ignores names that start with _ or ."
            raise FileError("read", path, reason)
        for file in find_local_files(files):
            with suppress(OSError):
                register_input(os.stat(file), file)
        return lines.select(lines["value"].cast("binary"))


def read_parquet_rows(spark: Spark, path: str) -> Any:
    """Return the rows of Parquet files, with values of partition directories such as ``qid=007`` as
    text.

    Spark parses these values unless a schema declares text. The settings of the session stay
    unchanged.
    """
    place = escape_path(path)
    with wrap_spark_errors(partial(make_read_error, path)):
        rows = spark.read.parquet(place)
        texts = {*read_partition_values(rows)} & {*rows.columns}
        if not texts:
            return rows
        within = spark.read.option("recursiveFileLookup", True).parquet(place)  # no partitions
        types = {column.name: column.dataType for column in within.schema}
        schema = rows.schema.jsonValue()
        for column, parsed in zip(schema["fields"], rows.schema, strict=True):
            if types.get(parsed.name) != parsed.dataType:
                column["type"] = "string"
        rows = spark.read.schema(type(rows.schema).fromJson(schema)).parquet(place)
        return rows.withColumns({name: rows[quote_spark_name(name)].cast("string") for name in texts})


def escape_path(path: str) -> str:
    """Escape the path of a local file for Spark; patterns of several files stay unchanged.

    >>> escape_path("runs/*.txt")
    'runs/*.txt'
    """
    return re.sub(r"[][*?{}\\]", r"\\\g<0>", path) if os.path.exists(path) else path


def split_files(lines: Any) -> Iterator[tuple[str, int, int]]:
    """Split uncompressed local files into ranges of bytes.

    Workers read them much faster than Java, which makes a row of every line.
    """
    files = lines.inputFiles()
    sources = [Source(path) for path in find_local_files(files)]
    if len(sources) == len(files) and all(source.is_seekable for source in sources):
        total = sum(os.path.getsize(source) for source in sources)
        size = min(max(total // 16, TABLE_BYTES), PARTITION_BYTES)
        for source in sources:
            yield from ((source.path, *ends) for ends in source.iter_bounds(size))


def find_local_files(uris: Iterable[str]) -> list[str]:
    """Return the paths of the files that are on this machine.

    >>> find_local_files(["file:///runs/a%20b.txt", "hdfs://host/runs/c.txt"])
    ['/runs/a b.txt']
    """
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    files = map(urlsplit, uris)
    return [url2pathname(file.path) for file in files if file.scheme == "file"]


def read_head(lines: Any, path: str) -> Piece:
    """Return the first lines of a text."""
    with wrap_spark_errors(partial(make_read_error, path)):
        head = Piece(path, text=b"".join(bytes(row[0]) + b"\n" for row in lines.take(HEAD_LINES)))
    if layer := detect_compression(head.text):
        raise InputError(f"{layer} data", f"text, or packed as Spark unpacks it: {COMPRESSIONS}", path)
    return head


def make_read_error(path: str, error: Exception) -> CranfieldError:
    """Return the error for a path that Spark cannot read."""
    missing = "PATH_NOT_FOUND" in str(error)
    return FileError("read", path, "no such file or directory" if missing else find_reason(error))


# -- batches --------------------------------------------------------------------------------------


def _add_line_text(error: InputError, text: bytes) -> InputError:
    """Return the error with the text of its line; the line number is relative to a part."""
    if error.line is None or "(" in error.found:
        return error
    line = truncate_text(text.split(b"\n")[error.line - 1].decode("utf-8", "replace").strip())
    return InputError(f"{error.found} ({line})", error.expected, hint=error.hint)


def _combine_batches(batches: Batches) -> Iterator[Any]:
    """Combine batches to tables with a minimum of rows, because each table has a cost."""
    import pyarrow as pa

    pending: list[Any] = []
    for batch in batches:
        pending.append(batch)
        if sum(map(len, pending)) >= TABLE_ROWS:
            yield pa.Table.from_batches(pending).combine_chunks()
            pending = []
    if pending and sum(map(len, pending)):
        yield pa.Table.from_batches(pending).combine_chunks()


def _read_text(batches: Batches) -> Iterator[bytes]:
    """Yield the text of lines."""
    return (_join_lines(table.column(0)) for table in _combine_batches(batches))


def _join_lines(lines: Any) -> bytes:
    """Join a column of lines to a text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = lines.combine_chunks() if isinstance(lines, pa.ChunkedArray) else lines
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column)
    text: bytes = pc.binary_join(lists, b"\n")[0].as_buffer().to_pybytes()
    return text + b"\n"


def prepare_qrels(spark: Spark, qrels: Any) -> Any:
    """Return judgments for the readers; files that only Spark can read are fetched."""
    if not isinstance(qrels, str | os.PathLike) or "://" not in (path := os.fspath(qrels)):
        return qrels
    lines = read_lines(spark, path)
    if is_parquet(Beginning(read_head(lines, path))):
        return read_parquet_rows(spark, path)
    return Piece(path, text=b"".join(bytes(row[0]) + b"\n" for row in lines.collect()))
