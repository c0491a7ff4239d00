"""Files of other tools with a damaged value: rejected, noted, or a value that nobody reads.

Each value of each object is replaced by values of other types. If the file is still read, a value that is
used must not be ignored in silence, and no value of another type may change the result without a note.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from tests.data.reading.test_engines import JUDGMENTS, RUNS, workbench
from tests.data.reading.test_item_scores import RAGAS, build_case, build_log, build_sample, build_test

JUNK: tuple[Any, ...] = ({}, [], ["x"], {"x": 1}, None, "", True)  # no id, no number, no text of an item
OTHER = {str: "another", float: 0.125, int: 7, bool: False}  # a valid value for most keys of this type
Read = Callable[[Any], tuple[Any, str]]


def _read_qrels(data: Any) -> tuple[Any, str]:
    qrels = cf.read_qrels(data)
    return qrels.to_dict(), qrels.in_doubt


def _read_runs(data: Any) -> tuple[Any, str]:
    runs = cf.read_runs(data)
    return {run.name: run.to_dict() for run in runs}, " ".join(run.in_doubt for run in runs)


def _read_scores(data: Any) -> tuple[Any, str]:
    scores = cf.read_scores(data, missing="common")
    return scores.to_dict(), " ".join(note.text for note in scores.notes)


KAGGLE = {"id": 1, "model_a": "x", "model_b": "y", "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0}
SCORES: list[tuple[str, Any]] = [
    ("DeepEval", {"testCases": [build_case(x, ("F", 0.5), ("G", 1.0)) for x in "ab"], "identifier": "night"}),
    ("promptfoo", {"results": {"results": [build_test("a", x, i, score=0.5) for i, x in enumerate("ab")]}}),
    ("inspect_ai", build_log(("x", 1, "C"), ("x", 2, 0.5), ("y", 1, 0.25), ("y", 2, "I"))),
    ("lm-eval", [build_sample(i, metrics=["acc"], acc=i / 2, filter="none") for i in range(2)]),
    ("ragas", [row | {"faithfulness": 0.25} for row in RAGAS]),
    ("LangSmith", [{"example_id": x, "feedback.f": 0.5, "id": f"r{x}", "inputs.q": x} for x in "ab"]),
    ("Phoenix", [{"example_id": x, "f_score": {"name": "f", "score": 0.5, "label": "l"}} for x in "ab"]),
    ("Braintrust", [{"id": f"r{x}", "input": x, "output": "o", "scores": {"F": 0.5}} for x in "ab"]),
    ("open-rag-eval", [{"query_id": x, "run_1_s": 0.5, "run_2_s": 0.25, "run_1_scores": {"d": 1}} for x in "ab"]),
    ("autojudge", [{"run_id": "r", "topic_id": x, "measure": "F", "value": 0.5} for x in "ab"]),
    ("nuggetizer", [{"qid": x, "strict_vital_score": 0.5, "vital_score": 0.75} for x in "ab"]),
    ("workbench", workbench()),
]  # fmt: skip
FILES: list[tuple[str, Read, Any]] = [
    *((f"qrels-{i}-{name}", _read_qrels, data) for i, (name, data, _) in enumerate(JUDGMENTS)),
    *((f"run-{i}-{name}", _read_runs, data) for i, (name, data, _) in enumerate(RUNS)),
    *((f"scores-{name}", _read_scores, data) for name, data in SCORES),
]


def list_places(data: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each value in an object, without the object itself."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*place, key)
        yield from list_places(value, (*place, key))


def replace_value(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of an object with another value."""
    result = copy.deepcopy(data)
    inner = result
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return result


def get_value(data: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        data = data[key]
    return data


def try_read(read: Read, data: Any, path: Path) -> tuple[Any, str] | None:
    """Return what is read from a file and the notes, or None if the file is rejected."""
    path.write_text(json.dumps(data), encoding="utf-8")
    try:
        return read(path)
    except cf.CranfieldError as error:
        message = str(error)
    if not message or "\n" in message:
        raise AssertionError(f"the error is not one line: {message!r}")
    return None


NAMES = {"name", "identifier", "searchConfigurationId", "model", "provider", "prompt"}  # of runs: can be missing
TEXTS = {"input", "user_input", "vars", "question"}  # of items: can be objects
NUMBERS = {"value", "acc", "score", "feedback.f"}  # can be truth values


def is_valid(place: tuple[Any, ...], value: Any, junk: Any) -> bool:
    """Return True if the junk is a valid value: of the same type, no name of a run, an item, a truth value."""
    is_same = isinstance(junk, list | dict) and type(junk) is type(value)
    is_missing = junk in (None, "") and (value == "" or bool(NAMES.intersection(place)))
    is_item = bool(junk) and bool(TEXTS.intersection(place))
    is_truth = junk is True and (isinstance(value, int | float) or place[-1] in NUMBERS)
    return is_same or is_missing or is_item or is_truth or (junk == ["x"] and place == ("hits",))  # a topic


@pytest.mark.parametrize(("read", "data"), [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_damaged_value_is_rejected_noted_or_unused(read: Read, data: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    result, notes = read(path)
    for place in list_places(data):
        value = get_value(data, place)
        other = OTHER.get(type(value))
        changed = None if other is None else try_read(read, replace_value(data, place, other), path)
        is_used = other is not None and (changed is None or changed[0] != result)
        for junk in JUNK:
            damaged = try_read(read, replace_value(data, place, junk), path)
            if damaged is None or value == junk or is_valid(place, value, junk):
                continue
            example = f"{place}: {json.dumps(junk)} instead of {json.dumps(value)}"
            if damaged[0] == result:
                assert damaged[1] != notes or not is_used, f"{example} is ignored without a note"
            else:
                assert damaged[1] != notes, f"{example} changes the result without a note"
