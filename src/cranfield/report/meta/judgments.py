"""Two sets of judgments compared, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from cranfield.assess.agreement import Agreement
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.meta.judgments import (
    JudgmentComparison,
    PairChange,
    RankingChange,
    compare_judgments,
)
from cranfield.report import options
from cranfield.report import sheets as tables
from cranfield.report.meta import Method, Work
from cranfield.report.options import option
from cranfield.scores import Interval
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import steps
from cranfield.stats.result import all_exact
from cranfield.wording import counted, some

TABLES = (
    "overlap", "agreement", "confusion", "topics", "runs", "rankings", "significance", "changed",
    "pairs",
)  # fmt: skip

_COEFFICIENTS = {
    "agreement": "agreement",
    "kappa": "κ",
    "kappa_linear": "linear κ",
    "kappa_quadratic": "quadratic κ",
    "alpha_nominal": "nominal α",
    "alpha_ordinal": "ordinal α",
    "alpha_interval": "interval α",
}
SCALES = ("levels", "binary")
_STATISTICS = {"kendall": "τ", "tau-ap": "τ_ap", "rbo": "RBO"}


def sheets(found: JudgmentComparison) -> list[tables.Sheet]:
    """Every table there is of a comparison."""
    made = [_overlap(found)]
    if found.levels is not None and found.binary is not None:
        made += [_agreement(found, found.levels, found.binary), _confusion(found, found.levels)]
        if found.levels.topics:
            made.append(_topics(found, found.levels, found.binary))
    if found.rankings:
        made.append(_runs(found))
    if any(ranking.pairs for ranking in found.rankings):
        every = [(ranking, pair) for ranking in found.rankings for pair in ranking.pairs]
        changed = [(ranking, pair) for ranking, pair in every if pair.changed]
        made += [_rankings(found), _significance(found)]
        made += [_pairs(found, "changed", changed), _pairs(found, "pairs", every)]
    return made


def settings(found: JudgmentComparison) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    of_runs = "test", "correction", "alpha", "trials", "seed", "confidence"
    names = "rel", "common", *(of_runs if found.rankings else ())
    return {"names": list(found.names), **tables.settings_of(found, *names)}


def usual(found: JudgmentComparison, format: str) -> tuple[str, ...]:
    """What is shown if nothing is asked for: what changed only if something did."""
    changed = any(pair.changed for ranking in found.rankings for pair in ranking.pairs)
    return tuple(x for x in METHOD.usual(found, format) if changed or x != "changed")


# -- the judgments --------------------------------------------------------------------------------


def _overlap(found: JudgmentComparison) -> tables.Sheet:
    first, second = found.names
    items, topics = found.items, found.topics
    of = tables.columns(zip(found.judged, found.relevant, found.ranges, strict=True))
    return tables.Sheet(
        "overlap",
        [
            tables.Field("judgments", list(found.names), key=True),
            tables.Field("topics", [topics.both + topics.first, topics.both + topics.second]),
            of("judged", lambda row: row[0], "documents"),
            tables.Field("only_here", [items.first, items.second]),
            of("relevant", lambda row: row[1]),
            of("share_relevant", lambda row: row[1] / row[0]),
            of("lowest", lambda row: row[2][0], "levels from", "{:g}".format),
            of("highest", lambda row: row[2][1], "to", "{:g}".format),
        ],
        f"{counted(items.both, 'document')} of {counted(topics.both, 'topic')} judged both by "
        f"{first} and by {second}; relevant from level {found.rel:g}.",
    )


def _agreement(found: JudgmentComparison, levels: Agreement, binary: Agreement) -> tables.Sheet:
    of = tables.columns([levels, binary])
    return tables.Sheet(
        "agreement",
        [
            tables.Field("scale", SCALES, texts=["levels", "relevant or not"], key=True),
            of("items", head="documents"),
            *(of(name, itemgetter(name), head) for name, head in _COEFFICIENTS.items()),
        ],
        f"Agreement of {found.names[0]} and {found.names[1]} on the documents that both judged: "
        f"by level, and as relevant (from level {found.rel:g}) or not. Cohen's κ, Krippendorff's "
        "α.",
    )


def _confusion(found: JudgmentComparison, levels: Agreement) -> tables.Sheet:
    first, second = found.names
    counts = levels.pairs[0].confusion
    return tables.Sheet(
        "confusion",
        [
            tables.Field("first", list(levels.labels), f"{first} ↓ {second} →", key=True),
            *(
                tables.Field(f"second_{label}", counts[:, i].tolist(), label)
                for i, label in enumerate(levels.labels)
            ),
        ],
        f"Documents by their level: the rows by {first}, the columns by {second}.",
    )


def _topics(found: JudgmentComparison, levels: Agreement, binary: Agreement) -> tables.Sheet:
    of = tables.columns(found.by_topic.values())
    first, second = found.names

    def coefficient(column: str, name: str, head: str = "", by: Agreement = levels) -> tables.Field:
        of_topics = map(by.topics.get, found.by_topic)
        return tables.Field(column, [None if one is None else one[name] for one in of_topics], head)

    return tables.Sheet(
        "topics",
        [
            tables.Field("topic", list(found.by_topic), key=True),
            of("both", head="by both"),
            of("only_first", lambda overlap: overlap.first, f"only {first}"),
            of("only_second", lambda overlap: overlap.second, f"only {second}"),
            coefficient("agreement", "agreement"),
            coefficient("kappa", "kappa", "κ"),
            coefficient("kappa_quadratic", "kappa_quadratic", "quadratic κ"),
            coefficient("binary_agreement", "agreement", by=binary),
            coefficient("binary_kappa", "kappa", "binary κ", binary),
        ],
        "The same of every topic; nan where a coefficient is undefined.",
    )


# -- the runs -------------------------------------------------------------------------------------


def _runs(found: JudgmentComparison) -> tables.Sheet:
    rows = [(ranking.measure, change) for ranking in found.rankings for change in ranking.runs]
    of = tables.columns(change for _, change in rows)
    first, second = found.names
    return tables.Sheet(
        "runs",
        [
            tables.Field("measure", [measure for measure, _ in rows], key=True),
            of("run", key=True),
            of("mean_first", lambda change: change.means[0], first),
            of("mean_second", lambda change: change.means[1], second),
            of("rank_first", lambda change: change.ranks[0], f"rank {first}"),
            of("rank_second", lambda change: change.ranks[1], f"rank {second}"),
            of("rise", text=lambda rise: f"{rise:+d}" if rise else "0"),
        ],
        f'{_evaluated(found)} "Rise" is how many ranks higher {second} places a run'
        f"{_moved_most(found.rankings)}.",
    )


def _evaluated(found: JudgmentComparison) -> str:
    every = "all judgments of either, unjudged documents not relevant"
    used = "only documents that both judged" if found.common else every
    runs, topics = found.rankings[0].runs, [ranking.topics for ranking in found.rankings]
    size = tables.runs_on(len(runs), *topics)
    return f"Means of {size} by {found.names[0]} and by {found.names[1]} ({used})."


def _moved_most(rankings: Iterable[RankingChange]) -> str:
    """Who moves most, if anybody does."""
    text = []
    for ranking in rankings:
        most = max(abs(change.rise) for change in ranking.runs)
        moved = [change.run for change in ranking.runs if most and abs(change.rise) == most]
        if moved:
            text.append(f"by {ranking.measure} {some(moved, 'run')} by {counted(most, 'rank')}")
    return f"; those that move most: {', '.join(text)}" if text else "; none moves"


def _rankings(found: JudgmentComparison) -> tables.Sheet:
    rankings = [ranking for ranking in found.rankings if ranking.pairs]
    of = tables.columns(rankings)
    return tables.Sheet(
        "rankings",
        [
            of("measure", key=True),
            of("runs", lambda ranking: len(ranking.runs)),
            of("topics"),
            *(
                field
                for name, head in _STATISTICS.items()
                for field in _with_interval(
                    name.replace("-", "_"), head, [r.correlations[name] for r in rankings]
                )
            ),
        ],
        f"How alike {found.names[0]} and {found.names[1]} rank the runs: Kendall's τ, AP "
        f"correlation with {found.names[0]} as gold, rank-biased overlap (p = 0.9); "
        f"{tables.percent(found.confidence)} bootstrap intervals from {DRAWS:,} draws of topics, "
        f"seed {found.seed}.",
    )


def _with_interval(name: str, head: str, values: list[Interval]) -> Iterator[tables.Field]:
    texts = [tables.with_interval(x.mean, x.low, x.high) for x in values]
    yield tables.Field(name, [x.mean for x in values], head, texts)
    yield tables.Field(f"{name}_low", [x.low for x in values], people=False)
    yield tables.Field(f"{name}_high", [x.high for x in values], people=False)


def _significance(found: JudgmentComparison) -> tables.Sheet:
    first, second = found.names
    kinds: list[tuple[Any, str, str, tuple[bool, bool]]] = [
        ("active agreement", "both", "same", (True, True)),
        ("mixed agreement", first, "same", (True, False)),
        ("mixed agreement", second, "same", (False, True)),
        ("passive agreement", "neither", "same", (False, False)),
        ("passive disagreement", "neither", "reversed", (False, False)),
        ("mixed disagreement", first, "reversed", (True, False)),
        ("mixed disagreement", second, "reversed", (False, True)),
        ("active disagreement", "both", "reversed", (True, True)),
    ]
    rows = [
        (ranking.measure, *kind[:3], pairs, pairs / len(ranking.pairs))
        for ranking in found.rankings
        if ranking.pairs
        for kind in kinds
        for pairs in [ranking.count(kind[0], kind[3])]
    ]
    names = "measure", "kind", "significant_by", "order", "pairs", "share"
    of = tables.columns(rows)
    return tables.Sheet(
        "significance",
        [of(name, itemgetter(k), key=name in ("measure", "kind")) for k, name in enumerate(names)],
        f"Pairs of runs by whether {first}, {second} or both find a significant difference "
        f"({_test(found)}), and whether both have the runs in the same order.",
    )


def _test(found: JudgmentComparison) -> str:
    correction = found.correction or "none"
    also = "" if correction == "none" else CORRECTIONS[correction].title
    tests = (test for one in found.rankings for pair in one.pairs for test in pair.tests)
    sampled = [test.outcome.sampled for test in tests]
    parts = tables.how_tested(found.test or "", found.trials, found.seed, all_exact(sampled), also)
    return ", ".join([*parts, f"α = {found.alpha:g}"])


def _pairs(
    found: JudgmentComparison, name: str, rows: list[tuple[RankingChange, PairChange]]
) -> tables.Sheet:
    first, second = found.names
    sides = (("first", first, 0), ("second", second, 1))
    different = "Pairs of runs of which the two draw different conclusions"
    what = different if name == "changed" else "All pairs of runs"
    of = tables.columns(pair for _, pair in rows)
    return tables.Sheet(
        name,
        [
            tables.Field("measure", [ranking.measure for ranking, _ in rows], key=True),
            of("run", lambda pair: pair.runs[0], key=True),
            of("other", lambda pair: pair.runs[1], key=True),
            *(
                of(f"difference_{side}", lambda pair, i=i: pair.differences[i],
                   f"difference {who}", tables.signed)
                for side, who, i in sides
            ),
            *(
                tables.p_field(f"pvalue_{side}", [test.pvalue for test in tests],
                        [tables.shown_of(test.pvalue, test.outcome.sampled) for test in tests],
                        found.alpha, f"p {who}")
                for side, who, i in sides
                for tests in [[pair.tests[i] for _, pair in rows]]
            ),
            of("kind"),
        ],
        f"{what}: differences of means and p-values by {first} and by {second} ({_test(found)}). "
        "* p ≤ α.",
    )  # fmt: skip


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    place=8,
    name="judgments",
    help="two sets of judgments: how far they agree, and what becomes of the runs",
    description="Compare two sets of judgments, of two assessors or of people and a language "
    "model: how far they agree on documents that both judged and, with runs, how they rank "
    "these and which significant differences they find.",
    work=Work(
        compare_judgments,
        takes="judgments",
        doing="testing",
        steps=lambda asked, m, n: 2 * n * steps(asked.test, m, m * (m - 1) // 2, asked.trials),
    ),
    result=JudgmentComparison,
    people=TABLES[:-1],
    flat=("runs", "agreement"),
    measures="AP",
    runs="results; without, agreement only",
    options=(
        option(
            "--names", metavar="A,B", help="what the two sets are called (default: as their files)"
        ),
        option(
            "--common", action="store_true",
            help="evaluate by the documents only that both judged (default: by all of either)",
        ),
        option(
            "-q", "--per-topic", action="store_true", help="agreement of every topic, too"
        ),
        *options.how_tested(of_trials=f"; intervals of correlations use {DRAWS:,}"),
        options.confidence("of the intervals of correlations"),
    ),
)  # fmt: skip
