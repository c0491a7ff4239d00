"""How far a judge can be trusted, as tables: in brief, runs, pairs, agreement, favour."""

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
from cranfield.stats.result import format_p
from cranfield.tables import FLAT, Field, ResultTable
from cranfield.wording import format_count, format_number

TABLES = ("trust", "runs", "pairs", "agreement", "levels", "topics", "favour")
DRAWN_UNITS = ("document", "nugget", "citation")  # units that were drawn one by one
PARTIAL_UNITS = ("answer", "ranking", "score")  # units of which people labelled some of each run
_MAX_PAIRS = 15  # of runs, that are shown if nobody asks for them


def build_tables(result: JudgeReport) -> list[ResultTable]:
    """Every table there is."""
    table_list = [_build_trust_table(result), _build_run_table(result)]
    if result.pairs:
        table_list.append(_build_pair_table(result))
    if result.agreement is not None:
        unit = (result.of or "documents").rstrip("s")
        table_list += [
            _build_agreement_table(result.agreement, unit),
            _build_level_table(result.agreement, unit),
        ]
        if result.agreement.topics:
            table_list.append(_build_topic_table(result.agreement, unit))
    if result.favours:
        table_list.append(_build_favour_table(result))
    return table_list


def select_tables(result: JudgeReport, format: str) -> tuple[str, ...]:
    """What is shown if nothing is asked for: pairs only if they are few."""
    if format in FLAT:
        return ("runs",)
    show_pairs = format == "json" or len(result.pairs) <= _MAX_PAIRS
    return tuple(name for name in TABLES if show_pairs or name != "pairs")


def build_settings(result: JudgeReport) -> dict[str, Any]:
    """What was done, for programs."""
    names = "unit", "alpha", "correction", "confidence", "drawn", "target"
    return {"names": list(result.names), **tables.read_settings(result, *names)}


def _has_several(report: JudgeReport) -> tuple[bool, bool]:
    """Whether there are several judges, and several measures."""
    return (
        len({trust.judge for trust in report.trusts}) > 1,
        len({trust.measure for trust in report.trusts}) > 1,
    )


def _build_key_columns(report: JudgeReport, column: Callable[..., Field]) -> list[Field]:
    """The judge and the measure: people see them where there are several."""
    judges, measures = _has_several(report)
    return [
        column("judge", visible=judges, key=True),
        column("measure", visible=measures, key=True),
    ]


