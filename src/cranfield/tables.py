"""Tables of results: columns with exact values and texts for display."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.lazy_imports import pl
from cranfield.wording import format_count, format_number

FLAT = ("tsv", "csv", "jsonl", "parquet")  # formats of one table
MACHINE_READABLE = (*FLAT, "json")
PAPER = ("markdown", "latex", "html")

PLAIN_TYPES = (str, int, float, type(None))
DAGGERS = "†‡§¶‖"  # marks that stand above the line where they can


def is_raised(mark: str) -> bool:
    """Return True if a mark contains a dagger.

    >>> is_raised("†"), is_raised("+a"), is_raised("*")
    (True, False, False)
    """
    return any(sign in DAGGERS for sign in mark)


@dataclass(frozen=True)
class Field:
    """Column of a table, with values for machines and texts for display.

    Machines read `name` and `values`, and `head` and `texts` are displayed. The default head is the
    name, and the default texts are the values with rounded numbers. A column with ``values=None``
    is display only. A column with ``visible=False`` is machine-readable only. `key` columns
    identify a row and are repeated if a table is too wide for the terminal. Columns with the same
    `group` then stay together. `best` and `second` mark the best and the second best values, in a
    paper in bold and underlined. `marks` follow the values, for example
    letters of groups. A terminal prints texts in `colours`. `dtype` is the type of the values,
    needed if the column can be empty."""

    name: str
    values: Sequence[Any] | None
    head: str = ""
    texts: Sequence[str] | None = None
    visible: bool = True
    key: bool = False
    best: Sequence[bool] = ()
    second: Sequence[bool] = ()
    marks: Sequence[str] = ()
    colours: Sequence[str] = ()
    group: str = ""
    dtype: type | None = None

    @property
    def title(self) -> str:
        """Displayed column header."""
        return self.head or self.name.replace("_", " ")

    @property
    def cell_texts(self) -> list[str]:
        """Displayed text of each value."""
        return list(map(_format_value, self.values or ())) if self.texts is None else list(self.texts)

    @property
    def is_text(self) -> bool:
        """True if the column is left-aligned."""
        values = self.values if self.values is not None else (self.texts or ())
        words = all(isinstance(value, str) or value is None for value in values)
        return self.dtype is not float and (self.key or (words and not self.marks))

    @property
    def is_name(self) -> bool:
        """True if the texts are names, in which a hyphen is not a minus."""
        return self.key or any(isinstance(value, str) for value in self.values or ())

    @property
    def mark_separator(self) -> str:
        """Text between a value and its mark: a space before letters and -."""
        needs_space = (sign.isalnum() or sign == "-" for mark in self.marks for sign in mark)
        return " " if any(needs_space) else ""

    def format_cells(
        self, escape: Callable[[str], str], best: str, format_mark: Callable[[str], str], second: str = "{}"
    ) -> list[str]:
        """Return the displayed texts, escaped, with best and second best values and marks formatted."""
        texts = [*map(escape, self.cell_texts)]
        for form, flags in ((best, self.best), (second, self.second)):
            if flags:
                texts = [form.format(text) if flag else text for text, flag in zip(texts, flags, strict=True)]
        marks = [*map(format_mark, self.marks)] or [""] * len(texts)
        return [text + mark for text, mark in zip(texts, marks, strict=True)]


@dataclass(frozen=True)
class ResultTable:
    """Table with a name, columns and a caption.

    The caption is a sentence or a phrase. `best_of` names the compared set, such as "2 runs". A
    `title` is displayed above the table. `lines` follow the caption, one per line except in a
    paper. A table that is not `machine_readable` repeats values of another table for display.

    >>> ResultTable("pairs", [Field("run", ["bm25"], key=True), Field("p", [0.0125])]).rows
    [{'run': 'bm25', 'p': 0.0125}]
    """

    name: str
    fields: Sequence[Field]
    caption: str = ""
    title: str = ""
    best_of: str = ""
    machine_readable: bool = True
    lines: Sequence[str] = ()

    @property
    def columns(self) -> dict[str, Sequence[Any]]:
        """Machine-readable values by column name. Empty for display-only tables."""
        visible = self.fields if self.machine_readable else ()
        return {field.name: field.values for field in visible if field.values is not None}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Machine-readable values, one dictionary per row."""
        columns = self.columns
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self, *names: str) -> pl.DataFrame:
        """Return the machine-readable columns as a Polars frame: all, or the given names."""
        types = {str: pl.String, float: pl.Float64, int: pl.Int64}
        dtypes = {x.name: types[x.dtype] for x in self.fields if x.values is not None and x.dtype}
        # not strict: 1 and 0.5 are both numbers
        frame = pl.DataFrame(self.columns, schema_overrides=dtypes, strict=False)
        return frame.select(names or pl.all())

    @property
    def visible_fields(self) -> list[Field]:
        """Displayed columns."""
        return [field for field in self.fields if field.visible]

    @property
    def has_best(self) -> bool:
        """True if a value is marked as best."""
        return any(any(field.best) for field in self.visible_fields)

    @property
    def has_second(self) -> bool:
        """True if a value is marked as second best."""
        return any(any(field.second) for field in self.visible_fields)

    def format_caption(self, best: bool, paper: bool = True) -> str:
        """Return the caption for a paper or a terminal, with the mark of the best.

        >>> table = ResultTable("x", (), "mean over 2 topics", best_of="2 runs")
        >>> table.format_caption(True, paper=False), table.format_caption(True)
        ('mean over 2 topics · * best of 2 runs', 'Mean over 2 topics; best in bold.')
        """
        text = "; ".join([*filter(None, [self.caption]), *self.lines]) if paper else self.caption
        bold = "best in bold, second best underlined" if self.has_second else "best in bold"
        if text and not text.endswith("."):  # a phrase
            if not paper:
                return f"{text} · * best of {self.best_of}" if best else text
            first = text[0].upper() if text.split()[0].islower() else text[0]  # not of nDCG
            return f"{first}{text[1:]}{f'; {bold}' if best else ''}."
        mark = f"{bold.capitalize()}." if paper else "* marks the best."
        return f"{text} {mark}".strip() if best else text


