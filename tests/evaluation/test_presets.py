"""Presets: the tasks of the survey, worked by hand; users' own files and what is wrong in them."""

from __future__ import annotations

import json
import re
from math import log2
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.cli import output
from cranfield.cli import presets as command
from cranfield.cli.main import main
from cranfield.evaluation.presets import Preset, preset, presets, read_presets
from tests import ROOT
from tests.made import JUDGED, Command

# -- small collections, worked by hand --------------------------------------------------------

Collection = tuple[dict[str, dict[str, float]], dict[str, list[str]]]

# One list b x a d, x unjudged, c not found.
FOUR: Collection = ({"t": {"a": 3, "b": 1, "c": 2, "d": 0}}, {"t": ["b", "x", "a", "d"]})
THREE: Collection = ({"t": {"a": 2, "b": 1, "c": 1, "d": 0}}, {"t": ["b", "x", "a", "d"]})
# Means of three scores: 2/3 and more is rigid, 1/3 and more relaxed.
THIRDS: Collection = (
    {"t": {"a": 2 / 3, "b": 5 / 9, "c": 1 / 3, "d": 2 / 9}},
    {"t": ["b", "a", "d", "c"]},
)
HALVES: Collection = ({"t": {"a": 2.5, "b": 1.5}}, {"t": ["b", "a"]})
TENTHS: Collection = ({"t": {"a": 1.6, "b": 0.4}}, {"t": ["b", "a"]})
# Seed 002, section 4.9: labels (2,1,1) are worth 4.6, labels (2,2,0) are worth 4.
UNANIMITY: Collection = ({"t": {"a": 4.6, "b": 4.0}}, {"t": ["b", "a"]})

# FOUR, rigid (a and c relevant, R = 2, a at rank 3): AP = (1/3)/2, P@2 = 0, RR = 1/3.
# FOUR, relaxed (a, b and c relevant, R = 3, ranks 1 and 3): AP = (1/1 + 2/3)/3, P@3 = 2/3.
RIGID_AP, RELAXED_AP = 1 / 6, 5 / 9

# Blended ratios on FOUR. cg = 1, 1, 4 and cg* = 3, 5, 6 at ranks 1, 2, 3.
# BR(1) = (1 + 1)/(1 + 3) = 1/2, BR(3) = (2 + 4)/(3 + 6) = 2/3, and c is not found.
FOUR_Q = (1 / 2 + 2 / 3) / 3
# Condensed to b a d: BR(2) = (2 + 4)/(2 + 5) = 6/7.
FOUR_Q_CONDENSED = (1 / 2 + 6 / 7) / 3
# On THREE: cg = 1, 1, 3 and cg* = 2, 3, 4. BR(1) = 2/3, BR(3) = (2 + 3)/(3 + 4) = 5/7.
THREE_Q = (2 / 3 + 5 / 7) / 3

# Microsoft nDCG: discounts 1, log2 3, 2. The ideal lists are 3 2 1 and 2 1 1.
FOUR_NDCG = (1 + 3 / 2) / (3 + 2 / log2(3) + 1 / 2)
FOUR_NDCG_CONDENSED = (1 + 3 / log2(3)) / (3 + 2 / log2(3) + 1 / 2)
THREE_NDCG = (1 + 2 / 2) / (2 + 1 / log2(3) + 1 / 2)

# nERR on FOUR with g/(g_h + 1): b and a satisfy with 1/n and 3/n, n = g_h + 1.
# n = 4:  ERR = 1/4 + 3/4·3/4/3 = 7/16,  ideal 3/4 + 1/4·2/4/2 + 1/4·2/4·1/4/3 = 79/96.
# n = 5:  ERR = 1/5 + 4/5·3/5/3 = 9/25,  ideal 3/5 + 2/5·2/5/2 + 2/5·3/5·1/5/3 = 87/125.
# n = 7:  ERR = 1/7 + 6/7·3/7/3 = 13/49, ideal 3/7 + 4/7·2/7/2 + 4/7·5/7·1/7/3 = 545/1029.
# n = 10: ERR = 1/10 + 9/10·3/10/3 = 0.19, ideal 0.3 + 0.7·0.2/2 + 0.7·0.8·0.1/3 = 1.166/3.
FOUR_NERR = {3: 42 / 79, 4: 15 / 29, 6: 273 / 545, 9: 0.57 / 1.166}

WWW = {"nDCG@10": FOUR_NDCG, "Q@10": FOUR_Q}
IR4QA = {"nDCG(gain=1:2)@1000": THREE_NDCG, "Q(gain=1:2)": THREE_Q, "AP": 5 / 9}
NAVIGATIONAL = {
    # Original DCG with b = 2: a is at rank 3, b at rank 1.
    "DCG(gain=0:3, discount=jk)@10": 3 / log2(3),
    "DCG(gain=2:3, discount=jk)@10": 2 + 3 / log2(3),
    "RR(rel=2)": 1 / 3,
    "RR(rel=1)": 1.0,
}
WEB = {
    "DCG(gain=0:2:3, discount=jk)@10": 3 / log2(3),
    "DCG(gain=1:2:3, discount=jk)@10": 1 + 3 / log2(3),
    "RR(rel=2)": 1 / 3,
    # Recall 1/2 is reached at rank 3.
    "IPrec(rel=2)@0.5": 1 / 3,
    "IPrec(rel=2)@0.6": 0.0,
    # Recall 1/3 is reached at rank 1, 2/3 at rank 3.
    "IPrec(rel=1)@0.3": 1.0,
    "IPrec(rel=1)@0.6": 2 / 3,
}

