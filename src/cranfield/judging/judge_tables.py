"""Tables of a judge: summary, runs, pairs, agreement and favours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from cranfield import tables
from cranfield.assess.agreement import PAIRWISE, TITLES, Agreement
from cranfield.judging.estimates import Estimate, format_too_few
from cranfield.judging.judge import JudgeReport, Trust
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.tables import build_optional_p_column
from cranfield.tables import FLAT, Field, ResultTable
from cranfield.wording import format_count, format_number

TABLES = ("trust", "runs", "pairs", "agreement", "levels", "topics", "favour")
DRAWN_UNITS = ("document", "nugget", "citation")  # units drawn individually
PARTIAL_UNITS = ("answer", "ranking", "score")  # units of which only some of each run have human labels
_MAX_PAIRS = 15  # pairs of runs shown by default


def build_tables(result: JudgeReport) -> list[ResultTable]:
    table_list = [_build_trust_table(result), _build_run_table(result)]
    if result.pairs:
        table_list.append(_build_pair_table(result))
    if result.agreement is not None:
        unit = (result.of or "documents").rstrip("s")
        table_list += [_build_agreement_table(result.agreement, unit), _build_level_table(result.agreement, unit)]
        if result.agreement.topics:
            table_list.append(_build_topic_table(result.agreement, unit))
    if result.favours:
        table_list.append(_build_favour_table(result))
    return table_list


def select_tables(result: JudgeReport, format: str) -> tuple[str, ...]:
    """Return the default tables of a format: pairs only if there are few."""
    if format in FLAT:
        return ("runs",)
    show_pairs = format == "json" or len(result.pairs) <= _MAX_PAIRS
    return tuple(name for name in TABLES if show_pairs or name != "pairs")


def build_settings(result: JudgeReport) -> dict[str, Any]:
    names = "unit", "alpha", "correction", "confidence", "drawn", "target"
    return {"names": list(result.names), **tables.read_settings(result, *names)}


def _has_several(report: JudgeReport) -> tuple[bool, bool]:
    """Return whether there are several judges, and several measures."""
    return (len({trust.judge for trust in report.trusts}) > 1, len({trust.measure for trust in report.trusts}) > 1)


def _build_key_columns(report: JudgeReport, column: Callable[..., Field]) -> list[Field]:
    """Build the columns of judge and measure, visible if there are several."""
    judges, measures = _has_several(report)
    return [column("judge", visible=judges, key=True), column("measure", visible=measures, key=True)]


def _build_trust_table(report: JudgeReport) -> ResultTable:
    column = tables.bind_rows(report.trusts)
    paired, has_target = bool(report.pairs), report.target is not None
    caption = (
        f"{report.unit.capitalize()}s with human labels (human) and with judge labels only (judge "
        "only). n_eff: human labels that would be as precise without the judge (scores, "
        "differences; medians). If only the judge is used: bias (mean and largest), runs with "
        "another rank (moved)"
    )
    if paired:
        caption += (
            ", significant pairs, and the numbers of these that the estimates do not confirm or "
            "reverse, and of significant pairs that it misses "
            f"({CORRECTIONS[report.correction].title}, α = {report.alpha:g})"
        )
    pair_options = {"visible": paired}
    sheet = tables.build_table(
        "trust",
        f"{caption}{_describe_target(report)}.",
        *_build_key_columns(report, column),
        column("n", head="human"),
        column("others", head="judge only"),
        column("n_eff", head="n_eff", text=_format_count, dtype=float),
        column("n_eff_pairs", head="n_eff diff.", text=_format_count, dtype=float, **pair_options),
        column("mean_bias", head="bias", text=tables.format_difference),
        column("largest_bias", head="largest", text=tables.format_difference),
        column("moved", **pair_options),
        column("tau", head="τ", dtype=float, **pair_options),
        column("significant", **pair_options),
        column("unconfirmed", **pair_options),
        column("reversed", **pair_options),
        column("missed", **pair_options),
        column("needed", visible=has_target, dtype=int),
        column("why_not", visible=False),
        column("sentence", visible=False),
    )
    lines = [x.sentence for x in report.trusts]
    lines += [_describe_needed(x, report.target) for x in report.trusts if report.target is not None]
    return ResultTable(sheet.name, sheet.fields, sheet.caption, lines=lines)


def _describe_needed(trust: Trust, target: float) -> str:
    """Format the number of labels that all intervals need, or the reason."""
    target_text = f"for ±{target:g} by {trust.measure}"
    if trust.needed is None:
        return f"{target_text}, the number of {trust.unit}s is unknown: {trust.why_not}"
    return f"{target_text}, {format_count(trust.needed, trust.unit)} need human labels in total"


def _skip_nan(text: Callable[[float], str]) -> Callable[[float], str]:
    """Return the formatting function with a dash for unknown values."""
    return lambda x: "–" if math.isnan(x) else text(x)


def _format_count(x: float) -> str:
    """Format an effective number of units, which can have a fraction."""
    return "–" if math.isnan(x) else f"{x:,.1f}"


def _build_run_table(report: JudgeReport) -> ResultTable:
    column, rows = tables.bind_rows(report.runs), [row.found for row in report.runs]
    several_runs = len({row.run for row in report.runs}) > 1
    return tables.build_table(
        "runs",
        f"{_describe_estimates(report)} of runs from judge and human labels, from human labels "
        "only and from the judge only, with the bias of the judge on units with human labels. "
        f"n_eff: {report.unit}s with human labels needed without the judge"
        f"{_describe_weight(report)}"
        f"{_describe_wide_interval(report)}{_describe_doubt(rows)}{_describe_target(report)}.",
        *_build_key_columns(report, column),
        column("run", key=True),
        *_build_estimate_columns(report, rows, _skip_nan(format_number), ""),
        column("people", "found.people", text=_skip_nan(format_number)),
        column("people_error", "found.people_error", visible=False),
        column("alone", "found.alone", head="judge", text=_skip_nan(format_number)),
        column("bias", "found.bias", text=_skip_nan(tables.format_difference)),
        *_build_bias_columns(rows),
        column("n_eff", "found.n_eff", head="n_eff", text=_format_count),
        column("weight", "found.weight", head="λ", visible=report.unit not in DRAWN_UNITS, dtype=float),
        column("rank", visible=several_runs, dtype=int),
        column("alone_rank", head="rank by judge", visible=several_runs, dtype=int),
        *_build_needed_columns(report, rows),
        column("n", "found.n", head=f"{report.unit}s", visible=report.unit in PARTIAL_UNITS),
    )


def _describe_estimates(report: JudgeReport) -> str:
    topics = ", for these topics," if report.unit in DRAWN_UNITS else ""
    return f"Estimates{topics}"


def _describe_wide_interval(report: JudgeReport) -> str:
    if report.unit not in DRAWN_UNITS:
        return ""
    rows = [row.found for row in report.runs]
    only_wide = any(row.low is None and row.wide_low is not None and not _has_too_few(row) for row in rows)
    return ". The second interval also holds for other topics" + (
        ", the only one for measures that are not sums" if only_wide else ""
    )


def _has_too_few(row: Estimate) -> bool:
    return row.unpromised in map(format_too_few, DRAWN_UNITS)


def _describe_doubt(rows: Sequence[Estimate]) -> str:
    doubtful = any(_is_doubtful(row, row.low) or _is_doubtful(row, row.wide_low) for row in rows)
    return ". ?: interval that may not hold" if doubtful else ""


def _describe_weight(report: JudgeReport) -> str:
    return "" if report.unit in DRAWN_UNITS else ". λ: weight of the judge"


def _describe_target(report: JudgeReport) -> str:
    if report.target is None:
        return ""
    needed = f". needed: total {report.unit}s with human labels for ±{report.target:g}"
    return f"{needed} (–: see the notes)"


def _build_estimate_columns(
    report: JudgeReport, rows: Sequence[Estimate], text: Callable[[float], str], sign: str
) -> Iterator[Field]:
    """Build the columns of the estimate, its standard error and its intervals."""
    column = tables.bind_rows(rows)
    yield column("estimate", head="difference" if sign else "estimate", text=text)
    yield column("error", visible=False)
    yield from tables.build_columns(column, "low", "high", visible=False, dtype=float)
    ends = [_format_interval(x, x.low, x.high, sign) for x in rows]
    yield Field("interval", None, f"{tables.format_percent(report.confidence)} interval", ends)
    wide = report.unit in DRAWN_UNITS
    yield from tables.build_columns(column, "wide_low", "wide_high", visible=False, dtype=float)
    wide_intervals = [_format_interval(x, x.wide_low, x.wide_high, sign) for x in rows]
    yield Field("wide_interval", None, "of other topics", wide_intervals, visible=wide)
    yield column("promised", lambda x: not x.unpromised, visible=False)
    yield column("unpromised", visible=False)


def _is_doubtful(row: Estimate, end: float | None) -> bool:
    """Return True if an interval exists but may not hold.

    Too few documents affect only the interval for these topics, not the interval for other topics.
    """
    return bool(row.unpromised) and end is not None and not _has_too_few(row)


def _format_interval(row: Estimate, low: float | None, high: float | None, sign: str) -> str:
    return tables.format_interval(low, high, sign) + (" ?" if _is_doubtful(row, low) else "")


def _build_bias_columns(rows: Sequence[Estimate]) -> list[Field]:
    """Build the machine-readable columns of the interval of the bias and its p-value."""
    return tables.build_columns(
        tables.bind_rows(rows), "bias_low", "bias_high", "bias_pvalue", visible=False, dtype=float
    )


def _build_needed_columns(report: JudgeReport, rows: Sequence[Estimate]) -> list[Field]:
    return [tables.bind_rows(rows)("needed", visible=report.target is not None, dtype=int)]


def _build_pair_table(report: JudgeReport) -> ResultTable:
    column, rows = tables.bind_rows(report.pairs), [row.found for row in report.pairs]
    return tables.build_table(
        "pairs",
        "Differences of runs from judge and human labels, each with its own weight of the judge, "
        "and by the judge only. Verdict: result of the estimate for differences that are "
        f"significant by the judge only ({CORRECTIONS[report.correction].title}, α = "
        f"{report.alpha:g}){_describe_wide_interval(report)}"
        f"{_describe_doubt(rows)}{_describe_target(report)}. * p ≤ α.",
        *_build_key_columns(report, column),
        column("run", key=True),
        column("other", key=True),
        *_build_estimate_columns(report, rows, _skip_nan(tables.format_difference), "+"),
        _build_p_column(report, "pvalue", "p"),
        column("people", "found.people", text=tables.format_difference, visible=False),
        column("people_error", "found.people_error", visible=False),
        column("alone", "found.alone", head="judge", text=_skip_nan(tables.format_difference)),
        _build_p_column(report, "alone_pvalue", "p of judge"),
        column("bias", "found.bias", visible=False),
        *_build_bias_columns(rows),
        column("n_eff", "found.n_eff", head="n_eff", text=_format_count),
        column("weight", "found.weight", visible=False, dtype=float),
        column("verdict"),
        *_build_needed_columns(report, rows),
        column("n", "found.n", visible=False),
    )


def _build_p_column(report: JudgeReport, name: str, head: str) -> Field:
    pvalues = [*map(attrgetter(name), report.pairs)]
    return build_optional_p_column(pvalues, report.alpha, name, head)


# -- agreement ------------------------------------------------------------------------------------


def _build_agreement_table(agreement: Agreement, unit: str) -> ResultTable:
    column = tables.bind_rows(agreement.pairs)
    return tables.build_table(
        "agreement",
        f"Agreement of two assessors on {unit}s labelled by both, of "
        f"{format_count(agreement.items, unit)} with at least two labels. Krippendorff's ordinal α "
        f"of all: {format_number(agreement['alpha_ordinal'])}.",
        *_build_assessor_columns(column),
        column("items", head=f"{unit}s"),
        *(column(name, lambda pair, x=name: pair.values[x], TITLES[name]) for name in PAIRWISE),
    )


def _build_assessor_columns(column: Callable[..., Field], part: str = "assessors") -> list[Field]:
    """Build the columns of the two assessors."""
    return [
        column("judge", lambda pair: attrgetter(part)(pair)[0], "assessor", key=True),
        column("other", lambda pair: attrgetter(part)(pair)[1], "other", key=True),
    ]


def _build_level_table(agreement: Agreement, unit: str) -> ResultTable:
    rows = [
        (pair.assessors, label, *_count_level(pair.confusion, k))
        for pair in agreement.pairs
        for k, label in enumerate(agreement.labels)
    ]
    column = tables.bind_rows(rows)
    return tables.build_table(
        "levels",
        f"Agreement by level: {unit}s with this level by the first, by the second and by both, and "
        "the fraction of agreement, 2·both/(first + second).",
        column("judge", lambda row: row[0][0], "assessor", key=True),
        column("other", lambda row: row[0][1], "other", key=True),
        column("level", lambda row: row[1], key=True),
        column("first", lambda row: row[2]),
        column("second", lambda row: row[3]),
        column("both", lambda row: row[4]),
        column("agreement", lambda row: row[5], dtype=float),
    )


def _count_level(confusion: Any, k: int) -> tuple[int, int, int, float | None]:
    """Count a level by the first, by the second, by both, and the agreement fraction."""
    first, second, together = confusion[k].sum(), confusion[:, k].sum(), confusion[k, k]
    share = float(2 * together / (first + second)) if first + second else None
    return int(first), int(second), int(together), share


def _build_topic_table(agreement: Agreement, unit: str) -> ResultTable:
    rows = [(topic, pair) for topic, topic_agreement in agreement.topics.items() for pair in topic_agreement.pairs]
    topic_column, column = (tables.bind_rows([row[0] for row in rows]), tables.bind_rows([row[1] for row in rows]))
    return tables.build_table(
        "topics",
        "Agreement by topic. nan: undefined coefficient.",
        topic_column("topic", lambda topic: topic, key=True),
        *_build_assessor_columns(column),
        column("items", head=f"{unit}s"),
        *(column(name, lambda pair, x=name: pair.values[x], TITLES[name]) for name in PAIRWISE),
    )


def _build_favour_table(report: JudgeReport) -> ResultTable:
    column = tables.bind_rows(report.favours)
    return tables.build_table(
        "favour",
        "Favour of the judge for the runs of a team: its bias on these runs minus its bias on all "
        f"other runs, with a {tables.format_percent(report.confidence)} interval over units with "
        "human labels. p-values of the judge's own family are uncorrected, those of other teams "
        f"corrected ({CORRECTIONS[report.correction].title}). * p ≤ α.",
        *_build_key_columns(report, column),
        column("team", key=True),
        column("own", head="own family"),
        column("runs"),
        column("favour", text=_skip_nan(tables.format_difference)),
        *tables.build_interval_columns(report.favours, report.confidence, "+"),
        build_optional_p_column([row.pvalue for row in report.favours], report.alpha),
    )
