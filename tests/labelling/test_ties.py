"""Ties: the best, the worst and the mean order of tied documents, against all orders there are.

The oracle is enumeration. Every order of the tied documents of a list becomes a list of its own,
without ties, in one large run; the scores of these lists have a mean, a maximum and a minimum.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.arrays import Floats
from cranfield.cli.main import main
from cranfield.measures.base import READINGS
from cranfield.measures.parameters import Choice, Table
from tests.made import Command, examples

Level = float | None  # None: unjudged

BUILT_IN = {
    c.__name__: c for c in cf.REGISTRY.values() if c.__module__.startswith("cranfield.measures") and c.takes == "lists"
}
USER_MODELS = {name for name, c in BUILT_IN.items() if issubclass(c, cf.UserModel)}
WITHOUT_LENGTHS = {name: c for name, c in BUILT_IN.items() if not c.length_unit}

few = settings(max_examples=examples(25))


# -- lists with ties, and all their orders ------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A topic: the levels of its list, a tuple for each score, and judged levels not returned."""

    groups: tuple[tuple[Level, ...], ...]
    missing: tuple[float, ...] = ()

    @property
    def levels(self) -> list[Level]:
        return list(itertools.chain(*self.groups))

    def orders(self, distinct: bool) -> list[list[int]]:
        """Every order of the list, as places in it.

        If `distinct`, one for each sequence of levels: each of them stands for as many orders as
        any other (items of one level trade places), so means, maxima and minima are the same.
        """
        start, parts = 0, []
        for group in self.groups:
            ways = list(itertools.permutations(range(start, start + len(group))))
            if distinct:
                ways = list({tuple(self.levels[i] for i in way): way for way in ways}.values())
            parts.append(ways)
            start += len(group)
        return [list(itertools.chain(*ways)) for ways in itertools.product(*parts)]

    def judgments(self, name: str) -> dict[str, float]:
        found = {f"{name}d{i}": x for i, x in enumerate(self.levels) if x is not None}
        return found | {f"{name}m{i}": x for i, x in enumerate(self.missing)}

    def scores(self, name: str) -> dict[str, float]:
        score = [-float(g) for g, group in enumerate(self.groups) for _ in group]
        return {f"{name}d{i}": x for i, x in enumerate(score)}


Data = dict[str, dict[str, float]]


def data_of(cases: Sequence[Case]) -> tuple[Data, Data]:
    """Judgments and a run with ties, one topic for each case."""
    named = {f"t{t}": case for t, case in enumerate(cases)}
    return (
        {name: case.judgments(name) for name, case in named.items()},
        {name: case.scores(name) for name, case in named.items()},
    )


def with_ties(cases: Sequence[Case], measures: Any, **options: Any) -> Floats:
    """[cases, columns]"""
    values: Floats = cf.evaluate(*data_of(cases), measures, **options).values[0]
    return values


def all_orders(cases: Sequence[Case], measures: Any, distinct: bool = True, **options: Any) -> list[Floats]:
    """For each case an array [orders, columns]."""
    qrels: Data = {}
    run: Data = {}
    ends = []
    for t, case in enumerate(cases):
        for o, order in enumerate(case.orders(distinct)):
            qrels[f"t{t}o{o}"] = case.judgments(f"t{t}")
            run[f"t{t}o{o}"] = {f"t{t}d{i}": -float(r) for r, i in enumerate(order)}
        ends.append(len(qrels))
    return np.split(cf.evaluate(qrels, run, measures, **options).values[0], ends[:-1])


WHOLE = (None, None, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, -1.0)
FRACTIONS = (None, 0.0, 0.5, 1.0, 1.5, 2.25, 3.0)
LENGTH = {f"t{t}d{i}": float(1 + 977 * (5 * t + 3 * i) % 4000) for t in range(60) for i in range(9)}
LENGTHS = {"words": LENGTH, "characters": {doc: 6 * words for doc, words in LENGTH.items()}}
HIGHEST = Case(((3.0,),))  # so that the highest level does not depend on chance


def random_cases(seed: int, count: int, levels: Sequence[Level] = WHOLE, most: int = 7) -> list[Case]:
    """Lists of up to `most` items in tie groups of any sizes."""
    rng = random.Random(seed)  # noqa: S311
    known = [x for x in levels if x is not None]
    cases = [HIGHEST]
    while len(cases) < count:
        items = [rng.choice(levels) for _ in range(rng.randint(2, most))]
        ends = [i for i in range(1, len(items)) if rng.random() < 0.3]
        pairs = itertools.pairwise([0, *ends, len(items)])
        groups = tuple(tuple(items[a:b]) for a, b in pairs)
        if math.prod(math.factorial(len(group)) for group in groups) <= 720:
            cases.append(Case(groups, tuple(rng.choices(known, k=rng.randint(0, 3)))))
    return cases


# -- measures with many settings ----------------------------------------------------------------

TRIED: dict[str, tuple[Any, ...]] = {
    "rel": (1, 2, 0.5, 0, -1),
    "gain": ("exp", "binary", "1:2:4", "0:1:3"),
    "condensed": (True,),
    "max_level": (2, 5),
    "beta": (0.0, 3.5),
    "alpha": (0.3, 0.0, 1.0),
    "p": (0.3, 0.9),
    "gamma": (0.5, 1.0, 0.0),
    "mult": (0.5, 1.7),
    "b": (3.0,),
    "c": (0.5,),
    "d": (0.1,),
    "docs": (20.0,),
    "stops": ("1:2:3", "0:2:2", "3:1:1"),
    "thresholds": ("level", "3:2:1"),
    "normalize": (False,),
    "halflife": (20.0,),
    "L": (3000.0,),
    "F": (1.0,),
    "T": (0.5, 3.0),
    "K": (2.5,),
    "phi": (0.5,),
    "rate": (1.0,),
    "n": (5.0, 20.0),
    "min_gain": (0.5,),
    "hb": (0.5,),
    "gain_med": (0.2,),
    "R1": (1.0,),
    "R2": (0.0,),
}
BETA_TABLES = ("4:3:2", "3", "2:3:4")  # of WRR
OF_MODELS: dict[str, tuple[Any, ...]] = {  # gains from 0 to 1, and few ranks
    "gain": ("unit", "binary", "0.2:0.5:1"),
    "n": (12.0, 5.0),
    "beta": (0.5, 0.1, 1.0),
}


