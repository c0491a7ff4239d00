"""How rows of runs meet judgments: these are sent to all workers, or are spread over them.

Where every worker has all judgments (`Everywhere`), it finds the *hits*, the judged documents, by
itself. Where judgments are spread, by topic and document, workers have a sieve of them, two to four
bytes for each: what passes it is sent to where the judgments of its bucket are, and `met` there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Bytes, Ints, Words
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table, in_group
from cranfield.dataclass import dataclass
from cranfield.labelling.columns import judged_rows
from cranfield.labelling.gold import GoldStandard
from cranfield.spark.parcels import in_buckets, parcel, texts

ROOMS = 16  # bits of a sieve for each judgment, at least


@dataclass(frozen=True, eq=False)
class Everywhere:
    """All judgments."""

    gold: GoldStandard
    kind = "hits"

    def found(self, table: Table, topics: Ints) -> dict[str, Any]:
        """The judged documents of lists, whose topics have these numbers."""
        rows, items = judged_rows(self.gold, table, topics, table.group)
        where = topics[table.group[rows]]
        return {"topic": where, "item": items, "value": table.values[rows]}


@dataclass(frozen=True, eq=False)
class Sieve:
    """Which documents may be judged: two bits for each that is, at places that its hash tells."""

    bits: Bytes
    size: int  # bits that number a place
    kind = "sought"

    @classmethod
    def of(cls, keys: Words) -> Sieve:
        """A sieve that lets these keys pass: of others at most 2 in a hundred, by chance."""
        size = max(10, (ROOMS * len(keys)).bit_length())
        wanted = np.zeros(1 << size, dtype=bool)
        for place in _places(keys, size):
            wanted[place] = True
        return cls(np.packbits(wanted, bitorder="little"), size)

    def passed(self, keys: Words) -> Ints:
        """The places of keys that may be among those of the sieve."""
        rows = np.arange(len(keys))
        for place in _places(keys, self.size):
            at = place[rows]
            there = self.bits[at >> np.uint64(3)] >> (at & np.uint64(7)).astype(np.uint8) & 1
            rows = rows[there.astype(bool)]
        return rows

    def found(self, table: Table, topics: Ints) -> dict[str, Any]:
        """The documents of lists that may be judged, with keys of topic and document."""
        topic = topics[table.group]
        keys = in_group(table.hashes, topic)
        rows = self.passed(keys)
        rows = rows[topic[rows] >= 0]
        return {
            "key": keys[rows],
            "topic": topic[rows],
            "doc": table.docs[rows].copy(),
            "value": table.values[rows],
        }


Judged: TypeAlias = Everywhere | Sieve


def _places(keys: Words, size: int) -> Iterator[Words]:
    """Two places for each key, from its first and its last bits."""
    yield keys >> np.uint64(64 - size)
    yield keys & np.uint64((1 << size) - 1)


def spread(gold: GoldStandard) -> Iterator[Any]:
    """All judgments as parcels, in the buckets to which what may be one of them is sent."""
    table = gold.table
    columns = {"topic": table.group, "item": gold.items, "doc": table.docs}
    return in_buckets("judged", gold.hashes, columns)


def met(judged: Any, sought: Any) -> Iterator[Any]:
    """The hits among documents that may be judged, where judgments are those of their buckets."""
    topic, item = (judged.column(name).to_numpy() for name in ("topic", "item"))
    by_topic = np.argsort(topic, kind="stable")
    known, starts = np.unique(topic[by_topic], return_index=True)
    docs = texts(judged.column("doc"))[by_topic]
    table = Table(Strings.of([""] * len(known)), starts, docs, docs.hashes(), np.empty(0))
    theirs, topics = texts(sought.column("doc")), sought.column("topic").to_numpy()
    group = np.searchsorted(known, topics)
    group[np.append(known, -1)[group] != topics] = -1  # nobody's
    rows = table.find(theirs, theirs.hashes(), group)
    kept = np.flatnonzero(rows >= 0)
    if len(kept):
        columns = {name: sought.column(name).take(kept) for name in ("source", "tag", "topic")}
        items = {"item": item[by_topic[rows[kept]]], "value": sought.column("value").take(kept)}
        yield parcel("hits", columns | items)
