"""Stability of rankings: samples against measures, long rows, and the curves as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.meta.stability import Stability
from cranfield.report.correlation import TITLES
from cranfield.report.discriminative import HEIGHT, LEGEND, WIDTH, apart
from cranfield.report.pictures import Picture, altair, rows_of, shortened
from cranfield.report.places import finished
from cranfield.report.sheets import Field, Sheet, interval_fields, percent, with_interval
from cranfield.wording import counted

if TYPE_CHECKING:
    import polars as pl

TABLES = ("sizes", "points")
BANDS = 3  # measures whose intervals are drawn: more would hide each other


def sheets(found: Stability) -> list[Sheet]:
    """Sizes against measures, for people; and a row for each measure and size."""
    curves = {measure: found[measure] for measure in found.measures}
    sizes = sorted({point.size for point in found.points})
    fields = []
    for measure, points in curves.items():
        by_size = {p.size: with_interval(p.mean, p.low, p.high) for p in points}
        fields.append(Field(measure, None, texts=[by_size.get(size, "–") for size in sizes]))
    head = "topics" if found.sampled == "topics" else "share of judgments"
    key = Field(head, None, texts=[f"{size:g}" for size in sizes], key=True)
    rows = _rows(found)
    points_sheet = Sheet(
        "points",
        [
            Field("measure", [row["measure"] for row in rows], key=True),
            Field("size", [row["size"] for row in rows], head, [f"{r['size']:g}" for r in rows]),
            Field("mean", [row["mean"] for row in rows]),
            *interval_fields([(row["low"], row["high"]) for row in rows], found.confidence),
            *(
                Field(name, [value] * len(rows), people=False)
                for name, value in settings(found).items()
            ),
        ],
        caption(found),
    )
    return [Sheet("sizes", [key, *fields], caption(found)), points_sheet]


def settings(found: Stability) -> dict[str, Any]:
    """What was done, for programs: what captions tell in words."""
    return {
        "sampled": found.sampled,
        "statistic": found.statistic,
        "against": found.against,
        "replacement": found.replacement,
        "confidence": found.confidence,
        "runs": len(found.runs),
        "topics": found.topics,
        "trials": found.trials,
        "seed": found.seed,
    }


def caption(found: Stability) -> str:
    """What was drawn, compared, and how often."""
    return (
        f"{TITLES[found.statistic]} between the rankings of {counted(len(found.runs), 'run')} "
        f"{_compared(found)}: mean, and where the middle {percent(found.confidence)} of the trials "
        f"are; {_drawn(found)}."
    )


def _compared(found: Stability) -> str:
    if found.sampled == "judgments":
        return "with a random part of the judgments and with all"
    again = " with replacement" if found.replacement else ""
    if found.against == "others":
        return "on a random sample of topics and on as many others"
    return f"on a random sample of topics{again} and on all"


def _drawn(found: Stability) -> str:
    trials = counted(found.trials, "trial")
    return f"{counted(found.topics, 'topic')} ({trials}, seed {found.seed})"


def _rows(found: Stability) -> list[dict[str, Any]]:
    return [
        {
            "measure": point.measure,
            "size": point.size,
            "mean": point.mean,
            "low": point.low,
            "high": point.high,
        }
        for point in found.points
    ]


# -- the picture --------------------------------------------------------------------------------


def picture(found: Stability) -> Picture:
    """The mean of the statistic against the size of the sample, a line for each measure.

    Of a few measures the intervals are bands.
    """
    import polars as pl

    data = pl.DataFrame(_rows(found))
    return Picture(lambda: _chart(found, data), data, found.notices)


def _chart(found: Stability, data: pl.DataFrame) -> Any:
    import polars as pl

    alt = altair()
    names = list(found.measures)
    lines = shortened(names, LEGEND)
    line = pl.col("measure").replace_strict(names, lines, return_dtype=pl.String)
    topics = found.sampled == "topics"
    x = alt.X(
        "size:Q",
        title="topics in a sample" if topics else "share of the judgments",
        axis=alt.Axis(grid=False, format="d" if topics else "%"),
        scale=alt.Scale(zero=False, nice=False, padding=6),
    )
    colour, dash = apart(lines, "measure")
    base = alt.Chart(rows_of(data.with_columns(line=line))).encode(x, colour)
    title = f"{TITLES[found.statistic]}, mean of {counted(found.trials, 'trial')}"
    value = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    tooltip = [
        alt.Tooltip("measure:N"),
        alt.Tooltip("size:Q", format="" if topics else "%"),
        *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "low", "high")),
    ]
    layers = [
        base.mark_line().encode(value, dash),
        base.mark_point(filled=True, size=25).encode(value, tooltip=tooltip),
    ]
    told = [_drawn(found)]
    if len(names) <= BANDS:
        band = base.mark_area(opacity=0.13)
        layers.insert(0, band.encode(alt.Y("low:Q", title=title), alt.Y2("high:Q")))
        told.append(f"bands: the middle {percent(found.confidence)} of the trials")
    chart = alt.layer(*layers).properties(
        width=WIDTH,
        height=HEIGHT,
        title={"text": f"Rankings of {counted(len(found.runs), 'run')} {_compared(found)}",
               "subtitle": told},
    )  # fmt: skip
    return finished(chart, "")
