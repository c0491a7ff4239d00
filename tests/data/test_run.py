"""Several runs in one file, frame or list of rows are several runs, told by their tags."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.source import Source
from tests.made import examples

Row: TypeAlias = tuple[str, str, float, str]  # topic, document, score, tag

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}}
ROWS: list[Row] = [
    *(("1", "a", 2.0, "good"), ("1", "b", 1.0, "good"), ("2", "c", 2.0, "good")),
    *(("1", "b", 2.0, "bad"), ("1", "a", 1.0, "bad"), ("2", "x", 2.0, "bad")),
]
BY_HAND = {"good": {"RR": 1.0}, "bad": {"RR": 0.25}}
NAMES = ("topic", "doc", "score", "run")


def trec(rows: Sequence[Row]) -> str:
    return "".join(f"{topic} Q0 {doc} 1 {score!r} {tag}\n" for topic, doc, score, tag in rows)


def as_csv(rows: Sequence[Row]) -> str:
    return "\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in rows)]) + "\n"


def as_jsonl(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows)


def frame(rows: Sequence[Row]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), NAMES, orient="row")


def as_file(name: str, write: Callable[[Sequence[Row]], str | bytes]) -> Callable[..., Any]:
    def made(folder: Path, rows: Sequence[Row]) -> Any:
        content = write(rows)
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return made


def as_parquet(folder: Path, rows: Sequence[Row]) -> Any:
    frame(rows).write_parquet(folder / "all.parquet")
    return str(folder / "all.parquet")


WAYS: dict[str, Callable[[Path, Sequence[Row]], Any]] = {
    "trec": as_file("all.run", trec),
    "trec.gz": as_file("all.run.gz", lambda rows: gzip.compress(trec(rows).encode())),
    "csv": as_file("all.csv", as_csv),
    "jsonl": as_file("all.jsonl", as_jsonl),
    "parquet": as_parquet,
    "polars": lambda folder, rows: frame(rows),
    "pandas": lambda folder, rows: pd.DataFrame(list(rows), columns=NAMES),
    "tuples": lambda folder, rows: [(t, "Q0", d, 1, s, tag) for t, d, s, tag in rows],
}
EVERY = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


class TestTags:
    @EVERY
    @pytest.mark.parametrize("rows", [ROWS, ROWS[::2] + ROWS[1::2], sorted(ROWS)])
    def test_each_tag_is_a_run(self, folder: Path, way: str, rows: list[Row]) -> None:
        """Whatever the order of the lines: good finds a relevant document first, bad second."""
        found = cf.evaluate(QRELS, WAYS[way](folder, rows), "RR").summary()
        assert found == BY_HAND

    @EVERY
    def test_one_tag_is_one_run(self, folder: Path, way: str) -> None:
        assert cf.evaluate(QRELS, WAYS[way](folder, ROWS[:3]), "RR").runs == ("good",)

    @EVERY
    def test_read_run_several_tags_raises(self, folder: Path, way: str) -> None:
        with pytest.raises(cf.InputError, match=r"found 2 run tags \(good, bad\), expected one"):
            cf.read_run(WAYS[way](folder, ROWS)).to_dict()

    @pytest.mark.parametrize("way", [way for way in WAYS if way != "tuples"])
    def test_several_tags_under_one_name_raises(self, folder: Path, way: str) -> None:
        with pytest.raises(cf.InputError, match=r"found 2 run tags \(good, bad\), expected one"):
            cf.evaluate(QRELS, {"mine": WAYS[way](folder, ROWS)}, "RR")

    @EVERY
    def test_run_names_file_gives_one_run(self, folder: Path, way: str) -> None:
        once = [*ROWS[:3], ("2", "x", 2.0, "bad")]
        data = WAYS[way](folder, once)
        found = cf.evaluate(QRELS, data, "NumRet", run_names="file")
        assert found.runs == (data if isinstance(data, str) else "run",)
        assert found.summary()[found.runs[0]] == {"NumRet": 4.0}
        with pytest.raises(cf.InputError, match="duplicate document"):
            cf.evaluate(QRELS, WAYS[way](folder, ROWS), "RR", run_names="file")

    @EVERY
    def test_more_than_100_tags_raises(self, folder: Path, way: str) -> None:
        rows: list[Row] = [("1", "a", 1.0, f"r{i}") for i in range(101)]
        assert len(cf.evaluate(QRELS, WAYS[way](folder, rows[:100]), "RR").runs) == 100
        with pytest.raises(cf.InputError, match=r"more than 100 run tags .*--run-names file"):
            cf.evaluate(QRELS, WAYS[way](folder, rows), "RR")

    def test_duplicate_document_in_one_run_raises(self, folder: Path) -> None:
        for way, line in (("trec", 7), ("csv", 8), ("jsonl", 7)):
            path = WAYS[way](folder, [*ROWS, ROWS[0]])
            with pytest.raises(cf.InputError, match=f":{line}: duplicate document 'a' in topic 1"):
                cf.evaluate(QRELS, path, "RR")

    def test_missing_tag_uses_path(self, folder: Path) -> None:
        path = as_file("holes.csv", lambda rows: as_csv(rows).replace("bad", ""))(folder, ROWS)
        assert cf.evaluate(QRELS, path, "RR").runs == ("good", path)
        lacking = frame(ROWS).with_columns(pl.col("run").replace("bad", None))
        assert cf.evaluate(QRELS, lacking, "RR").runs == ("good", "run")

    def test_clashing_tags_use_paths(self, tmp_path: Path) -> None:
        both = as_file("both.run", trec)(tmp_path, ROWS)
        good = as_file("good.txt", trec)(tmp_path, ROWS[:3])
        again = as_file("again.run", trec)(tmp_path, ROWS[:3])
        assert cf.evaluate(QRELS, [good, again], "RR").runs == (good, again)
        assert cf.evaluate(QRELS, [both, good], "RR").runs == (f"{both}:good", "bad", good)
        assert [run.name for run in cf.read_runs([good, both])] == [good, f"{both}:good", "bad"]

    def test_frames_with_tags_are_split(self) -> None:
        assert cf.evaluate(QRELS, [frame(ROWS[:3]), frame(ROWS[3:])], "RR").runs == ("good", "bad")
        assert cf.evaluate(QRELS, [frame(ROWS[:3])] * 2, "RR").runs == ("run1", "run2")

    def test_tag_column_spellings(self) -> None:
        with pytest.raises(cf.InputError, match="found run_names='path', expected one of tag, file"):
            cf.evaluate(QRELS, frame(ROWS), "RR", run_names="path")  # type: ignore[arg-type]


ANY = st.tuples(
    st.sampled_from(["1", "2", "3"]),
    st.sampled_from("abcdxyz"),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from(["r", "s", "run-with-a-long-name-1", "run-with-a-long-name-2"]),
)


@given(
    rows=st.lists(ANY, min_size=1, max_size=12, unique_by=lambda row: (row[0], row[1], row[3])),
    size=st.sampled_from([5, 60, 1 << 20]),
)
@settings(max_examples=examples(60))
def test_read_runs_any_lines_any_format_agree(folder: Path, rows: list[Row], size: int) -> None:
    """As the simplest reader has them: a dict of dicts of dicts."""
    expected: dict[str, dict[str, dict[str, float]]] = {}
    for topic, doc, score, tag in rows:
        expected.setdefault(tag, {}).setdefault(topic, {})[doc] = score
    gold = QRELS | {"3": {"x": 1}}
    in_memory = cf.evaluate(gold, expected, "AP NumRet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.iter_pieces, "__defaults__", (size,))
        for way, make in WAYS.items():
            read = {run.name: run.to_dict() for run in cf.read_runs(make(folder, rows))}
            assert read == expected, way
            scores = cf.evaluate(gold, make(folder, rows), "AP NumRet")
            assert scores.runs == in_memory.runs, way
            assert (scores.values == in_memory.values).all(), way


class TestOtherCommands:
    """What reads runs reads several from a file."""

    def test_pool_splits_tags(self, folder: Path) -> None:
        path = as_file("all.run", trec)(folder, ROWS)
        assert cf.pool(path, 1).to_dict() == {"1": ["a", "b"], "2": ["c", "x"]}
        once = as_file("once.run", trec)(folder, [ROWS[0], ROWS[5]])
        assert cf.pool(once, 1, run_names="file").runs == (once,)

    def test_label_splits_tags(self, folder: Path) -> None:
        found = cf.label(QRELS, as_file("all.run", trec)(folder, ROWS))
        assert [(one.run, one.topic) for one in found] == [
            *(("good", "1"), ("bad", "1"), ("good", "2"), ("bad", "2")),
        ]

    def test_explain_several_tags_raises(self, folder: Path) -> None:
        path = as_file("all.run", trec)(folder, ROWS)
        with pytest.raises(cf.InputError, match=r"found 2 runs \(good, bad\), expected one"):
            cf.explain("RR", QRELS, path, "1")

    def test_meta_splits_tags(self, folder: Path) -> None:
        path = as_file("all.run", trec)(folder, ROWS)
        found = cf.meta.leave_one_out(QRELS, path, "RR", depth=100)
        assert {one.run for one in found.results} == {"good", "bad"}


class TestNoTopicInCommon:
    @pytest.mark.parametrize("use", [cf.evaluate, cf.label], ids=["evaluate", "label"])
    def test_no_common_topic_raises(self, tmp_path: Path, use: Any) -> None:
        qrels = tmp_path / "qrels"
        qrels.write_text("101 0 a 1\n102 0 a 1\n103 0 a 1\n")
        run = tmp_path / "a.run"
        run.write_text("0101 Q0 a 1 2 bm25\n0102 Q0 a 1 2 bm25\n0103 Q0 a 1 2 bm25\n")
        expected = (
            f"{run}: found topics 0101, 0102, … of run bm25, expected some of 101, 102, … "
            f"(judged in {qrels}; ids differ only in leading zeros: '0101' and '101')"
        )
        with pytest.raises(cf.InputError) as caught:
            use(qrels, run)
        assert str(caught.value) == expected

    def test_no_common_topic_names_run(self) -> None:
        runs = {"bm25": {"1": ["a"]}, "dense": {"01": ["a"], "02": ["a"]}}
        with pytest.raises(cf.InputError) as caught:
            cf.evaluate(QRELS, runs, "RR")
        hint = "(ids differ only in leading zeros: '01' and '1')"
        assert str(caught.value) == f"dense: found topics 01, 02, expected some of 1, 2 {hint}"
        with pytest.raises(cf.InputError, match="dense: found topics 01, 02"):
            cf.pool(runs, qrels=QRELS)
        assert cf.pool(runs, qrels=QRELS, topics=["1", "01"]).docs == {"1": ("a",), "01": ("a",)}

    def test_few_common_topics_is_first_note(self) -> None:
        gold = {str(i): {"a": 1} for i in range(5)}
        scores = cf.evaluate(gold, {"0": ["a"], "1": ["a"], "x": ["a"]}, "nERR@10")
        kinds = [note.kind for note in scores.notes]
        assert kinds[0] == "few-topics"
        assert {"missing-topics", "unjudged-topics"} <= {*kinds[1:]}
        assert scores.notes[0].text == "run: only 2 of 5 judged topics are in the run"
        half = cf.evaluate({t: gold[t] for t in "0123"}, {"0": ["a"], "1": ["a"]}, "RR")
        assert "few-topics" not in [note.kind for note in half.notes]

    def test_no_judged_document_is_first_note(self) -> None:
        scores = cf.evaluate(QRELS, {"1": ["A"], "2": ["C"]}, "nERR@10")
        assert scores.notes[0].kind == "none-judged"
        runs = {"few": {"1": ["a"]}, "none": {"1": ["x"]}}
        scores = cf.evaluate(QRELS | {"3": {"e": 1}}, runs, "nERR@10")
        kinds = [(note.run, note.kind) for note in scores.notes[:3]]
        assert kinds == [("none", "none-judged"), ("few", "few-topics"), ("none", "few-topics")]

    def test_named_topics_may_be_missing(self) -> None:
        scores = cf.evaluate(QRELS, {"1": ["a"]}, "RR", topics=["2"])
        assert scores.summary() == {"run": {"RR": 0.0}}
        assert scores.notes[0].text == "run: only 0 of 1 judged topic are in the run"
