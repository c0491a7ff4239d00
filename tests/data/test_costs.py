"""Costs of documents: every way in, and through both sources, the cost of every rank."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.costs import DocCosts, read_costs
from cranfield.data.lengths import read_lengths
from cranfield.data.qrels import read_qrels
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from cranfield.data.run import ListRun, Run, TableRun
from cranfield.data.run_reader import read_run, read_runs
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.columns import label_columns
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.mappings import label_lists
from cranfield.labelling.ties import Reordering
from tests.data.made import trec_order, written
from tests.made import examples

Nested = dict[str, dict[str, float]]

# -- every way in -----------------------------------------------------------------------------

BY_TYPE = {"web": 1.5, "image": 0.25, "Q0": 3.0, "中文": 1e-3}
BY_TOPIC = {
    "q1": {"d1": 20.0, "d2": 0.1},
    "401": {"d1": 7.25, "é": 1e6},
    "q2": {"d2": 0.30000000000000004},
}
TOPIC_ROWS = [(t, d, c) for t, docs in BY_TOPIC.items() for d, c in docs.items()]
SCATTERED = [TOPIC_ROWS[i] for i in (3, 0, 4, 2, 1)]


def costs_of(known: DocCosts) -> Any:
    """What was read, as a dict."""
    table = known.table
    groups = zip(table.names, table.iter_bounds(), strict=True)
    made = {
        name: dict(zip(table.docs[a:b], known.values["cost"][a:b].tolist(), strict=True)) for name, (a, b) in groups
    }
    return made if known.key == ("topic", "doc") else made[""]


def type_frame(type_: str = "type", cost: str = "cost") -> pl.DataFrame:
    return pl.DataFrame({type_: list(BY_TYPE), cost: list(BY_TYPE.values())})


def topic_frame(cost: str = "cost") -> pl.DataFrame:
    return pl.DataFrame(SCATTERED, schema=["topic", "doc", cost], orient="row")


def type_lines(form: str) -> str:
    return "".join(form.format(name, cost) for name, cost in BY_TYPE.items())


def topic_lines(form: str) -> str:
    return "".join(form.format(*row) for row in SCATTERED)


def json_lines(frame: pl.DataFrame) -> str:
    return "".join(json.dumps(row) + "\n" for row in frame.iter_rows(named=True))


TYPE_TEXTS = {
    "blanks": type_lines("{} {}\n"),
    "tabs": type_lines("{}\t{}\n"),
    "any blanks": type_lines(" \t {}   \t{}  \n"),
    "CRLF": type_lines("{} {}\r\n"),
    "comments": "# type cost in minutes\n\n" + type_lines("{} {}\n  # why\n\n"),
    "no last newline": type_lines("{} {}\n")[:-1],
    "csv": "type,cost\n" + type_lines("{},{}\n"),
    "csv, CRLF": "Kind,Price\r\n" + type_lines("{},{}\r\n"),
    "csv, more columns": "a,element_type,b,effort\n" + type_lines("1,{},z,{}\n"),
    "csv, quotes and blanks": '"type", "cost"\n' + type_lines('"{}","{}"\n'),
    "csv, blank lines": "type,cost\n\n" + type_lines("{},{}\n\n"),
    "tsv": "type\ttime\n" + type_lines("{}\t{}\n"),
    "json": json.dumps(BY_TYPE),
    "json over lines": "\n" + json.dumps(BY_TYPE, indent=1, ensure_ascii=False),
    "jsonl": json_lines(type_frame()),
}
TOPIC_TEXTS = {
    "blanks": topic_lines("{} {} {}\n"),
    "any blanks": topic_lines("  {}\t{}  {}\n"),
    "CRLF": topic_lines("{} {} {}\r\n"),
    "comments": "#\n" + topic_lines("{} {} {}\n\n# why\n"),
    "csv": "topic,doc,cost\n" + topic_lines("{},{},{}\n"),
    "csv, other names": "cost,DocNo,Query_ID\n" + topic_lines("{2},{1},{0}\n"),
    "csv, types as well": "type,qid,docid,cost\n" + topic_lines("web,{},{},{}\n"),
    "tsv": "topic\tdoc\tcost\n" + topic_lines("{}\t{}\t{}\n"),
    "json": json.dumps(BY_TOPIC),
    "jsonl": json_lines(topic_frame()),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("how", TYPE_TEXTS)
def test_read_costs_text_by_type(tmp_path: Path, how: str, compressed: bool) -> None:
    data = TYPE_TEXTS[how].encode()
    path = tmp_path / ("costs.gz" if compressed else "costs")
    path.write_bytes(gzip.compress(data) if compressed else data)
    for given_as in (path, str(path)):
        known = read_costs(given_as)
        assert costs_of(known) == BY_TYPE
        assert (known.by_type, known.unit, known.where) == (True, "", str(path))


@pytest.mark.parametrize("how", TOPIC_TEXTS)
def test_read_costs_text_by_topic_and_document(tmp_path: Path, how: str) -> None:
    path = written(tmp_path / "costs", lambda p: p.write_bytes(TOPIC_TEXTS[how].encode()))
    known = read_costs(path)
    assert costs_of(known) == BY_TOPIC
    assert not known.by_type


@pytest.mark.parametrize("frame", [type_frame(), topic_frame()], ids=["type", "topic"])
def test_read_costs_binary_files_and_frames(tmp_path: Path, frame: pl.DataFrame) -> None:
    expected = BY_TYPE if "type" in frame.columns else BY_TOPIC
    for data in (
        frame,
        frame.lazy(),
        frame.to_pandas(),
        frame.with_columns(pl.col("cost").cast(pl.String)),
        frame.cast({frame.columns[0]: pl.Categorical}),
        written(tmp_path / "costs.parquet", frame.write_parquet),
        written(tmp_path / "costs.arrow", frame.write_ipc),
        written(tmp_path / "parquet", frame.write_parquet),
    ):
        assert costs_of(read_costs(data)) == expected


def test_read_costs_dicts() -> None:
    assert costs_of(read_costs(BY_TYPE)) == BY_TYPE
    assert costs_of(read_costs(BY_TOPIC)) == BY_TOPIC
    assert costs_of(read_costs({"q1": {}, **BY_TOPIC})) == BY_TOPIC
    assert costs_of(read_costs({1: np.float32(2), "b": np.int64(3)})) == {"1": 2, "b": 3}


def test_read_costs_by_document_applies_to_all_topics(tmp_path: Path) -> None:
    frame = pl.DataFrame({"docno": ["a", "b"], "cost": [1, 2]})
    for data in (
        frame,
        frame.to_pandas(),
        written(tmp_path / "c", frame.write_csv),
        written(tmp_path / "c.jsonl", frame.write_ndjson),
    ):
        known = read_costs(data)
        assert (costs_of(known), known.by_type) == ({"a": 1, "b": 2}, False)


def test_read_costs_python_numbers_are_read(tmp_path: Path) -> None:
    """What the fast readers give up on is read one by one: here blanks around a number."""
    for text in ("web +3e0\n", 'type,cost\nweb," 3e0 "\n'):
        path = written(tmp_path / "c", lambda p, text=text: p.write_text(text))  # type: ignore[misc]
        assert costs_of(read_costs(path)) == {"web": 3}


@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=20))
@settings(max_examples=examples(50))
def test_read_costs_keeps_every_bit(costs: list[float]) -> None:
    frame = pl.DataFrame({"type": [f"t{i}" for i in range(len(costs))], "cost": costs})
    texts = frame.with_columns(cost=pl.Series([repr(x) for x in costs]))
    for data in (frame, frame.to_pandas(), texts, dict(frame.iter_rows())):
        assert read_costs(data).values["cost"].tolist() == costs


class TestUnits:
    @pytest.mark.parametrize("unit", ["seconds", "minutes", "characters", "words"])
    def test_unit_column_name_sets_unit(self, unit: str) -> None:
        for column in (unit, unit.capitalize()):
            assert read_costs(type_frame(cost=column)).unit == unit
            assert read_costs(topic_frame(cost=column)).unit == unit

    @pytest.mark.parametrize("column", ["cost", "time", "effort", "price"])
    def test_unit_other_column_name_sets_no_unit(self, column: str) -> None:
        assert read_costs(type_frame(cost=column)).unit == ""

    def test_unit_argument_overrides_column(self, tmp_path: Path) -> None:
        path = written(tmp_path / "c.csv", type_frame(cost="seconds").write_csv)
        assert read_costs(path, unit="hours").unit == "hours"
        assert read_costs(BY_TYPE, "hours").unit == "hours"

    def test_read_costs_object_gets_unit(self) -> None:
        known = read_costs(type_frame(cost="seconds"))
        assert read_costs(known) is known
        again = read_costs(known, "hours")
        assert (again.unit, again.table) == ("hours", known.table)


# -- malformed --------------------------------------------------------------------------------

ABOVE_0 = "expected a number > 0"
TEXT_ERRORS = {
    "web 0\n": f"found cost 0, {ABOVE_0}",
    "web -1\n": f"found cost -1, {ABOVE_0}",
    "web ten\n": f"found cost ten, {ABOVE_0}",
    "web nan\n": f"found cost nan, {ABOVE_0}",
    "web inf\n": f"found cost inf, {ABOVE_0}",
    "web 1e999\n": f"found cost 1e999, {ABOVE_0}",
    "web 1_0\n": f"found cost 1_0, {ABOVE_0}",
    "web\n": "found 1 field ('web'), expected 2: type-or-doc cost",
    "q1 d1 2\n": "found 3 fields ('q1 d1 2'), expected 2: type-or-doc cost",
    "image 1\n": "duplicate cost of type or document image (first on line 1)",
    "image 2\n": "duplicate cost of type or document image (first on line 1)",
}
CELL_ERRORS = {
    "web,0": f"found cost 0, {ABOVE_0}",
    "web,-0.5": f"found cost -0.5, {ABOVE_0}",
    "web,ten": f"found cost ten, {ABOVE_0}",
    "web,nan": f"found cost nan, {ABOVE_0}",
    "web,": f"found no cost, {ABOVE_0}",
    "web": "found 1 field ('web'), expected 2: type cost",
    "web,1,2": "found 3 fields (",
    ",1": "found type '', expected an identifier",
    "image,1": "duplicate cost of type image (first on line 2)",
}


def said_of(path: Path, content: str | bytes) -> str:
    """The refusal of a file with this content, without its directory."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(cf.InputError) as caught:
        read_costs(path)
    return str(caught.value).removeprefix(f"{path.parent}{os.sep}")


