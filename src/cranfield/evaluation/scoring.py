"""Measures computed on labelled runs, block by block, for every order of ties."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.blocks import Block, map_blocks
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.extras import Costs
from cranfield.evaluation.options import Options
from cranfield.evaluation.sampling import RunningMean, iter_samples
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.measures.expected import Expected
from cranfield.measures.gains import MAX_LEVELS, Gain, parse_gain
from cranfield.measures.intents import expand_gold, expand_intents
from cranfield.measures.lists import Gold, Lists, build_tie_bounds
from cranfield.measures.selection import Selection, find_deepest


class Column(NamedTuple):
    """A column of scores: name, summary over topics, and better direction."""

    name: str
    summary: str
    better: str


class Scorer:
    """Computes the measures of labelled runs of a collection."""

    def __init__(self, collection: Collection, selection: Selection, options: Options | None = None) -> None:
        self.collection, self.selection = collection, selection
        self.options, self.measures = collection.options, selection.measures
        self.unused_options = (options or self.options).find_unused(selection.every)
        self.gains = _parse_topic_gains(collection, self.unused_options)

    @cached_property
    def blocks(self) -> list[Block]:
        """Blocks of topics with their judgments."""
        return self.collection.build_blocks(self._ranks, self.gains)

    def select_blocks(self, first: int, stop: int) -> list[Block]:
        """Return the blocks that start at the topics first..stop-1."""
        return self.collection.build_blocks(self._ranks, self.gains, within=range(first, stop))

    @property
    def _ranks(self) -> int:
        """The number of ranks read by user models."""
        return max((m.width for m in self.selection.models), default=0)

    def with_topic_gains(self, m: Measure, topic: int) -> Measure:
        """Return the measure with the gains of a topic."""
        return m if self.gains is None else m.with_defaults({"gain": self.gains[topic]})

    # -- topics and columns -----------------------------------------------------------------------

    @cached_property
    def columns(self) -> list[Column]:
        """Columns of all measures."""
        return [column for m in self.measures for column in self._build_columns(m)]

    def _build_columns(self, m: Measure) -> list[Column]:
        numbers = [Column(name, m.summary, m.better) for name in m.names()]
        numbers += [Column(name, m.summary, "neither") for name in self.name_residual_columns(m)]
        if self.options.ties != "expected" or self.is_exact(m):
            return numbers
        return [x for column in numbers for x in (column, Column(f"{column.name}.se", "se", "neither"))]

    def name_residual_columns(self, m: Measure) -> list[str]:
        """Return the names of the columns with the residuals of a measure."""
        has_columns = self.options.residuals and m.has_residuals
        return [f"{m.called or m}.{end}" for end in ("lower", "upper")] if has_columns else []

    def expand_topics(self, values: Any) -> Any:
        """Repeat values of topics for their intents if each intent is scored."""
        intents = self.collection.intents
        if self.options.per_intent and intents is not None:
            return np.repeat(values, intents.counts)
        return values

    def select_names(self, mask: Bools) -> tuple[str, ...]:
        """Return the names of the scored topics, or of their intents."""
        return tuple(compress(self._row_names, self.expand_topics(mask)))

    @cached_property
    def _row_names(self) -> Sequence[str]:
        """Names of topics, or of their intents."""
        topics, intents = self.collection.topics, self.collection.intents
        if self.options.per_intent and intents is not None:
            pairs = zip(topics, intents.names, strict=True)
            return [f"{topic}/{name}" for topic, intent_names in pairs for name in intent_names]
        return topics

    def find_topics_without_relevant(self, m: Measure, mask: Bools) -> list[str]:
        """Return the topics without relevant items for this measure."""
        R = np.concatenate(
            [self._count_relevant(self.with_topic_gains(m, start), gold) for start, _, gold in self.blocks]
        )
        return list(compress(self._row_names, self.expand_topics(mask) & (R == 0)))

    def _count_relevant(self, m: Measure, gold: Gold) -> Floats:
        """Return R of a measure for the topics of a block, or for their intents."""
        if self.options.per_intent and gold.intents is not None:
            of_intents: Floats = m.view(expand_gold(gold).ideal).R[gold.intents.filled.ravel()]
            return of_intents
        return m.view(gold.ideal).R

    # -- values -----------------------------------------------------------------------------------

    def compute_values(self, rankings: Rankings, blocks: Sequence[Block] | None = None) -> Floats:
        """Compute topics × columns of one run, for all topics or for some blocks."""
        if self.options.ties == "expected":
            return self._compute_expected(rankings) if rankings.has_ties else self._compute_untied(rankings)
        last = find_deepest(self.measures, self.options.depth)
        if self.collection.intents is not None and last is not None:  # a hit has a level for each intent
            rankings = rankings.with_hits(rankings.ranks <= last)
        return np.concatenate(self.compute_plain(self.measures, rankings, blocks), axis=1)

    def compute_plain(
        self, measures: Sequence[Measure], rankings: Rankings, blocks: Sequence[Block] | None = None
    ) -> list[Floats]:
        """Compute topics × columns of each measure without changing ties."""
        all_blocks = self.blocks if blocks is None else blocks
        return self.compute_measures(measures, lambda block: block.build_lists(rankings), all_blocks)

    def compute_measures(
        self, measures: Sequence[Measure], lists_of: Callable[[Block], Lists], blocks: Sequence[Block]
    ) -> list[Floats]:
        """Compute topics × columns of each measure, block by block."""
        if not measures:
            return []
        compute = partial(self._compute_block, measures, lists_of)
        parts = map_blocks(blocks, compute, self.options.workers)
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _compute_block(
        self, measures: Sequence[Measure], lists_of: Callable[[Block], Lists], block: Block
    ) -> list[Floats]:
        lists, intents = lists_of(block), block.gold.intents
        rows: Any = slice(None)
        if self.options.per_intent and intents is not None:
            lists, rows = expand_intents(lists), intents.filled.ravel()
        return [self._compute_measure(self.with_topic_gains(m, block.start), lists)[rows] for m in measures]

    def _compute_measure(self, m: Measure, lists: Lists) -> Floats:
        x = m.compute(lists)
        if self.options.residuals and m.has_residuals:
            x = np.concatenate((x, m.compute_bounds(lists)), axis=1)
        if self.options.undefined != "zero" and m.effectiveness:
            x = np.where(m.view(lists).R[:, None] > 0, x, np.nan)
        return x

    # -- ties -------------------------------------------------------------------------------------

    def is_exact(self, m: Measure) -> bool:
        """Return True if the mean over all orders of tied documents has an exact formula."""
        # With classes, the level of an item depends on the order of tied items.
        priced = m.is_model and any(isinstance(x, Costs) for x in self.collection.extras)
        orderly = self._is_separable_by_rank(m) and not self.options.per_intent
        return m.exact_under_ties() and orderly and not priced

    def is_bounded(self, m: Measure) -> bool:
        """Return True if no order of tied documents scores better than the order by level."""
        depth = self.options.depth
        cut = m @ depth if depth and m.cutoff is None and not m.effectiveness else m
        # The level is the highest for any intent, and intents may prefer different items.
        return cut.rewards_better_items() and self._is_separable_by_rank(m) and not self.options.per_intent

    def _is_separable_by_rank(self, m: Measure) -> bool:
        # A cut of a condensed ranking depends on the ranks of unjudged documents.
        return self.collection.labels.is_default and not (m.condensed and self.options.depth)

    def _compute_expected(self, rankings: Rankings) -> Floats:
        """Compute topics × columns of one run as the mean over all orders of ties."""
        exact = [m for m in self.measures if self.is_exact(m)]
        sampled = [m for m in self.measures if not self.is_exact(m)]
        depth = self.options.depth
        reach = find_deepest(exact, depth) if exact else None

        def build_expected(block: Block) -> Lists:
            bounds = build_tie_bounds(rankings, block.start, block.stop)
            return Expected(block.build_lists(rankings), *bounds, depth, reach)

        blocks = self.collection.build_blocks(self._ranks, self.gains, rankings, reach)
        values = dict(zip(exact, self.compute_measures(exact, build_expected, blocks), strict=True))
        values |= dict(zip(sampled, self._compute_sampled(sampled, rankings), strict=True))
        return np.concatenate([values[m] for m in self.measures], axis=1)

    def _compute_untied(self, rankings: Rankings) -> Floats:
        """Compute topics × columns of one run without ties. Standard errors are 0."""
        values = self.compute_plain(self.measures, self.collection.apply_strategy(rankings))
        spread = [x if self.is_exact(m) else _add_errors(x) for m, x in zip(self.measures, values, strict=True)]
        return np.concatenate(spread, axis=1)

    def _compute_sampled(self, measures: Sequence[Measure], rankings: Rankings) -> list[Floats]:
        """Compute mean and standard error over random orders of tied documents."""
        if not measures:
            return []
        spreads: list[RunningMean] = []
        for sample in iter_samples(self, measures, rankings):
            spreads = spreads or [RunningMean(x) for x in sample]
            for spread, x in zip(spreads, sample, strict=True):
                spread.add(x)
        return [np.stack([spread.mean, spread.error], axis=2).reshape(len(spread.first), -1) for spread in spreads]

    @property
    def is_separable(self) -> bool:
        """True if topics can be scored separately, and nonrelevant hits can be excluded."""
        # Classes, intents and gains by topic refer to all items and topics.
        is_default = self.collection.labels.is_default and not self.options.residuals
        return is_default and self.collection.intents is None and self.gains is None


def _add_errors(x: Floats) -> Floats:
    """Return the columns, each with a standard error of 0."""
    return np.stack([x, np.zeros_like(x)], axis=2).reshape(len(x), -1)


def _parse_topic_gains(collection: Collection, unused_options: Mapping[str, str]) -> list[Gain] | None:
    """Return the gains of each topic, or None if they are the same for all topics."""
    options, judged = collection.options, collection.gold.judgments
    if not options.gains_by_topic:
        return None
    table = options.gains if isinstance(options.gains, Mapping) else {}
    gain_by_topic = {str(topic): gain for topic, gain in table.items()}
    gains: list[Gain] = []
    for t, topic in enumerate(judged.topics):
        if gain_by_topic and topic not in gain_by_topic:
            if collection.topic_mask[t]:
                problem = f"no gains for topic {topic}"
                raise InputError.from_problem(problem, "Set gains for all topics.")
            gain_by_topic[topic] = "linear"
        levels = judged.levels[judged.offsets[t] : judged.offsets[t + 1]]
        highest = max(1, math.ceil(levels.max(initial=0.0)))
        if not gain_by_topic and highest > MAX_LEVELS:
            found = f"level {highest} of topic {topic}"
            raise InputError(found, f"at most {MAX_LEVELS} for a gain of each level")
        try:
            gains.append(parse_gain(gain_by_topic[topic] if gain_by_topic else range(1, highest + 1)))
        except CranfieldError as problem:
            raise CranfieldError(f"topic {topic}: {problem}") from None
    return None if "gains" in unused_options else gains
