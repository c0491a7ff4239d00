"""Ctrl-C, SIGTERM and SIGKILL, while modules are imported, files read, trials drawn, files written:
no traceback, no half of a file, nothing left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from cranfield.data.files import write_all
from tests.made import RUN

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]
SCATTERED = "q Q0 a 1 3 r\nr Q0 a 1 3 r\nq Q0 b 2 2 r\nr Q0 c 2 1 r\nq Q0 c 3 1 r\n"


def names(place: Path) -> list[str]:
    return sorted(path.relative_to(place).as_posix() for path in place.rglob("*"))


# -- while modules are imported -------------------------------------------------------------------

IMPORTING = """
import os, signal, sys
class Stop:  # a finder that finds nothing, but stops what looks for it
    def find_spec(self, name, *_):
        if name == MODULE:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Stop())
sys.argv = ["cranfield", "evaluate", "trec", "run"]
from cranfield.__main__ import start
start()
"""


@pytest.mark.parametrize("module", ["cranfield.cli.commands", "numpy", "cranfield.evaluation.evaluate"])
def test_while_modules_are_imported(small: Path, module: str) -> None:
    code = IMPORTING.replace("MODULE", repr(module))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# -- while a command works ------------------------------------------------------------------------

# The command stops itself when it calls a function for the n-th time, in whatever thread.
WORKING = """
import importlib, os, signal, sys
module, _, name = sys.argv[1].partition(":")
*holders, name = name.split(".")
after, sys.argv = int(sys.argv[2]), ["cranfield", *sys.argv[3:]]
holder, calls = importlib.import_module(module), []
for inner in holders:
    holder = getattr(holder, inner)
real = getattr(holder, name)
def stopped(*given, **named):
    calls.append(1)
    if len(calls) == after:
        os.kill(os.getpid(), signal.SIGINT)
    return real(*given, **named)
setattr(holder, name, stopped)
from cranfield.__main__ import start
start()
"""
FILES = "trec run other"


@pytest.mark.parametrize(
    ("where", "command"),
    [
        ("cranfield.evaluation.collection:Collection.label 2", f"evaluate {FILES} -m AP -o out"),
        ("cranfield.evaluation.collection:Collection.label 1", f"compare {FILES} -m AP -o out"),
        ("cranfield.data.files:_fill 1", f"evaluate {FILES} -m AP -o out"),
        ("cranfield.data.files:_fill 1", f"compare {FILES} -m AP --test t -o out"),
        ("cranfield.data.files:_fill 1", f"report {FILES} -m AP -o out.html"),
        ("cranfield.data.files:_fill 2", "simulate --topics 3 --runs 2 --depth 5 -o made"),
    ],
)
def test_while_it_works(small: Path, where: str, command: str) -> None:
    Path("other").write_text(RUN.replace(" r\n", " other\n"))
    before = names(small)
    done = subprocess.run(
        [sys.executable, "-c", WORKING, *where.split(), *command.split()],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr
    assert names(small) == before


@pytest.mark.parametrize(
    "command",
    [
        "evaluate trec pipe -m AP -o out",
        "compare trec run pipe -m AP -o out",
        "report trec run pipe -m AP -o out.html",
        "validate trec pipe",
        "trec_eval trec pipe",
    ],
)
def test_while_it_waits_for_a_file(small: Path, command: str) -> None:
    """A pipe that somebody opens, and writes half of a run to."""
    os.mkfifo("pipe")
    before = names(small)
    process = subprocess.Popen(
        [sys.executable, "-m", "cranfield", *command.split()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with open("pipe", "w", encoding="utf-8") as pipe:  # which waits until it is being read
        pipe.write(RUN)
        pipe.flush()
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert names(small) == before


# The command tells when it opens a file: it is at work, and not still being loaded.
TELLING = """
import signal, sys, threading
FIRST
after = "open", sys.argv.pop(1)
def tell(event, given):
    if (event, *given[:1]) == after:
        print("begun", flush=True)
