"""Agreement of two measures, or of two sets of judgments, about runs.

Draw one point per run: its mean by one measure against its mean by another, or its mean by one set
of judgments against the other. The title of a panel gives a rank correlation with its interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from cranfield.evaluation.evaluate import RunsLike
from cranfield.figures.figure import Figure
from cranfield.measures.selection import MeasuresLike
from cranfield.meta.correlation import TRIALS, build_scatter_figure, correlation
from cranfield.meta.rankings import build_statistic_option
from cranfield.options import option
from cranfield.plot.kinds import Drawing, FigureKind, JudgmentsOrScores, add_drawing_options, prepare_scores
from cranfield.runs.overlap import P
from cranfield.stats.options import build_confidence_option, build_trial_options

__all__ = ["agreement"]

MEASURES = "AP nDCG@10"


@add_drawing_options
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
) -> Figure:
    """Plot the means of runs by two measures, or by two sets of judgments.

    qrels, runs, measures
        Judgments, runs and measures as for `evaluate`, or only scores as for `compare`. Every pair
        of measures has a panel.
    others, names
        Other judgments of the same runs, or other scores of them. Each measure then has one panel.
        The names label the two sets.
    statistic, p, confidence, trials
        Comparison of the rankings, as in `cf.meta.correlation`.

    >>> from cranfield import Scores
    >>> values = [[[0.9, 0.8], [0.7, 0.6]], [[0.4, 0.1], [0.6, 0.3]]]
    >>> picture = agreement(Scores(values, ["a", "b"], ["1", "2"], ["AP", "Q"], ["mean"] * 2))
    >>> [(run, round(x, 4), round(y, 4)) for *_, run, x, y in picture.data.rows()]
    [('a', 0.8, 0.7), ('b', 0.5, 0.2)]
    """
    scores, theme, sampling = prepare_scores(qrels, runs, measures, drawing, MEASURES)
    second = None
    if others is not None:
        second, *_ = prepare_scores(others, runs, measures, drawing, MEASURES)
    correlation_options = (statistic, None, p, confidence, trials)
    return build_scatter_figure(correlation(scores, second, *correlation_options, names=names, **sampling), theme)


FIGURE = FigureKind(
    __doc__,
    place=6,
    function=agreement,
    options=(
        option("--qrels2", "FILE", "other judgments: plot each measure by QRELS against FILE"),
        *build_statistic_option(),
        option(
            "--p", "P", f"persistence of RBO (default: {P})", value="number", requires="statistic", requires_value="rbo"
        ),
        *build_confidence_option(),
        *build_trial_options(TRIALS, "random draws of topics for intervals"),
    ),
    gallery={"agreement": '-m "AP nDCG@10"'},
    measures=MEASURES,
    least=2,
)
