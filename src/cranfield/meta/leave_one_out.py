"""Leave-one-out test: can the judgments score runs that were not pooled?

Leave out each run, or team, in turn: score its runs without the judgments of documents that only it
contributed to the pool. If scores and ranks hardly change, the collection can be used for runs that
were not pooled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain
from math import isnan
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.assess.pool import Pool, pool
from cranfield.data.costs import read_costs
from cranfield.data.intents import read_intents
from cranfield.data.lengths import read_lengths
from cranfield.data.qrels import Qrels, QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split
from cranfield.data.tracks import TeamsLike
from cranfield.data.verticals import read_verticals
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.figures import charts
from cranfield.figures.charts import build_number_tooltips
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, MAX_STYLES, Theme
from cranfield.lazy_imports import pl
from cranfield.measures.grammar import MeasureLike
from cranfield.meta.notes import collect_ranking_notes
from cranfield.meta.rankings import count_above_and_tied, kendall
from cranfield.meta.results import MethodResult
from cranfield.scores import Note, Scores
from cranfield.stats.measure_scores import find_ranking_measures, format_reasons, get_sign, note_excluded
from cranfield.tables import (
    ResultTable,
    bind_rows,
    build_columns,
    build_table,
    format_difference,
    format_runs_and_topics,
)
from cranfield.wording import format_count, format_names, format_option

__all__ = ["LeaveOneOut", "leave_one_out"]

Kind: TypeAlias = Literal["run", "team"]


@dataclass(frozen=True)
class Contributor:
    """Contribution of a run, or of a team with its runs, to the pool.

    Without the contributor, `unique_judged` documents lose their judgments,
    `unique_relevant` relevant documents among them.
    """

    name: str
    runs: tuple[str, ...]
    documents: int
    unique: int
    unique_judged: int
    unique_relevant: int


@dataclass(frozen=True)
class LeftOut:
    """Scores and ranks of a run with all judgments, and without its contributor."""

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
        """Difference divided by the score before, nan if that is 0."""
        return self.difference / self.before if self.before else math.nan

    @property
    def rank_change(self) -> int:
        """Number of ranks that the run falls, negative if it rises."""
        return self.rank_after - self.rank_before


@dataclass(frozen=True)
class LeftOutSummary:
    """Effect of leaving out, by measure: changes are absolute, τ is Kendall's."""

    measure: str
    mean_change: float
    largest_change: float
    largest_change_of: str
    ranks_changed: int
    largest_rank_change: int
    tau: float


