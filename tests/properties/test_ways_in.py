"""One collection, however it is handed over, gives the same bits."""

from __future__ import annotations

import gzip
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.data.reading.source import Source
from cranfield.measures.base import READINGS, REGISTRY
from tests.made import examples
from tests.peers.made import Collection, Nested, collection

# -- one collection, however it is handed over --------------------------------------------------

EVERYTHING = [
    *(
        str(m(gain="0.2:0.5:1", n=20) if issubclass(m, cf.UserModel) else m())
        for m in REGISTRY.values()
        if m.__module__.startswith("cranfield.") and not m.length_unit and m.takes == "lists"
    ),
    *(f"{name}(n=20).{x}" for name in READINGS if name != "DCG" for x in ("EU", "ETU", "ED")),
    *("SDCG@20.ETC", "INST(gain=0:0.5:1, n=20, condensed=true).ETU", "BPM(T=3, K=4, n=20).ED"),
    *("AP", "AP@5", "AP(norm=R)@5", "AP(rel=2)", "RR", "RR@3", "Q", "Q@5", "Q(beta=10)", "bpref"),
    *("P", "P@5", "Recall", "Recall@5", "Success@1", "Success@10", "Judged", "Judged@5"),
    *("nDCG", "nDCG@5", "nDCG(gain=exp)@10", "nDCG(discount=jk)@10", "nDCG(condensed=true)@5"),
    *("ERR", "ERR@5", "ERR(prob=linear)", "RBP", "RBP(p=0.95)@20", "RBP(rel=1)"),
    *("NumQ", "NumRet", "NumRet@5", "NumRel", "NumRelRet", "NumRelRet@5"),
]


def rows(nested: Nested) -> list[tuple[str, str, float]]:
    return [(t, d, float(x)) for t, docs in nested.items() for d, x in docs.items()]


def gzipped(path: Path) -> Path:
    made = path.with_suffix(".gz")
    made.write_bytes(gzip.compress(path.read_bytes(), 1))
    return made


def assert_same(c: Collection, found: cf.Scores, expected: cf.Scores, way: str) -> None:
    assert found.topics == expected.topics, way
    assert found.measures == expected.measures, way
    different = np.argwhere(found.values[0] != expected.values[0])
    assert not len(different), (
        f"{way}: {expected.measures[different[0][1]]} of topic "
        f"{expected.topics[different[0][0]]}, {len(different)} values in all\n"
        f"  {c.shown(expected.topics[different[0][0]])}"
    )


@pytest.mark.parametrize("shuffled", [False, True])
def test_every_way_in_gives_the_same_bits(tmp_path: Path, shuffled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mappings, tuples, Polars, pandas, and TREC files: plain, compressed, whole and in pieces.

    Shuffled: the lines of a run neither grouped by topic nor in order.
    """
    import pandas as pd
    import polars as pl

    rng = np.random.default_rng(60)
    lists = 0
    for i in range(examples(8)):
        c = collection(rng, topics=100, levels=(-1, 0, 1, 2, 3))
        c = Collection(c.qrels, c.peer_run())  # an empty list has no line in a table
        judged, retrieved = rows(c.qrels), rows(c.run)
        if i % 2:  # apart by less than 32 bits can tell
            retrieved = [(t, d, 0.123456789 + s * 1e-12) for t, d, s in retrieved]
            for t, d, s in retrieved:
                c.run[t][d] = s
        if shuffled:
            retrieved = [retrieved[k] for k in rng.permutation(len(retrieved))]
        qrels_columns = dict(zip(("topic", "doc", "level"), zip(*judged, strict=True), strict=True))
        run_columns = dict(zip(("topic", "doc", "score"), zip(*retrieved, strict=True), strict=True))
        qrels_path, run_path = tmp_path / "qrels", tmp_path / "run"
        qrels_path.write_text("".join(f"{t} 0 {d} {x!r}\n" for t, d, x in judged))
        run_path.write_text("".join(f"{t} Q0 {d} 0 {s!r} x\n" for t, d, s in retrieved))
        polars = (
            pl.DataFrame({k: list(v) for k, v in qrels_columns.items()}),
            pl.DataFrame({k: list(v) for k, v in run_columns.items()}),
        )
        ways: dict[str, tuple[Any, Any]] = {
            "tuples": (judged, retrieved),
            "polars": polars,
            "lazy polars": (polars[0].lazy(), polars[1].lazy()),
            "pandas": (pd.DataFrame(qrels_columns), pd.DataFrame(run_columns)),
            "files": (qrels_path, run_path),
            "compressed files": (gzipped(qrels_path), gzipped(run_path)),
            "mixed": (c.qrels, cf.read_run(run_path)),
        }
        expected = cf.evaluate(c.qrels, c.run, EVERYTHING)
        assert np.isfinite(expected.values).all()
        for way, (qrels, run) in ways.items():
            assert_same(c, cf.evaluate(qrels, run, EVERYTHING), expected, way)
        with monkeypatch.context() as patch:  # as a large file is read: in pieces, a list in many
            patch.setattr(Source, "iter_pieces", partialmethod(Source.iter_pieces, size=1000))
            for way in ("files", "compressed files"):
                found = cf.evaluate(*ways[way], EVERYTHING)
                assert_same(c, found, expected, f"{way} in pieces")
        lists += len(c.answered)
    assert lists > examples(600)
