"""Gates of suites: verdicts by p and by a margin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.comparison.suites import suite
from cranfield.errors import CranfieldError
from cranfield.stats.power import topics_to_decide
from tests.comparison.test_suites import EXAMPLE, SEEDS, SYSTEMS, scores


def draw_slices(loss: float, topics: int = 40) -> dict[str, Any]:
    """Three collections on which b is worse than a by this on one of two slices, and better on the other."""
    random = np.random.default_rng(0)
    collections = {}
    for k in range(3):
        x = random.random(topics).round(3)
        change = np.where(np.arange(topics) % 2, -loss, loss) + random.normal(0, 0.01, topics)
        part = cf.read_scores(scores(a=x, b=x + change))
        slices = {str(t): ("up", "down")[t % 2] for t in range(topics)}
        collections[f"k{k}"] = replace(part, attributes={"kind": slices})
    return collections


def test_suite_gate_interval_equals_worked_numbers() -> None:
    """Example 3 of section 4: difference .106667, standard error .042687, 2.978357 degrees of freedom."""
    result = suite(EXAMPLE, baseline="a", trials=10)
    half = stats.t.ppf(0.95, 2.978357) * 0.042687
    for margin, decision in ((0.21, "pass"), (0.2, "fail")):
        [verdict] = result.gate(margin=margin).verdicts
        assert (verdict.decision, verdict.collections, verdict.topics) == (decision, 3, 12)
        assert (verdict.low, verdict.high) == pytest.approx((-0.106667 - half, -0.106667 + half), abs=1e-5)
        assert (verdict.wins, verdict.ties, verdict.losses) == (0, 0, 3)
    gate = result.gate()
    assert gate.passed  # p is .088
    assert gate.verdicts[0].pvalue == pytest.approx(0.088414, abs=1e-6)
    assert gate.verdicts[0].low == pytest.approx(-0.243078, abs=1e-6)
    assert "b is not significantly worse than a by score on these 3 collections: -0.1067" in gate.lines[0]
    assert gate.lines[0].endswith("3 collections worse and 0 better of 3; a loss of 0.1364 would fail")


def test_suite_gate_undecided_names_the_topics_needed() -> None:
    result = suite(EXAMPLE, baseline="a", alpha=0.01, trials=10)
    gate = result.gate(margin=0.2)
    [verdict] = gate.verdicts
    assert (verdict.decision, gate.passed) == ("undecided", False)
    assert result.gate(0.2, "pass").passed
    assert verdict.needed == topics_to_decide(-0.106667, 12 * 0.042687**2, 0.2, 0.01)
    assert f"about {verdict.needed} topics like these would decide" in gate.lines[0]


def test_suite_gate_lower_is_better_turns_the_verdict() -> None:
    turned = {name: {"a": part["b"], "b": part["a"]} for name, part in EXAMPLE.items()}
    usual = suite(EXAMPLE, baseline="a", trials=10).gate(0.2).verdicts[0]
    lower = suite(turned, baseline="a", lower="score", trials=10).gate(0.2).verdicts[0]
    assert lower.decision == usual.decision
    assert lower.difference == pytest.approx(-usual.difference)
    assert (lower.low, lower.high) == pytest.approx((-usual.high, -usual.low))


def test_suite_gate_one_worse_slice_fails() -> None:
    result = suite(draw_slices(0.05), baseline="a", trials=10)
    gate = result.gate()
    decisions = {verdict.slice: verdict.decision for verdict in gate.verdicts}
    assert decisions == {"": "pass", "up": "pass", "down": "fail"}
    [failed] = gate.failed
    mean = {row.run: row.mean for row in result.slices if row.slice == "down"}
    assert failed.relative == pytest.approx(mean["b"] / mean["a"] - 1)
    assert "on kind down on these 3 collections" in gate.lines[2]
    assert "on slices: paired t-test, Holm" in gate.to_dict()["captions"]["verdicts"]


@pytest.mark.parametrize(
    ("collections", "options", "margin", "message"),
    [
        (EXAMPLE, {"baseline": None}, None, "the suite has no baseline"),
        (SEEDS, {"systems": SYSTEMS, "baseline": "b"}, None, "not defined for systems of several runs"),
        (EXAMPLE, {"standardise": True}, 0.1, "a margin is not defined with standardised differences"),
        (draw_slices(0.1), {}, 0.1, "a margin is not defined with slices of topics"),
        (EXAMPLE, {}, -1, "margin=-1"),
    ],
)
def test_suite_gate_undefined_raises(
    collections: dict[str, Any], options: dict[str, Any], margin: float | None, message: str
) -> None:
    keywords: dict[str, Any] = {"baseline": "a", "trials": 10} | options
    result = suite(collections, **keywords)
    with pytest.raises(CranfieldError, match=message):
        result.gate(margin)


def test_suite_gate_margin_with_clusters_raises() -> None:
    part = cf.read_scores(scores(a=(0.1, 0.5, 0.3, 0.4), b=(0.2, 0.4, 0.1, 0.3)))
    part = replace(part, clusters={str(t): str(t) for t in range(4)})
    result = suite({"x": part, "y": part}, baseline="a", trials=10)
    assert result.gate().verdicts[0].decision == "pass"
    with pytest.raises(CranfieldError, match="a margin is not defined with clusters of topics"):
        result.gate(0.1)
