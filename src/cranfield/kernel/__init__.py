"""`KERNEL`: the compiled functions of `_kernel.c`, or None if not built or switched off.

NumPy and Python code computes the same results to the last bit. Callers use this code if `KERNEL`
is None, or if a function of the kernel returns that the input is irregular.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias, cast

Arrays: TypeAlias = tuple[Any, ...]  # of eight-byte numbers


class Kernel(Protocol):
    """Functions of the compiled kernel, documented in `_kernel.c`."""

    def read_lines(
        self, text: bytes | memoryview, begin: int, end: int, layout: Sequence[int], key: int, columns: Arrays, /
    ) -> tuple[int, int, int, int, int, int, bool] | None: ...

    def hash_strings(self, text: Any, places: Arrays, key: int, hashes: Arrays, /) -> None: ...

    def pack_column(self, capsule: Any, key: int, /) -> tuple[bytes, bytes, bytes, bytes] | None: ...

    def place_rows(
        self, text: Any, rows: Arrays, groups: Arrays, judged_text: Any, judged: Arrays, out: Arrays, stable: bool, /
    ) -> tuple[bytes, int]: ...

    def place_lists(
        self,
        lists: Mapping[str, Mapping[str, float]],
        topics: tuple[str, ...],
        docs: list[str],
        judged: Arrays,
        stable: bool,
        keep_order: bool,
        without_self: bool,
        /,
    ) -> tuple[bytes, bytes] | None: ...

    def flatten(self, lists: Any, /) -> tuple[list[str], bytes, bytes] | None: ...

    def hash_names(self, names: list[str], hashes: Any, /) -> bool: ...

    def is_plain(self, lists: Any, /) -> bool: ...

    def sort_groups(self, keys: Any, bounds: Any, out: Any, /) -> None: ...


VERSION = 2  # of the interface, as in `_kernel.c`


def _load() -> tuple[Kernel | None, str]:
    if os.environ.get("CRANFIELD_KERNEL") == "off":
        return None, "compiled kernel switched off"
    try:
        module = import_module("cranfield.kernel._kernel")
    except ImportError:
        return None, "without compiled kernel"
    if getattr(module, "VERSION", None) != VERSION:  # built from older sources
        return None, "without compiled kernel (built for another version: reinstall cranfield)"
    return cast(Kernel, module), "with compiled kernel"


KERNEL, USED = _load()
