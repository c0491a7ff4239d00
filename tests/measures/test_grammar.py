"""Measures as text: what is written parses, what is parsed is written the same, nothing is run."""

from __future__ import annotations

import copy
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield import measures as measure_modules
from cranfield.measures.base import MEASUREMENTS, READINGS, REGISTRY, find_classes
from cranfield.measures.cwl import list_models
from cranfield.measures.gains import NAMES as GAINS
from cranfield.measures.grammar import parse_model
from cranfield.measures.names import ALIASES, IR_MEASURES, NOT_MEASURES, NTCIREVAL, TREC_EVAL
from cranfield.measures.parameters import SMALLEST, Choice, Flag, Table
from cranfield.references import read_references
from cranfield.stats.references import METHODS
from tests.compat.made import own
from tests.made import each, examples, seconds

BUILT_IN = [c for c in REGISTRY.values() if c.__module__.startswith("cranfield.measures") and c.takes_rankings()]
OF_ALL_KINDS = [c for c in REGISTRY.values() if c.__module__.startswith("cranfield.measures")]
EACH = each("cls", BUILT_IN)
MODELS = [c for c in BUILT_IN if issubclass(c, cf.UserModel)]  # those with a name of their own
EACH_MODEL = each("cls", dict.fromkeys(list_models().values()))


def same(text: str, expected: cf.Measure) -> None:
    got = cf.parse_measure(text)
    assert got == expected, (text, got)
    assert hash(got) == hash(expected)
    assert cf.parse_measure(str(got)) == expected


# -- round trips ------------------------------------------------------------------------------


def is_of_a_size(number: float) -> bool:
    return number == 0 or abs(number) >= SMALLEST


