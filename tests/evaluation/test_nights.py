"""Nightly results as input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.evaluation.nights import name_files, read_nights

NIGHTS = {
    "mon": {"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.1, "2": 0.2}},
    "tue": {"a": {"1": 0.6, "2": 0.35}, "b": {"1": 0.2, "2": 0.3}},
}


def test_read_nights_joins_runs_by_night() -> None:
    content = read_nights(NIGHTS, None)
    assert content.scores["a"].runs == ("mon", "tue")
    assert content.scores["a"].values[:, :, 0].tolist() == [[0.5, 0.25], [0.6, 0.35]]
    assert content.scores["b"].values[:, :, 0].tolist() == [[0.1, 0.2], [0.2, 0.3]]


def test_read_nights_baseline_of_one_run_belongs_to_every_run() -> None:
    content = read_nights(NIGHTS, {"1": 0.0, "2": 0.1})
    assert content.baseline == "baseline"
    assert content.scores["b"].values[-1, :, 0].tolist() == [0.0, 0.1]


def test_read_nights_one_run_of_changing_name_is_a_series() -> None:
    content = read_nights({"mon": {"dense-1": {"1": 0.5}}, "tue": {"dense-2": {"1": 0.6}}}, None)
    assert [*content.scores] == ["run"]


def test_read_nights_topics_in_another_order_are_matched() -> None:
    content = read_nights({"mon": {"1": 0.5, "2": 0.25}, "tue": {"2": 0.3, "1": 0.1}}, None)
    assert content.scores["run"].values[:, :, 0].tolist() == [[0.5, 0.25], [0.1, 0.3]]


def test_read_nights_missing_topics() -> None:
    nights = {"mon": {"1": 0.5, "2": 0.25, "3": 0.1}, "tue": {"2": 0.3, "1": 0.1}}
    with pytest.raises(cf.CranfieldError, match=r"night tue lacks 1 topic \(3\) of other nights.*the 2 topics of all"):
        read_nights(nights, None)
    content = read_nights(nights, None, missing="common")
    assert content.scores["run"].topics == ("1", "2")
    assert [(note.kind, note.topics) for note in content.notes] == [("missing-topics", ("3",))]


def test_read_nights_missing_runs() -> None:
    nights = {"mon": NIGHTS["mon"], "tue": {"a": NIGHTS["tue"]["a"]}}
    with pytest.raises(cf.CranfieldError, match=r"run b is missing on 1 night \(tue\)"):
        read_nights(nights, None)
    content = read_nights(nights, None, missing="common")
    assert [*content.scores] == ["a"]
    assert content.notes[0].kind == "missing-runs"


def test_read_nights_seeds_are_averaged(tmp_path: Path) -> None:
    rows = "".join(f"dense,{s},{t},{s / 10 + t / 100}\n" for s in (1, 3) for t in (1, 2))
    for night in ("mon", "tue"):
        (tmp_path / f"{night}.csv").write_text(f"run,seed,topic,AP\n{rows}")
    content = read_nights([tmp_path / "mon.csv", tmp_path / "tue.csv"], None)
    assert content.scores["dense"].values[0, :, 0].tolist() == pytest.approx([0.21, 0.22])
    assert [note.kind for note in content.notes] == ["seeds"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/2026-11-18.tsv", "b/2026-11-19.tsv.gz"], ["2026-11-18", "2026-11-19"]),
        (["n/18/scores.tsv", "n/19/scores.tsv"], ["18", "19"]),
        (["x/scores.tsv", "y/z/scores.tsv"], ["x", "y/z"]),
        (["v1.2.tsv", "v1.3.tsv"], ["v1.2", "v1.3"]),
    ],
)
def test_name_files_are_distinct(paths: list[str], names: list[str]) -> None:
    assert name_files(paths) == names


@pytest.mark.parametrize(
    ("nights", "baseline", "message"),
    [
        ({"mon": {"1": 0.5, "2": 0.3}}, None, "1 night, expected at least 2 nights, or a baseline"),
        ({}, {"1": 0.5}, "0 nights"),
        ("nights.tsv", None, "paths of nights"),
        ([{"1": 0.5}, {"1": 0.6}], None, "nights without names"),
        ({"mon": {"1": 0.5}, "tue": {"2": 0.5}}, None, "no topic in common"),
        (NIGHTS, {"x": {"1": 0.5, "2": 0.5}, "y": {"1": 0.5, "2": 0.5}}, "baseline baseline without run a"),
        ({"mon": {"a": {"1": {"AP": 0.5}}}, "tue": {"a": {"1": {"RR": 0.5}}}}, None, "no measure that all nights have"),
    ],
)
def test_read_nights_wrong_input_raises(nights: Any, baseline: Any, message: str) -> None:
    with pytest.raises(cf.CranfieldError, match=message):
        read_nights(nights, baseline)
