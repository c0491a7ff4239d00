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
from cranfield.data.reading.adapters import FRAMES, is_table, library, to_frame
from cranfield.data.reading.binary import (
    Parquet,
    decode_bytes,
    is_stream,
    names_in_binary,
    read_binary,
    reads_text,
    refuse_forked,
)
from cranfield.data.reading.columns import (
    LEVELS,
    VALUE,
    Kind,
    chosen,
    find_column,
    in_doubt,
    is_header,
    kind_of_columns,
    name_columns,
    refuse_duplicates,
    spelt,
    unknown_columns,
)
from cranfield.data.reading.labels import LABELLED, are_levels, level_of
from cranfield.data.reading.lines import BLANK, NUMBER, finite, lines, not_text, short
from cranfield.data.reading.partitions import refuse_parsed
from cranfield.data.reading.records import COLUMNS, PLAIN, Found, Problem, Recorder, Text
from cranfield.data.reading.source import Beginning, FileBytes, Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.trec import refuse_other_encodings
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.late import pl
from cranfield.wording import counted

Row: TypeAlias = tuple[int | None, dict[str, Any]]  # the line, if it has one, and named cells
Rows: TypeAlias = Iterator[Row | InputError]
Frame: TypeAlias = "Callable[[Source, Sequence[str] | None], pl.DataFrame]"  # some columns, or all
Part: TypeAlias = Callable[[], Table]
PART = 1 << 18  # rows of a frame that become a table at a time


@dataclass(frozen=True)
class Tabular:
    """A way to write tables with named columns: read whole, or row by row."""

    frame: Frame  # errors may be Polars' own; cells of text are text
    rows: Callable[[Source, bool], Rows]  # blanks around cells of text may be part of them, or not
    names: Callable[[Source], Iterable[Any]]  # of the columns
    headed: bool = False  # whether the first row is the header, and cells are text
    mixed: bool = False  # whether every row names its own columns
    lined: bool = True  # whether rows are lines
    cells: Callable[[Source], dict[str, list[str]]] | None = None  # column by column, or Irregular
    long: Callable[[Source], Parquet | None] = lambda source: None  # one to read part by part
    first: Callable[[], Iterable[Row]] | None = None  # rows, if `rows` can be read only once

    def table(self, source: Source, kind: Kind, text: Text) -> Table:
        """The table of a file, or Irregular if there is anything wrong with it."""
        return self.framed(source, kind, text).table()

    def framed(self, source: Source, kind: Kind, text: Text) -> Framed:
        """The columns of a file that matter, or Irregular if there is anything wrong with them."""
        if self.mixed or (self.headed and not reads_text()):
            raise Irregular
        try:
            frame, names, named = self._needed(source, kind, text)
            found = tidy(frame, kind, source.name, named)
        except (pl.exceptions.PolarsError, InputError):
            raise Irregular from None
        short = self.headed and any(column.null_count() for column in (*found, frame[:, -1]))
        if short or not len(frame):
            raise Irregular  # an empty cell, or a line with too few of them; or no line
        return Framed.of(found, kind, names, text)

    def _needed(
        self, source: Source, kind: Kind, text: Text
    ) -> tuple[pl.DataFrame, list[str], Text]:
        """What is needed of a file, the names of all columns, and the text for what is needed."""
        if self.lined:
            frame = self.frame(source, None)
            return frame, frame.columns, text
        names = list(self.names(source))
        needed = _named(names, kind, source.name, text, None, partial(self._first_cells, source))
        frame = self.frame(source, list(dict.fromkeys(needed.values())))
        return frame, names, _with_names(text, needed, kind)

    def _first_cells(self, source: Source, name: str) -> Iterable[Any]:
        """Some cells of a column of a binary file."""
        return first_cells(self.frame(source, [name]), name)

    def parts(self, source: Source, kind: Kind, text: Text) -> Callable[[], Iterator[Part]] | None:
        """How a long file is read, Irregular where a part is not in order; None if it is short."""
        if (file := self.long(source)) is None:
            return None
        try:
            names = file.names
            cells = partial(self._first_cells, source)
            named = _named(names, kind, source.name, text, None, cells)
            needed = list(dict.fromkeys(named.values()))
            file.refuse_damaged(needed)
        except InputError:
            raise Irregular from None
        part = partial(_part, file, names, kind, text, _with_names(text, named, kind))
        return lambda: (partial(part, read) for read in file.parts(needed, PART))

    def records(self, source: Source, kind: Kind, text: Text) -> Iterator[Found]:
        """The rows of a file, each as a record."""
        recorder = Recorder(kind, source.name, text, tabular=True)
        known: dict[tuple[str, ...], dict[str, str]] = {}
        cells_of = _Beginning(self, source).cells
        for row in self.rows(source, False):
            if isinstance(row, InputError):
                yield row
                continue
            line, cells = row
            columns = tuple(cells)
            if columns not in known:
                try:
                    names = list(cells)
                    known[columns] = _named(names, kind, source.name, text, line, cells_of)
                except InputError as error:
                    yield error
                    if self.mixed:
                        continue
                    return
                labels = labels_of(known[columns].get("level", ""), text)
                recorder = replace(recorder, text=replace(text, labels=labels))
                if doubt := _said(known[columns], columns, text):
                    yield Problem("warning", source.name, line, doubt, kind=COLUMNS)
                if self.headed:
                    continue
            ours = {name: cells[column] for name, column in known[columns].items()}
            yield recorder.record(ours, line, line is None and VALUE[kind] in ours)
        if known and (order := _unscored(kind, text, chain.from_iterable(known.values()))):
            yield Problem("warning", source.name, None, order, kind=COLUMNS)

    def kind(self, source: Source, text: Text) -> Kind:
        """Judgments or results? Told by the names of the columns, or by those the user gave.

        If no name tells, an unknown column of few integers is one of levels.
        """
        if (kind := kind_of_columns(text.columns)) is not None:
            return kind
        try:
            names = [str(name) for name in self.names(source)]
            if find_column("rank", names) or find_column("tag", names):
                return "run"
            if spelt((*LEVELS, "corpus-id"), names):
                return "qrels"
            return "run" if find_column("score", names) else self._kind_of_values(source, text)
        except (CranfieldError, ValueError, TypeError, RecursionError):
            return "run"  # and let the records say what is wrong

    def _kind_of_values(self, source: Source, text: Text) -> Kind:
        """Judgments or results, by the values of the first unknown column of numbers."""
        for cells in map(_Beginning(self, source).cells, unknown_columns(self.names(source))):
            if are_numbers(cells):
                return "qrels" if are_levels(str(x) for x in cells if x is not None) else "run"
        return "run"


