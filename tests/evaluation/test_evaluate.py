"""Evaluators, runs, measures and results in other processes: the same scores."""

from __future__ import annotations

import json
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf

MADE = cf.simulate(topics=6, runs=3, depth=30, seed=5)
RUNS = dict(MADE.runs)
GROUPS = [(topic, doc, "c") for topic, docs in MADE.qrels.items() for doc in [*docs][:3]]

OWN = """
import cranfield as cf

@cf.measure
def half(levels):
    return 0.5 * len(levels)

class Half(cf.AP):
    def score(self, x):
        return 0.5 * super().score(x)

def document(chunk):
    return chunk.partition("#")[0]
"""


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "expected"},
        {"topics": "common", "undefined": "skip"},
        {"chunks": "/(.+)#.*/"},
        {"gains": dict.fromkeys(MADE.qrels, "1:2:3")},
        {"labelling": cf.EquivalenceClasses(GROUPS)},
        {"condensed": True, "depth": 5, "rel": 2},
    ],
    ids=lambda options: " ".join(options) or "plain",
)
def test_evaluator_pickled_gives_the_same_scores(options: Any) -> None:
    evaluator = cf.Evaluator(MADE.qrels, "AP nDCG@10 RBP.EU", **options)
    assert again(evaluator)(RUNS) == evaluator(RUNS)
    assert again(evaluator)(RUNS) == evaluator(RUNS)  # also after use


@pytest.mark.parametrize("suffix", ["txt", "parquet", "csv", "json"])
def test_run_pickled_gives_the_same_scores(tmp_path: Path, suffix: str) -> None:
    path, run = tmp_path / f"x.{suffix}", next(iter(RUNS.values()))
    rows = [(topic, doc, x) for topic, docs in run.items() for doc, x in docs.items()]
    frame = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row")
    if suffix == "txt":
        path.write_text("".join(f"{t} Q0 {d} 1 {x!r} bm25\n" for t, d, x in rows))
    elif suffix == "json":
        path.write_text(json.dumps(run))
    else:
        (frame.write_parquet if suffix == "parquet" else frame.write_csv)(path)
    read, evaluator = cf.read_run(path), cf.Evaluator(MADE.qrels, "AP nDCG@10")
    sent = pickle.dumps(read)
    path.unlink()
    assert evaluator(pickle.loads(sent)) == evaluator(again(frame_run(frame, read.name)))  # noqa: S301


def frame_run(frame: pl.DataFrame, name: str) -> Any:
    return cf.read_run(frame, name=name)


def test_results_pickled_are_the_same() -> None:
    scores = cf.evaluate(MADE.qrels, RUNS, "AP nDCG@10")
    assert again(scores) == scores
    assert again(cf.read_qrels(MADE.qrels)).to_dict() == MADE.qrels
    measures = cf.parse_measures("AP IA(ERR)@20 RBP(p=0.5).EU hit=Success@10")
    assert again(measures) == measures
    for found in (cf.compare(scores, trials=99), cf.hard_topics(MADE.qrels, RUNS, "AP")):
        assert again(found).to_dict() == found.to_dict()


def test_note_to_dict_is_json() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"b": 1.0, "a": 1.0}}
    scores = cf.evaluate(qrels, run, "AP")
    told = json.loads(json.dumps([note.to_dict() for note in scores.notes]))
    assert [one["kind"] for one in told] == [note.kind for note in scores.notes]
    assert told[0]["topics"] == [*scores.notes[0].topics]
    assert told[0].keys() == {"kind", "text", "run", "topics"}


@pytest.mark.slow
def test_process_pool_spawned_gives_the_same_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With measures of a module that the other process can import."""
    (tmp_path / "of_mine.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    mine: Any = import_module("of_mine")
    evaluator = cf.Evaluator(MADE.qrels, ["AP", "half", mine.Half()], chunks=mine.document)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn) as pool:
        for name, scores in zip(RUNS, pool.map(evaluator, RUNS.values()), strict=True):
            assert scores == evaluator(RUNS[name])
        with pytest.raises(cf.MeasureError, match="Did you mean nDCG@10"):
            pool.submit(cf.evaluate, MADE.qrels, RUNS, "nDGC@10").result()
        with pytest.raises(cf.InputError, match="expected at least"):
            pool.submit(cf.stats.t_test, [1.0], [2.0]).result()
