"""Every problem of a file, found with the fast reader where it can, record by record elsewhere.

Text is looked over piece by piece. What is wrong with a line is in the line: where the fast reader
gives up on a piece, its records say what is wrong. What is wrong with two lines, a document that
comes again, is told by the hashes of all, and made certain by the records of those that agree: of
the first few, unless all are asked for, as a file may repeat every line. So any file costs little
more than to read it, and no file has to fit into memory.

The fast reader decides here as it does for whoever evaluates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from cranfield.arrays import LARGEST, Floats, Ints, Words
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.lines import UTF16, lines
from cranfield.data.reading.parts import in_order
from cranfield.data.reading.records import AGAIN, Problem, Record, Text, checked
from cranfield.data.reading.source import Piece, Source
from cranfield.data.reading.strings import Numbering, Strings
from cranfield.data.reading.table import Irregular, Table, in_group
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, RepetitionError

if TYPE_CHECKING:
    from cranfield.data.reading.formats import Format

Read: TypeAlias = tuple[int, Table | None, bytes]  # lines, what they are, their text if that is odd
FEW = 5  # duplicates that an error names


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
    keys: list[Words] = field(default_factory=list)  # of each piece, hashes of what comes once,
    lines: list[Ints] = field(default_factory=list)  # the numbers of its lines,
    values: list[Floats] = field(default_factory=list)  # of judgments, their levels,
    named_all: list[Ints] = field(default_factory=list)  # and lines of a topic with that name
    table: Table | None = None  # a file that is read as a whole, if its lines are in order
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
        """The error of the first line that has one; of duplicates, with the lines of a few."""
        for _ in self.tables():
            if any(problem.cause is not None for problem in self.problems) or self._repeats():
                break
        errors = [problem for problem in self.found(FEW) if problem.cause is not None]
        first = errors[0].cause if errors else None
        return _with_lines(first, errors) if isinstance(first, RepetitionError) else first

    def found(self, most: int | None = None) -> list[Problem]:
        """All problems of what was read, in the order of the file.

        Of lines that are wrong because of others, `most` of each kind: the last says how many more.
        """
        if self.format.piece is None and self.table is None:
            return self.problems
        every = [*self.problems, *self._again(most)]
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
        none = np.empty(0, dtype=np.int64)
        self.lines.append(none if table.lines is None else table.lines)
        self.values.append(table.values if self.kind == "qrels" else np.empty(0))
        named = table.names if self.kind == "qrels" else []
        groups = [i for i, name in enumerate(named) if name == "all"]
        self.named_all.append(np.flatnonzero(np.isin(table.group, groups)))

    def _again(self, most: int | None) -> list[Problem]:
        """What is wrong with lines because of others: told by hashes, asked of their records."""
        kinds, first = self._suspects()
        if not any(map(len, kinds)):
            return []
        chosen = np.concatenate([rows[:most] for rows in kinds])
        records = self._records(np.unique(np.concatenate([chosen, first[chosen]])))
        checks = checked(records, self.kind, self.source.name, self.text)
        problems = [item for item in checks if isinstance(item, Problem)]
        if most is None:
            return problems
        if len(problems) < len(chosen):  # documents with the same hash
            return self._again(None)
        return _counted(problems, sum(map(len, kinds)), len(kinds[1]))

    def _suspects(self) -> tuple[list[Ints], Ints]:
        """The rows that may be wrong because of others, and for each row the first like it.

        Those that repeat another, but judgments that repeat it alike; these; and others of a topic
        named all.
        """
        keys = np.concatenate([np.empty(0, dtype=np.uint64), *self.keys])
        order = np.argsort(keys, kind="stable")
        new = np.diff(keys[order], prepend=~keys[order[:1]]) != 0
        first = np.empty(len(keys), dtype=np.int64)
        first[order] = order[np.flatnonzero(new)][np.cumsum(new) - 1]
        again = np.flatnonzero(first != np.arange(len(first)))
        if self.kind == "run" and self.text.repeats:
            again = again[:0]
        alike = np.zeros(len(again), dtype=bool)
        if self.kind == "qrels":
            values = np.concatenate([np.empty(0), *self.values])
            alike = values[again] == values[first[again]]
        begins = self._begins[:-1]
        named = [rows + begin for rows, begin in zip(self.named_all, begins, strict=True)]
        others = np.concatenate([again[:0], *named])
        return [again[~alike], again[alike], others[first[others] == others]], first

    def _repeats(self) -> bool:
        """Whether a line repeats another of a run: asked after 1, 2, 4, … pieces, as it takes time.

        So a file that repeats itself from the start on is not read to its end.
        """
        count = len(self.keys)
        return self.kind == "run" and count & (count - 1) == 0 and bool(len(self._suspects()[0][0]))

    @property
    def _begins(self) -> Ints:
        """The first row of each piece, and the number of all rows."""
        return np.cumsum([0, *map(len, self.keys)])

    def _records(self, rows: Ints) -> Iterator[Record]:
        """The records of some rows, in ascending order."""
        if self.table is not None:
            yield from _of_rows(self.table, rows, self._line_of)
            return
        bounds = np.searchsorted(rows, self._begins)
        for number, read in enumerate(self.source.pieces()):
            if number == len(self.keys) or bounds[number] == len(rows):
                return
            some = rows[bounds[number] : bounds[number + 1]] - self._begins[number]
            if len(some):
                yield from self._of_piece(read().split(b"\n"), number, self.lines[number][some])

    def _of_piece(self, text: Sequence[bytes], number: int, lines: Ints) -> Iterator[Record]:
        """The records of some lines of a piece."""
        few = b"\n".join(text[line - self.before[number] - 1] for line in lines.tolist())
        piece = Piece(self.source.path, self.source.limits, few, 1)  # not a file's first line
        each = self.format.each(piece, self.kind, self.text)
        for line, record in zip(lines.tolist(), each, strict=True):
            if isinstance(record, Record):
                yield record._replace(line=line)

    # -- what is read as a whole ------------------------------------------------------------------

    def _whole(self) -> Table:
        """The file as the fast reader has it, if nothing at all is odd about it, else by record."""
        try:
            if self.fast and not (self.format.placed and self.kind == "run"):
                return self._in_order(self.format.table(self.source, self.kind, self.text))
        except Irregular:
            self.table = None
        records: list[Record] = []
        for item in self.format.errors(self.source, self.kind, self.text):
            if isinstance(item, Record):
                records.append(item)
            else:
                self.problems.append(item)
        return table_of(records)

    def _in_order(self, table: Table) -> Table:
        """The table, if there is nothing that a record would say more of."""
        told_apart = self.text.typed or table.tags is not None
        if not len(table) or told_apart or table.in_doubt:
            raise Irregular
        if self.kind == "qrels" and ("all" in table.names or _huge(table)):
            raise Irregular
        if self.kind == "qrels" or self.text.repeats:
            if table.grouped().repeats():
                raise Irregular
            return _unscored(table)
        self.table = _unscored(table)
        self._note(self.table)
        return self.table

    def _line_of(self, row: int) -> int | None:
        """The line of a row of a file that is read as a whole, if it has lines."""
        if not self.format.lined or self.table is None:
            return None
        if self._one_to_a_line:
            return self.source.line(row + 2)
        return self._numbers[row]

    @cached_property
    def _one_to_a_line(self) -> bool:
        """Whether a line of text is a row, after the header."""
        text = self.source.read()
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        return self.table is not None and count == len(self.table) + 1

    @cached_property
    def _numbers(self) -> list[int | None]:
        """The lines of all rows, asked of the records."""
        each = self.format.each(self.source, self.kind, self.text)
        return [item.line for item in each if isinstance(item, Record)]


def _with_lines(first: RepetitionError, errors: Sequence[Problem]) -> RepetitionError:
    """Return the error of the first duplicate, with the lines of a few."""
    again = [problem for problem in errors if isinstance(problem.cause, RepetitionError)]
    count = sum(1 + problem.more for problem in again)
    lines = [str(problem.line) for problem in again if problem.line is not None]
    if count == 1 or not lines:
        return first
    hint = f"duplicates on lines {', '.join(lines)}" + ", …" * (count > len(lines))
    return first.with_hint(hint)


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


def _counted(problems: list[Problem], total: int, alike: int) -> list[Problem]:
    """The problems, the last of each kind with the number of those that are not among them."""
    warnings = [i for i, problem in enumerate(problems) if problem.kind == AGAIN]
    errors = [i for i, problem in enumerate(problems) if problem.kind != AGAIN]
    for places, count in ((warnings, alike), (errors, total - alike)):
        if places and count > len(places):
            problems[places[-1]] = replace(problems[places[-1]], more=count - len(places))
    return problems


def _of_rows(table: Table, rows: Ints, line_of: Callable[[int], int | None]) -> Iterator[Record]:
    """The records of some rows of a table."""
    names, group = table.names, table.group
    docs = table.docs[rows].tolist()
    tags = [table.tag] * len(rows) if table.tags is None else table.tags[rows].tolist()
    for row, doc, tag in zip(rows.tolist(), docs, tags, strict=True):
        value = None if np.isnan(table.values[row]) else float(table.values[row])
        yield Record(line_of(row), names[group[row]], doc, value, None, tag)


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
