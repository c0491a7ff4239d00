"""The two readers of a file, the fast one and the one for records, must agree: `python -m
tests.fuzz --readers run FILE` compares them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, get_args

from cranfield.data.qrels import read_qrels
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import detect_format
from cranfield.data.reading.records import Problem
from cranfield.data.reading.source import Source
from cranfield.data.run_reader import read_run
from cranfield.errors import CranfieldError

Held = dict[str, dict[str, float]]


class Disagreement(Exception):
    """What one reader says of a file, and the other does not."""


def compare(words: Sequence[str]) -> NoReturn:
    """Exit with 1 where one reader refuses what the other reads, or reads something else."""
    which, path = words[-2:]
    code, said = 0, "the readers agree"
    try:
        read_twice(next(one for one in get_args(Kind) if one == which), path)
    except CranfieldError:
        pass  # both refuse it
    except Disagreement as differs:
        code, said = 1, str(differs)
    print(said)
    sys.stdout.flush()
    os._exit(code)


def read_twice(kind: Kind, path: str) -> Held:
    """What a file holds, if both readers say so; or the mistake that both see in it."""
    (fast, why), (record, where) = (_held(read, kind, path) for read in (_fast, _record))
    if (fast is None) != (record is None):
        raise Disagreement(f"the fast reader: {why or 'fine'}; the record reader: {where or 'fine'}")
    if fast is None or record is None:
        raise why or where or CranfieldError()
    if not _same(fast, record):
        raise Disagreement(f"the readers differ: {str(fast)[:300]} and {str(record)[:300]}")
    return fast


def _held(read: Callable[[Kind, str], Held], kind: Kind, path: str) -> tuple[Held | None, CranfieldError | None]:
    try:
        return read(kind, path), None
    except CranfieldError as error:
        return None, error


def _fast(kind: Kind, path: str) -> Held:
    if kind == "run":
        return _plain(read_run(path, run_names="file").to_dict())
    sampled = detect_format(Source.from_path(path), kind=kind).format.name == "sampled"
    return _plain(read_qrels(path, sampled=sampled).to_dict())


def _record(kind: Kind, path: str) -> Held:
    held: dict[str, dict[str, Any]] = {}
    source = Source.from_path(path)
    found = detect_format(source, kind=kind)
    for item in found.format.check_records(source, kind, found.options):
        if not isinstance(item, Problem):
            held.setdefault(item.topic, {})[item.doc] = item.value
        elif item.severity == "error":
            raise item.cause or CranfieldError(item.text)
    return held


def _same(fast: Held, record: Held) -> bool:
    """Whether both have the same documents, and the same values where records have some; a topic
    without any has no record.
    """
    fast = {topic: docs for topic, docs in fast.items() if docs}
    listed = any(value is None for docs in record.values() for value in docs.values())
    if listed:  # in an order, which makes the values of the other
        return {t: [*docs] for t, docs in fast.items()} == {t: [*docs] for t, docs in record.items()}
    return fast == record


def _plain(held: Any) -> Held:
    return {topic: {doc: float(value) for doc, value in docs.items()} for topic, docs in held.items()}
