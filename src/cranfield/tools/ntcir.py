"""The work of NTCIREVAL's scripts: topic directories, all topics of many runs, means and matrices.

What is to be written comes as ``{path: text}`` and is complete before the first file is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from cranfield.data.ntcir.ir4qa import is_ir4qa, read_ir4qa
from cranfield.data.ntcir.nev import file_name, read_names, read_numbers, read_results, topic_file
from cranfield.data.ntcir.topic_dirs import MADE, RES, Judged, read_list, read_rel
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.columns import EARLY, TREC
from cranfield.data.reading.formats import NTCIR, recognise
from cranfield.data.reading.labels import GRADES, LabelsLike, read_labels
from cranfield.data.reading.lines import fields_of, finite, text_lines
from cranfield.data.reading.records import Text
from cranfield.data.reading.source import Source
from cranfield.data.run import read_run
from cranfield.data.tracks import read_gains
from cranfield.errors import InputError, to_list
from cranfield.scores import FLOOR, Notice, Scores
from cranfield.tools.drop_ins import Printed, about_topics, mean_of, text_of
from cranfield.tools.ntcir_eval import Setting, Topic, compute, label, labelled_text
from cranfield.wording import counted, some, suggests_keywords

T = TypeVar("T")
Path: TypeAlias = str | os.PathLike[str]
Gains: TypeAlias = tuple[float, ...]
Names: TypeAlias = Path | Iterable[str]  # names, or a file with one on each line
Results: TypeAlias = Mapping[str, Mapping[str, float]]  # {topic: {measure: value}}
Made: TypeAlias = tuple[dict[str, str], list[Notice]]  # what to write, and what to say about it

ROBUST = {"2": 3, "1": 1, "0": 0}  # TREC's robust track: relevant is two steps above partially
LIMIT = 1000


def names(given: Names) -> tuple[str, ...]:
    """The topics or runs in a list, or in a file."""
    if isinstance(given, str | os.PathLike):
        return read_names(Source.of(given))
    return tuple(map(str, to_list("names", given, "a path, or a list of names")))


# -- topic directories ----------------------------------------------------------------------------


def tid_file(path: str) -> str:
    """Where the list of topics goes: beside the file that they are taken from."""
    if path == "-":
        raise InputError("-", "a file: the list of topics is named after it")
    return f"{path}.tid"


def split_qrels(
    qrels: str,
    suffix: str,
    separator: str | None = None,
    directory: str = "",
    qrels_format: str | None = None,
) -> Made:
    """Judgments to a directory for each topic.

    Write TOPIC/TOPIC.SUFFIX, the judgments of each topic, and QRELS.tid, the list of topics.
    """
    source = Source.of(qrels)
    tid = tid_file(qrels)
    if suffix in MADE:
        raise InputError(f"suffix {suffix!r}", "another, such as rel")
    judged = read_qrels(qrels, qrels_format, separator=separator)  # has looked at every line
    if recognise(source, qrels_format, separator) is NTCIR:
        lines, notices = _lines_of_topics(source, separator), []
    else:
        lines = _labelled_lines(judged, separator or " ")
        text = f"{qrels} is not in NTCIR's format: levels are written as labels, 2 as L2"
        notices = [Notice("relabelled", text)]
    topics = sorted(lines)
    files = {topic_file(topic, suffix, directory): text_of(lines[topic]) for topic in topics}
    return {**files, tid: text_of(topics)}, notices


def _lines_of_topics(source: Source, separator: str | None) -> dict[str, list[str]]:
    """Lines as they are, but for the topic."""
    lines: dict[str, list[str]] = {}
    for _, line in text_lines(source):
        between = None if separator is None else separator.encode()
        topic, rest = line.encode().split(between, 1)  # of bytes: between ASCII blanks
        lines.setdefault(topic.strip().decode(), []).append(rest.decode())
    return lines


def _labelled_lines(qrels: Qrels, separator: str) -> dict[str, list[str]]:
    def line(topic: str, doc: str, level: float) -> str:
        if level < 0 or not level.is_integer():
            found = f"level {level:g} for document {doc} of topic {topic}"
            expected = "whole levels from 0 (`cranfield ntcir convert trec --map` gives others)"
            raise InputError(found, expected, qrels.where)
        return f"{_field(doc, separator, qrels.where)}{separator}L{level:.0f}"

    judged = qrels.to_dict()
    return {t: [line(t, d, level) for d, level in docs.items()] for t, docs in judged.items()}


def _field(doc: str, separator: str, where: str | None) -> str:
    """Return a document that can be a field of a line, or raise an error."""
    if separator in doc or len(fields_of(doc, None if separator == " " else "\n")) != 1:
        raise InputError(f"document {doc!r}", f"no {separator!r} in it", where)
    return doc


def split_runs(
    topics: Names,
    runs: Names = "-",
    limit: int = LIMIT,
    separator: str | None = None,
    directory: str = "",
) -> Made:
    """Runs to the directories of topics, without ranking them again.

    Write TOPIC/TOPIC.RUN.res, the documents of each topic in the order of the run's file. RUN is
    the file's name. XML runs of IR4QA are recognised.
    """
    if limit < 1:
        raise InputError(f"limit {limit}", "a whole number from 1")

    def lists(path: str) -> tuple[str, Mapping[str, Sequence[str]]]:
        source, run = Source.of(path), os.path.basename(path)
        if is_ir4qa(source):
            return run.removesuffix(".xml"), read_ir4qa(source)
        return run, read_run(path, ties="given", separator=separator, run_names="first").rankings()

    def text(docs: Sequence[str], path: str) -> str:
        return text_of(_field(doc, separator or " ", path) for doc in docs[:limit])

    return split(names(runs), names(topics), RES, directory, lists, text)


def split(
    paths: Sequence[str],
    topics: Sequence[str],
    ending: str,
    directory: str,
    read: Callable[[str], tuple[str, Mapping[str, T]]],
    text: Callable[[T, str], str],
) -> Made:
    """What runs have for each topic, as files of their own; topics that they lack are empty.

    `read` gives the name of the run in a file and what it has for topics; `text` writes that.
    """
    files: dict[str, str] = {}
    notices: list[Notice] = []
    taken: dict[str, str] = {}
    for path in paths:
        run, found = read(path)
        if run in taken:  # its files would be written over
            raise InputError(f"{taken[run]} and {path}", "different file names")
        taken[run] = path
        for topic in topics:
            made = text(found[topic], path) if topic in found else ""
            files[topic_file(topic, f"{run}.{ending}", directory)] = made
        empty = (topic for topic in topics if topic not in found)
        notices += about_topics("missing-topics", empty, f"{run}: nothing for ", "", run)
        other = (topic for topic in found if topic not in topics)
        left_out = " not in the list of topics, left out"
        notices += about_topics("other-topics", other, f"{run}: ", left_out, run)
    return files, notices


# -- all topics of many runs ----------------------------------------------------------------------


class Batch:
    """The runs and topics that are evaluated under a name, and how their files are.

    Runs and topics may be in files; `truncate` says how many items of a list are looked at, and
    `directory` where those of the topics are.
    """

    def __init__(
        self,
        topics: Names,
        name: str,
        runs: Names = "-",
        separator: str | None = None,
        truncate: int | None = None,
        directory: str = "",
    ) -> None:
        self.runs, self.topics, self.name = names(runs), names(topics), file_name(name, "name")
        self.separator, self.truncate, self.directory = separator, truncate, directory

    def path(self, topic: str, suffix: str) -> str:
        """One of a topic's files."""
        return topic_file(topic, suffix, self.directory)

    def sources(self, suffix: str) -> dict[str, Source]:
        """The file with this suffix of each topic."""
        return {topic: Source.of(self.path(topic, suffix)) for topic in self.topics}

    def lists(self, run: str) -> tuple[dict[str, list[str]], list[Notice]]:
        """The list of each topic; a file that is not there is an empty one, unless none is."""
        files, notices = self.files(run, RES, "lists")
        docs = {topic: read_list(file, self.separator) for topic, file in files.items()}
        return {topic: docs.get(topic, []) for topic in self.topics}, notices

    def files(self, run: str, ending: str, what: str) -> tuple[dict[str, Source], list[Notice]]:
        """The files that a run has for topics, ``0001/0001.RUN.ENDING``: one at least."""
        suffix = f"{file_name(run, 'run')}.{ending}"
        paths = {topic: self.path(topic, suffix) for topic in self.topics}
        found = {topic: Source.of(path) for topic, path in paths.items() if os.path.exists(path)}
        if not found:
            such = f"no file such as {paths[self.topics[0]]}"
            raise InputError(such, f"the {what} of the run", run)
        missing = (topic for topic in self.topics if topic not in found)
        before, after = f"{run}: no file for ", f", taken as empty {what}"
        return found, about_topics("missing-topics", missing, before, after, run)


