"""How often intervals of a judge and people hold, by simulation: ``make coverage-simulated``.

Scores are drawn, judges are good, biased or useless, and it is counted how often the 95% interval
has the truth in it. The bounds are 93 to 97 %, where scores have many values and people judged at
least 20 topics; those of a sample of documents may hold more often where few of them differ.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np

from cranfield.arrays import Floats
from cranfield.judging.battles import battles
from cranfield.stats.judged import powered, t_quantile
from cranfield.stats.sampled import estimated, inclusion_probabilities

REPETITIONS = 2_000
BOUNDS = (0.93, 0.97)
Random = np.random.Generator

SCORES: dict[str, Callable[[Random, tuple[int, ...]], Floats]] = {
    "scores": lambda chance, shape: chance.beta(1.2, 2.5, shape),
    "differences": lambda chance, shape: chance.normal(0.05, 0.15, shape),
}
TRUTH = {"scores": 1.2 / 3.7, "differences": 0.05}
JUDGES: dict[str, Callable[[Random, Floats], Floats]] = {
    "good": lambda chance, Y: Y + chance.normal(0, 0.1, Y.shape),
    "biased": lambda chance, Y: 0.3 + 0.5 * Y**2 + chance.normal(0, 0.1, Y.shape),
    "useless": lambda chance, Y: chance.random(Y.shape),
}
SIZES = ((20, 30), (20, 200), (50, 50), (50, 200))  # people's topics, and others


def by_topic(kind: str, judge: str, n: int, N: int, repetitions: int, seed: int = 0) -> float:
    """How often an interval from n topics of people and n + N of a judge holds."""
    chance = np.random.default_rng([seed, n, N])
    Y = SCORES[kind](chance, (repetitions, n + N))
    f = JUDGES[judge](chance, Y)
    found = powered(Y[:, :n], f[:, :n], f[:, n:])
    half = found.error * t_quantile(0.95, n - 1)
    return float(np.mean(np.abs(found.estimate - TRUTH[kind]) <= half))


def by_sample(wrong: float, size: int, repetitions: int, seed: int = 0) -> float:
    """How often an interval from a sample of documents holds, of two runs on 50 topics by P@10;
    the judge is wrong about a share of them, more often of those that are not relevant.
    """
    chance = np.random.default_rng([seed, size])
    held = 0
    for _ in range(repetitions):
        places = chance.permuted(np.tile(np.arange(20), (2, 50, 1)), axis=2)
        w = (places < 10).reshape(2, -1) / 500
        y = (chance.random(1000) < 0.4) * 1.0
        f = np.where(chance.random(1000) < wrong * (1.5 - y), 1 - y, y)
        p = inclusion_probabilities(w.sum(axis=0), size)
        s = chance.random(1000) < p
        found = estimated(float(w[0] @ f), (w[0] * (y - f))[s], (w[0] * y)[s], p[s])
        assert found.low is not None
        assert found.high is not None
        held += found.low <= float(w[0] @ y) <= found.high
    return held / repetitions


def by_battles(topics: int, repetitions: int, trials: int = 400, seed: int = 0) -> float:
    """How often an interval of a difference of ratings holds, of three runs, 6 battles a topic."""
    chance = np.random.default_rng([seed, topics])
    held, strengths = 0, np.array([0.4, 0.0, -0.4])
    for k in range(repetitions):
        said = []
        for topic in range(topics):
            for _ in range(6):
                i, j = chance.choice(3, 2, replace=False)
                half = (strengths[i] - strengths[j]) / 2
                p = np.array([np.exp(half), np.exp(-half), 0.6])
                who = chance.choice(3, p=p / p.sum())
                said.append((str(topic), f"r{i}", f"r{j}", (f"r{i}", f"r{j}", "tie")[who]))
        found = battles(said, trials=trials, seed=k, threads=1)
        [pair] = [x for x in found.pairs if {x.run, x.other} == {"r0", "r2"}]
        sign = 1.0 if pair.run == "r0" else -1.0
        assert pair.low is not None
        assert pair.high is not None
        held += pair.low <= sign * 0.8 * 400 / np.log(10) <= pair.high
    return held / repetitions


def every(repetitions: int = REPETITIONS) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """What is simulated, how often the interval held, and the bounds of that."""
    for kind in SCORES:
        for judge in JUDGES:
            for n, N in SIZES:
                name = f"{kind}, {judge} judge, {n} topics of people, {N} others"
                yield name, by_topic(kind, judge, n, N, repetitions), BOUNDS
    for wrong in (0.1, 0.3, 0.5):
        for size in (200, 400):
            name = f"sample of {size} of 1,000 documents, judge wrong in {100 * wrong:g}%"
            yield name, by_sample(wrong, size, repetitions), (0.93, 0.985)
    yield "ratings from battles on 50 topics", by_battles(50, repetitions // 4), BOUNDS


def main() -> int:
    """Print all, and fail if one is out of bounds."""
    outside = 0
    for name, share, (low, high) in every():
        is_outside = not low <= share <= high
        outside += is_outside
        print(f"{share:.4f}  {name}{'  <- out of bounds' * is_outside}", flush=True)
    return int(outside > 0)


if __name__ == "__main__":
    sys.exit(main())
