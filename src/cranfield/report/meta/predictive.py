"""Predictive power: agreement of measures with human preferences.

Compute how often measures agree with humans who saw the outputs of two runs for a topic and chose
the better one.
"""

from __future__ import annotations

from typing import Any

from cranfield import tables
from cranfield.meta.predictive import PredictivePower, predictive_power
from cranfield.options import choice, option
from cranfield.report import options
from cranfield.report.meta import Computation, Method
from cranfield.stats.tables import build_p_column
from cranfield.wording import format_count

TABLES = ("measures", "pairs")
METHODS = {"wilson": "Wilson's", "exact": "exact (Clopper and Pearson)"}


def build_tables(result: PredictivePower) -> list[tables.ResultTable]:
    """Return the measures and, if there are several, the pairs of measures."""
    return [build_measures_table(result), *([build_pairs_table(result)] if result.pairs else [])]


def build_measures_table(result: PredictivePower) -> tables.ResultTable:
    column, intervals = (
        tables.bind_rows(result.measures),
        [prediction.interval for prediction in result.measures],
    )
    defined = (
        " A measure is tested on the preferences for which it is defined."
        * _has_different_counts(result)
    )
    return tables.build_table(
        "measures",
        "Predictive power: agreement of measures with human preferences between two outputs. "
        f"{_describe_comparison(result)}.{defined} A tied measure does not agree. "
        f"{tables.format_percent(result.confidence)} interval: {METHODS[result.method]}.",
        column("measure", key=True),
        column("preferences", "n", visible=_has_different_counts(result)),
        column("agreement", "rate"),
        *tables.build_interval_columns(intervals, result.confidence),
        column("agreements", head="agree"),
        column("disagreements", head="disagree"),
        column("tied"),
    )


def build_pairs_table(result: PredictivePower) -> tables.ResultTable:
    """Return the preferences that one of two measures predicts and the other does not."""
    column = tables.bind_rows(result.pairs)
    defined = " (if both are defined)" * _has_different_counts(result)
    return tables.build_table(
        "pairs",
        f"Predictive power of two measures on the same preferences{defined}: difference of the "
        "rates of agreement, first − second, and number of preferences that both, or only one, "
        f"predicted. p: McNemar's exact test. * p ≤ α = {result.alpha:g}.",
        *tables.build_columns(column, "first", "second", key=True),
        column("preferences", "n", visible=_has_different_counts(result)),
        column("difference", text=tables.format_difference),
        *tables.build_columns(column, "both", "only_first", "only_second"),
        build_p_column(result.pairs, result.alpha),
        column("significant", lambda pair: pair.pvalue <= result.alpha, visible=False),
    )


def build_settings(result: PredictivePower) -> dict[str, Any]:
    values = tables.read_settings(result, "confidence", "alpha", "runs", "topics")
    return {"interval": result.method, **values}


def _has_different_counts(result: PredictivePower) -> bool:
    """Return True if a measure is undefined for some preferences."""
    return any(prediction.n != result.preferences for prediction in result.measures)


def _describe_comparison(result: PredictivePower) -> str:
    assessor_text = f" of {format_count(result.assessors, 'assessor')}" if result.assessors else ""
    outputs = f"{format_count(result.outputs, 'pair')} of outputs"
    size = tables.format_runs_and_topics(len(result.runs), len(result.topics))
    return f"{format_count(result.preferences, 'preference')}{assessor_text} on {outputs}: {size}"


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=6,
    name="predictive-power",
    computation=Computation(predictive_power),
    options=(
        option(
            "--preferences",
            "FILE",
            "required: lines `topic preferred other`, or `topic run other "
            "preferred`, where what is preferred is one of the two or tie, and an assessor may follow; "
            "or a table with these columns",
            required=True,
        ),
        choice(
            "--interval",
            ("wilson", "exact"),
            "of the rate of agreement: Wilson's (default), or the exact one of Clopper and Pearson",
            name="method",
            default="wilson",
        ),
        *options.build_confidence_option(),
        *options.build_alpha_option(
            text="differences of two measures with a p-value of at most A are significant"
        ),
    ),
)
