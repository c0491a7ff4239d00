"""NTCIREVAL's scripts: topic directories, all topics of many runs, means and matrices.

Output files are returned as ``{path: text}``, and are complete before the first one is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from cranfield.data.ntcir.ir4qa import is_xml, read_ir4qa
from cranfield.data.ntcir.nev import build_topic_path, check_file_name, read_names, read_numbers, read_results
from cranfield.data.ntcir.topic_dirs import OTHER_SUFFIXES, RES, Judgment, read_list, read_rel
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.columns import EARLY, TREC
from cranfield.data.reading.formats import NTCIR, guess_format
from cranfield.data.reading.labels import GRADES, LabelsLike, read_labels
from cranfield.data.reading.lines import iter_text_lines, parse_finite, split_fields
from cranfield.data.reading.records import ReadOptions
from cranfield.data.reading.source import Source
from cranfield.data.run_reader import read_run
from cranfield.data.tracks import read_gains
from cranfield.errors import InputError, to_list
from cranfield.scores import FLOOR, Note, Scores
from cranfield.tools.drop_ins import Printed, average_rows, join_lines, make_topic_notes
from cranfield.tools.ntcir_eval import Setting, Topic, compute, format_labelled, label
from cranfield.wording import format_count, format_names, suggest_keywords

T = TypeVar("T")
Path: TypeAlias = str | os.PathLike[str]
Gains: TypeAlias = tuple[float, ...]
Names: TypeAlias = Path | Iterable[str]  # Names, or a file with one name per line.
Results: TypeAlias = Mapping[str, Mapping[str, float]]  # {topic: {measure: value}}
FileTexts: TypeAlias = tuple[dict[str, str], list[Note]]  # Files to write, and notes.

ROBUST = {"2": 3, "1": 1, "0": 0}  # In TREC's robust track, relevant is two levels above partially relevant.
LIMIT = 1000


def to_names(source: Names) -> tuple[str, ...]:
    """Return the topics or runs in a list or a file."""
    if isinstance(source, str | os.PathLike):
        return read_names(Source.from_path(source))
    return tuple(map(str, to_list("names", source, "a path, or a list of names")))


# -- topic directories ----------------------------------------------------------------------------


def make_tid_path(path: str) -> str:
    """Return the path of the list of topics, next to its source."""
    if path == "-":
        raise InputError("-", "a file (its name is the name of the list of topics)")
    return f"{path}.tid"


def split_qrels(
    qrels: str, suffix: str, separator: str | None = None, directory: str = "", qrels_format: str | None = None
) -> FileTexts:
    """Judgments to a directory for each topic.

    Write TOPIC/TOPIC.SUFFIX, the judgments of each topic, and QRELS.tid, the list of topics.
    """
    source = Source.from_path(qrels)
    tid = make_tid_path(qrels)
    if suffix in OTHER_SUFFIXES:
        raise InputError(f"suffix {suffix!r}", "another, such as rel")
    judged = read_qrels(qrels, qrels_format, separator=separator)  # Checks every line.
    if guess_format(source, qrels_format, separator) is NTCIR:
        lines, notes = _split_lines_by_topic(source, separator), []
    else:
        lines = _format_labelled_lines(judged, separator or " ")
        text = f"{qrels} is not in the NTCIR format: levels are written as labels (2 as L2)"
        notes = [Note("relabelled", text)]
    topics = sorted(lines)
    files = {build_topic_path(topic, suffix, directory): join_lines(lines[topic]) for topic in topics}
    return {**files, tid: join_lines(topics)}, notes


def _split_lines_by_topic(source: Source, separator: str | None) -> dict[str, list[str]]:
    """Return the lines by topic, unchanged except for the topic."""
    lines: dict[str, list[str]] = {}
    for _, line in iter_text_lines(source):
        delimiter = None if separator is None else separator.encode()
        topic, rest = line.encode().split(delimiter, 1)  # Split bytes at ASCII spaces.
        lines.setdefault(topic.strip().decode(), []).append(rest.decode())
    return lines


def _format_labelled_lines(qrels: Qrels, separator: str) -> dict[str, list[str]]:
    def format_line(topic: str, doc: str, level: float) -> str:
        if level < 0 or not level.is_integer():
            problem = f"level {level:g} for document {doc} of topic {topic}"
            expected = "an integer ≥ 0 (map levels with `cranfield ntcir convert trec --map`)"
            raise InputError(problem, expected, qrels.where)
        return f"{_check_field(doc, separator, qrels.where)}{separator}L{level:.0f}"

    judged = qrels.to_dict()
    return {t: [format_line(t, d, level) for d, level in docs.items()] for t, docs in judged.items()}


def _check_field(doc: str, separator: str, location: str | None) -> str:
    """Return a document that can be a field of a line, or raise an error."""
    if separator in doc or len(split_fields(doc, None if separator == " " else "\n")) != 1:
        problem = f"document {doc!r} contains the separator {separator!r}"
        raise InputError.from_problem(problem, "", location)
    return doc


def split_runs(
    topics: Names, runs: Names = "-", limit: int = LIMIT, separator: str | None = None, directory: str = ""
) -> FileTexts:
    """Split runs into the directories of topics, without reranking.

    Write TOPIC/TOPIC.RUN.res, the documents of each topic in the order of the run's file. RUN is
    the file's name. XML runs of IR4QA are detected.
    """
    if limit < 1:
        raise InputError(f"limit {limit}", "an integer ≥ 1")

    def read_lists(path: str) -> tuple[str, Mapping[str, Sequence[str]]]:
        source, run = Source.from_path(path), os.path.basename(path)
        if is_xml(source):
            return run.removesuffix(".xml"), read_ir4qa(source)
        return run, read_run(path, ties="given", separator=separator, run_names="first").rankings()

    def format_docs(docs: Sequence[str], path: str) -> str:
        return join_lines(_check_field(doc, separator or " ", path) for doc in docs[:limit])

    return split(to_names(runs), to_names(topics), RES, directory, read_lists, format_docs)


def split(
    paths: Sequence[str],
    topics: Sequence[str],
    ending: str,
    directory: str,
    read: Callable[[str], tuple[str, Mapping[str, T]]],
    text: Callable[[T, str], str],
) -> FileTexts:
    """Return the content of runs for each topic as files; missing topics have empty files.

    `read` returns the name of the run in a file and its content by topic. `text` formats the
    content.
    """
    files: dict[str, str] = {}
    notes: list[Note] = []
    paths_by_run: dict[str, str] = {}
    for path in paths:
        run, values = read(path)
        if run in paths_by_run:  # The files of one would replace the files of the other.
            raise InputError(f"{paths_by_run[run]} and {path}", "different file names")
        paths_by_run[run] = path
        for topic in topics:
            content = text(values[topic], path) if topic in values else ""
            files[build_topic_path(topic, f"{run}.{ending}", directory)] = content
        empty = (topic for topic in topics if topic not in values)
        notes += make_topic_notes("missing-topics", empty, f"{run}: nothing for ", "", run)
        unknown = (topic for topic in values if topic not in topics)
        left_out = " not in the list of topics, skipped"
        notes += make_topic_notes("other-topics", unknown, f"{run}: ", left_out, run)
    return files, notes


# -- all topics of many runs ----------------------------------------------------------------------


class Batch:
    """Runs and topics that are evaluated under a name, and the layout of their files.

    Runs and topics can be listed in files. `truncate` is the number of items read of a list,
    `directory` has the topic directories.
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
        self.runs, self.topics, self.name = (to_names(runs), to_names(topics), check_file_name(name, "name"))
        self.separator, self.truncate, self.directory = separator, truncate, directory

    def get_path(self, topic: str, suffix: str) -> str:
        """Return the path of a file of a topic."""
        return build_topic_path(topic, suffix, self.directory)

    def get_sources(self, suffix: str) -> dict[str, Source]:
        """Return the file with this suffix of each topic."""
        return {topic: Source.from_path(self.get_path(topic, suffix)) for topic in self.topics}

    def read_lists(self, run: str) -> tuple[dict[str, list[str]], list[Note]]:
        """Return the list of each topic; a missing file is an empty list, unless all are
        missing.
        """
        files, notes = self.find_files(run, RES, "lists")
        docs = {topic: read_list(file, self.separator) for topic, file in files.items()}
        return {topic: docs.get(topic, []) for topic in self.topics}, notes

    def find_files(self, run: str, ending: str, noun: str) -> tuple[dict[str, Source], list[Note]]:
        """Return the files of a run, ``0001/0001.RUN.ENDING``. Raise an error if there is none."""
        suffix = f"{check_file_name(run, 'run')}.{ending}"
        paths = {topic: self.get_path(topic, suffix) for topic in self.topics}
        sources = {topic: Source.from_path(path) for topic, path in paths.items() if os.path.exists(path)}
        if not sources:
            problem = f"no file such as {paths[self.topics[0]]}"
            raise InputError(problem, f"{noun} of the run", run)
        missing = (topic for topic in self.topics if topic not in sources)
        prefix, ending_text = f"{run}: no file for ", f", evaluated as empty {noun}"
        return sources, make_topic_notes("missing-topics", missing, prefix, ending_text, run)


