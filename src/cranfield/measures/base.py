"""`Measure`: an equation, its parameters and its documentation, as a value with a name.

nDCG @ 10            a measure at a cutoff
AP(rel=2)            a measure with a parameter
str(AP(rel=2))       'AP(rel=2)', its canonical name, which parses back to the same value
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, dataclass_transform

import numpy as np

from cranfield.errors import CranfieldError
from cranfield.labelling.blocks import Floats
from cranfield.measures.gains import parse_gain
from cranfield.measures.lists import Gold, Lists, NeedsJudgments
from cranfield.measures.references import citation

REGISTRY: dict[str, type[Measure]] = {}  # by name in lower case: names are unique ignoring case


def param(
    default: Any,
    doc: str,
    *,
    choices: tuple[str, ...] = (),
    low: float = -math.inf,
    high: float = math.inf,
    open_ends: bool = False,
) -> Any:
    """A parameter of a measure: its default, a sentence for the help, the values it may take."""
    return dataclasses.field(
        default=default,
        metadata={
            "doc": doc,
            "choices": choices,
            "low": low,
            "high": high,
            "open": open_ends,
        },
    )


def rel_param(
    doc: str = "lowest level that counts as relevant; every level above 0 if not given",
) -> Any:
    """The relevance threshold many measures share."""
    return param(None, doc)


def gain_param() -> Any:
    """The gain setting graded measures share."""
    return param(
        "linear", "linear (the level), exp (2^level − 1), binary, or a table such as 1:2:3"
    )


class MeasureType(type):
    """Lets a measure's class stand for the measure with default parameters: ``nDCG @ 10``."""

    def __matmul__(cls: type[M], cutoff: float) -> M:  # type: ignore[misc]
        at: M = cls() @ cutoff
        return at

    def __str__(cls) -> str:
        return cls.__name__

    __repr__ = __str__


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Measure(metaclass=MeasureType):
    """The base of all measures. A new one states its parameters and its equation:

    >>> import cranfield as cf
    >>> @cf.measure
    ... class FirstHit(cf.Measure):
    ...     '''1 if the first item is relevant.'''
    ...     rel: float | None = cf.param(None, "lowest level that counts as relevant")
    ...
    ...     def score(self, x):
    ...         return cf.total(x.I * (x.r == 1))
    >>> cf.evaluate({"t": {"a": 2}}, {"t": {"a": 0.5}}, ["FirstHit(rel=2)"]).summary()
    {'run': {'FirstHit(rel=2)': 1.0}}
    """

    condensed: bool = param(False, "leave unjudged items out of the list (condensed list)")
    cutoff: int | None = None
    measurement: str = ""

    summary: ClassVar[Literal["mean", "sum"]] = "mean"  # how topics add up in `all`
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    effectiveness: ClassVar[bool] = True  # undefined for a topic without a relevant item
    columns: ClassVar[tuple[str, ...]] = ()  # names of several numbers per topic, if not one
    references: ClassVar[tuple[str, ...]] = ()  # keys of references.py
    task: ClassVar[str] = ""  # what the measure suits
    range: ClassVar[str] = "0 to 1"

    def score(self, x: Lists) -> Floats:
        """The equation: one number per topic ([T]), or one row of `columns` per topic ([T, k])."""
        raise TypeError(f"{type(self).__name__} defines no score(self, x)")

    def takes_max_level(self) -> bool:
        """Whether the score depends on a highest level that nobody declared."""
        return False

    # -- using ------------------------------------------------------------------------------

    def __matmul__(self, cutoff: float) -> Any:
        return dataclasses.replace(self, cutoff=cutoff)  # type: ignore[arg-type]

    def __str__(self) -> str:
        settings = [
            f"{f.name}={shown(getattr(self, f.name))}"
            for f in self.parameters()
            if getattr(self, f.name) != f.default
        ]
        name = type(self).__name__ + (f"({', '.join(settings)})" if settings else "")
        name += "" if self.cutoff is None else f"@{self.cutoff}"
        return name + (f".{self.measurement}" if self.measurement else "")

    __repr__ = __str__

    # Written once here: having them made for every measure would slow down every start.
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def names(self) -> tuple[str, ...]:
        """The names of this measure's columns: its own, or one per number it gives."""
        if not self.columns or self.measurement:
            return (str(self),)
        return tuple(f"{self}.{column}" for column in self.columns)

    def values(self, lists: Lists) -> Floats:
        """The measure's columns for a block of lists: [T, len(names())]."""
        x = np.asarray(self.score(self.view(lists)), dtype=np.float64)
        x = x[:, None] if x.ndim == 1 else x
        if x.shape != (len(lists), max(1, len(self.columns))):
            found, columns = f"shape {x.shape}", f" × {len(self.columns)}" if self.columns else ""
            expected = f"one number for each of {len(lists)} topics{columns}"
            raise CranfieldError(f"{self}: score gave {found}, expected {expected}")
        if self.measurement:
            x = x[:, [self.columns.index(self.measurement)]]
        return x

    def view(self, lists: Lists) -> Lists:
        """The lists through this measure's cutoff, threshold, gain and condensation."""
        lists = lists.condensed if self.condensed else lists
        return lists.view(
            self.cutoff,
            rel=getattr(self, "rel", None),
            gain=getattr(self, "gain", "linear"),
            max_level=getattr(self, "max_level", None),
        )

    def __call__(
        self, levels: Sequence[float | None], judged: Sequence[float] | None = None
    ) -> float:
        """The score of one list, given as the levels of its items; None is an unjudged item.

        `judged` are all judged levels of the topic, retrieved or not, in any order. Measures
        that need the number of relevant items or an ideal list cannot do without it.

        >>> import cranfield as cf
        >>> (cf.P @ 4)([1, 0, None, 2])
        0.5
        >>> cf.AP()([1, 0, None, 1], judged=[1, 1, 1, 0])
        0.5
        """
        names = self.names()
        if len(names) > 1:
            raise CranfieldError(f"{self} gives several numbers: ask for one of {', '.join(names)}")
        try:
            return float(self.values(one_list(levels, judged))[0, 0])
        except NeedsJudgments as missing:
            raise CranfieldError(f"{self} {missing}") from None

    # -- parameters -------------------------------------------------------------------------

    @classmethod
    def parameters(cls) -> Iterator[dataclasses.Field[Any]]:
        """The parameters in the order they are printed: the measure's own, then the shared."""
        fields = [f for f in dataclasses.fields(cls) if f.name not in ("cutoff", "measurement")]
        return iter(sorted(fields, key=lambda f: f.name == "condensed"))

    def __post_init__(self) -> None:
        for f in self.parameters():
            object.__setattr__(self, f.name, self._checked(f, getattr(self, f.name)))
        if self.cutoff is not None:
            object.__setattr__(self, "cutoff", self._checked_cutoff(self.cutoff))
        if self.measurement and self.measurement not in self.columns:
            raise CranfieldError(
                f"{type(self).__name__} has no measurement {self.measurement!r}"
                + (f", only {', '.join(self.columns)}" if self.columns else "")
            )

    def _checked_cutoff(self, cutoff: Any) -> int:
        number = isinstance(cutoff, int | float | np.number) and not isinstance(cutoff, bool)
        if not number or not cutoff >= 1 or cutoff % 1:
            raise CranfieldError(
                f"{type(self).__name__}: found cutoff "
                f"{repr(cutoff) if isinstance(cutoff, str) else shown(cutoff)}, "
                "expected a whole number from 1"
            )
        return int(cutoff)

    def _checked(self, f: dataclasses.Field[Any], value: Any) -> Any:
        """The value of a parameter as its kind demands, or an error that names it."""
        if f.name == "gain":
            return parse_gain(value)
        if value is None and f.default is None:
            return None
        limits = f.metadata
        if not limits:  # a plain field of a user's measure: anything goes
            return value
        if limits["choices"]:
            if value in limits["choices"]:
                return value
            expected = " or ".join(limits["choices"])
        elif isinstance(f.default, bool):
            if isinstance(value, bool | np.bool_):
                return bool(value)
            expected = "true or false"
        else:
            if isinstance(value, int | float | np.number) and not isinstance(value, bool):
                low, high = limits["low"], limits["high"]
                inside = low < value < high if limits["open"] else low <= value <= high
                if inside and math.isfinite(value):
                    return float(value)
            expected = _number_between(limits["low"], limits["high"], limits["open"])
        raise CranfieldError(
            f"{type(self).__name__}: found {f.name}={shown(value)}, expected {expected}"
        )


