"""Tables: CSV and TSV with a header, JSONL, Parquet, Arrow, Polars and pandas frames.

Polars reads them; all become a `Table`. A run without scores has no values: its order is that of
its ranks or, without those, the table's own.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np

from cranfield import kernel
from cranfield.arrays import Words
from cranfield.data.reading import strings
from cranfield.data.reading.adapters import FRAMES, get_library, is_table, to_frame
from cranfield.data.reading.binary import (
    Parquet,
    can_read_text,
    decode_bytes,
    is_stream,
    read_binary,
    read_column_names,
    reject_forked,
)
from cranfield.data.reading.columns import (
    LEVELS,
    VALUE,
    Kind,
    describe_doubts,
    find_column,
    find_spelling,
    infer_kind,
    is_header,
    list_unknown_columns,
    name_columns,
    reject_duplicates,
    select_columns,
)
from cranfield.data.reading.labels import COLUMN_LABELS, can_be_levels, get_level
from cranfield.data.reading.lines import (
    BLANK,
    NUMBER,
    make_encoding_error,
    parse_finite,
    scan_lines,
    truncate_text,
)
from cranfield.data.reading.partitions import reject_parsed_ids
from cranfield.data.reading.records import (
    COLUMNS,
    DEFAULT_OPTIONS,
    Problem,
    ReadOptions,
    RecordBuilder,
    RecordItem,
)
from cranfield.data.reading.source import Beginning, FileBytes, Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.trec import reject_other_encodings
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.lazy_imports import pl
from cranfield.wording import format_count

Row: TypeAlias = tuple[int | None, dict[str, Any]]  # the line, if it has one, and named cells
Rows: TypeAlias = Iterator[Row | InputError]
Frame: TypeAlias = "Callable[[Source, Sequence[str] | None], pl.DataFrame]"  # some columns, or all
Part: TypeAlias = Callable[[], Table]
PART = 1 << 18  # rows of a frame that become a table at a time


@dataclass(frozen=True)
class Tabular:
    """A way to write tables with named columns: read whole, or row by row."""

    read_frame: Frame  # errors may be Polars' own; cells of text are text
    read_rows: Callable[
        [Source, bool], Rows
    ]  # blanks around cells of text may be part of them, or not
    read_names: Callable[[Source], Iterable[Any]]  # of the columns
    headed: bool = False  # whether the first row is the header, and cells are text
    mixed: bool = False  # whether every row names its own columns
    has_lines: bool = True  # whether rows are lines
    read_cells: Callable[[Source], dict[str, list[str]]] | None = (
        None  # column by column, or Irregular
    )
    open_long: Callable[[Source], Parquet | None] = lambda source: None  # one to read part by part
    first: Callable[[], Iterable[Row]] | None = None  # rows, if `rows` can be read only once

    def read_table(self, source: Source, kind: Kind, options: ReadOptions) -> Table:
        """The table of a file, or Irregular if there is anything wrong with it."""
        return self.read_tidy(source, kind, options).to_table()

    def read_tidy(self, source: Source, kind: Kind, options: ReadOptions) -> TidyFrame:
        """The columns of a file that matter, or Irregular if there is anything wrong with them."""
        if self.mixed or (self.headed and not can_read_text()):
            raise Irregular
        try:
            frame, names, frame_options = self._read_needed(source, kind, options)
            columns = tidy_table(frame, kind, source.name, frame_options)
        except (pl.exceptions.PolarsError, InputError):
            raise Irregular from None
        short = self.headed and any(column.null_count() for column in (*columns, frame[:, -1]))
        if short or not len(frame):
            raise Irregular  # an empty cell, or a line with too few of them; or no line
        return TidyFrame.from_frame(columns, kind, names, options)

    def _read_needed(
        self, source: Source, kind: Kind, options: ReadOptions
    ) -> tuple[pl.DataFrame, list[str], ReadOptions]:
        """What is needed of a file, the names of all columns, and the text for what is needed."""
        if self.has_lines:
            frame = self.read_frame(source, None)
            return frame, frame.columns, options
        names = list(self.read_names(source))
        columns = _name_columns(
            names, kind, source.name, options, None, partial(self._read_first_cells, source)
        )
        frame = self.read_frame(source, list(dict.fromkeys(columns.values())))
        return frame, names, _resolve_user_columns(options, columns, kind)

    def _read_first_cells(self, source: Source, name: str) -> Iterable[Any]:
        """Some cells of a column of a binary file."""
        return read_first_cells(self.read_frame(source, [name]), name)

    def get_parts(
        self, source: Source, kind: Kind, options: ReadOptions
    ) -> Callable[[], Iterator[Part]] | None:
        """How a long file is read, Irregular where a part is not in order; None if it is short."""
        if (file := self.open_long(source)) is None:
            return None
        try:
            names = file.names
            cells = partial(self._read_first_cells, source)
            columns = _name_columns(names, kind, source.name, options, None, cells)
            used = list(dict.fromkeys(columns.values()))
            file.reject_damaged(used)
        except InputError:
            raise Irregular from None
        part = partial(
            _read_part, file, names, kind, options, _resolve_user_columns(options, columns, kind)
        )
        return lambda: (partial(part, read) for read in file.iter_parts(used, PART))

    def read_records(
        self, source: Source, kind: Kind, options: ReadOptions
    ) -> Iterator[RecordItem]:
        """The rows of a file, each as a record."""
        recorder = RecordBuilder(kind, source.name, options, tabular=True)
        cache: dict[tuple[str, ...], dict[str, str]] = {}
        cells_of = _FirstRows(self, source).get_cells
        for row in self.read_rows(source, False):
            if isinstance(row, InputError):
                yield row
                continue
            line, cells = row
            columns = tuple(cells)
            if columns not in cache:
                try:
                    names = list(cells)
                    cache[columns] = _name_columns(
                        names, kind, source.name, options, line, cells_of
                    )
                except InputError as error:
                    yield error
                    if self.mixed:
                        continue
                    return
                labels = get_labels(cache[columns].get("level", ""), options)
                recorder = replace(recorder, options=replace(options, labels=labels))
                if doubt := _describe_columns(cache[columns], columns, options):
                    yield Problem("warning", source.name, line, doubt, kind=COLUMNS)
                if self.headed:
                    continue
            fields = {name: cells[column] for name, column in cache[columns].items()}
            yield recorder.build_record(fields, line, line is None and VALUE[kind] in fields)
        if cache and (order := _describe_order(kind, options, chain.from_iterable(cache.values()))):
            yield Problem("warning", source.name, None, order, kind=COLUMNS)

    def detect_kind(self, source: Source, options: ReadOptions) -> Kind:
        """Judgments or results? Told by the names of the columns, or by those the user gave.

        If no name tells, an unknown column of few integers is one of levels.
        """
        if (kind := infer_kind(options.columns)) is not None:
            return kind
        try:
            names = [str(name) for name in self.read_names(source)]
            if find_column("rank", names) or find_column("tag", names):
                return "run"
            if find_spelling((*LEVELS, "corpus-id"), names):
                return "qrels"
            return "run" if find_column("score", names) else self._infer_kind(source, options)
        except (CranfieldError, ValueError, TypeError, RecursionError):
            return "run"  # and let the records say what is wrong

    def _infer_kind(self, source: Source, options: ReadOptions) -> Kind:
        """Judgments or results, by the values of the first unknown column of numbers."""
        for cells in map(
            _FirstRows(self, source).get_cells, list_unknown_columns(self.read_names(source))
        ):
            if is_numeric(cells):
                return "qrels" if can_be_levels(str(x) for x in cells if x is not None) else "run"
        return "run"


@dataclass(frozen=True, eq=False)
class _FirstRows:
    """The first rows of a table, read when a column has to be examined."""

    table: Tabular
    source: Source

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        table = self.table
        rows = table.read_rows(self.source, False) if table.first is None else iter(table.first())
        first = islice(rows, int(table.headed), FIRST)
        return [row[1] for row in first if not isinstance(row, InputError)]

    def get_cells(self, name: str) -> list[Any]:
        """Some cells of a column."""
        return [row[name] for row in self.rows if name in row]


# -- text: CSV and TSV ----------------------------------------------------------------------------


def make_separated(signs: str) -> Tabular:
    """A table of text, whose first line names the columns; one of the signs separates them."""

    def read_frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        text, separator = source.read(), _choose_separator(signs, Beginning(source).first)
        reject_other_encodings(text)
        quote = rb'(?:^|(?<=%b))"(?:[^"]|"")*"(?=%b|\r?$)' % ((separator.encode(),) * 2)
        if text.count(b"\r") != text.count(b"\r\n") or text.count(b'"') % 2:
            raise Irregular  # the records say where lines and quotations end
        header = re.match(rb"\s*([^\n]*)", text)
        if header and b'"' in re.sub(quote, b"", header[1]):  # and what one in a name is
            raise Irregular
        if any(blank in text for blank in (b"\x1c", b"\x1d", b"\x1e", b"\x1f")):  # to Python alone
            raise Irregular
        if source.find_long_line(text) is not None:
            raise source.make_long_line_error(None)
        if header is not None:  # Polars would rename duplicates
            reject_duplicates(_split_header(header[1].decode(), separator), source.name)
        if not text.endswith(b"\n"):
            text += b"\n"  # Polars forgives a field too many before the end
        return pl.read_csv(
            text,
            separator=separator,
            infer_schema=False,  # identifiers are strings and never parsed
            quote_char='"',
        ).select(pl.all().str.strip_chars(BLANK))

    def read_names(source: Source) -> list[str]:
        return split_names(signs, Beginning(source).first)

    return Tabular(
        read_frame,
        partial(_read_separated, signs),
        read_names,
        headed=True,
        read_cells=partial(_read_cells, signs),
    )


def _split_header(header: str, separator: str) -> list[str]:
    """Return the names in a header, without quotation marks and surrounding spaces."""
    import csv

    rows = csv.reader([header], delimiter=separator)
    return [name.strip(BLANK) for name in next(rows, [])]


def split_names(signs: str, header: str) -> list[str]:
    """The names in a header, between those of some signs that are there."""
    return header.split(_choose_separator(signs, header))


def _choose_separator(signs: str, header: str) -> str:
    """The one of some signs that a line has most, the first of them if it has none.

    >>> _separator(",;", "qid;docno;score"), _separator(",;", "qid,docno,score")
    (';', ',')
    """
    return max(signs, key=header.count)


def is_headed(signs: str, beginning: Beginning) -> bool:
    """Whether the first line names the columns of judgments or results."""
    names = split_names(signs, beginning.first)
    return not names[0].lstrip().startswith("{") and is_header(names)


def _read_separated(signs: str, source: Source, verbatim: bool) -> Rows:
    """The rows of such a table, the header being the first; it is never taken `verbatim`."""
    import csv

    text, separator = source.read(), _choose_separator(signs, Beginning(source).first)
    if (position := source.find_long_line(text)) is not None:
        yield source.make_long_line_error(
            source.get_line_number(text.count(b"\n", 0, position) + 1)
        )
        return
    try:
        text.decode()  # to tell on which line it is no text
    except UnicodeDecodeError as error:
        line = source.get_line_number(text.count(b"\n", 0, error.start) + 1)
        yield make_encoding_error(text[error.start : error.start + 4], source, line)
        return
    if csv.field_size_limit() < source.limits.line:
        csv.field_size_limit(source.limits.line)  # texts of documents are as long as lines may be
    # Line by line: StringIO would hold the whole file again, with four bytes for each character.
    decoded = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    table = csv.reader(decoded, delimiter=separator, strict=True)
    header: list[str] = []
    try:
        for row in table:
            if not any(cell.strip(BLANK) for cell in row):
                continue
            cells = [cell if verbatim and header else cell.strip(BLANK) for cell in row]
            if not header:
                header = cells
                reject_duplicates(header, source.name, source.get_line_number(table.line_num))
            if len(cells) == len(header):
                yield source.get_line_number(table.line_num), dict(zip(header, cells, strict=True))
                continue
            actual = f"{format_count(len(cells), 'field')} ({truncate_text(separator.join(cells))})"
            expected = f"{len(header)}: {' '.join(header)}"
            yield InputError(actual, expected, source.name, source.get_line_number(table.line_num))
    except InputError as error:
        yield error
    except csv.Error as error:
        line = source.get_line_number(table.line_num)
        yield InputError(str(error), "a well-formed table", source.name, line)


def _read_cells(signs: str, source: Source) -> dict[str, list[str]]:
    """The cells of such a table column by column, or Irregular, for the rows to say where."""
    import csv

    text, separator = source.read(), _choose_separator(signs, Beginning(source).first)
    if source.find_long_line(text) is not None:
        raise Irregular
    decoded = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    try:
        header, *rows = csv.reader(decoded, delimiter=separator, strict=True)
        columns = zip(*rows, strict=True)
        stripped = [[cell.strip(BLANK) for cell in column] for column in columns]
        by_name = dict(zip((name.strip(BLANK) for name in header), stripped, strict=True))
    except (
        csv.Error,
        ValueError,
    ):  # no text, or no table; a blank line; a cell too many or too few
        raise Irregular from None
    if len(by_name) < len(header):
        raise Irregular
    return by_name


# -- a JSON object on each line -------------------------------------------------------------------


def make_json_lines() -> Tabular:
    """A table with an object for each row, which names its cells."""

    def read_frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        rows = []
        for row in read_json_rows(source):
            if isinstance(row, InputError):
                raise row
            rows.append(row[1])
        return pl.DataFrame(rows, infer_schema_length=None)

    def read_names(source: Source) -> Iterable[Any]:
        import json

        return list(json.loads(Beginning(source).first))

    return Tabular(read_frame, read_json_rows, read_names, mixed=True)


def read_json_rows(source: Source, verbatim: bool = False) -> Rows:
    """The objects that the lines of a file are."""
    from json import JSONDecoder

    decoder = JSONDecoder(object_pairs_hook=_reject_duplicate_keys)
    for number, line in scan_lines(source):
        if isinstance(line, InputError):
            yield line
            continue
        try:
            row = decoder.decode(line)
        except InputError as error:
            yield InputError(error.found, "", source.name, number, error.hint)
            continue
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            yield number, row
        else:
            begun = line.strip() in ("{", "[")
            hint = "one on each line; or is all of it one object? then its name ends in .json"
            yield InputError(
                truncate_text(line.strip()),
                "a JSON object",
                source.name,
                number,
                hint if begun else "",
            )


def from_rows(rows: Iterable[Row], first: Callable[[], Iterable[Row]] | None = None) -> Tabular:
    """A table of rows that are at hand, each of which names its cells.

    `first` returns rows from the first one, if `rows` can be read only once.
    """

    def read_frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        raise Irregular

    def read_names(source: Source) -> Iterable[Any]:
        return next((cells for _, cells in rows), {})

    return Tabular(
        read_frame,
        lambda source, verbatim: iter(rows),
        read_names,
        mixed=True,
        has_lines=False,
        first=first,
    )


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        duplicate = next(
            key for key, count in Counter(key for key, _ in pairs).items() if count > 1
        )
        raise InputError.from_problem(
            f"duplicate key {duplicate!r}", "Rename or remove one of them."
        )
    return row


# -- Parquet and Arrow ----------------------------------------------------------------------------


def make_binary(name: str) -> Tabular:
    """A table that Polars reads from bytes."""

    def read_frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        return decode_bytes(read_binary(name, source.read(), source.name, columns=columns))

    def read_rows(source: Source, verbatim: bool) -> Rows:
        parts: Iterable[Callable[[], pl.DataFrame]] = [partial(read_frame, source, None)]
        if (file := open_long(source)) is not None:
            file.reject_damaged(None)
            parts = file.iter_parts(file.names, PART)
        return ((None, row) for part in parts for row in part().iter_rows(named=True))

    def read_names(source: Source) -> list[str]:
        return read_column_names(name, source.read(), source.name)

    def open_long(source: Source) -> Parquet | None:
        if name != "parquet":
            return None
        by_name = (
            source.is_seekable and source.path == source.name
        )  # by its name, Polars reads it itself
        file = Parquet(FileBytes(source) if by_name else source.read(), source.name)
        return file if file.rows > PART else None

    return Tabular(read_frame, read_rows, read_names, has_lines=False, open_long=open_long)


def _read_part(
    file: Parquet,
    names: list[str],
    kind: Kind,
    options: ReadOptions,
    frame_options: ReadOptions,
    read: Callable[[], pl.DataFrame],
) -> Table:
    try:
        frame = tidy_table(read(), kind, file.location or "", frame_options)
        table = TidyFrame.from_frame(frame, kind, names, options).to_table()
        return replace(table, bytes_read=round(len(file.data) / file.rows * len(table)))
    except (pl.exceptions.PolarsError, InputError):
        raise Irregular from None


def is_parquet(beginning: Beginning) -> bool:
    """Whether a file begins as Parquet does, and not with a topic named PAR1 or PAR1-x."""
    return re.match(rb"PAR1(?![\s!-~])", beginning.start) is not None


def is_arrow(beginning: Beginning) -> bool:
    """Whether a file begins as Arrow does: a file or a stream."""
    return beginning.start.startswith(b"ARROW1\0\0") or is_stream(beginning.start)


# -- frames ---------------------------------------------------------------------------------------


def is_frame(data: Any) -> bool:
    """Whether this is a frame of Polars, pandas or Spark, or a table that `to_frame` turns into
    one (no library of which need be installed).
    """
    framed = get_library(data) in ("polars", "pandas", "pyspark") and type(data).__name__ in FRAMES
    return framed or is_table(data)


def is_spark(data: Any) -> bool:
    """Whether this is a frame of Spark, whose rows are elsewhere."""
    return get_library(data) == "pyspark" and is_frame(data)


def quote_spark_name(name: str) -> str:
    """How Spark is told the name of a column, whatever signs are in it.

    >>> in_spark("AP.EU")
    '`AP.EU`'
    """
    return f"`{name.replace('`', '``')}`"


def read_frame(
    data: Any, kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS
) -> Table:
    """A Polars or pandas frame with our column names and types."""
    return tidy_frame(data, kind, location, options).to_table()


def tidy_frame(
    data: Any, kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS
) -> TidyFrame:
    """The columns of a Polars or pandas frame that matter; of a lazy one, only they are made."""

    reject_forked(location)
    data = to_frame(data, location, VALUE[kind])
    lazy = type(data).__name__ == "LazyFrame"
    names = list(map(str, data.collect_schema().names() if lazy else data.columns))
    columns = _name_columns(names, kind, location, options, None, partial(read_first_cells, data))
    used = list(dict.fromkeys(columns.values()))
    if is_spark(data):
        reject_parsed_ids(data, list_id_columns(columns), location)
    data = data.select(used).collect() if lazy else data
    frame = to_polars(data, lambda names: used, location).select(used)
    table = tidy_table(frame, kind, location, _resolve_user_columns(options, columns, kind))
    return TidyFrame.from_frame(table, kind, names, options)


def to_polars(data: Any, select: Callable[[list[str]], list[str]], location: str) -> pl.DataFrame:
    """A Polars frame as it is; of a pandas frame the wanted columns; of Spark's, all rows."""
    data = to_frame(data, location)
    if is_spark(data):
        return pl.DataFrame(data.select(*map(quote_spark_name, select(data.columns))).toArrow())
    if not type(data).__module__.startswith("pandas"):
        return decode_bytes(data.collect() if isinstance(data, pl.LazyFrame) else data)
    columns = {str(c): c for c in data.columns}
    reject_duplicates(data.columns, location)
    names = select([str(c) for c in data.columns])
    # Column by column, so that pandas' many string types need no PyArrow.
    return pl.DataFrame(
        {name: _convert_pandas_column(data[columns[name]]) for name in names}, strict=False
    )


