"""Fusion against ranx on random runs: all methods but condorcet, all norms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.runs.fusion import METHODS, NORMS
from tests.evidence import checks

METHOD_NAMES = {
    "rrf": ("rrf", {"k": 60}),
    "combsum": ("sum", {}),
    "combmnz": ("mnz", {}),
    "combanz": ("anz", {}),
    "combmax": ("max", {}),
    "combmin": ("min", {}),
    "isr": ("isr", {}),
    "logisr": ("log_isr", {}),
    "rbc": ("rbc", {"phi": 0.8}),
    "borda": ("bordafuse", {}),
}
NORM_NAMES = {"min-max": "min-max", "max": "max", "sum": "sum", "z": "zmuv", "rank": "rank", "none": None}
PROGRAM = """
import json, sys
from ranx import Run, fuse

results = []
for runs, norm, method, parameters in json.load(sys.stdin):
    runs = [Run(run, name=str(i)) for i, run in enumerate(runs)]
    results.append(fuse(runs=runs, norm=norm, method=method, params=parameters or None).to_dict())
print(json.dumps(results))
"""


def make_run(rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Return a run with positive, different scores. All runs have all topics, as ranx requires."""
    sizes = rng.integers(8, 20, size=4).tolist()
    return {
        f"q{t}": {f"d{d}": float(s) for d, s in zip(rng.permutation(30)[:n].tolist(), rng.gamma(2, 5, n), strict=True)}
        for t, n in enumerate(sizes)
    }


@checks("cf.fuse", against="ranx")
def test_fuse_equals_ranx() -> None:
    pytest.importorskip("ranx")
    rng = np.random.default_rng(0)
    cases: list[tuple[str, str | None]] = [
        (method, norm) for method in METHOD_NAMES for norm in (NORMS if METHODS[method].needs_scores else (None,))
    ]
    runs = [[make_run(rng) for _ in range(2 + i % 2)] for i, _ in enumerate(cases)]
    jobs: list[Any] = []
    for (method, norm), group in zip(cases, runs, strict=True):
        name, parameters = METHOD_NAMES[method]
        jobs.append((group, None if norm is None else NORM_NAMES[norm], name, parameters))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(jobs),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for (method, norm), group, expected in zip(cases, runs, json.loads(done.stdout), strict=True):
        options: dict[str, Any] = {} if norm is None else {"norm": norm}
        fused = cf.fuse(group, method, depth=None, **options).to_dict()
        assert fused.keys() == expected.keys()
        for topic, scores in fused.items():
            assert scores == pytest.approx(expected[topic], abs=1e-12), (method, norm)
