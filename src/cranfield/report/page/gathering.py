"""What a page needs to know of runs, each of which is read and labelled once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.run import Run, with_each
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import Collection, Labelled
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.failures import HardTopics, LookedAt, Looking
from cranfield.evaluation.unjudged import Bounding, SeenRun, needed
from cranfield.measures.base import Measure
from cranfield.report.page.limits import Limits
from cranfield.scores import Scores


@dataclass(frozen=True, eq=False)
class OneRun:
    """A run, labelled, and what of it is shown."""

    labelled: Labelled
    tops: Mapping[str, Sequence[str]]  # the first documents of each list
    ranks: Ints  # of the relevant documents that are shown, 0 where they are not in the list
    looked: LookedAt | None  # None: no measure tells where runs fail
    seen: Mapping[str, SeenRun]  # as far as measures look at them that have bounds
    second: Labelled | None  # by other judgments


class Gathering:
    """Judgments and measures, ready for runs."""

    def __init__(
        self, evaluator: Evaluator, depth: int, limits: Limits, second: Evaluator | None = None
    ) -> None:
        self.evaluator, self.depth, self.limits, self.second = evaluator, depth, limits, second
        options = evaluator.options
        self.ordered = options.ties != "expected" and not options.per_intent
        self.looking = next(filter(None, map(self._looking, evaluator.measures)), None)

    @property
    def collection(self) -> Collection:
        """The judgments."""
        return self.evaluator.collection

    def _looking(self, m: Measure) -> Looking | None:
        """What tells where runs fail by a measure, if one end of it is better."""
        single = len(m.names()) == 1 and m.better != "neither" and m.effectiveness
        return Looking(self.evaluator.with_measures([m])) if self.ordered and single else None

    # -- which documents are relevant -------------------------------------------------------------

    @cached_property
    def rel(self) -> float | None:
        """The lowest relevant level; None: all above 0."""
        own = None if self.looking is None else self.looking.evaluator.measures[0]
        rel: float | None = getattr(own, "rel", None)
        return self.evaluator.options.rel if rel is None else rel

    def is_relevant(self, levels: Floats) -> Any:
        """Whether documents of some levels are relevant."""
        return levels > 0 if self.rel is None else levels >= self.rel

    @cached_property
    def relevant(self) -> list[Ints]:
        """The relevant items of each judged topic, the best first."""
        gold = self.collection.gold.judgments
        flags = self.is_relevant(gold.levels)
        bounds = zip(gold.offsets[:-1], gold.offsets[1:], strict=True)
        return [np.flatnonzero(flags[a:b]) + a for a, b in bounds]

    # -- runs -------------------------------------------------------------------------------------

    def all_of(self, runs: RunsLike) -> Gathered:
        """What there is to know of runs, one after the other."""

        def use(each: Sequence[Run]) -> Gathered:
            boundings = self._boundings(len(each))
            most = self.limits.relevant_documents(len(each), len(self.relevant))
            shown = [items[:most] for items in self.relevant]
            together = np.concatenate(shown)
            every = [self._one(run, boundings, together) for run in each]
            scores = self.evaluator.scored(one.labelled for one in every)
            return Gathered(self, scores, every, boundings, shown)

        return with_each(self.evaluator.read(runs), use)

    def _boundings(self, runs: int) -> dict[str, Bounding]:
        """What knows the bounds of differences, by measure: of all measures, if runs are few."""
        found: dict[str, Bounding] = {}
        if self.looking is not None:
            found[self.looking.column.name] = self.looking.bounding
            if self.limits.all_bounds(runs, len(self.evaluator.measures)):
                for m in self.evaluator.measures:
                    if len(m.names()) == 1 and m.names()[0] not in found:
                        bounding = Bounding(self.evaluator.with_measures([m]).measuring)
                        found[m.names()[0]] = bounding
        return {name: bounding for name, bounding in found.items() if not bounding.unknown}

    def _one(self, run: Run, boundings: Mapping[str, Bounding], shown: Ints) -> OneRun:
        held, collection = run.held(self.evaluator.options.progress), self.collection
        labels = collection.find(held)
        labelled = collection.labelled(held, labels)
        collection.refuse_stranger(labelled)
        ranked = held.rankings(self._reach(boundings)) if self.ordered else {}
        looked = None if self.looking is None else self.looking.at(held, labels, ranked)
        rank_of = np.zeros(len(collection.gold.judgments.levels), dtype=np.int64)
        rank_of[labelled.placed.items] = labelled.placed.ranks
        own = {} if looked is None or self.looking is None else {self.looking.column.name: looked}
        seen = {
            name: own[name].documents if name in own else bounding.see(labelled, ranked)
            for name, bounding in boundings.items()
        }
        plain = replace(labelled, run=run)  # which need not be kept in memory
        return OneRun(
            plain,
            self._tops(ranked, labelled),
            rank_of[shown],
            None if looked is None else replace(looked, labelled=plain),
            {name: one for name, one in seen.items() if one is not None},
            None if self.second is None else self._by_others(held, run),
        )

    def _by_others(self, held: Run, run: Run) -> Labelled:
        assert self.second is not None  # noqa: S101
        return replace(self.second.collection.label(held), run=run)

    def _reach(self, boundings: Mapping[str, Bounding]) -> int | None:
        """How much of each list somebody looks at; None: all of it."""
        reaches = [needed(self.depth, self.evaluator.options)]
        reaches += [bounding.reach for bounding in boundings.values()]
        return None if None in reaches else max(filter(None, reaches), default=0)

    def _tops(
        self, ranked: Mapping[str, Sequence[str]], labelled: Labelled
    ) -> dict[str, list[str]]:
        """The first documents of the lists, in the order in which they were evaluated."""
        if not self.ordered:
            return {}
        cut = labelled.placed.truncated(self.depth)
        return {
            topic: self.collection.documents(ranked.get(topic, []), cut, t)
            for t, topic in enumerate(self.collection.topics)
            if cut.returned[t] >= 0
        }


@dataclass(frozen=True, eq=False)
class Gathered:
    """All runs, and their scores."""

    of: Gathering
    scores: Scores
    runs: Sequence[OneRun]
    boundings: Mapping[str, Bounding]
    shown: Sequence[Ints]  # the relevant items of each judged topic that are shown

    @cached_property
    def hard(self) -> HardTopics | None:
        """Where runs fail by the first measure that can tell."""
        looked = [one.looked for one in self.runs if one.looked is not None]
        if self.of.looking is None or not looked:
            return None
        try:
            return self.of.looking.found(looked)
        except InputError:  # no topic has a relevant document
            return None

    @cached_property
    def by_others(self) -> Scores | None:
        """The scores by the other judgments."""
        labelled = [one.second for one in self.runs if one.second is not None]
        return None if self.of.second is None else self.of.second.scored(labelled, strangers=True)

    @cached_property
    def places(self) -> list[int]:
        """The topics that are scored, as the collection numbers them."""
        return [self.of.collection.place(topic) for topic in self.scores.topics]

    def mean_bounds(self, measure: str, a: int, b: int | None = None) -> tuple[float, float]:
        """Return the bounds of the mean of a run, or of its difference to another run."""
        bounding, one = self.boundings[measure], self.runs[a].seen[measure]
        other = None if b is None else self.runs[b].seen[measure]
        low, high = (float(end[self.places].mean()) for end in bounding.bounds(one, other))
        return low, high

    def pairs_with_bounds(self, measure: str, best: int) -> list[tuple[int, int]]:
        """The pairs whose bounds are computed: all, or those with the best run."""
        every = range(len(self.runs))
        if measure not in self.boundings:
            return []
        if self.of.limits.all_bounds(len(self.runs), 1):
            return [*combinations(every, 2)]
        return [(min(i, best), max(i, best)) for i in every if i != best]
