"""`cranfield completion`: scripts that make shells complete commands, options and choices.

They are static, so that nothing is run at a TAB: shtab knows no fish in the releases that are
installed widely, and argcomplete starts the program each time.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from cranfield.cli.commands import COMMANDS
from cranfield.cli.options import declare

# What may come next is found by a key: a command and its parts; these and -, for their options; or
# these and an option, for its choices.
POSIX = """_cranfield_row() {
    case "$1" in
ROWS
    esac
}
_cranfield_next() {
    local key=cranfield before= row
    while [ $# -gt 1 ]; do
        [ -n "$(_cranfield_row "$key $1 -")" ] && key="$key $1"
        before=$1
        shift
    done
    case "$1" in -*) _cranfield_row "$key -"; return ;; esac
    row=$(_cranfield_row "$key $before")
    echo "${row:-$(_cranfield_row "$key")}"
}
"""
BASH = """_cranfield() {
    local next=$(_cranfield_next "${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=($(compgen -W "$next" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cranfield cranfield
"""
ZSH = """_cranfield() {
    local next=$(_cranfield_next "${(@)words[2,CURRENT]}")
    [[ -n $next ]] && compadd -- ${=next} || _files
}
[[ $funcstack[1] == _cranfield ]] && _cranfield || compdef _cranfield cranfield
"""
FISH = """function __cranfield_row
    switch "$argv"
ROWS
    end
end
function __cranfield_next
    set -l key cranfield
    set -l words (commandline -opc)
    for word in $words[2..-1]
        test -n "$(__cranfield_row "$key $word -")"; and set key "$key $word"
    end
    set -l row (__cranfield_row "$key $words[-1]")
    test -n "$row"; or set row (__cranfield_row $key)
    string match -q -- '-*' (commandline -ct); and set row (__cranfield_row "$key -")
    string split ' ' -- $row
end
complete -c cranfield -a '(__cranfield_next)'
"""
SHELLS = {  # a script, and how one of its rows is written
    "bash": (POSIX + BASH, "    '{}') echo '{}' ;;"),
    "zsh": ("#compdef cranfield\n" + POSIX + ZSH, "    '{}') echo '{}' ;;"),
    "fish": (FISH, "        case '{}'\n            echo '{}'"),
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    declare(p, {"shell SHELL": ", ".join(SHELLS)}, SHELL={"choices": tuple(SHELLS)})
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    from cranfield.cli.main import parser  # which knows this module by its name

    script, row = SHELLS[options.shell]
    known = _next(parser([*COMMANDS]), "cranfield")
    rows = "\n".join(row.format(key, " ".join(words)) for key, words in known if words)
    print(script.replace("ROWS", rows), end="")


def _next(p: argparse.ArgumentParser, key: str) -> Iterator[tuple[str, list[str]]]:
    """What may come next, by what has come before."""
    shown = [action for action in p._actions if action.help != argparse.SUPPRESS]
    yield f"{key} -", [name for action in shown for name in action.option_strings]
    for action in shown:
        for option in action.option_strings or [""]:
            yield f"{key} {option}".rstrip(), [*map(str, action.choices or ())]
        if isinstance(action, argparse._SubParsersAction):
            for name, part in action.choices.items():
                yield from _next(part, f"{key} {name}")
