"""Files of other tools: detected by their keys, and rejected for uses without a reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.data.reading.signatures import TABLE, Signature, Use, detect, detect_record
from tests.made import Command, written

RUN = {"q1": {"d1": 2.0, "d2": 1.0}}
HIT = {"_index": "shop", "_id": "d1", "_score": 2.5, "_source": {"title": "Lamp", "rating": 4.5}}
ANSWER = {"took": 3, "timed_out": False, "hits": {"total": {"value": 1}, "hits": [HIT]}}
SOLR = {"responseHeader": {"QTime": 1}, "response": {"numFound": 1, "docs": [{"id": "d1"}]}}
VESPA = {"root": {"id": "toplevel", "relevance": 1.0, "children": [{"id": "id:a:b::d1"}]}}
WORKBENCH = {"searchText": "lamp", "documentIds": ["d1"], "metrics": []}
QUERY = {"query_text": "lamp", "ratings": [{"doc_id": "d1", "rating": 3.0}]}
GROUP = {"name": "lamp", "queries": [{}], "relevant_documents": {"d1": {"gain": 3}}}
NUGGETS = [{"text": "a lamp", "importance": "vital", "assignment": "support"}]

# Made up, as other tools write them: an object or a record, and the tool that is named.
OBJECTS: list[tuple[Any, str]] = [
    ({"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 3}]}]}, "_rank_eval request"),
    ({"requests": [{"id": "q0", "ratings": []}, {"id": "q1", "request": {}}], "metric": {}},
     "_rank_eval request"),
    ({"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "hits": [{"hit": HIT}]}}},
     "_rank_eval response"),
    ({"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "hits": []}}}, "_rank_eval response"),
    (ANSWER, "_search response"),
    ({"q1": ANSWER, "q2": ANSWER}, "_search response"),
    ({"q1": {"hits": {"hits": []}}}, "_search response"),
    ({"took": 1, "responses": [ANSWER]}, "_msearch"),
    ({"responseHeader": {"status": 400}, "error": {"msg": "x", "code": 400}}, "Solr error"),
    ({"q1": {"error": {"type": "x"}, "status": 400}}, "error of Elasticsearch"),
    ({"responseHeader": {"status": 0}, "grouped": {"name": {"groups": []}}}, "Solr grouped"),
    (SOLR, "Solr"),
    ({"q1": SOLR}, "Solr"),
    (VESPA, "Vespa"),
    ({"q1": VESPA}, "Vespa"),
    ({"name": "x", "judgmentRatings": [{"query": "lamp", "ratings": [{"docId": "d1"}]}]},
     "OpenSearch workbench judgments"),
    ({"hits": {"hits": [{"_id": "1", "_source": WORKBENCH}]}}, "workbench evaluation results"),
    (WORKBENCH, "workbench evaluation results"),
    ({"name": "x", "querySetQueries": [{"queryText": "lamp"}]}, "query set"),
    ({"queries": [QUERY], "case_name": "x"}, "Quepid case"),
    ({"queries": [{"query": "lamp", "ratings": {"d1": 3}}]}, "Quepid ratings"),
    ({"queries": [{"placeholders": {"$query": "x"}, "relevant_documents": {}}]}, "Quepid's export"),
    ({"query_doc_pairs": [{"query_text": "lamp", "doc_id": "d1", "judgements": []}]},
     "Quepid book"),
    ({"docs": {"7": [{"id": "d1"}]}, "queries": [{"query_id": 7, "query_text": "x"}]},
     "Quepid snapshot"),
    ({"index": "x", "topics": [{"description": "x", "query_groups": [GROUP]}]}, "RRE ratings"),
    ({"query_groups": [{"queries": [{"placeholders": {"$query": "x"}}], "relevant_documents": {}}]}, "RRE ratings"),
    ({"name": "x", "corpora": [{"name": "x", "topics": []}]}, "RRE evaluation"),
    ({"testCases": [{"input": "lamp", "metricsData": [{"name": "F", "score": 1}]}]}, "DeepEval"),
    ({"testRunData": {"testCases": [{"input": "lamp"}]}}, "DeepEval"),
    ({"results": {"version": 3, "results": [{"testIdx": 0, "promptIdx": 0, "score": 1}]}},
     "promptfoo"),
    ({"version": 2, "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"s": {}}}]},
     "inspect_ai"),
    ({"version": 2, "status": "success", "eval": {"model": "m"}, "plan": {}, "samples": None},
     "inspect_ai log without"),
    ({"summary": {}, "results": [{"input": "x", "scores": {"s": 1}}]}, "Braintrust"),
    ({"task_name": "T", "scores": {"test": [{"main_score": 0.5}]}}, "MTEB result"),
    ({m: {f"{m.upper()}@10": 0.5} for m in ("ndcg", "map", "recall", "precision")}, "BEIR"),
]  # fmt: skip
RECORDS: list[tuple[Any, str]] = [
    ({"doc_id": 0, "doc": {"question": "x"}, "resps": [["x"]], "exact_match": 1.0}, "lm-eval"),
    ({"testIdx": 0, "promptIdx": 0, "score": 1, "vars": {}}, "promptfoo"),
    ({"example_id": "e1", "feedback.correct": 1.0, "id": "r1"}, "LangSmith"),
    ({"user_input": "x", "response": "y", "faithfulness": 1.0}, "ragas results"),
    ({"query_id": "q1", "run_1_score": 0.5}, "open-rag-eval"),
    ({"input": "x", "correct_score": {"name": "correct", "score": 1.0}}, "Phoenix"),
    ({"id": "1", "input": "x", "scores": {"correct": 1.0}}, "Braintrust"),
    ({"id": "1", "traceId": "t", "name": "n", "value": 1.0, "dataType": "NUMERIC"}, "Langfuse"),
    ({"qid": "q1", "docid": "d1", "nuggets": NUGGETS}, "nuggetizer assignments of documents"),
]
READ = [  # by one argument, and rejected by the others
    ({"run_id": "a", "topic_id": "q1", "measure": "F", "value": 1.0}, "autojudge", "--scores"),
    ({"qid": "q1", "strict_vital_score": 0.5, "all_score": 1.0}, "nuggetizer metrics", "--scores"),
    ({"qid": "q1", "run_id": "a", "nuggets": NUGGETS}, "nuggetizer assignments", "answers"),
    ({"question_id": "q1", "model_a": "a", "model_b": "b", "winner": "tie"}, "arena", "battles"),
    ({"id": 1, "model_a": "a", "model_b": "b", "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0},
     "battles of Kaggle's arena", "battles"),
]  # fmt: skip


def _raise_for_unsupported_uses(given: Any, signature: Signature, name: str) -> None:
    """Check that every use without a reader raises an error with the tool and its keys."""
    uses: dict[Use, Callable[[], Any]] = {
        "qrels": lambda: cf.evaluate(given, RUN, "AP"),
        "run": lambda: cf.evaluate({"q1": {"d1": 1}}, given, "AP"),
        "scores": lambda: cf.read_scores(given),
    }
    for use, read in uses.items():
        if signature.readers.get(use) is None:
            with pytest.raises(cf.InputError, match=f"{name}.*keys: "):
                read()


@pytest.mark.parametrize(("data", "name"), OBJECTS)
def test_read_object_of_another_tool_for_an_unsupported_use_raises(data: Any, name: str, tmp_path: Path) -> None:
    signature = detect(data)
    assert signature is not None
    assert name in signature.name
    _raise_for_unsupported_uses(written(tmp_path / "x.json", json.dumps(data, indent=1)), signature, name)
    if signature.readers.get("qrels") is None:
        with pytest.raises(cf.InputError, match=name):
            cf.evaluate(data, RUN, "AP")


@pytest.mark.parametrize(("data", "name"), RECORDS)
def test_read_records_of_another_tool_for_an_unsupported_use_raises(data: Any, name: str, tmp_path: Path) -> None:
    signature = detect_record(data)
    assert signature is not None
    lines = written(tmp_path / "x.jsonl", f"{json.dumps(data)}\n" * 2)
    array = written(tmp_path / "x.json", json.dumps([data, data]))
    for given in (lines, array, [data, data]):
        _raise_for_unsupported_uses(given, signature, name)


@pytest.mark.parametrize(("data", "name", "fix"), READ)
def test_read_records_for_another_argument_raises(
    data: Any, name: str, fix: str, tmp_path: Path, cranfield: Command
) -> None:
    lines = written(tmp_path / "x.jsonl", f"{json.dumps(data)}\n")
    run = written(tmp_path / "run", "q1 Q0 d1 1 1 r\n")
    error = cranfield("evaluate", lines, run).err
    assert f"x.jsonl:1: found {name}" in error or f"x.jsonl:1: found battles of an {name}" in error
    assert "expected judgments. Use it with " in error
    assert fix in error


def test_validate_prints_the_format_of_another_tool(tmp_path: Path, cranfield: Command) -> None:
    path = written(tmp_path / "x.json", json.dumps({"q1": ANSWER}))
    found = cranfield("validate", "-v", path)
    assert found.code == 0
    assert "x.json: Elasticsearch or OpenSearch _search response run" in found.out


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"hits": {"hits": 5}}, "hits.hits"),
        ({"judgmentRatings": {"d1": 1}}, "judgmentRatings"),
        ({"response": {"docs": "d1"}}, "response.docs"),
        ({"requests": 3}, "requests"),
        ({"details": 3, "q1": {"d1": 1}}, "details"),
        ({"q1": {"d1": 1}, "version": "2"}, "version"),
        ({"q1": {"d1": 1}, "config": {"k": {"x": 1}}}, "config"),
    ],
)
def test_read_object_with_a_key_of_another_type_raises(data: Any, key: str, tmp_path: Path) -> None:
    for given in (data, written(tmp_path / "x.json", json.dumps(data))):
        with pytest.raises(cf.InputError, match=key):
            cf.evaluate(given, RUN, "AP")
        with pytest.raises(cf.InputError, match=key):
            cf.evaluate({"q1": {"d1": 1}, "config": {"d1": 1}}, given, "AP")


@pytest.mark.parametrize("topic", [key for one in TABLE for key in one.top])
def test_detect_topic_called_like_a_key_is_no_other_tool(topic: str) -> None:
    for data in ({topic: {"d1": 0.5}}, {"q1": {topic: 0.5}}, {topic: ["d1", "d2"]}):
        if topic not in ("judgmentRatings", "query_doc_pairs", "querySetQueries"):
            assert detect(data) is None or topic == "mteb_model_meta"


def test_read_run_topics_called_like_keys(tmp_path: Path) -> None:
    run = {topic: {"d1": 2.0, "map": 1.0} for topic in ("queries", "docs", "details", "ndcg")}
    assert cf.read_run(run).to_dict() == run
    assert cf.read_run(written(tmp_path / "x.json", json.dumps(run))).to_dict() == run


def test_every_signature_has_an_example() -> None:
    every = [data for data, _ in OBJECTS] + [{"mteb_model_meta": {}}]
    records = [row[0] for row in RECORDS] + [row[0] for row in READ]
    found = {id(detect(data)) for data in every} | {id(detect_record(row)) for row in records}
    assert found == {id(one) for one in TABLE}


STRAY = {"q1": {"d1": 1}, "q2": {"d2": 1}, "settings": {"k": 10, "rel": 2}}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, True),
        ({"q1": {"d1": 1.0}}, False),  # another topic is missing as well
        ({"q1": {"d1": 1.0}, "q2": {"k": 1.0}}, False),  # a document of it is returned
        ({**{"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, "settings": {"d1": 1.0}}, False),
    ],
)
def test_evaluate_key_that_is_no_topic_warns(run: Any, expected: bool, tmp_path: Path) -> None:
    path = written(tmp_path / "q.json", json.dumps(STRAY))
    rows = [(t, "Q0", d, 1, s, "r") for t, docs in run.items() for d, s in docs.items()]
    text = written(tmp_path / "run", "".join(f"{' '.join(map(str, row))}\n" for row in rows))
    for qrels in (STRAY, path):
        for one in (run, text):
            found = [x for x in cf.evaluate(qrels, one, "AP").notes if x.kind == "stray-topics"]
            assert [x.topics for x in found] == ([("settings",)] if expected else [])


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"requests": {"q1": []}}, "_rank_eval request, but key 'requests' is not a list"),
        ({"requests": []}, "_rank_eval request, but key 'requests' is empty"),
        ({"q1": {"hits": {}}}, "_search response, but key 'hits' has no key 'hits'"),
        ({"q1": {"response": None}}, "Solr response, but key 'response' is not an object"),
        ({"q1": {"root": {"id": "top"}}}, "Vespa response, but key 'id' is not 'toplevel'"),
        ({"queries": [{"query_text": "x"}]}, "Quepid case, but key 'queries' has no key 'ratings'"),
        ({"testCases": None}, "DeepEval test run, but key 'testCases' is not a list"),
        ({"results": {"version": 3, "results": {}}}, "promptfoo results, but key 'results' is not a list"),
    ],
)
def test_read_file_with_a_key_of_another_type_names_tool_and_key(data: Any, problem: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", json.dumps(data))
    read = cf.read_scores if {"testCases", "results"} & data.keys() else cf.read_run
    with pytest.raises(cf.InputError, match=f"x.json: this looks like .*{problem}"):
        read(path)


def test_validate_prints_the_keys_of_each_role(tmp_path: Path, cranfield: Command) -> None:
    path = written(tmp_path / "x.json", json.dumps({"queries": [QUERY]}))
    out = cranfield.succeeds("validate", "-v", path).out
    assert "x.json: Quepid case qrels, topic in key query_text, document in key doc_id, level in key rating" in out
    lines = written(tmp_path / "y.jsonl", json.dumps({"qid": "q1", "docid": "d1", "nuggets": NUGGETS}) + "\n")
    assert (
        "y.jsonl: 1 judgment (nuggetizer assignments of documents), 1 topic: fine"
        in cranfield.succeeds("validate", lines).out
    )
