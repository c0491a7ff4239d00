"""Options that several commands have, values of options, checked, and tables of actions."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import cleandoc, signature
from typing import Any, TypeAlias, TypeVar

from cranfield.data.reading.lines import finite
from cranfield.data.tracks import read_topics
from cranfield.errors import CranfieldError, InputError, UserCodeError

T = TypeVar("T")
Settings: TypeAlias = Mapping[str, Mapping[str, Any]]  # what argparse is told about arguments

# -- actions of a command -------------------------------------------------------------------------


@dataclass(frozen=True)
class Action:
    """A row in the table of what a command can do; where it has `parts`, they are what it can do.

    `arguments` are rows of `declare`, and `settings` what else it is told here; `defaults` are
    values of arguments that are not given, and of options that the action does not have. A function
    of `tools` does the `work`: the first line of its documentation is the help of the action, what
    follows its description, unless they are given.
    """

    names: str  # the first is ours
    arguments: Mapping[str, str]
    work: Callable[..., Any]
    run: Callable[[Any, argparse.Namespace], None] | None = None  # not as the other actions
    help: str | None = None
    description: str | None = None
    defaults: dict[str, Any] = field(default_factory=dict)
    abbreviated: bool = True  # whether the beginning of an option will do
    usage: str | None = None
    settings: Settings = field(default_factory=dict)
    parts: Sequence[Action] = ()


def add_actions(
    p: argparse.ArgumentParser,
    rows: Iterable[Action],
    run: Callable[[Any, argparse.Namespace], None],
    settings: Settings,
    metavar: str = "ACTION",
) -> None:
    """Declare what a command can do, a subcommand for each row, which `run` is to do."""
    actions = p.add_subparsers(metavar=metavar, required=True)
    for row in rows:
        name, *aliases = row.names.split()
        title, text, *_ = *cleandoc(row.work.__doc__ or "").split("\n\n"), "", ""
        if title[1:2].islower():  # not in P@n
            title = title[0].lower() + title[1:]
        part = actions.add_parser(
            name,
            aliases=aliases,
            help=row.help or title.rstrip("."),
            description=row.description or text,
            usage=row.usage,
            allow_abbrev=row.abbreviated,
        )
        declare(part, row.arguments, **{**settings, **row.settings})
        part.set_defaults(run=partial(row.run or run, row.work), **row.defaults)
        if row.parts:
            add_actions(part, row.parts, run, settings, "FORMAT")


def declare(p: Any, rows: Mapping[str, str], **settings: Mapping[str, Any]) -> None:
    """Declare arguments, given by how they are written and what they mean.

    ``"-o --output FILE"`` has a value, ``"--condensed"`` is a flag, ``"--topic TOPIC …"`` may be
    repeated, which makes `topics`, and ``"runs RUN *"`` is as many words as argparse's sign says.
    ``"gold -r REL !"`` must be given, and is called `gold` here. `settings` are what else argparse
    is told about some of them, by their names, or about all values that are called alike (``REL``).
    """
    for written, meaning in rows.items():
        words = written.split()
        options = [word for word in words if word.startswith("-")]
        named = words[: words[0] not in options]
        metavar, often = (*words[len(named) + len(options) :], "", "")[:2]
        name = (named or [options[-1].lstrip("-").replace("-", "_")])[0]
        told: dict[str, Any] = {"metavar": metavar} if metavar else {}
        if named and options:
            told["dest"] = name
        if often == "…":
            told |= {"action": "append", "dest": name.rstrip("s") + "s"}
        elif often == "!":
            told["required"] = True
        elif often:
            told["nargs"] = often
        elif not metavar and name not in settings:
            told["action"] = "store_true"
        told |= {**settings.get(metavar, {}), **settings.get(name, {})}
        p.add_argument(*(options or named), help=meaning, **told)


def call(
    function: Callable[..., T],
    options: argparse.Namespace,
    parts: Mapping[str, Callable[..., Any]] | None = None,
    **others: Any,
) -> T:
    """Call a function with the options that are called as its parameters.

    What is not given (None) is left to the function, if it has a default. Parameters that are
    `parts` are made of options in the same way.
    """
    wanted = signature(function).parameters
    made = {name: call(make, options) for name, make in (parts or {}).items() if name in wanted}
    given = vars(options) | made | others
    left = {name for name, p in wanted.items() if p.default is not p.empty}
    return function(**{n: given[n] for n in wanted if n not in left or given.get(n) is not None})


# -- values of options ----------------------------------------------------------------------------


def count(text: str) -> int:
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number from 1")
    return number


COUNT: dict[str, Any] = {"type": count}  # for `declare`


def number(text: str, low: float = -math.inf, high: float = math.inf, which: str = "") -> float:
    """A finite number; `which` says between what."""
    found = finite(text)
    if found is None or not low <= found <= high:
        expected = f"a number{'' if found is None else which}"
        raise argparse.ArgumentTypeError(f"found {text!r}, expected {expected}")
    return found


def numbers(text: str) -> tuple[float, ...]:
    """Numbers such as 1:2:3."""
    return tuple(map(number, text.split(":")))


TWICE = "found - twice, expected standard input once"


def refuse_two_inputs(*files: str | None) -> None:
    """Standard input can be read once."""
    if files.count("-") > 1:
        raise CranfieldError(TWICE)


def separator(text: str) -> str:
    """What stands between fields."""
    if not text:
        raise argparse.ArgumentTypeError("found nothing, expected a separator such as ;")
    return text


def settings_of(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """What options say, by the names that they share with the parameters they are for."""
    return {name: getattr(options, name) for name in names}


TOPICS = "--topics --topic TOPICS …"  # for `declare`; it has one meaning in all commands


def topics_of(options: argparse.Namespace) -> Any:
    """The topics that all --topics ask for, as `evaluate` takes them."""
    given = options.topics or ["judged"]
    if len(given) == 1:
        return given[0]
    return [topic for text in given for topic in read_topics(text)]


def add_import(group: Any) -> None:
    """The option that makes measures and user models of one's own known."""
    group.add_argument(
        "--import", dest="imports", action="append", metavar="FILE", default=[],
        help="a Python file with measures or user models of your own (@cf.measure, "
        "@cf.user_model); may be repeated",
    )  # fmt: skip


def import_files(paths: Sequence[str]) -> None:
    """Run the files, so that what they define is known."""
    from importlib.util import module_from_spec, spec_from_file_location

    for number, path in enumerate(paths):
        spec = spec_from_file_location(f"_imported_{number}", path)
        if spec is None or spec.loader is None:
            raise InputError("a file that is not Python", "a name that ends in .py", path)
        module = module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look there for what annotations mean
        try:
            spec.loader.exec_module(module)
        except CranfieldError as error:
            raise CranfieldError(f"{path}: {error}") from None
        except FileNotFoundError:
            raise InputError("no such file", "a Python file", path) from None
        except (Exception, SystemExit) as error:
            raise UserCodeError(error, path, _line(error, path)) from error


def _line(error: BaseException, path: str) -> int | None:
    """Where in a file an error arose."""
    from os.path import abspath
    from traceback import extract_tb

    places = [(f.filename, f.lineno) for f in extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    lines = [line for file, line in places if abspath(file) == abspath(path)]
    return lines[-1] if lines else None


LABELS = {
    "--labels A=2,B=1,…": "the levels that labels in judgments mean, such as S=3,A=2,B=1,C=0",
}
SEPARATOR = {
    "--sep S": "what separates the fields of a line of text, where they contain blanks",
}
FIELDS: dict[str, Any] = {"dest": "separator", "type": separator}  # settings of --sep
