"""Scores of topics that were computed elsewhere: every layout that `read_scores` claims to read."""

from __future__ import annotations

import gzip
import json
import math
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.evaluation.results import read_scores
from cranfield.report import formats
from cranfield.report.results import prepare_output
from cranfield.scores import Scores
from cranfield.stats.samples import pair_scores, to_matrix
from tests.made import Command, examples, scored

# As trec_eval -q prints it: measures padded with blanks, tabs, relevance as a string, the name of
# the run and what there is of all topics only at the end.
TREC_EVAL = """\
num_ret               \t301\t100
map                   \t301\t0.3100
relstring             \t301\t'1301100000'
num_ret               \t302\t80
map                   \t302\t0.3311
relstring             \t302\t'0000000000'
runid                 \tall\tbm25
num_q                 \tall\t2
num_ret               \tall\t180
map                   \tall\t0.3206
gm_map                \tall\t0.3204
"""
NDEVAL = """\
runid,topic,ERR-IA@5,alpha-nDCG@20
bm25,1,0.971256,0.955810
bm25,2,0.847201,0.911396
bm25,amean,0.909229,0.933603
"""
GDEVAL = """\
runid,topic,ndcg@20,err@20
bm25,301,0.42309,0.28200
bm25,302,0.41522,0.32758
bm25,amean,0.41916,0.30479
"""
IR_MEASURES = """\
301\tAP\t0.3100
301\tnDCG@10\t0.4578
302\tAP\t0.3311
302\tnDCG@10\t0.4569
all\tAP\t0.3206
all\tnDCG@10\t0.4574
"""
NEV = """\
0001 # syslen=3 jrel=2 jnonrel=1
0001 # r1=1 rp=3
0001 RR=                  1.0000
0001 AP=                  0.8333
0002 # syslen=2 jrel=1 jnonrel=0
0002 RR=                  0.5000
0002 AP=                  0.5000
"""
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 1}, "q3": {"e": 0}}
RUNS = {
    "bm25": {"q1": ["a", "b"], "q2": ["x", "c"], "q3": ["e"]},
    "dense": {"q1": ["b", "a"], "q2": ["c", "d"], "q3": ["y"]},
}


def written(text: str, name: str = "scores.txt") -> str:
    """A file in the current directory."""
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


def values(scores: Scores) -> dict[str, dict[str, dict[str, float]]]:
    return scores.to_dict()


# The layouts of other tools


def test_trec_eval(here: Path) -> None:
    scores = read_scores(written(TREC_EVAL))
    assert values(scores) == {"bm25": {"301": {"num_ret": 100, "map": 0.31}, "302": {"num_ret": 80, "map": 0.3311}}}
    assert scores.summaries == ("sum", "mean")
    assert scores.better == ("neither", "higher")


def test_trec_eval_without_topics(here: Path) -> None:
    summary = "".join(x for x in TREC_EVAL.splitlines(True) if "\tall\t" in x)
    files = [written(TREC_EVAL, "x.txt"), written(summary, "y.txt")]
    with pytest.raises(CranfieldError) as error:
        read_scores(files)
    assert str(error.value) == ("y.txt: no scores per topic, only summaries. Run trec_eval with -q.")


def test_several_outputs_in_one_file(here: Path) -> None:
    """The name follows the results of a run; if it came first, it would be of those below."""
    both = read_scores(written(TREC_EVAL + TREC_EVAL.replace("bm25", "dense")))
    assert both.runs == ("bm25", "dense")
    first = "runid all a\nmap q1 0.5\nrunid all b\nmap q1 0.25\n"
    assert read_scores(written(first)).mean() == {"a": {"map": 0.5}, "b": {"map": 0.25}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NDEVAL, {"1": {"ERR-IA@5": 0.971256, "alpha-nDCG@20": 0.95581},
                  "2": {"ERR-IA@5": 0.847201, "alpha-nDCG@20": 0.911396}}),
        (GDEVAL, {"301": {"ndcg@20": 0.42309, "err@20": 0.282},
                  "302": {"ndcg@20": 0.41522, "err@20": 0.32758}}),
    ],
)  # fmt: skip
def test_ndeval_and_gdeval(here: Path, text: str, expected: Any) -> None:
    assert values(read_scores(written(text))) == {"bm25": expected}


def test_ir_measures(here: Path) -> None:
    scores = read_scores(written(IR_MEASURES, "dense.txt"))
    assert values(scores) == {
        "dense.txt": {
            "301": {"AP": 0.31, "nDCG@10": 0.4578},
            "302": {"AP": 0.3311, "nDCG@10": 0.4569},
        }
    }


def test_ntcireval(here: Path) -> None:
    scores = read_scores(written(NEV, "bm25.nev"))
    assert values(scores) == {"bm25.nev": {"0001": {"RR": 1.0, "AP": 0.8333}, "0002": {"RR": 0.5, "AP": 0.5}}}


