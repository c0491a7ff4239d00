"""Heavy packages, loaded when something of them is first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["PAGES", "PICTURES", "Late", "pl"]

# What is in the extra named report, because it is needed for
PICTURES = ("altair", "vl-convert-python")
PAGES = ("jinja2",)


class Late:
    """What stands in the place of a package until it is used.

    Those who ask what it is, such as doctest, use nothing of it.
    """

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._load(), name)


if TYPE_CHECKING:
    import polars as pl
else:
    pl = Late(lambda: import_module("polars"))
