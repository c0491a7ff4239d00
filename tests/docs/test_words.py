"""Length of the pages that are written by hand."""

from __future__ import annotations

from tests.docs.words import EXPLANATIONS, count_words


def test_pages_are_short() -> None:
    """A how-to page has at most 900 words, an explanation 1,500, without outputs and generated parts."""
    counts = {words.page: words for words in count_words()}
    assert {*EXPLANATIONS} <= {*counts}
    assert [page for page, words in counts.items() if words.written > words.limit] == []


def test_generated_pages_do_not_count() -> None:
    pages = {words.page for words in count_words()}
    assert "docs/evaluate.md" in pages
    assert not pages & {"docs/options.md", "docs/measures.md", "docs/messages.md", "docs/gallery.md"}
