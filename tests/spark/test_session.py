"""Settings of Spark, and what is said where it is missing."""

from __future__ import annotations

import sys

import pytest

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
    with pytest.raises(MissingPackage, match=r"Spark needs pyspark.*, found none: .* pyspark>=4"):
        session.current()
    marked = object()
    assert session.current(marked) is marked
