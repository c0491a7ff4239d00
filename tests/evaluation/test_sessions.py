"""Sessions: equation 35 and Figures 8 and 9 of seed 001, every way in, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import log, log2
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.sessions import read_clicks, read_sessions
from cranfield.evaluation.sessions import ReadString, evaluate_sessions, trailtext
from cranfield.measures.sessions import clickU, nsDCG, sDCG, sU
from tests.evidence import checks
from tests.made import Command, examples

Lists = Sequence[Sequence[str]]
Levels = Mapping[str, float]

close = pytest.approx


# -- the equations, written out -------------------------------------------------------------------


def eq35(lists: Lists, levels: Levels, l: int | None = None, keep: bool = False) -> float:
    """Equation 35: Σ g(r)/(log4(qnum(r) + 3)·log2(r + 1)) in the concatenated list."""
    seen: list[str] = []
    found = 0.0
    for q, docs in enumerate(lists, 1):
        for doc in docs[:l]:
            if doc in seen and not keep:
                continue
            seen.append(doc)
            found += max(levels.get(doc, 0), 0) / (log(q + 3, 4) * log2(len(seen) + 1))
    return found


def jk2008(lists: Lists, levels: Levels) -> float:
    """Järvelin et al. 2008: each list's own ranks, g/((1 + log4 q)(1 + log2 r))."""
    return sum(
        max(levels.get(doc, 0), 0) / ((1 + log(q, 4)) * (1 + log2(r)))
        for q, docs in enumerate(lists, 1)
        for r, doc in enumerate(docs, 1)
    )


def ideal_dcg(levels: Levels, depth: int | None = None) -> float:
    """That of one list with all relevant documents."""
    best = sorted((x for x in levels.values() if x > 0), reverse=True)[:depth]
    return sum(g / log2(r + 1) for r, g in enumerate(best, 1))


def figure9(clicks: Sequence[tuple[int, int, float]], levels: Sequence[float], h: float) -> float:
    """The algorithm of Figure 9, line by line; flags are kept for each query."""
    snippetlen, F, L = 200, 0.2, 132000
    pos = U = 0.0
    snippetdone: dict[int, set[int]] = {}
    for (querynumber, clickedrank, doclen), x in zip(clicks, levels, strict=True):
        done = snippetdone.setdefault(querynumber, set())
        for r in range(1, clickedrank + 1):
            if r not in done:
                pos += snippetlen
                done.add(r)
        pos += F * doclen
        U += max(0, 2**x - 1) / 2**h * max(0, 1 - pos / L)
    return U


DOCS = "abcdefgh"
lists_of_docs = st.lists(st.lists(st.sampled_from(DOCS), unique=True), min_size=1, max_size=4)
judgments = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2, 3]), min_size=1).map(
    lambda levels: {doc: float(level) for doc, level in levels.items()}
)
cutoffs = st.sampled_from([None, 1, 2, 5])
clicks_of = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 12), st.integers(0, 100_000)), max_size=12)


def score(m: cf.Measure, levels: Levels, lists: Lists, **options: Any) -> float:
    """One session of one topic, through the front door."""
    scores = evaluate_sessions({"t": dict(levels)}, {"t": {"s": lists}}, [m], **options)
    return scores["run", "t/s", str(m)]


def at(m: Any, l: int | None) -> Any:
    return m if l is None else m @ l


# -- session DCG ------------------------------------------------------------------------------


