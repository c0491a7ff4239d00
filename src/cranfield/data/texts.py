"""Texts, the nuggets they should hold, and where assessors found them.

Texts: a directory with a file for each topic; lines ``topic<TAB>text``; or a table with columns
topic and text. Nuggets: lines ``topic nugget weight length``, or a table that may have the vital
strings themselves. Matches: lines ``topic nugget offset`` and ``topic syslen= length``, as 1CLICK
has them. Tables are CSV, TSV with a header, JSONL, Parquet, Arrow and frames.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.assessments import assessor_names
from cranfield.data.columns import SPELLINGS, spelt
from cranfield.data.formats import Format, recognise
from cranfield.data.mappings import read_json
from cranfield.data.records import Row, fields_of, finite, identifier, rows, short, text_lines
from cranfield.data.source import Source
from cranfield.data.tables import is_frame, polars_frame
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import counted

TextsLike: TypeAlias = Any  # a path, {topic: text}, {topic: [text, …]}, a frame, or Texts
NuggetsLike: TypeAlias = Any  # a path, {topic: {nugget: (weight, vital)}}, a frame, or Nuggets
MatchesLike: TypeAlias = Any  # a path, {topic: {nugget: offset}}, a frame, or Matches

NAMES = {
    "topic": SPELLINGS["topic"],
    "text": ("text", "answer", "summary", "response", "output", "reference", "prediction"),
    "nugget": ("nugget", "nugget_id", "iunit", "iunit_id", "id"),
    "weight": ("weight", "importance", "votes"),
    "length": ("length", "vital_length", "vlen", "len"),
    "vital": ("text", "vital", "vital_string", "string"),
    "offset": ("offset", "position", "pos", "end"),
}
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
        found = sum(map(len, self.by_topic.values()))
        return f"Matches: {found} match{'' if found == 1 else 'es'} of " + counted(
            len(self.by_topic), "topic"
        )

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


# -- texts ------------------------------------------------------------------------------------


def read_texts(data: TextsLike, name: str = "texts", several: bool = True) -> Texts:
    """Texts from a directory, a file, a mapping or a frame; `name` is for messages.

    A topic may have `several`, or one only.
    """
    if isinstance(data, Texts):
        return data
    if isinstance(data, str | os.PathLike) and os.path.isdir(data):
        where = os.fspath(data)
        found = _of_directory(where)
    else:
        where = _where(data, name)
        found = _rows(data, where, ("topic", "text"), (), _tabbed, _texts_of_mapping)
    made: dict[str, list[str]] = {}
    for line, cells in found:
        topic = _name("topic", cells["topic"], where, line)
        text = "" if cells["text"] is None else cells["text"]
        text = text.rstrip() if isinstance(text, str) else text  # as of a file's last line
        if not isinstance(text, str):
            raise InputError(f"{short(repr(text), False)} as the text of topic {topic}", "text",
                             where, line)  # fmt: skip
        if topic in made and not several:
            found_again = f"a text of topic {topic} again"
            raise InputError(found_again, "one text of each topic", where, line)
        made.setdefault(topic, []).append(text)
    if not made:
        raise InputError("no texts", "at least one", where)
    return Texts({topic: tuple(texts) for topic, texts in made.items()}, where)


def read_systems(systems: Any) -> dict[str, Texts]:
    """The texts of one or several systems, by name: of files, that of the file."""
    given = named(systems, _is_texts)
    return {name: read_texts(data, name, several=False) for name, data in given}


def named(given: Any, is_one: Callable[[Any], bool]) -> list[tuple[str, Any]]:
    """What is given of each system, with its name: a mapping tells it, or the name of a file."""
    if isinstance(given, Mapping) and not is_one(given):
        return [(str(name), one) for name, one in given.items()]
    several = list(given) if isinstance(given, list | tuple) else [given]
    paths = [os.fspath(one).rstrip("/") for one in several if isinstance(one, str | os.PathLike)]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise CranfieldError(f"found {twice[0]} twice, expected each system once")
    stems = iter(assessor_names(paths))
    count = iter(range(1, len(several) + 1))
    alone = len(several) == 1
    return [
        (next(stems) if isinstance(one, str | os.PathLike)
         else "system" if alone else f"system{next(count)}", one)
        for one in several
    ]  # fmt: skip


def _is_texts(given: Mapping[Any, Any]) -> bool:
    return all(isinstance(text, str | list | tuple) for text in given.values())


def _of_directory(path: str) -> Iterator[Row]:
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
            yield None, {"topic": name, "text": text}


def _entries(path: str) -> Iterator[tuple[str, str]]:
    """What a directory holds in the order of names: the name without suffixes, and the path."""
    names = sorted(name for name in os.listdir(path) if not name.startswith("."))
    paths = [os.path.join(path, name) for name in names]
    yield from zip(map(_stem, names), paths, strict=True)


def _stem(name: str) -> str:
    return assessor_names([name])[0]


def _tabbed(line: str) -> list[str] | None:
    topic, tab, text = line.partition("\t")
    return [topic.strip(), text] if tab else None


def _texts_of_mapping(data: Mapping[Any, Any], where: str) -> Iterator[Row]:
    for topic, texts in data.items():
        for text in texts if isinstance(texts, list | tuple) else [texts]:
            yield None, {"topic": topic, "text": text}


# -- nuggets ----------------------------------------------------------------------------------

_NUGGET = ("topic", "nugget", "weight", "length")


def read_nuggets(data: NuggetsLike) -> Nuggets:
    """Nuggets from a file, a mapping or a frame, each with a length or a vital string, or both."""
    if isinstance(data, Nuggets):
        return data
    where = _where(data, "nuggets")
    made: dict[str, dict[str, Vital]] = {}
    needed, optional = _NUGGET[:3], ("length", "vital")
    for line, cells in _rows(data, where, needed, optional, _of_four, _nuggets_of_mapping):
        topic, name = (_name(what, cells[what], where, line) for what in ("topic", "nugget"))
        if name in made.setdefault(topic, {}):
            found = f"nugget {name} of topic {topic} again"
            raise InputError(found, "each nugget once", where, line)
        made[topic][name] = _vital(f"nugget {name} of topic {topic}", cells, where, line)
    if not made:
        raise InputError("no nuggets", "at least one", where)
    for topic, nuggets in made.items():
        if not any(vital.weight for vital in nuggets.values()):
            found = f"topic {topic} without a nugget of a weight above 0"
            raise InputError(found, "at least one", where)
    return Nuggets(made, where)


def _vital(what: str, cells: Mapping[str, Any], where: str, line: int | None) -> Vital:
    weight = finite(cells["weight"])
    if weight is None or weight < 0:
        found = f"weight {short(str(cells['weight']))} for {what}"
        raise InputError(found, "a number from 0", where, line)
    string, length = cells.get("vital"), cells.get("length")
    if string is not None and not isinstance(string, str):
        raise InputError(f"{string!r} as the vital string of {what}", "text", where, line)
    string = string.strip() if string else None
    if length is None or length == "":
        if not string:
            found = f"no vital string for {what}"
            raise InputError(found, "its text, or its length", where, line)
        return Vital(weight, len(string), string)
    number = _whole(length)
    if not number:
        found = f"length {short(str(length))} for {what}"
        hint = "" if finite(length) is not None else "vital strings need a header: topic nugget …"
        raise InputError(found, "a whole number from 1", where, line, hint)
    return Vital(weight, number, string)


def _of_four(line: str) -> list[str] | None:
    fields = fields_of(line, None)
    return fields[:4] if len(fields) >= 4 else None  # as NTCIREVAL, which ignores what follows


def _nuggets_of_mapping(data: Mapping[Any, Any], where: str) -> Iterator[Row]:
    for topic, nuggets in data.items():
        if not isinstance(nuggets, Mapping):
            found = f"{type(nuggets).__name__} for topic {topic!r}"
            raise InputError(found, "{nugget: (weight, vital string or its length)}", where)
        for name, given in nuggets.items():
            cells = {"topic": topic, "nugget": name}
            if isinstance(given, Mapping):
                ours = _columns(given, ("weight",), ("length", "vital"), where, None)
                yield None, cells | {our: given[theirs] for our, theirs in ours.items()}
            elif isinstance(given, list | tuple) and len(given) == 2:
                vital = "vital" if isinstance(given[1], str) else "length"
                yield None, cells | {"weight": given[0], vital: given[1]}
            else:
                found = f"{given!r} for nugget {name} of topic {topic}"
                raise InputError(found, "(weight, vital string or its length)", where)


# -- matches ----------------------------------------------------------------------------------

_MATCH = ("topic", "nugget", "offset")


def read_matches(data: MatchesLike, name: str = "matches") -> Matches:
    """Matches from a file, a mapping or a frame."""
    if isinstance(data, Matches):
        return data
    where = _where(data, name)
    made: dict[str, dict[str, Match]] = {}
    lengths: dict[str, int] = {}
    for line, cells in _rows(data, where, _MATCH, (), _of_three, _matches_of_mapping):
        topic, nugget = (_name(what, cells[what], where, line) for what in _MATCH[:2])
        number = _whole(cells["offset"])
        told = nugget == SYSLEN
        if number is None:
            what = "length" if told else "offset"
            found = f"{what} {short(str(cells['offset']))}"
            raise InputError(found, "a whole number from 0", where, line)
        found_here = made.setdefault(topic, {})
        if nugget in found_here or (told and topic in lengths):
            what = "the length" if told else f"nugget {nugget}"
            raise InputError(f"{what} of topic {topic} again", "each once", where, line)
        if told:
            lengths[topic] = number
        else:
            found_here[nugget] = Match(number, line)
    return Matches(made, lengths, where)


def read_systems_matches(matches: Any) -> list[tuple[str, Matches]]:
    """The matches of one or several systems, by name: of files, that of the file."""
    return [(name, read_matches(data, name)) for name, data in named(matches, _is_matches)]


def _is_matches(given: Mapping[Any, Any]) -> bool:
    return all(
        isinstance(of_topic, Mapping) and not any(isinstance(x, Mapping) for x in of_topic.values())
        for of_topic in given.values()
    )


def _of_three(line: str) -> list[str] | None:
    fields = fields_of(line, None)
    return fields if len(fields) == 3 else None


def _matches_of_mapping(data: Mapping[Any, Any], where: str) -> Iterator[Row]:
    for topic, found in data.items():
        if not isinstance(found, Mapping):
            raise InputError(f"{type(found).__name__} for topic {topic!r}", "{nugget: offset}",
                             where)  # fmt: skip
        for name, offset in found.items():
            yield None, {"topic": topic, "nugget": name, "offset": offset}


# -- of one topic, as NTCIREVAL's 1click has them ---------------------------------------------


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
        made[name] = _vital(f"nugget {name}", cells, source.name, number)
        if not made[name].weight:
            found = f"weight {fields[1]} for nugget {name}"
            raise InputError(found, "a number above 0", source.name, number)
    if not made:
        raise InputError("no nuggets", "at least one", source.name)
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


# -- tables of any kind -----------------------------------------------------------------------


def _where(data: Any, name: str) -> str:
    return Source.of(data).name if isinstance(data, str | os.PathLike) else name


def _rows(
    data: Any,
    where: str,
    needed: Sequence[str],
    optional: Sequence[str],
    plain: Callable[[str], list[str] | None],
    of_mapping: Callable[[Mapping[Any, Any], str], Iterator[Row]],
) -> Iterator[Row]:
    """The rows of anything, with our names for their cells; `plain` has the fields of a line."""
    if isinstance(data, Mapping):
        yield from of_mapping(data, where)
    elif is_frame(data):
        frame = polars_frame(data, list, where)
        cells = ((None, row) for row in frame.iter_rows(named=True))
        yield from _ours(cells, needed, optional, where)
    elif isinstance(data, str | os.PathLike):
        source = Source.of(data)
        format = _format(source, needed)
        if format == "json":
            found = read_json(source)
            if not isinstance(found, Mapping):
                raise InputError("JSON that is not an object", "one by topic", where)
            yield from of_mapping(found, where)
        elif format == "plain":
            yield from _of_lines(source, plain, needed, optional)
        elif format == "tsv":
            yield from _ours(_of_tabs(source), needed, optional, where)
        else:
            table = iter(rows(source, format))
            if format == "csv":
                next(table)
            yield from _ours(table, needed, optional, where)
    else:
        raise InputError(type(data).__name__, "a path, a dict or a frame", where)


def _format(source: Source, needed: Sequence[str]) -> Any:
    """A format of tables, told by the names of columns; JSON; or plain lines."""
    first = source.start.decode("utf-8", "replace").lstrip().partition("\n")[0].rstrip("\r")
    headers: dict[str, Format] = {"\t": "tsv", ",": "csv"}
    for separator, format in headers.items():
        if _found(first.split(separator), needed):
            return format
    if first.startswith("{"):
        return "jsonl" if _found(_keys(first), needed) else "json"
    found = recognise(source) if source.start.startswith((b"PAR1", b"ARROW1")) else "plain"
    if found not in ("parquet", "arrow") and source.path.lower().endswith((".csv", ".csv.gz")):
        return "csv"
    return found if found in ("parquet", "arrow") else "plain"


def _found(names: Iterable[str], needed: Sequence[str]) -> bool:
    names = list(names)
    return all(spelt(NAMES[name], names) is not None for name in needed)


def _keys(line: str) -> list[str]:
    import json

    try:
        return list(dict(json.loads(line)))
    except (ValueError, TypeError, RecursionError):
        return []


def _of_tabs(source: Source) -> Iterator[Row]:
    """A table in which a quotation mark is one: texts have them anywhere."""
    header: list[str] = []
    for number, line in text_lines(source, comments=False):
        fields = [field.strip() for field in line.split("\t")]
        if not header:
            header = fields
        elif len(fields) != len(header):
            found = f"{counted(len(fields), 'field')} ({short(line.strip())})"
            raise InputError(found, f"{len(header)}: {' '.join(header)}", source.name, number)
        else:
            yield number, dict(zip(header, fields, strict=True))


def _of_lines(
    source: Source,
    plain: Callable[[str], list[str] | None],
    needed: Sequence[str],
    optional: Sequence[str],
) -> Iterator[Row]:
    names = [*needed, *optional]
    for number, line in text_lines(source, comments=False):
        fields = plain(line)
        if fields is None:
            between = "<TAB>" if plain is _tabbed else " "
            expected = between.join([*needed, *optional[:1]])
            raise InputError(short(line.strip()), expected, source.name, number)
        yield number, dict(zip(names, fields, strict=False))


def _ours(
    table: Iterable[Row | InputError], needed: Sequence[str], optional: Sequence[str], where: str
) -> Iterator[Row]:
    known: tuple[str, ...] = ()
    ours: dict[str, str] = {}
    for row in table:
        if isinstance(row, InputError):
            raise row
        line, cells = row
        if tuple(cells) != known:
            known, ours = tuple(cells), _columns(cells, needed, optional, where, line)
        yield line, {name: cells[theirs] for name, theirs in ours.items()}


def _columns(
    names: Iterable[str],
    needed: Sequence[str],
    optional: Sequence[str],
    where: str,
    line: int | None,
) -> dict[str, str]:
    """Our name -> the table's own."""
    names = list(names)
    found = {name: spelt(NAMES[name], names) for name in (*needed, *optional)}
    for name in needed:
        if found[name] is None:
            expected = f"a column named {name} (or {', '.join(NAMES[name][1:4])})"
            raise InputError(f"columns {', '.join(map(str, names))}", expected, where, line)
    return {name: theirs for name, theirs in found.items() if theirs is not None}


def _name(what: str, cell: Any, where: str, line: int | None) -> str:
    found = identifier(cell)
    if found is None or not found.strip():
        raise InputError(f"{what} {cell!r}", "a name", where, line)
    if what == "topic" and found == "all":
        raise InputError("a topic named 'all'", "another name: 'all' is the summary's", where, line)
    return found.strip()


def _whole(cell: Any) -> int | None:
    """A whole number from 0, or None."""
    number = finite(cell)
    return int(number) if number is not None and number >= 0 and number % 1 == 0 else None
