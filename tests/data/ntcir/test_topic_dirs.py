"""Directories of topics, as NTCIREVAL keeps them: judgments and runs in them, and what is wrong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.cli.main import main
from tests.data.made import SABC
from tests.made import Command, one, written

# -- topic directories ------------------------------------------------------------------------

DIRECTORY = {
    "0001/0001.rel": "a L2\nb L0\nc L1\n",
    "0001/0001.bm25.res": "b\na\nx\n",
    "0001/0001.dense.v2.res": "c\na\n",
    "0001/0001.bm25.lab": "b L0\na L2\nx\n",  # made by scripts, not read
    "0002/0002.rel": "d L1\n",
    "0002/0002.bm25.res": "",
    "0002/README": "not ours",
    ".git/config": "",
    "all.tid": "0001\n0002\n",
}


@pytest.fixture
def directory(small: Path) -> Path:
    for name, content in DIRECTORY.items():
        written(small / "dir" / name, content)
    return small / "dir"


def test_read_directory_judgments_and_runs(directory: Path) -> None:
    assert cf.read_qrels(directory).to_dict() == {
        "0001": {"a": 2, "b": 0, "c": 1},
        "0002": {"d": 1},
    }
    run = cf.read_run(directory / "bm25")
    assert run.name == "bm25"
    assert run.rankings() == {"0001": ["b", "a", "x"], "0002": []}
    assert cf.read_run("dir/dense.v2").rankings() == {"0001": ["c", "a"]}
    scores = cf.evaluate("dir", "dir", ["AP", "NumRet"])
    assert scores.runs == ("bm25", "dense.v2")
    assert scores["bm25", "0001", "AP"] == (1 / 2) / 2
    assert scores["dense.v2", "0001", "AP"] == 1


def test_read_run_empty_file_is_empty_ranking(directory: Path) -> None:
    both = cf.evaluate("dir", ["dir/bm25", "dir/dense.v2"], "AP", topics="common")
    assert both.topics == ("0001",)
    assert cf.evaluate("dir", "dir/bm25", "AP", topics="common").topics == ("0001", "0002")
    said = [n.text for n in cf.evaluate("dir", "dir", "AP").notes if n.kind == "missing-topics"]
    assert said == ["dense.v2: 1 topic (0002) missing, scored as empty"]


def test_evaluate_command_reads_directory(directory: Path, cranfield: Command) -> None:
    every = cranfield.printed("evaluate dir -m AP -q -f tsv")
    assert every == cranfield.printed("evaluate dir/ dir/bm25 dir/dense.v2 -m AP -q -f tsv")
    assert "dense.v2\t0001\tAP\t1.0\n" in every
    assert cranfield.printed("label dir dir/bm25 --topic 0002").startswith(
        "bm25, topic 0002: 0 of 1 relevant document found in 0 documents\n"
    )
    assert "R = 2, N = 1, n = 3" in cranfield.printed("explain AP --on dir dir/bm25")


def test_evaluate_directory_equals_single_file(directory: Path) -> None:
    """Lists are not ranked anew: TREC files say so with ties=given, whatever the scores."""
    Path("q").write_text("0001 0 a 2\n0001 0 b 0\n0001 0 c 1\n0002 0 d 1\n")
    Path("r").write_text("0001 Q0 b 1 0 r\n0001 Q0 a 2 5 r\n0001 Q0 x 3 5 r\n")
    measures = ["AP", "nDCG@2", "Q", "ERR", "bpref", "NumRet"]
    ours = cf.evaluate("dir", "dir/bm25", measures)
    theirs = cf.evaluate("q", "r", measures, ties="given")
    assert ours.values.tobytes() == theirs.values.tobytes()


def test_read_qrels_suffix_is_selected(directory: Path) -> None:
    """rel if there is one; another is asked for by name; the only one needs no name."""
    written(directory / "0001/0001.erel", "a L1 1\nb L1 1\n")
    assert cf.read_qrels("dir").to_dict()["0001"] == {"a": 2, "b": 0, "c": 1}
    assert cf.read_qrels("dir/*.erel").to_dict() == {"0001": {"a": 1, "b": 1}}
    classes = cf.EquivalenceClasses("dir/*.erel")
    assert one("dir/*.erel", "dir/bm25", "NumRel", labelling=classes) == 1
    for topic in ("0001", "0002"):
        (directory / topic / f"{topic}.rel").unlink()
    assert cf.read_qrels("dir").to_dict() == {"0001": {"a": 1, "b": 1}}
    written(directory / "0001/0001.jrel", "a L2\n")
    with pytest.raises(cf.InputError) as told:
        cf.read_qrels("dir")
    assert str(told.value) == "dir: found judgments erel, jrel, expected one suffix: dir/*.erel"


WRONG_FILES = {
    ("0001/0001.bm25.res", "b\na\nb\n"): "dir/0001/0001.bm25.res:3: duplicate document 'b' (first",
    ("0001/0001.bm25.res", "b\na c\n"): "dir/0001/0001.bm25.res:2: found spaces in 'a c', expecte",
    ("0001/0001.rel", "a L2\n\nb X\n"): "dir/0001/0001.rel:3: found label 'X', expected L0, L1, ",
    ("0001/0001.rel", "a 2\n"): "dir/0001/0001.rel:1: found label '2', expected L0, L1, L2",
    ("0001/0001.rel", "a\n"): "dir/0001/0001.rel:1: found 1 field ('a'), expected doc L2 or doc L",
    ("0001/0001.rel", "a L2 x y\n"): "dir/0001/0001.rel:1: found 4 fields ('a L2 x y'), expected",
    ("0001/0001.rel", "a L2\na L1\n"): "dir/0001/0001.rel:2: found level 1 for document a, expect",
}


@pytest.mark.parametrize(("file", "content"), WRONG_FILES)
def test_read_directory_invalid_file_raises(file: str, content: str, directory: Path) -> None:
    written(directory / file, content)
    with pytest.raises(cf.InputError) as told:
        cf.evaluate("dir", "dir/bm25", "AP")
    assert str(told.value).startswith(WRONG_FILES[file, content])


def test_read_directory_missing_files_raise(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in (
        ("dir/*.zrel dir/bm25", "dir/*.zrel: found no file such as 0001/0001.zrel, expected judg"),
        ("dir dir/nope", "cannot read dir/nope"),
        ("dir/0001 run", "dir/0001 is a directory, expected a file"),
        ("trec", "no run given. Usage: QRELS RUN…, or a directory with runs.\n"),
        (
            "dir dir/bm25 --classes dir",
            "dir/0001/0001.rel:1: found no class for a, expected doc L2",
        ),
    ):
        assert main(["evaluate", *arguments.split(), "-m", "AP"]) == 2
        assert capsys.readouterr().err.startswith(said)
    said = r"dir: found 2 runs \(bm25, dense.v2\), expected one run, such as dir/\*.bm25.res"
    with pytest.raises(cf.CranfieldError, match=said):
        cf.read_run("dir")


def test_read_runs_directory_is_all_runs(directory: Path) -> None:
    Path("other.run").write_text("0001 Q0 a 1 1 other\n")
    names = cf.evaluate("dir", ["dir", "other.run"], "AP").runs
    assert names == ("bm25", "dense.v2", "other")


def test_label_command_shows_all_runs(directory: Path) -> None:
    shown = cf.label("dir", ["dir"])
    assert [(one.topic, one.run) for one in shown] == [
        (topic, run) for topic in cf.read_qrels("dir").topics for run in ("bm25", "dense.v2")
    ]


def test_read_run_file_in_directory_is_no_directory_run(directory: Path) -> None:
    """DIR/bm25 is the directory's run if DIR has the judgments, and the file if not."""
    (directory / "bm25").write_text("0001 Q0 zzz 1 1 bm25\n0002 Q0 zzz 1 1 bm25\n")
    assert cf.evaluate("dir", "dir/bm25", "NumRelRet").values.sum() > 0
    qrels = cf.read_qrels("dir").to_dict()
    assert cf.evaluate(qrels, "dir/bm25", "NumRelRet").values.sum() == 0


