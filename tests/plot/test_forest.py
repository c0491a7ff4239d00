"""The forest plot of a suite."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield as cf
from tests.made import Command
from tests.plot.made import axis_of, marks_of, panels_of, rows_of, said_by

# Worked numbers of the macro mean: statsmodels and SciPy agree on d̄ = .106667 and its interval.
SCORES = {
    "x": {"a": [0.5, 0.6, 0.4, 0.7], "b": [0.4, 0.5, 0.4, 0.5]},
    "y": {"a": [0.2, 0.3, 0.4], "b": [0.3, 0.2, 0.1]},
    "z": {"a": [0.9, 0.8, 0.7, 0.6, 0.8], "b": [0.7, 0.7, 0.7, 0.5, 0.6]},
}
COLLECTIONS = {name: {run: dict(enumerate(values)) for run, values in runs.items()} for name, runs in SCORES.items()}


def test_forest_rows_equal_worked_numbers() -> None:
    figure = cf.plot.forest(COLLECTIONS, baseline="b")
    rows = {row["row"]: row for row in figure.data.iter_rows(named=True) if row["row"] != "collection"}
    assert figure.data["collection"].to_list()[:3] == ["x", "y", "z"]
    assert figure.data["topics"].to_list()[:3] == [4, 3, 5]
    assert [rows["these"][name] for name in ("difference", "low", "high")] == pytest.approx(
        [0.106667, -0.029744, 0.243078], abs=1e-6
    )
    assert [rows["like these"][name] for name in ("low", "high")] == pytest.approx([-0.077003, 0.290336], abs=1e-6)
    assert set(rows) == {"these", "like these", "further"}


def test_forest_chart_has_zero_line_and_heterogeneity() -> None:
    figure = cf.plot.forest(cf.suite(COLLECTIONS, baseline="b"))
    (panel,) = panels_of(figure)
    assert axis_of(panel, "y")["scale"]["domain"] == [
        "x (4)", "y (3)", "z (5)", " ",
        "Mean of these 3 collections", "Mean of collections like these", "One further collection",
    ]  # fmt: skip
    low, high = axis_of(panel, "x")["scale"]["domain"]
    assert low <= 0 <= high
    assert {"rule", "point", "text"} <= set(marks_of(panel))
    assert len(rows_of(panel)) == 6
    assert "I² = 0%, τ = 0.0000" in said_by(figure)


def test_forest_two_collections_have_one_macro_row() -> None:
    two = {name: COLLECTIONS[name] for name in ("x", "y")}
    assert cf.plot.forest(two).data["row"].to_list() == ["collection", "collection", "these"]


def test_forest_many_pairs_raise() -> None:
    runs = {f"r{i}": dict(enumerate([i / 10, i / 20, 0.1 * i])) for i in range(6)}
    with pytest.raises(cf.CranfieldError, match=r"15 pairs .* Select a baseline or a measure"):
        cf.plot.forest({"x": runs, "y": runs})


def test_forest_result_with_arguments_raises() -> None:
    with pytest.raises(cf.CranfieldError, match="Pass only the result"):
        cf.plot.forest(cf.suite(COLLECTIONS), baseline="b")


def test_command_forest_writes_the_numbers(tmp_path: Path, cranfield: Command) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels").write_text("1 0 d 1\n2 0 d 1\n3 0 d 1\n")
        for run, ranks in {"a": "112", "b": "222"}.items():
            lines = [
                f"{t} Q0 {'d' if r == '1' else 'e'} 1 2 {run}\n{t} Q0 f 2 1 {run}\n" for t, r in enumerate(ranks, 1)
            ]
            (tmp_path / name / f"{run}.run").write_text("".join(lines))
    runs = "".join(f'{run} = "{{collection}}/{run}.run"\n' for run in "ab")
    text = f'measure = "RR"\n[collections]\nx.qrels = "x/qrels"\ny.qrels = "y/qrels"\n[systems]\n{runs}'
    (tmp_path / "suite.toml").write_text(text)
    target = tmp_path / "forest.tsv"
    code, _, err = cranfield("plot", "forest", str(tmp_path / "suite.toml"), "--baseline", "b", "-o", str(target))
    assert (code, target.read_text().splitlines()[1].split("\t")[:7]) == (
        0, ["RR", "a", "b", "collection", "x", "3", str(2 / 3)],
    ), err  # fmt: skip
