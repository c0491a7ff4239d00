"""Readers of tables: CSV and TSV with a header, JSONL, Parquet, Arrow, frames.

Polars reads the tables, and the result is a `Table`. A run without scores has no values: it is
ordered by its ranks or, without ranks, by its rows.
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
from cranfield.data.reading.adapters import (
    FRAMES,
    get_library,
    is_table,
    reject_parsed_ids,
    to_frame,
)
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
    fold_name,
    infer_kind,
    is_header,
    list_unknown_columns,
    name_columns,
    reject_duplicates,
    select_columns,
)
from cranfield.data.reading.json_text import reject_duplicate_keys
from cranfield.data.reading.labels import can_be_levels, describe_levels, find_known_labels, get_level
from cranfield.data.reading.lines import (
    BLANK,
    NUMBER,
    make_encoding_error,
    parse_finite,
    scan_lines,
    truncate_text,
)
from cranfield.data.reading.records import (
    COLUMNS,
    COUNTS,
    DEFAULT_OPTIONS,
    NO_RATINGS,
    UNRATED,
    Problem,
    ReadOptions,
    RecordBuilder,
    RecordItem,
    Remark,
)
from cranfield.data.reading.source import Beginning, FileBytes, Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.trec import reject_other_encodings
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.lazy_imports import pl
from cranfield.wording import format_count

Row: TypeAlias = tuple[int | None, dict[str, Any]]  # line number or None, and named cells
Rows: TypeAlias = Iterator[Row | InputError]
Frame: TypeAlias = "Callable[[Source, Sequence[str] | None], pl.DataFrame]"  # some columns, or all
Part: TypeAlias = Callable[[], Table]
PART = 1 << 18  # rows per part of a frame


@dataclass(frozen=True)
class Tabular:
    """Readers of a file format with named columns: as a frame, or row by row."""

    read_frame: Frame  # can raise Polars errors; text is not parsed
    read_rows: Callable[[Source, bool], Rows]  # True: keep spaces around cells
    read_names: Callable[[Source], Iterable[Any]]  # column names
    headed: bool = False  # the first row is the header, and cells are text
    mixed: bool = False  # every row has its own column names
    has_lines: bool = True  # rows are lines
    read_cells: Callable[[Source], dict[str, list[str]]] | None = None  # by column; can raise Irregular
    open_long: Callable[[Source], Parquet | None] = lambda source: None  # to read in parts
    first: Callable[[], Iterable[Row]] | None = None  # rows, if `rows` can be read only once

    def read_table(self, source: Source, kind: Kind, options: ReadOptions) -> Table:
        """Read a file as a table. Raise Irregular for files with problems."""
        return self.read_tidy(source, kind, options).to_table()

    def read_tidy(self, source: Source, kind: Kind, options: ReadOptions) -> TidyFrame:
        """Read the columns with a role. Raise Irregular for files with problems."""
        if self.mixed or (self.headed and not can_read_text()):
            raise Irregular
        try:
            frame, names, frame_options = self._read_needed(source, kind, options)
            columns = tidy_table(frame, kind, source.name, frame_options)
            labels = _find_labels(frame, kind, source.name, frame_options)
        except (pl.exceptions.PolarsError, InputError):
            raise Irregular from None
        short = self.headed and any(column.null_count() for column in (*columns, frame[:, -1]))
        if short or not len(frame):
            raise Irregular  # an empty cell, a missing cell, or no row
        return TidyFrame.from_frame(columns, kind, names, options, labels)

    def _read_needed(
        self, source: Source, kind: Kind, options: ReadOptions
    ) -> tuple[pl.DataFrame, list[str], ReadOptions]:
        """Return the required columns, the names of all columns, and options for these columns."""
        if self.has_lines:
            frame = self.read_frame(source, None)
            return frame, frame.columns, options
        names = list(self.read_names(source))
        columns = name_table_columns(names, kind, source.name, options, None, partial(self._read_first_cells, source))
        frame = self.read_frame(source, list(dict.fromkeys(columns.values())))
        return frame, names, _resolve_user_columns(options, columns, kind)

    def _read_first_cells(self, source: Source, name: str) -> Iterable[Any]:
        """Return the first cells of a column of a binary file."""
        return read_first_cells(self.read_frame(source, [name]), name)

    def get_parts(self, source: Source, kind: Kind, options: ReadOptions) -> Callable[[], Iterator[Part]] | None:
        """Return a function that yields the parts of a long file, None for a short file."""
        if (file := self.open_long(source)) is None:
            return None
        try:
            names = file.names
            cells = partial(self._read_first_cells, source)
            columns = name_table_columns(names, kind, source.name, options, None, cells)
            used = list(dict.fromkeys(columns.values()))
            file.reject_damaged(used)
        except InputError:
            raise Irregular from None
        part = partial(_read_part, file, names, kind, options, _resolve_user_columns(options, columns, kind))
        return lambda: (partial(part, read) for read in file.iter_parts(used, PART))

    def read_records(self, source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
        """Yield the records and problems of a file."""
        recorder = RecordBuilder(kind, source.name, options, tabular=True)
        cache: dict[tuple[str, ...], dict[str, str]] = {}
        cells_of = _FirstRows(self, source).get_cells
        remarks: Counter[Remark] = Counter()
        for row in self.read_rows(source, False):
            if isinstance(row, InputError):
                yield row
                continue
            line, cells = row
            columns = tuple(cells)
            if columns not in cache:
                try:
                    names = list(cells)
                    cache[columns] = name_table_columns(names, kind, source.name, options, line, cells_of)
                except InputError as error:
                    yield error
                    if self.mixed:
                        continue
                    return
                labels = get_labels(cache[columns].get("level", ""), options, cells_of)
                recorder = replace(recorder, options=replace(options, labels=labels))
                if doubt := describe_columns(cache[columns], columns, options, labels):
                    yield Problem("warning", source.name, line, doubt, kind=COLUMNS)
                if self.headed:
                    continue
            fields = {name: cells[column] for name, column in cache[columns].items()}
            if kind == "qrels" and (remark := _find_unrated(fields, cache[columns], options)):
                remarks[remark] += 1
                continue
            yield recorder.build_record(fields, line, line is None and VALUE[kind] in fields)
        for remark, count in remarks.items():
            yield Problem("warning", source.name, None, remark.format(count), kind=COUNTS)
        if cache and (order := describe_order(kind, options, chain.from_iterable(cache.values()))):
            yield Problem("warning", source.name, None, order, kind=COLUMNS)

    def detect_kind(self, source: Source, options: ReadOptions) -> Kind:
        """Return the kind of a file by its column names, or by the columns of the user.

        If the names are not sufficient, an unknown column of few integers contains levels.
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
            return "run"  # the records have the error

    def _infer_kind(self, source: Source, options: ReadOptions) -> Kind:
        """Return the kind by the values of the first unknown column of numbers."""
        for cells in map(_FirstRows(self, source).get_cells, list_unknown_columns(self.read_names(source))):
            if is_numeric(cells):
                return "qrels" if can_be_levels(str(x) for x in cells if x is not None) else "run"
        return "run"


