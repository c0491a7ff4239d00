"""Analysis of variance of scores: effects of systems and topics.

Tukey's test, effect sizes and topic set size design use `residual.mean_square` of `two_way`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, to_list
from cranfield.lazy_imports import special
from cranfield.scores import Scores
from cranfield.stats.samples import (
    Axes,
    Sample,
    Systems,
    Topics,
    mean,
    to_array,
    to_matrix,
)
from cranfield.wording import suggest_keywords

__all__ = ["Anova", "one_way", "two_way"]

NORMAL = "residuals are independent and normal, with the same variance everywhere"


@dataclass(frozen=True)
class Variance:
    """Row of the table: variation of a source. The residual has no F and no p."""

    source: str
    sum_of_squares: float
    df: int
    mean_square: float
    F: float | None = None
    pvalue: float | None = None


@dataclass(frozen=True, repr=False)
class Anova:
    """Table of an analysis of variance: a row for each source, the residual last.

    F is the mean square of a source divided by the mean square of the residual. The p-value is the
    probability of this F or a larger one if the source has no effect. ``anova["systems"]`` is the
    row of the systems.
    """

    test: str
    rows: tuple[Variance, ...]
    assumed: str = NORMAL

    def __getitem__(self, source: str) -> Variance:
        for row in self.rows:
            if row.source == source:
                return row
        raise InputError(f"source {source!r}", ", ".join(row.source for row in self.rows))

    @property
    def residual(self) -> Variance:
        """Unexplained variation. Its mean square estimates the variance of scores."""
        return self.rows[-1]

    def __repr__(self) -> str:
        total = math.fsum(row.sum_of_squares for row in self.rows)
        lines = [f"{'source':<12}{'sum of squares':>15}{'df':>7}{'mean square':>13}{'F':>11}  p"]
        for row in self.rows:
            line = f"{row.source:<12}{row.sum_of_squares:>15.4f}{row.df:>7}{row.mean_square:>13.4f}"
            if row.F is not None and row.pvalue is not None:
                p = "<0.0001" if row.pvalue < 0.0001 else f"{row.pvalue:.4f}"
                line += f"{row.F:>11.4f}  {p}"
            lines.append(line)
        lines.append(f"{'total':<12}{total:>15.4f}{sum(row.df for row in self.rows):>7}")
        return "\n".join([self.test, *lines])


@suggest_keywords
def one_way(groups: Scores | Mapping[str, Sample] | Sequence[Sample] | Floats, axes: Axes | None = None) -> Anova:
    """Compute a one-way analysis of variance of groups of scores, each of any size.

    `groups` are ``{name: scores}``, a list of the scores of each group, Scores of one measure (each
    run is a group), or an array with its `axes`, ``("topics", "runs")`` or ``("runs", "topics")``.

    SS_groups = Σ_j n_j (x̄_j − x̄)²,   SS_residual = Σ_j Σ_i (x_ij − x̄_j)²
    F = (SS_groups / (m − 1)) / (SS_residual / (N − m))

    There are m groups with N scores in total. Assumes that scores are independent, so that groups
    have different topics, and normal, with the same variance in every group.

    Reference: Sakai 2018, Laboratory Experiments in Information Retrieval, Springer.

    >>> one_way({"a": [1, 2, 3], "b": [3, 4, 5]})  # means 2 and 4
    one-way ANOVA
    source       sum of squares     df  mean square          F  p
    groups               6.0000      1       6.0000     6.0000  0.0705
    residual             4.0000      4       1.0000
    total               10.0000      5
    """
    samples: Any = groups
    if isinstance(groups, Scores | np.ndarray) or axes is not None:
        scores_matrix = to_matrix(samples, axes=axes, least=1, systems=1)
        samples = dict(zip(scores_matrix.systems, scores_matrix.values.T, strict=True))
    if not isinstance(samples, Mapping):
        group_list = to_list("groups", samples, "{group: numbers}, or lists of numbers")
        samples = {str(j): x for j, x in enumerate(group_list, 1)}
    by_name: Mapping[str, Any] = samples
    values = [to_array(x, f"group {name}") for name, x in by_name.items()]
    if len(values) < 2:
        raise InputError(f"{len(values)} groups", "at least 2")
    for name, x in zip(by_name, values, strict=True):
        if not len(x):
            raise InputError.from_problem(f"group {name} has no scores")
    all_scores = np.concatenate(values)
    if len(all_scores) <= len(values):
        raise InputError.from_problem("every group has one score", "Add scores to a group.")
    grand = mean(all_scores)
    between_groups = math.fsum(len(x) * (mean(x) - grand) ** 2 for x in values)
    within_groups = math.fsum(_sum_squares(x - mean(x)) for x in values)
    return _build_table(
        "one-way ANOVA",
        {"groups": (between_groups, len(values) - 1)},
        (within_groups, len(all_scores) - len(values)),
    )


@suggest_keywords
def two_way(scores: Systems, topics: Topics = "same", axes: Axes | None = None) -> Anova:
    """Compute a two-way analysis of variance without replication.

    There is one score for each topic and system.

    SS_systems = n Σ_j (x̄_·j − x̄)²,   SS_topics = m Σ_i (x̄_i· − x̄)²
    SS_residual = Σ_i Σ_j (x_ij − x̄_i· − x̄_·j + x̄)², with (n − 1)(m − 1) degrees of freedom

    Assumes that the effects of topics and systems add up, and that residuals are independent and
    normal with the same variance. `scores` are Scores of one measure, ``{system: {topic: score}}``,
    or an array with its `axes`, ``("topics", "runs")`` or ``("runs", "topics")``.

    Reference: Sakai 2018, Laboratory Experiments in Information Retrieval, Springer.

    >>> two_way([[1, 2], [3, 6]], axes=("topics", "runs"))  # means of topics 1.5 and 4.5
    two-way ANOVA without replication
    source       sum of squares     df  mean square          F  p
    systems              4.0000      1       4.0000     4.0000  0.2952
    topics               9.0000      1       9.0000     9.0000  0.2048
    residual             1.0000      1       1.0000
    total               14.0000      3
    """
    values = to_matrix(scores, topics, axes).values
    n, m = values.shape
    of_systems, of_topics, grand = _compute_effects(values)
    rest = values - grand - of_topics[:, None] - of_systems
    return _build_table(
        "two-way ANOVA without replication",
        {
            "systems": (n * _sum_squares(of_systems), m - 1),
            "topics": (m * _sum_squares(of_topics), n - 1),
        },
        (_sum_squares(rest), (m - 1) * (n - 1)),
    )


def _compute_effects(cells: Floats) -> tuple[Floats, Floats, float]:
    """Return effects of systems (columns) and topics (rows), and the grand mean."""
    grand = mean(cells.ravel())
    of_systems, of_topics = (np.array([*map(mean, x)]) - grand for x in (cells.T, cells))
    return of_systems, of_topics, grand


def _sum_squares(x: Floats) -> float:
    return math.fsum((x * x).ravel())


def _build_table(test: str, effects: Mapping[str, tuple[float, int]], residual: tuple[float, int]) -> Anova:
    """Build the table from sums of squares and degrees of freedom."""
    rest = Variance("residual", *residual, residual[0] / residual[1])
    rows = []
    for source, (squares, df) in effects.items():
        mean_square = squares / df
        # No residual variance: any effect is certain, and F of no effect is undefined.
        certain = math.inf if mean_square > 0 else math.nan
        F = mean_square / rest.mean_square if rest.mean_square > 0 else certain
        rows.append(Variance(source, squares, df, mean_square, F, float(special.fdtrc(df, rest.df, F))))
    return Anova(test, (*rows, rest))
