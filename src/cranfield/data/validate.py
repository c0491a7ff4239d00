"""Everything that is wrong, or odd, with files of judgments and runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.answers import AnswerLimits, read_answers
from cranfield.data.folding import explain_folded, match_folded
from cranfield.data.judged_answers import (
    read_assignments,
    read_bank,
    read_criteria,
    read_support,
)
from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading import letor
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import DIRECTORIES, FORMAT, TREC, Decision, Format, decide
from cranfield.data.reading.looking import Look
from cranfield.data.reading.records import Problem, Severity, Text
from cranfield.data.reading.shapes import TREC_ANSWERS
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Table, whole_topics
from cranfield.data.run import no_topic
from cranfield.data.systems import refuse_many
from cranfield.data.tracks import TopicsLike, choose_topics, read_topics, topics_file
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import counted, disagreement, some

TAGGED = Text(by_tag=True)
TRECS = AnswerLimits()
ANSWERS: dict[
    str, Callable[..., Any]
] = {  # kinds that the words in a file tell: the commands' own readers
    "assignments": read_assignments,
    "nuggets": read_bank,
    "support": read_support,
    "rubric": read_criteria,
}
BY_TOPIC = ("nuggets", "queries")  # kinds that are read as {topic: …}
FEW_DECIMALS = 4  # ties between scores with so few are likely to come from rounding


@dataclass
class Report:
    """What `validate` found in one file."""

    where: str
    kind: str  # qrels, run, or another that `check_file` was asked for
    format: str
    described: Callable[[], str] = str  # says what was decided when it was recognised
    lines: int = 0
    topics: tuple[str, ...] = ()
    runs: dict[str, dict[str, None]] = field(default_factory=dict)  # topics, by the tag of the run
    judged: set[str] = field(default_factory=set)  # the runs that return a judged document
    table: Table | None = None  # of judgments: what is judged
    problems: list[Problem] = field(default_factory=list)
    description: str = ""  # what a run says of its system

    def count(self, severity: str) -> int:
        """How many errors or warnings there are."""
        return sum(1 + p.more for p in self.problems if p.severity == severity)

    def add(self, severity: Severity, text: str, line: int | None = None) -> None:
        """Note a problem of the file as a whole."""
        self.problems.append(Problem(severity, self.where, line, text))


def validate(
    paths: Iterable[str],
    kind: str | None = None,
    format: str | None = None,
    text: Text = TAGGED,
    limits: AnswerLimits = TRECS,
    topics: TopicsLike = None,
    most: int | None = None,
) -> list[Report]:
    """Look for every problem in some files, and in how the runs fit the judgments among them.

    `topics` are those of the task, for which there need be no judgments yet. `most` is the number
    of duplicates to list, by default all: the others are counted.
    """
    named = None if topics is None else read_topics(topics, or_file=True)
    opened = [one for path in paths for one in _opened(path, kind, format, text)]
    opened = [one.with_predictions(opened) for one in opened]
    # Judgments first: runs are compared with them while they are read.
    reports: dict[int, Report] = {}
    judged: Report | None = None
    undecided = kind is None and format is None
    for place in sorted(range(len(opened)), key=lambda i: opened[i].kind != "qrels"):
        report = opened[place].report(judged, most=most)
        report = _with_answers(report, opened[place], limits, undecided)
        reports[place] = report
        if report.kind == "qrels" and report.topics:
            judged = judged or report
    made = [reports[place] for place in range(len(opened))]
    task = None if named is None else _Task.from_names(named, topics, made)
    for report in made:
        _compare(report, judged, task)
    _shared_tags(made)
    return made


def _with_answers(report: Report, file: _Opened, limits: AnswerLimits, undecided: bool) -> Report:
    """Return the report with the problems of answers, or of judged answers if a file is these."""
    if undecided and file.format is not DIRECTORIES:
        report = _of_answers_judged(report, file.source)
    if file.name == TREC_ANSWERS:
        _of_answers(report, limits.problems(file.source), file.source)
    return report


def check_file(path: str | os.PathLike[str], kind: str, read: Callable[..., Any]) -> Report:
    """Return a report with the first error of the function that the commands read a file with."""
    report = Report(Source.of(path).name, kind, kind, lambda: kind)
    try:
        found = read(path)
    except InputError as error:
        report.problems.append(Problem.error(error, report.where))
    else:
        report.topics = tuple(found if kind in BY_TOPIC else getattr(found, "topics", ()))
    return report


def _of_answers_judged(report: Report, source: Source) -> Report:
    """Return a report of judged answers if a file is these, and holds no line of a run."""
    if not report.lines and report.count("error"):
        for name, read in ANSWERS.items():
            other = check_file(source, name, read)
            if not other.problems:
                return other
    return report


def _of_answers(report: Report, problems: Iterator[Problem], source: Source) -> None:
    """Note what is wrong with answers, beside their references, which are a run."""
    known = {problem.line for problem in report.problems if problem.severity == "error"}
    try:
        for problem in problems:
            if problem.line is None or problem.line not in known:
                report.problems.append(problem)
    except InputError as error:  # of a file that cannot be read at all
        if not known:
            report.problems.append(Problem.error(error, report.where))
    if not report.count("error"):
        report.problems += check_file(source, "answers", read_answers).problems
    report.problems.sort(key=lambda problem: problem.line or 0)


@dataclass(frozen=True)
class _Task:
    """The topics that are to be answered."""

    topics: tuple[str, ...]
    where: str
    source: str  # how an error says where they are from
    others: str  # what is said of topics that are not among them

    @classmethod
    def from_names(
        cls, named: Sequence[str], topics: TopicsLike, reports: Sequence[Report]
    ) -> _Task:
        """Those of a task, as they are named; the topics of the files decide how."""
        file = topics_file(topics, or_file=True)
        where = "the task" if file is None else Source.of(file).name
        known = {topic for report in reports for topic in report.topics}
        chosen = choose_topics(named, known, strict=False)
        for note in chosen.notes if reports else ():
            reports[0].add("warning", note)
        return cls(chosen, where, f"topics of {where}", "not among those of")

    @classmethod
    def judged(cls, qrels: Report) -> _Task:
        """Those that are judged."""
        return cls(qrels.topics, qrels.where, f"judged in {qrels.where}", "not judged in")


def _compare(report: Report, judged: Report | None, task: _Task | None) -> None:
    """Note what a file has not in common with the task, and a run with the judgments."""
    if report.kind == "qrels":
        if task is not None:
            _other_topics(report, task, report.topics)
        return
    if task is None and judged is not None:
        task = _Task.judged(judged)
    if report.topics and task is not None:
        each = report.runs.items()
        loud = [x for name, lists in each for x in _compared(report, judged, task, name, lists)]
        report.problems[:0] = loud
    elif judged is not None and report.format == judged.format == "letor":
        _compare_lines(report, judged)


def _other_topics(report: Report, task: _Task, topics: Iterable[str], of: str = "") -> None:
    """Note topics that are not among those to be answered."""
    known = {*task.topics}
    if others := [topic for topic in topics if topic not in known]:
        report.add("warning", f"{of}{some(others, 'topic')} {task.others} {task.where}")


def _compared(
    run: Report, judged: Report | None, task: _Task, name: str, lists: Mapping[str, None]
) -> Iterator[Problem]:
    """Note what a run has not in common with task and judgments; what is said first is given."""
    of = f"run {name}: " if len(run.runs) > 1 else ""
    missing = [t for t in task.topics if t not in lists]
    if len(missing) == len(task.topics):
        run.add("error", f"{of}{no_topic([*lists], task.topics, task.source)}")
        return
    if judged is not None and name not in run.judged:
        text = f"{of}none of its documents is judged in {judged.where}"
        yield Problem("warning", run.where, None, text)
    if 2 * len(missing) > len(task.topics):
        answered = f"only {len(task.topics) - len(missing)} of {len(task.topics)}"
        text = f"{of}{answered} topics of {task.where} answered"
        yield Problem("warning", run.where, None, text)
    if missing:
        run.add("warning", f"{of}{some(missing, 'topic')} of {task.where} not answered")
    _other_topics(run, task, lists, of)
    if folded := explain_folded(match_folded([*lists], task.topics)):
        run.add("warning", f"{of}{folded}")


def _shared_tags(reports: Sequence[Report]) -> None:
    """Note tags that are those of another file, too, as names of runs are then those of files."""
    files: dict[str, list[Report]] = {}
    for report in reports:
        for tag in filter(None, report.runs if report.kind == "run" else ()):
            files.setdefault(tag, []).append(report)
    for tag, few in files.items():
        for report in few if len(few) > 1 else ():
            others = some([x.where for x in few if x is not report], "other file")
            text = f"run tag {tag} is that of {others}, too: such runs are named by their files"
            report.add("warning", text)


def _compare_lines(predictions: Report, qrels: Report) -> None:
    if predictions.count("error") or qrels.count("error"):
        return  # their lines are not all counted
    if predictions.lines != qrels.lines:
        found = f"{predictions.lines:,} predictions"
        expected = f"{qrels.lines:,}: one for each judgment of {qrels.where}"
        predictions.add("error", f"found {found}, expected {expected}")


def validate_file(
    path: str, kind: str | None = None, format: str | None = None, text: Text = TAGGED
) -> Report:
    """Look for every problem in one file."""
    opened = _file(path, kind, format, text)
    return opened.with_predictions([opened]).report(None)


# -- what is looked over --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Opened:
    """A file, or what of a directory belongs together: what it is, before it is read."""

    source: Source
    kind: Kind
    format: Format
    name: str  # of the format
    text: Text
    broken: InputError | None = None  # why it cannot be read at all
    numbers: bool = False  # whether it may be predictions for LETOR data, and nothing else

    def with_predictions(self, others: Sequence[_Opened]) -> _Opened:
        """This file as predictions, if `evaluate` reads it so: with LETOR data as judgments.

        Without any judgments they are predictions, unless the name of the file tells a format.
        """
        judged = [one.format for one in others if one.kind == "qrels" and not one.numbers]
        letor = FORMAT["letor"]
        if self.numbers and (letor in judged or (not judged and self.format in (TREC, letor))):
            name = letor.called(self.source, "run") or letor.name
            return replace(self, kind="run", format=letor, name=name, broken=None)
        return self

    def described(self) -> str:
        """What was decided when it was recognised."""
        try:
            decision = Decision(self.format, self.text)
            return decision.described(self.source, self.kind, self.name)
        except (CranfieldError, ValueError, TypeError, RecursionError):
            return f"{self.name} {self.kind}"  # and let its problems say what is wrong

    def report(self, judged: Report | None, fast: bool = True, most: int | None = None) -> Report:
        """Look for every problem, and for judged documents."""
        try:
            if self.broken is not None:
                raise self.broken
            return self._looked_over(judged, fast, most)
        except InputError as error:
            if error.where is None:  # an option is wrong, not the file
                raise
            report = Report(self.source.name, self.kind, self.name)
            report.problems.append(Problem.error(error, report.where))
            return report

    def _looked_over(self, judged: Report | None, fast: bool, most: int | None) -> Report:
        report = Report(self.source.name, self.kind, self.name, self.described)
        look = Look(self.format, self.source, self.kind, self.text, fast)
        odd = _Oddities(self.kind, self.text.by_tag)
        lists = whole_topics(self._noted(report, look, odd, judged))
        for table in lists:
            odd.add(table)
        if odd.scattered:
            again = Look(self.format, self.source, self.kind, self.text, fast)
            odd = odd.of_all(again.tables())
        if fast and odd.contradicted and 0 in odd.contradicted.values() and self.format.lined:
            return self._looked_over(judged, False, most)  # which knows the lines
        report.problems += look.found(most)
        if self.kind == "run" and self.format.lined and self.format.checks is None:
            report.description = self.source.description
        report.topics = tuple(dict.fromkeys(topic for run in report.runs.values() for topic in run))
        self._oddities(report, odd)
        return report

    def _noted(
        self, report: Report, look: Look, odd: _Oddities, judged: Report | None
    ) -> Iterator[Table]:
        """The tables of a file, when what is in them has been noted."""
        kept: list[Table] = []
        for table in look.tables():
            report.lines += len(table)
            for one in table.by_tag() if self.kind == "run" else [table]:
                if len(one):
                    odd.tags[one.tag or ""] = None
                    self._note(report, one, judged)
            if self.kind == "qrels":
                kept.append(table.compact())
            odd.scattered = odd.scattered or (self.text.by_tag and len(odd.tags) > 1)
            if len(table):
                yield table
        if kept:
            report.table = Table.joined(kept).grouped()

    def _note(self, report: Report, table: Table, judged: Report | None) -> None:
        """Note the topics of a run, and whether it returns anything that is judged."""
        name = (table.tag or "") if self.kind == "run" and self.text.by_tag else ""
        report.runs.setdefault(name, {}).update(dict.fromkeys(table.names))
        if judged is not None and name not in report.judged and _any_judged(judged, table):
            report.judged.add(name)

    def _oddities(self, report: Report, odd: _Oddities) -> None:
        if self.kind == "qrels":
            odd.of_qrels(report)
            return
        if self.format.placed:
            report.topics = ()  # those of the judgments
            return
        if self.format.checks is not None:  # topics may have no documents
            report.topics = tuple(topic_dirs.topics_of(self.source))
            report.runs.setdefault("", {}).update(dict.fromkeys(report.topics))
        else:
            odd.of_run(report)


def _any_judged(judged: Report, table: Table) -> bool:
    """Whether a document of a table is judged."""
    known = judged.table
    if known is None:
        return False
    place = {name: i for i, name in enumerate(known.names)}
    topic = np.array([place.get(name, -1) for name in table.names], dtype=np.int64)
    return bool((known.find(table.docs, table.hashes, topic[table.group]) >= 0).any())


def _opened(path: str, kind: str | None, format: str | None, text: Text) -> Iterator[_Opened]:
    """What is to be looked over at a path: of topic directories the judgments and each run."""
    if not os.path.isdir(path):
        yield _file(path, kind, format, text)
        return
    if not topic_dirs.holds(path, "qrels"):
        raise CranfieldError(f"{path} is a directory, expected a file or topic directories")
    text = replace(text, intents=False, by_tag=False)
    yield _Opened(Source.of(path), "qrels", DIRECTORIES, "ntcir", text)
    for run in topic_dirs.runs(path):
        yield _Opened(Source.of(run), "run", DIRECTORIES, "trec", text)


def _file(path: str, kind: str | None, format: str | None, text: Text) -> _Opened:
    source = Source.of(path)
    kinds: tuple[Kind, ...] = get_args(Kind)
    known = next((one for one in kinds if kind == one), None)
    if kind != known:
        raise InputError(f"kind {kind!r}", "qrels or run")
    try:
        return _recognised(source, known, format, text)
    except InputError as error:
        if error.where is None:  # an option is wrong, not the file
            raise
        return _Opened(source, known or "run", FORMAT["trec"], "not recognised", text, error)


def _recognised(source: Source, known: Kind | None, format: str | None, text: Text) -> _Opened:
    decision = decide(source, format, text, known)
    found, text = decision.format, decision.text
    numbers = format in (None, "letor") and known != "qrels" and letor.are_predictions(source)
    holds = known or ("run" if numbers else found.kind_of(source, text))
    name = found.called(source, holds) or found.name
    return _Opened(source, holds, found, name, text, numbers=numbers)


# -- what is odd but no error ---------------------------------------------------------------------


@dataclass
class _Oddities:
    """What is odd with the lists of a file, whole topics at a time."""

    kind: Kind
    by_tag: bool
    tags: dict[str, None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)  # topics
    scattered: bool = False  # whether lines of a list are not side by side
    relevant: set[str] = field(default_factory=set)  # topics with a relevant document
    documents: int = 0
    tied: int = 0
    tied_lists: list[str] = field(default_factory=list)
    nearly: int = 0  # tied in single precision only
    decimals: int = 0  # of scores, at most; those beyond a few are not counted
    contradicted: dict[str, int] = field(default_factory=dict)  # the line, or 0, by list

    def add(self, table: Table, of: str = "") -> None:
        """Some whole lists, of a run that is to be told from others."""
        if self.kind == "qrels":
            best = np.maximum.reduceat(table.values, table.starts)
            self.relevant |= {n for n, x in zip(table.names, best.tolist(), strict=True) if x > 0}
            return
        self.scattered = self.scattered or (not of and not self.seen.isdisjoint(table.names))
        if self.scattered and not of:
            return
        self.seen.update(table.names)
        self.documents += len(table)
        table = table.where(~np.isnan(table.values))
        if len(table):
            names = [f"{name}{of}" for name in table.names]
            self._ties(table, names)
            self._contradictions(table, names)

    def of_all(self, tables: Iterable[Table]) -> _Oddities:
        """The same of lists that are not side by side: all of them at once."""
        each: dict[str, list[Table]] = {}
        for table in tables:
            for one in table.by_tag() if self.by_tag else [table]:
                if len(one):
                    each.setdefault((one.tag or "") * self.by_tag, []).append(one.compact())
        made = _Oddities(self.kind, self.by_tag, self.tags)
        for tag, few in each.items():
            of = f" of run {tag}" if len(each) > 1 else ""
            made.seen.clear()
            made.add(Table.joined(few).grouped(), of)
        return made

    def _ties(self, table: Table, names: Sequence[str]) -> None:
        values, group = table.values, table.group
        equal = _shared(values, group)
        with np.errstate(over="ignore"):  # all that is too large for single precision is tied
            single = _shared(values.astype(np.float32), group)
        self.tied += int(equal.sum())
        self.tied_lists += [names[i] for i in np.unique(group[equal]).tolist()]
        self.nearly += int((single & ~equal).sum())
        while self.decimals <= FEW_DECIMALS and not _rounded(values, self.decimals):
            self.decimals += 1

    def _contradictions(self, table: Table, names: Sequence[str]) -> None:
        """Lists in which the rank of a document is worse and its score higher than another's."""
        if table.ranks is None:
            return
        lines = np.zeros(len(table), dtype=np.int64) if table.lines is None else table.lines
        ranked = ~np.isnan(table.ranks)
        rank, value, group, line = (
            column[ranked] for column in (table.ranks, table.values, table.group, lines)
        )
        inside = group[1:] == group[:-1]
        if not (inside & ((rank[1:] < rank[:-1]) | (value[1:] > value[:-1]))).any():
            return
        order = np.lexsort((-value, rank, group))
        value, group, line = value[order], group[order], line[order]
        rises = np.flatnonzero((group[1:] == group[:-1]) & (value[1:] > value[:-1])) + 1
        _, first = np.unique(group[rises], return_index=True)
        for row in rises[first].tolist():
            self.contradicted[names[group[row]]] = int(line[row])

    # -- in words ---------------------------------------------------------------------------------

    def of_qrels(self, report: Report) -> None:
        """Note topics without a relevant document."""
        without = [topic for topic in report.topics if topic not in self.relevant]
        if without:
            report.add("warning", f"{some(without, 'topic')} without a relevant document")

    def of_run(self, report: Report) -> None:
        """Note ties, ranks that contradict scores, and several tags."""
        if self.tied_lists:
            text = f"{self.tied} of {self.documents} documents share their score with another"
            report.add("warning", f"{text}, in {some(self.tied_lists, 'topic')}")
            if self.decimals <= FEW_DECIMALS:
                text = f"no score has more than {counted(self.decimals, 'decimal')}"
                report.add("warning", f"{text}: are the ties due to rounding?")
        if self.nearly:
            text = f"{self.nearly} documents have scores that differ beyond single precision only"
            report.add("warning", f"{text}: other tools may tie them")
        if self.contradicted:
            line = min(self.contradicted.values())
            report.add("warning", disagreement(list(self.contradicted)), line or None)
        _tags(report, [tag for tag in self.tags if tag], self.by_tag)


