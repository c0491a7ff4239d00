"""Swap rates: a row for each measure, a row for each bin, and their picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.meta.swap import Swap, SwapRates
from cranfield.report.discriminative import HEIGHT, LEGEND, WIDTH, apart
from cranfield.report.pictures import Picture, altair, rows_of, shortened
from cranfield.report.places import finished
from cranfield.report.sheets import Field, Sheet, percent
from cranfield.wording import counted

if TYPE_CHECKING:
    import polars as pl

TABLES = ("measures", "bins")


def sheets(found: Swap, rate: float = 0.05) -> list[Sheet]:
    """A row for each measure and size of topic sets; and a row for each bin of differences."""
    rates = found.rates
    same = settings(found, rate)
    measures = Sheet(
        "measures",
        [
            Field("measure", [one.measure for one in rates], key=True),
            Field("set_size", [one.size for one in rates], "topics in a set", key=True),
            Field("comparisons", [one.comparisons for one in rates]),
            Field("swap_rate", [one.rate for one in rates]),
            Field("difference_needed", [one.required(rate) for one in rates]),
            Field("share", [one.sensitivity(rate) for one in rates], "share that has it"),
            Field("topics", [one.topics for one in rates], people=False),
            *(Field(name, [value] * len(rates), people=False) for name, value in same.items()),
        ],
        f"{_caption(found)} The difference needed is that from which on at most "
        f"{percent(rate)} of the comparisons are swaps, bins being taken together where the rate "
        "does not fall.",
    )
    rows = _rows(found)
    bins = Sheet(
        "bins",
        [
            Field(
                name, [row[name] for row in rows], head, texts, key=name in ("measure", "set_size")
            )
            for name, head, texts in (
                ("measure", "", None),
                ("set_size", "topics in a set", None),
                ("low", "from", None),
                ("high", "below", None),
                ("comparisons", "", None),
                ("swaps", "", [f"{row['swaps']:,.1f}".removesuffix(".0") for row in rows]),
                ("swap_rate", "", None),
                ("rate_taken_together", "taken together", None),
            )
        ],
        _caption(found),
    )
    return [measures, bins]


def settings(found: Swap, rate: float = 0.05) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    return {
        "tolerated_rate": rate,
        "bin": found.bin,
        "filter": found.filter or "none",
        "alpha": found.alpha,
        "trials": found.trials,
        "seed": found.seed,
    }


def _caption(found: Swap) -> str:
    return (
        f"Swap rates: how often two disjoint sets of topics disagree on which of two runs is "
        f"better, by the difference on the first set (bins of {found.bin:g}); all pairs of "
        f"{counted(len(found.runs), 'run')}{_filtered(found)}, {_drawn(found)}."
    )


def _filtered(found: Swap) -> str:
    significant = f" that differ significantly on it (paired t-test, α = {found.alpha:g})"
    return significant if found.filter == "t" else ""


def _drawn(found: Swap) -> str:
    """How large the sets are, if all are as large, and what they were drawn from.

    >>> _drawn(Swap(("a", "b"), (SwapRates("AP", 50, 25, ()),), 0.01, None, 0.05, 1000, 0))
    'two sets of 25 of 50 topics (1,000 trials, seed 0)'
    """
    topics = counted(max(one.topics for one in found.rates), "topic")
    sizes = {(one.size, one.topics) for one in found.rates}
    sets = "sets drawn from" if len(sizes) > 1 else f"two sets of {found.rates[0].size} of"
    return f"{sets} {topics} ({counted(found.trials, 'trial')}, seed {found.seed})"


def _rows(found: Swap) -> list[dict[str, Any]]:
    return [
        {
            "measure": one.measure,
            "set_size": one.size,
            "low": bin.low,
            "high": bin.high,
            "comparisons": bin.comparisons,
            "swaps": bin.swaps,
            "swap_rate": bin.rate,
            "rate_taken_together": falling,
        }
        for one in found.rates
        for bin, falling in zip(one.bins, one.falling, strict=True)
    ]


# -- the picture --------------------------------------------------------------------------------


def picture(found: Swap, rate: float = 0.05) -> Picture:
    """The swap rate against the difference: a line for each measure, and size of topic sets."""
    import polars as pl

    data = pl.DataFrame(_rows(found))
    return Picture(lambda: _chart(found, data, rate), data, found.notices)


def _chart(found: Swap, data: pl.DataFrame, rate: float) -> Any:
    import polars as pl

    alt = altair()
    names = dict.fromkeys(one.measure for one in found.rates)
    short = dict(zip(names, shortened(list(names), LEGEND), strict=True))
    lines = [_line(found, one, short) for one in found.rates]
    line = [text for text, one in zip(lines, found.rates, strict=True) for _ in one.bins]
    middle = (pl.col("low") + pl.col("high")) / 2
    drawn = data.with_columns(pl.Series("line", line), middle=middle)
    base = alt.Chart(rows_of(drawn)).encode(
        alt.X("middle:Q", title="difference on the first set of topics",
              axis=alt.Axis(grid=False, labelFlush=False, labelOverlap=True)),
        alt.Y("rate_taken_together:Q", title="swap rate", scale=alt.Scale(zero=True)),
        *apart(lines, "measure" if len(names) > 1 else next(iter(names))),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("measure:N"),
        *(alt.Tooltip(f"{name}:Q") for name in ("set_size", "low", "high", "comparisons", "swaps")),
        alt.Tooltip("swap_rate:Q", format=".4f"),
    ]
    layers = [
        alt.Chart(alt.Data(values=[{"rate_taken_together": rate}])).mark_rule(color="#808080")
        .encode(alt.Y("rate_taken_together:Q")),
        base.mark_line(),
        base.mark_point(opacity=0, size=60).encode(tooltip=tooltip),
    ]  # fmt: skip
    chart = alt.layer(*layers).properties(
        width=WIDTH,
        height=HEIGHT,
        title={"text": "Swap rates" + (" of significant differences" if found.filter else ""),
               "subtitle": [_drawn(found), "bins are taken together where the rate does not fall",
                            f"grey line: {percent(rate)}"]},
    )  # fmt: skip
    return finished(chart, "")


def _line(found: Swap, one: SwapRates, short: dict[str, str]) -> str:
    """What tells a line from the others: measure, size of the sets, or both."""
    sizes = {x.size for x in found.rates}
    if len(short) == 1:
        return f"sets of {counted(one.size, 'topic')}"
    return short[one.measure] + (f", {counted(one.size, 'topic')}" if len(sizes) > 1 else "")