def evaluate_runs(
    batch: Batch,
    suffix: str,
    worth: str,
    setting: Setting,
    condense: bool = True,
    endings: Sequence[str] = ("lab", "nev"),
) -> Made:
    """Label and compute all topics of many runs.

    Write TOPIC/TOPIC.RUN.NAME.lab, the labelled lists, and RUN.NAME.nev, the results of all
    topics.

    What levels are `worth` are gains of all topics (``1:2:3``), ``topic`` for as many as the
    highest level of each topic, or ``@FILE`` with lines ``topic 1:2:3``; `setting` has no gains.
    For measures of judged items only, such as bpref, lists may be condensed to these.
    """
    separator, classes, sources = batch.separator, setting.classes, batch.sources(suffix)
    condensed = condense and setting.judged
    judged = {t: read_rel(source, Text(separator), classes) for t, source in sources.items()}
    useful, notices = with_relevant(judged)
    gains_of = _gains(worth, useful)
    made = {gains: replace(setting, gains=gains) for gains in set(gains_of.values())}
    settings = {topic: made[gains] for topic, gains in gains_of.items()}
    files: dict[str, str] = {}
    for run in batch.runs:
        docs, about = batch.lists(run)
        notices += about
        labelled: list[Topic] = []
        for topic, rel in judged.items():
            lab = batch.path(topic, f"{run}.{batch.name}.{endings[0]}")
            ranked = docs[topic][: batch.truncate]
            items = label(rel, ranked, condensed=condensed, classes=classes)
            labelled.append(Topic(topic, rel, items, sources[topic].name, lab))
            files[lab] = labelled_text(items, separator or " ", classes)
        files[f"{run}.{batch.name}.{endings[1]}"] = _computed(labelled, settings)
    return files, notices


