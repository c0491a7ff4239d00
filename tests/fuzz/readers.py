"""The two readers of a file, the fast one and the one for records, must agree: `python -m
tests.fuzz --readers run FILE` compares them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, get_args

from cranfield.data.qrels import read_qrels
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import decide
from cranfield.data.reading.records import Problem
from cranfield.data.reading.source import Source
from cranfield.data.run import read_run
from cranfield.errors import CranfieldError

Held = dict[str, dict[str, float]]


def compare(words: Sequence[str]) -> NoReturn:
    """Exit with 1 where one reader refuses what the other reads, or reads something else."""
    which, path = words[-2:]
    kind = next(one for one in get_args(Kind) if one == which)
    fast, why = _fast(kind, path)
    record, where = _record(kind, path)
    if (fast is None) != (record is None):
        print(f"the fast reader: {why or 'fine'}; the record reader: {where or 'fine'}")
        code = 1
    elif fast is not None and record is not None and not _same(fast, record):
        print(f"the readers differ: {str(fast)[:300]} and {str(record)[:300]}")
        code = 1
    else:
        print("the readers agree")
        code = 0
    sys.stdout.flush()
    os._exit(code)


def _fast(kind: Kind, path: str) -> tuple[Held | None, str]:
    try:
        if kind == "qrels":
            return _plain(read_qrels(path).to_dict()), ""
        return _plain(read_run(path, run_names="file").to_dict()), ""
    except CranfieldError as error:
        return None, str(error)


def _record(kind: Kind, path: str) -> tuple[Held | None, str]:
    held: dict[str, dict[str, Any]] = {}
    try:
        source = Source.of(path)
        found = decide(source, kind=kind)
        for item in found.format.errors(source, kind, found.text):
            if isinstance(item, Problem):
                if item.severity == "error":
                    return None, item.text
            else:
                held.setdefault(item.topic, {})[item.doc] = item.value
    except CranfieldError as error:
        return None, str(error)
    return held, ""


def _same(fast: Held, record: Held) -> bool:
    """Whether both have the same documents, and the same values where records have some."""
    listed = any(value is None for docs in record.values() for value in docs.values())
    if listed:  # in an order, which makes the values of the other
        return {t: [*docs] for t, docs in fast.items()} == {
            t: [*docs] for t, docs in record.items()
        }
    return fast == record


def _plain(held: Any) -> Held:
    return {
        topic: {doc: float(value) for doc, value in docs.items()} for topic, docs in held.items()
    }
