"""Rows to tables, wherever they are: the same grammar, and the row of every mistake."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cranfield as cf
from cranfield.data.files import track_inputs, write_whole
from cranfield.data.reading.formats import FORMAT
from cranfield.data.reading.records import ReadOptions
from cranfield.data.reading.table import Table
from cranfield.errors import FileError, InputError
from cranfield.spark import inputs
from cranfield.spark.inputs import LineReader, RowErrors, RowReader, RunReader


def batches(lines: list[bytes], size: int = 2) -> list[Any]:
    """Lines as Spark sends them."""
    parts = [lines[i : i + size] for i in range(0, len(lines), size)]
    return [pa.RecordBatch.from_arrays([pa.array(part, pa.binary())], ["value"]) for part in parts]


TREC = LineReader(FORMAT["trec"], ReadOptions(by_tag=True), "run.txt")
LINES = [b"q1 Q0 d1 1 2.5 r", b"# a comment", b"q1\tQ0  d2 2 1e0 r\r", b"", b"q2 Q0 \xc3\xa9 1 7 r"]


def test_lines_are_what_they_are_in_a_file() -> None:
    (table,) = TREC.read_tables(batches(LINES))
    assert isinstance(table, Table)
    assert table.names == ["q1", "q2"]
    assert table.docs.tolist() == ["d1", "d2", "é"]
    assert table.values.tolist() == [2.5, 1.0, 7.0]
    assert table.tag == "r"


def test_nothing_but_comments_is_nothing() -> None:
    reading = RunReader(0, TREC, "run.txt", None, True)
    for lines in ([b"# one", b""], [b"", b" "], []):
        assert [*reading.read_tables(batches(lines))] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"q1 Q0 d3 3 r", "5 fields ('q1 Q0 d3 3 r')"),
        (b"q1 Q0 d3 3 inf r", "score 'inf' ('q1 Q0 d3 3 inf r')"),
    ],
)
def test_a_bad_line_is_shown(line: bytes, found: str) -> None:
    (bad,) = TREC.read_tables(batches([*LINES, line, line]))
    assert isinstance(bad, RowErrors)
    assert (bad.found, bad.rows) == (found, 2)


def test_other_encodings_are_told() -> None:
    (bad,) = TREC.read_tables(batches([*LINES, b"q1 Q0 \xff 3 1 r"]))
    assert isinstance(bad, RowErrors)
    assert bad.rows == 1


def test_rows_of_a_frame() -> None:
    frame = pa.table({"topic": [1, 1, 2], "doc": ["a", "b", "c"], "score": ["2", "3", "nan"]})
    reader = RowReader(ReadOptions(by_tag=True), "rows")
    (table,) = reader.read_tables(frame.slice(0, 2).to_batches())
    assert isinstance(table, Table)
    assert (table.names, table.values.tolist()) == (["1"], [2.0, 3.0])
    (bad,) = reader.read_tables(frame.to_batches())
    assert isinstance(bad, RowErrors)
    assert (bad.found, bad.rows) == ("topic '2', doc 'c', value nan", 1)


def test_runs_are_told_apart_by_their_tags() -> None:
    lines = [b"q1 Q0 a 1 3 x", b"q1 Q0 b 2 2 y", b"q2 Q0 c 1 1 x"]
    for by_tag, expected in ((True, [("x", 2), ("y", 1)]), (False, [(None, 3)])):
        reading = RunReader(0, TREC, "run.txt", None, by_tag)
        tables = [*reading.read_tables(batches(lines))]
        assert [(t.tag, len(t)) for t in tables if isinstance(t, Table)] == expected


def test_ranks_may_decide() -> None:
    reading = RunReader(0, TREC, "run.txt", "rank", True)
    (table,) = reading.read_tables(batches([b"q1 Q0 a 2 9 x", b"q1 Q0 b 1 1 x"]))
    assert isinstance(table, Table)
    assert table.values.tolist() == [-2.0, -1.0]


class Files:
    """What Spark says of a text that it would read."""

    def __init__(self, *paths: Path) -> None:
        self.paths = paths

    def inputFiles(self) -> list[str]:
        return [path.as_uri() for path in self.paths]


def test_files_are_read_in_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines once, wherever files are cut, and what stands before them is left out."""
    monkeypatch.setattr(inputs, "TABLE_BYTES", 50)
    lines = [b"q%d Q0 d%d %d %d r" % (n // 7, n, n % 7, -n) for n in range(100)]
    first, second = tmp_path / "a file é.txt", tmp_path / "b.txt"
    first.write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines[:60]))  # no end of the last line
    second.write_bytes(b"\n".join(lines[60:]) + b"\n")
    found = [*inputs.split_files(Files(first, second))]
    assert len(found) > 10
    reader = replace(TREC, partitions=found)
    numbers = pa.record_batch([pa.array(range(len(found)))], ["id"])
    docs: list[str] = []
    for table in reader.read_tables([numbers]):
        assert isinstance(table, Table)
        docs += table.docs.tolist()
    assert docs == [f"d{n}" for n in range(100)]


