"""Results of the methods: default tables, settings and one-line summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cranfield.display import TableResult
from cranfield.tables import FLAT, read_settings

MAX_NUMBERS = 6


class MethodResult(TableResult):
    """Result of a method: its class names the default tables and the settings.

    `_human_tables` are displayed by default. `_flat_tables` starts with the table for formats
    with one table. Default: all tables. `_settings_names` are attributes that captions describe.
    """

    _human_tables: tuple[str, ...] = ()
    _flat_tables: tuple[str, ...] = ()
    _settings_names: tuple[str, ...] = ()

    def _select_tables(self, format: str) -> tuple[str, ...]:
        return () if format == "json" else self._flat_tables if format in FLAT else self._human_tables

    def _build_settings(self) -> dict[str, Any]:
        return read_settings(self, *self._settings_names)


def format_summary(result: object, descriptions: Sequence[str], numbers: Mapping[str, float]) -> str:
    """Format what was computed and the first numbers.

    >>> format_summary(Exception(), ["3 runs", "test t"], {"AP": 0.5, "RR": 1 / 3})
    'Exception of 3 runs, test t: AP 0.5000, RR 0.3333'
    """
    texts = [f"{name} {value:.4f}" for name, value in list(numbers.items())[:MAX_NUMBERS]]
    more = ["…"] if len(numbers) > MAX_NUMBERS else []
    return f"{type(result).__name__} of {', '.join(descriptions)}: {', '.join([*texts, *more])}"
