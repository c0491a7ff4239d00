"""What has broken once does not break again: every case of the corpus, as a command."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import ROOT
from tests.fuzz.corpus import CASES

POINTS = sorted({case.point for case in CASES})


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_corpus(point: int) -> None:
    """In a process that forks: Polars must not have been at work there."""
    command = [sys.executable, "-m", "tests.fuzz", "--corpus", str(point)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
