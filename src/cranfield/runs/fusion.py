"""Fusion: one run from the rankings of several runs.

`METHODS` and `NORMS` are tables of equations. The lines of all runs are grouped by topic, on disk
if there are many, so that memory does not grow with the length of the runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, Ints
from cranfield.data.files import write_whole
from cranfield.data.merging import ChunkScore, ChunksLike, Duplicates
from cranfield.data.orders import RankBy, Ties
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.lines import parse_finite
from cranfield.data.reading.strings import Numbering, Strings
from cranfield.data.reading.table import Table
from cranfield.data.run import Run, TableRun, sort_rows
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split, read_runs
from cranfield.data.run_writer import format_run
from cranfield.data.systems import RunNames, resolve_names
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.runs.sources import RunSource, iterate_grouped
from cranfield.scores import Note
from cranfield.wording import format_count, format_names, suggest_keywords

Norm: TypeAlias = Literal["min-max", "max", "sum", "z", "rank", "none"]
Absent: TypeAlias = Literal["zero", "min"]
T = TypeVar("T")
CELLS = 1 << 20  # pairs of documents that are compared together


# -- equations ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Results:
    """The results of one run in a block of topics.

    Arrays have one row per result: r is the rank, s the normalised score, length the number of
    results for the topic, and U the number of documents that any run has for the topic. w is the
    weight of the run, k and phi are parameters. `item` is the number of the document in the block.
    """

    item: Ints
    r: Floats
    s: Floats
    length: Floats
    U: Floats
    w: float
    k: float
    phi: float


@dataclass(frozen=True, eq=False)
class Method:
    """A row of `METHODS`: the sum of `term` over the runs that have a document.

    `combine` replaces the sum. `finish` gets the sum and n, the number of runs that have the
    document. `absent` is the term of a run that has the topic without the document.
    """

    equation: str
    source: str
    term: Callable[[Results], Floats]
    combine: np.ufunc = np.add
    start: float = 0.0
    finish: Callable[[Floats, Floats], Floats] = lambda total, n: total
    absent: Callable[[Results], Floats] | None = None
    needs_scores: bool = False


def _comb(equation: str, **fields: Any) -> Method:
    """Return a method of Fox and Shaw, which combines scores."""
    return Method(equation, "Fox and Shaw 1993", lambda x: x.w * x.s, needs_scores=True, **fields)


def _sum_inverse_squares(equation: str, finish: Callable[[Floats, Floats], Floats]) -> Method:
    return Method(equation, "Mourão et al. 2015", lambda x: x.w / x.r**2, finish=finish)


METHODS: Mapping[str, Method] = {
    "rrf": Method("Σ w/(k + r)", "Cormack et al. 2009", lambda x: x.w / (x.k + x.r)),
    "combsum": _comb("Σ w s"),
    "combmnz": _comb("n Σ w s", finish=lambda total, n: n * total),
    "combanz": _comb("Σ w s/n", finish=lambda total, n: total / n),
    "combmax": _comb("max w s", combine=np.maximum, start=-np.inf),
    "combmin": _comb("min w s", combine=np.minimum, start=np.inf),
    "isr": _sum_inverse_squares("n Σ w/r²", lambda total, n: n * total),
    "logisr": _sum_inverse_squares("ln n · Σ w/r²", lambda total, n: np.log(n) * total),
    "rbc": Method("Σ w (1 − φ) φ^(r − 1)", "Bailey et al. 2017", lambda x: x.w * (1 - x.phi) * x.phi ** (x.r - 1)),
    "borda": Method(
        "Σ w (|U| − r + 1), and w (|U| − length + 1)/2 for a run without the document",
        "Aslam and Montague 2001",
        lambda x: x.w * (x.U - x.r + 1),
        absent=lambda x: x.w * (x.U - x.length + 1) / 2,
    ),
    "condorcet": Method(
        "documents beaten + ½ drawn, by weighted majority of runs", "Montague and Aslam 2002", lambda x: x.r
    ),
}


def _normalise_min_max(s: Floats) -> Floats:
    spread = s.max() - s.min()
    return (s - s.min()) / spread if spread > 0 else np.ones_like(s)


def _normalise_max(s: Floats) -> Floats:
    if s.max() <= 0:
        problem = f"norm max divides by the highest score, found {s.max():g}"
        raise InputError.from_problem(problem, "Use min-max or z.")
    return np.asarray(s / s.max())


def _normalise_sum(s: Floats) -> Floats:
    total = (s - s.min()).sum()
    return (s - s.min()) / total if total > 0 else np.full_like(s, 1 / len(s))


def _normalise_z(s: Floats) -> Floats:
    return (s - s.mean()) / s.std() if s.max() > s.min() else np.zeros_like(s)


NORMS: Mapping[str, tuple[str, Callable[[Floats], Floats]]] = {
    "min-max": ("(s − min)/(max − min), 1 if all scores are equal", _normalise_min_max),
    "max": ("s/max", _normalise_max),
    "sum": ("(s − min)/Σ(s − min), 1/length if all scores are equal", _normalise_sum),
    "z": ("(s − mean)/sd, 0 if all scores are equal", _normalise_z),
    "rank": ("1 − (r − 1)/length", lambda s: 1 - np.arange(len(s)) / len(s)),
    "none": ("s", lambda s: s),
}


# -- a block of topics ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Block:
    """Documents of some topics, as numbered items, and the results of all runs.

    `topic` is the topic of each item, in ascending order. `docs` are the ids of the items.
    """

    topic: Ints
    docs: Strings
    runs: Sequence[Results]

    def count_runs(self) -> Floats:
        """Return n: the number of runs that have each item."""
        return np.bincount(np.concatenate([x.item for x in self.runs]), minlength=len(self.topic)).astype(np.float64)

    def combine(self, method: Method, absent: Callable[[Results], Floats] | None) -> Floats:
        """Return the scores of the items, with terms added in the order of the runs."""
        total = np.full(len(self.topic), method.start)
        for x in self.runs:
            total[x.item] = method.combine(total[x.item], method.term(x))
            if absent is not None:
                value = np.full(int(self.topic[-1]) + 1, np.nan)  # of each topic, NaN if the run has no results
                value[self.topic[x.item]] = absent(x)
                missing = ~np.isnan(value[self.topic])
                missing[x.item] = False
                total[missing] = method.combine(total[missing], value[self.topic[missing]])
        return np.asarray(method.finish(total, self.count_runs()))

    def count_wins(self) -> Floats:
        """Return the number of items of the topic that each item beats, plus half of the drawn ones."""
        starts = np.flatnonzero(np.diff(self.topic, prepend=-1, append=-1))
        rank = np.zeros((len(self.runs), len(self.topic)), dtype=np.int64)
        for x, ranks in zip(self.runs, rank, strict=True):
            ranks[x.item] = x.r
        weights = [x.w for x in self.runs]
        slices = (slice(a, b) for a, b in pairwise(starts.tolist()))
        return np.concatenate([_count_wins(rank[:, items], weights) for items in slices])


def _count_wins(rank: Ints, weights: Sequence[float]) -> Floats:
    """Return wins plus half of the draws of each item, from [runs, items] ranks.

    Rank 0 is an absent item, which loses to all items of the run.

    >>> _count_wins(np.array([[1, 2, 3, 0], [0, 1, 0, 2]]), [1, 1]).tolist()
    [2.0, 2.5, 0.5, 1.0]
    """
    rank = np.where(rank > 0, rank, np.iinfo(np.int32).max).astype(np.int32)
    votes: Any = np.array(weights)
    if (votes == votes[0]).all():
        votes = np.ones(len(votes), dtype=np.int16)
    items = rank.shape[1]
    wins = np.empty(items)
    step = max(1, CELLS // items)
    for first in range(0, items, step):
        rows = rank[:, first : first + step, None]
        margin = np.zeros((rows.shape[1], items), dtype=votes.dtype)
        for vote, row, column in zip(votes, rows, rank, strict=True):
            margin += vote * ((row < column).view(np.int8) - (row > column).view(np.int8))
        margin[np.abs(margin) <= TOLERANCE * votes.sum()] = 0
        wins[first : first + step] = (margin > 0).sum(axis=1) + ((margin == 0).sum(axis=1) - 1) / 2
    return wins


# -- runs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """Method and parameters of a fusion."""

    method: str = "rrf"
    norm: Norm = "min-max"
    k: float = 60
    phi: float = 0.8
    absent: Absent = "zero"
    depth: int | None = 1000

    def __post_init__(self) -> None:
        check_choice("method", self.method, tuple(METHODS))
        check_choice("norm", self.norm, tuple(NORMS))
        check_choice("absent", self.absent, Absent)
        if (k := parse_finite(self.k)) is None or k < 0:
            raise InputError.from_problem(f"k must be a number ≥ 0, found {self.k!r}")
        if (phi := parse_finite(self.phi)) is None or not 0 < phi < 1:
            raise InputError.from_problem(f"phi must be a number between 0 and 1, found {self.phi!r}")
        if self.depth is not None and (type(self.depth) is not int or self.depth < 1):
            raise InputError.from_problem(f"depth must be an integer ≥ 1, found {self.depth!r}")

    @property
    def uses_scores(self) -> bool:
        """True if results are fused by their scores, not their ranks."""
        return METHODS[self.method].needs_scores and self.norm != "rank"


@dataclass(eq=False)
class _Source(RunSource):
    """A run to fuse."""

    weight: float = 1.0
    is_incomplete: bool = False  # True if the run misses documents that another run has


def _count_within(table: Table) -> Floats:
    """Return the rank of each line in its group."""
    ranks: Ints = np.arange(len(table)) - table.starts[table.group] + 1
    return ranks.astype(np.float64)


@dataclass(eq=False)
class _Fusion:
    """Runs with weights, and the settings that fuse them."""

    sources: Sequence[_Source]
    settings: Settings
    topics: dict[str, None] = field(default_factory=dict)

    def iterate_tables(self) -> Iterator[Table]:
        """Yield the fused rankings, best documents first, some topics at a time."""
        yield from map(self._fuse, iterate_grouped(self.sources))

    def _fuse(self, table: Table) -> Table:
        settings, method = self.settings, METHODS[self.settings.method]
        self.topics.update(dict.fromkeys(table.names))
        block = self._build_block(table)
        if settings.method == "condorcet":
            scores = block.count_wins()
        else:
            adds_lowest = settings.absent == "min" and method.needs_scores
            scores = block.combine(method, _get_lowest if adds_lowest else method.absent)
        starts = np.flatnonzero(np.diff(block.topic, prepend=-1))
        fused = Table(table.topics, starts, block.docs, block.docs.compute_hashes(), scores)
        fused = fused.reorder(sort_rows(fused, stable=False))
        return (
            fused if settings.depth is None else fused.select_lines(np.asarray(_count_within(fused) <= settings.depth))
        )

    def _build_block(self, table: Table) -> Block:
        """Number the documents of each topic, and collect the results of each run."""
        parts = [source.select(table, number) for number, source in enumerate(self.sources)]
        docs = Strings.concatenate([part.docs for _, part in parts])
        numbers = Numbering().number_strings(docs)
        topics = np.concatenate([topic for topic, _ in parts])
        keys = topics * (int(numbers.max()) + 1) + numbers
        _, first, item = np.unique(keys, return_index=True, return_inverse=True)
        topic, settings = topics[first], self.settings
        sizes = np.bincount(topic).astype(np.float64)
        results, end = [], 0
        for (numbers, part), source in zip(parts, self.sources, strict=True):
            begin, end = end, end + len(part)
            length, union = part.sizes[part.group].astype(np.float64), sizes[numbers]
            source.is_incomplete |= bool((length < union).any())
            scores = self._normalise(part, source.run)
            terms = (item[begin:end], _count_within(part), scores, length, union)
            results.append(Results(*terms, source.weight, settings.k, settings.phi))
        return Block(topic, docs[first], results)

    def _normalise(self, part: Table, run: Run) -> Floats:
        """Return the normalised scores, ranking by ranking."""
        if not METHODS[self.settings.method].needs_scores or not len(part):
            return part.values
        try:
            return np.concatenate([NORMS[self.settings.norm][1](part.values[a:b]) for a, b in part.iter_bounds()])
        except InputError as error:
            raise InputError.from_problem(
                error.found, error.hint, run.name if run.where == "run" else run.where
            ) from None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes about the runs, complete after all tables were read."""
        notes = [
            note
            for source in self.sources
            for note in source.describe([*self.topics], "fused from the other runs", not self.settings.uses_scores)
        ]
        incomplete = [source.run.name for source in self.sources if source.is_incomplete]
        settings = self.settings
        if settings.norm == "z" and METHODS[settings.method].needs_scores and settings.absent == "zero" and incomplete:
            text = f"documents absent from {format_names(incomplete, 'run')} count as their mean score (z = 0)"
            notes.append(Note("absent-mean", f"{text}, above their last documents. Use --absent min."))
        return tuple(notes)


