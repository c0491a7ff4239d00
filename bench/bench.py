"""Speed and memory, as ratios against the peers measured in the same run.

    make bench                      everything
    python bench/bench.py small     only the benchmarks whose names begin so
    python bench/bench.py --table   as the table of docs/performance.md

The collections are simulated. Peers come from PyPI; a trec_eval binary is used if one is on
PATH. Runs of the contestants alternate, and medians are compared. Exit code 1 if a target is
missed. What is slower, or larger, by more than 20 % than in the table of docs/performance.md is
printed at the end: ratios of a busy machine are, too, so that alone is no failure.
"""

from __future__ import annotations

import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple

TOPICS, DEPTH = 6980, 1000
MEASURES = "AP nDCG@10 RR"
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
CATALOGUE = " ".join([
    # all of trec_eval's (its nickname all_trec, with the default parameters)
    "NumQ NumRet NumRel NumRelRet AP GMAP Rprec bpref RR AP11 infAP GMbpref Utility",
    "binG G nDCG nDCGrel RnDCG SetP SetRelP SetRecall SetAP SetF NumNonRelRet",
    "YAAP RBP(p=0.9) RBP(p=0.9).residual IPrec(reach=nearest)",
    *(f"{m}@{l}" for m in ("P", "Recall", "nDCG", "AP(norm=R)", "RelP") for l in CUTOFFS),
    *(f"Success@{l}" for l in (1, 5, 10)),
    *(f"Unjudged@{l}" for l in (5, 10, 20)),
    *(f"Rprec(mult={k / 5})" for k in range(1, 11)),
    # all of NTCIREVAL's, those of its later releases and of its options -gap and -j included
    "O Pmeasure Pplus Q ntcir:RBP ntcir:ERR ntcir:EBR ntcir:iRBU ntcir:GAP",
    *(f"NCU(stop={s}, utility={u})" for s in ("gu", "rb") for u in ("P", "BR", "IE")),
    *(f"NCU(stop=rb, utility={u})@1000" for u in ("P", "BR", "IE")),
    *(f"{m}@1000" for m in ("AP", "Q", "ntcir:GAP", "ntcir:nDCG", "P", "Success")),
    *(f"ntcir:{m}@1000" for m in ("RBP", "nRBP", "ERR", "nERR", "EBR", "nEBR", "iRBU", "niRBU")),
    "bpref_R bpref_N bpref_relative rpref_N rpref_relative rpref_relative2",
])  # fmt: skip
PERFORMANCE = Path(__file__).parent.parent / "docs" / "performance.md"
SLOWER = 1.2  # times as slow as before is worth a word
PYTHON = sys.executable
CRANFIELD = [PYTHON, "-m", "cranfield", "evaluate"]

# The usual loop, as pytrec_eval's users write it.
READ = """
import sys, time, pytrec_eval
def read(path, columns, number):
    found = {}
    with open(path) as file:
        for line in file:
            fields = line.split()
            found.setdefault(fields[0], {})[fields[2]] = number(fields[columns])
    return found
qrels, run = read(sys.argv[1], 3, int), read(sys.argv[2], 4, float)
"""

PYTREC_EVAL = f"""{READ}
scores = pytrec_eval.RelevanceEvaluator(qrels, {{"map", "ndcg_cut.10", "recip_rank"}}).evaluate(run)
for name in ("map", "ndcg_cut_10", "recip_rank"):
    print(name, sum(s[name] for s in scores.values()) / len(scores))
"""

# Dicts made at random: so many lists of so many documents, so many judged, and a share of ties.
DICTS = """
import gc, random, sys, time, pytrec_eval, cranfield as cf
topics, depth, judged = map(int, sys.argv[1:4])
tied, prepared = map(float, sys.argv[4:])
draw = random.Random(1)
qrels, run = {}, {}
for t in map(str, range(topics)):
    docs = [f"doc-{draw.randrange(10**10)}" for _ in range(depth)]
    distinct = max(1, round(depth * (1 - tied)))
    scores = [draw.randrange(distinct) + 0.5 if tied else depth - i / 2 for i in range(depth)]
    run[t] = dict(zip(docs, sorted(scores, reverse=True)))
    found = draw.sample(docs, max(1, min(depth, judged) // 3))
    others = (f"doc-{draw.randrange(10**10)}" for _ in range(judged - len(found)))
    qrels[t] = {doc: draw.choice((0, 1, 1, 2)) for doc in (*found, *others)}
gc.collect()
gc.freeze()
names = {"map", "ndcg_cut.10", "recip_rank"}
ours, theirs = cf.Evaluator(qrels, "AP nDCG@10 RR"), pytrec_eval.RelevanceEvaluator(qrels, names)
for _ in range(101 if topics * depth < 10_000 else 5):
    begun = time.perf_counter()
    ours(run) if prepared else cf.evaluate(qrels, run, "AP nDCG@10 RR")
    middle = time.perf_counter()
    (theirs if prepared else pytrec_eval.RelevanceEvaluator(qrels, names)).evaluate(run)
    print(middle - begun, time.perf_counter() - middle)
"""

