"""What numbers are held against: a marker on tests, from which `docs/correctness.md` is written.

    @checks("AP", "nDCG@10", against="pytrec_eval")

says that the test holds these measures against that program. Tables of names do as well: what a
test runs over, it need not list again. A name is a measure in the grammar, a function
(`cf.stats.t_test`) or its interval (`cf.stats.t_test interval`), or what stands for another tool
(`cranfield trec_eval`). It is held against one of PEERS, one of WAYS, or a paper, which has a year.
While a marked test runs, it is watched whether it does ask for what it names (`conftest.py`).
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

from cranfield.measures.base import REGISTRY, Measure
from cranfield.measures.grammar import parse_measure
from tests import ROOT

PEERS = {  # other people's programs, and the packages that they come in
    "trec_eval": "",
    "NTCIREVAL": "",
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "gdeval": "ir-measures",
    "ndeval": "pyndeval",
    "ranx": "ranx",
    "pyNTCIREVAL": "pyNTCIREVAL",
    "cwl_eval": "cwl-eval",
    "rouge-score": "rouge-score",
    "sacrebleu": "sacrebleu",
    "krippendorff": "krippendorff",
    "ppi-python": "ppi-python",
    "SciPy": "scipy",
    "statsmodels": "statsmodels",
}
WAYS = {
    "second writing": "a second implementation of the definition in a test, on random data",
    "by hand": "numbers computed by hand",
    "property": "relations that hold for all data",
    "enumeration": "all possible cases",
    "simulation": "random data with known parameters",
}
WITHOUT_YEAR = ("Xu, Liu and Li",)  # the manual of LETOR's programs
OUTSIDE = ("paper", "peer", "second writing")  # one of which every measure has
DROP_INS = {  # and the module that makes them
    "cranfield trec_eval": "cranfield.tools.trec_eval",
    "cranfield gdeval": "cranfield.tools.gdeval",
    "cranfield ndeval": "cranfield.tools.ndeval",
    "cranfield cwl_eval": "cranfield.tools.cwl_eval",
    "cranfield letor": "cranfield.tools.letor",
    "cranfield ntcir_eval": "cranfield.tools.ntcir_eval",
    "cf.compat.pytrec_eval": "cranfield.compat.pytrec_eval",
    "cf.compat.ir_measures": "cranfield.compat.ir_measures",
}


INTERVAL = " interval"
INNER = {  # what computes many at a time, without the checks of what users give
    "cf.stats.prediction_powered": "cf.stats.prediction.estimate_powered",
    "cf.stats.difference_estimate": "cf.stats.sample_estimates.estimate_difference",
}


def checks(*names: str, against: str) -> pytest.MarkDecorator:
    """Marks a test that holds these measures or functions against something."""
    assert names, "a test that checks nothing"
    kind_of(against)
    return pytest.mark.checks(*names, against=against)


def kind_of(against: str) -> str:
    """``peer``, ``paper``, or one of WAYS."""
    if against in PEERS:
        return "peer"
    if against in WAYS:
        return against
    dated = re.search(r" (19|20)\d\d$", against) or against in WITHOUT_YEAR
    assert dated, f"{against!r} is no peer, no way, and no paper with its year"
    return "paper"


@functools.cache
def item_of(name: str) -> str:
    """What a name in a marker stands for: a function, a drop-in, or the class of a measure."""
    if name in DROP_INS or name.startswith("cf."):
        assert name in DROP_INS or callable(function_of(name)), name
        return name
    return type(parse_measure(name)).__name__


def function_of(name: str) -> Any:
    """`cf.stats.t_test`, and its interval, are from `cranfield.stats.t_test`."""
    import cranfield

    found: Any = cranfield
    for part in name.removesuffix(INTERVAL).split(".")[1:]:
        if not hasattr(found, part):
            importlib.import_module(f"{found.__name__}.{part}")
        found = getattr(found, part)
    return found


# -- all markers ----------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class Check:
    """That something is held against something else in a file of tests."""

    item: str
    kind: str
    against: str
    file: str


@functools.cache
def gathered() -> tuple[Check, ...]:
    """Every check; only files with markers are imported, and nothing is collected."""
    found = set[Check]()
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "@checks(" in path.read_text(encoding="utf-8"):
            file = path.relative_to(ROOT)
            for test in tests_of(importlib.import_module(".".join(file.with_suffix("").parts))):
                for mark in getattr(test, "pytestmark", []):
                    if mark.name == "checks":
                        found |= _of_mark(mark.args, mark.kwargs["against"], file.as_posix())
    return tuple(sorted(found))


def _of_mark(names: Sequence[str], against: str, file: str) -> set[Check]:
    return {Check(item_of(name), kind_of(against), against, file) for name in names}


def tests_of(module: ModuleType) -> Iterator[Callable[..., Any]]:
    """The tests of a module, in classes and outside."""
    for holder in [module, *(x for name, x in vars(module).items() if name.startswith("Test"))]:
        yield from (x for name, x in vars(holder).items() if name.startswith("test_"))


def unchecked() -> list[str]:
    """Measures that nothing outside of our own code has been asked about."""
    fine = {check.item for check in gathered() if check.kind in OUTSIDE}
    return [name for name in built_in() if name not in fine]


def built_in() -> list[str]:
    """The measures that come with cranfield, and not those that tests make."""
    return [n for n, c in REGISTRY.items() if c.__module__.startswith("cranfield.")]


# -- while a test runs ----------------------------------------------------------------------------

COMPUTE = {"score", "compute", "walk", "walk_down"}  # methods of measures


@contextmanager
def asked(names: Sequence[str]) -> Iterator[set[str]]:
    """Watches a piece of work; what has not been asked for by then stays in the set.

    Every call is looked at until nothing is missing, which most often is soon.
    """
    missing = {item_of(name) for name in names}
    codes: dict[CodeType | str, set[str]] = {}
    for code, item in _codes(missing):
        codes.setdefault(code, set()).add(item)

    def look(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if found := codes.get(code) or codes.get(code.co_filename):
            missing.difference_update(found)
        elif code.co_name in COMPUTE and isinstance(self := frame.f_locals.get("self"), Measure):
            missing.discard(type(self).__name__)
        if not missing:
            sys.setprofile(None)

    before = sys.getprofile()
    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield missing
    finally:
        threading.setprofile(None)
        sys.setprofile(before)


def _codes(items: set[str]) -> Iterator[tuple[CodeType | str, str]]:
    """The code of functions, or the file of a drop-in."""
    for item in items:
        if item in DROP_INS:
            yield importlib.import_module(DROP_INS[item]).__file__ or "", item
        elif item.startswith("cf."):
            named = item.removesuffix(INTERVAL)
            for name in {named, INNER.get(named, named)}:
                yield inspect.unwrap(function_of(name)).__code__, item


def not_asked(marks: Sequence[pytest.Mark], missing: set[str], one_of_many: bool) -> set[str]:
    """What a test should have asked for: all it names, or for one value of many some of it."""
    named = {item_of(name) for mark in marks for name in mark.args}
    return set() if one_of_many and missing < named else missing
