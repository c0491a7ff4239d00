"""What Python users hold in memory: nested dicts, lists of documents, tuples; and JSON files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any, TypeAlias

from cranfield import kernel
from cranfield.data.reading.columns import TREC, VALUE, Kind, is_header
from cranfield.data.reading.lines import NUMBER, real
from cranfield.data.reading.objects import (
    Place,
    object_kind,
    object_name,
    object_records,
    object_topics,
)
from cranfield.data.reading.records import PLAIN, Found, Text
from cranfield.data.reading.shapes import entries, is_list
from cranfield.data.reading.source import Beginning, Source
from cranfield.errors import CranfieldError, InputError

Nested: TypeAlias = dict[str, Mapping[str, float]]
SHORT = 20  # documents of a list whose names are all looked at


def read_json(source: Source) -> Any:
    """The object a JSON file holds; a key given twice is an error."""
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            again = _twice(key for key, _ in pairs)
            raise InputError(f"{again!r} twice", "each topic and document once", source.name)
        return made

    try:
        return json.loads(source.read(), object_pairs_hook=once)
    except json.JSONDecodeError as error:
        found = f"broken JSON ({error.msg})"
        raise InputError(found, "a JSON object", source.name, source.line(error.lineno)) from None
    except UnicodeDecodeError:
        raise InputError("bytes that are not UTF-8", "UTF-8 text", source.name) from None
    except (ValueError, RecursionError) as error:
        found = f"JSON beyond all limits ({error})"
        raise InputError(found, "a JSON object", source.name) from None


def _twice(names: Iterable[Any]) -> Any:
    """The first of some names that is there more than once."""
    return next(name for name, count in Counter(names).items() if count > 1)


def is_object(beginning: Beginning) -> bool:
    """Whether a file is one JSON object, or an array of objects."""
    if re.match(rb"\s*\[\s*[\[{]", beginning.start):
        return True
    return beginning.first.lstrip().startswith("{") and not are_objects(beginning)


def are_objects(beginning: Beginning) -> bool:
    """Whether there is a JSON object on each line.

    The name says so, or the first has columns; or it is not the last, as it would be in JSON.
    """
    if not beginning.first.lstrip().startswith("{"):
        return False
    suffix = beginning.source.suffix
    if suffix in (".jsonl", ".ndjson"):
        return True
    keys = keys_of(beginning.first)
    return bool(keys) and (len(beginning.lines) > 1 or (suffix != ".json" and is_header(keys)))


def keys_of(line: str) -> list[str]:
    """The keys of the JSON object that a line is, none if it is none."""
    import json

    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return list(found) if isinstance(found, dict) else []


def json_kind(source: Source, text: Text) -> Kind:
    """Judgments or results? Levels are whole numbers."""
    try:
        data = read_json(source)
        told = object_kind(data)
    except CranfieldError:
        return "run"  # and let the records say what is wrong
    if told is not None or not isinstance(data, Mapping):
        return told or "run"
    inner = _mappings_in(data)
    if text.intents:
        inner = [docs for of_topic in inner for docs in _mappings_in(of_topic)]
    values = [value for docs in inner for value in docs.values()]
    return "qrels" if values and all(isinstance(value, int) for value in values) else "run"


def _mappings_in(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [inner for inner in data.values() if isinstance(inner, Mapping)]


def json_records(source: Source, kind: Kind, text: Text) -> Iterator[Found]:
    """The documents of a JSON object."""
    return object_records(read_json(source), kind, source.name, text)


def json_topics(source: Source, kind: Kind, text: Text) -> list[str] | None:
    """All topics of a JSON object, those without documents among them; None of a table."""
    return object_topics(read_json(source), kind, source.name, text)


def json_name(source: Source, kind: Kind) -> str:
    """What the shape of a JSON object is called."""
    try:
        return object_name(read_json(source), kind)
    except CranfieldError:
        return ""


# -- in memory ------------------------------------------------------------------------------------


def nested(data: Any, kind: Kind, where: str, text: Text = PLAIN) -> tuple[Nested, int]:
    """``{topic: {doc: value}}`` from a mapping or tuples, and how many rows repeat another.

    The documents of a topic may be a list, in a run from the top down; see `is_listed`.
    """
    if isinstance(data, Mapping):
        if kind == "run" and is_plain(data):
            return dict(data), 0
        return from_mapping(data, kind, where, text)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _from_tuples(data, kind, where)
    raise InputError(type(data).__name__, f"{kind} as a path, mapping, frame or tuples", where)


def is_listed(data: Any) -> bool:
    """Whether a run's topics have lists of documents, and so an order but no scores."""
    if not isinstance(data, Mapping):
        return False
    return any(type(docs) is not dict and _has_names(docs) for docs in data.values())


def _has_names(docs: Any) -> bool:
    """Whether this is a list of documents without anything else."""
    return is_list(docs) and bool(docs) and not isinstance(docs[0], Mapping | list | tuple)


def is_plain(data: Any) -> bool:
    """Whether this looks like ``{topic: {doc: value}}`` at a glance: by its first documents.

    Only the compiled part has so quick an eye. It looks at all documents when it labels them, and
    `from_mapping` at what it finds odd then.
    """
    return kernel.KERNEL is not None and kernel.KERNEL.is_plain(data)