def values_of(f: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Legal values of a parameter."""
    if f.name == "gain":
        table = st.lists(st.floats(0, 1e6) | st.integers(0, 9), min_size=1, max_size=5)
        return st.sampled_from(GAINS) | table.map(lambda gains: tuple(sorted(gains)))
    kind = f.metadata["kind"]
    if isinstance(kind, Table):
        numbers = st.floats(kind.low, min(kind.high, 1e12), exclude_min=kind.open)
        entries = st.lists(numbers, min_size=1, max_size=5).map(tuple)
        return st.sampled_from([f.default, *kind.choices]) | entries
    if isinstance(kind, Choice):
        return st.sampled_from(kind.choices)
    if isinstance(kind, Flag):
        return st.booleans()
    low, high = max(kind.low, -1e12), min(kind.high, 1e12)
    whole = st.integers(int(low), int(high))
    ends = {"exclude_min": kind.open, "exclude_max": kind.open}
    numbers = whole if kind.integer else st.floats(low, high, **ends).filter(is_of_a_size)
    return numbers if f.default is not None else st.none() | numbers


@st.composite
def measures(draw: st.DrawFn) -> cf.Measure:
    cls = draw(st.sampled_from([*BUILT_IN, *READINGS.values()]))
    chosen = {f.name: draw(values_of(f)) for f in cls.list_parameters() if draw(st.booleans())}
    for low, high in (("min_gain", "max_gain"), ("min_cost", "max_cost")):  # not the other way
        given: list[Any] = [chosen.get(x) for x in (low, high)]
        if None not in given:
            chosen[low], chosen[high] = sorted(given)
        elif low in chosen or high in chosen:
            chosen |= {low: 1.0, high: 2.5}
    if chosen.get("gain") == "raw" and not (issubclass(cls, cf.UserModel) or cls.takes_raw_gains):
        chosen["gain"] = "unit"
    if chosen.get("beta") == 0 and cls is cf.SET:
        chosen["beta"] = 0.25
    if chosen.get("trail") == "shared":  # which only users of a trail of texts have
        chosen["base"] = cf.U()
    recalls = st.just(0.0) | st.floats(1e-4, 1)  # smaller ones: test_a_recall_with_an_exponent
    deepest = 10**6 if issubclass(cls, cf.UserModel) else 10**9
    at = recalls if cls is cf.IPrec else st.integers(1, deepest)
    alone = [] if cls in READINGS.values() and cls not in BUILT_IN else [""]
    measurement = draw(st.sampled_from([*alone, *cls.columns, *cls.measurements]))
    return cls(**chosen, cutoff=draw(st.none() | at), measurement=measurement)


def some_cutoff(cls: type[cf.Measure]) -> int:
    """A rank, or the one number that is a recall as well."""
    return 1 if cls is cf.IPrec else 7


class TestRoundTrip:
    @given(measures())
    @settings(max_examples=examples(300))
    def test_the_canonical_form_parses_to_the_same_value(self, m: cf.Measure) -> None:
        same(str(m), m)
        assert repr(m) == str(m)
        assert str(cf.parse_measure(str(m))) == str(m)

    @given(measures())
    @settings(max_examples=examples(100))
    def test_it_shows_every_parameter_that_is_not_the_default(self, m: cf.Measure) -> None:
        for f in m.list_parameters():
            shown = re.search(rf"[( ]{f.name}=", str(m)) is not None
            assert shown is (getattr(m, f.name) != f.default)

    @given(measures())
    @settings(max_examples=examples(100))
    def test_case_and_blanks_do_not_matter(self, m: cf.Measure) -> None:
        name = type(m).__name__
        for spelling in (name.lower(), name.upper()):
            found = [READINGS.get(c.__name__, c) if m.measurement in MEASUREMENTS else c
                     for c in find_classes(spelling)]  # fmt: skip
            if found == [type(m)]:  # all but GAP and gAP, NRBP and nRBP
                same(str(m).replace(name, spelling, 1), m)
        spaced = str(m).replace("(", "( ").replace(")", " )").replace("=", " = ")
        same(f"  {spaced}\t", m)

    @given(st.lists(measures(), min_size=1, max_size=6))
    @settings(max_examples=examples(100))
    def test_several_in_one_string(self, many: list[cf.Measure]) -> None:
        expected = tuple(dict.fromkeys(many))
        for separator in (" ", ", ", "\n", "  \t "):
            assert cf.parse_measures(separator.join(map(str, many))) == expected
        assert cf.parse_measures(many) == expected
        assert cf.parse_measures([str(m) for m in many]) == expected
        assert cf.parse_measures(many[0]) == (many[0],)

    @EACH
    def test_bare_names(self, cls: type[cf.Measure]) -> None:
        assert str(cls) == cls.__name__ == str(cls()).removesuffix("(nDCG)")
        same(cls.__name__, cls())
        k = some_cutoff(cls)
        same(f"{cls.__name__}@{k}", cls @ k)
        same(f"{cls.__name__}()", cls())
        assert cf.parse_measure(cls) == cls()
        assert cf.parse_measures(cls) == (cls(),)

    def test_names_are_unique_ignoring_case_but_for_few(self) -> None:
        assert all(name == c.__name__ for name, c in REGISTRY.items())
        by_letters = defaultdict(set)
        for name in REGISTRY:
            by_letters[name.lower()].add(name)
        twins = [names for names in by_letters.values() if len(names) > 1]
        assert sorted(map(sorted, twins)) == [["GAP", "gAP"], ["NRBP", "nRBP"], ["SDCG", "sDCG"]]

    def test_names_are_found_letter_for_letter_then_ignoring_case(self) -> None:
        assert find_classes("GAP") == [cf.GAP]
        assert find_classes("gAP") == [cf.gAP]
        both: set[type[cf.Measure]] = {cf.GAP, cf.gAP}
        assert set(find_classes("gap")) == set(find_classes("Gap")) == both
        assert find_classes("NDCG") == find_classes("ndcg") == find_classes("nDCG") == [cf.nDCG]
        assert find_classes("nothing") == []

    def test_where_case_matters_both_are_named(self) -> None:
        assert cf.parse_measures("GAP gAP") == (cf.GAP(), cf.gAP())
        with pytest.raises(cf.CranfieldError, match=r"ambiguous name. Did you mean GAP or gAP\?"):
            cf.parse_measure("gap@10")
        same("ntcir:gap@10", cf.GAP(thresholds="level") @ 10)  # NTCIREVAL has only one of them

    @each("c", BUILT_IN)
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
    "IPrec@0.1": cf.IPrec @ 0.1,
    "IPrec@1": cf.IPrec @ 1.0,
    "IPrec@0": cf.IPrec @ 0,
    "GAP(thresholds=3:2:1)": cf.GAP(thresholds=[3, 2, 1]),
    "GAP(thresholds=level)@10": cf.GAP(thresholds="level") @ 10,
    "WRR(beta=inf)": cf.WRR(beta=np.inf),
    "WRR(beta=4:3.5:2)": cf.WRR(beta=(4, 3.5, 2)),
    "NCU(stop=rb, utility=P, gamma=0.9)@5": cf.NCU(stop="rb", utility="P", gamma=0.9) @ 5,
    "NCU(stops=1:3)": cf.NCU(stops="1:3"),
    "RBP.residual": cf.RBP(measurement="residual"),
    "RBP(p=0.5)@10.residual": cf.RBP(p=0.5, cutoff=10, measurement="residual"),
    "DCG@10.ideal": cf.DCG(cutoff=10, measurement="ideal"),
    "INST(T=2)": cf.INST(T=2),
    "INST(T=2).ETC": cf.INST(T=2).ETC,
    "INSQ(n=20)@10.ED": (cf.INSQ(n=20) @ 10).ED,
    "BPMD(T=2, hb=0.5, update_K=false).ETU": cf.BPMD(T=2, hb=0.5, update_K=False).ETU,
    "IFT(T=1, b1=0.5, A=0.5)": cf.IFT(T=1, b1=0.5, A=0.5),
    "NPV(gain=0.2:1, n=50, max_gain=2, max_cost=3, min_cost=0.5, totals=W)": cf.NPV(
        gain="0.2:1", n=50, max_gain=2, max_cost=3, min_cost=0.5, totals="W"
    ),
    "RBP(p=0.5).EU": cf.RBP(p=0.5).EU,
    "P(rel=2)@5.ED": (cf.P(rel=2) @ 5).ED,
    "RR(condensed=true).ETU": cf.RR(condensed=True).ETU,
    "AP.EU": cf.AP().EU,
    "TBG(halflife=22).ETC": cf.TBG(halflife=22).ETC,
    "U(L=50).EU": cf.U(L=50).EU,
    "NCU(stop=rb, gamma=0.5).ED": cf.NCU(stop="rb", gamma=0.5).ED,
    "SDCG@10.EU": (cf.DCG @ 10).EU,
}


class TestExpressions:
    @each("text", EXPRESSIONS)
    def test_strings_and_expressions_mean_the_same(self, text: str) -> None:
        expected = EXPRESSIONS[text]
        same(text, expected)
        assert str(expected) == text

    def test_values_are_normalised(self) -> None:
        numbers: list[Any] = [2, 2.0, np.int64(2), np.float32(2)]
        assert {cf.AP(rel=rel) for rel in numbers} == {cf.AP(rel=2)}
        assert cf.RBP(gain=[1, 2]) == cf.RBP(gain=(1.0, 2.0)) == cf.RBP(gain="1:2")
        assert cf.P @ 5 == cf.P @ cast(int, np.int64(5)) == cf.P @ 5.0
        assert str(cf.P @ 5.0) == "P@5"
        assert cf.AP(condensed=cast(bool, np.bool_(True))) == cf.AP(condensed=True)

    def test_defaults_are_not_shown(self) -> None:
        assert str(cf.RBP(p=0.8, gain="linear", rel=None, condensed=False)) == "RBP"

    def test_a_cutoff_replaces_a_cutoff(self) -> None:
        assert (cf.P @ 5) @ 10 == cf.P @ 10

    def test_measures_are_values(self) -> None:
        m = cf.AP(rel=2)
        with pytest.raises(dataclasses.FrozenInstanceError):
            m.rel = 3
        assert {cf.AP(rel=2): 1}[m] == 1
        assert cf.AP() != cf.RR()
        assert cf.AP() != cf.AP @ 10
        assert cf.AP() != "AP"

    @given(measures(), measures())
    @settings(max_examples=examples(100))
    def test_measures_are_equal_if_they_are_written_the_same(self, m: cf.Measure, other: cf.Measure) -> None:
        assert (m == other) is (str(m) == str(other))
        assert copy.copy(m) == copy.deepcopy(m) == dataclasses.replace(m) == m
        assert {m, copy.copy(m), dataclasses.replace(m)} == {m}

    def test_one_setting_can_be_replaced(self) -> None:
        m = cf.RBP(p=0.5, gain="1:2") @ 10
        assert dataclasses.replace(m, p=0.9) == cf.RBP(p=0.9, gain="1:2") @ 10
        assert dataclasses.replace(m, cutoff=None) == cf.RBP(p=0.5, gain="1:2")
        assert m == cf.RBP(p=0.5, gain="1:2") @ 10
        with pytest.raises(cf.CranfieldError, match="p must be a number between 0 and 1, found 2"):
            dataclasses.replace(m, p=2)  # checked again
        with pytest.raises(TypeError, match=r"unknown parameter 'beta'. Valid: p, gain, rel"):
            dataclasses.replace(m, beta=1)  # type: ignore[call-arg]

    def test_nothing_can_be_set_or_deleted(self) -> None:
        m = cf.nDCG @ 10
        for name in ("gain", "cutoff", "measurement", "something_else"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(m, name, None)
            with pytest.raises(dataclasses.FrozenInstanceError):
                delattr(m, name)
        assert m == cf.nDCG @ 10

    def test_columns_are_named_canonically(self) -> None:
        names: list[str | cf.Measure] = ["map", "ndcg_cut_10", "RBP( p = .5 )@3", cf.Q @ 5]
        scores = cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, names)
        assert scores.measures == ("AP", "nDCG@10", "RBP(p=0.5)@3", "Q@5")

    def test_the_same_measure_twice_is_one(self) -> None:
        scores = cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, "AP map AP(norm=min) recip_rank RR")
        assert scores.measures == ("AP", "RR")

    def test_the_same_measure_twice_by_a_shared_setting(self) -> None:
        qrels, run = {"a": {"x": 1}}, {"a": ["x"]}
        scores = cf.evaluate(qrels, run, "AP AP(condensed=true)", condensed=True)
        assert scores.measures == ("AP(condensed=true)",)


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

    @pytest.mark.parametrize("text", ["AP", "Recall@5", "nDCG", "Q", "bpref", "ERR", "RBP", "NumRel"])
    def test_what_needs_judgments_says_so(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError, match=f"{text} requires .*judged="):
            cf.parse_measure(text)([1, 0])

    def test_judgments_hold_the_levels_of_the_list(self) -> None:
        with pytest.raises(cf.CranfieldError, match="level 2 is more frequent in the list"):
            cf.AP()([2, 2], judged=[2, 1])


# -- tables, measurements, variants -----------------------------------------------------------


class TestTables:
    """Parameters that are a number for each level from 1 on, or a choice."""

    @pytest.mark.parametrize("given", ["3:2:1", [3, 2, 1], (3.0, 2.0, 1.0), np.array([3, 2, 1]), "3.0:2:1e0"], ids=str)
    def test_many_ways_to_write_one(self, given: Any) -> None:
        for m in (cf.GAP(thresholds=given), cf.NCU(stops=given)):
            same(str(m), m)
            assert str(m).endswith("=3:2:1)")
        assert cf.GAP(thresholds=given) == cf.parse_measure("GAP(thresholds='3:2:1')")

    @pytest.mark.parametrize("given", [5, 5.0, "5", [5], np.float64(5)], ids=repr)
    def test_one_number(self, given: Any) -> None:
        assert str(cf.WRR(beta=given)) == "WRR(beta=5)"
        assert cf.WRR(beta=given) == cf.parse_measure("WRR(beta=5)")

    def test_choices(self) -> None:
        assert str(cf.GAP(thresholds="uniform")) == "GAP"
        assert str(cf.GAP(thresholds="level")) == "GAP(thresholds=level)"
        assert cf.parse_measure("WRR(beta=none)") == cf.WRR(beta=None) == cf.WRR()

    @pytest.mark.parametrize("given", ["", "x", "1:x", "1:-2", "1::2", [], [1, None], {}, object(), "nan", [[1, 2]]])
    def test_what_is_no_table(self, given: Any) -> None:
        expected = "must be uniform, or level, or numbers for levels 1, 2, … such as 1:2:3, each"
        with pytest.raises(cf.CranfieldError, match=f"GAP: thresholds {expected}"):
            cf.GAP(thresholds=given)
        with pytest.raises(cf.CranfieldError, match=r"NCU: stops must be .*, each ≥ 0, found"):
            cf.NCU(stops=given)

    @pytest.mark.parametrize("given", ["inf", "1:inf", True])
    def test_stop_values_and_thresholds_are_finite_numbers(self, given: Any) -> None:
        """Infinite ones would make every score NaN; only β may be infinite."""
        with pytest.raises(cf.CranfieldError):
            cf.NCU(stops=given)

    @pytest.mark.parametrize("given", [1, "1", "4:1", [2, 0.5]])
    def test_limits(self, given: Any) -> None:
        with pytest.raises(cf.CranfieldError, match=r"WRR: beta must be .*, each > 1, found"):
            cf.WRR(beta=given)

    def test_infinite_beta_is_rr(self) -> None:
        for levels in ([0, 2, 1], [1], [0, None], [None, None, 3, 1]):
            for name in ("WRR(beta=inf)", "WRR(beta=inf:inf:inf)"):
                assert cf.parse_measure(name)(levels) == cf.RR()(levels)

    @pytest.mark.parametrize("name", ["GAP(thresholds=1:2)", "WRR(beta=4:3)", "NCU(stops=1:2)"])
    def test_levels_beyond_the_table(self, name: str) -> None:
        with pytest.raises(cf.CranfieldError, match="found level 3 in the judgments"):
            cf.parse_measure(name)([3, 1], judged=[3, 1])

    @pytest.mark.usefixtures("registry")
    def test_of_ones_own(self) -> None:
        @cf.measure
        class Tabled(cf.Measure):
            """The first number of a table."""

            worth: Any = cf.param("none", "worth by level", choices=("none",), low=0, table=True)

            def score(self, x: cf.Lists) -> Any:
                return np.full(len(x), self.worth[0])

        assert Tabled(worth="7:8")([1]) == 7.0
        assert cf.parse_measure("tabled(worth=7:8)@3") == Tabled(worth=[7, 8]) @ 3
        with pytest.raises(cf.CranfieldError, match="must be none, or numbers for levels"):
            Tabled(worth="-1")


class TestMeasurements:
    """Other numbers that a measure gives, by a suffix: not shown unless asked for."""

    def test_residual_and_ideal(self) -> None:
        qrels, run = {"a": {"x": 2, "y": 0, "z": 1}}, {"a": ["x", "u", "y"]}
        names = "RBP(p=0.5) RBP(p=0.5).residual RBP(p=0.5)@1.residual DCG DCG.ideal DCG@1.ideal"
        scores = cf.evaluate(qrels, run, names)
        assert list(scores.measures) == names.split()
        judged_weight = 0.5 * (1 + 0.25)  # ranks 1 and 3
        ideal = 2 + 1 / np.log2(3)
        expected = [0.5, 1 - judged_weight, 0.5, 2, ideal, 2]
        assert scores.values[0, 0].tolist() == pytest.approx(expected, abs=1e-15)

    def test_bounds_of_rbp(self) -> None:
        """What unjudged items could add: with all of them judged highest, it is added."""
        levels, best = [1, None, 0, None], [1, 1, 0, 1]
        known, unknown = cf.RBP(p=0.6, max_level=1), cf.RBP(p=0.6, measurement="residual")
        rest = 0.6**4  # below the end of the list
        assert known(levels) + unknown(levels) == pytest.approx(known(best) + rest, abs=1e-15)

    @EACH
    def test_are_documented_and_parse(self, cls: type[cf.Measure]) -> None:
        for measurement in cls.measurements:
            name = f"{cls.__name__}.{measurement}"
            assert name in (inspect.getdoc(cls) or "")
            same(name, cls(measurement=measurement))
            assert cls(measurement=measurement).names() == (name,)
        assert not set(cls.columns) & set(cls.measurements)

    def test_who_has_them(self) -> None:
        others = {c.__name__: c.measurements for c in BUILT_IN if c not in MODELS}
        assert {name: m for name, m in others.items() if m} == {
            "RBP": ("residual",),
            "DCG": ("ideal",),
        }
        assert all(c.measurements == MEASUREMENTS for c in list_models().values())
        assert [c.__name__ for c in BUILT_IN if c().is_user_model()] == [
            c.__name__ for c in BUILT_IN if c in MODELS or c.__name__ in READINGS
        ]
        assert not [c for c in BUILT_IN if c.columns]


class TestReadings:
    """Measures that C/W/L has a reading of: the suffix asks for it."""

    @EACH_MODEL
    @each("measurement", MEASUREMENTS)
    def test_all_five_of_every_model(self, cls: type[cf.UserModel], measurement: str) -> None:
        m = cls(cutoff=7, measurement=measurement)
        same(f"{cls.__name__}@7.{measurement}", m)
        assert str(m) == f"{cls.__name__}@7.{measurement}"
        assert m.names() == (str(m),)
        assert m.to_user_model("ED") == cls(cutoff=7, measurement="ED")

    @each("cls", MODELS)
    def test_a_model_alone_is_expected_utility(self, cls: type[cf.UserModel]) -> None:
        m = cls(n=20)
        assert m != m.EU  # written otherwise
        levels, judged = [0.5, None, 0, 1], [1, 1, 0.5, 0]
        assert m(levels, judged) == m.EU(levels, judged) > 0

    def test_without_a_suffix_it_is_the_measure(self) -> None:
        for name, reading in READINGS.items():
            assert type(cf.parse_measure(name)) is REGISTRY[name]
            assert type(cf.parse_measure(f"{name}.EU")) is reading

    def test_what_is_set_goes_along(self) -> None:
        rbp = cf.RBP(p=0.5, gain="1:2", rel=2, condensed=True) @ 5
        same("RBP(p=0.5, gain=1:2, rel=2, condensed=true)@5.ETU", rbp.ETU)
        assert rbp.ETU == rbp.EU.ETU
        with pytest.raises(cf.CranfieldError, match=r"unknown parameter 'norm'. Valid for its user model:"):
            cf.AP(norm="R").EU  # noqa: B018
        with pytest.raises(cf.CranfieldError, match="no measurement 'EU': not a user model"):
            cf.nDCG().EU  # noqa: B018


class TestCurve:
    """IPrec: the number behind @ is a recall, and without it there are eleven."""

    def test_eleven_numbers(self) -> None:
        names = tuple(f"IPrec@{i}" for i in (0, *(i / 10 for i in range(1, 10)), 1))
        assert cf.IPrec().names() == names
        scores = cf.evaluate({"a": {"x": 1, "y": 1}}, {"a": ["x", "u", "y"]}, "IPrec AP")
        assert scores.measures == (*names, "AP")
        assert scores.values[0, 0, :11].tolist() == [1.0] * 6 + [2 / 3] * 5
        assert cf.IPrec()([1, None, 1], judged=[1, 1]).tolist() == [1.0] * 6 + [2 / 3] * 5

    @pytest.mark.parametrize("text", ["IPrec@0.5", "iprec@.5", "IPrec@0.50", "IPrec(recall=0.5)", "IPrec(cutoff=0.5)"])
    def test_one_recall(self, text: str) -> None:
        same(text, cf.IPrec @ 0.5)
        assert (cf.IPrec @ 0.5).names() == ("IPrec@0.5",)
        assert (cf.IPrec @ 0.5).last_rank is None  # no rank is left out

    def test_a_recall_with_an_exponent(self) -> None:
        same(str(cf.IPrec @ 1e-5), cf.IPrec @ 1e-5)

    @pytest.mark.parametrize("recall", [-0.1, 1.1, 10, float("nan"), "0.5", True])
    def test_other_numbers(self, recall: Any) -> None:
        with pytest.raises(cf.CranfieldError, match=r"IPrec: recall after @ must be a number in \[0, 1\], found"):
            cf.IPrec @ recall


VARIANTS = {  # words that tell one definition from the others
    "nDCG": ("Microsoft", "the level as gain", "trec_eval", "MSnDCG"),
    "nDCG(gain=exp)": ("Microsoft", "2^x − 1", "gdeval"),
    "nDCG(discount=jk)": ("original", "(2002)", "NTCIREVAL's nDCG"),
    "nDCG(gain=exp, discount=jk)": ("2^x − 1", "max(1, log2 r)", "LETOR"),
    "nDCG(discount=jk2008)": ("1 + log2 r", "(2008)"),
    "ERR": ("(2^x − 1)/2^h", "Chapelle"),
    "ERR(prob=linear)": ("g/(g_h + 1)", "NTCIREVAL"),
    "AP@10": ("min(l, R)", "NTCIREVAL"),
    "AP(norm=R)@10": ("divided by R", "map_cut"),
}


class TestVariants:
    """Where several definitions go by one name, a measure says which one it is."""

    @each("text", VARIANTS)
    def test_says_which(self, text: str) -> None:
        said = cf.parse_measure(text).describe_variant()
        assert [word for word in VARIANTS[text] if word not in said] == [], said

    def test_no_two_say_the_same(self) -> None:
        said = [cf.parse_measure(text).describe_variant() for text in VARIANTS]
        assert len(set(said)) == len(VARIANTS)

    def test_nothing_to_say(self) -> None:
        assert cf.AP().describe_variant() == cf.P().describe_variant() == ""

    def test_of_other_parameters(self) -> None:
        """No tool is named that computes something else."""
        assert cf.nDCG(discount="jk", b=10).describe_variant() == "discount max(1, log10 r), the level as gain"
        assert cf.nDCG(gain="1:3").describe_variant() == "discount log2(r + 1), gains 1:3"
        assert cf.nDCG(gain="exp", discount="jk2008").describe_variant().endswith("gain 2^x − 1")

    def test_in_python(self) -> None:
        nDCG: Any = cf.nDCG  # with the names of other tools, which are not declared
        assert nDCG(letor=True) == cf.parse_measure("nDCG(letor=true)")
        assert nDCG(dcg="exp-log2", judged_only=True) == cf.nDCG(gain="exp", condensed=True)
        with pytest.raises(TypeError, match="unknown parameter 'letor'"):
            cf.AP(letor=True)  # type: ignore[call-arg]

    def test_letor_by_its_own_name(self) -> None:
        same("nDCG(letor=true)@10", cf.nDCG(gain="exp", discount="jk") @ 10)
        same("nDCG(letor=True, rel=1)", cf.nDCG(gain="exp", discount="jk", rel=1))
        same("DCG(letor=true)", cf.DCG(gain="exp", discount="jk"))
        same("nDCG(letor=false)", cf.nDCG())
        for text in ("nDCG(letor=true, gain=exp)", "nDCG(discount=jk, letor=true)"):
            with pytest.raises(cf.CranfieldError, match="duplicate parameter"):
                cf.parse_measure(text)
        with pytest.raises(cf.CranfieldError, match=r"unknown parameter 'letor'. Valid: rel"):
            cf.parse_measure("AP(letor=true)")

    @pytest.mark.parametrize("name", ["NCU", "ERR", "nERR", "EBR", "nEBR", "iRBU", "niRBU"])
    def test_users_who_stop_are_described(self, name: str) -> None:
        assert cf.parse_measure(name).describe_variant()
        assert "in proportion to their gain" in cf.NCU(stop="gu").describe_variant()
        assert "γ times the weight" in cf.NCU(stop="rb").describe_variant()


# -- the catalogue ----------------------------------------------------------------------------

CATALOGUE = {  # ranked.md, "Canonical names in the grammar (aliases in brackets)"
    "P": "", "Recall": "", "F": "", "E": "", "SetP": "", "SetRecall": "", "SetF": "",
    "Success": "Hit", "Rprec": "", "Rmeasure": "R-measure", "IPrec@0.5": "", "AP11": "",
    "AP": "map", "RR": "recip_rank mrr", "DCG": "", "nDCG": "MSnDCG ndcg_cut", "nCG": "", "nG": "",
    "BR": "", "Q": "Q-measure", "O": "O-measure", "Pmeasure": "P-measure", "Pplus": "P-plus P+",
    "NCU(stop=gu, utility=P)": "NCUgu,P", "NCU(stop=gu, utility=BR)": "NCUgu,BR",
    "NCU(stop=rb, utility=P)": "NCUrb,P", "NCU(stop=rb, utility=BR)": "NCUrb,BR",
    "NCU(stop=rb, utility=IE)": "NCUrb,IE", "NCU(stop=gu, utility=IE)": "",
    "ERR": "", "nERR": "", "EBR": "", "nEBR": "", "iRBU": "", "niRBU": "", "RBP": "", "nRBP": "",
    "GAP": "", "gAP": "", "WRR": "", "NWRR": "", "TBG": "", "U": "U-measure", "bpref": "",
    "bpref_R": "", "bpref_N": "", "bpref_relative": "", "rpref_N": "", "rpref_relative": "",
    "rpref_relative2": "", "infAP": "", "Judged": "", "Unjudged": "", "NumQ": "", "NumRet": "",
    "NumRel": "", "NumRelRet": "",
    "AP11(reach=nearest)": "11pt_avg",  # trec_eval's name, and its rule for reaching a recall
}  # fmt: skip


@each("name", CATALOGUE)
def test_the_catalogue(name: str) -> None:
    m = cf.parse_measure(name)
    assert type(m).__name__ == re.split(r"[(@]", name)[0]
    for alias in CATALOGUE[name].split():
        same(alias, m)
        same(alias.upper(), m)
        if m.cutoff is None and alias != "map":  # map_cut divides by R
            same(f"{alias}@10", m @ 10)


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
    "num_nonrel_judged_ret": "NumNonRelRet",
    "gm_map": "GMAP",
    "gm_bpref": "GMbpref",
    "Rprec": "Rprec",
    "Rprec_mult_0.20": "Rprec(mult=0.2, reach=trec9)",
    "Rprec_mult.0.2": "Rprec(mult=0.2, reach=trec9)",
    "iprec_at_recall_0.10": "IPrec(reach=nearest)@0.1",
    "iprec_at_recall_1.00": "IPrec(reach=nearest)@1",
    "iprec_at_recall": "IPrec(reach=nearest)",
    "11pt_avg": "AP11(reach=nearest)",
    "relative_P_10": "RelP@10",
    "unj_5": "Unjudged@5",
    "infAP": "infAP",
    "utility": "Utility",
    "binG": "binG",
    "G": "G",
    "dcg": "DCG",
    "ideal_dcg": "DCG.ideal",
    "trec:ideal_dcg": "DCG.ideal",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "yaap": "YAAP",
    "set_P": "SetP",
    "set_relative_P": "SetRelP",
    "set_recall": "SetRecall",
    "set_map": "SetAP",
    "set_F": "SetF",
    "set_F_3": "SetF(alpha=0.25)",  # (x + 1)PR/(R + xP), x not squared: α = 1/(x + 1)
    "set_F.0.25": "SetF(alpha=0.8)",
    "trec:set_F_3": "SetF(alpha=0.25)",
    "trec:Rprec_mult_0.20": "Rprec(mult=0.2, reach=trec9)",
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
    "IPrec@0.1": "IPrec@0.1",
    "IPrec(recall=0.1)": "IPrec@0.1",
    "Bpref": "bpref",
    "BPref(rel=2)": "bpref(rel=2)",
    "RPrec": "Rprec",
    "SetR": "SetRecall",
    "SetF(beta=2)": "SetF(beta=2)",
    "SetAP": "SetAP",
    "SetRelP": "SetRelP",
    "Compat(p=0.8)": "Compat(p=0.8)",
    "NDCG@10": "nDCG@10",
    "MAP@100": "AP(norm=R)@100",
    # user models of ir_measures: gains are levels over max_rel
    "INST(T=2, min_rel=0, max_rel=3)": "INST(T=2, gain=unit, max_level=3)",
    "NERR8(max_rel=3)@10": "NERR8(gain=unit, max_level=3)@10",
    "NERR10(p=0.8, max_rel=3)": "NERR10(phi=0.8, gain=unit, max_level=3)",
    "SDCG(cutoff=5, max_rel=3)": "SDCG(gain=unit, max_level=3)@5",
    "BPM(T=2, max_rel=3)@30": "BPM(T=2, K=30, gain=unit, max_level=3)",
    "BPM(max_rel=3)@30.ETU": "BPM(K=30, gain=unit, max_level=3).ETU",
    "BPM(cutoff=30, max_rel=3)": "BPM(K=30, gain=unit, max_level=3)",
    # BEIR, MTEB
    "HitRate@10": "Success@10",
    "R_cap@10": "RelP@10",
    "Hole@10": "Unjudged(scope=collection)@10",
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
    "dcg_burges@10": "DCG(gain=exp)@10",
    "dcg@10-l2": "DCG(rel=2)@10",
    "f1@10": "F@10",
    "f1@10-l2": "F(rel=2)@10",
    "r-precision": "Rprec",
    "r-precision-l2": "Rprec(rel=2)",
    "hits-l3": "NumRelRet(rel=3)",
    "map@100-l2": "AP(rel=2, norm=R)@100",
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
    "NCUgu,P": "NCU(utility=P)",
    "NCUgu,BR@0010": "NCU@10",
    "NCUrb,IE@10": "NCU(stop=rb, utility=IE)@10",
    "GAP@0010": "GAP(thresholds=level)@10",
    "ntcir:GAP": "GAP(thresholds=level)",
    "nERR@0010": "nERR(prob=linear)@10",
    "nERR@10": "nERR@10",
    "Prec@0010": "P@10",
    "nRBP@0010": "nRBP(p=0.95)@10",
    "EBR@0010": "EBR(prob=linear)@10",
    "niRBU@0010": "niRBU(prob=linear)@10",
    "P-plus": "Pplus",
}
NO_NAMES = {
    "trec_eval's preferences, and what are no numbers": "prefs_simp prefs_pair_ret map_avgjg "
    "P_avgjg_5 Rprec_mult_avgjg runid relstring rbp_resid",
    "either nG@1 or PairAccuracy: to be asked for by name": "Accuracy",
}


def foreign_names() -> dict[str, str]:
    """What each tool calls its measures, as far as the tools are installed."""
    found: dict[str, str] = {}
    try:
        from ir_measures.measures import registry

        found |= dict.fromkeys(own(registry), "ir_measures")
    except ImportError:
        pass
    try:
        from pytrec_eval import supported_measures

        found |= dict.fromkeys(supported_measures, "trec_eval")
    except ImportError:
        pass
    return dict(sorted(found.items()))


class TestForeignNames:
    @each("text", FOREIGN)
    def test_mean_what_they_mean_there(self, text: str) -> None:
        assert str(cf.parse_measure(text)) == FOREIGN[text]

    @each("name", foreign_names())
    def test_every_name_of_an_installed_tool_is_known(self, name: str) -> None:
        if name in " ".join(NO_NAMES.values()).split():
            return
        assert isinstance(cf.parse_measure(name), cf.Measure)

    @each("name", " ".join(NO_NAMES.values()).split())
    def test_what_is_none_is_not_taken_for_something_else(self, name: str) -> None:
        with pytest.raises(cf.CranfieldError, match=f"unknown measure '{name}'"):
            cf.parse_measure(name)

    def test_nrbp_is_not_taken_for_something_else(self) -> None:
        """ndeval's and ir_measures' novelty- and rank-biased precision is not normalised RBP."""
        assert (cf.parse_measure("NRBP"), cf.parse_measure("nRBP")) == (cf.NRBP(), cf.nRBP())
        with pytest.raises(cf.CranfieldError, match="ambiguous name"):
            cf.parse_measure("nrbp")

    def test_letor_is_true_or_false(self) -> None:
        with pytest.raises(cf.CranfieldError):
            cf.parse_measure("nDCG(letor=maybe)")

    def test_ntcireval_knows_no_gap_of_kishida(self) -> None:
        with pytest.raises(cf.CranfieldError):
            cf.parse_measure("gAP@0010")

    @pytest.mark.parametrize("name", ["hits", "hit_rate", "precision", "recall", "f1", "mrr", "map",
                                      "r-precision", "dcg", "dcg_burges", "ndcg", "ndcg_burges",
                                      "bpref", "rbp.8"])  # fmt: skip
    def test_every_ranx_name_with_a_cutoff_and_a_threshold(self, name: str) -> None:
        for end in ("", "-l2") if "rbp" in name or "r-" in name else ("", "@10", "-l2", "@10-l2"):
            m = cf.parse_measure(name + end)
            assert m.cutoff == (10 if "@" in end else None)
            assert getattr(m, "rel", None) == (2 if "-l2" in end else 1 if "rbp" in name else None)

    @each("name", IR_MEASURES)
    def test_every_ir_measures_name_stands_for_one_of_ours(self, name: str) -> None:
        for ours in IR_MEASURES[name].split("|"):
            assert str(cf.parse_measure(ours)) == ours

    @each("name", ALIASES)
    def test_every_alias_is_known(self, name: str) -> None:
        plain, _, at_cutoff = ALIASES[name].partition("|")
        assert cf.parse_measure(name) == cf.parse_measure(plain)
        assert cf.parse_measure(name.upper()) == cf.parse_measure(plain)
        if not cf.parse_measure(plain).cutoff_meaning:
            return
        k = 1 if plain.startswith("IPrec") else 7  # a recall, not a rank
        assert cf.parse_measure(f"{name}@{k}") == cf.parse_measure(at_cutoff or plain) @ k

    @each("name", TREC_EVAL)
    def test_every_trec_eval_name_is_known(self, name: str) -> None:
        plain = TREC_EVAL[name].partition("|")[0]
        assert cf.parse_measure("trec:" + name) == cf.parse_measure(plain)

    @pytest.mark.parametrize("name", NTCIREVAL)
    def test_every_ntcireval_name_is_known(self, name: str) -> None:
        plain, _, at_cutoff = NTCIREVAL[name].partition("|")
        assert cf.parse_measure("ntcir:" + name) == cf.parse_measure(plain)
        assert cf.parse_measure(name + "@0012") == cf.parse_measure(at_cutoff or plain) @ 12

    @pytest.mark.parametrize("text", ["ntcir:bprefs", "trec:Q", "ntcir:nothing@10", "Judged@010"])
    def test_a_tool_does_not_know_everything(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError, match="has no measure"):
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
    "Q(gain=raw)@10": "gain=raw is only valid for user models and DCG's family",
    "nDCg10": r"unknown measure 'nDCg10'. Did you mean nDCG@10\?",
    "nDGC@10": r"Did you mean nDCG@10\?",
    "APs": "Did you mean AP",
    "Precisoin@5": "Did you mean precision",
    "xyzzy": "unknown measure 'xyzzy'. Run `cranfield measures` for a list.",
    "AP(relevance=2)": "unknown parameter 'relevance'. Valid: rel, norm, condensed",
    "P(gain=exp)@5": "unknown parameter 'gain'",
    "RR(p=0.5)": "unknown parameter 'p'",
    "AP(rel=1, rel=2)": "duplicate parameter 'rel'",
    "AP(rel=1, rel=1)": "duplicate parameter 'rel'",
    "AP(2)": r"AP takes only named parameters, found \(2\)",
    "AP(rel=2, 3)": "AP takes only named parameters",
    "AP(rel=two)": "rel must be a number, found two",
    "AP(rel=)": "rel must be a number, found ",
    "AP(rel=true)": "rel must be a number, found true",
    "AP(rel=nan)": "rel must be a number, found nan",
    "AP(rel=inf)": "rel must be a number, found inf",
    "AP(norm=S)": "norm must be min or R, found S",
    "AP(condensed=maybe)": "condensed must be true or false, found maybe",
    "AP(condensed=1)": "condensed must be true or false, found 1",
    "Q(beta=-1)": "beta must be a number ≥ 0, found -1",
    "Q(beta=none)": "beta must be a number ≥ 0, found none",
    "RBP(p=0)": "p must be a number between 0 and 1, found 0",
    "RBP(p=1)": "p must be a number between 0 and 1, found 1",
    "RBP(p=1.5)": "p must be a number between 0 and 1, found 1.5",
    "RBP(max_level=0)": "max_level must be a number > 0, found 0",
    "ERR(prob=cubic)": "prob must be exp or linear, found cubic",
    "nDCG(b=1, discount=jk)": "b must be a number > 1, found 1",
    "nDCG(gain=cubic)": "invalid gain 'cubic'. Use linear, exp, binary",
    "nDCG(gain=1:x)": "invalid gain '1:x'",
    "nDCG(gain=1:-2)": "invalid gain '1:-2'",
    "nDCG(gain=2:1)": "invalid gain '2:1': gains must not decrease. Use linear, exp",
    "nDCG(gain=1:inf)": "invalid gain '1:inf'",
    "nDCG(gain=)": "invalid gain ''",
    "AP(,)": "invalid parameters",
    "AP(rel=1,,norm=R)": "invalid parameters",
    "P@0": "cutoff must be an integer ≥ 1, found 0",
    "P@00": "cutoff must be an integer ≥ 1, found 0",
    "P@1.5": "cutoff must be an integer ≥ 1, found 1.5",
    "P@1.2.3": "cutoff",
    "P@-1": r"Syntax: Name\(param=value, …\)@cutoff",
    "P@abc": r"Syntax: Name\(param=value, …\)@cutoff",
    "P@": r"Syntax: Name\(param=value, …\)@cutoff",
    "P@5@10": r"Syntax: Name\(param=value, …\)@cutoff",
    "@5": r"Syntax: Name\(param=value, …\)@cutoff",
    "P(cutoff=abc)": "cutoff",
    "P(cutoff=inf)": "cutoff",
    "P(cutoff=nan)": "cutoff",
    "P(cutoff=true)": "cutoff",
    "P(cutoff=0)": "cutoff must be an integer ≥ 1, found 0",
    "P(cutoff=5)@10": "cutoff",
    "P(cutoff=5, cutoff=5)": "duplicate parameter 'cutoff'",
    "nDCG(dcg=exp-log2, gain=linear)": "duplicate parameter 'gain'",  # under two names
    "gap": r"ambiguous name. Did you mean GAP or gAP\?",
    "IPrec@10": r"recall after @ must be a number in \[0, 1\], found 10",
    "IPrec@1.1": r"recall after @ must be a number in \[0, 1\], found 1.1",
    "IPrec(recall=0.5)@0.5": "duplicate parameter 'cutoff'",
    "GAP(thresholds=cubic)": "thresholds must be uniform, or level, or numbers .*, found cubic",
    "GAP(thresholds=1:-1)": "thresholds must be .* each ≥ 0, found 1:-1",
    "WRR(beta=1)": "beta must be numbers for levels 1, 2, .* each > 1, found 1",
    "NCU(stop=nowhere)": "stop must be u or gu or rb or r1 or rp or to_rp or sat, found nowhere",
    "NCU(utility=x)": "utility must be P or BR or RR or IE, found x",
    "NCU(gamma=1.1)": r"gamma must be a number in \[0, 1\], found 1.1",
    "Rprec(reach=far)": "reach must be exact or nearest or trec9, found far",
    "RBP.res": "RBP has no measurement 'res'. Valid: residual",
    "nDCG.ideal": "nDCG has no measurement 'ideal'",
    "nRBP.residual": "nRBP has no measurement 'residual'",
    "nDCG.EU": "nDCG has no measurement 'EU'",
    "ERR@5.ED": "ERR has no measurement 'ED'",
    "AP.XU": "AP has no measurement 'XU'",
    "INST.residual": "INST has no measurement 'residual'. Valid: EU, ETU, EC, ETC, ED",
    "RBP.EU.ED": r"unknown measure 'RBP\.EU\.ED'. Did you mean RBP",
    "AP(norm=R).EU": "unknown parameter 'norm'. Valid: gain, rel, ",
    "INST(T=0)": "T must be a number ≥ 0.25, found 0",
    "INSQ(n=2.5)": r"n must be an integer in \[1, 1000000\], found 2.5",
    "INSQ(n=0)": r"n must be an integer in \[1, 1000000\], found 0",
    "SET(beta=0)": r"beta must be a number in \[1e-09, 1\], found 0",
    "NPV(min_cost=2)": "max_cost must be ≥ min_cost, found 1 and 2",
    "NPV(min_gain=0.5, max_gain=0.2)": "max_gain must be ≥ min_gain, found 0.2 and 0.5",
    "AP=2": "A cutoff follows a measure, as in P@2",
    "P@5,10": r"several cutoffs. Did you mean P@5 P@10\?",
    "P(rel=2)@5,10,20": r"Did you mean P\(rel=2\)@5 P\(rel=2\)@10 P\(rel=2\)@20\?",
    "hit=P@5,10": r"Did you mean P@5 P@10\?",
    "P10": r"unknown measure 'P10'. Did you mean P@10\?",
    "MRR10": r"Did you mean RR@10\?",
    "ndgc_cut_10": r"Did you mean ndcg_cut@10\?",
    "rogue-1": r"unknown measure 'rogue-1'. Did you mean ROUGE-1\?",
    "rogue-su4": r"Did you mean rouge-su4\?",
    "Recal(rel=2)@100": r"unknown measure 'Recal\(rel=2\)@100'. Did you mean Recall\(rel=2\)@100\?",
    "10": "A cutoff follows a measure, as in P@10",
    "x=y=AP": r"Syntax: Name\(param=value, …\)@cutoff",
    "=AP": r"Syntax: Name\(param=value, …\)@cutoff",
    "x=": r"Syntax: Name\(param=value, …\)@cutoff",
    "a b=AP": "invalid column name 'a b'. Spaces, =, parentheses, commas are not allowed",
}


class TestMistakes:
    @pytest.mark.parametrize("text", MISTAKES)
    def test_are_told(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError, match=MISTAKES[text]) as caught:
            cf.parse_measure(text)
        unknown = MISTAKES[text].startswith(("unknown measure", "Did you mean", "A cutoff"))
        unknown &= "," not in text
        start = f"unknown measure {text!r}." if unknown else f"measure {text!r}: "
        assert str(caught.value).startswith(start), caught.value

    def test_ten_brackets_stand_inside_each_other_and_no_more(self) -> None:
        with pytest.raises(cf.CranfieldError, match="AP takes only named parameters"):
            cf.parse_measure(f"AP{'(' * 10}{')' * 10}")
        with pytest.raises(cf.CranfieldError, match="11 nested parentheses, at most 10"):
            cf.parse_measure(f"AP{'(' * 11}{')' * 11}")

    def test_two_hundred_letters_are_repeated_and_no_more(self) -> None:
        for n, shown in ((200, "x" * 200), (201, "x" * 200 + "…")):
            with pytest.raises(cf.CranfieldError, match=f"^unknown measure '{shown}'"):
                cf.parse_measure("x" * n)

    @pytest.mark.parametrize("cutoff", [0, -1, 1.5, "abc", "5", None, float("inf"), float("nan"), True])
    def test_cutoffs_in_python(self, cutoff: Any) -> None:
        P: Any = cf.P
        if cutoff is None:
            assert P @ cutoff == cf.P()
            return
        with pytest.raises(cf.CranfieldError, match="cutoff"):
            cf.P @ cutoff
        with pytest.raises(cf.CranfieldError, match="cutoff"):
            cf.P(cutoff=cutoff)

    @pytest.mark.parametrize("rel", ["2", True, float("nan"), [1], object()])
    def test_parameters_in_python(self, rel: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="rel must be a number, found"):
            cf.AP(rel=rel)

    @pytest.mark.parametrize("gain", [None, "", [], [-1], ["x"], float("nan"), object(), {}])
    def test_gains_in_python(self, gain: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="invalid gain"):
            cf.nDCG(gain=gain)

    @pytest.mark.parametrize("thing", [5, None, 1.5, int, object(), [["AP"]]])
    def test_things_that_are_no_measures(self, thing: Any) -> None:
        with pytest.raises(cf.CranfieldError):
            cf.parse_measures([thing])

    def test_unknown_parameters_in_python(self) -> None:
        with pytest.raises(TypeError, match=r"unknown parameter 'beta'. Valid: rel, norm, cond"):
            cf.AP(beta=1)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"unknown parameter 'rel'. Valid: condensed"):
            cf.NumQ(rel=1)  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            cf.AP(2)  # type: ignore[call-arg, arg-type]

    @given(st.text("APnDCG(),@=.:'\"0123456789 relbta_-\n[]", max_size=25) | st.text(max_size=12))
    @settings(max_examples=examples(300))
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
        scores = cf.evaluate({"a": {"x": 1, "y": 2, "z": 1}}, {"a": ["x", "y", "z"]}, "FirstTwo FirstTwo(rel=2) AP")
        assert scores.values.tolist() == [[[2.0, 1.0, 1.0]]]
        assert FirstTwo()([1, 0, 1]) == 1.0
        with pytest.raises(cf.CranfieldError, match="weight must be a number ≥ 0, found -1"):
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

    @staticmethod
    def named(name: str) -> type[cf.Measure]:
        """A class of its own."""
        made: Any = type(cf.Measure)
        return cast(type[cf.Measure], made(name, (cf.Measure,), {"__module__": __name__}))

    @pytest.mark.parametrize("name", ["AP", "ap", "NDCG", "bPref", "gAP", "gap"])
    def test_not_over_a_built_in(self, name: str) -> None:
        before, registered = find_classes(name)[0], dict(REGISTRY)
        with pytest.raises(cf.CranfieldError, match=f"{before.__name__} is a built-in measure"):
            cf.measure(self.named(name))
        assert registered == REGISTRY

    def test_over_ones_own_in_other_letters(self) -> None:
        for name in ("Mine", "mINE"):
            cf.measure(self.named(name))
        assert [c.__name__ for c in find_classes("mine")] == ["mINE"]

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
        assert Both()([1, 0]).tolist() == [1.0, 2.0]
        assert Both()([[1, 0], [1, 1]]).tolist() == [[1.0, 2.0], [2.0, 2.0]]
        with pytest.raises(cf.CranfieldError, match=r"Both has no measurement 'c'. Valid: a, b"):
            cf.parse_measure("Both.c")

    @pytest.mark.parametrize("shape", [(), (3,), (1, 2), (1, 1, 1)])
    def test_a_score_of_another_shape(self, shape: tuple[int, ...]) -> None:
        @cf.measure
        class Odd(cf.Measure):
            """Not one number a topic."""

            def score(self, x: cf.Lists) -> Any:
                return np.zeros(shape)

        with pytest.raises(cf.CranfieldError, match="Odd: score returned shape"):
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

PLAIN_COUNTS = {"NumQ", "NumRet", "NumRel", "NumRelRet"}  # their sentence says it all
COUNTS = PLAIN_COUNTS | {"NumNonRelRet", "NumJudgedRet", "NumUnjudgedRet"}


@pytest.mark.parametrize("cls", OF_ALL_KINDS, ids=str)
class TestDocumentation:
    def test_begins_with_a_sentence(self, cls: type[cf.Measure]) -> None:
        first = (inspect.getdoc(cls) or "").partition("\n")[0]
        assert re.fullmatch(r"\S.{10,90}\.", first), first

    def test_has_an_equation(self, cls: type[cf.Measure]) -> None:
        assert (cls.range == "whole numbers") is (cls.__name__ in COUNTS)
        if cls.__name__ in PLAIN_COUNTS:
            return
        text = (inspect.getdoc(cls) or "").partition(">>>")[0]
        defined = r"[CW]\(i\)" if cls in MODELS else cls.__name__
        defined = defined if cls.takes_rankings() else r"[A-Za-z]"  # S♯ is no name
        assert re.search(rf"^\s*{defined}\S*\s+=\s", text, re.MULTILINE), text

    def test_has_references_that_exist(self, cls: type[cf.Measure]) -> None:
        assert bool(cls.references) or cls.__name__ in COUNTS
        for key in cls.references:
            entry = read_references()[key]
            assert re.match(rf"@\w+\{{{key},", entry)
            assert all(re.search(rf"\b{f} = \{{", entry) for f in ("author", "title", "year"))

    def test_says_what_it_suits_and_its_range(self, cls: type[cf.Measure]) -> None:
        assert cls.range
        assert cls.task or cls.__name__ in COUNTS
        usual = "gmean" if cls.__name__.startswith("GM") else "mean"
        others = {**dict.fromkeys(COUNTS, "sum"), "Rubric": "clipped"}
        assert cls.summary == others.get(cls.__name__, usual)

    def test_has_an_example_that_runs(self, cls: type[cf.Measure]) -> None:
        module = inspect.getmodule(cls)
        assert module is not None
        examples = doctest.DocTestFinder(recurse=False).find(cls, cls.__name__, module, globs=vars(module).copy())
        assert sum(len(e.examples) for e in examples) >= 1
        runner = doctest.DocTestRunner(verbose=False)
        for e in examples:
            runner.run(e)
        assert runner.summarize(verbose=False).failed == 0

    def test_explains_its_parameters(self, cls: type[cf.Measure]) -> None:
        names = [f.name for f in cls.list_parameters()]
        assert ("condensed" in names[-1:]) is cls.takes_rankings()
        for f in cls.list_parameters():
            assert len(f.metadata["doc"]) > 8, f.name


def test_every_reference_is_used() -> None:
    """By a measure or method, or in the words of a module as author and year."""
    used = {key for c in [*OF_ALL_KINDS, *READINGS.values()] for key in c.references}
    used |= {key for keys in METHODS.values() for key in keys}
    assert used < set(read_references())
    modules = pkgutil.iter_modules(measure_modules.__path__, f"{measure_modules.__name__}.")
    said = " ".join((importlib.import_module(m.name).__doc__ or "").lower() for m in modules)
    for key in set(read_references()) - used:
        author, year = re.fullmatch(r"([a-z]+)(\d+)", key).groups()  # type: ignore[union-attr]
        assert re.search(rf"{author}\b.{{0,40}}\b{year}", said), key


class TestToolsByPrefix:
    """ntcir:, trec: and leading zeros know our own names for what the tool has, too."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("ntcir:O", "O"),
            ("ntcir:P+", "Pplus"),
            ("Success@0010", "Success@10"),
            ("ntcir:NCU(stop=rb)", "NCU(stop=rb)"),
            ("nRBP@0010", "nRBP(p=0.95)@10"),
            ("NCUgu,IE", "NCU(utility=IE)"),
            ("trec:AP@10", "AP(norm=R)@10"),
            ("trec:SetF", "SetF"),
            ("p_10", "P@10"),
            ("NDCG_CUT_10", "nDCG@10"),
        ],
    )
    def test_are_understood(self, text: str, expected: str) -> None:
        assert str(cf.parse_measure(text)) == expected

    @pytest.mark.parametrize("text", ["Judged@010", "ntcir:TBG", "gAP@0010", "trec:ERR"])
    def test_what_the_tool_has_not(self, text: str) -> None:
        with pytest.raises(cf.CranfieldError, match="has no measure"):
            cf.parse_measure(text)

    def test_several_cutoffs(self) -> None:
        found = cf.parse_measures("P.5,10 trec:ndcg_cut_5,10 iprec_at_recall.0.1,.2")
        assert list(map(str, found)) == [
            "P@5", "P@10", "nDCG@5", "nDCG@10",
            "IPrec(reach=nearest)@0.1", "IPrec(reach=nearest)@0.2",
        ]  # fmt: skip


