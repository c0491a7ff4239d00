"""One topic's score, step by step: what the equation saw, and what it made of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, RunLike, read_run
from cranfield.errors import CranfieldError
from cranfield.evaluate import Evaluator
from cranfield.labelling.blocks import Ints, Rankings
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike
from cranfield.measures.lists import Lists, gold_block, lists_block
from cranfield.report.steps import Explanation, Row, Steps

QUANTITIES = {"I": "I", "C": "C", "g": "g", "cg": "cg", "cg_ideal": "cg*"}  # of Lists: shown as


def explain(
    measure: MeasureLike, qrels: QrelsLike, run: RunLike, topic: str, **options: Any
) -> Explanation:
    """How the score of one topic comes about. The options are those of `Evaluator`.

    >>> qrels = {"q1": {"a": 2, "b": 0, "c": 1}}
    >>> print(explain("nDCG@3", qrels, {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}}, "q1"))
    nDCG@3 of run, topic q1
    Microsoft's discount, the level as gain: trec_eval's ndcg and ndcg_cut, NTCIREVAL's MSnDCG
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
        raise CranfieldError("found ties=expected, expected one order: trec, best or worst")
    evaluator = Evaluator(qrels, measure, **options)
    if len(evaluator.measures) != 1:
        raise CranfieldError(f"found {len(evaluator.measures)} measures, expected one")
    m = evaluator.measures[0]
    judgments, docs = evaluator.gold.judgments, evaluator.gold.item_docs
    if topic not in evaluator.gold.topic_index:
        raise CranfieldError(f"found no topic {topic!r} in the judgments, expected one of them")
    read = run
    if not isinstance(read, Run):
        read = read_run(run, options.get("run_format"), ties=evaluator.order)
    t = evaluator.gold.topic_index[topic]
    rankings = evaluator.rankings(read)
    gold = gold_block(judgments, t, t + 1)
    gold.traced = True
    lists = lists_block(rankings, judgments, gold, t, t + 1)
    values = m.values(lists)[0].tolist()
    x, best = m.view(lists), m.view(gold.ideal)
    hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
    ranks, items = rankings.ranks[hits], rankings.items[hits]
    names = _documents(read, topic, rankings, t, {int(i): docs[i] for i in items}, evaluator)
    used = [n for n in QUANTITIES if n in vars(best)] or best.steps
    start = int(judgments.offsets[t])
    ideal_docs = [docs[i] for i in range(start, int(judgments.offsets[t + 1]))]
    return Explanation(
        str(m),
        m.variant(),
        read.name,
        topic,
        dict(zip(m.names(), values, strict=True)),
        _facts(m, x),
        _steps(x, names, ranks),
        _steps(best, ideal_docs, best.r[0]) if used and not x.is_ideal else None,
    )


def _facts(m: Measure, x: Lists) -> dict[str, float]:
    facts: dict[str, float] = {"R": x.R[0], "N": x.N[0], "n": float(x.n[0])}
    if x.l is not None:
        facts["l"] = float(x.l)
    if hasattr(m, "max_level"):
        facts |= {"h": x.h, "g_h": x.g_h}
    return facts


def _documents(
    run: Run, topic: str, rankings: Rankings, t: int, judged: dict[int, str], ev: Evaluator
) -> list[str]:
    """The documents of a list in order: judged ones where they were placed, others around them."""
    ranked = run.to_dict().get(topic, {})
    if ev.exclude_self:
        ranked.pop(topic, None)
    order = list(ranked)
    if not run.given:
        order = sorted(sorted(ranked, reverse=True), key=ranked.__getitem__, reverse=True)
    hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
    at = dict(zip(rankings.ranks[hits].tolist(), rankings.items[hits].tolist(), strict=True))
    known = set(ev.gold.by_topic[t])
    others = (doc for doc in order if doc not in known)
    return [judged[at[r]] if r in at else next(others) for r in range(1, rankings.lengths[t] + 1)]


def _steps(x: Lists, docs: list[str], ranks: Ints) -> Steps:
    """What a view of one list computed, item by item; `ranks` are those of its judged items."""
    found = {QUANTITIES[n]: v for n, v in vars(x).items() if n in QUANTITIES}
    found |= {name: v for name, v in x.steps.items() if np.ndim(v) == 2}
    columns = {name: np.broadcast_to(v, x.r.shape)[0] for name, v in found.items()}
    column_of = {int(r): c for c, r in enumerate(ranks) if c < x.r.shape[1] and x.judged[0, c]}
    last = max([*column_of, 0]) if x.l is None else x.l
    if x.is_ideal:  # what is of no use need not be seen there
        last = min(last, max(int(x.R[0]), 1))
    rows = []
    for rank, doc in enumerate(docs[:last], 1):
        c = column_of.get(rank)
        if c is None:
            rows.append(Row(rank, doc, None, ()))
        else:
            values = tuple(float(column[c]) for column in columns.values())
            rows.append(Row(rank, doc, float(x.level[0, c]), values))
    totals = {name: float(np.ravel(v)[0]) for name, v in x.steps.items() if np.ndim(v) == 1}
    return Steps(tuple(columns), tuple(rows), totals)
