"""Verticals: types of results that users of an intent want: images, news, ….

Text has ``topic intent vertical value`` on each line. Tables name such columns. The value is the
probability Pr(v|i) that a user of the intent wants the vertical, or its relevance level (2, 1, 0),
which becomes a probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cranfield.arrays import LARGEST, Floats, Ints
from cranfield.data.intents import Intents
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.cells import Layout, get_location, read_lines
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table, list_unknown_types
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count, format_names

if TYPE_CHECKING:
    from cranfield.data.run import Run

VerticalsLike: TypeAlias = Any  # a path, {topic: {intent: {vertical: value}}}, a frame, tuples

WEB = "Web"  # vertical of ordinary documents
EMBEDDED = 2.0  # level of a vertical among documents: highly relevant
TEXT = ("topic", "intent", "vertical", "value")
LAYOUT = Layout(
    (TEXT,),
    TEXT,
    {
        "topic": SPELLINGS["topic"],
        "intent": SPELLINGS["intent"],
        "vertical": ("vertical", "vertical_id", *SPELLINGS["type"]),
        "value": ("value", "probability", "prob", "pr", "p", "weight", *SPELLINGS["level"]),
    },
    table="verticals",
)


@dataclass(frozen=True, eq=False)
class Verticals:
    """Probability of each vertical for each intent.

    >>> read_verticals({"q1": {"photos": {"Image": 2, "Web": 1, "News": 1}}})
    Verticals: 3 verticals (Image, Web, News) for 1 intent
    """

    p: Mapping[str, Mapping[str, Mapping[str, float]]]  # Pr(v|i): {topic: {intent: {vertical: p}}}
    lines: Mapping[tuple[str, str], int | None]  # first line of each topic and intent
    where: str = "verticals"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All verticals, in input order."""
        all_names = (name for intents in self.p.values() for verticals in intents.values() for name in verticals)
        return tuple(dict.fromkeys(all_names))

    def __repr__(self) -> str:
        intents = format_count(sum(map(len, self.p.values())), "intent")
        return f"Verticals: {format_names(self.names, 'vertical')} for {intents}"

    def get_probabilities(self, topic: str, intents: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        """Return Pr(v|i) of the intents of a topic, which must be the judged intents."""
        probabilities, intent_names = self.p.get(topic, {}), list(intents)
        for intent in probabilities:
            if intent not in intent_names:
                problem, line = f"intent {intent} of topic {topic}", self.lines[topic, intent]
                raise InputError(problem, f"one of {', '.join(intent_names)}", self.where, line)
        for intent in intent_names:
            if intent not in probabilities:
                problem = f"no vertical for intent {intent} of topic {topic}"
                raise InputError.from_problem(problem, where=self.where)
        return probabilities

    # -- noted of every result of a run -----------------------------------------------------------

    @property
    def values(self) -> Mapping[str, Floats]:
        """Indexes of the verticals, under the name used in rankings."""
        return {"vertical": np.arange(len(self.names), dtype=np.float64)}

    @cached_property
    def _table(self) -> Table:
        return Table.from_columns(Strings.from_list(list(self.names)), np.zeros(len(self.names)))

    def rows(self, lines: Table) -> Ints:
        """Return the index of the vertical of each line of a run, -1 if it is unknown."""
        if lines.types is None:
            expected = "a vertical for each result (column 2 of TREC text, or a column type)"
            raise InputError("a run without verticals", expected)
        zeros = np.zeros(len(lines), dtype=np.int64)
        return self._table.find(lines.types, lines.types.compute_hashes(), zeros)

    def find_unknown(self, run: Run) -> list[str]:
        """Return the verticals of a run that are unknown."""
        return list_unknown_types(self, run.iterate_tables())


def read_verticals(data: VerticalsLike, separator: str | None = None) -> Verticals:
    """Read verticals of intents from a path, a mapping, a frame or tuples.

    The values of an intent are divided by their sum: probabilities stay the same, and levels
    become probabilities. A missing vertical has probability 0.

    >>> read_verticals({"q1": {"photos": {"Image": 2, "Web": 1, "News": 1}}}).p["q1"]["photos"]
    {'Image': 0.5, 'Web': 0.25, 'News': 0.25}
    """
    if isinstance(data, Verticals):
        return data
    by_topic: dict[str, dict[str, dict[str, float]]] = {}
    firsts: dict[tuple[str, str], Line] = {}
    for line in read_lines(data, LAYOUT, "verticals", separator):
        topic, intent, vertical = map(line.get_name, TEXT[:3])
        text = f"{line.cells['value']!r} for {_format_vertical(vertical, intent, topic)}"
        value = line.get_number("value", "a probability or a level ≥ 0", 0, text)
        if value > LARGEST:
            raise line.make_error(text, f"a probability or a level ≤ {LARGEST:g}")
        values = by_topic.setdefault(topic, {}).setdefault(intent, {})
        if vertical in values:
            raise line.make_duplicate_error(_format_vertical(vertical, intent, topic))
        values[vertical] = value
        firsts.setdefault((topic, intent), line)
    for (topic, intent), line in firsts.items():
        values, total = by_topic[topic][intent], math.fsum(by_topic[topic][intent].values())
        if total == 0:
            problem = f"0 for every vertical of intent {intent} of topic {topic}"
            raise line.make_error(problem, "a value > 0")
        by_topic[topic][intent] = {name: value / total for name, value in values.items()}
    numbers = {key: line.number for key, line in firsts.items()}
    return Verticals(by_topic, numbers, get_location(data, "verticals"))


def _format_vertical(vertical: str, intent: str, topic: str) -> str:
    return f"vertical {vertical} of intent {intent} of topic {topic}"


# -- verticals as items of a list -----------------------------------------------------------------


def embed_verticals(qrels: Qrels, verticals: Verticals, intents: Intents | None = None) -> Qrels:
    """Return judgments for intents with verticals as items.

    For each intent i, the level of a document is multiplied by Pr(Web|i). Each other vertical v is
    an item with the id v and the level 2·Pr(v|i).

    >>> qrels = read_qrels({"q1": {"photos": {"d1": 2}}}, by_intent=True)
    >>> verticals = read_verticals({"q1": {"photos": {"Web": 1, "Image": 3}}})
    >>> embed_verticals(qrels, verticals).to_dict()
    {'q1': {'d1': 0.5, 'Image': 1.5}}
    """
    if WEB not in verticals.names:
        expected = f"also {WEB} (the vertical of documents)"
        raise InputError(format_names(verticals.names, "vertical"), expected, verticals.where)
    judgments: dict[str, dict[str, dict[str, float]]] = {}
    for topic, judged in _group_by_intent(qrels).items():
        probable = intents.probabilities.get(topic) if intents else None
        probabilities = verticals.get_probabilities(topic, judged if probable is None else probable)
        for intent, p in probabilities.items():
            docs = {doc: p.get(WEB, 0.0) * x for doc, x in judged.get(intent, {}).items()}
            for name in p:
                if name in docs:
                    problem = f"judgment of {_format_vertical(name, intent, topic)}"
                    fix = "Remove it: verticals count as highly relevant."
                    raise InputError.from_problem(problem, fix, qrels.where)
            docs |= {name: EMBEDDED * x for name, x in p.items() if name != WEB}
            judgments.setdefault(topic, {})[intent] = docs
    return replace(read_qrels(judgments, by_intent=True), where=qrels.where, repeated=qrels.repeated)


def _group_by_intent(qrels: Qrels) -> dict[str, dict[str, dict[str, float]]]:
    """Return ``{topic: {intent: {doc: level}}}``."""
    judged = qrels.by_intent
    if judged is None:
        raise InputError("judgments without intents", "topic intent doc level", qrels.where)
    topics = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
    by_topic: dict[str, dict[str, dict[str, float]]] = {
        topic: {name: {} for name in names} for topic, names in zip(qrels.topics, judged.names, strict=True)
    }
    columns = (judged.rows.tolist(), judged.intents.tolist(), judged.levels.tolist())
    for row, intent, level in zip(*columns, strict=True):
        t = topics[row]
        by_topic[qrels.topics[t]][judged.names[t][intent]][qrels.doc_names[row]] = level
    return by_topic
