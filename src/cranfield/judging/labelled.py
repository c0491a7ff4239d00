"""Nuggets and citations that were drawn one by one: people's labels of some, a judge's of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.answers import ByRun
from cranfield.data.judged_answers import Nugget, nuggets_of
from cranfield.errors import InputError
from cranfield.judging.estimates import BySample
from cranfield.measures.answers import (
    AnswerMeasure,
    CitationP,
    CitationR,
    NuggetShare,
    Response,
)
from cranfield.scores import Notice, about
from cranfield.wording import counted

Key: TypeAlias = Any  # the name of a nugget, or the number of a sentence and what it cites
Labels: TypeAlias = Mapping[Key, float]
SUMS = "NuggetV, NuggetA, NuggetW, CitationP, CitationR(recall=first) or CitationR(recall=mean)"


class Answer(NamedTuple):
    """The labels of an answer, and how measures see the answer with any labels."""

    labels: Labels
    response: Callable[[Labels], Response]


def by_labels(
    mine: ByRun[Any],
    judge: ByRun[Any],
    measures: Sequence[AnswerMeasure],
    unit: str,
    names: tuple[str, str],
    options: tuple[float, float | None],
) -> tuple[list[BySample], list[Notice]]:
    """Each measure, by the difference estimator: every label was drawn with the same probability.

    A label of people changes the score of its answer by S(y) − S(f), where S is the score with all
    other labels by the judge: for sums of labels this is w (y − f).
    """
    answers = dict(_answers(judge))
    runs = tuple(judge.by_run)
    topics = [t for t in judge.topics if all((run, t) in answers for run in runs)]
    people = {
        (run, topic, key): label
        for (run, topic), one in _answers(mine)
        for key, label in one.labels.items()
    }
    drawn = [k for k in people if k[1] in topics and k[2] in answers[k[0], k[1]].labels]
    left = [t for t in judge.topics if t not in topics]
    notices = [*about("unjudged-topics", left, f"that {names[1]} has not labelled for every run, "
                      "left out")]  # fmt: skip
    if outside := len(people) - len(drawn):
        text = f"{counted(outside, 'label')} of {names[0]} and none of {names[1]}, left out"
        notices.append(Notice("unlabelled", text))
    if not drawn:
        raise InputError(f"no {unit} that both {names[0]} and {names[1]} labelled", "some")
    sample = Sample(runs, topics, answers, drawn, people)
    made = []
    for m in measures:
        _refuse_unsummed(m)
        one, without = sample.by(m, unit, options)
        notices += about("undefined", without, f"for which {m} is undefined, left out")
        made.append(one)
    return made, notices


class Sample(NamedTuple):
    """Answers of all runs to some topics, and the labels that were drawn: run, topic and key."""

    runs: tuple[str, ...]
    topics: Sequence[str]
    answers: Mapping[tuple[str, str], Answer]
    drawn: Sequence[tuple[str, str, Key]]
    people: Mapping[tuple[str, str, Key], float]

    def by(
        self, m: AnswerMeasure, unit: str, options: tuple[float, float | None]
    ) -> tuple[BySample, list[str]]:
        """By one measure; and the topics that it is undefined for."""
        judged = np.array(
            [[_score(m, self.answers[run, t]) for t in self.topics] for run in self.runs]
        )
        defined = ~np.isnan(judged).any(axis=0)
        topics = [t for t, there in zip(self.topics, defined.tolist(), strict=True) if there]
        drawn = [k for k in self.drawn if k[1] in topics]
        if not drawn:
            raise InputError(f"no {unit} with a human label that {m} is defined for", "some")
        count = sum(len(self.answers[run, t].labels) for t in topics for run in self.runs)
        judged, chance = judged[:, defined], len(drawn) / count
        change, said = _changes(self, m, drawn)
        made = BySample(
            str(m), self.runs, m.better == "lower", judged, change, said,
            np.array([topics.index(k[1]) for k in drawn]), np.full(len(drawn), chance),
            np.full(count, chance), *options, unit, _seen(self.runs, drawn),
        )  # fmt: skip
        return made, [t for t in self.topics if t not in topics]


def _seen(runs: Sequence[str], drawn: Sequence[tuple[str, str, Key]]) -> Bools:
    """Which labels are of which runs."""
    return np.array([[k[0] == run for k in drawn] for run in runs])


def _changes(
    sample: Sample, m: AnswerMeasure, drawn: Sequence[tuple[str, str, Key]]
) -> tuple[Floats, Floats]:
    """What each label of people changes in the score of its run, and what it adds to it."""
    change, said = np.zeros((2, len(sample.runs), len(drawn)))
    for i, (run, topic, key) in enumerate(drawn):
        row, answer = sample.runs.index(run), sample.answers[run, topic]
        by_people = _score(m, answer, {key: sample.people[run, topic, key]})
        change[row, i] = by_people - _score(m, answer)
        said[row, i] = by_people - _score(m, answer, {key: 0.0})
    return change, said


def _refuse_unsummed(m: AnswerMeasure) -> None:
    """Reject a measure that is no sum of labels."""
    is_sum = isinstance(m, NuggetShare | CitationP)
    if not is_sum and not (isinstance(m, CitationR) and m.recall != "max"):
        problem = f"{m} is no sum of labels, so labels that were drawn one by one cannot correct it"
        raise InputError.problem(problem, f"Use {SUMS}, or label whole answers.")


def _score(m: AnswerMeasure, answer: Answer, other: Labels | None = None) -> float:
    """The score of an answer, perhaps with other labels."""
    return float(m.score(answer.response({**answer.labels, **(other or {})})))


def _answers(found: ByRun[Any]) -> Iterator[tuple[tuple[str, str], Answer]]:
    """Every answer, by run and topic."""
    nuggets = nuggets_of([found])
    entries = [(run, t, x.found) for run, of in found.by_run.items() for t, x in of.items()]
    first = 1 - any(not isinstance(x, tuple) and 0 in x for _, _, x in entries)
    for run, topic, given in entries:
        if isinstance(given, tuple):
            labels = {one.name: one.support for one in given}
            yield (run, topic), _of_nuggets(labels, nuggets[topic])
        else:
            cited = {(n, doc): x.support for n, docs in given.items() for doc, x in docs.items()}
            yield (run, topic), _of_citations(cited, range(first, max(given, default=-1) + 1))


def _of_nuggets(labels: Labels, every: Mapping[str, Nugget]) -> Answer:
    """An answer by nuggets; what the judge did not label is not supported, by the judge."""

    def response(given: Labels) -> Response:
        nuggets = [one._replace(support=given.get(name, 0.0)) for name, one in every.items()]
        return Response(nuggets=nuggets)

    return Answer(labels, response)


def _of_citations(labels: Labels, numbers: range) -> Answer:
    """An answer by its sentences."""

    def response(given: Labels) -> Response:
        sentences = {number: list[float]() for number in numbers}
        for (number, _), support in given.items():
            sentences[number].append(support)
        return Response(sentences=[*sentences.values()])

    return Answer(labels, response)
