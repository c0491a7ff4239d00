"""Scores for commands: clusters in files of scores are kept, or the file is rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.made import Command, written

TOPICS = range(1, 13)


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments, two runs, and a table with clusters of two topics, or of one to five."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "q", "".join(f"{i} 0 d 1\n" for i in TOPICS))
    written(tmp_path / "a", "".join(f"{i} Q0 {'x' * (i % 3 == 0) or 'd'} 1 2 a\n{i} Q0 y 2 1 a\n" for i in TOPICS))
    written(tmp_path / "b", "".join(f"{i} Q0 {'d' * (i % 2) or 'x'} 1 2 b\n{i} Q0 d2 2 1 b\n" for i in TOPICS))
    rows = "".join(f"{i},n{(i - 1) // 2},m{min(i, 8) // 2}\n" for i in TOPICS)
    written(tmp_path / "topics.csv", f"topic,need,other\n{rows}")
    return tmp_path


def evaluate(cranfield: Command, name: str, column: str, *more: str) -> None:
    words = ("evaluate", "q", "a", "b", "-m", "RR", "--clusters", f"topics.csv:{column}", "--quiet", *more)
    cranfield.succeeds(*words, *(("--record", name) if not more else ("-q", "-o", name)))


def read_pairs(cranfield: Command, *words: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(cranfield.printed(*words, "-f", "json"))["pairs"]
    return rows


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("form", [(), ("-f", "json")])
def test_compare_scores_with_clusters_equals_judgments(form: tuple[str, ...], cranfield: Command) -> None:
    evaluate(cranfield, "s.json", "need", *form)
    clusters = ("--clusters", "topics.csv:need")
    expected = read_pairs(cranfield, "compare", "q", "a", "b", "-m", "RR", *clusters)
    assert expected[0]["clusters"] == 6
    assert read_pairs(cranfield, "compare", "--scores", "s.json") == expected
    other = ("--clusters", "topics.csv:other")
    chosen = read_pairs(cranfield, "compare", "q", "a", "b", "-m", "RR", *other)
    assert read_pairs(cranfield, "compare", "--scores", "s.json", *other) == chosen
    assert chosen != expected


@pytest.mark.usefixtures("collection")
def test_compare_scores_different_clusters_are_an_error(cranfield: Command) -> None:
    evaluate(cranfield, "s.json", "need")
    evaluate(cranfield, "t.json", "other")
    message = cranfield.refused("compare", "--scores", "s.json", "t.json")
    assert "t.json: topic '1' is in the cluster 'm0', in s.json in 'n0'. Use the same --clusters" in message


@pytest.mark.usefixtures("collection")
def test_compare_record_without_its_clusters_is_an_error(cranfield: Command) -> None:
    """Former versions wrote means of clusters, but not the clusters."""
    evaluate(cranfield, "s.json", "need", "-f", "json")
    document = json.loads(Path("s.json").read_text(encoding="utf-8"))
    del document["clusters"]
    written(Path("s.json"), json.dumps(document))
    message = cranfield.refused("compare", "--scores", "s.json")
    assert "s.json: scores of topics in clusters, but not the clusters. Evaluate again with --clusters." in message


@pytest.mark.usefixtures("collection")
def test_suite_and_trend_use_or_reject_clusters_of_records(cranfield: Command) -> None:
    evaluate(cranfield, "s.json", "need")
    evaluate(cranfield, "t.json", "need")
    written(Path("suite.toml"), '[collections]\nx.scores = "s.json"\ny.scores = "t.json"\n')
    assert "other clusters of topics (CR2)" in cranfield.printed("suite", "suite.toml", "--table", "pairs")
    assert "nightly results of topics in clusters" in cranfield.refused("trend", "s.json", "t.json")


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("command", ["plan", "meta discriminative-power"])
def test_scores_with_clusters_command_without_clusters_warns(command: str, cranfield: Command) -> None:
    evaluate(cranfield, "s.json", "need", "-f", "json")
    done = cranfield(*command.split(), "--scores", "s.json")
    assert "topics are in 6 clusters, which this command ignores: the results assume independent topics" in done.err
