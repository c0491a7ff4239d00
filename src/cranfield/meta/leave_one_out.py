"""What if a team had not taken part? Its runs are scored without what it alone had judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.assess.pool import Pool, pool
from cranfield.data.costs import read_costs
from cranfield.data.intents import read_intents
from cranfield.data.lengths import read_lengths
from cranfield.data.qrels import Qrels, QrelsLike
from cranfield.data.run import Run, RunLike, with_each
from cranfield.data.tracks import TeamsLike
from cranfield.data.verticals import read_verticals
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.measures.grammar import MeasureLike
from cranfield.meta.cautions import of_rankings
from cranfield.meta.rankings import kendall, standing
from cranfield.scores import Notice, Scores
from cranfield.shown import Shown
from cranfield.stats.measured import direction, left_out, ranking, reasons
from cranfield.wording import counted, option, some

__all__ = ["LeaveOneOut", "leave_one_out"]

Kind: TypeAlias = Literal["run", "team"]


@dataclass(frozen=True)
class Contributor:
    """What a run, or a team with its runs, brought to the pool, and nobody else did.

    `unique_judged` documents, `unique_relevant` ones among them, lose their judgments when the
    contributor is left out.
    """

    name: str
    runs: tuple[str, ...]
    documents: int
    unique: int
    unique_judged: int
    unique_relevant: int


@dataclass(frozen=True)
class LeftOut:
    """A run by all judgments, and by those that would be there without its contributor."""

    contributor: str
    run: str
    measure: str
    before: float
    after: float
    rank_before: int
    rank_after: int

    @property
    def difference(self) -> float:
        """after − before."""
        return self.after - self.before

    @property
    def relative(self) -> float:
        """The difference as a share of what it was before; nan if that is 0."""
        return self.difference / self.before if self.before else math.nan

    @property
    def rank_change(self) -> int:
        """How many ranks the run falls; negative if it rises."""
        return self.rank_after - self.rank_before


@dataclass(frozen=True)
class LeftOutSummary:
    """What leaving out does to a measure: changes of scores are absolute, τ is Kendall's."""

    measure: str
    mean_change: float
    largest_change: float
    largest_change_of: str
    ranks_changed: int
    largest_rank_change: int
    tau: float


