"""The numbers printed in the seed papers, to the precision they are printed with.

seed 000: Sakai, NTCIREVAL (2011). seed 001: Sakai, Metrics, Statistics, Tests (2014).
seed 003: Xu, Liu and Li, The Evaluation Tool in LETOR. seed 004: Azzopardi et al., cwl_eval (2019).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.measures.arrays import build_lists
from cranfield.measures.ncu import STOPS
from tests.evidence import checks

Levels = Sequence[float | None]


def as_collection(levels: Levels, judged: Sequence[float]) -> tuple[Any, Any]:
    """Qrels and run of one topic with this list; what is judged and not in the list is unseen."""
    unseen = list(judged)
    for level in levels:
        if level is not None:
            unseen.remove(level)
    qrels = {f"d{r}": level for r, level in enumerate(levels) if level is not None}
    qrels |= {f"unseen{i}": level for i, level in enumerate(unseen)}
    return {"1": qrels}, {"1": [f"d{r}" for r in range(len(levels))]}


def evaluated(measure: str | cf.Measure, levels: Levels, judged: Sequence[float], **options: Any) -> float:
    """The value that `cf.evaluate` gives a single list."""
    qrels, run = as_collection(levels, judged)
    return float(cf.evaluate(qrels, run, [measure], **options).values[0, 0, 0])


def single(measure: str | cf.Measure, levels: Levels, judged: Sequence[float], **settings: Any) -> float:
    """The value that calling the measure with a single list gives it."""
    m = cf.parse_measure(measure)
    known = {f.name for f in m.list_parameters()}
    settings = {k: v for k, v in settings.items() if k in known}
    made = type(m)(**({f.name: getattr(m, f.name) for f in m.list_parameters()} | settings))
    return float((made if m.cutoff is None else made @ m.cutoff)(levels, judged=judged))


# -- seed 000, Figures 1 to 4: the output of `ntcir_eval compute` -------------------------------

NAMES = (
    "RR O-measure P-measure P-plus AP Q-measure NCUgu,P NCUgu,BR NCUrb,P NCUrb,BR RBP ERR "
    "AP@1000 Q@1000 nDCG@1000 MSnDCG@1000 P@1000 nERR@1000 Hit@1000"
)
PRINTED = {
    # Figure 1: rel file a L1, b L0; list c, b, a; gains 1:2.
    "figure1": "0.3333 0.5000 0.5000 0.5000 0.3333 0.5000 0.3333 0.5000 0.3333 0.5000 "
    "0.0226 0.1111 0.3333 0.5000 0.6309 0.5000 0.0010 0.3333 1.0000",
    # Figure 2: the same with label -j, a condensed list.
    "figure2": "0.5000 0.6667 0.6667 0.6667 0.5000 0.6667 0.5000 0.6667 0.5000 0.6667 "
    "0.0238 0.1667 0.5000 0.6667 1.0000 0.6309 0.0010 0.5000 1.0000",
    # Figure 3: a L1 and b L2 form one class; b is found first, so a does not count.
    "figure3": "0.5000 0.7500 0.7500 0.7500 0.5000 0.7500 0.5000 0.7500 0.5000 0.7500 "
    "0.0475 0.3333 0.5000 0.7500 1.0000 0.6309 0.0010 0.5000 1.0000",
    # Figure 4: a has the global gain 0.8·2 + 0.2·1 = 1.8, which tops the ideal list. The first
    # "Q-measure" there is O-measure, and there are no NCUgu lines (errata, 000).
    "figure4": "0.3333 0.5833 0.5833 0.5833 0.3333 0.5833 - - 0.3333 0.5833 "
    "0.0451 0.2143 0.3333 0.5833 0.6309 0.5000 0.0010 0.3333 1.0000",
}
LISTS: dict[str, tuple[Levels, list[float]]] = {
    "figure1": ([None, 0, 1], [1, 0]),
    "figure2": ([None, 0, 1], [1, 0]),
    "figure3": ([None, 2, None], [2]),
    "figure4": ([None, None, 0.8 * 2 + 0.2 * 1], [0.8 * 2 + 0.2 * 1]),
}
RELEASE_2019 = {  # on Figure 1's input (tools.md)
    "EBR": "0.1667",
    "iRBU": "0.3234",
    "NCUrb,IE": "0.9703",
    "nRBP@1000": "0.9025",
    "nEBR@1000": "0.5000",
    "niRBU@1000": "0.9801",
    # What Figure 1 prints, under the names of 2019 or at a cutoff that changes nothing.
    "Prec@1000": "0.0010",
    "NCUrb,P@1000": "0.3333",
    "NCUrb,BR@1000": "0.5000",
    "NCUrb,IE@1000": "0.9703",
    "RBP@1000": "0.0226",
    "ERR@1000": "0.1111",
    "EBR@1000": "0.1667",
    "iRBU@1000": "0.3234",
}
WITH_J = {  # compute -j on Figure 2's input (tools.md)
    "bpref": "0.0000",
    "bpref_R": "0.0000",
    "bpref_N": "0.0000",
    "bpref_relative": "0.0000",
    "rpref_N": "0.3333",
    "rpref_relative": "0.0000",
    "rpref_relative2": "0.5000",
}


def printed_in(figure: str) -> dict[str, str]:
    """The values of a figure by their names."""
    values = dict(zip(NAMES.split(), PRINTED[figure].split(), strict=True))
    return {name: value for name, value in values.items() if value != "-"}


FIGURES = [
    *((figure, name, value) for figure in PRINTED for name, value in printed_in(figure).items()),
    *(("figure1", name, value) for name, value in RELEASE_2019.items()),
    *(("figure2", name, value) for name, value in WITH_J.items()),
]
EACH_LINE = pytest.mark.parametrize(
    ("figure", "name", "printed"),
    [pytest.param(*line, id="-".join(line[:2])) for line in FIGURES],
)


def settings_of(figure: str) -> dict[str, Any]:
    """Gains as -g gives them; a global gain is the level itself, and the highest there is."""
    settings: dict[str, Any] = {"condensed": True} if figure == "figure2" else {}
    return settings | ({"max_level": 1.8} if figure == "figure4" else {"gain": "1:2"})


@checks(*(f"ntcir:{name}" for _, name, _ in FIGURES), against="Sakai 2011")
@EACH_LINE
def test_seed_000_figures_by_evaluate(figure: str, name: str, printed: str) -> None:
    levels, judged = LISTS[figure]
    measure: Any = cf.parse_measure(f"ntcir:{name}")
    options: dict[str, Any] = {} if figure == "figure4" else {"gains": "1:2"}
    if figure == "figure2":
        options["condensed"] = True
    assert f"{evaluated(measure, levels, judged, **options):.4f}" == printed


@EACH_LINE
def test_seed_000_figures_by_calling_a_measure(figure: str, name: str, printed: str) -> None:
    levels, judged = LISTS[figure]
    assert f"{single(f'ntcir:{name}', levels, judged, **settings_of(figure)):.4f}" == printed


@pytest.mark.parametrize(
    "name",
    ["AP", "Q", "nDCG", "MSnDCG", "P", "Hit", "nERR", "O-measure", "P-plus", "NCUrb,BR", "ERR"],
)
@pytest.mark.parametrize("figure", PRINTED)
def test_seed_000_figures_by_a_cutoff_with_a_leading_zero(figure: str, name: str) -> None:
    """A cutoff as NTCIREVAL prints it, in four digits, asks for NTCIREVAL's definition."""
    levels, judged = LISTS[figure]
    at_4 = single(f"{name}@0004", levels, judged, **settings_of(figure))
    printed = printed_in(figure)
    # Nothing beyond rank 3, so only the divisor of P knows the cutoff.
    expected = "0.2500" if name == "P" else printed.get(f"{name}@1000", printed.get(name))
    assert f"{at_4:.4f}" == expected


