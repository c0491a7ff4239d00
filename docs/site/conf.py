"""Sphinx settings of the site. `make docs` runs `docs/pages/staging.py` and Sphinx."""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

import cranfield

sys.path.insert(0, str(Path(__file__).parent.parent / "pages"))
from demo_report import write_demo_report
from redirects import write_redirects

project = "cranfield"
author = "The cranfield developers"
version = release = cranfield.__version__
copyright = author

extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 6  # as GitHub makes them
root_doc = "index"
source_suffix = {".md": "markdown"}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
highlight_language = "text"

html_theme = "furo"
html_title = "cranfield"
html_static_path = ["static"]
html_favicon = "static/favicon.svg"
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False

TITLES = {"project/README": "README"}  # in the navigation
ABOVE = {"measures": "measures", "api": "api", "models": "models/README"}


def setup(app: Any) -> None:
    """Replace the navigation of Sphinx: its list of all pages on every page is slow."""
    app.config.html_search_scorer = str(app.srcdir / "scorer.js")
    app.connect("html-page-context", navigate, priority=400)  # before the theme's
    app.connect("build-finished", add_pages)


def add_pages(app: Any, error: Exception | None) -> None:
    """Write the pages of removed addresses and the report of the start page."""
    if error is None:
        write_redirects(Path(app.outdir))
        write_demo_report(Path(app.outdir))


def navigate(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Set the navigation: all sections, and the pages next to the current page."""
    found = json.loads((app.srcdir / "navigation.json").read_text(encoding="utf-8"))
    beside = [_plain(path) for path in found["besides"].get(f"{page}.md", [])]
    above = ABOVE.get(page.partition("/")[0], "") if beside else ""

    def item(path: str, level: int) -> str:
        here = path in {page, above}
        title = TITLES.get(path) or app.env.titles[path].astext()
        below = "".join(item(x, level + 1) for x in beside) if path == above else ""
        below = f"<ul>{below}</ul>" if below else ""
        current = "current " * here
        link = "#" if path == page else context["pathto"](path)
        return (
            f'<li class="toctree-l{level} {current}"><a class="{current}reference internal" '
            f'href="{link}">{escape(title)}</a>{below}</li>'
        )

    parts = []
    for title, paths in found["sections"].items():
        if title:
            shown = f'<span class="caption-text">{escape(title)}</span>'
            parts.append(f'<p class="caption" role="heading" aria-level="2">{shown}</p>')
        parts.append("<ul>" + "".join(item(_plain(x), 1) for x in paths) + "</ul>")
    context["toctree"] = lambda **_: "".join(parts)
    if "body" in context:  # so that keys can scroll the blocks
        context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')


def _plain(path: str) -> str:
    return str(PurePosixPath(path).with_suffix(""))
