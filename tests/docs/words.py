"""Number of hand-written words of each page: `python -m tests.docs.words`.

Words are counted as `wc -w` does, code included. Generated parts do not count: pages and sections with the mark
`<!-- generated … -->` (a section ends with `<!-- end -->`), and outputs, which `python -m tests.docs.test_docs outputs`
writes.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from tests import ROOT
from tests.docs.test_docs import LINKED, blocks

TOTAL = 50_000
HOW_TO, EXPLANATION = 900, 1_500
EXPLANATIONS = (
    "docs/architecture.md", "docs/cwl.md", "docs/definitions.md", "docs/diversity.md", "docs/judgments.md",
    "docs/labelling.md", "docs/levels.md", "docs/meta.md", "docs/performance.md", "docs/rankings.md",
    "docs/scale.md", "docs/testing.md",
)  # fmt: skip
_PAGE = re.compile(r"\A# [^\n]+\n\n<!-- generated")
_SECTION = re.compile(r"<!-- generated.*?<!-- end -->", flags=re.S)


class Words(NamedTuple):
    """Words of a page: all, and without outputs and generated sections."""

    page: str
    every: int
    written: int

    @property
    def limit(self) -> int:
        """Highest number of words without generated sections."""
        return EXPLANATION if self.page in EXPLANATIONS else HOW_TO


def count_words() -> list[Words]:
    """Return the words of all pages that are not generated."""
    pages = [page for page in LINKED if re.fullmatch(r"docs/[\w-]+\.md", page)]
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in [*pages, "docs/site/landing.md"]}
    return [_count_page(page, text) for page, text in texts.items() if not _PAGE.match(text)]


def _count_page(page: str, text: str) -> Words:
    every = len(_SECTION.sub("", text).split())
    return Words(page, every, every - _count_outputs(page))


def _count_outputs(page: str) -> int:
    count, previous = 0, ""
    for block in blocks(page):
        if block.language == "console":
            count += sum(len(line.split()) for line in block.lines if not line.startswith("$ "))
        elif block.language == "text" and block.follows and previous == "python":
            count += len(block.text.split())
        previous = block.language
    return count


if __name__ == "__main__":
    counts = count_words()
    for words in sorted(counts, key=lambda words: -words.every):
        print(f"{words.page:36} {words.every:6} {words.written:6}{' above limit' * (words.written > words.limit)}")
    total = sum(words.written for words in counts)
    print(f"{'all pages':36} {sum(words.every for words in counts):6} {total:6}{' above limit' * (total > TOTAL)}")
    sys.exit(total > TOTAL)
