"""Where results and notices go, and the options that say so."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cranfield.cli.options import TOPICS, Rows, among, told
from cranfield.cli.saying import for_programs, say_notices
from cranfield.data.files import write_whole
from cranfield.data.tracks import choose_topics, read_topics
from cranfield.errors import FileError, InputError
from cranfield.report.formats import FLAT, FORMATS, render
from cranfield.report.results import CAPTIONS, shown
from cranfield.scores import Scores, about_topics
from cranfield.shown import Shown
from cranfield.wording import decimals, encoded

LOOK = {
    "--decimals N": told("of numbers that people read (default: 4)", choices=range(16), default=4),
    "--label NAME": "in LaTeX: what \\ref calls the table",
    f"--caption {among(CAPTIONS)}": "in LaTeX: where the caption stands (default: above)",
    "--spreadsheet": "in CSV and TSV: cells that a spreadsheet would compute begin with '",
}
PLAIN = {"decimals": 4, "label": None, "caption": None, "spreadsheet": False}
LINES = ("text", "list")  # what some commands call a table, which has lines of their own
ENDS = {"md": "markdown", "tex": "latex", "htm": "html"}  # of names, if not the format's own


def output(
    tables: Sequence[str] = (),
    each: str = "",
    formats: Sequence[str] = FORMATS,
    where: str = "write to FILE, whole or not at all; without -f as its name ends: .csv, .md, …",
    flags: str = "-f --format",
    name: str = "format",
) -> Rows:
    """The options that say how a result is shown, and where.

    The first of `formats` is the usual one. The result may have several `tables`, or rows for
    `each` topic that are shown if that is asked for. A `format` that is not given is settled before
    the command runs (`format_for`), one by another `name` by the command.
    """
    default = formats[0]
    rows: Rows = {"-q --per-topic": f"show every {each}, then all"} if each else {}
    rows |= {
        f"{name} {flags}": told(f"default: {default}", choices=formats),
        "-o --output FILE": where,
    }
    if len(tables) > 1:
        text = f"one of {', '.join(tables)}; may be repeated (default: what suits the format; "
        rows["--table NAME …"] = told(f"{text}{', '.join(FLAT)} hold one)", choices=tables)
    return rows | {"how tables look": LOOK}


def format_for(path: str | None, formats: Sequence[str]) -> str:
    """The format that the end of a file's name asks for, else the usual one.

    >>> format_for("scores.CSV", FORMATS), format_for("table1.tex", FORMATS)
    ('csv', 'latex')
    >>> format_for("scores.txt", FORMATS), format_for(None, FORMATS)
    ('table', 'table')
    """
    end = os.path.splitext(path or "")[1].lower().removeprefix(".")
    asked = ENDS.get(end, end)
    return asked if asked in formats else formats[0]


SORTED = {
    "--sort MEASURE": "the best run by this measure first (default: runs in the order given)",
    "--wide": "a line for each topic, a column for each run, a table for each measure",
}


def scores_output(each: str = "topic") -> Rows:
    """The options that say how scores are shown, and where; of which topics, or items."""
    some = f"only these {each}s: 101,102, or @FILE with topics (default: all)"
    return {**output(each=each), **SORTED, TOPICS: some}


def show_scores(scores: Scores, options: argparse.Namespace, topics: Any = None) -> int:
    """Show scores, perhaps of some topics, the best run first if that is asked for."""
    scores = scores if topics in (None, "judged") else _chosen(scores, topics)
    return show(scores if options.sort is None else scores.sorted_by(options.sort), options)


def _chosen(scores: Scores, topics: Any) -> Scores:
    """The scores of some topics; sessions are named topic/session."""
    if topics == "common":
        raise InputError("--topics common", "101,102 or @FILE: there are no judged topics here")
    parts: dict[str, list[str]] = {topic: [topic] for topic in scores.topics}
    for topic in scores.topics:
        if (whole := topic.split("/")[0]) != topic:
            parts.setdefault(whole, []).append(topic)
    named = choose_topics(read_topics(topics), parts, "scores")
    kept = scores.select(topics=[*dict.fromkeys(topic for name in named for topic in parts[name])])
    return replace(kept, notices=(*kept.notices, *about_topics(named)))


def show(found: Shown, options: argparse.Namespace) -> int:
    """Write a result to a file or standard output, and return the exit code.

    Notices go to standard error, unless they are part of what is written: of JSON and HTML, and of
    tables on a terminal.
    """
    output, format = options.output, "table" if options.format in LINES else options.format
    width = terminal_width(output)
    if format == "parquet" and output is None and sys.stdout.isatty():
        raise InputError("a terminal", "-o FILE for parquet")
    quiet, every = (getattr(options, name, False) for name in ("quiet", "verbose"))
    colour = width is not None and not os.environ.get("NO_COLOR")  # https://no-color.org
    look: dict[str, Any] = {"width": width, "colour": colour}
    with decimals(options.decimals):
        made = shown(found, format, vars(options) | look, getattr(options, "tables", None) or ())
        held = made.holds_notices(format) or _with_notices(format, width)
        notices = () if quiet else made.notices
        made = replace(
            made,
            notices=made.notices if format == "json" else notices if held else (),
            every=every,
            label=options.label or "",
            below=options.caption == "below",
            spreadsheet=options.spreadsheet,
            **look,
        )
        data = render(made, format)
    write(data, output)
    if not held:
        say_notices(notices, made.runs, every)
    return 0


def _with_notices(format: str, width: int | None) -> bool:
    """Whether who looks at a table sees the notices below it."""
    return format == "table" and width is not None and not for_programs()


def write(data: str | bytes, output: str | None = None) -> None:
    """To a file, whole or not at all; or to standard output."""
    data = encoded(data) if isinstance(data, str) else data
    if output is not None:
        write_whole(output, data)
    else:
        sys.stdout.buffer.write(data)


def refuse_output(path: str | None, drawn: bool = True) -> None:
    """Before the work, not after it: can the file be written, be it `drawn`? None is no file."""
    if path is None:
        return
    from cranfield.late import altair
    from cranfield.report.pictures import NUMBERS, format_of

    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise FileError("write", path, f"there is no directory {directory}")
    if drawn and format_of(path) not in NUMBERS:
        altair()


def terminal_width(output: str | None) -> int | None:
    """How wide the terminal is; None if people do not look at one."""
    looked_at = output is None and sys.stdout.isatty()
    return os.get_terminal_size().columns if looked_at else None
