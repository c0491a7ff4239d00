"""What tests of figures look at: the specification that a picture is drawn from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cranfield.figures.figure import Figure

Rows = list[dict[str, Any]]


def spec_of(picture: Figure) -> Any:
    """What a picture is drawn from, as Vega-Lite has it; data are where they are used."""
    spec = json.loads(picture.render("json"))
    named = spec.pop("datasets", {})
    return json.loads(
        json.dumps(spec),
        object_hook=lambda found: {"values": named[found["name"]]} if _is_named(found, named)
        else found,
    )  # fmt: skip


def _is_named(found: dict[str, Any], named: dict[str, Any]) -> bool:
    return list(found) == ["name"] and found["name"] in named


def panels_of(picture: Figure) -> list[Any]:
    """Its panels, those of a row after each other."""
    return list(_panels(spec_of(picture)))


def _panels(spec: Any) -> Iterator[Any]:
    for name in ("concat", "vconcat", "hconcat"):
        if name in spec:
            for part in spec[name]:
                yield from _panels({"data": spec.get("data"), **part})
            return
    yield spec


def rows_of(panel: Any, layer: int | None = None) -> Rows:
    """The data of a panel, or of one of its layers that has its own."""
    found = panel if layer is None else panel["layer"][layer]
    rows: Rows = found["data"]["values"]
    return rows


def axis_of(panel: Any, side: str) -> Any:
    """An axis of a panel: that of the first layer that gives it a name."""
    every = [layer["encoding"][side] for layer in panel["layer"] if side in layer["encoding"]]
    return next(axis for axis in every if "title" in axis)


def marks_of(panel: Any) -> list[str]:
    """The kinds of marks of its layers."""
    return [layer["mark"]["type"] for layer in panel["layer"]]


def said_by(picture: Figure) -> str:
    """What stands above it, in one line."""
    title = spec_of(picture).get("title", {})
    parts = [title.get(name, []) for name in ("text", "subtitle")]
    return " ".join(" ".join([part] if isinstance(part, str) else part) for part in parts if part)