@pytest.mark.parametrize(
    ("text", "topics", "measures"),
    [
        ("301 AP 0.5\n302 AP 0.25\n", ("301", "302"), ("AP",)),  # numbers are topics
        ("AP 301 0.5\nAP 302 0.25\n", ("301", "302"), ("AP",)),
        ("301 AP 0.5\n301 P@5 0.25\n", ("301",), ("AP", "P@5")),
        ("AP q1 0.5\nnDCG@10 q1 0.6\n", ("q1",), ("AP", "nDCG@10")),  # names that are known
        ("q1 AP 0.5\nq1 nDCG@10 0.6\n", ("q1",), ("AP", "nDCG@10")),
        ("q1 mine 0.5\nq2 mine 0.6\n", ("q1", "q2"), ("mine",)),  # one measure, whatever it is
        ("mine q1 0.5\nmine q2 0.6\n", ("q1", "q2"), ("mine",)),
        ("mine q1 0.5\nother q1 0.6\nmine all 0.5\nother all 0.6\n", ("q1",), ("mine", "other")),
        ("q1 mine 0.5\nq1 other 0.6\nall mine 0.5\nall other 0.6\n", ("q1",), ("mine", "other")),
        ("topic\tmeasure\tvalue\nq1\tAP\t0.5\nall\tAP\t0.5\n", ("q1",), ("AP",)),  # a table
        ("metric,query_id,score\nAP,q1,0.5\nAP,q2,0.25\n", ("q1", "q2"), ("AP",)),
    ],
)
def test_which_column_is_the_topic(here: Path, text: str, topics: tuple[str, ...], measures: tuple[str, ...]) -> None:
    scores = read_scores(written(text))
    assert (scores.topics, scores.measures) == (topics, measures)
    assert scores.runs == ("scores.txt",)  # the path


def test_a_long_file_has_its_summary_out_of_sight(here: Path) -> None:
    """The first bytes of a file tell which column is the topic."""
    rows = [f"query-{i}\tAP\t0.5\n" for i in range(2000)]
    scores = read_scores(written("".join([*rows, "all\tAP\t0.5\n"])))
    assert scores.measures == ("AP",)
    assert len(scores.topics) == 2000


def test_four_columns_name_the_run(here: Path) -> None:
    scores = read_scores(written("bm25 q1 AP 0.5\ndense q1 AP 0.25\n"))
    assert scores.mean() == {"bm25": {"AP": 0.5}, "dense": {"AP": 0.25}}


# Our own


@pytest.fixture
def ours() -> Scores:
    return cf.evaluate(QRELS, RUNS, "AP P@5 NumRet E")


def alike(read: Scores, scores: Scores) -> bool:
    """All but the notices, which tables do not hold."""
    names = ("runs", "topics", "measures", "summaries", "better")
    same = all(getattr(read, name) == getattr(scores, name) for name in names)
    return same and np.array_equal(read.values, scores.values, equal_nan=True)


def render(scores: Scores, format: str, per_topic: bool) -> bytes:
    return formats.render(prepare_output(scores, format, {"per_topic": per_topic}), format)


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "jsonl", "parquet"])
def test_what_evaluate_writes(here: Path, ours: Scores, format: str) -> None:
    data = render(ours, format, per_topic=True)
    file = Path(f"x.{format}")
    file.write_bytes(data)
    assert alike(read_scores(file), ours)
    anonymous = file.rename("x.out")  # told by content
    assert alike(read_scores(anonymous), ours)


@pytest.mark.parametrize("name", ["x.json", "x.parquet"])
def test_what_save_writes(here: Path, ours: Scores, name: str) -> None:
    ours.save(name)
    assert read_scores(name) == ours
    assert read_scores(name, measures="P@5").measures == ("P@5",)
    assert alike(read_scores([name]), ours)


def test_undefined_scores_come_back(here: Path) -> None:
    """q3 has nothing relevant; left out of the file, it is undefined for all runs, not missing."""
    skipped = cf.evaluate(QRELS, RUNS, "AP NumRet", undefined="skip")
    read = read_scores(written(render_text(skipped), "x.tsv"))
    assert alike(read, skipped)
    assert math.isnan(read["bm25", "q3", "AP"])
    assert read.summary() == skipped.summary()


def render_text(scores: Scores) -> str:
    return render(scores, "tsv", per_topic=True).decode()


def test_standard_errors_are_no_measures(here: Path) -> None:
    tied = {"bm25": {"q1": {"a": 1.0, "b": 1.0}, "q2": {"c": 1.0}}}
    scores = cf.evaluate(QRELS, tied, "nERR", ties="expected")
    read = read_scores(written(render_text(scores), "x.tsv"))
    assert read.measures == ("nERR", "nERR.se")
    assert (read.summaries, read.better) == (scores.summaries, scores.better)


@settings(max_examples=examples(30))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_full_precision(numbers: list[float]) -> None:
    given = {"bm25": {f"q{i}": x for i, x in enumerate(numbers)}}
    assert read_scores(given).values.ravel().tolist() == numbers
    frame = read_scores(given).to_polars()
    assert read_scores(frame) == read_scores(given)


# Tables, frames, mappings


def test_a_column_for_each_measure(here: Path) -> None:
    scores = read_scores(written("run,qid,AP,P@5\na,q1,0.5,0.2\nb,q1,0.25,nan\n"))
    assert scores["a", "q1", "P@5"] == 0.2
    assert math.isnan(scores["b", "q1", "P@5"])
    assert scores.undefined == "skip"


BLANKS = "run,qid,AP\na,q1,0.5\na,q2,0.4\na,q3,\nb,q1,0.25\nb,q2,\nb,q3,\n"


def test_a_blank_cell_is_missing(here: Path) -> None:
    """That of q2, which a has; q3 has none for any run, and is undefined."""
    file = written(BLANKS)
    with pytest.raises(CranfieldError, match=r"no AP of 1 topic \(q2\) for run b"):
        read_scores(file)
    assert read_scores(file, "zero")["b", "q2", "AP"] == 0.0
    common = read_scores(file, "common")
    assert common.topics == ("q1", "q3")
    assert math.isnan(common["a", "q3", "AP"])
    with pytest.raises(CranfieldError, match=r"no AP of 1 topic \(q2\) for run b"):
        read_scores(pl.read_csv(file).to_pandas())


