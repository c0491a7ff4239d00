"""Scores: names, summaries, intervals, frames and files."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.scores import (
    BETTER,
    SUMMARIES,
    Interval,
    Note,
    Scores,
    format_value,
    to_number,
)
from cranfield.wording import escape_unprintable

NAN = math.nan


def make(values: Any, undefined: str = "zero", **names: Any) -> Scores:
    """Scores with names made up where the test does not care."""
    values = np.array(values, dtype=float)
    runs, topics, measures = values.shape
    return Scores(
        values,
        names.get("runs", tuple(f"run{i}" for i in range(runs))),
        names.get("topics", tuple(f"t{i}" for i in range(topics))),
        names.get("measures", tuple(f"M@{i}" for i in range(measures))),
        names.get("summaries", ("mean",) * measures),
        undefined,
        names.get("notices", ()),
        names.get("better", ()),
    )


def one(x: list[float], undefined: str = "zero") -> Scores:
    """One run, one measure."""
    return make(np.array(x, dtype=float).reshape(1, -1, 1), undefined)


def value_of(result: dict[str, dict[str, Any]]) -> Any:
    return result["run0"]["M@0"]


@pytest.fixture
def scores() -> Scores:
    return Scores(
        [[[0.5, 10], [0.25, 20]], [[0.75, 7], [0.125, 3]], [[0, 1], [1, 0]]],  # type: ignore[arg-type]
        ("bm25", "bm25+rm3", "dense"),
        ("301", "302"),
        ("AP", "num_ret"),
        ("mean", "sum"),
        notes=(
            Note("ties", "bm25 has ties.", "bm25"),
            Note("unjudged", "Topic 302 has no judgments.", None, ("302",)),
        ),
    )


class TestConstruction:
    def test_values_are_a_read_only_copy(self) -> None:
        mine = np.ones((1, 1, 1))
        scores = make(mine)
        mine[0, 0, 0] = 7
        assert scores.values[0, 0, 0] == 1
        with pytest.raises(ValueError, match="read-only"):
            scores.values[0, 0, 0] = 2

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"runs": ("a", "b")}, r"found values of shape \(1, 2, 1\), expected \(2, 2, 1\)"),
            ({"topics": ("x", "x")}, "duplicate topic 'x'"),
            ({"topics": ("x", "all")}, "a topic is named 'all'"),
            ({"summaries": ("median",)}, "'median',.* one of mean, sum, gmean, clipped, se for"),
            ({"summaries": ("mean", "mean")}, "one of mean, sum, gmean, clipped, se for each"),
            ({"better": ("more",)}, "'more',.* expected one of higher, lower, neither for each"),
            ({"better": ("higher", "lower")}, "expected one of higher, lower, neither for each"),
            ({"undefined": "ignore"}, "undefined='ignore', expected one of zero, nan, skip, error"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(CranfieldError, match=message):
            make(np.zeros((1, 2, 1)), **change)

    def test_equality_is_by_content_and_nan_equals_nan(self, scores: Scores) -> None:
        assert one([1, NAN]) == one([1, NAN])
        assert one([1, NAN]) != one([1, 0])
        assert one([1, 2]) != one([1, 2], undefined="skip")
        assert scores != scores.select(runs=["dense", "bm25+rm3", "bm25"])
        assert scores != "scores"


class TestBetter:
    """Which end of a measure is the good one."""

    def test_higher_unless_there_is_no_better(self) -> None:
        four = make(np.zeros((1, 1, 4)), summaries=("mean", "sum", "gmean", "se"))
        assert four.better == ("higher", "neither", "higher", "neither")

    def test_as_given_and_kept_when_selecting(self) -> None:
        scores = make(np.zeros((2, 1, 3)), better=("lower", "higher", "neither"))
        assert scores.better == ("lower", "higher", "neither")
        assert scores.select(measures=["M@2", "M@0"]).better == ("neither", "lower")
        assert scores["run1"].better == scores.better
        assert scores != make(np.zeros((2, 1, 3)))

    def test_measures_say_it(self) -> None:
        scores = cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, "AP E NumRet Judged@10 GMAP")
        assert scores.better == ("higher", "lower", "neither", "neither", "higher")
        assert scores.summaries == ("mean", "mean", "sum", "mean", "gmean")

    def test_columns_of_standard_errors(self) -> None:
        """x and y are tied: over both orders AP is 1 or 1/2, and ERR is sampled."""
        run = {"a": {"x": 1.0, "y": 1.0}, "b": {"x": 1.0}}
        scores = cf.evaluate({"a": {"x": 1}, "b": {"x": 1}}, run, "AP ERR(max_level=1)", ties="expected", seed=3)
        assert scores.measures == ("AP", "ERR(max_level=1)", "ERR(max_level=1).se")
        assert scores.summaries == ("mean", "mean", "se")
        assert scores.better == ("higher", "higher", "neither")
        assert scores["run", "a", "AP"] == 0.75
        errors = scores.values[0, :, 2].tolist()
        assert errors[0] > 0 == errors[1]  # nothing is tied in b
        assert scores.summary()["run"]["ERR(max_level=1).se"] == pytest.approx(errors[0] / 2)


class TestSelecting:
    def test_three_names_give_a_number(self, scores: Scores) -> None:
        assert scores["bm25+rm3", "302", "num_ret"] == 3.0
        assert type(scores["bm25", "301", "AP"]) is float

    def test_fewer_names_give_scores(self, scores: Scores) -> None:
        assert scores["dense"].runs == ("dense",)
        assert scores["dense"].values.tolist() == [[[0, 1], [1, 0]]]
        assert scores["dense", "302"].values.tolist() == [[[1, 0]]]

    def test_slices_and_lists(self, scores: Scores) -> None:
        counts = scores[:, :, "num_ret"]
        assert counts.values.tolist() == [[[10], [20]], [[7], [3]], [[1], [0]]]
        assert counts.summaries == ("sum",)
        assert scores[["dense", "bm25"], "301", ["num_ret", "AP"]].values.tolist() == [
            [[1, 0]],
            [[10, 0.5]],
        ]
        assert scores[1:].runs == ("bm25+rm3", "dense")
        assert scores[:] == scores == scores.select()

    def test_a_measure_or_topic_may_be_an_object_with_that_name(self, scores: Scores) -> None:
        class AP:
            def __str__(self) -> str:
                return "AP"

        assert scores["bm25", 301, AP()] == 0.5
        assert scores.select(measures=[AP()]).measures == ("AP",)

    def test_notes_follow_what_they_are_about(self, scores: Scores) -> None:
        assert [n.kind for n in scores["bm25", "301"].notes] == ["ties"]
        assert [n.kind for n in scores["dense"].notes] == ["unjudged"]
        assert scores.select(runs="dense", topics="301").notes == ()

    def test_topics_that_were_left_out_before_are_still_told(self) -> None:
        told = Note("missing-topics", "1 topic (303) left out", topics=("303",))
        scores = make([[[0.5], [0.25]]], topics=["301", "302"], measures=["AP"], notices=[told])
        assert scores.select(measures="AP").notes == (told,)
        assert scores.select(topics="301").notes == (told,)

    def test_an_unknown_name_suggests(self, scores: Scores) -> None:
        with pytest.raises(KeyError, match="no run 'bm52'; did you mean 'bm25'"):
            scores["bm52"]
        with pytest.raises(KeyError, match="no measure 'zzz'; there is 'AP', 'num_ret'"):
            scores["bm25", "301", "zzz"]
        with pytest.raises(KeyError, match=r"it is a measure: use scores\[:, :, 'AP'\]"):
            scores["AP"]

    def test_too_many_places(self, scores: Scores) -> None:
        with pytest.raises(CranfieldError, match="found 4 indices"):
            scores["bm25", "301", "AP", "x"]


class TestSummaries:
    def test_counts_are_summed_and_the_rest_averaged(self, scores: Scores) -> None:
        assert scores.summary() == {
            "bm25": {"AP": 0.375, "num_ret": 30},
            "bm25+rm3": {"AP": 0.4375, "num_ret": 10},
            "dense": {"AP": 0.5, "num_ret": 1},
        }
        assert scores.mean()["bm25"] == {"AP": 0.375, "num_ret": 15}

    def test_geometric_mean(self) -> None:
        assert value_of(one([0.2, 0.5, 0.9]).gmean()) == pytest.approx(scipy.stats.gmean([0.2, 0.5, 0.9]), rel=1e-14)
        # √(1 · 10^-5), and with a floor of a hundredth √(1 · 10^-2)
        assert value_of(one([1, 0]).gmean()) == pytest.approx(10**-2.5)
        assert value_of(one([1, 0]).gmean(floor=0.01)) == pytest.approx(0.1)
        with pytest.raises(CranfieldError, match="above 0"):
            one([1]).gmean(floor=0)

    def test_each_column_is_summarised_as_it_says(self) -> None:
        block = np.array([[[0.5, 0.5, 0.5, 0.5], [0.125, 0.125, 0.125, 0.125]]])
        scores = make(block, summaries=("mean", "sum", "gmean", "se"))
        mean, together, geometric, error = scores.summary()["run0"].values()
        assert mean == 0.3125
        assert together == 0.625
        assert geometric == pytest.approx(0.25, abs=1e-15)  # √(1/2 · 1/8)
        assert error == pytest.approx(math.sqrt(1 / 4 + 1 / 64) / 2, abs=1e-15)
        assert [row[3] for row in scores.rows()] == [mean, together, geometric, error]
        # The methods ignore it: whoever asks for a mean gets one.
        assert set(scores.mean()["run0"].values()) == {0.3125}

    def test_geometric_summaries_have_a_floor(self) -> None:
        """trec_eval's gm_map: exp(mean log max(x, 0.00001))."""
        scores = make([[[1.0], [0.0]]], summaries=("gmean",))
        assert value_of(scores.summary()) == pytest.approx(math.sqrt(1e-5), rel=1e-14)
        tiny = make([[[1e-9], [1e-7]]], summaries=("gmean",))
        assert value_of(tiny.summary()) == pytest.approx(1e-5, rel=1e-14)
        kept = make([[[0.5], [NAN]]], "skip", summaries=("gmean",))
        assert value_of(kept.summary()) == pytest.approx(0.5, abs=1e-15)
        assert math.isnan(value_of(make([[[0.5], [NAN]]], summaries=("gmean",)).summary()))

    @given(st.lists(st.just(0.0) | st.floats(1e-9, 1e3), min_size=1, max_size=30))
    def test_standard_errors_give_that_of_the_mean(self, x: list[float]) -> None:
        """Independent means with these standard errors: √(Σ se²)/n; n equal ones shrink by √n."""
        of_mean = value_of(make(np.array(x).reshape(1, -1, 1), summaries=("se",)).summary())
        assert of_mean == pytest.approx(float(np.linalg.norm(x)) / len(x), rel=1e-12)
        equal = value_of(make(np.full((1, len(x), 1), x[0]), summaries=("se",)).summary())
        assert equal == pytest.approx(x[0] / math.sqrt(len(x)), rel=1e-12)

    def test_standard_errors_of_one_topic_and_of_none(self) -> None:
        assert value_of(make([[[0.25]]], summaries=("se",)).summary()) == 0.25
        assert math.isnan(value_of(make(np.zeros((1, 0, 1)), summaries=("se",)).summary()))
        skipped = make([[[0.25], [NAN]]], "skip", summaries=("se",))
        assert value_of(skipped.summary()) == 0.25

    def test_median_and_standard_deviation(self) -> None:
        assert value_of(one([5, 1, 2]).median()) == 2
        assert value_of(one([5, 1, 2, 3]).median()) == 2.5
        # deviations from 4: -2, 0, 2; squares sum to 8
        assert value_of(one([2, 4, 6]).std()) == 2
        assert value_of(one([2, 4, 6]).std(ddof=0)) == pytest.approx(math.sqrt(8 / 3))
        assert math.isnan(value_of(one([2]).std()))

    @pytest.mark.parametrize("name", ["summary", "mean", "gmean", "median", "std"])
    def test_nan_spreads_unless_skipped(self, name: str) -> None:
        def result(scores: Scores) -> float:
            return float(value_of(getattr(scores, name)()))

        for undefined in ("zero", "nan", "error"):
            assert math.isnan(result(one([1, NAN, 3], undefined)))
        assert result(one([1, NAN, 3], "skip")) == result(one([1, 3]))

    @pytest.mark.parametrize("name", ["summary", "mean", "gmean", "median", "std"])
    def test_no_topics_give_nan_in_silence(self, name: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert math.isnan(value_of(getattr(one([]), name)()))
            assert math.isnan(value_of(getattr(one([NAN], "skip"), name)()))
            assert math.isnan(value_of(getattr(make(np.zeros((1, 0, 1)), "skip"), name)()))

    def test_opposite_infinities_are_undefined_not_an_error(self) -> None:
        assert math.isnan(value_of(one([math.inf, -math.inf]).mean()))
        assert value_of(one([math.inf, 1]).mean()) == math.inf

    @given(
        st.lists(st.floats(-1e100, 1e100), min_size=2, max_size=40),
        st.integers(0, 3),
        st.randoms(use_true_random=False),
    )
    def test_order_layout_and_company_do_not_matter(self, x: list[float], others: int, shuffler: random.Random) -> None:
        shuffled = shuffler.sample(x, len(x))
        block = np.full((others + 1, len(x), 2), 0.1)
        block[others, :, 1] = shuffled
        together = make(np.asfortranarray(block))
        for name in ("mean", "median", "std", "gmean"):
            alone = value_of(getattr(one(x), name)())
            assert getattr(together, name)()[f"run{others}"]["M@1"] == alone

    def test_a_sum_that_floating_point_gets_wrong(self) -> None:
        # Added from left to right, the ones are lost and the result is 0.
        assert value_of(one([1e16, 1, 1, -1e16]).mean()) == 0.5


class TestIntervals:
    x = (0.1, 0.4, 0.35, 0.8, 0.55, 0.2, 0.9)

    def test_t_is_that_of_scipy(self) -> None:
        interval = value_of(one(list(self.x)).interval("t", confidence=0.9))
        low, high = scipy.stats.t.interval(0.9, len(self.x) - 1, np.mean(self.x), scipy.stats.sem(self.x))
        assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-12)
        assert interval.mean == pytest.approx(3.3 / 7)
        assert (interval.method, interval.confidence, interval.n) == ("t", 0.9, 7)
        assert (interval.trials, interval.seed) == (None, None)

    @pytest.mark.parametrize(("method", "scipy_method"), [("bootstrap", "BCa"), ("percentile", "percentile")])
    def test_bootstrap_is_that_of_scipy(self, method: Any, scipy_method: str) -> None:
        interval = value_of(one(list(self.x)).interval(method, trials=999, seed=7))
        expected = scipy.stats.bootstrap(
            (self.x,),
            np.mean,
            n_resamples=999,
            method=scipy_method,
            random_state=np.random.default_rng(7),
        ).confidence_interval
        assert (interval.low, interval.high) == pytest.approx(tuple(expected), rel=1e-12)
        assert (interval.method, interval.trials, interval.seed) == (method, 999, 7)

    def test_the_seed_decides_and_company_does_not(self) -> None:
        alone = value_of(one(list(self.x)).interval("bootstrap", trials=200, seed=3))
        other = value_of(one(list(self.x)).interval("bootstrap", trials=200, seed=4))
        block = np.random.default_rng(0).random((2, len(self.x), 2))
        block[1, :, 1] = self.x
        together = make(block).interval("bootstrap", trials=200, seed=3)
        assert together["run1"]["M@1"] == alone
        assert (other.low, other.high) != (alone.low, alone.high)

    def test_batches_do_not_matter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = value_of(one(list(self.x)).interval("bootstrap", trials=200))
        monkeypatch.setattr("cranfield.scores._BOOTSTRAP_CELLS", 30)
        assert value_of(one(list(self.x)).interval("bootstrap", trials=200)) == whole

    @pytest.mark.parametrize("method", ["t", "bootstrap", "percentile"])
    def test_degenerate_cases_in_silence(self, method: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            equal = value_of(one([0.25] * 5).interval(method))
            single = value_of(one([0.25]).interval(method))
            empty = value_of(one([]).interval(method))
            broken = value_of(one([0.25, NAN, 0.5]).interval(method))
        assert (equal.low, equal.high, equal.mean) == (0.25, 0.25, 0.25)
        assert (single.mean, single.n, empty.n, broken.n) == (0.25, 1, 0, 3)
        assert all(math.isnan(i.low) and math.isnan(i.high) for i in (single, empty, broken))

    def test_skipped_topics_do_not_count(self) -> None:
        skipped = value_of(one([*self.x, NAN], "skip").interval())
        assert skipped == value_of(one(list(self.x)).interval())

    def test_of_counts_it_is_that_of_the_mean(self) -> None:
        counts = make(np.array([[[1.0], [3.0]]]), summaries=("sum",))
        assert value_of(counts.interval()).mean == 2

    @pytest.mark.parametrize("arguments", [{"method": "z"}, {"confidence": 1}, {"confidence": 0}, {"trials": 0}])
    def test_bad_arguments(self, arguments: dict[str, Any]) -> None:
        with pytest.raises(CranfieldError, match="expected"):
            one([1, 2]).interval(**arguments)

    def test_repr_names_everything(self) -> None:
        assert repr(Interval(0.1, 0.3, 0.2, "percentile", 0.95, 50, 1000, 0)) == (
            "Interval(low=0.1, high=0.3, mean=0.2, method='percentile', confidence=0.95, n=50, trials=1000, seed=0)"
        )


class TestRowsAndFrames:
    def test_rows_in_the_order_of_the_contract(self, scores: Scores) -> None:
        assert list(scores["bm25"].rows(per_topic=True)) == [
            ("bm25", "301", "AP", 0.5),
            ("bm25", "301", "num_ret", 10),
            ("bm25", "302", "AP", 0.25),
            ("bm25", "302", "num_ret", 20),
            ("bm25", "all", "AP", 0.375),
            ("bm25", "all", "num_ret", 30),
        ]
        assert [row[:3] for row in scores.rows()] == [
            (run, "all", measure) for run in ("bm25", "bm25+rm3", "dense") for measure in ("AP", "num_ret")
        ]

    def test_skip_leaves_out_topics_but_never_all(self) -> None:
        rows = list(one([NAN, 0.5], "skip").rows(per_topic=True))
        assert rows == [("run0", "t1", "M@0", 0.5), ("run0", "all", "M@0", 0.5)]
        kept = list(one([NAN, 0.5], "nan").rows(per_topic=True))
        assert [row[1] for row in kept] == ["t0", "t1", "all"]
        (only,) = one([NAN], "skip").rows(per_topic=True)
        assert only[:3] == ("run0", "all", "M@0")
        assert math.isnan(only[3])

    def test_to_dict(self, scores: Scores) -> None:
        assert scores["dense"].to_dict() == {"dense": {"301": {"AP": 0, "num_ret": 1}, "302": {"AP": 1, "num_ret": 0}}}
        assert one([NAN, 0.5], "skip").to_dict() == {"run0": {"t1": {"M@0": 0.5}}}

    def test_long_frames(self, scores: Scores) -> None:
        expected = {
            "run": ["dense"] * 4,
            "topic": ["301", "301", "302", "302"],
            "measure": ["AP", "num_ret"] * 2,
            "value": [0.0, 1.0, 1.0, 0.0],
        }
        assert scores["dense"].to_polars().to_dict(as_series=False) == expected
        assert scores["dense"].to_pandas().to_dict("list") == expected
        assert scores.to_polars().rows()[7] == ("bm25+rm3", "302", "num_ret", 3.0)

    def test_wide_frames(self, scores: Scores) -> None:
        expected = {
            "run": ["bm25", "bm25", "bm25+rm3", "bm25+rm3", "dense", "dense"],
            "topic": ["301", "302"] * 3,
            "AP": [0.5, 0.25, 0.75, 0.125, 0.0, 1.0],
            "num_ret": [10.0, 20.0, 7.0, 3.0, 1.0, 0.0],
        }
        assert scores.to_polars(wide=True).to_dict(as_series=False) == expected
        assert scores.to_pandas(wide=True).to_dict("list") == expected
        with pytest.raises(CranfieldError, match="a measure named 'topic'"):
            make(np.zeros((1, 1, 1)), measures=("topic",)).to_polars(wide=True)

    def test_frames_leave_out_what_is_skipped(self) -> None:
        skipped = one([NAN, 0.5], "skip")
        assert skipped.to_polars()["topic"].to_list() == ["t1"]
        assert skipped.to_pandas()["topic"].to_list() == ["t1"]
        assert len(one([NAN, 0.5]).to_polars()) == 2

    def test_empty_frames_keep_their_types(self) -> None:
        empty = one([])
        assert dict(empty.to_polars().schema) == {
            "run": pl.String,
            "topic": pl.String,
            "measure": pl.String,
            "value": pl.Float64,
        }
        assert empty.to_polars(wide=True).schema["M@0"] == pl.Float64


names = st.lists(st.text(max_size=8).filter(lambda s: s != "all"), unique=True, max_size=3)


@st.composite
def any_scores(draw: st.DrawFn) -> Scores:
    runs, topics, measures = draw(names), draw(names), draw(names)
    size = len(runs) * len(topics) * len(measures)
    values = draw(st.lists(st.floats(width=64), min_size=size, max_size=size))
    note = st.builds(Note, st.text(), st.text(), st.none() | st.text(), st.lists(st.text()).map(tuple))
    return make(
        np.array(values).reshape(len(runs), len(topics), len(measures)),
        draw(st.sampled_from(["zero", "nan", "skip", "error"])),
        runs=tuple(runs),
        topics=tuple(topics),
        measures=tuple(measures),
        summaries=tuple(draw(st.sampled_from(SUMMARIES)) for _ in measures),
        better=tuple(draw(st.sampled_from(BETTER)) for _ in measures),
        notices=tuple(draw(st.lists(note, max_size=2))),
    )


class TestFiles:
    @given(scores=any_scores(), extension=st.sampled_from([".json", ".parquet"]))
    def test_nothing_is_lost(self, scores: Scores, extension: str, tmp_path_factory: pytest.TempPathFactory) -> None:
        path = tmp_path_factory.mktemp("scores") / f"scores{extension}"
        scores.save(path)
        loaded = Scores.load(path)
        assert loaded == scores
        defined = ~np.isnan(scores.values)  # equality cannot see the sign of zero
        assert np.array_equal(np.signbit(loaded.values[defined]), np.signbit(scores.values[defined]))
        assert [p.name for p in path.parent.iterdir()] == [path.name]

    @given(any_scores())
    def test_json_is_json_and_a_repr_never_fails(self, scores: Scores) -> None:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        json.loads(scores.to_json(), parse_constant=refuse)
        assert Scores.from_json(scores.to_json()) == scores
        assert len(repr(scores).split("\n")) == 2 + len(scores.runs) + len(scores.notes)
        assert scores._repr_html_().count("<table>") == 1

    @pytest.mark.parametrize("extension", [".json", ".parquet"])
    def test_summaries_and_better_are_kept(self, extension: str, tmp_path: Path) -> None:
        better = ("higher", "neither", "lower", "neither")
        scores = make(np.arange(8.0).reshape(1, 2, 4), summaries=("gmean", "sum", "mean", "se"), better=better)
        path = tmp_path / f"scores{extension}"
        scores.save(path)
        loaded = Scores.load(path)
        assert loaded == scores
        assert loaded.summaries == ("gmean", "sum", "mean", "se")
        assert loaded.better == better
        assert loaded.summary() == scores.summary()

    @pytest.mark.parametrize("extension", [".json", ".parquet"])
    def test_scores_of_a_real_evaluation(self, extension: str, tmp_path: Path) -> None:
        names = "AP GMAP E NumRet IPrec NCUgu,P RBP.residual ERR(max_level=2)"
        run = {"q1": {"x": 1.0, "y": 1.0, "z": 0.5}, "q2": {"x": 2.0}}
        qrels = {"q1": {"x": 2, "z": 1}, "q2": {"y": 1}}
        scores = cf.evaluate(qrels, run, names, ties="expected")
        scores.save(tmp_path / f"s{extension}")
        assert Scores.load(tmp_path / f"s{extension}") == scores

    def test_parquet_is_a_plain_table_for_others(self, scores: Scores, tmp_path: Path) -> None:
        scores.save(tmp_path / "s.parquet")
        table = pq.read_table(tmp_path / "s.parquet").to_pylist()
        assert len(table) == 12
        assert table[1] == {"run": "bm25", "topic": "301", "measure": "num_ret", "value": 10.0}

    def test_other_extensions_are_refused(self, scores: Scores, tmp_path: Path) -> None:
        message = "found file extension '.txt', expected .json or .parquet"
        with pytest.raises(CranfieldError, match=message):
            scores.save(tmp_path / "scores.txt")
        with pytest.raises(CranfieldError, match=message):
            Scores.load("scores.txt")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("a.json", b"not json"),
            ("a.json", b"[1, 2]"),
            ("a.json", b"{}"),
            ("a.json", b"\xff\xfe\xfd"),
            ("a.json", one([1]).to_json().replace("[[[1.0]]]", "[[[1.0, 2.0]]]").encode()),
            ("a.parquet", b"not parquet"),
        ],
    )
    def test_other_content_is_named(self, name: str, content: bytes, tmp_path: Path) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CranfieldError, match=f"{name}: found .* expected output of Scores"):
            Scores.load(tmp_path / name)

    def test_a_parquet_file_of_someone_else(self, tmp_path: Path) -> None:
        pl.DataFrame({"value": [1.0]}).write_parquet(tmp_path / "a.parquet")
        with pytest.raises(CranfieldError, match=r"expected output of Scores\.save"):
            Scores.load(tmp_path / "a.parquet")


