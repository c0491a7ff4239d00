"""Readers of lines of fields, such as TREC judgments and runs.

TREC: ``topic iteration doc level`` and ``topic Q0 doc rank score tag``. NTCIR judgments:
``topic doc L2``, ``topic doc L2 class``, and in the first rounds ``topic S doc 1``. `layouts`
detects other tables without a header.

Fields are separated by whitespace or a separator. Lines can end with CRLF. Blank lines, lines that
start with ``#`` and NTCIR's ``<SYSDESC>…</SYSDESC>`` are skipped. Array operations split pieces of
text into fields, and raise Irregular for invalid lines. `read_records` then finds the line.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np

from cranfield import kernel
from cranfield.arrays import Bytes, Floats, Ints
from cranfield.data.reading import strings
from cranfield.data.reading.columns import (
    EARLY,
    ITERATIONS,
    NTCIR,
    SECOND,
    TREC,
    VALUE,
    Kind,
    Layout,
    Layouts,
)
from cranfield.data.reading.labels import GRADES, NTCIR_LABEL, can_be_levels
from cranfield.data.reading.layouts import make_ambiguity_error
from cranfield.data.reading.lines import parse_finite, scan_lines, split_fields, truncate_text
from cranfield.data.reading.records import (
    COLUMNS,
    DEFAULT_OPTIONS,
    Problem,
    ReadOptions,
    Record,
    RecordBuilder,
    RecordItem,
    guess_meaning,
)
from cranfield.data.reading.source import NO_DATA, Beginning, Source
from cranfield.data.reading.strings import ROOM, Strings, parse_integers, parse_numbers
from cranfield.data.reading.table import Irregular, Table
from cranfield.errors import InputError
from cranfield.wording import format_count, format_option

_FEATURE = re.compile(r"\d+:\S+")  # in SVMlight files
FURTHER = re.compile(rb"^([^\S\n]*(?:\S+[^\S\n]+){5}\S+)[^\S\n]+[^\n]*", re.MULTILINE)


# -- as columns -----------------------------------------------------------------------------------


def read_table(layouts: Layouts, text: bytes, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> Table:
    """Read lines as columns. Raise Irregular for invalid lines.

    The second column (types or intents) is read if requested. Without scores, there are no values.
    """
    layout = layouts.get(kind, ())
    if not layout or (options.intents and not {*SECOND} & {*layout}):
        raise Irregular
    if not text.isascii():
        text = strip_comments(text)  # comments can have any encoding
        reject_other_encodings(text)
    fast_table = _read_compiled(text, layout, kind, options)
    if fast_table is not None:
        return fast_table
    fields = _split_fields(strip_comments(text), len(layout), options)
    idle = {""} if options.uses_second_column else {"", *SECOND}
    column = {name: fields.get_column(i) for i, name in enumerate(layout) if name not in idle}
    docs, scored = column["doc"], VALUE[kind] in column
    values = require_numbers(column[VALUE[kind]]) if scored else np.zeros(len(docs))
    table = replace(Table.from_columns(docs, values, column["topic"]), scored=scored)
    if options.uses_second_column:
        table = replace(table, types=next((column[x] for x in SECOND if x in column), None))
    if "stratum" in column:
        table = replace(table, strata=require_numbers(column["stratum"]))
    return table if kind == "qrels" else _add_ranks(table, column, options)


def _read_compiled(text: bytes, layout: Layout, kind: Kind, options: ReadOptions) -> Table | None:
    """Read lines with the compiled kernel, None if it does not support them."""
    if options.separator is not None or options.uses_second_column or layout[0] != "topic" or VALUE[kind] not in layout:
        return None
    if "stratum" in layout:
        return None
    return read_compiled_lines(text, layout, kind, options.by_tag)


def read_compiled_lines(text: bytes, names: Sequence[str], kind: Kind, by_tag: bool) -> Table | None:
    """Read lines with the compiled kernel, None for irregular lines or lines of several runs."""
    if kernel.KERNEL is None or not text:
        return None
    around, end = b"\n" * ROOM, b"" if text.endswith(b"\n") else b"\n"
    padded = b"".join((around, text, end, around))
    place = {name: i for i, name in enumerate(names)}
    indices = (place.get(name, -1) for name in ("doc", VALUE[kind], "rank", "tag"))
    buffer = np.frombuffer(padded, dtype=np.uint8)
    rows = int(np.count_nonzero(buffer == ord("\n")))  # five times as fast as bytes.count
    _keep_memory()
    block = np.empty((8, rows), dtype=np.int64)
    start, length, row, topic_start, size = block[:5]
    hashes, (values, ranks) = block[5].view(np.uint64), block[6:].view(np.float64)
    columns = (start, length, hashes, values, ranks, row, topic_start, size)
    layout = (len(names), *indices)
    result = kernel.KERNEL.read_lines(padded, ROOM, len(padded) - ROOM, layout, int(strings.KEY), columns)
    if result is None:
        return None
    n, groups, odd_values, odd_ranks, tag, tag_size, same_tag = result
    if odd_values or odd_ranks or not n or (by_tag and not same_tag):
        return None
    return Table(
        Strings(buffer, topic_start[:groups], size[:groups]),
        row[:groups],
        Strings(buffer, start[:n], length[:n]),
        hashes[:n],
        values[:n],
        ranks[:n] if "rank" in place else None,
        padded[tag : tag + tag_size].decode() if "tag" in place else None,
    )


@cache
def _keep_memory() -> None:
    """Let the allocator keep the memory of pieces for the next pieces.

    glibc returns freed memory to the system if it is over twice the largest block freed before.
    Requesting it again, page by page, takes as long as reading the lines. Other allocators are not
    affected.
    """
    np.empty(31 << 20, dtype=np.uint8)  # freed immediately, and never written


def _add_ranks(table: Table, column: Mapping[str, Strings], options: ReadOptions) -> Table:
    """Return the table with the ranks and tags of a run."""
    if "rank" in column:
        ranks = parse_integers(column["rank"])
        table = replace(table, ranks=parse_finite_numbers(column["rank"]) if ranks is None else ranks)
    if table.ranks is None and not table.scored:
        raise Irregular
    if "tag" not in column:
        return table
    tags = column["tag"]
    has_several_tags = options.by_tag and not tags.is_constant()
    return replace(table, tag=next(iter(tags[:1]), None), tags=tags if has_several_tags else None)


def _split_fields(text: bytes, width: int, options: ReadOptions) -> Fields:
    try:
        return Fields(text, width, options.separator)
    except Irregular:
        if not options.extra_fields:
            raise
        return Fields(FURTHER.sub(rb"\1", text), width, options.separator)


def require_numbers(texts: Strings) -> Floats:
    """Return finite numbers. Raise Irregular for other texts."""
    values = parse_finite_numbers(texts)
    if values is None:
        raise Irregular
    return values


def read_ntcir(text: bytes, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> Table:
    """Read lines ``topic doc L2`` of NTCIR judgments. Raise Irregular for invalid lines."""
    if options.intents or kind == "run":
        raise Irregular
    text = strip_comments(text)
    topics, docs, labels = (Fields(text, 3).get_column(i) for i in range(3))
    levels = parse_integers(Strings(labels.buffer, labels.start + 1, labels.length - 1))
    has_prefix = labels.buffer[labels.start] == ord("L")
    if levels is None or not (has_prefix & (labels.length > 1)).all():
        raise Irregular
    return Table.from_columns(docs, levels, topics)


def strip_comments(text: bytes) -> bytes:
    """Return the text without comments and descriptions."""
    return NO_DATA.sub(b"", text) if b"#" in text or b"<" in text else text


# -- detection --------------------------------------------------------------------------


def is_ntcir(beginning: Beginning) -> bool:
    """Return True if most lines are ``topic doc L2`` or ``topic doc L2 class``.

    In TREC judgments, L2 can be a document id. The field before it is then the iteration.
    """
    rows, labelled = _select_labelled(beginning)
    if not rows or 2 * len(labelled) < len(rows):  # invalid lines are found later
        return False
    if any(len(row) == 3 for row in labelled):
        return True
    items = {tuple(row[:3]) for row in labelled}
    iterations = 2 * len({item[:2] for item in items}) <= len(items)  # a document has one label
    return not iterations and not {row[1] for row in labelled} <= set(ITERATIONS)


def is_early_ntcir(beginning: Beginning) -> bool:
    """Return True if most lines can be ``topic S doc 1``, as in NTCIR's first rounds.

    Intents can also be named S, A, B or C: see `can_be_intents`.
    """
    rows, labelled = _select_labelled(beginning)
    graded = _select_graded(beginning)
    if 2 * len(graded) <= len(rows) or labelled or not _is_consistent_grading(graded):
        return False
    return beginning.kind != "run" or not all(row[2].isdecimal() for row in graded)  # ranks


def can_be_intents(beginning: Beginning) -> bool:
    """Return True if all lines that can be ``topic S doc 1`` are relevant, or all nonrelevant.

    Grades and intents are then indistinguishable.
    """
    return not beginning.labels and len({row[3] for row in _select_graded(beginning)}) == 1


def make_grade_error(beginning: Beginning) -> InputError:
    """Return the error for lines with a second field that can be a grade or an intent."""
    readings = ["topic grade doc relevant (early)", "topic intent doc level (trec)"]
    return make_ambiguity_error(beginning, _select_graded(beginning)[0], readings)


def _select_graded(beginning: Beginning) -> list[list[str]]:
    """Return the lines with a grade as second field, and 0 or 1 as fourth field."""
    grades = {label for label in beginning.labels or GRADES if label.isalpha()}
    four = (row for row in beginning.fields if len(row) == 4)
    return [row for row in four if row[1] in grades and row[3] in ("0", "1")]


def _is_consistent_grading(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if each document has one grade, and no grade is above a relevant one."""
    documents = {(row[0], row[2]) for row in rows}
    pairs = sorted({(GRADES.get(row[1], 0.0), row[1], row[3]) for row in rows})
    rising = all(low[2] <= high[2] for low, high in pairwise(pairs) if low[0] < high[0])
    is_unique = len({grade for _, grade, _ in pairs}) == len(pairs)
    return is_unique and rising and len(documents) == len({(*row[:3],) for row in rows})