def _convert_pandas_column(column: Any) -> Any:
    """A column of a pandas frame as Polars reads it; what is missing is None."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return pl.Series(column.to_numpy(), nan_to_null=True)
    if getattr(column.dtype, "storage", "") == "pyarrow":  # text, in Arrow's layout
        return pl.from_pandas(column)
    values = column.tolist()
    if column.isna().any():
        missing = column.isna().tolist()
        return [None if m else x for x, m in zip(values, missing, strict=True)]
    return values


FIRST = 1000  # rows that decide whether a column has numbers
IDS = ("topic", "doc", "tag", "type", "intent")  # are never parsed
MISSING = ("", "na", "n/a", "nan", "null", "none", "-")


def _name_columns(
    names: list[str],
    kind: Kind,
    location: str,
    options: ReadOptions,
    line: int | None = None,
    cells: Callable[[str], Iterable[Any]] | None = None,
) -> dict[str, str]:
    """Our name -> the table's own name of each column we use; `cells` are the first of a column."""
    numbers = None if cells is None else lambda name: is_numeric(cells(name))
    return name_columns(
        names,
        kind,
        location,
        line,
        options.uses_second_column,
        options.columns,
        numbers,
        ordered=options.ordered,
    )


def list_id_columns(columns: Mapping[str, str]) -> list[str]:
    """Return the columns that hold ids, by the names of the table."""
    return [column for role, column in columns.items() if role in IDS]


