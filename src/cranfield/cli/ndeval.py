"""`cranfield ndeval`: drop-in replacement for the program of the Web track's diversity task."""

from __future__ import annotations

from functools import partial

from cranfield.cli import drop_ins
from cranfield.options import argument, option, switch
from cranfield.tools.ndeval import ndeval

OPTIONS = (
    argument("qrels", "QRELS", "judgments: topic subtopic document level"),
    argument("result_file", "RUN", "a run, taken in the order of its ranks"),
    switch("-traditional", "take the run in the order of its scores, then of document ids"),
    switch("-c", "means over all topics with judgments, answered or not", name="complete"),
    option(
        "-alpha",
        "A",
        "reduction of the gain of a subtopic each time it was found, default: 0.5",
        value="number",
    ),
    option(
        "-beta",
        "B",
        "probability of going on to the next rank, for NRBP, default: 0.5",
        value="number",
    ),
    option("-M", "DEPTH", "the last rank that counts", name="depth", value="count"),
    option("-baseline", "RUN", "print differences from this run"),
    option(
        "-riskAlpha",
        "A",
        "with a baseline: count losses 1 + A times, default: 0",
        name="risk",
        value="nonnegative",
    ),
    switch("-a", None),  # accepted, without effect
    *drop_ins.MESSAGES,
)
run = partial(drop_ins.run, ndeval)
