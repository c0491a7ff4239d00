"""Blocks of topics of bounded size, and the loop over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.parallel import map_in_order
from cranfield.labelling.blocks import Intents, Judgments, Rankings
from cranfield.measures.gains import Gain
from cranfield.measures.lists import (
    BLOCK_CELLS,
    DENSE_CELLS,
    Gold,
    Lists,
    build_gold_block,
    build_lists_block,
    split_topics,
)

T = TypeVar("T")


class Block(NamedTuple):
    """The topics start..stop-1 with their judgments as matrices."""

    start: int
    stop: int
    gold: Gold

    def build_lists(self, rankings: Rankings) -> Lists:
        """Return the rankings of a run for these topics."""
        return build_lists_block(rankings, self.gold, self.start, self.stop)


def cut_blocks(
    judgments: Judgments,
    *,
    widths: Ints | None = None,
    ranks: int = 0,
    cells: int = BLOCK_CELLS,
    gains: Sequence[Gain] | None = None,
    intents: Intents | None = None,
    importance: Floats | None = None,
    within: range | None = None,
) -> list[Block]:
    """Cut the topics into blocks of bounded size, which depend on the judgments only.

    The width of a topic is its number of judged items (or `widths`), at least the `ranks` read by
    user models, times its number of intents. Topics of one block have the same `gains`.
    `importance` is Pr(v|i) of all intents. `within` selects the blocks that start in a range.
    """
    width = np.maximum(judgments.counts if widths is None else widths, ranks)
    if intents is not None:
        width = width * np.maximum(intents.counts, 1)
    bounds = split_topics(width, min(cells, DENSE_CELLS) if ranks else cells, gains)
    return [
        Block(a, b, build_gold_block(judgments, a, b, intents, importance))
        for a, b in bounds
        if within is None or a in within
    ]


def map_blocks(all_blocks: Sequence[Block], compute: Callable[[Block], T], threads: int = 1) -> list[T]:
    """Return the results for all blocks in order, computed by several threads."""
    return list(map_in_order(iter(all_blocks), compute, threads))
