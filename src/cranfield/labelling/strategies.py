"""Labelling strategies: which of the judged items that a run found count, and as what.

Formulas never see a document. What they see was decided here, once: the level that each found
item counts as, and the ideal list, of what there is to find.
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

    judgments: Judgments  # what there is to find: the ideal lists
    apply: Callable[[Rankings], Rankings]  # what was found, with what each hit counts as
    is_default: bool  # whether items of one level are all alike
    groups: Groups | None = None  # where items belong together
    unit: str = "document"  # what R counts


class Labelling:
    """The plain strategy: every judged item counts as the level it was judged at.

    To write another, derive a class and say what counts, topic by topic. Both methods get
    ``{doc: level}`` and give back what the documents count as; those left out count for nothing.

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
        """What the judged documents that were found count as; they come in order of rank."""
        return ranked

    def ideal(self, topic: str, judged: Mapping[str, float]) -> Mapping[str, float]:
        """What there is to find: the documents of the ideal list and what they count as."""
        return judged

    def apply_to(self, gold: GoldStandard) -> Labels:
        """The strategy applied to judgments."""
        kind, judgments = type(self), gold.judgments
        if kind.ideal is not Labelling.ideal:
            items, levels = _call_strategy(
                kind, self.ideal, gold, judgments.offsets, judgments.items
            )
            judgments = _build_ideal(gold, items, levels)
        if kind.found is Labelling.found:
            return Labels(judgments, _keep_levels, judgments is gold.judgments)
        return Labels(judgments, partial(_apply_strategy, self, gold), False)


# Functions of modules, with their settings: those inside others cannot be pickled.


def _keep_levels(rankings: Rankings) -> Rankings:
    return rankings


def _apply_strategy(strategy: Labelling, gold: GoldStandard, rankings: Rankings) -> Rankings:
    """Rankings whose items count as a user's strategy says."""
    decisions = _call_strategy(
        type(strategy), strategy.found, gold, rankings.offsets, rankings.items
    )
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
    """The items that count and their levels, as a user's strategy says topic by topic."""
    docs, levels = gold.item_docs, gold.judgments.levels
    counted_items: list[int] = []
    counts: list[float] = []
    for t, topic in enumerate(gold.qrels.topics):
        by_doc = {docs[item]: item for item in items[offsets[t] : offsets[t + 1]].tolist()}
        with wrap_user_errors(kind):
            counts_by_doc = decide(
                topic, {doc: float(levels[item]) for doc, item in by_doc.items()}
            )
        if not isinstance(counts_by_doc, Mapping):
            raise InputError(f"{counts_by_doc!r} for topic {topic}", "a dict", "labelling")
        for doc, level in counts_by_doc.items():
            if doc not in by_doc or to_number(level) is None:
                problem = f"level {level!r} for document {doc} of topic {topic}"
                raise InputError(problem, "numbers for documents that were given", "labelling")
            counted_items.append(by_doc[doc])
            counts.append(float(level))
    return np.array(counted_items, dtype=np.int64), np.array(counts, dtype=np.float64)


def _build_ideal(gold: GoldStandard, items: Ints, levels: Floats) -> Judgments:
    """Ideal lists of these items: best first within each topic."""
    topics = gold.judgments.item_topics[items]
    order = np.lexsort((items, -levels, topics))
    offsets = np.concatenate(([0], np.cumsum(count_by(topics, len(gold.qrels.topics)))))
    names = gold.judgments.names
    return Judgments(gold.qrels.topics, offsets, levels[order], items[order], names=names)


def replace_levels(
    gold: GoldStandard, rankings: Rankings, levels: Floats
) -> tuple[Judgments, Rankings]:
    """Judgments and rankings with other levels of the judged items.

    One that is NaN makes the item as if nobody had judged it.
    """
    judged = ~np.isnan(levels)
    items = np.flatnonzero(judged)
    hits = rankings.with_hits(judged[rankings.items])
    return _build_ideal(gold, items, levels[items]), replace(hits, levels=levels[hits.items])