def test_read_scores_text_column_is_an_attribute(here: Path) -> None:
    file = written("id,title,mrr\nq1,hello world,0.5\n")
    assert values(read_scores(file, measures="mrr")) == {"scores.txt": {"q1": {"mrr": 0.5}}}
    assert values(read_scores(file)) == {"scores.txt": {"q1": {"mrr": 0.5}}}
    with pytest.raises(CranfieldError, match="found 'hello world' for title of topic q1, expected a number"):
        read_scores(file, measures="title")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "qid,a,b\nq1,0.5,1\nq2,N/A,0\n",
            "found 'N/A' for a of topic q2, expected a number (use -m to select columns)",
        ),
        ("qid,AP,b\nq1,x,1\n", "found 'x' for AP of topic q1, expected a number (use -m to select columns)"),
        ("qid,a,b\nq1,x,y\n", "found 'x' for a of topic q1, expected a number (use -m to select columns)"),
    ],
    ids=["mixed column", "known measure", "no numbers"],
)
def test_read_scores_text_in_a_measure_raises(here: Path, text: str, message: str) -> None:
    with pytest.raises(CranfieldError) as error:
        read_scores(written(text, "x.csv"))
    assert str(error.value).partition(": ")[2] == message


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl"])
def test_read_scores_row_numbers_lists_and_texts_are_no_measures(here: Path, name: str) -> None:
    rows = [
        {"Unnamed: 0": i, "id": 7 + i, "qid": f"q{i}", "docs": ["a", "b"], "passed": True, "text": "x", "m": i / 2}
        for i in (0, 1)
    ]
    if name == "x.csv":
        pd.DataFrame(rows).to_csv(name)  # with an unnamed index
    else:
        written(json.dumps(rows) if name == "x.json" else "\n".join(map(json.dumps, rows)), name)
    assert values(read_scores(name)) == {name: {"q0": {"m": 0.0}, "q1": {"m": 0.5}}}
    assert values(read_scores({"a": rows})) == {"a": {"q0": {"m": 0.0}, "q1": {"m": 0.5}}}


@pytest.mark.parametrize("order", ["run topic measure", "run measure topic", "topic run measure"])
@pytest.mark.parametrize("topics", [("101", "102"), ("q1", "all")])
def test_read_scores_four_fields_topics_are_numbers_or_all(here: Path, order: str, topics: tuple[str, str]) -> None:
    """ir_measures, tot and rag4reports of autojudge."""
    rows = product(("a", "b"), topics, ("AP", "custom"))
    lines = [{"run": run, "topic": topic, "measure": measure} for run, topic, measure in rows]
    scores = read_scores(written("".join(" ".join(x[name] for name in order.split()) + " 0.5\n" for x in lines)))
    assert (scores.runs, scores.topics) == (("a", "b"), tuple(t for t in topics if t != "all"))
    assert scores.measures == ("AP", "custom")
    assert [note.kind for note in scores.notes] == ["guessed"]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("a AP q1 0.5\nb AP q1 1\n", ("a", "b")),
        ("a 1 x 0.5\nb 1 x 1\n", ("a", "b")),
        ("1 a x 0.5\n1 b x 1\n", ("a", "b")),
    ],
    ids=["measure second", "number second", "number first"],
)
def test_read_scores_four_fields_one_clue_decides(here: Path, text: str, runs: tuple[str, ...]) -> None:
    assert read_scores(written(text)).runs == runs


def test_read_scores_four_fields_known_measure_third_is_noted(here: Path) -> None:
    scores = read_scores(written("a q1 AP 0.5\n"))
    assert scores.to_dict() == {"a": {"q1": {"AP": 0.5}}}
    assert [note.text for note in scores.notes] == ["scores.txt: fields read as run topic measure value"]


def test_read_scores_four_fields_without_clue_raises(here: Path) -> None:
    with pytest.raises(CranfieldError) as error:
        read_scores(written("a q1 x 0.5\n"))
    assert str(error.value) == (
        "scores.txt: the order of four fields is ambiguous. Add a header with tabs between the names. "
        "Possible orders: 'run topic measure value', 'run measure topic value', 'topic run measure value'."
    )
    assert read_scores(written("run\ttopic\tmeasure\tvalue\na\tq1\tx\t0.5\n")).runs == ("a",)
    assert read_scores("scores.txt", measures="x").runs == ("a",)


def test_read_scores_measures_named_like_row_numbers_in_long_tables_are_kept(here: Path) -> None:
    file = written("run,qid,measure,value\na,q1,index,0.5\na,q1,level_1,1\n")
    assert values(read_scores(file)) == {"a": {"q1": {"index": 0.5, "level_1": 1.0}}}


def test_id_is_a_topic_if_no_other_column_is(here: Path) -> None:
    assert read_scores(written("id,AP\nq1,0.5\n")).topics == ("q1",)
    both = read_scores(written("id,topic,AP\n7,q1,0.5\n"), measures="AP")
    assert both.topics == ("q1",)


def test_columns_by_other_names(here: Path) -> None:
    long = read_scores(written("system,query,metric,score\na,q1,AP,0.5\nb,q1,AP,0.25\n"))
    wide = read_scores(written("system,query,AP\na,q1,0.5\nb,q1,0.25\n"))
    assert long == wide
    assert long.mean() == {"a": {"AP": 0.5}, "b": {"AP": 0.25}}


