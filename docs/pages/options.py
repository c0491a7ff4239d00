"""The options of all commands as a page, from the rows that declare them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from measures import escaped, table

import cranfield as cf
from cranfield.cli.commands import BY_NAME, COMMANDS
from cranfield.cli.main import list_parsers
from cranfield.evaluation.options import EvaluationOption
from cranfield.options import Option, OptionGroup, Rows

HEAD = """# Options

This page lists every option of every command. It is generated from the code.
`cranfield COMMAND --help-all` prints the same list. [Drop-in replacements](migrate.md) keep the options of
the original programs.

The column *Python* names the argument of the function with the same name as the command, such as
[`cf.evaluate`](evaluate.md#use-python), if the two names differ or if the command has no such option.
"""


def page() -> str:
    """Return the page: an index, and a section for each command and each part."""
    native = [name for name, row in COMMANDS.items() if row.is_native and name not in ("help", "completion")]
    sections, links = [], []
    first: dict[str, str] = {}  # command that lists the options of a group
    for parser in list_parsers(native):
        rows = parser.part.rows
        if not rows:
            continue
        name = parser.prog.removeprefix("cranfield ")
        links.append(f"[{name}](#{name.replace(' ', '-')})")
        sections.append("\n\n".join([f"## {name}", *_describe(name), *_tables(name, rows, first)]))
    return "\n\n".join([HEAD.strip(), ", ".join(links) + ".", *sections]) + "\n"


def _describe(name: str) -> Iterator[str]:
    row = BY_NAME.get(name)
    if row is not None:
        if row.description:
            yield escaped(" ".join(row.description.split()))
        yield "```sh\n" + "\n".join(f"cranfield {name} {example}" for example in row.examples) + "\n```"


def _tables(name: str, rows: Rows, first: dict[str, str]) -> Iterator[str]:
    """Yield the table of a command's own options, and one for each group that no command before has."""
    own = [row for row in rows if isinstance(row, Option)]
    parameters = _list_parameters(name)
    if own:
        yield _format_table(own, parameters)
    for group in rows:
        if isinstance(group, OptionGroup):
            title = f"**{group.title[0].upper()}{escaped(group.title[1:])}**"
            if first.setdefault(repr(group), name) != name:
                other = first[repr(group)]
                yield f"{title}: the same options as [{other}](#{other.replace(' ', '-')})."
                continue
            options = [row for row in group.rows if isinstance(row, Option)]
            nested = [row for row in group.rows if isinstance(row, OptionGroup)]
            yield title
            if options:
                yield _format_table(options, parameters)
            yield from _tables(name, tuple(nested), first)


def _list_parameters(name: str) -> set[str]:
    function = getattr(cf, name, None)
    if not inspect.isfunction(function):
        return set()
    return set(inspect.signature(function).parameters)


def _format_table(options: list[Option], parameters: set[str]) -> str:
    rows = [
        [f"`{_format_flags(row)}`", _format_meaning(row), _format_argument(row, parameters)]
        for row in options
        if row.help is not None
    ]
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
    parts = [escaped(row.help or "").replace("|", "\\|")]
    if meanings:
        parts += [f"`{choice}`: {escaped(text)}" for choice, text in meanings.items()]
    elif row.choices and not all(f"{choice}:" in parts[0] for choice in row.choices):
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
