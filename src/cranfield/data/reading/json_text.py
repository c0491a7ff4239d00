"""JSON text to Python objects, with orjson if it is installed.

Both parsers return the same objects, with one exception: orjson returns integers of more than 64
bits as doubles. Callers raise Irregular for doubles as ids. Text that orjson rejects, such as NaN,
is parsed by `json`. Duplicate keys are rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from cranfield.data.reading.table import Irregular
from cranfield.errors import InputError

_BACKSLASH, _QUOTE = b"\\", b'"'


def parse_lines(lines: Sequence[bytes]) -> list[Any]:
    """Return the value of each line. Raise Irregular for lines that are no JSON.

    >>> parse_lines([b'{"qid": "q1", "score": 0.5}', b"[NaN]"])
    [{'qid': 'q1', 'score': 0.5}, [nan]]
    """
    orjson = _load_orjson()
    if orjson is not None:
        try:
            values = [*map(orjson.loads, lines)]
            if _has_same_strings(b"\n".join(lines), orjson.dumps(values)):
                return values
        except (ValueError, TypeError):
            pass
    return [_parse_slowly(line) for line in lines]


def parse_value(text: bytes) -> Any:
    """Return the value of a text. Raise Irregular if it is no JSON."""
    orjson = _load_orjson()
    if orjson is not None:
        try:
            value = orjson.loads(text)
            if _has_same_strings(text, orjson.dumps(value)):
                return value
        except (ValueError, TypeError):
            pass
    return _parse_slowly(text)


def _load_orjson() -> Any:
    """Return orjson, or None if it is not installed."""
    try:
        import orjson
    except ImportError:
        return None
    return orjson


def _has_same_strings(text: bytes, copy: bytes) -> bool:
    """Return False if a text has more strings than its copy: orjson drops duplicate keys.

    >>> _has_same_strings(b'{"a": 1, "a": 2}', b'{"a":2}'), _has_same_strings(b'["\\\\""]', b'["\\\\""]')
    (False, True)
    """
    return _count_quotes(text) == _count_quotes(copy)


def _count_quotes(text: bytes) -> int:
    """Return the number of quotation marks around strings."""
    if _BACKSLASH in text:
        text = text.replace(_BACKSLASH * 2, b"").replace(_BACKSLASH + _QUOTE, b"")
    return text.count(_QUOTE)


def _parse_slowly(text: bytes) -> Any:
    import json

    try:
        return json.loads(text.decode(), object_pairs_hook=reject_duplicate_keys)
    except (ValueError, RecursionError, InputError):
        raise Irregular from None


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raise InputError for duplicate keys."""
    row = dict(pairs)
    if len(row) < len(pairs):
        duplicate = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise InputError.from_problem(f"duplicate key {duplicate!r}", "Rename or remove one of them.")
    return row