def test_a_measure_called_with_a_list_before_it_is_made() -> None:
    with pytest.raises(TypeError, match=r"To score a list, use nDCG\(\)\(levels\)"):
        cf.nDCG([3, 2])  # type: ignore[call-arg, arg-type]


def test_help_knows_the_parameters() -> None:
    assert list(inspect.signature(cf.RBP).parameters) == [
        "condensed", "cutoff", "measurement", "called", "p", "gain", "rel", "max_level"
    ]  # fmt: skip


def test_what_is_beside_the_score_is_never_best_and_always_defined() -> None:
    for name in ("RBP.residual", "DCG@2.ideal"):
        m = cf.parse_measure(name)
        assert m.better == "neither"
        assert not m.effectiveness
    qrels, run = {"t": {"a": 0}}, {"t": {"a": 1.0, "b": 0.5}}
    scores = cf.evaluate(qrels, run, "RBP RBP.residual", undefined="nan")
    assert np.isnan(scores["run", "t", "RBP"])
    assert scores["run", "t", "RBP.residual"] == pytest.approx(0.8)


def test_models_are_told_by_measures_and_quoted_as_written() -> None:
    assert parse_model(cf.parse_measure("RBP(p=0.5)")) == parse_model("RBP(p=0.5)")
    with pytest.raises(cf.CranfieldError, match=r"^unknown measure 'nothing\(p=0.5\)'"):
        parse_model("nothing(p=0.5)")


