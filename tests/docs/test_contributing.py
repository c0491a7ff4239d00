"""The examples of CONTRIBUTING.md, applied to a copy of the repository.

A section "Add a …" is a complete change. Its blocks have titles:

- ``title="FILE"`` creates the file, or appends to an existing one;
- ``title="FILE" after="TEXT"`` inserts the block below the only line that contains the text.

Then the commands of its ``sh`` block run in the copy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

SECTIONS = ("a measure", "an option", "a format", "a figure", "a statistic", "a command")
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?(?: after="([^"]+)")?\n(.*?)^```$', re.M | re.S)


def read_section(title: str) -> str:
    """Return the text below the heading "Add …" up to the next heading of its level."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sections = {part.partition("\n")[0]: part for part in text.split("\n## ")[1:]}
    return sections[f"Add {title}"]


def copy_repository(folder: Path) -> None:
    """Copy the files that the tests of a change need."""
    for name in ("src", "tests", "docs", "bench"):
        ignored = shutil.ignore_patterns("__pycache__", "*.svg", "*.png")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy(path, folder)


def apply_block(folder: Path, name: str, after: str, code: str) -> None:
    """Create a file, append to it, or insert below a line."""
    path = folder / name
    if not after:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8").rstrip("\n") + "\n\n\n" if path.exists() else ""
        path.write_text(text + code, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    matches = [number for number, line in enumerate(lines) if after in line]
    assert len(matches) == 1, f"{name}: {len(matches)} lines contain {after!r}"
    lines.insert(matches[0] + 1, code)
    path.write_text("".join(lines), encoding="utf-8")


@pytest.mark.parametrize("title", SECTIONS)
def test_contributing_example_works_in_copy(title: str, tmp_path: Path) -> None:
    copy_repository(tmp_path)
    blocks = _BLOCK.findall(read_section(title))
    changes = [(name, after, code) for _, name, after, code in blocks if name]
    commands = [code for language, name, _, code in blocks if language == "sh" and not name]
    assert any(name.startswith("src/") for name, *_ in changes)
    assert any(name.startswith("tests/") for name, *_ in changes)
    assert len(commands) == 1
    for name, after, code in changes:
        apply_block(tmp_path, name, after, code)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euc", commands[0]],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