@dataclass(frozen=True)
class LeaveOneOut(MethodResult):
    """Result of the leave-one-out test of a collection.

    `results` has every run with every measure. `kind` is "run" or "team".
    """

    _flat_tables = ("runs",)
    _settings_names = ("pool_depth", "kind", "runs", "topics")

    kind: Kind
    contributors: tuple[Contributor, ...] = field(repr=False)
    results: tuple[LeftOut, ...] = field(repr=False)
    summaries: tuple[LeftOutSummary, ...]
    runs: tuple[str, ...] = field(repr=False)
    topics: tuple[str, ...] = field(repr=False)
    pool_depth: int
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures, in the requested order."""
        return tuple(summary.measure for summary in self.summaries)

    def _build_tables(self) -> list[ResultTable]:
        return [build_summary_table(self), build_runs_table(self), build_contributors_table(self)]

    def _build_figure(self, theme: Theme = DEFAULT_THEME) -> Figure:
        """Plot scores without the contributor against scores by all judgments."""
        columns = ("measure", "contributor", "run", "before", "after", "difference")
        data = build_runs_table(self).to_frame(*columns)
        return Figure(lambda: _draw_scatter(data, self, theme), data, self.notes)


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
    """Run the leave-one-out test: can the collection score runs that were not pooled?

    C_j are the first `depth` documents of the runs of contributor j, for each topic. `depth` is the
    depth of the pool, as in `pool`. By default it is derived from the judgments: the largest depth
    to which the rankings of all runs are judged completely, in all judged topics. A note reports
    it. If a run has an unjudged document at rank 1, `depth` is required. `pool_depth` is its older
    name. To score only the first documents of rankings, give measures a cutoff.

    U_j = C_j − ∪_{i ≠ j} C_i, what j alone brought
    LOO_j = qrels − U_j

    The runs of j are scored by the qrels and by LOO_j. Every run is a contributor, or every team if
    `teams` maps runs to teams (``{run: team}``, a path or a frame). Runs of the same team often
    retrieve the same documents, so leaving out teams is more realistic and harder. Judged documents
    that no run has in its first `depth` stay. Ranks are among all runs; runs of the other
    contributors are scored by all judgments. τ is Kendall's τ_b between the scores of the runs and
    the scores without their own contributor: 1 if the ranking is the same. Both scores are means
    over the same topics: `undefined` applies to topics without a relevant document in the qrels. A
    topic that loses its last relevant document in LOO_j scores 0.

    Runs are read once and kept in memory. The options are those of `Evaluator`. The test assumes
    that these runs formed the pool, to that depth. If other runs also contributed, unique documents
    are overestimated.

    Reference: Zobel 1998, How Reliable Are the Results of Large-Scale Information Retrieval
    Experiments?, SIGIR; Voorhees 2002, The Philosophy of Information Retrieval Evaluation, CLEF;
    Sakai 2014, Metrics, Statistics, Tests, section 5.4.

    >>> qrels = {"1": {"a": 1, "b": 1, "c": 0}}
    >>> runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["a", "c"]}}
    >>> found = leave_one_out(qrels, runs, "P@2")  # without x, nobody had judged b: 2/2, then 1/2
    >>> [(one.run, one.before, one.after, one.rank_after) for one in found.results]
    [('x', 1.0, 0.5, 1), ('y', 0.5, 0.5, 2)]
    """
    depth = _resolve_depth(depth, pool_depth)
    settings = _read_inputs(options)
    progress = settings.pop("progress", None)
    reader = Evaluator(qrels, measures, **settings)
    loaded_runs = call_with_split(reader.read(runs), lambda loaded: [run.load(progress) for run in loaded])
    settings["topics"] = reader.options.topics  # read once
    settings |= {name: new for name, old, new in _REPLACED_OPTIONS if settings.get(name) == old}
    judged = reader.collection.gold.qrels
    evaluator = Evaluator(judged, measures, **settings)
    hits = [evaluator.collection.match_run(run) for run in loaded_runs]  # with fewer judgments: some of it
    full = evaluator.score_labelled(map(evaluator.collection.apply_labels, loaded_runs, hits))
    settings["undefined"] = "zero"  # for topics that lose what was relevant
    selected_topics = reader.options.named_topics
    depth, depth_notes = _find_depth(depth, loaded_runs, hits, evaluator)
    pool_result = pool(loaded_runs, depth, qrels=judged, teams=teams, topics=selected_topics, rel=settings.get("rel"))
    kind: Kind = "run" if pool_result.teams is None else "team"
    members = _group_runs(pool_result)
    if len(members) < 2:
        raise InputError(format_names(list(members), kind), f"at least 2 {kind}s")
    contributors, unique_masks = zip(*_find_contributions(members, pool_result), strict=True)
    place, by_item = (_find_judgment_rows(pool_result, judged), np.argsort(evaluator.collection.gold.items))
    means_before = _compute_means(full)
    means_after, part_notes = means_before.copy(), []
    for contributor, unique_docs, own_runs in zip(contributors, unique_masks, members.values(), strict=True):
        if contributor.unique_judged:
            is_kept = np.ones(len(judged.levels), dtype=np.bool_)
            is_kept[place[unique_docs]] = False
            part = Evaluator(_select_judgments(judged, is_kept), measures, **settings)
            part_scores = part.score_again([(loaded_runs[i], hits[i]) for i in own_runs], is_kept[by_item])
            means_after[own_runs] = _compute_means(_keep_defined(part_scores, full, own_runs))
            part_notes.append((contributor.name, part_scores.notes))
    columns, exclusions = _select_rankable(full, means_before, means_after)
    by_measure = [_build_results(full, m, means_before[:, m], means_after[:, m], members) for m in columns]
    notes = [
        *full.notes,
        *(note for note in pool_result.notes if note.kind in ("ties", "teams")),
        *depth_notes,
        *_check_pool_depth(contributors, kind, pool_result.depth),
        *exclusions,
        *collect_ranking_notes({full.measures[m]: means_before[:, m] for m in columns}),
        *_collect_lost_notes(full, part_notes, kind),
    ]
    return LeaveOneOut(
        kind,
        contributors,
        tuple(chain(*by_measure)),
        tuple(_compute_summary(results) for results in by_measure),
        full.runs,
        _find_scored_topics(full),
        pool_result.depth,
        tuple(notes),
    )


# -- reading --------------------------------------------------------------------------------------


_REPLACED_OPTIONS = (
    ("ties", "rank", None),  # held runs are in the order of their ranks
    ("undefined", "nan", "skip"),  # a mean that is not a number ranks nothing
)


def _read_inputs(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options, with files read: they serve many evaluations."""
    if options.get("embed_verticals"):
        raise InputError.from_problem("verticals cannot be items: no run contributes them")
    if options.get("labelling") is not None:
        problem = "classes and groups of items are not supported: they can lose items"
        raise InputError.from_problem(problem)
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


