"""How often do two sets of topics disagree on which run is better?

Compare all pairs of runs on two disjoint sets of topics, drawn again and again: how often they
swap, by how much they differ (Voorhees and Buckley 2002).
"""

from __future__ import annotations

from typing import Any

from cranfield.late import pl
from cranfield.meta.swap import TRIALS, Swap, SwapRates, checked_rate, swap
from cranfield.report import charts, options
from cranfield.report import sheets as tables
from cranfield.report.look import PLAIN, Look
from cranfield.report.meta import Method, Work
from cranfield.report.pictures import Picture
from cranfield.scores import Notice
from cranfield.wording import counted

TABLES = ("measures", "bins")


def sheets(found: Swap, rate: float = 0.05) -> list[tables.Sheet]:
    """A row for each measure and size of topic sets; and a row for each bin of differences."""
    of = tables.columns(found.rates)
    measures = tables.table(
        "measures",
        f"{_caption(found)} The difference needed is that from which on at most "
        f"{tables.percent(rate)} of the comparisons are swaps, bins being taken together where the "
        "rate does not fall.",
        of("measure", key=True),
        of("set_size", "size", "topics in a set", key=True),
        of("comparisons"),
        of("swap_rate", "rate"),
        of("difference_needed", lambda one: one.required(rate)),
        of("share", lambda one: one.sensitivity(rate), "share that has it"),
        of("topics", people=False),
        *tables.constants(settings(found, rate), found.rates),
    )
    return [measures, _bins(found)]


def _bins(found: Swap) -> tables.Sheet:
    of, of_bins = tables.within(found.rates, "bins")
    falling = [rate for one in found.rates for rate in one.falling]
    return tables.table(
        "bins",
        _caption(found),
        of("measure", key=True),
        of("set_size", "size", "topics in a set", key=True),
        of_bins("low", head="from"),
        of_bins("high", head="below"),
        of_bins("comparisons"),
        of_bins("swaps", text=lambda n: f"{n:,.1f}".removesuffix(".0")),
        of_bins("swap_rate", "rate"),
        tables.Field("rate_taken_together", falling, "taken together"),
    )


def settings(found: Swap, rate: float = 0.05) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    made = tables.settings_of(found, "bin", "filter", "alpha", "trials", "seed")
    return {"tolerated_rate": rate} | made | {"filter": found.filter or "none"}


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


# -- the picture ----------------------------------------------------------------------------------


def picture(found: Swap, look: Look = PLAIN, rate: float = 0.05) -> Picture:
    """The swap rate against the difference: a line for each measure, and size of topic sets."""
    data = _bins(found).frame()
    return Picture(lambda: _chart(found, look, data, rate), data, found.notices)


def _chart(found: Swap, look: Look, data: pl.DataFrame, rate: float) -> Any:
    measures = pl.Series([rates.measure for rates in found.rates])
    short = dict(zip(measures, charts.short(measures), strict=True))
    names = [_line(found, rates, short) for rates in found.rates]  # also of those without bins
    own = look.styles(short) if len(short) == len(names) else None
    styles = own and {n: own[r.measure] for n, r in zip(names, found.rates, strict=True)}
    line = [name for name, rates in zip(names, found.rates, strict=True) for _ in rates.bins]
    middle = (pl.col("low") + pl.col("high")) / 2
    drawn = data.with_columns(pl.Series("line", line, pl.String), middle=middle)
    plain = "measure:N", "set_size:Q", "low:Q", "high:Q", "comparisons:Q", "swaps:Q"
    first = "difference on the first set of topics"
    chart = charts.curves(
        drawn,
        charts.axis("x", "middle", first, grid=False),
        charts.axis("y", "rate_taken_together", "swap rate"),
        "measure" if len(short) > 1 else measures[0],
        [*plain, *charts.decimals("swap_rate")],
        look,
        charts.across("rate_taken_together", rate),
        names=pl.Series("line", names),
        styles=styles,
    )
    heading = "Swap rates" + (" of significant differences" if found.filter else "")
    together = "bins are taken together where the rate does not fall"
    told = [_drawn(found), together, f"grey line: {tables.percent(rate)}"]
    return charts.finished(chart, look, heading, told)


def _line(found: Swap, one: SwapRates, short: dict[str, str]) -> str:
    """What tells a line from the others: measure, size of the sets, or both."""
    sizes = {x.size for x in found.rates}
    if len(short) == 1:
        return f"sets of {counted(one.size, 'topic')}"
    return short[one.measure] + (f", {counted(one.size, 'topic')}" if len(sizes) > 1 else "")


# -- the command ----------------------------------------------------------------------------------


def notices(found: Swap, rate: float = 0.05) -> tuple[Notice, ...]:
    """What to know, also of differences that a rate needs."""
    return (*found.notices, *found.cautions(rate))


def check(asked: Any) -> None:
    """Refuse what is no rate."""
    checked_rate(asked.rate)


METHOD = Method(
    __doc__,
    place=2,
    name="swap",
    work=Work(swap, doing="drawing topics", steps=lambda asked, _, n: asked.trials * n),
    people=("measures",),
    measures="AP nDCG@10 RR P@10",
    options={
        "--sizes N,N,…": "topics in a set (default: half of all)",
        "--bin D": options.told("how wide bins of differences are", 0.01),
        "--filter {t}": "only pairs that a paired t-test on the first set finds to differ "
        "significantly",
        "--alpha A with --filter t": "p-values of at most A are significant (default: 0.05)",
        "--rate R": options.told("the swap rate that is tolerated", 0.05),
        **options.trials(TRIALS, "pairs of sets drawn at random"),
        **options.plot("swap rates against differences"),
    },
)
