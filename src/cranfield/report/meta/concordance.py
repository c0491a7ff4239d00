"""Concordance test of measures against simpler gold measures.

Count the pairs of rankings on which two measures disagree, and how often each of the two is
concordant with gold measures. Gold measures are simple measures that every good measure should
respect, such as intent recall and precision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cranfield import tables
from cranfield.meta.concordance import Concordance, ConcordancePair, concordance
from cranfield.options import option
from cranfield.report.meta import Computation, Method
from cranfield.stats.tables import build_p_column
from cranfield.tables import (
    Field,
    ResultTable,
    build_columns,
    build_grid_columns,
    build_pair_columns,
)
from cranfield.wording import format_count

TABLES = ("matrix", "pairs")


def build_tables(result: Concordance) -> list[ResultTable]:
    return [build_matrix_table(result), build_pairs_table(result)]


def build_matrix_table(result: Concordance) -> ResultTable:
    """Return the measures against each other, for each set of gold measures."""
    rows = [(gold, first) for gold in result.gold for first in result.measures[:-1]]
    cells = {(p.gold, p.first, p.second): format_cell(p, result.alpha) for p in result.pairs}
    key = [
        Field("gold", None, texts=[format_gold(gold) for gold, _ in rows], key=True),
        Field("measure", None, texts=[first for _, first in rows], key=True),
    ]
    columns = build_grid_columns(
        rows, result.measures[1:], lambda row, second: cells.get((*row, second), "–")
    )
    text = (
        f"Concordance test: {_describe_comparison(result)}. Percentages of the pairs of rankings on "
        "which the measures of row and column strictly disagree (number in parentheses): the "
        f"measure of the row / of the column is concordant with {_describe_gold(result)}. "
        f"†: significant by the exact sign test (p ≤ α = {result.alpha:g}) on the disagreements "
        "in which only one of the two is concordant."
    )
    return ResultTable("matrix", [*key, *columns], text)


def build_pairs_table(result: Concordance) -> ResultTable:
    """Return a row for each pair of measures and set of gold measures."""
    column = tables.bind_rows(result.pairs)
    return tables.build_table(
        "pairs",
        f"Concordance test: {_describe_comparison(result)}. Share: percentage of the disagreements "
        f"in which a measure is concordant with {_describe_gold(result)}. Wins: only this measure "
        f"is concordant. p: exact sign test on the wins. * p ≤ α = {result.alpha:g}.",
        column("gold", lambda pair: format_gold(pair.gold), key=True),
        *build_columns(column, "first", "second", key=True),
        column("compared", visible=False),
        column("disagreements"),
        *build_pair_columns(column, "concordant", "concordant", visible=False),
        *build_pair_columns(column, "share", "shares", text=_format_share),
        *build_pair_columns(column, "wins", "wins"),
        build_p_column(result.pairs, result.alpha),
        column("significant", lambda pair: pair.pvalue <= result.alpha, visible=False),
    )


def build_settings(result: Concordance) -> dict[str, Any]:
    values = tables.read_settings(result, "alpha", "gold", "runs", "topics")
    return values | {"gold": [*map(format_gold, result.gold)]}


def format_cell(pair: ConcordancePair, alpha: float) -> str:
    """Format a cell of the matrix: ``70%/29%† (1106)``."""
    if not pair.disagreements:
        return "– (0)"
    first, second = (f"{share:.0%}" for share in pair.shares)
    return f"{first}/{second}{'†' if pair.pvalue <= alpha else ''} ({pair.disagreements})"


def format_gold(gold: Sequence[str]) -> str:
    """Join the names of gold measures.

    >>> gold_name(["IRec@10", "P@10"])
    'IRec@10 & P@10'
    """
    return " & ".join(gold)


def _format_share(share: float) -> str:
    """Format a percentage, or a dash for nan (no disagreement)."""
    return "–" if math.isnan(share) else f"{share:.1%}"


def _describe_comparison(result: Concordance) -> str:
    lists = max((pair.compared for pair in result.pairs), default=0)
    run_pairs = math.comb(len(result.runs), 2)
    size = tables.format_runs_and_topics(
        len(result.runs), *(pair.compared // run_pairs for pair in result.pairs)
    )
    return f"{format_count(lists, 'pair')} of rankings of {size}"


def _describe_gold(result: Concordance) -> str:
    suffix = " measures of the row, all together" if len(result.gold) > 1 else " measure"
    return f"the gold{suffix}"


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=5,
    name="concordance",
    computation=Computation(concordance),
    human_tables=("matrix",),
    flat_tables=("pairs",),
    options=(
        option(
            "--gold-measure",
            "MEASURE",
            "required: a gold measure; may be repeated: each is used alone, then all at once",
            name="golds",
            repeat=True,
            required=True,
        ),
        option(
            "--alpha",
            "A",
            "p-values of the sign test of at most A are marked",
            value="number",
            default=0.01,
        ),
    ),
)