def _select_labelled(beginning: Beginning) -> tuple[list[list[str]], list[list[str]]]:
    """Return the lines with three or four fields, and the lines with a label as third field."""
    rows = [row for row in beginning.fields if len(row) in (3, 4)]
    labels = beginning.labels
    return rows, [row for row in rows if row[2] in labels or NTCIR_LABEL.fullmatch(row[2])]


def detect_kind(source: Source, options: ReadOptions) -> Kind:
    """Return the kind of a TREC file, by the most frequent number of fields."""
    widths = Counter(map(len, Beginning(source, separator=options.separator).fields))
    width = max(widths, key=widths.__getitem__, default=0)
    return "qrels" if 0 < width <= len(TREC["qrels"]) else "run"


def detect_triples_kind(source: Source, options: ReadOptions) -> Kind:
    """Return the kind of lines with three fields: judgments have few different integers."""
    values = {row[-1] for row in Beginning(source, separator=options.separator).fields}
    return "qrels" if can_be_levels(values) else "run"


# -- line by line ---------------------------------------------------------------------------------


def read_records(layouts: Layouts, source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records and errors of lines with these fields."""
    hint = "or topic doc L2" if layouts is TREC and kind == "qrels" else ""
    these = [layouts[kind]] if kind in layouts else []
    return _read_records(source, RecordBuilder(kind, source.name, options), these, hint)


def read_ntcir_records(source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records of lines ``topic doc L2`` or ``topic doc L2 class``."""
    layouts = NTCIR if kind == "qrels" else ()
    return _read_records(source, RecordBuilder(kind, source.name, options, "L0, L1, L2, …"), layouts)


def read_early_records(source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
    """Yield the records of lines ``topic S doc 1``."""
    trec = format_option("--qrels-format trec", 'qrels_format="trec"')
    if options.intents:
        problem = "early NTCIR judgments (topic grade doc relevant) have no intents"
        fix = f"If column 2 is the intent, use {trec}."
        yield InputError.from_problem(problem, fix, source.name)
        return
    if not options.format_given and options.labels is None:
        read = "column 2 is read as the grade of early NTCIR judgments"
        note = f"{read} (S 3, A 2, B 1, C 0). Use {trec} to read column 4 as the level."
        yield Problem("warning", source.name, None, note, kind=COLUMNS)
    graded_options = replace(options, labels=GRADES) if options.labels is None else options
    yield from _read_records(source, RecordBuilder(kind, source.name, graded_options), [EARLY] * (kind == "qrels"))


def _read_records(
    source: Source, recorder: RecordBuilder, layouts: Sequence[Layout], hint: str = ""
) -> Iterator[RecordItem]:
    kind, text, run = recorder.kind, recorder.options, len(TREC["run"])
    limit = run if text.extra_fields else None  # number of fields that are read
    if not layouts:
        actual, noun = {"run": ("NTCIR judgments", "a run"), "qrels": ("a run", "judgments")}[kind]
        yield InputError(actual, f"{noun}: {' '.join(TREC[kind])}", source.name)
        return
    for number, line in scan_lines(source):
        if isinstance(line, InputError):
            yield line
            continue
        fields = split_fields(line, text.separator)[:limit]
        names = next((names for names in layouts if len(names) == len(fields)), None)
        if names is not None:
            yield recorder.build_record(dict(zip(names, fields, strict=True)), number)
            continue
        actual = f"{format_count(len(fields), 'field')} ({truncate_text(line.strip())})"
        expected = " or ".join(f"{len(names)}: {' '.join(names)}" for names in layouts)
        advice = _find_hint(line, fields, kind)
        if len(fields) != run:
            advice = advice or hint
        elif kind == "qrels" and not advice:
            expected += " (this looks like a run: judgments must come first)"
        if text.intents:
            expected, advice = expected.replace("iteration", "intent"), ""
        yield InputError(actual, expected, source.name, number, advice)


def _find_hint(line: str, fields: list[str], kind: Kind) -> str:
    """Return a hint for a line with a wrong number of fields, or an empty text."""
    hint = guess_meaning(fields, kind) or _find_feature_hint(fields, kind) or _find_separator_hint(line, fields)
    pool = "topic and document are a pool without judgments"
    return hint or pool * (len(fields) == 2)


def _find_feature_hint(fields: Sequence[str], kind: Kind) -> str:
    """Return a hint for an SVMlight line without a query, or an empty text."""
    if kind == "qrels" and fields[1:] and all(map(_FEATURE.fullmatch, fields[1:])):
        return "features without qid:ID"
    return ""


def _find_separator_hint(line: str, fields: Sequence[str]) -> str:
    """Return a hint for lines with another separator, or an empty text."""
    if len(fields) < 3:
        for separator in ";|,\t":
            if line.count(separator) >= 2:
                return f"for fields separated by {separator!r}, use --sep"
    return ""


def find_line(source: Source, kind: Kind, topic: str, doc: str) -> int | None:
    """Return the line of a document of a topic in a TREC file, or None."""
    all_records = read_records(TREC, source, kind, DEFAULT_OPTIONS)
    matches = (r.line for r in all_records if isinstance(r, Record) and (r.topic, r.doc) == (topic, doc))
    return next(matches, None)


def read_number_columns(text: bytes, width: int) -> tuple[list[Strings], Floats]:
    """Read lines that end with a number: other fields, and numbers. Raise Irregular for others."""
    fields = Fields(strip_comments(text), width)
    return [fields.get_column(i) for i in range(width - 1)], require_numbers(fields.get_column(width - 1))


def read_last_tag(source: Source) -> str | None:
    """Return the run tag on the last line of a file, or None."""
    last = b"".join(read() for read in deque(source.iter_pieces(), maxlen=2))
    end, index = len(last), TREC["run"].index("tag")
    while end > 0:
        begin = last.rfind(b"\n", 0, end) + 1
        fields = last[begin:end].split()
        if len(fields) > index and not NO_DATA.match(last[begin:end]):
            return fields[index].decode("utf-8", "replace")
        end = begin - 1
    return None


class Fields:
    """Positions of the fields of a text. Raises Irregular for lines without `width` fields.

    With a separator, no field can be empty or contain spaces.
    """

    def __init__(self, text: bytes, width: int, separator: str | None = None) -> None:
        reject_other_encodings(text)
        if separator is not None:
            text = _replace_separator(text, separator.encode())
        around = b"\n" * ROOM
        end = b"" if text.endswith(b"\n") else b"\n"
        self.buffer = np.frombuffer(b"".join((around, text, end, around)), dtype=np.uint8)
        places = self._split_single_spaces(width)
        if places is None and separator is not None:
            raise Irregular
        self.starts, self.ends = places or self._split_spaces(width)

    def __len__(self) -> int:
        return len(self.starts)

    def get_column(self, i: int, lines: slice = slice(None)) -> Strings:
        """Return the i-th field of each line."""
        start, end = self.starts[lines, i], self.ends[lines, i]
        return Strings(self.buffer, start + ROOM, end - start)

    def _split_single_spaces(self, width: int) -> tuple[Ints, Ints] | None:
        """Return start and end of each field, None if fields are separated by several spaces."""
        content = self.buffer[ROOM:-ROOM]
        ends = np.flatnonzero(content <= ord(" "))
        lines, extra = divmod(len(ends), width)
        newlines, spaces = (np.count_nonzero(content == ord(c)) for c in "\n ")
        tabs = len(ends) - newlines - spaces
        if extra or newlines != lines or (tabs and tabs != np.count_nonzero(content == ord("\t"))):
            return None
        starts = np.empty_like(ends)
        starts[:1], starts[1:] = 0, ends[:-1] + 1
        whole_lines = (content[ends[width - 1 :: width]] == ord("\n")).all()
        if not whole_lines or not (starts < ends).all():
            return None
        return starts.reshape(-1, width), ends.reshape(-1, width)

    def _split_spaces(self, width: int) -> tuple[Ints, Ints]:
        """Return start and end of each field between any number of spaces."""
        blank = (self.buffer - np.uint8(9) < 5) | (self.buffer == ord(" "))  # 9 to 13 and 32
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + (1 - ROOM)
        if len(edges) % (2 * width):
            raise Irregular
        starts, ends = edges[0::2].reshape(-1, width), edges[1::2].reshape(-1, width)
        _reject_split_lines(self.buffer, starts[:, 0] + ROOM, ends[:, -1] + ROOM)
        return starts, ends


def _replace_separator(text: bytes, separator: bytes) -> bytes:
    """Replace separators by spaces. Raise Irregular if the text has other spaces."""
    text = text.replace(b"\r\n", b"\n")
    if len(separator) != 1 or any(blank in text for blank in b" \t\r\v\f" if blank not in separator):
        raise Irregular
    return text.replace(separator, b" ")


def reject_other_encodings(text: bytes) -> None:
    """Raise Irregular if the text is not UTF-8."""
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            raise Irregular from None


def _reject_split_lines(buffer: Bytes, first: Ints, last: Ints) -> None:
    """Raise Irregular unless each row of fields, from `first` to `last`, is one line."""
    ends = np.flatnonzero(buffer == ord("\n"))
    line_ends = ends[ROOM : ROOM + len(first)]  # line ends, if no line is blank
    if len(line_ends) < len(first):  # fewer lines than rows
        raise Irregular
    if (line_ends >= last).all() and (line_ends[:-1] < first[1:]).all():
        return
    line, line_too = np.searchsorted(ends, first), np.searchsorted(ends, last)
    if (line != line_too).any() or (line[1:] == line[:-1]).any():
        raise Irregular


def parse_finite_numbers(texts: Strings) -> Floats | None:
    """Return finite numbers, or None if a text is not a finite number."""
    values = parse_numbers(texts)
    rows = np.flatnonzero(np.isnan(values))
    for row, text in zip(rows.tolist(), texts[rows].tolist(), strict=True):
        number = parse_finite(text)
        if number is None:
            return None
        values[row] = number
    return values