BENCHMARKS: dict[str, tuple[Collection, dict[str, float]]] = {
    "msmarco-passage": (({"t": {"a": 1}}, {"t": ["x", "a"]}), {"RR@10": 1 / 2}),
    # FOUR: passages at levels 3 and 2 are relevant, documents at level 1, too.
    "trec-dl-passage": (
        FOUR,
        {"nDCG@10": FOUR_NDCG, "AP(rel=2)": RIGID_AP, "RR(rel=2)": 1 / 3},
    ),
    "trec-dl-document": (FOUR, {"nDCG@10": FOUR_NDCG, "AP": RELAXED_AP, "RR": 1.0}),
    "beir": (FOUR, {"nDCG@10": FOUR_NDCG, "Recall@100": 2 / 3}),
    "mteb-retrieval": (
        FOUR,
        {
            **{"nDCG@10": FOUR_NDCG, "AP(norm=R)@10": RELAXED_AP, "RR@10": 1.0},
            **{"Recall@10": 2 / 3, "P@10": 2 / 10},
        },
    ),
    "trec-rag24-retrieval": (
        FOUR,
        {"nDCG@20": FOUR_NDCG, "nDCG@100": FOUR_NDCG, "Recall@100": 2 / 3},
    ),
}
WORKED: dict[str, tuple[Collection, dict[str, float]]] = BENCHMARKS | {
    # Levels 2 and 1 only: a alone is rigid, R = 1, rank 3.
    "ntcir1-jeir": (THREE, {"AP(rel=2)": 1 / 3, "AP(rel=1)": 5 / 9, "Rprec(rel=1)": 2 / 3}),
    "ntcir2-jeir": (
        FOUR,
        {
            "AP(rel=2)": RIGID_AP,
            "AP(rel=1)": RELAXED_AP,
            "Rprec(rel=2)": 0.0,
            "P(rel=2)@1000": 1 / 1000,
            "P(rel=1)@1000": 2 / 1000,
            "IPrec(rel=2)@0.5": 1 / 3,
        },
    ),
    # Rigid: a, rank 2. Relaxed: b, a and c, ranks 1, 2 and 4.
    "ntcir2-ceir": (THIRDS, {"IPrec(rel=0.6)@1": 1 / 2, "IPrec(rel=0.3)@1": 3 / 4}),
    "ntcir3-5-clir": (FOUR, {"AP(rel=2)": RIGID_AP, "AP(rel=1)": RELAXED_AP}),
    "ntcir3-patent": (THREE, {"IPrec(rel=2)@1": 1 / 3, "IPrec(rel=1)@0.6": 2 / 3}),
    "ntcir4-patent": (THREE, {"AP(rel=2)": 1 / 3, "AP(rel=1)": 5 / 9, "IPrec(rel=2)@1": 1 / 3}),
    "ntcir5-patent": (THREE, {"AP(rel=2)": 1 / 3, "AP(rel=1)": 5 / 9}),
    "ntcir6-patent": (FOUR, {"AP(rel=3)": 1 / 3, "AP(rel=2)": RIGID_AP, "AP(rel=1)": RELAXED_AP}),
    "ntcir9-12-spokendoc": (THREE, {"AP(rel=1)": 5 / 9}),
    # bpref: R = 3, N = 1, and no nonrelevant item above the two found.
    "ntcir11-math": (THREE, {"AP(rel=1)": 5 / 9, "P(rel=1)@10": 0.2, "bpref(rel=1)": 2 / 3}),
    "ntcir10-math": (THREE, {"AP(rel=1)": 5 / 9, "P(rel=1)@10": 0.2}),
    "ntcir12-mathir": (THREE, {"P(rel=1)@10": 0.2}),
    "ntcir3-web": (FOUR, {**WEB, "AP(rel=2)": RIGID_AP, "Rprec(rel=1)": 2 / 3}),
    "ntcir4-web": (FOUR, {**WEB, "P(rel=2)@10": 0.1, "P(rel=1)@10": 0.2}),
    "ntcir4-web-navigational": (THREE, NAVIGATIONAL),
    "ntcir5-web": (THREE, {**NAVIGATIONAL, "DCG(gain=3:3, discount=jk)@10": 3 + 3 / log2(3)}),
    "ntcir6-clir": (
        FOUR,
        {
            "nDCG(gain=1:2:3, discount=jk)@1000": (1 + 3 / log2(3)) / (3 + 2 + 1 / log2(3)),
            "Q(gain=1:2:3)": FOUR_Q,
            "gAP(gain=1:2:3)": (1 / 1 + 4 / 3) / (3 / 1 + 5 / 2 + 6 / 3),
            "AP(rel=2)": RIGID_AP,
            "AP(rel=1)": RELAXED_AP,
        },
    ),
    "ntcir7-8-ir4qa": (THREE, IR4QA),
    "ntcir8-9-geotime": (THREE, IR4QA),
    "ntcir8-cqa": (FOUR, {"nG@1": 1 / 3, "nDCG@1000": FOUR_NDCG, "Q": FOUR_Q, "Success@1": 1.0}),
    "ntcir11-imine-taskmine": (
        HALVES,
        {"nDCG@10": (1.5 + 2.5 / log2(3)) / (2.5 + 1.5 / log2(3))},
    ),
    "ntcir12-imine2-vi-clear": (THREE, {"nDCG(gain=1:2)@10": THREE_NDCG}),
    "ntcir11-recipe": (THREE, {"nDCG(gain=1:2)@1000": THREE_NDCG, "AP": 5 / 9, "RR": 1.0}),
    "ntcir11-temporalia-tir": (
        THREE,
        {"P@10": 0.2, "nDCG(gain=1:2)@10": THREE_NDCG, "Q(gain=1:2)": THREE_Q},
    ),
    "ntcir12-temporalia2-tdr-questions": (THREE, {"nDCG(gain=1:2)@10": THREE_NDCG}),
    # Gains 3 for a, 1 for b and c. cg = 1, 1, 4 and cg* = 3, 4, 5, and a is the best item:
    # P+ is the mean of BR(1) = 2/4 and BR(3) = (2 + 4)/(3 + 5).
    # ERR = 1/4 + 3/4·3/4/3 = 28/64, ideal 3/4 + 1/4·1/4/2 + 1/4·3/4·1/4/3 = 51/64.
    "ntcir12-stc-chinese": (
        THREE,
        {
            "nG(gain=1:3)@1": 1 / 3,
            "Pplus(gain=1:3)@10": (2 / 4 + 6 / 8) / 2,
            "nERR(prob=linear, gain=1:3)@10": 28 / 51,
        },
    ),
    "ntcir13-stc-chinese": (
        FOUR,
        {
            "nG@1": 1 / 3,
            "Pplus@10": (1 / 2 + 2 / 3) / 2,
            "nERR(prob=linear, gain=1:2:3:4:5:6)@10": FOUR_NERR[6],
        },
    ),
    # n = 8.2: ERR = 4/n + (1 − 4/n)·(4.6/n)/2, ideal 4.6/n + (1 − 4.6/n)·(4/n)/2.
    "ntcir13-stc-chinese-unanimity": (
        UNANIMITY,
        {
            "nG@1": 4 / 4.6,
            "nERR(prob=linear, max_level=7.2)@10": (4 * 8.2 + 4.2 * 4.6 / 2) / (4.6 * 8.2 + 3.6 * 4 / 2),
        },
    ),
    # n = 3: ERR = 2/15 + 13/15·8/15/2 = 82/225, ideal 8/15 + 7/15·2/15/2 = 127/225.
    "ntcir12-13-stc-japanese": (
        TENTHS,
        {"nG@1": 1 / 4, "nERR(prob=linear, max_level=2)@10": 82 / 127, "P(rel=1)@1": 0.0},
    ),
    "ntcir14-stc-cecg": (THREE, {"DCG(gain=1:2)@1": 1.0}),
    "ntcir13-www-chinese": (
        FOUR,
        {**WWW, "nERR(prob=linear, gain=1:2:3:4:5:6:7:8:9)@10": FOUR_NERR[9]},
    ),
    "ntcir13-www-english": (FOUR, {**WWW, "nERR(prob=linear, gain=1:2:3:4)@10": FOUR_NERR[4]}),
    "ntcir14-www-chinese": (FOUR, {**WWW, "nERR(prob=linear, gain=1:2:3)@10": FOUR_NERR[3]}),
    "ntcir14-www-english": (FOUR, {**WWW, "nERR(prob=linear, gain=1:2:3:4)@10": FOUR_NERR[4]}),
    "ntcir13-akg-am": (
        FOUR,
        {"nDCG@10": FOUR_NDCG, "nERR(prob=linear, gain=1:2:3)@10": FOUR_NERR[3]},
    ),
    "ntcir13-akg-akgg": (
        FOUR,
        {"nDCG@10": FOUR_NDCG, "nERR(prob=linear, gain=1:2:3:4)@10": FOUR_NERR[4]},
    ),
    # n = 6: ERR = 1/6 + 5/6·3/6/3, or with a at rank 2 of the condensed list 1/6 + 5/6·3/6/2.
    "ntcir13-openliveq": (
        FOUR,
        {"nDCG@10": FOUR_NDCG, "Q": FOUR_Q, "ERR(prob=linear, gain=1:2:3:4:5)@10": 1 / 6 + 5 / 36},
    ),
    "ntcir14-openliveq2": (
        FOUR,
        {
            "Q(condensed=true)": FOUR_Q_CONDENSED,
            "nDCG(condensed=true)@10": FOUR_NDCG_CONDENSED,
            "ERR(prob=linear, gain=1:2:3:4:5, condensed=true)@10": 1 / 6 + 5 / 24,
        },
    ),
    "ntcir14-centre": (FOUR, {**WWW, "nERR(prob=linear, gain=1:2:3:4)@10": FOUR_NERR[4]}),
}


