"""Every shape of judgments and runs that is read, as a small file, with the scores it must give.

All say the same of one collection. Its judgments are of two topics:

    q1  a1 2, a2 0, a3 1        q2  b1 1, b2 0

and its run has the lists

    q1  a2 a1 a3                q2  b1 b9 b2

By hand: the first relevant document of q1 is the second and that of q2 the first, so RR is the mean
of 1/2 and 1, which is 3/4. nDCG@10 of q2 is 1, and that of q1 is

    (2/log2 3 + 1/log2 4) / (2 + 1/log2 3)

Judgments that know no grades have level 1 for a1, a3 and b1: then it is

    (1/log2 3 + 1/log2 4) / (1 + 1/log2 3)

A shape is a row of SHAPES; `test_shapes` asks the same of each.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any, Literal

import polars as pl

QRELS = {"q1": {"a1": 2, "a2": 0, "a3": 1}, "q2": {"b1": 1, "b2": 0}}
RUN = {"q1": {"a2": 0.9, "a1": 0.8, "a3": 0.5}, "q2": {"b1": 0.7, "b9": 0.6, "b2": 0.4}}
MEASURES = "RR nDCG@10"

_LOG3 = log2(3)
GRADED = (3 / 4, ((2 / _LOG3 + 1 / 2) / (2 + 1 / _LOG3) + 1) / 2)
BINARY = (3 / 4, ((1 / _LOG3 + 1 / 2) / (1 + 1 / _LOG3) + 1) / 2)


@dataclass(frozen=True)
class Shape:
    """One way to write judgments or a run."""

    name: str  # as in the table of formats of docs/guide.md
    kind: Literal["qrels", "run"]
    suffix: str
    content: bytes
    scores: tuple[float, float] = GRADED  # the means of RR and nDCG@10
    columns: str = ""  # how columns are told apart: a separator, "jsonl", "parquet", "arrow"; or ""
    headed: bool = False  # whether the first line names the columns
    other: bytes | None = None  # what it is evaluated with, where that is not QRELS or RUN

    def __str__(self) -> str:
        return f"{self.name}-{self.kind}"


def lines(rows: Iterable[Iterable[Any]], separator: str = " ") -> bytes:
    """Rows as lines of text."""
    return "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()


JUDGED = [(topic, doc, level) for topic, docs in QRELS.items() for doc, level in docs.items()]
RANKED = [
    (topic, doc, rank, score)
    for topic, docs in RUN.items()
    for rank, (doc, score) in enumerate(docs.items(), 1)
]
QRELS_HEAD, RUN_HEAD = ("query-id", "corpus-id", "score"), ("qid", "docno", "rank", "score")
_TREC = [(t, "Q0", d, r, s, "tag") for t, d, r, s in RANKED]
_GRADES = {2: "A", 1: "B", 0: "C"}
_LETOR = lines((x, f"qid:{t}", "1:0.3", "#docid", "=", d) for t, d, x in JUDGED)


def records(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[dict[str, Any]]:
    """Rows with the names of their columns."""
    return [dict(zip(head, row, strict=True)) for row in rows]


def json_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A JSON object on each line."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A Parquet file."""
    pl.DataFrame(list(rows)).write_parquet(made := io.BytesIO())
    return made.getvalue()


def arrow(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """An Arrow file."""
    pl.DataFrame(list(rows)).write_ipc(made := io.BytesIO())
    return made.getvalue()


WRITERS = {"jsonl": json_lines, "parquet": parquet, "arrow": arrow}
_QRELS, _RUN = records(QRELS_HEAD, JUDGED), records(RUN_HEAD, RANKED)

SHAPES = [
    Shape("trec", "qrels", "", lines((t, 0, d, x) for t, d, x in JUDGED), columns=" "),
    Shape("trec", "run", "", lines(_TREC), columns=" "),
    Shape("ntcir", "qrels", "", lines((t, d, f"L{x}") for t, d, x in JUDGED), columns=" "),
    Shape("early", "qrels", "",
          lines((t, _GRADES[x], d, min(x, 1)) for t, d, x in JUDGED), columns=" "),
    Shape("letor", "qrels", "", _LETOR, columns=" "),
    # In the order of the judgments: a2 before a1 and a3, b1 before b2; b9 is not judged.
    Shape("letor", "run", "", lines([[0.8], [0.9], [0.5], [0.7], [0.4]]), columns=" ",
          other=_LETOR),
    Shape("csv", "qrels", "", lines([QRELS_HEAD, *JUDGED], ","), columns=",", headed=True),
    Shape("csv", "run", "", lines([RUN_HEAD, *RANKED], ","), columns=",", headed=True),
    Shape("tsv", "qrels", "", lines([QRELS_HEAD, *JUDGED], "\t"), columns="\t", headed=True),
    Shape("tsv", "run", "", lines([RUN_HEAD, *RANKED], "\t"), columns="\t", headed=True),
    Shape("json", "qrels", ".json", json.dumps(QRELS).encode()),
    Shape("json", "run", ".json", json.dumps(RUN).encode()),
    Shape("json", "run", "", json.dumps({t: list(docs) for t, docs in RUN.items()}).encode()),
    Shape("jsonl", "qrels", ".jsonl", json_lines(_QRELS), columns="jsonl"),
    Shape("jsonl", "run", ".jsonl", json_lines(_RUN), columns="jsonl"),
    Shape("parquet", "qrels", "", parquet(_QRELS), columns="parquet"),
    Shape("parquet", "run", "", parquet(_RUN), columns="parquet"),
    Shape("arrow", "qrels", "", arrow(_QRELS), columns="arrow"),
    Shape("arrow", "run", "", arrow(_RUN), columns="arrow"),
]  # fmt: skip