def test_packed_files_are_left_to_spark(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q1 Q0 d 1 1 r\n"))
    (tmp_path / "run").write_bytes(b"q1 Q0 d 1 1 r\n")
    assert [*inputs.split_files(Files(tmp_path / "run", tmp_path / "run.gz"))] == []
    assert len([*inputs.split_files(Files(tmp_path / "run"))]) == 1


# -- ids are never parsed -------------------------------------------------------------------------

INFERENCE = "spark.sql.sources.partitionColumnTypeInference.enabled"
IDS = ("007", "7", "1.10", "1.1", "2024-01-01", "a b=c%")


def partitioned(directory: Path, *, whole: bool = False) -> dict[tuple[str, str], dict[str, Any]]:
    """Write a run for each id, with a topic for each id; return their rankings."""
    from urllib.parse import quote

    rankings: dict[tuple[str, str], dict[str, Any]] = {}
    for i, (run, topic) in enumerate(product(IDS, IDS)):
        ranking = {f"0{i % 4}": 2.0, "x": 1.0}
        rankings[run, topic] = ranking
        place = directory / f"run={quote(run)}" / f"qid={quote(topic)}"
        place.mkdir(parents=True)
        columns: dict[str, Any] = {"docid": [*ranking], "score": [*ranking.values()]}
        if whole:  # files that also hold the partition columns
            columns |= {"run": [run] * 2, "qid": [topic] * 2}
        pq.write_table(pa.table(columns), place / "part-0.parquet")
    return rankings


@pytest.mark.parametrize("whole", [False, True])
def test_scores_partitioned_parquet_keeps_ids(spark: Any, tmp_path: Path, whole: bool) -> None:
    rankings = partitioned(tmp_path / "runs", whole=whole)
    qrels = {topic: {f"0{i % 4}": 1} for i, topic in enumerate(IDS)}
    seen: list[str] = []
    ended = Event()

    def watch() -> None:  # another thread with the user's session
        while not ended.is_set():
            seen.append(spark.conf.get(INFERENCE))

    before = spark.conf.get(INFERENCE)
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        try:
            scores = cf.spark.scores(qrels, str(tmp_path / "runs"), "AP num_ret", spark=spark)
        finally:
            ended.set()
        watching.result()
    assert {before} == {spark.conf.get(INFERENCE), *seen}
    assert sorted(scores.runs) == sorted(IDS)
    runs = {run: {t: docs for (r, t), docs in rankings.items() if r == run} for run in IDS}
    local = cf.evaluate(qrels, runs, "AP num_ret").select(runs=list(scores.runs))
    assert scores.topics == local.topics
    assert np.array_equal(scores.values, local.values)


def test_readable_qrels_partitioned_parquet_keeps_ids(spark: Any, tmp_path: Path) -> None:
    for topic in ("007", "7"):
        place = tmp_path / "qrels" / f"qid={topic}"
        place.mkdir(parents=True)
        table = {"docid": ["a" * len(topic)], "relevance": [1]}
        pq.write_table(pa.table(table), place / "part-0.parquet")
    rows = [("007", "aaa", 1.0), ("7", "a", 1.0)]
    run = spark.createDataFrame(rows, "qid string, docid string, score double")
    scores = cf.spark.scores((tmp_path / "qrels").as_uri(), run, "AP", spark=spark)
    assert (scores.topics, scores.values.ravel().tolist()) == (("007", "7"), [1.0, 1.0])


def test_scores_int_column_below_directory_with_its_name_is_read(spark: Any, tmp_path: Path) -> None:
    """A directory above the path is no partition, whatever its name."""
    place = tmp_path / "qid=05" / "runs"
    place.mkdir(parents=True)
    rows = {"qid": [5, 6], "docid": ["a", "a"], "score": [1.0, 2.0]}
    pq.write_table(pa.table(rows), place / "part-0.parquet")
    scores = cf.spark.scores({"5": {"a": 1}, "6": {"b": 1}}, str(place), "AP", spark=spark)
    assert scores.values.ravel().tolist() == [1.0, 0.0]


def test_scores_frame_with_parsed_partitions_raises(spark: Any, tmp_path: Path) -> None:
    """Spark parsed the ids before we have the DataFrame: they cannot be restored."""
    partitioned(tmp_path / "runs")
    both = [str(tmp_path / "runs" / f"run={run}" / "qid=*7") for run in ("007", "7")]
    frame = spark.read.option("basePath", str(tmp_path / "runs")).parquet(*both)
    assert dict(frame.dtypes)["qid"] == "int"
    for evaluate in (cf.spark.scores, cf.evaluate):
        with pytest.raises(InputError, match=r"Spark has parsed partition qid=007 as int\. Pass"):
            evaluate({"7": {"00": 1}}, frame, "AP")


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_scores_other_text_raises_advice_on_schemas(spark: Any, tmp_path: Path, ending: str) -> None:
    rows = [{"qid": q, "docid": d, "score": 1.5} for q in IDS[:4] for d in IDS[:2]]
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path = str(tmp_path / f"run.{ending}")
    Path(path).write_text("\n".join(lines if ending == "csv" else map(json.dumps, rows)) + "\n")
    qrels = {"007": {"007": 1}, "7": {"7": 1}, "1.10": {"007": 1}, "1.1": {"7": 1}}
    with pytest.raises(InputError, match=r"spark\.read, without inferSchema"):
        cf.spark.scores(qrels, path, "AP", spark=spark)
    read = spark.read.csv(path, header=True) if ending == "csv" else spark.read.json(path)
    scores = cf.spark.scores(qrels, read, "AP num_rel_ret", spark=spark)
    assert np.array_equal(scores.values, cf.evaluate(qrels, path, "AP num_rel_ret").values)


def test_scores_float_ids_raise_as_in_local_engine(spark: Any) -> None:
    rows = {"qid": [1.0, 2.0], "docid": ["a", "a"], "score": [1.0, 2.0]}
    frame = spark.createDataFrame(pa.table(rows))
    for run in (frame, pa.table(rows)):
        evaluate = cf.spark.scores if run is frame else cf.evaluate
        with pytest.raises(InputError, match=r"Float64 in column \w+, expected identifiers"):
            evaluate({"1": {"a": 1}}, run, "AP")


# -- the same file under two names ----------------------------------------------------------------


def test_given_runs_same_file_twice_raises(spark: Any, tmp_path: Path) -> None:
    lines = "".join(f"q{i} Q0 d{i} 1 {i}.5 r\n" for i in range(3))
    for name in ("x", "y"):
        (tmp_path / name).write_text(lines)
    path, uri = os.path.relpath(tmp_path / "x"), (tmp_path / "x").as_uri()
    one_slash = uri.replace("file://", "file:")
    for other in (f"./{path}", str(tmp_path / "x"), uri, one_slash, str(tmp_path / "*")):
        for runs in ([path, other], {"a": path, "b": other}):
            with pytest.raises(InputError, match=r"twice|duplicate run"):
                cf.spark.scores({"q1": {"d1": 1}}, runs, "AP", spark=spark)
    runs = [path, (tmp_path / "y").as_uri()]
    assert len(cf.spark.scores({"q1": {"d1": 1}}, runs, "AP", spark=spark).runs) == 2


def test_text_lines_pattern_protects_its_files(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("q1 Q0 d1 1 2.5 r\n")
    with track_inputs():
        inputs.read_lines(spark, str(tmp_path / "*.txt"))
        with pytest.raises(FileError, match="also an input"):
            write_whole(str(tmp_path / "x.txt"), b"")