class TestMalformed:
    @pytest.mark.parametrize("line", TEXT_ERRORS)
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_lines(self, tmp_path: Path, line: str, end: str) -> None:
        text = f"image 1\n# a comment\n\n{line}Q0 3\n".replace("\n", end)
        assert said_of(tmp_path / "costs.txt", text) == f"costs.txt:4: {TEXT_ERRORS[line]}"

    def test_lines_with_topics(self, tmp_path: Path) -> None:
        path = tmp_path / "c"
        assert said_of(path, "q1 a 1\nq1 b 0\n") == f"c:2: found cost 0, {ABOVE_0}"
        said = said_of(path, "q1 a 1\nq2 a 1\nq1 a 1\n")
        assert said == "c:3: duplicate cost of document a of topic q1 (first on line 1)"
        said = said_of(path, "q1 a 1\nweb 1\n")
        assert said == "c:2: found 2 fields ('web 1'), expected 3: topic doc cost"
        said = said_of(path, "q1 Q0 a 1\n")
        assert said == ("c:1: found 4 fields ('q1 Q0 a 1'), expected 2: type-or-doc cost or 3: topic doc cost")
        assert said_of(path, b"q1 \xff 1\n").startswith("c:1: found bytes that are not UTF-8")

    @pytest.mark.parametrize("cells", CELL_ERRORS)
    @pytest.mark.parametrize("separator", [",", "\t"])
    def test_tables(self, tmp_path: Path, cells: str, separator: str) -> None:
        text = f"type,cost\nimage,1\n\n{cells}\nQ0,3\n".replace(",", separator)
        said = said_of(tmp_path / "c", text)
        assert said.startswith(f"c:4: {CELL_ERRORS[cells]}")

    @pytest.mark.parametrize(
        ("row", "expected"),
        [
            ('{"type": "web", "cost": 0}', f"found cost 0, {ABOVE_0}"),
            ('{"type": "web", "cost": true}', f"found cost True, {ABOVE_0}"),
            ('{"type": "web", "cost": null}', f"found no cost, {ABOVE_0}"),
            ('{"type": "web"}', f"found no cost, {ABOVE_0}"),
            ('{"type": null, "cost": 1}', "found type None, expected an identifier"),
            ('{"type": 1.5, "cost": 1}', "found type 1.5, expected an identifier"),
            ('{"type": "image", "cost": 1}', "duplicate cost of type image (first on line 1)"),
            ('{"type": "web"', 'found \'{"type": "web"\', expected a JSON object'),
        ],
    )
    def test_json_lines(self, tmp_path: Path, row: str, expected: str) -> None:
        said = said_of(tmp_path / "c", f'{{"type": "image", "cost": 1}}\n{row}\n')
        assert said.startswith(f"c:2: {expected}")

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ('{"web": 0}', f"c: found cost 0 of type or document web, {ABOVE_0}"),
            ('{"web": null}', f"c: found no cost of type or document web, {ABOVE_0}"),
            ('{"q": {"a": -2}}', f"c: found cost -2 of document a of topic q, {ABOVE_0}"),
            ('{"q": {"a": 2}, "web": 3}', "c: found 3 for topic 'web', expected {doc: cost}"),
            ('{"web": 1, "web": 2}', "c: duplicate key 'web'"),
            ('{"web": 1', "c:1: found invalid JSON"),
        ],
    )
    def test_json(self, tmp_path: Path, content: str, expected: str) -> None:
        assert said_of(tmp_path / "c", content).startswith(expected)

    @pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n", "type,cost\n", "{}", '{"q1": {}}'])
    def test_empty_file_raises(self, tmp_path: Path, content: str) -> None:
        assert said_of(tmp_path / "c", content) == "c: found no costs, expected at least one"

    def test_columns(self, tmp_path: Path) -> None:
        expected = "expected cost, and type, or topic and doc, or doc"
        said = said_of(tmp_path / "c.csv", "web,1.5\nimage,2\n")
        assert said == f"c.csv:1: found columns web, 1.5, {expected}"
        with pytest.raises(cf.InputError, match=f"costs: found columns topic, cost, {expected}"):
            read_costs(pl.DataFrame({"topic": ["q"], "cost": [1]}))

    def test_corrupt_parquet_raises(self, tmp_path: Path) -> None:
        half = written(tmp_path / "whole", type_frame().write_parquet).read_bytes()[:-20]
        assert "corrupt Parquet file" in said_of(tmp_path / "c.parquet", half)

    @pytest.mark.parametrize(
        "data",
        [
            {"web": 0},
            {"web": -1},
            {"web": math.nan},
            {"web": math.inf},
            {"web": True},
            {"web": None},
            {"web": [1]},
            {"q": {"d": 0}},
            pl.DataFrame({"type": ["web"], "cost": [0]}),
            pl.DataFrame({"type": ["web"], "cost": [None]}),
            pl.DataFrame({"type": ["web"], "cost": [True]}),
            pl.DataFrame({"type": ["web"], "cost": [[1.0]]}),
            pl.DataFrame({"topic": ["q"], "doc": ["d"], "cost": [math.inf]}),
            pd.DataFrame({"type": ["web"], "cost": [math.nan]}),
        ],
        ids=str,
    )
    def test_costs_of_objects(self, data: Any) -> None:
        with pytest.raises(cf.InputError, match=f"^costs: found .*cost.* of .*, {ABOVE_0}$"):
            read_costs(data)

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ({}, "costs: found no costs, expected at least one"),
            ({"q": {}}, "costs: found no costs, expected at least one"),
            ({1.5: 2}, "costs: found type-or-doc 1.5, expected an identifier"),
            ({"": 2}, "costs: found type-or-doc '', expected an identifier"),
            ({"\ud800": 2}, "costs: found type-or-doc '\\ud800', expected an identifier"),
            ({1: 2, "1": 3}, "costs: duplicate cost of type or document 1"),
            (
                pl.DataFrame({"type": ["a", "a"], "cost": [1, 1]}),
                "costs: duplicate cost of type a",
            ),
            (
                pl.DataFrame({"type": [None], "cost": [1]}),
                "costs: found type None, expected an identifier",
            ),
            (
                pl.DataFrame({"type": [["a"]], "cost": [1]}),
                "costs: found type ['a'], expected an identifier",
            ),
            (
                pl.DataFrame({"topic": ["q", "q"], "doc": ["a", "a"], "cost": [1, 2]}),
                "costs: duplicate cost of document a of topic q",
            ),
            (
                pl.DataFrame({"type": [], "cost": []}),
                "costs: found no costs, expected at least one",
            ),
            (
                pl.DataFrame({"cost": [1]}),
                "costs: found columns cost, expected cost, and type, or topic and doc, or doc",
            ),
            (5, "found 5, expected costs as a path, a dict or a frame"),
            ([("a", 1)], "found [('a', 1)], expected costs as a path, a dict or a frame"),
            (None, "found None, expected costs as a path, a dict or a frame"),
        ],
        ids=ascii,
    )
    def test_other_objects(self, data: Any, message: str) -> None:
        with pytest.raises(cf.InputError) as error:
            read_costs(data)
        assert str(error.value) == message

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(cf.CranfieldError, match=r"cannot read .*nowhere: no such file"):
            read_costs(tmp_path / "nowhere")


