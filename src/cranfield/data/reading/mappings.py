"""Judgments and runs in memory (nested dicts, lists, tuples), and JSON files."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any, TypeAlias

from cranfield import kernel
from cranfield.data.reading.columns import ROLES, TREC, VALUE, Kind, is_header
from cranfield.data.reading.contents import Place
from cranfield.data.reading.json_columns import read_array, read_first_object
from cranfield.data.reading.json_text import parse_value
from cranfield.data.reading.lines import NUMBER, to_number
from cranfield.data.reading.objects import (
    describe_keys,
    detect_object_kind,
    is_shaped,
    is_table_row,
    list_object_topics,
    name_object,
    read_object_records,
)
from cranfield.data.reading.records import DEFAULT_OPTIONS, ReadOptions, RecordItem
from cranfield.data.reading.shapes import find_user_shape, is_list, read_entries
from cranfield.data.reading.signatures import match_object
from cranfield.data.reading.source import Beginning, Source
from cranfield.data.reading.table import Irregular, Table
from cranfield.errors import CranfieldError, InputError

Nested: TypeAlias = dict[str, Mapping[str, float]]
SHORT_LIST = 20  # longest list of a run with a complete check of names


def read_json(source: Source) -> Any:
    """Read a JSON file. Raise InputError for duplicate keys."""
    import json

    def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) < len(pairs):
            duplicate = _find_duplicate(key for key, _ in pairs)
            raise InputError.from_problem(f"duplicate key {duplicate!r}", "", source.name)
        return mapping

    try:
        return json.loads(source.read(), object_pairs_hook=reject_duplicate_keys)
    except json.JSONDecodeError as error:
        actual = f"invalid JSON ({error.msg})"
        raise InputError(actual, "a JSON object", source.name, source.get_line_number(error.lineno)) from None
    except UnicodeDecodeError:
        raise InputError("bytes that are not UTF-8", "UTF-8 text", source.name) from None
    except (ValueError, RecursionError) as error:
        actual = f"JSON beyond the limits of Python ({error})"
        raise InputError(actual, "a JSON object", source.name) from None


def _find_duplicate(names: Iterable[Any]) -> Any:
    """Return the first duplicate name."""
    return next(name for name, count in Counter(names).items() if count > 1)


def is_json(beginning: Beginning) -> bool:
    """Return True for one JSON object, or an array of objects or arrays."""
    if re.match(rb"\s*\[\s*[\[{]", beginning.start):
        return True
    return beginning.first.lstrip().startswith("{") and not is_json_lines(beginning)


def is_json_lines(beginning: Beginning) -> bool:
    """Return True for a file with a JSON object on each line.

    Detected by the suffix, by several lines, or by a first object with known columns.
    """
    if not beginning.first.lstrip().startswith("{"):
        return False
    suffix = beginning.source.suffix
    if suffix in (".jsonl", ".ndjson"):
        return True
    keys = read_keys(beginning.first)
    return bool(keys) and (len(beginning.lines) > 1 or (suffix != ".json" and is_header(keys)))


def read_keys(line: str) -> list[str]:
    """Return the keys of a JSON object on a line; empty for other lines."""
    import json

    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return list(data) if isinstance(data, dict) else []


def detect_json_kind(source: Source, options: ReadOptions) -> Kind:
    """Return the kind of a JSON file: judgments have integers as values."""
    try:
        data = read_json(source)
        kind = detect_object_kind(data)
    except CranfieldError:
        return "run"  # the records have the error
    if kind is not None or not isinstance(data, Mapping):
        return kind or "run"
    inner = _list_mappings(data)
    if options.intents:
        inner = [docs for of_topic in inner for docs in _list_mappings(of_topic)]
    values = [value for docs in inner for value in docs.values()]
    return "qrels" if values and all(isinstance(value, int) for value in values) else "run"


def _list_mappings(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [inner for inner in data.values() if isinstance(inner, Mapping)]


def read_json_records(source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records of a JSON file."""
    return read_object_records(read_json(source), kind, source.name, options)


def read_json_rows(source: Source, kind: Kind, options: ReadOptions) -> Table:
    """Read an array of rows as columns. Raise Irregular for other JSON."""
    text = source.read()
    first = read_first_object(text)
    if not isinstance(first, dict) or not is_table_row(first, source.name, options):
        raise Irregular
    return read_array(text, kind, options)