# Reading and hashing alone, on one core: what no reader of these lines can do without.
FLOOR = """
import sys, time
from cranfield.data.reading import trec
from cranfield.data.reading.columns import TREC
from cranfield.data.reading.source import Source
begun = time.perf_counter()
for read in Source.from_path(sys.argv[1]).iter_pieces():
    trec.read_compiled_lines(read(), TREC["run"], "run", True)
print(time.perf_counter() - begun)
"""


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    megabytes: float
    processor: float = 0.0  # seconds of all processors, which a busy machine changes less


class Result(NamedTuple):
    """One line of the table."""

    name: str
    measured: float
    target: float
    unit: str  # "x faster", "x the time", "MB", "s"

    @property
    def met(self) -> bool:
        return self.measured >= self.target if self.unit == "x faster" else self.measured <= self.target

    @property
    def bound(self) -> str:
        """What it should be."""
        return f"{'at least' if self.unit == 'x faster' else 'at most'} {self.target:g}"

    @property
    def value(self) -> str:
        """What it is."""
        whole = self.unit == "MB" and self.measured >= 100
        return f"{self.measured:.0f}" if whole else f"{self.measured:.2f}"

    def __str__(self) -> str:
        mark = "ok    " if self.met else "MISSED"
        return f"{mark}  {self.name:<62} {self.value:>7} {self.unit:<10} (target: {self.bound})"

    def slower(self, before: float) -> float:
        """How many times as slow, or as large, as before."""
        better = self.unit == "x faster"
        return before / self.measured if better else self.measured / before

    @property
    def row(self) -> str:
        """As a row of a table in Markdown."""
        missed = "" if self.met else " (missed)"
        name = self.name.replace("|", "\\|")
        return f"| {name} | {self.value} {self.unit}{missed} | {self.bound} |"


def committed(text: str) -> dict[str, float]:
    """What was measured before, by name: the rows of a table as `Result.row` writes them."""
    rows = re.findall(r"^\| (.+) \| ([\d.]+) (?:x faster|x the time|MB|s)\b[^|]*\|[^|]*\|$", text, re.M)
    return {name.replace("\\|", "|"): float(value) for name, value in rows}


def told(results: list[Result], before: dict[str, float]) -> Iterator[str]:
    """What got slower or larger, in words."""
    known = [result for result in results if result.name in before]
    for result in known:
        times = result.slower(before[result.name])
        if times > SLOWER:
            value = f"{result.value} {result.unit}"
            yield f"SLOWER  {result.name}: {value}, was {before[result.name]:g} ({times:.2f} times)"
    yield f"{len(known)} of {len(results)} results are in the table of docs/{PERFORMANCE.name}"


def cost(command: list[str]) -> Cost:
    """Wall time and peak memory of a command, as the operating system counts them."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return Cost(seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


def alternate(ours: list[str], peer: list[str], rounds: int) -> tuple[Cost, Cost]:
    """The median costs of two commands that take turns."""
    costs = [(cost(ours), cost(peer)) for _ in range(rounds)]
    mine, other = zip(*costs, strict=True)
    return tuple(Cost(median(c.seconds for c in side), max(c.megabytes for c in side)) for side in (mine, other))  # type: ignore[return-value]


def peers(qrels: str, run: str) -> Iterator[tuple[str, list[str], int]]:
    """The other tools' commands for the same three measures, and how often to run them."""
    if importlib.util.find_spec("ir_measures"):
        command = [PYTHON, "-m", "ir_measures", qrels, run, "AP", "nDCG@10", "RR"]
        yield "ir_measures' command line", command, 1
    if importlib.util.find_spec("pytrec_eval"):
        yield "pytrec_eval with a file loop", [PYTHON, "-c", PYTREC_EVAL, qrels, run], 3
    if binary := shutil.which("trec_eval"):
        names = ["-m", "map", "-m", "ndcg_cut.10", "-m", "recip_rank"]
        yield "trec_eval", [binary, *names, qrels, run], 3


def simulate(directory: str, topics: int, runs: int) -> None:
    """Write a collection, from a process of its own: a child's peak memory begins at ours."""
    size = ["--topics", str(topics), "--runs", str(runs), "--depth", str(DEPTH)]
    cost([PYTHON, "-m", "cranfield", "simulate", *size, "-o", directory])


@contextmanager
def large_collection() -> Iterator[tuple[str, str]]:
    """Seven million lines, one separator, in the shape of MS MARCO's dev set.

    Of each topic's judgments only the best is kept: one relevant passage a topic.
    """
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, TOPICS, 1)
        qrels = Path(directory, "qrels.txt")
        best: dict[str, tuple[int, str]] = {}
        for line in qrels.read_text().splitlines():
            topic, _, doc, level = line.split()
            best[topic] = max(best.get(topic, (0, "")), (int(level), doc))
        qrels.write_text("".join(f"{t} 0 {doc} 1\n" for t, (_, doc) in best.items()))
        yield str(qrels), f"{directory}/runs/sys01.txt"