def with_relevant(
    judged: Mapping[str, Sequence[Judged]],
) -> tuple[dict[str, Sequence[Judged]], list[Notice]]:
    """The judgments of topics in which something is relevant; and which topics are left out."""
    useful = {t: items for t, items in judged.items() if any(item.level > 0 for item in items)}
    useless = (topic for topic in judged if topic not in useful)
    text = " without a relevant document, left out of the results"
    return useful, about_topics("no-relevant", useless, "", text)


def _computed(topics: Sequence[Topic], settings: Mapping[str, Setting]) -> str:
    """The results of topics that have a setting, those with the same one computed together."""
    texts: dict[str, str] = {}
    for setting in dict.fromkeys(settings.values()):
        alike = [topic for topic in topics if settings.get(topic.prefix) == setting]
        made = compute(alike, setting)
        texts |= {topic.prefix: text for topic, text in zip(alike, made, strict=True)}
    return "".join(texts[topic] for topic in settings)


def _gains(given: str, judged: Mapping[str, Sequence[Judged]]) -> dict[str, Gains]:
    """The gains of each topic."""
    if given == "topic":
        highest = {topic: int(max(item.level for item in items)) for topic, items in judged.items()}
        return {topic: tuple(range(1, level + 1)) for topic, level in highest.items()}
    if not given.startswith("@"):
        return dict.fromkeys(judged, _numbers(given, "-g"))
    source = Source.of(given[1:])
    table = read_gains(source)
    if missing := [topic for topic in judged if topic not in table]:
        raise InputError(f"no gains for {some(missing, 'topic')}", "those of all", source.name)
    return {topic: _numbers(table[topic], source.name) for topic in judged}


