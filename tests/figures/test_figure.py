"""Pages in a browser: they show what they should, alone and whatever names the data has."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import cranfield as cf

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-quic", "--disable-background-networking", "--disable-component-update"),
    "--virtual-time-budget=10000",
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH")


def page(path: Path, profile: Path) -> str:
    """What the page has become once its scripts have run."""
    command = [str(BROWSER), *OPTIONS, f"--user-data-dir={profile}", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=120)
    return done.stdout


@pytest.mark.slow
def test_a_picture_is_drawn_and_names_are_only_names(tmp_path: Path) -> None:
    name = "</script><script>document.title='broken out'</script>"
    lists = {"T1": [0.0, 1.0, 0.4], name: [1.0, 0.0, 0.2]}
    path = tmp_path / "picture.html"
    cf.plot.cwl(["RBP(p=0.8)", "INST(T=2)"], lists=lists).save(path)
    shown = page(path, tmp_path / "profile")
    drawn = re.search(r'<svg [^>]*class="marks" width="(\d+)" height="(\d+)"', shown)
    assert drawn is not None, shown[-2000:]
    assert int(drawn[1]) > 300
    assert int(drawn[2]) > 200
    assert len(re.findall('aria-roledescription="point"', shown)) >= 2 * 3 * 2 * 3
    assert "<title>cranfield</title>" in shown
