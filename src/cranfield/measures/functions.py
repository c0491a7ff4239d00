"""Measures that are plain functions of one list."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import CranfieldError, InputError, from_here
from cranfield.measures.base import Measure, MeasureType
from cranfield.measures.lists import Lists
from cranfield.measures.parameters import as_param


class ListMeasure(Measure):
    """A measure that a function computes list by list: what `cf.measure` makes of the function."""

    function: ClassVar[Callable[..., Any]]
    takes_judged: ClassVar[bool]

    def __init__(self, *levels: Any, **settings: Any) -> None:  # which type checkers cannot know
        super().__init__(*levels, **settings)

    def score(self, x: Lists) -> Floats:
        """What the function says of each list."""
        own = [f for f in self.parameters() if f.name != "condensed"]
        settings = {f.name: _as_its_default(getattr(self, f.name), f.default) for f in own}
        ideal = x.whole_ideal if self.takes_judged else None
        found = np.zeros(len(x))
        for t, n in enumerate(np.minimum(x.n, x.l or np.inf).tolist()):
            levels, there = np.zeros(max(0, int(n))), x.judged[t]  # −1: the topic has no list
            levels[x.r[t, there] - 1] = x.level[t, there]
            judged = [] if ideal is None else [ideal.level[t, ideal.judged[t]].tolist()]
            found[t] = self._number(self.function(levels.tolist(), *judged, **settings))
        return found

    def _number(self, returned: Any) -> float:
        if isinstance(returned, Real | np.bool_) and math.isfinite(returned):
            return float(returned)
        code = inspect.unwrap(self.function).__code__
        found = f"{' '.join(repr(returned).split())[:60]} returned by {self}"
        raise InputError(found, "a number", from_here(code.co_filename), code.co_firstlineno)


def measure_of(function: Callable[..., Any]) -> type[ListMeasure]:
    """A class that calls the function; what has a default is a parameter."""
    name = function.__name__
    arguments = inspect.signature(function).parameters.values()
    lists = [p for p in arguments if p.default is p.empty]
    positional = all(p.kind <= p.POSITIONAL_OR_KEYWORD for p in lists)
    if not (positional and 1 <= len(lists) <= 2 and name.isidentifier()):
        found = f"{name}{inspect.signature(function)}"
        raise InputError(found, "a function of levels and judged, all else with defaults")
    settings = {p.name: as_param(p.default) for p in arguments if p not in lists}
    for taken in settings:
        if hasattr(Measure, taken):
            found = f"{name}: found a parameter named {taken}"
            raise CranfieldError(f"{found}, which all measures have, expected another name")
    body = {
        "__doc__": function.__doc__ or "A measure of your own.",
        "__module__": function.__module__,
        "__annotations__": dict.fromkeys(settings, Any),
        "function": staticmethod(function),
        "takes_judged": len(lists) == 2,
        "range": "whatever the function returns",
    }
    made: Any = MeasureType(name, (ListMeasure,), body | settings)
    return made  # type: ignore[no-any-return]


def _as_its_default(value: Any, default: Any) -> Any:
    """A whole number is an int if the default is one, to count and to slice with."""
    whole = isinstance(value, float) and value.is_integer() and type(default) is int
    return int(value) if whole else value
