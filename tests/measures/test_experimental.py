"""Measures of trec_eval that are tried out: the ideal list goes on."""

from __future__ import annotations

import numpy as np

from cranfield.measures.experimental import extend_cumulated


def test_what_is_added_past_the_end_of_the_ideal_list() -> None:
    ranks = np.array([[1, 2, 4]])
    assert extend_cumulated(np.array([[5.0, 7.0]]), ranks, 1.0).tolist() == [[5, 7, 9]]
    assert extend_cumulated(np.zeros((1, 0)), ranks, 1.0).tolist() == [[1, 2, 4]]
