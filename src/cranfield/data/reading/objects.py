"""Objects in JSON or in memory: records of some shape, ``{topic: documents}``, or rows of a table.

Records come as a JSON array, on lines of their own, under their topics (``{topic: record}``), or
alone; in Python as a list. What is told as no shape is a table, whose records are its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple

from cranfield.data.reading.columns import VALUE, Kind, is_header
from cranfield.data.reading.lines import identifier, short
from cranfield.data.reading.records import COLUMNS, PLAIN, Found, Problem, Recorder, Text
from cranfield.data.reading.shapes import (
    HITS,
    KEYS,
    NAMELESS,
    NO_LEVELS,
    TREC_ANSWERS,
    Cells,
    Item,
    Shape,
    are_hits,
    described,
    entries,
    have_levels,
    is_list,
    shape_of,
)
from cranfield.data.reading.signatures import (
    Signature,
    detect,
    detect_record,
    kind_of,
    refuse_foreign,
)
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import Row, json_lines, json_rows, of_rows
from cranfield.dataclass import dataclass
from cranfield.errors import InputError

# What names the topic of a record, the first that is there: an id, else the text of the query.
IDS = ("id", "_id", "qid", "query_id", "query-id", "queryid", "q_id", "question_id", "topic_id",
       "topicid", "narrative_id", "sample_id")  # fmt: skip
TEXTS = ("user_input", "question", "query", "input", "topic", "narrative", "text")

# -- records, one after the other -----------------------------------------------------------------


class Listed(NamedTuple):
    """A topic, or what else stands above some documents, and these."""

    above: Cells
    docs: list[Cells]
    line: int | None = None


@dataclass(frozen=True)
class Place:
    """Where something is: on a line, or in words."""

    where: str
    line: int | None = None
    words: str = ""

    def error(self, error: InputError) -> InputError:
        """The error, with its place."""
        found = error.found if self.line is not None else error.found + self.words
        return InputError(found, error.expected, self.where, self.line, error.hint)


class Numbered(NamedTuple):
    """A record, its place, and its topic where that stands above it."""

    place: Place
    record: Any
    topic: Any = NAMELESS


def read_records(
    records: Iterable[Numbered | InputError], shape: Shape, where: str, text: Text
) -> Iterator[Listed | InputError | Problem]:
    """The lists of records that all have the shape of the first."""
    naming: str | None = None
    unnoted = True  # that documents have no levels
    seen: set[tuple[str | None, str]] = set()
    for number, one in enumerate(records):
        if isinstance(one, InputError):
            yield one
            continue
        try:
            record, key = _fitting(one.record, shape)
            for topic, docs in shape.lists(record, key):
                given = one.topic if topic is NAMELESS else topic
                if given is NAMELESS:
                    if naming is None:
                        naming = _naming(record)
                        yield from _doubt(record, naming, where, one.place.line)
                    given = _name(record, naming, number)
                name, tag = _checked("topic", given), shape.tag(record)
                tag = None if tag is None else _checked("name of the run", tag)
                if (tag, name) in seen:
                    lacking = shape.name == TREC_ANSWERS and tag is None
                    more = " of a run, or a run_id that tells runs apart" if lacking else ""
                    raise InputError(f"topic {name} again", f"each topic once{more}")
                seen.add((tag, name))
                above = {"topic": name, "tag": tag}
                if shape.kind == "qrels" and unnoted and not have_levels(docs, text):
                    unnoted = False
                    yield Problem("warning", where, one.place.line, NO_LEVELS, kind=COLUMNS)
                yield Listed(above, _placed(docs, shape, text), one.place.line)
        except InputError as error:
            yield one.place.error(error)


def _fitting(record: Any, shape: Shape) -> tuple[Item, str]:
    """A record of the shape, with the key that it has."""
    if shape is HITS:
        if not is_list(record):
            raise InputError(type(record).__name__, "a list of hits for each query")
        return {"hits": record}, "hits"
    key = shape.key(record) if isinstance(record, Mapping) else None
    if key is None:
        found = (
            f"keys {', '.join(map(str, record))}" if isinstance(record, Mapping) else "no object"
        )
        few = ", ".join(shape.keys[:4])
        raise InputError(found, f"{few}, as in the first record ({shape.name})")
    if record[key] is None:
        raise InputError(f"null for {key}", "a list")
    return record, key


def _placed(docs: Any, shape: Shape, text: Text) -> list[Cells]:
    """The documents of a list; if the order is meant, with their ranks."""
    made = entries(docs, shape.kind, replace(text, ordered=True) if shape.ranked else text)
    if shape.ranked:
        made = [{**cells, "rank": rank} for rank, cells in enumerate(made, 1)]
    return made


def _naming(record: Item) -> str:
    """The key that names a record's topic; none, if nothing does."""
    every = {**described(record), **record}
    ids = (key for key in IDS if key in every)
    texts = (key for key in TEXTS if isinstance(every.get(key), str))
    return next(chain(ids, texts), "")


