"""Plans of seeds and topics: by hand, by the t-test, by simulation, errors."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.arrays import Floats
from cranfield.cli.main import main
from cranfield.errors import InputError
from cranfield.stats.crossed import compute_t_half, estimate_variance
from cranfield.stats.power import power_of_t, topics_for_t
from cranfield.stats.seed_plan import DifferenceComponents, _compute_powers, _find_design, compute_variance
from tests.evidence import checks


def make_pilot(runs: dict[str, list[float]]) -> cf.Scores:
    n = len(next(iter(runs.values())))
    values = np.array([*runs.values()])[:, :, None]
    return cf.Scores(values, tuple(runs), tuple(map(str, range(n))), ("AP",), ("mean",))


DENSE = {"dense-1": [0.4, 0.5, 0.6, 0.3], "dense-2": [0.5, 0.6, 0.8, 0.3]}
SPARSE = {"sparse-1": [0.3, 0.4, 0.5, 0.3], "sparse-2": [0.3, 0.5, 0.4, 0.2]}
SYSTEMS = {run: run[:-2] for run in DENSE | SPARSE}


@checks("cf.stats.plan_seeds", against="by hand")
def test_plan_seeds_components_by_hand() -> None:
    """Of dense: v .005, M 1/300; sparse: means .375, .35, v .0003125, residuals ±.0125 … M .003125.

    Differences of means over runs: .15, .1, .25, .05, with variance .0072917. Minus M/2 of each
    system: .0072917 − .0016667 − .0015625.
    """
    plan = cf.stats.plan_seeds(make_pilot(DENSE | SPARSE), SYSTEMS, differences=[0.1])
    part = plan.components[0]
    sparse = cf.stats.seed_components(SPARSE)
    rest = (1 / 300 + sparse.var_rest) / 2
    assert part.var_rest == pytest.approx(rest)
    assert part.var_seed == pytest.approx((0.005 - 1 / 1200 + sparse.var_seed) / 2)
    d = np.mean([*DENSE.values()], axis=0) - np.mean([*SPARSE.values()], axis=0)
    assert part.var_difference == pytest.approx(d.var(ddof=1) - rest)
    assert (part.systems, part.runs, part.topics) == (2, 4, 4)


def test_plan_seeds_without_seed_variance_equals_t_test() -> None:
    part = DifferenceComponents("AP", 2, 4, 50, 0.04, 0.0, 0.0)
    design = _find_design(part, 0.05, None, 3, 0.05, 0.8)
    assert design.topics == topics_for_t(0.05, variance=0.04).topics
    powers = _compute_powers(compute_variance(part, np.array([34.0, 100.0]), 3), 0.05, 0.05)
    assert powers == pytest.approx([power_of_t(34, 0.05, 0.04), power_of_t(100, 0.05, 0.04)], abs=1e-6)


def test_plan_seeds_power_in_simulated_experiments() -> None:
    """5 seeds; the required topics give the requested power to about the error of 2,000 experiments."""
    part = DifferenceComponents("AP", 2, 10, 50, 0.01, 0.0001, 0.0025)
    design = _find_design(part, 0.04, None, 5, 0.05, 0.8)
    assert design.topics is not None
    random, n, s = np.random.default_rng(11), design.topics, 5

    def draw_runs() -> Floats:
        return random.normal(0, 0.01, (2000, 1, s)) + random.normal(0, 0.05, (2000, n, s))

    x, y = draw_runs() + random.normal(0.04, 0.1, (2000, n, 1)), draw_runs()
    d = np.abs(x.mean(axis=(1, 2)) - y.mean(axis=(1, 2)))
    power = float((d > compute_t_half(estimate_variance(x, y), 0.95)).mean())
    assert power == pytest.approx(design.power, abs=0.04)


def test_plan_seeds_impossible_goal_has_no_topics_and_a_note() -> None:
    plan = cf.stats.plan_seeds(make_pilot(DENSE | SPARSE), SYSTEMS, differences=[0.001], seeds=[2, 10])
    assert [(design.topics, design.runs) for design in plan.designs] == [(None, None)] * 2
    note = next(note for note in plan.notes if note.kind == "impossible")
    assert note.text.startswith("AP: with 2 seeds, not even 10,000 topics suffice for the difference 0.001")


def test_plan_seeds_more_seeds_never_need_more_topics() -> None:
    plan = cf.stats.plan_seeds(make_pilot(DENSE | SPARSE), SYSTEMS, widths=[0.2, 0.4], seeds=[5, 10, 20, 100])
    for width in (0.2, 0.4):
        topics = [design.topics or math.inf for design in plan.designs if design.width == width]
        assert topics == sorted(topics, reverse=True)


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        (dict.fromkeys(SYSTEMS, "x"), {}, "1 system, expected at least 2"),
        ({run: run for run in SYSTEMS}, {}, "all systems have one run. Use plan without systems"),
        (SYSTEMS, {"seeds": [1]}, "1 seeds, expected an integer ≥ 2"),
        (SYSTEMS, {"differences": [0]}, "difference=0, expected a number above 0"),
        (SYSTEMS, {"power": 1.5}, "power=1.5, expected a number between 0 and 1"),
    ],
)
def test_plan_seeds_invalid_arguments_raise(systems: dict[str, str], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        cf.stats.plan_seeds(make_pilot(DENSE | SPARSE), systems, **options)


def test_command_plan_systems_prints_seeds_and_components(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"{run},{t},AP,{v}" for run, values in (DENSE | SPARSE).items() for t, v in enumerate(values)]
    path.write_text("\n".join(["run,topic,measure,value", *rows]))
    command = ["plan", "--scores", str(path), "--systems", "dense-*", "--systems", "sparse-*"]
    assert main([*command, "--difference", "0.1", "--difference", "0.2", "--for-seeds", "10", "-f", "tsv"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split("\t") == ["measure", "difference", "width", "seeds", "topics", "runs", "power", "se", "df"]
    assert [line.split("\t")[1] for line in lines] == ["0.1", "0.2"]
    assert main([*command, "--method", "t"]) == 2
    assert "--method requires runs, or a number as --systems" in capsys.readouterr().err
    assert main(["plan", "--scores", str(path), "--systems", "5", "--for-seeds", "3"]) == 2
    assert "--for-seeds requires --systems with the runs" in capsys.readouterr().err
    assert main(["plan", "--sd", "0.1", "--systems", "dense-*"]) == 2
    assert "--systems with runs requires a pilot" in capsys.readouterr().err
