"""Analysis of variance: by hand, by SciPy, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.errors import InputError
from cranfield.stats.anova import one_way, two_way
from cranfield.stats.paired import t_test
from tests.evidence import checks
from tests.stats.made import TOPICS_RUNS, close, normal

# -- analysis of variance -------------------------------------------------------------------------


@checks("cf.stats.one_way", against="SciPy")
def test_one_way_is_scipy() -> None:
    from scipy.stats import f_oneway

    for seed in range(5):
        random = np.random.default_rng(seed)
        groups = [random.normal(j / 2, size=size) for j, size in enumerate((3, 9, 5, 1))]
        row, scipy = one_way(groups)["groups"], f_oneway(*groups)
        expected = (float(scipy.statistic), float(scipy.pvalue))
        assert (row.F, row.pvalue) == close(expected, rel=1e-12)


@checks("cf.stats.two_way", against="property")
def test_two_way_of_two_systems_is_the_square_of_t() -> None:
    x, y = normal(15, 2, seed=4).T
    row, t = two_way({"x": x, "y": y})["systems"], t_test(x, y)
    assert (row.F, row.pvalue) == close((t.statistic**2, t.pvalue), rel=1e-12)


@checks("cf.stats.two_way", against="by hand")
def test_two_way_by_hand() -> None:
    """Three topics, three systems; grand mean 4.

    Means of systems 2, 3, 7: 3 (4 + 1 + 9) = 42. Means of topics 3, 4, 5: 3 (1 + 0 + 1) = 6.
    Residuals x − 4 − topic − system, by topic: 1 −1 0, −1 1 0, 0 0 0, of squares 4.
    F = (42/2) / (4/4) = 21 and (6/2) / 1 = 3. With two degrees of freedom above and four below,
    p = (1 + F/2)^−2: 1/11.5² and 1/2.5².
    """
    found = two_way([[2, 1, 6], [1, 4, 7], [3, 4, 8]], axes=TOPICS_RUNS)
    assert [row.sum_of_squares for row in found.rows] == close([42, 6, 4])
    assert [row.df for row in found.rows] == [2, 2, 4]
    systems, topics, residual = found.rows
    assert (systems.F, systems.pvalue) == close((21, 1 / 11.5**2))
    assert (topics.F, topics.pvalue) == close((3, 1 / 2.5**2))
    assert (residual.F, residual.pvalue) == (None, None)


def test_nothing_is_left_to_chance() -> None:
    found = two_way([[1, 2], [3, 4]], axes=TOPICS_RUNS)
    assert (found["systems"].F, found["systems"].pvalue) == (math.inf, 0)
    same = two_way([[1, 1], [3, 3]], axes=TOPICS_RUNS)["systems"]
    assert same.F is not None
    assert math.isnan(same.F)


def test_what_analysis_of_variance_refuses() -> None:
    with pytest.raises(InputError, match="1 groups, expected at least 2"):
        one_way([[1, 2, 3]])
    with pytest.raises(InputError, match="group b has no scores"):
        one_way({"a": [1, 2], "b": []})
    with pytest.raises(InputError, match="every group has one score"):
        one_way([[1], [2]])
    with pytest.raises(InputError, match="Use topics='common'"):
        two_way({"a": {"1": 1, "2": 2, "3": 3}, "b": {"1": 1, "2": 2}})
    with pytest.raises(InputError, match="source 'topic'"):
        two_way([[1, 2], [3, 4]], axes=TOPICS_RUNS)["topic"]


def test_one_way_takes_columns_as_groups() -> None:
    x = np.random.default_rng(4).random((20, 4))
    assert cf.stats.one_way(x, axes=TOPICS_RUNS).rows[0].df == 3
    assert pytest.approx(stats.f_oneway(*x.T).statistic) == cf.stats.one_way(x, axes=TOPICS_RUNS).rows[0].F


def test_two_way_replicated_was_removed_error_names_crossed() -> None:
    with pytest.raises(AttributeError, match=r"two_way_replicated was removed.*Use cf.stats.crossed or cf.compare"):
        getattr(cf.stats, "two_way_replicated")  # noqa: B009 (mypy knows that it is missing)
    with pytest.raises(AttributeError, match="has no attribute 'two_way_replicate'"):
        getattr(cf.stats, "two_way_replicate")  # noqa: B009
