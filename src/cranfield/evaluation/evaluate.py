"""The one path: judgments and runs in, scores out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, Unpack

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split
from cranfield.errors import InputError
from cranfield.evaluation import notes
from cranfield.evaluation.collection import Collection, LabelledRun
from cranfield.evaluation.options import Options, Settings, with_options
from cranfield.evaluation.resolved_measures import MeasuresLike, ResolvedMeasures
from cranfield.evaluation.scoring import Scorer
from cranfield.labelling.blocks import RunLabels
from cranfield.measures.base import Measure
from cranfield.scores import LazyNotes, Note, Scores
from cranfield.wording import format_names

RunsLike: TypeAlias = RunLike | Sequence[RunLike] | Mapping[str, RunLike]


@with_options
def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    **options: Unpack[Settings],
) -> Scores:
    """Score one or several runs.

    `qrels` and each run may be a path, a nested dict, a Polars or pandas frame, or tuples;
    several runs are a list, or a dict from their names. A directory with one for each topic, as
    NTCIREVAL has them, holds judgments and runs. For LETOR data, a run may be predictions: an
    array, a list or a file of numbers, one for each line. If no `measures` are named, they are
    those of the preset; without one, `DEFAULT_MEASURES`.

    >>> qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
    >>> run = {"q1": {"a": 0.3, "b": 0.9, "x": 0.1}, "q2": {"d": 1.5}}
    >>> evaluate(qrels, run, ["AP", "nDCG@10"]).summary()["run"]["AP"]
    0.625
    """
    return Evaluator(qrels, measures, **options)(runs)


@with_options
class Evaluator:
    """Judgments prepared once, for many runs: ``ev = Evaluator(qrels, ["AP"]); ev(run)``.

    The `collection` labels runs, `measuring` computes what was asked of them, and here both
    become `Scores`.

    >>> ev = Evaluator({"q1": {"a": 1}}, "RR")
    >>> ev({"q1": {"b": 2.0, "a": 1.0}}).summary()
    {'run': {'RR': 0.5}}
    """

    def __init__(
        self, qrels: QrelsLike, measures: MeasuresLike = None, **options: Unpack[Settings]
    ) -> None:
        settings = Options.from_mapping(options)
        resolved = ResolvedMeasures.from_options(measures, settings)
        self.collection = Collection.from_qrels(qrels, settings, resolved.measures)
        self.options = self.collection.options
        self.scorer = Scorer(self.collection, resolved)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that are computed, with the settings of the options."""
        return self.scorer.measures

    def read(self, runs: RunsLike) -> list[Run]:
        """One or several runs, read as the options say, each under a name of its own."""
        return self.collection.read(runs)

    def __call__(self, runs: RunsLike) -> Scores:
        """Score one or several runs."""
        return self.read_and_score(runs)[1]

    def read_and_score(self, runs: RunsLike) -> tuple[Sequence[Run], Scores]:
        """One or several runs, as the options say, and their scores."""
        return call_with_split(self.read(runs), lambda group: (group, self.score_runs(group)))

    def score_runs(self, runs: Sequence[Run], strangers: bool = False) -> Scores:
        """Score runs that have been read; `strangers` answer no judged topic, and score nothing."""
        return self.score_labelled(map(self.collection.label, runs), strangers)

    def score_labelled(self, runs: Iterable[LabelledRun], strangers: bool = False) -> Scores:
        """Score runs that have been labelled."""
        labelled = [self.check_run(labelled_run, strangers) for labelled_run in runs]
        names = [labelled_run.run.name for labelled_run in labelled]
        counts = self.choose_topics(
            names, [labelled_run.rankings.answered for labelled_run in labelled]
        )
        values = np.stack(
            [self.scorer.compute_values(labelled_run.rankings) for labelled_run in labelled]
        )
        return self.collect_scores(
            names, counts, values, lambda: notes.collect_notes(self.scorer, counts, labelled)
        )

    def check_run(self, labelled: LabelledRun, stranger: bool = False) -> LabelledRun:
        """A run in which all is known that measures look at."""
        if not stranger:
            self.collection.check_overlap(labelled)
        self.collection.check_extras(labelled.run, labelled.rankings)
        return labelled

    def collect_scores(
        self,
        names: Sequence[str],
        counts: Bools,
        values: Floats,
        collect_notes: Callable[[], Iterable[Note]],
    ) -> Scores:
        """The scores of runs, given their values for all topics; `counts` says which count."""
        values = values[:, self.scorer.expand_topics(counts)]
        topics, columns = self.scorer.select_names(counts), self.scorer.columns
        self._check_undefined(topics, values)
        return Scores(
            values=values,
            runs=tuple(names),
            topics=topics,
            measures=tuple(column.name for column in columns),
            summaries=tuple(column.summary for column in columns),
            better=tuple(column.better for column in columns),
            undefined=self.options.undefined,
            notes=LazyNotes(collect_notes),
            asked=self.scorer.resolved.spellings,
        )

    def score_again(self, runs: Iterable[tuple[Run, RunLabels]], judged: Bools) -> Scores:
        """Score runs that were labelled with more judgments, of which those `judged` are here."""
        label = self.collection.apply_labels
        return self.score_labelled(
            (label(run, labels.with_part(judged)) for run, labels in runs), True
        )

    def with_part(self, judged: Bools) -> Evaluator:
        """An evaluator as if only some of the judged items had been judged.

        `judged` is for each item of `collection.gold.judgments`, as hits of rankings name them: the
        hits of a run are then ``rankings.with_hits(kept[rankings.items])``.
        """
        part = copy.copy(self)
        part.collection = self.collection.with_part(judged)
        part.scorer = Scorer(part.collection, self.scorer.resolved)
        return part

    def with_measures(self, measures: MeasuresLike) -> Evaluator:
        """An evaluator of the same judgments by other measures: runs need not be labelled again.

        They may ask for nothing that the judgments were not read for, such as intents.
        """
        evaluator = copy.copy(self)
        options = replace(self.options, preset=None, measurements=False, residuals=False)
        evaluator.scorer = Scorer(self.collection, ResolvedMeasures.from_options(measures, options))
        return evaluator

    def choose_topics(self, names: Sequence[str], answered: Iterable[Bools]) -> Bools:
        """The topics that count, where the runs have answered some."""
        topics, counts = self.collection.topics, self.collection.topic_mask
        if self.options.topics == "common":
            for topics_of_one in answered:
                counts = counts & topics_of_one
            if not counts.any():
                condition = "that every run answers" if len(names) > 1 else f"in {names[0]}"
                raise InputError(
                    f"no judged topic {condition}", f"some of {format_names(topics, 'topic')}"
                )
        return counts

    def _check_undefined(self, topics: Sequence[str], values: Floats) -> None:
        if self.options.undefined == "error" and np.isnan(values).any():
            undefined = [topic for t, topic in enumerate(topics) if np.isnan(values[:, t]).any()]
            problem = f"no relevant document for {format_names(undefined, 'topic')}"
            raise InputError(problem, "one with undefined=error", self.collection.gold.qrels.where)
