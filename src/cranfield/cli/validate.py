"""`cranfield validate`: every problem of a file, with its line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from cranfield.cli.options import COLUMNS, LABELS, RUN_NAMES, SEPARATOR, TOPICS, one_of, told
from cranfield.cli.output import output, show
from cranfield.data.answers import MAX_CITATIONS, MAX_WORDS, AnswerLimits
from cranfield.data.reading.columns import read_columns
from cranfield.data.reading.formats import FORMATS, RUN_FORMATS
from cranfield.data.reading.labels import read_labels
from cranfield.data.reading.records import Problem, Text
from cranfield.data.validate import ANSWERS, Report, check_file, validate
from cranfield.report.listing import Listing
from cranfield.wording import counted

READERS = {  # of files that are neither judgments nor runs: the functions of the commands
    **{name: f"judged_answers.{read.__name__}" for name, read in ANSWERS.items()},
    "answers": "answers.read_answers",
    "texts": "texts.read_texts",
    "text-nuggets": "texts.read_nuggets",
    "matches": "texts.read_matches",
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
    "queries": "described.read_queries",
    "distributions": "distributions.read_distributions",
    "hierarchy": "hierarchies.read_hierarchy",
    "parents": "hierarchies.read_parents",
    "preferences": "preferences.read_preferences",
    "battles": "preference_pairs.read_preference_pairs",
    "assessments": "assess.assessments.read_assessments",
    "audit": "audits.read_audit",
}
KINDS = ("qrels", "run", *READERS)
PASSED = ("separator", "labels", "columns")  # options that readers may have
OF_LISTS = ("input_format", "topics", "by_intent", "max_words", "max_citations", "all_cited",
            "metadata_keys")  # options that these files do not have  # fmt: skip
SHOWN = 20  # problems of one kind that are listed

OPTIONS = {
    "files FILE +": "judgments, results, or files of another kind",
    "--kind KIND": told(
        f"instead of detecting it: {', '.join(KINDS)} (default: qrels, run, {', '.join(ANSWERS)})",
        choices=KINDS,
    ),
    "input_format --input-format --qrels-format FORMAT": one_of(FORMATS),
    "input_format --run-format FORMAT": one_of(RUN_FORMATS),
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
    reports = _reports(options)
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


def _reports(options: argparse.Namespace) -> Sequence[Report]:
    """Return a report of each file, by the functions that the commands read it with."""
    if options.kind in READERS:
        from cranfield.cli.scored import refuse_given

        refuse_given(options, OF_LISTS, "judgments or runs with it")
        read = _reader(options.kind, options)
        return [check_file(path, options.kind, read) for path in options.files]
    labels = None if options.labels is None else read_labels(options.labels)
    by_tag = options.run_names != "file"
    own = read_columns(options.columns)
    text = Text(options.separator, labels, intents=options.by_intent, by_tag=by_tag, columns=own)
    limits = AnswerLimits(
        options.max_words, options.max_citations, options.all_cited, _keys(options.metadata_keys)
    )
    complete = options.all or options.format != "table" or options.tables
    listed = None if complete else SHOWN
    return validate(
        options.files, options.kind, options.input_format, text, limits, options.topics, listed
    )


def _reader(kind: str, options: argparse.Namespace) -> Callable[[str], Any]:
    """Return the function that the commands read such a file with, with the options it has."""
    module, _, name = READERS[kind].rpartition(".")
    room = "" if "." in module else "data."
    function = getattr(import_module(f"cranfield.{room}{module}"), name)
    if kind == "topics":
        return partial(function, or_file=True)
    known = signature(function).parameters
    given = {x: getattr(options, x) for x in PASSED if x in known}
    return partial(function, **{x: value for x, value in given.items() if value is not None})


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
        more = len(few) - len(first) + sum(problem.more for problem in few)
        if more and not every:
            like = f"like line {first[0].line}" if first[0].line else "of this kind"
            yield f"{report.where}: {more:,} more {like} (--all lists them)"


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
    listed = report.kind in ("qrels", "run")
    size = f"{counted(report.lines, what)} ({report.format})" if listed else report.kind
    if report.topics or (listed and not report.lines):  # predictions do not name them
        size += f", {counted(len(report.topics), 'topic')}"
    return f"{report.where}: {size}: {', '.join(counts) or 'fine'}"
