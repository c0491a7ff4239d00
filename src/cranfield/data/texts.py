"""Texts, nuggets, and the places of nuggets in texts.

Texts: a directory with a file for each topic, lines ``topic<TAB>text``, or a table with columns
topic and text. Nuggets: lines ``topic nugget weight length``, or a table that may have the vital
strings. Matches: lines ``topic nugget offset`` and ``topic syslen= length``, as in 1CLICK. Tables
are CSV, TSV with a header, JSONL, Parquet, Arrow and frames.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, repeat
from typing import Any, NamedTuple, TypeAlias, TypeVar

from cranfield.data.answers import ID_SPELLINGS
from cranfield.data.reading.cells import (
    Layout,
    detect_layout_format,
    get_location,
    is_plain_file,
    iter_lines,
    read_lines,
    read_text_columns,
)
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.formats import JSON
from cranfield.data.reading.lines import (
    BLANK,
    Line,
    check_not_empty,
    format_value,
    iter_text_lines,
    parse_finite,
    parse_integer,
    split_fields,
    truncate_text,
)
from cranfield.data.reading.shapes import is_list
from cranfield.data.reading.source import Source, split_name
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.trec import reject_other_encodings, require_numbers
from cranfield.data.systems import name_systems
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count

TextsLike: TypeAlias = Any  # a path, {topic: text}, {topic: [text, …]}, a frame, or Texts
NuggetsLike: TypeAlias = Any  # a path, {topic: {nugget: (weight, vital)}}, a frame, or Nuggets
MatchesLike: TypeAlias = Any  # a path, {topic: {nugget: offset}}, a frame, or Matches

TEXTS = Layout(
    (("topic", "text"),),
    ("topic", "text"),
    {
        "topic": (*SPELLINGS["topic"], "id"),
        "text": ("text", "answer", "summary", "response", "output", "reference", "prediction"),
        "nugget": ("nugget", "nugget_id", "iunit", "iunit_id", "weight"),  # to reject nuggets
    },
    fields=lambda line, tab: line.split(tab, 1),
    verbatim=True,
    table="texts",
)
GOLD_ONLY = (
    *("ground_truth", "ground_truths", "gold", "gold_answer", "gold_answers"),
    *("golden_answer", "golden_answers", "reference", "reference_answer"),
    *("expected_output", "expected_answer", "expected", "answers"),
)


def _build_gold_layout(names: Sequence[str]) -> Layout:
    """Return the layout of gold answers in a column with one of these names."""
    spellings = {"topic": ID_SPELLINGS["topic"], "text": names, "nugget": TEXTS.spellings["nugget"]}
    return Layout(TEXTS.forms, TEXTS.required, spellings, fields=TEXTS.fields, verbatim=True, table="gold")


GOLD = _build_gold_layout((*GOLD_ONLY, *TEXTS.spellings["text"]))  # answers of systems have the last spellings
GOLD_WITH_ANSWERS = _build_gold_layout(GOLD_ONLY)  # for files with gold answers and answers of systems
NUGGET = ("nugget", "nugget_id", "iunit", "iunit_id", "id")
NUGGETS = Layout(
    (("topic", "nugget", "weight", "length"),),
    ("topic", "nugget", "weight"),
    {
        "topic": SPELLINGS["topic"],
        "nugget": NUGGET,
        "weight": ("weight", "importance", "votes"),
        "length": ("length", "vital_length", "vlen", "len"),
        "vital": ("text", "vital", "vital_string", "string"),
    },
    fields=lambda line, blank: split_fields(line, blank)[:4],  # NTCIREVAL ignores what follows
    verbatim=True,
    table="text-nuggets",
)
MATCHES = Layout(
    (("topic", "nugget", "offset"),),
    ("topic", "nugget", "offset"),
    {"topic": SPELLINGS["topic"], "nugget": NUGGET, "offset": ("offset", "position", "pos", "end")},
    verbatim=True,
    table="matches",
)
EVERY_FILE = "With --nuggets, each file is a system. Pass references with --references."
SYSLEN = "syslen="  # replaces the nugget on the line with the text length


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts of each topic: one of a system, one or several of references.

    >>> read_texts({"q1": "Paul McCartney", "q2": ["one", "another"]})
    Texts: 3 texts of 2 topics
    """

    by_topic: Mapping[str, tuple[str, ...]]
    where: str = "texts"

    def __repr__(self) -> str:
        texts = format_count(sum(map(len, self.by_topic.values())), "text")
        return f"Texts: {texts} of {format_count(len(self.by_topic), 'topic')}"


