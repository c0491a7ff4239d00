"""Preference judgments and judgment groups: judgments of several users per topic.

Three formats of trec_eval, all text with a judgment on each line:

- ``prefs``: ``topic group subgroup doc level``. Within a subgroup, a document is preferred to all
  documents with lower levels. Or ``topic doc other preferred``, as TREC CAsT has pairs.
- ``qrels_prefs``: ``topic group doc level``, the same with one subgroup per group: qrels read as
  preferences.
- ``qrels_jg``: ``topic group doc level``, relevance judgments of each group.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.qrels import Qrels
from cranfield.data.reading.cells import Layout, iter_lines, read_text_columns, read_text_lines
from cranfield.data.reading.lines import (
    Line,
    format_first_line,
    iter_text_lines,
    parse_identifier,
    split_fields,
)
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.trec import read_number_columns
from cranfield.dataclass import dataclass
from cranfield.errors import DuplicateError, InputError
from cranfield.wording import format_count

PreferencesLike: TypeAlias = Any  # a path, or tuples with the fields of a line

FIELDS = {
    "prefs": ("topic", "group", "subgroup", "doc", "level"),
    "qrels_prefs": ("topic", "group", "doc", "level"),
    "qrels_jg": ("topic", "group", "doc", "level"),
}
PAIR = ("topic", "doc", "other", "preferred")


@dataclass(frozen=True, eq=False)
class PreferenceGroup:
    """Preferences of one user: levels of documents in one or several subgroups.

    Levels of different subgroups are not compared. Only the order within a subgroup counts, and 0
    means nonrelevant.
    """

    name: str
    docs: tuple[str, ...]  # in input order, first subgroup first
    relevant: Bools  # [docs] True for levels above 0
    subgroups: tuple[tuple[Ints, Floats], ...]  # indexes of documents, and their levels

    @cached_property
    def prefers(self) -> Bools:
        """Boolean array: True if a document (row) is preferred to another (column).

        Preferences are transitive over subgroups: a to b, and b to c in another one, imply a to c.
        """
        prefers = np.zeros((len(self.docs), len(self.docs)), dtype=np.bool_)
        for docs, levels in self.subgroups:
            prefers[np.ix_(docs, docs)] |= levels[:, None] > levels
        count = 0 if self._overlap else np.count_nonzero(prefers)  # without overlap, nothing is implied
        while count < np.count_nonzero(prefers):  # paths with one more document, then two, four
            count = np.count_nonzero(prefers)
            steps = prefers.astype(np.float32)
            prefers |= steps @ steps > 0
        return prefers

    @property
    def _overlap(self) -> bool:
        """True if a document is in several subgroups."""
        return sum(len(docs) for docs, _ in self.subgroups) > len(self.docs)

    def find_contradiction(self) -> tuple[str, str] | None:
        """Return documents of which the first is preferred to, but not above, the second."""
        if not self._overlap:
            return None
        as_good = self.prefers.copy()
        for docs, levels in self.subgroups:
            as_good[np.ix_(docs, docs)] |= levels[:, None] == levels
        for better, worse in np.argwhere(self.prefers & as_good.T).tolist():
            if better != worse:
                return self.docs[better], self.docs[worse]
        return None


@dataclass(frozen=True, eq=False)
class Preferences:
    """Preferences of each group for each topic.

    >>> read_preferences([("q1", "ann", "d1", 2), ("q1", "ann", "d2", 0)], "qrels_prefs")
    Preferences: 1 group of 1 topic
    """

    groups: Mapping[str, tuple[PreferenceGroup, ...]]  # by topic, both sorted by name
    where: str = "preferences"

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics in order of their names."""
        return tuple(self.groups)

    def __repr__(self) -> str:
        groups = format_count(sum(map(len, self.groups.values())), "group")
        return f"Preferences: {groups} of {format_count(len(self.groups), 'topic')}"


@dataclass(frozen=True, eq=False)
class JudgmentGroups:
    """Judgments of each group for each topic, stored as separate topics.

    >>> judged = [("q1", "ann", "d1", 2), ("q1", "bob", "d1", 0), ("q2", "ann", "d1", 1)]
    >>> groups = read_judgment_groups(judged)
    >>> groups.topics, groups.qrels.topics, groups.topic_of.tolist()
    (('q1', 'q2'), ('q1 ann', 'q1 bob', 'q2 ann'), [0, 0, 1])
    """

    topics: tuple[str, ...]  # sorted by name
    qrels: Qrels  # its topics are "topic group"
    topic_of: Ints  # index of the topic of each topic of `qrels`


