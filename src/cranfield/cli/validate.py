"""`cranfield validate`: every problem of a file, with its line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cranfield.cli.options import COLUMNS, LABELS, RUN_NAMES, SEPARATOR, TOPICS, one_of
from cranfield.cli.output import output, show
from cranfield.data.answers import MAX_CITATIONS, MAX_WORDS, AnswerLimits
from cranfield.data.reading.columns import read_columns
from cranfield.data.reading.formats import FORMATS
from cranfield.data.reading.labels import read_labels
from cranfield.data.reading.records import Problem, Text
from cranfield.data.validate import Report, validate
from cranfield.report.listing import Listing
from cranfield.wording import counted

SHOWN = 20  # problems of one kind that are listed

OPTIONS = {
    "files FILE +": "judgments, or results",
    "--kind {qrels,run}": "instead of recognising it",
    "input_format --input-format --qrels-format --run-format FORMAT": one_of(FORMATS),
    TOPICS: "those of the task, which runs are to answer: 101,102, or FILE or @FILE, one on each "
    "line (default: those of the judgments, if there are any among the files)",
    "--by-intent": "judgments are for intents: topic intent doc level",
    **LABELS,
    **RUN_NAMES,
    **COLUMNS,
    **SEPARATOR,
    "--max-words N": "of an answer, in files of answers with citations: more is an error (default: "
    f"more than {MAX_WORDS:,} is a warning)",
    "--max-citations N": "of a sentence there: more is an error (default: more than "
    f"{MAX_CITATIONS} is a warning)",
    "--all-cited": "there, a reference that no sentence cites is an error",
    "--metadata-keys KEY,KEY,…": "there, metadata with any other key are an error (TREC RAG 2026: "
    "team_id,narrative_id,narrative,run_id,run_desc)",
    "--all": f"list every problem, and not only {SHOWN} of a kind",
    **output(("problems", "files"), flags="-f --output-format"),
}


def run(options: argparse.Namespace) -> int:
    """Validate and print."""
    labels = None if options.labels is None else read_labels(options.labels)
    by_tag = options.run_names != "file"
    own = read_columns(options.columns)
    text = Text(options.separator, labels, intents=options.by_intent, by_tag=by_tag, columns=own)
    limits = AnswerLimits(
        options.max_words, options.max_citations, options.all_cited, _keys(options.metadata_keys)
    )
    reports = validate(
        options.files, options.kind, options.input_format, text, limits, options.topics
    )
    lines = [line for x in reports for line in _lines(x, options)]
    files = [
        {
            **{"file": report.where, "kind": report.kind, "format": report.format},
            **{"lines": report.lines, "topics": len(report.topics)},
            **{"errors": report.count("error"), "warnings": report.count("warning")},
        }
        for report in reports
    ]
    rows = [
        {"file": x.where, "line": x.line, "severity": x.severity, "problem": x.text}
        for report in reports
        for x in report.problems
    ]
    if options.verbose:
        lines += [f"{x.where}: {said}" for x in reports for said in x.description.splitlines()]
    show(Listing({"problems": rows, "files": files}, lines), options)
    return 2 if any(report.count("error") for report in reports) else 0


def _keys(given: str | None) -> tuple[str, ...]:
    """The keys between commas."""
    return tuple(key.strip() for key in (given or "").split(",") if key.strip())


def _lines(report: Report, options: argparse.Namespace) -> Iterator[str]:
    if options.verbose:
        yield f"{report.where}: {report.described()}, {counted(len(report.topics), 'topic')}"
    yield from _listed(report, options.all)
    yield _summary(report)


def _listed(report: Report, every: bool) -> Iterator[str]:
    """The problems of a file in its order; of many of one kind the first, and how many more."""
    kinds = _kinds(report)
    firsts = [few[: 1 if few[0].by_intent else SHOWN] for few in kinds]
    shown = {id(problem) for few in firsts for problem in few}
    yield from (_line(problem) for problem in report.problems if every or id(problem) in shown)
    if any(few[0].by_intent for few in kinds):
        yield f"{report.where}: are judgments for intents, topic intent doc level? then --by-intent"
    for few, first in zip(kinds, firsts, strict=True):
        if len(few) > len(first) and not every:
            like = f"like line {first[0].line}" if first[0].line else "of this kind"
            yield f"{report.where}: {len(few) - len(first):,} more {like} (--all lists them)"


def _kinds(report: Report) -> list[list[Problem]]:
    """The problems of each kind; of those that --by-intent would mend, errors come first."""
    kinds: dict[object, list[Problem]] = {}
    for problem in report.problems:
        kind = problem.by_intent or (problem.severity, problem.kind or problem.text)
        kinds.setdefault(kind, []).append(problem)
    kinds.get(True, []).sort(key=lambda problem: problem.severity)
    return list(kinds.values())


def _line(problem: Problem) -> str:
    place = problem.where + (f":{problem.line}" if problem.line else "")
    return f"{place}: {problem.severity}: {problem.text}"


def _summary(report: Report) -> str:
    what = "judgment" if report.kind == "qrels" else "result"
    found = {severity: report.count(severity) for severity in ("error", "warning")}
    counts = [counted(count, severity) for severity, count in found.items() if count]
    size = f"{counted(report.lines, what)} ({report.format})"
    if report.topics or not report.lines:  # predictions do not name them
        size += f", {counted(len(report.topics), 'topic')}"
    return f"{report.where}: {size}: {', '.join(counts) or 'fine'}"
