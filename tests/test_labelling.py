"""Labelling as a step of its own: which items count, and as what, whatever the measure."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.groups import Groups, read_groups
from cranfield.measures.lists import Gold, Lists
from cranfield.report.labelled import text

Qrels = dict[str, dict[str, float]]
Classes = dict[str, dict[str, str]]
Scored = dict[str, dict[str, float]]

BOTH = (cf.EquivalenceClasses, cf.Combinations)


def one(qrels: Any, run: Any, measure: str, **options: Any) -> float:
    """The score of a single topic under a single measure."""
    scores = cf.evaluate(qrels, run, measure, **options)
    assert scores.values.shape == (1, 1, 1)
    return float(scores.values[0, 0, 0])


def written(path: Path, content: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return str(path)


# -- worked numbers ---------------------------------------------------------------------------

FIGURE_3 = """
RR=0.5000 O-measure=0.7500 P-measure=0.7500 P-plus=0.7500 AP=0.5000 Q-measure=0.7500
NCUgu,P=0.5000 NCUgu,BR=0.7500 NCUrb,P=0.5000 NCUrb,BR=0.7500 RBP=0.0475 ERR=0.3333
AP@1000=0.5000 Q@1000=0.7500 nDCG@1000=1.0000 MSnDCG@1000=0.6309 P@1000=0.0010
nERR@1000=0.5000 Hit@1000=1.0000
"""


@pytest.mark.parametrize(("name", "printed"), [line.split("=") for line in FIGURE_3.split()])
def test_figure_3_of_seed_000(name: str, printed: str) -> None:
    """a L1 and b L2 are a class; the list is c, b, a."""
    classes = cf.EquivalenceClasses({"1": {"a": "1", "b": "1"}})
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": ["c", "b", "a"]}
    value = one(qrels, run, f"ntcir:{name}", gains="1:2", labelling=classes)
    assert f"{value:.4f}" == printed


def test_figure_3_from_the_files_of_ntcireval(tmp_path: Path) -> None:
    """The same, from example.erel and example.res; # jrel=1 is the number of classes."""
    written(tmp_path / "x" / "x.erel", "a L1 1\nb L2 1\n")
    written(tmp_path / "x" / "x.ex.res", "c\nb\na\n")
    classes = cf.EquivalenceClasses(tmp_path)
    scores = cf.evaluate(tmp_path, tmp_path / "ex", ["Q(gain=1:2)", "NumRel"], labelling=classes)
    # BR(2) = (1 + 2)/(2 + 2), the ideal list being b alone.
    assert scores["ex", "x", "Q(gain=1:2)"] == 0.75
    assert scores["ex", "x", "NumRel"] == 1


def test_beatles_of_seed_000_section_2_3() -> None:
    """“Paul McCartney” at rank 2 counts, “McCartney” at rank 3 is redundant."""
    qrels = {"q": {"Paul McCartney": 1, "McCartney": 1}}
    run = {"q": ["George Martin", "Paul McCartney", "McCartney"]}
    paul = cf.EquivalenceClasses({"q": {"Paul McCartney": "paul", "McCartney": "paul"}})
    assert one(qrels, run, "AP", labelling=paul) == 1 / 2  # R = 1, found at rank 2
    assert one(qrels, run, "P@3", labelling=paul) == 1 / 3
    assert one(qrels, run, "AP") == (1 / 2 + 2 / 3) / 2  # without classes, R = 2


def test_the_first_of_a_class_counts_at_its_own_level() -> None:
    """Ringo Starr (L2) and Richard Starkey (L1) of seed 002: the weaker answer comes first."""
    qrels = {"q": {"Ringo Starr": 2, "Richard Starkey": 1}}
    ringo = cf.EquivalenceClasses({"q": dict.fromkeys(qrels["q"], "ringo")})
    run = {"q": ["Richard Starkey", "Ringo Starr"]}
    assert one(qrels, run, "AP", labelling=ringo) == 1
    # BR(1) = (1 + 1)/(1 + 2), as the ideal list begins with L2; the answer at rank 2 is nothing.
    assert one(qrels, run, "Q", labelling=ringo) == 2 / 3
    assert one(qrels, run, "nDCG@2", labelling=ringo) == 1 / 2


def test_an_item_of_no_use_does_not_use_up_its_class() -> None:
    qrels = {"q": {"a": 0, "b": 1, "c": -1}}
    same = cf.EquivalenceClasses({"q": dict.fromkeys("abc", "1")})
    assert one(qrels, {"q": ["a", "c", "b"]}, "AP", labelling=same) == 1 / 3


def test_patents_of_seed_000_section_2_3() -> None:
    """a at rank 1 and b at rank 3 are of use together: skip a, label only b."""
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}
    pair = cf.Combinations({"q": {"a": "pair", "b": "pair"}})
    assert one(qrels, run, "NumRel", labelling=pair) == 1
    assert one(qrels, run, "AP", labelling=pair) == 1 / 3  # one relevant item, at rank 3
    assert one(qrels, run, "RR", labelling=pair) == 1 / 3
    assert one(qrels, run, "nDCG@3", labelling=pair) == 1 / math.log2(4)


def test_patents_of_seed_002_section_3_2() -> None:
    """A invalidates on its own, B1 and B2 only together: one relevant document."""
    qrels = {"q": {"A": 1, "B1": 1, "B2": 1}}
    pair = cf.Combinations({"q": {"B1": "B", "B2": "B"}})
    # B1 alone is no reward, which the relaxed evaluation of NTCIR-4 gave it: (1/1)/3.
    assert one(qrels, {"q": ["B1"]}, "AP", labelling=pair) == 0
    assert one(qrels, {"q": ["B1"]}, "AP") == 1 / 3
    # Footnote 13: B1 at rank 1, B2 at rank 4: the group counts at 4; A at rank 2. R = 2.
    run = {"q": ["B1", "A", "x", "B2"]}
    assert one(qrels, run, "AP", labelling=pair) == (1 / 2 + 2 / 4) / 2
    # Q: cg* = 1, 2, 2, 2. BR(2) = (1 + 1)/(2 + 2), BR(4) = (2 + 2)/(4 + 2).
    assert one(qrels, run, "Q", labelling=pair) == pytest.approx((1 / 2 + 2 / 3) / 2, rel=1e-15)
    assert one(qrels, run, "AP", labelling=pair, depth=3) == (1 / 2) / 2  # B2 is not seen


# -- a second writing -------------------------------------------------------------------------

MEASURES = tuple(
    cf.parse_measure(name)
    for name in (
        "AP", "AP(rel=2)", "Q", "Q(rel=1)", "nDCG@3", "nDCG", "NumRel", "NumRelRet", "NumRet",
        "RBP", "ERR", "P@2", "Rprec", "RR", "Judged@4", "AP(condensed=true)",
        "nDCG(condensed=true)@2",
    )
)  # fmt: skip


def by_hand_classes(
    judged: Mapping[str, float], classes: Mapping[str, str], ranked: Sequence[str]
) -> tuple[list[float | None], list[float]]:
    """What each document of a list counts as, None if it is unjudged; and the ideal list."""
    counts: list[float | None] = []
    seen = set()
    for doc in ranked:
        level = judged.get(doc)
        if level is not None and level > 0 and doc in classes:
            if classes[doc] in seen:
                level = 0.0
            seen.add(classes[doc])
        counts.append(level)
    best: dict[str, float] = {}
    for doc, level in judged.items():
        name = classes.get(doc, f"{doc} alone") if level > 0 else f"{doc} alone"
        best[name] = max(best.get(name, level), level)
    return counts, sorted(best.values(), reverse=True)


def by_hand_groups(
    judged: Mapping[str, float], groups: Mapping[str, str], ranked: Sequence[str]
) -> tuple[list[float | None], list[float]]:
    """The same for groups that count at the last of their members."""
    members: dict[str, set[str]] = {}
    for doc, name in groups.items():
        members.setdefault(name, set()).add(doc)
    counts = []
    for rank, doc in enumerate(ranked):
        level = judged.get(doc)
        if level is not None and level > 0 and doc in groups:
            complete = members[groups[doc]] <= set(ranked[: rank + 1])
            level = level if complete else 0.0
        counts.append(level)
    alone = [level for doc, level in judged.items() if doc not in groups or level <= 0]
    together = [judged[min(docs)] for docs in members.values() if judged[min(docs)] > 0]
    return counts, sorted(alone + together, reverse=True)


BY_HAND: dict[type, Callable[..., tuple[list[float | None], list[float]]]] = {
    cf.EquivalenceClasses: by_hand_classes,
    cf.Combinations: by_hand_groups,
}


def in_trec_order(docs: Mapping[str, float]) -> list[str]:
    return sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)


Collection = tuple[type, Qrels, Classes, Scored]
LEVELS = st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 1.5])


@st.composite
def collections(draw: st.DrawFn, kinds: Sequence[type] = BOTH) -> Collection:
    """A strategy, judgments of topics, classes of some of their items, and a run with ties."""
    kind = draw(st.sampled_from(kinds))
    qrels: Qrels = {}
    classes: Classes = {}
    run: Scored = {}
    for topic in draw(st.lists(st.sampled_from("1234"), min_size=1, unique=True)):
        judged = draw(st.dictionaries(st.sampled_from("abcdefgh"), LEVELS, min_size=1))
        names = st.one_of(st.none(), st.sampled_from("xyz"))
        drawn = {doc: draw(names) for doc in judged}
        found = {doc: name for doc, name in drawn.items() if name is not None}
        if kind is cf.Combinations:  # one level for all of a group
            level = {name: judged[doc] for doc, name in found.items()}
            judged |= {doc: level[name] for doc, name in found.items()}
        qrels[topic] = judged
        if found:
            classes[topic] = found
        docs = st.dictionaries(st.sampled_from("abcdefghpqr"), st.integers(0, 4), min_size=1)
        run[topic] = {doc: float(score) for doc, score in draw(docs).items()}
    if not classes:
        topic, judged = next(iter(qrels.items()))
        classes[topic] = {next(iter(judged)): "x"}
    return kind, qrels, classes, run


def by_hand_scores(
    kind: type, qrels: Qrels, classes: Classes, ranked: Mapping[str, Sequence[str]]
) -> list[list[float]]:
    """Topics × MEASURES, from levels labelled by hand."""
    labelled = {
        topic: BY_HAND[kind](judged, classes.get(topic, {}), ranked[topic])
        for topic, judged in qrels.items()
    }
    highest = max(0.0, *(level for _, ideal in labelled.values() for level in ideal))
    rows = []
    for counts, ideal in labelled.values():
        hits = [(r, level) for r, level in enumerate(counts, 1) if level is not None]
        lists = Lists(
            np.array([[r for r, _ in hits]], dtype=np.int64).reshape(1, len(hits)),
            np.array([[level for _, level in hits]], dtype=np.float64).reshape(1, len(hits)),
            np.ones((1, len(hits)), dtype=bool),
            np.array([len(counts)]),
            Gold(np.array([ideal]), np.ones((1, len(ideal)), dtype=bool), highest),
        )
        rows.append([float(m.values(lists)[0, 0]) for m in MEASURES])
    return rows


