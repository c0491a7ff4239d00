"""Judgments that are a sample of the strata of a pool: by hand, and the equations once more."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from tests.evidence import checks
from tests.made import examples

# Stratum 1 was judged whole, of the four of stratum 2 two were: d3 (relevant) and d4 (not).
POOL = {"d1": (1, 2), "d2": (1, 0), "d3": (2, 1), "d4": (2, 0), "d5": (2, -1), "d6": (2, -1)}
LIST = ["d1", "d5", "x", "d3", "d4"]
LINES = "".join(f"q 0 {doc} {stratum} {level}\n" for doc, (stratum, level) in POOL.items())


def evaluated(tmp_path: Path, lines: str, ranked: Any, measures: str) -> dict[str, float]:
    path = tmp_path / "sample.txt"
    path.write_text(lines)
    return cf.evaluate(path, {"q": ranked}, measures).mean()["run"]


class TestByHand:
    @checks("xinfAP", against="by hand")
    def test_xinfAP(self, tmp_path: Path) -> None:
        """R̂ = 1·1 + 2·1 = 3. At d1: 1. At d3, rank 4: of stratum 1 one is above, judged and
        relevant, of stratum 2 one that was not drawn: 1/4 + (1/4)·(1·(1+ε)/(1+3ε) + 1·ε/3ε).
        """
        e = 0.00001
        at_d3 = 1 / 4 + 1 / 4 * ((1 + e) / (1 + 3 * e) + 1 / 3)
        found = evaluated(tmp_path, LINES, LIST, "xinfAP")["xinfAP"]
        assert found == pytest.approx((1 * 1 + 2 * at_d3) / 3, rel=1e-12)

    @checks("infNDCG", against="by hand")
    def test_infNDCG(self, tmp_path: Path) -> None:
        """Of stratum 2 the list has three, two of them judged: d3 counts for 1.5. The ideal list
        has one document of level 2, and 4/2 of level 1.
        """
        dcg = 2 / 1 + 1.5 * 1 / math.log2(5)
        ideal = 2 / 1 + 1 / math.log2(3) + 1 / math.log2(4)
        found = evaluated(tmp_path, LINES, LIST, "infNDCG infNDCG@2 infNDCG(gain=exp)")
        assert found["infNDCG"] == pytest.approx(dcg / ideal, rel=1e-12)
        assert found["infNDCG@2"] == pytest.approx(2 / (2 + 1 / math.log2(3)), rel=1e-12)
        exp = (3 + 1.5 / math.log2(5)) / (3 + 1 / math.log2(3) + 1 / math.log2(4))
        assert found["infNDCG(gain=exp)"] == pytest.approx(exp, rel=1e-12)

    def test_half_a_document_is_one(self, tmp_path: Path) -> None:
        """3 pooled, 2 judged, 1 relevant: 1.5 are estimated, and 2 are in the ideal list."""
        lines = "q 0 a 1 1\nq 0 b 1 0\nq 0 c 1 -1\n"
        found = evaluated(tmp_path, lines, ["a"], "infNDCG")["infNDCG"]
        assert found == pytest.approx(1 / (1 + 1 / math.log2(3)), rel=1e-12)

    def test_all_judged_is_no_estimate(self, tmp_path: Path) -> None:
        lines = LINES.replace("-1", "0")
        plain = {doc: max(level, 0) for doc, (_, level) in POOL.items()}
        theirs = cf.evaluate({"q": plain}, {"q": LIST}, "AP nDCG").mean()["run"]
        found = evaluated(tmp_path, lines, LIST, "xinfAP infNDCG")
        assert found["infNDCG"] == pytest.approx(theirs["nDCG"], rel=1e-12)
        assert found["xinfAP"] == pytest.approx(theirs["AP"], abs=1e-4)  # but for ε


# -- the equations once more ----------------------------------------------------------------------

Rows = list[tuple[str, str, int, int]]  # topic, document, stratum, level


def by_hand(judged: dict[str, tuple[int, int]], ranked: list[str]) -> tuple[float, float]:
    """xinfAP and infNDCG of one list, a document at a time."""
    e = 0.00001
    N: dict[int, int] = defaultdict(int)
    n: dict[int, int] = defaultdict(int)
    for stratum, level in judged.values():
        N[stratum] += 1
        n[stratum] += level >= 0
    R = sum(Fraction(N[s], n[s]) for s, level in judged.values() if level > 0)
    precisions, k, j, c = 0.0, defaultdict(int), defaultdict(int), defaultdict(int)  # type: ignore[var-annotated]
    paid: dict[int, float] = defaultdict(float)
    for r, doc in enumerate(ranked, 1):
        s, level = judged.get(doc, (0, -9))
        if level > 0:
            above = sum(k[x] * (c[x] + e) / (j[x] + 3 * e) for x in k)
            precisions += N[s] / n[s] * (1 + above) / r
            paid[s] += level / math.log2(r + 1)
        if doc in judged:
            k[s] += 1
            j[s] += level >= 0
            c[s] += level > 0
    best: list[int] = []
    for grade in sorted({level for _, level in judged.values() if level > 0}, reverse=True):
        many = sum(Fraction(N[s], n[s]) for s, level in judged.values() if level == grade)
        best += [grade] * math.floor(many + Fraction(1, 2))
    ideal = sum(grade / math.log2(r + 1) for r, grade in enumerate(best, 1))
    dcg = sum(x * k[s] / j[s] for s, x in paid.items())
    return precisions / R if R else 0.0, dcg / ideal if ideal else 0.0


DOCS = [f"d{i}" for i in range(14)]
a_judgment = st.tuples(st.integers(1, 3), st.sampled_from([-1, -1, 0, 0, 1, 2]))
topics = st.dictionaries(st.sampled_from(DOCS), a_judgment, min_size=1)
lists = st.lists(st.sampled_from([*DOCS, "x", "y"]), unique=True, min_size=1)


@checks("xinfAP", "infNDCG", against="second writing")
@given(st.lists(st.tuples(topics, lists), min_size=1, max_size=4), st.sampled_from([1, 1 << 19]))
@settings(max_examples=examples(60))
def test_every_list_is_estimated_so(drawn: Any, cells: int) -> None:
    rows: Rows = [(f"t{t}", doc, *x) for t, (docs, _) in enumerate(drawn) for doc, x in docs.items()]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "stratum", "level"], orient="row")
    run = {f"t{t}": ranked for t, (_, ranked) in enumerate(drawn)}
    scores = cf.evaluate(frame, run, "xinfAP infNDCG", block_cells=cells)
    expected = [by_hand(*one) for one in drawn]
    assert scores.values[0].tolist() == [pytest.approx(x, rel=1e-9, abs=1e-12) for x in expected]


# -- what is read, and what is refused ------------------------------------------------------------


class TestReading:
    def test_tables_are_read_as_lines_are(self, tmp_path: Path) -> None:
        rows = [line.split() for line in LINES.splitlines()]
        named = ["topic", "iteration", "doc", "stratum", "level"]
        frame = pl.DataFrame(rows, schema=named, orient="row")
        frame.write_csv(tmp_path / "q.csv")
        frame.write_parquet(tmp_path / "q.parquet")
        frame.write_ndjson(tmp_path / "q.jsonl")
        (tmp_path / "q.tabs").write_text(LINES.replace(" ", "\t"))
        (tmp_path / "q.odd").write_text("# drawn\n" + LINES.replace(" 0 ", "  0 ", 1) + "\n" + LINES[:11])
        expected = evaluated(tmp_path, LINES, LIST, "xinfAP infNDCG")
        for name in ("q.csv", "q.parquet", "q.jsonl", "q.tabs", "q.odd"):
            found = cf.evaluate(tmp_path / name, {"q": LIST}, "xinfAP infNDCG").mean()["run"]
            assert found == expected, name
        assert cf.evaluate(frame, {"q": LIST}, "xinfAP infNDCG").mean()["run"] == expected

    def test_other_measures_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(cf.InputError, match=r"AP is not supported for sampled judgments .*Use xinfAP"):
            evaluated(tmp_path, LINES, LIST, "xinfAP AP")
        with pytest.raises(cf.InputError, match="are not supported with sampled judgments"):
            cf.evaluate(tmp_path / "sample.txt", {"q": LIST}, "xinfAP", labelling=cf.Labelling())

    def test_others_who_read_judgments_refuse_them(self, tmp_path: Path) -> None:
        path = tmp_path / "q"
        path.write_text(LINES)
        with pytest.raises(cf.InputError, match=r"found sampled judgments .*estimates xinfAP"):
            cf.read_qrels(path)
        strata = cf.read_qrels(path, sampled=True).strata
        assert strata is not None
        assert strata.tolist() == [1, 1, 2, 2, 2, 2]
        with pytest.raises(cf.InputError, match="found sampled judgments"):
            cf.pool({"q": LIST}, qrels=path)

    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            ("q 0 a 1 1\nq 0 b 1 ?\n", r"q:2: found level '\?', expected a finite number"),
            ("q 0 a 1 1\nq 0 b x 1\n", r"can be topic 0 doc stratum level \(sampled\)"),
            (
                "q 0 a 1 1\nq 0 a 1 0\n",
                "q:2: conflicting levels for document 'a' in topic q: 0 here, 1",
            ),
            ("q 0 a 1 1\nq 0 b 1\n", "q:2: found 4 fields .*expected 5: topic iteration doc"),
            ("topic,doc,stratum,level\nq,a,1,1\nq,b,,0\n", "q:3: found stratum ''"),
            ('{"topic":"q","doc":"a","level":1,"stratum":1}\n{"topic":"q","doc":"b","level":0}\n',
             "some judgments have no stratum. Give a stratum for all or for none"),
        ],
    )  # fmt: skip
    def test_mistakes(self, lines: str, said: str, tmp_path: Path) -> None:
        (tmp_path / "q").write_text(lines)
        with pytest.raises(cf.InputError, match=said):
            cf.evaluate(tmp_path / "q", {"q": LIST}, "xinfAP")

    def test_a_frame_that_repeats_itself(self) -> None:
        frame = pl.DataFrame({"topic": ["q"] * 2, "doc": ["a"] * 2, "level": [1, 1], "stratum": [1, 1]})
        with pytest.raises(cf.InputError, match="duplicate document 'a' in topic q"):
            cf.evaluate(frame, {"q": LIST}, "xinfAP")

    def test_ties_of_what_was_drawn_and_what_was_not(self, tmp_path: Path) -> None:
        """Neither is relevant, but infNDCG@2 asks how many of the list were judged."""
        (tmp_path / "q").write_text(LINES)
        scores = cf.evaluate(tmp_path / "q", {"q": {"d3": 2.0, "d4": 1.0, "d5": 1.0}}, "infNDCG@2")
        assert "ties" in {note.kind for note in scores.notes}