@dataclass(frozen=True, eq=False)
class _FirstRows:
    """The first rows of a table, read on demand to examine a column."""

    table: Tabular
    source: Source

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        table = self.table
        rows = table.read_rows(self.source, False) if table.first is None else iter(table.first())
        first = islice(rows, int(table.headed), FIRST)
        return [row[1] for row in first if not isinstance(row, InputError)]

    def get_cells(self, name: str) -> list[Any]:
        """Return the first cells of a column."""
        return [row[name] for row in self.rows if name in row]


# -- text: CSV and TSV ----------------------------------------------------------------------------


def make_separated(signs: str) -> Tabular:
    """Return readers of text tables with a header and one of these separators."""

    def read_frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        text, separator = source.read(), _choose_separator(signs, Beginning(source).first)
        reject_other_encodings(text)
        quote = rb'(?:^|(?<=%b))"(?:[^"]|"")*"(?=%b|\r?$)' % ((separator.encode(),) * 2)
        if text.count(b"\r") != text.count(b"\r\n") or text.count(b'"') % 2:
            raise Irregular  # only records handle these lines and quotations
        header = re.match(rb"\s*([^\n]*)", text)
        if header and b'"' in re.sub(quote, b"", header[1]):  # or these names
            raise Irregular
        if any(blank in text for blank in (b"\x1c", b"\x1d", b"\x1e", b"\x1f")):  # line ends only in Python
            raise Irregular
        if source.find_long_line(text) is not None:
            raise source.make_long_line_error(None)
        if header is not None:  # Polars would rename duplicates
            reject_duplicates(_split_header(header[1].decode(), separator), source.name)
        if not text.endswith(b"\n"):
            text += b"\n"  # Polars ignores an extra field at the end
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
    """Split a header at its separator."""
    return header.split(_choose_separator(signs, header))


