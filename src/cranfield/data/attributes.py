"""Attributes of topics, such as categories, languages or information needs, for slices and clusters.

A table has a topic column and other columns. ``FILE:COLUMN`` selects a column, ``FILE:a,b`` two
attributes, ``FILE:a*b`` their crossing, and ``FILE:frequency/3`` three ranges of a number. ``length``
(words of the query) and ``relevant`` (relevant documents) need no table.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

import numpy as np

from cranfield.data.reading.cells import Layout, detect_layout_format, iter_lines
from cranfield.data.reading.columns import SPELLINGS, find_named_column, find_spelling
from cranfield.data.reading.formats import JSON
from cranfield.data.reading.lines import Line, format_first_line, format_value, parse_finite, truncate_text
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.user_columns import get_user_columns
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, describe_value
from cranfield.wording import format_count, format_names, format_option

AttributesLike: TypeAlias = Any  # FILE:COLUMN, a path, {topic: value}, {topic: {attribute: value}}, a frame, or several

NONE = "(none)"
"""Slice of the topics without a value."""

MAX_SLICES = 20
LENGTH, RELEVANT = "length", "relevant"
DERIVED = {LENGTH: 3, RELEVANT: 3}  # attributes without a table, and their default number of ranges
UNNAMED = "slice"  # attribute of {topic: value}
CROSSED = " · "
_PREFIX = "."  # prefix of columns that are attributes
_QUERY = ("query", "query_text", "text", "title", "question", "utterance")
EXAMPLES = "FILE:COLUMN, length or relevant"


@dataclass(frozen=True)
class _Table(Layout):
    """Topic and any other columns."""

    def resolve_columns(self, names: Iterable[Any]) -> dict[str, str]:
        all_columns = list(names)
        columns = super().resolve_columns(all_columns)
        other_columns = [name for name in all_columns if name not in columns.values()]
        return columns | {f"{_PREFIX}{name}": name for name in other_columns}


LAYOUT = _Table(
    (("topic",),),
    ("topic",),
    {"topic": (*(name for name in SPELLINGS["topic"] if name != "query"), "number", "num", "_id", "id")},
    header=("topic",),
    table="by",
    expected_columns="a column with topics (topic, qid, query_id, id, …)",
)


_QUERIES = replace(LAYOUT, table="queries", cache={})


@dataclass(frozen=True)
class Factor:
    """Column of an attribute: its values by topic, and the number of ranges if it is cut.

    `values` is None for derived columns, which are computed from judgments or queries.
    """

    column: str
    values: Mapping[str, str] | None
    ranges: int = 0


@dataclass(frozen=True)
class TopicAttribute:
    """Attribute of topics: one column, or the crossing of several.

    `topics` are the topics of its table. `location` names the table in messages.
    """

    name: str
    factors: tuple[Factor, ...]
    topics: tuple[str, ...] = ()
    location: str = "by"


@dataclass(frozen=True)
class _AttributeTable:
    """Columns of a table by topic. `query` is the name of the column with queries, if any."""

    columns: Mapping[str, Mapping[str, str]]
    topics: tuple[str, ...]
    location: str
    query: str | None = None
    conflicts: Mapping[str, InputError] = field(default_factory=dict)  # errors of columns with two values of a topic

    def get_factor(self, column: str, ranges: int = 0) -> Factor:
        """Return a column. Raise an error if a topic has two values."""
        if column in self.conflicts:
            raise self.conflicts[column]
        return Factor(column, self.columns[column], ranges)


@dataclass(frozen=True)
class BoundAttribute:
    """Values of an attribute for evaluated topics, and messages about it.

    The slices are in order of their first topics. Topics without a value are last.
    """

    name: str
    values: Mapping[str, str]
    messages: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # kind, text, topics


# -- reading --------------------------------------------------------------------------------------


def read_attributes(
    by: AttributesLike,
    queries: Any = None,
    valid: Mapping[str, Mapping[str, str]] | None = None,
    argument: str = "by",
) -> tuple[TopicAttribute, ...]:
    """Read the attributes of topics.

    `queries` are a table with a query column, for the derived attribute length. `valid` are
    attributes that were read before, by name. `argument` names values that are no file in messages.

    >>> [attribute] = read_attributes({"301": "fact", "302": "how"})
    >>> attribute.name, attribute.factors[0].values
    ('slice', {'301': 'fact', '302': 'how'})
    """
    attributes: list[TopicAttribute] = []
    tables: list[_AttributeTable] = [] if queries is None else [_read_table(queries, "queries", _QUERIES)]
    for part in by if isinstance(by, list | tuple) else [by]:
        attributes += _read_part(part, tables, valid or {}, argument)
    names = [attribute.name for attribute in attributes]
    for name in names:
        if names.count(name) > 1:
            raise InputError.from_problem(f"the attribute {name!r} is selected twice")
    return tuple(_add_lengths(attribute, tables, queries) for attribute in attributes)


def _read_part(
    part: Any, tables: list[_AttributeTable], valid: Mapping[str, Mapping[str, str]], argument: str
) -> list[TopicAttribute]:
    """Return the attributes that one value selects. Tables that are read are added to `tables`."""
    if not isinstance(part, str):
        table = _read_table(part, argument)
        tables.append(table)
        return _select_all(table)
    path, columns = _split_text(part, valid)
    if path is None:
        derived = {name: dict(values) for name, values in valid.items()}
        return [_parse_attribute(part, _AttributeTable(derived, (), argument), DERIVED)]
    table = next((table for table in tables if table.location == path), None) or _read_table(path, argument)
    tables.append(table)
    if columns is None:
        return _select_all(table)
    names = [columns] if columns in table.columns else columns.split(",")
    return [_parse_attribute(name.strip(), table, {}) for name in names]


def _split_text(text: str, valid: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Split FILE:COLUMN at the last colon. The path is None for derived attributes."""
    names = dict.fromkeys([*valid, *DERIVED])
    if os.path.isfile(text):
        if text in names:
            raise InputError.from_problem(f"{text!r} is an attribute and a file", f"For the file, use ./{text}.")
        return text, None
    path, colon, columns = text.rpartition(":")
    if colon and path and columns:
        return path, columns
    factors = [factor.partition("/")[0].strip() for factor in text.split("*")]
    if colon or not {*factors} <= names.keys():
        expected = f"FILE:COLUMN, or one of {format_names([*names], 'attribute')}"
        raise InputError(f"{text!r}, which is no file", expected)
    return None, text