# -- user models as ir_measures writes them ----------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["INST(T=2, max_rel=2)", "INSQ(T=2, max_rel=2)", "NERR8(max_rel=2)@3", "NERR9(max_rel=2)@3",
     "NERR10(p=0.7, max_rel=2)", "NERR11(T=2, max_rel=2)", "SDCG(max_rel=2)@3",
     "BPM(T=2, max_rel=2)@30", "BPM(T=1, max_rel=2)@3"],
)  # fmt: skip
def test_user_models_have_the_values_of_ir_measures(text: str) -> None:
    """Its values are `compat`'s, which tests compare with ir_measures itself."""
    from cranfield.compat import ir_measures

    qrels = {"1": {"a": 2, "b": 0, "c": 1, "d": 1, "e": 2}, "2": {"a": 1, "q": 2}}
    run = {"1": {d: 10.0 - i for i, d in enumerate("bcxadye")},
           "2": {d: 10.0 - i for i, d in enumerate("xyzaqw")}}  # fmt: skip
    theirs = ir_measures.iter_calc([ir_measures.parse_measure(text)], qrels, run)
    found = cf.evaluate(qrels, run, text, measurements=True)
    expected = {metric.query_id: list(metric[2:]) for metric in theirs}
    for topic, values in zip(found.topics, found.values[0].tolist(), strict=True):
        assert values == pytest.approx(expected[topic], rel=1e-12)


