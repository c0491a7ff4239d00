"""NTCIREVAL's scripts for 1CLICK: the session of its README, and values by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield as cf
from tests.made import Command
from tests.tools.made import read, write

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


def evaluated(ntcir: Command, run: str) -> str:
    """What is said in the whole session."""
    nuggets, matches, evaluation = SESSION
    whole = (nuggets, f"{matches.removesuffix(' A')} {run}", f"{evaluation} --runs {run}")
    return "".join(map(ntcir.told, whole))


def values(path: str) -> dict[tuple[str, str], str]:
    """``{(topic, measure): value}`` of results, as they are written."""
    lines = (line.split() for line in read(path).splitlines() if "#" not in line)
    return {(topic, name.rstrip("=")): value for topic, name, value in lines}


class TestSession:
    def test_readme(self, ntcir: Command) -> None:
        assert evaluated(ntcir, "A").splitlines() == [
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

    def test_names_of_the_scripts(self, ntcir: Command) -> None:
        """L is 500 in the script, and runs are read from standard input."""
        ntcir.succeeds("1CLICK-splitnuggets N test.nug")
        ntcir.succeeds("1CLICK-splitmatch N.tid", stdin="A\n")
        ntcir.succeeds("1CLICK-eval N.tid test.nug t", stdin="A\n")
        assert read("A.t.1cl") == RESULTS

    def test_means_matrix_table(self, ntcir: Command) -> None:
        evaluated(ntcir, "A")
        write("runs", "A\n")
        ntcir.succeeds("means runs N.tid t.1cl W-recall")
        assert read("runs.N.t.1cl.W-recall") == "A 0.5355\n"  # (0.571 + 0.500)/2
        assert ntcir.printed("matrix N.tid runs t.1cl S-flat") == "0.4820\n0.1010\n"
        table = ntcir.printed("table N.tid runs t.1cl F-flat")
        assert "A\tall\tF-flat\t0.1125" in table  # (0.056 + 0.169)/2

    def test_same_as_cranfield_text(self, ntcir: Command) -> None:
        write("B", RUN.replace("N0002 400", "N0002 8"))  # so that no offset is beyond the end
        evaluated(ntcir, "B")
        scores = cf.evaluate_texts(
            nuggets="N", matches="B", measures=["WRecall", "Sflat(L=500)", "Tflat", "Ssharp(L=500)"]
        )
        for theirs, measure in zip(("W-recall", "S-flat", "T-flat", "F-flat"), scores.measures, strict=True):
            for topic in scores.topics:
                ours = scores["B", topic, measure]
                assert values("B.t.1cl")[topic, theirs] == f"{ours:.3f}"

    def test_beta(self, ntcir: Command) -> None:
        """With β = 0, F is precision; T of topic 1 is (10 + 5)/500."""
        evaluated(ntcir, "A")
        ntcir.succeeds("1click N.tid test.nug p -L 500 -beta 0 --runs A")
        assert values("A.p.1cl")["1C0-0001", "F-flat"] == "0.030"

    def test_another_directory(self, ntcir: Command) -> None:
        ntcir.succeeds("split-nuggets N test.nug --dir x")
        ntcir.succeeds("split-matches N.tid A --dir x")
        ntcir.succeeds("1click N.tid test.nug t -L 500 --dir x --runs A")
        assert read("A.t.1cl") == RESULTS

    def test_separator(self, ntcir: Command) -> None:
        """Topic files may be somebody's own."""
        Path("q").mkdir()
        write("q/q.nug", "a nugget;1;10\n")
        write("q/q.B.mat", "syslen=;20\na nugget;10\n")
        write("tid", "q\n")
        ntcir.succeeds("1click tid nug t -L 100 -sep ; --runs B")
        # (100 − 10)/(100 − 10), and 10/20
        assert values("B.t.1cl")["q", "S-measure"] == "1.000"
        assert values("B.t.1cl")["q", "T-measure"] == "0.500"


