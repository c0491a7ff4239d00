"""Evaluation of runs: from judgments and runs to scores."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, Unpack

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.attributes import bind_clusters
from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.columns import parse_columns
from cranfield.data.reading.user_columns import use_columns
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split
from cranfield.errors import InputError
from cranfield.evaluation import notes
from cranfield.evaluation.attributes import (
    bind_topics,
    note_attributes,
    note_clusters,
    read_cluster_option,
    read_option,
)
from cranfield.evaluation.collection import Collection, LabelledRun
from cranfield.evaluation.options import Options, Settings, with_options
from cranfield.evaluation.scoring import Scorer
from cranfield.labelling.blocks import RunLabels
from cranfield.measures.base import Measure
from cranfield.measures.selection import MeasuresLike
from cranfield.scores import LazyNotes, Note, Scores
from cranfield.wording import format_names

RunsLike: TypeAlias = RunLike | Sequence[RunLike] | Mapping[str, RunLike]


@with_options
def evaluate(qrels: QrelsLike, runs: RunsLike, measures: MeasuresLike = None, **options: Unpack[Settings]) -> Scores:
    """Score one or several runs.

    `qrels` and each run are a path, a nested dict, a Polars or pandas frame, or tuples. Several
    runs are a list, or a dict from names to runs. An NTCIREVAL directory with a directory per
    topic contains judgments and runs. For LETOR data, a run can be predictions: an array, a list
    or a file of numbers, one per line. Default `measures`: the measures of the preset, otherwise
    `DEFAULT_MEASURES`.

    >>> qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
    >>> run = {"q1": {"a": 0.3, "b": 0.9, "x": 0.1}, "q2": {"d": 1.5}}
    >>> evaluate(qrels, run, ["AP", "nDCG@10"]).summary()["run"]["AP"]
    0.625
    """
    return Evaluator(qrels, measures, **options)(runs).with_request(qrels, runs, measures, options)


@with_options
class Evaluator:
    """Judgments prepared once for many runs: ``ev = Evaluator(qrels, ["AP"]); ev(run)``.

    The `collection` labels runs, and the `scorer` computes the measures.

    >>> ev = Evaluator({"q1": {"a": 1}}, "RR")
    >>> ev({"q1": {"b": 2.0, "a": 1.0}}).summary()
    {'run': {'RR': 0.5}}
    """

    def __init__(self, qrels: QrelsLike, measures: MeasuresLike = None, **options: Unpack[Settings]) -> None:
        settings = Options.from_mapping(options)
        selection = settings.select_measures(measures)
        with use_columns(parse_columns(settings.columns)):
            self.collection = Collection.from_qrels(qrels, settings, selection.measures)
            self.attributes = read_option(settings)
            self.clusters = read_cluster_option(settings)
        self.options = self.collection.options
        self.scorer = Scorer(self.collection, selection, settings)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures to compute, with the options applied."""
        return self.scorer.measures

    def read(self, runs: RunsLike) -> list[Run]:
        """Read one or several runs with the options. Names are unique."""
        with use_columns(parse_columns(self.options.columns)):
            return self.collection.read(runs)

    def __call__(self, runs: RunsLike) -> Scores:
        """Score one or several runs."""
        return self.read_and_score(runs)[1]

    def read_and_score(self, runs: RunsLike) -> tuple[Sequence[Run], Scores]:
        """Read one or several runs. Return the runs and their scores."""
        return call_with_split(self.read(runs), lambda group: (group, self.score_runs(group)))

    def score_runs(self, runs: Sequence[Run], strangers: bool = False) -> Scores:
        """Score runs. If `strangers`, runs without a judged topic are allowed."""
        return self.score_labelled(map(self.collection.label, runs), strangers)

    def score_labelled(self, runs: Iterable[LabelledRun], strangers: bool = False) -> Scores:
        """Score labelled runs."""
        labelled = [self.check_run(labelled_run, strangers) for labelled_run in runs]
        names = [labelled_run.run.name for labelled_run in labelled]
        counts = self.choose_topics(names, [labelled_run.rankings.answered for labelled_run in labelled])
        values = np.stack([self.scorer.compute_values(labelled_run.rankings) for labelled_run in labelled])
        return self.collect_scores(names, counts, values, lambda: notes.collect_notes(self.scorer, counts, labelled))

    def check_run(self, labelled: LabelledRun, stranger: bool = False) -> LabelledRun:
        """Return the run. Raise an error if it cannot be scored."""
        if not stranger:
            self.collection.check_overlap(labelled)
        self.collection.check_extras(labelled.run, labelled.rankings)
        return labelled

    def collect_scores(
        self, names: Sequence[str], counts: Bools, values: Floats, collect_notes: Callable[[], Iterable[Note]]
    ) -> Scores:
        """Build the scores of runs from values for all topics. `counts` selects the topics."""
        values = values[:, self.scorer.expand_topics(counts)]
        topics, columns = self.scorer.select_names(counts), self.scorer.columns
        self._check_undefined(topics, values)
        bound = bind_topics(self.attributes, self.collection, topics)
        clusters = None if self.clusters is None else bind_clusters(self.clusters, topics)
        topic_notes = [*note_attributes(bound), *(() if clusters is None else note_clusters(clusters))]
        return Scores(
            values=values,
            runs=tuple(names),
            topics=topics,
            measures=tuple(column.name for column in columns),
            summaries=tuple(column.summary for column in columns),
            better=tuple(column.better for column in columns),
            undefined=self.options.undefined,
            notes=LazyNotes(lambda: [*collect_notes(), *topic_notes]) if topic_notes else LazyNotes(collect_notes),
            asked=self.scorer.selection.spellings,
            attributes={attribute.name: attribute.values for attribute in bound},
            clusters={} if clusters is None else clusters.values,
        )

    def score_again(self, runs: Iterable[tuple[Run, RunLabels]], judged: Bools) -> Scores:
        """Score runs that were labelled with more judgments than this evaluator has."""
        label = self.collection.apply_labels
        return self.score_labelled((label(run, labels.with_part(judged)) for run, labels in runs), True)

    def with_part(self, judged: Bools) -> Evaluator:
        """Return an evaluator with judgments of some of the items only.

        `judged` is a mask of the items of `collection.gold.judgments`.
        """
        part = copy.copy(self)
        part.collection = self.collection.with_part(judged)
        part.scorer = Scorer(part.collection, self.scorer.selection)
        return part

    def with_measures(self, measures: MeasuresLike) -> Evaluator:
        """Return an evaluator with other measures. Labelled runs can be reused.

        The measures must not need intents or document values that were not read.
        """
        evaluator = copy.copy(self)
        options = replace(self.options, preset=None, measurements=False, residuals=False)
        evaluator.scorer = Scorer(self.collection, options.select_measures(measures), options)
        return evaluator

    def choose_topics(self, names: Sequence[str], answered: Iterable[Bools]) -> Bools:
        """Return a mask of the topics that count for these runs."""
        topics, counts = self.collection.topics, self.collection.topic_mask
        if self.options.topics == "common":
            for topics_of_one in answered:
                counts = counts & topics_of_one
            if not counts.any():
                condition = "in every run" if len(names) > 1 else f"in {names[0]}"
                problem = f"no judged topic {condition}. Judged: {format_names(topics, 'topic')}"
                raise InputError.from_problem(problem)
        return counts

    def _check_undefined(self, topics: Sequence[str], values: Floats) -> None:
        if self.options.undefined == "error" and np.isnan(values).any():
            undefined = [topic for t, topic in enumerate(topics) if np.isnan(values[:, t]).any()]
            problem = f"no relevant document for {format_names(undefined, 'topic')}"
            fix = "Use undefined=zero, nan or skip."
            raise InputError.from_problem(problem, fix, self.collection.gold.qrels.where)
