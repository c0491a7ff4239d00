"""Merging of lines: chunks of a document, and duplicates of a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.reading.columns import TREC
from cranfield.data.reading.lines import to_number
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table, hash_in_groups
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.wording import format_count

if TYPE_CHECKING:
    from cranfield.data.qrels import Qrels

ChunksLike: TypeAlias = str | Callable[[str], str] | None
ChunkScore: TypeAlias = Literal["first", "max", "sum"]
Duplicates: TypeAlias = Literal["error", "first", "best"]
Order: TypeAlias = Literal["score", "rank", "given"]  # order of rankings

_SCORE_TEXTS = {
    ("score", "first"): "each with the score of its first chunk",
    ("score", "max"): "each with the score of its best chunk",
    ("score", "sum"): "each with the sum of its chunks' scores",
    ("rank", "max"): "each at the best rank of a chunk",
    ("given", "first"): "each at the position of its first chunk",
}


class _Counts(NamedTuple):
    """Numbers of lines of a topic before and after merging."""

    lines: int
    repeated: int  # dropped duplicates
    chunks: int  # ids that are not document ids
    documents: int


@dataclass(frozen=True, eq=False)
class Merging:
    """Options for merging lines to documents, and counts by topic.

    `chunks` maps a chunk id to a document id: a separator after the document id, a regular
    expression between slashes with one group, or a function. `chunk_score` is the score of a
    document, and `duplicates` selects among lines with the same id.

    >>> Merging("#").merge_ranking("q1", {"d1#1": 2.0, "d2#7": 3.0, "d1#4": 5.0})
    {'d2': 3.0, 'd1': 5.0}
    >>> merging = Merging(r"/(.+)_p\\d+/", "sum")
    >>> merging.merge_ranking("q1", {"d_1_p1": 2.0, "d_2": 3.0, "d_1_p4": 5.0})
    {'d_1': 7.0, 'd_2': 3.0}
    """

    chunks: ChunksLike = None
    chunk_score: ChunkScore | None = None
    duplicates: Duplicates = "error"
    order: Order = "score"
    where: str = "run"
    counts: dict[str, _Counts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("duplicates", self.duplicates, Duplicates)
        if self.chunk_score is not None:
            check_choice("chunk_score", self.chunk_score, ChunkScore)
            if self.chunks is None:
                problem = f"chunk_score={self.chunk_score!r} requires chunks"
                raise InputError.from_problem(problem)
        if self.chunks is not None:
            _ = self.find_document  # raises an error if invalid

    @property
    def is_needed(self) -> bool:
        """True if chunks or duplicates have to be merged."""
        return self.chunks is not None or self.duplicates != "error"

    def has_same_options(self, merging: Merging) -> bool:
        """Return True if both have the same options."""
        return all(getattr(self, x) == getattr(merging, x) for x in _OPTIONS)

    def with_order(self, order: Order, location: str) -> Merging:
        """Return the options for a run with this order of documents."""
        if order != "score" and self.chunk_score in ("max", "sum"):
            ordering = "rank" if order == "rank" else "the order of the lists"
            problem = f"chunk_score={self.chunk_score} needs scores, but {ordering} decides the order"
            raise InputError.from_problem(problem, "Use first.", location)
        return replace(self, order=order, where=location, counts={})

    def copy_without_counts(self) -> Merging:
        """Return the options for another run."""
        return replace(self, counts={})

    # -- ids --------------------------------------------------------------------------------------

    @property
    def separator(self) -> str | None:
        """Separator after the document id, or None for a regular expression or function."""
        simple = isinstance(self.chunks, str) and _extract_pattern(self.chunks) is None
        return str(self.chunks) if simple else None

    @cached_property
    def find_document(self) -> Callable[[str], str]:
        """Function from a chunk id to its document id."""
        chunks = self.chunks
        if not isinstance(chunks, str):
            if not callable(chunks):
                raise InputError(f"chunks={chunks!r}", "a separator such as '#', or a function")
            return partial(self._apply_function, chunks)
        if not chunks:
            raise InputError.from_problem("chunks is empty", "Example: '#'.")
        pattern = _extract_pattern(chunks)
        return self._split_chunk if pattern is None else partial(self._apply_function, _compile_pattern(pattern))

    def _split_chunk(self, chunk: str) -> str:
        separator = self.separator or ""
        document, _, rest = chunk.partition(separator)
        if separator in rest:
            fix = "Use a regular expression such as '/(.+)#.*/'."
            problem = f"{separator!r} occurs more than once in {chunk!r}"
            raise InputError.from_problem(problem, fix, self.where)
        return self._check_document(document, chunk)

    def _apply_function(self, document: Callable[[str], Any], chunk: str) -> str:
        return self._check_document(document(chunk), chunk)

    def _check_document(self, document: Any, chunk: str) -> str:
        if not isinstance(document, str) or not document:
            raise InputError(f"document {document!r} for chunk {chunk!r}", "a name", self.where)
        return document

    def _find_documents(self, chunks: Strings) -> Strings:
        """Return the documents of a column of chunks.

        Fast for a separator of one character.
        """
        separator = self.separator
        if separator is None or len(separator) > 1 or not separator.isascii():
            return Strings.from_list([self.find_document(chunk) for chunk in chunks])
        documents, is_ambiguous = chunks.split_before(separator)
        for odd in chunks[is_ambiguous | (documents.length == 0)].tolist():
            self.find_document(odd)  # raises the error
        return documents

    def check_judgments(self, qrels: Qrels) -> None:
        """Raise an error if chunks are judged: no document of a run would be judged."""
        if (separator := self.separator) is None:
            return
        for doc in qrels.doc_names:
            if separator in doc:
                problem = f"judged document {doc!r} contains the chunk separator {separator!r}"
                fix = "Omit chunks to evaluate chunks as documents."
                raise InputError.from_problem(problem, fix, qrels.where)

    # -- lists ------------------------------------------------------------------------------------

    def _choose_rule(self, choice: str | None) -> str:
        """Return the rule for lines of a document: first, max or sum."""
        if self.order != "score":
            return "first" if self.order == "given" else "max"
        return "max" if choice in (None, "best") else str(choice)

    def merge_table(self, table: Table) -> Table:
        """Merge a table of whole topics, so that each document has one line."""
        unique = table if self.duplicates == "error" else _merge_rows(table, self._choose_rule(self.duplicates))
        merged, changed = unique, np.zeros(len(unique), dtype=bool)
        if self.chunks is not None:
            docs = self._find_documents(unique.docs)
            changed = ~docs.compare(unique.docs)
            merged = replace(unique, docs=docs, hashes=docs.compute_hashes())
            merged = _merge_rows(merged, self._choose_rule(self.chunk_score))
        counts = zip(table.sizes, unique.sizes, _count_flags(changed, unique), merged.sizes, strict=True)
        for name, (lines, remaining, chunks, documents) in zip(table.names, counts, strict=True):
            self.counts[name] = _Counts(*map(int, (lines, lines - remaining, chunks, documents)))
        return merged

    def merge_ranking(self, topic: str, docs: Mapping[str, float], repeated: int = 0) -> dict[str, float]:
        """Merge the chunks of a ranking in memory, which has no duplicate ids."""
        rule, chunks = self._choose_rule(self.chunk_score), 0
        scores: dict[str, float] = {}
        for chunk, value in docs.items():
            doc = chunk if self.chunks is None else self.find_document(chunk)
            chunks += doc != chunk
            if doc not in scores:
                scores[doc] = value
            elif rule == "sum":
                scores[doc] += value
            elif rule == "max" and value > scores[doc]:
                del scores[doc]  # moves to the position of its best chunk
                scores[doc] = value
        self.counts[topic] = _Counts(len(docs) + repeated, repeated, chunks, len(scores))
        return scores

    def drop_duplicates(self, docs: Iterable[tuple[str, float]]) -> dict[str, float]:
        """Return a ranking in memory with one line for each id."""
        rule, scores = self._choose_rule(self.duplicates), dict[str, float]()
        for doc, value in docs:
            if doc not in scores:
                scores[doc] = value
            elif rule == "max" and value > scores[doc]:
                del scores[doc]
                scores[doc] = value
        return scores

    # -- what was done ----------------------------------------------------------------------------

    def describe_merges(self) -> Iterator[tuple[str, str]]:
        """Yield (kind, text) of each note about merged documents."""
        lines, repeated, chunks, documents = (sum(column) for column in zip(*self.counts.values(), strict=True))
        if repeated:
            selection = "first" if self.duplicates == "first" or self.order == "given" else "best"
            lines_dropped = format_count(repeated, "duplicate line")
            yield "duplicates", f"{lines_dropped} dropped, the {selection} of each document kept"
        if self.chunks is not None and not chunks:
            reason = f"contains {self.chunks!r}" if self.separator else "is a chunk id"
            yield "no-chunks", f"no document id {reason}, no chunks merged"
        elif self.chunks is not None:
            score_text = _SCORE_TEXTS[self.order, self._choose_rule(self.chunk_score)]
            sources = format_count(chunks, "chunk")
            if other_lines := lines - repeated - chunks:
                sources += f" and {format_count(other_lines, 'other line')}"
            yield (
                "chunks",
                f"{sources} merged to {format_count(documents, 'document')}, {score_text}",
            )


_OPTIONS = ("chunks", "chunk_score", "duplicates")


def _extract_pattern(text: str) -> str | None:
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "/" else None


def _compile_pattern(pattern: str) -> Callable[[str], Any]:
    """Return a function from an id to the group of the pattern, or to the id itself."""
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        problem = f"invalid regular expression /{pattern}/: {error}"
        raise InputError.from_problem(problem) from None
    if compiled.groups != 1:
        problem = f"{format_count(compiled.groups, 'group')} in /{pattern}/"
        raise InputError(problem, "1 group for the document, as in /(.+)_p[0-9]+/")
    return partial(_match_document, compiled)


def _match_document(pattern: re.Pattern[str], chunk: str) -> str:
    match = pattern.fullmatch(chunk)
    return match[1] if match else chunk


def _count_flags(flags: Bools, table: Table) -> Any:
    """Return the number of flagged lines of each group."""
    return np.bincount(table.group[flags], minlength=len(table.names))


def _merge_rows(table: Table, rule: str) -> Table:
    """Keep one line of each document: the first, the best, or the first with the sum."""
    keys = hash_in_groups(table.hashes, table.group)
    order = np.argsort(keys, kind="stable")
    new = np.ones(len(order), dtype=bool)
    new[1:] = keys[order[1:]] != keys[order[:-1]]
    repeats = np.flatnonzero(~new)
    new[repeats] = ~table.docs[order[repeats]].compare(table.docs[order[repeats - 1]])
    if new.all():
        return table
    code = np.empty_like(order)
    code[order] = np.cumsum(new) - 1
    if rule == "max":
        order = np.lexsort((-table.values, code))
    selected = order[np.flatnonzero(np.diff(code[order], prepend=-1))]
    if rule == "sum":
        sums: Floats = np.bincount(code, table.values).astype(np.float64)  # sequential sums
        table = replace(table, values=sums[code], ranks=None)
    return table.select_lines(np.isin(np.arange(len(table)), selected))


# -- duplicates in memory -------------------------------------------------------------------------


def drop_duplicates(data: Any, merging: Merging) -> tuple[Any, Mapping[str, int]]:
    """Return data in memory without duplicates, and the number of dropped lines."""
    lists: dict[Any, Any] = dict(data) if isinstance(data, Mapping) else {}
    pairs: dict[Any, list[tuple[Any, float]]] = {}
    for topic, docs in lists.items():
        if isinstance(docs, list | tuple) and all(isinstance(doc, str | int) for doc in docs):
            pairs[topic] = [(doc, -float(place)) for place, doc in enumerate(docs)]
        elif isinstance(docs, list | tuple) and all(map(_is_pair, docs)):
            pairs[topic] = [(doc, float(value)) for doc, value in docs]
    if not lists:
        data = list(data)
        if not all(map(_is_row, data)):
            return data, {}  # invalid rows are reported later
        for row in data:
            topic, doc, value = row if len(row) == 3 else (row[0], row[2], row[4])
            pairs.setdefault(topic, []).append((doc, float(value)))
    unique, repeated = merge_pairs(pairs, merging)
    return lists | unique, repeated


def merge_pairs(
    pairs: Mapping[Any, Sequence[tuple[Any, float]]], merging: Merging
) -> tuple[dict[Any, Any], dict[str, int]]:
    """Merge the (document, value) pairs of each topic, and count the dropped pairs."""
    unique = {topic: merging.drop_duplicates(docs) for topic, docs in pairs.items()}
    return unique, {str(t): len(pairs[t]) - len(docs) for t, docs in unique.items()}


def _is_pair(pair: Any) -> bool:
    """Return True for a document with its score."""
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return False
    return isinstance(pair[0], str | int) and to_number(pair[1]) is not None


def _is_row(row: Any) -> bool:
    """Return True for a result in memory: three cells, or the cells of a TREC line."""
    if not isinstance(row, Sequence) or len(row) not in (3, len(TREC["run"])):
        return False
    topic, doc, value = row if len(row) == 3 else (row[0], row[2], row[4])
    return all(isinstance(name, str | int) for name in (topic, doc)) and to_number(value) is not None
