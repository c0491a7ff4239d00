"""Tables of a pool, and files with documents to judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.assess.pool import Pool
from cranfield.assess.strata import Sample
from cranfield.data.names import check_word, format_json, format_rows
from cranfield.tables import Field, ResultTable, bind_rows, build_columns, build_notes_entry, build_record_table
from cranfield.wording import format_count

KINDS = {
    **dict.fromkeys(("kind", "name", "team", "topic"), str),
    **dict.fromkeys(("documents", "unique", "unique_relevant", "unjudged"), int),
    "judged": float,
}
COUNTS = [*KINDS][4:]
TO_JUDGE = ("topic", "doc", "to_judge")
SAMPLED = ("topic", "doc", "stratum", "level")
LISTS = ("text", "csv", "tsv", "json")  # formats of files for assessors


def build_tables(result: Pool, per_topic: bool) -> list[ResultTable]:
    """Build the contributions of runs and teams, and the sizes of topics."""
    rows = [row.to_dict() for row in result.contributions(per_topic)]
    return [build_record_table("contributions", rows, KINDS), *_build_visible_tables(result, per_topic)]


def _build_visible_tables(pool: Pool, per_topic: bool) -> list[ResultTable]:
    """Build the displayed tables. The last table has the caption."""
    tables = {"runs": _build_kind_columns(pool, "run")}
    if pool.teams is not None:
        tables["teams"] = _build_kind_columns(pool, "team")
    if pool.sample is not None:
        tables["strata"] = _build_stratum_columns(pool.sample)
    if per_topic:
        counts = build_record_table("topics", count_documents(pool).values(), visible=True)
        tables["topics"] = [Field("topic", pool.topics, key=True), *counts.fields]
    captions = dict.fromkeys(tables, "") | {[*tables][-1]: _summarize(pool)}
    return [ResultTable(x, fields, captions[x], machine_readable=False) for x, fields in tables.items()]


def _build_kind_columns(pool: Pool, kind: str) -> list[Field]:
    """Build the columns of contributions by run or by team, without unknown counts."""
    column = bind_rows(row for row in pool.contributions() if row.kind == kind)
    team = [column("team", key=True)] if kind == "run" and pool.teams is not None else []
    known_counts = [x for x in build_columns(column, *COUNTS) if any(value is not None for value in x.values or ())]
    return [column("name", head=kind, key=True), *team, *known_counts]


def _build_stratum_columns(sample: Sample) -> list[Field]:
    """Build the columns of strata: documents, drawn documents and documents to judge."""
    memberships = [sample.stratum == s for s in range(1, len(sample.strata) + 1)]
    to_judge = sample.is_drawn & np.isnan(sample.level)
    return [
        Field("stratum", range(1, len(memberships) + 1), key=True),
        Field("ranks", [f"{s.first}-{s.last}" for s in sample.strata], key=True),
        Field("documents", [int(flags.sum()) for flags in memberships]),
        Field("drawn", [int((flags & sample.is_drawn).sum()) for flags in memberships]),
        Field("to_judge", [int((flags & to_judge).sum()) for flags in memberships]),
    ]


def count_documents(pool: Pool) -> dict[str, dict[str, int]]:
    """Count the documents of each topic, and relevant and unjudged ones if known."""
    lists = {"documents": pool.docs, "relevant": pool.relevant, "unjudged": pool.unjudged}
    known_lists = {name: docs for name, docs in lists.items() if docs is not None}
    return {t: {name: len(docs[t]) for name, docs in known_lists.items()} for t in pool.topics}


def _summarize(pool: Pool) -> str:
    sizes = [len(docs) for docs in pool.docs.values()]
    runs_text = format_count(len(pool.runs), "run")
    if pool.teams is not None:
        runs_text += f" of {format_count(len(set(pool.teams)), 'team')}"
    text = f"pool of {format_count(len(sizes), 'topic')} at depth {pool.depth} from {runs_text}"
    size = format_count(len(pool), "document")
    if len(sizes) > 1:
        size += f", {len(pool) / len(sizes):,.1f} a topic (from {min(sizes):,} to {max(sizes):,})"
    if pool.is_judged is not None and pool.is_relevant is not None:
        judged, relevant = int(pool.is_judged.sum()), int(pool.is_relevant.sum())
        share = f"{judged:,} of them judged"
        size += f"; {share}, {relevant:,} relevant; {len(pool) - judged:,} unjudged"
    if pool.sample is not None:
        size += f"; {int(pool.sample.is_drawn.sum()):,} drawn (seed {pool.sample.seed})"
    return f"{text}: {size}"


def build_document(result: Pool, per_topic: bool) -> dict[str, Any]:
    """Return the sizes of topics and the contributions."""
    rows = [row.to_dict() for row in result.contributions(per_topic)]
    content = {"depth": result.depth, "topics": count_documents(result), "contributions": rows}
    if result.sample is not None:
        fields = {field.name: field.values or () for field in _build_stratum_columns(result.sample)}
        cells = zip(*fields.values(), strict=True)
        content["strata"] = [dict(zip(fields, row, strict=True)) for row in cells]
        content["seed"] = result.sample.seed
    return content | build_notes_entry(result.notes)


def render_pool(pool: Pool, format: str) -> str:
    """Return the content of a file with all documents of a pool, in the order of their ids."""
    judged = [False] * len(pool) if pool.is_judged is None else pool.is_judged.tolist()
    return render_pairs(_list_pairs(pool.docs), format, judged)


def render_lists(docs: Mapping[str, Sequence[str]], format: str) -> str:
    r"""Return the content of a file with documents to judge: ``topic doc`` lines, table or JSON.

    >>> render_lists({"q1": ["a", "b"]}, "text"), render_lists({"q1": ["a"]}, "csv")
    ('q1 a\nq1 b\n', 'topic,doc,to_judge\nq1,a,1\n')
    """
    return render_pairs(_list_pairs(docs), format)


def _list_pairs(docs: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [(topic, doc) for topic, topic_docs in docs.items() for doc in topic_docs]


def render_pairs(pairs: Sequence[tuple[str, str]], format: str, judged: Sequence[bool] | None = None) -> str:
    """Return the content of a file with topics and documents, in this order.

    Tables and JSON have a column `to_judge`: 1 for a document without a judgment. Readers of
    judgments and runs detect pools by it.
    """
    if format == "text":
        return "".join(f"{check_word(topic, True)} {check_word(doc)}\n" for topic, doc in pairs)
    flags = [1] * len(pairs) if judged is None else [int(not is_judged) for is_judged in judged]
    rows = [(*pair, flag) for pair, flag in zip(pairs, flags, strict=True)]
    if format == "json":
        return format_json([dict(zip(TO_JUDGE, row, strict=True)) for row in rows])
    return format_rows(format, [TO_JUDGE, *rows])


def render_sample(pool: Pool, format: str) -> str:
    r"""Return a sample as the content of a file: text lines, a table or JSON.

    Lines are ``topic 0 doc stratum level``. The level is −1 if a document was not drawn, and ?
    (JSON: null) if it must be judged.

    >>> from cranfield.assess.pool import pool
    >>> drawn = pool({"q1": ["a", "b"]}, strata="1-1:1,2-2:1", qrels={"q1": {"a": 2}})
    >>> render_sample(drawn, "text")
    'q1 0 a 1 2\nq1 0 b 2 ?\n'
    """
    rows = pool.list_sample()
    if format == "json":
        return format_json([dict(zip(SAMPLED, row, strict=True)) for row in rows])
    rendered_rows = [(*row[:3], "?" if row[3] is None else f"{row[3]:g}") for row in rows]
    if format != "text":
        return format_rows(format, [SAMPLED, *rendered_rows])
    return "".join(f"{check_word(t, True)} 0 {check_word(doc)} {s} {level}\n" for t, doc, s, level in rendered_rows)
