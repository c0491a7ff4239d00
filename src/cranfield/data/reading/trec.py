"""Lines of fields: TREC's ``topic iteration doc level`` and ``topic Q0 doc rank score tag``.

And NTCIR's judgments: ``topic doc L2``, ``topic doc L2 class``, and ``topic S doc 1`` of its first
rounds; and tables without a header, whose `layouts` say which field is what.

Fields are separated by any blanks, or by a sign; lines may end in CRLF; blank lines, lines that
begin with ``#`` and NTCIR's ``<SYSDESC>…</SYSDESC>`` are skipped. A piece of text is cut into
fields with a few array operations; anything out of order makes it Irregular, and `records` finds
the line.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cranfield.arrays import Bytes, Floats, Ints
from cranfield.data.reading import compiled
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
from cranfield.data.reading.labels import GRADES, NTCIR_LABEL, are_levels
from cranfield.data.reading.layouts import ambiguous
from cranfield.data.reading.lines import fields_of, finite, lines, short
from cranfield.data.reading.records import (
    COLUMNS,
    PLAIN,
    Found,
    Problem,
    Record,
    Recorder,
    Text,
    meant,
)
from cranfield.data.reading.source import NO_DATA, Beginning, Source
from cranfield.data.reading.strings import ROOM, Strings, numbers, whole_numbers
from cranfield.data.reading.table import Irregular, Table
from cranfield.errors import InputError
from cranfield.wording import counted, option

_FEATURE = re.compile(r"\d+:\S+")  # of SVMlight's lines
FURTHER = re.compile(rb"^([^\S\n]*(?:\S+[^\S\n]+){5}\S+)[^\S\n]+[^\n]*", re.MULTILINE)


# -- as columns -----------------------------------------------------------------------------------


def read_table(layouts: Layouts, text: bytes, kind: Kind, how: Text = PLAIN) -> Table:
    """Lines of such fields as columns, or Irregular if one is not in order.

    What stands in TREC's second column is kept if it matters: the type of each result, or the
    intent of a judgment. Without scores there are no values.
    """
    layout = layouts.get(kind, ())
    if not layout or (how.intents and not {*SECOND} & {*layout}):
        raise Irregular
    if not text.isascii():
        text = data_of(text)  # comments may be in any encoding
        refuse_other_encodings(text)
    found = _compiled(text, layout, kind, how)
    if found is not None:
        return found
    fields = _fields(data_of(text), len(layout), how)
    idle = {""} if how.typed else {"", *SECOND}
    column = {name: fields.column(i) for i, name in enumerate(layout) if name not in idle}
    docs, scored = column["doc"], VALUE[kind] in column
    values = finite_numbers(column[VALUE[kind]]) if scored else np.zeros(len(docs))
    made = replace(Table.of(docs, values, column["topic"]), scored=scored)
    if how.typed:
        made = replace(made, types=next((column[x] for x in SECOND if x in column), None))
    if "stratum" in column:
        made = replace(made, strata=finite_numbers(column["stratum"]))
    return made if kind == "qrels" else _ranked(made, column, how)


def _compiled(text: bytes, layout: Layout, kind: Kind, how: Text) -> Table | None:
    """The same by the compiled part, if that can."""
    if how.separator is not None or how.typed or layout[0] != "topic" or VALUE[kind] not in layout:
        return None
    if "stratum" in layout:
        return None
    return compiled.lines(text, layout, kind, how.by_tag)


def _ranked(made: Table, column: Mapping[str, Strings], how: Text) -> Table:
    """The table with the ranks and tags of a run."""
    if "rank" in column:
        ranks = whole_numbers(column["rank"])
        made = replace(made, ranks=all_numbers(column["rank"]) if ranks is None else ranks)
    if made.ranks is None and not made.scored:
        raise Irregular
    if "tag" not in column:
        return made
    tags = column["tag"]
    several = how.by_tag and not tags.alike()
    return replace(made, tag=next(iter(tags[:1]), None), tags=tags if several else None)


def _fields(text: bytes, width: int, how: Text) -> Fields:
    try:
        return Fields(text, width, how.separator)
    except Irregular:
        if not how.further:
            raise
        return Fields(FURTHER.sub(rb"\1", text), width, how.separator)


def finite_numbers(texts: Strings) -> Floats:
    """Finite numbers, or Irregular if one is not."""
    found = all_numbers(texts)
    if found is None:
        raise Irregular
    return found


def read_ntcir(text: bytes, kind: Kind, how: Text = PLAIN) -> Table:
    """The lines ``topic doc L2`` of NTCIR's judgments, or Irregular if one is not in order."""
    if how.intents or kind == "run":
        raise Irregular
    text = data_of(text)
    topics, docs, labels = (Fields(text, 3).column(i) for i in range(3))
    levels = whole_numbers(Strings(labels.buffer, labels.start + 1, labels.length - 1))
    marked = labels.buffer[labels.start] == ord("L")
    if levels is None or not (marked & (labels.length > 1)).all():
        raise Irregular
    return Table.of(docs, levels, topics)


