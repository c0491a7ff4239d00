"""Objects in JSON or in memory: records of other tools, ``{topic: documents}``, or table rows.

Records are in an array or a list, on lines, under their topics (``{topic: record}``), or single.
Objects without a known shape are rows of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain, islice
from typing import Any, NamedTuple

from cranfield.data.reading.columns import (
    ROLES,
    VALUE,
    WORDS,
    Kind,
    find_column,
    find_named_column,
    find_user_column,
    is_header,
    name_columns,
    select_columns,
)
from cranfield.data.reading.contents import (
    DocumentList,
    Place,
    SourceRecord,
    check_identifier,
    unwrap_integer,
)
from cranfield.data.reading.lines import truncate_text
from cranfield.data.reading.records import (
    COLUMNS,
    DEFAULT_OPTIONS,
    Problem,
    ReadOptions,
    RecordBuilder,
    RecordItem,
)
from cranfield.data.reading.shapes import (
    HITS,
    KEYS,
    NAMELESS,
    NO_LEVELS,
    TREC_ANSWERS,
    Cells,
    Item,
    Shape,
    describe_hits,
    detect_shape,
    find_user_shape,
    get_metadata,
    has_levels,
    is_hit_list,
    is_list,
    read_entries,
)
from cranfield.data.reading.signatures import (
    READ,
    Match,
    Signature,
    add_tool,
    detect,
    detect_record,
    explain_mismatch,
    get_kind,
    match_object,
    read_contents,
    reject_foreign,
)
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import Row, Tabular, from_rows, make_json_lines, read_json_rows
from cranfield.errors import InputError
from cranfield.wording import format_option

# Keys with the topic of a record, in order of priority: an id, else the text of the query.
IDS = ("id", "_id", "qid", "query_id", "query-id", "queryid", "q_id", "question_id", "topic_id",
       "topicid", "narrative_id", "sample_id")  # fmt: skip
TEXTS = ("user_input", "question", "query", "input", "topic", "narrative", "text")

# -- records -----------------------------------------------------------------


def read_records(
    records: Iterable[SourceRecord | InputError], shape: Shape, location: str, options: ReadOptions
) -> Iterator[DocumentList | InputError | Problem]:
    """Yield the documents of records, which all must have the shape of the first."""
    naming: str | None = None
    chosen = select_columns(options.columns, shape.kind).get("topic", "")
    notes: set[str] = set()
    topic_keys: set[tuple[str | None, str]] = set()
    for number, item in enumerate(records):
        if isinstance(item, InputError):
            yield item
            continue
        try:
            record, key = _match_shape(item.record, shape)
            for topic, docs in shape.lists(record, key):
                topic_id = item.topic if topic is NAMELESS else topic
                if topic_id is NAMELESS:
                    if naming is None:
                        naming = _find_topic_key(record, chosen)
                        yield from _warn_naming(record, naming, chosen, location, item.place.line)
                    topic_id = _name_topic(record, naming, number, chosen)
                name, tag = check_identifier("topic", topic_id), shape.tag(record)
                tag = None if tag is None else check_identifier("name of the run", tag)
                if (tag, name) in topic_keys:
                    needs_run_id = shape.name == TREC_ANSWERS and tag is None
                    fix = "If the file has several runs, add run_id." if needs_run_id else ""
                    raise InputError.from_problem(f"duplicate topic {name!r}", fix)
                topic_keys.add((tag, name))
                context = {"topic": name, "tag": tag}
                for text in _describe_docs(docs, shape, options, notes):
                    yield Problem("warning", location, item.place.line, text, kind=COLUMNS)
                yield DocumentList(context, _read_entries(docs, shape, options), item.place.line)
        except InputError as error:
            yield item.place.locate(error)


def _describe_docs(docs: Any, shape: Shape, options: ReadOptions, notes: set[str]) -> Iterator[str]:
    """Yield the notes about documents that are not among the `notes` of former documents."""
    hits = "" if notes or shape.ranked else describe_hits(docs, shape.kind, options)
    bare = NO_LEVELS if shape.kind == "qrels" and not has_levels(docs, options) else ""
    for text in (hits, bare):
        if text and text not in notes:
            notes.add(text)
            yield text


def _match_shape(record: Any, shape: Shape) -> tuple[Item, str]:
    """Return a record and the key that contains its documents."""
    if shape is HITS:
        if not is_list(record):
            raise InputError(type(record).__name__, "a list of hits for each query")
        return {"hits": record}, "hits"
    key = shape.find_key(record) if isinstance(record, Mapping) else None
    if key is None:
        actual = f"keys {', '.join(map(str, record))}" if isinstance(record, Mapping) else "no object"
        keys = ", ".join(shape.keys[:4])
        raise InputError(actual, f"{keys}, as in the first record ({shape.name})")
    if record[key] is None:
        raise InputError(f"null for {key}", "a list")
    return record, key


def _read_entries(docs: Any, shape: Shape, options: ReadOptions) -> list[Cells]:
    """Return the documents of a list, with ranks if the order is the ranking."""
    documents = read_entries(docs, shape.kind, replace(options, ordered=True) if shape.ranked else options)
    if shape.ranked:
        documents = [{**cells, "rank": rank} for rank, cells in enumerate(documents, 1)]
    return documents


def _find_topic_key(record: Item, chosen: str = "") -> str:
    """Return the key with the topic of a record, which the user can choose, or an empty text."""
    fields = {**get_metadata(record), **record}
    if chosen:
        return find_user_column(chosen, [*map(str, fields)])
    ids = (key for key in IDS if key in fields)
    texts = (key for key in TEXTS if isinstance(fields.get(key), str))
    return next(chain(ids, texts), "")


def _name_topic(record: Item, naming: str, number: int, chosen: str = "") -> Any:
    """Return the topic of a record, which must have the same key as in the first record."""
    key, fields = _find_topic_key(record, chosen), {**get_metadata(record), **record}
    if key != naming:
        lacks = naming and naming not in fields
        actual, expected = (f"no {naming}", "one") if lacks else (key, "none")
        raise InputError(actual, f"{expected}, as in the first record")
    return fields[key] if key else str(number)


def _warn_naming(record: Item, naming: str, chosen: str, location: str, line: int | None) -> Iterator[Problem]:
    """Yield a warning if the topic is not an id, or if several keys are ids, unless the user has chosen the key."""
    if chosen:
        return
    alternatives = [key for key in IDS if key in record and key != naming]
    if naming not in IDS:
        basis = f"their {naming}" if naming else "the positions of their records, counted from 0"
        yield Problem("warning", location, line, f"topics are named by {basis}", kind=COLUMNS)
    elif alternatives:
        text = f"the topic is {naming}, not {' or '.join(alternatives)}"
        yield Problem("warning", location, line, text, kind=COLUMNS)


# -- objects --------------------------------------------------------------------------------------


class Objects(NamedTuple):
    """Content of an object: lists of documents, or rows of a table."""

    lists: Iterable[DocumentList | InputError | Problem] = ()
    rows: Iterable[Item] | None = None
    strict: bool = False  # a text is not a number, as in {doc: score}
    tool: str = ""  # format of another tool


def _parse_object(data: Any, kind: Kind, location: str, options: ReadOptions) -> Objects:
    """Detect the shape of an object, and return its content."""
    match = match_object(data, location)
    if match is not None and (contents := _read_foreign(match, kind, location)) is not None:
        return contents
    if not isinstance(data, Mapping):
        return _parse_array(data, kind, location, options)
    is_single = match is not None and match.is_single
    is_record = is_single or _is_record(data) or find_user_shape(data, kind, options) is not None
    if is_record and (shape := _detect_shape(data, kind, Place(location), options)):
        return Objects(read_records([SourceRecord(Place(location), data)], shape, location, options))
    topic, first = next(iter(data.items()), ("", None))
    if shape := _detect_shape(first, kind, Place(location, None, f" for topic {topic!r}"), options):
        records = (SourceRecord(Place(location, None, f" for topic {t!r}"), x, t) for t, x in data.items())
        return Objects(read_records(records, shape, location, options))
    return Objects(_read_mapping(data, kind, location, options), strict=True)


def _read_foreign(match: Match, kind: Kind, location: str, line: int | None = None) -> Objects | None:
    """Return the content of another tool's format, or None if the normal readers support it."""
    reject_foreign(match.signature, kind, location, line)
    if match.signature.get_reader(kind) is None:
        return None
    lists = read_contents(match.records, match.signature, kind, location)
    return Objects((x for x in lists if not isinstance(x, Mapping)), tool=match.signature.name)


