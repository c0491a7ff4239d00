"""Judgments, indexed to look up retrieved documents."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from cranfield import kernel
from cranfield.arrays import Floats, Ints, Words
from cranfield.data.qrels import Qrels
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table, hash_in_groups
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import Judgments


@dataclass(frozen=True, eq=False)
class GoldStandard:
    """The judgments of a collection, with the item of each judged document."""

    qrels: Qrels
    judgments: Judgments
    order: Ints | None = None  # [items] the row of each item, if computed

    @classmethod
    def from_qrels(cls, qrels: Qrels) -> GoldStandard:
        levels, order = _sort_rows(qrels), None
        if levels is None or qrels.strata is not None:
            order = _sort_best_first(qrels)
            levels = qrels.levels[order]
        strata = None if qrels.strata is None else qrels.strata[order]
        return cls(qrels, Judgments(qrels.topics, qrels.offsets, levels, np.arange(len(levels)), strata), order)

    @cached_property
    def best_first(self) -> Ints:
        """The row of the qrels of each item."""
        return _sort_best_first(self.qrels) if self.order is None else self.order

    @cached_property
    def items(self) -> Ints:
        """The item of each row of the qrels."""
        items = np.empty(len(self.best_first), dtype=np.int64)
        items[self.best_first] = np.arange(len(items))
        return items

    @cached_property
    def topic_index(self) -> dict[str, int]:
        """Index of each topic."""
        return {topic: t for t, topic in enumerate(self.qrels.topics)}

    @cached_property
    def by_topic(self) -> list[dict[str, int]]:
        """For each topic, map judged documents to items."""
        docs, items = self.qrels.doc_names, self.items.tolist()
        bounds = pairwise(self.qrels.offsets.tolist())
        return [dict(zip(docs[a:b], items[a:b], strict=True)) for a, b in bounds]

    @cached_property
    def item_docs(self) -> list[str]:
        """Document of each item."""
        docs = self.qrels.doc_names
        return [docs[row] for row in self.best_first.tolist()]

    @cached_property
    def name_hashes(self) -> Ints | None:
        """Python's hash of each judged document for the kernel, or None if unsupported."""
        docs = self.qrels.doc_names
        hashes = np.empty(len(docs), dtype=np.int64)
        is_supported = kernel.KERNEL is not None and kernel.KERNEL.hash_names(docs, hashes)
        return hashes if is_supported else None

    @cached_property
    def table(self) -> Table:
        """The judged documents, indexed by topic and document id."""
        qrels, docs = self.qrels, self.qrels.docs
        topics = Strings.from_list(qrels.topics)
        return Table(topics, qrels.offsets[:-1], docs, docs.compute_hashes(), qrels.levels)

    @cached_property
    def hashes(self) -> Words:
        """Hash of each judged document with its topic."""
        return hash_in_groups(self.table.hashes, self.table.group)


def _sort_best_first(qrels: Qrels) -> Ints:
    """Return the rows by topic, highest level first. Equal levels stay in order."""
    topics = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
    with np.errstate(invalid="ignore"):  # levels beyond int16
        small = qrels.levels.astype(np.int16)  # sorted three times as fast
    falling = ~small if np.array_equal(small, qrels.levels) else -qrels.levels
    return np.lexsort((falling, topics))


def _sort_rows(qrels: Qrels) -> Floats | None:
    """Return the levels of each topic, highest first, if all topics have the same number."""
    sizes = np.diff(qrels.offsets)
    if not len(sizes) or (sizes != sizes[0]).any():
        return None
    return np.sort(qrels.levels.reshape(len(sizes), -1), axis=1)[:, ::-1].ravel()
