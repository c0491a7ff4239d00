"""Judgments that are spread are met by the rows that all judgments would have found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.formats import FORMAT
from cranfield.data.reading.records import ReadOptions
from cranfield.spark import join, tasks, transfer
from cranfield.spark.inputs import LineReader, RunReader

READING = RunReader(0, LineReader(FORMAT["trec"], ReadOptions(by_tag=True), "run"), "run", None, True)
DOCS = [*"abcdefgh", "ab", "é", "zz" * 10, "a" * 300, "a" * 300 + "b"]
TOPICS = ("t1", "t2", "t3", "unjudged")
row = st.tuples(
    st.sampled_from("xy"),
    st.sampled_from(TOPICS),
    st.sampled_from(DOCS),
    st.sampled_from([-1.0, 0.0, 0.5]),
)
judged = st.dictionaries(
    st.sampled_from(TOPICS[:3]),
    st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 2), min_size=1),
    min_size=1,
)


def hits(rows: list[Any]) -> list[tuple[Any, ...]]:
    """What is found, in an order of its own."""
    found = transfer.merge_tables(pa.Table.from_batches(rows)).get("hits")
    names = ("source", "tag", "topic", "item", "value")
    return [] if found is None else sorted(zip(*(found[x].to_pylist() for x in names), strict=True))


@settings(deadline=None, max_examples=40)
@given(judged, st.lists(row, min_size=1, unique_by=lambda x: x[:3]), st.integers(1, 3))
def test_as_if_judgments_were_everywhere(
    qrels: dict[str, dict[str, int]], rows: list[tuple[str, str, str, float]], parts: int
) -> None:
    lines = [f"{topic} Q0 {doc} 1 {value} {tag}".encode() for tag, topic, doc, value in rows]
    batches = [pa.record_batch([pa.array(lines[i::parts], pa.binary())], ["value"])
               for i in range(parts)]  # fmt: skip
    evaluator = cf.Evaluator(qrels, "AP")
    shared, gold = tasks.Shared.from_evaluator(evaluator), evaluator.collection.gold

    def found(by: join.Judged) -> list[Any]:
        task = tasks.HitFinder(shared, READING, by, count_bad=False, hashed=True)
        return [row for batch in batches for row in task([batch])]

    sent = [*join.partition_judgments(gold), *found(join.BloomFilter.from_keys(gold.hashes))]
    by_bucket: dict[int, list[Any]] = {}
    for one in sent:
        by_bucket.setdefault(one.column("bucket")[0].as_py() % 3, []).append(one)
    here = [row for some in by_bucket.values() for row in tasks.join_buckets(some)]
    assert hits(here) == hits(found(join.BroadcastJudgments(gold)))


def test_filter_other_keys_pass_rarely() -> None:
    draw = np.random.default_rng(5)
    keys, others = draw.integers(0, 1 << 63, (2, 100_000), dtype=np.uint64) << np.uint64(1)
    bloom_filter = join.BloomFilter.from_keys(keys)
    assert len(bloom_filter.filter(keys)) == len(keys)
    assert len(bloom_filter.filter(others)) < 0.02 * len(others)
    assert len(bloom_filter.bits) <= 4 * len(keys)


def test_names_decide_where_hashes_agree() -> None:
    """Of two judgments in a bucket, one has the document, but of another topic."""
    table = {"topic": [4, 7], "item": [1, 2], "doc": ["a", "b"]}
    sought = {"source": [0, 0], "tag": ["x", "x"], "topic": [7, 7], "doc": ["a", "b"]}
    (found,) = join.join_judged(pa.table(table), pa.table(sought | {"value": [0.5, 0.25]}))
    assert hits([found]) == [(0, "x", 7, 2, 0.25)]