@pytest.mark.parametrize("wide", [False, True])
def test_frames(ours: Scores, wide: bool) -> None:
    assert alike(read_scores(ours.to_polars(wide)), ours)
    assert alike(read_scores(ours.to_pandas(wide)), ours)
    by_run = [ours.to_polars(wide).filter(pl.col("run") == run) for run in ours.runs]
    assert alike(read_scores(by_run), ours)


def test_mappings() -> None:
    one = read_scores({"a": {"q1": 0.5, "q2": 0.25}, "b": {"q1": 0.75, "q2": 0.5}})
    assert one.mean() == {"a": {"score": 0.375}, "b": {"score": 0.625}}
    several = read_scores({"a": {"q1": {"AP": 0.5, "RR": 1}}, "b": {"q1": {"AP": 0.25, "RR": 0}}})
    assert several.measures == ("AP", "RR")
    assert read_scores([("map", "301", 0.5), ("map", "all", 0.5)]).topics == ("301",)


def test_measures_may_be_above_topics(here: Path) -> None:
    """As ranx has them: what is a measure's name tells."""
    usual = {"a": {"q1": {"map": 0.5, "mine": 3}}, "b": {"q1": {"map": 0.25, "mine": 2}}}
    ranx = {
        "a": {"map": {"q1": 0.5}, "mine": {"q1": 3}},
        "b": {"map": {"q1": 0.25}, "mine": {"q1": 2}},
    }
    assert read_scores(ranx) == read_scores(usual)
    assert read_scores(written(json.dumps(ranx), "x.json")) == read_scores(usual)
    with pytest.raises(CranfieldError, match=r"x\.json: found int for run b"):
        read_scores(written(json.dumps(ranx | {"b": 5}), "x.json"))


def test_records(here: Path) -> None:
    rows = [{"id": "q1", "system": "a", "AP": 0.5}, {"id": "q1", "system": "b", "AP": 0.25}]
    assert read_scores(rows).mean() == {"a": {"AP": 0.5}, "b": {"AP": 0.25}}
    assert read_scores(written(json.dumps(rows), "x.json")) == read_scores(rows)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"a": [0.1, 0.2], "b": [0.3, 0.4]}, "list of numbers for run a"),
        ({"a": np.array([0.1, 0.2])}, "ndarray of numbers for run a"),
        ([0.1, 0.2], "list of numbers"),
        ([[0.1, 0.2], [0.3, 0.4]], "list of numbers"),
    ],
)
def test_numbers_without_topics(data: Any, found: str) -> None:
    with pytest.raises(CranfieldError) as error:
        read_scores(data)
    assert str(error.value) == (f"found {found}, expected {{topic: score}}, because runs are paired by topic")


def test_judgments_are_no_scores(here: Path) -> None:
    hint = r"to compute scores from judgments and runs, use evaluate\(qrels, runs\)"
    lines = "".join(f"{topic} 0 {doc} 1\n" for topic in QRELS for doc in QRELS[topic])
    for judgments in (QRELS, written(lines), object()):
        with pytest.raises(CranfieldError, match=hint):
            read_scores(judgments)


SIMULATED = cf.simulate(topics=4, runs=2, depth=8).runs
SMALL_RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 3.0, "a": 2.0, "c": 1.0}}


def as_rows(runs: Any) -> list[tuple[str, str, str, float]]:
    lists = [(run, topic, docs) for run, topics in runs.items() for topic, docs in topics.items()]
    return [(run, topic, doc, x) for run, topic, docs in lists for doc, x in docs.items()]