def _name(record: Item, naming: str, number: int) -> Any:
    """The topic of a record, named as those before it."""
    own, every = _naming(record), {**described(record), **record}
    if own != naming:
        lacks = naming and naming not in every
        found, expected = (f"no {naming}", "one") if lacks else (own, "none")
        raise InputError(found, f"{expected}, as in the first record")
    return every[own] if own else str(number)


def _checked(what: str, given: Any) -> str:
    name = identifier(plain(given))
    if name is None:
        raise InputError(f"{what} {short(repr(given), quote=False)}", "an identifier")
    return name


def plain(name: Any) -> Any:
    """A whole number of any library as Python's own."""
    whole = isinstance(name, Integral) and not isinstance(name, bool)
    return int(name) if whole else name


def _doubt(record: Item, naming: str, where: str, line: int | None) -> Iterator[Problem]:
    """What is to be said of how topics are named."""
    others = [key for key in IDS if key in record and key != naming]
    if naming not in IDS:
        how = f"their {naming}" if naming else "the places of their records, counted from 0"
        yield Problem("warning", where, line, f"topics are named by {how}", kind=COLUMNS)
    elif others:
        text = f"the topic is {naming}, not {' or '.join(others)}"
        yield Problem("warning", where, line, text, kind=COLUMNS)


# -- objects --------------------------------------------------------------------------------------


class Objects(NamedTuple):
    """What an object holds: lists of some shape, or the rows of a table."""

    lists: Iterable[Listed | InputError | Problem] = ()
    rows: Iterable[Item] | None = None
    strict: bool = False  # whether a text is no number, as in {doc: score}


def _opened(data: Any, kind: Kind, where: str, text: Text) -> Objects:
    """An object, as what it is told to be."""
    refuse_foreign(detect(data, where), kind, where)
    if not isinstance(data, Mapping):
        return _in_array(data, kind, where, text)
    if _is_record(data) and (shape := _told(data, kind, Place(where))):
        return Objects(read_records([Numbered(Place(where), data)], shape, where, text))
    topic, first = next(iter(data.items()), ("", None))
    if shape := _told(first, kind, Place(where, None, f" for topic {topic!r}")):
        records = (Numbered(Place(where, None, f" for topic {t!r}"), x, t) for t, x in data.items())
        return Objects(read_records(records, shape, where, text))
    return Objects(_of_mapping(data, kind, where, text), strict=True)


def _told(record: Any, kind: Kind, place: Place) -> Shape | None:
    try:
        return shape_of(record, kind)
    except InputError as error:
        raise place.error(error) from None


def _in_array(data: Any, kind: Kind, where: str, text: Text) -> Objects:
    """The records of a list; or a list of hits for each query, which it does not name."""
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InputError(short(repr(data)), "a JSON object", where)
    given = list(data)
    refuse_foreign(detect_record(given[0], where) if given else None, kind, where)
    records = [Numbered(Place(where, None, f" in record {n}"), x) for n, x in enumerate(given, 1)]
    if are_hits_of_queries(given):
        shape: Shape | None = HITS
        if kind == "qrels":
            raise InputError(f"a record of {HITS.name}", "judgments", where)
    else:
        shape = _told(given[0], kind, records[0].place) if given else None
    if shape is not None:
        return Objects(read_records(records, shape, where, text))
    for one in records:
        if not isinstance(one.record, Mapping):
            found = InputError(short(repr(one.record), quote=False), "an object in each place")
            raise one.place.error(found)
    return Objects(rows=given)


