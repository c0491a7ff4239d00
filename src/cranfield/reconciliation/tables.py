"""Tables of `reconcile`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cranfield.reconciliation.search import Reconciliation, Variant, format_chance
from cranfield.tables import Field, ResultTable, bind_rows, build_notes_entry
from cranfield.wording import format_count

SHOWN_TOOLS = 2
KEYS = ("changes", "switches", "value", "difference", "tools", "options", "chance")


def build_tables(result: Reconciliation) -> list[ResultTable]:
    """Build the table of matches and near misses."""
    rows = (*result.matches, *result.near)
    column = bind_rows(rows)
    fields = [
        column("kind", key=True),
        column("changes"),
        column("switches", lambda row: row.switches_text, text=lambda text: text or "(none)"),
        *_build_numbers(result, rows, "value"),
        *_build_numbers(result, rows, "difference", visible=False),
        replace(column("tools", lambda row: ", ".join(row.tools)), texts=[_list_tools(row) for row in rows]),
        column("options", visible=False),
        column("chance", dtype=float, text=format_chance),
    ]
    said, measure = _join(result.said), _join(result.measure)
    base = f"changes from {result.tool}" if result.tool else "changes from cranfield"
    ours = _join("undefined" if result.ours is None else result.ours)
    lines = [
        f"cranfield: {ours}",
        f"{_count_matches(result)} among {format_count(result.variants, 'variant')} "
        f"with {format_count(result.values, 'value')} of {measure}, {base}",
    ]
    if result.matches and result.matches[0].options:
        lines.append(f"the first match with cranfield evaluate: {result.matches[0].options}")
    return [ResultTable("variants", fields, f"What {said} could be", lines=lines)]


def _count_matches(result: Reconciliation) -> str:
    count = len(result.matches)
    return "no match" if not count else "1 match" if count == 1 else f"{count:,} matches"


def _list_tools(row: Variant) -> str:
    """Format the first tools of a row, and the number of all others."""
    others = len(row.tools) - SHOWN_TOOLS
    return ", ".join([*row.tools[:SHOWN_TOOLS], *([f"+{others}"] if others > 0 else [])]) or "–"


def _join(values: Any) -> str:
    """Format one value, or several."""
    several = values if isinstance(values, tuple) else (values,)
    return ", ".join(f"{x:.4f}" if isinstance(x, float) else str(x) for x in several)


def _build_numbers(result: Reconciliation, rows: tuple[Variant, ...], name: str, visible: bool = True) -> list[Field]:
    """Build the columns of a number, one per measure."""
    column = bind_rows(rows)
    settings: dict[str, Any] = {"dtype": float, "visible": visible, "text": lambda x: f"{x:.5f}"}
    if not isinstance(result.measure, tuple):
        return [column(name, **settings)]
    return [
        column(f"{name}_{m}", lambda row, i=i: getattr(row, name)[i], head=m, **settings)
        for i, m in enumerate(result.measure)
    ]


def build_document(result: Reconciliation) -> dict[str, Any]:
    """Return the JSON output."""
    names = ("said", "tolerance", "measure", "ours", "variants", "values")
    document = {name: getattr(result, name) for name in names}
    for kind in ("matches", "near"):
        document[kind] = [{key: getattr(row, key) for key in KEYS} for row in getattr(result, kind)]
    return document | build_notes_entry(result.notes)
