"""Tables of actions and options, values of options, checked, and options of several commands."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from inspect import cleandoc, signature
from typing import Any, TypeAlias, TypeVar, get_args

from cranfield.data.merging import ChunkScore, Duplicates
from cranfield.data.orders import TIES as AS_READ
from cranfield.data.reading.formats import FORMATS, RUN_FORMATS
from cranfield.data.reading.lines import SEPARATOR_NAMES, parse_finite, truncate_text
from cranfield.data.systems import RunNames
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError

T = TypeVar("T")
Settings: TypeAlias = Mapping[str, Mapping[str, Any]]  # what argparse is told about arguments
Rows: TypeAlias = dict[str, Any]  # arguments and what they mean, or titles and rows below them

# -- actions of a command -------------------------------------------------------------------------


@dataclass(frozen=True)
class Action:
    """A row in the table of what a command can do; where it has `parts`, they are what it can do.

    `arguments` are rows of `declare`; `defaults` are values of arguments that are not given, and of
    options that the action does not have. A function of `tools` does the `work`: the first line of
    its documentation is the help of the action, what follows its description, unless help is given.
    """

    names: str  # the first is ours
    arguments: Mapping[str, Any]
    work: Callable[..., Any]
    run: Callable[[Any, argparse.Namespace], None] | None = None  # not as the other actions
    help: str | None = None
    defaults: dict[str, Any] = field(default_factory=dict)
    abbreviated: bool = True  # whether the beginning of an option will do
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
            description=row.help or text,
            allow_abbrev=row.abbreviated,
        )
        declare(part, row.arguments, **settings)
        work = partial(row.run or run, row.work)
        part.set_defaults(run=work, declared=part._actions, **row.defaults)
        if row.parts:
            add_actions(part, row.parts, run, settings, "FORMAT")


def build_option(meaning: str, **settings: Any) -> dict[str, Any]:
    """What an argument means, and what else argparse is told about it."""
    return {"help": meaning, **settings}


def declare(p: Any, rows: Mapping[str, Any], **settings: Mapping[str, Any]) -> None:
    """Declare the arguments of a command from rows: their syntax, and their help.

    - ``"-o --output FILE"`` has a value, and ``"--condensed"`` is a flag.
    - ``"--topic TOPIC …"`` may be repeated. Its values are `build_topic_options`.
    - ``"runs RUN *"`` has the number of words that argparse's sign ``*`` stands for.
    - ``"--kind {qrels,run}"`` is one of these values (`format_choices`).
    - ``"gold -r REL !"`` is required, with the name `gold`. ``…!`` may also be repeated.
    - ``"--whole with --plot FILE"`` is rejected without the other option, and
      ``"--p P with --statistic rbo"`` if the other has another value. The help states this.

    `settings` are further arguments for argparse, by the name of an option or of a value
    (``REL``). A row may also contain them (`build_option`). A row that contains rows is a group.
    """
    for row, meaning in rows.items():
        row_settings = build_option(meaning) if isinstance(meaning, str) else meaning
        if "help" not in row_settings:
            declare(p.add_argument_group(row), row_settings, **settings)
            continue
        syntax, _, needs = row.partition(" with ")
        words = syntax.split()
        options = [word for word in words if word.startswith("-")]
        positional = words[: words[0] not in options]
        metavar, often = (*words[len(positional) + len(options) :], "", "")[:2]
        name = (positional or [options[-1].lstrip("-").replace("-", "_")])[0]
        arguments = {"dest": name} if positional and options else {}
        arguments |= {**_build_value_settings(metavar), **_build_count_settings(often, name)}
        arguments |= {**settings.get(metavar, {}), **settings.get(name, {}), **row_settings}
        if arguments.keys() <= {"dest", "help"} and options:
            arguments["action"] = "store_true"
        arguments["help"] = f"with {needs}, {arguments['help']}" if needs else arguments["help"]
        p.add_argument(*(options or positional), **arguments).needs = needs


def _build_value_settings(metavar: str) -> dict[str, Any]:
    """What argparse is told about a value: its choices, or what it is called."""
    if metavar.startswith("{"):
        return {"choices": metavar[1:-1].split(",")}
    return {"metavar": metavar} if metavar else {}


def _build_count_settings(sign: str, name: str) -> dict[str, Any]:
    """What argparse is told about how often a value is given."""
    often, required = sign.removesuffix("!"), {"required": True} if sign.endswith("!") else {}
    if often == "…":
        return {"action": "append", "dest": name.rstrip("s") + "s", **required}
    return {"nargs": often} if often else required


def format_choices(choices: Iterable[str]) -> str:
    """Choices, as they are written in a row of `declare`."""
    return f"{{{','.join(choices)}}}"


def call(
    function: Callable[..., T],
    options: argparse.Namespace,
    parts: Mapping[str, Callable[..., Any]] | None = None,
    **overrides: Any,
) -> T:
    """Call a function with the options that are called as its parameters.

    What is not given (None) is left to the function, if it has a default. Parameters that are
    `parts` are made of options in the same way; `overrides` stand in the place of options. Functions
    with ``**options`` take those of an evaluation.
    """
    parameters: dict[str, Any] = dict(signature(function).parameters)
    built = {
        name: call(make, options) for name, make in (parts or {}).items() if name in parameters
    }
    values = vars(options) | built | overrides
    optional = {name for name, p in parameters.items() if p.default is not p.empty}
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        from cranfield.evaluation.options import NAMES

        parameters |= dict.fromkeys(NAMES)
        optional |= parameters.keys()
    return function(
        **{n: values[n] for n in parameters if n not in optional or values.get(n) is not None}
    )


# -- values of options ----------------------------------------------------------------------------


DIGITS = 9  # of anything that is counted


def parse_count(text: str) -> int:
    """A whole number from 1."""
    digits = text.strip().lstrip("0")
    if not digits.isdecimal() or len(digits) > DIGITS:
        limit = f", of at most {DIGITS} digits" if digits.isdecimal() else ""
        problem = f"found {truncate_text(text)}, expected a whole number from 1{limit}"
        raise argparse.ArgumentTypeError(problem)
    return int(digits)


COUNT: dict[str, Any] = {"type": parse_count}  # for `declare`
NUMBER: dict[str, Any] = {"type": float}
INTEGER: dict[str, Any] = {"type": int}


def parse_number(
    text: str, low: float = -math.inf, high: float = math.inf, which: str = ""
) -> float:
    """A finite number; `which` says between what."""
    value = parse_finite(text)
    if value is None or not low <= value <= high:
        expected = f"a number{'' if value is None else which}"
        raise argparse.ArgumentTypeError(f"found {text!r}, expected {expected}")
    return value


FROM_0 = {"type": partial(parse_number, low=0, which=" from 0")}


def build_list_type(kind: Callable[[str], T], sign: str = ",") -> dict[str, Any]:
    """Values with a sign between them, such as 1,2,3."""
    return {"type": lambda text: tuple(kind(part.strip()) for part in text.split(sign))}


STDIN_TWICE = "found - twice, expected standard input once"


def check_single_stdin(*files: str | None) -> None:
    """Standard input can be read once."""
    if files.count("-") > 1:
        raise CranfieldError(STDIN_TWICE)


def parse_separator(text: str) -> str:
    """What stands between fields."""
    if not text:
        raise argparse.ArgumentTypeError("found nothing, expected a separator such as ;")
    return SEPARATOR_NAMES.get(text, text)


# -- options that several commands have -----------------------------------------------------------


TOPICS = "--topics --topic TOPICS …"  # for `declare`; it has one meaning in all commands
ORDERS = {
    "trec": "by document id, descending (default)",
    "rank": "deprecated, use --order rank",
    "given": "deprecated, use --order given",
    "best": "by level, the best first",
    "worst": "by level, the worst first",
    "expected": "the mean over all orders",
    "file": "as in the file (default of predictions for LETOR data)",
}
RANKED_BY = {
    "score": "the score, descending (default)",
    "rank": "the rank column (default without scores)",
    "given": "the order of the file (default without scores and ranks)",
}
TIES = tuple(ORDERS)
ONE_ORDER = tuple(name for name in TIES if name != "expected")


def build_order_options(ties: Sequence[str] = ONE_ORDER) -> Rows:
    """The options that decide which items of a list are looked at, and in which order."""
    return {**build_tie_options(ties), **SHARED["lists"]}


def build_tie_options(ties: Sequence[str] = AS_READ) -> Rows:
    """The options that decide the order of a list."""
    text = "; ".join(f"{name}: {ORDERS[name]}" for name in ties)
    keys = "; ".join(f"{name}: {meaning}" for name, meaning in RANKED_BY.items())
    return {
        f"--order {format_choices(RANKED_BY)}": f"what orders a ranking: {keys}",
        f"--ties {format_choices(ties)}": f"order of documents with equal scores: {text}",
    }


def build_topic_options(
    default: str = "all of them", condition: str = "that every run answers"
) -> Rows:
    """The option that says which topics are looked at, where it does not decide means."""
    text = f"101,102, or @FILE with topics; common: those {condition}; may be repeated"
    return {TOPICS: f"{text} (default: judged, {default})"}


def build_preset_options(help_text: str) -> Rows:
    """The options that name a preset."""
    return {"--preset NAME": help_text, "--presets FILE with --preset NAME": PRESETS}


def build_mean_options() -> Rows:
    """The options that decide which topics count."""
    from cranfield.evaluation.options import Undefined

    return {
        TOPICS: "judged: all judged topics count, unanswered ones as empty lists (default); "
        "common: only judged topics that every run answers; 101,102: only these, of which all are "
        "judged; @FILE: one on each line, or those of judgments, a run or a table; may be repeated",
        f"--undefined {format_choices(get_args(Undefined))}": "a topic without a relevant document counts "
        "as 0 (default), is nan, is left out of the means, or is an error",
    }


def build_format_option(formats: Sequence[str]) -> Rows:
    """What is said of an option that forces a format."""
    return build_option(f"instead of recognising it: {', '.join(formats)}", choices=formats)


SEPARATOR = {
    "separator --sep S": "what separates the fields of a line of text, if they contain spaces: a "
    "text such as ; or tab, comma, semicolon, pipe, space",
}
COLUMNS = {
    "--columns C=NAME,…": "what columns are called that have other names, or their numbers: "
    "topic=user_id,level=rating, run.topic=1,run.doc=2,run.score=3",
}
RUN_NAMES = {
    f"--run-names {format_choices(get_args(RunNames))}": "tag: several run tags in a file are several runs, "
    "each named by its tag, or by the path where tags clash or are missing (default); file: a file "
    "is one run, named by its path",
}
PRESETS = "a TOML file with presets of your own"
LABELS = {"--labels A=2,B=1,…": "the levels that labels in judgments mean, such as S=3,A=2,B=1,C=0"}
SHARED: dict[str, Rows] = {
    "lists": {
        "--depth N": "only the first N documents of a list",
        "--condensed": "leave out unjudged documents (after --depth)",
        "--exclude-self": "leave out a document whose id is the topic's",
        "--classes FILE": "equivalence classes, topic doc class (may be QRELS itself: topic doc L2 "
        "class): of a class only the first document found counts",
        "--groups FILE": "groups of documents that are of use only together, topic doc group: a "
        "group counts once, at the last of its documents",
    },
    "drawn": {
        "--tie-samples N": "random orders for --ties expected, where it cannot be computed "
        "(default: 100)",
        "--seed S": "chooses the random orders (default: 0)",
    },
    "relevance": {
        "--rel N": "lowest relevant level, for all measures that take rel",
        "--gains GAINS": "linear, exp, binary, unit or a table such as 1:2:3, for all that take "
        "gain; topic: 1:2:… up to the topic's highest level; @FILE: lines `topic 1:2:3`",
        **LABELS,
        "--lengths FILE": "document lengths: doc length, or a table with columns doc, words, "
        "characters; TBG takes words, U characters",
    },
    "intents": {
        "--intents FILE …": "topic intent probability, or topic intent informational|navigational, "
        "or both on a line; may be repeated. QRELS are topic intent doc level (default: all "
        "intents are equally probable and informational)",
    },
    "verticals": {
        "--verticals FILE": "topic intent vertical value: how much users of an intent want images, "
        "news, …; for Vscore and QUscore, where the second column of a run is the vertical",
        "--embed-verticals": "verticals are items of the lists, under their names; other documents "
        "are of the vertical Web (IMine-2 VI)",
    },
    "costs": {
        "--costs FILE": "costs of documents: topic doc cost, or type cost, the type being the "
        "second column of a run (default: 1 each)",
        "--cost-unit UNIT": "such as seconds; told only",
    },
    "formats": {
        "--qrels-format FORMAT": build_format_option(FORMATS),
        "--run-format FORMAT": build_format_option(RUN_FORMATS),
        **RUN_NAMES,
        "--chunks SIGN": "runs return chunks of documents: what stands between the id of a "
        "document and that of its chunk, such as #; or /REGEX/, whose one group is the document",
        f"--chunk-score {format_choices(get_args(ChunkScore))} with --chunks SIGN": "a document scores the "
        "max of its chunks (default), their sum, or as the first of them; where ranks or the order "
        "of the lists decide, it stands where the first does",
        f"--duplicates {format_choices(get_args(Duplicates))}": "a document twice in a list is an error "
        "(default), or the first or best line of it is kept",
        **COLUMNS,
        **SEPARATOR,
    },
    "threads": {
        "--threads N": "how many to use, which changes no result (default: all cores; to read and "
        "measure at most 4)",
    },
    "import": {
        "--import FILE …": "a Python file with measures or user models of your own (@cf.measure, "
        "@cf.user_model); may be repeated",
    },
}


def get_shared_options(*kinds: str) -> Rows:
    """Options that several commands have: all of these kinds."""
    return {syntax: help_text for kind in kinds for syntax, help_text in SHARED[kind].items()}


SETTINGS: Settings = {  # of values, as the help calls them, then of options
    **dict.fromkeys("BN", COUNT),
    **dict.fromkeys("ACDGPRVW", NUMBER),
    **dict.fromkeys("KM", INTEGER),
    "N,N,…": build_list_type(parse_count),
    **dict.fromkeys(("S,S,…", "X,X,…"), build_list_type(parse_number)),
    "A,B": build_list_type(str),
    "pool_depth": COUNT,
    **dict.fromkeys(("margin", "target"), FROM_0),
    **dict.fromkeys(("rel", "sd"), NUMBER),
    **dict.fromkeys(("decimals", "seed"), INTEGER),
    "separator": {"type": parse_separator},
}
