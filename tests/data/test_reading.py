"""Every format says the same; every mistake is told with its file and line, and never crashes."""

from __future__ import annotations

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.cells import read_lines
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import FORMAT, FORMATS, LETOR, TABLE, Format, detect_format
from cranfield.data.reading.letor import read_predictions
from cranfield.data.reading.mappings import SHORT_LIST
from cranfield.data.reading.records import COLUMNS, Problem, ReadOptions, Record
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Irregular
from cranfield.data.validate import validate
from cranfield.data.verticals import LAYOUT
from tests.made import examples

Lists = dict[str, dict[str, float]]
Row = tuple[str, str, float]

# Identifiers that a careless reader would turn into numbers, dates or nothing.
QRELS: Lists = {
    "010": {"1e3": 1, "1000": 0, "1000.0": 2},
    "10": {"1e3": 0, "007": 0.5, "NA": -2},
    "2009-1": {"null": 3, "None": 1, "nan": 0},
    "q1": {"中文": 1, "é": 0, "a,b": 2, 'say"so': 1, "true": 0},
    "1_0": {"0x10": 1},
}
RUN: Lists = {
    "010": {"1e3": 12.25, "1000.0": 0.1, "x": -3.5, "1000": 1e-9},
    "10": {"007": 1.0, "1e3": 1.0, "7": 1.0},
    "2009-1": {"nan": 3.0, "null": 2.0, "inf": 1.0},
    "q1": {"a,b": 5.0, "中文": 4.0, 'say"so': 1e300, "é": -1e300},
    "+5": {"-": 0.30000000000000004},
}


def rows(data: Lists) -> list[Row]:
    return [(t, d, x) for t, docs in data.items() for d, x in docs.items()]


def lists_of(run: cf.Run) -> Lists:
    """What a run holds, wherever it keeps it."""
    return {t: {d: float(v) for d, v in docs.items()} for t, docs in run.to_dict().items()}


def read(kind: str, data: Any, format: str | None = None) -> Lists:
    if kind == "qrels":
        return cf.read_qrels(data, format, sampled=format == "sampled").to_dict()
    return lists_of(cf.read_run(data, format, run_names="file"))


KINDS = pytest.mark.parametrize("kind", ["qrels", "run"])
IN_PIECES = pytest.mark.usefixtures("set_block_size")
EXPECTED = {"qrels": QRELS, "run": RUN}
VALUE = {"qrels": "level", "run": "score"}


# -- writing every format ---------------------------------------------------------------------


def trec(kind: str, blank: str = " ", end: str = "\n") -> str:
    if kind == "qrels":
        return "".join(blank.join((t, "0", d, f"{x:g}")) + end for t, d, x in rows(QRELS))
    return "".join(blank.join((t, "Q0", d, str(i), repr(x), "tag")) + end for i, (t, d, x) in enumerate(rows(RUN)))


def separated(kind: str, separator: str, names: tuple[str, str, str] | None = None) -> str:
    out = io.StringIO()
    write = csv.writer(out, delimiter=separator, lineterminator="\n")
    write.writerow(names or ("topic", "doc", VALUE[kind]))
    write.writerows(rows(EXPECTED[kind]))
    return out.getvalue()


def json_lines(kind: str) -> str:
    made = [dict(zip(("topic", "doc", VALUE[kind]), row, strict=True)) for row in rows(EXPECTED[kind])]
    return "".join(json.dumps(row) + "\n" for row in made)


def frame(kind: str) -> pl.DataFrame:
    return pl.DataFrame(
        rows(EXPECTED[kind]),
        schema={"topic": pl.String, "doc": pl.String, VALUE[kind]: pl.Float64},
        orient="row",
    )


def binary(kind: str, write: str) -> bytes:
    out = io.BytesIO()
    getattr(frame(kind), write)(out)
    return out.getvalue()


TEXT: dict[str, Callable[[str], str | bytes]] = {
    "trec": trec,
    "csv": lambda kind: separated(kind, ","),
    "tsv": lambda kind: separated(kind, "\t"),
    "json": lambda kind: json.dumps(EXPECTED[kind], indent=1),
    "jsonl": json_lines,
    "parquet": lambda kind: binary(kind, "write_parquet"),
    "arrow": lambda kind: binary(kind, "write_ipc"),
}
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


def as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


