"""Rankings of runs in the HTML report, by topic."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.evaluation.collection import Collection
from cranfield.report.page.inputs import ReportInputs
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.numbers import round_number
from cranfield.scores import Scores
from cranfield.wording import format_count


@dataclass(frozen=True, eq=False)
class ReportRankings:
    """Rankings shown in a report."""

    inputs: ReportInputs
    second_qrels: Mapping[str, Mapping[str, float]] | None = None  # by topic

    @property
    def collection(self) -> Collection:
        return self.inputs.reader.collection

    @property
    def limits(self) -> Limits:
        return self.inputs.reader.limits

    @cached_property
    def topics(self) -> dict[int, dict[str, Any]]:
        """Shown topics: those on which runs differ most, as far as the limit allows."""
        scores = self.inputs.scores
        place = {level: i for i, level in enumerate(self.levels.tolist())}
        return fill(
            sort_by_spread(scores, 0), lambda t: self._build_topic(t, scores.topics[t], place), self.limits.lists
        )

    @cached_property
    def levels(self) -> Floats:
        """All levels, lowest first."""
        return list_levels(self.inputs, self.second_qrels)

    @cached_property
    def data(self) -> dict[str, Any]:
        """Rankings in the format of the report."""
        return {
            "depth": self.inputs.reader.depth,
            "levels": describe_levels(self.inputs, self.levels),
            "topics": [self.topics.get(t) for t in range(len(self.inputs.scores.topics))],
        }

    @cached_property
    def _offsets(self) -> Ints:
        """Positions at which the shown relevant items of judged topics start."""
        return np.append(0, np.cumsum([len(items) for items in self.inputs.relevant_items]))

    def _build_topic(self, t: int, topic: str, place: Mapping[float, int]) -> dict[str, Any]:
        gold, topic_index = self.collection.gold, self.inputs.topic_places[t]
        judged_docs, index = gold.by_topic[topic_index], dict[str, int]()

        def index_docs(docs: Sequence[str]) -> list[int]:
            return [index.setdefault(doc, len(index)) for doc in docs]

        runs = self.inputs.runs
        lists = [index_docs(run.top_documents[topic]) if topic in run.top_documents else None for run in runs]
        part = slice(self._offsets[topic_index], self._offsets[topic_index + 1])
        relevant = index_docs([gold.item_docs[item] for item in self.inputs.relevant_items[topic_index].tolist()])
        levels = gold.judgments.levels
        data = {
            "docs": list(index),
            "level": [place[float(levels[judged_docs[doc]])] if doc in judged_docs else None for doc in index],
            "lists": lists,
            "length": [int(run.labelled.full_rankings.lengths[topic_index]) for run in runs],
            "relevant": relevant,
            "left_out": len(self.inputs.reader.relevant[topic_index]) - len(relevant),
            "ranks": [run.ranks[part].tolist() for run in runs],
        }
        if self.second_qrels is not None:
            second_levels = self.second_qrels.get(topic, {})
            data["second"] = [place[second_levels[doc]] if doc in second_levels else None for doc in index]
        return data

    # -- omissions --------------------------------------------------------------------------------

    def describe_omissions(self) -> Iterator[str]:
        """Yield sentences about topics that are not shown."""
        scores, depth = self.inputs.scores, self.inputs.reader.depth
        if len(self.topics) < len(scores.topics):
            topics_text = f"{len(self.topics):,} of {format_count(len(scores.topics), 'topic')}"
            yield (
                f"Rankings are shown for {topics_text} with the largest differences between runs. "
                f"To show more topics, reduce --list-depth (now {depth}). {COMPLETE}."
            )


def list_levels(inputs: ReportInputs, second: Mapping[str, Mapping[str, float]] | None) -> Floats:
    """Return all levels of both sets of judgments, lowest first."""
    levels = set(inputs.reader.collection.gold.judgments.distinct.tolist())
    levels |= {level for docs in (second or {}).values() for level in docs.values()}
    return np.array(sorted(levels))


def describe_levels(inputs: ReportInputs, levels: Floats) -> list[dict[str, Any]]:
    """Return level, label and relevance of each level."""
    flags = np.atleast_1d(inputs.reader.is_relevant(levels)).tolist()
    return [
        {"level": round_number(level), "sign": f"{level:g}", "relevant": flag}
        for level, flag in zip(levels.tolist(), flags, strict=True)
    ]


def sort_by_spread(scores: Scores, m: int) -> list[int]:
    """Return the topics, those with the largest range of scores first."""
    values = scores.values[:, :, m]
    is_finite = np.isfinite(values)
    spread = np.where(is_finite, values, -np.inf).max(axis=0) - np.where(is_finite, values, np.inf).min(axis=0)
    return [*np.argsort(-spread, kind="stable").tolist()]


def fill(
    topics: Iterable[int], build: Callable[[int], dict[str, Any] | None], room: float
) -> dict[int, dict[str, Any]]:
    """Build topics until their JSON has `room` characters."""
    contents: dict[int, dict[str, Any]] = {}
    for t in topics:
        if (topic := build(t)) is None:
            continue
        room -= len(json.dumps(topic, ensure_ascii=False, separators=(",", ":")))
        if room < 0:
            break
        contents[t] = topic
    return contents
