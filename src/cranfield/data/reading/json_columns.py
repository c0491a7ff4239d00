"""Tables from JSON rows, column by column.

Everything unusual raises Irregular. The readers of records then read the same text, and locate
its problems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from operator import itemgetter
from types import NoneType
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.reading.columns import VALUE, Kind
from cranfield.data.reading.inspection import build_table
from cranfield.data.reading.json_lines import Cells, parse_json_numbers, split_rows
from cranfield.data.reading.json_text import parse_lines, parse_value
from cranfield.data.reading.labels import get_level
from cranfield.data.reading.lines import parse_finite
from cranfield.data.reading.records import COUNTS, Problem, ReadOptions, Record
from cranfield.data.reading.source import Limits, Piece
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import (
    FIRST,
    describe_columns,
    describe_order,
    get_labels,
    make_json_lines,
    name_table_columns,
)
from cranfield.errors import InputError

_NEXT_OBJECT = re.compile(rb"\}\s*,\s*\{")
_FIRST_OBJECT = re.compile(rb"\s*\[\s*(\{[^{}\[\]]*\})")
Item: TypeAlias = Mapping[str, Any]
_MAX_KEY_SETS = 64  # rows with more different sets of keys are read as records
_UNIFORM_ROLES, _NUMBER_ROLES = {"topic", "doc", "level", "score", "rank", "tag"}, ("level", "score", "rank")
_ID_TYPES, _NUMBER_TYPES = {str, int}, {int, float}


def read_rows(text: bytes, kind: Kind, options: ReadOptions) -> Table:
    """Read complete lines with an object each as a table. Raise Irregular for invalid lines."""
    for read in (_read_uniform, _read_columns):
        try:
            return read(text, kind, options)
        except (Irregular, InputError):
            continue
    return _read_records(text, kind, options)


def _read_uniform(text: bytes, kind: Kind, options: ReadOptions) -> Table:
    """Read rows that have the same text between their values. The first rows decide the columns."""
    columns = split_rows(text)
    rows = parse_lines([line for line in text.split(b"\n", FIRST)[:FIRST] if line])
    first, cells_of = build_rows(rows, kind, options), partial(_read_first_cells, rows)
    names = name_table_columns([*columns], kind, "", options, None, cells_of)
    if not names.keys() <= _UNIFORM_ROLES or get_labels(names.get("level", ""), options, cells_of) is not None:
        raise Irregular
    cells = {role: columns[name] for role, name in names.items()}
    numbers = {role: _parse_cells(cells[role], False) for role in cells if role in _NUMBER_ROLES}
    topics, docs = (_parse_cells(cells[role], True) for role in ("topic", "doc"))
    values = numbers.get(VALUE[kind], np.zeros(len(docs)))
    tags = _parse_cells(cells["tag"], True) if "tag" in cells else None
    return replace(
        Table.from_columns(docs, values, topics),
        scored=VALUE[kind] in cells,
        ranks=numbers.get("rank"),
        tag=first.tag,
        tags=None if tags is None or tags.is_constant() else tags,
        doubts=first.doubts,
    )


def _parse_cells(cells: Cells, is_text: bool) -> Any:
    """Return the texts or the numbers of a column. Raise Irregular for another type."""
    if cells.is_text != is_text or not cells.texts.length.all():
        raise Irregular
    return cells.texts if is_text else parse_json_numbers(cells.texts)


def _read_columns(text: bytes, kind: Kind, options: ReadOptions) -> Table:
    lines = text.removesuffix(b"\n").split(b"\n")
    if b"\n\n" in text or b"\n\r\n" in text:
        lines = [line for line in lines if line.strip()]
    return build_rows(parse_lines(lines), kind, options)


def _read_records(text: bytes, kind: Kind, options: ReadOptions) -> Table:
    """Read lines as records, for rows that `build_rows` does not handle."""
    piece = Piece("", Limits(len(text) + 1), text)
    records, doubts = list[Record](), dict[str, None]()
    for item in make_json_lines().read_records(piece, kind, options):
        if isinstance(item, InputError) or (isinstance(item, Record) and item.group is not None):
            raise Irregular
        if isinstance(item, Problem) and item.kind == COUNTS:
            raise Irregular  # the count of the whole file
        if isinstance(item, Problem):
            doubts[item.text] = None
        else:
            records.append(item)
    table = replace(_build_from_records(records, kind), doubts="; ".join(doubts))
    has_types = options.uses_second_column and table.types is not None and table.types.length.any()
    return replace(table, types=table.types if has_types else None)


def _build_from_records(records: Sequence[Record], kind: Kind) -> Table:
    """Convert valid records. Raise Irregular if only some have a value, a rank or a stratum."""
    table = replace(build_table(records), lines=None, strata=_to_strata(records))
    ranked = [record.rank is not None for record in records]
    scored = {record.value is not None for record in records}
    table = replace(table, ranks=table.ranks if all(ranked) else None)
    if scored <= {True}:
        return table
    if kind == "qrels" or len(scored) > 1 or len({*ranked}) > 1:
        raise Irregular
    return replace(table, values=np.zeros(len(records)), scored=False)


def _to_strata(records: Sequence[Record]) -> Floats | None:
    strata = [record.stratum for record in records]
    if strata.count(None) == len(strata):
        return None
    if None in strata:
        raise Irregular
    return np.array(strata, dtype=np.float64)


def read_array(text: bytes, kind: Kind, options: ReadOptions) -> Table:
    """Read an array of objects as a table. Raise Irregular for other JSON."""
    try:
        return _read_uniform(_split_array(text), kind, options)
    except (Irregular, InputError):
        pass
    try:
        return build_rows(parse_value(text), kind, options)
    except InputError:
        raise Irregular from None


def _split_array(text: bytes) -> bytes:
    """Return the objects of an array on lines. Their texts may change if the objects are no rows.

    >>> _split_array(b'[{"a": 1}, {"a": 2}]')
    b'{"a": 1}\\n{"a": 2}\\n'
    """
    array = text.strip()
    if array[:1] != b"[" or array[-1:] != b"]":
        raise Irregular
    objects = array[1:-1].strip().replace(b"\n", b" ")  # a line break is never part of a value
    match = _NEXT_OBJECT.search(objects)
    return (objects if match is None else objects.replace(match[0], b"}\n{")) + b"\n"


def read_first_object(text: bytes) -> Any:
    """Return the first value of an array. Raise Irregular for other JSON."""
    match = _FIRST_OBJECT.match(text)
    if match is not None:
        return parse_value(match[1])
    data = parse_value(text) if text.lstrip()[:1] == b"[" else None
    if not data:
        raise Irregular
    return data[0]


def build_rows(rows: Sequence[Any], kind: Kind, options: ReadOptions) -> Table:
    """Return the table of rows with named cells.

    >>> rows = [{"qid": "q1", "docno": 7, "rel": 2}, {"qid": "q1", "docno": 8, "rel": 0}]
    >>> table = build_rows(rows, "qrels", ReadOptions())
    >>> table.names, table.docs.tolist(), table.values.tolist()
    (['q1'], ['7', '8'], [2.0, 0.0])
    """
    if {*map(type, rows)} != {dict}:
        raise Irregular
    key_sets = [*dict.fromkeys(map(tuple, rows))]
    if len(key_sets) > _MAX_KEY_SETS:
        raise Irregular
    first = partial(_read_first_cells, rows)
    mappings = [name_table_columns(list(names), kind, "", options, None, first) for names in key_sets]
    columns = mappings[0]
    if any(mapping != columns for mapping in mappings) or "class" in columns:
        raise Irregular
    labels = get_labels(columns.get("level", ""), options, first)
    doubts = [describe_columns(columns, names, options, labels) for names in key_sets]
    doubts.append(describe_order(kind, options, columns))
    cells = {role: [*map(itemgetter(name), rows)] for role, name in columns.items()}
    return replace(
        _build_table(cells, kind, labels),
        types=_get_second(cells, kind) if options.uses_second_column else None,
        doubts="; ".join(dict.fromkeys(filter(None, doubts))),
    )


def _read_first_cells(rows: Sequence[Item], name: str) -> list[Any]:
    return [row[name] for row in islice(rows, FIRST) if name in row]


def _build_table(cells: Mapping[str, list[Any]], kind: Kind, labels: Mapping[str, float] | None) -> Table:
    values = cells.get(VALUE[kind])
    if values is None:
        numbers = np.zeros(len(cells["topic"]))
    elif kind == "qrels":
        numbers = _to_levels(values, labels)
    else:
        numbers = _to_numbers(values)
    tags = _to_tags(cells.get("tag"))
    ranks, strata = (cells.get(role) for role in ("rank", "stratum"))
    return replace(
        Table.from_columns(to_ids(cells["doc"]), numbers, to_ids(cells["topic"])),
        scored=values is not None,
        ranks=None if ranks is None else _to_numbers(ranks),
        strata=None if strata is None else _to_numbers(strata),
        tag=None if tags is None else tags[:1].tolist()[0],
        tags=None if tags is None or tags.is_constant() else tags,
    )


def to_ids(cells: Sequence[Any]) -> Strings:
    """Convert identifiers, which are text or integers. Raise Irregular for others."""
    types = {*map(type, cells)}
    if not types <= _ID_TYPES:
        raise Irregular
    try:
        ids = Strings.from_list(cells if types == {str} else [*map(str, cells)])
    except (InputError, ValueError):  # surrogates, too many digits
        raise Irregular from None
    if (ids.length == 0).any():
        raise Irregular
    return ids


def _to_numbers(cells: Sequence[Any]) -> Floats:
    """Convert finite numbers, which may be text. Raise Irregular for others."""
    types = {*map(type, cells)}
    if not types <= _NUMBER_TYPES:
        if not types <= _NUMBER_TYPES | {str}:
            raise Irregular
        cells = [*map(parse_finite, cells)]
        if None in cells:
            raise Irregular
    try:
        numbers = np.array(cells, dtype=np.float64)
    except OverflowError:
        raise Irregular from None
    if not np.isfinite(numbers).all():
        raise Irregular
    return numbers


def _to_levels(cells: Sequence[Any], labels: Mapping[str, float] | None) -> Floats:
    """Convert levels, which may be labels. Raise Irregular for others."""
    types = {*map(type, cells)}
    if types <= _NUMBER_TYPES and labels is None:
        return _to_numbers(cells)
    if not types <= _NUMBER_TYPES | {str}:
        raise Irregular
    as_text = str in types or labels is not None
    levels = [get_level(str(x) if as_text else "", labels, parse_finite(x)) for x in cells]
    if None in levels:
        raise Irregular
    return np.array(levels, dtype=np.float64)


def _to_tags(cells: Sequence[Any] | None) -> Strings | None:
    """Convert names of runs. None if no row has one."""
    types = {NoneType} if cells is None else {*map(type, cells)}
    if cells is None or types == {NoneType}:
        return None
    if not types <= {str, int, NoneType}:
        raise Irregular
    try:
        return Strings.from_list(["" if x is None else str(x) for x in cells])
    except (InputError, ValueError):
        raise Irregular from None


def _get_second(cells: Mapping[str, list[Any]], kind: Kind) -> Strings | None:
    """Return the intents of judgments or the types of results, None if there are none."""
    column = cells.get("intent" if kind == "qrels" else "type")
    return None if column is None else to_ids(column)
