"""Intents: what the users of a topic may want, how probable each is, and of which type.

Judgments for intents are ``topic intent doc level``. What is known of the intents themselves is in
files of their own: ``topic intent probability``, ``topic intent informational|navigational``, or
both on one line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.data.columns import SPELLINGS, spelt
from cranfield.data.formats import recognise
from cranfield.data.mappings import read_json
from cranfield.data.records import HEADED, fields_of, finite, identifier, rows, text_lines
from cranfield.data.source import Source
from cranfield.data.strings import Floats, Ints, Strings
from cranfield.data.table import Table, in_group
from cranfield.data.tables import is_frame, polars_frame
from cranfield.errors import InputError
from cranfield.wording import counted

IntentsLike: TypeAlias = Any  # a path, {topic: {intent: probability}}, a frame, or several of them
WHOLE = 1e-6  # how far from 1 probabilities may sum up to
TYPES = {"informational": False, "inf": False, "navigational": True, "nav": True}
EXPECTED = "topic intent probability, or topic intent informational|navigational"


@dataclass(frozen=True, eq=False)
class ByIntent:
    """Judgments of documents for the intents of topics, one by one."""

    names: tuple[tuple[str, ...], ...]  # the intents of each topic
    rows: Ints  # of each judgment, the row of its document in the qrels,
    intents: Ints  # the place of its intent among those of the topic,
    levels: Floats  # and the level


class Documents(NamedTuple):
    """Judgments for intents as judgments of documents: each once, at its highest level."""

    offsets: Ints
    levels: Floats
    first: Ints  # the judgment that names each document first
    by_intent: ByIntent


class Irregular(ValueError):
    """Judgments that repeat themselves: they must be looked at one by one."""


def documents_of(table: Table) -> Documents:
    """The judgments of a table, all lines of a topic together; `types` are the intents."""
    assert table.types is not None  # noqa: S101
    doc = _numbered(table.docs, table.hashes, table.group)
    intent = _numbered(table.types, table.types.hashes(), table.group)
    names = table.types[_firsts(intent)].tolist()
    of_topic = [names[a:b] for a, b in _slices(table.group[_firsts(intent)], len(table.names))]
    return _documents(table.group, doc, intent, table.values, of_topic)


def documents_in(judged: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Documents:
    """The judgments of ``{topic: {intent: {doc: level}}}``, whose levels are numbers."""
    topic: list[int] = []
    doc: list[int] = []
    intent: list[int] = []
    level: list[Any] = []
    docs: dict[tuple[int, str], int] = {}
    known = 0
    for number, intents in enumerate(judged.values()):
        for place, levels in enumerate(intents.values()):
            for name, value in levels.items():
                topic.append(number)
                doc.append(docs.setdefault((number, name), len(docs)))
                intent.append(known + place)
                level.append(value)
        known += len(intents)
    t, d, i = (np.array(x, dtype=np.int64) for x in (topic, doc, intent))
    names = [list(intents) for intents in judged.values()]
    return _documents(t, d, i, np.array(level, dtype=np.float64), names)


def _documents(
    topic: Ints, doc: Ints, intent: Ints, level: Floats, names: Sequence[Sequence[str]]
) -> Documents:
    """Of judgments whose documents and intents are numbered topic by topic."""
    if (np.diff(np.sort(doc * (intent.max(initial=0) + 1) + intent)) == 0).any():
        raise Irregular
    first = _firsts(doc)
    highest = np.full(len(first), -np.inf)
    np.maximum.at(highest, doc, level)
    offsets = np.searchsorted(topic[first], np.arange(len(names) + 1))
    ordered = [in_order(few) for few in names]
    place = [few.index(name) for given, few in zip(names, ordered, strict=True) for name in given]
    by_intent = ByIntent(
        tuple(map(tuple, ordered)), doc, np.array(place, dtype=np.int64)[intent], level
    )
    return Documents(offsets, highest, first, by_intent)


def in_order(names: Iterable[str]) -> list[str]:
    """Intents by number, if all of them are numbers, else by name.

    >>> in_order(["10", "9"]), in_order(["b", "10", "9"])
    (['9', '10'], ['10', '9', 'b'])
    """
    given = list(names)
    if all(name.isdecimal() for name in given):
        return sorted(given, key=lambda name: (int(name), name))
    return sorted(given)


def _numbered(texts: Strings, hashes: Any, group: Ints) -> Ints:
    """A number for each text within its group, in the order in which they come."""
    _, first, which = np.unique(in_group(hashes, group), return_index=True, return_inverse=True)
    which = which.ravel()  # NumPy 2.0 gave it another shape
    same = texts.same(texts[first[which]]) & (group == group[first[which]])
    if not same.all():  # two texts with one hash
        raise Irregular
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    found: Ints = order[which]
    return found


def _firsts(numbers: Ints) -> Ints:
    """Where each of the numbers 0, 1, … is first, if they come in that order."""
    new = np.ones(len(numbers), dtype=bool)
    new[1:] = numbers[1:] > np.maximum.accumulate(numbers)[:-1]
    return np.flatnonzero(new)


def _slices(group: Ints, groups: int) -> list[tuple[int, int]]:
    bounds = np.searchsorted(group, np.arange(groups + 1)).tolist()
    return list(pairwise(bounds))


# -- what is known of intents -----------------------------------------------------------------


@dataclass(frozen=True)
class Intents:
    """Probabilities and types of intents.

    >>> read_intents({"q1": {"company": 0.8, "fruit": 0.2}})
    Intents: 2 intents of 1 topic
    """

    probabilities: Mapping[str, Mapping[str, float]]  # {topic: {intent: probability}}
    navigational: Mapping[str, Mapping[str, bool]]  # {topic: {intent: whether it is}}
    where: str = "intents"
    told: Mapping[tuple[str, str], tuple[str, int | None]] = field(default_factory=dict)
    # of each topic and intent, the file and the line that name it first

    def __repr__(self) -> str:
        both = (self.probabilities, self.navigational)
        named = {(topic, name) for known in both for topic in known for name in known[topic]}
        topics = {topic for topic, _ in named}
        return f"Intents: {counted(len(named), 'intent')} of {counted(len(topics), 'topic')}"


class _Line(NamedTuple):
    where: str
    number: int | None
    cells: tuple[Any, ...]  # topic, intent, and what is said of it


def read_intents(data: IntentsLike, separator: str | None = None) -> Intents:
    """What is known of intents, from a path, a mapping, a Polars or pandas frame or tuples.

    A list of paths is taken together: one may have the probabilities and one the types.
    """
    if isinstance(data, Intents):
        return data
    several = [data]
    if isinstance(data, list | tuple) and all(_is_whole(part) for part in data):
        several = list(data)
    if not several:
        raise InputError("no intents", EXPECTED)
    several = [Source.of(x) if isinstance(x, str | os.PathLike) else x for x in several]
    wheres = dict.fromkeys(x.name if isinstance(x, Source) else "intents" for x in several)
    found = [line for part in several for line in _lines(part, separator)]
    made = _read(found, ", ".join(wheres))
    if not made.probabilities and not made.navigational:
        raise InputError("no intents", EXPECTED, made.where)
    return made


def _is_whole(part: Any) -> bool:
    return isinstance(part, str | os.PathLike | Mapping | Source) or is_frame(part)


def _lines(data: Any, separator: str | None) -> Iterator[_Line]:
    if isinstance(data, Source):
        yield from _of_file(data, separator)
    elif is_frame(data):
        frame = polars_frame(data, list, "intents")
        yield from _of_rows(((None, row) for row in frame.iter_rows(named=True)), "intents")
    elif isinstance(data, Mapping):
        yield from _of_mapping(data, "intents")
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        for row in data:
            yield _Line("intents", None, tuple(row) if isinstance(row, Sequence) else (row,))
    else:
        raise InputError(repr(data), "intents as a path, a mapping, a frame or tuples")


def _of_file(source: Source, separator: str | None) -> Iterator[_Line]:
    if not source.start.strip():
        raise InputError("an empty file", EXPECTED, source.name)
    format = recognise(source, None, separator)
    if _has_header(source, ",") or _has_header(source, "\t"):
        format = "csv" if _has_header(source, ",") else "tsv"
    if format == "json":
        yield from _of_mapping(read_json(source), source.name)
    elif format in ("csv", "tsv", "jsonl", "parquet", "arrow"):
        yield from _of_rows(rows(source, format), source.name, format in HEADED)
    else:
        for number, line in text_lines(source):
            yield _Line(source.name, number, tuple(fields_of(line, separator)))


def _has_header(source: Source, separator: str) -> bool:
    """Whether the first line names topics and intents; `recognise` looks for documents."""
    first = source.start.split(b"\n", 1)[0].decode("utf-8", "replace")
    names = [name.strip().strip('"').lower() for name in first.split(separator)]
    return bool({*names} & {*SPELLINGS["topic"]}) and bool({*names} & {*SPELLINGS["intent"]})


PROBABILITY = ("probability", "p", "prob", "pr", "likelihood", "weight")


def _of_rows(
    table: Iterable[tuple[int | None, dict[str, Any]] | InputError],
    where: str,
    headed: bool = False,
) -> Iterator[_Line]:
    for row in table:
        if isinstance(row, InputError):
            raise row
        line, cells = row
        topic, intent = (spelt(SPELLINGS[name], cells) for name in ("topic", "intent"))
        said = [spelt(names, cells) for names in (PROBABILITY, SPELLINGS["type"])]
        if topic is None or intent is None or said == [None, None]:
            found = f"columns {', '.join(map(str, cells))}"
            expected = "the columns topic, intent, and probability or type"
            raise InputError(found, expected, where, line)
        if headed:
            headed = False
            continue
        facts = (cells[name] for name in said if name is not None)
        told = (fact for fact in facts if fact is not None and str(fact).strip())
        yield _Line(where, line, (cells[topic], cells[intent], *told))


def _of_mapping(data: Any, where: str) -> Iterator[_Line]:
    expected = "{topic: {intent: probability}}"
    if not isinstance(data, Mapping):
        raise InputError(type(data).__name__, expected, where)
    for topic, intents in data.items():
        if not isinstance(intents, Mapping):
            raise InputError(f"{type(intents).__name__} for topic {topic!r}", expected, where)
        for intent, said in intents.items():
            facts = said if isinstance(said, tuple | list) else [said]
            yield _Line(where, None, (topic, intent, *facts))


def _read(found: Iterable[_Line], where: str) -> Intents:
    probabilities: dict[str, dict[str, float]] = {}
    navigational: dict[str, dict[str, bool]] = {}
    last: dict[str, _Line] = {}
    first: dict[tuple[str, str], tuple[str, int | None]] = {}
    for line in found:
        names = [identifier(cell) for cell in line.cells[:2]]
        if len(line.cells) not in (3, 4) or None in names:
            said = " ".join(map(str, line.cells))
            fields = f"{counted(len(line.cells), 'field')} ({said!r})"
            raise InputError(fields, EXPECTED, line.where, line.number)
        topic, intent = map(str, names)
        first.setdefault((topic, intent), (line.where, line.number))
        for fact in line.cells[2:]:
            kind = TYPES.get(str(fact).strip().lower())
            told: Any = navigational if kind is not None else probabilities
            value = _probability(fact, line) if kind is None else kind
            known = told.setdefault(topic, {})
            if intent in known:
                what = f"{'type' if kind is not None else 'probability'} of intent {intent}"
                found_again = f"the {what} of topic {topic} again"
                raise InputError(found_again, "each intent once", line.where, line.number)
            known[intent] = value
            if kind is None:
                last[topic] = line
    for topic, known in probabilities.items():
        total = math.fsum(known.values())
        if abs(total - 1.0) > WHOLE:
            said = f"probabilities that sum to {total:.10g} in topic {topic}"
            raise InputError(said, "a sum of 1", last[topic].where, last[topic].number)
    return Intents(probabilities, navigational, where, first)


def _probability(cell: Any, line: _Line) -> float:
    number = finite(cell)
    if number is None or not 0 <= number <= 1:
        topic, intent = line.cells[:2]
        found = f"{str(cell)!r} for intent {intent} of topic {topic}"
        expected = "a probability from 0 to 1, or informational or navigational"
        raise InputError(found, expected, line.where, line.number)
    return number
