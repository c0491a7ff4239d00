"""Pools: documents for assessment, contributions of runs, unjudged documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.assess.strata import Sample, StrataLike, Stratum, draw_sample, read_strata
from cranfield.assess.teams import note_teams
from cranfield.data.merging import ChunkScore, ChunksLike, Duplicates, Merging
from cranfield.data.orders import RankBy, Ties
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.reading.lines import parse_finite
from cranfield.data.run import Run, Top, make_no_judged_topic_error
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split, read_runs
from cranfield.data.systems import RunNames
from cranfield.data.tracks import TeamsLike, TopicsLike, choose_topics, find_topics_file, read_named_topics, read_teams
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError
from cranfield.scores import ALL, Note, note_topics, note_topics_file
from cranfield.tables import ResultTable
from cranfield.wording import describe_disagreement, format_count, format_names, format_option, suggest_keywords

Docs: TypeAlias = dict[str, tuple[str, ...]]  # of each topic
Tops: TypeAlias = Mapping[str, Top]  # of each topic, the top documents of a run
Finders: TypeAlias = dict[str, dict[str, list[tuple[int, int]]]]
"""The runs and ranks of each topic's documents."""


@dataclass(frozen=True)
class Contribution:
    """The contribution of a run or team to the pool of a topic, or of ``all`` topics.

    Its documents are the documents in its top ranks. `unique` documents are in the pool only
    because of it. Values that need judgments are None without them.
    """

    kind: Literal["run", "team"]
    name: str
    team: str | None
    topic: str
    documents: int
    unique: int
    unique_relevant: int | None
    unjudged: int | None

    @property
    def judged(self) -> float | None:
        """Judged fraction of the documents, None if there are none."""
        if self.unjudged is None or not self.documents:
            return None
        return 1 - self.unjudged / self.documents

    def to_dict(self) -> dict[str, Any]:
        """Return ``{column: cell}``."""
        return {**asdict(self), "judged": self.judged}