def read_preferences(data: PreferencesLike, format: str = "prefs") -> Preferences:
    """Read preferences from a file or tuples. `format` is prefs or qrels_prefs.

    A file of the format prefs may have lines ``topic doc other preferred``.

    Errors are a duplicate document in a subgroup, contradicting preferences of a group, direct or
    implied, and a document that is nonrelevant (level 0) in only some of the subgroups.
    """
    if isinstance(data, Preferences):
        return data
    if format not in ("prefs", "qrels_prefs"):
        raise InputError(f"format {format!r}", "prefs or qrels_prefs")
    if isinstance(data, str | os.PathLike):
        data = Source.from_path(data)  # a pipe can be read only once
    judged = _read_pairs(data) if format == "prefs" else None
    judged = judged or _read_judgments(data, format, "preferences")
    negative = np.flatnonzero(judged.levels < 0)
    if len(negative):
        problem = f"level {judged.levels[negative[0]]:g}"
        raise judged.error(problem, "a number ≥ 0", int(negative[0]))
    found_in: dict[str, dict[str, list[list[int]]]] = {}
    for (topic, group, *_), rows in judged.rows.items():
        found_in.setdefault(topic, {}).setdefault(group, []).append(rows)
    groups = {
        topic: tuple(_build_group(judged, group, subgroups) for group, subgroups in problem.items())
        for topic, problem in found_in.items()
    }
    return Preferences(groups, judged.where)


def read_judgment_groups(data: PreferencesLike) -> JudgmentGroups:
    """Read the relevance judgments of several groups from a qrels_jg file or tuples."""
    if isinstance(data, JudgmentGroups):
        return data
    judged = _read_judgments(data, "qrels_jg", "judgments")
    index = {topic: i for i, topic in enumerate(dict.fromkeys(key[0] for key in judged.rows))}
    rows = [row for rows in judged.rows.values() for row in rows]
    qrels = Qrels(
        tuple(" ".join(key) for key in judged.rows),
        np.cumsum([0, *map(len, judged.rows.values())]),
        judged.levels[rows],
        [judged.docs[row] for row in rows],
        judged.where,
    )
    return JudgmentGroups(tuple(index), qrels, np.array([index[key[0]] for key in judged.rows]))


