"""What has broken once does not break again: every case of the corpus, as a command."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import ROOT


@pytest.mark.slow
def test_corpus() -> None:
    """In one process that forks for each: Polars must not have been at work there."""
    command = [sys.executable, "-m", "tests.fuzz", "--corpus"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
