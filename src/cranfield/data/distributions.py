"""Distributions over ordered labels: a probability or count per item and label.

Text has ``item label value`` on each line. Tables name such columns, or have a column for each
label. Single assessments, ``item assessor label``, are counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import partial
from typing import Any, TypeAlias

from cranfield.arrays import LARGEST
from cranfield.data.assessments import ASSESSOR, LABEL
from cranfield.data.reading.cells import Layout, get_location, read_lines
from cranfield.data.reading.columns import SPELLINGS, TOPICS, find_spelling
from cranfield.data.reading.lines import Line, parse_finite
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count, format_names

DistributionsLike: TypeAlias = Any  # a path, {item: [p, …]}, {item: {label: p}}, a frame, tuples

ITEM = ("item", "item_id", "id", "dialogue", "dialogue_id", *TOPICS, *SPELLINGS["doc"])
VALUE = ("value", "probability", "prob", "p", "count", "votes", "frequency", "share")
VALUES = Layout(
    (("item", "label", "value"),),
    ("item",),
    {"item": ITEM, "label": LABEL, "value": VALUE},
    header=("item",),
    wide=True,  # with a column for each label
    table="distributions",
)
VOTES = Layout(
    (("item", "assessor", "label"),),
    ("item", "assessor", "label"),
    {"item": ITEM, "assessor": ASSESSOR, "label": LABEL},
    header=("item",),
    table="distributions",
)
TOLERANCE = 1e-6  # of the sum of written probabilities


@dataclass(frozen=True)
class Distributions:
    """Probability of each label, for each item. Labels are in order.

    >>> read_distributions({"d1": {"2": 0.75, "1": 0.25}})
    Distributions: 1 item × 2 labels (1, 2)
    """

    items: Mapping[str, tuple[float, ...]]
    labels: tuple[str, ...]
    votes: tuple[float, float] | None = None  # minimum and maximum per item, if these are votes
    where: str = "distributions"

    def __repr__(self) -> str:
        items = format_count(len(self.items), "item")
        return f"Distributions: {items} × {format_names(self.labels, 'label')}"


def read_distributions(
    data: DistributionsLike,
    labels: str | Iterable[Any] | None = None,
    votes: bool = False,
    location: str = "distributions",
) -> Distributions:
    """Read distributions from a path, a mapping, a frame or tuples.

    `labels` are all labels in order (``"A,B,C"`` or a list). By default, they are the labels in
    the data, which must be numbers. A label that an item does not have gets probability 0. If all
    values are integers, they are votes and become probabilities. With `votes`, the data are single
    assessments: (item, assessor, label).

    >>> read_distributions({"d1": [0, 3, 1]}).items
    {'d1': (0.0, 0.75, 0.25)}
    >>> read_distributions([("d1", "ann", "B"), ("d1", "bob", "A")], "A,B,C", votes=True).items
    {'d1': (0.5, 0.5, 0.0)}
    """
    if isinstance(data, Distributions):
        return data
    declared = _parse_labels(labels)
    layout = VOTES if votes else VALUES
    flatten = partial(_flatten_mapping, declared, layout.forms[0])
    rows = read_lines(data, layout, "distributions", nested=flatten, location=location)
    values, lines = (_count_votes if votes else _read_values)(rows)
    location = get_location(data, location)
    order = declared or _order_labels(lines, location)
    for (item, label), line in lines.items():
        if label not in order:
            raise line.make_error(f"label {label!r} of item {item}", f"one of {', '.join(order)}")
    totals, counted_votes = _compute_totals(values, lines, votes)
    items = {item: tuple(of_item.get(label, 0.0) / totals[item] for label in order) for item, of_item in values.items()}
    vote_range = (min(totals.values()), max(totals.values())) if counted_votes else None
    return Distributions(items, order, vote_range, location)


def _compute_totals(values: _ByLabel, lines: _Lines, votes: bool) -> tuple[dict[str, float], bool]:
    """Return the sum of the values of each item, and True if the values are votes."""
    totals = {item: math.fsum(of_item.values()) for item, of_item in values.items()}
    are_integers = all(value.is_integer() for of_item in values.values() for value in of_item.values())
    votes = votes or (are_integers and any(total != 1 for total in totals.values()))
    for item, total in totals.items():
        line = lines[item, next(iter(values[item]))]
        if total == 0:
            raise line.make_error(f"only zeros for item {item}", "a number > 0")
        if not votes and abs(total - 1) > TOLERANCE:
            text = f"probabilities of item {item} with sum {total:.10g}"
            raise line.make_error(text, "1 (or only integers: votes)")
    return totals, votes


# -- labels ---------------------------------------------------------------------------------------


def _parse_labels(labels: str | Iterable[Any] | None) -> tuple[str, ...]:
    """Return the labels listed by the user, or an empty tuple."""
    if labels is None:
        return ()
    if not isinstance(labels, Iterable):
        raise InputError(f"labels {labels!r}", "a list of them, or A,B,C")
    names = tuple(map(_normalise_label, labels.split(",") if isinstance(labels, str) else labels))
    if len(set(names)) < len(names) or "" in names:
        raise InputError.from_problem(f"duplicate or empty label in {', '.join(names)}")
    return _require_two(names, None)


def _order_labels(lines: _Lines, location: str) -> tuple[str, ...]:
    """Return the labels of the data in numerical order.

    Raise InputError if not numbers.
    """
    for (_, label), line in lines.items():
        if parse_finite(label) is None:
            expected = "numbers, or --label-order with all labels in order (A,B,C)"
            raise line.make_error(f"label {label!r}", expected)
    return _require_two(sorted({label for _, label in lines}, key=float), location)


def _require_two(labels: Sequence[str], location: str | None) -> tuple[str, ...]:
    if len(labels) < 2:
        raise InputError(format_names(labels, "label"), "at least two", location)
    return tuple(labels)


def _normalise_label(cell: Any) -> str:
    """Return a label as text, with one form for 1, 1.0 and +1."""
    number = parse_finite(cell)
    if number is None:
        return "" if cell is None else str(cell).strip()
    return str(int(number)) if number.is_integer() else str(number)


# -- what items say -------------------------------------------------------------------------------

_ByLabel: TypeAlias = dict[str, dict[str, float]]
_Lines: TypeAlias = dict[tuple[str, str], Line]


def _read_values(rows: Iterable[Line]) -> tuple[_ByLabel, _Lines]:
    """Return the number for each item and label, and its line."""
    values: _ByLabel = {}
    lines: _Lines = {}
    for line in rows:
        name = line.get_name("item")
        for cell, value in _read_pairs(line):
            label, number = _normalise_label(cell), parse_finite(value)
            description = f"label {label!r} of item {name}"
            if number is None or not 0 <= number <= LARGEST:
                expected = f"a number in [0, {LARGEST:g}]"
                raise line.make_error(f"value {value!r} for {description}", expected)
            if (name, label) in lines:
                raise line.make_duplicate_error(description)
            values.setdefault(name, {})[label] = number
            lines[name, label] = line
    return values, lines


def _read_pairs(line: Line) -> list[tuple[Any, Any]]:
    """Return the (label, value) pairs of a line."""
    if {"label", "value"} <= line.cells.keys():
        return [(line.cells["label"], line.cells["value"])]
    pairs = [(name, value) for name, value in line.cells.items() if name != "item"]
    if find_spelling(LABEL[:1], line.cells) is not None:
        expected = "also a column value (1 for the only label of an item)"
        raise line.make_error("a label without a value", expected)
    if not pairs:
        raise line.make_error("no labels", "the columns label and value, or a column for each label")
    return pairs


def _count_votes(rows: Iterable[Line]) -> tuple[_ByLabel, _Lines]:
    """Return the number of assessors for each item and label, and the first line."""
    choices: dict[str, dict[str, str]] = {}
    lines: _Lines = {}
    for line in rows:
        name, assessor = line.get_name("item"), line.get_name("assessor")
        label = _normalise_label(line.cells["label"])
        if not label:
            raise line.make_error(f"no label by {assessor} for item {name}", "a label")
        if assessor in choices.setdefault(name, {}):
            raise line.make_duplicate_error(f"label by assessor {assessor!r} for item {name}")
        choices[name][assessor] = label
        lines.setdefault((name, label), line)
    return {
        item: {label: float(n) for label, n in Counter(votes.values()).items()} for item, votes in choices.items()
    }, lines


def _flatten_mapping(
    labels: Sequence[str], columns: Sequence[str], data: Mapping[Any, Any], location: str
) -> Iterator[dict[str, Any]]:
    """Yield rows from ``{item: {label: value}}`` or ``{item: [value, …]}``."""
    expected = "{item: {label: value}} or {item: [value, …]}"
    width = len(labels)
    for item, values in data.items():
        if isinstance(values, Sized) and not len(values):
            raise InputError(f"no values for item {item!r}", expected, location)
        if isinstance(values, Mapping):
            pairs: Iterable[tuple[Any, Any]] = values.items()
        elif isinstance(values, Iterable) and not isinstance(values, str | bytes):
            numbers = list(values)
            width = width or len(numbers)
            if len(numbers) != width:
                problem = f"{format_count(len(numbers), 'number')} for item {item}"
                raise InputError(problem, f"{width} (one for each label)", location)
            pairs = zip(labels or range(1, width + 1), numbers, strict=True)
        else:
            raise InputError(f"{type(values).__name__} for item {item!r}", expected, location)
        yield from (dict(zip(columns, (item, *pair), strict=True)) for pair in pairs)
