"""`cranfield suite`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.made import Command, written

QRELS = "".join(f"q{i} 0 d 1\n" for i in range(1, 7))


def rank_document(topics: int, shift: int = 0) -> str:
    """A run with the relevant document first on some topics, and second on the others."""
    lines = []
    for i in range(1, 7):
        docs = ["d", "x"] if (i + shift) % 6 < topics else ["x", "d"]
        lines += [f"q{i} Q0 {doc} {r} {-r} t\n" for r, doc in enumerate(docs, start=1)]
    return "".join(lines)


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three collections with runs of three systems, as directories and as a file."""
    for k, name in enumerate(("nq", "quora", "scifact")):
        written(tmp_path / f"beir/{name}/qrels/test.tsv", QRELS)
        for system, topics in (("bm25", 2), ("dense", 5), ("sparse", 1)):
            written(tmp_path / f"runs/{system}/{name}.run", rank_document(topics, k))
    collections = [f'[collections.{n}]\nqrels = "beir/{n}/qrels/test.tsv"\n' for n in ("nq", "quora", "scifact")]
    systems = [f'{s} = "runs/{s}/{{collection}}.run"\n' for s in ("bm25", "dense", "sparse")]
    written(tmp_path / "suite.toml", "".join(['measure = "RR"\n', *collections, "[systems]\n", *systems]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("suite")
class TestSuite:
    def test_suite_file_and_directories_are_equal(self, cranfield: Command) -> None:
        from_file = cranfield.printed("suite", "suite.toml", "-f", "tsv")
        from_directories = cranfield.printed("suite", "beir", "--runs", "runs", "-m", "RR", "-f", "tsv")
        assert from_file == from_directories
        assert len(from_file.splitlines()) == 4

    def test_suite_answer_is_first(self, cranfield: Command) -> None:
        lines = cranfield.printed("suite", "suite.toml", "--baseline", "bm25").splitlines()
        assert lines[0].startswith("By RR, dense is significantly better than bm25 on these 3 collections:")
        assert "95% interval" in lines[0]
        assert "p = " in lines[0]

    def test_suite_latex_has_a_column_per_collection(self, cranfield: Command) -> None:
        cranfield.succeeds("suite", "suite.toml", "-o", "table.tex")
        text = Path("table.tex").read_text(encoding="utf-8")
        assert r"system & nq & quora & scifact & macro mean \\" in text
        assert text.count(r"\underline{") == 4

    def test_suite_json_has_all_tables(self, cranfield: Command) -> None:
        document = json.loads(cranfield.printed("suite", "suite.toml", "-f", "json"))
        assert {"cells", "runs", "forest", "pairs", "settings"} <= document.keys()
        assert document["settings"]["collections"] == 3

    def test_suite_fail_if_worse_exits_with_1(self, cranfield: Command) -> None:
        result = cranfield("suite", "suite.toml", "--baseline", "dense", "--fail-if-worse", "--quiet")
        assert result.code == 1
        assert "bm25 is significantly worse than dense" in result.err
        result = cranfield("suite", "suite.toml", "--baseline", "sparse", "--fail-if-worse", "--quiet")
        assert result.code == 0

    def test_suite_margin_can_be_undecided(self, cranfield: Command) -> None:
        line = ["suite", "suite.toml", "--baseline", "bm25", "--fail-if-worse", "--margin", "0.1"]
        result = cranfield(*line, "--quiet", "--table", "verdicts", "-f", "tsv")
        assert result.code == 1
        assert "verdict: undecided, which fails: cannot tell whether sparse is worse than bm25 by RR" in result.err
        assert "topics like these would decide" in result.err
        header, *rows = (row.split("\t") for row in result.out.splitlines())
        assert [row[header.index("decision")] for row in rows] == ["pass", "undecided"]
        assert cranfield(*line, "--undecided", "pass").code == 0
        document = json.loads(cranfield(*line, "-f", "json").out)
        assert [row["passes"] for row in document["verdicts"]] == [True, False]

    def test_suite_missing_common(self, cranfield: Command) -> None:
        os.remove("runs/dense/nq.run")
        refused = cranfield.refused("suite suite.toml")
        assert "run dense is missing on 1 collection (nq): no file runs/dense/nq.run. --missing common uses" in refused
        document = json.loads(cranfield.printed("suite", "suite.toml", "--missing", "common", "-f", "json"))
        assert document["settings"]["collections"] == 2

    def test_suite_systems_pattern_groups_seeds(self, cranfield: Command) -> None:
        os.rename("runs/bm25", "runs/dense-2")
        os.rename("runs/dense", "runs/dense-1")
        line = ["suite", "beir", "--runs", "runs", "-m", "RR", "--systems", "dense-*", "-f", "json"]
        [pair] = json.loads(cranfield.printed(*line))["pairs"]
        assert (pair["run"], pair["other"], pair["seeds"], pair["other_seeds"]) == ("dense", "sparse", 2, 1)
        [fixed] = json.loads(cranfield.printed(*line, "--seeds", "fixed"))["pairs"]
        assert fixed["seed_share"] is None
        assert fixed["se"] < pair["se"]

    def test_suite_evaluation_options_hold_for_all_collections(self, cranfield: Command) -> None:
        header, *rows = cranfield.printed(
            "suite", "suite.toml", "--depth", "1", "--table", "cells", "-f", "tsv"
        ).splitlines()
        means = {tuple(row.split("\t")[1:3]): float(row.split("\t")[4]) for row in rows}
        assert header.split("\t")[4] == "mean"
        assert means["nq", "dense"] == pytest.approx(5 / 6)
        assert means["quora", "sparse"] == pytest.approx(1 / 6)

    def test_suite_slices_and_clusters_by_file_of_collection(self, cranfield: Command) -> None:
        for name in ("nq", "quora", "scifact"):
            rows = "".join(f"q{i},{'ab'[i > 5]},{i // 2}\n" for i in range(1, 7))
            written(Path(f"beir/{name}/topics.csv"), f"topic,kind,need\n{rows}")
        line = ["suite", "suite.toml", "--clusters", "beir/{collection}/topics.csv:need", "-f", "json"]
        plain, clustered = (json.loads(cranfield.printed(*words))["pairs"] for words in (line[:2] + line[4:], line))
        assert [row["difference"] for row in plain] == [row["difference"] for row in clustered]
        assert [row["se"] for row in plain] != [row["se"] for row in clustered]
        suite = Path("suite.toml")
        text = 'by = "beir/{collection}/topics.csv:kind"\n' + suite.read_text(encoding="utf-8")
        suite.write_text(text, encoding="utf-8")
        slices = json.loads(cranfield.printed("suite", "suite.toml", "-f", "json"))["slices"]
        assert {(row["slice"], row["collections"], row["topics"]) for row in slices} == {("a", 3, 15)}

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("suite beir", "beir is a directory of collections without runs. Use --runs RUNS"),
            ("suite runs --runs beir", "no collections in runs. Swap the two directories."),
            ("suite absent.toml", "absent.toml"),
            ("suite suite.toml --runs runs", "runs of a suite file. Name them in its table [systems]."),
            ("suite suite.toml --baseline best", "found baseline 'best', expected one of 3 runs (bm25, dense, sparse)"),
            ("suite suite.toml --seeds fixed", "seeds without systems of several runs. Use systems=… or --systems."),
            ("suite suite.toml --systems bm*", "all systems have one run. Omit --systems."),
            ("suite suite.toml -m nDGC", "collection nq: "),
            ("suite suite.toml --fail-if-worse", "--fail-if-worse requires --baseline"),
            ("suite suite.toml --margin 0.1", "--margin requires --fail-if-worse"),
            (
                "suite suite.toml --systems x-* --baseline bm25 --fail-if-worse",
                "--fail-if-worse is not defined with --systems",
            ),
            ("suite suite.toml -o suite.toml", "suite.toml"),
            ("suite beir/nq/qrels/test.tsv", "test.tsv:1: found invalid TOML"),
        ],
    )
    def test_suite_wrong_use_is_an_error(self, line: str, message: str, cranfield: Command) -> None:
        assert message in cranfield.refused(line)
