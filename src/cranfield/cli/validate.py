"""`cranfield validate`: list every problem of a file, with its line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from cranfield.cli.options import (
    COLUMNS,
    LABELS,
    RUN_NAMES,
    SEPARATOR,
    build_format_option,
    build_topics_option,
)
from cranfield.cli.output import build_output_options, show
from cranfield.data.answers import MAX_CITATIONS, MAX_WORDS, AnswerLimits
from cranfield.data.reading.columns import read_columns
from cranfield.data.reading.formats import FORMATS, RUN_FORMATS
from cranfield.data.reading.labels import read_labels
from cranfield.data.reading.records import Problem, ReadOptions
from cranfield.data.validate import ANSWERS, Report, check_file, validate
from cranfield.options import argument, option, switch
from cranfield.report.listing import Listing
from cranfield.wording import format_count

READERS = {  # of files that are neither judgments nor runs: the functions of the commands
    **{name: f"judged_answers.{read.__name__}" for name, read in ANSWERS.items()},
    "answers": "answers.read_answers",
    "texts": "texts.read_texts",
    "text-nuggets": "texts.read_nuggets",
    "matches": "texts.read_matches",
    "impressions": "impressions.read_impressions",
    "sessions": "sessions.read_sessions",
    "clicks": "sessions.read_clicks",
    "scores": "evaluation.results.read_scores",
    "intents": "intents.read_intents",
    "verticals": "verticals.read_verticals",
    "costs": "costs.read_costs",
    "lengths": "lengths.read_lengths",
    "groups": "groups.read_groups",
    "topics": "tracks.read_topics",
    "teams": "tracks.read_teams",
    "queries": "descriptions.read_queries",
    "distributions": "distributions.read_distributions",
    "hierarchy": "hierarchies.read_hierarchy",
    "parents": "hierarchies.read_parents",
    "preferences": "preferences.read_preferences",
    "battles": "preference_pairs.read_preference_pairs",
    "assessments": "assess.assessments.read_assessments",
    "audit": "audits.read_audit",
}
KINDS = ("qrels", "run", *READERS)
READER_OPTIONS = ("separator", "labels", "columns")  # options that readers may have
LIST_OPTIONS = ("input_format", "topics", "by_intent", "max_words", "max_citations", "all_cited",
            "metadata_keys")  # options that these files do not have  # fmt: skip
MAX_LISTED = 20  # problems of one kind that are listed

OPTIONS = (
    argument("files", "FILE", "judgments, results, or files of another kind", nargs="+"),
    option(
        "--kind",
        "KIND",
        f"kind of the files, instead of detecting qrels, run or {', '.join(ANSWERS)}; one of {', '.join(KINDS)}",
        choices=KINDS,
    ),
    build_format_option("--input-format --qrels-format", FORMATS, name="input_format"),
    build_format_option("--run-format", RUN_FORMATS, name="input_format"),
    build_topics_option(
        "topics of the task, for the runs: 101,102, or FILE or @FILE, one per line "
        "(default: topics of the judgments among the files)"
    ),
    switch("--by-intent", "judgments are for intents: topic intent doc level"),
    LABELS,
    RUN_NAMES,
    COLUMNS,
    SEPARATOR,
    option(
        "--max-words",
        "N",
        "words of an answer in answers with citations: more is an error (default: more "
        f"than {MAX_WORDS:,} is a warning)",
        value="count",
    ),
    option(
        "--max-citations",
        "N",
        f"citations of a sentence: more is an error (default: more than {MAX_CITATIONS} is a warning)",
        value="count",
    ),
    switch("--all-cited", "there, a reference that no sentence cites is an error"),
    option(
        "--metadata-keys",
        "KEY,KEY,…",
        "there, metadata with any other key are an error (TREC RAG 2026: "
        "team_id,narrative_id,narrative,run_id,run_desc)",
    ),
    switch("--all", f"list every problem, and not only {MAX_LISTED} of a kind"),
    *build_output_options(("problems", "files"), flags="-f --output-format"),
)


def run(options: argparse.Namespace) -> int:
    """Validate and print."""
    reports = _build_reports(options)
    lines = [line for x in reports for line in _format_report(x, options)]
    files = [
        {
            **{"file": report.where, "kind": report.kind, "format": report.format},
            **{"lines": report.lines, "topics": len(report.topics)},
            **{"errors": report.count("error"), "warnings": report.count("warning")},
        }
        for report in reports
    ]
    rows = [
        {"file": x.location, "line": x.line, "severity": x.severity, "problem": x.text}
        for report in reports
        for x in report.problems
    ]
    if options.verbose:
        lines += [f"{x.where}: {text}" for x in reports for text in x.description.splitlines()]
    show(Listing({"problems": rows, "files": files}, lines), options)
    return 2 if any(report.count("error") for report in reports) else 0


def _build_reports(options: argparse.Namespace) -> Sequence[Report]:
    """Return a report of each file, by the functions that the commands read it with."""
    if options.kind in READERS:
        from cranfield.cli.scores import reject_options

        reject_options(options, LIST_OPTIONS, "judgments or runs")
        read = _choose_reader(options.kind, options)
        return [check_file(path, options.kind, read) for path in options.files]
    labels = None if options.labels is None else read_labels(options.labels)
    by_tag = options.run_names != "file"
    columns = read_columns(options.columns)
    text = ReadOptions(options.separator, labels, intents=options.by_intent, by_tag=by_tag, columns=columns)
    limits = AnswerLimits(
        options.max_words,
        options.max_citations,
        options.all_cited,
        _split_keys(options.metadata_keys),
    )
    complete = options.all or options.format != "table" or options.tables
    limit = None if complete else MAX_LISTED
    return validate(options.files, options.kind, options.input_format, text, limits, options.topics, limit)


def _choose_reader(kind: str, options: argparse.Namespace) -> Callable[[str], Any]:
    """Return the function that the commands read such a file with, with the options it has."""
    module, _, name = READERS[kind].rpartition(".")
    room = "" if "." in module else "data."
    function = getattr(import_module(f"cranfield.{room}{module}"), name)
    if kind == "topics":
        return partial(function, or_file=True)
    parameters = signature(function).parameters
    values = {x: getattr(options, x) for x in READER_OPTIONS if x in parameters}
    return partial(function, **{x: value for x, value in values.items() if value is not None})


def _split_keys(text: str | None) -> tuple[str, ...]:
    """Split keys at commas."""
    return tuple(key.strip() for key in (text or "").split(",") if key.strip())


def _format_report(report: Report, options: argparse.Namespace) -> Iterator[str]:
    if options.verbose:
        yield f"{report.where}: {report.describe()}, {format_count(len(report.topics), 'topic')}"
    yield from _list_problems(report, options.all)
    yield _format_summary(report)


def _list_problems(report: Report, list_all: bool) -> Iterator[str]:
    """Yield the problems in file order; for frequent kinds, the first ones and a count."""
    kinds = _group_problems(report)
    firsts = [group[: 1 if group[0].by_intent else MAX_LISTED] for group in kinds]
    visible = {id(problem) for group in firsts for problem in group}
    yield from (_format_problem(problem) for problem in report.problems if list_all or id(problem) in visible)
    if any(group[0].by_intent for group in kinds):
        yield f"{report.where}: are judgments for intents, topic intent doc level? then --by-intent"
    for group, first in zip(kinds, firsts, strict=True):
        more = len(group) - len(first) + sum(problem.more for problem in group)
        if more and not list_all:
            description = f"like line {first[0].line}" if first[0].line else "of this kind"
            yield f"{report.where}: {more:,} more {description} (--all lists them)"


def _group_problems(report: Report) -> list[list[Problem]]:
    """Return the problems of each kind; errors that --by-intent would fix come first."""
    kinds: dict[object, list[Problem]] = {}
    for problem in report.problems:
        kind = problem.by_intent or (problem.severity, problem.kind or problem.text)
        kinds.setdefault(kind, []).append(problem)
    kinds.get(True, []).sort(key=lambda problem: problem.severity)
    return list(kinds.values())


def _format_problem(problem: Problem) -> str:
    place = problem.location + (f":{problem.line}" if problem.line else "")
    return f"{place}: {problem.severity}: {problem.text}"


def _format_summary(report: Report) -> str:
    noun = "judgment" if report.kind == "qrels" else "result"
    totals = {severity: report.count(severity) for severity in ("error", "warning")}
    counts = [format_count(count, severity) for severity, count in totals.items() if count]
    has_lines = report.kind in ("qrels", "run")
    size = f"{format_count(report.lines, noun)} ({report.format})" if has_lines else report.kind
    if report.topics or (has_lines and not report.lines):  # predictions do not name them
        size += f", {format_count(len(report.topics), 'topic')}"
    return f"{report.where}: {size}: {', '.join(counts) or 'fine'}"