def read_plain_lists(source: Source, options: ReadOptions) -> Nested | None:
    """Return ``{topic: {doc: number}}`` of a JSON object, or None for other JSON."""
    text = source.read()
    if options.intents or options.labels is not None or text.lstrip()[:1] != b"{":
        return None
    try:
        data = parse_value(text)
        if not data or is_shaped(data) or match_object(data, source.name) is not None:
            return None
        if any(find_user_shape(x, kind, options) for x in (data, next(iter(data.values()))) for kind in ROLES):
            return None
        return data if all(_is_plain_list(topic, docs) for topic, docs in data.items()) else None
    except (Irregular, InputError, OverflowError, UnicodeEncodeError):
        return None


def _is_plain_list(topic: str, docs: Any) -> bool:
    """Return True for finite numbers of documents with ids. Raise an error for surrogates."""
    if type(docs) is not dict or not docs or not topic or "" in docs:
        return False
    if not topic.isascii() or not all(map(str.isascii, docs)):
        "".join((topic, *docs)).encode()
    return {*map(type, docs.values())} <= {int, float} and all(map(math.isfinite, docs.values()))


def list_json_topics(source: Source, kind: Kind, options: ReadOptions) -> list[str] | None:
    """Return all topics of a JSON object, also without documents, or None for a table."""
    return list_object_topics(read_json(source), kind, source.name, options)


def name_json(source: Source, kind: Kind) -> str:
    """Return the name of the shape of a JSON object, or an empty text."""
    try:
        return name_object(read_json(source), kind)
    except CranfieldError:
        return ""


def describe_json_keys(source: Source, kind: Kind, options: ReadOptions) -> list[str]:
    """Describe the keys of a JSON object that are used, or return an empty list."""
    try:
        return describe_keys(read_json(source), kind, options)
    except CranfieldError:
        return []


# -- in memory ------------------------------------------------------------------------------------


def to_nested(data: Any, kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS) -> tuple[Nested, int]:
    """Convert a mapping or tuples to ``{topic: {doc: value}}``; also return a count of duplicates.

    The documents of a topic can be a list, ordered from the top in a run: see `is_listed`.
    """
    if isinstance(data, Mapping):
        if kind == "run" and is_plain(data):
            return dict(data), 0
        return from_mapping(data, kind, location, options)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _from_tuples(data, kind, location)
    raise InputError(type(data).__name__, f"{kind} as a path, mapping, frame or tuples", location)


def is_listed(data: Any) -> bool:
    """Return True if topics of a run have lists of documents: an order without scores."""
    if not isinstance(data, Mapping):
        return False
    return any(type(docs) is not dict and _has_names(docs) for docs in data.values())


def _has_names(docs: Any) -> bool:
    """Return True for a list of document ids."""
    return is_list(docs) and bool(docs) and not isinstance(docs[0], Mapping | list | tuple)


def is_plain(data: Any) -> bool:
    """Return True if the first documents look like ``{topic: {doc: value}}``.

    Only the compiled kernel has this fast check. It checks all documents during labelling, and
    `from_mapping` then reads irregular data.
    """
    return kernel.KERNEL is not None and kernel.KERNEL.is_plain(data)


def from_mapping(
    data: Mapping[Any, Any], kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS
) -> tuple[Nested, int]:
    """Convert a mapping to ``{topic: {doc: value}}`` with strings as names; count duplicates."""
    lists: Nested = {}
    repeated = 0
    bare: dict[str, None] = {}  # topics whose documents have no scores
    for topic, docs in data.items():
        name = _to_id(topic, location)
        if name in lists:
            raise InputError.from_problem(f"duplicate topic {name!r}", "", location)
        if isinstance(docs, Mapping):
            lists[name] = docs if _has_str_keys(docs, kind) else _convert_keys(docs, name, location)
            continue
        if kind == "run" and _has_names(docs):
            bare[name] = None
        lists[name] = _from_list(docs, topic, kind, location, options)
        repeated += len(docs) - len(lists[name])
    if bare:
        _reject_scores(lists, bare, location)
    return lists, repeated


def _reject_scores(lists: Nested, bare: Mapping[str, None], location: str) -> None:
    """Raise InputError if a run has scores for some topics only."""
    for topic, docs in lists.items():
        if docs and topic not in bare:
            actual = f"scores for topic {topic} and none for topic {next(iter(bare))}"
            raise InputError(actual, "a score for every document or for none", location)


