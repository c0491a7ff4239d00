"""Document values that some measures need: lengths, costs, verticals and ids.

Labelling records them for every retrieved document. A missing value is an error if a measure needs
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.costs import DocCosts, read_costs
from cranfield.data.lengths import DocLengths, read_lengths
from cranfield.data.reading.strings import expand_spans
from cranfield.data.reading.table import DocumentValues, Table
from cranfield.data.run import Run
from cranfield.data.verticals import Verticals, read_verticals
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.options import Options
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.scores import Facts, Note
from cranfield.wording import format_names, format_option


class Extra:
    """Values of documents that some measures need."""

    source: DocumentValues  # values by document, recorded by labelling
    needs_types: bool = False  # True if the values depend on types of results
    distinguishes_documents: bool = False  # True if the order of documents of one level can matter

    def check_known(self, run: Run, rankings: Rankings, topics: Sequence[str], only: str | None) -> None:
        """Raise an error if a needed value is missing, in all topics or in one."""

    def collect_notes(self) -> Iterator[Note]:
        """Yield notes about all runs."""
        yield from ()

    def collect_run_notes(self, run: Run, rankings: Rankings) -> Iterator[Note]:
        """Yield notes about one run."""
        yield from ()


@dataclass(frozen=True)
class Lengths(Extra):
    """Document lengths, in the units of measures."""

    source: DocLengths
    measures: tuple[Measure, ...]
    options: Options
    distinguishes_documents = True

    @classmethod
    def from_options(cls, measures: Sequence[Measure], options: Options) -> Lengths | None:
        measures_with_lengths = tuple(m for m in measures if m.length_unit)
        if not measures_with_lengths:
            return None
        if options.lengths is None:
            m = measures_with_lengths[0]
            fix = f"Use {format_option('--lengths FILE', 'lengths=')}."
            raise InputError.from_problem(f"no document lengths in {m.length_unit}", fix, m)
        units = sorted({m.length_unit for m in measures_with_lengths})
        return cls(read_lengths(options.lengths).select_units(units), measures_with_lengths, options)

    def check_known(self, run: Run, rankings: Rankings, topics: Sequence[str], only: str | None) -> None:
        for unit in self.source.values:
            unit_measures = [m for m in self.measures if m.length_unit == unit]
            missing = np.isnan(rankings.document_values[unit]) & self._find_needed(rankings, unit_measures)
            for topic, rank in _iter_places(rankings, missing, topics, only):
                problem = f"no length of the document at rank {rank} of topic {topic} in {run.name}"
                reason = f"needed by {', '.join(map(str, unit_measures))}"
                raise InputError.from_problem(f"{problem}, {reason}", where=self.source.where)

    def _find_needed(self, rankings: Rankings, unit_measures: Sequence[Measure]) -> Bools:
        """Return True for documents of all rankings whose length a measure needs."""
        rels = [getattr(m, "rel", None) for m in unit_measures]
        levels, starts = rankings.levels, rankings.starts
        relevant = (levels > 0) | (levels >= min(np.inf if x is None else x for x in rels))
        relevant &= rankings.first <= (self.options.depth or np.inf)
        topics = rankings.hit_topics[relevant]
        mask = np.zeros(int(rankings.lengths.sum()), dtype=bool)
        mask[starts[topics] + rankings.ranks[relevant] - 1] = True
        if any(m.every_length for m in unit_measures):  # up to the last relevant document
            reach = rankings.last if self.options.ties == "expected" else rankings.ranks
            deepest = np.zeros(len(starts), dtype=np.int64)
            np.maximum.at(deepest, topics, reach[relevant])
            mask |= _compute_ranks(rankings) <= np.repeat(deepest, rankings.lengths)
        return mask


@dataclass(frozen=True)
class Costs(Extra):
    """Document costs for user models."""

    source: DocCosts
    models: tuple[Any, ...]
    options: Options

    @classmethod
    def from_options(cls, measures: Sequence[Measure], options: Options) -> Costs | None:
        if options.costs is None:
            return None
        costs = read_costs(options.costs, options.cost_unit)
        models = tuple(m for m in measures if m.is_model)
        return cls(costs, models, options) if models else None

    @property
    def needs_types(self) -> bool:  # type: ignore[override]
        return self.source.by_type

    def check_known(self, run: Run, rankings: Rankings, topics: Sequence[str], only: str | None) -> None:
        missing = np.isnan(rankings.document_values["cost"]) & self._find_needed(rankings)
        for topic, rank in _iter_places(rankings, missing, topics, only):
            problem = self._describe_unknown(run, topic, rank)
            raise InputError.from_problem(problem, where=self.source.where)

    def _find_needed(self, rankings: Rankings) -> Bools:
        """Return True for documents of all rankings whose cost a user model needs."""
        widths = [m.width for m in self.models if not m.condensed]
        depth = min(self.options.depth or np.inf, max(widths, default=0))
        mask: Bools = _compute_ranks(rankings) <= (np.inf if self.options.ties == "expected" else depth)
        if any(m.condensed for m in self.models):  # judged documents at any rank
            mask[rankings.starts[rankings.hit_topics] + rankings.ranks - 1] = True
        return mask

    def _describe_unknown(self, run: Run, topic: str, rank: int) -> str:
        """Describe a missing cost."""
        if self.source.by_type:
            types = format_names(self.source.find_unknown_types(run), "type")
            return f"no cost of {types} in {run.name}"
        docs = [d for d in run.rank_topic(topic) if not (self.options.exclude_self and d == topic)]
        unknown = self.source.find_unknown_documents(topic, docs)
        candidate = docs[rank - 1]  # unless the order of ties differs
        doc = candidate if candidate in unknown else unknown[-1]
        problem = f"no cost of document {doc} of topic {topic} in {run.name}"
        return f"{problem}, needed by a user model"

    def collect_notes(self) -> Iterator[Note]:
        """Note the unit of costs, and the cost of ranks beyond the end of a ranking."""
        columns = {name: name for m in self.models for name in m.names()}
        if unit := self.source.unit:
            text = f"costs and ETC are in {unit}, EC is in {unit} per item"
            yield Note.from_facts("costs", Facts(text, measures=columns))
        beyond: dict[str, dict[str, str]] = {}
        for m in self.models:
            beyond.setdefault(f"{m.max_cost:g}", {}).update(dict.fromkeys(m.names(), str(m)))
        parts = tuple(Facts(cost, measures=beyond[cost]) for cost in sorted(beyond))
        text = "ranks after the end of a ranking cost {parts} (max_cost)"
        yield Note.from_facts("costs", Facts(text, parts=parts, separator=" or "))


@dataclass(frozen=True)
class IntentVerticals(Extra):
    """The verticals that users of each intent want."""

    source: Verticals
    is_used: bool  # True if a measure needs them
    needs_types = True

    @classmethod
    def from_options(cls, measures: Sequence[Measure], options: Options) -> IntentVerticals | None:
        """Read the verticals for measures or for embedding in the judgments."""
        users = [m for m in measures if m.needs_verticals]
        if options.verticals is None:
            if users or options.embed_verticals:
                user = users[0] if users else "embed_verticals"
                fix = f"Use {format_option('--verticals FILE', 'verticals=')}."
                raise InputError.from_problem("no verticals", fix, user)
            return None
        return cls(read_verticals(options.verticals, options.separator), bool(users))

    def collect_run_notes(self, run: Run, rankings: Rankings) -> Iterator[Note]:
        """Note verticals of a run without a value for any intent."""
        if np.isnan(rankings.document_values["vertical"]).any():
            unknown = format_names(self.source.find_unknown(run), "vertical")
            text = f"{run.name}: {unknown} not in {self.source.where}, value 0"
            yield Note("verticals", text, run.name)


_NUMBERING = Lock()  # several threads label parts of a run


class DocumentNumbers:
    """Numbers of all retrieved documents."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}

    @property
    def values(self) -> Mapping[str, Floats]:
        """The numbers as document values."""
        return {"document": np.arange(len(self.names), dtype=np.float64)}

    def rows(self, lines: Table) -> Ints:
        """Return the number of the document of each line."""
        docs = lines.docs.tolist()
        with _NUMBERING:
            self.names += [doc for doc in dict.fromkeys(docs) if doc not in self.numbers]
            for number in range(len(self.numbers), len(self.names)):
                self.numbers[self.names[number]] = number
        return np.array([self.numbers[doc] for doc in docs], dtype=np.int64)


@dataclass(frozen=True)
class Documents(Extra):
    """Document ids, for measures that need them."""

    source: DocumentNumbers
    distinguishes_documents = True

    @classmethod
    def from_measures(cls, measures: Sequence[Measure]) -> Documents | None:
        return cls(DocumentNumbers()) if any(m.needs_documents for m in measures) else None


def _compute_ranks(rankings: Rankings) -> Ints:
    """Return the rank of each document of all rankings."""
    return expand_spans(np.ones_like(rankings.starts), rankings.lengths)


def _iter_places(
    rankings: Rankings, rows: Bools, topics: Sequence[str], selected: str | None
) -> Iterator[tuple[str, int]]:
    """Yield topic and rank of the selected documents, for all topics or one."""
    starts = rankings.starts
    for row in np.flatnonzero(rows).tolist():
        t = int(np.searchsorted(starts, row, side="right")) - 1
        if selected in (None, topics[t]):
            yield topics[t], int(row - starts[t]) + 1