@checks("NumRet", "NumRel", "NumRelRet", "NumNonRelRet", against="Sakai 2011")
@pytest.mark.parametrize(
    ("figure", "syslen", "jnonrel"),
    [("figure1", 3, 1), ("figure2", 2, 1), ("figure3", 3, 0), ("figure4", 3, 0)],
)
def test_seed_000_figures_first_line(figure: str, syslen: int, jnonrel: int) -> None:
    """The size of the output, and of the relevance file; jrel is always 1."""
    levels, judged = LISTS[figure]
    condensed = "(condensed=true)" if figure == "figure2" else ""
    assert evaluated(f"NumRet{condensed}", levels, judged) == syslen
    assert evaluated(f"NumRel{condensed}", levels, judged) == 1
    assert evaluated(f"NumRelRet{condensed}", levels, judged) == 1
    assert evaluated(f"NumNonRelRet{condensed}", levels, judged) == jnonrel  # all of them found


@pytest.mark.parametrize(("figure", "rank"), [("figure1", 3), ("figure2", 2), ("figure3", 2), ("figure4", 3)])
def test_seed_000_figures_r1_and_rp(figure: str, rank: int) -> None:
    """r1 and rp are the same rank in all figures."""
    levels, judged = LISTS[figure]
    for stop in ("r1", "rp"):
        m = cf.NCU(stop=stop, utility="RR", condensed=figure == "figure2")
        assert 1 / m(levels, judged=judged) == pytest.approx(rank, abs=1e-15)


def test_seed_000_figure_1_from_files(tmp_path: Any) -> None:
    (tmp_path / "rel").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "res").write_text("1 Q0 c 1 3 s\n1 Q0 b 2 2 s\n1 Q0 a 3 1 s\n")
    measures = [f"ntcir:{name}" for name in NAMES.split()]
    scores = cf.evaluate(tmp_path / "rel", tmp_path / "res", measures, gains="1:2")
    # Q-measure and Q@1000 differ in their cutoff only; each has its own column.
    assert [f"{x:.4f}" for x in scores.values[0, 0]] == PRINTED["figure1"].split()


def stopping_probabilities(m: cf.NCU, levels: Levels, judged: Sequence[float]) -> list[tuple[int, float]]:
    """The ranks where users stop, and how likely it is."""
    x = m.view(build_lists(levels, judged))
    weight, together = STOPS[m.stop](m, x)
    at = (weight / together[:, None])[0]
    return [(int(r), float(p)) for r, p in zip(x.r[0], at, strict=True) if p]


def test_seed_000_section_3_1_rank_biased_stopping() -> None:
    """R = 3, two found at ranks 1 and 5: 1/(1 + 0.95 + 0.95²) = 0.35 and 0.33."""
    levels = [1, None, 0, None, 1]
    found = stopping_probabilities(cf.NCU(stop="rb"), levels, [1, 1, 1, 0])
    assert [(r, f"{p:.2f}") for r, p in found] == [(1, "0.35"), (5, "0.33")]


def test_seed_000_section_3_1_graded_uniform_stopping() -> None:
    """Two L2 and one L1, gains 2 and 1: 2/(2 + 2 + 1) = 0.4 at an L2, 0.2 at the L1."""
    levels, judged = [2, None, 1, 0, 2], [2, 2, 1, 0]
    for m in (cf.NCU(stop="gu"), cf.NCU(stop="gu", gain="1:2"), cf.NCU(stop="gu", stops="1:2")):
        assert stopping_probabilities(m, levels, judged) == [(1, 0.4), (3, 0.2), (5, 0.4)]
    # Stop values need not be the gains (-s): 1 for both levels is uniform.
    uniform = cf.NCU(stop="gu", gain="1:2", stops="1:1")
    assert [p for _, p in stopping_probabilities(uniform, levels, judged)] == [1 / 3] * 3


NCU_MEMBERS = {
    "AP": "NCU(stop=u, utility=P)",
    "AP@5": "NCU(stop=u, utility=P)@5",
    "Q": "NCU(stop=u, utility=BR)",
    "Q(beta=10)@5": "NCU(stop=u, utility=BR, beta=10)@5",
    "RR": "NCU(stop=r1, utility=P)",  # Prec(r1) = 1/r1 (001)
    "O": "NCU(stop=r1, utility=BR)",
    "Pmeasure": "NCU(stop=rp, utility=BR)",
    "Pplus": "NCU(stop=to_rp, utility=BR)",
    "Pplus@5": "NCU(stop=to_rp, utility=BR)@5",
    "ERR": "NCU(stop=sat, utility=RR)",
    "ERR(prob=linear)@5": "NCU(stop=sat, utility=RR, prob=linear)@5",
}


@pytest.mark.parametrize("name", NCU_MEMBERS)
def test_seed_000_section_3_1_all_are_members_of_one_family(name: str) -> None:
    """ "all of the other metrics described previously can be regarded as an NCU metric"."""
    rng = np.random.default_rng(5)
    m, member = cf.parse_measure(name), cf.parse_measure(NCU_MEMBERS[name])
    some = 0
    for _ in range(50):
        levels = [None if x < 0 else int(x) for x in rng.integers(-2, 4, size=12)]
        judged = [*(x for x in levels if x is not None), *rng.integers(0, 4, size=4).tolist(), 3]
        value = m(levels, judged=judged)
        assert member(levels, judged=judged) == pytest.approx(value, abs=1e-15)
        some += value > 0
    assert some > 40


