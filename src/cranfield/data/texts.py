"""Texts, the nuggets they should hold, and where assessors found them.

Texts: a directory with a file for each topic; lines ``topic<TAB>text``; or a table with columns
topic and text. Nuggets: lines ``topic nugget weight length``, or a table that may have the vital
strings themselves. Matches: lines ``topic nugget offset`` and ``topic syslen= length``, as 1CLICK
has them. Tables are CSV, TSV with a header, JSONL, Parquet, Arrow and frames.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, repeat
from typing import Any, NamedTuple, TypeAlias, TypeVar

from cranfield.data.answers import NAMED
from cranfield.data.reading.cells import (
    Layout,
    columns_of,
    format_of,
    is_plain_file,
    lines_of,
    read_lines,
    where_of,
)
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import (
    BLANK,
    Line,
    fields_of,
    finite,
    not_empty,
    short,
    text_lines,
)
from cranfield.data.reading.shapes import is_list
from cranfield.data.reading.source import Source, split_name
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.trec import finite_numbers, refuse_other_encodings
from cranfield.data.systems import named
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import counted

TextsLike: TypeAlias = Any  # a path, {topic: text}, {topic: [text, …]}, a frame, or Texts
NuggetsLike: TypeAlias = Any  # a path, {topic: {nugget: (weight, vital)}}, a frame, or Nuggets
MatchesLike: TypeAlias = Any  # a path, {topic: {nugget: offset}}, a frame, or Matches

TEXTS = Layout(
    (("topic", "text"),),
    ("topic", "text"),
    {
        "topic": (*SPELLINGS["topic"], "id"),
        "text": ("text", "answer", "summary", "response", "output", "reference", "prediction"),
        "nugget": ("nugget", "nugget_id", "iunit", "iunit_id", "weight"),  # there are none in texts
    },
    fields=lambda line, tab: line.split(tab, 1),
    verbatim=True,
)
GOLD_ONLY = (
    *("ground_truth", "ground_truths", "gold", "gold_answer", "gold_answers"),
    *("golden_answer", "golden_answers", "reference", "reference_answer"),
    *("expected_output", "expected_answer", "expected", "answers"),
)


def _gold(names: Sequence[str]) -> Layout:
    """Gold answers, whose column has one of these names."""
    spellings = {"topic": NAMED["topic"], "text": names, "nugget": TEXTS.spellings["nugget"]}
    return Layout(TEXTS.text, TEXTS.needed, spellings, fields=TEXTS.fields, verbatim=True)


GOLD = _gold((*GOLD_ONLY, *TEXTS.spellings["text"]))  # what a system answered comes last,
GOLD_BESIDE = _gold(GOLD_ONLY)  # and is no gold answer where the same file has the answers
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
    fields=lambda line, blank: fields_of(line, blank)[:4],  # NTCIREVAL ignores what follows
    verbatim=True,
)
MATCHES = Layout(
    (("topic", "nugget", "offset"),),
    ("topic", "nugget", "offset"),
    {
        "topic": SPELLINGS["topic"],
        "nugget": NUGGET,
        "offset": ("offset", "position", "pos", "end"),
    },
    verbatim=True,
)
EVERY_FILE = "with --nuggets every FILE is a system; references go to --references FILE"
SYSLEN = "syslen="  # stands where a nugget does, before the length of the text


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of each topic: one of a system's, one or several of references.

    >>> read_texts({"q1": "Paul McCartney", "q2": ["one", "another"]})
    Texts: 3 texts of 2 topics
    """

    by_topic: Mapping[str, tuple[str, ...]]
    where: str = "texts"

    def __repr__(self) -> str:
        texts = counted(sum(map(len, self.by_topic.values())), "text")
        return f"Texts: {texts} of {counted(len(self.by_topic), 'topic')}"


class Vital(NamedTuple):
    """What is known of a nugget: its weight, the length of its vital string, and the string."""

    weight: float
    length: int
    string: str | None


