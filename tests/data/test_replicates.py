"""Replicates: epochs are averaged within a topic, seeds are runs of a system."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.data.replicates import Replicate, average_replicates, find_replicate_columns, format_label
from cranfield.evaluation.results import read_replicates

ONE, TWO = Replicate("epoch", "1"), Replicate("epoch", "2")


def write_rows(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_average_replicates_failed_replicate_is_excluded() -> None:
    values, text = average_replicates(
        {"q1": {("AP", ONE): 1.0, ("AP", TWO): 0.5}, "q2": {("AP", ONE): 0.25, ("AP", TWO): None}}
    )
    assert values == {"q1": {"AP": 0.75}, "q2": {"AP": 0.25}}
    assert text == "1 to 2 epochs per item: means are used, 1 of 2 scores have fewer than 2"


def test_average_replicates_no_replicate_left_is_missing() -> None:
    values, text = average_replicates(
        {"q1": {("AP", ONE): None, ("AP", TWO): None}, "q2": {("AP", ONE): 0.0, ("AP", TWO): 1.0}}
    )
    assert values == {"q1": {"AP": None}, "q2": {"AP": 0.5}}
    assert text.startswith("0 to 2 epochs per item")


def test_average_replicates_undefined_replicate_is_excluded() -> None:
    values, _ = average_replicates({"q1": {("AP", ONE): math.nan, ("AP", TWO): 0.5}})
    assert values == {"q1": {"AP": 0.5}}


def test_average_replicates_single_value_has_no_note() -> None:
    assert average_replicates({"q1": {("AP", ONE): 0.5}, "q2": {("AP", None): 1.0}})[1] == ""


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["qid", "Epoch", "AP"], {"epoch": "Epoch"}),
        (["qid", "random_seed", "repeat"], {"repeat": "repeat", "seed": "random_seed"}),
        (["qid", "epoch_loss"], {}),
    ],
)
def test_find_replicate_columns(names: list[str], columns: dict[str, str]) -> None:
    assert find_replicate_columns(names) == columns


@pytest.mark.parametrize(("value", "label"), [(1, "1"), (1.0, "1"), ("a", "a"), (None, None), ("", None), (True, None)])
def test_format_label(value: Any, label: str | None) -> None:
    assert format_label(value) == label


@pytest.mark.parametrize("noun", ["epoch", "repeat", "replicate", "iteration"])
def test_read_scores_replicates_are_averaged_within_the_topic(tmp_path: Path, noun: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(f"run,qid,{noun},AP,RR\na,q1,1,0.5,1\na,q1,2,1.0,1\na,q2,1,0,0.5\na,q2,2,0.5,1\n", encoding="utf-8")
    scores = cf.read_scores(path)
    assert scores.to_dict() == {"a": {"q1": {"AP": 0.75, "RR": 1.0}, "q2": {"AP": 0.25, "RR": 0.75}}}
    assert [note.text for note in scores.notes] == [f"a: 2 {noun}s per item: means are used"]


def test_read_scores_long_table_replicates_are_averaged(tmp_path: Path) -> None:
    rows = [
        {"run": "a", "topic": "q1", "measure": "AP", "value": x, "epoch": i} for i, x in enumerate((0.25, 0.5, 0.0))
    ]
    assert cf.read_scores(write_rows(tmp_path / "x.jsonl", *rows)).to_dict() == {"a": {"q1": {"AP": 0.25}}}
    assert cf.read_scores(rows).to_dict() == {"a": {"q1": {"AP": 0.25}}}


def test_read_scores_replicates_in_two_files_are_averaged(tmp_path: Path) -> None:
    paths = [write_rows(tmp_path / f"{i}.jsonl", {"run": "a", "qid": "q1", "epoch": i, "AP": i / 2}) for i in (1, 2)]
    assert cf.read_scores(paths).to_dict() == {"a": {"q1": {"AP": 0.75}}}


def test_read_scores_duplicate_replicate_raises(tmp_path: Path) -> None:
    row = {"run": "a", "qid": "q1", "epoch": 1, "AP": 0.5}
    with pytest.raises(cf.CranfieldError, match=r"x\.jsonl:2: found AP of topic q1 and epoch 1 again for run a"):
        cf.read_scores(write_rows(tmp_path / "x.jsonl", row, row))


SEEDS = [
    {"run": run, "qid": topic, "seed": seed, "AP": x}
    for run, seeds in {"dense": (1, 2), "bm25": (1,)}.items()
    for seed in seeds
    for topic, x in (("q1", seed / 4), ("q2", seed / 2))
]


def test_read_scores_seeds_are_runs() -> None:
    expected = {"dense/1": 0.375, "dense/2": 0.75, "bm25": 0.375}
    assert {run: x["AP"] for run, x in cf.read_scores(SEEDS).mean().items()} == expected


def test_read_replicates_returns_the_system_of_each_run() -> None:
    scores, systems = read_replicates(SEEDS)
    assert systems == {"dense/1": "dense", "dense/2": "dense", "bm25": "bm25"}
    assert tuple(systems) == scores.runs


def test_read_replicates_epochs_are_averaged_or_apart() -> None:
    rows = [{"run": "a", "qid": "q1", "epoch": i, "seed": 7, "AP": i / 2} for i in (1, 2)]
    scores, systems = read_replicates(rows, replicates="mean")
    assert (scores.to_dict(), systems) == ({"a": {"q1": {"AP": 0.75}}}, {"a": "a"})
    scores, systems = read_replicates(rows)
    assert scores.mean() == {"a/7/1": {"AP": 0.5}, "a/7/2": {"AP": 1.0}}
    assert systems == {"a/7/1": "a", "a/7/2": "a"}


def test_read_replicates_saved_scores_are_their_systems() -> None:
    scores = cf.read_scores({"a": {"q1": 0.5}, "b": {"q1": 0.25}})
    assert read_replicates(scores) == (scores, {"a": "a", "b": "b"})


def test_average_replicates_of_the_largest_numbers_is_finite() -> None:
    one, two = Replicate("epoch", "1"), Replicate("epoch", "2")
    values, _ = average_replicates({"q1": {("F", one): 1e308, ("F", two): 1e308}})
    assert values == {"q1": {"F": 1e308}}
