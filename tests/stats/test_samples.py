"""Numbers as matrices of topics and systems."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield as cf
from cranfield.stats.samples import matrix


def test_what_is_no_matrix_of_numbers() -> None:
    for wrong in (
        [["a", "b"], ["c", "d"]],
        [[1.0], [1.0, 2.0]],
        np.array([[1e200, 1.0], [2.0, 3.0]]),
    ):
        with pytest.raises(cf.CranfieldError):
            matrix(wrong)