def _from_list(docs: Any, topic: Any, kind: Kind, location: str, options: ReadOptions) -> dict[str, float]:
    """Return documents of a list with values: in a run without scores, from their order."""
    values: dict[str, float]
    if is_list(docs) and has_only_strings(docs):  # the fast way
        places = map(float, range(0, -len(docs), -1))
        values = dict(zip(docs, places, strict=True)) if kind == "run" else dict.fromkeys(docs, 1.0)
        duplicate = _find_duplicate(docs) if kind == "run" and len(values) < len(docs) else None
    else:
        values, duplicate = _from_entries(docs, topic, kind, location, options)
    if duplicate is not None:
        problem = f"duplicate document {duplicate!r} in topic {topic}"
        raise InputError.from_problem(problem, "", location)
    return values


def _from_entries(
    docs: Any, topic: Any, kind: Kind, location: str, options: ReadOptions
) -> tuple[dict[str, float], str | None]:
    """Return documents of a list with their values, and the first invalid duplicate."""
    try:
        cells = read_entries(docs, kind, options)
    except InputError as error:
        raise Place(location, None, f" for topic {topic!r}").locate(error) from None
    values: dict[str, float] = {}
    duplicate = None
    for place, entry in enumerate(cells):
        doc, value = _to_id(entry["doc"], location), entry.get(VALUE[kind], -float(place))
        if kind == "run" and isinstance(value, bool):
            raise InputError(f"score {value} for document {doc} of topic {topic}", NUMBER, location)
        if doc in values and (kind == "run" or _is_different(values[doc], value)):
            duplicate = duplicate or doc
        values[doc] = value
    return values, duplicate


def _has_str_keys(docs: Mapping[Any, Any], kind: Kind) -> bool:
    """Return True if the keys are strings. For long rankings, check the first and last key.

    A check of all keys would make the evaluation up to 50 % slower.
    """
    if kind == "run" and len(docs) > SHORT_LIST:
        return isinstance(next(iter(docs)), str) and isinstance(_get_last(docs), str)
    return has_only_strings(docs)


def has_only_strings(names: Iterable[Any]) -> bool:
    """Return True if all names are strings."""
    try:
        "".join(names)  # the fastest check
    except TypeError:
        return False
    return True


def _get_last(docs: Mapping[Any, Any]) -> Any:
    return next(reversed(docs)) if isinstance(docs, dict) else next(iter(docs))


def _convert_keys(docs: Mapping[Any, Any], topic: str, location: str) -> dict[str, float]:
    values = {_to_id(doc, location): value for doc, value in docs.items()}
    if len(values) < len(docs):
        raise InputError.from_problem(f"duplicate document in topic {topic}", "", location)
    return values


def _from_tuples(rows: Iterable[Any], kind: Kind, location: str) -> tuple[Nested, int]:
    """Convert rows (topic, doc, value), or rows with all columns of the TREC format."""
    lists: dict[str, dict[str, float]] = {}
    repeated = 0
    full = TREC[kind]
    for number, row in enumerate(rows, 1):
        cells = tuple(row) if isinstance(row, Iterable) and not isinstance(row, str) else ()
        if len(cells) == 3:
            topic, doc, value = cells
        elif len(cells) == len(full):
            by_name = dict(zip(full, cells, strict=True))
            topic, doc, value = by_name["topic"], by_name["doc"], by_name[VALUE[kind]]
        else:
            expected = f"(topic, doc, {VALUE[kind]}) or ({', '.join(full)})"
            raise InputError(f"{row!r} as row {number}", expected, location)
        docs = lists.setdefault(_to_id(topic, location), {})
        doc = _to_id(doc, location)
        if doc in docs:
            document = f"document {doc!r} in topic {topic} (row {number})"
            if kind == "run":
                raise InputError.from_problem(f"duplicate {document}", "", location)
            if _is_different(docs[doc], value):
                problem = f"conflicting levels for {document}: {docs[doc]!r} and {value!r}"
                raise InputError.from_problem(problem, "", location)
            repeated += 1
        docs[doc] = value
    return dict(lists), repeated


def _is_different(a: Any, b: Any) -> bool:
    """Return True if two levels differ as doubles, or as labels if they are labels."""
    return bool(a != b) and (to_number(a) is None or to_number(a) != to_number(b))


def _to_id(name: Any, location: str) -> str:
    """Return an identifier: a string, or an integer as text."""
    if isinstance(name, str):
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(name)
    raise InputError(f"{name!r} as an identifier", "a string", location)