def large() -> Iterator[Result]:
    """Text files of 6,980 topics × 1,000 documents, whole process."""
    targets = {"ir_measures' command line": 8, "pytrec_eval with a file loop": 6, "trec_eval": 15}
    with large_collection() as (qrels, run):
        ours = [*CRANFIELD, qrels, run, "-m", MEASURES]
        memory = 0.0
        for name, command, rounds in peers(qrels, run):
            mine, other = alternate(ours, command, rounds)
            memory = max(memory, mine.megabytes)
            yield Result(f"7 million lines: {name}", other.seconds / mine.seconds, targets[name], "x faster")
        yield Result("7 million lines: peak memory", memory or cost(ours).megabytes, 150, "MB")

        half = Path(run).with_name("half.txt")
        with open(run) as lines, half.open("w") as file:
            file.writelines(line for _, line in zip(range(TOPICS * DEPTH // 2), lines, strict=False))
        once, twice = alternate([*CRANFIELD, qrels, str(half), "-m", MEASURES], ours, 5)
        yield Result("twice the lines", twice.seconds / once.seconds, 2.2, "x the time")

        mixed = Path(run).with_name("mixed.txt")
        with open(run) as lines, mixed.open("w") as file:
            file.writelines(line.replace(" Q0 ", "\tQ0  ", 1) for line in lines)
        for name, command, rounds in peers(qrels, str(mixed)):
            if name != "ir_measures' command line":
                mine, other = alternate([*CRANFIELD, qrels, str(mixed), "-m", MEASURES], command, rounds)
                yield Result(
                    f"7 million lines, mixed blanks: {name}",
                    other.seconds / mine.seconds,
                    12 if name == "trec_eval" else 2,
                    "x faster",
                )

        floor = subprocess.run([PYTHON, "-c", FLOOR, run], capture_output=True, text=True, check=True)
        above = cost(ours).seconds / float(floor.stdout)
        yield Result("7 million lines: reading and hashing alone", above, 10, "x the time")


def packed() -> Iterator[Result]:
    """The same lines compressed, and as Parquet."""
    with large_collection() as (qrels, run):
        text = [*CRANFIELD, qrels, run, "-m", MEASURES]
        subprocess.run(["gzip", "-kf", run], check=True)
        if binary := shutil.which("trec_eval"):
            names = "-m map -m ndcg_cut.10 -m recip_rank"
            peer = ["sh", "-c", f"zcat {run}.gz | {binary} {names} {qrels} -"]
            mine, other = alternate([*CRANFIELD, qrels, f"{run}.gz", "-m", MEASURES], peer, 3)
            name = "7 million lines, gzip: zcat | trec_eval"
            yield Result(name, other.seconds / mine.seconds, 4, "x faster")
        cost([PYTHON, "-c", PARQUET, run])
        mine, other = alternate([*CRANFIELD, qrels, f"{run}.parquet", "-m", MEASURES], text, 5)
        name = "7 million lines as Parquet: as text"
        yield Result(name, mine.seconds / other.seconds, 1, "x the time")
        out = subprocess.run([PYTHON, "-c", IN_PROCESS, qrels, run], capture_output=True, text=True, check=True)
        pairs = [tuple(map(float, line.split())) for line in out.stdout.splitlines()]
        mine_, other_ = (median(side) for side in zip(*pairs, strict=True))
        name = "the same after imports"
        yield Result(name, other_ / mine_, 1.5, "x faster")


PARQUET = """
import sys, polars as pl
names = ["qid", "q0", "docno", "rank", "score", "tag"]
frame = pl.read_csv(sys.argv[1], separator=" ", has_header=False, new_columns=names,
                    schema_overrides={"column_1": pl.String, "column_3": pl.String})
frame.write_parquet(sys.argv[1] + ".parquet")
"""

IN_PROCESS = f"""
import sys, time, cranfield as cf
qrels, run = sys.argv[1:]
for _ in range(4):
    begun = time.perf_counter()
    cf.evaluate(qrels, run + ".parquet", {MEASURES!r})
    middle = time.perf_counter()
    cf.evaluate(qrels, run, {MEASURES!r})
    print(middle - begun, time.perf_counter() - middle)
"""


def dicts() -> Iterator[Result]:
    """Nested dicts of several shapes, beside pytrec_eval."""
    if not importlib.util.find_spec("pytrec_eval"):
        return
    for name, shape, target in (
        ("dicts, 6,980 × 1,000, one judged: pytrec_eval", (6980, 1000, 1, 0, 0), 15),
        ("dicts, 1,000 × 1,000, fifty judged: pytrec_eval", (1000, 1000, 50, 0, 0), 8),
        ("dicts, 100 × 1,000, 1,300 judged, 97 % tied: pytrec_eval", (100, 1000, 1300, 0.97, 0), 2),
        ("a prepared Evaluator, 50 × 100, 200 judged: pytrec_eval", (50, 100, 200, 0, 1), 1.5),
    ):
        command = [PYTHON, "-c", DICTS, *map(str, shape)]
        out = subprocess.run(command, capture_output=True, text=True, check=True)
        pairs = [tuple(map(float, line.split())) for line in out.stdout.splitlines()]
        mine, other = (median(side) for side in zip(*pairs, strict=True))
        yield Result(name, other / mine, target, "x faster")


ARRAYS = """
import sys, time, numpy as np, cranfield as cf
from sklearn.metrics import ndcg_score
queries, ties, prepared = int(sys.argv[1]), sys.argv[2] == "expected", sys.argv[3] == "prepared"
rng = np.random.default_rng(0)
levels, scores = rng.integers(0, 5, (queries, 100)), rng.normal(size=(queries, 100))
options = {"measures": "nDCG@10", "ties": "expected" if ties else None}
evaluator = cf.ArrayEvaluator(levels, **options)
def measure(work):
    begin = time.process_time()
    for _ in range(max(1, 2000 // queries)):
        work()
    return time.process_time() - begin
ours = (lambda: evaluator(scores)) if prepared else lambda: cf.evaluate_arrays(levels, scores, **options)
peer = lambda: ndcg_score(levels, scores, k=10, ignore_ties=not ties)
assert abs(ours().mean()["run"]["nDCG@10"] - peer()) < 1e-9
for _ in range(15):
    print(measure(ours), measure(peer))
"""


def arrays() -> Iterator[Result]:
    """Levels and predictions in arrays of 100 documents per query, beside scikit-learn."""
    if not importlib.util.find_spec("sklearn"):
        return
    for name, arguments, target in (
        ("arrays, 2,000 × 100: scikit-learn, ties ignored", (2000, "ignored", "once"), 2),
        ("arrays, 20 × 100: scikit-learn, ties ignored", (20, "ignored", "once"), 1),
        ("arrays, 2,000 × 100, --ties expected: scikit-learn", (2000, "expected", "once"), 5),
        ("a prepared ArrayEvaluator, 2,000 × 100: scikit-learn", (2000, "ignored", "prepared"), 5),
    ):
        command = [PYTHON, "-c", ARRAYS, *map(str, arguments)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        pairs = [tuple(map(float, line.split())) for line in output.splitlines()]
        ours, peer = (median(side) for side in zip(*pairs, strict=True))
        yield Result(name, peer / ours, target, "x faster")


def small() -> Iterator[Result]:
    """One small run from the command line."""
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 50, 1)
        ours = [*CRANFIELD, f"{directory}/qrels.txt", f"{directory}/runs/sys01.txt"]
        mine, numpy = alternate(ours, [PYTHON, "-c", "import numpy"], 21)
        yield Result(
            "one small run: python -c 'import numpy'",
            mine.seconds / numpy.seconds,
            1.7,
            "x the time",
        )


def many() -> Iterator[Result]:
    """Seventeen runs in one command."""
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 100, 17)
        qrels, runs = (
            f"{directory}/qrels.txt",
            sorted(str(p) for p in Path(directory, "runs").iterdir()),
        )
        one, all_ = alternate([*CRANFIELD, qrels, runs[0]], [*CRANFIELD, qrels, *runs], 5)
        yield Result("17 runs: one of them", all_.seconds / one.seconds, 3, "x the time")


def tied_collection(directory: str) -> list[str]:
    """A run of 100 topics × 1,000 documents, half of them judged, of which 97 % are tied.

    As many judged documents were not found as make 1,300 a topic; 15 % are relevant.
    """
    chance = random.Random(7)  # noqa: S311
    qrels, run = Path(directory, "qrels.txt"), Path(directory, "tied.txt")
    with qrels.open("w") as judgments, run.open("w") as results:
        for topic in range(1, 101):
            docs = chance.sample(range(1_000_000), 1800)
            for doc in chance.sample(docs[:DEPTH], 500) + docs[DEPTH:]:
                level = chance.choices((0, 1, 2), (17, 2, 1))[0]
                judgments.write(f"{topic} 0 FT{doc:06} {level}\n")
            rank = score = 0
            while rank < DEPTH:
                score -= 1
                alone = chance.random() < 0.165
                for _ in range(min(1 if alone else chance.randint(2, 11), DEPTH - rank)):
                    results.write(f"{topic} Q0 FT{docs[rank]:06} {rank + 1} {score} tied\n")
                    rank += 1
    return [str(qrels), str(run)]


EXPECTED = """
import sys, time, cranfield as cf
def taken(**options):
    begun = time.perf_counter()
    cf.evaluate(*sys.argv[1:], "ERR", **options)
    return time.perf_counter() - begun
for _ in range(6):
    print(taken(), taken(ties="expected"))
"""


def ties() -> Iterator[Result]:
    """The mean over random orders of tied documents, and the order that the run has."""
    name = "ERR with --ties expected, 97 % tied: the plain evaluation"
    with tempfile.TemporaryDirectory() as directory:
        files = tied_collection(directory)
        plain = [*CRANFIELD, *files, "-m", "ERR"]
        mean, one = alternate([*plain, "--ties", "expected"], plain, 9)
        yield Result(name, mean.seconds / one.seconds, 5, "x the time")
        out = subprocess.run([PYTHON, "-c", EXPECTED, *files], capture_output=True, text=True, check=True)
        pairs = [tuple(map(float, line.split())) for line in out.stdout.splitlines()[1:]]
        of_one, of_mean = (median(side) for side in zip(*pairs, strict=True))
        yield Result(f"{name}, in process", of_mean / of_one, 5, "x the time")


def catalogue() -> Iterator[Result]:
    """All measures of trec_eval and NTCIREVAL, 1,000 topics × 1,000 documents."""
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 1000, 1)
        files = [f"{directory}/qrels.txt", f"{directory}/runs/sys01.txt"]
        three = [*CRANFIELD, *files, "-m", MEASURES]
        every = [*CRANFIELD, *files, "-m", CATALOGUE]
        few, all_ = alternate(three, every, 5)
        name = f"all of trec_eval's and NTCIREVAL's measures: {MEASURES}"
        yield Result(name, all_.seconds / few.seconds, 4, "x the time")


DIVERSE = "Dsharp(nDCG)@10 ERR_IA@20 alpha_nDCG@20"

# The usual loop, as pyndeval's users write it, with those of the measures that it has.
PYNDEVAL = """
import sys, pyndeval
def lines(path):
    with open(path) as file:
        for line in file:
            yield line.split()
qrels = [pyndeval.SubtopicQrel(t, i, doc, int(level)) for t, i, doc, level in lines(sys.argv[1])]
names = ["ERR-IA@20", "alpha-nDCG@20"]
evaluator = pyndeval.RelevanceEvaluator(qrels, names)
for path in sys.argv[2:]:
    run = [pyndeval.ScoredDoc(f[0], f[2], float(f[4])) for f in lines(path)]
    scores = evaluator.evaluate(run)
    for name in names:
        print(path, name, sum(s[name] for s in scores.values()) / len(scores))
"""

FROM_PYTHON = f"""
import sys, cranfield as cf
cf.evaluate(sys.argv[1], sys.argv[2:], {DIVERSE!r})
"""


def diversity() -> Iterator[Result]:
    """Thirty runs of 200 topics × 1,000 documents; 200 documents a topic, judged for 6 intents."""
    if not importlib.util.find_spec("pyndeval"):
        return
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 200, 30)
        judged: dict[str, list[tuple[str, int]]] = {}
        for line in Path(directory, "qrels.txt").read_text().splitlines():
            topic, _, doc, level = line.split()
            judged.setdefault(topic, []).append((doc, int(level)))
        chance = random.Random(7)  # noqa: S311
        qrels = Path(directory, "intents.txt")
        qrels.write_text("".join(
            f"{topic} {intent} {doc} {level if chance.random() < 0.4 else 0}\n"
            for topic, docs in judged.items()
            for doc, level in chance.sample(docs, min(200, len(docs)))
            for intent in range(1, 7)
        ))  # fmt: skip
        files = [str(qrels), *sorted(str(p) for p in Path(directory, "runs").iterdir())]
        peer = [PYTHON, "-c", PYNDEVAL, *files]
        for name, command in (
            ("30 runs, 6 intents: pyndeval with a file loop", [*CRANFIELD, *files, "-m", DIVERSE]),
            ("the same from Python", [PYTHON, "-c", FROM_PYTHON, *files]),
        ):
            mine, other = alternate(command, peer, 3)
            yield Result(name, other.seconds / mine.seconds, 5, "x faster")


