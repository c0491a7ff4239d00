"""Every command in situations that nobody chooses: a pipe that nobody reads, a disk that is full.

`python -m tests.robust.situations` runs all commands in all of them, each in a fork of a process
that has imported everything, and says what went wrong.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NoReturn

from cranfield.cli.main import compute_again
from tests.fuzz.__main__ import called, import_first
from tests.fuzz.cases import Case, Ran, run_each
from tests.fuzz.mutations import options_of, own_files, seeds

MORE = """
hierarchy tree.q tree.run
judge q q2 x y -m AP --drawn random
battles pairs
topics q x y
report q x y -m AP -o page.html
fuse x y -o fused.run
diff x y
repro q --original x --reproduced y
suite s.toml -m AP
verify record.json
trend n1 n2
"""
SUITE = {
    "s.toml": b"""[collections.a]
qrels = "s.q"
[collections.b]
qrels = "s.q"
[systems]
x = "x.{collection}"
y = "y.{collection}"
""",
    "s.q": b"1 0 a 1\n2 0 b 1\n",
    **dict.fromkeys(("x.a", "x.b", "y.b"), b"1 Q0 a 1 3 t\n2 Q0 c 1 2 t\n"),
    "y.a": b"1 Q0 b 1 3 t\n2 Q0 b 1 2 t\n",
}
NIGHTS = {"n1": b"topic,AP\n1,0.5\n2,0.25\n", "n2": b"topic,AP\n1,0.5\n2,0.5\n"}
TREES = {"tree.q": b"1 1 a 1\n1 2 b 1\n", "tree.run": b"1 a b 1 3 x\n1 b c 1 2 x\n"}
OUT, OLD = "out", b"what was there before\n"


@cache
def make_record() -> bytes:
    """A record without inputs."""
    recording = compute_again(["plan", "--sd", "0.2", "--difference", "0.05"])
    text: str = recording.record.text
    return text.encode()


def families() -> list[Case]:
    """A command of each name, with its files: the first of those that are fuzzed, and some more."""
    made: dict[str, Case] = {}
    every = own_files() | TREES | SUITE | NIGHTS | {"record.json": make_record()}
    lines = [tuple(line.replace('"', "").split()) for line in MORE.strip().splitlines()]
    more = [
        Case(words, {n: x for n, x in every.items() if n in words or ("s.toml" in words and n in SUITE)})
        for words in lines
    ]
    for case in [*seeds({}), *more]:
        if case.words[0] not in ("--readers", "ntcir"):
            made.setdefault(case.words[0], case)
    return list(made.values())


def writing() -> list[Case]:
    """Those that write a file where they are asked to, beside what was there before."""
    able = [case for case in families() if any(name == "--output" for name, *_ in options_of(case.words[:3]))]
    asked = [case if "-o" in case.words else replace(case, words=(*case.words, "-o", OUT)) for case in able]
    return [
        replace(case, files={**case.files, case.words[case.words.index("-o") + 1]: OLD})
        for case in asked
        if case.words[0] != "simulate"  # which writes a directory
    ]


# -- what a command meets -------------------------------------------------------------------------


def _out_is(descriptor: int) -> None:
    os.dup2(descriptor, 1)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115


def nothing(words: Sequence[str]) -> NoReturn:
    called(words)


def unread_pipe(words: Sequence[str]) -> NoReturn:
    """`cranfield … | true`."""
    read, write = os.pipe()
    os.close(read)
    _out_is(write)
    called(words)


def full_device(words: Sequence[str]) -> NoReturn:
    """`cranfield … > /dev/full`."""
    _out_is(os.open("/dev/full", os.O_WRONLY))
    called(words)


def no_output(words: Sequence[str]) -> NoReturn:
    """`cranfield … >&-`."""
    os.close(1)
    sys.stdout = None  # as Python has it then
    called(words)


def no_errors(words: Sequence[str]) -> NoReturn:
    """`cranfield … 2>&-`."""
    os.close(2)
    sys.stderr = None
    called(words)


def full_disk(words: Sequence[str]) -> NoReturn:
    """No file may have a byte; what is said goes through a pipe, to a process that may write it."""
    read, write = os.pipe()
    if pid := os.fork():
        os.close(write)
        while said := os.read(read, 1 << 16):
            os.write(2, said)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os.dup2(write, 2)
    os.close(write)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    called(words)


def read_only(words: Sequence[str]) -> NoReturn:
    """In a directory that must not be written to, not even by root."""
    os.chmod(".", 0o555)  # noqa: S103
    without_privileges()
    called(words)


class _Head(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


def without_privileges() -> None:
    """Root obeys permissions without the capabilities to override them; others do anyway."""
    if os.geteuid() == 0:
        libc, head, sets = ctypes.CDLL(None), _Head(0x20080522, 0), (_Capabilities * 2)()
        assert libc.capget(ctypes.byref(head), sets) == 0
        sets[0].effective &= ~0b1110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        assert libc.capset(ctypes.byref(head), sets) == 0


# -- what should become of it ---------------------------------------------------------------------


def as_usual(ran: Ran, usual: Ran) -> str:
    """The same exit code, and the same words where they can be read."""
    if ran.code != usual.code:
        return f"exit code {ran.code}, usually {usual.code}"
    return "" if ran.out in ("", usual.out) else "something else is printed"


def quietly(ran: Ran, usual: Ran) -> str:
    """The reader has seen enough: no error, and nothing said of it."""
    if ran.code not in (0, usual.code):
        return f"exit code {ran.code}, usually {usual.code}"
    return "" if ran.err in ("", usual.err) else "something else is said"


def in_a_line(ran: Ran, usual: Ran) -> str:
    """That nothing can be written is said in a line; whoever prints nothing ends well."""
    if not usual.out:
        return as_usual(ran, usual)
    said = ran.err.strip().splitlines()[-1:]
    fine = ran.code != 0 and said and "No space left on device" in said[0]
    return "" if fine else f"exit code {ran.code}, and {said} is said"


def old_file_stays(ran: Ran, usual: Ran) -> str:
    """Refused in a line; what was there stays, and nothing else is left."""
    said = [line for line in ran.err.splitlines() if "cannot write" in line]
    if ran.code != 2 or len(said) != 1:
        return f"exit code {ran.code}, and {ran.err[-200:]!r} is said"
    left = {p.relative_to(ran.folder).as_posix(): p.read_bytes() for p in ran.folder.rglob("*") if p.is_file()}
    made = {name: left[name] for name in left if name not in (".in", ".out", ".err")}
    return "" if made == ran.case.files else f"files are others: {sorted(made)}"


@dataclass(frozen=True)
class Situation:
    """What commands meet, which of them, and what is wrong with how one ended, beside how it does
    otherwise.
    """

    meets: Callable[[Sequence[str]], NoReturn]
    cases: Callable[[], list[Case]]
    wrong: Callable[[Ran, Ran], str]


SITUATIONS = {
    "a pipe that nobody reads": Situation(unread_pipe, families, quietly),
    "a full device": Situation(full_device, families, in_a_line),
    "no standard output": Situation(no_output, families, as_usual),
    "no standard error": Situation(no_errors, families, as_usual),
    "a full disk": Situation(full_disk, writing, old_file_stays),
    "a directory to read only": Situation(read_only, writing, old_file_stays),
}


def problems(names: Sequence[str]) -> list[str]:
    """What is wrong with commands in some situations, a line for each."""
    found: list[str] = []
    for name in names:
        situation = SITUATIONS[name]
        usual = _ran(situation.cases(), nothing)
        met = _ran(situation.cases(), situation.meets)
        for command, ran in met.items():
            wrong = ran.wrong if ran.wrong not in ("", "exit code 1, and nothing was asked to fail") else ""
            if wrong := wrong or situation.wrong(ran, usual[command]):
                found.append(f"{name}: {command}: {wrong}")
        print(f"{name}: {len(met)} commands", flush=True)
    return found


def _ran(cases: list[Case], call: Callable[[Sequence[str]], NoReturn]) -> dict[str, Ran]:
    """How each command ended; its folder is looked at before it is gone."""
    folders = (Path(tempfile.mkdtemp(dir=PLACE.name)) for _ in cases)
    return {str(ran.case): ran for ran in run_each(zip(cases, folders, strict=True), call=call)}


PLACE = tempfile.TemporaryDirectory()


def main() -> int:
    """Those that are named, or all of them."""
    import_first()
    found = problems(sys.argv[1:] or [*SITUATIONS])
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
