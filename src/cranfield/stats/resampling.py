"""Random trials in chunks. A chunk has its own stream of random numbers, a thread has none: the
same seed gives the same numbers on any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from cranfield.arrays import Ints
from cranfield.data.reading.parts import map_in_order
from cranfield.errors import InputError

TRIALS = 10_000
MAX_TRIALS = 100_000_000  # trials, of which it is hard to wait for the end
CELLS = 500_000  # random values held at a time by a thread: 4 MB, which stays near the processor
BLOCK_CELLS = (
    1 << 15
)  # of them computed with at a time: new memory costs more than the numbers in it

Progress = Callable[[int], None]  # told how many trials were done since the last call
T = TypeVar("T")


def run_in_chunks(
    trial: Callable[[np.random.Generator, int], T],
    trials: int,
    seed: int,
    cells: int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """What ``trial(random, number of trials)`` returns for each chunk, in their order.

    `cells` is what one trial needs, and alone decides how large a chunk is: neither the number of
    threads nor that of trials changes what the first trials draw.

    >>> in_chunks(lambda random, size: size, trials=5, seed=0, cells=CELLS // 2)
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
    """The stream of random numbers with this name: other streams of the seed do not overlap."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=stream))


def draw_topics(random: np.random.Generator, size: int, n: int) -> Ints:
    """n of n topics with replacement, `size` times, as the first that a fresh stream draws.

    Every pair of runs draws the same, from streams of one name: they are kept for the next.
    """
    name: Any = random.bit_generator.seed_seq
    return _draw_cached_topics(name.entropy, name.spawn_key, size, n)


@lru_cache(maxsize=8)  # of at most 4 MB each, but where there are more topics than that
def _draw_cached_topics(seed: int, stream: tuple[int, ...], size: int, n: int) -> Ints:
    topic_samples = create_generator(seed, *stream).integers(n, size=(size, n))
    topic_samples.flags.writeable = False
    return topic_samples


def check_trials(trials: Any, seed: Any) -> None:
    """Refuse what are no numbers of trials, or no seed."""
    for name, value, least in (("trials", trials, 1), ("seed", seed, 0)):
        is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_integer or value < least:
            raise InputError(f"{name}={value!r}", f"a whole number from {least}")
    if trials > MAX_TRIALS:
        raise InputError(f"{trials:,} trials", f"at most {MAX_TRIALS:,}")