class TestSplit:
    def test_first_place_counts(self, ntcir: Command) -> None:
        """By number: as text, 100 would come before 50."""
        write("A", "q syslen= 200\nq N 100\nq M 7\nq N 50\n")
        write("tid", "q\n")
        ntcir.succeeds("split-matches tid A")
        assert read("q/q.A.mat") == "syslen= 200\nM 7\nN 50\n"

    def test_topics(self, ntcir: Command) -> None:
        write("A", "1C0-0001 syslen= 9\nother syslen= 9\n")
        err = evaluated(ntcir, "A")
        assert read("1C0-0002/1C0-0002.A.mat") == ""
        assert "note: A: nothing for 1 topic (1C0-0002)" in err
        assert "note: A: 1 topic (other) not in the list of topics, skipped" in err
        assert "1C0-0002 #nuggets= 4 #matched= 0 #syslen= 0" in read("A.t.1cl")
        assert values("A.t.1cl")["1C0-0002", "F-flat"] == "0.000"

    def test_tables(self, ntcir: Command) -> None:
        write("n.csv", "topic,nugget,weight,text\nq,N,2.5,born 1942\n")
        write("m.csv", "topic,nugget,offset\nq,syslen=,20\nq,N,12\n")
        ntcir.succeeds("split-nuggets n.csv nug")
        ntcir.succeeds("split-matches n.csv.tid m.csv")
        assert read("q/q.nug") == "N 2.5 9\n"
        assert read("q/q.m.csv.mat") == "syslen= 20\nN 12\n"

    def test_missing_file(self, ntcir: Command) -> None:
        evaluated(ntcir, "A")
        Path("1C0-0002/1C0-0002.A.mat").unlink()
        said = "note: A: no file for 1 topic (1C0-0002), evaluated as empty texts"
        assert said in ntcir.told("1click N.tid test.nug t -L 500 --runs A")
        assert values("A.t.1cl")["1C0-0002", "Recall"] == "0.000"


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("q N 3\n", "B: found no length of topic q, expected q syslen= length"),
            (
                "q syslen= 9\nq syslen= 9\n",
                "B:2: found a second length of topic q, expected one length",
            ),
            ("q syslen= x\n", "B:1: found length 'x', expected an integer ≥ 0"),
            ("q syslen= 9\nq N 1.5\n", "B:2: found offset '1.5', expected an integer ≥ 0"),
            ("q syslen= 9\nq N -1\n", "B:2: found offset '-1', expected an integer ≥ 0"),
            ("q syslen= 9\nq N\n", "B:2: found 2 fields"),
            ('topic,nugget,offset\nq,syslen=,9\nq,"a b",3\n', "B: nugget 'a b' contains a space"),
        ],
    )
    def test_matches(self, text: str, message: str, ntcir: Command) -> None:
        write("B", text)
        write("tid", "q\n")
        assert message in ntcir.refused("split-matches tid B")
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
             "C: found no file such as 1C0-0001/1C0-0001.C.mat, expected texts of the run"),
            ("1click N.tid test.nug t -L 5 --runs A",
             "1C0-0001/1C0-0001.test.nug: found -L 5, expected more than 5"),
            ("1click N.tid test.nug t --runs A", "-L"),
            ("1click N.tid test.nug t -L 500 -beta -1 --runs A", "found '-1'"),
        ],
    )  # fmt: skip
    def test_commands(self, command: str, message: str, ntcir: Command) -> None:
        evaluated(ntcir, "A")
        before = sorted(Path().rglob("*"))
        assert message in ntcir.refused(command)
        assert sorted(Path().rglob("*")) == before

    def test_nothing_is_written_if_one_run_is_wrong(self, ntcir: Command) -> None:
        evaluated(ntcir, "A")
        Path("A.t.1cl").unlink()
        write("1C0-0002/1C0-0002.B.mat", "syslen= 9\nX 3\n")
        assert "1C0-0002/1C0-0002.B.mat:2: found nugget X" in ntcir.refused("1click N.tid test.nug t -L 500 --runs A B")
        assert not Path("A.t.1cl").exists()
