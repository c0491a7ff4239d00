"""What `cf` offers, and when it is loaded: families of measures are when one is asked for.

`python -m tests.test_exports` writes the table of measures and what type checkers see of `cf`.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import cranfield as cf
from cranfield.measures import families
from cranfield.measures.base import READINGS, Registry

ROOT = Path(cf.__file__).parent
TABLE = ROOT / "measures" / "families.py"
STUB = ROOT / "__init__.pyi"
COMMAND = "python -m tests.test_exports"


# -- what is written --------------------------------------------------------------------------


def modules() -> list[ModuleType]:
    """The modules of measures: known families in their order, then others."""
    found = [module.name for module in pkgutil.iter_modules([str(ROOT / "measures")])]
    known = [name for name in families.FAMILIES if name in found]
    return [import_module(f"cranfield.measures.{name}") for name in dict.fromkeys(known + found)]


def registered(module: ModuleType, registry: Registry) -> list[str]:
    """The names under which classes of a module are registered, as it defines them."""
    own = [c for c in vars(module).values() if getattr(c, "__module__", "") == module.__name__]
    return [name for c in own for name, known in registry.items() if known is c]


def row(family: str, names: list[str]) -> str:
    """A family and its measures, in lines that fit."""
    listed = " ".join(names)
    line = f'    "{family}": "{listed}",'
    if len(line) <= 120:
        return line
    wrapped = " \n".join(textwrap.wrap(listed, 109)).splitlines()
    return "\n".join([f'    "{family}": (', *(f'        "{part}"' for part in wrapped), "    ),"])


def by_family(registry: Registry) -> dict[str, list[str]]:
    """The registered names of each module that has any."""
    every = {m.__name__.rpartition(".")[2]: registered(m, registry) for m in modules()}
    return {family: names for family, names in every.items() if names}


def table() -> str:
    """The table of measures, from their classes."""
    rows = [row(family, names) for family, names in by_family(cf.REGISTRY).items()]
    ((family, readings),) = by_family(READINGS).items()
    listed = ", ".join(f'"{name}"' for name in readings)
    lines = [
        f'"""Which module has which measure: written by `{COMMAND}`, never by hand."""',
        "",
        "FAMILIES = {",
        *rows,
        "}",
        "MEASURES = {name: family for family, names in FAMILIES.items() for name in names.split()}",
        "# Measures that C/W/L reads as user models:",
        f'READINGS = dict.fromkeys([{listed}], "{family}")',
    ]
    return "\n".join(lines) + "\n"


def stub() -> str:
    """What type checkers and editors see of the package."""
    homes = {n: module for module, names in vars(cf)["_PUBLIC"].items() for n in names.split()}
    homes |= {n: f"measures.{f}" for f, names in by_family(cf.REGISTRY).items() for n in names}
    lines = [f"# Written by `{COMMAND}`, never by hand.", "# ruff: noqa", "# fmt: off"]
    for name in sorted(homes, key=lambda name: (homes[name], name)):
        module = f"cranfield.{homes[name]}".rstrip(".")
        lines.append(f"from {module} import {name} as {name}")
    return "\n".join([*lines, "", "__version__: str", f"__all__ = {sorted(homes)}", ""])


@pytest.mark.parametrize(("path", "written"), [(TABLE, table), (STUB, stub)], ids=["py", "pyi"])
def test_what_is_written_is_what_the_classes_say(path: Path, written: object) -> None:
    assert callable(written)
    stale = path.read_text(encoding="utf-8") != written()
    assert not stale, f"{path.relative_to(ROOT)} is stale: `{COMMAND}` writes it"


# -- names ------------------------------------------------------------------------------------


def test_every_name_is_there() -> None:
    assert dir(cf) == sorted(cf.__all__)
    assert {"evaluate", "nDCG", "compat", "REGISTRY", "param"} <= set(cf.__all__)
    assert set(families.MEASURES) <= set(cf.__all__)
    for name in cf.__all__:
        public = getattr(cf, name)
        assert getattr(public, "__name__", name).removeprefix("cranfield.") == name
        assert getattr(cf, name) is public
    everything: dict[str, object] = {}
    for name in import_module("cranfield").__all__:
        everything[name] = getattr(cf, name)
    assert len(everything) == len(set(cf.__all__))


def test_parameters_are_shown() -> None:
    shown = inspect.signature(cf.nDCG)
    assert {"gain", "rel", "discount", "condensed", "cutoff"} <= set(shown.parameters)
    assert all(p.kind is p.KEYWORD_ONLY for p in shown.parameters.values())
    assert "gain = linear" in inspect.getdoc(cf.nDCG)  # type: ignore[operator]


def test_the_registry_is_a_mapping() -> None:
    assert len(cf.REGISTRY) == len(list(cf.REGISTRY)) >= 119
    assert "nDCG" in cf.REGISTRY
    assert "ndcg" not in cf.REGISTRY
    assert cf.REGISTRY["nDCG"] is cf.REGISTRY.get("nDCG") is cf.nDCG
    assert all(issubclass(c, cf.Measure) and c.__name__ == n for n, c in cf.REGISTRY.items())
    assert "nDCG" in repr(cf.REGISTRY)
    assert families.MEASURES["nDCG"] not in repr(cf.REGISTRY).split()
    with pytest.raises(KeyError):
        cf.REGISTRY["nothing"]


# -- what is imported when --------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    """The modules of cranfield that a fresh interpreter has after running some code."""
    script = f"import cranfield as cf\n{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {m for m in done.stdout.split() if m == "cranfield" or m.startswith("cranfield.")}


def families_loaded_by(code: str) -> set[str]:
    of_measures = {m.rpartition(".")[2] for m in loaded_by(code) if ".measures." in m}
    return of_measures & set(families.FAMILIES)


QRELS_AND_RUN = "{'a': {'x': 1}}, {'a': {'x': 1.0}}"


class TestImports:
    def test_importing_the_package_loads_no_family(self) -> None:
        assert families_loaded_by("") == set()
        assert loaded_by("") == {"cranfield", "cranfield.measures", "cranfield.measures.families"}

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("code", "expected"),
        [
            ("cf.REGISTRY, len(cf.REGISTRY), 'AP' in cf.REGISTRY, list(cf.REGISTRY)", set()),
            ("cf.Measure, cf.UserModel, cf.evaluate, cf.Evaluator", set()),
            (f"cf.evaluate({QRELS_AND_RUN}, 'AP')", {"ncu"}),
            (f"cf.evaluate({QRELS_AND_RUN}, 'map p_5')", {"ncu", "sets"}),
            (f"cf.evaluate({QRELS_AND_RUN}, 'nDCG@10')", {"dcg"}),
            ("cf.nDCG @ 10", {"dcg"}),
        ],
    )
    def test_only_what_is_asked_for(self, code: str, expected: set[str]) -> None:
        assert families_loaded_by(code) == expected

    def test_mistakes_are_told_without_loading_all(self) -> None:
        code = """
