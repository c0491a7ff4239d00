"""Intents: what the users of a topic may want, how probable each is, and of which type.

Judgments for intents are ``topic intent doc level``. What is known of the intents themselves is in
files of their own: ``topic intent probability``, ``topic intent informational|navigational``, or
both on one line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.reading.cells import Layout, read_lines, where_of
from cranfield.data.reading.columns import SPELLINGS, in_order
from cranfield.data.reading.lines import Line, finite
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table, in_group
from cranfield.data.reading.tables import is_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import counted

IntentsLike: TypeAlias = Any  # a path, {topic: {intent: probability}}, a frame, or several of them
WHOLE = 1e-6  # how far from 1 probabilities may sum up to
TYPES = {"informational": False, "inf": False, "navigational": True, "nav": True}
PROBABILITY = ("probability", "p", "prob", "pr", "likelihood", "weight")
LIKELY = ("topic", "intent", "probability")
LAYOUT = Layout(  # a type says that it is one, and may stand in the place of a probability
    (LIKELY, ("topic", "intent", "type"), (*LIKELY, "type")),
    LIKELY,
    {
        "topic": SPELLINGS["topic"],
        "intent": SPELLINGS["intent"],
        "probability": (*PROBABILITY, *SPELLINGS["type"]),
        "type": SPELLINGS["type"],
    },
)


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
    numbers: list[tuple[int, int, int]] = []  # of the topic, the document and the intent
    levels: list[Any] = []
    docs: dict[tuple[int, str], int] = {}
    every = ((t, few) for t, intents in enumerate(judged.values()) for few in intents.values())
    for intent, (topic, few) in enumerate(every):
        known = (docs.setdefault((topic, name), len(docs)) for name in few)
        numbers += ((topic, doc, intent) for doc in known)
        levels += few.values()
    t, d, i = np.array(numbers, dtype=np.int64).reshape(-1, 3).T
    names = [list(intents) for intents in judged.values()]
    return _documents(t, d, i, np.array(levels, dtype=np.float64), names)


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


def _numbered(texts: Strings, hashes: Any, group: Ints) -> Ints:
    """A number for each text within its group, in the order in which they come."""
    _, first, which = np.unique(in_group(hashes, group), return_index=True, return_inverse=True)
    which = which.ravel()  # NumPy 2.0 gave it another shape
    same = texts.same(texts[first[which]]) & (group == group[first[which]])
    if not same.all():  # two texts with one hash
        raise Irregular
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return np.asarray(order[which])


def _firsts(numbers: Ints) -> Ints:
    """Where each of the numbers 0, 1, … is first, if they come in that order."""
    new = np.ones(len(numbers), dtype=bool)
    new[1:] = numbers[1:] > np.maximum.accumulate(numbers)[:-1]
    return np.flatnonzero(new)


def _slices(group: Ints, groups: int) -> list[tuple[int, int]]:
    bounds = np.searchsorted(group, np.arange(groups + 1)).tolist()
    return list(pairwise(bounds))


# -- what is known of intents ---------------------------------------------------------------------


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


def read_intents(data: IntentsLike, separator: str | None = None) -> Intents:
    """What is known of intents, from a path, a mapping, a Polars or pandas frame or tuples.

    A list of paths is taken together: one may have the probabilities and one the types.
    """
    if isinstance(data, Intents):
        return data
    several = isinstance(data, list | tuple) and data and all(map(_is_whole, data))
    parts = list(data) if several else [data]
    found = [line for part in parts for line in read_lines(part, LAYOUT, "intents", separator)]
    wheres = dict.fromkeys(where_of(part, "intents") for part in parts)
    return _read(found, ", ".join(wheres))


def _is_whole(part: Any) -> bool:
    return isinstance(part, str | os.PathLike | Mapping) or is_frame(part)


def _read(found: Iterable[Line], where: str) -> Intents:
    probabilities: dict[str, dict[str, float]] = {}
    navigational: dict[str, dict[str, bool]] = {}
    last: dict[str, Line] = {}
    first: dict[tuple[str, str], tuple[str, int | None]] = {}
    for line in found:
        topic, intent = map(line.name, ("topic", "intent"))
        first.setdefault((topic, intent), (line.where, line.number))
        for fact in _facts(line):
            kind = TYPES.get(str(fact).strip().lower())
            told: Any = navigational if kind is not None else probabilities
            value = _probability(fact, line) if kind is None else kind
            known = told.setdefault(topic, {})
            if intent in known:
                what = f"{'type' if kind is not None else 'probability'} of intent {intent}"
                raise line.error(f"the {what} of topic {topic} again", "each intent once")
            known[intent] = value
            if kind is None:
                last[topic] = line
    for topic, known in probabilities.items():
        total = math.fsum(known.values())
        if abs(total - 1.0) > WHOLE:
            text = f"probabilities that sum to {total:.10g} in topic {topic}"
            near = abs(total - 1.0) < 0.05
            hint = "rounded too much? more digits, or divide each by their sum" if near else ""
            raise InputError(text, "a sum of 1", last[topic].where, last[topic].number, hint)
    return Intents(probabilities, navigational, where, first)


def _facts(line: Line) -> list[Any]:
    """What is said of an intent, in one cell or two, of which one may be empty."""
    text = [line.cells.get(name) for name in ("probability", "type")]
    return [fact for fact in text if fact is not None and str(fact).strip()] or text[:1]


def _probability(cell: Any, line: Line) -> float:
    number = finite(cell)
    if number is None or not 0 <= number <= 1:
        found = f"{str(cell)!r} for intent {line.name('intent')} of topic {line.name('topic')}"
        raise line.error(found, "a probability from 0 to 1, or informational or navigational")
    return number
