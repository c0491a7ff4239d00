"""Texts beside points: none may be read as the name of another point."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from cranfield.figures.layout import PLACES, Box, Point, _compute_box, choose_places

LONG = 6.3 * 5  # of a name of five letters


def distance(box: Box, point: Point) -> float:
    """By the closest point of the box."""
    x = min(max(point[0], box[0]), box[2])
    y = min(max(point[1], box[1]), box[3])
    return math.dist(point, (x, y))


def test_places_for_another_point_behind_the_name_takes_another_side() -> None:
    """A name to the right of the first point, 38.5 wide, would end at the second."""
    at = [(50.0, 50.0), (50.0 + 7 + LONG + 5, 50.0)]
    assert choose_places(at, ["sys04", "sys06"], 400, 400, [], neighbours=()) == ["right", "right"]
    first, second = choose_places(at, ["sys04", "sys06"], 400, 400, [], neighbours=at)
    assert first not in ("", "right")
    assert second == "right"


def test_places_for_points_on_all_sides_has_no_name() -> None:
    ring = [(50 + 9 * math.cos(k), 50 + 9 * math.sin(k)) for k in range(7)]
    at = [(50.0, 50.0), *ring]
    assert choose_places(at, ["sys04", *[""] * 7], 400, 400, [], neighbours=at)[0] == ""


def test_places_for_equal_points_both_have_names() -> None:
    at = [(50.0, 50.0), (50.5, 50.0)]
    assert "" not in choose_places(at, ["sys04", "sys06"], 400, 400, [], neighbours=at)


POINTS = st.lists(st.tuples(st.floats(20, 180), st.floats(20, 180)), min_size=2, max_size=12)


@given(POINTS)
def test_places_for_each_name_is_closest_to_its_own_point(at: list[Point]) -> None:
    names = [f"sys{k:02d}" for k in range(len(at))]
    for point, place in zip(at, choose_places(at, names, 200, 200, [], neighbours=at), strict=True):
        assert place in (*PLACES, "")
        if place:
            box = _compute_box(point, LONG, 13.0, place)
            apart = [other for other in at if math.dist(other, point) >= 1.5]
            assert all(distance(box, other) > distance(box, point) for other in apart)
