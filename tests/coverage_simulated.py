"""How often intervals and levels of tests hold, by simulation: ``make coverage-simulated``.

Scores are drawn, judges are good, biased or useless, and it is counted how often the 95% interval
has the truth in it. The bounds are 93 to 97 %, where scores have many values and people judged at
least 20 topics; those of a sample of documents may hold more often where few of them differ. Of
measures that are no sums (nDCG, AP) the interval is that of the bootstrap of 50 topics, and the
truth that of all topics of the kind.

Of tests it is counted how often p is 0.05 or less for systems that do not differ. The level holds
if this is at most 0.075, the liberal criterion of Bradley (1978), Robustness?, British Journal of
Mathematical and Statistical Psychology 31. `ENOUGH_TOPICS` of cranfield.stats.few_topics has the
numbers of topics from which on it does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.judging.battles import battles
from cranfield.judging.estimates import ENOUGH_ALONE, ENOUGH_DRAWN, AnswerEstimator, Bootstrap
from cranfield.stats.families import TESTS
from cranfield.stats.few_topics import ENOUGH_TOPICS
from cranfield.stats.imputation import Labels, correct_scores, estimate_level_probabilities
from cranfield.stats.prediction import ENOUGH, compute_t_quantile, estimate_powered
from cranfield.stats.sample_estimates import estimate_difference, inclusion_probabilities
from tests.designs_simulated import iter_promises

REPETITIONS = 2_000
BOUNDS = (0.93, 0.97)
PARTIAL = (0.93, 0.98)  # intervals of differences have the degrees of freedom of one run
SMALL = (0.90, 1.0)
NO_PROMISE = " (no promise)"
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
    found = estimate_powered(Y[:, :n], f[:, :n], f[:, n:])
    half = found.error * compute_t_quantile(0.95, n - 1)
    return float(np.mean(np.abs(found.estimate - TRUTH[kind]) <= half))


RUNS = np.array([0.35, 0.5, 0.65])  # means of three runs, of which some answers are labelled


def by_answer(judge: str, size: int, repetitions: int, nested: bool = False, seed: int = 0) -> dict[str, float]:
    """How often intervals hold if people labelled answers that were drawn one by one, of three
    runs with 60 topics, that differ in difficulty for all runs. Intervals are counted where there
    are some, so of runs with three labelled answers or more. If `nested`, people labelled all
    answers of `size` topics of one run, half of these of another, and none of the third.
    """
    topics = 60
    chance = np.random.default_rng([seed, size, topics])
    held: dict[str, list[bool]] = {"scores": [], "differences": []}
    for _ in range(repetitions):
        easy = chance.normal(0, 0.12, topics)
        Y = RUNS[:, None] + easy + chance.normal(0, 0.15, (3, topics))
        f = JUDGES[judge](chance, Y)
        drawn = chance.permutation(3 * topics).reshape(3, topics) < size
        if nested:
            drawn = chance.permutation(topics) < np.array([[size], [size // 2], [0]])
        found = AnswerEstimator("m", ("a", "b", "c"), False, np.where(drawn, Y, np.nan), f)
        for kind, contrast in (("scores", [1, 0, 0]), ("differences", [1, -1, 0])):
            one = found.estimate(np.array(contrast, dtype=float))
            if one.low is not None and one.high is not None:
                held[kind].append(one.low <= float(np.dot(contrast, RUNS)) <= one.high)
    return {kind: float(np.mean(each)) for kind, each in held.items()}


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
        found = estimate_difference(float(w[0] @ f), (w[0] * (y - f))[s], (w[0] * y)[s], p[s])
        assert found.low is not None
        assert found.high is not None
        held += found.low <= float(w[0] @ y) <= found.high
    return held / repetitions


# -- measures that are no sums: nDCG@10 and AP@20 of two runs, 50 topics of 40 documents ----------

TOPICS, DOCUMENTS = 50, 40
DISCOUNTS = 1 / np.log2(np.arange(DOCUMENTS) + 2)
WRONG: dict[str, Callable[[Random, Floats], Floats]] = {  # what judges add to levels from 0 to 3
    "good": lambda chance, y: chance.choice([-1, 1], y.shape) * (chance.random(y.shape) < 0.12),
    "biased": lambda chance, y: chance.choice([1, 2], y.shape) * (chance.random(y.shape) < 0.4),
    "useless": lambda chance, y: chance.integers(0, 4, y.shape) - y,
}
CONTRASTS = {
    "nDCG@10": (1, 0, 0, 0), "difference by nDCG@10": (1, -1, 0, 0),
    "AP@20": (0, 0, 1, 0), "difference by AP@20": (0, 0, 1, -1),
}  # fmt: skip


def graded(chance: Random, topics: int) -> tuple[Floats, Ints]:
    """Levels of the documents of topics, easy and hard ones, and the lists of two runs."""
    easy = np.clip(chance.beta(1.5, 4, (topics, 1)), 0.03, 0.9)
    shape = topics, DOCUMENTS
    y = (chance.random(shape) < easy) * chance.choice([1.0, 2.0, 3.0], shape, p=[0.5, 0.3, 0.2])
    keys = [y * signal + chance.normal(0, 1.2, shape) for signal in (0.8, 0.5)]
    return y, np.argsort(-np.stack(keys), axis=2)


def ratios(levels: Floats, lists: Ints) -> Floats:
    """nDCG@10 and AP@20 of lists of documents, by levels: [2 measures × runs, versions]."""
    ideal = -np.sort(-levels, axis=1)[:, :10] @ DISCOUNTS[:10]
    R = (levels > 0).sum(axis=1)
    seen = [np.take_along_axis(levels, np.broadcast_to(x, levels.shape), axis=1) for x in lists]
    found = [np.maximum(x[:, :20], 0) > 0 for x in seen]
    precisions = [(I * np.cumsum(I, axis=1) / np.arange(1, 21)).sum(axis=1) for I in found]
    tops, wholes = [[x[:, :10] @ DISCOUNTS[:10] for x in seen], precisions], (ideal, R)
    made = [x / np.maximum(all_, 1e-12) for xs, all_ in zip(tops, wholes, strict=True) for x in xs]
    return np.stack(made)


@cache
def true_ratios() -> Floats:
    """What they are in the mean over topics of the kind."""
    every = ratios(*graded(np.random.default_rng(99), 200_000))
    return np.asarray(every.mean(axis=1))


def by_ratio(judge: str, size: int, repetitions: int, seed: int = 0) -> dict[str, float]:
    """How often intervals from a sample of documents of a judge hold, by measures that are no sums;
    as often are drawn as `cranfield pool --audit -m nDCG@10` does.
    """
    chance, held = np.random.default_rng([seed, size]), dict.fromkeys(CONTRASTS, 0)
    truth = true_ratios()
    for _ in range(repetitions):
        y, lists = graded(chance, TOPICS)
        f = np.clip(y + WRONG[judge](chance, y), 0, 3)
        weights = np.maximum(DISCOUNTS, DISCOUNTS[9])[np.argsort(lists, axis=2)].sum(axis=0)
        p = inclusion_probabilities(weights.ravel(), size)
        said = np.where(chance.random(len(p)) < p, y.ravel(), -1).astype(int)
        where = np.arange(TOPICS * DOCUMENTS)
        labels = Labels(where // DOCUMENTS, f.ravel(), said, np.arange(4.0), p)
        likely, found = estimate_level_probabilities(labels), []
        for t, docs in enumerate(where.reshape(TOPICS, DOCUMENTS)):
            score = partial(ratios, lists=lists[:, t])
            found.append(correct_scores(labels, likely, docs, score, t)[0])
        for name, contrast in CONTRASTS.items():
            low, high = Bootstrap(np.array(contrast) @ np.transpose(found)).compute_interval(0.95)
            held[name] += low <= np.dot(contrast, truth) <= high
    return {name: count / repetitions for name, count in held.items()}


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


# -- levels of tests: how often equal systems differ significantly ---------------------------------

MOST_FALSE = 0.075  # and the error of 2,000 repetitions is 0.006


def _with_zeros(chance: Random, z: Floats) -> Floats:
    return np.where(chance.random(z.shape) < 0.4, 0.0, z)


DIFFERENCES: dict[str, Callable[[Random, tuple[int, ...]], Floats]] = {
    "normal": lambda chance, shape: chance.normal(0, 1, shape),
    "symmetric with zeros": lambda chance, shape: _with_zeros(
        chance, chance.beta(0.6, 1.6, shape) - chance.beta(0.6, 1.6, shape)
    ),
    "skewed with zeros": lambda chance, shape: _with_zeros(chance, 8 - chance.gamma(8, 1, shape)),
    "exponential losses with zeros": lambda chance, shape: _with_zeros(chance, 1 - chance.exponential(1, shape)),
}
SYMMETRIC = ("normal", "symmetric with zeros")
ABOUT_MEANS = ("t", "bootstrap", "bootstrap-shift")  # others assume symmetric differences
TOPIC_COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)


def level(test: str, shape: str, n: int, repetitions: int, trials: int = 1000) -> float:
    """How often a test of n differences, of which the mean is 0, has a p-value of 0.05 or less."""
    chance, row = np.random.default_rng([n, len(shape)]), TESTS[test]
    how = {"trials": trials, "threads": 1} if row.random else {}
    drawn = DIFFERENCES[shape](chance, (repetitions, n))
    wrong: int = sum(row.function(z, np.zeros(n), **how).pvalue <= 0.05 for z in drawn)
    return wrong / repetitions


def level_of_many(test: str, systems: int, n: int, repetitions: int, trials: int = 1000) -> float:
    """How often any of some systems whose scores are drawn alike differs from another."""
    chance, row = np.random.default_rng([n, systems]), TESTS[test]
    how = {"trials": trials, "threads": 1} if row.random else {}
    scores = chance.beta(0.6, 1.6, (repetitions, n, systems))
    found = (row.function(x, **how, axes=("topics", "runs")) for x in scores)
    return sum(bool((family.pvalues <= 0.05).any()) for family in found) / repetitions


def levels(repetitions: int) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """The level of each test by the number of topics; bounds where it is promised to hold."""
    for test, row in TESTS.items():
        if row.crossed:
            continue
        shapes = [s for s in DIFFERENCES if test in ABOUT_MEANS or s in SYMMETRIC]
        for n in TOPIC_COUNTS:
            enough = n >= ENOUGH_TOPICS.get(test, 0)
            bounds = (0.0, MOST_FALSE + 0.006 if enough else 1.0)
            text = f"level of {test}, {n} topics, {'' if enough else 'too few, '}"
            if row.is_joint:
                yield f"{text}5 systems", level_of_many(test, 5, n, repetitions), bounds
                continue
            for shape in shapes:
                promised = NO_PROMISE if shape.startswith("exponential") else ""
                share = level(test, shape, n, repetitions)
                yield f"{text}{shape}{promised}", share, (0.0, 1.0) if promised else bounds


def every(repetitions: int = REPETITIONS) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """What is simulated, how often the interval held, and the bounds of that."""
    yield from levels(repetitions)
    for kind in SCORES:
        for judge in JUDGES:
            for n, N in SIZES:
                name = f"{kind}, {judge} judge, {n} topics of people, {N} others"
                yield name, by_topic(kind, judge, n, N, repetitions), BOUNDS
    for judge in JUDGES:
        for size in (11, 30, 75, 120):
            for kind, share in by_answer(judge, size, repetitions).items():
                text = f"{kind}, {judge} judge, {size} of 180 answers of 3 runs labelled"
                few = size < 3 * ENOUGH
                yield f"{text}{NO_PROMISE * few}", share, SMALL if few else PARTIAL
        for kind, share in by_answer(judge, 40, repetitions, nested=True).items():
            text = f"{kind}, {judge} judge, 40, 20 and 0 of 60 answers of 3 runs labelled"
            yield text, share, PARTIAL
    for wrong in (0.1, 0.3, 0.5):
        for size in (200, 400):
            name = f"sample of {size} of 1,000 documents, judge wrong in {100 * wrong:g}%"
            yield name, by_sample(wrong, size, repetitions), (0.93, 0.985)
    cases = [("good", 150), ("good", 300), ("biased", 150), ("biased", 300), ("useless", 800),
             ("biased", 100), ("useless", 300)]  # fmt: skip
    with ProcessPoolExecutor() as pool:
        shares = pool.map(by_ratio, *zip(*cases, strict=True), [repetitions] * len(cases))
        for (judge, size), found in zip(cases, shares, strict=True):
            for name, share in found.items():
                text = f"{name}, {judge} judge, sample of {size} of 2,000 documents"
                unpromised = size < TOPICS * (ENOUGH_ALONE if judge == "useless" else ENOUGH_DRAWN)
                note, bounds = (NO_PROMISE, (0.0, 1.0)) if unpromised else ("", BOUNDS)
                yield f"{text}{note}", share, bounds
    yield "ratings from battles on 50 topics", by_battles(50, repetitions // 4), BOUNDS
    yield from iter_promises(repetitions)


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
