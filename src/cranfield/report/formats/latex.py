"""Tables in LaTeX, with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cranfield.errors import InputError
from cranfield.tables import DAGGERS, Field, ResultTable, group_by_caption, is_raised
from cranfield.wording import escape_unprintable

if TYPE_CHECKING:
    from cranfield.report.formats import TableOutput

# A hyphen before a number or the letter of a mark, and that of an exponent.
_MINUS = re.compile(rf"(?<!\w)-(?=[\w{DAGGERS}])|(?<=\de)-(?=\d)")
_INFINITY = re.compile(r"\binf\b")

# The brackets and the star because they are arguments of \\ and \midrule when they come next.
_LATEX = str.maketrans(
    {
        **{c: "\\" + c for c in "_&%$#{}"},
        **{c: "{" + c + "}" for c in "[]*"},
        **{"τ": r"$\tau$", "α": r"$\alpha$", "β": r"$\beta$", "κ": r"$\kappa$", "σ": r"$\sigma$"},
        **{"λ": r"$\lambda$", "φ": r"$\phi$", "ρ": r"$\rho$", "Δ": r"$\Delta$"},
        **{"±": r"$\pm$", "×": r"$\times$", "≥": r"$\ge$", "≤": r"$\le$", "−": "$-$"},
        **{"–": "--", "…": r"\dots{}", "·": r"$\cdot$", "’": "'"},
        **{"√": r"$\surd$", "²": "$^2$", "∞": r"$\infty$", "♯": r"$\sharp$", "→": r"$\rightarrow$"},
        **{"∩": r"$\cap$", "∪": r"$\cup$"},
        **{"†": r"$\dagger$", "‡": r"$\ddagger$", "§": r"\S{}", "¶": r"\P{}", "‖": r"$\|$"},
        **{"Σ": r"$\Sigma$", "↓": r"$\downarrow$", "“": "``", "”": "''"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)  # fmt: skip


def write_tables(output: TableOutput) -> str:
    """Return all tables. A table without a caption is merged with the next one."""
    if invalid := re.search(r"[\\{}%#&~^$\s]", output.label):
        name = "spaces" if invalid[0].isspace() else invalid[0]
        raise InputError.from_problem(f"invalid LaTeX label {output.label!r}: {name} not allowed", "Example: tab:runs.")
    groups = [*group_by_caption(output.tables)]
    numbers = [output.label, *(f"{output.label}-{i}" for i in range(2, len(groups) + 1))]
    lines = []
    for (tables, best), label in zip(groups, numbers, strict=False):
        caption = tables[-1].format_caption(best)
        label_text = label if output.label else ""
        write = _format_long_table if output.layout == "long" else _format_table
        lines += [*write(tables, caption, label_text, output), ""]
    return "\n".join(lines)


def _format_caption(caption: str, label: str) -> list[str]:
    caption_text = escape_text(caption.replace(" - ", " − "))  # a sign of marks
    caption_lines = [rf"\caption{{{caption_text}}}"] if caption_text else []
    return caption_lines + ([rf"\label{{{label}}}"] if label else [])


def _format_table(tables: Sequence[ResultTable], caption: str, label: str, output: TableOutput) -> Iterator[str]:
    """Yield tables one below the other, with one caption and one label."""
    caption_lines = _format_caption(caption, label)
    environment = "table*" if output.layout == "wide" else "table"
    packages = "booktabs,graphicx" if output.layout == "resize" else "booktabs"
    yield from (rf"% \usepackage{{{packages}}}", rf"\begin{{{environment}}}", r"\centering")
    yield from [_BEST] if any(table.has_best for table in tables) else []
    yield from () if output.caption_below else caption_lines
    for table in tables:
        if table is not tables[0]:
            yield from ("", r"\bigskip")
        yield from _format_tabular(table, output.layout == "resize")
    yield from (*(caption_lines if output.caption_below else ()), rf"\end{{{environment}}}")


def _format_long_table(tables: Sequence[ResultTable], caption: str, label: str, output: TableOutput) -> Iterator[str]:
    """Yield tables that continue on further pages. The caption belongs to the first table."""
    yield r"% \usepackage{booktabs,longtable}"
    yield from [_BEST] if any(table.has_best for table in tables) else []
    for table in tables:
        head, rows = _format_rows(table)
        text = "".join(_format_caption(caption, label)) if table is tables[0] else ""
        above, below = ("", text) if output.caption_below else (text, "")
        yield from _format_title(table)
        yield rf"\begin{{longtable}}{{{''.join(map(_format_side, table.visible_fields))}}}"
        yield from [rf"{above} \\"] if above else []
        yield from (r"\toprule", head, r"\midrule", r"\endfirsthead", r"\toprule", head, r"\midrule", r"\endhead")
        yield from (r"\bottomrule", r"\endfoot")
        yield from [r"\bottomrule", rf"{below} \\", r"\endlastfoot"] if below else []
        yield from (*rows, r"\end{longtable}")


# Bold, but no wider, so that decimal points stay below each other.
_BEST = r"\providecommand{\best}[1]{{\fontseries{b}\selectfont #1}}"


# Wide tables shrink to the line width, narrow ones keep their size.
_RESIZE = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def _format_title(table: ResultTable) -> Iterator[str]:
    if table.title:
        yield from (rf"\textbf{{{escape_text(table.title)}}}", "", r"\smallskip")


def _format_rows(table: ResultTable) -> tuple[str, list[str]]:
    """Return the line of the header, and the lines of the rows."""
    columns = [[_format_head(field), *_format_cells(field)] for field in table.visible_fields]
    head, *rows = [" & ".join(row) + r" \\" for row in zip(*columns, strict=True)]
    return head, rows


def _format_tabular(table: ResultTable, resize: bool) -> Iterator[str]:
    yield from _format_title(table)
    head, rows = _format_rows(table)
    yield from [_RESIZE] if resize else []
    yield rf"\begin{{tabular}}{{{''.join(map(_format_side, table.visible_fields))}}}"
    yield from (r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}" + "}" * resize)


def _format_side(field: Field) -> str:
    """Return the alignment of a column. Marks have their own column, so that numbers align."""
    if field.marks:
        return r"r@{\,}l" if field.mark_separator else "r@{}l"
    return "l" if field.is_text else "r"


def _format_head(field: Field) -> str:
    text = escape_text(field.title)
    return rf"\multicolumn{{2}}{{c}}{{{text}}}" if field.marks else text


def _format_cells(field: Field) -> list[str]:
    """Format the cells of a column: the best in bold, marks in the next cell."""
    escape = escape_text if field.is_name else format_number
    return field.format_cells(
        escape, r"\best{{{}}}", lambda mark: f" & {_format_mark(mark)}".rstrip(), r"\underline{{{}}}"
    )


def _format_mark(mark: str) -> str:
    text = format_number(mark)
    return rf"\textsuperscript{{{text}}}" if is_raised(mark) else text


def escape_text(name: str) -> str:
    r"""Escape a text for LaTeX, including Greek letters and mathematical symbols.

    >>> print(escape_text("D♯-nDCG_v1: τ ≥ 90%"))
    D$\sharp$-nDCG\_v1: $\tau$ $\ge$ 90\%
    """
    return escape_unprintable(name).translate(_LATEX)


def format_number(text: str) -> str:
    r"""Format numbers, with marks if any, using mathematical signs.

    >>> print(format_number("[-inf, +0.25]"), format_number("0.2146 -a"), format_number("<1e-05"))
    {[}$-$$\infty$, +0.25{]} 0.2146 $-$a \textless{}1e$-$05
    """
    return escape_text(_INFINITY.sub("∞", _MINUS.sub("−", text)))
