"""Systems of runs: tables, patterns, errors."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cranfield.data.run_systems import group_runs, read_systems
from cranfield.errors import InputError

RUNS = ("bm25", "dense-1", "dense-2")
SYSTEMS = {"bm25": "bm25", "dense-1": "dense", "dense-2": "dense"}


@pytest.mark.parametrize(
    "text",
    [
        "run,system\ndense-2,dense\nbm25,bm25\ndense-1,dense\n",
        "system\tseed\trun\ndense\t2\tdense-2\nbm25\t\tbm25\ndense\t1\tdense-1\n",
        "bm25 bm25\ndense-1 dense\ndense-2 dense\n",
        "bm25 bm25 1\ndense-1 dense 1\ndense-2 dense 2\n",
        '{"run": "bm25", "system": "bm25"}\n{"run": "dense-1", "system": "dense"}\n'
        '{"run": "dense-2", "system": "dense"}\n',
    ],
)
def test_read_systems_formats_give_the_same_systems(tmp_path: Path, text: str) -> None:
    path = tmp_path / "systems"
    path.write_text(text)
    assert read_systems(path, RUNS) == read_systems(str(path), RUNS) == SYSTEMS


def test_read_systems_values_in_memory() -> None:
    frame = pd.DataFrame({"run": [*SYSTEMS], "system": [*SYSTEMS.values()], "seed": [1, 1, 2]})
    assert read_systems(frame, RUNS) == SYSTEMS
    assert read_systems(SYSTEMS, RUNS) == read_systems([*SYSTEMS.items()], RUNS) == SYSTEMS
    assert read_systems("dense-*", RUNS) == read_systems(["dense-*"], RUNS) == SYSTEMS


def test_read_systems_patterns_match_literally() -> None:
    runs = ["a.b-1", "a.b-2", "axb-1", "c_1.run", "c_2.run"]
    systems = read_systems(["a.b-*", "c_*.run"], runs)
    assert systems == {"a.b-1": "a.b", "a.b-2": "a.b", "axb-1": "axb-1", "c_1.run": "c", "c_2.run": "c"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "run,system\nbm25,bm25\n",
            r"systems.csv: found 2 runs \(dense-1, dense-2\) without a system, expected a system",
        ),
        ("run,sys\nbm25,bm25\n", r"systems.csv:1: found columns run, sys, expected run and system"),
        (
            "run,system\nx,bm25\n",
            r"systems.csv:2: found unknown run 'x', expected one of 3 runs \(bm25, dense-1, dense-2",
        ),
        ("run,system\nbm25,a\nbm25,b\n", r"systems.csv:3: run 'bm25' has two systems, 'a' and 'b'"),
        ("run,system\nbm25,a\nbm25,a\n", r"systems.csv:3: duplicate run 'bm25'"),
        (
            "run,system,seed\ndense-1,d,1\ndense-2,d,1\n",
            r"systems.csv:3: duplicate seed 1 of system 'd' \(first on line 2",
        ),
        ("run,system\nbm25,\n", r"systems.csv:2: found system .*, expected an identifier"),
        ("run,system\n", r"no systems, expected a run and its system on each line"),
    ],
)
def test_read_systems_invalid_table_raises(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "systems.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_systems(path, RUNS)


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ("x-*", r"found pattern 'x-\*' without a match, expected some of 3 runs"),
        ("*", r"found pattern '\*', expected a name before \*"),
        (["dense*", "dense-*"], r"patterns 'dense\*' and 'dense-\*' name the same system, 'dense'"),
        (["d*", "dense-*"], r"run 'dense-1' has two systems, 'd' and 'dense'"),
        (["systems.csv", "dense-*"], r"give either one file, or patterns"),
        (5, r"found 5, expected systems as a path, a pattern, \{run: system\} or a frame"),
    ],
)
def test_read_systems_invalid_pattern_raises(patterns: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_systems(patterns, RUNS)


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"a": "x", "b": "x"}, "found only one system, 'x', expected at least 2"),
        ({"a": "x", "b": "y"}, "all systems have one run. Omit --systems"),
        ({"a": "b", "b": "c", "d": "c"}, "system 'b' has the name of a run of system 'c'"),
        ({"dense": "dense", "dense-1": "d", "dense-2": "d"}, ""),
        ({"dense": "dense", "dense-1": "dense", "x": "y"}, ""),
    ],
)
def test_group_runs_checks_systems(systems: dict[str, str], message: str) -> None:
    if not message:
        assert sum(map(len, group_runs(systems).values())) == len(systems)
        return
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        group_runs(systems)
