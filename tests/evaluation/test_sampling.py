"""Random orders of tied documents: drawn once for all, and scored where they change a score."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield import kernel
from cranfield.arrays import Floats
from cranfield.measures.lists import Lists

Qrels = dict[str, dict[str, float]]
Run = dict[str, dict[str, float]]

MEASURES = ["ERR", "nERR@5", "EBR", "O", "Pplus", "NCU(stop=rb)", "NCU(stop=rp)@4", "bpref", "G",
            "NCU(rel=0, stop=rp)", "ERR(condensed=true)"]  # fmt: skip


def drawn_by_hand(qrels: Qrels, run: Run, seed: int, samples: int) -> list[Run]:
    """A random key for each document that is tied with a judged one, list by list."""
    chance = np.random.default_rng(seed).random
    runs = []
    for _ in range(samples):
        made: Run = {}
        for topic in qrels:
            scores = run.get(topic, {})
            groups = [
                [doc for doc in sorted(scores, reverse=True) if scores[doc] == score]
                for score in sorted(set(scores.values()), reverse=True)
            ]
            ranked = []
            for group in groups:
                keys = dict.fromkeys(group, 0.0)
                if len(group) > 1 and any(doc in qrels[topic] for doc in group):
                    keys = dict(zip(group, chance(len(group)).tolist(), strict=True))
                ranked += sorted(group, key=keys.__getitem__)
            made[topic] = {doc: -float(rank) for rank, doc in enumerate(ranked)}
        runs.append({topic: docs for topic, docs in made.items() if docs})
    return runs


def collection(seed: int, levels: list[float]) -> tuple[Qrels, Run]:
    """Lists with ties of all sizes, some without any, some not answered."""
    chance = random.Random(seed)  # noqa: S311
    docs = [f"d{i:02}" for i in range(40)]
    qrels: Qrels = {f"t{t}": {doc: chance.choice(levels) for doc in chance.sample(docs, 12 + t)} for t in range(8)}
    run: Run = {
        topic: {doc: float(chance.randrange(1 + 3 * t)) for doc in chance.sample(docs, 3 + 4 * t)}
        for t, topic in enumerate(qrels)
    }
    run["t3"] = {doc: float(i) for i, doc in enumerate(docs)}
    del run["t5"]
    return qrels, run


@pytest.mark.parametrize("options", [{}, {"depth": 6}, {"rel": 2}, {"threads": 2}])
@pytest.mark.parametrize("levels", [[0.0, 0.0, 0.0, 1.0, 2.0], [-1.0, 0.0, 1.0, 3.0]])
@pytest.mark.parametrize("compiled", [True, False])
def test_the_mean_is_that_of_the_orders_drawn(
    options: dict[str, Any], levels: list[float], compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each order is a run without ties; no score of it may depend on what else is looked at."""
    if not compiled:
        monkeypatch.setattr(kernel, "KERNEL", None)
    qrels, run = collection(len(levels), levels)
    orders = drawn_by_hand(qrels, run, seed=3, samples=6)
    every = np.stack([cf.evaluate(qrels, one, MEASURES, **options).values[0] for one in orders])
    found = cf.evaluate(qrels, run, MEASURES, ties="expected", tie_samples=6, seed=3, **options)
    assert found.values[0][:, ::2] == pytest.approx(every.mean(axis=0), rel=1e-13, abs=1e-15)
    errors = every.std(axis=0, ddof=1) / np.sqrt(len(orders))
    assert found.values[0][:, 1::2] == pytest.approx(errors, rel=1e-6, abs=1e-9)


def blind(c: type[cf.Measure]) -> bool:
    return c.takes == "lists" and c().can_drop_nonrelevant()


@pytest.mark.parametrize("name", sorted(c.__name__ for c in cf.REGISTRY.values() if blind(c)))
def test_who_sees_gains_alone_gives_the_same_if_nothing_else_is_judged(name: str) -> None:
    chance = np.random.default_rng(5)
    judged = chance.choice([0.0, 0.0, 1.0, 3.0], size=(60, 25))
    lists = np.where(chance.random(judged.shape) < 0.7, judged, np.nan)
    some = np.where(lists == 0.0, np.nan, lists)
    for cutoff in (None, 4):
        m = cf.REGISTRY[name]()
        m = m if cutoff is None else m @ cutoff
        assert (m(lists, judged) == m(some, judged)).all()


def test_a_measure_of_ones_own_sees_all() -> None:
    class Own(cf.ERR):
        pass

    assert cf.ERR().can_drop_nonrelevant()
    assert not Own().can_drop_nonrelevant()
    assert not cf.ERR(condensed=True).can_drop_nonrelevant()
    assert not cf.bpref().can_drop_nonrelevant()


class Counted(cf.Measure):
    """How many lists are scored, and how many judged items they hold."""

    rows = 0

    def score(self, x: Lists) -> Floats:
        type(self).rows += len(x)
        return np.asarray(x.C[:, -1] if x.C.shape[1] else np.zeros(len(x)))


def test_only_lists_with_ties_that_matter_are_scored_again() -> None:
    """One is tied with a judged document, one among others, and one is of another score each."""
    qrels = {topic: {"a": 1.0, "b": 0.0} for topic in ("matters", "others", "none")}
    run = {
        "matters": {"a": 1.0, "x": 1.0, "b": 0.0},
        "others": {"a": 3.0, "b": 2.0, "x": 1.0, "y": 1.0},
        "none": {"a": 3.0, "b": 2.0},
    }
    Counted.rows = 0
    cf.evaluate(qrels, run, [Counted()], ties="expected", tie_samples=50)
    assert Counted.rows == 3 + 50


def test_topics_of_other_levels_do_not_change_the_highest() -> None:
    """The highest level is that of all judgments, whichever lists have ties."""
    qrels = {"tied": {"a": 1.0, "b": 0.0}, "other": {"c": 4.0}}
    run = {"tied": {"a": 1.0, "b": 1.0}, "other": {"c": 1.0}}
    found = cf.evaluate(qrels, run, "ERR", ties="expected", tie_samples=30)
    by_topic = dict(zip(found.topics, found.values[0, :, 0].tolist(), strict=True))
    assert 1 / 32 < by_topic["tied"] < 1 / 16  # at rank 2, or at rank 1
    assert by_topic["other"] == 15 / 16
