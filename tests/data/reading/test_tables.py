"""Frames and Parquet in parts: what is read is the same, however long a part is."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.data.reading import binary, tables
from cranfield.data.reading.source import FileBytes, Source
from cranfield.data.reading.tables import to_strings

QRELS = {f"q{t}": {f"d{i}": i % 3 for i in range(0, 20, 2)} for t in range(5)}


def rows(names: tuple[str, ...] = ("t",)) -> pl.DataFrame:
    """Lists of twenty documents for five topics, of each run."""
    draw = random.Random(4)  # noqa: S311
    made = [
        (f"q{t}", f"d{doc}", rank + 1, 20.0 - rank // 2, name)
        for name in names
        for t in range(5)
        for rank, doc in enumerate(draw.sample(range(20), 20))
    ]
    return pl.DataFrame(made, schema=["topic", "doc", "rank", "score", "tag"], orient="row")


@pytest.fixture(params=[7, 20, 33])
def short_parts(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(tables, "PART", request.param)
    return int(request.param)


def written(path: Path, frame: pl.DataFrame) -> str:
    frame.write_parquet(path, row_group_size=7)
    return str(path)


def scores(run: Any, **options: Any) -> list[list[Any]]:
    found = cf.evaluate(QRELS, run, "AP nDCG@10 RR", **options)
    return [found.values.tolist(), list(found.runs), [str(x) for x in found.notes]]


@pytest.mark.parametrize("ties", [None, "rank", "given", "file"])
def test_parts_give_what_the_whole_gives(short_parts: int, tmp_path: Path, ties: Any) -> None:
    frame = rows()
    text = "".join(f"{t} Q0 {d} {r} {s} {tag}\n" for t, d, r, s, tag in frame.iter_rows())
    (tmp_path / "run.txt").write_text(text)
    expected = scores(tmp_path / "run.txt", ties=ties)
    path = written(tmp_path / "run.parquet", frame)
    frame.write_ipc(tmp_path / "run.arrow")
    coded = frame.with_columns(pl.col("topic", "doc", "tag").cast(pl.Categorical))
    for run in (path, tmp_path / "run.arrow", frame, frame.lazy(), coded):
        assert scores(run, ties=ties) == expected


def test_numbers_as_names(short_parts: int, tmp_path: Path) -> None:
    """A whole number is the name that it is written as, in a frame as in text."""
    frame = rows().with_columns(pl.col("topic", "doc").str.slice(1))
    named = {t[1:]: {d[1:]: level for d, level in docs.items()} for t, docs in QRELS.items()}
    expected = cf.evaluate(named, frame, "AP RR").values.tolist()
    numbers = frame.with_columns(pl.col("topic", "doc").cast(pl.Int64))
    for run in (numbers, written(tmp_path / "run.parquet", numbers)):
        assert cf.evaluate(named, run, "AP RR").values.tolist() == expected
    bad = numbers.with_columns(score=pl.Series([*[1.0] * 99, None]))
    with pytest.raises(cf.CranfieldError, match=r"topic '4', doc '\d+', value None in row 100"):
        cf.evaluate(named, bad, "AP")


def test_several_runs_in_parts(short_parts: int, tmp_path: Path) -> None:
    both = rows(("a", "b"))
    path = written(tmp_path / "runs.parquet", both)
    apart = {name: rows(("a", "b")).filter(pl.col("tag") == name) for name in ("a", "b")}
    expected = scores({name: frame.drop("tag") for name, frame in apart.items()})
    assert scores(path) == scores(both) == expected
    with pytest.raises(cf.CranfieldError, match="duplicate document"):
        scores(path, run_names="file")


def test_lists_whose_rows_are_scattered(short_parts: int, tmp_path: Path) -> None:
    frame = rows()
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=1)
    assert scores(written(tmp_path / "r.parquet", mixed))[0] == scores(mixed)[0] == scores(frame)[0]


@pytest.mark.parametrize(("column", "cell"), [("score", None), ("doc", ""), ("score", float("nan")), ("topic", None)])
def test_a_bad_cell_far_down(short_parts: int, tmp_path: Path, column: str, cell: Any) -> None:
    """It is refused in the words that a short file is refused in."""
    frame = rows()
    bad = pl.Series(column, [*frame[column][:-1].to_list(), cell], dtype=frame[column].dtype)
    path = written(tmp_path / "bad.parquet", frame.with_columns(bad))
    with pytest.raises(cf.CranfieldError) as caught:
        scores(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "PART", 1000)
        with pytest.raises(cf.CranfieldError) as whole:
            scores(path)
    assert str(caught.value) == str(whole.value)


def test_ranks_alone_in_parts(short_parts: int, tmp_path: Path) -> None:
    frame = rows().drop("score")
    expected = scores(rows(), ties="rank")[0]
    assert scores(frame)[0] == scores(written(tmp_path / "r.parquet", frame))[0] == expected


def test_only_the_columns_that_matter_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    wide = rows().with_columns(pl.lit("a long text").alias("text"))
    path = written(tmp_path / "wide.parquet", wide)
    usual = pl.read_parquet

    def read(file: Any, columns: list[str]) -> pl.DataFrame:
        asked.append(columns)
        return usual(file, columns=columns)

    monkeypatch.setattr(pl, "read_parquet", read)
    assert scores(path) == scores(rows())
    assert asked == [["topic", "doc", "score", "rank", "tag"]]
    lazy = wide.lazy().with_columns(pl.col("text").map_batches(unread, return_dtype=pl.String))
    assert scores(lazy) == scores(rows())


def unread(column: pl.Series) -> pl.Series:
    raise AssertionError("nobody needs this")


def test_text_is_packed_without_a_python_object_for_each() -> None:
    names = ["a", "", "é" * 20, "d\0", "x" * 13]
    packed = to_strings(pl.Series("any", names))
    assert packed.tolist() == names
    assert to_strings(pl.Series("any", [], dtype=pl.String)).tolist() == []


@pytest.mark.parametrize("group", [8, 20, 50, 96])
@pytest.mark.parametrize("plain", [True, False])
def test_so_many_rows_are_read_at_a_time(tmp_path: Path, group: int, plain: bool) -> None:
    """Whatever groups they are in, and whether Polars reads the file or what is in memory."""
    path = tmp_path / "[a]*.parquet"
    pl.DataFrame({"a": range(96), "b": range(96)}).write_parquet(path, row_group_size=group)
    data = FileBytes(Source.from_path(path)) if plain else path.read_bytes()
    assert binary.Parquet(data).rows == 96
    frames = [read() for read in binary.Parquet(data).iter_parts(["a"], 20)]
    assert [len(frame) for frame in frames] == [20, 20, 20, 20, 16]
    assert pl.concat(frames)["a"].to_list() == list(range(96))
    assert {tuple(frame.columns) for frame in frames} == {("a",)}
    assert binary.Parquet(b"PAR1").rows == 0


def test_a_file_that_changes_between_two_parts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    frame = pl.DataFrame({"a": range(96)})
    frame.write_parquet(path)
    first, second, *_ = binary.Parquet(FileBytes(Source.from_path(path))).iter_parts(["a"], 20)
    assert len(first()) == 20
    frame.reverse().write_parquet(path, compression="uncompressed")
    with pytest.raises(cf.InputError, match="changed while it was being read"):
        second()
