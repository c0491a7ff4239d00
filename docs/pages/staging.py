"""Sources of the site: documents and generated pages, with links between them.

`python docs/pages/staging.py DIRECTORY` writes them. The rows and headings of docs/index.md are the
sections of the navigation. A page without a link in docs/index.md is an error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import api
import measure_pages
from docstrings import written
from formulas import typeset
from landing import write_landing_page
from measures import anchors, families
from search_words import SCORER, format_keywords, read_search_words, write_scorer

from cranfield.measures.base import REGISTRY
from cranfield.measures.cwl import list_models

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
INDEX = "docs/index.md"
NAVIGATION = "navigation.json"
FIRST = ("README.md", "docs/install.md")  # before all sections
APART = ("docs/paper/paper.md", "docs/site/landing.md")  # a manuscript, and a part of the start page
METHODS = "docs/statistics.md"
GENERATED = {"api.md": "Reference"}  # documents in the repository cannot link to it

_FENCE = re.compile(r"^( *)(`{3,})(.*?)^\1\2`*$", flags=re.M | re.S)
_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s]+)\)")
_CODE = re.compile(r"`+[^`]+`+")


def documents() -> dict[str, str]:
    """Return the documents of the repository with their paths on the site."""
    found = {path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md")}
    placed = {path: path.removeprefix("docs/") for path in sorted(found - {*APART})}
    others = sorted(path.name for path in ROOT.glob("*.md"))
    return placed | {name: f"project/{name}" for name in others}


def stage(place: Path) -> None:
    """Write the sources of the site to an empty directory."""
    shutil.rmtree(place, ignore_errors=True)
    made = {**measure_pages.pages(), **api.pages()}
    placed = documents()
    used: set[str] = set()
    for source, target in placed.items():
        if target not in made:
            text = (ROOT / source).read_text(encoding="utf-8")
            text = write_landing_page(text) if source == INDEX else text
            made[target] = convert_document(text, source, placed, used)
    found = sections((ROOT / INDEX).read_text(encoding="utf-8"), placed)
    models = [p for p in made if re.match(r"models/(?!README)", p)]
    made["index.md"] += "".join(_toctree(pages, title) for title, pages in found.items())
    made["models/README.md"] += _toctree([p.removeprefix("models/") for p in models])
    for page, words in read_search_words().items():
        made[page] = format_keywords(words) + made[page]
    made[SCORER] = write_scorer()
    made[NAVIGATION] = json.dumps({"sections": found, "besides": _besides(made)}, indent=1)
    for target, text in made.items():
        (place / target).parent.mkdir(parents=True, exist_ok=True)
        (place / target).write_text(text, encoding="utf-8")
    pictures = {f"docs/models/{name.name}" for name in (DOCS / "models").glob("*.svg")}
    for source in used | pictures:
        target = place / source.removeprefix("docs/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, target)


# -- one document ---------------------------------------------------------------------------------


def convert_document(text: str, source: str, placed: dict[str, str], used: set[str]) -> str:
    """Return a document for the site. Linked files are added to `used`."""
    parts, start = [], 0
    for block in _FENCE.finditer(text):
        parts += [_convert_links(text[start : block.start()], source, placed, used), _block(block, source)]
        start = block.end()
    return "".join([*parts, _convert_links(text[start:], source, placed, used)])


def _block(found: re.Match[str], source: str) -> str:
    """Convert a fenced block: formulas, docstrings, and files with names."""
    kind, _, body = found[3].partition("\n")
    if kind == "formula":
        return typeset(body.rstrip())
    if kind == "text" and source == METHODS:
        head, _, told = body.partition("\n")
        return f"```python\n{head}\n```\n\n{written(told, names=_letters(head))}"
    if kind == "text" and (model := re.fullmatch(r"docs/models/(\w+)\.md", source)):
        names = [f.name for f in list_models()[model[1]].list_parameters()]
        return written(body, names=names or ["k"])
    return _add_caption(found[0])


def _letters(call: str) -> list[str]:
    """Return the arguments of a signature. Formulas use these names."""
    return re.findall(r"(\w+)(?=[=,)])", call)


def _add_caption(block: str) -> str:
    """Show the name of a file above its block."""
    block = re.sub(r"^( *`+)csv", r"\1text", block)  # without syntax highlighting
    return re.sub(r'^( *`+)(\w+) title="([^"]+)"', r"\1{code-block} \2\n:caption: \3\n", block)


def _convert_links(text: str, source: str, placed: dict[str, str], used: set[str]) -> str:
    """Return prose with links to addresses on the site."""
    code = [m.span() for m in _CODE.finditer(text)]

    def link(found: re.Match[str]) -> str:
        at = found.start(2)
        if any(a <= at < b for a, b in code) or re.match(r"[a-z]+:|#", found[2]):
            return found[0]
        return _target(found[1], found[2], source, placed, used)

    return _LINK.sub(link, text)


def _target(shown: str, target: str, source: str, placed: dict[str, str], used: set[str]) -> str:
    path, _, anchor = target.partition("#")
    file = os.path.normpath(PurePosixPath(source).parent / path)
    here = PurePosixPath(placed[source]).parent
    if file == "docs/measures.md" and anchor in _measures():
        return f"{shown}({os.path.relpath(f'measures/{_measures()[anchor]}.md', here)})"
    if file in placed:
        return f"{shown}({os.path.relpath(placed[file], here)}{f'#{anchor}' * bool(anchor)})"
    if (ROOT / file).is_file():
        used.add(file)
        return f"{shown}({os.path.relpath(file.removeprefix('docs/'), here)})"
    if (ROOT / file).is_dir():
        return shown[1:-1]  # a directory of the repository, not on the site
    raise SystemExit(f"{source}: {target} leads nowhere")


def _measures() -> dict[str, str]:
    """Return the pages of measures by anchor in docs/measures.md."""
    slugs = anchors(REGISTRY.values())
    return {slug: measure_pages.files()[c.__name__] for c, slug in slugs.items()}


# -- navigation -----------------------------------------------------------------------------------


def sections(index: str, placed: dict[str, str]) -> dict[str, list[str]]:
    """Return the pages of each section of the start page. A page is in its first section only.

    A section is a row of the first table, with its bold words as title, or the text below a
    heading. The first section has no title. Files outside docs/ without a link are in the last section.
    """
    found = {"": [placed[name] for name in FIRST]}
    taken = {"index.md", *found[""]}
    heading = ""
    for line in index.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        job = re.match(r"\| \*\*(.+?)\*\* \|", line)
        title = job[1][0].upper() + job[1][1:] if job and not heading else heading
        for page in _pages_of(line, placed):
            if page not in taken:
                taken.add(page)
                found.setdefault(title, []).append(page)
    for page, section in GENERATED.items():
        found.setdefault(section, []).append(page)
    about = [page for name, page in placed.items() if "/" not in name and page not in taken]
    found.setdefault(heading, []).extend(about)
    return found


def _pages_of(line: str, placed: dict[str, str]) -> Iterator[str]:
    for _, target in _LINK.findall(line):
        file = os.path.normpath(PurePosixPath(INDEX).parent / target.partition("#")[0])
        if file in placed:
            yield placed[file]


def _besides(made: Iterable[str]) -> dict[str, list[str]]:
    """Return the pages next to each page below another page: the family of a measure."""
    files = measure_pages.files()
    groups = [[f"measures/{files[c.__name__]}.md" for c in cs] for cs in families().values()]
    below = [page for page in made if not page.endswith("README.md")]
    groups += [[p for p in below if p.startswith(f"{name}/")] for name in ("api", "models")]
    return {page: group for group in groups for page in group}


def _toctree(pages: list[str], caption: str = "") -> str:
    named = f":caption: {caption}\n" if caption else ""
    return "\n".join(["", "```{toctree}", f":hidden:\n{named}", *pages, "```", ""])


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