# -- types of results -------------------------------------------------------------------------

TYPED_ROWS = [("q1", "web", "a", 2.5), ("q1", "image", "b", 1.0), ("q2", "web", "a", 3.0)]


def typed_frame(column: str = "type") -> pl.DataFrame:
    return pl.DataFrame(TYPED_ROWS, schema=["topic", column, "doc", "score"], orient="row")


def trec_text(separator: str = " ") -> str:
    rows = (separator.join((t, kind, d, "1", repr(s), "r")) for t, kind, d, s in TYPED_ROWS)
    return "".join(row + "\n" for row in rows)


def types_of(run: Run) -> list[str] | None:
    assert isinstance(run, TableRun)
    types = run.gather().types
    return None if types is None else types.tolist()


TYPED: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "text": (lambda p: written(p, lambda q: q.write_text(trec_text())), {}),
    "text by rank": (lambda p: written(p, lambda q: q.write_text(trec_text())), {"ties": "rank"}),
    "separator": (
        lambda p: written(p, lambda q: q.write_text(trec_text("; "))),
        {"separator": ";"},
    ),
    "csv": (lambda p: written(p, typed_frame().write_csv), {}),
    "csv, unread by Polars": (
        lambda p: written(p, typed_frame("Kind").with_columns(tag=pl.lit("")).write_csv),
        {},
    ),
    "tsv": (lambda p: written(p, lambda q: typed_frame().write_csv(q, separator="\t")), {}),
    "jsonl": (lambda p: written(p, typed_frame("element_type").write_ndjson), {}),
    "parquet": (lambda p: written(p, typed_frame().write_parquet), {}),
    "arrow": (lambda p: written(p, typed_frame().write_ipc), {}),
    "polars": (lambda p: typed_frame(), {}),
    "categories": (lambda p: typed_frame().cast({"type": pl.Categorical}), {}),
    "pandas": (lambda p: typed_frame().to_pandas(), {}),
}


