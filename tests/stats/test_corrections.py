"""Corrections of p-values: by hand, a published example, SciPy."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.errors import InputError
from cranfield.stats.corrections import (
    CORRECTIONS,
    benjamini_hochberg,
    bonferroni,
    family_wise_error,
    holm,
    keep_pvalues,
)
from tests.evidence import checks
from tests.stats.made import close

# -- corrections ----------------------------------------------------------------------------------

pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@checks("cf.stats.family_wise_error", against="Sakai 2014")
def test_family_wise_error() -> None:
    """Sakai 2014, section 4.4: 1 − (1 − α)^k; simulated, too, with tests that are independent."""
    for tests in (1, 3, 45):
        assert family_wise_error(tests, 0.05) == close(1 - 0.95**tests)
    assert family_wise_error(10**9, 1e-12) == close(1 - math.exp(-1e-3))  # and not 0
    drawn = np.random.default_rng(0).random((40_000, 10))
    share = float((drawn.min(axis=1) <= 0.05).mean())
    assert abs(share - family_wise_error(10)) < 0.01
    wrong: list[tuple[Any, Any]] = [(0, 0.05), (1.5, 0.05), (True, 0.05), (3, 0), (3, 1), (3, None)]
    for tests, alpha in wrong:
        with pytest.raises(InputError, match="expected a"):
            family_wise_error(tests, alpha)


@checks("cf.stats.holm", "cf.stats.bonferroni", "cf.stats.benjamini_hochberg", against="by hand")
def test_corrections_by_hand() -> None:
    """In rising order 0.005, 0.01, 0.03, 0.04.

    Holm: 4 · 0.005, 3 · 0.01, 2 · 0.03, and 1 · 0.04, which may not be less than the one before.
    Benjamini and Hochberg: 4/4 · 0.04, 4/3 · 0.03 = 0.04, 4/2 · 0.01 = 0.02, 4/1 · 0.005 = 0.02.
    """
    p = [0.01, 0.04, 0.03, 0.005]
    assert bonferroni(p).pvalues.tolist() == close([0.04, 0.16, 0.12, 0.02])
    assert holm(p).pvalues.tolist() == close([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p).pvalues.tolist() == close([0.02, 0.04, 0.04, 0.02])
    assert keep_pvalues(p).pvalues.tolist() == p


@checks("cf.stats.benjamini_hochberg", against="Benjamini and Hochberg 1995")
def test_example_of_benjamini_and_hochberg() -> None:
    """Their section 4: of 15 hypotheses Bonferroni rejects three at 0.05, their procedure four."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262]
    p += [0.5719, 0.6528, 0.7590, 1.0]
    assert bonferroni(p).rejected(0.05).tolist() == [True] * 3 + [False] * 12
    assert benjamini_hochberg(p).rejected(0.05).tolist() == [True] * 4 + [False] * 11


@checks("cf.stats.benjamini_hochberg", against="SciPy")
@given(pvalues)
def test_false_discoveries_as_in_scipy(p: list[float]) -> None:
    from scipy.stats import false_discovery_control

    assert benjamini_hochberg(p).pvalues == close(false_discovery_control(p), rel=1e-12)


@checks("cf.stats.holm", "cf.stats.bonferroni", against="statsmodels")
@given(pvalues)
def test_holm_and_bonferroni_as_in_statsmodels(p: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for name, corrected in (("holm", holm), ("bonferroni", bonferroni)):
        theirs = multitest.multipletests(p, method=name)[1]
        assert list(corrected(p).pvalues) == pytest.approx(theirs.tolist(), abs=1e-12)


@checks("cf.stats.holm", "cf.stats.bonferroni", "cf.stats.benjamini_hochberg", against="property")
@given(pvalues)
def test_how_corrections_compare(p: list[float]) -> None:
    """Each is stricter than the next; none changes the order, or goes beyond 1."""
    found = [CORRECTIONS[name](p).pvalues for name in ("bonferroni", "holm", "bh", "none")]
    for stricter, other in pairwise(found):
        assert (stricter >= other - 1e-15).all()
    for adjusted in found:
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert (found[1] <= 0.05).any() == (len(p) * min(p) <= 0.05)


@given(pvalues, st.sampled_from(sorted(CORRECTIONS)))
def test_tests_that_were_not_done_do_not_count(p: list[float], name: str) -> None:
    alone, beside = CORRECTIONS[name](p), CORRECTIONS[name]([math.nan, *p, math.nan])
    assert (beside.size, beside.correction) == (len(p), name)
    assert np.isnan(beside.pvalues[[0, -1]]).all()
    assert beside.pvalues[1:-1].tolist() == alone.pvalues.tolist()
    assert beside.rejected(1.0).tolist() == [False, *[True] * len(p), False]


def test_what_corrections_refuse() -> None:
    with pytest.raises(InputError, match=r"a p-value of 1\.5"):
        holm([0.1, 1.5])
    with pytest.raises(InputError, match=r"shape \(1, 2\)"):
        bonferroni([[0.1, 0.2]])
    assert holm([]).size == 0
    with pytest.raises(InputError, match=r"found p-values \['small'\], expected a sequence of num"):
        holm(["small"])


def test_significant_is_at_most_5_percent_unless_said() -> None:
    found = keep_pvalues([0.04, 0.05, 0.06])
    assert found.rejected().tolist() == [True, True, False]
    assert found.rejected(0.01).tolist() == [False, False, False]


@pytest.mark.parametrize("name", CORRECTIONS)
def test_family_wise_is_what_needs_a_smaller_p_the_more_tests_there_are(name: str) -> None:
    """Four tests with p = 0.05 each: Benjamini and Hochberg reject all of them, Holm none."""
    correction = CORRECTIONS[name]
    assert correction([0.05 / 4] * 4).rejected().all()
    assert correction([0.05] * 4).rejected().any() == (not correction.family_wise)
