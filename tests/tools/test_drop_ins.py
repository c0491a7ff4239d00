"""What the commands of other tools share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made import Command
from tests.tools.made import read, write

RUN = "1 Q0 d1 1 3 {}\n1 Q0 d2 2 2 {}\n2 Q0 d9 1 2 {}\n2 Q0 d3 2 1 {}\n"
QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d3 1\n"


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    write("one", RUN.format(*["x"] * 4))
    write("tags", RUN.format("x", "y", "z", "x"))
    write("qrels", QRELS)
    write("intents", QRELS.replace(" 0 d", " 1 d"))


class TestAFileIsOneRun:
    """As in the originals: of several tags, they print one or none, and count every line."""

    @pytest.mark.parametrize(
        "command",
        [
            "trec_eval -q qrels {}",
            "trec_eval -q -m runid -m all_trec qrels {}",
            "gdeval qrels {}",
            "ndeval intents {}",
            "cwl_eval qrels {}",
        ],
    )
    def test_evaluation(self, command: str, cranfield: Command) -> None:
        several, one = (cranfield(command.format(run)) for run in ("tags", "one"))
        assert several.code == one.code == 0
        assert several.out == one.out
        assert several.out

    def test_splitting(self, ntcir: Command) -> None:
        """NTCIR's lists have no tags: the file names the run."""
        write("tid", "1\n2\n")
        for run in ("tags", "one"):
            ntcir.succeeds("split-runs", "tid", run)
        for topic, docs in (("1", "d1\nd2\n"), ("2", "d9\nd3\n")):
            assert read(f"{topic}/{topic}.tags.res") == read(f"{topic}/{topic}.one.res") == docs


@pytest.mark.parametrize("command", ["gdeval qrels {}", "ndeval intents {}", "cwl_eval qrels {}"])
class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("1 Q0 a 1 x t", "1: found score 'x', expected a finite number"),
            ("1 Q0 a 1 nan t", "1: found score 'nan', expected a finite number"),
            ("1 Q0 a 1 1", "1: found 5 fields ('1 Q0 a 1 1'), expected 6: topic q0 doc rank score "
             "tag"),
            ("1 Q0 a 1 2 t\n1 Q0 a 2 1 t",
             "2: duplicate document 'a' in topic 1 (first on line 1)"),
            ("", " file is empty"),
        ],
    )  # fmt: skip
    def test_in_runs(self, command: str, text: str, said: str, cranfield: Command) -> None:
        write("run", text)
        assert cranfield.refused(*command.format("run").split()) == f"run:{said}"

    def test_no_judgments(self, command: str, cranfield: Command) -> None:
        _, qrels, _ = command.split()
        write(qrels, "")
        said = cranfield.refused(*command.format("one").split())
        assert said.startswith(f"{qrels}: file is empty")
