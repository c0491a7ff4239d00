"""Means of runs on slices of topics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from cranfield import tables
from cranfield.dataclass import dataclass
from cranfield.scores import Scores
from cranfield.tables import ResultTable

MIN_TOPICS = 5
"""Topics of a slice with an interval and a test."""


UNITS = "t intervals for other topics of the slice"
CLUSTERED = "intervals for other clusters of the slice (CR2)"


@dataclass(frozen=True)
class SliceSummary:
    """Mean of a run on the topics of a slice, with a t interval.

    The interval is NaN for slices of fewer than 5 topics, or of fewer than 3 clusters of topics.
    """

    measure: str
    attribute: str
    slice: str
    run: str
    topics: int
    mean: float
    low: float
    high: float


def group_topics(values: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the topics of each slice, in order of the slices.

    >>> group_topics({"1": "a", "3": "b", "2": "a"})
    {'a': ['1', '2'], 'b': ['3']}
    """
    slices: dict[str, list[str]] = {}
    for topic, value in values.items():
        slices.setdefault(value, []).append(topic)
    return slices


def summarise_slices(scores: Scores, confidence: float = 0.95) -> Iterator[SliceSummary]:
    """Yield the means of all runs, by measure, attribute and slice."""
    parts = {
        (attribute, name): scores.select(topics=topics).interval("t", confidence)
        for attribute, values in scores.attributes.items()
        for name, topics in group_topics(values).items()
    }
    for measure, summary in zip(scores.measures, scores.summaries, strict=True):
        for (attribute, name), intervals in parts.items() if summary != "se" else ():
            for run in scores.runs:
                x = intervals[run][measure]
                low, high = (x.low, x.high) if x.n >= MIN_TOPICS else (math.nan, math.nan)
                yield SliceSummary(measure, attribute, name, run, x.n, x.mean, low, high)


def build_slice_table(
    rows: Sequence[SliceSummary], several_measures: bool, confidence: float = 0.95, units: str = ""
) -> ResultTable:
    """Build the table of means on slices. `units` are added to the caption."""
    column = tables.bind_rows(rows)
    measure = "" if several_measures or not rows else f" by {rows[0].measure}"
    several_attributes = len({row.attribute for row in rows}) > 1
    by = "" if several_attributes or not rows else f" of {rows[0].attribute}"
    intervals = f"{tables.format_percent(confidence)} {units or UNITS}"
    least = f"Slices of fewer than {MIN_TOPICS} topics have no interval."
    caption = f"Means on the slices{by}{measure}, with {intervals}. {least}"
    return tables.build_table(
        "slices",
        caption,
        column("measure", visible=several_measures, key=True),
        column("attribute", visible=several_attributes, key=True),
        column("slice", key=True),
        column("run", key=True),
        column("topics"),
        column("mean"),
        *tables.build_interval_columns(rows, confidence),
    )
