"""Which items count, and as what, whatever the measure: strategies, built in and of one's own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures.lists import Gold, Lists
from tests.labelling.made import (
    BOTH,
    BY_HAND,
    Collection,
    by_hand_classes,
    collections,
    in_trec_order,
)
from tests.made import Classes, Qrels, Scored, examples, one, written

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


def by_hand_scores(
    kind: type, qrels: Qrels, classes: Classes, ranked: Mapping[str, Sequence[str]]
) -> list[list[float]]:
    """Topics × MEASURES, from levels labelled by hand."""
    labelled = {topic: BY_HAND[kind](judged, classes.get(topic, {}), ranked[topic]) for topic, judged in qrels.items()}
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
        rows.append([float(m.compute(lists)[0, 0]) for m in MEASURES])
    return rows


def as_frame(run: Scored) -> pl.DataFrame:
    rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    return pl.DataFrame(rows, ["topic", "doc", "score"], orient="row")


def as_trec(run: Scored) -> str:
    return "".join(f"{t} Q0 {d} 0 {s} r\n" for t, docs in run.items() for d, s in docs.items())


@given(collections())
@settings(max_examples=examples(60))
def test_what_counts_is_what_the_words_say(collection: Collection) -> None:
    kind, qrels, classes, run = collection
    ev = cf.Evaluator(qrels, "AP", labelling=kind(classes))
    rankings, ideal = ev.collection.compute_rankings(cf.read_run(run)), ev.collection.ideal
    for t, (topic, judged) in enumerate(qrels.items()):
        counts, best = BY_HAND[kind](judged, classes.get(topic, {}), in_trec_order(run[topic]))
        hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
        found = dict(zip(rankings.ranks[hits], rankings.levels[hits], strict=True))
        assert [found.get(rank) for rank in range(1, len(counts) + 1)] == counts
        levels = ideal.levels[ideal.offsets[t] : ideal.offsets[t + 1]].tolist()
        assert [x for x in levels if x > 0] == [x for x in best if x > 0]


@given(collections())
@settings(max_examples=examples(50))
def test_scores_are_those_of_levels_labelled_by_hand(collection: Collection) -> None:
    kind, qrels, classes, run = collection
    ranked = {topic: in_trec_order(docs) for topic, docs in run.items()}
    expected = by_hand_scores(kind, qrels, classes, ranked)
    labelling = kind(classes)
    for given_run in (run, ranked, as_frame(run)):
        found = cf.evaluate(qrels, given_run, MEASURES, labelling=labelling, block_cells=3)
        assert found.values[0].tolist() == expected


@given(collections())
@settings(max_examples=examples(25))
def test_text_files_give_the_same_bits(tmp_path_factory: pytest.TempPathFactory, collection: Collection) -> None:
    kind, qrels, classes, run = collection
    small = tmp_path_factory.mktemp("files")
    judged = ((t, d, level) for t, docs in qrels.items() for d, level in docs.items())
    q = written(small / "qrels", "".join(f"{t} 0 {d} {level}\n" for t, d, level in judged))
    r = written(small / "run", as_trec(run))
    named = ((t, d, name) for t, docs in classes.items() for d, name in docs.items())
    c = written(small / "classes", "".join(" ".join(fields) + "\n" for fields in named))
    files = cf.evaluate(q, r, MEASURES, labelling=kind(c))
    memory = cf.evaluate(qrels, run, MEASURES, labelling=kind(classes))
    assert files.values.tobytes() == memory.values.tobytes()
    assert files.topics == memory.topics


@given(collections(), st.integers(1, 6))
@settings(max_examples=examples(60))
def test_depth_cuts_before_labelling(collection: Collection, depth: int) -> None:
    kind, qrels, classes, run = collection
    cut = {topic: in_trec_order(docs)[:depth] for topic, docs in run.items()}
    by_hand = cf.evaluate(qrels, cut, MEASURES, labelling=kind(classes))
    for given_run in (run, as_frame(run)):
        found = cf.evaluate(qrels, given_run, MEASURES, labelling=kind(classes), depth=depth)
        assert found.values.tobytes() == by_hand.values.tobytes()


@given(collections(), st.integers(1, 6))
@settings(max_examples=examples(40))
def test_labelling_and_truncation_commute(collection: Collection, depth: int) -> None:
    """The first of a class is the first at any depth; a group that is cut is worth nothing."""
    kind, qrels, classes, run = collection
    ev = cf.Evaluator(qrels, "AP", labelling=kind(classes))
    after = ev.collection.compute_rankings(cf.read_run(run)).truncate(depth)
    cut = {topic: in_trec_order(docs)[:depth] for topic, docs in run.items()}
    before = ev.collection.compute_rankings(cf.read_run(cut))
    assert after.levels.tolist() == before.levels.tolist()
    assert after.ranks.tolist() == before.ranks.tolist()


@given(collections())
@settings(max_examples=examples(60))
def test_condensed_is_the_list_without_unjudged_documents(collection: Collection) -> None:
    """Redundant and waiting items were judged: they stay."""
    kind, qrels, classes, run = collection
    ranked = {t: [d for d in in_trec_order(run[t]) if d in qrels[t]] for t in run}
    plain = [m for m in MEASURES if not m.condensed]
    ours = cf.evaluate(qrels, run, plain, labelling=kind(classes), condensed=True)
    hand = cf.evaluate(qrels, ranked, plain, labelling=kind(classes))
    assert ours.values.tobytes() == hand.values.tobytes()


@given(collections(), st.sampled_from(BOTH))
@settings(max_examples=examples(60))
def test_classes_of_one_item_change_nothing(collection: Collection, kind: type) -> None:
    _, qrels, _, run = collection
    single = {topic: {doc: doc for doc in judged} for topic, judged in qrels.items()}
    ours = cf.evaluate(qrels, run, MEASURES, labelling=kind(single))
    assert ours.values.tobytes() == cf.evaluate(qrels, run, MEASURES).values.tobytes()


@given(collections())
@settings(max_examples=examples(40))
def test_one_class_for_all_means_one_relevant_item(collection: Collection) -> None:
    _, qrels, _, run = collection
    same = {topic: dict.fromkeys(judged, "all of them") for topic, judged in qrels.items()}
    scores = cf.evaluate(qrels, run, ["NumRel", "NumRelRet"], labelling=cf.EquivalenceClasses(same))
    for topic, judged in qrels.items():
        relevant = {doc for doc, level in judged.items() if level > 0}
        assert scores["run", topic, "NumRel"] == (1 if relevant else 0)
        assert scores["run", topic, "NumRelRet"] == (1 if relevant & run[topic].keys() else 0)


@given(collections(), st.randoms(use_true_random=False))
@settings(max_examples=examples(30))
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
def test_bpref_counts_redundant_items_as_judged_nonrelevant(more: dict[str, float], value: float) -> None:
    qrels = {"t": dict.fromkeys("abcde", 1.0) | more}
    found = one(qrels, {"t": list("abcde")}, "bpref", labelling=cf.EquivalenceClasses(CLASSES_ABC))
    assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("measure", ["bpref", "bpref_N", "rpref_N", "AP(rel=0)"])
@pytest.mark.parametrize("kind", BOTH)
def test_normalised_measures_stay_between_0_and_1(measure: str, kind: type) -> None:
    """f is nonrelevant; a b c are redundant, or wait for one another."""
    qrels = {"t": dict.fromkeys("abcde", 1.0) | {"f": 0.0}}
    found = [one(qrels, {"t": list(run)}, measure, labelling=kind(CLASSES_ABC)) for run in ("abcde", "abdec", "fabcd")]
    assert all(0 <= value <= 1 for value in found), found


# -- ties -------------------------------------------------------------------------------------

TIED: Scored = {"t": {"a": 1.0, "b": 1.0, "c": 1.0, "x": 1.0, "d": 1.0}}
TIED_QRELS: Qrels = {"t": {"a": 1, "b": 2, "c": 1, "d": 0}}
TIED_GROUPS: Qrels = {"t": {"a": 2, "b": 2, "c": 1, "d": 0}}
PAIR = {"t": {"a": "1", "b": "1"}}
TIED_MEASURES = ("AP", "nDCG@2", "Q", "RR", "ERR", "P@2", "NumRelRet")


@pytest.mark.slow
@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("kind", BOTH)
def test_sampled_ties_come_near_the_mean_of_all_orders(kind: type, depth: int | None) -> None:
    qrels = TIED_QRELS if kind is cf.EquivalenceClasses else TIED_GROUPS
    options: dict[str, Any] = {"labelling": kind(PAIR), "depth": depth}
    orders = [{"t": list(order)} for order in permutations(TIED["t"])]
    ev = cf.Evaluator(qrels, TIED_MEASURES, **options)
    every = np.array([ev(order).values[0, 0] for order in orders])
    ours = cf.evaluate(qrels, TIED, TIED_MEASURES, ties="expected", tie_samples=1500, **options)
    assert "tie-order" in {note.kind for note in ours.notes}
    assert not any("exact" in note.text for note in ours.notes)  # classes make nothing exact
    for name, mean, spread in zip(TIED_MEASURES, every.mean(axis=0), every.std(axis=0), strict=True):
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
def test_best_and_worst_order_by_level_and_promise_nothing(ties: Any, order: str) -> None:
    classes = cf.EquivalenceClasses(PAIR)
    ours = cf.evaluate(TIED_QRELS, TIED, TIED_MEASURES, ties=ties, labelling=classes)
    by_hand = cf.evaluate(TIED_QRELS, {"t": list(order)}, TIED_MEASURES, labelling=classes)
    assert ours.values.tolist() == by_hand.values.tolist()
    said = [note.text for note in ours.notes if note.kind == "tie-order"]
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
    assert not any(n.kind == "ties" for n in cf.evaluate(qrels, run, "AP").notes)
    scores = cf.evaluate(qrels, run, "AP", labelling=cf.EquivalenceClasses(PAIR))
    assert any(n.kind == "ties" and "3 of 3 tied documents" in n.text for n in scores.notes)


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
@settings(max_examples=examples(60))
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
def test_options_that_change_nothing_are_told(measures: str, options: dict[str, Any], useless: list[str]) -> None:
    found = cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, measures, **options).notes
    assert [n.text.split()[0] for n in found if n.kind == "settings"] == useless


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


def test_more_than_there_is_to_find_is_told() -> None:
    class Generous(cf.Labelling):
        def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
            return {doc: 5 * level for doc, level in ranked.items()}

    class Forgetful(cf.Labelling):
        def ideal(self, topic: str, judged: Mapping[str, float]) -> Mapping[str, float]:
            return {"a": 1}

    for strategy in (Generous(), Forgetful()):
        scores = cf.evaluate({"t": {"a": 1, "b": 1}}, {"t": ["a", "b"]}, "AP", labelling=strategy)
        said = "run: levels of 1 topic (t) exceed the ideal ranking"
        assert [n.text for n in scores.notes] == [f"{said}. Scores may exceed 1."]
