"""Files as people have them: each shape is read as it is, and never as something else."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
import pytest

import cranfield as cf
from cranfield.errors import CranfieldError
from tests.data.shapes import MEASURES, QRELS, RUN, SHAPES, WRITERS, Shape, json_lines
from tests.made import Command

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)
Rows: TypeAlias = list[list[str]]


def evaluated(shape: Shape, content: bytes, folder: Path) -> cf.Scores:
    """What a file of a shape scores, as it is or changed."""
    path, other = folder / f"file{shape.suffix}", folder / "other"
    path.write_bytes(content)
    if shape.other is not None:
        other.write_bytes(shape.other)
    if shape.kind == "qrels":
        return cf.evaluate(path, RUN if shape.other is None else other, MEASURES)
    return cf.evaluate(QRELS if shape.other is None else other, path, MEASURES)


@each_shape
def test_it_is_read_as_it_is(shape: Shape, tmp_path: Path) -> None:
    scores = evaluated(shape, shape.content, tmp_path)
    assert scores.values.mean(axis=1)[0].tolist() == pytest.approx(shape.scores, abs=1e-12)


@each_shape
def test_it_is_fine(shape: Shape, tmp_path: Path, cranfield: Command) -> None:
    path = tmp_path / f"file{shape.suffix}"
    path.write_bytes(shape.content)
    assert cranfield("validate", "--kind", shape.kind, str(path)).code == 0


@each_shape
def test_files_page_lists_shape(shape: Shape) -> None:
    table = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| "))
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    form = next((row for row in rows if row[0] == f"`{shape.name}`"), None)
    if form is None:
        assert any(row[0].startswith(f"{shape.name} ") and row[1].startswith("`") and row[2] for row in rows)
    else:
        assert form[2 if shape.kind == "qrels" else 3]


# -- what is changed is refused, or makes no difference -------------------------------------------


def mutants(shape: Shape) -> Iterator[tuple[str, bytes]]:
    """The file with columns, or keys and values, left out, exchanged and doubled; and cut."""
    if shape.columns in WRITERS:
        yield from _of_records(shape)
    elif shape.columns:
        yield from _of_text(shape)
    else:
        yield from _of_json(shape)
    yield "cut in the middle", shape.content[: len(shape.content) // 2]


def _changed(width: int) -> Iterator[tuple[str, list[int]]]:
    """Which columns there are, and in which order."""
    every = list(range(width))
    for i in every:
        if width > 1:
            yield f"without column {i + 1}", every[:i] + every[i + 1 :]
        yield f"column {i + 1} twice", [*every[:i], i, *every[i:]]
    for i, j in combinations(every, 2):
        yield f"columns {i + 1} and {j + 1} exchanged", [{i: j, j: i}.get(x, x) for x in every]


def _of_text(shape: Shape) -> Iterator[tuple[str, bytes]]:
    rows = [line.split(shape.columns) for line in shape.content.decode().splitlines()]
    width = len(rows[0])

    def text(taken: list[int]) -> bytes:
        return "".join(shape.columns.join(row[i] for i in taken) + "\n" for row in rows).encode()

    for what, taken in _changed(width):
        yield what, text(taken)
    last = len(shape.content.splitlines(keepends=True)[-1])
    for fields in range(1, width):
        cut = len(shape.columns.join(rows[-1][:fields]))
        yield f"cut after field {fields} of the last line", shape.content[: cut - last]


def _rows_of(shape: Shape) -> list[dict[str, Any]]:
    if shape.columns == "jsonl":
        return [json.loads(line) for line in shape.content.splitlines()]
    read: Callable[..., pl.DataFrame] = {"parquet": pl.read_parquet, "arrow": pl.read_ipc}[shape.columns]
    return read(io.BytesIO(shape.content)).to_dicts()


def _of_records(shape: Shape) -> Iterator[tuple[str, bytes]]:
    rows, write = _rows_of(shape), WRITERS[shape.columns]
    names = list(rows[0])
    for name in names:
        yield f"without {name}", write([{k: v for k, v in r.items() if k != name} for r in rows])
        others = [{k if k != name else "other": v for k, v in r.items()} for r in rows]
        yield f"{name} called otherwise", write(others)
    for one, two in combinations(names, 2):
        other = {one: two, two: one}
        if write is json_lines or type(rows[0][one]) is type(rows[0][two]):
            swapped = [{k: r[other.get(k, k)] for k in names} for r in rows]
            yield f"{one} and {two} exchanged", write(swapped)


def _of_json(shape: Shape) -> Iterator[tuple[str, bytes]]:
    """Objects and lists without one of what they hold, with two exchanged, and with one twice."""
    for what, made in variants(json.loads(shape.content)):
        yield what, json.dumps(made).encode()


def variants(value: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """An object or a list with something left out, called otherwise, doubled or replaced."""
    if isinstance(value, dict):
        for key, inner in value.items():
            place = f"{above}.{key}"
            yield f"without {place}", {k: v for k, v in value.items() if k != key}
            others = {(k if k != key else "other"): v for k, v in value.items()}
            yield f"{place} called otherwise", others
            for what, made in variants(inner, place):
                yield what, {**value, key: made}
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield f"without {above}[{i}]", value[:i] + value[i + 1 :]
            yield f"{above}[{i}] twice", [*value[:i], inner, *value[i:]]
            for what, made in variants(inner, f"{above}[{i}]"):
                yield what, [*value[:i], made, *value[i + 1 :]]
    else:
        yield f"a name for {above}", "other"
        yield f"nothing for {above}", None


def outcome(shape: Shape, content: bytes, folder: Path) -> tuple[object, set[str]]:
    """The scores, one line for each run and topic, and what is said; or the error alone."""
    try:
        scores = evaluated(shape, content, folder)
    except CranfieldError as error:
        return error, set()
    said = {note.text for note in scores.notes}
    return (scores.topics, len(scores.runs), scores.values.tolist()), said


@each_shape
def test_a_changed_file_gives_the_same_or_an_error_or_a_note(shape: Shape, tmp_path: Path) -> None:
    expected, usual = outcome(shape, shape.content, tmp_path)
    wrong = []
    for what, content in mutants(shape):
        found, said = outcome(shape, content, tmp_path)
        if isinstance(found, CranfieldError):
            if what.startswith("cut after") and getattr(found, "line", None) is None:
                wrong.append(f"{what}: {found}, without its line")
        elif found != expected and not said - usual:
            wrong.append(f"{what}: {found}\n{content[:300]!r}")
    assert not wrong, "\n".join(wrong)
