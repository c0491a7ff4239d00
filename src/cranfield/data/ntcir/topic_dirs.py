"""Topic directories, as NTCIREVAL has them: a directory for each topic, with files of its own.

``DIR/0001/0001.rel`` holds the judgments of topic 0001, ``doc L2`` on each line, or ``doc L2
class``; ``DIR/0001/0001.bm25.res`` is what the run bm25 found, one document on each line, from
the top down. The suffix of judgments may be another: ``DIR/*.erel`` asks for it. A run is
``DIR/*.bm25.res``, or ``DIR/bm25`` if no file has that name.

Where topics have intents, ``0001.test.Irelv1`` is the ideal list of intent 1, ``0001.test.Grelv``
that of all together, ``doc gain`` on each line; ``0001.test.din`` has what each intent adds to the
gain of a document, ``intent inf|nav doc gain``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cranfield.data.intents import in_order
from cranfield.data.reading.labels import level_of, one_of
from cranfield.data.reading.records import (
    PLAIN,
    Problem,
    Record,
    Text,
    fields_of,
    finite,
    lines,
    text_lines,
)
from cranfield.data.reading.source import Source
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import counted, some

REL = "rel"
RES = "res"
IRELV = "Irelv"
GRELV = "Grelv"
DIN = "din"
MADE = ("lab", "elab", "nev", "enev", "res", "tid", GRELV, DIN)  # what is not judgments


class Judged(NamedTuple):
    """A line of a judgments file of one topic."""

    line: int
    doc: str
    level: float
    group: str | None  # the equivalence class, if the line names one


class Labelled(NamedTuple):
    """A line of a labelled list: what an item of a run was found to be."""

    doc: str
    level: float | None  # None: unjudged, or redundant
    group: str | None = None
    line: int | None = None


class Share(NamedTuple):
    """A line of a din file: what an intent adds to the gain of a document, P(i|q)·g_i."""

    intent: str
    navigational: bool
    doc: str
    gain: float


class JudgedForIntent(NamedTuple):
    """A line of a topic in a Dqrels file."""

    line: int
    intent: str
    doc: str
    level: float


def read_judged(source: Source, text: Text = PLAIN) -> Iterator[Judged | InputError]:
    """The judgments of one topic: ``doc L2``, or with a class, ``doc L2 1``."""
    for number, line in lines(source, comments=False):  # an answer may begin with #
        if isinstance(line, InputError):
            yield line
            continue
        fields = fields_of(line, text.separator)
        if len(fields) not in (2, 3) or not all(fields):
            found = f"{counted(len(fields), 'field')} ({line.strip()!r})"
            yield InputError(found, "doc L2 or doc L2 class", source.name, number)
            continue
        level = level_of(fields[1], text.labels)
        if level is None:
            expected = one_of(fields[1], text.labels) if text.labels else "L0, L1, L2, …"
            yield InputError(f"label {fields[1]!r}", expected, source.name, number)
            continue
        yield Judged(number, fields[0], level, fields[2] if len(fields) == 3 else None)


def read_rel(source: Source, text: Text = PLAIN, classes: bool = False) -> list[Judged]:
    """The judgments of one topic, each document once; with `classes`, all have one."""
    judged: dict[str, Judged] = {}
    for item in read_judged(source, text):
        if isinstance(item, InputError):
            raise item
        if classes and item.group is None:
            found = f"no class for {item.doc}"
            raise InputError(found, "doc L2 class", source.name, item.line)
        first = judged.setdefault(item.doc, item)
        if first[1:] != item[1:]:
            found = f"another judgment of document {item.doc}"
            raise InputError(found, f"that of line {first.line}", source.name, item.line)
    return list(judged.values())


def read_list(source: Source, separator: str | None = None) -> list[str]:
    """The documents of one topic from the top down, each on a line of its own."""
    found: dict[str, int] = {}
    for number, line in text_lines(source, comments=False):  # an answer may begin with #
        doc = line.strip()
        if len(fields_of(doc, separator)) != 1:
            held = "blanks" if separator is None else f"the separator {separator!r}"
            raise InputError(f"{held} in {doc!r}", "one document a line", source.name, number)
        _add(found, doc, number, source)
    return list(found)


def read_labelled(source: Source, separator: str | None = None) -> list[Labelled]:
    """A labelled list from the top down: ``doc``, ``doc L2`` or ``doc L2 class`` on each line."""
    found: dict[str, int] = {}
    labelled = []
    for number, line in text_lines(source, comments=False):  # an answer may begin with #
        doc, *said = fields_of(line, separator)
        level = level_of(said[0]) if said else None
        if not doc or len(said) > 2:
            held = f"{counted(len(said) + 1, 'field')} ({line.strip()!r})"
            raise InputError(held, "doc, doc L2 or doc L2 class", source.name, number)
        if said and level is None:
            raise InputError(f"label {said[0]!r}", "L0, L1, L2, …", source.name, number)
        _add(found, doc, number, source)
        labelled.append(Labelled(doc, level, said[1] if len(said) == 2 else None, number))
    return labelled


def read_ideal(source: Source, separator: str | None = None) -> list[Judged]:
    """An ideal list from the top down: ``doc gain``, gains that fall, 0 for nonrelevant ones."""
    found: dict[str, int] = {}
    ideal: list[Judged] = []
    for number, line in text_lines(source, comments=False):  # an answer may begin with #
        fields = fields_of(line, separator)
        if len(fields) != 2 or not fields[0]:
            held = f"{counted(len(fields), 'field')} ({line.strip()!r})"
            raise InputError(held, "doc gain", source.name, number)
        gain = _gain(fields[1], source, number)
        if ideal and gain > ideal[-1].level:
            held = f"gain {fields[1]} below {ideal[-1].level:g}"
            raise InputError(held, "gains that fall: an ideal list", source.name, number)
        _add(found, fields[0], number, source)
        ideal.append(Judged(number, fields[0], gain, None))
    return ideal


def read_gained(source: Source, separator: str | None = None) -> list[Labelled]:
    """A list with gains from the top down: ``doc`` or ``doc gain`` on each line."""
    found: dict[str, int] = {}
    labelled = []
    for number, line in text_lines(source, comments=False):  # an answer may begin with #
        doc, *said = fields_of(line, separator)
        if not doc or len(said) > 1:
            held = f"{counted(len(said) + 1, 'field')} ({line.strip()!r})"
            raise InputError(held, "doc or doc gain", source.name, number)
        gain = _gain(said[0], source, number) if said else None
        _add(found, doc, number, source)
        labelled.append(Labelled(doc, gain, None, number))
    return labelled


def read_din(source: Source, separator: str | None = None) -> list[Share]:
    """What intents add to the gains of documents: ``intent inf|nav doc gain`` on each line."""
    shares: dict[tuple[str, str], int] = {}
    types: dict[str, tuple[str, int]] = {}
    found = []
    for number, line in text_lines(source, comments=False):
        fields = fields_of(line, separator)
        if len(fields) != 4 or not all(fields):
            held = f"{counted(len(fields), 'field')} ({line.strip()!r})"
            raise InputError(held, "intent inf|nav doc gain", source.name, number)
        intent, kind, doc, gain = fields
        if kind not in ("inf", "nav"):
            raise InputError(f"type {kind!r}", "inf or nav", source.name, number)
        first, since = types.setdefault(intent, (kind, number))
        if kind != first:
            expected = f"{first} as on line {since}"
            raise InputError(f"{kind} for intent {intent}", expected, source.name, number)
        since = shares.setdefault((intent, doc), number)
        if since != number:
            again = f"document {doc} for intent {intent} again (first on line {since})"
            raise InputError(again, "each document once for an intent", source.name, number)
        found.append(Share(intent, kind == "nav", doc, _gain(gain, source, number)))
    if not found:
        raise InputError("an empty file", "intent inf|nav doc gain", source.name)
    return found


def read_dqrels(source: Source, separator: str | None = None) -> dict[str, list[JudgedForIntent]]:
    """``topic intent doc L2`` on each line, by topic; a line said twice is taken once."""
    found: dict[str, dict[tuple[str, str], JudgedForIntent]] = {}
    for number, line in text_lines(source):
        fields = fields_of(line, separator)
        if len(fields) != 4 or not all(fields):
            held = f"{counted(len(fields), 'field')} ({line.strip()!r})"
            raise InputError(held, "4: topic intent doc L2", source.name, number)
        topic, intent, doc, label = fields
        level = level_of(label)
        if level is None:
            raise InputError(f"label {label!r}", "L0, L1, L2, …", source.name, number)
        judged = JudgedForIntent(number, intent, doc, level)
        first = found.setdefault(topic, {}).setdefault((intent, doc), judged)
        if first.level != level:
            held = f"another judgment of document {doc} for intent {intent} of topic {topic}"
            raise InputError(held, f"that of line {first.line}", source.name, number)
    if not found:
        raise InputError("an empty file", "topic intent doc L2", source.name)
    return {topic: list(judged.values()) for topic, judged in found.items()}


def _gain(text: str, source: Source, number: int) -> float:
    gain = finite(text)
    if gain is None or gain < 0:
        raise InputError(f"gain {text!r}", "a number from 0", source.name, number)
    return gain


def _add(found: dict[str, int], doc: str, number: int, source: Source) -> None:
    """A document of a list, which must not be in it already."""
    if doc in found:
        again = f"document {doc} again (first on line {found[doc]})"
        raise InputError(again, "each document once", source.name, number)
    found[doc] = number


def _topics(directory: str) -> dict[str, set[str]]:
    """``{topic: names of its files}``, none if this is no such directory."""
    found = {}
    try:
        with os.scandir(directory) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.is_dir() and not entry.name.startswith("."):
                    files = set(os.listdir(entry.path))
                    if any(name.startswith(f"{entry.name}.") for name in files):
                        found[entry.name] = files
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CranfieldError(f"cannot read {error.filename or directory}: {reason}") from None
    return found


def _split(path: str) -> tuple[str, str | None]:
    """A directory, and the suffix asked for with ``DIR/*.erel``."""
    directory, name = os.path.split(path)
    if name.startswith("*.") and os.path.isdir(directory or "."):
        return directory or ".", name[2:]
    return path, None


def judged_files(path: str) -> dict[str, Source] | None:
    """``{topic: file of its judgments}`` of a directory; None if `path` is none."""
    directory, suffix = _split(path)
    if not os.path.isdir(directory):
        return None
    topics = _topics(directory)
    if not topics and suffix is None:
        return None
    suffix = suffix or _suffix(topics, path)
    found = {
        topic: Source.of(os.path.join(directory, topic, f"{topic}.{suffix}"))
        for topic, files in topics.items()
        if f"{topic}.{suffix}" in files
    }
    if not found:
        raise InputError(f"no file such as 0001/0001.{suffix}", "judgments", path)
    return found


def _suffix(topics: Mapping[str, set[str]], path: str) -> str:
    """The suffix of the judgments: the one that nothing else has, or rel."""
    single = {
        name.removeprefix(f"{topic}.")
        for topic, files in topics.items()
        for name in files
        if name.startswith(f"{topic}.") and name.count(".") == topic.count(".") + 1
    }
    suffixes = sorted(s for s in single - set(MADE) if not _IRELV.fullmatch(s))
    if not suffixes:
        hint = "there are ideal lists of intents: ask for measures of diversity, such as D(nDCG)"
        intents = any(_ideal_lists(topic, files) for topic, files in topics.items())
        expected = "files such as 0001/0001.rel"
        raise InputError("no judgments", expected, path, hint=hint if intents else "")
    if len(suffixes) > 1 and REL not in suffixes:
        found = f"judgments {', '.join(suffixes)}"
        raise InputError(found, f"one of them: {os.path.join(path, '*.' + suffixes[0])}", path)
    return REL if REL in suffixes else suffixes[0]


def judgments(path: str, text: Text = PLAIN) -> Iterator[Record | Problem] | None:
    """The judgments of all topics of a directory; None if `path` is none."""
    files = judged_files(path)
    return None if files is None else _records(files, text)


def _records(files: Mapping[str, Source], text: Text) -> Iterator[Record | Problem]:
    for topic, source in files.items():
        seen: dict[str, float] = {}
        for item in read_judged(source, text):
            if isinstance(item, InputError):
                yield Problem.error(item, source.name)
            elif item.doc in seen and seen[item.doc] != item.level:
                found = f"level {item.level:g} for document {item.doc}"
                error = InputError(found, f"{seen[item.doc]:g} as above", source.name, item.line)
                yield Problem.error(error, source.name)
            elif item.doc in seen:
                yield Problem("warning", source.name, item.line, f"{item.doc} is judged again")
            else:
                seen[item.doc] = item.level
                yield Record(item.line, topic, item.doc, item.level, None, None, item.group)


def groups(path: str, separator: str | None = None) -> dict[str, dict[str, str]] | None:
    """``{topic: {doc: class}}`` of a directory, whatever the labels; None if `path` is none."""
    files = judged_files(path)
    if files is None:
        return None
    found: dict[str, dict[str, str]] = {topic: {} for topic in files}
    for topic, source in files.items():
        for number, line in text_lines(source, comments=False):
            fields = fields_of(line, separator)
            if len(fields) != 3 or not all(fields):
                said = f"no class for {fields[0]}"
                raise InputError(said, "doc L2 class", source.name, number)
            doc, _, group = fields
            if found[topic].setdefault(doc, group) != group:
                said = f"class {group} for document {doc}"
                raise InputError(said, f"one class, {found[topic][doc]}", source.name, number)
    return found


def intent_judgments(path: str, text: Text = PLAIN) -> Iterator[Record] | None:
    """What items are worth to the intents of all topics of a directory, whose ideal lists are
    ``0001/0001.PREFIX.Irelv1`` and so on; None if `path` is none. ``DIR/*.PREFIX.Irelv`` chooses.
    """
    directory, suffix = _split(path)
    if not os.path.isdir(directory) or not (topics := _topics(directory)):
        return None
    found = {topic: _ideal_lists(topic, files) for topic, files in topics.items()}
    prefixes = sorted({match["prefix"] for of_topic in found.values() for match in of_topic})
    wanted = [p for p in prefixes if suffix in (None, f"{p}{IRELV}")]
    if len(wanted) != 1:
        shown = f"0001/0001.PREFIX.{IRELV}1"
        several = f"ideal lists {', '.join(f'*.{p}{IRELV}' for p in wanted)}"
        said = several if wanted else f"no file such as {shown}"
        raise InputError(said, "the ideal lists of intents, of one prefix", path)
    return (
        Record(item.line, topic, item.doc, item.level, None, None, type=match["intent"])
        for topic, of_topic in found.items()
        for match in of_topic
        if match["prefix"] == wanted[0]
        for item in read_ideal(
            Source.of(os.path.join(directory, topic, f"{topic}.{match[0]}")), text.separator
        )
    )


_IRELV = re.compile(rf"(?P<prefix>(?:.+\.)?){IRELV}(?P<intent>[^.]+)")


def _ideal_lists(topic: str, files: set[str]) -> list[re.Match[str]]:
    """The suffixes of the ideal lists of a topic's intents."""
    suffixes = (name.removeprefix(f"{topic}.") for name in sorted(files))
    return [match for suffix in suffixes if (match := _IRELV.fullmatch(suffix))]


def intent_files(topic: str, prefix: str, directory: str = "") -> list[Source]:
    """The ideal lists of the intents of a topic, ``0001/0001.PREFIX.Irelv1`` and so on."""
    where = os.path.join(directory, topic)
    begins = f"{topic}.{prefix}.{IRELV}"
    try:
        intents = [
            name.removeprefix(begins) for name in os.listdir(where) if name.startswith(begins)
        ]
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CranfieldError(f"cannot read {where}: {reason}") from None
    if not intents:
        raise InputError(f"no file such as {begins}1", "the ideal lists of intents", where)
    return [Source.of(os.path.join(where, begins + intent)) for intent in in_order(intents)]


def runs(path: str) -> list[str]:
    """The runs of a directory, as ``DIR/*.NAME.res``; none if there are none."""
    path, _ = _split(path)
    if not os.path.isdir(path):
        return []
    names = {
        name.removeprefix(f"{topic}.").removesuffix(f".{RES}")
        for topic, files in _topics(path).items()
        for name in files
        if re.fullmatch(rf"{re.escape(topic)}\..+\.{RES}", name)
    }
    return [os.path.join(path, f"*.{name}.{RES}") for name in sorted(names)]


def run_name(path: str) -> str:
    """The name of a run in a directory."""
    return os.path.basename(path).removeprefix("*.").removesuffix(f".{RES}")


def inside(directory: str, run: str) -> str:
    """The path of a run that is meant to be one of a directory's, as ``DIR/*.NAME.res``."""
    directory, _ = _split(directory)
    beside = os.path.abspath(os.path.dirname(run) or ".") == os.path.abspath(directory)
    known = runs(directory) if beside else []
    return next((path for path in known if run_name(path) == run_name(run)), run)


def lists(path: str, separator: str | None = None) -> dict[str, dict[str, float]] | None:
    """``{topic: {doc: value}}`` of a run in a directory, values falling; None if there is none."""
    if os.path.isdir(path):
        if inside := runs(path):
            names = [run_name(run) for run in inside]
            expected = f"one of them, such as {inside[0]}"
            raise InputError(some(names, "run"), expected, path)
        return None
    files = list_files(path)
    found = {topic: read_list(source, separator) for topic, source in files.items()}
    by_place = {t: {d: -float(i) for i, d in enumerate(docs)} for t, docs in found.items()}
    return by_place or None


def list_files(path: str) -> dict[str, Source]:
    """``{topic: file of its list}`` of a run in a directory, none if there is no such run."""
    directory = os.path.dirname(path) or "."
    if os.path.exists(path) or not os.path.isdir(directory):
        return {}
    name = run_name(path)
    return {
        topic: Source.of(os.path.join(directory, topic, f"{topic}.{name}.{RES}"))
        for topic, files in _topics(directory).items()
        if f"{topic}.{name}.{RES}" in files
    }
