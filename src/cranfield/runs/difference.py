"""`diff`: the agreement of two runs, topic by topic, with or without judgments."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, Unpack, get_args

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.orders import Ties as TieOrder
from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.strings import Strings
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split, read_runs
from cranfield.data.tracks import TopicsLike, choose_topics, read_named_topics
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import Settings, with_options
from cranfield.measures.selection import MeasuresLike
from cranfield.runs.overlap import P, TieVariant, compute_rbo_bounds, compute_tau_b
from cranfield.runs.sources import RunBlock, RunSource, check_common_topics, iterate_blocks
from cranfield.scores import Note, Scores, note_topics, note_topics_file
from cranfield.stats.result import check_open_fraction
from cranfield.tables import FLAT, ResultTable
from cranfield.wording import format_count, format_option

K = 10
MEASURE = "nDCG@10"
READING = ("order", "ties", "run_format", "run_names", "chunks", "chunk_score", "duplicates", "columns", "separator")
Change: TypeAlias = Literal["entered", "left", "rose", "fell"]
_REPEATED = {"missing-topics", "ties", "rank-order", "unjudged-topics"}  # notes of both, kept once


# -- results --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TopicDifference(TableResult):
    """Agreement of two rankings of a topic.

    `length` and `other_length` are 0 for missing topics. `overlap`, `jaccard`, `entered` and `left`
    hold for the first k documents. `tau_common` and `tau_union` are None if undefined. `relevant`
    counts relevant documents by change. `differences` are scores of the second run minus the first.
    Both are None without judgments.
    """

    topic: str
    length: int
    other_length: int
    overlap: float
    jaccard: float
    rbo: float
    rbo_lower: float
    rbo_upper: float
    tau_common: float | None
    tau_union: float | None
    entered: int
    left: int
    largest_move: int  # of |rank in A − rank in B|, an absent document has the rank length + 1
    relevant: Mapping[Change, int] | None = None
    differences: Mapping[str, float] | None = None


@dataclass(frozen=True)
class MovedDocument:
    """A document with different ranks. The rank is None if the document is absent from a ranking.

    `level` is None if unjudged.
    """

    topic: str
    doc: str
    from_rank: int | None
    to_rank: int | None
    level: float | None
    change: Change


@dataclass(frozen=True, eq=False, repr=False)
class RunDifference(TableResult):
    """Agreement of two runs.

    `topics` has one entry for each topic of either run, the least RBO first. `documents`
    entered or left the first k documents, or moved within them. With judgments, it also contains all
    relevant documents that moved. `scores` are the scores of both runs with judgments.
    """

    runs: tuple[str, ...]
    k: int
    p: float
    rbo_ties: TieVariant
    topics: tuple[TopicDifference, ...]
    documents: tuple[MovedDocument, ...]
    scores: Scores | None = None
    notes: tuple[Note, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """Names of values in tables, by attribute of `TopicDifference`."""
        k = self.k
        names = {"overlap": f"overlap@{k}", "jaccard": f"Jaccard@{k}", "rbo": "RBO", "rbo_lower": "RBO lower"}
        names |= {"rbo_upper": "RBO upper", "tau_common": "τ∩", "tau_union": "τ∪"}
        names |= {"entered": f"entered@{k}", "left": f"left@{k}", "largest_move": "largest move"}
        return names

    @property
    def changes(self) -> dict[Change, str]:
        """Names of the numbers of relevant documents, by change. Empty without judgments."""
        k = self.k
        return (
            {}
            if self.scores is None
            else {
                "entered": f"relevant entered@{k}",
                "left": f"relevant left@{k}",
                "rose": "relevant rose",
                "fell": "relevant fell",
            }
        )

    def get_values(self, topic: TopicDifference) -> dict[str, float]:
        """Return the values of a topic by name. Undefined values are NaN."""
        values = {name: getattr(topic, attribute) for attribute, name in self.columns.items()}
        if topic.relevant is not None and topic.differences is not None:
            values |= {name: topic.relevant[change] for change, name in self.changes.items()}
            values |= {f"Δ {name}": x for name, x in topic.differences.items()}
        return {name: math.nan if x is None else x for name, x in values.items()}

    @cached_property
    def values(self) -> dict[str, dict[str, float]]:
        """``{topic: {name: value}}``, topics with the least RBO first."""
        return {topic.topic: self.get_values(topic) for topic in self.topics}

    @cached_property
    def undefined(self) -> dict[str, int]:
        """Number of topics without a value, by name of the value."""
        names = dict.fromkeys(name for x in self.values.values() for name in x)
        counts = {name: sum(math.isnan(x.get(name, 0.0)) for x in self.values.values()) for name in names}
        return {name: count for name, count in counts.items() if count}

    @cached_property
    def means(self) -> dict[str, float]:
        """Mean of each value over the topics that have it. NaN without such topics.

        Differences of measures equal the results of `cf.evaluate`: all judged topics count.
        """
        means = {}
        for name in (*self.columns.values(), *self.changes.values()):
            defined = [x[name] for x in self.values.values() if not math.isnan(x.get(name, math.nan))]
            means[name] = math.fsum(defined) / len(defined) if defined else math.nan
        if self.scores is not None:
            first, second = self.scores.summary().values()
            means |= {f"Δ {name}": second[name] - first[name] for name in self.scores.measures}
        return means

    def select_documents(self, *changes: Change) -> tuple[MovedDocument, ...]:
        """Return the documents with some changes: ``entered``, ``left``, ``rose`` or ``fell``."""
        return tuple(x for x in self.documents if x.change in changes)

    def sort_by_effect(self) -> list[TopicDifference]:
        """Return the judged topics, the largest difference of the first measure first."""
        judged = [topic for topic in self.topics if topic.differences]
        return sorted(judged, key=lambda topic: _get_size(next(iter((topic.differences or {}).values()))), reverse=True)

    def _build_tables(self, top: int = K) -> list[ResultTable]:
        from cranfield.runs.difference_tables import build_tables

        return build_tables(self, top)

    def _select_tables(self, format: str, documents: bool = False) -> tuple[str, ...]:
        if format in FLAT:
            return ("documents",) if documents else ("values",)
        return ("means", "topics", *(() if self.scores is None else ("effects",)), *(("documents",) * documents))

    def _build_document(self) -> dict[str, Any]:
        from cranfield.runs.difference_tables import build_document

        return build_document(self)

    def __repr__(self) -> str:
        a, b = self.runs
        means = [f"{name} {self.means[name]:.4f}" for name in (self.columns["overlap"], "RBO")]
        return f"RunDifference: {a} and {b} on {format_count(len(self.topics), 'topic')}, {', '.join(means)}"


def _get_size(value: float) -> float:
    return -1.0 if math.isnan(value) else abs(round(value, 12))


# -- a block of topics ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RunPair:
    """Settings of a comparison of two runs."""

    k: int = K
    p: float = P
    rbo_ties: TieVariant = "a"
    judged: Mapping[str, Mapping[str, float]] | None = None  # levels of each topic
    is_relevant: Callable[[float], bool] = lambda level: level > 0

    def __post_init__(self) -> None:
        check_choice("rbo_ties", self.rbo_ties, TieVariant)
        check_open_fraction("p", self.p)
        if type(self.k) is not int or self.k < 1:
            raise InputError(f"k={self.k!r}", "an integer ≥ 1")

    def compare(
        self, runs: Sequence[Run], topics: Collection[str] | Literal["common"] | None = None
    ) -> tuple[list[TopicDifference], list[MovedDocument], list[RunSource]]:
        """Compare the rankings of two runs, topic by topic. Default: all topics of either run."""
        if len(runs) != 2:
            raise InputError(format_count(len(runs), "run"), "2 runs", hint=", ".join(run.name for run in runs))
        sources = [RunSource(run) for run in runs]
        rows: list[TopicDifference] = []
        documents: list[MovedDocument] = []
        for names, (a, b) in iterate_blocks(sources):
            block = _Block(self, names, a, b)
            rows += block.compare_topics()
            documents += block.list_documents()
        check_common_topics(*sources)
        if topics is not None:
            both = sources[0].topics.keys() & sources[1].topics
            chosen = both if isinstance(topics, str) else set(topics)
            rows = [row for row in rows if row.topic in chosen]
            documents = [x for x in documents if x.topic in chosen]
        return rows, documents, sources


@dataclass(frozen=True, eq=False)
class _Block:
    """Both rankings of some topics."""

    pair: RunPair
    names: Sequence[str]
    a: RunBlock
    b: RunBlock

    @cached_property
    def lines_in_a(self) -> Ints:
        """The line in A of each line of B, −1 if absent."""
        return self.a.find_lines(self.b.table.docs, self.b.topic)

    @cached_property
    def lines_in_b(self) -> Ints:
        """The line in B of each line of A, −1 if absent."""
        lines = np.full(len(self.a.topic), -1, dtype=np.int64)
        common = np.flatnonzero(self.lines_in_a >= 0)
        lines[self.lines_in_a[common]] = common
        return lines

    def compare_topics(self) -> Iterator[TopicDifference]:
        """Yield the comparison of each topic."""
        tau_common, tau_union = self._compute_taus()
        moves, relevant = self._find_largest_moves(), self._count_relevant()
        for t, name in enumerate(self.names):
            (a, a_end), (b, b_end) = self.a.bounds[t : t + 2], self.b.bounds[t : t + 2]
            in_a = self.lines_in_a[b:b_end]
            places = in_a[in_a >= 0] - a, np.flatnonzero(in_a >= 0)
            first, second = self.a.ties.select(slice(a, a_end)), self.b.ties.select(slice(b, b_end))
            value, lower, upper = compute_rbo_bounds(first, second, places, self.pair.p, self.pair.rbo_ties)
            k, n, m = self.pair.k, int(a_end - a), int(b_end - b)
            common = int(((places[0] < k) & (places[1] < k)).sum())
            first_k, second_k = min(k, n), min(k, m)
            yield TopicDifference(
                name,
                n,
                m,
                common / max(first_k, second_k) if n or m else 1.0,
                common / (first_k + second_k - common) if n or m else 1.0,
                value,
                lower,
                upper,
                _get_defined(tau_common[t]),
                _get_defined(tau_union[t]),
                second_k - common,
                first_k - common,
                int(moves[t]),
                None if self.pair.judged is None else relevant.get(name, dict.fromkeys(get_args(Change), 0)),
            )

    def _compute_taus(self) -> tuple[Floats, Floats]:
        """Return τ on common documents, and on all with absent documents tied below the end."""
        x, y, in_b, in_a = self.a.ties.above, self.b.ties.above, self.lines_in_b, self.lines_in_a
        common, new, n = in_a >= 0, in_a < 0, len(self.names)
        tau_common = compute_tau_b(x[in_a[common]], y[common], self.b.topic[common], n)
        y_of_a = np.where(in_b >= 0, y[in_b] if len(y) else 0, self.b.lengths[self.a.topic])
        x_all = np.concatenate([x, self.a.lengths[self.b.topic[new]]])
        y_all = np.concatenate([y_of_a, y[new]])
        return tau_common, compute_tau_b(x_all, y_all, np.concatenate([self.a.topic, self.b.topic[new]]), n)

    def _find_largest_moves(self) -> Ints:
        moves = np.zeros(len(self.names), dtype=np.int64)
        for side, other, lines in ((self.a, self.b, self.lines_in_b), (self.b, self.a, self.lines_in_a)):
            np.maximum.at(moves, side.topic, np.abs(side.place + 1 - other.get_ranks(lines, side.topic)))
        return moves

    # -- documents --------------------------------------------------------------------------------

    def list_documents(self) -> list[MovedDocument]:
        """Return the documents that entered, left or moved within the first k, and moved relevant ones."""
        k, moved = self.pair.k, list[tuple[int, MovedDocument]]()
        rank_in_b, place_in_b = self.b.get_ranks(self.lines_in_b, self.a.topic), self.a.place
        left = np.flatnonzero((place_in_b < k) & ((self.lines_in_b < 0) | (rank_in_b > k)))
        rank_in_a = self.a.get_ranks(self.lines_in_a, self.b.topic)
        top = self.b.place < k
        entered = np.flatnonzero(top & ((self.lines_in_a < 0) | (rank_in_a > k)))
        stayed = np.flatnonzero(top & (self.lines_in_a >= 0) & (rank_in_a <= k) & (rank_in_a != self.b.place + 1))
        for side, lines in ((self.b, entered), (self.a, left), (self.b, stayed)):
            moved += self._build_documents(side.table.docs[lines], side.topic[lines])
        listed = {(t, x.doc) for t, x in moved}
        moved += [(t, x) for t, x in self._relevant_moves if (t, x.doc) not in listed]
        return [x for _, x in sorted(moved, key=lambda pair: pair[0])]

    def _build_documents(self, docs: Strings, topic: Ints) -> list[tuple[int, MovedDocument]]:
        """Return documents that moved, with their topic numbers."""
        if not len(docs):
            return []
        lines = [side.find_lines(docs, topic) for side in (self.a, self.b)]
        ranks = [side.get_ranks(x, topic).tolist() for side, x in zip((self.a, self.b), lines, strict=True)]
        present = [(x >= 0).tolist() for x in lines]
        rows = zip(topic.tolist(), docs.tolist(), *ranks, *present, strict=True)
        moved = []
        for t, doc, old, new, in_a, in_b in rows:
            if (change := self._classify(old, new, in_a, in_b)) is not None:
                level = (self.pair.judged or {}).get(self.names[t], {}).get(doc)
                places = old if in_a else None, new if in_b else None
                moved.append((t, MovedDocument(self.names[t], doc, *places, level, change)))
        return moved

    def _classify(self, old: int, new: int, in_a: bool, in_b: bool) -> Change | None:
        """Return the change of a document: of the first k, or of its rank. None if there is none."""
        was_top, is_top = in_a and old <= self.pair.k, in_b and new <= self.pair.k
        if was_top != is_top:
            return "entered" if is_top else "left"
        if old == new or not (in_a or in_b):
            return None
        return "rose" if new < old else "fell"

    @cached_property
    def _relevant_moves(self) -> list[tuple[int, MovedDocument]]:
        judged, is_relevant = self.pair.judged, self.pair.is_relevant
        if judged is None:
            return []
        pairs = [
            (t, doc)
            for t, name in enumerate(self.names)
            for doc, level in judged.get(name, {}).items()
            if is_relevant(level)
        ]
        docs = Strings.from_list([doc for _, doc in pairs])
        return self._build_documents(docs, np.array([t for t, _ in pairs], dtype=np.int64))

    def _count_relevant(self) -> dict[str, dict[Change, int]]:
        """Return how many relevant documents of each topic entered, left, rose and fell."""
        counts: dict[str, dict[Change, int]] = {}
        for _, x in self._relevant_moves:
            counts.setdefault(x.topic, dict.fromkeys(get_args(Change), 0))[x.change] += 1
        return counts


def _get_defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# -- the function ---------------------------------------------------------------------------------


@with_options
def diff(
    a: RunLike,
    b: RunLike,
    qrels: QrelsLike | None = None,
    measures: MeasuresLike = None,
    *,
    k: int = K,
    p: float = P,
    rbo_ties: TieVariant = "a",
    **options: Unpack[Settings],
) -> RunDifference:
    """Compare two runs without judgments: overlap, RBO, Kendall's τ, and documents that moved.

    With `qrels`, also report relevant documents that moved, and differences of `measures` (default:
    nDCG@10), b minus a. Topics that are missing from one run are empty rankings.

    Parameters
    ----------
    a, b : path, dict, frame or Run
        Two runs, see `read_run`.
    qrels : path, dict or frame, optional
        Judgments, see `read_qrels`.
    measures : str or list, optional
        Measures for the differences. Requires `qrels`.
    k : int
        Cutoff of overlap, Jaccard and of documents that entered or left (default: 10).
    p : float
        Parameter of RBO, between 0 and 1 (default: 0.9).
    rbo_ties : {"a", "b", "w"}
        Variant of RBO with ties, see `cf.meta.rbo`.

    Returns
    -------
    RunDifference

    `topics` also selects the topics of the rankings. By default, these are all topics of either run.

    >>> a, b = {"q1": ["a", "b", "c", "d"]}, {"q1": ["b", "a", "d", "e"]}
    >>> result = diff(a, b, k=4)
    >>> topic = result.topics[0]
    >>> topic.overlap, round(topic.rbo, 5), round(topic.tau_common, 4), round(topic.tau_union, 4)
    (0.75, 0.69075, 0.3333, 0.4)
    >>> [(x.doc, x.change) for x in result.select_documents("entered", "left")]
    [('e', 'entered'), ('c', 'left')]
    """
    pair, topics = RunPair(k, p, rbo_ties), options.get("topics")
    _check_options(qrels, measures, options)
    if qrels is None:
        reading: Any = {name: x for name, x in options.items() if name not in ("run_format", "topics")}
        runs, evaluator = read_runs([a, b], options.get("run_format"), **reading, look=False), None
    else:
        if (names := read_named_topics(topics)) is not None:
            topics = options["topics"] = names  # a file is read once
        evaluator = Evaluator(qrels, measures or MEASURE, **options)
        runs, pair = evaluator.read([a, b]), _add_judgments(pair, evaluator)
    return call_with_split(runs, lambda group: compare_runs(pair, group, topics, evaluator))


def _check_options(qrels: QrelsLike | None, measures: MeasuresLike, options: Mapping[str, Any]) -> None:
    if (ties := options.get("ties")) is not None:
        check_choice("ties", ties, TieOrder)
    if qrels is not None:
        return
    needing = ["measures"] * (measures is not None) + [name for name in options if name not in (*READING, "topics")]
    needing += [format_option("--topics judged", "topics='judged'")] * (options.get("topics") == "judged")
    if needing:
        raise InputError.from_problem(f"{needing[0]} requires {format_option('--qrels', 'qrels')}")


def _add_judgments(pair: RunPair, evaluator: Evaluator) -> RunPair:
    """Return the settings with the levels of judged documents."""
    gold, measure = evaluator.collection.gold, evaluator.measures[0]
    levels = gold.judgments.levels
    judged = {
        topic: {doc: float(levels[item]) for doc, item in docs.items()}
        for topic, docs in zip(evaluator.collection.topics, gold.by_topic, strict=True)
    }
    rel = getattr(measure, "rel", None)
    rel = evaluator.options.rel if rel is None else rel
    return replace(pair, judged=judged, is_relevant=lambda level: level > 0 if rel is None else level >= rel)


def compare_runs(pair: RunPair, runs: Sequence[Run], topics: TopicsLike, evaluator: Evaluator | None) -> RunDifference:
    """Compare two runs, and evaluate them if there is an evaluator."""
    names = read_named_topics(topics)
    selection: Any = evaluator.collection.topics if topics == "judged" and evaluator else names or topics
    rows, documents, sources = pair.compare(runs, selection)
    every_topic = {**sources[0].topics, **sources[1].topics}
    if names is not None and evaluator is None:
        choose_topics(names, every_topic, "runs")
    scores = None if evaluator is None else evaluator.score_runs(runs)
    compared = {row.topic for row in rows}
    notes = [*note_topics_file(names)]
    for source in sources:
        notes += source.describe([x for x in every_topic if x in compared], "compared as an empty ranking", True)
    if scores is not None:
        rows = _add_differences(rows, scores)
        notes += _note_scores(scores, every_topic, rows)
    rows.sort(key=lambda row: round(row.rbo, 12))
    run_names = tuple(run.name for run in runs)
    return RunDifference(
        run_names, pair.k, pair.p, pair.rbo_ties, tuple(rows), tuple(documents), scores, tuple(dict.fromkeys(notes))
    )


def compare_labelled_runs(evaluator: Evaluator, runs: Sequence[Run], scores: Scores) -> RunDifference:
    """Compare two runs with the default settings. `scores` are their scores by the evaluator."""
    pair = _add_judgments(RunPair(), evaluator)
    rows, documents, _ = pair.compare(runs)
    rows = sorted(_add_differences(rows, scores), key=lambda row: round(row.rbo, 12))
    run_names = tuple(run.name for run in runs)
    return RunDifference(run_names, pair.k, pair.p, pair.rbo_ties, tuple(rows), tuple(documents), scores)


def _note_scores(scores: Scores, topics: Collection[str], rows: Sequence[TopicDifference]) -> Iterator[Note]:
    """Yield notes about judgments. `topics` are all topics of either run."""
    yield from (note for note in scores.notes if note.kind not in _REPEATED)
    absent = [topic for topic in scores.topics if topic not in topics]
    yield from note_topics("missing-topics", absent, "missing from both runs, scored as empty rankings")
    unjudged = [row.topic for row in rows if row.differences is None]
    yield from note_topics("unjudged-topics", unjudged, "without judgments: only the rankings are compared")


def _add_differences(rows: Sequence[TopicDifference], scores: Scores) -> list[TopicDifference]:
    """Return the topics with differences of measures. Topics without judgments have no counts."""
    by_topic = {
        topic: dict(zip(scores.measures, values, strict=True))
        for topic, values in zip(scores.topics, (scores.values[1] - scores.values[0]).tolist(), strict=True)
    }
    return [
        replace(row, differences=by_topic[row.topic]) if row.topic in by_topic else replace(row, relevant=None)
        for row in rows
    ]
