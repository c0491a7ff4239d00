"""Explanations of scores: the computation of one topic's score, step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias, Unpack

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import call_with_split
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.levels import Levels, build_qrels_and_run, format_levels
from cranfield.evaluation.options import Options, Settings, with_options
from cranfield.evaluation.sampling import RunningMean, iter_samples
from cranfield.evaluation.scoring import Scorer
from cranfield.evaluation.steps import Explanation, Explanations, Row, Sampled, Steps
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.ties import Reordering
from cranfield.measures.base import REGISTRY, Measure
from cranfield.measures.expected import Expected
from cranfield.measures.grammar import MeasureLike
from cranfield.measures.lists import Lists, build_tie_bounds
from cranfield.measures.notation import EXPECTED_NOTATION, LETTERS, NOTATION, STEPS
from cranfield.measures.selection import MeasuresLike
from cranfield.wording import format_count

QUANTITIES = {"I": "I", "C": "C", "g": "g", "cg": "cg", "cg_ideal": "cg*"}  # of Lists: shown as
DecidingRank: TypeAlias = Callable[[Lists], Floats | Ints | None]


@with_options
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
    """Explain the computation of the score of one topic (default: the first judged topic).

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
    ideal ranking
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

    Without files, `levels` are the levels of a ranking in rank order, None for an unjudged
    document. `judged` are all judged levels of the topic (default: the levels of the ranking).
    Documents are then named by rank.

    >>> round(explain("nDCG@3", levels=[0, 2, None], judged=[2, 1, 0]).values["nDCG@3"], 4)
    0.4796
    """
    if levels is None and judged is not None:
        raise InputError.from_problem("judged needs levels", "Pass levels= of a ranking.")
    if levels is None and (qrels is None or run is None):
        raise InputError.from_problem("no ranking given", "Pass judgments and a run, or levels=.")
    if levels is None:
        explanations = explain_all(measure, qrels, run, topic, **options)
    elif (qrels, run, topic) != (None, None, None):
        raise InputError.from_problem("use either levels or judgments and a run")
    else:
        explanations = explain_levels(measure, levels, judged, **options)
    if len(explanations) != 1:
        raise InputError(f"{len(explanations)} measures", "one")
    return explanations[0]


def explain_levels(
    measures: MeasuresLike, levels: Levels, judged: Levels | None = None, **options: Unpack[Settings]
) -> Explanations:
    """Explain the scores of a ranking given as levels of its documents."""
    for m in Options.from_mapping(options).select_measures(measures).measures:
        if m.takes == "intents":
            raise InputError.from_problem(f"{m} needs judgments for intents, not levels")
    qrels, run = build_qrels_and_run(levels, judged)
    levels_text = format_levels(sorted((x for docs in qrels.values() for x in docs.values()), reverse=True))
    note = f"judged: {levels_text}" + (" (levels of the list)" if judged is None else "")
    explained = explain_all(measures, qrels, run, **options)
    return Explanations(
        replace(e, run=f"levels {format_levels(levels)}", topic="", remarks=(note, *e.remarks)) for e in explained
    )


def explain_all(
    measures: MeasuresLike, qrels: QrelsLike, run: Any, topic: Any = None, **options: Unpack[Settings]
) -> Explanations:
    """Explain the scores of one topic by several measures, or of all topics in the options."""
    settings = Options.from_mapping(options)
    selection = settings.select_measures(measures)
    collection = Collection.from_qrels(qrels, settings, selection.measures)
    runs = [run] if isinstance(run, Run) else collection.read(run)

    def explain_runs(runs_read: Sequence[Run]) -> Explanations:
        if len(runs_read) != 1:
            names = ", ".join(run_read.name for run_read in runs_read)
            raise InputError(f"{len(runs_read)} runs ({names})", "one")
        measuring, explanations = Scorer(collection, selection), list[Explanation]()
        for name in _choose_topics(collection, runs_read[0], topic):
            t = collection.find_topic(name)
            topic_list = _TopicList(measuring, runs_read[0], collection.compute_rankings(runs_read[0], name), t)
            explanations += [topic_list.explain(m) for m in selection.measures]
        return Explanations(explanations)

    return call_with_split(runs, explain_runs)


def _choose_topics(collection: Collection, run: Run, topic: Any) -> Sequence[str]:
    """Return the topic, the topics of the options, or the first topic that counts."""
    if topic is not None:
        return [str(topic)]
    if names := collection.options.named_topics:
        return names
    if collection.options.topics != "common":
        return collection.topics[:1]
    return [collection.topics[int(collection.label(run).rankings.answered.argmax())]]


@dataclass(frozen=True)
class _TopicList:
    """The ranking of a run for a topic, as used by measures."""

    measuring: Scorer
    run: Run
    rankings: Rankings  # uncut if all orders of tied items count
    t: int

    @property
    def collection(self) -> Collection:
        return self.measuring.collection

    @property
    def name(self) -> str:
        return self.collection.topics[self.t]

    def explain(self, m: Measure) -> Explanation:
        """Explain the score of a measure, with a legend."""
        explanation = self.explain_orders(m)
        return replace(explanation, legend=_build_legend(m, explanation))

    def explain_orders(self, m: Measure) -> Explanation:
        """Explain a score for one order of the items, or for all orders of tied items."""
        if self.collection.options.ties != "expected":
            return self.explain_order(m, self.rankings)
        if self.measuring.is_exact(m):
            explanation = self.explain_list(m, self.expected, self.rankings)
            return replace(explanation, remarks=("mean over all orders of tied documents",))
        explanation = self.explain_order(m, self.collection.apply_strategy(self.rankings))
        return self.explain_sample(m, explanation) if self.has_ties else explanation

    def explain_order(self, m: Measure, rankings: Rankings) -> Explanation:
        """Explain the score of one order."""
        return self.explain_list(m, self.collection.build_block(rankings, self.t, traced=True), rankings)

    def explain_list(self, measure: Measure, lists: Lists, rankings: Rankings) -> Explanation:
        """Explain the score of a ranking. `rankings` has its documents."""
        m = self.measuring.with_topic_gains(measure, self.t)
        values, x = m.compute(lists)[0].tolist(), m.trace(lists)
        ideal = next((y for y in (x.ideal, x.whole_ideal) if _is_used(y)), None)
        items = _find_ideal_items(self.collection, x, self.t)
        ideal_docs = [self.collection.gold.item_docs[item] for item in items]
        return Explanation(
            str(m),
            m.describe_variant(),
            self.run.name,
            self.name,
            dict(zip(m.names(), values, strict=True)),
            m.summary == "sum",
            _find_fraction(x, values),
            _build_facts(m, x),
            _build_steps(x, self.list_docs(rankings, m.condensed), m.decided),
            None if ideal is None else _build_steps(ideal, ideal_docs),
        )

    def explain_sample(self, m: Measure, explanation: Explanation) -> Explanation:
        """Replace the explanation of one order by the mean of random orders.

        A mean has no steps. The best and the worst order have steps, each random order has a score.
        """
        options, orders = self.collection.options, Reordering(self.rankings)
        best, worst = (
            self.explain_order(m, self.collection.apply_strategy(order)) for order in (orders.best(), orders.worst())
        )
        sampled_values, names = self.sampled[m], [*explanation.values]
        spread = RunningMean(sampled_values[0])
        for order in sampled_values:
            spread.add(order)
        count = f"{format_count(options.tie_samples, 'random order')} of tied documents"
        reason = "the equation does not hold for expected values"
        view = self.expected.view(None if m.condensed else m.last_rank)
        return replace(
            explanation,
            values=dict(zip(names, spread.mean.tolist(), strict=True)),
            fraction=None,
            facts={name: x for name, x in best.facts.items() if x == worst.facts[name]},
            steps=_build_steps(view, self.list_docs(self.rankings)),
            remarks=(f"mean over {count} (seed {options.seed}): {reason}",),
            sampled=Sampled(
                tuple(map(tuple, sampled_values.tolist())),
                dict(zip(names, spread.error.tolist(), strict=True)),
                best,
                worst,
            ),
        )

    def list_docs(self, rankings: Rankings, condensed: bool = False) -> list[str]:
        """Return the documents in order."""
        return self.collection.list_documents(self.run.rank_topic(self.name), rankings, self.t, condensed)

    @property
    def expected(self) -> Expected:
        """The expected ranking over all orders of tied items."""
        lists = self.collection.build_block(self.rankings, self.t, traced=True)
        bounds = build_tie_bounds(self.rankings, self.t, self.t + 1)
        return Expected(lists, *bounds, self.collection.options.depth)

    @property
    def has_ties(self) -> bool:
        """True if the ranking has tied items that can change a score."""
        start, _ = self.rankings.tie_groups
        first = self.rankings.starts[self.t]
        return bool(((start >= first) & (start < first + self.rankings.lengths[self.t])).any())

    @cached_property
    def sampled(self) -> dict[Measure, Floats]:
        """Values of the random orders of `evaluate` by measure: orders × columns."""
        measures = [m for m in self.measuring.measures if not self.measuring.is_exact(m)]
        sample_values = iter_samples(self.measuring, measures, self.rankings)
        orders = [[x[self.t] for x in sample] for sample in sample_values]
        return {
            m: np.stack(rows)[:, : len(m.names())] for m, rows in zip(measures, zip(*orders, strict=True), strict=True)
        }


def _find_ideal_items(collection: Collection, x: Lists, t: int) -> Ints:
    """Return the items of the ideal ranking in the order of the measure."""
    judgments = collection.ideal
    of_topic = slice(judgments.offsets[t], judgments.offsets[t + 1])
    if collection.intents is not None and x.gold.order is not None:  # by global gain
        by_gain: Ints = collection.intents.by_name[of_topic][x.gold.order[0]]
        return by_gain
    return judgments.items[of_topic]


def _is_used(x: Lists) -> bool:
    """Return True if a measure read the ranking."""
    return bool(x.steps) or any(name in vars(x) for name in QUANTITIES)


def _find_fraction(x: Lists, values: list[float]) -> tuple[float, float] | None:
    """Return numerator and denominator if the score is their quotient."""
    if x.fraction is None or len(values) > 1:
        return None
    a, b = (float(np.broadcast_to(part, (1,))[0]) for part in x.fraction)
    return (a, b) if b and np.isclose(a / b, values[0], atol=0) else None


def _build_facts(m: Measure, x: Lists) -> dict[str, float]:
    facts: dict[str, float] = {"R": x.R[0], "N": x.N[0], "n": float(x.n[0])}
    if x.l is not None:
        facts["l"] = float(x.l)
    if hasattr(m, "max_level"):
        facts |= {"h": x.h, "g_h": x.g_h}
    return facts


# -- items ----------------------------------------------------------------------------------------


def _build_steps(x: Lists, docs: list[str], find_last: DecidingRank | None = None) -> Steps:
    """Return the values computed for each item of a ranking."""
    columns, end = _build_columns(x), _find_last_rank(x, len(docs))
    last_rank = None if find_last is None else find_last(x)
    last = end if last_rank is None else min(end, max(int(last_rank[0]), 1))
    hits = x.hits if isinstance(x, Expected) else x
    levels = {int(hits.r[0, c]): float(hits.level[0, c]) for c in np.flatnonzero(hits.judged[0])}
    column_of = {int(x.r[0, c]): int(c) for c in np.flatnonzero(x.judged[0])}
    rows = []
    for rank, doc in enumerate(docs[:last], 1):
        c = column_of.get(rank)
        place = rank - 1 if x.rank_steps else c
        values = [float(v[place]) for v in columns.values() if place is not None and place < len(v)]
        tied = [(docs[r - 1], levels.get(r)) for r in _get_tied_ranks(x, c)]
        rows.append(Row(rank, doc, levels.get(rank), tuple(values), tuple(tied)))
    totals = {name: float(np.ravel(v)[0]) for name, v in x.steps.items() if np.ndim(v) == 1}
    return Steps(tuple(columns), tuple(rows), totals, end)


def _get_tied_ranks(x: Lists, column: int | None) -> range:
    """Return the ranks shared by a group of tied items, empty without ties."""
    if not isinstance(x, Expected) or column is None or x.cells.s[0, column] == 1:
        return range(0)
    first = int(x.cells.r[0, column] - x.cells.j[0, column]) + 1
    return range(first, first + int(x.cells.s[0, column]))


def _build_columns(x: Lists) -> dict[str, Floats]:
    """Return the values computed for each judged item or each rank."""
    if x.rank_steps:
        return {name: v[0] for name, v in x.rank_steps.items()}
    quantities = {QUANTITIES[n]: v for n, v in vars(x).items() if n in QUANTITIES}
    quantities |= {name: v for name, v in x.steps.items() if np.ndim(v) == 2}
    return {name: np.broadcast_to(v, x.r.shape)[0] for name, v in quantities.items()}


def _find_last_rank(x: Lists, docs: int) -> int:
    """Return the last rank used."""
    last = min(docs, int(x.n[0]), docs if x.l is None else x.l)
    # Nonrelevant items of an ideal ranking need no row.
    return min(last, max(int(x.R[0]), 1)) if x.is_ideal else last


# -- symbols --------------------------------------------------------------------------------------


def _build_legend(m: Measure, e: Explanation) -> dict[str, str]:
    """Return the meanings of all symbols in order. Names of measures are also symbols."""
    has_expected = e.sampled is None and any(row.tied for row in e.steps.rows)
    meanings = {**LETTERS, **NOTATION, **STEPS, **(EXPECTED_NOTATION if has_expected else {})}
    meanings |= {**getattr(m, "base", m).symbols, **m.symbols}  # D(M) shows the steps of M
    names = [*_find_letters(e.variant), *(x for name in e.symbols for x in (name, *_find_letters(name)))]
    legend = {}
    for name in names:
        symbol = name if name in meanings else re.split(r"[ (@]", name)[0]
        if symbol in meanings and not (symbol in REGISTRY and symbol != name):  # D(nDCG) is a measure
            legend[symbol] = meanings[symbol]
        elif symbol in REGISTRY:
            title = (REGISTRY[symbol].__doc__ or "").partition("\n")[0]
            legend[symbol] = title.partition(":")[0].rstrip(".")
    return legend


def _find_letters(formula: str) -> list[str]:
    """Return the letters of a formula that are symbols."""
    return [word for word in re.findall(r"[^\W\d_]+", formula) if word in LETTERS]
