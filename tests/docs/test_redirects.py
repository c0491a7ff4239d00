"""Removed pages of the documentation lead to existing pages."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.docs.test_docs import anchors


@pytest.fixture(scope="module")
def redirects() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "docs" / "pages"), *sys.path])
        return import_module("redirects")


def test_redirects_lead_from_removed_to_existing_pages(redirects: Any) -> None:
    for old, new in redirects.read_redirects().items():
        page, _, anchor = new.partition("#")
        assert not (ROOT / "docs" / old.partition("#")[0]).exists(), old
        assert (ROOT / "docs" / page).is_file(), new
        assert not anchor or anchor in anchors(ROOT / "docs" / page), new


def test_redirects_of_sections_have_a_page(redirects: Any) -> None:
    table = redirects.read_redirects()
    assert {old.partition("#")[0] for old in table} <= table.keys()


def test_write_redirects_keeps_existing_pages(redirects: Any, tmp_path: Path) -> None:
    (tmp_path / "tables.html").write_text("new")
    redirects.write_redirects(tmp_path)
    assert (tmp_path / "tables.html").read_text() == "new"
    page = (tmp_path / "guide.html").read_text()
    assert 'content="0; url=index.html"' in page
    assert '"topics": "rankings.html#topics"' in page
    assert not list(tmp_path.glob("*#*"))
