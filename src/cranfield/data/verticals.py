"""Verticals: the kinds of results, such as images or news, that the users of an intent want.

Text has ``topic intent vertical value`` on each line; tables name such columns. The value is the
probability Pr(v|i) that a user of the intent wants the vertical, or how relevant assessors found
it (2, 1, 0), which becomes a probability.
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
from cranfield.data.reading.cells import Layout, read_lines, where_of
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table, types_without
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import counted, some

if TYPE_CHECKING:
    from cranfield.data.run import Run

VerticalsLike: TypeAlias = Any  # a path, {topic: {intent: {vertical: value}}}, a frame, tuples

WEB = "Web"  # the vertical of ordinary documents
EMBEDDED = 2.0  # the level of a vertical in a list of documents: highly relevant
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
)


@dataclass(frozen=True, eq=False)
class Verticals:
    """How much the users of each intent want each vertical.

    >>> read_verticals({"q1": {"photos": {"Image": 2, "Web": 1, "News": 1}}})
    Verticals: 3 verticals (Image, Web, News) for 1 intent
    """

    p: Mapping[str, Mapping[str, Mapping[str, float]]]  # Pr(v|i): {topic: {intent: {vertical: p}}}
    lines: Mapping[tuple[str, str], int | None]  # the first of each topic and intent
    where: str = "verticals"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All verticals, in the order in which they come."""
        every = (name for intents in self.p.values() for few in intents.values() for name in few)
        return tuple(dict.fromkeys(every))

    def __repr__(self) -> str:
        intents = counted(sum(map(len, self.p.values())), "intent")
        return f"Verticals: {some(self.names, 'vertical')} for {intents}"

    def of_topic(self, topic: str, intents: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        """Pr(v|i) of the intents of a topic, which must be those of the judgments."""
        known, wanted = self.p.get(topic, {}), list(intents)
        for intent in known:
            if intent not in wanted:
                found, line = f"intent {intent} of topic {topic}", self.lines[topic, intent]
                raise InputError(found, f"one of {', '.join(wanted)}", self.where, line)
        for intent in wanted:
            if intent not in known:
                found = f"no vertical for intent {intent} of topic {topic}"
                raise InputError(found, "at least one for every intent", self.where)
        return known

    # -- noted of every result of a run -----------------------------------------------------------

    @property
    def values(self) -> Mapping[str, Floats]:
        """The numbers of the verticals, under the name by which rankings carry them."""
        return {"vertical": np.arange(len(self.names), dtype=np.float64)}

    @cached_property
    def _table(self) -> Table:
        return Table.of(Strings.of(list(self.names)), np.zeros(len(self.names)))

    def rows(self, lines: Table) -> Ints:
        """The number of the vertical of each line of a run, -1 where it is not known."""
        if lines.types is None:
            expected = "one for each result: the second column of TREC text, or a column type"
            raise InputError("a run without verticals", expected)
        zeros = np.zeros(len(lines), dtype=np.int64)
        return self._table.find(lines.types, lines.types.hashes(), zeros)

    def unknown(self, run: Run) -> list[str]:
        """The verticals of a run that are not among these."""
        return types_without(self, run.tables())


def read_verticals(data: VerticalsLike, separator: str | None = None) -> Verticals:
    """Verticals of intents from a path, a mapping, a Polars or pandas frame, or tuples.

    The values of an intent are divided by their sum: probabilities stay what they are, and levels
    become probabilities. A vertical that is not named has probability 0.

    >>> read_verticals({"q1": {"photos": {"Image": 2, "Web": 1, "News": 1}}}).p["q1"]["photos"]
    {'Image': 0.5, 'Web': 0.25, 'News': 0.25}
    """
    if isinstance(data, Verticals):
        return data
    made: dict[str, dict[str, dict[str, float]]] = {}
    firsts: dict[tuple[str, str], Line] = {}
    for line in read_lines(data, LAYOUT, "verticals", separator):
        topic, intent, vertical = map(line.name, TEXT[:3])
        text = f"{line.cells['value']!r} for {_called(vertical, intent, topic)}"
        value = line.value("value", "a probability or a level, from 0", 0, text)
        if value > LARGEST:
            raise line.error(text, f"a probability or a level, at most {LARGEST:g}")
        known = made.setdefault(topic, {}).setdefault(intent, {})
        if vertical in known:
            raise line.error(f"{_called(vertical, intent, topic)} again", "each once")
        known[vertical] = value
        firsts.setdefault((topic, intent), line)
    for (topic, intent), line in firsts.items():
        known, total = made[topic][intent], math.fsum(made[topic][intent].values())
        if total == 0:
            found = f"0 for every vertical of intent {intent} of topic {topic}"
            raise line.error(found, "one above 0")
        made[topic][intent] = {name: value / total for name, value in known.items()}
    numbers = {key: line.number for key, line in firsts.items()}
    return Verticals(made, numbers, where_of(data, "verticals"))


def _called(vertical: str, intent: str, topic: str) -> str:
    return f"vertical {vertical} of intent {intent} of topic {topic}"


# -- verticals as items of a list -----------------------------------------------------------------


def embedded(qrels: Qrels, verticals: Verticals, intents: Intents | None = None) -> Qrels:
    """Judgments for intents in which verticals count, also those that are items themselves.

    For each intent i, the level of a document becomes Pr(Web|i) times as much; every other
    vertical v is an item with the id v, and has the level 2·Pr(v|i).

    >>> qrels = read_qrels({"q1": {"photos": {"d1": 2}}}, by_intent=True)
    >>> made = embedded(qrels, read_verticals({"q1": {"photos": {"Web": 1, "Image": 3}}}))
    >>> made.to_dict()
    {'q1': {'d1': 0.5, 'Image': 1.5}}
    """
    if WEB not in verticals.names:
        expected = f"{WEB} among them, the vertical of documents"
        raise InputError(some(verticals.names, "vertical"), expected, verticals.where)
    made: dict[str, dict[str, dict[str, float]]] = {}
    for topic, judged in _by_intent(qrels).items():
        probable = intents.probabilities.get(topic) if intents else None
        known = verticals.of_topic(topic, judged if probable is None else probable)
        for intent, p in known.items():
            docs = {doc: p.get(WEB, 0.0) * x for doc, x in judged.get(intent, {}).items()}
            for name in p:
                if name in docs:
                    found = f"a judgment of {_called(name, intent, topic)}"
                    raise InputError(found, "none: verticals are highly relevant", qrels.where)
            docs |= {name: EMBEDDED * x for name, x in p.items() if name != WEB}
            made.setdefault(topic, {})[intent] = docs
    return replace(read_qrels(made, by_intent=True), where=qrels.where, repeated=qrels.repeated)


def _by_intent(qrels: Qrels) -> dict[str, dict[str, dict[str, float]]]:
    """``{topic: {intent: {doc: level}}}``."""
    judged = qrels.by_intent
    if judged is None:
        raise InputError("judgments without intents", "topic intent doc level", qrels.where)
    topics = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
    made: dict[str, dict[str, dict[str, float]]] = {
        topic: {name: {} for name in names}
        for topic, names in zip(qrels.topics, judged.names, strict=True)
    }
    columns = (judged.rows.tolist(), judged.intents.tolist(), judged.levels.tolist())
    for row, intent, level in zip(*columns, strict=True):
        t = topics[row]
        made[qrels.topics[t]][judged.names[t][intent]][qrels.doc_names[row]] = level
    return made