@pytest.mark.parametrize(
    "runs",
    [
        SIMULATED,
        {run: {t: dict([*docs.items()][::-1]) for t, docs in x.items()}
         for run, x in SIMULATED.items()},
        {"a": {"1": {"d1": 1.0}, "2": {"d2": 1.0}}, "b": {"1": {"d1": 2.0}, "2": {"d2": 1.0}}},
        {"a": {"1": {"d1": 1.0}, "2": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d1": 2.0}}},
        {"a": SMALL_RUN, "b": SMALL_RUN},  # every topic has the same documents, in another order
        as_rows(SIMULATED),
        {run: [row[1:] for row in as_rows({run: x})] for run, x in SIMULATED.items()},
        {run: pd.DataFrame(as_rows({run: x}), columns=["run", "qid", "docno", "score"])
         for run, x in SIMULATED.items()},
        pl.DataFrame(as_rows(SIMULATED), ["run", "topic", "doc", "score"], orient="row"),
        {run: {t: [*docs] for t, docs in x.items()} for run, x in SIMULATED.items()},
        {run: cf.read_run(x) for run, x in SIMULATED.items()},
        [cf.read_run(x) for x in SIMULATED.values()],
    ],
)  # fmt: skip
def test_compare_runs_raises(runs: Any) -> None:
    with pytest.raises(cf.InputError, match=r"Evaluate runs first: cf.compare\(cf.evaluate\(qrels"):
        cf.compare(runs, missing="zero")
    with pytest.raises(cf.InputError, match="Evaluate runs first"):
        cf.meta.swap(runs)


def test_read_scores_json_run_raises(here: Path) -> None:
    with pytest.raises(cf.InputError, match=r"x.json: 'x001', .* this is a run. Evaluate runs"):
        read_scores(written(json.dumps({"a": {"1": {"x001": 2}, "2": {"x002": 1}}}), "x.json"))
    with pytest.raises(cf.InputError, match=r"x.csv:2: column 'docno' holds documents: this is a"):
        read_scores(written("topic,docno,score\n1,7,2\n2,8,1\n", "x.csv"))


@pytest.mark.parametrize(
    ("of_topics", "measures"),
    [
        ([{"latency": 3.0}, {"latency": 2.0}], None),
        ([{"mine": 0.5, "yours": 0.1}, {"mine": 0.1, "yours": 0.5}], None),
        ([{"mine": 0.5, "yours": 0.1}, {"yours": 0.1, "mine": 0.5}], None),  # in another order
        ([{"c": 3.0, "b": 2.0, "a": 1.0}, {"c": 6.0, "b": 5.0, "a": 4.0}], None),
        ([{"AP": 0.5, "mine": 0.1}, {"AP": 0.4}], None),  # undefined for a topic
        ([{"mine": 0.5, "yours": 0.1}, {"mine": 0.4}], "mine yours"),
    ],
)
def test_read_scores_custom_measures_are_accepted(of_topics: list[dict[str, float]], measures: str | None) -> None:
    of_run = {str(t): scores for t, scores in enumerate(of_topics)}
    scores = read_scores({"a": of_run, "b": of_run}, measures=measures)
    assert scores.measures == tuple(of_topics[0])


def test_scores_stand_for_themselves(ours: Scores) -> None:
    assert read_scores(ours) is ours
    assert read_scores(ours, measures="E AP").measures == ("E", "AP")
    other = Scores(ours.values, ("x", "y"), ours.topics, ours.measures, ours.summaries)
    assert read_scores([ours, other]).runs == ("bm25", "dense", "x", "y")


# What tests take: pandas pairs by its index, and so do we


def test_series_are_paired_by_their_index() -> None:
    x = pd.Series([0.5, 0.25, 1.0], index=["q1", "q2", "q3"])
    first, second = pair_scores(x, x[::-1] * 2)
    assert second.tolist() == [1.0, 0.5, 2.0] == (2 * first).tolist()
    assert pair_scores(x, {"q3": 3, "q2": 2, "q1": 1})[1].tolist() == [1, 2, 3]
    with pytest.raises(CranfieldError, match=r"2 topics \(q1, q3\) of one system only"):
        pair_scores(x[["q1", "q2"]], x[["q2", "q3"]])
    with pytest.raises(CranfieldError, match="index has duplicate topics"):
        pair_scores(x, pd.Series([1, 2], index=["q1", "q1"]))
    with pytest.raises(CranfieldError, match="4 topics"):  # of four, two and two others
        pair_scores(pd.Series([1, 2, 3, 4])[::2], pd.Series([1, 2, 3, 4])[1::2])


def test_series_without_names_are_in_order() -> None:
    x = pd.Series([0.5, 0.25])
    assert pair_scores(x, [1, 2])[0].tolist() == [0.5, 0.25]
    assert to_matrix({"a": x, "b": [1, 2]}).topics == ("1", "2")


def test_frames_name_their_systems() -> None:
    a = pd.Series([0.5, 0.25], index=["q1", "q2"])
    found = to_matrix(pd.DataFrame({"a": a, "b": a[::-1] * 2}))
    assert (found.systems, found.topics) == (("a", "b"), ("q1", "q2"))
    assert found.values.tolist() == [[0.5, 1.0], [0.25, 0.5]]
    assert to_matrix({"a": a, "b": a[::-1] * 2}).values.tolist() == found.values.tolist()
    of_polars = to_matrix(pl.DataFrame({"a": [0.5, 0.25], "b": [1.0, 0.5]}))
    assert of_polars.systems == ("a", "b")
    assert of_polars.values.tolist() == found.values.tolist()


# The names of runs


def test_named_by_the_file_or_by_the_user(here: Path) -> None:
    Path("dense.eval.gz").write_bytes(gzip.compress(b"map\t301\t0.5\nmap\t302\t0.25\n"))
    assert read_scores("dense.eval.gz").runs == ("dense.eval.gz",)
    assert read_scores({"mine": "dense.eval.gz", "bm25": written(TREC_EVAL)}, "common",
                       "map").runs == ("mine", "bm25")  # fmt: skip


def test_two_files_with_one_name(here: Path) -> None:
    files = [written(TREC_EVAL, "a/x.txt"), written(TREC_EVAL, "b/y.txt")]
    assert read_scores(files).runs == ("a/x.txt", "b/y.txt")
    one, two = (written(f"a q1 AP 0.{i}\nb{i} q1 AP 0.5\n", f"{i}.txt") for i in (1, 2))
    assert {run: means["AP"] for run, means in read_scores([one, two]).mean().items()} == {
        "1.txt:a": 0.1, "2.txt:a": 0.2, "b1": 0.5, "b2": 0.5,
    }  # fmt: skip
    saved = read_scores({"bm25": {"301": {"map": 0.5}, "302": {"map": 0.25}}})
    Path("s.json").write_text(saved.to_json(), encoding="utf-8")
    assert read_scores(["s.json", files[0]], measures="map").runs == ("s.json", "a/x.txt")
    assert read_scores(dict(zip("xy", files, strict=True))).runs == ("x", "y")


def test_files_that_are_called_the_same(here: Path) -> None:
    """Runs are then called by their paths, but for those that have names."""
    files = [written(f"topic,AP\nq1,0.{i}\n", f"v{i}/scores.csv") for i in (1, 2)]
    third = written("run,topic,AP\nbm25,q1,0.3\n", "v3/scores.csv")
    read = read_scores([*files, third])
    assert read.mean() == {
        "v1/scores.csv": {"AP": 0.1},
        "v2/scores.csv": {"AP": 0.2},
        "bm25": {"AP": 0.3},
    }
    with pytest.raises(CranfieldError, match=r"duplicate file \./v1/scores\.csv"):
        read_scores([files[0], f"./{files[0]}"])


def test_a_file_may_be_one_run(here: Path, cranfield: Command) -> None:
    files = [written(TREC_EVAL, "a/x.txt"), written("b 301 map 0.5\nb 302 map 0.3\n", "y.txt")]
    assert read_scores(files, measures="map").runs == ("bm25", "b")
    assert read_scores(files, measures="map", run_names="file").runs == ("a/x.txt", "y.txt")
    shown = cranfield.succeeds(
        "compare", "--scores", *files, "-m", "map", "--run-names", "file", "--table", "runs",
        "-f", "csv",
    )  # fmt: skip
    assert {row.split(",")[1] for row in shown.out.splitlines()[1:]} == {"a/x.txt", "y.txt"}
    two = written("a q1 AP 0.5\nb q1 AP 0.25\n", "two.txt")
    with pytest.raises(CranfieldError, match=r"AP of topic q1 again for run two\.txt"):
        read_scores(two, run_names="file")
    Path("s.json").write_text(read_scores(two).to_json(), encoding="utf-8")
    with pytest.raises(CranfieldError, match=r"AP of topic q1 again for run s\.json"):
        read_scores("s.json", run_names="file")
    with pytest.raises(CranfieldError, match="run_names='name', expected one of tag, file"):
        read_scores(two, run_names="name")  # type: ignore[arg-type]


def test_measures_of_a_run_may_be_in_two_files(here: Path) -> None:
    files = [written("a q1 AP 0.5\n", "1.txt"), written("a q1 RR 1\n", "2.txt")]
    assert values(read_scores(files)) == {"a": {"q1": {"AP": 0.5, "RR": 1.0}}}


# Choosing measures


def test_measures_by_name_or_alias(here: Path) -> None:
    file = written(TREC_EVAL)
    assert read_scores(file, measures="AP").measures == ("map",)
    assert read_scores(file, measures=["map", "num_ret"]).measures == ("map", "num_ret")
    with pytest.raises(CranfieldError, match=r"no scores of RR. Measures: num"):
        read_scores(file, measures="RR")


def test_lower_may_be_better(here: Path) -> None:
    scores = read_scores(written("E q1 0.5\nAP q1 0.5\nmine q1 0.5\n"))
    assert scores.better == ("lower", "higher", "higher")
    assert [note.text for note in scores.notes] == [
        "1 measure (mine) unknown: higher is better. Override this with lower=."
    ]


def test_lower_is_better_if_the_user_says_so(here: Path, ours: Scores) -> None:
    file = written("mine q1 0.5\nnum_x q1 3\nAP q1 0.5\n")
    told = read_scores(file, lower="mine")
    assert (told.better, told.notes) == (("lower", "neither", "higher"), ())
    assert read_scores(file, measures="AP", lower=["mine"]).better == ("higher",)
    assert read_scores(ours, measures="P@5", lower="P_5").better == ("lower",)
    with pytest.raises(CranfieldError, match=r"no scores of yours. Measures: mine, num_x, AP"):
        read_scores(file, lower="yours")
    assert read_scores({"a": {"q1": 0.5}}).notes == ()  # a score without a name is one


# Missing topics


LACKING: dict[str, dict[str, float]] = {"a": {"q1": 0.5, "q2": 0.25}, "b": {"q1": 0.5}}


def test_missing_topics_are_an_error() -> None:
    with pytest.raises(CranfieldError) as error:
        read_scores(LACKING)
    assert str(error.value) == (
        "found no score of 1 topic (q2) for run b, expected the same topics of every run (or --missing common|zero)"
    )


def test_zeros_do_not_make_topics_common() -> None:
    data = {"a": {"q1": 0.5, "q2": 1.0}, "b": {"q2": 0.5}, "c": {"q3": 0.5}}
    with pytest.raises(CranfieldError, match="run c has no topic in common with another run"):
        read_scores(data, "zero")
    assert read_scores(data | {"c": {"q1": 0.25}}, "zero").topics == ("q1", "q2")


def test_missing_topics_left_out_or_zero() -> None:
    common = read_scores(LACKING, "common")
    assert common.topics == ("q1",)
    assert [note.text for note in common.notes] == ["1 topic (q2) excluded: missing in some runs"]
    zero = read_scores(LACKING, "zero")
    assert zero["b", "q2", "score"] == 0.0
    assert [note.text for note in zero.notes] == ["b: 1 topic (q2) missing, scored 0"]
    with pytest.raises(CranfieldError, match="have no topic in common"):
        read_scores({"a": {"q1": 1.0}, "b": {"q2": 1.0}}, "common")
    with pytest.raises(CranfieldError, match="one of error, common, zero"):
        read_scores(LACKING, "nothing")  # type: ignore[arg-type]


@pytest.mark.parametrize("missing", ["error", "common", "zero"])
def test_measures_that_not_every_run_has(missing: Any) -> None:
    """b was not scored by RR: that is no score of 0."""
    data = {"a": {"q1": {"AP": 0.5, "RR": 1.0}}, "b": {"q1": {"AP": 0.25}}}
    assert read_scores(data, missing, "AP").notes == ()
    read = read_scores(data, missing)
    assert read.measures == ("AP",)
    assert [note.text for note in read.notes] == ["1 measure (RR) excluded: missing in some runs"]
    with pytest.raises(CranfieldError) as error:
        read_scores(data, missing, "AP RR")
    assert str(error.value) == "found no RR for run b, expected it of every run"


# Mistakes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("map\t301\t0.5\nmap\t301\t0.6\n", "x.txt:2: found map of topic 301 again for run x"),
        ("map\t301\tabc\n", "x.txt:1: found 'abc' for map of topic 301, expected a number"),
        ("map\t301\tinf\n", "x.txt:1: found 'inf' for map of topic 301, expected a number"),
        ("topic,AP\nq1,x\n", "x.txt:2: found 'x' for AP of topic q1, expected a number"),
        ("topic,AP\nq1,0.5,1\n", "x.txt:2: found 3 fields"),
        ("map 301\n", "x.txt:1: found 2 fields"),
        ("", "x.txt: found no scores"),
        ("0001 AP= x\n", "x.txt:1: found '0001 AP= x'"),
        ("[1, 2]", "x.txt"),
        (json.dumps({"q1": {"AP": "x"}}), "x.txt: found 'x' for AP of topic q1"),
    ],
)
def test_mistakes_name_the_line(here: Path, text: str, said: str) -> None:
    with pytest.raises(CranfieldError) as error:
        read_scores(written(text, "x.txt"))
    assert str(error.value).startswith(said)


