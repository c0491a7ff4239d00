"""LETOR data as judgments, predictions as runs, the order of a file, and LETOR's three tools."""

from __future__ import annotations

import bz2
import gzip
import json
import math
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.reading import letor
from cranfield.data.reading.formats import FORMAT, guess_format
from cranfield.data.reading.records import Problem, Record
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Irregular
from cranfield.data.run_reader import read_run
from cranfield.tools.letor import (
    DEPTH,
    eval_rank,
    eval_score,
    format_blocks,
    read_results,
    run_t_tests,
)
from tests.evidence import checks
from tests.made import examples, exit_code

TEST = """# LETOR's own files begin with data; comments and blank lines do no harm
2 qid:1 1:0.5 2:0.25 #docid = GX001 inc = 1 prob = 0.08
0 qid:1 1:0.5 2:0.25 #docid=GX002

1\tqid:1  1:0.5
0 qid:2 # docid = a
1 qid:2 1:3
"""
JUDGED = {"1": {"GX001": 2.0, "GX002": 0.0, "5": 1.0}, "2": {"a": 0.0, "7": 1.0}}
PREDICTED = [0.1, 0.5, 0.5, 1.0, 1.0]  # so GX002, 5, GX001; and a, 7

QUICK = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
Pieces = Callable[[int], None]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with data and predictions in it."""
    monkeypatch.chdir(tmp_path)
    write("test.txt", TEST)
    write("model", lines(PREDICTED))
    return tmp_path


def write(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def lines(values: Any) -> str:
    return "".join(f"{value!r}\n" for value in values)


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(cf.CranfieldError) as caught:
        call()
    return str(caught.value)


def one_list(levels: list[int]) -> None:
    """A query whose documents are predicted in the order given."""
    write("one.txt", "".join(f"{level} qid:7 1:0\n" for level in levels))
    write("one.pred", lines(-i for i in range(len(levels))))


def results(path: str) -> dict[str, list[float]]:
    """The lines of a result file: what stands before the colon, and the numbers after it."""
    rows = [line.split(":") for line in Path(path).read_text().splitlines() if line]
    return {f"{name}:": [float(value) for value in values.split()] for name, values in rows}


# -- the paper -----------------------------------------------------------------------------------


@checks("cranfield letor", against="Xu, Liu and Li")
def test_precision_of_the_paper() -> None:
    """Section 3: {relevant, irrelevant, irrelevant, relevant, relevant, relevant, …}."""
    one_list([1, 0, 0, 1, 1, 1, 0, 0, 1, 1])
    assert main(["letor", "eval-score", "one.txt", "one.pred", "out", "1", "--depth", "10"]) == 0
    paper = [1, 1 / 2, 1 / 3, 2 / 4, 3 / 5, 4 / 6, 4 / 7, 4 / 8, 5 / 9, 6 / 10]
    assert results("out")["precision of query0:"] == pytest.approx(paper, rel=1e-14)
    # AP: the precisions at the six relevant documents, over six.
    ap = (1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 6
    assert results("out")["Map of query0:"] == pytest.approx([ap], rel=1e-14)


def test_ndcg_of_the_paper() -> None:
    """Gains 2^r − 1 of the levels 0, 2, 1 are 0, 3, 1; rank 1 counts whole, rank j 1/log2(j)."""
    one_list([0, 2, 1])
    assert main(["letor", "eval-score", "one.txt", "one.pred", "out", "1", "--depth", "4"]) == 0
    # Ideal: 3, 3 + 1/1, and no more. The list: 0, 0 + 3/1, 3 + 1/log2(3).
    at_3 = (3 + 1 / math.log2(3)) / 4
    assert results("out")["NDCG of query0:"] == pytest.approx([0, 3 / 4, at_3, at_3], rel=1e-14)


def test_graded_labels_are_relevant_above_zero_and_queries_without_one_get_zero() -> None:
    """Errata of the paper: any level above 0 counts for P and MAP; Z_n is undefined, 0 returned."""
    write("one.txt", "1 qid:a\n2 qid:a\n0 qid:b\n")
    write("one.pred", "2\n1\n5\n")
    assert main(["letor", "eval-score", "one.txt", "one.pred", "out", "1", "--depth", "2"]) == 0
    found = results("out")
    assert found["precision of query0:"] == [1, 1]
    for block in ("precision", "Map", "NDCG"):
        assert set(found[f"{block} of query1:"]) == {0.0}
    assert found["MAP:"] == [0.5]


# -- a second writing ----------------------------------------------------------------------------


def naive(levels: list[float], scores: list[float], depth: int) -> list[float]:
    """P@1, …, AP, NDCG@1, … as the paper says them, with Python's stable sort."""
    order = sorted(range(len(levels)), key=lambda i: -scores[i])
    ranked = [levels[i] for i in order] + [0.0] * depth
    relevant = [level > 0 for level in ranked]
    precision = [sum(relevant[:n]) / n for n in range(1, len(ranked) + 1)]
    total = sum(level > 0 for level in levels)
    ap = sum(p for p, is_relevant in zip(precision, relevant, strict=True) if is_relevant)

    def dcg(of: list[float], n: int) -> float:
        worth = (2**level - 1 for level in of[:n])
        return sum(g if j == 1 else g / math.log2(j) for j, g in enumerate(worth, 1))

    ideal = sorted(ranked, reverse=True)
    ndcg = [dcg(ranked, n) / dcg(ideal, n) if total else 0.0 for n in range(1, depth + 1)]
    return [*precision[:depth], ap / total if total else 0.0, *ndcg]


@st.composite
def data(draw: st.DrawFn) -> list[tuple[int, str, float, str]]:
    """Lines in any order: a level, a query, a prediction that is likely tied, a comment."""
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 4),
                st.sampled_from(["1", "2", "q10"]),
                st.sampled_from([-1.5, 0.0, 0.25, 1e-3, 7.0]),
                st.sampled_from(["", "#docid = {}", "# x docid={} inc = 1", "\n# docid = x\n"]),
            ),
            min_size=1,
            max_size=30,
        )
    )
    if draw(st.booleans()):
        rows.sort(key=lambda row: row[1])
    return [(a, b, c, d.format(f"d{i}")) for i, (a, b, c, d) in enumerate(rows)]


def written(rows: list[tuple[int, str, float, str]]) -> None:
    write("any.txt", "".join(f"{x} qid:{q} 1:0.{i} {c}\n" for i, (x, q, _, c) in enumerate(rows)))
    write("any.pred", lines(score for _, _, score, _ in rows))


@checks("cranfield letor", against="second writing")
@QUICK
@given(rows=data(), depth=st.integers(1, 5))
def test_scores_are_those_of_a_second_writing(rows: list[tuple[int, str, float, str]], depth: int) -> None:
    written(rows)
    scores = eval_score("any.txt", "any.pred", depth)
    for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
        mine = [(float(level), score) for level, query, score, _ in rows if query == topic]
        levels, predicted = map(list, zip(*mine, strict=True))
        assert values == pytest.approx(naive(levels, predicted, depth), rel=1e-12, abs=1e-15)


