"""One topic's score, step by step: what the equation saw, and what it made of it."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, RunLike
from cranfield.errors import InputError
from cranfield.evaluation.asked import Asked, MeasuresLike
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.measuring import Measuring
from cranfield.evaluation.options import Options, Settings, shows_options
from cranfield.evaluation.steps import Explanation, Row, Steps
from cranfield.labelling.blocks import Rankings
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike
from cranfield.measures.lists import Lists

QUANTITIES = {"I": "I", "C": "C", "g": "g", "cg": "cg", "cg_ideal": "cg*"}  # of Lists: shown as


@shows_options
def explain(
    measure: MeasureLike,
    qrels: QrelsLike,
    run: RunLike,
    topic: Any = None,
    **options: Unpack[Settings],
) -> Explanation:
    """How the score of one topic comes about: the first that is judged, if none is named.

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
    explanations = explain_all(measure, qrels, run, topic, **options)
    if len(explanations) != 1:
        raise InputError(f"{len(explanations)} measures", "one")
    return explanations[0]


def explain_all(
    measures: MeasuresLike,
    qrels: QrelsLike,
    run: RunLike,
    topic: Any = None,
    **options: Unpack[Settings],
) -> list[Explanation]:
    """How the scores of one topic by each of some measures come about."""
    settings = Options.of(options)
    settings.refuse_expected()
    asked = Asked.of(measures, settings)
    collection = Collection.of(qrels, settings, asked.measures)
    topic = collection.topics[0] if topic is None else str(topic)
    if topic not in collection.topics:
        raise InputError(f"no topic {topic!r} in the judgments", "one of them")
    runs = [run] if isinstance(run, Run) else collection.read(run)
    if len(runs) != 1:
        raise InputError(f"{len(runs)} runs", "one")
    t, measuring = collection.place(topic), Measuring(collection, asked)
    rankings = collection.rankings(runs[0], topic)
    each = [measuring.here(m, t) for m in asked.measures]
    return [_explanation(m, collection, runs[0], rankings, t) for m in each]


def _explanation(
    m: Measure, collection: Collection, run: Run, rankings: Rankings, t: int
) -> Explanation:
    topic, lists = collection.topics[t], collection.block(rankings, t, traced=True)
    values = m.values(lists)[0].tolist()
    x = m.traced(lists)
    shown = collection.documents(run.ranked(topic), rankings, t, m.condensed)
    ideal = next((y for y in (x.ideal, x.whole_ideal) if _used(y)), None)
    ideal_docs = [collection.gold.item_docs[item] for item in _ideal_items(collection, x, t)]
    return Explanation(
        str(m),
        m.variant(),
        run.name,
        topic,
        dict(zip(m.names(), values, strict=True)),
        m.summary == "sum",
        _fraction(x, values),
        _facts(m, x),
        _steps(x, shown),
        None if ideal is None else _steps(ideal, ideal_docs),
    )


def _ideal_items(collection: Collection, x: Lists, t: int) -> Ints:
    """The items of a topic's ideal list, in the order in which the measure sees them."""
    judgments = collection.ideal
    of_topic = slice(judgments.offsets[t], judgments.offsets[t + 1])
    if collection.intents is not None and x.gold.order is not None:  # by global gain
        by_gain: Ints = collection.intents.by_name[of_topic][x.gold.order[0]]
        return by_gain
    return judgments.items[of_topic]


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
    columns = _columns(x)
    column_of = {int(x.r[0, c]): c for c in np.flatnonzero(x.judged[0])}
    rows = []
    for rank, doc in enumerate(docs[: _last(x, len(docs))], 1):
        c = column_of.get(rank)
        place = rank - 1 if x.by_rank else c
        values = [float(v[place]) for v in columns.values() if place is not None and place < len(v)]
        level = None if c is None else float(x.level[0, c])
        rows.append(Row(rank, doc, level, tuple(values)))
    totals = {name: float(np.ravel(v)[0]) for name, v in x.steps.items() if np.ndim(v) == 1}
    return Steps(tuple(columns), tuple(rows), totals)


def _columns(x: Lists) -> dict[str, Floats]:
    """What was computed of each judged item, or at every rank."""
    if x.by_rank:
        return {name: v[0] for name, v in x.by_rank.items()}
    quantities = {QUANTITIES[n]: v for n, v in vars(x).items() if n in QUANTITIES}
    quantities |= {name: v for name, v in x.steps.items() if np.ndim(v) == 2}
    return {name: np.broadcast_to(v, x.r.shape)[0] for name, v in quantities.items()}


def _last(x: Lists, docs: int) -> int:
    """The last rank that is shown."""
    last = min(docs, int(x.n[0])) if x.l is None else x.l
    # What is of no use need not be seen in an ideal list.
    return min(last, max(int(x.R[0]), 1)) if x.is_ideal else last
