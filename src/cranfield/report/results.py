"""Results of any kind, shown: their tables, made by the module that their class names.

A module of tables has ``sheets(found)`` and, where there is something to say,

- ``usual(found, format)``: the tables that are shown in a format if none is named (else all);
- ``settings(found)``: what captions tell in words, for JSON; ``document(found)``: JSON that is not
  made of rows;
- ``notices(found)``: what is to be known, if it is not what the result says itself;
- ``text(found, width)``: what a terminal shows in the place of tables.

These functions may have arguments that are called as options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cranfield.errors import InputError, one_of
from cranfield.late import load
from cranfield.report.formats import FLAT, PROGRAMS, Showing, programs, render
from cranfield.report.sheets import Sheet
from cranfield.shown import Shown
from cranfield.wording import decimals as rounding

if TYPE_CHECKING:
    import pandas as pd

CAPTIONS = ("above", "below")


def called(function: Callable[..., Any], asked: Mapping[str, Any], *given: Any) -> Any:
    """What a function returns, given also what is asked that it has an argument for.

    What is None is left to the function.
    """
    known = [*signature(function).parameters][len(given) :]
    return function(*given, **{k: asked[k] for k in known if asked.get(k) is not None})


def shown(found: Shown, format: str, asked: Mapping[str, Any], names: Sequence[str] = ()
          ) -> Showing:  # fmt: skip
    """The tables of a result that a format shows, those named or else the usual ones, with all
    that is told about them.
    """
    module = _module(found)

    def told(name: str, otherwise: Any = None) -> Any:
        method = getattr(module, "METHOD", None)  # what methods of meta have in common
        function = getattr(module, name, None) or getattr(method, name, None)
        return otherwise if function is None else called(function, given, found)

    given = {**asked, "format": format}
    sheets = told("sheets")
    by_name = {sheet.name: sheet for sheet in sheets}
    usual = [by_name[name] for name in told("usual", ()) if name in by_name]
    instead = format == "table" and not names
    return Showing(
        _named(by_name, names, format) if names else usual or sheets,
        tuple(told("notices", getattr(found, "notices", ()))),
        told("settings"),
        None if names or format != "json" else told("document"),
        told("text", "") if instead else "",
        runs=_runs(found),
    )


def _runs(found: Shown) -> int | None:
    """How many runs a result is about, if it says so."""
    runs = getattr(getattr(found, "scores", found), "runs", None)
    return len(runs) if isinstance(runs, tuple) else None


def _module(found: Shown) -> ModuleType:
    return import_module(f"cranfield.report.{found._tables}")


def _named(by_name: Mapping[str, Sheet], names: Sequence[str], format: str) -> list[Sheet]:
    """The tables asked for, if there are such, and the format is for them."""
    if format in FLAT and len(names) > 1:
        raise InputError(f"{len(names)} tables", f"one: {format} holds no more")
    for name in names:
        if name not in by_name:
            expected = f"one of {', '.join(by_name)}: there is no such table of these results"
            raise InputError(f"table {name}", expected)
        if format in PROGRAMS and not by_name[name].columns:
            fit = ", ".join(sheet.name for sheet in by_name.values() if sheet.columns)
            raise InputError(f"table {name}", f"{fit}: {format} is for programs")
    return [by_name[name] for name in names]


# -- what results in Python are asked for: see `Shown` --------------------------------------------


def _asked(found: Shown, format: str, table: str | None, asked: Mapping[str, Any]) -> Showing:
    """What is shown of a result; what nothing has an argument for is refused, as Python does."""
    known = {*signature(_module(found).sheets).parameters}
    for name in asked.keys() - known:
        raise TypeError(f"tables of {type(found).__name__} have no argument {name!r}")
    return shown(found, format, asked, () if table is None else (table,))


def sheet(found: Shown, table: str | None, **asked: Any) -> Sheet:
    """One table, for programs."""
    return programs.first(_asked(found, "parquet", table, asked))


def pandas(found: Shown, table: str | None, **asked: Any) -> pd.DataFrame:
    """One table, for programs that are fond of pandas."""
    frame: pd.DataFrame = load("pandas").DataFrame(dict(sheet(found, table, **asked).columns))
    return frame


def document(found: Shown, **asked: Any) -> dict[str, Any]:
    """All tables, as JSON has them."""
    made: dict[str, Any] = programs.document(_asked(found, "json", None, asked))
    return made


def written(
    found: Shown,
    format: str,
    table: str | None,
    decimals: int,
    label: str = "",
    caption: str = "above",
    most: int | None = None,
    **asked: Any,
) -> str:
    """What a notebook or a paper shows: of long tables perhaps no more than so many rows."""
    one_of("caption", caption, CAPTIONS)
    if decimals not in range(16):
        raise InputError(f"decimals={decimals}", "a whole number from 0 to 15")
    with rounding(decimals):
        made = replace(_asked(found, format, table, asked), listed=".notices")
        if format == "html":
            from cranfield.report.formats.html import fragment

            return fragment(made, most)
        return render(replace(made, label=label, below=caption == "below"), format).decode()