@QUICK
@given(rows=data(), depth=st.integers(1, 5))
def test_positions_say_what_scores_say(rows: list[tuple[int, str, float, str]], depth: int) -> None:
    written(rows)
    positions = [0] * len(rows)
    for query in {row[1] for row in rows}:
        mine = [i for i, row in enumerate(rows) if row[1] == query]
        for position, i in enumerate(sorted(mine, key=lambda i: -rows[i][2]), 1):
            positions[i] = position
    write("any.pos", lines(positions))
    by_score, by_rank = (
        eval_score("any.txt", "any.pred", depth),
        eval_rank("any.txt", "any.pos", depth),
    )
    assert by_rank.values.tolist() == by_score.values.tolist()
    assert not [n for n in by_rank.notes if n.kind == "ties"]


def test_untied_predictions_score_as_in_trec_eval() -> None:
    random = np.random.default_rng(3)
    levels, queries = random.integers(0, 3, 200), np.sort(random.integers(0, 8, 200))
    scores = random.permutation(200) / 8  # which 32 bits hold
    write("many.txt", "".join(f"{x} qid:{q} 1:1\n" for x, q in zip(levels, queries, strict=True)))
    write("many.pred", lines(scores.tolist()))
    found = cf.evaluate("many.txt", "many.pred", ["AP", "P@5", "nDCG@10"])
    judged: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for line, (x, q, s) in enumerate(zip(levels, queries, scores, strict=True), 1):
        judged.setdefault(str(q), {})[str(line)] = int(x)
        run.setdefault(str(q), {})[str(line)] = float(s)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map", "P.5", "ndcg_cut.10"})
    for topic, theirs in evaluator.evaluate(run).items():
        ours = [found["many.pred", topic, m] for m in ("AP", "P@5", "nDCG@10")]
        assert ours == pytest.approx([theirs[m] for m in ("map", "P_5", "ndcg_cut_10")], abs=1e-12)


# -- later releases ------------------------------------------------------------------------------


def later(version: str, flag: str = "1", *options: str) -> str:
    """What eval-score writes as a later release."""
    args = ["eval-score", "test4.txt", "model4", "out", flag, "--as-version", version, *options]
    assert main(["letor", *args]) == 0
    return Path("out").read_text()


def test_the_layout_of_letor_4() -> None:
    """By hand. Query 20 in predicted order: 0, 2, 1; query 7: 1. Discounts 1, 1, log2(3)."""
    write("test4.txt", "2 qid:20 1:0 #docid = a\n1 qid:20 1:0\n0 qid:20 1:0\n1 qid:7 1:0\n")
    write("model4", "2\n1\n3\n0\n")
    at_3 = (3 + 1 / math.log2(3)) / 4  # 0.9077
    mean = (0 + 3 / 4 + at_3) / 3  # 0.5526
    ap = (1 / 2 + 2 / 3) / 2  # 0.5833
    rows = [
        "qid\tP@1\tP@2\tP@3\tP@4\tMAP",
        "7\t1.0000\t0.5000\t0.3333\t0.2500\t1.0000",
        f"20\t0.0000\t0.5000\t0.6667\t0.5000\t{ap:.4f}",
        f"Average\t0.5000\t0.5000\t0.5000\t0.3750\t{(1 + ap) / 2:.4f}",
        "",
        "qid\tNDCG@1\tNDCG@2\tNDCG@3\tNDCG@4\tMeanNDCG",
        "7\t1.0000\t0.0000\t0.0000\t0.0000\t1.0000",
        f"20\t0.0000\t0.7500\t{at_3:.4f}\t0.0000\t{mean:.4f}",
        f"Average\t0.5000\t0.3750\t{at_3 / 2:.4f}\t0.0000\t{(1 + mean) / 2:.4f}",
        "",
    ]
    assert later("4", "1", "--depth", "4") == "\n".join(rows) + "\n"
    means = [row for row in rows if not row.startswith(("7", "20"))]
    assert later("4", "0", "--depth", "4") == "\n".join(means) + "\n"
    assert later("4").count("@10\t") == 2


def test_mslr_counts_levels_from_2(capsys: Capture) -> None:
    write("test4.txt", "1 qid:1\n2 qid:1\n4 qid:1\n")
    write("model4", "3\n2\n1\n")
    precision, ndcg = later("mslr", "1", "--depth", "3").split("\n\n")[:2]
    assert precision.splitlines()[1] == f"1\t0.0000\t0.5000\t0.6667\t{(1 / 2 + 2 / 3) / 2:.4f}"
    best = [15, 18, 18 + 1 / math.log2(3)]  # gains 15, 3, 1
    found = [1, 4, 4 + 15 / math.log2(3)]
    at = [a / b for a, b in zip(found, best, strict=True)]
    assert ndcg.splitlines()[1] == "1\t" + "\t".join(f"{x:.4f}" for x in [*at, sum(at) / 3])
    assert not [line for line in capsys.readouterr().err.splitlines() if "fewer than" in line]


def test_later_releases_tell_of_short_lists_and_tidy_tables_have_their_numbers(
    capsys: Capture,
) -> None:
    write("test4.txt", "1 qid:a\n1 qid:b\n0 qid:b\n")
    write("model4", "3\n2\n1\n")
    text = later("4", "1", "--tidy", "--depth", "2")
    assert (
        "1 topic (a) with fewer than 2 documents: NDCG@n is 0 if n is larger, as in Eval-Score 4.0"
        in capsys.readouterr().err
    )
    assert "a\tnDCG(gain=exp, discount=jk)@2\t0.0\n" in text
    assert "a\tMeanNDCG(gain=exp, discount=jk)\t1.0\n" in text


@pytest.mark.parametrize(
    ("version", "level", "said"),
    [("4", "3", "level 3, expected an integer from 0 to 2 (Eval-Score 4.0)"),
     ("mslr", "5", "level 5, expected an integer from 0 to 4 (MSLR's Eval-Score)"),
     ("mslr", "-1", "level -1, expected an integer from 0 to 4 (MSLR's Eval-Score)"),
     ("4", "0.5", "level 0.5, expected an integer from 0 to 2 (Eval-Score 4.0)")],
)  # fmt: skip
def test_levels_that_a_release_does_not_know(version: str, level: str, said: str) -> None:
    """The programs would take them for 0, or stop."""
    text = f"# first\n1 qid:1\n0 qid:2\n\n{level} qid:1\n"
    write("test4.txt", text)
    write("model4", "3\n2\n1\n")
    found = refused(lambda: eval_score("test4.txt", "model4", as_version=version))
    assert found == f"test4.txt:5: found {said}"


@QUICK
@given(rows=data(), depth=st.integers(1, 5))
def test_mean_ndcg_is_that_of_all_ranks(rows: list[tuple[int, str, float, str]], depth: int) -> None:
    written(rows)
    scores = eval_score("any.txt", "any.pred", depth, as_version="mslr")
    for topic, values in zip(scores.topics, scores.values[0].tolist(), strict=True):
        mine = [(float(level), score) for level, query, score, _ in rows if query == topic]
        levels, predicted = map(list, zip(*mine, strict=True))
        n = len(levels)
        ndcg = naive(levels, predicted, n)[-n:]
        at = [*ndcg, *[0.0] * depth][:depth]
        assert values[depth + 1 :] == pytest.approx([*at, sum(ndcg) / n], rel=1e-12, abs=1e-15)
        high = naive([float(x >= 2) for x in levels], predicted, depth)
        assert values[: depth + 1] == pytest.approx(high[: depth + 1], rel=1e-12, abs=1e-15)


