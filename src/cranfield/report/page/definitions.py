"""Definitions of measures in the HTML report."""

from __future__ import annotations

import inspect
import re
from typing import Any

from cranfield.errors import CranfieldError
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measure
from cranfield.measures.parameters import format_value
from cranfield.references import read_references

SUMMARIES = {
    "mean": "mean",
    "gmean": "geometric mean",
    "clipped": "mean, from 0 to 1",
    "sum": "sum",
    "se": "standard error",
}
_FACTS = re.compile(r"^(Parameters|Also|Scores|Range|Properties|Suits|Reference): ?", re.MULTILINE)


def build_definition(name: str, summary: str, better: str, measure: Measure | None) -> dict[str, Any]:
    """Describe a column of scores. Unknown measures have a short entry."""
    m = measure or _parse_measure(name)
    entry = {"name": name, "better": better, "summary": SUMMARIES[summary]}
    if m is None:
        unknown = {"title": "Scores of another tool.", "formula": "", "text": ""}
        return {**entry, **unknown, "parameters": [], "bibtex": []}
    return {
        **entry,
        **_split_docstring(m),
        "parameters": [*_list_parameters(m)],
        "bibtex": [read_references()[key] for key in m.references],
    }


def _parse_measure(name: str) -> Measure | None:
    """Return the measure with the name of a column, if there is one."""
    try:
        return parse_measure(name)
    except CranfieldError:
        return None


def _split_docstring(m: Measure) -> dict[str, str]:
    """Split a docstring into the first sentence, the equations and the rest."""
    text = _FACTS.split(inspect.getdoc(m) or "", maxsplit=1)[0]
    title, *paragraphs = [part for part in text.strip().split("\n\n") if part.strip()] or [""]
    prose = [part for part in paragraphs if not part.lstrip().startswith(">>>")]
    formulas = [part for part in prose if _is_formula(part)]
    texts = [_unwrap(part) for part in prose if part not in formulas]
    texts += [f"Here: {m.describe_variant()}."] if m.describe_variant() else []
    return {"title": " ".join(title.split()), "formula": "\n".join(formulas), "text": "\n\n".join(texts)}


def _unwrap(part: str) -> str:
    """Join the lines of a paragraph, unless it is a table."""
    return part if re.search(r"\n\s", part) else " ".join(part.split())


def _is_formula(part: str) -> bool:
    """Return True if most lines of a paragraph are equations or continue one."""
    lines = part.split("\n")
    return sum(bool(re.search(r"\s=\s|^\s{2,}", line)) for line in lines) * 2 > len(lines)


def _list_parameters(m: Measure) -> Any:
    for f in m.list_parameters():
        value, doc = format_value(getattr(m, f.name)), str(f.metadata.get("doc", ""))
        yield {"name": f.name, "value": value, "doc": doc}
    if m.cutoff is not None:
        yield {"name": m.cutoff_name, "value": format_value(m.cutoff), "doc": m.cutoff_meaning}
