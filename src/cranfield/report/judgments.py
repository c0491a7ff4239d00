"""Two sets of judgments compared, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cranfield.assess.agreement import Agreement
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.meta.judgments import JudgmentComparison, PairChange, RankingChange
from cranfield.report.sheets import (
    Field,
    Sheet,
    how_tested,
    p_field,
    percent,
    runs_on,
    shown_of,
    signed,
    with_interval,
)
from cranfield.scores import Interval
from cranfield.stats.families import CORRECTION_TITLES
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
        every = [(ranking, pair) for ranking in found.rankings for pair in ranking.pairs]
        changed = [(ranking, pair) for ranking, pair in every if pair.changed]
        made += [_rankings(found), _significance(found)]
        made += [_pairs(found, "changed", changed), _pairs(found, "pairs", every)]
    return made


def settings(found: JudgmentComparison) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    made = {"names": list(found.names), "rel": found.rel, "common": found.common}
    if not found.rankings:
        return made
    return made | {
        "test": found.test,
        "correction": found.correction,
        "alpha": found.alpha,
        "trials": found.trials,
        "seed": found.seed,
        "confidence": found.confidence,
    }


def usual(found: JudgmentComparison, format: str) -> tuple[str, ...] | None:
    """What is shown if nothing is asked for: for people not every pair, in flat formats one."""
    if format == "json":
        return None
    if format in ("table", "markdown", "latex"):
        changed = any(pair.changed for ranking in found.rankings for pair in ranking.pairs)
        return tuple(name for name in TABLES[:-1] if changed or name != "changed")
    return ("runs",) if found.rankings else ("agreement",)


# -- the judgments ------------------------------------------------------------------------------


def _overlap(found: JudgmentComparison) -> Sheet:
    first, second = found.names
    items, topics, judged = found.items, found.topics, found.judged
    return Sheet(
        "overlap",
        [
            Field("judgments", list(found.names), key=True),
            Field("topics", [topics.both + topics.first, topics.both + topics.second]),
            Field("judged", list(judged), "documents"),
            Field("only_here", [items.first, items.second]),
            Field("relevant", list(found.relevant)),
            Field("share_relevant", [r / n for r, n in zip(found.relevant, judged, strict=True)]),
            Field("lowest", [low for low, _ in found.ranges], "levels from",
                  texts=[f"{low:g}" for low, _ in found.ranges]),
            Field("highest", [high for _, high in found.ranges], "to",
                  texts=[f"{high:g}" for _, high in found.ranges]),
        ],
        f"{counted(items.both, 'document')} of {counted(topics.both, 'topic')} judged both by "
        f"{first} and by {second}; relevant from level {found.rel:g}.",
    )  # fmt: skip


def _agreement(found: JudgmentComparison, levels: Agreement, binary: Agreement) -> Sheet:
    rows = [levels, binary]
    return Sheet(
        "agreement",
        [
            Field("scale", ["levels", "binary"], "", ["levels", "relevant or not"], key=True),
            Field("items", [one.items for one in rows], "documents"),
            *(
                Field(name, [one[name] for one in rows], head)
                for name, head in _COEFFICIENTS.items()
            ),
        ],
        f"Agreement of {found.names[0]} and {found.names[1]} on the documents that both judged: "
        f"by level, and as relevant (from level {found.rel:g}) or not. Cohen's κ, Krippendorff's "
        "α.",
    )


def _confusion(found: JudgmentComparison, levels: Agreement) -> Sheet:
    first, second = found.names
    counts = levels.pairs[0].confusion
    return Sheet(
        "confusion",
        [
            Field("first", list(levels.labels), f"{first} ↓ {second} →", key=True),
            *(
                Field(f"second_{label}", counts[:, i].tolist(), label)
                for i, label in enumerate(levels.labels)
            ),
        ],
        f"Documents by their level: the rows by {first}, the columns by {second}.",
    )


def _topics(found: JudgmentComparison, levels: Agreement, binary: Agreement) -> Sheet:
    overlaps = found.by_topic
    rows: Any = [(levels.topics.get(topic), binary.topics.get(topic)) for topic in overlaps]

    def column(side: int, name: str) -> list[float | None]:
        return [None if row[side] is None else row[side][name] for row in rows]

    return Sheet(
        "topics",
        [
            Field("topic", list(overlaps), key=True),
            Field("both", [o.both for o in overlaps.values()], "by both"),
            Field("only_first", [o.first for o in overlaps.values()], f"only {found.names[0]}"),
            Field("only_second", [o.second for o in overlaps.values()], f"only {found.names[1]}"),
            Field("agreement", column(0, "agreement")),
            Field("kappa", column(0, "kappa"), "κ"),
            Field("kappa_quadratic", column(0, "kappa_quadratic"), "quadratic κ"),
            Field("binary_agreement", column(1, "agreement")),
            Field("binary_kappa", column(1, "kappa"), "binary κ"),
        ],
        "The same of every topic; nan where a coefficient is undefined.",
    )


# -- the runs -----------------------------------------------------------------------------------


def _runs(found: JudgmentComparison) -> Sheet:
    rows = [(ranking, change) for ranking in found.rankings for change in ranking.runs]
    first, second = found.names
    return Sheet(
        "runs",
        [
            Field("measure", [ranking.measure for ranking, _ in rows], key=True),
            Field("run", [change.run for _, change in rows], key=True),
            Field("mean_first", [change.means[0] for _, change in rows], first),
            Field("mean_second", [change.means[1] for _, change in rows], second),
            Field("rank_first", [change.ranks[0] for _, change in rows], f"rank {first}"),
            Field("rank_second", [change.ranks[1] for _, change in rows], f"rank {second}"),
            Field("rise", [change.rise for _, change in rows],
                  texts=[f"{change.rise:+d}" if change.rise else "0" for _, change in rows]),
        ],
        f"{_evaluated(found)} \"Rise\" is how many ranks higher {second} places a run"
        f"{_moved_most(found.rankings)}.",
    )  # fmt: skip


def _evaluated(found: JudgmentComparison) -> str:
    used = (
        "only documents that both judged"
        if found.common
        else "all judgments of either, unjudged documents not relevant"
    )
    size = runs_on(len(found.rankings[0].runs), *(ranking.topics for ranking in found.rankings))
    return f"Means of {size} by {found.names[0]} and by {found.names[1]} ({used})."


def _moved_most(rankings: Iterable[RankingChange]) -> str:
    """Who moves most, if anybody does."""
    said = []
    for ranking in rankings:
        most = max(abs(change.rise) for change in ranking.runs)
        moved = [change.run for change in ranking.runs if most and abs(change.rise) == most]
        if moved:
            said.append(f"by {ranking.measure} {some(moved, 'run')} by {counted(most, 'rank')}")
    return f"; those that move most: {', '.join(said)}" if said else "; none moves"


def _rankings(found: JudgmentComparison) -> Sheet:
    rankings = [ranking for ranking in found.rankings if ranking.pairs]
    return Sheet(
        "rankings",
        [
            Field("measure", [ranking.measure for ranking in rankings], key=True),
            Field("runs", [len(ranking.runs) for ranking in rankings]),
            Field("topics", [ranking.topics for ranking in rankings]),
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
        f"{percent(found.confidence)} bootstrap intervals from {DRAWS:,} draws of topics, "
        f"seed {found.seed}.",
    )


def _with_interval(name: str, head: str, values: list[Interval]) -> Iterator[Field]:
    texts = [with_interval(x.mean, x.low, x.high) for x in values]
    yield Field(name, [x.mean for x in values], head, texts)
    yield Field(f"{name}_low", [x.low for x in values], people=False)
    yield Field(f"{name}_high", [x.high for x in values], people=False)


def _significance(found: JudgmentComparison) -> Sheet:
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
        (ranking, *kind, ranking.count(kind[0], kind[3]))
        for ranking in found.rankings
        if ranking.pairs
        for kind in kinds
    ]
    return Sheet(
        "significance",
        [
            Field("measure", [row[0].measure for row in rows], key=True),
            Field("kind", [row[1] for row in rows], "", key=True),
            Field("significant_by", [row[2] for row in rows]),
            Field("order", [row[3] for row in rows]),
            Field("pairs", [row[5] for row in rows]),
            Field("share", [row[5] / len(row[0].pairs) for row in rows]),
        ],
        f"Pairs of runs by whether {first}, {second} or both find a significant difference "
        f"({_test(found)}), and whether both have the runs in the same order.",
    )


def _test(found: JudgmentComparison) -> str:
    correction = found.correction or "none"
    also = "" if correction == "none" else CORRECTION_TITLES[correction]
    tests = (test for one in found.rankings for pair in one.pairs for test in pair.tests)
    sampled = [test.outcome.sampled for test in tests]
    parts = how_tested(found.test or "", found.trials, found.seed, all_exact(sampled), also)
    return ", ".join([*parts, f"α = {found.alpha:g}"])


def _pairs(
    found: JudgmentComparison, name: str, rows: list[tuple[RankingChange, PairChange]]
) -> Sheet:
    first, second = found.names
    sides = (("first", first, 0), ("second", second, 1))
    what = "Pairs of runs of which the two draw different conclusions" if name == "changed" else (
        "All pairs of runs"
    )  # fmt: skip
    return Sheet(
        name,
        [
            Field("measure", [ranking.measure for ranking, _ in rows], key=True),
            Field("run", [pair.runs[0] for _, pair in rows], key=True),
            Field("other", [pair.runs[1] for _, pair in rows], key=True),
            *(
                Field(f"difference_{side}", [pair.differences[i] for _, pair in rows],
                      f"difference {who}", [signed(pair.differences[i]) for _, pair in rows])
                for side, who, i in sides
            ),
            *(
                p_field(f"pvalue_{side}", [test.pvalue for test in tests],
                        [shown_of(test.pvalue, test.outcome.sampled) for test in tests],
                        found.alpha, f"p {who}")
                for side, who, i in sides
                for tests in [[pair.tests[i] for _, pair in rows]]
            ),
            Field("kind", [pair.kind for _, pair in rows]),
        ],
        f"{what}: differences of means and p-values by {first} and by {second} ({_test(found)}). "
        "* p ≤ α.",
    )  # fmt: skip