def tried(m: type[cf.Measure]) -> dict[str, tuple[Any, ...]]:
    """The values tried for each parameter of a measure, the default first."""
    found: dict[str, tuple[Any, ...]] = {}
    for f in m.list_parameters():
        kind = f.metadata["kind"]
        table = isinstance(kind, Table)
        others = BETA_TABLES if f.name == "beta" and table else TRIED.get(f.name, ())
        others += kind.choices if isinstance(kind, Choice) else ()
        found[f.name] = tuple(dict.fromkeys((f.default, *others)))
        if m.__name__ in USER_MODELS and f.name in OF_MODELS:
            found[f.name] = OF_MODELS[f.name]
    found["measurement"] = ("", *m.measurements)
    return found


def made(m: type[cf.Measure], parameters: dict[str, Any]) -> cf.Measure:
    if any(":" in str(value) for value in parameters.values()) and "max_level" in parameters:
        parameters = parameters | {"max_level": min(parameters["max_level"] or 3, 3)}  # in tables
    return m(**parameters)


@functools.cache
def variants(m: type[cf.Measure], most: int = 60, seed: int = 0) -> tuple[cf.Measure, ...]:
    """The measure with each value of each parameter, and with many combinations, no cutoff."""
    rng = random.Random(seed)  # noqa: S311
    values = tried(m)
    plain = {name: options[0] for name, options in values.items()}
    one_by_one = [plain | {name: x} for name, options in values.items() for x in options]
    everything = math.prod(len(options) for options in values.values())
    mixed = [{name: rng.choice(options) for name, options in values.items()} for _ in range(min(most, 2 * everything))]
    found = dict.fromkeys(made(m, parameters) for parameters in one_by_one + mixed)
    return tuple(found)[:most]


def at_cutoffs(measures: Sequence[cf.Measure], cutoffs: Sequence[int | None]) -> list[cf.Measure]:
    return [m if l is None else m @ l for m in measures for l in cutoffs]


def some(m: type[cf.Measure], count: int, seed: int) -> list[cf.Measure]:
    """Some settings of a measure at some cutoffs."""
    rng = random.Random(f"{seed}{m.__name__}")  # noqa: S311
    cutoffs: Sequence[float | None] = (None, None, *range(1, 9))
    if m is cf.IPrec:
        cutoffs = (0, 0.2, 0.5, 1)
    count = 10 * count if m is cf.NCU else count  # a measure of 28 measures
    chosen = [(rng.choice(variants(m, 300)), rng.choice(cutoffs)) for _ in range(count)]
    return list(dict.fromkeys(m if l is None else m @ l for m, l in chosen))


def takes_fractions(m: cf.Measure) -> bool:
    """Whether no table asks for whole levels."""
    tables = (getattr(m, name, None) for name in ("gain", "stops", "beta"))
    return not any(isinstance(table, tuple) and len(table) > 1 for table in tables)


def close(found: Floats, expected: Floats) -> npt.NDArray[np.bool_]:
    """Equal up to rounding: 1e-12, of the value if it is above 1; NaN is not."""
    return np.abs(found - expected) <= 1e-12 * np.maximum(1.0, np.abs(expected))


def failures(ok: npt.NDArray[np.bool_], found: Floats, expected: Floats, cases: Any, names: Any) -> str:
    """The first few of what is wrong, in a form that can be tried again."""
    wrong = [
        f"{names[j]} on {cases[t]}: found {found[t, j]!r}, expected {expected[t, j]!r}" for t, j in np.argwhere(~ok)[:3]
    ]
    return f"{np.count_nonzero(~ok)} of {ok.size} values\n" + "\n".join(wrong)


# -- expected, where it can be computed ---------------------------------------------------------


def check_exact(cases: Sequence[Case], measures: Sequence[cf.Measure], **options: Any) -> None:
    found = with_ties(cases, measures, ties="expected", **options)
    assert found.shape == (len(cases), len(measures))  # no column of standard errors
    expected = np.array([x.mean(axis=0) for x in all_orders(cases, measures, **options)])
    ok = close(found, expected)
    assert ok.all(), failures(ok, found, expected, cases, measures)


EXACT = [n for n, c in WITHOUT_LENGTHS.items() if any(m.exact_under_ties() for m in variants(c))]
HAND_CASES = [
    Case(((1.0, None, 0.0, 2.0, None, 1.0, None),), (3.0,)),  # 7 in one group
    Case(((None, 1.0), (0.0, 2.0, None), (1.0, 3.0)), (0.0, 1.0)),  # three groups
    Case(((2.0,), (0.0, None, None, 1.0, 1.0)), ()),
    Case(((None, None, None), (0.0,)), (1.0,)),  # nothing of use returned
    Case((), (1.0, 2.0)),  # nothing returned
    Case(((3.0, 2.0, 1.0),), ()),  # all relevant
    HIGHEST,
]


def test_most_measures_are_exact() -> None:
    """The list of the contract; a measure that lost its exactness would drop out of the tests."""
    assert set(EXACT) >= {
        "P", "SetP", "Recall", "SetRecall", "F", "SetF", "E", "Success", "Rprec", "RelP",
        "SetRelP", "Utility", "Judged", "Unjudged", "NumQ", "NumRet", "NumRel", "NumRelRet",
        "NumNonRelRet", "NumJudgedRet", "NumUnjudgedRet", "nCG", "nG", "BR", "Rmeasure", "AP",
        "GMAP", "Q", "RR", "NCU", "DCG", "nDCG", "RBP", "nRBP", "GAP", "gAP",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "exact"),
    [
        ("NCU(utility=P)", True),
        ("NCU(utility=P, stops=1:3)", False),  # a stop value is no gain, which groups share
        ("NCU(stop=gu, utility=BR)", False),  # a product of two quantities that ties change
        ("NCU(stop=sat, utility=RR)", False),  # whether users get there depends on what is above
    ],
)
def test_which_users_are_exact(measure: str, exact: bool) -> None:
    assert cf.parse_measure(measure).exact_under_ties() == exact


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_expected_is_the_mean_over_all_orders(name: str) -> None:
    """Every value of every parameter, every cutoff: none, and 1 to two ranks past the end."""
    exact = [m for m in variants(BUILT_IN[name], 200 if name == "NCU" else 30)
             if m.exact_under_ties()]  # fmt: skip
    check_exact(HAND_CASES, at_cutoffs(exact, (None, *range(1, 10))))
    check_exact(random_cases(1, 12), at_cutoffs(exact, (None, 1, 3, 6)))
    whole_or_not = [m for m in exact if takes_fractions(m)]
    check_exact(random_cases(2, 8, FRACTIONS), at_cutoffs(whole_or_not, (None, 2, 4)))


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 6, 9])
def test_expected_at_a_depth_is_the_mean_over_all_orders(depth: int) -> None:
    """The depth may fall into a group: any order of it may be cut there."""
    measures = [m for c in WITHOUT_LENGTHS.values() for m in some(c, 6, depth)]
    exact = [m for m in measures if m.exact_under_ties() and not m.condensed]
    check_exact(HAND_CASES + random_cases(depth, 15), exact, depth=depth)