class Folder:
    """Writes files and returns their paths."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, content: str | bytes, name: str = "file.txt") -> str:
        target = self.path / name
        target.write_bytes(as_bytes(content))
        return str(target)


@pytest.fixture
def write(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(params=[8, 64, 1 << 20])
def set_block_size(request: pytest.FixtureRequest, pieces: Callable[[int], None]) -> None:
    """Runs a test with files read in pieces of several sizes."""
    pieces(request.param)


def stdin(monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(as_bytes(content))))


@KINDS
class TestFormats:
    @pytest.mark.parametrize("compression", COMPRESS)
    @pytest.mark.parametrize("format", TEXT)
    def test_format_is_detected_by_content(self, write: Folder, kind: str, format: str, compression: str) -> None:
        path = write(COMPRESS[compression](as_bytes(TEXT[format](kind))), "no-suffix")
        assert read(kind, path) == EXPECTED[kind]
        assert read(kind, path, format) == EXPECTED[kind]

    @pytest.mark.parametrize("format", TEXT)
    def test_from_standard_input(self, monkeypatch: pytest.MonkeyPatch, kind: str, format: str) -> None:
        stdin(monkeypatch, TEXT[format](kind))
        assert read(kind, "-") == EXPECTED[kind]

    def test_compressed_from_standard_input(self, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
        stdin(monkeypatch, gzip.compress(trec(kind).encode()))
        assert read(kind, "-") == EXPECTED[kind]
        stdin(monkeypatch, zstandard.compress(trec(kind).encode()))
        assert read(kind, "-") == EXPECTED[kind]

    @IN_PIECES
    @pytest.mark.parametrize(
        "change",
        {
            "tabs": lambda t: t.replace(" ", "\t"),
            "several blanks": lambda t: t.replace(" ", " \t  "),
            "tabs and blanks in turn": lambda t: t.replace(" Q0 ", "\tQ0  ").replace(" 0 ", "\t0\t"),
            "blanks around": lambda t: "".join(f"  {line}\t \n" for line in t.splitlines()),
            "CRLF": lambda t: t.replace("\n", "\r\n"),
            "CRLF and tabs": lambda t: t.replace("\n", "\r\n").replace(" ", "\t"),
            "BOM": lambda t: "\ufeff" + t,
            "comments": lambda t: "# made by hand\n" + t.replace("\n", "\n  # and so on\n"),
            "blank lines": lambda t: "\n\n" + t.replace("\n", "\n \t \n\n"),
            "no final newline": lambda t: t[:-1],
            "all at once": lambda t: "\ufeff#\r\n\r\n" + t.replace("\n", " \r\n").replace(" ", "\t "),
            "form feeds": lambda t: t.replace(" ", " \f\v"),
        }.items(),
        ids=lambda change: change[0],
    )
    def test_trec_spellings(
        self,
        write: Folder,
        kind: str,
        change: tuple[str, Callable[[str], str]],
    ) -> None:
        assert read(kind, write(change[1](trec(kind)))) == EXPECTED[kind]

    @IN_PIECES
    def test_interleaved_topics(self, write: Folder, kind: str) -> None:
        lines = trec(kind).splitlines(keepends=True)
        order = np.random.default_rng(0).permutation(len(lines))
        path = write("".join(lines[i] for i in order))
        assert read(kind, path) == EXPECTED[kind]

    @pytest.mark.parametrize("compression", [c for c in COMPRESS if c != "plain"])
    @IN_PIECES
    def test_compressed(self, write: Folder, kind: str, compression: str) -> None:
        path = write(COMPRESS[compression](trec(kind).encode()))
        assert read(kind, path) == EXPECTED[kind]

    @pytest.mark.parametrize("compression", [c for c in COMPRESS if c != "plain"])
    def test_several_compressed_parts(self, write: Folder, kind: str, compression: str) -> None:
        text = trec(kind).encode()
        middle = text.index(b"\n", len(text) // 2) - 3
        parts = COMPRESS[compression](text[:middle]) + COMPRESS[compression](text[middle:])
        assert read(kind, write(parts)) == EXPECTED[kind]

    def test_path_objects(self, write: Folder, kind: str) -> None:
        assert read(kind, Path(write(trec(kind)))) == EXPECTED[kind]

    @pytest.mark.parametrize(
        "names",
        [
            ("query-id", "corpus-id", "score"),  # BEIR
            ("Query_ID", "DocNo", "Score"),
            ("qid", "docid", "score"),
            ("query_id", "doc_id", "score"),
        ],
    )
    @pytest.mark.parametrize("separator", [",", "\t"])
    def test_headers(self, write: Folder, kind: str, separator: str, names: tuple[str, str, str]) -> None:
        assert read(kind, write(separated(kind, separator, names))) == EXPECTED[kind]

    def test_columns_in_any_order_among_others(self, write: Folder, kind: str) -> None:
        table = frame(kind).select(pl.lit("x").alias("note"), VALUE[kind], "doc", pl.lit(1).alias("more"), "topic")
        assert read(kind, write(table.write_csv())) == EXPECTED[kind]
        assert read(kind, table) == EXPECTED[kind]

    @pytest.mark.parametrize("change", ["BOM", "CRLF", "no final newline", "blank line at the end"])
    def test_csv_in_its_spellings(self, write: Folder, kind: str, change: str) -> None:
        text = separated(kind, ",")
        changed = {
            "BOM": "\ufeff" + text,
            "CRLF": text.replace("\n", "\r\n"),
            "no final newline": text[:-1],
            "blank line at the end": text + "\n",
        }[change]
        assert read(kind, write(changed)) == EXPECTED[kind]

    @pytest.mark.parametrize("change", ["blank lines", "blanks before numbers"])
    def test_csv_less_tidy(self, write: Folder, kind: str, change: str) -> None:
        lines = [f"topic,doc,{VALUE[kind]}", "a,x,2", "a,y,1", "b,x,0"]
        if change == "blank lines":
            text = "\n\n".join(lines) + "\n"
        else:
            text = "\n".join(",".join([*line.split(",")[:2], " " + line.split(",")[2]]) for line in lines)
        assert read(kind, write(text)) == {"a": {"x": 2, "y": 1}, "b": {"x": 0}}

    def test_file_name_decides_ambiguous_content(self, write: Folder, kind: str) -> None:
        text = f'{{"topic": {{"doc": 1}}, "x": {{"{VALUE[kind]}": 2}}}}'
        assert read(kind, write(text, "q.json")) == {"topic": {"doc": 1}, "x": {VALUE[kind]: 2}}
        line = f'{{"topic": "a", "doc": "b", "{VALUE[kind]}": 3}}'
        assert read(kind, write(line, "q.jsonl")) == {"a": {"b": 3}}
        assert read(kind, write(gzip.compress(line.encode()), "q.ndjson.gz")) == {"a": {"b": 3}}

    def test_forced_format(self, write: Folder, kind: str) -> None:
        path = write(separated(kind, ","))
        assert read(kind, path, "csv") == EXPECTED[kind]
        for wrong in ("trec", "ntcir", "early", "tsv", "json", "jsonl", "parquet", "arrow"):
            with pytest.raises(cf.CranfieldError):
                read(kind, path, wrong)
        with pytest.raises(cf.CranfieldError, match=r"found format 'xml', expected one of trec, ntcir, early, tr"):
            read(kind, path, "xml")

    def test_topics_that_look_like_magic_numbers(self, write: Folder, kind: str) -> None:
        """Text that begins like a compressed or a binary file is still text."""
        for topic in ("BZh", "BZhang-1", "PAR1", "PAR10", "PAR1.5", "ARROW1", "ARROW10"):
            line = f"{topic} 0 d 1" if kind == "qrels" else f"{topic} Q0 d 1 1 t"
            assert read(kind, write(line)) == {topic: {"d": 1.0}}, topic

    @IN_PIECES
    @pytest.mark.parametrize("value", ["1e-3", "+2", ".5", "5.", "-0", "1E2", "00012", "0.1e1"])
    def test_number_spellings(self, write: Folder, kind: str, value: str) -> None:
        line = f"a 0 d {value}" if kind == "qrels" else f"a Q0 d 1 {value} t"
        assert read(kind, write(line)) == {"a": {"d": float(value)}}

    @IN_PIECES
    def test_numbers_keep_every_bit(self, write: Folder, kind: str) -> None:
        values = np.random.default_rng(3).random(400) * 10.0 ** np.arange(-20, 12, 0.08)
        form = "a 0 d{i} {x!r}\n" if kind == "qrels" else "a Q0 d{i} 1 {x!r} t\n"
        path = write("".join(form.format(i=i, x=x) for i, x in enumerate(values.tolist())))
        assert list(read(kind, path)["a"].values()) == values.tolist()


class TestRecords:
    """A list of objects is a table, in JSON as in Python."""

    ROWS = ({"qid": 7, "intent": "1", "kind": "news", "p": 0.5}, {"qid": 7, "intent": "2"})

    def test_rows_by_name(self, tmp_path: Path) -> None:
        file = tmp_path / "rows.json"
        file.write_text(json.dumps(self.ROWS[:1]))
        for data in (file, list(self.ROWS[:1])):
            (line,) = read_lines(data, LAYOUT, "verticals")
            assert line.cells == {"topic": 7, "intent": "1", "vertical": "news", "value": 0.5}

    def test_row_without_needed_key_raises(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found columns qid, intent, expected a column"):
            list(read_lines(list(self.ROWS), LAYOUT, "verticals"))


@KINDS
class TestMemory:
    def test_nested_dicts(self, kind: str) -> None:
        assert read(kind, EXPECTED[kind]) == EXPECTED[kind]

    @pytest.mark.parametrize("scalar", [np.float64, np.float32, np.float16])
    def test_numpy_scalars(self, kind: str, scalar: Any) -> None:
        data = {np.str_("a"): {np.str_("x"): scalar(1.5), np.str_("y"): scalar(0)}}
        assert read(kind, data) == {"a": {"x": 1.5, "y": 0.0}}

    def test_numpy_whole_numbers(self, kind: str) -> None:
        data = {np.int64(7): {np.int32(8): np.int64(2), np.int32(9): np.uint8(1)}}
        assert read(kind, data) == {"7": {"8": 2.0, "9": 1.0}}

    def test_int_ids(self, kind: str) -> None:
        assert read(kind, {1: {2: 3}}) == {"1": {"2": 3}}

    @pytest.mark.parametrize("bad", [1.0, None, True, np.float64(2), b"a", ("a", "b")])
    def test_invalid_ids_raises(self, kind: str, bad: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="identifier"):
            read(kind, {bad: {"x": 1}})
        with pytest.raises(cf.CranfieldError, match="identifier"):
            read(kind, {"a": {bad: 1}})

    def test_ids_equal_as_text_raises(self, kind: str) -> None:
        """1 and "1" are one topic: one of the two must not vanish without a word."""
        with pytest.raises(cf.CranfieldError):
            read(kind, {1: {"x": 1}, "1": {"y": 1}})
        with pytest.raises(cf.CranfieldError):
            read(kind, {"a": {1: 1, "1": 2}})

    def test_frames(self, kind: str) -> None:
        table = frame(kind)
        assert read(kind, table) == EXPECTED[kind]
        assert read(kind, table.lazy()) == EXPECTED[kind]
        assert read(kind, table.to_pandas()) == EXPECTED[kind]
        assert read(kind, table.cast({"topic": pl.Categorical})) == EXPECTED[kind]

    def test_frames_with_int_ids_and_other_numbers(self, kind: str) -> None:
        table = pl.DataFrame({"qid": [1, 1, 2], "docid": [7, 8, 7], VALUE[kind]: [2, 1, 0]})
        expected = {"1": {"7": 2, "8": 1}, "2": {"7": 0}}
        assert read(kind, table) == expected
        assert read(kind, table.cast(pl.Int8)) == expected
        assert read(kind, table.with_columns(pl.col(VALUE[kind]).cast(pl.Float32))) == expected
        assert read(kind, table.to_pandas()) == expected

    def test_pandas_with_objects(self, kind: str) -> None:
        table = pd.DataFrame(
            {
                "topic": pd.Series(["a", "a", "b"], dtype=object),
                "doc": pd.Series(["x", "y", "x"], dtype="category"),
                VALUE[kind]: pd.Series([1, 2, 3], dtype="Int64"),
            }
        )
        table.index = pd.Index([5, 5, 9])
        assert read(kind, table) == {"a": {"x": 1, "y": 2}, "b": {"x": 3}}

    @pytest.mark.parametrize("column", ["topic", "doc"])
    @pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
    def test_pandas_missing_cells_raises(self, kind: str, column: str, missing: Any) -> None:
        table = pd.DataFrame({"topic": ["a", "b"], "doc": ["x", "y"], VALUE[kind]: [1.0, 2.0]})
        table[column] = pd.Series(["a", missing], dtype=object)
        with pytest.raises(cf.CranfieldError, match="expected identifiers"):
            read(kind, table)

    def test_pandas_duplicate_column_raises(self, kind: str) -> None:
        names = ["topic", "topic", "doc", VALUE[kind]]
        with pytest.raises(cf.CranfieldError, match="topic"):
            read(kind, pd.DataFrame([["a", "b", "x", 1.0]], columns=names))

    @pytest.mark.parametrize("bad", [None, float("nan"), float("inf")])
    def test_frames_with_bad_numbers(self, kind: str, bad: float | None) -> None:
        table = pl.DataFrame({"topic": ["a", "b"], "doc": ["x", "y"], VALUE[kind]: [1.0, bad]})
        with pytest.raises(cf.CranfieldError, match=r"found topic 'b'.* in row 2, expected"):
            read(kind, table)

    @pytest.mark.parametrize("column", ["topic", "doc"])
    def test_frames_with_float_ids(self, kind: str, column: str) -> None:
        table = pl.DataFrame({"topic": ["a"], "doc": ["x"], VALUE[kind]: [1.0]})
        with pytest.raises(cf.CranfieldError, match=f"column {column}, expected identifiers"):
            read(kind, table.with_columns(pl.lit(1.5).alias(column)))

    def test_frames_with_text_for_numbers(self, kind: str) -> None:
        table = pl.DataFrame({"topic": ["a"], "doc": ["x"], VALUE[kind]: ["high"]})
        with pytest.raises(cf.CranfieldError, match=f"String in column {VALUE[kind]}"):
            read(kind, table)

    def test_frames_without_a_column(self, kind: str) -> None:
        with pytest.raises(cf.CranfieldError, match=r"found columns topic, .*, expected a column named doc"):
            read(kind, frame(kind).rename({"doc": "paper"}))

    def test_tuples(self, kind: str) -> None:
        assert read(kind, rows(EXPECTED[kind])) == EXPECTED[kind]
        assert read(kind, tuple(rows(EXPECTED[kind]))) == EXPECTED[kind]
        assert read(kind, (row for row in rows(EXPECTED[kind]))) == EXPECTED[kind]

    def test_tuples_of_full_width(self, kind: str) -> None:
        if kind == "qrels":
            full: list[tuple[Any, ...]] = [(t, "0", d, x) for t, d, x in rows(QRELS)]
        else:
            full = [(t, "Q0", d, 1, x, "tag") for t, d, x in rows(RUN)]
        assert read(kind, full) == EXPECTED[kind]

    @pytest.mark.parametrize("row", [("a",), ("a", "b", 1, 2, 3), "abc", 5, None, ()])
    def test_tuples_of_another_width(self, kind: str, row: Any) -> None:
        with pytest.raises(cf.CranfieldError, match=r"as row 2, expected \(topic, doc, "):
            read(kind, [("a", "x", 1), row])

    @pytest.mark.parametrize("data", [5, None, 1.5, object()])
    def test_invalid_data_raises(self, kind: str, data: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="as a path, mapping, frame or tuples"):
            read(kind, data)

    def test_invalid_mapping_raises(self, kind: str) -> None:
        for docs in (5, None, "abc"):
            with pytest.raises(cf.CranfieldError, match="for topic 'a'"):
                read(kind, {"a": docs})

    def test_read_objects_are_returned(self, kind: str) -> None:
        reader: Any = cf.read_qrels if kind == "qrels" else cf.read_run
        once = reader(EXPECTED[kind])
        assert read(kind, reader(once)) == EXPECTED[kind]


BAD_VALUES: list[Any] = [
    "high", "1.5", "1_000", "", None, float("nan"), float("inf"), {}, [1], 10**400, b"1", "\ud800",
]  # fmt: skip


class TestRuns:
    def test_lists_without_scores(self, write: Folder) -> None:
        lists = {"a": ["x", "z", "y"], "b": []}
        for data in (lists, {t: tuple(docs) for t, docs in lists.items()}):
            run = cf.read_run(data)
            assert run.keeps_order
            assert list(lists_of(run)["a"]) == ["x", "z", "y"]
        run = cf.read_run(write(json.dumps(lists)))
        assert run.keeps_order
        assert list(lists_of(run)["a"]) == ["x", "z", "y"]

    def test_lists_with_duplicate_document_raises(self) -> None:
        with pytest.raises(cf.CranfieldError, match="run: duplicate document 'x' in topic a"):
            cf.read_run({"a": ["x", "y", "x"]})

    @pytest.mark.parametrize("format", ["csv", "jsonl", "frame"])
    def test_tables_without_scores(self, write: Folder, format: str) -> None:
        table = pl.DataFrame({"topic": ["a", "b", "a", "a"], "doc": ["x", "x", "z", "y"]})
        data: Any = {
            "csv": table.write_csv(),
            "jsonl": "".join(json.dumps(row) + "\n" for row in table.to_dicts()),
        }.get(format)
        scores = cf.evaluate({"a": {"y": 1}}, table if data is None else write(data), "RR")
        assert scores.values.tolist() == [[[1 / 3]]]

    def test_some_lines_without_scores(self, write: Folder) -> None:
        rows = ['{"topic": "a", "doc": "x", "score": 1}\n', '{"topic": "a", "doc": "y"}\n']
        for text, said in (
            ("".join(rows), ":2: found no score"),
            (rows[1] + rows[0], ":2: found a"),
        ):
            path = write(text)
            with pytest.raises(cf.CranfieldError, match=f"{said}.*, expected a score on every line"):
                cf.read_run(path)
            assert [problem.line for problem in validate([path])[0].problems] == [2]

    @pytest.mark.parametrize("bad", ["x", "", "nan", "inf", "１"])
    @pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet", "frame"])
    def test_one_bad_rank(self, write: Folder, format: str, bad: str) -> None:
        """Where ranks are the order, all have to be there; where scores are, none."""
        ranks = ["2", bad, "1"]
        table = pl.DataFrame({"topic": ["a"] * 3, "doc": ["x", "y", "z"], "rank": ranks})
        said = "found rank|, rank None in row 2|, rank (nan|inf) in row 2"
        with pytest.raises(cf.CranfieldError, match=said) as caught:
            cf.evaluate({"a": {"y": 1}}, self.write_table(write, table, format), "RR")
        if format != "frame":
            path = self.write_table(write, table, format)
            at = {"csv": ":3", "tsv": ":3", "jsonl": ":2"}.get(format, "")
            assert str(caught.value).startswith(f"{path}{at}: found rank {bad!r}")
            assert str(validate([path], "run")[0].problems[0].cause) == str(caught.value)
        scored = table.with_columns(pl.Series("score", [3.0, 2.0, 1.0]))
        scores = cf.evaluate({"a": {"y": 1}}, self.write_table(write, scored, format), "RR")
        assert scores.values.tolist() == [[[1 / 2]]]

    def test_a_rank_on_some_lines(self, write: Folder) -> None:
        path = write('{"topic": "a", "doc": "x", "rank": 1}\n{"topic": "a", "doc": "y"}\n')
        with pytest.raises(cf.CranfieldError, match=":2: found no rank, expected a rank on every"):
            cf.read_run(path)

    @staticmethod
    def write_table(write: Folder, table: pl.DataFrame, format: str) -> Any:
        if format == "frame":
            return table
        if format == "parquet":
            out = io.BytesIO()
            table.write_parquet(out)
            return write(out.getvalue(), "run.parquet")
        rows = "".join(json.dumps(row) + "\n" for row in table.to_dicts())
        separator = "\t" if format == "tsv" else ","
        return write(rows if format == "jsonl" else table.write_csv(separator=separator), "run")

    @IN_PIECES
    def test_the_tag_names_the_run(self, write: Folder) -> None:
        assert cf.read_run(write(trec("run"))).name == "tag"
        assert cf.read_run(write(trec("run")), name="mine").name == "mine"

    def test_tags_of_tables(self, write: Folder) -> None:
        text = "topic,doc,score,run\na,x,1,bm25\n"
        assert cf.read_run(write(text)).name == "bm25"
        assert cf.read_run(write("topic,doc,score\na,x,1\n", "x.csv")).name.endswith("x.csv")
        line = '{"topic": "a", "doc": "x", "score": 1, "tag": "bm25"}'
        assert cf.read_run(write(line)).name == "bm25"

    @pytest.mark.parametrize("value", BAD_VALUES, ids=lambda v: repr(v)[:12])
    def test_scores_that_are_not_numbers(self, value: Any) -> None:
        run = {"a": {"x": 1.0, "y": value}}
        with pytest.raises(cf.CranfieldError, match="expected a finite number"):
            cf.evaluate({"a": {"y": 1}}, run, "RR")

    def test_ids_of_two_kinds(self) -> None:
        """An int among strings is the string it is written as, tied or not."""
        qrels, run = {"a": {"2": 1}}, {"a": {"x": 1.0, 2: 1.0}}
        assert cf.evaluate(qrels, run, "NumRelRet RR").values.tolist() == [[[1.0, 0.5]]]

    @pytest.mark.parametrize("place", [0, 1, 10, 18, 19])
    def test_a_number_anywhere_in_a_short_list(self, place: int) -> None:
        docs: list[Any] = [f"d{i}" for i in range(20)]
        docs[place] = 7
        for ranked in ({doc: -float(i) for i, doc in enumerate(docs)}, docs):
            scores = cf.evaluate({"a": {"7": 1}}, {"a": ranked}, "RR")
            assert scores.values.tolist() == [[[1 / (place + 1)]]]

    def test_a_number_anywhere_in_a_list_without_scores(self) -> None:
        docs = [*(f"d{i}" for i in range(500)), 7, *(f"e{i}" for i in range(500))]
        assert cf.evaluate({"a": {"7": 1}}, {"a": docs}, "RR").values.tolist() == [[[1 / 501]]]

    def test_clashing_tags_use_paths(self, write: Folder) -> None:
        text = "a Q0 x 1 1 tag\n"
        one, two, three = write(text, "1"), write(text, "2"), write("a Q0 x 1 1 other\n", "3")
        scores = cf.evaluate({"a": {"x": 1}}, [one, two, three], "AP")
        assert scores.runs == (one, two, "other")

    def test_duplicate_path_raises(self, write: Folder) -> None:
        path = write("a Q0 x 1 1 tag\n")
        roundabout = os.path.join(os.path.dirname(path), ".", "file.txt")
        for again in (path, Path(path), roundabout):
            with pytest.raises(cf.CranfieldError, match=r"duplicate run .*file\.txt"):
                cf.evaluate({"a": {"x": 1}}, [path, again], "AP")

    def test_duplicate_name_raises(self) -> None:
        runs = [cf.read_run({"a": ["x"]}, name="r"), cf.read_run({"a": ["y"]}, name="r")]
        with pytest.raises(cf.CranfieldError, match="duplicate run name 'r'"):
            cf.evaluate({"a": {"x": 1}}, runs, "AP")

    def test_empty_data_raises(self) -> None:
        table = pl.DataFrame(
            {"topic": [], "doc": [], "score": []},
            schema_overrides={"score": pl.Float64, "topic": pl.String, "doc": pl.String},
        )
        with pytest.raises(cf.CranfieldError, match="found no results"):
            cf.evaluate({"a": {"x": 1}}, table, "AP")

    @pytest.mark.slow
    @IN_PIECES
    @pytest.mark.parametrize(("ties", "expected"), [("trec", 0.5), ("rank", 1.0), ("given", 1.0)])
    def test_comments_longer_than_a_piece(self, write: Folder, ties: Any, expected: float) -> None:
        comments = "# a licence, a history, a list of parameters\n" * 300
        path = write(f"{comments}a Q0 x 1 1 t\nb Q0 x 1 1 t\n{comments}a Q0 y 2 2 t\n{comments}")
        scores = cf.evaluate({"a": {"x": 1}}, path, "RR NumRet", ties=ties)
        assert scores.values.tolist() == [[[expected, 2.0]]]

    @pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs /dev/fd")
    def test_pipe_is_read_once(self, write: Folder) -> None:
        """As in `cranfield evaluate qrels.txt <(zcat run.gz)`."""
        run = write("a Q0 x 1 1 tag\n", "run")
        qrels = write("a 0 x 1\n", "qrels")
        for first, second in ((qrels, f"<(cat {run})"), (f"<(cat {qrels})", f"<(gzip -c {run})")):
            command = f"{sys.executable} -m cranfield evaluate {first} {second} -m RR -f tsv"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
            assert done.stdout == "run\ttopic\tmeasure\tvalue\ntag\tall\tRR\t1.0\n", done.stderr


class TestEmptyTopics:
    """A topic without a document is a topic, in a file as in memory."""

    @pytest.mark.parametrize("form", ["memory", "file"])
    def test_in_judgments(self, write: Folder, form: str) -> None:
        judged: Lists = {"a": {}, "b": {"x": 1}}
        data: Any = judged if form == "memory" else write(json.dumps(judged))
        assert cf.read_qrels(data).to_dict() == judged
        assert cf.evaluate(data, {"b": {"x": 1.0}}, "AP").topics == ("a", "b")

    @pytest.mark.parametrize("form", ["memory", "file"])
    @pytest.mark.parametrize("run", [{"a": {}, "b": {"x": 0.5}}, {"a": [], "b": ["x"]}])
    def test_in_runs(self, write: Folder, form: str, run: dict[str, Any]) -> None:
        data: Any = {"r": run if form == "memory" else write(json.dumps(run))}
        scores = cf.evaluate({"a": {"x": 1}, "b": {"x": 1}}, data, "AP", topics="common")
        assert scores.topics == ("a", "b")
        assert "missing-topics" not in [n.kind for n in scores.notes]


class TestQrels:
    @pytest.mark.parametrize("value", BAD_VALUES, ids=lambda v: repr(v)[:12])
    def test_levels_that_are_not_numbers(self, value: Any) -> None:
        """Texts are no numbers here as they are none in runs, not even those that look like one."""
        with pytest.raises(cf.CranfieldError, match="expected a finite number"):
            cf.read_qrels({"a": {"x": 1, "y": value}})

    def test_repr(self) -> None:
        assert repr(cf.read_qrels(QRELS)) == "Qrels: 15 judgments of 5 topics"

    def test_no_judgments_raises(self) -> None:
        schema = {"topic": pl.String, "doc": pl.String, "level": pl.Float64}
        nothing: list[Any] = [{}, [], pl.DataFrame(schema=schema)]
        for data in nothing:
            with pytest.raises(cf.CranfieldError, match="found no judgments, expected at least"):
                cf.read_qrels(data)
        assert cf.read_qrels({"a": {}}).topics == ("a",)

    @pytest.mark.parametrize(
        "data",
        [
            [("a", "x", 1), ("b", "x", 1), ("a", "x", 2)],
            pl.DataFrame({"topic": ["a", "a"], "doc": ["x", "x"], "level": [1, 2]}),
        ],
    )
    def test_conflicts_in_memory(self, data: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="document 'x' in topic a"):
            cf.read_qrels(data)

    @pytest.mark.parametrize("format", ["parquet", "arrow"])
    def test_binary_files(self, write: Folder, format: str) -> None:
        table = pl.DataFrame({"topic": ["a", "b", "a"], "doc": ["x", "x", "x"], "level": [1, 2, 0]})
        path = write(b"")
        store = getattr(table, {"parquet": "write_parquet", "arrow": "write_ipc"}[format])
        store(path)
        with pytest.raises(cf.CranfieldError, match="document 'x' in topic a") as caught:
            cf.read_qrels(path)
        assert str(caught.value).startswith(f"{path}: ")

    @pytest.mark.parametrize("form", ["polars", "pandas", "parquet", "arrow"])
    def test_equal_duplicates_are_counted(self, write: Folder, form: str) -> None:
        table = pl.DataFrame({"topic": ["a", "b", "a"], "doc": ["x", "x", "x"], "level": [1, 2, 1]})
        path = write(b"")
        if form == "parquet":
            table.write_parquet(path)
        elif form == "arrow":
            table.write_ipc(path)
        data: Any = {"polars": table, "pandas": table.to_pandas()}.get(form, path)
        qrels = cf.read_qrels(data)
        assert qrels.to_dict() == {"a": {"x": 1}, "b": {"x": 2}}
        assert qrels.repeated == 1


# -- mistakes ---------------------------------------------------------------------------------

Q4 = "4: topic iteration doc level"
R6 = "6: topic q0 doc rank score tag"
OK_Q = "a 0 x 1\n"
OK_R = "a Q0 x 1 2.5 t\n"

# kind, text, line, what is found, what is expected
Mistake = tuple[str, str | bytes, int | None, str, str]  # kind, text, line, found, expected

TREC_MISTAKES: dict[str, Mistake] = {
    "too few fields": ("qrels", OK_Q + "a 0 y\n", 2, "3 fields ('a 0 y')", Q4),
    "too many fields": ("qrels", OK_Q + "a 0 y 1 2\n", 2, "5 fields ('a 0 y 1 2')", Q4),
    "too few fields in a run": ("run", OK_R + "a Q0 y 1 2\n", 2, "5 fields", R6),
    "too many fields in a run": ("run", OK_R + "a Q0 y 1 2 t u\n", 2, "7 fields", R6),
    "lines that compensate": ("run", OK_R + "a Q0 y 1 2\na Q0 z 1 2 t u\n", 2, "5 fields", R6),
    "lines that compensate, long first": (
        "run", OK_R + "a Q0 y 1 2 t u\na Q0 z 1 2\n", 2, "7 fields", R6),
    "judgments that compensate": ("qrels", OK_Q + "a 0 y\na 0 z 1 1\n", 2, "3 fields", Q4),
    "judgments for results": ("run", OK_Q, 1, "4 fields", R6),
    "results for judgments": ("qrels", OK_R, 1, "6 fields", Q4),
    "a missing field between two blanks": ("qrels", OK_Q + "a  y 1\n", 2, "3 fields", Q4),
    "a missing Q0 between two blanks": ("run", OK_R + "a  y 1 2.5 t\n", 2, "5 fields", R6),
    "a missing Q0 between two tabs": ("run", "a\t\ty\t1\t2.5\tt\n", 1, "5 fields", R6),
    "a missing tag before a blank": ("run", OK_R + "a Q0 y 1 2.5 \n", 2, "5 fields", R6),
    "comments and blank lines count": (
        "qrels", f"# c\n\n{OK_Q}  # d\na 0 y\n", 5, "3 fields", Q4),
    "CRLF counts once": ("qrels", "a 0 x 1\r\n\r\na 0 y\r\n", 3, "3 fields ('a 0 y')", Q4),
    "after a BOM": ("qrels", "\ufeffa 0 x\n", 1, "3 fields ('a 0 x')", Q4),
    "a word for a level": ("qrels", OK_Q + "a 0 y high\n", 2, "level 'high'", "a finite number"),
    "a word for a score": ("run", OK_R + "a Q0 y 1 best t\n", 2, "score 'best'", "a finite number"),
    "nan": ("run", OK_R + "a Q0 y 1 nan t\n", 2, "score 'nan'", "a finite number"),
    "NaN": ("qrels", OK_Q + "a 0 y NaN\n", 2, "level 'NaN'", "a finite number"),
    "inf": ("run", OK_R + "a Q0 y 1 -inf t\n", 2, "score '-inf'", "a finite number"),
    "too large": ("run", OK_R + "a Q0 y 1 1e999 t\n", 2, "score '1e999'", "a finite number"),
    "1_000": ("run", OK_R + "a Q0 y 1 1_000 t\n", 2, "score '1_000'", "a finite number"),
    "1_000 judged": ("qrels", OK_Q + "a 0 y 1_000\n", 2, "level '1_000'", "a finite number"),
    "1,5": ("run", OK_R + "a Q0 y 1 1,5 t\n", 2, "score '1,5'", "a finite number"),
    "0x10": ("qrels", OK_Q + "a 0 y 0x10\n", 2, "level '0x10'", "a finite number"),
    "a document twice": (
        "run", f"{OK_R}a Q0 y 2 2 t\n{OK_R}", 3,
        "duplicate document 'x' in topic a (first on line 1)", ""),
    "a document twice, topics interleaved": (
        "run", f"{OK_R}b Q0 x 2 2 t\n# c\n{OK_R}", 4,
        "duplicate document 'x' in topic a (first on line 1)", ""),
    "a document twice in an unjudged topic": (
        "run", f"{OK_R}z Q0 x 2 2 t\nz Q0 x 3 1 t\n", 3,
        "duplicate document 'x' in topic z (first on line 2)", ""),
    "judgments that conflict": (
        "qrels", f"{OK_Q}b 0 x 1\na 0 x 2\n", 3,
        "conflicting levels for document 'x' in topic a: 2 here, 1 on line 1", ""),
    "a topic named all": (
        "qrels", f"{OK_Q}all 0 x 1\n", 2, "a topic named 'all'", "another name"),
    "not UTF-8": ("run", OK_R.encode() + b"a Q0 \xff\xfe 1 2 t\n", 2,
                  "bytes that are not UTF-8 (b'\\xff\\xfe", "UTF-8 text"),
    "not UTF-8 in a column nobody needs": (
        "run", OK_R.encode() + b"a \xff y 1 2 t\n", 2, "bytes that are not UTF-8", "UTF-8 text"),
    "UTF-16": ("run", OK_R.encode("utf-16"), 1, "file is UTF-16, expected UTF-8", ""),
}  # fmt: skip


def expect(message: str, path: str, line: int | None, found: str, expected: str) -> None:
    place = f"{path}:{line}: " if line else f"{path}: "
    if expected:
        assert message.startswith(f"{place}found {found}"), message
        assert f", expected {expected}" in message, message
    else:
        assert message.startswith(place + found), message


def evaluate_file(kind: str, path: str, format: str | None = None) -> cf.Scores:
    """What a user does with a file, to the end: some mistakes show themselves late."""
    if kind == "qrels":
        return cf.evaluate(path, {"a": {"x": 1.0}}, "AP NumRet", qrels_format=format)
    judged = {"a": {"x": 1}}
    return cf.evaluate(judged, path, "AP NumRet", run_format=format, run_names="file")


class TestErrors:
    @IN_PIECES
    @pytest.mark.parametrize("name", TREC_MISTAKES)
    def test_trec(self, write: Folder, name: str) -> None:
        kind, text, line, found, expected = TREC_MISTAKES[name]
        path = write(text)
        with pytest.raises(cf.CranfieldError) as caught:
            evaluate_file(kind, path)
        expect(str(caught.value), path, line, found, expected)

    @pytest.mark.parametrize("compression", [c for c in COMPRESS if c != "plain"])
    def test_lines_of_compressed_files(self, write: Folder, compression: str) -> None:
        path = write(COMPRESS[compression](f"# c\n{OK_Q}a 0 y\n".encode()))
        with pytest.raises(cf.CranfieldError) as caught:
            cf.read_qrels(path)
        expect(str(caught.value), path, 3, "3 fields ('a 0 y')", Q4)

    def test_lines_of_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stdin(monkeypatch, OK_Q + "a 0 y\n")
        with pytest.raises(cf.CranfieldError) as caught:
            cf.read_qrels("-")
        expect(str(caught.value), "standard input", 2, "3 fields ('a 0 y')", Q4)

    @IN_PIECES
    def test_error_in_late_line(self, write: Folder) -> None:
        lines = [f"a Q0 d{i} {i} {-i} t\n" for i in range(1000)]
        lines[876] = "a Q0 d876 876 t\n"
        path = write("".join(lines))
        with pytest.raises(cf.CranfieldError) as caught:
            evaluate_file("run", path)
        expect(str(caught.value), path, 877, "5 fields", R6)

    @IN_PIECES
    @KINDS
    @pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n", "# nothing\n", "# nothing", "\ufeff"])
    def test_empty_file_raises(self, write: Folder, kind: str, text: str) -> None:
        path = write(text)
        with pytest.raises(cf.CranfieldError) as caught:
            evaluate_file(kind, path)
        message = str(caught.value)
        assert message.startswith(f"{path}: "), message
        assert re.search("file is empty|no judgments|no results", message), message

    @KINDS
    def test_no_such_file(self, tmp_path: Path, kind: str) -> None:
        for path in (str(tmp_path / "nowhere"), str(tmp_path / "no" / "where.csv")):
            with pytest.raises(cf.CranfieldError) as caught:
                read(kind, path)
            assert str(caught.value) == f"cannot read {path}: no such file or directory"

    @KINDS
    def test_a_directory(self, tmp_path: Path, kind: str) -> None:
        with pytest.raises(cf.CranfieldError) as caught:
            read(kind, tmp_path)
        assert str(caught.value) == f"{tmp_path} is a directory, expected a file"

    @KINDS
    @pytest.mark.parametrize("path", ["", "a\0b", "x" * 5000])
    def test_impossible_paths(self, kind: str, path: str) -> None:
        with pytest.raises(cf.CranfieldError):
            read(kind, path)

    @pytest.mark.parametrize("compression", [c for c in COMPRESS if c != "plain"])
    @pytest.mark.parametrize("keep", [0.99, 0.5, 0.02])
    def test_truncated_compression(self, write: Folder, compression: str, keep: float) -> None:
        text = "".join(f"a Q0 d{i} {i} {1 / (i + 1)} t\n" for i in range(3000)).encode()
        whole = COMPRESS[compression](text)
        path = write(whole[: max(8, int(keep * len(whole)))])
        with pytest.raises(cf.CranfieldError) as caught:
            evaluate_file("run", path)
        assert str(caught.value).startswith(f"{path}: corrupt {compression} data"), caught.value

    def test_truncated_zstandard_at_the_end_of_a_line(self, write: Folder) -> None:
        """What is left decompresses to whole lines: nothing but the frame tells that more came."""
        c = zstandard.ZstdCompressor().compressobj()
        begun = c.compress(OK_R.encode()) + c.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        with pytest.raises(cf.CranfieldError, match="corrupt zst data"):
            evaluate_file("run", write(begun))

    @pytest.mark.parametrize("magic", [b"\x1f\x8b", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"])
    def test_broken_compression(self, write: Folder, magic: bytes) -> None:
        for rest in (b"", b"\x00", b"garbage, not compressed at all\n"):
            for kind in ("qrels", "run"):
                path = write(magic + rest)
                with pytest.raises(cf.CranfieldError) as caught:
                    read(kind, path)
                assert str(caught.value).startswith(path), caught.value

    def test_corrupted_compression(self, write: Folder) -> None:
        text = "".join(f"a Q0 d{i} {i} {1 / (i + 1)} t\n" for i in range(300)).encode()
        for compression in ("gz", "bz2", "xz"):  # these carry checksums
            broken = bytearray(COMPRESS[compression](text))
            broken[len(broken) // 2] ^= 0xFF
            path = write(bytes(broken))
            with pytest.raises(cf.CranfieldError, match="corrupt"):
                cf.read_run(path)

    @KINDS
    @pytest.mark.parametrize("magic", [b"PAR1", b"ARROW1\0\0"])
    def test_broken_binary_files(self, write: Folder, kind: str, magic: bytes) -> None:
        for rest in (b"", b"\xff" * 100, magic):
            path = write(magic + rest)
            with pytest.raises(cf.CranfieldError) as caught:
                read(kind, path)
            assert str(caught.value).startswith(path)

    @KINDS
    @pytest.mark.parametrize("format", ["parquet", "arrow"])
    def test_binary_files_without_a_column(self, write: Folder, kind: str, format: str) -> None:
        out = io.BytesIO()
        table = frame(kind).rename({"doc": "paper"})
        table.write_parquet(out) if format == "parquet" else table.write_ipc(out)
        path = write(out.getvalue())
        with pytest.raises(cf.CranfieldError) as caught:
            read(kind, path)
        expect(str(caught.value), path, None, "columns topic, paper", "a column named doc")

    @pytest.mark.parametrize("format", ["parquet", "arrow"])
    def test_duplicate_document_in_binary_run_raises(self, write: Folder, format: str) -> None:
        table = pl.DataFrame({"topic": ["a", "a"], "doc": ["x", "x"], "score": [1.0, 2.0]})
        path = write(b"")
        table.write_parquet(path) if format == "parquet" else table.write_ipc(path)
        with pytest.raises(cf.CranfieldError, match="document 'x' in topic a") as caught:
            evaluate_file("run", path)
        expect(str(caught.value), path, None, "duplicate document", "")

    @pytest.mark.parametrize("data", [
        [("a", "x", 1.0), ("a", "y", 1.0), ("a", "x", 1.0)],
        pl.DataFrame({"topic": ["a", "b", "a"], "doc": ["x", "x", "x"], "score": [1.0, 1, 1]}),
        pd.DataFrame({"topic": ["a", "b", "a"], "doc": ["x", "x", "x"], "score": [1.0, 1, 1]}),
    ], ids=["tuples", "polars", "pandas"])  # fmt: skip
    def test_duplicate_document_in_memory_raises(self, data: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="document 'x' in topic a"):
            cf.evaluate({"a": {"x": 1}}, data, "AP")


TABLE_MISTAKES: dict[str, Mistake] = {
    "too few fields": ("run", "topic,doc,score\na,x,1\na,y\n", 3, "2 fields ('a,y')",
                       "3: topic doc score"),
    "too many fields": ("run", "topic,doc,score\na,x,1\na,y,2,3\n", 3, "4 fields ('a,y,2,3')",
                        "3: topic doc score"),
    "lines that compensate": ("qrels", "topic,doc,level\na,x\na,y,2,3\n", 2, "2 fields ('a,x')",
                              "3: topic doc level"),
    "too few fields in a table with tags": (
        "run", "topic,doc,score,tag\na,x,1,t\na,y,1\n", 3, "3 fields", "4: topic doc score tag"),
    "too few fields in a table with intents": (
        "qrels", "topic,doc,level,iteration\na,x,1,0\na,y,1\n", 3, "3 fields", "4: topic"),
    "a word for a score": ("run", "topic,doc,score\na,x,1\na,y,best\n", 3, "score 'best'",
                           "a finite number"),
    "a word for a level": ("qrels", "topic,doc,level\na,x,1\na,y,high\n", 3, "level 'high'",
                           "a finite number"),
    "no score": ("run", "topic,doc,score\na,x,1\na,y,\n", 3, "score ''", "a finite number"),
    "no document": ("qrels", "topic,doc,level\na,x,1\na,,2\n", 3, "doc ''", "an identifier"),
    "no topic": ("run", "topic,doc,score\n,x,1\n", 2, "topic ''", "an identifier"),
    "nan": ("run", "topic,doc,score\na,x,1\na,y,nan\n", 3, "score 'nan'", "a finite number"),
    "inf": ("qrels", "topic,doc,level\na,x,1\na,y,inf\n", 3, "level 'inf'", "a finite number"),
    "1_000": ("run", "topic,doc,score\na,x,1_000\n", 2, "score '1_000'", "a finite number"),
    "a document twice": ("run", "topic,doc,score\na,x,1\na,y,2\na,x,3\n", 4,
                         "duplicate document 'x' in topic a (first on line 2)", ""),
    "judgments that conflict": ("qrels", "topic,doc,level\na,x,1\na,y,2\na,x,3\n", 4,
                                "conflicting levels for document 'x' in topic a: 3 here, 1 on line",
                                ""),
    "a topic named all": ("qrels", "topic,doc,level\na,x,1\nall,x,1\n", 3,
                          "a topic named 'all'", "another name"),
    "a missing column": ("qrels", "topic,paper,level\na,x,1\n", 1, "columns topic, paper, level",
                         "a column named doc"),
    "no topics": ("run", "paper,doc,score\na,x,1\n", 1, "columns paper, doc, score",
                  "a column named topic"),
    "no header": ("run", "a,x,b\na,y,c\n", 1, "columns a, x, b", "a column named topic"),
    "a quote that is never closed": ("run", 'topic,doc,score\na,x,1\na,"y,2\n', 3, "", ""),
    "not UTF-8": ("qrels", b"topic,doc,level\na,x,1\na,\xff,2\n", 3, "bytes that are not UTF-8",
                  "UTF-8 text"),
    "not UTF-8 in a run": ("run", b"topic,doc,score\na,x,1\na,\xff,2\n", 3,
                           "bytes that are not UTF-8", "UTF-8 text"),
}  # fmt: skip

JSONL_MISTAKES: dict[str, Mistake] = {
    "broken": ("run", '{"topic":"a","doc":"x","score":1}\n{"topic":"a","doc"\n', 2,
               "'{\"topic\":\"a\",\"doc\"'", "a JSON object"),
    "a list": ("run", '{"topic":"a","doc":"x","score":1}\n\n["a","y",2]\n', 3,
               "'[\"a\",\"y\",2]'", "a JSON object"),
    "a missing column": ("run", '{"topic":"a","doc":"x","score":1}\n{"topic":"a","score":1}\n', 2,
                         "columns topic, score", "a column named doc"),
    "a missing level": ("qrels", '{"topic":"a","doc":"x","level":1}\n{"topic":"a","doc":"y"}\n', 2,
                        "", ""),
    "a word for a level": ("qrels", '{"topic":"a","doc":"x","level":"high"}\n', 1,
                           "level 'high'", "a finite number"),
    "a truth for a score": ("run", '{"topic":"a","doc":"x","score":true}\n', 1,
                            "score True", "a finite number"),
    "no level": ("qrels", '{"topic":"a","doc":"x","level":null}\n', 1,
                 "level None", "a finite number"),
    "NaN": ("run", '{"topic":"a","doc":"x","score":NaN}\n', 1, "score nan", "a finite number"),
    "far too large": ("run", '{"topic":"a","doc":"x","score":1' + "0" * 400 + "}\n", 1,
                      "score 1000", "a finite number"),
    "an id that is a number with decimals": (
        "run", '{"topic":1.5,"doc":"x","score":1}\n', 1, "topic 1.5", "an identifier"),
    "an id that is nothing": ("run", '{"topic":"a","doc":null,"score":1}\n', 1,
                              "doc None", "an identifier"),
    "an id that is empty": ("run", '{"topic":"a","doc":"","score":1}\n', 1,
                            "doc ''", "an identifier"),
    "a document twice": ("run", '{"topic":"a","doc":"x","score":1}\n' * 2, 2,
                         "duplicate document 'x' in topic a (first on line 1)", ""),
    "judgments that conflict": (
        "qrels", '{"topic":"a","doc":"x","level":1}\n{"topic":"a","doc":"x","level":0}\n', 2,
        "conflicting levels for document 'x' in topic a: 0 here, 1 on line 1", ""),
    "a topic named all": ("qrels", '{"topic":"all","doc":"x","level":1}\n', 1,
                          "a topic named 'all'", "another name"),
    "not UTF-8": ("run", b'{"topic":"a","doc":"x","score":1}\n{"topic":"a","doc":"\xff"}\n', 2,
                  "bytes that are not UTF-8", "UTF-8 text"),
    "far too deep": ("run", '{"topic":"a","doc":"x","score":1}\n' + '{"a":' * 50_000 + "\n", 2,
                     "", "a JSON object"),
    "half a character": ("run", '{"topic":"a","doc":"\\ud800","score":1}\n', 1, "", ""),
}  # fmt: skip

JSON_MISTAKES: dict[str, Mistake] = {
    "broken": ("run", '{\n"a": {"x": 1,\n"y" 2}}\n', 3, "invalid JSON", "a JSON object"),
    "broken at the end": ("qrels", '{\n"a": {"x": 1,\n"y": 2}\n', 4, "invalid JSON",
                          "a JSON object"),
    "a topic twice": ("run", '{"a": {"x": 1},\n"a": {"y": 2}}', None, "duplicate key 'a'", ""),
    "a document twice": ("qrels", '{"a": {"x": 1,\n"x": 1}}', None, "duplicate key 'x'", ""),
    "a word for a score": ("run", '{"a": {"x": 1, "y": "best"}}', None,
                           "score 'best' for document y of topic a", "a finite number"),
    "a text for a score": ("run", '{"a": {"x": 1, "y": "2"}}', None,
                           "score '2' for document y of topic a", "a finite number"),
    "a word for a level": ("qrels", '{"a": {"x": 1, "y": "high"}}', None,
                           "level 'high' for document y of topic a", "a finite number"),
    "NaN": ("run", '{"a": {"x": NaN}}', None, "score nan for document x", "a finite number"),
    "no score": ("run", '{"a": {"x": null}}', None, "score None for document x",
                 "a finite number"),
    "far too large": ("run", '{"a": {"x": 1' + "0" * 400 + "}}", None, "score 1000",
                      "a finite number"),
    "longer than Python reads": ("run", '{"a": {"x": ' + "1" * 5000 + "}}", None, "", ""),
    "a level far too large": ("qrels", '{"a": {"x": 1' + "0" * 400 + "}}", None, "level 1000",
                              "a finite number"),
    "a number for a list": ("run", '{"a": 5}', None, "int for topic 'a'", "{doc: score}"),
    "a number for judgments": ("qrels", '{"a": 5}', None, "int for topic 'a'", "{doc: level}"),
    "too deep": ("run", '{"a": {"x": {"y": 1}}}', None, "score {'y': 1} for document x",
                 "a finite number"),
    "far too deep": ("run", '{"a":' * 50_000, None, "", ""),
    "a topic named all": ("qrels", '{"all": {"x": 1}}', None, "a topic named 'all'",
                          "another name"),
    "not UTF-8": ("run", b'{"a": {"\xff": 1}}', None, "bytes that are not UTF-8", "UTF-8 text"),
    "empty": ("qrels", "{}", None, "no judgments in file", ""),
    "an empty run": ("run", "{}", None, "", ""),
    "half a character": ("qrels", '{"\\ud800": {"x": 1}}', None, "", ""),
}  # fmt: skip


def check_error(path: str, case: Mistake) -> None:
    kind, _, line, found, expected = case
    with pytest.raises(cf.CranfieldError) as caught:
        evaluate_file(kind, path)
    expect(str(caught.value), path, line, found, expected)


class TestTableErrors:
    @pytest.mark.parametrize("name", TABLE_MISTAKES)
    def test_csv(self, write: Folder, name: str) -> None:
        check_error(write(TABLE_MISTAKES[name][1], "table.csv"), TABLE_MISTAKES[name])

    @pytest.mark.parametrize("name", [n for n in TABLE_MISTAKES if "header" not in n])
    def test_tsv(self, write: Folder, name: str) -> None:
        kind, text, line, found, expected = TABLE_MISTAKES[name]
        tabbed = as_bytes(text).replace(b",", b"\t")
        if "topics" in name or "missing column" in name:
            with pytest.raises(cf.CranfieldError) as caught:
                read(kind, write(tabbed), "tsv")
            expect(str(caught.value), caught.value.args[0].split(":")[0], line, found, expected)
            return
        # Within what is quoted, the line is shown with its own separators.
        found = found.replace("'a,", "'a\\t").replace("y,2,3", "y\\t2\\t3")
        check_error(write(tabbed), (kind, tabbed, line, found, expected))

    @pytest.mark.parametrize("name", JSONL_MISTAKES)
    def test_jsonl(self, write: Folder, name: str) -> None:
        check_error(write(JSONL_MISTAKES[name][1], "lines.jsonl"), JSONL_MISTAKES[name])

    @pytest.mark.parametrize("name", JSON_MISTAKES)
    def test_json(self, write: Folder, name: str) -> None:
        check_error(write(JSON_MISTAKES[name][1], "object.json"), JSON_MISTAKES[name])

    @KINDS
    def test_json_too_deep_raises(self, write: Folder, kind: str) -> None:
        with pytest.raises(cf.CranfieldError):
            evaluate_file(kind, write('{"topic":' * 50_000, "no-suffix"))

    @pytest.mark.parametrize("format", ["csv", "jsonl"])
    def test_equal_duplicate_judgments_are_counted(self, write: Folder, format: str) -> None:
        text = {
            "csv": "topic,doc,level\na,x,1\nb,x,0\na,x,1.0\n",
            "jsonl": '{"topic":"a","doc":"x","level":1}\n{"topic":"b","doc":"x","level":0}\n'
            '{"topic":"a","doc":"x","level":1.0}\n',
        }[format]
        qrels = cf.read_qrels(write(text))
        assert qrels.to_dict() == {"a": {"x": 1}, "b": {"x": 0}}
        assert qrels.repeated == 1

    @IN_PIECES
    def test_equal_duplicate_trec_judgments_are_counted(self, write: Folder) -> None:
        text = f"# caf\xe9\n{OK_Q}b 0 x 0\na 1 x 1.0\n".encode("latin-1")
        qrels = cf.read_qrels(write(text))  # comments may be in any encoding
        assert qrels.to_dict() == {"a": {"x": 1}, "b": {"x": 0}}
        assert qrels.repeated == 1

    def test_csv_of_a_header_only(self, write: Folder) -> None:
        for kind, noun in (("qrels", "judgments"), ("run", "results")):
            with pytest.raises(cf.CranfieldError, match=rf"file\.txt: no {noun} in file$"):
                evaluate_file(kind, write(f"topic,doc,{VALUE[kind]}\n"))

    def test_csv_lines_with_quoted_newlines(self, write: Folder) -> None:
        path = write('topic,doc,score,note\na,x,1,"two\nlines"\na,y,best,""\n')
        with pytest.raises(cf.CranfieldError) as caught:
            cf.read_run(path)
        expect(str(caught.value), path, 4, "score 'best'", "a finite number")


# -- anything at all --------------------------------------------------------------------------

BASE = {
    "qrels": "# made by hand\na 0 x 1\na 0 y 0\n\nb 0 x 2\nb 0 z -1\nc 0 w 0.5\n",
    "run": "a Q0 x 1 2.5 t\na Q0 y 2 1e0 t\n# so far\nb\tQ0\tz\t1\t3\tt\nb Q0 x 2 3 t\r\n\nc Q0 x 1 -1 t",
}
SNIPPETS = [
    *("\n", " ", "\t", "\r\n", "\r", "#", '"', ",", ":", "{", "}", "[", "-", "_", ".", "e", "0"),
    *("nan", "inf", "1e999", "a", "x", "\0", "\x1c", "\x85", "\xa0", "é", "中", "\u2028", "\ufeff"),
    *("a Q0 x 1 2.5 t\n", "a 0 x 1\n", "a 0 x 2\n", "all 0 x 1\n", "\n\n", "  ", "٣", "1.25e-7"),
]
DESCRIPTIONS = [
    "<SYSDESC>BM25, k1 = 0.9</SYSDESC>\n",
    "\n# of a run\n <sysdesc>\na Q0 x 1 2.5 t\n\n</SysDesc>\t\r\n",
    "<SYSDESC></SYSDESC>\n<SYSDESC>two\nlines</SYSDESC>\n",
]
SNIPPETS += [*DESCRIPTIONS, "<SYSDESC>", "</SYSDESC>", "</sysdesc>\n"]
EDIT = st.tuples(
    st.floats(0, 1),
    st.integers(0, 6),
    st.sampled_from([s.encode() for s in SNIPPETS]) | st.binary(max_size=3),
)
MAGIC = [
    *(b"", b"{", b'{"a":', b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"BZh91AY&SY", b"\xfd7zXZ\x00"),
    *(b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"PK\x03\x04", b"PK\x05\x06"),
    *(b"PAR1", b"ARROW1\0\0", b"topic,doc,score\n", b"\xef\xbb\xbf", b"["),
]


def apply_edits(text: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    for where, length, insert in edits:
        at = int(where * len(text))
        text = text[:at] + insert + text[at + length :]
    return text


class RejectedError(Exception):
    """The line on which the simplest possible reader finds a mistake."""


def strip_description(content: bytes) -> list[bytes]:
    """Lines, those of descriptions empty: of one line anywhere, of several before all data."""
    lines = content.split(b"\n")
    before = True
    for i, line in enumerate(lines):
        if line.strip().lower().startswith(b"<sysdesc>"):
            for end in range(i, len(lines) if before else i + 1):
                whole = b"\n".join(lines[i : end + 1]).strip().lower()
                tags = whole.count(b"<sysdesc>") + whole.count(b"</sysdesc>")
                if tags > 1:
                    if tags == 2 and whole.endswith(b"</sysdesc>"):
                        lines[i : end + 1] = [b""] * (end + 1 - i)
                    break
        before = before and b"".join(lines[i : i + 1]).strip()[:1] in (b"", b"#")
    return lines


def read_naively(kind: str, content: bytes) -> Lists:
    """TREC text read in the simplest possible way."""
    found: Lists = {}
    for number, line in enumerate(strip_description(content.removeprefix(b"\xef\xbb\xbf")), 1):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        try:
            words = [field.decode() for field in fields]
            if kind == "qrels":
                topic, _, doc, text = words
            else:
                topic, _, doc, _, text, _ = words
            value = float(text)
        except ValueError:
            raise RejectedError(number) from None
        judged = found.get(topic, {})
        again = doc in judged and (kind == "run" or judged[doc] != value)
        if again or "_" in text or not text.isascii() or not math.isfinite(value):
            raise RejectedError(number)
        if kind == "qrels" and (topic == "all" or abs(value) > 1e12):
            raise RejectedError(number)
        found.setdefault(topic, {})[doc] = value
    if not found:
        raise RejectedError(0)
    return found


GOLD = {"a": {"x": 1, "y": 0}, "b": {"x": 2, "z": -1}, "c": {"w": 0.5}}
LISTS = {"r": {"a": {"x": 1.0, "y": 1.0}, "b": {"z": 2.0, "x": 1.0}}}


def score_data(kind: str, data: Any) -> cf.Scores:
    if kind == "qrels":
        return cf.evaluate(cf.read_qrels(data, "trec" * isinstance(data, str) or None), LISTS)
    return cf.evaluate(GOLD, {"r": data}, run_format="trec", run_names="file")


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("fuzz"))


def check_agreement(kind: str, path: str, content: bytes, size: int) -> None:
    """The package and the simplest reader refuse the same line, or read the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.iter_pieces, "__defaults__", (size,))
        try:
            expected = read_naively(kind, content)
        except RejectedError as refused:
            line = refused.args[0]
            with pytest.raises(cf.CranfieldError) as caught:
                score_data(kind, path)
            place = f"{path}:{line}: " if line else f"{path}: "
            assert str(caught.value).startswith(place), caught.value
            return
        ranks = (rank for line in content.splitlines() for rank in line.split()[3:4])
        if kind == "run" and any(b"." in rank for rank in ranks):
            return  # they may be the scores, and the columns be exchanged, which is refused
        assert read(kind, path, "trec") == expected
        if expected.keys().isdisjoint(GOLD if kind == "run" else LISTS["r"]):
            with pytest.raises(cf.CranfieldError, match="expected some of"):
                score_data(kind, path)
            return
        from_file, from_memory = score_data(kind, path), score_data(kind, expected)
    assert from_file.topics == from_memory.topics
    assert np.array_equal(from_file.values, from_memory.values)


