"""One browser for all tests of pages: to start it takes longer than most of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-quic"),
    *("--disable-background-networking", "--disable-component-update"),
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, where there is one."""
    sync_api: Any = pytest.importorskip("playwright.sync_api", reason="no Playwright")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on PATH")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield started
        started.close()
