"""The options of all commands as a page, from the rows that declare them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from measures import escape_md, table

import cranfield as cf
from cranfield.cli.commands import BY_NAME, COMMANDS, RENAMED
from cranfield.cli.main import list_parsers
from cranfield.evaluation.options import EvaluationOption
from cranfield.options import Option, OptionGroup, Rows

_SEPARATOR = r"(?<=[\w)>.…]); (?![^(`]*[)`])"  # between parts of a help text, not in brackets or code

HEAD = """# Options

This page lists every option of every command. It is generated from the code. `cranfield COMMAND --help-all` prints
the same options. An option of several commands is explained once. [Drop-in replacements](migrate.md) keep the options
of the original programs.

The column *Python* names the argument of the function with the same name as the command, such as
[`cf.evaluate`](evaluate.md#use-python), if the two names differ or if the command has no such option.
"""


def page() -> str:
    """Return the page: an index, and a section for each command and each part."""
    native = [name for name, row in COMMANDS.items() if row.is_native and name not in ("help", "completion")]
    sections, links = [], []
    first: dict[str, str] = {}  # group or option: the first command that has it
    for parser in list_parsers(native):
        rows = parser.part.rows
        if not rows:
            continue
        name = parser.prog.removeprefix("cranfield ")
        links.append(_link(name))
        sections.append("\n\n".join([f"## {name}", *_describe(name), *_tables(name, rows, first)]))
    return "\n\n".join([HEAD.strip(), ", ".join(links) + ".", *sections, _former_names()]) + "\n"


def _former_names() -> str:
    rows = [[f"`{name}`", f"`{old}`", f"`{new}`"] for name, names in RENAMED.items() for old, new in names.items()]
    text = "Former names still work. The help does not show them."
    return "\n\n".join(["## Former option names", text, "\n".join(table(["command", "former name", "name"], rows))])


def _link(name: str) -> str:
    return f"[{name}](#{name.replace(' ', '-')})"


def _describe(name: str) -> Iterator[str]:
    row = BY_NAME.get(name)
    if row is not None:
        if row.description:
            yield escape_md(" ".join(row.description.split()))
        yield "```sh\n" + "\n".join(f"cranfield {name} {example}" for example in row.examples) + "\n```"


def _tables(name: str, rows: Rows, first: dict[str, str]) -> Iterator[str]:
    """Yield the tables of a command. Options and groups that an earlier command has are links."""
    own = [row for row in rows if isinstance(row, Option)]
    parameters = _list_parameters(name)
    yield from _list_options(name, own, parameters, first)
    for group in rows:
        if isinstance(group, OptionGroup):
            title = f"**{group.title[0].upper()}{escape_md(group.title[1:])}**"
            if first.setdefault(repr(group), name) != name:
                yield f"{title}: the same options as {_link(first[repr(group)])}."
                continue
            options = [row for row in group.rows if isinstance(row, Option)]
            nested = [row for row in group.rows if isinstance(row, OptionGroup)]
            yield title
            yield from _list_options(name, options, parameters, first)
            yield from _tables(name, tuple(nested), first)


def _list_options(name: str, rows: list[Option], parameters: set[str], first: dict[str, str]) -> Iterator[str]:
    """Yield a table of new options, and a line for each command that has the other options."""
    visible = [row for row in rows if row.help is not None]
    keys = {id(row): _format_flags(row) + _format_meaning(row) + _format_argument(row, parameters) for row in visible}
    new = [row for row in visible if first.setdefault(keys[id(row)], name) == name]
    if new:
        yield _format_table(new, parameters)
    known: dict[str, list[str]] = {}
    for row in visible:
        if row not in new:
            known.setdefault(first[keys[id(row)]], []).append(f"`{_format_flags(row)}`")
    for command, flags in known.items():
        yield f"As in {_link(command)}: {', '.join(flags)}."


def _list_parameters(name: str) -> set[str]:
    function = getattr(cf, name, None)
    if not inspect.isfunction(function):
        return set()
    return set(inspect.signature(function).parameters)


def _format_table(options: list[Option], parameters: set[str]) -> str:
    rows = [[f"`{_format_flags(row)}`", _format_meaning(row), _format_argument(row, parameters)] for row in options]
    head = ["option", "meaning", "Python"]
    if not any(row[2] for row in rows):
        head, rows = head[:2], [row[:2] for row in rows]
    return "\n".join(table(head, rows))


def _format_flags(row: Option) -> str:
    metavar = row.metavar if isinstance(row.metavar, str) else " ".join(row.metavar)
    if not row.flags:
        return metavar or row.name.upper()
    value = metavar or ("CHOICE" if row.choices else "")
    return f"{', '.join(row.flags)} {value}".strip().replace("|", "\\|")


def _format_meaning(row: Option) -> str:
    meanings = row.meanings if isinstance(row, EvaluationOption) else {}
    text = row.help or ""
    choices = "|".join(re.escape(str(choice)) for choice in row.choices)
    separator = rf"{_SEPARATOR}|: (?=(?:{choices}): )" if choices else _SEPARATOR
    parts = [escape_md(part).replace("|", "\\|") for part in re.split(separator, text)]
    parts = [re.sub(rf"^({choices}): ", r"`\1`: ", part) for part in parts] if choices else parts
    if meanings:
        parts += [f"`{choice}`: {escape_md(meaning)}" for choice, meaning in meanings.items()]
    elif row.choices and not all(re.search(rf"(?<!\w){re.escape(str(choice))}(?!\w)", text) for choice in row.choices):
        parts.append("Choices: " + _format_choices(list(row.choices)))
    if row.requires:
        parts.append(f"Requires `--{row.requires.replace('_', '-')}`" + f" {row.requires_value}".rstrip())
    return "<br>".join(part for part in parts if part)


def _format_choices(choices: list[object]) -> str:
    numbers = [choice for choice in choices if isinstance(choice, int)]
    if len(numbers) == len(choices):
        return f"{min(numbers)} to {max(numbers)}"
    return ", ".join(f"`{choice}`" for choice in choices)


def _format_argument(row: Option, parameters: set[str]) -> str:
    metavar = str(row.metavar).lower()
    names = {flag.lstrip("-").replace("-", "_") for flag in row.flags} or {metavar, f"{metavar}s"}
    return f"`{row.name}`" if row.name in parameters and row.name not in names else ""
