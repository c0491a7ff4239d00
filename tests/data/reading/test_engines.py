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


# -- tables ---------------------------------------------------------------------------------------

DETAIL = """Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating
Us,Shop,7,lamp,d2,1,"Lamp, red",0
Us,Shop,7,lamp,d1,2,Lamp,3
Us,Shop,7,lamp,d9,3,Lamp,
Us,Shop,7,lamp,d3,4,Lamp,1
Us,Shop,7,Stuhl für 2 €,d4,1,Stuhl,2
Us,Shop,7,Stuhl für 2 €,d8,2,Stuhl,
"""
SNAPSHOT = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\n" + "".join(
    f"{name},2026-05-03,7,{TEXTS[topic]},{doc},{rank},x\n"
    for name, runs in (("a", RANKED), ("b", {topic: docs[::-1] for topic, docs in RANKED.items()}))
    for topic, docs in runs.items()
    for rank, doc in enumerate(docs, 1)
)
ROWS = [(TEXTS[t], d, v) for t, docs in LEVELS.items() for d, v in docs.items()]
BASIC = "\nquery,docid,rating\n" + "".join(f"{t},{d},{v:g}\n" for t, d, v in ROWS) + "unrated,,\nlamp,d6,"
GENERAL = "query,doc_id,rating\n" + "".join(f"{t},{d},{v:g}\n" for t, d, v in ROWS)
QUAERITE = "\ufeffrelevance,id,query\n" + "".join(f"{v:g},{d},{t}\n" for t, d, v in ROWS)
LTR = "".join(f"{v:.1f} qid:{t[1]} # {d} words of the query\n" for t, docs in LEVELS.items() for d, v in docs.items())
TREC = "".join(f"\n{t} 0 {d} {v:.1f}\n" for t, docs in LEVELS.items() for d, v in docs.items())
ESCI = "example_id,query,query_id,product_id,product_locale,esci_label\n" + "".join(
    f"{i},{t},q{1 + (t != 'lamp')},{d},us,{'ICSE'[int(v)]}\n" for i, (t, d, v) in enumerate(ROWS)
)


@pytest.mark.parametrize(
    ("text", "name", "note"),
    [
        (DETAIL, "x.csv", "2 ratings without a value: these documents are unjudged"),
        (BASIC, "x.csv", "1 topic without ratings; 1 rating without a value: these documents are unjudged"),
        (GENERAL, "x.csv", ""),
        (QUAERITE, "x.csv", "the document is column id"),
    ],
)
def test_read_qrels_table_of_a_workbench_gives_its_ratings(text: str, name: str, note: str, tmp_path: Path) -> None:
    qrels = cf.read_qrels(written(tmp_path / name, text))
    assert {t: dict(sorted(d.items())) for t, d in qrels.to_dict().items()} == by_text(LEVELS)
    assert qrels.in_doubt == note


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        (ESCI, LEVELS),
        (LTR, {"1": LEVELS["q1"], "2": LEVELS["q2"]}),
        (TREC, LEVELS),
        ("id\tquery_id\tproduct_id\tlabel\n0\tq1\td1\tExact\n1\tq1\td2\tIrrelevant\n2\tq1\td3\tPartial\n",
         {"q1": {"d1": 2.0, "d2": 0.0, "d3": 1.0}}),
    ],
)  # fmt: skip
def test_read_qrels_of_a_shop_collection(text: str, levels: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path / ("x.txt" if text in (LTR, TREC) else "x.csv"), text)
    assert cf.read_qrels(path).to_dict() == levels


def test_read_qrels_labels_of_wands_are_levels_in_frames(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"query_id": [1, 1], "product_id": [7, 8], "label": ["Exact", "Partial"]})
    qrels = cf.read_qrels(frame)
    assert qrels.to_dict() == {"1": {"7": 2.0, "8": 1.0}}
    assert qrels.in_doubt == "levels of its labels: Exact 2, Partial 1, Irrelevant 0 (--labels sets others)"
    with pytest.raises(cf.InputError, match="'Exact'"):
        cf.read_qrels(written(tmp_path / "x.csv", "query_id,product_id,label\n1,7,Exact\n1,8,Exakt\n"))


