"""Words and lines of help: names, values and texts of options in two columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cranfield.options import Option

COLUMN = 25  # of the texts of options
CHOICES = 6  # in the short help
CLAUSE = re.compile(r"(?:[^;(]|\([^()]*\))*")  # up to a semicolon outside parentheses
END_OF_NOUN = r": | \(default"  # before the choices
DEFAULT = re.compile(r"default: [^;()]*(?:\([^()]*\)[^;()]*)*")


def format_value(row: Option) -> str:
    """Return the value of an option as in the help: ``N``, ``{a,b}``, ``RUN [RUN ...]``."""
    if not isinstance(row.metavar, str):
        return " ".join(row.metavar)
    value = row.metavar or ("" if row.is_switch else f"{{{','.join(map(str, row.choices))}}}")
    return {"*": f"[{value} ...]", "+": f"{value} [{value} ...]", "?": f"[{value}]"}.get(str(row.nargs), value)


def format_usage_word(row: Option) -> str:
    return f"{row.flags[0]} {format_value(row)}".rstrip() if row.flags else format_value(row)


def format_names(row: Option) -> str:
    if not row.flags:
        return str(row.metavar or row.name)
    return f"{', '.join(row.flags)} {format_value(row)}".rstrip()


def format_short_names(row: Option) -> str:
    """Return one long name of an option, with one word instead of many choices.

    >>> from cranfield.options import choice
    >>> format_short_names(choice("-f --format", ("table", "tsv"), "output format"))
    '-f, --format FORMAT'
    """
    long = [flag for flag in row.flags if flag[:2] == "--"]
    short = replace(row, flags=(*(flag for flag in row.flags if flag not in long), *long[:1]))
    if row.choices and not row.metavar:
        short = replace(short, metavar="FORMAT" if long[0].endswith("format") else "NAME")
    return format_names(short)


def shorten_help(row: Option, text: str) -> str:
    """Return the help of an option up to the first semicolon, with choices and default.

    >>> from cranfield.options import option
    >>> shorten_help(option("-o --output", "FILE", ""), "write to FILE; completely or not at all")
    'write to FILE'
    """
    match, default = CLAUSE.match(text), DEFAULT.search(text)
    clause = match[0] if match else ""
    if row.choices and not row.metavar:
        clause = f"{re.split(END_OF_NOUN, clause)[0]}: {_format_choices(row, text)}"
    elif default and default[0] not in clause:
        clause = f"{clause} ({default[0]})"
    return clause


def _format_choices(row: Option, text: str) -> str:
    """Return the first choices, with the default marked.

    >>> from cranfield.options import choice
    >>> _format_choices(choice("--ties", ("trec", "best"), ""), "trec: by id (default); best: by level")
    'trec (default), best'
    """
    defaults = (r"\(default: {}\b", r"\b{}: [^;]*\(default\)", r"\b{} \(default\)")
    names = []
    for name in map(str, row.choices):
        is_default = any(re.search(pattern.format(re.escape(name)), text) for pattern in defaults)
        if "deprecated" not in (re.search(rf"\b{re.escape(name)}: ([^;]*)", text) or " ")[0]:
            names.append(f"{name} (default)" if is_default else name)
    return ", ".join([*names[:CHOICES], *["…"] * (len(names) > CHOICES)])


def format_rows(rows: Iterable[tuple[str, str]], column: int = COLUMN) -> list[str]:
    """Return the lines of two columns."""
    width = get_width()
    return [line for name, text in rows for line in _format_row(name, text, width, column)]


def format_names_and_texts(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Return the lines of commands and their texts."""
    longest = max((len(name) for name, _ in rows), default=0)
    return format_rows(rows, min(COLUMN, max(longest, len("distribution")) + 4))


def _format_row(name: str, text: str, width: int, column: int) -> list[str]:
    """Return the lines of one row."""
    lines = textwrap.wrap(text, max(width - column, 11)) or [""]
    short = len(name) <= column - 4
    first = [f"  {name:<{column - 4}}  {lines.pop(0)}".rstrip()] if short else [f"  {name}"]
    return [*first, *(" " * column + line for line in lines if line)]


def get_width() -> int:
    import shutil  # which is slow to import

    return shutil.get_terminal_size().columns - 2
