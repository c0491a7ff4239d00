"""Spark beside the local engine on the same lines, and one topic of very many documents.

    make bench-spark                                  both, as docs/scale.md has them
    python bench/spark.py --lines 1000000 --docs 0    something smaller

Lines are simulated: a thousand documents for each topic, ten of them judged. Memory and processor
time are those of all processes that an engine has started, sampled; of the one topic, those of the
one executor, Java and Python together. Processor time does not depend on what else a machine does.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

DEPTH, JUDGED, BODIES = 1000, 10, 40
PYTHON = sys.executable
EVALUATE = [PYTHON, "-m", "cranfield", "evaluate", "-f", "tsv", "--quiet"]
EXECUTOR = "CoarseGrainedExecutorBackend"


def write_lines(folder: Path, lines: int) -> tuple[Path, Path]:
    """Judgments and a run of so many lines."""
    draw = random.Random(7)  # noqa: S311
    bodies, judged = [], []
    for _ in range(BODIES):
        docs = draw.sample(range(8_841_823), DEPTH)
        scores = sorted((draw.uniform(0, 30) for _ in docs), reverse=True)
        ranked = zip(docs, scores, strict=True)
        body = "".join(f"@ Q0 D{d} {r} {s:.4f} bm25\n" for r, (d, s) in enumerate(ranked, 1))
        bodies.append(body.encode())
        some = [*draw.sample(docs, JUDGED - 3), *draw.sample(range(8_841_823), 3)]
        judged.append("".join(f"@ 0 D{d} {draw.randrange(3)}\n" for d in some).encode())
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    with open(qrels, "wb") as q, open(run, "wb") as r:
        for topic in range(lines // DEPTH):
            name = b"%d" % (1_000_000 + topic)
            r.write(bodies[topic % BODIES].replace(b"@", name))
            q.write(judged[topic % BODIES].replace(b"@", name))
    return qrels, run


# -- memory ---------------------------------------------------------------------------------------


class Process(NamedTuple):
    """What is known of a process."""

    parent: int
    held: int  # resident bytes
    spent: float  # seconds of processor time
    command: str


def processes() -> dict[int, Process]:
    """Every process there is."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            stat = (path / "stat").read_text().rpartition(")")[2].split()
            pages = int((path / "statm").read_text().split()[1])
            command = (path / "cmdline").read_bytes().decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
        spent = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
        held = pages * os.sysconf("SC_PAGE_SIZE")
        found[int(path.name)] = Process(int(stat[1]), held, spent, command)
    return found


def below(root: int, every: dict[int, Process]) -> set[int]:
    """A process and all that it has started, or that these have."""
    inside = {root}
    while more := {p for p, process in every.items() if process.parent in inside} - inside:
        inside |= more
    return inside


class Used:
    """What some processes have used: the most bytes at a time, and seconds of each."""

    def __init__(self) -> None:
        self.held, self.spent = 0, dict[int, float]()

    def add(self, some: dict[int, Process]) -> None:
        self.held = max(self.held, sum(process.held for process in some.values()))
        self.spent |= {p: process.spent for p, process in some.items()}

    def __str__(self) -> str:
        spent = sum(self.spent.values())
        return f"{spent:8.1f} s of processors, {self.held / 2**30:5.2f} GB"


@contextmanager
def sampled(root: int, command: str = "") -> Iterator[Used]:
    """What a process and those below it use; those below a `command`, if one is named."""
    used, ended = Used(), threading.Event()

    def sample() -> None:
        while not ended.wait(0.2):
            every = processes()
            inside = below(root, every)
            if command:
                named = [p for p in inside & every.keys() if command in every[p].command]
                inside = set().union(*(below(p, every) for p in named)) if named else set()
            used.add({p: every[p] for p in inside if p in every})

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield used
    finally:
        ended.set()
        thread.join()


# -- measurements ---------------------------------------------------------------------------------


def timed(command: list[str]) -> tuple[float, Used, str]:
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        with sampled(process.pid) as used:
            out = process.communicate()[0]
        if process.returncode:
            sys.exit(f"{command} failed")
    return time.perf_counter() - begin, used, out


def beside(lines: int) -> None:
    """Both engines on the same lines."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = write_lines(Path(folder), lines)
        size = run.stat().st_size
        print(f"{lines:,} lines, {size / 2**30:.2f} GB, {lines // DEPTH:,} topics")
        results = {}
        for name, options in {
            "local": ["--threads", "2"],
            "spark": ["--engine", "spark", "--master", "local[2]"],
            "spark, duplicates unchecked": [
                *("--engine", "spark", "--master", "local[2]", "--skip-duplicates"),
            ],
        }.items():
            seconds, used, out = timed([*EVALUATE, str(qrels), str(run), *options])
            results[name] = out
            print(f"{name:28} {seconds:8.1f} s {used}", flush=True)
        assert len(set(results.values())) == 1, results
        print(f"the same means: {results['local'].split()[:3]}…")


def one_topic(docs: int) -> None:
    """A topic of very many documents, on a cluster of one executor with two cores."""
    import pyspark
    from pyspark.sql import functions as F  # noqa: N812

    from cranfield.spark.engine import scores
    from cranfield.spark.session import started

    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    conf = ["spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1"]
    conf += ["spark.executor.memory=768m", "spark.sql.shuffle.partitions=8"]
    qrels = {"1": {f"D{n * 9973 % docs}": n % 3 for n in range(1000)}}
    with tempfile.TemporaryDirectory() as folder, started("local-cluster[1,2,1024]", conf) as spark:
        path = f"{folder}/run.parquet"
        spark.range(docs).select(
            F.lit("1").alias("topic"),
            F.concat(F.lit("D"), "id").alias("doc"),
            F.round((F.col("id") * 7919 % docs) / 3).alias("score"),  # three documents tied
        ).write.parquet(path)
        begin = time.perf_counter()
        with sampled(os.getpid(), EXECUTOR) as used:
            mine = scores(qrels, path, "AP nDCG@1000 RR", spark=spark)
        seconds = time.perf_counter() - begin
        print(f"one topic of {docs:,} documents: {seconds:.1f} s, executor {used}", flush=True)
        import polars as pl

        import cranfield as cf

        theirs: Any = cf.evaluate(qrels, pl.read_parquet(f"{path}/*.parquet"), "AP nDCG@1000 RR")
    assert (mine.values == theirs.values).all()
    print("the same as the local engine, to the last bit")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--lines", type=int, default=100_000_000)
    p.add_argument("--docs", type=int, default=10_000_000)
    options = p.parse_args()
    if options.docs:
        one_topic(options.docs)
    if options.lines:
        beside(options.lines)


if __name__ == "__main__":
    main()
