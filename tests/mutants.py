"""Change the code a little, and see whether a test tells: `make mutants` runs it.

A seeded sample of small changes of `measures/` and `stats/` is made, one at a time, and the tests
that run the changed line are run until one fails. Changes that no test tells are printed: they want
a test, or are dead code, or change nothing that can be seen.

No file is written: a process imports everything once, and is forked for each mutant; the fork
imports cranfield and its tests again, the changed module from a changed syntax tree.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import importlib
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import coverage
import pytest
from hypothesis import Phase, settings

from tests import ROOT

ROOMS = ("measures", "stats")
SOURCES = [ROOT / "src/cranfield" / room for room in ROOMS]
MODULES = [path for source in SOURCES for path in sorted(source.rglob("*.py"))]
FOLDERS = [ROOT / "tests" / name for name in (*ROOMS, "papers", "peers", "properties")]
ELSEWHERE = (
    "evaluation/test_sessions.py", "evaluation/test_texts.py", "labelling/test_ties.py",
    "tools/test_cwl_eval.py", "tools/test_trec_eval.py",
)  # fmt: skip
TESTS = [path for folder in FOLDERS for path in sorted(folder.rglob("test_*.py"))]
TESTS += [ROOT / "tests" / name for name in ELSEWHERE]  # of modules here, by those who use them
MEMORY = 8 << 30  # bytes that a mutant may take
SURVIVED, KILLED, LATE = 0, 10, -signal.SIGPROF  # exit codes; any other: it could not be judged
# Plain asserts, as pytest would read modules with doctests itself to rewrite them, unchanged:
OPTIONS = ["-x", "-n0", "--assert=plain", "-pno:cacheprovider", "--hypothesis-profile=mutants"]

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
PAIRS = [("min", "max"), ("minimum", "maximum"), ("any", "all"), ("floor", "ceil")]
NAMES = dict(PAIRS) | {second: first for first, second in PAIRS}

# -- mutants --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """Another node in a field of a node, or in a list there."""

    path: Path
    tree: ast.Module
    line: int
    lines: range  # tests that run one of them may tell
    parent: ast.AST
    field: str
    index: int | None
    old: ast.AST
    new: ast.AST

    def put(self, node: ast.AST) -> None:
        """Change the tree."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node

    def __str__(self) -> str:
        if isinstance(self.old, ast.expr | ast.stmt) and isinstance(self.parent, ast.stmt):
            before, after = ast.unparse(self.old), ast.unparse(self.new)
        else:
            before = ast.unparse(self.parent)
            self.put(self.new)
            after = ast.unparse(self.parent)
            self.put(self.old)
        return f"{self.path.relative_to(ROOT)}:{self.line}: {before} → {after}"


def others(node: ast.AST, parent: ast.AST, field: str) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    if type(node) in OPERATORS:
        yield OPERATORS[type(node)]()
    elif isinstance(node, ast.Constant):
        yield from (ast.Constant(value) for value in values(node.value, field))
    elif isinstance(node, ast.Slice) and (node.lower or node.upper):
        yield ast.Slice(step=node.step)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Name) and field == "func" and node.id in NAMES:
        yield ast.Name(NAMES[node.id], ast.Load())
    elif isinstance(node, ast.Attribute) and field == "func" and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], ast.Load())
    elif isinstance(node, ast.AugAssign | ast.Expr):
        yield ast.Pass()
    if isinstance(parent, ast.Return) and isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    if field == "test" and isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.BoolOp):
        yield ast.UnaryOp(ast.Not(), node)


def values(value: object, field: str) -> list[Any]:
    """Numbers one beside; the other truth; as defaults of functions, something else at all."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [1 - value] if value == 0 else [value - 1, value + 1]
    if field in ("defaults", "kw_defaults") and (value is None or isinstance(value, str)):
        return [0 if value is None else "" if value else "?"]
    return []


def unseen(node: ast.AST, field: str) -> bool:
    """What no test of a room looks at: texts, types, decorators, exports, what pages show."""
    if field in ("annotation", "returns", "decorator_list", "type_params"):
        return True
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation) == "TypeAlias"
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in ("__all__", "examples", "vary")
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def mutants(path: Path) -> Iterator[Mutant]:
    """All of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))

    def visit(parent: ast.AST, line: int, lines: range, called: bool) -> Iterator[Mutant]:
        for field, found in ast.iter_fields(parent):
            called |= isinstance(parent, ast.FunctionDef) and field == "body"
            for index, node in enumerate(found) if isinstance(found, list) else [(None, found)]:
                if not isinstance(node, ast.AST) or unseen(node, field):
                    continue
                at: int = getattr(node, "lineno", line)
                where = lines
                if isinstance(node, ast.ClassDef) or (called and isinstance(node, ast.stmt)):
                    where = reach(node)
                for other in others(node, parent, field):
                    yield Mutant(path, tree, at, where, parent, field, index, node, other)
                yield from visit(node, at, where, called)

    yield from visit(tree, 1, range(1, sys.maxsize), False)


