"""Lists label by label, and what was missed: where to begin when a topic fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.lines import finite
from cranfield.data.run import with_each
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import Collection, Labelled
from cranfield.evaluation.evaluate import RunsLike
from cranfield.evaluation.labelled import Item, LabelledList, LabelledLists
from cranfield.evaluation.options import ListSettings, Options, Topics, shows_options
from cranfield.labelling.blocks import Rankings


@shows_options
def label(
    qrels: QrelsLike,
    runs: RunsLike,
    topics: Topics | None = None,
    *,
    rel: float | None = None,
    **options: Unpack[ListSettings],
) -> LabelledLists:
    """The lists of one or several runs with the label of each document, and what each list lacks.

    All judged topics, or some of them in the order asked for, and of each topic all runs. A
    document is relevant if it counts as `rel` or more; as more than 0 if that is not given.

    >>> print(label({"q1": {"a": 2, "b": 0, "c": 1}}, {"q1": ["b", "x", "a"]})[0])
    run, topic q1: 1 of 2 relevant documents found in 3 documents, 1 unjudged
    <BLANKLINE>
    rank  document  level  status
    ───────────────────────────────────────────
       1  b             0  nonrelevant
       2  x             –  unjudged
       3  a             2  relevant
       –  c             1  missed: not returned
    """
    if rel is not None and finite(rel) is None:
        raise InputError(f"rel {rel!r}", "a finite number")
    given = Options.of({**options, "topics": "judged" if topics is None else topics})
    settings = replace(given, preset=None)  # which has given its depth and labels
    settings.refuse_expected()
    collection = Collection.of(qrels, settings)
    settings = collection.options
    whole = replace(collection, options=replace(settings, depth=None))  # what a depth cuts off
    wanted = settings.named_topics or collection.topics
    by_topic: dict[str, list[LabelledList]] = {topic: [] for topic in wanted}
    for placed in with_each(collection.read(runs), lambda each: [*map(whole.label, each)]):
        whole.refuse_stranger(placed)
        if settings.topics == "common":
            answered = placed.placed.answered
            wanted = tuple(topic for topic in wanted if answered[collection.place(topic)])
        for one in _of_run(collection, placed, wanted, rel):
            by_topic[one.topic].append(one)
    return LabelledLists(one for topic in wanted for one in by_topic[topic])


def _of_run(
    collection: Collection, placed: Labelled, wanted: Sequence[str], rel: float | None
) -> Iterator[LabelledList]:
    """The lists of a run, which was labelled however deep they are."""
    run, unit = placed.run, collection.counting.unit
    ranked = {t: run.ranked(t) for t in wanted} if len(wanted) == 1 else run.rankings()
    rankings = collection.counted(placed.placed)
    for topic in wanted:
        t = collection.place(topic)
        order = collection.documents(ranked.get(topic, []), placed.rankings, t)
        one = _List.of(collection, rankings, t, order, collection.options.condensed, rel)
        items, missed = tuple(one.items()), tuple(one.missed())
        total = sum(one.relevant(count) for _, count in one.ideal)
        yield LabelledList(run.name, topic, items, missed, total, unit)


@dataclass(frozen=True)
class _List:
    """One topic's list, and all that is known of its documents."""

    shown: list[str]  # from the top down
    rank_of: Mapping[str, int]  # in the whole list, however deep
    levels: Mapping[str, float]  # of the judged documents found
    counts: Mapping[str, float]  # what they count as
    ideal: list[tuple[str, float]]  # what there is to find, and as what it counts
    group_of: Mapping[str, str]
    placed: Mapping[str, int]  # the rank at which a group counts
    relevant: Callable[[float], bool]

    @classmethod
    def of(
        cls,
        collection: Collection,
        rankings: Rankings,
        t: int,
        order: Sequence[str],
        condensed: bool,
        rel: float | None,
    ) -> _List:
        gold, ideal, groups = collection.gold, collection.ideal, collection.counting.groups
        judged, item_of = gold.judgments.levels, gold.by_topic[t]
        counts = {doc: level for _, doc, level in collection.hits(rankings, t)}
        named = {} if groups is None else groups.names.get(collection.topics[t], {})
        group_of = {doc: name for doc, name in named.items() if judged[item_of[doc]] > 0}
        shown = collection.documents(order, rankings, t, condensed)
        here = slice(ideal.offsets[t], ideal.offsets[t + 1])
        best = [gold.item_docs[item] for item in ideal.items[here].tolist()]
        return cls(
            shown,
            {doc: rank for rank, doc in enumerate(order, 1)},
            {doc: float(judged[item_of[doc]]) for doc in counts},
            counts,
            list(zip(best, ideal.levels[here].tolist(), strict=True)),
            group_of,
            {
                group_of[doc]: rank
                for rank, doc in enumerate(shown, 1)
                if doc in group_of and counts.get(doc, 0) > 0
            },
            (lambda level: level > 0) if rel is None else (lambda level: level >= rel),
        )

    def items(self) -> Iterator[Item]:
        """Every document of the list."""
        for rank, doc in enumerate(self.shown, 1):
            group = self.group_of.get(doc)
            if doc not in self.levels:
                yield Item(rank, doc, None, 0.0, "unjudged", group)
                continue
            level, count = self.levels[doc], self.counts[doc]
            status, note = "relevant" if self.relevant(count) else "nonrelevant", ""
            if count == 0 and self.relevant(level) and not self.relevant(count):
                status, note = self._worthless(rank, group)
            elif count != level:
                note = f"counts as {count:g}"
            yield Item(rank, doc, level, count, status, group, note)

    def _worthless(self, rank: int, group: str | None) -> tuple[str, str]:
        """Why a relevant document counts for nothing."""
        if group is None:
            return "does not count", ""
        if group not in self.placed:
            return "incomplete", ""
        at = self.placed[group]
        return "redundant" if at < rank else "waiting", f"counts at rank {at}"

    def missed(self) -> Iterator[Item]:
        """What there is to find and was not found, or not as what it is worth."""
        for doc, count in self.ideal:
            group = self.group_of.get(doc)
            rank = self.placed.get(group) if group is not None else None
            stands_in = doc if group is None or rank is None else self.shown[rank - 1]
            if self.relevant(count) and not self.relevant(self.counts.get(stands_in, -math.inf)):
                lacking = self._lacking(doc, group)
                why = self._why(lacking, rank)
                named = lacking[0] if rank is None and lacking and doc not in lacking else doc
                yield Item(None, named, count, count, "missed", group, why)

    def _lacking(self, doc: str, group: str | None) -> list[str]:
        """The documents that the list does not have: of a group all that belong to it."""
        members = [other for other, name in self.group_of.items() if group == name] or [doc]
        return [member for member in members if member not in self.levels]

    def _why(self, lacking: Sequence[str], rank: int | None) -> str:
        if rank is not None:
            return f"counts as {self.counts[self.shown[rank - 1]]:g} at rank {rank}"
        if len(lacking) < 2:
            return "".join(map(self._whereabouts, lacking)) or "found, and does not count"
        return ", ".join(f"{doc} {self._whereabouts(doc)}" for doc in lacking)

    def _whereabouts(self, doc: str) -> str:
        rank = self.rank_of.get(doc)
        return "not returned" if rank is None else f"at rank {rank}"
