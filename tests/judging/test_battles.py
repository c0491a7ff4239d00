"""Battles: strengths by topic, who was shown first, measures, what is refused, the command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.errors import InputError
from cranfield.judging.battles import battles
from tests.coverage_simulated import by_battles
from tests.evidence import checks
from tests.made import Command, written

Row = tuple[str, str, str, str, str]
COLUMNS = ("topic", "run_a", "run_b", "winner", "first")
RUNS = ("strong", "middle", "weak")


def fought(topics: int = 30, favour: float = 0.0, seed: int = 1) -> list[Row]:
    """Battles of three runs, shown in a random order, in which the first may be favoured."""
    random = np.random.default_rng(seed)
    strengths = {"strong": 0.9, "middle": 0.0, "weak": -0.9}
    said = []
    for topic in range(topics):
        for _ in range(4):
            a, b = (RUNS[i] for i in random.choice(3, 2, replace=False))
            first = ("a", "b")[random.integers(2)]
            half = (strengths[a] - strengths[b] + favour * (1 if first == "a" else -1)) / 2
            p = np.array([math.exp(half), math.exp(-half), 0.5])
            said.append((f"t{topic}", a, b, ("a", "b", "tie")[random.choice(3, p=p / p.sum())], first))
    return said


def table(rows: list[Row]) -> str:
    lines = ["topic,run_a,run_b,winner,first", *(",".join(row) for row in rows)]
    return "".join(f"{line}\n" for line in lines)


def frame(rows: list[Row]) -> Any:
    import polars as pl

    return pl.DataFrame(rows, COLUMNS, orient="row")


def test_the_worked_numbers() -> None:
    """6 wins, 2 losses, 4 ties."""
    said = [("1", "x", "y", "x")] * 6 + [("2", "x", "y", "y")] * 2 + [("3", "y", "x", "tie")] * 4
    found = battles(said, trials=50)
    assert [(one.run, round(one.rating, 2)) for one in found.runs] == [
        ("x", 1095.42),
        ("y", 904.58),
    ]
    assert found.nu == pytest.approx(1.1547, abs=5e-5)
    one = found.runs[0]
    assert (one.battles, one.wins, one.ties, one.losses) == (12, 6, 4, 2)
    [pair] = found.pairs
    assert pair.difference == pytest.approx(190.85, abs=5e-3)
    assert pair.win == pytest.approx(0.5, abs=1e-6)


def test_the_stronger_one_comes_first_with_letters() -> None:
    found = battles(frame(fought()), trials=300)
    assert [one.run for one in found.runs] == ["strong", "middle", "weak"]
    assert found.runs[0].letters[0] == "a"
    assert not set(found.runs[0].letters) & set(found.runs[2].letters)
    for one in found.runs:
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.rating < one.high
    assert sum(one.strength for one in found.runs) == pytest.approx(0, abs=1e-9)
    assert found.triples == (0, 1)


def test_battles_of_a_topic_are_drawn_together() -> None:
    """Each battle ten times: an interval by battles would be a third as wide, this one is not."""
    once, often = (battles(frame(fought() * k), trials=400, ridge=1e-3) for k in (1, 10))
    for a, b in zip(once.runs, often.runs, strict=True):
        assert a.low is not None
        assert a.high is not None
        assert b.low is not None
        assert b.high is not None
        assert b.high - b.low > 0.8 * (a.high - a.low)


def test_the_same_seed_gives_the_same() -> None:
    one, other = (battles(frame(fought()), trials=50, seed=4, threads=k) for k in (1, 3))
    assert one.runs == other.runs


class TestPosition:
    def test_no_favour(self) -> None:
        bias = battles(frame(fought(60)), trials=20).position
        assert bias is not None
        assert bias.pvalue > 0.05
        assert bias.low < 0.5 < bias.high

    @checks("cf.battles", against="by hand")
    def test_favour_by_hand(self) -> None:
        """8 of 10 by the first: 2 · (1 + 10 + 45) / 2¹⁰."""
        rows = [("1", "x", "y", w, w if k < 8 else "ab"[w == "a"])
                for k, w in enumerate("ababababab")]  # fmt: skip
        bias = battles(frame(rows), trials=20).position
        assert bias is not None
        assert (bias.first, bias.second, bias.ties) == (8, 2, 0)
        assert bias.pvalue == pytest.approx(112 / 1024)
        assert bias.share == 0.8

    def test_an_order_that_depends_on_the_run_says_nothing(self) -> None:
        rows = [(f"{k}", "x", "y", "ab"[k % 3 == 0], "a") for k in range(30)]
        found = battles(frame(rows), trials=20)
        assert found.position is None
        assert [n.kind for n in found.notes if n.kind == "order"] == ["order"]

    def test_unknown_orders(self) -> None:
        assert battles([("1", "x", "y"), ("2", "y", "x")], trials=20).position is None


def test_measures_agree() -> None:
    """By AP strong > middle > weak: τ = 1; in each battle that strong won it scores higher."""
    scores = {run: {f"t{k}": value + k / 1000 for k in range(30)}
              for run, value in zip(RUNS, (0.5, 0.4, 0.3), strict=True)}  # fmt: skip
    rows = fought()
    found = battles(frame(rows), scores, trials=100)
    [one] = found.measures
    assert one.tau == 1
    order = {run: -i for i, run in enumerate(RUNS)}
    won = [(a, b) if w == "a" else (b, a) for _, a, b, w, _ in rows if w != "tie"]
    assert one.agreements == sum(order[a] > order[b] for a, b in won)
    assert one.rate == pytest.approx(one.agreements / len(won))
    turned = {run: {t: -x for t, x in of.items()} for run, of in scores.items()}
    assert battles(frame(rows), turned, trials=100).measures[0].tau == -1


class TestCautions:
    def test_who_won_everything(self) -> None:
        said = [(str(k), "x", "y") for k in range(25)] + [(str(k), "y", "z") for k in range(25)]
        texts = [n.text for n in battles([*said, ("1", "z", "y")], trials=20).notes]
        assert texts[0].startswith("1 run (x) won every battle: only ridge 1e-06 limits")

    def test_one_topic(self) -> None:
        found = battles([("1", "x", "y"), ("1", "y", "x"), ("1", "x", "y")])
        assert found.runs[0].low is None
        assert found.pairs[0].pvalue is None
        assert "all battles are on one topic: no intervals, no tests" in [n.text for n in found.notes]

    def test_battles_runs_named_as_sides_preferred_column_has_one_meaning(self) -> None:
        kinds = {n.kind for n in battles([("1", "a", "b"), ("2", "b", "a")], trials=20).notes}
        assert "sides" not in kinds

    def test_battles_ambiguous_winner_reported_once(self) -> None:
        rows = [
            ("1", "a", "b", "a"),
            ("2", "b", "a", "a"),
            ("3", "a", "c", "c"),
            ("4", "b", "c", "c"),
        ]
        scores = {run: {"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.4} for run in "abc"}
        notes = [n.text for n in battles(rows, scores, trials=20).notes if n.kind == "sides"]
        assert notes == ["preferences: winner 'a' read as the run in 1 line: other lines name runs"]


@pytest.mark.parametrize(
    ("data", "given", "said"),
    [
        ([("1", "x", "y", "tie")], {}, "found ties only"),
        ([("1", "x", "y"), ("1", "v", "w")], {}, "with no battles that link them to the others"),
        ([("1", "x", "y")], {"ridge": -1}, "found ridge=-1"),
        ([("1", "x", "y")], {"correction": "no"}, "found correction='no'"),
        ([("1", "x", "y")], {"trials": 0}, "found trials=0"),
        ([("1", "x", "x")], {}, "run 'x' preferred to itself"),
        ([("1", "x", "y", "z")], {}, "invalid preference 'z': expected 'x', 'y', a, b or"),
    ],
)
def test_refused(data: Any, given: dict[str, Any], said: str) -> None:
    rows = data if given.get("trials") != 0 else [*data, ("2", "y", "x")]
    with pytest.raises(InputError, match=said):
        battles(rows, **given)


@checks("cf.battles interval", against="simulation")
def test_intervals_hold_roughly() -> None:
    """`make coverage-simulated` has more of it."""
    assert by_battles(50, 60, trials=150) >= 0.88


# -- the command ----------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, cranfield: Command) -> None:
    path = written(tmp_path / "battles.csv", table(fought()))
    out = cranfield.printed("battles", path, "--trials", "100", "-f", "json")
    found = json.loads(out)
    mine = battles(path, trials=100)
    assert [row["rating"] for row in found["runs"]] == [one.rating for one in mine.runs]
    assert found["settings"]["triples"] == 1 if "settings" in found else "triples" in out
    text = cranfield.printed("battles", path, "--trials", "100")
    assert "Runs with a common letter are not significantly different" in text
    lines = "".join(f"{json.dumps(dict(zip(COLUMNS, row, strict=True)))}\n" for row in fought())
    other = written(tmp_path / "battles.jsonl", lines)
    assert cranfield.printed("battles", other, "--trials", "100") == text


def test_the_command_with_measures(tmp_path: Path, cranfield: Command) -> None:
    path = written(tmp_path / "battles.csv", table(fought()))
    rows = [f"{run}\tt{k}\tAP\t{x}\n" for run, x in zip(RUNS, (0.5, 0.4, 0.3), strict=True)
            for k in range(30)]  # fmt: skip
    scores = written(tmp_path / "s.tsv", "run\ttopic\tmeasure\tvalue\n" + "".join(rows))
    out = cranfield.printed("battles", "--scores", path, scores, "--trials", "50", "--table",
                            "measures", "-f", "csv")  # fmt: skip
    assert out.splitlines()[1].startswith("AP,3,1.0,")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("topic,run_a,run_b,winner\n1,x,y,q\n", "battles.csv:2: invalid preference 'q'"),
        (
            "topic,run_a,run_b,winner,first\n1,x,y,a,z\n",
            "battles.csv:2: invalid first run 'z'",
        ),
        ("topic,run_a,run_b,winner\n1,x,x,a\n", "battles.csv:2: run 'x' compared with itself"),
        ("topic,run_a,winner\n1,x,a\n", "battles.csv:1: "),
        ("", "battles.csv: found no preferences"),
    ],
)
def test_malformed_files(tmp_path: Path, cranfield: Command, text: str, said: str) -> None:
    path = written(tmp_path / "battles.csv", text)
    assert said in cranfield.refused("battles", path)


def test_measures_without_runs_are_refused(tmp_path: Path, cranfield: Command) -> None:
    path = written(tmp_path / "battles.csv", table(fought()))
    assert "QRELS RUN RUN…, or --scores" in cranfield.refused("battles", path, "-m", "AP")


def test_from_python() -> None:
    assert repr(cf.battles([("1", "x", "y"), ("2", "y", "x"), ("3", "x", "y")], trials=20)).startswith(
        "Battles: 3 battles on 3 topics: x 10"
    )