def reach(node: ast.stmt) -> range:
    """The lines of a class or a statement, without the statements in it."""
    body: list[ast.stmt] = [] if isinstance(node, ast.ClassDef) else getattr(node, "body", [])
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return range(node.lineno, max(node.lineno, last) + 1)


# -- tests ----------------------------------------------------------------------------------------


@dataclass(eq=False)  # plugins are hashed
class Session:
    """A plugin of pytest: chosen tests, in order; how long each takes, and which lines it runs."""

    chosen: dict[str, float] | None = None  # seconds; None: all tests
    recorder: coverage.Coverage | None = None

    def __post_init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.caches: list[Any] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep what is chosen, quickest first."""
        if self.chosen is not None:
            order = {name: place for place, name in enumerate(self.chosen)}
            items[:] = sorted((item for item in items if item.nodeid in order), key=lambda i: order[i.nodeid])
        if self.recorder:
            for path in (ROOT / "src/cranfield").rglob("*.py"):
                importlib.import_module(name_of(path))  # some are else imported by a test
            gc.unfreeze()  # what is frozen is not listed
            kept = (o for o in gc.get_objects() if isinstance(o, functools._lru_cache_wrapper))
            self.caches = [o for o in kept if o.__module__.startswith(("cranfield", "tests"))]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Other tests of the file may use the same fixtures; none uses what another remembers."""
        if self.recorder:
            for cache in self.caches:
                cache.cache_clear()
            self.recorder.switch_context(item.nodeid.partition("::")[0])
        yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """A test that takes more than ten times as long as it did ends its process: of the time
        of processors, which does not depend on what else the machine does.
        """
        if self.recorder:
            self.recorder.switch_context(item.nodeid)
        if self.chosen:
            signal.setitimer(signal.ITIMER_PROF, 20 + 10 * self.chosen[item.nodeid])
        start = time.process_time()
        yield
        self.seconds[item.nodeid] = time.process_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0)


class Changed(SourceFileLoader):
    """Finds and loads a module whose tree was changed."""

    def __init__(self, mutant: Mutant) -> None:
        self.code = compile(ast.fix_missing_locations(mutant.tree), mutant.path, "exec")
        super().__init__(name_of(mutant.path), str(mutant.path))

    def get_code(self, fullname: str) -> Any:
        return self.code

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)


def name_of(path: Path) -> str:
    """The name by which a module is imported."""
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def forget() -> None:
    """Let cranfield and its tests be imported again."""
    for name in list(sys.modules):
        if name.split(".")[0] in ("cranfield", "tests", "conftest"):
            del sys.modules[name]


def record(file: Path, to: Path) -> None:
    """Run the tests of a file: seconds of each, and which of them run which lines."""
    recorder = coverage.Coverage(None, source=[str(path) for path in SOURCES], config_file=False)
    recorder.start()
    forget()
    session = Session(recorder=recorder)
    code = pytest.main([*OPTIONS, str(file)], plugins=[session])
    recorder.stop()
    data = recorder.get_data()
    lines = {path: data.contexts_by_lineno(path) for path in data.measured_files()}
    to.write_text(json.dumps({"seconds": session.seconds, "lines": lines}))
    os._exit(SURVIVED if code in (0, 5) else KILLED)  # 5: a file without tests