@dataclass(frozen=True)
class LeaveOneOut(Shown, tables="meta.leave_one_out"):
    """The leave-one-out test of a collection.

    `results` has every run with every measure; `kind` says whether runs or teams were left out.
    """

    kind: Kind
    contributors: tuple[Contributor, ...] = field(repr=False)
    results: tuple[LeftOut, ...] = field(repr=False)
    summaries: tuple[LeftOutSummary, ...]
    runs: tuple[str, ...] = field(repr=False)
    topics: tuple[str, ...] = field(repr=False)
    pool_depth: int
    notices: tuple[Notice, ...] = field(default=(), repr=False)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order asked for."""
        return tuple(summary.measure for summary in self.summaries)


def leave_one_out(
    qrels: QrelsLike,
    runs: Sequence[RunLike] | Mapping[str, RunLike],
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    teams: TeamsLike = None,
    depth: int | None = None,
    pool_depth: int | None = None,
    **options: Any,
) -> LeaveOneOut:
    """The leave-one-out test: can the collection score runs that did not contribute to its pool?

    C_j are the first `depth` documents of the runs of contributor j, for each topic. `depth` is the
    depth of the pool, as in `pool`. By default it is derived from the judgments: the largest depth
    to which the rankings of all runs are judged completely, in all judged topics. A note reports
    it. If a run has an unjudged document at rank 1, `depth` is required. `pool_depth` is its older
    name. To score only the first documents of rankings, give measures a cutoff.

    U_j = C_j − ∪_{i ≠ j} C_i, what j alone brought
    LOO_j = qrels − U_j

    The runs of j are scored by the qrels and by LOO_j. Every run is a contributor, or every team
    if `teams` says whose the runs are (``{run: team}``, a path or a frame): other runs of a team
    often find the same documents, so leaving out teams is the more realistic and the harder test.
    Judged documents that no run has in its first `depth` stay. Ranks are among all runs,
    those of the other contributors being scored by all judgments. τ is Kendall's τ_b between the
    runs by their scores and by those without their own contributor: 1 if the ranking is the same.
    Both scores are means over the same topics: `undefined` is about those without a relevant
    document in the qrels, one that loses its last relevant document to LOO_j counts as 0.

    Runs are read once, and kept in memory. The options are those of `Evaluator`. It is assumed that
    these runs made the pool, down to that depth: where others did too, unique documents are
    overestimated.

    Reference: Zobel 1998, How Reliable Are the Results of Large-Scale Information Retrieval
    Experiments?, SIGIR; Voorhees 2002, The Philosophy of Information Retrieval Evaluation, CLEF;
    Sakai 2014, Metrics, Statistics, Tests, section 5.4.

    >>> qrels = {"1": {"a": 1, "b": 1, "c": 0}}
    >>> runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["a", "c"]}}
    >>> found = leave_one_out(qrels, runs, "P@2")  # without x, nobody had judged b: 2/2, then 1/2
    >>> [(one.run, one.before, one.after, one.rank_after) for one in found.results]
    [('x', 1.0, 0.5, 1), ('y', 0.5, 0.5, 2)]
    """
    depth = _one_depth(depth, pool_depth)
    settings = _read_once(options)
    progress = settings.pop("progress", None)
    reader = Evaluator(qrels, measures, **settings)
    held = with_each(reader.read(runs), lambda each: [run.held(progress) for run in each])
    settings["topics"] = reader.options.topics  # read once
    settings |= {name: new for name, old, new in _OTHERWISE if settings.get(name) == old}
    judged = reader.collection.gold.qrels
    whole = Evaluator(judged, measures, **settings)
    found = [whole.collection.find(run) for run in held]  # with fewer judgments: some of it
    full = whole.scored(map(whole.collection.labelled, held, found))
    settings["undefined"] = "zero"  # for topics that lose what was relevant
    named = reader.options.named_topics
    depth, derived = _find_depth(depth, held, found, whole)
    made = pool(held, depth, qrels=judged, teams=teams, topics=named, rel=settings.get("rel"))
    kind: Kind = "run" if made.teams is None else "team"
    members = _members(made)
    if len(members) < 2:
        raise InputError(some(list(members), kind), "at least 2, to leave out one")
    contributors, brought_alone = zip(*_contributions(members, made), strict=True)
    place, by_item = _rows(made, judged), np.argsort(whole.collection.gold.items)
    before = _means(full)
    after, about = before.copy(), []
    for contributor, alone, own in zip(contributors, brought_alone, members.values(), strict=True):
        if contributor.unique_judged:
            kept = np.ones(len(judged.levels), dtype=np.bool_)
            kept[place[alone]] = False
            part = Evaluator(_part(judged, kept), measures, **settings)
            less = part.scored_again([(held[i], found[i]) for i in own], kept[by_item])
            after[own] = _means(_where_defined(less, full, own))
            about.append((contributor.name, less.notices))
    columns, about_measures = _rankable(full, before, after)
    by_measure = [_results(full, m, before[:, m], after[:, m], members) for m in columns]
    notices = [
        *full.notices,
        *(notice for notice in made.notices if notice.kind in ("ties", "teams")),
        *derived,
        *_too_deep(contributors, kind, made.depth),
        *about_measures,
        *of_rankings({full.measures[m]: before[:, m] for m in columns}),
        *_lost(full, about, kind),
    ]
    return LeaveOneOut(
        kind,
        contributors,
        tuple(chain(*by_measure)),
        tuple(_summary(results) for results in by_measure),
        full.runs,
        _scored(full),
        made.depth,
        tuple(notices),
    )


# -- reading --------------------------------------------------------------------------------------


_OTHERWISE = (
    ("ties", "rank", None),  # held runs are in the order of their ranks
    ("undefined", "nan", "skip"),  # a mean that is not a number ranks nothing
)


def _read_once(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with what is in files read: it serves many evaluations."""
    if options.get("embed_verticals"):
        raise InputError("verticals as items", "documents: nobody contributes them")
    if options.get("labelling") is not None:
        expected = "none: they may lose items when somebody is left out"
        raise InputError("classes or groups of items", expected)
    readers: dict[str, Callable[[Any], Any]] = {
        "lengths": read_lengths,
        "costs": read_costs,
        "intents": partial(read_intents, separator=options.get("separator")),
        "verticals": partial(read_verticals, separator=options.get("separator")),
    }
    return {
        name: readers[name](value) if name in readers and value is not None else value
        for name, value in options.items()
    }


