"""Table of judgments, and text formats of qrels."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from cranfield.data.names import check_word
from cranfield.data.qrels import Qrels
from cranfield.errors import InputError
from cranfield.report.formats.machine_readable import drop_zero_fraction
from cranfield.tables import ResultTable, bind_rows

TEXT = ("trec", "ntcir")


def build_tables(result: Qrels) -> list[ResultTable]:
    """Build a table with a row per judgment."""
    column = bind_rows(_list_rows(result.to_dict()))
    keys = [column(name, itemgetter(i), key=True) for i, name in enumerate(("topic", "doc"))]
    return [ResultTable("judgments", [*keys, column("level", itemgetter(2))])]


def build_document(result: Qrels) -> dict[str, Any]:
    """Return levels by topic and document."""
    levels = result.to_dict().items()
    return {t: {d: drop_zero_fraction(level) for d, level in docs.items()} for t, docs in levels}


def _list_rows(judged: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float | int]]:
    return [
        (t, d, drop_zero_fraction(level)) for t, docs in judged.items() for d, level in docs.items()
    ]


def format_qrels(judged: Mapping[str, Mapping[str, float]], format: str = "trec") -> str:
    r"""Format judgments ``{topic: {doc: level}}`` as text, with exact levels.

    >>> format_qrels({"301": {"d1": 2.0, "d2": 4.6}})
    '301 0 d1 2\n301 0 d2 4.6\n'
    """
    rows = _list_rows(judged)
    if format == "ntcir":
        return "".join(
            f"{check_word(t, True)} {check_word(d)} L{_check_level(x, t, d)}\n" for t, d, x in rows
        )
    return "".join(f"{check_word(t, True)} 0 {check_word(d)} {level}\n" for t, d, level in rows)


def _check_level(level: float | int, topic: str, doc: str) -> int:
    if isinstance(level, float) or level < 0:
        problem = f"level {level!r} for document {doc} of topic {topic}"
        raise InputError(
            problem, "integer levels ≥ 0 for the NTCIR format. Use trec or csv for other levels."
        )
    return level
