"""Document lengths: every way in, through both sources, gives the time and the text read."""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.lengths import DocLengths, read_lengths
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from tests.data.made import trec_order, written
from tests.made import Command, examples

Lists = dict[str, dict[str, float]]
Length = Mapping[str, float]

# -- the two measures, written out ------------------------------------------------------------


def tbg(ranked: Sequence[str], levels: Mapping[str, float], words: Length) -> float:
    """Smucker and Clarke's time-biased gain (seed 001, equations 17 and 18), rank by rank."""
    T, found = 0.0, 0.0
    for doc in ranked:
        relevant = levels.get(doc, 0) > 0
        if relevant:
            found += 0.64 * 0.77 * math.exp(-T * math.log(2) / 224)
        T += 4.4 + (0.64 if relevant else 0.39) * (0.018 * words[doc] + 7.8)
    return found


def u(ranked: Sequence[str], levels: Mapping[str, float], characters: Length, h: float) -> float:
    """U-measure (seed 001, equations 19 and 20): snippets, and a fifth of relevant documents."""
    pos, found = 0.0, 0.0
    for doc in ranked:
        pos += 200
        level = levels.get(doc, 0)
        if level > 0:
            pos += 0.2 * characters[doc]
            found += (2**level - 1) / 2**h * max(0, 1 - pos / 132000)
    return found


def oracle(qrels: Lists, run: Lists, words: Length, characters: Length, depth: int | None = None) -> list[list[float]]:
    """TBG, U and both of the condensed list, topic by topic."""
    h = max((x for docs in qrels.values() for x in docs.values()), default=0)
    rows = []
    for topic, levels in qrels.items():
        ranked = trec_order(run.get(topic, {}))[:depth]
        condensed = [doc for doc in ranked if doc in levels]
        row = []
        for one in (ranked, condensed):
            row += [tbg(one, levels, words), u(one, levels, characters, h)]
        rows.append(row)
    return rows


MEASURES = ("TBG", "U", "TBG(condensed=true)", "U(condensed=true)")

# -- a collection with ties, unjudged documents, an unanswered and an unjudged topic ----------


def collection(seed: int, n: int = 9) -> tuple[Lists, Lists, dict[str, int], dict[str, int]]:
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(50)] + ["é", "中文", "t4"]  # t4 is a topic as well
    qrels: Lists = {}
    run: Lists = {}
    for t in range(n):
        chosen = rng.choice(docs, 14, replace=False)
        levels = rng.choice([-1, 0, 0, 1, 2, 3], 14)
        qrels[f"t{t}"] = {str(d): float(x) for d, x in zip(chosen, levels, strict=True)}
        if t != 2:  # not answered
            chosen = rng.choice(docs, 10 + 3 * t, replace=False)
            scores = np.round(rng.normal(size=len(chosen)), 1)
            run[f"t{t}"] = {str(d): float(s) for d, s in zip(chosen, scores, strict=True)}
    run["t4"]["t4"] = 9.5
    run["unjudged"] = {"d1": 1.0, "d2": 0.5}
    words = {d: int(x) for d, x in zip(docs, rng.integers(0, 3000, len(docs)), strict=True)}
    return qrels, run, words, {d: 6 * x + len(d) for d, x in words.items()}


QRELS, RUN, WORDS, CHARACTERS = collection(seed=1)
UNITS = {"words": WORDS, "characters": CHARACTERS}
EXPECTED = cf.evaluate(QRELS, {"r": RUN}, MEASURES, lengths=UNITS)


def same(scores: cf.Scores, expected: cf.Scores = EXPECTED) -> None:
    """The same bits."""
    assert scores.topics == expected.topics
    assert np.array_equal(scores.values, expected.values)


def test_evaluate_lengths_equals_hand_computation() -> None:
    by_hand = oracle(QRELS, RUN, WORDS, CHARACTERS)
    assert EXPECTED.values[0].tolist() == [pytest.approx(row, rel=1e-12) for row in by_hand]
    assert EXPECTED.values[0, 2].tolist() == [0, 0, 0, 0]  # not answered
    assert np.count_nonzero(EXPECTED.values) > 20
    assert "ties" in {note.kind for note in EXPECTED.notes}


