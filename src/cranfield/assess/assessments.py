"""`Assessments`: what each assessor thought of each item, as scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from cranfield.assess.rules import Rules, RulesLike, answer, read_rules
from cranfield.data.assessments import (
    IDS,
    LABEL,
    Assessment,
    AssessmentsLike,
    Written,
    assessments,
    written,
)
from cranfield.data.reading.columns import ColumnsLike, read_columns, spelt
from cranfield.data.reading.labels import LabelsLike, level_of, one_of, read_labels
from cranfield.data.reading.table import Irregular
from cranfield.data.tracks import TopicsLike, choose_topics, named_topics
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import Notice, about_topics
from cranfield.wording import counted, suggests_keywords

Votes: TypeAlias = Mapping[str, float]  # assessor -> score
_Votes: TypeAlias = dict[str, dict[str, dict[str, float]]]  # topic -> doc -> assessor -> score


@dataclass(frozen=True, eq=False)
class Assessments:
    """The score that each assessor gave each item, in the order in which they first appear.

    >>> read_assessments({"ann": {"301": {"d1": "A"}}, "bob": {"301": {"d1": "C"}}},
    ...                  labels="A=2,B=1,C=0")
    Assessments: 2 judgments of 1 item in 1 topic by 2 assessors
    """

    assessors: tuple[str, ...]
    votes: Mapping[str, Mapping[str, Votes]]  # topic -> doc -> assessor -> score
    names: Mapping[float, str]  # what the scores are called, in the order of the alphabet
    declared: Mapping[str, float] | None = None  # the user's alphabet: label -> score
    top: float | None = None  # the highest score there could be, if it was said
    notices: tuple[Notice, ...] = ()

    def items(self) -> Iterator[tuple[str, str, Votes]]:
        """Every item with its topic and votes."""
        for topic, docs in self.votes.items():
            for doc, votes in docs.items():
                yield topic, doc, votes

    def of_topic(self, topic: str) -> Assessments:
        """Those of one topic alone, without what was said of all."""
        return replace(self, votes={topic: self.votes[topic]}, notices=())

    def of_topics(self, topics: TopicsLike) -> Assessments:
        """Those of some topics: named, or ``common``, those in which everybody judged something."""
        kept = named_topics(topics) or tuple(self.votes)
        chosen = choose_topics(kept, self.votes, "assessments")
        kept, notices = chosen, (*self.notices, *about_topics(chosen))
        if isinstance(topics, str) and topics == "common":
            everybody = {*self.assessors}
            kept = tuple(t for t in kept if {*chain(*self.votes[t].values())} == everybody)
        return replace(self, votes={topic: self.votes[topic] for topic in kept}, notices=notices)

    def score_of(self, label: Any) -> float:
        """The score a label stands for in these assessments."""
        return _points(label, self.declared, None, None)

    def __repr__(self) -> str:
        items = sum(map(len, self.votes.values()))
        judgments = sum(len(votes) for _, _, votes in self.items())
        return (
            f"Assessments: {counted(judgments, 'judgment')} of {counted(items, 'item')} in "
            f"{counted(len(self.votes), 'topic')} by {counted(len(self.assessors), 'assessor')}"
        )


@suggests_keywords
def read_assessments(
    data: AssessmentsLike,
    labels: LabelsLike | None = None,
    rules: RulesLike | None = None,
    column: str | None = None,
    columns: ColumnsLike | None = None,
) -> Assessments:
    """Assessments from one file per assessor, a long table, a mapping, a frame or tuples.

    Labels are numbers or L0, L1, …; `labels` gives the points of other alphabets
    (``"S=3,A=2,B=1,C=0"``, fractions are fine). `rules` turns several criteria into a score, by
    the name of a built-in table, a TOML file or a mapping. `column` names the column of the label
    if it is not called label, level, rating or so, and `columns` those of ``topic``, ``doc``,
    ``assessor`` and ``label`` in tables, as in ``"topic=query,assessor=who"``.

    >>> read_assessments([("301", "d1", "ann", "L2"), ("301", "d1", "bob", 1)]).votes
    {'301': {'d1': {'ann': 2.0, 'bob': 1.0}}}
    """
    if isinstance(data, Assessments):
        if any(given is not None for given in (labels, rules, column, columns)):
            found = "labels, rules or columns for assessments that have been read"
            raise InputError(found, "them where assessments are read")
        return data
    own = read_columns(columns, (*IDS, "label"))
    label = own.pop("label", None)
    scale = _Scale.of(labels, rules, label if column is None else column)
    try:
        votes, repeated = _by_columns(written(data, own), scale.score)
    except (Irregular, InputError):  # which line it is, those who look at each find out
        votes, repeated = _collected(assessments(data, own), scale.score)
    if not votes:
        raise InputError("no assessments", "at least one", "assessments")
    if "all" in votes:
        raise InputError("a topic named 'all'", "another name: 'all' is the summary's")
    again = f"{counted(repeated, 'judgment')} given more than once, each time alike"
    every = [scores for docs in votes.values() for scores in docs.values()]
    return Assessments(
        tuple(dict.fromkeys(assessor for scores in every for assessor in scores)),
        votes,
        scale.names({score for scores in every for score in scores.values()}),
        scale.alphabet,
        scale.top,
        (Notice("repeated", again),) if repeated else (),
    )


@dataclass(frozen=True)
class _Scale:
    """How what assessors wrote becomes scores: by the points of labels, or by rules.

    Where there are rules, the labels are those of the answers, and not of the scores.
    """

    labels: Mapping[str, float] | None
    rules: Rules | None
    column: str | None

    @classmethod
    def of(cls, labels: LabelsLike | None, rules: RulesLike | None, column: str | None) -> _Scale:
        if rules is not None and column is not None:
            raise InputError("rules and a column", "one of them")
        points = None if labels is None else read_labels(labels)
        return cls(points, None if rules is None else read_rules(rules), column)

    def score(self, one: Assessment) -> float:
        """The score of one assessment."""
        if self.rules is None:
            label = one.cells[_label_column(one, self.column)]
            return _points(label, self.labels, one.where, one.line)
        cells = dict(one.cells)
        if self.labels is not None:
            for name in filter(self.rules.asks, one.cells):
                cells[name] = _points(cells[name], self.labels, one.where, one.line)
        return self.rules.score(cells, one.where, one.line)

    @property
    def alphabet(self) -> Mapping[str, float] | None:
        """The labels that scores have, if they were declared."""
        return self.labels if self.rules is None else None

    @property
    def top(self) -> float | None:
        """The highest score there could be, if that is known."""
        if self.rules is not None:
            return self.rules.top
        return max(self.labels.values()) if self.labels else None

    def names(self, seen: Iterable[float]) -> dict[float, str]:
        """What scores are called; labels with the same points are one."""
        if not self.alphabet:
            return {score: exact(score) for score in sorted(seen)}
        made: dict[float, str] = {}
        for label, points in self.alphabet.items():
            made[points] = f"{made[points]}/{label}" if points in made else label
        return made


def _by_columns(
    files: Iterable[Written], score: Callable[[Assessment], float]
) -> tuple[_Votes, int]:
    """As `_collected`, of files in which everything is in order, or Irregular."""
    votes: _Votes = {}
    repeated = 0
    for where, assessors, topics, docs, names, rows in files:
        worth = {
            row: score(Assessment(where, None, "", "", "", dict(zip(names, row, strict=True))))
            for row in {*rows}
        }
        for topic, doc, assessor, row in zip(topics, docs, assessors, rows, strict=True):
            given = votes.setdefault(topic, {}).setdefault(doc, {})
            repeated += assessor in given
            if given.setdefault(assessor, worth[row]) != worth[row]:
                raise Irregular
    return votes, repeated


def _collected(
    given: Iterator[Assessment], score: Callable[[Assessment], float]
) -> tuple[_Votes, int]:
    """The votes, and how many came more than once."""
    votes: _Votes = {}
    firsts: dict[tuple[str, str, str], Assessment] = {}
    repeated = 0
    for one in given:
        value = score(one)
        before = votes.setdefault(one.topic, {}).setdefault(one.doc, {})
        first = firsts.setdefault((one.topic, one.doc, one.assessor), one)
        if before.setdefault(one.assessor, value) != value:
            place = f"in {first.where}:{first.line}" if first.line else "before"
            found = f"score {exact(value)} by {one.assessor} for document {one.doc} of {one.topic}"
            expected = f"{exact(before[one.assessor])} as {place}"
            raise InputError(found, expected, one.where, one.line)
        repeated += first is not one
    return votes, repeated


def _label_column(one: Assessment, column: str | None) -> str:
    if column is not None and column in one.cells:
        return column
    spellings = LABEL if column is None else (column.lower(),)
    if (theirs := spelt(spellings, one.cells)) is not None:
        return theirs
    found = f"columns {', '.join(one.cells) or '(none)'} beside topic, doc and assessor"
    expected = "one named label (or level, rating, …), a column chosen by name, or rules"
    raise InputError(found, expected if column is None else column, one.where, one.line)


def _points(
    label: Any, declared: Mapping[str, float] | None, where: str | None, line: int | None
) -> float:
    """What a label is worth."""
    given = answer(label)
    text = given if isinstance(given, str) else exact(given)
    if declared is not None:
        worth, expected = declared.get(text), one_of(text, declared)
    else:
        worth = level_of(text, number=None if isinstance(given, str) else given)
        expected = "a number or L0, L1, …, or the points of each label (S=3,A=2,…)"
    if worth is None:
        raise InputError(f"label {text!r}", expected, where, line)
    return worth


def exact(value: float) -> str:
    """A number in its shortest form that reads back as the same.

    >>> exact(2.0), exact(4.6), exact(2 / 3)
    ('2', '4.6', '0.6666666666666666')
    """
    return str(int(value)) if value.is_integer() else repr(value)