@KINDS
class TestFuzzing:
    @given(
        before=st.sampled_from(["", *DESCRIPTIONS]),
        edits=st.lists(EDIT, max_size=4),
        size=st.sampled_from([5, 40, 1 << 20]),
    )
    @settings(max_examples=examples(250))
    def test_a_file_with_a_few_edits(
        self,
        scratch: Folder,
        kind: str,
        before: str,
        edits: list[tuple[float, int, bytes]],
        size: int,
    ) -> None:
        content = apply_edits((before + BASE[kind]).encode(), edits)
        check_agreement(kind, scratch(content), content, size)

    @given(
        lines=st.lists(
            st.lists(st.sampled_from(["a", "b", "0", "1", "2.5", "x", "", "#", "nan", "é"]), max_size=7),
            max_size=5,
        ),
        blank=st.sampled_from([" ", "\t", "  "]),
        end=st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
        size=st.sampled_from([5, 1 << 20]),
    )
    @settings(max_examples=examples(80))
    def test_lines_of_any_fields(
        self, scratch: Folder, kind: str, lines: list[list[str]], blank: str, end: str, size: int
    ) -> None:
        content = end.join(blank.join(fields) for fields in lines).encode()
        check_agreement(kind, scratch(content), content, size)

    @given(
        lines=st.lists(
            st.lists(st.sampled_from(["a", "b", "1", "2.5", "x"]), min_size=4, max_size=6),
            max_size=5,
        ),
    )
    @settings(max_examples=examples(80))
    def test_lines_with_compensating_field_counts(self, scratch: Folder, kind: str, lines: list[list[str]]) -> None:
        """As many fields as there should be, but not on every line."""
        content = "".join(" ".join(fields) + "\n" for fields in lines).encode()
        check_agreement(kind, scratch(content), content, 1 << 20)

    @given(content=st.binary(max_size=60), magic=st.sampled_from(MAGIC))
    @settings(max_examples=examples(80))
    def test_any_bytes(self, scratch: Folder, kind: str, content: bytes, magic: bytes) -> None:
        """Anything but a CranfieldError is a crash."""
        path = scratch(magic + content, "bytes")
        with contextlib.suppress(cf.CranfieldError):
            assert evaluate_file(kind, path).topics

    @given(
        format=st.sampled_from(["csv", "tsv", "json", "jsonl", "trec"]),  # Polars reads the others
        forced=st.booleans(),
        edits=st.lists(EDIT, min_size=1, max_size=3),
    )
    @settings(max_examples=examples(200))
    def test_any_format_with_a_few_edits(
        self,
        scratch: Folder,
        kind: str,
        format: str,
        forced: bool,
        edits: list[tuple[float, int, bytes]],
    ) -> None:
        path = scratch(apply_edits(as_bytes(TEXT[format](kind)), edits), "edited")
        message = path
        try:
            evaluate_file(kind, path, format if forced else None)
        except cf.CranfieldError as refusal:  # anything else is a crash
            message = str(refusal)
        assert path in message


