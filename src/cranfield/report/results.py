"""Display and export of results: tables, settings and JSON documents.

A result defines its display by methods of `TableResult`, such as ``_build_tables``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.lazy_imports import load
from cranfield.report.formats import Layout, TableOutput, machine_readable, render
from cranfield.tables import FLAT, MACHINE_READABLE, ResultTable
from cranfield.wording import use_decimals as rounding

if TYPE_CHECKING:
    import pandas as pd

CAPTIONS = ("above", "below")


def call_with_options(function: Callable[..., Any], options: Mapping[str, Any], *arguments: Any) -> Any:
    """Call a function with the arguments and the options that are its parameters.

    Options that are None are omitted.
    """
    names = [*signature(function).parameters][len(arguments) :]
    return function(*arguments, **{k: options[k] for k in names if options.get(k) is not None})


def prepare_output(
    result: TableResult, format: str, options: Mapping[str, Any], names: Sequence[str] = ()
) -> TableOutput:
    """Collect what a format needs of a result: tables, notes, settings and document.

    Default: the usual tables of the format. `names` selects other tables.
    """

    def call_hook(method: Callable[..., Any]) -> Any:
        return call_with_options(method, settings)

    settings = {**options, "format": format}
    tables = call_hook(result._build_tables)
    by_name = {table.name: table for table in tables}
    default_tables = [by_name[name] for name in call_hook(result._select_tables) if name in by_name]
    as_text = format == "table" and not names
    return TableOutput(
        _select_named(by_name, names, format) if names else default_tables or tables,
        tuple(call_hook(result._collect_notes)),
        call_hook(result._build_settings),
        None if names or format != "json" else call_hook(result._build_document),
        call_hook(result._format_text) if as_text else "",
        call_hook(result._write_answer) if as_text else "",
        runs=_count_runs(result),
    )


def _count_runs(result: TableResult) -> int | None:
    """Return the number of runs that a result is about, if it has runs."""
    runs = getattr(getattr(result, "scores", result), "runs", None)
    return len(runs) if isinstance(runs, tuple) else None


def _select_named(by_name: Mapping[str, ResultTable], names: Sequence[str], format: str) -> list[ResultTable]:
    """Return the named tables. Raise an error if the format cannot contain them."""
    if format in FLAT and len(names) > 1:
        raise InputError(f"{len(names)} tables", f"one table: {format} can contain only one")
    for name in names:
        if name not in by_name:
            raise InputError(f"table {name}", f"a table of this result: {', '.join(by_name)}")
        if format in MACHINE_READABLE and not by_name[name].columns:
            fit = ", ".join(table.name for table in by_name.values() if table.columns)
            raise InputError(f"table {name}", f"{fit}: {format} has only machine-readable tables")
    return [by_name[name] for name in names]


# -- methods of `TableResult` ----------------------------------------------------------------------


def _prepare_checked(result: TableResult, format: str, table: str | None, options: Mapping[str, Any]) -> TableOutput:
    """Prepare output. Raise TypeError for options that no table of the result has."""
    valid_names = {*signature(result._build_tables).parameters}
    for name in options.keys() - valid_names:
        raise TypeError(f"tables of {type(result).__name__} have no argument {name!r}")
    return prepare_output(result, format, options, () if table is None else (table,))


def build_table(result: TableResult, table: str | None, **options: Any) -> ResultTable:
    """Return one machine-readable table of a result."""
    return machine_readable.get_first_table(_prepare_checked(result, "parquet", table, options))


def build_pandas_frame(result: TableResult, table: str | None, **options: Any) -> pd.DataFrame:
    """Return one table of a result as a pandas frame."""
    frame: pd.DataFrame = load("pandas").DataFrame(dict(build_table(result, table, **options).columns))
    return frame


def build_document(result: TableResult, **options: Any) -> dict[str, Any]:
    """Return all tables of a result as in JSON."""
    content: dict[str, Any] = machine_readable.build_document(_prepare_checked(result, "json", None, options))
    return content


def render_text(
    result: TableResult,
    format: str,
    table: str | None,
    decimals: int,
    label: str = "",
    caption: str = "above",
    layout: Layout = "table",
    max_rows: int | None = None,
    **options: Any,
) -> str:
    """Render tables for a notebook or a paper, up to `max_rows` rows each."""
    check_choice("caption", caption, CAPTIONS)
    check_choice("layout", layout, Layout)
    if decimals not in range(16):
        raise InputError(f"decimals={decimals}", "an integer from 0 to 15")
    with rounding(decimals):
        output = replace(_prepare_checked(result, format, table, options), listing_option=".notes")
        if format == "html":
            from cranfield.report.formats.html import format_fragment

            return format_fragment(output, max_rows)
        return render(replace(output, label=label, caption_below=caption == "below", layout=layout), format).decode()