def trec_eval() -> Iterator[Result]:
    """`cranfield trec_eval -q` and the program itself, a usual run and a large one."""
    binary = shutil.which("trec_eval")
    if not binary:
        return
    ours, theirs = [PYTHON, "-m", "cranfield", "trec_eval", "-q"], [binary, "-q"]
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 50, 1)
        files = [f"{directory}/qrels.txt", f"{directory}/runs/sys01.txt"]
        mine, other = alternate([*ours, *files], [*theirs, *files], 9)
        name = "trec_eval -q, 50,000 lines"
        yield Result(name, mine.seconds / other.seconds, 6, "x the time")
    with large_collection() as files:
        mine, other = alternate([*ours, *files], [*theirs, *files], 3)
        name = "trec_eval -q, 7 million lines"
        yield Result(name, other.seconds / mine.seconds, 5, "x faster")


def skewed() -> Iterator[Result]:
    """One topic of five million documents beside a hundred small ones."""
    with tempfile.TemporaryDirectory() as directory:
        qrels, run = Path(directory, "qrels.txt"), Path(directory, "run.txt")
        sizes = [1000] * 50 + [5_000_000] + [1000] * 50
        with qrels.open("w") as judgments, run.open("w") as results:
            for topic, size in enumerate(sizes):
                for rank in range(1, size + 1):
                    doc = f"doc-{rank * 7919 % 10_000_019:08d}"
                    results.write(f"{topic} Q0 {doc} {rank} {size - rank}.5 skewed\n")
                    if rank % (size // 500) == 0:
                        judgments.write(f"{topic} 0 {doc} {rank % 3}\n")
        taken = cost([*CRANFIELD, str(qrels), str(run), "-m", MEASURES])
        yield Result("a topic of 5 million documents: peak memory", taken.megabytes, 1024, "MB")


CWL = """\
PrecisionCWLMetric(5)
PrecisionCWLMetric(10)
RBPCWLMetric(0.5)
RBPCWLMetric(0.8)
RBPCWLMetric(0.95)
NDCGCWLMetric(10)
NDCGCWLMetric(100)
RRCWLMetric()
APCWLMetric()
INSTCWLMetric(1)
INSTCWLMetric(2)
INSQCWLMetric(2)
BPMCWLMetric(2,10)
BPMDCWLMetric(2,10)
TBGCWLMetric(22)
UMeasureCWLMetric(50)
IFTGoalCWLMetric(2,0.9,10)
IFTRateCWLMetric(0.2,0.9,10)
IFTGoalRateCWLMetric(2,0.9,10,0.2,0.9,10)
NERReq10CWLMetric(0.8)
"""

# The package's own main; to find the classes of a metrics file it must be in its own directory.
CWL_EVAL = """
import sys, cwl
sys.path.insert(0, cwl.__path__[0])
from cwl import cwl_eval
cwl_eval.main(sys.argv[2], sys.argv[1], metrics_file=sys.argv[3])
"""


def cwl() -> Iterator[Result]:
    """Twenty user models, five measurements each, 1,000 topics of 1,000 results.

    The package works topic by topic, at the same pace: it is given every tenth topic.
    """
    if not importlib.util.find_spec("cwl"):
        return
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 1000, 1)
        judged, run = Path(directory, "qrels.txt"), Path(directory, "runs", "sys01.txt")
        qrels, tenth, metrics = (Path(directory, name) for name in ("graded.txt", "tenth.txt", "metrics.txt"))
        with judged.open() as lines:  # line by line: a child's peak memory begins at ours
            highest = max(int(line.split()[3]) for line in lines)
        with judged.open() as lines, qrels.open("w") as graded:
            for t, _, doc, level in map(str.split, lines):
                graded.write(f"{t} 0 {doc} {int(level) / highest}\n")
        with run.open() as lines:
            kept = set(sorted({line.split(maxsplit=1)[0] for line in lines})[::10])
        with run.open() as lines, tenth.open("w") as some:
            some.writelines(line for line in lines if line.split(maxsplit=1)[0] in kept)
        metrics.write_text(CWL)
        ours = [PYTHON, "-m", "cranfield", "cwl_eval", "-m", str(metrics), str(qrels)]
        mine = median(cost([*ours, str(run)]).seconds for _ in range(3))
        begun = os.getcwd()
        os.chdir(directory)  # where the package may leave its log
        try:
            theirs = cost([PYTHON, "-c", CWL_EVAL, str(qrels), str(tenth), str(metrics)]).seconds
        finally:
            os.chdir(begun)
        name = "20 user models on 1,000 × 1,000: cwl-eval (a tenth, times 10)"
        yield Result(name, 10 * theirs / mine, 50, "x faster")