def _choose_separator(signs: str, header: str) -> str:
    """Return the most frequent separator of a line. Default: the first.

    >>> _choose_separator(",;", "qid;docno;score"), _choose_separator(",;", "qid,docno,score")
    (';', ',')
    """
    return max(signs, key=header.count)


def is_headed(signs: str, beginning: Beginning) -> bool:
    """Return True if the first line is a header of judgments or a run."""
    names = split_names(signs, beginning.first)
    return not names[0].lstrip().startswith("{") and is_header(names)


def _read_separated(signs: str, source: Source, verbatim: bool) -> Rows:
    """Yield the rows of a text table, header first. Spaces in the header are removed."""
    import csv

    text, separator = source.read(), _choose_separator(signs, Beginning(source).first)
    if (position := source.find_long_line(text)) is not None:
        yield source.make_long_line_error(source.get_line_number(text.count(b"\n", 0, position) + 1))
        return
    try:
        text.decode()  # to find the line of an error
    except UnicodeDecodeError as error:
        line = source.get_line_number(text.count(b"\n", 0, error.start) + 1)
        yield make_encoding_error(text[error.start : error.start + 4], source, line)
        return
    if csv.field_size_limit() < source.limits.line:
        csv.field_size_limit(source.limits.line)  # cells can be as long as lines
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
    """Read the cells of a text table by column. Raise Irregular for tables with problems."""
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
    """Return readers of tables with a JSON object per row."""

    def read_frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        rows = []
        for row in read_json_rows(source):
            if isinstance(row, InputError):
                raise row
            rows.append(row[1])
        return pl.DataFrame(rows, infer_schema_length=None)

    def read_names(source: Source) -> Iterable[Any]:
        import json

        try:
            record = json.loads(Beginning(source).first)
        except ValueError:
            return []
        return list(record) if isinstance(record, dict) else []

    return Tabular(read_frame, read_json_rows, read_names, mixed=True)


def read_json_rows(source: Source, verbatim: bool = False) -> Rows:
    """Yield the JSON objects on the lines of a file."""
    from json import JSONDecoder

    decoder = JSONDecoder(object_pairs_hook=reject_duplicate_keys)
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
            hint = "one per line; if the file is one object, rename it to .json"
            yield InputError(
                truncate_text(line.strip()),
                "a JSON object",
                source.name,
                number,
                hint if begun else "",
            )