def _resolve_user_columns(
    options: ReadOptions, columns: Mapping[str, str], kind: Kind
) -> ReadOptions:
    """Return the text with the names of the columns that the user counted or named.

    A column has another number in a frame that holds the needed columns only.
    """
    selection = select_columns(options.columns, kind)
    return replace(
        options, columns={f"{kind}.{role}": columns[role] for role in selection if role in columns}
    )


def is_numeric(cells: Iterable[Any]) -> bool:
    """Return True if some cells hold a number, and the others nothing.

    >>> are_numbers(["0.5", None, "n/a", 2]), are_numbers(["2001", "A Space Odyssey"])
    (True, False)
    """
    values = [x for x in cells if x is not None and str(x).strip().lower() not in MISSING]
    return bool(values) and all(parse_finite(x) is not None for x in values)


def read_first_cells(data: Any, name: str) -> Iterable[Any]:
    """Return some cells of a column of a frame."""
    if is_spark(data):
        return [row[0] for row in data.select(quote_spark_name(name)).limit(FIRST).collect()]
    if type(data).__name__ == "LazyFrame":
        data = data.select(name).head(FIRST).collect()
    if type(data).__module__.startswith("pandas"):
        column = next(column for column in data.columns if str(column) == name)
        return list(data[column].dropna().head(FIRST))
    return list(data[name].drop_nulls().head(FIRST))


