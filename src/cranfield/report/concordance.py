"""What the concordance test found: as a table of measures against measures, and pair by pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cranfield.meta.concordance import Concordance, ConcordancePair
from cranfield.report.sheets import Field, Sheet, p_field, runs_on, shown_p
from cranfield.wording import counted

TABLES = ("matrix", "pairs")


def matrix_sheet(found: Concordance) -> Sheet:
    """For people: the measures against each other, with each set of gold measures."""
    rows = [(gold, first) for gold in found.gold for first in found.measures[:-1]]
    cells = {(p.gold, p.first, p.second): cell_of(p, found.alpha) for p in found.pairs}
    columns = [
        Field(second, None, second, [cells.get((gold, first, second), "–") for gold, first in rows])
        for second in found.measures[1:]
    ]
    return Sheet(
        "matrix",
        [
            Field("gold", None, "gold", [gold_name(gold) for gold, _ in rows], key=True),
            Field("measure", None, "measure", [first for _, first in rows], key=True),
            *columns,
        ],
        f"Concordance test: {_compared(found)}. Of the pairs of lists on which the measures of row "
        "and column strictly disagree (their number is in parentheses), the share for which the "
        "measure of the row, and after the slash that of the column, is concordant with "
        f"{_all_gold(found)}. † marks differences that are significant by the exact sign test "
        f"(p ≤ α = {found.alpha:g}) on the disagreements where one of the two alone is concordant.",
    )


def pairs_sheet(found: Concordance) -> Sheet:
    """Everything, a row for each pair of measures and set of gold measures."""
    pairs = found.pairs
    pvalues = [pair.pvalue for pair in pairs]
    return Sheet(
        "pairs",
        [
            Field("gold", [gold_name(pair.gold) for pair in pairs], key=True),
            Field("first", [pair.first for pair in pairs], key=True),
            Field("second", [pair.second for pair in pairs], key=True),
            Field("compared", [pair.compared for pair in pairs], people=False),
            Field("disagreements", [pair.disagreements for pair in pairs]),
            Field("concordant_first", [pair.concordant[0] for pair in pairs], people=False),
            Field("concordant_second", [pair.concordant[1] for pair in pairs], people=False),
            Field("share_first", *_shares(pairs, 0)),
            Field("share_second", *_shares(pairs, 1)),
            Field("wins_first", [pair.wins[0] for pair in pairs]),
            Field("wins_second", [pair.wins[1] for pair in pairs]),
            p_field("pvalue", pvalues, [*map(shown_p, pvalues)], found.alpha),
            Field("significant", [p <= found.alpha for p in pvalues], people=False),
        ],
        f"Concordance test: {_compared(found)}. Shares are of the disagreements in which a measure "
        f"is concordant with {_all_gold(found)}; it wins where it alone is. p is that of the exact "
        f"sign test on the wins. * p ≤ α = {found.alpha:g}.",
    )


def settings(found: Concordance) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    return {
        "alpha": found.alpha,
        "gold": [gold_name(gold) for gold in found.gold],
        "runs": len(found.runs),
        "topics": len(found.topics),
    }


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


def _shares(pairs: Sequence[ConcordancePair], which: int) -> tuple[list[float], str, list[str]]:
    shares = [pair.shares[which] for pair in pairs]
    texts = [
        f"{share:.1%}" if p.disagreements else "–" for share, p in zip(shares, pairs, strict=True)
    ]
    return shares, "", texts


def _compared(found: Concordance) -> str:
    lists = max((pair.compared for pair in found.pairs), default=0)
    a_topic = math.comb(len(found.runs), 2)
    size = runs_on(len(found.runs), *(pair.compared // a_topic for pair in found.pairs))
    return f"{counted(lists, 'pair')} of ranked lists of {size}"


def _all_gold(found: Concordance) -> str:
    return (
        "the gold measure" if len(found.gold) == 1 else "the gold measures of the row, all at once"
    )
