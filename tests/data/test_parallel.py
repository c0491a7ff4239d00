"""Work on several parts at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from cranfield.data.parallel import map_in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_the_order_is_that_of_the_parts(threads: int, count: int) -> None:
    def late(part: int) -> int:
        time.sleep(0.001 * (part % 3))
        return -part

    assert list(map_in_order(iter(range(count)), late, threads)) == [-part for part in range(count)]


def test_who_is_stopped_waits_for_few() -> None:
    """Those that are worked on; what was handed out beside them is left."""
    begun: list[int] = []

    def parts() -> Iterator[int]:
        yield from range(4)
        raise KeyboardInterrupt

    def work(part: int) -> None:
        begun.append(part)
        time.sleep(0.2)

    with pytest.raises(KeyboardInterrupt):
        list(map_in_order(parts(), work, 2))
    assert len(begun) <= 2
