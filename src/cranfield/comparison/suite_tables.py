"""Tables of a suite: results for a paper, cells, macro means, differences and pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cranfield import tables
from cranfield.arrays import TOLERANCE
from cranfield.comparison.suites import Suite, SuitePair
from cranfield.evaluation.suites import get_group
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.result import format_p, format_p_statement
from cranfield.stats.tables import build_p_column
from cranfield.tables import FLAT, PAPER
from cranfield.wording import format_count, format_number

TABLES = ("results", "cells", "runs", "forest", "pairs", "sentences", "slices", "slice_pairs", "verdicts")
_MAX_SENTENCES = 3  # in the answer above the tables
_FOREST_PAIRS = 3  # more pairs would hide the other tables


def select_tables(result: Suite, format: str) -> tuple[str, ...]:
    """Return the names of the default tables."""
    slices, means = (("slice_pairs",), ("slices",)) if result.slices else ((), ())
    if format in FLAT:
        return ("pairs",)
    if format == "json":
        return (*TABLES[1:5], *slices, *means)
    if format in PAPER:
        return ("results", "pairs", *slices)
    forest = ("forest",) if len(result.pairs) <= _FOREST_PAIRS else ()
    return ("results", "runs", "pairs", *forest, *slices)


def build_tables(result: Suite, pool: bool = False) -> list[tables.ResultTable]:
    """Build all tables of a suite."""
    return [
        _build_result_table(result),
        _build_cell_table(result),
        _build_run_table(result),
        _build_forest_table(result),
        _build_pair_table(result, pool),
        _build_sentence_table(result),
        *([_build_slice_table(result), _build_slice_pair_table(result)] if result.slices else []),
    ]


def build_settings(result: Suite) -> dict[str, Any]:
    """Return the settings that captions describe in words."""
    return {
        "collections": len(result.collections),
        "runs": len(result.means.runs),
        **tables.read_settings(result, "correction", "alpha"),
        "confidence": 1 - result.alpha,
        **tables.read_settings(result, "trials", "seed", "seeds", "standardise"),
        "baselines": list(result.baselines),
    }


# -- phrases --------------------------------------------------------------------------------------


def describe_size(result: Suite) -> str:
    """Return the numbers of systems, collections and topics."""
    counts = {cell.collection: cell.topics for cell in result.cells}
    runs = format_count(len(result.means.runs), "system")
    collections = format_count(len(result.collections), "collection")
    return f"{runs} on {collections} ({format_count(sum(counts.values()), 'topic')})"


def describe_topics(result: Suite) -> str:
    """Return the units that are sampled on a collection."""
    has_clusters = any(scores.clusters for scores in result.scores.values())
    return "clusters of topics (CR2)" if has_clusters else "topics"


def _describe_population(result: Suite) -> str:
    """Return what the first interval generalises to."""
    seeds = " and other seeds" if result.seeds == "random" else ""
    fixed = ", means over fixed seeds" if result.seeds == "fixed" else ""
    return f"these {format_count(len(result.collections), 'collection')}, other {describe_topics(result)}{seeds}{fixed}"


def _has_several_measures(result: Suite) -> bool:
    return len(result.measures) > 1


def _describe_measure(result: Suite) -> str:
    return "" if _has_several_measures(result) else f" by {result.measures[0]}"


def _describe_correction(result: Suite) -> str:
    pairs = len(result.pairs) // len(result.measures)
    if pairs < 2:
        return "paired t, two-sided"
    return f"paired t, two-sided, {CORRECTIONS[result.correction].title} for {pairs} comparisons by each measure"


def _name_other(result: Suite) -> str:
    return "baseline" if result.baselines else "other"


# -- tables ---------------------------------------------------------------------------------------


def _build_result_table(result: Suite) -> tables.ResultTable:
    """Build the table for a paper: systems × collections, with the macro mean last."""
    rows = result.runs
    cell = {(c.measure, c.run, c.collection): c.mean for c in result.cells}
    columns = {
        name: [cell[_name_cells(result, name, row.measure), row.run, name] for row in rows]
        for name in result.collections
    }
    measures = tables.Field("measure", [row.measure for row in rows], visible=_has_several_measures(result), key=True)
    fields = [measures, tables.Field("run", [row.run for row in rows], "system", key=True)]
    for name, means in {**columns, "macro mean": [row.mean for row in rows]}.items():
        best, second = _rank_column(result, means)
        fields.append(tables.Field(name, means, name, best=best, second=second))
    caption = f"Means of {describe_size(result)}{_describe_measure(result)}. Systems by macro mean."
    return tables.ResultTable("results", fields, caption)


def _rank_column(result: Suite, means: Sequence[float]) -> tuple[list[bool], list[bool]]:
    """Flag the best and the second best values of each measure."""
    best, second = [], []
    for measure, better in zip(result.measures, result.means.better, strict=True):
        values = [x for x, row in zip(means, result.runs, strict=True) if row.measure == measure]
        flags = rank_values(values, better)
        best += flags[0] or [False] * len(values)
        second += flags[1] or [False] * len(values)
    return best, second


def _name_cells(result: Suite, collection: str, measure: str) -> str:
    """Return the name of a measure on a collection, for suites with different measures."""
    m = result.measures.index(measure)
    return next(s.measures[m] for name, s in result.scores.items() if get_group(name) == collection)


def rank_values(values: Sequence[float], better: str) -> tuple[list[bool], list[bool]]:
    """Flag the best and the second best values. Empty if neither direction is better.

    >>> rank_values([0.5, 0.25, 0.5, 0.125], "higher")
    ([True, False, True, False], [False, True, False, False])
    >>> rank_values([0.5, 0.25], "neither")
    ([], [])
    """
    if better not in ("higher", "lower"):
        return [], []
    choose = max if better == "higher" else min
    best_value = choose(values)
    best = [math.isclose(x, best_value, rel_tol=TOLERANCE) for x in values]
    others = [x for x, is_best in zip(values, best, strict=True) if not is_best]
    second = choose(others) if others else None
    flags = [second is not None and math.isclose(x, second, rel_tol=TOLERANCE) for x in values]
    return best, [flag and not is_best for flag, is_best in zip(flags, best, strict=True)]


def _build_cell_table(result: Suite) -> tables.ResultTable:
    column = tables.bind_rows(result.cells)
    caption = (
        f"Means of {describe_size(result)}{_describe_measure(result)}, with "
        f"{tables.format_percent(1 - result.alpha)} t intervals."
    )
    return tables.build_table(
        "cells",
        caption,
        column("measure", visible=_has_several_measures(result), key=True),
        column("collection", key=True),
        column("run", head="system", key=True),
        column("topics"),
        column("mean"),
        *tables.build_interval_columns(result.cells, 1 - result.alpha),
    )


def _build_run_table(result: Suite) -> tables.ResultTable:
    rows = result.runs
    column = tables.bind_rows(rows)
    seeds = " and runs within systems" if result.seeds == "random" else ""
    caption = (
        f"Macro means of {describe_size(result)}{_describe_measure(result)}, with "
        f"{tables.format_percent(1 - result.alpha)} intervals for {_describe_population(result)}. "
        "Mean rank: over collections. Best: fraction of resamples with the best macro mean, and "
        f"{tables.format_percent(1 - result.alpha)} interval of the rank, from {result.trials:,} resamples of topics "
        f"within collections{seeds} (seed {result.seed}): fractions of resamples, not probabilities, and approximate."
    )
    return tables.build_table(
        "runs",
        caption,
        column("measure", visible=_has_several_measures(result), key=True),
        column("run", head="system", key=True),
        column("collections", visible=False),
        column("mean", head="macro mean"),
        *tables.build_interval_columns(rows, 1 - result.alpha),
        column("mean_rank", text="{:.2f}".format, dtype=float),
        column("best", text="{:.3f}".format, dtype=float),
        *tables.build_columns(column, "rank_low", "rank_high", visible=False, dtype=int),
        tables.Field("ranks", None, "ranks", [tables.format_ranks(row.rank_low, row.rank_high) for row in rows]),
    )


def _build_forest_table(result: Suite) -> tables.ResultTable:
    column, other_head = tables.bind_rows(result.forest), _name_other(result)
    unit = ", in standard deviations" if result.standardise else ""
    caption = (
        f"Differences system − {other_head} on each collection{_describe_measure(result)}{unit}, with "
        f"{tables.format_percent(1 - result.alpha)} intervals. Weight: in the pooled difference."
    )
    return tables.build_table(
        "forest",
        caption,
        column("measure", visible=_has_several_measures(result), key=True),
        column("run", head="system", key=True),
        column("other", head=other_head, key=True),
        column("collection", key=True),
        column("topics"),
        column("difference", text=tables.format_difference),
        *tables.build_interval_columns(result.forest, 1 - result.alpha, "+"),
        column("se", visible=False),
        column("weight", text=_format_weight),
    )


def _format_weight(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _build_pair_table(result: Suite, pool: bool) -> tables.ResultTable:
    rows, other_head = result.pairs, _name_other(result)
    column = tables.bind_rows(rows)
    seed_columns = ("seeds", "other_seeds", "seed_share") if result.seeds else ()
    pooled = [tables.format_interval(row.pooled_low, row.pooled_high, "+") for row in rows]
    unit = ", in standard deviations" if result.standardise else ""
    caption = (
        f"Differences of macro means, system − {other_head}, of {describe_size(result)}"
        f"{_describe_measure(result)}{unit}: {_describe_correction(result)}, "
        f"α = {result.alpha:g}. * p ≤ α. First interval and p: {_describe_population(result)}. "
        "Like these: mean of collections like these. Further: one further collection. "
        "I²: fraction of the variation between collections that sampled topics do not explain. "
        "τ: standard deviation of true differences. Win/tie/loss: number of collections."
    )
    if pool:
        caption += " Pooled: collections weighted by precision (Paule–Mandel, Hartung–Knapp)."
    return tables.build_table(
        "pairs",
        caption,
        *_rename_key_columns(column, result, other_head),
        *tables.build_columns(column, "collections", "topics", visible=False),
        column("difference", text=tables.format_difference),
        *tables.build_columns(column, "se", "df", visible=False),
        *tables.build_interval_columns(rows, 1 - result.alpha, "+"),
        build_p_column(rows, result.alpha),
        column("uncorrected", visible=False),
        *tables.build_columns(column, "further_low", "further_high", visible=False),
        tables.Field("like these", None, "like these", [_format_ends(r.further_low, r.further_high) for r in rows]),
        column("further_p", visible=False, dtype=float),
        *tables.build_columns(column, "prediction_low", "prediction_high", visible=False),
        tables.Field("further", None, "further", [_format_ends(r.prediction_low, r.prediction_high) for r in rows]),
        *tables.build_columns(column, "q", visible=False),
        column("q_pvalue", visible=False, dtype=float),
        column("i2", head="I²", text=_format_fraction),
        column("tau", head="τ", text=_format_tau),
        column("pooled", text=tables.format_difference, visible=pool),
        *tables.build_columns(column, "pooled_low", "pooled_high", visible=False),
        tables.Field("pooled interval", None, "pooled interval", pooled, visible=pool),
        *tables.build_columns(column, "wins", "ties", "losses", visible=False),
        tables.Field("counts", None, "win/tie/loss", [f"{r.wins}/{r.ties}/{r.losses}" for r in rows]),
        column("verdict", visible=False),
        *tables.build_columns(column, *seed_columns, visible=False),
    )  # fmt: skip


def _build_slice_table(result: Suite) -> tables.ResultTable:
    """Build the table of macro means on slices."""
    column = tables.bind_rows(result.slices)
    caption = (
        f"Macro means of {describe_size(result)}{_describe_measure(result)} on slices of topics, over the collections "
        f"that have the slice, with {tables.format_percent(1 - result.alpha)} intervals for "
        f"{_describe_population(result)}."
    )
    return tables.build_table(
        "slices",
        caption,
        column("measure", visible=_has_several_measures(result), key=True),
        *tables.build_columns(column, "attribute", "slice", key=True),
        column("run", head="system", key=True),
        *tables.build_columns(column, "collections", "topics"),
        column("mean", head="macro mean"),
        *tables.build_interval_columns(result.slices, 1 - result.alpha),
    )


def _build_slice_pair_table(result: Suite) -> tables.ResultTable:
    """Build the table of differences of macro means on slices."""
    rows, other_head = result.slice_pairs, _name_other(result)
    column = tables.bind_rows(rows)
    caption = (
        f"Differences of macro means on slices of topics, system − {other_head}{_describe_measure(result)}, over the "
        f"collections that have the slice: paired t, two-sided, {CORRECTIONS[result.correction].title} for all pairs "
        f"and slices of an attribute, α = {result.alpha:g}. * p ≤ α. Intervals: {_describe_population(result)}. "
        "Win/tie/loss: number of collections."
    )
    return tables.build_table(
        "slice_pairs",
        caption,
        column("measure", visible=_has_several_measures(result), key=True),
        *tables.build_columns(column, "attribute", "slice", key=True),
        column("run", head="system", key=True),
        column("other", head=other_head, key=True),
        *tables.build_columns(column, "collections", "topics"),
        column("difference", text=tables.format_difference),
        *tables.build_interval_columns(rows, 1 - result.alpha, "+"),
        build_p_column(rows, result.alpha),
        column("uncorrected", visible=False),
        *tables.build_columns(column, "wins", "ties", "losses", visible=False),
        tables.Field("counts", None, "win/tie/loss", [f"{r.wins}/{r.ties}/{r.losses}" for r in rows]),
        column("verdict", visible=False),
    )


def _rename_key_columns(column: Any, result: Suite, other_head: str) -> list[tables.Field]:
    return [
        column("measure", visible=_has_several_measures(result), key=True),
        column("run", head="system", key=True),
        column("other", head=other_head, key=True),
    ]


def _format_ends(low: float, high: float) -> str:
    return "–" if math.isnan(low) else tables.format_interval(low, high, "+")


def _format_fraction(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.0%}"


def _format_tau(value: float) -> str:
    return "–" if math.isnan(value) else format_number(value)


# -- sentences ------------------------------------------------------------------------------------


def _build_sentence_table(result: Suite) -> tables.ResultTable:
    """Build a table with a sentence per pair that contains all numbers to report."""
    column = tables.bind_rows(result.pairs)
    return tables.build_table(
        "sentences",
        "",
        *tables.build_columns(column, "measure", "run", "other", visible=False, key=True),
        column("sentence", lambda pair: write_sentence(result, pair)),
    )


def write_answer(result: Suite) -> str:
    """Return the answer: a sentence per pair, or for many pairs the best system of each measure."""
    if len(result.pairs) <= _MAX_SENTENCES:
        return "\n".join(write_sentence(result, pair) for pair in result.pairs)
    return "\n".join(_write_overview(result, measure) for measure in result.measures)


def _write_overview(result: Suite, measure: str) -> str:
    """Write a sentence about all pairs of a measure."""
    pairs = [pair for pair in result.pairs if pair.measure == measure]
    different = sum(pair.pvalue <= result.alpha for pair in pairs)
    first = next(row for row in result.runs if row.measure == measure)
    best = "" if first.best is None else f", and the best in {first.best:.0%} of resamples"
    lead = f"{first.run} has the best macro mean, {format_number(first.mean)}{best}; " if best else ""
    size = f"{different} of {format_count(len(pairs), 'pair')}"
    return f"By {measure}, {lead}{size} differ significantly on {_count_collections(result)}."


def _count_collections(result: Suite) -> str:
    return f"these {format_count(len(result.collections), 'collection')}"


def write_sentence(result: Suite, pair: SuitePair) -> str:
    """Write a sentence with all numbers to report about a pair."""
    confidence = tables.format_percent(1 - result.alpha)
    significance = "significantly" if pair.pvalue <= result.alpha else "not significantly"
    relation = f"{pair.verdict} than" if pair.verdict else "different from"
    standardised = " of standardised differences" if result.standardise else ""
    units = f"other {describe_topics(result)}{' and other seeds' if result.seeds == 'random' else ''}"
    parts = [
        f"By {pair.measure}, {pair.run} is {significance} {relation} {pair.other} on {_count_collections(result)}: "
        f"difference of macro means{standardised} {tables.format_difference(pair.difference)}, {confidence} interval "
        f"for {units} {tables.format_interval(pair.low, pair.high, '+')}, {format_p_statement(format_p(pair.pvalue))}"
    ]
    if not math.isnan(pair.further_low):
        parts.append(
            f"interval for collections like these {tables.format_interval(pair.further_low, pair.further_high, '+')}, "
            f"for one further collection {tables.format_interval(pair.prediction_low, pair.prediction_high, '+')}"
        )
    if not math.isnan(pair.i2):
        parts.append(f"variation between collections I² {pair.i2:.0%}, τ {format_number(pair.tau)}")
    return f"{'; '.join(parts)}; better on {pair.wins} and worse on {format_count(pair.losses, 'collection')}."
