"""Tables of assessor agreement: pairs, topics, totals and confusion matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from cranfield.assess.agreement import PAIRWISE, TITLES, TOGETHER, Agreement
from cranfield.report.formats.machine_readable import build_notes_entry, convert_numbers
from cranfield.scores import ALL
from cranfield.tables import Field, ResultTable, build_record_table
from cranfield.wording import format_count

COLUMNS = ("topic", "assessor", "other", "statistic", "value")


def build_tables(result: Agreement) -> list[ResultTable]:
    """Build one machine-readable table with a row per number, and displayed tables."""
    topics = {**result.topics, ALL: result}.items()
    rows = [
        (topic, *row) for topic, agreement in topics for row in _list_rows(agreement, result.labels)
    ]
    *visible, last = [_build_visible_table(*table) for table in _list_tables(result)]
    assessors = format_count(len(result.assessors), "assessor")
    text = f"{assessors}, {format_count(result.items, 'item')} · κ over the items judged by both"
    records = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return [build_record_table("agreement", records), *visible, replace(last, caption=text)]


# -- displayed tables -----------------------------------------------------------------------------


def _build_visible_table(
    name: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]
) -> ResultTable:
    """Build a table with names in the first column and numbers in the others."""
    columns = zip(heads, *rows, strict=True)
    fields = [Field(head, values, head, key=head == heads[0]) for head, *values in columns]
    return ResultTable(name, fields, machine_readable=False)


def _list_tables(agreement: Agreement) -> Iterator[tuple[str, list[str], list[list[Any]]]]:
    """Yield name, heads and rows of the displayed tables."""
    if any(map(agreement.count_missing, agreement.assessors)):
        done = [
            [name, agreement.judged[name], agreement.count_missing(name)]
            for name in agreement.assessors
        ]
        yield "judged", ["assessor", "judged", "lacks"], done
    by_pair = itemgetter(*PAIRWISE)
    pairs = [[" – ".join(x.assessors), x.items, *by_pair(x.values)] for x in agreement.pairs]
    if len(pairs) > 1:
        pairs.append(["mean", "", *by_pair(agreement.values)])
    if pairs:
        yield "pairs", ["assessors", "items", *(TITLES[name] for name in PAIRWISE)], pairs
    for names in ([PAIRWISE] if agreement.topics else []) + [TOGETHER]:
        topics = {**agreement.topics, ALL: agreement}.items()
        rows = [
            [topic, topic_agreement.items, *itemgetter(*names)(topic_agreement.values)]
            for topic, topic_agreement in topics
        ]
        yield "topics", ["topic", "items", *(TITLES[name] for name in names)], rows
    for pair in agreement.pairs:
        first, second = pair.assessors
        counts = zip(agreement.labels, pair.confusion.tolist(), strict=True)
        rows = [[label, *row] for label, row in counts]
        yield "confusion", [f"{first} ↓ {second} →", *agreement.labels], rows


# -- machine-readable rows ------------------------------------------------------------------------


def _list_rows(
    agreement: Agreement, labels: Sequence[str]
) -> Iterator[tuple[str, str, str, float | int]]:
    """Yield judged items per assessor, numbers of each pair, and totals."""
    for assessor, judged in agreement.judged.items():
        yield (assessor, "", "items", judged)
    for pair in agreement.pairs:
        yield (*pair.assessors, "items", pair.items)
        for name, value in pair.values.items():
            yield (*pair.assessors, name, value)
        for row, counts in zip(labels, pair.confusion.tolist(), strict=True):
            for column, count in zip(labels, counts, strict=True):
                yield (*pair.assessors, f"count[{row},{column}]", count)
    yield ("", "", "items", agreement.items)
    for name, value in agreement.values.items():
        yield ("", "", name, value)


def build_document(result: Agreement) -> dict[str, Any]:
    """Return agreement over all items and by topic."""
    content = {
        "assessors": result.assessors,
        "labels": result.labels,
        "all": _describe_agreement(result),
    }
    topics = {topic: _describe_agreement(agreement) for topic, agreement in result.topics.items()}
    return content | ({"topics": topics} if topics else {}) | build_notes_entry(result.notes)


def _describe_agreement(agreement: Agreement) -> dict[str, Any]:
    pairs = [
        {"assessors": pair.assessors, "items": pair.items, **convert_numbers(pair.values),
         "confusion": pair.confusion.tolist()}
        for pair in agreement.pairs
    ]  # fmt: skip
    return {
        "items": agreement.items,
        "judged": agreement.judged,
        **convert_numbers(agreement.values),
        "pairs": pairs,
    }
