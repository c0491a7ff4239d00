"""What pictures are made of."""

from __future__ import annotations

import polars as pl

from cranfield.figures import charts


def test_ranks_are_whole_numbers_and_few() -> None:
    """1, 1.5, 2, … were written 1, 2, 2, …"""
    assert charts.build_rank_axis_style(3)["values"] == [1, 2, 3]
    assert charts.build_rank_axis_style(30)["values"] == [1, 5, 10, 15, 20, 25, 30]
    assert charts.build_rank_axis_style(435)["values"] == [1, 50, 100, 150, 200, 250, 300, 350, 400]
    assert all(len(charts.build_rank_axis_style(last)["values"]) <= 11 for last in range(1, 20_000, 97))


def test_names_keep_off_the_line_of_equal_values() -> None:
    """To the left of its point, where it would be, the name would lie on the line."""
    data = pl.DataFrame({"run": ["a-long-name"], "x": [0.95], "y": [0.85]})
    plane = charts.Plane({"x": "", "y": ""}, [[0.0, 1.0], [0.0, 1.0]], 300, 300)
    assert plane.place_names(data, data, 9)["place"].to_list() == ["left"]
    assert plane.place_names(data, data, 9, plane.diagonal_boxes)["place"].to_list() != ["left"]
