"""Judgments as a table, and as text that evaluation tools read."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from cranfield.data.names import check_word
from cranfield.data.qrels import Qrels
from cranfield.errors import InputError
from cranfield.report.formats.programs import whole
from cranfield.report.sheets import Sheet, columns

TEXT = ("trec", "ntcir")


def sheets(found: Qrels) -> list[Sheet]:
    """A row for each judgment."""
    of = columns(_rows(found.to_dict()))
    keys = [of(name, itemgetter(i), key=True) for i, name in enumerate(("topic", "doc"))]
    return [Sheet("judgments", [*keys, of("level", itemgetter(2))])]


def document(found: Qrels) -> dict[str, Any]:
    """Levels by topic and document."""
    levels = found.to_dict().items()
    return {t: {d: whole(level) for d, level in docs.items()} for t, docs in levels}


def _rows(judged: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float | int]]:
    return [(t, d, whole(level)) for t, docs in judged.items() for d, level in docs.items()]


def qrels_text(judged: Mapping[str, Mapping[str, float]], format: str = "trec") -> str:
    r"""Judgments ``{topic: {doc: level}}`` as text, levels in their shortest exact form.

    >>> qrels_text({"301": {"d1": 2.0, "d2": 4.6}})
    '301 0 d1 2\n301 0 d2 4.6\n'
    """
    rows = _rows(judged)
    if format == "ntcir":
        return "".join(
            f"{check_word(t, True)} {check_word(d)} L{_whole(x, t, d)}\n" for t, d, x in rows
        )
    return "".join(f"{check_word(t, True)} 0 {check_word(d)} {level}\n" for t, d, level in rows)


def _whole(level: float | int, topic: str, doc: str) -> int:
    if isinstance(level, float) or level < 0:
        found = f"level {level!r} for document {doc} of topic {topic}"
        raise InputError(found, "whole levels from 0 for the NTCIR format; trec and csv have any")
    return level
