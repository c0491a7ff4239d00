"""Numbers that tests of several modules share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

TOPICS_RUNS = ("topics", "runs")

close = pytest.approx


def normal(n: int, m: int, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(n, m))


numbers = st.lists(st.integers(0, 1000), min_size=4, max_size=12).map(lambda x: [value / 1000 for value in x])
