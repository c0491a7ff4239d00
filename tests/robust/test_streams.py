"""Standard output and error that are closed, full, or read by who leaves early, in a shell.

`test_situations.py` asks the same of every command, in forks.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="a shell")]


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """What bash does, with `cranfield` as a command of its own."""
    command = f'cranfield() {{ "{sys.executable}" -m cranfield "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)


def test_a_reader_that_leaves_early_is_no_error(small: Path) -> None:
    done = shell("cranfield evaluate trec run -q -f tsv | head -n 1; echo ${PIPESTATUS[0]}")
    assert done.stdout.splitlines() == ["run\ttopic\tmeasure\tvalue", "0"]
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("rest", ["-q -f tsv", "-o /dev/full"])
def test_a_full_disk_is_one_line(small: Path, rest: str) -> None:
    done = shell(f"cranfield evaluate trec run --quiet {rest} > /dev/full")
    where = " /dev/full" if "-o" in rest else ""
    assert (done.returncode, done.stderr) == (2, f"cannot write{where}: No space left on device\n")


def test_closed_streams(small: Path) -> None:
    assert shell("cranfield evaluate trec run -m AP >&-").returncode == 0
    wrong = shell("cranfield evaluate trec nothing.run 2>&-")
    assert (wrong.returncode, wrong.stdout) == (2, "")


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "2>/dev/full"])
def test_what_belongs_to_a_closed_stream_goes_nowhere(small: Path, closed: str) -> None:
    """And not into another."""
    done = shell(f"cranfield trec_eval -m map trec run {closed}")
    assert "Traceback" not in done.stderr
    assert "note:" not in done.stdout
    if closed != ">&-":
        assert done.stdout.startswith("map  ")
