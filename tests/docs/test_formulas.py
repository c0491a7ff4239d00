"""Formulas are typeset as they are written: nothing is lost, moved or put under another line."""

from __future__ import annotations

import html
import inspect
import re
import sys
import unicodedata
from importlib import import_module
from types import ModuleType
from xml.etree import ElementTree

import pytest

import cranfield as cf
from cranfield.measures.base import REGISTRY
from cranfield.measures.cwl import list_models
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
        ("z̄ / (s / √n)", "frac(z¯, frac(s, root(n)))"),
        ("|x̄_·j − ȳ_i·|", "|sub(x¯, ·j)−sub(y¯, i·)|"),
        ("min(1, max_{j ≤ i} N · p_j)", "min(1,under(max, j≤i)N·sub(p, j))"),
        ("A ∪ B − ∪_{i ≠ j} C_i", "A∪B−under(⋃, i≠j)sub(C, i)"),
        ("s²(f′)/N", "frac(sup(s, 2)(sup(f, ′)), N)"),
    ],
)
def test_blanks_say_what_belongs_together(formulas: ModuleType, text: str, expected: str) -> None:
    assert shown(formulas.mathml(text)) == expected


def signs(text: str) -> str:
    """The signs of a formula in their order, but for those that its layout stands for."""
    text = unicodedata.normalize("NFD", text).translate(str.maketrans("²∑∏′⋃", "2ΣΠ'∪", "√`¯\u0302\u0304^_{}()/·,;"))
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("name", list(REGISTRY))
def test_every_sign_of_a_docstring_is_there(formulas: ModuleType, name: str) -> None:
    c = REGISTRY[name]
    body = inspect.cleandoc(c.__doc__ or "").partition("\nParameters:\n")[0]
    written = [p for p in re.split(r"\n\s*\n", body) if formulas.is_formula(p)]
    assert written or name.startswith("Num") or "=" not in body.partition(">>>")[0] or c.combines
    for paragraph in written:
        made = formulas.typeset(paragraph, [f.name for f in c.list_parameters()])
        table = ElementTree.fromstring(made)  # noqa: S314 (our own)
        assert all(len(frac) == 2 for frac in table.iter("mfrac"))
        plain = html.unescape(re.sub(r"<[^>]+>", "", made))
        assert signs(plain) == signs(paragraph)


def stated() -> dict[str, tuple[list[str], list[str]]]:
    """The paragraphs of user models and methods that are formulas, and the names of letters."""
    found = {f"model {name}": (c.__doc__ or "", [f.name for f in c.list_parameters()])
             for name, c in list_models().items()}  # fmt: skip
    for room in (cf.stats, cf.meta):
        for name in room.__all__:
            if name[0].islower():
                made = getattr(room, name)
                found[name] = made.__doc__ or "", [*inspect.signature(made).parameters]
    paragraphs = {
        name: (re.split(r"\n\s*\n", inspect.cleandoc(doc).partition("\nParameters:\n")[0]), names)
        for name, (doc, names) in found.items()
    }
    formula = re.compile(r"[^\s=(]+(\([^)=]*\))? *[=∝] ")
    return {
        name: ([p for p in all_of if formula.match(p)], names)
        for name, (all_of, names) in paragraphs.items()
        if any(map(formula.match, all_of))
    }


@pytest.mark.parametrize(("name", "told"), stated().items())
def test_formulas_of_models_and_methods_are_whole(
    formulas: ModuleType, name: str, told: tuple[list[str], list[str]]
) -> None:
    """A paragraph is of formulas alone, and every sign of it is there."""
    paragraphs, names = told
    for paragraph in paragraphs:
        lines = paragraph.splitlines()
        assert all(formulas.is_formula(line) or line[0] == " " for line in lines), paragraph
        made = formulas.typeset(paragraph, [*names, "k"])
        ElementTree.fromstring(made)  # noqa: S314 (our own)
        plain = html.unescape(re.sub(r"<[^>]+>", "", made))
        assert signs(plain) == signs(paragraph)
