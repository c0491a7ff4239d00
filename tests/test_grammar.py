"""Measures as text: what is written parses, what is parsed is written the same, nothing is run."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures.base import REGISTRY
from cranfield.measures.gains import NAMES as GAINS
from cranfield.measures.names import ALIASES, NTCIREVAL, TREC_EVAL
from cranfield.measures.references import REFERENCES

BUILT_IN = [c for c in REGISTRY.values() if c.__module__.startswith("cranfield.measures")]
EACH = pytest.mark.parametrize("cls", BUILT_IN, ids=str)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The registry, to be put back as it was."""
    before = dict(REGISTRY)
    yield REGISTRY
    REGISTRY.clear()
    REGISTRY.update(before)


def same(text: str, expected: cf.Measure) -> None:
    got = cf.parse_measure(text)
    assert got == expected, (text, got)
    assert hash(got) == hash(expected)
    assert cf.parse_measure(str(got)) == expected


# -- round trips ------------------------------------------------------------------------------


def values_of(f: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Legal values of a parameter."""
    if f.name == "gain":
        table = st.lists(st.floats(0, 1e6) | st.integers(0, 9), min_size=1, max_size=5)
        return st.sampled_from(GAINS) | table.map(lambda gains: tuple(sorted(gains)))
    if f.metadata["choices"]:
        return st.sampled_from(f.metadata["choices"])
    if isinstance(f.default, bool):
        return st.booleans()
    low, high = max(f.metadata["low"], -1e12), min(f.metadata["high"], 1e12)
    ends = {"exclude_min": f.metadata["open"], "exclude_max": f.metadata["open"]}
    numbers = st.floats(low, high, **ends)
    return numbers if f.default is not None else st.none() | numbers


@st.composite
def measures(draw: st.DrawFn) -> cf.Measure:
    cls = draw(st.sampled_from(BUILT_IN))
    chosen = {f.name: draw(values_of(f)) for f in cls.parameters() if draw(st.booleans())}
    return cls(**chosen, cutoff=draw(st.none() | st.integers(1, 10**9)))


class TestRoundTrip:
    @given(measures())
    @settings(max_examples=300, deadline=None)
    def test_the_canonical_form_parses_to_the_same_value(self, m: cf.Measure) -> None:
        same(str(m), m)
        assert repr(m) == str(m)
        assert str(cf.parse_measure(str(m))) == str(m)

    @given(measures())
    @settings(max_examples=100, deadline=None)
    def test_it_shows_every_parameter_that_is_not_the_default(self, m: cf.Measure) -> None:
        for f in m.parameters():
            assert (f"{f.name}=" in str(m)) is (getattr(m, f.name) != f.default)

    @given(measures())
    @settings(max_examples=100, deadline=None)
    def test_case_and_blanks_do_not_matter(self, m: cf.Measure) -> None:
        name = type(m).__name__
        for spelling in (name.lower(), name.upper()):
            if spelling.lower() in REGISTRY:
                same(str(m).replace(name, spelling, 1), m)
        spaced = str(m).replace("(", "( ").replace(")", " )").replace("=", " = ")
        same(f"  {spaced}\t", m)

    @given(st.lists(measures(), min_size=1, max_size=6))
    @settings(max_examples=100, deadline=None)
    def test_several_in_one_string(self, many: list[cf.Measure]) -> None:
        expected = tuple(dict.fromkeys(many))
        for separator in (" ", ", ", "\n", "  \t "):
            assert cf.parse_measures(separator.join(map(str, many))) == expected
        assert cf.parse_measures(many) == expected
        assert cf.parse_measures([str(m) for m in many]) == expected
        assert cf.parse_measures(many[0]) == (many[0],)

    @EACH
    def test_bare_names(self, cls: type[cf.Measure]) -> None:
        assert str(cls) == cls.__name__ == str(cls())
        same(cls.__name__, cls())
        same(f"{cls.__name__}@7", cls @ 7)
        same(f"{cls.__name__}()", cls())
        assert cf.parse_measure(cls) == cls()
        assert cf.parse_measures(cls) == (cls(),)

    def test_names_are_unique_ignoring_case(self) -> None:
        assert all(name == c.__name__.lower() for name, c in REGISTRY.items())

    @pytest.mark.parametrize("c", BUILT_IN, ids=str)
    def test_every_built_in_is_exported(self, c: type[cf.Measure]) -> None:
        assert getattr(cf, c.__name__) is c
        assert c.__name__ in cf.__all__


EXPRESSIONS = {
    "nDCG@10": cf.nDCG @ 10,
    "nDCG(gain=exp)@20": cf.nDCG(gain="exp") @ 20,
    "AP(rel=2)": cf.AP(rel=2),
    "AP(norm=R)@100": cf.AP(norm="R") @ 100,
    "Q(beta=10)@1000": cf.Q(beta=10) @ 1000,
    "RBP(p=0.95)": cf.RBP(p=0.95),
    "RBP(p=0.5, gain=1:2.5:4)": cf.RBP(p=0.5, gain="1:2.5:4"),
    "ERR(prob=linear, max_level=4)@20": cf.ERR(prob="linear", max_level=4) @ 20,
    "P(rel=1.5, condensed=true)@5": cf.P(rel=1.5, condensed=True) @ 5,
    "nDCG(discount=jk, b=3)": cf.nDCG(discount="jk", b=3),
    "AP(rel=-1)": cf.AP(rel=-1),
    "RR(rel=1e-05)": cf.RR(rel=1e-5),
}


class TestExpressions:
    @pytest.mark.parametrize("text", EXPRESSIONS)
    def test_strings_and_expressions_mean_the_same(self, text: str) -> None:
        expected = EXPRESSIONS[text]
        same(text, expected)
        assert str(expected) == text

    def test_values_are_normalised(self) -> None:
        assert cf.AP(rel=2) == cf.AP(rel=2.0) == cf.AP(rel=np.int64(2)) == cf.AP(rel=np.float32(2))
        assert cf.RBP(gain=[1, 2]) == cf.RBP(gain=(1.0, 2.0)) == cf.RBP(gain="1:2")
        assert cf.P @ 5 == cf.P @ np.int64(5) == cf.P @ 5.0
        assert str(cf.P @ 5.0) == "P@5"
        assert cf.AP(condensed=np.bool_(True)) == cf.AP(condensed=True)

    def test_defaults_are_not_shown(self) -> None:
        assert str(cf.RBP(p=0.8, gain="linear", rel=None, condensed=False)) == "RBP"

    def test_a_cutoff_replaces_a_cutoff(self) -> None:
        assert (cf.P @ 5) @ 10 == cf.P @ 10

    def test_measures_are_values(self) -> None:
        m = cf.AP(rel=2)
        with pytest.raises(dataclasses.FrozenInstanceError):
            m.rel = 3  # type: ignore[misc]
        assert {cf.AP(rel=2): 1}[m] == 1
        assert cf.AP() != cf.RR()
        assert cf.AP() != cf.AP @ 10
        assert cf.AP() != "AP"

    def test_columns_are_named_canonically(self) -> None:
        names = ["map", "ndcg_cut_10", "RBP( p = .5 )@3", cf.Q @ 5]
        scores = cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, names)
        assert scores.measures == ("AP", "nDCG@10", "RBP(p=0.5)@3", "Q@5")

    def test_the_same_measure_twice_is_one(self) -> None:
        scores = cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, "AP map AP(norm=min) recip_rank RR")
        assert scores.measures == ("AP", "RR")


class TestCalling:
    """A measure is called with the levels of one list, from the top."""

    def test_without_judgments(self) -> None:
        assert (cf.P @ 4)([1, 0, None, 2]) == 0.5
        assert cf.RR()([None, 0, 3]) == 1 / 3
        assert (cf.Success @ 1)([]) == 0.0
        assert cf.RBP(p=0.5, max_level=2)([2, 1]) == 0.625
        assert cf.NumRet()([1, None]) == 2.0

    def test_with_judgments_in_any_order(self) -> None:
        assert cf.AP()([1, None, 2], judged=[0, 2, 1, 1]) == (1 + 2 / 3) / 3
        assert cf.nDCG()([1, 2], judged=[1, 2]) == cf.nDCG()([1, 2], judged=[2, 1]) < 1
        assert cf.Recall()([], judged=[1]) == 0.0

    @pytest.mark.parametrize(
        "text", ["AP", "Recall@5", "nDCG", "Q", "bpref", "ERR", "RBP", "NumRel"]
    )
    def test_what_needs_judgments_says_so(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError, match=f"{text} needs .*judged="):
            cf.parse_measure(text)([1, 0])

    def test_judgments_hold_the_levels_of_the_list(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found level 2 in the list more often"):
            cf.AP()([2, 2], judged=[2, 1])


# -- other tools' names -----------------------------------------------------------------------

FOREIGN = {
    # trec_eval
    "map": "AP",
    "map@100": "AP(norm=R)@100",
    "map_cut_100": "AP(norm=R)@100",
    "map_cut.100": "AP(norm=R)@100",
    "trec:map": "AP",
    "trec:map_cut_100": "AP(norm=R)@100",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "trec:ndcg_cut_10": "nDCG@10",
    "P_5": "P@5",
    "P.5": "P@5",
    "recall_1000": "Recall@1000",
    "success_1": "Success@1",
    "recip_rank": "RR",
    "bpref": "bpref",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    # ir_measures
    "AP(rel=2)@100": "AP(rel=2)@100",
    "R@1000": "Recall@1000",
    "MRR@10": "RR@10",
    "P(rel=2)@5": "P(rel=2)@5",
    "nDCG(dcg='exp-log2')@10": "nDCG(gain=exp)@10",
    'nDCG(dcg="log2")@10': "nDCG@10",
    "nDCG(judged_only=True)@10": "nDCG(condensed=true)@10",
    "AP(judged_only=true, rel=2)": "AP(rel=2, condensed=true)",
    "P(cutoff=5)": "P@5",
    "ERR@20": "ERR@20",
    "RBP(p=0.9, rel=1)": "RBP(p=0.9, rel=1)",
    "RBP(p=0.9, max_rel=4)": "RBP(p=0.9, max_level=4)",
    "Success@5": "Success@5",
    "Judged@10": "Judged@10",
    "NumQ": "NumQ",
    # ranx
    "precision@10": "P@10",
    "recall@10": "Recall@10",
    "hit_rate@5": "Success@5",
    "hits@10": "NumRelRet@10",
    "mrr": "RR",
    "mrr@10": "RR@10",
    "map-l2": "AP(rel=2)",
    "mrr@10-l2": "RR(rel=2)@10",
    "ndcg@10-l2": "nDCG(rel=2)@10",
    "ndcg_burges@10": "nDCG(gain=exp)@10",
    "rbp.95": "RBP(p=0.95, rel=1)",
    "rbp.5-l2": "RBP(p=0.5, rel=2)",
    # NTCIREVAL
    "MSnDCG@0010": "nDCG@10",
    "MSnDCG@10": "nDCG@10",
    "nDCG@0010": "nDCG(discount=jk)@10",
    "nDCG@1000": "nDCG@1000",
    "nDCG@01000": "nDCG(discount=jk)@1000",
    "Q@0005": "Q@5",
    "Q-measure": "Q",
    "Hit@0010": "Success@10",
    "Hit@10": "Success@10",
    "P@0010": "P@10",
    "AP@0010": "AP@10",
    "ntcir:nDCG": "nDCG(discount=jk)",
    "ntcir:nDCG@10": "nDCG(discount=jk)@10",
    "ntcir:MSnDCG@10": "nDCG@10",
    "ntcir:ERR": "ERR(prob=linear)",
    "ntcir:RBP": "RBP(p=0.95)",
    "ntcir:RBP(p=0.9)": "RBP(p=0.9)",
    "NTCIR:Q-measure": "Q",
}


class TestForeignNames:
    @pytest.mark.parametrize("text", FOREIGN)
    def test_mean_what_they_mean_there(self, text: str) -> None:
        assert str(cf.parse_measure(text)) == FOREIGN[text]

    @pytest.mark.parametrize("name", ALIASES)
    def test_every_alias_is_known(self, name: str) -> None:
        plain, _, at_cutoff = ALIASES[name].partition("|")
        assert cf.parse_measure(name) == cf.parse_measure(plain)
        assert cf.parse_measure(name + "@7") == cf.parse_measure(at_cutoff or plain) @ 7
        assert cf.parse_measure(name.upper()) == cf.parse_measure(plain)

    @pytest.mark.parametrize("name", TREC_EVAL)
    def test_every_trec_eval_name_is_known(self, name: str) -> None:
        plain = TREC_EVAL[name].partition("|")[0]
        assert cf.parse_measure("trec:" + name) == cf.parse_measure(plain)

    @pytest.mark.parametrize("name", NTCIREVAL)
    def test_every_ntcireval_name_is_known(self, name: str) -> None:
        assert cf.parse_measure("ntcir:" + name) == cf.parse_measure(NTCIREVAL[name])
        assert cf.parse_measure(name + "@0012") == cf.parse_measure(NTCIREVAL[name]) @ 12

    @pytest.mark.parametrize("text", ["ntcir:bprefs", "trec:Q", "ntcir:nothing@10", "Judged@010"])
    def test_a_tool_does_not_know_everything(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError, match="does not know"):
            cf.parse_measure(text)


# -- several in one string --------------------------------------------------------------------


class TestSplitting:
    @pytest.mark.parametrize(
        "text",
        [
            "AP P@5 RBP(p=0.5, rel=2)@3",
            "AP,  P@5,\nRBP(p=0.5, rel=2)@3",
            "  AP\tP@5\nRBP( p=0.5 ,\nrel=2 )@3 ",
            "AP , P@5 , RBP(p=0.5,rel=2)@3 ,",
        ],
    )
    def test_blanks_outside_brackets_and_commas_before_them(self, text: str) -> None:
        assert cf.parse_measures(text) == (cf.AP(), cf.P @ 5, cf.RBP(p=0.5, rel=2) @ 3)

    def test_mixed(self) -> None:
        assert cf.parse_measures(["AP RR", cf.P @ 5, cf.Q]) == (cf.AP(), cf.RR(), cf.P @ 5, cf.Q())

    @pytest.mark.parametrize("nothing", ["", "  ", [], ["", " "], ","])
    def test_nothing(self, nothing: Any) -> None:
        assert cf.parse_measures(nothing) == ()

    @pytest.mark.parametrize(
        "text",
        ["AP(", "AP((", "AP(rel=2", "AP)", "(AP)", "AP(rel=2))", "P@5 AP(", "AP(rel=(2)", "AP()()"],
    )
    def test_brackets_that_do_not_match(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError):
            cf.parse_measures(text)
        with pytest.raises(cf.CranfieldError):
            cf.parse_measure(text)


# -- mistakes ---------------------------------------------------------------------------------

MISTAKES = {
    "nDCg10": "no measure named 'nDCg10'; did you mean nDCG",
    "nDGC@10": "did you mean nDCG",
    "APs": "did you mean AP",
    "Precisoin@5": "did you mean precision",
    "xyzzy": "no measure named 'xyzzy'; `cranfield measures` lists all",
    "AP(relevance=2)": "AP has no parameter 'relevance', only rel, norm, condensed",
    "P(gain=exp)@5": "P has no parameter 'gain'",
    "RR(p=0.5)": "RR has no parameter 'p'",
    "AP(rel=1, rel=2)": "parameter rel is given twice",
    "AP(rel=1, rel=1)": "parameter rel is given twice",
    "AP(2)": r"AP takes named parameters only, found \(2\)",
    "AP(rel=2, 3)": "AP takes named parameters only",
    "AP(rel=two)": "found rel=two, expected a number",
    "AP(rel=)": "found rel=, expected a number",
    "AP(rel=true)": "found rel=true, expected a number",
    "AP(rel=nan)": "found rel=nan, expected a number",
    "AP(rel=inf)": "found rel=inf, expected a number",
    "AP(norm=S)": "found norm=S, expected min or R",
    "AP(condensed=maybe)": "found condensed=maybe, expected true or false",
    "AP(condensed=1)": "found condensed=1, expected true or false",
    "Q(beta=-1)": "found beta=-1, expected a number from 0",
    "Q(beta=none)": "found beta=none, expected a number from 0",
    "RBP(p=0)": "found p=0, expected a number between 0 and 1",
    "RBP(p=1)": "found p=1, expected a number between 0 and 1",
    "RBP(p=1.5)": "found p=1.5, expected a number between 0 and 1",
    "RBP(max_level=0)": "found max_level=0, expected a number above 0",
    "ERR(prob=cubic)": "found prob=cubic, expected exp or linear",
    "nDCG(b=1, discount=jk)": "found b=1, expected a number above 1",
    "nDCG(gain=cubic)": "found gain 'cubic', expected linear, exp, binary",
    "nDCG(gain=1:x)": "found gain '1:x'",
    "nDCG(gain=1:-2)": "found gain '1:-2'",
    "nDCG(gain=2:1)": "found gain '2:1', expected .* none lower than the one before",
    "nDCG(gain=1:inf)": "found gain '1:inf'",
    "nDCG(gain=)": "found gain ''",
    "AP(,)": "cannot read the parameters",
    "AP(rel=1,,norm=R)": "cannot read the parameters",
    "P@0": "found cutoff 0, expected a whole number from 1",
    "P@00": "found cutoff 0, expected a whole number from 1",
    "P@1.5": "found cutoff 1.5, expected a whole number from 1",
    "P@1.2.3": "cutoff",
    "P@-1": "expected Name",
    "P@abc": "expected Name",
    "P@": "expected Name",
    "P@5@10": "expected Name",
    "@5": "expected Name",
    "P(cutoff=abc)": "cutoff",
    "P(cutoff=inf)": "cutoff",
    "P(cutoff=nan)": "cutoff",
    "P(cutoff=true)": "cutoff",
    "P(cutoff=0)": "found cutoff 0, expected a whole number from 1",
    "P(cutoff=5)@10": "cutoff",
    "P(cutoff=5, cutoff=5)": "twice",
    "nDCG(dcg=exp-log2, gain=linear)": "gain is given twice",  # under two names
    "AP.EU": "AP has no measurement 'EU'",
    "P@5.ED": "P has no measurement 'ED'",
    "AP=2": "expected Name",
}


class TestMistakes:
    @pytest.mark.parametrize("text", MISTAKES)
    def test_are_told(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError, match=MISTAKES[text]) as caught:
            cf.parse_measure(text)
        assert str(caught.value).startswith(f"measure {text!r}: "), caught.value

    @pytest.mark.parametrize(
        "cutoff", [0, -1, 1.5, "abc", "5", None, float("inf"), float("nan"), True]
    )
    def test_cutoffs_in_python(self, cutoff: Any) -> None:
        if cutoff is None:
            assert cf.P @ cutoff == cf.P()
            return
        with pytest.raises(cf.CranfieldError, match="cutoff"):
            cf.P @ cutoff
        with pytest.raises(cf.CranfieldError, match="cutoff"):
            cf.P(cutoff=cutoff)

    @pytest.mark.parametrize("rel", ["2", True, float("nan"), [1], object()])
    def test_parameters_in_python(self, rel: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="found rel="):
            cf.AP(rel=rel)

    @pytest.mark.parametrize("gain", [None, "", [], [-1], ["x"], float("nan"), object(), {}])
    def test_gains_in_python(self, gain: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="found gain"):
            cf.nDCG(gain=gain)

    @pytest.mark.parametrize("thing", [5, None, 1.5, int, object(), [["AP"]]])
    def test_things_that_are_no_measures(self, thing: Any) -> None:
        with pytest.raises(cf.CranfieldError):
            cf.parse_measures([thing])

    def test_unknown_parameters_in_python(self) -> None:
        with pytest.raises(TypeError):
            cf.AP(beta=1)  # type: ignore[call-arg]

    @given(st.text("APnDCG(),@=.:'\"0123456789 relbta_-\n[]", max_size=25) | st.text(max_size=12))
    @settings(max_examples=300, deadline=None)
    def test_any_text_is_a_measure_or_a_mistake(self, text: str) -> None:
        for parse in (cf.parse_measure, cf.parse_measures):
            try:
                found = parse(text)
            except cf.CranfieldError:
                continue
            for m in (found,) if isinstance(found, cf.Measure) else found:
                assert cf.parse_measure(str(m)) == m

    @pytest.mark.parametrize(
        "code",
        [
            "__import__('os').system('touch {}')",
            "AP(rel=__import__('os').system('touch {}'))",
            'AP(rel=exec(\'open("{}", "w")\'))',
            "nDCG(gain=[open('{}', 'w')])@10",
            "P@(lambda: open('{}', 'w'))()",
            "AP(**dict(rel=open('{}','w')))",
        ],
    )
    def test_nothing_is_ever_run(self, tmp_path: Any, code: str) -> None:
        target = tmp_path / "made"
        with pytest.raises(cf.CranfieldError):
            cf.parse_measures(code.format(target))
        with pytest.raises(cf.CranfieldError):
            cf.parse_measure(code.format(target))
        assert not target.exists()


# -- measures of one's own --------------------------------------------------------------------


@pytest.mark.usefixtures("registry")
class TestRegistering:
    def test_by_decorator(self) -> None:
        @cf.measure
        class FirstTwo(cf.Measure):
            """Relevant items among the first two."""

            rel: float | None = cf.param(None, "lowest level that counts")
            weight: float = cf.param(1.0, "what each is worth", low=0)

            def score(self, x: cf.Lists) -> Any:
                return self.weight * cf.total(x.I * (x.r <= 2))

        assert cf.parse_measure("firsttwo(weight=2)") == FirstTwo(weight=2)
        assert str(FirstTwo(weight=2, condensed=True) @ 5) == "FirstTwo(weight=2, condensed=true)@5"
        scores = cf.evaluate(
            {"a": {"x": 1, "y": 2, "z": 1}}, {"a": ["x", "y", "z"]}, "FirstTwo FirstTwo(rel=2) AP"
        )
        assert scores.values.tolist() == [[[2.0, 1.0, 1.0]]]
        assert FirstTwo()([1, 0, 1]) == 1.0
        with pytest.raises(cf.CranfieldError, match="found weight=-1, expected a number from 0"):
            cf.parse_measure("FirstTwo(weight=-1)")

    def test_the_shared_settings_reach_it(self) -> None:
        @cf.measure
        class Gained(cf.Measure):
            """All that was gained."""

            gain: Any = cf.param("linear", "gain")

            def score(self, x: cf.Lists) -> Any:
                return cf.total(x.g)

        qrels, run = {"a": {"x": 2, "y": 1}}, {"a": ["u", "x", "y"]}
        names = "Gained Gained@2 Gained(gain=exp) Gained(condensed=true)@1"
        assert cf.evaluate(qrels, run, names).values.tolist() == [[[3.0, 2.0, 4.0, 2.0]]]

    @pytest.mark.parametrize("name", ["AP", "ap", "NDCG", "bPref"])
    def test_not_over_a_built_in(self, name: str) -> None:
        before = REGISTRY[name.lower()]
        with pytest.raises(cf.CranfieldError, match=f"a measure named {before.__name__} already"):
            cf.measure(type(cf.Measure)(name, (cf.Measure,), {"__module__": __name__}))
        assert REGISTRY[name.lower()] is before

    def test_over_ones_own(self) -> None:
        for value in (1.0, 2.0):

            @cf.measure
            class Mine(cf.Measure):
                """A constant."""

                def score(self, x: cf.Lists, value: float = value) -> Any:
                    return np.full(len(x), value)

        assert cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, "Mine").values.tolist() == [[[2.0]]]

    def test_over_an_alias(self) -> None:
        @cf.measure
        class Hit(cf.Measure):
            """Someone else's idea of a hit."""

            def score(self, x: cf.Lists) -> Any:
                return np.full(len(x), 7.0)

        assert cf.parse_measure("hit") == Hit()

    def test_without_a_score(self) -> None:
        @cf.measure
        class Nothing(cf.Measure):
            """Forgotten."""

        with pytest.raises(TypeError, match="Nothing defines no score"):
            cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, "Nothing")

    def test_several_columns(self) -> None:
        @cf.measure
        class Both(cf.Measure):
            """Relevant items, and items."""

            columns = ("a", "b")
            rel: float | None = cf.param(None, "threshold")

            def score(self, x: cf.Lists) -> Any:
                return np.stack((cf.total(x.I), cf.total(x.judged)), axis=1)

        qrels = {"q": {"x": 1, "y": 0, "z": 2}, "r": {"x": 1}}
        run = {"q": ["x", "y", "z"], "r": ["u"]}
        scores = cf.evaluate(qrels, run, "Both Both(rel=2)@2 AP")
        assert scores.measures == ("Both.a", "Both.b", "Both(rel=2)@2.a", "Both(rel=2)@2.b", "AP")
        assert scores.values[0, 0, :4].tolist() == [2.0, 3.0, 0.0, 2.0]
        assert scores.values[0, 1, :4].tolist() == [0.0, 0.0, 0.0, 0.0]
        alone = cf.evaluate(qrels, run, "Both.b Both(rel=2)@3.a")
        assert alone.measures == ("Both.b", "Both(rel=2)@3.a")
        assert alone.values[0, 0].tolist() == [3.0, 1.0]
        in_blocks = cf.evaluate(qrels, run, "Both.b", block_cells=1)
        assert in_blocks.values.tolist() == alone.select(measures="Both.b").values.tolist()
        same("Both(rel=2)@3.a", Both(rel=2, cutoff=3, measurement="a"))
        assert cf.parse_measure("Both.a")([1, 0]) == 1.0
        with pytest.raises(cf.CranfieldError, match=r"several numbers: ask for one of Both\.a"):
            Both()([1, 0])
        with pytest.raises(cf.CranfieldError, match="Both has no measurement 'c', only a, b"):
            cf.parse_measure("Both.c")

    @pytest.mark.parametrize("shape", [(), (3,), (1, 2), (1, 1, 1)])
    def test_a_score_of_another_shape(self, shape: tuple[int, ...]) -> None:
        @cf.measure
        class Odd(cf.Measure):
            """Not one number a topic."""

            def score(self, x: cf.Lists) -> Any:
                return np.zeros(shape)

        with pytest.raises(cf.CranfieldError, match="Odd: score gave shape"):
            cf.evaluate({"q": {"x": 1}}, {"q": ["x"]}, "Odd")

    def test_several_columns_may_be_undefined(self) -> None:
        @cf.measure
        class Pair(cf.Measure):
            """Two of them."""

            columns = ("a", "b")

            def score(self, x: cf.Lists) -> Any:
                return np.ones((len(x), 2))

        qrels, run = {"q": {"x": 0}, "r": {"x": 1}}, {"q": ["x"], "r": ["x"]}
        scores = cf.evaluate(qrels, run, "Pair", undefined="nan")
        assert np.isnan(scores.values[0]).tolist() == [[True, True], [False, False]]

    def test_a_column_asked_for_twice(self) -> None:
        @cf.measure
        class Twin(cf.Measure):
            """Two of them."""

            columns = ("a", "b")

            def score(self, x: cf.Lists) -> Any:
                return np.ones((len(x), 2))

        try:
            scores = cf.evaluate({"q": {"x": 1}}, {"q": ["x"]}, "Twin Twin.a")
        except cf.CranfieldError:
            return  # saying so is as good as leaving it out
        assert scores.measures == ("Twin.a", "Twin.b")