def _get_lowest(x: Results) -> Floats:
    """Return the weighted lowest score of its ranking, for each result."""
    last = x.r == x.length
    return x.w * np.repeat(x.s[last], x.length[last].astype(np.int64))


# -- results --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class FusedRun(TableRun):
    """The fused run: a `Run` with notes.

    >>> fused = fuse([{"q1": {"a": 3, "b": 2}}, {"q1": {"b": 9, "c": 1}}], method="combsum")
    >>> fused.rankings(), fused.notes
    ({'q1': ['b', 'a', 'c']}, ())
    """

    notes: tuple[Note, ...] = ()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, completely or not at all: TREC text, or CSV or TSV by extension."""
        write_whole(path, format_run(self.iterate_tables(), self.name, path))


def read_weights(weights: str | Sequence[float] | None) -> list[float] | None:
    """Return the weights of runs, None if there are none.

    >>> read_weights("2,1")
    [2.0, 1.0]
    """
    if weights is None:
        return None
    values = [parse_finite(x) for x in (weights.split(",") if isinstance(weights, str) else weights)]
    numbers = [x for x in values if x is not None and x >= 0]
    if len(numbers) < len(values) or not any(numbers):
        raise InputError.from_problem(f"weights must be numbers ≥ 0, not all 0, found {weights!r}")
    return numbers


def build_settings(method: str, norm: Norm | None, k: float, phi: float, absent: Absent, depth: int | None) -> Settings:
    """Return checked settings. Raise an error for a norm or absent scores without scores."""
    settings = Settings(method, norm or "min-max", k, phi, absent, depth)
    if not METHODS[method].needs_scores and (norm is not None or absent != "zero"):
        name = "norm" if norm is not None else "absent"
        methods = ", ".join(key for key, row in METHODS.items() if row.needs_scores)
        raise InputError.from_problem(f"{name} requires scores, and {method} uses ranks", f"Use one of {methods}.")
    return settings


def fuse_runs(
    runs: Sequence[Run],
    weights: str | Sequence[float] | None,
    settings: Settings,
    use: Callable[[Iterator[Table]], T],
) -> tuple[T, tuple[Note, ...]]:
    """Return `use(tables)` with the fused tables, and the notes."""
    numbers = read_weights(weights)
    if len(runs) < (2 if numbers is None else len(numbers)):  # a file can contain several runs
        runs = resolve_names([part for run in runs for part in run.split_by_tag()])

    def fuse_distinct(runs: Sequence[Run]) -> tuple[T, tuple[Note, ...]]:
        fusion = _Fusion(_make_sources(runs, numbers, settings), settings)
        return use(fusion.iterate_tables()), fusion.notes

    return call_with_split(runs, fuse_distinct)


def _make_sources(runs: Sequence[Run], weights: list[float] | None, settings: Settings) -> list[_Source]:
    if len(runs) < 2:
        raise InputError.from_problem("found 1 run, expected at least 2")
    if weights is not None and len(weights) != len(runs):
        counts = f"found {format_count(len(weights), 'weight')}, expected {len(runs)}"
        raise InputError.from_problem(f"{counts}, one for each run: {', '.join(run.name for run in runs)}")
    for run in runs:
        if settings.uses_scores and (run.keeps_order or run.by_rank):
            problem = f"{run.name} has no scores, and {settings.method} adds scores"
            raise InputError.from_problem(problem, "Use rrf, or norm rank.")
    return [_Source(run, weight=weight) for run, weight in zip(runs, weights or [1.0] * len(runs), strict=True)]


@suggest_keywords
def fuse(
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    method: str = "rrf",
    *,
    norm: Norm | None = None,
    weights: str | Sequence[float] | None = None,
    k: float = 60,
    phi: float = 0.8,
    absent: Absent = "zero",
    depth: int | None = 1000,
    name: str = "fused",
    ties: Ties | None = None,
    order: RankBy | None = None,
    run_format: str | None = None,
    run_names: RunNames = "tag",
    separator: str | None = None,
    chunks: ChunksLike = None,
    chunk_score: ChunkScore | None = None,
    duplicates: Duplicates = "error",
    columns: ColumnsLike | None = None,
) -> FusedRun:
    """Fuse several runs to one: the rankings of each topic are combined.

    Equal fused scores are ordered by document id, descending.

    Parameters
    ----------
    runs : list or dict
        Two or more runs: paths, dicts, frames, see `read_runs`.
    method : str
        ``rrf`` (default), ``combsum``, ``combmnz``, ``combanz``, ``combmax``, ``combmin``, ``isr``,
        ``logisr``, ``rbc``, ``borda`` or ``condorcet``.
    norm : str, optional
        Normalisation of scores by topic, for the ``comb`` methods: ``min-max`` (default), ``max``,
        ``sum``, ``z``, ``rank`` or ``none``.
    weights : list or str, optional
        Weight of each run, as in ``"2,1"``. Default: 1.
    k, phi : float
        Parameters of ``rrf`` (default: 60) and ``rbc`` (default: 0.8).
    absent : {"zero", "min"}
        For the ``comb`` methods, score of a document that a ranking does not contain: no score
        (default), or the lowest score of the ranking.
    depth : int, optional
        Number of documents of a fused ranking (default: 1000). None keeps all.
    name : str
        Name of the fused run.
    ties, order, run_names, separator, chunks, chunk_score, duplicates, columns
        How runs are read, see `read_runs`.

    Returns
    -------
    FusedRun
        A `Run` with ``notes`` and ``write(path)``.

    >>> a, b = {"q1": {"a": 3, "b": 2, "c": 1}}, {"q1": {"b": 0.9, "d": 0.3}}
    >>> {doc: round(score, 6) for doc, score in fuse([a, b]).get_scores("q1").items()}
    {'b': 0.032522, 'a': 0.016393, 'd': 0.016129, 'c': 0.015873}
    """
    settings = build_settings(method, norm, k, phi, absent, depth)
    run_list = read_runs(
        runs,
        run_format,
        ties=ties,
        order=order,
        separator=separator,
        run_names=run_names,
        chunks=chunks,
        chunk_score=chunk_score,
        duplicates=duplicates,
        columns=columns,
        look=False,
    )
    tables, notes = fuse_runs(run_list, weights, settings, lambda tables: [table.copy() for table in tables])
    return FusedRun(name, parts=lambda: iter([lambda table=table: table for table in tables]), notes=notes)
