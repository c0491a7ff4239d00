"""Settings of Spark, and what is said where it is missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cranfield.cli.main import main
from cranfield.errors import CranfieldError, InputError, MissingPackage
from cranfield.spark import session
from tests.spark.conftest import lacking


@pytest.mark.parametrize("text", ["spark.executor.memory", "=2g", ""])
def test_settings(text: str) -> None:
    assert session._parse_setting("a.b = c=d") == ("a.b", "c=d")
    with pytest.raises(InputError, match="expected KEY=VALUE"):
        session._parse_setting(text)


def test_without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingPackage, match=r"Spark needs pyspark.* \(cranfield\[spark\]\): .*pyspark>=4"):
        session.get_session()
    marked = object()
    assert session.get_session(marked) is marked


def test_without_spark_the_functions_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not what else they would have imported."""
    from cranfield.spark.engine import scores

    for name in ("pyspark", "pyspark.sql", "pyspark.errors", "py4j", "py4j.protocol"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPackage, match=r"Spark needs pyspark.* \(cranfield\[spark\]\)"):
        scores({"q1": {"d1": 1}}, "run")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("An error occurred while calling o1.text.\n: a.B: c\n\tat x", "a.B: c"),
        ("calling\n: a.B: c\n\tat x\nCaused by: d.E: f\n\tat y", "d.E: f"),
        (
            "Task failed\nTraceback:\n  File x\nValueError: why\n\n\tat y\nCaused by: z",
            "ValueError: why",
        ),
        ("[PATH_NOT_FOUND] no", "[PATH_NOT_FOUND] no"),
        ("", "?"),
    ],
)
def test_what_spark_says_in_a_line(text: str, said: str) -> None:
    assert session.find_reason(Exception(text)) == said
    assert session.find_reason(ConnectionRefusedError(111, text)).startswith("Java has ended")


def test_a_master_that_does_not_answer() -> None:
    """After a minute Spark gives up, and says what happened to it then."""

    class Builder:
        def getOrCreate(self) -> None:
            raise ValueError("x\n: IllegalStateException: calling a stopped SparkContext.\n\tat y")

    with pytest.raises(CranfieldError, match="start: found a master that does not answer or"):
        session._start_session(Builder())


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
@pytest.mark.parametrize(
    ("home", "master", "said"),
    [
        ("/nowhere", "local[1]", "Spark does not start: found no Java, expected Java 17 or newer"),
        (
            None,
            "nonsense",
            "found Java that ended at once, expected Java 17 or newer, and a master",
        ),
        (None, "local[x]", "Could not parse Master URL: 'local[x]'"),
    ],
)
def test_spark_that_does_not_start(home: str | None, master: str, said: str) -> None:
    """One sentence, no traceback."""
    env = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"} | ({"JAVA_HOME": home} if home else {})
    command = "-m cranfield evaluate qrels run --engine spark --master"
    done = subprocess.run(
        [sys.executable, *command.split(), master],
        capture_output=True,
        text=True,
        timeout=300,
        env=env,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


RUN = "".join(f"q{t} Q0 d{n} {n} {9 - n // 2} bm25\n" for t in range(1, 4) for n in range(1, 9))
OWN = """
import cranfield as cf

@cf.measure
class Mine(cf.Measure):
    "The relevant items that were found."
    def score(self, x):
        return cf.total(x.I)

@cf.measure
def Ids(docs, judged_docs, topic):
    "The documents that were found, by their ids."
    return len({*docs} & {*judged_docs}) + len(docs) / 100 + len(topic) / 10000
"""


@pytest.mark.slow
@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("measures", ["AP nDCG@5 Mine", "AP Ids@3"])
def test_the_command_prints_the_same(
    spark: Any, measures: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Byte for byte, notices included, with a measure of a user's own."""
    (tmp_path / "qrels").write_text("q1 0 d3 1\nq1 0 d8 2\nq2 0 d1 0\nq4 0 d1 1\n")
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "mine.py").write_text(OWN)
    assert spark is not None
    command = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "-q", "-v"]
    command += ["-m", measures, "--import", str(tmp_path / "mine.py")]
    printed = []
    for engine in ([], ["--engine", "spark", "--spark-conf", "spark.sql.shuffle.partitions=2"]):
        from cranfield.measures.base import REGISTRY

        for name in ("Mine", "Ids"):
            REGISTRY.pop(name, None)
        assert main([*command, *engine]) == 0
        printed.append(capfdbinary.readouterr())
    assert printed[0].out == printed[1].out
    assert printed[0].err == printed[1].err
    assert b"ties could change a score" in printed[1].err


SLOW = """
import pathlib, time
import cranfield as cf

@cf.measure
class Slow(cf.Measure):
    "Takes its time."
    def score(self, x):
        pathlib.Path("begun").touch()
        time.sleep(60)
        return cf.total(x.I)
"""


def started_by(pid: int) -> dict[str, str]:
    """The processes of a session that have not ended, and what they are."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, session = (path / "stat").read_text().rpartition(")")[2].split()[:4]
            command = (path / "cmdline").read_bytes().decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
        if session == str(pid) and state != "Z":
            found[path.name] = command.partition("\0")[0]
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    """No file, no process, and nothing is said; while a worker has a measure to compute."""
    (tmp_path / "left").mkdir()
    (tmp_path / "qrels").write_text("q1 0 d3 1\n")
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "slow.py").write_text(SLOW)
    command = "evaluate qrels run -m Slow --import slow.py -o scores --engine spark"
    local = f"--master local[1] --spark-conf spark.local.dir={tmp_path / 'left'}"
    process = subprocess.Popen(
        [sys.executable, "-m", "cranfield", *command.split(), *local.split()],
        cwd=tmp_path,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": str(tmp_path / "left")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (tmp_path / "begun").exists() and process.poll() is None:
        time.sleep(0.1)
    assert [*(tmp_path / "left").iterdir()]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (130, b"", b"")
    for _ in range(300):
        if not started_by(process.pid):
            break
        time.sleep(0.1)
    assert not started_by(process.pid)
    assert not [*(tmp_path / "left").iterdir()]
    assert not (tmp_path / "scores").exists()


def test_what_needs_spark_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels", "run", "--master", "local[2]"]) == 2
    assert "--master requires --engine spark" in capsys.readouterr().err
