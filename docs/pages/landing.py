"""The first screen of the site: `docs/site/landing.md`, with examples and numbers of other documents.

Tests run the examples in README.md and docs/rag.md. The numbers are those of docs/performance.md and
docs/correctness.md.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
TEMPLATE = ROOT / "docs" / "site" / "landing.md"
_FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", flags=re.M | re.S)
_RAG_HEADINGS = ("Score retrieval", "Score answers", "Compare systems")


def write_landing_page(index: str) -> str:
    """Return the landing page, followed by the table of contents in docs/index.md."""
    return format_landing_page() + re.sub(r"^#", "##", index, flags=re.M)


def format_landing_page() -> str:
    """Return the template with its examples and numbers."""
    readme = _read("README.md")
    first, *commands = _find_block(readme, "console").splitlines(keepends=True)
    install, _, condition = first.partition("#")
    compared, measures = count_compared_measures(_read("docs/correctness.md"))
    values = {
        "install": _fence("console", install) + "\n\n" + condition.strip().replace("'", "`") + ".",
        "shell": _fence("console", "".join(commands)),
        "python": "\n\n".join(_fence(kind, _find_block(readme, kind)) for kind in ("python", "text")),
        "rag": "\n\n".join(_fence("console", _find_block(text, "console")) for text in _rag_sections()),
        "speed": find_speed(_read("docs/performance.md")),
        "compared": str(compared),
        "measures": str(measures),
        "others": str(measures - compared),
    }
    return re.sub(r"\{(\w+)\}", lambda m: values.get(m[1], m[0]), TEMPLATE.read_text(encoding="utf-8"))


def find_speed(performance: str) -> str:
    """Return the speed relative to trec_eval on text, rounded down."""
    row = re.search(r"^\| 7 million lines: trec_eval \| (\d+)\.\d+ x faster", performance, flags=re.M)
    if row is None:
        raise SystemExit("docs/performance.md: no row '7 million lines: trec_eval'")
    return row[1]


def count_compared_measures(correctness: str) -> tuple[int, int]:
    """Return the number of measures with a paper or a peer, and of all measures."""
    section = re.split(r"^## ", correctness.partition("\n## Measures\n")[2], maxsplit=1, flags=re.M)[0]
    lines = [line for line in section.splitlines() if re.match(r"\| (?!measure \||---)", line)]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return sum(bool(row[1] or row[2]) for row in rows), len(rows)


def _rag_sections() -> list[str]:
    text = _read("docs/rag.md")
    return [text.split(f"\n## {heading}\n")[1] for heading in _RAG_HEADINGS]


def _find_block(text: str, kind: str) -> str:
    """Return the text of the first fenced block of a kind."""
    return next(m[2] for m in _FENCE.finditer(text) if m[1] == kind)


def _fence(kind: str, text: str) -> str:
    return f"```{kind}\n{text.rstrip()}\n```"


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
