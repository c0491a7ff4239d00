"""The page as one file: its policy allows its own script and styles, and data stays data."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
from html import escape, unescape

import pytest

from cranfield.errors import MissingPackage
from cranfield.report.page import html
from cranfield.report.page.html import build_html, join_modules
from tests.report.made_page import HOSTILE, hostile


@pytest.fixture(scope="module")
def text() -> str:
    return build_html(hostile(), HOSTILE[0])


def element(name: str, text: str) -> str:
    """What stands in the first element that begins so, up to where a browser ends it."""
    found = re.search(f"<{name}>(.*?)</{name.split(maxsplit=1)[0]}", text, re.DOTALL)
    assert found is not None, name
    return found[1]


def test_policy_allows_only_own_script_and_styles(text: str) -> None:
    found = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    policy = dict(part.split(" ", 1) for part in unescape(found[1]).split("; "))
    for kind, name in (("script-src", 'script type="module"'), ("style-src", "style")):
        digest = hashlib.sha256(element(name, text).encode()).digest()
        assert policy.pop(kind) == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert policy == {
        "default-src": "'none'",
        "img-src": "data:",
        "form-action": "'none'",
        "base-uri": "'none'",
    }


def test_serialize_data_escapes_and_reads_back(text: str) -> None:
    data = element('script type="application/json" id="data"', text)
    assert "<" not in data
    assert json.loads(data) == hostile()
    assert text.count("</script") == text.count("<script") == 2
    assert element("title", text) == escape(HOSTILE[0])


def test_join_modules_orders_by_dependency() -> None:
    script = join_modules("main.js")
    modules = re.findall("^// -- (.*)$", script, re.MULTILINE)
    there = sorted(name for name in os.listdir(html.FOLDER) if name.endswith(".js"))
    assert sorted(modules) == there, "a module that nobody imports, or one twice"
    assert modules[-1] == "main.js"
    assert modules.index("dom.js") < modules.index("tables.js") < modules.index("topics.js")
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script, re.MULTILINE)
    assert len(names) == len(set(names)) > 50


def test_missing_jinja_error_has_the_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingPackage, match=r'HTML reports need Jinja2 .* install "jinja2>=3.1"'):
        build_html({}, "")
