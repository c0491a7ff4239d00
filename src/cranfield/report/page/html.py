"""How the page becomes one file: template, styles, script and data put together.

A page that is opened from a disk has no place to load modules from, so the modules of the script
are laid one after the other, each after those it imports. A content-security policy allows exactly
this script and these styles, by their hashes, and nothing from anywhere else.
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

# How modules are written, so that a rule as simple as this can join them: an import is one line,
# what is exported is a declaration, and no two modules declare the same name.
_IMPORT = re.compile(r'^import \{ [\w, $]+ \} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) )", re.MULTILINE)


def build_html(data: Mapping[str, Any], title: str) -> str:
    """The page as one HTML file that needs no other.

    All of `data` stays data: the browser reads it as JSON, and the script shows it as text.
    """
    from_template = load_template()
    from markupsafe import Markup

    style, script = _read_source("page.css"), join_modules(MAIN_MODULE)
    # Nothing in a file of our own ends its element; what is in the data, as_data sees to.
    rendered: str = from_template.render(
        title=title,
        policy=build_policy(script, style),
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=Markup(serialize_data(data)),  # noqa: S704
    )
    return rendered


def load_template() -> Any:
    """The template, if the package is there that reads it."""
    environment = load("jinja2").Environment(autoescape=True, keep_trailing_newline=True)
    return environment.from_string(_read_source("page.html.j2"))


def serialize_data(data: Mapping[str, Any]) -> str:
    r"""JSON that cannot end the element it stands in, nor begin a comment there.

    >>> as_data({"id": "</script><!--"})
    '{"id":"\\u003c/script>\\u003c!--"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def build_policy(script: str, style: str) -> str:
    """The content-security policy: this script, these styles, and no network."""
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
    """A module and all it imports as one script, each after what it needs."""
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
    # The browser hashes text whose lines end in \n, whatever a checkout made of them.
    return read_bytes(os.path.join(FOLDER, name)).decode().replace("\r\n", "\n")
