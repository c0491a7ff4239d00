"""The shim of pytrec_eval against the package, value by value on random collections."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import pytrec_eval as real_trec
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.compat import pytrec_eval
from tests.compat.made import ROUNDING, Nested, collection
from tests.evidence import checks


def differences(
    ours: Mapping[str, Mapping[str, float]], theirs: Mapping[str, Mapping[str, float]]
) -> list[tuple[str, str, float, float]]:
    """Where the values are not the same; what is NaN there is 0 here, and so are texts, for which
    pytrec_eval gives what it finds in memory."""
    return [
        (topic, name, a, b)
        for topic, values in theirs.items()
        for name, b in values.items()
        if name not in ("runid", "relstring")
        if not abs((a := ours[topic][name]) - (0.0 if math.isnan(b) else b)) <= ROUNDING
    ]


# -- pytrec_eval --------------------------------------------------------------------------------

QRELS: Nested = {
    "a": {"x": 2, "y": 0, "z": 1, "w": -1},
    "b": {"x": 0},
    "c": {"m": 1},
    "no judgments": {},
}
RUN: Nested = {
    "a": {"x": 0.5, "u": 0.4, "z": 0.3, "w": 0.9},
    "b": {"x": 1.0},
    "extra": {"x": 1.0},
    "no judgments": {"x": 1.0},
}


def both(
    measures: Any, qrels: Nested = QRELS, run: Nested = RUN, **options: Any
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Our result and the peer's."""
    ours = pytrec_eval.RelevanceEvaluator(qrels, measures, **options).evaluate(run)
    return ours, real_trec.RelevanceEvaluator(qrels, measures, **options).evaluate(run)


