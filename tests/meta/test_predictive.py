"""Measures against what people prefer: by hand, intervals by SciPy, forms of preferences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from cranfield.data.preference_pairs import PreferencePair, read_preference_pairs
from cranfield.errors import CranfieldError, InputError
from cranfield.meta.predictive import build_measures_table, build_pairs_table, predictive_power
from tests.evidence import checks
from tests.made import Command
from tests.meta.made import BY_HAND, scores_of

# -- the command --------------------------------------------------------------------------------


# -- preferences of people ----------------------------------------------------------------------


@checks("cf.meta.predictive_power", against="by hand")
def test_predictive_power_by_hand() -> None:
    """a and b, by M1: + − +, by M2: − + 0 (see above).

    People: a twice and b once in topic 1, b in topic 2, a in topic 3, and one tie.
    M1 agrees on a, a, b and a; M2 on b in topic 1, and is tied in topic 3.
    """
    said = [
        ("1", "a", "b"), ("1", "a", "b"), ("1", "b", "a"), ("2", "b", "a"), ("3", "a", "b"),
        ("3", "a", "b", "tie"),
    ]  # fmt: skip
    found = predictive_power(BY_HAND, said, ["M1", "M2"])
    one, two = found.measures
    assert (one.agreements, one.disagreements, one.tied, one.rate) == (4, 1, 0, 0.8)
    assert (two.agreements, two.disagreements, two.tied, two.rate) == (1, 3, 1, 0.2)
    [pair] = found.pairs
    assert (pair.n, pair.both, pair.only_first, pair.only_second) == (5, 0, 4, 1)
    assert pair.difference == pytest.approx(0.8 - 0.2)
    assert pair.pvalue == pytest.approx(binomtest(4, 5).pvalue)
    assert (found.preferences, found.tied_preferences, found.left_out) == (5, 1, 0)
    assert (found.outputs, found.assessors) == (3, 0)
    assert [n.kind for n in found.notes] == ["tied-preferences"]


@checks("cf.meta.predictive_power interval", against="SciPy")
@given(st.integers(1, 40), st.floats(0.5, 0.99), st.data())
def test_intervals_are_scipys(n: int, confidence: float, data: st.DataObject) -> None:
    """Wilson's and Clopper and Pearson's, of scipy.stats.binomtest."""
    right = data.draw(st.integers(0, n))
    said = [("1", "a", "b")] * right + [("1", "b", "a")] * (n - right)
    for method in ("wilson", "exact"):
        found = predictive_power(BY_HAND, said, ["M1"], method, confidence)
        interval = found.measures[0].interval
        expected = binomtest(right, n).proportion_ci(confidence, method)
        assert (interval.low, interval.high) == pytest.approx(tuple(expected), abs=1e-9)


def test_predictive_power_preferences_without_scores_excluded_with_note() -> None:
    """Other runs and topics; nothing else is an error."""
    said = [("1", "a", "b"), ("1", "a", "z"), ("9", "a", "b")]
    found = predictive_power(BY_HAND, said, ["M1"])
    assert (found.preferences, found.left_out) == (1, 2)
    assert [n.text for n in found.notes] == [
        "preferences: preferences about 1 run (z) without scores, excluded",
        "preferences: preferences about 1 topic (9) without scores, excluded",
    ]


@pytest.mark.parametrize(
    ("preferences", "said"),
    [
        ([("1", "y", "z")], "1 preference, none about two runs with scores such as a"),
        (
            [("8", "a", "b"), ("9", "a", "b")],
            "2 preferences, none about a topic with scores such as 1",
        ),
        ([("1", "a", "b", "tie")], "1 preference, all of them ties"),
    ],
)
def test_predictive_power_no_usable_preference_raises_with_reason(preferences: Any, said: str) -> None:
    with pytest.raises(CranfieldError, match=said):
        predictive_power(BY_HAND, preferences)


def test_predictive_power_undefined_topics_excluded_from_measure() -> None:
    values = [[[0.9, 0.1], [np.nan, 0.9]], [[0.5, 0.2], [0.5, 0.2]], [[0.1, 0.1], [0.1, 0.1]]]
    scores = scores_of(values, ["M1", "M2"])
    said = [("1", "a", "b"), ("2", "a", "b")]
    for measures, n in ((["M1", "M2"], [1, 2]), (["M2", "M1"], [2, 1])):
        found = predictive_power(scores, said, measures)
        assert [one.n for one in found.measures] == n
        assert [pair.n for pair in found.pairs] == [1]
    assert found.runs == ("a", "b")  # nobody was asked about c
    for sheet in (build_measures_table(found), build_pairs_table(found)):
        assert "preferences" in [field.name for field in sheet.visible_fields]
        assert "defined" in sheet.caption


def test_predictive_power_lower_is_better_reversed() -> None:
    """−M1 with better="lower" is M1."""
    scores = scores_of(BY_HAND.values * [1, -1, 1, 1], ["M1", "L", "G", "H"],
                       ("higher", "lower", "higher", "higher"))  # fmt: skip
    said = [("1", "b", "a"), ("2", "a", "b")]  # as M2 has it, which L is
    [found] = predictive_power(scores, said, ["L"]).measures
    assert found.rate == 1.0


FORMS = {
    "three.txt": "1 x y\n2 y x\n",
    "four.txt": "1 y x x\n2 x y y\n",
    "five.txt": "1 y x x ann\n2 x y y bob\n",
    "table.csv": "topic,run_a,run_b,preferred\n1,x,y,x\n2,x,y,b\n",
    "table.tsv": "query\twinner\tloser\n1\tx\ty\n2\ty\tx\n",
    "rows.jsonl": '{"topic": "1", "preferred": "x", "other": "y"}\n{"topic": "2", "preferred": "y", "other": "x"}\n',
    "nested.json": '{"1": {"x": "y"}, "2": {"y": ["x"]}}',
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_preferences(tmp_path: Path, name: str) -> None:
    """All say: x in topic 1, y in topic 2."""
    path = tmp_path / name
    path.write_text(FORMS[name])
    found = [pair._replace(assessor=None) for pair in read_preference_pairs(path).pairs]
    assert found == [PreferencePair("1", "x", "y"), PreferencePair("2", "y", "x")]


def test_ties_of_people() -> None:
    """In several words; a run may be named so."""
    pairs = read_preference_pairs([("1", "a", "b", "TIE"), ("1", "a", "b", "="), ("1", "tie", "b")])
    assert [pair.tied for pair in pairs.pairs] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 a b\n1 a a\n", "prefs.txt:2: run 'a' preferred to itself"),
        ("1 x y c\n", "prefs.txt:1: invalid preference 'c': expected 'x', 'y', a, b"),
        ("1 a a a\n", "prefs.txt:1: run 'a' compared with itself"),
        ("1 a b\n\n1 a\n", "prefs.txt:3: found 2 fields"),
        ("1 a b\n1 a b a\n", "prefs.txt:2: found 4 fields"),
        (
            "1 a b a ann\n1 b a tie ann\n",
            r"prefs.txt:2: duplicate preference .* by ann \(first on line 1\)",
        ),
        ("topic\tpreferred\n1\ta\n", "prefs.txt:1: .*expected a column named other"),
        ("", "prefs.txt: found no preferences"),
    ],
)
def test_errors_in_preferences_have_lines(tmp_path: Path, text: str, said: str) -> None:
    """file:line: found …, expected …"""
    path = tmp_path / "prefs.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_preference_pairs(path)


def test_command_predictive_power(two_runs: tuple[Path, Path, Path], tmp_path: Path, meta: Command) -> None:
    """AP prefers x in topic 1, RR y, and both are tied in topic 2."""
    preferences = tmp_path / "prefs.txt"
    preferences.write_text("1 x y x ann\n1 x y x bob\n2 x y y ann\n")
    arguments: list[str | Path] = [
        "predictive-power",
        *two_runs,
        "-m",
        "AP RR",
        "--preferences",
        preferences,
    ]
    found = json.loads(meta.printed(*arguments, "--interval", "exact", "-f", "json"))
    assert [row["agreement"] for row in found["measures"]] == [2 / 3, 0.0]
    assert [row["tied"] for row in found["measures"]] == [1, 1]
    assert found["measures"][1]["high"] == pytest.approx(1 - 0.025 ** (1 / 3))  # (1 − p)³ = 0.025
    assert found["pairs"][0]["only_first"] == 2
    assert "3 preferences of 2 assessors on 2 pairs" in found["captions"]["measures"]
    assert "defined" not in found["captions"]["measures"]
    assert found["settings"] == {
        "interval": "exact", "confidence": 0.95, "alpha": 0.05, "runs": 2, "topics": 2,
    }  # fmt: skip
    shown = meta.printed(*arguments, "--alpha", "0.5")
    assert "95% interval" in shown
    assert "[0.2077, 0.9385]" in shown  # Wilson's of 2 in 3
    assert "+0.6667" in shown  # 2/3 − 0
    assert "0.5000*" in shown  # 2 / 2²