def _numbers(text: str, where: str) -> Gains:
    found = tuple(x for x in map(finite, text.split(":")) if x is not None)
    if len(found) != len(text.split(":")):
        raise InputError(f"gains {text!r}", "numbers such as 1:2:3", where)
    return found


# -- results --------------------------------------------------------------------------------------


@suggests_keywords
def read_nev(
    nev: Path | Iterable[Path] | Mapping[str, Path],
    topics: Names | None = None,
    measures: Sequence[str] | None = None,
) -> Scores:
    """Scores from NTCIREVAL's result files, one for each run, with the measures' names there.

    A run is named after its file, without ``.nev``, or by the key of a mapping. `topics` (names, or
    a .tid file) decides which topics count, by default all that any file has; a topic that a run
    has no results for counts as 0. `measures` are some of those in the files, by default all.
    """
    paths = _named(nev)
    sources = {run: Source.of(path) for run, path in paths.items()}
    results = {run: read_results(source) for run, source in sources.items()}
    wanted = tuple(dict.fromkeys(t for of_run in results.values() for t in of_run))
    wanted = wanted if topics is None else names(topics)
    first = next(iter(next(iter(results.values())).values()))
    columns = tuple(first if measures is None else to_list("measures", measures, "a list"))
    notices: list[Notice] = []
    for run, of_run in results.items():
        absent = _absent(of_run, wanted, columns, sources[run].name)
        notices += about_topics(
            "missing-topics", absent, f"{run}: no results for ", ", counted as 0", run
        )
    nothing = dict.fromkeys(columns, 0.0)
    values = np.array(
        [[[of.get(t, nothing)[m] for m in columns] for t in wanted] for of in results.values()]
    )
    means = ("mean",) * len(columns)
    return Scores(values, tuple(results), wanted, columns, means, notices=tuple(notices))


def _absent(
    found: Results, topics: Sequence[str], measures: Sequence[str], where: str
) -> list[str]:
    """The topics that a run lacks, which are not all; no topic that it has lacks a measure."""
    for topic, values in found.items():
        if missing := [measure for measure in measures if measure not in values]:
            text = f"no {missing[0]} for topic {topic}"
            raise InputError(text, _nearest(missing[0], values), where)
    absent = [topic for topic in topics if topic not in found]
    if len(absent) == len(topics):
        raise InputError(f"none of {some(absent, 'topic')}", "results for them", where)
    return absent


def _nearest(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, [*known], n=3, cutoff=0.5)
    return f"one that is there, such as {' or '.join(near or [*known][:3])}"


def _named(nev: Path | Iterable[Path] | Mapping[str, Path]) -> dict[str, Path]:
    if isinstance(nev, Mapping):
        named = list(nev.items())
    else:
        several = [nev] if isinstance(nev, str | os.PathLike) else nev
        paths = [Source.of(path).path for path in to_list("nev", several, "paths, or {run: path}")]
        named = [(os.path.splitext(os.path.basename(path))[0], path) for path in paths]
    made = dict(named)
    if not made or len(made) < len(named):
        found = f"{counted(len(named), 'file')} named {', '.join(made)}" if made else "no files"
        raise InputError(found, "results of at least one run, each under a name of its own")
    return made


def results_of(runlist: Names, suffix: str, topics: Names, measures: Sequence[str]) -> Scores:
    """All results in one table.

    Print run, topic, measure and value, and the means as the topic all.

    Results are those in the files of the runs of a list, ``RUN.SUFFIX``.
    """
    return read_nev({run: f"{run}.{suffix}" for run in names(runlist)}, topics, measures or None)


def means(scores: Scores, kind: str = "arithmetic") -> dict[str, str]:
    """The means over topics of each measure, as lines ``run 0.5000``.

    Geometric means are of values of at least 0.00001.
    """
    of_runs = scores.gmean(FLOOR) if kind == "geometric" else _means(scores)
    return {
        measure: "".join(f"{run} {of_runs[run][measure]:.4f}\n" for run in scores.runs)
        for measure in scores.measures
    }