class TestRelevanceEvaluator:
    @checks("cf.compat.pytrec_eval", against="pytrec_eval")
    @pytest.mark.slow
    @pytest.mark.parametrize("judged_only", [False, True])
    @pytest.mark.parametrize("level", [1, 2, 3])
    @pytest.mark.parametrize("levels", [(0, 1, 2, 3), (-2, -1, 0, 1, 2, 4)])
    def test_every_measure_agrees(self, levels: tuple[int, ...], level: int, judged_only: bool) -> None:
        compared = 0
        for seed in range(5):
            qrels, run = collection(seed, levels)
            ours, theirs = both(
                real_trec.supported_measures,
                qrels,
                run,
                relevance_level=level,
                judged_docs_only_flag=judged_only,
            )
            assert list(ours) == list(theirs)  # in the order of the run
            assert ours.keys() == qrels.keys() - {"7", "21"}
            assert all(list(ours[t]) == list(theirs[t]) for t in theirs)
            assert not differences(ours, theirs)
            compared += sum(map(len, theirs.values()))
        assert compared == 5 * 58 * 95

    def test_nan_comes_only_from_recall_points_of_lists_without_a_judged_document(self) -> None:
        """So that reading NaN as 0 above hides nothing else."""
        qrels, run = {"1": {"d1": 1}}, {"1": {"d2": 1.0}}
        ours, theirs = both(["all_trec"], qrels, run, judged_docs_only_flag=True)
        undefined = {name for name, value in theirs["1"].items() if math.isnan(value)}
        assert undefined == {"iprec_at_recall_0.00", "11pt_avg"}
        assert all(ours["1"][name] == 0 for name in undefined)
        usual, _ = both(["all_trec"], *collection(1, (0, 1, 2)))
        assert not any(math.isnan(x) for values in usual.values() for x in values.values())

    @pytest.mark.parametrize(
        "measures",
        [
            ["ndcg_cut_10"],
            ["ndcg_cut"],
            {"P", "recall", "success"},
            ["ndcg_cut.5,10", "ndcg_cut_3"],
            ["map_cut.100", "map"],
            ["P", "P_3"],  # parameters take the place of the defaults
            ["official", "P_7", "ndcg_cut_7"],
            ["recall_10,5", "recall.10"],
            ["success.1,5"],
            ["P_05"],
            ["iprec_at_recall"],
            ["iprec_at_recall_0.2", "iprec_at_recall.0.255,0.5"],
            ["Rprec_mult", "Rprec"],
            ["Rprec_mult.1.5"],
            ["set_F"],
            ["set_F.2"],
            ["set_F_0.5"],
            ["11pt_avg", "gm_map", "gm_bpref", "infAP", "utility"],
            ["official"],
            ["set"],
            ["all_trec"],
            ("map", "set"),
        ],
    )
    def test_names_parameters_and_keys(self, measures: Any) -> None:
        ours, theirs = both(measures)
        assert {t: list(values) for t, values in ours.items()} == {t: list(values) for t, values in theirs.items()}
        assert not differences(ours, theirs)

    def test_what_is_supported(self) -> None:
        assert pytrec_eval.supported_measures == real_trec.supported_measures
        for name in ("official", "set", "all_trec"):
            assert pytrec_eval.supported_nicknames[name] == set(real_trec.supported_nicknames[name])
        assert set(real_trec.supported_nicknames) - set(pytrec_eval.supported_nicknames) == {
            *("prefs", "all_prefs", "qrels_jg")  # which pytrec_eval knows and cannot compute
        }

    @pytest.mark.parametrize("name", ["foo", "NDCG", "P5", "P_-5", "rbp", "prefs", "unj_5", ""])
    def test_unsupported_in_both(self, name: str) -> None:
        for module in (pytrec_eval, real_trec):
            with pytest.raises(ValueError, match="unsupported measure"):
                module.RelevanceEvaluator(QRELS, [name])

    @pytest.mark.parametrize("name", ["recip_rank_10", "map_5", "ndcg_10", "P_5x", "P_5.5", "P_0", "iprec_at_recall_2"])
    def test_parameters_that_mean_nothing_are_refused(self, name: str) -> None:
        """pytrec_eval ignores them, or brings the interpreter down."""
        with pytest.raises(ValueError, match=name):
            pytrec_eval.RelevanceEvaluator(QRELS, [name])

    def test_set_f_takes_one_parameter(self) -> None:
        with pytest.raises(ValueError, match="set_F"):
            pytrec_eval.RelevanceEvaluator(QRELS, ["set_F_2,3"])

    def test_one_name_is_not_its_letters(self) -> None:
        evaluator = pytrec_eval.RelevanceEvaluator(QRELS, "map")
        assert list(evaluator.evaluate(RUN)["a"]) == ["map"]

    def test_topics(self) -> None:
        ours, theirs = both(["map"])
        assert ours.keys() == theirs.keys() == {"a", "b"}

    @given(st.permutations("abcdefg"), st.sets(st.sampled_from("abcdefg"), min_size=1))
    def test_topics_are_in_the_order_of_the_run(self, run: list[str], judged: set[str]) -> None:
        """Callers pair values with their own lists by position."""
        qrels = {topic: {"x": 1} for topic in sorted(judged)}
        lists = {topic: {"x": 1.0, "y": 0.5 + i} for i, topic in enumerate(run)}
        ours, theirs = both(["map", "ndcg"], qrels, lists)
        assert list(ours) == list(theirs) == [topic for topic in run if topic in judged]
        assert not differences(ours, theirs)

    @pytest.mark.parametrize("qrels", [{}, {"a": {}}])
    def test_without_judgments_there_is_nothing(self, qrels: Nested) -> None:
        ours, theirs = both(["all_trec"], qrels)
        assert ours == theirs == {}

    @given(
        st.dictionaries(
            st.sampled_from("abcdef"),
            st.sampled_from([-math.inf, -3.5, 0, 1, 2.25, True, False, math.inf]),
            min_size=1,
        ),
        st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([True, False, 0, 1, 3]), min_size=1),
    )
    def test_infinity_and_booleans_are_numbers(self, docs: dict[str, float], judged: dict[str, int]) -> None:
        ours, theirs = both(["all_trec"], {"1": judged}, {"1": docs})
        assert list(ours) == list(theirs) == ["1"]
        assert not differences(ours, theirs)

    def test_nan_is_refused(self) -> None:
        """The original puts it anywhere."""
        evaluator = pytrec_eval.RelevanceEvaluator(QRELS, ["map"])
        with pytest.raises(cf.InputError, match="found score nan for document x of topic a"):
            evaluator.evaluate({"a": {"x": math.nan, "y": math.inf}})

    def test_no_run_is_an_empty_one(self) -> None:
        nothing: Any = None
        for module in (pytrec_eval, real_trec):
            assert module.RelevanceEvaluator(QRELS, ["map"]).evaluate(nothing) == {}

    def test_levels_from_1_are_relevant_at_most(self) -> None:
        for module in (pytrec_eval, real_trec):
            with pytest.raises(TypeError, match="relevance_level"):
                module.RelevanceEvaluator(QRELS, ["map"], relevance_level=0)

    @pytest.mark.parametrize("run", [{}, {"extra": {"x": 1.0}}, {"no judgments": {"x": 1.0}}])
    def test_runs_without_a_judged_topic(self, run: Nested) -> None:
        ours, theirs = both(["map", "runid"], run=run)
        assert ours == theirs == {}

    def test_an_empty_list_scores_nothing(self) -> None:
        found = pytrec_eval.RelevanceEvaluator(QRELS, ["all_trec"]).evaluate({"a": {}})["a"]
        assert found["num_rel"] == 2
        assert found["num_ret"] == found["map"] == found["ndcg"] == found["Rndcg"] == 0

    def test_texts_are_zero(self) -> None:
        found = pytrec_eval.RelevanceEvaluator(QRELS, ["runid", "relstring"]).evaluate(RUN)["a"]
        assert found == {"runid": 0.0, "relstring": 0.0}

    def test_one_evaluator_for_many_runs(self) -> None:
        evaluator = pytrec_eval.RelevanceEvaluator(QRELS, ["recip_rank"])
        assert evaluator.evaluate({"a": {"x": 2.0, "y": 1.0}})["a"]["recip_rank"] == 1.0
        assert evaluator.evaluate({"a": {"x": 1.0, "y": 2.0}})["a"]["recip_rank"] == 0.5

    def test_close_scores_are_no_tie(self) -> None:
        """They are in single precision, where the later name comes first."""
        qrels, run = {"1": {"a": 1}}, {"1": {"a": 0.123456789, "b": 0.123456788}}
        ours, theirs = both(["recip_rank"], qrels, run)
        assert ours["1"]["recip_rank"] == 1.0
        assert theirs["1"]["recip_rank"] == 0.5

    def test_aggregation(self) -> None:
        ours, theirs = both(["all_trec"], *collection(3, (0, 1, 2, 3)))
        for name in theirs["1"]:
            a = pytrec_eval.compute_aggregated_measure(name, [x[name] for x in ours.values()])
            b = real_trec.compute_aggregated_measure(name, [x[name] for x in theirs.values()])
            assert a == pytest.approx(b, rel=1e-12, abs=1e-12), name
        assert math.isnan(pytrec_eval.compute_aggregated_measure("map", []))

    @given(st.lists(st.floats(-12, 12), min_size=1, max_size=300))
    def test_the_same_values_are_aggregated_to_the_last_bit(self, values: list[float]) -> None:
        for name in ("map", "num_ret", "gm_map"):
            ours = pytrec_eval.compute_aggregated_measure(name, values)
            theirs = real_trec.compute_aggregated_measure(name, values)
            assert ours == theirs
            assert type(ours) is type(theirs) is float

    def test_every_public_name_is_here(self) -> None:
        own = {"parse_run", "parse_qrel", "compute_aggregated_measure", *real_trec.__all__}
        assert own == set(pytrec_eval.__all__)
        for name in own - {"RelevanceEvaluator"}:
            assert type(getattr(pytrec_eval, name)) is type(getattr(real_trec, name))
        for name in ("parse_run", "parse_qrel", "compute_aggregated_measure"):
            ours, theirs = (
                list(inspect.signature(getattr(module, name)).parameters) for module in (pytrec_eval, real_trec)
            )
            assert ours == theirs
        for method in ("__init__", "evaluate"):
            ours, theirs = (
                list(inspect.signature(getattr(module.RelevanceEvaluator, method)).parameters)
                for module in (pytrec_eval, real_trec)
            )
            assert ours == theirs


class TestParsing:
    LINES = ("q1 Q0 d1 1 2.5 tag\n", "q2 Q0 d1\t1 -1e3 tag\n", "q1 Q0 d2 2 2 tag")
    JUDGED = ("q1 0 d1 2\n", "q2 0  d1 -1\n", "q1 0 d2 0")

    def test_files_are_read_as_there(self) -> None:
        for name, lines in (("parse_run", self.LINES), ("parse_qrel", self.JUDGED)):
            ours, theirs = getattr(pytrec_eval, name)(lines), getattr(real_trec, name)(lines)
            assert ours == theirs
            assert repr(ours) == repr(theirs)  # a defaultdict, too
            assert ours["new"] == theirs["new"] == {}

    @pytest.mark.parametrize(
        ("parse", "line"),
        [(pytrec_eval.parse_run, LINES[0]), (pytrec_eval.parse_qrel, JUDGED[0])],
    )
    def test_mistakes_are_told(self, parse: Callable[[list[str]], Any], line: str) -> None:
        with pytest.raises(cf.InputError, match="duplicate document 'd1' in topic q1"):
            parse([line, line])
        with pytest.raises(cf.InputError, match=r"2: found 2 fields \(q1 0\)"):
            parse([line, "q1 0"])
