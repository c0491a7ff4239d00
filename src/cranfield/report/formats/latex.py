"""Tables for papers written in LaTeX, with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cranfield.errors import InputError
from cranfield.report.sheets import DAGGERS, Field, Sheet, is_raised, together
from cranfield.wording import printable

if TYPE_CHECKING:
    from cranfield.report.formats import Showing

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


def written(shown: Showing) -> str:
    """All tables; those without a caption are in one with the next."""
    if odd := re.search(r"[\\{}%#&~^$\s]", shown.label):
        raise InputError(f"label {shown.label!r} with {odd[0]!r}", "one that LaTeX takes: tab:runs")
    groups = [*together(shown.sheets)]
    numbers = [shown.label, *(f"{shown.label}-{i}" for i in range(2, len(groups) + 1))]
    tables = [
        [*_table(sheets, sheets[-1].told(best), label if shown.label else "", shown.below), ""]
        for (sheets, best), label in zip(groups, numbers, strict=False)
    ]
    return "\n".join(line for table in tables for line in table)


def _table(sheets: Sequence[Sheet], caption: str, label: str, below: bool) -> Iterator[str]:
    """Tables one below the other, with one caption, above or below them, and one label."""
    said = escaped(caption.replace(" - ", " − "))  # a sign of marks
    told = [rf"\caption{{{said}}}"] if said else []
    told += [rf"\label{{{label}}}"] if label else []
    yield from (r"% \usepackage{booktabs}", r"\begin{table}", r"\centering")
    yield from [_BEST] if any(sheet.has_best for sheet in sheets) else []
    yield from () if below else told
    for sheet in sheets:
        if sheet is not sheets[0]:
            yield from ("", r"\bigskip")
        yield from _tabular(sheet)
    yield from (*(told if below else ()), r"\end{table}")


# Bold, but no wider, so that decimal points stay below each other.
_BEST = r"\providecommand{\best}[1]{{\fontseries{b}\selectfont #1}}"


def _tabular(sheet: Sheet) -> Iterator[str]:
    if sheet.title:
        yield from (rf"\textbf{{{escaped(sheet.title)}}}", "", r"\smallskip")
    columns = [[_head(field), *_cells(field)] for field in sheet.seen]
    head, *rows = [" & ".join(row) + r" \\" for row in zip(*columns, strict=True)]
    yield rf"\begin{{tabular}}{{{''.join(map(_side, sheet.seen))}}}"
    yield from (r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}")


def _side(field: Field) -> str:
    """To which side a column is set; marks stand in one of their own, so that numbers align."""
    if field.marks:
        return r"r@{\,}l" if field.apart else "r@{}l"
    return "l" if field.is_text else "r"


def _head(field: Field) -> str:
    text = escaped(field.title)
    return rf"\multicolumn{{2}}{{c}}{{{text}}}" if field.marks else text


def _cells(field: Field) -> list[str]:
    """What people see, the best in bold; marks in the next cell."""
    escape = escaped if field.is_name else number
    return field.cells(escape, r"\best{{{}}}", lambda mark: f" & {_marked(mark)}".rstrip())


def _marked(mark: str) -> str:
    text = number(mark)
    return rf"\textsuperscript{{{text}}}" if is_raised(mark) else text


def escaped(name: str) -> str:
    r"""A name that LaTeX prints as it is, Greek letters and signs of formulas included.

    >>> print(escaped("D♯-nDCG_v1: τ ≥ 90%"))
    D$\sharp$-nDCG\_v1: $\tau$ $\ge$ 90\%
    """
    return printable(name).translate(_LATEX)


def number(text: str) -> str:
    r"""Numbers, perhaps with marks, as LaTeX prints them: with signs of mathematics.

    >>> print(number("[-inf, +0.25]"), number("0.2146 -a"), number("<1e-05"))
    {[}$-$$\infty$, +0.25{]} 0.2146 $-$a \textless{}1e$-$05
    """
    return escaped(_INFINITY.sub("∞", _MINUS.sub("−", text)))
