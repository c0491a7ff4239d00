"""Values of options, calls of functions with options, and options of several commands."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, TypeVar, get_args

from cranfield.data.merging import ChunkScore, Duplicates
from cranfield.data.orders import TIES as READING_TIES
from cranfield.data.reading.formats import FORMATS, RUN_FORMATS
from cranfield.data.reading.lines import SEPARATOR_NAMES, parse_finite, truncate_text
from cranfield.data.systems import RunNames
from cranfield.errors import CranfieldError
from cranfield.options import Option, Rows, choice, option, switch
from cranfield.wording import suggest_names

T = TypeVar("T")

# -- values ---------------------------------------------------------------------------------------


DIGITS = 9  # of a count
DASHES = "\0"  # after a value of two dashes, which argparse would remove


def parse_count(text: str) -> int:
    """Return an integer ≥ 1."""
    digits = text.strip().lstrip("0")
    if not digits.isdecimal() or len(digits) > DIGITS:
        limit = f" of at most {DIGITS} digits" if digits.isdecimal() else ""
        problem = f"found {truncate_text(text)}, expected an integer ≥ 1{limit}"
        raise argparse.ArgumentTypeError(problem)
    return int(digits)


def parse_number(
    text: str, low: float = -math.inf, high: float = math.inf, interval: str = ""
) -> float:
    """Return a finite number; `interval` names its range in messages."""
    value = parse_finite(text)
    if value is None or not low <= value <= high:
        expected = f"a number{'' if value is None else interval}"
        raise argparse.ArgumentTypeError(f"found {text!r}, expected {expected}")
    return value


def parse_separator(text: str) -> str:
    """Return the field separator that a character or a name stands for."""
    if not text:
        raise argparse.ArgumentTypeError("found '', expected a separator such as ;")
    return SEPARATOR_NAMES.get(text, text)


def _build_list_converter(convert: Callable[[str], T], sign: str = ",") -> Callable[[str], Any]:
    return lambda text: tuple(convert(part.strip()) for part in text.split(sign))


CONVERTERS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "count": parse_count,
    "number": float,
    "finite": parse_number,
    "integer": int,
    "nonnegative": partial(parse_number, low=0, interval=" ≥ 0"),
    "fraction": partial(parse_number, low=0, high=1, interval=" in [0, 1]"),
    "counts": _build_list_converter(parse_count),
    "numbers": _build_list_converter(parse_number),
    "names": _build_list_converter(str),
    "gains": _build_list_converter(parse_number, ":"),
    "separator": parse_separator,
}
"""Conversions of texts, by the names in `Option.value`."""


def build_converter(row: Option) -> Callable[[str], Any]:
    """Return the function that converts and checks the value of an option."""
    convert = CONVERTERS[row.value]

    def parse(text: str) -> Any:
        value = convert(text.removesuffix(DASHES))
        if row.choices and value not in row.choices:
            names = [*map(str, row.choices)]
            expected = f"one of {', '.join(names)}{format_suggestion(text, names)}"
            raise argparse.ArgumentTypeError(f"found {value!r}, expected {expected}")
        return value

    parse.__name__ = getattr(convert, "__name__", "parse")  # argparse: invalid float value
    return parse


def format_suggestion(word: str, names: Iterable[str]) -> str:
    """Return the end of a message that names the nearest name, or an empty string.

    >>> format_suggestion("evalute", ["evaluate", "compare"])
    '; did you mean evaluate?'
    """
    return "".join(f"; did you mean {name}?" for name in suggest_names(word, names))


STDIN_TWICE = "standard input (-) can be used only once"


def check_single_stdin(*files: str | None) -> None:
    """Raise an error if two files are standard input."""
    if files.count("-") > 1:
        raise CranfieldError(STDIN_TWICE)


# -- calls ----------------------------------------------------------------------------------------


def call(
    function: Callable[..., T],
    options: argparse.Namespace,
    parts: Mapping[str, Callable[..., Any]] | None = None,
    **overrides: Any,
) -> T:
    """Call a function with the options that have the names of its parameters.

    Options that are None are omitted if the parameter has a default. Parameters named in `parts`
    are the results of such calls. `overrides` replace options. Functions with ``**options`` take
    the options of `evaluate`.
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


