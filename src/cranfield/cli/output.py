"""Output of results and notes, and the options for it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from cranfield.cli.messages import is_json, write_notes
from cranfield.cli.options import build_topics_option
from cranfield.data.files import write_whole
from cranfield.data.reading.user_columns import get_user_columns
from cranfield.data.tracks import choose_topics, read_topics
from cranfield.display import TableResult
from cranfield.errors import FileError, InputError
from cranfield.options import OptionGroup, Rows, choice, option, switch
from cranfield.report.formats import FORMATS, Layout, render
from cranfield.report.results import CAPTIONS, prepare_output
from cranfield.scores import Scores, note_topics_file
from cranfield.tables import FLAT, MACHINE_READABLE
from cranfield.wording import encode_text, use_decimals

LOOK = (
    option(
        "--decimals",
        "N",
        "decimals of human-readable numbers (default: 4)",
        choices=range(16),
        value="integer",
        default=4,
    ),
    option("--label", "NAME", "in LaTeX: label of the table for \\ref"),
    choice("--caption", CAPTIONS, "in LaTeX: position of the caption (default: above)"),
    choice(
        "--layout",
        get_args(Layout),
        "in LaTeX: table (default), over both columns (wide: table*), shrunk to the line width (resize), or over "
        "several pages (long: longtable)",
    ),
    switch("--spreadsheet", "in CSV and TSV: cells that a spreadsheet would compute start with '"),
)
DEFAULT_LOOK = {"decimals": 4, "label": None, "caption": None, "layout": None, "spreadsheet": False}
LINES = ("text", "list")  # what some commands call a table, which has lines of their own
ENDS = {"md": "markdown", "tex": "latex", "htm": "html"}  # of names, if not the format's own


def build_output_options(
    tables: Sequence[str] = (),
    row_name: str = "",
    formats: Sequence[str] = FORMATS,
    file_help: str = "write to FILE, completely or not at all; its extension sets the format: .csv, .md, …",
    flags: str = "-f --format",
    name: str = "format",
) -> Rows:
    """Return the options for the format and the file of a result.

    The first of `formats` is the default. The result can have several `tables`, or a row per
    `row_name`. An omitted `format` is chosen before the command runs (`choose_format`), an option
    of another `name` by the command.
    """
    rows = [
        choice(flags, formats, f"output format (default: {formats[0]})", name=name),
        option("-o --output", "FILE", file_help),
    ]
    if row_name:
        rows.insert(0, switch("-q --per-topic", f"show every {row_name}, then all"))
    if len(tables) > 1:
        text = f"one of {', '.join(tables)}; may be repeated (default: by format; {', '.join(FLAT)} contain one)"
        rows.append(option("--table", "NAME", text, choices=tables, repeat=True))
    return (*rows, OptionGroup("look of tables", LOOK))


def choose_format(path: str | None, formats: Sequence[str]) -> str:
    """Return the output format for a file extension, or the default.

    >>> choose_format("scores.CSV", FORMATS), choose_format("table1.tex", FORMATS)
    ('csv', 'latex')
    >>> choose_format("scores.txt", FORMATS), choose_format(None, FORMATS)
    ('table', 'table')
    """
    end = os.path.splitext(path or "")[1].lower().removeprefix(".")
    name = ENDS.get(end, end)
    return name if name in formats else formats[0]


MAX_UNSORTED = 5  # runs that are not sorted without --sort
SORTED = (
    option(
        "--sort",
        "MEASURE",
        "order runs by this measure, best first; none: as given (default: none, or the first measure of tables with "
        "more than 5 runs)",
    ),
    switch("--wide", "one row per topic, one column per run, one table per measure"),
)


def build_score_output_options(row_name: str = "topic") -> Rows:
    """Return the options for the output of scores, and of which topics or items."""
    topics_help = f"only these {row_name}s: 101,102, or @FILE with topics (default: all)"
    return (
        *build_output_options(row_name=row_name),
        *SORTED,
        build_topics_option(topics_help),
    )


def show_scores(scores: Scores, options: argparse.Namespace, topics: Any = None) -> int:
    """Show scores, of some topics, sorted by --sort."""
    scores = scores if topics in (None, "judged") else _select_topics(scores, topics)
    _record(scores, options)
    if "scores" in (getattr(options, "tables", None) or ()) and options.format not in MACHINE_READABLE:
        names = [table.name for table in scores._build_tables() if table.name in ("measures", "models")]
        options.tables = [name for table in options.tables for name in (names if table == "scores" else [table])]
    return show(_sort_runs(scores, options), options)


def _sort_runs(scores: Scores, options: argparse.Namespace) -> Scores:
    """Sort runs by --sort. Without --sort, sort many runs by the first measure in human-readable formats."""
    if options.sort == "none":
        return scores
    if options.sort is not None:
        return scores.sorted_by(options.sort)
    is_long = len(scores.runs) > MAX_UNSORTED and options.format not in MACHINE_READABLE
    return scores.sorted_by(scores.measures[0]) if is_long and scores.better[0] != "neither" else scores


def _select_topics(scores: Scores, topics: Any) -> Scores:
    """Return the scores of some topics; sessions are named topic/session."""
    if topics == "common":
        raise InputError.from_problem("--topics common: there are no judged topics here", "Use 101,102 or @FILE.")
    parts: dict[str, list[str]] = {topic: [topic] for topic in scores.topics}
    for topic in scores.topics:
        if (parent := topic.split("/")[0]) != topic:
            parts.setdefault(parent, []).append(topic)
    names = choose_topics(read_topics(topics), parts, "scores")
    selection = scores.select(topics=[*dict.fromkeys(topic for name in names for topic in parts[name])])
    return replace(selection, notes=(*selection.notes, *note_topics_file(names)))


def show(result: TableResult, options: argparse.Namespace) -> int:
    """Write a result to a file or standard output, and return the exit code.

    Notices go to standard error, unless they are part of what is written: of JSON and HTML, and of
    tables on a terminal.
    """
    get_user_columns().reject_unused()
    _record(result, options)
    output, format = options.output, "table" if options.format in LINES else options.format
    width = get_terminal_width(output)
    if format == "parquet" and output is None and sys.stdout.isatty():
        raise InputError.from_problem("Parquet cannot be written to a terminal", "Use -o FILE.")
    quiet, verbose = (getattr(options, name, False) for name in ("quiet", "verbose"))
    colour = width is not None and not os.environ.get("NO_COLOR")  # https://no-color.org
    look: dict[str, Any] = {"width": width, "colour": colour}
    with use_decimals(options.decimals):
        document = prepare_output(result, format, vars(options) | look, getattr(options, "tables", None) or ())
        includes_notes = document.has_notes(format) or _has_notes_below(format, width)
        notes = () if quiet else document.notes
        document = replace(
            document,
            notes=document.notes if format == "json" else notes if includes_notes else (),
            all_notes=verbose,
            label=options.label or "",
            caption_below=options.caption == "below",
            layout=options.layout or "table",
            spreadsheet=options.spreadsheet,
            **look,
        )
        data = render(document, format)
    write(data, output)
    if not includes_notes:
        write_notes(notes, document.runs, verbose)
    return 0


def _record(result: TableResult, options: argparse.Namespace) -> None:
    """Store the result if a record of the command is made."""
    if getattr(options, "recording", None) is not None:
        options.recording.set_result(result)


def _has_notes_below(format: str, width: int | None) -> bool:
    """Return True if notes are shown below the table."""
    return format == "table" and width is not None and not is_json()


def write(data: str | bytes, output: str | None = None) -> None:
    """Write to a file, completely or not at all, or to standard output."""
    data = encode_text(data) if isinstance(data, str) else data
    if output is not None:
        write_whole(output, data)
    else:
        sys.stdout.buffer.write(data)


def check_output(path: str | None, is_figure: bool = True) -> None:
    """Raise an error, before the work, if a file or figure cannot be written."""
    if path is None:
        return
    from cranfield.figures.figure import DATA_FORMATS, get_figure_format
    from cranfield.lazy_imports import load_altair

    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise FileError("write", path, f"directory {directory} does not exist")
    if is_figure and get_figure_format(path) not in DATA_FORMATS:
        load_altair()


def get_terminal_width(output: str | None) -> int | None:
    """Return the width of the terminal, or None if there is no terminal."""
    is_terminal = output is None and sys.stdout.isatty()
    return os.get_terminal_size().columns if is_terminal else None
