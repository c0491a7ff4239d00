"""A pool for people and for programs: who brought what, and the lists for the assessors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain

from cranfield.assess.pool import Contribution, Pool
from cranfield.errors import CranfieldError
from cranfield.report.columns import block, left, notice_lines, right, rows_block
from cranfield.report.rows import as_json, separated
from cranfield.scores import four_decimals
from cranfield.wording import counted

FORMATS = ("table", "tsv", "csv", "json")
COUNTS = ("documents", "unique", "unique relevant", "unjudged", "judged")


def table(pool: Pool, per_topic: bool = False) -> str:
    """What is in a pool, as text: how much, whose, and what the user should know.

    >>> from cranfield.assess.pool import pool
    >>> runs = {"bm25": {"q1": ["a", "b"]}, "dense": {"q1": ["a", "c"]}}
    >>> print(table(pool(runs, depth=2, qrels={"q1": {"a": 0, "b": 1}})))
    run    documents  unique  unique relevant  unjudged  judged
    ───────────────────────────────────────────────────────────
    bm25           2       1                1         0  1.0000
    dense          2       1                0         1  0.5000
    <BLANKLINE>
    pool of 1 topic at depth 2 from 2 runs: 3 documents
    2 of them judged, 1 relevant; 1 unjudged
    """
    found = pool.contributions()
    parts = [
        _table("run", [c for c in found if c.kind == "run"]),
        *([] if pool.teams is None else [_table("team", [c for c in found if c.kind == "team"])]),
        *([_topics(pool)] if per_topic else []),
        "\n".join([*_summary(pool), *notice_lines(pool.notices)]),
    ]
    return "\n\n".join(parts)


def _table(kind: str, found: Sequence[Contribution]) -> str:
    columns = [left(kind, [c.name for c in found])]
    if kind == "run" and found[0].team is not None:
        columns.append(left("team", [c.team or "" for c in found]))
    for name in COUNTS:
        cells = [getattr(c, name.replace(" ", "_")) for c in found]
        if any(cell is not None for cell in cells):
            columns.append(right(name, [_shown(cell) for cell in cells]))
    return block(columns)


def _topics(pool: Pool) -> str:
    """How much there is to judge, topic by topic."""
    sizes = _sizes(pool)
    rows = [[topic, *map(_shown, counts.values())] for topic, counts in sizes.items()]
    return rows_block(["topic", *next(iter(sizes.values()))], rows)


def _sizes(pool: Pool) -> dict[str, dict[str, int]]:
    """How many documents each topic has, and how many are relevant or unjudged if that is known."""
    lists = {"documents": pool.docs, "relevant": pool.relevant, "unjudged": pool.unjudged}
    known = {name: docs for name, docs in lists.items() if docs is not None}
    return {t: {name: len(docs[t]) for name, docs in known.items()} for t in pool.topics}


def _shown(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else four_decimals(value)


def _summary(pool: Pool) -> list[str]:
    sizes = [len(docs) for docs in pool.docs.values()]
    who = counted(len(pool.runs), "run")
    if pool.teams is not None:
        who += f" of {counted(len(set(pool.teams)), 'team')}"
    text = f"pool of {counted(len(sizes), 'topic')} at depth {pool.depth} from {who}"
    size = counted(len(pool), "document")
    if len(sizes) > 1:
        size += f", {len(pool) / len(sizes):,.1f} a topic (from {min(sizes):,} to {max(sizes):,})"
    lines = [f"{text}: {size}"]
    if pool.is_judged is not None and pool.is_relevant is not None:
        judged, relevant = int(pool.is_judged.sum()), int(pool.is_relevant.sum())
        share = f"{judged:,} of them judged"
        lines.append(f"{share}, {relevant:,} relevant; {len(pool) - judged:,} unjudged")
    return lines


# -- for programs ---------------------------------------------------------------------------------


def render(pool: Pool, format: str, per_topic: bool = False) -> str:
    """The contributions as the content of a file: TSV or CSV, a row each, or JSON with all else."""
    found = [c.to_dict() for c in pool.contributions(per_topic)]
    if format == "json":
        notices = [asdict(notice) for notice in pool.notices]
        whole = {"depth": pool.depth, "topics": _sizes(pool), "contributions": found}
        return as_json(whole | {"notices": notices})
    return separated([[*found[0]], *(row.values() for row in found)], format)


def render_lists(docs: Mapping[str, Sequence[str]], format: str) -> str:
    r"""Documents by topic as the content of a file: lines ``topic doc``, a table, or JSON.

    >>> render_lists({"q1": ["a", "b"]}, "text"), render_lists({"q1": ["a"]}, "csv")
    ('q1 a\nq1 b\n', 'topic,doc\nq1,a\n')
    """
    if format == "json":
        return as_json({topic: list(found) for topic, found in docs.items()})
    pairs = [(topic, doc) for topic, found in docs.items() for doc in found]
    if format != "text":
        return separated([("topic", "doc"), *pairs], format)
    for name in chain.from_iterable(pairs):
        if len(name.split()) != 1:
            raise CranfieldError(f"the name {name!r} cannot be written as text; use JSON")
    return "".join(f"{topic} {doc}\n" for topic, doc in pairs)