TUKEY = """
import time
import numpy as np
from cranfield.stats.tukey import randomised_tukey_hsd
n, m = 50, 100
U = np.random.default_rng(1).random((n, m))
randomised_tukey_hsd(U, trials=10_000, axes=("topics", "runs"))
"""

# Figure 15 of seed 001 line by line, with NumPy for permutations and means: in five parts, so that
# both take turns.
FIGURE_15 = f"""{TUKEY}
random = np.random.default_rng(0)
means = U.mean(axis=0)
count = {{(x, y): 0 for x in range(m) for y in range(x + 1, m)}}
difference = {{(x, y): float(abs(means[x] - means[y])) for x, y in count}}
def figure_15(B):
    for b in range(B):
        permuted = np.empty((n, m))
        for i in range(n):
            permuted[i] = random.permutation(U[i])
        means_b = permuted.mean(axis=0)
        largest = float(means_b.max() - means_b.min())
        for pair in count:
            if largest > difference[pair]:
                count[pair] += 1
for _ in range(5):
    begun = time.perf_counter()
    randomised_tukey_hsd(U, trials=10_000, axes=("topics", "runs"))
    middle = time.perf_counter()
    figure_15(2_000)
    print(middle - begun, time.perf_counter() - middle)
"""


def tukey() -> Iterator[Result]:
    """Randomised Tukey HSD of 100 systems on 50 topics, 10,000 trials, from Python."""
    out = subprocess.run([PYTHON, "-c", FIGURE_15], capture_output=True, text=True, check=True)
    pairs = [tuple(map(float, line.split())) for line in out.stdout.splitlines()]
    ours, parts = zip(*pairs, strict=True)
    name = "randomised Tukey HSD of 100 systems"
    yield Result(f"{name}: Figure 15 as a loop", sum(parts) / median(ours), 10, "x faster")
    memory = cost([PYTHON, "-c", TUKEY]).megabytes
    yield Result(f"{name}: peak memory", memory, 500, "MB")


