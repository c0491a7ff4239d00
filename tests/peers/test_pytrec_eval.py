"""pytrec_eval on random collections, topic by topic."""

from __future__ import annotations

import math
import re

import pytest
import pytrec_eval

import cranfield as cf
from tests.evidence import checks
from tests.made import examples
from tests.peers.made import (
    BINARY,
    GEOMETRIC,
    GRADED,
    JUDGED,
    RECALLS,
    TREC_9,
    TREC_10,
    TREC_10_ONLY,
    TREC_NAMES,
    Collection,
    assert_agree,
    collections,
    curve,
    pytrec,
    top,
    values,
)


def test_trec_eval_names_mean_the_measures_of_the_specification() -> None:
    for theirs, ours in (TREC_10 | TREC_10_ONLY).items():
        assert cf.parse_measure(theirs) == cf.parse_measure(ours)
        assert cf.parse_measure(f"trec:{theirs}") == cf.parse_measure(ours)


def test_all_that_pytrec_eval_supports_is_compared() -> None:
    """But the name of the run and the string of its levels, which are no measures."""
    families = {re.sub(r"_[\d.]+$", "", name) for name in TREC_9} | set(GEOMETRIC)
    assert families == set(pytrec_eval.supported_measures) - {"runid", "relstring"}


@checks(*TREC_9.values(), against="pytrec_eval")
def test_pytrec_eval() -> None:
    lists = compared = 0
    for c in collections(seed=10, count=40, levels=(0, 1, 2, 3, 4)):
        theirs = pytrec(c, TREC_9)
        compared += assert_agree(c, values(c, TREC_9.values()), theirs, TREC_9, 1e-9)
        lists += len(theirs)
    assert lists > examples(2000)
    assert compared > examples(150_000)


@checks(*GEOMETRIC.values(), against="pytrec_eval")
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
    several |= {f"iprec_at_recall_{i:.2f}": f"IPrec(reach=trec9)@{i}" for i in (0.05, 0.25, 0.33, 0.75)}
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
    assert lists > examples(1000)


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
            exact = {f"iprec_at_recall_{k / 10:.2f}" for k in range(11) if int(k / 10 * R + 0.9) == -(-k * R // 10)}
            assert_agree(c, ours, {t: by_name}, {m: names[m] for m in exact}, 1e-9)
            off += len(names) - len(exact)
            lists += 1
    assert lists > examples(1500)
    assert off > examples(100)


def test_pytrec_eval_with_relevance_level_2() -> None:
    """-l 2 is rel=2; gains are left out, because trec_eval's do not look at -l."""
    names, lists = BINARY | JUDGED | curve("trec9"), 0
    for c in collections(seed=11, count=25):
        theirs = pytrec(c, names, level=2)
        assert_agree(c, values(c, names.values(), rel=2), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > examples(1200)


def test_pytrec_eval_with_levels_below_0() -> None:
    """Pooled but not judged to infAP, here and there; all but what counts the judged."""
    names, lists = BINARY | GRADED | curve("trec9"), 0
    for c in collections(seed=12, count=25, levels=(-2, -1, 0, 1, 2, 3)):
        theirs = pytrec(c, names)
        assert_agree(c, values(c, names.values()), theirs, names, 1e-9)
        lists += len(theirs)
    assert lists > examples(1200)


def test_pytrec_eval_with_levels_below_0_made_nonrelevant() -> None:
    """What we count junk as: the peer agrees once it is told that junk is level 0."""
    for c in collections(seed=13, count=20, levels=(-2, -1, 0, 1, 2)):
        told = Collection({t: {d: max(x, 0) for d, x in j.items()} for t, j in c.qrels.items()}, c.run)
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
    assert lists > examples(1000)


@pytest.mark.parametrize("k", [1, 2, 5, 17])
def test_pytrec_eval_on_the_top_of_the_list(k: int) -> None:
    """A list cut beforehand (trec_eval's -M) is `depth`, and a cutoff unless that changes more:
    AP@k divides by something else, nDCG@k cuts the ideal list too."""
    at_k = {theirs: f"{ours}@{k}" for theirs, ours in TREC_9.items() if "@" not in ours and ours not in ("AP", "nDCG")}
    assert len(at_k) > 25
    lists = 0
    for c in collections(seed=6, count=12, levels=(0, 1, 2, 3, 4)):
        cut = Collection(c.qrels, {t: top(docs, k) for t, docs in c.run.items()})
        theirs = pytrec(cut, TREC_9)
        assert_agree(c, values(c, TREC_9.values(), depth=k), theirs, TREC_9, 1e-9)
        assert_agree(c, values(c, at_k.values()), theirs, at_k, 1e-9)
        lists += len(theirs)
    assert lists > examples(600)


@checks("bpref_R", "bpref_N", against="pytrec_eval")
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
    assert min(few_relevant, many_relevant) > examples(200)


@checks("GAP", "gAP", "Q", "rpref_relative2", against="pytrec_eval")
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
    assert lists > examples(1200)


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
    assert seen > examples(100)


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