def test_measure_one_list_equals_hand_computation() -> None:
    """x is unjudged: T(2) = 4.4 + 0.39·(0.018·500 + 7.8), T(3) adds 4.4 + 0.64·(1.8 + 7.8)."""
    T_2 = 4.4 + 0.39 * (0.018 * 500 + 7.8)
    T_3 = T_2 + 4.4 + 0.64 * (0.018 * 100 + 7.8)
    expected = 0.64 * 0.77 * (0.5 ** (T_2 / 224) + 0.5 ** (T_3 / 224))
    lengths = {"x": 500, "a": 100, "b": 2000, "not in the run": 7}
    scores = cf.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["x", "a", "b"]}, "TBG", lengths=lengths)
    assert scores.values.item() == pytest.approx(expected, rel=1e-14)
    assert cf.TBG()([None, 1, 2], lengths=[500, 100, 2000]) == pytest.approx(expected, rel=1e-14)


# -- every way in -----------------------------------------------------------------------------


def lines(length: Length, form: str = "{} {}\n") -> str:
    return "".join(form.format(doc, n) for doc, n in length.items())


def frame(doc: str = "doc", words: str = "words", characters: str = "characters") -> pl.DataFrame:
    return pl.DataFrame({doc: list(WORDS), words: list(WORDS.values()), characters: list(CHARACTERS.values())})


TEXTS: dict[str, Callable[[Length], str]] = {
    "blanks": lines,
    "tabs": lambda x: lines(x, "{}\t{}\n"),
    "any blanks": lambda x: lines(x, " \t {}   \t{}  \n"),
    "CRLF": lambda x: lines(x, "{} {}\r\n"),
    "comments": lambda x: "# words\n\n" + lines(x, "{} {}\n  # {} again\n\n".replace("{} a", "a")),
    "no last newline": lambda x: lines(x)[:-1],
    "decimals": lambda x: lines(x, "{} {}.0\n"),
    "exponents": lambda x: lines(x, "{} {}e0\n"),
    "csv": lambda x: "doc,length\n" + lines(x, "{},{}\n"),
    "csv with CRLF": lambda x: "docno,len\r\n" + lines(x, "{},{}\r\n"),
    "csv with quoted cells": lambda x: "docid,size\n" + lines(x, '"{}","{}"\n'),
    "csv with blanks": lambda x: "doc, length\n" + lines(x, "{}, {}\n"),
    "csv with more columns": lambda x: "a,doc_id,b,DocLen\n" + lines(x, "1,{},z,{}\n"),
    "tsv": lambda x: "item_id\tdoc_length\n" + lines(x, "{}\t{}\n"),
    "json": lambda x: json.dumps(dict(x)),
    "json over lines": lambda x: "\n" + json.dumps(dict(x), indent=2, ensure_ascii=False),
}


@pytest.mark.parametrize("how", TEXTS)
@pytest.mark.parametrize("compressed", [False, True])
def test_read_lengths_text_with_one_length(tmp_path: Path, how: str, compressed: bool) -> None:
    """A length without a unit is in the unit that the measure takes."""
    for i, unit in enumerate((WORDS, CHARACTERS)):
        path = tmp_path / ("lengths.gz" if compressed else "lengths")
        data = TEXTS[how](unit).encode()
        path.write_bytes(gzip.compress(data) if compressed else data)
        names = MEASURES[i::2]
        for given_as in (path, str(path)):
            scores = cf.evaluate(QRELS, {"r": RUN}, names, lengths=given_as)
            same(scores, EXPECTED.select(measures=list(names)))


@pytest.mark.parametrize("text", ['"doc","length"\n"d1","10"\n', "doc,length\n d1 ,10\n"])
def test_read_lengths_tables(tmp_path: Path, text: str) -> None:
    """A header in quotes, and blanks around a document."""
    (tmp_path / "l.csv").write_text(text)
    found = read_lengths(tmp_path / "l.csv")
    assert (found.table.docs.tolist(), found.values[""].tolist()) == (["d1"], [10.0])


BOTH: dict[str, Callable[[Path], Any]] = {
    "dict": lambda p: UNITS,
    "polars": lambda p: frame(),
    "lazy": lambda p: frame().lazy(),
    "pandas": lambda p: frame().to_pandas(),
    "pandas, other names": lambda p: frame("docno", "tokens", "chars").to_pandas(),
    "read before": lambda p: read_lengths(UNITS),
    "csv": lambda p: written(p, frame().write_csv),
    "csv, other names": lambda p: written(p, frame("Doc_ID", "Word_Count", "num_chars").rename(
        {"num_chars": "num_characters"}).write_csv),
    "tsv": lambda p: written(p, lambda path: frame().write_csv(path, separator="\t")),
    "json": lambda p: written(p, lambda path: path.write_text(json.dumps(UNITS))),
    "parquet": lambda p: written(p, frame().write_parquet),
    "arrow": lambda p: written(p, frame().write_ipc),
}  # fmt: skip