def test_not_scores_at_all(here: Path) -> None:
    with pytest.raises(CranfieldError, match=r"cannot read nothing\.txt"):
        read_scores("nothing.txt")
    with pytest.raises(CranfieldError, match="found int, expected scores"):
        read_scores(5)
    with pytest.raises(CranfieldError, match="no per-topic scores"):
        read_scores({})
    Path("x.txt").write_bytes(b"map\t301\t\xff\n")
    with pytest.raises(CranfieldError, match=r"x\.txt:1: found bytes that are not UTF-8"):
        read_scores("x.txt")
    Path("x.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(CranfieldError, match=r"x\.parquet"):
        read_scores("x.parquet")


def test_nan_is_undefined(here: Path) -> None:
    scores = read_scores(written("map\t301\tnan\nmap\t302\t0.5\nmap\t303\t-nan\n"))
    assert scores.undefined == "skip"
    assert scores.mean() == {"scores.txt": {"map": 0.5}}


NAMED = {"mean": 0.9, "amean": 0.2, "average": 0.4, "1": 0.7}  # topics


@pytest.mark.parametrize(
    "data",
    [
        {"a": NAMED, "b": NAMED},
        {"a": {"AP": NAMED}, "b": {"AP": NAMED}},
        [(run, topic, "AP", value) for run in "ab" for topic, value in NAMED.items()],
    ],
    ids=["values", "measures", "tuples"],
)
def test_read_scores_topics_named_as_means_in_memory_are_kept(data: Any) -> None:
    scores = read_scores(data)
    assert {*scores.topics} == {*NAMED}
    assert not scores.notes


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "jsonl", "parquet"])
def test_read_scores_own_file_with_topics_named_as_means_round_trips(
    here: Path, cranfield: Command, format: str
) -> None:
    levels = {topic: {"d1": 1, "d2": i % 2} for i, topic in enumerate(NAMED)}
    written("".join(f"{t} 0 {d} {x}\n" for t, of in levels.items() for d, x in of.items()), "q")
    written("".join(f"{t} Q0 d{i} 1 {9 - i} bm25\n" for i, t in enumerate(NAMED)), "r")
    cranfield("evaluate", "q", "r", "-m", "AP", "-q", "-f", format, "-o", "scores")
    kept = read_scores(Path("scores").rename(f"scores.{format}"))
    again = cf.evaluate("q", "r", "AP")
    assert kept.topics == again.topics
    assert kept.values.tolist() == again.values.tolist()
    assert not kept.notes