# -- the same for intents ---------------------------------------------------------------------

# Two intents, equally probable; j is navigational where that matters. The list is b x c e.
FOR_INTENTS = {"t": {"i": {"a": 2, "b": 1}, "j": {"c": 1, "e": 1}}}
PAIRS = pl.DataFrame({"topic": "t", "doc": list("bxce"), "type": ["Web", "Web", "Image", "Image"],
                      "score": [4, 3, 2, 1]})  # fmt: skip
SERVED = {"t": ["b", "x", "c", "e"]}

# Global gains: a 1, the others 1/2, at ranks 1, 3 and 4 of the list. Both intents are served.
IDEAL_GG = 1 + 1 / 2 / log2(3) + 1 / 2 / 2 + 1 / 2 / log2(5)
D_NDCG = (1 / 2 + 1 / 2 / 2 + 1 / 2 / log2(5)) / IDEAL_GG
D_SHARP = (1 + D_NDCG) / 2
INTENT = {"Dsharp(nDCG)@10": D_SHARP, "IRec@10": 1.0, "D(nDCG)@10": D_NDCG}

DIVERSE: dict[str, tuple[Any, dict[str, Any], dict[str, float]]] = {
    "ntcir9-intent": (SERVED, {}, INTENT),
    # DIN: e comes after c, and j is navigational.
    # Q of i: b at rank 1 has BR = (1 + 1)/(1 + 2), a is not found. P+ of j: c at rank 3 has
    # BR = (1 + 1)/(3 + 2), and is one of the best.
    "ntcir10-intent2": (
        SERVED,
        {"intents": {"t": {"i": (0.5, "informational"), "j": (0.5, "navigational")}}},
        {
            **INTENT,
            "DIN(nDCG)@10": (1 / 2 + 1 / 2 / 2) / IDEAL_GG,
            "PplusQ@10": (2 / 3 / 2 + 2 / 5) / 2,
        },
    ),
    "ntcir11-imine-dr": (SERVED, {}, {"Dsharp(nDCG(gain=1:2))@10": D_SHARP}),
    "ntcir11-imine-sm": (SERVED, {}, {"Dsharp(nDCG)@10": D_SHARP}),
    # The verticals of b, c and e score 2/2, 1/2 and 1/2, and ten ranks count.
    "ntcir12-imine2-qu": (
        PAIRS,
        {"verticals": {"t": {"i": {"Web": 2, "Image": 1}, "j": {"Web": 2, "Image": 1}}}},
        {"QUscore@10": (D_SHARP + 0.2) / 2, "Dsharp(nDCG)@10": D_SHARP, "Vscore@10": 0.2},
    ),
    # Pr(Web|i) = 3/4 and Pr(Web|j) = 1/2, so the global gains are 3/4 for a, 3/8 for b, 1/4 for c
    # and e, and (2/4 + 2/2)/2 = 3/4 for Image, which serves both intents.
    "ntcir12-imine2-vi": (
        {"t": ["Image", "x", "b"]},
        {
            "verticals": {"t": {"i": {"Web": 3, "Image": 1}, "j": {"Web": 1, "Image": 1}}},
            "embed_verticals": True,
        },
        {
            "Dsharp(nDCG)@10": 1 / 2
            + (3 / 4 + 3 / 8 / 2) / (3 / 4 + 3 / 4 / log2(3) + 3 / 8 / 2 + 1 / 4 / log2(5) + 1 / 4 / log2(6)) / 2
        },
    ),
    # α-nDCG: gains 1, 1 and 1/2 at ranks 1, 3 and 4; ideally 1, 1, 1/2 and 1/2 from the top.
    "ntcir12-temporalia2-tdr": (
        SERVED,
        {},
        {
            "alpha_nDCG@10": (1 + 1 / 2 + 1 / 2 / log2(5)) / (1 + 1 / log2(3) + 1 / 2 / 2 + 1 / 2 / log2(5)),
            "Dsharp(nDCG(gain=1:2))@10": D_SHARP,
        },
    ),
}


