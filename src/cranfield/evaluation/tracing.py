"""One topic's score, step by step: what the equation saw, and what it made of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, RunLike
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.listing import documents
from cranfield.evaluation.steps import Explanation, Row, Steps
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike
from cranfield.measures.lists import Lists, gold_block, lists_block

QUANTITIES = {"I": "I", "C": "C", "g": "g", "cg": "cg", "cg_ideal": "cg*"}  # of Lists: shown as


def explain(
    measure: MeasureLike, qrels: QrelsLike, run: RunLike, topic: Any = None, **options: Any
) -> Explanation:
    """How the score of one topic comes about: the first that is judged, if none is named.

    The options are those of `Evaluator`.

    >>> qrels = {"q1": {"a": 2, "b": 0, "c": 1}}
    >>> run = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}}
    >>> print(explain("nDCG@3", qrels, run))  # doctest: +ELLIPSIS
    nDCG@3 of run, topic q1
    discount log2(r + 1), the level as gain: the Microsoft version; trec_eval's ndcg and ...
    R = 2, N = 1, n = 3, l = 3
    <BLANKLINE>
    rank  document  level  g       d     g/d
       1  b             0  0       1       0
       2  a             2  2  1.5850  1.2619
       3  x             –
    Σ g/d = 1.2619
    <BLANKLINE>
    ideal list
    rank  document  level  g       d     g/d
       1  a             2  2       1       2
       2  c             1  1  1.5850  0.6309
    Σ g/d = 2.6309
    <BLANKLINE>
    nDCG@3 = 1.2619 / 2.6309 = 0.4796
    """
    if options.get("ties") == "expected":
        raise InputError("ties=expected", "one order: trec, best or worst")
    evaluator = Evaluator(qrels, measure, **options)
    if len(evaluator.measures) != 1:
        raise InputError(f"{len(evaluator.measures)} measures", "one")
    m = evaluator.measures[0]
    judgments, docs = evaluator.counting.judgments, evaluator.gold.item_docs
    topic = judgments.topics[0] if topic is None else str(topic)
    if topic not in evaluator.gold.topic_index:
        raise InputError(f"no topic {topic!r} in the judgments", "one of them")
    found = [run] if isinstance(run, Run) else evaluator.read(run)
    if len(found) != 1:
        raise InputError(f"{len(found)} runs", "one")
    read = found[0]
    t = evaluator.gold.topic_index[topic]
    m = evaluator.here(m, t)
    rankings = evaluator.rankings(read, topic)
    gold = gold_block(judgments, t, t + 1, evaluator.intents, evaluator.importance)
    gold.traced = True
    lists = lists_block(rankings, gold, t, t + 1)
    values = m.values(lists)[0].tolist()
    x = m.traced(lists)
    shown = documents(evaluator, read.ranked(topic), rankings, t, m.condensed)
    ideal = next((y for y in (x.ideal, x.whole_ideal) if _used(y)), None)
    ideal_items = judgments.items[judgments.offsets[t] : judgments.offsets[t + 1]]
    if evaluator.intents is not None and x.gold.order is not None:  # by global gain
        by_name = evaluator.intents.by_name[judgments.offsets[t] : judgments.offsets[t + 1]]
        ideal_items = by_name[x.gold.order[0]]
    ideal_docs = [docs[i] for i in ideal_items]
    return Explanation(
        str(m),
        m.variant(),
        read.name,
        topic,
        dict(zip(m.names(), values, strict=True)),
        m.summary == "sum",
        _fraction(x, values),
        _facts(m, x),
        _steps(x, shown),
        None if ideal is None else _steps(ideal, ideal_docs),
    )


def _used(x: Lists) -> bool:
    """Whether somebody asked a list for something."""
    return bool(x.steps) or any(name in vars(x) for name in QUANTITIES)


def _fraction(x: Lists, values: list[float]) -> tuple[float, float] | None:
    """Numerator and denominator, if the score is their quotient."""
    if x.fraction is None or len(values) > 1:
        return None
    a, b = (float(np.broadcast_to(part, (1,))[0]) for part in x.fraction)
    return (a, b) if b and np.isclose(a / b, values[0], atol=0) else None


def _facts(m: Measure, x: Lists) -> dict[str, float]:
    facts: dict[str, float] = {"R": x.R[0], "N": x.N[0], "n": float(x.n[0])}
    if x.l is not None:
        facts["l"] = float(x.l)
    if hasattr(m, "max_level"):
        facts |= {"h": x.h, "g_h": x.g_h}
    return facts


def _steps(x: Lists, docs: list[str]) -> Steps:
    """What a view of one list computed, item by item."""
    found = {QUANTITIES[n]: v for n, v in vars(x).items() if n in QUANTITIES}
    found |= {name: v for name, v in x.steps.items() if np.ndim(v) == 2}
    columns = {name: np.broadcast_to(v, x.r.shape)[0] for name, v in found.items()}
    if x.by_rank:
        columns = {name: v[0] for name, v in x.by_rank.items()}
    column_of = {int(x.r[0, c]): c for c in np.flatnonzero(x.judged[0])}
    last = min(len(docs), int(x.n[0])) if x.l is None else x.l
    if x.is_ideal:  # what is of no use need not be seen there
        last = min(last, max(int(x.R[0]), 1))
    rows = []
    for rank, doc in enumerate(docs[:last], 1):
        c = column_of.get(rank)
        place = rank - 1 if x.by_rank else c
        values = [float(v[place]) for v in columns.values() if place is not None and place < len(v)]
        level = None if c is None else float(x.level[0, c])
        rows.append(Row(rank, doc, level, tuple(values)))
    totals = {name: float(np.ravel(v)[0]) for name, v in x.steps.items() if np.ndim(v) == 1}
    return Steps(tuple(columns), tuple(rows), totals)
