"""Tables of judged answers to a topic: nuggets, citations, criteria and texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from cranfield.evaluation.answers import AnswerDetail, AnswerDetails
from cranfield.tables import Field, ResultTable, bind_rows, build_record_table
from cranfield.wording import format_count, format_number

KINDS: dict[str, type] = {"sub_narrative": str, "text": str, "citation": str, "support": float, "met": float}
TABLES = ("nuggets", "sentences", "criteria", "texts")
MAX_TEXT_LENGTH = 52  # characters of displayed texts
IMPORTANCE = {True: "vital", False: "okay"}
SUPPORT = {1.0: "support", 0.5: "partial", 0.0: "–", None: "not judged"}
SUPPORT_WORDS = {1.0: "full", 0.5: "partial", 0.0: "none", None: "not judged"}


def build_tables(result: AnswerDetails) -> list[ResultTable]:
    """Build a machine-readable table per kind of judgment and tables per run."""
    record_tables = [_build_kind_table(name, rows) for name, rows in _collect_rows(result).items() if rows]
    return [*record_tables, *(table for run in result.by_run for table in _build_run_tables(result, run))]


def _build_kind_table(name: str, rows: list[dict[str, Any]]) -> ResultTable:
    return build_record_table(name, rows, {name: KINDS.get(name) for name in rows[0]})


def _collect_rows(details: AnswerDetails) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for run, detail in details.by_run.items():
        ids = {"run": run, "topic": details.topic}
        rows["nuggets"] += [
            ids | {"nugget": x.name, "importance": IMPORTANCE[x.vital],
                     "support": _drop_nan(x.support),
                     "sub_narrative": x.sub_narrative or None}
            for x in detail.nuggets
        ]  # fmt: skip
        rows["sentences"] += [
            ids | {"sentence": number, "text": text, "citation": document, "support": support}
            for number, text, citations in detail.sentences
            for document, support in citations or [(None, None)]
        ]
        rows["criteria"] += [
            ids | {"criterion": x.name, "axis": x.axis, "weight": x.weight, "met": _drop_nan(x.met)}
            for x in detail.criteria
        ]
        if detail.text is not None:
            rows["texts"].append(ids | {"answer": detail.text, "gold": " | ".join(details.gold)})
    return rows


def _build_run_tables(details: AnswerDetails, run: str) -> Iterator[ResultTable]:
    detail = details.by_run[run]
    prefix = f"{run}, topic {details.topic}: "
    if nuggets := detail.nuggets:
        matched = sum(x.support > 0 for x in nuggets)
        title = f"{prefix}{matched} of {format_count(len(nuggets), 'nugget')}"
        yield _build_visible_table(detail, "nuggets", _build_nugget_columns(nuggets), title)
    if detail.sentences:
        title = prefix + format_count(len(detail.sentences), "sentence")
        yield _build_visible_table(detail, "support", _build_sentence_columns(detail), title)
    if detail.criteria:
        title = prefix + format_count(len(detail.criteria), "criterion").replace("ons", "a")
        yield _build_visible_table(detail, "criteria", _build_criterion_columns(detail.criteria), title)
    if detail.text is not None:
        texts = [detail.text, *details.gold]
        sources = ["answer", *("gold" for _ in details.gold)]
        fields = [Field("which", sources, head="", key=True), Field("text", texts, texts=_truncate_texts(texts))]
        yield _build_visible_table(detail, "references", fields, f"{run}, topic {details.topic}")


def _build_visible_table(detail: AnswerDetail, needs: str, fields: list[Field], title: str) -> ResultTable:
    """Build a displayed table with the scores that depend on it."""
    scores = [f"{m} = {format_number(x)}" for (kind, m), x in detail.scores.items() if kind == needs]
    return ResultTable(title, fields, " · ".join(scores), title, machine_readable=False)


def _build_nugget_columns(nuggets: Sequence[Any]) -> list[Field]:
    column = bind_rows(nuggets)
    sub = column("sub-narrative", lambda x: _truncate_texts([x.sub_narrative])[0])
    return [
        column("importance", lambda x: IMPORTANCE[x.vital], key=True),
        column("assignment", lambda x: SUPPORT[_drop_nan(x.support)]),
        column("nugget", lambda x: _truncate_texts([x.name])[0]),
        *([sub] if any(sub.cell_texts) else []),
    ]


def _build_sentence_columns(detail: AnswerDetail) -> list[Field]:
    """Build columns with a row per citation. The first row has the sentence."""
    rows = [
        (str(number) * (place == 0), cited, support, (text or "") * (place == 0))
        for number, text, citations in detail.sentences
        for place, (cited, support) in enumerate(citations or [("–", 0.0)])
    ]
    numbers, cited, support, texts = zip(*rows, strict=True)
    words = ["–" if c == "–" else SUPPORT_WORDS[s] for c, s in zip(cited, support, strict=True)]
    fields = [Field("sentence", numbers, key=True), Field("citation", cited), Field("support", words)]
    return [*fields, *([Field("text", _truncate_texts(texts))] if any(texts) else [])]


def _build_criterion_columns(criteria: Sequence[Any]) -> list[Field]:
    column = bind_rows(criteria)
    axes = column("axis")
    return [
        column("weight", text="{:g}".format),
        column("met", text=lambda met: "–" if math.isnan(met) else f"{met:g}"),
        *([axes] if any(axes.cell_texts) else []),
        column("criterion", lambda x: _truncate_texts([x.name])[0]),
    ]


def _drop_nan(label: float) -> float | None:
    """Return the label, or None if it is NaN."""
    return None if math.isnan(label) else label


def _truncate_texts(texts: Sequence[str]) -> list[str]:
    """Return texts on one line, truncated for display."""
    flat = [" ".join(text.split()) for text in texts]
    return [text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…" for text in flat]