def _detect_foreign(record: Any, kind: Kind, location: str, options: ReadOptions) -> Signature | None:
    """Return the format of another tool, unless the user has chosen the key of the documents."""
    return None if find_user_shape(record, kind, options) is not None else detect_record(record, location)


def _detect_shape(record: Any, kind: Kind, place: Place, options: ReadOptions) -> Shape | None:
    try:
        return find_user_shape(record, kind, options) or detect_shape(record, kind)
    except InputError as error:
        raise place.locate(error) from None


def _parse_array(data: Any, kind: Kind, location: str, options: ReadOptions) -> Objects:
    """Return the content of a list: records, hits for each query, or rows."""
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InputError(truncate_text(repr(data)), "a JSON object", location)
    items = list(data)
    records = [SourceRecord(Place(location, None, f" in record {n}"), x) for n, x in enumerate(items, 1)]
    signature = _detect_foreign(items[0], kind, location, options) if items else None
    if signature is not None and (contents := _read_foreign(Match(signature, records), kind, location)) is not None:
        return contents
    if is_hits_per_query(items):
        shape: Shape | None = HITS
        if kind == "qrels":
            raise InputError(f"a record of {HITS.name}", "judgments", location)
    else:
        shape = _detect_shape(items[0], kind, records[0].place, options) if items else None
    if shape is not None:
        return Objects(read_records(records, shape, location, options))
    if items:
        _reject_unknown_list(items[0], kind, records[0].place)
    for item in records:
        if not isinstance(item.record, Mapping):
            error = InputError(truncate_text(repr(item.record), quote=False), "an object in each place")
            raise item.place.locate(error)
    return Objects(rows=items)


