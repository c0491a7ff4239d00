"""What programs are told on standard error: --errors json."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cranfield.cli.commands import COMMANDS
from cranfield.cli.messages import FORMATS, KINDS, get_error_format, strip_error_format
from tests import ROOT
from tests.made import Command, Done

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 d 1\nq3 0 a 1\n"
GOOD = "q1 Q0 a 1 3.0 good\nq2 Q0 d 1 1.5 good\nq3 Q0 a 1 1 good\n"
BAD = "q1 Q0 b 1 3.0 bad\nq2 Q0 x 1 1.5 bad\nq3 Q0 x 1 1 bad\n"
FIELDS = {"level", "kind", "message", "file", "line", "found", "expected", "hint", "exit"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with judgments, two runs and a file with a mistake on its second line."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "q": QRELS,
        "good": GOOD,
        "bad": BAD,
        "wrong": f"{QRELS[:8]}\nq1 0\n",
    }.items():
        Path(name).write_text(text)


def objects(done: Done) -> list[dict[str, Any]]:
    """What is said, line by line; every line of an error has all fields, and the exit code."""
    found = [json.loads(line) for line in done.err.splitlines()]
    for told in found:
        if told["level"] == "error" and told["kind"] != "gate":
            assert {*told} >= FIELDS
            assert told["exit"] == done.code
    return found


class TestErrors:
    def test_a_line_of_a_file(self, cranfield: Command) -> None:
        done = cranfield("evaluate wrong good --errors json")
        (told,) = objects(done)
        assert (done.code, done.out) == (2, "")
        assert (told["kind"], told["file"], told["line"]) == ("input", "wrong", 2)
        assert told["found"] == "2 fields ('q1 0')"
        assert told["expected"].startswith("4: topic iteration doc level")
        plain = cranfield("evaluate wrong good").err.rstrip("\n")
        assert told["message"] == plain

    def test_a_file_that_is_not_there(self, cranfield: Command) -> None:
        (told,) = objects(cranfield("evaluate q nowhere --errors=json"))
        assert (told["kind"], told["file"]) == ("file", "nowhere")
        assert told["found"] == "no such file or directory"

    def test_a_file_that_cannot_be_written(self, cranfield: Command) -> None:
        (told,) = objects(cranfield("evaluate q good -o no/where.csv --errors json"))[-1:]
        assert (told["kind"], told["file"]) == ("file", "no/where.csv")

    @pytest.mark.parametrize(
        ("line", "found", "expected", "hint"),
        [
            ("evaluate q good --depht 10", "--depht", None, "Did you mean --depth?"),
            ("evalute q good", "evalute", None, "Did you mean evaluate?"),
            ("compare q good bad --ties x", "'x'", "one of ", "`cranfield compare -h` explains"),
            ("evaluate", None, None, "`cranfield evaluate -h` explains"),
        ],
    )
    def test_usage(self, line: str, found: str | None, expected: str | None, hint: str, cranfield: Command) -> None:
        done = cranfield(f"--errors json {line}")
        (told,) = objects(done)
        assert (done.code, told["kind"]) == (2, "usage")
        assert (told["found"], told["hint"]) == (found, hint)
        assert (told["expected"] or "").startswith(expected or "")

    def test_a_package_that_is_missing(self, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "scipy.special", None)
        (told,) = objects(cranfield("compare q good bad --errors json"))
        assert (told["kind"], told["expected"]) == ("missing-package", "cranfield[stats]")
        assert told["hint"].endswith('python -m pip install "scipy>=1.15"')

    def test_users_code(self, cranfield: Command) -> None:
        Path("mine.py").write_text("x = 1\ny = x / 0\n")
        (told,) = objects(cranfield("evaluate q good --import mine.py --errors json"))
        assert (told["kind"], told["file"], told["line"]) == ("user-code", "mine.py", 2)
        assert told["found"] == "ZeroDivisionError: division by zero"
        assert "traceback" not in told
        (told,) = objects(cranfield("evaluate q good --import mine.py --errors json -v"))
        assert "ZeroDivisionError" in told["traceback"]

    def test_our_mistakes(self, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(options: object) -> int:
            raise ValueError("no\nnumber")

        monkeypatch.setattr("cranfield.cli.presets.run", fails)
        (told,) = objects(cranfield("presets --errors json"))
        assert told["kind"] == "internal"
        assert told["message"].startswith("cranfield failed: ValueError: no number")

    def test_other_tools(self, cranfield: Command) -> None:
        """Their commands have no option of ours; it stands before their name."""
        done = cranfield("--errors json trec_eval q")
        (told,) = objects(done)
        assert (done.code, told["kind"], told["exit"]) == (1, "usage", 1)
        (told,) = objects(cranfield("--errors=json trec_eval wrong good"))
        assert (told["kind"], told["message"].split(":")[:2]) == ("refused", ["wrong", "2"])
        (told,) = objects(cranfield("--errors json gdeval wrong good"))
        assert (told["kind"], told["line"]) == ("input", 2)


class TestNotes:
    def test_each_in_full(self, cranfield: Command) -> None:
        done = cranfield("evaluate q good bad -m P@1 --errors json")
        assert done.code == 0
        told = objects(done)
        assert {(one["level"], one["kind"], one["run"]) for one in told} == {("note", "unjudged", "bad")}
        assert [one["message"] for one in told] == [
            line.removeprefix("note: ") for line in cranfield("evaluate q good bad -m P@1 -v").err.splitlines()
        ]
        assert cranfield("evaluate q good bad -m P@1 --errors json --quiet").err == ""

    def test_the_gate(self, cranfield: Command) -> None:
        words = "compare q good bad -m P@1 --baseline good --fail-if-worse --margin 0 --quiet"
        done = cranfield(f"{words} --errors json")
        assert done.code == 1
        (told,) = objects(done)
        assert (told["level"], told["kind"], told["exit"]) == ("error", "gate", 1)
        assert (told["run"], told["other"], told["measure"]) == ("bad", "good", "P@1")
        assert told["decision"] == "fail"
        assert told["difference"] == -1.0
        assert told["message"] == cranfield(words).err.rstrip("\n")


def test_the_environment_asks_as_well(cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_ERRORS", "json")
    assert objects(cranfield("evaluate q nowhere"))[0]["kind"] == "file"
    assert cranfield("evaluate q nowhere --errors text").err.startswith("cannot read")


def test_options_are_found_before_they_are_read() -> None:
    assert [get_error_format(x.split()) for x in ("evaluate", "x --errors json", "--errors=json x")] == [
        *("text", "json", "json")
    ]
    assert strip_error_format(["--errors", "json", "trec_eval"]) == ["trec_eval"]
    assert strip_error_format(["--errors=json", "trec_eval", "x"]) == ["trec_eval", "x"]
    assert strip_error_format(["trec_eval", "--errors", "json"]) == [
        "trec_eval",
        "--errors",
        "json",
    ]


@pytest.mark.parametrize("name", [name for name, row in COMMANDS.items() if row.is_native])
def test_every_command_has_it(name: str, cranfield: Command) -> None:
    if name in ("help", "completion"):
        return
    assert f"--errors {{{','.join(FORMATS)}}}" in cranfield.printed(name, "--help-all")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_the_installed_command(tmp_path: Path) -> None:
    """Errors that end the process early are told alike, and are one line each."""
    words = ["evaluate", "q", "good", "--errors", "json"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cranfield", *words],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    told = json.loads(done.stderr.splitlines()[-1])
    assert (done.returncode, told["kind"], told["exit"]) == (2, "output", 2)


def test_kinds_are_documented() -> None:
    page = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    told = {*re.findall(r"^\| `([a-z-]+)` \|", page, re.M)}
    assert told >= {*KINDS.values(), "usage", "output", "gate"}
