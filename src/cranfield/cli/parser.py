"""Parsers of commands: options from rows, help, and errors about words."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, NoReturn

from cranfield.cli.commands import BY_NAME, COMMANDS, GROUPS, OTHER_COMMANDS, RENAMED, SECTIONS, TOOLS
from cranfield.cli.help_lines import (
    format_names,
    format_names_and_texts,
    format_rows,
    format_short_names,
    format_usage_word,
    format_value,
    get_width,
    shorten_help,
)
from cranfield.cli.messages import FORMATS, OPTION, write_unknown_error, write_usage_error
from cranfield.cli.record import RECORD
from cranfield.cli.values import DASHES, build_converter
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError
from cranfield.options import Option, OptionGroup, Rows, choice, flatten_rows, option, switch
from cranfield.wording import CUTOFFS, suggest_names

HELP = switch("-h --help", "show this help, and end", value="help")
HELP_ALL = switch("--help-all", "show all options, and end", value="help-all")
QUIET = switch("--quiet", "no notes, only results and errors")
VERBOSE = switch("-v --verbose", "all notes, and tracebacks of errors in custom code or in cranfield")
MESSAGES = (
    HELP,
    HELP_ALL,
    QUIET,
    VERBOSE,
    choice(
        OPTION,
        FORMATS,
        "format of messages on standard error: text, or one JSON object per line (default: text)",
    ),
)
LIMITS = (
    option("--max-line", "BYTES", "bytes of a line (1,048,576)", value="integer"),
    option(
        "--max-expansion",
        "TIMES",
        "a compressed file may hold TIMES its size (default: 100, but at least 100 MB and at most 50 GB)",
        value="number",
    ),
)


# Without a width, argparse imports shutil for every option, to find out that of the terminal.
FORMATTER: Any = partial(argparse.HelpFormatter, width=80)


@dataclass(frozen=True)
class Part:
    """A command, or a part of a command such as ``meta swap``.

    It has parts, or `rows` and `run`. Empty texts are replaced by the texts of its row in
    `commands`. If `abbreviate`, long options can be abbreviated.
    """

    name: str
    rows: Rows = ()
    run: Callable[[argparse.Namespace], Any] | None = None
    help: str = ""
    usage: str = ""
    description: str = ""
    epilog: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    abbreviate: bool = False
    example: str = ""
    parts: Sequence[Part] = ()
    metavar: str = "ACTION"  # of the parts


class Parser(argparse.ArgumentParser):
    """Parser of a command, or of a part of a command."""

    def __init__(self, part: Part, prog: str = "cranfield") -> None:
        super().__init__(
            prog=prog,
            add_help=False,
            allow_abbrev=part.abbreviate,
            formatter_class=FORMATTER,
        )
        path = prog.split()[1:]
        self.part, self.row = part, BY_NAME.get(" ".join(path))
        self.is_native = not path or COMMANDS[path[0]].is_native
        self.message_rows: tuple[Option, ...] = (HELP, HELP_ALL) if part.parts else (HELP,)
        if self.is_native and path:
            self.message_rows = MESSAGES
        self.limit_rows = LIMITS if self.is_native and path else ()
        self.record_rows = RECORD if self.row is not None and self.row.records and not part.parts else ()
        self.rows: Sequence[Option] = (
            *flatten_rows(part.rows),
            *self.record_rows,
            *self.message_rows,
            *self.limit_rows,
        )
        self.flags = {flag: row for row in self.rows for flag in row.flags}
        for row in self.rows:
            self.add_argument(*(row.flags or (row.name,)), **_build_settings(row))
        self.set_defaults(**part.defaults)

    # -- parsing ----------------------------------------------------------------------------------

    def parse(self, words: Sequence[str], namespace: argparse.Namespace | None = None) -> argparse.Namespace:
        """Return the options, or report the first error and exit."""
        words = [self._replace_former_name(word) for word in words]
        if HELP_ALL not in self.rows:  # a drop-in, whose help has all options
            words = [HELP.flags[-1] if word in HELP_ALL.flags else word for word in words]
        if not self.part.abbreviate:
            self._reject_unknown(self._find_unknown(words))
        words = [f"{word}{DASHES}" if word.endswith("=--") else word for word in words]
        options, rest = self.parse_known_args(words, namespace)
        self._reject_unknown(rest)
        options.declared = self.rows
        return options

    def choose_part(self, words: Sequence[str]) -> tuple[Part, list[str]]:
        """Return the part that the first word names, and the other words.

        Options before the name go to the part. Without a name, help and version exit.
        """
        place = 0
        while place < len(words) and words[place][:1] == "-":
            row = self.flags.get(words[place])
            place += 1 if row is None or row.is_switch else 2
        before, names, after = words[:place], words[place : place + 1], words[place + 1 :]
        self.parse(before)
        for part in self.part.parts:
            if {*names} & {part.name, *part.aliases}:
                return part, [*before, *after]
        noun = self.part.metavar.lower()
        if not names:
            self.error(f"found no {noun}, expected one of these")
        self._exit_unknown(noun, names[0], self._suggest_part(names[0]))

    def error(self, message: str) -> NoReturn:
        write_usage_error(self.prog, message)
        self.exit(2)

    def _find_unknown(self, words: Sequence[str]) -> Iterator[str]:
        for word in takewhile("--".__ne__, words):
            name = word.partition("=")[0]
            if name[:2] == "--" and " " not in name and name not in self.flags:
                yield word

    def _replace_former_name(self, word: str) -> str:
        name, sign, value = word.partition("=")
        path = f"{self.prog} ".removeprefix("cranfield ")
        names = (new for command, new in RENAMED.items() if path.startswith(f"{command} "))
        return next((new[name] for new in names if name in new), name) + sign + value

    def _reject_unknown(self, words: Iterable[str]) -> None:
        if words := [*words]:
            kind = "option" if words[0][:1] == "-" else "argument"
            hint = self._find_hint(words[0].partition("=")[0])
            if kind == "option" and not hint and self.is_native and not self.part.parts:
                hint = f"See `{self.prog} {HELP_ALL.flags[0]}`."
            self._exit_unknown(kind, " ".join(words), hint)

    def _exit_unknown(self, kind: str, word: str, hint: str) -> NoReturn:
        write_unknown_error(self.prog, kind, word, hint)
        self.exit(2)

    def _find_hint(self, word: str) -> str:
        """Return what to write instead of an option or argument that does not exist."""
        flags = [flag for flag, row in self.flags.items() if row.help is not None]
        if word[:1] != "-":
            return 'Quote several measures: -m "AP P@5".' if "--measure" in flags else ""
        name, files = word.lstrip("-"), [row.name for row in self.rows if not row.flags]
        if suggest_names(word, files) or name in files:
            return f"Write files without an option: `{self.format_usage().strip()[7:]}`."
        if name.replace("-", "_") in CUTOFFS and "--measure" in flags:
            return "Write the cutoff after the measure: -m nDCG@10."
        if name in self._get_choices("format"):
            return f"Use --format {name}."
        return format_question(word, [flag for flag in flags if flag[:2] == "--"])

    def _get_choices(self, name: str) -> Collection[Any]:
        return next((row.choices for row in self.rows if row.name == name), ())

    def _suggest_part(self, word: str) -> str:
        """Return what to write instead of a part that does not exist."""
        if not self.part.name:
            if word.lower() in OTHER_COMMANDS:
                return OTHER_COMMANDS[word.lower()]
            if os.path.exists(word) or _is_measure(word):
                return "Did you mean `cranfield evaluate QRELS RUN -m MEASURE`?"
        names = [name for part in self.part.parts for name in (part.name, *part.aliases)]
        return format_question(word, names)

    # -- help -------------------------------------------------------------------------------------

    @cached_property
    def common(self) -> Mapping[str, Sequence[Option]]:
        """Files and common options by section of the short help.

        A command without common options has its own options, those outside of groups.
        """
        common = self._list_common_options()
        sections: dict[str, list[Option]] = {title: [] for title in SECTIONS}
        sections["files"] += [row for row in self.rows if not row.flags]
        if not common:
            sections["options"] += [row for row in self.part.rows if isinstance(row, Option) and row.flags]
        for row in (*common, QUIET, VERBOSE):
            titles = (title for title, flags in SECTIONS.items() if {*flags.split()} & {*row.flags})
            sections[next(titles, "options")].append(row)
        return {title: rows for title, rows in sections.items() if rows}

    def _list_common_options(self) -> list[Option]:
        """Return the options that the row of the command lists, each once."""
        names = self.row.common.split() if self.row else []
        chosen = [self.flags[name] for name in names if name in self.flags]
        return [*{row.name: row for row in chosen}.values()]

    def format_usage(self) -> str:
        """Return the usage: files and required options."""
        usage = self._get_text("usage")
        if not usage:
            rows = sorted(self.rows, key=lambda row: not row.flags)
            words = [format_usage_word(row) for row in rows if row.required or not row.flags]
            parts = [f"{self.part.metavar} ..."] * bool(self.part.parts)
            usage = " ".join([self.prog, "[options]", *words, *parts])
        indent, width = " " * (len(self.prog) + 8), max(get_width() - 7, len(self.prog) + 20)
        lines = [
            line
            for text in usage.splitlines()
            for line in textwrap.wrap(text.strip(), width, subsequent_indent=indent[7:], break_long_words=False)
        ]
        return "usage: " + "\n       ".join(lines) + "\n"

    def format_help(self) -> str:
        """Return usage, purpose, examples, and files and common options, commands or parts.

        The help of a part of a drop-in has all options.
        """
        if not self.is_native and not self.part.parts:
            return self.format_complete_help()
        sections = "\n".join("\n".join([title, *lines]) for title, lines in self._list_short_sections())
        count = sum(bool(row.flags) and row.help is not None for row in self.rows)
        last = f"{HELP_ALL.flags[0]} shows all {count} options.\n"
        if not self.part.name:
            last = self._fill("epilog")
        elif self.part.parts:
            last = f"`{self.prog} {self.part.metavar} --help` explains each of them.\n"
        return "\n".join([*self._format_head(), f"{sections}\n", last])

    def format_complete_help(self) -> str:
        """Return usage, purpose, examples, files and all options."""
        sections = ["\n".join([title] * bool(title) + [*lines, ""]) for title, lines in self.list_sections() if lines]
        return "\n".join([*self._format_head(), *sections, *filter(None, [self._fill("epilog")])])

    def _format_head(self) -> Iterator[str]:
        """Yield usage, purpose and examples."""
        yield self.format_usage()
        if description := self._fill("description"):
            yield description
        path = f"cranfield {self.row.name} " if self.row else "cranfield "
        if examples := [f"  {path}{line}" for line in self._get_text("example").splitlines()]:
            yield "\n".join(["examples" if len(examples) > 1 else "example", *examples, ""])

    def _get_text(self, name: str) -> str:
        return getattr(self.part, name) or getattr(self.row, name, None) or ""

    def _fill(self, name: str) -> str:
        text = " ".join(self._get_text(name).split())
        return textwrap.fill(text, get_width()) + "\n" if text else ""

    def _list_short_sections(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the title and the lines of each section of the short help."""
        for title, commands in self._list_commands() if not self.part.name else ():
            names = ", ".join(name for name, _ in commands)
            yield title, [f"  {names}"] if title == TOOLS else format_names_and_texts(commands)
        if self.part.name and self.part.parts:
            yield self.part.metavar, format_names_and_texts([(part.name, part.help) for part in self.part.parts])
        for title, rows in self.common.items() if not self.part.parts else ():
            yield title, format_rows([(format_short_names(row), self._format_short_help(row)) for row in rows])

    def list_sections(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the title and the lines of each section of the complete help."""
        if not self.part.name:
            yield from ((title, format_names_and_texts(rows)) for title, rows in self._list_commands())
            return
        if self.part.parts:
            yield self.part.metavar, format_names_and_texts([(part.name, part.help) for part in self.part.parts])
        own = [row for row in self.part.rows if isinstance(row, Option)]
        yield "files", self._describe(row for row in own if not row.flags)
        for group in self._list_groups(OptionGroup("options", tuple(row for row in own if row.flags))):
            yield group.title, self._describe(flatten_rows(group.rows))

    def _list_groups(self, own: OptionGroup) -> list[OptionGroup]:
        """Return the groups of options in the order of the help."""
        return [
            own,
            *(row for row in self.part.rows if isinstance(row, OptionGroup)),
            OptionGroup("record of the computation", self.record_rows),
            OptionGroup("limits of files that are read", self.limit_rows),
            OptionGroup("help and messages", self.message_rows),
        ]

    def _list_commands(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        for group in GROUPS:
            parts = [part for part in self.part.parts if COMMANDS[part.name].group == group]
            yield group, [(part.name, part.help) for part in parts]

    def _describe(self, rows: Iterable[Option]) -> list[str]:
        """Return the lines of the names and the help of the visible rows."""
        texts = [(format_names(row), self._format_row_help(row)) for row in rows if row.help is not None]
        return format_rows(texts)

    def _format_row_help(self, row: Option) -> str:
        """Return the help with the required option and the default."""
        text = row.help or ""
        has_default = row.default not in (None, "-") and not isinstance(row.default, bool)
        if has_default and text and "default" not in text:
            text = f"{text} (default: {row.default})"
        return f"{self._format_requirement(row)}{text}"

    def _format_requirement(self, row: Option) -> str:
        """Return the option that the row requires."""
        if not row.requires:
            return ""
        required = next(other for other in self.rows if other.name == row.requires)
        value = row.requires_value or format_value(required)
        return f"with {f'{required.flags[-1]} {value}'.rstrip()}, "

    def _format_short_help(self, row: Option) -> str:
        """Return the start of the help: up to the first semicolon, with choices and default."""
        clause = shorten_help(row, self._format_row_help(replace(row, requires="")))
        return f"{self._format_requirement(row)}{clause}"


class ShowCompleteHelp(argparse.Action):
    """Print the help with all options, and end."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, Parser)  # noqa: S101
        print(parser.format_complete_help(), end="")
        parser.exit()


def _build_settings(row: Option) -> dict[str, Any]:
    """Return the arguments of argparse's add_argument."""
    settings: dict[str, Any] = {"default": row.default, "help": row.help or argparse.SUPPRESS}
    if row.flags:
        settings |= {"dest": row.name}
    if row.required:
        settings |= {"required": True}
    if row.value == "help":
        return {"action": "help", "help": settings["help"]}
    if row.value == "help-all":
        return {"action": ShowCompleteHelp, "nargs": 0, "help": settings["help"]}
    if row.value == "version":
        return {"action": "version", "version": row.const, "help": settings["help"]}
    if row.is_switch:
        return settings | {"action": "store_const", "const": row.const}
    if row.repeat:
        settings |= {"action": "append"}
    elif row.nargs is not None:
        settings |= {"nargs": row.nargs}
    if row.metavar:
        settings |= {"metavar": row.metavar}
    return settings | {"type": build_converter(row)}


def _is_measure(word: str) -> bool:
    from cranfield.measures.grammar import parse_measures

    try:
        return bool(parse_measures(word))
    except CranfieldError:
        return False


def format_question(word: str, names: Iterable[str]) -> str:
    """Return a question that names the nearest name, or an empty string.

    >>> format_question("evalute", ["evaluate", "compare"])
    'Did you mean evaluate?'
    """
    return "".join(f"Did you mean {name}?" for name in suggest_names(word, names))
