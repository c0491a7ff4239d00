"""Judgments as the content of a file."""

from __future__ import annotations

from collections.abc import Mapping

from cranfield.errors import InputError
from cranfield.report.rows import as_json, separated, whole

FORMATS = ("trec", "ntcir", "csv", "tsv", "json")


def render_qrels(judged: Mapping[str, Mapping[str, float]], format: str = "trec") -> str:
    r"""Judgments ``{topic: {doc: level}}`` as text, levels in their shortest exact form.

    >>> render_qrels({"301": {"d1": 2.0, "d2": 4.6}})
    '301 0 d1 2\n301 0 d2 4.6\n'
    """
    rows = [(t, d, whole(level)) for t, docs in judged.items() for d, level in docs.items()]
    match format:
        case "trec":
            return "".join(f"{_word(t)} 0 {_word(d)} {level}\n" for t, d, level in rows)
        case "ntcir":
            return "".join(f"{_word(t)} {_word(d)} L{_whole(x, t, d)}\n" for t, d, x in rows)
        case "csv" | "tsv":
            return separated([("topic", "doc", "level"), *rows], format)
        case "json":
            levels = {t: {d: whole(x) for d, x in docs.items()} for t, docs in judged.items()}
            return as_json(levels)
    raise InputError(f"format {format!r}", f"one of {', '.join(FORMATS)}")


def _word(name: str) -> str:
    """A name that can stand between blanks."""
    if len(name.split()) != 1 or name != name.strip() or name.startswith("#"):
        raise InputError(f"the name {name!r}", "one without blanks and #; csv and json have any")
    return name


def _whole(level: float | int, topic: str, doc: str) -> int:
    if isinstance(level, float) or level < 0:
        found = f"level {level!r} for document {doc} of topic {topic}"
        raise InputError(found, "whole levels from 0 for the NTCIR format; trec and csv have any")
    return level