# -- judgments -----------------------------------------------------------------------------------


def test_judgments_have_docids_or_the_numbers_of_their_lines() -> None:
    assert guess_format(Source.from_path("test.txt")).name == "letor"
    assert cf.read_qrels("test.txt").to_dict() == JUDGED


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_pieces_change_nothing(pieces: Pieces, size: int) -> None:
    pieces(size)
    read = cf.read_qrels("test.txt")
    assert read.to_dict() == JUDGED
    assert read.lines == slice(None)  # nothing had to be put in another order
    assert cf.evaluate("test.txt", "model", "AP").topics == ("1", "2")


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.replace(b"\n", b"\r\n"), lambda x: b"\xef\xbb\xbf" + x, gzip.compress,
        bz2.compress, lambda x: x.removesuffix(b"\n"), lambda x: x.replace(b" ", b" \t "),
    ],
    ids=["CRLF", "BOM", "gz", "bz2", "no last newline", "blanks"],
)  # fmt: skip
def test_however_it_is_written(change: Callable[[bytes], bytes]) -> None:
    write("other", change(TEST.encode()))
    assert cf.read_qrels("other").to_dict() == JUDGED


def test_the_kinds_of_data_there_are() -> None:
    """LETOR 4.0 and 3.0, MSLR (a blank at the end), Yahoo!, Istella, what scikit-learn writes."""
    for text, docs in {
        "2 qid:10032 1:0.056537 46:0.076923 #docid = GX029-35-5894638 inc = 0.01 prob = 0.13\n": ["GX029-35-5894638"],
        "0 qid:1 1:3 25:1.0 #docid = 244338\n": ["244338"],
        "2 qid:1 1:3 2:3 136:0 \n0 qid:1 1:3 136:0 \n": ["1", "2"],
        "1.0 qid:1 0:0.5\n": ["1"],
        "2 qid:1#docid = x\n": ["x"],
        "2 qid:1 #docid = http://a?b=c#d docid = y\n": ["http://a?b=c#d"],
        "2 qid:1 #docid = \n": ["1"],
        "  2   qid:1\n": ["1"],
        "-1 qid:1\n+1 qid:1\n1e0 qid:1\n": ["1", "2", "3"],
    }.items():
        write("other", text)
        read = cf.read_qrels("other", "letor")
        assert read.doc_names == docs
        assert read.topics in (("1",), ("10032",))


def test_features_may_be_anything_and_heads_long() -> None:
    """Only the ends of a line are looked at, wherever its head ends."""
    query, far = "q" * 500, " " * 300
    text = f"2 qid:{query} nan:x 2:{'9' * 40_000}\n1{far}qid:{query}{far}::: # docid = é\n"
    write("other", text)
    assert cf.read_qrels("other").to_dict() == {query: {"1": 2.0, "é": 1.0}}


def test_qids_longer_than_most_heads_are_read_whole() -> None:
    """Nothing else on these lines is long."""
    one, other = "q" * 100, "q" * 101
    write("other", f"2 qid:{one} 1:3\n1 qid:{other} 1:3\n")
    assert cf.read_qrels("other").to_dict() == {one: {"1": 2.0}, other: {"2": 1.0}}


def test_many_number_signs_cost_no_more_than_other_characters() -> None:
    """To begin again at each of them would take minutes."""
    write("other", f"2 qid:1 {'#' * 100_000}\n1 qid:1 {'#' * 100_000} docid = a\n")
    start = time.process_time()
    assert cf.read_qrels("other").to_dict() == {"1": {"1": 2.0, "a": 1.0}}
    assert not any(isinstance(x, Problem) for x in FORMAT["letor"].check_records(Source.from_path("other"), "qrels"))
    assert time.process_time() - start < 10


LINE = st.tuples(
    st.sampled_from(["2", "0.5", " 1", "x", "nan", "", "-1", "#"]),
    st.sampled_from([" ", "\t", "  ", ""]),
    st.sampled_from(["qid:1", "qid:", "qid:2#", "qi", "1:2", "qid:é", "QID:1", "qid:all", ""]),
    st.sampled_from(
        [
            "",
            " 1:0.5",
            " #docid = a",
            "#docid=b c",
            " # docid =",
            "\r",
            " #mydocid=q",
            " # w1 x",
            " #w2",
        ]
    ),
).map("".join)


@QUICK
@given(found=st.lists(LINE, max_size=6), size=st.integers(1, 40))
def test_the_fast_reader_and_the_slow_one_agree(pieces: Pieces, found: list[str], size: int) -> None:
    pieces(size)
    source = Source.from_path(write("any", "\n".join(found)))
    slow = list(FORMAT["letor"].check_records(source, "qrels"))
    records = [item for item in slow if isinstance(item, Record)]
    judged: dict[str, dict[str, float]] = {}
    for record in records:
        judged.setdefault(record.topic, {})[record.doc] = record.value or 0.0
    if any(isinstance(item, Problem) and item.severity == "error" for item in slow):
        said = refused(lambda: cf.read_qrels("any", "letor"))
        assert said.startswith("any: file is empty" if not any(found) else "any:")
    else:
        assert cf.read_qrels("any", "letor").to_dict() == judged


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 1:0.5 2:3\n", ":1: found no qid in the second field ('2 1:0.5 2:3'), expected level"),
        ("2\n", ":1: found no qid in the second field ('2'), expected level qid:ID features # com"),
        ("2 qid: 1:3\n", ":1: found a qid without a name ('2 qid: 1:3'), expected level qid:ID"),
        ("1 qid:1\nx qid:1\n", ":2: found level 'x', expected a finite number"),
        ("1 qid:1\n\nnan qid:1\n", ":3: found level 'nan', expected a finite number"),
        ("1 qid:1\n1_0 qid:1\n", ":2: found level '1_0', expected a finite number"),
        ("1 qid:all\n", ":1: found a topic named 'all', expected another name"),
        (
            "1 qid:1 #docid = a\n1 qid:2 #docid = a\n0 qid:1 #docid = a\n",
            ":3: duplicate document 'a' in topic 1 (first on line 1)",
        ),
        (b"1 qid:1\n1 qid:1 #docid = \xff\n", ":2: found bytes that are not UTF-8"),
        ("", ": file is empty"),
        ("# nothing\n", ": no judgments in file"),
    ],
)
def test_bad_data_is_refused_with_its_line(text: str | bytes, said: str) -> None:
    write("bad", text)
    assert refused(lambda: cf.read_qrels("bad", "letor")).startswith(f"bad{said}")