@dataclass(frozen=True, eq=False)
class Nuggets:
    """The nuggets of each topic.

    >>> read_nuggets({"q1": {"birth": (3, "born 1942"), "death": (1, 12)}}).by_topic["q1"]["birth"]
    Vital(weight=3.0, length=9, string='born 1942')
    """

    by_topic: Mapping[str, Mapping[str, Vital]]
    where: str = "nuggets"

    def __repr__(self) -> str:
        nuggets = counted(sum(map(len, self.by_topic.values())), "nugget")
        return f"Nuggets: {nuggets} of {counted(len(self.by_topic), 'topic')}"


class Match(NamedTuple):
    """Where in a text a nugget ends, in characters, and the line that says so."""

    offset: int
    line: int | None


@dataclass(frozen=True, eq=False)
class Matches:
    """Where assessors found the nuggets of each topic in the texts of one system.

    >>> read_matches({"q1": {"syslen=": 500, "birth": 100}})
    Matches: 1 match of 1 topic
    """

    by_topic: Mapping[str, Mapping[str, Match]]
    lengths: Mapping[str, int]  # of texts, where they are told
    where: str = "matches"

    def __repr__(self) -> str:
        found, topics = sum(map(len, self.by_topic.values())), counted(len(self.by_topic), "topic")
        return f"Matches: {found} match{'' if found == 1 else 'es'} of {topics}"

    def check(self, nuggets: Mapping[str, Mapping[str, Vital]]) -> None:
        """Refuse topics and nuggets that nobody knows."""
        for topic, found in self.by_topic.items():
            if topic not in nuggets:
                line = next((match.line for match in found.values()), None)
                raise InputError(f"topic {topic}", "one of the nuggets' topics", self.where, line)
            for name, match in found.items():
                if name not in nuggets[topic]:
                    known = f"one of topic {topic}'s {counted(len(nuggets[topic]), 'nugget')}"
                    raise InputError(f"nugget {name}", known, self.where, match.line)

    def check_offsets(self, topic: str, length: int) -> None:
        """Refuse places beyond the end of a topic's text."""
        for name, match in self.by_topic.get(topic, {}).items():
            if match.offset > length:
                found = f"offset {match.offset} for nugget {name} of topic {topic}"
                expected = f"at most {length}, the length of the text"
                raise InputError(found, expected, self.where, match.line)


# -- texts ----------------------------------------------------------------------------------------


def read_texts(
    data: TextsLike, name: str = "texts", several: bool = True, layout: Layout = TEXTS
) -> Texts:
    """Texts from a directory, a file, a mapping, a frame or tuples; `name` is for messages.

    A topic may have `several`, in a list or on rows of their own, or one only.
    """
    if isinstance(data, Texts):
        return data
    if isinstance(data, str | os.PathLike) and os.path.isdir(data):
        where = os.fspath(data)
        found = _of_directory(where)
    else:
        where = where_of(data, name)
        try:
            return Texts(_by_tabs(data), where)
        except Irregular:
            found = read_lines(data, layout, "texts", "\t", where=name)
    made: dict[str, list[str]] = {}
    for line in found:
        topic, given = _name(line, "topic"), line.cells["text"]
        if "nugget" in line.cells:
            raise line.error("nuggets", "texts: nuggets go to --nuggets FILE, or nuggets=")
        for text in _given(given, layout):
            if not isinstance(text, str):
                raise line.error(f"{short(repr(text), False)} as the text of topic {topic}", "text")
            if topic in made and not several:
                again = f"a text of topic {topic} again"
                raise line.error(again, "one text of each topic", EVERY_FILE)
            made.setdefault(topic, []).append(text.rstrip())  # as of a file's last line
    not_empty(made, "texts", where)
    return Texts({topic: tuple(texts) for topic, texts in made.items()}, where)


