"""How far assessors agree, as tables for people and rows for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cranfield.assess.agreement import PAIRWISE, TOGETHER, Agreement, PairAgreement
from cranfield.report.columns import block, left, notice_lines, right
from cranfield.report.rows import as_json, separated
from cranfield.scores import ALL, json_number, printable
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
    if format == "json":
        return _json(found)
    if format in ("tsv", "csv"):
        topics = {**found.topics, ALL: found}.items()
        rows = ((topic, *row) for topic, one in topics for row in _rows(one, found.labels))
        return separated([COLUMNS, *rows], format)
    return _tables(found)


# For people


def _tables(found: Agreement) -> str:
    pairs = [
        [_both(pair, " – "), str(pair.items), *_four(pair.values, PAIRWISE)] for pair in found.pairs
    ]
    if len(pairs) > 1:
        pairs.append(["mean", "", *_four(found.values, PAIRWISE)])
    titles = [_TITLES[name] for name in PAIRWISE]
    blocks = [_judged(found)] if any(map(found.lacks, found.assessors)) else []
    blocks.append(_table(["assessors", "items", *titles], pairs))
    if found.topics:
        blocks.append(_topics(found, PAIRWISE))
    blocks.append(_topics(found, TOGETHER))
    blocks += [_confusion(pair, found.labels) for pair in found.pairs]
    notes = notice_lines(found.notices)
    who = counted(len(found.assessors), "assessor")
    caption = f"{who}, {counted(found.items, 'item')} · κ over the items that both judged"
    return "\n\n".join([*blocks, "\n".join([caption, *notes])]) + "\n"


def _judged(found: Agreement) -> str:
    """How much each assessor did."""
    rows = [[name, str(found.judged[name]), str(found.lacks(name))] for name in found.assessors]
    return _table(["assessor", "judged", "lacks"], rows)


def _topics(found: Agreement, names: Sequence[str]) -> str:
    """Some of the coefficients of every topic, and of all."""
    rows = [
        [topic, str(one.items), *_four(one.values, names)]
        for topic, one in {**found.topics, ALL: found}.items()
    ]
    return _table(["topic", "items", *(_TITLES[name] for name in names)], rows)


def _confusion(pair: PairAgreement, labels: Sequence[str]) -> str:
    first, second = map(printable, pair.assessors)
    names = [printable(label) for label in labels]
    rows = [
        [name, *map(str, counts)]
        for name, counts in zip(names, pair.confusion.tolist(), strict=True)
    ]
    return _table([f"{first} ↓ {second} →", *names], rows)


def _both(pair: PairAgreement, between: str) -> str:
    return between.join(map(printable, pair.assessors))


def _four(values: Mapping[str, float], names: Sequence[str]) -> list[str]:
    return [f"{values[name]:z.4f}" for name in names]  # z: no -0.0000


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first to the left and the others to the right."""
    first, *others = zip(*rows, strict=True)
    numbers = (right(name, texts) for name, texts in zip(header[1:], others, strict=True))
    return block([left(header[0], first), *numbers])


# For programs


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
    document = {
        "assessors": found.assessors,
        "labels": found.labels,
        "all": _document(found),
        **(
            {"topics": {t: _document(one) for t, one in found.topics.items()}}
            if found.topics
            else {}
        ),
        "notices": [{"kind": notice.kind, "text": notice.text} for notice in found.notices],
    }
    return as_json(document)


def _document(one: Agreement) -> dict[str, Any]:
    return {
        "items": one.items,
        "judged": one.judged,
        **{name: json_number(value) for name, value in one.values.items()},
        "pairs": [
            {
                "assessors": pair.assessors,
                "items": pair.items,
                **{name: json_number(value) for name, value in pair.values.items()},
                "confusion": pair.confusion.tolist(),
            }
            for pair in one.pairs
        ],
    }
