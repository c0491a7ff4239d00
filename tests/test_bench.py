"""The benchmarks: what got slower since the table in the documents was measured."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parent.parent / "bench" / "bench.py"
TABLE = """
| work: peer | measured | target |
|---|---|---|
| text: zcat \\| peer | 6.00 x faster | at least 4 |
| small: peer | 2.00 x the time (missed) | at most 1.7 |
| large: peak memory | 100 MB | at most 150 |
"""


@pytest.fixture(scope="module")
def bench() -> Any:
    spec = importlib.util.spec_from_file_location("bench", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_read_as_it_is_written(bench: Any) -> None:
    before = bench.committed(TABLE)
    assert before == {"text: zcat | peer": 6.0, "small: peer": 2.0, "large: peak memory": 100.0}
    rows = [bench.Result(name, value, 1, "x the time") for name, value in before.items()]
    assert bench.committed("\n".join(row.row for row in rows)) == before
    assert len(bench.committed(bench.PERFORMANCE.read_text(encoding="utf-8"))) >= 15


@pytest.mark.parametrize(
    ("name", "measured", "unit", "said"),
    [
        ("text: zcat | peer", 4.9, "x faster", "4.90 x faster, was 6 (1.22 times)"),
        ("text: zcat | peer", 5.1, "x faster", ""),
        ("small: peer", 2.5, "x the time", "2.50 x the time, was 2 (1.25 times)"),
        ("small: peer", 2.3, "x the time", ""),
        ("large: peak memory", 130, "MB", "130 MB, was 100 (1.30 times)"),
        ("something new", 1000, "MB", ""),
    ],
)
def test_what_is_slower_by_a_fifth_is_told(bench: Any, name: str, measured: float, unit: str, said: str) -> None:
    *slower, known = bench.told([bench.Result(name, measured, 1, unit)], bench.committed(TABLE))
    assert slower == ([f"SLOWER  {name}: {said}"] if said else [])
    assert known.startswith("0 of 1" if name == "something new" else "1 of 1")