def test_read_directory_labels_and_separator(directory: Path) -> None:
    written(directory / "0001/0001.rel", "a;S;1\nJohn Lennon;B;1\nb;C;2\n")
    written(directory / "0002/0002.rel", "d;A;1\n")
    written(directory / "0001/0001.bm25.res", "John Lennon\na\n")
    options: dict[str, Any] = {"separator": ";", "labels": SABC}
    with pytest.raises(cf.InputError, match=r"0001\.rel:1: found label 'S'"):
        cf.evaluate("dir", "dir/bm25", "AP", separator=";")
    scores = cf.evaluate("dir", "dir/bm25", ["NumRel", "AP"], **options)
    assert scores.values[0].tolist() == [[2, 1], [1, 0]]


def test_read_directory_classes_and_labels(directory: Path) -> None:
    written(directory / "0001/0001.rel", "a S 1\nb B 1\nc C 2\n")
    written(directory / "0002/0002.rel", "d A 1\n")
    classes = cf.EquivalenceClasses("dir")
    scores = cf.evaluate("dir", "dir/bm25", "NumRel", labels=SABC, labelling=classes)
    assert scores.values[0].tolist() == [[1], [1]]


def test_read_runs_unnamed_list_is_no_run(directory: Path) -> None:
    written(directory / "0001/0001.res", "a\n")
    assert cf.evaluate("dir", "dir", "AP").runs == ("bm25", "dense.v2")


def test_explain_directory_run_equals_evaluate(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / "bm25").write_text("0001 Q0 zzz 1 1 bm25\n")
    assert main(["explain", "RR", "--on", "dir", "dir/bm25", "--topic", "0001"]) == 0
    assert "zzz" not in capsys.readouterr().out


def test_validate_checks_topic_directories(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "dir"]) == 0
    out = capsys.readouterr().out.splitlines()
    places = dict.fromkeys(line.partition(":")[0] for line in out)
    assert list(places) == ["dir", "dir/*.bm25.res", "dir/*.dense.v2.res"]
    written(directory / "0001/0001.rel", "a L1\nb X\n")
    written(directory / "0001/0001.bm25.res", "a\na\n")
    assert main(["validate", "dir"]) == 2
    out = capsys.readouterr().out.splitlines()
    assert "dir/0001/0001.rel:2: error: found label 'X', expected L0, L1, L2, …" in out
    assert any(line.startswith("dir/0001/0001.bm25.res:2: error: duplicate document 'a'") for line in out)


# -- directories beside it that nobody may read ----------------------------------------------------


def test_read_unreadable_directory_affects_only_its_runs(
    small: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may not be read may hold a list of a run: if others of it are there, that is said."""
    Path("secret").mkdir()
    written(small / "0001/0001.bm25.res", "a\n")
    listed = os.listdir

    def some_only(path: Any) -> list[str]:
        if os.path.basename(path) == "secret":
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "listdir", some_only)
    cranfield.succeeds("evaluate trec - -m AP", stdin=Path("run").read_text())
    missing = "cannot read runn: no such file or directory"
    assert cranfield.refused("evaluate trec runn -m AP") == missing
    for run in "*.bm25.res", "bm25":
        refused = cranfield.refused(f"evaluate trec {run} -m AP")
        assert refused == "cannot read ./secret: permission denied"
