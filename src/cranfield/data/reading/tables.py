"""Tables: CSV and TSV with a header, Parquet, Arrow, Polars and pandas frames.

Polars reads them; all become a `Table`. A run without scores has no values: its order is that of
its ranks or, without those, the table's own.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.data.reading.columns import VALUE, Kind, name_columns
from cranfield.data.reading.formats import Format
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from cranfield.errors import InputError

if TYPE_CHECKING:
    import polars as pl


class NotATable(ValueError):
    """The file is not in order; `records` finds where."""


def read_table(source: Source, format: Format, kind: Kind, types: bool = False) -> Table:
    """A file's table, or NotATable if there is anything wrong with it."""
    import polars as pl

    try:
        found = tidy(read_frame(source, format), kind, source.name, types)
        if format in ("csv", "tsv") and any(column.null_count() for column in found):
            raise NotATable  # an empty cell, or a line with too few of them
        return _table_of(found, types)
    except (pl.exceptions.PolarsError, InputError):
        raise NotATable from None


def read_frame(source: Source, format: Format) -> pl.DataFrame:
    """What a table holds; the cells of CSV and TSV are text. Errors may be Polars' own."""
    import polars as pl

    if format in ("parquet", "arrow"):
        return read_binary(source, format)
    if format == "jsonl":
        return pl.read_ndjson(source.read())
    return pl.read_csv(
        source.read(),
        separator="," if format == "csv" else "\t",
        infer_schema=False,  # identifiers are strings and never parsed
        quote_char='"',
    ).select(pl.all().str.strip_chars())


def read_binary(source: Source, format: Format) -> pl.DataFrame:
    """What a Parquet or Arrow file holds."""
    import polars as pl

    data = io.BytesIO(source.read())
    try:
        return pl.read_parquet(data) if format == "parquet" else pl.read_ipc(data)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"a broken {format} file ({reason})", "a whole one", source.name) from None


def is_frame(data: Any) -> bool:
    """Whether this is a Polars or a pandas frame (neither of which need be installed)."""
    origin = type(data).__module__.partition(".")[0]
    return origin in ("polars", "pandas") and type(data).__name__ in ("DataFrame", "LazyFrame")


def frame_table(data: Any, kind: Kind, where: str, types: bool = False) -> Table:
    """A Polars or pandas frame with our column names and types."""

    def wanted(names: list[str]) -> list[str]:
        return list(name_columns(names, kind, where, types=types).values())

    return _table_of(tidy(polars_frame(data, wanted, where), kind, where, types), types)


def polars_frame(data: Any, wanted: Callable[[list[str]], list[str]], where: str) -> pl.DataFrame:
    """A Polars frame as it is; of a pandas frame the wanted columns."""
    import polars as pl

    if not type(data).__module__.startswith("pandas"):
        made: pl.DataFrame = data.collect() if isinstance(data, pl.LazyFrame) else data
        return made
    columns = {str(c): c for c in data.columns}
    names = wanted([str(c) for c in data.columns])
    if len(columns) < len(data.columns):
        found = f"columns {', '.join(map(str, data.columns))}"
        raise InputError(found, "each column once", where)
    # Column by column, so that pandas' many string types need no PyArrow.
    return pl.DataFrame({name: _pandas_column(data[columns[name]]) for name in names}, strict=False)


def _pandas_column(column: Any) -> list[Any]:
    missing = column.isna().tolist()
    return [None if m else x for x, m in zip(column.tolist(), missing, strict=True)]


def _table_of(frame: pl.DataFrame, types: bool) -> Table:
    """The frame's columns as ours; a run without scores is ranked by its ranks or its order."""
    topic, docs = frame["topic"], strings_of(frame["doc"])
    starts = np.flatnonzero(topic.ne_missing(topic.shift(1)).to_numpy())
    has = frame.columns
    second = next((name for name in ("type", "intent") if types and name in has), None)
    ranks = frame["rank"].to_numpy() if "rank" in has and not frame["rank"].null_count() else None
    return Table(
        topic.gather(starts).to_list(),
        starts,
        docs,
        docs.hashes(),
        frame["value"].to_numpy() if "value" in has else np.zeros(len(frame)),
        ranks,
        str(frame["tag"][0]) if "tag" in has and len(frame) else None,
        scored="value" in has,
        types=strings_of(frame[second].fill_null("")) if second else None,
    )


def strings_of(column: pl.Series) -> Strings:
    """A column of text, none of it missing."""
    length = column.str.len_bytes().to_numpy().astype(np.int64)
    return Strings.packed("".join(column.str.join("").to_list()).encode(), length)


def tidy(table: pl.DataFrame, kind: Kind, where: str, types: bool = False) -> pl.DataFrame:
    """The table with the columns topic, doc, value (rank, tag, type), their cells checked."""
    import polars as pl

    named = name_columns(table.columns, kind, where, types=types)
    value = VALUE[kind]
    ours = {}
    for name, theirs in named.items():
        column = table[theirs]
        if name in ("topic", "doc", "type") and not names_things(column):
            raise InputError(f"{column.dtype} in column {theirs}", "identifiers", where)
        dtype = pl.Float64 if name in (value, "rank") else pl.String
        if column.dtype == pl.Boolean and dtype == pl.Float64:
            raise InputError(f"{column.dtype} in column {theirs}", "numbers", where)
        try:
            made = column.cast(dtype, strict=name != "rank")
        except pl.exceptions.PolarsError:
            raise InputError(f"{column.dtype} in column {theirs}", "numbers", where) from None
        ours["value" if name == value else name] = made
    found = pl.DataFrame(ours)
    _check_cells(found, where)
    return found


def names_things(column: pl.Series) -> bool:
    """Whether a column may hold identifiers."""
    import polars as pl

    whole = column.dtype.is_integer()
    return whole or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)


def _check_cells(table: pl.DataFrame, where: str) -> None:
    """No identifier or value may be missing, no value infinite."""
    import polars as pl

    bad = pl.col("topic").is_null() | pl.col("doc").is_null()
    bad = bad | (pl.col("topic") == "") | (pl.col("doc") == "")
    if "value" in table.columns:
        bad = bad | pl.col("value").is_null() | ~pl.col("value").is_finite()
    rows = table.with_row_index("row").filter(bad)
    if len(rows) == 0:
        return
    row = rows.row(0, named=True)
    cells = ", ".join(f"{k} {v!r}" for k, v in row.items() if k in ("topic", "doc", "value"))
    raise InputError(f"{cells} in row {row['row'] + 1}", "identifiers and a finite number", where)