def test_most_lines_tell_the_format() -> None:
    """A line with a mistake in it does not, not even the first; nor does a line that is cut."""
    write("other", "2 1:3\n1 qid:1 1:3\n0 qid:1 1:3\n")
    assert refused(lambda: cf.read_qrels("other")).startswith("other:1: found no qid")
    write("other", f"2 qid:1 {'1:0.5 ' * 9000}\n")
    assert guess_format(Source.from_path("other")).name == "letor"
    assert guess_format(Source.from_path(write("other", "q1 0 qid:1 1\n"))).name == "trec"
    write("other", "1 0 a 1\n1 qid:1 b 2\n1 0 c 0\n")  # an iteration may be called anything
    assert cf.read_qrels("other").to_dict() == {"1": {"a": 1.0, "b": 2.0, "c": 0.0}}


@pytest.mark.slow
def test_the_text_is_not_kept(pieces: Pieces) -> None:
    """20 MB of features, and no more memory than a few pieces and the judgments need."""
    pieces(1 << 16)
    write("wide", "".join(f"{i % 3} qid:{i // 100} {'1:0.5 ' * 170}\n" for i in range(20_000)))
    tracemalloc.start()
    read = cf.read_qrels("wide")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(read.levels) == 20_000
    assert peak < Path("wide").stat().st_size / 4


# -- predictions ---------------------------------------------------------------------------------


def test_predictions_in_memory_are_those_of_a_file() -> None:
    expected = cf.evaluate("test.txt", "model", "AP nDCG@10")
    # GX002 (0), 5 (1), GX001 (2): (1/2 + 2/3)/2; a (0), 7 (1): 1/2.
    assert expected.values[0, :, 0].tolist() == pytest.approx([7 / 12, 1 / 2])
    assert expected.runs == ("model",)
    array = np.array(PREDICTED)
    for given_as in (
        PREDICTED, tuple(PREDICTED), array, list(array), polars.Series(PREDICTED),
        pandas.Series(PREDICTED, index=range(5, 0, -1)), array.astype(np.float64)[::-1][::-1],
    ):  # fmt: skip
        found = cf.evaluate("test.txt", given_as, "AP nDCG@10")
        assert found.values.tolist() == expected.values.tolist()
        assert found.runs == ("run",)
    qrels = cf.read_qrels("test.txt")
    assert cf.evaluate(qrels, array, "AP").values[0, 0, 0] == expected.values[0, 0, 0]


def test_several_predictions() -> None:
    other = [3, 1, 2, 0, 5]  # whole numbers will do
    array = np.array(other)
    for runs, names in (
        ({"a": PREDICTED, "b": array}, ("a", "b")),
        (["model", array], ("model", "run1")),
        ([PREDICTED, [float(x) for x in other]], ("run1", "run2")),
    ):
        found = cf.evaluate("test.txt", runs, "AP")
        assert found.runs == names
        assert found.values[:, :, 0].tolist() == pytest.approx(np.array([[7 / 12, 1 / 2], [1.0, 1.0]]))
    assert cf.evaluate("test.txt", other, "AP").summary() == {"run": {"AP": 1.0}}


class Column:
    """As a column of pyarrow: it can become an array, and has neither shape nor dtype."""

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype)


def test_whatever_becomes_an_array() -> None:
    expected = cf.evaluate("test.txt", "model", "AP").values.tolist()
    column = Column(PREDICTED)
    for runs in (column, {"a": column}, [column]):
        assert cf.evaluate("test.txt", runs, "AP").values.tolist() == expected


def test_predictions_after_comments() -> None:
    expected = cf.evaluate("test.txt", "model", "AP").values.tolist()
    write("model", f"# x\n{lines(PREDICTED)}# the end\n")
    assert cf.evaluate("test.txt", "model", "AP").values.tolist() == expected
    write("model", "# x\n" * 200 + lines(PREDICTED))
    assert cf.evaluate("test.txt", "model", "AP").values.tolist() == expected
    assert eval_score("test.txt", "model").runs == ("model",)


def test_lists_of_whole_numbers() -> None:
    """As many as there are judgments are predictions; any other number are documents."""
    write("three.txt", "0 qid:1\n1 qid:1\n0 qid:1\n")

    def rr(runs: Any, qrels: Any = "three.txt") -> list[float]:
        found: list[float] = cf.evaluate(qrels, runs, "RR").values[:, 0, 0].tolist()
        return found

    assert rr({"a": [3, 2, 1]}) == [1 / 2]
    assert rr({"a": [3, 2, 1], "b": [1, 2, 0]}) == [1 / 2, 1]
    assert rr([[3, 2, 1], [1, 2, 0]]) == [1 / 2, 1]
    assert rr({"1": [1, 3, 4, 2]}) == [1 / 4]  # the list of topic 1
    assert rr({"1": [1, 2, 3]}, {"1": {"1": 0, "2": 0, "3": 1}}) == [1 / 3]


def test_a_format_that_is_named_is_obeyed() -> None:
    said = refused(lambda: cf.evaluate("test.txt", "model", "AP", run_format="trec"))
    assert said.startswith("model:1: found 1 field ('0.1'), expected 6: topic q0 doc rank score")
    write("trec", "1 Q0 GX001 1 3 bm25\n")
    said = refused(lambda: cf.evaluate("test.txt", "trec", "AP", run_format="letor"))
    assert said == "trec:1: found '1 Q0 GX001 1 3 bm25', expected one number per line"


def test_predictions_of_queries_that_are_not_together() -> None:
    """They stand where the lines stand, whatever the order of the queries."""
    write("apart.txt", "1 qid:a\n0 qid:b\n0 qid:a\n1 qid:b\n")
    scores = cf.evaluate("apart.txt", [1.0, 9.0, 5.0, 2.0], "RR")
    assert dict(zip(scores.topics, scores.values[0, :, 0], strict=True)) == {"a": 0.5, "b": 0.5}
    write("apart.pos", "1\n2\n2\n1\n")
    assert eval_rank("apart.txt", "apart.pos").summary()["apart.pos"]["AP"] == 1.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "1\n2\n\n3\n4\n",
            ":6: found 4 predictions, expected 5 (one per judgment of test.txt)",
        ),
        ("1\n2\n3\n4\n5\n6\n7\n", ":6: found 7 predictions, expected 5 (one per judgment of"),
        ("1\n2\nnan\n4\n5\n", ":3: found 'nan', expected one number per line"),
        ("1\n2\n# no\n\n-inf\n4\n5\n", ":5: found '-inf', expected one number per line"),
        ("1\n2\nx\n4\n5\n", ":3: found 'x', expected one number per line"),
        ("1\n2 3\n4\n5\n", ":2: found '2 3', expected one number per line"),
        (b"1\n2\n\xff\n4\n5\n", ":3: found bytes that are not UTF-8"),
    ],
)
def test_bad_predictions_are_refused_with_their_line(text: str | bytes, said: str) -> None:
    write("bad", text)
    assert refused(lambda: cf.evaluate("test.txt", "bad", "AP")).startswith(f"bad{said}")


