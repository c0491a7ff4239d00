"""Kills a process of a small cluster while it works: `python tests/spark/killed.py standalone`.

The cluster is two executors on this machine, with a process each: those that Spark starts for
itself (`local-cluster`), or those of a master and a worker that wait for anybody (`standalone`).
One is killed, by its id, while the first pass is under way; the scores must be those of the local
engine.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cranfield as cf
from cranfield.spark.engine import scores
from cranfield.spark.session import open_session

EXECUTOR = "CoarseGrainedExecutorBackend"


def slowly(batches: Any) -> Iterator[Any]:
    """The rows, after a while."""
    time.sleep(0.5)
    yield from batches


def at_work() -> list[int]:
    """The ids of the executors that were started from here and have started Python."""
    parents, lines = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            status = (path / "stat").read_text().rpartition(")")[2].split()
            parents[int(path.name)] = int(status[1])
            lines[int(path.name)] = (path / "cmdline").read_bytes().decode("utf-8", "replace")
        except (OSError, ValueError):
            continue

    def ours(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    workers = [parents[pid] for pid, line in lines.items() if "pyspark.daemon" in line]
    return [pid for pid in workers if EXECUTOR in lines.get(pid, "") and ours(pid)]


@contextmanager
def standalone(home: str) -> Iterator[str]:
    """A master and a worker of two cores, for as long as they are needed; the master's address."""
    of_both = "org.apache.spark.deploy"
    with (
        tempfile.TemporaryDirectory() as folder,
        _process(folder, home, f"{of_both}.master.Master") as log,
    ):
        master = _told(log, r"Starting Spark master at (\S+)")
        room = ["--cores", "2", "--memory", "1200m", "--work-dir", folder, master]
        with _process(folder, home, f"{of_both}.worker.Worker", *room) as other:
            _told(other, r"(Successfully registered) with master")
            yield master


@contextmanager
def _process(folder: str, home: str, name: str, *options: str) -> Iterator[Path]:
    """A process of a cluster, which is ended; what it logs."""
    log = Path(folder, name)
    command = [f"{home}/bin/spark-class", name, "--host", "127.0.0.1", "--webui-port", "0"]
    command += ["--port", "0", *options]
    env = {**os.environ, "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false"}
    with log.open("wb") as told, subprocess.Popen(command, stderr=told, stdout=told, env=env) as p:
        try:
            yield log
        finally:
            p.terminate()


def _told(log: Path, pattern: str) -> str:
    """What a process says when it is ready."""
    for _ in range(1200):
        if found := re.search(pattern, log.read_text("utf-8")):
            return found[1]
        time.sleep(0.1)
    raise TimeoutError(log.read_text("utf-8")[-3000:])


@contextmanager
def local_cluster(home: str) -> Iterator[str]:
    """Two executors that Java starts by itself."""
    os.environ["SPARK_HOME"] = home
    yield "local-cluster[2,1,640]"


def main(cluster: str) -> None:
    import pyspark

    draw = random.Random(3)  # noqa: S311
    qrels = {f"q{t}": {f"d{n}": n % 3 for n in range(0, 90, 7)} for t in range(8)}
    rows = [(t, f"d{n}", float(draw.randrange(30))) for t in qrels for n in range(90)]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    conf = ["spark.sql.shuffle.partitions=2", "spark.driver.host=127.0.0.1"]
    conf += ["spark.driver.bindAddress=127.0.0.1", "spark.executor.memory=512m"]
    conf += ["spark.executor.cores=1"]
    home = str(Path(pyspark.__file__).parent)
    kinds = {"standalone": standalone, "local-cluster": local_cluster}
    with kinds[cluster](home) as master, open_session(master, conf) as spark:
        frame = spark.createDataFrame(rows, "topic string, doc string, score double")
        frame = frame.repartition(16).mapInArrow(slowly, frame.schema)
        killed: list[int] = []

        def kill() -> None:
            while not at_work():
                time.sleep(0.1)
            killed.append(at_work()[0])
            os.kill(killed[0], signal.SIGKILL)

        threading.Thread(target=kill, daemon=True).start()
        mine = scores(qrels, frame, "AP nDCG@10", spark=spark)
        gone = [pid for pid in killed if pid not in at_work()]
    theirs = cf.evaluate(qrels, {t: {d: s for u, d, s in rows if u == t} for t in qrels},
                         "AP nDCG@10")  # fmt: skip
    assert gone, "nobody was killed"
    assert (mine.values == theirs.values).all()
    print(f"killed {len(gone)}, the same")


if __name__ == "__main__":
    main(sys.argv[1])
