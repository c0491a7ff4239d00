"""Writing of runs: TREC text, CSV or TSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from cranfield.data.names import check_word
from cranfield.data.reading.table import Table

HEADER = ("topic", "doc", "rank", "score", "run")
SEPARATORS = {".csv": ",", ".tsv": "\t"}  # by extension; other files are TREC text
_BLANKS = "\t\r\x0b\x0c\x1c\x1d\x1e\x1f"  # ASCII characters, besides spaces and newlines, that separate fields


def format_run(tables: Iterable[Table], tag: str, path: str | os.PathLike[str] | None = None) -> Iterator[bytes]:
    """Yield the lines of a run, some topics at a time. Each table has its documents in order.

    Scores are written with all digits. Raise an error if TREC text cannot hold an identifier.
    """
    separator = SEPARATORS.get(os.path.splitext(os.fspath(path or ""))[1].lower())
    if separator is not None:
        yield _format_csv([HEADER], separator).encode()
    check_word(tag)
    format_topic = _format_trec if separator is None else partial(_format_rows, separator)
    for table in tables:
        bounds, docs, scores = table.iter_bounds(), table.docs.tolist(), table.values.tolist()
        lists = zip(table.names, bounds, strict=True)
        yield "".join([format_topic(topic, docs[a:b], scores[a:b], tag) for topic, (a, b) in lists]).encode()


def _format_trec(topic: str, docs: Sequence[str], scores: Sequence[float], tag: str) -> str:
    begin = f"{check_word(topic, True)} Q0"
    ranked = enumerate(zip(docs, scores, strict=True), 1)
    text = "".join([f"{begin} {doc} {rank} {score!r} {tag}\n" for rank, (doc, score) in ranked])
    counts = (text.count(" "), text.count("\n"))
    if not text.isascii() or counts != (5 * len(docs), len(docs)) or any(map(text.__contains__, _BLANKS)):
        for doc in docs:
            check_word(doc)
    return text


def _format_rows(separator: str, topic: str, docs: Sequence[str], scores: Sequence[float], tag: str) -> str:
    ranked = enumerate(zip(docs, scores, strict=True), 1)
    return _format_csv([(topic, doc, rank, repr(score), tag) for rank, (doc, score) in ranked], separator)


def _format_csv(rows: Iterable[Iterable[object]], separator: str) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
