"""The preferences of a topic, counted against a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.preferences import PreferenceGroup, Preferences
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, warn_renamed
from cranfield.wording import format_names

Votes: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LevelPreferences:
    """Preferences for documents with higher levels. All pairs are comparable."""

    levels: Floats  # [docs]

    def select(self, docs: Ints) -> LevelPreferences:
        """The preferences between some of the documents, in the order given."""
        return LevelPreferences(self.levels[docs])

    def build_matrix(self) -> Bools:
        """Whether a document (row) is preferred to another (column)."""
        return self.levels[:, None] > self.levels

    def count(self) -> int:
        """Return the number of preferences: all pairs with different levels."""
        _, tied = np.unique(self.levels, return_counts=True)
        return int(len(self.levels) ** 2 - (tied**2).sum()) // 2

    def count_fulfilled(self, retrieved: int) -> int:
        """The number of preferences that hold in this order, if only the first are retrieved."""
        count = 0
        for level in np.unique(self.levels):
            lower = self.levels < level
            n_lower_after = np.count_nonzero(lower) - np.cumsum(lower)
            count += int(n_lower_after[:retrieved][self.levels[:retrieved] == level].sum())
        return count


@dataclass(frozen=True, eq=False)
class PartialPreferences:
    """Preferences between some pairs of documents, as a Boolean matrix."""

    matrix: Bools  # [docs, docs]

    def select(self, docs: Ints) -> PartialPreferences:
        """The preferences between some of the documents, in the order given."""
        return PartialPreferences(self.matrix[np.ix_(docs, docs)])

    def build_matrix(self) -> Bools:
        """Whether a document (row) is preferred to another (column)."""
        return self.matrix

    def count(self) -> int:
        """The number of preferences."""
        return int(np.count_nonzero(self.matrix))

    def count_fulfilled(self, retrieved: int) -> int:
        """The number of preferences that hold in this order, if only the first are retrieved."""
        return int(np.count_nonzero(np.triu(self.matrix[:retrieved])))


@dataclass(frozen=True, eq=False)
class RankedGroup:
    """The preferences of one judgment group, with documents in rank order.

    Documents that were not retrieved are last. A preference is fulfilled if the preferred document
    was retrieved, and the other document was retrieved later or not at all.
    """

    places: Ints  # [docs] positions among all judged documents of the topic, ascending
    retrieved: int  # number of retrieved documents: the first ones
    relevant: Bools  # [docs]
    order: LevelPreferences | PartialPreferences

    @cached_property
    def possible(self) -> int:
        """The number of preferences."""
        return self.order.count()

    @cached_property
    def fulfilled(self) -> int:
        """The number of fulfilled preferences."""
        return self.order.count_fulfilled(self.retrieved)

    @cached_property
    def unseen(self) -> int:
        """The number of preferences between two documents that are not retrieved."""
        return self.order.select(np.arange(self.retrieved, len(self.places))).count()

    @property
    def R(self) -> int:
        """The number of relevant documents."""
        return int(np.count_nonzero(self.relevant))

    @property
    def R_retrieved(self) -> int:
        """The number of retrieved relevant documents."""
        return int(np.count_nonzero(self.relevant[: self.retrieved]))

    @property
    def N(self) -> int:
        """The number of nonrelevant documents."""
        return len(self.relevant) - self.R

    def select(self, docs: Ints) -> RankedGroup:
        """Return the preferences between some documents, given in ascending order."""
        retrieved = int(np.searchsorted(docs, self.retrieved))
        return RankedGroup(self.places[docs], retrieved, self.relevant[docs], self.order.select(docs))

    def limit_nonrelevant(self, count: int) -> RankedGroup:
        """Return the preferences with only the first `count` nonrelevant documents."""
        return self.select(np.flatnonzero(self.relevant | (np.cumsum(~self.relevant) <= count)))


@dataclass(frozen=True, eq=False)
class PreferenceCounts:
    """The preferences of all judgment groups of a topic, counted against a ranking."""

    judged: int  # judged documents of the topic, in rank order, then by name
    retrieved: int  # how many of them were retrieved: the first ones
    groups: tuple[RankedGroup, ...]

    @cached_property
    def among_retrieved(self) -> PreferenceCounts:
        """The counts of the retrieved documents only."""
        groups = tuple(group.select(np.arange(group.retrieved)) for group in self.groups)
        return PreferenceCounts(self.retrieved, self.retrieved, groups)

    @cached_property
    def votes(self) -> tuple[Votes, Votes]:
        """For each pair, the number of groups that agree and that disagree with the ranking.

        Only pairs with a preference in some group and with at least one retrieved document.
        """
        n = self.retrieved
        columns = (slice(n), slice(n, None))  # both retrieved, then only one
        first, second = (
            np.concatenate([table[:n, part][self._voted[:n, part]] for part in columns])
            for table in (self._table, self._table.T)
        )
        return first, second

    @cached_property
    def unseen_pairs(self) -> int:
        """The number of pairs with a preference and no retrieved document."""
        return int(np.count_nonzero(self._voted[self.retrieved :, self.retrieved :]))

    @cached_property
    def _table(self) -> Votes:
        """The number of groups that prefer a document (row) to another (column)."""
        table = np.zeros((self.judged, self.judged), dtype=np.int32)
        for group in self.groups:
            if len(group.places) == self.judged:  # all documents: no indexing needed
                table += group.order.build_matrix()
            else:
                table[np.ix_(group.places, group.places)] += group.order.build_matrix()
        return table

    @cached_property
    def _voted(self) -> Bools:
        """True for pairs with a preference: a document (row) and a later one (column)."""
        return np.triu(self._table + self._table.T) > 0


def count_preferences(preferences: Preferences, topic: str, ranking: Sequence[str]) -> PreferenceCounts:
    """Count the preferences of a topic against a ranking without duplicates.

    >>> from cranfield.data.preferences import read_preferences
    >>> judged = [("q1", "ann", "d1", 2), ("q1", "ann", "d2", 1), ("q1", "ann", "d3", 0)]
    >>> counts = count_preferences(read_preferences(judged, "qrels_prefs"), "q1", ["d2", "d1"])
    >>> [(group.fulfilled, group.possible) for group in counts.groups]
    [(2, 3)]
    """
    if topic not in preferences.groups:
        problem = f"unknown topic {topic}. Topics: {format_names(preferences.topics, 'topic')}"
        raise InputError.from_problem(problem, where=preferences.where)
    if len(set(ranking)) < len(ranking):
        raise InputError.from_problem(f"duplicate document for topic {topic}", where="ranking")
    groups = preferences.groups[topic]
    judged = set().union(*(group.docs for group in groups))
    retrieved = [doc for doc in ranking if doc in judged]
    order = dict.fromkeys([*retrieved, *sorted(judged)])
    places = {doc: place for place, doc in enumerate(order)}
    ranked = tuple(_rank_group(group, places, len(retrieved)) for group in groups)
    return PreferenceCounts(len(judged), len(retrieved), ranked)


def _rank_group(group: PreferenceGroup, places: Mapping[str, int], retrieved: int) -> RankedGroup:
    places_of_docs = np.array([places[doc] for doc in group.docs])
    ranked = np.argsort(places_of_docs)
    order: LevelPreferences | PartialPreferences
    order = LevelPreferences(group.subgroups[0][1]) if len(group.subgroups) == 1 else PartialPreferences(group.prefers)
    retrieved = int(np.searchsorted(places_of_docs[ranked], retrieved))
    return RankedGroup(places_of_docs[ranked], retrieved, group.relevant[ranked], order.select(ranked))


def __getattr__(name: str) -> Any:
    if name == "preference_counts":  # documented before 1.0.0
        warn_renamed(name, "count_preferences")
        return count_preferences
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
