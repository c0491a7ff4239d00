"""Do two measures, or two sets of judgments, rank runs alike?

Draw the mean of each run by one measure against another, or by one set of judgments against
another, a point for each run, with a rank correlation and its interval above.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.evaluate import RunsLike
from cranfield.meta.correlation import TRIALS, correlation
from cranfield.meta.rankings import P
from cranfield.plot.kinds import Drawing, Figure, JudgmentsOrScores, scored, shows_drawing
from cranfield.report import options
from cranfield.report.look import Look
from cranfield.report.meta.correlation import scatters
from cranfield.report.pictures import Picture

__all__ = ["agreement"]

MEASURES = "AP nDCG@10"


@shows_drawing
def agreement(
    qrels: JudgmentsOrScores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    others: JudgmentsOrScores | None = None,
    names: Sequence[str] = ("the first set", "the second set"),
    statistic: str = "kendall",
    p: float = P,
    confidence: float = 0.95,
    trials: int = TRIALS,
    **drawing: Unpack[Drawing],
) -> Picture:
    """A figure of the means of runs by one measure against another, or by two sets of judgments.

    qrels, runs, measures
        Judgments, runs and measures, as `evaluate` takes them; or, alone, scores, as `compare`
        does. Every two measures have a panel.
    others, names
        Other judgments of the same runs, or other scores of them: each measure then has a panel,
        and the figure calls the two sets by these names.
    statistic, p, confidence, trials
        How the rankings are compared, as `cf.meta.correlation` takes them.

    >>> from cranfield import Scores
    >>> values = [[[0.9, 0.8], [0.7, 0.6]], [[0.4, 0.1], [0.6, 0.3]]]
    >>> picture = agreement(Scores(values, ["a", "b"], ["1", "2"], ["AP", "Q"], ["mean"] * 2))
    >>> [(run, round(x, 4), round(y, 4)) for *_, run, x, y in picture.data.rows()]
    [('a', 0.8, 0.7), ('b', 0.5, 0.2)]
    """
    look, given = Look.of(drawing)
    scores = scored(qrels, runs, measures, given, MEASURES)
    second = None if others is None else scored(others, runs, measures, given, MEASURES)
    drawn = {name: given[name] for name in ("seed", "threads") if name in given}
    asked = (statistic, None, p, confidence, trials)
    return scatters(correlation(scores, second, *asked, names=names, **drawn), look)


FIGURE = Figure(
    __doc__,
    place=6,
    function=agreement,
    options={
        "--qrels2 FILE": "other judgments: each measure by QRELS against itself by these",
        **options.statistic(),
        "--p P with --statistic rbo": f"how deep it looks (default: {P})",
        **options.confidence(),
        **options.trials(TRIALS, "random draws of topics, for intervals"),
    },
    gallery={"agreement": '-m "AP nDCG@10"'},
    measures=MEASURES,
    least=2,
)