sys.addaudithook(tell)
from cranfield.__main__ import start
start()
"""
# What keeps the system from interrupting a read: that another thread is told of the signal, as when
# it comes a moment before, and Polars, which has reads go on.
DEAF = {
    "another thread is told": """
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
""",
    "Polars is loaded": "import polars",
}


def stopped(after: str, words: Sequence[str], first: str = "") -> tuple[int, bytes, bytes]:
    """How a command ends that is interrupted soon after it opened a file, and what it says."""
    process = subprocess.Popen(
        [sys.executable, "-c", TELLING.replace("FIRST", first), after, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(60)
        finally:
            process.kill()
        return code, process.stdout.read().replace(b"begun\n", b""), process.stderr.read()


@pytest.mark.parametrize("how", DEAF)
@pytest.mark.parametrize(
    ("after", "command"),
    [
        ("pipe", "evaluate trec pipe -m AP -o out"),
        ("pipe", "compare pipe run run -m AP -o out"),
        ("pipe", "report trec run pipe -m AP -o out.html"),
        ("trec", "evaluate trec - -m AP -o out"),
        ("run", "validate trec run -"),
    ],
)
def test_while_nobody_writes(small: Path, how: str, after: str, command: str) -> None:
    """A pipe that nobody opens, and standard input that nobody closes."""
    os.mkfifo("pipe")
    before = names(small)
    assert stopped(after, command.split(), DEAF[how]) == (130, b"", b"")
    assert names(small) == before


@pytest.mark.parametrize("command", ["compare", "meta stability", "meta discriminative-power"])
def test_while_trials_are_drawn(here: Path, command: str) -> None:
    """So many that nobody waits for them."""
    topics = range(30)
    Path("qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in topics))
    for r in range(3):
        lines = (f"{t} Q0 {'ba'[(t + r) % 3 > 0]} 1 1 r{r}\n" for t in topics)
        Path(f"r{r}").write_text("".join(lines))
    words = [*command.split(), "qrels", "r0", "r1", "r2", "-m", "AP", "-o", "out"]
    code, out, err = stopped("r2", [*words, "--trials", "90000000"])
    assert (code, out) == (130, b""), err
    assert b"Traceback" not in err
    assert not Path("out").exists()


# -- while files are written ----------------------------------------------------------------------

WRITING = """
import sys, time
from cranfield.data.files import write_all
def chunks():
    yield b"half"
    print("begun", flush=True)
    time.sleep(60)
write_all({"one/a": b"new", "two/b": chunks()})
"""


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_kill_leaves_the_old_files(here: Path, stop: signal.Signals) -> None:
    write_all({"one/a": b"old", "two/b": b"old"})
    process = subprocess.Popen([sys.executable, "-c", WRITING], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(stop)
    assert [Path(name).read_bytes() for name in ("one/a", "two/b")] == [b"old", b"old"]
    if stop == signal.SIGINT:  # who is asked to stop tidies up
        assert names(here) == ["one", "one/a", "two", "two/b"]
    write_all({"one/a": b"new", "two/b": b"new"})
    assert names(here) == ["one", "one/a", "two", "two/b"]


# -- while lines of scattered topics are on disk --------------------------------------------------

GROUPING = """
import os, sys
from cranfield.cli.main import entry
from cranfield.data.reading import grouping
from cranfield.data.reading.source import Source
Source.iter_pieces.__defaults__ = (40,)
grouping.MEMORY_LIMIT, grouping.BATCH_LINES = 1, 1
store, sizes = grouping._TopicStore.store, []
stop = int(sys.argv.pop())
def stop_after_second(topics, table):
    store(topics, table)
    sizes.append(os.fstat(topics.file.file.fileno()).st_size)
    if len(sizes) == 2:
        print(sizes[-1] > 0, flush=True)
        os.kill(os.getpid(), stop)
grouping._TopicStore.store = stop_after_second
entry()
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whoever_is_stopped_leaves_nothing_behind(tmp_path: Path, stop: int) -> None:
    """After the second table."""
    left = tmp_path / "tmp"
    left.mkdir()
    (tmp_path / "run.txt").write_text(SCATTERED)
    (tmp_path / "qrels.txt").write_text("q 0 b 1\n")
    words = ["evaluate", "qrels.txt", "run.txt", "-m", "RR", "-o", "scores.txt", str(int(stop))]
    done = subprocess.run(
        [sys.executable, "-c", GROUPING, *words],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(left)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True\n"  # there was something
    assert done.returncode == (130 if stop == signal.SIGINT else -stop)
    assert not list(left.iterdir())
    assert not (tmp_path / "scores.txt").exists()
    assert done.stderr == ""
