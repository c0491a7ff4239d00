"""A comparison of runs as tables: means, pairs, topics that moved; and one for the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.comparison import EFFECT_TITLES, Comparison, PairComparison, RunSummary
from cranfield.report.sheets import (
    FLAT,
    PAPER,
    Field,
    Sheet,
    how_tested,
    interval_fields,
    p_field,
    percent,
    runs_on,
    signed,
)
from cranfield.scores import four_decimals
from cranfield.stats.families import CORRECTION_TITLES, OF_MANY
from cranfield.wording import counted

TABLES = ("runs", "pairs", "movers", "results")
_PAIRS_WITH_MOVERS = 3  # more would bury the rest


def usual_tables(found: Comparison, format: str, movers: int | None) -> tuple[str, ...]:
    """The tables that are shown if none is named."""
    if format in FLAT:
        return ("pairs",)
    if format == "json":
        return TABLES[:3]
    few = len(found.pairs) <= _PAIRS_WITH_MOVERS if movers is None else movers > 0
    first = "results" if format in PAPER else "runs"
    return (first, "pairs", *(("movers",) if few and format not in PAPER else ()))


def sheets(found: Comparison, movers: int = 3) -> list[Sheet]:
    """All tables of a comparison."""
    return [_runs(found), _pairs(found), _movers(found, movers), _results(found)]


def settings(found: Comparison) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    return {
        "test": found.test,
        "correction": found.correction,
        "alpha": found.alpha,
        "confidence": 1 - found.alpha,
        "trials": None if found.enumerated else found.trials,
        "seed": None if found.enumerated else found.seed,
        "enumerated": found.enumerated,
        "effect": found.effect,
        "baselines": list(found.baselines),
        "topics": len(found.scores.topics),
        "runs": len(found.scores.runs),
    }


def procedure(found: Comparison) -> str:
    """What was done, in words that a paper can print.

    A sentence without its end: test, trials, correction, level.
    """
    pairs, corrected = len(found.pairs) // len(found.scores.measures), ""
    if found.test not in OF_MANY and pairs > 1:
        family = f"for {counted(pairs, 'comparison')} by each measure"
        corrected = f"{CORRECTION_TITLES[found.correction]} {family}"
    parts = how_tested(found.test, found.trials, found.seed, found.enumerated, corrected)
    return ", ".join([*parts, "two-sided", f"α = {found.alpha:g}"])


def _size(found: Comparison) -> str:
    """On how many topics, and of what."""
    return runs_on(len(found.scores.runs), *(run.topics for run in found.runs))


def _confidence(found: Comparison) -> str:
    return percent(1 - found.alpha)


def _measure(found: Comparison, rows: Sequence[RunSummary | PairComparison]) -> Field:
    """The column that names the measure; people need it only if there are several."""
    several = len(found.scores.measures) > 1
    return Field("measure", [row.measure for row in rows], people=several, key=True)


def _of(found: Comparison) -> str:
    """By which measure, where the table does not say so."""
    return f" by {found.scores.measures[0]}" if len(found.scores.measures) == 1 else ""


def _runs(found: Comparison) -> Sheet:
    rows = found.runs
    groups = found.baselines == ()
    signs = {name: _sign(i) for i, name in enumerate(found.baselines)}
    marks = [_marks(row, signs) for row in rows]
    said = f"Means of {_size(found)}{_of(found)}, with {_confidence(found)} t intervals. "
    if groups:
        said += f"{_letters(found)} ({procedure(found)})."
    else:
        said += f"{_legend(signs)} ({procedure(found)})."
    return Sheet(
        "runs",
        [
            _measure(found, rows),
            Field("run", [row.run for row in rows], texts=[_named(r.run, signs) for r in rows],
                  key=True),
            Field("topics", [row.topics for row in rows], people=False),
            Field("mean", [row.mean for row in rows]),
            *interval_fields([(row.low, row.high) for row in rows], 1 - found.alpha),
            Field("groups", [row.groups for row in rows], people=groups),
            Field("better_than", [" ".join(row.better_than) for row in rows], people=False),
            Field("worse_than", [" ".join(row.worse_than) for row in rows], people=False),
            Field("significant", None, "significant", marks, people=not groups),
        ],
        said,
    )  # fmt: skip


def _pairs(found: Comparison) -> Sheet:
    rows = found.pairs
    estimated = {"wilcoxon": "the pseudo-median of differences", "sign": "the median difference"}
    of = estimated.get(found.test, "the difference of means")
    each = "simultaneous" if found.test in OF_MANY else "for each pair alone"
    if found.correction == "bonferroni":
        each = "Bonferroni's, simultaneous"
    other = "baseline" if found.baselines else "other"
    only_one = found.test not in OF_MANY and len(rows) == len(found.scores.measures)
    sort = "" if only_one else f", {each}"
    said = (
        f"Differences run − {other} of {_size(found)}{_of(found)}: {procedure(found)}. * p ≤ α. "
        f"Intervals: {_confidence(found)}, of {of}{sort}. Effect size: "
        f"{EFFECT_TITLES[found.effect]}. Wins, ties and losses: topics on which the run is better, "
        "equal and worse."
    )
    counts = [(row.wins, row.ties, row.losses) for row in rows]
    return Sheet(
        "pairs",
        [
            _measure(found, rows),
            Field("run", [row.run for row in rows], key=True),
            Field("other", [row.other for row in rows], other, key=True),
            Field("topics", [row.topics for row in rows], people=False),
            Field("difference", [row.difference for row in rows],
                  texts=[signed(row.difference) for row in rows]),
            *interval_fields([(row.low, row.high) for row in rows], 1 - found.alpha, "+"),
            Field("statistic", [row.statistic for row in rows], people=False),
            p_field("pvalue", [row.pvalue for row in rows],
                    [found.shown_p(row) for row in rows], found.alpha),
            Field("uncorrected", [row.uncorrected for row in rows], people=False),
            Field("asl", [row.asl for row in rows], people=False),
            Field("mc_error", [row.error for row in rows], people=False),
            Field("effect", [row.effect for row in rows], "effect size",
                  [f"{row.effect:+.2f}" for row in rows]),
            Field("dz", [row.dz for row in rows], people=False),
            Field("wins", [row.wins for row in rows], people=False),
            Field("ties", [row.ties for row in rows], people=False),
            Field("losses", [row.losses for row in rows], people=False),
            Field("counts", None, "win/tie/loss", ["/".join(map(str, c)) for c in counts]),
            Field("verdict", [row.verdict for row in rows], people=False),
        ],
        said,
    )  # fmt: skip


def _movers(found: Comparison, most: int) -> Sheet:
    rows = found.movers(most)
    several = len(found.scores.measures) > 1
    return Sheet(
        "movers",
        [
            Field("measure", [row.measure for row in rows], people=several, key=True),
            Field("run", [row.run for row in rows], key=True),
            Field("other", [row.other for row in rows],
                  head="baseline" if found.baselines else "other", key=True),
            Field("topic", [row.topic for row in rows], key=True),
            Field("score", [row.score for row in rows], "run's"),
            Field("other_score", [row.other_score for row in rows],
                  "baseline's" if found.baselines else "other's"),
            Field("difference", [row.difference for row in rows],
                  texts=[signed(row.difference) for row in rows]),
        ],
        f"Topics that differ most{_of(found)}: at most {most} each way for each pair.",
    )  # fmt: skip


def _results(found: Comparison) -> Sheet:
    """Runs × measures, with letters or marks: the table that a paper prints."""
    signs = {name: _sign(i) for i, name in enumerate(found.baselines)}
    first = found.scores.measures[0]
    names = [row.run for row in found.runs if row.measure == first]
    cell = {(row.run, row.measure): row for row in found.runs}
    columns = []
    for measure, better in zip(found.scores.measures, found.scores.better, strict=True):
        rows = [cell[name, measure] for name in names]
        marks = [_marks(row, signs) if signs else row.groups for row in rows]
        texts = [f"{four_decimals(row.mean)} {mark}".strip() for row, mark in zip(
            rows, marks, strict=True)]  # fmt: skip
        means = [row.mean for row in rows]
        columns.append(Field(measure, means, measure, texts, best=_best(means, better)))
    legend = _legend(signs) if signs else _letters(found, "In a column, runs")
    shown = [_named(name, signs) for name in names]
    said = f"Means of {_size(found)}. {legend} ({procedure(found)})."
    return Sheet("results", [Field("run", names, texts=shown, key=True), *columns], said)


def _best(means: Sequence[float], better: str) -> list[bool]:
    """Which means no other is better than; none if there is no better.

    >>> _best([0.5, 0.25, 0.5], "higher"), _best([0.5, 0.25], "lower"), _best([0.5], "neither")
    ([True, False, True], [False, True], [])
    """
    if better == "neither":
        return []
    end = min(means) if better == "lower" else max(means)
    return [mean == end for mean in means]


def _sign(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else f"b{number}"


def _named(run: str, signs: dict[str, str]) -> str:
    return f"{run} ({signs[run]})" if run in signs else run


def _marks(row: RunSummary, signs: dict[str, str]) -> str:
    better = [f"+{signs[name]}" for name in row.better_than]
    return " ".join([*better, *(f"-{signs[name]}" for name in row.worse_than)])


def _legend(signs: dict[str, str]) -> str:
    which = ", ".join(f"{sign} = {name}" for name, sign in signs.items())
    return f"+ significantly better and - significantly worse than a baseline, {which}"


def _letters(found: Comparison, runs: str = "Runs") -> str:
    """What the letters say, or that there are none."""
    if not any(row.groups for row in found.runs):
        return "Which pairs are significantly different is in the table of pairs"
    return f"{runs} that share a letter are not significantly different"