def from_rows(rows: Iterable[Row], first: Callable[[], Iterable[Row]] | None = None) -> Tabular:
    """Return readers of rows in memory with named cells.

    `first` returns the rows again if `rows` is an iterator.
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


# -- Parquet and Arrow ----------------------------------------------------------------------------


def make_binary(name: str) -> Tabular:
    """Return readers of a binary format."""

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
        by_name = source.is_seekable and source.path == source.name  # Polars can open the path
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
        raw = read()
        labels = _find_labels(raw, kind, file.location or "", frame_options)
        frame = tidy_table(raw, kind, file.location or "", frame_options)
        table = TidyFrame.from_frame(frame, kind, names, options, labels).to_table()
        return replace(table, bytes_read=round(len(file.data) / file.rows * len(table)))
    except (pl.exceptions.PolarsError, InputError):
        raise Irregular from None


def is_parquet(beginning: Beginning) -> bool:
    """Return True for a Parquet file, but not for text with a topic PAR1 or PAR1-x."""
    return re.match(rb"PAR1(?![\s!-~])", beginning.start) is not None


def is_arrow(beginning: Beginning) -> bool:
    """Return True for an Arrow file or stream."""
    return beginning.start.startswith(b"ARROW1\0\0") or is_stream(beginning.start)


# -- frames ---------------------------------------------------------------------------------------


def is_frame(data: Any) -> bool:
    """Return True for a frame of Polars, pandas or Spark, or a table that `to_frame` converts.

    Does not import these libraries.
    """
    framed = get_library(data) in ("polars", "pandas", "pyspark") and type(data).__name__ in FRAMES
    return framed or is_table(data)


def is_spark(data: Any) -> bool:
    """Return True for a Spark frame."""
    return get_library(data) == "pyspark" and is_frame(data)


def quote_spark_name(name: str) -> str:
    """Quote a column name for Spark.

    >>> quote_spark_name("AP.EU")
    '`AP.EU`'
    """
    return f"`{name.replace('`', '``')}`"


def read_frame(data: Any, kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS) -> Table:
    """Convert a frame of judgments or a run to a table."""
    return tidy_frame(data, kind, location, options).to_table()


def tidy_frame(data: Any, kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS) -> TidyFrame:
    """Return the columns of a frame with a role. Of a lazy frame, only these are computed."""
    reject_forked(location)
    data = to_frame(data, location, VALUE[kind])
    lazy = type(data).__name__ == "LazyFrame"
    names = list(map(str, data.collect_schema().names() if lazy else data.columns))
    columns = name_table_columns(names, kind, location, options, None, partial(read_first_cells, data))
    used = list(dict.fromkeys(columns.values()))
    if is_spark(data):
        reject_parsed_ids(data, list_id_columns(columns), location)
    data = data.select(used).collect() if lazy else data
    frame = to_polars(data, lambda names: used, location).select(used)
    frame_options = _resolve_user_columns(options, columns, kind)
    frame, note = _drop_unrated(frame, columns, options) if kind == "qrels" else (frame, "")
    labels = _find_labels(frame, kind, location, frame_options)
    tidy = TidyFrame.from_frame(tidy_table(frame, kind, location, frame_options), kind, names, options, labels)
    return replace(tidy, doubts="; ".join(filter(None, (tidy.doubts, note))))


def _drop_unrated(frame: pl.DataFrame, columns: Mapping[str, str], options: ReadOptions) -> tuple[pl.DataFrame, str]:
    """Return the rows of a frame with ratings, and the note about the other rows."""
    if not _is_rating(columns, options):
        return frame, ""
    blank = {
        role: frame[columns[role]].cast(pl.String, strict=False).fill_null("").str.strip_chars(BLANK) == ""
        for role in ("level", "doc")
    }
    remarks = {NO_RATINGS: blank["level"] & blank["doc"], UNRATED: blank["level"] & ~blank["doc"]}
    notes = [remark.format(int(rows.sum())) for remark, rows in remarks.items() if rows.any()]
    return (frame.filter(~blank["level"]), "; ".join(notes)) if notes else (frame, "")


def _is_rating(columns: Mapping[str, str], options: ReadOptions) -> bool:
    """Return True if empty cells of the level column are documents without a rating.

    This is a column called rating, or a column called after a judge and chosen by the user.
    """
    name = columns.get("level", "")
    chosen = "level" in select_columns(options.columns, "qrels") and find_column("level", [name]) is None
    return fold_name(name) == "rating" or chosen


def _find_unrated(fields: Mapping[str, Any], columns: Mapping[str, str], options: ReadOptions) -> Remark | None:
    """Return the remark on a row without a rating, or None."""
    level, doc = (fields.get(role) for role in ("level", "doc"))
    if not (level is None or (isinstance(level, str) and not level.strip())) or not _is_rating(columns, options):
        return None
    return UNRATED if doc else NO_RATINGS


def to_polars(data: Any, select: Callable[[list[str]], list[str]], location: str) -> pl.DataFrame:
    """Convert a frame to Polars; of pandas and Spark frames, only the selected columns."""
    data = to_frame(data, location)
    if is_spark(data):
        return pl.DataFrame(data.select(*map(quote_spark_name, select(data.columns))).toArrow())
    if not type(data).__module__.startswith("pandas"):
        return decode_bytes(data.collect() if isinstance(data, pl.LazyFrame) else data)
    columns = {str(c): c for c in data.columns}
    reject_duplicates(data.columns, location)
    names = select([str(c) for c in data.columns])
    # Column by column, so that pandas' many string types need no PyArrow.
    return pl.DataFrame({name: _convert_pandas_column(data[columns[name]]) for name in names}, strict=False)


def _convert_pandas_column(column: Any) -> Any:
    """Convert a pandas column for Polars. Missing values become None."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return pl.Series(column.to_numpy(), nan_to_null=True)
    if getattr(column.dtype, "storage", "") == "pyarrow":  # text in Arrow memory
        return pl.from_pandas(column)
    values = column.tolist()
    if column.isna().any():
        missing = column.isna().tolist()
        return [None if m else x for x, m in zip(values, missing, strict=True)]
    return values


