"""NTCIREVAL's scripts for 1CLICK: the session of its README, and values by hand."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.cli.main import main

# The sample files of NTCIREVAL's README, and what it shows of the results, with L = 500.
NUGGETS = """\
1C0-0001 N0001 3 10
1C0-0001 N0002 1 5
1C0-0001 N0003 3 5
1C0-0002 N0001 2 2
1C0-0002 N0002 6 5
1C0-0002 N0003 2 3
1C0-0002 N0004 2 2
"""
RUN = """\
1C0-0001 syslen= 500
1C0-0001 N0001 100
1C0-0001 N0002 50
1C0-0002 syslen= 10
1C0-0002 N0002 400
"""
RESULTS = """\
1C0-0001 #nuggets= 3 #matched= 2 #syslen= 500
1C0-0001 Recall=              0.667
1C0-0001 W-recall=            0.571
1C0-0001 S-measure=           0.482
1C0-0001 S-flat=              0.482
1C0-0001 T-measure=           0.030
1C0-0001 T-flat=              0.030
1C0-0001 F-flat=              0.056
1C0-0002 #nuggets= 4 #matched= 1 #syslen= 10
1C0-0002 Recall=              0.250
1C0-0002 W-recall=            0.500
1C0-0002 S-measure=           0.101
1C0-0002 S-flat=              0.101
1C0-0002 T-measure=           0.500
1C0-0002 T-flat=              0.500
1C0-0002 F-flat=              0.169
"""
SESSION = ("split-nuggets N test.nug", "split-matches N.tid A", "1click N.tid test.nug t -L 500")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the nuggets N and the run A."""
    monkeypatch.chdir(tmp_path)
    write("N", NUGGETS)
    write("A", RUN)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8")


def read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def ntcir(words: str, *more: str) -> int:
    return main(["ntcir", *words.split(), *more])


def evaluated(*runs: str) -> None:
    """The whole session."""
    nuggets, matches, evaluation = SESSION
    assert ntcir(nuggets) == 0
    assert ntcir(matches.removesuffix(" A"), *runs) == 0
    assert ntcir(evaluation, "--runs", *runs) == 0


def values(path: str) -> dict[tuple[str, str], str]:
    """``{(topic, measure): value}`` of results, as they are written."""
    lines = (line.split() for line in read(path).splitlines() if "#" not in line)
    return {(topic, name.rstrip("=")): value for topic, name, value in lines}


class TestSession:
    def test_readme(self, capfd: pytest.CaptureFixture[str]) -> None:
        evaluated("A")
        assert capfd.readouterr().err.splitlines() == [
            "created N.tid",
            "created 1C0-0001/1C0-0001.test.nug",
            "created 1C0-0002/1C0-0002.test.nug",
            "created 1C0-0001/1C0-0001.A.mat",
            "created 1C0-0002/1C0-0002.A.mat",
            "created A.t.1cl",
            "note: A: nuggets found beyond the end of the text of 1 topic (1C0-0002)",
        ]
        assert read("N.tid") == "1C0-0001\n1C0-0002\n"
        assert read("1C0-0001/1C0-0001.test.nug") == "N0001 3 10\nN0002 1 5\nN0003 3 5\n"
        assert read("1C0-0001/1C0-0001.A.mat") == "syslen= 500\nN0001 100\nN0002 50\n"
        assert read("A.t.1cl") == RESULTS

    def test_names_of_the_scripts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """L is 500 in the script, and runs are read from standard input."""

        def script(words: str) -> int:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"A\n")))
            return ntcir(words)

        assert ntcir("1CLICK-splitnuggets N test.nug") == 0
        assert script("1CLICK-splitmatch N.tid") == 0
        assert script("1CLICK-eval N.tid test.nug t") == 0
        assert read("A.t.1cl") == RESULTS

    def test_means_matrix_table(self, capfd: pytest.CaptureFixture[str]) -> None:
        evaluated("A")
        write("runs", "A\n")
        assert ntcir("means runs N.tid t.1cl W-recall") == 0
        assert read("runs.N.t.1cl.W-recall") == "A 0.5355\n"  # (0.571 + 0.500)/2
        capfd.readouterr()
        assert ntcir("matrix N.tid runs t.1cl S-flat") == 0
        assert capfd.readouterr().out == "0.4820\n0.1010\n"
        assert ntcir("table N.tid runs t.1cl F-flat") == 0
        assert "A\tall\tF-flat\t0.1125" in capfd.readouterr().out  # (0.056 + 0.169)/2

    def test_same_as_cranfield_text(self) -> None:
        write("B", RUN.replace("N0002 400", "N0002 8"))  # so that no offset is beyond the end
        evaluated("B")
        scores = cf.evaluate_texts(
            nuggets="N", matches="B", measures=["WRecall", "Sflat(L=500)", "Tflat", "Ssharp(L=500)"]
        )
        for theirs, measure in zip(
            ("W-recall", "S-flat", "T-flat", "F-flat"), scores.measures, strict=True
        ):
            for topic in scores.topics:
                ours = scores["B", topic, measure]
                assert values("B.t.1cl")[topic, theirs] == f"{ours:.3f}"

    def test_beta(self) -> None:
        """With β = 0, F is precision; T of topic 1 is (10 + 5)/500."""
        evaluated("A")
        assert ntcir("1click N.tid test.nug p -L 500 -beta 0 --runs A") == 0
        assert values("A.p.1cl")["1C0-0001", "F-flat"] == "0.030"

    def test_another_directory(self) -> None:
        assert ntcir("split-nuggets N test.nug --dir x") == 0
        assert ntcir("split-matches N.tid A --dir x") == 0
        assert ntcir("1click N.tid test.nug t -L 500 --dir x --runs A") == 0
        assert read("A.t.1cl") == RESULTS

    def test_separator(self) -> None:
        """Topic files may be somebody's own."""
        Path("q").mkdir()
        write("q/q.nug", "a nugget;1;10\n")
        write("q/q.B.mat", "syslen=;20\na nugget;10\n")
        write("tid", "q\n")
        assert ntcir("1click tid nug t -L 100 -sep ; --runs B") == 0
        # (100 − 10)/(100 − 10), and 10/20
        assert values("B.t.1cl")["q", "S-measure"] == "1.000"
        assert values("B.t.1cl")["q", "T-measure"] == "0.500"