def test_seed_000_section_3_1_no_relevant_item_gives_rr_0() -> None:
    assert cf.RR()([0, None, 0], judged=[1, 0, 0]) == 0
    assert evaluated("RR", [0, None, 0], [1, 0, 0]) == 0


def test_seed_000_section_3_1_hit_and_precision() -> None:
    """Hit@l = 1 if C(l) > 0 and 0 otherwise; P@l = C(l)/l."""
    levels = [0, None, 1, 2, None]
    C = [0, 0, 1, 2, 2, 2, 2]
    for l in range(1, 8):
        assert (cf.Success @ l)(levels) == (C[l - 1] > 0)
        assert (cf.P @ l)(levels) == C[l - 1] / l


def test_seed_000_section_3_1_ap_and_q_at_l_can_reach_1_even_if_l_is_below_R() -> None:
    judged = [2, 1, 1, 1, 1, 0]
    assert (cf.AP @ 2)([1, 1, 0], judged=judged) == 1
    assert (cf.AP(norm="R") @ 2)([1, 1, 0], judged=judged) == 2 / 5
    assert (cf.Q @ 2)([2, 1], judged=judged) == 1
    assert cf.AP()([1, 1], judged=judged) == 2 / 5


def test_seed_000_section_3_1_original_ndcg_treats_ranks_1_and_2_equally() -> None:
    original = cf.nDCG(discount="jk")
    assert original([1], judged=[1]) == original([0, 1], judged=[1, 0]) == 1
    assert (cf.nDCG @ 1000)([0, 1], judged=[1, 0]) < 1


def test_seed_000_section_3_1_unjudged_and_l0_gain_nothing() -> None:
    """g(r) = 0 if the document is either L0 or unjudged."""
    for name in ("AP", "Q", "nDCG", "ERR", "RBP", "ntcir:nDCG@10", "ntcir:ERR", "ntcir:RBP"):
        judged = single(name, [0, 2, 0, 1], [2, 1, 0, 0], gain="1:2")
        unjudged = single(name, [None, 2, None, 1], [2, 1, 0, 0], gain="1:2")
        assert judged == unjudged


def test_seed_000_section_3_2_bpref_of_figure_2_is_zero() -> None:
    """ "bpref would equal zero even though the ranked list has a relevant document at rank 2"."""
    assert cf.bpref()([None, 0, 1], judged=[1, 0]) == 0
    assert cf.bpref(condensed=True)([None, 0, 1], judged=[1, 0]) == 0
    assert evaluated("ntcir:bpref", [None, 0, 1], [1, 0]) == 0


def test_seed_000_section_4_d_q() -> None:
    """D-Q = BR(3) = (1 + 1.8)/(3 + 1.8) = 0.5833."""
    gain = 0.8 * 2 + 0.2 * 1
    assert f"{gain:.1f}" == "1.8"
    assert f"{cf.Q()([None, None, gain], judged=[gain]):.4f}" == "0.5833"


# -- seed 001, section 2 ------------------------------------------------------------------------


def test_seed_001_section_2_1_recall_and_precision() -> None:
    """Rec = |D* ∩ D|/|D*|, Prec = |D* ∩ D|/|D|."""
    relevant, retrieved = set("abcde"), set("cdexyzw")
    qrels = {"1": dict.fromkeys(relevant, 1)}
    run = {"1": dict.fromkeys(retrieved, 0.0)}  # a set: all tied
    scores = cf.evaluate(qrels, run, ["Recall", "P"])
    assert scores.values[0, 0].tolist() == [3 / 5, 3 / 7]


def set_retrieval(relevant: int, retrieved: int, both: int) -> tuple[list[int | None], list[int]]:
    """A set as a list, relevant documents first, and the judgments."""
    return [1] * both + [None] * (retrieved - both), [1] * relevant


SIZES = [(5, 7, 3), (3, 4, 2), (10, 10, 10), (1, 50, 1), (40, 8, 8), (6, 6, 1)]


@checks("P", "SetP", "Recall", "E", "F", "SetF", against="Sakai 2014")
@pytest.mark.parametrize(("relevant", "retrieved", "both"), SIZES)
def test_seed_001_equations_1_to_5_agree(relevant: int, retrieved: int, both: int) -> None:
    """E-measure as sets (1), as a mean of Prec and Rec (2), with α (3) and β (4); F = 1 − E (5)."""
    levels, judged = set_retrieval(relevant, retrieved, both)
    prec, rec = both / retrieved, both / relevant
    assert cf.P()(levels) == cf.SetP()(levels) == pytest.approx(prec, abs=1e-15)
    assert cf.Recall()(levels, judged=judged) == pytest.approx(rec, abs=1e-15)
    union = relevant + retrieved - both
    equation_1 = (union - both) / (relevant + retrieved)
    equation_2 = 1 - 1 / (0.5 / prec + 0.5 / rec)
    assert equation_1 == pytest.approx(equation_2, abs=1e-15)
    assert cf.E()(levels, judged=judged) == pytest.approx(equation_1, abs=1e-15)
    assert cf.E(alpha=0.5)(levels, judged=judged) == pytest.approx(equation_1, abs=1e-15)
    for beta in (0, 0.5, 1, 2, 5):
        alpha = 1 / (beta**2 + 1)
        equation_3 = 1 - 1 / (alpha / prec + (1 - alpha) / rec)
        equation_5 = (beta**2 + 1) * prec * rec / (beta**2 * prec + rec)
        expected = pytest.approx(1 - equation_5, abs=1e-14)
        assert equation_3 == expected
        assert cf.E(beta=beta)(levels, judged=judged) == expected
        assert cf.E(alpha=alpha)(levels, judged=judged) == expected
        for F in (cf.F, cf.SetF):
            of_beta = F(beta=beta)(levels, judged=judged)
            assert of_beta == pytest.approx(equation_5, abs=1e-14)
            assert F(alpha=alpha)(levels, judged=judged) == pytest.approx(equation_5, abs=1e-14)


def test_seed_001_f1_is_a_harmonic_mean() -> None:
    levels, judged = set_retrieval(5, 7, 3)
    harmonic = 2 / (7 / 3 + 5 / 3)
    assert cf.F()(levels, judged=judged) == pytest.approx(harmonic, abs=1e-15)
    assert evaluated("f1", levels, judged) == pytest.approx(harmonic, abs=1e-15)