def _given(cell: Any, layout: Layout) -> Sequence[Any]:
    """The texts of a cell: one; of gold answers several in a list, or none if nobody wrote it."""
    if layout in (GOLD, GOLD_BESIDE) and (cell is None or is_list(cell)):
        return cell or ()
    return ("" if cell is None else cell,)


def _by_tabs(data: TextsLike) -> dict[str, tuple[str, ...]]:
    """Lines ``topic<TAB>text``, one of each topic and all in order, or Irregular."""
    if not is_plain_file(data):
        raise Irregular
    source = Source.of(data)
    format = format_of(source, TEXTS, "\t")
    text = source.read()
    if format.rows or format.nested or source.long_line(text) is not None:
        raise Irregular
    refuse_other_encodings(text)
    made: dict[str, tuple[str, ...]] = {}
    for line in text.decode().removesuffix("\n").split("\n"):
        topic, tab, rest = line.partition("\t")
        if not tab or topic in made or topic != topic.strip(BLANK) or topic in ("", "all"):
            raise Irregular
        made[topic] = (rest.rstrip(),)
    return made


def read_systems(systems: Any) -> dict[str, Texts]:
    """The texts of one or several systems, by name: of files, the path."""
    given = named(_several(systems, _is_texts))
    return {name: read_texts(data, name, several=False) for name, data in given.items()}


def _several(given: Any, is_one: Callable[[Any], bool]) -> list[tuple[str | None, Any]]:
    """What is given of each system, with its name, if there is one: a mapping tells it."""
    if isinstance(given, Mapping) and not is_one(given):
        return [(str(name), one) for name, one in given.items()]
    return [(None, one) for one in (given if isinstance(given, list | tuple) else [given])]


def _is_texts(given: Mapping[Any, Any]) -> bool:
    return all(isinstance(text, str | list | tuple) for text in given.values())


def _of_directory(path: str) -> Iterator[Line]:
    """A file for each topic, or a directory with several."""
    for topic, inside in _entries(path):
        files = [file for _, file in _entries(inside)] if os.path.isdir(inside) else [inside]
        for file in files:
            source = Source.of(file)
            try:
                text = source.read().decode()
            except UnicodeDecodeError:
                raise InputError("bytes that are not UTF-8", "UTF-8 text", file) from None
            name = topic if inside is file else os.path.basename(inside)
            yield Line(path, None, {"topic": name, "text": text})


def _entries(path: str) -> Iterator[tuple[str, str]]:
    """What a directory holds in the order of names: the name without suffixes, and the path."""
    names = sorted(name for name in os.listdir(path) if not name.startswith("."))
    paths = [os.path.join(path, name) for name in names]
    stems = (split_name(name)[0] for name in names)
    yield from zip(stems, paths, strict=True)


# -- nuggets --------------------------------------------------------------------------------------


def read_nuggets(data: NuggetsLike) -> Nuggets:
    """Nuggets from a path, a mapping, a frame or tuples, with a length or a vital string each."""
    if isinstance(data, Nuggets):
        return data
    where = where_of(data, "nuggets")
    try:
        made = _nuggets_by_columns(data)
    except Irregular:
        made = _nuggets_by_lines(data)
    for topic, nuggets in made.items():
        if not any(vital.weight for vital in nuggets.values()):
            found = f"topic {topic} without a nugget of a weight above 0"
            raise InputError(found, "at least one", where)
    return Nuggets(made, where)


def _nuggets_by_columns(data: NuggetsLike) -> dict[str, dict[str, Vital]]:
    """The nuggets of a text in which everything is in order, or Irregular."""
    cells = columns_of(data, NUGGETS)
    weights, lengths = finite_numbers(cells["weight"]), finite_numbers(cells["length"])
    if (weights < 0).any() or (lengths < 1).any() or (lengths % 1 != 0).any():
        raise Irregular
    vital = map(Vital, weights.tolist(), map(int, lengths.tolist()), repeat(None))
    return _by_topic(cells["topic"], cells["nugget"], vital)


