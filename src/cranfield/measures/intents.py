"""Lists and judgments with every intent as a topic of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.labelling.blocks import expand_spans
from cranfield.measures.lists import Costs, Gold, IntentBlock, Lengths, Lists, NeedsMore


def get_intents(x: Lists) -> IntentBlock:
    """Return the intents of the topics of a block, or raise NeedsMore."""
    if x.gold.intents is None or x.intent_levels is None:
        raise NeedsMore("requires judgments for intents (topic intent doc level)")
    return x.gold.intents


def expand_intents(x: Lists) -> Lists:
    """Repeat the lists for each intent, as a topic of its own: row t·I + i."""
    get_intents(x)
    return x.cache("intents", lambda: build_intent_rows(x.intent_levels, x, expand_gold(x.gold)))


def build_intent_rows(by_intent: Any, x: Lists, gold: Gold) -> Lists:
    """Repeat lists for each intent, with levels [topics, items, intents]."""
    topics, items, I = by_intent.shape

    def repeat(values: Any) -> Any:
        return np.repeat(values, I, axis=0)

    def repeat_costs(costs: Costs | None) -> Costs | None:  # of all ranks, judged or not
        if costs is None:
            return None
        begin = np.cumsum(costs.n) - costs.n
        return Costs(costs.flat[expand_spans(repeat(begin), repeat(costs.n))], repeat(costs.n))

    return Lists(
        repeat(x.r),
        np.moveaxis(by_intent, 2, 1).reshape(topics * I, items),
        repeat(x.judged),
        repeat(x.n),
        gold,
        lengths={unit: Lengths(*map(repeat, pair)) for unit, pair in x.lengths.items()},
        costs=repeat_costs(x.costs),
        documents=repeat_costs(x.documents),
    )


def expand_gold(gold: Gold) -> Gold:
    """Repeat the judgments for each intent, as a topic of its own."""
    return gold.cache("intents", lambda: _build_gold_rows(gold))


def _build_gold_rows(gold: Gold) -> Gold:
    intents = gold.intents
    assert intents is not None  # noqa: S101
    topics, items, I = intents.levels.shape
    levels = np.moveaxis(intents.levels, 2, 1).reshape(topics * I, items)
    judged = np.repeat(intents.judged, I, axis=0)
    levels, judged, _ = sort_by_level(levels, judged)
    rows = Gold(levels, judged, gold.max_level, gold.is_complete, gold.traced, intents.flat)
    rows.topics, rows.names = tuple(topic for topic in gold.topics for _ in range(I)), gold.names
    return rows


def sort_by_level(levels: Floats, judged: Bools) -> tuple[Floats, Bools, Ints]:
    """Sort each row by falling level, padding last. Also return mask and order."""
    order = np.argsort(np.where(judged, -levels, np.inf), axis=1, kind="stable")
    filled = np.arange(levels.shape[1]) < judged.sum(axis=1)[:, None]
    falling = np.where(filled, np.take_along_axis(levels, order, axis=1), 0.0)
    return falling, filled, order
