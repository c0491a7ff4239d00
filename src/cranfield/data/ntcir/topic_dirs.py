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
from typing import Any, NamedTuple

from cranfield.data.reading.columns import Kind, in_order
from cranfield.data.reading.labels import level_of, one_of
from cranfield.data.reading.lines import BLANK, Line, fields_of, lines, text_lines
from cranfield.data.reading.records import AGAIN, PLAIN, Problem, Record, Text
from cranfield.data.reading.source import Source, cannot_read
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
    for line in _named(source, text.separator, "doc L2", "doc L2 class"):
        try:
            yield line if isinstance(line, InputError) else _judged(line, text.labels)
        except InputError as error:
            yield error


def _judged(line: Line, labels: Mapping[str, float] | None) -> Judged:
    level = _level(line, labels)
    return Judged(line.number or 0, line.cells["doc"], level, line.cells.get("class"))


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
        doc = line.strip(BLANK)
        if len(fields_of(doc, separator)) != 1:
            held = "blanks" if separator is None else f"the separator {separator!r}"
            raise InputError(f"{held} in {doc!r}", "one document a line", source.name, number)
        _add(found, doc, number, source)
    return list(found)


def read_labelled(source: Source, separator: str | None = None) -> list[Labelled]:
    """A labelled list from the top down: ``doc``, ``doc L2`` or ``doc L2 class`` on each line."""
    return [
        Labelled(
            line.cells["doc"],
            _level(line) if "L2" in line.cells else None,
            line.cells.get("class"),
            line.number,
        )
        for line in _list(source, separator, "doc", "doc L2", "doc L2 class")
    ]


def read_ideal(source: Source, separator: str | None = None) -> list[Judged]:
    """An ideal list from the top down: ``doc gain``, gains that fall, 0 for nonrelevant ones."""
    ideal: list[Judged] = []
    for line in _list(source, separator, "doc gain"):
        gain = _gain(line)
        if ideal and gain > ideal[-1].level:
            held = f"gain {line.cells['gain']} below {ideal[-1].level:g}"
            raise line.error(held, "gains that fall: an ideal list")
        ideal.append(Judged(line.number or 0, line.cells["doc"], gain, None))
    return ideal


def read_gained(source: Source, separator: str | None = None) -> list[Labelled]:
    """A list with gains from the top down: ``doc`` or ``doc gain`` on each line."""
    return [
        Labelled(
            line.cells["doc"], _gain(line) if "gain" in line.cells else None, None, line.number
        )
        for line in _list(source, separator, "doc", "doc gain")
    ]


def read_din(source: Source, separator: str | None = None) -> list[Share]:
    """What intents add to the gains of documents: ``intent inf|nav doc gain`` on each line."""
    form = "intent inf|nav doc gain"
    shares: dict[tuple[str, str], int | None] = {}
    types: dict[str, tuple[str, int | None]] = {}
    found = []
    for line in _lines(source, separator, form):
        intent, kind, doc = (line.cells[name] for name in form.split()[:3])
        if kind not in ("inf", "nav"):
            raise line.error(f"type {kind!r}", "inf or nav")
        first, since = types.setdefault(intent, (kind, line.number))
        if kind != first:
            raise line.error(f"{kind} for intent {intent}", f"{first} as on line {since}")
        since = shares.setdefault((intent, doc), line.number)
        if since != line.number:
            again = f"document {doc} for intent {intent} again (first on line {since})"
            raise line.error(again, "each document once for an intent")
        found.append(Share(intent, kind == "nav", doc, _gain(line)))
    if not found:
        raise InputError("an empty file", form, source.name)
    return found


def read_dqrels(source: Source, separator: str | None = None) -> dict[str, list[JudgedForIntent]]:
    """``topic intent doc L2`` on each line, by topic; a line said twice is taken once."""
    form = "topic intent doc L2"
    found: dict[str, dict[tuple[str, str], JudgedForIntent]] = {}
    for line in _lines(source, separator, form, expected=f"4: {form}", comments=True):
        topic, intent, doc, _ = line.cells.values()
        judged = JudgedForIntent(line.number or 0, intent, doc, _level(line))
        first = found.setdefault(topic, {}).setdefault((intent, doc), judged)
        if first.level != judged.level:
            held = f"another judgment of document {doc} for intent {intent} of topic {topic}"
            raise line.error(held, f"that of line {first.line}")
    if not found:
        raise InputError("an empty file", form, source.name)
    return {topic: list(judged.values()) for topic, judged in found.items()}


