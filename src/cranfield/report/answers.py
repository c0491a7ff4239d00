"""What was judged of the answers to a topic: nuggets, sentences with citations, criteria, texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from cranfield.evaluation.answers import AnswerDetail, AnswerDetails
from cranfield.report.sheets import Field, Sheet, columns, listed
from cranfield.wording import counted, rounded

KINDS: dict[str, type] = {
    "sub_narrative": str,
    "text": str,
    "citation": str,
    "support": float,
    "met": float,
}
TABLES = ("nuggets", "sentences", "criteria", "texts")
WIDEST = 52  # characters of a text that people see; programs get all
IMPORTANCE = {True: "vital", False: "okay"}
SUPPORT = {1.0: "support", 0.5: "partial", 0.0: "–", None: "not judged"}
CITED = {1.0: "full", 0.5: "partial", 0.0: "none", None: "not judged"}


def sheets(found: AnswerDetails) -> list[Sheet]:
    """For programs a table of each kind, with all runs; for people some for each run."""
    programs = [_listed(name, rows) for name, rows in _rows(found).items() if rows]
    return [*programs, *(sheet for run in found.by_run for sheet in _of_run(found, run))]


def _listed(name: str, rows: list[dict[str, Any]]) -> Sheet:
    return listed(name, rows, {name: KINDS.get(name) for name in rows[0]})


def _rows(found: AnswerDetails) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for run, detail in found.by_run.items():
        named = {"run": run, "topic": found.topic}
        rows["nuggets"] += [
            named | {"nugget": x.name, "importance": IMPORTANCE[x.vital],
                     "support": _known(x.support),
                     "sub_narrative": x.sub_narrative or None}
            for x in detail.nuggets
        ]  # fmt: skip
        rows["sentences"] += [
            named | {"sentence": number, "text": text, "citation": cited, "support": support}
            for number, text, citations in detail.sentences
            for cited, support in citations or [(None, None)]
        ]
        rows["criteria"] += [
            named | {"criterion": x.name, "axis": x.axis, "weight": x.weight, "met": _known(x.met)}
            for x in detail.criteria
        ]
        if detail.text is not None:
            rows["texts"].append(named | {"answer": detail.text, "gold": " | ".join(found.gold)})
    return rows


def _of_run(found: AnswerDetails, run: str) -> Iterator[Sheet]:
    detail = found.by_run[run]
    of = f"{run}, topic {found.topic}: "
    if nuggets := detail.nuggets:
        there = sum(x.support > 0 for x in nuggets)
        title = f"{of}{there} of {counted(len(nuggets), 'nugget')}"
        yield _sheet(detail, "nuggets", _nuggets(nuggets), title)
    if detail.sentences:
        title = of + counted(len(detail.sentences), "sentence")
        yield _sheet(detail, "support", _sentences(detail), title)
    if detail.criteria:
        title = of + counted(len(detail.criteria), "criterion").replace("ons", "a")
        yield _sheet(detail, "criteria", _criteria(detail.criteria), title)
    if detail.text is not None:
        texts = [detail.text, *found.gold]
        who = ["answer", *("gold" for _ in found.gold)]
        fields = [Field("which", who, head="", key=True), Field("text", texts, texts=_cut(texts))]
        yield _sheet(detail, "references", fields, f"{run}, topic {found.topic}")


def _sheet(detail: AnswerDetail, needs: str, fields: list[Field], title: str) -> Sheet:
    """A table for people, and the scores that follow from it."""
    scores = [f"{m} = {rounded(x)}" for (of, m), x in detail.scores.items() if of == needs]
    return Sheet(title, fields, " · ".join(scores), title, programs=False)


def _nuggets(nuggets: Sequence[Any]) -> list[Field]:
    of = columns(nuggets)
    sub = of("sub-narrative", lambda x: _cut([x.sub_narrative])[0])
    return [
        of("importance", lambda x: IMPORTANCE[x.vital], key=True),
        of("assignment", lambda x: SUPPORT[_known(x.support)]),
        of("nugget", lambda x: _cut([x.name])[0]),
        *([sub] if any(sub.shown) else []),
    ]


def _sentences(detail: AnswerDetail) -> list[Field]:
    """A row for each citation; the sentence stands beside its first."""
    rows = [
        (str(number) * (place == 0), cited, support, (text or "") * (place == 0))
        for number, text, citations in detail.sentences
        for place, (cited, support) in enumerate(citations or [("–", 0.0)])
    ]
    numbers, cited, support, texts = zip(*rows, strict=True)
    words = ["–" if c == "–" else CITED[s] for c, s in zip(cited, support, strict=True)]
    fields = [
        Field("sentence", numbers, key=True),
        Field("citation", cited),
        Field("support", words),
    ]
    return [*fields, *([Field("text", _cut(texts))] if any(texts) else [])]


def _criteria(criteria: Sequence[Any]) -> list[Field]:
    of = columns(criteria)
    axes = of("axis")
    return [
        of("weight", text="{:g}".format),
        of("met", text=lambda met: "–" if math.isnan(met) else f"{met:g}"),
        *([axes] if any(axes.shown) else []),
        of("criterion", lambda x: _cut([x.name])[0]),
    ]


def _known(label: float) -> float | None:
    """A label, None if it is missing."""
    return None if math.isnan(label) else label


def _cut(texts: Sequence[str]) -> list[str]:
    """Texts as people see them in a table: on one line, and no longer than that."""
    flat = [" ".join(text.split()) for text in texts]
    return [text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…" for text in flat]
