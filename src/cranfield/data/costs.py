"""Costs of documents: by element type, by topic and document, or by document alone.

Text has ``type cost`` or ``topic doc cost`` on each line; tables name their columns. What is in
order is read as columns. Anything else is read again record by record, which finds the line of
every error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.reading.columns import SPELLINGS, spelt
from cranfield.data.reading.formats import Format, recognise
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.records import (
    HEADED,
    Row,
    fields_of,
    finite,
    identifier,
    rows,
    text_lines,
)
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from cranfield.data.reading.tables import (
    is_frame,
    names_things,
    polars_frame,
    read_frame,
    strings_of,
)
from cranfield.data.reading.trec import COMMENT, Fields, Irregular, all_numbers
from cranfield.errors import InputError
from cranfield.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from cranfield.data.run import Run

CostsLike: TypeAlias = Any  # a path, {type: cost}, {topic: {doc: cost}}, a frame, DocCosts

UNITS = ("seconds", "minutes", "characters", "words")  # columns that tell the unit
COST = ("cost", "price", "effort", "time", *UNITS)
TEXT = (("type", "cost"), ("topic", "doc", "cost"))  # the columns of text, by their number


@dataclass(frozen=True, eq=False)
class DocCosts:
    """What it costs to look at a document, which is told by its type, or is itself named."""

    known: Table  # the types or documents with their costs, in groups if topics matter
    key: tuple[str, ...]  # what tells the cost: the type, the topic and doc, or the doc
    unit: str = ""
    where: str = "costs"

    @property
    def by_type(self) -> bool:
        """Whether it is the type of a result that tells its cost."""
        return self.key == ("type",)

    @property
    def values(self) -> Mapping[str, Floats]:
        """The costs, under the name by which rankings carry them."""
        return {"cost": self.known.values}

    @cached_property
    def _group(self) -> dict[str, int]:
        return {topic: i for i, topic in enumerate(self.known.names)}

    def rows(self, lines: Table) -> Ints:
        """The row of the cost of each line of a run, -1 where it is not known."""
        names, hashes = lines.docs, lines.hashes
        if self.by_type:
            if lines.types is None:
                raise InputError(
                    "costs by element type and a run without types",
                    "a run whose results have one (the second column of TREC text; types=True "
                    "where it is read before), or costs by topic and document",
                    self.where,
                )
            names, hashes = lines.types, lines.types.hashes()
        group = np.zeros(len(lines.names), dtype=np.int64)
        if "topic" in self.key:
            group[:] = [self._group.get(topic, -1) for topic in lines.names]
        return self.known.find(names, hashes, group[lines.group])

    def unknown_documents(self, topic: str, docs: Sequence[str]) -> list[str]:
        """Those of some documents of a topic that have no cost."""
        names = Strings.of(list(docs))
        lines = Table([topic], np.zeros(1, dtype=np.int64), names, names.hashes(),
                      np.zeros(len(names)))  # fmt: skip
        return names[self.rows(lines) < 0].tolist()

    def unknown_types(self, run: Run) -> list[str]:
        """The types of results of a run that have no cost."""
        found: dict[str, None] = {}
        for table in (part() for part in run.parts()) if run.parts else ():
            if table.types is not None:
                found.update(dict.fromkeys(table.types[self.rows(table) < 0].tolist()))
        return list(found)


def read_costs(data: CostsLike, unit: str = "") -> DocCosts:
    """Costs from a path, a mapping or a frame, in a unit if one is given or a column names it.

    >>> read_costs({"web": 1.5, "image": 0.25}, unit="seconds").values
    {'cost': array([1.5 , 0.25])}
    >>> read_costs({"q1": {"d1": 20, "d2": 35}}).by_type
    False
    """
    if isinstance(data, DocCosts):
        made = data
    elif isinstance(data, Mapping):
        made = _by_record(_of_mapping(data, "costs"), "costs")
    elif is_frame(data):
        frame = polars_frame(data, list, "costs")
        cells: Iterator[Row] = ((None, row) for row in frame.iter_rows(named=True))
        made = _from_frame(frame, "costs") or _by_record(cells, "costs")
    elif isinstance(data, str | os.PathLike):
        made = _from_file(Source.of(data))
    else:
        raise InputError(repr(data), "costs as a path, a dict or a frame")
    return replace(made, unit=unit) if unit else made


# -- files ------------------------------------------------------------------------------------


def _from_file(source: Source) -> DocCosts:
    format = _format(source)
    if format == "json":
        found = read_json(source)
        if not isinstance(found, dict):
            expected = "{type: cost} or {topic: {doc: cost}}"
            raise InputError("JSON that is not an object", expected, source.name)
        return _by_record(_of_mapping(found, source.name), source.name)
    if format == "trec":
        return _from_text(source) or _by_record(_of_text(source), source.name)
    made = _from_table(source, format) if format != "jsonl" else None  # it mixes types
    return made or _by_record(rows(source, format), source.name, headed=format in HEADED)


def _format(source: Source) -> Format:
    """As for runs, but that a table has other columns, and text is text."""
    first = source.start.decode("utf-8", "replace").lstrip().partition("\n")[0]
    headers: dict[str, Format] = {",": "csv", "\t": "tsv"}
    for separator, format in headers.items():
        if _columns(first.split(separator)):
            return format
    found = recognise(source)
    if found == "json" and _columns(_keys(first)):
        return "jsonl"
    return "trec" if found in ("ntcir", "early") else found


def _keys(line: str) -> list[str]:
    """The keys of the JSON object that a line is, none if it is none."""
    import json

    try:
        return list(dict(json.loads(line)))
    except (ValueError, TypeError, RecursionError):
        return []


def _columns(names: Sequence[str]) -> dict[str, str]:
    """Our name -> the table's own of what tells the cost, and last of the cost; else none."""
    found = {name: spelt(SPELLINGS[name], names) for name in ("topic", "doc", "type")}
    found["cost"] = spelt(COST, names)
    known = {name: theirs for name, theirs in found.items() if theirs is not None}
    for wanted in (("topic", "doc", "cost"), ("doc", "cost"), ("type", "cost")):
        if known.keys() >= set(wanted):
            return {name: known[name] for name in wanted}
    return {}