levels = st.sampled_from(WHOLE)
groups = st.lists(st.lists(levels, min_size=1, max_size=5).map(tuple), max_size=3).map(tuple)
tied_lists = st.builds(Case, groups, st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=3).map(tuple)).filter(
    lambda case: math.prod(math.factorial(len(g)) for g in case.groups) <= 1500
)


@given(case=tied_lists, seed=st.integers(0, 99), depth=st.none() | st.integers(1, 9))
@few
def test_expected_is_the_mean_over_all_orders_of_any_list(case: Case, seed: int, depth: int | None) -> None:
    measures = [m for c in WITHOUT_LENGTHS.values() for m in some(c, 2, seed)]
    exact = [m for m in measures if m.exact_under_ties() and not (depth and m.condensed)]
    check_exact([case, HIGHEST], exact, depth=depth)


# Closed forms, by hand: n tied items, m of them relevant.


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (7, 3), (10, 10), (30, 1), (1000, 20)])
def test_expected_scores_of_a_list_that_is_all_ties(n: int, m: int) -> None:
    case = Case((tuple([1.0] * m + [None] * (n - m)),))
    k = min(5, n)
    ranks = range(1, n + 1)
    share = m / n
    # The first relevant item is at r if the other m - 1 are among the n - r below it.
    first = [math.comb(n - r, m - 1) / math.comb(n, m) for r in ranks]
    # If the item at r is relevant, so are (m - 1)/(n - 1) of the r - 1 above it.
    above = [(r - 1) * (m - 1) / (n - 1) if n > 1 else 0.0 for r in ranks]
    discounts = [1 / math.log2(r + 1) for r in ranks]
    expected = {
        f"P@{k}": share,
        f"P@{2 * n}": share / 2,
        f"Recall@{k}": k / n,
        f"NumRelRet@{k}": k * share,
        f"Success@{k}": 1 - math.comb(n - m, k) / math.comb(n, k),
        "RR": math.fsum(x / r for x, r in zip(first, ranks, strict=True)),
        f"RR@{k}": math.fsum(first[r - 1] / r for r in range(1, k + 1)),
        "AP": math.fsum(share * (1 + x) / r for x, r in zip(above, ranks, strict=True)) / m,
        "nDCG": share * math.fsum(discounts) / math.fsum(discounts[:m]),
        "RBP(p=0.5)": share * (1 - 0.5**n),
        "RBP(p=0.5).residual": 1 - share * (1 - 0.5**n),
        f"Judged@{k}": share,
    }
    found = with_ties([case], list(expected), ties="expected")[0]
    assert found == pytest.approx(np.array(list(expected.values())), rel=1e-12, abs=1e-12)


def test_one_relevant_document_among_n_ties_has_the_harmonic_mean_of_ranks() -> None:
    """AP and RR are then 1/r, each rank as likely as any other: H(n)/n."""
    n = 50
    found = with_ties([Case(((None,) * (n - 1) + (2.0,),))], ["AP", "RR"], ties="expected")[0]
    harmonic = math.fsum(1 / r for r in range(1, n + 1))
    assert found == pytest.approx([harmonic / n] * 2, rel=1e-13)


# -- expected, where it is sampled --------------------------------------------------------------

# Of few orders, so that the samples hold all of them.
SMALL = [HIGHEST, *(case for case in random_cases(5, 30, most=4) if len(case.orders(True)) > 2)]
SAMPLED = ["SetAP@2", "PairAccuracy", "IPrec@0.5", "AP11", "YAAP", "O", "Pmeasure", "Pplus", "ERR",
           "nERR@3", "EBR", "nEBR", "iRBU", "niRBU", "NCU", "NCU(stop=rb, utility=P)",
           "NCU(stop=sat, utility=P)@3", "binG", "G", "nDCGrel", "WRR", "NWRR", "Compat",
           "bpref", "GMbpref", "bpref_R", "bpref_N", "rpref_N", "rpref_relative",
           "rpref_relative2", "bpref_relative", "infAP", "ERR(condensed=true)@2",
           "INST(gain=0.2:0.5:1, n=20)", "NERR10(gain=unit)@3.ETU", "BPM(n=20).ED",
           "AP(n=20).EU"]  # fmt: skip


def sampled(cases: Sequence[Case], measures: Sequence[Any], **options: Any) -> tuple[Any, Any]:
    """Means and standard errors, [cases, measures]."""
    scores = cf.evaluate(*data_of(cases), measures, ties="expected", **options)
    assert scores.measures[1::2] == tuple(f"{name}.se" for name in scores.measures[::2])
    return scores.values[0][:, ::2], scores.values[0][:, 1::2]


def check_sampled(cases: Sequence[Case], measures: Sequence[Any], samples: int = 300, **options: Any) -> None:
    """The mean is within five standard errors of the mean over all orders."""
    mean, error = sampled(cases, measures, tie_samples=samples, **options)
    every = all_orders(cases, measures, "lengths" not in options, **options)
    expected = np.array([x.mean(axis=0) for x in every])
    ok = np.abs(mean - expected) <= 5 * error + 1e-12
    assert ok.all(), failures(ok, mean, expected, cases, measures)
    # The spread of one order is that of all orders, if not by much more than chance allows.
    spread = np.array([x.std(axis=0) for x in every])
    assert ((error > 0) == (spread > 1e-12)).all()
    large = spread > 0.05
    assert error[large] * math.sqrt(samples) == pytest.approx(spread[large], rel=0.25)


def test_sampled_means_are_those_of_all_orders() -> None:
    assert not any(cf.parse_measures(SAMPLED)[i].exact_under_ties() for i in range(len(SAMPLED)))
    check_sampled(SMALL, SAMPLED)


def test_sampled_means_at_a_depth() -> None:
    check_sampled(SMALL, SAMPLED, depth=2, seed=1)


def test_condensed_lists_at_a_depth_are_sampled() -> None:
    """How many judged documents the depth leaves depends on the order: no measure is exact then."""
    names = ["P(condensed=true)", "AP(condensed=true)", "nDCG(condensed=true)@2"]
    check_sampled(SMALL, names, depth=2)
    exact = cf.evaluate(*data_of(SMALL), names, ties="expected")
    assert exact.measures == tuple(names)
    some_of_both = cf.evaluate(*data_of(SMALL), [*names, "AP"], ties="expected", depth=2)
    assert some_of_both.measures[-2:] == ("nDCG(condensed=true)@2.se", "AP")


