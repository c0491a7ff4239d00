"""Keys that are not read although they look like keys that are: each has a note."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from tests.made import written

HIT = {"_id": "d1", "_score": 2.0}


def answer(*hits: dict[str, Any]) -> dict[str, Any]:
    return {"q1": {"hits": {"hits": list(hits)}}}


JUDGMENTS: list[tuple[Any, str]] = [
    ({"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 1, "grade": 3}]}]}, "key 'grade' .*like a level"),
    ({"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d1", "rating": "1.0", "relevance": 3}]}]},
     "key 'relevance' .*like a level"),
    ({"queries": [{"query_text": "q1", "ratings": [{"doc_id": "d1", "rating": 1, "level": 3}]}]},
     "key 'level' .*like a level"),
    ({"queries": [{"placeholders": {"$query": "q1"}, "relevant_documents": {"d1": {"gain": 1, "rating": 2}}}]},
     "key 'rating' .*like a level"),
    ({"q1": [{"docid": "d1", "label": 1, "grade": 3}]}, "the level is key label, not grade"),
    ({"q1": [{"docid": "d1", "page": 7}]}, "have level 1; key 'page' has numbers and is not read"),
    ([{"id": "q1", "relevant": [{"docid": "d1", "page": 7}]}], "key 'page' has numbers and is not read"),
]  # fmt: skip
RUNS: list[tuple[Any, str]] = [
    (answer({**HIT, "rank": 2}, {**HIT, "_id": "d2", "_score": 1.0, "rank": 1}), "key 'rank' .*like a rank"),
    (answer({**HIT, "similarity": 0.1}), "key 'similarity' .*like a score"),
    ({"q1": {"response": {"docs": [{"id": "d1", "position": 2}, {"id": "d2", "position": 1}]}}},
     "key 'position' .*like a rank"),
    ({"q1": {"root": {"id": "toplevel", "children": [{"id": "d1", "relevance": 1.0, "score": 0.1}]}}},
     "key 'score' .*like a score"),
    ({"q1": [{"id": "d1", "score": 1.0, "similarity": 0.5}]}, "the score is key score, not similarity"),
    ({"q1": [{"id": "d1", "title": "x"}]}, "no score or rank, the order of the list is the ranking"),
    ([{"id": "q1", "retrieved": [{"docid": "d1"}, {"docid": "d2"}]}], "the order of the list is the ranking"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "note"), JUDGMENTS)
def test_read_qrels_key_that_is_not_read_has_a_note(data: Any, note: str, tmp_path: Path) -> None:
    qrels = cf.read_qrels(written(tmp_path / "x.json", json.dumps(data)))
    assert qrels.to_dict() == {"q1": {"d1": 1.0}}
    assert re.search(note, qrels.in_doubt)


@pytest.mark.parametrize(("data", "note"), RUNS)
def test_read_run_key_that_is_not_read_has_a_note(data: Any, note: str, tmp_path: Path) -> None:
    run = cf.read_run(written(tmp_path / "x.json", json.dumps(data)))
    assert re.search(note, run.in_doubt)


def test_read_run_ranks_in_the_order_of_hits_have_no_note() -> None:
    hits = [{**HIT, "_id": f"d{i}", "_score": 9.0 - i, "_rank": i} for i in range(1, 4)]
    assert cf.read_run(answer(*hits)).in_doubt == ""


@pytest.mark.parametrize("key", ["clicks", "ctr", "click_rate", "clicked"])
def test_read_qrels_clicks_raise(key: str, tmp_path: Path) -> None:
    row = {"query": "q1", "docid": "d1", key: 0.5}
    text = written(tmp_path / "x.csv", f"query,docid,{key}\nq1,d1,0.5\n")
    hits = written(tmp_path / "x.json", json.dumps({"q1": [{"docid": "d1", key: 0.5}]}))
    for given in (text, hits, written(tmp_path / "x.jsonl", json.dumps(row) + "\n")):
        with pytest.raises(cf.InputError, match=f"column '{key}' and no level: clicks depend on the position"):
            cf.read_qrels(given)
    assert cf.read_qrels(text, columns=f"qrels.level={key}").to_dict() == {"q1": {"d1": 0.5}}


def test_read_scores_numbers_that_are_not_read_have_a_note(tmp_path: Path) -> None:
    rows = [
        {"doc_id": i, "doc": {}, "resps": [], "metrics": ["em"], "em": 1.0, "f1": 0.5} for i in range(2)
    ]  # fmt: skip
    scores = cf.read_scores(rows)
    assert any("key 'f1' has numbers and is not read: not among the metrics" in note.text for note in scores.notes)
    long = [{"run": "a", "topic": t, "measure": "F", "value": 0.5, "score": 0.75} for t in "xy"]
    assert any("the value is column value, not score" in note.text for note in cf.read_scores(long).notes)