def _unit(column: str) -> str:
    """The unit a column of costs is named after."""
    name = column.strip().lower()
    return name if name in UNITS else ""


# -- in order ---------------------------------------------------------------------------------


def _from_text(source: Source) -> DocCosts | None:
    """The costs in a text, or None if a line of it is not in order."""
    text = COMMENT.sub(b"", source.read())
    width = len(text.lstrip().partition(b"\n")[0].split())
    layout = next((names for names in TEXT if len(names) == width), None)
    if layout is None:
        return None
    try:
        column = Fields(text, width).column
    except Irregular:
        return None
    costs = all_numbers(column(width - 1))
    if costs is None or not (costs > 0).all():
        return None
    keys = [column(i) for i in range(width - 1)]
    return _each_once(_made(layout[:-1], keys, costs, "", source.name))


def _from_table(source: Source, format: Format) -> DocCosts | None:
    """The costs in a table, or None if a cell of it is not in order."""
    import polars as pl

    try:
        return _from_frame(read_frame(source, format), source.name)
    except pl.exceptions.PolarsError:
        return None


def _from_frame(frame: pl.DataFrame, where: str) -> DocCosts | None:
    """The costs in a frame, or None if a cell of it is not in order."""
    import polars as pl

    named = _columns(frame.columns)
    if not named or not len(frame):
        return None
    *keys, costs = (frame[theirs] for theirs in named.values())
    written = costs.dtype == pl.String
    if not all(map(names_things, keys)) or not (written or costs.dtype.is_numeric()):
        return None
    texts = [key.cast(pl.String) for key in keys]
    numbers = (costs.str.strip_chars() if written else costs).cast(pl.Float64, strict=False)
    in_order = [numbers.is_finite() & (numbers > 0), *(text != "" for text in texts)]
    if not all(cells.fill_null(False).all() for cells in in_order):
        return None
    columns = [strings_of(text) for text in texts]
    made = _made(tuple(named)[:-1], columns, numbers.to_numpy(), _unit(named["cost"]), where)
    return _each_once(made)


