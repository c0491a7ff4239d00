"""Tables, judgments and runs of other libraries: the scores are those of the same dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


class DataSet:
    """Stand-in for a data set of Hugging Face."""

    __module__ = "datasets.arrow_dataset"

    def __init__(self, table: Any) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: slice) -> Any:
        return self.table[rows]

    def with_format(self, format: str) -> DataSet:
        assert format == "arrow"
        return self


class Stream:
    """Stand-in for an iterable data set."""

    __module__ = "datasets.iterable_dataset"

    def __init__(self, table: Any) -> None:
        self.table = table

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table.to_pylist())

    def with_format(self, format: str) -> Any:
        raise NotImplementedError


class Splits(dict[str, DataSet]):
    """Stand-in for a dictionary of splits."""

    __module__ = "datasets.dataset_dict"

    def with_format(self, format: str) -> Any:
        raise NotImplementedError


def make_duckdb(table: pd.DataFrame) -> Any:
    return pytest.importorskip("duckdb").sql("select * from 'table'")


def make_real_data_set(table: pd.DataFrame) -> Any:
    return pytest.importorskip("datasets").Dataset.from_pandas(table)


OBJECTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda table: table,
    "pandas, index": lambda table: table.set_index(table.columns[0]),
    "Polars, lazy": lambda table: pl.from_pandas(table).lazy(),
    "Arrow": pa.Table.from_pandas,
    "NumPy": lambda table: table.to_records(index=False),
    "columns": lambda table: table.to_dict("list"),
    "records": lambda table: table.to_dict("records"),
    "data set": lambda table: DataSet(pa.Table.from_pandas(table)),
    "iterable data set": lambda table: Stream(pa.Table.from_pandas(table)),
    "DuckDB": make_duckdb,
    "Hugging Face": make_real_data_set,
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_as_every_input_equal_tuples(kind: str) -> None:
    """Judgments, runs, scores and queries."""
    make = OBJECTS[kind]
    judged, results = rows(QRELS), rows(RUN)
    assert cf.read_qrels(make(frame(judged, "level"))).to_dict() == cf.read_qrels(judged).to_dict()
    assert cf.read_run(make(frame(results, "score"))).to_dict() == cf.read_run(results).to_dict()
    scored = [("a", "q1", "AP", 0.5), ("a", "q2", "AP", 0.25), ("b", "q1", "AP", 0.75), ("b", "q2", "AP", 1.0)]
    table = pd.DataFrame(scored, columns=["run", "topic", "measure", "value"])
    assert cf.read_scores(make(table)) == cf.read_scores(scored)
    queries = pd.DataFrame({"qid": ["q1", "q2"], "query": ["red shoes", "lamp"]})
    by_length = cf.evaluate(QRELS, RUN, "AP", by="length", queries=make(queries))
    assert by_length.attributes == {"length": {"q1": "2", "q2": "1"}}


def test_read_splits_of_a_data_set_raises() -> None:
    data = Splits(train=DataSet(None), test=DataSet(None))
    with pytest.raises(cf.InputError, match=r"2 splits of a data set \(train, test\)\. Pass one of them"):
        cf.read_qrels(data)
    with pytest.raises(cf.InputError, match="2 splits"):
        cf.read_scores(data)


def test_read_scores_ir_measures_equals_mapping() -> None:
    values = {"1": 0.5, "2": 1.0}
    metrics = [ir_measures.util.Metric(query_id=topic, measure=ir_measures.AP, value=x) for topic, x in values.items()]
    expected = cf.read_scores({"a": {"1": {"AP": 0.5}, "2": {"AP": 1.0}}})
    assert cf.read_scores({"a": metrics}) == expected
    assert cf.read_scores(metrics).values.tolist() == expected.values.tolist()


class RanxRun:
    """Stand-in for a Run of ranx."""

    __module__ = "ranx.data_structures.run"

    def __init__(self, name: str, scores: Any) -> None:
        self.name, self.scores = name, scores


RanxRun.__name__ = "Run"


def test_read_scores_ranx_runs_equal_mapping() -> None:
    """ranx keeps the scores of topics in runs that it has evaluated."""
    scores = {name: {"map": {"1": x, "2": 1.0}} for name, x in (("a", 0.5), ("b", 0.25))}
    runs = [RanxRun(name, by_measure) for name, by_measure in scores.items()]
    expected = cf.read_scores({name: {"1": {"map": x}, "2": {"map": 1.0}} for name, x in (("a", 0.5), ("b", 0.25))})
    assert cf.read_scores(runs) == expected
    assert cf.read_scores({"a": runs[0], "b": runs[1]}) == expected
    with pytest.raises(cf.InputError, match=r"ranx Run without scores of topics\. Call ranx\.evaluate"):
        cf.read_scores(RanxRun("a", {}))