def _resolve_depth(depth: int | None, pool_depth: int | None) -> int | None:
    """Return the depth, given under either name."""
    if depth is not None and pool_depth is not None and depth != pool_depth:
        problem = f"two pool depths: depth={depth} and pool_depth={pool_depth}"
        raise InputError.from_problem(problem, "Omit one of them.")
    return pool_depth if depth is None else depth


def _find_depth(
    depth: int | None, runs: Sequence[Run], hits: Sequence[Any], evaluator: Evaluator
) -> tuple[int, list[Note]]:
    """Return the given depth, or the largest to which all rankings are judged, with a note."""
    if depth is not None:
        return depth, []
    lists = [evaluator.collection.select_topics(run_hits.rankings) for run_hits in hits]
    judged, lengths = (
        np.stack([getattr(rankings, name) for rankings in lists]) for name in ("judged_ranks", "lengths")
    )
    topics = evaluator.collection.topics
    override = format_option("--depth K", "depth=K")
    if not (judged < lengths).any():
        longest = int(lengths.max(initial=1))
        text = f"pool depth {longest}, the longest ranking: all returned documents are judged"
        return longest, [Note("pool-depth", f"{text}. Use {override} to set it.")]
    first = int(np.where(judged < lengths, judged, lengths.max()).argmin())
    run, topic = divmod(first, len(topics))
    depth = int(judged[run, topic])
    place = f"rank {depth + 1} of topic {topics[topic]}"
    unjudged = f"{runs[run].name} has an unjudged document at {place}"
    if depth == 0:
        problem = f"the judgments do not show the pool depth: {unjudged}"
        raise InputError.from_problem(problem, f"Use {override} with the depth of the pool.")
    text = f"pool depth {depth}, to which all rankings are judged: {unjudged}"
    return depth, [Note("pool-depth", f"{text}. Use {override} to set it.")]


# -- who contributed what -------------------------------------------------------------------------


def _group_runs(pool_result: Pool) -> dict[str, list[int]]:
    """Map each contributor to the indices of its runs."""
    members: dict[str, list[int]] = {}
    for i, name in enumerate(pool_result.teams or pool_result.runs):
        members.setdefault(name, []).append(i)
    return members


def _find_contributions(members: Mapping[str, list[int]], pool_result: Pool) -> Iterator[tuple[Contributor, Bools]]:
    """Yield each contributor, with the judged documents [of the pool] that only it contributed."""
    assert pool_result.is_judged is not None  # noqa: S101
    assert pool_result.is_relevant is not None  # noqa: S101
    by_run = np.ascontiguousarray(pool_result.found.T)
    contributed = np.stack([by_run[own_runs].any(axis=0) for own_runs in members.values()])
    is_unique = contributed.sum(axis=0) == 1
    for (name, own_runs), documents in zip(members.items(), contributed, strict=True):
        unique_docs = documents & is_unique
        judged = unique_docs & pool_result.is_judged
        counts = (int(x.sum()) for x in (documents, unique_docs, judged, unique_docs & pool_result.is_relevant))
        yield Contributor(name, tuple(pool_result.runs[i] for i in own_runs), *counts), judged


def _find_judgment_rows(pool_result: Pool, qrels: Qrels) -> Ints:
    """Return the row of each pooled document in the judgments, −1 without one."""
    names, starts = qrels.doc_names, qrels.offsets.tolist()
    topic = {name: t for t, name in enumerate(qrels.topics)}
    rows: list[int] = []
    for name, docs in pool_result.docs.items():
        first, stop = starts[topic[name]], starts[topic[name] + 1]
        row = {doc: i for i, doc in enumerate(names[first:stop], first)}
        rows += [row.get(doc, -1) for doc in docs]
    return np.array(rows, dtype=np.int64)


def _select_judgments(qrels: Qrels, is_kept: Bools) -> Qrels:
    """Return some of the judgments, of the same topics."""
    kept_above = np.concatenate(([0], np.cumsum(is_kept)))  # of each row, how many are kept above it
    by_intent = qrels.by_intent
    if by_intent is not None:
        kept_intents = is_kept[by_intent.rows]
        by_intent = replace(
            by_intent,
            rows=kept_above[by_intent.rows[kept_intents]],
            intents=by_intent.intents[kept_intents],
            levels=by_intent.levels[kept_intents],
        )
    return Qrels(
        qrels.topics,
        kept_above[qrels.offsets],
        qrels.levels[is_kept],
        qrels.docs[np.flatnonzero(is_kept)],
        qrels.where,
        by_intent=by_intent,
    )


