"""How often do measures agree with people on which of two outputs is better?

Predictive power: how often do measures agree with people who were shown the outputs of two runs for
a topic, and said which is better?
"""

from __future__ import annotations

from typing import Any

from cranfield.meta.predictive import PredictivePower, predictive_power
from cranfield.report import options
from cranfield.report import sheets as tables
from cranfield.report.meta import Method, Work
from cranfield.wording import counted

TABLES = ("measures", "pairs")
METHODS = {"wilson": "Wilson's", "exact": "the exact one of Clopper and Pearson"}


def sheets(found: PredictivePower) -> list[tables.Sheet]:
    """Each measure; and each pair of measures, if there are several."""
    return [measures_sheet(found), *([pairs_sheet(found)] if found.pairs else [])]


def measures_sheet(found: PredictivePower) -> tables.Sheet:
    """How often each measure agrees, with its interval."""
    of, intervals = tables.columns(found.measures), [one.interval for one in found.measures]
    defined = " Of each measure, those count for whose topic it is defined." * _differ(found)
    return tables.table(
        "measures",
        f"Predictive power: how often a measure agrees with people on which of two outputs is "
        f"better. {_compared(found)}.{defined} Where a measure is tied it does not agree. The "
        f"{tables.percent(found.confidence)} interval is {METHODS[found.method]}.",
        of("measure", key=True),
        of("preferences", "n", people=_differ(found)),
        of("agreement", "rate"),
        *tables.interval_fields(intervals, found.confidence),
        of("agreements", head="agree"),
        of("disagreements", head="disagree"),
        of("tied"),
    )


def pairs_sheet(found: PredictivePower) -> tables.Sheet:
    """Which of two measures predicts preferences that the other does not."""
    of = tables.columns(found.pairs)
    defined = ", those for whose topic both are defined" * _differ(found)
    return tables.table(
        "pairs",
        f"Predictive power of two measures on the same preferences{defined}: the difference of "
        f"their rates of agreement, first − second, and how many preferences both, or one of "
        f"them alone, predicted. p is that of McNemar's exact test. * p ≤ α = {found.alpha:g}.",
        *tables.each(of, "first", "second", key=True),
        of("preferences", "n", people=_differ(found)),
        of("difference", text=tables.signed),
        *tables.each(of, "both", "only_first", "only_second"),
        tables.p_field(found.pairs, found.alpha),
        of("significant", lambda pair: pair.pvalue <= found.alpha, people=False),
    )


def settings(found: PredictivePower) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    made = tables.settings_of(found, "confidence", "alpha", "runs", "topics")
    return {"interval": found.method, **made}


def _differ(found: PredictivePower) -> bool:
    """Whether some measures are undefined for some preferences."""
    return any(one.n != found.preferences for one in found.measures)


def _compared(found: PredictivePower) -> str:
    who = f" of {counted(found.assessors, 'assessor')}" if found.assessors else ""
    outputs = f"{counted(found.outputs, 'pair')} of outputs"
    size = tables.runs_on(len(found.runs), len(found.topics))
    return f"{counted(found.preferences, 'preference')}{who} on {outputs}: {size}"


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=6,
    name="predictive-power",
    work=Work(predictive_power),
    options={
        "--preferences FILE !": "required: lines `topic preferred other`, or `topic run other "
        "preferred`, where what is preferred is one of the two or tie, and an assessor may follow; "
        "or a table with these columns",
        "method --interval {wilson,exact}": options.told(
            "of the rate of agreement: Wilson's (default), or the exact one of Clopper and Pearson",
            "wilson",
        ),
        **options.confidence(),
        **options.alpha(
            what="differences of two measures with a p-value of at most A are significant"
        ),
    },
)
