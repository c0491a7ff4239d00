"""A comparison of runs as tables: means, pairs, topics that moved; a table and sentences for the
paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cranfield.arrays import TOLERANCE
from cranfield.comparison import Comparison, PairComparison, RunSummary
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.report import gate as verdicts
from cranfield.report import sheets as tables
from cranfield.report.formats import FLAT, PAPER
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import TESTS
from cranfield.stats.gate import Gate
from cranfield.stats.result import stated_p
from cranfield.wording import counted, rounded

TABLES = ("runs", "pairs", "movers", "results", "teams", "sentences", "verdicts")
MARKS = ("letters", "daggers")
_PAIRS_WITH_MOVERS = 3  # more would bury the rest


def usual(
    found: Comparison, format: str, movers: int | None = None, gate: Gate | None = None
) -> tuple[str, ...]:
    """The tables that are shown if none is named."""
    if format in FLAT:
        return ("pairs",)
    if format == "json":
        return (*TABLES[:3], *(["teams"] if found.teams else []), *(["verdicts"] if gate else []))
    few = len(found.pairs) <= _PAIRS_WITH_MOVERS if movers is None else movers > 0
    first = "teams" if found.teams else "results" if format in PAPER else "runs"
    return (first, "pairs", *(("movers",) if few and format not in PAPER else ()))


def sheets(
    found: Comparison, movers: int = 3, gate: Gate | None = None, marks: str = "letters"
) -> list[tables.Sheet]:
    """All tables of a comparison, and those of what a gate decided by it.

    `marks` say how differences from baselines are marked: with the letter of each, or a dagger.
    """
    one_of("marks", marks, MARKS)
    if marks == "daggers" and not found.baselines:
        raise InputError("daggers without a baseline", "compare(…, baseline=…)")
    signs = Signs.of(found.baselines, marks == "daggers")
    decided = [] if gate is None else verdicts.sheets(gate)
    made = [_runs(found, signs), _pairs(found), _movers(found, movers), _results(found, signs)]
    made += [_teams(found, signs)] if found.teams else []
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
        **({"best_by": found.teams[0].by} if found.teams else {}),
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


def _runs(found: Comparison, signs: Signs) -> tables.Sheet:
    of = tables.columns(found.runs)
    groups = found.baselines == ()
    marks = [signs.marks(row) for row in found.runs]
    legend = _letters(found) if groups else signs.legend(marks)
    return tables.table(
        "runs",
        f"Means of {_size(found)}{_of(found)}, with {tables.percent(1 - found.alpha)} t intervals. "
        f"{legend} ({procedure(found)}).",
        of("measure", people=_several(found), key=True),
        of("run", text=signs.named, key=True),
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
        *tables.each(of, "verdict", "smallest_pvalue", people=False),
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


def _results(found: Comparison, signs: Signs) -> tables.Sheet:
    """Runs × measures, with letters or marks: the table that a paper prints."""
    names, fields, legend = _by_measure(found, signs, found.scores.measures[0])
    text = f"Means of {_size(found)}. {legend} ({procedure(found)})."
    key = tables.Field("run", names, texts=[*map(signs.named, names)], key=True)
    return tables.Sheet("results", [key, *fields], text)


def _teams(found: Comparison, signs: Signs) -> tables.Sheet:
    """The best run of each team: what an overview of a task prints."""
    by = found.teams[0].by
    names, fields, legend = _by_measure(found, signs, by)
    whose = {run: one for one in found.teams for run in one.runs}
    of = tables.columns(names)
    marks = [tables.Field(f"{f.name} marks", f.marks or [""] * len(names), people=False)
             for f in fields]  # fmt: skip
    chosen = any(len(one.runs) > 1 for one in found.teams)
    text = (
        f"The best run of each of {counted(len(found.teams), 'team')} by {by}, of equal ones the "
        f"first given: means on {tables.topics_text(run.topics for run in found.runs)}"
        f"{', which it was also chosen on, so that they are optimistic' if chosen else ''}. "
        f"{legend} ({procedure(found)})."
    )
    return tables.Sheet(
        "teams",
        [
            of("team", lambda name: whose[name].team, key=True),
            of("run", str, text=signs.named, key=True),
            of("runs", lambda name: len(whose[name].runs), head="of runs"),
            *(field for pair in zip(fields, marks, strict=True) for field in pair),
        ],
        text,
    )


def _by_measure(
    found: Comparison, signs: Signs, first: str
) -> tuple[list[str], list[tables.Field], str]:
    """Runs, the best by the first measure first; a column of means and marks for each measure; and
    what the marks mean.
    """
    if first not in found.scores.measures:  # of a part that is by another measure
        first = found.scores.measures[0]
    names = [row.run for row in found.runs if row.measure == first]
    cell = {(row.run, row.measure): row for row in found.runs}
    fields, every = [], list[str]()
    for measure, better in zip(found.scores.measures, found.scores.better, strict=True):
        rows = [cell[name, measure] for name in names]
        marks = [signs.marks(row) if found.baselines else row.groups for row in rows]
        every += marks
        means = [row.mean for row in rows]
        best, shown = _best(means, better), marks if any(marks) else ()
        fields.append(tables.Field(measure, means, measure, best=best, marks=shown))
    legend = signs.legend(every) if found.baselines else _letters(found, "In a column, runs")
    return names, fields, legend


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


@dataclass(frozen=True)
class Signs:
    """What baselines are marked with: letters behind + and -, or daggers where a run is better.

    >>> Signs.of(["bm25", "dense"], True).legend(["†‡"])
    '† significantly better than bm25, ‡ than dense'
    """

    of_baselines: Mapping[str, str]
    daggers: bool = False

    @classmethod
    def of(cls, baselines: Sequence[str], daggers: bool) -> Signs:
        """A sign for each baseline; there are many letters, and daggers are doubled."""
        sign = _dagger if daggers else _letter
        return cls({name: sign(i) for i, name in enumerate(baselines)}, daggers)

    def named(self, run: str) -> str:
        """A run, with its sign if it is a baseline."""
        return f"{run} ({self.of_baselines[run]})" if run in self.of_baselines else run

    def marks(self, row: RunSummary) -> str:
        """Which baselines a run differs from."""
        better = [self.of_baselines[name] for name in row.better_than]
        worse = [f"-{self.of_baselines[name]}" for name in row.worse_than]
        if self.daggers:
            return " ".join(["".join(better)] * bool(better) + worse)
        return " ".join([*(f"+{sign}" for sign in better), *worse])

    def legend(self, marks: Iterable[str]) -> str:
        """What these marks mean."""
        pairs = self.of_baselines.items()
        if not self.daggers:
            which = ", ".join(f"{sign} = {name}" for name, sign in pairs)
            return f"+ significantly better and - significantly worse than a baseline, {which}"
        text = ", ".join(
            f"{sign}{'' if i else ' significantly better'} than {name}"
            for i, (name, sign) in enumerate(pairs)
        )
        return f"{text}; with - significantly worse" if any("-" in x for x in marks) else text


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"b{i}"


def _dagger(i: int) -> str:
    return tables.DAGGERS[i % len(tables.DAGGERS)] * (1 + i // len(tables.DAGGERS))


def _letters(found: Comparison, runs: str = "Runs") -> str:
    """What the letters say, or that there are none."""
    if not any(row.groups for row in found.runs):
        return "Which pairs are significantly different is in the table of pairs"
    return f"{runs} that share a letter are not significantly different"