# -- the depth of the pool ------------------------------------------------------------------------


def _one_depth(depth: int | None, pool_depth: int | None) -> int | None:
    """Return the depth that is given under either name."""
    if depth is not None and pool_depth is not None and depth != pool_depth:
        problem = f"two pool depths: depth={depth} and pool_depth={pool_depth}"
        raise InputError.problem(problem, "Omit one of them")
    return pool_depth if depth is None else depth


def _find_depth(
    depth: int | None, runs: Sequence[Run], found: Sequence[Any], whole: Evaluator
) -> tuple[int, list[Notice]]:
    """Return the given depth, or the largest to which all rankings are judged, with a note."""
    if depth is not None:
        return depth, []
    lists = [whole.collection.of_chosen(one.rankings) for one in found]
    judged, lengths = (
        np.stack([getattr(rankings, name) for rankings in lists])
        for name in ("judged_ranks", "lengths")
    )
    topics = whole.collection.topics
    override = option("--depth K", "depth=K")
    if not (judged < lengths).any():
        longest = int(lengths.max(initial=1))
        text = f"pool depth {longest}, the longest ranking: all returned documents are judged"
        return longest, [Notice("pool-depth", f"{text}. Use {override} to set it.")]
    first = int(np.where(judged < lengths, judged, lengths.max()).argmin())
    run, topic = divmod(first, len(topics))
    depth = int(judged[run, topic])
    place = f"rank {depth + 1} of topic {topics[topic]}"
    unjudged = f"{runs[run].name} has an unjudged document at {place}"
    if depth == 0:
        problem = f"the judgments do not show the pool depth: {unjudged}"
        raise InputError.problem(problem, f"Use {override} with the depth of the pool")
    text = f"pool depth {depth}, to which all rankings are judged: {unjudged}"
    return depth, [Notice("pool-depth", f"{text}. Use {override} to set it.")]


# -- who contributed what -------------------------------------------------------------------------


def _members(made: Pool) -> dict[str, list[int]]:
    """The runs of each contributor, by number."""
    members: dict[str, list[int]] = {}
    for i, name in enumerate(made.teams or made.runs):
        members.setdefault(name, []).append(i)
    return members


def _contributions(
    members: Mapping[str, list[int]], made: Pool
) -> Iterator[tuple[Contributor, Bools]]:
    """What each brought, and which judged documents [of the pool] are there thanks to it alone."""
    assert made.is_judged is not None  # noqa: S101
    assert made.is_relevant is not None  # noqa: S101
    by_run = np.ascontiguousarray(made.found.T)
    brought = np.stack([by_run[own].any(axis=0) for own in members.values()])
    of_one = brought.sum(axis=0) == 1
    for (name, own), documents in zip(members.items(), brought, strict=True):
        alone = documents & of_one
        judged = alone & made.is_judged
        counts = (int(x.sum()) for x in (documents, alone, judged, alone & made.is_relevant))
        yield Contributor(name, tuple(made.runs[i] for i in own), *counts), judged


def _rows(made: Pool, qrels: Qrels) -> Ints:
    """The judgment of each document of the pool; −1 if it has none."""
    names, starts = qrels.doc_names, qrels.offsets.tolist()
    topic = {name: t for t, name in enumerate(qrels.topics)}
    found: list[int] = []
    for name, docs in made.docs.items():
        first, stop = starts[topic[name]], starts[topic[name] + 1]
        row = {doc: i for i, doc in enumerate(names[first:stop], first)}
        found += [row.get(doc, -1) for doc in docs]
    return np.array(found, dtype=np.int64)


def _part(qrels: Qrels, kept: Bools) -> Qrels:
    """Some of the judgments, of the same topics."""
    before = np.concatenate(([0], np.cumsum(kept)))  # of each row, how many are kept above it
    by_intent = qrels.by_intent
    if by_intent is not None:
        there = kept[by_intent.rows]
        by_intent = replace(
            by_intent,
            rows=before[by_intent.rows[there]],
            intents=by_intent.intents[there],
            levels=by_intent.levels[there],
        )
    return Qrels(
        qrels.topics,
        before[qrels.offsets],
        qrels.levels[kept],
        qrels.docs[np.flatnonzero(kept)],
        qrels.where,
        by_intent=by_intent,
    )


# -- what it does to scores and ranks -------------------------------------------------------------