@pytest.mark.parametrize("how", TYPED)
def test_read_run_types_option_keeps_types(tmp_path: Path, how: str) -> None:
    make, options = TYPED[how]
    data = make(tmp_path / "run")
    assert types_of(read_run(data, types=True, **options)) == ["web", "image", "web"]
    assert types_of(read_run(data, **options)) is None
    [run] = read_runs([data], types=True, **options)
    assert types_of(run) == ["web", "image", "web"]


def test_read_run_default_drops_types() -> None:
    frame = typed_frame().drop("type")
    assert types_of(read_run(frame, types=True)) is None
    lists = read_run({"q1": {"a": 1.0}}, types=True)
    assert isinstance(lists, ListRun)
    assert lists.lists == {"q1": {"a": 1.0}}


def test_read_run_missing_type_is_empty(tmp_path: Path) -> None:
    """Then its cost is not known."""
    frame = typed_frame().with_columns(type=pl.Series(["web", None, "web"]))
    for data in (frame, written(tmp_path / "r.csv", frame.write_csv)):
        assert types_of(read_run(data, types=True)) == ["web", "", "web"]
        assert nans(labelled(read_run(data, types=True), read_costs({"web": 2}))) == [2, None, 2]


def test_read_run_number_column_as_type_raises() -> None:
    frame = typed_frame().with_columns(type=pl.Series([1.5, 2.5, 3.5]))
    with pytest.raises(cf.InputError, match="run: found Float64 in column type, expected ident"):
        read_run(frame, types=True)
    assert read_run(frame).to_dict()["q2"] == {"a": 3.0}  # nobody asked for it