def evaluate_runs(
    batch: Batch,
    suffix: str,
    worth: str,
    setting: Setting,
    condense: bool = True,
    endings: Sequence[str] = ("lab", "nev"),
) -> FileTexts:
    """Label and compute all topics of many runs.

    Write TOPIC/TOPIC.RUN.NAME.lab, the labelled lists, and RUN.NAME.nev, the results of all topics.

    `worth` has the gains of levels for all topics (``1:2:3``), ``topic`` for 1:2:… up to the
    highest level of each topic, or ``@FILE`` with lines ``topic 1:2:3``. `setting` has no gains.
    For measures of judged items only, such as bpref, lists can be condensed.
    """
    separator, classes, sources = batch.separator, setting.classes, batch.get_sources(suffix)
    condensed = condense and setting.judged
    judged = {t: read_rel(source, ReadOptions(separator), classes) for t, source in sources.items()}
    useful, notes = with_relevant(judged)
    gains_of = _resolve_gains(worth, useful)
    settings_by_gains = {gains: replace(setting, gains=gains) for gains in set(gains_of.values())}
    settings = {topic: settings_by_gains[gains] for topic, gains in gains_of.items()}
    files: dict[str, str] = {}
    for run in batch.runs:
        docs, run_notes = batch.read_lists(run)
        notes += run_notes
        labelled: list[Topic] = []
        for topic, rel in judged.items():
            lab = batch.get_path(topic, f"{run}.{batch.name}.{endings[0]}")
            ranked = docs[topic][: batch.truncate]
            items = label(rel, ranked, condensed=condensed, classes=classes)
            labelled.append(Topic(topic, rel, items, sources[topic].name, lab))
            files[lab] = format_labelled(items, separator or " ", classes)
        files[f"{run}.{batch.name}.{endings[1]}"] = _compute_topics(labelled, settings)
    return files, notes