def test_standard_errors_shrink_with_the_square_root_of_the_samples() -> None:
    cases = [Case(((0.0, None, 1.0, 3.0, 2.0),)), Case(((1.0, None, 0.0, None), (3.0, 1.0)))]
    measures = ["ERR", "O", "G", "bpref", "Compat", "AP11"]
    _, of_100 = sampled(cases, measures, tie_samples=100)
    _, of_900 = sampled(cases, measures, tie_samples=900)
    assert of_100 / of_900 == pytest.approx(np.full(of_100.shape, 3.0), rel=0.25)


def test_the_standard_error_of_the_mean_over_topics() -> None:
    """Topics are sampled independently: √(Σ se²)/T."""
    scores = cf.evaluate(*data_of(SMALL), ["ERR"], ties="expected")
    errors = scores.values[0][:, 1].tolist()
    summary = scores.summary()["run"]["ERR.se"]
    assert summary == pytest.approx(math.sqrt(math.fsum(e * e for e in errors)) / len(errors))
    assert 0 < summary < max(errors)


def test_samples_depend_on_the_seed_only() -> None:
    qrels, run = data_of(SMALL)
    one, same, other = (
        cf.evaluate(qrels, run, SAMPLED, ties="expected", seed=seed, tie_samples=20).values for seed in (7, 7, 8)
    )
    assert (one == same).all()
    assert (one != other).any(axis=1).sum() > len(SAMPLED)


def test_samples_do_not_depend_on_the_other_measures_of_the_call() -> None:
    qrels, run = data_of(SMALL)
    alone = cf.evaluate(qrels, run, ["ERR"], ties="expected").values
    among = cf.evaluate(qrels, run, ["AP", "G", "ERR", "P@2"], ties="expected")
    assert (among[:, :, ["ERR", "ERR.se"]].values == alone).all()


# -- whatever is done about ties ----------------------------------------------------------------


def default(c: type[cf.Measure]) -> cf.Measure:
    """The measure as it is; user models with gains from 0 to 1, and few ranks."""
    return c(**{"gain": "unit", "n": 20} if c.__name__ in USER_MODELS else {})


DEFAULTS = [str(default(c)) for c in WITHOUT_LENGTHS.values()]
DEFAULTS += [f"{name}(n=20).ETU" for name in READINGS if name != "DCG"]  # which is SDCG
AT_3 = [str(default(c) @ 3) for c in WITHOUT_LENGTHS.values() if c is not cf.IPrec]


def large_data(ties: bool) -> tuple[Data, Data]:
    """Forty topics, up to 30 documents each; with or without ties."""
    rng = random.Random(3)  # noqa: S311
    qrels: Data = {}
    run: Data = {}
    for t in range(40):
        docs = [f"d{i}" for i in range(rng.randint(1, 30))]
        scores = [rng.randint(0, 5) if ties else i / 7 for i in range(len(docs))]
        rng.shuffle(scores)
        run[f"t{t}"] = dict(zip(docs, map(float, scores), strict=True))
        judged = rng.sample([f"d{i}" for i in range(40)], rng.randint(1, 30))
        qrels[f"t{t}"] = {doc: float(rng.choice([0, 0, 1, 2, 3])) for doc in judged}
    del run["t7"]  # a topic without an answer
    return qrels, run


@pytest.mark.parametrize("ties", ["best", "worst", "expected"])
@pytest.mark.parametrize("depth", [None, 4])
def test_without_ties_nothing_changes(ties: Any, depth: int | None) -> None:
    """Bit for bit, and the standard errors are 0."""
    qrels, run = large_data(ties=False)
    plain = cf.evaluate(qrels, run, DEFAULTS + AT_3, depth=depth)
    found = cf.evaluate(qrels, run, DEFAULTS + AT_3, depth=depth, ties=ties)
    errors = [name for name in found.measures if name.endswith(".se")]
    assert bool(errors) == (ties == "expected")
    assert (found[:, :, list(plain.measures)].values == plain.values).all()
    assert (found[:, :, errors].values == 0).all()
    assert not any(n.kind == "ties" for n in found.notes)


def test_a_topic_without_ties_is_sampled_without_error_next_to_one_with() -> None:
    untied = Case(((1.0,), (None,), (3.0,)), (2.0,))
    scores = cf.evaluate(*data_of([untied, SMALL[1]]), SAMPLED, ties="expected")
    plain = with_ties([untied, SMALL[1]], SAMPLED)
    assert (scores.values[0, 0, ::2] == plain[0]).all()
    assert (scores.values[0, 0, 1::2] == 0).all()
    assert (scores.values[0, 1, 1::2] > 0).any()


def write_trec(folder: Path, qrels: Data, run: Data) -> tuple[str, str]:
    """The same data as TREC files."""
    judgments, results = folder / "qrels", folder / "run"
    lines = [f"{t} 0 {d} {x:g}\n" for t, docs in qrels.items() for d, x in docs.items()]
    judgments.write_text("".join(lines))
    lines = [f"{t} Q0 {d} 0 {s!r} run\n" for t, docs in run.items() for d, s in docs.items()]
    results.write_text("".join(lines))
    return str(judgments), str(results)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["best", "worst", "expected"])
def test_threads_blocks_and_sources_do_not_matter(ties: Any, tmp_path: Path) -> None:
    qrels, run = large_data(ties=True)
    measures = DEFAULTS + AT_3
    options: dict[str, Any] = {"ties": ties, "tie_samples": 3, "depth": 20}
    reference = cf.evaluate(qrels, run, measures, **options)
    for others in ({"threads": 1}, {"threads": 3, "block_cells": 50}, {"block_cells": 1}):
        again = cf.evaluate(qrels, run, measures, **options | others)
        assert (again.values == reference.values).all()
    files = cf.evaluate(*write_trec(tmp_path, qrels, run), measures, **options)
    assert files.topics == reference.topics
    assert (files.values == reference.values).all()
    assert files.notes == reference.notes


def test_undefined_topics_stay_undefined() -> None:
    cases = [Case(((0.0, None, 0.0),)), Case(((1.0, None, 0.0),))]
    found = with_ties(cases, ["AP", "ERR"], ties="expected", undefined="nan")
    assert np.isnan(found[0]).all()
    assert not np.isnan(found[1]).any()


# -- best and worst -----------------------------------------------------------------------------


def in_order(case: Case, name: str, best: bool) -> list[str]:
    """The documents by score, then level, then the run's order: document ids descending."""
    scores, judgments = case.scores(name), case.judgments(name)
    docs = sorted(scores, reverse=True)
    docs.sort(key=lambda doc: max(judgments.get(doc, 0.0), 0.0), reverse=best)
    return sorted(docs, key=lambda doc: -scores[doc])  # all sorts are stable