def test_read_qrels_frame_with_empty_ratings_leaves_them_unjudged(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    qrels = cf.read_qrels(pl.read_csv(written(tmp_path / "x.csv", DETAIL)))
    assert qrels.to_dict()["lamp"] == {"d2": 0.0, "d1": 3.0, "d3": 1.0}
    assert qrels.in_doubt == "2 ratings without a value: these documents are unjudged"


@pytest.mark.parametrize("column", ["label", "relevance", "level"])
def test_read_qrels_empty_cell_of_another_column_raises(column: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=r"x.csv:3: found level ''"):
        cf.read_qrels(written(tmp_path / "x.csv", f"query,docid,{column}\nlamp,d1,3\nlamp,d2,\n"))


def test_read_run_of_quepid_detail_and_snapshots(tmp_path: Path) -> None:
    detail = cf.evaluate(by_text(LEVELS), written(tmp_path / "d.csv", DETAIL), ["AP", "nDCG"])
    assert [*detail.mean().values()] == [pytest.approx({"AP": AP, "nDCG": NDCG})]
    runs = cf.evaluate(by_text(LEVELS), written(tmp_path / "s.csv", SNAPSHOT), ["AP", "RR"])
    # Reversed: d3 d9 d1 d2, AP (1 + 2/3)/2, and d8 d4, AP 1/2.
    assert runs.mean() == {
        "a": pytest.approx({"AP": AP, "RR": 0.75}),
        "b": pytest.approx({"AP": (5 / 6 + 1 / 2) / 2, "RR": 0.75}),
    }


def test_read_qrels_book_with_judges_raises_with_their_names(tmp_path: Path) -> None:
    book = written(tmp_path / "x.csv", "query,docid,Anna,Bo\nlamp,d1,3,2\nlamp,d2,0,\n")
    with pytest.raises(cf.InputError, match=r"x.csv:1: .*Anna.*\(or Bo\).*judges.*`cranfield assess`"):
        cf.read_qrels(book)
    qrels = cf.read_qrels(book, columns="level=Bo")
    assert qrels.to_dict() == {"lamp": {"d1": 2.0}}
    assert qrels.in_doubt == "1 rating without a value: these documents are unjudged"


def test_read_ragas_table_with_lists_in_cells(tmp_path: Path) -> None:
    text = "user_input,retrieved_context_ids,reference_context_ids,response\n" + "".join(
        f'{TEXTS[t]},"{docs}","{[d for d, v in LEVELS[t].items() if v]}","A, b"\n' for t, docs in RANKED.items()
    )
    path = written(tmp_path / "x.csv", text)
    assert cf.read_qrels(path).to_dict() == by_text({"q1": {"d1": 1.0, "d3": 1.0}, "q2": {"d4": 1.0}})
    assert [*cf.evaluate(path, path, ["AP"]).mean().values()] == [pytest.approx({"AP": AP})]
    broken = written(tmp_path / "y.csv", text.replace("', '", "' '"))  # as NumPy prints
    with pytest.raises(cf.InputError, match=r"y.csv:2: .*retrieved_context_ids, expected a list such as"):
        cf.read_run(broken)


# -- several runs, scores, intents ----------------------------------------------------------------


def test_read_runs_several_configurations_in_a_file_are_several_runs(tmp_path: Path) -> None:
    records = workbench("bm25") + workbench("dense")
    records[2]["documentIds"] = ["d1", "d3"]
    path = written(tmp_path / "x.json", json.dumps({"hits": {"hits": [{"_source": x} for x in records]}}))
    assert cf.evaluate(by_text(LEVELS), path, "AP").mean() == {"bm25": {"AP": 0.75}, "dense": {"AP": 1.0}}
    scores = cf.read_scores(path)
    assert scores.mean() == {"bm25": {"NDCG@10": 0.625}, "dense": {"NDCG@10": 0.625}}


def test_read_rre_evaluation_with_two_versions(tmp_path: Path) -> None:
    evaluations = [
        {"query": "lamp", "metrics": {"P": {"versions": {"v1": {"value": 0.5}, "v2": {"value": 1.0}}}},
         "results": {"v1": {"hits": [{"id": "d1"}]}, "v2": {"hits": [{"id": "d2"}, {"id": "d1"}]}}},
    ]  # fmt: skip
    data = {"corpora": [{"topics": [{"query-groups": [{"query-evaluations": evaluations}]}]}]}
    assert cf.evaluate({"lamp": {"d1": 1}}, data, "RR").mean() == {"v1": {"RR": 1.0}, "v2": {"RR": 0.5}}
    scores = cf.read_scores(written(tmp_path / "x.json", json.dumps(data)))
    assert scores.mean() == {"v1": {"P": 0.5}, "v2": {"P": 1.0}}


def test_read_rank_eval_response_as_judgments_run_and_scores(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", json.dumps(RUNS[0][1]))
    qrels = cf.read_qrels(path)
    assert qrels.to_dict() == {"q1": {"d2": 0.0, "d1": 3.0, "d3": 1.0}, "q2": {"d4": 2.0}}
    assert qrels.in_doubt == (
        "only returned documents have ratings here: relevant documents can be missing; "
        "2 ratings without a value: these documents are unjudged"
    )
    assert [*cf.evaluate(path, path, ["AP", "nDCG"]).mean().values()] == [pytest.approx({"AP": AP, "nDCG": NDCG})]
    assert [*cf.read_scores(path).mean().values()] == [{"metric_score": 0.25}]


def test_read_nuggets_of_documents_as_judgments_by_intent(tmp_path: Path, cranfield: Command) -> None:
    def record(doc: str, *assignments: str) -> str:
        nuggets = [{"text": f"n{i}", "importance": "vital", "assignment": x} for i, x in enumerate(assignments)]
        return json.dumps({"qid": "q1", "query": "lamp", "docid": doc, "nuggets": nuggets}) + "\n"

    path = written(
        tmp_path / "x.jsonl", record("d1", "support", "partial_support") + record("d2", "not_support", "support")
    )
    run = {"q1": {"d1": 2.0, "d9": 1.5, "d2": 1.0}}
    assert [*cf.evaluate(path, run, "IRec@2").mean().values()] == [{"IRec@2": 0.5}]  # n0 of n0 and n1
    with pytest.raises(cf.InputError, match=r"x.jsonl:1: conflicting levels .*diversity measure"):
        cf.evaluate(path, run, "AP")
    error = cranfield("answers", path).err
    assert "x.jsonl:1: found nuggetizer assignments of documents" in error
    assert "Use it as judgments." in error
    bad = written(tmp_path / "y.jsonl", record("d1", "supports"))
    with pytest.raises(
        cf.InputError, match=r"y.jsonl:1: found assignment 'supports' \(nuggetizer .*\), expected one of support"
    ):
        cf.evaluate(bad, run, "IRec@2")


# -- variants -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"requests": [{"id": "q1", "ratings": [{"_index": "a", "_id": "d1", "rating": 1},
                                                {"_index": "b", "_id": "d1", "rating": 0}]}]},
         "document 'd1' of topic q1 in two indexes: 'a' and 'b'"),
        ({"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": "high"}]}]}, "level 'high'"),
        ({"requests": [{"id": "q1", "ratings": [{"rating": 1}]}]}, "expected the key '_id'"),
        ({"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 1}]}, {"id": "q2", "ratings": None}]},
         "null for key 'ratings'"),
        ({"query_doc_pairs": [{"query_text": "lamp", "doc_id": "d1", "judgements": [{"rating": 1}, {"rating": 2}]}]},
         "several judges rated document 'd1' of 'lamp': 1 and 2.*`cranfield assess`"),
        ({"judgmentRatings": [{"query": "lamp", "ratings": [{"docId": "d1", "rating": "2.000"}, "d2"]}]},
         "'d2' as item 2 of 'ratings'"),
        ({"judgmentRatings": [{"query": None, "ratings": [{"docId": "d1", "rating": "2.000"}]}]}, "topic None"),
        ({"queries": [{"placeholders": {"$query": "lamp"}, "relevant_documents": {"d1": 3}}]}, "3 for key 'd1'"),
        ({"queries": [{"placeholders": {"$query": "lamp"}, "relevant_documents": {"d1": []}}]}, "a list for 'd1'"),
        ({"metric_score": 0.5, "details": None, "failures": {}},
         r"null for key 'details' \(.*_rank_eval response\), expected an object"),
    ],
)  # fmt: skip
def test_read_qrels_of_a_workbench_with_a_problem_raises(data: Any, problem: str, tmp_path: Path) -> None:
    for given in (data, written(tmp_path / "x.json", json.dumps(data))):
        with pytest.raises(cf.InputError, match=problem):
            cf.read_qrels(given)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (search(["d1"]), r"the answer has no query \(.*_search response\). Save each answer under its query's id"),
        ({"took": 3, "responses": [search(["d1"])]}, "_msearch response .*no query ids. Save each answer"),
        ({"q1": search(["d1"]), "q2": {"error": {"type": "x"}, "status": 400}}, "keys error, status for topic 'q2'"),
        ({"q1": vespa(["0/a1b2"], "index:shop/")}, "'index:shop/0/a1b2' is not the id of a document for topic 'q1'"),
        ({"q1": vespa(["root:0"], "group:")}, "'group:root:0' is not the id"),
        ({"q1": vespa(["d1", "d1"])}, "duplicate document 'd1' in topic q1"),
        (
            {"q1": {"response": {"docs": [{"sku": "d1"}]}}},
            r"keys sku for topic 'q1' \(Solr response\), expected the key 'id'",
        ),
        (workbench() + workbench(), "duplicate topic 'lamp' of run 'bm25' in record 3"),
        ({"q1": {"hits": {"hits": [*hits(["d1"]), *hits(["d2"], scored=False)]}}}, "score None|no score"),
        ({"docs": {"9": [{"id": "d1"}]}, "queries": [{"query_id": 7, "query_text": "x"}]}, "documents of query '9'"),
    ],
)
def test_read_run_of_an_engine_with_a_problem_raises(data: Any, problem: str, tmp_path: Path) -> None:
    for given in (data, written(tmp_path / "x.json", json.dumps(data))):
        with pytest.raises(cf.InputError, match=problem):
            cf.read_run(given)


