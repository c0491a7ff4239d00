"""What parameters may be: the ends of ranges, as papers and definitions have them."""

from __future__ import annotations

import pytest

import cranfield as cf

REFUSED = {  # the end of a range, or beyond it, and why
    "nDCG(discount=jk, b=1)": "a number > 1",  # log_1 is no logarithm
    "nDCG(discount=jk, b=0.5)": "a number > 1",
    "JSD(base=1)": "a number > 1",
    "JSD(base=0.5)": "a number > 1",
    "RBP(p=1)": "between 0 and 1",  # such a user never stops
    "RBP(p=0)": "between 0 and 1",
    "NERR10(phi=1)": "between 0 and 1",
    "NERR10(phi=1.5)": "between 0 and 1",
    "INST(max_level=0)": "a number > 0",  # gains are divided by it
    "GAP(max_level=0)": "a number > 0",
    "WRR(beta=1)": "each > 1",  # 1/(r − 1/β) is infinite at rank 1
    "sDCG(b=1)": "a number > 1",
    "sDCG(b=0.5)": "a number > 1",
    "sDCG(bq=1)": "a number > 1",
    "U(L=0)": "a number > 0",  # positions are divided by it
    "NPV(rate=0)": "a number > 0",  # RBP with p = 1
    "GAP(thresholds=-0.5:1)": "each ≥ 0",
    "P@9007199254740992": r"≥ 1 and < 2\^53",  # beyond which floats do not count every rank
}
TAKEN = (
    "nDCG(discount=jk, b=1.01)@10", "JSD(base=1.01)", "RBP(p=0.01)", "RBP(p=0.99)",
    "NERR10(phi=0.99)", "INST(gain=unit, max_level=0.5)", "GAP(max_level=0.5)", "WRR(beta=1.01)",
    "sDCG(bq=1.01, b=1.01)", "U(L=0.01)", "NPV(rate=0.01)", "GAP(thresholds=0:0.5:1)",
    "P@9007199254740991",
)  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_the_ends_of_ranges(text: str) -> None:
    with pytest.raises(cf.CranfieldError, match=REFUSED[text]):
        cf.parse_measure(text)


@pytest.mark.parametrize("text", TAKEN)
def test_what_is_just_inside(text: str) -> None:
    assert str(cf.parse_measure(text)) == text
