"""Settings of Spark, and what is said where it is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from cranfield.cli.main import main
from cranfield.errors import InputError, MissingPackage
from cranfield.spark import session


@pytest.mark.parametrize("text", ["spark.executor.memory", "=2g", ""])
def test_settings(text: str) -> None:
    assert session._setting("a.b = c=d") == ("a.b", "c=d")
    with pytest.raises(InputError, match="expected KEY=VALUE"):
        session._setting(text)


def test_without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(
        MissingPackage, match=r"Spark needs pyspark.* \(cranfield\[spark\]\): .*pyspark>=4"
    ):
        session.current()
    marked = object()
    assert session.current(marked) is marked


RUN = "".join(f"q{t} Q0 d{n} {n} {9 - n // 2} bm25\n" for t in range(1, 4) for n in range(1, 9))
OWN = """
import cranfield as cf

@cf.measure
class Mine(cf.Measure):
    "The relevant items that were found."
    def score(self, x):
        return cf.total(x.I)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("registry")
def test_the_command_prints_the_same(
    spark: Any, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Byte for byte, notices included, with a measure of a user's own."""
    (tmp_path / "qrels").write_text("q1 0 d3 1\nq1 0 d8 2\nq2 0 d1 0\nq4 0 d1 1\n")
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "mine.py").write_text(OWN)
    assert spark is not None
    command = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "-q", "-v"]
    command += ["-m", "AP nDCG@5 Mine", "--import", str(tmp_path / "mine.py")]
    printed = []
    for engine in ([], ["--engine", "spark", "--spark-conf", "spark.sql.shuffle.partitions=2"]):
        from cranfield.measures.base import REGISTRY

        REGISTRY.pop("Mine", None)
        assert main([*command, *engine]) == 0
        printed.append(capfdbinary.readouterr())
    assert printed[0].out == printed[1].out
    assert printed[0].err == printed[1].err
    assert b"ties could change a score" in printed[1].err


def test_what_needs_spark_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels", "run", "--master", "local[2]"]) == 2
    assert "found --master, expected --engine spark with it" in capsys.readouterr().err