@dataclass(frozen=True, eq=False)
class _Judgments:
    """All judgments in input order."""

    where: str
    source: Source | None  # None if the data have no lines
    docs: list[str]
    levels: Floats
    rows: Mapping[tuple[str, ...], list[int]]  # rows of each (sub)group, sorted by name
    on_a_line: int = 1

    def error(self, actual: str, expected: str, row: int) -> InputError:
        return InputError(actual, expected, self.where, self.find_line(row))

    def find_line(self, row: int) -> int | None:
        """Return the line number of a judgment. It is computed only for errors."""
        if self.source is None:
            return None
        return next(islice(iter_text_lines(self.source), row // self.on_a_line, None))[0]


def _build_group(judged: _Judgments, name: str, subgroups: Sequence[list[int]]) -> PreferenceGroup:
    """Build a group of one topic from its subgroups. Raise an error if contradictory."""
    docs = [[judged.docs[row] for row in rows] for rows in subgroups]
    index = {doc: i for i, doc in enumerate(dict.fromkeys(doc for names in docs for doc in names))}
    relevant = np.zeros(len(index), dtype=np.bool_)
    members = []
    for rows, names in zip(subgroups, docs, strict=True):
        indices, levels = np.array([index[doc] for doc in names]), judged.levels[rows]
        relevant[indices] |= levels > 0
        members.append((indices, levels))
    for (indices, levels), rows in zip(members, subgroups, strict=True):
        if (relevant[indices] != (levels > 0)).any():
            row = rows[int(np.argmax(relevant[indices] != (levels > 0)))]
            problem = f"level 0 for document {judged.docs[row]}, relevant in other subgroups of {name}"
            raise judged.error(problem, "level 0 in all subgroups of the group or in none", row)
    group = PreferenceGroup(name, tuple(index), relevant, tuple(members))
    if pair := group.find_contradiction():
        better, worse = pair
        last = max(row for rows in subgroups for row in rows if judged.docs[row] in pair)
        problem = f"document {worse} not below {better}"
        expected = f"{better} preferred to {worse}, as on other lines of group {name}"
        raise judged.error(problem, expected, last)
    return group


def _read_judgments(data: PreferencesLike, format: str, kind: str) -> _Judgments:
    names, location, source = FIELDS[format], kind, None
    layout = Layout((names,), names, {})
    if isinstance(data, str | os.PathLike):
        source = Source.from_path(data)
        location = source.name
        try:
            columns, levels = read_number_columns(source.read(), len(names))
        except Irregular:
            columns, levels = _build_columns(read_text_lines(source, layout), names)
    elif isinstance(data, Iterable) and not (isinstance(data, bytes | Mapping) or is_frame(data)):
        rows = (row if isinstance(row, tuple | list) else [row] for row in data)
        columns, levels = _build_columns(iter_lines(rows, layout, location), names)
    else:
        raise InputError(type(data).__name__, f"{kind} as a path or tuples")
    *ids, docs = columns
    judged = _Judgments(location, source, docs.tolist(), levels, _group_rows(ids))
    _check_judgments(judged, names)
    return judged


def _read_pairs(data: PreferencesLike) -> _Judgments | None:
    """Read ``topic doc other preferred`` lines as subgroups of two documents.

    Return None for other files: the first line has four fields, and the last is one of the two
    documents before it.
    """
    if not isinstance(data, str | os.PathLike):
        return None
    source = Source.from_path(data)
    first = next((split_fields(line, None) for _, line in iter_text_lines(source)), [])
    if len(first) != len(PAIR) or first[3] not in first[1:3]:
        return None
    docs: list[str] = []
    levels: list[float] = []
    rows: dict[tuple[str, ...], list[int]] = {}
    for topic, doc, other_doc, preferred in _iterate_pairs(source):
        rows[topic, "0", f"{len(docs):012d}"] = [len(docs), len(docs) + 1]
        docs += (doc, other_doc)
        levels += (1.0 + (doc == preferred), 1.0 + (other_doc == preferred))
    judged = _Judgments(source.name, source, docs, np.array(levels), dict(sorted(rows.items())), 2)
    _check_judgments(judged, FIELDS["prefs"])
    return judged


def _iterate_pairs(source: Source) -> Iterable[tuple[str, ...]]:
    """Return (topic, doc, other, preferred) of each line."""
    layout = Layout((PAIR,), PAIR, {})
    try:
        columns = (column.tolist() for column in read_text_columns(source, layout).values())
        pairs = [*zip(*columns, strict=True)]
        if all(preferred in (doc, other_doc) for _, doc, other_doc, preferred in pairs):
            return pairs
    except Irregular:
        pass
    return _check_pairs(read_text_lines(source, layout))


def _check_pairs(lines: Iterable[Line]) -> Iterator[tuple[str, ...]]:
    for line in lines:
        topic, *docs, preferred = (line.get_name(name) for name in PAIR)
        if preferred not in docs:
            raise line.make_error(f"preferred {preferred!r}", " or ".join(docs))
        yield topic, *docs, preferred


def _build_columns(lines: Iterable[Line], names: Sequence[str]) -> tuple[list[Strings], Floats]:
    """Build columns from lines, which are checked one by one."""
    columns: list[list[str]] = [[] for _ in names[:-1]]
    levels = []
    for line in lines:
        for name, column in zip(names, columns, strict=False):
            cell = parse_identifier(line.cells[name])
            if cell is None or split_fields(cell, None) != [cell]:
                problem = f"{name} {line.cells[name]!r}"
                raise line.make_error(problem, "an identifier without spaces")
            column.append(cell)
        levels.append(line.get_number("level"))
    return [Strings.from_list(column) for column in columns], np.array(levels)


def _group_rows(ids: Sequence[Strings]) -> dict[tuple[str, ...], list[int]]:
    """Return the rows of each combination of ids, sorted by ids."""
    starts = np.unique(np.concatenate([column.find_changes() for column in ids]))
    keys = zip(*(column[starts].tolist() for column in ids), strict=True)
    groups: dict[tuple[str, ...], list[int]] = {}
    for key, (begin, stop) in zip(keys, pairwise([*starts.tolist(), len(ids[0])]), strict=True):
        groups.setdefault(key, []).extend(range(begin, stop))
    return dict(sorted(groups.items()))


def _check_judgments(judged: _Judgments, names: Sequence[str]) -> None:
    """Raise an error for a duplicate document, a topic named 'all', or no judgments."""
    if not judged.rows:
        raise InputError.from_problem("no judgments in file", where=judged.where)
    for key, rows in judged.rows.items():
        if key[0] == "all":
            raise judged.error("a topic named 'all'", "another name ('all' is the summary)", rows[0])
        if len({judged.docs[row] for row in rows}) == len(rows):
            continue
        firsts: dict[str, int] = {}
        for row in rows:
            doc = judged.docs[row]
            if (first := firsts.setdefault(doc, row)) != row:
                description = ", ".join(f"{name} {value}" for name, value in zip(names, key, strict=False))
                first_line = format_first_line(judged.find_line(first))
                problem = f"duplicate document {doc!r} for {description}{first_line}"
                raise DuplicateError(doc, problem, "", judged.where, judged.find_line(row))
