"""Equations applied to labelled runs: block by block, under every way of treating ties."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.asked import GAINS, Asked
from cranfield.evaluation.blocks import Block, in_blocks
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.extras import Costs
from cranfield.evaluation.notices import deepest
from cranfield.evaluation.sampling import Spread, samples
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.measures.expected import Expected
from cranfield.measures.gains import LEVELS, Gain, parse_gain
from cranfield.measures.intents import gold_rows, intent_rows
from cranfield.measures.lists import Gold, Lists, tie_bounds


class Column(NamedTuple):
    """A number for each topic: its name, how topics add up, and which end is better."""

    name: str
    summary: str
    better: str


class Measuring:
    """Some measures of the runs of a collection."""

    def __init__(self, collection: Collection, asked: Asked) -> None:
        self.collection, self.asked = collection, asked
        self.options, self.measures = collection.options, asked.measures
        self.gains = _gains_by_topic(collection, asked)

    @cached_property
    def blocks(self) -> list[Block]:
        """The topics in blocks, each with what depends on the judgments alone."""
        return self.collection.blocks(self._ranks, self.gains)

    def within(self, first: int, stop: int) -> list[Block]:
        """The blocks that begin with the topics first..stop-1, for those who want no others."""
        return self.collection.blocks(self._ranks, self.gains, within=range(first, stop))

    @property
    def _ranks(self) -> int:
        """So many ranks user models look at, judged or not."""
        return max((m.width for m in self.asked.models), default=0)

    def here(self, m: Measure, topic: int) -> Measure:
        """A measure with the gains of a topic, if they differ from topic to topic."""
        return m if self.gains is None else m.with_defaults({"gain": self.gains[topic]})

    # -- topics and columns -----------------------------------------------------------------------

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of all measures."""
        return [column for m in self.measures for column in self._columns(m)]

    def _columns(self, m: Measure) -> list[Column]:
        numbers = [Column(name, m.summary, m.better) for name in m.names()]
        numbers += [Column(name, m.summary, "neither") for name in self.residual_columns(m)]
        if self.options.ties != "expected" or self.exact(m):
            return numbers
        return [x for one in numbers for x in (one, Column(f"{one.name}.se", "se", "neither"))]

    def residual_columns(self, m: Measure) -> list[str]:
        """Return the names of the columns with the residuals of a measure."""
        shown = self.options.residuals and m.has_residuals
        return [f"{m.called or m}.{end}" for end in ("lower", "upper")] if shown else []

    def each(self, of_topics: Any) -> Any:
        """What is true of topics, of what is scored: intents, if each is a topic of its own."""
        intents = self.collection.intents
        if self.options.per_intent and intents is not None:
            return np.repeat(of_topics, intents.counts)
        return of_topics

    def topics(self, counted: Bools) -> tuple[str, ...]:
        """The names of what is scored, of the topics that count."""
        return tuple(compress(self._scored, self.each(counted)))

    @cached_property
    def _scored(self) -> Sequence[str]:
        """The names of topics, or of their intents."""
        topics, intents = self.collection.topics, self.collection.intents
        if self.options.per_intent and intents is not None:
            named = zip(topics, intents.names, strict=True)
            return [f"{topic}/{name}" for topic, few in named for name in few]
        return topics

    def without_relevant(self, m: Measure, counted: Bools) -> list[str]:
        """The topics in which nothing is relevant to this measure."""
        R = np.concatenate([self._R(self.here(m, start), gold) for start, _, gold in self.blocks])
        return list(compress(self._scored, self.each(counted) & (R == 0)))

    def _R(self, m: Measure, gold: Gold) -> Floats:
        """How much is relevant to a measure, in the topics of a block or in their intents."""
        if self.options.per_intent and gold.intents is not None:
            of_intents: Floats = m.view(gold_rows(gold).ideal).R[gold.intents.there.ravel()]
            return of_intents
        return m.view(gold.ideal).R

    # -- values -----------------------------------------------------------------------------------

    def values(self, rankings: Rankings, blocks: Sequence[Block] | None = None) -> Floats:
        """Topics × columns of one run: all topics, or those of some blocks."""
        if self.options.ties == "expected":
            return self._in_the_mean(rankings)
        last = deepest(self.measures, self.options.depth)
        if self.collection.intents is not None and last is not None:  # each hit is many numbers
            rankings = rankings.with_hits(rankings.ranks <= last)
        return np.concatenate(self.plain(self.measures, rankings, blocks), axis=1)

    def plain(
        self,
        measures: Sequence[Measure],
        rankings: Rankings,
        blocks: Sequence[Block] | None = None,
    ) -> list[Floats]:
        """Topics × names of each measure, lists being as they are."""
        every = self.blocks if blocks is None else blocks
        return self.measured(measures, lambda block: block.lists(rankings), every)

    def measured(
        self,
        measures: Sequence[Measure],
        lists_of: Callable[[Block], Lists],
        blocks: Sequence[Block],
    ) -> list[Floats]:
        """Topics × names of each measure, block by block."""
        if not measures:
            return []
        compute = partial(self._of_block, measures, lists_of)
        parts = in_blocks(blocks, compute, self.options.workers)
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _of_block(
        self, measures: Sequence[Measure], lists_of: Callable[[Block], Lists], block: Block
    ) -> list[Floats]:
        lists, intents = lists_of(block), block.gold.intents
        there: Any = slice(None)
        if self.options.per_intent and intents is not None:
            lists, there = intent_rows(lists), intents.there.ravel()
        return [self._of_measure(self.here(m, block.start), lists)[there] for m in measures]

    def _of_measure(self, m: Measure, lists: Lists) -> Floats:
        x = m.values(lists)
        if self.options.residuals and m.has_residuals:
            x = np.concatenate((x, m.bounds(lists)), axis=1)
        if self.options.undefined != "zero" and m.effectiveness:
            x = np.where(m.view(lists).R[:, None] > 0, x, np.nan)
        return x

    # -- ties -------------------------------------------------------------------------------------

    def exact(self, m: Measure) -> bool:
        """Whether the mean over all orders of tied documents can be computed."""
        # Which item of a class comes first depends on the order, and so does what it counts as.
        priced = m.is_model and any(isinstance(x, Costs) for x in self.collection.extras)
        orderly = self._orderly(m) and not self.options.per_intent
        return m.exact_under_ties() and orderly and not priced

    def bounded(self, m: Measure) -> bool:
        """Return True if no order of tied documents scores better than the order by level."""
        depth = self.options.depth
        cut = m @ depth if depth and m.cutoff is None and not m.effectiveness else m
        # The level of an item is its highest for any intent, and each intent may prefer another.
        return cut.rewards_better_items() and self._orderly(m) and not self.options.per_intent

    def _orderly(self, m: Measure) -> bool:
        # What a depth leaves of a condensed list depends on where unjudged documents are.
        return self.collection.counting.plain and not (m.condensed and self.options.depth)

    def _in_the_mean(self, rankings: Rankings) -> Floats:
        """Topics × columns of one run, in the mean over all orders of tied documents."""
        exact = [m for m in self.measures if self.exact(m)]
        others = [m for m in self.measures if not self.exact(m)]
        depth = self.options.depth
        looked_at = deepest(exact, depth) if exact else None

        def expected(block: Block) -> Lists:
            bounds = tie_bounds(rankings, block.start, block.stop)
            return Expected(block.lists(rankings), *bounds, depth, looked_at)

        blocks = self.collection.blocks(self._ranks, self.gains, rankings, looked_at)
        values = dict(zip(exact, self.measured(exact, expected, blocks), strict=True))
        values |= dict(zip(others, self._sampled(others, rankings), strict=True))
        return np.concatenate([values[m] for m in self.measures], axis=1)

    def _sampled(self, measures: Sequence[Measure], rankings: Rankings) -> list[Floats]:
        """Mean and standard error over random orders of tied documents, column by column."""
        if not measures:
            return []
        spreads: list[Spread] = []
        for sample in samples(self, measures, rankings):
            spreads = spreads or [Spread(x) for x in sample]
            for spread, x in zip(spreads, sample, strict=True):
                spread.add(x)
        return [
            np.stack([spread.mean, spread.error], axis=2).reshape(len(spread.first), -1)
            for spread in spreads
        ]

    @property
    def separable(self) -> bool:
        """Whether lists can be scored without those of other topics, and without other hits."""
        # What classes and intents know of items, and gains of topics, they know of all.
        plain = self.collection.counting.plain and not self.options.residuals
        return plain and self.collection.intents is None and self.gains is None


def _gains_by_topic(collection: Collection, asked: Asked) -> list[Gain] | None:
    """The gains of each topic, given or up to its highest level; None if they do not differ."""
    options, judged = asked.options, collection.gold.judgments
    if not options.gains_by_topic:
        return None
    named = options.gains if isinstance(options.gains, Mapping) else {}
    given = {str(topic): gain for topic, gain in named.items()}
    gains: list[Gain] = []
    for t, topic in enumerate(judged.topics):
        if given and topic not in given:
            if collection.chosen[t]:
                raise InputError(f"no gains for topic {topic}", "them for all")
            given[topic] = "linear"
        levels = judged.levels[judged.offsets[t] : judged.offsets[t + 1]]
        top = max(1, math.ceil(levels.max(initial=0.0)))
        if not given and top > LEVELS:
            found = f"level {top} of topic {topic}"
            raise InputError(found, f"at most {LEVELS} for a gain of each level")
        try:
            gains.append(parse_gain(given[topic] if given else range(1, top + 1)))
        except CranfieldError as problem:
            raise CranfieldError(f"topic {topic}: {problem}") from None
    return None if GAINS.holds(options, asked) else gains
