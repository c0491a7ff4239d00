"""Output methods of all results: frames, Markdown, LaTeX, HTML and text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from cranfield.errors import warn_renamed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from cranfield.tables import ResultTable

_ROWS = 50  # rows of a table shown in a notebook

T_co = TypeVar("T_co", covariant=True)


class WithNotes:
    """An object with notes, which had another name before 1.0.0."""

    @property
    def notices(self) -> Any:
        """Former name of `notes`."""
        warn_renamed("notices", "notes")
        return self.notes  # type: ignore[attr-defined]


class TableResult(WithNotes):
    """Result with tables, which can be displayed and exported in several formats.

    Subclasses define their tables by ``_build_tables`` and related methods. Options that the
    methods below do not have are passed to them: ``comparison.to_markdown(movers=5)``. `table`
    selects one of several tables."""

    def to_polars(self, table: str | None = None, **options: Any) -> pl.DataFrame:
        """Return a table as a Polars frame. Default: the main table."""
        frame: pl.DataFrame = _load_results().build_table(self, table, **options).to_frame()
        return frame

    def to_pandas(self, table: str | None = None, **options: Any) -> pd.DataFrame:
        """Return a table as a pandas frame. Default: the main table."""
        frame: pd.DataFrame = _load_results().build_pandas_frame(self, table, **options)
        return frame

    def to_dict(self, **options: Any) -> dict[str, Any]:
        """Return the JSON output: tables as lists of rows, captions, settings and notes."""
        document: dict[str, Any] = _load_results().build_document(self, **options)
        return document

    def to_markdown(self, table: str | None = None, *, decimals: int = 4, **options: Any) -> str:
        """Return the tables for a paper, or one named table, as Markdown."""
        return self._render("markdown", table, decimals, **options)

    def to_latex(
        self,
        table: str | None = None,
        *,
        label: str = "",
        decimals: int = 4,
        caption: str = "above",
        layout: str = "table",
        **options: Any,
    ) -> str:
        r"""Return the tables for a paper, or one named table, as LaTeX.

        The tables need ``\usepackage{booktabs}``. `label` is for ``\ref``. The caption is above or
        below. The `layout` is ``table`` (default), ``wide`` (``table*``, over both columns),
        ``resize`` (wide tables shrink to the line width) or ``long`` (``longtable``, over several
        pages).
        """
        return self._render("latex", table, decimals, label=label, caption=caption, layout=layout, **options)

    def to_html(self, table: str | None = None, *, decimals: int = 4, **options: Any) -> str:
        """Return the tables as an HTML fragment, with captions and notes."""
        return self._render("html", table, decimals, **options)

    def as_text(self) -> str:
        """Return all tables as text, without limits on width."""
        return self._render("table", None, 4).rstrip("\n")

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

    def _write_answer(self) -> str:
        """Return the answer in words, for terminal output above the default tables."""
        return ""

    def _collect_notes(self) -> tuple[Any, ...]:
        return tuple(getattr(self, "notes", ()))

    def _repr_html_(self) -> str:
        return self._render("html", None, 4, max_rows=_ROWS)

    def _render(self, format: str, table: str | None, decimals: int, **options: Any) -> str:
        text: str = _load_results().render_text(self, format, table, decimals, **options)
        return text


class Rows(tuple[T_co, ...], TableResult):
    """Tuple of records that can be shown as a table."""

    def __repr__(self) -> str:
        kind = type(self[0]).__name__ if self else "record"
        return f"{len(self)} × {kind}"


def _load_results() -> Any:
    """What knows all results: it is below this module, and asked only when somebody looks."""
    return import_module("cranfield.report.results")