def _means(scores: Scores) -> dict[str, dict[str, float]]:
    """Sums in the order of topics, as awk has them: halves of a last digit are rounded alike."""
    return {
        run: dict(zip(scores.measures, mean_of(values).tolist(), strict=True))
        for run, values in zip(scores.runs, scores.values, strict=True)
    }


def files_of_means(
    runlist: str, topics: str, suffix: str, measures: Sequence[str], mean: str = "arithmetic"
) -> Made:
    """Means over topics, a file for each measure.

    Write RUNLIST.TID.NEVSUFFIX.MEASURE with lines `run mean`. All topics of TID count, those
    without results as 0.
    """
    scores = results_of(runlist, suffix, topics, measures)
    begin = f"{runlist}.{os.path.basename(topics).removesuffix('.tid')}.{suffix}"
    end = ".gmean" if mean == "geometric" else ""
    files = {f"{begin}.{m}{end}": text for m, text in means(scores, mean).items()}
    return files, [*scores.notices]


def matrix(scores: Scores) -> str:
    """The values of the first measure: a line for each topic, a column for each run."""
    rows = scores.values[:, :, 0].T.tolist()
    return text_of(" ".join(f"{value:.4f}" for value in row) for row in rows)


def matrix_of(runlist: Names, suffix: str, topics: Names, measure: str) -> Printed:
    """One measure of all topics (lines) and runs (columns).

    Print the values of a measure: a line for each topic, a column for each run, 0 where there is
    no result.
    """
    scores = results_of(runlist, suffix, topics, [measure])
    return matrix(scores), [*scores.notices]


@suggests_keywords
def read_matrix(path: Path, topics: Names, runs: Names, measure: str) -> Scores:
    """Scores from a topic-by-run matrix of one measure, which has numbers only.

    `topics` and `runs` are names, or files with one on each line, in the order of the matrix.
    """
    rows, columns = names(topics), names(runs)
    values = np.array(read_numbers(Source.of(path), len(rows), len(columns)))
    return Scores(values.T[:, :, None], columns, rows, (measure,), ("mean",))


# -- judgments in other formats -------------------------------------------------------------------


def convert(qrels: str, layout: Sequence[str], labels: LabelsLike | None = None) -> Printed:
    """Judgments in other formats to NTCIR's.

    Print judgments as lines `topic doc L2`.

    Without `labels`, what the file has are levels.
    """
    source, grade_at = Source.of(qrels), layout.index("level")
    given = {} if labels is None else read_labels(labels)
    known = {grade: _whole(level) for grade, level in given.items()}
    if None in known.values():
        raise InputError(f"levels {', '.join(map(str, given.values()))}", "whole levels from 0")
    made: list[str] = []
    for number, line in text_lines(source):
        fields = fields_of(line, None)
        if len(fields) != len(layout):
            found = f"{counted(len(fields), 'field')} ({line.strip()!r})"
            expected = f"{len(layout)}: {' '.join(layout)}"
            raise InputError(found, expected, source.name, number)
        grade = fields[grade_at]
        level = _whole(finite(grade)) if labels is None else known.get(grade)
        if level is None:
            expected = f"one of {', '.join(known)}" if known else "a whole level from 0, or --map"
            raise InputError(f"{layout[grade_at]} {grade!r}", expected, source.name, number)
        made.append(f"{fields[0]} {fields[layout.index('doc')]} L{level}\n")
    if not made:
        raise InputError("an empty file", "judgments", source.name)
    return "".join(made), []


def convert_early(qrels: str, labels: LabelsLike = GRADES) -> Printed:
    """Of the first NTCIR rounds: topic S|A|B|C doc 0|1.

    Print judgments as lines `topic doc L2`.
    """
    return convert(qrels, EARLY, labels)


def convert_trec(qrels: str, labels: LabelsLike | None = None) -> Printed:
    """Of TREC: topic iteration doc level.

    Print judgments as lines `topic doc L2`.
    """
    return convert(qrels, TREC["qrels"], labels)


def _whole(level: float | None) -> int | None:
    return None if level is None or level < 0 or level % 1 else int(level)
