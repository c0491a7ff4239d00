"""`scores.record()`: records of evaluations in Python."""

from __future__ import annotations

import copy
import pickle
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from tests.made import Command, split

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"c": 1, "d": 3}}
RUN = {"1": {"b": 3.0, "a": 2.5}, "2": {"c": 1.0}}


@pytest.fixture
def files(here: Path) -> Path:
    """The collection as files."""
    for name, values in {"q": QRELS, "x": RUN}.items():
        lines = [(topic, doc, value) for topic, docs in values.items() for doc, value in docs.items()]  # type: ignore[attr-defined]
        text = "{} 0 {} {}\n" if name == "q" else "{} Q0 {} 1 {} x\n"
        Path(name).write_text("".join(text.format(*line) for line in lines))
    Path("topics").write_text("1\n")
    return here


@pytest.mark.parametrize(
    ("measures", "options", "words"),
    [
        (None, {}, ""),
        ("map", {}, "-m map"),
        (["AP", cf.nDCG @ 10], {"depth": 1, "condensed": True}, "-m AP -m nDCG@10 --depth 1 --condensed"),
        ("AP P@5", {"topics": "1", "undefined": "skip", "threads": 1}, "-m 'AP P@5' --topics 1 --undefined skip"),
        ("AP", {"topics": Path("topics"), "rel": 2}, "-m AP --topics @topics --rel 2"),
        (None, {"preset": "beir", "ties": "expected", "seed": 3}, "--preset beir --ties expected --seed 3"),
        ("AP", {"duplicates": "error", "topics": "judged", "progress": lambda part: None}, "-m AP"),
    ],
)
def test_record_of_files_is_the_record_of_the_command(
    files: Path, cranfield: Command, measures: Any, options: dict[str, Any], words: str
) -> None:
    record = cf.evaluate("q", [Path("x")], measures, **options).record()
    assert cranfield("evaluate", "q", "x", *split(words), "--record", "r.json").code == 0
    assert record.text == Path("r.json").read_text(encoding="utf-8")
    assert record.verify().same


def test_record_of_dicts_has_the_hash_of_sorted_rows() -> None:
    record = cf.evaluate(QRELS, {"x": RUN}, "AP").record()
    assert record.data["cmd"] is None
    qrels, run = record.data["inputs"]
    rows = sorted(b"1\ta\t2.0\n 1\tb\t0.0\n 1\tc\t1.0\n 2\tc\t1.0\n 2\td\t3.0\n".replace(b" ", b"").splitlines(True))
    assert qrels["sha256"] == sha256(b"".join(rows)).hexdigest()
    assert (qrels["role"], qrels["path"], qrels["format"], qrels["lines"]) == ("qrels", None, "memory", 5)
    assert (run["role"], run["topics"], run["lines"]) == ("run", 2, 3)
    assert record.data["result"]["topics"]["x"].keys() == {"1", "2"}
    result = record.verify()
    assert (result.exit_code, result.checks[0].state) == (2, "same")


def test_record_does_not_depend_on_the_order_of_dicts_and_the_kind_of_frame() -> None:
    reordered = {topic: dict(reversed(docs.items())) for topic, docs in reversed(QRELS.items())}
    rows = [(topic, doc, level) for topic, docs in QRELS.items() for doc, level in docs.items()]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "level"], orient="row")
    hashes = {cf.evaluate(q, {"x": RUN}, "AP").record().data["inputs"][0]["sha256"] for q in (QRELS, reordered, frame)}
    assert len(hashes) == 1


def test_record_of_costs_in_memory_has_their_hash() -> None:
    costs = {topic: dict.fromkeys(docs, 2.0) for topic, docs in RUN.items()}
    record = cf.evaluate(QRELS, {"x": RUN}, "AP.EC", costs=costs).record()
    assert record.data["inputs"][-1]["role"] == "costs"
    frame = pl.DataFrame(
        [(t, d, c) for t, row in costs.items() for d, c in row.items()], ["topic", "doc", "cost"], orient="row"
    )
    with pytest.raises(cf.InputError, match="costs in memory cannot be recorded"):
        cf.evaluate(QRELS, {"x": RUN}, "AP.EC", costs=frame).record()


def test_record_of_a_custom_measure_has_no_command(files: Path) -> None:
    @cf.measure
    def fraction_in_record(levels: Any, judged: Any, least: float = 1) -> float:
        return float(sum(x >= least for x in levels) / max(1, len(levels)))

    record = cf.evaluate("q", "x", "fraction_in_record").record()
    assert record.data["cmd"] is None
    assert record.data["measures"][0]["parameters"]["least"] == 1


def test_record_changed_file_raises(files: Path) -> None:
    scores = cf.evaluate("q", "x", "AP")
    Path("x").write_text("1 Q0 z 1 1 x\n2 Q0 c 1 1 x\n")
    with pytest.raises(cf.InputError, match=r"the inputs changed after the evaluation\. Evaluate"):
        scores.record()


@pytest.mark.parametrize(
    "change",
    [
        lambda scores: scores.select(measures=["AP"]),
        lambda scores: pickle.loads(pickle.dumps(scores)),  # noqa: S301
        copy.deepcopy,
        lambda scores: cf.Scores.from_json(scores.to_json()),
    ],
)
def test_record_of_other_scores_raises(change: Any) -> None:
    scores = change(cf.evaluate(QRELS, {"x": RUN}, ["AP", "RR"]))
    with pytest.raises(cf.InputError, match=r"these scores have no record\. Record the scores"):
        scores.record()