TWENTY = (
    "AP nDCG@10 nDCG@100 RR P@10 P@20 Rprec bpref infAP Q ERR nERR@10 RBP RBP(p=0.95) iRBU EBR O "
    "Pplus Recall@100 AP@100"
)


def discriminative() -> Iterator[Result]:
    """Discriminative power of 20 measures over 30 runs on 50 topics, 10,000 trials, whole process.

    One command reads the runs once; otherwise there is one for each measure, of which every fifth
    is run.
    """
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 50, 30)
        files = [f"{directory}/qrels.txt", *sorted(map(str, Path(directory, "runs").iterdir()))]
        ours = [PYTHON, "-m", "cranfield", "meta", "discriminative-power", *files, "-m"]
        together = median(cost([*ours, TWENTY]).seconds for _ in range(3))
        apart = 5 * sum(cost([*ours, measure]).seconds for measure in TWENTY.split()[::5])
        name = "discriminative power of 20 measures: one command each (4, times 5)"
        yield Result(name, apart / together, 3, "x faster")


def page() -> Iterator[Result]:
    """A page of 100 runs, 250 topics and 10 measures, the first 20 documents of each list."""
    with tempfile.TemporaryDirectory() as directory:
        simulate(directory, 250, 100)
        files = [f"{directory}/qrels.txt", *sorted(map(str, Path(directory, "runs").iterdir()))]
        measures = "nDCG@10 AP P@10 RBP RR ERR@20 Rprec bpref R@100 nDCG"
        written = Path(directory, "page.html")
        ours = [PYTHON, "-m", "cranfield", "report", *files, "-m", measures, "-o", str(written)]
        yield Result("a page of 100 runs, 250 topics, 10 measures", cost(ours).seconds, 60, "s")
        yield Result("the size of that page", written.stat().st_size / 1e6, 8, "MB")