M = TypeVar("M", bound=Measure)


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(param, rel_param, gain_param)
)
def measure(cls: type[M]) -> type[M]:
    """Make a class with a `score` method a measure that the grammar and the commands know."""
    if not (isinstance(cls, type) and issubclass(cls, Measure)):
        raise CranfieldError(f"found {cls!r}, expected a class derived from cranfield.Measure")
    made = dataclass(frozen=True, kw_only=True, repr=False, eq=False)(cls)
    name = made.__name__.lower()
    known = REGISTRY.get(name)
    if known is not None and known.__module__.startswith("cranfield."):
        raise CranfieldError(f"there is a measure named {known.__name__} already")
    REGISTRY[name] = made
    made.__doc__ = _documentation(made)
    return made


def _documentation(cls: type[Measure]) -> str:
    """The docstring as written, with the parameters, the range and the references below it."""
    lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters:"]
    lines += [
        f"  {f.name} = {shown(f.default)}: {f.metadata.get('doc', '')}" for f in cls.parameters()
    ]
    lines += ["  @cutoff: look at the first so many ranks only", ""]
    lines.append(f"Range: {cls.range}")
    if cls.task:
        lines.append(f"Suits: {cls.task}")
    lines += [f"Reference: {citation(key)}" for key in cls.references]
    return "\n".join(lines)


def one_list(levels: Sequence[float | None], judged: Sequence[float] | None = None) -> Lists:
    """A block of one list, given by the levels of its items from the top (None: unjudged)."""
    ranks = [r for r, level in enumerate(levels, 1) if level is not None]
    found = [float(level) for level in levels if level is not None]
    gold = found if judged is None else sorted((float(x) for x in judged), reverse=True)
    missing = Counter(found) - Counter(gold)
    if missing:
        raise CranfieldError(
            f"found level {next(iter(missing)):g} in the list more often than in judged, "
            "expected judged to hold all judged levels of the topic"
        )
    top = max(gold, default=0.0)
    return Lists(
        np.array([ranks], dtype=np.int64),
        np.array([found], dtype=np.float64),
        np.ones((1, len(found)), dtype=bool),
        np.array([len(levels)]),
        Gold(
            np.array([gold], dtype=np.float64),
            np.ones((1, len(gold)), dtype=bool),
            max(top, 0.0),
            known=judged is not None,
        ),
    )


def shown(value: Any) -> str:
    """A parameter value as the grammar writes it."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, tuple):
        return ":".join(shown(x) for x in value)
    return str(value)


def _number_between(low: float, high: float, open_ends: bool) -> str:
    if math.isinf(low) and math.isinf(high):
        return "a number"
    if math.isinf(high):
        return f"a number {'above' if open_ends else 'from'} {low:g}"
    between = f"between {low:g} and {high:g}" if open_ends else f"from {low:g} to {high:g}"
    return f"a number {between}"