class NuggetText(NamedTuple):
    """Weight of a nugget, the length of its vital string, and the string."""

    weight: float
    length: int
    string: str | None


@dataclass(frozen=True, eq=False)
class Nuggets:
    """Nuggets of each topic.

    >>> read_nuggets({"q1": {"birth": (3, "born 1942"), "death": (1, 12)}}).by_topic["q1"]["birth"]
    NuggetText(weight=3.0, length=9, string='born 1942')
    """

    by_topic: Mapping[str, Mapping[str, NuggetText]]
    where: str = "nuggets"

    def __repr__(self) -> str:
        nuggets = format_count(sum(map(len, self.by_topic.values())), "nugget")
        return f"Nuggets: {nuggets} of {format_count(len(self.by_topic), 'topic')}"


class Match(NamedTuple):
    """End of a nugget in a text, in characters, and the line number."""

    offset: int
    line: int | None


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches of nuggets in the texts of one system, by topic.

    >>> read_matches({"q1": {"syslen=": 500, "birth": 100}})
    Matches: 1 match of 1 topic
    """

    by_topic: Mapping[str, Mapping[str, Match]]
    lengths: Mapping[str, int]  # lengths of texts, if they are in the file
    where: str = "matches"

    def __repr__(self) -> str:
        total, topics = (
            sum(map(len, self.by_topic.values())),
            format_count(len(self.by_topic), "topic"),
        )
        return f"Matches: {total} match{'' if total == 1 else 'es'} of {topics}"

    def check(self, nuggets: Mapping[str, Mapping[str, NuggetText]]) -> None:
        """Raise an error for unknown topics and nuggets."""
        for topic, matches in self.by_topic.items():
            if topic not in nuggets:
                line = next((match.line for match in matches.values()), None)
                raise InputError(f"topic {topic}", "a topic with nuggets", self.where, line)
            for name, match in matches.items():
                if name not in nuggets[topic]:
                    expected = f"one of topic {topic}'s {format_count(len(nuggets[topic]), 'nugget')}"
                    raise InputError(f"nugget {name}", expected, self.where, match.line)

    def check_offsets(self, topic: str, length: int) -> None:
        """Raise an error for an offset beyond the end of a topic's text."""
        for name, match in self.by_topic.get(topic, {}).items():
            if match.offset > length:
                problem = f"offset {match.offset} for nugget {name} of topic {topic}"
                expected = f"at most {length}, the length of the text"
                raise InputError(problem, expected, self.where, match.line)


# -- texts ----------------------------------------------------------------------------------------


def read_texts(data: TextsLike, name: str = "texts", allow_many: bool = True, layout: Layout = TEXTS) -> Texts:
    """Read texts from a directory, a file, a mapping, a frame or tuples.

    `name` is used in messages. With `allow_many`, a topic may have several texts, in a list or on
    separate rows.
    """
    if isinstance(data, Texts):
        return data
    if isinstance(data, str | os.PathLike) and os.path.isdir(data):
        location = os.fspath(data)
        lines = _read_directory(location)
    else:
        location = get_location(data, name)
        try:
            return Texts(_read_tabs(data), location)
        except Irregular:
            lines = read_lines(data, layout, "texts", "\t", location=name)
    by_topic: dict[str, list[str]] = {}
    for line in lines:
        topic, cell = _read_name(line, "topic"), line.cells["text"]
        if "nugget" in line.cells:
            raise line.make_problem("nuggets instead of texts", "Pass them with --nuggets or nuggets=.")
        for text in _read_cell(cell, layout):
            if not isinstance(text, str):
                raise line.make_error(f"text {format_value(text)} for topic {topic}", "text")
            if topic in by_topic and not allow_many:
                raise line.make_problem(f"duplicate text for topic {topic}", EVERY_FILE)
            by_topic.setdefault(topic, []).append(text.rstrip())  # like the last line of a file
    check_not_empty(by_topic, "texts", location)
    return Texts({topic: tuple(texts) for topic, texts in by_topic.items()}, location)


