"""One session for all tests of Spark, bound to this machine; without PySpark or Java they wait."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
}


def lacking() -> str:
    """Why Spark cannot be tested, if so."""
    java = shutil.which("java") or os.environ.get("JAVA_HOME")
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed (the extra test-spark)"
    return "" if java else "there is no Java"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of two cores."""
    if why := lacking():
        pytest.skip(why)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from cranfield.spark.session import open_session

    with open_session("local[2]", [f"{name}={value}" for name, value in CONF.items()]) as made:
        yield made
