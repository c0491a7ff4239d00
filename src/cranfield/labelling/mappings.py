"""Labelling nested dicts: only the judged documents' ranks matter.

A document's rank is one more than the number of documents with a higher score, so the scores
of a topic are sorted, the judged documents looked up, and names compared only among ties.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import chain
from math import isfinite

import numpy as np

from cranfield.data.records import real
from cranfield.data.run import Run
from cranfield.errors import InputError
from cranfield.labelling.blocks import Floats, Rankings, rankings_of
from cranfield.labelling.gold import GoldStandard

FEW = 4  # judged documents in a list, below which counting beats searching


def label_lists(gold: GoldStandard, run: Run, exclude_self: bool = False) -> Rankings:
    """Where a run in memory placed the judged documents."""
    assert run.lists is not None  # noqa: S101
    n = len(gold.qrels.topics)
    returned, tied = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    first: list[int] = []  # the best and the worst rank that each hit's score allows,
    last: list[int] = []
    ranks: list[int] = []  # and its own
    items: list[list[int]] = []
    for t, (topic, judged) in enumerate(zip(gold.qrels.topics, gold.by_topic, strict=True)):
        ranked = run.lists.get(topic)
        if ranked is None:
            items.append([])
            continue
        if exclude_self and topic in ranked:
            ranked = {doc: score for doc, score in ranked.items() if doc != topic}
        scores = _scores(ranked, run)
        in_order = (scores[1:] < scores[:-1]).all()  # as most lists are: sorted, and no ties
        falling = scores if in_order else -np.sort(-scores)
        if len(falling) and not (isfinite(falling[0]) and isfinite(falling[-1])):
            raise _not_finite(ranked, topic, run)  # NaN is sorted to the end
        returned[t] = len(falling)
        ties = 0 if in_order else _tied(falling)
        tied[t] = ties
        found = list(judged.keys() & ranked.keys())
        items.append([judged[doc] for doc in found])
        if found:
            places = {d: -float(i) for i, d in enumerate(ranked)} if run.given else ranked
            best, worst, own = _places(found, places, scores, falling, ties > 0)
            first += best
            last += worst
            ranks += own
    topics = np.repeat(np.arange(n), [len(found) for found in items])
    flat = list(chain.from_iterable(items))
    ranks_, items_, first_, last_ = (
        np.array(column, dtype=np.int64) for column in (ranks, flat, first, last)
    )
    return rankings_of(returned, topics, ranks_, items_, first_, last_, tied)


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
) -> tuple[list[int], list[int], list[int]]:
    """First and last rank a document's score allows, and the rank its name gives it."""
    if not ties and len(found) < FEW:
        last = [int(np.count_nonzero(scores >= ranked[doc])) for doc in found]
        return last, last, last
    rising, n = falling[::-1], len(falling)
    score = np.array([ranked[doc] for doc in found], dtype=np.float64)
    last = (n - np.searchsorted(rising, score, side="left")).tolist()
    if not ties:
        return last, last, last
    first = (n + 1 - np.searchsorted(rising, score, side="right")).tolist()
    ranks = list(first)
    docs = list(ranked)
    groups: dict[float, dict[str, int]] = {}
    for k, s in enumerate(score.tolist()):
        if first[k] == last[k]:
            continue
        if s not in groups:
            names = sorted((docs[i] for i in np.flatnonzero(scores == s).tolist()), reverse=True)
            groups[s] = {name: i for i, name in enumerate(names)}
        ranks[k] += groups[s][found[k]]
    return first, last, ranks
