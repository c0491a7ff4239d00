"""Outputs replace neither inputs nor each other, nor files that are read-only."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.cli.commands import COMMANDS
from cranfield.cli.main import OWN_PARSERS, list_parsers
from cranfield.cli.parser import Parser
from cranfield.cli.paths import (
    INPUTS,
    INPUTS_AFTER_AT,
    INPUTS_WITH_COLUMN,
    OUTPUTS,
    RUN_NAMES,
    check_outputs,
    list_input_files,
)
from cranfield.errors import CranfieldError
from cranfield.options import Option
from tests.made import RUN, TREC, Command, split

# What values are called that are neither files nor numbers or choices.
WORDS = {
    "A,B", "A,B,…", "A=2,B=1,…", "C=NAME,…", "K=V", "KEY,KEY,…", "LEVELS", "LIMIT", "NAME",
    "NEVSUFFIX", "NUGSUFFIX", "P", "PREFIX", "RANKS:RATE,…", "RELSUFFIX", "S=3,A=2,…", "SIGN",
    "SUFFIX", "TEAM", "W,…", "TEXT", "TOPIC", "TOPIC/SESSION", "UNIT", "URL", "WORD", "X", "2=3,1=1,…",
    "4=2,3=2,…", "error", "skip", "LABEL", "SCORE",
}  # fmt: skip
READ_ELSEWHERE = {"DIR", "RUNS"}  # directories: their files are known once they are read


PARSERS = {parser.prog: parser for parser in list_parsers(name for name in COMMANDS if name not in OWN_PARSERS)}


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    """Judgments, and two runs."""
    contents = {"q": TREC, "r": RUN, "s": RUN.replace(" r\n", " s\n"), "topics": "1\n2\n"}
    for name, text in contents.items():
        Path(name).write_text(text)


def list_values(parser: Parser) -> list[Option]:
    """Return the options and arguments with a value of any text."""
    return [
        row
        for row in parser.rows
        if not (row.is_switch or row.choices or row.help is None) and row.value not in ("integer", "number")
    ]


@pytest.mark.parametrize("name", PARSERS)
def test_declared_options_are_inputs_outputs_or_words(name: str) -> None:
    """A new option that names a file must be listed in `cli/paths.py`."""
    for row in list_values(PARSERS[name]):
        metavars = [row.metavar] if isinstance(row.metavar, str) else row.metavar
        words = {word for text in metavars for word in text.split("|")}
        assert words, row
        known = words <= INPUTS | INPUTS_AFTER_AT | INPUTS_WITH_COLUMN | WORDS | READ_ELSEWHERE
        assert known or row.value != "text" or row.name in OUTPUTS, row


@pytest.mark.parametrize("name", PARSERS)
def test_check_outputs_every_input_option_raises(name: str) -> None:
    rows = PARSERS[name].rows
    outputs = [row for row in rows if row.name in OUTPUTS]
    for output in outputs:
        for row in list_values(PARSERS[name]):
            names = {*str(row.metavar).split("|")}
            is_input = names & (INPUTS | INPUTS_AFTER_AT | INPUTS_WITH_COLUMN)
            if row in outputs or row.name in RUN_NAMES or not is_input:
                continue
            word = "q" if names & INPUTS else "q:x" if names & INPUTS_WITH_COLUMN else "@q"
            options = argparse.Namespace(declared=rows)
            setattr(options, output.name, "../" + os.path.basename(os.getcwd()) + "/q")
            setattr(options, row.name, ["r", word] if row.nargs in ("*", "+") or row.repeat else word)
            assert "q" in [*list_input_files(options)]
            with pytest.raises(CranfieldError, match=r"is also an input \(q\)"):
                check_outputs(options)


@pytest.mark.parametrize("same", ["q", "./q", "d/../q", "link", "hard", "d/link", "chain"])
@pytest.mark.parametrize(
    "line",
    [
        "evaluate q r -o {}",
        "evaluate r q -o {} -m NoSuchMeasure",
        "compare r q s -o {}",
        "compare q r s --scores -o {}",
        "report r q s -o {}",
        "pool r s --qrels q -o {}",
        "pool r s --audit 1 --to-judge {} --topics @q",
        "plan r q s --plot {} -o plan.txt",
        "plot topics r q -o {}",
        "label q r -o {}",
        "assess aggregate q s -o {}",
        "assess agree s q -o {}",
        "validate r q -o {}",
        "explain AP --on q r -o {}",
        "explain AP --on r q -o {}",
        "presets --presets q -o {}",
        "measures --import q -o {}",
        "evaluate r s --lengths q -o {}",
        "evaluate r s --by q:x -o {}",
        "evaluate r s --intents r --intents q -o {}",
        "evaluate r s -m @q -o {}",
        "evaluate r s --gains @q -o {}",
        "evaluate r s --topics 1 --topics @q -o {}",
        "meta correlation r s --qrels2 q -o {}",
        "judge r s s --judge q -o {}",
        "letor eval-score q r {} 0",
        "letor ttest r q {}",
        "cwl_eval r s -c q -b {}",
        "ntcir convert trec q -o {}",
    ],
)
def test_main_output_is_an_input_raises(cranfield: Command, line: str, same: str) -> None:
    Path("d").mkdir()
    Path("link").symlink_to("q")
    Path("d/link").symlink_to("../q")
    Path("chain").symlink_to("d/link")
    os.link("q", "hard")
    found = cranfield.refused(*split(line.format(same)))
    assert f"cannot write {same}: it is also an input (q). Use another file name." in found
    assert Path("q").read_text() == TREC
    assert not Path("plan.txt").exists()


def test_main_output_in_topic_directory_raises(cranfield: Command) -> None:
    for name, text in {"1.rel": "a L1\n", "1.x.res": "a\n", "1.lab": "mine"}.items():
        Path("t/1").mkdir(parents=True, exist_ok=True)
        Path("t/1", name).write_text(text)
    for words in ("t", "t/*.rel t/*.x.res", "q t/x"):
        for name in ("1.rel", "1.x.res", "1.lab"):
            before = Path("t/1", name).read_text()
            said = cranfield.refused(f"evaluate {words} -o t/1/{name}")
            assert f"cannot write t/1/{name}: it is a file of the input directory" in said
            assert Path("t/1", name).read_text() == before
    for _ in range(2):
        cranfield.succeeds("evaluate t -o t/scores.txt -m AP")
        cranfield.succeeds("evaluate t -o t/1/new.txt -m AP")
        Path("t/1/new.txt").unlink()


def test_main_output_is_topics_file_without_sign_raises(cranfield: Command) -> None:
    for line in ("pool r s --topics topics -o topics", "validate r --topics topics -o topics"):
        assert "cannot write topics: it is also an input" in cranfield.refused(line)
        assert Path("topics").read_text() == "1\n2\n"


def test_main_output_is_listed_in_an_input_raises(cranfield: Command) -> None:
    """The options do not name the file, but another file does."""
    for name, text in {"1.rel": "a L1\n", "1.r.rel.nev": "a\n"}.items():
        Path("1").mkdir(exist_ok=True)
        Path("1", name).write_text(text)
    Path("tid").write_text("1\n")
    Path("1/1.r.res").write_text("a\n")
    os.link("1/1.rel", "1/1.r.x.lab")
    said = cranfield.refused("ntcir eval tid rel x -g 1:2:3 --runs r")
    assert said.endswith("cannot write 1/1.r.x.lab: it is also an input. Use another file name.")
    assert Path("1/1.rel").read_text() == "a L1\n"


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("pool r s --qrels q -o {} --unjudged {}", "both --unjudged and -o"),
        ("pool r s --pool {} -o {}", "both --pool and -o"),
        ("plan q r s -o {} --plot {}", "both -o and --plot"),
        ("pool r s --audit 1 --pool {} --to-judge {}", "both --pool and --to-judge"),
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_main_two_outputs_are_one_file_raises(cranfield: Command, line: str, options: str, exists: bool) -> None:
    Path("d").mkdir()
    if exists:
        Path("out.svg").write_text("before")
    said = cranfield.refused(*split(line.format("out.svg", "d/../out.svg")))
    assert f"{options} name this file. Use two files." in said
    assert Path("out.svg").exists() == exists


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize("line", ["evaluate q r -o {}", "simulate -o {}", "plan q r s --plot {}"])
def test_main_link_loop_as_output_raises(cranfield: Command, line: str) -> None:
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    said = cranfield.refused(line.format("a"))
    assert said == "cannot write a: its links form a loop. Use another file name."
    assert sorted(os.listdir()) == ["a", "b", "q", "r", "s", "topics"]


def test_main_read_only_output_raises(cranfield: Command) -> None:
    Path("out").write_text("before")
    Path("out").chmod(0o444)
    said = cranfield.refused("evaluate q r -m AP -o out")
    assert said == ("cannot write out: file is read-only. Use another file name, or make it writable.")
    assert Path("out").read_text() == "before"
    Path("out").chmod(0o644)
    cranfield.succeeds("evaluate q r -m AP -o out")


def test_save_read_only_file_raises() -> None:
    scores = cf.evaluate("q", "r", "AP")
    scores.save("scores.json")
    Path("scores.json").chmod(0o444)
    with pytest.raises(CranfieldError, match=r"cannot write scores\.json: file is read-only"):
        scores.save("scores.json")


def test_report_page_save_input_raises() -> None:
    page = cf.report_page("q", ["r", "s"], "AP", topics=Path("topics"))
    for name in ("q", "r", "./s", "topics"):
        before = Path(name).read_text()
        with pytest.raises(CranfieldError, match="it is also an input"):
            page.save(name)
        assert Path(name).read_text() == before
    page.save("page.html")
    page.save("page.html")


def test_main_output_twice_and_its_input_again_succeeds(cranfield: Command) -> None:
    """What one command wrote, another may read, and the first may write again."""
    for _ in range(2):
        cranfield.succeeds("evaluate q r s -m AP -q -f tsv -o scores.tsv")
        cranfield.succeeds("compare --scores scores.tsv -o AP")
        cranfield.succeeds("evaluate q r -m AP --topics 1 -o 1")
