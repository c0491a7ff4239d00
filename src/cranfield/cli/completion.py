"""`cranfield completion`: scripts that make shells complete commands, options and choices.

They are static, so that nothing is run at a TAB: shtab knows no fish in the releases that are
installed widely, and argcomplete starts the program each time.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from cranfield.cli.commands import COMMANDS
from cranfield.cli.options import build_option
from cranfield.data.reading.source import Source

# What may come next is found by a key: a command and its parts; these and -, for their options; or
# these and an option, for its choices.
CASE = "    '{}') echo '{}' ;;"
SHELLS = {  # how a script begins, the files it is made of, and how one of its rows is written
    "bash": ("", ("sh", "bash"), CASE),
    "zsh": ("#compdef cranfield\n", ("sh", "zsh"), CASE),
    "fish": ("", ("fish",), "        case '{}'\n            echo '{}'"),
}
OPTIONS = {"shell SHELL": build_option(", ".join(SHELLS), choices=tuple(SHELLS))}


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    from cranfield.cli.main import build_parser  # which knows this module by its name

    begin, files, row = SHELLS[options.shell]
    script = begin + "".join(map(_read_script, files))
    completions = _list_completions(build_parser([*COMMANDS]), "cranfield")
    rows = "\n".join(row.format(key, " ".join(words)) for key, words in completions if words)
    print(script.replace("ROWS", rows), end="")


def _read_script(kind: str) -> str:
    path = os.path.join(os.path.dirname(__file__), f"completion.{kind}")
    return Source.from_path(path).read().decode()


def _list_completions(p: argparse.ArgumentParser, key: str) -> Iterator[tuple[str, list[str]]]:
    """What may come next, by what has come before."""
    actions = [action for action in p._actions if action.help != argparse.SUPPRESS]
    yield f"{key} -", [name for action in actions for name in action.option_strings]
    for action in actions:
        for option in action.option_strings or [""]:
            yield f"{key} {option}".rstrip(), [*map(str, action.choices or ())]
        if isinstance(action, argparse._SubParsersAction):
            for name, part in action.choices.items():
                yield from _list_completions(part, f"{key} {name}")
