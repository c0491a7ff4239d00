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


def evaluated(
    measure: str | cf.Measure, levels: Levels, judged: Sequence[float], **options: Any
) -> float:
    """The value that `cf.evaluate` gives a single list."""
    qrels, run = as_collection(levels, judged)
    return float(cf.evaluate(qrels, run, [measure], **options).values[0, 0, 0])


def single(
    measure: str | cf.Measure, levels: Levels, judged: Sequence[float], **settings: Any
) -> float:
    """The value that calling the measure with a single list gives it."""
    m = cf.parse_measure(measure)
    known = {f.name for f in m.parameters()}
    settings = {k: v for k, v in settings.items() if k in known}
    made = type(m)(**({f.name: getattr(m, f.name) for f in m.parameters()} | settings))
    return (made if m.cutoff is None else made @ m.cutoff)(levels, judged=judged)


# -- seed 000, Figures 1 to 4: the output of `ntcir_eval compute` -------------------------------

RELEVANT = ("RR", "AP", "Q-measure", "RBP", "ERR")
AT_1000 = ("AP@1000", "Q@1000", "nDCG@1000", "MSnDCG@1000", "P@1000", "Hit@1000")
PRINTED = {
    # Figure 1: rel file a L1, b L0; list c, b, a; gains 1:2.
    "figure1": "0.3333 0.3333 0.5000 0.0226 0.1111 0.3333 0.5000 0.6309 0.5000 0.0010 1.0000",
    # Figure 2: the same with label -j, a condensed list.
    "figure2": "0.5000 0.5000 0.6667 0.0238 0.1667 0.5000 0.6667 1.0000 0.6309 0.0010 1.0000",
    # Figure 3: a L1 and b L2 form one class; b is found first, so a does not count.
    "figure3": "0.5000 0.5000 0.7500 0.0475 0.3333 0.5000 0.7500 1.0000 0.6309 0.0010 1.0000",
    # Figure 4: a has the global gain 0.8·2 + 0.2·1 = 1.8, which tops the ideal list.
    "figure4": "0.3333 0.3333 0.5833 0.0451 0.2143 0.3333 0.5833 0.6309 0.5000 0.0010 1.0000",
}
LISTS: dict[str, tuple[Levels, list[float]]] = {
    "figure1": ([None, 0, 1], [1, 0]),
    "figure2": ([None, 0, 1], [1, 0]),
    "figure3": ([None, 2, None], [2]),
    "figure4": ([None, None, 0.8 * 2 + 0.2 * 1], [0.8 * 2 + 0.2 * 1]),
}
FIGURES = [
    pytest.param(figure, name, value, id=f"{figure}-{name}")
    for figure, values in PRINTED.items()
    for name, value in zip((*RELEVANT, *AT_1000), values.split(), strict=True)
]


@pytest.mark.parametrize(("figure", "name", "printed"), FIGURES)
def test_seed_000_figures_by_evaluate(figure: str, name: str, printed: str) -> None:
    levels, judged = LISTS[figure]
    measure: Any = cf.parse_measure(f"ntcir:{name}")
    options: dict[str, Any] = {"gains": "1:2"}
    if figure == "figure2":
        options["condensed"] = True
    if figure == "figure4":  # no gain table: the global gain is the level, and the highest there
        options = {}
    assert f"{evaluated(measure, levels, judged, **options):.4f}" == printed


@pytest.mark.parametrize(("figure", "name", "printed"), FIGURES)
def test_seed_000_figures_by_calling_a_measure(figure: str, name: str, printed: str) -> None:
    levels, judged = LISTS[figure]
    settings: dict[str, Any] = {"gain": "1:2"}
    if figure == "figure2":
        settings["condensed"] = True
    if figure == "figure4":
        settings = {"max_level": judged[0]}
    assert f"{single(f'ntcir:{name}', levels, judged, **settings):.4f}" == printed


