"""`cf.reconcile` names the conventions behind numbers of other programs on simulated collections."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval

import cranfield as cf
from cranfield.cli.main import main
from cranfield.tools.gdeval import gdeval
from cranfield.tools.letor import eval_score
from tests.peers.made import Nested

SEEDS = (1, 2, 3)


def simulate(seed: int, levels: int = 4) -> tuple[Nested, Nested]:
    """Judgments and a run with what tools treat differently.

    Ties, scores that are tied in single precision only, unjudged documents, documents with the id
    of their topic, negative levels, two missing topics and a topic without relevant documents.
    Rankings have at most 12 documents, which ranx orders stably, in no order in the input.
    """
    rng = np.random.default_rng(seed)
    docs = [f"d{i:02}" for i in rng.permutation(40)]
    qrels: Nested = {}
    run: Nested = {}
    for number in range(12):
        topic = f"wt-{number}"
        judged = [*rng.choice(docs, 18, replace=False).tolist(), *([topic] if number % 3 == 0 else [])]
        qrels[topic] = {doc: int(x) for doc, x in zip(judged, rng.integers(-1, levels, len(judged)), strict=True)}
        if number == 4:
            qrels[topic] = dict.fromkeys(judged, 0)
        else:
            qrels[topic][judged[0]] = levels - 1
        if number in (5, 9):
            continue
        found = [*rng.choice(docs, 10, replace=False).tolist(), topic]
        scores = rng.integers(1, 7, len(found)) / 8 + rng.choice([0.0, 1e-9], len(found))
        run[topic] = dict(zip(rng.permutation(found).tolist(), scores.tolist(), strict=True))
    return qrels, run


def find_tools(qrels: Any, run: Any, measure: str, value: float, decimals: int = 6, **options: Any) -> set[str]:
    """The tools that `reconcile` names for a number, and none for the number next to it."""
    result = cf.reconcile(qrels, run, {measure: f"{value:.{decimals}f}"}, changes=1, **options)
    assert result.matches, (measure, value, result.near)
    assert result.matches[0].changes <= 1
    return {label for match in result.matches for label in match.tools}


def mean(values: Any) -> float:
    return fmean(values)


PYTREC = {"ndcg_cut_5": "nDCG@5", "ndcg": "nDCG", "map": "AP", "map_cut_5": "AP@5", "P_5": "P@5",
          "recip_rank": "RR", "recall_5": "Recall@5", "success_5": "Success@5"}  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_reconcile_pytrec_eval(seed: int) -> None:
    qrels, run = simulate(seed)
    by_topic = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    for name, measure in PYTREC.items():
        value = mean(scores[name] for scores in by_topic.values())
        assert "pytrec_eval" in find_tools(qrels, run, measure, value), name


@pytest.mark.parametrize("seed", SEEDS)
def test_reconcile_ir_measures(seed: int) -> None:
    qrels, run = simulate(seed)
    names = {"nDCG@5": "nDCG@5", "AP": "AP", "AP@5": "AP(norm=R)@5", "P@5": "P@5", "R@5": "Recall@5", "RR": "RR",
             "RR@5": "RR@5", "nDCG(judged_only=True)@5": "nDCG@5"}  # fmt: skip
    for name, measure in names.items():
        value = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], qrels, run)
        labels = find_tools(qrels, run, measure, next(iter(value.values())))
        wanted = {"RR@5": "ir_measures RR@k"}.get(name, "ir_measures judged_only" if "only" in name else "ir_measures")
        assert wanted in labels, name


# NumPy's sorts with wide registers are not stable for short arrays, those of numba are.
WIDE_SORTS = "AVX512F AVX512CD AVX512_SKX AVX2 X86_V3 X86_V4"
RANX_PROGRAM = """
import json, sys
import ranx

