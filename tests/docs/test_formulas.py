"""Formulas are typeset as they are written: nothing is lost, moved or put under another line."""

from __future__ import annotations

import html
import inspect
import re
import sys
from importlib import import_module
from types import ModuleType
from xml.etree import ElementTree

import pytest

from cranfield.measures.base import REGISTRY
from tests import ROOT


@pytest.fixture(scope="module")
def formulas() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "docs" / "pages"), *sys.path])
        return import_module("formulas")


def shown(mathml: str) -> str:
    """What stands in a formula, with what its layout says in brackets: a/b is frac(a, b)."""
    return _written(ElementTree.fromstring(mathml))  # noqa: S314 (our own)


def _written(part: ElementTree.Element) -> str:
    inside = [_written(child) for child in part]
    names = {"mfrac": "frac", "msub": "sub", "msup": "sup", "munder": "under", "msqrt": "root"}
    if part.tag in names:
        return f"{names[part.tag]}({', '.join(inside)})"
    return "".join([(part.text or "").strip("\u00a0"), *inside])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C(l) / l", "frac(C(l), l)"),
        ("I(r) · C(r)/r", "I(r)·frac(C(r), r)"),
        ("(1/R) Σ_r I(r)", "frac(1, R)under(∑, r)I(r)"),
        ("Σ_r a(r)/r  /  Σ_r b(r)/r", "frac(under(∑, r)frac(a(r), r), under(∑, r)frac(b(r), r))"),
        ("Σ_r a(r) / Σ_r b(r)", "frac(under(∑, r)a(r), under(∑, r)b(r))"),
        ("Σ_r a(r) / log2(r + 1)", "under(∑, r)frac(a(r), sub(log, 2)(r+1))"),
        ("(a + b) / (c + d)", "frac(a+b, c+d)"),
        ("(1 − α)^C_i(r−1)", "sup((1−α), sub(C, i)(r−1))"),
        ("((i + 1) / (i + 2))²", "sup((frac(i+1, i+2)), 2)"),
        ("exp(−T(r)·ln 2/h)", "exp(−frac(T(r)·ln2, h))"),
        ("√(a/(L − 1))", "root(frac(a, L−1))"),
        ("Pr(i|q)·g_i(r)", "Pr(i|q)·sub(g, i)(r)"),
        ("|V| / |V*|", "frac(|V|, |sup(V, *)|)"),
        ("1 − (1 − p) x", "1−(1−p)x"),
        ("judged items down to l / l", "frac(judged items down tol, l)"),
    ],
)
def test_blanks_say_what_belongs_together(formulas: ModuleType, text: str, expected: str) -> None:
    assert shown(formulas.mathml(text)) == expected


def signs(text: str) -> str:
    """The signs of a formula in their order, but for those that its layout stands for."""
    text = text.translate(str.maketrans("²∑∏′", "2ΣΠ'", "√`\u0302^_{}()/·,;"))
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("name", list(REGISTRY))
def test_every_sign_of_a_docstring_is_there(formulas: ModuleType, name: str) -> None:
    c = REGISTRY[name]
    body = inspect.cleandoc(c.__doc__ or "").partition("\nParameters:\n")[0]
    written = [p for p in re.split(r"\n\s*\n", body) if formulas.is_formula(p)]
    assert written or name.startswith("Num") or "=" not in body.partition(">>>")[0] or c.combines
    for paragraph in written:
        made = formulas.typeset(paragraph, [f.name for f in c.parameters()])
        table = ElementTree.fromstring(made)  # noqa: S314 (our own)
        assert all(len(frac) == 2 for frac in table.iter("mfrac"))
        plain = html.unescape(re.sub(r"<[^>]+>", "", made))
        assert signs(plain) == signs(paragraph)
