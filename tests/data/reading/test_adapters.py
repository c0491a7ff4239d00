"""Tables, judgments and runs of other libraries: the scores are those of the same dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cranfield as cf

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"a": 0.3, "b": 0.9, "x": 0.1}, "q2": {"d": 1.5}}
ASKED = ["AP", "nDCG@10"]
EXPECTED = cf.evaluate(QRELS, RUN, ASKED).values
Rows = list[tuple[str, str, float]]


def rows(nested: Any) -> Rows:
    return [(topic, doc, x) for topic, docs in nested.items() for doc, x in docs.items()]


def frame(data: Rows, value: str) -> Any:
    return pd.DataFrame(data, columns=["qid", "docno", value])


def unnamed(data: Rows, value: str) -> Any:
    index = pd.MultiIndex.from_tuples([row[:2] for row in data])
    return pd.Series([row[2] for row in data], index=index)


def structured(ids: str) -> Callable[[Rows, str], Any]:
    return lambda data, value: np.array([*data], dtype=[("qid", ids), ("docno", ids), (value, "f8")])


def named_tuples(data: Rows, value: str) -> Any:
    made: Any = ir_measures.Qrel if value == "label" else ir_measures.ScoredDoc
    return [made(*row) for row in data]


TABLES: dict[str, Callable[[Rows, str], Any]] = {
    "pandas, ids in the index": lambda data, v: frame(data, v).set_index(["qid", "docno"]),
    "pandas, topics in the index": lambda data, v: frame(data, v).set_index("qid"),
    "pandas, documents in the index": lambda data, v: frame(data, v).set_index("docno"),
    "Series": lambda data, v: frame(data, v).set_index(["qid", "docno"])[v],
    "Series, another name": lambda data, v: unnamed(data, v).rename("xyzzy"),
    "Series, no names": unnamed,
    "Arrow table": lambda data, v: pa.Table.from_pandas(frame(data, v)),
    "Arrow batch": lambda data, v: pa.RecordBatch.from_pandas(frame(data, v)),
    "Arrow reader": lambda data, v: pa.Table.from_pandas(frame(data, v)).to_reader(),
    "structured array": structured("U8"),
    "structured array of bytes": structured("S8"),
    "structured array of objects": structured("O"),
    "recarray": lambda data, v: structured("U8")(data, v).view(np.recarray),
    "array of rows": lambda data, v: np.array(data, dtype=object),
    "named tuples": named_tuples,
}


@pytest.mark.parametrize("kind", TABLES)
def test_evaluate_table_of_another_library_scores_as_a_dict(kind: str) -> None:
    make = TABLES[kind]
    scores = cf.evaluate(make(rows(QRELS), "label"), make(rows(RUN), "score"), ASKED)
    np.testing.assert_array_equal(scores.values, EXPECTED)


@pytest.mark.parametrize("kind", [kind for kind in TABLES if kind != "named tuples"])
def test_evaluate_several_tables_are_several_runs(kind: str) -> None:
    def run() -> Any:
        return TABLES[kind](rows(RUN), "score")

    assert cf.evaluate(QRELS, [run(), run()], "AP").runs == ("run1", "run2")
    assert cf.evaluate(QRELS, {"x": run(), "y": run()}, "AP").runs == ("x", "y")


def test_read_run_series_of_ranks_is_ranked_by_them() -> None:
    ranks = pd.Series({("q1", "b"): 1, ("q1", "a"): 2, ("q1", "x"): 3, ("q2", "d"): 1}, name="rank")
    np.testing.assert_array_equal(cf.evaluate(QRELS, ranks, ASKED).values, EXPECTED)


def test_read_run_index_without_names_of_three_levels_raises() -> None:
    series = pd.Series({("t", "q1", "a"): 1.0, ("t", "q1", "b"): 2.0})
    with pytest.raises(cf.InputError, match=r"index of 3 levels without names\. Name them"):
        cf.evaluate(QRELS, series, "AP")


def test_read_run_index_of_three_named_levels_has_a_tag() -> None:
    keys = {("bm25", "q1", "a"): 1.0, ("dense", "q1", "b"): 2.0}
    series = pd.Series(keys).rename_axis(index=["run", "qid", "docno"])
    assert cf.evaluate(QRELS, series, "AP").runs == ("bm25", "dense")


def test_other_inputs_take_tables_of_other_libraries() -> None:
    lengths = pa.table({"doc": ["a", "b", "c", "d", "x"], "words": [1, 2, 3, 4, 5]})
    plain = dict(zip(*lengths.to_pydict().values(), strict=True))
    asked = "TBG"
    one = cf.evaluate(QRELS, RUN, asked, lengths=lengths)
    assert one == cf.evaluate(QRELS, RUN, asked, lengths={"words": plain})
    scores = pd.DataFrame({"topic": ["1", "2"], "AP": [0.5, 0.25]}).set_index("topic")
    assert cf.read_scores(pl.from_pandas(scores.reset_index())) == cf.read_scores(scores)


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        (np.array([1, 0, 1]), np.array([0.1, 0.2, 0.3])),
        (np.array([[1, 0, 1]]), np.array([[0.1, 0.2, 0.3]])),
        ([1, 0, 1], [0.1, 0.2, 0.3]),
        (QRELS, np.array([0.1, 0.2, 0.3])),
        (QRELS, pd.Series([0.1, 0.2])),
    ],
)
def test_evaluate_arrays_of_numbers_names_evaluate_arrays(qrels: Any, run: Any) -> None:
    with pytest.raises(cf.InputError, match=r"cf\.evaluate_arrays\(y_true, y_score, group\)"):
        cf.evaluate(qrels, run, "AP")


def test_evaluate_arrow_type_that_polars_lacks_raises(capfd: pytest.CaptureFixture[str]) -> None:
    table = pa.table({"qid": ["q1"], "docno": ["a"], "score": pa.array([1], pa.decimal256(50, 2))})
    for data in (table, table.to_batches()[0]):
        with pytest.raises(cf.InputError, match="a column has a type that Polars does not read"):
            cf.evaluate(QRELS, data, "AP")
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_evaluate_ranx_objects_score_as_dicts() -> None:
    ranx = pytest.importorskip("ranx")
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")
    scores = cf.evaluate(qrels, run, ASKED)
    np.testing.assert_array_equal(scores.values, EXPECTED)
    assert scores.runs == ("bm25",)
    assert cf.evaluate(qrels, [run, ranx.Run(RUN, name="b")], "AP").runs == ("bm25", "b")
    assert cf.evaluate(qrels, {"x": ranx.Run(RUN)}, "AP").runs == ("x",)
    with pytest.raises(cf.InputError, match=r"found a ranx Run, expected judgments\. Jud"):
        cf.evaluate(run, qrels, "AP")
