"""Pools: the documents that runs bring to the assessors, who brought them, what is unjudged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.assess.strata import Sample, StrataLike, Stratum, drawn_from, read_strata
from cranfield.assess.teams import about_teams
from cranfield.data.merging import ChunkScore, ChunksLike, Duplicates, Merging
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.reading.lines import finite
from cranfield.data.run import (
    RankBy,
    Run,
    RunLike,
    Ties,
    Top,
    no_judged_topic,
    read_runs,
    with_each,
)
from cranfield.data.systems import RunNames
from cranfield.data.tracks import (
    TeamsLike,
    TopicsLike,
    choose_topics,
    named_topics,
    read_teams,
    topics_file,
)
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import ALL, Notice, about, about_topics
from cranfield.shown import Rows, Shown
from cranfield.wording import counted, disagreement, some, suggests_keywords

Docs: TypeAlias = dict[str, tuple[str, ...]]  # of each topic
Tops: TypeAlias = Mapping[str, Top]  # of each topic, the first documents of a run
Finders: TypeAlias = dict[str, dict[str, list[tuple[int, int]]]]
"""Of each topic and document, the runs that found it, and at which rank."""


@dataclass(frozen=True)
class Contribution:
    """What one run, or one team, brought to the pool of a topic, or of ``all`` topics.

    Its documents are those in its top ranks; `unique` are in the pool only thanks to it. What
    needs judgments is None without them.
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
        """The share of its documents that are judged; None where there is nothing to share."""
        if self.unjudged is None or not self.documents:
            return None
        return 1 - self.unjudged / self.documents

    def to_dict(self) -> dict[str, Any]:
        """``{name of the column: cell}``."""
        return {**asdict(self), "judged": self.judged}