def test_read_scores_frame_with_a_topic_named_mean_keeps_it() -> None:
    frame = cf.evaluate({t: {"d": 1} for t in NAMED}, {t: ["d"] for t in NAMED}, "AP").to_polars()
    assert read_scores(frame).topics == tuple(NAMED)


@pytest.mark.parametrize("text", [NDEVAL, GDEVAL])
def test_read_scores_ndeval_reports_the_excluded_summary(here: Path, text: str) -> None:
    scores = read_scores(written(text))
    assert len(scores.topics) == 2
    assert [n.text for n in scores.notes] == ["scores.txt: summary row 'amean' excluded"]


def test_read_scores_all_in_memory_is_reported() -> None:
    scores = read_scores({"a": {"1": 0.5, "2": 0.25, "all": 0.375}})
    assert scores.topics == ("1", "2")
    assert [n.text for n in scores.notes] == ["a: summary row 'all' excluded"]


def test_read_scores_row_mean_with_mean_values_warns(here: Path) -> None:
    rows = "topic,AP\n1,0.5\n2,0.25\nmean,0.375\n"
    scores = read_scores(written(rows, "scores.csv"))
    assert scores.topics == ("1", "2", "mean")
    assert scores.notes[0].text == (
        "topic 'mean' has the mean values of the other topics and counts as a topic. "
        "If it is a summary, remove its rows."
    )


# On the command line