# -- what it does to scores and ranks -------------------------------------------------------------


def _find_scored_topics(full: Scores) -> tuple[str, ...]:
    """Return the topics on which a measure is defined."""
    is_defined = np.logical_or.reduce(np.isfinite(full.values), axis=(0, 2))
    return tuple(full.topics[t] for t in np.flatnonzero(is_defined))


def _keep_defined(part_scores: Scores, full: Scores, own_runs: list[int]) -> Scores:
    """Return scores of some runs, undefined if the full scores are."""
    part = part_scores.select(topics=list(full.topics))
    values = np.where(np.isnan(full.values[own_runs]), np.nan, part.values)
    return replace(part, values=values, undefined=full.undefined)


def _compute_means(scores: Scores) -> Floats:
    """Return the means that rank the runs: [runs, measures]."""
    return np.array([list(of_run.values()) for of_run in scores.summary().values()])


def _select_rankable(full: Scores, means_before: Floats, means_after: Floats) -> tuple[list[int], list[Note]]:
    """Return the measures that rank runs, and notes about the others."""
    rankable, exclusions = find_ranking_measures(full)
    defined = np.logical_and.reduce(np.isfinite(means_before) & np.isfinite(means_after))
    columns = [m for m in map(full.measures.index, rankable) if defined[m]]
    undefined_names = [name for name in rankable if full.measures.index(name) not in columns]
    notes = [*exclusions, *(note_excluded(name, "a mean of it is undefined") for name in undefined_names)]
    if not columns:
        raise InputError.from_problem(f"no measure can rank the runs{format_reasons(notes)}")
    return columns, notes


def _build_results(
    full: Scores, m: int, means_before: Floats, means_after: Floats, members: Mapping[str, list[int]]
) -> list[LeftOut]:
    """Return the results of one measure, contributor by contributor."""
    sign = get_sign(full, full.measures[m])
    ranks_before = _compute_ranks(sign * means_before)
    results = []
    for name, own_runs in members.items():
        mixed = means_before.copy()
        mixed[own_runs] = means_after[own_runs]
        ranks_after = _compute_ranks(sign * mixed)
        for i in own_runs:
            scores = float(means_before[i]), float(means_after[i])
            ranks = int(ranks_before[i]), int(ranks_after[i])
            results.append(LeftOut(name, full.runs[i], full.measures[m], *scores, *ranks))
    return results


def _compute_ranks(means: Floats) -> Ints:
    """Return one more than the number of better runs, beyond the rounding error."""
    return 1 + count_above_and_tied(means)[0]


def _compute_summary(results: Sequence[LeftOut]) -> LeftOutSummary:
    largest = max(results, key=lambda result: abs(result.difference))
    changes = [abs(result.rank_change) for result in results]
    return LeftOutSummary(
        largest.measure,
        math.fsum(abs(result.difference) for result in results) / len(results),
        abs(largest.difference),
        largest.run,
        sum(change > 0 for change in changes),
        max(changes),
        kendall([result.before for result in results], [result.after for result in results], "b").value,
    )


def _check_pool_depth(contributors: Sequence[Contributor], kind: Kind, depth: int) -> list[Note]:
    """Return a note if the pool seems to be shallower than the depth."""
    unjudged = sum(contributor.unique_judged < contributor.unique for contributor in contributors)
    if 2 * unjudged <= len(contributors):
        return []
    total = format_count(len(contributors), kind)
    text = (
        f"{unjudged} of {total} have unjudged documents in the first {depth} that no other {kind} "
        f"has. Check that the pool depth is {depth}."
    )
    return [Note("pool-depth", text)]


def _collect_lost_notes(full: Scores, part_notes: Sequence[tuple[str, Sequence[Note]]], kind: Kind) -> list[Note]:
    """Return notes about topics and levels that are lost without a contributor."""
    topics_before = {topic for n in full.notes if n.kind == "no-relevant" for topic in n.topics}
    named_notes = [(name, note) for name, notes in part_notes for note in notes]
    lost_topics: dict[str, dict[str, None]] = {}
    for name, note in named_notes:
        for topic in note.topics if note.kind == "no-relevant" else ():
            if topic not in topics_before:
                lost_topics.setdefault(topic, {})[name] = None
    lower = dict.fromkeys(name for name, n in named_notes if n.kind == "max-level" and n not in full.notes)
    notes = []
    if lost_topics:
        names = list(dict.fromkeys(chain(*lost_topics.values())))
        consequence = f"{format_names(list(lost_topics), 'topic')} without a relevant document"
        text = f"without {format_names(names, kind)}: {consequence}"
        notes.append(Note("no-relevant", text, topics=tuple(lost_topics)))
    if lower:
        text = f"without {format_names(list(lower), kind)}, no document has the highest level"
        notes.append(Note("max-level", f"{text}. Use max_level= to declare it."))
    return notes


