"""Tables of a trend: tonight, all nights, differences and sentences."""

from __future__ import annotations

import math
from typing import Any

from cranfield import tables
from cranfield.comparison.trend import NightDifference, NightScore, Reference, Trend
from cranfield.stats.result import format_p, format_p_statement
from cranfield.stats.tables import build_optional_p_column
from cranfield.tables import FLAT
from cranfield.wording import format_count, format_number

TABLES = ("tonight", "nights", "differences", "sentences")
_MAX_SENTENCES = 3  # in the answer above the tables


def select_tables(format: str, summary: bool = False) -> tuple[str, ...]:
    """Return the names of the default tables."""
    if summary:
        return ("tonight",)
    if format in FLAT:
        return ("differences",)
    return ("nights", "differences") if format == "json" else ("tonight", "nights")


def build_tables(result: Trend, summary: bool = False) -> list[tables.ResultTable]:
    """Build all tables of a trend. In a summary, the first one has the answer as its title."""
    return [
        _build_tonight_table(result, summary),
        _build_night_table(result),
        _build_difference_table(result),
        _build_sentence_table(result),
    ]


def build_settings(result: Trend) -> dict[str, Any]:
    """Return the settings that captions describe in words."""
    return {
        "nights": len(result.names),
        "runs": len(result.runs),
        **tables.read_settings(result, "tested", "baseline", "last", "looks", "alpha"),
        "confidence": 1 - result.alpha,
    }


# -- phrases --------------------------------------------------------------------------------------


def describe_reference(result: Trend, reference: Reference, night: str) -> str:
    """Return the name of a reference of a night in a sentence."""
    if reference == "baseline":
        return str(result.baseline)
    if reference == "previous":
        return "the previous night"
    count = min(result.last, result.names.index(night))
    return f"the median of the last {format_count(count, 'night')}" if count > 1 else "the previous night"


def _describe_test(result: Trend) -> str:
    """Return what p and marks mean."""
    logs = [measure for measure in result.measures if result.has_logarithms(measure)]
    of_logs = f" Differences by {', '.join(logs)} are differences of logarithms." if logs else ""
    return (
        "p: paired t-test, two-sided, corrected for all looks (alpha-spending) by run and measure. * p ≤ α: over all "
        f"nights, the probability of any false alarm is at most α = {result.alpha:g}.{of_logs}"
    )


def _describe_series(result: Trend) -> str:
    return "" if len(result.measures) > 1 else f" by {result.measures[0]}"


def _name_references(result: Trend) -> dict[Reference, str]:
    """Return the references with their heads in tables."""
    heads: dict[Reference, str] = {"previous": "from previous night", "median": f"from median of last {result.last}"}
    return heads if result.baseline is None else heads | {"baseline": f"from {result.baseline}"}


# -- tables ---------------------------------------------------------------------------------------


def _build_keys(result: Trend, column: Any) -> list[tables.Field]:
    """Build the columns that identify a series."""
    return [
        column("measure", visible=len(result.measures) > 1, key=True),
        column("run", visible=len(result.runs) > 1, key=True),
    ]


def _format_row_difference(row: NightDifference | None) -> str:
    if row is None:
        return "–"
    return f"{tables.format_difference(row.difference)} {tables.format_interval(row.low, row.high, '+')}"


def _build_tonight_table(result: Trend, summary: bool) -> tables.ResultTable:
    """Build the table of the last night: means, and differences from all references."""
    rows = [row for row in result.nights if row.night == result.names[-1]]
    column = tables.bind_rows(rows)
    tests = [result.find(row.measure, row.run, row.night, result.tested) for row in rows]
    differences = [
        tables.Field(reference, None, head, [
            _format_row_difference(result.find(row.measure, row.run, row.night, reference)) for row in rows
        ])
        for reference, head in _name_references(result).items()
    ]  # fmt: skip
    caption = (
        f"{result.names[-1]}{_describe_series(result)} on {tables.format_topics(row.topics for row in rows)}: mean and "
        f"paired differences with {tables.format_percent(1 - result.alpha)} t intervals of this night alone. "
        f"{'p is corrected for repeated looks.' if summary else _describe_test(result)}"
    )
    fields = [
        *_build_keys(result, column),
        column("mean"),
        tables.Field("interval", None, f"{tables.format_percent(1 - result.alpha)} interval", [
            tables.format_interval(row.low, row.high) for row in rows
        ]),
        *differences,
        build_optional_p_column([None if test is None else test.pvalue for test in tests], result.alpha),
        tables.Field("verdict", None, "verdict", ["–" if test is None else test.verdict or "same" for test in tests]),
    ]  # fmt: skip
    title = write_answer(result, summary=True) if summary else ""
    return tables.ResultTable("tonight", fields, caption, title=title, machine_readable=False)