def data_of(text: bytes) -> bytes:
    """The text without comments and descriptions."""
    return NO_DATA.sub(b"", text) if b"#" in text or b"<" in text else text


# -- told by their lines --------------------------------------------------------------------------


def are_ntcir(beginning: Beginning) -> bool:
    """Whether most lines are ``topic doc L2`` or ``topic doc L2 class``.

    A TREC document may be called L2 as well; but then what stands before it, in the place of the
    document, is the iteration.
    """
    rows, labelled = _labelled(beginning)
    if not rows or 2 * len(labelled) < len(rows):  # one with a mistake is not told here
        return False
    if any(len(row) == 3 for row in labelled):
        return True
    items = {tuple(row[:3]) for row in labelled}
    iterations = 2 * len({item[:2] for item in items}) <= len(items)  # a document has one label
    return not iterations and not {row[1] for row in labelled} <= set(ITERATIONS)


def are_early(beginning: Beginning) -> bool:
    """Return True if most lines can be ``topic S doc 1``, as in NTCIR's first rounds.

    Intents may be called S, A, B or C as well: see `may_be_intents`.
    """
    rows, labelled = _labelled(beginning)
    graded = _graded(beginning)
    if 2 * len(graded) <= len(rows) or labelled or not _agree_with_grades(graded):
        return False
    return beginning.kind != "run" or not all(row[2].isdecimal() for row in graded)  # ranks


def may_be_intents(beginning: Beginning) -> bool:
    """Return True if all lines that can be ``topic S doc 1`` are relevant, or none is.

    Nothing then tells grades from intents.
    """
    return not beginning.labels and len({row[3] for row in _graded(beginning)}) == 1


def grade_or_intent(beginning: Beginning) -> InputError:
    """Return the error for lines whose second field may be a grade or an intent."""
    readings = ["topic grade doc relevant (early)", "topic intent doc level (trec)"]
    return ambiguous(beginning, _graded(beginning)[0], readings)


def _graded(beginning: Beginning) -> list[list[str]]:
    """The lines that have a grade as their second field, and 0 or 1 as their fourth."""
    grades = {label for label in beginning.labels or GRADES if label.isalpha()}
    four = (row for row in beginning.fields if len(row) == 4)
    return [row for row in four if row[1] in grades and row[3] in ("0", "1")]


