"""Classes and groups of documents: every way in, and what is wrong with them."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import polars as pl
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.groups import Groups, read_groups
from tests.labelling.made import BOTH
from tests.made import LIST_C, LIST_Q, LIST_R, Classes, one, written

# -- classes from everywhere ------------------------------------------------------------------

NAMES: Classes = {"1": {"a": "x", "b": "x", "c": "y"}, "2": {"a": "x"}}
ROWS = [(t, d, name) for t, docs in NAMES.items() for d, name in docs.items()]


def columns(**names: str) -> dict[str, list[str]]:
    wanted = {"topic": "topic", "doc": "doc", "class": "class"} | names
    return {
        wanted["topic"]: [row[0] for row in ROWS],
        wanted["doc"]: [row[1] for row in ROWS],
        wanted["class"]: [row[2] for row in ROWS],
    }


def _directories(path: Path) -> str:
    for topic, docs in NAMES.items():
        lines = "".join(f"{doc} L1 {name}\n" for doc, name in docs.items())
        written(path / "dirs" / topic / f"{topic}.erel", lines)
    return str(path / "dirs")


def _parquet(path: Path) -> str:
    pl.DataFrame(columns()).write_parquet(path)
    return str(path)


def _gzip(path: Path) -> str:
    path.write_bytes(gzip.compress("\n".join(map(" ".join, ROWS)).encode()))
    return str(path)


SOURCES: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: NAMES,
    "groups": lambda _: Groups(NAMES),
    "tuples": lambda _: ROWS,
    "lists": lambda _: iter([list(row) for row in ROWS]),
    "polars": lambda _: pl.DataFrame(columns()),
    "pandas": lambda _: pd.DataFrame(columns(topic="query_id", doc="docno")),
    "text": lambda p: written(p / "c", "# classes\n\n" + "\n".join(map(" ".join, ROWS)) + "\n"),
    "tabs": lambda p: written(p / "c", "\n".join(map("\t".join, ROWS))),
    "crlf": lambda p: written(p / "c", "\r\n".join(map(" ".join, ROWS)) + "\r\n"),
    "ntcir": lambda p: written(p / "c", "".join(f"{t} {d} L2 {c}\n" for t, d, c in ROWS)),
    "csv": lambda p: written(p / "c", "\n".join(map(",".join, [("qid", "docid", "ec"), *ROWS]))),
    "tsv": lambda p: written(p / "c", "\n".join(map("\t".join, [("topic", "doc", "group"), *ROWS]))),
    "jsonl": lambda p: written(
        p / "c.jsonl",
        "".join(json.dumps({"topic": t, "doc": d, "class": c}) + "\n" for t, d, c in ROWS),
    ),
    "json": lambda p: written(p / "c.json", json.dumps(NAMES)),
    "path": lambda p: Path(written(p / "c", "\n".join(map(" ".join, ROWS)))),
    "directories": _directories,
    "parquet": lambda p: _parquet(p / "c.parquet"),
    "gzip": lambda p: _gzip(p / "c.gz"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_read_groups_every_source_gives_same_classes(source: str, tmp_path: Path) -> None:
    assert read_groups(SOURCES[source](tmp_path)).names == NAMES


def test_read_groups_equal_duplicates_are_merged() -> None:
    assert read_groups([*ROWS, ROWS[0]]).names == NAMES


def test_read_groups_numbers_and_ids_with_spaces_are_read(tmp_path: Path) -> None:
    assert read_groups({1: {2: 3}}).names == {"1": {"2": "3"}}
    assert read_groups(pl.DataFrame({"topic": [1], "doc": [2], "class": [3]})).names == {"1": {"2": "3"}}
    path = written(tmp_path / "c", "1|Paul McCartney|paul\n1|ポール マッカートニー| paul \n")
    names = {"Paul McCartney": "paul", "ポール マッカートニー": "paul"}
    assert read_groups(path, separator="|").names == {"1": names}


WRONG_CLASSES = {
    "two classes": (
        "1 a x\n1 b x\n1 a y\n",
        "c:3: conflicting classes for document 'a' in topic 1",
    ),
    "two fields": ("1 a x\n1 b\n", "c:2: found 2 fields ('1 b'), expected topic doc class"),
    "four fields": ("1 a x\n1 0 b x\n", "c:2: found 4 fields"),
    "nothing": ("\n# none\n", "c: found no classes, expected at least one"),
    "no class": ("1 a L1 x\n1 b L0\n", "c:2: found no class ('1 b L0'), expected topic doc L2 cl"),
    "judgments in two": (
        "1 a L1 x\n1 a L1 y\n",
        "c:2: conflicting classes for document 'a' in topic 1",
    ),
    "csv without": ("topic,doc,level\n1,a,2\n", "c:1: found columns topic, doc, level, expected"),
    "csv in two": (
        "topic,doc,class\n1,a,x\n1,a,y\n",
        "c:3: conflicting classes for document 'a' in topi",
    ),
    "csv short": ("topic,doc,class\n1,a\n", "c:2: found 2 fields ('1,a'), expected 3: topic doc"),
    "jsonl without": (
        '{"topic": "1", "doc": "a", "class": "x"}\n{"topic": "1", "doc": "b"}\n',
        "c:2: found columns topic, doc, expected the columns topic, doc, class",
    ),
    "not text": (b"1 a x\n1 \xff x\n", "c:2: found bytes that are not UTF-8"),
    "json of lists": (
        '{"1": ["a", "b"]}',
        "c: found list for topic '1', expected {topic: {doc: class}}",
    ),
}


@pytest.mark.parametrize("wrong", WRONG_CLASSES)
def test_read_groups_invalid_file_raises(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, said = WRONG_CLASSES[wrong]
    Path("c").write_bytes(content if isinstance(content, bytes) else str(content).encode())
    with pytest.raises(cf.CranfieldError) as told:
        read_groups("c")
    assert str(told.value).startswith(said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (3, "found 3, expected classes as a path, a mapping, a frame or tuples"),
        ({}, "classes: found no classes, expected at least one"),
        ({"1": "a"}, "classes: found str for topic '1', expected {topic: {doc: class}}"),
        ([("1", "a")], "classes: found 2 fields ('1 a'), expected topic doc class"),
        (
            pl.DataFrame({"topic": ["1"], "doc": ["a"]}),
            "classes: found columns topic, doc, expected the columns topic, doc, class",
        ),
        (
            [("1", "a", "x"), ("1", "a", "y")],
            "classes: conflicting classes for document 'a' in topic 1",
        ),
    ],
)
def test_read_groups_invalid_data_raises(data: Any, said: str) -> None:
    with pytest.raises(cf.CranfieldError) as told:
        read_groups(data)
    assert str(told.value).startswith(said)


def test_read_groups_missing_class_raises_in_any_format() -> None:
    for nothing in (None, "", " "):
        with pytest.raises(cf.InputError, match="classes: found"):
            read_groups([("1", "a", nothing)])


def test_read_groups_topic_directory_two_classes_raises(tmp_path: Path) -> None:
    file = written(tmp_path / "1" / "1.rel", "a L1 x\na L1 y\n")
    with pytest.raises(cf.InputError, match=f"{re.escape(file)}:2: "):
        read_groups(tmp_path)


@pytest.mark.parametrize("kind", BOTH)
def test_evaluate_class_without_level_raises(kind: type, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "1 a x\n1 zz x\n")
    said = f"{path}: class x has an unjudged document zz of topic 1"
    with pytest.raises(cf.InputError, match=re.escape(said)):
        cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "AP", labelling=kind(path))


@pytest.mark.parametrize("kind", BOTH)
def test_evaluate_classes_without_common_topic_raises(kind: type) -> None:
    qrels, run = {"1": {"a": 1, "b": 1}}, {"1": ["a", "b"]}
    with pytest.raises(cf.InputError, match="classes: no topic in common with the judgments"):
        cf.evaluate(qrels, run, "AP", labelling=kind({"2": {"a": "x"}}))
    names = {"1": {"a": "x", "b": "x"}, "2": {"zz": "x"}}
    assert one(qrels, run, "NumRel", labelling=kind(names)) == 1


def test_evaluate_group_with_several_levels_raises() -> None:
    qrels, run = {"1": {"a": 1, "b": 2, "c": 0}}, {"1": ["a", "b"]}
    for pair, said in (("ab", "levels 1 and 2 in group x"), ("ac", "levels 0 and 1 in group x")):
        groups = cf.Combinations({"1": dict.fromkeys(pair, "x")})
        with pytest.raises(cf.InputError, match=f"{said} of topic 1, expected one level per group"):
            cf.evaluate(qrels, run, "AP", labelling=groups)
        classes = cf.EquivalenceClasses({"1": dict.fromkeys(pair, "x")})  # which may
        assert one(qrels, run, "AP", labelling=classes) > 0


def test_evaluate_group_of_nonrelevant_items_is_nonrelevant() -> None:
    qrels, run = {"1": {"a": 0, "b": 0, "c": 1}}, {"1": ["a", "b", "c"]}
    groups = cf.Combinations({"1": {"a": "x", "b": "x"}})
    assert one(qrels, run, "AP", labelling=groups) == 1 / 3
    assert one(qrels, run, "NumRel", labelling=groups) == 1


# -- cranfield label --------------------------------------------------------------------------


def test_evaluate_classes_of_unjudged_topics_are_noted() -> None:
    classes = cf.EquivalenceClasses({"1": {"a": "x"}, "9": {"z": "x"}})
    scores = cf.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "AP", labelling=classes)
    assert [n.text for n in scores.notes] == ["classes: 1 topic (9) without judgments, ignored"]


@pytest.mark.parametrize("command", ["label q r --classes - --depth 3", "explain AP Q --on q r --classes -"])
def test_evaluate_classes_from_standard_input(
    command: str, small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("q").write_text(LIST_Q)
    Path("r").write_text(LIST_R)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LIST_C.encode())))
    assert main(command.split()) == 0
    assert capsys.readouterr().out
