"""An audit as tables: what people are to judge, in which order, and how much of each topic."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cranfield.data.names import AUDIT, check_word
from cranfield.judging.audit import Audit
from cranfield.report.formats.programs import as_json, rows_as
from cranfield.report.sheets import Field, Sheet, settings_of, table
from cranfield.wording import counted

COLUMNS = ("topic", "doc", "probability", "draw", "to_judge")


def rows(found: Audit) -> list[tuple[str, str, float, float, int]]:
    """A row for each document, in the order in which they are judged."""
    order = found.order
    numbers = zip(order.pairs, order.probabilities.tolist(), order.draws.tolist(), strict=True)
    return [(topic, doc, p, draw, int(draw < 1)) for (topic, doc), p, draw in numbers]


def sheets(found: Audit) -> list[Sheet]:
    """Every document for programs; for people how many of each topic."""
    columns = zip(*rows(found), strict=True)
    fields = [
        Field(name, x, key=name in COLUMNS[:2]) for name, x in zip(COLUMNS, columns, strict=True)
    ]
    return [_topics(found), table("audit", summary(found), *fields)]


def usual(found: Audit, format: str) -> tuple[str, ...]:
    """People see topics, programs documents."""
    return ("topics",) if format in ("table", "markdown", "latex", "html") else ("audit",)


def _topics(found: Audit) -> Sheet:
    every = Counter(topic for topic, _ in found.order.pairs)
    drawn = Counter(topic for topic, _ in found.order.pairs[: found.to_judge])
    topics = [*every]
    return table(
        "topics",
        f"{summary(found)}.",
        Field("topic", topics, key=True),
        Field("documents", [every[topic] for topic in topics]),
        Field("to_judge", [drawn[topic] for topic in topics]),
    )


def summary(found: Audit) -> str:
    """What was drawn, in a sentence."""
    return (
        f"{counted(found.to_judge, 'document')} to judge, drawn from {len(found.order):,} of "
        f"{counted(len(found.runs), 'run')} at depth {found.depth} by the weights of "
        f"{found.measure}, seed {found.seed}"
    )


def settings(found: Audit) -> dict[str, Any]:
    """How it was drawn, for programs."""
    return settings_of(found, "size", "measure", "depth", "seed", "to_judge")


def render_audit(found: Audit, format: str) -> str:
    """Return the content of a file: lines ``topic doc probability draw``, a table, or JSON.

    The lines alone could be judgments (``topic iteration doc level``): a comment marks them.
    """
    made = rows(found)
    if format == "json":
        return as_json([dict(zip(COLUMNS, row, strict=True)) for row in made])
    if format != "text":
        return rows_as(format, [COLUMNS, *made])
    lines = [f"{check_word(t, True)} {check_word(d)} {p!r} {draw!r}\n" for t, d, p, draw, _ in made]
    return f"{AUDIT}: {' '.join(COLUMNS[:4])}\n{''.join(lines)}"