def simplest_table(kind: str, text: str) -> Lists:
    """A CSV file read in the simplest possible way: cells without the blanks around them."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    found: Lists = {}
    header: list[str] = []
    try:
        for row in lines:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not header:
                header = cells
                continue
            if len(cells) != len(header):
                raise RejectedError(lines.line_num)
            of = dict(zip(header, cells, strict=True))
            topic, doc, value = of["topic"], of["doc"], float(of[VALUE[kind]])
            again = doc in found.get(topic, {})
            if again and (kind == "run" or found[topic][doc] != value):
                raise RejectedError(lines.line_num)
            if not topic or not doc or "_" in of[VALUE[kind]] or not math.isfinite(value):
                raise RejectedError(lines.line_num)
            found.setdefault(topic, {})[doc] = value
    except (csv.Error, ValueError):
        raise RejectedError(lines.line_num) from None
    if not found:
        raise RejectedError(0)
    return found


CELLS = st.sampled_from(
    [
        *("a", "b", "x", "y", " x", "x ", "\tx", '"x"', '"a,b"', '"say ""so"""', "1", "2.5", " 1"),
        *("", " ", "nan", "NA", "null", "010", "1e3", '"two\nlines"', "é", "x y", "#x", "1_0"),
    ]
)
NUMBERS = st.sampled_from(["1", "2.5", "0", "-1", " 1", "1 ", "1e3", "+2", ".5", '"3"', "007"])


