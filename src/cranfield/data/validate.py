"""Everything that is wrong, or odd, with files of judgments and runs."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from cranfield.arrays import Floats
from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading import letor
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import FORMAT, recognise
from cranfield.data.reading.records import Problem, Record, Severity, Text
from cranfield.data.reading.source import Source
from cranfield.data.run import no_judged_topic
from cranfield.data.systems import refuse_many
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import some

TAGGED = Text(by_tag=True)
FEW_DECIMALS = 4  # ties between scores with so few are likely to come from rounding


@dataclass
class Report:
    """What `validate` found in one file."""

    where: str
    kind: Kind
    format: str
    lines: int = 0
    topics: tuple[str, ...] = ()
    runs: dict[str, dict[str, set[str]]] = field(default_factory=dict)  # documents by run and topic
    problems: list[Problem] = field(default_factory=list)

    def count(self, severity: str) -> int:
        """How many errors or warnings there are."""
        return sum(p.severity == severity for p in self.problems)

    def add(self, severity: Severity, text: str, line: int | None = None) -> None:
        """Note a problem of the file as a whole."""
        self.problems.append(Problem(severity, self.where, line, text))


def validate(
    paths: Iterable[str], kind: str | None = None, format: str | None = None, text: Text = TAGGED
) -> list[Report]:
    """Look for every problem in some files, and in how the runs fit the judgments among them."""
    reports: list[Report] = []
    for path in paths:
        if os.path.isdir(path):
            reports += _validate_directory(path, text)
        else:
            reports.append(validate_file(path, kind, format, text))
    judged = next((r for r in reports if r.kind == "qrels" and r.topics), None)
    if judged is not None:
        for report in reports:
            if report.kind == "run" and report.topics:
                each = report.runs.items()
                loud = [x for name, lists in each for x in _compared(report, judged, name, lists)]
                report.problems[:0] = loud
            elif report.kind == "run" and report.format == judged.format == "letor":
                _compare_lines(report, judged)
    return reports


def _compared(
    run: Report, qrels: Report, name: str, lists: Mapping[str, Collection[str]]
) -> Iterator[Problem]:
    """Note what a run and the judgments do not have in common; what is said first is given."""
    of = f"run {name}: " if len(run.runs) > 1 else ""
    missing = [t for t in qrels.topics if t not in lists]
    if len(missing) == len(qrels.topics):
        error = no_judged_topic([*lists], qrels.topics, qrels.where)
        run.add("error", f"{of}{error}")
        return
    judged = qrels.runs.get("", {})
    if judged and all(judged.get(t, set()).isdisjoint(docs) for t, docs in lists.items()):
        text = f"{of}none of its documents is judged in {qrels.where}"
        yield Problem("warning", run.where, None, text)
    if 2 * len(missing) > len(qrels.topics):
        answered = f"only {len(qrels.topics) - len(missing)} of {len(qrels.topics)}"
        text = f"{of}{answered} topics of {qrels.where} answered"
        yield Problem("warning", run.where, None, text)
    unjudged = [t for t in lists if t not in judged]
    if missing:
        run.add("warning", f"{of}{some(missing, 'topic')} of {qrels.where} not answered")
    if unjudged:
        run.add("warning", f"{of}{some(unjudged, 'topic')} not judged in {qrels.where}")


def _compare_lines(predictions: Report, qrels: Report) -> None:
    if predictions.count("error") or qrels.count("error"):
        return  # their lines are not all counted
    if predictions.lines != qrels.lines:
        found = f"{predictions.lines:,} predictions"
        expected = f"{qrels.lines:,}: one for each judgment of {qrels.where}"
        predictions.add("error", f"found {found}, expected {expected}")


def _validate_directory(path: str, text: Text) -> list[Report]:
    """Look for every problem in topic directories: in the judgments, and in each run."""
    if not topic_dirs.holds(path, "qrels"):
        raise CranfieldError(f"{path} is a directory, expected a file or topic directories")
    text = replace(text, intents=False)
    judged = Report(path, "qrels", "ntcir")
    _collect(judged, topic_dirs.errors(Source.of(path), "qrels", text))
    reports = [judged]
    for run in topic_dirs.runs(path):
        report, source = Report(run, "run", "trec"), Source.of(run)
        _collect(report, topic_dirs.errors(source, "run", text))
        report.topics = tuple(topic_dirs.topics_of(source))
        lists = report.runs.setdefault("", {})
        lists.update({topic: set() for topic in report.topics if topic not in lists})
        reports.append(report)
    return reports


def _collect(
    report: Report, items: Iterable[Problem | Record], by_tag: bool = False
) -> list[Record]:
    """Note the problems and the size of a file, and give its records."""
    found: list[Record] = []
    for item in items:
        if isinstance(item, Problem):
            report.problems.append(item)
        else:
            found.append(item)
    report.lines = len(found)
    report.topics = tuple(dict.fromkeys(r.topic for r in found))
    for r in found:
        tag = (r.tag or "") if report.kind == "run" and by_tag else ""
        report.runs.setdefault(tag, {}).setdefault(r.topic, set()).add(r.doc)
    if report.kind == "qrels":
        _oddities_of_qrels(report, found)
    return found


def validate_file(
    path: str, kind: str | None = None, format: str | None = None, text: Text = TAGGED
) -> Report:
    """Look for every problem in one file."""
    source = Source.of(path)
    kinds: tuple[Kind, ...] = get_args(Kind)
    known = next((one for one in kinds if kind == one), None)
    if kind != known:
        raise InputError(f"kind {kind!r}", "qrels or run")
    recognised = recognise(source, format, text.separator, text.labels or (), known)
    if format in (None, "letor") and known != "qrels" and letor.are_predictions(source):
        known, recognised = "run", FORMAT["letor"]
    report = Report(source.name, known or recognised.kind_of(source, text), recognised.name)
    found = _collect(report, recognised.errors(source, report.kind, text), text.by_tag)
    if report.kind == "run" and recognised.placed:
        report.topics = ()  # those of the judgments
    elif report.kind == "run":
        _oddities_of_run(report, found, text.by_tag)
    return report


# -- what is odd but no error ---------------------------------------------------------------------


def _oddities_of_qrels(report: Report, found: list[Record]) -> None:
    relevant = {r.topic for r in found if r.value is not None and r.value > 0}
    without = [t for t in report.topics if t not in relevant]
    if without:
        report.add("warning", f"{some(without, 'topic')} without a relevant document")


def _oddities_of_run(report: Report, found: list[Record], by_tag: bool) -> None:
    tags = list(dict.fromkeys(r.tag for r in found if r.tag is not None))
    lists: dict[str, list[Record]] = {}
    for record in found:
        tag = f" of run {record.tag}" if by_tag and len(tags) > 1 else ""
        lists.setdefault(f"{record.topic}{tag}", []).append(record)
    scores = {
        t: np.array([r.value for r in few if r.value is not None]) for t, few in lists.items()
    }
    _ties(report, scores, len(found))
    lines = {topic: _contradiction(few) for topic, few in lists.items()}
    contradicted = {topic: line for topic, line in lines.items() if line is not None}
    if contradicted:
        text = f"ranks contradict scores in {some(list(contradicted), 'topic')}; the scores decide"
        report.add("warning", text, min(contradicted.values()) or None)
    _tags(report, tags, by_tag)


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


def _ties(report: Report, scores: Mapping[str, Floats], documents: int) -> None:
    """Note scores that are equal, or would be in single precision."""
    equal = {topic: _tied(x) for topic, x in scores.items()}
    topics = [topic for topic, same in equal.items() if same.any()]
    if topics:
        tied = sum(int(same.sum()) for same in equal.values())
        text = f"{tied} of {documents} documents share their score with another"
        report.add("warning", f"{text}, in {some(topics, 'topic')}")
        decimals = max(_decimals(score) for x in scores.values() for score in x.tolist())
        if decimals <= FEW_DECIMALS:
            text = f"no score has more than {decimals} decimals"
            report.add("warning", f"{text}: are the ties due to rounding?")
    with np.errstate(over="ignore"):  # all that is too large for single precision is tied
        single = {topic: _tied(x.astype(np.float32)) for topic, x in scores.items()}
    nearly = sum(int((same & ~equal[topic]).sum()) for topic, same in single.items())
    if nearly:
        text = f"{nearly} documents have scores that differ beyond single precision only"
        report.add("warning", f"{text}: other tools may tie them")


def _tied(scores: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.bool_]:
    """Which scores occur more than once."""
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


def _decimals(score: float) -> int:
    exponent = Decimal(repr(score)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _contradiction(records: list[Record]) -> int | None:
    """The line of a document whose rank is worse and score higher than another's."""
    ranked = [r for r in records if r.rank is not None and r.value is not None]
    ranked.sort(key=lambda r: (r.rank, -(r.value or 0.0)))
    for above, below in pairwise(ranked):
        if (above.value or 0.0) < (below.value or 0.0):
            return below.line or 0
    return None