FIRST = 1000  # rows that show if a column has numbers
IDS = ("topic", "doc", "tag", "type", "intent")  # never parsed
MISSING = ("", "na", "n/a", "nan", "null", "none", "-")


def name_table_columns(
    names: list[str],
    kind: Kind,
    location: str,
    options: ReadOptions,
    line: int | None = None,
    cells: Callable[[str], Iterable[Any]] | None = None,
) -> dict[str, str]:
    """Map roles to columns; `cells` returns the first cells of a column."""
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
    """Return the columns of ids."""
    return [column for role, column in columns.items() if role in IDS]


def _resolve_user_columns(options: ReadOptions, columns: Mapping[str, str], kind: Kind) -> ReadOptions:
    """Return the options with names instead of numbers of the user's columns.

    Column numbers differ in a frame with only the required columns.
    """
    selection = select_columns(options.columns, kind)
    return replace(options, columns={f"{kind}.{role}": columns[role] for role in selection if role in columns})


def is_numeric(cells: Iterable[Any]) -> bool:
    """Return True if all cells are numbers or missing, and at least one is a number.

    >>> is_numeric(["0.5", None, "n/a", 2]), is_numeric(["2001", "A Space Odyssey"])
    (True, False)
    """
    values = [x for x in cells if x is not None and str(x).strip().lower() not in MISSING]
    return bool(values) and all(parse_finite(x) is not None for x in values)


def read_first_cells(data: Any, name: str) -> Iterable[Any]:
    """Return the first cells of a column of a frame."""
    if is_spark(data):
        return [row[0] for row in data.select(quote_spark_name(name)).limit(FIRST).collect()]
    if type(data).__name__ == "LazyFrame":
        data = data.select(name).head(FIRST).collect()
    if type(data).__module__.startswith("pandas"):
        column = next(column for column in data.columns if str(column) == name)
        return list(data[column].dropna().head(FIRST))
    return list(data[name].drop_nulls().head(FIRST))


