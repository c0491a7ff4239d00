"""Input and output files of commands: an output must not replace another file of the command."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from cranfield.data.files import check_not_inputs, check_writable, get_file_id
from cranfield.errors import FileError

OUTPUTS = ("output", "plot", "pool", "unjudged", "to_judge", "bib_file", "report", "record")
"""Options and arguments that name an output."""
RUN_NAMES = ("against", "baselines", "settle", "show")
"Options that name a run with a file that is also an argument."
INPUTS = frozenset(
    ("ASSIGNMENTS", "COSTS", "DIN", "DQRELS", "FILE", "FIRST_QRELS", "GOLD", "IDEAL", "IPROB",
     "IREL", "LIST", "LOG", "MATCHES", "METRICS", "NIGHT", "NUGGETS", "PARENTS", "PREDICTION", "QRELS",
     "QRELS2", "REL", "RELEASE", "RESULT_A", "RESULT_B", "RUN", "RUN_A", "RUN_B", "RUNLIST", "RUNPATHLIST",
     "RUNS", "SECOND_QRELS", "SESSIONS", "SUITE", "SYSTEM", "TEST", "TID")
)  # fmt: skip
"""Metavars of values that are input files."""
INPUTS_AFTER_AT = frozenset(("GAINS", "G1:G2:…", "MEASURE", "TOPICS"))
"Metavars of values that are input files if they start with @."
INPUTS_WITH_COLUMN = frozenset(("FILE:COLUMN",))
"Metavars of values that are input files with a column after the last colon."


def list_input_files(options: argparse.Namespace) -> Iterator[str]:
    """Yield the files that the options of a command name as inputs."""
    for row in options.declared:
        names = {*split_metavar(row.metavar)}
        if row.name in OUTPUTS + RUN_NAMES or not names & (INPUTS | INPUTS_AFTER_AT | INPUTS_WITH_COLUMN):
            continue
        value = getattr(options, row.name, None)
        for word in value if isinstance(value, list) else [value]:
            if not isinstance(word, str):
                continue
            if names & INPUTS_WITH_COLUMN:
                yield from {word, word.rpartition(":")[0] or word}
            elif names & INPUTS or word.startswith("@"):
                yield word.removeprefix("@")


def split_metavar(metavar: str | Sequence[str]) -> list[str]:
    """Return the names in a metavar: ``NAME|FILE`` is a name or a file."""
    metavars = [metavar] if isinstance(metavar, str) else metavar
    return [name for text in metavars for name in text.split("|")]


def list_output_files(options: argparse.Namespace) -> dict[str, str]:
    """Return ``{option: file}`` for the outputs that the options of a command name."""
    return {
        (row.flags or (row.metavar,))[0]: path
        for row in options.declared
        if row.name in OUTPUTS and (path := getattr(options, row.name, None)) is not None
    }


def check_outputs(options: argparse.Namespace) -> None:
    """Raise an error if an output cannot be written, or is an input or another output."""
    outputs = list_output_files(options)
    if not outputs:
        return
    options_by_file: dict[object, str] = {}
    for option, path in outputs.items():
        check_writable(path)
        if (first_option := options_by_file.setdefault(get_file_id(path), option)) != option:
            reason = f"both {first_option} and {option} name this file. Use two files."
            raise FileError("write", path, reason)
    on_spark = getattr(options, "engine", None) == "spark"
    check_not_inputs(outputs.values(), list_input_files(options), on_spark)
