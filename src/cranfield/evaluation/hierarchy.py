"""Evaluation of subtopics on two levels, as in IMine's subtopic mining."""

from __future__ import annotations

import os
import re
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
from cranfield.data.orders import RankBy, Ties, combine_order
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.reading.cells import is_text
from cranfield.data.reading.source import Source
from cranfield.data.systems import RunNames, is_file, list_systems, resolve_names
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.evaluate import Evaluator
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike, parse_measures
from cranfield.measures.verticals import compute_h_measure, compute_h_score, find_intents
from cranfield.scores import Note, Scores
from cranfield.wording import suggest_keywords

DEFAULT_MEASURE = "Dsharp(nDCG)@10"
INTENTS = re.compile(r"\b(intents)(?=[ =])")  # option in notes
COLUMNS = ("H", "Hscore", "D1sharp", "D2sharp")


@suggest_keywords
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
    """Score one or several systems that return subtopics on two levels, by the H-measure.

    first, second
        Judgments for the intents of each level, ``topic intent subtopic level``, in the formats of
        `evaluate`. A subtopic belongs to the intent for which it has the highest level.
    parents
        The gold hierarchy, ``topic second-level-intent first-level-intent``, or
        ``{topic: {second: first}}``.
    runs
        ``{topic: {first-level subtopic: [second-level subtopic, …]}}``, a file of IMine's subtopic
        mining, or a table with the columns topic, first and second, optionally with ranks or
        scores. Several runs are a list, or a dict from names to runs.
    measure
        The diversity measure for both levels.
    intents1, intents2
        Probabilities and types of the intents of each level, in the formats of `evaluate`.
    alpha
        The weight of the first level, in [0, 1].
    ties, order
        The order of rankings, see `read_run`.
    separator
        The separator of fields in text files.
    qrels_format
        The format of the judgments of both levels. Default: detected.
    run_names
        ``tag`` (default): each run tag is a system. ``file``: each file is a system, named by its
        path.

    >>> first = {"q1": {"food": {"apple pie": 1}, "company": {"apple inc": 1}}}
    >>> second = {"q1": {"recipe": {"pie recipe": 1}, "jobs": {"apple jobs": 1}}}
    >>> parents = {"q1": {"recipe": "food", "jobs": "company"}}
    >>> run = {"q1": {"apple pie": ["pie recipe", "apple jobs"], "apple inc": ["apple ipad"]}}
    >>> scores = evaluate_hierarchy(first, second, parents, run)
    >>> {name: round(value, 4) for name, value in scores.summary()["run"].items()}
    {'H': 0.3333, 'Hscore': 0.3333, 'D1sharp': 1.0, 'D2sharp': 1.0}
    """
    m = _parse_measure(measure)
    check_choice("run_names", run_names, RunNames)
    ties = combine_order(ties, order)
    if not 0 <= alpha <= 1:
        raise InputError.from_problem(f"alpha must be in [0, 1], found {alpha}")
    gold = GoldHierarchy(
        _build_evaluator(first, intents1, m, ties, separator, qrels_format),
        _build_evaluator(second, intents2, m, ties, separator, qrels_format),
        read_parents(parents, separator),
    )
    read: list[Hierarchy] = []
    for name, run in list_systems(runs, _is_run):
        if name is None:
            read += read_hierarchies(run, ties, separator, run_names)
        else:
            read.append(read_hierarchy(run, name=name, ties=ties, separator=separator))
    return gold.compute_scores(resolve_names(read), m, alpha)


