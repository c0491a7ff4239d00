"""Spark beside the local engine on the same lines, one topic of very many documents, and very many
judgments, which are sent to all workers or spread over them.

    make bench-spark                                              all, as docs/scale.md has them
    python bench/spark.py --lines 1000000 --docs 0 --judgments 0  something smaller

Lines are simulated: a thousand documents for each topic, ten of them judged; where there are many
judgments, twelve documents. Memory and processor time are those of all processes that an engine has
started, sampled; of the one topic, those of the one executor, Java and Python together. Processor
time does not depend on what else a machine does. Rows are printed as the document has them. 100
million lines take 5 GB in the directories for temporary files: 3.4 GB in TMPDIR, and what Spark
shuffles, 0.8 GB, in its spark.local.dir.
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

DEPTH, SHALLOW, JUDGED, BODIES = 1000, 12, 10, 40
PYTHON = sys.executable
EVALUATE = [PYTHON, "-m", "cranfield", "evaluate", "-f", "tsv", "--quiet"]
EXECUTOR, WORKER = "CoarseGrainedExecutorBackend", "pyspark.daemon"
ON_SPARK = ["--engine", "spark", "--master", "local[2]"]
HEADER = """
| | processor time | clock | memory, all processes | one Python worker |
|---|---|---|---|---|"""


def write_lines(folder: Path, lines: int, depth: int = DEPTH) -> tuple[Path, Path]:
    """Judgments and a run of so many lines, lists having this depth."""
    draw = random.Random(7)  # noqa: S311
    bodies, judged = [], []
    for _ in range(BODIES):
        docs = draw.sample(range(8_841_823), depth)
        scores = sorted((draw.uniform(0, 30) for _ in docs), reverse=True)
        ranked = zip(docs, scores, strict=True)
        body = "".join(f"@ Q0 D{d} {r} {s:.4f} bm25\n" for r, (d, s) in enumerate(ranked, 1))
        bodies.append(body.encode())
        some = [*draw.sample(docs, JUDGED - 3), *draw.sample(range(8_841_823), 3)]
        judged.append("".join(f"@ 0 D{d} {draw.randrange(3)}\n" for d in some).encode())
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    with open(qrels, "wb") as q, open(run, "wb") as r:
        for topic in range(lines // depth):
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
    """What some processes have used: the most bytes at a time, those of one worker, and seconds."""

    def __init__(self) -> None:
        self.held, self.worker, self.spent = 0, 0, dict[int, float]()

    def add(self, some: dict[int, Process]) -> None:
        self.held = max(self.held, sum(process.held for process in some.values()))
        workers = (process.held for process in some.values() if WORKER in process.command)
        self.worker = max(self.worker, max(workers, default=0))
        self.spent |= {p: process.spent for p, process in some.items()}

    def row(self, name: str, seconds: float) -> str:
        """As a row of the table in docs/scale.md."""
        worker = f"{self.worker / 2**30:.2f} GB" if self.worker else ""
        cells = (
            f"{sum(self.spent.values()):.1f} s",
            f"{seconds:.0f} s",
            f"{self.held / 2**30:.2f} GB",
        )
        return f"| {' | '.join((name, *cells, worker))} |"


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


def beside(what: str, lines: int, depth: int, ways: dict[str, list[str]]) -> None:
    """Ways to evaluate the same lines."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = write_lines(Path(folder), lines, depth)
        results = {}
        for name, options in ways.items():
            seconds, used, results[name] = timed([*EVALUATE, str(qrels), str(run), *options])
            print(used.row(f"{what}, {name}", seconds), flush=True)
    if len(set(results.values())) > 1:
        sys.exit(f"not the same means: {results}")


ENGINES = {
    "local engine, 2 threads": ["--threads", "2"],
    "Spark `local[2]`": ON_SPARK,
    "Spark `local[2]`, `--skip-duplicates`": [*ON_SPARK, "--skip-duplicates"],
}
SENT = {f"Spark `local[2]`, `--judgments {way}`": [*ON_SPARK, "--judgments", way] for way in ("broadcast", "spread")}


def one_topic(docs: int) -> None:
    """A topic of very many documents, on a cluster of one executor with two cores."""
    import pyspark
    from pyspark.sql import functions as F  # noqa: N812

    from cranfield.spark.engine import scores
    from cranfield.spark.session import open_session

    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    conf = ["spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1"]
    conf += ["spark.executor.memory=768m", "spark.sql.shuffle.partitions=8"]
    qrels = {"1": {f"D{n * 9973 % docs}": n % 3 for n in range(1000)}}
    with (
        tempfile.TemporaryDirectory() as folder,
        open_session("local-cluster[1,2,1024]", conf) as spark,
    ):
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
        name = f"one topic of {docs:,} documents, Parquet, one executor of two cores"
        print(used.row(f"{name} (`local-cluster`)", seconds), flush=True)
        import polars as pl

        import cranfield as cf

        theirs: Any = cf.evaluate(qrels, pl.read_parquet(f"{path}/*.parquet"), "AP nDCG@1000 RR")
    if not (mine.values == theirs.values).all():
        sys.exit(f"not the same: {mine.values}, {theirs.values}")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--lines", type=int, default=100_000_000)
    p.add_argument("--docs", type=int, default=10_000_000)
    p.add_argument("--judgments", type=int, default=5_000_000)
    options = p.parse_args()
    print(HEADER, flush=True)
    if options.lines:
        beside(f"{options.lines:,} lines", options.lines, DEPTH, ENGINES)
    if options.judgments:
        lines = options.judgments // JUDGED * SHALLOW
        beside(f"{options.judgments:,} judgments, {lines:,} lines", lines, SHALLOW, SENT)
    if options.docs:
        one_topic(options.docs)


if __name__ == "__main__":
    main()
