"""Labelled rankings: the label of each retrieved document, and missed documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.lines import parse_finite
from cranfield.data.run_reader import call_with_split
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import Collection, LabelledRun
from cranfield.evaluation.evaluate import RunsLike
from cranfield.evaluation.labelled import Item, LabelledList, LabelledLists
from cranfield.evaluation.options import ListSettings, Options, Topics, with_options
from cranfield.labelling.blocks import Rankings


@with_options
def label(
    qrels: QrelsLike,
    runs: RunsLike,
    topics: Topics | None = None,
    *,
    rel: float | None = None,
    **options: Unpack[ListSettings],
) -> LabelledLists:
    """Return the rankings of runs with the label of each document, and the missed documents.

    `topics` selects topics and their order (default: all judged topics). A document is relevant if
    its level is at least `rel` (default: above 0).

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
    if rel is not None and parse_finite(rel) is None:
        raise InputError(f"rel {rel!r}", "a finite number")
    all_options = Options.from_mapping({**options, "topics": "judged" if topics is None else topics})
    settings = replace(all_options, preset=None)  # its depth and labels are already applied
    settings.reject_expected_ties()
    collection = Collection.from_qrels(qrels, settings)
    settings = collection.options
    uncut = replace(collection, options=replace(settings, depth=None))  # to find documents below the depth
    selected = settings.named_topics or collection.topics
    by_topic: dict[str, list[LabelledList]] = {topic: [] for topic in selected}
    for labelled_run in call_with_split(collection.read(runs), lambda runs_read: [*map(uncut.label, runs_read)]):
        uncut.check_overlap(labelled_run)
        if settings.topics == "common":
            answered = labelled_run.full_rankings.answered
            selected = tuple(topic for topic in selected if answered[collection.find_topic(topic)])
        for labelled_list in _label_run(collection, labelled_run, selected, rel):
            by_topic[labelled_list.topic].append(labelled_list)
    return LabelledLists(labelled_list for topic in selected for labelled_list in by_topic[topic])


def _label_run(
    collection: Collection, labelled_run: LabelledRun, selected: Sequence[str], rel: float | None
) -> Iterator[LabelledList]:
    """Yield the labelled rankings of a run."""
    run, unit = labelled_run.run, collection.labels.unit
    ranked = {t: run.rank_topic(t) for t in selected} if len(selected) == 1 else run.rankings()
    rankings = collection.apply_strategy(labelled_run.full_rankings)
    for topic in selected:
        t = collection.find_topic(topic)
        order = collection.list_documents(ranked.get(topic, []), labelled_run.rankings, t)
        details = _ListDetails.from_rankings(collection, rankings, t, order, collection.options.condensed, rel)
        items, missed = tuple(details.iter_items()), tuple(details.iter_missed())
        total = sum(details.relevant(count) for _, count in details.ideal)
        yield LabelledList(run.name, topic, items, missed, total, unit)


@dataclass(frozen=True)
class _ListDetails:
    """The ranking of a topic with the levels and groups of its documents."""

    docs: list[str]  # documents in rank order
    rank_of: Mapping[str, int]  # ranks in the complete ranking
    levels: Mapping[str, float]  # judged levels of retrieved documents
    counts: Mapping[str, float]  # levels used by measures
    ideal: list[tuple[str, float]]  # documents and levels of the ideal ranking
    group_of: Mapping[str, str]
    group_ranks: Mapping[str, int]  # rank at which each group counts
    relevant: Callable[[float], bool]

    @classmethod
    def from_rankings(
        cls,
        collection: Collection,
        rankings: Rankings,
        t: int,
        order: Sequence[str],
        condensed: bool,
        rel: float | None,
    ) -> _ListDetails:
        gold, ideal, groups = collection.gold, collection.ideal, collection.labels.groups
        judged, item_of = gold.judgments.levels, gold.by_topic[t]
        counts = {doc: level for _, doc, level in collection.iter_hits(rankings, t)}
        group_names = {} if groups is None else groups.names.get(collection.topics[t], {})
        group_of = {doc: name for doc, name in group_names.items() if judged[item_of[doc]] > 0}
        docs = collection.list_documents(order, rankings, t, condensed)
        of_topic = slice(ideal.offsets[t], ideal.offsets[t + 1])
        best = [gold.item_docs[item] for item in ideal.items[of_topic].tolist()]
        return cls(
            docs,
            {doc: rank for rank, doc in enumerate(order, 1)},
            {doc: float(judged[item_of[doc]]) for doc in counts},
            counts,
            list(zip(best, ideal.levels[of_topic].tolist(), strict=True)),
            group_of,
            {group_of[doc]: rank for rank, doc in enumerate(docs, 1) if doc in group_of and counts.get(doc, 0) > 0},
            (lambda level: level > 0) if rel is None else (lambda level: level >= rel),
        )

    def iter_items(self) -> Iterator[Item]:
        """Yield the documents of the ranking."""
        for rank, doc in enumerate(self.docs, 1):
            group = self.group_of.get(doc)
            if doc not in self.levels:
                yield Item(rank, doc, None, 0.0, "unjudged", group)
                continue
            level, count = self.levels[doc], self.counts[doc]
            status, note = "relevant" if self.relevant(count) else "nonrelevant", ""
            if count == 0 and self.relevant(level) and not self.relevant(count):
                status, note = self._explain_zero(rank, group)
            elif count != level:
                note = f"counts as {count:g}"
            yield Item(rank, doc, level, count, status, group, note)

    def _explain_zero(self, rank: int, group: str | None) -> tuple[str, str]:
        """Return status and note of a relevant document that counts as 0."""
        if group is None:
            return "does not count", ""
        if group not in self.group_ranks:
            return "incomplete", ""
        counted_rank = self.group_ranks[group]
        return "redundant" if counted_rank < rank else "waiting", f"counts at rank {counted_rank}"

    def iter_missed(self) -> Iterator[Item]:
        """Yield the relevant documents that are missing or count less than possible."""
        for doc, count in self.ideal:
            group = self.group_of.get(doc)
            rank = self.group_ranks.get(group) if group is not None else None
            stands_in = doc if group is None or rank is None else self.docs[rank - 1]
            if self.relevant(count) and not self.relevant(self.counts.get(stands_in, -math.inf)):
                missing = self._find_missing(doc, group)
                reason = self._explain_missed(missing, rank)
                name = missing[0] if rank is None and missing and doc not in missing else doc
                yield Item(None, name, count, count, "missed", group, reason)

    def _find_missing(self, doc: str, group: str | None) -> list[str]:
        """Return the missing documents: the document, or all members of its group."""
        members = [doc_in_group for doc_in_group, name in self.group_of.items() if group == name] or [doc]
        return [member for member in members if member not in self.levels]

    def _explain_missed(self, missing: Sequence[str], rank: int | None) -> str:
        if rank is not None:
            return f"counts as {self.counts[self.docs[rank - 1]]:g} at rank {rank}"
        if len(missing) < 2:
            return "".join(map(self._describe_rank, missing)) or "found, and does not count"
        return ", ".join(f"{doc} {self._describe_rank(doc)}" for doc in missing)

    def _describe_rank(self, doc: str) -> str:
        rank = self.rank_of.get(doc)
        return "not returned" if rank is None else f"at rank {rank}"
