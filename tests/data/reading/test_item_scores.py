"""Scores of items in files of tools for LLM applications. The data are made up in the shapes of the tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pytest

import cranfield as cf
from cranfield.data.reading.item_scores import convert_score, format_item
from tests.made import Command, written

NAN = float("nan")


def read(tmp_path: Path, data: Any, name: str = "x.json", **options: Any) -> cf.Scores:
    """Read data from a JSON or JSONL file."""
    text = "".join(json.dumps(x) + "\n" for x in data) if name.endswith("l") else json.dumps(data, indent=1)
    return cf.read_scores(written(tmp_path / name, text), **options)


def get_values(scores: cf.Scores, run: int = 0) -> dict[str, dict[str, float]]:
    """Return {topic: {measure: value}} of a run."""
    return scores.to_dict()[scores.runs[run]]


def list_texts(scores: cf.Scores, kind: str) -> list[str]:
    return [note.text.rpartition("/")[2] for note in scores.notes if note.kind == kind]


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (True, 1.0),
        (False, 0.0),
        ("True", 1.0),
        ("no", 0.0),
        (NAN, None),
        ("nan", None),
        ("", None),
        (None, None),
        ("x", "x"),
    ],
)
def test_convert_score(value: Any, score: Any) -> None:
    assert convert_score(value) == score


def test_format_item_empty_raises() -> None:
    values: list[Any] = ["", " \n", None, {}, [], True, float("nan")]
    for value in values:
        with pytest.raises(cf.InputError, match="expected the text of an item"):
            format_item(value)


@pytest.mark.parametrize(
    ("damage", "note"),
    [
        ({"metricsData": None}, "1 test case without metrics: their scores are missing"),
        ({"metricsData": []}, "1 test case without metrics: their scores are missing"),
    ],
)
def test_read_deepeval_test_case_without_metrics_is_noted(damage: Any, note: str) -> None:
    cases = [{"input": x, "metricsData": [{"name": "F", "score": 0.5}]} for x in ("lamp", "chair")]
    scores = cf.read_scores({"conversationalTestCases": True, "testCases": [cases[0], {**cases[1], **damage}]})
    assert note in " ".join(x.text for x in scores.notes)
    assert scores.topics == ("lamp",)


def test_read_lm_eval_without_metrics_is_noted() -> None:
    rows = [{"doc_id": i, "doc": {}, "resps": [], "metrics": ["em"], "em": 1.0} for i in range(2)]
    scores = cf.read_scores([rows[0], {**rows[1], "metrics": []}])
    assert "1 sample without metrics: their scores are missing" in " ".join(x.text for x in scores.notes)
    for metrics in ([["em"]], [None]):
        with pytest.raises(cf.InputError, match=r"metric .*expected the name of a key"):
            cf.read_scores([{**rows[0], "metrics": metrics}])


# -- DeepEval


def build_case(text: str, *metrics: tuple[str, Any], **keys: Any) -> dict[str, Any]:
    data = [{"name": name, "score": score, "success": False, "threshold": 0.5} for name, score in metrics]
    return {"name": "test_case_0", "input": text, "actualOutput": "…", "metricsData": data} | keys


def test_read_deepeval_topics_are_inputs(tmp_path: Path) -> None:
    cases = [build_case("schwarze Schuhe", ("F", 0.5), ("A R", 1)), build_case("two\nlines", ("F", 0), ("A R", 0.25))]
    scores = read(tmp_path, {"testCases": cases, "conversationalTestCases": [], "metricsScores": []})
    assert get_values(scores) == {"schwarze Schuhe": {"F": 0.5, "A R": 1.0}, "two lines": {"F": 0.0, "A R": 0.25}}
    assert list_texts(scores, "reading") == ["x.json: topics are the texts of input"]
    assert scores == read(tmp_path, {"testRunData": {"testCases": cases}, "testFile": None})


def test_read_deepeval_failed_metric_is_missing(tmp_path: Path) -> None:
    cases = [build_case("a", ("F", 0.5)), build_case("b", ("F", 0)), build_case("c", ("F", None))]
    cases[1]["metricsData"][0]["error"] = "the judge timed out"
    other = [build_case(x, ("F", 1.0)) for x in "abc"]
    paths = [written(tmp_path / f"{i}.json", json.dumps({"testCases": x})) for i, x in enumerate((cases, other))]
    with pytest.raises(cf.InputError, match=r"no F of 2 topics \(b, c\) for run .*0\.json"):
        cf.read_scores(paths)
    scores = cf.read_scores(paths, missing="common")
    assert scores.topics == ("a",)
    assert "2 of 3 scores are missing (no value or an error)" in " ".join(list_texts(scores, "reading"))


def test_read_deepeval_identifier_names_the_run(tmp_path: Path) -> None:
    data = {"testCases": [build_case("a", ("F", 0.5))], "identifier": "night 7", "conversationalTestCases": [{}]}
    scores = read(tmp_path, data)
    assert scores.runs == ("night 7",)
    assert "1 conversational test case not read: only test cases with one turn are supported" in str(scores.notes)
    assert cf.read_scores(data).runs == ("night 7",)
    assert cf.read_scores({"mine": data}).runs == ("mine",)


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([build_case("a", ("F", 0.5)), build_case("a", ("F", 1))], "F of topic a again for run"),
        ([build_case("a", ("F", "high"))], "'high' for F of topic a, expected a number"),
        ([build_case("", ("F", 1))], "input '' (DeepEval test run), expected the text of an item"),
        ([build_case("a", ("F", 1)), {"metricsData": []}], "expected the key 'input'"),
        ([build_case("a", ("F", 1)), 5], "5 as item 2 of 'testCases' (DeepEval test run), expected an object"),
        ([build_case("a", metricsData=5), build_case("a", ("F", 1))], "metricsData"),
    ],
)
def test_read_deepeval_invalid_data_raises(tmp_path: Path, cases: list[Any], message: str) -> None:
    with pytest.raises(cf.InputError) as error:
        read(tmp_path, {"testCases": cases})
    assert message in str(error.value)
    assert "x.json" in str(error.value)


# -- promptfoo


def build_test(run: str, question: str, index: int = 0, **keys: Any) -> dict[str, Any]:
    defaults = {"score": 1, "namedScores": {}, "failureReason": 0, "error": None}
    texts = {"provider": {"id": f"exec:{run}", "label": run}, "vars": {"question": question}}
    return {"testIdx": index, "promptIdx": 0, "prompt": {"raw": "p", "label": "p"}} | texts | defaults | keys


def test_read_promptfoo_topic_is_the_variable(tmp_path: Path) -> None:
    tests = [build_test(run, q, i, namedScores={"F": i / 4}) for run in ("a", "b") for i, q in enumerate(("x", "y"))]
    scores = read(tmp_path, {"evalId": "e", "results": {"version": 3, "results": tests}})
    expected = {"x": {"score": 1.0, "F": 0.0}, "y": {"score": 1.0, "F": 0.25}}
    assert scores.to_dict() == {"a": expected, "b": expected}
    assert list_texts(scores, "reading") == ["x.json: topics are the texts of vars.question"]
    assert read(tmp_path, tests, "x.jsonl").to_dict() == scores.to_dict()


def test_read_promptfoo_repeats_are_averaged(tmp_path: Path) -> None:
    tests = [build_test("a", q, i, score=i / 4) for i, q in enumerate(("x", "y", "x", "y"))]
    scores = read(tmp_path, tests, "x.jsonl")
    assert get_values(scores) == {"x": {"score": 0.25}, "y": {"score": 0.5}}
    assert list_texts(scores, "replicates") == ["a: 2 repeats per item: means are used"]


def test_read_promptfoo_error_is_missing_and_failed_assertion_is_not(tmp_path: Path) -> None:
    failed = {"failureReason": 2, "error": "timeout", "score": 0}
    tests = [
        build_test("a", "x", 0, **failed),
        build_test("a", "x", 1, score=0.5),
        *(build_test("a", "y", i, score=0, failureReason=1, error="no") for i in (2, 3)),
    ]
    scores = read(tmp_path, tests, "x.jsonl")
    assert get_values(scores) == {"x": {"score": 0.5}, "y": {"score": 0.0}}
    assert list_texts(scores, "replicates") == [
        "a: 1 to 2 repeats per item: means are used, 1 of 2 scores have fewer than 2"
    ]


def test_read_promptfoo_prompts_and_variables_name_runs_and_topics(tmp_path: Path) -> None:
    prompts = [{"raw": "short", "label": "short"}, {"raw": "x" * 90, "label": "x" * 90}]
    variables = {"question": "é?", "context": {"k": [1]}}
    tests = [build_test("a", "", i, prompt=p, promptIdx=i, vars=variables) for i, p in enumerate(prompts)]
    scores = read(tmp_path, tests, "x.jsonl")
    assert scores.runs == ("a, short", "a, prompt 2")
    assert scores.topics == ('{"context": {"k": [1]}, "question": "é?"}',)


# -- inspect_ai


def build_log(*samples: tuple[Any, int, Any], scorer: str = "s", **keys: Any) -> dict[str, Any]:
    """Return a log of samples (id, epoch, value)."""
    rows = [
        {"id": i, "epoch": epoch, "input": f"input {i}", "scores": {scorer: {"value": value, "explanation": "…"}}}
        for i, epoch, value in samples
    ]
    return {"version": 2, "status": "success", "eval": {"model": "m/a"}, "plan": {}, "samples": rows} | keys


def test_read_inspect_grades_and_epochs(tmp_path: Path) -> None:
    log = build_log((1, 1, "C"), (1, 2, "P"), (2, 1, "I"), (2, 2, "N"), (3, 1, True), (3, 2, 0.25))
    scores = read(tmp_path, log)
    assert scores.to_dict() == {"m/a": {"1": {"s": 0.75}, "2": {"s": 0.0}, "3": {"s": 0.625}}}
    assert list_texts(scores, "replicates") == ["a: 2 epochs per item: means are used"]


def test_read_inspect_values_of_several_keys(tmp_path: Path) -> None:
    log = build_log(
        ("x", 1, {"style": 0.5, "fact": "C", "why": "text"}), ("y", 1, {"style": "no", "fact": NAN, "why": "text"})
    )
    scores = read(tmp_path, log)
    assert scores["m/a", "x", "s.fact"] == 1.0
    assert scores["m/a", "y", "s.style"] == 0.0
    assert scores.measures == ("s.style", "s.fact")
    assert "1 of 4 scores are missing (no value or an error)" in " ".join(list_texts(scores, "reading"))


def test_read_inspect_sample_without_scores_is_missing(tmp_path: Path) -> None:
    log = build_log((1, 1, "C"), (2, 1, "C"), (2, 2, "I"), status="error")
    log["samples"].append({"id": 1, "epoch": 2, "input": "input 1", "scores": None, "error": {"message": "…"}})
    scores = read(tmp_path, log)
    assert get_values(scores) == {"1": {"s": 1.0}, "2": {"s": 0.5}}
    notes = " ".join(note.text for note in scores.notes)
    assert "1 to 2 epochs per item" in notes
    assert "status 'error': samples can be missing" in notes
    assert "1 sample without scores: their scores are missing" in notes


def test_read_inspect_other_input_for_an_id_is_noted(tmp_path: Path) -> None:
    logs = {"a": build_log((1, 1, "C"), (2, 1, "C")), "b": build_log((1, 1, "I"), (2, 1, "I"))}
    logs["b"]["samples"][1]["input"] = "another item"
    paths = [written(tmp_path / f"{name}.json", json.dumps(log)) for name, log in logs.items()]
    texts = [note.text for note in cf.read_scores(paths).notes if note.kind == "other-items"]
    assert texts == [f"{paths[1]}: 1 topic (2) with another input than in {paths[0]}. Compare runs on the same data."]


def test_read_inspect_unknown_grade_raises(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=r"x\.json: found 'B' for s of topic 2, expected a number"):
        read(tmp_path, build_log((1, 1, "C"), (2, 1, "B")))


# -- lm-eval and lmms-eval


def build_sample(doc: int, **keys: Any) -> dict[str, Any]:
    return {
        "doc_id": doc,
        "doc": {"q": "x"},
        "target": "1",
        "arguments": {},
        "resps": [["x"]],
        "doc_hash": f"h{doc}",
    } | keys


def test_read_lm_eval_listed_metrics(tmp_path: Path) -> None:
    rows = [build_sample(i, filter="none", metrics=["acc", "f1"], acc=i / 2, f1=[i, 1], speed=3.0) for i in range(2)]
    assert get_values(read(tmp_path, rows, "x.jsonl")) == {"0": {"acc": 0.0}, "1": {"acc": 0.5}}


def test_read_lm_eval_filters_and_keys_without_a_list(tmp_path: Path) -> None:
    rows = [
        build_sample(i, filter=name, exact_match=x)
        for name, x in (("strict", 0.0), ("flexible", 1.0))
        for i in range(2)
    ]
    expected = {"exact_match,strict": 0.0, "exact_match,flexible": 1.0}
    assert get_values(read(tmp_path, rows, "x.jsonl")) == {"0": expected, "1": expected}


def test_read_lm_eval_other_hash_raises(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / f"{name}.jsonl", json.dumps(build_sample(0, acc=1.0, doc_hash=name)) + "\n") for name in "ab"
    ]
    with pytest.raises(
        cf.InputError, match=r"b\.jsonl:1: topic 0 is another item than in .*a\.jsonl: doc_hash differs"
    ):
        cf.read_scores(paths)


def test_read_lm_eval_missing_metric_raises(tmp_path: Path) -> None:
    rows = [build_sample(0, metrics=["acc"], acc=1.0), build_sample(1, metrics=["acc"])]
    with pytest.raises(cf.InputError, match=r"x\.jsonl:2: .*expected the key 'acc'"):
        read(tmp_path, rows, "x.jsonl")


# -- ragas, LangSmith, Phoenix, open-rag-eval: tables

RAGAS: list[dict[str, Any]] = [
    {
        "user_input": "wo ist\nder Bahnhof?",
        "retrieved_contexts": ["a"],
        "response": "dort",
        "faithfulness": 0.5,
        "rouge": 1,
    },
    {"user_input": "où?", "retrieved_contexts": [], "response": None, "faithfulness": NAN, "rouge": 0},
]


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl", "frame"])
def test_read_ragas_nan_is_missing(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame(RAGAS)
    path = tmp_path / name
    if name == "x.csv":
        frame.to_csv(path)  # with an index
    elif name != "frame":
        frame.to_json(path, orient="records", lines=name.endswith("l"))
    one = frame if name == "frame" else path
    other = [{"user_input": x["user_input"], "faithfulness": 1.0, "rouge": 0.5} for x in RAGAS]
    scores = cf.read_scores({"one": one, "other": other}, missing="common", measures="faithfulness rouge")
    assert get_values(scores) == {"wo ist der Bahnhof?": {"faithfulness": 0.5, "rouge": 1.0}}
    assert any("topics are the texts of user_input" in text for text in list_texts(scores, "reading"))
    assert any("1 of 4 scores are missing" in text for text in list_texts(scores, "reading"))


def test_read_ragas_with_document_ids_is_still_a_run(tmp_path: Path) -> None:
    row = {
        "user_input": "x",
        "retrieved_context_ids": ["d1", "d2"],
        "reference_context_ids": ["d2"],
        "faithfulness": 1.0,
    }
    path = written(tmp_path / "x.jsonl", json.dumps(row) + "\n")
    assert cf.evaluate(path, path, "RR").mean() == {path: {"RR": 0.5}}
    assert get_values(cf.read_scores(path)) == {"x": {"faithfulness": 1.0}}


def test_read_ragas_duplicate_input_raises(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=r"x\.jsonl:2: found rouge of topic où\? again"):
        read(tmp_path, [{"user_input": "où?", "rouge": x} for x in (0.5, 1)], "x.jsonl")


def test_read_langsmith_topic_is_the_example(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "inputs.question": ["a", "b", "a"],
            "error": [None, None, None],
            "feedback.correct": [True, False, True],
            "feedback.score": [0.5, 1.0, None],
            "execution_time": [1.5, 2.5, 3.5],
            "example_id": ["e1", "e2", "e1"],
            "id": ["r1", "r2", "r3"],
        }
    )
    frame.to_csv(tmp_path / "x.csv")
    expected = {
        "e1": {"feedback.correct": 1.0, "feedback.score": 0.5},
        "e2": {"feedback.correct": 0.0, "feedback.score": 1.0},
    }
    scores = cf.read_scores(tmp_path / "x.csv")
    assert get_values(scores) == expected
    assert "1 to 2 repeats per item" in list_texts(scores, "replicates")[0]
    assert get_values(cf.read_scores(frame)) == expected


@pytest.mark.parametrize("key", ["example_id", "input"])
def test_read_phoenix_objects(tmp_path: Path, key: str) -> None:
    rows = [
        {
            key: f"i {i}",
            "output": "x",
            "fact_score": {"name": "fact", "score": x, "label": "l"},
            "fact_execution_details": {"status": "COMPLETED"},
        }
        for i, x in enumerate((0.5, None))
    ]
    other = [{key: f"i {i}", "fact_score": {"name": "fact", "score": 1, "label": None}} for i in range(2)]
    scores = cf.read_scores({"a": rows, "b": other}, missing="common")
    assert scores.to_dict() == {"a": {"i 0": {"fact": 0.5}}, "b": {"i 0": {"fact": 1.0}}}
    assert bool([x for x in list_texts(scores, "reading") if "texts of input" in x]) == (key == "input")
    pd.DataFrame(other).to_csv(tmp_path / "x.csv")
    assert get_values(cf.read_scores(tmp_path / "x.csv")) == {f"i {i}": {"fact": 1.0} for i in range(2)}


def test_read_phoenix_without_item_raises(tmp_path: Path) -> None:
    row = {"context.span_id": "s", "fact_score": {"name": "fact", "score": 1}}
    with pytest.raises(cf.InputError, match=r"x\.jsonl:1: .*no column with the item among context\.span_id"):
        read(tmp_path, [row], "x.jsonl")


def test_read_open_rag_eval_runs_are_repeats(tmp_path: Path) -> None:
    text = (
        "query_id,query,run_1_answer,run_1_score_mean,run_1_scores,run_2_score_mean,run_2_scores\n"
        'q1,text,answer,0.5,"{""d1"": 2}",1.0,"{""d1"": 1}"\nq2,text,answer,0.25,{},,{}\n'
    )
    scores = cf.read_scores(written(tmp_path / "x.csv", text))
    assert get_values(scores) == {"q1": {"score_mean": 0.75}, "q2": {"score_mean": 0.25}}
    assert "1 to 2 repeats per item" in list_texts(scores, "replicates")[0]


# -- Braintrust, Langfuse, autojudge, nuggetizer, _rank_eval


def test_read_braintrust_topic_is_the_input(tmp_path: Path) -> None:
    rows = [{"id": f"r{i}", "input": {"q": i}, "output": "x", "scores": {"F": i / 2, "none": None}} for i in range(2)]
    expected = {'{"q": 0}': {"F": 0.0}, '{"q": 1}': {"F": 0.5}}
    assert get_values(read(tmp_path, rows, "x.jsonl")) == expected
    scores = read(tmp_path, {"summary": {"experimentName": "e1"}, "results": rows})
    assert scores.runs == ("e1",)
    assert get_values(scores) == expected


def build_trace(trace: str, value: Any = 0.5, data_type: str = "NUMERIC") -> dict[str, Any]:
    return {"id": "s", "traceId": trace, "name": "F", "value": value, "dataType": data_type}


def test_read_langfuse_unshared_traces_raise(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{x}.jsonl", json.dumps(build_trace(x)) + "\n") for x in "ab"]
    for given in (paths[0], paths):
        with pytest.raises(cf.InputError, match=r"join the scores to the items of the data set"):
            cf.read_scores(given)


def test_read_langfuse_shared_ids(tmp_path: Path) -> None:
    rows = [build_trace("t1"), build_trace("t2", 1.0), build_trace("t1", "good", "CATEGORICAL")]
    paths = [written(tmp_path / f"{x}.jsonl", "".join(json.dumps(row) + "\n" for row in rows)) for x in "ab"]
    scores = cf.read_scores(paths)
    assert get_values(scores) == get_values(scores, 1) == {"t1": {"F": 0.5}, "t2": {"F": 1.0}}
    assert "1 score not read: they are categories or texts" in list_texts(scores, "reading")[0]


def test_read_autojudge_null_is_missing_and_all_a_summary(tmp_path: Path) -> None:
    rows = [
        {"run_id": r, "topic_id": t, "measure": "F", "value": x}
        for r, t, x in (("a", "1", 0.5), ("b", "1", 1), ("a", "2", 1), ("b", "2", None), ("a", "all", 0.75))
    ]
    scores = read(tmp_path, rows, "x.jsonl", missing="common")
    assert scores.to_dict() == {"a": {"1": {"F": 0.5}}, "b": {"1": {"F": 1.0}}}


def test_read_nuggetizer_metrics_skips_all(tmp_path: Path) -> None:
    rows = [{"qid": x, "strict_vital_score": 0.5, "vital_score": 0.75} for x in ("1", "2", "all")]
    assert read(tmp_path, rows, "x.jsonl").topics == ("1", "2")


def test_read_rank_eval_scores(tmp_path: Path) -> None:
    details = {
        q: {"metric_score": x, "unrated_docs": [], "hits": [{"hit": {"_id": "d"}, "rating": 1}]}
        for q, x in (("q1", 0.5), ("q2", 1.0))
    }
    scores = read(tmp_path, {"metric_score": 0.75, "details": details, "failures": {}})
    assert get_values(scores) == {"q1": {"metric_score": 0.5}, "q2": {"metric_score": 1.0}}


def test_compare_scores_of_two_tools(tmp_path: Path, cranfield: Command) -> None:
    log = written(
        tmp_path / "a.json", json.dumps({"testCases": [build_case(f"item {i}", ("F", i / 9)) for i in range(8)]})
    )
    rows = [build_test("dense", f"item {i}", i, namedScores={"F": i / 8}) for i in range(8)]
    other = written(tmp_path / "b.jsonl", "".join(json.dumps(x) + "\n" for x in rows))
    out = cranfield.succeeds("compare", "--scores", log, other, "-m", "F", "--table", "runs", "-f", "json").out
    means = {row["run"].rpartition("/")[2]: row["mean"] for row in json.loads(out)["runs"]}
    assert means == pytest.approx({"dense": 0.4375, "a.json": 28 / 72})


def test_read_inspect_binary_log_raises(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "x.eval", "w") as archive:
        for name in ("_journal/start.json", "samples/1_epoch_1.json", "header.json"):
            archive.writestr(name, "{}")
    with pytest.raises(cf.InputError, match=r"x\.eval: inspect_ai log in the binary .*`inspect log convert --to json"):
        cf.read_scores(tmp_path / "x.eval")


def test_validate_detects_scores_and_battles(tmp_path: Path, cranfield: Command) -> None:
    scores = written(tmp_path / "a.json", json.dumps({"testCases": [build_case(x, ("F", 1)) for x in "xy"]}))
    battle = {"question_id": "q1", "model_a": "a", "model_b": "b", "winner": "tie"}
    battles = written(tmp_path / "b.jsonl", json.dumps(battle) + "\n")
    out = cranfield.succeeds("validate", "-v", scores, battles).out
    keys = "topic in key input, measure in key name, value in key score, run in key identifier"
    assert f"a.json: scores, DeepEval test run, {keys}, measures: F, runs: {scores}, 2 topics" in out
    assert "a.json: warning: topics are the texts of input" in out
    keys = "run in key model_a, other in key model_b, winner in key winner"
    assert f"b.jsonl: battles, battles of an arena, {keys}, runs: a, b, 1 topic" in out
    invalid = written(tmp_path / "c.json", json.dumps({"testCases": [build_case("x", ("F", "high"))]}))
    result = cranfield("validate", invalid)
    assert result.code == 2
    assert "c.json: error: found 'high' for F of topic x, expected a number" in result.out


@pytest.mark.parametrize("measures", ["Answer Relevancy", "F Answer_Relevancy", ["F", "Answer Relevancy"]])
def test_read_scores_measure_with_a_space(tmp_path: Path, measures: Any) -> None:
    data = {"testCases": [build_case("x", ("F", 1), ("Answer Relevancy", 0.5), ("other", 0.5))]}
    scores = read(tmp_path, data, measures=measures)
    assert scores.measures[-1] == "Answer Relevancy"
    assert "other" not in scores.measures


def test_read_langsmith_execution_time_is_read_if_it_is_selected(tmp_path: Path) -> None:
    rows = [{"example_id": x, "feedback.f": 0.5, "execution_time": 1.5} for x in "ab"]
    assert read(tmp_path, rows, "x.jsonl").measures == ("feedback.f",)
    assert get_values(read(tmp_path, rows, "x.jsonl", measures="execution_time"))["a"] == {"execution_time": 1.5}


@pytest.mark.parametrize("first", [None, {"name": "fact", "label": "failed"}])
def test_read_phoenix_first_score_is_missing(tmp_path: Path, first: Any) -> None:
    rows = [{"example_id": "a", "fact_score": first}, *PHOENIX]
    scores = read(tmp_path, rows, "x.jsonl")
    assert get_values(scores) == {"b": {"fact": 0.5}, "c": {"fact": 1.0}}
    assert "1 of 3 scores are missing (no value or an error)" in list_texts(scores, "reading")[0]


PHOENIX = [{"example_id": x, "fact_score": {"name": "fact", "score": y}} for x, y in (("b", 0.5), ("c", 1.0))]


def test_read_braintrust_row_without_scores_is_missing(tmp_path: Path) -> None:
    rows = [{"input": "a", "scores": None}, {"input": "b", "scores": {"F": 0.5}}]
    scores = read(tmp_path, rows, "x.jsonl")
    assert get_values(scores) == {"b": {"F": 0.5}}
    assert any("1 row without scores: their scores are missing" in text for text in list_texts(scores, "reading"))


def test_read_open_rag_eval_without_query_id_raises(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=r"x.csv:2: .*open-rag-eval.*expected the key 'query_id'"):
        cf.read_scores(written(tmp_path / "x.csv", "query,run_1_s,run_2_s\nq,0.5,1\n"))


@pytest.mark.parametrize("version", [1, 3, None])
def test_read_inspect_other_version_raises(tmp_path: Path, version: Any) -> None:
    with pytest.raises(cf.InputError, match=r"version .* of the log, expected 2 .*inspect log convert"):
        read(tmp_path, build_log(("x", 1, "C"), version=version))
