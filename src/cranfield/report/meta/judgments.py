"""Agreement of two sets of judgments, and their effect on runs.

Compare two sets of judgments, by two assessors or by humans and an LLM. Show their agreement on
documents that both judged and, with runs, the rankings and significant differences by each set.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from operator import itemgetter
from typing import Any, get_args

from cranfield import tables
from cranfield.assess.agreement import PAIRWISE, Agreement
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.meta.judgments import JudgmentComparison, Kind, compare_judgments
from cranfield.options import option, switch
from cranfield.report import options
from cranfield.report.agreement import TITLES
from cranfield.report.meta import Computation, Method
from cranfield.scores import Interval
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import count_steps
from cranfield.stats.result import is_fully_enumerated
from cranfield.stats.tables import build_p_column, describe_test
from cranfield.tables import Field, ResultTable
from cranfield.wording import format_count, format_names

TABLES = (
    "overlap", "agreement", "confusion", "topics", "runs", "rankings", "significance", "changed",
    "pairs",
)  # fmt: skip

_COEFFICIENTS = (*PAIRWISE, "alpha_nominal", "alpha_ordinal", "alpha_interval")
_STATISTICS = {"kendall": "τ", "tau-ap": "τ_ap", "rbo": "RBO"}


def build_tables(result: JudgmentComparison) -> list[ResultTable]:
    """Return all tables of a comparison."""
    result_tables = [_build_overlap_table(result)]
    if result.levels is not None and result.binary is not None:
        result_tables += [
            _build_agreement_table(result, result.levels, result.binary),
            _build_confusion_table(result, result.levels),
        ]
        if result.levels.topics:
            result_tables.append(_build_topics_table(result, result.levels, result.binary))
    if result.rankings:
        result_tables.append(_build_runs_table(result))
    if any(ranking.pairs for ranking in result.rankings):
        different = "Pairs of runs with different conclusions"
        result_tables += [
            _build_rankings_table(result),
            _build_significance_table(result),
            _build_pairs_table(result, "changed", different),
        ]
        result_tables.append(_build_pairs_table(result, "pairs", "All pairs of runs"))
    return result_tables


def build_settings(result: JudgmentComparison) -> dict[str, Any]:
    run_settings = "test", "correction", "alpha", "trials", "seed", "confidence"
    names = "rel", "common", *(run_settings if result.rankings else ())
    return {"names": list(result.names), **tables.read_settings(result, *names)}


def select_tables(result: JudgmentComparison, format: str) -> tuple[str, ...]:
    """Return the default tables: changed pairs only if there are any."""
    changed = any(ranking.changed for ranking in result.rankings)
    return tuple(x for x in METHOD.select_tables(result, format) if changed or x != "changed")


# -- the judgments --------------------------------------------------------------------------------


def _build_overlap_table(result: JudgmentComparison) -> ResultTable:
    items, topics = result.items, result.topics
    low, high = zip(*result.ranges, strict=True)
    shares = [n / total for n, total in zip(result.relevant, result.judged, strict=True)]
    return tables.build_table(
        "overlap",
        f"{format_count(items.both, 'document')} of {format_count(topics.both, 'topic')} judged "
        f"both by {_join_names(result)}. Relevant: level {result.rel:g} or above.",
        Field("judgments", list(result.names), key=True),
        Field("topics", [topics.both + topics.first, topics.both + topics.second]),
        Field("judged", result.judged, "documents"),
        Field("only_here", [items.first, items.second]),
        Field("relevant", result.relevant),
        Field("share_relevant", shares),
        Field("lowest", low, "levels from", [*map("{:g}".format, low)]),
        Field("highest", high, "to", [*map("{:g}".format, high)]),
    )


def _join_names(result: JudgmentComparison, and_by: str = " and by ") -> str:
    """Join the names of the two sets."""
    return and_by.join(result.names)


def _build_agreement_table(
    result: JudgmentComparison, levels: Agreement, binary: Agreement
) -> ResultTable:
    column = tables.bind_rows([levels, binary])
    return tables.build_table(
        "agreement",
        f"Agreement of {_join_names(result, ' and ')} on the documents that both judged, "
        f"by level, and as relevant (level {result.rel:g} or above) or not. Cohen's κ, "
        "Krippendorff's α.",
        Field("scale", ["levels", "binary"], texts=["levels", "relevant or not"], key=True),
        column("items", head="documents"),
        *(column(name, itemgetter(name), TITLES[name]) for name in _COEFFICIENTS),
    )


def _build_confusion_table(result: JudgmentComparison, levels: Agreement) -> ResultTable:
    first, second = result.names
    counts = levels.pairs[0].confusion.T.tolist()
    columns = zip(levels.labels, counts, strict=True)
    return tables.build_table(
        "confusion",
        f"Documents by level: rows by {first}, columns by {second}.",
        Field("first", list(levels.labels), f"{first} ↓ {second} →", key=True),
        *(Field(f"second_{label}", column, label) for label, column in columns),
    )


def _build_topics_table(
    result: JudgmentComparison, levels: Agreement, binary: Agreement
) -> ResultTable:
    column = tables.bind_rows(result.by_topic.values())
    first, second = result.names

    def build_coefficients(agreement: Agreement, kind: str, *names: str) -> list[Field]:
        values = [
            agreement.topics[x].values if x in agreement.topics else {} for x in result.by_topic
        ]
        return [
            Field(
                kind.replace(" ", "_") + x,
                [topic_values.get(x) for topic_values in values],
                kind + TITLES[x],
            )
            for x in names
        ]

    return tables.build_table(
        "topics",
        "Agreement by topic. nan: undefined.",
        Field("topic", list(result.by_topic), key=True),
        column("both", head="by both"),
        column("only_first", lambda overlap: overlap.first, f"only {first}"),
        column("only_second", lambda overlap: overlap.second, f"only {second}"),
        *build_coefficients(levels, "", "agreement", "kappa", "kappa_quadratic"),
        *build_coefficients(binary, "binary ", "agreement", "kappa"),
    )


# -- the runs -------------------------------------------------------------------------------------


def _build_runs_table(result: JudgmentComparison) -> ResultTable:
    measure_column, column = tables.bind_nested_rows(result.rankings, "runs")
    return tables.build_table(
        "runs",
        f"{_describe_evaluation(result)} Rise: number of ranks that a run is higher by "
        f"{result.names[1]}{_describe_moves(result)}.",
        measure_column("measure", key=True),
        column("run", key=True),
        *tables.build_pair_columns(column, "mean", "means", result.names),
        *tables.build_pair_columns(
            column, "rank", "ranks", [f"rank {name}" for name in result.names]
        ),
        column("rise", text=lambda rise: f"{rise:+d}" if rise else "0"),
    )


def _describe_evaluation(result: JudgmentComparison) -> str:
    default_text = "all judgments of each, unjudged documents are nonrelevant"
    used = "only documents that both judged" if result.common else default_text
    runs, topics = result.rankings[0].runs, [ranking.topics for ranking in result.rankings]
    size = tables.format_runs_and_topics(len(runs), *topics)
    return f"Means of {size} by {_join_names(result)} ({used})."


def _describe_moves(result: JudgmentComparison) -> str:
    """Describe the runs that move most."""
    text = []
    for ranking in result.rankings:
        maximum = max(abs(change.rise) for change in ranking.runs)
        moved = [change.run for change in ranking.runs if maximum and abs(change.rise) == maximum]
        if moved:
            change = f"{format_names(moved, 'run')} by {format_count(maximum, 'rank')}"
            text.append(f"{change} ({ranking.measure})")
    return f". Largest changes: {', '.join(text)}" if text else ". No run changes its rank"


def _build_rankings_table(result: JudgmentComparison) -> ResultTable:
    rankings = [ranking for ranking in result.rankings if ranking.pairs]
    column = tables.bind_rows(rankings)
    correlation_fields = [
        _build_interval_fields(
            name.replace("-", "_"), head, [r.correlations[name] for r in rankings]
        )
        for name, head in _STATISTICS.items()
    ]
    return tables.build_table(
        "rankings",
        f"Correlation of the rankings by {_join_names(result, ' and ')}: Kendall's τ, AP "
        f"correlation with {result.names[0]} as gold, rank-biased overlap (p = 0.9). "
        f"{tables.format_percent(result.confidence)} bootstrap intervals from {DRAWS:,} draws of "
        f"topics, seed {result.seed}.",
        column("measure", key=True),
        column("runs", lambda ranking: len(ranking.runs)),
        column("topics"),
        *chain(*correlation_fields),
    )


def _build_interval_fields(name: str, head: str, values: list[Interval]) -> Iterator[Field]:
    yield Field(
        name, [x.mean for x in values], head, [*map(tables.format_mean_with_interval, values)]
    )
    yield Field(f"{name}_low", [x.low for x in values], visible=False)
    yield Field(f"{name}_high", [x.high for x in values], visible=False)


def _build_significance_table(result: JudgmentComparison) -> ResultTable:
    first, second = result.names
    finders = "both", *result.names, "neither"
    finder_names = dict(zip(product((True, False), (True, False)), finders, strict=True))
    kinds = "passive", "mixed", "active"  # by the number of sets with a significant difference
    rows = [
        (ranking.measure, kind, name, order, pairs, pairs / len(ranking.pairs))
        for ranking in result.rankings
        if ranking.pairs
        for kind in get_args(Kind)
        for order in ["reversed" if "disagreement" in kind else "same"]
        for is_significant, name in finder_names.items()
        if kind.startswith(kinds[sum(is_significant)])
        for pairs in [ranking.count(kind, is_significant)]
    ]
    names = "measure", "kind", "significant_by", "order", "pairs", "share"
    column = tables.bind_rows(rows)
    return tables.build_table(
        "significance",
        f"Pairs of runs with a significant difference by {first}, by {second}, by both or by "
        f"neither ({_describe_test(result)}), with the runs in the same or in reversed order.",
        *(column(name, itemgetter(k), key=name in names[:2]) for k, name in enumerate(names)),
    )


def _describe_test(result: JudgmentComparison) -> str:
    correction = result.correction or "none"
    correction_text = "" if correction == "none" else CORRECTIONS[correction].title
    tests = (test for ranking in result.rankings for pair in ranking.pairs for test in pair.tests)
    sampled = [test.sampled for test in tests]
    parts = describe_test(
        result.test or "", result.trials, result.seed, is_fully_enumerated(sampled), correction_text
    )
    return ", ".join([*parts, f"α = {result.alpha:g}"])


def _build_pairs_table(result: JudgmentComparison, name: str, subject: str) -> ResultTable:
    measure_column, column = tables.bind_nested_rows(result.rankings, name)
    rows = [pair for ranking in result.rankings for pair in getattr(ranking, name)]
    heads = [f"difference {name}" for name in result.names]
    tests = [[pair.tests[i] for pair in rows] for i in range(2)]
    sides = zip(("first", "second"), result.names, tests, strict=True)
    return tables.build_table(
        name,
        f"{subject}: differences of means and p-values by {_join_names(result)} "
        f"({_describe_test(result)}). * p ≤ α.",
        measure_column("measure", key=True),
        column("run", lambda pair: pair.runs[0], key=True),
        column("other", lambda pair: pair.runs[1], key=True),
        *tables.build_pair_columns(
            column, "difference", "differences", heads, text=tables.format_difference
        ),
        *(
            build_p_column(x, result.alpha, f"pvalue_{side}", f"p {set_name}")
            for side, set_name, x in sides
        ),
        column("kind"),
    )


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=8,
    name="judgments",
    computation=Computation(
        compare_judgments,
        inputs="judgments",
        activity="testing",
        steps=lambda asked, m, n: (
            2 * n * count_steps(asked.test, m, m * (m - 1) // 2, asked.trials)
        ),
    ),
    human_tables=TABLES[:-1],
    flat_tables=("runs", "agreement"),
    measures="AP",
    runs_help="results; without, agreement only",
    options=(
        option(
            "--names",
            "A,B",
            "what the two sets are called (default: as their files)",
            value="names",
        ),
        switch(
            "--common",
            "evaluate by the documents only that both judged (default: by all of either)",
        ),
        switch("-q --per-topic", "agreement of every topic, too"),
        *options.build_testing_options(of_trials=f"; intervals of correlations use {DRAWS:,}"),
        *options.build_confidence_option("of the intervals of correlations"),
    ),
)