@checks("DCG", "nDCG", against="Sakai 2014")
@pytest.mark.parametrize(("rank", "discounted"), [(1, 3), (7, 1)])
def test_seed_001_section_2_2_discounted_gain_of_3(rank: int, discounted: int) -> None:
    """ "at rank 1, its discounted gain is 3/log(1+1) = 3; at rank 7, 3/log(1+7) = 1"."""
    levels = [None] * (rank - 1) + [3]
    assert cf.DCG()(levels) == pytest.approx(discounted, abs=1e-15)
    # The ideal list's DCG is 3, so that nDCG is a third of the discounted gain.
    assert 3 * cf.nDCG()(levels, judged=[3]) == pytest.approx(discounted, abs=1e-15)
    assert 3 * evaluated("nDCG@10", levels, [3]) == pytest.approx(discounted, abs=1e-15)


def test_seed_001_section_2_2_equation_6_and_its_base() -> None:
    """nDCG by hand, with natural logarithms: the base cancels out. Gains 1, 2, 3 by level."""
    levels, judged = [1, None, 3, 0, 2], [3, 2, 1, 1, 0]

    def dcg(gains: Sequence[float]) -> float:
        return sum(g / math.log(r + 1) for r, g in enumerate(gains, 1))

    assert cf.nDCG()(levels, judged=judged) == pytest.approx(dcg([1, 0, 3, 0, 2]) / dcg([3, 2, 1, 1]), abs=1e-15)
    assert (cf.nDCG @ 3)(levels, judged=judged) == pytest.approx(dcg([1, 0, 3]) / dcg([3, 2, 1]), abs=1e-15)


@pytest.mark.parametrize("b", [2, math.e, 10])
def test_seed_001_section_2_2_jarvelin_2008_tells_all_ranks_apart(b: float) -> None:
    """ "discounts the raw gain by 1 + log_b r"."""
    m = cf.DCG(discount="jk2008", b=b)
    at = [m([None] * (r - 1) + [3]) for r in range(1, 13)]
    expected = [3 / (1 + math.log(r, b)) for r in range(1, 13)]
    assert at == pytest.approx(expected, abs=1e-14)
    assert all(above > below for above, below in pairwise(at))


RANKS = [(1, 3, 6, 10), (1, 2, 3, 4), (2, 3, 4, 40), (7, 8, 9, 10), (1, 10, 11, 12)]


@checks("IPrec", "AP11", against="Sakai 2014")
@pytest.mark.parametrize("ranks", RANKS, ids=str)
def test_seed_001_figure_2_interpolated_precision(ranks: tuple[int, ...]) -> None:
    """Five relevant, four found: IP_i = max over Rec(r) ≥ i of Prec(r), 0 beyond recall 0.8."""
    levels = [1 if r in ranks else None for r in range(1, max(ranks) + 1)]
    judged = [1] * 5
    best = [max(k / ranks[k - 1] for k in range(i, 5)) for i in range(1, 5)]
    # Recall 1/5 to 4/5: points 0 to 0.2, 0.3 and 0.4, 0.5 and 0.6, 0.7 and 0.8; none reaches 0.9.
    curve = [*best[:1] * 3, *best[1:2] * 2, *best[2:3] * 2, *best[3:] * 2, 0, 0]
    assert cf.IPrec()(levels, judged=judged).tolist() == pytest.approx(curve, abs=1e-15)
    for i, expected in enumerate(curve):
        at = evaluated(f"IPrec@{i / 10}", levels, judged)
        assert at == pytest.approx(expected, abs=1e-15)
    assert cf.AP11()(levels, judged=judged) == pytest.approx(sum(curve) / 11, abs=1e-15)
    assert evaluated("AP11", levels, judged) == pytest.approx(sum(curve) / 11, abs=1e-15)