# -- both sources -----------------------------------------------------------------------------


def rankings_of(gold: GoldStandard, run: Run, *noted: Any, exclude_self: bool = False, threads: int = 2) -> Rankings:
    if isinstance(run, ListRun):
        return label_lists(gold, run, exclude_self, noted)
    assert isinstance(run, TableRun)
    return label_columns(gold, run, exclude_self, threads, None, noted).rankings


def labelled(run: Run, costs: DocCosts) -> list[float]:
    gold = GoldStandard.from_qrels(read_qrels({"q1": {"a": 1}, "q2": {"a": 1}}))
    found: list[float] = rankings_of(gold, run, costs).document_values["cost"].tolist()
    return found


def nans(costs: list[float]) -> list[float | None]:
    return [None if math.isnan(x) else x for x in costs]


def naive(
    topics: tuple[str, ...],
    run: Nested,
    cost: Callable[[str, str], float | None],
    exclude_self: bool = False,
    depth: int | None = None,
) -> list[float | None]:
    """The cost of every document of every judged topic, one after the other."""
    found = []
    for topic in topics:
        docs = [d for d in trec_order(run.get(topic, {})) if not (exclude_self and d == topic)]
        found += [cost(topic, doc) for doc in docs[:depth]]
    return found


def kind_of(topic: str, doc: str) -> str:
    """Some type of a result."""
    return ("web", "image", "news", "Q0")[(len(topic) + sum(map(ord, topic + doc))) % 4]


