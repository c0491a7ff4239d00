"""What several tests make: files, commands, and the score of a topic."""

from __future__ import annotations

import ast
import csv
import functools
import inspect
import io
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli.main import main

Qrels = dict[str, dict[str, float]]
Classes = dict[str, dict[str, str]]
Scored = dict[str, dict[str, float]]


def one(qrels: Any, run: Any, measure: str, **options: Any) -> float:
    """The score of a single topic under a single measure."""
    scores = cf.evaluate(qrels, run, measure, **options)
    assert scores.values.shape == (1, 1, 1)
    return float(scores.values[0, 0, 0])


def written(path: Path, content: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return str(path)


def seconds(work: Callable[[], object]) -> float:
    """What a piece of work takes of the processor, which others' work changes little.

    A bound on it must be far above what is needed, and far below what more than linear work takes.
    """
    start = time.process_time()
    work()
    return time.process_time() - start


NTCIR_4 = "1 a L2 x\n1 b L0 x\n2 c L1 y\n"
TREC = "1 0 a 2\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n2 Q0 z 1 1 r\n"
JUDGED = {"1": {"a": 2.0, "b": 0.0}, "2": {"c": 1.0}}  # what both formats say

# Judgments with classes, the classes by themselves, and a run.
LIST_Q = "t d L0\nt a L2 1\nt b L1 1\nt c L1 2\nt e L2\nu f L1\n"
LIST_C = "t a 1\nt b 1\nt c 2\n"
LIST_R = "".join(f"t Q0 {doc} {rank} {9 - rank} mine\n" for rank, doc in enumerate("dxbaye", 1))


def rows_of(text: str, separator: str = ",") -> list[dict[str, str]]:
    """The rows of a table, by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


THOROUGH = "CRANFIELD_TESTS"  # in the environment; `all`: see docs/testing.md


def thorough() -> bool:
    """Whether all examples are asked for, and others each time (`make test-all`)."""
    return os.environ.get(THOROUGH) == "all"


def examples(all_of_them: int) -> int:
    """How many examples are drawn: one in four, unless all are asked for."""
    return all_of_them if thorough() else -(-all_of_them // 4)


def each(name: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The test for each of many values, as one: a thousand tests cost more than what they ask."""
    every = list(values)
    assert every

    def for_all(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*args: Any, **given: Any) -> None:
            for value in every:
                try:
                    test(*args, **given, **{name: value})
                except BaseException as error:
                    error.add_note(f"{name} = {value}")
                    raise

        asked = inspect.signature(test)
        others = [parameter for parameter in asked.parameters.values() if parameter.name != name]
        run.__signature__ = asked.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return for_all


# -- commands -------------------------------------------------------------------------------------


class Done(NamedTuple):
    """How a command ended, and what it wrote to standard output and standard error."""

    code: int
    out: str
    err: str


def exit_code(words: Sequence[str]) -> int:
    """That of `cranfield`, whether it returns or argparse ends it."""
    try:
        return main(words)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2


def split(line: str) -> list[str]:
    """The words of a line; quotes hold some together."""
    words = shlex.shlex(line, posix=True)
    words.whitespace_split, words.escape, words.commenters = True, "", ""
    return list(words)


@dataclass(frozen=True)
class Command:
    """`cranfield` as users call it, or one of its commands: ``cranfield.of("plan")``.

    It takes a line, which is split as a shell would, or several words. A backslash is a character
    like any other, as in paths of Windows.
    """

    capsys: pytest.CaptureFixture[str]
    name: tuple[str, ...] = ()

    def of(self, *name: str) -> Command:
        """The command of this name."""
        return replace(self, name=(*self.name, *name))

    def __call__(self, *words: str | Path, stdin: str | bytes = "") -> Done:
        given = split(str(words[0])) if len(words) == 1 else map(str, words)
        self.capsys.readouterr()  # what others wrote
        content = stdin.encode() if isinstance(stdin, str) else stdin
        with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(content))):
            code = exit_code([*self.name, *given])
        return Done(code, *self.capsys.readouterr())

    def succeeds(self, *words: str | Path, stdin: str | bytes = "") -> Done:
        """What it does, which must end well."""
        done = self(*words, stdin=stdin)
        assert done.code == 0, done.err
        return done

    def printed(self, *words: str | Path, stdin: str | bytes = "") -> str:
        """What it prints."""
        return self.succeeds(*words, stdin=stdin).out

    def told(self, *words: str | Path, stdin: str | bytes = "") -> str:
        """What it says beside its results."""
        return self.succeeds(*words, stdin=stdin).err

    def refused(self, *words: str | Path, stdin: str | bytes = "") -> str:
        """Why it prints nothing, in a line."""
        done = self(*words, stdin=stdin)
        assert (done.code, done.out) == (2, ""), done
        assert done.err.endswith("\n"), done
        line = done.err[:-1]
        assert line, done
        assert "\n" not in line, done
        return line


# -- scores ---------------------------------------------------------------------------------------


def scored(values: Any, runs: tuple[str, ...], measure: str = "AP", **more: Any) -> cf.Scores:
    """Scores of one measure: values [runs, topics]."""
    array = np.asarray(values, dtype=np.float64)
    topics = tuple(f"q{t}" for t in range(array.shape[1]))
    return cf.Scores(array[:, :, None], runs, topics, (measure,), **{"summaries": ("mean",), **more})


def simulated(runs: int = 4, topics: int = 30, seed: int = 1, gap: float = 0.1) -> cf.Scores:
    """Runs that are better by `gap` one after the other."""
    random = np.random.default_rng(seed)
    hard = random.uniform(0.1, 0.5, topics)
    values = [hard + gap * r + random.normal(0, 0.05, topics) for r in range(runs)]
    return scored(np.array(values), tuple(f"run{r}" for r in range(runs)))


def in_10_digits(text: str) -> str:
    """A text whose long numbers are rounded: what SciPy computes differs in the last digits from
    version to version.

    >>> in_10_digits("p 0.42264973081037427 of 0.5")
    'p 0.4226497308 of 0.5'
    """
    return re.sub(r"-?\d+\.\d{11,}(?:e[-+]?\d+)?", lambda found: f"{float(found[0]):.10g}", text)


def shown_by(notebook: Path) -> list[Any]:
    """What the last lines of the cells of a notebook give, which it shows below them."""
    names: dict[str, Any] = {}
    values = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "outputs are not kept"
            *body, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102
            assert isinstance(last, ast.Expr)
            values.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))  # noqa: S307
    return values