@pytest.mark.parametrize("ties", ["best", "worst"])
@pytest.mark.parametrize("depth", [None, 3])
def test_tied_documents_by_level_then_in_the_order_of_the_run(ties: Any, depth: int | None) -> None:
    """Whatever the measure: the list is written down in that order, without ties."""
    cases = HAND_CASES + random_cases(11, 40)
    written = {
        f"t{t}": {doc: -float(r) for r, doc in enumerate(in_order(case, f"t{t}", ties == "best"))}
        for t, case in enumerate(cases)
    }
    measures = [*DEFAULTS, *AT_3, "TBG", "U", "TBG@3", "U@3", "P(condensed=true)"]
    options: dict[str, Any] = {"depth": depth, "lengths": LENGTHS}
    expected = cf.evaluate(data_of(cases)[0], written, measures, **options).values[0]
    found = with_ties(cases, measures, ties=ties, **options)
    assert (found == expected).all()


def bounds(cases: Sequence[Case], measures: Sequence[cf.Measure], **options: Any) -> dict[str, tuple[Floats, Floats]]:
    """What best and worst give, and what they would give as bounds: [cases, measures]."""
    every = all_orders(cases, measures, "lengths" not in options, **options)
    high, low = (np.array([f(x, axis=0) for x in every]) for f in (np.max, np.min))
    lower = np.array([m.better == "lower" for m in measures])
    return {
        "best": (with_ties(cases, measures, ties="best", **options), np.where(lower, low, high)),
        "worst": (with_ties(cases, measures, ties="worst", **options), np.where(lower, high, low)),
    }


def check_bounds(cases: Sequence[Case], measures: Sequence[cf.Measure], **options: Any) -> None:
    for found, extreme in bounds(cases, measures, **options).values():
        ok = close(found, extreme)
        assert ok.all(), failures(ok, found, extreme, cases, measures)


BOUNDED = [n for n, c in WITHOUT_LENGTHS.items() if any(m.rewards_better_items() for m in variants(c))]


@pytest.mark.parametrize("name", BOUNDED)
def test_measures_that_reward_better_items_are_bounded(name: str) -> None:
    """Declared: then best is the maximum over all orders, worst the minimum; for E the reverse."""
    measures = [m for m in some(BUILT_IN[name], 20, 1) if m.rewards_better_items()]
    check_bounds(HAND_CASES + random_cases(21, 15), measures)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_bounds_at_a_depth(depth: int) -> None:
    """A depth is a cutoff of all measures; of condensed lists there are no bounds then."""
    measures = [
        m
        for c in WITHOUT_LENGTHS.values()
        for m in some(c, 6, depth)
        if m.rewards_better_items() and not m.condensed and m.effectiveness
    ]
    check_bounds(HAND_CASES + random_cases(depth + 30, 20), measures, depth=depth)


@dataclass(frozen=True)
class Counterexample:
    """A list that scores more (or less) in another order than in the best (or the worst)."""

    measure: str
    case: Case
    lengths: tuple[float, ...] = ()  # of the documents of the list
    costs: tuple[float, ...] = ()


NO_BOUNDS = [
    # The user stops at the best item, and values relevant items above it.
    Counterexample("Pmeasure", Case(((0.0,), (1.0, 3.0)))),
    Counterexample("Pplus", Case(((0.0,), (1.0, 2.0)))),
    Counterexample("NCU(stop=rp)", Case(((0.0,), (1.0, 3.0)))),
    Counterexample("NCU(stop=rp, utility=P)", Case(((None,), (1.0, 3.0)))),
    Counterexample("NCU(stop=to_rp)", Case(((0.0,), (1.0, 2.0)))),
    Counterexample("NCU(stop=to_rp, utility=P)", Case(((None,), (1.0, 3.0)))),
    # A better item at the cutoff moves the stop there, down from one that was good enough.
    Counterexample("NCU(stop=rp, utility=RR)@2", Case(((1.0,), (3.0, None)))),
    Counterexample("NCU(stop=rp, utility=IE)@2", Case(((1.0,), (3.0, None)))),
    Counterexample("NCU(stop=to_rp, utility=RR)@2", Case(((1.0,), (1.0, 2.0)))),
    Counterexample("NCU(stop=to_rp, utility=IE)@2", Case(((1.0,), (1.0, 2.0)))),
    # A user more likely to stop one rank later has the precision of both items by then.
    Counterexample("NCU", Case(((None,), (2.0, 3.0)))),
    Counterexample("NCU(utility=P)", Case(((0.0,), (1.0, 3.0)))),
    Counterexample("NCU(stop=sat)", Case(((0.0,), (1.0, 3.0)))),
    Counterexample("NCU(stop=sat, utility=P)", Case(((0.0,), (1.0, 2.0)))),
    Counterexample("EBR", Case(((0.0,), (1.0, 3.0)))),
    Counterexample("nEBR", Case(((0.0,), (1.0, 3.0)))),
    # Stop values that fall as levels rise.
    Counterexample("NCU(utility=RR, stops=3:1)", Case(((1.0, 2.0),))),
    Counterexample("NCU(utility=IE, stops=3:1)", Case(((1.0, 2.0),))),
    # β that rises with the level: lower levels are worth more.
    Counterexample("WRR(beta=2:4)", Case(((1.0, 2.0),))),
    Counterexample("NWRR(beta=2:4)", Case(((1.0, 2.0),))),
    # The discount of an item falls with what was gained above it.
    Counterexample("G", Case(((1.0,), (2.0, 3.0)))),
    # Only the item at one rank counts.
    Counterexample("nG@2", Case(((1.0, 3.0),))),
    # One more relevant item makes for more pairs, and they may be wrong.
    Counterexample("PairAccuracy@3", Case(((1.0,), (0.0,), (0.0, 1.0)))),
    # The penalty of an item may outweigh what it gains.
    Counterexample("rpref_N@3", Case(((2.0,), (3.0,), (2.0, 3.0)))),
    # Pooled but not judged: better above than below.
    Counterexample("infAP", Case(((None,), (2.0,), (-1.0, 1.0)))),
    Counterexample("xinfAP", Case(((None,), (2.0,), (-1.0, 1.0)))),
    Counterexample("infNDCG@2", Case(((2.0,), (-1.0, 1.0)))),
    # How uncertain the score is, not how good the list.
    Counterexample("RBP.residual", Case(((None, 2.0),))),
    # What is of no use counts as relevant.
    Counterexample("P(rel=0)@1", Case(((None, 0.0),), (1.0,))),
    Counterexample("AP(rel=-1)", Case(((None, -1.0, 1.0),))),
    # A long document costs more than it gains.
    Counterexample("TBG", Case(((1.0, 2.0),)), (10.0, 9000.0)),
    Counterexample("U", Case(((1.0, 2.0),)), (10.0, 600000.0)),
    # Users who find enough stop, and have seen little else above.
    Counterexample("BPM(T=2)", Case(((0.0,), (0.0,), (0.0,), (1.0, 2.0)))),
    Counterexample("BPMD(T=2, hb=0, hc=0)", Case(((0.0,), (0.0,), (0.0,), (1.0, 2.0)))),
    Counterexample("IFTGoal", Case(((0.0,), (0.0,), (0.0,), (1.0, 3.0)))),
    Counterexample("IFT(b2=0)", Case(((0.0,), (0.0,), (0.0,), (1.0, 3.0)))),
    # Or gain comes fast, so that they read on, and find nothing.
    Counterexample("IFTRate(A=1)", Case(((2.0,), (1.0,), (0.0, 1.0)))),
    # Unjudged items gain more than judged ones.
    Counterexample("SDCG(min_gain=1)", Case(((0.0, None),))),
    Counterexample("NPV(min_gain=1)", Case(((0.0, None),))),
    Counterexample("INSQ(min_gain=1)", Case(((0.0, None),))),
    Counterexample("SET(min_gain=1)", Case(((0.0, None),))),
    # A better document costs more.
    Counterexample("TrAP", Case(((1.0, 2.0),)), costs=(1.0, 9.0)),
    # An item that does harm counts as one of no use in the order.
    Counterexample("DCG(gain=raw)", Case(((None, -2.0),))),
    Counterexample("nDCG(gain=raw)", Case(((None, -2.0),), (1.0,))),
    Counterexample("MeanNDCG(gain=raw)", Case(((None, -2.0),), (1.0,))),
    Counterexample("nDCGrel(gain=raw)", Case(((None, -2.0, 1.0),), (1.0,))),
    Counterexample("RnDCG(gain=raw)", Case(((None, -2.0),), (1.0,))),
    # Not a measure of effectiveness.
    Counterexample("Utility(b=3)@1", Case(((1.0, 0.0),))),
    Counterexample("Unjudged@1", Case(((1.0, None),))),
]  # fmt: skip