@dataclass(frozen=True, eq=False)
class _Beginning:
    """The first rows of a table, read when a column has to be examined."""

    table: Tabular
    source: Source

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        table = self.table
        rows = table.rows(self.source, False) if table.first is None else iter(table.first())
        first = islice(rows, int(table.headed), FIRST)
        return [row[1] for row in first if not isinstance(row, InputError)]

    def cells(self, name: str) -> list[Any]:
        """Some cells of a column."""
        return [row[name] for row in self.rows if name in row]


# -- text: CSV and TSV ----------------------------------------------------------------------------


def separated(signs: str) -> Tabular:
    """A table of text, whose first line names the columns; one of the signs separates them."""

    def frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        text, separator = source.read(), _separator(signs, Beginning(source).first)
        refuse_other_encodings(text)
        quote = rb'(?:^|(?<=%b))"(?:[^"]|"")*"(?=%b|\r?$)' % ((separator.encode(),) * 2)
        if text.count(b"\r") != text.count(b"\r\n") or text.count(b'"') % 2:
            raise Irregular  # the records say where lines and quotations end
        header = re.match(rb"\s*([^\n]*)", text)
        if header and b'"' in re.sub(quote, b"", header[1]):  # and what one in a name is
            raise Irregular
        if any(blank in text for blank in (b"\x1c", b"\x1d", b"\x1e", b"\x1f")):  # to Python alone
            raise Irregular
        if source.long_line(text) is not None:
            raise source.too_long(None)
        if header is not None:  # Polars would rename duplicates
            refuse_duplicates(_split_header(header[1].decode(), separator), source.name)
        if not text.endswith(b"\n"):
            text += b"\n"  # Polars forgives a field too many before the end
        return pl.read_csv(
            text,
            separator=separator,
            infer_schema=False,  # identifiers are strings and never parsed
            quote_char='"',
        ).select(pl.all().str.strip_chars(BLANK))

    def names(source: Source) -> list[str]:
        return names_in(signs, Beginning(source).first)

    return Tabular(
        frame, partial(_separated, signs), names, headed=True, cells=partial(_cells, signs)
    )