def describe_columns(
    columns: Mapping[str, str], names: Iterable[str], options: ReadOptions, labels: Mapping[str, float] | None = None
) -> str:
    """Return the warning about ambiguous columns and known labels."""
    doubts = describe_doubts(columns, names, options.uses_second_column, options.columns)
    label_note = describe_levels(labels) if labels and options.labels is None else ""
    return "; ".join(filter(None, (doubts, label_note)))


def describe_order(kind: Kind, options: ReadOptions, columns: Iterable[str]) -> str:
    """Return the warning about a run that is ranked by the order of its rows."""
    if kind == "qrels" or options.ordered or {"score", "rank"} & {*columns}:
        return ""
    return "no score or rank column, the order of the rows is the ranking"


@dataclass(frozen=True)
class TidyFrame:
    """Frame of judgments or a run, converted to tables on demand."""

    frame: pl.DataFrame
    second: str | None = None  # column of types or intents, if requested
    doubts: str = ""

    @classmethod
    def from_frame(
        cls,
        frame: pl.DataFrame,
        kind: Kind,
        names: list[str],
        options: ReadOptions,
        labels: Mapping[str, float] | None = None,
    ) -> TidyFrame:
        """Create it from a frame, with the original column `names`, and the levels of known labels."""
        has = frame.columns
        if "rank" in has and frame["rank"].null_count():
            frame = frame.drop("rank")
        second = next(
            (name for name in ("type", "intent") if options.uses_second_column and name in has),
            None,
        )
        columns = name_table_columns(names, kind, "", options)
        notes = describe_columns(columns, names, options, labels), describe_order(kind, options, columns)
        return cls(frame, second, "; ".join(filter(None, notes)))

    @property
    def is_long(self) -> bool:
        """True if the frame has several parts."""
        return len(self.frame) > PART

    @property
    def has_several_runs(self) -> bool:
        """True if the frame has several tags."""
        if "tag" not in self.frame.columns or self.frame.is_empty():
            return False
        tags = self.frame["tag"].fill_null("")
        return bool((tags != tags[0]).any())

    def to_table(self) -> Table:
        """Convert all rows to a table."""
        table = self._build_rows(0, len(self.frame))
        if not self.has_several_runs:
            return table
        return replace(table, tags=to_strings(self.frame["tag"].fill_null("")))

    def iter_parts(self) -> Iterator[Part]:
        """Yield functions that convert parts of the rows."""
        for begin in range(0, len(self.frame), PART):
            yield partial(self._build_rows, begin, PART)

    def _build_rows(self, begin: int, count: int) -> Table:
        """Convert some rows to a table."""
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
    """Return names and their hashes. In a categorical column, each name is hashed once."""
    if column.dtype == pl.String:
        return pack_strings(column)
    distinct = column.unique()
    codes, distinct_codes = column.to_physical().to_numpy(), distinct.to_physical().to_numpy()
    place = np.empty(int(distinct_codes.max(initial=0)) + 1, dtype=np.int64)
    place[distinct_codes] = np.arange(len(distinct_codes))
    names, hashes = pack_strings(distinct.cast(pl.String))
    return names[place[codes]], hashes[place[codes]]


def to_strings(column: pl.Series) -> Strings:
    """Convert a column of text without missing cells."""
    return pack_strings(column)[0]


def pack_strings(column: pl.Series) -> tuple[Strings, Words]:
    """Convert a column of text without missing cells, and return its hashes."""
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


