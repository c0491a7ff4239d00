"""Ids of runs that differ from ids of the judgments in spelling only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from cranfield.arrays import Ints
from cranfield.data.folding import describe_difference, fold_ids, match_folded
from cranfield.data.run import ListRun
from cranfield.scores import Note
from cranfield.wording import format_count

if TYPE_CHECKING:
    from cranfield.evaluation.collection import Collection, LabelledRun

Judged: TypeAlias = dict[str, tuple[str, int]]  # folded id -> document, item
MIN_FRACTION = 0.1  # minimum fraction of matching documents, fewer are an accident
MAX_DOCS, MAX_JUDGED = 2_000, 5_000  # documents to compare
MAX_TOPICS, MAX_DOCS_PER_TOPIC = 200, 10  # topics of a run in memory, documents per topic
MAX_PARTS = 20  # parts of other runs, each with some topics


def collect_spelling_notes(labelled: LabelledRun, collection: Collection) -> Iterator[Note]:
    """Warn of topics and documents that match judged ones only when folded."""
    run, judged = labelled.run.name, collection.topics
    if collection.options.named_topics is None:
        topics = match_folded(labelled.topics, judged)
        if topics:
            text = _describe_difference(topics, format_count(len(topics), "topic"))
            yield Note("folded-ids", f"{run}: {text}", run, tuple(topic for _, topic in topics))
    if text := _describe_documents(labelled, collection):
        yield Note("folded-ids", f"{run}: {text}", run)


def _describe_documents(labelled: LabelledRun, collection: Collection) -> str:
    """Describe documents that match only when folded, or return an empty text.

    Compares a sample of bounded size, which takes a few milliseconds at most.
    """
    rankings, gold = labelled.full_rankings, collection.gold
    n_compared = n_exact = n_judged = 0
    pairs: list[tuple[str, str]] = []
    for topic, docs in _sample(labelled):
        t = gold.topic_index.get(topic)
        if t is None or not collection.topic_mask[t]:
            continue
        judged, folded = _fold_judged(collection, t)
        unmatched = [*{*docs}.difference(judged)]
        pairs += _match(unmatched, folded, rankings.items[rankings.offsets[t] : rankings.offsets[t + 1]])
        n_compared, n_exact = n_compared + len(docs), n_exact + len(docs) - len(unmatched)
        n_judged += len(judged)
        if n_compared >= MAX_DOCS or n_judged >= MAX_JUDGED:
            break
    if not pairs or len(pairs) < MIN_FRACTION * (n_exact + len(pairs)):
        return ""
    return _describe_difference(sorted(pairs), f"{len(pairs):,} of {format_count(n_compared, 'document')} compared")


def _fold_judged(collection: Collection, t: int) -> tuple[set[str], Judged]:
    """Return the judged documents of a topic, and documents and items by folded id."""
    if t not in collection.folded:
        gold = collection.gold
        rows = slice(gold.qrels.offsets[t], gold.qrels.offsets[t + 1])
        docs = gold.qrels.docs[rows].tolist()
        pairs = zip(docs, gold.items[rows].tolist(), strict=True)
        collection.folded[t] = {*docs}, dict(zip(fold_ids(docs), pairs, strict=True))
    return collection.folded[t]


def _match(docs: Sequence[str], folded: Judged, returned: Ints) -> list[tuple[str, str]]:
    """Return documents that match a judged, not retrieved document only when folded."""
    candidates = [(doc, *folded[key]) for doc, key in zip(docs, fold_ids(docs), strict=True) if key in folded]
    returned_items = {*returned.tolist()} if candidates else set()
    return [(doc, judged_doc) for doc, judged_doc, item in candidates if item not in returned_items]


def _sample(labelled: LabelledRun) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield some topics of a run, from the first to the last, with some of their documents."""
    if isinstance(labelled.run, ListRun):
        lists = labelled.run.lists
        for topic in islice(lists, 0, None, 1 + len(lists) // MAX_TOPICS):
            yield topic, [*map(str, islice(lists[topic], MAX_DOCS_PER_TOPIC))]
    else:
        for topics, sizes, docs in labelled.sample[:: 1 + len(labelled.sample) // MAX_PARTS]:
            documents = iter(docs.tolist())
            for topic, size in zip(topics, sizes.tolist(), strict=True):
                yield topic, [*islice(documents, size)]


def _describe_difference(pairs: Sequence[tuple[str, str]], count: str) -> str:
    """Describe the difference of ids, with an example."""
    name, judged_name = pairs[0]
    difference = describe_difference(name, judged_name)
    example = f"({name!r} in the run, {judged_name!r} in the judgments)"
    return f"ids differ only in {difference} for {count} {example}: not matched"
