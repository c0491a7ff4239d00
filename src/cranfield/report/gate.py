"""What a gate decided, as a table; people read its lines."""

from __future__ import annotations

from typing import Any

from cranfield.report import sheets as tables
from cranfield.stats.families import TESTS
from cranfield.stats.gate import Gate


def sheets(found: Gate) -> list[tables.Sheet]:
    """The table of verdicts."""
    rows, with_margin = found.verdicts, found.margin is not None
    of = tables.columns(rows)
    undecided = any(row.needed for row in rows)
    several = len({row.measure for row in rows}) > 1
    moved = [f"{row.wins}/{row.ties}/{row.losses}" for row in rows]
    both = [tables.interval_text(row.bootstrap_low, row.bootstrap_high, "+") for row in rows]
    fields = (
        *tables.compared(of, several, "baseline"),
        of("decision", head="verdict"),
        of("passes", lambda row: row not in found.failed, people=False),
        of("topics", people=False),
        of("difference", text=tables.signed),
        of("relative", head="%", text=lambda share: f"{100 * share:+z.1f}", dtype=float),
        *tables.interval_fields(rows, found.confidence, "+"),
        *tables.each(of, "bootstrap_low", "bootstrap_high", people=False, dtype=float),
        tables.Field("bootstrap", None, "bootstrap-t", both, people=with_margin),
        of("by_bootstrap", people=False, dtype=str),
        of("pvalue", head="p", text=str, people=False),
        of("least_p", "least", people=False, dtype=float),
        *tables.each(of, "wins", "ties", "losses", people=False),
        tables.Field("counts", None, "win/tie/loss", moved),
        of("topics_needed", "needed", people=with_margin or undecided, dtype=int),
        of("lower_is_better", people=False),
        tables.Field("text", found.lines, people=False),
    )
    by = f" by {rows[0].measure}" if rows and not several else ""
    return [tables.table("verdicts", f"Verdicts{by}: {_how(found)}.", *fields)]


def settings(found: Gate) -> dict[str, Any]:
    """What was decided by, for programs, and whether all passed."""
    return tables.settings_of(found, "test", "alpha", "margin", "undecided", "confidence", "passed")


def text(found: Gate) -> str:
    """What a terminal shows."""
    return "".join(f"{line}\n" for line in found.lines)


def _how(found: Gate) -> str:
    """What decided."""
    level = f"α = {found.alpha:g}"
    otherwise = "fails" if found.undecided == "fail" else "passes"
    if found.margin is None:
        text = f"fail if significantly worse ({TESTS[found.test].title}, two-sided, {level})"
        undecided = any(one.decision == "undecided" for one in found.verdicts)
        unseen = f", undecided, which {otherwise}, if no loss could be significant"
        return f"{text}{unseen * undecided}"
    sure = tables.percent(found.confidence)
    return (
        f"pass if no part of the {sure} paired t interval of the difference is worse than the "
        f"margin of {found.margin:g}, else fail if all of it is worse than 0, else undecided, "
        f"which {otherwise} ({level})"
    )
