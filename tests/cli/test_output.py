"""Where results go, and in which format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made import Command

ENDS = {
    "csv": "csv", "tsv": "tsv", "json": "json", "jsonl": "jsonl", "md": "markdown", "tex": "latex",
    "html": "html", "parquet": "parquet", "MD": "markdown", "txt": "", "png": "",
}  # fmt: skip
COMMANDS = [
    "evaluate q one two -m AP",
    "compare q one two -m AP --quiet",
    "explain AP --on q one",
    "label q one",
    "measures AP",
    "presets",
    "validate q one",
    "assess agree q p",
    "assess aggregate q p",
    "meta correlation q one two three -m AP -m P@1 --quiet",
    "plan --sd 0.1 --difference 0.05",
]


@pytest.fixture
def files(here: Path) -> None:
    Path("q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n3 0 a 0\n3 0 b 1\n")
    Path("p").write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n2 0 b 0\n3 0 a 0\n3 0 b 1\n")
    for name, order in (("one", "ab"), ("two", "ba"), ("three", "b")):
        rows = [f"{t} Q0 {doc} {i} {9 - i} {name}\n" for t in (1, 2, 3) for i, doc in enumerate(order)]
        Path(name).write_text("".join(rows))


@pytest.mark.usefixtures("files")
class TestFormat:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_the_name_of_the_file_chooses_it(self, command: str, cranfield: Command) -> None:
        for end, format in ENDS.items() if command is COMMANDS[0] else [("csv", "csv"), ("", "")]:
            cranfield.succeeds(*command.split(), "-o", f"by-name.{end}")
            cranfield.succeeds(*command.split(), *(["-f", format] if format else []), "-o", "asked")
            assert Path(f"by-name.{end}").read_bytes() == Path("asked").read_bytes()

    def test_what_is_asked_for_wins(self, cranfield: Command) -> None:
        cranfield.succeeds(*COMMANDS[0].split(), "-f", "json", "-o", "x.csv")
        assert Path("x.csv").read_text().startswith("{")

    def test_the_pool_is_what_it_was(self, cranfield: Command) -> None:
        """-o is the pool there, which has formats of its own; with -f it is what is shown."""
        cranfield.succeeds("pool", "one", "two", "-o", "pool.csv")
        assert Path("pool.csv").read_text().startswith("topic,doc,to_judge\n1,a,1\n")
        cranfield.succeeds("pool", "one", "two", "-f", "csv", "-o", "shown.md")
        assert Path("shown.md").read_text().startswith("kind,name")