class TestSessionDCG:
    @checks("sDCG", against="by hand")
    def test_equation_35_by_hand(self) -> None:
        """Ranks 2, 3 and 5 of both lists together, the second query at log4(5)."""
        expected = 2 / log2(3) + 1 / (log(5, 4) * log2(4)) + 1 / (log(5, 4) * log2(6))
        assert sDCG()([[0, 2], [1, None, 1]]) == close(expected)

    def test_only_the_top_of_each_list(self) -> None:
        """At 1, the second list's 1 moves up to rank 2."""
        assert (sDCG @ 1)([[0, 2], [1, None, 1]]) == close(1 / (log(5, 4) * log2(3)))

    def test_a_first_query_is_not_discounted(self) -> None:
        """log4(1 + 3) = 1, and for any base bq: log_bq(1 + bq − 1) = 1."""
        assert sDCG()([[3]]) == 3
        assert sDCG(bq=10)([[3]]) == close(3)
        assert sDCG(b=10)([[3]]) == close(3)
        assert sDCG(bq=2)([[], [3]]) == close(3 / log2(3))

    def test_repeated_documents_are_dropped_before_ranks_are_counted(self) -> None:
        """b is gone from the second list, so a stands at rank 3, not 4."""
        levels, docs = [[0, 1], [1, 2]], [["c", "b"], ["b", "a"]]
        dropped = 1 / log2(3) + 2 / (log(5, 4) * log2(4))
        kept = 1 / log2(3) + 1 / (log(5, 4) * log2(4)) + 2 / (log(5, 4) * log2(5))
        assert sDCG()(levels, docs=docs) == close(dropped)
        assert sDCG(duplicates="keep")(levels, docs=docs) == close(kept)

    def test_a_document_below_the_cutoff_has_not_been_seen(self) -> None:
        docs = [["x", "a"], ["a"]]
        assert (sDCG @ 1)([[0, 1], [1]], docs=docs) == close(1 / (log(5, 4) * log2(3)))

    def test_lists_that_end_at_the_lowest_click(self) -> None:
        """The first list is cut at rank 1, of the second nothing is left, the third is whole."""
        levels = [[0, 2], [3], [1]]
        m = sDCG(truncate="clicks")
        assert m(levels, clicks=[1, 0, 1]) == close(1 / (log(6, 4) * log2(3)))

    def test_the_original_definition(self) -> None:
        """Järvelin et al. 2008: 2/(1 + log2 2) + 1/((1 + log4 2)·1)."""
        assert sDCG(version="jk2008")([[0, 2], [1]]) == close(2 / 2 + 1 / 1.5)

    def test_which_the_new_one_mends(self) -> None:
        """A document of a later list may be worth more in the original, here rank 1 of query 2
        more than rank 4 of query 1; in equation 35 it never is.
        """
        first, later = [[0, 0, 0, 1], [0]], [[0, 0, 0, 0], [1]]
        old = sDCG(version="jk2008")
        assert old(later) > old(first)
        assert sDCG()(later) < sDCG()(first)

    def test_gains_are_those_of_other_measures(self) -> None:
        assert sDCG(gain="exp")([[0, 2]]) == close(3 / log2(3))
        assert sDCG(gain="1:5")([[0, 2]]) == close(5 / log2(3))
        assert sDCG(rel=2)([[1, 2]]) == close(2 / log2(3))
        assert sDCG(gain="raw")([[-1]]) == -1

    def test_normalised_by_one_ideal_list(self) -> None:
        """All relevant documents, not cut: 3 + 1/log2(3), though the cutoff is 1."""
        assert (nsDCG @ 1)([[3], [1]], judged=[1, 3, 0]) == close((3 + 1 / (log(5, 4) * log2(3))) / (3 + 1 / log2(3)))
        cut = nsDCG(ideal_depth=1) @ 1
        assert cut([[3]], judged=[1, 3, 0]) == 1

    def test_the_ideal_list_scores_1(self) -> None:
        assert nsDCG()([[3, 2, 1]], judged=[1, 0, 3, 2]) == 1

    def test_as_many_ideal_lists_as_queries(self) -> None:
        """With the same best list twice; one list twice over scores 1 as well in the original."""
        docs = [["a", "b"], ["a", "b"]]
        for version in ("concatenated", "jk2008"):
            m = nsDCG(ideal="lists", duplicates="keep", version=version) @ 2
            assert m([[2, 1], [2, 1]], judged=[2, 1, 1], docs=docs) == close(1)
        # Two queries, each of which could have had 2 at its first rank; the second had 1.
        m = nsDCG(ideal="lists", duplicates="keep") @ 1
        best = 2 + 2 / (log(5, 4) * log2(3))
        assert m([[2], [1]], judged=[2, 1]) == close((2 + 1 / (log(5, 4) * log2(3))) / best)

    def test_nothing_relevant_is_0(self) -> None:
        assert nsDCG()([[0, None]], judged=[0]) == 0
        assert nsDCG()([], judged=[1]) == 0

    def test_normalising_needs_the_judgments(self) -> None:
        with pytest.raises(cf.CranfieldError, match=r"nsDCG requires an ideal list. Pass all judged"):
            nsDCG()([[1]])

    @checks("sDCG", against="second writing")
    @given(lists_of_docs, judgments, cutoffs, st.booleans())
    @settings(max_examples=examples(100))
    def test_equation_35(self, lists: Lists, levels: Levels, l: int | None, keep: bool) -> None:
        m = at(sDCG(duplicates="keep" if keep else "drop"), l)
        assert score(m, levels, lists) == close(eq35(lists, levels, l, keep))

    @checks("nsDCG", against="second writing")
    @given(lists_of_docs, judgments, cutoffs)
    @settings(max_examples=examples(50))
    def test_normalised(self, lists: Lists, levels: Levels, l: int | None) -> None:
        ideal = ideal_dcg(levels)
        expected = eq35(lists, levels, l) / ideal if ideal else 0
        found = score(at(nsDCG(), l), levels, lists)
        assert found == close(expected)
        assert found <= 1 + 1e-12

    @given(lists_of_docs, judgments)
    @settings(max_examples=examples(50))
    def test_the_original(self, lists: Lists, levels: Levels) -> None:
        m = sDCG(version="jk2008", duplicates="keep")
        assert score(m, levels, lists) == close(jk2008(lists, levels))

    @given(st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), max_size=8), cutoffs)
    @settings(max_examples=examples(50))
    def test_one_list_is_an_ordinary_one(self, levels: list[Any], l: int | None) -> None:
        """sDCG is DCG, and nsDCG with its ideal list cut likewise is nDCG."""
        assert at(sDCG(), l)([levels]) == close(at(cf.DCG(), l)(levels))
        judged = [2, 3, 1, *(x for x in levels if x is not None)]
        normalised = at(nsDCG(ideal_depth=l), l)
        assert normalised([levels], judged) == close(at(cf.nDCG(), l)(levels, judged))


# -- U ----------------------------------------------------------------------------------------


def strings(trail: Sequence[ReadString]) -> list[tuple[str, int, int, float]]:
    return [(read.kind, read.query, read.rank, read.offset) for read in trail]