def test_bad_arrays_are_refused() -> None:
    def said(data: Any) -> str:
        return refused(lambda: cf.evaluate("test.txt", data, "AP"))

    assert said([1.0]) == "run: found 1 prediction, expected 5 (one per judgment of test.txt)"
    assert said([1, 2, math.nan, 4, 5]) == "run: found prediction 3: nan, expected a finite number"
    assert "found float64 of shape 5×1, expected predictions" in said(np.zeros((5, 1)))
    assert "expected predictions: one number per judgment" in said([1, 2, "x", 4, 5])
    assert "expected predictions: one number per judgment" in said(np.array(["a"] * 5))
    assert "found 0 predictions, expected 5" in said(np.array([]))
    assert "found bool of shape 5, expected predictions" in said(np.array([True] * 5))
    assert "found float64 of shape none, expected predictions" in said(np.array(1.0))
    several = {"svm": np.array(PREDICTED), "boosted": np.zeros(3)}
    assert said(several).startswith("boosted: found 3 predictions, expected 5")
    several["boosted"] = np.full(5, np.inf)
    assert said(several) == "boosted: found prediction 1: inf, expected a finite number"


def test_predictions_need_letor_data() -> None:
    write("qrels", "1 0 a 1\n")
    expected = "run: found predictions, expected documents with their scores, or LETOR data"
    assert refused(lambda: cf.evaluate("qrels", [1.0], "AP")).startswith(expected)
    assert refused(lambda: read_run(np.zeros(1))).startswith(expected)
    assert refused(lambda: cf.evaluate("qrels", "model", "AP")).startswith("model:1: found 1 field")
    assert refused(lambda: cf.evaluate("test.txt", "model", "AP", ties="rank")).startswith(
        'model: no ranks, which order="rank" requires'
    )


def test_trec_runs_are_scored_against_letor_data() -> None:
    write("trec", "1 Q0 GX001 1 3 bm25\n1 Q0 x 2 2 bm25\n1 Q0 5 3 1 bm25\n2 Q0 7 1 1 bm25\n")
    found = cf.evaluate("test.txt", ["trec", "model"], "AP")
    assert found.runs == ("bm25", "model")
    assert found.values[0, :, 0].tolist() == pytest.approx([(1 + 2 / 3) / 2, 1.0])
    write("stray", "1 Q0 GX001 1 3 bm25\n0.5\n2 Q0 7 1 1 bm25\n")
    said = refused(lambda: cf.evaluate("test.txt", "stray", "AP"))
    assert said.startswith("stray:2: found 1 field ('0.5'), expected 6: topic q0 doc rank score")


@pytest.mark.parametrize("command", ["letor eval-score {} {} out 0", "evaluate {} {} -m AP"])
def test_hints(command: str, capfd: Capture) -> None:
    """What RankLib writes; and the two files in the wrong order."""
    write("ranklib", "1\t0\t0.1\n1\t1\t0.5\n1\t2\t0.5\n2\t0\t1.0\n2\t1\t1.0\n")
    for files, said in (
        (("test.txt", "ranklib"), "cut -f 3"),
        (("model", "test.txt"), "(this looks like predictions: judgments must come first)\n"),
    ):
        assert main(command.format(*files).split()) == 2
        err = capfd.readouterr().err
        assert err.startswith(f"{files[0] if 'look' in said else files[1]}:1: ")
        assert said in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"1\t0\t0.1\n1\t1\t0.5\n1\t2\t0.5\n2\t3\t1.0\n2\t4\t1.0\n", "use `cut -f 3`)"),
        (b",prediction\n0,0.1\n1,0.5\n", "found ',prediction', expected one number per line"),
        (b"0,5\n0,7\n", "found '0,5', expected one number per line"),
        (
            "0.5\n0.7\n".encode("utf-16"),
            "expected UTF-8. Convert it with `iconv -f UTF-16 -t UTF-8`.",
        ),
        (
            b"\x93NUMPY\x01\x00v\x00",
            "wrong: NumPy file. Pass the array of numpy.load, or write it with np.savetxt.",
        ),
    ],
)
def test_what_learners_write_instead_of_predictions(text: bytes, said: str) -> None:
    Path("wrong").write_bytes(text)
    found = refused(lambda: cf.evaluate("test.txt", "wrong", "AP"))
    place = "wrong: " if "NumPy" in said else "wrong:1: "
    assert found.startswith(place)
    assert found.endswith(said)


def test_features_without_queries() -> None:
    write("noqid", "2 1:0.5 2:0.3 3:0.1 4:0 5:1\n0 1:0.5 2:0.3 3:0.1 4:0 5:1\n")
    said = refused(lambda: cf.read_qrels("noqid"))
    assert said.endswith("(features without qid:ID)")


def test_no_hint_where_it_does_not_fit() -> None:
    """No separator can be named for predictions, and judgments are not RankLib's scores."""
    write("bad", "1 5\n")
    assert refused(lambda: cf.read_qrels("bad")).endswith("are a pool without judgments)")
    write("bad", "1;2;3\n")
    said = refused(lambda: eval_score("test.txt", "bad"))
    assert said == "bad:1: found '1;2;3', expected one number per line"


def test_documents_are_explained_and_listed_in_the_order_of_the_file() -> None:
    shown = cf.label("test.txt", "model", "1")[0]
    assert [item.doc for item in shown.items] == ["GX002", "5", "GX001"]
    assert "GX002" in str(cf.explain("AP", "test.txt", PREDICTED, "1")).split("5")[0]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("cells", [1, 10**9])
def test_blocks_and_threads_change_nothing(
    monkeypatch: pytest.MonkeyPatch, pieces: Pieces, cells: int, threads: int
) -> None:
    random = np.random.default_rng(1)
    queries, levels = np.sort(random.integers(0, 50, 2000)), random.integers(0, 5, 2000)
    write("many.txt", "".join(f"{x} qid:{q} 1:1\n" for x, q in zip(levels, queries, strict=True)))
    write("many.pred", lines(random.integers(0, 9, 2000).tolist()))
    names = ["AP", "nDCG(letor=true)@10", "ERR"]
    expected = cf.evaluate("many.txt", "many.pred", names)
    monkeypatch.setattr("cranfield.data.run_reader.PART", 64)
    pieces(100)
    found = cf.evaluate("many.txt", "many.pred", names, block_cells=cells, threads=threads)
    assert found.values.tolist() == expected.values.tolist()
    assert found.notes == expected.notes


# -- the order of the file -----------------------------------------------------------------------

TIED = {"q": {"b": 1.0, "a": 2.0, "d": 1.0, "c": 2.0, "e": 1.0}, "p": {"z": 0.0, "y": 0.0}}
IN_ORDER = {"q": ["a", "c", "b", "d", "e"], "p": ["z", "y"]}
GRADES = {"q": {"a": 0, "b": 3, "c": 1, "d": 0, "e": 2}, "p": {"y": 1}}


def tied_runs() -> dict[str, Any]:
    """The same run in every shape."""
    rows = [(t, d, s) for t, docs in TIED.items() for d, s in docs.items()]
    text = "".join(f"{t} Q0 {d} {i} {s} r\n" for i, (t, d, s) in enumerate(rows, 1))
    table = {
        "topic": [r[0] for r in rows],
        "doc": [r[1] for r in rows],
        "score": [r[2] for r in rows],
    }
    frame = polars.DataFrame(table)
    frame.write_parquet("tied.parquet")
    frame.write_csv("tied.csv")
    return {
        "dict": TIED,
        "tuples": rows,
        "polars": frame,
        "pandas": pandas.DataFrame(table),
        "trec": write("tied.txt", text),
        "csv": "tied.csv",
        "parquet": "tied.parquet",
        "json": write("tied.json", json.dumps(TIED)),
        "read": cf.read_run(TIED),
    }