def group_by_caption(tables: Iterable[ResultTable]) -> Iterator[tuple[list[ResultTable], bool]]:
    """Yield displayed tables that share a caption, and True if a value is best.

    A table without a caption belongs to the next table that has a caption.
    """
    group = list[ResultTable]()
    visible = [table for table in tables if table.visible_fields]
    for table in visible:
        group.append(table)
        if table.caption or table.lines or table is visible[-1]:
            yield group, any(member.has_best for member in group)
            group = []


def _format_value(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return format_number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def build_table(name: str, caption: str, *fields: Field) -> ResultTable:
    return ResultTable(name, fields, caption)


# -- columns --------------------------------------------------------------------------------------


def bind_rows(rows: Iterable[Any]) -> Callable[..., Field]:
    """Return a function that builds columns from these rows.

    A column contains the attribute with its name, or the attribute or function `value`. If `text`
    is a function, it formats the values that are not None.

    >>> tables = [ResultTable("a", ()), ResultTable("b", ())]
    >>> build_column = bind_rows(tables)
    >>> build_column("name", key=True).values
    ['a', 'b']
    >>> build_column("size", lambda table: len(table.fields), text=hex).texts
    ['0x0', '0x0']
    """
    rows = tuple(rows)

    def build_column(
        name: str,
        value: Callable[[Any], Any] | str = "",
        head: str = "",
        text: Callable[[Any], str] | None = None,
        **settings: Any,
    ) -> Field:
        values = [*map(attrgetter(value or name) if isinstance(value, str) else value, rows)]
        texts = None if text is None else [_format_value(x) if x is None else text(x) for x in values]
        return Field(name, values, head, texts, **settings)

    return build_column


def bind_nested_rows(owners: Iterable[Any], parts: str) -> tuple[Callable[..., Field], Callable[..., Field]]:
    """Return column builders for owners and for their parts, with one row per part."""
    rows = [(owner, part) for owner in owners for part in getattr(owner, parts)]
    return bind_rows(owner for owner, _ in rows), bind_rows(part for _, part in rows)


def build_record_table(
    name: str,
    rows: Iterable[Mapping[str, Any]],
    kinds: Mapping[str, type | None] = {},
    visible: bool = False,
) -> ResultTable:
    """Build a table from dictionaries: columns for all `kinds` and all keys.

    >>> build_record_table("documents", [{"topic": "301"}, {"topic": "302", "rank": 1}]).columns
    {'topic': ['301', '302'], 'rank': [None, 1]}
    """
    rows = [*rows]
    names = dict.fromkeys([*kinds, *(name for row in rows for name in row)])
    fields = [Field(x, [row.get(x) for row in rows], visible=visible, dtype=kinds.get(x)) for x in names]
    return ResultTable(name, fields)


def build_records_table(records: Sequence[Any]) -> ResultTable:
    """Build a table of dataclass records: columns of their numbers and names."""
    kind = type(records[0]).__name__ if records else "records"
    rows = [{x.name: getattr(record, x.name) for x in fields(record)} for record in records]
    table = build_record_table(kind.lower(), rows, visible=True)
    plain = [x for x in table.fields if all(isinstance(v, PLAIN_TYPES) for v in x.values or ())]
    return replace(table, fields=plain)


def build_grid_columns(rows: Iterable[Any], names: Iterable[str], cell: Callable[[Any, str], str]) -> list[Field]:
    """Build display-only columns whose cells depend on the row and the column name."""
    rows = [*rows]
    return [Field(name, None, name, [cell(row, name) for row in rows]) for name in names]


def build_pair_columns(
    build_column: Callable[..., Field],
    name: str,
    value: str,
    heads: Sequence[str] = ("", ""),
    **more: Any,
) -> list[Field]:
    """Build the two columns of an attribute with two values: first and second."""
    return [
        build_column(f"{name}_{ordinal}", lambda row, i=i: getattr(row, value)[i], heads[i], **more)
        for i, ordinal in enumerate(("first", "second"))
    ]


def build_key_columns(
    build_column: Callable[..., Field], several_measures: bool, other_head: str = "other"
) -> list[Field]:
    """Build the columns that identify a pair: measure (if several), run, other."""
    run_columns = build_column("run", key=True), build_column("other", head=other_head, key=True)
    return [build_column("measure", visible=several_measures, key=True), *run_columns]


def build_columns(build_column: Callable[..., Field], *names: str, **settings: Any) -> list[Field]:
    """Build several columns with the same settings.

    >>> table = ResultTable("a", (), "One.")
    >>> [field.values for field in build_columns(bind_rows([table]), "name", "caption")]
    [['a'], ['One.']]
    """
    return [build_column(name, **settings) for name in names]


def build_constant_columns(settings: Mapping[str, Any], rows: Sequence[Any]) -> list[Field]:
    """Build machine-readable columns with the same value in each row."""
    return [Field(name, [value] * len(rows), visible=False) for name, value in settings.items()]


def read_settings(result: Any, *names: str) -> dict[str, Any]:
    """Return attributes of a result by name. Tuples are replaced by their length."""
    values = {name: getattr(result, name) for name in names}
    return {name: len(x) if isinstance(x, tuple) else x for name, x in values.items()}


def build_interval_columns(rows: Sequence[Any], confidence: float, sign: str = "") -> list[Field]:
    """Build columns of intervals: low and high for machines, one text for display.

    Absent ends (NaN) are None.
    """
    texts = [format_interval(row.low, row.high, sign) for row in rows]
    interval = Field("interval", None, f"{format_percent(confidence)} interval", texts)
    ends = {name: [_drop_nan(getattr(row, name)) for row in rows] for name in ("low", "high")}
    return [*(Field(name, values, visible=False, dtype=float) for name, values in ends.items()), interval]


def _drop_nan(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def format_interval(low: float | None, high: float | None, sign: str = "") -> str:
    """Format an interval. With ``sign="+"``, both ends have a sign.

    >>> format_interval(0.25, 0.5), format_interval(-0.25, 0.5, "+")
    ('[0.2500, 0.5000]', '[-0.2500, +0.5000]')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return _format_value(None)
    return f"[{format_number(low, sign)}, {format_number(high, sign)}]"


def format_ranks(low: int | None, high: int | None) -> str:
    """Format an interval of ranks.

    >>> format_ranks(1, 3), format_ranks(2, 2), format_ranks(None, None)
    ('1–3', '2', '–')
    """
    if low is None or high is None:
        return _format_value(None)
    return f"{low}" if low == high else f"{low}–{high}"


def format_mean_with_interval(row: Any) -> str:
    """Format a mean and its interval in one cell."""
    return f"{format_number(row.mean)} {format_interval(row.low, row.high)}"


def format_difference(value: float) -> str:
    """Format a number with its sign.

    >>> [format_difference(x) for x in (0.25, -0.5, -1e-9)]
    ['+0.2500', '-0.5000', '+0.0000']
    """
    return format_number(value, "+")


def format_percent(fraction: float) -> str:
    """Format a fraction as a percentage, without trailing zeros.

    >>> format_percent(0.95), format_percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * fraction:g}%"


def format_runs_and_topics(runs: int, *topics: int) -> str:
    """Format the numbers of runs and topics.

    Measures may have different numbers of topics.

    >>> format_runs_and_topics(12, 50), format_runs_and_topics(12, 50, 47)
    ('12 runs on 50 topics', '12 runs on 47 to 50 topics')
    """
    return f"{format_count(runs, 'run')} on {format_topics(topics)}"


def format_topics(counts: Iterable[int]) -> str:
    """Format the number of topics, as a range if measures have different counts.

    >>> format_topics([50, 50]), format_topics([50, 47])
    ('50 topics', '47 to 50 topics')
    """
    ordered = sorted(counts)
    lowest, highest = ordered[0], ordered[-1]
    return format_count(highest, "topic") if lowest == highest else f"{lowest:,} to {highest:,} topics"


# -- JSON -----------------------------------------------------------------------------------------


def drop_zero_fraction(value: Any) -> Any:
    """Return an integer for a float without a fraction, other values unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def build_notes_entry(notes: Iterable[Any]) -> dict[str, Any]:
    """Return the notes as an entry of a document."""
    return {"notices": [note.to_dict() for note in notes]}


def convert_numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with numbers that JSON supports."""
    return {k: to_json_number(v) if isinstance(v, float) else v for k, v in row.items()}


def to_json_number(value: float) -> float | str | None:
    """Return a value that JSON supports: NaN becomes null, infinity a string.

    >>> to_json_number(0.5), to_json_number(math.nan), to_json_number(-math.inf)
    (0.5, None, '-inf')
    """
    if math.isnan(value):
        return None
    return str(value) if math.isinf(value) else value
