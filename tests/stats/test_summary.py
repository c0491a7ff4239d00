"""Summaries of scores: by hand and by SciPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cranfield.errors import CranfieldError
from cranfield.stats.summary import summarise
from tests.evidence import checks


class TestSummary:
    @checks("cf.stats.summarise", against="by hand")
    def test_by_hand(self) -> None:
        """0.1, 0.2, 0, 0.5: √(0.14 / 3) = 0.2160; ⁴√(0.1 · 0.2 · 0.001 · 0.5) = 0.0562."""
        found = summarise([0.1, 0.2, 0.0, 0.5], floor=0.001, quantiles=(0, 0.5, 0.9))
        assert (found.n, found.floor) == (4, 0.001)
        assert found.mean == pytest.approx(0.2)
        assert found.std == pytest.approx(math.sqrt(0.14 / 3))
        assert found.gmean == pytest.approx(0.00001**0.25)
        assert found.median == pytest.approx(0.15)
        # the share 0.9 of three steps is 2.7: 0.7 of the way from 0.2 to 0.5
        assert found.quantiles == pytest.approx({0: 0.0, 0.5: 0.15, 0.9: 0.41})

    @checks("cf.stats.summarise interval", against="SciPy")
    def test_intervals_are_scipy_s(self) -> None:
        from scipy.stats import t

        x = np.random.default_rng(8).random(15)
        low, high = t.interval(0.9, 14, x.mean(), x.std(ddof=1) / math.sqrt(15))
        interval = summarise(x, confidence=0.9).interval
        assert (interval.low, interval.high) == pytest.approx((low, high))
        drawn = summarise(x, method="percentile", trials=500, seed=3).interval
        assert (drawn.method, drawn.trials, drawn.seed) == ("percentile", 500, 3)
        assert drawn.low < x.mean() < drawn.high

    def test_one_topic(self) -> None:
        found = summarise({"all": 0.5})
        assert (found.mean, found.median) == (0.5, 0.5)
        assert math.isnan(found.std)
        assert math.isnan(found.interval.low)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (([],), "found 0 topics, expected at least 1"),
            (([0.1, math.nan],), "finite numbers"),
            (([0.1], -1), "found floor=-1, expected a number above 0"),
            (([0.1], 0.1, [2]), "found quantile 2, expected a number in \\[0, 1\\]"),
            (([0.1], 0.1, [0.5], 1.5), "found confidence=1.5"),
            (([0.1], 0.1, [0.5], 0.5, "BCa"), "found method='BCa'"),
        ],
    )
    def test_refused(self, arguments: tuple[Any, ...], message: str) -> None:
        with pytest.raises(CranfieldError, match=message):
            summarise(*arguments)
