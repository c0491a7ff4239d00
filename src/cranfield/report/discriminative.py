"""Discriminative power: a row for each measure, the ASL curves as data, and their picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.meta.discriminative import DiscriminativePower
from cranfield.report.pictures import COLOURS, DASHES, Picture, altair, rows_of, shortened
from cranfield.report.places import finished
from cranfield.report.sheets import Field, Sheet, how_tested, p_field, shown_of, signed, topics_text
from cranfield.stats.families import CORRECTION_TITLES, OF_TWO, RANDOM
from cranfield.stats.result import all_exact
from cranfield.wording import counted

if TYPE_CHECKING:
    import polars as pl

TABLES = ("measures", "curves")
ZOOM = 3  # times α: how far up the curves are shown, as papers do
LEGEND = 36  # characters of a name in a legend
WIDTH, HEIGHT = 420, 280


def sheets(found: DiscriminativePower) -> list[Sheet]:
    """A row for each measure, the most discriminative first; and a row for each pair of runs."""
    measures = found.measures
    columns = [
        Field("measure", [one.measure for one in measures], key=True),
        Field("significant", [len(one.significant) for one in measures], "significant pairs"),
        Field("pairs", [len(one.pairs) for one in measures], "of"),
        Field("share", [one.share for one in measures]),
        Field(
            "smallest_significant",
            [one.smallest for one in measures],
            "smallest significant difference",
        ),
    ]
    if any(one.critical is not None for one in measures):
        columns.append(Field("hsd", [one.critical for one in measures], "HSD"))
    columns += [
        Field("topics", [one.topics for one in measures], people=_topics_differ(found)),
        *(
            Field(name, [value] * len(measures), people=False)
            for name, value in settings(found).items()
        ),
    ]
    return [Sheet("measures", columns, caption(found)), _curves(found)]


def settings(found: DiscriminativePower) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    made = {"test": found.test, "correction": found.correction, "alpha": found.alpha}
    return made | ({"trials": found.trials, "seed": found.seed} if found.test in RANDOM else {})


def _curves(found: DiscriminativePower) -> Sheet:
    rows = _rows(found)
    pairs = [pair for one in found.measures for pair in one.pairs]
    pvalues = [pair.pvalue for pair in pairs]
    shown = [shown_of(pair.pvalue, pair.sampled) for pair in pairs]
    return Sheet(
        "curves",
        [
            *(
                Field(name, [row[name] for row in rows], key=True)
                for name in ("measure", "rank", "run", "other")
            ),
            Field(
                "difference",
                [pair.difference for pair in pairs],
                texts=[signed(pair.difference) for pair in pairs],
            ),
            p_field("pvalue", pvalues, shown, found.alpha),
        ],
        f"ASL curves: the p-values of all pairs of {counted(len(found.runs), 'run')}, on "
        f"{_topics(found)}, the largest first, by the {_test(found)}. A difference above 0 says "
        f"that the first run is better. * p ≤ α = {found.alpha:g}.",
    )


def caption(found: DiscriminativePower) -> str:
    """What was tested, how, and on what."""
    told = (
        f"Discriminative power: pairs of {counted(len(found.runs), 'run')} that differ "
        f"significantly at α = {found.alpha:g} by the {_test(found)}, on {_topics(found)}."
    )
    if any(one.critical is not None for one in found.measures):
        told += " HSD is the honestly significant difference: larger ones are significant."
    return told


def _test(found: DiscriminativePower) -> str:
    """The test, with what its p-values rest on."""
    sampled = [pair.sampled for one in found.measures for pair in one.pairs]
    also = CORRECTION_TITLES[found.correction] if found.test in OF_TWO else ""
    title, *how = how_tested(found.test, found.trials, found.seed, all_exact(sampled), also)
    return title + (f" ({', '.join(how)})" if how else "")


def _topics_differ(found: DiscriminativePower) -> bool:
    return len({one.topics for one in found.measures}) > 1


def _topics(found: DiscriminativePower) -> str:
    return topics_text(one.topics for one in found.measures)


def _rows(found: DiscriminativePower) -> list[dict[str, Any]]:
    return [
        {
            "measure": one.measure,
            "rank": rank,
            "run": pair.run,
            "other": pair.other,
            "difference": pair.difference,
            "pvalue": pair.pvalue,
        }
        for one in found.measures
        for rank, pair in enumerate(one.pairs, 1)
    ]


# -- the picture --------------------------------------------------------------------------------


def picture(found: DiscriminativePower, whole: bool = False) -> Picture:
    """ASL curves, a line for each measure: near α, where pairs become significant, or `whole`."""
    import polars as pl

    data = pl.DataFrame(_rows(found))
    return Picture(lambda: _chart(found, data, whole), data, found.notices)


def _chart(found: DiscriminativePower, data: pl.DataFrame, whole: bool) -> Any:
    import polars as pl

    alt = altair()
    names = [one.measure for one in found.measures]
    shares = [f"{100 * one.share:.1f}%" for one in found.measures]
    lines = [f"{n}: {s}" for n, s in zip(shortened(names, LEGEND), shares, strict=True)]
    top = 1.0 if whole else min(1.0, ZOOM * found.alpha)
    pairs = len(found.measures[0].pairs)
    line = pl.col("measure").replace_strict(names, lines, return_dtype=pl.String)
    above = (
        (pl.col("pvalue") > top).sum().over("measure")
    )  # the last of them is where a line begins
    drawn = data.filter(pl.col("rank") >= above).with_columns(line=line)
    base = alt.Chart().encode(
        alt.X(
            "rank:Q",
            title=f"{counted(pairs, 'pair')} of runs, by falling p-value",
            axis=alt.Axis(format="d", tickMinStep=1, grid=False),
            scale=alt.Scale(domain=[1, max(2, pairs)], nice=False),
        ),
        alt.Y("pvalue:Q", title="p-value (ASL)", scale=alt.Scale(domain=[0, top], nice=False)),
        *apart(lines, f"share with p ≤ {found.alpha:g}"),
    )
    tooltip = [
        *(alt.Tooltip(f"{name}:N") for name in ("measure", "run", "other")),
        *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("difference", "pvalue")),
        alt.Tooltip("rank:Q"),
    ]
    alpha = alt.Chart(alt.Data(values=[{"pvalue": found.alpha}]))
    layers = [
        alpha.mark_rule(color="#808080").encode(alt.Y("pvalue:Q")),
        base.mark_line(clip=True),
        base.mark_point(opacity=0, size=60, clip=True).encode(tooltip=tooltip),
    ]
    chart = alt.layer(*layers, data=rows_of(drawn)).properties(  # once: it is checked, and long
        width=WIDTH,
        height=HEIGHT,
        title={
            "text": "ASL curves",
            "subtitle": [f"{_test(found)}, {_topics(found)}", f"grey line: α = {found.alpha:g}"],
        },
    )
    return finished(chart, "")


def apart(lines: Sequence[str], title: str) -> list[Any]:
    """Colours and dashes; more lines than there are colours have other dashes with the same."""
    alt = altair()
    many = len(COLOURS)
    colours = [COLOURS[k % many] for k in range(len(lines))]
    dashes = [DASHES[(k + k // many) % len(DASHES)] for k in range(len(lines))]
    legend = alt.Legend(symbolType="stroke", symbolSize=500, symbolOpacity=1)
    return [
        channel("line", type="nominal", title=title, sort=list(lines), legend=legend,
                scale=alt.Scale(domain=list(lines), range=values))
        for channel, values in ((alt.Color, colours), (alt.StrokeDash, dashes))
    ]  # fmt: skip
