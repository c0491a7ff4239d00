"""What `cranfield plan` and `cranfield meta` say of themselves, and their progress bars."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Self

import pytest

import cranfield as cf
from cranfield.meta.methods import METHODS
from tests import ROOT
from tests.made import Command

NAMES = [*METHODS]
COMMANDS = [["plan"], *(["meta", name] for name in NAMES)]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_usage_is_short(command: list[str], cranfield: Command) -> None:
    begin, _, rest = cranfield.printed(*command, "--help-all").partition("\n\n")
    usage, *_ = begin.splitlines()
    assert usage.startswith(f"usage: cranfield {' '.join(command)} [options] ")
    assert len(begin.splitlines()) <= 4
    assert ("--missing" in rest) == ("--scores" in rest)


def test_methods_are_in_the_order_of_the_page() -> None:
    page = (ROOT / "docs" / "meta.md").read_text()
    table = page.partition("## Choose a method")[2].partition("\n## ")[0]
    named = re.findall(r"`([a-z-]+)`", "".join(re.findall(r"\n\|.*", table)))
    assert [*dict.fromkeys(named)] == NAMES


def test_runs_of_judgments_are_not_asked_for(cranfield: Command) -> None:
    assert "required: QRELS2 (" in cranfield.refused("meta judgments qrels.txt")


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("discriminative-power", ["--trials", "50"]),
        ("discriminative-power", ["--trials", "50", "--test", "bootstrap"]),
        ("discriminative-power", ["--test", "t"]),
        ("judgments", ["--trials", "50"]),
        ("judgments", ["--test", "t"]),
    ],
)
def test_bars_end_where_tests_do(
    method: str,
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cranfield: Command,
) -> None:
    """Three runs and two measures: the steps of all tests are as many as were announced."""

    class Seen:
        total, done = -1, 0

        def __init__(self, files: object, said: str, total: int) -> None:
            Seen.total = total

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *problem: object) -> None:
            pass

        def update(self, more: int | str) -> None:
            Seen.done += 0 if isinstance(more, str) else more

    made = [str(path) for path in cf.simulate(topics=8, runs=3, depth=20, seed=3).write(tmp_path)]
    qrels = [path for path in made if "qrels" in path]
    runs = [path for path in made if "runs" in path]
    if method == "judgments":
        other = tmp_path / "other.txt"
        other.write_bytes(Path(qrels[0]).read_bytes())
        qrels.append(str(other))
    monkeypatch.setattr("cranfield.cli.runner.Progress", Seen)
    words = [*qrels, *runs, "-m", "AP RR", *options, "-o", str(tmp_path / "out.txt")]
    cranfield.succeeds("meta", method, *words)
    assert Seen.done == Seen.total > 0
