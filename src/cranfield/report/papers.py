"""Tables for papers: Markdown and LaTeX, and what has to be escaped there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cranfield.scores import printable

# Everything that Markdown would read as markup; an underscore only at the edge of a word.
_MARKDOWN = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")

# A hyphen before a number or the letter of a mark, and that of an exponent.
_MINUS = re.compile(r"(?<!\w)-(?=\w)|(?<=\de)-(?=\d)")
_INFINITY = re.compile(r"\binf\b")

# The brackets and the star because they are arguments of \\ and \midrule when they come next.
_LATEX = str.maketrans(
    {
        **{c: "\\" + c for c in "_&%$#{}"},
        **{c: "{" + c + "}" for c in "[]*"},
        **{"τ": r"$\tau$", "α": r"$\alpha$", "β": r"$\beta$", "κ": r"$\kappa$", "σ": r"$\sigma$"},
        **{"λ": r"$\lambda$", "φ": r"$\phi$", "ρ": r"$\rho$", "Δ": r"$\Delta$"},
        **{"±": r"$\pm$", "×": r"$\times$", "≥": r"$\ge$", "≤": r"$\le$", "−": "$-$"},
        **{"–": "--", "…": r"\dots{}", "†": r"$\dagger$", "·": r"$\cdot$", "’": "'"},
        **{"√": r"$\surd$", "²": "$^2$", "∞": r"$\infty$", "♯": r"$\sharp$", "→": r"$\rightarrow$"},
        **{"↓": r"$\downarrow$", "“": "``", "”": "''"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)  # fmt: skip


def escape_markdown(name: str) -> str:
    r"""A name that Markdown shows as it is.

    >>> print(escape_markdown("bm25_v1 *new*"))
    bm25_v1 \*new\*
    """
    return _MARKDOWN.sub(r"\\\g<0>", printable(name))


def escape_latex(name: str) -> str:
    r"""A name that LaTeX prints as it is, Greek letters and signs of formulas included.

    >>> print(escape_latex("D♯-nDCG_v1: τ ≥ 90%"))
    D$\sharp$-nDCG\_v1: $\tau$ $\ge$ 90\%
    """
    return printable(name).translate(_LATEX)


def latex_number(text: str) -> str:
    r"""Numbers, perhaps with marks, as LaTeX prints them: with signs of mathematics.

    >>> print(latex_number("[-inf, +0.25]"), latex_number("0.2146 -a"), latex_number("<1e-05"))
    {[}$-$$\infty$, +0.25{]} 0.2146 $-$a \textless{}1e$-$05
    """
    return escape_latex(_INFINITY.sub("∞", _MINUS.sub("−", text)))


def markdown_table(
    heads: Sequence[str], left: Sequence[bool], rows: Iterable[Sequence[str]]
) -> list[str]:
    """The lines of a table whose cells are escaped already; columns are `left` or right."""
    lines = ["| " + " | ".join(row) + " |" for row in (heads, *rows)]
    lines.insert(1, "|" + "".join(":---|" if side else "---:|" for side in left))
    return lines


def tabular(heads: Sequence[str], left: Sequence[bool], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table for LaTeX, with the rules of booktabs."""
    return [
        rf"\begin{{tabular}}{{{''.join('l' if side else 'r' for side in left)}}}",
        r"\toprule",
        _latex_row(heads),
        r"\midrule",
        *map(_latex_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def latex_table(caption: str, tabulars: Sequence[Sequence[str]]) -> list[str]:
    """Tables one below the other, with one caption, which is escaped here."""
    first, *more = tabulars
    return [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(caption)}}}",
        *first,
        *(line for part in more for line in ("", r"\bigskip", *part)),
        r"\end{table}",
    ]


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
