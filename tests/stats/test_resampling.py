"""Random trials: independent streams, and progress."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield as cf
from cranfield.stats.families import compare_pairs
from cranfield.stats.resampling import CELLS, check_trials, run_in_chunks
from tests.stats.made import TOPICS_RUNS

# Random streams


def test_chunks_of_one_seed_are_not_chunks_of_another() -> None:
    """Seed 0's second chunk is not seed 1's first: results of two seeds are independent."""
    first, second = (run_in_chunks(lambda random, size: random.random(), 2, seed, cells=CELLS) for seed in (0, 1))
    assert not set(first) & set(second)


def test_nobody_waits_for_so_many_trials() -> None:
    with pytest.raises(cf.CranfieldError, match=r"found 1,000,000,000,\d+ trials, expected at most"):
        check_trials(10**12, 0)


@pytest.mark.parametrize(("trials", "seed"), [(True, 0), (10, False)])
def test_yes_and_no_are_no_numbers_of_trials(trials: object, seed: object) -> None:
    with pytest.raises(cf.CranfieldError, match="integer"):
        check_trials(trials, seed)


@pytest.mark.parametrize("test", ["randomised-tukey", "randomisation"])
def test_progress_is_told_of_every_trial(test: str) -> None:
    told: list[int] = []
    x = np.random.default_rng(0).random((30, 3))
    compare_pairs(x, test, trials=200, progress=told.append, axes=TOPICS_RUNS)
    assert sum(told) == (200 if test == "randomised-tukey" else 3 * 200)
