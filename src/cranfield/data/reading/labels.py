"""Labels: what assessors write, and the levels it means."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from cranfield.arrays import LARGEST
from cranfield.errors import InputError, describe_value

LabelsLike: TypeAlias = str | Mapping[str, Any]  # "S=3,A=2,B=1,C=0", {"S": 3, …}

NTCIR_LABEL = re.compile(r"L([0-9]+)")  # as NTCIREVAL has them
LEVEL = f"a number from {-LARGEST:g} to {LARGEST:g}"  # with which measures can be computed
MAX_LEVELS = 6  # that there usually are
COLUMN_LABELS = {  # columns whose name tells what their labels mean: exact, substitute, complement, no
    "esci_label": {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0},
}
GRADES = {"S": 3.0, "A": 2.0, "B": 1.0, "C": 0.0}  # of NTCIR's first rounds


def get_level(
    label: str, labels: Mapping[str, float] | None = None, number: float | None = None
) -> float | None:
    """The level a label means: by the user's alphabet, else as L2, else the number it is.

    With an alphabet only its levels, and those up to 0: so a file that was converted to numbers
    can be read, and nothing else slips in.

    >>> level_of("A", {"S": 3, "A": 2}), level_of("L3", {"S": 3, "A": 2}), level_of("L3")
    (2, 3.0, 3.0)
    >>> level_of("L9", {"S": 3, "A": 2})
    """
    if labels is not None and label in labels:
        return labels[label]
    match = NTCIR_LABEL.fullmatch(label)
    level = float(match[1]) if match else number
    if level is None or not abs(level) <= LARGEST:
        return None
    return level if labels is None or level <= 0 or level in labels.values() else None


def can_be_levels(cells: Iterable[str]) -> bool:
    """Whether some numbers, as they are written, may be levels: few that are whole.

    >>> are_levels(["0", "2", "-1"]), are_levels(["0.5"]), are_levels(map(str, range(9)))
    (True, False, False)
    """
    values = {*cells}
    return len(values) <= MAX_LEVELS and all(cell.removeprefix("-").isdecimal() for cell in values)


def describe_labels(label: str, valid_labels: Iterable[str]) -> str:
    """What is expected where a label is not known.

    >>> one_of("X", ["A", "B"]), one_of("a", ["A", "B"])
    ('one of A, B', "one of A, B; did you mean 'A'?")
    """
    valid_labels = list(valid_labels)
    matches = [name for name in valid_labels if name.lower() == label.lower()]
    return f"one of {', '.join(valid_labels)}" + (
        f"; did you mean {matches[0]!r}?" if matches else ""
    )


def read_labels(labels: LabelsLike) -> dict[str, float]:
    """An alphabet: the level, or the points, of each label.

    >>> read_labels("S=1,A=2/3,B=1/3,C=0")["A"]
    0.6666666666666666
    """
    if isinstance(labels, Mapping):
        pairs = [(str(name), points) for name, points in labels.items()]
    elif not isinstance(labels, str):
        raise InputError(
            f"labels={describe_value(labels)}", "labels such as S=3,A=2,B=1,C=0, or a dict"
        )
    else:
        parts = [part.partition("=") for part in labels.split(",")]
        pairs = [(name.strip(), points) for name, _, points in parts]
    expected = "labels with their points such as S=3,A=2,B=1,C=0, each once"
    if not pairs:
        raise InputError("no labels", expected)
    levels: dict[str, float] = {}
    for name, points in pairs:
        if not name or name in levels:
            raise InputError(f"{name!r} twice" if name else "an empty label", expected)
        levels[name] = read_number(points, f"{name}={points}", expected)
        if abs(levels[name]) > LARGEST:
            raise InputError(f"{name}={points}", LEVEL)
    return levels


def read_number(
    value: Any, actual: str | None = None, expected: str = "a number, or a fraction such as 2/3"
) -> float:
    """A finite number, or what a text says, which may be a fraction.

    >>> read_number("2/3"), read_number(0.5)
    (0.6666666666666666, 0.5)
    """
    text = str(value)
    try:
        if "/" in text:  # only then a Fraction: it would write out all the digits of 1e99999999
            from fractions import Fraction

            number = float(Fraction(text))
        else:
            number = float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        number = math.nan
    if "_" in text or not text.isascii() or not math.isfinite(number):
        raise InputError(actual or repr(value), expected)
    return number
