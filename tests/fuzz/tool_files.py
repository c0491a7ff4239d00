"""Small files of other tools: seeds of the fuzzers. `tests/data/reading` checks what such files mean."""

from __future__ import annotations

import json
from typing import Any

_HITS = {doc: [{"_id": d, "_score": 3.5 - i} for i, d in enumerate(doc)] for doc in ("abz", "cd", "e")}
OBJECTS: dict[str, Any] = {  # topics 1 to 3 and documents a to e and z, as in the commands of `mutations.py`
    "request.json": {"requests": [
        {"id": t, "ratings": [{"_index": "i", "_id": d, "rating": x} for d, x in docs.items()]}
        for t, docs in (("1", {"a": 2, "b": 0}), ("2", {"c": 1, "d": None}), ("3", {"a": 1}))]},
    "case.json": {"queries": [
        {"query_text": t, "ratings": [{"doc_id": "a", "rating": 2}, {"doc_id": "c", "rating": None}]} for t in "123"]},
    "rre.json": {"topics": [{"query_groups": [
        {"queries": [{"placeholders": {"$query": "1"}}], "relevant_documents": {"2": ["a"], "0": ["b"]}}]}]},
    "book.json": {"query_doc_pairs": [
        {"query_text": "1", "doc_id": "a", "judgements": [{"rating": 2}, {"unrateable": True}]}]},
    "search.json": {t: {"hits": {"hits": x}} for t, x in zip("123", _HITS.values(), strict=True)},
    "solr.json": {t: {"response": {"docs": [{"id": "a", "score": 2.5}, {"id": "b", "score": 1}]}} for t in "123"},
    "vespa.json": {t: {"root": {"id": "toplevel", "children": [{"id": "id:n:t::a", "relevance": 0.5}]}} for t in "123"},
    "snapshot.json": {"name": "s", "queries": [{"query_id": 7, "query_text": "1"}], "docs": {"7": [{"id": "a"}]}},
    "evaluation.json": {"corpora": [{"topics": [{"query-groups": [{"query-evaluations": [
        {"query": "1", "results": {"v": {"hits": [{"id": "a"}]}}, "metrics": {"AP": {"versions": {"v": {"value": 1}}}}}
    ]}]}]}]},
    "deepeval.json": {"identifier": "x", "testCases": [
        {"input": t, "metricsData": [{"name": "F", "score": 0.5}]} for t in ("one", "two")]},
    "promptfoo.json": {"results": {"results": [
        {"testIdx": i, "promptIdx": 0, "provider": {"id": r}, "prompt": {"raw": "p"}, "vars": {"q": t}, "score": 0.5,
         "namedScores": {"F": 1}, "failureReason": 0} for i, (r, t) in enumerate((r, t) for r in "xy" for t in "12")]}},
    "inspect.json": {"version": 2, "eval": {"model": "m"}, "samples": [
        {"id": t, "epoch": e, "input": "i", "scores": {"F": {"value": x}}}
        for t, e, x in (("1", 1, "C"), ("1", 2, "I"), ("2", 1, 0.5))]},
}  # fmt: skip
ROWS: dict[str, list[dict[str, Any]]] = {
    "samples.jsonl": [{"doc_id": i, "doc": {}, "resps": [], "metrics": ["F"], "F": i / 2} for i in range(2)],
    "phoenix.jsonl": [{"example_id": t, "F_score": {"name": "F", "score": 0.5}} for t in "12"],
    "braintrust.jsonl": [{"input": t, "scores": {"F": 0.5}} for t in "12"],
    "autojudge.jsonl": [{"run_id": r, "topic_id": t, "measure": "F", "value": 0.5} for r in "xy" for t in "12"],
    "arena.jsonl": [{"question_id": t, "model_a": "x", "model_b": "y", "winner": w}
                    for t, w in (("1", "model_a"), ("2", "tie"), ("3", "model_b"))],
}  # fmt: skip
TABLES = {
    "kaggle.csv": "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,1,0,0\n2,x,y,0,0,1\n",
    "credits.csv": "query,run_a,run_b,clicks_a,clicks_b\n1,x,y,2,0\n2,x,y,1,1\n3,x,y,0,1\n",
    "teams.csv": "impression,query,doc,rank,clicked,team\ni,1,a,1,1,x\ni,1,b,2,0,y\nj,2,c,1,0,x\nj,2,d,2,1,y\n",
    "log.csv": "session,query,doc,rank,clicked,time\ns,1,a,1,0,10\ns,1,b,2,1,11\nt,2,c,1,1,2026-05-03T10:00:00Z\n",
    "ragas.csv": "user_input,response,F\none,x,0.5\ntwo,y,\nthree,z,1\n",
    "langsmith.csv": "inputs.q,feedback.F,execution_time,example_id,id\na,0.5,1.5,e1,r1\nb,1,2.5,e2,r2\n",
    "openrag.csv": 'query_id,run_1_s,run_2_s,run_1_scores\n1,0.5,1,"{""a"": 1}"\n2,0.25,,{}\n',
    "quepid.csv": "query,docid,rating\n1,a,2\n1,b,0\n2,c,\n4,,\n",
    "snapshot.csv": "Snapshot Name,Query Text,Doc ID,Doc Position\nx,1,a,1\nx,1,b,2\ny,1,b,1\n",
}
FILES: dict[str, bytes] = {
    **{name: json.dumps(data).encode() for name, data in OBJECTS.items()},
    **{name: "".join(f"{json.dumps(row)}\n" for row in rows).encode() for name, rows in ROWS.items()},
    **{name: text.encode() for name, text in TABLES.items()},
}
COMMANDS = """
evaluate request.json search.json -m "AP nDCG@3"
evaluate case.json solr.json vespa.json -m AP
evaluate rre.json snapshot.json -m AP
evaluate book.json evaluation.json -m AP
evaluate quepid.csv snapshot.csv -m AP
compare --scores promptfoo.json -m F
compare --scores autojudge.jsonl
compare --scores deepeval.json inspect.json --missing zero -m F
compare --scores samples.jsonl openrag.csv --missing zero -m F
validate -v request.json case.json rre.json book.json search.json solr.json vespa.json snapshot.json
validate -v deepeval.json promptfoo.json inspect.json samples.jsonl phoenix.jsonl braintrust.jsonl
validate -v ragas.csv langsmith.csv openrag.csv kaggle.csv credits.csv teams.csv log.csv arena.jsonl
battles arena.jsonl --trials 20
battles kaggle.csv --trials 20
battles credits.csv --trials 20
battles teams.csv --trials 20
session q log.csv
session --clicks log.csv --lengths lengths.csv
--readers qrels request.json
--readers qrels case.json
--readers qrels rre.json
--readers qrels book.json
--readers qrels quepid.csv
--readers run search.json
--readers run solr.json
--readers run vespa.json
--readers run snapshot.json
--readers run snapshot.csv
"""