class TestClicks:
    @checks("clickU", against="Sakai 2014")
    def test_figure_8_g_and_h(self) -> None:
        """Rank 4 is clicked first, then rank 2: four snippets, document 4, document 2.

        4·200 + 0.2·10000 = 2800; + 0.2·5000 = 3800.
        """
        clicks = [(1, 4, 10000), (1, 2, 5000)]
        trail = trailtext(clicks={"t": {"s": clicks}})
        assert strings(trail) == [
            *(("snippet", 1, r, 200.0 * r) for r in (1, 2, 3, 4)),
            ("document", 1, 4, 2800.0),
            ("document", 1, 2, 3800.0),
        ]
        assert [read.gain for read in trail] == [0, 0, 0, 0, 0.5, 0.5]
        expected = 0.5 * (1 - 2800 / 132000) + 0.5 * (1 - 3800 / 132000)
        assert clickU()(clicks) == close(expected)
        assert sum(read.contribution for read in trail) == close(expected)

    def test_figure_8_e_and_f(self) -> None:
        """Two queries: the snippets of the second list are other ones."""
        clicks = [(1, 2, 3000), (2, 1, 1000)]
        assert strings(trailtext(clicks={"t": {"s": clicks}})) == [
            ("snippet", 1, 1, 200),
            ("snippet", 1, 2, 400),
            ("document", 1, 2, 1000),
            ("snippet", 2, 1, 1200),
            ("document", 2, 1, 1400),
        ]

    def test_snippets_of_an_earlier_query_are_not_read_again(self) -> None:
        """Errata to Figure 9: back at query 1, only its third snippet is new."""
        clicks = [(1, 2, 0), (2, 1, 0), (1, 3, 0)]
        trail = trailtext(clicks={"t": {"s": clicks}})
        assert [(q, r) for kind, q, r, _ in strings(trail) if kind == "snippet"] == [
            *((1, 1), (1, 2), (2, 1), (1, 3)),
        ]
        assert trail[-1].offset == 800

    def test_levels(self) -> None:
        """(2^1 − 1)/2^2 and (2^2 − 1)/2^2; a click on nothing relevant is read all the same."""
        clicks = [(1, 1, 0, 0), (1, 1, 1000, 1), (1, 1, 0, 2)]
        assert clickU(max_level=2)(clicks) == close((0.25 + 0.75) * (1 - 400 / 132000))
        assert clickU(max_level=3)(clicks) == close((1 / 8 + 3 / 8) * (1 - 400 / 132000))

    def test_what_is_read_too_late_is_worth_nothing(self) -> None:
        assert clickU(L=1000)([(1, 5, 0)]) == 0
        assert clickU(L=1000)([(1, 4, 0)]) == close(0.5 * 0.2)

    @checks("clickU", against="second writing")
    @given(clicks_of, st.data())
    @settings(max_examples=examples(100))
    def test_figure_9(self, clicks: list[tuple[int, int, int]], data: st.DataObject) -> None:
        assert clickU()(clicks) == close(figure9(clicks, [1] * len(clicks), 1))
        levels = [data.draw(st.integers(0, 3)) for _ in clicks]
        graded = [(*click, x) for click, x in zip(clicks, levels, strict=True)]
        assert clickU(max_level=3)(graded) == close(figure9(clicks, levels, 3))

    def test_lengths_and_levels_of_documents(self) -> None:
        """a is 1000 characters long and of level 2, b is not judged."""
        log = {"t": {"s": [(1, 1, "a"), (1, 2, "b")]}}
        qrels, lengths = {"t": {"a": 2.0}, "u": {"x": 3.0}}, {"a": 1000, "b": 500}
        scores = evaluate_sessions(qrels, None, "clickU", clicks=log, lengths=lengths)
        assert scores["clicks", "t/s", "clickU"] == close(3 / 8 * (1 - 400 / 132000))
        assert "the highest level is 3, as in the judgments" in said(scores)
        plain = evaluate_sessions(clicks=log, lengths=lengths)
        pos = (400, 700)
        assert plain["clicks", "t/s", "clickU"] == close(sum(0.5 * (1 - p / 132000) for p in pos))
        (_, first, _, second) = trailtext(clicks=log, lengths=lengths)
        assert (first.doc, second.doc) == ("a", "b")

    def test_a_query_without_clicks(self, tmp_path: Path) -> None:
        (tmp_path / "log").write_text("t s 1 - -\nt s 2 1 1000\n")
        scores = evaluate_sessions(clicks=str(tmp_path / "log"))
        assert scores.values[0, 0, 0] == close(0.5 * (1 - 400 / 132000))

    def test_each_log_has_sessions_of_its_own(self) -> None:
        """Other users saw the other system: what a log lacks is no failure."""
        logs = {"A": {"t": {"s1": [(1, 1, 0)]}}, "B": {"t": {"s2": [(1, 1, 0), (1, 1, 0)]}}}
        scores = evaluate_sessions(clicks=logs)
        once = 0.5 * (1 - 200 / 132000)
        assert scores.mean() == {"A": {"clickU": close(once)}, "B": {"clickU": close(2 * once)}}
        assert "A: 1 session (t/s2) of other logs excluded from its mean" in said(scores)


class TestSessionU:
    def test_figure_4_d(self) -> None:
        """Snippets 1 and 2 of the first list, snippet 1 of the second, and its full text."""
        trail = trailtext({"t": {"c": 1}}, {"t": {"s": [["a", "b"], ["c"]]}}, lengths={"c": 5000})
        assert strings(trail) == [
            ("snippet", 1, 1, 200),
            ("snippet", 1, 2, 400),
            ("snippet", 2, 1, 600),
            ("document", 2, 1, 1600),
        ]
        assert [read.doc for read in trail] == ["a", "b", "c", "c"]
        assert trail[-1].contribution == close(0.5 * (1 - 1600 / 132000))

    def test_a_document_is_read_once(self) -> None:
        """Its snippet is read again; with duplicates=keep the document is, too."""
        qrels, lists, lengths = {"t": {"a": 1}}, {"t": {"s": [["a"], ["a"]]}}, {"a": 1000}
        assert [r.kind for r in trailtext(qrels, lists, lengths=lengths)] == [
            *("snippet", "document", "snippet"),
        ]
        m = sU(duplicates="keep")
        expected = 0.5 * (1 - 400 / 132000) + 0.5 * (1 - 800 / 132000)
        assert score(m, qrels["t"], lists["t"]["s"], lengths=lengths) == close(expected)

    def test_cutoffs_are_those_of_each_list(self) -> None:
        lengths = {"a": 1000, "b": 1000}
        found = score(sU() @ 1, {"a": 1.0, "b": 1.0}, [["x", "a"], ["b"]], lengths=lengths)
        assert found == close(0.5 * (1 - 600 / 132000))

    @given(lists_of_docs, judgments, st.data())
    @settings(max_examples=examples(25))
    def test_one_list_is_u(self, lists: Lists, levels: Levels, data: st.DataObject) -> None:
        """For any parameters; and the lists of a session are one long list."""
        lengths = {doc: data.draw(st.integers(0, 100_000)) for doc in DOCS}
        one = lists[0]
        for m in (sU(), sU(F=0.5, L=5000, snippet=100, norm=2), sU(prob="gain", rel=2), sU() @ 2):
            plain = cf.parse_measure(str(m).replace("sU", "U", 1))
            expected = cf.evaluate({"t": dict(levels)}, {"t": one}, [plain], lengths=lengths)
            found = score(m, levels, [one], lengths=lengths)
            assert found == close(expected["run", "t", str(plain)])
        whole = [doc for docs in lists for doc in docs]
        if len(set(whole)) == len(whole):
            long = score(sU(), levels, [whole], lengths=lengths)
            assert score(sU(), levels, lists, lengths=lengths) == close(long)

    @checks("sU", against="second writing")
    @given(lists_of_docs, judgments, cutoffs, st.booleans())
    @settings(max_examples=examples(50))
    def test_snippet_by_snippet(self, lists: Lists, levels: Levels, l: int | None, keep: bool) -> None:
        lengths = {doc: 1000.0 * i for i, doc in enumerate(DOCS)}
        h = max(levels.values())
        pos, total, read = 0.0, 0.0, set[str]()
        for docs in lists:
            for doc in docs[:l]:
                pos += 200
                if levels.get(doc, 0) > 0 and (keep or doc not in read):
                    pos += 0.2 * lengths[doc]
                    total += (2 ** levels[doc] - 1) / 2**h * max(0.0, 1 - pos / 132000)
                read.add(doc)
        m = at(sU(duplicates="keep" if keep else "drop"), l)
        assert score(m, levels, lists, lengths=lengths) == close(total)

    @given(lists_of_docs, judgments)
    @settings(max_examples=examples(50))
    def test_the_trail_adds_up_to_the_score(self, lists: Lists, levels: Levels) -> None:
        lengths = dict.fromkeys(DOCS, 700)
        m = sU(norm=4)
        trail = trailtext({"t": dict(levels)}, {"t": {"s": lists}}, m, lengths=lengths)
        found = score(m, levels, lists, lengths=lengths)
        assert math.fsum(read.contribution for read in trail) == close(found)


