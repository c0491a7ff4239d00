"""The lists of runs, topic by topic, as the page's data hold them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.described import Doc, DocsLike, read_docs
from cranfield.dataclass import dataclass
from cranfield.evaluation.collection import Collection
from cranfield.report.page.gathering import Gathered
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.numbers import number
from cranfield.wording import counted


@dataclass(frozen=True, eq=False)
class ShownLists:
    """The lists that a page shows, and what of them is left out."""

    found: Gathered
    second: Mapping[str, Mapping[str, float]] | None = None  # other judgments, by topic
    docs: DocsLike = None  # titles and texts

    @property
    def collection(self) -> Collection:
        """The judgments."""
        return self.found.of.collection

    @property
    def limits(self) -> Limits:
        """How much fits."""
        return self.found.of.limits

    @cached_property
    def kept(self) -> dict[int, dict[str, Any]]:
        """The topics whose lists are shown: those on which runs differ most, as there is room."""
        values, topics = self.found.scores.values[:, :, 0], self.found.scores.topics
        spread = np.nan_to_num(np.ptp(values, axis=0), nan=-1.0)
        place = {level: i for i, level in enumerate(self.levels.tolist())}
        made, room = dict[int, dict[str, Any]](), self.limits.lists
        for t in np.argsort(-spread, kind="stable").tolist():
            topic = self._topic(t, topics[t], place)
            room -= len(json.dumps(topic, ensure_ascii=False, separators=(",", ":")))
            if room < 0:
                break
            made[t] = topic
        return made

    @cached_property
    def levels(self) -> Floats:
        """All levels that are known, lowest first."""
        known = set(self.collection.gold.judgments.distinct.tolist())
        known |= {level for docs in (self.second or {}).values() for level in docs.values()}
        return np.array(sorted(known))

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of them, as the page has them."""
        flags = np.atleast_1d(self.found.of.is_relevant(self.levels)).tolist()
        self._add_texts([*self.kept.values()])
        return {
            "depth": self.found.of.depth,
            "levels": [
                {"level": number(level), "sign": f"{level:g}", "relevant": flag}
                for level, flag in zip(self.levels.tolist(), flags, strict=True)
            ],
            "topics": [self.kept.get(t) for t in range(len(self.found.scores.topics))],
        }

    @cached_property
    def _offsets(self) -> Ints:
        """Where the relevant items of a judged topic begin among those that are shown."""
        return np.append(0, np.cumsum([len(items) for items in self.found.shown]))

    def _topic(self, t: int, topic: str, place: Mapping[float, int]) -> dict[str, Any]:
        gold, at = self.collection.gold, self.found.places[t]
        known, index = gold.by_topic[at], dict[str, int]()

        def placed(docs: Sequence[str]) -> list[int]:
            return [index.setdefault(doc, len(index)) for doc in docs]

        runs = self.found.runs
        lists = [placed(one.tops[topic]) if topic in one.tops else None for one in runs]
        here = slice(self._offsets[at], self._offsets[at + 1])
        relevant = placed([gold.item_docs[item] for item in self.found.shown[at].tolist()])
        levels = gold.judgments.levels
        made = {
            "docs": list(index),
            "level": [place[float(levels[known[doc]])] if doc in known else None for doc in index],
            "lists": lists,
            "length": [int(one.labelled.placed.lengths[at]) for one in runs],
            "relevant": relevant,
            "left_out": len(self.found.of.relevant[at]) - len(relevant),
            "ranks": [one.ranks[here].tolist() for one in runs],
        }
        if self.second is not None:
            others = self.second.get(topic, {})
            made["second"] = [place[others[doc]] if doc in others else None for doc in index]
        return made

    # -- titles and texts -------------------------------------------------------------------------

    def _add_texts(self, topics: Sequence[dict[str, Any]]) -> None:
        if self.docs is None:
            return
        for topic in topics:
            told = ((str(i), self._texts.get(doc)) for i, doc in enumerate(topic["docs"]))
            topic["titles"] = {i: _shown(doc) for i, doc in told if doc is not None}

    @cached_property
    def _texts(self) -> dict[str, Doc]:
        """Titles and texts of the documents that are shown, as far as there is room."""
        wanted = self._wanted
        read = read_docs(self.docs, wanted.keys(), self.limits.snippet + 1)
        times = {doc: wanted[doc] for doc in read}
        titles = sum(len(doc.title) * times[name] for name, doc in read.items())
        most = self._room(titles, sum(times.values()))
        return {name: Doc(doc.title, _cut(doc.text, most)) for name, doc in read.items()}

    @cached_property
    def _wanted(self) -> dict[str, int]:
        """The documents that are shown, and in how many topics."""
        return Counter(doc for topic in self.kept.values() for doc in topic["docs"])

    def _room(self, titles: int, documents: int) -> int:
        """How many characters of a text are shown."""
        room = (self.limits.text - titles) / max(1, documents)
        return int(max(0, min(self.limits.snippet, room)))

    # -- what is left out -------------------------------------------------------------------------

    def left_out(self) -> Iterator[str]:
        """What is not shown, and what shows it."""
        scores, depth = self.found.scores, self.found.of.depth
        if len(self.kept) < len(scores.topics):
            many = f"{len(self.kept):,} of {counted(len(scores.topics), 'topic')}"
            which = "those on which runs differ most"
            yield (
                f"Lists are shown of {many}, {which}; fewer documents of each (--list-depth, now "
                f"{depth}) make room for more, and {COMPLETE}."
            )
        if self.docs is not None:
            missing = sum(doc not in self._texts for doc in self._wanted)
            if missing:
                yield (
                    f"{missing:,} of {counted(len(self._wanted), 'document')} shown "
                    f"{'is' if missing == 1 else 'are'} not in the file with documents."
                )
            most = max((len(doc.text) for doc in self._texts.values()), default=0)
            if any(doc.text.endswith("…") for doc in self._texts.values()):
                length = counted(most - 1, "character")
                yield f"Texts of documents are cut after {length}; {COMPLETE}."
            elif not most and any(doc.title for doc in self._texts.values()):
                yield f"Of documents only titles are shown; {COMPLETE}."


def _shown(doc: Doc) -> dict[str, str]:
    parts = {"title": doc.title, "text": doc.text}
    return {name: text for name, text in parts.items() if text}


def _cut(text: str, most: int) -> str:
    """The beginning of a text.

    >>> _cut("to be or not", 5), _cut("to be", 5), _cut("to be", 0)
    ('to be…', 'to be', '')
    """
    if not most:
        return ""
    return text if len(text) <= most else f"{text[:most].rstrip()}…"
