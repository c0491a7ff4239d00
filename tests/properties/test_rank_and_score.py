"""What orders a ranking: the score, the rank or the file, and notes where they disagree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from tests.made import Command, written

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
RISING = {"q1": [("a", 0.1), ("b", 0.2), ("c", 0.3)], "q2": [("b", 0.5), ("a", 0.4)]}
ROWS = [(t, "Q0", d, i, s, "r") for t, few in RISING.items() for i, (d, s) in enumerate(few, 1)]
Shape = Callable[[Path], Any]


def hits(ranks: bool = False) -> dict[str, list[dict[str, Any]]]:
    return {
        topic: [
            {"docid": doc, "score": score, **({"rank": place} if ranks else {})}
            for place, (doc, score) in enumerate(few, 1)
        ]
        for topic, few in RISING.items()
    }


def json_file(data: Any) -> Shape:
    return lambda path: written(path / "run.json", json.dumps(data))


def lines_file(records: list[Any]) -> Shape:
    return lambda path: written(path / "r.jsonl", "".join(f"{json.dumps(x)}\n" for x in records))


FLAT = [{"qid": t, "docno": d, "rank": i, "score": s} for t, _, d, i, s, _ in ROWS]
SHAPES: dict[str, Shape] = {
    "pairs": lambda path: RISING,
    "hits": lambda path: hits(),
    "hits with ranks": lambda path: hits(ranks=True),
    "tuples": lambda path: ROWS,
    "records": lambda path: FLAT,
    "text": lambda path: written(path / "run", "".join(f"{' '.join(map(str, row))}\n" for row in ROWS)),
    "table": lambda path: written(
        path / "run.csv",
        "qid,docno,rank,score\n" + "".join(f"{t},{d},{i},{s}\n" for t, _, d, i, s, _ in ROWS),
    ),
    "json pairs": json_file(RISING),
    "json hits": json_file(hits()),
    "json records": json_file(FLAT),
    "jsonl records": lines_file(FLAT),
    "jsonl candidates": lines_file(
        [{"query": {"qid": t, "text": "x"}, "candidates": few} for t, few in hits().items()]
    ),
    "jsonl hits": lines_file([{"hits": [{"qid": t, **hit} for hit in few]} for t, few in hits().items()]),
}


def notes(scores: cf.Scores) -> dict[str, str]:
    return {note.kind: note.text for note in scores.notes}


@pytest.mark.parametrize("shape", SHAPES)
def test_evaluate_rank_and_score_disagree_one_note_for_all_shapes(shape: str, tmp_path: Path) -> None:
    one = SHAPES[shape](tmp_path)
    run = one if shape == "tuples" else {"r": one}  # whose tag names them
    scores = cf.evaluate(QRELS, run, "AP")
    assert scores.values[0, :, 0].tolist() == pytest.approx([1 / 3, 1])
    said = "r: rank and score disagree in 1 topic (q1). Documents are ordered by score."
    assert notes(scores)["rank-order"] == said
    assert "scores rise from the top to the bottom of 1 topic (q1)" in notes(scores)["rising-scores"]
    for order in ("rank", "given"):
        found = cf.evaluate(QRELS, run, "AP", order=order)
        assert found.values[0, :, 0].tolist() == [1, 1]
        assert not {"rank-order", "rising-scores"} & notes(found).keys()
        old = cf.evaluate(QRELS, run, "AP", ties=order)
        assert old.values.tolist() == found.values.tolist()
    assert cf.evaluate(QRELS, run, "AP", order="score").values.tolist() == (scores.values.tolist())


def test_evaluate_dict_has_no_positions() -> None:
    scores = cf.evaluate(QRELS, {topic: dict(few) for topic, few in RISING.items()}, "AP")
    assert not {"rank-order", "rising-scores"} & notes(scores).keys()


def test_evaluate_few_rising_topics_no_warning() -> None:
    falling = {f"t{i}": [("a", 3.0), ("b", 2.0), ("c", 1.0)] for i in range(3)}
    qrels = {topic: {"a": 1} for topic in (*falling, "q1")}
    scores = cf.evaluate(qrels, {**falling, "q1": RISING["q1"]}, "AP")
    assert "rank-order" in notes(scores)
    assert "rising-scores" not in notes(scores)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": "score", "ties": "rank"}, 'order="score" contradicts ties="rank"'),
        ({"order": "score", "ties": "given"}, 'order="score" contradicts ties="given"'),
        ({"order": "rank", "ties": "given"}, 'order="rank" contradicts ties="given"'),
        ({"order": "rank", "ties": "file"}, 'order="rank" contradicts ties="file"'),
        ({"order": "up"}, "found order='up', expected one of score, rank, given"),
    ],
)
def test_evaluate_order_contradicts_ties_raises(options: Any, said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        cf.evaluate(QRELS, RISING, "AP", **options)
    with pytest.raises(cf.CranfieldError, match=said):
        cf.read_run(RISING, **options)


@pytest.mark.parametrize("ties", ["trec", "best", "worst", "expected", None])
def test_evaluate_order_score_with_ties(ties: Any) -> None:
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"b": 1.0}}
    plain, same = (cf.evaluate(QRELS, run, "AP", ties=ties, order=x) for x in (None, "score"))
    assert plain.values.tolist() == same.values.tolist()


@pytest.mark.parametrize(
    ("run", "order", "said"),
    [
        ({"q1": ["a", "b"]}, "score", 'no scores, which order="score" requires'),
        ({"q1": {"a": 1.0}}, "rank", 'no ranks, which order="rank" requires'),
        ([("q1", "a", 1.0)], "rank", 'no ranks, which order="rank" requires'),
    ],
)
def test_read_run_without_what_the_order_needs_raises(run: Any, order: Any, said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        cf.read_run(run, order=order)


def test_commands_have_order(tmp_path: Path, cranfield: Command) -> None:
    run, qrels = SHAPES["text"](tmp_path), written(tmp_path / "q", "q1 0 a 1\nq2 0 b 1\n")
    assert "1.0000" in cranfield("evaluate", qrels, run, "-m", "AP", "--order", "rank").out
    found = cranfield("evaluate", qrels, run, "--order", "score", "--ties", "rank")
    assert (found.code, "--order score contradicts --ties rank" in found.err) == (2, True)
    names = ("evaluate", "compare", "report", "label", "topics", "explain", "pool", "session",
             "hierarchy")  # fmt: skip
    for name in names:
        assert "--order {score,rank,given}" in cranfield(name, "--help-all").out
    for kind in ("disagree", "Documents are ordered by score"):
        assert kind in cranfield("pool", run, "--depth", "2").err


def test_validate_positions_contradict_scores(tmp_path: Path, cranfield: Command) -> None:
    shown = cranfield("validate", "--kind", "run", SHAPES["json hits"](tmp_path)).out
    assert "rank and score disagree in 1 topic (q1). Documents are ordered by score." in shown
