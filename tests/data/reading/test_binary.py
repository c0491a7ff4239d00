"""Parquet and Arrow: damaged files, and processes that were forked."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import cranfield as cf
from cranfield.data.reading import binary
from cranfield.data.reading.binary import Parquet, _has_valid_counts, read_binary

TABLE = pl.DataFrame({"topic": ["1", "2"] * 10, "doc": [*"abcdefghijklmnopqrst"], "score": [0.5] * 20})
NESTED = pl.DataFrame({"a": [[1, 2], [], None], "b": [True, None, False], "c": ["x", None, "y"]})


def content(format: str, table: pl.DataFrame = TABLE, **options: Any) -> bytes:
    file = io.BytesIO()
    (table.write_parquet if format == "parquet" else table.write_ipc)(file, **options)
    return file.getvalue()


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "snappy"])
@pytest.mark.parametrize("rows", [None, 7])
@pytest.mark.parametrize("table", [TABLE, NESTED, TABLE.clear()])
def test_whole_files_are_read(table: pl.DataFrame, compression: Any, rows: int | None) -> None:
    data = content("parquet", table, compression=compression, row_group_size=rows)
    assert read_binary("parquet", data, "x").equals(table)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_files_of_others_are_read(version: str, dictionary: bool) -> None:
    """PyArrow's, in several pages, which have other headers."""
    file = io.BytesIO()
    settings = {"data_page_version": version, "use_dictionary": dictionary, "data_page_size": 10}
    pq.write_table(TABLE.to_arrow(), file, **settings)
    assert _has_valid_counts(file.getvalue(), Parquet(file.getvalue()).groups)
    assert read_binary("parquet", file.getvalue(), "x").equals(TABLE)


