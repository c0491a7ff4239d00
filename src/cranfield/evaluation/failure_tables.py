"""Tables of hard topics: hardest, divisive and deciding topics, reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from cranfield import tables
from cranfield.evaluation.failures import BUCKETS, MIN_CHANGE, HardTopics, Result, Topic
from cranfield.measures.bounds import has_outer_bounds
from cranfield.measures.grammar import parse_measure
from cranfield.scores.slices import build_slice_table
from cranfield.tables import Field, ResultTable
from cranfield.wording import format_count, format_number

_MAX_RUN_COLUMNS = 3  # runs with a column each

REASONS = {
    "not answered": "the run has no ranking for the topic",
    "none found": "the ranking has no relevant document",
    "cut off": "the ranking has relevant documents, but only below the cutoff",
    "ranked low": "no other reason applies",
}
REASONS_FOR_RUNS = {
    "ties": "with another order of tied documents, the run could be as good as the best run",
    "unjudged": "depending on unjudged documents, the run could be as good as the best run",
}
REASONS_FOR_RUN = {
    "ties": f"other orders of tied documents change the score by more than {MIN_CHANGE:g}",
    "unjudged": f"unjudged documents could change the score by more than {MIN_CHANGE:g}",
}


def explain_reasons(hard_topics: HardTopics) -> dict[str, str]:
    """Return the meaning of each reason for which a run fails."""
    unknown = {} if hard_topics.bounded else {"unjudged": f"not computed for {hard_topics.measure}"}
    return REASONS | (REASONS_FOR_RUNS if len(hard_topics.runs) > 1 else REASONS_FOR_RUN) | unknown


def build_tables(result: HardTopics, top: int) -> list[ResultTable]:
    """Build all tables, of the `top` topics and of all topics."""
    table_list = [_build_hardest_table(result, top)]
    table_list += [_build_divisive_table(result, top)] if len(result.runs) > 1 else []
    table_list += [_build_deciding_table(result, top)] if len(result.runs) == 2 else []
    slices = [build_slice_table(result.slices, several_measures=False)] if result.slices else []
    return [*table_list, _build_tally_table(result), *slices, _build_result_table(result)]


# -- topics ---------------------------------------------------------------------------------------


def _describe_selection(hard_topics: HardTopics, rows: Sequence[Any], kind: str) -> str:
    """Start a caption: the number and kind of topics shown."""
    count = f"{len(rows):,} " if len(rows) > 1 else ""
    return f"The {count}{kind} of {format_count(len(hard_topics.topics), 'topic')} by"


def _build_topic_columns(hard_topics: HardTopics, rows: Sequence[Topic], *hidden: str) -> list[Field]:
    """Build the columns of topics. The `hidden` ones are machine-readable only."""
    column = tables.bind_rows(rows)
    attributes = [
        Field(f"slice_{name}", [values[row.topic] for row in rows], name)
        for name, values in hard_topics.attributes.items()
    ]
    columns = [column("topic", key=True), *attributes, *tables.build_columns(column, "relevant", "mean", "sd")]
    for end in ("best", "worst"):
        runs = [getattr(row, f"{end}_runs") for row in rows]
        run_texts = [names[0] if len(names) == 1 else format_count(len(names), "run") for names in runs]
        columns += [column(end), Field(f"{end}_run", [*map(" ".join, runs)], texts=run_texts)]
    return [replace(field, visible=field.name not in hidden) for field in columns]


def _build_hardest_table(hard_topics: HardTopics, top: int) -> ResultTable:
    rows = hard_topics.hardest(top)
    few_runs, several_runs = len(hard_topics.runs) <= _MAX_RUN_COLUMNS, len(hard_topics.runs) > 1
    hidden = ["sd", "best_run", "worst", "worst_run", *(["best"] if few_runs else [])]
    columns = _build_topic_columns(hard_topics, rows, *hidden, *([] if several_runs else ["mean"]))
    columns += (
        _build_score_columns(hard_topics, rows)
        if few_runs
        else [Field("why", None, texts=[*map(_format_reasons, rows)])]
    )
    subject = (
        f"mean {hard_topics.measure} over {format_count(len(hard_topics.runs), 'run')}"
        if several_runs
        else hard_topics.measure
    )
    as_hard = hard_topics.count_tied(top)
    as_hard_text = f" ({format_count(as_hard, 'more topic')} as hard as the last one)" if as_hard else ""
    better = "no other run scores higher" if several_runs else "the ideal ranking scores no higher"
    text = f"{_describe_selection(hard_topics, rows, 'hardest')} {subject}{as_hard_text}"
    legend = f"Why: main reason for the low score. –: {better}."
    return ResultTable("hardest", columns, f"{text}. {legend}")


def _build_score_columns(hard_topics: HardTopics, rows: Sequence[Topic]) -> list[Field]:
    """Build columns of scores and reasons by run.

    For a single run, a column counts the retrieved relevant documents.
    """
    columns = []
    for run in hard_topics.runs:
        results = [row.result_of(run) for row in rows]
        if len(hard_topics.runs) == 1:
            columns.append(_build_number_column("found", [f"{result.found:,}" for result in results]))
        columns.append(_build_number_column(run, [format_number(result.score) for result in results]))
        columns.append(Field(f"why {run}", None, "why", [*map(_format_reason, results)], group=run))
    return columns


def _build_number_column(name: str, texts: list[str]) -> Field:
    return Field(name, None, texts=texts, group=name, dtype=float)


def _format_reason(result: Result) -> str:
    return result.bucket or "–"


def _format_reasons(topic: Topic) -> str:
    """Return the number of failing runs by reason."""
    return ", ".join(f"{count} {bucket}" for bucket, count in topic.buckets.items()) or "–"


def _build_divisive_table(hard_topics: HardTopics, top: int) -> ResultTable:
    rows = hard_topics.divisive(top)
    reasons = [_format_reason(row.result_of(row.worst_runs[0])) for row in rows]
    runs = format_count(len(hard_topics.runs), "run")
    text = (
        f"{_describe_selection(hard_topics, rows, 'most divisive')} standard deviation (sd) of "
        f"{hard_topics.measure} over {runs}. Why: main reason for the low score of the worst run."
    )
    columns = [*_build_topic_columns(hard_topics, rows, "relevant", "mean"), Field("why", None, texts=reasons)]
    return ResultTable("divisive", columns, text if rows else _describe_equal_runs(hard_topics))


def _describe_equal_runs(hard_topics: HardTopics) -> str:
    """Return the caption for runs that do not differ on any topic."""
    return f"All runs have equal scores on each of {format_count(len(hard_topics.topics), 'topic')}."


def _build_deciding_table(hard_topics: HardTopics, top: int) -> ResultTable:
    rows, (first, second) = hard_topics.deciding(top), hard_topics.runs
    column = tables.bind_rows(rows)
    bounds = [tables.format_interval(row.low, row.high, "+") for row in rows]
    text = (
        f"{_describe_selection(hard_topics, rows, 'most decisive')} absolute difference "
        f"{first} − {second} in {hard_topics.measure}. {_describe_decision(hard_topics)} "
        "Share: fraction of the sum of all absolute differences. "
        f"{_describe_bounds(hard_topics)}Why: main reason for the low score of the worse run."
    )
    return tables.build_table(
        "deciding",
        text if rows else _describe_equal_runs(hard_topics),
        column("topic", key=True),
        *tables.build_columns(column, "run", "other", "relevant", visible=False),
        column("score", head=first),
        column("other_score", head=second),
        column("difference", text=tables.format_difference),
        column("share", text="{:.1%}".format),
        *tables.build_columns(column, "low", "high", visible=False, dtype=float),
        Field("unjudged", None, "unjudged allow", bounds, visible=hard_topics.bounded),
        column("bucket", head="why"),
    )


def _describe_bounds(hard_topics: HardTopics) -> str:
    if not hard_topics.bounded:
        return ""
    if has_outer_bounds(parse_measure(hard_topics.measure)):
        return "Unjudged allow: outer bounds of the difference, which may be unreachable. "
    return "Unjudged allow: minimum and maximum of the difference over all labels. "


def _describe_decision(hard_topics: HardTopics) -> str:
    """Name the better of two runs, and the number of topics that decide it."""
    topic_count, (first, second) = hard_topics.decided_by(), hard_topics.runs
    mean = float(hard_topics.differences.mean())
    if not topic_count:
        return "The means are equal."
    better = first if (mean > 0) == (hard_topics.better == "higher") else second
    sentence = f"The mean of {better} is better by {format_number(abs(mean))}"
    topics = format_count(topic_count, "topic")
    return f"{sentence}, but not without the {topics} that favour it most."


# -- runs -----------------------------------------------------------------------------------------


def _build_tally_table(hard_topics: HardTopics) -> ResultTable:
    counts, unknown, reason_texts = (
        hard_topics.tally(),
        () if hard_topics.bounded else ("unjudged",),
        explain_reasons(hard_topics),
    )
    columns = [Field("run", hard_topics.runs, key=True)]
    for bucket in (*BUCKETS, None):
        values = [counts[run][bucket] for run in hard_topics.runs]
        column = Field(bucket or "no failure", values, bucket or "–")
        empty_column = replace(column, values=[None] * len(values), dtype=float)
        columns.append(empty_column if bucket in unknown else column)
    topics = format_count(len(hard_topics.topics), "topic")
    text = f"number of {topics} on which a run fails by {hard_topics.measure}, by the first reason that applies"
    legend = [*(f"{x}: {reason_texts[x]}" for x in BUCKETS), "–: the run does not fail"]
    return ResultTable("tally", columns, text, lines=legend)


def _build_result_table(hard_topics: HardTopics) -> ResultTable:
    column = tables.bind_rows(hard_topics.results)
    text = f"Scores by {hard_topics.measure} and reasons of failures, by run and topic."
    types = {name: str if name in ("other", "bucket") else float for name in _NULLABLE_FIELDS}
    columns = [column(x.name, key=x.name in ("topic", "run"), dtype=types.get(x.name)) for x in fields(Result)]
    return ResultTable("results", columns, text)


_NULLABLE_FIELDS = (
    *("unjudged_low", "unjudged_high", "other", "difference", "difference_low"),
    *("difference_high", "bucket"),
)  # fields that can be None
