"""The answer of a comparison in words."""

from __future__ import annotations

import cranfield as cf
from cranfield.comparison.answer import write_answer

LOW = {str(topic): 0.1 + 0.01 * (topic % 3) for topic in range(20)}
MIDDLE = {str(topic): 0.3 + 0.01 * (topic % 5) for topic in range(20)}
HIGH = {str(topic): 0.5 + 0.01 * (topic % 7) for topic in range(20)}


def test_write_answer_one_pair_states_difference_and_p() -> None:
    comparison = cf.compare({"low": LOW, "high": HIGH}, test="t")
    pair = comparison.pair("high", "low")
    text = write_answer(comparison)
    assert text.startswith(f"By score, high is significantly better than low: {pair.difference:+.4f} [")
    assert text.endswith("p < 0.0001.")


def test_write_answer_equal_runs_is_not_significant() -> None:
    comparison = cf.compare({"a": {"1": 0.2, "2": 0.4, "3": 0.3}, "b": {"1": 0.3, "2": 0.3, "3": 0.3}}, test="t")
    assert " is not significantly different from " in write_answer(comparison)


def test_write_answer_many_runs_counts_significant_pairs() -> None:
    comparison = cf.compare({"low": LOW, "middle": MIDDLE, "high": HIGH}, test="t")
    mean = sum(HIGH.values()) / len(HIGH)
    lead = f"By score, high has the best mean ({mean:.4f})"
    assert write_answer(comparison) == f"{lead} and is significantly better than 2 of 2 other runs (middle, low)."


def test_write_answer_baseline_lists_better_and_worse_runs() -> None:
    comparison = cf.compare({"low": LOW, "middle": MIDDLE, "high": HIGH}, baseline="middle", test="t")
    assert write_answer(comparison) == (
        "By score, 1 of 2 runs is significantly better than middle (high) and 1 is significantly worse (low)."
    )


def test_answer_is_only_in_the_default_table_output() -> None:
    comparison = cf.compare({"low": LOW, "high": HIGH}, test="t")
    assert comparison.as_text().startswith("By score, ")
    assert "By score" not in comparison.to_markdown("runs").splitlines()[0]
    assert "By score, high" not in str(comparison.to_dict()["runs"])


def test_write_answer_too_few_topics_gives_no_verdict() -> None:
    scores = {"a": {"1": 0.2, "2": 0.4, "3": 0.3}, "b": {"1": 0.3, "2": 0.5, "3": 0.6}}
    comparison = cf.compare(scores, test="randomisation")
    assert write_answer(comparison) == (
        "By score, no verdict is possible: 3 topics cannot give a p-value up to α = 0.05."
    )