_V = TypeVar("_V")


def _by_topic(topics: Strings, nuggets: Strings, known: Iterable[_V]) -> dict[str, dict[str, _V]]:
    """What is known of nuggets, or Irregular if one comes twice."""
    made: dict[str, dict[str, _V]] = {}
    for topic, name, one in zip(topics.tolist(), nuggets.tolist(), known, strict=True):
        made.setdefault(topic, {})[name] = one
    if sum(map(len, made.values())) < len(topics) or "all" in made:
        raise Irregular
    return made


def _nuggets_by_lines(data: NuggetsLike) -> dict[str, dict[str, Vital]]:
    made: dict[str, dict[str, Vital]] = {}
    for line in read_lines(data, NUGGETS, "nuggets", nested=_nuggets_of_mapping):
        topic, name = _name(line, "topic"), _name(line, "nugget")
        if name in made.setdefault(topic, {}):
            raise line.error(f"nugget {name} of topic {topic} again", "each nugget once")
        made[topic][name] = _vital(f"nugget {name} of topic {topic}", line)
    return made


def _vital(what: str, line: Line) -> Vital:
    given, length, string = (line.cells.get(name) for name in ("weight", "length", "vital"))
    text = f"weight {short(str(given))} for {what}"
    weight = line.value("weight", "a number from 0", 0, text)
    if string is not None and not isinstance(string, str):
        raise line.error(f"{string!r} as the vital string of {what}", "text")
    string = string.strip() if string else None
    if length is None or not str(length).strip():
        if not string:
            raise line.error(f"no vital string for {what}", "its text, or its length")
        return Vital(weight, len(string), string)
    number = _whole(length)
    if not number:
        found = f"length {short(str(length))} for {what}"
        hint = "" if finite(length) is not None else "vital strings need a header: topic nugget …"
        raise line.error(found, "a whole number from 1", hint)
    return Vital(weight, number, string)


def _nuggets_of_mapping(data: Mapping[Any, Any], where: str) -> Iterator[dict[str, Any]]:
    for topic, nuggets in data.items():
        if not isinstance(nuggets, Mapping):
            found = f"{type(nuggets).__name__} for topic {topic!r}"
            raise InputError(found, "{nugget: (weight, vital string or its length)}", where)
        for name, given in nuggets.items():
            cells = {"topic": topic, "nugget": name}
            if isinstance(given, Mapping):
                yield {**given, **cells}
            elif isinstance(given, list | tuple) and len(given) == 2:
                vital = "vital" if isinstance(given[1], str) else "length"
                yield cells | {"weight": given[0], vital: given[1]}
            else:
                found = f"{given!r} for nugget {name} of topic {topic}"
                raise InputError(found, "(weight, vital string or its length)", where)


# -- matches --------------------------------------------------------------------------------------


def read_matches(data: MatchesLike, name: str = "matches") -> Matches:
    """Matches from a path, a mapping, a frame or tuples."""
    if isinstance(data, Matches):
        return data
    try:
        made, lengths = _matches_by_columns(data)
    except Irregular:
        made, lengths = _matches_by_lines(data, name)
    return Matches(made, lengths, where_of(data, name))


def _matches_by_columns(data: MatchesLike) -> tuple[dict[str, dict[str, Match]], dict[str, int]]:
    """The matches of a text in which everything is in order, or Irregular."""
    cells = columns_of(data, MATCHES)
    offsets = finite_numbers(cells["offset"])
    if (offsets < 0).any() or (offsets % 1 != 0).any():
        raise Irregular
    matches = map(Match, map(int, offsets.tolist()), count(1))
    made = _by_topic(cells["topic"], cells["nugget"], matches)
    told = {topic: found.pop(SYSLEN, None) for topic, found in made.items()}
    return made, {topic: match.offset for topic, match in told.items() if match is not None}