# Files of answers, of what was judged of them (nuggets, support by citations, the criteria of a
# rubric), and gold answers.
ANSWERS = """
import json, random, sys
draw, words = random.Random(1), [f"w{k}" for k in range(3000)]
systems, topics = map(int, sys.argv[2:])
banks = [[(" ".join(draw.sample(words, 6)), draw.choice(("vital", "okay"))) for _ in range(14)]
         for _ in range(topics)]
support = ("support", "partial_support", "not_support")
names = (f"{sys.argv[1]}/{name}" for name in ("nuggets.jsonl", "answers.jsonl", "support.txt"))
nuggets, answers, cited = (open(name, "w") for name in names)
with nuggets, answers, cited:
    for run in (f"sys{s}" for s in range(systems)):
        for t, bank in enumerate(banks):
            judged = [{"text": text, "importance": vital, "assignment": draw.choice(support)}
                      for text, vital in bank]
            print(json.dumps({"qid": str(t), "run_id": run, "nuggets": judged}), file=nuggets)
            docs = [f"d{t}-{k}" for k in draw.sample(range(500), 10)]
            texts = [" ".join(draw.choices(words, k=15)) for _ in range(10)]
            said = [{"text": text, "citations": draw.sample(docs, k % 4)}
                    for k, text in enumerate(texts)]
            about = {"run_id": run, "narrative_id": str(t)}
            row = {"metadata": about, "references": docs, "answer": said}
            print(json.dumps(row), file=answers)
            for number, one in enumerate(said, 1):
                for doc in one["citations"]:
                    print(t, run, number, doc, draw.choice(("full", "partial", "none")), file=cited)
with open(f"{sys.argv[1]}/rubric.csv", "w") as rubric:
    print("topic,run,criterion,axis,weight,met", file=rubric)
    for t in range(topics):
        criteria = [(" ".join(draw.sample(words, 8)), draw.choice(("facts", "tone")),
                     draw.choice((5, 3, 2, -4))) for _ in range(8)]
        for run in (f"sys{s}" for s in range(systems)):
            for criterion, axis, weight in criteria:
                met = draw.choice((0, 0.5, 1))
                print(t, run, criterion, axis, weight, met, sep=",", file=rubric)
with open(f"{sys.argv[1]}/gold.jsonl", "w") as gold:
    for t in range(topics):
        right = [" ".join(draw.choices(words, k=60)) for _ in range(2)]
        print(json.dumps({"qid": str(t), "answers": right}), file=gold)
"""


def answers() -> Iterator[Result]:
    """Answers of 50 systems on 300 topics, by what was judged of them, whole process."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([PYTHON, "-c", ANSWERS, directory, "50", "300"], check=True)
        ours = [PYTHON, "-m", "cranfield", "answers", f"{directory}/nuggets.jsonl"]
        ours += ["--answers", f"{directory}/answers.jsonl", "--support", f"{directory}/support.txt"]
        name = "nuggets and citations of 50 systems, 300 topics (of processors)"
        yield Result(name, cost(ours).processor, 10, "s")
        ours += ["--rubric", f"{directory}/rubric.csv", "--gold", f"{directory}/gold.jsonl"]
        name = "the same with rubrics and short answers (of processors)"
        yield Result(name, cost(ours).processor, 10, "s")


# One run of 2,000 × 100 as text and as JSON. The time of JSON, of text, and of orjson alone.
JSON = """
import json, random, sys, time
from pathlib import Path
import orjson
import cranfield as cf
random.seed(1)
run = {f"q{t}": {f"doc{random.randrange(10**6)}-{i}": random.random() for i in range(100)} for t in range(2000)}
rows = [{"qid": t, "docid": d, "score": s} for t, docs in run.items() for d, s in docs.items()]
lines = "".join(json.dumps(row) + "\\n" for row in rows)
files = {"run.txt": "".join(f"{r['qid']} Q0 {r['docid']} 1 {r['score']} x\\n" for r in rows), "run.jsonl": lines,
         "rows.json": json.dumps(rows), "lists.json": json.dumps(run)}
