"""What some measures ask of documents beside their levels: lengths, costs, verticals, ids.

Each is noted by labelling for every document that a run returns (`noted`), may be lacking where a
measure looks (`refuse_unknown`), and is worth a word to the user (`notices`, `notices_of`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.costs import DocCosts, read_costs
from cranfield.data.lengths import DocLengths, read_lengths
from cranfield.data.reading.strings import spans
from cranfield.data.reading.table import Noted, Table
from cranfield.data.run import Run
from cranfield.data.verticals import Verticals, read_verticals
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.options import Options
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.scores import Facts, Notice
from cranfield.wording import some


class Extra:
    """What is known of documents, for the measures that ask for it."""

    noted: Noted  # by labelling, of every document
    needs_types: bool = False  # whether it is the type of a result that tells
    tells_apart: bool = False  # whether it matters which of two documents of one level comes first

    def refuse_unknown(
        self, run: Run, rankings: Rankings, topics: Sequence[str], only: str | None
    ) -> None:
        """Refuse a run in which it is not known where a measure looks: in all topics, or in one."""

    def notices(self) -> Iterator[Notice]:
        """What the user should know, whatever the run."""
        yield from ()

    def notices_of(self, run: Run, rankings: Rankings) -> Iterator[Notice]:
        """What the user should know of a run."""
        yield from ()


@dataclass(frozen=True)
class Lengths(Extra):
    """The lengths of documents, in the units that measures ask for."""

    noted: DocLengths
    measures: tuple[Measure, ...]
    options: Options
    tells_apart = True

    @classmethod
    def wanted_by(cls, measures: Sequence[Measure], options: Options) -> Lengths | None:
        needy = tuple(m for m in measures if m.length_unit)
        if not needy:
            return None
        if options.lengths is None:
            expected = f"them in {needy[0].length_unit} (lengths=, or --lengths FILE)"
            raise InputError("no document lengths", expected, needy[0])
        units = sorted({m.length_unit for m in needy})
        return cls(read_lengths(options.lengths).in_units(units), needy, options)

    def refuse_unknown(
        self, run: Run, rankings: Rankings, topics: Sequence[str], only: str | None
    ) -> None:
        for unit in self.noted.values:
            asking = [m for m in self.measures if m.length_unit == unit]
            lacking = np.isnan(rankings.noted[unit]) & self._looked_at(rankings, asking)
            for topic, rank in _places(rankings, lacking, topics, only):
                found = f"no length of the document at rank {rank} of topic {topic} in {run.name}"
                expected = f"one for every document that {', '.join(map(str, asking))} looks at"
                raise InputError(found, expected, self.noted.where)

    def _looked_at(self, rankings: Rankings, asking: Sequence[Measure]) -> Bools:
        """Which documents, of all lists side by side, a measure asks the length of."""
        rels = [getattr(m, "rel", None) for m in asking]
        levels, starts = rankings.levels, rankings.starts
        relevant = (levels > 0) | (levels >= min(np.inf if x is None else x for x in rels))
        relevant &= rankings.first <= (self.options.depth or np.inf)
        topics = rankings.hit_topics[relevant]
        needed = np.zeros(int(rankings.lengths.sum()), dtype=bool)
        needed[starts[topics] + rankings.ranks[relevant] - 1] = True
        if any(m.every_length for m in asking):  # down to the last relevant document
            reach = rankings.last if self.options.ties == "expected" else rankings.ranks
            deepest = np.zeros(len(starts), dtype=np.int64)
            np.maximum.at(deepest, topics, reach[relevant])
            needed |= _ranks(rankings) <= np.repeat(deepest, rankings.lengths)
        return needed


@dataclass(frozen=True)
class Costs(Extra):
    """What documents cost the users of models."""

    noted: DocCosts
    models: tuple[Any, ...]
    options: Options

    @classmethod
    def wanted_by(cls, measures: Sequence[Measure], options: Options) -> Costs | None:
        if options.costs is None:
            return None
        costs = read_costs(options.costs, options.cost_unit)
        models = tuple(m for m in measures if m.is_model)
        return cls(costs, models, options) if models else None

    @property
    def needs_types(self) -> bool:  # type: ignore[override]
        return self.noted.by_type

    def refuse_unknown(
        self, run: Run, rankings: Rankings, topics: Sequence[str], only: str | None
    ) -> None:
        lacking = np.isnan(rankings.noted["cost"]) & self._looked_at(rankings)
        for topic, rank in _places(rankings, lacking, topics, only):
            raise InputError(*self._unknown(run, topic, rank), self.noted.where)

    def _looked_at(self, rankings: Rankings) -> Bools:
        """Which documents, of all lists side by side, a model asks the cost of."""
        widths = [m.width for m in self.models if not m.condensed]
        depth = min(self.options.depth or np.inf, max(widths, default=0))
        seen: Bools = _ranks(rankings) <= (np.inf if self.options.ties == "expected" else depth)
        if any(m.condensed for m in self.models):  # judged documents alone, however deep they are
            seen[rankings.starts[rankings.hit_topics] + rankings.ranks - 1] = True
        return seen

    def _unknown(self, run: Run, topic: str, rank: int) -> tuple[str, str]:
        """What has no cost, and what should have one."""
        if self.noted.by_type:
            types = some(self.noted.unknown_types(run), "type")
            return f"no cost of {types} in {run.name}", "one for every type"
        docs = [d for d in run.ranked(topic) if not (self.options.exclude_self and d == topic)]
        unknown = self.noted.unknown_documents(topic, docs)
        there = docs[rank - 1]  # unless ties were broken otherwise
        doc = there if there in unknown else unknown[-1]
        found = f"no cost of document {doc} of topic {topic} in {run.name}"
        return found, "one for every document that a user model looks at"

    def notices(self) -> Iterator[Notice]:
        """What costs are, and what they are taken to be where there is no document."""
        columns = {name: name for m in self.models for name in m.names()}
        if unit := self.noted.unit:
            text = f"costs are in {unit}, and so is ETC; EC is in {unit} per item"
            yield Notice.from_facts("costs", Facts(text, measures=columns))
        beyond: dict[str, dict[str, str]] = {}
        for m in self.models:
            beyond.setdefault(f"{m.max_cost:g}", {}).update(dict.fromkeys(m.names(), str(m)))
        parts = tuple(Facts(cost, measures=beyond[cost]) for cost in sorted(beyond))
        text = "ranks beyond the end of a list cost {parts} (max_cost)"
        yield Notice.from_facts("costs", Facts(text, parts=parts, separator=" or "))


@dataclass(frozen=True)
class WantedVerticals(Extra):
    """The kinds of results that users of intents want."""

    noted: Verticals
    asked: bool  # whether a measure asks for them
    needs_types = True

    @classmethod
    def wanted_by(cls, measures: Sequence[Measure], options: Options) -> WantedVerticals | None:
        """Also where they are not noted but embedded in the judgments; see `Collection`."""
        pairs = [m for m in measures if m.needs_verticals]
        if options.verticals is None:
            if pairs or options.embed_verticals:
                who = pairs[0] if pairs else "embed_verticals"
                raise InputError("no verticals", "some (verticals=, or --verticals FILE)", who)
            return None
        return cls(read_verticals(options.verticals, options.separator), bool(pairs))

    def notices_of(self, run: Run, rankings: Rankings) -> Iterator[Notice]:
        """Verticals of a run that no intent asks for."""
        if np.isnan(rankings.noted["vertical"]).any():
            unknown = some(self.noted.unknown(run), "vertical")
            text = f"{run.name}: {unknown} not in {self.noted.where}, worth 0"
            yield Notice("verticals", text, run.name)


_NUMBERING = Lock()  # several threads label parts of a run


class Numbered:
    """A number for each document that runs return."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}

    @property
    def values(self) -> Mapping[str, Floats]:
        """The numbers themselves, as labelling notes them."""
        return {"document": np.arange(len(self.names), dtype=np.float64)}

    def rows(self, lines: Table) -> Ints:
        """The number of the document of each line."""
        docs = lines.docs.tolist()
        with _NUMBERING:
            self.names += [doc for doc in dict.fromkeys(docs) if doc not in self.numbers]
            for number in range(len(self.numbers), len(self.names)):
                self.numbers[self.names[number]] = number
        return np.array([self.numbers[doc] for doc in docs], dtype=np.int64)


@dataclass(frozen=True)
class Documents(Extra):
    """The ids of documents, for measures that ask for them."""

    noted: Numbered
    tells_apart = True

    @classmethod
    def wanted_by(cls, measures: Sequence[Measure]) -> Documents | None:
        return cls(Numbered()) if any(m.needs_documents for m in measures) else None


def _ranks(rankings: Rankings) -> Ints:
    """The rank of each document of all lists side by side."""
    return spans(np.ones_like(rankings.starts), rankings.lengths)


def _places(
    rankings: Rankings, rows: Bools, topics: Sequence[str], only: str | None
) -> Iterator[tuple[str, int]]:
    """The topic and the rank of some documents of all lists side by side, or of one topic's."""
    starts = rankings.starts
    for row in np.flatnonzero(rows).tolist():
        t = int(np.searchsorted(starts, row, side="right")) - 1
        if only in (None, topics[t]):
            yield topics[t], int(row - starts[t]) + 1