class TestSplit:
    def test_first_place_counts(self) -> None:
        """By number: as text, 100 would come before 50."""
        write("A", "q syslen= 200\nq N 100\nq M 7\nq N 50\n")
        write("tid", "q\n")
        assert ntcir("split-matches tid A") == 0
        assert read("q/q.A.mat") == "syslen= 200\nM 7\nN 50\n"

    def test_topics(self, capfd: pytest.CaptureFixture[str]) -> None:
        write("A", "1C0-0001 syslen= 9\nother syslen= 9\n")
        evaluated("A")
        assert read("1C0-0002/1C0-0002.A.mat") == ""
        err = capfd.readouterr().err
        assert "note: A: nothing for 1 topic (1C0-0002)" in err
        assert "note: A: 1 topic (other) not in the list of topics, left out" in err
        assert "1C0-0002 #nuggets= 4 #matched= 0 #syslen= 0" in read("A.t.1cl")
        assert values("A.t.1cl")["1C0-0002", "F-flat"] == "0.000"

    def test_tables(self) -> None:
        write("n.csv", "topic,nugget,weight,text\nq,N,2.5,born 1942\n")
        write("m.csv", "topic,nugget,offset\nq,syslen=,20\nq,N,12\n")
        assert ntcir("split-nuggets n.csv nug") == 0
        assert ntcir("split-matches n.csv.tid m.csv") == 0
        assert read("q/q.nug") == "N 2.5 9\n"
        assert read("q/q.m.csv.mat") == "syslen= 20\nN 12\n"

    def test_missing_file(self, capfd: pytest.CaptureFixture[str]) -> None:
        evaluated("A")
        Path("1C0-0002/1C0-0002.A.mat").unlink()
        assert ntcir("1click N.tid test.nug t -L 500 --runs A") == 0
        said = "note: A: no file for 1 topic (1C0-0002), taken as empty texts"
        assert said in capfd.readouterr().err
        assert values("A.t.1cl")["1C0-0002", "Recall"] == "0.000"


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("q N 3\n", "B: found no length of topic q, expected q syslen= length"),
            ("q syslen= 9\nq syslen= 9\n", "B:2: found the length of topic q again"),
            ("q syslen= x\n", "B:1: found length 'x', expected a whole number from 0"),
            ("q syslen= 9\nq N 1.5\n", "B:2: found offset '1.5', expected a whole number from 0"),
            ("q syslen= 9\nq N -1\n", "B:2: found offset '-1', expected a whole number from 0"),
            ("q syslen= 9\nq N\n", "B:2: found 2 fields"),
            ('topic,nugget,offset\nq,syslen=,9\nq,"a b",3\n', "B: found nugget 'a b'"),
        ],
    )
    def test_matches(self, capfd: pytest.CaptureFixture[str], text: str, message: str) -> None:
        write("B", text)
        write("tid", "q\n")
        assert ntcir("split-matches tid B") == 2
        assert message in capfd.readouterr().err
        assert not Path("q").exists()

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            ("split-nuggets - nug", "found -, expected a file"),
            ("split-nuggets N res", "found suffix 'res', expected another, such as test.nug"),
            ("split-nuggets N ../x", "found suffix '../x'"),
            ("split-matches N.tid A ./A", "found A and ./A, expected different file names"),
            ("1click N.tid nug t -L 500 --runs A", "1C0-0001/1C0-0001.nug"),
            ("1click N.tid test.nug t -L 500 --runs C",
             "C: found no file such as 1C0-0001/1C0-0001.C.mat, expected the texts of the run"),
            ("1click N.tid test.nug t -L 5 --runs A",
             "1C0-0001/1C0-0001.test.nug: found -L 5, expected more than 5"),
            ("1click N.tid test.nug t --runs A", "-L"),
            ("1click N.tid test.nug t -L 500 -beta -1 --runs A", "found '-1'"),
        ],
    )  # fmt: skip
    def test_commands(self, capfd: pytest.CaptureFixture[str], command: str, message: str) -> None:
        evaluated("A")
        before = sorted(Path().rglob("*"))
        capfd.readouterr()
        try:
            code = ntcir(command)
        except SystemExit as stop:  # argparse's own
            code = int(str(stop.code))
        assert code == 2
        assert message in capfd.readouterr().err
        assert sorted(Path().rglob("*")) == before

    def test_nothing_is_written_if_one_run_is_wrong(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        evaluated("A")
        Path("A.t.1cl").unlink()
        write("1C0-0002/1C0-0002.B.mat", "syslen= 9\nX 3\n")
        assert ntcir("1click N.tid test.nug t -L 500 --runs A B") == 2
        assert "1C0-0002/1C0-0002.B.mat:2: found nugget X" in capfd.readouterr().err
        assert not Path("A.t.1cl").exists()
