"""Spark partitions in directories such as ``qid=007``, with ids as values."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from cranfield.errors import InputError


def read_partition_values(rows: Any) -> dict[str, set[str]]:
    """Return the values of partitions, as written in the names of directories."""
    from urllib.parse import unquote

    values: dict[str, set[str]] = {}
    for directory in {file.rpartition("/")[0] for file in rows.inputFiles()}:
        for part in unquote(directory).split("/"):
            name, equals, value = map(unquote, part.partition("="))  # Spark escapes both
            if equals:
                values.setdefault(name, set()).add(value)
    return values


def reject_parsed_ids(rows: Any, columns: Iterable[str], location: str) -> None:
    """Raise InputError if Spark has parsed ids in partitions: ``007`` and ``7`` became one id."""
    types = dict(rows.dtypes)
    parsed = [name for name in columns if types[name] != "string"]
    values = read_partition_values(rows) if parsed else {}
    for name in parsed:
        for value in sorted(values.get(name, ())):
            if _format_number(value) not in (value, None):
                problem = f"Spark has parsed partition {name}={value} as {types[name]}"
                fix = "Pass the path instead of the DataFrame to keep ids as they are."
                raise InputError.from_problem(problem, fix, location)


def _format_number(value: str) -> str | None:
    """Return the number in a text as Python prints it, None if it is not a number.

    >>> _format_number("007"), _format_number("1.10"), _format_number("12"), _format_number("q1")
    ('7', '1.1', '12', None)
    """
    for kind in (int, float):
        with suppress(ValueError):
            return str(kind(value))
    return None