def _of_mapping(
    data: Item, kind: Kind, where: str, text: Text
) -> Iterator[Listed | InputError | Problem]:
    """``{topic: documents}``, with intents between them if judgments are for these."""
    truth = kind == "qrels" and _are_booleans(data)
    if kind == "qrels" and not all(
        have_levels(docs, text) for _, docs in _leaves(data, text.intents)
    ):
        yield Problem("warning", where, None, NO_LEVELS, kind=COLUMNS)
    for above, docs in _leaves(data, text.intents):
        words = f" for topic {above['topic']!r}"
        if "intent" in above:
            words = f" for {above['intent']!r} of topic {above['topic']!r}"
        try:
            found = entries(docs, kind, text)
        except InputError as error:
            if "intent" in above:
                error = InputError(error.found, "{topic: {intent: {doc: level}}}")
            yield Place(where, None, words).error(error)
            continue
        if truth:
            found = [{**cells, "level": int(cells["level"])} for cells in found]
        yield Listed(above, found)


def _leaves(data: Item, by_intent: bool) -> Iterator[tuple[Cells, Any]]:
    """What stands above documents, and these."""
    for topic, docs in data.items():
        if by_intent and isinstance(docs, Mapping):
            yield from (({"topic": topic, "intent": i}, levels) for i, levels in docs.items())
        else:
            yield {"topic": topic}, docs


def _are_booleans(data: Item) -> bool:
    """Whether all levels are true or false."""
    if not all(isinstance(docs, Mapping) for docs in data.values()):
        return False
    levels = [level for docs in data.values() for level in docs.values()]
    return bool(levels) and all(isinstance(level, bool) for level in levels)


def object_records(data: Any, kind: Kind, where: str, text: Text) -> Iterator[Found]:
    """Everything an object holds, each as a record or as the error that it is."""
    found = _opened(data, kind, where, text)
    if found.rows is None:
        yield from _records(found.lists, Recorder(kind, where, text, tabular=not found.strict))
    else:
        yield from _of_rows(found.rows, kind, where, text)


def object_topics(data: Any, kind: Kind, where: str, text: Text) -> list[str] | None:
    """All topics of an object, those without documents among them; None of a table."""
    found = _opened(data, kind, where, text)
    return None if found.rows is not None else _topics(found.lists)


def _records(lists: Iterable[Listed | InputError | Problem], recorder: Recorder) -> Iterator[Found]:
    value = VALUE[recorder.kind]
    for one in lists:
        if not isinstance(one, Listed):
            yield one
            continue
        for cells in one.docs:
            named = {**one.above, **cells, "doc": plain(cells["doc"])}
            yield recorder.record(named, one.line, scored=value in cells)


def _topics(lists: Iterable[Listed | InputError | Problem]) -> list[str]:
    return [str(one.above["topic"]) for one in lists if isinstance(one, Listed)]


def _of_rows(rows: Iterable[Item], kind: Kind, where: str, text: Text) -> Iterator[Found]:
    """The rows of a table, each of which has names; what is wrong with one has its number."""
    number = 0

    def counted() -> Iterator[tuple[None, Cells]]:
        nonlocal number
        for number, row in enumerate(rows, 1):  # noqa: B007 - is read below
            yield None, _with_names(row)

    def first() -> Iterator[tuple[None, Cells]]:
        return ((None, _with_names(row)) for row in rows)

    for item in of_rows(counted(), first).records(Source(where), kind, text):
        if isinstance(item, InputError) and " of topic " not in item.found:
            yield Place(where, None, f" in record {number}").error(item)
        else:
            yield item


def _with_names(row: Item) -> Cells:
    return {str(name): plain(cell) for name, cell in row.items()}


def object_kind(data: Any) -> Kind | None:
    """What an object is told to hold by its shape, or by the names of its columns."""
    record = _first(data)
    if foreign := _foreign(data):
        return kind_of(foreign)
    shape = HITS if are_hits_of_queries(data) else shape_of(record, None)
    if shape is not None:
        return shape.kind
    if isinstance(data, Mapping):
        return None
    named = isinstance(record, Mapping)
    return of_rows([(None, dict(record))]).kind(Source("rows"), PLAIN) if named else "run"


def object_name(data: Any, kind: Kind) -> str:
    """What the shape of an object is called; nothing, if it has none, or two."""
    try:
        if foreign := _foreign(data):
            return foreign.name
        shape = HITS if are_hits_of_queries(data) else shape_of(_first(data), kind)
    except InputError:
        return ""
    return "" if shape is None else shape.name


