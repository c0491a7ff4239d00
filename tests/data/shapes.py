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

    name: str  # as in the table of formats of docs/formats.md
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
RANKED = [(topic, doc, rank, score) for topic, docs in RUN.items() for rank, (doc, score) in enumerate(docs.items(), 1)]
QRELS_HEAD, RUN_HEAD = ("query-id", "corpus-id", "score"), ("qid", "docno", "rank", "score")
_TREC = [(t, "Q0", d, r, s, "tag") for t, d, r, s in RANKED]
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

# -- as other tools write objects -----------------------------------------------------------------

GOLD = {topic: [doc for doc, level in docs.items() if level] for topic, docs in QRELS.items()}
LISTS = {topic: list(docs) for topic, docs in RUN.items()}


def _array(records: Any) -> bytes:
    return json.dumps(records).encode()


def _hits(topic: str, doc: str, **more: Any) -> list[dict[str, Any]]:
    return [{doc: d, "score": score, **more} for d, score in RUN[topic].items()]


def _pages(docs: Iterable[str]) -> list[dict[str, Any]]:
    return [{"wikipedia_id": doc, "title": "a page"} for doc in docs]


_GOLDEN = [{"id": t, "query": f"about {t}", "relevant": docs} for t, docs in GOLD.items()]
_RANKLLM = [
    {
        "query": {"qid": t, "text": f"about {t}"},
        "candidates": [{**hit, "doc": {"contents": "…"}} for hit in _hits(t, "docid")],
    }
    for t in RUN
]
# Of one file with both lists nobody could tell that they were exchanged: see test_objects for it.
_RAGAS_GOLD = [{"id": t, "user_input": f"about {t}", "reference_context_ids": docs} for t, docs in GOLD.items()]
_RAGAS = [{"id": t, "user_input": f"about {t}", "retrieved_context_ids": docs} for t, docs in LISTS.items()]
_KILT_GOLD = [{"id": t, "input": t, "output": [{"answer": "!", "provenance": _pages(GOLD[t])}]} for t in RUN]
_KILT = [{"id": t, "input": t, "output": [{"provenance": _pages(LISTS[t])}]} for t in RUN]
_DPR_GOLD = [
    {
        "question": t,
        "answers": ["!"],
        "positive_ctxs": [{"passage_id": d, "score": 1000, "text": "…"} for d in GOLD[t]],
        "negative_ctxs": [],
    }
    for t in RUN
]
_DPR = [
    {
        "question": t,
        "answers": ["!"],
        "ctxs": [{"id": d, "score": str(x), "has_answer": True} for d, x in RUN[t].items()],
    }
    for t in RUN
]
_PYSERINI = {t: {"question": f"about {t}", "answers": ["!"], "contexts": _hits(t, "docid")} for t in RUN}
_RAG = [
    {
        "run_id": "mine",
        "topic_id": t,
        "topic": f"about {t}",
        "references": LISTS[t],
        "response_length": 1,
        "answer": [{"text": "so", "citations": [0]}],
    }
    for t in RUN
]
_MTEB = {"mteb_model_meta": {"model_name": "mine", "revision": "1"}, "default": {"test": RUN}}
# The queries of these hits have no names: their places are q1 and q2 of the other shapes.
_ST = [_hits(t, "corpus_id") for t in RUN]
_BY_PLACE = lines((place, 0, doc, level) for place, docs in enumerate(QRELS.values()) for doc, level in docs.items())