def _select_all(table: _AttributeTable) -> list[TopicAttribute]:
    names = [name for name in table.columns if name != table.query]
    if not names:
        raise InputError("a table without attributes", "a column in addition to the topics", table.location)
    return [TopicAttribute(name, (table.get_factor(name),), table.topics, table.location) for name in names]


def _parse_attribute(text: str, table: _AttributeTable, derived: Mapping[str, int]) -> TopicAttribute:
    """Parse a column, ``a*b`` or ``a/3``. An existing column with this name has priority."""
    parts = [text] if text in table.columns else text.split("*")
    factors = tuple(_parse_factor(part.strip(), table, derived) for part in parts)
    return TopicAttribute(text, factors, table.topics, table.location)


def _parse_factor(text: str, table: _AttributeTable, derived: Mapping[str, int]) -> Factor:
    if text in table.columns:
        return table.get_factor(text)
    column, slash, number = text.rpartition("/")
    name = column.strip() if slash else text
    ranges = derived.get(name, 0)
    if slash:
        ranges = int(number) if number.isascii() and number.isdigit() else 0
        if not 2 <= ranges <= MAX_SLICES:
            raise InputError(f"{text!r}", f"COLUMN/K with K from 2 to {MAX_SLICES}", table.location)
    if name in table.columns:
        return table.get_factor(name, ranges)
    if name in derived:
        return Factor(name, None, ranges)
    names = [column for column in table.columns if column != table.query] or [*table.columns]
    raise InputError(f"no column {name!r}", f"one of {format_names(names, 'column')}", table.location)