def worked(name: str) -> tuple[cf.Scores, dict[str, float]]:
    """The scores of a preset's example, and what they should be."""
    if name in DIVERSE:
        lists, options, expected = DIVERSE[name]
        return cf.evaluate(FOR_INTENTS, lists, preset=name, **options), expected
    (qrels, run), expected = WORKED[name]
    return cf.evaluate(qrels, run, preset=name), expected


@pytest.mark.parametrize("name", [*WORKED, *DIVERSE])
def test_presets_worked_by_hand(name: str) -> None:
    scores, expected = worked(name)
    for measure, value in expected.items():
        assert scores["run", "t", measure] == pytest.approx(value, rel=1e-12, abs=1e-15), measure
    wanted = cf.parse_measures(preset(name).measures_at())
    assert list(scores.measures) == [column for m in wanted for column in m.names()]


@pytest.mark.parametrize("name", [*WORKED, *DIVERSE])
def test_users_learn_what_a_preset_assumes(name: str) -> None:
    p = preset(name)
    scores, _ = worked(name)
    said = [note.text for note in scores.notes if note.kind == "preset"]
    assert all(text.startswith(f"{name}: ") for text in said)
    assert [text for text in said if any(f": {setting} is " in text for setting in p.settings)] == [
        f"{name}: {setting} is {meaning}" for setting, meaning in p.settings.items()
    ]
    assert any("--classes" in text for text in said) == p.classes
    assert any("--groups" in text for text in said) == p.groups


@pytest.mark.parametrize("name", [name for name in WORKED if preset(name).labels])
def test_presets_read_the_letters_of_their_task(name: str, tmp_path: Path) -> None:
    labels = preset(name).labels
    letters, levels = tmp_path / "letters", {f"d{label}": level for label, level in labels.items()}
    letters.write_text("".join(f"t 0 d{label} {label}\n" for label in labels))
    run = {"t": ["x", *levels]}
    found = cf.evaluate(letters, run, preset=name)
    assert max(found.summary()["run"].values()) > 0
    assert found.summary() == cf.evaluate({"t": levels}, run, preset=name).summary()


@pytest.mark.parametrize("name", [name for name in WORKED if preset(name).depth])
def test_presets_look_no_further_than_their_depth(name: str) -> None:
    """The only relevant item is the last one above, or the first one below, rank 1000."""
    p = preset(name)
    assert p.depth == 1000
    top = max(p.labels.values(), default=2)
    qrels = {"t": {"a": top, "b": 0}}

    def highest(rank: int) -> float:
        run = {"t": [*(f"x{i}" for i in range(1, rank)), "a"]}
        return max(cf.evaluate(qrels, run, preset=name).summary()["run"].values())

    assert highest(1001) == 0
    assert (highest(1000) > 0) == (name != "ntcir12-mathir")  # P@10 only


def test_the_user_s_depth_and_labels_come_before_the_preset_s() -> None:
    run = {"t": [*(f"x{i}" for i in range(1, 1001)), "a"]}
    scores = cf.evaluate({"t": {"a": 2}}, run, preset="ntcir3-5-clir", depth=1001)
    assert scores["run", "t", "AP(rel=2)"] == 1 / 1001
    judged = {"t": {"a": "S", "b": "C"}}
    lower = cf.evaluate(judged, {"t": ["a"]}, preset="ntcir3-5-clir", labels={"S": 1, "C": 0})
    assert [lower["run", "t", f"AP(rel={rel})"] for rel in (2, 1)] == [0, 1]


def test_every_preset_is_worked() -> None:
    assert {*WORKED, *DIVERSE} == set(presets())


def test_sum_and_mean_of_cecg() -> None:
    """Scores 1, 2 and 0 of three responses: their mean is 1, their sum 3."""
    qrels = {"s": {"a": 1}, "t": {"b": 2}, "u": {"c": 0, "d": 2}}
    run = {"s": ["a"], "t": ["b"], "u": ["c"]}
    found = cf.evaluate(qrels, run, preset("ntcir14-stc-cecg").measures_at()).summary()["run"]
    assert found["DCG(gain=1:2)@1"] == 1.0
    assert found["DCG(gain=1:2)@1"] * found["NumQ"] == 3.0