def test_scales_of_ir_measures_begin_at_0() -> None:
    wrong: dict[str, Any] = {"min_rel": 1, "max_rel": 3}
    right: dict[str, Any] = {"min_rel": 0, "max_rel": 3}
    said = r"min_rel must be 0 \(gains are level / max_rel\), found 1"
    with pytest.raises(cf.CranfieldError, match=said):
        cf.parse_measure("INST(min_rel=1, max_rel=3)")
    with pytest.raises(cf.CranfieldError, match=said):
        cf.INST(**wrong)
    assert cf.INST(**right) == cf.INST(gain="unit", max_level=3)


def test_capped_recall_is_relative_precision() -> None:
    """BEIR's R_cap@k: of the relevant documents, those in the top k over min(R, k)."""
    r_cap = cf.parse_measure("R_cap@2")
    assert r_cap([1, 0, 1], judged=[1, 1, 1, 0]) == 1 / 2
    assert r_cap([0, 1, 1], judged=[1, 1, 0]) == 1 / 2
    assert cf.parse_measure("R_cap@10")([0, 1, 1], judged=[1, 1, 1]) == 2 / 3


def test_a_parameter_may_be_called_depth() -> None:
    """It is no cutoff: Compat counts agreement further down, or stops earlier."""
    p = 0.5
    weights = [p**d for d in range(4)]
    # The list has the one relevant item at rank 2: it agrees with the ideal list from there on.
    agrees = sum(w / d for d, w in enumerate(weights, 1) if d > 1)
    best = sum(w / d for d, w in enumerate(weights, 1))
    compat = cf.parse_measure("Compat(p=0.5, depth=4)")
    assert compat([0, 1], judged=[1, 0]) == pytest.approx(agrees / best)
    assert cf.parse_measure("Compat(p=0.5, depth=1)")([0, 1], judged=[1, 0]) == 0
    assert cf.parse_measure("Compat(p=0.5)")([0, 1], judged=[1, 0]) == pytest.approx(0.25 / 1.25)


