"""Assembly of the HTML report: template, styles, scripts and data in one file.

A file opened from a disk cannot load modules, so the script modules are concatenated, each after
its imports. A content-security policy allows exactly this script and these styles, by their
hashes, and no network access.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any

from cranfield.data.files import read_bytes
from cranfield.lazy_imports import load

FOLDER = os.path.dirname(__file__)
MAIN_MODULE = "main.js"  # the module that imports all others

# Modules can be joined because each import is one line, only declarations are exported, and all
# names are distinct.
_IMPORT = re.compile(r'^import \{ [\w, $]+ \} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) )", re.MULTILINE)


def build_html(data: Mapping[str, Any], title: str, record: Mapping[str, Any] | None = None) -> str:
    """Return the report as one HTML file without dependencies, with its record if there is one.

    The data stay data: the browser reads them as JSON, and the script displays them as text.
    """
    from_template = load_template()
    from markupsafe import Markup

    style, script = _read_source("page.css"), join_modules(MAIN_MODULE)
    # Our files never end their element. serialize_data escapes the data.
    rendered: str = from_template.render(
        title=title,
        policy=build_policy(script, style),
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=Markup(serialize_data(data)),  # noqa: S704
        record=None if record is None else Markup(serialize_data(record)),  # noqa: S704
    )
    return rendered


def load_template() -> Any:
    """Return the template. Raise an error if jinja2 is missing."""
    environment = load("jinja2").Environment(autoescape=True, keep_trailing_newline=True)
    return environment.from_string(_read_source("page.html.j2"))


def serialize_data(data: Mapping[str, Any]) -> str:
    r"""Return JSON that cannot end its element or start a comment.

    >>> serialize_data({"id": "</script><!--"})
    '{"id":"\\u003c/script>\\u003c!--"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def build_policy(script: str, style: str) -> str:
    """Return the content-security policy: this script, these styles, no network."""
    allowed = {
        "default-src": "'none'",
        "script-src": _hash_source(script),
        "style-src": _hash_source(style),
        "img-src": "data:",
        "form-action": "'none'",
        "base-uri": "'none'",
    }
    return "; ".join(f"{kind} {source}" for kind, source in allowed.items())


def join_modules(name: str) -> str:
    """Return a module and its imports as one script, in order of dependency."""
    modules: dict[str, str] = {}
    _collect(name, modules)
    return "\n".join(modules.values())


def _collect(name: str, modules: dict[str, str]) -> None:
    text = _read_source(name)
    for dependency in _IMPORT.findall(text):
        if dependency not in modules:
            _collect(dependency, modules)
    modules[name] = f"// -- {name}\n" + _EXPORT.sub("", _IMPORT.sub("", text))


def _hash_source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _read_source(name: str) -> str:
    # The browser hashes text with \n line ends, but a checkout can have \r\n.
    return read_bytes(os.path.join(FOLDER, name)).decode().replace("\r\n", "\n")
