"""Suites: TOML files, directories of BEIR and MTEB, scores and judgments in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.evaluation.suites import SuiteScores, read_suite
from tests.made import written

QRELS = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\n"
GOOD = "q1 Q0 a 1 2.0 good\nq2 Q0 b 1 2.0 good\n"
POOR = "q1 Q0 x 1 2.0 poor\nq1 Q0 a 2 1.0 poor\nq2 Q0 b 1 2.0 poor\n"
NAMES = ("scifact", "nq")
TOML = """measure = "RR"
[collections.scifact]
qrels = "data/scifact/qrels/test.tsv"
[collections.nq]
qrels = "data/nq/qrels/test.tsv"
[systems]
poor = "runs/poor/{collection}.run"
good = "runs/good/{collection}.run"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two collections and two systems, as a file and as directories."""
    for name in NAMES:
        written(tmp_path / "data" / name / "qrels" / "test.tsv", QRELS)
        written(tmp_path / "runs" / "good" / f"{name}.run", GOOD)
        written(tmp_path / "runs" / "poor" / f"{name}.run", POOR)
    written(tmp_path / "suite.toml", TOML)
    return tmp_path


def read(path: Path, toml: str | None = None, **options: Any) -> SuiteScores:
    if toml is not None:
        written(path / "suite.toml", toml)
    return read_suite(path / "suite.toml", **options)


def means(suite_scores: SuiteScores) -> dict[str, Any]:
    return {name: scores.mean() for name, scores in suite_scores.scores.items()}


EXPECTED = {name: {"poor": {"RR": 0.75}, "good": {"RR": 1.0}} for name in NAMES}


class TestSuiteFile:
    def test_read_suite_file_equals_evaluate(self, suite: Path) -> None:
        result = read(suite)
        assert means(result) == EXPECTED
        assert result.measures == ("RR",)
        assert result.systems == {"poor": "poor", "good": "good"}

    def test_read_suite_measures_replace_those_of_file(self, suite: Path) -> None:
        assert read(suite, measures="AP P@1").measures == ("AP", "P@1")

    def test_read_suite_without_measure_is_ndcg(self, suite: Path) -> None:
        assert read(suite, TOML.replace('measure = "RR"', "")).measures == ("nDCG@10",)

    def test_read_suite_list_of_paths_are_seeds(self, suite: Path) -> None:
        paths = '["runs/good/{collection}.run", "runs/poor/{collection}.run"]'
        toml = TOML.replace('"runs/good/{collection}.run"', paths).replace("runs/poor/{collection}.run", "x", 1)
        for name in NAMES:
            written(suite / f"other/{name}", POOR)
        result = read(suite, toml.replace('poor = "x"', 'poor = "other/{collection}"'))
        assert result.systems == {"poor": "poor", "good-1": "good", "good-2": "good"}
        assert result.scores["nq"].runs == ("poor", "good-1", "good-2")

    def test_read_suite_options_of_collection_and_of_file(self, suite: Path) -> None:
        """exclude_self removes document a of topic a, on one collection or on all."""
        for name in NAMES:
            written(suite / f"data/{name}/qrels/test.tsv", QRELS.replace("q1\ta", "x\ta"))
            written(suite / f"runs/poor/{name}.run", POOR.replace("q1", "x"))
            written(suite / f"runs/good/{name}.run", GOOD.replace("q1", "x"))
        toml = TOML.replace("[collections.nq]", "[collections.nq]\nexclude_self = true")
        assert means(read(suite, toml)) == EXPECTED | {"nq": {"poor": {"RR": 1.0}, "good": {"RR": 1.0}}}
        assert means(read(suite, f"exclude_self = true\n{TOML}"))["scifact"]["poor"] == {"RR": 1.0}
        assert means(read(suite, TOML, options={"exclude_self": True}))["scifact"]["poor"] == {"RR": 1.0}

    def test_read_suite_paths_are_relative_to_file(
        self, suite: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        written(suite / "topics.txt", "q2\n")
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        toml = TOML.replace("[collections.nq]", '[collections.nq]\ntopics = "@topics.txt"')
        assert means(read(suite, toml))["nq"]["poor"] == {"RR": 1.0}

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("measure =", "mesure =", r"suite.toml: unknown key 'mesure'. Did you mean measure\?"),
            (
                "[collections.nq]\nqrels",
                "[collections.nq]\nqrel",
                r"collection nq: unknown key 'qrel'. Did you mean qr",
            ),
            ('"RR"', "7", r"suite.toml: found measure = 7, expected a measure such as"),
            ('"RR"', '"RRR"', r"collection scifact: .*RRR"),
            ("{collection}.run", "all.run", r"poor: 'runs/poor/all.run' has no \{collection\}. Every collection needs"),
            ("poor = ", "# ", r"found 1 system \(good\), expected at least 2"),
            ("data/nq/qrels/test", "data/nq/qrels/dev", r"collection nq: no judgments: .*dev.tsv does not exist"),
            (
                "runs/poor/",
                "runs/rich/",
                r"run poor is missing on 2 collections \(scifact, nq\): no file .*rich/scifact",
            ),
            ("[collections.nq]", '[collections."n q"]', r"found collection 'n q', expected a name without spaces"),
            ("[systems]", "[systems.x]", r"found x = \{.*\}, expected a path such as"),
            ("runs/good/", "runs/poor/", r"duplicate path 'runs/poor/\{collection\}.run' of good"),
            ("measure", "[collections.nq", r"suite.toml:1: found invalid TOML"),
        ],
    )
    def test_read_suite_wrong_file_raises(self, suite: Path, old: str, new: str, message: str) -> None:
        with pytest.raises(CranfieldError, match=message):
            read(suite, TOML.replace(old, new, 1))

    def test_read_suite_wrong_run_names_collection_and_line(self, suite: Path) -> None:
        written(suite / "runs/good/nq.run", "q1 Q0 a 1 2.0 good\nq2 Q0 b one\n")
        with pytest.raises(CranfieldError, match=r"collection nq: .*nq.run:2: "):
            read(suite)

    def test_read_suite_empty_judgments_names_collection(self, suite: Path) -> None:
        written(suite / "data/nq/qrels/test.tsv", "query-id\tcorpus-id\tscore\n")
        with pytest.raises(CranfieldError, match=r"collection nq: .*test.tsv"):
            read(suite)

    def test_read_suite_one_collection_raises(self, suite: Path) -> None:
        start = TOML.index("[collections.nq]")
        toml = TOML[:start] + TOML[TOML.index("[systems]") :]
        with pytest.raises(CranfieldError, match=r"found 1 collection \(scifact\), expected a suite of at least 2"):
            read(suite, toml)


class TestMissingRuns:
    @pytest.fixture
    def incomplete(self, suite: Path) -> Path:
        written(suite / "data/fiqa/qrels/test.tsv", QRELS)
        written(suite / "runs/good/fiqa.run", GOOD)
        return suite

    def test_read_suite_missing_run_raises(self, incomplete: Path) -> None:
        message = r"run poor is missing on 1 collection \(fiqa\). missing=\"common\" uses collections .*: 2 collections"
        with pytest.raises(CranfieldError, match=message):
            read_suite(incomplete / "data", incomplete / "runs")

    def test_read_suite_missing_common_names_excluded_collections(self, incomplete: Path) -> None:
        result = read_suite(incomplete / "data", incomplete / "runs", missing="common", measures="RR")
        assert {*result.scores} == {*NAMES}
        [note] = result.notes
        assert note.text == "1 collection (fiqa) excluded: 1 run (poor) missing there"

    def test_read_suite_part_without_run_excludes_the_collection(self, incomplete: Path) -> None:
        for part in ("android", "unix"):
            written(incomplete / f"data/cqa/{part}/qrels/test.tsv", QRELS)
            written(incomplete / f"runs/good/cqa/{part}.run", GOOD)
        written(incomplete / "runs/poor/cqa/unix.run", POOR)
        result = read_suite(incomplete / "data", incomplete / "runs", missing="common", measures="RR")
        assert {*result.scores} == {*NAMES}


class TestDirectories:
    def test_find_suite_equals_file(self, suite: Path) -> None:
        result = read_suite(suite / "data", suite / "runs", measures="RR")
        assert means(result) == EXPECTED
        assert [*result.scores] == ["nq", "scifact"]

    def test_find_suite_runs_in_directory_of_collections(self, suite: Path) -> None:
        (suite / "runs").rename(suite / "data" / "runs")
        assert means(read_suite(suite / "data", suite / "data" / "runs", measures="RR")) == EXPECTED

    def test_find_suite_predictions_of_mteb(self, suite: Path) -> None:
        """MTEB's tasks have other names than BEIR's directories."""
        for name, task in (("cqadupstack/android", "CQADupstackAndroidRetrieval"), ("webis-touche2020", "Touche2020")):
            written(suite / f"data/{name}/qrels/test.tsv", QRELS)
            for system, content in (("good", {"a": 2.0}), ("poor", {"x": 2.0, "a": 1.0})):
                predictions = {"mteb_model_meta": {"model_name": "x"}, "default": {"test": {"q1": content}}}
                written(suite / f"runs/{system}/{task}_predictions.json", json.dumps(predictions))
        result = read_suite(suite / "data", suite / "runs", measures="RR")
        assert means(result)["cqadupstack/android"] == {"good": {"RR": 0.5}, "poor": {"RR": 0.25}}
        assert len(result.scores) == 4

    def test_find_suite_unused_files_are_noted(self, suite: Path) -> None:
        written(suite / "runs/good/quora.run", GOOD)
        [note] = read_suite(suite / "data", suite / "runs").notes
        assert note.text == "good: 1 file (quora.run) ignored, named after no collection"

    def test_find_suite_swapped_directories_raise(self, suite: Path) -> None:
        with pytest.raises(CranfieldError, match=r"no collections in .*runs. Swap the two directories"):
            read_suite(suite / "runs", suite / "data")

    def test_find_suite_without_runs_raises(self, suite: Path) -> None:
        with pytest.raises(CranfieldError, match=r"data is a directory of collections without runs. Use runs="):
            read_suite(suite / "data")

    def test_find_suite_collection_without_judgments_raises(self, suite: Path) -> None:
        (suite / "data/quora").mkdir()
        written(suite / "runs/good/quora.run", GOOD)
        with pytest.raises(CranfieldError, match=r"collection quora has no judgments: .*test.tsv does not exist"):
            read_suite(suite / "data", suite / "runs")
        written(suite / "data/quora/qrels/dev.tsv", QRELS)
        with pytest.raises(CranfieldError, match=r"collection quora has no judgments: .* found dev.tsv"):
            read_suite(suite / "data", suite / "runs")

    def test_find_suite_two_runs_of_a_collection_raise(self, suite: Path) -> None:
        written(suite / "runs/good/nq.txt", GOOD)
        with pytest.raises(CranfieldError, match=r"two runs of collection nq, nq.run and nq.txt. Keep one"):
            read_suite(suite / "data", suite / "runs")

    def test_find_suite_one_system_raises(self, suite: Path) -> None:
        (suite / "runs/poor").rename(suite / "elsewhere")
        with pytest.raises(CranfieldError, match=r"found 1 system in .*runs, expected at least 2 directories"):
            read_suite(suite / "data", suite / "runs")


SCORES = {"a": {"1": 0.5, "2": 0.75}, "b": {"1": 0.25, "2": 0.5}}


class TestMappings:
    def test_read_suite_scores(self) -> None:
        result = read_suite({"x": SCORES, "y": SCORES})
        assert result.measures == ("score",)
        assert result.scores["y"].runs == ("a", "b")

    def test_read_suite_judgments_and_runs(self) -> None:
        content = {"qrels": {"q": {"d": 1}}, "runs": {"a": {"q": {"d": 1.0}}, "b": {"q": {"e": 1.0}}}, "depth": 10}
        result = read_suite({"x": content, "y": content}, measures="RR")
        assert means(result)["x"] == {"a": {"RR": 1.0}, "b": {"RR": 0.0}}

    def test_read_suite_different_measures_note(self) -> None:
        x, y = (cf.read_scores({r: {name: v} for r, v in SCORES.items()}) for name in ("AP", "RR"))
        result = read_suite({"x": x, "y": y})
        assert result.measures == ("AP, RR",)
        [note] = result.notes
        assert note.text == "macro means average different measures: AP on 1 collection (x); RR on 1 collection (y)"

    @pytest.mark.parametrize(
        ("name", "values", "reason"),
        [
            ("RNOD", SCORES, "lower is better"),
            ("num_rel_ret", SCORES, "a count"),
            ("DCG@10", SCORES, "from 0"),
            ("clicks", {"a": {"1": 5, "2": 7}, "b": {"1": 4, "2": 2}}, "scores outside 0 to 1"),
        ],
    )
    def test_read_suite_measures_that_cannot_be_averaged_raise(self, name: str, values: Any, reason: str) -> None:
        x = cf.read_scores({run: {"AP": scores} for run, scores in SCORES.items()})
        y = cf.read_scores({run: {name: scores} for run, scores in values.items()}, measures=[name])
        with pytest.raises(CranfieldError, match=rf"collection y has .* \({reason}.*Use one measure for all"):
            read_suite({"x": x, "y": y})

    @pytest.mark.parametrize(
        ("collections", "options", "message"),
        [
            ({"x": SCORES}, {}, r"found 1 collection \(x\), expected a suite of at least 2"),
            ({1: SCORES, "1": SCORES}, {}, "two collections of one name"),
            ({"x": SCORES, "y": {"a": SCORES["a"]}}, {}, r"run b is missing on 1 collection \(y\)"),
            ({"x": SCORES, "y": {"qrels": {}, "runs": {}}}, {}, "collections with scores and with qrels"),
            ({"x": SCORES, "y": {"a": {"1": 0.5}, "b": {"2": 0.5}}}, {}, "collection y: "),
            ({"x": SCORES, "y": SCORES}, {"options": {"depth": 10}}, "options of evaluate .depth. for scores"),
            ({"x": SCORES, "y": SCORES}, {"missing": "zero"}, "found missing='zero', expected one of error, common"),
            ([SCORES, SCORES], {}, "found list, expected a path, or a mapping"),
            ({"x": SCORES, "y": SCORES}, {"runs": "runs"}, "runs without a directory of collections"),
        ],
    )
    def test_read_suite_wrong_mapping_raises(self, collections: Any, options: Any, message: str) -> None:
        with pytest.raises(CranfieldError, match=message):
            read_suite(collections, **options)
