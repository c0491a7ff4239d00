"""`cf.stats` and `cf.meta` offer what their modules do; run as a script, this writes exports."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import cranfield as cf

ROOT = Path(cf.__file__).parent
ROOMS = ("stats", "meta")


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
    for room in ROOMS:
        (ROOT / room / "__init__.py").write_text(exports(room), encoding="utf-8")


if __name__ == "__main__":
    write()