class TestForPeople:
    def test_repr_is_an_aligned_table(self, scores: Scores) -> None:
        assert repr(scores).split("\n") == [
            "Scores: 3 runs × 2 topics × 2 measures",
            "run           AP  num_ret",
            "bm25      0.3750       30",
            "bm25+rm3  0.4375       10",
            "dense     0.5000        1",
            "note: bm25 has ties.",
            "note: Topic 302 has no judgments.",
        ]

    def test_repr_shows_the_first_notes(self) -> None:
        notes = [Note("ties", f"number {i}\n") for i in range(7)]
        lines = repr(make([[[0.5]]], notices=notes)).split("\n")
        assert lines[3:] == [f"note: number {i}\\n" for i in range(5)] + ["… 2 more in .notes"]

    def test_notes_are_escaped_in_html(self) -> None:
        notes = [Note("ties", "<script>")]
        html = make([[[0.5]]], notices=notes)._repr_html_()
        assert "<p>note: &lt;script&gt;</p>" in html

    def test_repr_of_many_runs_is_cut(self) -> None:
        lines = repr(make(np.zeros((25, 1, 1)))).split("\n")
        assert len(lines) == 1 + 1 + 20 + 1
        assert lines[-2:] == ["run19  0.0000", "… 5 more"]
        assert "more" not in repr(make(np.zeros((20, 1, 1))))

    def test_html_is_escaped(self) -> None:
        html = make([[[0.5]]], runs=("<script>alert('x')</script>",), measures=("A&B",))._repr_html_()
        assert "<script>" not in html
        assert "&lt;script&gt;" in html
        assert "<th>A&amp;B</th>" in html
        assert "<td>0.5000</td>" in html

    def test_numbers(self) -> None:
        assert format_value(0.00005) == "0.0001"  # the double is a little above
        assert format_value(1e6, "sum") == "1000000"
        assert format_value(1.5, "sum") == "1.5000"
        assert format_value(NAN, "sum") == "nan"
        assert isinstance(to_number(3.0, "sum"), int)
        assert isinstance(to_number(3.0), float)

    def test_control_characters_are_shown_not_sent(self) -> None:
        assert escape_unprintable("a\x1b[2Jb\nc") == "a\\x1b[2Jb\\nc"
        assert escape_unprintable("検索 é") == "検索 é"