def _build_trust_table(report: JudgeReport) -> ResultTable:
    column = tables.bind_rows(report.trusts)
    paired, has_target = bool(report.pairs), report.target is not None
    caption = (
        f"{report.unit.capitalize()}s judged by people and by the judge alone; how many of people's "
        "alone would tell as much (n_eff: of scores, of differences; medians). By trusting the "
        "judge alone: its bias (mean, and the largest) and the runs that are at another rank"
    )
    if paired:
        caption += (
            "; pairs of runs that differ significantly by it, and how many of these judge and "
            "people together do not confirm, or reverse, and which ones it misses "
            f"({CORRECTIONS[report.correction].title}, α = {report.alpha:g})"
        )
    pair_options = {"visible": paired}
    sheet = tables.build_table(
        "trust",
        f"{caption}{_describe_target(report)}.",
        *_build_key_columns(report, column),
        column("n", head="people"),
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
    lines += [
        _describe_needed(x, report.target) for x in report.trusts if report.target is not None
    ]
    return ResultTable(sheet.name, sheet.fields, sheet.caption, lines=lines)


def _describe_needed(trust: Trust, target: float) -> str:
    """How many labels all intervals need, or the reason why there is no number."""
    target_text = f"for ±{target:g} by {trust.measure}"
    if trust.needed is None:
        return f"{target_text} there is no number of {trust.unit}s: {trust.why_not}"
    return f"{target_text} people have to judge {format_count(trust.needed, trust.unit)} in all"


def _skip_nan(text: Callable[[float], str]) -> Callable[[float], str]:
    """A number as text, a dash if it is not known."""
    return lambda x: "–" if math.isnan(x) else text(x)


def _format_count(x: float) -> str:
    """A number of topics, which need not be whole."""
    return "–" if math.isnan(x) else f"{x:,.1f}"


def _build_run_table(report: JudgeReport) -> ResultTable:
    column, rows = tables.bind_rows(report.runs), [row.found for row in report.runs]
    several_runs = len({row.run for row in report.runs}) > 1
    return tables.build_table(
        "runs",
        f"{_describe_estimates(report)} of runs by judge and people together, by people alone and by the judge "
        "alone, which is too high by its bias on what people judged; n_eff: how many "
        f"{report.unit}s people alone would have to judge{_describe_weight(report)}"
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
        column(
            "weight", "found.weight", head="λ", visible=report.unit not in DRAWN_UNITS, dtype=float
        ),
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
    only_wide = any(
        row.low is None and row.wide_low is not None and not _has_too_few(row) for row in rows
    )
    return "; the second interval is for other topics, too" + (
        ", the only one by measures that are no sums" if only_wide else ""
    )


def _has_too_few(row: Estimate) -> bool:
    return row.unpromised in map(format_too_few, DRAWN_UNITS)


def _describe_doubt(rows: Sequence[Estimate]) -> str:
    doubtful = any(_is_doubtful(row, row.low) or _is_doubtful(row, row.wide_low) for row in rows)
    return "; ? an interval that is not promised to hold" if doubtful else ""


def _describe_weight(report: JudgeReport) -> str:
    return "" if report.unit in DRAWN_UNITS else "; λ: how far the judge is used"


def _describe_target(report: JudgeReport) -> str:
    if report.target is None:
        return ""
    in_all = f"; needed: {report.unit}s of people in all for ±{report.target:g}"
    return f"{in_all}, – for the reason in the notes"


def _build_estimate_columns(
    report: JudgeReport, rows: Sequence[Estimate], text: Callable[[float], str], sign: str
) -> Iterator[Field]:
    """The estimate, its standard error and its interval; perhaps that for other topics, too."""
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
    """Whether an interval is there, and not promised; if documents are too few for one of these
    topics, that for others is as good as ever.
    """
    return bool(row.unpromised) and end is not None and not _has_too_few(row)


def _format_interval(row: Estimate, low: float | None, high: float | None, sign: str) -> str:
    return tables.format_interval(low, high, sign) + (" ?" if _is_doubtful(row, low) else "")


def _build_bias_columns(rows: Sequence[Estimate]) -> list[Field]:
    """The interval of the bias, and its p-value, for programs."""
    return tables.build_columns(
        tables.bind_rows(rows), "bias_low", "bias_high", "bias_pvalue", visible=False, dtype=float
    )


def _build_needed_columns(report: JudgeReport, rows: Sequence[Estimate]) -> list[Field]:
    return [tables.bind_rows(rows)("needed", visible=report.target is not None, dtype=int)]


def _build_pair_table(report: JudgeReport) -> ResultTable:
    column, rows = tables.bind_rows(report.pairs), [row.found for row in report.pairs]
    return tables.build_table(
        "pairs",
        "Differences of runs by judge and people together, each with a weight of the judge of its "
        "own, and by the judge alone; and what the first says of one that the second finds "
        "significant "
        f"({CORRECTIONS[report.correction].title}, α = {report.alpha:g}){_describe_wide_interval(report)}"
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
    """p-values, with a star at those that are significant."""
    values = [*map(attrgetter(name), report.pairs)]
    stars = ["*" if p <= report.alpha else "" for p in values]
    texts = ["–" if math.isnan(p) else format_p(p) for p in values]
    return Field(name, values, head, texts, marks=stars if any(stars) else ())


# -- agreement ------------------------------------------------------------------------------------


def _build_agreement_table(agreement: Agreement, unit: str) -> ResultTable:
    column = tables.bind_rows(agreement.pairs)
    return tables.build_table(
        "agreement",
        f"Who agrees with whom, on the {unit}s that both labelled, of "
        f"{format_count(agreement.items, unit)} that at least two did. Krippendorff's ordinal α of "
        f"all: {format_number(agreement['alpha_ordinal'])}.",
        *_build_assessor_columns(column),
        column("items", head=f"{unit}s"),
        *(column(name, lambda pair, x=name: pair.values[x], TITLES[name]) for name in PAIRWISE),
    )


def _build_assessor_columns(column: Callable[..., Field], part: str = "assessors") -> list[Field]:
    """Who and whom."""
    return [
        column("judge", lambda pair: attrgetter(part)(pair)[0], "who", key=True),
        column("other", lambda pair: attrgetter(part)(pair)[1], "whom", key=True),
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
        f"The same by level: how many {unit}s each of the two put there, how many both, and the "
        "share of agreement, 2·both/(first + second).",
        column("judge", lambda row: row[0][0], "who", key=True),
        column("other", lambda row: row[0][1], "whom", key=True),
        column("level", lambda row: row[1], key=True),
        column("first", lambda row: row[2]),
        column("second", lambda row: row[3]),
        column("both", lambda row: row[4]),
        column("agreement", lambda row: row[5], dtype=float),
    )


def _count_level(confusion: Any, k: int) -> tuple[int, int, int, float | None]:
    """By the first, by the second, by both, and the share of agreement."""
    first, second, together = confusion[k].sum(), confusion[:, k].sum(), confusion[k, k]
    share = float(2 * together / (first + second)) if first + second else None
    return int(first), int(second), int(together), share


def _build_topic_table(agreement: Agreement, unit: str) -> ResultTable:
    rows = [
        (topic, pair)
        for topic, topic_agreement in agreement.topics.items()
        for pair in topic_agreement.pairs
    ]
    topic_column, column = (
        tables.bind_rows([row[0] for row in rows]),
        tables.bind_rows([row[1] for row in rows]),
    )
    return tables.build_table(
        "topics",
        "The same by topic; nan where a coefficient is undefined.",
        topic_column("topic", lambda topic: topic, key=True),
        *_build_assessor_columns(column),
        column("items", head=f"{unit}s"),
        *(column(name, lambda pair, x=name: pair.values[x], TITLES[name]) for name in PAIRWISE),
    )


def _build_favour_table(report: JudgeReport) -> ResultTable:
    column = tables.bind_rows(report.favours)
    pvalues = [row.pvalue for row in report.favours]
    stars = ["*" if p is not None and p <= report.alpha else "" for p in pvalues]
    texts = ["–" if p is None else format_p(p) for p in pvalues]
    return tables.build_table(
        "favour",
        "How much more the judge gives the runs of a team than all other runs, beyond what people "
        "give them: its bias there, less its bias on the others, with a "
        f"{tables.format_percent(report.confidence)} interval over what people judged. p of the judge's "
        "own family is as it is, those of other teams are corrected "
        f"({CORRECTIONS[report.correction].title}). * p ≤ α.",
        *_build_key_columns(report, column),
        column("team", key=True),
        column("own", head="own family"),
        column("runs"),
        column("favour", text=_skip_nan(tables.format_difference)),
        *tables.build_interval_columns(report.favours, report.confidence, "+"),
        Field("pvalue", pvalues, "p", texts, marks=stars if any(stars) else (), dtype=float),
    )