def _matches_by_lines(
    data: MatchesLike, name: str
) -> tuple[dict[str, dict[str, Match]], dict[str, int]]:
    made: dict[str, dict[str, Match]] = {}
    lengths: dict[str, int] = {}
    for line in lines_of(data, MATCHES, name):
        topic, nugget = _name(line, "topic"), _name(line, "nugget")
        number = _whole(line.cells["offset"])
        told = nugget == SYSLEN
        if number is None:
            found = f"{'length' if told else 'offset'} {short(str(line.cells['offset']))}"
            raise line.error(found, "a whole number from 0")
        found_here = made.setdefault(topic, {})
        if nugget in found_here or (told and topic in lengths):
            what = "the length" if told else f"nugget {nugget}"
            raise line.error(f"{what} of topic {topic} again", "each once")
        if told:
            lengths[topic] = number
        else:
            found_here[nugget] = Match(number, line.number)
    return made, lengths


def read_systems_matches(matches: Any) -> list[tuple[str, Matches]]:
    """The matches of one or several systems, by name: of files, the path."""
    given = named(_several(matches, _is_matches))
    return [(name, read_matches(data, name)) for name, data in given.items()]


def _is_matches(given: Mapping[Any, Any]) -> bool:
    return all(
        isinstance(of_topic, Mapping) and not any(isinstance(x, Mapping) for x in of_topic.values())
        for of_topic in given.values()
    )


# -- of one topic, as NTCIREVAL's 1click has them -------------------------------------------------


def read_nug(source: Source, separator: str | None = None) -> dict[str, Vital]:
    """The nuggets of one topic: ``nugget weight length``, and what follows is ignored."""
    made: dict[str, Vital] = {}
    for number, line in text_lines(source, comments=False):
        fields = fields_of(line, separator)
        if len(fields) < 3:
            found = f"{counted(len(fields), 'field')} ({short(line.strip())})"
            raise InputError(found, "nugget weight length", source.name, number)
        name = fields[0]
        if name in made:
            raise InputError(f"nugget {name} again", "each nugget once", source.name, number)
        cells = {"weight": fields[1], "length": fields[2]}
        made[name] = _vital(f"nugget {name}", Line(source.name, number, cells))
        if not made[name].weight:
            found = f"weight {fields[1]} for nugget {name}"
            raise InputError(found, "a number above 0", source.name, number)
    not_empty(made, "nuggets", source.name)
    return made


def read_mat(
    source: Source, nuggets: Mapping[str, Vital], separator: str | None = None
) -> tuple[int, dict[str, Match]]:
    """The matches of one topic: first ``syslen= length``, then ``nugget offset``.

    An empty file has no matches, and is of an empty text.
    """
    length: int | None = None
    made: dict[str, Match] = {}
    for number, line in text_lines(source, comments=False):
        fields = fields_of(line, separator)
        first = length is None
        value = _whole(fields[1]) if len(fields) == 2 else None
        if value is None or (first and fields[0] != SYSLEN):
            expected = f"{SYSLEN} length" if first else "nugget offset, a whole number from 0"
            raise InputError(short(line.strip()), expected, source.name, number)
        if first:
            length = value
        elif fields[0] not in nuggets:
            expected = f"one of {counted(len(nuggets), 'nugget')}"
            raise InputError(f"nugget {fields[0]}", expected, source.name, number)
        elif fields[0] in made:
            found = f"nugget {fields[0]} again"
            raise InputError(found, "each nugget once", source.name, number)
        else:
            made[fields[0]] = Match(value, number)
    return length or 0, made


# -- cells ----------------------------------------------------------------------------------------


def _name(line: Line, column: str) -> str:
    found = line.name(column).strip(BLANK)
    if column == "topic" and found == "all":
        raise line.error("a topic named 'all'", "another name: 'all' is the summary's")
    return found


def _whole(cell: Any) -> int | None:
    """A whole number from 0, or None."""
    number = finite(cell)
    return int(number) if number is not None and number >= 0 and number % 1 == 0 else None
