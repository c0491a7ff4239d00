"""Numbers as matrices of topics and systems."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import cranfield as cf
from cranfield.data.verticals import read_verticals
from cranfield.errors import InputError
from cranfield.scores import Scores
from cranfield.stats.families import TESTS_OF_RUNS
from cranfield.stats.samples import pair_scores, to_array, to_matrix
from tests.stats.made import TOPICS_RUNS


def test_what_is_no_matrix_of_numbers() -> None:
    for wrong in (
        [["a", "b"], ["c", "d"]],
        [[1.0], [1.0, 2.0]],
        np.array([[1e200, 1.0], [2.0, 3.0]]),
    ):
        with pytest.raises(cf.CranfieldError):
            to_matrix(wrong, axes=TOPICS_RUNS)


def test_series_are_paired_by_the_topics_of_their_index() -> None:
    x = pd.Series([0.5, 0.25], index=["301", "302"])
    y = pd.Series([0.5, 0.75], index=["302", "301"])
    assert [one.tolist() for one in pair_scores(x, y)] == [[0.5, 0.25], [0.75, 0.5]]
    assert to_matrix({"x": x, "y": y}).values.tolist() == [[0.5, 0.75], [0.25, 0.5]]


def test_an_index_that_counts_names_no_topics() -> None:
    x, y = pd.Series([0.5, 0.25]), pd.Series([0.5, 0.75])
    assert [one.tolist() for one in pair_scores(x, y)] == [[0.5, 0.25], [0.5, 0.75]]
    assert [one.tolist() for one in pair_scores(x, [0.1, 0.2])] == [[0.5, 0.25], [0.1, 0.2]]


def test_topics_that_one_system_lacks() -> None:
    x, y = {"1": 0.1, "2": 0.2, "3": 0.3}, {"3": 0.6, "2": 0.4, "4": 0.8}
    with pytest.raises(InputError, match=r"2 topics \(1, 4\) of one system only"):
        pair_scores(x, y)
    assert [one.tolist() for one in pair_scores(x, y, "common")] == [[0.2, 0.3], [0.4, 0.6]]
    found = to_matrix({"x": x, "y": y}, "common")
    assert (found.values.tolist(), found.topics) == ([[0.2, 0.4], [0.3, 0.6]], ("2", "3"))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0.1, 0.2], [0.1], "found 2 and 1 scores, expected the same number"),
        ([0.1], [0.2], "found 1 topic, expected at least 2"),
        ({"1": 0.1}, [0.2], "found scores with and without topics, expected both with"),
        (["a", "b"], [0.1, 0.2], "expected a number for each topic"),
        ([0.1, 0.2], [[0.1, 0.2]], r"found y of shape \(1, 2\), expected a number for each topic"),
        ([0.1, np.nan], [0.1, 0.2], "found x with nan, expected finite numbers"),
        (pd.Series([0.1, 0.2], index=["1", "1"]), [0.1, 0.2], "index has duplicate topics"),
    ],
)
def test_what_is_no_pair_of_systems(x: Any, y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pair_scores(x, y)


def test_topics_are_the_same_or_common() -> None:
    with pytest.raises(InputError, match="found topics='all', expected 'same' or 'common'"):
        pair_scores([0.1, 0.2], [0.1, 0.2], "all")  # type: ignore[arg-type]


def test_a_long_value_is_quoted_by_its_beginning() -> None:
    """37 characters and an ellipsis: [, then six of "'word', ", less those that are too many."""
    with pytest.raises(InputError) as caught:
        to_array(["word"] * 9)
    assert "found x ['word', 'word', 'word', 'word', 'wor…," in str(caught.value)


@pytest.mark.parametrize("module", [pd, pl])
def test_frames_have_a_column_for_each_system(module: Any) -> None:
    named = module.DataFrame({"topic": [301, 302], "bm25": [0.1, 0.2], "dense": [0.3, 0.4]})
    found = to_matrix(named)
    assert (found.systems, found.topics) == (("bm25", "dense"), ("301", "302"))
    assert found.values.tolist() == [[0.1, 0.3], [0.2, 0.4]]
    assert to_matrix(module.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.4]})).topics == ("1", "2")
    twice = module.DataFrame({"topic": ["1", "1"], "a": [0.1, 0.2], "b": [0.3, 0.4]})
    with pytest.raises(InputError, match="frame has duplicate topics"):
        to_matrix(twice)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "no systems"),
        ({"a": [0.1, 0.2]}, "found 1 systems, expected at least 2"),
        (
            {"a": [0.1, 0.2], "b": [0.1]},
            "found 1 to 2 scores, expected the same number for each system",
        ),
        ({"a": {"1": 0.1}, "b": [0.1]}, "expected all with, or all without"),
        ([0.1, 0.2], r"found an array of shape \(2,\), expected 2 axes: topics, runs"),
        (np.zeros((0, 2)), "found 0 topics, expected at least 2"),
        ([["a", "b"]], r"expected numbers, as an array \[topics, runs\]"),
        (
            Scores(np.zeros((2, 2, 2)), tuple("ab"), tuple("12"), ("AP", "RR"), ("mean", "mean")),
            r"found scores of 2 measures \(AP, RR\), expected scores of one",
        ),
    ],
)
def test_what_is_no_matrix_says_why(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        to_matrix(data, axes=None if isinstance(data, dict | Scores) else TOPICS_RUNS)


SCORES = Scores(
    np.random.default_rng(1).random((3, 5, 2)), tuple("abc"), tuple("12345"),
    ("AP", "RR"), ("mean", "mean"),
)  # fmt: skip
AP = SCORES[:, :, "AP"]
VALUES = SCORES.values[:, :, 0]  # runs × topics
OF_SYSTEMS: dict[str, Callable[..., Any]] = {
    "one_way": lambda x, **axes: repr(cf.stats.one_way(x, **axes)),
    "two_way": lambda x, **axes: repr(cf.stats.two_way(x, **axes)),
    "tukey_hsd": lambda x, **axes: cf.stats.tukey_hsd(x, **axes).pvalues.tolist(),
    "randomised_tukey_hsd": lambda x, **axes: cf.stats.randomised_tukey_hsd(x, trials=50, **axes).pvalues.tolist(),
    "compare_pairs": lambda x, **axes: [pair.pvalue for pair in cf.stats.compare_pairs(x, "t", **axes)],
    "anova_effect": lambda x, **axes: [effect.value for effect in cf.stats.anova_effect(x, **axes).values()],
    "variance_from": cf.stats.variance_from,
    "factors": lambda x, **axes: cf.stats.factors(x, **axes).means.tolist(),
    "standardise": lambda x, **axes: cf.stats.standardise(x, **axes).values.tolist(),
    "plan": lambda x, **axes: repr(cf.stats.plan(x, **axes)).replace("AP", "score"),
}


@pytest.mark.parametrize("name", OF_SYSTEMS)
class TestAxes:
    def test_array_without_axes_raises(self, name: str) -> None:
        message = (
            "an array of shape (3, 5) does not name its axes. Pass Scores, {run: {topic: score}}, "
            "or axes=('topics', 'runs') or axes=('runs', 'topics')"
        )
        with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
            OF_SYSTEMS[name](VALUES)

    def test_array_with_axes_equals_scores(self, name: str) -> None:
        expected = OF_SYSTEMS[name](AP)
        named = dict(zip("abc", VALUES, strict=True))
        assert OF_SYSTEMS[name](named) == expected
        numbered = repr(expected).replace("'a'", "'1'")
        for x, axes in ((VALUES, ("runs", "topics")), (VALUES.T, TOPICS_RUNS)):
            assert repr(OF_SYSTEMS[name](x, axes=axes)) == numbered

    def test_wrong_axes_raise(self, name: str) -> None:
        for axes in (("runs", "measures"), ("runs",), "runs"):
            with pytest.raises(InputError, match=r"unknown axes .*\. Use axes=\('topics', 'runs'\)"):
                OF_SYSTEMS[name](VALUES, axes=axes)
        with pytest.raises(InputError, match=r"for scores that name their axes\. Omit axes"):
            OF_SYSTEMS[name](AP, axes=TOPICS_RUNS)


@pytest.mark.parametrize("name", [name for name in OF_SYSTEMS if "_" in name])
def test_scores_of_several_measures_raise(name: str) -> None:
    expected = r"found scores of 2 measures \(AP, RR\), expected scores of one measure: "
    expected += r"scores\[:, :, 'AP'\]"
    with pytest.raises(InputError, match=expected):
        OF_SYSTEMS[name](SCORES)


def test_frames_without_names_need_axes() -> None:
    for frame in (pd.DataFrame(VALUES), pl.DataFrame(VALUES)):
        with pytest.raises(InputError, match="does not name its axes"):
            to_matrix(frame)
        assert to_matrix(frame, axes=("runs", "topics")).values.tolist() == VALUES.T.tolist()
    table = AP.to_pandas().pivot(index="run", columns="topic", values="value")
    assert to_matrix(table).systems == to_matrix(table.T).systems == AP.runs


def test_tests_of_two_runs_take_slices_of_scores() -> None:
    a, b = AP["a"], SCORES["b", :, "AP"]
    by_name = {t: {run: AP[run, t, "AP"] for run in "ab"} for t in AP.topics}
    x, y = ({t: of[run] for t, of in by_name.items()} for run in "ab")
    for test in (cf.stats.t_test, cf.stats.wilcoxon, cf.stats.sign_test, cf.stats.cohen_dz):
        assert test(a, b) == test(x, y)
    assert cf.stats.welch(a, b) == cf.stats.welch(x, y)
    assert cf.stats.summarise(a) == cf.stats.summarise(x)
    with pytest.raises(InputError, match=r"found scores of 3 runs \(a, b, c\), expected scores of one"):
        cf.stats.t_test(AP, b)
    with pytest.raises(InputError, match=r"found scores of 2 measures \(AP, RR\)"):
        cf.stats.summarise(SCORES["a"])


def test_scores_of_one_measure_are_a_matrix() -> None:
    scores = Scores(np.array([[[0.1], [0.2]], [[0.3], [0.4]]]), tuple("ab"), tuple("12"), ("AP",), ("mean",))
    assert to_matrix(scores).values.tolist() == [[0.1, 0.3], [0.2, 0.4]]


@pytest.mark.parametrize("largest", [1e308, 1e51, 1e-150, 1e-320])
@pytest.mark.parametrize("test", [None, *TESTS_OF_RUNS])
def test_compare_scores_beyond_limits_raises(largest: float, test: str | None) -> None:
    """Squares and cubes of such scores are infinite or 0: not a raw error, nor a p-value."""
    scores = {
        run: {str(t): largest * (sign * t / 8) for t in range(1, 9)} for run, sign in (("a", 1), ("b", -1), ("c", 0.5))
    }
    with pytest.raises(cf.InputError, match=r"the largest score is .*, too (large|small) for"):
        cf.compare(scores, test=test, trials=100)


@pytest.mark.parametrize("largest", [1e50, 1e-50])
@pytest.mark.parametrize("test", [None, *TESTS_OF_RUNS])
@pytest.mark.filterwarnings("error")
def test_compare_scores_at_limits_equals_scaled(largest: float, test: str | None) -> None:
    rng = np.random.default_rng(0)
    x = rng.random((3, 8))  # SciPy enumerates 2ⁿ signs of tied ranks
    x[:, 0] = 1.0
    x[0, 1] = 1e-200  # small next to the others
    p = [
        pair.pvalue
        for factor in (1.0, largest)
        for pair in cf.compare(
            {run: {str(t): float(v) for t, v in enumerate(row)} for run, row in zip("abc", x * factor, strict=True)},
            test=test,
            trials=200,
        ).pairs
    ]
    assert p[:3] == pytest.approx(p[3:])


@pytest.mark.filterwarnings("error")
def test_welch_scores_at_limits_returns_finite() -> None:
    for largest in (1e50, 1e-50):
        found = cf.stats.welch([largest, largest / 2], [largest / 4, largest / 3, largest / 8])
        assert 0 < found.pvalue < 1


def test_summary_large_scores_is_their_mean() -> None:
    """The sum is beyond doubles, the mean is not."""
    scores = cf.read_scores({"a": {"1": 1e308, "2": 1e308, "3": 1.7e308}})
    assert next(iter(scores.summary()["a"].values())) == pytest.approx(1.2333333333e308)


@pytest.mark.parametrize(
    "read",
    [
        lambda: read_verticals({"1": {"i": {"Image": 1e308, "Web": 1e308}}}),
        lambda: cf.evaluate_distributions({"a": [1e308, 1e308]}, {"a": [1, 1]}),
        lambda: cf.evaluate_answers(rubric={"r": {"q": [{"criterion": c, "weight": 1e308, "met": 1} for c in "ab"]}}),
    ],
)
def test_read_weights_beyond_limits_raises(read: Callable[[], object]) -> None:
    with pytest.raises(cf.InputError, match=r"expected a .*1e\+12"):
        read()
