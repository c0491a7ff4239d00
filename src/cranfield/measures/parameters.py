"""Parameters of measures: their kinds, declaration, text form and validation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.measures.gains import Gain, GainLike

Value_contra = TypeVar("Value_contra", contravariant=True)
Stored_co = TypeVar("Stored_co", covariant=True)


class Setting(Generic[Value_contra, Stored_co]):
    """Type of a parameter that accepts more types than it stores."""

    def __get__(self, m: Any, cls: Any) -> Stored_co: ...  # type: ignore[empty-body]
    def __set__(self, m: Any, value: Value_contra) -> None: ...


GainSetting: TypeAlias = Setting[GainLike, Gain]
TableSetting: TypeAlias = Setting[str | float | Sequence[float], tuple[float, ...]]


# Squares of what lies between are numbers, too; trec_eval's -m set_F.1e300 is among it, as 1e-300.
SMALLEST, LARGEST = 1e-300, 1e150


class TooLarge(ValueError):
    """Error for a number too large, or too near to 0, to compute with."""


# -- kinds of parameters --------------------------------------------------------------------------


class Kind(Protocol):
    """The values that a parameter accepts."""

    @property
    def expected(self) -> str:
        """Description of the valid values, for errors."""

    def convert(self, value: Any) -> Any:
        """Convert a value to its stored form, or raise ValueError or TypeError."""


@dataclass(frozen=True)
class Flag:
    """True or false."""

    expected = "true or false"

    def convert(self, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise TypeError
        return bool(value)


@dataclass(frozen=True)
class Choice:
    """One of several words."""

    choices: tuple[str, ...]

    @property
    def expected(self) -> str:
        return " or ".join(self.choices)

    def convert(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError
        return value


@dataclass(frozen=True)
class Word:
    """Any text that the grammar can write in parentheses."""

    expected = "a word without parentheses, commas and ="

    def convert(self, value: Any) -> str:
        text = value if isinstance(value, str) else format_value(value)
        if isinstance(value, bool) or not text.strip() or set(text) & set("(),="):
            raise ValueError
        return text


@dataclass(frozen=True)
class Number:
    """A number in an interval that is closed or open."""

    low: float
    high: float
    open: bool
    integer: bool

    @property
    def expected(self) -> str:
        number = "an integer" if self.integer else "a number"
        if math.isinf(self.high):
            return number + ("" if math.isinf(self.low) else f" {'≥>'[self.open]} {self.low:g}")
        ends = format_value(float(self.low)), format_value(float(self.high))
        interval = (" in [{}, {}]", " between {} and {}")[self.open]
        return number + interval.format(*ends)

    def convert(self, value: Any) -> float:
        is_within = is_number(value) and (self.low < value < self.high if self.open else self.low <= value <= self.high)
        if not is_within or not math.isfinite(value) or (self.integer and value % 1):
            raise ValueError
        if value and not SMALLEST <= abs(float(value)) <= LARGEST:
            raise TooLarge(f"0, or between {SMALLEST:g} and {LARGEST:g} in size")
        return float(value)


@dataclass(frozen=True)
class Table:
    """A number for each level from 1, or a word."""

    low: float
    high: float
    open: bool  # the lower end; the upper one never is
    infinite: bool
    choices: tuple[str, ...]

    @property
    def expected(self) -> str:
        words = "".join(f"{choice}, or " for choice in self.choices)
        lower = f", each {'≥>'[self.open]} {self.low:g}"
        if math.isinf(self.high):
            return f"{words}numbers for levels 1, 2, … such as 1:2:3{lower}"
        return f"{words}numbers{lower} and ≤ {self.high:g}"

    def convert(self, value: Any) -> str | tuple[float, ...]:
        if isinstance(value, str) and value in self.choices:
            return value
        parts: Any = value.split(":") if isinstance(value, str) else value
        if isinstance(parts, bool):
            raise TypeError
        table = tuple(float(x) for x in ([parts] if np.ndim(parts) == 0 else parts))
        if not table or not all(map(self._is_within, table)):
            raise ValueError
        return table

    def _is_within(self, x: float) -> bool:
        is_above = self.low < x if self.open else self.low <= x
        return is_above and x <= self.high and (self.infinite or math.isfinite(x))


def is_number(x: Any) -> bool:
    """Return True for a number of Python or NumPy. Booleans are no numbers."""
    return isinstance(x, int | float | np.number) and not isinstance(x, bool)


def check_value(f: dataclasses.Field[Any], value: Any, owner: Any) -> Any:
    """Return the converted value of a parameter, or raise InputError."""
    if not f.metadata or (value is None and f.default is None):  # of a user's plain field: any
        return value
    kind: Kind = f.metadata["kind"]
    try:
        return kind.convert(value)
    except TooLarge as error:
        expected = str(error)
    except (TypeError, ValueError, OverflowError):
        expected = kind.expected
    problem = f"{f.name} must be {expected}, found {format_value(value)}"
    raise InputError.from_problem(problem, where=owner)


# -- how measures declare them --------------------------------------------------------------------


def param(
    default: Any,
    doc: str,
    *,
    choices: tuple[str, ...] = (),
    low: float = -math.inf,
    high: float = math.inf,
    open_ends: bool = False,
    table: bool = False,
    infinite: bool = False,
    whole: bool = False,
    word: bool = False,
) -> Any:
    """Declare a parameter of a measure: default, description and valid values.

    A `table` contains a number for each level from 1, such as 1:2:3. A `word` can be any text.
    """
    kind: Kind
    if word:
        kind = Word()
    elif table:
        kind = Table(low, high, open_ends, infinite, choices)
    elif choices:
        kind = Choice(choices)
    elif isinstance(default, bool):
        kind = Flag()
    else:
        kind = Number(low, high, open_ends, whole)
    return dataclasses.field(default=default, metadata={"doc": doc, "kind": kind})


def as_param(default: Any) -> Any:
    """Return the parameter for a function's default, checked if it is a number."""
    return param(default, "") if isinstance(default, int | float) else default


def rel_param(doc: str = "lowest relevant level (default: every level above 0)") -> Any:
    """Declare the relevance threshold."""
    return param(None, doc)


def gain_param() -> Any:
    """Declare the gain of graded measures."""
    return param(
        "linear",
        "linear (the level), exp (2^level − 1), binary, unit (level / highest level), or a table such as 1:2:3",
    )


def max_level_param(doc: str = "highest level h (default: from the gain table or the judgments)") -> Any:
    """Declare the highest level."""
    return param(None, doc, low=0, open_ends=True)


def beta_param() -> Any:
    """Declare the patience parameter of the blended ratio."""
    return param(1.0, "patience: a larger value penalises low ranks less", low=0)


def graded_rel_param() -> Any:
    """Declare the relevance threshold of measures with gains."""
    return rel_param("lowest relevant level (default: every level with a gain)")


# -- how they are written -------------------------------------------------------------------------


def parse_literal(text: str) -> Any:
    """Parse the value of a parameter."""
    constants = {"true": True, "false": False, "none": None}
    if text.lower() in constants:
        return constants[text.lower()]
    try:
        return float(text)
    except ValueError:
        return text


def format_value(value: Any) -> str:
    """Format the value of a parameter as the grammar writes it."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if isinstance(value, tuple):
        return ":".join(format_value(x) for x in value)
    return str(value)
