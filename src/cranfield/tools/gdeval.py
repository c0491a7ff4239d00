"""Drop-in replacement for gdeval: nDCG and ERR of each topic and their means, as CSV.

The program was written for TREC's Web track, with levels up to 4.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.source import Source
from cranfield.data.reading.trec import read_last_tag
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import read_run
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.scores import Note
from cranfield.tools.drop_ins import average_rows, check_judgments, check_unquoted

HIGHEST = 4  # Highest level in judgments, and for ERR.


def gdeval(qrels: QrelsLike, run: RunLike, k: int = 20, *, complete: bool = False) -> tuple[list[str], list[Note]]:
    """Return the lines that gdeval prints for a run at cutoff `k`, and the notes.

    Topics of the run with a relevant document are printed and averaged. If `complete`, the mean is
    over all topics with a relevant document.

    >>> qrels = {"wt-1": {"a": 1}, "wt-2": {"b": 2}}
    >>> lines, _ = gdeval(qrels, {"wt-1": {"a": 3.5, "b": 2.5}}, complete=True)
    >>> lines
    ['runid,topic,ndcg@20,err@20', 'run,1,1.00000,0.06250', 'run,amean,0.50000,0.03125']
    """
    source = Source.from_path(qrels) if isinstance(qrels, str | os.PathLike) else None
    judged = read_qrels(qrels if source is None else source, "trec")
    wrong = (judged.levels > HIGHEST) | (judged.levels % 1 != 0)
    check_judgments(judged, wrong, "level {} for", f"an integer ≤ {HIGHEST}", source)
    results = read_run(run, "trec", further=True, run_names="first")
    tag = None if results.source is None else read_last_tag(results.source)
    judged, results, notes = number_topics(judged, replace(results, name=tag or results.name))
    evaluator = Evaluator(
        judged,
        [f"nDCG(gain=exp)@{k}", f"ERR(max_level={HIGHEST})@{k}"],
        topics="judged" if complete else "common",
        undefined="skip",
    )
    scores = evaluator.score_runs([results], strangers=True)
    values = scores.to_dict()[results.name]  # Topics without a relevant document are missing.
    if not values:
        raise InputError.from_problem("no topic has a relevant document", "", judged.where)
    unanswered = {topic for n in scores.notes if n.kind == "missing-topics" for topic in n.topics}
    rows = {topic: np.array([*values[topic].values()]) for topic in sorted(values, key=make_sort_key)}
    printed_rows = [(topic, row) for topic, row in rows.items() if topic not in unanswered]
    printed_rows.append(("amean", average_rows([*rows.values()])))
    check_unquoted((results.name, *values), results.where)
    lines = [f"{results.name},{topic},{ndcg:.5f},{err:.5f}" for topic, (ndcg, err) in printed_rows]
    return [f"runid,topic,ndcg@{k},err@{k}", *lines], [*notes, *scores.notes]


# -- topics ---------------------------------------------------------------------------------------


def _extract_number(topic: str) -> str:
    """Return the number after the last hyphen of a topic's name, or the name.

    >>> _extract_number("wt09-12"), _extract_number("12"), _extract_number("wt09-twelve")
    ('12', '12', 'wt09-twelve')
    """
    end = topic.rpartition("-")[2]
    return end if _is_number(end) else topic


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def make_sort_key(topic: str) -> tuple[bool, int, str, str]:
    """Return a key that sorts numbers by value, then names."""
    digits = topic.lstrip("0") if _is_number(topic) else ""
    return not _is_number(topic), len(digits), digits, topic


def number_topics(qrels: Qrels, run: Run) -> tuple[Qrels, Run, list[Note]]:
    """Return judgments and run with numbers as topics, if all judged topics have distinct ones."""
    numbers = tuple(map(_extract_number, qrels.topics))
    if not all(map(_is_number, numbers)):
        return qrels, run, []
    if len(set(numbers)) < len(numbers):
        text = "topics keep their names: some end in the same number (gdeval merges them)"
        return qrels, run, [Note("topics", f"{qrels.where}: {text}")]
    return replace(qrels, topics=numbers), _with_numbers(run), []


def _with_numbers(run: Run) -> Run:
    names: dict[str, str] = {}  # Topic in the run by number.

    def number(topic: str) -> str:
        short = _extract_number(topic)
        if names.setdefault(short, topic) != topic:
            problem = f"topics {names[short]} and {topic} have the same number {short}"
            raise InputError.from_problem(problem, "", run.where)
        return short

    return run.rename_topics(number)
