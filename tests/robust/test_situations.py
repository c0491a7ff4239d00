"""Every command with a pipe that nobody reads, without streams, on a full disk, where it may not
write.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests import ROOT
from tests.robust.situations import SITUATIONS, families


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_every_command_in_every_situation() -> None:
    """In one process that forks for each: Polars must not have been at work there."""
    command = [sys.executable, "-m", "tests.robust.situations"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert all(f"{name}: " in ran.stdout for name in SITUATIONS)


def test_every_command_is_asked() -> None:
    """But those that only tell of others, and one of many that have the same front door."""
    from cranfield.cli.commands import COMMANDS

    assert {*COMMANDS} - {case.words[0] for case in families()} <= {"help", "completion", "ntcir"}
