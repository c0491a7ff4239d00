"""Distributions over ordered labels: how likely, or how often chosen, each label of an item is.

Text has ``item label value`` on each line; tables name such columns, or have a column for each
label. Single assessments, ``item assessor label``, are counted.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, TypeAlias

from cranfield.data.assessments import ASSESSOR, LABEL
from cranfield.data.columns import SPELLINGS, spelt
from cranfield.data.formats import Format, recognise
from cranfield.data.mappings import read_json
from cranfield.data.records import HEADED, Row, fields_of, finite, identifier, rows, text_lines
from cranfield.data.source import Source
from cranfield.data.tables import is_frame, polars_frame
from cranfield.errors import InputError
from cranfield.wording import counted, some

DistributionsLike: TypeAlias = Any  # a path, {item: [p, …]}, {item: {label: p}}, a frame, tuples

ITEM = ("item", "item_id", "id", "dialogue", "dialogue_id", *SPELLINGS["topic"], *SPELLINGS["doc"])
VALUE = ("value", "probability", "prob", "p", "count", "votes", "frequency", "share")
NEAR = 1e-6  # how far from 1 the sum of written probabilities may be


@dataclass(frozen=True)
class Distributions:
    """The probability of each label, for every item; labels are in their order.

    >>> read_distributions({"d1": {"2": 0.75, "1": 0.25}})
    Distributions: 1 item × 2 labels (1, 2)
    """

    items: Mapping[str, tuple[float, ...]]
    labels: tuple[str, ...]
    votes: tuple[float, float] | None = None  # the fewest and the most an item has, if counted
    where: str = "distributions"

    def __repr__(self) -> str:
        return f"Distributions: {counted(len(self.items), 'item')} × {some(self.labels, 'label')}"


def read_distributions(
    data: DistributionsLike,
    labels: str | Iterable[Any] | None = None,
    votes: bool = False,
    where: str = "distributions",
) -> Distributions:
    """Distributions from a path, a mapping, a Polars or pandas frame, or tuples.

    `labels` are all there are, in their order (``"A,B,C"`` or a list); if they are not given,
    those found, which must be numbers. A label that an item does not name has probability 0.
    Whole numbers throughout are votes, and become probabilities. With `votes`, the data are
    single assessments: (item, assessor, label).

    >>> read_distributions({"d1": [0, 3, 1]}).items
    {'d1': (0.0, 0.75, 0.25)}
    >>> read_distributions([("d1", "ann", "B"), ("d1", "bob", "A")], "A,B,C", votes=True).items
    {'d1': (0.5, 0.5, 0.0)}
    """
    if isinstance(data, Distributions):
        return data
    declared = _declared(labels)
    where = Source.of(data).name if isinstance(data, str | os.PathLike) else where
    triples = _triples(data, declared, votes, where)
    values, lines = (_counts if votes else _values)(triples, where)
    if not values:
        raise InputError("no distributions", "at least one", where)
    order = declared or _order(lines, where)
    for item, of_item in values.items():
        for label in of_item:
            if label not in order:
                found = f"label {label!r} of item {item}"
                raise InputError(found, f"one of {', '.join(order)}", where, lines[item, label])
    totals = {item: math.fsum(of_item.values()) for item, of_item in values.items()}
    whole = all(value.is_integer() for of_item in values.values() for value in of_item.values())
    by_votes = votes or (whole and any(total != 1 for total in totals.values()))
    for item, total in totals.items():
        line = lines[item, next(iter(values[item]))]
        if total == 0:
            raise InputError(
                f"nothing for any label of item {item}", "a number above 0", where, line
            )
        if not by_votes and abs(total - 1) > NEAR:
            found = f"probabilities of item {item} that sum to {total:.10g}"
            raise InputError(found, "1 (or votes: whole numbers throughout)", where, line)
    items = {
        item: tuple(of_item.get(label, 0.0) / totals[item] for label in order)
        for item, of_item in values.items()
    }
    many = (min(totals.values()), max(totals.values())) if by_votes else None
    return Distributions(items, order, many, where)


# -- labels -------------------------------------------------------------------------------------


def _declared(labels: str | Iterable[Any] | None) -> tuple[str, ...]:
    """The labels that the user lists; none if he does not."""
    if labels is None:
        return ()
    made = tuple(map(_label, labels.split(",") if isinstance(labels, str) else labels))
    if len(set(made)) < len(made) or "" in made:
        raise InputError(f"labels {', '.join(made)}", "each label once")
    return _several(made, None)


def _order(found: _Lines, where: str) -> tuple[str, ...]:
    """The labels found, which must be numbers."""
    for (_, label), line in found.items():
        if finite(label) is None:
            expected = "numbers, or all labels listed in their order (--labels A,B,C)"
            raise InputError(f"label {label!r}", expected, where, line)
    return _several(sorted({label for _, label in found}, key=float), where)


def _several(labels: Sequence[str], where: str | None) -> tuple[str, ...]:
    if len(labels) < 2:
        raise InputError(some(labels, "label"), "at least two", where)
    return tuple(labels)


def _label(cell: Any) -> str:
    """A label as it is written; 1, 1.0 and +1 are one label."""
    number = finite(cell)
    if number is None:
        return "" if cell is None else str(cell).strip()
    return str(int(number)) if number.is_integer() else str(number)


# -- what items say -----------------------------------------------------------------------------

_Triple: TypeAlias = tuple[int | None, Any, Any, Any]  # line; item, label, value or who voted, what
_ByLabel: TypeAlias = dict[str, dict[str, float]]
_Lines: TypeAlias = dict[tuple[str, str], int | None]


def _values(triples: Iterable[_Triple], where: str) -> tuple[_ByLabel, _Lines]:
    """A number for each label of an item, and its line."""
    made: _ByLabel = {}
    lines: _Lines = {}
    for line, item, cell, value in triples:
        name, label, number = _name(item, "item", where, line), _label(cell), finite(value)
        what = f"label {label!r} of item {name}"
        if number is None or number < 0:
            raise InputError(f"value {value!r} for {what}", "a number from 0", where, line)
        if (name, label) in lines:
            raise InputError(f"{what} twice", "each label once", where, line)
        made.setdefault(name, {})[label] = number
        lines[name, label] = line
    return made, lines


def _counts(triples: Iterable[_Triple], where: str) -> tuple[_ByLabel, _Lines]:
    """How many assessors chose each label of an item, and the line of the first of them."""
    chosen: dict[str, dict[str, str]] = {}
    lines: _Lines = {}
    for line, item, who, cell in triples:
        name, assessor = _name(item, "item", where, line), _name(who, "assessor", where, line)
        label = _label(cell)
        if not label:
            raise InputError(f"no label by {assessor} for item {name}", "a label", where, line)
        if assessor in chosen.setdefault(name, {}):
            found = f"assessor {assessor} twice for item {name}"
            raise InputError(found, "one label by each", where, line)
        chosen[name][assessor] = label
        lines.setdefault((name, label), line)
    return {
        item: {label: float(n) for label, n in Counter(by.values()).items()}
        for item, by in chosen.items()
    }, lines


def _name(cell: Any, what: str, where: str, line: int | None) -> str:
    found = identifier(cell)
    if found is None:
        raise InputError(f"{what} {cell!r}", "an identifier", where, line)
    return found


# -- where it is written ------------------------------------------------------------------------


def _triples(data: Any, labels: Sequence[str], votes: bool, where: str) -> Iterator[_Triple]:
    if isinstance(data, str | os.PathLike):
        return _of_file(Source.of(data), labels, votes)
    if is_frame(data):
        frame = polars_frame(data, list, where)
        return _of_table(((None, row) for row in frame.iter_rows(named=True)), votes, where)
    if isinstance(data, Mapping):
        return _of_mapping(data, labels, where)
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return _of_tuples(data, _columns(votes), where)
    raise InputError(type(data).__name__, "distributions as a path, a mapping, a frame or tuples")


def _columns(votes: bool) -> str:
    return "item assessor label" if votes else "item label value"


def _of_file(source: Source, labels: Sequence[str], votes: bool) -> Iterator[_Triple]:
    format = _format(source)
    if format == "json":
        yield from _of_mapping(read_json(source), labels, source.name)
    elif format != "trec":
        yield from _of_table(rows(source, format), votes, source.name, format in HEADED)
    else:
        for number, line in text_lines(source):
            fields = fields_of(line, None)
            if len(fields) != 3:
                found = f"{counted(len(fields), 'field')} ({line.strip()[:60]!r})"
                raise InputError(found, f"3: {_columns(votes)}", source.name, number)
            item, second, third = fields
            yield number, item, second, third


def _format(source: Source) -> Format:
    """As for runs, but that a header names items, and text is text."""
    first = source.start.decode("utf-8", "replace").lstrip().partition("\n")[0]
    separators: dict[str, Format] = {",": "csv", "\t": "tsv"}
    for separator, format in separators.items():
        if separator in first and spelt(ITEM, first.split(separator)) is not None:
            return format
    found = recognise(source)
    return "trec" if found in ("ntcir", "early", "letor") else found


def _of_table(
    table: Iterable[Row | InputError], votes: bool, where: str, headed: bool = False
) -> Iterator[_Triple]:
    """Rows of three columns; or of an item and a column for each label."""
    second, third = (ASSESSOR, LABEL) if votes else (LABEL, VALUE)
    for row in table:
        if isinstance(row, InputError):
            raise row
        line, cells = row
        item, a, b = (spelt(names, cells) for names in (ITEM, second, third))
        if item is None or (votes and None in (a, b)):
            found = f"columns {', '.join(map(str, cells))}"
            other = "" if votes else ", or item and one for each label"
            expected = f"the columns {_columns(votes).replace(' ', ', ')}{other}"
            raise InputError(found, expected, where, line)
        if headed:
            headed = False
        elif a is not None and b is not None:
            yield line, cells[item], cells[a], cells[b]
        else:
            for label in (name for name in cells if name != item):
                yield line, cells[item], label, cells[label]


def _of_mapping(data: Any, labels: Sequence[str], where: str) -> Iterator[_Triple]:
    """From ``{item: {label: value}}``, or ``{item: [value, …]}`` in the order of labels."""
    expected = "{item: {label: value}} or {item: [value, …]}"
    if not isinstance(data, Mapping):
        raise InputError(type(data).__name__, expected, where)
    many = len(labels)
    for item, values in data.items():
        if isinstance(values, Sized) and not len(values):
            raise InputError(f"nothing for item {item!r}", expected, where)
        if isinstance(values, Mapping):
            yield from ((None, item, key, value) for key, value in values.items())
        elif isinstance(values, Iterable) and not isinstance(values, str | bytes):
            listed = list(values)
            many = many or len(listed)
            if len(listed) != many:
                found = f"{counted(len(listed), 'number')} for item {item}"
                raise InputError(found, f"{many}: one for each label", where)
            names = labels or range(1, many + 1)
            yield from ((None, item, *pair) for pair in zip(names, listed, strict=True))
        else:
            raise InputError(f"{type(values).__name__} for item {item!r}", expected, where)


def _of_tuples(data: Iterable[Any], columns: str, where: str) -> Iterator[_Triple]:
    for number, row in enumerate(data, 1):
        cells = tuple(row) if isinstance(row, Iterable) and not isinstance(row, str) else ()
        if len(cells) != 3:
            expected = f"({columns.replace(' ', ', ')})"
            raise InputError(f"{row!r} as row {number}", expected, where)
        yield None, *cells
