"""What tests of several methods share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.scores import Scores


def by_topic(**runs: Sequence[float]) -> dict[str, dict[str, float]]:
    return {run: {f"q{i}": x for i, x in enumerate(values)} for run, values in runs.items()}


def random_runs(runs: int, topics: int, seed: int = 1) -> dict[str, dict[str, float]]:
    values = np.random.default_rng(seed).random((runs, topics))
    return by_topic(**{f"run{i}": row.tolist() for i, row in enumerate(values)})


def scores_of(values: Any, measures: list[str], better: tuple[str, ...] = ()) -> Scores:
    """Scores [runs, topics, measures], with runs a, b, … and topics 1, 2, …."""
    array = np.array(values, dtype=np.float64)
    runs = [chr(ord("a") + i) for i in range(array.shape[0])]
    topics = [str(i + 1) for i in range(array.shape[1])]
    return Scores(array, tuple(runs), tuple(topics), tuple(measures), ("mean",) * len(measures),
                  better=better)  # fmt: skip


# -- Figure 17 ----------------------------------------------------------------------------------

# Two runs a and b, three topics; a − b by M1, M2 and the gold measures G and H:
#   topic 1: M1 +, M2 −, G +, H −: G is with M1, H with M2
#   topic 2: M1 −, M2 +, G 0, H −: G is with both, H with M1
#   topic 3: M1 +, M2 0: no strict disagreement
BY_HAND = scores_of(
    [
        [[0.9, 0.1, 1.0, 0.0], [0.2, 0.6, 0.5, 0.1], [0.8, 0.5, 0.0, 0.0]],
        [[0.4, 0.3, 0.5, 0.5], [0.3, 0.5, 0.5, 0.2], [0.1, 0.5, 1.0, 1.0]],
    ],
    ["M1", "M2", "G", "H"],
)