def test_seed_001_equation_7_compares_recall_exactly() -> None:
    """0.7·3 = 2.1 needs three of three; trec_eval 9's int(0.7·3 + 0.9) is 2 in floating point."""
    levels, judged = [1, 1, None, None, None, None, 1], [1, 1, 1]
    assert (cf.IPrec @ 0.6)(levels, judged=judged) == 1  # 1.8: two are enough
    assert (cf.IPrec @ 0.7)(levels, judged=judged) == 3 / 7
    assert (cf.IPrec(reach="trec9") @ 0.7)(levels, judged=judged) == 1
    for R in range(1, 41):  # C(r)·10 ≥ i·R in whole numbers
        found = [1] * R
        for i in range(11):
            reached = -(-i * R // 10)  # so many must be found
            for C in {max(reached - 1, 0), reached} - {0}:
                value = (cf.IPrec @ (i / 10))(found[:C], judged=found)
                assert value == (i * R <= C * 10), (R, i, C)


def test_seed_001_section_2_2_base_10_cannot_tell_rank_1_from_rank_10() -> None:
    original = cf.nDCG(discount="jk", b=10)
    at = [original([None] * (r - 1) + [1], judged=[1]) for r in range(1, 13)]
    assert at[:10] == [1] * 10
    assert 1 > at[10] > at[11]
    assert at[10] == pytest.approx(1 / math.log10(11), abs=1e-15)


@checks("AP", against="Sakai 2014")
@pytest.mark.parametrize(("rank", "printed"), [(1, "1.0000"), (2, "0.5000"), (99, "0.0101"), (100, "0.0100")])
def test_seed_001_section_2_2_top_heaviness_of_ap(rank: int, printed: str) -> None:
    """Contributed precisions: 0.5 at rank 2 and 1 at rank 1; 1/100 = 0.0100, 1/99 = 0.0101."""
    levels = [None] * (rank - 1) + [1]
    assert f"{cf.AP()(levels, judged=[1]):.4f}" == printed
    assert f"{evaluated('AP', levels, [1]):.4f}" == printed
    condensed = [0] * (rank - 1) + [1]  # "its contribution of precision to AP'": the same
    assert f"{cf.AP(condensed=True)(condensed, judged=condensed):.4f}" == printed


def test_seed_001_equations_9_and_10() -> None:
    """AP divides by R; with a measurement depth l by min(l, R), and reaches 1 if l < R."""
    levels, judged = [1, 0, 1, None, 1], [1, 1, 1, 1, 0]
    precisions = [1 / 1, 2 / 3, 3 / 5]
    assert cf.AP()(levels, judged=judged) == pytest.approx(sum(precisions) / 4, abs=1e-15)
    assert (cf.AP @ 3)(levels, judged=judged) == pytest.approx(sum(precisions[:2]) / 3, abs=1e-15)
    assert (cf.AP @ 5)(levels, judged=judged) == pytest.approx(sum(precisions) / 4, abs=1e-15)
    assert (cf.AP @ 2)([1, 1], judged=judged) == 1


def blended_ratio(levels: list[int], r: int, R: int, beta: float) -> float:
    """BR at a relevant rank r, from Q = (1/R) Σ I(r) BR(r): what Q gains by that item."""
    judged = [1] * R
    Q = cf.Q(beta=beta)
    gold = [*judged, *[0] * len(levels)]
    return R * float(Q(levels[:r], judged=gold) - Q(levels[: r - 1], judged=gold))


@pytest.mark.slow
@pytest.mark.parametrize("beta", [0.1, 1, 10, 100])
def test_seed_001_blended_ratio_is_precision_iff_r_is_at_most_R(beta: float) -> None:
    """Binary relevance, any β: BR(r) = Prec(r) iff r ≤ R, BR(r) > Prec(r) iff r > R."""
    rng = np.random.default_rng(1)
    seen = {"equal": 0, "greater": 0}
    for _ in range(60):
        levels = rng.integers(0, 2, size=15).tolist()
        R = sum(levels) + int(rng.integers(0, 4))
        for r in (r for r, I in enumerate(levels, 1) if I):
            precision = sum(levels[:r]) / r
            blended = blended_ratio(levels, r, R, beta)
            if r <= R:
                assert blended == pytest.approx(precision, abs=1e-12)
                seen["equal"] += 1
            else:
                assert blended > precision + 1e-6
                seen["greater"] += 1
    assert min(seen.values()) > 50


@checks("Q", against="Sakai 2014")
@pytest.mark.parametrize("beta", [0, 0.1, 1, 10, 100])
def test_seed_001_figure_3_effect_of_beta(beta: float) -> None:
    """R = 5: BR(r1) = 1/r1 for r1 ≤ R, and (1 + β)/(r1 + βR) for r1 > R."""
    R = 5
    for r1 in range(1, 101):
        expected = 1 / r1 if r1 <= R else (1 + beta) / (r1 + beta * R)
        levels = [None] * (r1 - 1) + [1]
        # One item is found: Q = BR(r1)/R.
        assert R * cf.Q(beta=beta)(levels, judged=[1] * R) == pytest.approx(expected, abs=1e-12)


def test_seed_001_q_with_beta_0_is_ap() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        levels = rng.integers(0, 4, size=20).tolist()
        judged = [*levels, *rng.integers(0, 4, size=5).tolist(), 1]
        assert cf.Q(beta=0)(levels, judged=judged) == cf.AP()(levels, judged=judged)
        assert (cf.Q(beta=0) @ 5)(levels, judged=judged) == (cf.AP @ 5)(levels, judged=judged)


def test_seed_001_equations_12_and_13() -> None:
    """Q on a graded list, by hand: gains 1, 2, 3 and the ideal list 3, 2, 1, 1."""
    levels, judged = [1, None, 3, 0, 2], [3, 2, 1, 1, 0]
    BR = [(1 + 1) / (1 + 3), (2 + 4) / (3 + 6), (3 + 6) / (5 + 7)]
    assert cf.Q()(levels, judged=judged) == pytest.approx(sum(BR) / 4, abs=1e-15)
    assert (cf.Q @ 3)(levels, judged=judged) == pytest.approx(sum(BR[:2]) / 3, abs=1e-15)


@pytest.mark.parametrize("beta", [0.1, 1, 10])
def test_seed_001_blended_ratio_itself(beta: float) -> None:
    """The same two facts, of the measure BR: at every rank, relevant or not."""
    levels, R = [0, 1, 1, 0, 0, 1, 0, 1, 0, 0], 6
    judged = [*levels, 1, 1]
    for r in range(2, 11):
        precision = sum(levels[:r]) / r
        blended = (cf.BR(beta=beta) @ r)(levels, judged=judged)
        if r <= R:
            assert blended == pytest.approx(precision, abs=1e-15)
        else:
            assert blended > precision + 1e-6
    assert (cf.BR(beta=beta) @ 1)(levels, judged=judged) == 0


@checks("BR", "nCG", against="Sakai 2014")
def test_seed_001_blended_ratio_and_normalised_cumulative_gain() -> None:
    """BR inherits from Prec(r) = C(r)/r and nCG(r) = cg(r)/cg*(r): β = 0, and β without end."""
    levels, judged = [1, None, 3, 0, 2], [3, 2, 1, 1, 0]
    cg, ideal = [1, 1, 4, 4, 6], [3, 5, 6, 7, 7]
    for r in range(1, 6):
        assert (cf.nCG @ r)(levels, judged=judged) == pytest.approx(cg[r - 1] / ideal[r - 1], abs=1e-15)
        assert (cf.BR(beta=0) @ r)(levels, judged=judged) == (cf.P @ r)(levels)
        assert (cf.BR(beta=1e12) @ r)(levels, judged=judged) == pytest.approx(cg[r - 1] / ideal[r - 1], rel=1e-9)


@checks("O", against="Sakai 2014")
def test_seed_001_figure_3_by_o_measure() -> None:
    """O-measure is BR(r1): with R = 5, 1/r1 down to rank 5, then (1 + β)/(r1 + βR)."""
    for r1 in range(1, 101):
        expected = 1 / r1 if r1 <= 5 else 2 / (r1 + 5)
        levels = [None] * (r1 - 1) + [1]
        assert cf.O()(levels, judged=[1] * 5) == pytest.approx(expected, abs=1e-15)


@checks("Rprec", "Rmeasure", against="Sakai 2014")
def test_seed_001_r_precision_and_r_measure() -> None:
    """R-prec = Prec(R), which is recall at R, and R-measure = BR(R)."""
    levels, judged = [0, 1, None, 2, 1, 2], [2, 2, 1, 1, 0]
    assert cf.Rprec()(levels, judged=judged) == 2 / 4
    assert cf.Rprec()(levels, judged=judged) == (cf.Recall @ 4)(levels, judged=judged)
    assert cf.Rmeasure()(levels, judged=judged) == pytest.approx((2 + 3) / (4 + 6), abs=1e-15)
    # "a score of one to any system as long as the top R documents are all relevant"
    assert cf.Rmeasure()([1, 1, 2, 2, 0], judged=judged) == 1
    assert cf.Q()([1, 1, 2, 2, 0], judged=judged) < 1


@checks("RR", "Pmeasure", "Pplus", against="Sakai 2014")
def test_seed_001_example_of_p_plus() -> None:
    """Marginal at rank 2, high at ranks 4 and 6: r1 = 2 and rp = 4."""
    levels, judged = [0, 1, 0, 2, 0, 2], [2, 2, 1, 0, 0, 0]
    assert cf.RR()(levels) == 1 / 2
    assert cf.RR(rel=2)(levels) == 1 / 4
    assert [r for r, _ in stopping_probabilities(cf.NCU(stop="r1"), levels, judged)] == [2]
    assert [r for r, _ in stopping_probabilities(cf.NCU(stop="rp"), levels, judged)] == [4]
    to_rp = stopping_probabilities(cf.NCU(stop="to_rp"), levels, judged)
    assert to_rp == [(2, 0.5), (4, 0.5)]
    BR_2, BR_4 = (1 + 1) / (2 + 4), (2 + 3) / (4 + 5)
    assert cf.O()(levels, judged=judged) == pytest.approx(BR_2, abs=1e-15)
    assert cf.Pmeasure()(levels, judged=judged) == pytest.approx(BR_4, abs=1e-15)
    assert cf.Pplus()(levels, judged=judged) == pytest.approx((BR_2 + BR_4) / 2, abs=1e-15)
    # "within the measurement depth": down to rank 3 the best is the marginal one.
    assert (cf.Pplus @ 3)(levels, judged=judged) == pytest.approx(BR_2, abs=1e-15)
    assert cf.Pplus()([0, None], judged=judged) == 0


@pytest.mark.parametrize(("level", "probability"), [(0, 0), (1, 1 / 8), (2, 3 / 8), (3, 7 / 8)])
def test_seed_001_err_satisfaction_with_three_levels(level: int, probability: float) -> None:
    """(2^1−1)/2^3 = 1/8, (2^2−1)/2^3 = 3/8, (2^3−1)/2^3 = 7/8."""
    assert cf.ERR(max_level=3)([level]) == probability  # at rank 1, ERR is Pr(1)
    assert evaluated("ERR", [level], [level, 3]) == probability  # h: highest in the judgments
    assert evaluated("ERR(gain=1:2:3)", [level], [level]) == probability  # h: length of the table


@checks("ERR", against="Sakai 2014")
def test_seed_001_err_diminishing_return() -> None:
    """Stopping at a highly relevant document at rank 2: 0.8750 after a nonrelevant one, 0.1094
    after a highly relevant one. The value there is halved by 1/r."""
    err = cf.ERR(max_level=3)
    assert f"{2 * err([0, 3]):.4f}" == "0.8750"
    assert f"{2 * err([None, 3]):.4f}" == "0.8750"
    assert f"{2 * (err([3, 3]) - err([3])):.4f}" == "0.1094"
    both = evaluated("ERR", [3, 3], [3, 3]) - evaluated("ERR@1", [3, 3], [3, 3])
    assert f"{2 * both:.4f}" == "0.1094"


def test_seed_001_equation_15_err() -> None:
    """ERR = Σ dsat(r−1) Pr(r)/r, by hand on levels 1, 0, 3, 2 with h = 3."""
    by_hand = 1 / 8 + (7 / 8) * (7 / 8) / 3 + (7 / 8) * (1 / 8) * (3 / 8) / 4
    assert cf.ERR(max_level=3)([1, 0, 3, 2]) == pytest.approx(by_hand, abs=1e-15)


@checks("RBP", against="Sakai 2014")
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_seed_001_footnote_4_highest_rbp(p: float) -> None:
    """Binary relevance: the maximum RBP with R relevant documents is (1−p) Σ_{r≤R} p^(r−1)."""
    for R in (1, 2, 5, 30):
        highest = (1 - p) * sum(p ** (r - 1) for r in range(1, R + 1))
        assert cf.RBP(p=p, max_level=1)([1] * R) == pytest.approx(highest, abs=1e-14)


def test_seed_001_equation_16_rbp_with_gains_from_0_to_1() -> None:
    gains = [0.5, 0.0, 1.0, 0.25]
    expected = 0.2 * (0.5 + 0.8**2 * 1.0 + 0.8**3 * 0.25)
    assert cf.RBP(max_level=1)(gains) == pytest.approx(expected, abs=1e-15)
    assert evaluated("RBP", gains, gains) == pytest.approx(expected, abs=1e-15)


BEFORE: tuple[Levels, list[int]] = ([0, 1], [1000, 500])  # a long nonrelevant document on top
AFTER: tuple[Levels, list[int]] = ([1, 1], [10, 500])  # replaced by a short relevant one


@pytest.mark.parametrize("T_S", [0, 4.4, 10])
def test_seed_001_tbg_time_to_reach_rank_2(T_S: float) -> None:
    """T(2) = T_S + 10.062 before, T_S + 5.107 (5.1072) after."""
    m = cf.TBG(summary_time=T_S)
    times = [m.compute_time(m.view(build_lists(a, a, lengths={"words": n})))[0] for a, n in (BEFORE, AFTER)]
    assert [f"{T[1] - T_S:.3f}" for T in times] == ["10.062", "5.107"]
    assert [T[0] for T in times] == [0, 0]


@checks("TBG", against="Sakai 2014")
def test_seed_001_tbg_need_not_diminish() -> None:
    """The relevant document at rank 2 receives more weight after the replacement."""
    gain = 0.64 * 0.77  # a click on its summary, then judged relevant (Smucker and Clarke)
    before = cf.TBG()(BEFORE[0], lengths=BEFORE[1])
    after = cf.TBG()(AFTER[0], lengths=AFTER[1])
    assert before == pytest.approx(gain * 0.5 ** ((4.4 + 10.062) / 224), abs=1e-15)
    assert after == pytest.approx(gain * (1 + 0.5 ** ((4.4 + 5.1072) / 224)), abs=1e-15)
    assert after - gain > before


def test_seed_001_equations_17_and_18_tbg() -> None:
    """TBG of a list by hand; an unjudged document is clicked on as a nonrelevant one is."""
    levels, words = [1, None, 0, 2], [100, 2000, 0, 50]
    T, expected = 0.0, 0.0
    for level, n in zip(levels, words, strict=True):
        relevant = (level or 0) > 0
        if relevant:
            expected += 0.64 * 0.77 * math.exp(-T * math.log(2) / 224)
        T += 4.4 + (0.64 if relevant else 0.39) * (0.018 * n + 7.8)
    assert cf.TBG()(levels, lengths=words) == pytest.approx(expected, abs=1e-15)


@checks("U", against="Sakai 2014")
def test_seed_001_equations_19_and_20_u_measure() -> None:
    """Figure 5(a): ranks 2 and 4 are relevant; four snippets and two parts of documents are read.

    Snippets of 200 characters, F = 20 %, L = 132000, gains 1/8 and 7/8.
    """
    levels, characters = [0, 3, None, 1], [9000, 5000, 700, 3000]
    pos_2 = 200 + 200 + 0.2 * 5000
    pos_4 = pos_2 + 200 + 200 + 0.2 * 3000
    expected = 7 / 8 * (1 - pos_2 / 132000) + 1 / 8 * (1 - pos_4 / 132000)
    m = cf.U(max_level=3)
    assert m(levels, lengths=characters) == pytest.approx(expected, abs=1e-15)
    # Beyond L nothing is of any worth, and what is read there does not count against it.
    far = 7 / 8 * (1 - 1400 / 2000)
    assert cf.U(max_level=3, L=2000)(levels, lengths=characters) == pytest.approx(far, abs=1e-15)
    assert cf.U(max_level=3, norm=2)(levels, lengths=characters) == pytest.approx(expected / 2, abs=1e-15)


def test_seed_001_u_measure_diminishing_return() -> None:
    """Figure 5: with rank 3 relevant, too, the fourth document moves back in the trailtext."""
    m, characters = cf.U(max_level=1), [2000, 2000, 2000, 2000]

    def worth_of_the_fourth(third: int) -> float:
        with_it = m([0, 1, third, 1], lengths=characters)
        return float(with_it - m([0, 1, third, 0], lengths=characters))

    assert worth_of_the_fourth(third=1) < worth_of_the_fourth(third=0)
    lost = 0.5 * 0.2 * 2000 / 132000  # the gain 1/2 times the part of document 3 that is read
    assert worth_of_the_fourth(0) - worth_of_the_fourth(1) == pytest.approx(lost, abs=1e-15)


FIGURE_6 = {  # what has a smiling face there, row by row
    "graded": "nDCG Q Pplus ERR RBP U",
    "normalised": "nDCG AP Q Pplus",
    "recall-independent": "ERR RBP TBG U",
    "diminishing return": "ERR U",  # TBG: not quite
    "uses lengths": "TBG U",
}


@pytest.mark.parametrize("name", ["nDCG", "AP", "Q", "Pplus", "ERR", "RBP", "TBG", "U"])
def test_seed_001_figure_6(name: str) -> None:
    expected = {row for row, names in FIGURE_6.items() if name in names.split()}
    assert set(cf.REGISTRY[name].properties) == expected


@checks("GMAP", against="Sakai 2014")
def test_seed_001_gmap_is_a_mean_of_logarithms() -> None:
    """AP of 1/2 and 1/8: an arithmetic mean of 0.3125 and a geometric one of 0.25."""
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    run = {"a": ["u", "x"], "b": [*"stuvwyz", "x"]}
    summary = cf.evaluate(qrels, run, ["AP", "GMAP"]).summary()["run"]
    assert summary["AP"] == 0.3125
    assert summary["GMAP"] == pytest.approx(math.exp((math.log(1 / 2) + math.log(1 / 8)) / 2))
    assert summary["GMAP"] == pytest.approx(0.25, abs=1e-15)


def test_seed_001_condensed_list_example() -> None:
    """Unjudged at 1, nonrelevant at 2, relevant at 3: condensed, ranks 1 and 2."""
    raw, condensed, judged = [None, 0, 1], [0, 1], [1, 0]
    for name in ("AP", "Q", "RR", "nDCG@10", "P@2", "ERR", "RBP", "Recall@2", "Success@2"):
        of_raw = single(name, raw, judged, condensed=True)
        assert of_raw == single(name, condensed, judged)
        assert of_raw == evaluated(name, raw, judged, condensed=True)
    assert single("RR", raw, judged) == 1 / 3
    assert single("RR", raw, judged, condensed=True) == 1 / 2  # promoted


def test_seed_001_equation_21_condensed_ap() -> None:
    levels = [None, 1, None, 0, 1, None, None, 1]
    by_hand = (1 / 1 + 2 / 3 + 3 / 4) / 5
    judged = [1, 1, 1, 1, 1, 0, 0]
    assert cf.AP(condensed=True)(levels, judged=judged) == pytest.approx(by_hand, abs=1e-15)


@checks("bpref", "bpref_R", "bpref_N", against="Sakai 2014")
@pytest.mark.parametrize(("rank", "printed"), [(1, "1.0000"), (2, "0.9980"), (99, "0.8040"), (100, "0.8020")])
def test_seed_001_bpref_lacks_top_heaviness(rank: int, printed: str) -> None:
    """R = N = 500: contributions 1 − (r' − C(r'))/N at ranks 1, 2, 99 and 100."""
    levels = [0] * (rank - 1) + [1]
    judged = [1] * 500 + [0] * 500
    for m in (cf.bpref(), cf.bpref_R(), cf.bpref_N()):  # "bpref = bpref_R = bpref_N"
        assert f"{500 * m(levels, judged=judged):.4f}" == printed
        assert f"{500 * evaluated(m, levels, judged):.4f}" == printed


def test_seed_001_bpref_moves_by_0_002_anywhere() -> None:
    judged = [1] * 500 + [0] * 500
    contribution = [500 * cf.bpref()([0] * (rank - 1) + [1], judged=judged) for rank in (1, 2, 99, 100)]
    assert f"{contribution[0] - contribution[1]:.3f}" == "0.002"
    assert f"{contribution[2] - contribution[3]:.3f}" == "0.002"


def test_seed_001_equations_22_and_23_bpref() -> None:
    """bpref_R where R ≤ N, bpref_N where R ≥ N, written out over the condensed list."""
    rng = np.random.default_rng(3)
    regimes = {"R<N": 0, "R=N": 0, "R>N": 0}
    for _ in range(400):
        levels = [None if x < 0 else int(x) for x in rng.integers(-1, 2, size=20)]
        judged = [x for x in levels if x is not None]
        judged += rng.integers(0, 2, size=int(rng.integers(0, 12))).tolist()
        R, N = sum(judged), len(judged) - sum(judged)
        if not R or not N:
            continue
        bpref_R = bpref_N = 0.0
        C = 0
        for r, I in enumerate((x for x in levels if x is not None), 1):
            C += I
            bpref_R += I * (1 - min(R, r - C) / R) / R
            bpref_N += I * (1 - (r - C) / N) / R
        assert cf.bpref_R()(levels, judged=judged) == pytest.approx(bpref_R, abs=1e-12)
        assert cf.bpref_N()(levels, judged=judged) == pytest.approx(bpref_N, abs=1e-12)
        expected = bpref_R if R <= N else bpref_N
        assert cf.bpref()(levels, judged=judged) == pytest.approx(expected, abs=1e-12)
        regimes["R<N" if R < N else "R=N" if R == N else "R>N"] += 1
    assert min(regimes.values()) > 10


def test_rpref_relative2_mends_rpref_relative_and_is_condensed_ap() -> None:
    """ "the other has a minor flaw, which can be fixed": rank 1. On binary data it is AP'."""
    assert cf.rpref_relative()([1], judged=[1]) == 0
    assert cf.rpref_relative2()([1], judged=[1]) == 1
    rng = np.random.default_rng(6)
    for _ in range(100):
        levels = [None if x < 0 else int(x) for x in rng.integers(-1, 2, size=15)]
        judged = [*(x for x in levels if x is not None), 1, 0]
        condensed = cf.AP(condensed=True)(levels, judged=judged)
        assert cf.rpref_relative2()(levels, judged=judged) == pytest.approx(condensed, abs=1e-14)
        relative = cf.rpref_relative()(levels, judged=judged)
        assert cf.bpref_relative()(levels, judged=judged) == pytest.approx(relative, abs=1e-14)


# -- seed 003, section 3: LETOR -----------------------------------------------------------------

LETOR = [1, 0, 0, 1, 1, 1, 0, 0, 1, 1]  # {relevant, irrelevant, irrelevant, relevant, …}
LETOR_P = [1, 1 / 2, 1 / 3, 2 / 4, 3 / 5, 4 / 6, 4 / 7, 4 / 8, 5 / 9, 6 / 10]


@checks("P", against="Xu, Liu and Li")
@pytest.mark.parametrize("n", range(1, 11))
def test_seed_003_precision_at_n(n: int) -> None:
    assert (cf.P @ n)(LETOR) == pytest.approx(LETOR_P[n - 1], abs=1e-15)
    assert evaluated(f"P@{n}", LETOR, LETOR) == pytest.approx(LETOR_P[n - 1], abs=1e-15)


@checks("AP", against="Xu, Liu and Li")
@pytest.mark.parametrize("total", [6, 7, 20])
def test_seed_003_average_precision(total: int) -> None:
    """The P@n values of the relevant documents, over all relevant documents of the query."""
    expected = sum(p for p, rel in zip(LETOR_P, LETOR, strict=True) if rel) / total
    judged = [*LETOR, *[1] * (total - 6)]
    assert cf.AP()(LETOR, judged=judged) == pytest.approx(expected, abs=1e-15)
    assert evaluated("map", LETOR, judged) == pytest.approx(expected, abs=1e-15)


def test_seed_003_means_over_queries() -> None:
    """ "one averages the P@n values of all the queries"; MAP likewise."""
    qrels = {
        "q1": {f"d{i}": level for i, level in enumerate(LETOR)},
        "q2": {"d0": 0, "d1": 1, "d2": 0},
    }
    run = {"q1": [f"d{i}" for i in range(10)], "q2": ["d0", "d1", "d2"]}
    summary = cf.evaluate(qrels, run, ["P@5", "AP"]).summary()["run"]
    assert summary["P@5"] == pytest.approx((3 / 5 + 1 / 5) / 2, abs=1e-15)
    first = sum(p for p, rel in zip(LETOR_P, LETOR, strict=True) if rel) / 6
    assert summary["AP"] == pytest.approx((first + 1 / 2) / 2, abs=1e-15)


def letor_ndcg(levels: Sequence[int], judged: Sequence[int], n: int) -> float:
    """N(n) = Z_n Σ_{j≤n} (2^r(j) − 1), over log2(j) where j > 1 (base 2: errata, 003)."""

    def dcg(ratings: Sequence[int]) -> float:
        return sum((2.0**x - 1) / (1 if j == 1 else math.log2(j)) for j, x in enumerate(ratings[:n], 1))

    ideal = dcg(sorted(judged, reverse=True))
    return dcg(levels) / ideal if ideal else 0.0


@checks("nDCG", against="Xu, Liu and Li")
def test_seed_003_ndcg() -> None:
    """Ranks 1 and 2 undiscounted, then log2(j): our nDCG(gain=exp, discount=jk)."""
    rng = np.random.default_rng(4)
    for _ in range(100):  # OHSUMED has three levels {0, 1, 2}
        levels = rng.integers(0, 3, size=20).tolist()
        judged = [*levels, *rng.integers(0, 3, size=3).tolist()]
        for n in (1, 2, 3, 10, 16, 30):
            ours = (cf.nDCG(gain="exp", discount="jk") @ n)(levels, judged=judged)
            assert ours == pytest.approx(letor_ndcg(levels, judged, n), abs=1e-12)


def test_seed_003_ndcg_by_hand() -> None:
    """Levels 1, 2, 0, 2 of 2, 2, 1, 0: gains 1, 3, 0, 3 and log2 of the ranks from 2 on."""
    levels, judged = [1, 2, 0, 2], [2, 2, 1, 0]
    ideal = 3 + 3 / 1 + 1 / math.log2(3)
    expected = {1: 1 / 3, 2: (1 + 3) / 6, 3: (1 + 3) / ideal, 4: (1 + 3 + 3 / 2) / ideal}
    for n, value in expected.items():
        for name in (f"nDCG(letor=true)@{n}", f"nDCG(gain=exp, discount=jk)@{n}"):
            assert single(name, levels, judged) == pytest.approx(value, abs=1e-15)
            assert evaluated(name, levels, judged) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("n", range(1, 17))
def test_seed_003_a_perfect_list_gets_an_ndcg_of_1(n: int) -> None:
    perfect = [2, 2, 1, 1, 1, 0, 0]
    assert (cf.nDCG(gain="exp", discount="jk") @ n)(perfect, judged=perfect) == 1


def test_seed_003_highly_relevant_is_worth_more_and_low_ranks_less() -> None:
    """The two rules NDCG follows."""
    judged = [2, 1, 0, 0, 0, 0]
    letor = cf.nDCG(gain="exp", discount="jk")
    assert letor([2, 0, 0], judged=judged) > letor([1, 0, 0], judged=judged)
    at = [letor([0] * r + [2], judged=judged) for r in range(5)]
    assert at[0] == at[1]
    assert all(above > below for above, below in pairwise(at[1:]))


# -- seed 004: the same RBP, in C/W/L -----------------------------------------------------------


@checks("RBP", against="Azzopardi et al. 2019")
def test_seed_004_table_2_rbp() -> None:
    """T1, RBP@0.6: an expected utility of 0.1287, which is RBP with the gains as they are."""
    T1 = [0.0, 0.0, 0.2, 0.4, 1.0, 0.2, 0.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0]
    assert f"{cf.RBP(p=0.6, max_level=1)(T1):.4f}" == "0.1287"
    assert f"{evaluated('RBP(p=0.6)', T1, T1):.4f}" == "0.1287"