def tidy_table(table: pl.DataFrame, kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS) -> pl.DataFrame:
    """Return a frame with columns topic, doc, value (rank, tag, type), and check the cells."""
    value = VALUE[kind]
    columns = {}
    cells = partial(read_first_cells, table)
    for name, column_name in name_table_columns(table.columns, kind, location, options, None, cells).items():
        column = table[column_name]
        is_text = name == "level" and column.dtype == pl.String
        if is_text and (labels := get_labels(column_name, options, cells)):
            levels = [get_level(x, labels, parse_finite(x)) for x in column.fill_null("").to_list()]
            column = pl.Series(levels, dtype=pl.Float64)
        if name in ("topic", "doc", "type") and not can_be_ids(column):
            raise InputError(f"{column.dtype} in column {column_name}", "identifiers", location)
        is_number = name in (value, "rank", "stratum")
        if is_number and not _can_be_numbers(column):
            raise InputError(f"{column.dtype} in column {column_name}", "numbers", location)
        try:
            values = column.cast(pl.Float64 if is_number else _choose_dtype(name, column), strict=name != "rank")
        except pl.exceptions.PolarsError:
            raise InputError(f"{column.dtype} in column {column_name}", "numbers", location) from None
        columns["value" if name == value else name] = values
    frame = pl.DataFrame(columns)
    _check_cells(frame, location)
    if "value" not in columns and "rank" in columns:  # the ranks determine the order
        _reject_rows(frame, ~pl.col("rank").is_finite().fill_null(False), "rank", NUMBER, location)
    return frame


def _choose_dtype(name: str, column: pl.Series) -> Any:
    """Return the type of a column of ids: text, or its own type if this is faster."""
    coded = column.dtype in (pl.Categorical, pl.Enum) and name == "doc"
    return column.dtype if coded or (column.dtype.is_integer() and name == "topic") else pl.String


def get_labels(column: str, options: ReadOptions, cells: Callable[[str], Iterable[Any]]) -> Mapping[str, float] | None:
    """Return the levels of labels in a column: from the user or for known labels."""
    return options.labels if options.labels is not None else find_known_labels(column, cells)


def _find_labels(frame: pl.DataFrame, kind: Kind, location: str, options: ReadOptions) -> Mapping[str, float] | None:
    """Return the levels of the known labels in a frame."""
    columns = name_table_columns(frame.columns, kind, location, options) if kind == "qrels" else {}
    return get_labels(columns.get("level", ""), options, partial(read_first_cells, frame))


def can_be_ids(column: pl.Series) -> bool:
    """Return True if the type of a column allows identifiers."""
    is_integer = column.dtype.is_integer()
    return is_integer or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)


def _can_be_numbers(column: pl.Series) -> bool:
    """Return True if the type of a column allows numbers. Dates and booleans are not numbers."""
    text = column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)
    return text or column.dtype.is_numeric()


def _check_cells(table: pl.DataFrame, location: str) -> None:
    """Raise InputError for missing identifiers, and missing or infinite values."""
    numbers = [name for name in ("value", "stratum") if name in table.columns]
    names = [table[name] for name in ("topic", "doc")]
    texts = [column.name for column in names if not column.dtype.is_integer()]
    if (
        not any(column.null_count() for column in (*names, *table[numbers]))
        and not any((table[name] == "").any() for name in texts)
        and all(table[name].is_finite().all() for name in numbers)
    ):
        return  # the normal case, fast by column
    bad = [pl.col(name).is_null() for name in ("topic", "doc")]
    bad += [pl.col(name) == "" for name in texts]
    bad += [pl.col(name).is_null() | ~pl.col(name).is_finite() for name in numbers]
    _reject_rows(table, pl.any_horizontal(bad), "value", "identifiers and a finite number", location)


def _reject_rows(table: pl.DataFrame, bad: pl.Expr, column: str, expected: str, location: str) -> None:
    """Raise InputError for the first bad row, with its identifiers and the cell of a column."""
    rows = table.with_row_index("row").filter(bad)
    if len(rows) == 0:
        return
    row = rows.with_columns(pl.col("topic", "doc").cast(pl.String)).row(0, named=True)
    cells = ", ".join(f"{k} {v!r}" for k, v in row.items() if k in ("topic", "doc", column))
    raise InputError(f"{cells} in row {row['row'] + 1}", expected, location)