# -- options of several commands ------------------------------------------------------------------


ORDERS = {
    "trec": "by document id, descending (default)",
    "rank": "deprecated, use --order rank",
    "given": "deprecated, use --order given",
    "best": "by level, highest first",
    "worst": "by level, lowest first",
    "expected": "mean over all orders",
    "file": "as in the file (default for predictions on LETOR data)",
}
RANKED_BY = {
    "score": "score, descending (default)",
    "rank": "rank column (default without scores)",
    "given": "order of the file (default without scores and ranks)",
}
TIES = tuple(ORDERS)
ONE_ORDER = tuple(name for name in TIES if name != "expected")


def build_order_options(ties: Sequence[str] = ONE_ORDER) -> Rows:
    """Return the options for the order of rankings and the documents that are read."""
    return (*build_tie_options(ties), *SHARED["lists"])


def build_tie_options(ties: Sequence[str] = READING_TIES) -> Rows:
    """Return the options for the order of rankings."""
    orders = "; ".join(f"{name}: {meaning}" for name, meaning in RANKED_BY.items())
    text = "; ".join(f"{name}: {ORDERS[name]}" for name in ties)
    return (
        choice("--order", tuple(RANKED_BY), f"order of documents: {orders}"),
        choice("--ties", ties, f"order of documents with equal scores: {text}"),
    )


def build_topics_option(text: str, requires: str = "") -> Option:
    """Return the option for topics, which has one meaning in all commands."""
    return option("--topics --topic", "TOPICS", text, repeat=True, requires=requires)


def build_topic_options(default: str = "all of them", condition: str = "in every run") -> Rows:
    """Return the option for topics of commands that compute no means."""
    text = f"101,102, or @FILE with topics; common: topics {condition}; may be repeated"
    return (build_topics_option(f"{text} (default: judged, {default})"),)


def build_preset_options(help_text: str) -> Rows:
    """Return the options that name a preset."""
    return (
        option("--preset", "NAME", help_text),
        option("--presets", "FILE", PRESETS, requires="preset"),
    )


def build_mean_options() -> Rows:
    """Return the options for the topics of means."""
    from cranfield.evaluation.options import Undefined

    return (
        build_topics_option(
            "judged: all judged topics, missing topics as empty rankings (default); common: judged "
            "topics in every run; 101,102: these topics, all of them judged; @FILE: one topic per "
            "line, or the topics of qrels, a run or a table; may be repeated"
        ),
        choice(
            "--undefined",
            get_args(Undefined),
            "topics without relevant documents: score 0 (zero, default), nan, excluded from the "
            "means (skip), or an error",
        ),
    )


def build_format_option(flags: str, formats: Sequence[str], **fields: Any) -> Option:
    """Return an option that sets a format instead of detecting it."""
    text = f"format, instead of detecting it: {', '.join(formats)}"
    return option(flags, "FORMAT", text, choices=formats, **fields)


