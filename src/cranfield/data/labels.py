"""Labels: what assessors write, and the levels it means."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from cranfield.data.formats import LABEL
from cranfield.errors import InputError

LabelsLike: TypeAlias = str | Mapping[str, Any]  # "S=3,A=2,B=1,C=0", {"S": 3, …}


def level_of(
    label: str, labels: Mapping[str, float] | None = None, number: float | None = None
) -> float | None:
    """The level a label means: by the user's alphabet, else as L2, else the number it is."""
    if labels is not None and label in labels:
        return labels[label]
    if found := LABEL.fullmatch(label):
        return float(found[1])
    return number


def read_labels(labels: LabelsLike) -> dict[str, float]:
    """An alphabet: the level, or the points, of each label.

    >>> read_labels("S=1,A=2/3,B=1/3,C=0")["A"]
    0.6666666666666666
    """
    if isinstance(labels, Mapping):
        pairs = [(str(name), str(points)) for name, points in labels.items()]
    else:
        parts = [part.partition("=") for part in labels.split(",")]
        pairs = [(name.strip(), points) for name, _, points in parts]
    expected = "labels with their points such as S=3,A=2,B=1,C=0, each once"
    if not pairs:
        raise InputError("no labels", expected)
    made: dict[str, float] = {}
    for name, points in pairs:
        if not name or name in made:
            raise InputError(f"{name!r} twice" if name else "an empty label", expected)
        made[name] = read_number(points, f"{name}={points}", expected)
    return made


def read_number(text: str, found: str | None = None, expected: str = "a number") -> float:
    """A number that may be a fraction.

    >>> read_number("2/3"), read_number("0.5")
    (0.6666666666666666, 0.5)
    """
    try:
        return float(Fraction(text.strip()))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(found or repr(text), expected) from None