def as_rows(run: Nested, shuffled: bool = False) -> list[tuple[str, str, str, float]]:
    rows = [(t, kind_of(t, d), d, s) for t, docs in run.items() for d, s in docs.items()]
    if shuffled:
        order = np.random.default_rng(0).permutation(len(rows)).tolist()
        rows = [rows[i] for i in order]
    return rows


def as_text(run: Nested, shuffled: bool = False) -> str:
    return "".join(f"{t} {k} {d} 1 {s!r} r\n" for t, k, d, s in as_rows(run, shuffled))


def as_frame(run: Nested, shuffled: bool = False) -> pl.DataFrame:
    schema = ["topic", "type", "doc", "score"]
    return pl.DataFrame(as_rows(run, shuffled), schema=schema, orient="row")


DOCS = ["a", "b", "c", "d", "é", "a-much-longer-name", "p", "q"]  # p and q are topics, too
TOPICS = ["p", "q", "r"]


@st.composite
def collections(draw: st.DrawFn) -> tuple[Nested, Nested, Nested]:
    """Judgments, a run with many ties, costs of some documents."""
    docs, topics = st.sampled_from(DOCS), st.sampled_from(TOPICS)
    levels = st.dictionaries(docs, st.sampled_from([0.0, 1.0, 2.0]), min_size=1)
    scores = st.dictionaries(docs, st.sampled_from([1.0, 1.5, 2.0]), min_size=1)
    costs = st.dictionaries(docs, st.floats(0.001, 1000), min_size=1)
    return (
        draw(st.dictionaries(topics, levels, min_size=1)),
        draw(st.dictionaries(topics, scores, min_size=1)),
        draw(st.dictionaries(topics, costs, min_size=1)),
    )