def _build_night_table(result: Trend) -> tables.ResultTable:
    """Build the series: means of all nights, with the tested difference."""
    rows = result.nights
    column = tables.bind_rows(rows)
    tests = [result.find(row.measure, row.run, row.night, result.tested) for row in rows]
    head = _name_references(result)[result.tested]
    texts = ["–" if test is None else tables.format_difference(test.difference) for test in tests]
    bands = ["–" if test is None else tables.format_interval(test.band_low, test.band_high, "+") for test in tests]
    pvalues = [None if test is None else test.pvalue for test in tests]
    shown = build_optional_p_column(pvalues, result.alpha)
    caption = (
        f"Means of {format_count(len(result.names), 'night')}{_describe_series(result)} with "
        f"{tables.format_percent(1 - result.alpha)} t intervals, and differences with intervals that hold on all "
        f"nights together. {_describe_test(result)}"
    )
    return tables.build_table(
        "nights",
        caption,
        *_build_keys(result, column),
        column("night", key=True),
        column("topics", visible=False),
        column("mean"),
        *tables.build_interval_columns(rows, 1 - result.alpha),
        tables.Field("difference", None, head, texts),
        tables.Field("band", None, "for all nights", bands),
        tables.Field("p", None, "p", shown.cell_texts, marks=shown.marks),
    )


def _build_difference_table(result: Trend) -> tables.ResultTable:
    rows = result.differences
    column = tables.bind_rows(rows)
    caption = (
        f"Paired differences of each night from the previous night, from the median of the last {result.last} nights"
        f"{'' if result.baseline is None else f' and from {result.baseline}'}{_describe_series(result)}, with "
        f"{tables.format_percent(1 - result.alpha)} t intervals. {_describe_test(result)}"
    )
    return tables.build_table(
        "differences",
        caption,
        *_build_keys(result, column),
        column("night", key=True),
        column("reference", key=True),
        column("topics", visible=False),
        column("difference", text=tables.format_difference),
        *tables.build_interval_columns(rows, 1 - result.alpha, "+"),
        *tables.build_columns(column, "band_low", "band_high", visible=False),
        build_optional_p_column([row.pvalue for row in rows], result.alpha),
        column("uncorrected", visible=False),
        column("look", visible=False, dtype=int),
        *tables.build_columns(column, "wins", "ties", "losses", visible=False),
        tables.Field("counts", None, "win/tie/loss", [f"{r.wins}/{r.ties}/{r.losses}" for r in rows]),
        column("verdict", visible=False),
    )


# -- sentences ------------------------------------------------------------------------------------


def _build_sentence_table(result: Trend) -> tables.ResultTable:
    """Build a table with a sentence per test of the last night."""
    column = tables.bind_rows(result.tonight)
    return tables.build_table(
        "sentences",
        "",
        *tables.build_columns(column, "measure", "run", visible=False, key=True),
        column("sentence", lambda row: write_sentence(result, row)),
    )


def write_answer(result: Trend, summary: bool = False) -> str:
    """Return the answer: a sentence per test, or for many tests the number of differences."""
    rows = result.tonight
    if len(rows) <= _MAX_SENTENCES:
        write = _write_verdict if summary else write_sentence
        return "\n".join(write(result, row) for row in rows)
    different = [row for row in rows if row.verdict]
    listed = [f"{row.run} by {row.measure} {row.verdict}" for row in different[:_MAX_SENTENCES]]
    more = [f"{len(different) - _MAX_SENTENCES} more"] if len(different) > _MAX_SENTENCES else []
    names = f": {', '.join([*listed, *more])}" if different else ""
    return f"{result.names[-1]}: {len(different)} of {len(rows)} series differ significantly{names}."


def write_sentence(result: Trend, row: NightDifference) -> str:
    """Write a sentence with all numbers to report about a test of a night."""
    night = next(x for x in result.nights if (x.measure, x.run, x.night) == (row.measure, row.run, row.night))
    pvalue = math.nan if row.pvalue is None else row.pvalue
    confidence = tables.format_percent(1 - result.alpha)
    parts = [
        f"{_describe_verdict(result, row)}: mean {_format_mean(night)}, difference "
        f"{tables.format_difference(row.difference)}, {confidence} interval of this night "
        f"{tables.format_interval(row.low, row.high, '+')}, {format_p_statement(format_p(pvalue))} "
        f"(corrected for {format_count(row.look or 0, 'look')})"
    ]
    previous = result.find(row.measure, row.run, row.night, "previous")
    if previous is not None and describe_reference(result, row.reference, row.night) != "the previous night":
        parts.append(f"from the previous night {_format_row_difference(previous)}")
    return f"{'; '.join(parts)}; better on {row.wins} and worse on {format_count(row.losses, 'topic')}."


def _write_verdict(result: Trend, row: NightDifference) -> str:
    """Write the verdict of a test without numbers."""
    return f"{_describe_verdict(result, row)}."


def _describe_verdict(result: Trend, row: NightDifference) -> str:
    subject = f"{row.run} on {row.night}" if len(result.runs) > 1 else row.night
    is_different = row.pvalue is not None and row.pvalue <= result.alpha
    relation = "significantly different from" if is_different else "not significantly different from"
    relation = f"significantly {row.verdict} than" if row.verdict else relation
    return f"{subject} is {relation} {describe_reference(result, row.reference, row.night)} by {row.measure}"


def _format_mean(row: NightScore) -> str:
    return f"{format_number(row.mean)} {tables.format_interval(row.low, row.high)}"
