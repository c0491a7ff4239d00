"""Intents of topics: their judgments, probabilities and types.

Judgments for intents are ``topic intent doc level``. Separate files describe the intents: ``topic
intent probability``, ``topic intent informational|navigational``, or both on one line.
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
from cranfield.data.reading.cells import Layout, get_location, read_lines
from cranfield.data.reading.columns import SPELLINGS, sort_intents
from cranfield.data.reading.lines import Line, parse_finite
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table, hash_in_groups
from cranfield.data.reading.tables import is_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count

IntentsLike: TypeAlias = Any  # a path, {topic: {intent: probability}}, a frame, or several of them
TOLERANCE = 1e-6  # of the sum of probabilities
TYPES = {"informational": False, "inf": False, "navigational": True, "nav": True}
PROBABILITY = ("probability", "p", "prob", "pr", "likelihood", "weight")
LIKELY = ("topic", "intent", "probability")
LAYOUT = Layout(  # a type may replace the probability
    (LIKELY, ("topic", "intent", "type"), (*LIKELY, "type")),
    LIKELY,
    {
        "topic": SPELLINGS["topic"],
        "intent": SPELLINGS["intent"],
        "probability": (*PROBABILITY, *SPELLINGS["type"]),
        "type": SPELLINGS["type"],
    },
    table="intents",
)


@dataclass(frozen=True, eq=False)
class ByIntent:
    """Judgments of documents for the intents of topics, as parallel arrays."""

    names: tuple[tuple[str, ...], ...]  # the intents of each topic
    rows: Ints  # row of the judged document in the qrels, per judgment
    intents: Ints  # index of the intent in the topic, per judgment
    levels: Floats  # per judgment


class Documents(NamedTuple):
    """Judgments for intents, merged per document: the highest level of each."""

    offsets: Ints
    levels: Floats
    first: Ints  # index of the first judgment of each document
    by_intent: ByIntent


def merge_intents(table: Table) -> Documents:
    """Merge the judgments of a table sorted by topic, whose `types` are the intents."""
    assert table.types is not None  # noqa: S101
    doc = _number_texts(table.docs, table.hashes, table.group)
    intent = _number_texts(table.types, table.types.compute_hashes(), table.group)
    names = table.types[_find_firsts(intent)].tolist()
    intent_names = [names[a:b] for a, b in _split_groups(table.group[_find_firsts(intent)], len(table.names))]
    return _build_documents(table.group, doc, intent, table.values, intent_names)


def merge_mapping_intents(judged: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Documents:
    """Merge the judgments of ``{topic: {intent: {doc: level}}}``."""
    numbers: list[tuple[int, int, int]] = []  # (topic, document, intent)
    levels: list[Any] = []
    docs: dict[tuple[int, str], int] = {}
    numbered = ((t, judgments) for t, intents in enumerate(judged.values()) for judgments in intents.values())
    for intent, (topic, judgments) in enumerate(numbered):
        doc_numbers = (docs.setdefault((topic, name), len(docs)) for name in judgments)
        numbers += ((topic, doc, intent) for doc in doc_numbers)
        levels += judgments.values()
    t, d, i = np.array(numbers, dtype=np.int64).reshape(-1, 3).T
    names = [list(intents) for intents in judged.values()]
    return _build_documents(t, d, i, np.array(levels, dtype=np.float64), names)


def _build_documents(topic: Ints, doc: Ints, intent: Ints, level: Floats, names: Sequence[Sequence[str]]) -> Documents:
    """Merge judgments whose documents and intents are numbered topic by topic."""
    if (np.diff(np.sort(doc * (intent.max(initial=0) + 1) + intent)) == 0).any():
        raise Irregular
    first = _find_firsts(doc)
    highest = np.full(len(first), -np.inf)
    np.maximum.at(highest, doc, level)
    offsets = np.searchsorted(topic[first], np.arange(len(names) + 1))
    ordered = [sort_intents(topic_names) for topic_names in names]
    place = [topic_names.index(name) for original, topic_names in zip(names, ordered, strict=True) for name in original]
    by_intent = ByIntent(tuple(map(tuple, ordered)), doc, np.array(place, dtype=np.int64)[intent], level)
    return Documents(offsets, highest, first, by_intent)


def _number_texts(texts: Strings, hashes: Any, group: Ints) -> Ints:
    """Number the texts within each group in order of first appearance."""
    _, first, inverse = np.unique(hash_in_groups(hashes, group), return_index=True, return_inverse=True)
    inverse = inverse.ravel()  # NumPy 2.0 returns another shape
    matches = texts.compare(texts[first[inverse]]) & (group == group[first[inverse]])
    if not matches.all():  # two texts with one hash
        raise Irregular
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return np.asarray(order[inverse])


def _find_firsts(numbers: Ints) -> Ints:
    """Return the first position of each number 0, 1, …, which appear in order."""
    new = np.ones(len(numbers), dtype=bool)
    new[1:] = numbers[1:] > np.maximum.accumulate(numbers)[:-1]
    return np.flatnonzero(new)


def _split_groups(group: Ints, groups: int) -> list[tuple[int, int]]:
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
    navigational: Mapping[str, Mapping[str, bool]]  # {topic: {intent: True if navigational}}
    where: str = "intents"
    first_lines: Mapping[tuple[str, str], tuple[str, int | None]] = field(default_factory=dict)
    # file and line of the first mention of each topic and intent

    def __repr__(self) -> str:
        mappings = (self.probabilities, self.navigational)
        intents = {(topic, name) for mapping in mappings for topic in mapping for name in mapping[topic]}
        topics = format_count(len({topic for topic, _ in intents}), "topic")
        return f"Intents: {format_count(len(intents), 'intent')} of {topics}"


def read_intents(data: IntentsLike, separator: str | None = None) -> Intents:
    """Read probabilities and types of intents from a path, mapping, frame or tuples.

    A list of paths is read as one: for example a file with probabilities and one with types.
    """
    if isinstance(data, Intents):
        return data
    is_collection = isinstance(data, list | tuple) and data and all(map(_is_source, data))
    parts = list(data) if is_collection else [data]
    lines = [line for part in parts for line in read_lines(part, LAYOUT, "intents", separator)]
    locations = dict.fromkeys(get_location(part, "intents") for part in parts)
    return _parse_lines(lines, ", ".join(locations))


def _is_source(part: Any) -> bool:
    return isinstance(part, str | os.PathLike | Mapping) or is_frame(part)


def _parse_lines(lines: Iterable[Line], location: str) -> Intents:
    probabilities: dict[str, dict[str, float]] = {}
    navigational: dict[str, dict[str, bool]] = {}
    last: dict[str, Line] = {}
    first: dict[tuple[str, str], tuple[str, int | None]] = {}
    for line in lines:
        topic, intent = map(line.get_name, ("topic", "intent"))
        first.setdefault((topic, intent), (line.location, line.number))
        for fact in _read_facts(line):
            kind = TYPES.get(str(fact).strip().lower())
            target: Any = navigational if kind is not None else probabilities
            value = _parse_probability(fact, line) if kind is None else kind
            values = target.setdefault(topic, {})
            if intent in values:
                description = f"{'type' if kind is not None else 'probability'} of intent {intent}"
                raise line.make_duplicate_error(f"{description} in topic {topic}")
            values[intent] = value
            if kind is None:
                last[topic] = line
    for topic, values in probabilities.items():
        total = math.fsum(values.values())
        if abs(total - 1.0) > TOLERANCE:
            text = f"probabilities with sum {total:.10g} in topic {topic}"
            is_close = abs(total - 1.0) < 0.05
            hint = "if they are rounded, write more digits or divide them by their sum" if is_close else ""
            raise InputError(text, "1", last[topic].location, last[topic].number, hint)
    return Intents(probabilities, navigational, location, first)


def _read_facts(line: Line) -> list[Any]:
    """Return the probability and the type on a line, without empty cells."""
    text = [line.cells.get(name) for name in ("probability", "type")]
    return [fact for fact in text if fact is not None and str(fact).strip()] or text[:1]


def _parse_probability(cell: Any, line: Line) -> float:
    number = parse_finite(cell)
    if number is None or not 0 <= number <= 1:
        problem = f"{str(cell)!r} for intent {line.get_name('intent')} of topic {line.get_name('topic')}"
        raise line.make_error(problem, "a probability in [0, 1], or informational or navigational")
    return number
