"""Search words of pages: `docs/site/search.toml`, and the full names of measures.

Sphinx finds words, not tasks: without these, a search for "significance" starts with the API. The
words become keywords in the index and rows of `scorer.js`, which orders the results.
"""

from __future__ import annotations

import inspect
import json
import tomllib
from pathlib import Path, PurePosixPath

import measure_pages

from cranfield.measures.base import REGISTRY

TABLE = Path(__file__).parent.parent / "site" / "search.toml"
SCORER = "scorer.js"  # next to the staged pages
_SCRIPT = """const searchWords = {words};
const searchedText = new URLSearchParams(location.search).get("q")?.trim().toLowerCase() ?? "";

var Scorer = {{
  score: ([page, , anchor, , score]) => {{
    const words = searchWords[page] ?? [];
    if (anchor.length > 1) return score - 1;
    if (words.includes(searchedText)) return score + (page.startsWith("measures/") ? 150 : 200);
    if (words.some((x) => ` ${{searchedText}} `.includes(` ${{x}} `))) return score + 50;
    return score + (/^(api|project)\\//.test(page) ? -4 : page.includes("/") ? 0 : 2);
  }},
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {{ 0: 15, 1: 5, 2: -5 }},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
}};
"""


def read_search_words() -> dict[str, list[str]]:
    """Return the search words of each page, by its path on the site."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8")) | _read_measure_names()


def _read_measure_names() -> dict[str, list[str]]:
    """Return the name and the full name of each measure: nDCG, normalised discounted cumulative gain."""
    words = {}
    for name, file in measure_pages.files().items():
        title = inspect.cleandoc(REGISTRY[name].__doc__ or "").partition("\n")[0]
        full_name = title.partition(":")[0].rstrip(".").lower()
        words[f"measures/{file}.md"] = [name.lower(), full_name]
    return words


def format_keywords(words: list[str]) -> str:
    """Return front matter with the single words as keywords of the index."""
    single = sorted({part for word in words for part in word.replace("-", " ").split()})
    return f"---\nmyst:\n  html_meta:\n    keywords: {json.dumps(', '.join(single))}\n---\n\n"


def write_scorer() -> str:
    """Return the script that orders the results of a search."""
    words = {str(PurePosixPath(page).with_suffix("")): words for page, words in read_search_words().items()}
    return _SCRIPT.format(words=json.dumps(words))