@pytest.mark.parametrize("shape", [
    "dict", "tuples", "polars", "pandas", "trec", "csv", "parquet", "json", "read",
])  # fmt: skip
def test_ties_stay_in_the_order_of_the_file(shape: str) -> None:
    run = tied_runs()[shape]
    ordered = cf.evaluate(GRADES, IN_ORDER, "AP nDCG RR ERR")
    found = cf.evaluate(GRADES, run, "AP nDCG RR ERR", ties="file")
    assert found.values.tolist() == ordered.values.tolist()
    assert found.values.tolist() != cf.evaluate(GRADES, run, "AP nDCG RR ERR").values.tolist()
    assert [n.kind for n in found.notes if n.kind == "ties"] == ["ties"]
    read = read_run(run, ties="file")
    assert read.rankings() == IN_ORDER
    assert [read.rank_topic(topic) for topic in IN_ORDER] == list(IN_ORDER.values())
    assert read.find_tops(1)["q"][:2] == (["a"], True)
    shown = cf.label(GRADES, run, ties="file")
    assert {one.topic: [item.doc for item in one.items] for one in shown} == IN_ORDER


@QUICK
@given(
    scores=st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.5]), min_size=1, max_size=12),
    levels=st.lists(st.integers(0, 2), min_size=12, max_size=12),
    shuffled=st.randoms(use_true_random=False),
)
def test_the_order_is_that_of_a_stable_sort(scores: list[float], levels: list[int], shuffled: Any) -> None:
    docs = [f"d{i}" for i in range(len(scores))]
    shuffled.shuffle(docs)
    run = {"q": dict(zip(docs, scores, strict=True))}
    judged = {"q": dict(zip(docs, levels, strict=False))}
    expected = sorted(docs, key=lambda doc: -run["q"][doc])
    tuples = [("q", doc, score) for doc, score in run["q"].items()]
    text = "".join(f"q Q0 {doc} 1 {score!r} r\n" for _, doc, score in tuples)
    write("any", text)
    ordered = cf.evaluate(judged, {"q": expected}, "AP nDCG ERR")
    for given_as in (run, "any"):
        found = cf.evaluate(judged, given_as, "AP nDCG ERR", ties="file")
        assert found.values.tolist() == ordered.values.tolist()


def test_the_order_of_a_file_holds_for_lengths() -> None:
    """Those of the documents above decide how much time is left: dicts and frames alike."""
    lengths = {doc: 100.0 * 4**i for i, doc in enumerate("abcdeyz")}
    expected = cf.evaluate(GRADES, IN_ORDER, "TBG", lengths=lengths).values.tolist()
    for shape in ("dict", "polars", "trec"):
        run = tied_runs()[shape]
        found = cf.evaluate(GRADES, run, "TBG", lengths=lengths, ties="file")
        assert found.values.tolist() == expected
        assert cf.evaluate(GRADES, run, "TBG", lengths=lengths).values.tolist() != expected


def test_file_order_is_the_default_of_predictions_only() -> None:
    write("two.txt", "0 qid:1 #docid = a\n1 qid:1 #docid = b\n")
    write("two.run", "1 Q0 a 1 7 r\n1 Q0 b 2 7 r\n")  # b comes first: the larger id

    def ap(run: Any, ties: Any = None) -> float:
        return float(cf.evaluate("two.txt", run, "AP", ties=ties).values[0, 0, 0])

    assert [ap([7.0, 7.0]), ap([7.0, 7.0], "file"), ap([7.0, 7.0], "trec")] == [0.5, 0.5, 1.0]
    assert [ap("two.run"), ap("two.run", "file"), ap("two.run", "trec")] == [1.0, 0.5, 1.0]


def test_file_order_needs_scores_and_can_be_left() -> None:
    assert 'no scores, which ties="file" requires' in refused(lambda: cf.evaluate(GRADES, IN_ORDER, "AP", ties="file"))
    again = read_run(read_run(TIED, ties="file"), ties="trec")
    assert again.rankings() == {"q": ["c", "a", "e", "d", "b"], "p": ["z", "y"]}
    assert read_run(again).rankings() == again.rankings()


def test_other_orders_of_tied_predictions() -> None:
    def ap(ties: Any) -> list[float]:
        values: list[float] = cf.evaluate("test.txt", "model", "AP", ties=ties).values[0, :, 0].tolist()
        return values

    # Query 1: GX001 is last; 5 and GX002 are tied. Query 2: a and 7 are tied.
    last, first = (1 / 2 + 2 / 3) / 2, (1 + 2 / 3) / 2
    assert ap(None) == ap("file") == ap("worst") == pytest.approx([last, 1 / 2])
    assert ap("best") == pytest.approx([first, 1.0])
    assert ap("expected") == pytest.approx([(last + first) / 2, 3 / 4])
    assert ap("trec") == pytest.approx([last, 1 / 2])  # GX002 > 5, a > 7
    notes = cf.evaluate("test.txt", "model", "AP").notes
    assert [n.text for n in notes] == ["model: ties could change a score in 2 topics (1, 2): 4 of 4 tied documents"]


# -- the command ---------------------------------------------------------------------------------

# As Eval-Score of LETOR's first release writes it (where lists have 17 documents or more).
BLOCKS = """precision of query0:\t0\t0.5\t
precision of query1:\t0\t0.5\t
precision:0\t0.5\t

Map of query0:\t0.583333333333333
Map of query1:\t0.5
MAP:\t0.541666666666667

NDCG of query0:\t0\t0.25\t
NDCG of query1:\t0\t1\t
NDCG:\t0\t0.625\t"""
# Query 1 has the levels 0, 1, 2: NDCG@2 is (0 + 1/1) / (3 + 1/1); query 2 has 0, 1.


@pytest.mark.parametrize("name", ["eval-score", "Eval-Score"])
def test_the_layout(name: str, capfd: Capture) -> None:
    assert main(["letor", name, "test.txt", "model", "-", "1", "--depth", "2"]) == 0
    out, err = capfd.readouterr()
    assert out == BLOCKS
    assert err == ("note: model: ties could change a score in 2 topics (1, 2): 4 of 4 tied documents\n")
    assert main(["letor", name, "test.txt", "model", "-", "0", "--depth", "2"]) == 0
    means = [line for line in BLOCKS.splitlines(keepends=True) if "query" not in line]
    assert capfd.readouterr().out == "".join(means)


def test_the_layout_is_the_same_at_depth_1(capfd: Capture) -> None:
    """A tab after each value, and none after MAP, which is one at any depth."""
    assert main(["letor", "eval-score", "test.txt", "model", "-", "1", "--depth", "1"]) == 0
    cut = BLOCKS.replace("\t0.5\t", "\t").replace("\t0.25\t", "\t").replace("\t0.625\t", "\t")
    assert capfd.readouterr().out == cut.replace("\t0\t1\t", "\t0\t")


