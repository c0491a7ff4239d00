"""What the site is built from: where documents go, what their links become, what leads to them."""

from __future__ import annotations

import math
import re
import sys
from importlib import import_module
from typing import Any

import pytest

import cranfield as cf
from cranfield.measures.base import REGISTRY
from tests import ROOT


@pytest.fixture(scope="module")
def staging() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "docs" / "pages"), *sys.path])
        return import_module("staging")


def test_the_start_page_leads_to_every_page(staging: Any) -> None:
    placed = staging.documents()
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = [page for pages in staging.sections(index, placed).values() for page in pages]
    below = {page for page in placed.values() if page.startswith("models/")} - {"models/README.md"}
    assert len(listed) == len(set(listed))
    assert set(listed) == {*placed.values(), *staging.GENERATED} - below - {"index.md"}


def test_a_row_or_a_heading_is_a_section_and_a_page_is_in_the_first(staging: Any) -> None:
    index = (
        "# All\n\n| I want to | |\n|---|---|\n| **write it** | [a](a.md), [b](b.md#x) |\n\n"
        "## More\n\n[b](b.md), [c](../README.md), [elsewhere](https://example.org/a.md)\n"
    )
    placed = {"docs/a.md": "a.md", "docs/b.md": "b.md", "README.md": "r.md", "docs/install.md": "i"}
    placed |= {"SECURITY.md": "s.md"}
    found = staging.sections(index, placed | {"docs/d.md": "d.md"})
    assert found == {
        "": ["r.md", "i"],
        "Write it": ["a.md", "b.md"],
        "More": ["s.md"],
        "Reference": ["api.md"],
    }


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("docs/compare.md", "[x](rankings.md#topics)", "[x](rankings.md#topics)"),
        ("docs/compare.md", "[x](../CONTRIBUTING.md)", "[x](project/CONTRIBUTING.md)"),
        ("CONTRIBUTING.md", "[x](docs/rankings.md#topics)", "[x](../rankings.md#topics)"),
        ("docs/models/RBP.md", "[x](../cwl.md)", "[x](../cwl.md)"),
        ("docs/compare.md", "[x](measures.md#ndcg)", "[x](measures/nDCG.md)"),
        ("docs/compare.md", "[x](measures.md#gap-1)", "[x](measures/gAP-1.md)"),
        ("docs/compare.md", "[x](measures.md#properties)", "[x](measures.md#properties)"),
        ("CONTRIBUTING.md", "see [pages](docs/pages)", "see pages"),
        ("README.md", "![x](docs/figures/runs.svg)", "![x](../figures/runs.svg)"),
        ("docs/tables.md", "`[x](rankings.md)` [y](#z)", "`[x](rankings.md)` [y](#z)"),
        (
            "README.md",
            "```text\n[x](docs/rankings.md)\n```\n",
            "```text\n[x](docs/rankings.md)\n```\n",
        ),
        (
            "docs/rankings.md",
            '```text title="a.run"\n1 Q0\n```\n',
            "```{code-block} text\n:caption: a.run\n\n1 Q0\n```\n",
        ),
    ],
)
def test_links_lead_to_where_pages_are(staging: Any, source: str, text: str, expected: str) -> None:
    assert staging.convert_document(text, source, staging.documents(), set()) == expected


def test_a_link_that_leads_nowhere_is_refused(staging: Any) -> None:
    with pytest.raises(SystemExit, match=r"docs/rankings\.md: nothing\.md leads nowhere"):
        staging.convert_document("[x](nothing.md)", "docs/rankings.md", staging.documents(), set())


def test_files_that_documents_lead_to_are_taken_along(staging: Any) -> None:
    used: set[str] = set()
    staging.convert_document("[a](LICENSE) ![b](docs/figures/runs.svg)", "README.md", staging.documents(), used)
    assert used == {"LICENSE", "docs/figures/runs.svg"}


def test_every_public_name_has_its_page(staging: Any) -> None:
    names = [name for names in staging.api.group_by_theme().values() for name in names]
    assert sorted([*names, *staging.api.MODULES, *REGISTRY]) == sorted(cf.__all__)


