"""Labelling strategies: the level of each retrieved item, and the ideal ranking.

Measures never see documents. A labelling strategy is the last code that does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.groups import Groups, GroupsLike, read_groups
from cranfield.data.reading.lines import to_number
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, wrap_user_errors
from cranfield.labelling.blocks import Judgments, Rankings, count_by
from cranfield.labelling.gold import GoldStandard


@dataclass(frozen=True)
class Labels:
    """A strategy applied to the judgments of a collection."""

    judgments: Judgments  # the ideal rankings
    apply: Callable[[Rankings], Rankings]  # assigns the level of each hit
    is_default: bool  # True if all items of one level are interchangeable
    groups: Groups | None = None  # groups or classes of items, if any
    unit: str = "document"  # what R counts


class Labelling:
    """The default labelling strategy: every judged item counts with its judged level.

    For a custom strategy, derive a class and override `found`, `ideal` or both. Both methods
    receive ``{doc: level}`` of a topic and return the levels to use. Omitted documents count as 0.

    >>> import cranfield as cf
    >>> class NotTheFirst(cf.Labelling):
    ...     "The first answer was shown anyway."
    ...     def found(self, topic, ranked):
    ...         return dict(list(ranked.items())[1:])
    >>> scores = cf.evaluate({"q1": {"a": 1, "b": 1}}, {"q1": ["a", "b"]}, "AP",
    ...                      labelling=NotTheFirst())
    >>> scores.summary()
    {'run': {'AP': 0.25}}
    """

    def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
        """Return the levels of the retrieved judged documents, given in rank order."""
        return ranked

    def ideal(self, topic: str, judged: Mapping[str, float]) -> Mapping[str, float]:
        """Return the documents of the ideal ranking and their levels."""
        return judged

    def apply_to(self, gold: GoldStandard) -> Labels:
        """Apply the strategy to judgments."""
        kind, judgments = type(self), gold.judgments
        if kind.ideal is not Labelling.ideal:
            items, levels = _call_strategy(kind, self.ideal, gold, judgments.offsets, judgments.items)
            judgments = _build_ideal(gold, items, levels)
        if kind.found is Labelling.found:
            return Labels(judgments, _keep_levels, judgments is gold.judgments)
        return Labels(judgments, partial(_apply_strategy, self, gold), False)


# These are functions of the module because nested functions cannot be pickled.


def _keep_levels(rankings: Rankings) -> Rankings:
    return rankings


def _apply_strategy(strategy: Labelling, gold: GoldStandard, rankings: Rankings) -> Rankings:
    """Return the rankings with the levels from a custom strategy."""
    decisions = _call_strategy(type(strategy), strategy.found, gold, rankings.offsets, rankings.items)
    counts = np.zeros(len(gold.judgments.levels))
    counts[decisions[0]] = decisions[1]
    return replace(rankings, levels=counts[rankings.items])


def _call_strategy(
    kind: type[Labelling],
    decide: Callable[[str, Mapping[str, float]], Mapping[str, float]],
    gold: GoldStandard,
    offsets: Ints,
    items: Ints,
) -> tuple[Ints, Floats]:
    """Return the items that count and their levels from a custom strategy."""
    docs, levels = gold.item_docs, gold.judgments.levels
    counted_items: list[int] = []
    counts: list[float] = []
    for t, topic in enumerate(gold.qrels.topics):
        by_doc = {docs[item]: item for item in items[offsets[t] : offsets[t + 1]].tolist()}
        with wrap_user_errors(kind):
            counts_by_doc = decide(topic, {doc: float(levels[item]) for doc, item in by_doc.items()})
        if not isinstance(counts_by_doc, Mapping):
            raise InputError(f"{counts_by_doc!r} for topic {topic}", "a dict", "labelling")
        for doc, level in counts_by_doc.items():
            if doc not in by_doc or to_number(level) is None:
                problem = f"level {level!r} for document {doc} of topic {topic}"
                raise InputError(problem, "numbers for the documents of the topic", "labelling")
            counted_items.append(by_doc[doc])
            counts.append(float(level))
    return np.array(counted_items, dtype=np.int64), np.array(counts, dtype=np.float64)


def _build_ideal(gold: GoldStandard, items: Ints, levels: Floats) -> Judgments:
    """Build the ideal rankings of the items: highest level first within each topic."""
    topics = gold.judgments.item_topics[items]
    order = np.lexsort((items, -levels, topics))
    offsets = np.concatenate(([0], np.cumsum(count_by(topics, len(gold.qrels.topics)))))
    names = gold.judgments.names
    return Judgments(gold.qrels.topics, offsets, levels[order], items[order], names=names)


def replace_levels(gold: GoldStandard, rankings: Rankings, levels: Floats) -> tuple[Judgments, Rankings]:
    """Return judgments and rankings with other levels of the judged items.

    An item with the level NaN becomes unjudged.
    """
    judged = ~np.isnan(levels)
    items = np.flatnonzero(judged)
    hits = rankings.with_hits(judged[rankings.items])
    return _build_ideal(gold, items, levels[items]), replace(hits, levels=levels[hits.items])


@dataclass(frozen=True)
class _GroupMembers:
    """The relevant items of a collection that belong to groups."""

    gold: GoldStandard
    group: Ints  # [judged items] the group, -1 without a group or if nonrelevant
    group_of_any: Ints  # [judged items] the group, nonrelevant items included
    names: list[tuple[str, str]]  # topic and name of each group
    source: Groups

    @classmethod
    def from_groups(cls, gold: GoldStandard, source: GroupsLike, separator: str | None) -> _GroupMembers:
        groups = read_groups(source, separator)
        numbers: dict[tuple[str, str], int] = {}
        group = np.full(len(gold.judgments.levels), -1, dtype=np.int64)
        for topic, names in groups.names.items():
            judged = gold.by_topic[gold.topic_index[topic]] if topic in gold.topic_index else None
            for doc, name in names.items() if judged is not None else ():
                if judged is None or doc not in judged:
                    problem = f"class {name} has an unjudged document {doc} of topic {topic}"
                    raise InputError.from_problem(problem, where=groups.where)
                group[judged[doc]] = numbers.setdefault((topic, name), len(numbers))
        if not numbers:
            problem = "no topic in common with the judgments"
            raise InputError.from_problem(problem, where=groups.where)
        relevant = gold.judgments.levels > 0  # nonrelevant items belong to no group
        return cls(gold, np.where(relevant, group, -1), group, list(numbers), groups)

    def build_ideal(self) -> Judgments:
        """Build ideal rankings of the best item of each group and all items without a group.

        The other items of a group are nonrelevant, as in any ranking.
        """
        best = self.group < 0
        best[_find_first(self.group, np.flatnonzero(~best))] = True  # items come best first
        levels = np.where(best, self.gold.judgments.levels, 0.0)
        return _build_ideal(self.gold, np.arange(len(levels)), levels)

    def find_hits(self, rankings: Rankings) -> tuple[Ints, Ints]:
        """Return the hits in groups, in rank order, and their groups."""
        group = self.group[rankings.items]
        hits = np.flatnonzero(group >= 0)
        return hits, group[hits]


def _find_first(group: Ints, places: Ints) -> Ints:
    """Return the first of the places for each group."""
    _, first = np.unique(group[places], return_index=True)
    return np.asarray(places[first])


def _clear_others(rankings: Rankings, hits: Ints, counted_hits: Ints) -> Rankings:
    """Set the levels of hits to 0 except for the kept hits."""
    levels = rankings.levels.copy()
    levels[hits] = 0.0
    levels[counted_hits] = rankings.levels[counted_hits]
    return replace(rankings, levels=levels)


@dataclass(frozen=True, eq=False)
class EquivalenceClasses(Labelling):
    """Strategy for interchangeable items: only the first retrieved item of a class counts.

    It counts with its own level, even if a better one follows. All later items of the class count
    as nonrelevant. A class is one relevant item: R is the number of classes, and the ideal ranking
    has the best item of each class. Items of level 0 are ignored. An item without a class is a
    class by itself.

    >>> import cranfield as cf
    >>> names = {"q1": {"McCartney": "1", "Paul McCartney": "1", "Lennon": "2"}}
    >>> judged = {"q1": {"McCartney": 1, "Paul McCartney": 2, "Lennon": 2}}
    >>> answers = {"q1": ["Paul McCartney", "McCartney", "Lennon"]}
    >>> scores = cf.evaluate(judged, answers, "P@3", labelling=cf.EquivalenceClasses(names))
    >>> round(scores.summary()["run"]["P@3"], 4)
    0.6667
    """

    classes: GroupsLike
    separator: str | None = None

    def apply_to(self, gold: GoldStandard) -> Labels:
        members = _GroupMembers.from_groups(gold, self.classes, self.separator)
        apply = partial(_count_first, members)
        return Labels(members.build_ideal(), apply, False, members.source, "class")


def _count_first(members: _GroupMembers, rankings: Rankings) -> Rankings:
    """Return rankings in which only the first item of each class counts."""
    hits, group = members.find_hits(rankings)
    return _clear_others(rankings, hits, hits[_find_first(group, np.arange(len(hits)))])


@dataclass(frozen=True, eq=False)
class Combinations(Labelling):
    """Strategy for items that are useful only together: a group counts at its last item.

    All other items of the group count as nonrelevant, and so does an incomplete group. A group is
    one relevant item. All of its members must have the same level. Items without a group count as
    usual. This is the rule of NTCIR's combinational relevance score (CRS).

    >>> import cranfield as cf
    >>> judged = {"q1": {"A": 1, "B1": 1, "B2": 1}}
    >>> run = {"q1": ["B1", "A", "B2"]}
    >>> pair = cf.Combinations({"q1": {"B1": "pair", "B2": "pair"}})
    >>> round(cf.evaluate(judged, run, "AP", labelling=pair).summary()["run"]["AP"], 4)
    0.5833
    """

    groups: GroupsLike
    separator: str | None = None

    def apply_to(self, gold: GoldStandard) -> Labels:
        members = _GroupMembers.from_groups(gold, self.groups, self.separator)
        _check_levels(members)
        apply = partial(_count_last, members)
        return Labels(members.build_ideal(), apply, False, members.source, "group")


def _count_last(members: _GroupMembers, rankings: Rankings) -> Rankings:
    """Return rankings in which only the last item of each complete group counts."""
    size = count_by(members.group[members.group >= 0], len(members.names))
    hits, group = members.find_hits(rankings)
    last = len(hits) - 1 - _find_first(group[::-1], np.arange(len(hits)))
    complete = count_by(group, len(size)) == size
    return _clear_others(rankings, hits, hits[last[complete[group[last]]]])


def _check_levels(members: _GroupMembers) -> None:
    """Raise an error if the items of a group have different levels."""
    gold = members.gold
    group, levels = members.group_of_any, gold.judgments.levels[members.group_of_any >= 0]
    members_of = group[group >= 0]
    low, high = np.full(len(members.names), np.inf), np.full(len(members.names), -np.inf)
    np.minimum.at(low, members_of, levels)
    np.maximum.at(high, members_of, levels)
    for g in np.flatnonzero(low != high).tolist():
        topic, name = members.names[g]
        problem = f"levels {low[g]:g} and {high[g]:g} in group {name} of topic {topic}"
        raise InputError(problem, "one level per group", members.source.where)