qrels, run, names = json.load(sys.stdin)
values = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names, make_comparable=True)
print(json.dumps({name: float(value) for name, value in values.items()}))
"""


@pytest.mark.parametrize("seed", SEEDS[:1])
def test_reconcile_ranx(seed: int) -> None:
    qrels, run = simulate(seed)
    known = {topic: {doc: max(x, 0) for doc, x in docs.items()} for topic, docs in qrels.items()}
    names = {"ndcg@5": "nDCG@5", "ndcg_burges@5": "nDCG@5", "map@5": "AP@5", "precision@5": "P@5", "mrr@5": "RR@5",
             "recall@5": "Recall@5", "hit_rate@5": "Success@5"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", RANX_PROGRAM],
        input=json.dumps([known, run, [*names]]),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "NPY_DISABLE_CPU_FEATURES": WIDE_SORTS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name, value in json.loads(done.stdout).items():
        label = "ranx ndcg_burges" if "burges" in name else "ranx"
        assert label in find_tools(known, run, names[name], value), name


@pytest.mark.parametrize("seed", SEEDS)
def test_reconcile_scikit_learn(seed: int) -> None:
    ndcg_score = pytest.importorskip("sklearn.metrics").ndcg_score

    qrels, run = simulate(seed)
    known = {topic: {doc: max(x, 0) for doc, x in docs.items()} for topic, docs in qrels.items()}
    for k in (None, 1, 5):
        scores = [
            ndcg_score([[known[topic].get(doc, 0) for doc in docs]], [[*docs.values()]], k=k)
            for topic, docs in run.items()
        ]
        measure = "nDCG" if k is None else f"nDCG@{k}"
        assert "scikit-learn" in find_tools(known, run, measure, mean(scores)), measure


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("complete", [False, True])
def test_reconcile_gdeval(seed: int, complete: bool) -> None:
    qrels, run = simulate(seed)
    lines, _ = gdeval(qrels, run, 5, complete=complete)
    value = float(lines[-1].split(",")[2])
    assert ("gdeval -c" if complete else "gdeval") in find_tools(qrels, run, "nDCG@5", value, 5)


def evaluate_by_beir(qrels: Nested, run: Nested, drop: bool) -> dict[str, float]:
    """BEIR's and MTEB's use of pytrec_eval: without the topic's own document, rounded."""
    kept = {t: {d: x for d, x in docs.items() if d != t or not drop} for t, docs in run.items()}
    names = {"ndcg_cut_5": "nDCG@5", "map_cut_5": "AP@5", "recall_5": "Recall@5", "P_5": "P@5"}
    by_topic = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut", "map_cut", "recall", "P"}).evaluate(kept)
    return {m: round(mean(scores[name] for scores in by_topic.values()), 5) for name, m in names.items()}


def find_first(docs: dict[str, float], level: dict[str, int], k: int) -> float:
    """The reciprocal rank in the first k documents, sorted stably by score."""
    ranked = sorted(docs, key=lambda doc: -docs[doc])[:k]
    return next((1 / rank for rank, doc in enumerate(ranked, 1) if level.get(doc, 0) > 0), 0.0)


def count_capped(docs: dict[str, float], level: dict[str, int], k: int) -> float:
    """The capped recall of the first k documents, sorted stably by score."""
    ranked = sorted(docs, key=lambda doc: -docs[doc])[:k]
    relevant = sum(x > 0 for x in level.values())
    return sum(level.get(doc, 0) > 0 for doc in ranked) / min(relevant, k)


@pytest.mark.parametrize("seed", SEEDS)
def test_reconcile_beir_and_mteb(seed: int) -> None:
    qrels, run = simulate(seed)
    for drop, labels in ((True, {"beir", "mteb ignore_identical_ids"}), (False, {"mteb"})):
        for measure, value in evaluate_by_beir(qrels, run, drop).items():
            assert labels <= find_tools(qrels, run, measure, value, 5), measure
    everything = {topic: run.get(topic, {}) for topic in qrels}
    value = round(mean(find_first(docs, qrels[topic], 5) for topic, docs in everything.items()), 5)
    assert "beir mrr" in find_tools(qrels, run, "RR@5", value, 5)
    value = round(mean(find_first(docs, qrels[topic], 5) for topic, docs in run.items()), 5)
    assert "mteb before #5136" in find_tools(qrels, run, "RR@5", value, 5)
    some = {topic: docs for topic, docs in qrels.items() if max(docs.values()) > 0}
    capped = [count_capped(docs, some[topic], 5) for topic, docs in run.items() if topic in some]
    value = round(sum(capped) / len(some), 5)  # BEIR 2.2.0 divides by the number of judged topics
    assert "beir recall_cap" in find_tools(some, run, "R_cap@5", value, 5)
    assert "mteb recall_cap before #5136" in find_tools(some, run, "R_cap@5", round(mean(capped), 5), 5)


