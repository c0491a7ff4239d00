"""Names and rows in text files: checks and quoting before writing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from cranfield.errors import InputError

AUDIT = "# cranfield audit"  # how an audit as text begins: without, its lines could be judgments
_STARTS = ("#", "{", "<", "\ufeff")  # of comments, JSON, XML and a mark
_BLANK = " \t\n\r\v\f"  # removed around a cell by readers


def check_word(name: str, first: bool = False) -> str:
    """Return a name that can be a field of a line of text, or raise an error.

    The `first` field of a line must not look like a comment or the start of JSON or XML.

    >>> check_word("d1"), check_word("a b")
    Traceback (most recent call last):
    cranfield.errors.InputError: the name 'a b' contains a space. Use a format such as csv or json.
    """
    problem = ""
    if len(name.split()) != 1 or name != name.strip():
        problem = "contains a space" if name else "is empty"
    elif not _is_unicode(name):
        problem = "is not Unicode"
    elif first and name.startswith(_STARTS):
        problem = f"starts with {name[0]!r}, which is read as a comment, JSON, XML or a byte order mark"
    if problem:
        fix = "Use a format such as csv or json."
        raise InputError.from_problem(f"the name {name!r} {problem}", fix)
    return name


def check_cell(cell: str, format: str) -> None:
    """Raise an error if a cell of CSV or TSV would be read differently."""
    if cell != cell.strip(_BLANK):
        problem = f"{cell!r} starts or ends with a space, which is lost in {format.upper()}"
        raise InputError.from_problem(problem, "Use JSON or Parquet.")
    if not _is_unicode(cell):
        raise InputError.from_problem(f"the name {cell!r} is not Unicode")


def format_rows(format: str, rows: Iterable[Iterable[Any]]) -> str:
    r"""Return rows as TSV or CSV. None is an empty cell.

    Both are quoted as in RFC 4180: a cell with a separator, a quotation mark or a line end is
    quoted, and quotation marks in it are doubled.

    >>> format_rows("tsv", [("topic", "value"), ('new "york"!', 0.5), ("q2", None)])
    'topic\tvalue\n"new ""york""!"\t0.5\nq2\t\n'
    """
    separator = "\t" if format == "tsv" else ","
    special = re.compile(f'["\r\n{separator}]')
    lines = []
    for row in rows:
        cells = ["" if cell is None else str(cell) for cell in row]
        for place, cell in enumerate(cells):
            if special.search(cell) or cells == [""]:  # which would be an empty line
                cells[place] = '"' + cell.replace('"', '""') + '"'
            check_cell(cell, format)
        lines.append(separator.join(cells) + "\n")
    return "".join(lines)


def format_json(document: Any, indent: int | None = 2) -> str:
    """Format a document as JSON, on one line without `indent`."""
    import json

    return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def _is_unicode(name: str) -> bool:
    """Return True if a name has no unpaired surrogate, which UTF-8 cannot encode."""
    try:
        return name.isascii() or bool(name.encode())
    except UnicodeEncodeError:
        return False