@pytest.fixture
def compare(cranfield: Command) -> Command:
    """Of scores."""
    return cranfield.of("compare", "--scores")


A = "qid,AP,mine\nq1,0.5,3\nq2,0.25,2\nq3,1,1\n"


def test_options_of_evaluation_with_scores(here: Path, compare: Command) -> None:
    files = [written(A, "a.csv"), written(A.replace("0.5", "0.75"), "b.csv")]
    for option in (["--rel", "2"], ["--topics", "common"], ["--condensed"], ["--preset", "x"],
                   ["--sep", ";"]):  # fmt: skip
        said = compare.refused(*files, *option)
        assert said == f"{option[0]} requires QRELS RUN…. --scores are already evaluated."
    assert "--rel" in compare.refused(*files, "--rel", "2", "--missing", "zero")
    compare.succeeds(*files, "-m", "AP", "--threads", "1", "--missing", "zero")


def test_the_direction_of_measures(here: Path, cranfield: Command, compare: Command) -> None:
    files = [written(A, "a.csv"), written(A.replace(",3", ",4"), "b.csv")]
    best = ("-m", "mine", "--table", "runs", "-f", "csv")
    guessed = compare.succeeds(*files, *best)
    assert "higher is better" in guessed.err
    assert guessed.out.splitlines()[1].startswith("mine,b.csv,")
    told = compare.succeeds(*files, *best, "--lower-is-better", "mine")
    assert "taken to be better" not in told.out + told.err
    assert told.out.splitlines()[1].startswith("mine,a.csv,")
    said = cranfield.refused("compare", "qrels", *files, "--lower-is-better", "mine")
    assert said == "--lower-is-better requires --scores"


def test_topics_that_were_left_out_are_told(here: Path, compare: Command) -> None:
    files = [written(A, "a.csv"), written(A.replace("q3,1,1\n", ""), "b.csv")]
    said = compare.told(*files, "--missing", "common", "-m", "AP")
    assert "1 topic (q3) excluded: missing in some runs" in said


class TestResults:
    def test_counts_and_bounds_have_no_better_end(self) -> None:
        given = {"num_pages": 3.0, "AP.lower": 0.1, "AP.upper": 0.3, "AP.se": 0.1, "mine": 0.2}
        found = read_scores({"a": {"1": given}})
        assert found.better == ("neither", "neither", "neither", "neither", "higher")
        assert found.summaries == ("sum", "mean", "mean", "se", "mean")

    def test_scores_beside_a_frame(self) -> None:
        frame = pl.DataFrame({"run": ["y"], "topic": ["q0"], "measure": ["AP"], "value": [0.5]})
        found = read_scores([scored([[0.25]], ("x",)), frame])
        assert found.mean() == {"x": {"AP": 0.25}, "y": {"AP": 0.5}}


# Scores of other tools


def test_topics_without_the_measures_asked_for_are_none() -> None:
    of_run = {"1": {"AP": 0.1}, "2": {"AP": 0.2}, "3": {"RR": 0.5}}
    assert cf.read_scores({"a": of_run, "b": of_run}, measures="AP").topics == ("1", "2")


def test_bounds_are_better_at_neither_end() -> None:
    of_run = {"1": {"RBP": 0.1, "RBP.upper": 0.3}, "2": {"RBP": 0.2, "RBP.upper": 0.4}}
    scores = cf.read_scores({"a": of_run, "b": of_run})
    assert dict(zip(scores.measures, scores.better, strict=True)) == {
        "RBP": "higher",
        "RBP.upper": "neither",
    }


def test_saved_scores_and_those_of_another_tool(tmp_path: Path) -> None:
    saved = cf.read_scores({"a": {"1": {"AP": 0.1}, "2": {"AP": 0.2}}})
    (tmp_path / "a.json").write_text(saved.to_json())
    (tmp_path / "b.eval").write_text("AP 1 0.3\nAP 2 0.4\n")
    both = cf.read_scores([tmp_path / "a.json", tmp_path / "b.eval"])
    assert both.runs == ("a", str(tmp_path / "b.eval"))
    assert both.values.ravel().tolist() == [0.1, 0.2, 0.3, 0.4]


def test_what_unknown_measures_may_mean_is_not_sought(tmp_path: Path) -> None:
    """In a file that has many: each took a millisecond, and nobody reads the answer."""
    path = tmp_path / "scores.txt"
    path.write_text("map 1 0.25\n" + "".join(f"mine{i} 1 0.5\n" for i in range(9)))
    with mock.patch("difflib.get_close_matches", side_effect=AssertionError):
        scores = read_scores(path, measures="AP", lower="mine0")
    assert scores.values.tolist() == [[[0.25]]]


@pytest.mark.parametrize(
    ("values", "noted"),
    [
        ((0.5, -1, 1.0), True),
        ((0.5, 0.0, 1.0), False),
        ((0.5, -1, -0.3), False),  # a scale that has negative values
        ((4.0, -1, 2.0), False),
        ((-1.0, -1.0, -1.0), False),
    ],
)
def test_read_scores_minus_one_among_shares_is_noted(values: tuple[float, ...], noted: bool) -> None:
    scores = read_scores({"a": {str(t): {"faith": x} for t, x in enumerate(values)}}, "error")
    texts = [note.text for note in scores.notes if note.kind == "failed"]
    expected = (
        "faith: 1 of 3 scores are −1, the others from 0 to 1. −1 is averaged. If the judge failed, remove these scores."
    )
    assert texts == [expected] * noted
