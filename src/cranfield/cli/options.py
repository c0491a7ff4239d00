"""Calls of functions with options, and options of several commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, TypeVar

from cranfield.data.orders import TIES as READING_TIES
from cranfield.data.reading.formats import FORMATS, RUN_FORMATS
from cranfield.errors import CranfieldError
from cranfield.evaluation.options import OPTIONS
from cranfield.options import Option, Rows, option

T = TypeVar("T")

STDIN_TWICE = "standard input (-) can be used only once"


def check_single_stdin(*files: str | None) -> None:
    """Raise an error if two files are standard input."""
    if files.count("-") > 1:
        raise CranfieldError(STDIN_TWICE)


# -- calls ----------------------------------------------------------------------------------------


def call(
    function: Callable[..., T],
    options: argparse.Namespace,
    parts: Mapping[str, Callable[..., Any]] | None = None,
    **overrides: Any,
) -> T:
    """Call a function with the options that have the names of its parameters.

    Options that are None are omitted if the parameter has a default. Parameters named in `parts`
    are the results of such calls. `overrides` replace options. Functions with ``**options`` take
    the options of `evaluate`.
    """
    parameters: dict[str, Any] = dict(signature(function).parameters)
    built = {name: call(make, options) for name, make in (parts or {}).items() if name in parameters}
    values = vars(options) | built | overrides
    defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    optional = {*defaults}
    if (recording := values.get("recording")) is not None:
        recording.add_defaults(defaults)
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        from cranfield.evaluation.options import NAMES

        parameters |= dict.fromkeys(NAMES)
        optional |= parameters.keys()
    return function(**{n: values[n] for n in parameters if n not in optional or values.get(n) is not None})


# -- options of several commands ------------------------------------------------------------------


def build_row(name: str, choices: Sequence[str] = ()) -> Option:
    """Return the row of an option of `evaluate` for commands, with some or all of its choices."""
    row = OPTIONS[name]
    choices = choices or tuple(row.choices)
    meanings = "; ".join(f"{choice}: {row.meanings[choice]}" for choice in choices)
    return Option(
        row.name,
        default=False if row.is_switch else None,
        flags=row.flags,
        metavar=row.metavar,
        help=f"{row.help}: {meanings}" if meanings else row.help,
        value=row.value,
        choices=choices,
        repeat=row.repeat,
        requires=row.requires,
    )


def build_rows(*names: str) -> tuple[Option, ...]:
    """Return the rows of options of `evaluate` for commands."""
    return tuple(map(build_row, names))


TIES = tuple(OPTIONS["ties"].choices)
ONE_ORDER = tuple(name for name in TIES if name != "expected")


def build_order_options(ties: Sequence[str] = ONE_ORDER) -> Rows:
    """Return the options for the order of rankings and the documents that are read."""
    return (*build_tie_options(ties), *SHARED["lists"])


def build_tie_options(ties: Sequence[str] = READING_TIES) -> Rows:
    """Return the options for the order of rankings."""
    return (build_row("order"), build_row("ties", ties))


def build_topics_option(text: str, requires: str = "") -> Option:
    """Return the option for topics with another help."""
    return replace(build_row("topics"), help=text, requires=requires)


def build_topic_options(default: str = "all of them", condition: str = "in every run") -> Rows:
    """Return the option for topics of commands that compute no means."""
    text = f"101,102, or @FILE with topics; common: topics {condition}; may be repeated"
    return (build_topics_option(f"{text} (default: judged, {default})"),)


def build_preset_options(help_text: str) -> Rows:
    """Return the options that name a preset."""
    return (
        replace(build_row("preset"), help=help_text),
        option("--presets", "FILE", PRESETS, requires="preset"),
    )


def build_mean_options() -> Rows:
    """Return the options for the topics of means."""
    return build_rows("topics", "undefined")


def build_format_option(flags: str, formats: Sequence[str], **fields: Any) -> Option:
    """Return an option that sets a format instead of detecting it."""
    text = f"format, if it is not detected; one of {', '.join(formats)}"
    return option(flags, "FORMAT", text, choices=formats, **fields)


SEPARATOR, COLUMNS, RUN_NAMES, LABELS, DEPTH, EXCLUDE_SELF = build_rows(
    "separator", "columns", "run_names", "labels", "depth", "exclude_self"
)
PRESETS = "TOML file with custom presets"
SHARED: dict[str, Rows] = {
    "lists": (
        *build_rows("depth", "condensed", "exclude_self"),
        option(
            "--classes",
            "FILE",
            "equivalence classes: topic doc class (can be QRELS with topic doc L2 class); only the "
            "first document of a class counts",
        ),
        option(
            "--groups",
            "FILE",
            "documents that are relevant only together: topic doc group; a group counts once, at its last document",
        ),
    ),
    "drawn": build_rows("tie_samples", "seed"),
    "relevance": build_rows("rel", "gains", "labels", "lengths"),
    "intents": build_rows("intents"),
    "verticals": build_rows("verticals", "embed_verticals"),
    "costs": build_rows("costs", "cost_unit"),
    "formats": (
        build_format_option("--qrels-format", FORMATS),
        build_format_option("--run-format", RUN_FORMATS),
        *build_rows("run_names", "chunks", "chunk_score", "duplicates", "columns", "separator"),
    ),
    "threads": build_rows("threads"),
    "import": (
        option(
            "--import",
            "FILE",
            "Python file with custom measures or user models (@cf.measure, @cf.user_model); may be repeated",
            repeat=True,
        ),
    ),
}


def get_shared_options(*kinds: str) -> Rows:
    """Return options of several commands, of all these kinds."""
    return tuple(row for kind in kinds for row in SHARED[kind])
