"""Join of rows and judgments: broadcast to all workers, or partitioned among them.

With `BroadcastJudgments` every worker finds the *hits*, the judged documents. If judgments are
partitioned by topic and document, workers have a Bloom filter of two to four bytes per judgment.
Documents that pass it are sent to the bucket of their judgments, and joined there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Bytes, Ints, Words
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table, hash_in_groups
from cranfield.dataclass import dataclass
from cranfield.labelling.columns import find_judged_rows
from cranfield.labelling.gold import GoldStandard
from cranfield.spark.transfer import from_arrow, pack_by_key, pack_table

BITS_PER_KEY = 16  # minimum size of a filter


@dataclass(frozen=True, eq=False)
class BroadcastJudgments:
    """All judgments, for every worker."""

    gold: GoldStandard
    kind = "hits"

    def match_judged(self, table: Table, topics: Ints) -> dict[str, Any]:
        """Return the judged documents of lists, given the numbers of their topics."""
        rows, items = find_judged_rows(self.gold, table, topics, table.group)
        topic_numbers = topics[table.group[rows]]
        return {"topic": topic_numbers, "item": items, "value": table.values[rows]}


@dataclass(frozen=True, eq=False)
class BloomFilter:
    """Filter for documents that can be judged: two bits per judged document, set by its hash."""

    bits: Bytes
    size: int  # bits that number a place
    kind = "sought"

    @classmethod
    def from_keys(cls, keys: Words) -> BloomFilter:
        """Return a filter for these keys; at most 2 % of other keys pass by chance."""
        size = max(10, (BITS_PER_KEY * len(keys)).bit_length())
        flags = np.zeros(1 << size, dtype=bool)
        for positions in _hash_keys(keys, size):
            flags[positions] = True
        return cls(np.packbits(flags, bitorder="little"), size)

    def filter(self, keys: Words) -> Ints:
        """Return the positions of keys that can be among the keys of the filter."""
        rows = np.arange(len(keys))
        for positions in _hash_keys(keys, self.size):
            position = positions[rows]
            is_set = self.bits[position >> np.uint64(3)] >> (position & np.uint64(7)).astype(np.uint8) & 1
            rows = rows[is_set.astype(bool)]
        return rows

    def match_judged(self, table: Table, topics: Ints) -> dict[str, Any]:
        """Return the candidates among documents of lists, with keys of topic and document."""
        topic = topics[table.group]
        keys = hash_in_groups(table.hashes, topic)
        rows = self.filter(keys)
        rows = rows[topic[rows] >= 0]
        return {"key": keys[rows], "topic": topic[rows], "doc": table.docs[rows].copy(), "value": table.values[rows]}


Judged: TypeAlias = BroadcastJudgments | BloomFilter


def _hash_keys(keys: Words, size: int) -> Iterator[Words]:
    """Return two places for each key, from its first and its last bits."""
    yield keys >> np.uint64(64 - size)
    yield keys & np.uint64((1 << size) - 1)


def partition_judgments(gold: GoldStandard) -> Iterator[Any]:
    """Yield all judgments as packed tables, in the buckets of their documents."""
    table = gold.table
    columns = {"topic": table.group, "item": gold.items, "doc": table.docs}
    return pack_by_key("judged", gold.hashes, columns)


def join_judged(judged: Any, sought: Any) -> Iterator[Any]:
    """Return the hits among candidate documents, from the judgments in their bucket."""
    topic, item = (judged.column(name).to_numpy() for name in ("topic", "item"))
    by_topic = np.argsort(topic, kind="stable")
    distinct, starts = np.unique(topic[by_topic], return_index=True)
    docs = from_arrow(judged.column("doc"))[by_topic]
    table = Table(Strings.from_list([""] * len(distinct)), starts, docs, docs.compute_hashes(), np.empty(0))
    sought_docs, topics = from_arrow(sought.column("doc")), sought.column("topic").to_numpy()
    group = np.searchsorted(distinct, topics)
    group[np.append(distinct, -1)[group] != topics] = -1  # nobody's
    rows = table.find(sought_docs, sought_docs.compute_hashes(), group)
    matches = np.flatnonzero(rows >= 0)
    if len(matches):
        columns = {name: sought.column(name).take(matches) for name in ("source", "tag", "topic")}
        items = {"item": item[by_topic[rows[matches]]], "value": sought.column("value").take(matches)}
        yield pack_table("hits", columns | items)