@dataclass(frozen=True, eq=False, repr=False)
class Pool(Shown, tables="pool"):
    """For each topic, the union of the first `depth` documents of all runs.

    `docs` are by topic, and in the order of their ids, which tells nothing of ranks. All arrays
    have a row for each of them, one topic after the other.
    """

    depth: int
    runs: tuple[str, ...]
    teams: tuple[str, ...] | None  # of each run
    docs: Docs
    ranks: Ints  # [documents, runs]: who brought what, at which rank; 0: not at all
    is_judged: Bools | None = None
    is_relevant: Bools | None = None
    sample: Sample | None = None  # what was drawn of it, if strata were named
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.ranks)

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'document')} of {counted(len(self.docs), 'topic')}"
        return f"Pool: {size} at depth {self.depth} from {counted(len(self.runs), 'run')}"

    @property
    def found(self) -> Bools:
        """[documents, runs]: who brought what."""
        return self.ranks > 0

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order asked for or in that of the runs."""
        return tuple(self.docs)

    def to_dict(self) -> dict[str, list[str]]:  # type: ignore[override]
        """``{topic: [doc, …]}``."""
        return {topic: list(docs) for topic, docs in self.docs.items()}

    def sampled(self) -> list[tuple[str, str, int, float | None]]:
        """Topic, document, stratum and level: −1 where it was not drawn, None where it is to be
        judged; nothing if no strata were named.
        """
        if self.sample is None:
            return []
        pairs = ((topic, doc) for topic, docs in self.docs.items() for doc in docs)
        return [(*pair, *cells) for pair, cells in zip(pairs, self.sample.written(), strict=True)]

    @property
    def unjudged(self) -> Docs | None:
        """The documents that nobody judged yet; None if the pool was made without judgments."""
        return None if self.is_judged is None else self._where(~self.is_judged)

    @property
    def relevant(self) -> Docs | None:
        """The documents known to be relevant; None if the pool was made without judgments."""
        return None if self.is_relevant is None else self._where(self.is_relevant)

    def _where(self, flags: Bools) -> Docs:
        kept = zip(self.docs.items(), self._bounds, strict=True)
        return {
            topic: tuple(doc for doc, flag in zip(docs, flags[a:b], strict=True) if flag)
            for (topic, docs), (a, b) in kept
        }

    @cached_property
    def _bounds(self) -> list[tuple[int, int]]:
        """First and last row (exclusive) of each topic."""
        return list(pairwise(accumulate(map(len, self.docs.values()), initial=0)))

    def contributions(self, per_topic: bool = False) -> Rows[Contribution]:
        """What each run brought, then what each team did if teams are known: to all topics, and
        before that to every single one if asked for.

        >>> runs = {"bm25": {"q1": ["a", "b"]}, "dense": {"q1": ["a", "c"]}}
        >>> [(c.name, c.documents, c.unique) for c in pool(runs, depth=2).contributions()]
        [('bm25', 2, 1), ('dense', 2, 1)]
        """
        made = list(self._counted("run", self.runs, self.teams, self.found, per_topic))
        if self.teams is not None:
            names = tuple(dict.fromkeys(self.teams))
            members = [[team == name for team in self.teams] for name in names]
            by_run = self.found
            found = np.stack([by_run[:, m].any(axis=1) for m in members], axis=1)
            made += self._counted("team", names, names, found, per_topic)
        return Rows(made)

    def _counted(
        self,
        kind: Literal["run", "team"],
        names: Sequence[str],
        teams: Sequence[str] | None,
        found: Bools,
        per_topic: bool,
    ) -> Iterator[Contribution]:
        alone = found & (found.sum(axis=1, keepdims=True) == 1)
        wanted = [found, alone, None, None]
        if self.is_judged is not None and self.is_relevant is not None:
            wanted[2] = alone & self.is_relevant[:, None]
            wanted[3] = found & ~self.is_judged[:, None]
        counts = [None if flags is None else self._by_topic(flags) for flags in wanted]
        for i, name in enumerate(names):
            team = None if teams is None else teams[i]
            for t, topic in enumerate((*self.topics, ALL)):
                if per_topic or topic == ALL:
                    cells = [None if count is None else int(count[t, i]) for count in counts]
                    yield Contribution(kind, name, team, topic, *cells)  # type: ignore[arg-type]

    def _by_topic(self, flags: Bools) -> Ints:
        """How many are set in each column: topic by topic, then in all."""
        sums = [flags[a:b].sum(axis=0) for a, b in self._bounds]
        return np.array([*sums, flags.sum(axis=0)])


@suggests_keywords
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
    """The first `depth` documents (100) of all runs together, topic by topic.

    strata, seed
        Ranks and rates, ``"1-10:1,11-100:0.2"``: the pool is as deep as these, and of the documents
        whose best rank is in a stratum, the share is drawn at random.
    qrels
        Judgments made so far: they tell what is unjudged, and what is relevant: every level
        from `rel`, or above 0 if that is not given.
    teams
        Whose the runs are: ``{run: team}``, a path or a frame.
    topics
        Those to pool: a list, ``"101,102"``, a path or ``"@FILE"``; ``judged``; or ``common``, only
        those that every run answers. Else the judged ones, else all of the runs.
    ties, order
        Order of the lists, see `read_run`.
    run_names
        ``tag`` or ``file``: whether several tags in a file are several runs, see `read_runs`.
    columns
        What columns are called that have other names, see `read_run`.

    chunks, chunk_score, duplicates
        How several lines of a list become one document, see `read_run`.

    >>> made = pool({"q1": {"a": 0.9, "b": 0.8, "c": 0.7}}, depth=2)
    >>> made, made.to_dict()
    (Pool: 2 documents of 1 topic at depth 2 from 1 run, {'q1': ['a', 'b']})
    """
    parts = read_strata(strata)
    depth = _depth(depth, parts)
    if rel is not None and finite(rel) is None:
        raise InputError(f"rel {rel!r}", "a finite number")
    how: dict[str, Any] = {"separator": separator, "columns": columns}
    given = read_runs(
        runs,
        run_format,
        ties=ties,
        order=order,
        run_names=run_names,
        chunks=chunks,
        chunk_score=chunk_score,
        duplicates=duplicates,
        look=False,
        **how,
    )
    judgments = None
    if qrels is not None:
        judgments = read_qrels(qrels, qrels_format, labels=labels, **how)
        Merging(chunks).refuse_judged(judgments)
    team_of = None if teams is None else read_teams(teams)
    read, tops = with_each(given, lambda each: (each, [run.tops(int(depth)) for run in each]))
    names = tuple(run.name for run in read)
    wanted, why = _wanted(topics, judgments, read, tops)
    finders = _finders(tops, wanted)
    docs = {topic: tuple(sorted(found)) for topic, found in finders.items()}
    levels = None if judgments is None else _levels(docs, judgments)
    judged, relevant = (None, None) if levels is None else _judged(levels, rel)
    ranks, sample = _ranks(docs, finders, len(names)), None
    if parts:
        best = np.where(ranks > 0, ranks, depth).min(axis=1)
        sample = drawn_from(docs, best, parts, seed, levels)
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
            *([] if team_of is None else about_teams(names, team_of)),
            *about_topics(wanted),
            *_about_merging(read),
            *_about_topics(names, tops, docs, judgments, why),
            *_about_order(names, tops, docs, int(depth)),
        ),
    )


def _depth(given: int | None, strata: Sequence[Stratum]) -> int:
    """How deep the pool is: as was asked for, or as strata say."""
    if strata and given is not None:
        raise InputError(f"depth {given!r} beside strata", "either: strata say how deep")
    depth = strata[-1].last if strata else 100 if given is None else given
    if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 1:
        raise InputError(f"depth {depth!r}", "a whole number from 1")
    return int(depth)


def _about_merging(runs: Sequence[Run]) -> Iterator[Notice]:
    """What became of several lines of one document."""
    for run in runs:
        for kind, text in () if run.merging is None else run.merging.said():
            yield Notice(kind, f"{run.name}: {text}", run.name)


def _wanted(
    topics: TopicsLike, judgments: Qrels | None, runs: Sequence[Run], tops: Sequence[Tops]
) -> tuple[Sequence[str], str]:
    """The topics to pool, and why others of the runs are left out."""
    if (named := named_topics(topics, or_file=True)) is not None:
        known = dict.fromkeys(chain(judgments.topics if judgments else (), *tops))
        of_track = topics_file(topics, or_file=True) is not None  # which has all of its topics
        return choose_topics(named, known, "runs", strict=not of_track), "not asked for"
    if judgments is None and topics == "judged":
        raise InputError("topics=judged", "judgments with it (qrels=, or --qrels)")
    every = dict.fromkeys(chain(*tops)) if judgments is None else dict.fromkeys(judgments.topics)
    where = "" if judgments is None else judgments.where
    for run, lists in zip(runs, tops, strict=True):
        if every.keys().isdisjoint(lists):
            raise no_judged_topic([*lists], [*every], where, run)
    if topics != "common":
        return tuple(every), "without judgments"
    common = tuple(topic for topic in every if all(topic in lists for lists in tops))
    if not common:
        raise InputError("no topic that every run answers", "some")
    return common, "that not all of them answer"


def _finders(tops: Sequence[Tops], wanted: Sequence[str]) -> Finders:
    """Which runs found each document of each topic."""
    finders: Finders = {topic: {} for topic in wanted}
    for i, lists in enumerate(tops):
        for topic, top in lists.items():
            if topic in finders:
                for rank, doc in enumerate(top.docs, 1):
                    finders[topic].setdefault(doc, []).append((i, rank))
    if ALL in finders:
        raise InputError(f"a topic named {ALL!r}", f"another name: {ALL!r} is the summary's")
    if not any(finders.values()):
        raise InputError(f"no document for {some(list(finders), 'topic')}", "some")
    return finders


def _ranks(docs_of: Docs, finders: Finders, runs: int) -> Ints:
    """At which rank each run found each document, [documents, runs]."""
    who = [finders[topic][doc] for topic, docs in docs_of.items() for doc in docs]
    ranks = np.zeros((len(who), runs), dtype=np.int64)
    rows = np.repeat(np.arange(len(who)), [*map(len, who)])
    columns, found = np.array([*chain.from_iterable(who)]).reshape(-1, 2).T
    ranks[rows, columns] = found
    return ranks


def _levels(docs_of: Docs, judgments: Qrels) -> Floats:
    """The levels of documents, NaN where nobody judged them."""
    known = judgments.to_dict()
    pairs = ((known.get(topic, {}), doc) for topic, docs in docs_of.items() for doc in docs)
    return np.array([of_topic.get(doc, np.nan) for of_topic, doc in pairs])


def _judged(levels: Floats, rel: float | None) -> tuple[Bools, Bools]:
    """Which documents are judged, and which are relevant."""
    return ~np.isnan(levels), levels > 0 if rel is None else levels >= rel


# -- what the user should know --------------------------------------------------------------------


def _about_topics(
    runs: Sequence[str],
    answered: Sequence[Tops],
    docs_of: Docs,
    judgments: Qrels | None,
    why: str,
) -> Iterator[Notice]:
    known = docs_of.keys() if judgments is None else set(judgments.topics)
    anywhere = dict.fromkeys(chain.from_iterable(answered))
    others = [topic for topic in anywhere if topic not in docs_of]
    yield from about("other-topics", others, f"of the runs {why}, left out")
    new = [topic for topic, docs in docs_of.items() if docs and topic not in known]
    yield from about("unjudged-topics", new, "without judgments: every document is unjudged")
    nowhere = [topic for topic in docs_of if topic not in anywhere]
    yield from about("missing-topics", nowhere, "not answered by any run")
    for run, lists in zip(runs, answered, strict=True):
        missing = [topic for topic in docs_of if topic in anywhere and topic not in lists]
        yield from about("missing-topics", missing, "not answered", run)


def _about_order(
    runs: Sequence[str], tops: Sequence[Tops], docs_of: Docs, depth: int
) -> Iterator[Notice]:
    """Where ties decided what is in the pool, or scores that ranks contradict."""
    for run, lists in zip(runs, tops, strict=True):
        asked = {topic: top for topic, top in lists.items() if topic in docs_of}
        if odd := [topic for topic, top in asked.items() if top.contradicted]:
            yield Notice("rank-order", f"{run}: {disagreement(odd)}", run, tuple(odd))
        if tied := [topic for topic, top in asked.items() if top.tied]:
            said = f"equal scores on both sides of depth {depth} in {some(tied, 'topic')}"
            yield Notice("ties", f"{run}: {said}; document ids decide", run, tuple(tied))
