"""Sessions: the user's, or a session started for a command without messages."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from cranfield.errors import CranfieldError, InputError
from cranfield.lazy_imports import make_missing_error

Spark: TypeAlias = Any  # a session
QUIET = {
    "spark.app.name": "cranfield",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def load_session_class() -> Any:
    """Return the class of Spark sessions, or raise an error if Spark is missing."""
    try:
        import pandas  # noqa: F401 - PySpark asks for it
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as absent:
        raise make_missing_error("pyspark", f"Spark needs {absent.name}") from None
    return SparkSession


def get_session(spark: Spark = None) -> Spark:
    """Return the given session, the active one, or a new one."""
    if spark is not None:
        return spark
    session_class = load_session_class()
    return session_class.getActiveSession() or _start_session(session_class.builder)


def _start_session(builder: Any) -> Spark:
    """Return a session, or raise an error with the reason."""
    try:
        return builder.getOrCreate()
    except Exception as error:
        message = find_reason(error)
        if "JAVA_GATEWAY_EXITED" in message:
            problem = "Java that ended at once" if _has_java() else "no Java"
            message = f"found {problem}, expected Java 17 or newer, and a master and settings it takes"
        elif "stopped SparkContext" in message:
            message = "found a master that does not answer or rejected the application, expected one that runs"
        raise CranfieldError(f"Spark does not start: {message}") from error


def _has_java() -> bool:
    """Return True if Java is installed, in any version."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java" if home is None else os.path.join(home, "bin", "java")) is not None


@contextmanager
def open_session(master: str | None = None, settings: Iterable[str] = ()) -> Iterator[Spark]:
    """Open a session for one command, with settings ``key=value``, without Spark's messages."""
    session_class = load_session_class()
    builder, active = session_class.builder, session_class.getActiveSession()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, value in (QUIET | dict(map(_parse_setting, settings))).items():
        builder = builder.config(name, value)
    if master is not None:
        builder = builder.master(master)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PySpark's, of pandas
        with _suppress_stderr():
            spark = _start_session(builder)
        log, null_handler = logging.getLogger(), logging.NullHandler()  # for what Py4J logs
        log.addHandler(null_handler)
        try:
            yield spark
        finally:
            if active is None:  # else it is somebody's who goes on
                with suppress(*get_error_types()):  # Java may have ended
                    spark.stop()
            log.removeHandler(null_handler)


def _parse_setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise InputError(f"--spark-conf {text}", "KEY=VALUE, as spark.executor.memory=2g")
    return name.strip(), value.strip()


@contextmanager
def _suppress_stderr() -> Iterator[None]:
    """Redirect standard error to null, also that of processes started meanwhile."""
    sys.stderr.flush()
    stderr_copy, null_file = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_file, 2)
    try:
        yield
    finally:
        os.dup2(stderr_copy, 2)
        os.close(stderr_copy)
        os.close(null_file)


# -- what goes wrong ------------------------------------------------------------------------------


def get_error_types() -> tuple[type[Exception], ...]:
    """Return the exception types of Spark, and of a Java process that has ended."""
    load_session_class()  # or what is missing
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError, ConnectionError


@contextmanager
def wrap_spark_errors(make_error: Callable[[Exception], CranfieldError]) -> Iterator[None]:
    """Raise the errors of Spark as errors of one sentence."""
    kinds = get_error_types()
    try:
        yield
    except kinds as error:
        if _is_interrupted(error):  # which Spark hides behind what it then cannot finish
            raise KeyboardInterrupt from None
        raise make_error(error) from error


def make_spark_error(error: Exception) -> CranfieldError:
    """Return the error for the user, wherever it was raised."""
    message = find_reason(error)
    if message.startswith("cranfield.errors."):  # a mistake that a measure finds
        return CranfieldError(message.partition(": ")[2])
    return CranfieldError(f"Spark failed: {message}")


def find_reason(error: Exception) -> str:
    """Return the message of the Python error if there is one, else of Java's root cause.

    >>> find_reason(Exception("calling o7.x.\\n: A: no\\n at x\\nCaused by: java.io.B: why"))
    'java.io.B: why'
    """
    if isinstance(error, ConnectionError):
        return "Java has ended, as it does when there is not enough memory"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    python = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Interrupt)\b", line)]
    java = [line for line in lines if line.startswith(("Caused by: ", ": "))]
    return (python[-1:] or java[-1:] or lines or ["?"])[0].removeprefix("Caused by").lstrip(": ")


def _is_interrupted(error: BaseException | None) -> bool:
    """Return True if the error was caused by a keyboard interrupt."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
