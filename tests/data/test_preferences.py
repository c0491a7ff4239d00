"""Pairs of documents, of which one is preferred, as TREC CAsT has them."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.data.preferences import read_preferences
from tests.made import Command, written

PAIRS = "1 a b a\n1 c b b\n2 x y y\n"
GROUPS = "1 0 1 a 2\n1 0 1 b 1\n1 0 2 c 1\n1 0 2 b 2\n2 0 1 x 1\n2 0 1 y 2\n"  # the same
RUN = "1 Q0 a 1 3 r\n1 Q0 c 2 2 r\n1 Q0 b 3 1 r\n2 Q0 y 1 1 r\n"


def test_read_preferences_pairs_are_subgroups_of_two(tmp_path: Path, cranfield: Command) -> None:
    """a above b and y above x are fulfilled, and so is a above c, which is implied; b above c not.

    The mean of 2/3 and 1.
    """
    run = written(tmp_path / "run", RUN)
    shown = [
        cranfield("trec_eval", "-R", "prefs", "-m", "all_prefs", written(tmp_path / name, text), run)
        for name, text in (("cast.pref", PAIRS), ("prefs", GROUPS))
    ]
    assert shown[0].code == 0
    assert shown[0] == shown[1]
    assert "prefs_simp            \tall\t0.8333" in shown[0].out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 a b a\n1 a c b\n", "2: found preferred 'b', expected a or c"),
        ("1 a b a\n1 a b\n", "2: found 3 fields"),
        ("1 a b a\n# and so\n1 b a b\n", "3: found document"),  # which contradicts the first
        ("1 a a a\n", "1: duplicate document 'a'"),
        ("1 a b 2\n", "1: found 4 fields"),
    ],
)
def test_read_preferences_invalid_pairs_raise(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=f":{said}"):
        read_preferences(written(tmp_path / "cast.pref", text))
