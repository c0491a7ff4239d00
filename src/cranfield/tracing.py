"""One topic's score, step by step: what the equation saw, and what it made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, RunLike, read_run, reading_order
from cranfield.errors import CranfieldError
from cranfield.evaluate import Evaluator
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike
from cranfield.measures.lists import Lists, gold_block, lists_block
from cranfield.report.labelled import Item, LabelledList
from cranfield.report.steps import Explanation, Row, Steps

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
        raise CranfieldError("found ties=expected, expected one order: trec, best or worst")
    evaluator = Evaluator(qrels, measure, **options)
    if len(evaluator.measures) != 1:
        raise CranfieldError(f"found {len(evaluator.measures)} measures, expected one")
    m = evaluator.measures[0]
    judgments, docs = evaluator.labels.judgments, evaluator.gold.item_docs
    topic = judgments.topics[0] if topic is None else str(topic)
    if topic not in evaluator.gold.topic_index:
        raise CranfieldError(f"found no topic {topic!r} in the judgments, expected one of them")
    read = run
    if not isinstance(read, Run):
        read = read_run(run, options.get("run_format"), ties=reading_order(evaluator.ties))
    t = evaluator.gold.topic_index[topic]
    rankings = evaluator.rankings(read, topic)
    gold = gold_block(judgments, t, t + 1)
    gold.traced = True
    lists = lists_block(rankings, gold, t, t + 1)
    values = m.values(lists)[0].tolist()
    x = m.view(lists)
    shown = documents(evaluator, read, rankings, t, m.condensed)
    ideal = next((y for y in (x.ideal, x.whole_ideal) if _used(y)), None)
    ideal_items = judgments.items[judgments.offsets[t] : judgments.offsets[t + 1]]
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


def documents(
    evaluator: Evaluator, run: Run, rankings: Rankings, t: int, condensed: bool = False
) -> list[str]:
    """The documents of a topic's list in order, as it was labelled; condensed, the judged ones."""
    docs, topic = evaluator.gold.item_docs, evaluator.gold.qrels.topics[t]
    hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
    ranks, items = rankings.ranks[hits].tolist(), rankings.items[hits].tolist()
    judged = {rank: docs[item] for rank, item in zip(ranks, items, strict=True)}
    if condensed:
        return list(judged.values())
    known = {topic} if evaluator.exclude_self else set()
    known |= evaluator.gold.by_topic[t].keys()
    others = (doc for doc in run.ranked(topic) if doc not in known)
    every = range(1, int(rankings.lengths[t]) + 1)
    return [judged[rank] if rank in judged else next(others) for rank in every]


def _steps(x: Lists, docs: list[str]) -> Steps:
    """What a view of one list computed, item by item."""
    found = {QUANTITIES[n]: v for n, v in vars(x).items() if n in QUANTITIES}
    found |= {name: v for name, v in x.steps.items() if np.ndim(v) == 2}
    columns = {name: np.broadcast_to(v, x.r.shape)[0] for name, v in found.items()}
    column_of = {int(x.r[0, c]): c for c in np.flatnonzero(x.judged[0])}
    last = min(len(docs), int(x.n[0])) if x.l is None else x.l
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


def label(
    qrels: QrelsLike,
    run: RunLike,
    topics: Sequence[str] | None = None,
    *,
    rel: float | None = None,
    **options: Any,
) -> list[LabelledList]:
    """The lists of a run with the label of each document, and what each list lacks.

    All judged topics, or some of them. A document is relevant if it counts as `rel` or more; as
    more than 0 if that is not given. The options are those of `Evaluator`.

    >>> print(label({"q1": {"a": 2, "b": 0, "c": 1}}, {"q1": ["b", "x", "a"]})[0])
    run, topic q1: 1 of 2 relevant documents found in 3 documents, 1 unjudged
    <BLANKLINE>
    rank  document  level                   missed  level
       1  b             0  nonrelevant      c           1  not returned
       2  x             –  unjudged
       3  a             2  relevant
    """
    condensed = bool(options.pop("condensed", False))
    evaluator = Evaluator(qrels, "NumRet", **options)
    read = run
    if not isinstance(read, Run):
        order = reading_order(evaluator.ties)
        read = read_run(
            run, options.get("run_format"), ties=order, separator=options.get("separator")
        )
    gold = evaluator.gold
    wanted = gold.qrels.topics if topics is None else [str(topic) for topic in topics]
    for topic in wanted:
        if topic not in gold.topic_index:
            raise CranfieldError(f"found no topic {topic!r} in the judgments, expected one of them")
    rankings = evaluator.rankings(read)
    return [
        _labelled(evaluator, read, rankings, gold.topic_index[topic], rel, condensed)
        for topic in wanted
    ]


def _labelled(
    evaluator: Evaluator, run: Run, rankings: Rankings, t: int, rel: float | None, condensed: bool
) -> LabelledList:
    gold, ideal = evaluator.gold, evaluator.labels.judgments
    topic, levels, docs = gold.qrels.topics[t], gold.judgments.levels, gold.item_docs
    groups = evaluator.labels.groups
    group_of = {} if groups is None else groups.names.get(topic, {})
    hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
    counts = dict(zip(rankings.items[hits].tolist(), rankings.levels[hits].tolist(), strict=True))
    by_doc = {docs[item]: item for item in counts}

    def relevant(level: float) -> bool:
        return level > 0 if rel is None else level >= rel

    placed: dict[str, int] = {}  # where a group was found to count
    shown = documents(evaluator, run, rankings, t, condensed)
    for rank, doc in enumerate(shown, 1):
        if doc in group_of and doc in by_doc and relevant(counts[by_doc[doc]]):
            placed.setdefault(group_of[doc], rank)
    items = []
    for rank, doc in enumerate(shown, 1):
        group = group_of.get(doc)
        if doc not in by_doc:
            items.append(Item(rank, doc, None, 0.0, "unjudged", group))
            continue
        level, count = float(levels[by_doc[doc]]), counts[by_doc[doc]]
        status, note = "relevant" if relevant(count) else "nonrelevant", ""
        if relevant(level) and not relevant(count):
            at = placed.get(group or "")
            status = "does not count" if group is None else "incomplete" if at is None else ""
            status = status or ("redundant" if at < rank else "waiting")  # type: ignore[operator]
            note = "" if at is None else f"counts at rank {at}"
        elif count != level:
            note = f"counts as {count:g}"
        items.append(Item(rank, doc, level, count, status, group, note))
    every = {doc: rank for rank, doc in enumerate(run.ranked(topic), 1)}
    missed = []
    for item, count in zip(
        ideal.items[ideal.offsets[t] : ideal.offsets[t + 1]].tolist(),
        ideal.levels[ideal.offsets[t] : ideal.offsets[t + 1]].tolist(),
        strict=True,
    ):
        group = group_of.get(docs[item])
        found = relevant(counts.get(item, -1.0)) if group is None else group in placed
        if not relevant(count) or found:
            continue
        members = [doc for doc, name in group_of.items() if name == group] or [docs[item]]
        lacking = [doc for doc in members if doc not in by_doc]
        note = ", ".join(
            f"{'' if len(members) == 1 else doc + ' '}{_whereabouts(every.get(doc))}"
            for doc in lacking
        )
        missed.append(Item(None, docs[item], float(levels[item]), count, "missed", group, note))
    total = sum(relevant(x) for x in ideal.levels[ideal.offsets[t] : ideal.offsets[t + 1]])
    return LabelledList(run.name, topic, tuple(items), tuple(missed), total)


def _whereabouts(rank: int | None) -> str:
    return "not returned" if rank is None else f"at rank {rank}"