def _read_table(data: Any, argument: str, layout: _Table = LAYOUT) -> _AttributeTable:
    """Read a table, a mapping or a frame with a topic column."""
    location = Source.from_path(data).name if isinstance(data, str | os.PathLike) else argument
    columns: dict[str, dict[str, str]] = {}
    lines: dict[str, tuple[Line, dict[str, str]]] = {}
    conflicts: dict[str, InputError] = {}
    for line in _iter_lines(data, location, layout):
        topic = line.get_name("topic")
        cells = {name[1:]: _read_cell(line, name) for name in line.cells if name[0] == _PREFIX}
        if topic in lines and cells != lines[topic][1]:
            conflicts.update(_find_conflicts(line, topic, cells, *lines[topic], conflicts))
        lines.setdefault(topic, (line, cells))
        for name, value in cells.items():
            column = columns.setdefault(name, {})
            if value:
                column[topic] = value
    if not lines:
        raise InputError("no topics", "a table with a topic column", location)
    choice = get_user_columns().select(layout.table).get("query")
    query = find_spelling(_QUERY, columns) if choice is None else find_named_column(choice.column, [*columns])
    return _AttributeTable(columns, tuple(lines), location, query, conflicts)


def _find_conflicts(
    line: Line, topic: str, cells: Mapping[str, str], first: Line, values: Mapping[str, str], reported: Collection[str]
) -> Iterator[tuple[str, InputError]]:
    """Yield the errors of columns in which a topic has two values."""
    for column, value in cells.items():
        if column not in reported and value != values.get(column, ""):
            problem = f"topic {topic!r} has two values of {column!r}: {values.get(column, '')!r} and {value!r}"
            fix = "Keep one row per topic."
            yield column, line.make_problem(f"{problem}{format_first_line(first.number)}", fix)


def _iter_lines(data: Any, location: str, layout: _Table) -> Iterator[Line]:
    """Yield the lines of a table. Raise an error for text without a header."""
    if isinstance(data, str | os.PathLike):
        source = Source.from_path(data)
        format = detect_layout_format(source, layout)
        if format.tabular is None and format is not JSON:
            first = source.start.decode("utf-8", "replace").partition("\n")[0].strip()
            expected = "a table with a header and a topic column, such as topic,category"
            raise InputError(truncate_text(first), expected, location, 1)
        data = source
    elif not is_frame(data) and not isinstance(data, Mapping | list) and callable(getattr(data, "items", None)):
        data = dict(data.items())  # a pandas Series
    elif not (is_frame(data) or isinstance(data, Mapping | list)):
        raise InputError(describe_value(data), "FILE:COLUMN, {topic: value} or a frame", location)
    yield from iter_lines(data, layout, location, nested=_flatten)


def _flatten(mapping: Mapping[Any, Any], location: str) -> Iterator[dict[str, Any]]:
    """Yield rows of ``{topic: value}`` or ``{topic: {attribute: value}}``."""
    for topic, value in mapping.items():
        yield {"topic": topic, **(value if isinstance(value, Mapping) else {UNNAMED: value})}


def _read_cell(line: Line, name: str) -> str:
    """Return the text of a cell on one line, "" if it is empty, missing or NaN."""
    cell = line.cells[name]
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, list | tuple | dict):
        raise line.make_error(f"{name[1:]} {format_value(cell)}", "text or a number")
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return " ".join(str(cell).split())


def _add_lengths(attribute: TopicAttribute, tables: Sequence[_AttributeTable], queries: Any) -> TopicAttribute:
    """Return the attribute with the numbers of words of queries, if it needs them."""
    if not any(factor.column == LENGTH and factor.values is None for factor in attribute.factors):
        return attribute
    table = next((table for table in tables if table.query is not None), None)
    if table is None or table.query is None:
        fix = f"Use {format_option('--queries FILE', 'queries=')} with a query column."
        if queries is not None:
            raise InputError("queries without a column query", "a column query", tables[0].location)
        raise InputError.from_problem("the attribute length needs queries", fix)
    lengths = {topic: str(len(text.split())) for topic, text in table.columns[table.query].items()}
    factors = [
        Factor(LENGTH, lengths, factor.ranges) if factor.column == LENGTH and factor.values is None else factor
        for factor in attribute.factors
    ]
    return TopicAttribute(attribute.name, tuple(factors), attribute.topics or table.topics, table.location)


