"""Titles and texts of documents in the HTML report, up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from cranfield.data.descriptions import Doc, DocsLike, read_docs
from cranfield.dataclass import dataclass
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.wording import format_count


@dataclass(frozen=True, eq=False)
class ReportTexts:
    """Titles and texts for the topics with rankings or answers."""

    docs: DocsLike
    topics: Sequence[dict[str, Any]]  # each with its `docs`
    limits: Limits

    def add_to_topics(self) -> None:
        """Add titles and texts to the topics."""
        for topic in self.topics:
            entries = ((str(i), self.texts.get(doc)) for i, doc in enumerate(topic["docs"]))
            topic["titles"] = {i: _drop_empty(doc) for i, doc in entries if doc is not None}

    @cached_property
    def texts(self) -> dict[str, Doc]:
        """Titles and truncated texts, read once."""
        doc_counts = self._doc_counts
        read = read_docs(self.docs, doc_counts.keys(), self.limits.snippet + 1)
        times = {doc: doc_counts[doc] for doc in read}
        titles = sum(len(doc.title) * times[name] for name, doc in read.items())
        max_length = self._compute_length(titles, sum(times.values()))
        return {name: Doc(doc.title, _truncate(doc.text, max_length)) for name, doc in read.items()}

    @cached_property
    def _doc_counts(self) -> dict[str, int]:
        """Shown documents, and how often each is shown."""
        return Counter(doc for topic in self.topics for doc in topic["docs"])

    def _compute_length(self, titles: int, documents: int) -> int:
        """Return the number of characters shown per text."""
        room = (self.limits.text - titles) / max(1, documents)
        return int(max(0, min(self.limits.snippet, room)))

    def describe_omissions(self) -> Iterator[str]:
        """Yield sentences about missing documents and truncated texts."""
        missing = sum(doc not in self.texts for doc in self._doc_counts)
        if missing:
            yield (
                f"{missing:,} of {format_count(len(self._doc_counts), 'document')} shown "
                f"{'is' if missing == 1 else 'are'} not in the file with documents."
            )
        max_length = max((len(doc.text) for doc in self.texts.values()), default=0)
        if any(doc.text.endswith("…") for doc in self.texts.values()):
            length = format_count(max_length - 1, "character")
            yield f"Texts of documents are truncated after {length}. {COMPLETE}."
        elif not max_length and any(doc.title for doc in self.texts.values()):
            yield f"Only titles of documents are shown. {COMPLETE}."


def _drop_empty(doc: Doc) -> dict[str, str]:
    parts = {"title": doc.title, "text": doc.text}
    return {name: text for name, text in parts.items() if text}


def _truncate(text: str, max_length: int) -> str:
    """Return the start of a text.

    >>> _truncate("to be or not", 5), _truncate("to be", 5), _truncate("to be", 0)
    ('to be…', 'to be', '')
    """
    if not max_length:
        return ""
    return text if len(text) <= max_length else f"{text[:max_length].rstrip()}…"
