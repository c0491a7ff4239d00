"""Samples of nugget or citation labels: some human, all by a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.answers import ByRun
from cranfield.data.judged_answers import Nugget, collect_nuggets
from cranfield.errors import InputError
from cranfield.judging.estimates import SampleEstimator
from cranfield.measures.answers import AnswerMeasure, CitationP, CitationR, NuggetShare, Response
from cranfield.scores import Note, note_topics
from cranfield.wording import format_count

Key: TypeAlias = Any  # name of a nugget, or number of a sentence and cited document
Labels: TypeAlias = Mapping[Key, float]
SUMS = "NuggetV, NuggetA, NuggetW, CitationP, CitationR(recall=first) or CitationR(recall=mean)"


class Answer(NamedTuple):
    """Labels of an answer, and the function that builds its response from any labels."""

    labels: Labels
    response: Callable[[Labels], Response]


def build_label_estimators(
    human_answers: ByRun[Any],
    judge: ByRun[Any],
    measures: Sequence[AnswerMeasure],
    unit: str,
    names: tuple[str, str],
    options: tuple[float, float | None],
) -> tuple[list[SampleEstimator], list[Note]]:
    """Build a difference estimator for each measure.

    All labels have the same drawing probability. A human label changes the score of its answer by
    S(y) − S(f), where S is the score with the judge labels of all other items. For sums of labels
    this is w (y − f).
    """
    answers = dict(_iter_answers(judge))
    runs = tuple(judge.by_run)
    topics = [t for t in judge.topics if all((run, t) in answers for run in runs)]
    people = {
        (run, topic, key): label
        for (run, topic), answer in _iter_answers(human_answers)
        for key, label in answer.labels.items()
    }
    sampled = [k for k in people if k[1] in topics and k[2] in answers[k[0], k[1]].labels]
    unjudged_topics = [t for t in judge.topics if t not in topics]
    text = f"without labels of {names[1]} for every run, excluded"
    notes = [*note_topics("unjudged-topics", unjudged_topics, text)]
    if outside := len(people) - len(sampled):
        labels_text = f"{format_count(outside, 'label')} of {names[0]}"
        text = f"{labels_text} without label of {names[1]}, excluded"
        notes.append(Note("unlabelled", text))
    if not sampled:
        raise InputError(f"no {unit} labelled by both {names[0]} and {names[1]}", "at least 1")
    sample = LabelSample(runs, topics, answers, sampled, people)
    estimators = []
    for m in measures:
        _check_is_sum(m)
        estimator, undefined_topics = sample.build_estimator(m, unit, options)
        notes += note_topics("undefined", undefined_topics, f"excluded, {m} is undefined")
        estimators.append(estimator)
    return estimators, notes


class LabelSample(NamedTuple):
    """Answers of all runs to some topics, and the keys of human labels."""

    runs: tuple[str, ...]
    topics: Sequence[str]
    answers: Mapping[tuple[str, str], Answer]
    keys: Sequence[tuple[str, str, Key]]
    people: Mapping[tuple[str, str, Key], float]

    def build_estimator(
        self, m: AnswerMeasure, unit: str, options: tuple[float, float | None]
    ) -> tuple[SampleEstimator, list[str]]:
        """Build the estimator of a measure, and return undefined topics."""
        judged = np.array([[_score(m, self.answers[run, t]) for t in self.topics] for run in self.runs])
        defined = ~np.isnan(judged).any(axis=0)
        topics = [t for t, is_defined in zip(self.topics, defined.tolist(), strict=True) if is_defined]
        keys = [k for k in self.keys if k[1] in topics]
        if not keys:
            raise InputError(f"no {unit} with a human label for which {m} is defined", "at least 1")
        count = sum(len(self.answers[run, t].labels) for t in topics for run in self.runs)
        judged, chance = judged[:, defined], len(keys) / count
        change, human_values = _compute_changes(self, m, keys)
        estimator = SampleEstimator(
            str(m), self.runs, m.better == "lower", judged, change, human_values,
            np.array([topics.index(k[1]) for k in keys]), np.full(len(keys), chance),
            np.full(count, chance), *options, unit, _find_run_labels(self.runs, keys),
        )  # fmt: skip
        return estimator, [t for t in self.topics if t not in topics]


def _find_run_labels(runs: Sequence[str], keys: Sequence[tuple[str, str, Key]]) -> Bools:
    """Return [runs, labels]: True if the label is for an answer of the run."""
    return np.array([[k[0] == run for k in keys] for run in runs])


def _compute_changes(
    sample: LabelSample, m: AnswerMeasure, keys: Sequence[tuple[str, str, Key]]
) -> tuple[Floats, Floats]:
    """Return the change of scores by human labels, and their contributions."""
    change, human_values = np.zeros((2, len(sample.runs), len(keys)))
    for i, (run, topic, key) in enumerate(keys):
        row, answer = sample.runs.index(run), sample.answers[run, topic]
        by_people = _score(m, answer, {key: sample.people[run, topic, key]})
        change[row, i] = by_people - _score(m, answer)
        human_values[row, i] = by_people - _score(m, answer, {key: 0.0})
    return change, human_values


def _check_is_sum(m: AnswerMeasure) -> None:
    """Raise an error unless the measure is a sum of labels."""
    is_sum = isinstance(m, NuggetShare | CitationP)
    if not is_sum and not (isinstance(m, CitationR) and m.recall != "max"):
        problem = f"{m} is not a sum of labels, so a sample of labels cannot correct it"
        raise InputError.from_problem(problem, f"Use {SUMS}, or label whole answers.")


def _score(m: AnswerMeasure, answer: Answer, changed_labels: Labels | None = None) -> float:
    """Return the score of an answer, optionally with changed labels."""
    return float(m.score(answer.response({**answer.labels, **(changed_labels or {})})))


def _iter_answers(answers: ByRun[Any]) -> Iterator[tuple[tuple[str, str], Answer]]:
    """Yield every answer with its run and topic."""
    nuggets = collect_nuggets([answers])
    entries = [(run, t, x.value) for run, topics in answers.by_run.items() for t, x in topics.items()]
    first = 1 - any(not isinstance(x, tuple) and 0 in x for _, _, x in entries)
    for run, topic, support in entries:
        if isinstance(support, tuple):
            labels = {nugget.name: nugget.support for nugget in support}
            yield (run, topic), _build_nugget_answer(labels, nuggets[topic])
        else:
            cited = {(n, doc): x.support for n, docs in support.items() for doc, x in docs.items()}
            yield ((run, topic), _build_citation_answer(cited, range(first, max(support, default=-1) + 1)))


def _build_nugget_answer(labels: Labels, all_nuggets: Mapping[str, Nugget]) -> Answer:
    """Build an answer from nugget labels; others are unsupported."""

    def build_response(labels_given: Labels) -> Response:
        nuggets = [nugget._replace(support=labels_given.get(name, 0.0)) for name, nugget in all_nuggets.items()]
        return Response(nuggets=nuggets)

    return Answer(labels, build_response)


def _build_citation_answer(labels: Labels, numbers: range) -> Answer:
    """Build an answer from the citation labels of its sentences."""

    def build_response(labels_given: Labels) -> Response:
        sentences = {number: list[float]() for number in numbers}
        for (number, _), support in labels_given.items():
            sentences[number].append(support)
        return Response(sentences=[*sentences.values()])

    return Answer(labels, build_response)