# -- sessions in ------------------------------------------------------------------------------

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"x": 1}}
SESSIONS = {"1": {"s1": [["c", "b"], ["a"]], "s2": [["a"]]}, "2": {"s1": [["y", "x"]]}}
TEXT = """\
1 s1 1 c 1 2 sys
1 s1 1 b 2 1 sys
1 s1 2 a 1 1 sys
1 s2 1 a 1 1 sys
2 s1 1 y 1 2 sys
2 s1 1 x 2 1 sys
"""
NAMES = ["topic", "session", "query", "doc", "rank", "score", "tag"]
ROWS = [dict(zip(NAMES, line.split(), strict=True)) for line in TEXT.splitlines()]


def said(scores: cf.Scores) -> str:
    return "\n".join(note.text for note in scores.notes)


def as_text(path: Path) -> Any:
    path.write_text("# a comment\n\n" + TEXT)
    return path


def as_text_without_name(path: Path) -> Any:
    path.write_text("".join(line[:-4] + "\n" for line in TEXT.splitlines()))
    return path


def as_interleaved_text(path: Path) -> Any:
    """Sessions may mix, as long as each is in order."""
    lines = TEXT.splitlines(keepends=True)
    path.write_text("".join(lines[i] for i in (3, 0, 4, 1, 2, 5)))
    return path


def separated(between: str) -> Callable[[Path], Any]:
    def made(path: Path) -> Any:
        rows = [NAMES, *(list(row.values()) for row in ROWS)]
        path.write_text("".join(between.join(row) + "\n" for row in rows))
        return path

    return made


def as_jsonl(path: Path) -> Any:
    path.write_text("".join(json.dumps(row | {"query": int(row["query"])}) + "\n" for row in ROWS))
    return path


def as_json(path: Path) -> Any:
    path.write_text(json.dumps(SESSIONS))
    return path


def as_parquet(path: Path) -> Any:
    path = path.with_suffix(".parquet")
    as_polars(path).write_parquet(path)
    return path


def as_polars(path: Path) -> Any:
    return pl.DataFrame(ROWS).with_columns(pl.col("query", "rank", "score").cast(pl.Int64))


def as_pandas(path: Path) -> Any:
    return pd.DataFrame(ROWS).astype({"query": int, "score": float}).drop(columns="rank")


def as_ranks(path: Path) -> Any:
    """A table without scores is in the order of its ranks, whatever that of its lines."""
    frame = pl.DataFrame(ROWS).with_columns(pl.col("query", "rank").cast(pl.Int64)).drop("score")
    return frame.sort("topic", "session", "query", "doc")


def as_lists(path: Path) -> Any:
    return SESSIONS


def as_scores(path: Path) -> Any:
    return {
        topic: {
            session: [{doc: -rank for rank, doc in enumerate(docs)} for docs in lists]
            for session, lists in sessions.items()
        }
        for topic, sessions in SESSIONS.items()
    }


def as_read(path: Path) -> Any:
    return read_sessions(SESSIONS)


@pytest.mark.parametrize(
    "make",
    [as_text, as_text_without_name, as_interleaved_text, separated(","), separated("\t"), as_jsonl,
     as_json, as_parquet, as_polars, as_pandas, as_ranks, as_lists, as_scores, as_read],
)  # fmt: skip
def test_every_way_in(make: Callable[[Path], Any], tmp_path: Path) -> None:
    scores = evaluate_sessions(QRELS, make(tmp_path / "sessions"), ["sDCG", "nsDCG@1"])
    found = {topic: scores[scores.runs[0], topic, "sDCG"] for topic in scores.topics}
    assert found == {
        "1/s1": close(eq35(SESSIONS["1"]["s1"], QRELS["1"])),
        "1/s2": close(2),
        "2/s1": close(1 / log2(3)),
    }


@pytest.mark.parametrize("kind", ["text", "csv", "jsonl", "frame", "dict", "rows"])
def test_every_way_in_for_clicks(kind: str, tmp_path: Path) -> None:
    names = ["topic", "session", "query_number", "clicked_rank", "doc_length"]
    rows: list[list[Any]] = [["t", "s", 1, 4, 10000], ["t", "s", 1, 2, 5000]]
    path = tmp_path / "log"
    records = [dict(zip(names, row, strict=True)) for row in rows]
    data: Any = path
    if kind == "text":
        path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    elif kind == "csv":
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in [names, *rows]))
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    elif kind == "frame":
        data = pl.DataFrame(records)
    elif kind == "dict":
        data = {"t": {"s": [row[2:] for row in rows]}}
    else:
        data = {"t": {"s": [{"query": q, "rank": r, "length": n} for _, _, q, r, n in rows]}}
    expected = 0.5 * (1 - 2800 / 132000) + 0.5 * (1 - 3800 / 132000)  # Figure 8 (g) and (h)
    assert evaluate_sessions(clicks=data).values[0, 0, 0] == close(expected)