def as_frame(run: Scored) -> pl.DataFrame:
    rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    return pl.DataFrame(rows, ["topic", "doc", "score"], orient="row")


def as_trec(run: Scored) -> str:
    return "".join(f"{t} Q0 {d} 0 {s} r\n" for t, docs in run.items() for d, s in docs.items())


@given(collections())
@settings(max_examples=150, deadline=None)
def test_what_counts_is_what_the_words_say(collection: Collection) -> None:
    kind, qrels, classes, run = collection
    ev = cf.Evaluator(qrels, "AP", labelling=kind(classes))
    rankings, ideal = ev.collection.rankings(cf.read_run(run)), ev.collection.ideal
    for t, (topic, judged) in enumerate(qrels.items()):
        counts, best = BY_HAND[kind](judged, classes.get(topic, {}), in_trec_order(run[topic]))
        hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
        found = dict(zip(rankings.ranks[hits], rankings.levels[hits], strict=True))
        assert [found.get(rank) for rank in range(1, len(counts) + 1)] == counts
        levels = ideal.levels[ideal.offsets[t] : ideal.offsets[t + 1]].tolist()
        assert [x for x in levels if x > 0] == [x for x in best if x > 0]


@given(collections())
@settings(max_examples=100, deadline=None)
def test_scores_are_those_of_levels_labelled_by_hand(collection: Collection) -> None:
    kind, qrels, classes, run = collection
    ranked = {topic: in_trec_order(docs) for topic, docs in run.items()}
    expected = by_hand_scores(kind, qrels, classes, ranked)
    labelling = kind(classes)
    for given_run in (run, ranked, as_frame(run)):
        found = cf.evaluate(qrels, given_run, MEASURES, labelling=labelling, block_cells=3)
        assert found.values[0].tolist() == expected


@given(collections())
@settings(max_examples=25, deadline=None)
def test_text_files_give_the_same_bits(
    tmp_path_factory: pytest.TempPathFactory, collection: Collection
) -> None:
    kind, qrels, classes, run = collection
    here = tmp_path_factory.mktemp("files")
    judged = ((t, d, level) for t, docs in qrels.items() for d, level in docs.items())
    q = written(here / "qrels", "".join(f"{t} 0 {d} {level}\n" for t, d, level in judged))
    r = written(here / "run", as_trec(run))
    named = ((t, d, name) for t, docs in classes.items() for d, name in docs.items())
    c = written(here / "classes", "".join(" ".join(fields) + "\n" for fields in named))
    files = cf.evaluate(q, r, MEASURES, labelling=kind(c))
    memory = cf.evaluate(qrels, run, MEASURES, labelling=kind(classes))
    assert files.values.tobytes() == memory.values.tobytes()
    assert files.topics == memory.topics


