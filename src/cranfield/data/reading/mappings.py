"""What Python users hold in memory: nested dicts, lists of documents, tuples; and JSON files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, TypeAlias

from cranfield.data.reading.columns import TREC, VALUE, Kind, is_header
from cranfield.data.reading.lines import short
from cranfield.data.reading.records import Found, Recorder, Text
from cranfield.data.reading.source import Beginning, Source, split_name
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
    """Whether a file is one JSON object."""
    return beginning.first.lstrip().startswith("{") and not are_objects(beginning)


def are_objects(beginning: Beginning) -> bool:
    """Whether there is a JSON object on each line: the name says so, or the first has columns."""
    if not beginning.first.lstrip().startswith("{"):
        return False
    by_name = {".json": False, ".jsonl": True, ".ndjson": True}
    suffix = split_name(beginning.source.path)[1]
    return by_name[suffix] if suffix in by_name else is_header(keys_of(beginning.first))


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
        inner = [x for x in read_json(source).values() if isinstance(x, dict)]
    except (CranfieldError, AttributeError):
        return "run"  # and let the records say what is wrong
    if text.intents:
        inner = [x for of_topic in inner for x in of_topic.values() if isinstance(x, dict)]
    values = [value for docs in inner for value in docs.values()]
    return "qrels" if values and all(isinstance(value, int) for value in values) else "run"


def json_records(source: Source, kind: Kind, text: Text) -> Iterator[Found]:
    """The documents of a JSON object."""
    data = read_json(source)
    if not isinstance(data, Mapping):
        yield InputError(short(repr(data)), "a JSON object", source.name)
        return
    recorder = Recorder(kind, source.name, text)
    for topic, docs in data.items():
        if text.intents and isinstance(docs, Mapping):
            recorder = replace(recorder, kind="qrels")
            for intent, levels in docs.items():
                of = f" for {intent!r} of topic {topic!r}"
                yield from _leaves(recorder, {"topic": topic, "intent": intent}, levels, of)
        else:
            yield from _leaves(recorder, {"topic": topic}, docs, f" for topic {topic!r}")


def _leaves(recorder: Recorder, above: dict[str, str], docs: Any, of: str) -> Iterator[Found]:
    """Documents with their values; a list of a run has them from the top down."""
    value = VALUE[recorder.kind]
    if isinstance(docs, Mapping):
        cells = ({**above, "doc": doc, value: given} for doc, given in docs.items())
        yield from (recorder.record(one, scored=True) for one in cells)
    elif isinstance(docs, list) and recorder.kind == "run":
        yield from (recorder.record({**above, "doc": doc}) for doc in docs)
    else:
        expected = "{topic: {intent: {doc: level}}}" if "intent" in above else f"{{doc: {value}}}"
        yield InputError(f"{type(docs).__name__}{of}", expected, recorder.where)


# -- in memory ------------------------------------------------------------------------------------


def nested(data: Any, kind: Kind, where: str) -> tuple[Nested, int]:
    """``{topic: {doc: value}}`` from a mapping or tuples, and how many rows repeat another.

    A run may be ``{topic: [doc, doc, …]}``, from the top down; see `is_listed`.
    """
    if isinstance(data, Mapping):
        return _from_mapping(data, kind, where), 0
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _from_tuples(data, kind, where)
    raise InputError(type(data).__name__, f"{kind} as a path, mapping, frame or tuples", where)


def is_listed(data: Any) -> bool:
    """Whether a run's topics have lists of documents, and so an order but no scores."""
    return isinstance(data, Mapping) and any(_is_list(docs) for docs in data.values())


def _is_list(docs: Any) -> bool:
    return isinstance(docs, Sequence) and not isinstance(docs, str | bytes)


def _from_mapping(data: Mapping[Any, Any], kind: Kind, where: str) -> Nested:
    made: Nested = {}
    for topic, docs in data.items():
        name = _id(topic, where)
        if name in made:
            raise InputError(f"topic {name} twice", "each topic once", where)
        if isinstance(docs, Mapping):
            made[name] = docs if _has_str_keys(docs, kind) else _with_str_keys(docs, name, where)
        elif kind == "run" and _is_list(docs):
            places = {doc: -float(place) for place, doc in enumerate(docs)}
            if len(places) < len(docs):
                found = f"document {_twice(docs)} of topic {topic} twice"
                raise InputError(found, "each document once", where)
            made[name] = _with_str_keys(places, name, where)
        else:
            found = f"{type(docs).__name__} for topic {topic!r}"
            raise InputError(found, f"{{doc: {VALUE[kind]}}}", where)
    return made


def _has_str_keys(docs: Mapping[Any, Any], kind: Kind) -> bool:
    """Told by every key, but of a long list of a run by the first and the last.

    To look at all that a run returned would take up to half as long again as its evaluation.
    """
    if kind == "run" and len(docs) > SHORT:
        return isinstance(next(iter(docs)), str) and isinstance(_last(docs), str)
    try:
        "".join(docs)  # the fastest look at every key
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
            if docs[doc] != value:
                found = f"levels {docs[doc]!r} and {value!r} for document {doc} of topic {topic}"
                raise InputError(found, "one level a document", where)
            repeated += 1
        docs[doc] = value
    return dict(made), repeated


def _id(name: Any, where: str) -> str:
    """Identifiers are strings; whole numbers are taken as they are written."""
    if isinstance(name, str):
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(name)
    raise InputError(f"{name!r} as an identifier", "a string", where)