def with_relevant(judged: Mapping[str, Sequence[Judgment]]) -> tuple[dict[str, Sequence[Judgment]], list[Note]]:
    """Return the judgments of topics with a relevant document, and notes about the others."""
    useful = {t: items for t, items in judged.items() if any(item.level > 0 for item in items)}
    useless = (topic for topic in judged if topic not in useful)
    text = " without a relevant document, excluded from the results"
    return useful, make_topic_notes("no-relevant", useless, "", text)


def _compute_topics(topics: Sequence[Topic], settings: Mapping[str, Setting]) -> str:
    """Compute the results of topics, topics with the same setting together."""
    texts: dict[str, str] = {}
    for setting in dict.fromkeys(settings.values()):
        group = [topic for topic in topics if settings.get(topic.prefix) == setting]
        group_texts = compute(group, setting)
        texts |= {topic.prefix: text for topic, text in zip(group, group_texts, strict=True)}
    return "".join(texts[topic] for topic in settings)


def _resolve_gains(text: str, judged: Mapping[str, Sequence[Judgment]]) -> dict[str, Gains]:
    """Return the gains of each topic."""
    if text == "topic":
        highest = {topic: int(max(item.level for item in items)) for topic, items in judged.items()}
        return {topic: tuple(range(1, level + 1)) for topic, level in highest.items()}
    if not text.startswith("@"):
        return dict.fromkeys(judged, _parse_gains(text, "-g"))
    source = Source.from_path(text[1:])
    table = read_gains(source)
    if missing := [topic for topic in judged if topic not in table]:
        raise InputError(f"no gains for {format_names(missing, 'topic')}", "gains of all topics", source.name)
    return {topic: _parse_gains(table[topic], source.name) for topic in judged}


