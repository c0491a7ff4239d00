"""Files of search engines and workbenches: one small collection in the shapes of each tool.

Two topics. AP and nDCG are computed by hand, as trec_eval -c does (linear gains):

    q1 lamp: d1 3, d2 0, d3 1; ranking d2 d1 d9 d3: AP (1/2 + 2/4)/2 = 1/2
    q2 chair: d4 2, d5 null; ranking d4 d8: AP 1

    nDCG of q1: (3/log2(3) + 1/log2(5)) / (3 + 1/log2(3)), of q2: 1
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from tests.made import Command, written

LEVELS = {"q1": {"d1": 3.0, "d2": 0.0, "d3": 1.0}, "q2": {"d4": 2.0}}
RANKED = {"q1": ["d2", "d1", "d9", "d3"], "q2": ["d4", "d8"]}
SCORED = {topic: {doc: 9.5 - place for place, doc in enumerate(docs)} for topic, docs in RANKED.items()}
TEXTS = {"q1": "lamp", "q2": "Stuhl für 2 €"}
AP, NDCG = 0.75, ((3 / log2(3) + 1 / log2(5)) / (3 + 1 / log2(3)) + 1) / 2
EMPTY = [("d5", None), ("d6", "")]  # ratings of q2 without a value


def by_text(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data with the text of each query as topic."""
    return {TEXTS[topic]: docs for topic, docs in data.items()}


def rate(doc: str, level: str, form: Callable[[float], Any] = float) -> list[list[dict[str, Any]]]:
    """Return the ratings of each topic as objects, in the order of `LEVELS`."""
    lists = []
    for topic, docs in LEVELS.items():
        ratings = [{doc: name, level: form(value)} for name, value in docs.items()]
        lists.append(ratings + [{doc: name, level: value} for name, value in EMPTY] * (topic == "q2"))
    return lists


def hits(docs: list[str], scored: bool = True) -> list[dict[str, Any]]:
    return [
        {"_index": "shop", "_id": doc, "_score": 9.5 - i if scored else None, "_source": {"rating": 5}}
        for i, doc in enumerate(docs)
    ]


def search(docs: list[str], scored: bool = True, **more: Any) -> dict[str, Any]:
    """Return an answer of Elasticsearch or OpenSearch."""
    total = {"value": len(docs), "relation": "eq"}
    return {"took": 3, "timed_out": False, "hits": {"total": total, "hits": hits(docs, scored)}, **more}


def solr(docs: list[str], scored: bool = True, query: str = "*:*") -> dict[str, Any]:
    rows = [{"id": doc} | ({"score": 9.5 - i} if scored else {}) for i, doc in enumerate(docs)]
    header = {"status": 0, "QTime": 2, "params": {"q": query, "fl": "id"}}
    return {"responseHeader": header, "response": {"numFound": len(docs), "start": 0, "docs": rows}}


def vespa(docs: list[str], prefix: str = "id:shop:product::") -> dict[str, Any]:
    rows = [{"id": prefix + doc, "relevance": 9.5 - i, "source": "x"} for i, doc in enumerate(docs)]
    root: dict[str, Any] = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": len(docs)}}
    return {"root": root | ({"children": rows} if rows else {})}


def workbench(name: str = "bm25") -> list[dict[str, Any]]:
    """Return the results of an experiment, one object per query."""
    return [
        {"id": f"{name}-{topic}", "searchConfigurationId": name, "searchText": TEXTS[topic], "documentIds": docs,
         "metrics": [{"metric": "NDCG@10", "value": 0.25 if topic == "q1" else 1.0}]}
        for topic, docs in RANKED.items()
    ]  # fmt: skip


GAINS = {
    "q1": {"d1": {"gain": 3}, "d2": {"gain": 0}, "d3": {"gain": 1}},
    "q2": {"d4": {"gain": 2}, "d5": {"gain": None}, "d6": {"gain": ""}},
}
IDS_BY_TEXT = [("q1", "lamp"), ("q2", TEXTS["q2"])]

