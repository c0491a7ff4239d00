"""trec_eval 10 on random collections, as it was recorded (``tests/peers/recorded.py``), and on
the TREC 2003 robust track."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from tests import ROOT
from tests.evidence import checks
from tests.made import examples
from tests.peers.made import (
    BINARY,
    GEOMETRIC,
    GRADED,
    JUDGED,
    TREC_9,
    TREC_10,
    TREC_10_ONLY,
    Collection,
    Nested,
    assert_agree,
    collections,
    curve,
    our_name,
    pytrec,
    trec_files,
    values,
)
from tests.peers.recorded import Answer, is_installed, original, program

ROBUST = ROOT.parent / "shared" / "data" / "robust03"


Ask = Callable[[Sequence[str], Path], Answer]


def trec_eval(qrels: Path, run: Path, names: Iterable[str], *options: str, ask: Ask = original) -> Nested:
    """What trec_eval prints per topic: four decimals."""
    parameters: dict[str, list[str]] = {}
    for name in names:
        shape = re.fullmatch(r"(.+?)(?:_([\d.]+))?", name)
        family, k = shape.groups()  # type: ignore[union-attr]
        parameters.setdefault(family, []).extend([k] if k else [])
    flags = (f"{family}.{','.join(ks)}" if ks else family for family, ks in parameters.items())
    return trec_eval_says(qrels, run, flags, *options, ask=ask)


def trec_eval_says(qrels: Path, run: Path, flags: Iterable[str], *options: str, ask: Ask = original) -> Nested:
    """The same for measures as its -m writes them: utility.1,-1,0,0."""
    asked = [text for flag in flags for text in ("-m", flag)]
    done = ask(["-q", "-c", *options, *asked, qrels.name, run.name], qrels.parent)
    assert done.exit == 0, done.err
    found: Nested = {}
    for line in done.out.splitlines():
        name, topic, value = line.split()
        if name != "runid":
            found.setdefault(topic, {})[name] = float(value)
    return found


HALF_A_DIGIT = 0.5e-4 + 1e-9
EVERY_10 = {k: v for k, v in (TREC_10 | TREC_10_ONLY).items() if k != "num_q"}  # of each topic


@pytest.mark.parametrize("level", [1, 2])
def test_trec_eval(tmp_path: Path, level: int) -> None:
    """Topics that were not answered are printed too (-c), and so is the summary."""
    names = BINARY | JUDGED | (GRADED if level == 1 else {})
    names |= curve("nearest")
    for c in collections(seed=50 + level, count=12, levels=(0, 1, 2, 3, 4)):
        files = trec_files(c, tmp_path)
        theirs = trec_eval(*files, names, "-l", str(level))
        for by_name in theirs.values():
            by_name.setdefault("num_q", 1)  # which it prints for all topics together
        options: dict[str, Any] = {} if level == 1 else {"rel": level}
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
        t: dict(zip(measures, row.tolist(), strict=True)) for t, row in zip(found.topics, found.values[0], strict=True)
    }


@checks(*EVERY_10.values(), against="trec_eval")
def test_trec_eval_10_orders_by_double_precision(tmp_path: Path) -> None:
    """Scores that differ past the 24th bit are no ties; those that are equal are."""
    rng = np.random.default_rng(52)
    for c in collections(seed=52, count=6):
        for docs in c.run.values():
            for d in docs:
                docs[d] = 0.123456789 + int(rng.integers(0, 20)) * 1e-12
        theirs = trec_eval(*trec_files(c, tmp_path), EVERY_10)
        del theirs["all"]
        assert_agree(c, values(c, EVERY_10.values()), theirs, EVERY_10, HALF_A_DIGIT)


@pytest.mark.parametrize("level", [1, 2])
def test_trec_eval_10_adds(tmp_path: Path, level: int) -> None:
    """What version 9 does not have; yaap is −log(1 + R) where nothing was retrieved."""
    options: dict[str, Any] = {} if level == 1 else {"rel": level}
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


@checks(*GEOMETRIC.values(), against="trec_eval")
def test_trec_eval_geometric_means(tmp_path: Path) -> None:
    """It prints them for all topics together only."""
    for c in collections(seed=57, count=12):
        files = trec_files(c, tmp_path)
        theirs = trec_eval(*files, GEOMETRIC)["all"]
        summary = cf.evaluate(*files, list(GEOMETRIC)).summary()["tag"]
        for their_name, name in GEOMETRIC.items():
            assert abs(summary[name] - theirs[their_name]) <= HALF_A_DIGIT


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
    assert lists > examples(1000)


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


@checks("RBP", against="trec_eval")
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
    assert residuals > examples(500)


# -- the TREC 2003 robust track -----------------------------------------------------------------

with_robust = pytest.mark.skipif(
    not ROBUST.is_dir(),
    reason="data outside the repository: no shared/data/robust03 in the folder above it",
)
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
@pytest.mark.skipif(not is_installed(), reason="no trec_eval 10 on the PATH")
@pytest.mark.parametrize("run", ROBUST_TABLE)
def test_robust03_trec_eval(run: str, tmp_path: Path) -> None:
    """The program itself, as what it says of this collection is not ours to keep."""
    for name in ("qrels.txt", run):
        (tmp_path / name).write_bytes(gzip.decompress((ROBUST / f"{name}.gz").read_bytes()))
    files = tmp_path / "qrels.txt", tmp_path / run
    theirs = trec_eval(*files, EVERY_10, ask=program)
    del theirs["all"]
    ours = values_of_files(files, EVERY_10.values())
    assert_agree(robust(run), ours, theirs, EVERY_10, HALF_A_DIGIT)
