"""Everything that is wrong, or odd, with files of judgments and runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading import letor
from cranfield.data.reading.columns import SPELLINGS, TREC, Kind
from cranfield.data.reading.formats import Format, recognise
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.records import PLAIN, Problem, Record, Text, errors, fields_of
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import read_binary
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import some

FEW_DECIMALS = 4  # ties between scores with so few are likely to come from rounding


@dataclass
class Report:
    """What `validate` found in one file."""

    where: str
    kind: Kind
    format: Format
    lines: int = 0
    topics: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)

    def count(self, severity: str) -> int:
        """How many errors or warnings there are."""
        return sum(p.severity == severity for p in self.problems)

    def add(self, severity: str, text: str, line: int | None = None) -> None:
        """Note a problem of the file as a whole."""
        self.problems.append(
            Problem("error" if severity == "error" else "warning", self.where, line, text)
        )


def validate(
    paths: Iterable[str], kind: str | None = None, format: str | None = None, text: Text = PLAIN
) -> list[Report]:
    """Look for every problem in some files, and in how the runs fit the judgments among them."""
    reports = [
        report
        for path in paths
        for report in (
            _validate_directory(path, text)
            if os.path.isdir(path)
            else [validate_file(path, kind, format, text)]
        )
    ]
    judged = next((r for r in reports if r.kind == "qrels" and r.topics), None)
    if judged is not None:
        for report in reports:
            if report.kind == "run" and report.topics:
                _compare_topics(report, judged)
            elif report.kind == "run" and report.format == judged.format == "letor":
                _compare_lines(report, judged)
    return reports


def _compare_topics(run: Report, qrels: Report) -> None:
    missing = [t for t in qrels.topics if t not in set(run.topics)]
    unjudged = [t for t in run.topics if t not in set(qrels.topics)]
    if missing:
        run.add("warning", f"{some(missing, 'topic')} of {qrels.where} not answered")
    if unjudged:
        run.add("warning", f"{some(unjudged, 'topic')} not judged in {qrels.where}")


def _compare_lines(predictions: Report, qrels: Report) -> None:
    if predictions.count("error") or qrels.count("error"):
        return  # their lines are not all counted
    if predictions.lines != qrels.lines:
        found = f"{predictions.lines:,} predictions"
        expected = f"{qrels.lines:,}: one for each judgment of {qrels.where}"
        predictions.add("error", f"found {found}, expected {expected}")


def _validate_directory(path: str, text: Text) -> list[Report]:
    """Look for every problem in topic directories: in the judgments, and in each run."""
    inside = topic_dirs.judgments(path, text)
    if inside is None:
        raise CranfieldError(f"{path} is a directory, expected a file or topic directories")
    judged = Report(path, "qrels", "ntcir")
    _collect(judged, inside)
    reports = [judged]
    for run in topic_dirs.runs(path):
        files = topic_dirs.list_files(run)
        reports.append(Report(run, "run", "trec", topics=tuple(files)))
        for source in files.values():
            try:
                reports[-1].lines += len(topic_dirs.read_list(source, text.separator))
            except InputError as error:
                reports[-1].problems.append(Problem.error(error, source.name))
    return reports


def _collect(report: Report, items: Iterable[Problem | Record]) -> list[Record]:
    """Note the problems and the size of a file, and give its records."""
    found: list[Record] = []
    for item in items:
        if isinstance(item, Problem):
            report.problems.append(item)
        else:
            found.append(item)
    report.lines = len(found)
    report.topics = tuple(dict.fromkeys(r.topic for r in found))
    if report.kind == "qrels":
        _oddities_of_qrels(report, found)
    return found


def validate_file(
    path: str, kind: str | None = None, format: str | None = None, text: Text = PLAIN
) -> Report:
    """Look for every problem in one file."""
    source = Source.of(path)
    recognised = recognise(source, format, text.separator, text.labels or ())
    if kind is not None and kind not in get_args(Kind):
        raise InputError(f"kind {kind!r}", "qrels or run")
    if format in (None, "letor") and kind != "qrels" and letor.are_predictions(source):
        kind, recognised = "run", "letor"
    told = kind or _kind(source, recognised, text.separator, text.intents)
    report = Report(source.name, "qrels" if told == "qrels" else "run", recognised)
    if recognised == "letor":
        _collect(report, letor.errors(source, report.kind))
        if report.kind == "run":
            report.topics = ()  # those of the judgments
        return report
    found = _collect(report, errors(source, recognised, report.kind, text))
    if report.kind == "run":
        _oddities_of_run(report, found)
    return report


def _kind(source: Source, format: Format, separator: str | None, by_intent: bool = False) -> Kind:
    """Judgments or results? Told by the number or the names of the columns, or by the values."""
    if format in ("ntcir", "early", "letor"):
        return "qrels"
    if format == "trec":
        # A line with a mistake in it may have any number of fields: most lines decide.
        widths = Counter(len(fields_of(line, separator)) for line in _first_lines(source)[:100])
        width = widths.most_common(1)[0][0] if widths else 0
        return "qrels" if 0 < width <= len(TREC["qrels"]) else "run"
    try:
        if format == "json":
            data = read_json(source)
            docs = [d for d in data.values() if isinstance(d, dict)]
            if by_intent:
                docs = [d for of_topic in docs for d in of_topic.values() if isinstance(d, dict)]
            values = [v for d in docs for v in d.values()]
            return "qrels" if values and all(isinstance(v, int) for v in values) else "run"
        names = {str(name).strip(' "').lower() for name in _column_names(source, format)}
    except (CranfieldError, AttributeError, ValueError):
        return "run"  # and let the records say what is wrong
    if names & {*SPELLINGS["rank"], *SPELLINGS["tag"]}:
        return "run"
    levels = {*SPELLINGS["level"]} - {"score"}
    return "qrels" if names & levels or "corpus-id" in names else "run"


def _first_lines(source: Source) -> list[str]:
    lines = source.start.decode("utf-8", "replace").splitlines()
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _column_names(source: Source, format: Format) -> list[str]:
    if format in ("parquet", "arrow"):
        return read_binary(source, format).columns
    first = next(iter(_first_lines(source)), "")
    if format == "jsonl":
        import json

        return list(json.loads(first))
    return first.split("," if format == "csv" else "\t")


# -- what is odd but no error -----------------------------------------------------------------


def _oddities_of_qrels(report: Report, found: list[Record]) -> None:
    relevant = {r.topic for r in found if r.value is not None and r.value > 0}
    without = [t for t in report.topics if t not in relevant]
    if without:
        report.add("warning", f"{some(without, 'topic')} without a relevant document")


def _oddities_of_run(report: Report, found: list[Record]) -> None:
    by_topic: dict[str, list[Record]] = {}
    for record in found:
        by_topic.setdefault(record.topic, []).append(record)
    tied = nearly = 0
    tied_topics: list[str] = []
    contradicted: dict[str, int] = {}
    for topic, records in by_topic.items():
        scores = np.array([r.value for r in records if r.value is not None])
        same = _tied(scores)
        if same.any():
            tied_topics.append(topic)
            tied += int(same.sum())
        with np.errstate(over="ignore"):  # all that is too large for single precision is tied
            nearly += int((_tied(scores.astype(np.float32)) & ~same).sum())
        line = _contradiction(records)
        if line is not None:
            contradicted[topic] = line
    if tied:
        said = f"{tied} of {len(found)} documents share their score with another"
        report.add("warning", f"{said}, in {some(tied_topics, 'topic')}")
        decimals = max(_decimals(r.value) for r in found if r.value is not None)
        if decimals <= FEW_DECIMALS:
            said = f"no score has more than {decimals} decimals"
            report.add("warning", f"{said}: are the ties due to rounding?")
    if nearly:
        said = f"{nearly} documents have scores that differ beyond single precision only"
        report.add("warning", f"{said}: other tools may tie them")
    if contradicted:
        said = f"ranks contradict scores in {some(list(contradicted), 'topic')}; the scores decide"
        report.add("warning", said, min(contradicted.values()) or None)
    tags = list(dict.fromkeys(r.tag for r in found if r.tag is not None))
    if len(tags) > 1:
        report.add(
            "warning", f"{len(tags)} run tags ({', '.join(tags[:5])}); the first names the run"
        )


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