# -- the documentation every measure carries --------------------------------------------------

COUNTS = {"NumQ", "NumRet", "NumRel", "NumRelRet"}


@EACH
class TestDocumentation:
    def test_begins_with_a_sentence(self, cls: type[cf.Measure]) -> None:
        first = (inspect.getdoc(cls) or "").partition("\n")[0]
        assert re.fullmatch(r"\S.{10,90}\.", first), first

    def test_has_an_equation(self, cls: type[cf.Measure]) -> None:
        if cls.__name__ in COUNTS:
            assert cls.range == "whole numbers"
            return
        text = (inspect.getdoc(cls) or "").partition(">>>")[0]
        assert re.search(rf"^\s*{cls.__name__}\S*\s+=\s", text, re.MULTILINE), text

    def test_has_references_that_exist(self, cls: type[cf.Measure]) -> None:
        assert bool(cls.references) or cls.__name__ in COUNTS
        for key in cls.references:
            entry = REFERENCES[key]
            assert re.match(rf"@\w+\{{{key},", entry)
            assert all(re.search(rf"\b{f} = \{{", entry) for f in ("author", "title", "year"))

    def test_says_what_it_suits_and_its_range(self, cls: type[cf.Measure]) -> None:
        assert cls.range
        assert cls.task or cls.__name__ in COUNTS
        assert cls.summary == ("sum" if cls.__name__ in COUNTS else "mean")

    def test_has_an_example_that_runs(self, cls: type[cf.Measure]) -> None:
        module = inspect.getmodule(cls)
        assert module is not None
        examples = doctest.DocTestFinder(recurse=False).find(
            cls, cls.__name__, module, globs=vars(module).copy()
        )
        assert sum(len(e.examples) for e in examples) >= 1
        runner = doctest.DocTestRunner(verbose=False)
        for e in examples:
            runner.run(e)
        assert runner.summarize(verbose=False).failed == 0

    def test_explains_its_parameters(self, cls: type[cf.Measure]) -> None:
        names = [f.name for f in cls.parameters()]
        assert names[-1] == "condensed"
        for f in cls.parameters():
            assert len(f.metadata["doc"]) > 8, f.name


def test_every_reference_is_used() -> None:
    used = {key for c in BUILT_IN for key in c.references}
    assert used == set(REFERENCES)