# -- evaluated topics -----------------------------------------------------------------------------


def bind_attributes(
    attributes: Sequence[TopicAttribute],
    topics: Sequence[str],
    relevant: Mapping[str, int] | None = None,
    limit: int | None = MAX_SLICES,
) -> tuple[BoundAttribute, ...]:
    """Return the values of the evaluated topics.

    `relevant` are the numbers of relevant documents. Raise an error for an attribute with more than
    `limit` values, and if no topic of a table is evaluated.

    >>> [bound] = bind_attributes(read_attributes({"1": "a", "2": "b", "9": "a"}), ["2", "1", "3"])
    >>> bound.values, [message[1] for message in bound.messages]
    ({'1': 'a', '2': 'b', '3': '(none)'}, ['by: 1 row of topics that are not evaluated is ignored', \
'slice: 1 topic (3) has no value and is in the slice (none), which is not tested'])
    """
    reported: set[str] = set()
    bound = []
    for attribute in attributes:
        bound.append(_bind_attribute(attribute, topics, relevant, limit, attribute.location not in reported))
        reported.add(attribute.location)
    return tuple(bound)


def _bind_attribute(
    attribute: TopicAttribute,
    topics: Sequence[str],
    relevant: Mapping[str, int] | None,
    limit: int | None,
    reports_rows: bool,
) -> BoundAttribute:
    messages = [*_report_rows(attribute, topics)]
    values = _cross_factors([_cut_factor(factor, attribute, topics, relevant) for factor in attribute.factors], topics)
    missing = tuple(topic for topic in topics if topic not in values)
    if limit is not None:
        _check_limit(attribute, len({*values.values()}), limit)
        messages += _report_missing(attribute, missing)
    shown = tuple(message for message in messages if reports_rows or message[0] != "ignored-rows")
    return BoundAttribute(attribute.name, values | dict.fromkeys(missing, NONE), shown)


def _cross_factors(columns: Sequence[tuple[dict[str, str], list[str]]], topics: Sequence[str]) -> dict[str, str]:
    """Return the crossed values of topics that have all values, in order of the slices."""
    complete = {topic: [values[topic] for values, _ in columns] for topic in topics if _has_all(columns, topic)}
    places = [{value: place for place, value in enumerate(order)} for _, order in columns]
    keys = {topic: [place[x] for place, x in zip(places, row, strict=True)] for topic, row in complete.items()}
    return {topic: CROSSED.join(complete[topic]) for topic in sorted(complete, key=lambda topic: keys[topic])}


def _has_all(columns: Sequence[tuple[dict[str, str], list[str]]], topic: str) -> bool:
    return all(topic in values for values, _ in columns)


