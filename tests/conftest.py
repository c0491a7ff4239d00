"""What tests of every room share."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

from cranfield.data.reading.source import Source
from tests import evidence
from tests.made import NTCIR_4, RUN, TREC, Command, examples, thorough

# No deadline: the first example may import NumPy. `make test` draws the same each time.
settings.register_profile("cranfield", deadline=None, max_examples=examples(100), derandomize=not thorough())
settings.load_profile("cranfield")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, which took half of the time: all of it is kept."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


# What `make test` leaves to `make test-full` and CI: tests that need a browser or a peer that is
# compiled when it is first called, that start hundreds of processes, or that run a whole page of
# documentation, but for those of KEPT, or draw every figure.
FULL = (
    "tests/compat/test_ir_measures.py::TestUserModels",
    "tests/data/reading/test_adapters.py::test_evaluate_ranx_objects_score_as_dicts",
    "tests/docs/test_contributing.py",
    "tests/docs/test_docs.py::test_commands_run_and_print_what_is_shown",
    "tests/docs/test_docs.py::test_python_blocks_run_and_print_what_is_shown",
    "tests/docs/test_integrations.py",
    "tests/fuzz/",
    "tests/peers/test_pyntcireval.py",
    "tests/peers/test_ranx.py",
    "tests/peers/test_reconciliation.py::test_reconcile_ranx",
    "tests/plot/test_kinds.py",
    "tests/robust/",
    "tests/test_lazy_imports.py::test_everything_works_or_says_its_extra",
)
KEPT = ("[README.md]", "[docs/rankings.md]", "[docs/scores.md]", "[docs/compare.md]")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves out."""
    for item in items:
        listed = item.nodeid.startswith(FULL) and not item.nodeid.endswith(KEPT)
        if listed or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.full)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test that says what it checks has to ask for it."""
    marks = [*item.iter_markers("checks")]
    if not marks:
        return (yield)
    with evidence.asked([name for mark in marks for name in mark.args]) as missing:
        done = yield
    if idle := evidence.not_asked(marks, missing, hasattr(item, "callspec")):
        pytest.fail(f"marked as a check of what it never asks for: {', '.join(sorted(idle))}")
    return done


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small collection in the current directory, its judgments in TREC's format and NTCIR's."""
    monkeypatch.chdir(tmp_path)
    Path("trec").write_text(TREC)
    Path("ntcir").write_text(NTCIR_4)
    Path("run").write_text(RUN)
    return tmp_path


@pytest.fixture
def cranfield(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, called with a line or with words."""
    return Command(capsys)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes files be read in pieces of so many bytes."""
    return lambda size: monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
