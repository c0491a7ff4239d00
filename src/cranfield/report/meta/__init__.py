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
module: the command line, the pictures of `cf.plot.meta` and the page of methods ask `methods`.
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
from cranfield.report.formats import FLAT
from cranfield.report.look import Look
from cranfield.report.options import Rows, help_of
from cranfield.report.pictures import Picture
from cranfield.report.sheets import settings_of

Takes: TypeAlias = Literal["scores", "runs", "judgments", "nothing"]


@dataclass(frozen=True)
class Work:
    """A function of `cf.meta`, and what it begins with.

    That are scores of topics, QRELS with RUNs, two QRELS perhaps with RUNs, or none. Options go to
    arguments of the same name. While it is `doing` what a progress bar says, it tells so many
    `steps`, which depend on the options and the numbers of runs and measures.
    """

    function: Callable[..., Any]
    takes: Takes = "scores"
    doing: str = ""
    steps: Callable[[Any, int, int], int] = lambda asked, runs, measures: 0


@dataclass(frozen=True)
class Method:
    """A method of `cranfield meta`: a row.

    `doc` is the documentation of its module, which says what it does; `place` orders the methods;
    `work` is what is done, and `told` what captions say of it, by the names of attributes.
    `measures` are evaluated if none is named. `people` and `flat` are the tables that people see
    and those that the first one is written of to formats with one table, if none is named: all if
    there are none of them. `otherwise` is an option, a value, and the work to be done where it has
    that value.
    """

    doc: str | None
    place: int
    name: str
    work: Work
    options: Rows
    told: tuple[str, ...] = ()
    measures: str = "AP nDCG@10 ERR@10"
    runs: str = ""  # what is said of them, where they are not optional files
    people: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()
    otherwise: tuple[str, str, Work] | None = None

    @property
    def said(self) -> dict[str, str]:
        """What argparse tells: the question that it answers, and what it does."""
        return help_of(self.doc)

    def work_for(self, asked: Any) -> Work:
        """What is to be done, by these options."""
        if self.otherwise is None:
            return self.work
        name, value, work = self.otherwise
        return work if getattr(asked, name) == value else self.work

    def settings(self, found: Any) -> dict[str, Any]:
        """What was done, for programs: what captions tell in words."""
        return settings_of(found, *self.told)

    def usual(self, _: Any, format: str) -> tuple[str, ...]:
        """The tables that are shown in a format if none is named."""
        return () if format == "json" else self.flat if format in FLAT else self.people


@cache
def methods() -> dict[str, ModuleType]:
    """The modules of all methods by name, in their order."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    modules.sort(key=lambda module: module.METHOD.place)
    return {module.METHOD.name: module for module in modules}


def picture_of(found: Any, look: Look, **options: Any) -> Picture:
    """The picture of what a method found."""
    drawn = [module.picture for module in methods().values() if hasattr(module, "picture")]
    by_type = {picture.__annotations__["found"]: picture for picture in drawn}
    name = type(found).__name__
    if name not in by_type:
        expected = f"what a function of cf.meta returns that has a picture: {', '.join(by_type)}"
        raise InputError(name, expected)
    picture: Picture = by_type[name](found, look, **options)
    return picture