@pytest.mark.parametrize("how", BOTH)
def test_read_lengths_two_units(tmp_path: Path, how: str) -> None:
    lengths = BOTH[how](tmp_path / "lengths")
    same(cf.evaluate(QRELS, {"r": RUN}, MEASURES, lengths=lengths))
    one = cf.evaluate(QRELS, {"r": RUN}, "U", lengths=lengths)  # the other is not in the way
    same(one, EXPECTED.select(measures="U"))


def test_read_lengths_objects() -> None:
    expected = EXPECTED.select(measures=["TBG", "TBG(condensed=true)"])
    for lengths in (
        WORDS,
        {"": WORDS},
        {"words": WORDS},
        {doc: np.int64(n) for doc, n in WORDS.items()},
        frame().select("doc", length="words"),
        pd.DataFrame({"document": list(WORDS), "doclen": list(WORDS.values())}),
        pl.DataFrame({"doc": list(WORDS), "size": list(map(str, WORDS.values()))}),
    ):
        same(cf.evaluate(QRELS, {"r": RUN}, MEASURES[0::2], lengths=lengths), expected)


def test_select_units_named_unit_is_preferred() -> None:
    both = frame().rename({"characters": "length"})
    same(cf.evaluate(QRELS, {"r": RUN}, MEASURES, lengths=both))


def test_evaluator_reads_lengths_once() -> None:
    evaluator = cf.Evaluator(QRELS, MEASURES, lengths=UNITS)
    assert [type(extra.source) for extra in evaluator.collection.extras] == [DocLengths]
    for _ in range(2):
        same(evaluator({"r": RUN}))


# -- both sources -----------------------------------------------------------------------------


def trec(run: Lists, scattered: bool = False) -> str:
    rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    if scattered:
        np.random.default_rng(0).shuffle(rows)
    return "".join(f"{t} Q0 {d} 1 {float(s)!r} r\n" for t, d, s in rows)


def run_frame(run: Lists) -> pl.DataFrame:
    rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    return pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row")


SOURCES: dict[str, Callable[[Lists, Path], Any]] = {
    "mapping": lambda run, p: run,
    "frame": lambda run, p: run_frame(run),
    "json": lambda run, p: written(p, lambda path: path.write_text(json.dumps(run))),
    "file": lambda run, p: written(p, lambda path: path.write_text(trec(run))),
    "scattered": lambda run, p: written(p, lambda path: path.write_text(trec(run, True))),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "exclude-self": {"exclude_self": True},
    "depth": {"depth": 4},
    "condensed": {"condensed": True},
    "depth and condensed": {"depth": 6, "condensed": True},
    "common topics": {"topics": "common"},
    "rel": {"rel": 2},
    "best": {"ties": "best"},
    "worst": {"ties": "worst", "depth": 7},
    "expected": {"ties": "expected", "tie_samples": 5, "seed": 4},
    "expected to a depth": {"ties": "expected", "tie_samples": 5, "depth": 5},
}
MORE = ("TBG", "U", "TBG(rel=1)@5", "U(max_level=4)@3", "AP", "TBG(save=0.5, condensed=true)")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("option", OPTIONS)
def test_evaluate_all_sources_agree(tmp_path: Path, source: str, option: str) -> None:
    expected = cf.evaluate(QRELS, {"r": RUN}, MORE, lengths=UNITS, **OPTIONS[option])
    run = SOURCES[source](RUN, tmp_path / "run")
    same(cf.evaluate(QRELS, {"r": run}, MORE, lengths=UNITS, **OPTIONS[option]), expected)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 40, 150, 1000])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("option", ["plain", "exclude-self", "best"])
def test_evaluate_any_partition_gives_same_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, threads: int, option: str
) -> None:
    expected = cf.evaluate(QRELS, {"r": RUN}, MORE, lengths=UNITS, **OPTIONS[option])
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
    (tmp_path / "run").write_text(trec(RUN))
    (tmp_path / "words").write_text(lines(WORDS))  # never read in pieces
    run = {"r": tmp_path / "run"}
    for cells in (1, 30, 100, 1 << 19) if size == 40 else (30,):
        scores = cf.evaluate(QRELS, run, MORE, lengths=UNITS, threads=threads, block_cells=cells, **OPTIONS[option])
        same(scores, expected)
    alone = cf.evaluate(QRELS, run, "TBG", lengths=tmp_path / "words", **OPTIONS[option])
    same(alone, expected.select(measures="TBG"))


