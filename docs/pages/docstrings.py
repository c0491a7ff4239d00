"""Conversion of docstrings to Markdown: code, formulas, lists of arguments and prose."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterator

from formulas import is_formula, typeset
from measures import escape_md

Linked = Callable[[str], str]


def plain(name: str) -> str:
    """Return a name as code without a link."""
    return f"`{name}`"


def written(text: str, linked: Linked = plain, names: Collection[str] = ()) -> str:
    """Convert a docstring to Markdown. `linked` adds links to names, `names` are letters of formulas.

    >>> print(written("One thing.\\n\\nalpha\\n    How much.\\n\\n>>> 1 + 1  # easy\\n2"))
    One thing.
    <BLANKLINE>
    `alpha`
    : How much.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1  # easy
    2
    ```
    """
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(_paragraph(p.rstrip(), linked, names) for p in paragraphs if p.strip())


def _paragraph(text: str, linked: Linked, names: Collection[str]) -> str:
    lines = text.splitlines()
    if text.lstrip().startswith(">>>"):
        shown = re.sub(r" *# doctest: .*", "", textwrap.dedent(text)).replace("<BLANKLINE>", "")
        return f"```pycon\n{shown}\n```"
    if is_formula(text) and (names or "Σ" in text):
        return typeset(text, names)
    if lines[0][0] != " " and len(lines) > 1 and all(line[:4] in {"", "    "} for line in lines[1:2]):
        return "\n\n".join(_definitions(lines, linked))
    if lines[0].startswith("    ") or any(re.search(r"\S {2,}\S|^ ", line) for line in lines):
        first = [lines.pop(0)] if lines[0].endswith(":") else []
        block = textwrap.dedent("\n".join(lines))
        return "\n\n".join([*map(escape_md, first), f"```text\n{block}\n```"])
    if re.fullmatch(r"\w+", text):
        return f"**{text}**"
    return prose(text, linked)


def _definitions(lines: list[str], linked: Linked) -> Iterator[str]:
    """Yield terms, each with its indented meaning."""
    terms = [i for i, line in enumerate(lines) if not line.startswith(" ")]
    for start, end in zip(terms, [*terms[1:], len(lines)], strict=True):
        named = ", ".join(f"`{name}`" for name in lines[start].split(", "))
        said = prose(textwrap.dedent("\n".join(lines[start + 1 : end])), linked)
        yield f"{named}\n: " + said.replace("\n", "\n  ")


def prose(text: str, linked: Linked = plain) -> str:
    """Convert prose. Names in code get links."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", text)
    return "".join((linked(x[1:-1]) if x[1] != "`" else x) if x.startswith("`") else escape_md(x) for x in parts if x)
