"""The one path: judgments and runs in, scores out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, Unpack

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, RunLike, with_each
from cranfield.errors import InputError
from cranfield.evaluation import notices
from cranfield.evaluation.asked import Asked, MeasuresLike
from cranfield.evaluation.collection import Collection, Labelled
from cranfield.evaluation.measuring import Measuring
from cranfield.evaluation.options import Options, Settings, shows_options
from cranfield.labelling.blocks import RunLabels
from cranfield.measures.base import Measure
from cranfield.scores import Later, Notice, Scores
from cranfield.wording import some

RunsLike: TypeAlias = RunLike | Sequence[RunLike] | Mapping[str, RunLike]


@shows_options
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


@shows_options
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
        given = Options.of(options)
        asked = Asked.of(measures, given)
        self.collection = Collection.of(qrels, given, asked.measures)
        self.options = self.collection.options
        self.measuring = Measuring(self.collection, asked)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that are computed, with the settings of the options."""
        return self.measuring.measures

    def read(self, runs: RunsLike) -> list[Run]:
        """One or several runs, read as the options say, each under a name of its own."""
        return self.collection.read(runs)

    def __call__(self, runs: RunsLike) -> Scores:
        """Score one or several runs."""
        return self.read_and_score(runs)[1]

    def read_and_score(self, runs: RunsLike) -> tuple[Sequence[Run], Scores]:
        """One or several runs, as the options say, and their scores."""
        return with_each(self.read(runs), lambda each: (each, self.scores(each)))

    def scores(self, runs: Sequence[Run], strangers: bool = False) -> Scores:
        """Score runs that have been read; `strangers` answer no judged topic, and score nothing."""
        return self.scored(map(self.collection.label, runs), strangers)

    def scored(self, runs: Iterable[Labelled], strangers: bool = False) -> Scores:
        """Score runs that have been labelled."""
        labelled = [self.accepted(one, strangers) for one in runs]
        names = [one.run.name for one in labelled]
        counts = self.counting(names, [one.rankings.answered for one in labelled])
        values = np.stack([self.measuring.values(one.rankings) for one in labelled])
        return self.collected(
            names, counts, values, lambda: notices.of_all(self.measuring, counts, labelled)
        )

    def accepted(self, labelled: Labelled, stranger: bool = False) -> Labelled:
        """A run in which all is known that measures look at."""
        if not stranger:
            self.collection.refuse_stranger(labelled)
        self.collection.refuse_unknown(labelled.run, labelled.rankings)
        return labelled

    def collected(
        self,
        names: Sequence[str],
        counts: Bools,
        values: Floats,
        tell: Callable[[], Iterable[Notice]],
    ) -> Scores:
        """The scores of runs, given their values for all topics; `counts` says which count."""
        values = values[:, self.measuring.each(counts)]
        topics, columns = self.measuring.topics(counts), self.measuring.columns
        self._refuse_undefined(topics, values)
        return Scores(
            values=values,
            runs=tuple(names),
            topics=topics,
            measures=tuple(column.name for column in columns),
            summaries=tuple(column.summary for column in columns),
            better=tuple(column.better for column in columns),
            undefined=self.options.undefined,
            notices=Later(tell),
            asked=self.measuring.asked.spellings,
        )

    def scored_again(self, runs: Iterable[tuple[Run, RunLabels]], kept: Bools) -> Scores:
        """Score runs that were labelled with more judgments, of which those `kept` are here."""
        label = self.collection.labelled
        return self.scored((label(run, found.with_part(kept)) for run, found in runs), True)

    def with_part(self, kept: Bools) -> Evaluator:
        """An evaluator as if only some of the judged items had been judged.

        `kept` is for each item of `collection.gold.judgments`, as hits of rankings name them: the
        hits of a run are then ``rankings.with_hits(kept[rankings.items])``.
        """
        part = copy.copy(self)
        part.collection = self.collection.with_part(kept)
        part.measuring = Measuring(part.collection, self.measuring.asked)
        return part

    def with_measures(self, measures: MeasuresLike) -> Evaluator:
        """An evaluator of the same judgments by other measures: runs need not be labelled again.

        They may ask for nothing that the judgments were not read for, such as intents.
        """
        other = copy.copy(self)
        plain = replace(self.options, preset=None, measurements=False, residuals=False)
        other.measuring = Measuring(self.collection, Asked.of(measures, plain))
        return other

    def counting(self, names: Sequence[str], answered: Iterable[Bools]) -> Bools:
        """The topics that count, where the runs have answered some."""
        topics, counts = self.collection.topics, self.collection.chosen
        if self.options.topics == "common":
            for topics_of_one in answered:
                counts = counts & topics_of_one
            if not counts.any():
                who = "that every run answers" if len(names) > 1 else f"in {names[0]}"
                raise InputError(f"no judged topic {who}", f"some of {some(topics, 'topic')}")
        return counts

    def _refuse_undefined(self, topics: Sequence[str], values: Floats) -> None:
        if self.options.undefined == "error" and np.isnan(values).any():
            lost = [topic for t, topic in enumerate(topics) if np.isnan(values[:, t]).any()]
            found = f"no relevant document for {some(lost, 'topic')}"
            raise InputError(found, "one with undefined=error", self.collection.gold.qrels.where)
