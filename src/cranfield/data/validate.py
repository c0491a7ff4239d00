"""Validation of judgments and runs: all errors and warnings of a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.answers import AnswerLimits, read_answers
from cranfield.data.folding import explain_folded, match_folded
from cranfield.data.impressions import (
    CREDITS,
    LAYOUT,
    is_impression_log,
    is_interleaving,
    read_impressions,
    read_interleaving,
)
from cranfield.data.judged_answers import read_assignments, read_bank, read_criteria, read_support
from cranfield.data.ntcir import topic_dirs
from cranfield.data.preference_pairs import read_preference_pairs
from cranfield.data.reading import letor
from cranfield.data.reading.cells import detect_file, list_columns
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import (
    DIRECTORIES,
    FORMAT,
    LETOR,
    TREC,
    DetectedFormat,
    Format,
    detect_format,
    name_shape,
)
from cranfield.data.reading.inspection import Inspection
from cranfield.data.reading.records import Problem, ReadOptions, Severity
from cranfield.data.reading.shapes import TREC_ANSWERS
from cranfield.data.reading.signatures import TABLE, Use
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Table, iter_whole_topics
from cranfield.data.reading.user_columns import get_user_columns
from cranfield.data.results import read_results
from cranfield.data.run import make_no_topic_error
from cranfield.data.score_rows import ReadLog
from cranfield.data.systems import check_tag_count
from cranfield.data.tracks import TopicsLike, choose_topics, find_topics_file, read_topics
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import describe_disagreement, format_count, format_names

TAGGED = ReadOptions(by_tag=True)
TREC_LIMITS = AnswerLimits()
ANSWERS: dict[str, Callable[..., Any]] = {  # kinds detected by their labels, with their readers
    "assignments": read_assignments,
    "nuggets": read_bank,
    "support": read_support,
    "rubric": read_criteria,
}
BY_TOPIC = ("nuggets", "queries")  # kinds read as {topic: …}
BY_INTENT = {signature.name for signature in TABLE if signature.by_intent}
FEW_DECIMALS = 4  # with at most 4 decimals, ties probably come from rounding


@dataclass
class Report:
    """Results of `validate` for one file."""

    where: str
    kind: str  # qrels, run, or the kind passed to `check_file`
    format: str
    describe: Callable[[], str] = str  # describes the detected format
    lines: int = 0
    topics: tuple[str, ...] = ()
    runs: dict[str, dict[str, None]] = field(default_factory=dict)  # topics, by run tag
    judged: set[str] = field(default_factory=set)  # runs with a judged document
    table: Table | None = None  # of judgments
    problems: list[Problem] = field(default_factory=list)
    description: str = ""  # of the system, from the run file

    def count(self, severity: str) -> int:
        """Return the number of errors or warnings."""
        return sum(1 + p.more for p in self.problems if p.severity == severity)

    def add(self, severity: Severity, text: str, line: int | None = None) -> None:
        """Add a problem of the file as a whole."""
        self.problems.append(Problem(severity, self.where, line, text))


def validate(
    paths: Iterable[str],
    kind: str | None = None,
    format: str | None = None,
    text: ReadOptions = TAGGED,
    limits: AnswerLimits = TREC_LIMITS,
    topics: TopicsLike = None,
    max_listed: int | None = None,
) -> list[Report]:
    """Find every problem in files, and compare runs with the judgments among them.

    `topics` are the topics of the task, if there are no judgments yet. `max_listed` is the number
    of listed duplicates, by default all. Other duplicates are counted.
    """
    task_topics = None if topics is None else read_topics(topics, or_file=True)
    files = [file for path in paths for file in _open_path(path, kind, format, text)]
    files = [file.with_predictions(files) for file in files]
    # Judgments first: runs are compared with them while they are read.
    reports: dict[int, Report] = {}
    judged: Report | None = None
    undecided = kind is None and format is None
    for place in sorted(range(len(files)), key=lambda i: files[i].kind != "qrels"):
        report = files[place].build_report(judged, max_listed=max_listed)
        report = _with_answers(report, files[place], limits, undecided)
        reports[place] = report
        if report.kind == "qrels" and report.topics:
            judged = judged or report
    ordered = [reports[place] for place in range(len(files))]
    task = None if task_topics is None else _Task.from_names(task_topics, topics, ordered)
    for report in ordered:
        _compare(report, judged, task)
    _check_tags(ordered)
    return ordered


def _with_answers(report: Report, file: _InputFile, limits: AnswerLimits, undecided: bool) -> Report:
    """Add the problems of answers, or replace the report by one for judged answers."""
    if undecided and file.format is not DIRECTORIES and (impressions := _try_impressions(file.source)) is not None:
        return impressions
    if undecided and file.format is not DIRECTORIES:
        report = _try_judged_answers(report, file.source)
    if file.name == TREC_ANSWERS:
        _check_answers(report, limits.find_problems(file.source), file.source)
    return report


def check_file(path: str | os.PathLike[str], kind: str, read: Callable[..., Any]) -> Report:
    """Return a report with the first error of the reader that the commands use."""
    report = Report(Source.from_path(path).name, kind, kind, lambda: kind)
    try:
        data = read(path)
    except InputError as error:
        report.problems.append(Problem.from_error(error, report.where))
    else:
        report.topics = tuple(data if kind in BY_TOPIC else getattr(data, "topics", ()))
        columns = get_user_columns().tables.get(report.where, {})
        uses = [f"{role} in column {column}" for role, column in columns.items()]
        report.describe = partial(", ".join, [kind, *uses])
    return report


def _try_judged_answers(report: Report, source: Source) -> Report:
    """Return a report of judged answers, if a file that is no run can be read so."""
    if not report.lines and report.count("error"):
        for name, read in ANSWERS.items():
            answers_report = check_file(source, name, read)
            if not answers_report.problems:
                return answers_report
        return _try_foreign(report, source)
    return report


def _try_foreign(report: Report, source: Source) -> Report:
    """Return a report of scores or battles, if the file is from another tool."""
    try:
        signature = detect_file(source)
    except CranfieldError:
        return report
    for use, read in FOREIGN.items():
        if signature is not None and signature.readers.get(use) is not None:
            parts: list[str] = [use, signature.name, *signature.describe_roles(use)]
            notes: list[str] = []
            report = check_file(source, use, partial(read, parts, notes))
            for note in notes:
                report.add("warning", note)
            return replace(report, describe=partial(", ".join, parts))
    return report


def _try_impressions(source: Source) -> Report | None:
    """Return a report of an impression log or of interleaving outcomes, or None for other files."""
    try:
        is_log, is_outcome = is_impression_log(source), is_interleaving(source)
    except CranfieldError:
        return None
    if not is_log and not is_outcome:
        return None
    kind = "impressions" if is_log else "interleaving outcomes"
    layout = (LAYOUT if is_log else CREDITS).with_choices()
    columns = layout.resolve_columns(list_columns(source, layout))
    parts = [kind, *(f"{role} in column {column}" for role, column in columns.items())]
    read = read_impressions if is_log else read_interleaving
    return replace(check_file(source, kind, read), describe=partial(", ".join, parts))


class _Topics(NamedTuple):
    topics: Iterable[str]


def _read_scores(parts: list[str], notes: list[str], source: Source) -> _Topics:
    """Return the topics of scores. Add the measures and runs to `parts`."""
    log = ReadLog()
    results = [*read_results(source, log=log)]
    notes += (text.removeprefix(f"{source.name}: ") for text in log.list_decisions())
    measures, runs = (list(dict.fromkeys(getattr(x, name) for x in results)) for name in ("measure", "run"))
    parts += [f"measures: {', '.join(measures)}", f"runs: {', '.join(map(str, runs))}"]
    return _Topics(dict.fromkeys(result.topic for result in results))


def _read_battles(parts: list[str], notes: list[str], source: Source) -> _Topics:
    """Return the topics of battles. Add the runs to `parts`."""
    read = read_preference_pairs(source)
    notes += read.notes
    runs = dict.fromkeys(chain.from_iterable((pair.preferred, pair.other) for pair in read.pairs))
    parts.append(f"runs: {', '.join(sorted(runs))}")
    return _Topics(dict.fromkeys(pair.topic for pair in read.pairs))


# Kinds detected by the keys of other tools, with their readers.
FOREIGN: dict[Use, Callable[[list[str], list[str], Source], _Topics]] = {
    "scores": _read_scores,
    "battles": _read_battles,
}


def _check_answers(report: Report, problems: Iterator[Problem], source: Source) -> None:
    """Add the problems of answers. Their references are checked as a run."""
    error_lines = {problem.line for problem in report.problems if problem.severity == "error"}
    try:
        for problem in problems:
            if problem.line is None or problem.line not in error_lines:
                report.problems.append(problem)
    except InputError as error:  # the file cannot be read
        if not error_lines:
            report.problems.append(Problem.from_error(error, report.where))
    if not report.count("error"):
        report.problems += check_file(source, "answers", read_answers).problems
    report.problems.sort(key=lambda problem: problem.line or 0)


@dataclass(frozen=True)
class _Task:
    """Topics of the task."""

    topics: tuple[str, ...]
    where: str
    source: str  # origin of the topics, for errors
    unknown_text: str  # text for topics outside the task

    @classmethod
    def from_names(cls, names: Sequence[str], topics: TopicsLike, reports: Sequence[Report]) -> _Task:
        """Build a task from the named topics.

        The topics of the files decide how to read them.
        """
        file = find_topics_file(topics, or_file=True)
        location = "the task" if file is None else Source.from_path(file).name
        file_topics = {topic for report in reports for topic in report.topics}
        task_topics = choose_topics(names, file_topics, strict=False)
        for note in task_topics.notes if reports else ():
            reports[0].add("warning", note)
        return cls(task_topics, location, f"topics of {location}", "not among the topics of")

    @classmethod
    def from_qrels(cls, qrels: Report) -> _Task:
        """Build a task with the judged topics."""
        return cls(qrels.topics, qrels.where, f"judged in {qrels.where}", "not judged in")


def _compare(report: Report, judged: Report | None, task: _Task | None) -> None:
    """Compare a file with the task, and a run with the judgments."""
    if report.kind == "qrels":
        if task is not None:
            _note_other_topics(report, task, report.topics)
        return
    if task is None and judged is not None:
        task = _Task.from_qrels(judged)
    if report.topics and task is not None:
        runs = report.runs.items()
        first_problems = [x for name, lists in runs for x in _compare_run(report, judged, task, name, lists)]
        report.problems[:0] = first_problems
    elif judged is not None and report.format == judged.format == "letor":
        _compare_lines(report, judged)


def _note_other_topics(report: Report, task: _Task, topics: Iterable[str], prefix: str = "") -> None:
    """Add a warning for topics outside the task."""
    task_topics = {*task.topics}
    if unknown_topics := [topic for topic in topics if topic not in task_topics]:
        report.add(
            "warning",
            f"{prefix}{format_names(unknown_topics, 'topic')} {task.unknown_text} {task.where}",
        )


def _compare_run(
    run: Report, judged: Report | None, task: _Task, name: str, lists: Mapping[str, None]
) -> Iterator[Problem]:
    """Compare a run with task and judgments. Yield the problems to list first."""
    prefix = f"run {name}: " if len(run.runs) > 1 else ""
    missing = [t for t in task.topics if t not in lists]
    if len(missing) == len(task.topics):
        run.add("error", f"{prefix}{make_no_topic_error([*lists], task.topics, task.source)}")
        return
    if judged is not None and name not in run.judged:
        text = f"{prefix}no retrieved document is judged in {judged.where}"
        yield Problem("warning", run.where, None, text)
    if 2 * len(missing) > len(task.topics):
        answered = f"only {len(task.topics) - len(missing)} of {len(task.topics)}"
        text = f"{prefix}{answered} topics of {task.where} are in the run"
        yield Problem("warning", run.where, None, text)
    if missing:
        run.add("warning", f"{prefix}{format_names(missing, 'topic')} of {task.where} missing")
    _note_other_topics(run, task, lists, prefix)
    if folded := explain_folded(match_folded([*lists], task.topics)):
        run.add("warning", f"{prefix}{folded}")


def _check_tags(reports: Sequence[Report]) -> None:
    """Add a warning for tags in several files: their runs are named by the files."""
    files: dict[str, list[Report]] = {}
    for report in reports:
        for tag in filter(None, report.runs if report.kind == "run" else ()):
            files.setdefault(tag, []).append(report)
    for tag, same_tag in files.items():
        for report in same_tag if len(same_tag) > 1 else ():
            other_files = format_names([x.where for x in same_tag if x is not report], "other file")
            text = f"run tag {tag} is also in {other_files}: these runs are named by their files"
            report.add("warning", text)


def _compare_lines(predictions: Report, qrels: Report) -> None:
    if predictions.count("error") or qrels.count("error"):
        return  # not all lines are counted
    if predictions.lines != qrels.lines:
        problem = f"{predictions.lines:,} predictions"
        expected = f"{qrels.lines:,} (one per judgment of {qrels.where})"
        predictions.add("error", f"found {problem}, expected {expected}")


def validate_file(path: str, kind: str | None = None, format: str | None = None, text: ReadOptions = TAGGED) -> Report:
    """Find every problem in one file."""
    opened = _open_file(path, kind, format, text)
    return opened.with_predictions([opened]).build_report(None)


# -- what is looked over --------------------------------------------------------------------------


@dataclass(frozen=True)
class _InputFile:
    """File, or part of a topic directory, before it is read."""

    source: Source
    kind: Kind
    format: Format
    name: str  # of the format
    text: ReadOptions
    broken: InputError | None = None  # the error if the file cannot be read
    numbers: bool = False  # True if it can only be predictions for LETOR data

    def with_predictions(self, files: Sequence[_InputFile]) -> _InputFile:
        """Return the file as predictions, if `evaluate` reads it so with LETOR qrels.

        Without qrels, it is read as predictions unless the file name shows the format.
        """
        judged = [file.format for file in files if file.kind == "qrels" and not file.numbers]
        letor = FORMAT["letor"]
        if self.numbers and (letor in judged or (not judged and self.format in (TREC, letor))):
            return replace(self, kind="run", format=letor, name="letor", broken=None)
        return self

    def describe(self) -> str:
        """Describe the detected format."""
        try:
            decision = DetectedFormat(self.format, self.text)
            return decision.describe(self.source, self.kind, self.name)
        except (CranfieldError, ValueError, TypeError, RecursionError):
            return f"{self.name} {self.kind}"  # the problems of the file explain the rest

    def build_report(self, judged: Report | None, fast: bool = True, max_listed: int | None = None) -> Report:
        """Find every problem, and the runs with judged documents."""
        try:
            if self.broken is not None:
                raise self.broken
            return self._inspect(judged, fast, max_listed)
        except InputError as error:
            if error.where is None:  # an option is wrong, not the file
                raise
            report = Report(self.source.name, self.kind, self.name)
            report.problems.append(Problem.from_error(error, report.where))
            return report

    def _inspect(self, judged: Report | None, fast: bool, max_listed: int | None) -> Report:
        report = Report(self.source.name, self.kind, self.name, self.describe)
        look = Inspection(self.format, self.source, self.kind, self.text, fast)
        odd = _Oddities(self.kind, self.text.by_tag)
        lists = iter_whole_topics(self._iterate_tables(report, look, odd, judged))
        for table in lists:
            odd.add(table)
        if odd.scattered:
            second_look = Inspection(self.format, self.source, self.kind, self.text, fast)
            odd = odd.collect_all(second_look.read_tables())
        if fast and odd.contradicted and 0 in odd.contradicted.values() and self.format.has_lines:
            return self._inspect(judged, False, max_listed)  # the slow way has line numbers
        report.problems += look.list_problems(max_listed)
        if self.kind == "run" and self.format.has_lines and self.format is not DIRECTORIES:
            report.description = self.source.description
        report.topics = tuple(dict.fromkeys(topic for run in report.runs.values() for topic in run))
        self._note_oddities(report, odd)
        return report

    def _iterate_tables(
        self, report: Report, look: Inspection, odd: _Oddities, judged: Report | None
    ) -> Iterator[Table]:
        """Yield the tables of a file, after their content was noted."""
        tables: list[Table] = []
        for table in look.read_tables():
            report.lines += len(table)
            for part in table.split_by_tag() if self.kind == "run" else [table]:
                if len(part):
                    odd.tags[part.tag or ""] = None
                    self._note(report, part, judged)
            if self.kind == "qrels":
                tables.append(table.copy())
            odd.scattered = odd.scattered or (self.text.by_tag and len(odd.tags) > 1)
            if len(table):
                yield table
        if tables:
            report.table = Table.concatenate(tables).group_by_topic()

    def _note(self, report: Report, table: Table, judged: Report | None) -> None:
        """Note the topics of a run, and if it returns a judged document."""
        name = (table.tag or "") if self.kind == "run" and self.text.by_tag else ""
        report.runs.setdefault(name, {}).update(dict.fromkeys(table.names))
        if judged is not None and name not in report.judged and _has_judged(judged, table):
            report.judged.add(name)

    def _note_oddities(self, report: Report, odd: _Oddities) -> None:
        if self.kind == "qrels":
            odd.note_qrels(report)
            return
        if self.format is LETOR:
            report.topics = ()  # same topics as the judgments
            return
        if self.format is DIRECTORIES:  # topics may have no documents
            report.topics = tuple(topic_dirs.list_topics(self.source))
            report.runs.setdefault("", {}).update(dict.fromkeys(report.topics))
        else:
            odd.note_run(report)


def _has_judged(judged: Report, table: Table) -> bool:
    """Return True if a document of a table is judged."""
    judgments = judged.table
    if judgments is None:
        return False
    place = {name: i for i, name in enumerate(judgments.names)}
    topic = np.array([place.get(name, -1) for name in table.names], dtype=np.int64)
    return bool((judgments.find(table.docs, table.hashes, topic[table.group]) >= 0).any())


def _open_path(path: str, kind: str | None, format: str | None, text: ReadOptions) -> Iterator[_InputFile]:
    """Yield the files of a path: for topic directories, the judgments and each run."""
    if not os.path.isdir(path):
        yield _open_file(path, kind, format, text)
        return
    if not topic_dirs.is_topic_directory(path, "qrels"):
        raise CranfieldError(f"{path} is a directory, expected a file or topic directories")
    text = replace(text, intents=False, by_tag=False)
    yield _InputFile(Source.from_path(path), "qrels", DIRECTORIES, "ntcir", text)
    for run in topic_dirs.list_runs(path):
        yield _InputFile(Source.from_path(run), "run", DIRECTORIES, "trec", text)


def _open_file(path: str, kind: str | None, format: str | None, text: ReadOptions) -> _InputFile:
    source = Source.from_path(path)
    kinds: tuple[Kind, ...] = get_args(Kind)
    valid_kind = next((candidate for candidate in kinds if kind == candidate), None)
    if kind != valid_kind:
        raise InputError(f"kind {kind!r}", "qrels or run")
    try:
        return _detect_file(source, valid_kind, format, text)
    except InputError as error:
        if error.where is None:  # an option is wrong, not the file
            raise
        return _InputFile(source, valid_kind or "run", FORMAT["trec"], "not recognised", text, error)


def _detect_file(source: Source, kind: Kind | None, format: str | None, text: ReadOptions) -> _InputFile:
    decision = detect_format(source, format, text, kind)
    detected, text = decision.format, decision.options
    numbers = format in (None, "letor") and kind != "qrels" and letor.has_predictions(source)
    detected_kind = kind or ("run" if numbers else detected.detect_kind(source, text))
    name = name_shape(detected, source, detected_kind) or detected.name
    text = replace(text, intents=text.intents or (detected_kind == "qrels" and name in BY_INTENT))
    return _InputFile(source, detected_kind, detected, name, text, numbers=numbers)


# -- what is odd but no error ---------------------------------------------------------------------


@dataclass
class _Oddities:
    """Properties of rankings that cause warnings."""

    kind: Kind
    by_tag: bool
    tags: dict[str, None] = field(default_factory=dict)
    topics: set[str] = field(default_factory=set)  # topics
    scattered: bool = False  # True if lines of a ranking are not adjacent
    relevant: set[str] = field(default_factory=set)  # topics with a relevant document
    documents: int = 0
    tied: int = 0
    tied_lists: list[str] = field(default_factory=list)
    nearly: int = 0  # tied in single precision only
    decimals: int = 0  # maximum of scores, counted up to a few
    contradicted: dict[str, int] = field(default_factory=dict)  # line (or 0), by ranking

    def add(self, table: Table, suffix: str = "") -> None:
        """Add whole rankings. `suffix` names their run, if there are several."""
        if self.kind == "qrels":
            best = np.maximum.reduceat(table.values, table.starts)
            self.relevant |= {n for n, x in zip(table.names, best.tolist(), strict=True) if x > 0}
            return
        self.scattered = self.scattered or (not suffix and not self.topics.isdisjoint(table.names))
        if self.scattered and not suffix:
            return
        self.topics.update(table.names)
        self.documents += len(table)
        table = table.select_lines(~np.isnan(table.values))
        if len(table):
            names = [f"{name}{suffix}" for name in table.names]
            self._count_ties(table, names)
            self._find_contradictions(table, names)

    def collect_all(self, tables: Iterable[Table]) -> _Oddities:
        """Collect the properties again from rankings with scattered lines."""
        groups: dict[str, list[Table]] = {}
        for table in tables:
            for part in table.split_by_tag() if self.by_tag else [table]:
                if len(part):
                    groups.setdefault((part.tag or "") * self.by_tag, []).append(part.copy())
        oddities = _Oddities(self.kind, self.by_tag, self.tags)
        for tag, tag_tables in groups.items():
            suffix = f" of run {tag}" if len(groups) > 1 else ""
            oddities.topics.clear()
            oddities.add(Table.concatenate(tag_tables).group_by_topic(), suffix)
        return oddities

    def _count_ties(self, table: Table, names: Sequence[str]) -> None:
        values, group = table.values, table.group
        equal = _find_shared(values, group)
        with np.errstate(over="ignore"):  # scores too large for single precision are tied
            single = _find_shared(values.astype(np.float32), group)
        self.tied += int(equal.sum())
        self.tied_lists += [names[i] for i in np.unique(group[equal]).tolist()]
        self.nearly += int((single & ~equal).sum())
        while self.decimals <= FEW_DECIMALS and not _is_rounded(values, self.decimals):
            self.decimals += 1

    def _find_contradictions(self, table: Table, names: Sequence[str]) -> None:
        """Find rankings in which a worse rank has a higher score."""
        if table.ranks is None:
            return
        lines = np.zeros(len(table), dtype=np.int64) if table.lines is None else table.lines
        ranked = ~np.isnan(table.ranks)
        rank, value, group, line = (column[ranked] for column in (table.ranks, table.values, table.group, lines))
        is_within = group[1:] == group[:-1]
        if not (is_within & ((rank[1:] < rank[:-1]) | (value[1:] > value[:-1]))).any():
            return
        order = np.lexsort((-value, rank, group))
        value, group, line = value[order], group[order], line[order]
        rises = np.flatnonzero((group[1:] == group[:-1]) & (value[1:] > value[:-1])) + 1
        _, first = np.unique(group[rises], return_index=True)
        for row in rises[first].tolist():
            self.contradicted[names[group[row]]] = int(line[row])

    # -- in words ---------------------------------------------------------------------------------

    def note_qrels(self, report: Report) -> None:
        """Add a warning for topics without a relevant document."""
        without = [topic for topic in report.topics if topic not in self.relevant]
        if without:
            report.add("warning", f"{format_names(without, 'topic')} without a relevant document")

    def note_run(self, report: Report) -> None:
        """Add warnings for ties, ranks that contradict scores, and several tags."""
        if self.tied_lists:
            text = f"{self.tied:,} of {self.documents:,} documents are tied"
            report.add("warning", f"{text}, in {format_names(self.tied_lists, 'topic')}")
            if self.decimals <= FEW_DECIMALS:
                text = f"no score has more than {format_count(self.decimals, 'decimal')}"
                report.add("warning", f"{text}: the ties may be due to rounding")
        if self.nearly:
            text = f"{self.nearly} documents have scores that are equal only in single precision"
            report.add("warning", f"{text}: other tools may tie them")
        if self.contradicted:
            line = min(self.contradicted.values())
            report.add("warning", describe_disagreement(list(self.contradicted)), line or None)
        _note_tags(report, [tag for tag in self.tags if tag], self.by_tag)


def _note_tags(report: Report, tags: list[str], by_tag: bool) -> None:
    """Add a warning for several tags, with their interpretation."""
    if by_tag:
        try:
            check_tag_count(tags, report.where)
        except InputError as error:
            report.problems.append(Problem.from_error(error, report.where))
    if len(tags) > 1:
        meaning = "read as separate runs (--run-names file reads one run)" if by_tag else "read as one run"
        report.add("warning", f"{format_names(tags, 'run tag')}, {meaning}")


def _find_shared(scores: npt.NDArray[np.floating[Any]], group: Ints) -> Bools:
    """Return True for each score that occurs more than once in its group."""
    is_within = group[1:] == group[:-1]
    order = np.arange(len(scores))
    if (is_within & (scores[1:] > scores[:-1])).any():
        order = np.lexsort((scores, group))
        scores, is_within = scores[order], group[order][1:] == group[order][:-1]
    is_equal = is_within & (scores[1:] == scores[:-1])
    is_shared = np.zeros(len(scores), dtype=bool)
    is_shared[1:] |= is_equal
    is_shared[:-1] |= is_equal
    result = np.empty_like(is_shared)
    result[order] = is_shared
    return result


def _is_rounded(scores: Floats, decimals: int) -> bool:
    """Return True if no score has more decimals.

    A quotient of integers is rounded as the decimal is. Larger scores are checked one by one.
    """
    power = 10.0**decimals
    with np.errstate(over="ignore", invalid="ignore"):
        unrounded = scores[np.rint(scores * power) / power != scores]
    if (np.abs(unrounded) * power < 1 << 51).any():
        return False
    return all(_count_decimals(score) <= decimals for score in np.unique(unrounded).tolist())


def _count_decimals(score: float) -> int:
    exponent = Decimal(repr(score)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
