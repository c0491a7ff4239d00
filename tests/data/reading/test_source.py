"""NTCIR's runs begin with ``<SYSDESC>…</SYSDESC>``: every command reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

RUN = "1 Q0 d1 1 3 A\n1 Q0 d2 2 2 A\n2 Q0 d1 1 1 A\n"
QRELS = "1 0 d2 1\n2 0 d1 1\n"
BEFORE = [
    "<SYSDESC>BM25, k1 = 0.9</SYSDESC>\n",
    "# x\n<sysdesc>\nBM25,\n1 Q0 d9 1 9 B\n</sysDesc>\n",
]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "q", "r", "-m", "RR"],
        ["validate", "q", "r"],
        ["pool", "r", "--depth", "2"],
        ["trec_eval", "-m", "all_trec", "q", "r"],
        ["gdeval", "q", "r"],
        ["ntcir", "split-runs", "tid", "r"],
    ],
    ids=lambda words: words[0],
)
def test_every_command(
    before: str, command: list[str], tmp_path: Path, monkeypatch: Any, cranfield: Any
) -> None:
    """What is printed, and written, is the same with and without a description."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text(QRELS)
    Path("tid").write_text("1\n2\n")

    def found(run: str) -> tuple[Any, ...]:
        Path("r").write_text(run)
        said = cranfield(*command)
        written = [path.read_text() for path in sorted(tmp_path.glob("*/*.res"))]
        return said.code, said.out, written

    expected = found(RUN)
    assert expected[0] == 0
    assert expected[1] or expected[2]
    assert found(before + RUN) == expected
    assert found(RUN[:14] + BEFORE[0] + RUN[14:]) == expected
