"""How far assessors agree, as tables for people and rows for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cranfield.assess.agreement import PAIRWISE, TOGETHER, Agreement
from cranfield.report.columns import notice_lines, rows_block
from cranfield.report.rows import as_json, separated
from cranfield.scores import ALL, json_number
from cranfield.wording import counted

FORMATS = ("table", "tsv", "csv", "json")
COLUMNS = ("topic", "assessor", "other", "statistic", "value")

_TITLES = {
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


def render_agreement(found: Agreement, format: str = "table") -> str:
    """Agreement as tables (four decimals), or in full as TSV, CSV or JSON."""
    if format == "table":
        return _tables(found)
    if format == "json":
        return _json(found)
    topics = {**found.topics, ALL: found}.items()
    rows = ((topic, *row) for topic, one in topics for row in _rows(one, found.labels))
    return separated([COLUMNS, *rows], format)


# -- for people -----------------------------------------------------------------------------------


def _tables(found: Agreement) -> str:
    pairs = [
        [" – ".join(pair.assessors), str(pair.items), *_four(pair.values, PAIRWISE)]
        for pair in found.pairs
    ]
    if len(pairs) > 1:
        pairs.append(["mean", "", *_four(found.values, PAIRWISE)])
    blocks = []
    if any(map(found.lacks, found.assessors)):
        done = [[name, str(found.judged[name]), str(found.lacks(name))] for name in found.assessors]
        blocks.append(rows_block(["assessor", "judged", "lacks"], done))
    blocks.append(rows_block(["assessors", "items", *(_TITLES[name] for name in PAIRWISE)], pairs))
    if found.topics:
        blocks.append(_topics(found, PAIRWISE))
    blocks.append(_topics(found, TOGETHER))
    for pair in found.pairs:
        first, second = pair.assessors
        counts = zip(found.labels, pair.confusion.tolist(), strict=True)
        rows = [[label, *map(str, row)] for label, row in counts]
        blocks.append(rows_block([f"{first} ↓ {second} →", *found.labels], rows))
    who = counted(len(found.assessors), "assessor")
    caption = f"{who}, {counted(found.items, 'item')} · κ over the items that both judged"
    return "\n\n".join([*blocks, "\n".join([caption, *notice_lines(found.notices)])]) + "\n"


def _topics(found: Agreement, names: Sequence[str]) -> str:
    """Some of the coefficients of every topic, and of all."""
    rows = [
        [topic, str(one.items), *_four(one.values, names)]
        for topic, one in {**found.topics, ALL: found}.items()
    ]
    return rows_block(["topic", "items", *(_TITLES[name] for name in names)], rows)


def _four(values: Mapping[str, float], names: Sequence[str]) -> list[str]:
    return [f"{values[name]:z.4f}" for name in names]  # z: no -0.0000


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


def _json(found: Agreement) -> str:
    whole = {"assessors": found.assessors, "labels": found.labels, "all": _document(found)}
    topics = {topic: _document(one) for topic, one in found.topics.items()}
    notices = [{"kind": notice.kind, "text": notice.text} for notice in found.notices]
    return as_json(whole | ({"topics": topics} if topics else {}) | {"notices": notices})


def _document(one: Agreement) -> dict[str, Any]:
    pairs = [
        {"assessors": pair.assessors, "items": pair.items, **_numbers(pair.values),
         "confusion": pair.confusion.tolist()}
        for pair in one.pairs
    ]  # fmt: skip
    return {"items": one.items, "judged": one.judged, **_numbers(one.values), "pairs": pairs}


def _numbers(values: Mapping[str, float]) -> dict[str, Any]:
    return {name: json_number(value) for name, value in values.items()}
