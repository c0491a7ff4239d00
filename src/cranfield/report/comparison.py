"""A comparison of runs as tables: means, pairs, topics that moved; a table and sentences for the
paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from cranfield.arrays import TOLERANCE
from cranfield.comparison import Comparison, PairComparison, RunSummary
from cranfield.report import gate as verdicts
from cranfield.report import sheets as tables
from cranfield.report.formats import FLAT, PAPER
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import TESTS
from cranfield.stats.gate import Gate
from cranfield.stats.result import stated_p
from cranfield.wording import counted, rounded

TABLES = ("runs", "pairs", "movers", "results", "sentences", "verdicts")
_PAIRS_WITH_MOVERS = 3  # more would bury the rest


def usual(
    found: Comparison, format: str, movers: int | None = None, gate: Gate | None = None
) -> tuple[str, ...]:
    """The tables that are shown if none is named."""
    if format in FLAT:
        return ("pairs",)
    if format == "json":
        return (*TABLES[:3], *(["verdicts"] if gate else []))
    few = len(found.pairs) <= _PAIRS_WITH_MOVERS if movers is None else movers > 0
    first = "results" if format in PAPER else "runs"
    return (first, "pairs", *(("movers",) if few and format not in PAPER else ()))


def sheets(found: Comparison, movers: int = 3, gate: Gate | None = None) -> list[tables.Sheet]:
    """All tables of a comparison, and those of what a gate decided by it."""
    decided = [] if gate is None else verdicts.sheets(gate)
    made = [_runs(found), _pairs(found), _movers(found, movers), _results(found)]
    return [*made, _sentences(found), *decided]


def settings(found: Comparison, gate: Gate | None = None) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    random = {"trials": found.trials, "seed": found.seed}
    return {
        **tables.settings_of(found, "test", "correction", "alpha"),
        "confidence": 1 - found.alpha,
        **(dict.fromkeys(random) if found.enumerated else random),
        **tables.settings_of(found, "enumerated", "effect"),
        "baselines": list(found.baselines),
        **tables.settings_of(found.scores, "topics", "runs"),
        **({} if gate is None else {"gate": verdicts.settings(gate)}),
    }


def procedure(found: Comparison) -> str:
    """What was done, in words that a paper can print.

    A sentence without its end: test, trials, correction, level.
    """
    pairs, corrected = len(found.pairs) // len(found.scores.measures), ""
    if not TESTS[found.test].many and pairs > 1:
        family = f"for {counted(pairs, 'comparison')} by each measure"
        corrected = f"{CORRECTIONS[found.correction].title} {family}"
    parts = tables.how_tested(found.test, found.trials, found.seed, found.enumerated, corrected)
    return ", ".join([*parts, "two-sided", f"α = {found.alpha:g}"])


def _size(found: Comparison) -> str:
    """On how many topics, and of what."""
    return tables.runs_on(len(found.scores.runs), *(run.topics for run in found.runs))


def _several(found: Comparison) -> bool:
    """Whether tables name the measure."""
    return len(found.scores.measures) > 1


def _other(found: Comparison) -> str:
    """What the second of two runs is called."""
    return "baseline" if found.baselines else "other"


def _of(found: Comparison) -> str:
    """By which measure, where the table does not say so."""
    return "" if _several(found) else f" by {found.scores.measures[0]}"


def _runs(found: Comparison) -> tables.Sheet:
    of = tables.columns(found.runs)
    groups = found.baselines == ()
    signs = _signs(found)
    marks = [_marks(row, signs) for row in found.runs]
    legend = _letters(found) if groups else _legend(signs)
    return tables.table(
        "runs",
        f"Means of {_size(found)}{_of(found)}, with {tables.percent(1 - found.alpha)} t intervals. "
        f"{legend} ({procedure(found)}).",
        of("measure", people=_several(found), key=True),
        of("run", text=lambda run: _named(run, signs), key=True),
        of("topics", people=False),
        of("mean"),
        *tables.interval_fields(found.runs, 1 - found.alpha),
        of("groups", people=groups),
        of("better_than", lambda row: " ".join(row.better_than), people=False),
        of("worse_than", lambda row: " ".join(row.worse_than), people=False),
        tables.Field("significant", None, "significant", marks, people=not groups),
    )


def _intervals(found: Comparison) -> str:
    """What the intervals of pairs are of, and whether they hold all at once."""
    test = TESTS[found.test]
    each = ", simultaneous" if test.many else ", for each pair alone"
    if found.correction == "bonferroni":
        each = ", Bonferroni's, simultaneous"
    only_one = not test.many and len(found.pairs) == len(found.scores.measures)
    sure = tables.percent(1 - found.alpha)
    return f"{sure}, of {test.estimates}{'' if only_one else each}"


def _pairs(found: Comparison) -> tables.Sheet:
    rows, other = found.pairs, _other(found)
    of = tables.columns(rows)
    counts = [f"{row.wins}/{row.ties}/{row.losses}" for row in rows]
    return tables.table(
        "pairs",
        f"Differences run − {other} of {_size(found)}{_of(found)}: {procedure(found)}. * p ≤ α. "
        f"Intervals: {_intervals(found)}. Effect size: {EFFECTS[found.effect].title}. "
        "Wins, ties and losses: topics on which the run is better, equal and worse.",
        *tables.compared(of, _several(found), other),
        of("topics", people=False),
        of("difference", text=tables.signed),
        *tables.interval_fields(rows, 1 - found.alpha, "+"),
        of("statistic", people=False),
        tables.p_field(rows, found.alpha, shown=found.shown_p),
        *tables.each(of, "uncorrected", "asl", people=False),
        of("mc_error", lambda row: row.error, people=False),
        of("effect", head="effect size", text="{:+.2f}".format),
        *tables.each(of, "dz", "wins", "ties", "losses", people=False),
        tables.Field("counts", None, "win/tie/loss", counts),
        of("verdict", people=False),
    )


def _movers(found: Comparison, most: int) -> tables.Sheet:
    of, other = tables.columns(found.movers(most)), _other(found)
    return tables.table(
        "movers",
        f"Topics that differ most{_of(found)}: at most {most} each way for each pair.",
        *tables.compared(of, _several(found), other),
        of("topic", key=True),
        of("score", head="run's"),
        of("other_score", head=f"{other}'s"),
        of("difference", text=tables.signed),
    )


def _results(found: Comparison) -> tables.Sheet:
    """Runs × measures, with letters or marks: the table that a paper prints."""
    signs = _signs(found)
    first = found.scores.measures[0]
    names = [row.run for row in found.runs if row.measure == first]
    cell = {(row.run, row.measure): row for row in found.runs}
    of_measures = []
    for measure, better in zip(found.scores.measures, found.scores.better, strict=True):
        rows = [cell[name, measure] for name in names]
        marks = [_marks(row, signs) if signs else row.groups for row in rows]
        means = [row.mean for row in rows]
        best, shown = _best(means, better), marks if any(marks) else ()
        of_measures.append(tables.Field(measure, means, measure, best=best, marks=shown))
    legend = _legend(signs) if signs else _letters(found, "In a column, runs")
    text = f"Means of {_size(found)}. {legend} ({procedure(found)})."
    key = tables.Field("run", names, texts=[_named(name, signs) for name in names], key=True)
    return tables.Sheet("results", [key, *of_measures], text)


def _sentences(found: Comparison) -> tables.Sheet:
    """What was found of each pair, in a sentence that has all that a paper should report."""
    of, means = tables.columns(found.pairs), {(x.run, x.measure): x.mean for x in found.runs}
    return tables.table(
        "sentences",
        "",
        *tables.each(of, "measure", "run", "other", people=False, key=True),
        of("sentence", lambda pair: _sentence(found, pair, means)),
    )


def _sentence(
    found: Comparison, pair: PairComparison, means: Mapping[tuple[str, str], float]
) -> str:
    """Means, difference, interval, p-value, effect size, wins and losses, and what was done."""
    m = found.scores.measures.index(pair.measure)
    scores = " and ".join(rounded(means[run, pair.measure]) for run in (pair.run, pair.other))
    surely = "significantly" if pair.pvalue <= found.alpha else "not significantly"
    than = f"{pair.verdict} than" if pair.verdict else "different from"
    logs = " of logarithms" if found.scores.summaries[m] == "gmean" else ""
    ends = ("higher", "lower") if found.scores.better[m] == "neither" else ("better", "worse")
    return (
        f"By {pair.measure}, {pair.run} is {surely} {than} {pair.other}: means of "
        f"{scores} on {counted(pair.topics, 'topic')}, "
        f"difference{logs} {tables.signed(pair.difference)}, "
        f"interval {tables.interval_text(pair.low, pair.high, '+')} ({_intervals(found)}), "
        f"{stated_p(found.shown_p(pair))} ({procedure(found)}), "
        f"effect size {pair.effect:+z.2f} ({EFFECTS[found.effect].title}), "
        f"{ends[0]} on {counted(pair.wins, 'topic')} and {ends[1]} on {pair.losses:,}."
    )


def _best(means: Sequence[float], better: str) -> list[bool]:
    """Which means no other is better than; none if there is no better.

    >>> _best([0.5, 0.25, 0.5], "higher"), _best([0.5, 0.25], "lower"), _best([0.5], "neither")
    ([True, False, True], [False, True], [])
    """
    ends = {"higher": max(means), "lower": min(means)}
    if better not in ends:
        return []
    return [math.isclose(mean, ends[better], rel_tol=TOLERANCE) for mean in means]


def _signs(found: Comparison) -> dict[str, str]:
    """What baselines are marked with."""
    return {x: chr(ord("a") + i) if i < 26 else f"b{i}" for i, x in enumerate(found.baselines)}


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
