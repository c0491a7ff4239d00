"""Tables of battles: runs, pairs, measures and position bias."""

from __future__ import annotations

from typing import Any

from cranfield import tables
from cranfield.judging.battles import Battles
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.result import format_p
from cranfield.stats.tables import build_optional_p_column
from cranfield.tables import FLAT, Field, ResultTable
from cranfield.wording import format_count, format_number

TABLES = ("runs", "pairs", "measures", "position")


def build_tables(result: Battles) -> list[ResultTable]:
    table_list = [_build_run_table(result), _build_pair_table(result)]
    if result.measures:
        table_list.append(_build_measure_table(result))
    if result.position is not None:
        table_list.append(_build_position_table(result))
    return table_list


def select_tables(result: Battles, format: str) -> tuple[str, ...]:
    """Return the default tables of a format: pairs only if there are at most 10."""
    if format in FLAT:
        return ("runs",)
    show_pairs = format == "json" or len(result.pairs) <= 10
    return tuple(name for name in TABLES if show_pairs or name != "pairs")


def build_settings(result: Battles) -> dict[str, Any]:
    """Return the settings and the results that concern all battles."""
    names = "battles", "topics", "nu", "ridge", "alpha", "correction", "confidence", "trials"
    circles, triples = result.triples
    triple_counts = {"intransitive_triples": circles, "triples": triples}
    return {**tables.read_settings(result, *names, "seed"), **triple_counts}


def _build_run_table(battles: Battles) -> ResultTable:
    column = tables.bind_rows(battles.runs)
    letters = [row.letters for row in battles.runs]
    rating = column("rating", text=_format_rating)
    rating_with_letters = Field(rating.name, rating.values, "", rating.texts, marks=letters if any(letters) else ())
    return tables.build_table(
        "runs",
        f"{_describe_battles(battles)}. {_describe_model(battles)}{_format_letters(battles)}{_format_triples(battles)}",
        column("run", key=True),
        rating_with_letters,
        *_build_interval_columns(battles.runs, battles.confidence, _format_rating),
        column("strength", visible=False),
        column("letters", visible=False),
        *tables.build_columns(column, "battles", "wins", "ties", "losses"),
    )


def _describe_battles(battles: Battles) -> str:
    topics = format_count(battles.topics, "topic")
    return f"Ratings from {format_count(battles.battles, 'battle')} on {topics}"


def _describe_model(battles: Battles) -> str:
    intervals = (
        f", {tables.format_percent(battles.confidence)} intervals from {battles.trials:,} "
        f"bootstrap samples of topics, seed {battles.seed}"
        if battles.topics > 1
        else ""
    )
    ties = f"ν = {format_number(battles.nu)}" if battles.nu else "no ties"
    return f"Davidson's model, {ties}, ridge {battles.ridge:g}{intervals}."


def _format_letters(battles: Battles) -> str:
    if not any(row.letters for row in battles.runs):
        return ""
    return f" Runs with a common letter are not significantly different ({_describe_test(battles)})."


def _describe_test(battles: Battles) -> str:
    correction = CORRECTIONS[battles.correction].title
    return f"t of bootstrap standard errors, {correction}, α = {battles.alpha:g}"


def _format_triples(battles: Battles) -> str:
    circles, triples = battles.triples
    if not triples:
        return ""
    fraction = f" ({circles / triples:.1%})" if circles else ""
    return f" {circles:,} of {format_count(triples, 'triple')} of runs intransitive{fraction}."


def _build_pair_table(battles: Battles) -> ResultTable:
    column = tables.bind_rows(battles.pairs)
    return tables.build_table(
        "pairs",
        "Pairs of runs, the stronger one first: wins, ties, losses, difference of ratings (points) "
        f"and probability of a win by the model ({_describe_test(battles)}). * p ≤ α.",
        column("run", key=True),
        column("other", key=True),
        *tables.build_columns(column, "wins", "ties", "losses"),
        column("difference", head="points", text=lambda x: f"{x:+z.1f}"),
        *_build_interval_columns(battles.pairs, battles.confidence, lambda x: f"{x:+z.1f}"),
        build_optional_p_column([pair.pvalue for pair in battles.pairs], battles.alpha),
        column("win", head="P(win)"),
    )


def _build_measure_table(battles: Battles) -> ResultTable:
    column = tables.bind_rows(battles.measures)
    taus = battles.measures
    return tables.build_table(
        "measures",
        "Agreement of measures with the battles: Kendall's τ of their means and the ratings "
        f"({tables.format_percent(battles.confidence)} intervals over the topics of the battles), "
        "and battles with a winner in which the winner has the higher score (rate). Equal scores "
        "are no agreement.",
        column("measure", key=True),
        column("runs"),
        column("tau", head="τ"),
        *_build_interval_columns(taus, battles.confidence, format_number),
        *tables.build_columns(column, "agreements", "disagreements", "tied"),
        column("rate", head="rate"),
    )


def _build_position_table(battles: Battles) -> ResultTable:
    rows = [battles.position]
    column = tables.bind_rows(rows)
    return tables.build_table(
        "position",
        "Wins of the output shown first, in battles with a winner (exact binomial test of one half).",
        column("first", head="first won", key=False),
        column("second", head="second won"),
        column("ties"),
        column("share", head="fraction first"),
        *_build_interval_columns(rows, battles.confidence, format_number),
        column("pvalue", head="p", text=format_p),
    )


def _format_rating(rating: float) -> str:
    return f"{rating:.1f}"


def _build_interval_columns(rows: Any, confidence: float, text: Any) -> list[Field]:
    """Build machine-readable columns of the ends, and one column with the interval."""
    texts = ["–" if row.low is None or row.high is None else f"[{text(row.low)}, {text(row.high)}]" for row in rows]
    column = tables.bind_rows(rows)
    interval = Field("interval", None, f"{tables.format_percent(confidence)} interval", texts)
    return [*tables.build_columns(column, "low", "high", visible=False, dtype=float), interval]
