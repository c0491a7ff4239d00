"""Several lines of a list that are one document: its chunks, or the document itself again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table, in_group
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.wording import counted

if TYPE_CHECKING:
    from cranfield.data.qrels import Qrels

ChunksLike: TypeAlias = str | Callable[[str], str] | None
ChunkScore: TypeAlias = Literal["first", "max", "sum"]
Duplicates: TypeAlias = Literal["error", "first", "best"]
Order: TypeAlias = Literal["score", "rank", "given"]  # what lists are ordered by

_WORTH = {
    ("score", "first"): "each with the score of its first chunk",
    ("score", "max"): "each with the score of its best chunk",
    ("score", "sum"): "each with the sum of its chunks' scores",
    ("rank", "max"): "each at the best rank of a chunk",
    ("given", "first"): "each in the place of its first chunk",
}


class _Counts(NamedTuple):
    """What became of the lines of a topic."""

    lines: int
    repeated: int  # lines that were left out
    chunks: int  # ids that are not those of documents
    documents: int


@dataclass(frozen=True, eq=False)
class Merging:
    """How lines become documents, and what was done, by topic.

    `chunks` says which document a chunk is of: a separator, before which its id stands; a regular
    expression between slashes, whose one group it is; or a function. `chunk_score` says what a
    document scores, and `duplicates` which of the lines counts that repeat an id.

    >>> Merging("#").of_list("q1", {"d1#1": 2.0, "d2#7": 3.0, "d1#4": 5.0})
    {'d2': 3.0, 'd1': 5.0}
    >>> Merging(r"/(.+)_p\\d+/", "sum").of_list("q1", {"d_1_p1": 2.0, "d_2": 3.0, "d_1_p4": 5.0})
    {'d_1': 7.0, 'd_2': 3.0}
    """

    chunks: ChunksLike = None
    chunk_score: ChunkScore | None = None
    duplicates: Duplicates = "error"
    order: Order = "score"
    where: str = "run"
    done: dict[str, _Counts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of("duplicates", self.duplicates, Duplicates)
        if self.chunk_score is not None:
            one_of("chunk_score", self.chunk_score, ChunkScore)
            if self.chunks is None:
                raise InputError(f"chunk_score={self.chunk_score!r}", "chunks with it")
        if self.chunks is not None:
            _ = self.document  # or an error

    @property
    def asked(self) -> bool:
        """Whether there is anything to be done."""
        return self.chunks is not None or self.duplicates != "error"

    def like(self, other: Merging) -> bool:
        """Whether both say the same."""
        return all(getattr(self, x) == getattr(other, x) for x in _SAID)

    def of_run(self, order: Order, where: str) -> Merging:
        """The same for a run whose lists are ordered in that way."""
        if order != "score" and self.chunk_score in ("max", "sum"):
            by = "rank" if order == "rank" else "the order of the lists"
            found = f"chunk_score={self.chunk_score} where {by} decides"
            raise InputError(found, "first, as there are no scores to compare", where)
        return replace(self, order=order, where=where, done={})

    def anew(self) -> Merging:
        """The same for another run."""
        return replace(self, done={})

    # -- ids --------------------------------------------------------------------------------------

    @property
    def separator(self) -> str | None:
        """What stands between document and chunk, if it is as simple as that."""
        simple = isinstance(self.chunks, str) and _between_slashes(self.chunks) is None
        return str(self.chunks) if simple else None

    @cached_property
    def document(self) -> Callable[[str], str]:
        """The document of a chunk."""
        chunks = self.chunks
        if not isinstance(chunks, str):
            if not callable(chunks):
                raise InputError(f"chunks={chunks!r}", "a separator such as '#', or a function")
            return partial(self._checked, chunks)
        if not chunks:
            raise InputError("no separator of chunks", "one such as '#'")
        pattern = _between_slashes(chunks)
        return self._before if pattern is None else partial(self._checked, _matched(pattern))

    def _before(self, chunk: str) -> str:
        separator = self.separator or ""
        document, _, rest = chunk.partition(separator)
        if separator in rest:
            hint = "a regular expression says which is meant, such as '/(.+)#.*/'"
            raise InputError(f"{separator!r} twice in {chunk!r}", "it once", self.where, hint=hint)
        return self._named(document, chunk)

    def _checked(self, document: Callable[[str], Any], chunk: str) -> str:
        return self._named(document(chunk), chunk)

    def _named(self, document: Any, chunk: str) -> str:
        if not isinstance(document, str) or not document:
            raise InputError(f"document {document!r} of chunk {chunk!r}", "a name", self.where)
        return document

    def _documents(self, chunks: Strings) -> Strings:
        """The documents of a column of chunks: one sign is looked for in all of them at once."""
        separator = self.separator
        if separator is None or len(separator) > 1 or not separator.isascii():
            return Strings.of([self.document(chunk) for chunk in chunks])
        found, again = chunks.before(separator)
        for odd in chunks[again | (found.length == 0)].tolist():
            self.document(odd)  # which is an error
        return found

    def refuse_judged(self, qrels: Qrels) -> None:
        """Refuse judgments of chunks: no document of a run would be judged."""
        if (separator := self.separator) is None:
            return
        for doc in qrels.doc_names:
            if separator in doc:
                found = f"{doc}, in which {separator!r} stands, judged"
                expected = f"documents with chunks={separator!r}"
                hint = "without chunks, judgments of chunks are taken as they are"
                raise InputError(found, expected, qrels.where, hint=hint)

    # -- lists ------------------------------------------------------------------------------------

    def _how(self, asked: str | None) -> str:
        """Which of the lines of a document counts: first, max or sum."""
        if self.order != "score":
            return "first" if self.order == "given" else "max"
        return "max" if asked in (None, "best") else str(asked)

    def of_table(self, table: Table) -> Table:
        """Whole topics, each document once."""
        once = table if self.duplicates == "error" else _once(table, self._how(self.duplicates))
        found, changed = once, np.zeros(len(once), dtype=bool)
        if self.chunks is not None:
            docs = self._documents(once.docs)
            changed = ~docs.same(once.docs)
            found = replace(once, docs=docs, hashes=docs.hashes())
            found = _once(found, self._how(self.chunk_score))
        counts = zip(table.sizes, once.sizes, _counts(changed, once), found.sizes, strict=True)
        for name, (lines, kept, chunks, documents) in zip(table.names, counts, strict=True):
            self.done[name] = _Counts(*map(int, (lines, lines - kept, chunks, documents)))
        return found

    def of_list(self, topic: str, docs: Mapping[str, float], repeated: int = 0) -> dict[str, float]:
        """One list in memory, in which ids do not repeat any longer, each document once."""
        how, chunks = self._how(self.chunk_score), 0
        found: dict[str, float] = {}
        for chunk, value in docs.items():
            doc = chunk if self.chunks is None else self.document(chunk)
            chunks += doc != chunk
            if doc not in found:
                found[doc] = value
            elif how == "sum":
                found[doc] += value
            elif how == "max" and value > found[doc]:
                del found[doc]  # it stands where its best chunk does
                found[doc] = value
        self.done[topic] = _Counts(len(docs) + repeated, repeated, chunks, len(found))
        return found

    def without_repeats(self, docs: Iterable[tuple[str, float]]) -> dict[str, float]:
        """One list in memory, of each id the line that counts."""
        how, found = self._how(self.duplicates), dict[str, float]()
        for doc, value in docs:
            if doc not in found:
                found[doc] = value
            elif how == "max" and value > found[doc]:
                del found[doc]
                found[doc] = value
        return found

    # -- what was done ----------------------------------------------------------------------------

    def said(self) -> Iterator[tuple[str, str]]:
        """What the user should know of it: the kind of a notice, and its text."""
        lines, repeated, chunks, documents = (
            sum(column) for column in zip(*self.done.values(), strict=True)
        )
        if repeated:
            kept = "first" if self.duplicates == "first" or self.order == "given" else "best"
            text = (
                f"{counted(repeated, 'repeated line')} left out, the {kept} of each document kept"
            )
            yield "duplicates", text
        if self.chunks is not None and not chunks:
            what = f"has {self.chunks!r} in it" if self.separator else "is that of a chunk"
            yield "no-chunks", f"no document id {what}: nothing was merged"
        elif self.chunks is not None:
            worth = _WORTH[self.order, self._how(self.chunk_score)]
            before = counted(chunks, "chunk")
            if others := lines - repeated - chunks:
                before += f" and {counted(others, 'other line')}"
            yield "chunks", f"{before} became {counted(documents, 'document')}, {worth}"


_SAID = ("chunks", "chunk_score", "duplicates")


def _between_slashes(text: str) -> str | None:
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "/" else None


def _matched(pattern: str) -> Callable[[str], Any]:
    """The group of a regular expression that an id matches as a whole; else the id."""
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(f"regular expression /{pattern}/ ({error})", "another") from None
    if compiled.groups != 1:
        found = f"{counted(compiled.groups, 'group')} in /{pattern}/"
        raise InputError(found, "one, which is the document, as in /(.+)_p[0-9]+/")
    return partial(_document, compiled)


def _document(pattern: re.Pattern[str], chunk: str) -> str:
    match = pattern.fullmatch(chunk)
    return match[1] if match else chunk


def _counts(flags: Bools, table: Table) -> Any:
    """How many lines of each group are flagged."""
    return np.bincount(table.group[flags], minlength=len(table.names))


def _once(table: Table, how: str) -> Table:
    """Each document of a group once: its first line, its best, or its first with the sum of all."""
    keys = in_group(table.hashes, table.group)
    order = np.argsort(keys, kind="stable")
    new = np.ones(len(order), dtype=bool)
    new[1:] = keys[order[1:]] != keys[order[:-1]]
    again = np.flatnonzero(~new)
    new[again] = ~table.docs[order[again]].same(table.docs[order[again - 1]])
    if new.all():
        return table
    code = np.empty_like(order)
    code[order] = np.cumsum(new) - 1
    if how == "max":
        order = np.lexsort((-table.values, code))
    kept = order[np.flatnonzero(np.diff(code[order], prepend=-1))]
    if how == "sum":
        sums: Floats = np.bincount(code, table.values).astype(np.float64)  # from the first line on
        table = replace(table, values=sums[code], ranks=None)
    return table.where(np.isin(np.arange(len(table)), kept))