@pytest.mark.parametrize("name", ["AP", "Q", "nDCG", "MSnDCG", "P", "Hit"])
@pytest.mark.parametrize("figure", PRINTED)
def test_seed_000_figures_by_a_cutoff_with_a_leading_zero(figure: str, name: str) -> None:
    """A cutoff as NTCIREVAL prints it, in four digits, asks for NTCIREVAL's definition."""
    levels, judged = LISTS[figure]
    settings = {"max_level": 1.8} if figure == "figure4" else {"gain": "1:2"}
    settings |= {"condensed": True} if figure == "figure2" else {}
    at_4 = single(f"{name}@0004", levels, judged, **settings)
    printed = dict(zip((*RELEVANT, *AT_1000), PRINTED[figure].split(), strict=True))
    # Nothing beyond rank 3, so only the divisor of P knows the cutoff.
    expected = "0.2500" if name == "P" else printed[f"{name}@1000"]
    assert f"{at_4:.4f}" == expected


@pytest.mark.parametrize(
    ("figure", "syslen"), [("figure1", 3), ("figure2", 2), ("figure3", 3), ("figure4", 3)]
)
def test_seed_000_figures_syslen_and_jrel(figure: str, syslen: int) -> None:
    """syslen is the size of the output, jrel the number of relevant documents: always 1."""
    levels, judged = LISTS[figure]
    condensed = "(condensed=true)" if figure == "figure2" else ""
    assert evaluated(f"NumRet{condensed}", levels, judged) == syslen
    assert evaluated(f"NumRel{condensed}", levels, judged) == 1
    assert evaluated(f"NumRelRet{condensed}", levels, judged) == 1


@pytest.mark.parametrize(("figure", "r1"), [("figure1", 3), ("figure2", 2), ("figure3", 2)])
def test_seed_000_figures_r1(figure: str, r1: int) -> None:
    levels, judged = LISTS[figure]
    assert 1 / single("RR", levels, judged, condensed=figure == "figure2") == r1


def test_seed_000_figure_1_from_files(tmp_path: Any) -> None:
    (tmp_path / "rel").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "res").write_text("1 Q0 c 1 3 s\n1 Q0 b 2 2 s\n1 Q0 a 3 1 s\n")
    measures = [f"ntcir:{name}" for name in (*RELEVANT, *AT_1000)]
    scores = cf.evaluate(tmp_path / "rel", tmp_path / "res", measures, gains="1:2")
    # Q-measure and Q@1000 differ in their cutoff only; each has its own column.
    assert [f"{x:.4f}" for x in scores.values[0, 0]] == PRINTED["figure1"].split()


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


@pytest.mark.parametrize(("rank", "discounted"), [(1, 3), (7, 1)])
def test_seed_001_section_2_2_discounted_gain_of_3(rank: int, discounted: int) -> None:
    """ "at rank 1, its discounted gain is 3/log(1+1) = 3; at rank 7, 3/log(1+7) = 1"."""
    levels = [None] * (rank - 1) + [3]
    # The ideal list's DCG is 3, so that nDCG is a third of the discounted gain.
    assert 3 * cf.nDCG()(levels, judged=[3]) == pytest.approx(discounted, abs=1e-15)
    assert 3 * evaluated("nDCG@10", levels, [3]) == pytest.approx(discounted, abs=1e-15)


def test_seed_001_section_2_2_base_10_cannot_tell_rank_1_from_rank_10() -> None:
    original = cf.nDCG(discount="jk", b=10)
    at = [original([None] * (r - 1) + [1], judged=[1]) for r in range(1, 13)]
    assert at[:10] == [1] * 10
    assert 1 > at[10] > at[11]
    assert at[10] == pytest.approx(1 / math.log10(11), abs=1e-15)


@pytest.mark.parametrize(
    ("rank", "printed"), [(1, "1.0000"), (2, "0.5000"), (99, "0.0101"), (100, "0.0100")]
)
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
    return R * (Q(levels[:r], judged=gold) - Q(levels[: r - 1], judged=gold))


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


def test_seed_001_r1_in_the_example_of_p_plus() -> None:
    """Marginal at rank 2, high at ranks 4 and 6: r1 = 2."""
    assert cf.RR()([0, 1, 0, 2, 0, 2]) == 1 / 2
    assert cf.RR(rel=2)([0, 1, 0, 2, 0, 2]) == 1 / 4  # and r_p = 4


