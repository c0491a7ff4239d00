"""Ids of runs that would match those of the judgments, if both were spelt alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from cranfield.arrays import Ints
from cranfield.data.folding import differences, fold_ids, match_folded
from cranfield.data.run import ListRun
from cranfield.scores import Notice
from cranfield.wording import counted

if TYPE_CHECKING:
    from cranfield.evaluation.collection import Collection, Labelled

Judged: TypeAlias = dict[str, tuple[str, int]]  # folded id -> document, item
LEAST = 0.1  # of the documents that match at all: fewer are an accident
MOST_DOCS, MOST_JUDGED = 2_000, 5_000  # documents that are compared
MOST_TOPICS, OF_TOPIC = 200, 10  # topics of a run in memory, and documents of each
MOST_PARTS = 20  # of a run that is read in parts, each with some topics


def of_spelling(labelled: Labelled, collection: Collection) -> Iterator[Notice]:
    """Warn of topics and documents that match judged ones only when folded."""
    run, judged = labelled.run.name, collection.topics
    if collection.options.named_topics is None:
        topics = match_folded(labelled.topics, judged)
        if topics:
            text = _difference(topics, counted(len(topics), "topic"))
            yield Notice("folded-ids", f"{run}: {text}", run, tuple(topic for _, topic in topics))
    if text := _documents(labelled, collection):
        yield Notice("folded-ids", f"{run}: {text}", run)


def _documents(labelled: Labelled, collection: Collection) -> str:
    """Say that documents match only when folded, nothing if they do not.

    A sample is compared, of bounded size, so that this takes a few milliseconds at most.
    """
    rankings, gold = labelled.placed, collection.gold
    compared = exact = of_judged = 0
    pairs: list[tuple[str, str]] = []
    for topic, docs in _sample(labelled):
        t = gold.topic_index.get(topic)
        if t is None or not collection.chosen[t]:
            continue
        judged, folded = _fold_judged(collection, t)
        others = [*{*docs}.difference(judged)]
        pairs += _match(
            others, folded, rankings.items[rankings.offsets[t] : rankings.offsets[t + 1]]
        )
        compared, exact = compared + len(docs), exact + len(docs) - len(others)
        of_judged += len(judged)
        if compared >= MOST_DOCS or of_judged >= MOST_JUDGED:
            break
    if not pairs or len(pairs) < LEAST * (exact + len(pairs)):
        return ""
    return _difference(sorted(pairs), f"{len(pairs):,} of {counted(compared, 'document')} compared")


def _fold_judged(collection: Collection, t: int) -> tuple[set[str], Judged]:
    """Return the judged documents of a topic, and with their items by folded id; once."""
    if t not in collection.folded:
        gold = collection.gold
        rows = slice(gold.qrels.offsets[t], gold.qrels.offsets[t + 1])
        docs = gold.qrels.docs[rows].tolist()
        both = zip(docs, gold.items[rows].tolist(), strict=True)
        collection.folded[t] = {*docs}, dict(zip(fold_ids(docs), both, strict=True))
    return collection.folded[t]


def _match(docs: Sequence[str], folded: Judged, returned: Ints) -> list[tuple[str, str]]:
    """Return the documents that match a judged one only when folded, if that is not returned."""
    same = [
        (doc, *folded[key]) for doc, key in zip(docs, fold_ids(docs), strict=True) if key in folded
    ]
    known = {*returned.tolist()} if same else set()
    return [(doc, other) for doc, other, item in same if item not in known]


def _sample(labelled: Labelled) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield some topics of a run, from the first to the last, with some of their documents."""
    if isinstance(labelled.run, ListRun):
        lists = labelled.run.lists
        for topic in islice(lists, 0, None, 1 + len(lists) // MOST_TOPICS):
            yield topic, [*map(str, islice(lists[topic], OF_TOPIC))]
    else:
        for topics, sizes, docs in labelled.sample[:: 1 + len(labelled.sample) // MOST_PARTS]:
            every = iter(docs.tolist())
            for topic, size in zip(topics, sizes.tolist(), strict=True):
                yield topic, [*islice(every, size)]


def _difference(pairs: Sequence[tuple[str, str]], count: str) -> str:
    """Say in what ids differ, with an example."""
    name, other = pairs[0]
    example = f"({name!r} in the run, {other!r} in the judgments)"
    return f"ids differ only in {differences(name, other)} for {count} {example}: not matched"
