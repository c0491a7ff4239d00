"""Results are tables: what all of them can do, wherever their tables are made."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_ROWS = 50  # that a notebook shows of a table

T_co = TypeVar("T_co", covariant=True)


class Shown:
    """A result that can be looked at: by programs in full, by people rounded and with words.

    A class says in which module of `cranfield.report` its tables are made, ``class Pool(Shown,
    tables="pool")``; nothing of it is imported before somebody looks. Arguments that these methods
    do not have go there, such as ``comparison.to_markdown(movers=5)``. `table` names one of
    several tables.
    """

    _tables: ClassVar[str] = "records"

    def __init_subclass__(cls, tables: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        cls._tables = tables or cls._tables

    def to_polars(self, table: str | None = None, **asked: Any) -> pl.DataFrame:
        """The table as a Polars frame; of several the one that is named, or the chief one."""
        frame: pl.DataFrame = _results().sheet(self, table, **asked).frame()
        return frame

    def to_pandas(self, table: str | None = None, **asked: Any) -> pd.DataFrame:
        """The table as a pandas frame; of several the one that is named, or the chief one."""
        frame: pd.DataFrame = _results().pandas(self, table, **asked)
        return frame

    def to_dict(self, **asked: Any) -> dict[str, Any]:
        """What JSON has: all tables, as lists of rows, with captions, settings and notices."""
        document: dict[str, Any] = _results().document(self, **asked)
        return document

    def to_markdown(self, table: str | None = None, *, decimals: int = 4, **asked: Any) -> str:
        """The tables that a paper shows, or the one that is named, in Markdown."""
        return self._written("markdown", table, decimals, **asked)

    def to_latex(
        self,
        table: str | None = None,
        *,
        label: str = "",
        decimals: int = 4,
        caption: str = "above",
        **asked: Any,
    ) -> str:
        r"""The tables that a paper shows, or the one that is named, in LaTeX.

        They need ``\usepackage{booktabs}``. `label` is for ``\ref``; the caption stands above or
        below.
        """
        return self._written("latex", table, decimals, label=label, caption=caption, **asked)

    def to_html(self, table: str | None = None, *, decimals: int = 4, **asked: Any) -> str:
        """The tables as a part of a page, with what is to be known of them below."""
        return self._written("html", table, decimals, **asked)

    def as_text(self) -> str:
        """What a terminal shows that has room for everything."""
        return self._written("table", None, 4).rstrip("\n")

    def _repr_html_(self) -> str:
        return self._written("html", None, 4, most=_ROWS)

    def _written(self, format: str, table: str | None, decimals: int, **asked: Any) -> str:
        text: str = _results().written(self, format, table, decimals, **asked)
        return text


class Rows(tuple[T_co, ...], Shown):
    """Several records of one kind, which are a table, too."""

    def __repr__(self) -> str:
        kind = type(self[0]).__name__ if self else "record"
        return f"{len(self)} × {kind}"


def _results() -> Any:
    """What knows all results: it is below this module, and asked only when somebody looks."""
    return import_module("cranfield.report.results")
