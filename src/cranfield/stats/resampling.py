"""Random trials in chunks.

Each chunk has its own stream of random numbers, independent of threads. The same seed gives the
same numbers with any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from cranfield.arrays import Ints
from cranfield.data.parallel import map_in_order
from cranfield.errors import InputError

TRIALS = 10_000
MAX_TRIALS = 100_000_000  # trials; more would take too long
CELLS = 500_000  # random values per thread: 4 MB, which fits in the cache of the processor
BLOCK_CELLS = 1 << 15  # random values per block: allocating memory costs more than the computation

Progress = Callable[[int], None]  # called with the number of trials since the last call
T = TypeVar("T")


def run_in_chunks(
    trial: Callable[[np.random.Generator, int], T],
    trials: int,
    seed: int,
    cells: int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """Return the results of ``trial(random, trials)`` for each chunk, in order.

    `cells` is the number of values of one trial, and alone determines the size of a chunk.
    Therefore neither the number of threads nor the number of trials changes the first trials.

    >>> run_in_chunks(lambda random, size: size, trials=5, seed=0, cells=CELLS // 2)
    [2, 2, 1]
    """
    check_trials(trials, seed)
    size = max(1, CELLS // max(1, cells))
    sizes = [min(size, trials - first) for first in range(0, trials, size)]

    def run_chunk(number: int) -> T:
        result = trial(create_generator(seed, number), sizes[number])
        if progress is not None:
            progress(sizes[number])
        return result

    workers = min(threads or os.cpu_count() or 1, len(sizes))
    return list(map_in_order(iter(range(len(sizes))), run_chunk, workers))


def create_generator(seed: int, *stream: int) -> np.random.Generator:
    """Create the generator of a stream. Streams of the same seed do not overlap."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=stream))


def draw_topics(random: np.random.Generator, size: int, n: int) -> Ints:
    """Draw n of n topics with replacement, `size` times, from a fresh stream.

    The result is cached, because every pair of runs uses streams with the same names.
    """
    name: Any = random.bit_generator.seed_seq
    return _draw_cached_topics(name.entropy, name.spawn_key, size, n)


@lru_cache(maxsize=8)  # at most 4 MB each, except for very many topics
def _draw_cached_topics(seed: int, stream: tuple[int, ...], size: int, n: int) -> Ints:
    topic_samples = create_generator(seed, *stream).integers(n, size=(size, n))
    topic_samples.flags.writeable = False
    return topic_samples


def check_trials(trials: Any, seed: Any) -> None:
    """Raise an error unless trials and seed are integers in range."""
    for name, value, least in (("trials", trials, 1), ("seed", seed, 0)):
        is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_integer or value < least:
            raise InputError(f"{name}={value!r}", f"an integer ≥ {least}")
    if trials > MAX_TRIALS:
        raise InputError(f"{trials:,} trials", f"at most {MAX_TRIALS:,}")
