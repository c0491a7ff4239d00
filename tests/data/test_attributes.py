"""Attributes of topics."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.data.attributes import bind_attributes, bind_clusters, format_range, read_attributes, read_clusters
from cranfield.evaluation.attributes import attach_attributes

TABLE = """topic,category,lang,frequency,query
301,fact,en,3,organised crime
302,how,de,40,polio
303,fact,en,5,hubble telescope achievements
304,,en,100,a b
"""
TOPICS = ("301", "302", "303", "304")


def bind(by: Any, topics: Any = TOPICS, **more: Any) -> dict[str, dict[str, str]]:
    return {x.name: dict(x.values) for x in bind_attributes(read_attributes(by, **more), topics)}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("topics.csv").write_text(TABLE, encoding="utf-8")
    return "topics.csv"


def test_read_attributes_columns_select_and_cross(table: str) -> None:
    category = {"301": "fact", "303": "fact", "302": "how", "304": "(none)"}
    assert bind(f"{table}:category") == {"category": category}
    assert [*bind(f"{table}:category,lang")] == ["category", "lang"]
    assert bind(f"{table}:category*lang")["category*lang"] == {
        "301": "fact · en", "303": "fact · en", "302": "how · de", "304": "(none)",
    }  # fmt: skip
    assert [*bind(table)] == ["category", "lang", "frequency"]  # not the query


def test_read_attributes_ranges_are_quantiles_in_order(table: str) -> None:
    assert [*bind(f"{table}:frequency/2")["frequency/2"].items()] == [
        ("301", "3 to 5"), ("303", "3 to 5"), ("302", "40 to 100"), ("304", "40 to 100"),
    ]  # fmt: skip


def test_read_attributes_numbers_are_in_order_of_size(table: str) -> None:
    assert [*bind(f"{table}:frequency")["frequency"].values()] == ["3", "5", "40", "100"]


def test_read_attributes_every_format_gives_the_same(table: str) -> None:
    frame = pl.read_csv(table, schema_overrides={"topic": pl.String})
    frame.write_parquet("t.parquet")
    frame.write_ndjson("t.jsonl")
    frame.write_csv("t.tsv", separator="\t")
    Path("t.json").write_text(json.dumps(frame.to_dicts()), encoding="utf-8")
    nested = {row.pop("topic"): row for row in frame.to_dicts()}
    Path("nested.json").write_text(json.dumps(nested), encoding="utf-8")
    expected = bind(f"{table}:category,frequency/2")
    for path in ("t.parquet", "t.jsonl", "t.tsv", "t.json", "nested.json"):
        assert bind(f"{path}:category,frequency/2") == expected, path
    assert (
        bind(frame.select("topic", "category"))
        == bind(f"{table}:category")
        == bind({topic: {"category": row["category"]} for topic, row in nested.items()})
    )


def test_read_attributes_length_counts_words_of_queries(table: str) -> None:
    assert bind([f"{table}:lang", "length"])["length"]["303"] == "3"
    assert bind("length", queries=table)["length"] == {"301": "1 to 2", "302": "1 to 2", "304": "1 to 2", "303": "3"}


def test_bind_attributes_relevant_counts_documents() -> None:
    bound = bind_attributes(read_attributes("relevant/2"), TOPICS, {"301": 5, "302": 1, "303": 9, "304": 2})
    assert [*bound[0].values.values()] == ["1 to 2", "1 to 2", "5 to 9", "5 to 9"]


def test_read_attributes_score_file_with_rows_of_several_runs(table: str) -> None:
    rows = "".join(f"{run},{topic},{topic[-1]},.5\n" for run in "ab" for topic in TOPICS)
    Path("scores.csv").write_text(f"run,topic,group,AP\n{rows}", encoding="utf-8")
    assert bind("scores.csv:group")["group"]["302"] == "2"


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("topics.csv:categori", r"topics.csv: found no column 'categori', expected one of .*category, lang, frequency"),
        ("topic.csv", "found 'topic.csv', which is no file, expected FILE:COLUMN, or one of .*length, relevant"),
        ("topic.csv:category", "no such file"),
        ("topics.csv:lang/2", "topics.csv: found lang 'en' of topic 301, expected a number"),
        ("topics.csv:frequency/1", "expected COLUMN/K with K from 2 to 20"),
        ("topics.csv:frequency/x", "expected COLUMN/K with K from 2 to 20"),
        (["topics.csv:lang", "topics.csv:lang"], "'lang' is selected twice"),
        ("length", "the attribute length needs queries"),
        ("relevant", "the attribute relevant needs judgments"),
        (3, "expected FILE:COLUMN"),
        ("twice.csv:category", "twice.csv:3: topic '301' has two values of 'category': 'a' and 'b' .first on line 2."),
        ("text.txt:category", "text.txt:1: found '301 fact', expected a table with a header"),
        ("other.csv:category", "other.csv: found 1 topic .9., expected an evaluated topic: 4 topics"),
        (
            "many.csv:value",
            "found value with 21 values, expected at most 20 values .cut numbers into ranges first: value/3",
        ),
    ],
)
def test_read_attributes_errors_name_place_and_fix(by: Any, message: str, table: str) -> None:
    Path("twice.csv").write_text("topic,category,x\n301,a,1\n301,b,1\n", encoding="utf-8")
    Path("text.txt").write_text("301 fact\n", encoding="utf-8")
    Path("other.csv").write_text("topic,category\n9,a\n", encoding="utf-8")
    Path("many.csv").write_text("topic,value\n" + "".join(f"{t},{t}\n" for t in range(301, 322)), encoding="utf-8")
    topics = [*map(str, range(301, 322))] if "many" in str(by) else TOPICS
    with pytest.raises(cf.CranfieldError, match=message):
        bind(by, topics)


def test_read_attributes_column_without_conflict_of_repeated_topics(table: str) -> None:
    Path("twice.csv").write_text("topic,category,x\n301,a,1\n301,b,1\n", encoding="utf-8")
    assert bind("twice.csv:x", ["301"]) == {"x": {"301": "1"}}


def test_bind_attributes_reports_ignored_rows_once(table: str) -> None:
    bound = bind_attributes(read_attributes(f"{table}:category,lang"), ["301", "302"])
    texts = [text for attribute in bound for _, text, _ in attribute.messages]
    assert texts == ["topics.csv: 2 rows of topics that are not evaluated are ignored"]


def test_read_clusters_topic_without_cluster_raises(table: str) -> None:
    assert bind_clusters(read_clusters(f"{table}:lang"), ["302", "301"]).values == {"302": "de", "301": "en"}
    with pytest.raises(
        cf.CranfieldError, match=r"topics.csv: found 1 topic .304. without a cluster, expected a cluster"
    ):
        bind_clusters(read_clusters(f"{table}:category"), TOPICS)
    with pytest.raises(cf.CranfieldError, match="expected one column with clusters"):
        read_clusters(f"{table}:category,lang")


def test_read_clusters_mapping_errors_name_the_argument() -> None:
    with pytest.raises(cf.CranfieldError, match=r"^clusters: found 1 topic \(302\) without a cluster"):
        bind_clusters(read_clusters({"301": "a"}), ["301", "302"])
    with pytest.raises(cf.CranfieldError, match=r"^clusters: found no topics"):
        read_clusters({})
    bound = bind_clusters(read_clusters({"301": "a", "9": "b"}), ["301"])
    assert [text for _, text, _ in bound.messages] == ["clusters: 1 row of topics that are not evaluated is ignored"]
    with pytest.raises(cf.CranfieldError, match=r"^by: found no topics"):
        read_attributes({})


def test_format_range_shows_exact_ends() -> None:
    assert format_range(0.1234567, 2.0) == "0.1234567 to 2"


def test_evaluate_by_slices_equal_means_of_topics(table: str) -> None:
    qrels = {topic: {"a": 1, "b": int(topic) % 2} for topic in TOPICS}
    runs = {"x": {topic: {"a": 1.0, "b": 2.0} for topic in TOPICS}}
    scores = cf.evaluate(qrels, runs, "AP", by=[f"{table}:category", "relevant/2"])
    assert [(row.attribute, row.slice, row.topics) for row in scores.slices] == [
        ("category", "fact", 2), ("category", "how", 1), ("category", "(none)", 1),
        ("relevant/2", "1", 2), ("relevant/2", "2", 2),
    ]  # fmt: skip
    assert scores.slices[0].mean == scores.select(topics=["301", "303"]).mean()["x"]["AP"]
    assert scores.to_dict()["x"]["301"] == cf.evaluate(qrels, runs, "AP").to_dict()["x"]["301"]
    assert cf.Scores.from_json(scores.to_json()).attributes == scores.attributes
    assert [*scores.select(topics=["302"]).attributes["category"]] == ["302"]


def test_evaluate_by_five_topics_have_t_interval() -> None:
    x = {"1": 0.10, "2": 0.20, "3": 0.15, "4": 0.05, "5": 0.25}
    scores = attach_attributes(cf.read_scores({"a": x}), dict.fromkeys(x, "fact"))
    [row] = scores.slices
    assert (row.low, row.high) == pytest.approx((0.051838, 0.248162), abs=5e-7)  # section 1 of the design