try:
    cf.parse_measure("nDGC")
except cf.CranfieldError as error:
    assert "Did you mean nDCG" in str(error), error
try:
    @cf.measure
    class ndcg(cf.Measure):
        "Another."
except cf.CranfieldError as error:
    assert "nDCG is a built-in measure" in str(error), error
else:
    raise AssertionError
"""
        assert families_loaded_by(code) == {"dcg"}

    def test_a_users_models_come_after_the_built_in(self) -> None:
        code = """
@cf.measure
class Mine(cf.UserModel):
    "Looks at one."
    def C(self, x):
        return 0 * x.g
from cranfield.measures.cwl import list_models
assert [*list_models()][0] == "P" and [*list_models()][-1] == "Mine", [*list_models()]
"""
        assert "models" in families_loaded_by(code)


ROOMS = ("stats", "meta", "plot")


def offering(room: str) -> list[str]:
    """The modules of a room that say what they offer."""
    return [path.stem for path in sorted((ROOT / room).glob("[!_]*.py")) if offered(path)]


def offered(path: Path) -> list[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def exports(room: str) -> str:
    """What its `__init__.py` should be."""
    text = (ROOT / room / "__init__.py").read_text(encoding="utf-8")
    lines = [f"from cranfield.{room}.{module} import *\n" for module in offering(room)]
    return re.sub(rf"(from cranfield\.{room}\.\w+ import \*\n)+", "".join(lines), text)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_exports_what_its_modules_offer(room: str) -> None:
    assert (ROOT / room / "__init__.py").read_text(encoding="utf-8") == exports(room)
    names = {name for module in offering(room) for name in offered(ROOT / room / f"{module}.py")}
    assert set(getattr(cf, room).__all__) == names


def write() -> None:
    for path, written in ((TABLE, table), (STUB, stub)):
        path.write_text(written(), encoding="utf-8")
    for room in ROOMS:
        (ROOT / room / "__init__.py").write_text(exports(room), encoding="utf-8")


if __name__ == "__main__":
    write()