def test_means_are_added_up_query_by_query() -> None:
    """The program's sum is a loop over the queries. Rounded once (fsum), it ends in another digit.

    Of three documents, these are relevant; 13/27 = 0.481481481481481|481….
    """
    relevant = [2, 1, 1, 2, 3, 1, 0, 1, 2]
    write("many.txt", "".join(f"{i < n:d} qid:{q}\n" for q, n in enumerate(relevant, 1)
                              for i in range(3)))  # fmt: skip
    write("many.pred", "1\n" * 27)
    added = 0.0
    for n in relevant:
        added += n / 3
    assert f"{added / 9:.15g}" == "0.481481481481482"
    assert f"{math.fsum(n / 3 for n in relevant) / 9:.15g}" == "0.481481481481481"
    printed = format_blocks(eval_score("many.txt", "many.pred", 3), per_query=False)
    assert printed.splitlines()[0].split("\t")[2] == "0.481481481481482"


def test_the_depth_is_sixteen_unless_told(capfd: Capture) -> None:
    assert main(["letor", "eval-score", "test.txt", "model", "-", "0"]) == 0
    widths = [len(line.split(":")[1].split()) for line in capfd.readouterr().out.split("\n\n")]
    assert widths == [16, 1, 16] == [DEPTH, 1, DEPTH]


def test_the_tidy_table(capfd: Capture) -> None:
    arguments = ["letor", "eval-score", "test.txt", "model", "out.tsv", "1", "--depth", "2"]
    assert main([*arguments, "--tidy"]) == 0
    table = polars.read_csv("out.tsv", separator="\t", schema_overrides={"topic": polars.String})
    assert table.columns == ["topic", "measure", "value"]
    assert table["topic"].to_list() == ["1"] * 5 + ["2"] * 5 + ["all"] * 5
    found = {(topic, str(cf.parse_measure(m))): value for topic, m, value in table.iter_rows()}
    assert found["1", "AP"] == pytest.approx(7 / 12)
    assert found["all", str(cf.parse_measure("nDCG(letor=true)@2"))] == 0.625
    capfd.readouterr()
    assert main(["letor", "eval-score", "test.txt", "model", "-", "0", "--depth", "1", "--tidy"]) == 0
    assert capfd.readouterr().out.splitlines()[:3] == ["topic\tmeasure\tvalue", "all\tP@1\t0.0",
                                                       f"all\tAP\t{13 / 24!r}"]  # fmt: skip


def test_ties_of_the_command(capfd: Capture) -> None:
    for ties, mean in {"best": (5 / 6 + 1) / 2, "expected": (17 / 24 + 3 / 4) / 2}.items():
        assert main(["letor", "eval-score", "test.txt", "model", "out", "0", "--ties", ties]) == 0
        assert results("out")["MAP:"] == pytest.approx([mean])
    assert "mean over all orders of tied documents: exact for" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("positions", "said"),
    [
        (
            "1\n2\n\n2\n2\n1\n",
            ":4: duplicate position 2 in query 1 (first on line 2)",
        ),
        ("1\n2\n3\n2\n", ":5: found 4 predictions, expected 5"),
        ("0.1\n2\n3\n2\n1\n", ":1: found 0.1, expected an integer ≥ 0 (rank position)"),
        ("1\n-2\n3\n2\n1\n", ":2: found -2, expected an integer ≥ 0 (rank position)"),
        ("1\n-1\n3\n2\n1\n", ":2: found -1, expected an integer ≥ 0 (rank position)"),
        ("1\n2\nthree\n2\n1\n", ":3: found 'three', expected one number per line"),
    ],
)
def test_bad_positions(positions: str, said: str, capfd: Capture) -> None:
    write("positions", positions)
    assert main(["letor", "Eval-Rank", "test.txt", "positions", "out", "1"]) == 2
    assert capfd.readouterr().err.startswith(f"positions{said}")
    assert not Path("out").exists()


def test_of_two_positions_used_twice_the_earlier_line_is_told() -> None:
    """In the second query, whose lines stand between those of the first."""
    write("apart.txt", "1 qid:a\n0 qid:b\n1 qid:b\n0 qid:a\n")
    write("positions", "1\n2\n2\n1\n")
    assert refused(lambda: eval_rank("apart.txt", "positions")) == (
        "positions:3: duplicate position 2 in query b (first on line 2)"
    )


def test_positions_count_from_anywhere() -> None:
    write("positions", "10\n20\n30\n1\n0\n")  # GX001, GX002, 5; and 7, a
    assert main(["letor", "eval-rank", "test.txt", "positions", "out", "1"]) == 0
    assert results("out")["Map of query0:"] == pytest.approx([(1 + 2 / 3) / 2])
    assert results("out")["Map of query1:"] == [1.0]


def test_what_the_command_refuses(capfd: Capture) -> None:
    write("out", "before")
    for arguments, said in (
        (["test.txt", "none", "out", "1"], "cannot read none: no such file or directory"),
        (["-", "-", "out", "1"], "standard input (-) can be used only once"),
        (["model", "model", "out", "1"], "model:1: found no qid in the second field ('0.1')"),
        (["test.txt", "test.txt", "out", "1"], "test.txt:2: found '2 qid:1 1:0.5"),
        (["test.txt", "model", "nowhere/out", "1"], "cannot write nowhere/out: there is no direct"),
    ):
        assert main(["letor", "eval-score", *arguments]) == 2
        assert said in capfd.readouterr().err
    for arguments in (["eval-rank", "-", "-", "out", "1"], ["ttest", "-", "-", "out"]):
        assert main(["letor", *arguments]) == 2
        assert capfd.readouterr().err == "standard input (-) can be used only once\n"
    assert Path("out").read_text() == "before"
    assert exit_code(["letor", "eval-score", "test.txt", "model", "out", "2"]) == 2


def test_validate(capfd: Capture) -> None:
    assert main(["validate", "test.txt", "model"]) == 0
    assert capfd.readouterr().out == ("test.txt: 5 judgments (letor), 2 topics: fine\nmodel: 5 results (letor): fine\n")
    write("short", "1\n2\n")
    write("bad.txt", "1 qid:1\nx qid:1\n0 1:3\n0 qid:2\n")
    assert main(["validate", "test.txt", "short", "bad.txt"]) == 2
    assert capfd.readouterr().out.splitlines()[1:] == [
        "short: error: found 2 predictions, expected 5 (one per judgment of test.txt)",
        "short: 2 results (letor): 1 error",
        "bad.txt:2: error: found level 'x', expected a finite number",
        "bad.txt:3: error: found no qid in the second field ('0 1:3'), expected level qid:ID features # comment",
        "bad.txt: warning: 1 topic (2) without a relevant document",
        "bad.txt: 2 judgments (letor), 2 topics: 2 errors, 1 warning",
    ]


# -- the t-test ----------------------------------------------------------------------------------


def result(ap: dict[str, float]) -> str:
    return "".join(f"Map of query{query}:\t{value!r}\n" for query, value in ap.items())


