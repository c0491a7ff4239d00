"""Names of columns: which is taken where two could be meant, and that this is said."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.columns import ROLES, SPELLINGS, Kind, describe_doubts, name_columns

# A PyTerrier result, as its transformers return them, and topics and judgments of its datasets.
RESULT = {
    "qid": ["q1", "q1", "q2"],
    "docid": [12, 13, 12],
    "docno": ["d1", "d2", "d1"],
    "rank": [0, 1, 0],
    "score": [3.5, 2.5, 3.5],
    "query": ["chemical reactions", "chemical reactions", "q1"],
}
JUDGED = {"qid": ["q1", "q2"], "docno": ["d2", "d1"], "label": [1, 2], "query": ["a", "b"]}
TAKEN = "the topic is column qid, not query"
BOTH = f"{TAKEN}; the document is column docno, not docid"

WRITE: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "csv": lambda frame, path: frame.write_csv(path),
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "jsonl": lambda frame, path: frame.write_ndjson(path),
    "parquet": lambda frame, path: frame.write_parquet(path),
    "arrow": lambda frame, path: frame.write_ipc(path),
}


def said(scores: cf.Scores) -> list[str]:
    return [note.text for note in scores.notes if note.kind == "columns"]


class TestPyTerrier:
    """RR by hand: d2 is second in q1, d1 first in q2."""

    @pytest.mark.parametrize("made", [pl.DataFrame, pl.LazyFrame, pd.DataFrame])
    def test_frames(self, made: Callable[[Any], Any]) -> None:
        scores = cf.evaluate(made(JUDGED), made(RESULT), "RR")
        assert scores.summary() == {"run": {"RR": 0.75}}
        assert said(scores) == [f"qrels: {TAKEN}", f"run: {BOTH}"]

    @pytest.mark.parametrize("format", WRITE)
    @pytest.mark.parametrize("odd", [False, True], ids=["fast", "by record"])
    def test_files(self, format: str, odd: bool, tmp_path: Path, cranfield: Any) -> None:
        """By the fast path and, where a judgment is repeated, by the record reader."""
        judged = pl.DataFrame(JUDGED)
        judged = pl.concat([judged, judged[:1]]) if odd else judged
        qrels, run = tmp_path / f"q.{format}", tmp_path / f"r.{format}"
        WRITE[format](judged, qrels)
        WRITE[format](pl.DataFrame(RESULT), run)
        scores = cf.evaluate(qrels, run, "RR")
        assert list(scores.summary().values()) == [{"RR": 0.75}]
        assert said(scores) == [f"{qrels}: {TAKEN}", f"{run}: {BOTH}"]
        shown = cranfield("evaluate", qrels, run, "-m", "RR")
        assert f"note: {qrels}: {TAKEN}" in shown.err
        checked = cranfield("validate", qrels, run)
        assert f": warning: {TAKEN}\n" in checked.out
        assert f": warning: {BOTH}\n" in checked.out

    def test_many_runs_in_one_line(self) -> None:
        runs = {name: pl.DataFrame(RESULT) for name in "abc"}
        assert f"all 3 runs: {BOTH}" in repr(cf.evaluate(pl.DataFrame(JUDGED), runs, "RR"))

    def test_nothing_is_said_without_doubt(self, tmp_path: Path) -> None:
        plain = pl.DataFrame(RESULT).select(pl.col("query").alias("text"), "qid", "docno", "score")
        assert said(cf.evaluate(pl.DataFrame(JUDGED).drop("query"), plain, "RR")) == []
        path = tmp_path / "query.csv"
        path.write_text("query,docid,score\nq1,d2,1\n")  # one of each: there is no other
        assert said(cf.evaluate({"q1": {"d2": 1}}, path, "RR")) == []

    def test_a_table_without_rows_is_refused(self, tmp_path: Path, cranfield: Any) -> None:
        path = tmp_path / "empty.csv"
        path.write_text("qid,query,docno,score\n")
        assert "error: no results in file" in cranfield("validate", path, "--kind", "run").out


IDS = ("qid", "query_id", "query-id", "topic_id")


@pytest.mark.parametrize(
    ("preferred", "to", "of"),
    [(name, "query", "topic") for name in IDS] + [("docno", "docid", "doc")],
)
def test_ids_are_preferred(preferred: str, to: str, of: str) -> None:
    for names in itertools.permutations([preferred, to, "doc" if of == "topic" else "topic"]):
        assert name_columns(list(names), "run", "")[of] == preferred


NAMES = st.lists(
    st.sampled_from(sorted({name for spellings in SPELLINGS.values() for name in spellings})),
    unique=True,
)


@given(names=NAMES, kind=st.sampled_from(["qrels", "run"]), data=st.data())
def test_the_order_of_columns_does_not_matter(names: list[str], kind: Kind, data: Any) -> None:
    """The table decides; and every column that is passed over is named."""
    other = data.draw(st.permutations(names))
    try:
        found = name_columns(names, kind, "")
    except cf.InputError:
        with pytest.raises(cf.InputError):
            name_columns(other, kind, "")
        return
    assert found == name_columns(other, kind, "")
    doubt = describe_doubts(found, names, types=True)
    of = {name for ours in found for name in SPELLINGS[ours]}
    passed_over = {name for name in names if name in of and name not in found.values()}
    told = re.findall(r"not ([^;]*)", doubt)
    assert {name for few in told for name in few.split(" or ")} == passed_over
    assert set(found) <= set(ROLES[kind])


def test_files_page_lists_columns_in_order() -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text("utf-8")
    for ours in ("topic", "doc", "level", "score", "rank", "tag"):
        row = re.search(rf"^\| {ours}(?: \(.*\))? \| (.*) \|$", page, re.MULTILINE)
        assert row is not None
        assert tuple(re.findall(r"`(.+?)`", row[1])) == SPELLINGS[ours]


# -- columns by name ------------------------------------------------------------------------------

STARS = "visitor,movie,stars\nq1,d1,2\nq1,d2,0\nq2,d1,1\n"
OWN = "topic=visitor,doc=movie,level=stars"
LISTS = {"q1": ["d2", "d1"], "q2": ["d1"]}  # RR is the mean of 1/2 and 1


class TestNamed:
    @pytest.mark.parametrize("columns", [
        OWN, {"topic": "visitor", "doc": "movie", "level": "stars"}, "topic=1,doc=2,level=3",
        "qrels.topic=Visitor,doc=movie,qrels.level=stars,score=other",
    ])  # fmt: skip
    @pytest.mark.parametrize("sign", [",", ";", "\t"])
    def test_files(self, columns: Any, sign: str, tmp_path: Path) -> None:
        path = tmp_path / "qrels"
        path.write_text(STARS.replace(",", sign))
        assert cf.evaluate(path, LISTS, "RR", columns=columns).summary() == {"run": {"RR": 0.75}}
        path.write_text(STARS.replace(",", sign) + STARS.splitlines()[1].replace(",", sign) + "\n")
        assert cf.read_qrels(path, columns=columns).repeated == 1  # by record

    @pytest.mark.parametrize("made", [pl.DataFrame, pl.LazyFrame, pd.DataFrame])
    def test_frames(self, made: Callable[[Any], Any]) -> None:
        frame = made({"visitor": ["q1", "q2"], "movie": ["d1", "d1"], "stars": [2, 1]})
        assert cf.read_qrels(frame, columns=OWN).to_dict() == {"q1": {"d1": 2}, "q2": {"d1": 1}}

    @pytest.mark.parametrize("format", ["jsonl", "parquet", "arrow"])
    def test_other_tables(self, format: str, tmp_path: Path) -> None:
        path = tmp_path / f"run.{format}"
        frame = pl.DataFrame({"who": ["q1", "q1"], "what": ["d1", "d2"], "much": [1.0, 2.0]})
        WRITE[format](frame, path)
        run = cf.read_run(path, columns="topic=who,doc=what,score=much")
        assert run.rank_topic("q1") == ["d2", "d1"]

    @pytest.mark.parametrize("sign", [" ", "\t", ",", ";"])
    def test_by_number_without_a_header(self, sign: str, tmp_path: Path) -> None:
        path = tmp_path / "run"
        rows = ["2.5 x d1 q1", "3.5 x d2 q1", "1 x d1 q2"]
        path.write_text("".join(row.replace(" ", sign) + "\n" for row in rows))
        columns = "run.topic=4,run.doc=3,run.score=1"
        assert cf.read_run(path, columns=columns).rank_topic("q1") == ["d2", "d1"]
        assert cf.read_runs(path, columns=columns)[0].rank_topic("q2") == ["d1"]

    def test_the_user_decides_what_is_in_doubt(self) -> None:
        frame = pl.DataFrame(RESULT)
        scores = cf.evaluate({"q1": {"12": 1}}, frame, "RR", columns="run.topic=qid,run.doc=docid")
        assert said(scores) == []
        assert scores.summary() == {"run": {"RR": 1}}

    @pytest.mark.parametrize(("columns", "found"), [
        ("topic=visitr", r"qrels:1: found no column visitr, expected one of visitor, movie, stars "
                         r"\(did you mean visitor\?\)"),
        ("doc=movie", r'qrels:1: found columns .*\(use columns=\{"topic": NAME\}\)'),
        ("dok=movie", "found column dok=movie, expected column=name without duplicates; columns"),
        ("topic=a,topic=b", "found column topic=b"),
        ("topic", "found column topic="),
        ("judged.topic=a", "found column judged.topic=a"),
    ])  # fmt: skip
    def test_refused(self, columns: str, found: str, tmp_path: Path) -> None:
        path = tmp_path / "qrels"
        path.write_text(STARS)
        with pytest.raises(cf.InputError, match=found):
            cf.read_qrels(path, columns=columns)

    def test_a_number_beyond_the_line(self, tmp_path: Path) -> None:
        path = tmp_path / "qrels"
        path.write_text("q1 d1 1\n")
        with pytest.raises(cf.InputError, match="found 3 fields, expected at least 4"):
            cf.read_qrels(path, columns="topic=1,doc=2,level=4")

    def test_text_that_names_no_columns_is_read_as_ever(self, tmp_path: Path) -> None:
        path = tmp_path / "run"
        path.write_text("q1 Q0 d1 1 2.5 t\n")
        assert cf.read_run(path, columns=OWN).rank_topic("q1") == ["d1"]

    def test_commands(self, tmp_path: Path, cranfield: Any) -> None:
        qrels, run = tmp_path / "qrels", tmp_path / "run"
        qrels.write_text(STARS)
        run.write_text("q1 Q0 d1 1 2.5 t\n")
        for line in (["evaluate", qrels, run], ["validate", qrels], ["explain", "RR", "--on", qrels,
                     run, "--topic", "q1"], ["pool", run, "--qrels", qrels]):  # fmt: skip
            assert cranfield(*line, "--columns", OWN).code == 0
            assert "--columns topic=NAME" in "".join(cranfield(*line)[1:])


ESCI = {"query_id": ["q1"] * 4, "product_id": ["a", "b", "c", "d"], "esci_label": list("ESCI")}


LEVELS = {"q1": {"a": 3, "b": 2, "c": 1, "d": 0}}


class TestEsci:
    @pytest.mark.parametrize("format", WRITE)
    def test_files(self, format: str, tmp_path: Path) -> None:
        path = tmp_path / f"q.{format}"
        WRITE[format](pl.DataFrame(ESCI), path)
        assert cf.read_qrels(path).to_dict() == LEVELS
        scores = cf.evaluate(path, {"q1": ["a"]}, "RR")
        assert said(scores) == [f"{path}: levels of its labels: E 3, S 2, C 1, I 0 "
                                "(--labels sets others)"]  # fmt: skip
        others = cf.read_qrels(path, labels="E=1,S=0,C=0,I=0")
        assert others.to_dict() == {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}}
        assert others.in_doubt == ""

    @pytest.mark.parametrize("made", [pl.DataFrame, pd.DataFrame])
    def test_frames(self, made: Callable[[Any], Any]) -> None:
        assert cf.read_qrels(made(ESCI)).to_dict() == LEVELS
        others = cf.read_qrels(made(ESCI), labels="E=1,S=0,C=0,I=0")
        assert others.to_dict()["q1"]["b"] == 0
        with pytest.raises(cf.InputError):
            cf.read_qrels(made({**ESCI, "esci_label": list("ESCX")}))


def test_one_json_object_that_is_called_jsonl(tmp_path: Path) -> None:
    """Its topics are not all listed as columns, and what to do is said."""
    run = tmp_path / "run.jsonl"
    run.write_text(json.dumps({str(t): {"d1": 1.5} for t in range(301, 351)}))
    with pytest.raises(cf.InputError) as refused:
        cf.read_run(run)
    said = "319, 320, … (50 in all), expected a column named topic (or qid, query_id, query-id, "
    assert said in str(refused.value)
    assert str(refused.value).endswith("if the file is one JSON object, rename it to .json)")
