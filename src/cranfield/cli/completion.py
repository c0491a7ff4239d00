"""`cranfield completion`: scripts that make shells complete commands, options and choices.

They are static, so that nothing is run at a TAB: shtab knows no fish in the releases that are
installed widely, and argcomplete starts the program each time.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from cranfield.cli.parser import Parser
from cranfield.data.reading.source import Source
from cranfield.options import argument

# What may come next is found by a key: a command and its parts; these and -, for their options; or
# these and an option, for its choices.
CASE = "    '{}') echo '{}' ;;"
SHELLS = {  # how a script begins, the files it is made of, and how one of its rows is written
    "bash": ("", ("sh", "bash"), CASE),
    "zsh": ("#compdef cranfield\n", ("sh", "zsh"), CASE),
    "fish": ("", ("fish",), "        case '{}'\n            echo '{}'"),
}
OPTIONS = (argument("shell", "SHELL", ", ".join(SHELLS), choices=tuple(SHELLS)),)


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    from cranfield.cli.main import TOP, list_parsers  # which imports this module

    begin, files, row = SHELLS[options.shell]
    script = begin + "".join(map(_read_script, files))
    parsers = [Parser(TOP), *list_parsers()]
    completions = (pair for parser in parsers for pair in _list_completions(parser))
    rows = "\n".join(row.format(key, " ".join(words)) for key, words in completions if words)
    print(script.replace("ROWS", rows), end="")


def _read_script(kind: str) -> str:
    path = os.path.join(os.path.dirname(__file__), f"completion.{kind}")
    return Source.from_path(path).read().decode()


def _list_completions(parser: Parser) -> Iterator[tuple[str, list[str]]]:
    """Yield the words that may come next, by the words before them."""
    rows = [row for row in parser.rows if row.help is not None]
    yield f"{parser.prog} -", [flag for row in rows for flag in row.flags]
    for row in rows:
        for flag in row.flags or [""]:
            yield f"{parser.prog} {flag}".rstrip(), [*map(str, row.choices)]
    parts = parser.part.parts
    yield parser.prog, [name for part in parts for name in (part.name, *part.aliases)]
