"""What `make audit` makes of what pip and pip-audit say."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.audit import pinned, told


def said(*packages: Mapping[str, object]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


FINE = {"name": "numpy", "version": "2.3.5", "vulns": []}
BUG = {"id": "PYSEC-1", "fix_versions": ["3.1.6"], "aliases": [], "description": "long"}
BAD = {"name": "jinja2", "version": "3.1.0", "vulns": [BUG, BUG | {"fix_versions": []}]}
SKIPPED = {"name": "lz4", "skip_reason": "Dependency not found on PyPI"}


def test_all_that_is_installed_beside_cranfield() -> None:
    names = [("numpy", "2.3.5"), ("cranfield", "1"), ("Jinja2", "3.1.6")]
    report = {"install": [{"metadata": {"name": n, "version": v}} for n, v in names]}
    assert pinned(report) == ["Jinja2==3.1.6", "numpy==2.3.5"]


def test_nothing_is_known() -> None:
    assert told(said(FINE), "WARNING: of no interest") == []


def test_a_line_for_each_vulnerability() -> None:
    assert told(said(FINE, BAD), "") == [
        "jinja2 3.1.0: PYSEC-1, mended in 3.1.6",
        "jinja2 3.1.0: PYSEC-1, mended in no version",
    ]


def test_who_could_not_be_asked_is_not_fine() -> None:
    """pip-audit itself ends with 0 then."""
    found = told(said(FINE, SKIPPED), "")
    assert found == ["1 of 2 packages not audited: Dependency not found on PyPI"]


def test_a_service_out_of_reach_is_one_line() -> None:
    traced = "Traceback (most recent call last):\n  File …\nConnectionError: no such host\n"
    assert told("", traced) == ["pip-audit could not ask: ConnectionError: no such host"]
    assert told("", "") == ["pip-audit could not ask: it says nothing"]
