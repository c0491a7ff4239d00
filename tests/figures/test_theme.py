"""How pictures look: colours that belong to names, sizes, and what is refused."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.figures.theme import COLOURS, GREYS, MAX_STYLES, Theme, ThemeOptions, assign_places

NAMES = st.lists(st.text(max_size=6), unique=True, max_size=40)


@given(NAMES, st.randoms(use_true_random=False))
def test_a_place_is_told_by_the_names_not_by_their_order(names: list[str], random: Any) -> None:
    shuffled = names[:]
    random.shuffle(shuffled)
    assert assign_places(names) == assign_places(shuffled)


@given(NAMES)
def test_every_name_has_a_place_of_its_own_and_the_first_eight_are_taken_first(
    names: list[str],
) -> None:
    places = assign_places(names)
    assert set(places) == set(names)
    assert len(set(places.values())) == len(names)
    assert max(places.values(), default=-1) < -(-len(names) // MAX_STYLES) * MAX_STYLES
    styles = Theme().assign_styles(names).values()
    assert len({(s.colour, s.shape, *s.dash) for s in styles}) == len(names)


@given(NAMES, st.text(max_size=6))
def test_who_comes_or_goes_changes_little(names: list[str], other: str) -> None:
    """Who has the place of its letters keeps it, unless the newcomer has the same letters' place
    and stands before it in the alphabet.
    """
    before, after = assign_places(names), assign_places([*names, other])
    alone = {name: assign_places([name])[name] for name in {*names, other}}
    for name in set(names) - {other}:
        if before[name] == alone[name] and alone[name] != alone[other]:
            assert after[name] == before[name]


def test_grey_has_no_colour() -> None:
    for colour in GREYS:
        assert colour[1:3] == colour[3:5] == colour[5:]
    assert len(GREYS) == len(COLOURS) == len(set(COLOURS)) == MAX_STYLES
    assert Theme(grey=True).assign_styles("a")["a"].colour in GREYS


def test_colours_can_be_read_on_white() -> None:
    """Each is at least 1.9 : 1 (WCAG's contrast); yellow had 1.3 : 1."""

    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert all(1.05 / (luminance(colour) + 0.05) > 1.9 for colour in (*COLOURS, *GREYS))
    assert 1.05 / (luminance("#F0E442") + 0.05) < 1.4


def test_options_are_the_fields() -> None:
    assert {f.name for f in fields(Theme)} == set(get_type_hints(ThemeOptions))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "found width 0, expected a number of points above 0, at most 5000"),
        ({"height": True}, "found height True, expected a number"),
        ({"width": float("nan")}, "found width nan, expected a number"),
        ({"font_size": 3}, "found font_size 3, expected a number of points from 4 to 40"),
        ({"font_size": "9"}, "found font_size '9', expected a number of points"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cf.CranfieldError, match=message):
        Theme(**options)