@given(collections(), st.booleans(), st.integers(1, 5), st.integers(1, 60))
@settings(max_examples=examples(40))
def test_rows_any_collection_equals_naive(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: tuple[Nested, Nested, Nested],
    exclude_self: bool,
    depth: int,
    size: int,
) -> None:
    qrels, run, by_topic = drawn
    by_type = {"web": 1.5, "news": 0.1}
    by_doc = {"a": 1.0, "é": 2.0, "q": 3.0}
    named = pl.DataFrame({"doc": list(by_doc), "cost": list(by_doc.values())})
    gold = GoldStandard.from_qrels(read_qrels(qrels))
    path = tmp_path_factory.getbasetemp() / "costs"
    ways: dict[DocCosts, Callable[[str, str], float | None]] = {
        read_costs(by_topic): lambda t, d: by_topic.get(t, {}).get(d),
        read_costs(named): lambda t, d: by_doc.get(d),
        read_costs(by_type): lambda t, d: by_type.get(kind_of(t, d)),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.iter_pieces, "__defaults__", (size,))
        sources = [run, as_frame(run), as_frame(run, shuffled=True)]
        for shuffled in (False, True):
            path = path.with_suffix(f".{shuffled}")
            path.write_text(as_text(run, shuffled), encoding="utf-8")
            sources.append(path)
        for known, cost in ways.items():
            expected = naive(gold.judgments.topics, run, cost, exclude_self)
            cut = naive(gold.judgments.topics, run, cost, exclude_self, depth)
            for source in sources[1:] if known.by_type else sources:
                read = read_run(source, types=known.by_type)
                found = rankings_of(gold, read, known, exclude_self=exclude_self, threads=1)
                assert nans(found.document_values["cost"].tolist()) == expected
                shorter = found.truncate(depth)
                assert nans(shorter.document_values["cost"].tolist()) == cut


def large() -> tuple[Nested, Nested, Nested]:
    rng = np.random.default_rng(5)
    docs = [f"d{i}" for i in range(60)]
    topics = [f"t{i}" for i in range(400)]  # more than mappings label at once
    qrels = {t: dict.fromkeys(rng.choice(docs, 5).tolist(), 1.0) for t in topics}
    run = {
        t: dict(zip(rng.choice(docs, n, replace=False).tolist(), rng.normal(size=n), strict=True))
        for t, n in zip(topics[::-1], rng.integers(1, 30, 400).tolist(), strict=True)
        if n % 7
    }
    run = {t: {d: round(float(s), 1) for d, s in docs.items()} for t, docs in run.items()}
    costs = {t: {d: float(rng.integers(1, 99)) for d in docs[::2]} for t in topics[50:]}
    return qrels, run, costs


@pytest.mark.slow
@pytest.mark.parametrize("size", [50, 4000])
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_any_partition_gives_same_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, threads: int
) -> None:
    qrels, run, by_topic = large()
    gold = GoldStandard.from_qrels(read_qrels(qrels))
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
    path = written(tmp_path / "run", lambda p: p.write_text(as_text(run)))
    topics = gold.judgments.topics
    known = read_costs(by_topic)
    expected = naive(topics, run, lambda t, d: by_topic.get(t, {}).get(d))
    assert {None, 5.0} < set(expected)
    for source in (run, path):
        found = rankings_of(gold, read_run(source), known, threads=threads)
        assert nans(found.document_values["cost"].tolist()) == expected
    by_type = {"web": 1.0, "news": 2.0, "Q0": 4.0}
    expected = naive(topics, run, lambda t, d: by_type.get(kind_of(t, d)))
    assert set(expected) == {None, 1.0, 2.0, 4.0}
    found = rankings_of(gold, read_run(path, types=True), read_costs(by_type), threads=threads)
    assert nans(found.document_values["cost"].tolist()) == expected


