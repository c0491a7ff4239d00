"""Tables and figure of a topic set size design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.errors import InputError
from cranfield.figures import charts
from cranfield.figures.figure import Figure, alt
from cranfield.figures.layout import PLACES
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.stats.plan import Plan
from cranfield.stats.power import Design, Pilot
from cranfield.tables import (
    Field,
    ResultTable,
    bind_rows,
    build_columns,
    build_table,
    format_percent,
)
from cranfield.wording import format_number

TESTS = {
    "t": "paired t-test",
    "anova": "one-way ANOVA of {} systems",
    "interval": "interval of the difference",
}
STEPS = 80  # points per line
COLUMNS = ("test", "difference", "topics", "power", "asked", "needed")

Designs = Mapping[str, Sequence[Design]]
"""Designs by measure. The measure is empty if variances are not from a pilot."""

TABLES = ("pilot", "topics", "power", "detectable")


def build_tables(result: Plan) -> list[ResultTable]:
    """Build tables of needed topics, the pilot, power and detectable differences."""
    designs, sizes = result.designs, result.sizes
    table_list = [
        build_topics_table(designs),
        *([build_pilot_table(result.pilots)] if result.pilots else []),
    ]
    if sizes and any(design.power for design in _list_designs(designs)):
        table_list.append(build_power_table(designs, sizes))
    return [*table_list, *([build_detectable_table(designs, sizes)] if sizes else [])]


def build_figure(result: Plan, theme: Theme = DEFAULT_THEME) -> Figure:
    """Build the figure of power against topics for one measure."""
    if len(result.designs) > 1:
        raise InputError(f"{len(result.designs)} measures", "one measure with --plot")
    [(measure, designs)] = result.designs.items()
    return draw_power_curves(designs, theme, measure)


def build_settings(result: Plan) -> dict[str, Any]:
    design_list = _list_designs(result.designs)
    return {
        "methods": list(dict.fromkeys(design.method for design in design_list)),
        "alpha": design_list[0].alpha,
        "confidence": 1 - design_list[0].alpha,
        "power": next((design.power for design in design_list if design.power), None),
    }


def build_pilot_table(pilots: Mapping[str, Pilot]) -> ResultTable:
    """Build a table of the variance of scores in a pilot, one row per measure."""
    column = bind_rows(pilots.values())
    return build_table(
        "pilot",
        "Pilot: V_E1 is the variance of a run's scores over topics (residuals of one-way ANOVA), "
        "V_E2 the residual variance without the effect of topics (two-way ANOVA). The variance of "
        "differences between two runs is 2 V_E2.",
        Field("measure", [*pilots], key=True),
        column("topics", lambda pilot: pilot.topics[0]),
        column("runs", lambda pilot: pilot.systems[0]),
        column("v_e1", "one_way", "V_E1", format_variance),
        column("v_e2", "two_way", "V_E2", format_variance),
    )


def _set_topics(designs: Designs, sizes: Sequence[int]) -> Designs:
    """Return each design with each number of topics."""
    return {m: [replace(d, topics=n) for d in design_list for n in sizes] for m, design_list in designs.items()}


def _list_designs(designs: Designs) -> list[Design]:
    return [design for design_list in designs.values() for design in design_list]


def _build_design_table(name: str, caption: str, designs: Designs, *other_columns: Field) -> ResultTable:
    """Build a table of designs: measure, method and further columns."""
    measures = [measure for measure, design_list in designs.items() for _ in design_list]
    measure_columns = [Field("measure", measures, key=True)] if any(measures) else []
    return build_table(
        name,
        caption,
        *measure_columns,
        bind_rows(_list_designs(designs))("method", key=True),
        *other_columns,
    )


def build_topics_table(designs: Designs) -> ResultTable:
    """Build a table of the topics needed for each difference or width."""
    design_list = _list_designs(designs)
    column = bind_rows(design_list)
    by_power = dict.fromkeys(f"power {d.power:g} at α = {d.alpha:g}" for d in design_list if d.power)
    by_width = dict.fromkeys(f"{format_percent(1 - d.alpha)} interval" for d in design_list if d.width)
    purposes = [
        *(f"to detect the true difference with {text}" for text in by_power),
        *(f"for a {text} of the expected width" for text in by_width),
    ]
    source = _describe_variance_source({design.method for design in design_list})
    achieved = " or ".join(["power"] * bool(by_power) + ["width"] * bool(by_width))
    return _build_design_table(
        "topics",
        f"Topics needed {', or '.join(purposes)}. "
        f"Achieved: {achieved} with this number of topics. Variance: variance of {source}.",
        designs,
        column("difference", text=_format_number, visible=bool(by_power)),
        column("width", text=_format_number, visible=bool(by_width)),
        column("systems"),
        column("variance", text=format_variance),
        *build_columns(column, "alpha", "power", visible=False),
        *build_columns(column, "topics", "achieved"),
    )


def build_power_table(designs: Designs, sizes: Sequence[int]) -> ResultTable:
    """Build a table of the power of given numbers of topics."""
    designs = _set_topics({m: [d for d in design_list if d.power] for m, design_list in designs.items()}, sizes)
    column = bind_rows(_list_designs(designs))
    alphas = ", ".join(dict.fromkeys(_format_number(design.alpha) for design in _list_designs(designs)))
    return _build_design_table(
        "power",
        f"Power: probability of a significant result (α = {alphas}) for the given true difference. "
        "An observed difference is not the true difference.",
        designs,
        column("difference", text=_format_number),
        *build_columns(column, "systems", "topics"),
        column("power", lambda design: design.power_of(design.topics)),
    )


def build_detectable_table(designs: Designs, sizes: Sequence[int]) -> ResultTable:
    """Build a table of the smallest difference or width for given numbers of topics."""
    by_method = {m: [*{d.method: d for d in design_group}.values()] for m, design_group in designs.items()}
    designs = _set_topics(by_method, sizes)
    design_list = _list_designs(designs)
    column = bind_rows(design_list)
    powers = dict.fromkeys(_format_number(design.power) for design in design_list if design.power)
    text = [f"the smallest true difference detected with power {power}" for power in powers]
    if any(design.width for design in design_list):
        text.append("the expected width of an interval")
    return _build_design_table(
        "detectable",
        f"Smallest: {'; '.join(text)}.",
        designs,
        *build_columns(column, "systems", "topics"),
        column("smallest", lambda design: design.smallest_of(design.topics)),
    )


def _describe_variance_source(methods: set[str]) -> str:
    """Return the quantities whose variances these methods use.

    >>> _describe_variance_source({"t"}), _describe_variance_source({"t", "interval", "anova"})
    ('differences', "differences (t, interval) and of a run's scores (anova)")
    """
    paired = [method for method in ("t", "interval") if method in methods]
    if "anova" not in methods:
        return "differences"
    run_scores = "a run's scores"
    return f"differences ({', '.join(paired)}) and of {run_scores} (anova)" if paired else run_scores


def _format_number(number: float | None) -> str:
    """Format a number as the user wrote it."""
    return "–" if number is None else f"{number:g}"


def format_variance(variance: float) -> str:
    """Format a variance, with three significant digits if it is small.

    >>> format_variance(0.04), format_variance(0.000123456)
    ('0.0400', '0.000123')
    """
    return format_number(variance) if variance >= 0.001 else f"{variance:.3g}"


# -- the picture ----------------------------------------------------------------------------------


def draw_power_curves(designs: Sequence[Design], theme: Theme = DEFAULT_THEME, heading: str = "") -> Figure:
    """Draw power against the number of topics: a line per design, a panel per test.

    The designs are results of `topics_for_t` and `topics_for_anova`. A point marks the topics that
    each design needs, and a horizontal line the requested power. Topics are on a logarithmic axis.
    Test, significance level, power and variance are above a panel."""
    designs = [design for design in designs if design.difference is not None]
    if not designs:
        raise InputError("no design with a power", "a design for t or anova")
    lines = Counter((design.method, design.difference) for design in designs)
    (_, difference), count = lines.most_common(1)[0]
    if count > 1:
        count_text = f"{count} designs for a difference of {_format_number(difference)}"
        raise InputError(count_text, "one design per test")
    charts.check_line_count(len({difference for _, difference in lines}))
    last = 2 * max(design.topics for design in designs)
    sizes = {round(2 * (last / 2) ** (k / STEPS)) for k in range(STEPS + 1)}
    rows = [
        (_name_test(d), _format_number(d.difference), n, d.power_of(n), d.power, n == d.topics)
        for d in designs
        for n in sorted({*sizes, d.topics})
    ]
    data = pl.DataFrame(rows, COLUMNS, orient="row")
    tests = dict.fromkeys(map(_name_test, designs))
    subtitles = {test: _describe_designs([d for d in designs if _name_test(d) == test]) for test in tests}
    return Figure(lambda: _draw_panels(data, subtitles, theme, heading), data)


def _name_test(design: Design) -> str:
    return TESTS[design.method].format(design.systems)


def _describe_designs(designs: Sequence[Design]) -> str:
    """Return significance level, power and variance of designs by the same test.

    >>> _describe_designs([Design("t", 65, 0.08, 0.05, 0.8016, "", difference=0.1, power=0.8)])
    'α = 0.05, power 0.8, variance of differences 0.0800'
    """
    alphas = dict.fromkeys(_format_number(design.alpha) for design in designs)
    powers = dict.fromkeys(_format_number(design.power) for design in designs)
    variances = dict.fromkeys(format_variance(design.variance) for design in designs)
    source = _describe_variance_source({design.method for design in designs})
    text = {"α =": alphas, "power": powers, f"variance of {source}": variances}
    return ", ".join(f"{label} {' or '.join(numbers)}" for label, numbers in text.items())


def _draw_panels(data: pl.DataFrame, subtitles: Mapping[str, str], theme: Theme, heading: str) -> Any:
    last = int(data["topics"].max())  # type: ignore[arg-type]
    ticks = [m * 10**e for e in range(9) for m in (1, 2, 5) if 2 <= m * 10**e <= last]
    numbers = {"values": ticks, "format": ",d", "labelSeparation": 4}
    base = alt.Chart().encode(
        charts.build_axis("x", "topics", "topics", [2, last], {"type": "log"}, **numbers),
        charts.build_axis("y", "power", "power", [0, 1], values=[k / 10 for k in range(0, 11, 2)]),
    )
    styles = theme.assign_styles_in_order(data["difference"].unique(maintain_order=True))
    encodings = charts.encode_names(data["difference"], ["true difference"], theme, styles)
    tooltip = [
        "difference:N",
        *charts.build_number_tooltips("topics", format=","),
        *charts.build_number_tooltips("power"),
    ]
    line, targets = charts.draw_lines(base, encodings, tooltip)
    needed_points = base.transform_filter("datum.needed")
    points = needed_points.mark_point(filled=True).encode(encodings["color"], encodings["shape"])
    texts = needed_points.mark_text(**PLACES["above left"]).encode(alt.Text("topics:Q", format=","))
    panels = []
    for test, text in subtitles.items():
        of_test = data.filter(test=test)
        power_line = charts.draw_horizontal_lines("asked", *of_test["asked"].unique(maintain_order=True))
        panel_title = {"text": test, "subtitle": text}
        layers = power_line, line, points, texts, targets
        panels.append(charts.build_panel(of_test, *layers, size=theme.choose_size(*charts.SIZE), title=panel_title))
    return charts.finish_chart(alt.vconcat(*panels), theme, heading, several_panels=True)