@pytest.mark.parametrize("known", NO_BOUNDS, ids=lambda known: known.measure)
def test_measures_that_declare_no_bounds_have_none(known: Counterexample) -> None:
    (m,) = cf.parse_measures(known.measure)
    lengths = {f"t0d{i}": x for i, x in enumerate(known.lengths)}
    options: dict[str, Any] = {"lengths": lengths} if lengths else {}
    if known.costs:
        docs = [f"t0d{i}" for i in range(len(known.costs))]
        options["costs"] = pl.DataFrame({"doc": docs, "cost": known.costs})
    found = bounds([known.case], [m], **options)
    assert any(not close(value, extreme).all() for value, extreme in found.values())
    assert not m.rewards_better_items()


# No list is known on which a better item moved up lowers EU or ETU, but nothing is promised: users
# who have found something stop sooner.
CAUTIOUS = {"INST", "NERR8", "NERR9", "NERR10", "NERR11"}


def test_every_measure_that_declares_no_bounds_has_a_counterexample() -> None:
    listed = {type(m).__name__ for known in NO_BOUNDS for m in cf.parse_measures(known.measure)}
    without = {
        type(m).__name__
        for c in BUILT_IN.values()
        for m in some(c, 60, 1)
        if m.effectiveness and not m.rewards_better_items()
        if (rel := getattr(m, "rel", None)) is None or rel > 0  # else any measure fails
    }
    assert without <= listed | CAUTIOUS


def test_the_best_of_the_e_measure_is_its_minimum() -> None:
    case = Case(((1.0, 0.0),), (2.0,))  # E@1 = 1 − C/(1/2 + 1) with R = 2: 1/3 or 1
    found = [with_ties([case], ["E@1"], ties=ties)[0, 0] for ties in ("best", "worst", "expected")]
    assert found == pytest.approx([1 / 3, 1.0, 2 / 3])


@given(case=tied_lists, seed=st.integers(0, 99))
@few
def test_the_mean_lies_between_the_bounds(case: Case, seed: int) -> None:
    measures = [
        m
        for c in WITHOUT_LENGTHS.values()
        for m in some(c, 2, seed)
        if m.rewards_better_items() and m.exact_under_ties()
    ]
    best, mean, worst = (with_ties([case, HIGHEST], measures, ties=ties) for ties in ("best", "expected", "worst"))
    sign = np.array([-1.0 if m.better == "lower" else 1.0 for m in measures])
    assert (sign * best >= sign * mean - 1e-12).all()
    assert (sign * mean >= sign * worst - 1e-12).all()


@given(case=tied_lists)
@few
def test_sampled_means_lie_between_the_extremes_of_all_orders(case: Case) -> None:
    """Every sample is one of the orders."""
    mean, _ = sampled([case, HIGHEST], SAMPLED, tie_samples=5)
    every = all_orders([case, HIGHEST], SAMPLED)
    assert (mean <= np.array([x.max(axis=0) for x in every]) + 1e-12).all()
    assert (mean >= np.array([x.min(axis=0) for x in every]) - 1e-12).all()


# -- documents of different lengths -------------------------------------------------------------

READING = ["TBG", "TBG@2", "TBG(condensed=true)", "TBG(rel=2, halflife=20)", "U", "U@3",
           "U(condensed=true, L=3000)", "U(prob=gain, F=1, L=9000)"]  # fmt: skip


@pytest.mark.parametrize("depth", [None, 3])
def test_sampled_means_with_lengths(depth: int | None) -> None:
    """A document takes its length along wherever it goes, judged or not."""
    check_sampled(SMALL, READING, lengths=LENGTHS, depth=depth)


def test_samples_with_lengths_are_orders_of_the_list() -> None:
    """With two samples the mean is that of two orders."""
    case = Case(((1.0, None, 2.0), (0.0, 1.0)))
    mean, _ = sampled([case], READING, tie_samples=2, lengths=LENGTHS)
    every = all_orders([case], READING, distinct=False, lengths=LENGTHS)[0]
    for j, name in enumerate(READING):
        pairs = (every[:, None, j] + every[None, :, j]) / 2
        assert np.isclose(pairs, mean[0, j], rtol=1e-13, atol=1e-13).any(), name


def test_lengths_below_the_depth_need_not_be_known() -> None:
    """But all that an order of tied documents could bring above a relevant one."""
    qrels = {"t": {"a": 1.0, "b": 0.0, "c": 1.0}}
    run = {"t": {"a": 3.0, "b": 2.0, "z": 1.0, "c": 0.0}}
    options: dict[str, Any] = {"ties": "expected", "lengths": {"a": 10, "b": 20, "c": 5}}
    found = cf.evaluate(qrels, run, "TBG", depth=3, **options).values
    assert found[0, 0, 0] == pytest.approx(0.64 * 0.77)  # one relevant document, and it is first
    with pytest.raises(cf.InputError, match="no length of the document at rank 3"):
        cf.evaluate(qrels, run, "TBG", depth=4, **options)
    run["t"]["z"] = 3.0  # tied with a: it may stand above it
    with pytest.raises(cf.InputError, match="no length of the document"):
        cf.evaluate(qrels, run, "TBG", depth=2, **options)