FRACTIONS = {doc: n / 7 for doc, n in WORDS.items()}


@pytest.mark.parametrize("cells", [1, 30, 100])
def test_evaluate_rounded_lengths_any_block_size_agrees(cells: int) -> None:
    """A sum over other topics' documents must not reach the last bit."""
    whole = cf.evaluate(QRELS, {"r": RUN}, "TBG", lengths=FRACTIONS)
    same(cf.evaluate(QRELS, {"r": RUN}, "TBG", lengths=FRACTIONS, block_cells=cells), whole)


def test_evaluate_other_topics_change_nothing() -> None:
    for topic, levels in QRELS.items():
        if topic not in RUN:
            continue
        alone = cf.evaluate({topic: levels}, {"r": RUN}, "TBG U(max_level=3)", lengths=UNITS)
        assert alone.values[0, 0].tolist() == EXPECTED[:, topic, :].values[0, 0, :2].tolist()


def test_evaluate_excluded_document_has_no_length() -> None:
    lengths = WORDS | {"t4": 10**6}
    run = RUN | {"t4": {d: s for d, s in RUN["t4"].items() if d != "t4"}}
    expected = cf.evaluate(QRELS, {"r": run}, "TBG", lengths=lengths)
    same(cf.evaluate(QRELS, {"r": RUN}, "TBG", lengths=lengths, exclude_self=True), expected)
    # With it on top, everything else comes two hours later.
    with_it = cf.evaluate(QRELS, {"r": RUN}, "TBG", lengths=lengths)
    assert with_it.values[0, 4, 0] < 1e-8 < expected.values[0, 4, 0]


def test_evaluate_more_topics_than_one_block_agrees(tmp_path: Path) -> None:
    qrels, run, words, characters = collection(seed=2, n=8)
    qrels = {f"{i}-{t}": docs for i in range(100) for t, docs in qrels.items()}
    run = {f"{i}-{t}": docs for i in range(0, 100, 3) for t, docs in run.items()}
    units = {"words": words, "characters": characters}
    by_hand = oracle(qrels, run, words, characters)
    for source in ("mapping", "file", "scattered"):
        given_as = SOURCES[source](run, tmp_path / source)
        scores = cf.evaluate(qrels, {"r": given_as}, MEASURES, lengths=units)
        assert scores.values[0] == pytest.approx(np.array(by_hand), rel=1e-12)