def _foreign(data: Any) -> Signature | None:
    """Return the format of another tool that an object has, if it is not also one of `SHAPES`."""
    found = detect(data) if isinstance(data, Mapping) else detect_record(_first(data))
    return None if found is None or found.reader is not None else found


def _first(data: Any) -> Any:
    """The record that tells what an object is."""
    if not isinstance(data, Mapping):
        return data[0] if is_list(data) and data else None
    return data if _is_record(data) else next(iter(data.values()), None)


# -- what is an object of some shape --------------------------------------------------------------


def are_hits_of_queries(data: Any) -> bool:
    """Whether this is what sentence-transformers returns: a list of hits for each query."""
    lists = is_list(data) and all(is_list(hits) for hits in data)
    first = next((hits for hits in data if hits), None) if lists else None
    return first is not None and are_hits(first) and not is_whole(first)


def _is_record(data: Item) -> bool:
    """Whether this has texts, as records have and ``{topic: documents}`` has not."""
    return not KEYS.isdisjoint(data) and any(
        any(isinstance(x, str) for x in value.values())
        if isinstance(value, Mapping)
        else not _is_container(value)
        for value in data.values()
    )


def _is_container(value: Any) -> bool:
    return isinstance(value, Mapping | Set) or is_list(value)


def is_shaped(data: Any) -> bool:
    """Whether this is no ``{topic: documents}``, nor rows without names, but to be looked at."""
    if isinstance(data, Mapping):
        first = next(iter(data.values()), None)
        if _is_foreign(data):
            return True
        if not data.keys().isdisjoint(KEYS) and _is_record(data):
            return True
        inner = isinstance(first, Mapping) and not first.keys().isdisjoint(KEYS)
        return inner and shape_of(first, None) is not None
    if not isinstance(data, Iterable) or isinstance(data, str | bytes):
        return False
    return isinstance(next(iter(data), None), Mapping) or are_hits_of_queries(data)


def _is_foreign(data: Item) -> bool:
    """Return True if this is, or may be, an object of another tool: reading it says which."""
    try:
        return detect(data) is not None
    except InputError:
        return True


def is_whole(data: Any) -> bool:
    """Whether this list has its topics in it, by name or by place, and is not one of runs."""
    if not is_list(data) or not data:
        return False
    first = data[0]
    if not isinstance(first, Mapping):
        return are_hits_of_queries(data)
    if _is_record(first) or KEYS.issuperset(first):
        return shape_of(first, None) is not None
    return is_header(list(map(str, first))) and not all(map(_is_container, first.values()))


# -- lines ----------------------------------------------------------------------------------------


def line_lists(
    source: Source, kind: Kind, text: Text
) -> Iterable[Listed | InputError | Problem] | None:
    """The lists of records on lines, by the shape of the first; None if these are a table's."""
    first = _first_row(source)
    if first is None:
        return None
    line, record = first
    refuse_foreign(detect_record(record, source.name), kind, source.name, line)
    shape = _told(record, kind, Place(source.name, line))
    if shape is None:
        return None
    rows = (
        row if isinstance(row, InputError) else Numbered(Place(source.name, row[0]), row[1])
        for row in json_rows(source)
    )
    return read_records(rows, shape, source.name, text)


def _first_row(source: Source) -> Row | None:
    return next((row for row in json_rows(source) if not isinstance(row, InputError)), None)


def line_records(source: Source, kind: Kind, text: Text) -> Iterator[Found]:
    """Everything that objects on lines hold."""
    lists = line_lists(source, kind, text)
    if lists is None:
        yield from json_lines().records(source, kind, text)
    else:
        yield from _records(lists, Recorder(kind, source.name, text, tabular=True))


def line_topics(source: Source, kind: Kind, text: Text) -> list[str] | None:
    """All topics of objects on lines, those without documents among them; None of a table."""
    lists = line_lists(source, kind, text)
    return None if lists is None else _topics(lists)


def line_kind(source: Source, text: Text) -> Kind:
    """Judgments or results? Told by the first record."""
    first = _first_row(source)
    try:
        return "run" if first is None else object_kind([first[1]]) or "run"
    except InputError:
        return "run"  # and let the records say what is wrong


def line_name(source: Source, kind: Kind) -> str:
    """What the shape of objects on lines is called."""
    first = _first_row(source)
    return "" if first is None else object_name([first[1]], kind)
