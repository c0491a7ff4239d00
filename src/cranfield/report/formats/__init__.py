"""Formats of tables: one function per format, for tables of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Literal, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.report.formats import machine_readable, terminal
from cranfield.scores import Note
from cranfield.tables import ResultTable
from cranfield.wording import encode_text

Layout: TypeAlias = Literal["table", "wide", "resize", "long"]
Writer: TypeAlias = Callable[["TableOutput"], str | bytes]


@dataclass(frozen=True)
class TableOutput:
    """Tables to write, with notes and options of appearance.

    `settings` is for JSON, `document` replaces the rows in JSON. On a terminal, `text` replaces the
    tables, and `answer` precedes them. `width` is the width of the terminal, if output is interactive.
    `label`, `caption_below` and `layout` are for LaTeX. With `spreadsheet`, an apostrophe is added to cells of
    CSV and TSV that a spreadsheet would run as formulas. `runs` is the number of runs that the notes
    are about.
    """

    tables: Sequence[ResultTable]
    notes: Sequence[Note] = ()
    settings: Mapping[str, Any] | None = None
    document: Any = None
    text: str = ""
    answer: str = ""
    width: int | None = None
    colour: bool = False
    label: str = ""
    caption_below: bool = False
    layout: Layout = "table"
    spreadsheet: bool = False
    runs: int | None = None
    all_notes: bool = False
    listing_option: str = "-v"  # lists all notes

    @property
    def note_lines(self) -> list[str]:
        """Lines of the notes: a summary for many runs, unless `all_notes` is set."""
        return terminal.format_note_lines(self.notes, self.runs, self.all_notes, self.listing_option)

    def has_notes(self, format: str) -> bool:
        """Return True if the output in this format includes the notes."""
        of_rows = self.document is None
        return format == "html" or (format == "json" and (of_rows or "notices" in self.document))


def _write_lazily(format: str, output: TableOutput) -> str:
    """Write with the module of a format, which few commands need."""
    text: str = import_module(f"cranfield.report.formats.{format}").write_tables(output)
    return text


_WRITERS: dict[str, Writer] = {
    "table": terminal.write_tables,
    "tsv": partial(machine_readable.write_separated, "tsv"),
    "csv": partial(machine_readable.write_separated, "csv"),
    "json": machine_readable.write_json,
    "jsonl": machine_readable.write_jsonl,
    "markdown": partial(_write_lazily, "markdown"),
    "latex": partial(_write_lazily, "latex"),
    "html": partial(_write_lazily, "html"),
    "parquet": machine_readable.write_parquet,
}
FORMATS = tuple(_WRITERS)


def render(output: TableOutput, format: str) -> bytes:
    """Return tables as the content of a file or terminal."""
    check_choice("format", format, FORMATS)
    try:
        data = _WRITERS[format](output)
    except UnicodeEncodeError as error:
        raise InputError.from_problem(f"the name {error.object!r} is not Unicode") from None
    return encode_text(data) if isinstance(data, str) else data
