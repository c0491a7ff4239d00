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
from functools import partial
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.lazy_imports import load
from cranfield.report.formats import TableOutput, machine_readable, render
from cranfield.tables import FLAT, MACHINE_READABLE, ResultTable
from cranfield.wording import use_decimals as rounding

if TYPE_CHECKING:
    import pandas as pd

CAPTIONS = ("above", "below")


def call_with_options(
    function: Callable[..., Any], options: Mapping[str, Any], *arguments: Any
) -> Any:
    """What a function returns, given also what is asked that it has an argument for.

    What is None is left to the function.
    """
    names = [*signature(function).parameters][len(arguments) :]
    return function(*arguments, **{k: options[k] for k in names if options.get(k) is not None})


def prepare_output(result: TableResult, format: str, options: Mapping[str, Any], names: Sequence[str] = ()
          ) -> TableOutput:  # fmt: skip
    """The tables of a result that a format shows, those named or else the usual ones, with all
    that is told about them.
    """

    def call_hook(name: str) -> Any:
        return call_with_options(_find_hook(result, name), settings)

    settings = {**options, "format": format}
    tables = call_hook("build_tables")
    by_name = {table.name: table for table in tables}
    default_tables = [by_name[name] for name in call_hook("select_tables") if name in by_name]
    as_text = format == "table" and not names
    return TableOutput(
        _select_named(by_name, names, format) if names else default_tables or tables,
        tuple(call_hook("collect_notes")),
        call_hook("build_settings"),
        None if names or format != "json" else call_hook("build_document"),
        call_hook("format_text") if as_text else "",
        runs=_count_runs(result),
    )


def _count_runs(result: TableResult) -> int | None:
    """How many runs a result is about, if it says so."""
    runs = getattr(getattr(result, "scores", result), "runs", None)
    return len(runs) if isinstance(runs, tuple) else None


def _find_hook(result: TableResult, name: str) -> Callable[..., Any]:
    """Return the function that displays a result: its method, or a function of its tables module."""
    if result._tables:
        module = import_module(f"cranfield.report.{result._tables}")
        module_name = "notes" if name == "collect_notes" else name
        for owner in (module, getattr(module, "METHOD", None)):
            if function := getattr(owner, module_name, None):
                return partial(function, result)
    method: Callable[..., Any] = getattr(result, f"_{name}")
    return method


def _select_named(
    by_name: Mapping[str, ResultTable], names: Sequence[str], format: str
) -> list[ResultTable]:
    """The tables asked for, if there are such, and the format is for them."""
    if format in FLAT and len(names) > 1:
        raise InputError(f"{len(names)} tables", f"one: {format} holds no more")
    for name in names:
        if name not in by_name:
            expected = f"one of {', '.join(by_name)}: there is no such table of these results"
            raise InputError(f"table {name}", expected)
        if format in MACHINE_READABLE and not by_name[name].columns:
            fit = ", ".join(table.name for table in by_name.values() if table.columns)
            raise InputError(f"table {name}", f"{fit}: {format} is for programs")
    return [by_name[name] for name in names]


# -- what results in Python are asked for: see `Shown` --------------------------------------------


def _prepare_checked(
    result: TableResult, format: str, table: str | None, options: Mapping[str, Any]
) -> TableOutput:
    """What is shown of a result; what nothing has an argument for is refused, as Python does."""
    valid_names = {*signature(_find_hook(result, "build_tables")).parameters}
    for name in options.keys() - valid_names:
        raise TypeError(f"tables of {type(result).__name__} have no argument {name!r}")
    return prepare_output(result, format, options, () if table is None else (table,))


def build_table(result: TableResult, table: str | None, **options: Any) -> ResultTable:
    """One table, for programs."""
    return machine_readable.get_first_table(_prepare_checked(result, "parquet", table, options))


def build_pandas_frame(result: TableResult, table: str | None, **options: Any) -> pd.DataFrame:
    """One table, for programs that are fond of pandas."""
    frame: pd.DataFrame = load("pandas").DataFrame(
        dict(build_table(result, table, **options).columns)
    )
    return frame


def build_document(result: TableResult, **options: Any) -> dict[str, Any]:
    """All tables, as JSON has them."""
    content: dict[str, Any] = machine_readable.build_document(
        _prepare_checked(result, "json", None, options)
    )
    return content


def render_text(
    result: TableResult,
    format: str,
    table: str | None,
    decimals: int,
    label: str = "",
    caption: str = "above",
    max_rows: int | None = None,
    **options: Any,
) -> str:
    """What a notebook or a paper shows: of long tables perhaps no more than so many rows."""
    check_choice("caption", caption, CAPTIONS)
    if decimals not in range(16):
        raise InputError(f"decimals={decimals}", "a whole number from 0 to 15")
    with rounding(decimals):
        output = replace(_prepare_checked(result, format, table, options), listing_option=".notes")
        if format == "html":
            from cranfield.report.formats.html import format_fragment

            return format_fragment(output, max_rows)
        return render(
            replace(output, label=label, caption_below=caption == "below"), format
        ).decode()
