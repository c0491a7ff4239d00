"""Differences between recorded and recomputed results."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cranfield.records.verification import Check, Difference, Verification, compare_results

NEXT = math.nextafter(0.5, 1)


def build(value: Any, notices: Any = ()) -> dict[str, Any]:
    return {"all": {"a": {"AP": value}}, "notices": list(notices)}


class TestCompareResults:
    def test_compare_equal_values_same(self) -> None:
        assert compare_results(build(0.5), build(0.5)) == (1, [])
        assert compare_results(build("nan"), build("nan")) == (1, [])

    def test_compare_last_bit_differs_by_rounding(self) -> None:
        compared, (difference,) = compare_results(build(0.5), build(NEXT))
        assert compared == 1
        assert difference == Difference("a", "all", "AP", 0.5, NEXT, "rounding")

    @pytest.mark.parametrize(("steps", "kind"), [(4, "rounding"), (5, "")])
    def test_compare_up_to_four_units_is_rounding(self, steps: int, kind: str) -> None:
        value = 0.5
        for _ in range(steps):
            value = math.nextafter(value, 1)
        assert compare_results(build(0.5), build(value))[1][0].kind == kind

    @pytest.mark.parametrize("now", [-0.0, None, "nan", "0.0", False])
    def test_compare_zero_differs_from_other_values(self, now: Any) -> None:
        assert len(compare_results(build(0.0), build(now))[1]) == 1

    def test_compare_missing_and_further_values_differ(self) -> None:
        before, after = {"all": {"a": {"AP": 1.0}}}, {"all": {"b": {"AP": 1.0}}}
        differences = compare_results(before, after)[1]
        assert [(x.run, x.record, x.now) for x in differences] == [("a", 1.0, "missing"), ("b", "missing", 1.0)]

    def test_compare_notes_by_kind_run_and_topics(self) -> None:
        note = {"kind": "ties", "text": "old words", "run": "a", "topics": ["1"]}
        assert compare_results(build(1, [note]), build(1, [{**note, "text": "new words"}])) == (2, [])
        changes: list[dict[str, Any]] = [{"kind": "other"}, {"run": "b"}, {"topics": []}]
        for change in changes:
            assert compare_results(build(1, [note]), build(1, [note | change]))[1]
        assert compare_results(build(1, [note]), build(1, [note, note]))[1][0].measure == "note ties"

    def test_compare_captions_may_change(self) -> None:
        before = build(1) | {"captions": {"scores": "old"}}
        assert compare_results(before, build(1) | {"captions": {"scores": "new"}}) == (1, [])

    def test_compare_rows_are_named_by_run_and_measure(self) -> None:
        rows = [{"run": "a", "other": "b", "measure": "AP", "pvalue": x} for x in (0.25, 0.5)]
        (difference,) = compare_results({"pairs": rows[:1]}, {"pairs": rows[1:]})[1]
        assert difference == Difference("a − b", "", "AP pvalue", 0.25, 0.5)


class TestVerification:
    def build(self, *states: str) -> Verification:
        names = ("id", "input", "version", "values")
        checks = [Check(name, "x", state) for name, state in zip(names, states, strict=True)]  # type: ignore[arg-type]
        return Verification("r.json", tuple(checks))

    @pytest.mark.parametrize(
        ("states", "code"),
        [
            (("same", "same", "same", "same"), 0),
            (("same", "same", "differs", "same"), 0),
            (("differs", "same", "same", "same"), 1),
            (("same", "differs", "same", "same"), 1),
            (("same", "same", "same", "differs"), 1),
            (("same", "cannot", "same", "cannot"), 2),
            (("same", "differs", "same", "cannot"), 1),
        ],
    )
    def test_exit_code_by_states(self, states: tuple[str, ...], code: int) -> None:
        result = self.build(*states)
        assert result.exit_code == code
        assert result.same == (code == 0)

    def test_largest_differences_absolute_and_relative(self) -> None:
        differences = (Difference("a", "1", "AP", 0.5, 0.25), Difference("a", "2", "AP", "nan", 0.25))
        result = Verification("r.json", (), 2, differences)
        assert result.largest == {"absolute": 0.25, "relative": 0.5}
        assert result.to_dict()["values"] == {"compared": 2, "differ": 2, "largest": result.largest}

    def test_text_shows_the_first_ten_differences(self) -> None:
        differences = tuple(Difference("a", str(n), "AP", 0.5, 0.25) for n in range(12))
        result = Verification(
            "r.json", (Check("values", "result", "differs", "12 values", "12 differ"),), 12, differences
        )
        assert "… 2 more; -v lists them" in result.as_text()
        assert result.as_text().startswith("r.json: not the same")