def _made(
    key: tuple[str, ...], columns: Sequence[Strings], costs: Floats, unit: str, where: str
) -> DocCosts:
    *topics, names = columns
    return DocCosts(Table.of(names, costs, *topics).grouped(), key, unit, where)


def _each_once(made: DocCosts) -> DocCosts | None:
    return None if made.known.repeats() else made


# -- record by record -------------------------------------------------------------------------


def _of_mapping(data: Mapping[Any, Any], where: str) -> Iterator[Row]:
    by_topic = any(isinstance(value, Mapping) for value in data.values())
    for key, value in data.items():
        if not by_topic:
            yield None, {"type": key, "cost": value}
        elif isinstance(value, Mapping):
            for doc, cost in value.items():
                yield None, {"topic": key, "doc": doc, "cost": cost}
        else:
            raise InputError(f"{value!r} for topic {key!r}", "{doc: cost}", where)


def _of_text(source: Source) -> Iterator[Row]:
    layout: tuple[str, ...] = ()  # that of the first line
    for number, line in text_lines(source):
        fields = fields_of(line, None)
        layout = layout or next((names for names in TEXT if len(names) == len(fields)), ())
        if len(layout) != len(fields):
            layouts = [layout] if layout else TEXT
            expected = " or ".join(f"{len(names)}: {' '.join(names)}" for names in layouts)
            found = f"{counted(len(fields), 'field')} ({line.strip()!r})"
            raise InputError(found, expected, source.name, number)
        yield number, dict(zip(layout, fields, strict=True))


def _by_record(found: Iterable[Row | InputError], where: str, headed: bool = False) -> DocCosts:
    """One cost after the other, with the line of every error."""
    named: dict[str, str] = {}
    lines: dict[tuple[str, ...], int | None] = {}
    costs: list[float] = []
    for row in found:
        if isinstance(row, InputError):
            raise row
        line, cells = row
        if not named:
            named = _columns(list(cells))
            if not named:
                columns = ", ".join(map(str, cells))
                expected = "cost, and type, or topic and doc, or doc"
                raise InputError(f"columns {columns}", expected, where, line)
            if headed:
                continue
        *ids, cost = (cells.get(theirs) for theirs in named.values())
        key = tuple(_id(name, cell, where, line) for name, cell in zip(named, ids, strict=False))
        number = finite(cost)
        if number is None or number <= 0:
            what = "no cost" if cost is None or cost == "" else f"cost {cost}"
            what += f" of {_called(named, key)}" if line is None else ""
            raise InputError(what, "a number above 0", where, line)
        if key in lines:
            before = "" if line is None else f" (first on line {lines[key]})"
            raise InputError(f"{_called(named, key)} again{before}", "each once", where, line)
        lines[key] = line
        costs.append(number)
    if not costs:
        raise InputError("no costs", "at least one", where)
    keys = [Strings.of(column) for column in zip(*lines, strict=True)]
    return _made(tuple(named)[:-1], keys, np.array(costs), _unit(named["cost"]), where)


def _id(name: str, cell: Any, where: str, line: int | None) -> str:
    found = identifier(cell)
    if found is None:
        raise InputError(f"{name} {cell!r}", "an identifier", where, line)
    return found


def _called(columns: Iterable[str], key: tuple[str, ...]) -> str:
    """How messages call what has a cost: document d1 of topic q1, type web."""
    words = {"topic": "topic", "doc": "document", "type": "type"}
    pairs = [f"{words[name]} {one}" for name, one in zip(columns, key, strict=False)]
    return " of ".join(reversed(pairs))
