"""A pool as tables: who brought what, how much there is to judge; and the lists for assessors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.assess.pool import Pool
from cranfield.assess.strata import Sample
from cranfield.data.names import check_word
from cranfield.report.formats.programs import as_json, noted, rows_as
from cranfield.report.sheets import Field, Sheet, columns, each, listed
from cranfield.wording import counted

KINDS = {
    **dict.fromkeys(("kind", "name", "team", "topic"), str),
    **dict.fromkeys(("documents", "unique", "unique_relevant", "unjudged"), int),
    "judged": float,
}
COUNTS = [*KINDS][4:]
TO_JUDGE = ("topic", "doc", "to_judge")
SAMPLED = ("topic", "doc", "stratum", "level")
LISTS = ("text", "csv", "tsv", "json")  # the formats of what assessors get


def sheets(found: Pool, per_topic: bool = False) -> list[Sheet]:
    """What each run and team brought, topic by topic if asked for; for people also the size of
    each topic.
    """
    rows = [row.to_dict() for row in found.contributions(per_topic)]
    return [listed("contributions", rows, KINDS), *_people(found, per_topic)]


def _people(found: Pool, per_topic: bool) -> list[Sheet]:
    """What runs and teams brought, and what there is of each topic; the last has the caption."""
    tables = {"runs": _kind(found, "run")}
    if found.teams is not None:
        tables["teams"] = _kind(found, "team")
    if found.sample is not None:
        tables["strata"] = _strata(found.sample)
    if per_topic:
        counts = listed("topics", sizes(found).values(), people=True)
        tables["topics"] = [Field("topic", found.topics, key=True), *counts.fields]
    captions = dict.fromkeys(tables, "") | {[*tables][-1]: _summary(found)}
    return [Sheet(x, fields, captions[x], programs=False) for x, fields in tables.items()]


def _kind(found: Pool, kind: str) -> list[Field]:
    """What each run, or each team, brought: of what is known."""
    of = columns(row for row in found.contributions() if row.kind == kind)
    team = [of("team", key=True)] if kind == "run" and found.teams is not None else []
    known = [x for x in each(of, *COUNTS) if any(value is not None for value in x.values or ())]
    return [of("name", head=kind, key=True), *team, *known]


def _strata(sample: Sample) -> list[Field]:
    """How many documents each stratum has, and how many of them are drawn."""
    there = [sample.stratum == s for s in range(1, len(sample.strata) + 1)]
    to_judge = sample.drawn & np.isnan(sample.level)
    return [
        Field("stratum", range(1, len(there) + 1), key=True),
        Field("ranks", [f"{s.first}-{s.last}" for s in sample.strata], key=True),
        Field("documents", [int(flags.sum()) for flags in there]),
        Field("drawn", [int((flags & sample.drawn).sum()) for flags in there]),
        Field("to_judge", [int((flags & to_judge).sum()) for flags in there]),
    ]


def sizes(found: Pool) -> dict[str, dict[str, int]]:
    """How many documents each topic has, and how many are relevant or unjudged if that is known."""
    lists = {"documents": found.docs, "relevant": found.relevant, "unjudged": found.unjudged}
    known = {name: docs for name, docs in lists.items() if docs is not None}
    return {t: {name: len(docs[t]) for name, docs in known.items()} for t in found.topics}


def _summary(pool: Pool) -> str:
    sizes = [len(docs) for docs in pool.docs.values()]
    who = counted(len(pool.runs), "run")
    if pool.teams is not None:
        who += f" of {counted(len(set(pool.teams)), 'team')}"
    text = f"pool of {counted(len(sizes), 'topic')} at depth {pool.depth} from {who}"
    size = counted(len(pool), "document")
    if len(sizes) > 1:
        size += f", {len(pool) / len(sizes):,.1f} a topic (from {min(sizes):,} to {max(sizes):,})"
    if pool.is_judged is not None and pool.is_relevant is not None:
        judged, relevant = int(pool.is_judged.sum()), int(pool.is_relevant.sum())
        share = f"{judged:,} of them judged"
        size += f"; {share}, {relevant:,} relevant; {len(pool) - judged:,} unjudged"
    if pool.sample is not None:
        size += f"; {int(pool.sample.drawn.sum()):,} drawn (seed {pool.sample.seed})"
    return f"{text}: {size}"


def document(found: Pool, per_topic: bool = False) -> dict[str, Any]:
    """The sizes of topics beside the contributions."""
    rows = [row.to_dict() for row in found.contributions(per_topic)]
    whole = {"depth": found.depth, "topics": sizes(found), "contributions": rows}
    if found.sample is not None:
        fields = {field.name: field.values or () for field in _strata(found.sample)}
        cells = zip(*fields.values(), strict=True)
        whole["strata"] = [dict(zip(fields, row, strict=True)) for row in cells]
        whole["seed"] = found.sample.seed
    return whole | noted(found.notices)


def render_pool(found: Pool, format: str) -> str:
    """Return the content of a file with all documents of a pool, in the order of their ids."""
    judged = [False] * len(found) if found.is_judged is None else found.is_judged.tolist()
    return render_pairs(_pairs(found.docs), format, judged)


def render_lists(docs: Mapping[str, Sequence[str]], format: str) -> str:
    r"""Return the content of a file with documents to judge: ``topic doc`` lines, table or JSON.

    >>> render_lists({"q1": ["a", "b"]}, "text"), render_lists({"q1": ["a"]}, "csv")
    ('q1 a\nq1 b\n', 'topic,doc,to_judge\nq1,a,1\n')
    """
    return render_pairs(_pairs(docs), format)


def _pairs(docs: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [(topic, doc) for topic, each in docs.items() for doc in each]


def render_pairs(
    pairs: Sequence[tuple[str, str]], format: str, judged: Sequence[bool] | None = None
) -> str:
    """Return the content of a file with topics and documents, in this order.

    Tables and JSON have a column `to_judge`: 1 for a document without a judgment. Readers of
    judgments and runs detect pools by it.
    """
    if format == "text":
        return "".join(f"{check_word(topic, True)} {check_word(doc)}\n" for topic, doc in pairs)
    flags = [1] * len(pairs) if judged is None else [int(not known) for known in judged]
    rows = [(*pair, flag) for pair, flag in zip(pairs, flags, strict=True)]
    if format == "json":
        return as_json([dict(zip(TO_JUDGE, row, strict=True)) for row in rows])
    return rows_as(format, [TO_JUDGE, *rows])


def render_sample(found: Pool, format: str) -> str:
    r"""A sample as the content of a file: lines ``topic 0 doc stratum level``, a table, or JSON.

    The level is −1 where a document was not drawn, and ? (JSON: null) where it is to be judged.

    >>> from cranfield.assess.pool import pool
    >>> drawn = pool({"q1": ["a", "b"]}, strata="1-1:1,2-2:1", qrels={"q1": {"a": 2}})
    >>> render_sample(drawn, "text")
    'q1 0 a 1 2\nq1 0 b 2 ?\n'
    """
    rows = found.sampled()
    if format == "json":
        return as_json([dict(zip(SAMPLED, row, strict=True)) for row in rows])
    told = [(*row[:3], "?" if row[3] is None else f"{row[3]:g}") for row in rows]
    if format != "text":
        return rows_as(format, [SAMPLED, *told])
    return "".join(
        f"{check_word(t, True)} 0 {check_word(doc)} {s} {level}\n" for t, doc, s, level in told
    )
