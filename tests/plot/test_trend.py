"""The figure of a trend."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield as cf
from tests.comparison.test_trend import draw_nights
from tests.made import Command
from tests.plot.made import axis_of, marks_of, panels_of, said_by


def test_trend_data_equal_result() -> None:
    nights = draw_nights(change=-0.05)
    result, figure = cf.trend(nights), cf.plot.trend(nights)
    assert figure.data["mean"].to_list() == [row.mean for row in result.nights]
    last = figure.data.row(-1, named=True)
    assert (last["difference"], last["pvalue"], last["verdict"]) == (
        result.tonight[0].difference, result.tonight[0].pvalue, "worse",
    )  # fmt: skip
    assert last["mean"] - last["reference"] == pytest.approx(last["difference"])


def test_trend_chart_has_lines_band_and_marks() -> None:
    figure = cf.plot.trend(cf.trend(draw_nights(change=-0.05)))
    (panel,) = panels_of(figure)
    assert {"area", "line", "point"} <= set(marks_of(panel))
    axis = axis_of(panel, "x")
    assert axis["scale"]["domain"] == [f"night {k:02d}" for k in range(10)]
    assert axis["axis"]["values"][-1] == "night 09"
    assert "Dashed: the median of the last 7 nights" in said_by(figure)


def test_trend_many_series_raise() -> None:
    nights = {name: dict.fromkeys("abcdefghijklm", scores) for name, scores in draw_nights(3).items()}
    with pytest.raises(cf.CranfieldError, match="13 series of runs and measures, more than 12 panels"):
        cf.plot.trend(nights)


def test_trend_result_with_arguments_raises() -> None:
    with pytest.raises(cf.CranfieldError, match="Pass only the result"):
        cf.plot.trend(cf.trend(draw_nights(3)), last=3)


def test_command_plot_trend_writes_the_numbers(tmp_path: Path, cranfield: Command) -> None:
    for name, scores in draw_nights(3).items():
        lines = [f"{topic},{score}" for topic, score in scores.items()]
        (tmp_path / f"{name[-2:]}.csv").write_text("\n".join(["topic,AP", *lines]))
    target = tmp_path / "trend.tsv"
    paths = [str(tmp_path / f"{k:02d}.csv") for k in range(3)]
    code, _, err = cranfield("plot", "trend", *paths, "--last", "2", "-o", str(target))
    assert code == 0, err
    assert [line.split("\t")[2] for line in target.read_text().splitlines()] == ["night", "00", "01", "02"]