# -- lines and cells ------------------------------------------------------------------------------


def _named(
    source: Source, separator: str | None, *forms: str, expected: str = "", comments: bool = False
) -> Iterator[Line | InputError]:
    """Lines, their fields by their names in the form that has as many; an answer may begin with #.

    What is expected of others is one of the forms, unless it is said.
    """
    expected = expected or " or ".join(filter(None, (", ".join(forms[:-1]), forms[-1])))
    for number, line in lines(source, comments):
        fields = [] if isinstance(line, InputError) else fields_of(line, separator)
        names = next((form.split() for form in forms if len(form.split()) == len(fields)), None)
        if isinstance(line, InputError):
            yield line
        elif names is None or not all(fields):
            found = f"{counted(len(fields), 'field')} ({line.strip()!r})"
            yield InputError(found, expected, source.name, number)
        else:
            yield Line(source.name, number, dict(zip(names, fields, strict=True)))


def _lines(source: Source, separator: str | None, *forms: str, **how: Any) -> Iterator[Line]:
    for line in _named(source, separator, *forms, **how):
        if isinstance(line, InputError):
            raise line
        yield line


def _list(source: Source, separator: str | None, *forms: str) -> Iterator[Line]:
    """The lines of a list, in which each document must be once."""
    found: dict[str, int] = {}
    for line in _lines(source, separator, *forms):
        _add(found, line.cells["doc"], line.number or 0, source)
        yield line


def _level(line: Line, labels: Mapping[str, float] | None = None) -> float:
    label = line.cells["L2"]
    level = level_of(label, labels)
    if level is None:
        raise line.error(f"label {label!r}", one_of(label, labels) if labels else "L0, L1, L2, …")
    return level


def _gain(line: Line) -> float:
    return line.value("gain", "a number from 0", 0)


def _add(found: dict[str, int], doc: str, number: int, source: Source) -> None:
    """A document of a list, which must not be in it already."""
    if doc in found:
        again = f"document {doc} again (first on line {found[doc]})"
        raise InputError(again, "each document once", source.name, number)
    found[doc] = number


# -- directories ----------------------------------------------------------------------------------


def _topics(directory: str, unreadable: list[CranfieldError] | None = None) -> dict[str, set[str]]:
    """``{topic: names of its files}``, none if this is no such directory.

    A directory that cannot be read is an error, or `unreadable` if nobody has named it.
    """
    found = {}
    inside = sorted(x for x in _names(directory, unreadable) if not x.startswith("."))
    for topic in inside:
        if os.path.isdir(path := os.path.join(directory, topic)):
            files = set(_names(path, unreadable))
            if any(name.startswith(f"{topic}.") for name in files):
                found[topic] = files
    return found


def _names(directory: str, unreadable: list[CranfieldError] | None) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError as error:
        if unreadable is None:
            raise cannot_read(directory, error) from None
        unreadable.append(cannot_read(directory, error))
        return []


def _split(path: str) -> tuple[str, str | None]:
    """A directory, and the suffix asked for with ``DIR/*.erel``."""
    directory, name = os.path.split(path)
    if name.startswith("*.") and os.path.isdir(directory or "."):
        return directory or ".", name[2:]
    return path, None


def holds(path: str, kind: Kind | None) -> bool:
    """Whether a path means judgments, or a run, of topic directories."""
    if kind == "run":
        return bool(runs(path) if os.path.isdir(path) else list_files(path))
    directory, suffix = _split(path)
    named = kind == "qrels" and os.path.isdir(directory)
    return named and (suffix is not None or bool(_topics(directory)))


def errors(source: Source, kind: Kind, text: Text = PLAIN) -> Iterator[Problem | Record]:
    """Every judgment or result of topic directories, and every error in its place."""
    path = source.path
    if kind == "run":
        return _results(path, text)
    return intent_judgments(path, text) if text.intents else _records(judged_files(path), text)


