"""Other people's programs on random collections, topic by topic.

The collections hold what real ones hold: ties, unjudged documents, relevant documents that were
not retrieved, levels from 0 (and below) to 4, topics without a relevant document, topics that were
not answered or answered with nothing, topics nobody judged, and lists shorter than the cutoff.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partialmethod
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import cranfield as cf
from cranfield.data.reading.source import Source
from cranfield.measures.base import READINGS, REGISTRY

Nested = dict[str, dict[str, Any]]
Ties = Literal["many", "none"]

ROBUST = Path(__file__).resolve().parents[2] / "shared" / "data" / "robust03"
TREC_EVAL = shutil.which("trec_eval")


# -- random collections -------------------------------------------------------------------------


def doc_ids(rng: np.random.Generator, n: int) -> list[str]:
    """Names that sort differently as bytes, as numbers and without case."""
    shapes = ("d{}", "D{}", "doc-{:04}", "FT9{}-1", "é{}", "文{}", "😀{}", "{}")
    numbers = rng.choice(3 * n, size=n, replace=False)
    return [shapes[i].format(k) for i, k in zip(rng.integers(0, 8, n), numbers, strict=True)]


def scores_of(rng: np.random.Generator, n: int, ties: Ties) -> list[float]:
    """Multiples of 1/8, which pytrec_eval's 32-bit floats hold too; negative ones and −0 among
    them."""
    if ties == "none":
        return ((rng.permutation(3 * n)[:n] - n) / 8).tolist()
    spread = int(rng.integers(1, 2 * n + 2))  # from one score for all to hardly any tie
    scores = (rng.integers(-spread, spread + 1, size=n) / 8).tolist()
    return [-0.0 if s == 0 and rng.random() < 0.5 else s for s in scores]


@dataclass
class Collection:
    """A run and judgments, and what of them a peer can be given."""

    qrels: Nested = field(default_factory=dict)
    run: Nested = field(default_factory=dict)

    @property
    def answered(self) -> list[str]:
        """The judged topics with a list that is not empty: pytrec_eval 0.5.11 dies of a
        segmentation fault on an empty one, and on a topic without a level of 0 or above."""
        return [t for t, j in self.qrels.items() if self.run.get(t) and max(j.values()) >= 0]

    def peer_qrels(self) -> Nested:
        return {t: self.qrels[t] for t in self.answered}

    def peer_run(self) -> Nested:
        return {t: docs for t, docs in self.run.items() if docs}

    def shown(self, topic: str) -> str:
        return f"judged {self.qrels[topic]}\n  run {self.run.get(topic)}"


def collection(
    rng: np.random.Generator,
    topics: int = 60,
    levels: tuple[int, ...] = (0, 1, 2, 3),
    ties: Ties = "many",
    longest: int = 40,
) -> Collection:
    made = Collection()
    for t in rng.permutation(topics).tolist():
        topic = f"{t}" if t % 3 else f"q-{t}"
        n = int(rng.integers(1, longest + 1))
        docs = doc_ids(rng, n)
        rng.shuffle(docs)
        judged = docs[: int(rng.integers(1, n + 1))]
        highest = 0 if rng.random() < 0.1 else max(levels)
        found = [x for x in levels if x <= highest]
        weights = rng.dirichlet(np.ones(len(found)))
        made.qrels[topic] = dict(
            zip(judged, rng.choice(found, size=len(judged), p=weights).tolist(), strict=True)
        )
        kind = rng.random()
        if kind < 0.05:
            continue  # not answered
        retrieved = [] if kind < 0.08 else list(docs)
        rng.shuffle(retrieved)
        retrieved = retrieved[: int(rng.integers(1, n + 1))]
        scores = scores_of(rng, len(retrieved), ties) if retrieved else []
        made.run[topic] = dict(zip(retrieved, scores, strict=True))
    for t in range(int(rng.integers(0, 3))):
        made.run[f"unjudged{t}"] = {"d1": 1.0, "d2": 0.5}
    return made


def collections(seed: int, count: int, **shape: Any) -> Iterable[Collection]:
    rng = np.random.default_rng(seed)
    return (collection(rng, **shape) for _ in range(count))


# -- comparing ----------------------------------------------------------------------------------


def values(c: Collection, measures: Iterable[str], **options: Any) -> Nested:
    """Our value of each measure, under the name it was asked by."""
    names = {m: our_name(m, **options) for m in measures}
    found = cf.evaluate(c.qrels, {"ours": c.run}, list(names), **options).to_dict()["ours"]
    return {t: {m: by_name[names[m]] for m in names} for t, by_name in found.items()}


@cache
def our_name(measure: str, **options: Any) -> str:
    """The canonical name of a measure under the options of an evaluation."""
    return str(cf.Evaluator({"q": {"d": 0}}, measure, **options).measures[0])


def assert_agree(
    c: Collection,
    ours: Nested,
    theirs: Mapping[str, Mapping[str, float]],
    names: Mapping[str, str],
    within: float,
) -> int:
    """Fail with the first lists that differ; the number of values compared.

    `names` are our measures by the peer's names.
    """
    wrong, compared = [], 0
    for topic, by_name in theirs.items():
        for their_name, our_name in names.items():
            a, b = ours[topic][our_name], by_name[their_name]
            compared += 1
            if not abs(a - b) <= within:
                wrong.append(
                    f"{our_name} of topic {topic}: ours {a!r}, {their_name} {b!r}\n"
                    f"  {c.shown(topic)}"
                )
    assert not wrong, f"{len(wrong)} of {compared} values differ\n" + "\n".join(wrong[:3])
    return compared


# -- pytrec_eval --------------------------------------------------------------------------------

CUTOFFS = (1, 2, 3, 5, 10, 20, 1000)
RECALLS = [i / 10 for i in range(11)]
MULTIPLES = [i / 5 for i in range(1, 11)]  # of R
CUT = {"P": "P", "recall": "Recall", "success": "Success", "relative_P": "RelP"}
BINARY = {"map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "infAP": "infAP", "binG": "binG"}
BINARY |= {"set_P": "SetP", "set_recall": "SetRecall", "set_F": "SetF", "set_map": "SetAP"}
BINARY |= {"set_relative_P": "SetRelP", "utility": "Utility"}
BINARY |= {"num_q": "NumQ", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet"}
BINARY |= {f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in CUT.items() for k in CUTOFFS}
BINARY |= {f"map_cut_{k}": f"AP(norm=R)@{k}" for k in CUTOFFS}
BINARY |= {f"Rprec_mult_{m:.2f}": f"Rprec(mult={m}, reach=trec9)" for m in MULTIPLES}
GRADED = {"ndcg": "nDCG", "G": "G", "ndcg_rel": "nDCGrel", "Rndcg": "RnDCG"}
GRADED |= {f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTOFFS}
# A level below 0 is judged nonrelevant here and unjudged in trec_eval, which matters to these.
JUDGED = {"bpref": "bpref", "num_nonrel_judged_ret": "NumNonRelRet"}
TREC_NAMES = BINARY | GRADED | JUDGED


def curve(reach: str) -> dict[str, str]:
    """The recall-precision curve: trec_eval 9 and 10 decide differently if a recall is reached."""
    points = {f"iprec_at_recall_{i:.2f}": f"IPrec(reach={reach})@{i:g}" for i in RECALLS}
    return points | {"11pt_avg": f"AP11(reach={reach})"}


GEOMETRIC = {"gm_map": "GMAP", "gm_bpref": "GMbpref"}
TREC_9, TREC_10 = TREC_NAMES | curve("trec9"), TREC_NAMES | curve("nearest")
TREC_10_ONLY = {"yaap": "YAAP", "dcg": "DCG", "ideal_dcg": "DCG.ideal"}
TREC_10_ONLY |= {f"unj_{k}": f"Unjudged@{k}" for k in CUTOFFS}


def pytrec(c: Collection, names: Iterable[str], level: int = 1, judged_only: bool = False) -> Any:
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(
        c.peer_qrels(), set(names), relevance_level=level, judged_docs_only_flag=judged_only
    )
    found = evaluator.evaluate(c.peer_run())
    assert set(found) == set(c.answered)
    return found


def test_trec_eval_names_mean_the_measures_of_the_specification() -> None:
    for theirs, ours in (TREC_10 | TREC_10_ONLY).items():
        assert cf.parse_measure(theirs) == cf.parse_measure(ours)
        assert cf.parse_measure(f"trec:{theirs}") == cf.parse_measure(ours)


def test_all_that_pytrec_eval_supports_is_compared() -> None:
    """But the name of the run and the string of its levels, which are no measures."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    families = {re.sub(r"_[\d.]+$", "", name) for name in TREC_9} | set(GEOMETRIC)
    assert families == set(pytrec_eval.supported_measures) - {"runid", "relstring"}


