"""JSON rows as columns: the same results with orjson, with json, and as records."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.data import qrels, run_reader
from cranfield.data.reading import formats, json_columns, json_text
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Irregular

CELLS: dict[str, list[Any]] = {
    "qid": ["q1", "q2", "q1", 3, "é", "", None, 18446744073709551617],
    "docid": ["d1", "d2", "d3", 7, 'a"b', "\\", "", 1.5, 2**70, True],
    "score": [0.5, 1, 2, -1.5, "0.25", "x", None, 10**400, 1e300, True, float("nan"), 2**60 + 1],
    "rank": [1, 2, "3", None, 1.5],
    "run": ["bm25", "dense", None, 5],
    "text": ["plain", 'with "quotes" and \\', {"a": [1, {"b": None}]}, "\ud800", [[]]],
}


@pytest.fixture
def without_orjson(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return partial(monkeypatch.setitem, sys.modules, "orjson", None)


def draw_line(draw: random.Random, usual: float) -> str:
    """Return a line with a JSON object, mostly of usual cells, sometimes damaged."""

    def draw_cell(name: str) -> Any:
        return CELLS[name][0 if draw.random() < usual and name not in ("docid", "qid") else -1 - draw.randrange(3)]

    row = {name: draw.choice(CELLS[name][:3]) if draw.random() < usual else draw_cell(name) for name in CELLS}
    for name in ("rank", "run", "text"):
        if draw.random() > usual:
            del row[name]
    line = json.dumps(row, ensure_ascii=draw.random() < 0.5)
    if draw.random() > usual:
        deep = "[" * 300 + "]" * 300
        damaged = [line[:-1], f"{line},", line.replace('"rank"', '"qid"'), f"{line}{line}", f"[{line}]"]
        accepted = ["", "# comment", f" {line}\r", line.replace("q1", "q\\u0031"), f"{line}\x0c"]
        line = draw.choice([*damaged, *accepted, deep, line.replace("{", f'{{"x": {deep}, ', 1)])
    return line


def describe_outcome(path: Path, kind: str) -> Any:
    """Return the content of a file and its notes, or the error."""
    try:
        if kind == "qrels":
            judged = cf.read_qrels(path)
            return judged.to_dict(), judged.repeated, judged.in_doubt
        return [(run.name, run.to_dict(), run.in_doubt) for run in cf.read_runs(path)]
    except cf.CranfieldError as error:
        return str(error).partition(". Duplicates on lines")[0]  # more than records know


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("seed", range(8))
def test_read_rows_parsers_and_records_agree(
    seed: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)  # noqa: S311
    for number in range(12):
        usual = draw.choice([1.0, 0.995, 0.97, 0.8])
        lines = [draw_line(draw, usual) for _ in range(draw.randrange(1, 12))]
        for i, line in enumerate(lines):  # distinct documents in most files
            lines[i] = line.replace('"docid": "d', f'"docid": "{i if usual < 1 or number % 2 else 0}d')
        path = tmp_path / f"{number}.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
        outcome = describe_outcome(path, kind)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "orjson", None)
            assert describe_outcome(path, kind) == outcome
        with monkeypatch.context() as patch:
            patch.setattr(formats, "has_rows_on_lines", lambda source, options: False)  # the reader of records
            assert describe_outcome(path, kind) == outcome


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("seed", range(6))
def test_read_json_columns_and_records_agree(
    seed: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrays of rows, and documents under topics."""
    draw = random.Random(seed)  # noqa: S311
    for number in range(12):
        usual = draw.choice([1.0, 1.0, 0.995, 0.97, 0.8])
        path = tmp_path / f"{number}.json"
        if number % 2:
            lines = [draw_line(draw, usual).strip(" \r\x0c") for _ in range(draw.randrange(1, 12))]
            text = "[" + draw.choice([",", ", ", ",\n"]).join(lines) + "]"
        else:
            text = json.dumps(draw_lists(draw, usual), ensure_ascii=draw.random() < 0.5)
            text = text.replace('"d1": ', '"d2": ') if draw.random() > usual else text
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        outcome = describe_outcome(path, kind)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "orjson", None)
            assert describe_outcome(path, kind) == outcome
        with monkeypatch.context() as patch:
            patch.setattr(formats, "read_json_rows", raise_irregular)
            for module in (run_reader, qrels):
                patch.setattr(module, "read_plain_lists", lambda source, options: None)
            assert describe_outcome(path, kind) == outcome


def raise_irregular(*arguments: Any) -> None:
    raise Irregular


def draw_lists(draw: random.Random, usual: float) -> Any:
    """Return ``{topic: {doc: value}}``, mostly of usual values, sometimes of other objects."""
    others = [{}, [], ["d1"], {"d1": "2"}, {"d1": None}, {"": 1}, {"\ud800": 1}, {"d1": True}, {"d1": {"d2": 1}}]
    numbers = [1, 0.5, -1, 3, *([10**400, 1e308, float("nan"), 2**63] if draw.random() > usual else [])]

    def draw_docs() -> Any:
        if draw.random() > usual:
            return draw.choice(others)
        return {f"d{i}": draw.choice(numbers) for i in range(draw.randrange(1, 5))}

    names = ["q1", "é", "7", *(["", "all", "hits"] if draw.random() > usual else [])]
    return {name: draw_docs() for name in draw.sample(names, len(names) - 1)}


