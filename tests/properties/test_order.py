"""The order of lists, topics, runs and measures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.source import Source
from tests.made import examples
from tests.properties.made import Give, few, frame_of

# -- order ------------------------------------------------------------------------------------

LETTERS = "aZé0~Ωß中ｱ😀\ue000\u0301"  # UTF-16 sorts 😀 before \ue000 and ｱ; UTF-8 does not
IDS = st.text(LETTERS, min_size=1, max_size=3)


def ranks_of(run: Any, docs: list[str], **options: Any) -> dict[str, int]:
    """The rank a run gives each document: that at which it is found if nothing else is judged."""
    qrels = {f"{i}": {d: 1} for i, d in enumerate(docs)}
    scores = cf.evaluate(qrels, run, "RR", **options)
    return {d: round(1 / scores.values[0, i, 0]) for i, d in enumerate(docs)}


def repeated(ranked: Any, n: int) -> dict[str, Any]:
    return {f"{i}": ranked for i in range(n)}


class TestOrder:
    @given(st.dictionaries(IDS, st.sampled_from([0.0, -0.0, 1.5, -2.0, 1e-9]), min_size=1))
    @example({"😀": 0.0, "\ue000": 0.0, "ｱ": 0.0, "é": 0.0, "e\u0301": 0.0})
    @few
    def test_score_then_document_id_both_descending(self, ranked: dict[str, float]) -> None:
        docs = sorted(ranked, key=lambda d: (ranked[d] + 0.0, d.encode()), reverse=True)
        assert docs == sorted(ranked, key=lambda d: (ranked[d] + 0.0, d), reverse=True)
        expected = {d: i for i, d in enumerate(docs, 1)}
        run = repeated(ranked, len(docs))
        assert ranks_of(run, docs) == expected
        assert ranks_of(run, docs, ties="trec") == expected
        assert ranks_of(frame_of(run), docs) == expected

    def test_ties_wherever_they_come_from(self, give: Give) -> None:
        docs = [
            "😀",
            "ｱ",
            "\ue000",
            "中",
            "é",
            "a",
            "Z",
            "10",
            "1",
            "a" * 20,
            "a" * 8,
            "a\0",
            "a" * 9,
        ]
        ranked = sorted(docs, key=str.encode, reverse=True)
        run = give(repeated(dict.fromkeys(docs, 0.5), len(docs)))
        assert ranks_of(run, docs) == {d: i for i, d in enumerate(ranked, 1)}

    @given(st.lists(IDS, unique=True, min_size=1, max_size=8))
    @few
    def test_given(self, docs: list[str]) -> None:
        expected = {d: i for i, d in enumerate(docs, 1)}
        lists = repeated(docs, len(docs))
        scored = repeated({d: float(i) for i, d in enumerate(docs)}, len(docs))
        assert ranks_of(lists, docs) == expected
        assert ranks_of(lists, docs, ties="given") == expected
        assert ranks_of(scored, docs, ties="given") == expected
        assert ranks_of(frame_of(scored), docs, ties="given") == expected
        assert ranks_of(frame_of(scored).drop("score"), docs) == expected

    @pytest.mark.parametrize("size", [40, 1 << 20])
    @pytest.mark.parametrize(
        ("ties", "expected"),
        [("trec", "bcda"), (None, "bcda"), ("rank", "cdab"), ("given", "abcd")],
    )
    def test_orders_of_a_file(
        self, tmp_path: Path, pieces: Callable[[int], None], size: int, ties: Any, expected: str
    ) -> None:
        """trec: by score; rank: by the rank column, ties by id; given: as in the file."""
        path = tmp_path / "r.txt"
        path.write_text(
            "".join(f"{i} Q0 a 2 0.1 r\n{i} Q0 b 3 0.9 r\n{i} Q0 c 1 0.5 r\n{i} Q0 d 2 0.2 r\n" for i in range(4))
        )
        pieces(size)
        ranks = {d: i for i, d in enumerate(expected, 1)}
        assert ranks_of(cf.read_run(path, ties=ties), list("abcd")) == ranks
        assert ranks_of(path, list("abcd"), ties=ties) == ranks

    @given(
        lines=st.lists(
            st.tuples(
                st.sampled_from("ab"),
                st.text("xyzé", min_size=1, max_size=12),
                st.sampled_from(["1", "2", "03", "10", "+4", "1.5", "1e1", "-2", "9" * 20, "0"]),
                st.sampled_from(["0", "1", "0.5", "-3", "1e-3", "2.25", "00.5"]),
            ),
            min_size=1,
            max_size=12,
            unique_by=lambda line: line[:2],
        ),
        ties=st.sampled_from(["trec", "rank", "given"]),
        size=st.sampled_from([1, 30, 1 << 20]),
        excluded=st.booleans(),
    )
    @settings(max_examples=examples(60))
    def test_any_order_of_any_file(
        self,
        scratch: Path,
        lines: list[tuple[str, str, str, str]],
        ties: Any,
        size: int,
        excluded: bool,
    ) -> None:
        """Each document is ranked where the simplest possible sort puts it."""
        path = scratch / "order.txt"
        path.write_text("".join(f"{t} Q0 {d} {r} {s} tag\n" for t, d, r, s in lines), encoding="utf-8")
        keys: dict[str, Callable[[tuple[str, str, str, str]], Any]] = {
            "trec": lambda line: (float(line[3]), line[1].encode()),
            "rank": lambda line: (-float(line[2]), line[1].encode()),
            "given": lambda line: -lines.index(line),
        }
        for topic, doc, *_ in {lines[0], lines[-1]}:
            ranked = sorted((x for x in lines if x[0] == topic), key=keys[ties], reverse=True)
            expected = 1 / (1 + [x[1] for x in ranked].index(doc))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Source.iter_pieces, "__defaults__", (size,))
                got = cf.evaluate({topic: {doc: 1}}, path, "RR", ties=ties, exclude_self=excluded)
            assert got.values.item() == expected

    @pytest.mark.parametrize("size", [20, 1 << 20])
    def test_given_with_interleaved_topics(self, tmp_path: Path, pieces: Callable[[int], None], size: int) -> None:
        path = tmp_path / "r.txt"
        path.write_text("".join(f"{i} Q0 {d} 0 0 r\n" for d in "cab" for i in (2, 0, 1)))
        pieces(size)
        assert ranks_of(path, ["a", "b", "c"], ties="given") == {"c": 1, "a": 2, "b": 3}

    @pytest.mark.parametrize("rank", ["x", "nan", "inf", "-"])
    def test_ties_rank_needs_numbers(self, tmp_path: Path, rank: str) -> None:
        path = tmp_path / "r.txt"
        path.write_text(f"0 Q0 a 1 0.1 r\n0 Q0 b {rank} 0.9 r\n")
        with pytest.raises(cf.CranfieldError, match="rank"):
            cf.evaluate({"0": {"a": 1}}, path, "RR", ties="rank")

    def test_ties_rank_needs_ranks(self) -> None:
        with pytest.raises(cf.CranfieldError, match="rank"):
            cf.evaluate({"0": {"a": 1}}, {"0": {"a": 1.0}}, ties="rank")
        with pytest.raises(cf.CranfieldError, match="rank"):
            cf.evaluate({"0": {"a": 1}}, frame_of({"0": {"a": 1.0}}), ties="rank")

    def test_ties_trec_needs_scores(self) -> None:
        with pytest.raises(cf.CranfieldError, match="scores"):
            cf.evaluate({"0": {"a": 1}}, {"0": ["a"]}, ties="trec")
        with pytest.raises(cf.CranfieldError, match="scores"):
            cf.evaluate({"0": {"a": 1}}, frame_of({"0": {"a": 1.0}}).drop("score"), ties="trec")

    @pytest.mark.parametrize("format", ["csv", "jsonl", "frame"])
    def test_orders_of_a_table(self, tmp_path: Path, format: str) -> None:
        """With ranks and scores the scores decide, with ranks alone the ranks."""
        table = pl.DataFrame({"topic": ["t"] * 3, "doc": ["a", "b", "c"], "rank": [3, 1, 2], "score": [0.5, 1, 2]})

        def first(table: pl.DataFrame, **options: Any) -> str:
            path = tmp_path / f"r.{format}"
            if format == "csv":
                table.write_csv(path)
            elif format == "jsonl":
                table.write_ndjson(path)
            data = table if format == "frame" else path
            scores = [cf.evaluate({"t": {d: 1}}, data, "P@1", **options) for d in "abc"]
            return "abc"[[s.values.item() for s in scores].index(1.0)]

        assert first(table) == "c"
        assert first(table, ties="trec") == "c"
        assert first(table, ties="rank") == "b"
        assert first(table, ties="given") == "a"
        assert first(table.drop("score")) == "b"
        assert first(table.drop("score"), ties="given") == "a"
        assert first(table.drop("score", "rank")) == "a"
        with pytest.raises(cf.CranfieldError, match="score"):
            first(table.drop("score"), ties="trec")
        with pytest.raises(cf.CranfieldError, match="rank"):
            first(table.drop("rank"), ties="rank")

    def test_a_run_already_read_keeps_its_order(self) -> None:
        qrels, run = {"t": {"a": 1}}, cf.read_run({"t": {"a": 1.0, "b": 2.0}}, name="r")
        assert cf.evaluate(qrels, run, "RR").values.item() == 0.5
        assert cf.evaluate(qrels, run, "RR", ties="given").values.item() == 1.0
        with pytest.raises(cf.CranfieldError, match="already read"):
            cf.evaluate(qrels, run, "RR", ties="rank")

    def test_unknown_ties(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found ties='random'"):
            cf.evaluate({"0": {"a": 1}}, {"0": {"a": 1.0}}, ties="random")  # type: ignore[arg-type]