def test_scores_decide_and_ranks_that_contradict_them_are_told(tmp_path: Path) -> None:
    path = tmp_path / "sys.txt"
    path.write_text("1 s1 1 a 1 0.1\n1 s1 1 b 2 0.9\n")
    scores = evaluate_sessions(QRELS, path, "sDCG")
    assert scores.values[0, 0, 0] == close(1 + 2 / log2(3))
    told = f"{path}: rank and score disagree in 1 session (1/s1). Documents are ordered by score."
    assert told in said(scores)
    by_rank = evaluate_sessions(QRELS, path, "sDCG", ties="rank")
    assert by_rank.values[0, 0, 0] == close(2 + 1 / log2(3))
    assert "disagree" not in said(by_rank)
    same = evaluate_sessions(QRELS, path, "sDCG", order="rank")
    assert same.values[0, 0, 0] == by_rank.values[0, 0, 0]
    with pytest.raises(cf.CranfieldError, match="sessions are already read"):
        read_sessions(read_sessions(path), ties="rank")


def test_a_mapping_in_one_line_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "sessions.txt"
    path.write_text('{"topic": {"s": [["a"]]}}')
    assert read_sessions(path).lists == {("topic", "s"): [["a"]]}


def test_several_systems() -> None:
    """Sessions that a system lacks count as zero; those of unjudged topics do not count."""
    other = {"1": {"s1": [["a"]]}, "3": {"s1": [["a"]]}}
    scores = evaluate_sessions({**QRELS, "9": {"z": 1}}, {"good": SESSIONS, "other": other}, ["sDCG@10"])
    assert scores.runs == ("good", "other")
    assert scores.topics == ("1/s1", "1/s2", "2/s1")
    assert scores.values[1, :, 0].tolist() == [2, 0, 0]
    assert scores.summary()["other"]["sDCG@10"] == close(2 / 3)
    for sentence in (
        "rows are sessions, named topic/session, and means are over sessions",
        "1 judged topic (9) without a session, excluded",
        "other: 2 sessions (1/s2, 2/s1) missing, scored 0",
        "other: 1 session (3/s1) of topics without judgments, ignored",
    ):
        assert sentence in said(scores)


def test_systems_as_a_list() -> None:
    scores = evaluate_sessions(QRELS, [SESSIONS, {"1": {"s2": [["b"]]}}], "sDCG")
    assert scores.runs == ("run1", "run2")
    assert scores["run2", "1/s2", "sDCG"] == 1


def test_clicks_cut_lists() -> None:
    """Of session 1/s1 only the first list was clicked, at rank 2; the others were not at all."""
    clicks = {"1": {"s1": [(1, 2, 100), (1, 1, 100)]}}
    scores = evaluate_sessions(QRELS, SESSIONS, "sDCG(truncate=clicks)", clicks=clicks)
    assert scores.values[0, :, 0].tolist() == [close(1 / log2(3)), 0, 0]
    assert "clicks: 2 sessions (1/s2, 2/s1) without clicks, cut to empty rankings" in said(scores)


def test_a_query_without_results_is_a_query() -> None:
    found = score(sDCG(), {"a": 1.0}, [[], ["a"]])
    assert found == close(1 / log(5, 4))


def test_a_topic_without_relevant_documents_is_told() -> None:
    scores = evaluate_sessions({"t": {"a": 0}}, {"t": {"s": [["a"]]}}, "nsDCG")
    assert scores.values[0, 0, 0] == 0
    assert "1 topic (t) without relevant documents, scored 0" in said(scores)


def test_clicks_of_the_last_query_count() -> None:
    """List 1 down to x, list 2 down to a: rank 2 of both, 1/(log4(5)·log2(3))."""
    lists, clicks = {"t": {"s": [["x"], ["a", "b"]]}}, {"t": {"s": [(1, 1, 9), (2, 1, 9)]}}
    scores = evaluate_sessions({"t": {"a": 1, "b": 1}}, lists, "sDCG(truncate=clicks)", clicks=clicks)
    assert scores.values[0, 0, 0] == close(1 / (log(5, 4) * log2(3)))


def test_documents_below_the_cutoff_need_no_length() -> None:
    """0.5·(1 − (200 + 0.2·1000)/132000): b is not looked at."""
    scores = evaluate_sessions({"t": {"a": 1, "b": 1}}, {"t": {"s": [["a", "b"]]}}, "sU@1", lengths={"a": 1000})
    assert scores.values[0, 0, 0] == close(0.5 * (1 - 400 / 132000))


def test_what_rel_makes_relevant_needs_a_length() -> None:
    with pytest.raises(cf.CranfieldError, match="no length of document b"):
        evaluate_sessions({"t": {"a": 1, "b": 0}}, {"t": {"s": [["a", "b"]]}}, "sU(rel=0)", lengths={"a": 9})


def test_as_many_ideal_lists_as_a_session_has_queries_whatever_others_have() -> None:
    """Both sessions are ideal, one with one list, the other with two: a list more would cost."""
    scores = evaluate_sessions(
        {"t": {"a": 1}},
        {"t": {"one": [["a"]], "two": [["a"], ["a"]]}},
        "nsDCG(ideal=lists, duplicates=keep)@1",
    )
    assert scores.values[0, :, 0].tolist() == close([1.0, 1.0])


def test_ideal_lists_hold_relevant_documents_only() -> None:
    """The second ideal list goes on at rank 2, also if a document was judged as not relevant."""
    scores = evaluate_sessions(
        {"t": {"a": 1, "b": 0}},
        {"t": {"s": [["a"], ["a"]]}},
        "nsDCG(ideal=lists, duplicates=keep)@10",
    )
    assert scores.values[0, 0, 0] == close(1.0)


