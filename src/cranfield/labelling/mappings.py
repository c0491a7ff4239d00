"""Labelling nested dicts: only the judged documents' ranks matter.

A document's rank is one more than the number of documents with a higher score, so the scores
of a topic are sorted, the judged documents looked up, and names compared only among ties.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import chain

import numpy as np

from cranfield.data.records import real
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
        scores = _scores(ranked, run)
        falling = scores if (scores[1:] <= scores[:-1]).all() else -np.sort(-scores)
        if len(falling) and not (np.isfinite(falling[0]) and np.isfinite(falling[-1])):
            raise _not_finite(ranked, topic, run)  # NaN is sorted to the end
        returned[t] = len(falling)
        tied[t] = _tied(falling)
        judged = gold.by_topic[t]
        found = list(judged.keys() & ranked.keys())
        items.append([judged[doc] for doc in found])
        if found:
            places = {d: -float(i) for i, d in enumerate(ranked)} if run.given else ranked
            hits.append(_places(found, places, scores, falling, bool(tied[t])))
    topics = np.repeat(np.arange(n), [len(found) for found in items])
    first, last, ranks = (
        np.concatenate([h[k] for h in hits] or [np.empty(0, dtype=np.int64)]) for k in range(3)
    )
    flat = np.fromiter(chain.from_iterable(items), dtype=np.int64, count=len(topics))
    return rankings_of(returned, topics, ranks, flat, first, last, tied)


def _scores(ranked: Mapping[str, float], run: Run) -> Floats:
    """The scores of a list in its own order: the places themselves where they are the order."""
    if run.given:
        return -np.arange(len(ranked), dtype=np.float64)
    try:  # faster than np.fromiter, and reads whatever has a __float__
        return np.frombuffer(struct.pack(f"{len(ranked)}d", *ranked.values()))
    except (struct.error, OverflowError, TypeError):
        return np.array([np.nan])


def _not_finite(ranked: Mapping[str, float], topic: str, run: Run) -> InputError:
    doc, score = next((d, s) for d, s in ranked.items() if real(s) is None)
    found = f"score {score!r} for document {doc} of topic {topic}"
    return InputError(found, "a finite number", run.where)


def _tied(falling: Floats) -> int:
    """How many of the sorted scores equal another."""
    same = falling[1:] == falling[:-1]
    if not same.any():
        return 0
    return int(np.count_nonzero(np.append(same, False) | np.insert(same, 0, False)))


def _places(
    found: list[str], ranked: Mapping[str, float], scores: Floats, falling: Floats, ties: bool
) -> tuple[Ints, Ints, Ints]:
    """First and last rank a document's score allows, and the rank its name gives it."""
    rising, n = falling[::-1], len(falling)
    score = np.array([ranked[doc] for doc in found], dtype=np.float64)
    last = n - np.searchsorted(rising, score, side="left")
    if not ties:
        return last, last, last
    first = n - np.searchsorted(rising, score, side="right") + 1
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