def test_evaluate_lengths_and_costs_combine() -> None:
    run = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 1.0}}
    gold = GoldStandard.from_qrels(read_qrels({"q2": {"a": 1}, "q1": {"a": 1}}))
    noted = (
        read_lengths({"words": {"a": 10, "b": 20}}),
        read_costs({"q1": {"a": 3}, "q2": {"a": 4}}),
    )
    for source in (run, as_frame(run)):
        found = rankings_of(gold, read_run(source), *noted).document_values
        lists = {unit: nans(values.tolist()) for unit, values in found.items()}
        assert lists == {"words": [10, 20, 10], "cost": [4, None, 3]}


def test_evaluate_excluded_only_document_has_no_cost() -> None:
    run = {"q1": {"q1": 1.0}}
    gold = GoldStandard.from_qrels(read_qrels({"q1": {"a": 1}}))
    for source in (run, as_frame(run)):
        found = rankings_of(gold, read_run(source), read_costs({"q1": {"a": 1}}), exclude_self=True)
        assert (found.returned.tolist(), found.document_values["cost"].tolist()) == ([0], [])


def test_evaluate_no_common_topic_raises() -> None:
    run = {"other": {"a": 1.0}}
    gold = GoldStandard.from_qrels(read_qrels({"q1": {"a": 1}}))
    for source in (run, as_frame(run)):
        found = rankings_of(gold, read_run(source), read_costs({"other": {"a": 1}}))
        assert (found.returned.tolist(), found.document_values["cost"].tolist()) == ([-1], [])


def test_evaluate_tied_documents_keep_their_costs() -> None:
    """By name the order is c, b, a; the best has the relevant a first."""
    costs = read_costs({"q": {"a": 1, "b": 2, "c": 3, "top": 9}})
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "top": 2.0}}
    gold = GoldStandard.from_qrels(read_qrels({"q": {"a": 1}}))
    for source in (run, as_frame(run)):
        found = rankings_of(gold, read_run(source), costs)
        assert found.document_values["cost"].tolist() == [9, 3, 2, 1]
        assert Reordering(found).best().document_values["cost"].tolist() == [9, 1, 3, 2]


def test_rows_hash_collision_compares_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash proves nothing: here two are left, for types as for documents."""
    hashes = Strings.compute_hashes
    monkeypatch.setattr(Strings, "compute_hashes", lambda self: hashes(self) % np.uint64(2))
    docs = [f"d{i}" for i in range(30)]
    by_topic = {t: {d: float(i + 1) for i, d in enumerate(docs[k:])} for k, t in enumerate("pqr")}
    rows = [(t, d) for t in ("r", "unknown", "p") for d in (*docs, "another")]
    topics, names = (Strings.from_list(column) for column in zip(*rows, strict=True))
    found = read_costs(by_topic).rows(Table.from_columns(names, np.zeros(len(rows)), topics))
    flat = [(t, d) for t, known in by_topic.items() for d in known]
    expected = [flat.index(pair) if pair in flat else -1 for pair in rows]
    assert found.tolist() == expected


def test_evaluate_costs_by_type_without_types_raises(tmp_path: Path) -> None:
    path = written(tmp_path / "run", lambda p: p.write_text(trec_text()))
    costs = written(tmp_path / "costs", lambda p: p.write_text("web 2\n"))
    for run in (
        {"q1": {"a": 1.0}},
        typed_frame().drop("type"),
        read_run(path),  # and nobody asked for them
    ):
        with pytest.raises(cf.CranfieldError) as caught:
            labelled(read_run(run, types=True), read_costs(costs))
        assert str(caught.value) == (
            f"{costs}: costs are by element type, but the run has no types. Use a run "
            "with types (column 2 of TREC text), or costs by topic and document."
        )
    assert nans(labelled(read_run(path, types=True), read_costs(costs))) == [2, None, 2]
