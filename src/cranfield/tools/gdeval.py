"""gdeval's work, in its layout: nDCG and ERR of each topic and their means, as CSV.

The program came with TREC's Web track, whose judgments have levels up to 4.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.source import Source
from cranfield.data.reading.trec import last_tag
from cranfield.data.run import Run, RunLike, read_run
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.scores import Notice
from cranfield.tools.drop_ins import check_unquoted, mean_of, refuse_judgments

HIGHEST = 4  # level that judgments may have, and that ERR knows of


def gdeval(
    qrels: QrelsLike, run: RunLike, k: int = 20, *, complete: bool = False
) -> tuple[list[str], list[Notice]]:
    """The lines that gdeval prints of a run at cutoff `k`, and what the user should know.

    Topics that the run answers are printed, if they have a relevant document, and the mean is
    over them; if it is `complete`, over all topics with a relevant document.

    >>> qrels = {"wt-1": {"a": 1}, "wt-2": {"b": 2}}
    >>> lines, _ = gdeval(qrels, {"wt-1": {"a": 3.5, "b": 2.5}}, complete=True)
    >>> lines
    ['runid,topic,ndcg@20,err@20', 'run,1,1.00000,0.06250', 'run,amean,0.50000,0.03125']
    """
    source = Source.of(qrels) if isinstance(qrels, str | os.PathLike) else None
    judged = read_qrels(qrels if source is None else source, "trec")
    wrong = (judged.levels > HIGHEST) | (judged.levels % 1 != 0)
    refuse_judgments(judged, wrong, "level {} for", f"whole levels up to {HIGHEST}", source)
    results = read_run(run, "trec", further=True, run_names="first")
    tag = None if results.source is None else last_tag(results.source)
    judged, results, notices = numbered(judged, replace(results, name=tag or results.name))
    evaluator = Evaluator(
        judged,
        [f"nDCG(gain=exp)@{k}", f"ERR(max_level={HIGHEST})@{k}"],
        topics="judged" if complete else "common",
        undefined="skip",
    )
    scores = evaluator.scores([results], strangers=True)
    found = scores.to_dict()[results.name]  # topics without a relevant document are not in it
    if not found:
        raise InputError("no topic with a relevant document", "at least one", judged.where)
    unanswered = {topic for n in scores.notices if n.kind == "missing-topics" for topic in n.topics}
    rows = {topic: np.array([*found[topic].values()]) for topic in sorted(found, key=in_order)}
    shown = [(topic, row) for topic, row in rows.items() if topic not in unanswered]
    shown.append(("amean", mean_of([*rows.values()])))
    check_unquoted((results.name, *found), results.where)
    lines = [f"{results.name},{topic},{ndcg:.5f},{err:.5f}" for topic, (ndcg, err) in shown]
    return [f"runid,topic,ndcg@{k},err@{k}", *lines], [*notices, *scores.notices]


# -- topics ---------------------------------------------------------------------------------------


def _number(topic: str) -> str:
    """The number at the end of a topic's name, after a hyphen; the name if there is none.

    >>> _number("wt09-12"), _number("12"), _number("wt09-twelve")
    ('12', '12', 'wt09-twelve')
    """
    end = topic.rpartition("-")[2]
    return end if _is_number(end) else topic


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def in_order(topic: str) -> tuple[bool, int, str, str]:
    """Numbers from the smallest, however long they are, then names."""
    digits = topic.lstrip("0") if _is_number(topic) else ""
    return not _is_number(topic), len(digits), digits, topic


def numbered(qrels: Qrels, run: Run) -> tuple[Qrels, Run, list[Notice]]:
    """Judgments and run with numbers for topics, if all judged topics have one of their own."""
    numbers = tuple(map(_number, qrels.topics))
    if not all(map(_is_number, numbers)):
        return qrels, run, []
    if len(set(numbers)) < len(numbers):
        text = "topics keep their names, as some end in the same number (gdeval takes them for one)"
        return qrels, run, [Notice("topics", f"{qrels.where}: {text}")]
    return replace(qrels, topics=numbers), _with_numbers(run), []


def _with_numbers(run: Run) -> Run:
    names: dict[str, str] = {}  # in the run, of each number

    def number(topic: str) -> str:
        short = _number(topic)
        if names.setdefault(short, topic) != topic:
            found = f"topics {names[short]} and {topic}"
            raise InputError(found, f"one name for topic {short}", run.where)
        return short

    return run.renamed(number)