@KINDS
class TestAnyTable:
    @given(
        rows=st.lists(st.tuples(CELLS, CELLS, CELLS, NUMBERS | CELLS), max_size=5),
        extra=st.integers(0, 4),
        order=st.permutations(["topic", "doc", "tag", "value"]),
        end=st.sampled_from(["\n", "\r\n", "\n\n"]),
        before=st.sampled_from(["", "", *DESCRIPTIONS]),
    )
    @settings(max_examples=examples(300))
    def test_is_read_as_simply_as_possible(
        self,
        scratch: Folder,
        kind: str,
        rows: list[tuple[str, str, str, str]],
        extra: int,
        order: list[str],
        end: str,
        before: str,
    ) -> None:
        table = [dict(zip(("topic", "doc", "tag", "value"), row, strict=True)) for row in rows]
        lines = [",".join(VALUE[kind] if name == "value" else name for name in order)]
        lines += [",".join(row[name] for name in order) for row in table]
        if extra < len(lines):
            lines[extra] += ",more" if extra else ""
        text = end.join(lines) + end
        path = scratch(before + text, "any.csv")
        try:
            expected = simplest_table(kind, text)
        except RejectedError as refused:
            line = refused.args[0] and refused.args[0] + before.count("\n")
            with pytest.raises(cf.CranfieldError) as caught:
                evaluate_file(kind, path)
            place = f"{path}:{line}: " if line else f"{path}: "
            assert str(caught.value).startswith(place), caught.value
        else:
            assert read(kind, path) == expected


