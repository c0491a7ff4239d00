"""Where two measures disagree, which one do simple measures side with?

The concordance test. Where two measures disagree on which of two lists is better, how often is each
of them concordant with gold measures: simple ones that every good measure should respect, such as
intent recall and precision?
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cranfield.meta.concordance import Concordance, ConcordancePair, concordance
from cranfield.report import sheets as tables
from cranfield.report.meta import Method, Work
from cranfield.report.options import told
from cranfield.report.sheets import Field, Sheet, both, each, grid
from cranfield.wording import counted

TABLES = ("matrix", "pairs")


def sheets(found: Concordance) -> list[Sheet]:
    """The measures against each other, for people; and everything."""
    return [matrix_sheet(found), pairs_sheet(found)]


def matrix_sheet(found: Concordance) -> Sheet:
    """For people: the measures against each other, with each set of gold measures."""
    rows = [(gold, first) for gold in found.gold for first in found.measures[:-1]]
    cells = {(p.gold, p.first, p.second): cell_of(p, found.alpha) for p in found.pairs}
    key = [
        Field("gold", None, texts=[gold_name(gold) for gold, _ in rows], key=True),
        Field("measure", None, texts=[first for _, first in rows], key=True),
    ]
    others = grid(rows, found.measures[1:], lambda row, second: cells.get((*row, second), "–"))
    text = (
        f"Concordance test: {_compared(found)}. Of the pairs of lists on which the measures of row "
        "and column strictly disagree (their number is in parentheses), the share for which the "
        "measure of the row, and after the slash that of the column, is concordant with "
        f"{_all_gold(found)}. † marks differences that are significant by the exact sign test "
        f"(p ≤ α = {found.alpha:g}) on the disagreements where one of the two alone is concordant."
    )
    return Sheet("matrix", [*key, *others], text)


def pairs_sheet(found: Concordance) -> Sheet:
    """Everything, a row for each pair of measures and set of gold measures."""
    of = tables.columns(found.pairs)
    return tables.table(
        "pairs",
        f"Concordance test: {_compared(found)}. Shares are of the disagreements in which a measure "
        f"is concordant with {_all_gold(found)}; it wins where it alone is. p is that of the exact "
        f"sign test on the wins. * p ≤ α = {found.alpha:g}.",
        of("gold", lambda pair: gold_name(pair.gold), key=True),
        *each(of, "first", "second", key=True),
        of("compared", people=False),
        of("disagreements"),
        *both(of, "concordant", "concordant", people=False),
        *both(of, "share", "shares", text=_share),
        *both(of, "wins", "wins"),
        tables.p_field(found.pairs, found.alpha),
        of("significant", lambda pair: pair.pvalue <= found.alpha, people=False),
    )


def settings(found: Concordance) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    made = tables.settings_of(found, "alpha", "gold", "runs", "topics")
    return made | {"gold": [*map(gold_name, found.gold)]}


def cell_of(pair: ConcordancePair, alpha: float) -> str:
    """A pair as it stands in the table: ``70%/29%† (1106)``."""
    if not pair.disagreements:
        return "– (0)"
    first, second = (f"{share:.0%}" for share in pair.shares)
    return f"{first}/{second}{'†' if pair.pvalue <= alpha else ''} ({pair.disagreements})"


def gold_name(gold: Sequence[str]) -> str:
    """How gold measures are called together.

    >>> gold_name(["IRec@10", "P@10"])
    'IRec@10 & P@10'
    """
    return " & ".join(gold)


def _share(share: float) -> str:
    """A share as people see it; nan is that of no disagreement."""
    return "–" if math.isnan(share) else f"{share:.1%}"


def _compared(found: Concordance) -> str:
    lists = max((pair.compared for pair in found.pairs), default=0)
    a_topic = math.comb(len(found.runs), 2)
    size = tables.runs_on(len(found.runs), *(pair.compared // a_topic for pair in found.pairs))
    return f"{counted(lists, 'pair')} of ranked lists of {size}"


def _all_gold(found: Concordance) -> str:
    several = " measures of the row, all at once" if len(found.gold) > 1 else " measure"
    return f"the gold{several}"


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=5,
    name="concordance",
    work=Work(concordance),
    people=("matrix",),
    flat=("pairs",),
    options={
        "golds --gold-measure MEASURE …!": "required: a gold measure; may be repeated: each is "
        "used alone, then all at once",
        "--alpha A": told("p-values of the sign test of at most A are marked", 0.01),
    },
)
