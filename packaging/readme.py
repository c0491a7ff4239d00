"""The README as PyPI shows it, where a link to a file of the repository would lead nowhere.

If pyproject.toml has a `Repository` among its URLs, links lead there; without one, they are words
with the name of the file in the source archive.
"""

from __future__ import annotations

import re

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:)([^)\s]+)\)")
NOTE = "Files that are named here, such as `docs/index.md`, are in the source archive."


def described(readme: str, repository: str = "") -> str:
    """The README without relative links."""

    def link(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if repository:
            return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/HEAD/{path})"
        if picture:
            return f"*{words}*"
        file = path.partition("#")[0]
        return f"`{file}`" if words == file else f"{words} (`{file}`)"

    title, first, rest = LINK.sub(link, readme).split("\n\n", 2)
    return "\n\n".join([title, first, *([] if repository else [NOTE]), rest])
