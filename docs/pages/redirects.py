"""Redirects from removed pages, listed in `docs/site/redirects.toml`, to their replacements."""

from __future__ import annotations

import json
import tomllib
from html import escape
from pathlib import Path

TABLE = Path(__file__).parent.parent / "site" / "redirects.toml"


def read_redirects() -> dict[str, str]:
    """Return the new address of each removed page or section."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def write_redirects(folder: Path) -> None:
    """Write one HTML page for each removed page, unless the page exists."""
    targets = {old: _to_html(new) for old, new in read_redirects().items()}
    for old, new in targets.items():
        path = folder / _to_html(old)
        if "#" not in old and not path.exists():
            path.write_text(_format_page(old, new, targets), encoding="utf-8")


def _format_page(old: str, new: str, targets: dict[str, str]) -> str:
    """Return a page that opens the new address of the page or of a section."""
    start = f"{old}#"
    sections = {k.removeprefix(start): v for k, v in targets.items() if k.startswith(start)}
    script = f"location.replace({json.dumps(sections)}[location.hash.slice(1)] || {json.dumps(new)})"
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Page moved</title>\n'
        f"<script>{script}</script>\n"
        f'<meta http-equiv="refresh" content="0; url={escape(new)}">\n'
        f'<link rel="canonical" href="{escape(new)}">\n'
        f'<p>This page has moved to <a href="{escape(new)}">{escape(new)}</a>.</p></html>\n'
    )


def _to_html(address: str) -> str:
    page, sign, anchor = address.partition("#")
    return page.removesuffix(".md") + ".html" + sign + anchor