@given(collections(), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_depth_cuts_before_labelling(collection: Collection, depth: int) -> None:
    kind, qrels, classes, run = collection
    cut = {topic: in_trec_order(docs)[:depth] for topic, docs in run.items()}
    by_hand = cf.evaluate(qrels, cut, MEASURES, labelling=kind(classes))
    for given_run in (run, as_frame(run)):
        found = cf.evaluate(qrels, given_run, MEASURES, labelling=kind(classes), depth=depth)
        assert found.values.tobytes() == by_hand.values.tobytes()


@given(collections(), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_labelling_and_truncation_commute(collection: Collection, depth: int) -> None:
    """The first of a class is the first at any depth; a group that is cut is worth nothing."""
    kind, qrels, classes, run = collection
    ev = cf.Evaluator(qrels, "AP", labelling=kind(classes))
    after = ev.collection.rankings(cf.read_run(run)).truncated(depth)
    cut = {topic: in_trec_order(docs)[:depth] for topic, docs in run.items()}
    before = ev.collection.rankings(cf.read_run(cut))
    assert after.levels.tolist() == before.levels.tolist()
    assert after.ranks.tolist() == before.ranks.tolist()


@given(collections())
@settings(max_examples=60, deadline=None)
def test_condensed_is_the_list_without_unjudged_documents(collection: Collection) -> None:
    """Redundant and waiting items were judged: they stay."""
    kind, qrels, classes, run = collection
    ranked = {t: [d for d in in_trec_order(run[t]) if d in qrels[t]] for t in run}
    plain = [m for m in MEASURES if not m.condensed]
    ours = cf.evaluate(qrels, run, plain, labelling=kind(classes), condensed=True)
    hand = cf.evaluate(qrels, ranked, plain, labelling=kind(classes))
    assert ours.values.tobytes() == hand.values.tobytes()


@given(collections(), st.sampled_from(BOTH))
@settings(max_examples=60, deadline=None)
def test_classes_of_one_item_change_nothing(collection: Collection, kind: type) -> None:
    _, qrels, _, run = collection
    single = {topic: {doc: doc for doc in judged} for topic, judged in qrels.items()}
    ours = cf.evaluate(qrels, run, MEASURES, labelling=kind(single))
    assert ours.values.tobytes() == cf.evaluate(qrels, run, MEASURES).values.tobytes()


@given(collections())
@settings(max_examples=40, deadline=None)
def test_one_class_for_all_means_one_relevant_item(collection: Collection) -> None:
    _, qrels, _, run = collection
    same = {topic: dict.fromkeys(judged, "all of them") for topic, judged in qrels.items()}
    scores = cf.evaluate(qrels, run, ["NumRel", "NumRelRet"], labelling=cf.EquivalenceClasses(same))
    for topic, judged in qrels.items():
        relevant = {doc for doc, level in judged.items() if level > 0}
        assert scores["run", topic, "NumRel"] == (1 if relevant else 0)
        assert scores["run", topic, "NumRelRet"] == (1 if relevant & run[topic].keys() else 0)


@given(collections(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_names_and_order_of_classes_do_not_matter(collection: Collection, random: Any) -> None:
    kind, qrels, classes, run = collection
    rows = [(t, d, f"class {name}") for t, docs in classes.items() for d, name in docs.items()]
    random.shuffle(rows)
    ours = cf.evaluate(qrels, run, MEASURES, labelling=kind(rows))
    same = cf.evaluate(qrels, run, MEASURES, labelling=kind(classes))
    assert ours.values.tobytes() == same.values.tobytes()


CLASSES_ABC = {"t": {"a": "1", "b": "1", "c": "1", "d": "2", "e": "3"}}


@pytest.mark.parametrize(
    ("more", "value"),
    [
        # List a b c d e: b and c are redundant. R = 3, and 2 items are judged nonrelevant: b, c.
        # d and e have both of them above: (1 + 0 + 0)/3 with min(R, N) = 2.
        ({}, 1 / 3),
        # z is judged nonrelevant too: N = 3, (1 + 1/3 + 1/3)/3.
        ({"z": 0}, 5 / 9),
    ],
)
def test_bpref_counts_redundant_items_as_judged_nonrelevant(
    more: dict[str, float], value: float
) -> None:
    qrels = {"t": dict.fromkeys("abcde", 1.0) | more}
    found = one(qrels, {"t": list("abcde")}, "bpref", labelling=cf.EquivalenceClasses(CLASSES_ABC))
    assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("measure", ["bpref", "bpref_N", "rpref_N", "AP(rel=0)"])
@pytest.mark.parametrize("kind", BOTH)
def test_normalised_measures_stay_between_0_and_1(measure: str, kind: type) -> None:
    """f is nonrelevant; a b c are redundant, or wait for one another."""
    qrels = {"t": dict.fromkeys("abcde", 1.0) | {"f": 0.0}}
    found = [
        one(qrels, {"t": list(run)}, measure, labelling=kind(CLASSES_ABC))
        for run in ("abcde", "abdec", "fabcd")
    ]
    assert all(0 <= value <= 1 for value in found), found


# -- ties -------------------------------------------------------------------------------------

TIED: Scored = {"t": {"a": 1.0, "b": 1.0, "c": 1.0, "x": 1.0, "d": 1.0}}
TIED_QRELS: Qrels = {"t": {"a": 1, "b": 2, "c": 1, "d": 0}}
TIED_GROUPS: Qrels = {"t": {"a": 2, "b": 2, "c": 1, "d": 0}}
PAIR = {"t": {"a": "1", "b": "1"}}
TIED_MEASURES = ("AP", "nDCG@2", "Q", "RR", "ERR", "P@2", "NumRelRet")


@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("kind", BOTH)
def test_sampled_ties_come_near_the_mean_of_all_orders(kind: type, depth: int | None) -> None:
    qrels = TIED_QRELS if kind is cf.EquivalenceClasses else TIED_GROUPS
    options: dict[str, Any] = {"labelling": kind(PAIR), "depth": depth}
    orders = [{"t": list(order)} for order in permutations(TIED["t"])]
    ev = cf.Evaluator(qrels, TIED_MEASURES, **options)
    every = np.array([ev(order).values[0, 0] for order in orders])
    ours = cf.evaluate(qrels, TIED, TIED_MEASURES, ties="expected", tie_samples=1500, **options)
    assert "tie-order" in {notice.kind for notice in ours.notices}
    assert not any("exact" in notice.text for notice in ours.notices)  # classes make nothing exact
    for name, mean, spread in zip(
        TIED_MEASURES, every.mean(axis=0), every.std(axis=0), strict=True
    ):
        error = spread / math.sqrt(1500)
        assert abs(ours["run", "t", name] - mean) <= 5 * error, name
        assert ours["run", "t", f"{name}.se"] == pytest.approx(error, rel=0.2, abs=1e-12), name


@pytest.mark.parametrize(
    ("ties", "order"),
    [
        # By level as it was judged, equal ones in trec_eval's order, names falling; x is unjudged.
        ("best", "bcaxd"),
        ("worst", "xdcab"),
    ],
)
def test_best_and_worst_order_by_level_and_promise_nothing(ties: str, order: str) -> None:
    classes = cf.EquivalenceClasses(PAIR)
    ours = cf.evaluate(TIED_QRELS, TIED, TIED_MEASURES, ties=ties, labelling=classes)
    by_hand = cf.evaluate(TIED_QRELS, {"t": list(order)}, TIED_MEASURES, labelling=classes)
    assert ours.values.tolist() == by_hand.values.tolist()
    said = [notice.text for notice in ours.notices if notice.kind == "tie-order"]
    than = {"best": "better", "worst": "worse"}[ties]
    assert len(said) == 1
    assert f"another order may score {than} under AP" in said[0]


def test_the_order_by_level_is_not_always_best() -> None:
    """a (L1) and b (L2) are a class, c (L1) stands alone: b c a is best, and worst is no bound."""
    classes = cf.EquivalenceClasses({"t": {"b": "1", "c": "1"}})
    qrels, run = {"t": {"a": 1, "b": 2, "c": 2}}, {"t": {"a": 1.0, "b": 1.0, "c": 1.0}}
    best = one(qrels, run, "AP", ties="best", labelling=classes)  # c b a: (1 + 2/3)/2
    assert best == pytest.approx(5 / 6)
    assert one(qrels, {"t": ["c", "a", "b"]}, "AP", labelling=classes) == 1.0


def test_ties_within_a_level_are_told_if_classes_make_them_matter() -> None:
    qrels, run = {"t": {"a": 1, "b": 1, "c": 1}}, {"t": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert not any(n.kind == "ties" for n in cf.evaluate(qrels, run, "AP").notices)
    scores = cf.evaluate(qrels, run, "AP", labelling=cf.EquivalenceClasses(PAIR))
    assert any(n.kind == "ties" and "3 of 3 tied documents" in n.text for n in scores.notices)


# -- strategies of one's own ------------------------------------------------------------------


class ByHand(cf.Labelling):
    """Equivalence classes, written as a user would."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes

    def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
        counts, _ = by_hand_classes(ranked, self.classes.get(topic, {}), list(ranked))
        return {doc: level or 0.0 for doc, level in zip(ranked, counts, strict=True)}

    def ideal(self, topic: str, judged: Mapping[str, float]) -> Mapping[str, float]:
        best: dict[str, str] = {}
        for doc in sorted(judged, key=lambda doc: -judged[doc]):
            best.setdefault(self.classes.get(topic, {}).get(doc, doc), doc)
        return {doc: judged[doc] for doc in judged if judged[doc] <= 0 or doc in best.values()}


@given(collections([cf.EquivalenceClasses]))
@settings(max_examples=60, deadline=None)
def test_a_user_could_have_written_it(collection: Collection) -> None:
    _, qrels, classes, run = collection
    theirs = cf.evaluate(qrels, run, MEASURES, labelling=ByHand(classes), block_cells=4)
    ours = cf.evaluate(qrels, as_frame(run), MEASURES, labelling=cf.EquivalenceClasses(classes))
    assert theirs.values.tobytes() == ours.values.tobytes()


class Halved(cf.Labelling):
    """Whatever is found counts half."""

    def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
        return {doc: level / 2 for doc, level in ranked.items()}


class OnlyTheBest(cf.Labelling):
    """One item is all there is to find."""

    def ideal(self, topic: str, judged: Mapping[str, float]) -> Mapping[str, float]:
        return dict([max(judged.items(), key=lambda item: item[1])])


class Swapped(cf.Labelling):
    """Both: found items count in the order of rank, the ideal list has none of the last topic."""

    def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
        return {doc: float(place) for place, doc in enumerate(ranked)}

    def ideal(self, topic: str, judged: Mapping[str, float]) -> Mapping[str, float]:
        return {} if topic == "2" else dict.fromkeys(judged, 2.0)


def test_strategies_may_say_what_was_found_or_what_there_is_to_find() -> None:
    qrels, run = {"1": {"a": 2, "b": 1, "c": 0}}, {"1": ["a", "x", "b"]}
    # DCG: 2/1 + 1/2 without a cutoff's discount of log2(4) = 2 at rank 3.
    assert one(qrels, run, "DCG", labelling=Halved()) == (2 / 2) / 1 + (1 / 2) / 2
    assert one(qrels, run, "nDCG", labelling=Halved()) == one(qrels, run, "nDCG") / 2
    assert one(qrels, run, "NumRel", labelling=OnlyTheBest()) == 1
    assert one(qrels, run, "Recall@1", labelling=OnlyTheBest()) == 1
    two = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}
    lists = {"1": ["b", "a"], "2": ["a"]}
    scores = cf.evaluate(two, lists, ["NumRel", "DCG"], labelling=Swapped())
    assert scores.values[0].tolist() == [[2, 1 / math.log2(3)], [0, 0]]


def test_the_documents_come_in_order_of_rank_and_judged_ones_only() -> None:
    asked: list[tuple[str, list[tuple[str, float]]]] = []

    class Asking(cf.Labelling):
        def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
            asked.append((topic, list(ranked.items())))
            return ranked

    qrels = {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
    run = {"1": {"x": 3.0, "b": 2.0, "a": 1.0}, "3": {"c": 1.0}}
    values = cf.evaluate(qrels, run, "AP", labelling=Asking()).values
    assert asked == [("1", [("b", 0.0), ("a", 2.0)]), ("2", [])]
    assert values.tolist() == cf.evaluate(qrels, run, "AP").values.tolist()


def test_a_strategy_sees_the_list_down_to_the_depth() -> None:
    class OnlyTheLast(cf.Labelling):
        def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
            return dict(list(ranked.items())[-1:])

    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": ["a", "b", "c"]}
    assert one(qrels, run, "RR", labelling=OnlyTheLast()) == 1 / 3
    assert one(qrels, run, "RR", labelling=OnlyTheLast(), depth=2) == 1 / 2


@pytest.mark.parametrize("method", ["found", "ideal"])
@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"zzz": 1.0}, "labelling: found level 1.0 for document zzz of topic 1, expected numbers"),
        ({"a": math.nan}, "labelling: found level nan for document a of topic 1"),
        ({"a": math.inf}, "labelling: found level inf for document a of topic 1"),
        ({"a": "2"}, "labelling: found level '2' for document a of topic 1"),
        ({"a": None}, "labelling: found level None for document a of topic 1"),
        ({"a": True}, "labelling: found level True for document a of topic 1"),
    ],
)
def test_what_a_strategy_must_not_say(method: str, told: Any, said: str) -> None:
    strategy = type("Wrong", (cf.Labelling,), {method: lambda self, topic, docs: told})
    with pytest.raises(cf.CranfieldError, match=re.escape(said)):
        cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "AP", labelling=strategy())


# -- classes from everywhere ------------------------------------------------------------------

NAMES: Classes = {"1": {"a": "x", "b": "x", "c": "y"}, "2": {"a": "x"}}
ROWS = [(t, d, name) for t, docs in NAMES.items() for d, name in docs.items()]


def columns(**names: str) -> dict[str, list[str]]:
    wanted = {"topic": "topic", "doc": "doc", "class": "class"} | names
    return {
        wanted["topic"]: [row[0] for row in ROWS],
        wanted["doc"]: [row[1] for row in ROWS],
        wanted["class"]: [row[2] for row in ROWS],
    }


def _directories(path: Path) -> str:
    for topic, docs in NAMES.items():
        lines = "".join(f"{doc} L1 {name}\n" for doc, name in docs.items())
        written(path / "dirs" / topic / f"{topic}.erel", lines)
    return str(path / "dirs")


def _parquet(path: Path) -> str:
    pl.DataFrame(columns()).write_parquet(path)
    return str(path)


def _gzip(path: Path) -> str:
    path.write_bytes(gzip.compress("\n".join(map(" ".join, ROWS)).encode()))
    return str(path)


SOURCES: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: NAMES,
    "groups": lambda _: Groups(NAMES),
    "tuples": lambda _: ROWS,
    "lists": lambda _: iter([list(row) for row in ROWS]),
    "polars": lambda _: pl.DataFrame(columns()),
    "pandas": lambda _: pd.DataFrame(columns(topic="query_id", doc="docno")),
    "text": lambda p: written(p / "c", "# classes\n\n" + "\n".join(map(" ".join, ROWS)) + "\n"),
    "tabs": lambda p: written(p / "c", "\n".join(map("\t".join, ROWS))),
    "crlf": lambda p: written(p / "c", "\r\n".join(map(" ".join, ROWS)) + "\r\n"),
    "ntcir": lambda p: written(p / "c", "".join(f"{t} {d} L2 {c}\n" for t, d, c in ROWS)),
    "csv": lambda p: written(p / "c", "\n".join(map(",".join, [("qid", "docid", "ec"), *ROWS]))),
    "tsv": lambda p: written(
        p / "c", "\n".join(map("\t".join, [("topic", "doc", "group"), *ROWS]))
    ),
    "jsonl": lambda p: written(
        p / "c.jsonl",
        "".join(json.dumps({"topic": t, "doc": d, "class": c}) + "\n" for t, d, c in ROWS),
    ),
    "json": lambda p: written(p / "c.json", json.dumps(NAMES)),
    "path": lambda p: Path(written(p / "c", "\n".join(map(" ".join, ROWS)))),
    "directories": _directories,
    "parquet": lambda p: _parquet(p / "c.parquet"),
    "gzip": lambda p: _gzip(p / "c.gz"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_classes_from_every_source(source: str, tmp_path: Path) -> None:
    assert read_groups(SOURCES[source](tmp_path)).names == NAMES


def test_classes_given_twice_alike_are_one() -> None:
    assert read_groups([*ROWS, ROWS[0]]).names == NAMES


def test_classes_may_be_numbers_and_documents_strings_with_blanks(tmp_path: Path) -> None:
    assert read_groups({1: {2: 3}}).names == {"1": {"2": "3"}}
    assert read_groups(pl.DataFrame({"topic": [1], "doc": [2], "class": [3]})).names == {
        "1": {"2": "3"}
    }
    path = written(tmp_path / "c", "1|Paul McCartney|paul\n1|ポール マッカートニー| paul \n")
    names = {"Paul McCartney": "paul", "ポール マッカートニー": "paul"}
    assert read_groups(path, separator="|").names == {"1": names}


WRONG_CLASSES = {
    "two classes": ("1 a x\n1 b x\n1 a y\n", "c:3: found class y for document a of topic 1, exp"),
    "two fields": ("1 a x\n1 b\n", "c:2: found 2 fields ('1 b'), expected topic doc class"),
    "four fields": ("1 a x\n1 0 b x\n", "c:2: found 4 fields"),
    "nothing": ("\n# none\n", "c: found no classes, expected at least one"),
    "no class": ("1 a L1 x\n1 b L0\n", "c:2: found no class ('1 b L0'), expected topic doc L2 cl"),
    "judgments in two": ("1 a L1 x\n1 a L1 y\n", "c:2: found class y for document a of topic 1"),
    "csv without": ("topic,doc,level\n1,a,2\n", "c:1: found columns topic, doc, level, expected"),
    "csv in two": ("topic,doc,class\n1,a,x\n1,a,y\n", "c:3: found class y for document a of topi"),
    "csv short": ("topic,doc,class\n1,a\n", "c:2: found 2 fields ('1,a'), expected 3: topic doc"),
    "jsonl without": (
        '{"topic": "1", "doc": "a", "class": "x"}\n{"topic": "1", "doc": "b"}\n',
        "c:2: found columns topic, doc, expected the columns topic, doc, class",
    ),
    "not text": (b"1 a x\n1 \xff x\n", "c:2: found bytes that are not UTF-8"),
    "json of lists": (
        '{"1": ["a", "b"]}',
        "c: found list for topic '1', expected {topic: {doc: class}}",
    ),
}


@pytest.mark.parametrize("wrong", WRONG_CLASSES)
def test_what_is_wrong_with_classes(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content, said = WRONG_CLASSES[wrong]
    Path("c").write_bytes(content if isinstance(content, bytes) else str(content).encode())
    with pytest.raises(cf.CranfieldError) as told:
        read_groups("c")
    assert str(told.value).startswith(said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (3, "found 3, expected classes as a path, a mapping, a frame or tuples"),
        ({}, "classes: found no classes, expected at least one"),
        ({"1": "a"}, "classes: found str for topic '1', expected {topic: {doc: class}}"),
        ([("1", "a")], "classes: found 2 fields ('1 a'), expected topic doc class"),
        (
            pl.DataFrame({"topic": ["1"], "doc": ["a"]}),
            "classes: found columns topic, doc, expected the columns topic, doc, class",
        ),
        ([("1", "a", "x"), ("1", "a", "y")], "classes: found class y for document a of topic 1"),
    ],
)
def test_what_is_wrong_with_classes_in_memory(data: Any, said: str) -> None:
    with pytest.raises(cf.CranfieldError) as told:
        read_groups(data)
    assert str(told.value).startswith(said)


def test_an_unnamed_class_is_an_error_whatever_it_is_said_to_be() -> None:
    for nothing in (None, "", " "):
        with pytest.raises(cf.InputError, match="classes: found"):
            read_groups([("1", "a", nothing)])


def test_two_classes_in_a_topic_directory(tmp_path: Path) -> None:
    file = written(tmp_path / "1" / "1.rel", "a L1 x\na L1 y\n")
    with pytest.raises(cf.InputError, match=f"{re.escape(file)}:2: "):
        read_groups(tmp_path)


@pytest.mark.parametrize("kind", BOTH)
def test_a_class_without_a_level_is_an_error(kind: type, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "1 a x\n1 zz x\n")
    said = f"{path}: found class x of document zz of topic 1 without a level, expected a judgment"
    with pytest.raises(cf.InputError, match=re.escape(said)):
        cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "AP", labelling=kind(path))


@pytest.mark.parametrize("kind", BOTH)
def test_classes_of_other_topics_only_are_an_error_and_of_some_are_not(kind: type) -> None:
    qrels, run = {"1": {"a": 1, "b": 1}}, {"1": ["a", "b"]}
    with pytest.raises(cf.InputError, match="found classes of other topics, expected topics of"):
        cf.evaluate(qrels, run, "AP", labelling=kind({"2": {"a": "x"}}))
    names = {"1": {"a": "x", "b": "x"}, "2": {"zz": "x"}}
    assert one(qrels, run, "NumRel", labelling=kind(names)) == 1


def test_a_group_of_several_levels_is_an_error() -> None:
    qrels, run = {"1": {"a": 1, "b": 2, "c": 0}}, {"1": ["a", "b"]}
    for pair, said in (("ab", "levels 1 and 2 in group x"), ("ac", "levels 0 and 1 in group x")):
        groups = cf.Combinations({"1": dict.fromkeys(pair, "x")})
        with pytest.raises(cf.InputError, match=f"{said} of topic 1, expected one level for all"):
            cf.evaluate(qrels, run, "AP", labelling=groups)
        classes = cf.EquivalenceClasses({"1": dict.fromkeys(pair, "x")})  # which may
        assert one(qrels, run, "AP", labelling=classes) > 0


def test_a_group_of_items_of_no_use_is_of_no_use() -> None:
    qrels, run = {"1": {"a": 0, "b": 0, "c": 1}}, {"1": ["a", "b", "c"]}
    groups = cf.Combinations({"1": {"a": "x", "b": "x"}})
    assert one(qrels, run, "AP", labelling=groups) == 1 / 3
    assert one(qrels, run, "NumRel", labelling=groups) == 1


# -- NTCIR's judgments ------------------------------------------------------------------------

NTCIR_3 = "1 a L2\n1 b L0\n2 c L1\n"
NTCIR_4 = "1 a L2 x\n1 b L0 x\n2 c L1 y\n"
TREC = "1 0 a 2\n1 0 b 0\n2 0 c 1\n"
JUDGED = {"1": {"a": 2.0, "b": 0.0}, "2": {"c": 1.0}}
RUN = "1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n2 Q0 z 1 1 r\n"
ALIKE = {
    "three columns": NTCIR_3.encode(),
    "four columns": NTCIR_4.encode(),
    "three and four": b"1 a L2 x\n1 b L0\n2 c L1\n",
    "windows": NTCIR_3.replace("\n", "\r\n").encode(),
    "comments and blank lines": f"# qrels\n\n{NTCIR_3}\n  \n# end".encode(),
    "tabs": NTCIR_3.replace(" ", "\t").encode(),
    "gzip": gzip.compress(NTCIR_4.encode()),
    "byte order mark": b"\xef\xbb\xbf" + NTCIR_3.encode(),
    "no last newline": NTCIR_3.rstrip().encode(),
    "csv": b"topic,doc,level\n1,a,L2\n1,b,L0\n2,c,L1\n",
    "tsv": b"topic\tdoc\tlabel\n1\ta\tL2\n1\tb\tL0\n2\tc\tL1\n",
    "trec with labels": b"1 0 a L2\n1 0 b L0\n2 0 c L1\n",
    "trec with some": b"1 0 a L2\n1 0 b 0\n2 0 c 1\n",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("trec").write_text(TREC)
    Path("ntcir").write_text(NTCIR_4)
    Path("run").write_text(RUN)
    return tmp_path


@pytest.mark.parametrize("written_as", ALIKE)
def test_ntcir_judgments_are_recognised(written_as: str, here: Path) -> None:
    Path("q").write_bytes(ALIKE[written_as])
    assert cf.read_qrels("q").to_dict() == JUDGED
    ours = cf.evaluate("q", "run", ["AP", "nDCG@3"])
    assert ours.values.tolist() == cf.evaluate("trec", "run", ["AP", "nDCG@3"]).values.tolist()


Printed = Callable[[str], str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """What a command prints, which must succeed."""

    def call(command: str) -> str:
        assert main(command.split()) == 0
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize(
    "command",
    [
        "evaluate {} run -m AP -m nDCG@3 -f tsv -q",
        "explain nDCG@3 --on {} run --topic 1",
        "label {} run",
        "pool run --qrels {}",
    ],
)
def test_every_command_reads_ntcir_judgments(command: str, here: Path, printed: Printed) -> None:
    assert printed(command.format("ntcir")) == printed(command.format("trec"))


def test_validate_reads_ntcir_judgments(here: Path, printed: Printed) -> None:
    assert "ntcir: 3 judgments (ntcir), 2 topics: fine" in printed("validate ntcir run")


def test_classes_in_judgments_are_used_or_it_is_said(here: Path) -> None:
    scores = cf.evaluate("ntcir", "run", "AP")
    said = "ntcir: 3 judgments name a class, which is ignored; --classes counts each class once"
    assert said in [notice.text for notice in scores.notices]
    used = cf.evaluate("ntcir", "run", "AP", labelling=cf.EquivalenceClasses("ntcir"))
    assert "classes" not in {notice.kind for notice in used.notices}


@pytest.mark.parametrize("count", [1, 5])
def test_trec_judgments_of_documents_called_l1(count: int, tmp_path: Path) -> None:
    """What stands where NTCIR has documents is 0 on every line."""
    lines = "".join(f"1 0 L{n} {n}\n" for n in range(count))
    qrels = cf.read_qrels(written(tmp_path / "q", lines)).to_dict()
    assert qrels == {"1": {f"L{n}": n for n in range(count)}}


def test_a_run_is_not_taken_for_judgments_nor_judgments_for_a_run(here: Path) -> None:
    with pytest.raises(cf.InputError, match="ntcir: found NTCIR judgments, expected a run: topic"):
        cf.evaluate("trec", "ntcir", "AP")


WRONG_JUDGMENTS = {
    "1 a L2\n1 b L0\n1 c L-1\n": "q:3: found level 'L-1', expected L0, L1, L2, …",
    "1 a L2\n1 b L1\n1 a L1\n": "q:3: found level 1 for document a of topic 1, expected 2 as on l",
    "1 a L2 x\n1 b L2 x y\n": "q:2: found 5 fields ('1 b L2 x y'), expected 3: topic doc leve",
    "1 0 a L2\n1 0 b Lx\n": "q:2: found level 'Lx', expected a finite number",
    "1 0 a L2\n1 0 b S\n": "q:2: found level 'S', expected a finite number (--labels S=1,… says",
    "topic,doc,level\n1,a,L2\n1,b,l1\n": "q:3: found level 'l1', expected a finite number",
    "all a L2\n": "q:1: found a topic named 'all'",
}


@pytest.mark.parametrize("content", WRONG_JUDGMENTS)
def test_what_is_wrong_with_labels(content: str, here: Path) -> None:
    Path("q").write_text(content)
    with pytest.raises(cf.InputError) as told:
        cf.read_qrels("q")
    assert str(told.value).startswith(WRONG_JUDGMENTS[content])


def test_the_format_can_be_forced(here: Path) -> None:
    Path("q").write_text("1 0 L1 x\n1 0 L2 y\n")
    with pytest.raises(cf.InputError, match="found level 'x'"):
        cf.read_qrels("q")
    Path("q").write_text("1 0 L1 x\n")
    assert cf.read_qrels("q", "ntcir").to_dict() == {"1": {"0": 1.0}}
    Path("q").write_text("1 a L2\n1 b 0\n")  # a level by its number
    assert cf.read_qrels("q", "ntcir").to_dict() == {"1": {"a": 2.0, "b": 0.0}}


SABC: dict[str, float] = {"S": 3, "A": 2, "B": 1, "C": 0}


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("1 0 a S\n1 0 b C\n1 0 c B\n", None),
        ("topic,doc,level\n1,a,S\n1,b,C\n1,c,B\n", None),
        ("1 a S\n1 b C\n1 c B\n", "ntcir"),
        ("1 0 a S\n1 0 b 0\n1 0 c L1\n", None),  # levels may stand among letters
        ('{"1": {"a": "S", "b": "C", "c": 1}}', None),
        ('{"topic": 1, "doc": "a", "rel": "S"}\n{"topic": 1, "doc": "b", "rel": "C"}\n'
         '{"topic": 1, "doc": "c", "rel": "B"}\n', None),
    ],
)  # fmt: skip
def test_alphabets(content: str, format: str | None, here: Path) -> None:
    Path("q").write_text(content)
    qrels = cf.read_qrels("q", format, labels=SABC).to_dict()
    assert qrels == {"1": {"a": 3, "b": 0, "c": 1}}


def test_a_label_that_is_not_of_the_alphabet(here: Path) -> None:
    Path("q").write_text("1 0 a S\n1 0 b D\n")
    with pytest.raises(cf.InputError, match=r"^q:2: found level 'D', expected one of S, A, B, C$"):
        cf.evaluate("q", "run", "AP", labels=SABC)


def test_alphabets_on_the_command_line(here: Path, printed: Printed) -> None:
    Path("q").write_text("1 0 a S\n1 0 b C\n2 0 c B\n")
    rows = printed("evaluate q run --labels S=2,B=1,C=0 -m nDCG@3 -q -f tsv")
    assert rows == printed("evaluate trec run -m nDCG@3 -q -f tsv")


def test_an_alphabet_in_ntcir_judgments_is_no_silent_zero(here: Path) -> None:
    """`topic doc S class` with labels= that know S is not `topic iteration doc level`."""
    Path("q").write_text("1 a S 1\n1 b C 2\n")
    assert cf.read_qrels("q", labels=SABC).to_dict() == {"1": {"a": 3, "b": 0}}


ANSWERS = "q1|Paul McCartney|L2|1\nq1|ポール・マッカートニー|L1|1\nq1|John  Lennon|L0|2\n"
ANSWERED = "q1|Q0|ポール・マッカートニー|1|2.0|me\nq1|Q0|Paul McCartney|2|1.0|me\n"


def test_answer_strings_with_blanks(here: Path, printed: Printed) -> None:
    Path("q").write_text(ANSWERS)
    Path("r").write_text(ANSWERED)
    judged = cf.read_qrels("q", separator="|").to_dict()["q1"]
    assert judged == {"Paul McCartney": 2, "ポール・マッカートニー": 1, "John  Lennon": 0}
    rows = printed("evaluate q r --sep | --classes q -m NumRel -m P@2 -f tsv").splitlines()
    assert rows[1:] == ["me\tall\tNumRel\t1", "me\tall\tP@2\t0.5"]
    shown = printed("label q r --sep | --classes q").splitlines()
    # A character of Japanese takes two cells of a terminal: the column is 22 cells wide.
    assert shown[2:] == [
        "rank  document                level",
        "   1  ポール・マッカートニー      1  relevant                     [1]",
        "   2  Paul McCartney              2  redundant: counts at rank 1  [1]",
    ]
    assert "Paul McCartney" in printed("explain AP --on q r --sep | --classes q")


def test_a_separator_in_an_answer_is_an_error(here: Path) -> None:
    Path("q").write_text("q1|AC|DC|L2\n")
    with pytest.raises(cf.InputError, match="q:1: found level 'DC'"):
        cf.read_qrels("q", "ntcir", separator="|")
    Path("r").write_text("q1|Q0|AC|DC|1|2.0|me\n")
    with pytest.raises(cf.InputError, match="r:1: found 7 fields"):
        cf.read_run("r", separator="|")


def test_explain_takes_a_separator(here: Path) -> None:
    Path("q").write_text(ANSWERS)
    Path("r").write_text(ANSWERED)
    # The first relevant item is at rank 1.
    assert cf.explain("RR", "q", "r", separator="|").values == {"RR": 1.0}


def test_pool_takes_a_separator(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q").write_text(ANSWERS)
    Path("r").write_text(ANSWERED)
    assert main(["pool", "r", "--qrels", "q", "--sep", "|"]) == 0
    assert "2 of them judged" in capsys.readouterr().out


# -- topic directories ------------------------------------------------------------------------

DIRECTORY = {
    "0001/0001.rel": "a L2\nb L0\nc L1\n",
    "0001/0001.bm25.res": "b\na\nx\n",
    "0001/0001.dense.v2.res": "c\na\n",
    "0001/0001.bm25.lab": "b L0\na L2\nx\n",  # made by scripts, not read
    "0002/0002.rel": "d L1\n",
    "0002/0002.bm25.res": "",
    "0002/README": "not ours",
    ".git/config": "",
    "all.tid": "0001\n0002\n",
}


@pytest.fixture
def directory(here: Path) -> Path:
    for name, content in DIRECTORY.items():
        written(here / "dir" / name, content)
    return here / "dir"


def test_a_directory_holds_judgments_and_runs(directory: Path) -> None:
    assert cf.read_qrels(directory).to_dict() == {
        "0001": {"a": 2, "b": 0, "c": 1},
        "0002": {"d": 1},
    }
    run = cf.read_run(directory / "bm25")
    assert run.name == "bm25"
    assert run.rankings() == {"0001": ["b", "a", "x"], "0002": []}
    assert cf.read_run("dir/dense.v2").rankings() == {"0001": ["c", "a"]}
    scores = cf.evaluate("dir", "dir", ["AP", "NumRet"])
    assert scores.runs == ("bm25", "dense.v2")
    assert scores["bm25", "0001", "AP"] == (1 / 2) / 2
    assert scores["dense.v2", "0001", "AP"] == 1


def test_an_empty_list_is_an_answer_and_no_list_is_none(directory: Path) -> None:
    both = cf.evaluate("dir", ["dir/bm25", "dir/dense.v2"], "AP", topics="common")
    assert both.topics == ("0001",)
    assert cf.evaluate("dir", "dir/bm25", "AP", topics="common").topics == ("0001", "0002")
    said = [n.text for n in cf.evaluate("dir", "dir", "AP").notices if n.kind == "missing-topics"]
    assert said == ["dense.v2: 1 topic (0002) not answered, counted as empty lists"]


def test_a_directory_on_the_command_line(directory: Path, printed: Printed) -> None:
    every = printed("evaluate dir -m AP -q -f tsv")
    assert every == printed("evaluate dir/ dir/bm25 dir/dense.v2 -m AP -q -f tsv")
    assert "dense.v2\t0001\tAP\t1.0\n" in every
    assert printed("label dir dir/bm25 --topic 0002").startswith(
        "bm25, topic 0002: 0 of 1 relevant document found in 0 documents\n"
    )
    assert "R = 2, N = 1, n = 3" in printed("explain AP --on dir dir/bm25")


def test_a_directory_equals_the_same_in_one_file(directory: Path) -> None:
    """Lists are not ranked anew: TREC files say so with ties=given, whatever the scores."""
    Path("q").write_text("0001 0 a 2\n0001 0 b 0\n0001 0 c 1\n0002 0 d 1\n")
    Path("r").write_text("0001 Q0 b 1 0 r\n0001 Q0 a 2 5 r\n0001 Q0 x 3 5 r\n")
    measures = ["AP", "nDCG@2", "Q", "ERR", "bpref", "NumRet"]
    ours = cf.evaluate("dir", "dir/bm25", measures)
    theirs = cf.evaluate("q", "r", measures, ties="given")
    assert ours.values.tobytes() == theirs.values.tobytes()


def test_suffixes(directory: Path) -> None:
    """rel if there is one; another is asked for by name; the only one needs no name."""
    written(directory / "0001/0001.erel", "a L1 1\nb L1 1\n")
    assert cf.read_qrels("dir").to_dict()["0001"] == {"a": 2, "b": 0, "c": 1}
    assert cf.read_qrels("dir/*.erel").to_dict() == {"0001": {"a": 1, "b": 1}}
    classes = cf.EquivalenceClasses("dir/*.erel")
    assert one("dir/*.erel", "dir/bm25", "NumRel", labelling=classes) == 1
    for topic in ("0001", "0002"):
        (directory / topic / f"{topic}.rel").unlink()
    assert cf.read_qrels("dir").to_dict() == {"0001": {"a": 1, "b": 1}}
    written(directory / "0001/0001.jrel", "a L2\n")
    with pytest.raises(cf.InputError) as told:
        cf.read_qrels("dir")
    assert str(told.value) == "dir: found judgments erel, jrel, expected one of them: dir/*.erel"


WRONG_FILES = {
    ("0001/0001.bm25.res", "b\na\nb\n"): "dir/0001/0001.bm25.res:3: found document b again (first",
    ("0001/0001.bm25.res", "b\na c\n"): "dir/0001/0001.bm25.res:2: found blanks in 'a c', expecte",
    ("0001/0001.rel", "a L2\n\nb X\n"): "dir/0001/0001.rel:3: found label 'X', expected L0, L1, ",
    ("0001/0001.rel", "a 2\n"): "dir/0001/0001.rel:1: found label '2', expected L0, L1, L2",
    ("0001/0001.rel", "a\n"): "dir/0001/0001.rel:1: found 1 field ('a'), expected doc L2 or doc L",
    ("0001/0001.rel", "a L2 x y\n"): "dir/0001/0001.rel:1: found 4 fields ('a L2 x y'), expected",
    ("0001/0001.rel", "a L2\na L1\n"): "dir/0001/0001.rel:2: found level 1 for document a, expect",
}


@pytest.mark.parametrize(("file", "content"), WRONG_FILES)
def test_what_is_wrong_in_a_directory(file: str, content: str, directory: Path) -> None:
    written(directory / file, content)
    with pytest.raises(cf.InputError) as told:
        cf.evaluate("dir", "dir/bm25", "AP")
    assert str(told.value).startswith(WRONG_FILES[file, content])


def test_what_a_directory_does_not_have(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in (
        ("dir/*.zrel dir/bm25", "dir/*.zrel: found no file such as 0001/0001.zrel, expected judg"),
        ("dir dir/nope", "cannot read dir/nope"),
        ("dir/0001 run", "dir/0001 is a directory, expected a file"),
        ("trec", "found no run, expected RUN (or QRELS a directory with runs)"),
        (
            "dir dir/bm25 --classes dir",
            "dir/0001/0001.rel:1: found no class for a, expected doc L2",
        ),
    ):
        assert main(["evaluate", *arguments.split(), "-m", "AP"]) == 2
        assert capsys.readouterr().err.startswith(said)
    said = r"dir: found 2 runs \(bm25, dense.v2\), expected one of them, such as dir/\*.bm25.res"
    with pytest.raises(cf.CranfieldError, match=said):
        cf.read_run("dir")


def test_a_directory_stands_for_all_its_runs(directory: Path) -> None:
    Path("other.run").write_text("0001 Q0 a 1 1 other\n")
    names = cf.evaluate("dir", ["dir", "other.run"], "AP").runs
    assert names == ("bm25", "dense.v2", "other")


def test_label_shows_all_runs_of_a_topic(directory: Path) -> None:
    shown = cf.label("dir", ["dir"])
    assert [(one.topic, one.run) for one in shown] == [
        (topic, run) for topic in cf.read_qrels("dir").topics for run in ("bm25", "dense.v2")
    ]


def test_a_file_beside_the_topics_is_not_their_run(directory: Path) -> None:
    """DIR/bm25 is the directory's run if DIR has the judgments, and the file if not."""
    (directory / "bm25").write_text("0001 Q0 zzz 1 1 bm25\n0002 Q0 zzz 1 1 bm25\n")
    assert cf.evaluate("dir", "dir/bm25", "NumRelRet").values.sum() > 0
    qrels = cf.read_qrels("dir").to_dict()
    assert cf.evaluate(qrels, "dir/bm25", "NumRelRet").values.sum() == 0


def test_letters_and_separators_in_a_directory(directory: Path) -> None:
    written(directory / "0001/0001.rel", "a;S;1\nJohn Lennon;B;1\nb;C;2\n")
    written(directory / "0002/0002.rel", "d;A;1\n")
    written(directory / "0001/0001.bm25.res", "John Lennon\na\n")
    options: dict[str, Any] = {"separator": ";", "labels": SABC}
    with pytest.raises(cf.InputError, match=r"0001\.rel:1: found label 'S'"):
        cf.evaluate("dir", "dir/bm25", "AP", separator=";")
    scores = cf.evaluate("dir", "dir/bm25", ["NumRel", "AP"], **options)
    assert scores.values[0].tolist() == [[2, 1], [1, 0]]


def test_classes_and_letters_in_a_directory(directory: Path) -> None:
    written(directory / "0001/0001.rel", "a S 1\nb B 1\nc C 2\n")
    written(directory / "0002/0002.rel", "d A 1\n")
    classes = cf.EquivalenceClasses("dir")
    scores = cf.evaluate("dir", "dir/bm25", "NumRel", labels=SABC, labelling=classes)
    assert scores.values[0].tolist() == [[1], [1]]


def test_a_list_without_a_name_is_no_run_named_res(directory: Path) -> None:
    written(directory / "0001/0001.res", "a\n")
    assert cf.evaluate("dir", "dir", "AP").runs == ("bm25", "dense.v2")


# -- gains by topic ---------------------------------------------------------------------------

TOPICS: Qrels = {
    "1": {"a": 1, "b": 0, "c": 1},
    "2": {"a": 3, "b": 1, "c": 2},
    "3": {"a": 0, "b": 0},
    "4": {"a": 2, "c": 2, "d": 1},
}
LISTS: dict[str, list[str]] = {
    "1": ["b", "a", "x", "c"],
    "2": ["c", "x", "a"],
    "3": ["a"],
    "4": ["d", "a", "b"],
}
GAINS = {"1": "1", "2": "1:2:4", "3": "1", "4": "1:3"}
GRADED = ["nDCG@3", "Q", "ERR", "RBP", "nERR", "Pplus", "gAP", "DCG", "AP", "ntcir:ERR"]


@pytest.mark.parametrize("order", ["1234", "4321", "3142"])
@pytest.mark.parametrize("block_cells", [1, 7, 1000])
def test_gains_by_topic_are_those_of_each_topic_alone(order: str, block_cells: int) -> None:
    qrels = {topic: TOPICS[topic] for topic in order}
    together = cf.evaluate(qrels, LISTS, GRADED, gains=GAINS, block_cells=block_cells)
    for t, topic in enumerate(order):
        alone = cf.evaluate(
            {topic: TOPICS[topic]}, {topic: LISTS[topic]}, GRADED, gains=GAINS[topic]
        )
        assert together.values[0, t].tolist() == alone.values[0, 0].tolist(), topic


def test_gains_up_to_the_highest_level_of_each_topic() -> None:
    """Seed 000, section 2.2: -g 1 for some topics and -g 1:2 for other topics."""
    own = {"1": "1", "2": "1:2:3", "3": "1", "4": "1:2"}
    ours = cf.evaluate(TOPICS, LISTS, GRADED, gains="topic")
    assert ours.values.tolist() == cf.evaluate(TOPICS, LISTS, GRADED, gains=own).values.tolist()
    said = "gains by topic: 1 in 2 topics, 1:2:3 in 1 topic, 1:2 in 1 topic"
    assert said in [notice.text for notice in ours.notices]


def test_the_highest_level_really_changes_by_topic() -> None:
    """One relevant item of level 1 on top, with h = 1 and with h = 2 (levels of Figure 1)."""
    qrels: Qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 2}}
    run = {"1": ["a"], "2": ["a"]}
    scores = cf.evaluate(qrels, run, ["ntcir:ERR", "ntcir:RBP"], gains="topic")
    # ERR: g/(g_h + 1) is 1/2 and 1/3. RBP: (1 − p)·g/g_h with p = 0.95.
    expected = [[1 / 2, 0.05], [1 / 3, 0.025]]
    np.testing.assert_allclose(scores.values[0], expected, rtol=1e-12)


def test_gains_by_topic_meet_classes() -> None:
    """Classes leave the levels of a topic as they are, and so its gains."""
    qrels: Qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 1}}
    classes = cf.EquivalenceClasses({"1": {"a": "x", "b": "x"}})
    scores = cf.evaluate(qrels, {"1": ["a"], "2": ["a"]}, "nDCG", gains="topic", labelling=classes)
    assert scores.values[0, :, 0].tolist() == [1 / 2, 1]


@pytest.mark.parametrize(
    ("gains", "said"),
    [
        ({"1": "1"}, "found no gains for topic 2, expected them for all"),
        (GAINS | {"2": "1:2"}, "found level 3 in the judgments, expected levels up to 2"),
        (GAINS | {"4": "x"}, "found gain 'x', expected linear, exp, binary, "),
        ({}, "found gain {}, expected linear"),
    ],
)
def test_what_is_wrong_with_gains_by_topic(gains: Any, said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=re.escape(said)):
        cf.evaluate(TOPICS, LISTS, "nDCG", gains=gains)


def test_gains_by_level_are_still_gains_by_level() -> None:
    one_table = cf.evaluate(TOPICS, LISTS, "nDCG", gains={1: 1, 2: 2, 3: 4})
    assert one_table.measures == ("nDCG(gain=1:2:4)",)
    by_topic = cf.evaluate(TOPICS, LISTS, "nDCG", gains={1: "1", 2: "1:2:4", 3: "1", 4: "1:3"})
    assert (
        by_topic.values.tolist() == cf.evaluate(TOPICS, LISTS, "nDCG", gains=GAINS).values.tolist()
    )


def test_gains_from_a_file(here: Path, printed: Printed, capsys: Any) -> None:
    Path("gains").write_text("# topic gains\n1 1:3\n\n2 1\n")
    rows = printed("evaluate trec run -m ntcir:ERR -q -f tsv --gains @gains").splitlines()
    # a of topic 1 is at rank 2, its gain is 3: 3/4/2. c of topic 2 is not found.
    assert [row.split("\t")[3] for row in rows[1:3]] == ["0.375", "0.0"]
    for content, said in (
        ("1 1:3\n1 1:2\n", "gains:2: found '1 1:2', expected a topic and its gains, each topic"),
        ("1 1 2\n", "gains:1: found '1 1 2', expected a topic and its gains"),
        ("1 1:3\n", "found no gains for topic 2"),
    ):
        Path("gains").write_text(content)
        assert main(["evaluate", "trec", "run", "-m", "AP", "--gains", "@gains"]) == 2
        assert said in capsys.readouterr().err


def test_topic_gains_on_the_command_line(here: Path, printed: Printed) -> None:
    rows = printed("evaluate trec run -m ntcir:ERR -q -f tsv --gains topic").splitlines()
    # Topic 1 has h = 2: 2/3/2.
    assert float(rows[1].split("\t")[3]) == pytest.approx(1 / 3)


# -- presets ----------------------------------------------------------------------------------


def test_a_preset_brings_its_measures_and_more_can_be_added() -> None:
    names = cf.preset("ntcir13-www-english").measures_at()
    scores = cf.evaluate(JUDGED, {"1": ["a"]}, preset="ntcir13-www-english")
    assert list(scores.measures) == names
    more = cf.evaluate(JUDGED, {"1": ["a"]}, ["RR", "nDCG@10"], preset="ntcir13-www-english")
    assert list(more.measures) == [*names, "RR"]  # nDCG@10 is there already
    assert more.values[:, :, :3].tolist() == scores.values.tolist()


def test_a_preset_brings_its_labels_and_its_settings_are_told(here: Path) -> None:
    Path("q").write_text("1 0 a S\n1 0 b B\n2 0 c C\n")
    scores = cf.evaluate("q", "run", preset="ntcir2-jeir")
    assert scores["r", "1", "AP(rel=2)"] == 1 / 2  # a (S) at rank 2
    assert scores["r", "1", "AP(rel=1)"] == 1
    said = [notice.text for notice in scores.notices if notice.kind == "preset"]
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


def test_a_preset_of_one_s_own(here: Path, printed: Printed) -> None:
    Path("mine.toml").write_text(MINE)
    Path("q").write_text("1 0 a X\n1 0 b 0\n2 0 z X\n")
    command = "evaluate q run --preset mine --presets mine.toml -f tsv"
    # Depth 1: topic 1 has b only, topic 2 has z.
    assert printed(command).splitlines()[1:] == ["r\tall\tP@2\t0.25", "r\tall\tRR\t0.5"]
    assert printed(f"{command} --depth 2").splitlines()[1:] == [
        "r\tall\tP@2\t0.5",
        "r\tall\tRR\t0.75",
    ]
    assert printed(f"{command} --cutoff 1").splitlines()[1] == "r\tall\tP@1\t0.5"
    assert printed(f"{command} -m AP").splitlines()[3] == "r\tall\tAP\t0.5"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--preset ntcir13-www", "no preset named 'ntcir13-www'; did you mean"),
        ("--preset mine", "no preset named 'mine'"),
        ("--cutoff 5", "found --cutoff, expected --preset NAME with it"),
        ("--presets mine.toml", "found --presets, expected --preset NAME with it"),
        ("--preset ntcir3-5-clir --cutoff 5", "ntcir3-5-clir: found cutoff 5, expected none"),
        ("--preset mine --presets nowhere.toml", "cannot read nowhere.toml"),
    ],
)
def test_what_is_wrong_with_a_preset(
    options: str, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.toml").write_text(MINE)
    assert main(["evaluate", "trec", "run", *options.split()]) == 2
    assert said in capsys.readouterr().err


def test_a_depth_of_nothing_is_an_error() -> None:
    with pytest.raises(cf.CranfieldError, match="found depth 0, expected a whole number from 1"):
        cf.evaluate(JUDGED, {"1": ["a"]}, "AP", depth=0)


def test_a_preset_does_not_hide_a_depth_of_nothing() -> None:
    with pytest.raises(cf.CranfieldError, match="found depth 0, expected a whole number from 1"):
        cf.evaluate(JUDGED, {"1": ["a"]}, preset="ntcir7-8-ir4qa", depth=0)


# -- cranfield label --------------------------------------------------------------------------

LIST_Q = "t d L0\nt a L2 1\nt b L1 1\nt c L1 2\nt e L2\nu f L1\n"
LIST_C = "t a 1\nt b 1\nt c 2\n"
LIST_R = "".join(f"t Q0 {doc} {rank} {9 - rank} mine\n" for rank, doc in enumerate("dxbaye", 1))

SIDE_BY_SIDE = """\
mine, topic t: 1 of 3 relevant classes found in 5 documents, 2 unjudged

rank  document  level                                      missed  level
   1  d             0  nonrelevant                         e           2  at rank 6
   2  x             –  unjudged                            c           1  [2] not returned
   3  b             1  relevant                     [1]
   4  a             2  redundant: counts at rank 3  [1]
   5  y             –  unjudged

mine, topic u: 0 of 1 relevant class found in 0 documents

rank  document  level    missed  level
                         f           1  not returned
"""

TOGETHER = """\
run, topic t: 1 of 3 relevant groups found in 3 documents

rank  document  level                                     missed  level
   1  a             1  waiting: counts at rank 3  [g1]    d           1  [g2] not returned
   2  c             1  incomplete                 [g2]    e           1  [g3] e at rank 4, f not returned
   3  b             1  relevant                   [g1]"""  # noqa: E501

BELOW = """\
mine, topic t: 1 of 3 relevant classes found in 5 documents, 2 unjudged

rank  document  level
   1  d             0  nonrelevant
   2  x             –  unjudged
   3  b             1  relevant                     [1]
   4  a             2  redundant: counts at rank 3  [1]
   5  y             –  unjudged

missed  level
e           2  at rank 6
c           1  [2] not returned"""

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def lists(here: Path) -> list[Any]:
    Path("q").write_text(LIST_Q)
    Path("c").write_text(LIST_C)
    Path("r").write_text(LIST_R)
    return cf.label("q", "r", labelling=cf.EquivalenceClasses("c"), depth=5)


def test_label_shows_the_list_next_to_what_was_missed(lists: Any, printed: Printed) -> None:
    assert printed("label q r --classes c --depth 5") == SIDE_BY_SIDE
    assert "\n\n".join(map(str, lists)) + "\n" == SIDE_BY_SIDE


def test_label_shows_groups_that_wait_or_lack_something() -> None:
    groups = {"t": dict(zip("abcdef", ["g1", "g1", "g2", "g2", "g3", "g3"], strict=True))}
    qrels, run = {"t": dict.fromkeys("abcdef", 1)}, {"t": ["a", "c", "b", "e"]}
    [shown] = cf.label(qrels, run, labelling=cf.Combinations(groups), depth=3)
    assert str(shown) == TOGETHER


def test_a_narrow_terminal_has_what_was_missed_below(lists: Any) -> None:
    # Side by side the widest line has 55 + 4 + 31 cells.
    assert text(lists[0], width=90) == text(lists[0])
    assert text(lists[0], width=89) == BELOW


def test_colours_do_not_move_anything(lists: Any) -> None:
    for width in (None, 40):
        coloured = text(lists[0], width, colour=True)
        assert ANSI.sub("", coloured) == text(lists[0], width)
        for line, code in (("3  b ", "32"), ("4  a ", "35"), ("2  x ", "33"), ("1  d ", "31")):
            assert re.search(rf"\x1b\[{code}m +{line}", coloured)


def test_colours_only_on_a_terminal(
    lists: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((60, 24)))
    command = "label q r --classes c --depth 5 --topic t"
    assert main(command.split()) == 0
    shown = capsys.readouterr().out
    assert ANSI.search(shown)
    assert ANSI.sub("", shown) == BELOW + "\n"
    assert main([*command.split(), "-o", "out"]) == 0
    assert Path("out").read_text() == SIDE_BY_SIDE.partition("\n\nmine, topic u")[0] + "\n"


TSV = """\
run|topic|rank|doc|level|counts|status|group|note
mine|t|1|d|0|0|nonrelevant||
mine|t|2|x||0|unjudged||
mine|t|3|b|1|1|relevant|1|
mine|t|4|a|2|0|redundant|1|counts at rank 3
mine|t|5|y||0|unjudged||
mine|t||e|2|2|missed||at rank 6
mine|t||c|1|1|missed|2|not returned
""".replace("|", "\t")


def test_label_for_programs(lists: Any, printed: Printed) -> None:
    command = "label q r --classes c --depth 5 --topic t"
    assert printed(f"{command} -f tsv") == TSV
    rows = json.loads(printed(f"{command} -f json"))
    assert rows == lists[0].to_dict()
    names, *lines = (line.split("\t") for line in TSV.splitlines())
    for row, line in zip(rows, lines, strict=True):
        assert list(row) == names
        assert ["" if x is None else f"{x:g}" if isinstance(x, float) else str(x)
                for x in row.values()] == line  # fmt: skip
    assert rows[1]["level"] is None
    assert rows[3] == {
        "run": "mine", "topic": "t", "rank": 4, "doc": "a", "level": 2.0, "counts": 0.0,
        "status": "redundant", "group": "1", "note": "counts at rank 3",
    }  # fmt: skip


def statuses(labelled: Any) -> dict[str, str]:
    return {item.doc: item.status for item in (*labelled.items, *labelled.missed)}


def test_rel_decides_what_is_relevant(lists: Any, printed: Printed) -> None:
    plain = cf.label("q", "r", ["t"], rel=2)[0]
    assert statuses(plain) == {
        "d": "nonrelevant", "x": "unjudged", "b": "nonrelevant", "a": "relevant", "y": "unjudged",
        "e": "relevant",
    }  # fmt: skip
    assert (plain.found, plain.relevant) == (2, 2)
    assert ": 2 of 2 relevant documents found in 6" in printed("label q r --topic t --rel 2")


def test_condensed_lists_leave_out_what_nobody_judged(lists: Any, printed: Printed) -> None:
    [shown] = cf.label("q", "r", ["t"], condensed=True, depth=5)
    assert [(item.rank, item.doc) for item in shown.items] == [(1, "d"), (2, "b"), (3, "a")]
    rows = printed("label q r --topic t --condensed --depth 5 -f tsv").splitlines()
    assert [row.split("\t")[2:4] for row in rows[1:]] == [
        ["1", "d"], ["2", "b"], ["3", "a"], ["", "e"], ["", "c"],
    ]  # fmt: skip


def test_several_topics_in_the_order_asked_for(lists: Any, printed: Printed) -> None:
    shown = printed("label q r --topic u --topic t -f tsv").splitlines()
    assert [line.split("\t")[1] for line in shown[1:]] == ["u", *["t"] * 7]
    assert [one.topic for one in cf.label("q", "r")] == ["t", "u"]


def test_label_refuses_what_it_does_not_know(
    lists: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in (
        ("label q r --topic zz", "found topic 'zz', expected one of the judgments' 2"),
        ("label - -", "found - twice, expected standard input once"),
        ("label q nowhere", "cannot read nowhere"),
        (
            "label q r --classes c --groups c",
            "found --classes and --groups, expected one of them\n",
        ),
    ):
        assert main(arguments.split()) == 2
        assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["label", "q", "r", "--ties", "expected"])


def test_long_lists_are_shortened_where_nothing_is_found() -> None:
    docs = [f"d{n}" for n in range(1, 31)]
    [shown] = cf.label({"t": {"d1": 1, "d29": 1, "d20": 0}}, {"t": docs})
    lines = str(shown).splitlines()
    assert lines[3 + 10] == "11–28  (1 nonrelevant, 17 unjudged)"
    assert len(shown.items) == 30
    assert "d29" in lines[14]


def test_what_a_strategy_of_one_s_own_leaves_out_does_not_count() -> None:
    class NotA(cf.Labelling):
        def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
            return {doc: level for doc, level in ranked.items() if doc != "a"}

    [shown] = cf.label({"t": {"a": 1, "b": 1}}, {"t": ["a", "b"]}, labelling=NotA())
    assert statuses(shown)["b"] == "relevant"
    assert shown.items[0].status == "does not count"
    assert shown.items[0].counts == 0


@given(collections())
@settings(max_examples=60, deadline=None)
def test_label_agrees_with_the_counts(collection: Collection) -> None:
    kind, qrels, classes, run = collection
    labelling = kind(classes)
    scores = cf.evaluate(qrels, run, ["NumRel", "NumRelRet", "NumRet"], labelling=labelling)
    for shown in cf.label(qrels, run, labelling=labelling):
        found = [scores["run", shown.topic, m] for m in ("NumRel", "NumRelRet", "NumRet")]
        assert [shown.relevant, shown.found, len(shown.items)] == found
        assert len(shown.missed) == shown.relevant - shown.found
        ranked = in_trec_order(run[shown.topic])
        assert [item.doc for item in shown.items] == ranked
        counts, _ = BY_HAND[kind](qrels[shown.topic], classes.get(shown.topic, {}), ranked)
        assert [item.counts for item in shown.items] == [count or 0.0 for count in counts]


def test_a_class_that_counts_below_rel_is_not_incomplete() -> None:
    """a (L1) came first and counts, so b (L2) is redundant; only groups can be incomplete."""
    classes = cf.EquivalenceClasses({"t": {"a": "1", "b": "1"}})
    [shown] = cf.label({"t": {"a": 1, "b": 2}}, {"t": ["a", "b"]}, rel=2, labelling=classes)
    assert [item.status for item in shown.items] == ["nonrelevant", "redundant"]
    assert shown.items[1].note == "counts at rank 1"
    assert (shown.found, shown.relevant) == (0, 1)
    assert [(item.doc, item.note) for item in shown.missed] == [("b", "counts as 1 at rank 1")]


def test_items_of_no_use_are_not_missed() -> None:
    classes = cf.EquivalenceClasses({"t": {"a": "1", "z": "1"}})
    [shown] = cf.label({"t": {"a": 1, "z": 0}}, {"t": ["x"]}, labelling=classes)
    assert [item.note for item in shown.missed] == ["not returned"]


@pytest.mark.parametrize(
    ("run", "options"),
    [
        # b and a are relevant and tied with x and y: by level they stand first.
        ({"t": {"a": 1.0, "x": 1.0, "b": 1.0, "y": 1.0}}, {"ties": "best", "depth": 1}),
        # Without the document t itself the list is b, a, x.
        ({"t": ["t", "b", "a", "x"]}, {"exclude_self": True, "depth": 1}),
    ],
)
def test_what_was_missed_stands_where_the_list_has_it(run: Any, options: dict[str, Any]) -> None:
    [shown] = cf.label({"t": {"a": 1, "b": 1}}, run, **options)
    assert [(item.doc, item.note) for item in shown.missed] == [("a", "at rank 2")]


# -- what an organiser stumbled over ----------------------------------------------------------


EARLY = "1 S a 1\n1 B b 0\n1 C c 0\n2 A d 1\n"


def test_judgments_of_the_first_rounds_are_recognised(tmp_path: Path) -> None:
    """The grade stands in TREC's second column, and the last is no level."""
    path = written(tmp_path / "q", EARLY)
    expected = {"1": {"a": 3.0, "b": 1.0, "c": 0.0}, "2": {"d": 2.0}}
    assert cf.read_qrels(path).to_dict() == expected
    assert cf.read_qrels(path, labels={"S": 7, "A": 5, "B": 1, "C": 0}).to_dict()["1"]["a"] == 7
    with pytest.raises(cf.InputError, match="NTCIR judgments, expected a run"):
        cf.evaluate(path, path, "AP")


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("1 S a 1\n1 D b 0\n1 C c 0\n", None, "q:2: found level 'D', expected one of S, A, B, C"),
        (EARLY, {"S": 3, "A": 2, "B": 1}, "q:3: found level 'C', expected one of S, A, B"),
    ],
)
def test_a_grade_nobody_knows(
    text: str, labels: Any, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most lines tell the format; the one with a mistake is the mistake."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text(text)
    with pytest.raises(cf.InputError, match=re.escape(expected)):
        cf.read_qrels("q", labels=labels)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # An iteration may be relevant and not, a grade cannot.
        ("1 A a 0\n1 A b 1\n", {"1": {"a": 0, "b": 1}}),
        # Iterations come again and again, documents do not.
        ("1 0 L12 1\n1 1 L13 0\n", {"1": {"L12": 1, "L13": 0}}),
        ("1 1 L1 1\n1 1 L2 0\n1 2 L3 1\n1 2 L4 0\n", {"1": {"L1": 1, "L2": 0, "L3": 1, "L4": 0}}),
    ],
)
def test_what_is_trec_after_all(text: str, expected: Any, tmp_path: Path) -> None:
    assert cf.read_qrels(written(tmp_path / "q", text)).to_dict() == expected


