"""The matrix of pairs: its numbers are those of `compare`."""

from __future__ import annotations

import pytest

import cranfield as cf
from cranfield.plot.pairs import _format_level
from tests.made import simulated
from tests.plot.made import marks_of, panels_of, rows_of


def test_p_values_above_and_effects_below() -> None:
    scores = simulated(4, gap=0.02)
    found = cf.compare(scores)
    (panel,) = panels_of(cf.plot.pairs(scores))
    above, below = (rows_of(panel, i) for i, m in enumerate(marks_of(panel)) if m == "rect")
    names = {(p.run, p.other): p for p in found.pairs}
    assert {(row["label"], row["at"]): row["pvalue"] for row in above} == {pair: p.pvalue for pair, p in names.items()}
    assert {(row["at"], row["label"]): -row["effect"] for row in below} == {
        pair: pytest.approx(p.effect) for pair, p in names.items()
    }
    texts = [rows_of(panel, i) for i, m in enumerate(marks_of(panel)) if m == "text"]
    assert [row["shown_p"] for row in texts[0]] == [found.shown_p(p) for p in found.pairs]
    assert [row["text"].replace("−", "-") for row in texts[1]] == [f"{-p.effect:+z.2f}" for p in found.pairs]


def test_many_cells_have_no_room_for_texts() -> None:
    (panel,) = panels_of(cf.plot.pairs(simulated(16, topics=5), trials=99))
    assert marks_of(panel) == ["rect", "rect"]


@pytest.mark.parametrize(
    ("pvalue", "alpha", "level"),
    [(0.0004, 0.05, "p ≤ 0.001"), (0.01, 0.05, "p ≤ 0.01"), (0.02, 0.05, "p ≤ 0.05"),
     (0.051, 0.05, "p > 0.05"), (0.0004, 0.0005, "p ≤ 0.0005"), (0.002, 0.0005, "p > 0.0005")],
)  # fmt: skip
def test_levels(pvalue: float, alpha: float, level: str) -> None:
    assert _format_level(pvalue, alpha) == level
