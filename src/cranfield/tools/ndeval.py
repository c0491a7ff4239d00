"""ndeval's work, in its layout: diversity and novelty of each topic and their means, as CSV.

The program came with the diversity task of TREC's Web track: judgments are for subtopics.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.trec import line_of
from cranfield.data.run import Run, RunLike, TableRun, read_run
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.measures.grammar import parse_measure
from cranfield.scores import Notice
from cranfield.tools.drop_ins import check_unquoted, mean_of, with_parameters
from cranfield.tools.gdeval import in_order, numbered

CUTOFFS = (5, 10, 20)
COLUMNS = (
    *(f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for k in CUTOFFS),
    *("NRBP", "nNRBP", "MAP-IA"),
    *(f"{name}@{k}" for name in ("P-IA", "strec") for k in CUTOFFS),
)


@dataclass(frozen=True)
class _Scored:
    """What is printed of a run."""

    name: str
    rows: dict[str, Floats]  # of topics
    counted: frozenset[str]  # those that the mean is over
    printed: frozenset[str]  # those that are answered, judged or not
    notices: tuple[Notice, ...]

    def row(self, topic: str) -> Floats:
        """The values of a topic; zeros if it is not judged or not answered."""
        return self.rows.get(topic, np.zeros(len(COLUMNS)))

    def against(self, other: _Scored, risk: float, complete: bool) -> _Scored:
        """The differences from a baseline: gains as they are, losses 1 + `risk` times."""
        printed = self.printed | (other.printed if complete else frozenset())
        difference = {t: self.row(t) - other.row(t) for t in (*self.rows, *printed)}
        return _Scored(
            f"{self.name} (rel to. {other.name}; rs=1+a; a={risk:g})",
            {t: np.where(x >= 0, x, (risk + 1) * x) for t, x in difference.items()},
            self.counted,
            printed,
            (*self.notices, *other.notices),
        )


def ndeval(
    qrels: QrelsLike,
    run: RunLike,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
    traditional: bool = False,
    complete: bool = False,
    depth: int | None = None,
    baseline: RunLike = None,
    risk: float = 0,
) -> tuple[list[str], list[Notice]]:
    """The lines that ndeval prints of a run, and what the user should know.

    Files and frames are taken in the order of their ranks; if it is `traditional`, by score. Topics
    that the run answers are printed, and the mean is over those of them that are judged; if it is
    `complete`, over all judged topics. With a `baseline` values are differences from it, and losses
    count 1 + `risk` times.

    >>> qrels = [("1", "1", "a", 1), ("1", "2", "b", 1)]
    >>> lines, _ = ndeval(qrels, {"1": ["a", "b"]})
    >>> lines[0][:20], lines[1][:14]  # (1 + 1/2) / 2(1 + 1/4 + 1/12 + 1/32 + 1/80)
    ('runid,topic,ERR-IA@5', 'run,1,0.544629')
    """
    judged, notices = read_qrels(qrels, "trec", by_intent=True), list[Notice]()
    runs = [_read(one, traditional) for one in (run, baseline) if one is not None]
    for place, one in enumerate(runs):
        judged, runs[place], text = numbered(judged, one)
        notices += text
    settings = {"alpha": alpha, "beta": beta, "equal": "bits"}
    measures = [with_parameters(m, **settings) for m in map(parse_measure, COLUMNS)]
    evaluator = Evaluator(judged, measures, topics="judged" if complete else "common", depth=depth)
    scored, *others = (_scored(evaluator, one) for one in runs)
    for other in others:
        scored = scored.against(other, risk, complete)
    printed, counted = (sorted(of, key=in_order) for of in (scored.printed, scored.counted))
    shown = [(topic, scored.row(topic)) for topic in printed]
    shown.append(("amean", mean_of([scored.row(topic) for topic in counted])))
    check_unquoted((scored.name, *printed), runs[0].where)
    lines = [f"{scored.name},{topic},{','.join(f'{x:.6f}' for x in row)}" for topic, row in shown]
    notices += scored.notices
    return [f"runid,topic,{','.join(COLUMNS)}", *lines], list(dict.fromkeys(notices))


def _scored(evaluator: Evaluator, run: Run) -> _Scored:
    scores = evaluator.scores([run], strangers=True)
    subtopics = _subtopics(evaluator.collection.gold.qrels)
    scored = zip(scores.topics, scores.values[0], strict=True)
    rows = {topic: _divided_once(row, subtopics[topic]) for topic, row in scored}
    told = {notice.kind: notice.topics for notice in scores.notices if notice.run is not None}
    answered = {*rows} - {*told.get("missing-topics", ())} | {*told.get("unjudged-topics", ())}
    # that intents are equally probable is no news here
    notices = tuple(notice for notice in scores.notices if notice.kind != "intents")
    return _Scored(run.name, rows, frozenset(rows), frozenset(answered), notices)


def _divided_once(row: Floats, subtopics: int) -> Floats:
    """The values of a topic, with P-IA@k as a number of documents over k times that of subtopics.

    The mean of P over subtopics is the same but for its last bit, and that may decide a digit.
    """
    values = row.copy()
    for k in CUTOFFS:
        place = COLUMNS.index(f"P-IA@{k}")
        values[place] = round(row[place] * k * subtopics) / (k * max(subtopics, 1))
    return values


def _subtopics(judged: Qrels) -> dict[str, int]:
    """How many subtopics of each topic have a relevant document."""
    known = judged.by_intent
    assert known is not None  # noqa: S101
    topic = np.searchsorted(judged.offsets, known.rows, side="right") - 1
    relevant = {*zip(topic[known.levels > 0], known.intents[known.levels > 0], strict=True)}
    count = Counter(t for t, _ in relevant)
    return {name: count[t] for t, name in enumerate(judged.topics)}


# -- order ----------------------------------------------------------------------------------------


def _read(run: RunLike, traditional: bool) -> Run:
    """A run by rank, where there are ranks, or by score."""
    if traditional or not (isinstance(run, str | os.PathLike) or is_frame(run)):
        return read_run(run, "trec", further=True, run_names="first")
    ranked = read_run(run, "trec", ties="rank", further=True, run_names="first")
    if isinstance(ranked, TableRun):
        _refuse_repeated_ranks(ranked)
    return ranked


def _refuse_repeated_ranks(run: TableRun) -> None:
    table = run.gathered()
    order = np.lexsort((table.values, table.group))
    again = (np.diff(table.group[order]) == 0) & (np.diff(table.values[order]) == 0)
    if not again.any():
        return
    row = int(order[1:][again].min())
    topic, doc = table.names[table.group[row]], table.docs[[row]].tolist()[0]
    line = None if run.source is None else line_of(run.source, "run", topic, doc)
    found = f"rank {-table.values[row]:g} of topic {topic} again"
    raise InputError(found, "each rank once (-traditional looks at scores)", run.where, line)
