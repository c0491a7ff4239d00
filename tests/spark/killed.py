"""Kills a process of a small cluster while it works: `python tests/spark/killed.py`.

The cluster is two executors on this machine, with a process each. One is killed, by its id, while
the first pass is under way; the scores must be those of the local engine.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cranfield as cf
from cranfield.spark.engine import scores
from cranfield.spark.session import started

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


def main() -> None:
    import pyspark

    draw = random.Random(3)  # noqa: S311
    qrels = {f"q{t}": {f"d{n}": n % 3 for n in range(0, 90, 7)} for t in range(8)}
    rows = [(t, f"d{n}", float(draw.randrange(30))) for t in qrels for n in range(90)]
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    conf = ["spark.sql.shuffle.partitions=2", "spark.driver.host=127.0.0.1"]
    conf += ["spark.driver.bindAddress=127.0.0.1", "spark.executor.memory=512m"]
    with started("local-cluster[2,1,640]", conf) as spark:
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
    main()