def _read_cell(cell: Any, layout: Layout) -> Sequence[Any]:
    """Return the texts of a cell: one, or for gold answers any number."""
    if layout in (GOLD, GOLD_WITH_ANSWERS) and (cell is None or is_list(cell)):
        return cell or ()
    return ("" if cell is None else cell,)


def _read_tabs(data: TextsLike) -> dict[str, tuple[str, ...]]:
    """Read valid lines ``topic<TAB>text``, one per topic.

    Raise Irregular for other input.
    """
    if not is_plain_file(data) or TEXTS.with_choices().is_declared:
        raise Irregular
    source = Source.from_path(data)
    format = detect_layout_format(source, TEXTS, "\t")
    text = source.read()
    if format.tabular or format is JSON or source.find_long_line(text) is not None:
        raise Irregular
    reject_other_encodings(text)
    by_topic: dict[str, tuple[str, ...]] = {}
    for line in text.decode().removesuffix("\n").split("\n"):
        topic, tab, rest = line.partition("\t")
        if not tab or topic in by_topic or topic != topic.strip(BLANK) or topic in ("", "all"):
            raise Irregular
        by_topic[topic] = (rest.rstrip(),)
    return by_topic


def read_systems(systems: Any) -> dict[str, Texts]:
    """Read the texts of one or several systems, by name.

    Files are named by their path.
    """
    named_systems = name_systems(_list_systems(systems, _is_texts))
    return {name: read_texts(data, name, allow_many=False) for name, data in named_systems.items()}


def _list_systems(data: Any, is_one: Callable[[Any], bool]) -> list[tuple[str | None, Any]]:
    """Return (name, data) of each system. Only a mapping has names."""
    if isinstance(data, Mapping) and not is_one(data):
        return [(str(name), source) for name, source in data.items()]
    return [(None, source) for source in (data if isinstance(data, list | tuple) else [data])]


def _is_texts(data: Mapping[Any, Any]) -> bool:
    return all(isinstance(text, str | list | tuple) for text in data.values())


def _read_directory(path: str) -> Iterator[Line]:
    """Yield the texts of a directory with a file, or a directory of files, per topic."""
    for topic, entry in _list_entries(path):
        files = [file for _, file in _list_entries(entry)] if os.path.isdir(entry) else [entry]
        for file in files:
            source = Source.from_path(file)
            try:
                text = source.read().decode()
            except UnicodeDecodeError:
                raise InputError("bytes that are not UTF-8", "UTF-8 text", file) from None
            name = topic if entry is file else os.path.basename(entry)
            yield Line(path, None, {"topic": name, "text": text})


def _list_entries(path: str) -> Iterator[tuple[str, str]]:
    """Yield (name without suffixes, path) of the entries of a directory, by name."""
    names = sorted(name for name in os.listdir(path) if not name.startswith("."))
    paths = [os.path.join(path, name) for name in names]
    stems = (split_name(name)[0] for name in names)
    yield from zip(stems, paths, strict=True)


# -- nuggets --------------------------------------------------------------------------------------


def read_nuggets(data: NuggetsLike) -> Nuggets:
    """Read nuggets with a length or vital string from a path, mapping or frame."""
    if isinstance(data, Nuggets):
        return data
    location = get_location(data, "nuggets")
    try:
        by_topic = _read_nugget_columns(data)
    except Irregular:
        by_topic = _read_nugget_lines(data)
    for topic, nuggets in by_topic.items():
        if not any(vital.weight for vital in nuggets.values()):
            problem = f"topic {topic} has no nugget with weight > 0"
            raise InputError.from_problem(problem, where=location)
    return Nuggets(by_topic, location)


def _read_nugget_columns(data: NuggetsLike) -> dict[str, dict[str, NuggetText]]:
    """Read the nuggets of a valid text. Raise Irregular for any other input."""
    cells = read_text_columns(data, NUGGETS)
    weights, lengths = require_numbers(cells["weight"]), require_numbers(cells["length"])
    if (weights < 0).any() or (lengths < 1).any() or (lengths % 1 != 0).any():
        raise Irregular
    vital = map(NuggetText, weights.tolist(), map(int, lengths.tolist()), repeat(None))
    return _group_by_topic(cells["topic"], cells["nugget"], vital)


