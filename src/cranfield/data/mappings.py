"""What Python users hold in memory: nested dicts, lists of documents, tuples; and JSON files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from cranfield.data.columns import TREC, VALUE, Kind
from cranfield.data.source import Source
from cranfield.errors import CranfieldError, InputError

Nested: TypeAlias = dict[str, Mapping[str, float]]


def read_json(source: Source) -> Any:
    """The object a JSON file holds; a key given twice is an error."""
    import json

    try:
        return json.loads(source.read(), object_pairs_hook=lambda pairs: _once(pairs, source.name))
    except json.JSONDecodeError as error:
        raise InputError(
            f"broken JSON ({error.msg})", "a JSON object", source.name, error.lineno
        ) from None
    except UnicodeDecodeError:
        raise InputError("bytes that are not UTF-8", "UTF-8 text", source.name) from None


def _once(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [k for k, _ in pairs]
        again = next(k for k in made if keys.count(k) > 1)
        raise InputError(f"{again!r} twice", "each topic and document once", where)
    return made


def nested(data: Any, kind: Kind, where: str) -> tuple[Nested, bool]:
    """``{topic: {doc: value}}`` from a mapping or tuples, and whether it came with values.

    A run may be ``{topic: [doc, doc, …]}``, from the top down: it has an order and no scores.
    """
    if isinstance(data, Mapping):
        return _from_mapping(data, kind, where)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _from_tuples(data, kind, where), True
    raise InputError(f"{type(data).__name__}", f"{kind} as a path, mapping, frame or tuples", where)


def _from_mapping(data: Mapping[Any, Any], kind: Kind, where: str) -> tuple[Nested, bool]:
    made: Nested = {}
    scored = True
    for topic, docs in data.items():
        if isinstance(docs, Mapping):
            strings = docs if _str_keys(docs) else {_id(d, where): v for d, v in docs.items()}
            made[_id(topic, where)] = strings
        elif kind == "run" and isinstance(docs, Sequence) and not isinstance(docs, str):
            scored = False
            listed = {_id(d, where): -float(i) for i, d in enumerate(docs)}
            if len(listed) < len(docs):
                raise InputError(f"a document twice in topic {topic}", "each document once", where)
            made[_id(topic, where)] = listed
        else:
            raise InputError(
                f"{type(docs).__name__} for topic {topic!r}", f"{{doc: {VALUE[kind]}}}", where
            )
    return made, scored


def _str_keys(docs: Mapping[Any, Any]) -> bool:
    """Told by the first key: looking at all would cost more than the evaluation."""
    return isinstance(next(iter(docs), ""), str)


def _from_tuples(rows: Iterable[Any], kind: Kind, where: str) -> Nested:
    """From (topic, doc, value), or with all the columns of the TREC format."""
    made: dict[str, dict[str, float]] = {}
    full = TREC[kind]
    for number, row in enumerate(rows, 1):
        cells = tuple(row) if isinstance(row, Iterable) and not isinstance(row, str) else ()
        if len(cells) == 3:
            topic, doc, value = cells
        elif len(cells) == len(full):
            by_name = dict(zip(full, cells, strict=True))
            topic, doc, value = by_name["topic"], by_name["doc"], by_name[VALUE[kind]]
        else:
            raise InputError(
                f"{row!r} as row {number}",
                f"(topic, doc, {VALUE[kind]}) or ({', '.join(full)})",
                where,
            )
        docs = made.setdefault(_id(topic, where), {})
        doc = _id(doc, where)
        if doc in docs and (kind == "run" or docs[doc] != value):
            raise InputError(
                f"document {doc} of topic {topic} again as row {number}",
                "each document once",
                where,
            )
        docs[doc] = value
    return dict(made)


def _id(name: Any, where: str) -> str:
    """Identifiers are strings; whole numbers are taken as they are written."""
    if type(name) is str:
        return name
    if isinstance(name, bool | float) or name is None:
        raise CranfieldError(f"{where}: found {name!r} as an identifier, expected a string")
    return str(name)