def test_rows_hash_collision_compares_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash proves nothing: here three are left for all documents."""
    hashes = Strings.compute_hashes
    monkeypatch.setattr(Strings, "compute_hashes", lambda self: hashes(self) % np.uint64(3))
    known = read_lengths(WORDS)
    asked = Strings.from_list(["unknown", *reversed(WORDS), "d1", "another", "d1"])
    rows = known.rows(Table.from_columns(asked, np.zeros(len(asked))))
    found = [list(WORDS)[row] if row >= 0 else None for row in rows.tolist()]
    assert found == [None, *reversed(WORDS), "d1", None, "d1"]


def test_evaluate_depth_equals_hand_computation() -> None:
    for depth in (1, 5, 12):
        scores = cf.evaluate(QRELS, {"r": RUN}, MEASURES, lengths=UNITS, depth=depth)
        by_hand = oracle(QRELS, RUN, WORDS, CHARACTERS, depth)
        assert scores.values[0].tolist() == [pytest.approx(row, rel=1e-12) for row in by_hand]


@st.composite
def small_collections(draw: st.DrawFn) -> tuple[Lists, Lists, dict[str, int]]:
    docs = st.sampled_from("abcdefgh")
    levels = st.dictionaries(docs, st.sampled_from([0.0, 1.0, 2.0]), min_size=1)
    scores = st.dictionaries(docs, st.sampled_from([1.0, 1.5, 2.0]), min_size=1)
    topics = st.sampled_from(["p", "q", "r"])
    lengths = {doc: draw(st.integers(0, 10_000)) for doc in "abcdefgh"}
    return (
        draw(st.dictionaries(topics, levels, min_size=1)),
        draw(st.dictionaries(topics, scores, min_size=1)),
        lengths,
    )


@given(small_collections())
@settings(max_examples=examples(60))
def test_evaluate_any_collection_equals_oracle(drawn: tuple[Lists, Lists, dict[str, int]]) -> None:
    qrels, run, lengths = drawn
    assume(qrels.keys() & run.keys())
    units = {"words": lengths, "characters": lengths}
    by_hand = oracle(qrels, run, lengths, lengths)
    for source in (run, run_frame(run)):
        scores = cf.evaluate(qrels, {"r": source}, MEASURES, lengths=units)
        assert scores.values[0].tolist() == [pytest.approx(row, rel=1e-12, abs=1e-15) for row in by_hand]


# -- ties: lengths move with their documents --------------------------------------------------

TIED_LEVELS = {"a": 2.0, "b": 0.0, "c": 1.0}
TIED_LENGTHS = {"a": 5000, "b": 10, "c": 300, "x": 2000, "y": 40}
TIED = {"t": {"y": 2.0, "a": 1.0, "b": 1.0, "c": 1.0, "x": 1.0}}
ORDERS = [["y", *order] for order in permutations("abcx")]


@pytest.mark.parametrize(
    ("ties", "ranked"),
    # Unjudged x and nonrelevant b stay in trec's order, larger name first.
    [("trec", "yxcba"), ("best", "yacxb"), ("worst", "yxbca")],
)
def test_evaluate_ordered_ties_equals_oracle(ties: Any, ranked: str) -> None:
    scores = cf.evaluate({"t": TIED_LEVELS}, TIED, "TBG", lengths=TIED_LENGTHS, ties=ties)
    expected = tbg(ranked, TIED_LEVELS, TIED_LENGTHS)
    assert scores.values.item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["TBG", "U"])
def test_evaluate_sampled_ties_approach_mean_over_orders(name: str) -> None:
    exact = {
        "TBG": [tbg(order, TIED_LEVELS, TIED_LENGTHS) for order in ORDERS],
        "U": [u(order, TIED_LEVELS, TIED_LENGTHS, 2) for order in ORDERS],
    }[name]
    scores = cf.evaluate({"t": TIED_LEVELS}, TIED, name, lengths=TIED_LENGTHS, ties="expected", tie_samples=1000)
    mean, error = scores.values[0, 0].tolist()
    assert scores.measures == (name, f"{name}.se")
    assert 0 < error < 0.1 * (max(exact) - min(exact))
    assert abs(mean - sum(exact) / len(exact)) < 4 * error


# -- what is missing --------------------------------------------------------------------------


def refused(lengths: Any, measures: Any = "TBG", run: Any = None, **options: Any) -> str:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    run = run or {"bm25": {"q1": ["x", "b", "a"], "q2": ["b"]}}
    with pytest.raises(cf.CranfieldError) as caught:
        cf.evaluate(qrels, run, measures, lengths=lengths, **options)
    return str(caught.value)


class TestMissing:
    def test_no_lengths_raises(self) -> None:
        assert refused(None) == "TBG: no document lengths in words. Use lengths=."
        said = refused(None, "AP U(max_level=2)@10 TBG")
        assert said.startswith("U(max_level=2)@10: no document lengths")
        assert "in characters" in said
        with pytest.raises(cf.CranfieldError, match="U requires document lengths in char"):
            cf.U()([1], judged=[1])

    @pytest.mark.parametrize("source", SOURCES)
    @pytest.mark.parametrize(
        ("unknown", "place"),
        [("x", "rank 1 of topic q1"), ("b", "rank 2 of topic q1"), ("a", "rank 3 of topic q1")],
    )
    def test_document_without_length_raises(self, tmp_path: Path, source: str, unknown: str, place: str) -> None:
        lists = {"q1": {"x": 3.0, "b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
        run = {"bm25": SOURCES[source](lists, tmp_path / "run")}
        lengths = {doc: 10 for doc in "abx" if doc != unknown}
        said = refused(lengths, run=run)
        assert said.startswith(f"lengths: no length of the document at {place} in bm25, needed")

    def test_error_names_first_topic(self) -> None:
        run = {"bm25": {"q1": ["a"], "q2": ["z", "a"]}}
        assert "rank 1 of topic q2 in bm25" in refused({"a": 1}, run=run)

    def test_error_names_file(self, tmp_path: Path) -> None:
        (tmp_path / "words.txt").write_text("a 1\nb 2\n")
        assert refused(tmp_path / "words.txt").startswith(f"{tmp_path / 'words.txt'}: no len")

    @pytest.mark.parametrize("source", SOURCES)
    def test_u_needs_lengths_of_relevant_documents_only(self, tmp_path: Path, source: str) -> None:
        qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
        lists = {"q1": {"x": 3.0, "b": 2.0, "a": 1.0}, "q2": {"b": 1.0}}
        run = {"bm25": SOURCES[source](lists, tmp_path / "run")}
        scores = cf.evaluate(qrels, run, "U", lengths={"a": 1000})
        expected = 0.5 * (1 - (3 * 200 + 0.2 * 1000) / 132000)
        assert scores.values[0, :, 0].tolist() == pytest.approx([expected, 0], rel=1e-14)
        assert "rank 3 of topic q1 in bm25" in refused({"x": 1, "b": 1}, "U", run)

    def test_documents_below_cutoff_need_no_length(self) -> None:
        qrels, run = {"q": {"a": 1}}, {"q": ["a", "x"], "not judged": ["y"]}
        for depth in (1, None):  # nothing is relevant below a
            scores = cf.evaluate(qrels, run, "TBG", lengths={"a": 5}, depth=depth)
            assert scores.values.item() == 0.64 * 0.77
        assert "rank 1 of topic q1 in r," in refused({"a": 5}, run={"r": {"q1": ["x", "a"]}})

    def test_two_units_but_one_column(self, tmp_path: Path) -> None:
        expected = "expected a table with the columns doc, characters, words"
        one = {"a": 1, "b": 1, "x": 1}
        assert refused(one, "TBG U") == f"lengths: found lengths in no named unit, {expected}"
        assert refused({"words": one}, "TBG U") == f"lengths: found lengths in words, {expected}"
        (tmp_path / "l.txt").write_text("a 1\nb 1\nx 1\n")
        said = refused(tmp_path / "l.txt", "TBG U")
        assert said == f"{tmp_path / 'l.txt'}: found lengths in no named unit, {expected}"

    def test_other_unit_raises(self) -> None:
        said = refused({"characters": {"a": 1, "b": 1, "x": 1}})
        assert said == ("lengths: found lengths in characters, expected a table with the columns doc, words")

    def test_unused_lengths_are_noted(self) -> None:
        scores = cf.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP", lengths={"b": 1})
        assert scores.values.item() == 1


# -- what is malformed ------------------------------------------------------------------------

EACH_A_NUMBER = "expected a document and its length, a number ≥ 0"
ON_LINE_1 = {
    "d1\n": "'d1'",
    "d1 10 20\n": "'d1 10 20'",
    "d1 ten\n": "'d1 ten'",
    "d1 -1\n": "'d1 -1'",
    "d1 nan\n": "'d1 nan'",
    "d1 inf\n": "'d1 inf'",
    "d1 1e999\n": "'d1 1e999'",
    "d1 1_000\n": "'d1 1_000'",
    "d1,10\n": "'d1,10'",
    "doc length\nd1 10\n": "'doc length'",
}
CELLS = {
    "d1,ten": "length 'ten'",
    "d1,-1": "length '-1'",
    "d1,nan": "length 'nan'",
    "d1,inf": "length 'inf'",
    "d1,": "length None",
    "d1": "length None",
    ",10": "no document",
}


def said_of(path: Path, content: str | bytes) -> str:
    """The refusal of a file with this content, without its directory."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(cf.CranfieldError) as caught:
        read_lengths(path)
    return str(caught.value).removeprefix(f"{path.parent}{os.sep}")


