"""Two sets of judgments: how far they agree, and what becomes of the runs.

Compare two sets of judgments, of two assessors or of people and a language model: how far they
agree on documents that both judged and, with runs, how they rank these and which significant
differences they find.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from operator import itemgetter
from typing import Any, get_args

from cranfield.assess.agreement import PAIRWISE, Agreement
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.meta.judgments import JudgmentComparison, Kind, compare_judgments
from cranfield.report import options
from cranfield.report import sheets as tables
from cranfield.report.agreement import TITLES
from cranfield.report.meta import Method, Work
from cranfield.report.sheets import Field, Sheet
from cranfield.scores import Interval
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import steps
from cranfield.stats.result import all_exact
from cranfield.wording import counted, some

TABLES = (
    "overlap", "agreement", "confusion", "topics", "runs", "rankings", "significance", "changed",
    "pairs",
)  # fmt: skip

_COEFFICIENTS = (*PAIRWISE, "alpha_nominal", "alpha_ordinal", "alpha_interval")
_STATISTICS = {"kendall": "τ", "tau-ap": "τ_ap", "rbo": "RBO"}


def sheets(found: JudgmentComparison) -> list[Sheet]:
    """Every table there is of a comparison."""
    made = [_overlap(found)]
    if found.levels is not None and found.binary is not None:
        made += [_agreement(found, found.levels, found.binary), _confusion(found, found.levels)]
        if found.levels.topics:
            made.append(_topics(found, found.levels, found.binary))
    if found.rankings:
        made.append(_runs(found))
    if any(ranking.pairs for ranking in found.rankings):
        different = "Pairs of runs of which the two draw different conclusions"
        made += [_rankings(found), _significance(found), _pairs(found, "changed", different)]
        made.append(_pairs(found, "pairs", "All pairs of runs"))
    return made


def settings(found: JudgmentComparison) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    of_runs = "test", "correction", "alpha", "trials", "seed", "confidence"
    names = "rel", "common", *(of_runs if found.rankings else ())
    return {"names": list(found.names), **tables.settings_of(found, *names)}


def usual(found: JudgmentComparison, format: str) -> tuple[str, ...]:
    """What is shown if nothing is asked for: what changed only if something did."""
    changed = any(ranking.changed for ranking in found.rankings)
    return tuple(x for x in METHOD.usual(found, format) if changed or x != "changed")


# -- the judgments --------------------------------------------------------------------------------


def _overlap(found: JudgmentComparison) -> Sheet:
    items, topics = found.items, found.topics
    low, high = zip(*found.ranges, strict=True)
    shares = [n / of for n, of in zip(found.relevant, found.judged, strict=True)]
    return tables.table(
        "overlap",
        f"{counted(items.both, 'document')} of {counted(topics.both, 'topic')} judged both by "
        f"{_both(found)}; relevant from level {found.rel:g}.",
        Field("judgments", list(found.names), key=True),
        Field("topics", [topics.both + topics.first, topics.both + topics.second]),
        Field("judged", found.judged, "documents"),
        Field("only_here", [items.first, items.second]),
        Field("relevant", found.relevant),
        Field("share_relevant", shares),
        Field("lowest", low, "levels from", [*map("{:g}".format, low)]),
        Field("highest", high, "to", [*map("{:g}".format, high)]),
    )


def _both(found: JudgmentComparison, and_by: str = " and by ") -> str:
    """What the two are called, in a sentence."""
    return and_by.join(found.names)


def _agreement(found: JudgmentComparison, levels: Agreement, binary: Agreement) -> Sheet:
    of = tables.columns([levels, binary])
    return tables.table(
        "agreement",
        f"Agreement of {_both(found, ' and ')} on the documents that both judged: "
        f"by level, and as relevant (from level {found.rel:g}) or not. Cohen's κ, Krippendorff's "
        "α.",
        Field("scale", ["levels", "binary"], texts=["levels", "relevant or not"], key=True),
        of("items", head="documents"),
        *(of(name, itemgetter(name), TITLES[name]) for name in _COEFFICIENTS),
    )


def _confusion(found: JudgmentComparison, levels: Agreement) -> Sheet:
    first, second = found.names
    counts = levels.pairs[0].confusion.T.tolist()
    columns = zip(levels.labels, counts, strict=True)
    return tables.table(
        "confusion",
        f"Documents by their level: the rows by {first}, the columns by {second}.",
        Field("first", list(levels.labels), f"{first} ↓ {second} →", key=True),
        *(Field(f"second_{label}", column, label) for label, column in columns),
    )


def _topics(found: JudgmentComparison, levels: Agreement, binary: Agreement) -> Sheet:
    of = tables.columns(found.by_topic.values())
    first, second = found.names

    def coefficients(by: Agreement, kind: str, *names: str) -> list[Field]:
        known = [by.topics[x].values if x in by.topics else {} for x in found.by_topic]
        return [
            Field(kind.replace(" ", "_") + x, [one.get(x) for one in known], kind + TITLES[x])
            for x in names
        ]

    return tables.table(
        "topics",
        "The same of every topic; nan where a coefficient is undefined.",
        Field("topic", list(found.by_topic), key=True),
        of("both", head="by both"),
        of("only_first", lambda overlap: overlap.first, f"only {first}"),
        of("only_second", lambda overlap: overlap.second, f"only {second}"),
        *coefficients(levels, "", "agreement", "kappa", "kappa_quadratic"),
        *coefficients(binary, "binary ", "agreement", "kappa"),
    )


# -- the runs -------------------------------------------------------------------------------------


def _runs(found: JudgmentComparison) -> Sheet:
    of_measure, of = tables.within(found.rankings, "runs")
    return tables.table(
        "runs",
        f'{_evaluated(found)} "Rise" is how many ranks higher {found.names[1]} places a run'
        f"{_moved_most(found)}.",
        of_measure("measure", key=True),
        of("run", key=True),
        *tables.both(of, "mean", "means", found.names),
        *tables.both(of, "rank", "ranks", [f"rank {name}" for name in found.names]),
        of("rise", text=lambda rise: f"{rise:+d}" if rise else "0"),
    )


def _evaluated(found: JudgmentComparison) -> str:
    every = "all judgments of either, unjudged documents not relevant"
    used = "only documents that both judged" if found.common else every
    runs, topics = found.rankings[0].runs, [ranking.topics for ranking in found.rankings]
    return f"Means of {tables.runs_on(len(runs), *topics)} by {_both(found)} ({used})."


def _moved_most(found: JudgmentComparison) -> str:
    """Who moves most, if anybody does."""
    text = []
    for ranking in found.rankings:
        most = max(abs(change.rise) for change in ranking.runs)
        moved = [change.run for change in ranking.runs if most and abs(change.rise) == most]
        if moved:
            text.append(f"by {ranking.measure} {some(moved, 'run')} by {counted(most, 'rank')}")
    return f"; those that move most: {', '.join(text)}" if text else "; none moves"


def _rankings(found: JudgmentComparison) -> Sheet:
    rankings = [ranking for ranking in found.rankings if ranking.pairs]
    of = tables.columns(rankings)
    alike = [
        _with_interval(name.replace("-", "_"), head, [r.correlations[name] for r in rankings])
        for name, head in _STATISTICS.items()
    ]
    return tables.table(
        "rankings",
        f"How alike {_both(found, ' and ')} rank the runs: Kendall's τ, AP "
        f"correlation with {found.names[0]} as gold, rank-biased overlap (p = 0.9); "
        f"{tables.percent(found.confidence)} bootstrap intervals from {DRAWS:,} draws of topics, "
        f"seed {found.seed}.",
        of("measure", key=True),
        of("runs", lambda ranking: len(ranking.runs)),
        of("topics"),
        *chain(*alike),
    )


def _with_interval(name: str, head: str, values: list[Interval]) -> Iterator[Field]:
    yield Field(name, [x.mean for x in values], head, [*map(tables.with_interval, values)])
    yield Field(f"{name}_low", [x.low for x in values], people=False)
    yield Field(f"{name}_high", [x.high for x in values], people=False)


def _significance(found: JudgmentComparison) -> Sheet:
    first, second = found.names
    finders = "both", *found.names, "neither"
    who = dict(zip(product((True, False), (True, False)), finders, strict=True))
    kinds = "passive", "mixed", "active"  # by how many find a difference
    rows = [
        (ranking.measure, kind, name, order, pairs, pairs / len(ranking.pairs))
        for ranking in found.rankings
        if ranking.pairs
        for kind in get_args(Kind)
        for order in ["reversed" if "disagreement" in kind else "same"]
        for by, name in who.items()
        if kind.startswith(kinds[sum(by)])
        for pairs in [ranking.count(kind, by)]
    ]
    names = "measure", "kind", "significant_by", "order", "pairs", "share"
    of = tables.columns(rows)
    return tables.table(
        "significance",
        f"Pairs of runs by whether {first}, {second} or both find a significant difference "
        f"({_test(found)}), and whether both have the runs in the same order.",
        *(of(name, itemgetter(k), key=name in names[:2]) for k, name in enumerate(names)),
    )


def _test(found: JudgmentComparison) -> str:
    correction = found.correction or "none"
    also = "" if correction == "none" else CORRECTIONS[correction].title
    tests = (test for one in found.rankings for pair in one.pairs for test in pair.tests)
    sampled = [test.sampled for test in tests]
    parts = tables.how_tested(found.test or "", found.trials, found.seed, all_exact(sampled), also)
    return ", ".join([*parts, f"α = {found.alpha:g}"])


def _pairs(found: JudgmentComparison, name: str, what: str) -> Sheet:
    of_measure, of = tables.within(found.rankings, name)
    rows = [pair for ranking in found.rankings for pair in getattr(ranking, name)]
    heads = [f"difference {name}" for name in found.names]
    tests = [[pair.tests[i] for pair in rows] for i in range(2)]
    named = zip(("first", "second"), found.names, tests, strict=True)
    return tables.table(
        name,
        f"{what}: differences of means and p-values by {_both(found)} ({_test(found)}). * p ≤ α.",
        of_measure("measure", key=True),
        of("run", lambda pair: pair.runs[0], key=True),
        of("other", lambda pair: pair.runs[1], key=True),
        *tables.both(of, "difference", "differences", heads, text=tables.signed),
        *(tables.p_field(x, found.alpha, f"pvalue_{side}", f"p {who}") for side, who, x in named),
        of("kind"),
    )


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=8,
    name="judgments",
    work=Work(
        compare_judgments,
        takes="judgments",
        doing="testing",
        steps=lambda asked, m, n: 2 * n * steps(asked.test, m, m * (m - 1) // 2, asked.trials),
    ),
    people=TABLES[:-1],
    flat=("runs", "agreement"),
    measures="AP",
    runs="results; without, agreement only",
    options={
        "--names A,B": "what the two sets are called (default: as their files)",
        "--common": "evaluate by the documents only that both judged (default: by all of either)",
        "-q --per-topic": "agreement of every topic, too",
        **options.how_tested(of_trials=f"; intervals of correlations use {DRAWS:,}"),
        **options.confidence("of the intervals of correlations"),
    },
)