@pytest.mark.parametrize("text", ["map_cut_{}", "map_cut_{}x", "Rprec_mult.{}x", "nDCG{}!"])
def test_long_numbers_are_read_in_one_go(text: str) -> None:
    """80,000 zeros took a minute: what may follow was sought behind each of them."""

    def read() -> None:
        with pytest.raises(cf.CranfieldError, match="measure"):
            cf.parse_measure(text.format("0" * 80_000))

    assert seconds(read) < 10


@pytest.mark.parametrize(
    ("text", "meant"),
    [("nDCG10", "nDCG@10"), ("nDCG_10", "nDCG@10"), ("bpref-5", "bpref@5")],
)
def test_a_number_at_the_end_may_be_a_cutoff(text: str, meant: str) -> None:
    """With or without something between."""
    with pytest.raises(cf.CranfieldError, match=f"Did you mean {meant}"):
        cf.parse_measure(text)


# Names as the five papers print them, and the measures of cranfield with their definitions.
PRINTED = {
    "AP-IA": "IA(AP)", "nDCG-IA@10": "IA(nDCG)@10", "F-measure": "F", "F_1": "F", "E-measure": "E", "NSR@10": "nCG@10",
    "11pt-AP": "AP11", "RankEff": "bpref_N", "AP'": "AP(condensed=true)", "nDCG'@10": "nDCG(condensed=true)@10",
    "CL-AP": "AP(condensed=true)", "CL-Q@10": "Q(condensed=true)@10", "W-Rec": "WRecall", "V-score@10": "Vscore@10",
    "QU-score@10": "QUscore@10", "Q-measure": "Q", "O-measure": "O", "P-plus": "Pplus", "D♯-nDCG@10": "Dsharp(nDCG)@10",
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_parse_measure_printed_name_equals_definition(name: str) -> None:
    assert cf.parse_measure(name) == cf.parse_measure(PRINTED[name])


@pytest.mark.parametrize("name", NOT_MEASURES)
def test_parse_measure_name_without_a_measure_explains(name: str) -> None:
    with pytest.raises(cf.MeasureError) as caught:
        cf.parse_measure(name)
    assert str(caught.value) == f"unknown measure {name!r}: {NOT_MEASURES[name]}"