def test_parse_lines_duplicate_key_raises(without_orjson: Callable[[], None]) -> None:
    for line in (b'{"a": 1, "a": 2}', b'{"a": "\\"", "\\u0061": 3}', b'[{"x": {"": 1, "": 1}}]'):
        with pytest.raises(Irregular):
            json_text.parse_lines([line])
    without_orjson()
    with pytest.raises(Irregular):
        json_text.parse_lines([b'{"a": 1, "a": 2}'])


def test_parse_lines_object_on_two_lines_raises() -> None:
    with pytest.raises(Irregular):
        json_text.parse_lines([b'{"a": 1}, {"b": [1', b"2]}"])


def write_rows(path: Path, rows: int, bad: dict[int, str] | None = None) -> Path:
    with path.open("w") as file:
        for i in range(rows):
            row = {"qid": f"q{i // 100}", "docid": f"d{i}", "score": -i, "run": "bm25"}
            file.write((bad or {}).get(i, json.dumps(row)) + "\n")
    return path


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Source.iter_pieces

    def iter_pieces(self: Source, size: int = 1000) -> Iterator[Callable[[], bytes]]:
        return read(self, 1000)

    monkeypatch.setattr(Source, "iter_pieces", iter_pieces)


@pytest.mark.usefixtures("small_pieces")
class TestPieces:
    """Files that are read in pieces."""

    def test_read_run_pieces_equal_mapping(self, tmp_path: Path) -> None:
        path = write_rows(tmp_path / "run.jsonl", 200)
        expected = {f"q{t}": {f"d{i}": -float(i) for i in range(100 * t, 100 * t + 100)} for t in (0, 1)}
        run = cf.read_run(path)
        assert run.to_dict() == expected
        assert run.name == "bm25"
        assert cf.read_run(path, run_names="file").name == str(path)
        qrels = {"q0": {"d1": 1}, "q1": {"d150": 1}}
        assert cf.evaluate(qrels, path, "RR").summary() == {"bm25": {"RR": (1 / 2 + 1 / 51) / 2}}

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('{"qid": "q1", "docid": "x"', "run.jsonl:151: found"),
            ('{"qid": "q1", "docid": "x", "score": NaN}', "run.jsonl:151: found score nan"),
            ('{"qid": "q1", "docid": "d3", "docid": "d4", "score": 1}', "run.jsonl:151: duplicate key 'docid'"),
            ('{"qid": "q1", "docid": "d120", "score": 1, "run": "bm25"}', "run.jsonl:151: duplicate document 'd120'"),
            ('{"qid": "q1", "docid": "x"}', "run.jsonl:151: found no score, expected a score on every line"),
            ("# a comment\n{}", "run.jsonl:152: found columns"),
        ],
    )
    def test_evaluate_late_error_has_line(self, line: str, message: str, tmp_path: Path) -> None:
        path = write_rows(tmp_path / "run.jsonl", 200, {150: line})
        with pytest.raises(cf.CranfieldError, match=r"run\.jsonl:15") as error:
            cf.evaluate({"q0": {"d1": 1}}, path, "RR")
        assert message in str(error.value)

    def test_evaluate_other_columns_later_raises(self, tmp_path: Path) -> None:
        line = '{"qid": "q1", "docid": "x", "docno": "y", "score": 1, "run": "bm25"}'
        path = write_rows(tmp_path / "run.jsonl", 200, {150: line})
        with pytest.raises(cf.CranfieldError, match="the document is column docno, not docid"):
            cf.evaluate({"q0": {"d1": 1}}, path, "RR")
        columns = "run.doc=docid"
        assert cf.evaluate({"q0": {"d1": 1}}, path, "RR", columns=columns).summary() == {"bm25": {"RR": 0.5}}

    def test_read_runs_second_tag_in_later_piece_splits(self, tmp_path: Path) -> None:
        line = '{"qid": "q1", "docid": "x", "score": 1, "run": "dense"}'
        path = write_rows(tmp_path / "run.jsonl", 200, {150: line})
        assert {run.name: len(run.to_dict()) for run in cf.read_runs(path)} == {"bm25": 2, "dense": 1}

    def test_read_qrels_conflict_has_line(self, tmp_path: Path) -> None:
        rows = [{"qid": "q", "docid": f"d{i % 150}", "rel": i // 150} for i in range(151)]
        path = tmp_path / "qrels.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        with pytest.raises(cf.CranfieldError, match=r"qrels.jsonl:151: conflicting levels .* 0 on line 1"):
            cf.read_qrels(path)


def test_read_rows_uses_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_columns, "_read_records", lambda *args: pytest.fail("records were read"))
    path = write_rows(tmp_path / "run.jsonl", 20)
    assert len(cf.read_run(path).to_dict()["q0"]) == 20
