"""Topic directories, as in NTCIREVAL: a directory with files for each topic.

``DIR/0001/0001.rel`` has the judgments of topic 0001, ``doc L2`` on each line, or ``doc L2
class``. ``DIR/0001/0001.bm25.res`` is the ranking of the run bm25, one document on each line.
``DIR/*.erel`` selects another suffix for judgments. A run is ``DIR/*.bm25.res``, or ``DIR/bm25``
if no file has that name.

If topics have intents, ``0001.test.Irelv1`` is the ideal list of intent 1 and ``0001.test.Grelv``
the ideal list of all intents, ``doc gain`` on each line. ``0001.test.din`` has the gain that each
intent adds to a document, ``intent inf|nav doc gain``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cranfield.data.reading.columns import Kind, sort_intents
from cranfield.data.reading.labels import describe_labels, get_level
from cranfield.data.reading.lines import BLANK, Line, iter_text_lines, scan_lines, split_fields
from cranfield.data.reading.records import DEFAULT_OPTIONS, DUPLICATE, Problem, ReadOptions, Record
from cranfield.data.reading.source import Source, make_read_error
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import format_count, format_names

REL = "rel"
RES = "res"
IRELV = "Irelv"
GRELV = "Grelv"
DIN = "din"
OTHER_SUFFIXES = ("lab", "elab", "nev", "enev", "res", "tid", GRELV, DIN)  # not judgments


class Judgment(NamedTuple):
    """Line of a judgments file of one topic."""

    line: int
    doc: str
    level: float
    group: str | None  # equivalence class, if the line has one


class LabelledItem(NamedTuple):
    """Line of a labelled list: an item of a run with its label."""

    doc: str
    level: float | None  # None: unjudged, or redundant
    group: str | None = None
    line: int | None = None


class IntentGain(NamedTuple):
    """Line of a din file: the gain that an intent adds to a document, P(i|q)·g_i."""

    intent: str
    navigational: bool
    doc: str
    gain: float


class IntentJudgment(NamedTuple):
    """Line of a topic in a Dqrels file."""

    line: int
    intent: str
    doc: str
    level: float


def read_judgments(source: Source, text: ReadOptions = DEFAULT_OPTIONS) -> Iterator[Judgment | InputError]:
    """Yield the judgments of one topic: ``doc L2`` or ``doc L2 class``."""
    for line in _read_fields(source, text.separator, "doc L2", "doc L2 class"):
        try:
            yield line if isinstance(line, InputError) else _parse_judgment(line, text.labels)
        except InputError as error:
            yield error


def _parse_judgment(line: Line, labels: Mapping[str, float] | None) -> Judgment:
    level = _parse_level(line, labels)
    return Judgment(line.number or 0, line.cells["doc"], level, line.cells.get("class"))


def read_rel(source: Source, text: ReadOptions = DEFAULT_OPTIONS, classes: bool = False) -> list[Judgment]:
    """Read the judgments of one topic. With `classes`, each must have a class."""
    judged: dict[str, Judgment] = {}
    for item in read_judgments(source, text):
        if isinstance(item, InputError):
            raise item
        if classes and item.group is None:
            problem = f"no class for {item.doc}"
            raise InputError(problem, "doc L2 class", source.name, item.line)
        first = judged.setdefault(item.doc, item)
        if first[1:] != item[1:]:
            problem = f"conflicting judgments of document {item.doc!r} (first on line {first.line})"
            raise InputError.from_problem(problem, "", source.name, item.line)
    return list(judged.values())


def read_list(source: Source, separator: str | None = None) -> list[str]:
    """Read the ranking of one topic, one document on each line."""
    line_numbers: dict[str, int] = {}
    for number, line in iter_text_lines(source, comments=False):  # a document may start with #
        doc = line.strip(BLANK)
        if len(split_fields(doc, separator)) != 1:
            content = "spaces" if separator is None else f"the separator {separator!r}"
            raise InputError(f"{content} in {doc!r}", "one document per line", source.name, number)
        _add_document(line_numbers, doc, number, source)
    return list(line_numbers)


def read_labelled(source: Source, separator: str | None = None) -> list[LabelledItem]:
    """Read a labelled ranking: ``doc``, ``doc L2`` or ``doc L2 class`` on each line."""
    return [
        LabelledItem(
            line.cells["doc"],
            _parse_level(line) if "L2" in line.cells else None,
            line.cells.get("class"),
            line.number,
        )
        for line in _read_list_lines(source, separator, "doc", "doc L2", "doc L2 class")
    ]


def read_ideal(source: Source, separator: str | None = None) -> list[Judgment]:
    """Read an ideal list: ``doc gain`` with falling gains, 0 if nonrelevant."""
    ideal: list[Judgment] = []
    for line in _read_list_lines(source, separator, "doc gain"):
        gain = _parse_gain(line)
        if ideal and gain > ideal[-1].level:
            problem = f"gain {line.cells['gain']} after {ideal[-1].level:g}"
            raise line.make_error(problem, "falling gains (an ideal list)")
        ideal.append(Judgment(line.number or 0, line.cells["doc"], gain, None))
    return ideal


def read_gained(source: Source, separator: str | None = None) -> list[LabelledItem]:
    """Read a ranking with gains: ``doc`` or ``doc gain`` on each line."""
    return [
        LabelledItem(
            line.cells["doc"],
            _parse_gain(line) if "gain" in line.cells else None,
            None,
            line.number,
        )
        for line in _read_list_lines(source, separator, "doc", "doc gain")
    ]


def read_din(source: Source, separator: str | None = None) -> list[IntentGain]:
    """Read the gains of documents by intent: ``intent inf|nav doc gain`` lines."""
    form = "intent inf|nav doc gain"
    shares: dict[tuple[str, str], int | None] = {}
    types: dict[str, tuple[str, int | None]] = {}
    gains = []
    for line in _read_lines(source, separator, form):
        intent, kind, doc = (line.cells[name] for name in form.split()[:3])
        if kind not in ("inf", "nav"):
            raise line.make_error(f"type {kind!r}", "inf or nav")
        first, since = types.setdefault(intent, (kind, line.number))
        if kind != first:
            raise line.make_error(f"{kind} for intent {intent}", f"{first} as on line {since}")
        since = shares.setdefault((intent, doc), line.number)
        if since != line.number:
            raise line.make_duplicate_error(f"document {doc!r} for intent {intent}", since)
        gains.append(IntentGain(intent, kind == "nav", doc, _parse_gain(line)))
    if not gains:
        raise InputError.from_problem("file is empty", f"Expected lines: {form}", source.name)
    return gains


def read_dqrels(source: Source, separator: str | None = None) -> dict[str, list[IntentJudgment]]:
    """Read ``topic intent doc L2`` lines, by topic. Equal duplicates are dropped."""
    form = "topic intent doc L2"
    judgments: dict[str, dict[tuple[str, str], IntentJudgment]] = {}
    for line in _read_lines(source, separator, form, expected=f"4: {form}", comments=True):
        topic, intent, doc, _ = line.cells.values()
        judged = IntentJudgment(line.number or 0, intent, doc, _parse_level(line))
        first = judgments.setdefault(topic, {}).setdefault((intent, doc), judged)
        if first.level != judged.level:
            problem = f"conflicting levels for document {doc!r}, intent {intent}, topic {topic}"
            raise line.make_problem(f"{problem} (first on line {first.line})")
    if not judgments:
        raise InputError.from_problem("file is empty", f"Expected lines: {form}", source.name)
    return {topic: list(judged.values()) for topic, judged in judgments.items()}


# -- lines and cells ------------------------------------------------------------------------------


def _read_fields(
    source: Source, separator: str | None, *forms: str, expected: str = "", comments: bool = False
) -> Iterator[Line | InputError]:
    """Yield lines with fields named by the form that has their number.

    `expected` is the expectation in errors, by default the forms. A document may start with #.
    """
    expected = expected or " or ".join(filter(None, (", ".join(forms[:-1]), forms[-1])))
    for number, line in scan_lines(source, comments):
        fields = [] if isinstance(line, InputError) else split_fields(line, separator)
        names = next((form.split() for form in forms if len(form.split()) == len(fields)), None)
        if isinstance(line, InputError):
            yield line
        elif names is None or not all(fields):
            problem = f"{format_count(len(fields), 'field')} ({line.strip()!r})"
            yield InputError(problem, expected, source.name, number)
        else:
            yield Line(source.name, number, dict(zip(names, fields, strict=True)))


def _read_lines(source: Source, separator: str | None, *forms: str, **options: Any) -> Iterator[Line]:
    for line in _read_fields(source, separator, *forms, **options):
        if isinstance(line, InputError):
            raise line
        yield line


def _read_list_lines(source: Source, separator: str | None, *forms: str) -> Iterator[Line]:
    """Yield the lines of a ranking. Raise an error for a duplicate document."""
    line_numbers: dict[str, int] = {}
    for line in _read_lines(source, separator, *forms):
        _add_document(line_numbers, line.cells["doc"], line.number or 0, source)
        yield line


def _parse_level(line: Line, labels: Mapping[str, float] | None = None) -> float:
    label = line.cells["L2"]
    level = get_level(label, labels)
    if level is None:
        raise line.make_error(f"label {label!r}", describe_labels(label, labels) if labels else "L0, L1, L2, …")
    return level


def _parse_gain(line: Line) -> float:
    return line.get_number("gain", "a number ≥ 0", 0)


def _add_document(line_numbers: dict[str, int], doc: str, number: int, source: Source) -> None:
    """Add a document to a ranking. Raise an error for a duplicate."""
    if doc in line_numbers:
        problem = f"duplicate document {doc!r} (first on line {line_numbers[doc]})"
        raise InputError.from_problem(problem, "", source.name, number)
    line_numbers[doc] = number


# -- directories ----------------------------------------------------------------------------------


def _find_topics(directory: str, unreadable: list[CranfieldError] | None = None) -> dict[str, set[str]]:
    """Return ``{topic: names of its files}``, empty for any other directory.

    A directory that cannot be read is an error, or is added to `unreadable`.
    """
    topics = {}
    names = sorted(x for x in _list_names(directory, unreadable) if not x.startswith("."))
    for topic in names:
        if os.path.isdir(path := os.path.join(directory, topic)):
            files = set(_list_names(path, unreadable))
            if any(name.startswith(f"{topic}.") for name in files):
                topics[topic] = files
    return topics


def _list_names(directory: str, unreadable: list[CranfieldError] | None) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError as error:
        if unreadable is None:
            raise make_read_error(directory, error) from None
        unreadable.append(make_read_error(directory, error))
        return []


def _split(path: str) -> tuple[str, str | None]:
    """Return the directory, and the suffix in ``DIR/*.erel``."""
    directory, name = os.path.split(path)
    if name.startswith("*.") and os.path.isdir(directory or "."):
        return directory or ".", name[2:]
    return path, None


def is_topic_directory(path: str, kind: Kind | None) -> bool:
    """Return True if a path means judgments, or a run, of topic directories."""
    if kind == "run":
        return bool(list_runs(path) if os.path.isdir(path) else list_files(path))
    directory, suffix = _split(path)
    is_directory = kind == "qrels" and os.path.isdir(directory)
    return is_directory and (suffix is not None or bool(_find_topics(directory)))


def read_records(source: Source, kind: Kind, text: ReadOptions = DEFAULT_OPTIONS) -> Iterator[Problem | Record]:
    """Yield every judgment, result and error of topic directories in order."""
    path = source.path
    if kind == "run":
        return _read_results(path, text)
    return (
        read_intent_judgments(path, text) if text.intents else _read_judgment_records(find_judgment_files(path), text)
    )


def list_topics(source: Source) -> list[str]:
    """Return the topics of a run in a directory, with those that have empty rankings."""
    return list(list_files(source.path))


def find_judgment_files(path: str) -> dict[str, Source]:
    """Return ``{topic: judgments file}`` of a directory."""
    directory, suffix = _split(path)
    topics = _find_topics(directory)
    suffix = suffix or _choose_suffix(topics, path)
    files = _find_files(directory, topics, suffix)
    if not files:
        raise InputError(f"no file such as 0001/0001.{suffix}", "judgments", path)
    return files


def _choose_suffix(topics: Mapping[str, set[str]], path: str) -> str:
    """Return the suffix of the judgments: rel, or the only one with no other meaning."""
    single = {
        name.removeprefix(f"{topic}.")
        for topic, files in topics.items()
        for name in files
        if name.startswith(f"{topic}.") and name.count(".") == topic.count(".") + 1
    }
    suffixes = sorted(s for s in single - set(OTHER_SUFFIXES) if not _IRELV.fullmatch(s))
    if not suffixes:
        hint = "the directory has ideal lists of intents: use diversity measures such as D(nDCG)"
        intents = any(_find_ideal_lists(topic, files) for topic, files in topics.items())
        expected = "files such as 0001/0001.rel"
        raise InputError("no judgments", expected, path, hint=hint if intents else "")
    if len(suffixes) > 1 and REL not in suffixes:
        problem = f"judgments {', '.join(suffixes)}"
        raise InputError(problem, f"one suffix: {os.path.join(path, '*.' + suffixes[0])}", path)
    return REL if REL in suffixes else suffixes[0]


def _read_judgment_records(files: Mapping[str, Source], text: ReadOptions) -> Iterator[Record | Problem]:
    for topic, source in files.items():
        levels: dict[str, float] = {}
        for item in read_judgments(source, text):
            if isinstance(item, InputError):
                yield Problem.from_error(item, source.name)
            elif item.doc in levels and levels[item.doc] != item.level:
                problem = f"level {item.level:g} for document {item.doc}"
                error = InputError(problem, f"{levels[item.doc]:g} as above", source.name, item.line)
                yield Problem.from_error(error, source.name)
            elif item.doc in levels:
                message = f"duplicate judgment of {item.doc!r}"
                yield Problem("warning", source.name, item.line, message, kind=DUPLICATE)
            else:
                levels[item.doc] = item.level
                yield Record(item.line, topic, item.doc, item.level, None, None, item.group)


def read_groups(path: str, separator: str | None = None) -> dict[str, dict[str, str]]:
    """Return ``{topic: {doc: class}}`` of a directory, for any labels."""
    files = find_judgment_files(path)
    classes: dict[str, dict[str, str]] = {topic: {} for topic in files}
    for topic, source in files.items():
        for number, line in iter_text_lines(source, comments=False):
            fields = split_fields(line, separator)
            if len(fields) != 3 or not all(fields):
                text = f"no class for {fields[0]}"
                raise InputError(text, "doc L2 class", source.name, number)
            doc, _, group = fields
            if classes[topic].setdefault(doc, group) != group:
                problem = f"conflicting classes for document {doc!r}: {group} here,"
                problem += f" {classes[topic][doc]} before"
                raise InputError.from_problem(problem, "", source.name, number)
    return classes


def read_intent_judgments(path: str, text: ReadOptions = DEFAULT_OPTIONS) -> Iterator[Record]:
    """Yield the gains of items for the intents of all topics of a directory.

    The ideal lists are ``0001/0001.PREFIX.Irelv1`` and so on. ``DIR/*.PREFIX.Irelv`` selects a
    prefix.
    """
    directory, suffix = _split(path)
    ideal = {topic: _find_ideal_lists(topic, files) for topic, files in _find_topics(directory).items()}
    prefixes = sorted({match["prefix"] for of_topic in ideal.values() for match in of_topic})
    selection = [p for p in prefixes if suffix in (None, f"{p}{IRELV}")]
    if len(selection) != 1:
        example = f"0001/0001.PREFIX.{IRELV}1"
        ideal_lists = f"ideal lists {', '.join(f'*.{p}{IRELV}' for p in selection)}"
        problem = ideal_lists if selection else f"no file such as {example}"
        raise InputError(problem, "ideal lists of intents with one prefix", path)
    for topic, of_topic in ideal.items():
        for match in (match for match in of_topic if match["prefix"] == selection[0]):
            source = Source.from_path(os.path.join(directory, topic, f"{topic}.{match[0]}"))
            for item in read_ideal(source, text.separator):
                intent = match["intent"]
                yield Record(item.line, topic, item.doc, item.level, None, None, type=intent)


_IRELV = re.compile(rf"(?P<prefix>(?:.+\.)?){IRELV}(?P<intent>[^.]+)")


def _find_ideal_lists(topic: str, files: set[str]) -> list[re.Match[str]]:
    """Return the suffixes of the ideal lists of a topic's intents."""
    suffixes = (name.removeprefix(f"{topic}.") for name in sorted(files))
    return [match for suffix in suffixes if (match := _IRELV.fullmatch(suffix))]


def find_intent_files(topic: str, prefix: str, directory: str = "") -> list[Source]:
    """Return the ideal lists of a topic's intents, ``0001/0001.PREFIX.Irelv1`` …."""
    topic_directory = os.path.join(directory, topic)
    begins = f"{topic}.{prefix}.{IRELV}"
    try:
        intents = [name.removeprefix(begins) for name in os.listdir(topic_directory) if name.startswith(begins)]
    except OSError as error:
        raise make_read_error(topic_directory, error) from None
    if not intents:
        raise InputError(f"no file such as {begins}1", "ideal lists of intents", topic_directory)
    return [Source.from_path(os.path.join(topic_directory, begins + intent)) for intent in sort_intents(intents)]


def list_runs(path: str) -> list[str]:
    """Return the runs of a directory as ``DIR/*.NAME.res``, or an empty list."""
    path, _ = _split(path)
    if not os.path.isdir(path):
        return []
    names = {
        name.removeprefix(f"{topic}.").removesuffix(f".{RES}")
        for topic, files in _find_topics(path).items()
        for name in files
        if re.fullmatch(rf"{re.escape(topic)}\..+\.{RES}", name)
    }
    return [os.path.join(path, f"*.{name}.{RES}") for name in sorted(names)]


def get_run_name(path: str) -> str:
    """Return the name of a run in a directory."""
    return os.path.basename(path).removeprefix("*.").removesuffix(f".{RES}")


def resolve_run(directory: str, run: str) -> str:
    """Return the path of a run, as ``DIR/*.NAME.res`` if the directory has it."""
    directory, _ = _split(directory)
    is_inside = os.path.abspath(os.path.dirname(run) or ".") == os.path.abspath(directory)
    run_paths = list_runs(directory) if is_inside else []
    return next((path for path in run_paths if get_run_name(path) == get_run_name(run)), run)


def _read_results(path: str, text: ReadOptions) -> Iterator[Record | Problem]:
    """Yield the documents of a run in a directory, ranking by ranking."""
    if os.path.isdir(path):
        paths = list_runs(path)
        names, expected = map(get_run_name, paths), f"one run, such as {paths[0]}"
        yield Problem.from_error(InputError(format_names(list(names), "run"), expected, path), path)
        return
    name = get_run_name(path)
    for topic, source in list_files(path).items():
        try:
            docs = read_list(source, text.separator)
        except InputError as error:
            yield Problem.from_error(error, source.name)
        else:
            yield from (Record(None, topic, doc, None, None, name) for doc in docs)


def list_files(path: str) -> dict[str, Source]:
    """Return ``{topic: file of its ranking}`` of a run, empty if the run is missing."""
    directory = os.path.dirname(path) or "."
    if path == "-" or os.path.exists(path) or not os.path.isdir(directory):
        return {}
    unreadable: list[CranfieldError] = []
    files = _find_files(directory, _find_topics(directory, unreadable), f"{get_run_name(path)}.{RES}")
    if files and unreadable:  # they may contain rankings of this run
        raise unreadable[0]
    return files


def _find_files(directory: str, topics: Mapping[str, set[str]], suffix: str) -> dict[str, Source]:
    """Return the file of each topic that has the suffix."""
    names = {topic: f"{topic}.{suffix}" for topic in topics if f"{topic}.{suffix}" in topics[topic]}
    return {t: Source.from_path(os.path.join(directory, t, name)) for t, name in names.items()}