def _describe_columns(
    columns: Mapping[str, str], names: Iterable[str], options: ReadOptions
) -> str:
    """What users are told of the columns, and of the labels in them."""
    levels = options.labels is None and columns.get("level", "").strip().lower() in COLUMN_LABELS
    label_note = (
        "the levels of its labels are E 3, S 2, C 1 and I 0 (--labels gives others)" * levels
    )
    return "; ".join(
        filter(
            None,
            (
                describe_doubts(columns, names, options.uses_second_column, options.columns),
                label_note,
            ),
        )
    )


def _describe_order(kind: Kind, options: ReadOptions, columns: Iterable[str]) -> str:
    """Return the note on a run that is ranked by the order of its rows, as the user did not ask."""
    if kind == "qrels" or options.ordered or {"score", "rank"} & {*columns}:
        return ""
    return "no score or rank column, the order of the rows is the ranking"


@dataclass(frozen=True)
class TidyFrame:
    """A tidy frame: judgments or results, whole or part by part as tables, made when asked for."""

    frame: pl.DataFrame
    second: str | None = None  # the column of types or intents, where asked for
    doubts: str = ""

    @classmethod
    def from_frame(
        cls, frame: pl.DataFrame, kind: Kind, names: list[str], options: ReadOptions
    ) -> TidyFrame:
        """The columns of a tidy frame; `names` are those that it had before."""
        has = frame.columns
        if "rank" in has and frame["rank"].null_count():
            frame = frame.drop("rank")
        second = next(
            (name for name in ("type", "intent") if options.uses_second_column and name in has),
            None,
        )
        columns = _name_columns(names, kind, "", options)
        notes = _describe_columns(columns, names, options), _describe_order(kind, options, columns)
        return cls(frame, second, "; ".join(filter(None, notes)))

    @property
    def is_long(self) -> bool:
        """Whether there is more than one part."""
        return len(self.frame) > PART

    @property
    def has_several_runs(self) -> bool:
        """Whether there are several runs: tags that are not the same."""
        if "tag" not in self.frame.columns or self.frame.is_empty():
            return False
        tags = self.frame["tag"].fill_null("")
        return bool((tags != tags[0]).any())

    def to_table(self) -> Table:
        """All rows."""
        table = self._build_rows(0, len(self.frame))
        if not self.has_several_runs:
            return table
        return replace(table, tags=to_strings(self.frame["tag"].fill_null("")))

    def iter_parts(self) -> Iterator[Part]:
        """The rows in parts, with the tag of the first."""
        for begin in range(0, len(self.frame), PART):
            yield partial(self._build_rows, begin, PART)

    def _build_rows(self, begin: int, count: int) -> Table:
        """Some rows. A run without scores is ranked by its ranks or its order."""
        frame = self.frame.slice(begin, count)
        topic, has = frame["topic"], frame.columns
        starts = np.flatnonzero(topic.ne_missing(topic.shift(1)).to_numpy())
        docs, hashes = _hash_names(frame["doc"])
        return Table(
            to_strings(topic.gather(starts).cast(pl.String)),
            starts,
            docs,
            hashes,
            frame["value"].to_numpy() if "value" in has else np.zeros(len(frame)),
            frame["rank"].to_numpy() if "rank" in has else None,
            frame["tag"][0] if "tag" in has and len(frame) else None,
            scored="value" in has,
            types=to_strings(frame[self.second].fill_null("")) if self.second else None,
            strata=frame["stratum"].to_numpy() if "stratum" in has else None,
            doubts=self.doubts,
        )


