"""`Assessments`: the scores that each assessor gave to items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from cranfield.assess.rules import Rules, RulesLike, parse_answer, read_rules
from cranfield.data.assessments import (
    IDS,
    LABEL,
    Assessment,
    AssessmentColumns,
    AssessmentsLike,
    iterate_assessments,
    read_assessment_columns,
)
from cranfield.data.reading.columns import ColumnsLike, find_spelling, read_columns
from cranfield.data.reading.labels import LabelsLike, describe_labels, get_level, read_labels
from cranfield.data.reading.table import Irregular
from cranfield.data.tracks import TopicsLike, choose_topics, read_named_topics
from cranfield.dataclass import dataclass
from cranfield.display import WithNotes
from cranfield.errors import InputError
from cranfield.scores import Note, note_topics_file
from cranfield.wording import format_count, suggest_keywords

Votes: TypeAlias = Mapping[str, float]  # assessor -> score
_Votes: TypeAlias = dict[str, dict[str, dict[str, float]]]  # topic -> doc -> assessor -> score


@dataclass(frozen=True, eq=False)
class Assessments(WithNotes):
    """The score that each assessor gave to each item, in order of first occurrence.

    >>> read_assessments({"ann": {"301": {"d1": "A"}}, "bob": {"301": {"d1": "C"}}},
    ...                  labels="A=2,B=1,C=0")
    Assessments: 2 judgments of 1 item in 1 topic by 2 assessors
    """

    assessors: tuple[str, ...]
    votes: Mapping[str, Mapping[str, Votes]]  # topic -> doc -> assessor -> score
    names: Mapping[float, str]  # names of scores, in the order of the alphabet
    declared: Mapping[str, float] | None = None  # the user's alphabet: label -> score
    top: float | None = None  # highest possible score, if known
    notes: tuple[Note, ...] = ()

    def items(self) -> Iterator[tuple[str, str, Votes]]:
        """Yield topic, document and votes of every item."""
        for topic, docs in self.votes.items():
            for doc, votes in docs.items():
                yield topic, doc, votes

    def select_topic(self, topic: str) -> Assessments:
        """Return the assessments of one topic, without notes."""
        return replace(self, votes={topic: self.votes[topic]}, notes=())

    def select_topics(self, topics: TopicsLike) -> Assessments:
        """Return the assessments of some topics: names, or ``common``.

        Common topics have a judgment by every assessor.
        """
        names = read_named_topics(topics) or tuple(self.votes)
        valid_names = choose_topics(names, self.votes, "assessments")
        names, notes = valid_names, (*self.notes, *note_topics_file(valid_names))
        if isinstance(topics, str) and topics == "common":
            everybody = {*self.assessors}
            names = tuple(t for t in names if {*chain(*self.votes[t].values())} == everybody)
        return replace(self, votes={topic: self.votes[topic] for topic in names}, notes=notes)

    def get_score(self, label: Any) -> float:
        """Return the score of a label in these assessments."""
        return _convert_label(label, self.declared, None, None)

    def __repr__(self) -> str:
        items = sum(map(len, self.votes.values()))
        judgments = sum(len(votes) for _, _, votes in self.items())
        size = f"{format_count(judgments, 'judgment')} of {format_count(items, 'item')}"
        topics = format_count(len(self.votes), "topic")
        assessors = format_count(len(self.assessors), "assessor")
        return f"Assessments: {size} in {topics} by {assessors}"


@suggest_keywords
def read_assessments(
    data: AssessmentsLike,
    labels: LabelsLike | None = None,
    rules: RulesLike | None = None,
    column: str | None = None,
    columns: ColumnsLike | None = None,
) -> Assessments:
    """Read assessments from files, a table, a mapping, a frame or tuples.

    There is one file per assessor, or a long table. Labels are numbers or L0, L1, …. `labels` maps
    other alphabets to points (``"S=3,A=2,B=1,C=0"``, fractions are allowed). `rules` converts
    several criteria to a score: the name of a built-in table, a TOML file or a mapping. `column` is
    the name of the label column if it is not label, level, rating or similar. `columns` are the
    names of the columns ``topic``, ``doc``, ``assessor`` and ``label``, as in
    ``"topic=query,assessor=who"``.

    >>> read_assessments([("301", "d1", "ann", "L2"), ("301", "d1", "bob", 1)]).votes
    {'301': {'d1': {'ann': 2.0, 'bob': 1.0}}}
    """
    if isinstance(data, Assessments):
        if any(value is not None for value in (labels, rules, column, columns)):
            problem = "labels, rules and columns are only valid when assessments are read"
            raise InputError.from_problem(problem)
        return data
    column_names = read_columns(columns, (*IDS, "label"))
    label = column_names.pop("label", None)
    scale = _Scale.from_options(labels, rules, label if column is None else column)
    try:
        votes, repeated = _collect_columns(read_assessment_columns(data, column_names), scale.score)
    except (Irregular, InputError):  # read line by line to find the place
        votes, repeated = _collect_votes(iterate_assessments(data, column_names), scale.score)
    if not votes:
        raise InputError.from_problem("no assessments")
    if "all" in votes:
        raise InputError.from_problem("topic name 'all' is reserved for the summary")
    text = f"{format_count(repeated, 'judgment')} repeated with equal labels"
    items = [scores for docs in votes.values() for scores in docs.values()]
    return Assessments(
        tuple(dict.fromkeys(assessor for scores in items for assessor in scores)),
        votes,
        scale.name_scores({score for scores in items for score in scores.values()}),
        scale.alphabet,
        scale.top,
        (Note("repeated", text),) if repeated else (),
    )


@dataclass(frozen=True)
class _Scale:
    """The conversion of labels to scores: by the points of labels, or by rules.

    With rules, `labels` are the points of the answers, not of the scores.
    """

    labels: Mapping[str, float] | None
    rules: Rules | None
    column: str | None

    @classmethod
    def from_options(cls, labels: LabelsLike | None, rules: RulesLike | None, column: str | None) -> _Scale:
        if rules is not None and column is not None:
            raise InputError.from_problem("use either rules or column, not both")
        points = None if labels is None else read_labels(labels)
        return cls(points, None if rules is None else read_rules(rules), column)

    def score(self, assessment: Assessment) -> float:
        """Return the score of one assessment."""
        if self.rules is None:
            label = assessment.cells[_find_label_column(assessment, self.column)]
            return _convert_label(label, self.labels, assessment.where, assessment.line)
        cells = dict(assessment.cells)
        if self.labels is not None:
            for name in filter(self.rules.has_criterion, assessment.cells):
                cells[name] = _convert_label(cells[name], self.labels, assessment.where, assessment.line)
        return self.rules.score(cells, assessment.where, assessment.line)

    @property
    def alphabet(self) -> Mapping[str, float] | None:
        """Declared labels of scores, if any."""
        return self.labels if self.rules is None else None

    @property
    def top(self) -> float | None:
        """Highest possible score, if known."""
        if self.rules is not None:
            return self.rules.top
        return max(self.labels.values()) if self.labels else None

    def name_scores(self, scores: Iterable[float]) -> dict[float, str]:
        """Return names of scores. Labels with the same points are joined."""
        if not self.alphabet:
            return {score: format_exact(score) for score in sorted(scores)}
        names: dict[float, str] = {}
        for label, points in self.alphabet.items():
            names[points] = f"{names[points]}/{label}" if points in names else label
        return names


def _collect_columns(files: Iterable[AssessmentColumns], score: Callable[[Assessment], float]) -> tuple[_Votes, int]:
    """Collect the votes of regular files by column. Raise Irregular for any problem."""
    votes: _Votes = {}
    repeated = 0
    for path, assessors, topics, docs, names, rows in files:
        scores = {row: score(Assessment(path, None, "", "", "", dict(zip(names, row, strict=True)))) for row in {*rows}}
        for topic, doc, assessor, row in zip(topics, docs, assessors, rows, strict=True):
            item_votes = votes.setdefault(topic, {}).setdefault(doc, {})
            repeated += assessor in item_votes
            if item_votes.setdefault(assessor, scores[row]) != scores[row]:
                raise Irregular
    return votes, repeated


def _collect_votes(records: Iterator[Assessment], score: Callable[[Assessment], float]) -> tuple[_Votes, int]:
    """Return the votes, and the number of repeated judgments."""
    votes: _Votes = {}
    firsts: dict[tuple[str, str, str], Assessment] = {}
    repeated = 0
    for record in records:
        value = score(record)
        item_votes = votes.setdefault(record.topic, {}).setdefault(record.doc, {})
        first = firsts.setdefault((record.topic, record.doc, record.assessor), record)
        if item_votes.setdefault(record.assessor, value) != value:
            place = f"in {first.where}:{first.line}" if first.line else "before"
            scores = f"{format_exact(value)}, but {format_exact(item_votes[record.assessor])} {place}"
            problem = f"conflicting scores by {record.assessor} for document {record.doc!r}"
            problem += f" in topic {record.topic}: {scores}"
            raise InputError.from_problem(problem, "", record.where, record.line)
        repeated += first is not record
    return votes, repeated


def _find_label_column(assessment: Assessment, column: str | None) -> str:
    if column is not None and column in assessment.cells:
        return column
    spellings = LABEL if column is None else (column.lower(),)
    if (spelling := find_spelling(spellings, assessment.cells)) is not None:
        return spelling
    problem = f"columns {', '.join(assessment.cells) or '(none)'} beside topic, doc and assessor"
    expected = "one named label (or level, rating, …), a column chosen by name, or rules"
    raise InputError(problem, expected if column is None else column, assessment.where, assessment.line)


def _convert_label(label: Any, declared: Mapping[str, float] | None, path: str | None, line: int | None) -> float:
    """Return the points of a label."""
    parsed = parse_answer(label)
    text = parsed if isinstance(parsed, str) else format_exact(parsed)
    if declared is not None:
        points, expected = declared.get(text), describe_labels(text, declared)
    else:
        points = get_level(text, number=None if isinstance(parsed, str) else parsed)
        expected = "a number or L0, L1, …, or the points of each label (S=3,A=2,…)"
    if points is None:
        raise InputError(f"label {text!r}", expected, path, line)
    return points


def format_exact(value: float) -> str:
    """Format a number in the shortest form that parses to the same number.

    >>> format_exact(2.0), format_exact(4.6), format_exact(2 / 3)
    ('2', '4.6', '0.6666666666666666')
    """
    return str(int(value)) if value.is_integer() else repr(value)