def test_a_t_test_by_hand(capfd: Capture) -> None:
    """Differences 1, 2, 3: mean 2, standard deviation 1, so t = 2·√3 with 2 degrees of freedom.

    Then P(|T| > t) = 1 − t / √(2 + t²) = 1 − √(12/14).
    """
    write("a", result({"1": 4, "2": 3, "3": 3}))
    write("b", result({"3": 0, "2": 1, "1": 3}))  # paired by query, whatever the order
    assert main(["letor", "ttest", "a", "b", "-", "--tidy"]) == 0
    header, row = (line.split("\t") for line in capfd.readouterr().out.splitlines())
    assert header == ["measure", "mean_a", "mean_b", "difference", "t", "p"]
    assert row[0] == "AP"
    by_hand = [10 / 3, 4 / 3, 2, 2 * math.sqrt(3), 1 - math.sqrt(12 / 14)]
    assert [float(x) for x in row[1:]] == pytest.approx(by_hand)
    assert main(["letor", "ttest", "a", "b", "out"]) == 0
    assert results("out") == {"MAP:": pytest.approx(by_hand[-1:])}


@checks("cranfield letor", against="SciPy")
@pytest.mark.parametrize("layout", [[], ["--tidy"]])
def test_the_t_test_is_scipy_s(layout: list[str]) -> None:
    random = np.random.default_rng(5)
    levels, queries = random.integers(0, 3, 300), np.sort(random.integers(0, 12, 300))
    write("many.txt", "".join(f"{x} qid:{q} 1:1\n" for x, q in zip(levels, queries, strict=True)))
    values = []
    for name in "ab":
        write(name, lines((random.normal(size=300) + levels * (name == "a")).tolist()))
        arguments = ["letor", "eval-score", "many.txt", name, f"{name}.out", "1", "--depth", "5"]
        assert main(arguments + layout) == 0
        values.append(eval_score("many.txt", name, 5).values[0])
    theirs = stats.ttest_rel(*values)
    ours, notes = run_t_tests("a.out", "b.out")
    assert [test.t for test in ours] == pytest.approx(theirs.statistic.tolist(), rel=1e-12)
    assert [test.p for test in ours] == pytest.approx(theirs.pvalue.tolist(), rel=1e-12)
    means = [x.mean(axis=0) for x in values]
    assert [test.difference for test in ours] == pytest.approx((means[0] - means[1]).tolist())
    assert not notes
    assert main(["letor", "LETOR-ttest", "a.out", "b.out", "out"]) == 0
    found = results("out")
    assert list(found) == ["precision:", "MAP:", "NDCG:"]
    assert [p for row in found.values() for p in row] == [test.p for test in ours]


def test_results_of_the_perl_programs_are_read() -> None:
    """Those of the first release, as ours are."""
    original = (
        "precision of query0:\t0\t0.5\t\nprecision of query1:\t1\t0.5\t\nprecision:0.5\t0.5\t\n\n"
        "Map of query0:\t0.5\nMap of query1:\t1\nMAP:\t0.75\n\n"
        "NDCG of query0:\t0\t1\t\nNDCG of query1:\t1\t1\t\nNDCG:\t0.5\t1\t"
    )
    names = ["P@1", "P@2", "AP", *(str(cf.parse_measure(f"nDCG(letor=true)@{n}")) for n in (1, 2))]
    assert read_results(Source.from_path(write("perl", original))) == {
        "0": dict(zip(names, [0.0, 0.5, 0.5, 0.0, 1.0], strict=True)),
        "1": dict(zip(names, [1.0, 0.5, 1.0, 1.0, 1.0], strict=True)),
    }


def test_tidy_results_of_a_later_release_are_tested(capfd: Capture) -> None:
    """Means of query 1 and 2 differ by 0 and 1/2: t = 1 with one degree of freedom, so p = 1/2."""
    write("test4.txt", "1 qid:1\n0 qid:1\n1 qid:2\n0 qid:2\n")
    write("model4", "2\n1\n2\n1\n")
    write("b", later("4", "1", "--tidy", "--depth", "2"))
    write("model4", "2\n1\n1\n2\n")
    write("a", later("4", "1", "--tidy", "--depth", "2"))
    capfd.readouterr()
    assert main(["letor", "ttest", "a", "b", "-"]) == 0
    found = capfd.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in found] == ["precision", "MAP", "NDCG", "MeanNDCG"]
    assert [float(line.split()[1]) for line in found[1::2]] == pytest.approx([0.5, 0.5])


def test_differences_that_are_all_the_same(capfd: Capture) -> None:
    write("a", result({"1": 0.5, "2": 0.25}))
    write("b", result({"1": 1.5, "2": 1.25}))
    assert main(["letor", "ttest", "a", "a", "-"]) == 0
    out, err = capfd.readouterr()
    assert out == "MAP:\tnan\n"
    assert err == "note: AP: all differences are 0: t and p are nan\n"
    assert main(["letor", "ttest", "a", "b", "-", "--tidy"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[1] == "AP\t0.375\t1.375\t-1.0\t-inf\t0.0"
    assert err == "note: AP: the difference is the same in every query: t is infinite\n"


A = result({"1": 0.5, "2": 0.25})
TIDY = "topic\tmeasure\tvalue\n1\tAP\t0.5\n2\tAP\t0.25\n"


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (A, result({"1": 1}), "b: found 1 query, expected 2 as in a"),
        (A, result({"1": 1, "3": 1}), "b: query 3 is missing in a"),
        (result({"1": 1}), result({"1": 0}), "a: found 1 query, expected at least 2 for a t-test"),
        ("MAP:\t0.5\n", A, "a: no results of single queries. Write them with FLAG 1."),
        ("", A, "a: no results of single queries. Write them with FLAG 1."),
        (A + A, A, "a:3: duplicate AP of query 1"),
        (
            A,
            A + "precision of query1:\t1.0\n",
            "b: found 2 values for query 1, expected 1, as for the other queries of a and b",
        ),
        (A, A.replace("0.25", "nan"), "b:2: found AP 'nan', expected a finite number"),
        (A, A.replace("0.25", "0.25\t0.5"), "b:2: found 2 values, expected one"),
        (A, "qid\tP@1\n", "b:1: found 'qid\\tP@1', expected a line such as precision of query1:"),
        (A, "topic\tmeasure\tvalue\n1\tAP\n", "b:2: found '1\\tAP', expected topic measure value"),
        (A, TIDY, "b: layout differs from a. Use two tidy files, or none."),
        (TIDY, A, "b: layout differs from a. Use two tidy files, or none."),
    ],
)
def test_what_the_t_test_refuses(a: str, b: str, said: str, capfd: Capture) -> None:
    write("a", a)
    write("b", b)
    assert main(["letor", "ttest", "a", "b", "out"]) == 2
    assert capfd.readouterr().err.startswith(said)
    assert not Path("out").exists()


def test_irregular_text_is_told_from_a_program_s_fault() -> None:
    """The reader that is fast says nothing but that there is something."""
    with pytest.raises(Irregular):
        letor.read_table(Source.from_path(write("bad", "2 1:3\n")))
