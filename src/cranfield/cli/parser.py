"""How commands read their options, what their help looks like, and what is said of a mistake."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, NoReturn

from cranfield.cli.commands import BY_NAME, COMMANDS, GROUPS, OTHER_COMMANDS, RENAMED
from cranfield.cli.messages import FORMATS, OPTION, write_unknown_error, write_usage_error
from cranfield.errors import CranfieldError
from cranfield.wording import CUTOFFS, suggest_names

MESSAGES = "help and messages"
LIMITS = "limits of files that are read"
COMMON = "common options"
NOUNS = {"PICTURE": "figure"}  # of what parts are called, where that is not their metavar
ROW_SETTINGS = ("usage", "description", "epilog")  # by the row, unless they are given


class Formatter(argparse.HelpFormatter):
    """Shows what follows an option once, not after each of its names."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """Of a command, or of a part of one: its row is found by its name.

    Commands of ours take options as they are written only, and all have --quiet and -v.
    """

    def __init__(self, *, allow_abbrev: bool = True, **settings: Any) -> None:
        words = settings["prog"].split()[1:]
        self.row, command = BY_NAME.get(" ".join(words)), COMMANDS.get("".join(words[:1]))
        self.is_native = command is not None and command.is_native
        beginnings = allow_abbrev and command is not None and not self.is_native
        fixed = {"allow_abbrev": beginnings, "add_help": False, "formatter_class": Formatter}
        row_settings = {name: getattr(self.row, name, None) for name in ROW_SETTINGS}
        super().__init__(**{**row_settings, **settings, **fixed})
        # A part that is not given an option leaves what was said before it.
        group = self.add_argument_group(MESSAGES, argument_default=argparse.SUPPRESS)
        group.add_argument("-h", "--help", action="help", help="show this, and end")
        if self.is_native:
            text = "no notices, only results and errors"
            group.add_argument("--quiet", action="store_true", help=text)
            text = "every notice in full, and where an error in your own code or in ours arose"
            group.add_argument("-v", "--verbose", action="store_true", help=text)
            text = "what is said on standard error: lines, or a JSON object on each (default: text)"
            group.add_argument(OPTION, choices=FORMATS, help=text)
            limits = self.add_argument_group(LIMITS, argument_default=argparse.SUPPRESS)
            text = "bytes of a line (1,048,576)"
            limits.add_argument("--max-line", type=int, metavar="BYTES", help=text)
            text = (
                "a compressed file may hold TIMES its size "
                "(default: 100, but at least 100 MB and at most 50 GB)"
            )
            limits.add_argument("--max-expansion", type=float, metavar="TIMES", help=text)

    # -- mistakes ---------------------------------------------------------------------------------

    def error(self, message: str) -> NoReturn:
        write_usage_error(self.prog, message)
        self.exit(2)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Nothing is left over: that is a mistake, as are options that are not known."""
        words = [self._replace_former_name(word) for word in args or ()]
        if not self.allow_abbrev:
            self._reject_unknown(self._find_unknown(words))
        options, rest = super().parse_known_args(words, namespace)
        self._reject_unknown(rest)
        return options, rest

    def _find_unknown(self, words: Sequence[str]) -> Iterator[str]:
        """Long options that are not known; those after the name of a part are not of interest."""
        ended = "--".__eq__ if self._subparsers is None else lambda word: word[:1] != "-"
        for word in takewhile(lambda word: not ended(word), words):
            name = word.partition("=")[0]
            if name[:2] == "--" and " " not in name and name not in self._option_string_actions:
                yield word

    def _replace_former_name(self, word: str) -> str:
        """An option of today for one of a former name."""
        name, sign, value = word.partition("=")
        path = f"{self.prog} ".removeprefix("cranfield ")
        names = (old for command, old in RENAMED.items() if path.startswith(f"{command} "))
        return next((old[name] for old in names if name in old), name) + sign + value

    def _reject_unknown(self, unknown: Iterable[str]) -> None:
        if words := [*unknown]:
            visible = {name for a in self._actions if a.help != argparse.SUPPRESS
                     for name in a.option_strings}  # fmt: skip
            kind = "option" if words[0][:1] == "-" else "argument"
            self._exit_unknown(
                kind, " ".join(words), self._find_hint(words[0].partition("=")[0], visible)
            )

    def _exit_unknown(self, kind: str, word: str, hint: str) -> NoReturn:
        write_unknown_error(self.prog, kind, word, hint)
        self.exit(2)

    def _find_hint(self, word: str, names: Iterable[str]) -> str:
        """Return what to write instead of an option or argument that does not exist."""
        if word[:1] != "-":
            return 'Quote several measures: -m "AP P@5".' if "--measure" in names else ""
        name, files = word.lstrip("-"), [a.dest for a in self._actions if not a.option_strings]
        if suggest_names(word, files) or name in files:
            return f"Write files without an option: `{self.format_usage().strip()[7:]}`."
        if name.replace("-", "_") in CUTOFFS and "--measure" in names:
            return "Write the cutoff after the measure: -m nDCG@10."
        formats = next((a.choices for a in self._actions if a.dest == "format"), None)
        if name in (formats or ()):
            return f"Use --format {name}."
        return format_question(word, [option for option in names if option[:2] == "--"])

    def _suggest_part(self, word: str, names: Iterable[str]) -> str:
        """Return what to write instead of a part that does not exist."""
        return format_question(word, names)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """A value may be -- where there is no doubt: argparse would leave it out."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [*map(str, action.choices)]
            if isinstance(action, argparse._SubParsersAction):
                noun = NOUNS.get(str(action.metavar), str(action.metavar).lower())
                self._exit_unknown(noun, str(value), self._suggest_part(str(value), choices))
            hint = format_suggestion(str(value), choices)
            message = f"found {value!r}, expected one of {', '.join(choices)}{hint}"
            raise argparse.ArgumentError(action, message)

    # -- help -------------------------------------------------------------------------------------

    def _get_formatter(self) -> argparse.HelpFormatter:
        """What argparse asks for whenever it is told of an option: the terminal does not matter."""
        return Formatter(self.prog, width=80)

    def format_usage(self) -> str:
        """Files and required options; all others are in the help."""
        if self.usage is not None:
            return super().format_usage()
        f = self.formatter_class(prog=f"{self.prog} [options]")
        f.add_usage(None, [a for a in self._actions if a.required or not a.option_strings], ())
        return f.format_help()

    def format_help(self) -> str:
        """An example, how it is used, what it does; files and common options, then the rest."""
        example = f"example: cranfield {self.row.name} {self.row.example}\n" if self.row else ""
        f = super()._get_formatter()
        f.add_text(self.description)
        for title, actions in self.list_sections():
            f.start_section(title)
            f.add_arguments(actions)
            f.end_section()
        f.add_text(self.epilog)
        return f"{example}{self.format_usage()}\n{f.format_help()}"

    def list_sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """What the help shows below which title, in its order."""
        files, options, messages, *groups = self._action_groups
        by_name = {name: a for a in self._actions for name in a.option_strings}
        names = self.row.common.split() if self.row else ()
        common = [*dict.fromkeys(by_name[name] for name in names if name in by_name)]
        yield "files" if self._subparsers is None else None, files._group_actions
        yield COMMON, common
        for group in (options, *groups, messages):
            title = "other options" if common and group is options else group.title
            yield title, [a for a in group._group_actions if a not in common]


class Top(Parser):
    """Of `cranfield` itself, whose help lists the commands, group by group."""

    def _suggest_part(self, word: str, names: Iterable[str]) -> str:
        if word.lower() in OTHER_COMMANDS:
            return OTHER_COMMANDS[word.lower()]
        if os.path.exists(word) or _is_measure(word):
            return "Did you mean `cranfield evaluate QRELS RUN -m MEASURE`?"
        return format_question(word, names)

    def list_sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        subcommands = [*list_parts(self)]
        for group in GROUPS:
            yield group, [a for a in subcommands if COMMANDS[a.dest].group == group]


def _is_measure(word: str) -> bool:
    from cranfield.measures.grammar import parse_measures

    try:
        return bool(parse_measures(word))
    except CranfieldError:
        return False


def list_parts(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """What is listed of the commands, or of the parts of a command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action._get_subactions()


def format_question(word: str, names: Iterable[str]) -> str:
    """Return a question that names the nearest name, or an empty string.

    >>> question("evalute", ["evaluate", "compare"])
    'Did you mean evaluate?'
    """
    return "".join(f"Did you mean {name}?" for name in suggest_names(word, names))


def format_suggestion(word: str, names: Iterable[str]) -> str:
    """What may have been meant, if anything is near enough.

    >>> suggestion("evalute", ["evaluate", "compare"]), suggestion("ttest", ["hsd", "t"])
    ('; did you mean evaluate?', '; did you mean t?')
    """
    text = format_question(word, names)
    return f"; {text[0].lower()}{text[1:]}" if text else ""
