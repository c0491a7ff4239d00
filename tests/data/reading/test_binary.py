"""Parquet and Arrow: damaged files, and processes that were forked."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import cranfield as cf
from cranfield.data.reading import binary
from cranfield.data.reading.binary import Parquet, _counts_agree, read_binary

TABLE = pl.DataFrame(
    {"topic": ["1", "2"] * 10, "doc": [*"abcdefghijklmnopqrst"], "score": [0.5] * 20}
)
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
    assert _counts_agree(file.getvalue(), Parquet(file.getvalue()).groups)
    assert read_binary("parquet", file.getvalue(), "x").equals(TABLE)


def test_pages_with_fewer_than_no_values() -> None:
    """20 values are written as 40, −20 as 39 (zigzag): for so many Polars wants more memory than
    there is, and ends the process.
    """
    data = content("parquet", compression="uncompressed", statistics=False)
    begin, refused = data.find(b"\x15\x28"), 0
    while begin >= 0:  # the number of values is one of the fields that are 20
        damaged = data[: begin + 1] + b"\x27" + data[begin + 2 :]
        if not _counts_agree(damaged, Parquet(damaged).groups):
            refused += 1
            with pytest.raises(cf.InputError, match="x: found a broken parquet file, expected"):
                read_binary("parquet", damaged, "x")
            bad = [
                n for n in TABLE.columns if not _counts_agree(damaged, Parquet(damaged).groups, [n])
            ]
            assert len(bad) == 1  # and of the others nothing is wrong
            others = [name for name in TABLE.columns if name not in bad]
            assert read_binary("parquet", damaged, "x", columns=others).equals(TABLE[others])
        begin = data.find(b"\x15\x28", begin + 1)
    assert refused >= 3  # columns


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_file_that_is_cut_or_no_such_file(format: str) -> None:
    data = content(format)
    for damaged in (data[:-1], data[: len(data) // 2], data[:4], b"", b"PAR1" * 3, b"\xff" * 999):
        with pytest.raises(cf.InputError, match=f"found a broken {format} file"):
            read_binary(format, damaged, "x")


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


def test_what_others_say_meanwhile_is_not_lost(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_: Any) -> None:
        os.write(2, b"thread panicked\n")
        raise pl.exceptions.PanicException("index")

    monkeypatch.setattr(pl, "read_ipc", lambda _: os.write(2, b"note\n"))
    read_binary("arrow", b"", "x")
    assert capfd.readouterr().err == "note\n"
    monkeypatch.setattr(pl, "read_ipc", panic)
    with pytest.raises(cf.InputError, match="x: found a broken arrow file, expected a whole one"):
        read_binary("arrow", b"", "x")
    assert capfd.readouterr().err == ""


# -- forks ----------------------------------------------------------------------------------------


def test_after_a_fork_text_is_read_without_polars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_fork_is_noticed(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "run.parquet")
    done = subprocess.run(
        [sys.executable, "-c", FORKED, tmp_path / "run.parquet"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    said, status = done.stdout.splitlines()
    assert "forked while Polars was in use" in said
    assert status == "0"