@pytest.mark.parametrize("written", [2 / 3, (1 + 2 / 3 + 1 / 3) / 3, 0.6667, 0.667, 0.66])
def test_rounded_thirds_pass_the_rigid_threshold_of_ceir(written: float) -> None:
    qrels = {"t": {"a": written, "b": 0.5556}}
    scores = cf.evaluate(qrels, {"t": ["a", "b"]}, preset("ntcir2-ceir").measures_at())
    assert scores["run", "t", "IPrec(rel=0.6)@1"] == 1.0
    assert cf.evaluate(qrels, {"t": ["b"]}, "IPrec(rel=0.6)@0")["run", "t", "IPrec(rel=0.6)@0"] == 0


@pytest.mark.parametrize("name", ["ntcir13-www-english", "ntcir7-8-ir4qa", "ntcir3-web"])
def test_a_level_beyond_the_task_is_an_error(name: str) -> None:
    with pytest.raises(cf.CranfieldError, match="found level 5 in the judgments, expected levels"):
        cf.evaluate({"t": {"a": 5}}, {"t": ["a"]}, preset(name).measures_at())


# -- what the survey says ---------------------------------------------------------------------

NAMES = {
    "ntcir1-jeir", "ntcir2-jeir", "ntcir2-ceir", "ntcir3-5-clir", "ntcir3-patent",
    "ntcir4-patent", "ntcir5-patent", "ntcir6-patent", "ntcir9-12-spokendoc", "ntcir11-math",
    "ntcir10-math", "ntcir12-mathir", "ntcir3-web", "ntcir4-web", "ntcir5-web", "ntcir6-clir", "ntcir7-8-ir4qa",
    "ntcir8-9-geotime", "ntcir8-cqa", "ntcir9-intent", "ntcir10-intent2", "ntcir11-imine-dr",
    "ntcir11-imine-sm", "ntcir11-imine-taskmine", "ntcir12-imine2-qu", "ntcir12-imine2-vi",
    "ntcir11-recipe", "ntcir11-temporalia-tir", "ntcir12-temporalia2-tdr", "ntcir12-stc-chinese",
    "ntcir13-stc-chinese", "ntcir12-13-stc-japanese", "ntcir14-stc-cecg", "ntcir13-www-chinese",
    "ntcir13-www-english", "ntcir14-www-chinese", "ntcir14-www-english", "ntcir13-akg-am",
    "ntcir13-akg-akgg", "ntcir13-openliveq", "ntcir14-openliveq2", "ntcir14-centre",
}  # fmt: skip


def test_every_task_of_the_survey_has_a_preset() -> None:
    second = {
        "ntcir4-web-navigational", "ntcir13-stc-chinese-unanimity", "ntcir12-imine2-vi-clear",
        "ntcir12-temporalia2-tdr-questions",
    }  # settings of a task  # fmt: skip
    assert set(presets()) == NAMES | second | set(BENCHMARKS)


OF_NTCIR = [p for p in presets().values() if p.name not in BENCHMARKS]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmarks_say_where_their_measures_are_stated(name: str) -> None:
    p = preset(name)
    assert p.task
    assert p.levels
    assert p.reference
    assert not p.round
    assert not p.section
    assert re.fullmatch(r"20\d\d(-20\d\d)?", p.year)


def test_benchmarks_are_known_by_short_names() -> None:
    for name in ("msmarco", "trec-dl", "beir", "mteb", "trec-rag24"):
        assert preset(name).name in BENCHMARKS


def test_the_depth_of_map_at_10_is_that_of_mteb() -> None:
    """mteb computes trec_eval's map_cut_10, which divides by all relevant documents."""
    qrels, run = {"t": {f"d{i}": 1 for i in range(20)}}, {"t": [f"d{i}" for i in range(10)]}
    assert cf.evaluate(qrels, run, preset="mteb")["run", "t", "AP(norm=R)@10"] == 0.5


@pytest.mark.parametrize("p", OF_NTCIR, ids=lambda p: p.name)
def test_presets_say_what_people_need(p: Preset) -> None:
    first, _, last = p.round.partition("-")
    assert p.task
    assert p.levels
    assert re.match(rf"ntcir{first}(-{last})?-", p.name)
    assert re.fullmatch(r"[34]\.\d+", p.section)
    assert re.fullmatch(r"(19|20)\d\d(-20\d\d)?", p.year)
    assert p.reference or "names no overview" in p.note
    assert all(re.match(r"ntcir\d+-", alias) for alias in p.aliases)


@pytest.mark.parametrize("p", presets().values(), ids=lambda p: p.name)
def test_labels_are_those_of_the_levels(p: Preset) -> None:
    assert bool(p.labels) == bool(re.match(r"[A-Z](,[A-Z])+", p.levels))
    assert set(p.labels) <= set(p.levels)
    values = list(p.labels.values())
    assert values == sorted(values, reverse=True)


def test_rounds_joined_in_one_preset_have_names_of_their_own() -> None:
    for p in OF_NTCIR:
        first, _, last = p.round.partition("-")
        rounds = range(int(first), int(last or first) + 1)
        if len(rounds) > 1:
            rest = p.name.removeprefix(f"ntcir{p.round}-")
            assert p.aliases == tuple(f"ntcir{n}-{rest}" for n in rounds)
            assert all(preset(alias) is p for alias in p.aliases)


def test_flags_of_the_tasks_that_have_them() -> None:
    def having(flag: str) -> set[str]:
        return {p.name for p in presets().values() if getattr(p, flag)}

    assert having("condensed") == {"ntcir14-openliveq2"}
    # Sections 2.1.1 (footnote 5) and 4.6: duplicates, of pages and of subtasks.
    assert having("classes") == {"ntcir3-web", "ntcir4-web", "ntcir11-imine-taskmine"}
    # Section 3.2: a B counts with another one. In NTCIR-6, levels come from IPC codes.
    assert having("groups") == {"ntcir4-patent", "ntcir5-patent"}


