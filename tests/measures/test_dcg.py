"""Measures that discount by rank: who has residuals."""

from __future__ import annotations

import cranfield as cf


def test_what_is_divided_by_an_ideal_list_has_no_residual() -> None:
    """Unjudged items would change the ideal list, too."""
    scores = cf.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "nRBP RBP", residuals=True)
    assert scores.measures == ("nRBP", "RBP", "RBP.lower", "RBP.upper")
