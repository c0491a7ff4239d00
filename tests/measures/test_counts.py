"""Unjudged and BEIR's Hole: worked numbers, a second writing, and every kind of input."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield import kernel
from cranfield.cli.main import main
from tests.evidence import checks

Data = dict[str, dict[str, float]]

# b is judged for topic 2 alone, x and y are judged for no topic.
QRELS: Data = {"1": {"a": 1, "c": 0}, "2": {"b": 2}}
RUN: Data = {"1": {"b": 5.0, "x": 4.0, "a": 3.0, "y": 2.0}, "2": {"x": 2.0, "b": 1.0}}


def count_holes(qrels: Data, run: Data, k: int) -> dict[str, float]:
    """Hole@k of each judged topic, from its definition."""
    judged = set(itertools.chain(*qrels.values()))
    ranked = {t: sorted(docs, key=lambda d: -docs[d])[:k] for t, docs in run.items()}
    return {t: len([d for d in ranked.get(t, []) if d not in judged]) / k for t in qrels}


def simulate(seed: int) -> tuple[Data, Data]:
    rng = random.Random(seed)  # noqa: S311
    docs = [f"d{i}" for i in range(rng.randint(5, 40))]
    qrels = {
        f"t{t}": {d: float(rng.randint(0, 2)) for d in rng.sample(docs, rng.randint(1, 5))}
        for t in range(rng.randint(1, 6))
    }
    run = {
        topic: {d: -float(i) for i, d in enumerate(rng.sample(docs, rng.randint(1, len(docs))))}
        for topic in qrels
        if rng.random() < 0.8 or topic == "t0"
    }
    return qrels, run


@checks("Unjudged", against="by hand")
def test_hole_judged_for_another_topic_is_no_hole() -> None:
    """Topic 1: x and y of 4, and 2 of 10. Topic 2: x of 2, over 4 and 10 ranks."""
    scores = cf.evaluate(QRELS, RUN, "Hole@1 Hole@4 Hole@10 Unjudged@4")
    assert scores.values[0].tolist() == [[0.0, 0.5, 0.2, 0.75], [1.0, 0.25, 0.1, 0.25]]


def test_hole_every_returned_document_judged_somewhere_scores_0() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1, "c": 0, "d": 0, "e": 0}}
    scores = cf.evaluate(qrels, {"1": [*"abcde"], "2": []}, "Hole@5 Unjudged@5")
    assert scores.values[0, 0].tolist() == [0.0, 0.8]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_hole_simulated_runs_equal_the_second_writing(
    seed: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(kernel, "KERNEL", None)
    qrels, run = simulate(seed)
    cutoffs = (1, 3, 10, 100)
    evaluator = cf.Evaluator(qrels, [f"Hole@{k}" for k in cutoffs])
    for _ in range(2):  # a prepared evaluator numbers documents as runs come
        scores = evaluator(run)
        for k, column in zip(cutoffs, scores.measures, strict=True):
            values = {topic: scores["run", topic, column] for topic in scores.topics}
            assert values == count_holes(qrels, run, k)


def test_hole_files_and_frames_equal_dicts(tmp_path: Path) -> None:
    qrels, run = simulate(7)
    lines = [(t, d, x) for t, docs in qrels.items() for d, x in docs.items()]
    ranked = [(t, d, x) for t, docs in run.items() for d, x in docs.items()]
    (tmp_path / "q").write_text("".join(f"{t} 0 {d} {x:g}\n" for t, d, x in lines))
    (tmp_path / "r").write_text("".join(f"{t} Q0 {d} 1 {x} r\n" for t, d, x in ranked))
    frames = (
        pl.DataFrame(lines, schema=["topic", "doc", "level"], orient="row"),
        pl.DataFrame(ranked, schema=["topic", "doc", "score"], orient="row"),
    )
    expected = cf.evaluate(qrels, run, "Hole@5").values.tolist()
    assert cf.evaluate(tmp_path / "q", tmp_path / "r", "Hole@5").values.tolist() == expected
    assert cf.evaluate(*frames, "Hole@5").values.tolist() == expected


def test_hole_tied_documents_expected_is_near_the_mean_of_all_orders() -> None:
    """a, x and y tied: x and y are holes, so that Hole@1 is 2/3 in the mean."""
    run = {"1": {"a": 1.0, "x": 1.0, "y": 1.0}, "2": {"b": 1.0}}
    scores = cf.evaluate(QRELS, run, "Hole@1", ties="expected", tie_samples=400)
    mean, error = scores.values[0, 0].tolist()
    assert 0 < error < 0.05
    assert abs(mean - 2 / 3) < 5 * error


def test_hole_selected_topics_count_judgments_of_all_topics() -> None:
    scores = cf.evaluate(QRELS, RUN, "Hole@4", topics=["1"])
    assert scores.values.tolist() == [[[0.5]]]


@pytest.mark.parametrize("call", [
    lambda: cf.parse_measure("Hole@4")([1, None, 0]),
    lambda: cf.evaluate_arrays([1, 0], [0.5, 0.1], [2], "Hole@4"),
])  # fmt: skip
def test_hole_without_document_ids_raises(call: Any) -> None:
    with pytest.raises(cf.CranfieldError, match=r"Unjudged\(scope=collection\)@4 requires document ids"):
        call()


def test_hole_of_the_command_line_equals_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 c 0\n2 0 b 2\n")
    (tmp_path / "r").write_text("1 Q0 b 1 5 r\n1 Q0 x 2 4 r\n1 Q0 a 3 3 r\n2 Q0 x 1 2 r\n")
    command = ["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "Hole@2", "-f", "tsv"]
    assert main(command) == 0
    assert "\t0.5\n" in capsys.readouterr().out