@pytest.mark.parametrize(("level", "probability"), [(0, 0), (1, 1 / 8), (2, 3 / 8), (3, 7 / 8)])
def test_seed_001_err_satisfaction_with_three_levels(level: int, probability: float) -> None:
    """(2^1−1)/2^3 = 1/8, (2^2−1)/2^3 = 3/8, (2^3−1)/2^3 = 7/8."""
    assert cf.ERR(max_level=3)([level]) == probability  # at rank 1, ERR is Pr(1)
    assert evaluated("ERR", [level], [level, 3]) == probability  # h: highest in the judgments
    assert evaluated("ERR(gain=1:2:3)", [level], [level]) == probability  # h: length of the table


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


@pytest.mark.parametrize(
    ("rank", "printed"), [(1, "1.0000"), (2, "0.9980"), (99, "0.8040"), (100, "0.8020")]
)
def test_seed_001_bpref_lacks_top_heaviness(rank: int, printed: str) -> None:
    """R = N = 500: contributions 1 − (r' − C(r'))/N at ranks 1, 2, 99 and 100."""
    levels = [0] * (rank - 1) + [1]
    judged = [1] * 500 + [0] * 500
    assert f"{500 * cf.bpref()(levels, judged=judged):.4f}" == printed
    assert f"{500 * evaluated('bpref', levels, judged):.4f}" == printed


def test_seed_001_bpref_moves_by_0_002_anywhere() -> None:
    judged = [1] * 500 + [0] * 500
    contribution = [
        500 * cf.bpref()([0] * (rank - 1) + [1], judged=judged) for rank in (1, 2, 99, 100)
    ]
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
        expected, C = 0.0, 0
        for r, I in enumerate((x for x in levels if x is not None), 1):
            C += I
            if I:
                expected += 1 - (min(R, r - C) / R if R <= N else (r - C) / N)
        assert cf.bpref()(levels, judged=judged) == pytest.approx(expected / R, abs=1e-12)
        regimes["R<N" if R < N else "R=N" if R == N else "R>N"] += 1
    assert min(regimes.values()) > 10


# -- seed 003, section 3: LETOR -----------------------------------------------------------------

LETOR = [1, 0, 0, 1, 1, 1, 0, 0, 1, 1]  # {relevant, irrelevant, irrelevant, relevant, …}
LETOR_P = [1, 1 / 2, 1 / 3, 2 / 4, 3 / 5, 4 / 6, 4 / 7, 4 / 8, 5 / 9, 6 / 10]


@pytest.mark.parametrize("n", range(1, 11))
def test_seed_003_precision_at_n(n: int) -> None:
    assert (cf.P @ n)(LETOR) == pytest.approx(LETOR_P[n - 1], abs=1e-15)
    assert evaluated(f"P@{n}", LETOR, LETOR) == pytest.approx(LETOR_P[n - 1], abs=1e-15)


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
        return sum(
            (2**x - 1) / (1 if j == 1 else math.log2(j)) for j, x in enumerate(ratings[:n], 1)
        )

    ideal = dcg(sorted(judged, reverse=True))
    return dcg(levels) / ideal if ideal else 0.0


def test_seed_003_ndcg() -> None:
    """Ranks 1 and 2 undiscounted, then log2(j): our nDCG(gain=exp, discount=jk)."""
    rng = np.random.default_rng(4)
    for _ in range(100):  # OHSUMED has three levels {0, 1, 2}
        levels = rng.integers(0, 3, size=20).tolist()
        judged = [*levels, *rng.integers(0, 3, size=3).tolist()]
        for n in (1, 2, 3, 10, 16, 30):
            ours = (cf.nDCG(gain="exp", discount="jk") @ n)(levels, judged=judged)
            assert ours == pytest.approx(letor_ndcg(levels, judged, n), abs=1e-12)


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


def test_seed_004_table_2_rbp() -> None:
    """T1, RBP@0.6: an expected utility of 0.1287, which is RBP with the gains as they are."""
    T1 = [0.0, 0.0, 0.2, 0.4, 1.0, 0.2, 0.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0]
    assert f"{cf.RBP(p=0.6, max_level=1)(T1):.4f}" == "0.1287"
    assert f"{evaluated('RBP(p=0.6)', T1, T1):.4f}" == "0.1287"