def _find_unknown_list(record: Any) -> str | None:
    """Return the key of a list of documents in a record without a document, or None."""
    if not isinstance(record, Mapping) or find_column("doc", map(str, record)) is not None:
        return None
    return next((str(key) for key, value in record.items() if is_hit_list(value)), None)


def _reject_unknown_list(record: Any, kind: Kind, place: Place) -> None:
    """Raise InputError for a list of documents under an unknown key."""
    key = _find_unknown_list(record)
    if key is not None:
        use = format_option(f"--columns {kind}.docs={key}", f'columns={{"{kind}.docs": "{key}"}}')
        raise place.locate(InputError.from_problem(f"no documents among {', '.join(map(str, record))}", f"Use {use}."))


def _read_mapping(
    data: Item, kind: Kind, location: str, options: ReadOptions
) -> Iterator[DocumentList | InputError | Problem]:
    """Yield the documents of ``{topic: documents}`` or ``{topic: {intent: documents}}``."""
    truth = kind == "qrels" and _has_boolean_levels(data)
    if kind == "qrels" and not all(has_levels(docs, options) for _, docs in _iter_leaves(data, options.intents)):
        yield Problem("warning", location, None, NO_LEVELS, kind=COLUMNS)
    first = next((docs for _, docs in _iter_leaves(data, options.intents) if docs), None)
    if text := describe_hits(first, kind, options):
        yield Problem("warning", location, None, text, kind=COLUMNS)
    for context, docs in _iter_leaves(data, options.intents):
        words = f" for topic {context['topic']!r}"
        if "intent" in context:
            words = f" for {context['intent']!r} of topic {context['topic']!r}"
        try:
            documents = read_entries(docs, kind, options)
        except InputError as error:
            if "intent" in context:
                error = InputError(error.found, "{topic: {intent: {doc: level}}}")
            yield Place(location, None, words).locate(error)
            continue
        if truth:
            documents = [{**cells, "level": int(cells["level"])} for cells in documents]
        yield DocumentList(context, documents)


def _iter_leaves(data: Item, by_intent: bool) -> Iterator[tuple[Cells, Any]]:
    """Yield the topic and intent, and the documents."""
    for topic, docs in data.items():
        if by_intent and isinstance(docs, Mapping):
            yield from (({"topic": topic, "intent": i}, levels) for i, levels in docs.items())
        else:
            yield {"topic": topic}, docs


def _has_boolean_levels(data: Item) -> bool:
    """Return True if all levels are booleans."""
    if not all(isinstance(docs, Mapping) for docs in data.values()):
        return False
    levels = [level for docs in data.values() for level in docs.values()]
    return bool(levels) and all(isinstance(level, bool) for level in levels)


