"""Orders of documents in a ranking: by score, by rank or as in the input."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from cranfield.data.reading.table import Table
from cranfield.errors import InputError, check_choice
from cranfield.wording import format_option

Ties: TypeAlias = Literal["trec", "rank", "given", "file"]
TIES: tuple[Ties, ...] = get_args(Ties)
RankBy: TypeAlias = Literal["score", "rank", "given"]  # order of the documents of a ranking
Reading: TypeAlias = Literal["score", "trec", "rank", "given", "file"]  # both options in one
BY_SCORE = ("score", "trec", "file")


def choose_order(ties: str | None, order: str | None = None) -> Reading | None:
    """Return the order in which a run is read, or None if the run decides.

    ``rank`` and ``given`` as `ties` are older spellings of the same `order`. Other values of
    `ties`, such as ``best``, do not affect reading.

    >>> choose_order("file", "score"), choose_order("best", "rank"), choose_order("given")
    ('file', 'rank', 'given')
    """
    if order is not None:
        check_choice("order", order, RankBy)
    if (ties in ("rank", "given") and order not in (None, ties)) or (order, ties) == (
        "rank",
        "file",
    ):
        names = [format_option(f"--{n} {x}", f'{n}="{x}"') for n, x in (("order", order), ("ties", ties))]
        fix = f"Use only {format_option('--order', 'order=')}, or break ties of equal scores."
        raise InputError.from_problem(f"{' contradicts '.join(names)}", fix)
    if order == "score":
        return "trec" if ties == "trec" else "file" if ties == "file" else "score"
    orders: tuple[Reading, ...] = get_args(Reading)
    return next((reading for reading in orders if reading == (order or ties)), None)


def combine_order(ties: Ties | None, order: RankBy | None) -> Ties | None:
    """Return both options as one, for readers with only `ties`."""
    reading = check_order(ties, order)
    return "trec" if reading == "score" else reading


def check_order(ties: Ties | None, order: RankBy | None) -> Reading | None:
    """Check both options and return the order in which runs are read."""
    if ties is not None:
        check_choice("ties", ties, Ties)
    return choose_order(ties, order)


def make_missing_error(reading: Reading, location: str, line: int | None = None) -> InputError:
    """Return the error for a run without the scores or ranks that an option requires."""
    name = "ties" if reading in ("trec", "file") else "order"
    option_text = format_option(f"--{name} {reading}", f'{name}="{reading}"')
    columns = "scores" if reading in BY_SCORE else "ranks"
    return InputError.from_problem(f"no {columns}, which {option_text} requires", "", location, line)


def apply_order(table: Table, ties: Reading | None, location: str) -> Table:
    """Return the table with the values that its rows are ordered by."""
    if ties is None:
        _check_exchanged(table, location)
    if ties != "rank":
        return table
    if table.ranks is None:
        option_text = format_option("--order rank", 'order="rank"')
        raise InputError.from_problem(f"ranks are not numbers, which {option_text} requires", where=location)
    return replace(table, values=-table.ranks)


def _check_exchanged(table: Table, location: str) -> None:
    """Raise an error for scores 1, 2, 3, … with fractional ranks: exchanged columns?"""
    if table.ranks is None or not len(table) or table.sizes[0] < 2:
        return
    scores, ranks = (column[: table.sizes[0]] for column in (table.values, table.ranks))
    fractions = np.trunc(ranks) != ranks
    if fractions.any() and np.array_equal(scores, np.arange(1, len(scores) + 1)):
        problem = f"scores 1, 2, … and ranks such as {ranks[fractions][0]:g}"
        option_text = format_option("--order score", 'order="score"')
        fix = f"If the columns are correct, use {option_text}."
        problem = f"score and rank columns look exchanged: {problem}"
        raise InputError.from_problem(problem, fix, location)