_V = TypeVar("_V")


def _group_by_topic(topics: Strings, nuggets: Strings, values: Iterable[_V]) -> dict[str, dict[str, _V]]:
    """Group values by topic and nugget. Raise Irregular for duplicates."""
    by_topic: dict[str, dict[str, _V]] = {}
    for topic, name, value in zip(topics.tolist(), nuggets.tolist(), values, strict=True):
        by_topic.setdefault(topic, {})[name] = value
    if sum(map(len, by_topic.values())) < len(topics) or "all" in by_topic:
        raise Irregular
    return by_topic


def _read_nugget_lines(data: NuggetsLike) -> dict[str, dict[str, NuggetText]]:
    by_topic: dict[str, dict[str, NuggetText]] = {}
    for line in read_lines(data, NUGGETS, "nuggets", nested=_flatten_nuggets):
        topic, name = _read_name(line, "topic"), _read_name(line, "nugget")
        if name in by_topic.setdefault(topic, {}):
            raise line.make_duplicate_error(f"nugget {name!r} in topic {topic}")
        by_topic[topic][name] = _read_nugget(f"nugget {name} of topic {topic}", line)
    return by_topic


def _read_nugget(description: str, line: Line) -> NuggetText:
    cell, length, string = (line.cells.get(name) for name in ("weight", "length", "vital"))
    text = f"weight {truncate_text(str(cell))} for {description}"
    weight = line.get_number("weight", "a number ≥ 0", 0, text)
    if string is not None and not isinstance(string, str):
        raise line.make_error(f"vital string {string!r} for {description}", "text")
    string = string.strip() if string else None
    if length is None or not str(length).strip():
        if not string:
            raise line.make_error(f"no vital string for {description}", "its text, or its length")
        return NuggetText(weight, len(string), string)
    number = parse_integer(length)
    if not number:
        problem = f"length {truncate_text(str(length))} for {description}"
        hint = "" if parse_finite(length) is not None else "vital strings need a header: topic nugget …"
        raise line.make_error(problem, "an integer ≥ 1", hint)
    return NuggetText(weight, number, string)


def _flatten_nuggets(data: Mapping[Any, Any], location: str) -> Iterator[dict[str, Any]]:
    for topic, nuggets in data.items():
        if not isinstance(nuggets, Mapping):
            problem = f"{type(nuggets).__name__} for topic {topic!r}"
            raise InputError(problem, "{nugget: (weight, vital string or its length)}", location)
        for name, value in nuggets.items():
            cells = {"topic": topic, "nugget": name}
            if isinstance(value, Mapping):
                yield {**value, **cells}
            elif isinstance(value, list | tuple) and len(value) == 2:
                vital = "vital" if isinstance(value[1], str) else "length"
                yield cells | {"weight": value[0], vital: value[1]}
            else:
                problem = f"{value!r} for nugget {name} of topic {topic}"
                raise InputError(problem, "(weight, vital string or its length)", location)


# -- matches --------------------------------------------------------------------------------------


def read_matches(data: MatchesLike, name: str = "matches") -> Matches:
    """Read matches from a path, a mapping, a frame or tuples."""
    if isinstance(data, Matches):
        return data
    try:
        by_topic, lengths = _read_match_columns(data)
    except Irregular:
        by_topic, lengths = _read_match_lines(data, name)
    return Matches(by_topic, lengths, get_location(data, name))


def _read_match_columns(data: MatchesLike) -> tuple[dict[str, dict[str, Match]], dict[str, int]]:
    """Read the matches of a valid text. Raise Irregular for any other input."""
    cells = read_text_columns(data, MATCHES)
    offsets = require_numbers(cells["offset"])
    if (offsets < 0).any() or (offsets % 1 != 0).any():
        raise Irregular
    matches = map(Match, map(int, offsets.tolist()), count(1))
    by_topic = _group_by_topic(cells["topic"], cells["nugget"], matches)
    text_lengths = {topic: topic_matches.pop(SYSLEN, None) for topic, topic_matches in by_topic.items()}
    return by_topic, {topic: match.offset for topic, match in text_lengths.items() if match is not None}


