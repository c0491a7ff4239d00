"""The lists of runs, topic by topic, as the page's data hold them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.evaluation.collection import Collection
from cranfield.report.page.gathering import Gathered
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.numbers import number
from cranfield.scores import Scores
from cranfield.wording import counted


@dataclass(frozen=True, eq=False)
class ShownLists:
    """The lists that a page shows, and what of them is left out."""

    found: Gathered
    second: Mapping[str, Mapping[str, float]] | None = None  # other judgments, by topic

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
        scores = self.found.scores
        place = {level: i for i, level in enumerate(self.levels.tolist())}
        return as_there_is_room(
            most_different(scores, 0),
            lambda t: self._topic(t, scores.topics[t], place),
            self.limits.lists,
        )

    @cached_property
    def levels(self) -> Floats:
        """All levels that are known, lowest first."""
        return known_levels(self.found, self.second)

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of them, as the page has them."""
        return {
            "depth": self.found.of.depth,
            "levels": shown_levels(self.found, self.levels),
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


def known_levels(found: Gathered, second: Mapping[str, Mapping[str, float]] | None) -> Floats:
    """All levels that are known, by either set of judgments, lowest first."""
    known = set(found.of.collection.gold.judgments.distinct.tolist())
    known |= {level for docs in (second or {}).values() for level in docs.values()}
    return np.array(sorted(known))


def shown_levels(found: Gathered, levels: Floats) -> list[dict[str, Any]]:
    """What the page says of each level."""
    flags = np.atleast_1d(found.of.is_relevant(levels)).tolist()
    return [
        {"level": number(level), "sign": f"{level:g}", "relevant": flag}
        for level, flag in zip(levels.tolist(), flags, strict=True)
    ]


def most_different(scores: Scores, m: int) -> list[int]:
    """The topics, those first on which runs differ most by a measure."""
    values = scores.values[:, :, m]
    known = np.isfinite(values)
    spread = np.where(known, values, -np.inf).max(axis=0) - np.where(known, values, np.inf).min(
        axis=0
    )
    return [*np.argsort(-spread, kind="stable").tolist()]


def as_there_is_room(
    topics: Iterable[int], made: Callable[[int], dict[str, Any] | None], room: float
) -> dict[int, dict[str, Any]]:
    """What is made of topics, as long as all of it has so many characters as data."""
    kept: dict[int, dict[str, Any]] = {}
    for t in topics:
        if (topic := made(t)) is None:
            continue
        room -= len(json.dumps(topic, ensure_ascii=False, separators=(",", ":")))
        if room < 0:
            break
        kept[t] = topic
    return kept
