"""The formats of tables: a function for each, which writes tables whatever they are of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.report.formats import programs, terminal
from cranfield.report.sheets import Sheet
from cranfield.scores import Notice
from cranfield.wording import encoded

Writer: TypeAlias = Callable[["Showing"], str | bytes]


@dataclass(frozen=True)
class Showing:
    """What is to be written: tables, what is to be known of them, and how they shall look.

    `settings` is what captions tell in words, for JSON, `document` a result as JSON if rows are not
    what suits it, and `text` what a terminal shows in the place of tables. `width` is that of a
    terminal, if people look at one; `label` and `below` (whether the caption stands there) are for
    LaTeX. With `spreadsheet`, cells of CSV and TSV that a spreadsheet would take for formulas begin
    with an apostrophe. Notices are of so many `runs`.
    """

    sheets: Sequence[Sheet]
    notices: Sequence[Notice] = ()
    settings: Mapping[str, Any] | None = None
    document: Any = None
    text: str = ""
    width: int | None = None
    colour: bool = False
    label: str = ""
    below: bool = False
    spreadsheet: bool = False
    runs: int | None = None
    every: bool = False
    listed: str = "-v"  # what lists every notice

    @property
    def notes(self) -> list[str]:
        """What people are told: of many runs in brief, unless they want `every` notice."""
        return terminal.notice_lines(self.notices, self.runs, self.every, self.listed)

    def holds_notices(self, format: str) -> bool:
        """Whether what is written has the notices in it, if people do not look at it at once."""
        of_rows = self.document is None
        return format == "html" or (format == "json" and (of_rows or "notices" in self.document))


def _for_people(format: str, shown: Showing) -> str:
    """As the module of a format writes it, which few commands need."""
    text: str = import_module(f"cranfield.report.formats.{format}").written(shown)
    return text


_WRITERS: dict[str, Writer] = {
    "table": terminal.written,
    "tsv": partial(programs.separated, "tsv"),
    "csv": partial(programs.separated, "csv"),
    "json": programs.json_document,
    "jsonl": programs.jsonl,
    "markdown": partial(_for_people, "markdown"),
    "latex": partial(_for_people, "latex"),
    "html": partial(_for_people, "html"),
    "parquet": programs.parquet,
}
FORMATS = tuple(_WRITERS)
FLAT = ("tsv", "csv", "jsonl", "parquet")  # which hold one table
PROGRAMS = (*FLAT, "json")
PAPER = ("markdown", "latex", "html")


def render(shown: Showing, format: str) -> bytes:
    """Tables as the content of a file, or of a terminal."""
    one_of("format", format, FORMATS)
    try:
        data = _WRITERS[format](shown)
    except UnicodeEncodeError as error:
        raise InputError.problem(f"the name {error.object!r} is not Unicode") from None
    return encoded(data) if isinstance(data, str) else data
