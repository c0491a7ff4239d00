"""The documents of a run, ordered and judged by different conventions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.qrels import Qrels
from cranfield.data.reading.strings import Strings
from cranfield.data.run import ListRun, Run, TableRun, make_no_judged_topic_error
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import count_by

Conventions = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Ranked:
    """Documents of all judged topics in an order: topic by topic, best first."""

    topic: Ints
    level: Floats  # NaN: unjudged
    group: Ints  # number of the group of equal scores, ascending
    is_known: Bools  # True if the document is judged for any topic
    answered: Bools  # [topics] False: missing topic

    @cached_property
    def n(self) -> Ints:
        """The length of each ranking."""
        return count_by(self.topic, len(self.answered))

    @cached_property
    def starts(self) -> Ints:
        """The first row of each ranking."""
        return np.asarray(np.cumsum(self.n) - self.n)

    @cached_property
    def rank(self) -> Ints:
        """The rank of each document, from 1."""
        return np.arange(len(self.topic)) - self.starts[self.topic] + 1

    @cached_property
    def tie_bounds(self) -> tuple[Ints, Ints]:
        """The first and the last rank that the score allows each document."""
        new = np.ones(len(self.group), dtype=bool)
        new[1:] = (self.group[1:] != self.group[:-1]) | (self.topic[1:] != self.topic[:-1])
        begin = np.flatnonzero(new)
        size = np.diff(begin, append=len(new))
        first = np.repeat(self.rank[begin], size)
        return first, first + np.repeat(size, size) - 1

    def select(self, mask: Bools) -> Ranked:
        """Return the rankings with some of the documents only."""
        columns = {name: getattr(self, name)[mask] for name in ("topic", "level", "group", "is_known")}
        return replace(self, **columns)

    def judge(self, unjudged: str, negative: str, scope: str, cutoff: int | None) -> Ranked:
        """Apply the conventions for unjudged documents and negative levels."""
        level = self.level
        if scope == "collection":  # judged for another topic: nonrelevant, but judged
            level = np.where(np.isnan(level) & self.is_known, 0.0, level)
        if negative == "unjudged":
            level = np.where(level < 0, np.nan, level)
        judged = replace(self, level=level)
        if unjudged == "removed@k" and cutoff is not None:
            judged = judged.select(judged.rank <= cutoff)
        if unjudged.startswith("removed"):
            return judged.select(~np.isnan(judged.level))
        if unjudged.startswith("grade:"):
            grade = float(unjudged.removeprefix("grade:"))
            return replace(judged, level=np.where(np.isnan(level), grade, level))
        return judged


@dataclass(frozen=True, eq=False)
class Documents:
    """The lines of a run, in the order of the input.

    The topics are the judged topics, then, for measures that need them, all others of the run.
    """

    topics: int
    judged_topics: int
    topic: Ints
    number: Ints  # number of the document id in the order of ids
    score: Floats
    rank: Floats | None
    level: Floats  # NaN: unjudged
    is_topic: Bools  # True if the document has the id of the topic
    is_known: Bools  # True if the document is judged for any topic
    by_position: bool = False  # without scores: the order of the input is the ranking
    depth: int | None = None  # documents of a ranking that count

    @classmethod
    def from_run(cls, qrels: Qrels, run: Run, *, with_unjudged_topics: bool = False) -> Documents:
        """Collect the lines of a run."""
        names, docs, scores, ranks = _list_lines(run)
        if not set(names) & set(qrels.topics):
            raise make_no_judged_topic_error([*dict.fromkeys(names)], qrels.topics, qrels.where, run)
        topics = dict.fromkeys((*qrels.topics, *names)) if with_unjudged_topics else qrels.topics
        index = {topic: t for t, topic in enumerate(topics)}
        all_topics = np.array([index.get(name, -1) for name in names], dtype=np.int64)
        rows = np.flatnonzero(all_topics >= 0)
        topic, ids = all_topics[rows], docs[rows]
        texts, levels = ids.tolist(), qrels.to_dict()
        tables = [levels.get(name, {}) for name in index]
        known, topic_names = {doc for table in tables for doc in table}, list(index)
        keys = ids.compute_sort_keys()
        order = np.lexsort(keys[::-1])
        number = np.zeros(len(rows), dtype=np.int64)
        changes = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
        number[order[1:]] = np.cumsum(changes)
        return cls(
            len(index),
            len(qrels.topics),
            topic,
            number,
            scores[rows],
            None if ranks is None else ranks[rows],
            np.array([tables[t].get(doc, np.nan) for t, doc in zip(topic.tolist(), texts, strict=True)]),
            np.array([doc == topic_names[t] for t, doc in zip(topic.tolist(), texts, strict=True)]),
            np.array([doc in known for doc in texts]),
            run.keeps_order,
        )

    @cached_property
    def answered(self) -> Bools:
        """True for topics with a ranking."""
        return count_by(self.topic, self.topics) > 0

    @cached_property
    def has_duplicates(self) -> bool:
        """True if a topic has a document more than once."""
        pairs = self.topic * (int(self.number.max()) + 1) + self.number
        return len(np.unique(pairs)) < len(pairs)

    @cached_property
    def has_close_scores(self) -> bool:
        """True if documents of a topic have equal scores in single, but not in double precision."""
        return self._count_values(self.score) > self._count_values(self.score.astype(np.float32))

    @cached_property
    def has_ties(self) -> bool:
        """True if documents of a topic have equal scores, at least in single precision."""
        return self._count_values(self.score.astype(np.float32)) < len(self.score)

    def _count_values(self, score: Floats) -> int:
        order = np.lexsort((score, self.topic))
        new = (np.diff(score[order]) != 0) | (np.diff(self.topic[order]) != 0)
        return int(new.sum()) + 1

    @cached_property
    def has_other_ranks(self) -> bool:
        """True if the ranks in the file give another order than the scores."""
        if self.rank is None:
            return False
        by_rank, by_score = (np.lexsort((-self.number, key, self.topic)) for key in (self.rank, -self.score))
        return not np.array_equal(by_rank, by_score)

    def rank_by(self, conventions: Conventions) -> Ranked | None:
        """Return the rankings by some conventions, None if these reject the run."""
        rows = self._drop_duplicates(conventions["duplicates"])
        if rows is None or (self.depth is not None and conventions["ties"] == "expected"):
            return None  # with expected ties, no document is certain to be within the depth
        score: Any = self.score.astype(np.float32) if conventions["scores"] == "single" else self.score
        if conventions.get("positive"):
            rows = rows[score[rows] > 0]
        rows = self._drop_self(rows, score, conventions)
        harms = conventions["negative"] == "gain"
        order = rows[np.lexsort(self._build_keys(rows, score, conventions["ties"], harms))]
        by_rank = conventions["ties"] == "rank"
        value = np.arange(len(order)) if by_rank else score[order]
        group = np.cumsum(np.append(0, np.diff(value) != 0)) if len(order) else order
        ranked = Ranked(self.topic[order], self.level[order], group, self.is_known[order], self.answered)
        return ranked if self.depth is None else ranked.select(ranked.rank <= self.depth)

    def _drop_duplicates(self, duplicates: str) -> Ints | None:
        rows = np.arange(len(self.topic))
        if not self.has_duplicates:
            return rows
        if duplicates == "error":
            return None
        value = -self.score if duplicates == "best" else rows
        order = np.lexsort((rows, value, self.number, self.topic))
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(self.number[order]) != 0) | (np.diff(self.topic[order]) != 0)
        return np.sort(order[new])

    def _drop_self(self, rows: Ints, score: Floats, conventions: Conventions) -> Ints:
        """Drop the document with the id of the topic, or the first document."""
        if conventions["self"] == "drop":
            return rows[~self.is_topic[rows]]
        if conventions["self"] == "keep":
            return rows
        ties = conventions.get("first-ties", conventions["ties"])
        order = rows[np.lexsort(self._build_keys(rows, score, ties))]
        is_first = np.append(True, np.diff(self.topic[order]) != 0)[: len(order)]
        return np.sort(order[~is_first])

    def _build_keys(self, rows: Ints, score: Floats, ties: str, harms: bool = False) -> tuple[Any, ...]:
        """Return the sort keys of the documents, the last one first.

        If negative levels harm, they are worse than level 0.
        """
        topic, number = self.topic[rows], self.number[rows]
        if self.by_position:
            return rows, topic
        if ties == "rank" and self.rank is not None:
            return rows, self.rank[rows], topic
        level = np.maximum(np.nan_to_num(self.level[rows]), -np.inf if harms else 0.0)
        among_equal = {
            "id-asc": (number,),
            "input": (rows,),
            "best": (-number, -level),
            "worst": (-number, level),
        }.get(ties, (-number,))
        return (*among_equal, -score[rows], topic)


def _list_lines(run: Run) -> tuple[list[str], Strings, Floats, Floats | None]:
    """Return topics, documents, scores and ranks of all lines."""
    if isinstance(run, TableRun):
        with run.wrap_errors():
            table = run.gather()
        names = table.names
        topics = [names[g] for g in table.group.tolist()]
        return topics, table.docs, table.values, table.ranks
    lists = run.lists if isinstance(run, ListRun) else run.to_dict()
    rows = [(topic, doc) for topic, docs in lists.items() for doc in docs]
    scores = [score for topic, docs in run.to_dict().items() for score in docs.values()]
    return [topic for topic, _ in rows], Strings.from_list([doc for _, doc in rows]), np.array(scores), None
