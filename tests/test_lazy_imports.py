"""NumPy is all that is needed: what needs more says which extra, in one line."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.errors import CranfieldError, MissingPackage
from cranfield.lazy_imports import PACKAGES, load
from tests import ROOT
from tests.light import NEEDS, OTHERS, amiss, extra_of, prepare, ran_by

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


EVERYDAY = {
    *("session", "answers", "distribution", "hierarchy", "presets", "measures", "explain", "label"),
    *("topics", "pool", "simulate", "assess", "trec_eval", "gdeval", "ndeval", "cwl_eval"),
    *("ntcir_eval", "ntcir"),
}


@pytest.mark.slow
def test_everything_works_or_says_its_extra(tmp_path: Path) -> None:
    """Every command and example, where all packages but NumPy are as if they were not there."""
    prepare(tmp_path)
    found = ran_by(sys.executable, tmp_path, (*PACKAGES, *OTHERS))
    assert len(found) > 700
    assert [f"{r.what}: {text}" for r in found if (text := amiss(r))] == []
    # Each extra is needed by something, and what people do every day needs none.
    assert {*map(extra_of, found)} - {""} == {row.extra for row in PACKAGES.values()}
    commands = {r.what: r for r in found if not r.what.startswith("cranfield.")}
    # Tables of lengths need Polars in any command.
    needing = {words.split()[0] for words, r in commands.items() if extra_of(r) and "--lengths" not in words}
    assert {words.split()[0] for words in commands} - needing >= EVERYDAY
    for words in ("evaluate q x -f table", "evaluate q.gz x", "evaluate q.csv x.csv"):
        assert commands[words].code == 0
        assert commands[words].out.splitlines()[0].split()[:2] == ["run", "AP"]


def test_what_pip_is_asked_for_is_what_the_extra_has() -> None:
    """pyproject.toml and cranfield.lazy_imports say the same, and `all` has all, Spark apart."""
    extras = PROJECT["optional-dependencies"]
    for row in PACKAGES.values():
        known = {line.partition(";")[0] for line in extras[row.extra]}
        assert {*row.packages} <= known, row
    named = re.findall(r"\w+", extras["all"][0].partition("[")[2])
    faster = {"json"}  # nothing needs it
    assert {*named} == {row.extra for row in PACKAGES.values()} - {"spark"} | faster
    assert [re.match(r"\w+", line)[0] for line in PROJECT["dependencies"]] == ["numpy"]  # type: ignore[index]


def test_what_is_said_works_in_any_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra, and a command for this Python that needs neither a clone nor an index with us."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(MissingPackage) as raised:
        cf.stats.t_test([1.0, 2.0, 4.0], [1.0, 1.0, 1.0])
    said = str(raised.value)
    assert said.startswith("tests, intervals and plans need SciPy (cranfield[stats]): ")
    assert said.endswith('python -m pip install "scipy>=1.15"')
    assert NEEDS.fullmatch(said)
    assert isinstance(raised.value, CranfieldError)
    assert isinstance(raised.value, ImportError)  # whom code asks that tries packages
    assert raised.value.__suppress_context__


def test_a_part_of_python_that_is_missing_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(ModuleNotFoundError):
        load("lzma")


def test_frames_say_it_from_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    scores = cf.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
    with pytest.raises(MissingPackage, match=r"need Polars \(cranfield\[frames\]\)"):
        scores.to_polars()
    with pytest.raises(MissingPackage, match="Parquet"):
        scores.save(tmp_path / "scores.parquet")
    assert not (tmp_path / "scores.parquet").exists()


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_packages_are_loaded_in_one_place(name: str) -> None:
    """Only `cranfield.lazy_imports` imports optional packages; Spark and drop-ins may."""
    written = re.compile(rf"^ *(?:import|from) {name}\b(?!.*noqa)", re.M)
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        for place in written.finditer(path.read_text(encoding="utf-8"))
        if not _for_types(path.read_text(encoding="utf-8"), place.start())
    }
    theirs = ("src/cranfield/lazy_imports.py", "src/cranfield/spark/", "src/cranfield/compat/")
    assert {file for file in found if not file.startswith(theirs)} == set()


def _for_types(code: str, at: int) -> bool:
    """Whether a place is below ``if TYPE_CHECKING:``."""
    return code[:at].rpartition("\n\n")[2].startswith(("if TYPE_CHECKING:", "\nif TYPE_CHECKING:"))
