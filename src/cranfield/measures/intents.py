"""Every intent as a topic of its own: what its users see of the lists and the judgments."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.labelling.blocks import spans
from cranfield.measures.lists import Costs, Gold, IntentBlock, Lengths, Lists, NeedsMore


def intents_of(x: Lists) -> IntentBlock:
    """The intents of the topics of some lists."""
    if x.gold.intents is None or x.by_intent is None:
        raise NeedsMore("needs judgments for intents: topic intent doc level")
    return x.gold.intents


def intent_rows(x: Lists) -> Lists:
    """The lists once for each intent, as a topic of its own: row t·I + i."""
    intents_of(x)
    return x.remember("intents", lambda: rows_of(x.by_intent, x, gold_rows(x.gold)))


def rows_of(by_intent: Any, x: Lists, gold: Gold) -> Lists:
    """Lists with these levels, [topics, items, intents], once for each intent."""
    topics, items, I = by_intent.shape

    def each(values: Any) -> Any:
        return np.repeat(values, I, axis=0)

    def of_all(given: Costs | None) -> Costs | None:  # of all ranks, judged or not
        if given is None:
            return None
        begin = np.cumsum(given.n) - given.n
        return Costs(given.flat[spans(each(begin), each(given.n))], each(given.n))

    return Lists(
        each(x.r),
        np.moveaxis(by_intent, 2, 1).reshape(topics * I, items),
        each(x.judged),
        each(x.n),
        gold,
        lengths={unit: Lengths(*map(each, both)) for unit, both in x.lengths.items()},
        costs=of_all(x.costs),
        documents=of_all(x.documents),
    )


def gold_rows(gold: Gold) -> Gold:
    """The judgments once for each intent, as a topic of its own."""
    return gold.remember("intents", lambda: _gold_rows(gold))


def _gold_rows(gold: Gold) -> Gold:
    known = gold.intents
    assert known is not None  # noqa: S101
    topics, items, I = known.levels.shape
    levels = np.moveaxis(known.levels, 2, 1).reshape(topics * I, items)
    judged = np.repeat(known.judged, I, axis=0)
    levels, judged, _ = best_first(levels, judged)
    distinct = None if known.flat is None else known.flat.distinct
    made = Gold(levels, judged, gold.max_level, gold.known, gold.traced, distinct)
    made.topics, made.names = tuple(topic for topic in gold.topics for _ in range(I)), gold.names
    return made


def best_first(levels: Floats, judged: Bools) -> tuple[Floats, Bools, Ints]:
    """Each row from the highest to the lowest level, padding last; and which came from where."""
    order = np.argsort(np.where(judged, -levels, np.inf), axis=1, kind="stable")
    filled = np.arange(levels.shape[1]) < judged.sum(axis=1)[:, None]
    falling = np.where(filled, np.take_along_axis(levels, order, axis=1), 0.0)
    return falling, filled, order
