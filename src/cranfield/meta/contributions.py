"""Relevant documents that runs and teams contribute, by depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from cranfield.arrays import Bools, Ints
from cranfield.assess.teams import note_teams
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split
from cranfield.data.tracks import TeamsLike, read_teams
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.cutoffs import check_cutoffs, choose_cutoffs
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import Settings
from cranfield.scores import Note

NEVER = np.iinfo(np.int64).max  # the rank of what nobody returned


class RelevantCount(NamedTuple):
    """Relevant documents of a run, a team, or all of them together, up to a depth.

    `share` is the fraction of all known relevant documents. `unique` is the number of documents
    that no other run or team retrieved up to this depth, None for all together.
    """

    kind: Literal["run", "team", "all"]
    name: str
    depth: int
    relevant: int
    share: float
    unique: int | None


@dataclass(frozen=True)
class RelevantCounts:
    """Relevant documents by depth: of all runs together, then of each run or team."""

    rows: tuple[RelevantCount, ...]
    relevant: int  # known in all
    topics: int
    notes: tuple[Note, ...]


def count_relevant(
    qrels: QrelsLike,
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    cutoffs: Iterable[int] | None = None,
    *,
    teams: TeamsLike = None,
    **options: Unpack[Settings],
) -> RelevantCounts:
    """Return the number of relevant documents in the first d of the runs, by depth d.

    Found(j, d) = |∪_{runs of j} relevant documents in the first d|, over all topics

    Every run is separate, or every team if `teams` maps runs to teams. The first rows are for all
    of them together. `cutoffs` are the depths. Default: round depths up to the longest ranking. The
    options are those of `Evaluator`.

    >>> qrels = {"1": {"a": 1, "b": 1, "c": 0}}
    >>> runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["c", "a"]}}
    >>> found = count_relevant(qrels, runs, [2])
    >>> [(one.name, one.relevant, one.share, one.unique) for one in found.rows]
    [('all', 2, 1.0, None), ('x', 2, 1.0, 1), ('y', 1, 0.5, 0)]
    """
    if options.get("labelling") is not None:
        raise InputError.from_problem("classes and groups of items cannot be pooled")
    evaluator = Evaluator(qrels, "NumRelRet", **options)
    evaluator.options.reject_expected_ties()
    selected_depths = None if cutoffs is None else check_cutoffs(cutoffs)
    team_of = None if teams is None else read_teams(teams)

    def count_found(loaded_runs: Sequence[Run]) -> RelevantCounts:
        collection = evaluator.collection
        labelled = [collection.label(run) for run in loaded_runs]
        scores = evaluator.score_labelled(labelled)
        counting = np.isin(collection.topics, scores.topics)
        relevant = _select_relevant(evaluator, counting)
        lists = [labelled_run.rankings.keep_topics(counting) for labelled_run in labelled]
        depths = selected_depths or choose_cutoffs(max(int(x.lengths.max(initial=0)) for x in lists))
        names = [run.name for run in loaded_runs]
        notes = [] if team_of is None else note_teams(names, team_of)
        owners = names if team_of is None else [team_of.get(name, name) for name in names]
        best = {owner: np.full(len(relevant), NEVER) for owner in owners}
        for owner, rankings in zip(owners, lists, strict=True):
            np.minimum.at(best[owner], rankings.items, rankings.ranks)
        by_owner = {owner: ranks[relevant] for owner, ranks in best.items()}
        kind: Any = "run" if team_of is None else "team"
        rows = tuple(_build_rows(kind, by_owner, depths))
        return RelevantCounts(rows, int(relevant.sum()), len(scores.topics), (*notes, *scores.notes))

    return call_with_split(evaluator.read(runs), count_found)


def _select_relevant(evaluator: Evaluator, counting: Bools) -> Bools:
    """Return which judged items are relevant, in the topics that count."""
    judged, rel = evaluator.collection.gold.judgments, evaluator.options.rel
    relevant: Bools = judged.levels > 0 if rel is None else judged.levels >= rel
    relevant = relevant & counting[judged.item_topics]
    if not relevant.any():
        path = evaluator.collection.gold.qrels.where
        raise InputError.from_problem("no relevant document in the judgments", where=path)
    return relevant


def _build_rows(
    kind: Literal["run", "team"], best: Mapping[str, Ints], depths: Sequence[int]
) -> Iterable[RelevantCount]:
    """Yield the counts at each depth from the best rank of each document by each owner."""
    ranks = np.stack([*best.values()])
    first, second = np.partition(np.vstack([ranks, np.full_like(ranks[0], NEVER)]), 1, axis=0)[:2]
    total = ranks.shape[1]
    for depth in depths:
        count = int(np.count_nonzero(first <= depth))
        yield RelevantCount("all", "all", depth, count, count / total, None)
    for name, owner_ranks in zip(best, ranks, strict=True):
        for depth in depths:
            within_depth = owner_ranks <= depth
            count = int(np.count_nonzero(within_depth))
            unique = int(np.count_nonzero(within_depth & (second > depth)))
            yield RelevantCount(kind, name, depth, count, count / total, unique)
