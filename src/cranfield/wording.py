"""Formatting of counts, names, numbers and lines of text in messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_COUNT = re.compile(rf"{_NUMBER.pattern}( [a-z]+?)?s?\b")
_NAMES = re.compile(r"(\d[\d,]* [a-z ]+) \([^()]*\)")  # as written by `format_names`

_on_command_line = False  # not a ContextVar: readers also run in threads


@contextmanager
def use_flags() -> Iterator[None]:
    """Let messages name flags instead of keyword arguments while a command runs."""
    global _on_command_line  # noqa: PLW0603
    previous, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = previous


def format_option(flag: str, keyword: str) -> str:
    """Return the flag if a command runs, otherwise the keyword argument.

    >>> format_option("--columns score=NAME", 'columns={"score": NAME}')
    'columns={"score": NAME}'
    >>> with use_flags():
    ...     format_option("--columns score=NAME", 'columns={"score": NAME}')
    '--columns score=NAME'
    """
    return flag if _on_command_line else keyword


# Equivalent names of options in other tools.
SYNONYMS = {
    "measure": "metric metrics measures eval_metric eval_metrics",
    "measures": "metric metrics measure eval_metric eval_metrics",
    "qrels": "qrel judgments judgements ground_truth gold",
    "runs": "run result results prediction predictions",
    "run": "runs result results prediction predictions",
    "rel": "relevance_level relevance_threshold rel_threshold threshold min_rel level_for_rel",
    "threads": "n_jobs jobs num_threads num_workers workers",
    "seed": "random_state random_seed",
    "per_topic": "per_query by_query by_topic query_level all_queries",
    "sep": "delimiter delim separator",
    "separator": "delimiter delim sep",
    "decimals": "digits precision",
}
CUTOFFS = ("k", "cutoff", "cutoffs", "k_values", "top_k", "topk", "at_k")


def suggest_names(word: str, names: Iterable[str], limit: int = 1, cutoff: float = 0.75) -> list[str]:
    """Return valid names for an unknown word: synonyms, or names with a similar spelling.

    >>> suggest_names("metrics", ["measures", "measurements"])
    ['measures']
    >>> suggest_names("--group-by", ["--groups"])
    []
    >>> suggest_names("--depht", ["--depth"]), suggest_names("--out", ["--output"])
    (['--depth'], ['--output'])
    """
    from difflib import get_close_matches

    key, normal_names = _normalize(word), {name: _normalize(name) for name in sorted(names)}
    synonyms = [name for name, spelling in normal_names.items() if key in SYNONYMS.get(spelling, "").split()]
    if synonyms or not key or any(key in words.split() for words in SYNONYMS.values()):
        return synonyms[:limit]  # the word has a known meaning: similar spellings are misleading
    close = get_close_matches(key, normal_names.values(), limit, cutoff)
    matches = [name for spelling in close for name in normal_names if normal_names[name] == spelling]
    matches += [name for name, spelling in normal_names.items() if spelling.startswith(key) or key.startswith(spelling)]
    return [*dict.fromkeys(matches)][:limit]


def reject_unknown(keywords: Iterable[str], names: Collection[str], prefix: str = "") -> None:
    """Raise a TypeError if a keyword argument is not among the names.

    >>> reject_unknown(["metrics"], ["qrels", "runs", "measures"], "evaluate() ")
    Traceback (most recent call last):
    TypeError: evaluate() got an unexpected keyword argument 'metrics'. Did you mean measures?
    """
    for name in keywords:
        if name not in names:
            matches = suggest_names(name, names, 3)
            hint = f"Did you mean {' or '.join(matches)}?" if matches else f"Valid: {', '.join(names)}"
            if name in CUTOFFS:
                hint = "Write the cutoff after the measure: nDCG@10."
            raise TypeError(f"{prefix}got an unexpected keyword argument {name!r}. {hint}")


def suggest_keywords(function: F) -> F:
    """Decorate a function: unknown keyword arguments raise a TypeError with suggestions."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    prefix, valid = f"{function.__name__}() ", frozenset(names)

    @wraps(function)
    def call_checked(*values: Any, **keywords: Any) -> Any:
        if not valid.issuperset(keywords):
            reject_unknown(keywords, names, prefix)
        return function(*values, **keywords)

    return cast(F, call_checked)


