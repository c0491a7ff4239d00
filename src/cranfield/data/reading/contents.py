"""Contents of files of other tools: what the readers in the table of `signatures` yield.

A reader of judgments or runs yields a `DocumentList` for each topic. A reader of scores yields a
mapping with the keys ``topic``, ``measure``, ``value`` and, if the file has them, ``run``, a
replicate such as ``epoch``, and `DETAILS`. A missing score is None. All readers can yield a
`Remark`, which becomes a note with a count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.columns import LEVELS, SPELLINGS, find_spelling
from cranfield.data.reading.lines import format_value, parse_finite, parse_identifier
from cranfield.data.reading.records import Remark
from cranfield.data.reading.shapes import NAMELESS, Cells, Item, is_list
from cranfield.dataclass import dataclass
from cranfield.errors import InputError


class DocumentList(NamedTuple):
    """The documents of a topic, or of a topic and an intent."""

    context: Cells  # topic, and if known, tag or intent
    docs: list[Cells]  # doc, and level or score or rank
    line: int | None = None


DETAILS = "(details)"  # key of a row of scores
REMARK = "(remark)"  # only key of a row: the text of a note


class Details(NamedTuple):
    """Properties of a score that are used for all scores of a file, or of all files."""

    item: str = ""  # text or hash of the item, which must be the same in all files
    is_hash: bool = False  # another item is an error, not a warning
    prompt: str = ""  # belongs to the name of the run if the file has several
    filter: str = ""  # belongs to the name of the measure if the file has several
    repeats: bool = False  # several scores of an item are repeats
    is_column: bool = False  # the measure is a column of a table, which can have texts
    text: str = ""  # key of the text that is the topic
    is_trace: bool = False  # the topic is a trace, which two runs must share
    is_optional: bool = False  # only read if the user selects the measure


Content: TypeAlias = DocumentList | Mapping[str, Any] | Remark


@dataclass(frozen=True)
class Place:
    """A place in a file or an object: a line, or words."""

    location: str
    line: int | None = None
    words: str = ""

    def locate(self, error: InputError) -> InputError:
        """Return the error with its place."""
        actual = error.found if self.line is not None else error.found + self.words
        return InputError(actual, error.expected, self.location, self.line, error.hint)


class SourceRecord(NamedTuple):
    """A record, its place, and its topic if this is a key above the record."""

    place: Place
    record: Any
    topic: Any = NAMELESS


def unwrap_integer(name: Any) -> Any:
    """Convert an integer of any library to int, and return other values unchanged."""
    is_integer = isinstance(name, Integral) and not isinstance(name, bool)
    return int(name) if is_integer else name


def check_identifier(noun: str, value: Any) -> str:
    """Return an identifier as text. Raise InputError for other values."""
    name = parse_identifier(unwrap_integer(value))
    if name is None:
        raise InputError(f"{noun} {format_value(value)}", "an identifier")
    return name


# -- keys of records ------------------------------------------------------------------------------


def get_value(record: Any, key: str) -> Any:
    """Return the value of a key. Raise InputError if the key is missing."""
    if not isinstance(record, Mapping):
        raise InputError(format_value(record), f"an object with the key {key!r}")
    if key not in record:
        raise InputError(f"keys {', '.join(map(str, record)) or '(none)'}", f"the key {key!r}")
    return record[key]


def get_items(record: Any, key: str) -> list[Any]:
    """Return the list under a key. Raise InputError if the key is missing or has another type."""
    items = get_value(record, key)
    if not is_list(items):
        raise InputError(f"{_name_type(items)} for key {key!r}", "a list")
    return list(items)


def get_mapping(record: Any, key: str) -> Item:
    """Return the object under a key. Raise InputError if it is missing or has another type."""
    mapping = get_value(record, key)
    if not isinstance(mapping, Mapping):
        raise InputError(f"{_name_type(mapping)} for key {key!r}", "an object")
    return mapping


def _name_type(value: Any) -> str:
    return "null" if value is None else format_value(value)


def is_empty(value: Any) -> bool:
    """Return True for null and empty text."""
    return value is None or (isinstance(value, str) and not value.strip())


_ROLES = {"level": LEVELS, "score": ("score", "sim", "similarity"), "rank": SPELLINGS["rank"]}


@lru_cache(maxsize=1024)
def _find_role(name: Any, roles: tuple[str, ...]) -> str | None:
    """Return the role that a key looks like."""
    return next((role for role in roles if find_spelling(_ROLES[role], [str(name)]) is not None), None)


def report_unread(items: Sequence[Item], used: Collection[str], *roles: str) -> Iterator[Remark]:
    """Yield a remark for each key that is not used, has numbers, and looks like one of the roles.

    Ranks in the order of the items are not reported.

    >>> [x.text for x in report_unread([{"doc_id": "d1", "rating": 1, "grade": 3}], ("doc_id", "rating"), "level")]
    ["key 'grade' is not read, although it looks like a level"]
    """
    for name in dict.fromkeys(chain.from_iterable(items)):
        role = None if name in used else _find_role(name, roles)
        if role is None:
            continue
        values = [value for item in items if (value := item.get(name)) is not None]
        numbers = [number for value in values if (number := parse_finite(value)) is not None]
        if numbers and not (role == "rank" and numbers == sorted(numbers)):
            yield Remark(f"key {str(name)!r} is not read, although it looks like a {role}")


def rank_documents(docs: Iterable[Cells]) -> list[Cells]:
    """Return documents with their ranks from 1, in the given order."""
    return [{**cells, "rank": rank} for rank, cells in enumerate(docs, 1)]


def iter_objects(record: Any, key: str) -> Iterator[Item]:
    """Yield the objects in the list under a key. Raise InputError for other values."""
    for number, item in enumerate(get_items(record, key), 1):
        if not isinstance(item, Mapping):
            raise InputError(f"{_name_type(item)} as item {number} of {key!r}", "an object")
        yield item