# -- both readers of a format -----------------------------------------------------------------


Read = tuple[list[Any], str]  # rows, and which columns were in doubt


def as_columns(format: Format, source: Source, kind: Kind, text: ReadOptions) -> Read | None:
    """What the fast reader yields, None if it gives up."""
    try:
        table = format.read_table(source, kind, text)
    except Irregular:
        return None
    grouped = table.group_by_topic()
    if grouped.find_duplicate() or not len(table) or (kind == "qrels" and "all" in table.names):
        return None
    topics = np.repeat(np.array(table.names, dtype=object), table.sizes).tolist()
    values = table.values.tolist() if table.scored else [None] * len(table)
    seconds = [None] * len(table) if table.types is None else table.types.tolist()
    rows = list(zip(topics, table.docs.tolist(), values, seconds, strict=True))
    return [*rows, table.tag], table.doubts


def by_record(format: Format, source: Source, kind: Kind, text: ReadOptions) -> Read | None:
    """What the record reader yields, None if anything is wrong or judged again."""
    found = list(format.check_records(source, kind, text))
    problems = [item for item in found if isinstance(item, Problem)]
    if any(problem.kind != COLUMNS for problem in problems):
        return None
    records = [item for item in found if isinstance(item, Record)]
    rows = [(r.topic, r.doc, r.value, r.type if text.uses_second_column else None) for r in records]
    doubts = dict.fromkeys(problem.text for problem in problems)
    return [*rows, records[0].tag if kind == "run" else None], "; ".join(doubts)