def test_numbers_in_the_second_column_are_iterations(tmp_path: Path) -> None:
    path = written(tmp_path / "q", "1 0 a 1\n1 1 b 0\n")
    labels = {"0": 0, "1": 1, "A": 2}
    assert cf.read_qrels(path, labels=labels).to_dict() == {"1": {"a": 1.0, "b": 0.0}}


IR4QA = """<?xml version="1.0" encoding="UTF-8"?>
<TOPIC_SET>
<TOPIC ID="1"><IR4QA_RESULT>
<DOCUMENT RANK="1" DOCID="b" SCORE="0.1" />
<DOCUMENT RANK="2" DOCID="a" SCORE="0.9" />
</IR4QA_RESULT></TOPIC>
</TOPIC_SET>
"""


def test_xml_runs_are_runs(tmp_path: Path) -> None:
    """In the order of the file: a is second whatever the scores say."""
    path = written(tmp_path / "MSRA-01.xml", IR4QA)
    scores = cf.evaluate({"1": {"a": 1}}, path, "RR")
    assert scores.summary() == {"MSRA-01": {"RR": 0.5}}
    empty = written(tmp_path / "low.xml", IR4QA.replace("DOCID", "docid"))
    with pytest.raises(cf.InputError, match="found no document, expected <TOPIC"):
        cf.evaluate({"1": {"a": 1}}, empty, "RR")