class TestMalformed:
    @pytest.mark.parametrize("text", ON_LINE_1)
    def test_first_lines(self, tmp_path: Path, text: str) -> None:
        assert said_of(tmp_path / "l", text) == f"l:1: found {ON_LINE_1[text]}, {EACH_A_NUMBER}"

    @pytest.mark.parametrize("text", ON_LINE_1)
    def test_later_lines(self, tmp_path: Path, text: str) -> None:
        said = said_of(tmp_path / "l", f"d8 80\n# a comment\n\n{text}d9 90\n")
        assert said == f"l:4: found {ON_LINE_1[text]}, {EACH_A_NUMBER}"

    def test_compressed(self, tmp_path: Path) -> None:
        said = said_of(tmp_path / "l.gz", gzip.compress(b"d1 x\n"))
        assert said == f"l.gz:1: found 'd1 x', {EACH_A_NUMBER}"

    @pytest.mark.parametrize("cells", CELLS)
    @pytest.mark.parametrize("separator", [",", "\t"])
    def test_tables(self, tmp_path: Path, cells: str, separator: str) -> None:
        text = f"doc,length\nd8,80\n{cells}\nd9,90\n".replace(",", separator)
        assert said_of(tmp_path / "l", text) == f"l:3: found {CELLS[cells]}, {EACH_A_NUMBER}"

    @pytest.mark.parametrize(
        ("header", "expected"),
        [
            ("doc,pages", "found columns doc, pages, expected doc, and length, words or char"),
            ("topic,doc", "found columns topic, doc, expected doc, and length, words or char"),
        ],
    )
    def test_headers(self, tmp_path: Path, header: str, expected: str) -> None:
        assert expected in said_of(tmp_path / "l.csv", f"{header}\n1,2\n")

    @pytest.mark.parametrize("content", ["d1 10\nd2 20\nd1 10\n", "doc,length\nd2,1\nd1,10\nd1,20\n"])
    def test_duplicate_document_raises(self, tmp_path: Path, content: str) -> None:
        said = said_of(tmp_path / "l", content)
        assert said == "l: duplicate document 'd1'"

    @pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n", "doc,length\n", "{}"])
    def test_empty_file_raises(self, tmp_path: Path, content: str) -> None:
        assert said_of(tmp_path / "l", content) == "l: found no lengths, expected at least one"

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ('{"d1": -1}', f"l: found 'd1': -1, {EACH_A_NUMBER}"),
            ('{"d1": "ten"}', f"l: found 'd1': 'ten', {EACH_A_NUMBER}"),
            ('{"d1": null}', f"l: found 'd1': None, {EACH_A_NUMBER}"),
            ('{"d1": true}', f"l: found 'd1': True, {EACH_A_NUMBER}"),
            ('{"d1": NaN}', f"l: found 'd1': nan, {EACH_A_NUMBER}"),
            ('{"pages": {"d1": 1}}', "l: found lengths under 'pages', expected {doc: length}, or"),
            ('{"words": {"a": 1}, "characters": {"b": 1}}', "l: found lengths under 'characters'"),
            ('{"d1": 1', "l:1: found invalid JSON"),
            ('{"d1": 1, "d1": 2}', "l: duplicate key 'd1'"),
        ],
    )
    def test_json(self, tmp_path: Path, content: str, expected: str) -> None:
        assert said_of(tmp_path / "l", content).startswith(expected)

    def test_corrupt_table_raises(self, tmp_path: Path) -> None:
        frame().write_parquet(tmp_path / "whole")
        half = (tmp_path / "whole").read_bytes()[:-20]
        assert "corrupt Parquet file" in said_of(tmp_path / "l.parquet", half)
        assert "found corrupt csv file" in said_of(tmp_path / "l.csv", "doc,length\na,1,2,3\n")
        assert "or carriage return" in said_of(tmp_path / "l.csv", "doc,length\ra,1\rb,2\n")

    @pytest.mark.parametrize(
        "data",
        [
            {"d1": -1},
            {"d1": math.nan},
            {"d1": math.inf},
            {"d1": "ten"},
            {"d1": True},
            {1: 10},
            pl.DataFrame({"doc": ["d1"], "length": [-1]}),
            pl.DataFrame({"doc": ["d1"], "length": [math.nan]}),
            pl.DataFrame({"doc": ["d1"], "length": [math.inf]}),
            pl.DataFrame({"doc": ["d1"], "length": [None]}),
            pl.DataFrame({"doc": [None], "length": [1]}),
            pd.DataFrame({"doc": ["d1"], "length": [math.nan]}),
        ],
        ids=str,
    )
    def test_objects(self, data: Any) -> None:
        with pytest.raises(cf.InputError, match=f"lengths: found .*{EACH_A_NUMBER}"):
            read_lengths(data)

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ({}, "lengths: found no lengths, expected at least one"),
            ({"words": {}}, "lengths: found no lengths, expected at least one"),
            (
                {"words": {"a": 1}, "pages": {"a": 1}},
                "lengths: found lengths under 'pages', expected {doc: length}, "
                "or the same documents under 'words' and 'characters'",
            ),
            (
                pl.DataFrame({"doc": ["a", "a"], "length": [1, 1]}),
                "lengths: duplicate document 'a'",
            ),
            (
                pl.DataFrame({"doc": [], "length": []}),
                "lengths: found no lengths, expected at least one",
            ),
            (
                pl.DataFrame({"length": [1]}),
                "lengths: found columns length, expected doc, and length, words or characters",
            ),
            (5, "found 5, expected lengths as a path, a dict or a frame"),
            ([("a", 1)], "found [('a', 1)], expected lengths as a path, a dict or a frame"),
            (None, "found None, expected lengths as a path, a dict or a frame"),
        ],
        ids=str,
    )
    def test_other_objects(self, data: Any, message: str) -> None:
        with pytest.raises(cf.InputError) as error:
            read_lengths(data)
        assert str(error.value) == message

    def test_ids_that_are_no_strings_raises(self) -> None:
        with pytest.raises(cf.InputError):
            read_lengths(pl.DataFrame({"doc": [["a"]], "length": [1]}))

    @pytest.mark.parametrize("lengths", [[1, -1], [1, None], [1, math.inf]])
    def test_tbg_invalid_length_raises(self, lengths: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="TBG: lengths must be numbers ≥ 0, one per item"):
            cf.TBG()([1, 0], lengths=lengths)

    @pytest.mark.parametrize(("lengths", "shape"), [([1], "(1, 1)"), ([[1, 2], [3, 4]], "(2, 2)")])
    def test_tbg_other_number_of_lengths_raises(self, lengths: Any, shape: str) -> None:
        message = f"TBG: found shape {shape} of lengths, expected (1, 2)"
        with pytest.raises(cf.CranfieldError, match=re.escape(message)):
            cf.TBG()([1, 0], lengths=lengths)


