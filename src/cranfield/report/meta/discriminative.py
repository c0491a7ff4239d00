"""How many pairs of runs does each measure tell apart?

Test all pairs of runs by each measure: how many differ significantly, from which difference on, and
the p-values of all as a curve (ASL curve).
"""

from __future__ import annotations

from typing import Any

from cranfield.late import pl
from cranfield.meta.discriminative import DiscriminativePower, discriminative_power
from cranfield.report import charts, options
from cranfield.report import sheets as tables
from cranfield.report.look import PLAIN, Look
from cranfield.report.meta import Method, Work
from cranfield.report.pictures import Picture
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, steps
from cranfield.stats.result import all_exact
from cranfield.wording import counted

TABLES = ("measures", "curves")
ZOOM = 3  # times α: how far up the curves are shown, as papers do


def sheets(found: DiscriminativePower) -> list[tables.Sheet]:
    """A row for each measure, the most discriminative first; and a row for each pair of runs."""
    of = tables.columns(found.measures)
    critical = of("hsd", "critical", "HSD")
    measures = tables.table(
        "measures",
        caption(found),
        of("measure", key=True),
        of("significant", lambda one: len(one.significant), "significant pairs"),
        of("pairs", lambda one: len(one.pairs), "of"),
        of("share"),
        of("smallest_significant", "smallest", "smallest significant difference"),
        *([critical] if _has_hsd(found) else []),
        of("topics", people=len({one.topics for one in found.measures}) > 1),
        *tables.constants(settings(found), found.measures),
    )
    return [measures, _curves(found)]


def _has_hsd(found: DiscriminativePower) -> bool:
    return any(one.critical is not None for one in found.measures)


def settings(found: DiscriminativePower) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    random = ("trials", "seed") if TESTS[found.test].random else ()
    return tables.settings_of(found, "test", "correction", "alpha", *random)


def _curves(found: DiscriminativePower) -> tables.Sheet:
    of, of_pairs = tables.within(found.measures, "pairs")
    ranked = [(rank, pair) for one in found.measures for rank, pair in enumerate(one.pairs, 1)]
    return tables.table(
        "curves",
        f"ASL curves: the p-values of all pairs of {counted(len(found.runs), 'run')}, on "
        f"{_topics(found)}, the largest first, by the {_test(found)}. A difference above 0 says "
        f"that the first run is better. * p ≤ α = {found.alpha:g}.",
        of("measure", key=True),
        tables.Field("rank", [rank for rank, _ in ranked], key=True),
        *tables.each(of_pairs, "run", "other", key=True),
        of_pairs("difference", text=tables.signed),
        tables.p_field([pair for _, pair in ranked], found.alpha),
    )


def caption(found: DiscriminativePower) -> str:
    """What was tested, how, and on what."""
    told = (
        f"Discriminative power: pairs of {counted(len(found.runs), 'run')} that differ "
        f"significantly at α = {found.alpha:g} by the {_test(found)}, on {_topics(found)}."
    )
    if _has_hsd(found):
        told += " HSD is the honestly significant difference: larger ones are significant."
    return told


def _test(found: DiscriminativePower) -> str:
    """The test, with what its p-values rest on."""
    sampled = [pair.sampled for one in found.measures for pair in one.pairs]
    also = "" if TESTS[found.test].many else CORRECTIONS[found.correction].title
    title, *how = tables.how_tested(found.test, found.trials, found.seed, all_exact(sampled), also)
    return title + (f" ({', '.join(how)})" if how else "")


def _topics(found: DiscriminativePower) -> str:
    return tables.topics_text(one.topics for one in found.measures)


# -- the picture ----------------------------------------------------------------------------------


def picture(found: DiscriminativePower, look: Look = PLAIN, whole: bool = False) -> Picture:
    """ASL curves, a line for each measure: near α, where pairs become significant, or `whole`."""
    data = _curves(found).frame()
    return Picture(lambda: _chart(found, look, data, whole), data, found.notices)


def _chart(found: DiscriminativePower, look: Look, data: pl.DataFrame, whole: bool) -> Any:
    top = 1.0 if whole else min(1.0, ZOOM * found.alpha)
    pairs = len(found.measures[0].pairs)
    shares = {one.measure: f": {100 * one.share:.1f}%" for one in found.measures}
    line = charts.short(data["measure"]) + data["measure"].replace_strict(shares)
    own = look.styles(shares)  # a colour is that of the measure, whatever its share
    styles = {one: own[measure] for one, measure in zip(line, data["measure"], strict=True)}
    above = (pl.col("pvalue") > top).sum().over("measure")
    drawn = data.with_columns(line=line).filter(pl.col("rank") >= above)  # begins with the last
    ranked = f"{counted(pairs, 'pair')} of runs, by falling p-value"
    chart = charts.curves(
        drawn,
        charts.axis("x", "rank", ranked, [1, max(2, pairs)], **charts.ranks(pairs)),
        charts.axis("y", "pvalue", "p-value (ASL)", [0, top]),
        f"share with p ≤ {found.alpha:g}",
        ["measure:N", "run:N", "other:N", *charts.decimals("difference", "pvalue"), "rank:Q"],
        look,
        charts.across("pvalue", found.alpha),
        styles=styles,
        clip=True,
    )
    told = [f"{_test(found)}, {_topics(found)}", f"grey line: α = {found.alpha:g}"]
    return charts.finished(chart, look, "ASL curves", told)


# -- the command ----------------------------------------------------------------------------------


METHOD = Method(
    __doc__,
    place=1,
    name="discriminative-power",
    work=Work(
        discriminative_power,
        doing="testing",
        steps=lambda asked, m, n: n * steps(asked.test, m, m * (m - 1) // 2, asked.trials),
    ),
    people=("measures",),
    measures="AP nDCG@10 RR P@10",
    options={
        **options.which_test("randomised-tukey"),
        **options.correction(
            "none (default, as the method has it), holm, bonferroni or bh", "none"
        ),
        **options.alpha(),
        **options.trials(),
        **options.plot("the ASL curves"),
        "--whole with --plot FILE": "p-values from 0 to 1 (default: to three times alpha)",
    },
)