def _split_header(header: str, separator: str) -> list[str]:
    """Return the names in a header, without quotation marks and surrounding spaces."""
    import csv

    rows = csv.reader([header], delimiter=separator)
    return [name.strip(BLANK) for name in next(rows, [])]


def names_in(signs: str, header: str) -> list[str]:
    """The names in a header, between those of some signs that are there."""
    return header.split(_separator(signs, header))


def _separator(signs: str, header: str) -> str:
    """The one of some signs that a line has most, the first of them if it has none.

    >>> _separator(",;", "qid;docno;score"), _separator(",;", "qid,docno,score")
    (';', ',')
    """
    return max(signs, key=header.count)


def is_headed(signs: str, beginning: Beginning) -> bool:
    """Whether the first line names the columns of judgments or results."""
    names = names_in(signs, beginning.first)
    return not names[0].lstrip().startswith("{") and is_header(names)


def _separated(signs: str, source: Source, verbatim: bool) -> Rows:
    """The rows of such a table, the header being the first; it is never taken `verbatim`."""
    import csv

    text, separator = source.read(), _separator(signs, Beginning(source).first)
    if (at := source.long_line(text)) is not None:
        yield source.too_long(source.line(text.count(b"\n", 0, at) + 1))
        return
    try:
        text.decode()  # to tell on which line it is no text
    except UnicodeDecodeError as error:
        line = source.line(text.count(b"\n", 0, error.start) + 1)
        yield not_text(text[error.start : error.start + 4], source, line)
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
                refuse_duplicates(header, source.name, source.line(table.line_num))
            if len(cells) == len(header):
                yield source.line(table.line_num), dict(zip(header, cells, strict=True))
                continue
            found = f"{counted(len(cells), 'field')} ({short(separator.join(cells))})"
            expected = f"{len(header)}: {' '.join(header)}"
            yield InputError(found, expected, source.name, source.line(table.line_num))
    except InputError as error:
        yield error
    except csv.Error as error:
        line = source.line(table.line_num)
        yield InputError(str(error), "a well-formed table", source.name, line)


def _cells(signs: str, source: Source) -> dict[str, list[str]]:
    """The cells of such a table column by column, or Irregular, for the rows to say where."""
    import csv

    text, separator = source.read(), _separator(signs, Beginning(source).first)
    if source.long_line(text) is not None:
        raise Irregular
    decoded = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    try:
        header, *rows = csv.reader(decoded, delimiter=separator, strict=True)
        columns = zip(*rows, strict=True)
        found = [[cell.strip(BLANK) for cell in column] for column in columns]
        made = dict(zip((name.strip(BLANK) for name in header), found, strict=True))
    except (
        csv.Error,
        ValueError,
    ):  # no text, or no table; a blank line; a cell too many or too few
        raise Irregular from None
    if len(made) < len(header):
        raise Irregular
    return made


# -- a JSON object on each line -------------------------------------------------------------------


def json_lines() -> Tabular:
    """A table with an object for each row, which names its cells."""

    def frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        rows = []
        for row in json_rows(source):
            if isinstance(row, InputError):
                raise row
            rows.append(row[1])
        return pl.DataFrame(rows, infer_schema_length=None)

    def names(source: Source) -> Iterable[Any]:
        import json

        return list(json.loads(Beginning(source).first))

    return Tabular(frame, json_rows, names, mixed=True)


def json_rows(source: Source, verbatim: bool = False) -> Rows:
    """The objects that the lines of a file are."""
    from json import JSONDecoder

    decoder = JSONDecoder(object_pairs_hook=_without_repetition)
    for number, line in lines(source):
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
                short(line.strip()), "a JSON object", source.name, number, hint if begun else ""
            )


def of_rows(rows: Iterable[Row], first: Callable[[], Iterable[Row]] | None = None) -> Tabular:
    """A table of rows that are at hand, each of which names its cells.

    `first` returns rows from the first one, if `rows` can be read only once.
    """

    def frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        raise Irregular

    def names(source: Source) -> Iterable[Any]:
        return next((cells for _, cells in rows), {})

    return Tabular(
        frame, lambda source, verbatim: iter(rows), names, mixed=True, lined=False, first=first
    )


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        again = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise InputError.problem(f"duplicate key {again!r}", "Rename or remove one of them.")
    return made


# -- Parquet and Arrow ----------------------------------------------------------------------------


