"""How often do measures agree with people on which of two outputs is better?

Predictive power: how often do measures agree with people who were shown the outputs of two runs for
a topic, and said which is better?
"""

from __future__ import annotations

from typing import Any

from cranfield import tables
from cranfield.meta.predictive import PredictivePower, predictive_power
from cranfield.report import options
from cranfield.report.meta import Computation, Method
from cranfield.stats.tables import build_p_column
from cranfield.wording import format_count

TABLES = ("measures", "pairs")
METHODS = {"wilson": "Wilson's", "exact": "the exact one of Clopper and Pearson"}


def build_tables(result: PredictivePower) -> list[tables.ResultTable]:
    """Each measure; and each pair of measures, if there are several."""
    return [build_measures_table(result), *([build_pairs_table(result)] if result.pairs else [])]


def build_measures_table(result: PredictivePower) -> tables.ResultTable:
    """How often each measure agrees, with its interval."""
    column, intervals = (
        tables.bind_rows(result.measures),
        [prediction.interval for prediction in result.measures],
    )
    defined = (
        " Of each measure, those count for whose topic it is defined."
        * _has_different_counts(result)
    )
    return tables.build_table(
        "measures",
        f"Predictive power: how often a measure agrees with people on which of two outputs is "
        f"better. {_describe_comparison(result)}.{defined} Where a measure is tied it does not agree. The "
        f"{tables.format_percent(result.confidence)} interval is {METHODS[result.method]}.",
        column("measure", key=True),
        column("preferences", "n", visible=_has_different_counts(result)),
        column("agreement", "rate"),
        *tables.build_interval_columns(intervals, result.confidence),
        column("agreements", head="agree"),
        column("disagreements", head="disagree"),
        column("tied"),
    )


def build_pairs_table(result: PredictivePower) -> tables.ResultTable:
    """Which of two measures predicts preferences that the other does not."""
    column = tables.bind_rows(result.pairs)
    defined = ", those for whose topic both are defined" * _has_different_counts(result)
    return tables.build_table(
        "pairs",
        f"Predictive power of two measures on the same preferences{defined}: the difference of "
        f"their rates of agreement, first − second, and how many preferences both, or one of "
        f"them alone, predicted. p is that of McNemar's exact test. * p ≤ α = {result.alpha:g}.",
        *tables.build_columns(column, "first", "second", key=True),
        column("preferences", "n", visible=_has_different_counts(result)),
        column("difference", text=tables.format_difference),
        *tables.build_columns(column, "both", "only_first", "only_second"),
        build_p_column(result.pairs, result.alpha),
        column("significant", lambda pair: pair.pvalue <= result.alpha, visible=False),
    )


def build_settings(result: PredictivePower) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    values = tables.read_settings(result, "confidence", "alpha", "runs", "topics")
    return {"interval": result.method, **values}


def _has_different_counts(result: PredictivePower) -> bool:
    """Whether some measures are undefined for some preferences."""
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
    options={
        "--preferences FILE !": "required: lines `topic preferred other`, or `topic run other "
        "preferred`, where what is preferred is one of the two or tie, and an assessor may follow; "
        "or a table with these columns",
        "method --interval {wilson,exact}": options.build_option(
            "of the rate of agreement: Wilson's (default), or the exact one of Clopper and Pearson",
            "wilson",
        ),
        **options.build_confidence_option(),
        **options.build_alpha_option(
            text="differences of two measures with a p-value of at most A are significant"
        ),
    },
)
