"""The record of simulated coverage for seeds, suites, looks, slices and clusters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.designs_simulated import CROSSED, PATH, get_bounds, list_cells, simulate_crossed
from tests.topics_simulated import CLUSTERS, SLICES_AND_CLUSTERS
from tests.topics_simulated import list_cells as list_topic_cells

RECORD: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
CELLS = {cell["cell"]: cell for cell in RECORD["cells"]}


def test_record_promised_coverage_is_within_bounds() -> None:
    assert len(CELLS) == len(list_cells())
    for name, cell in CELLS.items():
        for method in cell["promised"]:
            low, high = get_bounds(cell["design"], method)
            assert low <= cell["coverage"][method] <= high, (name, method)


def test_record_cells_without_promise_have_a_note() -> None:
    for cell in CELLS.values():
        if cell["design"] in ("seeds", CLUSTERS, SLICES_AND_CLUSTERS) and not cell["promised"]:
            assert cell["noted"] == 1, cell


@pytest.mark.parametrize("place", [3, 5, 9])
def test_simulate_crossed_equals_record(place: int) -> None:
    """300 repetitions agree with the 2,000 of the record up to 3.5 standard errors."""
    cell = CROSSED[place]
    result, expected = simulate_crossed(cell, 300), CELLS[cell.name]["coverage"]
    for name, share in result.coverage.items():
        error = (expected[name] * (1 - expected[name]) * (1 / 300 + 1 / 2000)) ** 0.5
        assert share == pytest.approx(expected[name], abs=3.5 * error), name


@pytest.mark.parametrize("place", [4, 25, 30, 45, 60])
def test_simulate_topics_equals_record(place: int) -> None:
    """200 repetitions agree with the 2,000 of the record up to 3.5 standard errors."""
    cell = [*list_topic_cells()][place](200)
    expected = CELLS[cell.name]["coverage"]
    for name, share in cell.coverage.items():
        error = (expected[name] * (1 - expected[name]) * (1 / 200 + 1 / 2000)) ** 0.5
        assert share == pytest.approx(expected[name], abs=3.5 * error), name
