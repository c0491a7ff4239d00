"""Scores are compared as doubles, whatever type of number and of mapping they come in."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield import kernel
from tests.made import examples

MAPPINGS: tuple[Callable[[dict[str, Any]], Mapping[str, Any]], ...] = (
    dict,
    OrderedDict,
    MappingProxyType,
    UserDict,
)
NEAR = 2**53  # from here on, neighbouring integers are one double
INTEGERS = st.one_of(st.integers(-3, 3), st.integers(NEAR - 2, NEAR + 6), st.integers())
TINY = st.integers(0, 2).map(lambda n: Fraction(n, 10**30))
NUMBERS: dict[str, st.SearchStrategy[Any]] = {
    "int": INTEGERS,
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "Decimal": st.tuples(st.sampled_from(["0.1", "1", "1e308", "-1e-320"]), st.integers(0, 2)).map(
        lambda x: Decimal(x[0]) + Decimal(x[1]) * Decimal("1e-25")
    ),
    "Fraction": st.tuples(st.sampled_from([Fraction(1, 3), Fraction(1)]), TINY).map(sum),
    "int64": st.integers(NEAR, NEAR + 4).map(np.int64),
    "uint64": st.integers(2**64 - 5, 2**64 - 1).map(np.uint64),
    "float16": st.floats(width=16, allow_nan=False, allow_infinity=False).map(np.float16),
    "float32": st.sampled_from([0.1, 0.2]).map(np.float32),
    "float64": st.sampled_from([0.1, 0.2, 1e308, -1e308]).map(np.float64),
    "longdouble": st.integers(0, 3).map(lambda n: np.longdouble(NEAR) + np.longdouble(n)),
    "array": st.integers(0, 2).map(np.array),
}
DOCS = tuple("abcdefgh")
QRELS = {"1": dict(zip(DOCS, (2, 0, 1, 0, 3, 1, 0, 2), strict=True))}
MEASURES = ["AP", "nDCG@3", "P@1", "RR"]
ORDERS = ["trec", "file", "given", "expected", "best", "worst"]
ODD = [True, np.bool_(True), "1", b"1", None, 1j, float("nan"), Decimal("Infinity"), 10**400]


@pytest.mark.parametrize("compiled", [True, False])
@given(st.data())
@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_evaluate_any_number_type_equals_trec_text(tmp_path: Path, compiled: bool, data: st.DataObject) -> None:
    """A run in memory scores as the TREC text that holds its doubles."""
    numbers = st.sampled_from(sorted(NUMBERS)).flatmap(NUMBERS.__getitem__)
    scores = data.draw(st.lists(numbers, min_size=len(DOCS), max_size=len(DOCS)), "scores")
    ranking = dict(zip(data.draw(st.permutations(DOCS)), scores, strict=True))
    path = tmp_path / "run.txt"
    lines = (f"1 Q0 {doc} 1 {float(score)!r} run\n" for doc, score in ranking.items())
    path.write_text("".join(lines), encoding="utf-8")
    run: Any = {"1": data.draw(st.sampled_from(MAPPINGS), "mapping")(ranking)}
    run = {**run} if data.draw(st.booleans()) else MappingProxyType(run)
    ties: Any = data.draw(st.sampled_from(ORDERS), "ties")
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(kernel, "KERNEL", None)
        expected = cf.evaluate(QRELS, path, MEASURES, ties=ties)
        assert cf.evaluate(QRELS, run, MEASURES, ties=ties).values.tolist() == (expected.values.tolist())
        order: Any = ties if ties in ("trec", "file", "given") else "trec"
        in_memory, in_file = (cf.read_run(x, ties=order) for x in (run, path))
        assert in_memory.rankings() == in_file.rankings()
        assert in_memory.rank_topic("1") == in_file.rank_topic("1")
        assert in_memory.find_tops(3)["1"].tied == in_file.find_tops(3)["1"].tied
        assert in_memory.to_dict() == in_file.to_dict()


@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize("score", ODD, ids=repr)
@pytest.mark.parametrize("place", ["judged", "unjudged"])
@pytest.mark.parametrize("ties", ["trec", "given"])
def test_evaluate_score_that_is_no_number_raises(
    mapping: Callable[[dict[str, Any]], Any], score: Any, place: str, ties: Any
) -> None:
    """Also if the document is not judged, or the order of the list decides."""
    run = {"1": mapping({"a": 2.0, "judged": 1.0, "unjudged": 1.0, place: score, "b": 0.5})}
    with pytest.raises(cf.InputError, match=f"score .* for document {place} of topic 1"):
        cf.evaluate({"1": {"a": 1, "judged": 1}}, run, "AP", ties=ties)


def test_evaluate_document_that_is_no_string_raises() -> None:
    """An integer among strings would not match the judged document of that name."""
    docs: dict[Any, float] = {f"x{i}": -i for i in range(30)}
    run = {"1": {**docs, 7: 0.5, "z": -99.0}}
    with pytest.raises(cf.InputError, match="document 7 of topic 1, expected a string"):
        cf.evaluate({"1": {"7": 1}}, run, "AP")


def test_pool_large_integers_takes_the_document_of_the_text() -> None:
    for mapping in MAPPINGS:
        run = {"1": mapping({"a": NEAR + 1, "b": NEAR})}
        assert cf.pool(run, depth=1).to_dict() == {"1": ["b"]}


def test_read_run_chunks_and_duplicates_of_any_number_type() -> None:
    run = {"1": {"a#1": Decimal("0.5"), "a#2": 0.25, "b#1": Fraction(1, 4)}}
    found = cf.read_run(run, chunks="#", chunk_score="sum").to_dict()
    assert found == {"1": {"a": 0.75, "b": 0.25}}
    rows = [("1", "a", NEAR), ("1", "b", NEAR), ("1", "a", NEAR + 1)]
    assert cf.read_run(rows, duplicates="best").rank_topic("1") == ["b", "a"]


def test_read_qrels_equal_levels_of_two_types_are_one_judgment() -> None:
    rows = [("1", "a", Decimal("0.1")), ("1", "a", 0.1)]
    assert cf.read_qrels(rows).to_dict() == {"1": {"a": 0.1}}
    with pytest.raises(cf.InputError, match=r"level np\.True_"):
        cf.read_qrels({"1": {"a": np.bool_(True), "b": 2}})


def test_evaluate_arrays_number_beyond_doubles_raises() -> None:
    with pytest.raises(cf.InputError, match="y_score must be an array of numbers"):
        cf.evaluate_arrays([1, 0], [10**400, 1], group=[2])
