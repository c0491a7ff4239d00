"""How does a score change with the cutoff, or precision with recall?

Draw measures, which are named without a cutoff, against their cutoffs: a line for each run, a panel
for each measure; of IPrec the recall-precision curve. Bands are confidence intervals of the means.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from cranfield.data.qrels import QrelsLike
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.cutoffs import CURVE, Curves, Point, curves
from cranfield.evaluation.evaluate import RunsLike
from cranfield.late import pl
from cranfield.plot.kinds import Drawing, Figure, axis_title, frame, shows_drawing, undefined
from cranfield.report import by_rank, charts, options
from cranfield.report.by_rank import Lines
from cranfield.report.look import Look
from cranfield.report.pictures import Picture, alt
from cranfield.report.sheets import percent, topics_text

__all__ = ["curve"]

IN_A_ROW = 2


@shows_drawing
def curve(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    cutoffs: Iterable[float] | None = None,
    band: bool = False,
    confidence: float = 0.95,
    **drawing: Unpack[Drawing],
) -> Picture:
    """A figure of measures against their cutoffs, a line for each run, a panel for each measure.

    qrels, runs, measures
        Judgments, runs and measures, as `evaluate` takes them. Measures have no cutoff here; of
        IPrec, the measure if none is named, it is the recall-precision curve.
    cutoffs
        The ranks, or recalls of IPrec, at which points are: round ones down to the end of the
        longest list, and recalls 0, 0.1, …, 1, if not given.
    band, confidence
        Whether bands show confidence intervals of the means (Student's t), and how sure they are.

    Of more than eight runs the best ones by the first measure have names.

    >>> picture = curve({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "Recall")
    >>> picture.data.select("run", "at", "value").rows()
    [('run', 1.0, 0.5), ('run', 2.0, 0.5), ('run', 3.0, 1.0)]
    >>> picture.save("curve.pdf")  # doctest: +SKIP
    """
    look, given = Look.of(drawing)
    asked = CURVE if measures is None and given.get("preset") is None else measures
    found = curves(qrels, runs, asked, cutoffs, **given)
    rows = found.points(confidence if band else None)
    data = frame([*rows], Point._fields).with_columns(pl.col("at", "low", "high").cast(pl.Float64))
    data = data.select("measure", "run", "at", "value", "low", "high")
    if not band:
        data = data.drop("low", "high")
    lost = undefined(data, "value")
    lines = Lines.of(_worth(found, data), look, min(IN_A_ROW, len(found.columns)))
    told = [*_told(found, data, confidence), *lines.told("that are best", "run")]
    notices = (*found.scores.notices, *lost, *lines.notices("run"))
    return Picture(lambda: _chart(found, data, lines, told, look), data, notices)


def _worth(found: Curves, data: pl.DataFrame) -> dict[str, float]:
    """How good runs are by the first measure, over all its points."""
    first = next(iter(found.columns.values()))
    place = found.scores.measures.index(next(iter(first.values())))
    sign = -1 if found.scores.better[place] == "lower" else 1
    of_first = data.filter(measure=data["measure"][0])
    means = of_first.group_by("run", maintain_order=True).agg(pl.col("value").mean())
    return {run: sign * mean for run, mean in means.rows()}


SUMMARIES = {"mean": "means", "gmean": "geometric means", "clipped": "means", "sum": "sums"}


def _told(found: Curves, data: pl.DataFrame, confidence: float) -> list[str]:
    """What the values are."""
    drawn = [next(iter(columns.values())) for columns in found.columns.values()]
    kinds = dict(zip(found.scores.measures, found.scores.summaries, strict=True))
    what = " and ".join(dict.fromkeys(SUMMARIES[kinds[column]] for column in drawn))
    of = f"{what.capitalize()} over {topics_text([len(found.scores.topics)])}"
    known = "low" in data.columns and data["low"].drop_nulls().drop_nans().len()
    return [f"{of}, with {percent(confidence)} t intervals." if known else f"{of}."]


def _chart(found: Curves, data: pl.DataFrame, lines: Lines, told: list[str], look: Look) -> Any:
    panels = []
    for measure, columns in found.columns.items():
        own = data.filter(measure=measure).rename({"run": "line"})
        column = next(iter(columns.values()))
        title = axis_title(found.scores, column).replace(column, measure)
        y = by_rank.value_axis(own, title)
        if measure in found.of_recall:
            x = by_rank.recall_axis()
        else:
            x = by_rank.rank_axis(min(columns), max(columns), "cutoff", look)
        tooltip = [
            alt.Tooltip("line:N", title="run"),
            "at:Q",
            *charts.decimals("value", *own.columns[4:]),
        ]
        panels.append(by_rank.panel(own, lines, x, y, tooltip, look))
    return by_rank.figure(panels, IN_A_ROW, look, told)


FIGURE = Figure(
    __doc__,
    place=3,
    function=curve,
    takes="runs",
    measures=CURVE,
    options={
        "--cutoffs X,X,…": "ranks, or recalls of IPrec, that have points (default: round ones down "
        "to the end of the longest list; recalls 0, 0.1, …, 1)",
        "--band": "confidence intervals of the means, as bands",
        "--confidence C with --band": options.told("how sure they are", 0.95),
    },
    gallery={"curve": "-m IPrec --band", "cutoffs": "-m nDCG"},
)