def judge(mutant: Mutant, batches: list[dict[str, float]]) -> None:
    """Run tests on a mutant until one fails; the exit code tells."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    mutant.put(mutant.new)
    changed = Changed(mutant)
    sys.meta_path.insert(0, changed)
    for chosen in filter(None, batches):
        forget()  # also the measures that doctests of another batch have defined
        files = dict.fromkeys(str(ROOT / name.partition("::")[0]) for name in chosen)
        code = pytest.main([*OPTIONS, *files], plugins=[Session(chosen)])
        if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise RuntimeError(f"pytest ended with {code}")
        if code:
            os._exit(KILLED)
        if sys.modules[changed.name].__loader__ is not changed:
            raise RuntimeError("the tests saw the module as it is")
    os._exit(SURVIVED)


# -- all of it ------------------------------------------------------------------------------------


def forked(works: Sequence[Callable[[], None]], workers: int) -> Iterator[tuple[int, int]]:
    """Do each in a process of its own, some at a time: (place, exit code), as they end."""
    context, waiting = get_context("fork"), list(enumerate(works))[::-1]
    running: dict[Any, tuple[int, Any]] = {}

    def alone(work: Callable[[], None]) -> None:
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silent, stream)
        work()

    while waiting or running:
        while waiting and len(running) < workers:
            place, work = waiting.pop()
            process = context.Process(target=alone, args=(work,))
            process.start()
            running[process.sentinel] = place, process
        for sentinel in wait(list(running)):
            place, process = running.pop(sentinel)
            process.join()
            yield place, process.exitcode or 0


@dataclass
class Recorded:
    """What is known of the tests: seconds, and who runs a line of a file."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, set[str]]]

    @classmethod
    def of(cls, workers: int) -> Recorded:
        """Run all of them once."""
        files = [*TESTS, *SOURCES]
        found = cls({}, {})
        with tempfile.TemporaryDirectory() as folder:
            to = [Path(folder, str(place)) for place in range(len(files))]
            works = [partial(record, file, path) for file, path in zip(files, to, strict=True)]
            for place, code in forked(works, workers):
                if code:
                    sys.exit(f"{files[place]}: tests fail without any mutant, exit code {code}")
                found.add(json.loads(to[place].read_text()))
        return found

    def add(self, one: dict[str, Any]) -> None:
        """What was recorded of a file."""
        self.seconds |= one["seconds"]
        for path, lines in one["lines"].items():
            for line, names in lines.items():
                self.lines.setdefault(path, {}).setdefault(int(line), set()).update(names)

    def batches(self, mutant: Mutant, most: float) -> list[dict[str, float]]:
        """The tests that may tell: first those of the module, then the others that run the line,
        quickest first. What is run when modules are imported may be told by any test, as tests look
        at measures then, too: last come those that run no line of the module.

        The slowest are left out where all of them take more than `most` seconds; of the last, too.
        """
        of = self.lines.get(str(mutant.path), {})
        here = set[str]().union(*(names for line, names in of.items() if line in mutant.lines))
        imported = "" in here
        if imported:
            here = set[str]().union(*of.values())
        own = (f"/{mutant.path.stem}.py", f"/test_{mutant.path.stem}.py")
        parts: list[dict[str, float]] = [{}, {}, {}]
        left = [most, most]
        for seconds, name in sorted((seconds, name) for name, seconds in self.seconds.items()):
            file = name.partition("::")[0]
            elsewhere = name not in here and file not in here
            if elsewhere and not imported:
                continue
            left[elsewhere] -= seconds
            if left[elsewhere] > 0:
                parts[2 if elsewhere else not file.endswith(own)][name] = seconds
        return parts


def main() -> int:
    """Record, sample, judge, print."""
    parser = argparse.ArgumentParser(description="Do the tests tell when the code is changed?")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--count", type=int, default=500, help="of mutants")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="at a time")
    parser.add_argument("--seconds", type=float, default=40.0, help="of tests for a mutant")
    parser.add_argument("--only", type=Path, help="file of mutants, as they are printed: no sample")
    options = parser.parse_args()
    settings.register_profile(
        "mutants", deadline=None, derandomize=True, database=None,
        phases=[Phase.explicit, Phase.generate],
    )  # fmt: skip
    with open(os.devnull, "w") as silent, redirect_stdout(silent):
        pytest.main([*OPTIONS, "--collect-only", *map(str, TESTS)])
    gc.freeze()  # forks need not look through what is here
    every = [mutant for path in MODULES for mutant in mutants(path)]
    if options.only:
        sample, of = named(options.only, every), f"those of {options.only}"
    else:
        sample = random.Random(options.seed).sample(every, min(options.count, len(every)))  # noqa: S311
        of = f"seed {options.seed}, of {len(every)} mutants in all"
    recorded = Recorded.of(options.workers)
    control = replace(every[0], new=every[0].old)  # changes nothing: all tests must pass
    quickest = dict(sorted(recorded.seconds.items(), key=lambda item: item[1]))
    works = [partial(judge, mutant, recorded.batches(mutant, options.seconds)) for mutant in sample]
    codes, failed = Counter[int](), SURVIVED
    works.append(partial(judge, control, [quickest]))
    for place, code in forked(works, options.workers):
        if place < len(sample):
            codes[code] += 1
            if code not in (KILLED, LATE):
                why = "" if code == SURVIVED else f" (not judged: {code})"
                print(f"{sample[place]}{why}", flush=True)
        else:
            failed = code
    killed = codes[KILLED] + codes[LATE]
    print(
        f"{killed} of {len(sample)} mutants killed ({killed / len(sample):.1%}), {codes[LATE]} of "
        f"them for taking too long, {len(sample) - killed} are printed above; {of}"
    )
    if failed != SURVIVED:
        sys.exit(f"tests fail in this order without any mutant, exit code {failed}")
    return 0


def named(file: Path, every: list[Mutant]) -> list[Mutant]:
    """The mutants of a file, a line for each, as they are printed of the code as it is now."""
    asked = [line.partition(" (not judged")[0] for line in file.read_text("utf-8").splitlines()]
    known: dict[str, list[Mutant]] = {}
    for mutant in every:
        if any(str(mutant.path.relative_to(ROOT)) in line for line in asked):
            known.setdefault(str(mutant), []).append(mutant)
    if unknown := [line for line in asked if line not in known]:
        sys.exit("\n".join(["there are no such mutants:", *unknown]))
    return [mutant for line in asked for mutant in known[line]]


if __name__ == "__main__":
    sys.exit(main())
