"""Tables of a comparison: means, pairs, movers, results and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield import tables
from cranfield.arrays import TOLERANCE
from cranfield.comparison import Comparison, PairComparison, RunSummary
from cranfield.comparison.slices import SliceTest
from cranfield.comparison.systems import describe_run_count
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.scores.slices import MIN_TOPICS, build_slice_table
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import TESTS
from cranfield.stats.gate import Gate
from cranfield.stats.letters import MAX_LETTERS, shorten_letters
from cranfield.stats.result import format_p_statement
from cranfield.stats.tables import build_optional_p_column, build_p_column, describe_test
from cranfield.tables import FLAT, PAPER
from cranfield.wording import format_count, format_number

SLICE_TABLES = ("slices", "slice_pairs", "interactions")
TABLES = (
    "runs",
    "pairs",
    "movers",
    "results",
    "teams",
    "sentences",
    "matrix",
    "components",
    *SLICE_TABLES,
    "unjudged",
    "verdicts",
)
MARKS = ("letters", "daggers")
_MATRIX_RUNS = 100  # a larger matrix fits no page
_PAIRS_WITH_MOVERS = 3  # larger numbers would hide the other tables


def select_tables(
    result: Comparison, format: str, movers: int | None = None, gate: Gate | None = None
) -> tuple[str, ...]:
    """Return the names of the default tables."""
    if format in FLAT:
        return ("pairs",)
    if format == "json":
        optional = {"teams": result.teams, "components": result.components, "unjudged": result.unjudged}
        names = [name for name, content in optional.items() if content]
        return (*TABLES[:3], *names, *_select_slice_tables(result), *(("verdicts",) if gate else ()))
    show_movers = len(result.pairs) <= _PAIRS_WITH_MOVERS if movers is None else movers > 0
    first = "teams" if result.teams else "results" if format in PAPER else "runs"
    last = ["components"] if result.components and format not in PAPER else []
    last += ["unjudged"] if result.unjudged else []
    slices = _select_slice_tables(result)
    show_movers = show_movers and format not in PAPER and not slices
    return (first, "pairs", *(("movers",) if show_movers else ()), *last, *slices)


def _select_slice_tables(result: Comparison) -> tuple[str, ...]:
    """Return the names of the tables of slices that have rows."""
    contents = result.slices, result.slice_pairs, result.interactions
    return tuple(name for name, rows in zip(SLICE_TABLES, contents, strict=True) if rows)


def build_tables(
    result: Comparison, movers: int = 3, gate: Gate | None = None, marks: str = "letters"
) -> list[tables.ResultTable]:
    """Build all tables of a comparison, and the table of a gate's verdicts.

    `marks` selects how differences from baselines are marked: "letters" or "daggers".
    """
    check_choice("marks", marks, MARKS)
    if marks == "daggers" and not result.baselines:
        raise InputError("daggers without a baseline", "compare(…, baseline=…)")
    signs = BaselineMarks.from_baselines(result.baselines, marks == "daggers")
    gate_tables = [] if gate is None else gate._build_tables()
    table_list = [
        _build_run_table(result, signs),
        _build_pair_table(result),
        _build_mover_table(result, movers),
        _build_result_table(result, signs),
    ]
    table_list += [_build_team_table(result, signs)] if result.teams else []
    table_list += [_build_component_table(result)] if result.components else []
    if result.slice_test is not None:
        table_list += [*_build_slice_tables(result, result.slice_test)]
    table_list += [_build_unjudged_table(result)] if result.unjudged else []
    if not result.baselines and 1 < len(result.scores.runs) <= _MATRIX_RUNS:
        table_list.append(_build_matrix_table(result))
    return [*table_list, _build_sentence_table(result), *gate_tables]


def build_settings(result: Comparison, gate: Gate | None = None) -> dict[str, Any]:
    """Return the settings that captions describe in words."""
    random = {"trials": result.trials, "seed": result.seed}
    return {
        **tables.read_settings(result, "test", "correction", "alpha"),
        "confidence": 1 - result.alpha,
        **(dict.fromkeys(random) if result.enumerated else random),
        **tables.read_settings(result, "enumerated", "effect"),
        "baselines": list(result.baselines),
        **({"best_by": result.teams[0].by} if result.teams else {}),
        **({"systems": {name: [*runs] for name, runs in result.systems.items()}} if result.systems else {}),
        **({"seeds": result.seeds} if result.seeds else {}),
        **(dict(zip(("resamples", "resampling_seed"), result.rank_trials, strict=True)) if result.rank_trials else {}),
        **({} if result.slice_test is None else _build_slice_settings(result.slice_test)),
        **tables.read_settings(result.scores, "topics", "runs"),
        **({} if gate is None else {"gate": gate._build_settings()}),
    }


def _build_slice_settings(test: SliceTest) -> dict[str, Any]:
    return {"slice_test": test.test, "slice_correction": test.correction}


def describe_procedure(comparison: Comparison) -> str:
    """Return test, trials, correction and significance level as a phrase for a paper."""
    pairs, corrected = len(comparison.pairs) // len(comparison.scores.measures), ""
    if not TESTS[comparison.test].is_joint and pairs > 1:
        family = f"for {format_count(pairs, 'comparison')} by each measure"
        corrected = f"{CORRECTIONS[comparison.correction].title} {family}"
    parts = describe_test(comparison.test, comparison.trials, comparison.seed, comparison.enumerated, corrected)
    parts[0] += _name_units(comparison)
    return ", ".join([*parts, "two-sided", f"α = {comparison.alpha:g}"])


def describe_slice_procedure(comparison: Comparison) -> str:
    """Return test, trials, correction and significance level of differences on slices as a phrase."""
    test = comparison.slice_test
    if test is None:
        return ""
    first, *others = describe_test(test.test, test.trials, comparison.seed or 0, test.trials is None)
    corrected = [f"{CORRECTIONS[test.correction].title} for all pairs and slices"] * (test.correction != "none")
    return ", ".join([first + _name_units(comparison), *others, *corrected, "two-sided", f"α = {comparison.alpha:g}"])


def _name_units(comparison: Comparison) -> str:
    """Return " by cluster" if tests are by cluster."""
    clusters = comparison.scores.clusters
    return " by cluster" if len({*clusters.values()}) < len(clusters) else ""


def _describe_size(comparison: Comparison) -> str:
    counts = [run.topics for run in comparison.runs]
    if comparison.systems:
        runs = describe_run_count(len(comparison.scores.runs), comparison.systems)
        return f"{runs} on {tables.format_topics(counts)}{_describe_clusters(comparison)}"
    return tables.format_runs_and_topics(len(comparison.scores.runs), *counts) + _describe_clusters(comparison)


def _describe_clusters(comparison: Comparison) -> str:
    """Return the number of clusters of topics, if there are clusters."""
    counts = sorted({run.clusters for run in comparison.runs if run.clusters is not None})
    if not counts:
        return ""
    ends = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    return f" in {ends} clusters (CR2)"


def _has_several_measures(comparison: Comparison) -> bool:
    return len(comparison.scores.measures) > 1


def _name_other(comparison: Comparison) -> str:
    """Return the header of the second run of a pair."""
    return "baseline" if comparison.baselines else "other"


def _describe_measure(comparison: Comparison) -> str:
    """Return "by MEASURE" if the table has no measure column."""
    return "" if _has_several_measures(comparison) else f" by {comparison.scores.measures[0]}"


def _build_run_table(comparison: Comparison, signs: BaselineMarks) -> tables.ResultTable:
    column = tables.bind_rows(comparison.runs)
    groups = comparison.baselines == ()
    letters = [row.groups for row in comparison.runs]
    marks = [signs.format_marks(row) for row in comparison.runs]
    legend = _format_letters(comparison) if groups else signs.format_legend(marks)
    intervals = f"{tables.format_percent(1 - comparison.alpha)} {_describe_run_intervals(comparison)}"
    return tables.build_table(
        "runs",
        f"Means of {_describe_size(comparison)}{_describe_measure(comparison)}, with {intervals}. "
        f"{legend} ({describe_procedure(comparison)}).{_describe_ranks(comparison)}{_describe_deff(comparison)}",
        column("measure", visible=_has_several_measures(comparison), key=True),
        column("run", text=signs.format_run, key=True),
        column("topics", visible=False),
        column("mean"),
        *tables.build_interval_columns(comparison.runs, 1 - comparison.alpha),
        tables.Field("groups", letters, texts=shorten_letters(letters), visible=groups),
        column("better_than", lambda row: " ".join(row.better_than), visible=False),
        column("worse_than", lambda row: " ".join(row.worse_than), visible=False),
        *_build_seed_errors(comparison.runs, "seeds"),
        *_build_optional_columns(comparison.runs, "best", "rank_low", "rank_high"),
        *_build_cluster_columns(comparison.runs),
        *_build_rank_columns(comparison),
        tables.Field("significant", None, "significant", marks, visible=not groups),
    )


def _build_optional_columns(
    rows: Sequence[Any], *names: str, visible: Sequence[str] = ("seeds",)
) -> list[tables.Field]:
    """Build columns, without columns that are empty in all rows."""
    column = tables.bind_rows(rows)
    used = [name for name in names if any(getattr(row, name) is not None for row in rows)]
    return [column(name, visible=name in visible) for name in used]


def _build_rank_columns(comparison: Comparison) -> list[tables.Field]:
    """Build the displayed columns of resampled ranks."""
    rows = comparison.runs
    if all(row.best is None for row in rows):
        return []
    best = ["–" if row.best is None else f"{100 * row.best:.1f}%" for row in rows]
    ranks = [tables.format_ranks(row.rank_low, row.rank_high) for row in rows]
    return [tables.Field("best_text", None, "best in", best), tables.Field("rank_text", None, "ranks", ranks)]


def _describe_run_intervals(comparison: Comparison) -> str:
    """Describe the intervals of means, and the sampled units."""
    return ("t intervals" if comparison.seeds != "random" else "intervals") + _describe_units(comparison)


SAMPLED = {"random": " for other topics and other seeds (crossed)", "fixed": " for other topics, with these runs"}


def _describe_units(comparison: Comparison) -> str:
    """Return what is sampled, if not topics alone."""
    sampled = SAMPLED.get(comparison.seeds or "", "")
    if not comparison.scores.clusters:
        return sampled
    return sampled.replace("other topics", "other clusters") or " for other clusters"


def _describe_ranks(comparison: Comparison) -> str:
    """Explain the columns of resampled ranks."""
    if comparison.rank_trials is None:
        return ""
    trials, seed = comparison.rank_trials
    units = "topics and runs" if comparison.seeds == "random" else "topics"
    sure = tables.format_percent(1 - comparison.alpha)
    return (
        f" Best in, ranks: fractions of resamples of {units} in which the run is best, and {sure} of its ranks ("
        f"at most {trials:,}, seed {seed}). They are not probabilities of truth, and they are approximate."
    )


def _build_component_table(comparison: Comparison) -> tables.ResultTable:
    """Build the table of variance components of systems."""
    column = tables.bind_rows(comparison.components)
    heads = {"var_topic": "topics", "var_seed": "seeds", "var_rest": "topics × seeds"}
    return tables.build_table(
        "components",
        f"Variance of scores{_describe_measure(comparison)} between topics, between seeds and of topics × seeds, with "
        "standard deviations, and the means of the lowest and highest run.",
        column("measure", visible=_has_several_measures(comparison), key=True),
        column("run", key=True),
        column("seeds"),
        column("topics", visible=False),
        *(column(name, head=head, text=_format_variance) for name, head in heads.items()),
        *tables.build_columns(column, "lowest", "highest"),
    )


def _build_unjudged_table(comparison: Comparison) -> tables.ResultTable:
    """Build the table of ranges of differences over judgments of unjudged documents."""
    column = tables.bind_rows(comparison.unjudged)
    outer = [row.measure for row in comparison.unjudged if not row.exact]
    names = f" Outer bounds, which may be too wide: {', '.join(dict.fromkeys(outer))}." if outer else ""
    return tables.build_table(
        "unjudged",
        f"Range of each difference{_describe_measure(comparison)} over all possible judgments of unjudged documents, "
        f"and whether its sign can change.{names}",
        column("measure", visible=_has_several_measures(comparison), key=True),
        column("run", key=True),
        column("other", head=_name_other(comparison), key=True),
        *(column(name, text=tables.format_difference) for name in ("difference", "low", "high")),
        column("sign"),
        column("exact", visible=False),
    )


def _format_variance(variance: float) -> str:
    """Format a variance with its square root."""
    return f"{variance:.2g} (sd {math.sqrt(variance):.4f})"


def _describe_intervals(comparison: Comparison) -> str:
    """Describe the intervals of pairs, and whether they are simultaneous."""
    test = TESTS[comparison.test]
    scope = ", simultaneous" if test.is_joint else ", for each pair alone"
    if comparison.correction == "bonferroni":
        scope = ", Bonferroni's, simultaneous"
    is_single = not test.is_joint and len(comparison.pairs) == len(comparison.scores.measures)
    sure = tables.format_percent(1 - comparison.alpha)
    sampled = _describe_units(comparison)
    units = f",{sampled}" if sampled else ""
    return f"{sure}, of {test.estimates}{'' if is_single else scope}{units}"


def _build_pair_table(comparison: Comparison) -> tables.ResultTable:
    rows, other_head = comparison.pairs, _name_other(comparison)
    column = tables.bind_rows(rows)
    counts = [f"{row.wins}/{row.ties}/{row.losses}" for row in rows]
    return tables.build_table(
        "pairs",
        f"Differences run − {other_head} of {_describe_size(comparison)}"
        f"{_describe_measure(comparison)}: {describe_procedure(comparison)}. * p ≤ α. "
        f"Intervals: {_describe_intervals(comparison)}. "
        f"Effect size: {EFFECTS[comparison.effect].title}. "
        "Win/tie/loss: number of topics on which the run is better, equal and worse."
        f"{_describe_seed_columns(comparison)}{_describe_deff(comparison)}",
        *tables.build_key_columns(column, _has_several_measures(comparison), other_head),
        column("topics", visible=False),
        column("difference", text=tables.format_difference),
        *tables.build_interval_columns(rows, 1 - comparison.alpha, "+"),
        column("statistic", visible=False),
        build_p_column(rows, comparison.alpha, format_p=comparison.shown_p),
        *tables.build_columns(column, "uncorrected", "asl", visible=False),
        column("mc_error", lambda row: row.error, visible=False),
        column("effect", head="effect size", text="{:+.2f}".format),
        *tables.build_columns(column, "dz", "wins", "ties", "losses", visible=False),
        tables.Field("counts", None, "win/tie/loss", counts),
        *tables.build_columns(column, "verdict", "smallest_pvalue", visible=False),
        *_build_seed_columns(rows),
        *_build_cluster_columns(rows),
    )


def _build_cluster_columns(rows: Sequence[Any]) -> list[tables.Field]:
    """Build the columns of topics in clusters. Systems of several runs have their own se and df."""
    if all(row.clusters is None for row in rows):
        return []
    column = tables.bind_rows(rows)
    errors = [] if any(row.seeds is not None for row in rows) else ["se", "df"]
    columns = tables.build_columns(column, "clusters", *errors, visible=False)
    return [*columns, column("deff", text="{:.2f}".format, dtype=float)]


def _build_seed_errors(rows: Sequence[Any], *names: str, visible: Sequence[str] = ("seeds",)) -> list[tables.Field]:
    """Build the columns of numbers of seeds, and of standard errors of systems of several runs."""
    has_seeds = any(row.seeds is not None for row in rows)
    return _build_optional_columns(rows, *names, "se", "df", visible=visible) if has_seeds else []


def _describe_deff(comparison: Comparison) -> str:
    """Explain the column of design effects."""
    text = " deff: design effect, the variance divided by its variance for independent topics."
    return text if comparison.scores.clusters else ""


def _describe_seed_columns(comparison: Comparison) -> str:
    """Explain the columns of systems of several runs."""
    share = " Seeds’ share: fraction of the variance of the difference." if comparison.seeds == "random" else ""
    reversals = " Reversed: pairs of single runs with means in the opposite order."
    return share + reversals if comparison.systems else ""


def _build_seed_columns(rows: Sequence[PairComparison]) -> list[tables.Field]:
    """Build the columns of systems of several runs."""
    column = tables.bind_rows(rows)
    has_seeds = any(row.seeds is not None for row in rows)
    columns = _build_seed_errors(rows, "seeds", "other_seeds", visible=())
    if any(row.seed_share is not None for row in rows):
        columns.append(column("seed_share", head="seeds’ share", text="{:.0%}".format))
    return [*columns, *([column("reversals", head="reversed", text="{:.0%}".format)] if has_seeds else [])]


# -- slices of topics -----------------------------------------------------------------------------


def _build_slice_tables(comparison: Comparison, test: SliceTest) -> Iterator[tables.ResultTable]:
    """Yield the tables of means, differences and interactions on slices."""
    several, other_head = _has_several_measures(comparison), _name_other(comparison)
    sampled = _describe_units(comparison).replace("other topics", "other topics of the slice")
    units = f"intervals{sampled.replace('other clusters', 'other clusters of the slice')}" if sampled else ""
    yield build_slice_table(comparison.slices, several, 1 - comparison.alpha, units)
    yield _build_slice_pair_table(comparison, test, other_head)
    yield _build_interaction_table(comparison, other_head)


def _name_attributes(comparison: Comparison) -> tuple[bool, str]:
    """Return whether there are several attributes, and the phrase for one."""
    names = [*comparison.scores.attributes]
    return len(names) > 1, "" if len(names) > 1 else f" of {names[0]}"


def _build_slice_pair_table(comparison: Comparison, test: SliceTest, other_head: str) -> tables.ResultTable:
    rows, sure = comparison.slice_pairs, tables.format_percent(1 - comparison.alpha)
    column, (several, of_attribute) = tables.bind_rows(rows), _name_attributes(comparison)
    counts = [f"{row.wins}/{row.ties}/{row.losses}" for row in rows]
    shown = [test.shown_p(row) for row in rows]
    return tables.build_table(
        "slice_pairs",
        f"Differences run − {other_head} on the slices{of_attribute}{_describe_measure(comparison)}: "
        f"{describe_slice_procedure(comparison)}. * p ≤ α. {sure} intervals of {TESTS[test.test].estimates}. Slices of "
        f"fewer than {MIN_TOPICS} topics are not tested.",
        column("measure", visible=_has_several_measures(comparison), key=True),
        column("attribute", visible=several, key=True),
        column("slice", key=True),
        column("run", key=True),
        column("other", head=other_head, key=True),
        column("topics"),
        column("difference", text=tables.format_difference),
        *tables.build_interval_columns(rows, 1 - comparison.alpha, "+"),
        build_optional_p_column([row.pvalue for row in rows], comparison.alpha, texts=shown),
        column("uncorrected", visible=False, dtype=float),
        *tables.build_columns(column, "wins", "ties", "losses", visible=False),
        tables.Field("counts", None, "win/tie/loss", counts),
        column("verdict", visible=False),
    )


def _build_interaction_table(comparison: Comparison, other_head: str) -> tables.ResultTable:
    rows, (several, of_attribute) = comparison.interactions, _name_attributes(comparison)
    column, pairs = tables.bind_rows(rows), len({(row.run, row.other) for row in rows})
    corrected = f", Holm's correction for {pairs:,} pairs" if pairs > 1 else ""
    return tables.build_table(
        "interactions",
        f"Welch's test of equal differences on all slices{of_attribute}"
        f"{_describe_measure(comparison)}{corrected}, α = {comparison.alpha:g}. * p ≤ α.",
        column("measure", visible=_has_several_measures(comparison), key=True),
        column("attribute", visible=several, key=True),
        column("run", key=True),
        column("other", head=other_head, key=True),
        *tables.build_columns(column, "slices", "topics"),
        column("statistic", head="W", text="{:.3f}".format),
        column("df1", text="{:g}".format),
        column("df2", text="{:.1f}".format),
        build_optional_p_column([row.pvalue for row in rows], comparison.alpha),
        *tables.build_columns(column, "uncorrected", "permutation", visible=False, dtype=float),
    )


# -- other tables ---------------------------------------------------------------------------------


def _build_mover_table(comparison: Comparison, limit: int) -> tables.ResultTable:
    column, other_head = tables.bind_rows(comparison.movers(limit)), _name_other(comparison)
    return tables.build_table(
        "movers",
        f"Topics with the largest differences{_describe_measure(comparison)}: "
        f"at most {limit} in each direction per pair.",
        *tables.build_key_columns(column, _has_several_measures(comparison), other_head),
        column("topic", key=True),
        column("score", head="run's"),
        column("other_score", head=f"{other_head}'s"),
        column("difference", text=tables.format_difference),
    )


def _build_result_table(comparison: Comparison, signs: BaselineMarks) -> tables.ResultTable:
    """Build the table for a paper: runs × measures, with letters or marks."""
    names, fields, legend = _build_measure_columns(comparison, signs, comparison.scores.measures[0])
    text = f"Means of {_describe_size(comparison)}. {legend} ({describe_procedure(comparison)})."
    key = tables.Field("run", names, texts=[*map(signs.format_run, names)], key=True)
    return tables.ResultTable("results", [key, *_shorten_marks(comparison, fields)], text)


def _build_team_table(comparison: Comparison, signs: BaselineMarks) -> tables.ResultTable:
    """Build a table of the best run of each team, as in the overview of a task."""
    measure = comparison.teams[0].by
    names, fields, legend = _build_measure_columns(comparison, signs, measure)
    team_of_run = {run: team for team in comparison.teams for run in team.runs}
    column = tables.bind_rows(names)
    marks = [tables.Field(f"{f.name} marks", f.marks or [""] * len(names), visible=False)
             for f in fields]  # fmt: skip
    several_runs = any(len(team.runs) > 1 for team in comparison.teams)
    topics = tables.format_topics(run.topics for run in comparison.runs)
    text = (
        f"The best run of each of {format_count(len(comparison.teams), 'team')} by {measure} "
        f"(the first of equal runs): means on {topics}."
        f"{' The means are optimistic: runs were chosen on these topics.' if several_runs else ''}"
        f" {legend} ({describe_procedure(comparison)})."
    )
    return tables.ResultTable(
        "teams",
        [
            column("team", lambda name: team_of_run[name].team, key=True),
            column("run", str, text=signs.format_run, key=True),
            column("runs", lambda name: len(team_of_run[name].runs), head="of runs"),
            *(field for pair in zip(_shorten_marks(comparison, fields), marks, strict=True) for field in pair),
        ],
        text,
    )


def _build_measure_columns(
    comparison: Comparison, signs: BaselineMarks, first: str
) -> tuple[list[str], list[tables.Field], str]:
    """Return runs sorted by the first measure, a column per measure, and the legend."""
    if first not in comparison.scores.measures:  # a part of the comparison by another measure
        first = comparison.scores.measures[0]
    names = [row.run for row in comparison.runs if row.measure == first]
    cell = {(row.run, row.measure): row for row in comparison.runs}
    fields, all_marks = [], list[str]()
    for measure, better in zip(comparison.scores.measures, comparison.scores.better, strict=True):
        rows = [cell[name, measure] for name in names]
        marks = [signs.format_marks(row) if comparison.baselines else row.groups for row in rows]
        all_marks += marks
        means = [row.mean for row in rows]
        best, visible_marks = _find_best(means, better), marks if any(marks) else ()
        fields.append(tables.Field(measure, means, measure, best=best, marks=visible_marks))
    legend = (
        signs.format_legend(all_marks) if comparison.baselines else _format_letters(comparison, "In a column, runs")
    )
    return names, fields, legend


def _build_matrix_table(comparison: Comparison) -> tables.ResultTable:
    """Build a display-only table of all pairs: differences, row minus column, above the diagonal."""
    first = comparison.scores.measures[0]
    names = [row.run for row in comparison.runs if row.measure == first] or [row.run for row in comparison.runs]
    pairs = {(pair.measure, pair.run, pair.other): pair for pair in comparison.pairs}
    place = {name: i for i, name in enumerate(names)}
    rows = [(m, name) for m in comparison.scores.measures for name in names[:-1]]

    def describe(row: tuple[str, str], column: str) -> tuple[str, str]:
        measure, name = row
        if place[name] >= place[column]:
            return "", ""
        pair, sign = pairs.get((measure, name, column)), 1
        if pair is None:
            pair, sign = pairs.get((measure, column, name)), -1
        if pair is None:
            return "", ""
        return tables.format_difference(sign * pair.difference), "*" if pair.pvalue <= comparison.alpha else ""

    fields = []
    for name in names[1:]:
        cells = [describe(row, name) for row in rows]
        marks = [mark for _, mark in cells]
        fields.append(tables.Field(name, None, name, [text for text, _ in cells], marks=marks, dtype=float))
    by = _describe_measure(comparison)
    text = f"Differences of means{by}, row minus column, of {_describe_size(comparison)}. * significant"
    keys = (
        tables.Field("measure", None, texts=[m for m, _ in rows], visible=_has_several_measures(comparison), key=True),
        tables.Field("run", None, texts=[name for _, name in rows], key=True),
    )
    return tables.ResultTable("matrix", (*keys, *fields), f"{text} ({describe_procedure(comparison)}).")


def _shorten_marks(comparison: Comparison, fields: Sequence[tables.Field]) -> list[tables.Field]:
    """Return columns with ranges instead of many letters. Marks of baselines are unchanged."""
    if comparison.baselines:
        return [*fields]
    return [replace(field, marks=shorten_letters(field.marks)) for field in fields]


def _build_sentence_table(comparison: Comparison) -> tables.ResultTable:
    """Build a table with a sentence per pair that contains all numbers to report."""
    column, means = (
        tables.bind_rows(comparison.pairs),
        {(x.run, x.measure): x.mean for x in comparison.runs},
    )
    return tables.build_table(
        "sentences",
        "",
        *tables.build_columns(column, "measure", "run", "other", visible=False, key=True),
        column("sentence", lambda pair: _write_sentence(comparison, pair, means)),
    )


def _write_sentence(comparison: Comparison, pair: PairComparison, means: Mapping[tuple[str, str], float]) -> str:
    """Write a sentence with all numbers to report about a pair."""
    m = comparison.scores.measures.index(pair.measure)
    scores = " and ".join(format_number(means[run, pair.measure]) for run in (pair.run, pair.other))
    significance = "significantly" if pair.pvalue <= comparison.alpha else "not significantly"
    relation = f"{pair.verdict} than" if pair.verdict else "different from"
    logs = " of logarithms" if comparison.scores.summaries[m] == "gmean" else ""
    ends = ("higher", "lower") if comparison.scores.better[m] == "neither" else ("better", "worse")
    return (
        f"By {pair.measure}, {pair.run} is {significance} {relation} {pair.other}: means of "
        f"{scores} on {format_count(pair.topics, 'topic')}, "
        f"difference{logs} {tables.format_difference(pair.difference)}, "
        f"interval {tables.format_interval(pair.low, pair.high, '+')} "
        f"({_describe_intervals(comparison)}), "
        f"{format_p_statement(comparison.shown_p(pair))} ({describe_procedure(comparison)}), "
        f"effect size {pair.effect:+z.2f} ({EFFECTS[comparison.effect].title}), "
        f"{ends[0]} on {format_count(pair.wins, 'topic')} and {ends[1]} on {pair.losses:,}."
    )


def _find_best(means: Sequence[float], better: str) -> list[bool]:
    """Flag the best means. Empty if neither direction is better.

    >>> _find_best([0.5, 0.25, 0.5], "higher"), _find_best([0.5, 0.25], "lower")
    ([True, False, True], [False, True])
    >>> _find_best([0.5], "neither")
    []
    """
    ends = {"higher": max(means), "lower": min(means)}
    if better not in ends:
        return []
    return [math.isclose(mean, ends[better], rel_tol=TOLERANCE) for mean in means]


@dataclass(frozen=True)
class BaselineMarks:
    """Marks of baselines: letters after + and -, or daggers for better runs.

    >>> BaselineMarks.from_baselines(["bm25", "dense"], True).format_legend(["†‡"])
    '† significantly better than bm25, ‡ than dense'
    """

    mark_of: Mapping[str, str]
    daggers: bool = False

    @classmethod
    def from_baselines(cls, baselines: Sequence[str], daggers: bool) -> BaselineMarks:
        """Assign a mark to each baseline. Daggers are doubled if there are many."""
        sign = _make_dagger if daggers else _make_letter
        return cls({name: sign(i) for i, name in enumerate(baselines)}, daggers)

    def format_run(self, run: str) -> str:
        """Return the run, with its mark if it is a baseline."""
        return f"{run} ({self.mark_of[run]})" if run in self.mark_of else run

    def format_marks(self, row: RunSummary) -> str:
        """Return the marks of the baselines from which a run differs."""
        better = [self.mark_of[name] for name in row.better_than]
        worse = [f"-{self.mark_of[name]}" for name in row.worse_than]
        if self.daggers:
            return " ".join(["".join(better)] * bool(better) + worse)
        return " ".join([*(f"+{sign}" for sign in better), *worse])

    def format_legend(self, marks: Iterable[str]) -> str:
        """Return an explanation of the marks."""
        pairs = self.mark_of.items()
        if not self.daggers:
            baselines = ", ".join(f"{sign} = {name}" for name, sign in pairs)
            return f"+ significantly better and - significantly worse than a baseline, {baselines}"
        text = ", ".join(
            f"{sign}{'' if i else ' significantly better'} than {name}" for i, (name, sign) in enumerate(pairs)
        )
        return f"{text}; with - significantly worse" if any("-" in x for x in marks) else text


def _make_letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"b{i}"


def _make_dagger(i: int) -> str:
    return tables.DAGGERS[i % len(tables.DAGGERS)] * (1 + i // len(tables.DAGGERS))


def _format_letters(comparison: Comparison, runs: str = "Runs") -> str:
    """Return an explanation of the letters, or a reference to the table of pairs."""
    if not any(row.groups for row in comparison.runs):
        return "See the table of pairs for significant differences"
    is_long = any(len(row.groups) > MAX_LETTERS for row in comparison.runs)
    ranges = "; a–d means all letters from a to d" if is_long else ""
    return f"{runs} that share a letter are not significantly different{ranges}"
