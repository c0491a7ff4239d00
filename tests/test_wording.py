"""How wide names are on a terminal."""

from __future__ import annotations

from rich.cells import cell_len

from cranfield.wording import cells

BLOCKS = (
    *((0x20, 0x0250), (0x0370, 0x0900), (0x2010, 0x2600), (0x3040, 0x3131), (0x3400, 0x4DC0)),
    *((0x4E00, 0xA48D), (0xAC00, 0xD7A4), (0xFF01, 0xFFA0), (0x1F300, 0x1F3FB), (0x1F400, 0x1F600)),
)


def test_widths_are_rich_s() -> None:
    """Of all letters and signs that names are written with, as another program has them."""
    letters = [chr(i) for low, high in BLOCKS for i in range(low, high) if chr(i).isprintable()]
    assert len(letters) > 40_000
    assert [c for c in letters if cells(c) != cell_len(c)] == []
    for name in ("bm25", "検索 システム", "Ångström", "e\u0301te\u0301", "\u1112\u1161\u11ab글"):
        assert cells(name) == cell_len(name)