SEPARATOR = option(
    "--sep",
    "S",
    "field separator in text files with spaces in fields: a text such as ; or tab, comma, "
    "semicolon, pipe, space",
    name="separator",
    value="separator",
)
COLUMNS = option(
    "--columns",
    "C=NAME,…",
    "names or numbers of columns with other names: topic=user_id,level=rating, "
    "run.topic=1,run.doc=2,run.score=3",
)
RUN_NAMES = choice(
    "--run-names",
    get_args(RunNames),
    "tag: several run tags in a file are several runs, named by their tags, or by path if tags "
    "clash or are missing (default); file: a file is one run, named by its path",
)
PRESETS = "TOML file with custom presets"
LABELS = option("--labels", "A=2,B=1,…", "levels of labels in judgments, such as S=3,A=2,B=1,C=0")
DEPTH = option("--depth", "N", "only the first N documents of a ranking", value="count")
EXCLUDE_SELF = switch("--exclude-self", "exclude a document with the id of the topic")
SHARED: dict[str, Rows] = {
    "lists": (
        DEPTH,
        switch("--condensed", "exclude unjudged documents (after --depth)"),
        EXCLUDE_SELF,
        option(
            "--classes",
            "FILE",
            "equivalence classes: topic doc class (can be QRELS with topic doc L2 class); only the "
            "first document of a class counts",
        ),
        option(
            "--groups",
            "FILE",
            "documents that are relevant only together: topic doc group; a group counts once, at "
            "its last document",
        ),
    ),
    "drawn": (
        option(
            "--tie-samples",
            "N",
            "random orders for --ties expected without a formula (default: 100)",
            value="count",
        ),
        option("--seed", "S", "seed of the random orders (default: 0)", value="integer"),
    ),
    "relevance": (
        option(
            "--rel", "N", "lowest relevant level, for all measures with parameter rel",
            value="number",
        ),
        option(
            "--gains",
            "GAINS",
            "linear, exp, binary, unit or a table such as 1:2:3, for all measures with parameter "
            "gain; topic: 1:2:… up to the topic's highest level; @FILE: lines `topic 1:2:3`",
        ),
        LABELS,
        option(
            "--lengths",
            "FILE",
            "document lengths: doc length, or a table with columns doc, words, characters; TBG "
            "uses words, U characters",
        ),
    ),
    "intents": (
        option(
            "--intents",
            "FILE",
            "topic intent probability, or topic intent informational|navigational, or both on a "
            "line; may be repeated. QRELS are topic intent doc level (default: all intents are "
            "equally probable and informational)",
            repeat=True,
        ),
    ),
    "verticals": (
        option(
            "--verticals",
            "FILE",
            "topic intent vertical value: demand of the users of an intent for images, news, …; "
            "for Vscore and QUscore, column 2 of a run is the vertical",
        ),
        switch(
            "--embed-verticals",
            "verticals are items of the rankings, under their names; other documents belong to the "
            "vertical Web (IMine-2 VI)",
        ),
    ),
    "costs": (
        option(
            "--costs",
            "FILE",
            "costs of documents: topic doc cost, or type cost; column 2 of a run is the type "
            "(default: 1 each)",
        ),
        option("--cost-unit", "UNIT", "unit in the output, such as seconds"),
    ),
    "formats": (
        build_format_option("--qrels-format", FORMATS),
        build_format_option("--run-format", RUN_FORMATS),
        RUN_NAMES,
        option(
            "--chunks",
            "SIGN",
            "runs retrieve chunks of documents: text between the ids of document and chunk, such "
            "as #; or /REGEX/ with one group, the document",
        ),
        choice(
            "--chunk-score",
            get_args(ChunkScore),
            "score of a document: max of its chunks (default), their sum, or the first one; in "
            "order of ranks or lines it has the position of its first chunk",
            requires="chunks",
        ),
        choice(
            "--duplicates",
            get_args(Duplicates),
            "duplicate documents in a ranking: error (default), or keep the first or best line",
        ),
        COLUMNS,
        SEPARATOR,
    ),
    "threads": (
        option(
            "--threads",
            "N",
            "number of threads, without effect on results (default: all cores; at most 4 to read "
            "and measure)",
            value="count",
        ),
    ),
    "import": (
        option(
            "--import",
            "FILE",
            "Python file with custom measures or user models (@cf.measure, @cf.user_model); may be "
            "repeated",
            repeat=True,
        ),
    ),
}  # fmt: skip


def get_shared_options(*kinds: str) -> Rows:
    """Return options of several commands, of all these kinds."""
    return tuple(row for kind in kinds for row in SHARED[kind])
