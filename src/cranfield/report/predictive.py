"""How often measures agree with people: each measure, and each pair of measures."""

from __future__ import annotations

from typing import Any

from cranfield.meta.predictive import PredictivePower
from cranfield.report.sheets import (
    Field,
    Sheet,
    interval_fields,
    p_field,
    percent,
    runs_on,
    shown_p,
    signed,
)
from cranfield.wording import counted

TABLES = ("measures", "pairs")
METHODS = {"wilson": "Wilson's", "exact": "the exact one of Clopper and Pearson"}


def measures_sheet(found: PredictivePower) -> Sheet:
    """How often each measure agrees, with its interval."""
    made = found.measures
    defined = " Of each measure, those count for whose topic it is defined." * _differ(found)
    return Sheet(
        "measures",
        [
            Field("measure", [m.measure for m in made], key=True),
            Field("preferences", [m.n for m in made], people=_differ(found)),
            Field("agreement", [m.rate for m in made]),
            *interval_fields([(m.interval.low, m.interval.high) for m in made], found.confidence),
            Field("agreements", [m.agreements for m in made], "agree"),
            Field("disagreements", [m.disagreements for m in made], "disagree"),
            Field("tied", [m.tied for m in made]),
        ],
        f"Predictive power: how often a measure agrees with people on which of two outputs is "
        f"better. {_compared(found)}.{defined} Where a measure is tied it does not agree. The "
        f"{percent(found.confidence)} interval is {METHODS[found.method]}.",
    )


def pairs_sheet(found: PredictivePower) -> Sheet:
    """Which of two measures predicts preferences that the other does not."""
    pairs = found.pairs
    pvalues = [pair.pvalue for pair in pairs]
    defined = ", those for whose topic both are defined" * _differ(found)
    return Sheet(
        "pairs",
        [
            Field("first", [pair.first for pair in pairs], key=True),
            Field("second", [pair.second for pair in pairs], key=True),
            Field("preferences", [pair.n for pair in pairs], people=_differ(found)),
            Field("difference", [pair.difference for pair in pairs],
                  texts=[signed(pair.difference) for pair in pairs]),
            Field("both", [pair.both for pair in pairs]),
            Field("only_first", [pair.only_first for pair in pairs]),
            Field("only_second", [pair.only_second for pair in pairs]),
            p_field("pvalue", pvalues, [*map(shown_p, pvalues)], found.alpha),
            Field("significant", [p <= found.alpha for p in pvalues], people=False),
        ],
        f"Predictive power of two measures on the same preferences{defined}: the difference of "
        f"their rates of agreement, first − second, and how many preferences both, or one of "
        f"them alone, predicted. p is that of McNemar's exact test. * p ≤ α = {found.alpha:g}.",
    )  # fmt: skip


def settings(found: PredictivePower) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    return {
        "interval": found.method,
        "confidence": found.confidence,
        "alpha": found.alpha,
        "runs": len(found.runs),
        "topics": len(found.topics),
    }


def _differ(found: PredictivePower) -> bool:
    """Whether some measures are undefined for some preferences."""
    return any(one.n != found.preferences for one in found.measures)


def _compared(found: PredictivePower) -> str:
    who = f" of {counted(found.assessors, 'assessor')}" if found.assessors else ""
    outputs = f"{counted(found.outputs, 'pair')} of outputs"
    size = runs_on(len(found.runs), len(found.topics))
    return f"{counted(found.preferences, 'preference')}{who} on {outputs}: {size}"
