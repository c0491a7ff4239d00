"""The formats of tables: a function for each, which writes tables whatever they are of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.report.formats import machine_readable, terminal
from cranfield.scores import Note
from cranfield.tables import ResultTable
from cranfield.wording import encode_text

Writer: TypeAlias = Callable[["TableOutput"], str | bytes]


@dataclass(frozen=True)
class TableOutput:
    """What is to be written: tables, what is to be known of them, and how they shall look.

    `settings` is what captions tell in words, for JSON, `document` a result as JSON if rows are not
    what suits it, and `text` what a terminal shows in the place of tables. `width` is that of a
    terminal, if people look at one; `label` and `caption_below` (whether the caption stands there) are for
    LaTeX. With `spreadsheet`, cells of CSV and TSV that a spreadsheet would take for formulas begin
    with an apostrophe. Notices are of so many `runs`.
    """

    sheets: Sequence[ResultTable]
    notes: Sequence[Note] = ()
    settings: Mapping[str, Any] | None = None
    document: Any = None
    text: str = ""
    width: int | None = None
    colour: bool = False
    label: str = ""
    caption_below: bool = False
    spreadsheet: bool = False
    runs: int | None = None
    all_notes: bool = False
    listing_option: str = "-v"  # what lists every notice

    @property
    def note_lines(self) -> list[str]:
        """What people are told: of many runs in brief, unless they want `every` notice."""
        return terminal.notice_lines(self.notes, self.runs, self.all_notes, self.listing_option)

    def has_notes(self, format: str) -> bool:
        """Whether what is written has the notices in it, if people do not look at it at once."""
        of_rows = self.document is None
        return format == "html" or (format == "json" and (of_rows or "notices" in self.document))


def _write_lazily(format: str, output: TableOutput) -> str:
    """As the module of a format writes it, which few commands need."""
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
    """Tables as the content of a file, or of a terminal."""
    check_choice("format", format, FORMATS)
    try:
        data = _WRITERS[format](output)
    except UnicodeEncodeError as error:
        raise InputError.from_problem(f"the name {error.object!r} is not Unicode") from None
    return encode_text(data) if isinstance(data, str) else data
