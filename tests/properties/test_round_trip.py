"""Machine-readable outputs: what cranfield writes, it reads back, or it refuses to write it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.assess.aggregate import format_qrels
from cranfield.assess.pool_tables import render_pool, render_sample
from cranfield.data.audits import read_audit
from cranfield.judging.audit import render_audit
from cranfield.report.formats import render
from cranfield.report.results import prepare_output
from cranfield.wording import encode_text
from tests.made import Command, examples

HOSTILE = (
    '"new york" hotels', '"q"', '"', '""', 'a"b', " leading", "trailing ", "a\tb", "a\nb", "a\rb",
    "a\r\nb", "a,b", "a;b", "'", "=1+1", "@x", "#x", "x#y", "mean", "amean", "average", "é",
    "e\u0301", "\u202eabc", "\u05d0\u05d1", "😀", "NaN", "null", "1e5", "007", "7", "-", "\\",
    "a\\tb",
    "\ufeffx", "\u00a0x", "x\u2028y", "x\x85y", "\x1cx", "\x0bx", "x\x00y", "topic", "run", "runid",
    "relstring", "value", "None", "true", "{", '{"a":1}', "[", "[1]", "<b>", "<SYSDESC>x</SYSDESC>",
    "PAR1", "ARROW1", "hits", "requests", "id", "qid:1", "Q0", "0", "L2", "?", "a b", "１",
)  # fmt: skip
names = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(
        lambda name: name.strip() != "" and name != "all"
    ),
)
CAUSE = "with a space|contains a space|read as|not Unicode"  # what errors name


def written(write: Callable[[], str | bytes], path: Path) -> bool:
    """Write a file, or return False if the writer names what the format cannot contain."""
    try:
        data = write()
    except cf.CranfieldError as error:
        if re.search(CAUSE, str(error)):
            return False
        raise
    path.write_bytes(encode_text(data) if isinstance(data, str) else data)
    return True


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round")


def scores_with(name: str, axis: str) -> cf.Scores:
    """Scores of two runs, three topics and two measures, one of which has a name."""
    axes = {"run": ["r1", "r2"], "topic": ["q1", "q2", "q3"], "measure": ["AP", "P@5"]}
    axes[axis][1] = name
    values = np.arange(12.0).reshape(2, 3, 2) / 16
    values[1, 2, 0] = np.nan
    runs, topics, measures = map(tuple, axes.values())
    return cf.Scores(values, runs, topics, measures, summaries=("mean", "mean"))


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "parquet"])
@pytest.mark.parametrize("axis", ["run", "topic", "measure"])
@settings(max_examples=examples(60))
@given(name=names)
@example(name='"new york" hotels')
@example(name='"q"')
def test_read_scores_written_scores_returns_them(place: Path, format: str, axis: str, name: str) -> None:
    scores, path = scores_with(name, axis), place / f"scores.{format}"
    options = {"per_topic": True, "sort": None, "wide": False}
    if not written(lambda: render(prepare_output(scores, format, options, ()), format), path):
        assert format in ("csv", "tsv")
        assert name != name.strip()
        return
    back = cf.read_scores(path)
    assert (back.runs, back.topics, back.measures) == (scores.runs, scores.topics, scores.measures)
    np.testing.assert_array_equal(back.values, scores.values)


@pytest.mark.parametrize("end", ["json", "parquet"])
@pytest.mark.parametrize("axis", ["run", "topic", "measure"])
@settings(max_examples=examples(40))
@given(name=names)
def test_load_saved_scores_returns_them(place: Path, end: str, axis: str, name: str) -> None:
    scores, path = scores_with(name, axis), place / f"saved.{end}"
    scores.save(path)
    for back in (cf.Scores.load(path), cf.read_scores(path)):
        found = (back.runs, back.topics, back.measures)
        assert found == (scores.runs, scores.topics, scores.measures)
        np.testing.assert_array_equal(back.values, scores.values)


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("axis", ["run", "topic", "measure"])
def test_render_name_that_is_not_unicode_raises(axis: str, format: str, tmp_path: Path) -> None:
    scores = scores_with("\udc80x", axis)
    options = {"per_topic": True, "sort": None, "wide": False}
    with pytest.raises(cf.InputError, match="is not Unicode"):
        render(prepare_output(scores, format, options, ()), format)
    if format == "parquet":
        with pytest.raises(cf.InputError, match="is not Unicode"):
            scores.save(tmp_path / "scores.parquet")


def judged_with(name: str, what: str) -> dict[str, dict[str, float]]:
    """Judgments of two topics, with a name for a topic or a document."""
    if what == "topic":
        return {name: {"a": 1.0, "b": 0.0, "c": 2.0}, "q2": {"a": 0.0, "b": 2.0}}
    return {"q1": {name: 1.0, "b1": 0.0}, "q2": {name: 2.0, "b2": 0.0}}


@pytest.mark.parametrize("format", ["trec", "ntcir", "csv", "tsv", "json", "jsonl", "parquet"])
@pytest.mark.parametrize("what", ["topic", "doc"])
@settings(max_examples=examples(60))
@given(name=names)
def test_read_qrels_aggregated_judgments_returns_them(place: Path, format: str, what: str, name: str) -> None:
    judged = judged_with(name, what)
    path = place / f"qrels.{format}"

    def write() -> str | bytes:
        if format in ("trec", "ntcir"):
            return format_qrels(judged, format)
        return render(prepare_output(cf.aggregate({"x": judged}), format, {}, ()), format)

    if written(write, path):
        assert cf.read_qrels(path).to_dict() == judged


@pytest.mark.parametrize("format", ["text", "csv", "tsv", "json"])
@pytest.mark.parametrize("what", ["topic", "doc"])
@settings(max_examples=examples(60))
@given(name=names)
def test_read_pool_audit_and_sample_returns_them(place: Path, format: str, what: str, name: str) -> None:
    judged = judged_with(name, what)
    pooled = cf.pool({"r": judged}, qrels=judged, strata="1-9:1")
    pairs = [(topic, doc) for topic, docs in pooled.docs.items() for doc in docs]
    path = place / f"pool.{format}"
    if written(lambda: render_pool(pooled, format), path):
        assert pairs_in(path, format) == pairs
    if written(lambda: render_sample(pooled, format), path):
        assert cf.evaluate(path, judged, "xinfAP").topics == tuple(judged)
    audit = cf.audit({"r": judged}, 3)
    if written(lambda: render_audit(audit, format), path):
        back = read_audit(path)
        assert back.pairs == audit.order.pairs
        assert back.draws.tolist() == audit.order.draws.tolist()


def pairs_in(path: Path, format: str) -> list[tuple[str, str]]:
    """Read topics and documents as another program does."""
    text = path.read_bytes().decode()
    if format == "text":
        return [(line.split(" ")[0], line.split(" ")[1]) for line in text.split("\n")[:-1]]
    rows: Any = json.loads(text) if format == "json" else None
    rows = rows or csv.DictReader(io.StringIO(text, newline=""), dialect=DIALECTS[format])
    return [(row["topic"], row["doc"]) for row in rows]


DIALECTS: Any = {"csv": csv.excel, "tsv": csv.excel_tab}


@settings(max_examples=examples(60))
@given(name=names)
def test_write_collection_returns_it_or_raises(place: Path, name: str) -> None:
    """No name leads out of the directory, either."""
    for what in ("topic", "doc", "run"):
        judged = judged_with(name if what != "run" else "q1", what)
        run = {topic: {doc: 9.0 - i for i, doc in enumerate(docs)} for topic, docs in judged.items()}
        tag = name if what == "run" else "r"
        levels = {topic: {doc: int(x) for doc, x in docs.items()} for topic, docs in judged.items()}
        collection = cf.Collection(levels, {tag: run})
        try:
            collection.write(place / "made")
        except cf.CranfieldError:
            continue
        assert cf.read_qrels(place / "made" / "qrels.txt").to_dict() == judged
        assert cf.read_run(place / "made" / "runs" / f"{tag}.txt").to_dict() == run


def test_write_collection_run_named_as_path_raises(tmp_path: Path) -> None:
    collection = cf.Collection({"q": {"a": 1}}, {"../../victim": {"q": {"a": 1.0}}})
    with pytest.raises(cf.InputError, match="expected a name that a file can have"):
        collection.write(tmp_path / "made")


@pytest.mark.parametrize("tool", ["gdeval", "ndeval"])
@pytest.mark.parametrize("name", ["a,b", '"r"'])
def test_drop_in_name_that_breaks_csv_raises(here: Path, cranfield: Command, tool: str, name: str) -> None:
    Path("q").write_text("1 0 a 1\n")
    Path("r").write_text(f"1 Q0 a 1 2.5 {name}\n")
    assert "contains a comma or a quotation mark" in cranfield.refused(f"{tool} q r")


def test_split_runs_document_with_space_raises(here: Path, cranfield: Command) -> None:
    Path("tid").write_text("1\n")
    Path("r.json").write_text(json.dumps({"1": ["a b"]}))
    assert "document 'a b' contains the separator" in cranfield.refused("ntcir split-runs tid r.json")


def test_read_scores_custom_measure_runid_returns_it(here: Path, cranfield: Command) -> None:
    Path("q").write_text("1 0 a 1\n")
    Path("r").write_text("1 Q0 a 1 2.5 r\n")
    cranfield.succeeds("evaluate q r -m 'runid=AP relstring=RR' -q -f tsv -o s.tsv")
    assert cf.read_scores("s.tsv").measures == ("runid", "relstring")