LINES = {
    ("trec", "qrels"): BASE["qrels"],
    ("trec", "run"): BASE["run"],
    ("ntcir", "qrels"): "# made by hand\na x L1\na y L0\n\nb  x\tL2\r\nb z L10\n",
    ("triples", "qrels"): "# made by hand\na x 1\na y 0\n\nb  x\t2\r\nb z -1.5\n",
    ("sampled", "qrels"): "# made by hand\na 0 x 1 1\na 0 y 1 -1\n\nb 0  x\t2 2\r\nb 0 z 1 0\n",
    ("triples", "run"): "a x 2.5\na y 1e0\n\nb  x\t3\r\nb z -1.5\n",
    ("msmarco", "run"): "a x 1\na y 2\n\nb  x\t1\r\nb z 2\n",
    ("colbert", "run"): "a x 1 2.5\na y 2 1e0\n\nb  x\t1 3\r\nb z 2 -1.5\n",
    ("letor", "qrels"): "2 qid:a 1:0.5 2:1 # docid = x\n0 qid:a 1:1\n1 qid:b 1:3 #docid = z\n",
    ("csv", "qrels"): "qid,query,docno,docid,label\na,x y,x,1,1\na,x y,y,2,0\nb,q,x,1,2\n",
    ("csv", "run"): "qid,docno,rank,score,tag\na,x,1,2.5,t\na,y,2,1e0,t\nb,z,1,3,t\n",
    ("tsv", "qrels"): "query-id\tcorpus-id\tscore\na\tx\t1\na\ty\t0\nb\tx\t2\n",
    ("tsv", "run"): "query\tq_id\tdocid\tscore\tsim\trun\nx y\ta\tx\t2.5\t1\tt\nq\tb\tz\t3\t\tt\n",
}


@pytest.mark.parametrize(("name", "kind"), LINES)
@given(
    before=st.sampled_from(["", *DESCRIPTIONS]),
    edits=st.lists(EDIT, max_size=2),
    typed=st.booleans(),
    size=st.sampled_from([5, 40, 1 << 20]),
)
@settings(max_examples=examples(120))
def test_both_readers_of_text_agree(
    scratch: Folder, name: str, kind: Kind, before: str, edits: Any, typed: bool, size: int
) -> None:
    """What the fast reader takes, the record reader takes, and they yield the same."""
    content = apply_edits((before + LINES[name, kind]).encode(), edits)
    source, format = Source.from_path(scratch(content, f"both.{name}")), FORMAT[name]
    text = ReadOptions(types=typed and kind == "run" and name == "trec")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.iter_pieces, "__defaults__", (size,))
        fast, slow = (read(format, source, kind, text) for read in (as_columns, by_record))
    assert fast is None or fast == slow
    if not edits:
        assert fast is not None


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name, kind in LINES if FORMAT[name].fields and name != "ntcir"],
)
@given(
    separator=st.sampled_from([",", ";", "\t", "||"]),
    edits=st.lists(EDIT, max_size=2),
    size=st.sampled_from([5, 40, 1 << 20]),
)
@settings(max_examples=examples(60))
def test_both_readers_agree_on_separators(
    scratch: Folder, name: str, kind: Kind, separator: str, edits: Any, size: int
) -> None:
    clean = "".join(f"{line}\n" for line in LINES[name, kind].splitlines() if line[:1] not in " #")
    content = apply_edits(re.sub(r"[ \t]+", separator, clean).encode(), edits)
    source, format = Source.from_path(scratch(content, "both.txt")), FORMAT[name]
    text = ReadOptions(separator)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.iter_pieces, "__defaults__", (size,))
        fast, slow = (read(format, source, kind, text) for read in (as_columns, by_record))
    assert fast is None or fast == slow


def test_a_carriage_return_alone_ends_a_line(scratch: Folder) -> None:
    """Unless it is quoted; whoever reads the file."""
    quoted = scratch(b'qid,docno,label\na,"x\ry",1\n', "quoted.csv")
    assert cf.read_qrels(quoted).to_dict() == {"a": {"x\ry": 1}}
    source = Source.from_path(scratch(b"qid,docno,label\na,x\r y,1\n", "cr.csv"))
    assert as_columns(FORMAT["csv"], source, "qrels", ReadOptions()) is None
    with pytest.raises(cf.CranfieldError, match=r"cr\.csv:2: found 2 fields \('a,x'\)"):
        cf.read_qrels(source)


CELL = st.sampled_from([None, "", "a", "b", " x", "é", "1"])
COLUMN = {
    "id": st.lists(CELL, min_size=3, max_size=3)
    | st.just(["a", "b", "c"])
    | st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3)
    | st.just([True, False, True]),
    "number": st.lists(st.sampled_from([1.0, 0.5, -1.0, math.nan, math.inf, None]), min_size=3, max_size=3)
    | st.sampled_from([[1, 2, 3], [True, False, True], ["1", "2", "3"], ["1", "x", None]]),
}
NAMED = st.fixed_dictionaries(
    {"docno": COLUMN["id"], "qid": COLUMN["id"], "score": COLUMN["number"]},
    optional={"query": COLUMN["id"], "docid": COLUMN["id"], "label": COLUMN["number"],
              "rank": COLUMN["number"], "run": st.just(["t", "t", "t"])},
)  # fmt: skip


@KINDS
@pytest.mark.parametrize(("name", "writer"), [("parquet", "write_parquet"), ("arrow", "write_ipc")])
@given(columns=NAMED)
@settings(max_examples=examples(120))
def test_both_readers_of_tables_agree(
    scratch: Folder, kind: Kind, name: str, writer: str, columns: dict[str, list[Any]]
) -> None:
    out = io.BytesIO()
    getattr(pl.DataFrame(columns), writer)(out)
    source = Source.from_path(scratch(out.getvalue(), f"both.{name}"))
    fast, slow = (read(FORMAT[name], source, kind, ReadOptions()) for read in (as_columns, by_record))
    assert fast is None or fast == slow


# What has no columns to be read as, or only with other files beside it.
OTHERS = {
    ("early", "qrels"): "a A x 1\na B y 1\nb S x 1\n",
    (
        "jsonl",
        "qrels",
    ): '{"qid": "a", "docno": "x", "label": 1}\n{"qid": 2, "docno": 3, "label": 0}\n',
    (
        "jsonl",
        "run",
    ): '{"topic": "a", "doc": "x", "score": 2.5}\n{"topic": "b", "doc": "y", "score": 1}\n',
    ("json", "qrels"): '{"a": {"x": 1, "y": 0},\n "b": {"x": 2}, "c": {}}\n',
    ("json", "run"): '{"a": {"x": 2.5, "y": 1},\n "b": {"x": -3e2}}\n',
    ("ir4qa", "run"): '<R><TOPIC ID="a">\n<D DOCID="x"/>\n<D DOCID="y"/></TOPIC>\n<TOPIC ID="b">'
    '<D DOCID="x"/></TOPIC></R>\n',
    ("directories", "qrels"): "x L1\ny L0\n\n# L2 3\n",
    ("directories", "run"): "x\n\n#\ny\n",
    ("letor", "run"): "# made by hand\n2.5\n1e0\n\n-3\r\n.5\n",
}
BINARY = {(name, kind) for name in ("parquet", "arrow", "xlsx") for kind in ("qrels", "run")}
EVERY = {(format.name, kind) for format in TABLE for kind in format.kinds}


def test_every_format_has_a_sample() -> None:
    assert {*LINES, *OTHERS, *BINARY} == EVERY


def write_table(scratch: Folder, name: str, kind: str, content: bytes) -> str:
    """The path of a file, or of topic directories with such a file for one of two topics."""
    if name != "directories":
        return scratch(content, f"read.{name}")
    file = {"qrels": "rel", "run": "t.res"}[kind]
    for topic, text in (("a", content), ("b", as_bytes(OTHERS[name, kind]))):
        (scratch.path / kind / topic).mkdir(parents=True, exist_ok=True)
        scratch(text, f"{kind}/{topic}/{topic}.{file}")
    return str(scratch.path / kind / f"*.{file}")


def read_lists(path: str, kind: Kind, format: Format, good: int) -> Lists:
    """What users get, without topics that have no documents."""
    if format is LETOR and kind == "run":
        numbers = read_predictions(Source.from_path(path), good, "qrels", path)
        return {"": {str(place): x for place, x in enumerate(numbers.tolist())}}
    found = read(kind, path, format.name if format.name in FORMATS else None)
    return {topic: docs for topic, docs in found.items() if docs}


def users_get_what_records_say(path: str, name: str, kind: Kind) -> None:
    """The same is refused, with the first of its errors, and else the same is read."""
    source = Source.from_path(path)
    decision = detect_format(source, name if name in FORMATS else None, kind=kind)
    format = decision.format
    items = list(format.check_records(source, kind, decision.options))
    wrong = [item.cause for item in items if isinstance(item, Problem) and item.cause]
    records = [item for item in items if isinstance(item, Record)]
    assert wrong or records
    predicted = format is LETOR and kind == "run"
    if predicted and not records:
        return  # as many as there are judgments, and these are some
    if wrong:
        with pytest.raises(cf.CranfieldError) as caught:
            read_lists(path, kind, format, len(records))
        assert str(caught.value) == str(wrong[0])
        return
    found = read_lists(path, kind, format, len(records))
    expected: dict[str, dict[str, float | None]] = {}
    for place, record in enumerate(records):
        docs = expected.setdefault(record.topic, {})
        docs[str(place) if predicted else record.doc] = record.value
    if any(record.value is None for record in records):  # an order, and no scores
        assert {t: [*docs] for t, docs in found.items()} == {t: [*d] for t, d in expected.items()}
    else:
        assert found == expected


