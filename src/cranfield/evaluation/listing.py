"""Lists label by label, next to what was missed: where to begin when a topic fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.records import finite
from cranfield.data.run import RunLike
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.labelled import Item, LabelledList
from cranfield.labelling.blocks import Rankings
from cranfield.wording import some


def label(
    qrels: QrelsLike,
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    topics: str | Sequence[str] | None = None,
    *,
    rel: float | None = None,
    **options: Any,
) -> list[LabelledList]:
    """The lists of one or several runs with the label of each document, and what each list lacks.

    All judged topics, or some of them, and of each topic all runs. A document is relevant if it
    counts as `rel` or more; as more than 0 if that is not given. The options are those of
    `Evaluator`.

    >>> print(label({"q1": {"a": 2, "b": 0, "c": 1}}, {"q1": ["b", "x", "a"]})[0])
    run, topic q1: 1 of 2 relevant documents found in 3 documents, 1 unjudged
    <BLANKLINE>
    rank  document  level                   missed  level
       1  b             0  nonrelevant      c           1  not returned
       2  x             –  unjudged
       3  a             2  relevant
    """
    if rel is not None and finite(rel) is None:
        raise InputError(f"rel {rel!r}", "a finite number")
    if options.get("ties") == "expected":
        raise InputError("ties=expected", "one order: trec, best or worst")
    condensed = bool(options.pop("condensed", False))
    evaluator = Evaluator(qrels, "NumRet", **options)
    index = evaluator.gold.topic_index
    topics = [topics] if isinstance(topics, str) else topics
    wanted = list(index) if topics is None else [str(topic) for topic in topics]
    if unknown := [topic for topic in wanted if topic not in index]:
        known = some(list(index), "topic")
        raise InputError(f"topic {unknown[0]!r}", f"one of the judgments' {known}")
    whole = evaluator  # knows where is what a depth cuts off
    if evaluator.depth is not None:
        whole = Evaluator(evaluator.gold.qrels, "NumRet", **{**options, "depth": None})
    by_topic: dict[str, list[LabelledList]] = {topic: [] for topic in wanted}
    for run in evaluator.read(runs):
        rankings = evaluator.rankings(run)
        every = rankings if whole is evaluator else whole.rankings(run)
        ranked = {t: run.ranked(t) for t in wanted} if len(wanted) == 1 else run.rankings()
        for topic, made in by_topic.items():
            t = index[topic]
            order = documents(evaluator, ranked.get(topic, []), every, t, condensed=False)
            one = _List.of(evaluator, rankings, t, order, condensed, rel)
            items, missed = tuple(one.items()), tuple(one.missed())
            total = sum(one.relevant(count) for _, count in one.ideal)
            unit = evaluator.counting.unit
            made.append(LabelledList(run.name, topic, items, missed, total, unit))
    return [one for made in by_topic.values() for one in made]


def documents(
    evaluator: Evaluator, ranked: Sequence[str], rankings: Rankings, t: int, condensed: bool
) -> list[str]:
    """The documents of a topic's list in order, as it was labelled; condensed, the judged ones.

    `ranked` are those of the run, whatever the order of ties.
    """
    docs, topic = evaluator.gold.item_docs, evaluator.gold.qrels.topics[t]
    hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
    ranks, items = rankings.ranks[hits].tolist(), rankings.items[hits].tolist()
    judged = {rank: docs[item] for rank, item in zip(ranks, items, strict=True)}
    if condensed:
        return list(judged.values())
    known = {topic} if evaluator.exclude_self else set()
    known |= evaluator.gold.by_topic[t].keys()
    others = (doc for doc in ranked if doc not in known)
    every = range(1, int(rankings.lengths[t]) + 1)
    return [judged[rank] if rank in judged else next(others) for rank in every]


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
        evaluator: Evaluator,
        rankings: Rankings,
        t: int,
        order: Sequence[str],
        condensed: bool,
        rel: float | None,
    ) -> _List:
        gold, ideal, groups = (
            evaluator.gold,
            evaluator.counting.judgments,
            evaluator.counting.groups,
        )
        docs, judged = gold.item_docs, gold.judgments.levels
        hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
        here = slice(ideal.offsets[t], ideal.offsets[t + 1])
        found = rankings.items[hits].tolist()
        names = [docs[item] for item in found]
        counts = dict(zip(names, rankings.levels[hits].tolist(), strict=True))
        item_of = gold.by_topic[t]
        named = {} if groups is None else groups.names.get(gold.qrels.topics[t], {})
        group_of = {doc: name for doc, name in named.items() if judged[item_of[doc]] > 0}
        shown = documents(evaluator, order, rankings, t, condensed)
        best = [docs[item] for item in ideal.items[here].tolist()]
        return cls(
            shown,
            {doc: rank for rank, doc in enumerate(order, 1)},
            dict(zip(names, judged[found].tolist(), strict=True)),
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
