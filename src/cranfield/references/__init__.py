"""Papers that define measures and methods: the BibTeX entries of `references.bib`."""

from __future__ import annotations

import re
from functools import cache
from pkgutil import get_data

_ENTRY = re.compile(r"^@\w+\{(\w+),.*?^\}$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(\w+) = \{((?:[^{}]|\{[^{}]*\})*)\}")
_LETTERS = {'{\\"a}': "ä", '{\\"u}': "ü", "{\\'o}": "ó", "{\\'e}": "é", "\\_": "_", "{": "", "}": ""}


@cache
def read_references() -> dict[str, str]:
    """Return all entries by key.

    >>> print(read_references()["buckley2005"].splitlines()[0])
    @incollection{buckley2005,
    """
    text = (get_data(__name__, "references.bib") or b"").decode()
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(text)}


def format_citation(key: str) -> str:
    """Format a reference in one line.

    >>> format_citation("moffat2008")[:62]
    'Moffat, Alistair and Zobel, Justin. Rank-Biased Precision for '
    """
    fields = dict(_FIELD.findall(read_references()[key]))
    places = ("booktitle", "journal", "publisher", "institution")
    place = next(fields[k] for k in places if k in fields)
    year = "" if fields["year"] in place else f", {fields['year']}"
    text = f"{fields['author'].rstrip('.')}. {fields['title']}. {place}{year}."
    for code, letter in _LETTERS.items():
        text = text.replace(code, letter)
    return re.sub(r"\s+", " ", text)