OBJECTS = [
    Shape("json", "qrels", ".json", _array(_QRELS)),
    Shape("json", "run", ".json", _array(_RUN)),
    Shape("json", "qrels", ".json", _array(GOLD), BINARY),
    Shape("json", "qrels", "",
          _array({t: dict.fromkeys(docs, True) for t, docs in GOLD.items()}), BINARY),
    Shape("json", "run", ".json", _array({t: [*map(list, x.items())] for t, x in RUN.items()})),
    Shape("golden", "qrels", ".jsonl", json_lines(_GOLDEN), BINARY, columns="jsonl"),
    Shape("golden", "qrels", ".json", _array(_GOLDEN), BINARY),
    Shape("golden", "run", ".json", _array([{"id": t, "retrieved": LISTS[t]} for t in RUN])),
    Shape("RankLLM", "run", ".jsonl", json_lines(_RANKLLM), columns="jsonl"),
    Shape("RankLLM", "run", "", _array(_RANKLLM)),
    Shape("castorini", "run", ".json",
          _array([{"query": f"about {t}", "hits": _hits(t, "docid", qid=t)} for t in RUN])),
    Shape("ragas", "qrels", ".jsonl", json_lines(_RAGAS_GOLD), BINARY, columns="jsonl"),
    Shape("ragas", "run", ".json", _array(_RAGAS)),
    Shape("KILT", "qrels", ".jsonl", json_lines(_KILT_GOLD), BINARY, columns="jsonl"),
    Shape("KILT", "qrels", ".json", _array(_KILT_GOLD), BINARY),
    Shape("KILT", "run", ".json", _array(_KILT)),
    Shape("DPR", "qrels", ".json", _array(_DPR_GOLD), BINARY),
    Shape("DPR", "run", ".json", _array(_DPR)),
    Shape("DPR", "run", "", _array(_PYSERINI)),
    Shape("TREC RAG", "run", ".jsonl", json_lines(_RAG), columns="jsonl"),
    Shape("TREC RAG", "run", ".json", _array(_RAG)),
    Shape("MTEB", "run", ".json", _array(_MTEB)),
    Shape("sentence-transformers", "run", ".json", _array(_ST), other=_BY_PLACE),
    Shape("sentence-transformers", "run", ".jsonl",
          json_lines([{"query_id": t, "query": f"about {t}", "results": _hits(t, "corpus_id")}
                      for t in RUN]), columns="jsonl"),
]  # fmt: skip

SHAPES = [
    Shape("trec", "qrels", "", lines((t, 0, d, x) for t, d, x in JUDGED), columns=" "),
    Shape("trec", "run", "", lines(_TREC), columns=" "),
    Shape("ntcir", "qrels", "", lines((t, d, f"L{x}") for t, d, x in JUDGED), columns=" "),
    Shape("early", "qrels", "", lines((t, "CB"[x > 0], d, min(x, 1)) for t, d, x in JUDGED),
          BINARY, " "),
    Shape("triples", "qrels", "", lines(JUDGED), columns=" "),
    Shape("triples", "qrels", ".csv", lines(JUDGED, ","), columns=","),
    Shape("triples", "qrels", ".tsv", lines(JUDGED, "\t"), columns="\t"),
    Shape("triples", "run", "", lines((t, d, s) for t, d, _, s in RANKED), columns=" "),
    Shape("triples", "run", ".csv", lines([(t, d, s) for t, d, _, s in RANKED], ";"), columns=";"),
    Shape("msmarco", "run", "", lines([row[:3] for row in RANKED], "\t"), columns="\t"),
    Shape("msmarco", "run", ".csv", lines([row[:3] for row in RANKED], ","), columns=","),
    Shape("colbert", "run", "", lines(RANKED, "\t"), columns="\t"),
    Shape("trec", "qrels", ".csv", lines([(t, 0, d, x) for t, d, x in JUDGED], ","), columns=","),
    Shape("trec", "run", ".csv", lines(_TREC, ","), columns=","),
    Shape("letor", "qrels", "", _LETOR, columns=" "),
    # In the order of the judgments: a2 before a1 and a3, b1 before b2; b9 is not judged.
    Shape("letor", "run", "", lines([[0.8], [0.9], [0.5], [0.7], [0.4]]), columns=" ",
          other=_LETOR),
    Shape("csv", "qrels", "", lines([QRELS_HEAD, *JUDGED], ","), columns=",", headed=True),
    Shape("csv", "qrels", "", lines([QRELS_HEAD, *JUDGED], ";"), columns=";", headed=True),
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
    *OBJECTS,
]  # fmt: skip
