"""How wide names are on a terminal, and hints at keyword arguments."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest
from rich.cells import cell_len

import cranfield as cf
from cranfield.wording import measure_width

BLOCKS = (
    *((0x20, 0x0250), (0x0370, 0x0900), (0x2010, 0x2600), (0x3040, 0x3131), (0x3400, 0x4DC0)),
    *((0x4E00, 0xA48D), (0xAC00, 0xD7A4), (0xFF01, 0xFFA0), (0x1F300, 0x1F3FB), (0x1F400, 0x1F600)),
)


def test_widths_are_rich_s() -> None:
    """Of all letters and signs that names are written with, as another program has them."""
    letters = [chr(i) for low, high in BLOCKS for i in range(low, high) if chr(i).isprintable()]
    assert len(letters) > 40_000
    assert [c for c in letters if measure_width(c) != cell_len(c)] == []
    for name in ("bm25", "検索 システム", "Ångström", "e\u0301te\u0301", "\u1112\u1161\u11ab글"):
        assert measure_width(name) == cell_len(name)


@pytest.mark.parametrize(("function", "name", "hint"), [
    (cf.compare, "measure", "Did you mean measures?"),
    (cf.read_run, "tie", "Did you mean ties?"),
    (cf.read_qrels, "column", "Did you mean columns?"),
    (cf.pool, "dept", "Did you mean depth?"),
    (cf.stats.t_test, "alternatives", "Did you mean alternative?"),
    (cf.meta.swap, "k", "Write the cutoff after the measure: nDCG@10."),
    (cf.meta.swap, "x", "Valid: scores, sizes, bin, filter, alpha, trials, seed, threads, "
                        "progress"),
])  # fmt: skip
def test_suggests_keywords_unknown_name_raises_hint(function: Any, name: str, hint: str) -> None:
    with pytest.raises(TypeError) as caught:
        function(**{name: 1})
    expected = f"{function.__name__}() got an unexpected keyword argument {name!r}. {hint}"
    assert str(caught.value) == expected


def test_suggests_keywords_keeps_signature_and_name() -> None:
    parameters = inspect.signature(cf.compare).parameters
    assert [*parameters][:3] == ["scores", "baseline", "test"]
    assert (cf.compare.__name__, cf.compare.__module__) == ("compare", "cranfield.comparison")
    assert pickle.loads(pickle.dumps(cf.compare)) is cf.compare  # noqa: S301
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'scores'"):
        cf.compare()


def test_public_functions_have_hints() -> None:
    """Every public function with several parameters suggests keywords."""
    plain = []
    for module in (cf, cf.stats, cf.meta):
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and not hasattr(function, "__wrapped__"):
                kinds = [p.kind for p in inspect.signature(function).parameters.values()]
                if inspect.Parameter.VAR_KEYWORD not in kinds and len(kinds) > 1:
                    plain.append(name)
    assert {*plain} <= {"param", "ratio", "total", "parse_measure", "parse_measures", "measure",
                        "user_model", "preset", "presets", "simulate", "bibtex"}  # fmt: skip
