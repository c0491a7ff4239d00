"""How far assessors agree, as tables: pairs, topics, all together, and who gave which label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from cranfield.assess.agreement import PAIRWISE, TOGETHER, Agreement
from cranfield.report.formats.programs import noted, numbers
from cranfield.report.sheets import Field, Sheet, listed
from cranfield.scores import ALL
from cranfield.wording import counted

COLUMNS = ("topic", "assessor", "other", "statistic", "value")

TITLES = {
    "agreement": "agreement",
    "kappa": "κ",
    "kappa_linear": "linear κ",
    "kappa_quadratic": "quadratic κ",
    "fleiss": "Fleiss' κ",
    "alpha_nominal": "nominal α",
    "alpha_ordinal": "ordinal α",
    "alpha_interval": "interval α",
    "alpha_ratio": "ratio α",
}


def sheets(found: Agreement) -> list[Sheet]:
    """For programs a row for each number; for people several tables."""
    topics = {**found.topics, ALL: found}.items()
    rows = [(topic, *row) for topic, one in topics for row in _rows(one, found.labels)]
    *people, last = [_people(*table) for table in _tables(found)]
    who = counted(len(found.assessors), "assessor")
    text = f"{who}, {counted(found.items, 'item')} · κ over the items that both judged"
    named = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return [listed("agreement", named), *people, replace(last, caption=text)]


# -- for people -----------------------------------------------------------------------------------


def _people(name: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Sheet:
    """A table of names, in the first column, and numbers."""
    columns = zip(heads, *rows, strict=True)
    fields = [Field(head, values, head, key=head == heads[0]) for head, *values in columns]
    return Sheet(name, fields, programs=False)


def _tables(found: Agreement) -> Iterator[tuple[str, list[str], list[list[Any]]]]:
    """Who judged how much, where somebody lacks items; pairs; topics; confusion matrices."""
    if any(map(found.lacks, found.assessors)):
        done = [[name, found.judged[name], found.lacks(name)] for name in found.assessors]
        yield "judged", ["assessor", "judged", "lacks"], done
    by_pair = itemgetter(*PAIRWISE)
    pairs = [[" – ".join(x.assessors), x.items, *by_pair(x.values)] for x in found.pairs]
    if len(pairs) > 1:
        pairs.append(["mean", "", *by_pair(found.values)])
    if pairs:
        yield "pairs", ["assessors", "items", *(TITLES[name] for name in PAIRWISE)], pairs
    for names in ([PAIRWISE] if found.topics else []) + [TOGETHER]:
        topics = {**found.topics, ALL: found}.items()
        rows = [[topic, one.items, *itemgetter(*names)(one.values)] for topic, one in topics]
        yield "topics", ["topic", "items", *(TITLES[name] for name in names)], rows
    for pair in found.pairs:
        first, second = pair.assessors
        counts = zip(found.labels, pair.confusion.tolist(), strict=True)
        rows = [[label, *row] for label, row in counts]
        yield "confusion", [f"{first} ↓ {second} →", *found.labels], rows


# -- for programs ---------------------------------------------------------------------------------


def _rows(one: Agreement, labels: Sequence[str]) -> Iterator[tuple[str, str, str, float | int]]:
    """How much each assessor judged; of each pair, coefficients and counts; then those of all."""
    for assessor, judged in one.judged.items():
        yield (assessor, "", "items", judged)
    for pair in one.pairs:
        yield (*pair.assessors, "items", pair.items)
        for name, value in pair.values.items():
            yield (*pair.assessors, name, value)
        for row, counts in zip(labels, pair.confusion.tolist(), strict=True):
            for column, count in zip(labels, counts, strict=True):
                yield (*pair.assessors, f"count[{row},{column}]", count)
    yield ("", "", "items", one.items)
    for name, value in one.values.items():
        yield ("", "", name, value)


def document(found: Agreement) -> dict[str, Any]:
    """The numbers of all, and topic by topic."""
    whole = {"assessors": found.assessors, "labels": found.labels, "all": _document(found)}
    topics = {topic: _document(one) for topic, one in found.topics.items()}
    return whole | ({"topics": topics} if topics else {}) | noted(found.notices)


def _document(one: Agreement) -> dict[str, Any]:
    pairs = [
        {"assessors": pair.assessors, "items": pair.items, **numbers(pair.values),
         "confusion": pair.confusion.tolist()}
        for pair in one.pairs
    ]  # fmt: skip
    return {"items": one.items, "judged": one.judged, **numbers(one.values), "pairs": pairs}