def binary(name: str) -> Tabular:
    """A table that Polars reads from bytes."""

    def frame(source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
        return decode_bytes(read_binary(name, source.read(), source.name, columns=columns))

    def rows(source: Source, verbatim: bool) -> Rows:
        parts: Iterable[Callable[[], pl.DataFrame]] = [partial(frame, source, None)]
        if (file := long(source)) is not None:
            file.refuse_damaged(None)
            parts = file.parts(file.names, PART)
        return ((None, row) for part in parts for row in part().iter_rows(named=True))

    def names(source: Source) -> list[str]:
        return names_in_binary(name, source.read(), source.name)

    def long(source: Source) -> Parquet | None:
        if name != "parquet":
            return None
        named = source.plain and source.path == source.name  # by its name, Polars reads it itself
        file = Parquet(FileBytes(source) if named else source.read(), source.name)
        return file if file.rows > PART else None

    return Tabular(frame, rows, names, lined=False, long=long)


def _part(
    file: Parquet,
    names: list[str],
    kind: Kind,
    text: Text,
    named: Text,
    read: Callable[[], pl.DataFrame],
) -> Table:
    try:
        frame = tidy(read(), kind, file.where or "", named)
        table = Framed.of(frame, kind, names, text).table()
        return replace(table, taken=round(len(file.data) / file.rows * len(table)))
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
    framed = library(data) in ("polars", "pandas", "pyspark") and type(data).__name__ in FRAMES
    return framed or is_table(data)


def is_spark(data: Any) -> bool:
    """Whether this is a frame of Spark, whose rows are elsewhere."""
    return library(data) == "pyspark" and is_frame(data)


def in_spark(name: str) -> str:
    """How Spark is told the name of a column, whatever signs are in it.

    >>> in_spark("AP.EU")
    '`AP.EU`'
    """
    return f"`{name.replace('`', '``')}`"


def frame_table(data: Any, kind: Kind, where: str, text: Text = PLAIN) -> Table:
    """A Polars or pandas frame with our column names and types."""
    return framed(data, kind, where, text).table()


def framed(data: Any, kind: Kind, where: str, text: Text = PLAIN) -> Framed:
    """The columns of a Polars or pandas frame that matter; of a lazy one, only they are made."""

    refuse_forked(where)
    data = to_frame(data, where, VALUE[kind])
    lazy = type(data).__name__ == "LazyFrame"
    names = list(map(str, data.collect_schema().names() if lazy else data.columns))
    named = _named(names, kind, where, text, None, partial(first_cells, data))
    needed = list(dict.fromkeys(named.values()))
    if is_spark(data):
        refuse_parsed(data, id_columns(named), where)
    data = data.select(needed).collect() if lazy else data
    frame = polars_frame(data, lambda names: needed, where).select(needed)
    found = tidy(frame, kind, where, _with_names(text, named, kind))
    return Framed.of(found, kind, names, text)


def polars_frame(data: Any, wanted: Callable[[list[str]], list[str]], where: str) -> pl.DataFrame:
    """A Polars frame as it is; of a pandas frame the wanted columns; of Spark's, all rows."""
    data = to_frame(data, where)
    if is_spark(data):
        return pl.DataFrame(data.select(*map(in_spark, wanted(data.columns))).toArrow())
    if not type(data).__module__.startswith("pandas"):
        return decode_bytes(data.collect() if isinstance(data, pl.LazyFrame) else data)
    columns = {str(c): c for c in data.columns}
    refuse_duplicates(data.columns, where)
    names = wanted([str(c) for c in data.columns])
    # Column by column, so that pandas' many string types need no PyArrow.
    return pl.DataFrame({name: _pandas_column(data[columns[name]]) for name in names}, strict=False)


def _pandas_column(column: Any) -> Any:
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


def _named(
    names: list[str],
    kind: Kind,
    where: str,
    text: Text,
    line: int | None = None,
    cells: Callable[[str], Iterable[Any]] | None = None,
) -> dict[str, str]:
    """Our name -> the table's own name of each column we use; `cells` are the first of a column."""
    numbers = None if cells is None else lambda name: are_numbers(cells(name))
    return name_columns(
        names, kind, where, line, text.typed, text.columns, numbers, ordered=text.ordered
    )


def id_columns(named: Mapping[str, str]) -> list[str]:
    """Return the columns that hold ids, by the names of the table."""
    return [theirs for ours, theirs in named.items() if ours in IDS]


def _with_names(text: Text, named: Mapping[str, str], kind: Kind) -> Text:
    """Return the text with the names of the columns that the user counted or named.

    A column has another number in a frame that holds the needed columns only.
    """
    own = chosen(text.columns, kind)
    return replace(text, columns={f"{kind}.{ours}": named[ours] for ours in own if ours in named})


def are_numbers(cells: Iterable[Any]) -> bool:
    """Return True if some cells hold a number, and the others nothing.

    >>> are_numbers(["0.5", None, "n/a", 2]), are_numbers(["2001", "A Space Odyssey"])
    (True, False)
    """
    there = [x for x in cells if x is not None and str(x).strip().lower() not in MISSING]
    return bool(there) and all(finite(x) is not None for x in there)


def first_cells(data: Any, name: str) -> Iterable[Any]:
    """Return some cells of a column of a frame."""
    if is_spark(data):
        return [row[0] for row in data.select(in_spark(name)).limit(FIRST).collect()]
    if type(data).__name__ == "LazyFrame":
        data = data.select(name).head(FIRST).collect()
    if type(data).__module__.startswith("pandas"):
        column = next(column for column in data.columns if str(column) == name)
        return list(data[column].dropna().head(FIRST))
    return list(data[name].drop_nulls().head(FIRST))


def _said(named: Mapping[str, str], names: Iterable[str], text: Text) -> str:
    """What users are told of the columns, and of the labels in them."""
    levels = text.labels is None and named.get("level", "").strip().lower() in LABELLED
    taken = "the levels of its labels are E 3, S 2, C 1 and I 0 (--labels gives others)" * levels
    return "; ".join(filter(None, (in_doubt(named, names, text.typed, text.columns), taken)))


def _unscored(kind: Kind, text: Text, columns: Iterable[str]) -> str:
    """Return the note on a run that is ranked by the order of its rows, as the user did not ask."""
    if kind == "qrels" or text.ordered or {"score", "rank"} & {*columns}:
        return ""
    return "no score or rank column, the order of the rows is the ranking"


@dataclass(frozen=True)
class Framed:
    """A tidy frame: judgments or results, whole or part by part as tables, made when asked for."""

    frame: pl.DataFrame
    second: str | None = None  # the column of types or intents, where asked for
    in_doubt: str = ""

    @classmethod
    def of(cls, frame: pl.DataFrame, kind: Kind, names: list[str], text: Text) -> Framed:
        """The columns of a tidy frame; `names` are those that it had before."""
        has = frame.columns
        if "rank" in has and frame["rank"].null_count():
            frame = frame.drop("rank")
        second = next((name for name in ("type", "intent") if text.typed and name in has), None)
        named = _named(names, kind, "", text)
        notes = _said(named, names, text), _unscored(kind, text, named)
        return cls(frame, second, "; ".join(filter(None, notes)))

    @property
    def long(self) -> bool:
        """Whether there is more than one part."""
        return len(self.frame) > PART

    @property
    def several(self) -> bool:
        """Whether there are several runs: tags that are not the same."""
        if "tag" not in self.frame.columns or self.frame.is_empty():
            return False
        tags = self.frame["tag"].fill_null("")
        return bool((tags != tags[0]).any())

    def table(self) -> Table:
        """All rows."""
        made = self._rows(0, len(self.frame))
        if not self.several:
            return made
        return replace(made, tags=strings_of(self.frame["tag"].fill_null("")))

    def parts(self) -> Iterator[Part]:
        """The rows in parts, with the tag of the first."""
        for begin in range(0, len(self.frame), PART):
            yield partial(self._rows, begin, PART)

    def _rows(self, begin: int, count: int) -> Table:
        """Some rows. A run without scores is ranked by its ranks or its order."""
        frame = self.frame.slice(begin, count)
        topic, has = frame["topic"], frame.columns
        starts = np.flatnonzero(topic.ne_missing(topic.shift(1)).to_numpy())
        docs, hashes = _hashed(frame["doc"])
        return Table(
            strings_of(topic.gather(starts).cast(pl.String)),
            starts,
            docs,
            hashes,
            frame["value"].to_numpy() if "value" in has else np.zeros(len(frame)),
            frame["rank"].to_numpy() if "rank" in has else None,
            frame["tag"][0] if "tag" in has and len(frame) else None,
            scored="value" in has,
            types=strings_of(frame[self.second].fill_null("")) if self.second else None,
            strata=frame["stratum"].to_numpy() if "stratum" in has else None,
            in_doubt=self.in_doubt,
        )


def _hashed(column: pl.Series) -> tuple[Strings, Words]:
    """A column of names, and their hashes; of one that is written in codes, each name's once."""
    if column.dtype == pl.String:
        return packed(column)
    each = column.unique()
    codes, known = column.to_physical().to_numpy(), each.to_physical().to_numpy()
    place = np.empty(int(known.max(initial=0)) + 1, dtype=np.int64)
    place[known] = np.arange(len(known))
    names, hashes = packed(each.cast(pl.String))
    return names[place[codes]], hashes[place[codes]]


def strings_of(column: pl.Series) -> Strings:
    """A column of text, none of it missing."""
    return packed(column)[0]


def packed(column: pl.Series) -> tuple[Strings, Words]:
    """A column of text, none of it missing, side by side with room around it; and its hashes."""
    if (compiled := kernel.KERNEL) is not None:
        found = compiled.pack_column(column.__arrow_c_stream__(), int(strings.KEY))
        if found is not None:
            text = np.frombuffer(found[0], dtype=np.uint8)
            start, length = (np.frombuffer(x, dtype=np.int64) for x in found[1:3])
            return Strings(text, start, length), np.frombuffer(found[3], dtype=np.uint64)
    sizes = column.str.len_bytes().to_numpy().astype(np.int64)
    joined = column.rename("").str.join("").cast(pl.Binary).item() or b""
    made = Strings.packed(joined, sizes)
    return made, made.hashes()


def tidy(table: pl.DataFrame, kind: Kind, where: str, text: Text = PLAIN) -> pl.DataFrame:
    """The table with the columns topic, doc, value (rank, tag, type), their cells checked."""
    value = VALUE[kind]
    ours = {}
    cells = partial(first_cells, table)
    for name, theirs in _named(table.columns, kind, where, text, None, cells).items():
        column = table[theirs]
        if name == "level" and (labels := labels_of(theirs, text)) and column.dtype == pl.String:
            levels = [level_of(x, labels, finite(x)) for x in column.fill_null("").to_list()]
            column = pl.Series(levels, dtype=pl.Float64)
        if name in ("topic", "doc", "type") and not names_things(column):
            raise InputError(f"{column.dtype} in column {theirs}", "identifiers", where)
        is_number = name in (value, "rank", "stratum")
        if is_number and not _may_be_numbers(column):
            raise InputError(f"{column.dtype} in column {theirs}", "numbers", where)
        try:
            made = column.cast(
                pl.Float64 if is_number else _named_as(name, column), strict=name != "rank"
            )
        except pl.exceptions.PolarsError:
            raise InputError(f"{column.dtype} in column {theirs}", "numbers", where) from None
        ours["value" if name == value else name] = made
    found = pl.DataFrame(ours)
    _check_cells(found, where)
    if "value" not in ours and "rank" in ours:  # which then is what counts
        _refuse(found, ~pl.col("rank").is_finite().fill_null(False), "rank", NUMBER, where)
    return found


def _named_as(name: str, column: pl.Series) -> Any:
    """The type of a column of names: text, or what it is where each name is then written once."""
    coded = column.dtype in (pl.Categorical, pl.Enum) and name == "doc"
    return column.dtype if coded or (column.dtype.is_integer() and name == "topic") else pl.String


def labels_of(column: str, text: Text) -> Mapping[str, float] | None:
    """The levels of the labels in a column: as the user says, or as its name does."""
    return LABELLED.get(column.strip().lower()) if text.labels is None else text.labels


def names_things(column: pl.Series) -> bool:
    """Whether a column may hold identifiers."""
    whole = column.dtype.is_integer()
    return whole or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)


def _may_be_numbers(column: pl.Series) -> bool:
    """Whether a column may hold numbers; dates and booleans are none, whatever is made of them."""
    text = column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)
    return text or column.dtype.is_numeric()


def _check_cells(table: pl.DataFrame, where: str) -> None:
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
    _refuse(table, pl.any_horizontal(bad), "value", "identifiers and a finite number", where)


def _refuse(table: pl.DataFrame, bad: pl.Expr, column: str, expected: str, where: str) -> None:
    """Refuse a table with a bad row, by its identifiers and what stands in a column."""
    rows = table.with_row_index("row").filter(bad)
    if len(rows) == 0:
        return
    row = rows.with_columns(pl.col("topic", "doc").cast(pl.String)).row(0, named=True)
    cells = ", ".join(f"{k} {v!r}" for k, v in row.items() if k in ("topic", "doc", column))
    raise InputError(f"{cells} in row {row['row'] + 1}", expected, where)
