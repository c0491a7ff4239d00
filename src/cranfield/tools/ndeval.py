"""Drop-in replacement for ndeval: diversity and novelty of topics and their means, as CSV.

The program came with the diversity task of TREC's Web track: judgments are for subtopics.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.trec import find_line
from cranfield.data.run import Run, TableRun
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import read_run
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.measures.grammar import parse_measure
from cranfield.scores import Note
from cranfield.tools.drop_ins import average_rows, check_unquoted, with_parameters
from cranfield.tools.gdeval import make_sort_key, number_topics

CUTOFFS = (5, 10, 20)
COLUMNS = (
    *(f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for k in CUTOFFS),
    *("NRBP", "nNRBP", "MAP-IA"),
    *(f"{name}@{k}" for name in ("P-IA", "strec") for k in CUTOFFS),
)


@dataclass(frozen=True)
class _RunValues:
    """Printed values of a run."""

    name: str
    rows: dict[str, Floats]  # of topics
    averaged_topics: frozenset[str]  # Number of averaged topics.
    printed_topics: frozenset[str]  # Topics of the run, judged or not.
    notes: tuple[Note, ...]

    def get_row(self, topic: str) -> Floats:
        """Return the values of a topic, zeros if it is unjudged or missing."""
        return self.rows.get(topic, np.zeros(len(COLUMNS)))

    def subtract(self, baseline: _RunValues, risk: float, complete: bool) -> _RunValues:
        """Return the differences from a baseline; losses count 1 + `risk` times."""
        printed = self.printed_topics | (baseline.printed_topics if complete else frozenset())
        difference = {t: self.get_row(t) - baseline.get_row(t) for t in (*self.rows, *printed)}
        return _RunValues(
            f"{self.name} (rel to. {baseline.name}; rs=1+a; a={risk:g})",
            {t: np.where(x >= 0, x, (risk + 1) * x) for t, x in difference.items()},
            self.averaged_topics,
            printed,
            (*self.notes, *baseline.notes),
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
) -> tuple[list[str], list[Note]]:
    """Return the lines that ndeval prints for a run, and the notes.

    Files and frames are ordered by rank, if `traditional` by score. Topics of the run are printed.
    The mean is over the judged topics of the run, or over all judged topics if `complete`. With a
    `baseline`, values are differences from it, and losses count 1 + `risk` times.

    >>> qrels = [("1", "1", "a", 1), ("1", "2", "b", 1)]
    >>> lines, _ = ndeval(qrels, {"1": ["a", "b"]})
    >>> lines[0][:20], lines[1][:14]  # (1 + 1/2) / 2(1 + 1/4 + 1/12 + 1/32 + 1/80)
    ('runid,topic,ERR-IA@5', 'run,1,0.544629')
    """
    judged, notes = read_qrels(qrels, "trec", by_intent=True), list[Note]()
    runs = [_read_ordered_run(system_run, traditional) for system_run in (run, baseline) if system_run is not None]
    for place, system_run in enumerate(runs):
        judged, runs[place], text = number_topics(judged, system_run)
        notes += text
    settings = {"alpha": alpha, "beta": beta, "equal": "bits"}
    measures = [with_parameters(m, **settings) for m in map(parse_measure, COLUMNS)]
    evaluator = Evaluator(judged, measures, topics="judged" if complete else "common", depth=depth)
    scored, *references = (_score_run(evaluator, system_run) for system_run in runs)
    for reference in references:
        scored = scored.subtract(reference, risk, complete)
    printed, averaged = (
        sorted(topic_names, key=make_sort_key) for topic_names in (scored.printed_topics, scored.averaged_topics)
    )
    printed_rows = [(topic, scored.get_row(topic)) for topic in printed]
    printed_rows.append(("amean", average_rows([scored.get_row(topic) for topic in averaged])))
    check_unquoted((scored.name, *printed), runs[0].where)
    lines = [f"{scored.name},{topic},{','.join(f'{x:.6f}' for x in row)}" for topic, row in printed_rows]
    notes += scored.notes
    return [f"runid,topic,{','.join(COLUMNS)}", *lines], list(dict.fromkeys(notes))


def _score_run(evaluator: Evaluator, run: Run) -> _RunValues:
    scores = evaluator.score_runs([run], strangers=True)
    subtopics = _count_subtopics(evaluator.collection.gold.qrels)
    scored = zip(scores.topics, scores.values[0], strict=True)
    rows = {topic: _normalize_precision(row, subtopics[topic]) for topic, row in scored}
    topics_by_kind = {note.kind: note.topics for note in scores.notes if note.run is not None}
    answered = {*rows} - {*topics_by_kind.get("missing-topics", ())} | {*topics_by_kind.get("unjudged-topics", ())}
    # Intents are always equally probable here: omit the note.
    notes = tuple(note for note in scores.notes if note.kind != "intents")
    return _RunValues(run.name, rows, frozenset(rows), frozenset(answered), notes)


def _normalize_precision(row: Floats, subtopics: int) -> Floats:
    """Return the values of a topic, with P-IA@k as documents / (k · subtopics).

    The mean of P over subtopics differs in the last bit, which can change a printed digit.
    """
    values = row.copy()
    for k in CUTOFFS:
        place = COLUMNS.index(f"P-IA@{k}")
        values[place] = round(row[place] * k * subtopics) / (k * max(subtopics, 1))
    return values


def _count_subtopics(judged: Qrels) -> dict[str, int]:
    """Count the subtopics with a relevant document of each topic."""
    by_intent = judged.by_intent
    assert by_intent is not None  # noqa: S101
    topic = np.searchsorted(judged.offsets, by_intent.rows, side="right") - 1
    relevant = {*zip(topic[by_intent.levels > 0], by_intent.intents[by_intent.levels > 0], strict=True)}
    count = Counter(t for t, _ in relevant)
    return {name: count[t] for t, name in enumerate(judged.topics)}


# -- order ----------------------------------------------------------------------------------------


def _read_ordered_run(run: RunLike, traditional: bool) -> Run:
    """Read a run ordered by rank if it has ranks, else by score."""
    if traditional or not (isinstance(run, str | os.PathLike) or is_frame(run)):
        return read_run(run, "trec", further=True, run_names="first")
    ranked = read_run(run, "trec", ties="rank", further=True, run_names="first")
    if isinstance(ranked, TableRun):
        _check_repeated_ranks(ranked)
    return ranked


def _check_repeated_ranks(run: TableRun) -> None:
    table = run.gather()
    order = np.lexsort((table.values, table.group))
    is_repeated = (np.diff(table.group[order]) == 0) & (np.diff(table.values[order]) == 0)
    if not is_repeated.any():
        return
    row = int(order[1:][is_repeated].min())
    topic, doc = table.names[table.group[row]], table.docs[[row]].tolist()[0]
    line = None if run.source is None else find_line(run.source, "run", topic, doc)
    problem = f"duplicate rank {-table.values[row]:g} in topic {topic}"
    raise InputError.from_problem(problem, "To rank by score, use -traditional.", run.where, line)
