"""Commands and files changed at random: does anything break? `make fuzz` runs it.

Good commands with good files, those of the documents among them, are changed here and there, and
each is run in a process of its own. None may end with a traceback, take more than 5 s of the
processor or more than 500 MB, or end otherwise than the documents say; and the two readers of a
file must agree. What was found is kept in build/fuzz, with the command that does it again.
"""

from __future__ import annotations

import argparse
import gc
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from pkgutil import walk_packages
from typing import NoReturn

from tests import ROOT
from tests.fuzz import readers
from tests.fuzz.cases import Case, Ran, run_each
from tests.fuzz.corpus import CASES
from tests.fuzz.mutations import binary_files, mutated, own_files, seeds

FOUND = ROOT / "build" / "fuzz"


def made(
    seed: int, folder: Path, until: float, binary: dict[str, bytes], only: Sequence[str] = ()
) -> Iterator[tuple[Case, Path]]:
    """Cases, each from its number alone: as many as there is time for."""
    good, every, number = seeds(binary), own_files() | binary, 0
    good = [case for case in good if not only or case.words[0] in only]
    while time.monotonic() < until:
        choose = random.Random(f"{seed} {number}")  # noqa: S311
        case = mutated(good[number % len(good)], choose, every)
        here = folder / str(number)
        here.mkdir()
        yield case, here
        number += 1


def called(words: Sequence[str]) -> NoReturn:
    """A command, or the comparison of the readers."""
    if words[0] == "--readers":
        readers.compare(words)
    from cranfield.cli.main import entry

    sys.argv = ["cranfield", *words]
    entry()


def of_forks(folder: Path) -> dict[str, bytes]:
    """Files that Polars writes, which must not be at work in a process that forks."""
    import multiprocessing

    def write() -> None:
        for name, content in binary_files():
            (folder / name).write_bytes(content)

    process = multiprocessing.get_context("fork").Process(target=write)
    process.start()
    process.join()
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def keep(ran: Ran, seed: int) -> str:
    """Keep the files of a finding; the command that does it again."""
    folder = FOUND / f"{seed}-{ran.folder.name}"
    folder.mkdir(parents=True, exist_ok=True)
    ran.case.write(folder)
    line = str(ran.case).replace("cranfield --readers", "python -m tests.fuzz --readers")
    said = f"{ran.wrong}\n{ran.err[-4000:]}{ran.out[-400:]}\n"
    (folder / ".found").write_text(f"{line}\n{said}", encoding="utf-8")
    return f"cd {folder.relative_to(ROOT)} && {line}"


def shown(ran: Ran, command: str) -> str:
    """A finding: what is wrong, the last line that was said, and the command."""
    last = (ran.err.strip().splitlines() or ran.out.splitlines() or [""])[-1][:300]
    return printable(f"{ran.wrong}: {last}\n  {command}")


def printable(text: str) -> str:
    """What a terminal may be given."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def main() -> int:
    """Change, run, print."""
    parser = argparse.ArgumentParser(description="Does anything break if input is changed?")
    parser.add_argument("--seconds", type=float, default=60.0, help="of trying")
    parser.add_argument("--count", type=int, help="of cases, at most; the same ones each time")
    parser.add_argument("--seed", type=int, default=0, help="of the changes")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--only", nargs="*", default=[], metavar="COMMAND", help="of all commands")
    parser.add_argument("--readers", nargs=2, metavar=("KIND", "FILE"), help="compare these alone")
    parser.add_argument("--corpus", nargs="*", type=int, metavar="POINT", help="run these cases alone")
    options = parser.parse_args()
    if options.readers:
        readers.compare(options.readers)
    import_first()
    if options.corpus is not None:
        return corpus(options.corpus, options.workers)
    shutil.rmtree(FOUND, ignore_errors=True)
    tried, found = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as there, tempfile.TemporaryDirectory() as tables:
        until = time.monotonic() + options.seconds
        binary = of_forks(Path(tables))
        cases = made(options.seed, Path(there), until, binary, options.only)
        cases = islice(cases, options.count)
        for ran in run_each(cases, options.workers, called):
            tried[" ".join(ran.case.words[: 2 if ran.case.words[0] == "meta" else 1])] += 1
            if ran.wrong:
                found[ran.signature] += 1
                if found[ran.signature] == 1:
                    print(shown(ran, keep(ran, options.seed)), flush=True)
            shutil.rmtree(ran.folder, ignore_errors=True)
    counts = ", ".join(f"{name} {count}" for name, count in tried.most_common())
    print(f"seed {options.seed}: {sum(tried.values()):,} cases ({counts})")
    print(f"{len(found)} findings" + (f", kept in {FOUND.relative_to(ROOT)}" if found else ""))
    return 1 if found else 0


def corpus(points: Sequence[int], workers: int) -> int:
    """Run the cases that are kept, of some points or of all."""
    wanted = [case for case in CASES if not points or case.point in points]
    failed = 0
    with tempfile.TemporaryDirectory() as there:
        folders = (Path(tempfile.mkdtemp(dir=there)) for _ in wanted)
        for ran in run_each(zip(wanted, folders, strict=False), workers, called):
            if ran.unexpected:
                failed += 1
                last = (ran.err.strip().splitlines() or [""])[-1][:200]
                print(printable(f"point {ran.case.point}: {ran.case}\n  {ran.unexpected}: {last}"))
    print(f"{len(wanted) - failed} of {len(wanted)} cases are as they should be")
    return 1 if failed else 0


def import_first() -> None:
    """All that commands import, so that each process need not."""
    import cranfield

    for name in ("altair", "polars", "scipy.stats"):
        import_module(name)
    for module in walk_packages(cranfield.__path__, "cranfield."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.freeze()  # forks need not look through what is here


if __name__ == "__main__":
    sys.exit(main())