def _parse_gains(text: str, location: str) -> Gains:
    gains = tuple(x for x in map(parse_finite, text.split(":")) if x is not None)
    if len(gains) != len(text.split(":")):
        raise InputError(f"gains {text!r}", "numbers such as 1:2:3", location)
    return gains


# -- results --------------------------------------------------------------------------------------


@suggest_keywords
def read_nev(
    nev: Path | Iterable[Path] | Mapping[str, Path], topics: Names | None = None, measures: Sequence[str] | None = None
) -> Scores:
    """Return the scores in NTCIREVAL's result files, one file per run, with the measures' names
    there.

    A run is named after its file without ``.nev``, or by the key of a mapping. `topics` (names, or
    a .tid file) are the topics that count, by default all topics in any file. A topic without
    results in a run counts as 0. `measures` are some of the measures in the files, by default all.
    """
    paths = _name_files(nev)
    sources = {run: Source.from_path(path) for run, path in paths.items()}
    results = {run: read_results(source) for run, source in sources.items()}
    topic_names = tuple(dict.fromkeys(t for of_run in results.values() for t in of_run))
    topic_names = topic_names if topics is None else to_names(topics)
    first = next(iter(next(iter(results.values())).values()))
    columns = tuple(first if measures is None else to_list("measures", measures, "a list"))
    notes: list[Note] = []
    for run, of_run in results.items():
        absent = _find_missing_topics(of_run, topic_names, columns, sources[run].name)
        notes += make_topic_notes("missing-topics", absent, f"{run}: no results for ", ", counted as 0", run)
    zeros = dict.fromkeys(columns, 0.0)
    values = np.array(
        [[[run_results.get(t, zeros)[m] for m in columns] for t in topic_names] for run_results in results.values()]
    )
    means = ("mean",) * len(columns)
    return Scores(values, tuple(results), topic_names, columns, means, notes=tuple(notes))


def _find_missing_topics(results: Results, topics: Sequence[str], measures: Sequence[str], location: str) -> list[str]:
    """Return the missing topics of a run. Raise an error if all are missing, or a measure is."""
    for topic, values in results.items():
        if missing := [measure for measure in measures if measure not in values]:
            text = f"no {missing[0]} for topic {topic}"
            raise InputError(text, _suggest_measures(missing[0], values), location)
    absent = [topic for topic in topics if topic not in results]
    if len(absent) == len(topics):
        problem = f"no results for {format_names(absent, 'topic')}"
        raise InputError.from_problem(problem, "", location)
    return absent


def _suggest_measures(name: str, names: Iterable[str]) -> str:
    import difflib

    matches = difflib.get_close_matches(name, [*names], n=3, cutoff=0.5)
    return f"a measure of the file: {' or '.join(matches or [*names][:3])}"


def _name_files(nev: Path | Iterable[Path] | Mapping[str, Path]) -> dict[str, Path]:
    if isinstance(nev, Mapping):
        pairs = list(nev.items())
    else:
        files = [nev] if isinstance(nev, str | os.PathLike) else nev
        paths = [Source.from_path(path).path for path in to_list("nev", files, "paths, or {run: path}")]
        pairs = [(os.path.splitext(os.path.basename(path))[0], path) for path in paths]
    by_name = dict(pairs)
    if not by_name or len(by_name) < len(pairs):
        problem = f"{format_count(len(pairs), 'file')} named {', '.join(by_name)}" if by_name else "no files"
        raise InputError(problem, "results of at least one run, with distinct names")
    return by_name


def collect_results(runlist: Names, suffix: str, topics: Names, measures: Sequence[str]) -> Scores:
    """All results in one table.

    Print run, topic, measure and value, and the means as the topic all.

    Results are those in the files of the runs of a list, ``RUN.SUFFIX``.
    """
    return read_nev({run: f"{run}.{suffix}" for run in to_names(runlist)}, topics, measures or None)


