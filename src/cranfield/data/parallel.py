"""Parallel work on parts, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

P = TypeVar("P")
W = TypeVar("W")


def map_in_order(parts: Iterator[P], work: Callable[[P], W], threads: int = 2) -> Iterator[W]:
    """Yield the result of `work` for each part, in the order of the parts.

    Only a few parts are submitted ahead. An interrupted caller waits for these parts, and not for
    all parts as with `ThreadPoolExecutor.map`.

    >>> list(map_in_order(iter("abc"), str.upper))
    ['A', 'B', 'C']
    """
    first = list(islice(parts, 2))
    if threads < 2 or len(first) < 2:
        yield from map(work, first)
        yield from map(work, parts)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    queue: deque[Future[W]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            queue.extend(pool.submit(work, part) for part in first)
            for part in parts:
                queue.append(pool.submit(work, part))
                if len(queue) > 2 * threads:
                    yield queue.popleft().result()
            while queue:
                yield queue.popleft().result()
        finally:
            for future in queue:
                future.cancel()
