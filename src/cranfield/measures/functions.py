"""Measures defined by functions of one list."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import CranfieldError, InputError, shorten_path
from cranfield.measures.base import Measure, MeasureType
from cranfield.measures.lists import Lists
from cranfield.measures.parameters import as_param

INPUTS = ("levels", "judged", "topic", "docs", "judged_docs")
"""Inputs of a function, by argument name. All others are parameters of the measure."""


class ListMeasure(Measure):
    """A measure that a function computes list by list. Built by `cf.measure`."""

    function: ClassVar[Callable[..., Any]]
    inputs: ClassVar[tuple[str, ...]]

    def __init__(self, *levels: Any, **settings: Any) -> None:  # unknown to type checkers
        super().__init__(*levels, **settings)

    def score(self, x: Lists) -> Floats:
        """Return the function's results."""
        fields = [f for f in self.list_parameters() if f.name != "condensed"]
        settings = {f.name: _match_default_type(getattr(self, f.name), f.default) for f in fields}
        scores = np.zeros(len(x))
        for t in range(len(x)):
            inputs = {name: _INPUT[name](x, t) for name in self.inputs}
            scores[t] = self._check_score(self.function(**inputs, **settings))
        return scores

    def _check_score(self, returned: Any) -> float:
        if isinstance(returned, Real | np.bool_) and math.isfinite(returned):
            return float(returned)
        problem = f"{self} returned {' '.join(repr(returned).split())[:60]}, expected a number"
        raise InputError.from_problem(problem, "", *_locate(self.function))


def _list_levels(x: Lists, t: int) -> list[float]:
    n = min(int(x.n[t]), x.n[t] if x.l is None else x.l)  # −1: missing topic
    levels, is_judged = np.zeros(max(0, n)), x.judged[t]
    levels[x.r[t, is_judged] - 1] = x.level[t, is_judged]
    values: list[float] = levels.tolist()
    return values


def _list_judged(x: Lists, t: int) -> list[float]:
    ideal = x.whole_ideal
    judged: list[float] = ideal.level[t, ideal.judged[t]].tolist()
    return judged


_INPUT: dict[str, Callable[[Lists, int], Any]] = {
    "levels": _list_levels,
    "judged": _list_judged,
    "topic": lambda x, t: x.topic(t),
    "docs": lambda x, t: x.docs(t),
    "judged_docs": lambda x, t: x.gold.list_judged_docs(t),
}


def build_measure(function: Callable[..., Any]) -> type[ListMeasure]:
    """Build a class that calls the function with the inputs that its arguments name."""
    name = function.__name__
    arguments = inspect.signature(function).parameters.values()
    for p in arguments:
        _check_argument(name, p, function)
    inputs = tuple(p.name for p in arguments if p.name in INPUTS)
    if not (inputs and name.isidentifier()):
        problem = f"function {name}{inspect.signature(function)} is not a measure"
        fix = f"Use a named function with some of the arguments {', '.join(INPUTS)}"
        raise InputError.from_problem(problem, fix, *_locate(function))
    settings = {p.name: as_param(p.default) for p in arguments if p.name not in INPUTS}
    for setting in settings:
        if hasattr(Measure, setting):
            message = f"{name}: parameter name {setting!r} is reserved"
            raise CranfieldError(f"{message}. Choose another name")
    body = {
        "__doc__": function.__doc__ or "A custom measure.",
        "__module__": function.__module__,
        "__annotations__": dict.fromkeys(settings, Any),
        "function": staticmethod(function),
        "inputs": inputs,
        "needs_documents": not {"docs", "judged_docs"}.isdisjoint(inputs),
        "range": "the range of the function",
    }
    cls: Any = MeasureType(name, (ListMeasure,), body | settings)
    return cls  # type: ignore[no-any-return]


def _check_argument(name: str, p: inspect.Parameter, function: Callable[..., Any]) -> None:
    """Raise InputError for an argument that is no input and has no default."""
    by_name = p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    if by_name and (p.name in INPUTS or p.default is not p.empty):
        return
    if p.kind == p.POSITIONAL_ONLY:
        problem = f"measure {name} has the positional-only argument {p.name!r}"
        raise InputError.from_problem(problem, "Remove the slash", *_locate(function))
    from difflib import get_close_matches

    matches = get_close_matches(p.name, INPUTS, 1) if by_name else []
    hint = f"Did you mean {matches[0]!r}? " if matches else ""
    problem = f"measure {name} has the unknown argument {str(p).partition(':')[0]!r}"
    fix = f"{hint}Valid: {', '.join(INPUTS)}, and parameters with a default"
    raise InputError.from_problem(problem, fix, *_locate(function))


def _locate(function: Callable[..., Any]) -> tuple[str, int]:
    """Return the file and line of a function."""
    code = inspect.unwrap(function).__code__
    return shorten_path(code.co_filename), code.co_firstlineno


def _match_default_type(value: Any, default: Any) -> Any:
    """Convert a whole number to int if the default is an int, to count and slice."""
    is_whole = isinstance(value, float) and value.is_integer() and type(default) is int
    return int(value) if is_whole else value