def test_pytrec_eval() -> None:
    lists = compared = 0
    for c in collections(seed=10, count=40, levels=(0, 1, 2, 3, 4)):
        theirs = pytrec(c, TREC_9)
        compared += assert_agree(c, values(c, TREC_9.values()), theirs, TREC_9, 1e-9)
        lists += len(theirs)
    assert lists > 2000
    assert compared > 150_000


def test_pytrec_eval_geometric_means() -> None:
    """It gives the logarithm of a topic's value, which is at least 0.00001."""
    for c in collections(seed=9, count=10):
        theirs = pytrec(c, GEOMETRIC)
        found = values(c, GEOMETRIC.values())
        logs = {t: {m: math.log(max(x, 1e-5)) for m, x in ms.items()} for t, ms in found.items()}
        assert_agree(c, logs, theirs, GEOMETRIC, 1e-9)
        # Not answered: nothing is found, as under trec_eval's -c.
        summary = cf.evaluate(c.qrels, c.run, list(GEOMETRIC)).summary()["run"]
        unanswered = (len(c.qrels) - len(theirs)) * math.log(1e-5)
        for their_name, our_name in GEOMETRIC.items():
            total = math.fsum(by_name[their_name] for by_name in theirs.values())
            expected = math.exp((total + unanswered) / len(c.qrels))
            assert summary[our_name] == pytest.approx(expected, rel=1e-9)