def test_formulas_and_docstrings_are_typeset(staging: Any) -> None:
    """Those of documents that say so, of user models and of methods; other text stays."""
    placed = staging.documents()

    def made(text: str, source: str) -> str:
        return str(staging.convert_document(text, source, placed, set()))

    assert "<mfrac>" in made("```formula\nW(i) = V(i) / ΣV\n```\n", "docs/cwl.md")
    assert made("```text\nW = 1/2\n```\n", "docs/cwl.md") == "```text\nW = 1/2\n```\n"
    model = made("```text\nC(i) = 1 / (1 + rate)\n\nTold.\n```\n", "docs/models/NPV.md")
    assert "<mi>rate</mi>" in model
    assert "\n\nTold." in model
    method = made("```text\nf(x, size=3)\n\nd = x / size\n\n>>> 1\n1\n```\n", staging.METHODS)
    assert method.startswith("```python\nf(x, size=3)\n```")
    assert "<mfrac><mi>x</mi><mi>size</mi></mfrac>" in method
    assert "```pycon\n>>> 1\n1\n```" in method


def test_landing_page_has_tested_examples_and_numbers(staging: Any) -> None:
    landing = import_module("landing")
    page = landing.format_landing_page()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```(?:python|console)\n(.*?)```$", readme, flags=re.M | re.S)[:2]
    assert all(line in page for example in examples for line in example.splitlines() if line[:5] != "$ pip")
    assert "cranfield answers assignments.csv" in page
    assert f"of {len(REGISTRY)} measures" in page
    assert set(re.findall(r"\{(\w+)\}", page)) == {"raw", "container"}


def test_landing_page_numbers_come_from_their_pages(staging: Any) -> None:
    landing = import_module("landing")
    table = "# A\n\n## Measures\n\n| measure | paper | peer | x |\n|---|---|---|---|\n"
    table += "| P | [a](b) |  |  |\n| Q |  |  | [x](y) |\n| R |  | [c](d) |  |\n\n## Methods\n\n| S | [a](b) | |\n"
    assert landing.count_compared_measures(table) == (2, 3)
    assert landing.find_speed("| 7 million lines: trec_eval | 15.96 x faster | at least 15 |\n") == "15"
    with pytest.raises(SystemExit, match="no row '7 million lines: trec_eval'"):
        landing.find_speed("| 7 lines | 2 x faster |\n")


def test_search_words_name_existing_pages_and_belong_to_one(staging: Any) -> None:
    table = import_module("search_words").read_search_words()
    guides = {page: words for page, words in table.items() if "/" not in page}
    assert guides.keys() <= set(staging.documents().values())
    every = [word for words in guides.values() for word in words]
    assert len(every) == len(set(every))
    assert all(word == word.lower() for word in every)
    assert {"err", "expected reciprocal rank"} == set(table["measures/ERR.md"])


def test_format_keywords_lists_single_words(staging: Any) -> None:
    text = import_module("search_words").format_keywords(["p-value", "t-test", "effect size"])
    assert 'keywords: "effect, p, size, t, test, value"' in text


def test_versions_of_ndcg_are_those_of_its_documentation(staging: Any) -> None:
    versions = import_module("versions")
    ndcg = REGISTRY["nDCG"]
    shown = {str(version) for version in versions.list_versions(ndcg, ["nDCG(discount=jk2008)", "AP"])}
    documented = {"nDCG", "nDCG(gain=exp)", "nDCG(discount=jk)", "nDCG(letor=true)", "nDCG(discount=jk2008)"}
    assert shown == {str(cf.parse_measure(name)) for name in documented}
    (row,) = [line for line in versions.format_versions(ndcg, []).splitlines() if "gdeval" in line]
    assert row == "| `nDCG(gain=exp)` | `exp` | `log2` | [gdeval](../gdeval.md) `ndcg@20` |"


def test_curves_are_discounts_of_ranks(staging: Any) -> None:
    """With one relevant document nDCG is its discount and AP is its reciprocal rank."""
    versions = import_module("versions")
    ranks = range(1, versions.DEPTH + 1)
    assert versions.compute_curve(cf.nDCG()) == pytest.approx([1 / math.log2(r + 1) for r in ranks])
    assert versions.compute_curve(cf.AP()) == pytest.approx([1 / r for r in ranks])
    figure = versions.draw_ranks(REGISTRY["P"], [])
    assert figure.count("<polyline") == 1
    assert ">P@10<" in figure


def test_measures_without_a_ranking_have_no_curve(staging: Any) -> None:
    versions = import_module("versions")
    assert versions.draw_ranks(REGISTRY["BLEU"], []) == ""
    assert versions.draw_ranks(REGISTRY["NumRel"], []) == ""