def test_the_unanimity_preset_warns_of_unanimous_zeros() -> None:
    """Eq. 13: 0 + 0.2 · 3 · (2 − 0) = 1.2 for three scores of 0."""
    votes = {who: {"t": {"a": 0, "b": 2}} for who in "xyz"}
    raised = cf.aggregate(votes, "unanimity", max_score=2).to_dict()
    kept = cf.aggregate(votes, "unanimity", max_score=2, keep_zero=True).to_dict()
    assert raised["t"] == pytest.approx({"a": 1.2, "b": 7.2})
    assert kept["t"] == pytest.approx({"a": 0, "b": 7.2})
    note = preset("ntcir13-stc-chinese-unanimity").note
    assert "get 1.2" in note
    assert "`cranfield assess aggregate --scheme unanimity --keep-zero`" in note


# -- cutoffs, names ---------------------------------------------------------------------------


def test_cutoffs_are_the_user_s_choice() -> None:
    web = preset("ntcir13-www-chinese")
    assert [m.partition("@")[2] for m in web.measures_at()] == ["10", "10", "10"]
    assert [m.partition("@")[2] for m in web.measures_at(3)] == ["3", "3", "3"]
    assert preset("ntcir12-stc-chinese").measures_at(5)[0] == "nG(gain=1:3)@1"
    with pytest.raises(cf.CranfieldError, match="ntcir3-5-clir: cutoff 5 has no effect"):
        preset("ntcir3-5-clir").measures_at(5)
    with pytest.raises(cf.CranfieldError, match="cutoff must be an integer ≥ 1, found 0"):
        web.measures_at(0)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(cf.CranfieldError, match=r"unknown preset 'ntcir13-www'. Did you mean ntc"):
        preset("ntcir13-www")
    with pytest.raises(cf.CranfieldError, match=r"unknown preset '!'. Run `cranfield presets` for a list"):
        preset("!")


def test_all_presets_are_shown_on_a_line() -> None:
    shown, known = repr(cf.presets()), [*cf.presets()]
    assert shown == f"<{len(known)} presets ({', '.join(known[:5])}, …)>"
    assert len(shown) < 200


def test_a_part_of_a_name_is_a_suggestion() -> None:
    with pytest.raises(cf.CranfieldError, match=r"unknown preset 'clir'. Did you mean ntcir3-5-clir or ntcir3-cl"):
        preset("clir")


@pytest.mark.parametrize("name", [3, None, ["ntcir6-clir"]])
def test_a_name_is_a_text(name: Any) -> None:
    with pytest.raises(cf.CranfieldError, match=re.escape(f"found preset {name!r}, expected a na")):
        preset(name)


# -- files of the user's ----------------------------------------------------------------------


def written(directory: Path, text: str) -> Path:
    path = directory / "my.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_preset_of_one_s_own(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [presets.mine]
        extends = "theirs"
        aliases = ["my-own"]
        cutoff = 5
        [presets.theirs]
        extends = "ntcir4-clir"
        measures = ["AP(rel=2)", "nDCG@l Q"]
        cutoff = 20
        condensed = true
        """,
    )
    assert list(read_presets(path)) == ["mine", "theirs"]
    mine = preset("my-own", path)
    assert mine.measures_at() == [
        "AP(rel=2, condensed=true)", "nDCG(condensed=true)@5", "Q(condensed=true)",
    ]  # fmt: skip
    assert mine.name == "mine"
    assert mine.labels == {"S": 3, "A": 2, "B": 1, "C": 0}
    assert mine.depth == 1000
    assert preset("theirs", path).aliases == ()  # those of ntcir3-5-clir remain its own
    assert preset("theirs", path).cutoff == 20
    assert set(presets(path)) == {*presets(), "mine", "theirs"}
    assert "mine" not in presets()


def test_the_page_s_example_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", page, flags=re.S)
    assert example
    mine = preset("my-task", written(tmp_path, example[1]))
    assert mine.measures_at() == ["nDCG@20", "AP(rel=2)", "AP(rel=1)"]


def test_a_preset_does_not_claim_to_be_the_task_it_extends(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [presets.child]
        extends = "mine"
        year = "2031"
        [presets.mine]
        extends = "ntcir3-web"
        task = "my web"
        year = "2030"
        """,
    )
    mine, child, parent = preset("mine", path), preset("child", path), preset("ntcir3-web")
    assert (mine.task, mine.round, mine.year, mine.section, mine.reference) == (
        "my web", "", "2030", "", "",
    )  # fmt: skip
    assert (child.task, child.year) == ("my web", "2031")  # within a file, all is inherited
    assert mine.measures_at() == parent.measures_at()
    assert (mine.levels, mine.gains, mine.settings) == (
        parent.levels, parent.gains, parent.settings,
    )  # fmt: skip


