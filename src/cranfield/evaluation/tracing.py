"""One topic's score, step by step: what the equation saw, and what it made of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias, Unpack

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, RunLike, with_each
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.asked import Asked, MeasuresLike
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.levels import Levels, as_files, written
from cranfield.evaluation.measuring import Measuring
from cranfield.evaluation.options import Options, Settings, shows_options
from cranfield.evaluation.sampling import Spread, samples
from cranfield.evaluation.steps import Explanation, Explanations, Row, Sampled, Steps
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.ties import Reordering
from cranfield.measures.base import REGISTRY, Measure
from cranfield.measures.expected import Expected
from cranfield.measures.grammar import MeasureLike
from cranfield.measures.lists import Lists, tie_bounds
from cranfield.measures.notation import IN_THE_MEAN, LETTERS, NOTATION, STEPS
from cranfield.wording import counted

QUANTITIES = {"I": "I", "C": "C", "g": "g", "cg": "cg", "cg_ideal": "cg*"}  # of Lists: shown as
Decided: TypeAlias = Callable[[Lists], Floats | Ints | None]


@shows_options
def explain(
    measure: MeasureLike,
    qrels: QrelsLike = None,
    run: RunLike | None = None,
    topic: Any = None,
    *,
    levels: Levels | None = None,
    judged: Levels | None = None,
    **options: Unpack[Settings],
) -> Explanation:
    """How the score of one topic comes about: the first that is judged, if none is named.

    >>> qrels = {"q1": {"a": 2, "b": 0, "c": 1}}
    >>> run = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}}
    >>> print(explain("nDCG@3", qrels, run))  # doctest: +ELLIPSIS
    nDCG@3 of run, topic q1
    <BLANKLINE>
    rank  document  level  g       d     g/d
    ────────────────────────────────────────
       1  b             0  0       1       0
       2  a             2  2  1.5850  1.2619
       3  x             –
    <BLANKLINE>
    Σ g/d = 1.2619
    <BLANKLINE>
    ideal list
    <BLANKLINE>
    rank  document  level  g       d     g/d
    ────────────────────────────────────────
       1  a             2  2       1       2
       2  c             1  1  1.5850  0.6309
    <BLANKLINE>
    Σ g/d = 2.6309
    discount log2(r + 1), the level as gain: the Microsoft version; trec_eval's ndcg and ...
    R = 2, N = 1, n = 3, l = 3
    r: rank; R: relevant items known; N: nonrelevant items known; n: length of the list; ...
    nDCG@3 = 1.2619 / 2.6309 = 0.4796

    Without files, `levels` are those of a list in the order of its ranks, None for a document that
    nobody judged, and `judged` all judged levels of the topic: those of the list, if not given.
    Documents are then called by their ranks.

    >>> round(explain("nDCG@3", levels=[0, 2, None], judged=[2, 1, 0]).values["nDCG@3"], 4)
    0.4796
    """
    if levels is None and judged is not None:
        raise InputError("judged levels alone", "the levels of a list with them")
    if levels is None and (qrels is None or run is None):
        raise InputError("no list", "judgments and a run, or levels=")
    if levels is None:
        explanations = explain_all(measure, qrels, run, topic, **options)
    elif (qrels, run, topic) != (None, None, None):
        raise InputError("levels and judgments", "one of them")
    else:
        explanations = explain_levels(measure, levels, judged, **options)
    if len(explanations) != 1:
        raise InputError(f"{len(explanations)} measures", "one")
    return explanations[0]


def explain_levels(
    measures: MeasuresLike,
    levels: Levels,
    judged: Levels | None = None,
    **options: Unpack[Settings],
) -> Explanations:
    """How the scores of a list come about that is given as the levels of its documents."""
    for m in Asked.of(measures, Options.of(options)).measures:
        if m.takes == "intents":
            raise InputError(f"{m}, which asks for levels for intents", "judgments and a run")
    qrels, run = as_files(levels, judged)
    known = written(sorted((x for docs in qrels.values() for x in docs.values()), reverse=True))
    note = f"judged: {known}" + (", those of the list" if judged is None else "")
    explained = explain_all(measures, qrels, run, **options)
    return Explanations(
        replace(e, run=f"levels {written(levels)}", topic="", notes=(note, *e.notes))
        for e in explained
    )


def explain_all(
    measures: MeasuresLike,
    qrels: QrelsLike,
    run: Any,
    topic: Any = None,
    **options: Unpack[Settings],
) -> Explanations:
    """How the scores of one topic by each of some measures come about; or of several topics, if the
    options name them.
    """
    settings = Options.of(options)
    asked = Asked.of(measures, settings)
    collection = Collection.of(qrels, settings, asked.measures)
    runs = [run] if isinstance(run, Run) else collection.read(run)

    def explained(each: Sequence[Run]) -> Explanations:
        if len(each) != 1:
            names = ", ".join(one.name for one in each)
            raise InputError(f"{len(each)} runs ({names})", "one")
        measuring, found = Measuring(collection, asked), list[Explanation]()
        for name in _wanted(collection, each[0], topic):
            t = collection.place(name)
            seen = _Topic(measuring, each[0], collection.rankings(each[0], name), t)
            found += [seen.explanation(m) for m in asked.measures]
        return Explanations(found)

    return with_each(runs, explained)


def _wanted(collection: Collection, run: Run, topic: Any) -> Sequence[str]:
    """The topic, else those that the options name, else the first that counts."""
    if topic is not None:
        return [str(topic)]
    if named := collection.options.named_topics:
        return named
    if collection.options.topics != "common":
        return collection.topics[:1]
    return [collection.topics[int(collection.label(run).rankings.answered.argmax())]]


@dataclass(frozen=True)
class _Topic:
    """The list of a run for a topic, as measures see it."""

    measuring: Measuring
    run: Run
    rankings: Rankings  # before anything is cut or counted, if all orders of tied items count
    t: int

    @property
    def collection(self) -> Collection:
        return self.measuring.collection

    @property
    def name(self) -> str:
        return self.collection.topics[self.t]

    def explanation(self, m: Measure) -> Explanation:
        """How a measure comes to its score, with the meanings of all symbols."""
        found = self.of_orders(m)
        return replace(found, legend=_legend(m, found))

    def of_orders(self, m: Measure) -> Explanation:
        """How a score comes about: by one order of the items, or by all orders of tied ones."""
        if self.collection.options.ties != "expected":
            return self.of_order(m, self.rankings)
        if self.measuring.exact(m):
            found = self.of_lists(m, self.expected, self.rankings)
            return replace(found, notes=("mean over all orders of tied documents",))
        found = self.of_order(m, self.collection.counted(self.rankings))
        return self.of_sample(m, found) if self.has_ties else found

    def of_order(self, m: Measure, rankings: Rankings) -> Explanation:
        """How the score of one order comes about."""
        return self.of_lists(m, self.collection.block(rankings, self.t, traced=True), rankings)

    def of_lists(self, asked: Measure, lists: Lists, rankings: Rankings) -> Explanation:
        """How the score of a list comes about; `rankings` name its documents."""
        m = self.measuring.here(asked, self.t)
        values, x = m.values(lists)[0].tolist(), m.traced(lists)
        ideal = next((y for y in (x.ideal, x.whole_ideal) if _used(y)), None)
        items = _ideal_items(self.collection, x, self.t)
        ideal_docs = [self.collection.gold.item_docs[item] for item in items]
        return Explanation(
            str(m),
            m.variant(),
            self.run.name,
            self.name,
            dict(zip(m.names(), values, strict=True)),
            m.summary == "sum",
            _fraction(x, values),
            _facts(m, x),
            _steps(x, self.docs(rankings, m.condensed), m.decided),
            None if ideal is None else _steps(ideal, ideal_docs),
        )

    def of_sample(self, m: Measure, one: Explanation) -> Explanation:
        """What random orders give, in the place of what one gave.

        There are no steps of a mean: two orders have theirs, and each order drawn its score.
        """
        options, orders = self.collection.options, Reordering(self.rankings)
        best, worst = (
            self.of_order(m, self.collection.counted(order))
            for order in (orders.best(), orders.worst())
        )
        drawn, names = self.drawn[m], [*one.values]
        spread = Spread(drawn[0])
        for order in drawn:
            spread.add(order)
        many = f"{counted(options.tie_samples, 'random order')} of tied documents"
        why = "the equation does not hold for expected values"
        view = self.expected.view(None if m.condensed else m.last_rank)
        return replace(
            one,
            values=dict(zip(names, spread.mean.tolist(), strict=True)),
            fraction=None,
            facts={name: x for name, x in best.facts.items() if x == worst.facts[name]},
            steps=_steps(view, self.docs(self.rankings)),
            notes=(f"mean over {many} (seed {options.seed}): {why}",),
            sampled=Sampled(
                tuple(map(tuple, drawn.tolist())),
                dict(zip(names, spread.error.tolist(), strict=True)),
                best,
                worst,
            ),
        )

    def docs(self, rankings: Rankings, condensed: bool = False) -> list[str]:
        """The documents in order."""
        return self.collection.documents(self.run.ranked(self.name), rankings, self.t, condensed)

    @property
    def expected(self) -> Expected:
        """The list in the mean over all orders of tied items."""
        lists = self.collection.block(self.rankings, self.t, traced=True)
        bounds = tie_bounds(self.rankings, self.t, self.t + 1)
        return Expected(lists, *bounds, self.collection.options.depth)

    @property
    def has_ties(self) -> bool:
        """Whether the list holds tied items that matter."""
        start, _ = self.rankings.tie_groups
        first = self.rankings.starts[self.t]
        return bool(((start >= first) & (start < first + self.rankings.lengths[self.t])).any())

    @cached_property
    def drawn(self) -> dict[Measure, Floats]:
        """What the random orders that `evaluate` draws give, by measure: orders × names."""
        measures = [m for m in self.measuring.measures if not self.measuring.exact(m)]
        drawn = samples(self.measuring, measures, self.rankings)
        orders = [[x[self.t] for x in sample] for sample in drawn]
        return {
            m: np.stack(rows)[:, : len(m.names())]
            for m, rows in zip(measures, zip(*orders, strict=True), strict=True)
        }


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


# -- items ----------------------------------------------------------------------------------------


def _steps(x: Lists, docs: list[str], decided: Decided | None = None) -> Steps:
    """What a view of one list computed, item by item."""
    columns, end = _columns(x), _last(x, len(docs))
    at = None if decided is None else decided(x)
    last = end if at is None else min(end, max(int(at[0]), 1))
    hits = x.hits if isinstance(x, Expected) else x
    levels = {int(hits.r[0, c]): float(hits.level[0, c]) for c in np.flatnonzero(hits.judged[0])}
    column_of = {int(x.r[0, c]): int(c) for c in np.flatnonzero(x.judged[0])}
    rows = []
    for rank, doc in enumerate(docs[:last], 1):
        c = column_of.get(rank)
        place = rank - 1 if x.by_rank else c
        values = [float(v[place]) for v in columns.values() if place is not None and place < len(v)]
        tied = [(docs[r - 1], levels.get(r)) for r in _group(x, c)]
        rows.append(Row(rank, doc, levels.get(rank), tuple(values), tuple(tied)))
    totals = {name: float(np.ravel(v)[0]) for name, v in x.steps.items() if np.ndim(v) == 1}
    return Steps(tuple(columns), tuple(rows), totals, end)


def _group(x: Lists, column: int | None) -> range:
    """The ranks that the items of a group of tied ones share, if there are several."""
    if not isinstance(x, Expected) or column is None or x.cells.s[0, column] == 1:
        return range(0)
    first = int(x.cells.r[0, column] - x.cells.j[0, column]) + 1
    return range(first, first + int(x.cells.s[0, column]))


def _columns(x: Lists) -> dict[str, Floats]:
    """What was computed of each judged item, or at every rank."""
    if x.by_rank:
        return {name: v[0] for name, v in x.by_rank.items()}
    quantities = {QUANTITIES[n]: v for n, v in vars(x).items() if n in QUANTITIES}
    quantities |= {name: v for name, v in x.steps.items() if np.ndim(v) == 2}
    return {name: np.broadcast_to(v, x.r.shape)[0] for name, v in quantities.items()}


def _last(x: Lists, docs: int) -> int:
    """The last rank that is looked at."""
    last = min(docs, int(x.n[0]), docs if x.l is None else x.l)
    # What is of no use need not be seen in an ideal list.
    return min(last, max(int(x.R[0]), 1)) if x.is_ideal else last


# -- symbols --------------------------------------------------------------------------------------


def _legend(m: Measure, e: Explanation) -> dict[str, str]:
    """What the names mean that are shown, in their order; a measure's name is its own symbol."""
    in_the_mean = e.sampled is None and any(row.tied for row in e.steps.rows)
    known = {**LETTERS, **NOTATION, **STEPS, **(IN_THE_MEAN if in_the_mean else {})}
    known |= {**getattr(m, "base", m).symbols, **m.symbols}  # D(M) shows the steps of M
    named = [*_letters(e.variant), *(x for name in e.symbols for x in (name, *_letters(name)))]
    legend = {}
    for name in named:
        symbol = name if name in known else re.split(r"[ (@]", name)[0]
        if symbol in known and not (symbol in REGISTRY and symbol != name):  # D(nDCG) is a measure
            legend[symbol] = known[symbol]
        elif symbol in REGISTRY:
            title = (REGISTRY[symbol].__doc__ or "").partition("\n")[0]
            legend[symbol] = title.partition(":")[0].rstrip(".")
    return legend


def _letters(formula: str) -> list[str]:
    """The letters in a formula that stand for something."""
    return [word for word in re.findall(r"[^\W\d_]+", formula) if word in LETTERS]