def test_tied_lengths_from_files_and_mappings(tmp_path: Path) -> None:
    qrels, run = data_of(SMALL)
    path = tmp_path / "lengths"
    path.write_text("".join(f"{doc} {x!r}\n" for doc, x in LENGTH.items()))
    files = write_trec(tmp_path, qrels, run)
    for ties in ("best", "worst", "expected"):
        options: dict[str, Any] = {"ties": ties, "tie_samples": 5}
        for name in ("TBG", "U"):
            mappings = cf.evaluate(qrels, run, name, lengths=LENGTH, **options)
            assert (cf.evaluate(*files, name, lengths=path, **options).values == mappings.values).all()


# -- wrong options, notices and the command -----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ties": "middle"}, "found ties='middle', expected one of trec, rank, given, best"),
        ({"ties": "Best"}, "found ties='Best', expected"),
        ({"tie_samples": 0}, "tie_samples must be an integer ≥ 2, found 0"),
        ({"tie_samples": 1}, "tie_samples must be an integer ≥ 2, found 1"),
        ({"tie_samples": -3}, "tie_samples must be an integer ≥ 2, found -3"),
        ({"tie_samples": "x"}, "tie_samples must be an integer ≥ 2, found 'x'"),
        ({"tie_samples": 2.5}, r"tie_samples must be an integer ≥ 2, found 2\.5"),
        ({"tie_samples": None}, "tie_samples must be an integer ≥ 2, found None"),
        ({"seed": -1}, "seed must be an integer ≥ 0, found -1"),
        ({"seed": "x"}, "seed must be an integer ≥ 0, found 'x'"),
    ],
)
def test_wrong_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        cf.Evaluator({"t": {"a": 1}}, "AP", **{"ties": "expected", **options})


def tie_note(measures: Any, **options: Any) -> str:
    scores = cf.evaluate(*data_of([SMALL[0], HIGHEST]), measures, **options)
    (note,) = (n for n in scores.notes if n.kind == "tie-order")
    return note.text


def test_the_note_says_what_is_exact() -> None:
    said = tie_note(["AP", "ERR", "P@3", "G"], ties="expected", tie_samples=50, seed=4)
    assert said == (
        "mean over all orders of tied documents: exact for AP, P@3; from 50 random orders (seed 4) for ERR, G"
    )
    assert "random" not in tie_note(["AP"], ties="expected")
    assert "exact" not in tie_note(["ERR"], ties="expected")
    said = tie_note(["AP", "AP(condensed=true)"], ties="expected", depth=3)
    assert "exact for AP;" in said
    assert said.endswith("for AP(condensed=true)")


def test_the_note_says_what_is_a_bound() -> None:
    best, worst = (tie_note(["AP", "nDCG@3"], ties=ties) for ties in ("best", "worst"))
    assert "no other order scores better" in best
    assert "no other order scores worse" in worst
    said = tie_note(["AP", "nG@2", "Judged"], ties="best")
    assert said.endswith(": another order may score better under nG@2")  # Judged has no cutoff
    said = tie_note(["AP", "nG@2", "Judged@3"], ties="best")
    assert said.endswith(": another order may score better under nG@2; another order may change Judged@3")
    assert "no other order scores better" in tie_note(["E@2"], ties="best")


@pytest.mark.parametrize("name", ["P(condensed=true)", "PairAccuracy"])
def test_no_bound_is_claimed_where_a_depth_breaks_it(name: str) -> None:
    """P: the unjudged documents that the depth cuts off shorten the condensed list."""
    case = {
        "P(condensed=true)": Case(((2.0, None, 0.0, 0.0),)),
        "PairAccuracy": Case(((1.0,), (0.0,), (0.0, 1.0))),
    }[name]
    measures = list(cf.parse_measures(name))
    found = bounds([case], measures, depth=3)
    assert any(not close(value, extreme).all() for value, extreme in found.values())
    assert f"another order may score better under {name}" in tie_note(measures, ties="best", depth=3)


# -- what the note claims -----------------------------------------------------------------------

CLAIM_CASES = [
    Case(((None, 1.0), (None, 0.0, 2.0), (None,)), (3.0,)),
    Case(((-1.0, None, 0.0, 1.0, 2.0),), (1.0,)),
    Case(((-2.0, 1.0, -1.0, None),), (2.0,)),
    Case(((1.0,), (3.0, None, 2.0, 0.0))),
    HIGHEST,
]
CLAIM_OPTIONS: list[dict[str, Any]] = [
    {},
    {"depth": 2},
    {"condensed": True},
    {"residuals": True},
]


def has_claim(scores: cf.Scores, column: str) -> bool:
    """Return True if the note claims that no other order of ties scores better, or worse."""
    notes = scores.select(measures=[column]).notes
    (note,) = (x for x in notes if x.kind == "tie-order")
    return "no other order scores" in note.text


def check_claims(best: cf.Scores, worst: cf.Scores, every: Sequence[Floats]) -> set[str]:
    """Compare each claimed bound with all orders, and return the columns with a claim."""
    high, low = (np.array([f(x, axis=0) for x in every]) for f in (np.max, np.min))
    lower = np.array([better == "lower" for better in best.better])
    pairs = (best, np.where(lower, low, high)), (worst, np.where(lower, high, low))
    claims = set()
    for j, column in enumerate(best.measures):
        assert has_claim(best, column) == has_claim(worst, column)
        if has_claim(best, column):
            claims.add(column)
            for scores, extreme in pairs:
                assert close(scores.values[0][:, j], extreme[:, j]).all(), column
    return claims


def claims_of(measures: Sequence[Any], cases: Sequence[Case], **options: Any) -> set[str]:
    best, worst = (cf.evaluate(*data_of(cases), measures, ties=ties, **options) for ties in ("best", "worst"))
    return check_claims(best, worst, all_orders(cases, measures, **options))


def can_use(m: type[cf.Measure], options: dict[str, Any]) -> bool:
    """Return True if the option changes something for a measure, and is no error therefore."""
    names = {f.name for f in m.list_parameters()}
    return not ("condensed" in options and "condensed" not in names) and not (
        "residuals" in options and not m.has_residuals
    )