def test_a_cutoff_may_be_left_to_the_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "[presets.mine]\nmeasures = ['P@l', 'AP']\n")
    mine = preset("mine", path)
    assert mine.measures_at(5) == ["P@5", "AP"]
    with pytest.raises(cf.CranfieldError, match=r"mine: no cutoff for @l. Use"):
        mine.measures_at()
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("t 0 a 1\n")
    run.write_text("t Q0 a 1 1 r\n")
    command = ["evaluate", str(qrels), str(run), "--preset", "mine", "--presets", str(path)]
    assert main([*command, "-f", "tsv", "--cutoff", "4"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["r\tall\tP@4\t0.25", "r\tall\tAP\t1.0"]
    assert main(command) == 2
    assert "mine: no cutoff for @l" in capsys.readouterr().err


def test_an_inherited_cutoff_need_not_be_used(tmp_path: Path) -> None:
    path = written(tmp_path, "[presets.mine]\nextends = 'ntcir6-clir'\nmeasures = ['AP']\n")
    assert preset("mine", path).measures_at() == ["AP"]


MISTAKES = {
    "[presets.mine]\nmeasure = ['AP']": "preset mine: found key 'measure', expected some of task",
    "[presets.mine]\nmeasures = 'AP'": "preset mine: found measures = 'AP', expected a list of te",
    "[presets.mine]\nmeasures = [1]": "preset mine: found measures = [1], expected a list of texts",
    "[presets.mine]\nmeasures = ['AQ']": "preset mine: unknown measure 'AQ'",
    "[presets.mine]\nmeasures = ['AP(rel=x)']": ("preset mine: measure 'AP(rel=x)': rel must be a number"),
    "[presets.mine]\nmeasures = []": "preset mine: no measures",
    "[presets.mine]\ntask = 'none'": "preset mine: no measures",
    "[presets.mine]\nyear = true": "preset mine: found year = True, expected text or an integer",
    "[presets.mine]\ncutoff = 0": "preset mine: found cutoff = 0, expected an integer ≥ 1",
    "[presets.mine]\ndepth = true": "preset mine: found depth = True, expected an integer",
    "[presets.mine]\ncondensed = 1": "preset mine: found condensed = 1, expected true or false",
    "[presets.mine]\nlabels = {A = 'x'}": "preset mine: found labels = {'A': 'x'}, expected levels",
    "[presets.mine]\nlabels = {A = nan}": "preset mine: found labels = {'A': nan}, expected levels",
    "[presets.mine]\nsettings = 'x'": "preset mine: found settings = 'x', expected texts by name",
    "[presets.mine]\nextends = 'ntcir6-clri'": "expected the name of a preset. Did you mean ntcir6",
    "[presets.mine]\nextends = 'mine'": "preset mine: found extends = 'mine', expected a preset th",
    "[presets.a]\nextends = 'b'\n[presets.b]\nextends = 'a'": "preset b: found extends = 'a', expe",
    "[presets.ntcir6-clir]\nmeasures = ['AP']": "duplicate name 'ntcir6-clir': it",
    "[presets.ntcir4-clir]\nmeasures = ['AP']": "duplicate name 'ntcir4-clir': it",
    "[presets.a]\nmeasures = ['AP']\naliases = ['b']\n[presets.b]\nmeasures = ['AP']": (
        "preset b: duplicate name 'b': it is preset a's"
    ),
    "[presets.'']\nmeasures = ['AP']": "preset : invalid name '': empty",
    "[presets.'my task']\nmeasures = ['AP']": "invalid name 'my task': empty or with spaces",
    "[presets.mine]\nmeasures = ['AP']\naliases = ['']": "preset mine: invalid name ''",
    "[presets.mine]\nmeasures = ['AP']\naliases = ['m\t1']": "mine: invalid name 'm\\t1'",
    "[presets.mine]\nmeasures = ['AP']\ngains = '1:2:3'": (
        "preset mine: gains = '1:2:3'. The key gains is a text for readers. Set gains of measures"
    ),
    "[preset.mine]\nmeasures = ['AP']": "my.toml: found key 'preset', expected tables named [prese",
    "presets = 3": "my.toml: found no presets, expected tables named [presets.NAME]",
    "": "my.toml: found no presets, expected tables named [presets.NAME]",
    "[presets]\nmine = 3": "preset mine: found 3, expected a table",
    "[presets.mine]\nmeasures = [\n'AP' 'P'\n]": "my.toml:3: found invalid TOML (unclosed",
    "[presets.mine]\ntask = 'a'\ntask = 'b'": "my.toml:3: found invalid TOML (cannot overwrite",
    "[presets.Mine]\n[presets.Mine]": ("my.toml:2: found invalid TOML (cannot declare ('presets', 'M"),
    "[presets.mine]\nmeasures = [\n": "my.toml:2: found invalid TOML (",  # at the end
    f"a = {'9' * 5000}": "my.toml: found invalid TOML (exceeds the limit",
    f"a = {'[' * 100_000}": "my.toml: found too deeply nested tables, expected TOML",
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: text[:60])
def test_mistakes_are_told_with_file_and_preset(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(cf.CranfieldError) as told:
        read_presets(path)
    assert str(told.value).startswith(str(path))
    assert MISTAKES[text] in str(told.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(cf.CranfieldError, match="cannot read"):
        read_presets(tmp_path / "none.toml")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"[presets.mine]\ntask = '\xe9'\n")
    with pytest.raises(cf.CranfieldError, match=r"latin\.toml:2: found bytes that are not UTF-8"):
        read_presets(latin)


# -- the command ------------------------------------------------------------------------------


@pytest.fixture
def listed(cranfield: Command) -> Command:
    return cranfield.of("presets")


def test_all_are_listed(listed: Command) -> None:
    lines = listed.printed().splitlines()
    assert [line.split()[0] for line in lines[:-2]] == list(presets())
    line = next(line for line in lines if line.startswith("ntcir6-clir "))
    assert line.split(maxsplit=2) == ["ntcir6-clir", "2007", "cross-language retrieval (CLIR)"]
    assert lines[-1] == f"{len(presets())} presets. See `cranfield presets NAME`."


def test_words_choose(listed: Command) -> None:
    found = [line.split()[0] for line in listed.printed("STC", "pplus").splitlines() if line[:5] == "ntcir"]
    assert found == [
        "ntcir12-stc-chinese", "ntcir13-stc-chinese", "ntcir13-stc-chinese-unanimity",
    ]  # fmt: skip
    assert "found no preset with 'zzz' in its entry" in listed.refused("zzz")


def test_one_is_shown_in_full_by_any_of_its_names(listed: Command) -> None:
    p = preset("ntcir3-web")
    assert listed.printed("ntcir3-web") == f"{p}\n"
    assert all(fact.split()[0] in str(p) for _, fact in p.facts())
    assert max(map(len, str(p).splitlines())) <= 100
    assert listed.printed("ntcir8-ir4qa").startswith("ntcir7-8-ir4qa\n")


@pytest.mark.parametrize("width", [40, 80, 300])
def test_lines_fit_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch, listed: Command) -> None:
    plain = listed.printed()
    for module in (command, output):
        monkeypatch.setattr(module, "get_terminal_width", lambda output: width)
    fitted = listed.printed()
    assert {*fitted.split()} <= {*plain.split(), "…"}  # no word is broken
    assert fitted.splitlines().index("") == plain.splitlines().index("") == len(presets())
    lines = fitted.splitlines()[:-1] + listed.printed("ntcir3-web").splitlines()
    assert all(len(line) <= width or len(line.split()) == 1 for line in lines)
    assert (fitted == plain) == (width == 300)


def test_tables_for_programs(tmp_path: Path, listed: Command) -> None:
    mine = written(tmp_path, "[presets.mine]\nmeasures = ['AP']\ntask = \"a\\tb\\nc\"\n")
    head, *rows = listed.printed("-f", "tsv", "--presets", str(mine)).splitlines()
    table = [dict(zip(head.split("\t"), row.split("\t"), strict=True)) for row in rows]
    assert [row["name"] for row in table] == [*presets(), "mine"]
    assert table[-1]["task"] == "a b c"
    for row in table[:-1]:
        p = preset(row["name"])
        assert cf.parse_measures(row["measures"].replace("@l", "@7")) == cf.parse_measures(
            [m.replace("@l", "@7") for m in p.measures]
        )
        assert row["cutoff"] == ("" if p.cutoff is None else str(p.cutoff))
    found: list[dict[str, Any]] = json.loads(listed.printed("-f", "json", "ntcir4-clir"))
    assert [p["name"] for p in found] == ["ntcir3-5-clir"]
    assert found[0]["labels"] == {"S": 3, "A": 2, "B": 1, "C": 0}
    assert found[0]["settings"]["rigid"] == "rel=2: S and A are relevant"


def test_in_markdown_they_are_a_table(listed: Command) -> None:
    head, _, *rows = listed.printed("-f", "markdown").rstrip().split("\n")
    assert head.startswith("| name | task |")
    assert [row.split(" | ")[0] for row in rows] == [f"| {name}" for name in presets()]


def test_the_page_tells_of_every_key() -> None:
    page = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")
    keys = re.search(r"\| key \| meaning \|\n(.*?)\n\n", page, flags=re.S)
    assert keys
    named = re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in keys[1].splitlines()))
    assert set(named) == {f for f in Preset.__dataclass_fields__ if f != "name"} | {"extends"}