def test_read_run_answers_that_are_incomplete_have_a_note() -> None:
    late = search(["d1"], timed_out=True, _shards={"total": 2, "failed": 1})
    notes = cf.read_run({"q1": late, "q2": search(["d1"])}).in_doubt
    assert "1 answer timed out" in notes
    assert "1 answer with failed shards" in notes
    part = solr(["d1"])
    part["responseHeader"]["partialResults"] = True
    assert "1 answer with partial results" in cf.read_run({"q1": part}).in_doubt
    gap = vespa(["d1"])
    gap["root"]["coverage"] = {"full": False}
    assert "1 answer with errors or incomplete coverage" in cf.read_run({"q1": gap}).in_doubt


def test_read_run_answer_without_documents_is_an_empty_ranking() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    for make in (search, solr, vespa):
        scores = cf.evaluate(qrels, {"q1": make(["d1"]), "q2": make([])}, "AP")
        assert [*scores.mean().values()] == [{"AP": 0.5}]
        assert not [note for note in scores.notes if note.kind == "missing"]


def test_read_run_answer_without_requested_documents_is_noted() -> None:
    empty_search, empty_solr, empty_vespa = search([]), solr([]), vespa([])
    empty_search["hits"]["total"] = {"value": 7, "relation": "eq"}
    empty_solr["response"]["numFound"] = 7
    empty_vespa["root"]["fields"] = {"totalCount": 7}
    for make, empty in ((search, empty_search), (solr, empty_solr), (vespa, empty_vespa)):
        note = cf.read_run({"q1": make(["d1"]), "q2": empty}).in_doubt
        assert "1 answer without documents, although the engine matched some" in note
        assert "without documents" not in cf.read_run({"q1": make(["d1"]), "q2": make([])}).in_doubt


def test_read_rank_eval_failures_of_another_type_are_ignored() -> None:
    run = cf.read_run({**RUNS[0][1], "failures": True})
    assert "in 'failures'" not in run.in_doubt


def test_read_json_in_a_markdown_fence_raises_with_its_line(tmp_path: Path) -> None:
    for name in ("x.json", "x.jsonl", "x.txt"):
        path = written(tmp_path / name, '\n```json\n{"q1": {"d1": 1}}\n```\n')
        for read in (cf.read_qrels, cf.read_run, cf.read_scores):
            with pytest.raises(cf.InputError, match=rf"{name}:2: Markdown fence around the content. Remove the lines"):
                read(path)


def test_read_qrels_lines_with_null_ratings_are_counted_once(tmp_path: Path) -> None:
    rows = [{"query": "lamp", "docid": f"d{i}", "rating": None if i % 3 else 1} for i in range(9)]
    path = written(tmp_path / "x.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    qrels = cf.read_qrels(path)
    assert qrels.to_dict() == {"lamp": {"d0": 1.0, "d3": 1.0, "d6": 1.0}}
    assert qrels.in_doubt == "6 ratings without a value: these documents are unjudged"