def _hash_names(column: pl.Series) -> tuple[Strings, Words]:
    """A column of names, and their hashes; of one that is written in codes, each name's once."""
    if column.dtype == pl.String:
        return pack_strings(column)
    distinct = column.unique()
    codes, distinct_codes = column.to_physical().to_numpy(), distinct.to_physical().to_numpy()
    place = np.empty(int(distinct_codes.max(initial=0)) + 1, dtype=np.int64)
    place[distinct_codes] = np.arange(len(distinct_codes))
    names, hashes = pack_strings(distinct.cast(pl.String))
    return names[place[codes]], hashes[place[codes]]


def to_strings(column: pl.Series) -> Strings:
    """A column of text, none of it missing."""
    return pack_strings(column)[0]


def pack_strings(column: pl.Series) -> tuple[Strings, Words]:
    """A column of text, none of it missing, side by side with room around it; and its hashes."""
    if (compiled := kernel.KERNEL) is not None:
        buffers = compiled.pack_column(column.__arrow_c_stream__(), int(strings.KEY))
        if buffers is not None:
            text = np.frombuffer(buffers[0], dtype=np.uint8)
            start, length = (np.frombuffer(x, dtype=np.int64) for x in buffers[1:3])
            return Strings(text, start, length), np.frombuffer(buffers[3], dtype=np.uint64)
    sizes = column.str.len_bytes().to_numpy().astype(np.int64)
    data = column.rename("").str.join("").cast(pl.Binary).item() or b""
    result = Strings.from_bytes(data, sizes)
    return result, result.compute_hashes()


