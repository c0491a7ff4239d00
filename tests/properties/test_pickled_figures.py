"""Figures survive a process pool."""

from __future__ import annotations

import pickle
import re

import pytest

import cranfield as cf
from cranfield.figures.figure import Figure

QRELS = {f"q{i}": {"a": 1, "b": i % 2, "c": 0} for i in range(6)}
RUNS = {
    "x": {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in QRELS},
    "y": {t: {"c": 3.0, "a": 2.0, "d": 1.0} for t in QRELS},
}


def svg_of(picture: Figure) -> str:
    """The figure without the numbers that Vega counts in a process."""
    return re.sub(r"(clip|gradient_)\d+", r"\1", picture.render("svg").decode())


@pytest.mark.parametrize("kind", ["runs", "curve", "topics", "pool", "unjudged"])
def test_pickle_picture_keeps_figure_and_numbers(kind: str) -> None:
    picture = getattr(cf.plot, kind)(QRELS, RUNS)
    copy = pickle.loads(pickle.dumps(picture))  # noqa: S301
    assert copy.data.equals(picture.data)
    assert copy.notes == picture.notes
    assert svg_of(copy) == svg_of(picture)
