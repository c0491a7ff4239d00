"""What trec_eval 10 answers, kept, so that tests beside it run where there is none.

``original`` looks an answer up in ``trec_eval.json.xz``, by the command line and a digest of the
files that it names. ``python -m tests.peers.recorded``, with trec_eval 10 on the PATH, runs the
tests that ask, has the program itself answer, and keeps that and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import ROOT

RECORD_ANEW = "record anew: python -m tests.peers.recorded"


class Answer(NamedTuple):
    """What a command did."""

    exit: int
    out: str
    err: str


def program(words: Sequence[str], directory: Path, given: bytes = b"") -> Answer:
    """What the trec_eval on the PATH does in a directory."""
    done = subprocess.run(["trec_eval", *words], cwd=directory, input=given, capture_output=True, check=False)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def is_installed() -> bool:
    """Whether trec_eval 10 is on the PATH."""
    return shutil.which("trec_eval") is not None and " 10." in program(["-v"], Path()).err


def key_of(words: Sequence[str], directory: Path) -> str:
    """The command line, and a digest of the files that it names."""
    digests = "".join(
        hashlib.sha256((directory / word).read_bytes()).hexdigest() for word in words if (directory / word).is_file()
    )
    return f"{shlex.join(words)} # {hashlib.sha256(digests.encode()).hexdigest()[:16]}"


@dataclass
class Recording:
    """Answers in a file; while they are recorded `anew`, those of the program."""

    path: Path
    anew: bool = False
    asked: dict[str, Answer] = field(default_factory=dict)

    @cached_property
    def kept(self) -> dict[str, Answer]:
        """The answers of the file."""
        known = json.loads(lzma.decompress(self.path.read_bytes()))
        return {key: Answer(*answer) for key, answer in known.items()}

    def ask(self, words: Sequence[str], directory: Path) -> Answer:
        """What trec_eval 10 does in a directory, as it was recorded."""
        key = key_of(words, directory)
        if self.anew:
            self.asked[key] = program(words, directory)
            return self.asked[key]
        if key not in self.kept:
            pytest.fail(f"no answer is kept to: trec_eval {key}\n{RECORD_ANEW}", pytrace=False)
        return self.kept[key]

    def write(self, answers: dict[str, Answer]) -> None:
        """The same answers are the same bytes."""
        text = json.dumps(answers, ensure_ascii=False, indent=0, sort_keys=True)
        self.path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


TREC_EVAL = Recording(Path(__file__).with_name("trec_eval.json.xz"))
original = TREC_EVAL.ask


def record(recording: Recording) -> int:
    """Ask everything again; what only a test that failed may ask is not lost."""
    if not is_installed():
        raise SystemExit("found no trec_eval 10 on the PATH")
    asking = [
        str(path)
        for path in sorted(ROOT.glob("tests/**/test_*.py"))
        if "from tests.peers.recorded import" in path.read_text(encoding="utf-8")
    ]
    recording.anew = True
    failed = pytest.main(["-p", "no:xdist", "-p", "no:cacheprovider", *asking])
    old = recording.kept if failed and recording.path.exists() else {}
    recording.write(old | recording.asked)
    return int(failed)


if __name__ == "__main__":
    from tests.peers.recorded import TREC_EVAL as OF_THE_TESTS  # this module is another, __main__

    sys.exit(record(OF_THE_TESTS))