def test_ranks_contradict_scores_whatever_the_separator(tmp_path: Path) -> None:
    lines = "1;0;a b;2;9;r\n1;0;c;1;8;r\n"
    path = written(tmp_path / "r", lines)
    scores = cf.evaluate({"1": {"a b": 1}}, path, "RR", separator=";")
    assert scores.summary()["r"]["RR"] == 1.0
    assert [n.kind for n in scores.notices] == ["rank-order"]
    assert cf.evaluate({"1": {"a b": 1}}, path, "RR", separator=";", ties="rank").summary() == {
        "r": {"RR": 0.5}
    }


@pytest.mark.parametrize(
    ("measures", "options", "useless"),
    [
        ("nDCG(gain=exp)@10 AP", {"gains": "1:2"}, ["gains"]),
        ("AP", {"gains": "topic"}, ["gains"]),
        ("nDCG@10", {"gains": "1:2"}, []),
        ("nDCG@10", {"gains": "linear"}, []),
        ("NumRet", {"rel": 2, "condensed": True}, ["rel"]),
    ],
)
def test_options_that_change_nothing_are_told(
    measures: str, options: dict[str, Any], useless: list[str]
) -> None:
    found = cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, measures, **options).notices
    assert [n.text.split()[0] for n in found if n.kind == "settings"] == useless


