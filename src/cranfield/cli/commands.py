"""The table of commands, `commands.toml`: what each does, an example, the options that people use.

The options and the work of a command are in the module of its name.
"""

from __future__ import annotations

import os
from dataclasses import field, replace

from cranfield.data.reading.source import Source
from cranfield.data.reading.toml import read_toml
from cranfield.dataclass import dataclass

TOOLS = "other tools' commands"
GROUPS = ("evaluate", "compare", "understand", "collect", TOOLS)


@dataclass(frozen=True)
class Command:
    """A row: a command, or a part of one, such as `meta swap`.

    The help begins with the `example`, which works on files of these names, and with the `common`
    options, those of the command after those of the part; what a command does not have is not
    looked for. A row without any says that they are few enough to be shown as they are declared.
    Parts have no group; `parts` is what a command calls its own. `renamed` are options that had a
    meaning of their own; their former names still do.
    """

    name: str
    example: str
    group: str = ""
    does: str = ""
    common: str = ""
    usage: str | None = None
    description: str | None = None
    epilog: str | None = None
    parts: str = "ACTION"
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> bool:
        """Whether it is not a tool of others, whose options are kept as they are."""
        return self.group != TOOLS


def _rows() -> dict[str, Command]:
    path = os.path.join(os.path.dirname(__file__), "commands.toml")
    rows: dict[str, Command] = {}
    for name, told in read_toml(Source.of(path)).items():
        row, whole = Command(name, **told), rows.get(name.rpartition(" ")[0])
        rows[name] = replace(row, common=f"{row.common} {whole.common}") if whole else row
    return rows


BY_NAME = _rows()
COMMANDS = {name: row for name, row in BY_NAME.items() if " " not in name}
RENAMED = {name: row.renamed for name, row in sorted(BY_NAME.items()) if row.renamed}
