"""Section of the HTML report about slices of topics: means, differences, interactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from cranfield.comparison import Comparison
from cranfield.comparison.slices import SliceInteraction
from cranfield.comparison.tables import describe_slice_procedure
from cranfield.report.page.numbers import Number, round_number
from cranfield.report.page.sections import Section, build_section, build_table
from cranfield.scores import Scores
from cranfield.scores.slices import MIN_TOPICS, SliceSummary
from cranfield.stats.result import format_p
from cranfield.wording import format_count

MAX_ROWS = 1000  # of a table of differences


def build_slice_sections(parts: Sequence[Scores], comparisons: Sequence[Comparison | None]) -> Iterator[Section]:
    """Yield a section for each attribute of the topics."""
    names = dict.fromkeys(attribute for part in parts for attribute in part.attributes)
    for number, attribute in enumerate(names, 1):
        tables = [
            table
            for part, comparison in zip(parts, comparisons, strict=True)
            if attribute in part.attributes
            for table in _build_tables(part, comparison, attribute)
        ]
        left_out = tuple(table.pop("left_out") for table in tables if table.get("left_out"))
        text = f"Means of the runs on each slice of topics. Slices of fewer than {MIN_TOPICS} topics are not tested."
        section = build_section(f"slices-{number}", f"Slices: {attribute}", text, *tables)
        yield Section(section, left_out=left_out)


def _build_tables(scores: Scores, comparison: Comparison | None, attribute: str) -> Iterator[dict[str, Any]]:
    """Yield the tables of an attribute by each measure."""
    rows = [row for row in scores.slices if row.attribute == attribute]
    for measure in dict.fromkeys(row.measure for row in rows):
        yield _build_mean_table(measure, [row for row in rows if row.measure == measure])
        if comparison is not None and measure in comparison.scores.measures:
            yield from _build_pair_tables(comparison, measure, attribute)


def _build_mean_table(measure: str, rows: Sequence[SliceSummary]) -> dict[str, Any]:
    """Build a table of runs by slices."""
    means = {(row.run, row.slice): row.mean for row in rows}
    topics = {row.slice: row.topics for row in rows}
    columns = [f"{name} ({count:,})" for name, count in topics.items()]
    runs = dict.fromkeys(row.run for row in rows)
    values = [[run, *(_round(means[run, name]) for name in topics)] for run in runs]
    return build_table(f"{measure} on the slices (topics)", ("run", *columns), values)


def _build_pair_tables(comparison: Comparison, measure: str, attribute: str) -> Iterator[dict[str, Any]]:
    """Yield the differences from the best run, and the tests of interactions."""
    best = next(row.run for row in comparison.runs if row.measure == measure)
    key = measure, attribute
    pairs = [x for x in comparison.slice_pairs if (x.measure, x.attribute) == key and best in (x.run, x.other)]
    test = comparison.slice_test
    if not pairs or test is None:
        return
    columns = ("slice", "run", "other", "topics", "difference", "low", "high", "p")
    values = [
        [x.slice, x.run, x.other, x.topics, *map(_round, (x.difference, x.low, x.high)), test.shown_p(x)]
        for x in pairs[:MAX_ROWS]
    ]
    title = f"Differences by {measure} from the best run, {best}"
    table = build_table(title, columns, values, f"{describe_slice_procedure(comparison)}.")
    if len(values) < len(pairs):
        table["left_out"] = f"{len(values):,} of {format_count(len(pairs), 'difference')} on slices are shown."
    yield table
    rows = [x for x in comparison.interactions if (x.measure, x.attribute) == key and best in (x.run, x.other)]
    yield from _build_interaction_tables(measure, rows)


def _build_interaction_tables(measure: str, rows: Sequence[SliceInteraction]) -> Iterator[dict[str, Any]]:
    """Yield the table of tests whether differences depend on the slice, if there are any."""
    if not rows:
        return
    values = [[x.run, x.other, x.slices, *map(_round, (x.statistic, x.df2)), format_p(x.pvalue)] for x in rows]
    names = ("run", "other", "slices", "W", "df2", "p")
    note = "Welch's test of equal differences on all slices. A small p: the difference depends on the slice."
    yield build_table(f"Differences between slices by {measure}", names, values, note)


def _round(value: float | None) -> Number:
    return None if value is None or isnan(value) else round_number(value, 4)