class GoldHierarchy:
    """The judgments of both levels and the gold hierarchy."""

    def __init__(self, first: Evaluator, second: Evaluator, parents: Parents) -> None:
        self.first, self.second = first, second
        self.topics = first.collection.gold.qrels.topics
        second_topics = second.collection.gold.qrels.topics
        if unmatched := sorted({*self.topics} ^ {*second_topics}):
            incomplete, complete = (second, first) if unmatched[0] in self.topics else (first, second)
            expected = f"the topics of {complete.collection.gold.qrels.where}"
            raise InputError(f"no topic {unmatched[0]}", expected, incomplete.collection.gold.qrels.where)
        self.parents = {
            topic: parents.get_parents(
                topic, _get_intent_names(first.collection, topic), _get_intent_names(second.collection, topic)
            )
            for topic in self.topics
        }

    def compute_scores(self, runs: Sequence[Hierarchy], m: Measure, alpha: float) -> Scores:
        """Compute H, Hscore and D♯ of both levels for each run and topic."""
        d1 = self.first({run.name: run.first for run in runs})
        d2 = self.second({run.name: run.second for run in runs})
        hscore = np.array([[self.compute_hscore(run, topic) for topic in self.topics] for run in runs])
        D1, D2 = d1.values[:, :, 0], d2.select(topics=list(self.topics)).values[:, :, 0]
        text = Note("measure", f"{COLUMNS[2]} and {COLUMNS[3]} are {m}, alpha = {alpha:g}")
        return Scores(
            np.stack([compute_h_measure(hscore, D1, D2, alpha), hscore, D1, D2], axis=2),
            tuple(run.name for run in runs),
            self.topics,
            COLUMNS,
            ("mean",) * len(COLUMNS),
            notes=(text, *_rewrite_notes("first", 1, d1), *_rewrite_notes("second", 2, d2)),
        )

    def compute_hscore(self, run: Hierarchy, topic: str) -> float:
        """Return the fraction of second-level subtopics below the correct parent."""
        children = run.parents.get(topic, {})
        parent_intents = _find_intents(self.first.collection, topic, children.values())
        child_intents = _find_intents(self.second.collection, topic, children)
        parents = self.parents[topic]
        return compute_h_score(parent_intents, [None if i is None else parents[i] for i in child_intents])


def _build_evaluator(
    qrels: QrelsLike, intents_source: IntentsLike, m: Measure, ties: Ties | None, separator: str, format: str | None
) -> Evaluator:
    """Build the evaluator of one level."""
    source, field_separator = _open_source(qrels, separator)
    judged = read_qrels(source, format, separator=field_separator, by_intent=True)
    intents = None
    if intents_source is not None:
        source, field_separator = _open_source(intents_source, separator)
        intents = read_intents(source, field_separator)
    return Evaluator(judged, m, intents=intents, ties="file" if ties == "file" else None)


def _open_source(data: Any, separator: str) -> tuple[Any, str | None]:
    """Open a file. Return the source and the field separator of text files."""
    if not isinstance(data, str | os.PathLike) or os.path.isdir(data):
        return data, None
    source = Source.from_path(data)
    return source, separator if is_text(source) else None


def _get_intent_names(level: Collection, topic: str) -> tuple[str, ...]:
    """Return the intents of a topic."""
    assert level.intents is not None  # noqa: S101
    return level.intents.names[level.gold.topic_index[topic]]


def _find_intents(level: Collection, topic: str, subtopics: Iterable[str]) -> list[str | None]:
    """Return the intent of each subtopic, None without one."""
    assert level.intents is not None  # noqa: S101
    items, names = (level.gold.by_topic[level.gold.topic_index[topic]], _get_intent_names(level, topic))
    names_wanted = list(subtopics)
    judged = [subtopic for subtopic in names_wanted if subtopic in items]
    item_array = np.array([items[subtopic] for subtopic in judged], dtype=np.int64)
    numbers = find_intents(level.intents.get_levels(item_array, len(names))).tolist()
    intent_of = {subtopic: names[i] for subtopic, i in zip(judged, numbers, strict=True) if i >= 0}
    return [intent_of.get(subtopic) for subtopic in names_wanted]


def _rewrite_notes(level: str, number: int, scores: Scores) -> Iterator[Note]:
    """Yield the notes of a level, with the option of its intents."""
    for note in scores.notes:
        yield note.rewrite(lambda text: f"{level} level: " + INTENTS.sub(rf"\g<1>{number}", text))


def _parse_measure(measure: MeasureLike) -> Measure:
    parsed = parse_measures(measure)
    if len(parsed) != 1 or parsed[0].takes != "intents":
        expected = f"one diversity measure, such as {DEFAULT_MEASURE}"
        raise InputError(", ".join(map(str, parsed)) or "no measure", expected)
    return parsed[0]


def _is_run(value: Any) -> bool:
    """Return True if the value is a run, not the ranking of a topic."""
    if isinstance(value, Mapping):
        return any(isinstance(inner, Mapping) for inner in value.values())
    return isinstance(value, Hierarchy) or is_file(value)
