"""Table and text of a gate's verdicts."""

from __future__ import annotations

from typing import Any

from cranfield import tables
from cranfield.stats.families import TESTS
from cranfield.stats.gate import Gate


def build_tables(result: Gate) -> list[tables.ResultTable]:
    rows, with_margin = result.verdicts, result.margin is not None
    column = tables.bind_rows(rows)
    undecided = any(row.needed for row in rows)
    several_measures = len({row.measure for row in rows}) > 1
    counts = [f"{row.wins}/{row.ties}/{row.losses}" for row in rows]
    bootstrap_intervals = [
        tables.format_interval(row.bootstrap_low, row.bootstrap_high, "+") for row in rows
    ]
    fields = (
        *tables.build_key_columns(column, several_measures, "baseline"),
        column("decision", head="verdict"),
        column("passes", lambda row: row not in result.failed, visible=False),
        column("topics", visible=False),
        column("difference", text=tables.format_difference),
        column("relative", head="%", text=lambda share: f"{100 * share:+z.1f}", dtype=float),
        *tables.build_interval_columns(rows, result.confidence, "+"),
        *tables.build_columns(
            column, "bootstrap_low", "bootstrap_high", visible=False, dtype=float
        ),
        tables.Field("bootstrap", None, "bootstrap-t", bootstrap_intervals, visible=with_margin),
        column("by_bootstrap", visible=False, dtype=str),
        column("pvalue", head="p", text=str, visible=False),
        column("least_p", "least", visible=False, dtype=float),
        *tables.build_columns(column, "wins", "ties", "losses", visible=False),
        tables.Field("counts", None, "win/tie/loss", counts),
        column("topics_needed", "needed", visible=with_margin or undecided, dtype=int),
        column("lower_is_better", visible=False),
        tables.Field("text", result.lines, visible=False),
    )
    measure_text = f" by {rows[0].measure}" if rows and not several_measures else ""
    return [
        tables.build_table(
            "verdicts", f"Verdicts{measure_text}: {_describe_rule(result)}.", *fields
        )
    ]


def build_settings(result: Gate) -> dict[str, Any]:
    return tables.read_settings(
        result, "test", "alpha", "margin", "undecided", "confidence", "passed"
    )


def format_text(result: Gate) -> str:
    """Return the verdicts, one per line."""
    return "".join(f"{line}\n" for line in result.lines)


def _describe_rule(gate: Gate) -> str:
    """Describe the rule that decides the verdicts."""
    level = f"α = {gate.alpha:g}"
    otherwise = "fails" if gate.undecided == "fail" else "passes"
    if gate.margin is None:
        text = f"fail if significantly worse ({TESTS[gate.test].title}, two-sided, {level})"
        undecided = any(verdict.decision == "undecided" for verdict in gate.verdicts)
        unseen = f", undecided ({otherwise}) if no loss could be significant"
        return f"{text}{unseen * undecided}"
    sure = tables.format_percent(gate.confidence)
    return (
        f"pass if no part of the {sure} paired t interval of the difference is worse than the "
        f"margin of {gate.margin:g}, otherwise fail if the complete interval is worse than 0, "
        f"otherwise undecided, which {otherwise} ({level})"
    )
