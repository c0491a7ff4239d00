"""Two samples whose scores are not paired; most of it is tested beside those that are."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.stats.unpaired import unpaired_bootstrap, welch


def test_samples_that_do_not_vary_have_the_degrees_of_freedom_of_student_s_test() -> None:
    """3 + 4 − 2: with variances of 0, Welch's are 0/0."""
    outcome = welch([0.5] * 3, [0.2] * 4)
    assert outcome.df == 5
    assert [note.kind for note in outcome.notes] == ["constant"]


def test_a_function_that_takes_an_axis_is_given_all_trials_at_once() -> None:
    calls = []

    def lowest(values: Any, axis: int | None = None) -> Any:
        calls.append(axis)
        return np.min(values, axis=axis)

    unpaired_bootstrap([0.1, 0.3, 0.4], [0.2, 0.0], lowest, trials=200)
    assert set(calls) == {1}
    assert len(calls) < 10
