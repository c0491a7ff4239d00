"""An audit as tables: what people are to judge, in which order, and how much of each topic."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cranfield.data.names import AUDIT, check_word, format_rows
from cranfield.judging.audit import Audit
from cranfield.report.formats.machine_readable import format_json
from cranfield.tables import Field, ResultTable, build_table, read_settings
from cranfield.wording import format_count

COLUMNS = ("topic", "doc", "probability", "draw", "to_judge")


def list_rows(audit: Audit) -> list[tuple[str, str, float, float, int]]:
    """A row for each document, in the order in which they are judged."""
    order = audit.order
    numbers = zip(order.pairs, order.probabilities.tolist(), order.draws.tolist(), strict=True)
    return [(topic, doc, p, draw, int(draw < 1)) for (topic, doc), p, draw in numbers]


def build_tables(result: Audit) -> list[ResultTable]:
    """Every document for programs; for people how many of each topic."""
    columns = zip(*list_rows(result), strict=True)
    fields = [
        Field(name, x, key=name in COLUMNS[:2]) for name, x in zip(COLUMNS, columns, strict=True)
    ]
    return [_build_topic_table(result), build_table("audit", summarize(result), *fields)]


def select_tables(result: Audit, format: str) -> tuple[str, ...]:
    """People see topics, programs documents."""
    return ("topics",) if format in ("table", "markdown", "latex", "html") else ("audit",)


def _build_topic_table(audit: Audit) -> ResultTable:
    documents = Counter(topic for topic, _ in audit.order.pairs)
    to_judge = Counter(topic for topic, _ in audit.order.pairs[: audit.to_judge])
    topics = [*documents]
    return build_table(
        "topics",
        f"{summarize(audit)}.",
        Field("topic", topics, key=True),
        Field("documents", [documents[topic] for topic in topics]),
        Field("to_judge", [to_judge[topic] for topic in topics]),
    )


def summarize(audit: Audit) -> str:
    """What was drawn, in a sentence."""
    return (
        f"{format_count(audit.to_judge, 'document')} to judge, drawn from {len(audit.order):,} of "
        f"{format_count(len(audit.runs), 'run')} at depth {audit.depth} by the weights of "
        f"{audit.measure}, seed {audit.seed}"
    )


def build_settings(result: Audit) -> dict[str, Any]:
    """How it was drawn, for programs."""
    return read_settings(result, "size", "measure", "depth", "seed", "to_judge")


def render_audit(audit: Audit, format: str) -> str:
    """Return the content of a file: lines ``topic doc probability draw``, a table, or JSON.

    The lines alone could be judgments (``topic iteration doc level``): a comment marks them.
    """
    table_rows = list_rows(audit)
    if format == "json":
        return format_json([dict(zip(COLUMNS, row, strict=True)) for row in table_rows])
    if format != "text":
        return format_rows(format, [COLUMNS, *table_rows])
    lines = [
        f"{check_word(t, True)} {check_word(d)} {p!r} {draw!r}\n" for t, d, p, draw, _ in table_rows
    ]
    return f"{AUDIT}: {' '.join(COLUMNS[:4])}\n{''.join(lines)}"
