"""Every problem of a file, found with the fast reader where it can, record by record elsewhere.

Text is looked over piece by piece. What is wrong with a line is in the line: where the fast reader
gives up on a piece, its records say what is wrong. What is wrong with two lines, a document that
comes again, is told by the hashes of all, and made certain by the records of those that agree. So
a good file costs little more than to read it, and no file has to fit into memory.

The fast reader decides here as it does for whoever evaluates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from cranfield.arrays import LARGEST, Floats, Ints, Words
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.lines import UTF16, lines
from cranfield.data.reading.parts import in_order
from cranfield.data.reading.records import Problem, Record, Text, checked
from cranfield.data.reading.source import Piece, Source
from cranfield.data.reading.strings import Numbering, Strings
from cranfield.data.reading.table import Irregular, Table, in_group
from cranfield.dataclass import dataclass
from cranfield.errors import InputError

if TYPE_CHECKING:
    from cranfield.data.reading.formats import Format

Read: TypeAlias = tuple[int, Table | None, bytes]  # lines, what they are, their text if that is odd


@dataclass(eq=False)
class Look:
    """One look over a file: its good lines, and then its problems in their order."""

    format: Format
    source: Source
    kind: Kind
    text: Text
    fast: bool = True  # whether the fast reader may be asked
    problems: list[Problem] = field(default_factory=list)
    before: list[int] = field(default_factory=list)  # lines before each piece
    keys: list[Words] = field(default_factory=list)  # of each piece, hashes of what comes once
    named_all: list[Ints] = field(default_factory=list)  # and lines of a topic with that name
    topics: Numbering = field(default_factory=Numbering)
    cut: bool = False  # a line is too long, or nothing is UTF-8: what follows is no line

    def tables(self) -> Iterator[Table]:
        """The good lines, in the order of the file; `problems` grows."""
        if self.format.piece is None:
            yield self._whole()
            return
        before = self.source.line(0)
        for count, table, text in in_order(self.source.pieces(), self._read):
            self.before.append(before)
            piece = Piece(self.source.path, self.source.limits, text, before)
            made = self._by_record(piece) if table is None else _after(before, table)
            before += count
            self._note(made)
            yield made
            if self.cut:
                return

    def first_error(self) -> InputError | None:
        """The error of the first line that has one."""
        for _ in self.tables():
            if any(problem.cause is not None for problem in self.problems):
                break
        return next((p.cause for p in self.found() if p.cause is not None), None)

    def found(self) -> list[Problem]:
        """All problems of what was read, in the order of the file."""
        if self.format.piece is None:
            return self.problems
        every = [*self.problems, *checked_again(self)]
        if not every and not sum(map(len, self.keys)):
            every = [self.format.nothing(self.source, self.kind)]
        return sorted(every, key=lambda problem: problem.line or 0)

    # -- text, piece by piece ---------------------------------------------------------------------

    def _read(self, read: Callable[[], bytes]) -> Read:
        """What the fast reader makes of a piece; its text, if that is nothing."""
        text = read()
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        try:
            table = self._fast(text)
        except Irregular:
            return count, None, text
        if len(table) == count:
            return count, table, b""
        numbers = [n for n, _ in lines(Piece(self.source.path, self.source.limits, text))]
        return count, replace(table, lines=np.array(numbers, dtype=np.int64)), b""

    def _fast(self, text: bytes) -> Table:
        if self.text.labels is not None or not self.fast or self.source.long_line(text) is not None:
            raise Irregular
        assert self.format.piece is not None  # noqa: S101
        table = self.format.piece(text, self.kind, replace(self.text, by_tag=True))
        ranked = self.kind == "run" and "rank" in self.format.fields["run"]
        if (ranked and table.ranks is None) or (self.kind == "qrels" and _huge(table)):
            raise Irregular
        return _unscored(table)

    def _by_record(self, piece: Piece) -> Table:
        records: list[Record] = []
        for item in self.format.each(piece, self.kind, self.text):
            if isinstance(item, Record):
                records.append(item)
            elif isinstance(item, InputError):
                self.problems.append(Problem.error(item, self.source.name))
        other = piece.line(1) == 1 and piece.text.startswith(UTF16)
        self.cut = other or self.source.long_line(piece.text) is not None
        return table_of(records)

    # -- what spans pieces ------------------------------------------------------------------------

    def _note(self, table: Table) -> None:
        """Keep what tells whether a document comes again, and a topic called all."""
        topic = np.repeat(self.topics.of(table.topics), table.sizes)
        keys = in_group(table.hashes, topic)
        tags = Strings.of([table.tag or ""]) if table.tags is None else table.tags
        if self.text.intents and table.types is not None:
            keys = keys * np.uint64(3) ^ table.types.hashes()
        elif self.kind == "run" and self.text.by_tag:
            keys = keys * np.uint64(3) ^ tags.hashes()
        self.keys.append(keys)
        named = table.names if self.kind == "qrels" else []
        groups = [i for i, name in enumerate(named) if name == "all"]
        self.named_all.append(np.flatnonzero(np.isin(table.group, groups)))

    def suspects(self) -> dict[int, set[int]]:
        """The lines of each piece that may be wrong because of others."""
        found: dict[int, set[int]] = {}
        keys = np.concatenate([np.empty(0, dtype=np.uint64), *self.keys])
        keys.sort()
        twice = np.unique(keys[1:][keys[1:] == keys[:-1]])
        for piece, (own, named) in enumerate(zip(self.keys, self.named_all, strict=True)):
            rows = {*named.tolist()}
            if len(twice):
                place = np.minimum(np.searchsorted(twice, own), len(twice) - 1)
                rows |= {*np.flatnonzero(twice[place] == own).tolist()}
            if rows:
                found[piece] = rows
        return found

    # -- what is read as a whole ------------------------------------------------------------------

    def _whole(self) -> Table:
        """The file as the fast reader has it, if nothing at all is odd about it, else by record."""
        try:
            if self.fast and not (self.format.placed and self.kind == "run"):
                return self._in_order(self.format.table(self.source, self.kind, self.text))
        except Irregular:
            pass
        records: list[Record] = []
        for item in self.format.errors(self.source, self.kind, self.text):
            if isinstance(item, Record):
                records.append(item)
            else:
                self.problems.append(item)
        return table_of(records)

    def _in_order(self, table: Table) -> Table:
        """The table, if there is nothing that a record would say more of."""
        whole = table.grouped()
        told_apart = self.text.typed or table.tags is not None
        if not len(table) or told_apart or table.in_doubt or whole.repeats():
            raise Irregular
        if self.kind == "qrels" and ("all" in table.names or _huge(table)):
            raise Irregular
        return _unscored(table)


def _unscored(table: Table) -> Table:
    """The table, its values missing where it has none."""
    return table if table.scored else replace(table, values=np.full(len(table), np.nan))


def _after(before: int, table: Table) -> Table:
    """The table with the numbers of its lines, after so many others; all, if it does not say."""
    inside = np.arange(1, len(table) + 1) if table.lines is None else table.lines
    return replace(table, lines=inside + before)


def _huge(table: Table) -> bool:
    """Whether a level is one that measures cannot add."""
    return bool(np.abs(table.values).max(initial=0.0) > LARGEST)


def checked_again(look: Look) -> Iterator[Problem]:
    """What is wrong with lines because of others: asked of their records."""
    suspects = look.suspects()
    if not suspects:
        return

    def records() -> Iterator[Record]:
        for number, read in enumerate(look.source.pieces()):
            if number not in suspects:
                continue
            piece = Piece(look.source.path, look.source.limits, read(), look.before[number])
            every = (
                r for r in look.format.each(piece, look.kind, look.text) if isinstance(r, Record)
            )
            yield from (r for row, r in enumerate(every) if row in suspects[number])

    for item in checked(records(), look.kind, look.source.name, look.text):
        if isinstance(item, Problem):
            yield item


def table_of(found: Sequence[Record]) -> Table:
    """Records as columns; numbers that are missing are NaN."""

    def texts(name: str) -> Strings:
        return Strings.of([getattr(record, name) or "" for record in found])

    def numbers(name: str) -> Floats:
        return np.array([getattr(record, name) for record in found], dtype=np.float64)

    tags, lines = texts("tag"), numbers("line")
    return replace(
        Table.of(texts("doc"), numbers("value"), texts("topic")),
        ranks=numbers("rank"),
        tag=next(iter(tags[:1]), None),
        types=texts("type"),
        tags=None if tags.alike() else tags,
        lines=None if np.isnan(lines).any() else lines.astype(np.int64),
    )