@dataclass(frozen=True, eq=False, repr=False)
class Pool(TableResult):
    """For each topic, the union of the first `depth` documents of all runs.

    `docs` are by topic, in the order of their ids, which does not reveal ranks. All arrays have a
    row for each document, topic by topic.
    """

    depth: int
    runs: tuple[str, ...]
    teams: tuple[str, ...] | None  # of each run
    docs: Docs
    ranks: Ints  # [documents, runs] rank of the document in the run, 0 if absent
    is_judged: Bools | None = None
    is_relevant: Bools | None = None
    sample: Sample | None = None  # with strata
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.ranks)

    def __repr__(self) -> str:
        size = f"{format_count(len(self), 'document')} of {format_count(len(self.docs), 'topic')}"
        return f"Pool: {size} at depth {self.depth} from {format_count(len(self.runs), 'run')}"

    def _build_tables(self, per_topic: bool = False) -> list[ResultTable]:
        from cranfield.assess.pool_tables import build_tables

        return build_tables(self, per_topic)

    def _build_document(self, per_topic: bool = False) -> dict[str, Any]:
        from cranfield.assess.pool_tables import build_document

        return build_document(self, per_topic)

    @property
    def found(self) -> Bools:
        """Boolean array [documents, runs]: True if the run retrieved the document."""
        return self.ranks > 0

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics, in the requested order or in the order of the runs."""
        return tuple(self.docs)

    def to_dict(self) -> dict[str, list[str]]:  # type: ignore[override]
        """Return ``{topic: [doc, …]}``."""
        return {topic: list(docs) for topic, docs in self.docs.items()}

    def list_sample(self) -> list[tuple[str, str, int, float | None]]:
        """Return topic, document, stratum and level of each document.

        The level is −1 if the document was not sampled, None if it is still to be judged. Empty
        without strata.
        """
        if self.sample is None:
            return []
        pairs = ((topic, doc) for topic, docs in self.docs.items() for doc in docs)
        return [(*pair, *cells) for pair, cells in zip(pairs, self.sample.iter_levels(), strict=True)]

    @property
    def unjudged(self) -> Docs | None:
        """Unjudged documents, None if the pool was made without judgments."""
        return None if self.is_judged is None else self._select_docs(~self.is_judged)

    @property
    def relevant(self) -> Docs | None:
        """Documents judged relevant, None if the pool was made without judgments."""
        return None if self.is_relevant is None else self._select_docs(self.is_relevant)

    def _select_docs(self, flags: Bools) -> Docs:
        parts = zip(self.docs.items(), self._bounds, strict=True)
        return {
            topic: tuple(doc for doc, flag in zip(docs, flags[a:b], strict=True) if flag)
            for (topic, docs), (a, b) in parts
        }

    @cached_property
    def _bounds(self) -> list[tuple[int, int]]:
        """First and last row (exclusive) of each topic."""
        return list(pairwise(accumulate(map(len, self.docs.values()), initial=0)))

    def contributions(self, per_topic: bool = False) -> Rows[Contribution]:
        """Return the contribution of each run, then of each team if teams are known.

        The rows are over all topics. With `per_topic`, rows of single topics come first.

        >>> runs = {"bm25": {"q1": ["a", "b"]}, "dense": {"q1": ["a", "c"]}}
        >>> [(c.name, c.documents, c.unique) for c in pool(runs, depth=2).contributions()]
        [('bm25', 2, 1), ('dense', 2, 1)]
        """
        rows = list(self._count_contributions("run", self.runs, self.teams, self.found, per_topic))
        if self.teams is not None:
            names = tuple(dict.fromkeys(self.teams))
            members = [[team == name for team in self.teams] for name in names]
            by_run = self.found
            found_by_team = np.stack([by_run[:, m].any(axis=1) for m in members], axis=1)
            rows += self._count_contributions("team", names, names, found_by_team, per_topic)
        return Rows(rows)

    def _count_contributions(
        self,
        kind: Literal["run", "team"],
        names: Sequence[str],
        teams: Sequence[str] | None,
        retrieved: Bools,
        per_topic: bool,
    ) -> Iterator[Contribution]:
        unique = retrieved & (retrieved.sum(axis=1, keepdims=True) == 1)
        masks = [retrieved, unique, None, None]
        if self.is_judged is not None and self.is_relevant is not None:
            masks[2] = unique & self.is_relevant[:, None]
            masks[3] = retrieved & ~self.is_judged[:, None]
        counts = [None if flags is None else self._sum_by_topic(flags) for flags in masks]
        for i, name in enumerate(names):
            team = None if teams is None else teams[i]
            for t, topic in enumerate((*self.topics, ALL)):
                if per_topic or topic == ALL:
                    cells = [None if count is None else int(count[t, i]) for count in counts]
                    yield Contribution(kind, name, team, topic, *cells)  # type: ignore[arg-type]

    def _sum_by_topic(self, flags: Bools) -> Ints:
        """Count the True values of each column: by topic, then over all."""
        sums = [flags[a:b].sum(axis=0) for a, b in self._bounds]
        return np.array([*sums, flags.sum(axis=0)])


@suggest_keywords
def pool(
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    depth: int | None = None,
    *,
    strata: StrataLike = None,
    seed: int = 0,
    qrels: QrelsLike = None,
    teams: TeamsLike = None,
    topics: TopicsLike = None,
    rel: float | None = None,
    ties: Ties | None = None,
    order: RankBy | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    run_names: RunNames = "tag",
    separator: str | None = None,
    labels: LabelsLike | None = None,
    chunks: ChunksLike = None,
    chunk_score: ChunkScore | None = None,
    duplicates: Duplicates = "error",
    columns: ColumnsLike | None = None,
) -> Pool:
    """Pool the first `depth` documents (default: 100) of all runs, topic by topic.

    strata, seed
        Ranks and rates, ``"1-10:1,11-100:0.2"``. The pool is as deep as the strata. Of the
        documents with their best rank in a stratum, the given fraction is sampled at random.
    qrels
        Judgments made so far, for unjudged and relevant documents. Levels from `rel` are relevant
        (default: above 0).
    teams
        Teams of the runs: ``{run: team}``, a path or a frame.
    topics
        The topics to pool: a list, ``"101,102"``, a path or ``"@FILE"``, ``judged``, or ``common``
        (topics in every run). Default: the judged topics, else all topics of the runs.
    ties, order
        Order of the rankings, see `read_run`.
    run_names
        ``tag`` or ``file``: whether several tags in a file are several runs, see `read_runs`.
    columns
        Names of columns, see `read_run`.

    chunks, chunk_score, duplicates
        How several lines of a ranking become one document, see `read_run`.

    >>> made = pool({"q1": {"a": 0.9, "b": 0.8, "c": 0.7}}, depth=2)
    >>> made, made.to_dict()
    (Pool: 2 documents of 1 topic at depth 2 from 1 run, {'q1': ['a', 'b']})
    """
    parts = read_strata(strata)
    depth = _resolve_depth(depth, parts)
    if rel is not None and parse_finite(rel) is None:
        raise InputError.from_problem(f"rel must be a finite number, found {rel!r}")
    settings: dict[str, Any] = {"separator": separator, "columns": columns}
    run_list = read_runs(
        runs,
        run_format,
        ties=ties,
        order=order,
        run_names=run_names,
        chunks=chunks,
        chunk_score=chunk_score,
        duplicates=duplicates,
        look=False,
        **settings,
    )
    judgments = None
    if qrels is not None:
        judgments = read_qrels(qrels, qrels_format, labels=labels, **settings)
        Merging(chunks).check_judgments(judgments)
    team_of = None if teams is None else read_teams(teams)
    all_runs, tops = call_with_split(run_list, lambda batch: (batch, [run.find_tops(int(depth)) for run in batch]))
    names = tuple(run.name for run in all_runs)
    pooled_topics, reason = _choose_topics(topics, judgments, all_runs, tops)
    finders = _map_finders(tops, pooled_topics)
    docs = {topic: tuple(sorted(finders_of_docs)) for topic, finders_of_docs in finders.items()}
    levels = None if judgments is None else _get_levels(docs, judgments)
    judged, relevant = (None, None) if levels is None else _flag_judged(levels, rel)
    ranks, sample = _build_ranks(docs, finders, len(names)), None
    if parts:
        best = np.where(ranks > 0, ranks, depth).min(axis=1)
        sample = draw_sample(docs, best, parts, seed, levels)
    return Pool(
        int(depth),
        names,
        None if team_of is None else tuple(team_of.get(name, name) for name in names),
        docs,
        ranks,
        judged,
        relevant,
        sample,
        (
            *([] if team_of is None else note_teams(names, team_of)),
            *note_topics_file(pooled_topics),
            *_note_merging(all_runs),
            *_note_topics(names, tops, docs, judgments, reason),
            *_note_order(names, tops, docs, int(depth)),
        ),
    )


def _resolve_depth(value: int | None, strata: Sequence[Stratum]) -> int:
    """Return the depth: the given one, or the depth of the strata."""
    if strata and value is not None:
        raise InputError.from_problem("use either depth or strata, not both")
    depth = strata[-1].last if strata else 100 if value is None else value
    if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 1:
        raise InputError.from_problem(f"depth must be an integer ≥ 1, found {depth!r}")
    return int(depth)


def _note_merging(runs: Sequence[Run]) -> Iterator[Note]:
    """Yield notes about merged lines of a document."""
    for run in runs:
        for kind, text in () if run.merging is None else run.merging.describe_merges():
            yield Note(kind, f"{run.name}: {text}", run.name)


def _choose_topics(
    topics: TopicsLike, judgments: Qrels | None, runs: Sequence[Run], tops: Sequence[Tops]
) -> tuple[Sequence[str], str]:
    """Return the topics to pool, and the reason why other topics are excluded."""
    if (names := read_named_topics(topics, or_file=True)) is not None:
        all_topics = dict.fromkeys(chain(judgments.topics if judgments else (), *tops))
        of_track = find_topics_file(topics, or_file=True) is not None  # a track file contains all topics
        return choose_topics(names, all_topics, "runs", strict=not of_track), "not selected"
    if judgments is None and topics == "judged":
        qrels = format_option("--qrels", "qrels=")
        raise InputError.from_problem(f"topics=judged requires {qrels}")
    candidates = dict.fromkeys(chain(*tops)) if judgments is None else dict.fromkeys(judgments.topics)
    path = "" if judgments is None else judgments.where
    for run, lists in zip(runs, tops, strict=True):
        if candidates.keys().isdisjoint(lists):
            raise make_no_judged_topic_error([*lists], [*candidates], path, run)
    if topics != "common":
        return tuple(candidates), "without judgments"
    common = tuple(topic for topic in candidates if all(topic in lists for lists in tops))
    if not common:
        raise InputError.from_problem("the runs have no topic in common")
    return common, "not in every run"


def _map_finders(tops: Sequence[Tops], topics: Sequence[str]) -> Finders:
    """Map each topic and document to the runs that retrieved it."""
    finders: Finders = {topic: {} for topic in topics}
    for i, lists in enumerate(tops):
        for topic, top in lists.items():
            if topic in finders:
                for rank, doc in enumerate(top.docs, 1):
                    finders[topic].setdefault(doc, []).append((i, rank))
    if ALL in finders:
        raise InputError.from_problem(f"topic name {ALL!r} is reserved for the summary")
    if not any(finders.values()):
        raise InputError.from_problem(f"no document for {format_names(list(finders), 'topic')}")
    return finders


def _build_ranks(docs_of: Docs, finders: Finders, runs: int) -> Ints:
    """Return the rank of each document in each run, [documents, runs], 0 if absent."""
    hits = [finders[topic][doc] for topic, docs in docs_of.items() for doc in docs]
    ranks = np.zeros((len(hits), runs), dtype=np.int64)
    rows = np.repeat(np.arange(len(hits)), [*map(len, hits)])
    columns, hit_ranks = np.array([*chain.from_iterable(hits)]).reshape(-1, 2).T
    ranks[rows, columns] = hit_ranks
    return ranks


def _get_levels(docs_of: Docs, judgments: Qrels) -> Floats:
    """Return the levels of documents, NaN if unjudged."""
    levels = judgments.to_dict()
    pairs = ((levels.get(topic, {}), doc) for topic, docs in docs_of.items() for doc in docs)
    return np.array([of_topic.get(doc, np.nan) for of_topic, doc in pairs])


def _flag_judged(levels: Floats, rel: float | None) -> tuple[Bools, Bools]:
    """Return masks of judged and of relevant documents."""
    return ~np.isnan(levels), levels > 0 if rel is None else levels >= rel


# -- notes ----------------------------------------------------------------------------------------


def _note_topics(
    runs: Sequence[str], tops: Sequence[Tops], docs_of: Docs, judgments: Qrels | None, reason: str
) -> Iterator[Note]:
    judged_topics = docs_of.keys() if judgments is None else set(judgments.topics)
    retrieved = dict.fromkeys(chain.from_iterable(tops))
    extra = [topic for topic in retrieved if topic not in docs_of]
    yield from note_topics("other-topics", extra, f"of the runs {reason}, excluded")
    unjudged = [topic for topic, docs in docs_of.items() if docs and topic not in judged_topics]
    yield from note_topics("unjudged-topics", unjudged, "without judgments, every document is unjudged")
    unanswered = [topic for topic in docs_of if topic not in retrieved]
    yield from note_topics("missing-topics", unanswered, "missing from all runs")
    for run, lists in zip(runs, tops, strict=True):
        missing = [topic for topic in docs_of if topic in retrieved and topic not in lists]
        yield from note_topics("missing-topics", missing, "missing", run)


def _note_order(runs: Sequence[str], tops: Sequence[Tops], docs_of: Docs, depth: int) -> Iterator[Note]:
    """Yield notes about ties at the pool's depth and ranks that contradict scores."""
    for run, lists in zip(runs, tops, strict=True):
        pooled = {topic: top for topic, top in lists.items() if topic in docs_of}
        if contradicted := [topic for topic, top in pooled.items() if top.contradicted]:
            yield Note("rank-order", f"{run}: {describe_disagreement(contradicted)}", run, tuple(contradicted))
        if tied := [topic for topic, top in pooled.items() if top.tied]:
            text = f"equal scores on both sides of depth {depth} in {format_names(tied, 'topic')}"
            yield Note("ties", f"{run}: {text}, ordered by document id", run, tuple(tied))
