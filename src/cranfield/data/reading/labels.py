"""Labels of assessors, and their levels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from cranfield.arrays import LARGEST
from cranfield.errors import InputError, describe_value

LabelsLike: TypeAlias = str | Mapping[str, Any]  # "S=3,A=2,B=1,C=0", {"S": 3, …}

NTCIR_LABEL = re.compile(r"L([0-9]+)")  # as in NTCIREVAL
LEVEL = f"a number from {-LARGEST:g} to {LARGEST:g}"  # measures can compute with these
MAX_LEVELS = 6  # usual maximum number of levels
ESCI = {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0}  # exact, substitute, complement, irrelevant
WANDS = {"Exact": 2.0, "Partial": 1.0, "Irrelevant": 0.0}
COLUMN_LABELS = {"esci_label": ESCI, "label": WANDS}  # known labels by column
GRADES = {"S": 3.0, "A": 2.0, "B": 1.0, "C": 0.0}  # NTCIR's first rounds


def get_level(label: str, labels: Mapping[str, float] | None = None, number: float | None = None) -> float | None:
    """Return the level of a label: from `labels`, from the form L2, or the number itself.

    With `labels`, a number is valid if it is one of their levels or at most 0. A file converted to
    numbers can then be read, and other numbers are still errors.

    >>> get_level("A", {"S": 3, "A": 2}), get_level("L3", {"S": 3, "A": 2}), get_level("L3")
    (2, 3.0, 3.0)
    >>> get_level("L9", {"S": 3, "A": 2})
    """
    if labels is not None and label in labels:
        return labels[label]
    match = NTCIR_LABEL.fullmatch(label)
    level = float(match[1]) if match else number
    if level is None or not abs(level) <= LARGEST:
        return None
    return level if labels is None or level <= 0 or level in labels.values() else None


def find_known_labels(column: str, read_cells: Callable[[str], Iterable[Any]]) -> Mapping[str, float] | None:
    """Return the levels of labels in a column if all its cells are known labels.

    >>> find_known_labels("label", lambda name: ["Exact", "Partial"])
    {'Exact': 2.0, 'Partial': 1.0, 'Irrelevant': 0.0}
    >>> find_known_labels("label", lambda name: ["2", "0"])
    """
    labels = COLUMN_LABELS.get(column.strip().lower())
    if labels is None or column.strip().lower() == "esci_label":
        return labels
    values = {cell.strip() for cell in read_cells(column) if isinstance(cell, str)} - {""}
    return labels if values and values <= labels.keys() else None


def describe_levels(labels: Mapping[str, float]) -> str:
    """Describe the levels of known labels.

    >>> describe_levels(ESCI)
    'levels of its labels: E 3, S 2, C 1, I 0 (--labels sets others)'
    """
    levels = ", ".join(f"{label} {level:g}" for label, level in labels.items())
    return f"levels of its labels: {levels} (--labels sets others)"


def can_be_levels(cells: Iterable[str]) -> bool:
    """Return True if numbers, as text, can be levels: few different integers.

    >>> can_be_levels(["0", "2", "-1"]), can_be_levels(["0.5"]), can_be_levels(map(str, range(9)))
    (True, False, False)
    """
    values = {*cells}
    return len(values) <= MAX_LEVELS and all(cell.removeprefix("-").isdecimal() for cell in values)


def describe_labels(label: str, valid_labels: Iterable[str]) -> str:
    """Format the valid labels for the error about an unknown label.

    >>> describe_labels("X", ["A", "B"]), describe_labels("a", ["A", "B"])
    ('one of A, B', "one of A, B; did you mean 'A'?")
    """
    valid_labels = list(valid_labels)
    matches = [name for name in valid_labels if name.lower() == label.lower()]
    return f"one of {', '.join(valid_labels)}" + (f"; did you mean {matches[0]!r}?" if matches else "")


def read_labels(labels: LabelsLike) -> dict[str, float]:
    """Parse labels: map each label to its level or points.

    >>> read_labels("S=1,A=2/3,B=1/3,C=0")["A"]
    0.6666666666666666
    """
    if isinstance(labels, Mapping):
        pairs = [(str(name), points) for name, points in labels.items()]
    elif not isinstance(labels, str):
        raise InputError(f"labels={describe_value(labels)}", "labels such as S=3,A=2,B=1,C=0, or a dict")
    else:
        parts = [part.partition("=") for part in labels.split(",")]
        pairs = [(name.strip(), points) for name, _, points in parts]
    expected = "labels with levels, such as S=3,A=2,B=1,C=0, without duplicates"
    if not pairs:
        raise InputError("no labels", expected)
    levels: dict[str, float] = {}
    for name, points in pairs:
        if not name or name in levels:
            raise InputError(f"duplicate label {name!r}" if name else "an empty label", expected)
        levels[name] = read_number(points, f"{name}={points}", expected)
        if abs(levels[name]) > LARGEST:
            raise InputError(f"{name}={points}", LEVEL)
    return levels


def read_number(value: Any, actual: str | None = None, expected: str = "a number, or a fraction such as 2/3") -> float:
    """Parse a finite number or a fraction. Raise InputError for other values.

    >>> read_number("2/3"), read_number(0.5)
    (0.6666666666666666, 0.5)
    """
    text = str(value)
    try:
        if "/" in text:  # Fraction("1e99999999") would create all digits
            from fractions import Fraction

            number = float(Fraction(text))
        else:
            number = float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        number = math.nan
    if "_" in text or not text.isascii() or not math.isfinite(number):
        raise InputError(actual or repr(value), expected)
    return number