@dataclass(frozen=True)
class _GroupMembers:
    """The relevant items of a collection that belong to groups; all others are by themselves."""

    gold: GoldStandard
    group: Ints  # of each judged item, -1 if it has none,
    group_of_any: Ints  # and of those that are not relevant, too
    names: list[tuple[str, str]]  # topic and name of each group
    source: Groups

    @classmethod
    def from_groups(
        cls, gold: GoldStandard, source: GroupsLike, separator: str | None
    ) -> _GroupMembers:
        groups = read_groups(source, separator)
        numbers: dict[tuple[str, str], int] = {}
        group = np.full(len(gold.judgments.levels), -1, dtype=np.int64)
        for topic, names in groups.names.items():
            judged = gold.by_topic[gold.topic_index[topic]] if topic in gold.topic_index else None
            for doc, name in names.items() if judged is not None else ():
                if judged is None or doc not in judged:
                    problem = f"class {name} of document {doc} of topic {topic} without a level"
                    raise InputError(problem, "a judgment", groups.where)
                group[judged[doc]] = numbers.setdefault((topic, name), len(numbers))
        if not numbers:
            raise InputError("classes of other topics", "topics of the judgments", groups.where)
        relevant = gold.judgments.levels > 0  # what is of no use does not take part
        return cls(gold, np.where(relevant, group, -1), group, list(numbers), groups)

    def build_ideal(self) -> Judgments:
        """Ideal lists: the best item of each group and all items by themselves, above the rest.

        The others of a group are judged and of no use, in the ideal list as in any other.
        """
        best = self.group < 0
        best[_find_first(self.group, np.flatnonzero(~best))] = True  # items come best first
        levels = np.where(best, self.gold.judgments.levels, 0.0)
        return _build_ideal(self.gold, np.arange(len(levels)), levels)

    def find_hits(self, rankings: Rankings) -> tuple[Ints, Ints]:
        """The hits that are members, by rank, and their groups."""
        group = self.group[rankings.items]
        hits = np.flatnonzero(group >= 0)
        return hits, group[hits]


def _find_first(group: Ints, places: Ints) -> Ints:
    """The first of some places for each group that stands there."""
    _, first = np.unique(group[places], return_index=True)
    return np.asarray(places[first])


def _clear_others(rankings: Rankings, hits: Ints, counted_hits: Ints) -> Rankings:
    """The rankings with only the kept ones of some hits worth anything."""
    levels = rankings.levels.copy()
    levels[hits] = 0.0
    levels[counted_hits] = rankings.levels[counted_hits]
    return replace(rankings, levels=levels)


@dataclass(frozen=True, eq=False)
class EquivalenceClasses(Labelling):
    """Items of a class are interchangeable: only the first one found counts.

    It counts at its own level, even if a better one follows; the others are judged, and worth
    nothing. A class is one relevant item: R is the number of classes, and the ideal list has the
    best item of each. Items of level 0 do not use up their class; items without a class are
    classes of their own.

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
    """Rankings in which the first item of each class counts."""
    hits, group = members.find_hits(rankings)
    return _clear_others(rankings, hits, hits[_find_first(group, np.arange(len(hits)))])


@dataclass(frozen=True, eq=False)
class Combinations(Labelling):
    """Items of a group are of use only together: the group counts at the last one found.

    Then the user has them all. Until then, and if one is missing, they are judged and worth
    nothing. A group is one relevant item of the level its members were judged at, which must be
    the same for all. Items without a group count by themselves. This is the rule of NTCIR's
    combinational relevance score (CRS).

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
    """Rankings in which the last item of each group counts, if all of its items are there."""
    size = count_by(members.group[members.group >= 0], len(members.names))
    hits, group = members.find_hits(rankings)
    last = len(hits) - 1 - _find_first(group[::-1], np.arange(len(hits)))
    complete = count_by(group, len(size)) == size
    return _clear_others(rankings, hits, hits[last[complete[group[last]]]])


def _check_levels(members: _GroupMembers) -> None:
    """A group of several levels, or of some items of no use, would have no level of its own."""
    gold = members.gold
    group, levels = members.group_of_any, gold.judgments.levels[members.group_of_any >= 0]
    members_of = group[group >= 0]
    low, high = np.full(len(members.names), np.inf), np.full(len(members.names), -np.inf)
    np.minimum.at(low, members_of, levels)
    np.maximum.at(high, members_of, levels)
    for g in np.flatnonzero(low != high).tolist():
        topic, name = members.names[g]
        problem = f"levels {low[g]:g} and {high[g]:g} in group {name} of topic {topic}"
        raise InputError(problem, "one level for all of a group", members.source.where)
