"""Inputs of the HTML report. Each run is read and labelled once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.run import Run
from cranfield.data.run_reader import call_with_split
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import Collection, LabelledRun
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.failures import FailureFinder, HardTopics, RunInspection
from cranfield.evaluation.unjudged import RunDocuments, ScoreBounds, compute_required_depth
from cranfield.measures.base import Measure
from cranfield.report.page.limits import Limits
from cranfield.scores import Scores


@dataclass(frozen=True, eq=False)
class RunData:
    """Labelled run with the parts that the report shows."""

    labelled: LabelledRun
    top_documents: Mapping[str, Sequence[str]]  # by topic
    ranks: Ints  # of the shown relevant documents, 0 if not retrieved
    failures: RunInspection | None  # None: no suitable measure
    documents: Mapping[str, RunDocuments]  # by measure with bounds
    second: LabelledRun | None  # by the second qrels


class InputReader:
    """Judgments and measures, ready to read runs."""

    def __init__(self, evaluator: Evaluator, depth: int, limits: Limits, second: Evaluator | None = None) -> None:
        self.evaluator, self.depth, self.limits, self.second_evaluator = (evaluator, depth, limits, second)
        options = evaluator.options
        self.ordered = options.ties != "expected" and not options.per_intent
        self.failure_finder = next(filter(None, map(self._make_failure_finder, evaluator.measures)), None)

    @property
    def collection(self) -> Collection:
        return self.evaluator.collection

    def _make_failure_finder(self, m: Measure) -> FailureFinder | None:
        """Return a failure finder for a measure, if the measure has a better direction."""
        single = len(m.names()) == 1 and m.better != "neither" and m.effectiveness
        return FailureFinder(self.evaluator.with_measures([m])) if self.ordered and single else None

    # -- which documents are relevant -------------------------------------------------------------

    @cached_property
    def rel(self) -> float | None:
        """Lowest relevant level. None: all levels above 0."""
        level = None if self.failure_finder is None else self.failure_finder.evaluator.measures[0]
        rel: float | None = getattr(level, "rel", None)
        return self.evaluator.options.rel if rel is None else rel

    def is_relevant(self, levels: Floats) -> Any:
        """Return True for relevant levels."""
        return levels > 0 if self.rel is None else levels >= self.rel

    @cached_property
    def relevant(self) -> list[Ints]:
        """Relevant items of each judged topic, best first."""
        gold = self.collection.gold.judgments
        flags = self.is_relevant(gold.levels)
        bounds = zip(gold.offsets[:-1], gold.offsets[1:], strict=True)
        return [np.flatnonzero(flags[a:b]) + a for a, b in bounds]

    # -- runs -------------------------------------------------------------------------------------

    def read_runs(self, runs: RunsLike) -> ReportInputs:
        """Read all runs, one after the other."""

        def gather(run_list: Sequence[Run]) -> ReportInputs:
            boundings = self._choose_bounds(len(run_list))
            limit = self.limits.count_relevant(len(run_list), len(self.relevant))
            items_by_topic = [items[:limit] for items in self.relevant]
            all_items = np.concatenate(items_by_topic)
            data = [self._read_run(run, boundings, all_items) for run in run_list]
            scores = self.evaluator.score_labelled(run_data.labelled for run_data in data)
            return ReportInputs(self, scores, data, boundings, items_by_topic)

        return call_with_split(self.evaluator.read(runs), gather)

    def _choose_bounds(self, runs: int) -> dict[str, ScoreBounds]:
        """Return the bounds of differences by measure: of all measures if runs are few."""
        by_measure: dict[str, ScoreBounds] = {}
        if self.failure_finder is not None:
            by_measure[self.failure_finder.column.name] = self.failure_finder.bounding
            if self.limits.allows_all_bounds(runs, len(self.evaluator.measures)):
                for m in self.evaluator.measures:
                    if len(m.names()) == 1 and m.names()[0] not in by_measure:
                        bounding = ScoreBounds(self.evaluator.with_measures([m]).scorer)
                        by_measure[m.names()[0]] = bounding
        return {name: bounding for name, bounding in by_measure.items() if not bounding.unsupported}

    def _read_run(self, run: Run, boundings: Mapping[str, ScoreBounds], items: Ints) -> RunData:
        loaded, collection = run.load(self.evaluator.options.progress), self.collection
        labels = collection.match_run(loaded)
        labelled = collection.apply_labels(loaded, labels)
        collection.check_overlap(labelled)
        ranked = loaded.rankings(self._compute_depth(boundings)) if self.ordered else {}
        failures = None if self.failure_finder is None else self.failure_finder.inspect_run(loaded, labels, ranked)
        rank_of = np.zeros(len(collection.gold.judgments.levels), dtype=np.int64)
        rank_of[labelled.full_rankings.items] = labelled.full_rankings.ranks
        first_measure = (
            {} if failures is None or self.failure_finder is None else {self.failure_finder.column.name: failures}
        )
        documents = {
            name: first_measure[name].documents if name in first_measure else bounding.read_documents(labelled, ranked)
            for name, bounding in boundings.items()
        }
        labelled_run = replace(labelled, run=run)  # the original run, which can stay on disk
        return RunData(
            labelled_run,
            self._read_top_documents(ranked, labelled),
            rank_of[items],
            None if failures is None else replace(failures, labelled=labelled_run),
            {name: judged for name, judged in documents.items() if judged is not None},
            None if self.second_evaluator is None else self._label_with_second(loaded, run),
        )

    def _label_with_second(self, loaded: Run, run: Run) -> LabelledRun:
        assert self.second_evaluator is not None  # noqa: S101
        return replace(self.second_evaluator.collection.label(loaded), run=run)

    def _compute_depth(self, boundings: Mapping[str, ScoreBounds]) -> int | None:
        """Return the depth that any part of the report needs. None: complete rankings."""
        reaches = [compute_required_depth(self.depth, self.evaluator.options)]
        reaches += [bounding.required_depth for bounding in boundings.values()]
        return None if None in reaches else max(filter(None, reaches), default=0)

    def _read_top_documents(self, ranked: Mapping[str, Sequence[str]], labelled: LabelledRun) -> dict[str, list[str]]:
        """Return the top documents by topic, in the order of evaluation."""
        if not self.ordered:
            return {}
        cut = labelled.full_rankings.truncate(self.depth)
        return {
            topic: self.collection.list_documents(ranked.get(topic, []), cut, t)
            for t, topic in enumerate(self.collection.topics)
            if cut.returned[t] >= 0
        }


@dataclass(frozen=True, eq=False)
class ReportInputs:
    """All runs and their scores."""

    reader: InputReader
    scores: Scores
    runs: Sequence[RunData]
    bounds: Mapping[str, ScoreBounds]
    relevant_items: Sequence[Ints]  # shown relevant items by judged topic

    @cached_property
    def hard_topics(self) -> HardTopics | None:
        """Failures of runs by the first suitable measure."""
        failures = [run.failures for run in self.runs if run.failures is not None]
        if self.reader.failure_finder is None or not failures:
            return None
        try:
            return self.reader.failure_finder.find_hard_topics(failures)
        except InputError:  # no topic has a relevant document
            return None

    @cached_property
    def second_scores(self) -> Scores | None:
        """Scores by the second qrels."""
        labelled = [run.second for run in self.runs if run.second is not None]
        return (
            None
            if self.reader.second_evaluator is None
            else self.reader.second_evaluator.score_labelled(labelled, strangers=True)
        )

    @cached_property
    def topic_places(self) -> list[int]:
        """Positions of the scored topics in the collection."""
        return [self.reader.collection.find_topic(topic) for topic in self.scores.topics]

    def compute_mean_bounds(self, measure: str, a: int, b: int | None = None) -> tuple[float, float]:
        """Return the bounds of the mean of a run, or of its difference to another run."""
        bounding, first = self.bounds[measure], self.runs[a].documents[measure]
        second = None if b is None else self.runs[b].documents[measure]
        low, high = (float(end[self.topic_places].mean()) for end in bounding.compute_bounds(first, second))
        return low, high

    def choose_bounded_pairs(self, measure: str, best: int) -> list[tuple[int, int]]:
        """Return the pairs with bounds: all pairs, or those with the best run."""
        indices = range(len(self.runs))
        if measure not in self.bounds:
            return []
        if self.reader.limits.allows_all_bounds(len(self.runs), 1):
            return [*combinations(indices, 2)]
        return [(min(i, best), max(i, best)) for i in indices if i != best]
