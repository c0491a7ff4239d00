"""Inspection of a file for all problems.

Text is read in pieces with the fast reader. If it raises Irregular for a piece, the records of this
piece have the problems. Duplicates are detected by hashes and verified with records, of the first
few duplicates only unless all are requested. The inspection takes little longer than reading the
file, which need not fit into memory. The fast reader is the reader used for evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from cranfield.arrays import LARGEST, Floats, Ints, Words
from cranfield.data.parallel import map_in_order
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.lines import UTF16, scan_lines
from cranfield.data.reading.records import (
    DUPLICATE,
    Problem,
    ReadOptions,
    Record,
    check_consistency,
    check_records,
)
from cranfield.data.reading.source import Piece, Source
from cranfield.data.reading.strings import Numbering, Strings
from cranfield.data.reading.table import Irregular, Table, hash_in_groups
from cranfield.dataclass import dataclass
from cranfield.errors import DuplicateError, InputError

if TYPE_CHECKING:
    from cranfield.data.reading.formats import Format

Read: TypeAlias = tuple[int, Table | None, bytes]  # lines, table, text if irregular
MAX_DUPLICATES = 5  # duplicates that an error names


@dataclass(eq=False)
class Inspection:
    """Inspection of one file: its valid lines as tables, then its problems in file order."""

    format: Format
    source: Source
    kind: Kind
    options: ReadOptions
    fast: bool = True  # use the fast reader
    problems: list[Problem] = field(default_factory=list)
    line_offsets: list[int] = field(default_factory=list)  # lines before each piece
    keys: list[Words] = field(default_factory=list)  # of each piece: hashes of documents,
    lines: list[Ints] = field(default_factory=list)  # line numbers,
    values: list[Floats] = field(default_factory=list)  # levels of judgments,
    all_topic_rows: list[Ints] = field(default_factory=list)  # lines of a topic named all
    table: Table | None = None  # a valid file, if not read in pieces
    topics: Numbering = field(default_factory=Numbering)
    reference: Record | None = None  # the first record: all or none have scores, or ranks
    cut: bool = False  # stopped by a long line or by UTF-16

    def read_tables(self) -> Iterator[Table]:
        """Yield the valid lines in file order, and collect `problems`."""
        if self.format.read_piece is None:
            yield self._read_file()
            return
        line_offset = self.source.get_line_number(0)
        for count, table, text in map_in_order(self.source.iter_pieces(), self._read):
            self.line_offsets.append(line_offset)
            piece = Piece(self.source.path, self.source.limits, text, line_offset)
            is_valid = table is not None and (self.format.tabular is None or self._is_consistent(table))
            piece_table = (
                _shift_lines(line_offset, table) if is_valid and table is not None else self._read_records(piece)
            )
            line_offset += count
            self._note(piece_table)
            yield piece_table
            if self.cut:
                return

    def find_first_error(self) -> InputError | None:
        """Return the first error, or None. For duplicates, it has the first line numbers."""
        for _ in self.read_tables():
            if any(problem.cause is not None for problem in self.problems) or self._has_duplicates():
                break
        errors = [problem for problem in self.list_problems(MAX_DUPLICATES) if problem.cause is not None]
        first = errors[0].cause if errors else None
        return _add_lines(first, errors) if isinstance(first, DuplicateError) else first

    def list_problems(self, limit: int | None = None) -> list[Problem]:
        """Return the problems in file order.

        `limit` restricts the problems caused by other lines: the last one has the number of omitted
        problems.
        """
        if self.format.read_piece is None and self.table is None:
            return self.problems
        problems = [*self.problems, *self._find_conflicts(limit)]
        if not problems and not sum(map(len, self.keys)):
            problems = [self.format.make_empty_file_error(self.source, self.kind)]
        return sorted(problems, key=lambda problem: problem.line or 0)

    # -- text, piece by piece ---------------------------------------------------------------------

    def _read(self, read: Callable[[], bytes]) -> Read:
        """Read a piece with the fast reader. Return its text if records may be needed."""
        text = read()
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        try:
            table = self._read_fast(text)
        except Irregular:
            return count, None, text
        if len(table) != count:
            numbers = [n for n, _ in scan_lines(Piece(self.source.path, self.source.limits, text))]
            table = replace(table, lines=np.array(numbers, dtype=np.int64))
        return count, table, b"" if self.format.tabular is None else text

    def _read_fast(self, text: bytes) -> Table:
        if self.options.labels is not None or not self.fast or self.source.find_long_line(text) is not None:
            raise Irregular
        assert self.format.read_piece is not None  # noqa: S101
        table = self.format.read_piece(text, self.kind, replace(self.options, by_tag=True))
        ranked = self.kind == "run" and "rank" in self.format.fields.get("run", ())
        if (ranked and table.ranks is None) or table.doubts or (self.kind == "qrels" and _has_huge_level(table)):
            raise Irregular
        return _fill_scores(table)

    def _is_consistent(self, table: Table) -> bool:
        """Return True if a table has scores, or ranks, if and only if the first record has."""
        if not len(table):
            return True
        value, rank = (0.0 if has else None for has in (table.scored, table.ranks is not None))
        self.reference = self.reference or Record(None, "", "", value, rank, None)
        record = self.reference._replace(value=value, rank=rank)
        return next(check_consistency(record, self.reference, ""), None) is None

    def _read_records(self, piece: Piece) -> Table:
        records: list[Record] = []
        for item in self.format.iter_records(piece, self.kind, self.options):
            if isinstance(item, Record):
                records.append(item)
                self.reference = self.reference or item
                self.problems += check_consistency(item, self.reference, self.source.name)
            elif isinstance(item, InputError):
                self.problems.append(Problem.from_error(item, self.source.name))
            elif all(item.text != problem.text for problem in self.problems):
                self.problems.append(item)
        is_utf16 = piece.get_line_number(1) == 1 and piece.text.startswith(UTF16)
        self.cut = is_utf16 or self.source.find_long_line(piece.text) is not None
        return build_table(records)

    # -- problems across pieces -------------------------------------------------------------------

    def _note(self, table: Table) -> None:
        """Store the hashes that detect duplicates, and lines of a topic named all."""
        topic = np.repeat(self.topics.number_strings(table.topics), table.sizes)
        keys = hash_in_groups(table.hashes, topic)
        tags = Strings.from_list([table.tag or ""]) if table.tags is None else table.tags
        if self.options.intents and table.types is not None:
            keys = keys * np.uint64(3) ^ table.types.compute_hashes()
        elif self.kind == "run" and self.options.by_tag:
            keys = keys * np.uint64(3) ^ tags.compute_hashes()
        self.keys.append(keys)
        empty = np.empty(0, dtype=np.int64)
        self.lines.append(empty if table.lines is None else table.lines)
        self.values.append(table.values if self.kind == "qrels" else np.empty(0))
        names = table.names if self.kind == "qrels" else []
        groups = [i for i, name in enumerate(names) if name == "all"]
        self.all_topic_rows.append(np.flatnonzero(np.isin(table.group, groups)))

    def _find_conflicts(self, limit: int | None) -> list[Problem]:
        """Return the problems caused by other lines, verified with records."""
        kinds, first = self._find_suspects()
        if not any(map(len, kinds)):
            return []
        selection = np.concatenate([rows[:limit] for rows in kinds])
        records = self._iter_records(np.unique(np.concatenate([selection, first[selection]])))
        checks = check_records(records, self.kind, self.source.name, self.options)
        problems = [item for item in checks if isinstance(item, Problem)]
        if limit is None:
            return problems
        if len(problems) < len(selection):  # hash collisions
            return self._find_conflicts(None)
        return _count_omitted(problems, sum(map(len, kinds)), len(kinds[1]))

    def _find_suspects(self) -> tuple[list[Ints], Ints]:
        """Return rows with possible problems, and for each row the first row with its hash.

        The rows are: duplicates in runs or with another level, duplicates with the same level, and
        other lines of a topic named all.
        """
        keys = np.concatenate([np.empty(0, dtype=np.uint64), *self.keys])
        order = np.argsort(keys, kind="stable")
        new = np.diff(keys[order], prepend=~keys[order[:1]]) != 0
        first = np.empty(len(keys), dtype=np.int64)
        first[order] = order[np.flatnonzero(new)][np.cumsum(new) - 1]
        repeats = np.flatnonzero(first != np.arange(len(first)))
        if self.kind == "run" and self.options.allows_duplicates:
            repeats = repeats[:0]
        identical = np.zeros(len(repeats), dtype=bool)
        if self.kind == "qrels":
            values = np.concatenate([np.empty(0), *self.values])
            identical = values[repeats] == values[first[repeats]]
        begins = self._row_offsets[:-1]
        all_rows = [rows + begin for rows, begin in zip(self.all_topic_rows, begins, strict=True)]
        conflicts = np.concatenate([repeats[:0], *all_rows])
        return [
            repeats[~identical],
            repeats[identical],
            conflicts[first[conflicts] == conflicts],
        ], first

    def _has_duplicates(self) -> bool:
        """Return True if a run has duplicates, checked after 1, 2, 4, … pieces.

        A file with duplicates at the start is not read completely.
        """
        count = len(self.keys)
        return self.kind == "run" and count & (count - 1) == 0 and bool(len(self._find_suspects()[0][0]))

    @property
    def _row_offsets(self) -> Ints:
        """The first row of each piece, and the total number of rows."""
        return np.cumsum([0, *map(len, self.keys)])

    def _iter_records(self, rows: Ints) -> Iterator[Record]:
        """Yield the records of rows in ascending order."""
        if self.table is not None:
            yield from _iter_row_records(self.table, rows, self._get_line)
            return
        bounds = np.searchsorted(rows, self._row_offsets)
        for number, read in enumerate(self.source.iter_pieces()):
            if number == len(self.keys) or bounds[number] == len(rows):
                return
            selection = rows[bounds[number] : bounds[number + 1]] - self._row_offsets[number]
            if len(selection):
                yield from self._parse_lines(read().split(b"\n"), number, self.lines[number][selection])

    def _parse_lines(self, text: Sequence[bytes], number: int, lines: Ints) -> Iterator[Record]:
        """Yield the records of lines of a piece."""
        selection = b"\n".join(text[line - self.line_offsets[number] - 1] for line in lines.tolist())
        piece = Piece(self.source.path, self.source.limits, selection, 1)  # not a file's first line
        items = self.format.iter_records(piece, self.kind, self.options)
        records = (item for item in items if not isinstance(item, Problem))
        for line, record in zip(lines.tolist(), records, strict=True):
            if isinstance(record, Record):
                yield record._replace(line=line)

    # -- files that are not read in pieces --------------------------------------------------------

    def _read_file(self) -> Table:
        """Read a file with the fast reader if it has no problems, else by record."""
        try:
            if self.fast and not (self.format.name == "letor" and self.kind == "run"):
                return self._check_table(self.format.read_table(self.source, self.kind, self.options))
        except Irregular:
            self.table = None
        records: list[Record] = []
        for item in self.format.check_records(self.source, self.kind, self.options):
            if isinstance(item, Record):
                records.append(item)
            else:
                self.problems.append(item)
        return build_table(records)

    def _check_table(self, table: Table) -> Table:
        """Return the table if records have no further problems. Raise Irregular otherwise."""
        needs_records = self.options.uses_second_column or table.tags is not None
        if not len(table) or needs_records or table.doubts:
            raise Irregular
        if self.kind == "qrels" and ("all" in table.names or _has_huge_level(table)):
            raise Irregular
        if self.kind == "qrels" or self.options.allows_duplicates:
            if table.group_by_topic().find_duplicate():
                raise Irregular
            return _fill_scores(table)
        self.table = _fill_scores(table)
        self._note(self.table)
        return self.table

    def _get_line(self, row: int) -> int | None:
        """Return the line of a row of a file, None if the format has no lines."""
        if not self.format.has_lines or self.table is None:
            return None
        if self._has_row_per_line:
            return self.source.get_line_number(row + 2)
        return self._numbers[row]

    @cached_property
    def _has_row_per_line(self) -> bool:
        """True if every line after the header is a row."""
        text = self.source.read()
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        return self.table is not None and count == len(self.table) + 1

    @cached_property
    def _numbers(self) -> list[int | None]:
        """The line numbers of all rows, from the records."""
        records = self.format.iter_records(self.source, self.kind, self.options)
        return [item.line for item in records if isinstance(item, Record)]


def _add_lines(first: DuplicateError, errors: Sequence[Problem]) -> DuplicateError:
    """Add the first line numbers of duplicates to the error."""
    duplicates = [problem for problem in errors if isinstance(problem.cause, DuplicateError)]
    count = sum(1 + problem.more for problem in duplicates)
    lines = [str(problem.line) for problem in duplicates if problem.line is not None]
    if count == 1 or not lines:
        return first
    hint = f"Duplicates on lines {', '.join(lines)}" + ", …" * (count > len(lines))
    return first.with_hint(hint)


def _fill_scores(table: Table) -> Table:
    """Return the table with NaN as values if it has none."""
    return table if table.scored else replace(table, values=np.full(len(table), np.nan))


def _shift_lines(line_offset: int, table: Table) -> Table:
    """Return the table with line numbers, after `line_offset` other lines."""
    numbers = np.arange(1, len(table) + 1) if table.lines is None else table.lines
    return replace(table, lines=numbers + line_offset)


def _has_huge_level(table: Table) -> bool:
    """Return True if a level is too large for measures."""
    return bool(np.abs(table.values).max(initial=0.0) > LARGEST)


def _count_omitted(problems: list[Problem], total: int, identical: int) -> list[Problem]:
    """Return the problems with the number of omitted problems in the last of each kind."""
    warnings = [i for i, problem in enumerate(problems) if problem.kind == DUPLICATE]
    errors = [i for i, problem in enumerate(problems) if problem.kind != DUPLICATE]
    for places, count in ((warnings, identical), (errors, total - identical)):
        if places and count > len(places):
            problems[places[-1]] = replace(problems[places[-1]], more=count - len(places))
    return problems


def _iter_row_records(table: Table, rows: Ints, line_of: Callable[[int], int | None]) -> Iterator[Record]:
    """Yield the records of rows of a table."""
    names, group = table.names, table.group
    docs = table.docs[rows].tolist()
    tags = [table.tag] * len(rows) if table.tags is None else table.tags[rows].tolist()
    for row, doc, tag in zip(rows.tolist(), docs, tags, strict=True):
        value = None if np.isnan(table.values[row]) else float(table.values[row])
        yield Record(line_of(row), names[group[row]], doc, value, None, tag)


def build_table(records: Sequence[Record]) -> Table:
    """Convert records to columns. Missing numbers are NaN."""

    def collect_texts(name: str) -> Strings:
        return Strings.from_list([getattr(record, name) or "" for record in records])

    def collect_numbers(name: str) -> Floats:
        return np.array([getattr(record, name) for record in records], dtype=np.float64)

    tags, lines = collect_texts("tag"), collect_numbers("line")
    return replace(
        Table.from_columns(collect_texts("doc"), collect_numbers("value"), collect_texts("topic")),
        ranks=collect_numbers("rank"),
        tag=next(iter(tags[:1]), None),
        types=collect_texts("type"),
        tags=None if tags.is_constant() else tags,
        lines=None if np.isnan(lines).any() else lines.astype(np.int64),
    )