def _tags(report: Report, tags: list[str], by_tag: bool) -> None:
    """Note several tags, and whether they are several runs."""
    if by_tag:
        try:
            refuse_many(tags, report.where)
        except InputError as error:
            report.problems.append(Problem.error(error, report.where))
    if len(tags) > 1:
        taken = "each a run (--run-names file: all are one)" if by_tag else "taken as one run"
        report.add("warning", f"{some(tags, 'run tag')}, {taken}")


def _shared(scores: npt.NDArray[np.floating[Any]], group: Ints) -> Bools:
    """Which scores occur more than once in their group."""
    inside = group[1:] == group[:-1]
    order = np.arange(len(scores))
    if (inside & (scores[1:] > scores[:-1])).any():
        order = np.lexsort((scores, group))
        scores, inside = scores[order], group[order][1:] == group[order][:-1]
    same = inside & (scores[1:] == scores[:-1])
    either = np.zeros(len(scores), dtype=bool)
    either[1:] |= same
    either[:-1] |= same
    found = np.empty_like(either)
    found[order] = either
    return found


def _rounded(scores: Floats, decimals: int) -> bool:
    """Whether no score has more decimals.

    A quotient of whole numbers is rounded as the decimal is; larger scores are asked one by one.
    """
    power = 10.0**decimals
    with np.errstate(over="ignore", invalid="ignore"):
        others = scores[np.rint(scores * power) / power != scores]
    if (np.abs(others) * power < 1 << 51).any():
        return False
    return all(_decimals(score) <= decimals for score in np.unique(others).tolist())


def _decimals(score: float) -> int:
    exponent = Decimal(repr(score)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