def _normalize(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def describe_disagreement(names: Sequence[str], noun: str = "topic") -> str:
    """Return the note about rankings with ranks or positions that contradict the scores.

    >>> describe_disagreement(["301", "302"])
    'rank and score disagree in 2 topics (301, 302). Documents are ordered by score.'
    """
    return f"rank and score disagree in {format_names(names, noun)}. Documents are ordered by score."


def format_count(count: int, noun: str) -> str:
    """Format a count with its noun: "1 topic", "50 topics".

    >>> format_count(1, "topic"), format_count(50, "topic")
    ('1 topic', '50 topics')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def format_names(names: Sequence[str], noun: str) -> str:
    """Format a count and the first five names.

    >>> format_names(["301"], "topic"), format_names(list("abcdefg"), "topic")
    ('1 topic (301)', '7 topics (a, b, c, d, e, …)')
    """
    listing = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"{format_count(len(names), noun)} ({listing})"


def remove_names(text: str) -> str:
    """Remove the names in parentheses from a message.

    >>> remove_names("2 topics (301, 302) not answered")
    '2 topics not answered'
    """
    return _NAMES.sub(r"\1", text)


def remove_numbers(text: str) -> str:
    """Replace numbers and plurals in a message: messages of one kind become equal.

    >>> remove_numbers("1 topic not answered") == remove_numbers("4 topics not answered")
    True
    """
    return _COUNT.sub(r"#\1", text)


def merge_sentences(texts: Sequence[str]) -> str:
    """Merge messages that differ only in numbers into one message with ranges.

    >>> merge_sentences(["1 topic of 50 not answered", "1,000 topics of 50 not answered"])
    '1 to 1,000 topics of 50 not answered'
    """
    ranges = map(_format_range, zip(*map(_NUMBER.findall, texts), strict=True))
    plural = max(texts, key=lambda text: len(_NUMBER.sub("", text)))
    return _NUMBER.sub(lambda _: next(ranges), plural)


def _format_range(numbers: Sequence[str]) -> str:
    ordered = sorted(set(numbers), key=lambda number: float(number.replace(",", "")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


def align_columns(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Format rows as aligned columns; each letter of `sides` aligns a column left or right.

    >>> align_columns([["run", "AP"], ["bm25", "0.5000"]], "lr")
    ['run       AP', 'bm25  0.5000']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    form = "  ".join(f"{{:{'<' if s == 'l' else '>'}{w}}}" for s, w in zip(sides, widths, strict=True))
    return [form.format(*row).rstrip() for row in rows]


def fold_text(text: str, width: int, indent: int = 0) -> list[str]:
    """Wrap a text between words. All lines but the first are indented.

    >>> fold_text("nDCG@10, Q@10 and nERR@10", 16, indent=2)
    ['nDCG@10, Q@10', '  and nERR@10']
    """
    import textwrap

    spaces = " " * indent
    return textwrap.wrap(text, width, subsequent_indent=spaces, break_long_words=False, break_on_hyphens=False)


def measure_width(text: str) -> int:
    r"""Return the width of a text in a terminal.

    Wide characters, such as Japanese, take two cells. Combining accents and later letters of a
    Hangul syllable take none.

    >>> measure_width("bm25"), measure_width("検索"), measure_width("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    visible = (c for c in text if category(c)[0] != "M" and not "\u1160" <= c <= "\u11ff")
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in visible)


def escape_unprintable(name: str) -> str:
    r"""Return a name that is safe for terminals: control characters are escaped.

    >>> print(escape_unprintable("bm25\x1b[2J"))
    bm25\x1b[2J
    """
    if name.isprintable():
        return name
    harmless = "\u3000"  # the Japanese space
    return "".join(c if c.isprintable() or c in harmless else ascii(c)[1:-1] for c in name)


def encode_text(text: str) -> bytes:
    r"""Encode a text as UTF-8, with escapes for surrogates.

    Surrogates occur in names of files that are not UTF-8, and in JSON, which uses the same escape.

    >>> encode_text("Σ \udcff")
    b'\xce\xa3 \\udcff'
    """
    return text.encode("utf-8", "backslashreplace")


_DECIMALS = ContextVar("decimals", default=4)


@contextmanager
def use_decimals(count: int) -> Iterator[None]:
    """Set the decimals of formatted numbers within a context.

    >>> with use_decimals(3):
    ...     format_number(2 / 3)
    '0.667'
    """
    token = _DECIMALS.set(count)
    try:
        yield
    finally:
        _DECIMALS.reset(token)


def format_number(value: float, sign: str = "") -> str:
    """Format a number with the decimals set by `use_decimals` (default: 4), never as minus zero.

    Differences have the `sign` "+".

    >>> format_number(2 / 3), format_number(0.25, "+"), format_number(-1e-9)
    ('0.6667', '+0.2500', '0.0000')
    """
    return f"{value:{sign}z.{_DECIMALS.get()}f}"
