"""Checks of names before writing: readers would change the rejected ones."""

from __future__ import annotations

from cranfield.errors import InputError

AUDIT = "# cranfield audit"  # how an audit as text begins: without, its lines could be judgments
_STARTS = ("#", "{", "<", "\ufeff")  # of comments, JSON, XML and a mark
_BLANK = " \t\n\r\v\f"  # what readers remove around a cell


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
        problem = f"begins with {name[0]!r}, which is read as a comment, JSON, XML or a mark"
    if problem:
        fix = "Use a format such as csv or json."
        raise InputError.from_problem(f"the name {name!r} {problem}", fix)
    return name


def check_cell(cell: str, format: str) -> None:
    """Raise an error if a cell of CSV or TSV would be read differently."""
    if cell != cell.strip(_BLANK):
        problem = f"{cell!r} begins or ends with a space, which {format.upper()} loses"
        raise InputError.from_problem(problem, "Use JSON or Parquet.")
    if not _is_unicode(cell):
        raise InputError.from_problem(f"the name {cell!r} is not Unicode")


def _is_unicode(name: str) -> bool:
    """Return True if a name has no unpaired surrogate, which UTF-8 cannot encode."""
    try:
        return name.isascii() or bool(name.encode())
    except UnicodeEncodeError:
        return False
