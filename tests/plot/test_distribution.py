"""Boxes and points."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import cranfield as cf
from tests.made import scored, simulated
from tests.plot.made import marks_of, panels_of, rows_of


def test_points_are_the_scores_and_boxes_their_quartiles() -> None:
    """Quartiles as NumPy has them (type 7)."""
    scores = simulated(3, topics=11)
    (panel,) = panels_of(cf.plot.distribution(scores))
    found = {(row["run"], row["topic"]): row["score"] for row in rows_of(panel)}
    assert found == {(r, t): scores[r, t, "AP"] for r in scores.runs for t in scores.topics}
    boxes = rows_of(panel, marks_of(panel).index("bar"))
    for row in boxes:
        values = scores.values[scores.runs.index(row["run"]), :, 0]
        names = ("lowest", "quartile", "median", "upper_quartile", "highest")
        assert [row[name] for name in names] == pytest.approx(np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
    assert len(boxes) == 3


def test_undefined_scores_are_no_points() -> None:
    scores = scored([[0.1, np.nan, 0.5]], ("a",), undefined="skip")
    (panel,) = panels_of(cf.plot.distribution(scores))
    assert [row["score"] for row in rows_of(panel)] == [0.1, 0.5]
    assert rows_of(panel)[0]["median"] == pytest.approx(0.3)


def test_distribution_many_points_omitted_with_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[cf.plot.distribution.__module__], "MOST_POINTS", 9)
    picture = cf.plot.distribution(simulated(2, topics=5))
    assert "point" not in marks_of(panels_of(picture)[0])
    assert "10 scores are too many for points: only boxes are drawn" in picture.notes[-1].text