def test_classes_of_other_topics_are_told() -> None:
    classes = cf.EquivalenceClasses({"1": {"a": "x"}, "9": {"z": "x"}})
    scores = cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "AP", labelling=classes)
    assert [n.text for n in scores.notices] == ["classes: 1 topic (9) without judgments, ignored"]


@pytest.mark.parametrize("wrong", [cf.Labelling, "classes", lambda topic, ranked: ranked])
def test_what_is_no_strategy(wrong: Any) -> None:
    with pytest.raises(cf.CranfieldError, match="expected an object of a class derived from"):
        cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "AP", labelling=wrong)


def test_a_strategy_that_gives_no_dict() -> None:
    class Forgetful(cf.Labelling):
        def found(self, topic: str, ranked: Any) -> Any:
            return None

    with pytest.raises(cf.CranfieldError, match="found None for topic 1, expected a dict"):
        cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "AP", labelling=Forgetful())


def test_labels_in_memory_and_in_json(tmp_path: Path) -> None:
    assert cf.read_qrels({"1": {"a": "S"}}, labels="S=3").to_dict() == {"1": {"a": 3.0}}
    path = written(tmp_path / "q.json", '{"1": {"a": "L2"}, "2": {}}')
    assert cf.read_qrels(path).to_dict() == {"1": {"a": 2.0}, "2": {}}
    with pytest.raises(cf.InputError, match="found level 7 for document a of topic 1"):
        cf.read_qrels(written(tmp_path / "n.json", '{"1": {"a": 7}}'), labels="S=3")