def test_the_highest_level_of_a_click_log_is_the_highest_in_it() -> None:
    """Levels 2 and 1, so h = 2: 3/4·(1 − 220/132000) + 1/4·(1 − 440/132000)."""
    clicks = {"t": {"s": [(1, 1, 100, 2), (1, 2, 100, 1)]}}
    scores = evaluate_sessions(clicks=clicks)
    expected = 0.75 * (1 - 220 / 132000) + 0.25 * (1 - 440 / 132000)
    assert scores.values[0, 0, 0] == close(expected)


def test_levels_are_in_the_clicks_or_in_the_judgments() -> None:
    with pytest.raises(cf.CranfieldError, match="found a level in a click, expected a document"):
        evaluate_sessions({"t": {"a": 1}}, clicks={"t": {"s": [(1, 1, "a", 2)]}}, lengths={"a": 100})


def test_snippets_of_clicks_are_as_long_as_the_measure_says() -> None:
    """Two snippets of 100 and a document of length 0: 0.5·(1 − 200/132000)."""
    assert clickU(snippet=100)([(1, 2, 0)]) == close(0.5 * (1 - 200 / 132000))


def test_judged_levels_hold_each_relevant_document_of_the_lists() -> None:
    """Two documents of level 1 are listed, and only one is said to be judged."""
    with pytest.raises(cf.CranfieldError, match="level 1 is more frequent in the lists than in"):
        nsDCG()([[1], [1]], judged=[1, 0])


# -- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "m"),
    [
        ("nsDCG@10", nsDCG() @ 10),
        ("sDCG(version=jk2008, duplicates=keep)@5", sDCG(version="jk2008", duplicates="keep") @ 5),
        ("nsDCG(ideal=lists, ideal_depth=3)", nsDCG(ideal="lists", ideal_depth=3)),
        ("su(F=0.5)@10", sU(F=0.5) @ 10),
        ("clicku(L=1000)", clickU(L=1000)),
    ],
)
def test_the_grammar_knows_them(text: str, m: cf.Measure) -> None:
    assert cf.parse_measure(text) == m
    assert cf.parse_measure(str(m)) == m


def test_capitals_tell_two_measures_apart() -> None:
    """SDCG is C/W/L's scaled DCG."""
    assert type(cf.parse_measure("SDCG@10")) is cf.SDCG
    assert type(cf.parse_measure("sDCG@10")) is sDCG
    with pytest.raises(cf.CranfieldError, match="ambiguous name"):
        cf.parse_measure("sdcg@10")


@pytest.mark.parametrize("m", [sDCG(), nsDCG(), sU(), clickU()], ids=str)
def test_they_take_sessions(m: cf.Measure) -> None:
    assert m.takes == "sessions"
    assert "condensed" not in {f.name for f in m.list_parameters()}
    with pytest.raises(cf.CranfieldError, match="takes no cutoff"):
        replace(clickU(), cutoff=5)


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t s 1 a 1\n", ":1: found 5 fields ('t s 1 a 1'), expected 6: topic session query"),
        ("t s 1 a 1 9\nt s 1 b 1 9 sys\n", ":2: found 7 fields"),
        ("t s 2 a 1 9\n", ":1: found query 2 first in session s of topic t, expected 1"),
        (
            "t s 1 a 1 9\nt s 3 a 1 9\n",
            ":2: found query 3 after query 1 in session s of topic t, expected 1 or 2 "
            "(queries in order of time)",
        ),
        (
            "t s 1 a 1 9\nt s 2 a 1 9\nt s 1 b 2 8\n",
            ":3: found query 1 after query 2 in session s of topic t, expected 2 or 3",
        ),
        ("t s one a 1 9\n", ":1: found query number 'one', expected an integer ≥ 1"),
        ("t s 1.5 a 1 9\n", ":1: found query number '1.5', expected an integer ≥ 1"),
        ("t s 1 a 1 high\n", ":1: found score 'high', expected a finite number"),
        ("t s 1 a x 9\n", ":1: found rank 'x', expected a finite number"),
        ("t s 1 a 1 nan\n", ":1: found score 'nan', expected a finite number"),
        (
            "t s 1 a 1 9\nt s 1 a 2 8\n",
            ":2: duplicate document 'a' for query 1 of session s in topic t "
            "(first on line 1)",
        ),
        ("topic,session,query,rank\nt,s,1,1\n", ":1: found columns topic, session, query, rank"),
        ("topic,session,query,doc\nt,s,1,\n", ":2: found doc '', expected an identifier"),
        ("topic,session,query,doc\nt,,1,a\n", ":2: found session '', expected an identifier"),
        ("session,query,doc\ns,1,a\n", ":1: found columns session, query, doc, expected a column"),
        ("", ": found no sessions, expected topic session query doc rank"),
        ("{\"t\": [1]}", ": found list for topic 't', expected {session: [[doc, doc, …], …]}"),
        ("{\"t\": {\"s\": \"a\"}}", ": found str for session 's' of topic 't'"),
        ("{\"t\": {\"s\": [\"a\"]}}", ": found 'a' for query 1 of session 's' of topic 't'"),
    ],
)  # fmt: skip
def test_sessions_that_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sys.txt"
    path.write_text(text)
    with pytest.raises(cf.InputError) as error:
        read_sessions(path)
    assert str(error.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t s 1 4\n", ":1: found 4 fields ('t s 1 4'), expected 5: topic session query rank"),
        ("t s 1 0 10\n", ":1: found rank '0', expected an integer ≥ 1"),
        ("t s 1 x 10\n", ":1: found rank 'x', expected an integer ≥ 1"),
        ("t s 1 1000001 10\n", ":1: found rank 1000001, expected at most 1,000,000"),
        ("t s 0 1 10\n", ":1: found query number '0', expected an integer ≥ 1"),
        ("t s 2 1 10\n", ":1: found query 2 in session s of topic t, expected query 1"),
        (
            "t s 1 1 10\nt s 3 1 10\n",
            ":2: found query 3 in session s of topic t, expected query 2 (use rank - for a query without clicks)",
        ),
        ("t s 1 1 -5\n", ":1: found length '-5', expected a number ≥ 0"),
        (
            "t s 1 1 d7\n",
            ":1: found length 'd7', expected a number ≥ 0 (use lengths= or --lengths FILE if these are documents)",
        ),
        ("t s 1 1 -\n", ":1: click without length and document"),
        ("t s 1 1 10 high\n", ":1: found level 'high', expected a finite number"),
        ("t s 1 1 10\nt s 1 2 10 1\n", ":2: found 6 fields"),
        (
            "topic,session,query,rank,length,level\nt,s,1,1,9,2\nt,s,1,1,9,\n",
            ":3: click without a level, but other clicks have levels",
        ),
        ("topic,session,query,length\nt,s,1,5\n", ":1: found columns"),
        ("# nothing\n", ": found no clicks, expected topic session query rank length"),
    ],
)
def test_clicks_that_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(text)
    with pytest.raises(cf.InputError) as error:
        read_clicks(path)
    assert str(error.value).startswith(f"{path}{message}")


