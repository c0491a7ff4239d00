"""ranx on random collections, topic by topic."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.evidence import checks
from tests.made import examples
from tests.peers.made import Collection, Nested, assert_agree, collections, values

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


@checks(*RANX, "bpref", "rbp.50", against="ranx")
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
    assert min(lists.values()) > examples(350), lists