def test_validate_knows_separators_and_alphabets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "q", "1;a b;S;x\n1;c;Z;y\n")
    assert main(["validate", path, "--sep", ";", "--labels", "S=3,A=2"]) == 2
    out = capsys.readouterr().out
    assert f"{path}:2: error: found level 'Z', expected one of S, A" in out
    assert "1 judgment (ntcir), 1 topic: 1 error" in out
    run = written(tmp_path / "r", "1;0;a b;1;2;t\n")
    assert main(["validate", run, "--sep", ";"]) == 0
    assert "1 result (trec)" in capsys.readouterr().out


def test_long_documents_are_shortened_on_narrow_terminals() -> None:
    long = "ヴェルナー・カール・ハイゼンベルク"  # 17 characters of two cells each
    [one] = cf.label({"t": {long: 1}}, {"t": [long, "x"]})
    shown = text(one, width=40).splitlines()
    assert max(map(cell_len, shown[2:])) <= 40
    assert any("…" in line for line in shown)
    assert long in text(one)
    assert "\u3000" in text(cf.label({"t": {"a\u3000b": 1}}, {"t": ["a\u3000b"]})[0])


@pytest.mark.parametrize(
    ("kind", "line", "hint"),
    [
        ("qrels", "1;a;L2", "are fields separated by ';'? then say so: --sep"),
        ("qrels", "1 Q0 a 1 2 t", "this looks like a run: judgments come first"),
        ("qrels", "1 a 2", "4: topic iteration doc level (or topic doc L2)"),
        ("qrels", "1 0 a S", "--labels S=1,… says what letters mean"),
    ],
)
def test_hints(kind: str, line: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=re.escape(hint)):
        cf.read_qrels(written(tmp_path / "q", line + "\n"))