# -- the command line -------------------------------------------------------------------------


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("qrels").write_text("q 0 a 1\nq 0 b 0\n")
        Path("run").write_text("q Q0 x 1 3 bm25\nq Q0 a 2 2 bm25\n")

    @pytest.fixture
    def evaluate(self, cranfield: Command) -> Command:
        return cranfield.of("evaluate", "qrels", "run")

    def test_scores(self, evaluate: Command) -> None:
        Path("both.csv").write_text("doc,words,characters\nx,500,3000\na,100,600\n")
        out = evaluate.printed("-m", "TBG U", "--lengths", "both.csv", "-f", "tsv")
        values = [float(row.split("\t")[3]) for row in out.splitlines()[1:]]
        T_2 = 4.4 + 0.39 * (0.018 * 500 + 7.8)
        pos = 2 * 200 + 0.2 * 600
        expected = [0.64 * 0.77 * 0.5 ** (T_2 / 224), 0.5 * (1 - pos / 132000)]
        assert values == pytest.approx(expected, rel=1e-14)

    def test_no_lengths_option_raises(self, evaluate: Command) -> None:
        assert evaluate.refused("-m", "TBG@10").endswith("TBG@10: no document lengths in words. Use --lengths FILE.")

    def test_missing_length_raises(self, evaluate: Command) -> None:
        Path("words").write_text("a 100\n")
        said = evaluate.refused("-m", "TBG", "--lengths", "words")
        assert "words: no length of the document at rank 1 of topic q in bm25" in said

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("a ten\n", f"words:1: found 'a ten', {EACH_A_NUMBER}"),
            ("", "words: found no lengths, expected at least one"),
            ("a 1\na 1\n", "words: duplicate document 'a'"),
        ],
    )
    def test_malformed(self, content: str, expected: str, evaluate: Command) -> None:
        Path("words").write_text(content)
        assert expected in evaluate.refused("-m", "TBG", "--lengths", "words")

    def test_no_such_file(self, evaluate: Command) -> None:
        said = evaluate.refused("-m", "TBG", "--lengths", "nowhere")
        assert "cannot read nowhere: no such file or directory" in said

    def test_module_runs_as_program(self) -> None:
        """The exit code and the error as a shell sees them."""
        Path("words").write_text("a 100\nx -5\n")
        command = ["evaluate", "qrels", "run", "-m", "TBG", "--lengths", "words"]
        program = [sys.executable, "-m", "cranfield"]
        done = subprocess.run([*program, *command], check=False, capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stdout == ""
        assert "found" in done.stderr
        assert "Traceback" not in done.stderr


def test_read_lengths_no_break_space_is_no_separator(tmp_path: Path) -> None:
    """Only ASCII blanks do, and the line is named."""
    (tmp_path / "lengths").write_text("d1 4\nd2\u00a05\n", encoding="utf-8")
    with pytest.raises(cf.CranfieldError, match=r"lengths:2: found .* expected a document and its"):
        read_lengths(str(tmp_path / "lengths"))


def test_read_lengths_json_list_raises(tmp_path: Path) -> None:
    (tmp_path / "lengths.json").write_text("[1]")
    with pytest.raises(cf.CranfieldError, match=r"found JSON that is not an object, expected {doc:"):
        read_lengths(str(tmp_path / "lengths.json"))