ONE = {"t": {"s": [["a"]]}}
LOG = {"t": {"s": [(1, 1, 10)]}}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((QRELS, SESSIONS, "AP"), {}, "AP is no measure of sessions"),
        ((QRELS, SESSIONS, "sU"), {}, "sU: no document lengths in characters"),
        (
            (QRELS, SESSIONS, "sU"),
            {"lengths": {"a": 1}},
            "lengths: no length of document b of session 1/s1 of run",
        ),
        ((QRELS, SESSIONS, "sDCG(truncate=clicks)"), {}, "no clicks. Use"),
        ((QRELS, SESSIONS, "clickU"), {"clicks": LOG}, "clickU scores click logs only"),
        ((QRELS, SESSIONS), {"clicks": [LOG, LOG]}, "found 2 click logs with sessions"),
        ((QRELS, ONE), {}, "sessions: no session of a judged topic, only of 1 topic (t)"),
        ((None, ONE), {}, "no judgments for the documents of sessions"),
        ((QRELS, []), {}, "no sessions given"),
        ((QRELS, 3), {}, "sessions: found int, expected a path, a mapping, a frame or tuples"),
        ((QRELS, SESSIONS, []), {}, "no measure given"),
        ((), {}, "no sessions or clicks given"),
        ((None, None, "nsDCG@10"), {"clicks": LOG}, "nsDCG@10: no sessions with rankings"),
        ((QRELS,), {"clicks": LOG}, "clicks: found no document in a click"),
        (
            (),
            {"clicks": {"t": {"s": [(1, 1, 1.5)]}}, "lengths": {"a": 1}},
            "clicks: found doc 1.5, expected an identifier",
        ),
        (
            (),
            {"clicks": {"t": {"s": [(1, 1, "b")]}}, "lengths": {"a": 1}},
            "lengths: no length of document b of session t/s",
        ),
        ((), {"clicks": {"t": {"s": [(1, 1)]}}}, "found (1, 1) in session 's' of topic 't'"),
        ((QRELS, SESSIONS), {"ties": "best"}, "found ties='best', expected one of trec, rank"),
        ((QRELS, SESSIONS), {"ties": "rank"}, "sessions: found no rank, expected a rank on every"),
    ],
)
def test_what_does_not_fit_together(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(cf.CranfieldError) as error:
        evaluate_sessions(*arguments, **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sDCG()([1, 0]), "levels must contain a list for each query"),
        (lambda: sDCG()([["high"]]), "level must be a number, found 'high'"),
        (lambda: sDCG()([[1]], docs=[["a", "b"]]), "docs must have one value for each level"),
        (lambda: sDCG()([[1], [2]], docs=[["a"], ["a"]]), "document 'a' has two levels"),
        (lambda: nsDCG()([[2]], judged=[1]), "level 2 is more frequent in the lists than in"),
        (lambda: sDCG(truncate="clicks")([[1]]), "requires clicks"),
        (lambda: sDCG(truncate="clicks")([[1]], clicks=[1, 2]), "found 2 clicks, expected one"),
        (lambda: sU(max_level=1)([[1]]), "requires document lengths in characters"),
        (
            lambda: sU(max_level=1)([[1]], lengths=[[None]]),
            "length must be a number ≥ 0, found None",
        ),
        (lambda: clickU()([(1, 0, 5)]), "rank must be an integer ≥ 1 and ≤ 1,000,000, found 0"),
        (lambda: clickU()([(1, 1, -5)]), "length must be a number ≥ 0, found -5"),
        (lambda: clickU()([(1, 1, 5, 2)]), "clickU requires the highest level (max_level=)"),
        (lambda: clickU()([1, 2]), "clicks must contain a tuple for each"),
        (lambda: clickU()([(1, 10**30, 5)]), "must be an integer ≥ 1 and ≤ 1,000,000, found"),
        (lambda: clickU()([(10**30, 1, 5)]), "must be an integer ≥ 1 and ≤ 1,000,000, found"),
        (lambda: clickU()([(1, 1, 10**400)]), "length must be a number ≥ 0"),
        (lambda: sDCG()([[10**400]]), "level must be a number"),
        (lambda: clickU()([(1, 1)]), "clicks must be (query, rank, length) or"),
        (lambda: clickU()([(1, 1, 5), (1, 1, 5, 2)]), "clicks must be (query, rank, length) or"),
        (lambda: trailtext(QRELS, SESSIONS, "nsDCG"), "only sU and clickU have a trailtext"),
        (lambda: trailtext(clicks=LOG, session="t/x"), "unknown session 't/x'. Sessions: 1"),
    ],
)
def test_what_is_refused_in_memory(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(cf.CranfieldError) as error:
        call()
    assert message in str(error.value)


# -- the command ------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments, a system's sessions, lengths and a click log in the current directory."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 x 1\n")
    Path("sys").write_text(TEXT)
    Path("lengths").write_text("a 5000\nb 1000\nx 1000\n")
    Path("log").write_text("1 s1 1 4 10000\n1 s1 1 2 5000\n")


@pytest.fixture
def session(cranfield: Command) -> Command:
    return cranfield.of("session")


TAGGED = "q s 1 a 1 2 one\nq s 1 c 1 2 two\nq s 2 b 1 1 one\nq s 2 a 1 1 two\n"


def test_several_tags_are_several_systems(tmp_path: Path) -> None:
    path = tmp_path / "both.txt"
    path.write_text(TAGGED)
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    scores = evaluate_sessions(qrels, path, "nsDCG@10")
    apart = {"one": {"q": {"s": [["a"], ["b"]]}}, "two": {"q": {"s": [["c"], ["a"]]}}}
    assert scores.mean() == evaluate_sessions(qrels, apart, "nsDCG@10").mean()
    assert evaluate_sessions(qrels, [path, apart["one"]], "sDCG").runs == ("one", "two", "run2")
    merged = evaluate_sessions(qrels, path, "nsDCG@10", run_names="file")
    assert merged.runs == (str(path),)
    for read in (lambda: read_sessions(path), lambda: evaluate_sessions(qrels, {"mine": path})):
        with pytest.raises(cf.CranfieldError, match=r"both\.txt: found 2 run tags \(one, two\)"):
            read()
    with pytest.raises(cf.CranfieldError, match="run_names='tags', expected one of tag, file"):
        evaluate_sessions(qrels, path, run_names="tags")  # type: ignore[arg-type]


def test_more_than_a_hundred_tags_are_hardly_runs(tmp_path: Path, cranfield: Command) -> None:
    path = tmp_path / "many.txt"
    path.write_text("".join(f"q s 1 a{i} 1 2 t{i}\n" for i in range(101)))
    (tmp_path / "qrels").write_text("q 0 a1 1\n")
    said = cranfield.refused("session", str(tmp_path / "qrels"), str(path))
    assert "more than 100 run tags (t0, t1, t2, …). Use --run-names" in said
    shown = cranfield.succeeds("session", str(tmp_path / "qrels"), str(path), "--run-names", "file")
    assert str(path) in shown.out


@pytest.mark.usefixtures("files")
class TestCommand:
    def test_a_table(self, session: Command) -> None:
        _, out, err = session.succeeds("qrels sys")
        sessions = [eq35(lists, QRELS[t]) for t, of in SESSIONS.items() for lists in of.values()]
        assert f"{sum(sessions) / 3:.4f}" in out
        assert "nsDCG@10" in out
        assert "means are over sessions" in err

    def test_every_session_for_programs(self, session: Command) -> None:
        _, out, err = session.succeeds("qrels sys -m sDCG -q -f tsv")
        rows = [line.split("\t") for line in out.splitlines()]
        assert rows[0] == ["run", "topic", "measure", "value"]
        assert rows[2] == ["sys", "1/s2", "sDCG", "2.0"]
        assert "note: rows are sessions" in err

    @pytest.mark.parametrize("format", ["csv", "json", "jsonl", "markdown", "latex"])
    def test_the_formats_of_evaluate(self, format: str, tmp_path: Path, session: Command) -> None:
        session.succeeds(f"qrels sys -f {format} -o out")
        assert "nsDCG" in Path("out").read_text()

    def test_a_trail(self, session: Command) -> None:
        """200, 400, + 0.2·1000 = 600, 800, + 0.2·5000 = 1800."""
        out = session.printed("qrels sys --lengths lengths --trail --session 1/s1")
        lines = out.splitlines()
        assert lines[0].startswith("sys, session 1/s1: 1,800 characters read in 3 snippets and 2 documents; U = ")
        read = [line.split() for line in lines[4:]]
        assert [row[:6] for row in read] == [
            ["snippet", "1", "1", "c", "200", "200"],
            ["snippet", "1", "2", "b", "200", "400"],
            ["document", "1", "2", "b", "200", "600"],
            ["snippet", "2", "1", "a", "200", "800"],
            ["document", "2", "1", "a", "1000", "1800"],
        ]
        assert read[2][6:] == ["0.2500", f"{1 - 600 / 132000:.4f}", f"{0.25 - 150 / 132000:.4f}"]

    def test_a_trail_of_clicks_for_programs(self, session: Command) -> None:
        out = session.printed("--clicks log --trail -f tsv")
        rows = [line.split("\t") for line in out.splitlines()]
        assert rows[0] == list(ReadString._fields)
        assert rows[-1][:8] == ["log", "1/s1", "document", "1", "2", "", "1000", "3800"]
        assert float(rows[-1][-1]) == close(0.5 * (1 - 3800 / 132000))
        assert json.loads(session.printed("--clicks log --trail -f json"))[-1]["offset"] == 3800

    def test_a_click_log(self, session: Command) -> None:
        expected = 0.5 * (1 - 2800 / 132000) + 0.5 * (1 - 3800 / 132000)
        out = session.printed("--clicks log -m clickU -f tsv")
        assert float(out.split()[-1]) == close(expected)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["qrels"], "no sessions given. Use SESSIONS after QRELS, or --clicks LOG"),
            (["qrels", "sys", "--session", "1/s1"], "--session requires --trail"),
            (["-", "-"], "can be used only once"),
            (["qrels", "nowhere"], "cannot read nowhere"),
            (["qrels", "sys", "sys"], "duplicate run sys"),
        ],
    )
    def test_mistakes(self, arguments: list[str], message: str, session: Command) -> None:
        assert message in session.refused(*arguments, "-o", "out")
        assert not Path("out").exists()


def test_the_highest_judged_level_says_what_levels_are_worth() -> None:
    """h = 2: gains 3/4 and 1/4, read to 200 + 1000 and 400 + 2000 characters."""
    found = sU()([[2, 1]], lengths=[[5000, 5000]], judged=[2, 1, 0])
    assert found == close(0.75 * (1 - 1200 / 132000) + 0.25 * (1 - 2400 / 132000))