def _agree_with_grades(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if each document has one grade, and no grade is above a relevant one."""
    documents = {(row[0], row[2]) for row in rows}
    pairs = sorted({(GRADES.get(row[1], 0.0), row[1], row[3]) for row in rows})
    rising = all(low[2] <= high[2] for low, high in pairwise(pairs) if low[0] < high[0])
    once = len({grade for _, grade, _ in pairs}) == len(pairs)
    return once and rising and len(documents) == len({(*row[:3],) for row in rows})


def _labelled(beginning: Beginning) -> tuple[list[list[str]], list[list[str]]]:
    """The lines with three or four fields, and those that have a label as their third."""
    rows = [row for row in beginning.fields if len(row) in (3, 4)]
    known = beginning.labels
    return rows, [row for row in rows if row[2] in known or NTCIR_LABEL.fullmatch(row[2])]


def kind_of(source: Source, text: Text) -> Kind:
    """Judgments or results? A line with a mistake may have any number of fields: most decide."""
    widths = Counter(map(len, Beginning(source, separator=text.separator).fields))
    width = max(widths, key=widths.__getitem__, default=0)
    return "qrels" if 0 < width <= len(TREC["qrels"]) else "run"


def kind_of_triples(source: Source, text: Text) -> Kind:
    """Judgments or results? Levels are few whole numbers."""
    values = {row[-1] for row in Beginning(source, separator=text.separator).fields}
    return "qrels" if are_levels(values) else "run"


# -- line by line ---------------------------------------------------------------------------------


def records(layouts: Layouts, source: Source, kind: Kind, text: Text) -> Iterator[Found]:
    """Lines of such fields."""
    hint = "or topic doc L2" if layouts is TREC and kind == "qrels" else ""
    these = [layouts[kind]] if kind in layouts else []
    return _records(source, Recorder(kind, source.name, text), these, hint)


def ntcir_records(source: Source, kind: Kind, text: Text) -> Iterator[Found]:
    """The lines ``topic doc L2`` or ``topic doc L2 class``."""
    layouts = NTCIR if kind == "qrels" else ()
    return _records(source, Recorder(kind, source.name, text, "L0, L1, L2, …"), layouts)


def early_records(source: Source, kind: Kind, text: Text) -> Iterator[Found]:
    """The lines ``topic S doc 1``."""
    trec = option("--qrels-format trec", 'qrels_format="trec"')
    if text.intents:
        problem = "early NTCIR judgments (topic grade doc relevant) have no intents"
        fix = f"If column 2 is the intent, use {trec}."
        yield InputError.problem(problem, fix, source.name)
        return
    if not text.forced and text.labels is None:
        read = "column 2 is read as the grade of early NTCIR judgments"
        said = f"{read} (S 3, A 2, B 1, C 0). Use {trec} to read column 4 as the level."
        yield Problem("warning", source.name, None, said, kind=COLUMNS)
    how = replace(text, labels=GRADES) if text.labels is None else text
    yield from _records(source, Recorder(kind, source.name, how), [EARLY] * (kind == "qrels"))


def _records(
    source: Source, recorder: Recorder, layouts: Sequence[Layout], hint: str = ""
) -> Iterator[Found]:
    kind, text, run = recorder.kind, recorder.text, len(TREC["run"])
    most = run if text.further else None  # of the fields are looked at
    if not layouts:
        found, what = {"run": ("NTCIR judgments", "a run"), "qrels": ("a run", "judgments")}[kind]
        yield InputError(found, f"{what}: {' '.join(TREC[kind])}", source.name)
        return
    for number, line in lines(source):
        if isinstance(line, InputError):
            yield line
            continue
        fields = fields_of(line, text.separator)[:most]
        names = next((names for names in layouts if len(names) == len(fields)), None)
        if names is not None:
            yield recorder.record(dict(zip(names, fields, strict=True)), number)
            continue
        found = f"{counted(len(fields), 'field')} ({short(line.strip())})"
        expected = " or ".join(f"{len(names)}: {' '.join(names)}" for names in layouts)
        told = _told(line, fields, kind)
        if len(fields) != run:
            told = told or hint
        elif kind == "qrels" and not told:
            expected += " (this looks like a run: judgments come first)"
        if text.intents:
            expected, told = expected.replace("iteration", "intent"), ""
        yield InputError(found, expected, source.name, number, told)


def _told(line: str, fields: list[str], kind: Kind) -> str:
    """What may be meant by a line with the wrong number of fields."""
    said = meant(fields, kind) or _features(fields, kind) or _separated(line, fields)
    pool = "lines of a topic and a document are a pool without judgments"
    return said or pool * (len(fields) == 2)


def _features(fields: Sequence[str], kind: Kind) -> str:
    """The hint that a line of SVMlight's does not say which query it belongs to."""
    if kind == "qrels" and fields[1:] and all(map(_FEATURE.fullmatch, fields[1:])):
        return "features without qid:ID, which says whose documents belong together"
    return ""


def _separated(line: str, fields: Sequence[str]) -> str:
    """The hint that something else than blanks may separate the fields of a line."""
    if len(fields) < 3:
        for separator in ";|,\t":
            if line.count(separator) >= 2:
                return f"or are fields separated by {separator!r}? then say so: --sep"
    return ""


def line_of(source: Source, kind: Kind, topic: str, doc: str) -> int | None:
    """The line of a TREC file that holds a document of a topic."""
    every = records(TREC, source, kind, PLAIN)
    found = (r.line for r in every if isinstance(r, Record) and (r.topic, r.doc) == (topic, doc))
    return next(found, None)


def number_columns(text: bytes, width: int) -> tuple[list[Strings], Floats]:
    """The fields of lines that end in a number, or Irregular if one is not in order."""
    fields = Fields(data_of(text), width)
    return [fields.column(i) for i in range(width - 1)], finite_numbers(fields.column(width - 1))


def last_tag(source: Source) -> str | None:
    """The name of the run on the last line of its file, which may not be that on the first."""
    last = b"".join(read() for read in deque(source.pieces(), maxlen=2))
    end, at = len(last), TREC["run"].index("tag")
    while end > 0:
        begin = last.rfind(b"\n", 0, end) + 1
        fields = last[begin:end].split()
        if len(fields) > at and not NO_DATA.match(last[begin:end]):
            return fields[at].decode("utf-8", "replace")
        end = begin - 1
    return None


class Fields:
    """Where the fields of a text are; Irregular if a line has more or fewer than `width`.

    Between other separators than blanks no field may be empty or have a blank in it.
    """

    def __init__(self, text: bytes, width: int, separator: str | None = None) -> None:
        refuse_other_encodings(text)
        if separator is not None:
            text = _with_blanks(text, separator.encode())
        around = b"\n" * ROOM
        end = b"" if text.endswith(b"\n") else b"\n"
        self.buffer = np.frombuffer(b"".join((around, text, end, around)), dtype=np.uint8)
        found = self._by_single_blanks(width)
        if found is None and separator is not None:
            raise Irregular
        self.starts, self.ends = found or self._by_blanks(width)

    def __len__(self) -> int:
        return len(self.starts)

    def column(self, i: int, lines: slice = slice(None)) -> Strings:
        """The i-th field of every line, or of some."""
        start, end = self.starts[lines, i], self.ends[lines, i]
        return Strings(self.buffer, start + ROOM, end - start)

    def _by_single_blanks(self, width: int) -> tuple[Ints, Ints] | None:
        """Begin and end of each field, if one blank ends each; None if more are anywhere."""
        inside = self.buffer[ROOM:-ROOM]
        ends = np.flatnonzero(inside <= ord(" "))
        lines, extra = divmod(len(ends), width)
        newlines, spaces = (np.count_nonzero(inside == ord(c)) for c in "\n ")
        tabs = len(ends) - newlines - spaces
        if extra or newlines != lines or (tabs and tabs != np.count_nonzero(inside == ord("\t"))):
            return None
        starts = np.empty_like(ends)
        starts[:1], starts[1:] = 0, ends[:-1] + 1
        whole_lines = (inside[ends[width - 1 :: width]] == ord("\n")).all()
        if not whole_lines or not (starts < ends).all():
            return None
        return starts.reshape(-1, width), ends.reshape(-1, width)

    def _by_blanks(self, width: int) -> tuple[Ints, Ints]:
        """The fields between any blanks: one begins or ends where blank turns to something else."""
        blank = (self.buffer - np.uint8(9) < 5) | (self.buffer == ord(" "))  # 9 to 13 and 32
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + (1 - ROOM)
        if len(edges) % (2 * width):
            raise Irregular
        starts, ends = edges[0::2].reshape(-1, width), edges[1::2].reshape(-1, width)
        _refuse_other_lines(self.buffer, starts[:, 0] + ROOM, ends[:, -1] + ROOM)
        return starts, ends


def _with_blanks(text: bytes, separator: bytes) -> bytes:
    """The text with a blank for each separator, Irregular where it has others."""
    text = text.replace(b"\r\n", b"\n")
    if len(separator) != 1 or any(
        blank in text for blank in b" \t\r\v\f" if blank not in separator
    ):
        raise Irregular
    return text.replace(separator, b" ")


def refuse_other_encodings(text: bytes) -> None:
    """A text that is not UTF-8 is Irregular."""
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            raise Irregular from None


def _refuse_other_lines(buffer: Bytes, first: Ints, last: Ints) -> None:
    """Every row of fields, from `first` to `last`, must be a line of its own."""
    ends = np.flatnonzero(buffer == ord("\n"))
    after = ends[ROOM : ROOM + len(first)]  # the end of each line, if none is blank
    if len(after) < len(first):  # fewer lines than rows
        raise Irregular
    if (after >= last).all() and (after[:-1] < first[1:]).all():
        return
    line, line_too = np.searchsorted(ends, first), np.searchsorted(ends, last)
    if (line != line_too).any() or (line[1:] == line[:-1]).any():
        raise Irregular


def all_numbers(texts: Strings) -> Floats | None:
    """Finite numbers, or None if one is not."""
    found = numbers(texts)
    rows = np.flatnonzero(np.isnan(found))
    for row, text in zip(rows.tolist(), texts[rows].tolist(), strict=True):
        number = finite(text)
        if number is None:
            return None
        found[row] = number
    return found