def _read_match_lines(data: MatchesLike, name: str) -> tuple[dict[str, dict[str, Match]], dict[str, int]]:
    by_topic: dict[str, dict[str, Match]] = {}
    lengths: dict[str, int] = {}
    for line in iter_lines(data, MATCHES, name):
        topic, nugget = _read_name(line, "topic"), _read_name(line, "nugget")
        number = parse_integer(line.cells["offset"])
        is_length = nugget == SYSLEN
        if number is None:
            problem = f"{'length' if is_length else 'offset'} {truncate_text(str(line.cells['offset']))}"
            raise line.make_error(problem, "an integer ≥ 0")
        topic_matches = by_topic.setdefault(topic, {})
        if nugget in topic_matches or (is_length and topic in lengths):
            noun = "text length" if is_length else f"nugget {nugget!r}"
            raise line.make_duplicate_error(f"{noun} in topic {topic}")
        if is_length:
            lengths[topic] = number
        else:
            topic_matches[nugget] = Match(number, line.number)
    return by_topic, lengths


def read_systems_matches(matches: Any) -> list[tuple[str, Matches]]:
    """Read the matches of one or several systems, by name.

    Files are named by their path.
    """
    named_matches = name_systems(_list_systems(matches, _is_matches))
    return [(name, read_matches(data, name)) for name, data in named_matches.items()]


def _is_matches(data: Mapping[Any, Any]) -> bool:
    return all(
        isinstance(of_topic, Mapping) and not any(isinstance(x, Mapping) for x in of_topic.values())
        for of_topic in data.values()
    )


# -- of one topic, as NTCIREVAL's 1click has them -------------------------------------------------


def read_nug(source: Source, separator: str | None = None) -> dict[str, NuggetText]:
    """Read the nuggets of one topic: ``nugget weight length``.

    Other fields are ignored.
    """
    nuggets: dict[str, NuggetText] = {}
    for number, line in iter_text_lines(source, comments=False):
        fields = split_fields(line, separator)
        if len(fields) < 3:
            problem = f"{format_count(len(fields), 'field')} ({truncate_text(line.strip())})"
            raise InputError(problem, "nugget weight length", source.name, number)
        name = fields[0]
        if name in nuggets:
            raise InputError.from_problem(f"duplicate nugget {name!r}", "", source.name, number)
        cells = {"weight": fields[1], "length": fields[2]}
        nuggets[name] = _read_nugget(f"nugget {name}", Line(source.name, number, cells))
        if not nuggets[name].weight:
            problem = f"weight {fields[1]} for nugget {name}"
            raise InputError(problem, "a number > 0", source.name, number)
    check_not_empty(nuggets, "nuggets", source.name)
    return nuggets


def read_mat(
    source: Source, nuggets: Mapping[str, NuggetText], separator: str | None = None
) -> tuple[int, dict[str, Match]]:
    """Read the matches of one topic: ``syslen= length``, then ``nugget offset``.

    An empty file has no matches. Its text has length 0.
    """
    length: int | None = None
    matches: dict[str, Match] = {}
    for number, line in iter_text_lines(source, comments=False):
        fields = split_fields(line, separator)
        first = length is None
        value = parse_integer(fields[1]) if len(fields) == 2 else None
        if value is None or (first and fields[0] != SYSLEN):
            expected = f"{SYSLEN} length" if first else "nugget offset (an integer ≥ 0)"
            raise InputError(truncate_text(line.strip()), expected, source.name, number)
        if first:
            length = value
        elif fields[0] not in nuggets:
            expected = f"one of {format_count(len(nuggets), 'nugget')}"
            raise InputError(f"nugget {fields[0]}", expected, source.name, number)
        elif fields[0] in matches:
            problem = f"duplicate nugget {fields[0]!r}"
            raise InputError.from_problem(problem, "", source.name, number)
        else:
            matches[fields[0]] = Match(value, number)
    return length or 0, matches


# -- cells ----------------------------------------------------------------------------------------


def _read_name(line: Line, column: str) -> str:
    name = line.get_name(column).strip(BLANK)
    if column == "topic" and name == "all":
        raise line.make_error("a topic named 'all'", "another name ('all' is the summary)")
    return name
