"""`cf.plot.diversity`: how relevant runs are against how many intents they cover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.lines import real
from cranfield.errors import InputError
from cranfield.late import pl
from cranfield.measures.grammar import MeasureLike
from cranfield.plot.kinds import column, frame, scores_by
from cranfield.report import diversity as scatters
from cranfield.report.charts import nameless
from cranfield.report.look import POINTS, Look
from cranfield.report.pictures import Picture
from cranfield.scores import Interval, Notice, Scores
from cranfield.wording import counted, some

__all__ = ["diversity"]


def diversity(
    qrels: Scores | QrelsLike,
    runs: Any = None,
    measure: MeasureLike = "D(nDCG)@10",
    against: MeasureLike = "IRec@10",
    *,
    gamma: float = 0.5,
    intervals: bool = False,
    level: float = 0.95,
    zoom: bool = False,
    names: bool = True,
    title: str | None = None,
    width: float | None = None,
    height: float | None = None,
    font_size: float = POINTS,
    grey: bool = False,
    **options: Any,
) -> Picture:
    """A picture of diversified search: relevance against intent recall, a point for each run.

    Who finds more relevant documents is higher, who covers more intents further to the right.
    Runs on the same line have the same D♯-measure, γ·I-rec + (1 − γ)·D-measure.

    qrels, runs
        Judgments and runs, as `evaluate` takes them; or, alone, the scores it has given.
    measure, against
        What is drawn upwards, and what to the right: any two measures.
    gamma
        The share of `against` in the lines.
    intervals, level
        Whether crosses show confidence intervals of both means (Student's t), and how sure they
        are.
    zoom
        Show only where the runs are; else both axes go from 0 to 1.
    names
        Whether points have the names of their runs beside them, where there is room.
    title, width, height, font_size, grey
        How it looks: `cranfield.report.look.Look` explains.

    The other options are those of `evaluate`.

    >>> values = [[[0.5, 0.4], [0.7, 0.2]], [[1.0, 0.2], [0.6, 0.4]]]
    >>> topics, measures = ("q1", "q2"), ("IRec@10", "D(nDCG)@10")
    >>> scores = Scores(values, ("bm25", "mmr"), topics, measures, ("mean", "mean"))
    >>> picture = diversity(scores, gamma=0.75)
    >>> [(run, round(sharp, 4)) for run, *_, sharp in picture.data.rows()]
    [('bm25', 0.525), ('mmr', 0.675)]
    >>> picture.save("diversity.pdf")  # doctest: +SKIP
    """
    share = real(gamma)
    if share is None or not 0 <= share <= 1:
        raise InputError(f"gamma {gamma!r}", "a number from 0 to 1")
    look = Look(title, width, height, font_size, grey)
    scores, columns = scores_by(qrels, runs, (against, measure), options)
    x, y = (column(scores, asked) for asked in columns)
    if x == y:
        raise InputError(f"{x} against itself", "two measures")
    found = scores.interval(confidence=level) if intervals else None
    data = _points(scores, x, y, share, found)
    known = data.drop_nans([x, y])
    if known.is_empty():
        raise InputError(f"no run with both {x} and {y}", "one")
    notices = tuple(scores.notices)
    if lost := [run for run in scores.runs if run not in known["run"]]:
        text = f"{some(lost, 'run')} without a mean of {x} or {y}: not shown"
        notices += (Notice("undefined", text),)
    # charts cannot take names of measures, which hold dots and brackets
    drawn = known.rename(dict(zip(known.columns, DRAWN, strict=False)))
    plane = scatters.plane_of(drawn, x, y, zoom, look)
    named = scatters.named(drawn, plane, share, names)
    if names:
        notices += nameless([named])
    crosses = _intervals(found, x, y) if found else ""
    return Picture(lambda: scatters.scatter(named, plane, share, crosses), data, notices)


_Intervals: TypeAlias = Mapping[str, Mapping[str, Interval]]


DRAWN = ("run", "x", "y", "sharp", "x_low", "x_high", "y_low", "y_high")


def _points(
    scores: Scores, x: str, y: str, gamma: float, intervals: _Intervals | None
) -> pl.DataFrame:
    """Both measures of each run, what they give together, and the ends of their intervals."""
    rows = []
    for run, means in scores.summary().items():
        both = [intervals[run][name] for name in (x, y)] if intervals else []
        sure = [end for one in both for end in (one.low, one.high)]
        rows.append((run, means[x], means[y], gamma * means[x] + (1 - gamma) * means[y], *sure))
    more = [f"{name}.{end}" for name in (x, y) for end in ("low", "high") if intervals]
    return frame(rows, ("run", x, y, "sharp", *more))


def _intervals(intervals: _Intervals, x: str, y: str) -> str:
    """What the crosses are."""
    every = [of_run[name] for of_run in intervals.values() for name in (x, y)]
    least, most = min(one.n for one in every), max(one.n for one in every)
    if most < 2:
        raise InputError(counted(most, "topic"), "two or more for intervals")
    topics = counted(most, "topic") if least == most else f"{least} to {most} topics"
    sure = f"{100 * every[0].confidence:g}% confidence intervals"
    return f"crosses: {sure} of the means over {topics} (Student's t)"