# -- tables and figures ---------------------------------------------------------------------------

SIDE = 300  # of a panel, in points
MAX_NAMES = 8  # runs with the largest changes


def build_summary_table(result: LeaveOneOut) -> ResultTable:
    """Return a row for each measure with the changes of scores and ranks."""
    column = bind_rows(result.summaries)
    return build_table(
        "summary",
        f"Leave-one-out test, {_describe_comparison(result)}: every run is scored without the "
        f"judgments of documents that no other {result.kind} has in its first {result.pool_depth}. "
        "Changes of scores are absolute. τ: Kendall's τ_b between the runs by all judgments and "
        "by these scores.",
        column("measure", key=True),
        *build_columns(column, "mean_change", "largest_change"),
        column("largest_change_of", head="of"),
        *build_columns(column, "ranks_changed", "largest_rank_change"),
        column("tau", head="τ"),
    )


def build_runs_table(result: LeaveOneOut) -> ResultTable:
    column = bind_rows(result.results)
    owner = "this run" if result.kind == "run" else "its team"
    return build_table(
        "runs",
        f"Leave-one-out test, {_describe_comparison(result)}: the score of each run by all "
        "judgments (before) and without the judgments of documents that only "
        f"{owner} has in the first {result.pool_depth} (after). Ranks are among all runs; runs of "
        f"every other {result.kind} are scored by all judgments.",
        column("measure", key=True),
        column("contributor", head="team", visible=result.kind == "team", key=True),
        column("run", key=True),
        *build_columns(column, "before", "after"),
        column("difference", text=format_difference),
        column("relative", head="%", text=lambda x: "–" if isnan(x) else f"{100 * x:+.2f}"),
        *build_columns(column, "rank_before", "rank_after"),
    )


def build_contributors_table(result: LeaveOneOut) -> ResultTable:
    """Return a row for each run, or team, with its own contribution."""
    column = bind_rows(result.contributors)
    return build_table(
        "contributors",
        f"Documents in the first {result.pool_depth} of {_describe_comparison(result)}, and "
        f"documents that no other {result.kind} has there.",
        column("contributor", lambda contributor: contributor.name, result.kind, key=True),
        column("runs", lambda contributor: len(contributor.runs), visible=result.kind == "team"),
        *build_columns(column, "documents", "unique", "unique_judged", "unique_relevant"),
    )


def _describe_comparison(result: LeaveOneOut) -> str:
    teams_text = f" of {format_count(len(result.contributors), 'team')} on "
    size = format_runs_and_topics(len(result.runs), len(result.topics))
    return size if result.kind == "run" else size.replace(" on ", teams_text)


def _draw_scatter(data: pl.DataFrame, result: LeaveOneOut, theme: Theme) -> Any:
    panels = [_draw_panel(data.filter(measure=name), name, result, theme) for name in result.measures]
    owner = "the run" if result.kind == "run" else "its team"
    captions = [
        f"below the dashed line: lower without the documents that only {owner} has in the first {result.pool_depth}",
        "names: runs with the largest changes",
    ]
    return charts.build_panels(panels, 3, theme, f"Leave-one-out test: {_describe_comparison(result)}", captions)


def _draw_panel(data: pl.DataFrame, measure: str, result: LeaveOneOut, theme: Theme) -> Any:
    axis_names = {"before": "all judgments", "after": f"{result.kind} left out"}
    titles = {name: f"{measure}, {text}" for name, text in axis_names.items()}
    plane = charts.Plane.with_equal_axes(data, titles, SIDE, theme)
    tooltip = ["contributor:N", "run:N", *build_number_tooltips("before", "after", "difference")]
    points = plane.draw_points(tooltip, data["run"])
    if result.kind == "team" and data["contributor"].n_unique() <= MAX_STYLES:
        marks = charts.encode_names(data["contributor"], "team", theme)
        points = points.encode(marks["color"], marks["shape"])
    changed = data.filter(pl.col("difference") != 0)
    largest = changed.sort(pl.col("difference").abs(), descending=True).head(MAX_NAMES)
    texts = plane.draw_labels(plane.place_names(largest, data, MAX_NAMES, plane.diagonal_boxes))
    return plane.build_panel(data, plane.draw_diagonal(), points, *texts)
