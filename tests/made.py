"""What several tests make: files, and the score of a topic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cranfield as cf

Qrels = dict[str, dict[str, float]]
Classes = dict[str, dict[str, str]]
Scored = dict[str, dict[str, float]]


def one(qrels: Any, run: Any, measure: str, **options: Any) -> float:
    """The score of a single topic under a single measure."""
    scores = cf.evaluate(qrels, run, measure, **options)
    assert scores.values.shape == (1, 1, 1)
    return float(scores.values[0, 0, 0])


def written(path: Path, content: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return str(path)


NTCIR_4 = "1 a L2 x\n1 b L0 x\n2 c L1 y\n"
TREC = "1 0 a 2\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n2 Q0 z 1 1 r\n"


Printed = Callable[[str], str]


def scored(values: Any, runs: tuple[str, ...], measure: str = "AP", **more: Any) -> cf.Scores:
    """Scores of one measure: values [runs, topics]."""
    array = np.asarray(values, dtype=np.float64)
    topics = tuple(f"q{t}" for t in range(array.shape[1]))
    return cf.Scores(
        array[:, :, None], runs, topics, (measure,), **{"summaries": ("mean",), **more}
    )


def simulated(runs: int = 4, topics: int = 30, seed: int = 1, gap: float = 0.1) -> cf.Scores:
    """Runs that are better by `gap` one after the other."""
    random = np.random.default_rng(seed)
    hard = random.uniform(0.1, 0.5, topics)
    values = [hard + gap * r + random.normal(0, 0.05, topics) for r in range(runs)]
    return scored(np.array(values), tuple(f"run{r}" for r in range(runs)))