def _report_rows(attribute: TopicAttribute, topics: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    ignored = _count_ignored(attribute, topics)
    if ignored:
        rows = f"{format_count(ignored, 'row')} of topics that are not evaluated"
        yield "ignored-rows", f"{attribute.location}: {rows} {'is' if ignored == 1 else 'are'} ignored", ()


def _report_missing(attribute: TopicAttribute, missing: tuple[str, ...]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    if missing:
        have = "has no value and is" if len(missing) == 1 else "have no value and are"
        names = format_names(missing, "topic")
        yield "no-slice", f"{attribute.name}: {names} {have} in the slice {NONE}, which is not tested", missing


def _count_ignored(attribute: TopicAttribute, topics: Sequence[str]) -> int:
    """Count the rows of other topics. Raise an error if no topic is evaluated."""
    evaluated = {*topics}
    ignored = sum(topic not in evaluated for topic in attribute.topics)
    if ignored and ignored == len(attribute.topics):
        expected = f"an evaluated topic: {format_names([*topics], 'topic')}"
        raise InputError(format_names(attribute.topics, "topic"), expected, attribute.location)
    return ignored


def _check_limit(attribute: TopicAttribute, count: int, limit: int) -> None:
    if count <= limit:
        return
    is_number = all(
        parse_finite(value) is not None for factor in attribute.factors for value in (factor.values or {}).values()
    )
    hint = f"cut numbers into ranges first: {attribute.name}/3" if is_number else ""
    raise InputError(f"{attribute.name} with {count} values", f"at most {limit} values", attribute.location, None, hint)


def _cut_factor(
    factor: Factor, attribute: TopicAttribute, topics: Sequence[str], relevant: Mapping[str, int] | None
) -> tuple[dict[str, str], list[str]]:
    """Return the values of the evaluated topics and the order of all values."""
    if factor.values is None and relevant is None:
        problem = f"the attribute {factor.column} needs judgments"
        raise InputError.from_problem(problem, "Use QRELS RUN…, or a table with this column.")
    source: Mapping[str, Any] = factor.values if factor.values is not None else relevant or {}
    values = {topic: str(source[topic]) for topic in topics if topic in source}
    numbers = {topic: parse_finite(value) for topic, value in values.items()}
    finite = {topic: number for topic, number in numbers.items() if number is not None}
    if factor.ranges:
        for topic in [topic for topic in numbers if topic not in finite]:
            actual = f"{factor.column} {values[topic]!r} of topic {topic}"
            raise InputError(actual, "a number, to cut into ranges", attribute.location)
        return _cut_ranges(finite, factor.ranges)
    are_numbers = len(finite) == len(values)
    order = sorted({*values.values()}, key=float) if are_numbers else [*dict.fromkeys(map(str, source.values()))]
    return values, order


def _cut_ranges(numbers: Mapping[str, float], ranges: int) -> tuple[dict[str, str], list[str]]:
    """Cut numbers at quantiles. Equal numbers are in the same range.

    >>> _cut_ranges({"1": 4.0, "2": 1.0, "3": 2.0, "4": 9.0}, 2)
    ({'1': '4 to 9', '2': '1 to 2', '3': '1 to 2', '4': '4 to 9'}, ['1 to 2', '4 to 9'])
    """
    if not numbers:
        return {}, []
    x = np.array([*numbers.values()])
    cuts = np.quantile(x, np.arange(1, ranges) / ranges)
    groups = np.searchsorted(cuts, x, side="left")
    names: dict[int, str] = {}
    for group in np.unique(groups).tolist():
        low, high = float(x[groups == group].min()), float(x[groups == group].max())
        names[group] = format_range(low, high)
    values = {topic: names[group] for topic, group in zip(numbers, groups.tolist(), strict=True)}
    return values, [names[group] for group in sorted(names)]


def format_range(low: float, high: float) -> str:
    """Format the lowest and highest number of a range.

    >>> format_range(3.0, 33.0), format_range(0.5, 0.5)
    ('3 to 33', '0.5')
    """
    first, last = (repr(int(x)) if x.is_integer() else repr(x) for x in (low, high))
    return first if low == high else f"{first} to {last}"


def read_clusters(clusters: AttributesLike) -> TopicAttribute:
    """Read clusters of topics: one attribute.

    >>> read_clusters({"1": "a", "2": "b"}).factors[0].values
    {'1': 'a', '2': 'b'}
    """
    attributes = read_attributes(clusters, argument="clusters")
    if len(attributes) != 1:
        names = format_names([attribute.name for attribute in attributes], "column")
        raise InputError(names, "one column with clusters: FILE:COLUMN", attributes[0].location)
    return attributes[0]


def bind_clusters(attribute: TopicAttribute, topics: Sequence[str]) -> BoundAttribute:
    """Return the cluster of each evaluated topic. Raise an error for a topic without a cluster.

    >>> bind_clusters(read_clusters({"1": "a", "2": "b"}), ["2", "1"]).values
    {'2': 'b', '1': 'a'}
    """
    [bound] = bind_attributes([attribute], topics, limit=None)
    missing = [topic for topic in topics if bound.values[topic] == NONE]
    if missing:
        expected = f"a cluster for each of {format_count(len(topics), 'topic')}"
        raise InputError(f"{format_names(missing, 'topic')} without a cluster", expected, attribute.location)
    return BoundAttribute(bound.name, {topic: bound.values[topic] for topic in topics}, bound.messages)
