"""Lines of text as columns in one loop, by the compiled part, where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from cranfield import kernel
from cranfield.data.reading import strings
from cranfield.data.reading.columns import VALUE, Kind
from cranfield.data.reading.strings import ROOM, Strings
from cranfield.data.reading.table import Table


def read_lines(text: bytes, names: Sequence[str], kind: Kind, by_tag: bool) -> Table | None:
    """The table of lines with these fields, or None if anything is odd about one.

    So it is also where lines of several runs are to be told apart.
    """
    if kernel.KERNEL is None or not text:
        return None
    around, end = b"\n" * ROOM, b"" if text.endswith(b"\n") else b"\n"
    padded = b"".join((around, text, end, around))
    place = {name: i for i, name in enumerate(names)}
    indices = (place.get(name, -1) for name in ("doc", VALUE[kind], "rank", "tag"))
    buffer = np.frombuffer(padded, dtype=np.uint8)
    rows = int(np.count_nonzero(buffer == ord("\n")))  # five times as fast as bytes.count
    _keep_memory()
    block = np.empty((8, rows), dtype=np.int64)
    start, length, row, topic_start, size = block[:5]
    hashes, (values, ranks) = block[5].view(np.uint64), block[6:].view(np.float64)
    columns = (start, length, hashes, values, ranks, row, topic_start, size)
    layout = (len(names), *indices)
    result = kernel.KERNEL.read_lines(
        padded, ROOM, len(padded) - ROOM, layout, int(strings.KEY), columns
    )
    if result is None:
        return None
    n, groups, odd_values, odd_ranks, tag, tag_size, same_tag = result
    if odd_values or odd_ranks or not n or (by_tag and not same_tag):
        return None
    return Table(
        Strings(buffer, topic_start[:groups], size[:groups]),
        row[:groups],
        Strings(buffer, start[:n], length[:n]),
        hashes[:n],
        values[:n],
        ranks[:n] if "rank" in place else None,
        padded[tag : tag + tag_size].decode() if "tag" in place else None,
    )


@cache
def _keep_memory() -> None:
    """Let the allocator keep what pieces use, for the next ones.

    glibc gives freed memory back to the system if it is more than twice the largest block that was
    freed before; to fetch it again, page by page, takes as long as reading the lines. Other
    allocators do not mind.
    """
    np.empty(31 << 20, dtype=np.uint8)  # and it is freed at once, untouched