def from_mapping(
    data: Mapping[Any, Any], kind: Kind, where: str, text: Text = PLAIN
) -> tuple[Nested, int]:
    """``{topic: {doc: value}}``, every name a string, and how many documents repeat another."""
    made: Nested = {}
    repeated = 0
    bare: dict[str, None] = {}  # topics whose documents have no scores
    for topic, docs in data.items():
        name = _id(topic, where)
        if name in made:
            raise InputError(f"topic {name} twice", "each topic once", where)
        if isinstance(docs, Mapping):
            made[name] = docs if _has_str_keys(docs, kind) else _with_str_keys(docs, name, where)
            continue
        if kind == "run" and _has_names(docs):
            bare[name] = None
        made[name] = _from_list(docs, topic, kind, where, text)
        repeated += len(docs) - len(made[name])
    if bare:
        _refuse_scores(made, bare, where)
    return made, repeated


def _refuse_scores(lists: Nested, bare: Mapping[str, None], where: str) -> None:
    """Refuse a run that has scores for some topics, and others that are `bare`."""
    for topic, docs in lists.items():
        if docs and topic not in bare:
            found = f"scores for topic {topic} and none for topic {next(iter(bare))}"
            raise InputError(found, "a score for every document or for none", where)


def _from_list(docs: Any, topic: Any, kind: Kind, where: str, text: Text) -> dict[str, float]:
    """Documents that come in a list, with their values; without any, their order is one."""
    made: dict[str, float]
    if is_list(docs) and are_strings(docs):  # the fast way
        places = map(float, range(0, -len(docs), -1))
        made = dict(zip(docs, places, strict=True)) if kind == "run" else dict.fromkeys(docs, 1.0)
        again = _twice(docs) if kind == "run" and len(made) < len(docs) else None
    else:
        made, again = _from_entries(docs, topic, kind, where, text)
    if again is not None:
        raise InputError(f"document {again} of topic {topic} twice", "each document once", where)
    return made


def _from_entries(
    docs: Any, topic: Any, kind: Kind, where: str, text: Text
) -> tuple[dict[str, float], str | None]:
    """Documents in a list with their values, and one that must not come again."""
    try:
        cells = entries(docs, kind, text)
    except InputError as error:
        raise Place(where, None, f" for topic {topic!r}").error(error) from None
    made: dict[str, float] = {}
    again = None
    for place, one in enumerate(cells):
        doc, value = _id(one["doc"], where), one.get(VALUE[kind], -float(place))
        if kind == "run" and isinstance(value, bool):
            raise InputError(f"score {value} for document {doc} of topic {topic}", NUMBER, where)
        if doc in made and (kind == "run" or _differ(made[doc], value)):
            again = again or doc
        made[doc] = value
    return made, again


def _has_str_keys(docs: Mapping[Any, Any], kind: Kind) -> bool:
    """Told by every key, but of a long list of a run by the first and the last.

    To look at all that a run returned would take up to half as long again as its evaluation.
    """
    if kind == "run" and len(docs) > SHORT:
        return isinstance(next(iter(docs)), str) and isinstance(_last(docs), str)
    return are_strings(docs)


def are_strings(names: Iterable[Any]) -> bool:
    """Return True if all names are strings."""
    try:
        "".join(names)  # the fastest look at all of them
    except TypeError:
        return False
    return True


def _last(docs: Mapping[Any, Any]) -> Any:
    return next(reversed(docs)) if isinstance(docs, dict) else next(iter(docs))


def _with_str_keys(docs: Mapping[Any, Any], topic: str, where: str) -> dict[str, float]:
    made = {_id(doc, where): value for doc, value in docs.items()}
    if len(made) < len(docs):
        raise InputError(f"a document twice in topic {topic}", "each document once", where)
    return made


def _from_tuples(rows: Iterable[Any], kind: Kind, where: str) -> tuple[Nested, int]:
    """From (topic, doc, value), or with all the columns of the TREC format."""
    made: dict[str, dict[str, float]] = {}
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
            raise InputError(f"{row!r} as row {number}", expected, where)
        docs = made.setdefault(_id(topic, where), {})
        doc = _id(doc, where)
        if doc in docs:
            found = f"document {doc} of topic {topic} again as row {number}"
            if kind == "run":
                raise InputError(found, "each document once", where)
            if _differ(docs[doc], value):
                found = f"levels {docs[doc]!r} and {value!r} for document {doc} of topic {topic}"
                raise InputError(found, "one level a document", where)
            repeated += 1
        docs[doc] = value
    return dict(made), repeated


def _differ(a: Any, b: Any) -> bool:
    """Return True if two levels differ as doubles, or as labels if they are labels."""
    return bool(a != b) and (real(a) is None or real(a) != real(b))


def _id(name: Any, where: str) -> str:
    """Identifiers are strings; whole numbers are taken as they are written."""
    if isinstance(name, str):
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(name)
    raise InputError(f"{name!r} as an identifier", "a string", where)
