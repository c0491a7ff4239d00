"""Costs of documents: by element type, by topic and document, or by document.

Text has ``type cost``, ``doc cost`` or ``topic doc cost`` on each line. Tables name their columns.
Lines with two fields can be types or documents: a result has the cost of its type, otherwise the
cost of its document. Valid files are read as columns. Other files are read again, record by
record, to find the line of the error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.reading.binary import can_read_text
from cranfield.data.reading.cells import Layout, detect_layout_format, get_location, iter_lines
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.formats import JSON
from cranfield.data.reading.lines import Line, check_not_empty, parse_finite
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table, list_unknown_types
from cranfield.data.reading.tables import can_be_ids, is_frame, to_polars, to_strings
from cranfield.data.reading.trec import read_number_columns, strip_comments
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.lazy_imports import pl

if TYPE_CHECKING:
    from cranfield.data.run import Run

CostsLike: TypeAlias = Any  # a path, {type: cost}, {topic: {doc: cost}}, a frame, DocCosts

UNITS = ("seconds", "minutes", "characters", "words")  # columns that set the unit
KEY = "type-or-doc"  # key of lines with two fields
KEYS = (("topic", "doc"), ("doc",), ("type",), (KEY,))  # possible keys of a cost
TEXT = ((KEY, "cost"), ("topic", "doc", "cost"))  # columns of text, by their number


class _Layout(Layout):
    """Key columns and the cost, whose column may be named after its unit."""

    def resolve_columns(self, names: Iterable[Any]) -> dict[str, str]:
        columns = super().resolve_columns(names)
        costs = [name for name in ("cost", *UNITS) if name in columns]
        keys = [key for key in KEYS if columns.keys() >= set(key)]
        return {name: columns[name] for name in (*keys[0], costs[0])} if keys and costs else {}

    def has_header(self, names: Iterable[Any]) -> bool:
        return bool(self.resolve_columns(names))

    def describe_missing(self, columns: Mapping[str, str]) -> str:
        return "" if columns else self.expected_columns


LAYOUT = _Layout(
    TEXT,
    (),
    {name: SPELLINGS[name] for name in ("topic", "doc", "type")}
    | {KEY: (KEY,), "cost": ("cost", "price", "effort", "time")}
    | {unit: (unit,) for unit in UNITS},
    uniform=True,
    fixed=True,
    table="costs",
    expected_columns="cost, and type, or topic and doc, or doc",
)


@dataclass(frozen=True, eq=False)
class DocCosts:
    """Reading costs of documents, found by element type or by document id."""

    table: Table  # types or documents with costs, grouped if topics matter
    key: tuple[str, ...]  # key of the cost: type, topic and doc, or doc
    unit: str = ""
    where: str = "costs"

    @property
    def by_type(self) -> bool:
        """True if costs are found by the type of a result, or may be."""
        return self.key in (("type",), (KEY,))

    @property
    def values(self) -> Mapping[str, Floats]:
        """Costs, under the name used in rankings."""
        return {"cost": self.table.values}

    @cached_property
    def is_used(self) -> Bools:
        """Boolean array: True for each cost that a result has had so far."""
        return np.zeros(len(self.table), dtype=bool)

    @cached_property
    def _group(self) -> dict[str, int]:
        return {topic: i for i, topic in enumerate(self.table.names)}

    def rows(self, lines: Table) -> Ints:
        """Return the row of the cost of each line of a run, -1 if the cost is unknown."""
        group = np.zeros(len(lines.names), dtype=np.int64)
        if "topic" in self.key:
            group[:] = [self._group.get(topic, -1) for topic in lines.names]
        rows = np.full(len(lines), -1, dtype=np.int64)
        if self.by_type and lines.types is not None:
            rows = self.table.find(lines.types, lines.types.compute_hashes(), group[lines.group])
        if self.key != ("type",):
            docs = self.table.find(lines.docs, lines.hashes, group[lines.group])
            rows = np.where(rows < 0, docs, rows)
        if self.by_type and lines.types is None and (rows < 0).all():
            problem = "costs are by element type, but the run has no types"
            fix = "Use a run with types (column 2 of TREC text), or costs by topic and document."
            raise InputError.from_problem(problem, fix, self.where)
        self.is_used[rows[rows >= 0]] = True
        return rows

    def find_unknown_documents(self, topic: str, docs: Sequence[str]) -> list[str]:
        """Return the documents of a topic without a cost."""
        names = Strings.from_list(list(docs))
        lines = replace(Table.from_columns(names, np.zeros(len(names))), topics=Strings.from_list([topic]))
        return names[self.rows(lines) < 0].tolist()

    def find_unknown_types(self, run: Run) -> list[str]:
        """Return the result types of a run without a cost."""
        return list_unknown_types(self, run.iterate_tables())


def read_costs(data: CostsLike, unit: str = "") -> DocCosts:
    """Read costs from a path, a mapping or a frame.

    `unit` overrides the column's unit.

    >>> read_costs({"web": 1.5, "image": 0.25}, unit="seconds").values
    {'cost': array([1.5 , 0.25])}
    >>> read_costs({"q1": {"d1": 20, "d2": 35}}).by_type
    False
    """
    if isinstance(data, DocCosts):
        costs = data
    elif isinstance(data, str | os.PathLike | Mapping) or is_frame(data):
        data = Source.from_path(data) if isinstance(data, str | os.PathLike) else data
        lines = iter_lines(data, LAYOUT, "costs", nested=_flatten_mapping)
        costs = _read_columns(data) or _read_records(lines, get_location(data, "costs"))
    else:
        raise InputError(repr(data), "costs as a path, a dict or a frame")
    return replace(costs, unit=unit) if unit else costs


# -- in order -------------------------------------------------------------------------------------


def _read_columns(data: CostsLike) -> DocCosts | None:
    """Read costs as columns. Return None if they must be read record by record."""
    if isinstance(data, Mapping):
        return None
    if is_frame(data):
        return _read_frame(to_polars(data, list, "costs"), "costs")
    source = Source.from_path(data)
    format = detect_layout_format(source, LAYOUT)
    if format.tabular is None:
        return _read_text(source) if format is not JSON else None
    if format.tabular.mixed or (format.tabular.headed and not can_read_text()):
        return None
    try:
        return _read_frame(format.tabular.read_frame(source, None), source.name)
    except (pl.exceptions.PolarsError, Irregular):
        return None


def _read_text(source: Source) -> DocCosts | None:
    """Return the costs of a text, or None if a line is invalid."""
    text = strip_comments(source.read())
    width = len(text.lstrip().partition(b"\n")[0].split())
    layout = next((names for names in TEXT if len(names) == width), None)
    if layout is None:
        return None
    try:
        keys, costs = read_number_columns(text, width)
    except Irregular:
        return None
    return _reject_duplicates(_build_costs(layout, keys, costs, source.name)) if (costs > 0).all() else None


def _read_frame(frame: pl.DataFrame, location: str) -> DocCosts | None:
    """Return the costs of a frame, or None if a cell is invalid."""
    layout = LAYOUT.with_choices()
    spellings = layout.resolve_columns(frame.columns)
    if not spellings or not len(frame):
        return None
    layout.check_columns(frame.columns, spellings, location)
    *keys, costs = (frame[column] for column in spellings.values())
    is_text = costs.dtype == pl.String
    if not all(map(can_be_ids, keys)) or not (is_text or costs.dtype.is_numeric()):
        return None
    texts = [key.cast(pl.String) for key in keys]
    numbers = (costs.str.strip_chars() if is_text else costs).cast(pl.Float64, strict=False)
    checks = [numbers.is_finite() & (numbers > 0), *(text != "" for text in texts)]
    if not all(cells.fill_null(False).all() for cells in checks):
        return None
    columns = [to_strings(text) for text in texts]
    return _reject_duplicates(_build_costs(tuple(spellings), columns, numbers.to_numpy(), location))


def _build_costs(names: tuple[str, ...], keys: Sequence[Strings], costs: Floats, location: str) -> DocCosts:
    """Build costs from columns. The last of `names` is the unit, or "cost"."""
    *topics, docs = keys
    unit = names[-1] if names[-1] in UNITS else ""
    return DocCosts(Table.from_columns(docs, costs, *topics).group_by_topic(), names[:-1], unit, location)


def _reject_duplicates(costs: DocCosts) -> DocCosts | None:
    return None if costs.table.find_duplicate() else costs


# -- record by record -----------------------------------------------------------------------------


def _flatten_mapping(data: Mapping[Any, Any], location: str) -> Iterator[dict[str, Any]]:
    by_topic = any(isinstance(value, Mapping) for value in data.values())
    for key, value in data.items():
        if not by_topic:
            yield {KEY: key, "cost": value}
        elif isinstance(value, Mapping):
            yield from ({"topic": key, "doc": doc, "cost": cost} for doc, cost in value.items())
        else:
            raise InputError(f"{value!r} for topic {key!r}", "{doc: cost}", location)


def _read_records(records: Iterable[Line], location: str) -> DocCosts:
    """Read costs record by record, so that errors have line numbers."""
    names: tuple[str, ...] = ()
    costs: dict[tuple[str, ...], float] = {}
    lines: dict[tuple[str, ...], int | None] = {}
    for line in records:
        names = tuple(line.cells)
        key, cost = tuple(map(line.get_name, names[:-1])), line.cells[names[-1]]
        number = parse_finite(cost)
        if number is None or number <= 0:
            problem = "no cost" if cost is None or cost == "" else f"cost {cost}"
            problem += f" of {_format_key(names, key)}" if line.number is None else ""
            raise line.make_error(problem, "a number > 0")
        if key in costs:
            raise line.make_duplicate_error(f"cost of {_format_key(names, key)}", lines[key])
        costs[key], lines[key] = number, line.number
    check_not_empty(costs, "costs", location)
    keys = [Strings.from_list(column) for column in zip(*costs, strict=True)]
    return _build_costs(names, keys, np.array(list(costs.values())), location)


def _format_key(columns: Iterable[str], key: tuple[str, ...]) -> str:
    """Format the key of a cost for a message: "document d1 of topic q1", "type web"."""
    words = {"topic": "topic", "doc": "document", "type": "type", KEY: "type or document"}
    pairs = [f"{words[name]} {value}" for name, value in zip(columns, key, strict=False)]
    return " of ".join(reversed(pairs))
