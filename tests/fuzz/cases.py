"""A command with its files, run in a process of its own under limits, and what is wrong with it."""

from __future__ import annotations

import os
import re
import resource
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

SECONDS = 5  # of the processor that a small input may take
MEGABYTES = 500  # of memory
PATIENCE = 120  # seconds after which a process that only waits is ended
LIMITS = (
    (resource.RLIMIT_CPU, 4 * SECONDS),
    (resource.RLIMIT_DATA, 4 * MEGABYTES << 20),
    (resource.RLIMIT_FSIZE, 64 << 20),
    (resource.RLIMIT_CORE, 0),
)
OTHERS = ("trec_eval", "gdeval", "ndeval", "cwl_eval", "letor", "ntcir_eval", "ntcir")
WRONG = {  # in what a command says
    "traceback": r"Traceback \(most recent call last\)|cranfield failed",
    "panic": r"panicked at",
    "warning": r"\b(Runtime|Deprecation|Future|User|Resource)Warning\b",
    "out of memory": r"MemoryError|Unable to allocate",
    "terminal escapes": r"\x1b",
}


@dataclass(frozen=True)
class Case:
    """A command and the files that are where it runs; what is expected of it, if that is known."""

    words: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict, hash=False)
    stdin: bytes = b""
    encoding: str = "utf-8"  # of what it prints
    point: int = 0  # of the issue that it is from
    code: int | None = None
    said: str = ""  # a pattern, in standard output or standard error

    def __str__(self) -> str:
        shell = "" if self.encoding == "utf-8" else f"PYTHONIOENCODING={self.encoding} "
        shown = [word if len(word) < 300 else f"{word[:300]}…" for word in self.words]
        return f"{shell}cranfield {shlex.join(shown)}"

    def write(self, folder: Path) -> None:
        """Its files, and how it is run."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


@dataclass(frozen=True)
class Ran:
    """How a case ended."""

    case: Case
    code: int  # negative: the signal that ended it
    out: str
    err: str
    seconds: float  # of the processor
    megabytes: float
    folder: Path

    @property
    def wrong(self) -> str:
        """What should never be, whatever was asked; nothing if all is well."""
        if self.seconds > SECONDS or -self.code in (signal.SIGXCPU, signal.SIGKILL):
            return f"a hang: {self.seconds:.0f} s of the processor, exit code {self.code}"
        if self.megabytes > MEGABYTES:
            return f"memory: {self.megabytes:.0f} MB"
        if self.code < 0:
            return f"ended by {signal.Signals(-self.code).name}"
        said = ("" if "PAR1" in self.out else self.out) + self.err  # which may be a table
        for what, pattern in WRONG.items():
            if re.search(pattern, said):
                return what
        if self.code == 1 and not self._may_fail:
            return "exit code 1, and nothing was asked to fail"
        if self.code not in (0, 1, 2) and self.case.words[0] not in OTHERS:
            return f"exit code {self.code}"
        elsewhere = any(word.startswith(("-o", "--output")) for word in self.case.words)
        if self.code == 2 and not (self.out + self.err).strip() and not elsewhere:
            return "refused without a word"
        return f"{len(said):,} characters said" if len(said) > 1_000_000 else ""

    @property
    def _may_fail(self) -> bool:
        words = self.case.words
        return words[:1] == ("validate",) or words[0] in OTHERS or "--fail-if-worse" in words

    @property
    def unexpected(self) -> str:
        """What is not as the case says that it should be."""
        wanted = self.case
        if self.wrong:
            return self.wrong
        if wanted.code is not None and self.code != wanted.code:
            return f"exit code {self.code}, expected {wanted.code}"
        if not re.search(wanted.said, self.out + self.err):
            return f"not said: {wanted.said}"
        return ""

    @property
    def signature(self) -> str:
        """What is the same for findings that have one reason."""
        lines = self.err.strip().splitlines()
        if self.wrong not in ("traceback", "panic", "warning"):
            return f"{re.sub(r'[0-9]+', '…', self.wrong)} {self.case.words[0]}"
        where = [line for line in lines if re.match(r'  File ".*cranfield', line)][-1:]
        last = re.sub(r"0x[0-9a-f]+|\d+|'.*'|\".*?\"", "…", lines[-1][:200] if lines else "")
        at = [re.sub(r".*/cranfield/", "", line) for line in where]
        return " ".join([self.wrong, *at, last])


def run_each(
    cases: Iterator[tuple[Case, Path]],
    workers: int = os.cpu_count() or 1,
    call: Callable[[Sequence[str]], NoReturn] | None = None,
) -> Iterator[Ran]:
    """Run each case in its folder, some at a time, as they end."""
    running: dict[int, tuple[Case, Path, float]] = {}
    more = True
    while more or running:
        while more and len(running) < workers:
            try:
                case, folder = next(cases)
            except StopIteration:
                more = False
                break
            case.write(folder)
            running[_forked(case, folder, call or _entry)] = case, folder, time.monotonic()
        if running:
            yield from _ended(running)


def _ended(running: dict[int, tuple[Case, Path, float]]) -> Iterator[Ran]:
    """Wait a little; the cases that have ended."""
    for pid, (case, folder, start) in list(running.items()):
        if time.monotonic() - start > PATIENCE:
            os.kill(pid, signal.SIGKILL)
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            del running[pid]
            out, err = ((folder / name).read_bytes().decode("utf-8", "replace") for name in (".out", ".err"))
            spent = used.ru_utime + used.ru_stime
            code = os.waitstatus_to_exitcode(status)
            yield Ran(case, code, out, err, spent, used.ru_maxrss / 1024, folder)
    time.sleep(0.002)


def _forked(case: Case, folder: Path, call: Callable[[Sequence[str]], NoReturn]) -> int:
    """A process that runs a case; its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.chdir(folder)
        Path(".in").write_bytes(case.stdin)
        for stream, name in enumerate((".in", ".out", ".err")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC * (stream > 0)), stream)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", -1, case.encoding, closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, case.encoding, "backslashreplace", closefd=False)  # noqa: SIM115
        for which, most in LIMITS:
            resource.setrlimit(which, (most, most + (which == resource.RLIMIT_CPU)))
        call(case.words)
    except BaseException:
        import traceback

        traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)  # as the interpreter would


def _entry(words: Sequence[str]) -> NoReturn:
    """The command as it is installed."""
    from cranfield.cli.main import entry

    sys.argv = ["cranfield", *words]
    entry()