@pytest.mark.parametrize("name", WITHOUT_LENGTHS)
def test_of_ties_every_measure_claims_only_bounds_that_hold(name: str) -> None:
    c = BUILT_IN[name]
    raw = [c(gain="raw"), c(gain="raw") @ 2] if c.takes_raw_gains else []
    measures = list(dict.fromkeys([*some(c, 8, 3), *raw]))
    for options in CLAIM_OPTIONS:
        if can_use(c, options):
            claims_of(measures, CLAIM_CASES, **options)


def test_of_ties_judged_at_a_cutoff_is_not_bounded() -> None:
    """Unjudged, 0 and 1 tied, and unjudged: best keeps the unjudged one at rank 2 or 3."""
    qrels = {"t": {"a": 1, "b": 0, "c": 0}}
    run = {"t": {"z": 1.0, "a": 1.0, "b": 1.0, "c": 1.0}}
    scores = cf.evaluate(qrels, run, "Judged@3", ties="best")
    assert scores.values.item() == pytest.approx(2 / 3)
    assert cf.evaluate(qrels, {"t": ["a", "b", "c", "z"]}, "Judged@3").values.item() == 1.0
    assert not has_claim(scores, "Judged@3")


def test_of_ties_counts_that_every_order_has_are_claimed() -> None:
    names = ["NumQ@2", "NumRet@2", "NumRel@2", "NumRelRet", "Judged", "Unjudged"]
    assert claims_of(names, CLAIM_CASES) == set(names)
    assert claims_of(names, CLAIM_CASES, depth=2) == {"NumQ@2", "NumRet@2", "NumRel@2"}


def test_of_ties_residuals_are_not_claimed() -> None:
    assert claims_of(["RBP"], CLAIM_CASES, residuals=True) == {"RBP"}


def test_registry_every_kind_of_measure_is_in_a_test_of_claims() -> None:
    """Texts, answers, distributions and sessions have no option for ties."""
    assert {c.takes for c in cf.REGISTRY.values()} - {"lists", "intents"} == {
        "texts", "answers", "distributions", "sessions",
    }  # fmt: skip


INTENT_LEVELS = {"i1": {"a": 2, "b": 1, "c": 0}, "i2": {"a": 0, "b": 1, "d": 1}}
DIVERSE = [
    "IRec", "IA(ERR)", "PMP", "D(nDCG)", "DIN(nDCG)", "Dsharp(nDCG)", "DINsharp(nDCG)",
    "PplusQ", "PplusQsharp", "alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP",
]  # fmt: skip


@pytest.mark.parametrize(
    ("measures", "options"),
    [
        (DIVERSE, {}),
        (["AP", "nDCG@2", "P@1", "ERR", "Judged@2"], {"intents": {}}),
        (["AP", "nDCG@2", "P@1", "ERR", "Judged@2"], {"intents": {}, "per_intent": True}),
    ],
)
def test_of_ties_intents_claim_only_bounds_that_hold(measures: list[str], options: dict[str, Any]) -> None:
    """Each intent prefers another document, so that no order is best for all."""
    options = options and options | {"intents": {"t": {"i1": 0.5, "i2": 0.5}}}
    docs = [*"abcdz"]
    every = [
        cf.evaluate({"t": INTENT_LEVELS}, {"t": list(order)}, measures, **options).values[0]
        for order in itertools.permutations(docs)
    ]
    best, worst = (
        cf.evaluate({"t": INTENT_LEVELS}, {"t": dict.fromkeys(docs, 1.0)}, measures, ties=ties,
                    **options)
        for ties in ("best", "worst")
    )  # fmt: skip
    claims = check_claims(best, worst, [*np.stack(every, axis=1)])
    expected = {"AP", "nDCG@2", "P@1", "ERR"} if "per_intent" not in options else set()
    assert claims == expected.intersection(measures)


QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 d 1\n"
RUN = "q1 Q0 b 1 1.0 x\nq1 Q0 a 2 1.0 x\nq2 Q0 e 1 2.0 x\nq2 Q0 d 2 1.0 x\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return tmp_path


def test_the_command_with_expected_ties(here: Path) -> None:
    """q1: a and b in any order, of a, b, c: AP (1 + 1/2)/2/2, P@1 1/2; q2: 1/2 and 0."""
    command = [sys.executable, "-m", "cranfield", "evaluate", "qrels", "run", "-f", "tsv", "-q"]
    options = ["--ties", "expected", "--tie-samples", "64", "--seed", "3"]
    measures = ["-m", "AP", "-m", "ERR", "-m", "P@1"]
    done = subprocess.run(command + options + measures, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    values = {(topic, measure): float(value) for _, topic, measure, value in rows}
    names = ["AP", "ERR", "ERR.se", "P@1"]
    assert [row[2] for row in rows] == names * 3
    assert [values["q1", "AP"], values["q2", "AP"], values["all", "AP"]] == [0.375, 0.5, 0.4375]
    assert [values["q1", "P@1"], values["q2", "P@1"]] == [0.5, 0.0]
    # ERR of q1 with h = 2: 3/4 at rank 1 or 2; half of the difference is the deviation.
    assert abs(values["q1", "ERR"] - 0.5625) <= 5 * values["q1", "ERR.se"]
    assert values["q1", "ERR.se"] == pytest.approx(0.1875 / 8, rel=0.1)
    assert values["q2", "ERR.se"] == 0.0
    assert values["all", "ERR.se"] == pytest.approx(values["q1", "ERR.se"] / 2)
    assert "exact for AP, P@1; from 64 random orders (seed 3) for ERR" in done.stderr
    assert "ties matter in 1 topic (q1): 2 of 2 tied documents" in done.stderr


@pytest.mark.parametrize(("ties", "value", "than"), [("best", 0.5, "better"), ("worst", 0.25, "worse")])
def test_the_command_with_bounds(
    here: Path, capsys: pytest.CaptureFixture[str], ties: str, value: float, than: str
) -> None:
    command = ["evaluate", "qrels", "run", "-f", "tsv", "-q", "--ties", ties]
    assert main([*command, "-m", "AP"]) == 0
    shown = capsys.readouterr()
    assert f"x\tq1\tAP\t{value!r}\n" in shown.out
    assert f"no other order scores {than}" in shown.err
    assert main([*command, "-m", "AP nG@2"]) == 0
    assert f"another order may score {than} under nG@2" in capsys.readouterr().err


@pytest.mark.parametrize("samples", ["0", "1", "x"])
def test_the_command_with_too_few_samples(here: Path, samples: str, cranfield: Command) -> None:
    command = ["evaluate", "qrels", "run", "--ties", "expected", "--tie-samples", samples]
    said = cranfield.refused(*command)
    expected = (
        "tie_samples must be an integer ≥ 2, found 1"
        if samples == "1"
        else f"found '{samples}', expected an integer ≥ 1"
    )
    assert expected in said