def tidy_table(
    table: pl.DataFrame, kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS
) -> pl.DataFrame:
    """The table with the columns topic, doc, value (rank, tag, type), their cells checked."""
    value = VALUE[kind]
    columns = {}
    cells = partial(read_first_cells, table)
    for name, column_name in _name_columns(
        table.columns, kind, location, options, None, cells
    ).items():
        column = table[column_name]
        if (
            name == "level"
            and (labels := get_labels(column_name, options))
            and column.dtype == pl.String
        ):
            levels = [get_level(x, labels, parse_finite(x)) for x in column.fill_null("").to_list()]
            column = pl.Series(levels, dtype=pl.Float64)
        if name in ("topic", "doc", "type") and not can_be_ids(column):
            raise InputError(f"{column.dtype} in column {column_name}", "identifiers", location)
        is_number = name in (value, "rank", "stratum")
        if is_number and not _can_be_numbers(column):
            raise InputError(f"{column.dtype} in column {column_name}", "numbers", location)
        try:
            values = column.cast(
                pl.Float64 if is_number else _choose_dtype(name, column), strict=name != "rank"
            )
        except pl.exceptions.PolarsError:
            raise InputError(
                f"{column.dtype} in column {column_name}", "numbers", location
            ) from None
        columns["value" if name == value else name] = values
    frame = pl.DataFrame(columns)
    _check_cells(frame, location)
    if "value" not in columns and "rank" in columns:  # which then is what counts
        _reject_rows(frame, ~pl.col("rank").is_finite().fill_null(False), "rank", NUMBER, location)
    return frame


