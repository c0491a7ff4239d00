"""The methods of `cranfield meta`, a module for each: its tables, its picture, its options.

A module has

- a documentation: the question that the method answers, as help tells it, and its description;
- ``METHOD``, the row: what it computes, and its options;
- ``TABLES`` and ``sheets(found)``: the names of its tables, and the tables;
- if it has one, ``picture(found, look)``;
- if they are not the usual ones, ``settings(found)``: what captions tell in words, for programs
  (what the row names); ``usual(found, format)``: the tables that are shown in a format if none is
  named (those of the row); ``notices(found)``: what to know (those of the result);
  ``check(asked)``, which refuses options that do not go together.

These functions may have arguments that are called as options. Nothing else has to know of a new
module: the command line, the pictures of `cf.plot.meta` and the page of methods ask `load_methods`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Literal, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.figures.figure import Figure
from cranfield.figures.theme import Theme
from cranfield.options import Rows
from cranfield.report.options import build_help
from cranfield.tables import FLAT, read_settings

InputKind: TypeAlias = Literal["scores", "runs", "judgments", "nothing"]


@dataclass(frozen=True)
class Computation:
    """Function of `cf.meta`, and its inputs.

    Inputs are scores of topics, QRELS with RUNs, two QRELS with optional RUNs, or nothing. Options
    are passed to arguments of the same name. The progress bar shows the `activity` and the number
    of `steps`, computed from the options and the numbers of runs and measures.
    """

    function: Callable[..., Any]
    inputs: InputKind = "scores"
    activity: str = ""
    steps: Callable[[Any, int, int], int] = lambda asked, runs, measures: 0


@dataclass(frozen=True)
class Method:
    """A method of `cranfield meta`: a row.

    `doc` is the documentation of its module, which says what it does; `place` orders the methods;
    `computation` is what is done, and `settings_names` what captions say of it, by the names of attributes.
    `measures` are evaluated if none is named. `human_tables` and `flat_tables` are the tables that people see
    and those that the first one is written of to formats with one table, if none is named: all if
    there are none of them. `alternative` is an option, a value, and the work to be done where it has
    that value.
    """

    doc: str | None
    place: int
    name: str
    computation: Computation
    options: Rows
    settings_names: tuple[str, ...] = ()
    measures: str = "AP nDCG@10 ERR@10"
    runs_help: str = ""  # what is said of them, where they are not optional files
    human_tables: tuple[str, ...] = ()
    flat_tables: tuple[str, ...] = ()
    alternative: tuple[str, str, Computation] | None = None

    @property
    def help_texts(self) -> dict[str, str]:
        """Title and description for argparse."""
        return build_help(self.doc)

    def choose_computation(self, arguments: Any) -> Computation:
        """Return the computation for these options."""
        if self.alternative is None:
            return self.computation
        name, value, alternative = self.alternative
        return alternative if getattr(arguments, name) == value else self.computation

    def build_settings(self, result: Any) -> dict[str, Any]:
        """Return the settings for machine-readable output."""
        return read_settings(result, *self.settings_names)

    def select_tables(self, _: Any, format: str) -> tuple[str, ...]:
        """Return the default tables of a format."""
        return () if format == "json" else self.flat_tables if format in FLAT else self.human_tables


@cache
def load_methods() -> dict[str, ModuleType]:
    """Return the modules of all methods by name, in order."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    modules.sort(key=lambda module: module.METHOD.place)
    return {module.METHOD.name: module for module in modules}


def build_method_figure(result: Any, theme: Theme, **options: Any) -> Figure:
    """Return the figure of a result of `cf.meta`."""
    builders = [
        module.build_figure for module in load_methods().values() if hasattr(module, "build_figure")
    ]
    by_type = {picture.__annotations__["result"]: picture for picture in builders}
    name = type(result).__name__
    if name not in by_type:
        expected = f"what a function of cf.meta returns that has a picture: {', '.join(by_type)}"
        raise InputError(name, expected)
    picture: Figure = by_type[name](result, theme, **options)
    return picture
