"""Results are tables: what all of them can do, wherever their tables are made."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from cranfield.errors import warn_renamed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from cranfield.tables import ResultTable

_ROWS = 50  # that a notebook shows of a table

T_co = TypeVar("T_co", covariant=True)


class TableResult:
    """Result with tables, which can be displayed and exported in several formats.

    Subclasses define their tables by ``_build_tables`` and related methods. Options that the
    methods below do not have are passed to them: ``comparison.to_markdown(movers=5)``. `table`
    selects one of several tables."""

    def to_polars(self, table: str | None = None, **options: Any) -> pl.DataFrame:
        """The table as a Polars frame; of several the one that is named, or the chief one."""
        frame: pl.DataFrame = _load_results().build_table(self, table, **options).to_frame()
        return frame

    def to_pandas(self, table: str | None = None, **options: Any) -> pd.DataFrame:
        """The table as a pandas frame; of several the one that is named, or the chief one."""
        frame: pd.DataFrame = _load_results().build_pandas_frame(self, table, **options)
        return frame

    def to_dict(self, **options: Any) -> dict[str, Any]:
        """What JSON has: all tables, as lists of rows, with captions, settings and notices."""
        document: dict[str, Any] = _load_results().build_document(self, **options)
        return document

    def to_markdown(self, table: str | None = None, *, decimals: int = 4, **options: Any) -> str:
        """The tables that a paper shows, or the one that is named, in Markdown."""
        return self._render("markdown", table, decimals, **options)

    def to_latex(
        self,
        table: str | None = None,
        *,
        label: str = "",
        decimals: int = 4,
        caption: str = "above",
        **options: Any,
    ) -> str:
        r"""The tables that a paper shows, or the one that is named, in LaTeX.

        They need ``\usepackage{booktabs}``. `label` is for ``\ref``; the caption stands above or
        below.
        """
        return self._render("latex", table, decimals, label=label, caption=caption, **options)

    def to_html(self, table: str | None = None, *, decimals: int = 4, **options: Any) -> str:
        """The tables as a part of a page, with what is to be known of them below."""
        return self._render("html", table, decimals, **options)

    def as_text(self) -> str:
        """What a terminal shows that has room for everything."""
        return self._render("table", None, 4).rstrip("\n")

    @property
    def notices(self) -> Any:
        """Former name of `notes`."""
        warn_renamed("notices", "notes")
        return self.notes  # type: ignore[attr-defined]

    # What the methods above display. Results override these methods, with options if needed.

    def _build_tables(self, *_: Any, **__: Any) -> list[ResultTable]:
        """Build all tables. Default: a table of records."""
        from cranfield.tables import build_records_table

        return [build_records_table([*self] if isinstance(self, Rows) else [self])]

    def _select_tables(self, format: str) -> tuple[str, ...]:
        """Return the names of the default tables of a format. Default: all."""
        return ()

    def _build_settings(self) -> dict[str, Any] | None:
        """Return the settings that captions describe in words, for JSON."""
        return None

    def _build_document(self) -> Any:
        """Return JSON content that is not a list of rows."""
        return None

    def _format_text(self) -> str:
        """Return terminal output instead of tables."""
        return ""

    def _collect_notes(self) -> tuple[Any, ...]:
        return tuple(getattr(self, "notes", ()))

    def _repr_html_(self) -> str:
        return self._render("html", None, 4, max_rows=_ROWS)

    def _render(self, format: str, table: str | None, decimals: int, **options: Any) -> str:
        text: str = _load_results().render_text(self, format, table, decimals, **options)
        return text


class Rows(tuple[T_co, ...], TableResult):
    """Several records of one kind, which are a table, too."""

    def __repr__(self) -> str:
        kind = type(self[0]).__name__ if self else "record"
        return f"{len(self)} × {kind}"


def _load_results() -> Any:
    """What knows all results: it is below this module, and asked only when somebody looks."""
    return import_module("cranfield.report.results")
