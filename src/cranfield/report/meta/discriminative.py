"""Discriminative power: significant differences between runs by measure.

Test all pairs of runs by each measure. Show the number of significant pairs, the smallest
significant difference, and all p-values as a curve (ASL curve).
"""

from __future__ import annotations

from typing import Any

from cranfield import tables
from cranfield.figures import charts
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.meta.discriminative import DiscriminativePower, discriminative_power
from cranfield.options import switch
from cranfield.report import options
from cranfield.report.meta import Computation, Method
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, count_steps
from cranfield.stats.result import is_fully_enumerated
from cranfield.stats.tables import build_p_column, describe_test
from cranfield.wording import format_count

TABLES = ("measures", "curves")
ZOOM = 3  # times α: how far up the curves are shown, as papers do


def build_tables(result: DiscriminativePower) -> list[tables.ResultTable]:
    """Return a row for each measure, and a row for each pair of runs."""
    column = tables.bind_rows(result.measures)
    critical = column("hsd", "critical", "HSD")
    measures = tables.build_table(
        "measures",
        format_caption(result),
        column("measure", key=True),
        column(
            "significant",
            lambda discrimination: len(discrimination.significant),
            "significant pairs",
        ),
        column("pairs", lambda discrimination: len(discrimination.pairs), "of"),
        column("share"),
        column("smallest_significant", "smallest", "smallest significant difference"),
        *([critical] if _has_hsd(result) else []),
        column(
            "topics", visible=len({discrimination.topics for discrimination in result.measures}) > 1
        ),
        *tables.build_constant_columns(build_settings(result), result.measures),
    )
    return [measures, _build_curves_table(result)]


def _has_hsd(result: DiscriminativePower) -> bool:
    return any(discrimination.critical is not None for discrimination in result.measures)


def build_settings(result: DiscriminativePower) -> dict[str, Any]:
    random = ("trials", "seed") if TESTS[result.test].random else ()
    return tables.read_settings(result, "test", "correction", "alpha", *random)


def _build_curves_table(result: DiscriminativePower) -> tables.ResultTable:
    column, pair_column = tables.bind_nested_rows(result.measures, "pairs")
    ranked = [
        (rank, pair)
        for discrimination in result.measures
        for rank, pair in enumerate(discrimination.pairs, 1)
    ]
    return tables.build_table(
        "curves",
        f"ASL curves: the p-values of all pairs of {format_count(len(result.runs), 'run')}, on "
        f"{_format_topics(result)}, the largest first, by the {_describe_test(result)}. "
        "A difference above 0 means that the first run is better. "
        f"* p ≤ α = {result.alpha:g}.",
        column("measure", key=True),
        tables.Field("rank", [rank for rank, _ in ranked], key=True),
        *tables.build_columns(pair_column, "run", "other", key=True),
        pair_column("difference", text=tables.format_difference),
        build_p_column([pair for _, pair in ranked], result.alpha),
    )


def format_caption(result: DiscriminativePower) -> str:
    """Describe the runs, the test and the topics."""
    text = (
        f"Discriminative power: pairs of {format_count(len(result.runs), 'run')} that differ "
        f"significantly at α = {result.alpha:g} by the {_describe_test(result)}, "
        f"on {_format_topics(result)}."
    )
    if _has_hsd(result):
        text += " HSD: honestly significant difference, larger differences are significant."
    return text


def _describe_test(result: DiscriminativePower) -> str:
    """Describe the test and its number of trials."""
    sampled = [pair.sampled for discrimination in result.measures for pair in discrimination.pairs]
    correction_text = "" if TESTS[result.test].is_joint else CORRECTIONS[result.correction].title
    title, *details = describe_test(
        result.test, result.trials, result.seed, is_fully_enumerated(sampled), correction_text
    )
    return title + (f" ({', '.join(details)})" if details else "")


def _format_topics(result: DiscriminativePower) -> str:
    return tables.format_topics(discrimination.topics for discrimination in result.measures)


# -- the picture ----------------------------------------------------------------------------------


def build_figure(
    result: DiscriminativePower, theme: Theme = DEFAULT_THEME, whole: bool = False
) -> Figure:
    """Draw ASL curves, one line per measure: p-values near α, or all if `whole`."""
    data = _build_curves_table(result).to_frame()
    return Figure(lambda: _draw_chart(result, theme, data, whole), data, result.notes)


def _draw_chart(result: DiscriminativePower, theme: Theme, data: pl.DataFrame, whole: bool) -> Any:
    top = 1.0 if whole else min(1.0, ZOOM * result.alpha)
    pairs = len(result.measures[0].pairs)
    shares = {item.measure: f": {100 * item.share:.1f}%" for item in result.measures}
    line = charts.shorten_name_column(data["measure"]) + data["measure"].replace_strict(shares)
    measure_styles = theme.assign_styles(shares)  # colours belong to measures, not to labels
    styles = {
        item: measure_styles[measure] for item, measure in zip(line, data["measure"], strict=True)
    }
    above_count = (pl.col("pvalue") > top).sum().over("measure")
    curve_data = data.with_columns(line=line).filter(
        pl.col("rank") >= above_count
    )  # begins with the last
    ranked = f"{format_count(pairs, 'pair')} of runs, by falling p-value"
    chart = charts.draw_curves(
        curve_data,
        charts.build_axis(
            "x", "rank", ranked, [1, max(2, pairs)], **charts.build_rank_axis_style(pairs)
        ),
        charts.build_axis("y", "pvalue", "p-value (ASL)", [0, top]),
        f"fraction with p ≤ {result.alpha:g}",
        [
            "measure:N",
            "run:N",
            "other:N",
            *charts.build_number_tooltips("difference", "pvalue"),
            "rank:Q",
        ],
        theme,
        charts.draw_horizontal_lines("pvalue", result.alpha),
        styles=styles,
        clip=True,
    )
    captions = [
        f"{_describe_test(result)}, {_format_topics(result)}",
        f"grey line: α = {result.alpha:g}",
    ]
    return charts.finish_chart(chart, theme, "ASL curves", captions)


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=1,
    name="discriminative-power",
    computation=Computation(
        discriminative_power,
        activity="testing",
        steps=lambda asked, m, n: n * count_steps(asked.test, m, m * (m - 1) // 2, asked.trials),
    ),
    human_tables=("measures",),
    measures="AP nDCG@10 RR P@10",
    options=(
        *options.build_test_option("randomised-tukey"),
        *options.build_correction_option(
            "none (default, as the method has it), holm, bonferroni or bh", "none"
        ),
        *options.build_alpha_option(),
        *options.build_trial_options(),
        *options.build_plot_options("the ASL curves"),
        switch("--whole", "p-values from 0 to 1 (default: to three times alpha)", requires="plot"),
    ),
)