def _choose_dtype(name: str, column: pl.Series) -> Any:
    """The type of a column of names: text, or what it is where each name is then written once."""
    coded = column.dtype in (pl.Categorical, pl.Enum) and name == "doc"
    return column.dtype if coded or (column.dtype.is_integer() and name == "topic") else pl.String


def get_labels(column: str, options: ReadOptions) -> Mapping[str, float] | None:
    """The levels of the labels in a column: as the user says, or as its name does."""
    return COLUMN_LABELS.get(column.strip().lower()) if options.labels is None else options.labels


def can_be_ids(column: pl.Series) -> bool:
    """Whether a column may hold identifiers."""
    is_integer = column.dtype.is_integer()
    return is_integer or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)


def _can_be_numbers(column: pl.Series) -> bool:
    """Whether a column may hold numbers; dates and booleans are none, whatever is made of them."""
    text = column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)
    return text or column.dtype.is_numeric()


def _check_cells(table: pl.DataFrame, location: str) -> None:
    """No identifier or value may be missing, no value infinite."""
    numbers = [name for name in ("value", "stratum") if name in table.columns]
    names = [table[name] for name in ("topic", "doc")]
    texts = [column.name for column in names if not column.dtype.is_integer()]
    if (
        not any(column.null_count() for column in (*names, *table[numbers]))
        and not any((table[name] == "").any() for name in texts)
        and all(table[name].is_finite().all() for name in numbers)
    ):
        return  # as nearly always: column by column, that takes no time
    bad = [pl.col(name).is_null() for name in ("topic", "doc")]
    bad += [pl.col(name) == "" for name in texts]
    bad += [pl.col(name).is_null() | ~pl.col(name).is_finite() for name in numbers]
    _reject_rows(
        table, pl.any_horizontal(bad), "value", "identifiers and a finite number", location
    )


def _reject_rows(
    table: pl.DataFrame, bad: pl.Expr, column: str, expected: str, location: str
) -> None:
    """Refuse a table with a bad row, by its identifiers and what stands in a column."""
    rows = table.with_row_index("row").filter(bad)
    if len(rows) == 0:
        return
    row = rows.with_columns(pl.col("topic", "doc").cast(pl.String)).row(0, named=True)
    cells = ", ".join(f"{k} {v!r}" for k, v in row.items() if k in ("topic", "doc", column))
    raise InputError(f"{cells} in row {row['row'] + 1}", expected, location)
