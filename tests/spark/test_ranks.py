"""Ranks by counting are those of labelling, however the rows of lists are dealt out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.strings import Strings
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.runs import label_run
from cranfield.spark.ranks import Hits

DOCS = [*"abcdefgh", "ab", "é", "zz" * 10, "a" * 300, "a" * 300 + "b"]  # long ones, and others
TOPICS = ("t1", "t2", "t3")

lists = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=1),
    min_size=1,
)
judged = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 2), min_size=1),
    min_size=1,
)


@settings(deadline=None)
@given(judged, lists, st.integers(1, 4), st.sampled_from([1, 3, 99]), st.randoms(use_true_random=False))
def test_counts_are_ranks(
    qrels: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    parts: int,
    most: int,
    random: object,
) -> None:
    gold = GoldStandard.from_qrels(cf.read_qrels(qrels))
    rows = [(t, d, v) for t, docs in run.items() for d, v in docs.items()]
    random.shuffle(rows)  # type: ignore[attr-defined]
    index = gold.topic_index
    known = [(index[t], gold.by_topic[index[t]][d], v) for t, d, v in rows
             if t in index and d in gold.by_topic[index[t]]]  # fmt: skip
    topics, items, values = (np.array(x) for x in zip(*known, strict=True)) if known else (
        np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))  # fmt: skip
    hits = Hits.from_columns(topics, values, items, gold)
    counts = np.zeros(hits.bins, dtype=np.int64)
    chunks = [*hits.split(0, len(TOPICS), most)]
    assert sum(chunk.bins for _, chunk in chunks) == hits.bins
    for part in range(parts):
        some = rows[part::parts]
        numbers = np.array([index.get(t, -1) for t, _, _ in some], dtype=np.int64)
        docs = Strings.from_list([d for _, d, _ in some])
        for begin, chunk in chunks:
            bins = chunk.find_bins(numbers, np.array([v for _, _, v in some]), docs)
            np.add.at(counts, begin + bins, 1)
    rank, first, last = hits.compute_ranks(counts)
    expected = label_run(gold, cf.read_run(run)).rankings
    order = np.lexsort((rank, hits.hit_lists))
    np.testing.assert_array_equal(hits.hit_lists[order], expected.hit_topics)
    for mine, theirs in (
        (rank, expected.ranks),
        (hits.items, expected.items),
        (first, expected.first),
        (last, expected.last),
    ):
        np.testing.assert_array_equal(mine[order], theirs)


def test_by_hand() -> None:
    """A list b 3, x 2, c 2, a 2, y 1 whose judged documents are a and c, both of the value 2."""
    gold = GoldStandard.from_qrels(cf.read_qrels({"q": {"a": 1, "c": 1, "m": 1}}))
    items = np.array([gold.by_topic[0][doc] for doc in "ac"])
    hits = Hits.from_columns(np.zeros(2, dtype=np.int64), np.array([2.0, 2.0]), items, gold)
    assert [gold.item_docs[item] for item in hits.items] == ["c", "a"]  # larger names come first
    docs, values = Strings.from_list([*"bxcay"]), np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    bins = hits.find_bins(np.zeros(5, dtype=np.int64), values, docs)
    assert bins.tolist() == [0, 1, 1, 2]  # and y is below all of them
    rank, first, last = hits.compute_ranks(np.bincount(bins, minlength=hits.bins))
    assert (rank.tolist(), first.tolist(), last.tolist()) == ([3, 4], [2, 2], [4, 4])
    assert hits.hit_bins.tolist() == bins[2:].tolist()


def test_a_document_twice_is_told() -> None:
    gold = GoldStandard.from_qrels(cf.read_qrels({"q": {"a": 1, "c": 1}}))
    zero = np.zeros(2, dtype=np.int64)
    assert Hits.from_columns(zero, np.ones(2), np.array([0, 1]), gold).find_duplicate() is None
    assert Hits.from_columns(zero, np.ones(2), np.array([1, 1]), gold).find_duplicate() == 1
    assert Hits.from_columns(np.array([0, 1]), np.ones(2), np.array([1, 1]), gold).find_duplicate() is None
    apart = Hits.from_columns(np.zeros(3, dtype=np.int64), np.array([3.0, 2.0, 1.0]), np.array([1, 0, 1]), gold)
    assert apart.find_duplicate() == 2