def format_means(scores: Scores, kind: str = "arithmetic") -> dict[str, str]:
    """The means over topics of each measure, as lines ``run 0.5000``.

    Geometric means are of values of at least 0.00001.
    """
    of_runs = scores.gmean(FLOOR) if kind == "geometric" else _compute_means(scores)
    return {
        measure: "".join(f"{run} {of_runs[run][measure]:.4f}\n" for run in scores.runs) for measure in scores.measures
    }


def _compute_means(scores: Scores) -> dict[str, dict[str, float]]:
    """Compute means from sums in the order of topics, so that rounding is the same as awk's."""
    return {
        run: dict(zip(scores.measures, average_rows(values).tolist(), strict=True))
        for run, values in zip(scores.runs, scores.values, strict=True)
    }


def build_mean_files(
    runlist: str, topics: str, suffix: str, measures: Sequence[str], mean: str = "arithmetic"
) -> FileTexts:
    """Means over topics, a file for each measure.

    Write RUNLIST.TID.NEVSUFFIX.MEASURE with lines `run mean`. All topics of TID count. Topics
    without results count as 0.
    """
    scores = collect_results(runlist, suffix, topics, measures)
    begin = f"{runlist}.{os.path.basename(topics).removesuffix('.tid')}.{suffix}"
    end = ".gmean" if mean == "geometric" else ""
    files = {f"{begin}.{m}{end}": text for m, text in format_means(scores, mean).items()}
    return files, [*scores.notes]


def format_matrix(scores: Scores) -> str:
    """Format the values of the first measure: one line per topic, one column per run."""
    rows = scores.values[:, :, 0].T.tolist()
    return join_lines(" ".join(f"{value:.4f}" for value in row) for row in rows)


def build_matrix(runlist: Names, suffix: str, topics: Names, measure: str) -> Printed:
    """One measure of all topics (lines) and runs (columns).

    Print the values of a measure: a line for each topic, a column for each run, 0 where there is
    no result.
    """
    scores = collect_results(runlist, suffix, topics, [measure])
    return format_matrix(scores), [*scores.notes]


@suggest_keywords
def read_matrix(path: Path, topics: Names, runs: Names, measure: str) -> Scores:
    """Read scores from a topic-by-run matrix of one measure, which has numbers only.

    `topics` and `runs` are names, or files with one name per line, in the order of the matrix.
    """
    rows, columns = to_names(topics), to_names(runs)
    values = np.array(read_numbers(Source.from_path(path), len(rows), len(columns)))
    return Scores(values.T[:, :, None], columns, rows, (measure,), ("mean",))


# -- judgments in other formats -------------------------------------------------------------------


def convert(qrels: str, layout: Sequence[str], labels: LabelsLike | None = None) -> Printed:
    """Judgments in other formats to NTCIR's.

    Print judgments as lines `topic doc L2`.

    Without `labels`, the file has levels.
    """
    source, grade_at = Source.from_path(qrels), layout.index("level")
    label_levels = {} if labels is None else read_labels(labels)
    levels = {grade: _to_integer(level) for grade, level in label_levels.items()}
    if None in levels.values():
        raise InputError(f"levels {', '.join(map(str, label_levels.values()))}", "integers ≥ 0")
    lines: list[str] = []
    for number, line in iter_text_lines(source):
        fields = split_fields(line, None)
        if len(fields) != len(layout):
            problem = f"{format_count(len(fields), 'field')} ({line.strip()!r})"
            expected = f"{len(layout)}: {' '.join(layout)}"
            raise InputError(problem, expected, source.name, number)
        grade = fields[grade_at]
        level = _to_integer(parse_finite(grade)) if labels is None else levels.get(grade)
        if level is None:
            expected = f"one of {', '.join(levels)}" if levels else "an integer ≥ 0, or --map"
            raise InputError(f"{layout[grade_at]} {grade!r}", expected, source.name, number)
        lines.append(f"{fields[0]} {fields[layout.index('doc')]} L{level}\n")
    if not lines:
        raise InputError.from_problem("file is empty", "", source.name)
    return "".join(lines), []


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


def _to_integer(level: float | None) -> int | None:
    return None if level is None or level < 0 or level % 1 else int(level)
