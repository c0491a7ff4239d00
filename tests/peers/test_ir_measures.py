"""ir_measures on random collections, topic by topic."""

from __future__ import annotations

from typing import Any

import ir_measures as im

from tests.evidence import checks
from tests.made import examples
from tests.peers.made import (
    Collection,
    Nested,
    assert_agree,
    collections,
    ir_measures_values,
    top,
    values,
)


@checks(
    "AP",
    "RR",
    "bpref",
    "NumRet",
    "NumRelRet",
    "NumRel",
    "NumQ",
    "Judged",
    "nDCG",
    "P",
    "Recall",
    "Success",
    against="ir_measures",
)
def test_ir_measures() -> None:
    """Its own implementations (Judged, RR@k) break ties the other way: no ties here."""
    exponential = im.nDCG(gains={1: 1, 2: 3, 3: 7})
    plain: dict[Any, str] = {
        im.AP: "AP",
        im.AP(rel=2): "AP(rel=2)",
        im.RR: "RR",
        im.RR(rel=3): "RR(rel=3)",
        im.Bpref: "Bpref",
        im.Bpref(rel=2): "bpref(rel=2)",
        im.NumRet: "NumRet",
        im.NumRet(rel=1): "NumRelRet",
        im.NumRet(rel=2): "NumRelRet(rel=2)",
        im.NumRel: "NumRel",
        im.NumQ: "NumQ",
        im.Judged: "Judged",
        im.nDCG: "nDCG",
    }
    gains: dict[Any, str] = {exponential: "nDCG(gain=exp)"}
    condensed: dict[Any, str] = {
        im.AP(judged_only=True): "AP(judged_only=True)",
        im.nDCG(judged_only=True): "nDCG(judged_only=True)",
    }
    for k in (1, 3, 5, 10, 100):
        plain |= {
            im.nDCG @ k: f"nDCG@{k}",
            im.AP @ k: f"AP(norm=R)@{k}",  # not AP@k, which divides by min(k, R)
            im.AP(rel=2) @ k: f"AP(norm=R, rel=2)@{k}",
            im.P @ k: f"P@{k}",
            im.P(rel=2) @ k: f"P(rel=2)@{k}",
            im.R @ k: f"R@{k}",
            im.R(rel=2) @ k: f"R(rel=2)@{k}",
            im.Success @ k: f"Success@{k}",
            im.Success(rel=3) @ k: f"Success(rel=3)@{k}",
            im.RR @ k: f"RR@{k}",
            im.RR(rel=2) @ k: f"RR(rel=2)@{k}",
            im.Judged @ k: f"Judged@{k}",
        }
        gains |= {exponential @ k: f"nDCG(dcg='exp-log2')@{k}"}
        condensed |= {
            im.nDCG(judged_only=True) @ k: f"nDCG(judged_only=True)@{k}",
            im.P(judged_only=True) @ k: f"P(judged_only=True)@{k}",
            im.R(judged_only=True) @ k: f"R(judged_only=True)@{k}",
        }
    names = {str(theirs): ours for theirs, ours in (plain | gains | condensed).items()}
    assert len(names) == len(plain) + len(gains) + len(condensed)
    lists = 0
    for c in collections(seed=20, count=20, ties="none"):
        theirs = ir_measures_values(c, c.peer_qrels(), plain, gains, condensed)
        assert_agree(c, values(c, names.values()), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > examples(1000)


def test_ir_measures_counts_topics_not_answered_as_zero_too() -> None:
    names = {m: m for m in ("AP", "P@5", "nDCG@10", "RR@10", "Bpref", "R@5", "Judged@5", "NumRet")}
    measures = [im.parse_measure(name) for name in names]
    for c in collections(seed=21, count=10, ties="none"):
        theirs = ir_measures_values(c, c.qrels, measures)
        assert set(theirs) == set(c.qrels)
        assert_agree(c, values(c, names), theirs, names, 1e-9)


@checks(
    "SetP",
    "SetRelP",
    "SetRecall",
    "SetF",
    "SetAP",
    "Rprec",
    "infAP",
    "IPrec",
    against="ir_measures",
)
def test_ir_measures_on_sets_and_curves() -> None:
    """SetF hands its beta to trec_eval's set_F, which does not square it: our alpha."""
    measures: dict[Any, str] = {
        im.SetP: "SetP",
        im.SetP(rel=2): "SetP(rel=2)",
        im.SetP(relative=True): "SetRelP",
        im.SetP(relative=True, rel=3): "SetRelP(rel=3)",
        im.SetP(judged_only=True): "SetP(judged_only=True)",
        im.SetR: "SetR",
        im.SetR(rel=2): "SetR(rel=2)",
        im.SetF: "SetF",
        im.SetF(rel=2): "SetF(rel=2)",
        im.SetF(beta=2.0): f"SetF(alpha={1 / 3})",
        im.SetF(beta=0.5): f"SetF(alpha={1 / 1.5})",
        im.SetF(beta=4.0, judged_only=True): "SetF(beta=2, judged_only=True)",
        im.SetAP: "SetAP",
        im.SetAP(rel=2): "SetAP(rel=2)",
        im.Rprec: "Rprec",
        im.Rprec(rel=2): "Rprec(rel=2)",
        im.Rprec(judged_only=True): "Rprec(judged_only=True)",
        im.Bpref(rel=3): "Bpref(rel=3)",
        im.infAP: "infAP",
        im.infAP(rel=2): "infAP(rel=2)",
        im.NumRet(rel=3): "NumRelRet(rel=3)",
    }
    for i in (0.0, 0.1, 0.25, 0.5, 0.7, 1.0):
        measures[im.IPrec @ i] = f"IPrec(reach=trec9)@{i}"
        measures[im.IPrec(rel=2) @ i] = f"IPrec(rel=2, reach=trec9)@{i}"
    names = {str(theirs): ours for theirs, ours in measures.items()}
    assert len(names) == len(measures)
    lists = 0
    for c in collections(seed=22, count=30, levels=(0, 1, 2, 3, 4)):
        theirs = ir_measures_values(c, c.peer_qrels(), measures)
        assert_agree(c, values(c, names.values()), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > examples(1500)


def above_zero(c: Collection, cutoff: int | None = None) -> Collection:
    """The same orders, all scores above 0, and no more than the top."""
    run: Nested = {}
    for t, docs in c.run.items():
        run[t] = {d: score + 1000.0 for d, score in top(docs, cutoff or len(docs)).items()}
    return Collection(c.qrels, run)


@checks("Compat", against="ir_measures")
def test_ir_measures_compatibility() -> None:
    """In the ideal list it orders documents of one level by their scores, those not retrieved as
    if theirs were 0: so all scores are above 0 here. It breaks ties the other way: none here."""
    measures: dict[Any, str] = {im.Compat: "Compat"}
    for p in (0.1, 0.5, 0.8, 0.99):
        measures[im.Compat(p=p)] = f"Compat(p={p})"
        measures[im.Compat(p=p, normalize=False)] = f"Compat(p={p}, normalize=False)"
    names = {str(theirs): ours for theirs, ours in measures.items()}
    assert len(names) == len(measures)
    lists = 0
    for c in map(above_zero, collections(23, 10, ties="none", levels=(-1, 0, 1, 2, 3, 4))):
        theirs = ir_measures_values(c, c.peer_qrels(), measures)
        assert_agree(c, values(c, names.values()), theirs, names, 1e-9)
        for k in (1, 5, 10):  # it knows no cutoff
            theirs = ir_measures_values(above_zero(c, k), c.peer_qrels(), measures)
            at_k = {theirs: f"{ours}@{k}" for theirs, ours in names.items()}
            assert_agree(c, values(c, at_k.values()), theirs, at_k, 1e-9)
            lists += len(theirs)
    assert lists > examples(1500)


@checks("PairAccuracy", against="ir_measures")
def test_ir_measures_accuracy() -> None:
    """Of lists with a relevant and a nonrelevant document: it gives no value without the one, and
    divides by zero without the other, where ours are 0 and 1."""
    lists = alike = 0
    for c in collections(seed=24, count=30, ties="none", levels=(-1, 0, 1, 2, 3)):
        for rel, k in ((1, None), (2, None), (1, 5), (3, 10)):
            measure = im.Accuracy(rel=rel) if k is None else im.Accuracy(rel=rel) @ k
            ours = f"PairAccuracy(rel={rel})" + ("" if k is None else f"@{k}")
            found = values(c, [ours])
            both = []
            for t in c.answered:
                shown = top(c.run[t], k or len(c.run[t]))
                relevant = [c.qrels[t].get(d, 0) >= rel for d in shown]
                if any(relevant) and not all(relevant):
                    both.append(t)
                else:
                    assert found[t][ours] == float(all(relevant))
                    alike += 1
            part = Collection(c.qrels, {t: c.run[t] for t in both})
            theirs = ir_measures_values(part, {t: c.qrels[t] for t in both}, [measure])
            assert set(theirs) == set(both)
            lists += assert_agree(c, found, theirs, {str(measure): ours}, 1e-9)
    assert lists > examples(2000)
    assert alike > examples(500)
