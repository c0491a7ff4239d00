"""Several at a time: threads that share an evaluator, processes that write the same file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import pytest

import cranfield as cf
from cranfield.cli.main import main

T = TypeVar("T")
THREADS = 8


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """Judgments and eight runs."""
    place = tmp_path_factory.mktemp("collection")
    sizes = ["--topics", "12", "--runs", "8", "--depth", "60", "--levels", "3", "--seed", "5"]
    assert main(["simulate", *sizes, "-o", str(place)]) == 0
    return place / "qrels.txt", sorted((place / "runs").iterdir())


def at_once(work: Callable[[int], T]) -> list[T]:
    """What each of eight threads makes of its number; all begin together."""
    together = Barrier(THREADS)

    def begin(number: int) -> T:
        together.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


@pytest.mark.parametrize("options", [{}, {"ties": "expected"}, {"threads": 2, "block_cells": 50}])
@pytest.mark.parametrize("form", ["paths", "dicts"])
def test_eight_threads_on_one_evaluator(files: tuple[Path, list[Path]], form: str, options: dict[str, object]) -> None:
    """The same bits and the same notices as one after the other."""
    qrels, paths = files
    runs = [path if form == "paths" else cf.read_run(path).to_dict() for path in paths]
    measures = "AP nDCG@10 ERR RBP(p=0.8) INST(T=2, gain=unit) bpref"
    evaluator = cf.Evaluator(qrels, measures, **options)  # type: ignore[arg-type]
    alone = [evaluator(run) for run in runs]
    evaluator = cf.Evaluator(qrels, measures, **options)  # type: ignore[arg-type]
    found = at_once(lambda number: evaluator(runs[number]))
    assert [x.values.tobytes() for x in found] == [x.values.tobytes() for x in alone]
    assert [x.notes for x in found] == [x.notes for x in alone]


def test_eight_threads_that_compare(files: tuple[Path, list[Path]]) -> None:
    """Random trials depend on the seed, and not on who else draws some."""
    scores = cf.evaluate(files[0], files[1][:3], "AP RR")

    def pvalues(seed: int) -> list[float]:
        compared = cf.compare(scores, trials=300, seed=seed)
        return [pair.pvalue for pair in compared.pairs]

    alone = [pvalues(seed) for seed in range(THREADS)]
    assert len({*map(tuple, alone)}) > 1
    assert at_once(pvalues) == alone


def test_eight_threads_that_ask_for_measures_first() -> None:
    """In a process that has imported no measure yet: each family is imported once."""
    code = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import cranfield as cf
names, together = ["AP", "ERR_IA", "ROUGE", "NMD", "INST", "sDCG", "Vscore", "NuggetA"], Barrier(8)
def ask(name):
    together.wait()
    return str(cf.parse_measure(name)), len({*cf.REGISTRY.values()})
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(ask, names))
assert [name for name, _ in found] == names, found
assert {count for _, count in found} == {len(cf.REGISTRY)}, found
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


WRITES = """
import sys
from cranfield.data.files import write_whole
for _ in range(40):
    write_whole(sys.argv[1], (sys.argv[2].encode() * 1000 for _ in range(50)))
"""


@pytest.mark.slow
def test_two_processes_that_write_the_same_file(tmp_path: Path) -> None:
    """Whoever reads meanwhile sees one of both, whole; nothing else is left in the end."""
    path = tmp_path / "out"
    path.write_bytes(b"a" * 50_000)
    command = [sys.executable, "-c", WRITES, str(path)]
    writers = [subprocess.Popen([*command, letter]) for letter in "ab"]
    seen = set[bytes]()
    while any(writer.poll() is None for writer in writers):
        seen.add(path.read_bytes())
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen <= {b"a" * 50_000, b"b" * 50_000}
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
def test_two_commands_that_write_the_same_file(files: tuple[Path, list[Path]], tmp_path: Path) -> None:
    qrels, runs = files
    out = tmp_path / "scores.csv"
    words = [sys.executable, "-m", "cranfield", "evaluate", str(qrels)]
    options = ["-m", "AP", "-f", "csv", "--quiet"]
    alone = [subprocess.run([*words, str(run), *options], capture_output=True, check=True).stdout for run in runs[:2]]
    each = [subprocess.Popen([*words, str(run), *options, "-o", str(out)]) for run in runs[:2]]
    assert [process.wait() for process in each] == [0, 0]
    assert out.read_bytes() in alone
    assert [p.name for p in tmp_path.iterdir()] == ["scores.csv"]
