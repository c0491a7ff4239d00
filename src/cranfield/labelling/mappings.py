"""Labelling nested dicts: only the judged documents' ranks matter.

A document's rank is one more than the number of documents with a higher score, so the scores
of a topic are sorted, the judged documents looked up, and names compared only among ties.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import numpy as np

from cranfield.data.records import finite
from cranfield.data.run import Run
from cranfield.errors import InputError
from cranfield.labelling.blocks import Floats, Ints, Rankings, rankings_of
from cranfield.labelling.gold import GoldStandard


def label_lists(gold: GoldStandard, run: Run, exclude_self: bool = False) -> Rankings:
    """Where a run in memory placed the judged documents."""
    assert run.lists is not None  # noqa: S101
    n = len(gold.qrels.topics)
    returned, tied = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    hits: list[tuple[Ints, Ints, Ints]] = []  # best and worst place of each hit, and its own
    items: list[list[int]] = []
    for t, topic in enumerate(gold.qrels.topics):
        ranked = run.lists.get(topic)
        if ranked is None:
            items.append([])
            continue
        if exclude_self and topic in ranked:
            ranked = {doc: score for doc, score in ranked.items() if doc != topic}
        scores = _scores(ranked, topic, run)
        ordered = np.sort(scores)
        returned[t] = len(ordered)
        tied[t] = _tied(ordered)
        judged = gold.by_topic[t]
        found = list(judged.keys() & ranked.keys())
        items.append([judged[doc] for doc in found])
        if found:
            places = {d: -float(i) for i, d in enumerate(ranked)} if run.given else ranked
            hits.append(_places(found, places, scores, ordered, bool(tied[t])))
    topics = np.repeat(np.arange(n), [len(found) for found in items])
    first, last, ranks = (
        np.concatenate([h[k] for h in hits] or [np.empty(0, dtype=np.int64)]) for k in range(3)
    )
    flat = np.fromiter(chain.from_iterable(items), dtype=np.int64, count=len(topics))
    return rankings_of(returned, topics, ranks, flat, first, last, tied)


def _scores(ranked: Mapping[str, float], topic: str, run: Run) -> Floats:
    """The scores of a list in its own order: the places themselves where they are the order."""
    if run.given:
        return -np.arange(len(ranked), dtype=np.float64)
    try:
        scores = np.fromiter(ranked.values(), dtype=np.float64, count=len(ranked))
    except (TypeError, ValueError):
        scores = np.array([np.nan])
    if not np.isfinite(scores).all():
        doc, score = next((d, s) for d, s in ranked.items() if finite(s) is None)
        raise InputError(
            f"score {score!r} for document {doc} of topic {topic}", "a finite number", run.where
        )
    return scores


def _tied(ordered: Floats) -> int:
    """How many of the sorted scores equal another."""
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return 0
    return int(np.count_nonzero(np.append(same, False) | np.insert(same, 0, False)))


def _places(
    found: list[str], ranked: Mapping[str, float], scores: Floats, ordered: Floats, ties: bool
) -> tuple[Ints, Ints, Ints]:
    """First and last rank a document's score allows, and the rank its name gives it."""
    score = np.fromiter((ranked[doc] for doc in found), dtype=np.float64, count=len(found))
    last = len(ordered) - np.searchsorted(ordered, score, side="left")
    if not ties:
        return last, last, last
    first = len(ordered) - np.searchsorted(ordered, score, side="right") + 1
    ranks = first.copy()
    docs = list(ranked)
    groups: dict[float, dict[str, int]] = {}
    for k in np.flatnonzero(last > first).tolist():
        s = score[k]
        if s not in groups:
            names = sorted((docs[i] for i in np.flatnonzero(scores == s).tolist()), reverse=True)
            groups[s] = {name: i for i, name in enumerate(names)}
        ranks[k] += groups[s][found[k]]
    return first, last, ranks
