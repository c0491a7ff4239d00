"""How often measures agree with people: each measure, and each pair of measures."""

from __future__ import annotations

from cranfield.meta.predictive import PredictivePower
from cranfield.report.sheets import Field, Sheet, shown_p
from cranfield.wording import counted

TABLES = ("measures", "pairs")
METHODS = {"wilson": "Wilson's", "exact": "the exact one of Clopper and Pearson"}


def measures_sheet(found: PredictivePower) -> Sheet:
    """How often each measure agrees, with its interval."""
    made = found.measures
    ends = [(m.interval.low, m.interval.high) for m in made]
    return Sheet(
        "measures",
        [
            Field("measure", [m.measure for m in made], key=True),
            Field("preferences", [m.n for m in made], people=len({m.n for m in made}) > 1),
            Field("agreement", [m.rate for m in made]),
            Field("low", [low for low, _ in ends], people=False),
            Field("high", [high for _, high in ends], people=False),
            Field("interval", None, f"{found.confidence:.4g} interval",
                  [f"[{low:.4f}, {high:.4f}]" for low, high in ends]),
            Field("agreements", [m.agreements for m in made], "agree"),
            Field("disagreements", [m.disagreements for m in made], "disagree"),
            Field("tied", [m.tied for m in made]),
        ],
        f"Predictive power: how often a measure agrees with people on which of two outputs is "
        f"better. {_compared(found)}. Where a measure is tied it does not agree. The interval is "
        f"{METHODS[found.method]}, with confidence {found.confidence:g}.",
    )  # fmt: skip


def pairs_sheet(found: PredictivePower) -> Sheet:
    """Which of two measures predicts preferences that the other does not."""
    pairs = found.pairs
    return Sheet(
        "pairs",
        [
            Field("first", [pair.first for pair in pairs], key=True),
            Field("second", [pair.second for pair in pairs], key=True),
            Field("preferences", [pair.n for pair in pairs], people=False),
            Field("difference", [pair.difference for pair in pairs]),
            Field("both", [pair.both for pair in pairs]),
            Field("only_first", [pair.only_first for pair in pairs]),
            Field("only_second", [pair.only_second for pair in pairs]),
            Field("pvalue", [p.pvalue for p in pairs], "p", [shown_p(p.pvalue) for p in pairs]),
            Field("significant", [pair.pvalue < found.alpha for pair in pairs]),
        ],
        f"Predictive power of two measures on the same preferences: the difference of their rates "
        f"of agreement, and how many preferences both, or one of them alone, predicted. p is that "
        f"of McNemar's exact test, significant below α = {found.alpha:g}.",
    )


def _compared(found: PredictivePower) -> str:
    who = f" of {counted(found.assessors, 'assessor')}" if found.assessors else ""
    outputs = f"{counted(found.outputs, 'pair')} of outputs"
    runs, topics = counted(len(found.runs), "run"), counted(len(found.topics), "topic")
    return f"{counted(found.preferences, 'preference')}{who} on {outputs}: {runs}, {topics}"