def test_pytrec_eval_with_parameters() -> None:
    """Numbers behind the name; pytrec_eval sorts them, drops doubles, and takes none below 0."""
    several = {f"Rprec_mult_{m:.2f}": f"Rprec_mult_{m}" for m in (0.15, 0.3, 0.7, 1.1, 3.0)}
    several |= {f"relative_P_{k}": f"relative_P.{k}" for k in (4, 7, 33)}
    several |= {
        f"iprec_at_recall_{i:.2f}": f"IPrec(reach=trec9)@{i}" for i in (0.05, 0.25, 0.33, 0.75)
    }
    single = {f"set_F.{x}": ("set_F", f"set_F_{x}") for x in ("0.5", "2", "3", "0")}
    single |= {"set_F.4": ("set_F", "F(beta=2)"), "set_F.0.25": ("set_F", "SetF(beta=0.5)")}
    single |= {"utility.1,2,3,4": ("utility", "Utility(a=1, b=2, c=3, d=4)")}
    lists = 0
    for c in collections(seed=8, count=20):
        theirs = pytrec(c, several)
        names = dict(several)
        for asked, (printed, ours) in single.items():
            names[asked] = ours
            for t, by_name in pytrec(c, [asked]).items():
                theirs[t][asked] = by_name[printed]
        assert_agree(c, values(c, names.values()), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > 1000


def test_pytrec_eval_curve_is_exact_but_for_rounding() -> None:
    """int(i·R + 0.9) is the smallest whole number from i·R on, except for some R (i = 0.7, R = 3).

    There we follow the definition, and otherwise the peer agrees.
    """
    names = {f"iprec_at_recall_{i:.2f}": f"IPrec@{i:g}" for i in RECALLS}
    lists = off = 0
    for c in collections(seed=7, count=30):
        ours, theirs = values(c, names.values()), pytrec(c, names)
        for t, by_name in theirs.items():
            R = sum(x > 0 for x in c.qrels[t].values())
            exact = {
                f"iprec_at_recall_{k / 10:.2f}"
                for k in range(11)
                if int(k / 10 * R + 0.9) == -(-k * R // 10)
            }
            assert_agree(c, ours, {t: by_name}, {m: names[m] for m in exact}, 1e-9)
            off += len(names) - len(exact)
            lists += 1
    assert lists > 1500
    assert off > 100


def test_pytrec_eval_with_relevance_level_2() -> None:
    """-l 2 is rel=2; gains are left out, because trec_eval's do not look at -l."""
    names, lists = BINARY | JUDGED | curve("trec9"), 0
    for c in collections(seed=11, count=25):
        theirs = pytrec(c, names, level=2)
        assert_agree(c, values(c, names.values(), rel=2), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > 1200


def test_pytrec_eval_with_levels_below_0() -> None:
    """Pooled but not judged to infAP, here and there; all but what counts the judged."""
    names, lists = BINARY | GRADED | curve("trec9"), 0
    for c in collections(seed=12, count=25, levels=(-2, -1, 0, 1, 2, 3)):
        theirs = pytrec(c, names)
        assert_agree(c, values(c, names.values()), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > 1200


def test_pytrec_eval_with_levels_below_0_made_nonrelevant() -> None:
    """What we count junk as: the peer agrees once it is told that junk is level 0."""
    for c in collections(seed=13, count=20, levels=(-2, -1, 0, 1, 2)):
        told = Collection(
            {t: {d: max(x, 0) for d, x in j.items()} for t, j in c.qrels.items()}, c.run
        )
        assert_agree(c, values(c, JUDGED.values()), pytrec(told, JUDGED), JUDGED, 1e-9)


def test_pytrec_eval_on_judged_documents_only() -> None:
    """trec_eval's -J is the condensed list. If that is empty, its precision is NaN, ours 0."""
    names, lists = {k: v for k, v in TREC_9.items() if k != "num_ret"}, 0
    for c in collections(seed=14, count=20):
        theirs = pytrec(c, names, judged_only=True)
        for t, by_name in theirs.items():
            if not c.run[t].keys() & c.qrels[t].keys():
                by_name |= {name: 0.0 for name in curve("trec9") if math.isnan(by_name[name])}
        assert_agree(c, values(c, names.values(), condensed=True), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > 1000


def top(docs: Mapping[str, float], k: int) -> dict[str, float]:
    """The first k documents in trec_eval's order: falling scores, in ties falling names."""
    return {d: docs[d] for d in sorted(docs, key=lambda d: (docs[d], d), reverse=True)[:k]}


@pytest.mark.parametrize("k", [1, 2, 5, 17])
def test_pytrec_eval_on_the_top_of_the_list(k: int) -> None:
    """A list cut beforehand (trec_eval's -M) is `depth`, and a cutoff unless that changes more:
    AP@k divides by something else, nDCG@k cuts the ideal list too."""
    at_k = {
        theirs: f"{ours}@{k}"
        for theirs, ours in TREC_9.items()
        if "@" not in ours and ours not in ("AP", "nDCG")
    }
    assert len(at_k) > 25
    lists = 0
    for c in collections(seed=6, count=12, levels=(0, 1, 2, 3, 4)):
        cut = Collection(c.qrels, {t: top(docs, k) for t, docs in c.run.items()})
        theirs = pytrec(cut, TREC_9)
        assert_agree(c, values(c, TREC_9.values(), depth=k), theirs, TREC_9, 1e-9)
        assert_agree(c, values(c, at_k.values()), theirs, at_k, 1e-9)
        lists += len(theirs)
    assert lists > 600


def test_pytrec_eval_on_the_cases_of_bpref() -> None:
    """bpref is bpref_R where R ≤ N, and bpref_N where R ≥ N."""
    few_relevant = many_relevant = 0
    for c in collections(seed=5, count=20):
        ours, theirs = values(c, ("bpref_R", "bpref_N")), pytrec(c, ["bpref"])
        for t, by_name in theirs.items():
            R = sum(x > 0 for x in c.qrels[t].values())
            N = len(c.qrels[t]) - R
            if R <= N:
                few_relevant += assert_agree(c, ours, {t: by_name}, {"bpref": "bpref_R"}, 1e-9)
            if R >= N:
                many_relevant += assert_agree(c, ours, {t: by_name}, {"bpref": "bpref_N"}, 1e-9)
    assert min(few_relevant, many_relevant) > 200


def test_pytrec_eval_on_graded_measures_of_binary_judgments() -> None:
    """They are average precision then, rpref_relative2 that of the condensed list."""
    for c in collections(seed=4, count=20, levels=(0, 1)):
        whole, condensed = pytrec(c, ["map"]), pytrec(c, ["map"], judged_only=True)
        for ours in ("GAP", "GAP(thresholds=level)", "gAP", "Q(beta=0)", "rpref_relative2"):
            theirs = condensed if ours == "rpref_relative2" else whole
            assert_agree(c, values(c, [ours]), theirs, {"map": ours}, 1e-9)


def test_pytrec_eval_on_long_lists() -> None:
    """Past the cutoff of 1000, with many relevant documents."""
    for c in collections(seed=15, count=4, topics=12, longest=2500):
        theirs = pytrec(c, TREC_9)
        assert_agree(c, values(c, TREC_9.values()), theirs, TREC_9, 1e-9)


def test_pytrec_eval_on_very_short_lists() -> None:
    """Ones, twos and threes of everything, where sums of nothing and ends of lists are."""
    lists = 0
    for c in collections(seed=3, count=14, topics=100, longest=4, levels=(0, 1, 2)):
        theirs = pytrec(c, TREC_9)
        assert_agree(c, values(c, TREC_9.values()), theirs, TREC_9, 1e-9)
        lists += len(theirs)
    assert lists > 1200


def test_pytrec_eval_on_large_levels() -> None:
    for c in collections(seed=16, count=10, levels=(0, 1, 2, 7, 25)):
        theirs = pytrec(c, TREC_9)
        assert_agree(c, values(c, TREC_9.values()), theirs, TREC_9, 1e-9)


def test_topics_a_peer_leaves_out_count_as_empty_lists() -> None:
    """Not answered, or with nothing: 0, and the true counts; unjudged topics: nothing at all."""
    seen = 0
    for c in collections(seed=17, count=40, levels=(-1, 0, 1, 2)):
        ours = values(c, TREC_NAMES.values())
        assert list(ours) == list(c.qrels)
        for topic in set(c.qrels) - set(c.answered):
            n = len(c.run.get(topic, {}))
            true = {
                "NumQ": 1,
                "NumRel": sum(x > 0 for x in c.qrels[topic].values()),
                "NumRet": n,
                "NumNonRelRet": len(c.run.get(topic, {}).keys() & c.qrels[topic].keys()),
                "Utility": -n,  # a list whose topic has no level from 0 on, if there is one
            }
            assert ours[topic] == dict.fromkeys(TREC_NAMES.values(), 0) | true
            seen += 1
    assert seen > 100


def test_summaries_are_means_over_all_judged_topics_and_sums_of_counts() -> None:
    """trec_eval -c: topics that were not answered count."""
    for c in collections(seed=18, count=20):
        theirs = pytrec(c, TREC_NAMES)
        summary = cf.evaluate(c.qrels, c.run, list(TREC_NAMES.values())).summary()["run"]
        for their_name, our_name in TREC_NAMES.items():
            total = math.fsum(by_name[their_name] for by_name in theirs.values())
            ours = summary[str(cf.parse_measure(our_name))]
            if our_name in ("NumRel", "NumQ"):
                continue  # count topics that were not answered too
            expected = total if our_name.startswith("Num") else total / len(c.qrels)
            assert ours == pytest.approx(expected, abs=1e-9)


# -- ir-measures --------------------------------------------------------------------------------


def ir_measures_values(c: Collection, qrels: Nested, *groups: Iterable[Any]) -> Nested:
    """Group by group: ir-measures 0.4.3 hands a measure that sets neither gains nor judged_only
    to the first call of pytrec_eval at hand, whatever gains that call has been given."""
    import ir_measures as im

    theirs: Nested = {}
    for measures in groups:
        for metric in im.iter_calc(list(measures), qrels, c.peer_run()):
            theirs.setdefault(metric.query_id, {})[str(metric.measure)] = metric.value
    return theirs


def test_ir_measures() -> None:
    """Its own implementations (Judged, RR@k) break ties the other way: no ties here."""
    im = pytest.importorskip("ir_measures")
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
    assert lists > 1000


def test_ir_measures_counts_topics_not_answered_as_zero_too() -> None:
    im = pytest.importorskip("ir_measures")
    names = {m: m for m in ("AP", "P@5", "nDCG@10", "RR@10", "Bpref", "R@5", "Judged@5", "NumRet")}
    measures = [im.parse_measure(name) for name in names]
    for c in collections(seed=21, count=10, ties="none"):
        theirs = ir_measures_values(c, c.qrels, measures)
        assert set(theirs) == set(c.qrels)
        assert_agree(c, values(c, names), theirs, names, 1e-9)


def test_ir_measures_on_sets_and_curves() -> None:
    """SetF hands its beta to trec_eval's set_F, which does not square it: our alpha."""
    im = pytest.importorskip("ir_measures")
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
    assert lists > 1500


def above_zero(c: Collection, cutoff: int | None = None) -> Collection:
    """The same orders, all scores above 0, and no more than the top."""
    run: Nested = {}
    for t, docs in c.run.items():
        run[t] = {d: score + 1000.0 for d, score in top(docs, cutoff or len(docs)).items()}
    return Collection(c.qrels, run)


def test_ir_measures_compatibility() -> None:
    """In the ideal list it orders documents of one level by their scores, those not retrieved as
    if theirs were 0: so all scores are above 0 here. It breaks ties the other way: none here."""
    im = pytest.importorskip("ir_measures")
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
    assert lists > 1500


def test_ir_measures_accuracy() -> None:
    """Of lists with a relevant and a nonrelevant document: it gives no value without the one, and
    divides by zero without the other, where ours are 0 and 1."""
    im = pytest.importorskip("ir_measures")
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
    assert lists > 2000
    assert alike > 500


# -- gdeval -------------------------------------------------------------------------------------

with_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="no perl on the PATH")
GDEVAL_CUTOFFS = (1, 3, 10, 20, 1000)


def numbered(c: Collection) -> Collection:
    """Judged topics only, by their numbers: gdeval knows no other names."""
    number = {t: t.removeprefix("q-") for t in c.qrels}
    return Collection(
        {number[t]: judged for t, judged in c.qrels.items()},
        {number[t]: c.run[t] for t in c.qrels if t in c.run},
    )


@with_perl
def test_gdeval(tmp_path: Path) -> None:
    """The program itself, which ir_measures brings along: five decimals, ties as in trec_eval.

    It leaves out topics without a relevant document.
    """
    im = pytest.importorskip("ir_measures")
    program = Path(im.__file__).parent / "bin" / "gdeval.pl"
    lists = 0
    for c in map(numbered, collections(seed=25, count=12, levels=(-2, 0, 1, 2, 3, 4))):
        qrels, run = trec_files(c, tmp_path)
        for k in GDEVAL_CUTOFFS:
            command = ["perl", str(program), str(qrels), str(run), str(k)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            rows = [line.split(",") for line in printed.splitlines()[1:]]
            theirs = {t: {"ndcg": float(ndcg), "err": float(err)} for _, t, ndcg, err in rows}
            assert set(theirs) == {t for t in c.answered if max(c.qrels[t].values()) > 0}
            names = {"ndcg": f"nDCG(gain=exp)@{k}", "err": f"ERR(max_level=4)@{k}"}
            assert_agree(c, values(c, names.values()), theirs, names, 0.5e-5 + 1e-9)
            lists += len(theirs)
    assert lists > 2000


@with_perl
def test_ir_measures_by_way_of_gdeval() -> None:
    """Under its own names: nDCG(dcg='exp-log2')@k; ERR@k takes 4 for the highest level."""
    im = pytest.importorskip("ir_measures")
    measures = [m @ k for m in (im.ERR, im.nDCG(dcg="exp-log2")) for k in (1, 5, 20)]
    names = {str(m): str(m).replace("ERR", "ERR(max_level=4)") for m in measures}
    for c in map(numbered, collections(seed=26, count=4, ties="none", levels=(0, 1, 2, 3, 4))):
        theirs = ir_measures_values(c, c.peer_qrels(), measures)
        assert_agree(c, values(c, names.values()), theirs, names, 0.5e-5 + 1e-9)


# -- ranx ---------------------------------------------------------------------------------------

RANX_FAMILIES = ["precision", "recall", "f1", "mrr", "map", "hit_rate", "hits"]
RANX_FAMILIES += ["dcg", "dcg_burges", "ndcg", "ndcg_burges"]
RANX = [
    *RANX_FAMILIES,
    *(f"{name}@{k}" for name in RANX_FAMILIES for k in (1, 3, 10)),
    *("map-l2", "mrr-l3", "ndcg-l2", "ndcg_burges-l3", "hit_rate-l2", "precision-l2", "recall-l3"),
    *("precision@5-l2", "recall@5-l2", "mrr@5-l2", "map@5-l2", "ndcg@5-l2", "ndcg@10-l3"),
    *("ndcg_burges@5-l2", "hit_rate@5-l3", "hits@5-l2", "dcg-l2", "dcg@5-l3", "dcg_burges@5-l2"),
    *("f1-l2", "f1@5-l2", "f1@10-l3", "r-precision", "r-precision-l2", "r-precision-l3"),
]

RANX_PROGRAM = """
import json, sys
import ranx

found = [ranx.evaluate(*job, return_mean=False) for job in json.load(sys.stdin)]
print(json.dumps([{name: x.tolist() for name, x in one.items()} for one in found]))
"""


def ranx_values(jobs: list[tuple[Nested, Nested, list[str]]]) -> list[dict[str, list[float]]]:
    """What ranx gives for each of some judgments, runs and metrics.

    Its own code as Python runs it: having numba compile it first takes a minute, and to forbid
    that before it is imported takes another process.
    """
    pytest.importorskip("ranx")
    found = subprocess.run(
        [sys.executable, "-c", RANX_PROGRAM],
        input=json.dumps(jobs),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    values: list[dict[str, list[float]]] = json.loads(found.stdout)
    return values


def test_ranx() -> None:
    """Without ties, which ranx orders as it happens. Our measures go by ranx's names."""
    cases: list[tuple[Collection, dict[str, str]]] = []
    jobs: list[tuple[Nested, Nested, list[str]]] = []

    def add(c: Collection, topics: list[str], names: dict[str, str], told: int = 0) -> None:
        part = Collection({t: c.qrels[t] for t in topics}, {t: c.run[t] for t in topics})
        qrels = part.qrels
        if told:
            qrels = {t: {d: int(x >= told) for d, x in j.items()} for t, j in qrels.items()}
        cases.append((part, names))
        # mrr besides, because ranx 0.3.21 cannot return the topics of bpref-l2 alone.
        jobs.append((qrels, part.run, [*names, "mrr"]))

    for c in collections(30, 17, ties="none", levels=(-1, 0, 1, 2, 3), longest=20):
        add(c, c.answered, {name: name for name in RANX})
        for level in (1, 2, 3):
            # bpref: ranx divides by zero where nothing is relevant or nothing is nonrelevant.
            judged = {t: c.qrels[t].values() for t in c.answered}
            both = [t for t, levels in judged.items() if min(levels) < level <= max(levels)]
            name = f"bpref-l{level}"
            add(c, both, {name: name} | ({"bpref": "bpref"} if level == 1 else {}))
            # rbp: ranx multiplies by the level, against its documentation ("r_i is either 0 or
            # 1"), and so exceeds 1. It agrees once it is told nothing but 0 and 1.
            names = {f"rbp.{p}": f"rbp.{p}-l{level}" for p in (50, 80, 95)}
            add(c, c.answered, names, told=level)
    for c in collections(seed=31, count=10, ties="none", levels=(0, 1)):
        add(c, c.answered, {name: name for name in ("rbp.50", "rbp.80", "rbp.95")})

    lists: dict[str, int] = {}
    for (c, names), found in zip(cases, ranx_values(jobs), strict=True):
        theirs = {t: {name: found[name][i] for name in names} for i, t in enumerate(c.qrels)}
        assert_agree(c, values(c, names.values()), theirs, names, 1e-9)
        kind = next(iter(names.values()))
        lists[kind] = lists.get(kind, 0) + len(theirs)
    assert min(lists.values()) > 350, lists


# -- pyNTCIREVAL --------------------------------------------------------------------------------

NTCIR_CUTOFFS = (1, 2, 5, 10, 1000)


def ntcireval(levels: Mapping[str, int], ranked: list[str], gains: list[float], **o: Any) -> Any:
    """All values pyNTCIREVAL gives a list, by our names for them."""
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL import metrics as m

    labeler = Labeler(levels, is_condensed=o.get("condensed", False))
    labelled = labeler.label(ranked)
    number = labeler.compute_per_level_doc_num(len(gains) + 1)
    p, beta, logb = o.get("p", 0.95), o.get("beta", 1.0), o.get("b", 2.0)
    gamma, stops = o.get("gamma", 0.95), o.get("stops", gains)
    weighted = f"beta={beta}, stops={':'.join(map(str, stops))}"
    peers = {
        "ntcir:RR": m.RR(),
        "ntcir:AP": m.AP(number, gains),
        f"ntcir:Q-measure(beta={beta})": m.QMeasure(number, gains, beta),
        f"ntcir:RBP(p={p})": m.RBP(number, gains, p),
        "ntcir:ERR": m.ERR(number, gains),
        "ntcir:nERR": m.nERR(number, gains, None),
        f"ntcir:O-measure(beta={beta})": m.OMeasure(number, gains, beta),
        f"ntcir:P-measure(beta={beta})": m.PMeasure(number, gains, beta),
        f"ntcir:P-plus(beta={beta})": m.PPlusMeasure(number, gains, beta),
        f"ntcir:NCUgu,P({weighted})": m.NCUguP(number, gains, stops),
        f"ntcir:NCUgu,BR({weighted})": m.NCUguBR(number, gains, stops, beta),
        f"ntcir:NCUrb,P(gamma={gamma})": m.NCUrbP(number, gains, gamma),
        f"ntcir:NCUrb,BR(gamma={gamma}, beta={beta})": m.NCUrbBR(number, gains, gamma, beta),
        # The same under the name of the family.
        "NCU(stop=u, utility=P)": m.AP(number, gains),
        f"NCU(stop=u, utility=BR, beta={beta})": m.QMeasure(number, gains, beta),
        "NCU(stop=r1, utility=RR)": m.RR(),
        "NCU(stop=r1, utility=P)": m.OMeasure(number, gains, 0.0),
        f"NCU(stop=r1, utility=BR, beta={beta})": m.OMeasure(number, gains, beta),
        "NCU(stop=rp, utility=P)": m.PMeasure(number, gains, 0.0),
        f"NCU(stop=rp, utility=BR, beta={beta})": m.PMeasure(number, gains, beta),
        "NCU(stop=to_rp, utility=P)": m.PPlusMeasure(number, gains, 0.0),
        f"NCU(stop=to_rp, utility=BR, beta={beta})": m.PPlusMeasure(number, gains, beta),
        "NCU(stop=sat, utility=RR, prob=linear)": m.ERR(number, gains),
        # Without a discount, which begins at the base of the logarithm.
        "nCG": m.nDCG(number, gains, 1e9, None),
        "nG": m.nDCG(number, gains, 2.0, 1),
    }
    for l in NTCIR_CUTOFFS:
        err, rbp = m.ERR(number, gains), m.RBP(number, gains, p)
        err.cutoff = rbp.cutoff = l  # every metric of the package has one, these do not ask for it
        peers |= {
            f"AP@{l:05}": m.AP(number, gains, l),
            f"Q(beta={beta})@{l:05}": m.QMeasure(number, gains, beta, l),
            f"nDCG(b={logb})@{l:05}": m.nDCG(number, gains, logb, l),
            f"MSnDCG@{l:05}": m.MSnDCG(number, gains, l),
            f"P@{l:05}": m.Precision(l),
            f"Hit@{l:05}": m.Hit(l),
            f"nERR@{l:05}": m.nERR(number, gains, l),
            f"nCG@{l}": m.nDCG(number, gains, 1e9, l),
            f"ntcir:ERR@{l}": err,
            f"RBP(p={p})@{l:05}": rbp,
        }
    if "p" not in o:  # the defaults of NTCIREVAL, not written out
        peers |= {
            "ntcir:RBP": m.RBP(number, gains, 0.95),
            "ntcir:Q": m.QMeasure(number, gains, 1.0),
            "ntcir:nDCG@0010": m.nDCG(number, gains, 2.0, 10),
            "ntcir:NCUgu,P": m.NCUguP(number, gains, gains),
            "ntcir:NCUgu,BR": m.NCUguBR(number, gains, gains, 1.0),
            "ntcir:NCUrb,P": m.NCUrbP(number, gains, 0.95),
            "ntcir:NCUrb,BR": m.NCUrbBR(number, gains, 0.95, 1.0),
            "O-measure": m.OMeasure(number, gains, 1.0),
            "P-measure": m.PMeasure(number, gains, 1.0),
            "P-plus": m.PPlusMeasure(number, gains, 1.0),
        }
    found = {name: float(peer.compute(labelled)) for name, peer in peers.items()}
    best = {"O-measure": m.OMeasure, "P-measure": m.PMeasure, "P-plus": m.PPlusMeasure}
    for l in NTCIR_CUTOFFS:  # the best item of the top l: it has to be given no more than that
        for name, metric in best.items():
            at = metric(number, gains, beta).compute(labelled[:l])
            found[f"ntcir:{name}(beta={beta})@{l}"] = float(at)
    return found | ntcireval_parts(labelled, number, gains, p, beta)


def ntcireval_parts(
    labelled: list[Any], number: list[int], gains: list[float], p: float, beta: float
) -> dict[str, float]:
    """Measures it does not name but has the parts of.

    Its blended ratio under a stopping distribution of ours; a metric of the ideal list.
    """
    from pyNTCIREVAL import metrics as m
    from pyNTCIREVAL.metrics.ncu import NCU

    ideal = m.MSnDCG(number, gains, None).get_ideal_ranked_list()
    R = sum(number[1:])

    def stopping_at(rank: int) -> Any:
        return NCU(number, gains, beta, lambda self, i: float(i + 1 == rank))

    def satisfied(self: Any, i: int) -> float:
        left = math.prod(1.0 - self._err_grade(k) for k in range(i))
        found: float = self._err_grade(i) * left
        return found

    def at(l: int) -> list[Any]:
        return labelled[:l] + [("nothing", None)] * (l - len(labelled))

    ebr, rbp = NCU(number, gains, beta, satisfied), m.RBP(number, gains, p)
    found = {
        f"Rmeasure(beta={beta})": stopping_at(R).compute(at(R)),
        f"BR(beta={beta})": stopping_at(len(labelled)).compute(labelled),
    }
    for l in (1, 5, 20):
        found |= {
            f"BR(beta={beta})@{l}": stopping_at(l).compute(at(l)),
            f"ntcir:EBR(beta={beta})@{l}": ebr.compute(labelled[:l]),
            f"ntcir:nEBR(beta={beta})@{l}": ebr.compute(labelled[:l]) / ebr.compute(ideal[:l]),
            f"ntcir:nRBP(p={p})@{l}": rbp.compute(labelled[:l]) / rbp.compute(ideal[:l]),
        }
    return {name: float(x) for name, x in found.items()}


@pytest.mark.parametrize(
    ("gains", "options", "count"),
    [
        pytest.param([1, 2, 3], {}, 6, id="1:2:3"),
        pytest.param([1, 2, 3], {"condensed": True}, 5, id="condensed"),
        pytest.param([1, 3, 7], {"p": 0.8, "beta": 10.0, "b": 10.0}, 3, id="1:3:7"),
        pytest.param([1, 3, 7], {"stops": [3, 1, 0.5], "gamma": 0.5}, 3, id="stop values"),
        pytest.param([1, 2, 2], {"stops": [0.25, 1, 5], "gamma": 1.0}, 3, id="1:2:2"),
        pytest.param([2, 5, 5], {"p": 0.5, "beta": 0.0, "b": math.e}, 3, id="2:5:5"),
        pytest.param([0.5, 0.75, 4], {"p": 0.99, "beta": 0.1, "b": 3.0}, 3, id="0.5:0.75:4"),
        pytest.param([1, 2, 3, 4], {}, 3, id="a level that nobody has"),
    ],
)
def test_pyntcireval(gains: list[float], options: dict[str, Any], count: int) -> None:
    """Lists in their own order, through its Python classes, to full precision."""
    pytest.importorskip("pyNTCIREVAL")
    lists = compared_with_ntcireval(40 + len(gains), gains, options, count)
    assert lists > 40 * count


def test_pyntcireval_with_random_gains() -> None:
    pytest.importorskip("pyNTCIREVAL")
    rng, lists = np.random.default_rng(48), 0
    for seed in range(480, 490):
        gains = np.cumsum(rng.exponential(size=3)).tolist()
        options = {
            "p": rng.uniform(0.05, 0.99),
            "beta": rng.exponential(3),
            "b": rng.uniform(1.1, 12),
            "gamma": rng.uniform(0.05, 1),
            "stops": rng.exponential(size=3).tolist(),
        }
        lists += compared_with_ntcireval(seed, gains, options, 1)
    assert lists > 400


def compared_with_ntcireval(
    seed: int, gains: list[float], options: dict[str, Any], count: int
) -> int:
    """How many lists were compared."""
    lists = 0
    for c in collections(seed=seed, count=count, ties="none"):
        given = Collection(c.qrels, {t: list(docs) for t, docs in c.run.items()})  # type: ignore[misc]
        # pyNTCIREVAL divides by R, and takes the highest level of a list that may not be empty.
        topics = [
            t
            for t in c.answered
            if max(c.qrels[t].values()) > 0
            and (not options.get("condensed") or c.qrels[t].keys() & c.run[t].keys())
        ]
        theirs = {t: ntcireval(c.qrels[t], list(given.run[t]), gains, **options) for t in topics}
        names = {name: name for name in theirs[topics[0]]}
        settings = {"condensed": True} if options.get("condensed") else {}
        ours = values(given, names, gains=":".join(map(str, gains)), **settings)
        assert_agree(given, ours, theirs, names, 1e-12)
        lists += len(theirs)
    return lists


# -- trec_eval, where there is one --------------------------------------------------------------


def trec_files(c: Collection, folder: Path) -> tuple[Path, Path]:
    """The collection as TREC files, scores to the last bit, ranks of no meaning."""
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("".join(f"{t} 0 {d} {x}\n" for t, j in c.qrels.items() for d, x in j.items()))
    run.write_text(
        "".join(f"{t} Q0 {d} 1 {s!r} tag\n" for t, r in c.run.items() for d, s in r.items())
    )
    return qrels, run


def trec_eval(qrels: Path, run: Path, names: Iterable[str], *options: str) -> Nested:
    """What trec_eval prints per topic: four decimals."""
    parameters: dict[str, list[str]] = {}
    for name in names:
        shape = re.fullmatch(r"(.+?)(?:_([\d.]+))?", name)
        family, k = shape.groups()  # type: ignore[union-attr]
        parameters.setdefault(family, []).extend([k] if k else [])
    flags = (f"{family}.{','.join(ks)}" if ks else family for family, ks in parameters.items())
    return trec_eval_says(qrels, run, flags, *options)


def trec_eval_says(qrels: Path, run: Path, flags: Iterable[str], *options: str) -> Nested:
    """The same for measures as its -m writes them: utility.1,-1,0,0."""
    asked = [text for flag in flags for text in ("-m", flag)]
    command = [str(TREC_EVAL), "-q", "-c", *options, *asked, str(qrels), str(run)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: Nested = {}
    for line in printed.splitlines():
        name, topic, value = line.split()
        if name != "runid":
            found.setdefault(topic, {})[name] = float(value)
    return found


def trec_eval_version() -> int:
    """10 and later rank by 64-bit scores."""
    if TREC_EVAL is None:
        return 0
    printed = subprocess.run([TREC_EVAL, "--version"], capture_output=True, text=True, check=False)
    number = re.search(r"version (\d+)", printed.stdout + printed.stderr)
    return int(number[1]) if number else 0


HALF_A_DIGIT = 0.5e-4 + 1e-9
with_trec_eval = pytest.mark.skipif(TREC_EVAL is None, reason="no trec_eval on the PATH")
with_trec_eval_10 = pytest.mark.skipif(trec_eval_version() < 10, reason="no trec_eval 10")


@with_trec_eval
@pytest.mark.parametrize("level", [1, 2])
def test_trec_eval(tmp_path: Path, level: int) -> None:
    """Topics that were not answered are printed too (-c), and so is the summary."""
    names = BINARY | JUDGED | (GRADED if level == 1 else {})
    names |= curve("nearest" if trec_eval_version() >= 10 else "trec9")
    for c in collections(seed=50 + level, count=12, levels=(0, 1, 2, 3, 4)):
        files = trec_files(c, tmp_path)
        theirs = trec_eval(*files, names, "-l", str(level))
        for by_name in theirs.values():
            by_name.setdefault("num_q", 1)  # which it prints for all topics together
        options = {} if level == 1 else {"rel": level}
        everything = theirs.pop("all")
        assert set(theirs) == set(c.qrels)
        assert_agree(c, values(c, names.values(), **options), theirs, names, HALF_A_DIGIT)
        assert_agree(
            c,
            values_of_files(files, names.values(), **options),
            theirs,
            names,
            HALF_A_DIGIT,
        )
        if level > 1:  # under -c, trec_eval's summary of num_rel forgets -l (m_num_rel.c)
            everything["num_rel"] = sum(by_name["num_rel"] for by_name in theirs.values())
        summary = cf.evaluate(*files, list(names.values()), **options).summary()["tag"]
        for their_name, name in names.items():
            ours = summary[our_name(name, **options)]
            assert abs(ours - everything[their_name]) <= HALF_A_DIGIT, their_name


def values_of_files(files: tuple[Path, Path], measures: Iterable[str], **options: Any) -> Nested:
    qrels, run = cf.read_qrels(files[0]), files[1]
    found = cf.evaluate(qrels, run, list(measures), **options)
    return {
        t: dict(zip(measures, row.tolist(), strict=True))
        for t, row in zip(found.topics, found.values[0], strict=True)
    }


@with_trec_eval_10
def test_trec_eval_10_orders_by_double_precision(tmp_path: Path) -> None:
    """Scores that differ past the 24th bit are no ties; those that are equal are."""
    rng = np.random.default_rng(52)
    names = {k: v for k, v in (TREC_10 | TREC_10_ONLY).items() if k != "num_q"}
    for c in collections(seed=52, count=6):
        for docs in c.run.values():
            for d in docs:
                docs[d] = 0.123456789 + int(rng.integers(0, 20)) * 1e-12
        theirs = trec_eval(*trec_files(c, tmp_path), names)
        del theirs["all"]
        assert_agree(c, values(c, names.values()), theirs, names, HALF_A_DIGIT)


@with_trec_eval_10
@pytest.mark.parametrize("level", [1, 2])
def test_trec_eval_10_adds(tmp_path: Path, level: int) -> None:
    """What version 9 does not have; yaap is −log(1 + R) where nothing was retrieved."""
    options = {} if level == 1 else {"rel": level}
    names = {k: v for k, v in TREC_10_ONLY.items() if level == 1 or "dcg" not in k}
    for c in collections(seed=54 + level, count=12, levels=(0, 1, 2, 3, 4)):
        files = trec_files(c, tmp_path)
        theirs = trec_eval(*files, names, "-l", str(level))
        everything = theirs.pop("all")
        assert set(theirs) == set(c.qrels)
        assert_agree(c, values(c, names.values(), **options), theirs, names, HALF_A_DIGIT)
        summary = cf.evaluate(*files, list(names), **options).summary()["tag"]
        for their_name, name in names.items():
            ours = summary[our_name(name, **options)]
            assert abs(ours - everything[their_name]) <= HALF_A_DIGIT, their_name


@with_trec_eval
def test_trec_eval_geometric_means(tmp_path: Path) -> None:
    """It prints them for all topics together only."""
    for c in collections(seed=57, count=12):
        files = trec_files(c, tmp_path)
        theirs = trec_eval(*files, GEOMETRIC)["all"]
        summary = cf.evaluate(*files, list(GEOMETRIC)).summary()["tag"]
        for their_name, name in GEOMETRIC.items():
            assert abs(summary[name] - theirs[their_name]) <= HALF_A_DIGIT


@with_trec_eval
def test_trec_eval_infap_of_a_sampled_pool(tmp_path: Path) -> None:
    """A level of −1 is pooled but not judged."""
    lists = 0
    for c in collections(seed=58, count=20, levels=(-1, 0, 1, 2)):
        for judged in c.qrels.values():
            judged["known"] = 0  # it stops at a topic of which nothing was judged
        theirs = trec_eval(*trec_files(c, tmp_path), ["infAP"])
        del theirs["all"]
        lists += len(theirs)
        names = {"infAP": "infAP"}
        assert_agree(c, values(c, names.values()), theirs, names, HALF_A_DIGIT)
    assert lists > 1000


@with_trec_eval
def test_trec_eval_with_parameters(tmp_path: Path) -> None:
    """Topics that were answered: the others have values left over from the topic before."""
    gains = "1=1.5,2=4,3=4,4=9"
    asked = {
        "utility.2,-1.5,-0.5,0.25": "Utility(a=2, b=-1.5, c=-0.5, d=0.25, docs=5000)",
        "set_F.2": "SetF(alpha=0.3333333333333333)",
        f"ndcg.{gains}": "nDCG(gain=1.5:4:4:9)",
        f"G.{gains}": "G(gain=1.5:4:4:9)",
        f"ndcg_rel.{gains}": "nDCGrel(gain=1.5:4:4:9)",
        f"Rndcg.{gains}": "RnDCG(gain=1.5:4:4:9)",
        "Rprec_mult.0.35": "Rprec(mult=0.35, reach=trec9)",
    }
    names = {flag.replace(".", "_", 1): ours for flag, ours in asked.items()}
    for c in collections(seed=59, count=12, levels=(0, 1, 2, 3, 4)):
        found = trec_eval_says(*trec_files(c, tmp_path), asked, "-N", "5000")
        theirs = {t: found[t] for t in c.answered}
        assert_agree(c, values(c, names.values()), theirs, names, HALF_A_DIGIT)


@with_trec_eval_10
def test_trec_eval_rbp(tmp_path: Path) -> None:
    """rbp on binary judgments (on graded ones it reads memory it did not write), alone.

    rbp_resid is 0 where nothing that was retrieved is unjudged, though nobody knows what a longer
    list would hold: only lists with an unjudged document are compared.
    """
    residuals = 0
    for c in collections(seed=53, count=12, levels=(0, 1)):
        files = trec_files(c, tmp_path)
        names = {"rbp_p=0.8": "RBP(p=0.8, rel=1)"}
        theirs = trec_eval_says(*files, ["rbp.p=0.8"])
        del theirs["all"]
        assert_agree(c, values(c, names.values()), theirs, names, HALF_A_DIGIT)
        gaps = [t for t in c.answered if c.run[t].keys() - c.qrels[t].keys()]
        for flag, printed, ours in (
            ("rbp_resid", "rbp_resid", "RBP(p=0.9).residual"),
            ("rbp_resid.p=0.5", "rbp_resid_p=0.5", "RBP(p=0.5, rel=1).residual"),
        ):
            found = trec_eval_says(*files, [flag])
            theirs = {t: found[t] for t in gaps}
            names = {printed: ours}
            residuals += assert_agree(c, values(c, names.values()), theirs, names, HALF_A_DIGIT)
    assert residuals > 500


# -- the TREC 2003 robust track -----------------------------------------------------------------

with_robust = pytest.mark.skipif(not ROBUST.is_dir(), reason="no shared/data/robust03")
# shared/data/README.md: trec_eval 10 with -c, map, bpref and ndcg_cut_10.
ROBUST_TABLE = {
    "pircRBa1": ("0.3101", "0.2887", "0.4572"),
    "MU03rob01": ("0.1929", "0.1963", "0.3657"),
    "NLPR03vb10": ("0.1055", "0.1265", "0.3944"),
    "uwmtCR0": ("0.2763", "0.2603", "0.4475"),
}


def robust(run: str) -> Collection:
    """Read here, and not by the reader under test."""
    c = Collection()
    with gzip.open(ROBUST / "qrels.txt.gz", "rt") as lines:
        for line in lines:
            topic, _, doc, level = line.split()
            c.qrels.setdefault(topic, {})[doc] = int(level)
    with gzip.open(ROBUST / f"{run}.gz", "rt") as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split()
            c.run.setdefault(topic, {})[doc] = float(score)
    return c


def dense_ranks(docs: Mapping[str, float]) -> dict[str, float]:
    """Whole numbers in the order of the scores, equal where they are: 32 bits hold them."""
    place = {score: float(i) for i, score in enumerate(sorted(set(docs.values())))}
    return {doc: place[score] for doc, score in docs.items()}


@with_robust
@pytest.mark.parametrize("run", ROBUST_TABLE)
def test_robust03_pytrec_eval(run: str) -> None:
    c = robust(run)
    peer = Collection(c.qrels, {t: dense_ranks(docs) for t, docs in c.run.items()})
    theirs = pytrec(peer, TREC_9)
    files = ROBUST / "qrels.txt.gz", ROBUST / f"{run}.gz"
    assert_agree(c, values_of_files(files, TREC_9.values()), theirs, TREC_9, 1e-9)
    assert_agree(c, values(c, TREC_9.values()), theirs, TREC_9, 1e-9)


@with_robust
@pytest.mark.parametrize("run", ROBUST_TABLE)
def test_robust03_table(run: str) -> None:
    files = ROBUST / "qrels.txt.gz", ROBUST / f"{run}.gz"
    found = cf.evaluate(*files, ["map", "bpref", "ndcg_cut_10"]).summary()[run]
    assert tuple(f"{x:.4f}" for x in found.values()) == ROBUST_TABLE[run]


@with_robust
@with_trec_eval_10
@pytest.mark.parametrize("run", ROBUST_TABLE)
def test_robust03_trec_eval(run: str, tmp_path: Path) -> None:
    for name in ("qrels.txt", run):
        (tmp_path / name).write_bytes(gzip.decompress((ROBUST / f"{name}.gz").read_bytes()))
    files = tmp_path / "qrels.txt", tmp_path / run
    names = {k: v for k, v in (TREC_10 | TREC_10_ONLY).items() if k != "num_q"}
    theirs = trec_eval(*files, names)
    del theirs["all"]
    ours = values_of_files(files, names.values())
    assert_agree(robust(run), ours, theirs, names, HALF_A_DIGIT)


# -- one collection, however it is handed over --------------------------------------------------

EVERYTHING = [
    *(
        str(m(gain="0.2:0.5:1", n=20) if issubclass(m, cf.UserModel) else m())
        for m in REGISTRY.values()
        if m.__module__.startswith("cranfield.") and not m.length_unit and m.takes == "lists"
    ),
    *(f"{name}(n=20).{x}" for name in READINGS if name != "DCG" for x in ("EU", "ETU", "ED")),
    *("SDCG@20.ETC", "INST(gain=0:0.5:1, n=20, condensed=true).ETU", "BPM(T=3, K=4, n=20).ED"),
    *("AP", "AP@5", "AP(norm=R)@5", "AP(rel=2)", "RR", "RR@3", "Q", "Q@5", "Q(beta=10)", "bpref"),
    *("P", "P@5", "Recall", "Recall@5", "Success@1", "Success@10", "Judged", "Judged@5"),
    *("nDCG", "nDCG@5", "nDCG(gain=exp)@10", "nDCG(discount=jk)@10", "nDCG(condensed=true)@5"),
    *("ERR", "ERR@5", "ERR(prob=linear)", "RBP", "RBP(p=0.95)@20", "RBP(rel=1)"),
    *("NumQ", "NumRet", "NumRet@5", "NumRel", "NumRelRet", "NumRelRet@5"),
]


def rows(nested: Nested) -> list[tuple[str, str, float]]:
    return [(t, d, float(x)) for t, docs in nested.items() for d, x in docs.items()]


def gzipped(path: Path) -> Path:
    made = path.with_suffix(".gz")
    made.write_bytes(gzip.compress(path.read_bytes(), 1))
    return made


def assert_same(c: Collection, found: cf.Scores, expected: cf.Scores, way: str) -> None:
    assert found.topics == expected.topics, way
    assert found.measures == expected.measures, way
    different = np.argwhere(found.values[0] != expected.values[0])
    assert not len(different), (
        f"{way}: {expected.measures[different[0][1]]} of topic "
        f"{expected.topics[different[0][0]]}, {len(different)} values in all\n"
        f"  {c.shown(expected.topics[different[0][0]])}"
    )


@pytest.mark.parametrize("shuffled", [False, True])
def test_every_way_in_gives_the_same_bits(
    tmp_path: Path, shuffled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mappings, tuples, Polars, pandas, and TREC files: plain, compressed, whole and in pieces.

    Shuffled: the lines of a run neither grouped by topic nor in order.
    """
    import pandas as pd
    import polars as pl

    rng = np.random.default_rng(60)
    lists = 0
    for i in range(8):
        c = collection(rng, topics=100, levels=(-1, 0, 1, 2, 3))
        c = Collection(c.qrels, c.peer_run())  # an empty list has no line in a table
        judged, retrieved = rows(c.qrels), rows(c.run)
        if i % 2:  # apart by less than 32 bits can tell
            retrieved = [(t, d, 0.123456789 + s * 1e-12) for t, d, s in retrieved]
            for t, d, s in retrieved:
                c.run[t][d] = s
        if shuffled:
            retrieved = [retrieved[k] for k in rng.permutation(len(retrieved))]
        qrels_columns = dict(zip(("topic", "doc", "level"), zip(*judged, strict=True), strict=True))
        run_columns = dict(
            zip(("topic", "doc", "score"), zip(*retrieved, strict=True), strict=True)
        )
        qrels_path, run_path = tmp_path / "qrels", tmp_path / "run"
        qrels_path.write_text("".join(f"{t} 0 {d} {x!r}\n" for t, d, x in judged))
        run_path.write_text("".join(f"{t} Q0 {d} 0 {s!r} x\n" for t, d, s in retrieved))
        polars = (
            pl.DataFrame({k: list(v) for k, v in qrels_columns.items()}),
            pl.DataFrame({k: list(v) for k, v in run_columns.items()}),
        )
        ways: dict[str, tuple[Any, Any]] = {
            "tuples": (judged, retrieved),
            "polars": polars,
            "lazy polars": (polars[0].lazy(), polars[1].lazy()),
            "pandas": (pd.DataFrame(qrels_columns), pd.DataFrame(run_columns)),
            "files": (qrels_path, run_path),
            "compressed files": (gzipped(qrels_path), gzipped(run_path)),
            "mixed": (c.qrels, cf.read_run(run_path)),
        }
        expected = cf.evaluate(c.qrels, c.run, EVERYTHING)
        assert np.isfinite(expected.values).all()
        for way, (qrels, run) in ways.items():
            assert_same(c, cf.evaluate(qrels, run, EVERYTHING), expected, way)
        with monkeypatch.context() as patch:  # as a large file is read: in pieces, a list in many
            patch.setattr(Source, "pieces", partialmethod(Source.pieces, size=1000))
            for way in ("files", "compressed files"):
                found = cf.evaluate(*ways[way], EVERYTHING)
                assert_same(c, found, expected, f"{way} in pieces")
        lists += len(c.answered)
    assert lists > 600
