"""Judgments, indexed to look up retrieved documents."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from cranfield import kernel
from cranfield.arrays import Ints, Words
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
    items: Ints  # [rows of the qrels] item of each row

    @classmethod
    def from_qrels(cls, qrels: Qrels) -> GoldStandard:
        topics = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
        with np.errstate(invalid="ignore"):  # levels beyond int16
            small = qrels.levels.astype(np.int16)  # sorted three times as fast
        falling = ~small if np.array_equal(small, qrels.levels) else -qrels.levels
        best_first = np.lexsort((falling, topics))  # stable: equal levels stay in order
        items = np.empty(len(best_first), dtype=np.int64)
        items[best_first] = np.arange(len(best_first))
        indices = np.arange(len(best_first))
        strata = None if qrels.strata is None else qrels.strata[best_first]
        levels = qrels.levels[best_first]
        judgments = Judgments(qrels.topics, qrels.offsets, levels, indices, strata)
        return cls(qrels, judgments, items)

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
        return [docs[row] for row in np.argsort(self.items).tolist()]

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