def topics_of(source: Source) -> list[str]:
    """The topics of a run in a directory, those with empty lists among them."""
    return list(list_files(source.path))


def judged_files(path: str) -> dict[str, Source]:
    """``{topic: file of its judgments}`` of a directory."""
    directory, suffix = _split(path)
    topics = _topics(directory)
    suffix = suffix or _suffix(topics, path)
    found = _files(directory, topics, suffix)
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
                said = f"{item.doc} is judged again"
                yield Problem("warning", source.name, item.line, said, kind=AGAIN)
            else:
                seen[item.doc] = item.level
                yield Record(item.line, topic, item.doc, item.level, None, None, item.group)


def groups(path: str, separator: str | None = None) -> dict[str, dict[str, str]]:
    """``{topic: {doc: class}}`` of a directory, whatever the labels."""
    files = judged_files(path)
    found: dict[str, dict[str, str]] = {topic: {} for topic in files}
    for topic, source in files.items():
        for number, line in text_lines(source, comments=False):
            fields = fields_of(line, separator)
            if len(fields) != 3 or not all(fields):
                text = f"no class for {fields[0]}"
                raise InputError(text, "doc L2 class", source.name, number)
            doc, _, group = fields
            if found[topic].setdefault(doc, group) != group:
                text = f"class {group} for document {doc}"
                raise InputError(text, f"one class, {found[topic][doc]}", source.name, number)
    return found


def intent_judgments(path: str, text: Text = PLAIN) -> Iterator[Record]:
    """What items are worth to the intents of all topics of a directory, whose ideal lists are
    ``0001/0001.PREFIX.Irelv1`` and so on. ``DIR/*.PREFIX.Irelv`` chooses.
    """
    directory, suffix = _split(path)
    ideal = {topic: _ideal_lists(topic, files) for topic, files in _topics(directory).items()}
    prefixes = sorted({match["prefix"] for of_topic in ideal.values() for match in of_topic})
    wanted = [p for p in prefixes if suffix in (None, f"{p}{IRELV}")]
    if len(wanted) != 1:
        shown = f"0001/0001.PREFIX.{IRELV}1"
        several = f"ideal lists {', '.join(f'*.{p}{IRELV}' for p in wanted)}"
        said = several if wanted else f"no file such as {shown}"
        raise InputError(said, "the ideal lists of intents, of one prefix", path)
    for topic, of_topic in ideal.items():
        for match in (match for match in of_topic if match["prefix"] == wanted[0]):
            source = Source.of(os.path.join(directory, topic, f"{topic}.{match[0]}"))
            for item in read_ideal(source, text.separator):
                intent = match["intent"]
                yield Record(item.line, topic, item.doc, item.level, None, None, type=intent)


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
        raise cannot_read(where, error) from None
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


def _results(path: str, text: Text) -> Iterator[Record | Problem]:
    """What a run in a directory found, list after list."""
    if os.path.isdir(path):
        inside = runs(path)
        names, expected = map(run_name, inside), f"one of them, such as {inside[0]}"
        yield Problem.error(InputError(some(list(names), "run"), expected, path), path)
        return
    name = run_name(path)
    for topic, source in list_files(path).items():
        try:
            docs = read_list(source, text.separator)
        except InputError as error:
            yield Problem.error(error, source.name)
        else:
            yield from (Record(None, topic, doc, None, None, name) for doc in docs)


def list_files(path: str) -> dict[str, Source]:
    """``{topic: file of its list}`` of a run in a directory, none if there is no such run."""
    directory = os.path.dirname(path) or "."
    if path == "-" or os.path.exists(path) or not os.path.isdir(directory):
        return {}
    unreadable: list[CranfieldError] = []
    found = _files(directory, _topics(directory, unreadable), f"{run_name(path)}.{RES}")
    if found and unreadable:  # and perhaps lists of this run are in there
        raise unreadable[0]
    return found


def _files(directory: str, topics: Mapping[str, set[str]], suffix: str) -> dict[str, Source]:
    """Of each topic the file with a suffix, if there is one."""
    names = {topic: f"{topic}.{suffix}" for topic in topics if f"{topic}.{suffix}" in topics[topic]}
    return {t: Source.of(os.path.join(directory, t, name)) for t, name in names.items()}
