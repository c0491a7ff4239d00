"""Swap rates: disagreement of two topic sets about the better run.

Compare all pairs of runs on random pairs of disjoint topic sets. Show how often they swap, by the
size of the difference (Voorhees and Buckley 2002).
"""

from __future__ import annotations

from typing import Any

from cranfield import tables
from cranfield.figures import charts
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.meta.swap import TRIALS, Swap, SwapRates, check_rate, swap
from cranfield.options import choice, option
from cranfield.report import options
from cranfield.report.meta import Computation, Method
from cranfield.scores import Note
from cranfield.wording import format_count

TABLES = ("measures", "bins")


def build_tables(result: Swap, rate: float = 0.05) -> list[tables.ResultTable]:
    """Return a row for each measure and set size, and a row for each bin."""
    column = tables.bind_rows(result.rates)
    measures = tables.build_table(
        "measures",
        f"{_format_caption(result)} Difference needed: from this difference on, at most "
        f"{tables.format_percent(rate)} of the comparisons are swaps. Bins are merged if the rate "
        "does not fall.",
        column("measure", key=True),
        column("set_size", "size", "topics in a set", key=True),
        column("comparisons"),
        column("swap_rate", "rate"),
        column("difference_needed", lambda one: one.required(rate)),
        column("share", lambda one: one.sensitivity(rate), "fraction that has it"),
        column("topics", visible=False),
        *tables.build_constant_columns(build_settings(result, rate), result.rates),
    )
    return [measures, _build_bins_table(result)]


def _build_bins_table(result: Swap) -> tables.ResultTable:
    column, bin_column = tables.bind_nested_rows(result.rates, "bins")
    falling = [rate for rates in result.rates for rate in rates.falling]
    return tables.build_table(
        "bins",
        _format_caption(result),
        column("measure", key=True),
        column("set_size", "size", "topics in a set", key=True),
        bin_column("low", head="from"),
        bin_column("high", head="below"),
        bin_column("comparisons"),
        bin_column("swaps", text=lambda n: f"{n:,.1f}".removesuffix(".0")),
        bin_column("swap_rate", "rate"),
        tables.Field("rate_taken_together", falling, "merged rate"),
    )


def build_settings(result: Swap, rate: float = 0.05) -> dict[str, Any]:
    values = tables.read_settings(result, "bin", "filter", "alpha", "trials", "seed")
    return {"tolerated_rate": rate} | values | {"filter": result.filter or "none"}


def _format_caption(result: Swap) -> str:
    return (
        "Swap rates: fraction of comparisons in which two disjoint sets of topics disagree about "
        f"the better of two runs, by the difference on the first set (bins of {result.bin:g}). "
        f"All pairs of {format_count(len(result.runs), 'run')}{_describe_filter(result)}, "
        f"{_describe_sample(result)}."
    )


def _describe_filter(result: Swap) -> str:
    significant = f" with a significant difference on it (paired t-test, α = {result.alpha:g})"
    return significant if result.filter == "t" else ""


def _describe_sample(result: Swap) -> str:
    """Describe the size of the sets, if all are equal, and the topics.

    >>> _drawn(Swap(("a", "b"), (SwapRates("AP", 50, 25, ()),), 0.01, None, 0.05, 1000, 0))
    'two sets of 25 of 50 topics (1,000 trials, seed 0)'
    """
    topics = format_count(max(rates.topics for rates in result.rates), "topic")
    sizes = {(rates.size, rates.topics) for rates in result.rates}
    sets = "sets drawn from" if len(sizes) > 1 else f"two sets of {result.rates[0].size} of"
    return f"{sets} {topics} ({format_count(result.trials, 'trial')}, seed {result.seed})"


# -- the picture ----------------------------------------------------------------------------------


def build_figure(result: Swap, theme: Theme = DEFAULT_THEME, rate: float = 0.05) -> Figure:
    """Plot the swap rate against the difference: a line for each measure and set size."""
    data = _build_bins_table(result).to_frame()
    return Figure(lambda: _draw_chart(result, theme, data, rate), data, result.notes)


def _draw_chart(result: Swap, theme: Theme, data: pl.DataFrame, rate: float) -> Any:
    measures = pl.Series([rates.measure for rates in result.rates])
    short = dict(zip(measures, charts.shorten_name_column(measures), strict=True))
    names = [
        _format_line(result, rates, short) for rates in result.rates
    ]  # also of those without bins
    measure_styles = theme.assign_styles(short) if len(short) == len(names) else None
    styles = measure_styles and {
        n: measure_styles[r.measure] for n, r in zip(names, result.rates, strict=True)
    }
    line = [name for name, rates in zip(names, result.rates, strict=True) for _ in rates.bins]
    middle = (pl.col("low") + pl.col("high")) / 2
    curve_data = data.with_columns(pl.Series("line", line, pl.String), middle=middle)
    plain_fields = "measure:N", "set_size:Q", "low:Q", "high:Q", "comparisons:Q", "swaps:Q"
    first = "difference on the first set of topics"
    chart = charts.draw_curves(
        curve_data,
        charts.build_axis("x", "middle", first, grid=False),
        charts.build_axis("y", "rate_taken_together", "swap rate"),
        "measure" if len(short) > 1 else measures[0],
        [*plain_fields, *charts.build_number_tooltips("swap_rate")],
        theme,
        charts.draw_horizontal_lines("rate_taken_together", rate),
        names=pl.Series("line", names),
        styles=styles,
    )
    heading = "Swap rates" + (" of significant differences" if result.filter else "")
    together = "bins are merged if the rate does not fall"
    captions = [_describe_sample(result), together, f"grey line: {tables.format_percent(rate)}"]
    return charts.finish_chart(chart, theme, heading, captions)


def _format_line(result: Swap, rates: SwapRates, short: dict[str, str]) -> str:
    """Label a line by its measure, the size of its sets, or both."""
    sizes = {x.size for x in result.rates}
    if len(short) == 1:
        return f"sets of {format_count(rates.size, 'topic')}"
    return short[rates.measure] + (
        f", {format_count(rates.size, 'topic')}" if len(sizes) > 1 else ""
    )


# -- the command ----------------------------------------------------------------------------------


def notes(result: Swap, rate: float = 0.05) -> tuple[Note, ...]:
    """What to know, also of differences that a rate needs."""
    return (*result.notes, *result.cautions(rate))


def check_options(arguments: Any) -> None:
    """Raise an error for an invalid rate."""
    check_rate(arguments.rate)


METHOD = Method(
    __doc__,
    place=2,
    name="swap",
    computation=Computation(
        swap, activity="drawing topics", steps=lambda asked, _, n: asked.trials * n
    ),
    human_tables=("measures",),
    measures="AP nDCG@10 RR P@10",
    options=(
        option("--sizes", "N,N,…", "topics in a set (default: half of all)", value="counts"),
        option("--bin", "D", "how wide bins of differences are", value="number", default=0.01),
        choice(
            "--filter",
            ("t",),
            "only pairs that a paired t-test on the first set finds to differ significantly",
        ),
        option(
            "--alpha",
            "A",
            "p-values of at most A are significant (default: 0.05)",
            value="number",
            requires="filter",
            requires_value="t",
        ),
        option("--rate", "R", "the swap rate that is tolerated", value="number", default=0.05),
        *options.build_trial_options(TRIALS, "pairs of sets drawn at random"),
        *options.build_plot_options("swap rates against differences"),
    ),
)