def test_explain_takes_the_directory_s_run_as_evaluate_does(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (directory / "bm25").write_text("0001 Q0 zzz 1 1 bm25\n")
    assert main(["explain", "RR", "--on", "dir", "dir/bm25", "--topic", "0001"]) == 0
    assert "zzz" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", ["label q r --classes - --depth 3", "explain AP Q --on q r --classes -"]
)
def test_classes_from_standard_input(
    command: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("q").write_text(LIST_Q)
    Path("r").write_text(LIST_R)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LIST_C.encode())))
    assert main(command.split()) == 0
    assert capsys.readouterr().out


def test_label_with_a_threshold_of_nothing() -> None:
    """At rel=0 what was judged nonrelevant is relevant: found, and missed."""
    [one] = cf.label({"t": {"a": 0, "b": 0, "c": 1}}, {"t": ["a"]}, rel=0)
    assert [item.status for item in one.items] == ["relevant"]
    assert [item.doc for item in one.missed] == ["c", "b"]
    assert (one.found, one.relevant) == (1, 3)
    with pytest.raises(cf.CranfieldError, match="found rel nan, expected a finite number"):
        cf.label({"t": {"a": 0}}, {"t": ["a"]}, rel=math.nan)


def test_label_takes_a_preset_s_labels(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q").write_text("1 0 a S\n1 0 b C\n")
    Path("r").write_text("1 Q0 b 1 2 r\n")
    assert main(["label", "q", "r", "--preset", "ntcir6-clir"]) == 0
    assert "0 of 1 relevant document found" in capsys.readouterr().out


def test_more_than_there_is_to_find_is_told() -> None:
    class Generous(cf.Labelling):
        def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
            return {doc: 5 * level for doc, level in ranked.items()}

    class Forgetful(cf.Labelling):
        def ideal(self, topic: str, judged: Mapping[str, float]) -> Mapping[str, float]:
            return {"a": 1}

    for strategy in (Generous(), Forgetful()):
        scores = cf.evaluate({"t": {"a": 1, "b": 1}}, {"t": ["a", "b"]}, "AP", labelling=strategy)
        said = "run: the labels of 1 topic (t) are worth more than the ideal list"
        assert [n.text for n in scores.notices] == [f"{said}: scores may exceed 1"]


def test_validate_looks_into_topic_directories(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "dir"]) == 0
    out = capsys.readouterr().out.splitlines()
    places = dict.fromkeys(line.partition(":")[0] for line in out)
    assert list(places) == ["dir", "dir/*.bm25.res", "dir/*.dense.v2.res"]
    written(directory / "0001/0001.rel", "a L1\nb X\n")
    written(directory / "0001/0001.bm25.res", "a\na\n")
    assert main(["validate", "dir"]) == 2
    out = capsys.readouterr().out.splitlines()
    assert "dir/0001/0001.rel:2: error: found label 'X', expected L0, L1, L2, …" in out
    assert any(line.startswith("dir/0001/0001.bm25.res:2: error: found document a") for line in out)