def test_starting_up_imports_nothing_heavy() -> None:
    heavy = "{'polars', 'pandas', 'scipy'} & set(sys.modules)"
    modules = "cranfield.scores, cranfield.report.formats, cranfield.scores.tables"
    code = f"import sys, {modules}; print(sorted({heavy}))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_intervals_of_geometric_means_and_none_of_standard_errors() -> None:
    values = [[[0.1, 0.1, 0.01], [0.4, 0.4, 0.02], [0.3, 0.3, 0.03]]]
    named: dict[str, Any] = {"runs": ["r"], "measures": ["AP", "GMAP", "AP.se"]}
    scores = make(values, **named, summaries=["mean", "gmean", "se"])
    found = scores.interval()["r"]
    assert set(found) == {"AP", "GMAP"}
    logs = make(np.log(values), runs=["r"], measures=["AP", "GMAP", "x"])
    expected = logs.interval()["r"]["GMAP"]
    ends = (found["GMAP"].low, found["GMAP"].mean, found["GMAP"].high)
    assert ends == pytest.approx(tuple(np.exp([expected.low, expected.mean, expected.high])))
    assert found["GMAP"].mean == pytest.approx(scores.summary()["r"]["GMAP"])


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"values": [[[' + "9" * 400 + ']]], "runs": ["r"], "topics": ["t"], "measures": ["AP"], "notices": []}',
        "1",
    ],
)
def test_json_that_is_too_deep_or_too_large(text: str) -> None:
    with pytest.raises(CranfieldError, match=r"found other JSON .*output of Scores.to_json"):
        Scores.from_json(text)


def test_former_names_of_notes_work_and_warn() -> None:
    """`Notice` and `.notices` were renamed before 1.0.0."""
    scores = cf.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"]}, "AP")
    with pytest.warns(DeprecationWarning, match=r"notices is deprecated\. Use notes\."):
        assert scores.notices == scores.notes
    with pytest.warns(DeprecationWarning, match=r"cf\.Notice is deprecated\. Use cf\.Note\."):
        assert cf.Notice is cf.Note  # type: ignore[attr-defined]
    assert len(scores.notes) == 1
