"""Topics, and what is undefined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from tests.properties.made import HOLES, HOLES_RUN


class TestUndefined:
    def test_zero(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP NumRet")
        assert scores.values[0, :, 0].tolist() == [1.0, 0.0, 0.0]
        assert scores.summary()["run"] == {"AP": 1 / 3, "NumRet": 2.0}

    def test_nan(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP NumRet Judged", undefined="nan")
        assert np.isnan(scores["run", "b", "AP"])
        assert scores["run", "c", "AP"] == 0.0  # not answered, but there was something to find
        assert math.isnan(scores.summary()["run"]["AP"])
        assert scores.summary()["run"]["NumRet"] == 2.0
        assert scores["run", "b", "Judged"] == 1.0

    def test_skip(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP NumRet", undefined="skip")
        assert scores.summary()["run"] == {"AP": 0.5, "NumRet": 2.0}
        assert "AP" not in scores.to_dict()["run"]["b"]

    def test_error(self) -> None:
        with pytest.raises(cf.CranfieldError, match=r"no relevant document for 1 topic \(b\)"):
            cf.evaluate(HOLES, HOLES_RUN, "AP", undefined="error")
        judged = {"a": HOLES["a"], "c": HOLES["c"]}
        assert cf.evaluate(judged, HOLES_RUN, "AP", undefined="error").summary()["run"]["AP"] == 0.5

    def test_error_concerns_effectiveness_only(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "NumRet Judged", undefined="error")
        assert scores.summary()["run"]["NumRet"] == 2.0

    def test_error_concerns_topics_that_count_only(self) -> None:
        run = {"a": {"x": 1.0}, "c": {"x": 1.0}}
        scores = cf.evaluate(HOLES, run, "AP", topics="common", undefined="error")
        assert scores.topics == ("a", "c")

    def test_follows_the_threshold_of_each_measure(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP AP(rel=2) nDCG(gain=0:1)", undefined="nan")
        undefined = np.isnan(scores.values[0]).tolist()
        assert undefined == [[False, True, True], [True, True, True], [False, False, False]]

    @pytest.mark.parametrize("undefined", ["zero", "nan", "skip"])
    def test_is_noted(self, undefined: Any) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP", undefined=undefined)
        (note,) = [n for n in scores.notes if n.kind == "no-relevant"]
        assert note.topics == ("b",)
        assert "1 topic (b)" in note.text

    @pytest.mark.parametrize("options", [{}, {"undefined": "skip"}])
    def test_is_noted_under_a_threshold(self, options: dict[str, Any]) -> None:
        """No document of topic a reaches level 2: as far as the measure goes, none is relevant."""
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP(rel=2)", **options)
        named = [t for n in scores.notes if n.kind == "no-relevant" for t in n.topics]
        assert named == ["a", "b"]

    def test_unknown(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found undefined='drop'"):
            cf.evaluate(HOLES, HOLES_RUN, undefined="drop")  # type: ignore[arg-type]


class TestTopics:
    def test_judged(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP")
        assert scores.topics == ("a", "b", "c")

    def test_common(self) -> None:
        runs = {"one": HOLES_RUN, "two": {"c": {"y": 1.0}, "a": {"w": 1.0}}}
        scores = cf.evaluate(HOLES, runs, "AP", topics="common")
        assert scores.topics == ("a",)
        assert scores.values.tolist() == [[[1.0]], [[0.0]]]
        alone = cf.evaluate(HOLES, HOLES_RUN, "AP", topics="common")
        assert alone.topics == ("a", "b")

    def test_an_empty_list_is_an_answer(self) -> None:
        scores = cf.evaluate(HOLES, {"a": {}, "b": {"x": 1.0}}, "AP", topics="common")
        assert scores.topics == ("a", "b")

    def test_nothing_in_common(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found topics z, expected some of a, b, …"):
            cf.evaluate(HOLES, {"z": {"x": 1.0}}, "AP", topics="common")
        both = {"r1": {"a": {"x": 1.0}}, "r2": {"b": {"x": 1.0}}}
        with pytest.raises(cf.CranfieldError, match="no judged topic in every run"):
            cf.evaluate(HOLES, both, "AP", topics="common")

    def test_unknown(self) -> None:
        with pytest.raises(cf.CranfieldError, match="topic 'all' is not in the judgments: 3"):
            cf.evaluate(HOLES, HOLES_RUN, topics="all")

    def test_a_run_with_none_of_the_topics_is_refused(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found topics z, expected some of a, b, …"):
            cf.evaluate(HOLES, {"z": {"x": 1.0}}, "AP P@5 NumRet")
