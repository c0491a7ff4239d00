"""What topic set size design found: tables, and the picture of power against topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.errors import InputError
from cranfield.late import pl
from cranfield.report import charts
from cranfield.report.look import PLAIN, Look
from cranfield.report.pictures import Picture, alt
from cranfield.report.places import PLACES
from cranfield.report.sheets import Field, Sheet, columns, each, percent, table
from cranfield.stats.plan import Plan
from cranfield.stats.power import Design, Pilot
from cranfield.wording import rounded

TESTS = {
    "t": "paired t-test",
    "anova": "one-way ANOVA of {} systems",
    "interval": "interval of the difference",
}
STEPS = 80  # points of a line
DRAWN = ("test", "difference", "topics", "power", "asked", "needed")

Designs = Mapping[str, Sequence[Design]]
"""Of each measure; the name is empty if variances are not from a pilot."""

TABLES = ("pilot", "topics", "power", "detectable")


def sheets(found: Plan) -> list[Sheet]:
    """The topics needed, what the pilot says, and what given numbers of topics can show."""
    designs, sizes = found.designs, found.sizes
    made = [topics_sheet(designs), *([pilot_sheet(found.pilots)] if found.pilots else [])]
    if sizes and any(design.power for design in _all(designs)):
        made.append(power_sheet(designs, sizes))
    return [*made, *([detectable_sheet(designs, sizes)] if sizes else [])]


def picture(found: Plan, look: Look = PLAIN) -> Picture:
    """Power against topics, of one measure."""
    if len(found.designs) > 1:
        raise InputError(f"{len(found.designs)} measures", "one with --plot")
    [(measure, designs)] = found.designs.items()
    return power_curves(designs, look, measure)


def settings(found: Plan) -> dict[str, Any]:
    """What was asked for, for programs: what captions tell in words."""
    made = _all(found.designs)
    return {
        "methods": list(dict.fromkeys(design.method for design in made)),
        "alpha": made[0].alpha,
        "confidence": 1 - made[0].alpha,
        "power": next((design.power for design in made if design.power), None),
    }


def pilot_sheet(pilots: Mapping[str, Pilot]) -> Sheet:
    """How much the scores of a pilot vary, for each measure."""
    of = columns(pilots.values())
    return table(
        "pilot",
        "Pilot: V_E1 is the variance of a run's scores over topics (residuals of one-way ANOVA), "
        "V_E2 without what topics have in common for all runs (two-way); differences of two runs "
        "vary by 2 V_E2.",
        Field("measure", [*pilots], key=True),
        of("topics", lambda pilot: pilot.topics[0]),
        of("runs", lambda pilot: pilot.systems[0]),
        of("v_e1", "one_way", "V_E1", variance_text),
        of("v_e2", "two_way", "V_E2", variance_text),
    )


def _at(designs: Designs, sizes: Sequence[int]) -> Designs:
    """Every design with all these numbers of topics."""
    return {m: [replace(d, topics=n) for d in made for n in sizes] for m, made in designs.items()}


def _all(designs: Designs) -> list[Design]:
    return [design for made in designs.values() for design in made]


def _sheet(name: str, caption: str, designs: Designs, *others: Field) -> Sheet:
    """A table of designs: the measure, if there is one, the method, and what else is shown."""
    measures = [measure for measure, made in designs.items() for _ in made]
    named = [Field("measure", measures, key=True)] if any(measures) else []
    return table(name, caption, *named, columns(_all(designs))("method", key=True), *others)


def topics_sheet(designs: Designs) -> Sheet:
    """How many topics are needed for each difference, or width."""
    made = _all(designs)
    of = columns(made)
    by_power = dict.fromkeys(f"power {d.power:g} at α = {d.alpha:g}" for d in made if d.power)
    by_width = dict.fromkeys(f"{percent(1 - d.alpha)} interval" for d in made if d.width)
    asked = [
        *(f"to find the difference, if it is the true one, with {text}" for text in by_power),
        *(f"for a {text} of the width, in the mean" for text in by_width),
    ]
    achieved = " or ".join(["power"] * bool(by_power) + ["width"] * bool(by_width))
    return _sheet(
        "topics",
        f"Topics needed {'; '.join(asked)}. Achieved is the {achieved} of so many topics. "
        f"Variances are those of {_of({design.method for design in made})}.",
        designs,
        of("difference", text=_short, people=bool(by_power)),
        of("width", text=_short, people=bool(by_width)),
        of("systems"),
        of("variance", text=variance_text),
        *each(of, "alpha", "power", people=False),
        *each(of, "topics", "achieved"),
    )


def power_sheet(designs: Designs, sizes: Sequence[int]) -> Sheet:
    """The power that given numbers of topics have."""
    designs = _at({m: [d for d in made if d.power] for m, made in designs.items()}, sizes)
    of = columns(_all(designs))
    alphas = ", ".join(dict.fromkeys(_short(design.alpha) for design in _all(designs)))
    return _sheet(
        "power",
        f"Power: how probable a significant result is (α = {alphas}) if the true difference is the "
        "one shown. A difference that was observed is not the true one.",
        designs,
        of("difference", text=_short),
        *each(of, "systems", "topics"),
        of("power", lambda design: design.power_of(design.topics)),
    )


def detectable_sheet(designs: Designs, sizes: Sequence[int]) -> Sheet:
    """What given numbers of topics can show: the smallest difference, the width of an interval."""
    one_of_each = {m: [*{d.method: d for d in found}.values()] for m, found in designs.items()}
    designs = _at(one_of_each, sizes)
    made = _all(designs)
    of = columns(made)
    powers = dict.fromkeys(_short(design.power) for design in made if design.power)
    text = [f"the smallest true difference found with power {power}" for power in powers]
    if any(design.width for design in made):
        text.append("of an interval its width, in the mean")
    return _sheet(
        "detectable",
        f"Smallest: {'; '.join(text)}.",
        designs,
        *each(of, "systems", "topics"),
        of("smallest", lambda design: design.smallest_of(design.topics)),
    )


def _of(methods: set[str]) -> str:
    """What the variances of these methods are of.

    >>> _of({"t"}), _of({"t", "interval", "anova"})
    ('differences', "differences (t, interval) and of a run's scores (anova)")
    """
    paired = [method for method in ("t", "interval") if method in methods]
    if "anova" not in methods:
        return "differences"
    own = "a run's scores"
    return f"differences ({', '.join(paired)}) and of {own} (anova)" if paired else own


def _short(number: float | None) -> str:
    """What the user gave, as it was given."""
    return "–" if number is None else f"{number:g}"


def variance_text(variance: float) -> str:
    """A variance for people; small ones are not nothing.

    >>> variance_text(0.04), variance_text(0.000123456)
    ('0.0400', '0.000123')
    """
    return rounded(variance) if variance >= 0.001 else f"{variance:.3g}"


# -- the picture ----------------------------------------------------------------------------------


def power_curves(designs: Sequence[Design], look: Look = PLAIN, heading: str = "") -> Picture:
    """Power against the number of topics: a line for each design, a panel for each test.

    The designs are those of `topics_for_t` and `topics_for_anova`; a point shows how many topics
    each needs, a line across the power that was asked for. Topics are on a logarithmic axis. Above
    a panel stand test, level, power and variance.
    """
    designs = [design for design in designs if design.difference is not None]
    if not designs:
        raise InputError("no design with a power", "one by t or anova to draw")
    lines = Counter((design.method, design.difference) for design in designs)
    (_, difference), count = lines.most_common(1)[0]
    if count > 1:
        found = f"{count} designs for a difference of {_short(difference)}"
        raise InputError(found, "one for each test")
    charts.refuse_many(len({difference for _, difference in lines}))
    last = 2 * max(design.topics for design in designs)
    sizes = {round(2 * (last / 2) ** (k / STEPS)) for k in range(STEPS + 1)}
    rows = [
        (_test(d), _short(d.difference), n, d.power_of(n), d.power, n == d.topics)
        for d in designs
        for n in sorted({*sizes, d.topics})
    ]
    data = pl.DataFrame(rows, DRAWN, orient="row")
    tests = dict.fromkeys(map(_test, designs))
    given = {test: _given([d for d in designs if _test(d) == test]) for test in tests}
    return Picture(lambda: _drawn(data, given, look, heading), data)


def _test(design: Design) -> str:
    return TESTS[design.method].format(design.systems)


def _given(designs: Sequence[Design]) -> str:
    """What designs by the same test were made for.

    >>> _given([Design("t", 65, 0.08, 0.05, 0.8016, "", difference=0.1, power=0.8)])
    'α = 0.05, power 0.8, variance of differences 0.0800'
    """
    alphas = dict.fromkeys(_short(design.alpha) for design in designs)
    powers = dict.fromkeys(_short(design.power) for design in designs)
    variances = dict.fromkeys(variance_text(design.variance) for design in designs)
    of = _of({design.method for design in designs})
    text = {"α =": alphas, "power": powers, f"variance of {of}": variances}
    return ", ".join(f"{what} {' or '.join(numbers)}" for what, numbers in text.items())


def _drawn(data: pl.DataFrame, given: Mapping[str, str], look: Look, heading: str) -> Any:
    last = int(data["topics"].max())  # type: ignore[arg-type]
    ticks = [m * 10**e for e in range(9) for m in (1, 2, 5) if 2 <= m * 10**e <= last]
    numbers = {"values": ticks, "format": ",d", "labelSeparation": 4}
    base = alt.Chart().encode(
        charts.axis("x", "topics", "topics", [2, last], {"type": "log"}, **numbers),
        charts.axis("y", "power", "power", [0, 1], values=[k / 10 for k in range(0, 11, 2)]),
    )
    styles = look.styles_in_order(data["difference"].unique(maintain_order=True))
    apart = charts.told_apart(data["difference"], ["true difference"], look, styles)
    tooltip = ["difference:N", *charts.decimals("topics", format=","), *charts.decimals("power")]
    line, told = charts.lines(base, apart, tooltip)
    needed = base.transform_filter("datum.needed")
    points = needed.mark_point(filled=True).encode(apart["color"], apart["shape"])
    texts = needed.mark_text(**PLACES["above left"]).encode(alt.Text("topics:Q", format=","))
    panels = []
    for test, text in given.items():
        of_test = data.filter(test=test)
        asked = charts.across("asked", *of_test["asked"].unique(maintain_order=True))
        above = {"text": test, "subtitle": text}
        layers = asked, line, points, texts, told
        panels.append(charts.panel(of_test, *layers, size=look.size(*charts.SIZE), title=above))
    return charts.finished(alt.vconcat(*panels), look, heading, several=True)
