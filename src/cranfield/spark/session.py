"""Sessions: the user's own, or one that is started for a command and says nothing."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from cranfield.errors import CranfieldError, InputError
from cranfield.late import missing

Spark: TypeAlias = Any  # a session
QUIET = {
    "spark.app.name": "cranfield",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def sessions() -> Any:
    """What makes sessions, if Spark is installed."""
    try:
        import pandas  # noqa: F401 - PySpark asks for it
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as absent:
        raise missing("pyspark", f"Spark needs {absent.name}") from None
    return SparkSession


def current(spark: Spark = None) -> Spark:
    """The session that is given, else the active one, else a new one."""
    if spark is not None:
        return spark
    made = sessions()
    return made.getActiveSession() or made.builder.getOrCreate()


@contextmanager
def started(master: str | None = None, settings: Iterable[str] = ()) -> Iterator[Spark]:
    """A session for one command, with settings ``key=value``: what Spark tells is not shown."""
    made = sessions()
    builder, before = made.builder, made.getActiveSession()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, value in (QUIET | dict(map(_setting, settings))).items():
        builder = builder.config(name, value)
    if master is not None:
        builder = builder.master(master)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PySpark's, of pandas
        with _silence():
            try:
                spark = builder.getOrCreate()
            except Exception as error:
                said = str(error).strip().splitlines()
                raise CranfieldError(f"Spark does not start: {(said or ['?'])[0]}") from error
        try:
            yield spark
        finally:
            if before is None:  # else it is somebody's who goes on
                spark.stop()


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise InputError(f"--spark-conf {text}", "KEY=VALUE, as spark.executor.memory=2g")
    return name.strip(), value.strip()


@contextmanager
def _silence() -> Iterator[None]:
    """What is started meanwhile, such as Java, writes its errors to nobody."""
    sys.stderr.flush()
    kept, nobody = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nobody, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nobody)
