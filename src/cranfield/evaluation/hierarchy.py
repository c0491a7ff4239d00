"""`evaluate_hierarchy`: subtopics of two levels, as IMine's subtopic mining evaluates them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.data.hierarchies import (
    SEPARATOR,
    Hierarchy,
    HierarchyLike,
    Parents,
    ParentsLike,
    read_hierarchies,
    read_hierarchy,
    read_parents,
)
from cranfield.data.intents import IntentsLike, read_intents
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.reading.cells import is_text
from cranfield.data.reading.source import Source
from cranfield.data.run import RankBy, Ties, tie_order
from cranfield.data.systems import RunNames, distinct, is_file, several
from cranfield.errors import InputError, one_of
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.evaluate import Evaluator
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike, parse_measures
from cranfield.measures.verticals import h_measure, h_score, own_intent
from cranfield.scores import Notice, Scores
from cranfield.wording import suggests_keywords

DEFAULT_MEASURE = "Dsharp(nDCG)@10"
COLUMNS = ("H", "Hscore", "D1sharp", "D2sharp")


@suggests_keywords
def evaluate_hierarchy(
    first: QrelsLike,
    second: QrelsLike,
    parents: ParentsLike,
    runs: HierarchyLike | Sequence[HierarchyLike] | Mapping[str, HierarchyLike],
    measure: MeasureLike = DEFAULT_MEASURE,
    *,
    intents1: IntentsLike = None,
    intents2: IntentsLike = None,
    alpha: float = 0.5,
    ties: Ties | None = None,
    order: RankBy | None = None,
    separator: str = SEPARATOR,
    qrels_format: str | None = None,
    run_names: RunNames = "tag",
) -> Scores:
    """Score one or several systems that return subtopics of two levels, by the H-measure.

    first, second
        Judgments for the intents of each level, ``topic intent subtopic level``, as `evaluate`
        takes them. A subtopic belongs to the intent of its highest level.
    parents
        The gold hierarchy, ``topic second-level-intent first-level-intent``, or
        ``{topic: {second: first}}``.
    runs
        ``{topic: {first-level subtopic: [second-level subtopic, …]}}``, a file of IMine's subtopic
        mining, or a table with the columns topic, first and second, and ranks or scores if there
        are some; several of them are a list, or a dict from their names.
    measure
        What both levels are scored by, a measure of diversity.
    intents1, intents2
        What is known of the intents of each level, as `evaluate` takes it.
    alpha
        The part of the first level.
    ties, order
        The order of the lists, as for `read_run`.
    separator
        What stands between the fields of a line of text.
    qrels_format
        The format of the judgments of both levels, instead of detecting it.
    run_names
        ``tag``: lines with several tags are several systems; ``file``: a file is one, named by its
        path.

    >>> first = {"q1": {"food": {"apple pie": 1}, "company": {"apple inc": 1}}}
    >>> second = {"q1": {"recipe": {"pie recipe": 1}, "jobs": {"apple jobs": 1}}}
    >>> parents = {"q1": {"recipe": "food", "jobs": "company"}}
    >>> run = {"q1": {"apple pie": ["pie recipe", "apple jobs"], "apple inc": ["apple ipad"]}}
    >>> scores = evaluate_hierarchy(first, second, parents, run)
    >>> {name: round(value, 4) for name, value in scores.summary()["run"].items()}
    {'H': 0.3333, 'Hscore': 0.3333, 'D1sharp': 1.0, 'D2sharp': 1.0}
    """
    m = _of_diversity(measure)
    one_of("run_names", run_names, RunNames)
    ties = tie_order(ties, order)
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha {alpha}", "a number from 0 to 1")
    gold = GoldHierarchy(
        _level(first, intents1, m, ties, separator, qrels_format),
        _level(second, intents2, m, ties, separator, qrels_format),
        read_parents(parents, separator),
    )
    read: list[Hierarchy] = []
    for name, run in several(runs, _is_run):
        if name is None:
            read += read_hierarchies(run, ties, separator, run_names)
        else:
            read.append(read_hierarchy(run, name=name, ties=ties, separator=separator))
    return gold.scores(distinct(read), m, alpha)


class GoldHierarchy:
    """The judgments of both levels, with the gold hierarchy between them."""

    def __init__(self, first: Evaluator, second: Evaluator, parents: Parents) -> None:
        self.first, self.second = first, second
        self.topics = first.collection.gold.qrels.topics
        others = second.collection.gold.qrels.topics
        if apart := sorted({*self.topics} ^ {*others}):
            lacking, other = (second, first) if apart[0] in self.topics else (first, second)
            expected = f"the topics of {other.collection.gold.qrels.where}"
            raise InputError(f"no topic {apart[0]}", expected, lacking.collection.gold.qrels.where)
        self.parents = {
            topic: parents.of_topic(
                topic, _names(first.collection, topic), _names(second.collection, topic)
            )
            for topic in self.topics
        }

    def scores(self, runs: Sequence[Hierarchy], m: Measure, alpha: float) -> Scores:
        """H, Hscore and D♯ of both levels, for each run and topic."""
        d1 = self.first({run.name: run.first for run in runs})
        d2 = self.second({run.name: run.second for run in runs})
        hscore = np.array([[self.hscore(run, topic) for topic in self.topics] for run in runs])
        D1, D2 = d1.values[:, :, 0], d2.select(topics=list(self.topics)).values[:, :, 0]
        text = Notice("measure", f"{COLUMNS[2]} and {COLUMNS[3]} are {m}, alpha is {alpha:g}")
        return Scores(
            np.stack([h_measure(hscore, D1, D2, alpha), hscore, D1, D2], axis=2),
            tuple(run.name for run in runs),
            self.topics,
            COLUMNS,
            ("mean",) * len(COLUMNS),
            notices=(text, *_of_level("first", 1, d1), *_of_level("second", 2, d2)),
        )

    def hscore(self, run: Hierarchy, topic: str) -> float:
        """The part of the second-level subtopics that are where they belong."""
        below = run.below.get(topic, {})
        above = _intents_of(self.first.collection, topic, below.values())
        own = _intents_of(self.second.collection, topic, below)
        parents = self.parents[topic]
        return h_score(above, [None if i is None else parents[i] for i in own])


def _level(
    qrels: QrelsLike,
    known: IntentsLike,
    m: Measure,
    ties: Ties | None,
    separator: str,
    format: str | None,
) -> Evaluator:
    """The judgments of one level, ready for runs."""
    given, between = _opened(qrels, separator)
    judged = read_qrels(given, format, separator=between, by_intent=True)
    intents = None
    if known is not None:
        given, between = _opened(known, separator)
        intents = read_intents(given, between)
    return Evaluator(judged, m, intents=intents, ties="file" if ties == "file" else None)


def _opened(data: Any, separator: str) -> tuple[Any, str | None]:
    """Files as sources, and what separates the fields of those that are text."""
    if not isinstance(data, str | os.PathLike) or os.path.isdir(data):
        return data, None
    source = Source.of(data)
    return source, separator if is_text(source) else None


def _names(level: Collection, topic: str) -> tuple[str, ...]:
    """The intents of a topic."""
    assert level.intents is not None  # noqa: S101
    return level.intents.names[level.gold.topic_index[topic]]


def _intents_of(level: Collection, topic: str, subtopics: Iterable[str]) -> list[str | None]:
    """The intent that each subtopic belongs to, None if there is none."""
    assert level.intents is not None  # noqa: S101
    items, names = level.gold.by_topic[level.gold.topic_index[topic]], _names(level, topic)
    wanted = list(subtopics)
    judged = [subtopic for subtopic in wanted if subtopic in items]
    which = np.array([items[subtopic] for subtopic in judged], dtype=np.int64)
    numbers = own_intent(level.intents.levels_of(which, len(names))).tolist()
    own = {subtopic: names[i] for subtopic, i in zip(judged, numbers, strict=True) if i >= 0}
    return [own.get(subtopic) for subtopic in wanted]


def _of_level(level: str, number: int, scores: Scores) -> Iterator[Notice]:
    """What the user should know of a level; its intents have an option of their own."""
    for notice in scores.notices:
        yield notice.rewritten(
            lambda text: f"{level} level: " + text.replace("--intents ", f"--intents{number} ")
        )


def _of_diversity(measure: MeasureLike) -> Measure:
    asked = parse_measures(measure)
    if len(asked) != 1 or asked[0].takes != "intents":
        expected = f"one measure of diversity, such as {DEFAULT_MEASURE}"
        raise InputError(", ".join(map(str, asked)) or "no measure", expected)
    return asked[0]


def _is_run(value: Any) -> bool:
    """Whether this is all that a system returns, and not what it returns for a topic."""
    if isinstance(value, Mapping):
        return any(isinstance(inner, Mapping) for inner in value.values())
    return isinstance(value, Hierarchy) or is_file(value)
