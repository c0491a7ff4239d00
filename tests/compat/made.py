"""Random collections for two packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Nested = dict[str, dict[str, Any]]
ROUNDING = 1e-9  # sums in another order


def collection(seed: int, levels: tuple[int, ...], ties: bool = True) -> tuple[Nested, Nested]:
    """Judgments and a run as the peers can take them: every judged topic has a level from 0 on
    and no list is empty (pytrec_eval crashes); topics are numbers, ids ASCII (gdeval); scores
    are multiples of 1/8, so that single precision holds them, and above 0 (see Compat)."""
    rng = np.random.default_rng(seed)
    qrels: Nested = {}
    run: Nested = {}
    for topic in range(1, 61):
        n = int(rng.integers(2, 40))
        docs = [f"d{i}" for i in rng.permutation(3 * n)[:n]]
        top = 0 if topic % 9 == 0 else max(levels)  # some topics without a relevant document
        judged = rng.choice([x for x in levels if x <= top], size=int(rng.integers(1, n)))
        qrels[str(topic)] = dict(zip(docs, judged.tolist(), strict=False)) | {docs[-1]: 0}
        found = rng.permutation(docs)[: int(rng.integers(1, n + 1))].tolist()
        places = rng.integers(1, n, len(found)) if ties else rng.permutation(3 * n)[: len(found)]
        run[str(topic)] = dict(zip(found, ((places + 1) / 8).tolist(), strict=True))
    del run["7"], run["21"]  # not answered
    run["99"] = {"d1": 1.0}  # not judged
    return qrels, run


def own(registry: Mapping[str, Any]) -> set[str]:
    """What ir_measures knows by itself, also if `cranfield.compat.provider` was imported."""
    return {name for name, x in registry.items() if type(x).__module__.startswith("ir_measures.")}