for name, text in files.items():
    (Path(sys.argv[1]) / name).write_text(text)
qrels = cf.read_qrels({t: dict.fromkeys(list(docs)[::10], 1) for t, docs in run.items()})
def measure(work):
    begun = time.process_time()
    work()
    return time.process_time() - begun
paths = {name: f"{sys.argv[1]}/{name}" for name in files}
parsers = {"run.jsonl": lambda: [*map(orjson.loads, lines.encode().splitlines())],
           "rows.json": lambda: orjson.loads(files["rows.json"]),
           "lists.json": lambda: orjson.loads(files["lists.json"])}
expected = cf.evaluate(qrels, paths["run.txt"], "nDCG@10").mean()
for name, parse in parsers.items():
    assert list(cf.evaluate(qrels, paths[name], "nDCG@10").mean().values()) == list(expected.values())
    for _ in range(7):
        ours, text = (measure(lambda: cf.evaluate(qrels, paths[x], "nDCG@10")) for x in (name, "run.txt"))
        print(name, ours, text + measure(parse))
"""
JSON_ROWS = """
import random, sys
random.seed(1)
for s in range(5):
    with open(f"{sys.argv[1]}/{s}.jsonl", "w") as file:
        for t in range(20_000):
            docs = random.sample(range(10**7), 100)
            for i, d in enumerate(docs):
                file.write(f'{{"qid": "q{t}", "docid": "d{d}", "score": {100 - i}}}\\n')
            if s == 0:
                print(f"q{t} 0 d{docs[t % 100]} 1")
"""


def json_rows() -> Iterator[Result]:
    """JSON beside text and a JSON parser, and 10 million JSONL rows, whole process."""
    with tempfile.TemporaryDirectory() as directory:
        command = [PYTHON, "-c", JSON, directory]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        values = [line.split() for line in output.splitlines()]
        for name, noun in (("run.jsonl", "JSONL"), ("rows.json", "a JSON array"), ("lists.json", "JSON by topic")):
            ratio = median(float(ours) / float(peer) for row, ours, peer in values if row == name)
            yield Result(f"200,000 rows as {noun}: text and orjson", ratio, 1.5, "x the time")
        with open(f"{directory}/qrels", "w") as qrels:
            subprocess.run([PYTHON, "-c", JSON_ROWS, directory], stdout=qrels, check=True)
        used = cost([*CRANFIELD, f"{directory}/qrels", *(f"{directory}/{s}.jsonl" for s in range(5)), "-m", "nDCG@10"])
        yield Result("20,000 × 100 × 5 runs as JSONL", used.seconds, 20, "s")
        yield Result("10 million JSONL rows: peak memory", used.megabytes, 500, "MB")


BENCHMARKS: dict[str, Callable[[], Iterator[Result]]] = {
    "small": small,
    "many": many,
    "ties": ties,
    "catalogue": catalogue,
    "cwl": cwl,
    "diversity": diversity,
    "tukey": tukey,
    "discriminative": discriminative,
    "page": page,
    "answers": answers,
    "trec_eval": trec_eval,
    "skewed": skewed,
    "dicts": dicts,
    "json": json_rows,
    "arrays": arrays,
    "packed": packed,
    "large": large,
}


def versions() -> str:
    """When, and with what."""
    names = ("numpy", "polars", "pytrec-eval-terrier", "ir-measures", "pyndeval", "cwl-eval")
    found = [f"{name} {version(name)}" for name in names]
    if binary := shutil.which("trec_eval"):
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
        found.append(f"{said.stdout}{said.stderr}".strip())
    python = f"Python {sys.version.split()[0]}"
    return f"{date.today()}, {os.cpu_count()} processors, {', '.join([python, *found])}"


def main(wanted: list[str]) -> int:
    """Run the benchmarks whose names begin as wanted, or all."""
    table = "--table" in wanted
    wanted = [name for name in wanted if name != "--table"]
    if not shutil.which("trec_eval"):
        print("no trec_eval on PATH: compared with the others only", flush=True)
    if table:
        print(f"Measured on {versions()}.\n\n| work: peer | measured | target |\n|---|---|---|")
    results: list[Result] = []
    for name, benchmark in BENCHMARKS.items():
        if not wanted or any(name.startswith(w) for w in wanted):
            for result in benchmark():
                print(result.row if table else result, flush=True)
                results.append(result)
    if not table:
        print(*told(results, committed(PERFORMANCE.read_text(encoding="utf-8"))), sep="\n")
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
