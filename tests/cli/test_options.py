"""Options of several commands: `--run-names`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made import TREC, Command

ONE = "1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n2 Q0 z 1 1 r\n"
OTHER = "1 Q0 a 1 2 s\n2 Q0 c 1 1 s\n"
MORE = "1 Q0 z 3 0.5 s\n"


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    """Two runs in a file each, both in one, and a run with two tags."""
    contents = {"qrels": TREC, "r.run": ONE, "s.txt.gz": OTHER, "both": ONE + OTHER}
    contents |= {"mixed.run": ONE + MORE, "intents": "1 1 a 1\n1 2 b 1\n2 1 c 1\n"}
    contents["binary"] = TREC.replace(" 2\n", " 1\n")
    contents |= {"0.run": "".join(f"0{line}\n" for line in ONE.splitlines())}
    for name, text in contents.items():
        Path(name).write_text(text)


@pytest.mark.parametrize(
    "line",
    [
        "evaluate qrels {} -m RR -f tsv -q",
        "compare qrels {} -m RR -f json",
        "pool {} -f tsv",
        "label qrels {} -f tsv",
        "plan qrels {} -m RR -f tsv",
        "plot diversity intents {} -o x.html",
        "plot cwl vary qrels {} -m RBP -o x.html",
        "meta correlation qrels {} -m 'RR AP' -f tsv",
        "meta stability qrels {} -m RR -f tsv --sample judgments",
        "meta leave-one-out qrels {} -m RR -f tsv --depth 100",
    ],
)
def test_several_tags_are_as_several_files(cranfield: Command, line: str) -> None:
    done, apart = cranfield(line.format("both")), cranfield(line.format("r.run s.txt.gz"))
    assert (done.code, done.out) == (apart.code, apart.out), done.err
    assert done.err.replace("both", "") == apart.err
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    "line",
    ["evaluate qrels {} -m NumRet -f tsv", "label qrels {} -f tsv --topic 1", "pool {} -f tsv"],
)
def test_a_file_is_one_run_named_by_its_path(cranfield: Command, line: str) -> None:
    done = cranfield(f"{line.format('mixed.run')} --run-names file")
    assert done.code == 0, done.err
    named = {row.split("\t")[0] for row in done.out.splitlines()[1:]}
    assert "mixed.run" in done.out
    assert not named & {"r", "s"}
    assert "r" in {row.split("\t")[0] for row in cranfield(line.format("mixed.run")).out.split()}


def test_explain_is_of_one_run(cranfield: Command) -> None:
    assert cranfield("explain NumRet --on qrels mixed.run --run-names file").code == 0
    done = cranfield("explain NumRet --on qrels mixed.run")
    assert (done.code, done.err) == (2, "found 2 runs (r, s), expected one\n")


def test_validate(cranfield: Command) -> None:
    assert "2 run tags (r, s), read as separate runs" in cranfield("validate both").out
    assert "read as one run" in cranfield("validate mixed.run --run-names file").out
    assert cranfield("validate both --run-names file").code == 2


def test_no_topic_in_common(cranfield: Command) -> None:
    for line in (
        *("evaluate qrels 0.run", "evaluate qrels r.run 0.run --run-names file"),
        *("label qrels 0.run", "explain AP --on qrels 0.run", "compare qrels r.run 0.run"),
        *("meta correlation qrels r.run 0.run -m 'RR AP'", "pool r.run 0.run --qrels qrels"),
        *("plan qrels r.run 0.run", "plot cwl vary qrels 0.run -m RBP -o x.html"),
        "validate qrels 0.run",
    ):
        done = cranfield(line)
        assert done.code == 2, line
        assert "found topics 01, 02" in done.out + done.err, line
        assert "expected some of 1, 2" in done.out + done.err, line


def test_warnings_come_first(cranfield: Command) -> None:
    Path("few").write_text("".join(f"{i} 0 a 1\n" for i in range(1, 6)))
    told = cranfield("evaluate few r.run -m P@5").err.splitlines()
    assert told[0] == "warning: r: only 2 of 5 judged topics are in the run"
    assert all(line.startswith("note: ") for line in told[1:])
    Path("upper").write_text(ONE.replace(" a ", " A ").replace(" b ", " B "))
    told = cranfield("evaluate qrels upper -m P@5").err.splitlines()
    assert told[0] == (
        "warning: r: no retrieved document is judged. Check that the qrels columns are topic, doc, level."
    )


@pytest.mark.parametrize(
    "line",
    [
        "trec_eval qrels {}",
        "gdeval -c qrels {}",
        "ndeval -c intents {}",
        "cwl_eval binary {}",
    ],
)
def test_other_tools_have_one_run_a_file(cranfield: Command, line: str) -> None:
    """Two tags are one run, and topics that nobody judged no error where the tool has none."""
    done = cranfield(line.format("mixed.run"))
    assert done.code == 0, done.err
    done = cranfield(line.format("0.run"))
    assert "expected some of" not in done.err