@pytest.mark.parametrize(("name", "kind"), [*LINES, *OTHERS])
@given(before=st.sampled_from(["", *DESCRIPTIONS]), edits=st.lists(EDIT, max_size=2))
@settings(max_examples=examples(40))
def test_the_record_reader_says_what_users_get(scratch: Folder, name: str, kind: Kind, before: str, edits: Any) -> None:
    content = apply_edits((before + {**LINES, **OTHERS}[name, kind]).encode(), edits)
    users_get_what_records_say(write_table(scratch, name, kind, content), name, kind)


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("tsv", "run", 'qid\tdocno\tscore\trun"\na\tx\t1\tt\n'),
        ("tsv", "run", 'qid\tdocno\tscore\tru"a\tx\t1\tt\nb\ty\t2\tt\n'),
        ("csv", "qrels", 'qid,docno,label"\na,x,1\n'),
        ("csv", "qrels", 'qid,"docno",label\na,"x ""y"", z",1\nb,"two\nlines",2\n'),
        ("csv", "qrels", "qid,docno,label\na,x,1,"),
        ("csv", "qrels", "qid,docno,label\na,\x1cx,1\n"),
        ("csv", "run", "qid,docno,score\n"),
        ("jsonl", "run", '{"qid": "a", "docno": "x", "score": 1}\n{"qid": "a", "docno": "y"}\n'),
        ("json", "run", '{"a": {"x": 1}, "b": ["x"]}'),
        ("letor", "qrels", "1 qid:a 1:1\n<SYSDESC>x</SYSDESC>\n2 qid:a 1:1\n"),
        ("letor", "qrels", "1 qid:a 1:1\n# \udce9\n2 qid:a 1:1\n"),
        ("letor", "run", "1\n2 \u2028\n"),
    ],
)
def test_what_only_one_reader_took(scratch: Folder, name: str, kind: Kind, text: str) -> None:
    content = text.encode(errors="surrogateescape")
    users_get_what_records_say(scratch(content, f"one.{name}"), name, kind)


class TestNumbers:
    """Numbers are read with arrays, exactly as Python reads them one by one."""

    @staticmethod
    def read(scratch: Folder, texts: list[str]) -> list[float]:
        path = scratch("".join(f"a Q0 d{i} 1 {x} t\n" for i, x in enumerate(texts)), "numbers")
        return list(cf.read_run(path).to_dict()["a"].values())

    @given(texts=st.lists(st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{1,20}", fullmatch=True), min_size=1))
    @settings(max_examples=examples(80))
    def test_decimals(self, scratch: Folder, texts: list[str]) -> None:
        assert self.read(scratch, texts) == [float(text) for text in texts]

    @given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
    @settings(max_examples=examples(100))
    def test_anything_python_writes(self, scratch: Folder, values: list[float]) -> None:
        texts = [form.format(x) for x in values for form in ("{!r}", "{:.6f}", "{:g}", "{:.17g}")]
        assert self.read(scratch, texts) == [float(text) for text in texts]

    def test_between_two_doubles(self, scratch: Folder) -> None:
        """Rounding is most delicate near the middle of neighbours, and around powers of two."""
        rng = np.random.default_rng(0)
        near = [2.0**k for k in range(-3, 63)] + (10.0 ** rng.uniform(-2, 18.9, 2000)).tolist()
        texts = []
        for value in near:
            for neighbour in (math.nextafter(value, 0), math.nextafter(value, math.inf)):
                middle = (Fraction(value) + Fraction(neighbour)) / 2
                digits = len(str(int(middle))) if middle >= 1 else 0
                for places in range(max(0, 17 - digits), 20 - digits):
                    scaled = middle * 10**places
                    for whole in (math.floor(scaled), math.ceil(scaled)):
                        text = str(whole).rjust(places + 1, "0")
                        cut = len(text) - places
                        texts.append((text[:cut].lstrip("0") + "." + text[cut:]).rstrip("."))
        got = self.read(scratch, texts)
        wrong = [t for t, x in zip(texts, got, strict=True) if x != float(t)]
        assert not wrong, wrong[:5]

    def test_minus_zero(self, scratch: Folder) -> None:
        assert [math.copysign(1, x) for x in self.read(scratch, ["-0", "0", "-0.0", "-.0"])] == [
            -1,
            1,
            -1,
            -1,
        ]


def test_files_in_the_place_of_each_other(tmp_path: Path) -> None:
    """Of any length: a run has three fields for every two of judgments."""
    for lines in (2, 64, 65, 66, 100, 1000):
        run, qrels = tmp_path / "run", tmp_path / "qrels"
        run.write_text("".join(f"1 Q0 d{i} {i} {-i} t\n" for i in range(lines)))
        qrels.write_text("".join(f"1 0 d{i} 1\n" for i in range(lines)))
        with pytest.raises(cf.InputError, match=r"run:1: found 6 fields .* expected 4"):
            cf.evaluate(run, qrels)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1 a L1\n1 b L\n", 2),
        ("1 a L1\n1 b l2\n", 2),
        ("1 a L1\n1 b L-1\n", 2),
        ("1 a L1\n1 b L1.5\n", 2),
        ("1 a L1\n1 b 2L\n", 2),
        ("1 a L1\n\n# note\n1 b L1 c d\n1 c L0\n", 4),
        ("1 a L1\n1 a L2\n", 2),
    ],
)
def test_ntcir_labels_are_l_and_a_number(text: str, line: int, tmp_path: Path) -> None:
    """What the fast reader leaves to the slow one, which finds the line."""
    path = tmp_path / "q"
    path.write_text(text)
    with pytest.raises(cf.InputError, match=f"{re.escape(str(path))}:{line}: "):
        cf.read_qrels(path)


def test_ntcir_judgments_by_both_readers(tmp_path: Path) -> None:
    rows = [("0001", "d1", 2), ("0001", "d2", 0), ("2", "d1", 10)]
    path = tmp_path / "q"
    path.write_text("".join(f"{t} {d} L{x}\n" for t, d, x in rows))
    fast = cf.read_qrels(path).to_dict()
    path.write_text("".join(f"{t} {d} L{x} class\n" for t, d, x in rows))
    assert fast == cf.read_qrels(path).to_dict() == {"0001": {"d1": 2, "d2": 0}, "2": {"d1": 10}}


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("q1 Q0 d1 2 1.0 bm25", "run:2: duplicate document 'd1' in topic q1"),
        ("q1 Q0 d2 2 one bm25", "run:2: found score 'one', expected a finite number"),
    ],
)
def test_a_run_as_a_dict_is_checked(last: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(f"q1 Q0 d1 1 2.0 bm25\n{last}\n")
    with pytest.raises(cf.CranfieldError) as caught:
        cf.read_run(path).to_dict()
    assert str(caught.value).startswith(f"{tmp_path}/{said}")


LONG = {f"d{i}": 1.0 for i in range(SHORT_LIST)}


@pytest.mark.parametrize(
    ("qrels", "run", "said"),
    [
        ({"b": 1}, {"a": 3.0, "b": True, "c": 1.0}, "score True for document b of topic q"),
        ({"b": 1}, {"a": 3.0, "b": None, "c": 1.0}, "score None for document b of topic q"),
        ({"b": 1}, {"a": 3.0, "x": None, "c": 1.0}, "score None for document x of topic q"),
        (
            {"b": 1},
            {"a": 3.0, 7: 3.0, "b": 3.0} | LONG,
            "document 7 of topic q",
        ),  # names decide ties
        ({"a": 1, "b": None, "c": 1}, {"a": 1.0}, "level None for document b of topic q"),
        ({"a": 1, "b": True, "c": 1}, {"a": 1.0}, "level True for document b of topic q"),
        ({"a": 1, 2.5: 1, "c": 1}, {"a": 1.0}, "2.5 as an identifier"),
    ],
)
def test_what_does_not_belong_into_a_dict(qrels: Any, run: Any, said: str) -> None:
    with pytest.raises(cf.InputError, match=f"found {said}"):
        cf.evaluate({"q": qrels}, {"q": run}, "RR")


def test_numbers_among_the_ids_of_judgments() -> None:
    assert cf.read_qrels({"q": {"a": 0, 7: 1, "b": 0}}).to_dict() == {"q": {"a": 0, "7": 1, "b": 0}}


def test_the_line_of_a_mistake_after_a_description(write: Folder) -> None:
    text = "\n<SYSDESC>BM25,\nk1 = 0.9</SYSDESC>\n1 Q0 d1 1 2 A\n1 Q0 d2 2 x A\n"
    path = write(text)
    with pytest.raises(cf.InputError, match=r":5: found score 'x'"):
        cf.evaluate({"1": {"d1": 1}}, path)


@pytest.mark.parametrize("text", ["<SYSDESC>BM25\n1 Q0 d1 1 2 A\n", "<SYSDESC>x</SYSDESC> y\n"])
def test_other_descriptions_are_refused(write: Folder, text: str) -> None:
    path = write(text + "1 Q0 d2 2 1 A\n")
    with pytest.raises(cf.InputError, match=r":1: found . fields? \('<SYSDESC>"):
        cf.evaluate({"1": {"d1": 1}}, path, run_format="trec")


WHOLE_LEVELS = ["1000000000001", "9" * 400]


@pytest.mark.parametrize(
    ("name", "text", "level"),
    [
        *(("qrels", "a x L1\na y L{}\n", level) for level in WHOLE_LEVELS),  # L1e308 is no label
        *(
            (*file, level)
            for file in [
                ("qrels", "a 0 x 1\na 0 y {}\n"),
                ("qrels", "1 qid:a 1:1\n{} qid:a 1:1\n"),
                ("q.csv", "topic,doc,level\na,x,1\na,y,{}\n"),
                ("q.json", '{{"a": {{"x": 1, "y": {}}}}}'),
                (
                    "q.jsonl",
                    '{{"topic":"a","doc":"x","level":1}}\n{{"topic":"a","doc":"y","level":{}}}\n',
                ),
            ]
            for level in [*WHOLE_LEVELS, "1e308", "-1e308"]
        ),
    ],
)
def test_levels_that_measures_cannot_add(write: Folder, name: str, text: str, level: str) -> None:
    """They gave NaN; now the line is named, by `validate`, too."""
    path = write(text.format(level), name)
    with pytest.raises(cf.CranfieldError, match=r"found level .*, expected ") as caught:
        cf.evaluate(path, {"a": ["x"]}, "nDCG", qrels_format="letor" if "qid:" in text else None)
    causes = [p.cause for p in validate([path], "qrels")[0].problems]
    assert str(causes[0]) == str(caught.value)
    if name != "q.json":
        assert f":{3 if name == 'q.csv' else 2}: " in str(caught.value)


def test_levels_and_gains_in_memory_that_measures_cannot_add() -> None:
    said = "expected a number from -1e\\+12 to 1e\\+12"
    frame = pl.DataFrame({"topic": ["a", "a"], "doc": ["x", "y"], "level": [1.0, 1e308]})
    for data in ({"a": {"x": 1, "y": 1e308}}, [("a", "x", 1), ("a", "y", 1e308)], frame):
        with pytest.raises(cf.CranfieldError, match=said):
            cf.read_qrels(data)
    with pytest.raises(cf.CranfieldError, match="level 1e\\+308"):
        cf.read_qrels({"a": {"i": {"x": 1, "y": 1e308}}}, by_intent=True)
    with pytest.raises(cf.CranfieldError, match=said):
        cf.read_qrels({"a": {"x": "A"}}, labels="A=1e308")
    with pytest.raises(cf.CranfieldError, match="gains must be ≤ 1e\\+12"):
        cf.parse_measure("nDCG(gain=1:1e308)")
    with pytest.raises(cf.CranfieldError, match="levels must be ≤ 1e\\+12 in size, found 1e\\+308"):
        cf.parse_measure("nDCG")([1, 1e308])