def test_pages_with_fewer_than_no_values() -> None:
    """20 values are written as 40, −20 as 39 (zigzag): for so many Polars wants more memory than
    there is, and ends the process.
    """
    data = content("parquet", compression="uncompressed", statistics=False)
    begin, refused = data.find(b"\x15\x28"), 0
    while begin >= 0:  # the number of values is one of the fields that are 20
        damaged = data[: begin + 1] + b"\x27" + data[begin + 2 :]
        if not _has_valid_counts(damaged, Parquet(damaged).groups):
            refused += 1
            with pytest.raises(cf.InputError, match="x: corrupt Parquet file"):
                read_binary("parquet", damaged, "x")
            bad = [n for n in TABLE.columns if not _has_valid_counts(damaged, Parquet(damaged).groups, [n])]
            assert len(bad) == 1  # and of the others nothing is wrong
            others = [name for name in TABLE.columns if name not in bad]
            assert read_binary("parquet", damaged, "x", columns=others).equals(TABLE[others])
        begin = data.find(b"\x15\x28", begin + 1)
    assert refused >= 3  # columns


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_file_that_is_cut_or_no_such_file(format: str) -> None:
    data = content(format)
    for damaged in (data[:-1], data[: len(data) // 2], data[:4], b"", b"PAR1" * 3, b"\xff" * 999):
        with pytest.raises(cf.InputError, match=f"corrupt {format.capitalize()} file"):
            read_binary(format, damaged, "x")


def stream(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def arrow_file(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


QRELS = {"1": {"a": 1}, "2": {"b": 1}}


def columns(**others: Any) -> Any:
    usual = {
        "qid": pa.array(["1", "1", "2"]),
        "docno": pa.array([*"abc"]),
        "score": [2.0, 1.0, 3.0],
    }
    return pa.table(usual | others)


@pytest.mark.parametrize("name", ["x.arrow", "x.arrows", "x.run"])
def test_evaluate_arrow_stream_scores_as_a_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(stream(columns()))
    assert cf.evaluate(QRELS, {"x": tmp_path / name}, "P@1").summary()["x"]["P@1"] == 0.5


def test_read_binary_stream_without_its_end_raises() -> None:
    data = stream(columns())
    assert len(read_binary("arrow", data, "x")) == 3
    for cut in (8, 20, 200):
        with pytest.raises(cf.InputError, match="x: corrupt Arrow file"):
            read_binary("arrow", data[:-cut], "x")


DECIMALS = [Decimal("2.0"), Decimal("1.0"), Decimal("3.0")]
UNSUPPORTED = {
    "decimal256": {"score": pa.array(DECIMALS, pa.decimal256(50, 2))},
    "run-end-encoded": {"qid": pc.run_end_encode(pa.array(["1", "1", "2"]))},
    "run-end-encoded, unused": {"more": pc.run_end_encode(pa.array([1, 1, 2]))},
}


@pytest.mark.parametrize("name", UNSUPPORTED)
@pytest.mark.parametrize("write", [stream, arrow_file])
def test_evaluate_type_that_polars_lacks_is_not_called_broken(tmp_path: Path, name: str, write: Any) -> None:
    path = tmp_path / "x.arrow"
    path.write_bytes(write(columns(**UNSUPPORTED[name])))
    with pytest.raises(cf.InputError, match=r"a column has a type that Polars does not read\. Cast"):
        cf.evaluate(QRELS, path, "P@1")


@pytest.mark.parametrize(
    "others",
    [
        {"score": pa.array(DECIMALS, pa.decimal128(10, 2))},
        {"docno": pa.array([*"abc"]).dictionary_encode()},
        {"docno": pa.array([*"abc"], pa.large_string())},
        {"docno": pa.array([*"abc"], pa.string_view())},
        {"docno": pa.array([b"a", b"b", b"c"], pa.binary())},
        {"docno": pa.array([b"a", b"b", b"c"], pa.binary(1))},
    ],
    ids=lambda others: str(next(iter(others.values())).type),
)
def test_evaluate_other_types_of_text_score_the_same(tmp_path: Path, others: Any) -> None:
    pq.write_table(columns(**others), tmp_path / "x.parquet")
    (tmp_path / "x.arrow").write_bytes(arrow_file(columns(**others)))
    for path in tmp_path.iterdir():
        assert cf.evaluate(QRELS, {"x": path}, "P@1").summary()["x"]["P@1"] == 0.5


@pytest.mark.parametrize(
    "column",
    [
        pa.array([b"\xff", b"b", b"c"]),
        pa.array([["a"], ["b"], ["c"]]),
        pa.array([True, False, None]),
    ],
)
def test_evaluate_column_without_identifiers_raises(tmp_path: Path, column: Any) -> None:
    pq.write_table(columns(docno=column), tmp_path / "x.parquet")
    with pytest.raises(cf.InputError, match="expected an identifier"):
        cf.evaluate(QRELS, tmp_path / "x.parquet", "P@1")


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"FEA1\0\0\0\0", r"x: Feather version 1 file\. Convert it in Python: "),
        (b"PARE\x15\x04", r"x: encrypted Parquet file\. Decrypt the file\."),
        (b"ORC\x08", "x: ORC file"),
        (b"Obj\x01", "x: Avro file"),
        (b"\x93NUMPY\x01\0", "x: NumPy file"),
        (b"SQLite format 3\0", "x: SQLite database"),
    ],
)
@pytest.mark.parametrize("suffix", ["run", "feather", "parquet", "csv"])
def test_read_run_file_of_another_tool_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, suffix: str, start: bytes, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(f"x.{suffix}").write_bytes(start + bytes(99))
    for format in (None, "arrow"):
        with pytest.raises(cf.InputError, match=said.replace("x:", f"x.{suffix}:")):
            cf.read_run(f"x.{suffix}", format)


def test_read_run_topic_named_as_a_format_is_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("ORC Q0 d1 1 0.5 t\nFEA1 Q0 d1 1 0.5 t\n")
    run = cf.read_run(tmp_path / "x")
    assert cf.evaluate({"ORC": {"d1": 1}}, run, "P@1").summary() == {"t": {"P@1": 1.0}}


def test_panics_are_one_error_and_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    """Of Arrow files with a bit changed at random, Polars panics at some in a hundred."""
    data, rng, refused = content("arrow"), np.random.default_rng(7), 0
    for byte, bit in zip(rng.integers(len(data), size=300), rng.integers(8, size=300), strict=True):
        damaged = bytearray(data)
        damaged[byte] ^= 1 << int(bit)
        try:
            read_binary("arrow", bytes(damaged), "x")
        except cf.InputError:
            refused += 1
    assert refused
    assert capfd.readouterr().err == ""


def test_read_binary_damaged_file_keeps_messages_of_other_threads(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_: Any) -> None:
        os.write(2, b"before\n\nthread 'polars-1' (7) panicked at a.rs:1:2:\nindex\n")
        os.write(2, b"stack backtrace:\n   0: begin_unwind\n             at a.rs:1\n")
        os.write(2, b"note: Some details are omitted, run with `RUST_BACKTRACE=full`.\nafter\n")
        raise pl.exceptions.PanicException("index")

    monkeypatch.setattr(pl, "read_ipc", lambda _: os.write(2, b"note\n"))
    read_binary("arrow", b"", "x")
    assert capfd.readouterr().err == "note\n"
    monkeypatch.setattr(pl, "read_ipc", panic)
    with pytest.raises(cf.InputError, match="x: corrupt Arrow file"):
        read_binary("arrow", b"", "x")
    assert capfd.readouterr().err == "before\nafter\n"


# -- forks ----------------------------------------------------------------------------------------


def test_after_a_fork_text_is_read_without_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    TABLE.write_csv(tmp_path / "run.csv")
    TABLE.write_parquet(tmp_path / "run.parquet")
    qrels = {"1": {"a": 1}, "2": {"b": 1, "d": 1}}
    usual = cf.evaluate(qrels, tmp_path / "run.csv", "AP")
    monkeypatch.setitem(binary._polars, "forked", True)
    monkeypatch.delattr(pl, "read_csv")
    assert cf.evaluate(qrels, tmp_path / "run.csv", "AP") == usual
    for data in (tmp_path / "run.parquet", TABLE):
        with pytest.raises(cf.InputError, match="forked while Polars was in use"):
            cf.evaluate(qrels, data, "AP")


FORKED = """
import os, signal, sys
import cranfield as cf
cf.read_run(sys.argv[1])
if os.fork() == 0:
    signal.alarm(10)
    try:
        cf.read_run(sys.argv[1])
    except cf.InputError as error:
        print(error)
else:
    print(os.wait()[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_is_noted(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "run.parquet")
    done = subprocess.run(
        [sys.executable, "-c", FORKED, tmp_path / "run.parquet"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    said, status = done.stdout.splitlines()
    assert "forked while Polars was in use" in said
    assert status == "0"