@pytest.mark.parametrize("seed", SEEDS)
def test_reconcile_letor(seed: int, tmp_path: Path) -> None:
    """The test data are the rankings, so that every document is judged and no topic is missing."""
    rng = np.random.default_rng(seed)
    rows = [(topic, f"D{topic}{i}", int(x)) for topic in range(6) for i, x in enumerate(rng.integers(0, 3, 9))]
    (tmp_path / "test").write_text("".join(f"{x} qid:{t} 1:0 #docid = {d}\n" for t, d, x in rows))
    scores = rng.integers(0, 4, len(rows)) / 4
    (tmp_path / "scores").write_text("".join(f"{x}\n" for x in scores))
    means = eval_score(str(tmp_path / "test"), str(tmp_path / "scores"), 5).summary()
    run: Nested = {}
    for (topic, doc, _), score in zip(rows, scores.tolist(), strict=True):
        run.setdefault(str(topic), {})[doc] = score
    (values,) = means.values()
    for name, measure in (("nDCG(gain=exp, discount=jk)@5", "nDCG@5"), ("AP", "AP"), ("P@5", "P@5")):
        assert "letor" in find_tools(tmp_path / "test", run, measure, values[name]), name


def compute_by_ntcireval(
    directory: Path, docs: dict[str, float], levels: dict[str, int], capture: pytest.CaptureFixture[str]
) -> dict[str, float]:
    """The measures of NTCIREVAL for one topic."""
    rel, res, labelled = directory / "a.rel", directory / "a.res", directory / "a.label"
    rel.write_text("".join(f"{doc} L{x}\n" for doc, x in levels.items()))
    res.write_text("".join(f"{doc}\n" for doc in docs))
    assert main(["ntcir_eval", "label", "-r", str(rel), str(res)]) == 0
    labelled.write_text(capture.readouterr().out)
    assert main(["ntcir_eval", "compute", "-r", str(rel), "-g", "1:2:3", "-cutoffs", "5", str(labelled)]) == 0
    lines = [line for line in capture.readouterr().out.splitlines() if "=" in line and "#" not in line]
    return {name.strip(): float(value) for name, value in (line.split("=") for line in lines)}


@pytest.mark.parametrize("seed", SEEDS)
def test_reconcile_ntcireval(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = simulate(seed)
    qrels = {t: {d: max(x, 0) for d, x in docs.items()} for t, docs in qrels.items() if max(docs.values()) > 0}
    ranked = {t: {d: float(-i) for i, d in enumerate(docs)} for t, docs in run.items() if t in qrels}
    by_topic = [compute_by_ntcireval(tmp_path, docs, qrels[topic], capsys) for topic, docs in ranked.items()]
    names = {"MSnDCG@0005": ("nDCG@5", "ntcireval MSnDCG"), "nDCG@0005": ("nDCG@5", "ntcireval nDCG"),
             "AP@0005": ("AP@5", "ntcireval"), "P@0005": ("P@5", "ntcireval"), "RR": ("RR", "ntcireval")}  # fmt: skip
    for name, (measure, label) in names.items():
        value = mean(scores[name] for scores in by_topic)  # of numbers with four decimals
        assert label in find_tools(qrels, ranked, measure, value, 4, tolerance=1e-4), name


INVENTED: tuple[Callable[[float], float], ...] = (lambda x: x + 0.0031, lambda x: x * 0.9877, lambda x: 1 - x)


@pytest.mark.parametrize("seed", SEEDS)
def test_reconcile_invented_number_has_no_match(seed: int) -> None:
    qrels, run = simulate(seed)
    value = cf.evaluate(qrels, run, "nDCG@5").values.mean()
    results = [cf.reconcile(qrels, run, {"nDCG@5": f"{change(value):.7f}"}) for change in INVENTED]
    assert not any(results)
    assert all(len(result.near) == 5 for result in results)