# -- presets ----------------------------------------------------------------------------------


def test_a_preset_brings_its_measures_and_more_can_be_added() -> None:
    names = cf.preset("ntcir13-www-english").measures_at()
    scores = cf.evaluate(JUDGED, {"1": ["a"]}, preset="ntcir13-www-english")
    assert list(scores.measures) == names
    more = cf.evaluate(JUDGED, {"1": ["a"]}, ["RR", "nDCG@10"], preset="ntcir13-www-english")
    assert list(more.measures) == [*names, "RR"]  # nDCG@10 is there already
    assert more.values[:, :, :3].tolist() == scores.values.tolist()


def test_a_preset_brings_its_labels_and_its_settings_are_told(small: Path) -> None:
    Path("q").write_text("1 0 a S\n1 0 b B\n2 0 c C\n")
    scores = cf.evaluate("q", "run", preset="ntcir2-jeir")
    assert scores["r", "1", "AP(rel=2)"] == 1 / 2  # a (S) at rank 2
    assert scores["r", "1", "AP(rel=1)"] == 1
    said = [note.text for note in scores.notes if note.kind == "preset"]
    assert said == [
        "ntcir2-jeir: rigid is rel=2: S and A are relevant",
        "ntcir2-jeir: relaxed is rel=1: S, A and B are relevant",
    ]
    other = cf.evaluate("q", "run", preset="ntcir2-jeir", labels={"S": 1, "B": 0, "C": 0})
    assert other["r", "1", "AP(rel=2)"] == 0


MINE = """
[presets.mine]
measures = ["P@l", "RR"]
cutoff = 2
depth = 1
labels = {X = 1}
"""


def test_the_command_with_a_preset_of_one_s_own(small: Path, cranfield: Command) -> None:
    Path("mine.toml").write_text(MINE)
    Path("q").write_text("1 0 a X\n1 0 b 0\n2 0 z X\n")
    command = "evaluate q run --preset mine --presets mine.toml -f tsv"
    # Depth 1: topic 1 has b only, topic 2 has z.
    assert cranfield.printed(command).splitlines()[1:] == ["r\tall\tP@2\t0.25", "r\tall\tRR\t0.5"]
    assert cranfield.printed(f"{command} --depth 2").splitlines()[1:] == [
        "r\tall\tP@2\t0.5",
        "r\tall\tRR\t0.75",
    ]
    assert cranfield.printed(f"{command} --cutoff 1").splitlines()[1] == "r\tall\tP@1\t0.5"
    assert cranfield.printed(f"{command} -m AP").splitlines()[3] == "r\tall\tAP\t0.5"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--preset ntcir13-www", "unknown preset 'ntcir13-www'. Did you mean"),
        ("--preset mine", "unknown preset 'mine'"),
        ("--cutoff 5", "--cutoff requires --preset NAME"),
        ("--presets mine.toml", "--presets requires --preset NAME"),
        ("--preset ntcir3-5-clir --cutoff 5", "ntcir3-5-clir: cutoff 5 has no effect"),
        ("--preset mine --presets nowhere.toml", "cannot read nowhere.toml"),
    ],
)
def test_what_is_wrong_with_a_preset(options: str, said: str, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.toml").write_text(MINE)
    assert main(["evaluate", "trec", "run", *options.split()]) == 2
    assert said in capsys.readouterr().err


def test_a_depth_of_nothing_is_an_error() -> None:
    with pytest.raises(cf.CranfieldError, match="depth must be an integer ≥ 1, found 0"):
        cf.evaluate(JUDGED, {"1": ["a"]}, "AP", depth=0)


def test_a_preset_does_not_hide_a_depth_of_nothing() -> None:
    with pytest.raises(cf.CranfieldError, match="depth must be an integer ≥ 1, found 0"):
        cf.evaluate(JUDGED, {"1": ["a"]}, preset="ntcir7-8-ir4qa", depth=0)


def test_read_presets_year_as_integer_is_text(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('[presets.mine]\nyear = 2026\nmeasures = ["AP"]\n')
    assert cf.preset("mine", tmp_path / "p.toml").year == "2026"
