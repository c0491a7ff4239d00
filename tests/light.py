"""What cranfield does where NumPy is all there is: every command, every example of its modules.

Each does what it does elsewhere, or says in one line which extra it needs: nothing else is allowed.
`make test-light` runs them in an environment that holds NumPy alone, and beside it with everything;
`tests/test_lazy_imports.py` where all other packages are as if they were not there.

This file is run by an environment without tools of the tests: it imports them where they are.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NamedTuple

OTHERS = ("orjson", "rich", "zstandard", "compression.zstd")  # which may be there, and must not be needed
NEEDS = re.compile(r"[^\n]+ needs? [^\n]+ \(cranfield\[(\w+)\]\): [^\n]+ -m pip install [^\n]+\n?")
MORE = r"""
plot runs q x y -m AP -o p.svg
plot runs q x y -m AP -o p.csv
plot topics q x y -m AP -o p.png
plot curve q x y -o p.svg
plot heatmap q x y -m AP -o p.svg
plot distribution q x y -m AP -o p.svg
plot agreement q x y w -m "AP RR" -o p.svg
plot pairs q x y w -m AP -o p.svg
plot unjudged q x y -o p.svg
plot pool q x y -o p.svg
plan --sd 0.2 --difference 0.05 --plot p.svg
judge --model q --people q2 x y -m AP
battles pairs
report q x y -m AP -o r.html
evaluate q x -f parquet -o s.parquet
evaluate q.parquet x.parquet
evaluate q.csv x.csv
evaluate q x --engine spark
evaluate irds:cranfield x
evaluate q x -f table
evaluate q.gz x
evaluate q x --by q.xlsx:level
evaluate q.zst x
evaluate q.lz4 x
text references.tsv system.tsv -m BLEU
"""


class Result(NamedTuple):
    """How something ended: 0 as it should, 2 with a word; and what it said."""

    what: str
    code: int
    out: str = ""
    err: str = ""


# -- where it is run ------------------------------------------------------------------------------


def work(folder: Path, absent: Sequence[str] = ()) -> list[Result]:
    """Every command of `folder`, and every example, where some packages are as if not there."""
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    os.environ["COLUMNS"] = "80"
    made = [_command(here) for here in sorted(folder.iterdir()) if here.is_dir()]
    with contextlib.chdir(folder):
        return [*made, *examples()]


def _command(here: Path) -> Result:
    """A command, run in a folder with its files."""
    from cranfield.cli.main import main

    words = json.loads((here / ".words").read_text(encoding="utf-8"))
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        contextlib.chdir(here),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 2
    said = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]
    return Result(" ".join(words), code, *said)


def examples() -> Iterator[Result]:
    """The examples of all modules: 0 if they are right, 2 if a package is missing, 1 if neither."""
    import cranfield
    from cranfield.errors import MissingPackage

    finder = doctest.DocTestFinder(exclude_empty=True)
    for found in walk_packages(cranfield.__path__, "cranfield."):
        if "__main__" in found.name:
            continue
        try:
            module = import_module(found.name)
        except MissingPackage as error:  # what is about another package begins by asking for it
            yield Result(found.name, 2, err=str(error))
            continue
        for test in finder.find(module):
            if test.examples:
                runner = Examples(optionflags=doctest.NORMALIZE_WHITESPACE)
                runner.run(test, out=lambda _: None)
                yield Result(test.name, runner.code, err=runner.said)


class Examples(doctest.DocTestRunner):
    """Runs examples until one needs a package that is not there."""

    code, said = 0, ""

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        self._fail(1, f"{example.source}{got}")

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        from cranfield.errors import MissingPackage

        missing = isinstance(exc_info[1], MissingPackage)
        self._fail(2 if missing else 1, str(exc_info[1]) if missing else repr(exc_info[1]))

    def _fail(self, code: int, said: str) -> None:  # what follows an error follows from it
        if not self.code:
            self.code, self.said = code, said


# -- where it is looked at ------------------------------------------------------------------------


def prepare(folder: Path) -> None:
    """Commands, each with its files in a folder of its own."""
    import gzip
    import shlex

    from tests.fuzz.mutations import QRELS, binary_files, own_files, seeds

    binary = dict(binary_files())
    files = own_files() | binary | {"q.gz": gzip.compress(QRELS), "q2": QRELS.replace(b"2", b"1")}
    files["q.zst"], files["q.lz4"] = _packed(QRELS)
    files["q.xlsx"] = _build_sheet(QRELS)
    lines = [shlex.split(line) for line in MORE.strip().splitlines()]
    cases = [(list(case.words), case.files) for case in seeds(binary)]
    named = [{word.partition(":")[0] for word in words} for words in lines]
    cases += [(words, {n: x for n, x in files.items() if n in own}) for words, own in zip(lines, named, strict=True)]
    for number, (words, own) in enumerate(cases):
        if words[0] == "--readers":
            continue
        here = folder / f"{number:03}"
        here.mkdir()
        for name, content in own.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_bytes(content)
        (here / ".words").write_text(json.dumps(words), encoding="utf-8")


def _packed(content: bytes) -> tuple[bytes, bytes]:
    import lz4.frame
    import zstandard

    return zstandard.compress(content), lz4.frame.compress(content)


def _build_sheet(qrels: bytes) -> bytes:
    import io

    import openpyxl  # type: ignore[import-untyped]

    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["topic", "iteration", "doc", "level"])
    for line in qrels.decode().splitlines():
        topic, iteration, doc, level = line.split()
        book.active.append([topic, iteration, doc, int(level)])
    book.save(file)
    return file.getvalue()


def ran_by(python: str, folder: Path, absent: Sequence[str] = ()) -> list[Result]:
    """What an interpreter finds; its files are not those of another."""
    done = subprocess.run(
        [python, __file__, str(folder), *absent],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [Result(*row) for row in json.loads(done.stdout)]


def amiss(result: Result, usual: Result | None = None) -> str:
    """What should not be, if anything; `usual` is what is said where everything is installed."""
    if extra_of(result):
        return "" if not result.out else "a part of the result, and then an error"
    if usual is not None and result.code != usual.code:
        return f"exit code {result.code}, elsewhere {usual.code}: {result.err}"
    if usual is not None and result.out != usual.out:
        return "another result than elsewhere"
    if re.search(r"Traceback|ModuleNotFoundError|ImportError|cranfield failed", result.err):
        return result.err
    return result.err if result.what.startswith("cranfield.") and result.code else ""


def extra_of(result: Result) -> str:
    """The extra that something needs."""
    found = NEEDS.fullmatch(result.err)
    return found[1] if found and result.code == 2 else ""


def main(python: str) -> int:
    """Compare an environment with this one, and print what is amiss."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        folders = Path(one), Path(other)
        for folder in folders:
            prepare(folder)
        found, usual = map(ran_by, (python, sys.executable), folders)
    known: dict[str, list[Result]] = {}
    for result in usual:
        known.setdefault(result.what, []).append(result)
    wrong = [
        (r, text)
        for r in found  # a module that cannot be imported has no examples, but itself
        if (text := amiss(r, known[r.what].pop(0) if r.what in known else None))
    ]
    for result, text in wrong:
        print(f"{result.what}: {text.strip()}")
    needed = Counter(filter(None, map(extra_of, found)))
    print(f"{len(found)} commands and examples; extras that some need: {dict(needed)}")
    return 1 if wrong or not needed else 0


if __name__ == "__main__":
    if os.path.isdir(sys.argv[1]):
        print(json.dumps(work(Path(sys.argv[1]), sys.argv[2:])))
    else:
        sys.exit(main(sys.argv[1]))