def _scored(full: Scores) -> tuple[str, ...]:
    """The topics for which some measure is defined."""
    known = np.logical_or.reduce(np.isfinite(full.values), axis=(0, 2))
    return tuple(full.topics[t] for t in np.flatnonzero(known))


def _where_defined(less: Scores, full: Scores, own: list[int]) -> Scores:
    """The scores of some runs, of the topics and where there are scores by all judgments."""
    part = less.select(topics=list(full.topics))
    values = np.where(np.isnan(full.values[own]), np.nan, part.values)
    return replace(part, values=values, undefined=full.undefined)


def _means(scores: Scores) -> Floats:
    """What runs are ranked by: [runs, measures]."""
    return np.array([list(of_run.values()) for of_run in scores.summary().values()])


def _rankable(full: Scores, before: Floats, after: Floats) -> tuple[list[int], list[Notice]]:
    """The measures that rank runs, and what to say about the others."""
    able, others = ranking(full)
    defined = np.logical_and.reduce(np.isfinite(before) & np.isfinite(after))
    known = [m for m in map(full.measures.index, able) if defined[m]]
    lacking = [name for name in able if full.measures.index(name) not in known]
    notices = [*others, *(left_out(name, "a mean of it is undefined") for name in lacking)]
    if not known:
        raise InputError(f"no measure that ranks runs{reasons(notices)}", "at least one")
    return known, notices


def _results(
    full: Scores, m: int, before: Floats, after: Floats, members: Mapping[str, list[int]]
) -> list[LeftOut]:
    """Every run by one measure, contributor by contributor."""
    sign = direction(full, full.measures[m])
    ranks_before = _ranks(sign * before)
    found = []
    for name, own in members.items():
        mixed = before.copy()
        mixed[own] = after[own]
        ranks_after = _ranks(sign * mixed)
        for i in own:
            scores = float(before[i]), float(after[i])
            ranks = int(ranks_before[i]), int(ranks_after[i])
            found.append(LeftOut(name, full.runs[i], full.measures[m], *scores, *ranks))
    return found


def _ranks(means: Floats) -> Ints:
    """For each run, one more than the number of runs that are better, by more than rounding."""
    return 1 + standing(means)[0]


def _summary(results: Sequence[LeftOut]) -> LeftOutSummary:
    """Every run by one measure, summed up."""
    most = max(results, key=lambda one: abs(one.difference))
    changes = [abs(one.rank_change) for one in results]
    return LeftOutSummary(
        most.measure,
        math.fsum(abs(one.difference) for one in results) / len(results),
        abs(most.difference),
        most.run,
        sum(change > 0 for change in changes),
        max(changes),
        kendall([one.before for one in results], [one.after for one in results], "b").value,
    )


def _too_deep(made: Sequence[Contributor], kind: Kind, depth: int) -> list[Notice]:
    """Whether the pool seems to be shallower than was said."""
    unjudged = sum(one.unique_judged < one.unique for one in made)
    if 2 * unjudged <= len(made):
        return []
    said = f"{unjudged} of {counted(len(made), kind)} have documents in the first {depth} that no"
    text = f"{said} other {kind} has there and nobody judged: was the pool as deep as {depth}?"
    return [Notice("pool-depth", text)]


def _lost(full: Scores, about: Sequence[tuple[str, Sequence[Notice]]], kind: Kind) -> list[Notice]:
    """What the judgments lack when one is left out, and had before."""
    before = {topic for n in full.notices if n.kind == "no-relevant" for topic in n.topics}
    told = [(name, notice) for name, notices in about for notice in notices]
    without: dict[str, dict[str, None]] = {}
    for name, notice in told:
        for topic in notice.topics if notice.kind == "no-relevant" else ():
            if topic not in before:
                without.setdefault(topic, {})[name] = None
    lower = dict.fromkeys(
        name for name, n in told if n.kind == "max-level" and n not in full.notices
    )
    notices = []
    if without:
        names = list(dict.fromkeys(chain(*without.values())))
        said = f"{some(list(without), 'topic')} without a relevant document"
        text = f"leaving out {some(names, kind)} leaves {said}"
        notices.append(Notice("no-relevant", text, topics=tuple(without)))
    if lower:
        said = f"leaving out {some(list(lower), kind)} takes the highest level away"
        notices.append(Notice("max-level", f"{said}; max_level= declares it"))
    return notices