def read_object_records(data: Any, kind: Kind, location: str, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records and errors of an object."""
    objects = _parse_object(data, kind, location, options)
    if objects.rows is not None:
        yield from _read_rows(objects.rows, kind, location, options)
        return
    recorder = RecordBuilder(kind, location, options, tabular=not objects.strict)
    records = _build_records(objects.lists, recorder, objects.tool)
    if objects.strict:
        records = _explain_errors(records, data, location)
    yield from records


def _explain_errors(records: Iterable[RecordItem], data: Any, location: str) -> Iterator[RecordItem]:
    """Yield records. Replace errors by one error if the data look like a file of another tool."""
    empty = True
    for record in records:
        if isinstance(record, InputError) and (error := explain_mismatch(data, location)) is not None:
            yield error
            return
        empty = False
        yield record
    if empty and (error := explain_mismatch(data, location)) is not None:
        yield error


def list_object_topics(data: Any, kind: Kind, location: str, options: ReadOptions) -> list[str] | None:
    """Return all topics of an object, also without documents, or None for a table."""
    objects = _parse_object(data, kind, location, options)
    return None if objects.rows is not None else _list_topics(objects.lists)


def _build_records(
    lists: Iterable[DocumentList | InputError | Problem], recorder: RecordBuilder, tool: str = ""
) -> Iterator[RecordItem]:
    """Yield the records of lists. Errors name the `tool`."""
    value = VALUE[recorder.kind]
    for item in lists:
        if not isinstance(item, DocumentList):
            yield item
            continue
        for cells in item.docs:
            fields = {**item.context, **cells, "doc": unwrap_integer(cells["doc"])}
            record = recorder.build_record(fields, item.line, scored=value in cells)
            yield add_tool(record, tool) if tool and isinstance(record, InputError) else record


def _list_topics(lists: Iterable[DocumentList | InputError | Problem]) -> list[str]:
    return [str(item.context["topic"]) for item in lists if isinstance(item, DocumentList)]


def _read_rows(rows: Iterable[Item], kind: Kind, location: str, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records of rows with named cells. Errors have the number of the row."""
    number = 0

    def count_rows() -> Iterator[tuple[None, Cells]]:
        nonlocal number
        for number, row in enumerate(rows, 1):  # noqa: B007 - is read below
            yield None, _with_names(row)

    def iter_first_rows() -> Iterator[tuple[None, Cells]]:
        return ((None, _with_names(row)) for row in rows)

    for item in from_rows(count_rows(), iter_first_rows).read_records(Source(location), kind, options):
        if isinstance(item, InputError) and " of topic " not in item.found:
            yield Place(location, None, f" in record {number}").locate(item)
        else:
            yield item


def _with_names(row: Item) -> Cells:
    return {str(name): unwrap_integer(cell) for name, cell in row.items()}


def detect_object_kind(data: Any) -> Kind | None:
    """Return the kind of an object by its shape or its column names, or None."""
    record = _get_first(data)
    signature = _detect_signature(data)
    if signature is not None and READ not in signature.readers.values():
        return get_kind(signature)
    shape = HITS if is_hits_per_query(data) else detect_shape(record, None)
    if shape is not None:
        return shape.kind
    if isinstance(data, Mapping):
        return None
    is_mapping = isinstance(record, Mapping)
    return from_rows([(None, dict(record))]).detect_kind(Source("rows"), DEFAULT_OPTIONS) if is_mapping else "run"


def name_object(data: Any, kind: Kind) -> str:
    """Return the name of the shape of an object; empty if it has none, or several."""
    try:
        signature = _detect_signature(data)
        if signature is not None and signature.readers.get(kind) is not READ:
            return signature.name
        shape = HITS if is_hits_per_query(data) else detect_shape(_get_first(data), kind)
    except InputError:
        return ""
    if shape is None:
        return "" if signature is None else signature.name
    return shape.name


def describe_keys(data: Any, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> list[str]:
    """Describe the keys with the topics, documents and values of an object, as far as keys determine them.

    >>> describe_keys([{"id": "q1", "retrieved": ["d1"]}], "run")
    ['topic in key id', 'document in key retrieved']
    """
    record = _get_first(data)
    try:
        signature = _detect_signature(data)
        if signature is not None and kind in signature.roles:
            return signature.describe_roles(kind)
        if not isinstance(record, Mapping):
            return []
        shape = HITS if is_hits_per_query(data) else detect_shape(record, kind)
        if shape is not None:
            key, above = shape.find_key(record), isinstance(data, Mapping) and not _is_record(data)
            topic = "" if above else _find_topic_key(record)
            roles = {"topic": topic, "document": key or ""}
        elif isinstance(data, Mapping):
            return []
        else:
            names = [str(name) for name in record]
            columns = name_columns(names, kind, "", user_columns=options.columns, ordered=options.ordered)
            roles = {WORDS.get(role, role): column for role, column in columns.items()}
    except InputError:
        return []
    return [f"{role} in key {key}" for role, key in roles.items() if key]


def _detect_signature(data: Any) -> Signature | None:
    """Return the format of another tool that an object has."""
    return detect(data) if isinstance(data, Mapping) else detect_record(_get_first(data))


def _get_first(data: Any) -> Any:
    """Return the record that determines the shape of an object."""
    if not isinstance(data, Mapping):
        return data[0] if is_list(data) and data else None
    return data if _is_record(data) else next(iter(data.values()), None)


# -- detection of shapes --------------------------------------------------------------


def is_hits_per_query(data: Any) -> bool:
    """Return True for a list of hits for each query, as from sentence-transformers."""
    lists = is_list(data) and all(is_list(hits) for hits in data)
    first = next((hits for hits in data if hits), None) if lists else None
    return first is not None and is_hit_list(first) and not is_single_run(first)


def _is_record(data: Item) -> bool:
    """Return True if values are texts, as in records, but not in ``{topic: documents}``."""
    return not KEYS.isdisjoint(data) and any(
        any(isinstance(x, str) for x in value.values()) if isinstance(value, Mapping) else not _is_container(value)
        for value in data.values()
    )


def _is_container(value: Any) -> bool:
    return isinstance(value, Mapping | Set) or is_list(value)


def is_shaped(data: Any) -> bool:
    """Return True for objects other than ``{topic: documents}`` and rows without names."""
    if isinstance(data, Mapping):
        first = next(iter(data.values()), None)
        if _is_foreign(data):
            return True
        if not data.keys().isdisjoint(KEYS) and _is_record(data):
            return True
        inner = isinstance(first, Mapping) and not first.keys().isdisjoint(KEYS)
        return inner and detect_shape(first, None) is not None
    if not isinstance(data, Iterable) or isinstance(data, str | bytes):
        return False
    return isinstance(next(iter(data), None), Mapping) or is_hits_per_query(data)


def _is_foreign(data: Item) -> bool:
    """Return True for an object of another tool, also if it is invalid."""
    try:
        return detect(data) is not None
    except InputError:
        return True


def is_single_run(data: Any) -> bool:
    """Return True for a list that contains its topics, and is not a list of runs."""
    if not is_list(data) or not data:
        return False
    first = data[0]
    if not isinstance(first, Mapping):
        return is_hits_per_query(data)
    signature = _detect_signature(data)
    if signature is not None and signature.by_topic:
        return True
    if _is_record(first) or KEYS.issuperset(first):
        return detect_shape(first, None) is not None
    return is_header(list(map(str, first))) and not all(map(_is_container, first.values()))


# -- lines ----------------------------------------------------------------------------------------


def read_jsonl_lists(
    source: Source, kind: Kind, options: ReadOptions
) -> Iterable[DocumentList | InputError | Problem] | None:
    """Return the documents of records on lines, or None for rows of a table."""
    first = _read_first_row(source)
    if first is None:
        return None
    line, record = first
    signature = _detect_foreign(record, kind, source.name, options)
    reject_foreign(signature, kind, source.name, line)
    rows = (
        row if isinstance(row, InputError) else SourceRecord(Place(source.name, row[0]), row[1])
        for row in read_json_rows(source)
    )
    if signature is not None and signature.get_reader(kind) is not None:
        lists = read_contents(rows, signature, kind, source.name)
        return (x for x in lists if not isinstance(x, Mapping))
    place = Place(source.name, line)
    shape = _detect_shape(record, kind, place, options)
    if shape is None:
        _reject_unknown_list(record, kind, place)
        return None
    return read_records(rows, shape, source.name, options)


def has_rows_on_lines(source: Source, options: ReadOptions) -> bool:
    """Return True if the lines of a file are rows of a table, by its first object."""
    first = _read_first_row(source)
    return first is not None and is_table_row(first[1], source.name, options)


def is_table_row(record: Item, location: str, options: ReadOptions) -> bool:
    """Return True if a record is a row of a table: it has no documents, and is not from another tool."""
    if not KEYS.isdisjoint(record) or _find_unknown_list(record) is not None:
        return False
    if any(find_user_shape(record, kind, options) for kind in ROLES):
        return False
    try:
        return detect_record(record, location) is None
    except InputError:
        return False


def _read_first_row(source: Source) -> Row | None:
    return next((row for row in read_json_rows(source) if not isinstance(row, InputError)), None)


def read_jsonl_records(source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records and errors of objects on lines."""
    lists = read_jsonl_lists(source, kind, options)
    if lists is None:
        yield from make_json_lines().read_records(source, kind, options)
    else:
        yield from _build_records(lists, RecordBuilder(kind, source.name, options, tabular=True))


def list_jsonl_topics(source: Source, kind: Kind, options: ReadOptions) -> list[str] | None:
    """Return all topics of objects on lines, also without documents, or None for a table."""
    lists = read_jsonl_lists(source, kind, options)
    return None if lists is None else _list_topics(lists)


# -- tables with lists in cells -------------------------------------------------------------------

_TEXT = r"""(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|-?\d++)"""
_LIST = re.compile(rf"\s*+\[\s*+(?:{_TEXT}\s*+(?:,\s*+{_TEXT}\s*+)*+,?+\s*+)?+\]\s*+")


def parse_list(cell: Any) -> Any:
    """Return the list in a text, as printed by Python or JSON. Return other values unchanged.

    >>> parse_list("['d1', 'd2']"), parse_list('["d1"]'), parse_list("['d1' 'd2']")
    (['d1', 'd2'], ['d1'], "['d1' 'd2']")
    """
    if not isinstance(cell, str) or not _LIST.fullmatch(cell):
        return cell
    from ast import literal_eval

    try:
        return literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell


def _parse_lists(row: Row | InputError, location: str, user_key: str | None = None) -> SourceRecord | InputError:
    """Return a row with its lists, or the error of an unreadable list."""
    if isinstance(row, InputError):
        return row
    line, cells = row
    record = {key: parse_list(cell) for key, cell in cells.items()}
    for key, cell in record.items():
        if (key in KEYS or key == user_key) and isinstance(cell, str) and cell.lstrip().startswith("["):
            return InputError(f"{truncate_text(cell)} for {key}", "a list such as ['d1', 'd2']", location, line)
    return SourceRecord(Place(location, line), record)


def _read_separated_lists(
    table: Tabular, source: Source, kind: Kind, options: ReadOptions
) -> Iterator[DocumentList | InputError | Problem] | None:
    """Return the documents of a table with a list in a cell, as ragas writes, or None."""
    names = [name.strip(' "\ufeff') for name in map(str, table.read_names(source))]
    user_key = find_named_column(select_columns(options.columns, kind).get("docs", ""), names)
    if user_key is None and (is_header(names) or KEYS.isdisjoint(names)):
        return None
    rows = (_parse_lists(row, source.name, user_key) for row in islice(table.read_rows(source, False), 1, None))
    first = next(rows, None)
    if first is None:
        return None
    if isinstance(first, InputError):
        return iter([first])
    shape = _detect_shape(first.record, kind, first.place, options)
    return None if shape is None else read_records(chain([first], rows), shape, source.name, options)


def read_separated_records(table: Tabular, source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records and errors of a text table."""
    lists = _read_separated_lists(table, source, kind, options)
    if lists is None:
        yield from table.read_records(source, kind, options)
    else:
        yield from _build_records(lists, RecordBuilder(kind, source.name, options, tabular=True))


def list_separated_topics(table: Tabular, source: Source, kind: Kind, options: ReadOptions) -> list[str] | None:
    """Return all topics of a table with a list in a cell, or None for other tables."""
    lists = _read_separated_lists(table, source, kind, options)
    return None if lists is None else _list_topics(lists)


def detect_jsonl_kind(source: Source, options: ReadOptions) -> Kind:
    """Return the kind of objects on lines, by the first record."""
    first = _read_first_row(source)
    try:
        return "run" if first is None else detect_object_kind([first[1]]) or "run"
    except InputError:
        return "run"  # the records have the error


def name_jsonl(source: Source, kind: Kind) -> str:
    """Return the name of the shape of objects on lines, or an empty text."""
    first = _read_first_row(source)
    return "" if first is None else name_object([first[1]], kind)


def describe_jsonl_keys(source: Source, kind: Kind, options: ReadOptions) -> list[str]:
    """Describe the keys of objects on lines that are used."""
    first = _read_first_row(source)
    return [] if first is None else describe_keys([first[1]], kind, options)
