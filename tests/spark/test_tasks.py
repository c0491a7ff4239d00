"""What tasks find, called here with batches: no Spark is needed for that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import cranfield as cf
from cranfield.data.reading.formats import FORMAT
from cranfield.data.reading.records import ReadOptions
from cranfield.data.reading.table import Table
from cranfield.spark import tasks
from cranfield.spark.inputs import LineReader, RunReader
from cranfield.spark.join import BroadcastJudgments
from cranfield.spark.tasks import NO_ROWS, ListStats
from cranfield.spark.transfer import merge_tables

READING = RunReader(3, LineReader(FORMAT["trec"], ReadOptions(by_tag=True), "run.txt"), "run.txt", None, True)
LINES = [
    *("q1 Q0 a 1 3 x", "q1 Q0 b 2 2 x", "q1 Q0 c 3 2 x", "q9 Q0 a 1 1 x"),
    *("q1 Q0 b 1 5 y", "q2 Q0 q2 1 1 y"),
]


def batch(lines: list[str]) -> Any:
    return pa.RecordBatch.from_arrays([pa.array([x.encode() for x in lines])], ["value"])


def evaluator(**options: Any) -> cf.Evaluator:
    return cf.Evaluator({"q1": {"b": 1, "c": 0}, "q2": {"q2": 1}}, "AP", **options)


def shared() -> tasks.Shared:
    return tasks.Shared.from_evaluator(evaluator())


def found_in(*parts: list[str], hashed: bool = True, **options: Any) -> dict[str, Any]:
    """What the first pass finds in some partitions."""
    made = evaluator(**options)
    judged = BroadcastJudgments(made.collection.gold)
    task = tasks.HitFinder(tasks.Shared.from_evaluator(made), READING, judged, False, hashed)
    rows = [row for part in parts for row in task([batch(part)])]
    return merge_tables(pa.Table.from_batches([*tasks.join_buckets(rows)]))


def test_hits_and_lists() -> None:
    found = found_in(LINES)
    hits = found["hits"].to_pydict()
    rows = sorted(zip(hits["tag"], hits["topic"], hits["value"], strict=True))
    assert rows == [("x", 0, 2.0), ("x", 0, 2.0), ("y", 0, 5.0), ("y", 1, 1.0)]
    lists = found["lists"].to_pydict()
    assert set(lists["source"]) == {3}
    rows = sorted(zip(lists["tag"], lists["name"], lists["rows"], strict=True))
    assert rows == [("x", "q1", 3), ("x", "q9", 1), ("y", "q1", 1), ("y", "q2", 1)]
    assert "suspects" not in found
    assert "bad" not in found


def test_lists_are_in_the_order_in_which_they_turn_up() -> None:
    found = tasks._Lists(3, 7 * tasks.MAX_LISTS)
    for part in (LINES[3:], LINES[:3]):
        for table in READING.read_tables([batch(part)]):
            assert isinstance(table, Table)
            found.add(table.tag or "", table.names, table)
    places = {key: known.place - 7 * tasks.MAX_LISTS for key, known in found.lists.items()}
    assert places == {("x", "q9"): 0, ("y", "q1"): 1, ("y", "q2"): 2, ("x", "q1"): 3}


def test_a_document_that_is_its_topic_can_be_left_out() -> None:
    lists = found_in(LINES, exclude_self=True)["lists"].to_pydict()
    assert dict(zip(lists["name"], lists["rows"], strict=True))["q2"] == 0


def test_what_is_there_twice_is_suspected() -> None:
    again = "q9 Q0 a 7 0.5 x"
    assert len(found_in(LINES, [again])["suspects"]) == 1
    assert "suspects" not in found_in(LINES, [again], hashed=False)
    assert "suspects" not in found_in(LINES, ["q9 Q0 a 7 0.5 z"])  # another run
    keys = found_in(LINES, [again])["suspects"].column("key").to_numpy()
    rows = [*tasks.RowFinder(shared(), READING, keys)([batch([*LINES, again])])]
    assert pa.Table.from_batches(rows).to_pylist() == 2 * [{"source": 3, "tag": "x", "topic": "q9", "doc": "a"}]


def test_a_bad_line_ends_the_pass() -> None:
    (bad,) = found_in(["q1 Q0 a"])["bad"].to_pylist()
    assert bad["where"] == "run.txt"
    assert bad["found"] == "3 fields ('q1 Q0 a')"


def test_tied_rows_are_counted() -> None:
    task = tasks.ValueSender(shared(), READING, {"x": 0, "y": 2})
    rows = [row for part in (LINES[:2], LINES[2:]) for row in task([batch(part)])]
    (counted,) = tasks.count_tied(rows)
    assert counted.to_pylist() == [{"list": 0, "tied": 2}]


def test_stretches_that_contradict_each_other() -> None:
    top = ListStats(2, 5.0, 9.0, 1.0, 2.0, False, 7)
    below = ListStats(3, 1.0, 4.0, 3.0, 5.0, False, 4)
    assert top.merge(below) == below.merge(top) == ListStats(5, 1.0, 9.0, 1.0, 5.0, False, 4)
    assert top.merge(below._replace(best=1.0)).wrong
    assert below._replace(best=1.0).merge(top).wrong
    assert NO_ROWS.merge(top)._replace(place=7) == top


def test_lists_travel_as_rows() -> None:
    evaluator = cf.Evaluator({"q1": {"b": 1}, "q2": {"b": 1, "c": 2}, "q3": {"a": 1}}, "AP")
    (run,) = evaluator.read({"q1": ["b"], "q2": ["x", "c", "b"]})
    rankings = evaluator.collection.label(run).rankings
    table = pa.Table.from_pylist([tasks.to_unit_row(0, 1, 3, rankings)], tasks.make_unit_schema())
    evaluator = cf.Evaluator({"q1": {"b": 1}, "q2": {"b": 1, "c": 2}, "q3": {"a": 1}}, "AP",
                             block_cells=1)  # fmt: skip
    measure = tasks.UnitScorer(evaluator, tasks.to_value_batch)
    (values,) = measure(table.to_batches())
    expected = evaluator.scorer.compute_values(rankings)[1:3]
    assert np.array_equal(values.column("values")[0].values.to_numpy(), expected.ravel())
    assert expected[0, 0] > 0