JUDGMENTS: list[tuple[str, Any, bool]] = [  # name, object, True if topics are texts
    ("_rank_eval request",
     {"requests": [{"id": t, "request": {"query": {}}, "ratings": [x | {"_index": "shop"} for x in ratings]}
                   for t, ratings in zip(LEVELS, rate("_id", "rating", int), strict=True)],
      "metric": {"dcg": {"k": 10}}}, False),
    ("workbench judgments",
     {"name": "x", "type": "IMPORT_JUDGMENT",
      "judgmentRatings": [{"query": TEXTS[t], "ratings": x}
                          for t, x in zip(LEVELS, rate("docId", "rating", lambda v: f"{v:.3f}"), strict=True)]}, True),
    ("workbench judgments",
     {"hits": {"hits": [{"_id": "1", "_source": {"judgmentRatings": [
         {"query": TEXTS[t], "ratings": x}
         for t, x in zip(LEVELS, rate("docId", "rating", str), strict=True)]}}]}}, True),
    ("Quepid case",
     {"case_name": "x", "queries": [{"query_text": TEXTS[t], "notes": None, "ratings": x}
                                    for t, x in zip(LEVELS, rate("doc_id", "rating"), strict=True)]}, True),
    ("Quepid ratings",
     {"queries": [{"query": TEXTS[t], "ratings": docs | dict(EMPTY if t == "q2" else [])}
                  for t, docs in LEVELS.items()]}, True),
    ("Quepid's export for RRE",
     {"id_field": "id", "index": "x", "queries": [
         {"placeholders": {"$query": TEXTS[t]}, "relevant_documents": docs} for t, docs in GAINS.items()]}, True),
    ("RRE ratings",
     {"index": "x", "topics": [{"description": "x", "query_groups": [
         {"name": "x", "queries": [{"template": "a.json", "placeholders": {"$query": TEXTS[t]}}],
          "relevant_documents": docs} for t, docs in GAINS.items()]}]}, True),
    ("RRE ratings",  # {gain: documents}, and the documents of a query replace those of its group
     {"query_groups": [{"relevant_documents": {"3": ["d1"], "0": ["d2"], "1": ["d3"]}, "queries": [
         {"placeholders": {"text": TEXTS["q1"]}},
         {"placeholders": {"$query": TEXTS["q2"]},
          "relevant_documents": {"d4": {"rating": 2}, "d5": {"rating": None}, "d6": {"rating": ""}}}]}]}, True),
    ("Quepid book",
     {"name": "x", "query_doc_pairs": [
         {"query_text": TEXTS[t], "doc_id": d, "position": None, "judgements": [
             {"rating": v, "user": "a"}, {"rating": v, "user": "b"}, {"rating": None, "unrateable": True}]}
         for t, docs in LEVELS.items() for d, v in docs.items()] + [
         {"query_text": TEXTS["q2"], "doc_id": "d5", "judgements": [{"rating": 4.0, "unrateable": True}]},
         {"query_text": TEXTS["q2"], "doc_id": "d6"}]}, True),
]  # fmt: skip

RUNS: list[tuple[str, Any, bool]] = [
    ("_rank_eval response",
     {"metric_score": 0.6, "failures": {},
      "details": {t: {"metric_score": 0.25, "unrated_docs": [], "hits": [
          {"hit": x, "rating": LEVELS[t].get(x["_id"])} for x in hits(docs)]} for t, docs in RANKED.items()}}, False),
    ("_search response", {t: search(docs) for t, docs in RANKED.items()}, False),
    ("_search response", {t: search(docs, scored=False) for t, docs in RANKED.items()}, False),
    ("Solr response", {t: solr(docs) for t, docs in RANKED.items()}, False),
    ("Solr response", {t: solr(docs, scored=False) for t, docs in RANKED.items()}, False),
    ("Solr response", [solr(docs, query=TEXTS[t]) for t, docs in RANKED.items()], True),
    ("Vespa response", {t: vespa(docs) for t, docs in RANKED.items()}, False),
    ("workbench evaluation results", {"hits": {"hits": [{"_id": "1", "_source": x} for x in workbench()]}}, True),
    ("workbench evaluation results", workbench(), True),
    ("Quepid snapshot",
     {"name": "bm25", "scores": [{"query_id": 7, "score": 0.5}],
      "queries": [{"query_id": i, "query_text": text} for i, text in enumerate(TEXTS.values())],
      "docs": {str(i): [{"id": d, "explain": None} for d in docs] for i, docs in enumerate(RANKED.values())}}, True),
    ("RRE evaluation",
     {"name": "x", "corpora": [{"name": "x", "topics": [{"name": "x", "query-groups": [{"query-evaluations": [
         {"query": TEXTS[t], "metrics": {"AP": {"versions": {"v1": {"value": 0.5}}}},
          "results": {"v1": {"total-hits": 9, "hits": [{"id": d} for d in docs]}}}
         for t, docs in RANKED.items()]}]}]}]}, True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "texts"), JUDGMENTS)
def test_read_qrels_of_a_workbench_gives_its_ratings(name: str, data: Any, texts: bool, tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", json.dumps(data))
    expected = by_text(LEVELS) if texts else LEVELS
    for given in (path, data):
        qrels = cf.read_qrels(given)
        assert qrels.to_dict() == expected
        scores = cf.evaluate(qrels, by_text(SCORED) if texts else SCORED, ["AP", "nDCG"])
        assert [*scores.mean().values()] == [pytest.approx({"AP": AP, "nDCG": NDCG})]
    assert "2 " in qrels.in_doubt
    assert "unjudged" in qrels.in_doubt


@pytest.mark.parametrize(("name", "data", "texts"), RUNS)
def test_read_run_of_an_engine_gives_its_rankings(
    name: str, data: Any, texts: bool, tmp_path: Path, cranfield: Command
) -> None:
    path = written(tmp_path / "x.json", json.dumps(data))
    qrels = by_text(LEVELS) if texts else LEVELS
    for given in (path, data):
        scores = cf.evaluate(qrels, given, ["AP", "nDCG"])
        assert [*scores.mean().values()] == [pytest.approx({"AP": AP, "nDCG": NDCG})]
    done = cranfield("validate", "-v", path)
    assert done.code == 0
    assert name in done.out
