"""Stability of rankings on fewer topics, or with fewer judgments.

Rank runs on random samples of the topics, or with random parts of the judgments, and compare these
rankings with the ranking on all of them.
"""

from __future__ import annotations

from typing import Any

from cranfield import tables
from cranfield.errors import InputError
from cranfield.figures import charts
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.meta import stability_of_judgments
from cranfield.meta.rankings import STATISTICS
from cranfield.meta.stability import TRIALS, TRIALS_OF_JUDGMENTS, Stability, stability
from cranfield.options import choice, option, switch
from cranfield.report import options
from cranfield.report.meta import Computation, Method
from cranfield.wording import format_count

TABLES = ("sizes", "points")
BANDS = 3  # measures whose intervals are drawn: more would hide each other


def build_tables(result: Stability) -> list[tables.ResultTable]:
    """Return sizes against measures, and a row for each measure and size."""
    sizes = sorted({point.size for point in result.points})
    cells = {(p.measure, p.size): tables.format_mean_with_interval(p) for p in result.points}
    fields = tables.build_grid_columns(
        sizes, result.measures, lambda n, name: cells.get((name, n), "–")
    )
    key = tables.Field(
        _format_size_unit(result), None, texts=[f"{size:g}" for size in sizes], key=True
    )
    return [
        tables.ResultTable("sizes", [key, *fields], format_caption(result)),
        _build_points_table(result),
    ]


def _build_points_table(result: Stability) -> tables.ResultTable:
    column = tables.bind_rows(result.points)
    return tables.build_table(
        "points",
        format_caption(result),
        column("measure", key=True),
        column("size", head=_format_size_unit(result), text="{:g}".format),
        column("mean"),
        *tables.build_interval_columns(result.points, result.confidence),
        *tables.build_constant_columns(METHOD.build_settings(result), result.points),
    )


def _format_size_unit(result: Stability) -> str:
    return "topics" if result.sampled == "topics" else "fraction of judgments"


def format_caption(result: Stability) -> str:
    """Describe the samples, the comparison and the trials."""
    return (
        f"{STATISTICS[result.statistic].title} between the rankings of "
        f"{format_count(len(result.runs), 'run')} {_describe_comparison(result)}: mean, and range "
        f"of the middle {tables.format_percent(result.confidence)} of the trials. "
        f"{_describe_sample(result)}."
    )


def _describe_comparison(result: Stability) -> str:
    if result.sampled == "judgments":
        return "with a random part of the judgments and with all"
    replacement_text = " with replacement" if result.replacement else ""
    if result.against == "others":
        return "on a random sample of topics and on as many others"
    return f"on a random sample of topics{replacement_text} and on all"


def _describe_sample(result: Stability) -> str:
    trials = format_count(result.trials, "trial")
    return f"{format_count(result.topics, 'topic')} ({trials}, seed {result.seed})"


# -- the picture ----------------------------------------------------------------------------------


def build_figure(result: Stability, theme: Theme = DEFAULT_THEME) -> Figure:
    """Plot the mean of the statistic against the sample size, one line per measure.

    Few measures have their intervals as bands.
    """
    data = _build_points_table(result).to_frame("measure", "size", "mean", "low", "high")
    return Figure(lambda: _draw_chart(result, theme, data), data, result.notes)


def _draw_chart(result: Stability, theme: Theme, data: pl.DataFrame) -> Any:
    topics, judgments = ("topics in a sample", "d", ""), ("fraction of the judgments", "%", "%")
    sampled, form, tooltip_format = topics if result.sampled == "topics" else judgments
    mean = f"{STATISTICS[result.statistic].title}, mean of {format_count(result.trials, 'trial')}"
    close = {"zero": False, "nice": False, "padding": 6}
    values = charts.build_number_tooltips("mean", "low", "high")
    has_bands = len(result.measures) <= BANDS
    line = charts.shorten_name_column(data["measure"])
    measure_styles = theme.assign_styles(result.measures)
    styles = {
        line_name: measure_styles[measure]
        for line_name, measure in zip(line, data["measure"], strict=True)
    }
    chart = charts.draw_curves(
        data.with_columns(line=line),
        charts.build_axis("x", "size", sampled, scale=close, grid=False, format=form),
        charts.build_axis("y", "mean", mean, scale={"zero": False}),
        "measure",
        ["measure:N", *charts.build_number_tooltips("size", format=tooltip_format), *values],
        theme,
        styles=styles,
        bands=[("low", "high")] if has_bands else [],
        point={"filled": True, "size": 25},
    )
    middle = f"bands: the middle {tables.format_percent(result.confidence)} of the trials"
    heading = f"Rankings of {format_count(len(result.runs), 'run')} {_describe_comparison(result)}"
    return charts.finish_chart(
        chart, theme, heading, [_describe_sample(result), *([middle] if has_bands else [])]
    )


# -- the command ----------------------------------------------------------------------------------


def check_options(arguments: Any) -> None:
    """Raise an error for scores with samples of judgments."""
    if arguments.sample == "judgments" and arguments.scores:
        raise InputError.from_problem("--scores requires --sample topics")


METHOD = Method(
    __doc__,
    place=3,
    name="stability",
    computation=Computation(
        stability,
        activity="drawing topics",
        steps=lambda asked, _, n: (asked.trials or TRIALS) * n,
    ),
    alternative=("sample", "judgments", Computation(
        stability_of_judgments,
        inputs="runs",
        activity="drawing judgments",
        steps=lambda asked, *_: asked.trials or TRIALS_OF_JUDGMENTS,
    )),
    settings_names=(
        "sampled", "statistic", "against", "replacement", "confidence", "runs", "topics", "trials",
        "seed",
    ),
    human_tables=("sizes",),
    flat_tables=("points",),
    measures="AP nDCG@10 RR P@10",
    options=(
        choice("--sample", ("topics", "judgments"), "what is drawn at random", default="topics"),
        option("--sizes", "N,N,…", "topics in a sample (default: ten sizes)",
            value="counts",
            requires="sample", requires_value="topics"),
        choice("--sample-against", ("all", "others"),
            "a sample is compared with all (default), or with as many others", name="against", default="all",
            requires="sample", requires_value="topics"),
        switch("--replacement", "a topic may be in a sample several times",
            requires="sample", requires_value="topics"),
        option("--shares", "S,S,…", "what is kept of them (default: 0.1,0.2,…,1)",
            value="numbers",
            requires="sample", requires_value="judgments"),
        *options.build_statistic_option(),
        *options.build_confidence_option("the share of trials that intervals hold"),
        option("--trials", "B", f"random samples of each size (default: {TRIALS:,}; {TRIALS_OF_JUDGMENTS} "
        "with --sample judgments)",
            value="count"),
        *options.SEED,
        *options.build_plot_options("the curves")),
)  # fmt: skip
