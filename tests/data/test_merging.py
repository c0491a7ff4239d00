"""Chunks that become documents, and documents that are in a list twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.merging import Merging
from tests.made import Command, examples

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 1}}
# By score, a's chunks 5 and 1, b's 4 and 3, c's 4.5; the first chunk of b is not its best.
LISTS = {
    "1": {"a#1": 5.0, "b#9": 3.0, "b#2": 4.0, "c#1": 4.5, "a#7": 1.0},
    "2": {"x#1": 2.0, "d#3": 1.0, "d#1": 1.5},
}
MERGED = {  # by hand
    "max": {"1": {"a": 5.0, "b": 4.0, "c": 4.5}, "2": {"x": 2.0, "d": 1.5}},
    "first": {"1": {"a": 5.0, "b": 3.0, "c": 4.5}, "2": {"x": 2.0, "d": 1.0}},
    "sum": {"1": {"a": 6.0, "b": 7.0, "c": 4.5}, "2": {"x": 2.0, "d": 2.5}},
}
ROWS = [(t, doc, score) for t, docs in LISTS.items() for doc, score in docs.items()]
SCORES = pytest.mark.parametrize("score", ["max", "first", "sum"])


def trec(rows: list[tuple[str, str, float]]) -> str:
    return "".join(f"{t} Q0 {d} {i} {s} tag\n" for i, (t, d, s) in enumerate(rows, 1))


def text(content: str, name: str = "run") -> str:
    path = Path(name)
    if not path.exists() or path.read_text() != content:  # it must not change while it is read
        path.write_text(content)
    return name


FORMS: dict[str, Callable[[], Any]] = {
    "trec": lambda: text(trec(ROWS)),
    "scattered": lambda: text(trec([*ROWS[::2], *ROWS[1::2]])),
    "csv": lambda: text("topic,doc,score\n" + "".join(f"{t},{d},{s}\n" for t, d, s in ROWS), "r.csv"),
    "json": lambda: text(json.dumps(LISTS), "r.json"),
    "dict": lambda: LISTS,
    "tuples": lambda: ROWS,
    "frame": lambda: pl.DataFrame(ROWS, ["topic", "doc", "score"], orient="row"),
    "pandas": lambda: pl.DataFrame(ROWS, ["topic", "doc", "score"], orient="row").to_pandas(),
    "read before": lambda: cf.read_run(LISTS),
    "text read before": lambda: cf.read_run(text(trec(ROWS))),
}


@SCORES
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [16, 1 << 20])
def test_read_run_chunks_become_documents(
    score: Any, form: str, size: int, here: Path, pieces: Callable[[int], None]
) -> None:
    pieces(size)
    found = cf.read_run(FORMS[form](), chunks="#", chunk_score=score)
    if form != "scattered" or score != "first":  # whose first lines are others
        assert found.to_dict() == MERGED[score]
        assert found.get_scores("2") == MERGED[score]["2"]
        made = cf.evaluate(QRELS, FORMS[form](), "AP nDCG@2", chunks="#", chunk_score=score)
        expected = cf.evaluate(QRELS, MERGED[score], "AP nDCG@2")
        assert (made.values == expected.values).all()
        by_depth = cf.read_run(MERGED[score]).rankings(2)
        assert found.rankings(2) == by_depth


def test_read_run_chunks_default_is_best_chunk(here: Path) -> None:
    """Pyserini's --max-passage: the list from the top, of each document the first chunk."""
    from_the_top = sorted(LISTS["1"], key=LISTS["1"].__getitem__, reverse=True)
    pyserini = list(dict.fromkeys(chunk.split("#")[0] for chunk in from_the_top))
    assert cf.read_run(LISTS, chunks="#").rank_topic("1") == pyserini


@pytest.mark.parametrize(
    "chunks",
    ["#", r"/(.+)#\d+/", "/([a-z])#./", lambda chunk: chunk.partition("#")[0]],
    ids=["sign", "regex", "another", "function"],
)
def test_read_run_chunks_separator_pattern_and_function_agree(chunks: Any, here: Path) -> None:
    for form in ("trec", "dict"):
        assert cf.read_run(FORMS[form](), chunks=chunks).to_dict() == MERGED["max"]


def test_read_run_chunks_long_and_unicode_separators(here: Path) -> None:
    for sign in ("::", "§", "_chunk_"):
        lines = [(t, d.replace("#", sign), s) for t, d, s in ROWS]
        assert cf.read_run(text(trec(lines)), chunks=sign).to_dict() == MERGED["max"]


IDS = st.sampled_from([f"{doc}{chunk}" for doc in "ab" for chunk in ("", "#1", "#2", "#3")])
LINES = st.lists(
    st.tuples(st.sampled_from("12"), IDS, st.sampled_from([0.1, 0.2, 0.3, 1.0, 2.5])),
    min_size=1,
    max_size=12,
)


def naive(lines: Any, score: str, duplicates: str) -> dict[str, dict[str, float]]:
    """Line by line, as one would write it."""
    once: dict[str, dict[str, float]] = {}
    for topic, chunk, value in lines:
        known = once.setdefault(topic, {})
        if chunk not in known or (duplicates == "best" and value > known[chunk]):
            known.pop(chunk, None)
            known[chunk] = value
    found: dict[str, dict[str, float]] = {}
    for topic, docs in once.items():
        for chunk, value in docs.items():
            of = found.setdefault(topic, {})
            of.setdefault(chunk.split("#")[0], []).append(value)  # type: ignore[arg-type,attr-defined]
    worth: Any = {"max": max, "sum": sum, "first": lambda values: values[0]}[score]
    return {t: {d: worth(values) for d, values in docs.items()} for t, docs in found.items()}


@given(
    lines=LINES,
    score=st.sampled_from(["max", "sum", "first"]),
    duplicates=st.sampled_from(["first", "best"]),
    size=st.sampled_from([5, 40, 1 << 20]),
)
@settings(max_examples=examples(150))
def test_read_run_merging_any_source_equals_naive(
    tmp_path_factory: pytest.TempPathFactory, lines: Any, score: Any, duplicates: Any, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "merged.run"
    path.write_text(trec(lines))
    expected = naive(lines, score, duplicates)
    told: Any = {"chunks": "#", "chunk_score": score, "duplicates": duplicates}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cranfield.data.reading.source.Source.iter_pieces.__defaults__", (size,))
        assert cf.read_run(path, **told).to_dict() == expected
        ours = cf.evaluate(QRELS, path, "AP", **told)
    assert cf.read_run(lines, **told).to_dict() == expected
    assert (ours.values == cf.evaluate(QRELS, expected, "AP").values).all()


# -- duplicates -----------------------------------------------------------------------------------

TWICE = [("1", "a", 1.0), ("1", "b", 2.0), ("1", "a", 3.0), ("2", "a", 1.0)]


@pytest.mark.parametrize(("duplicates", "value"), [("first", 1.0), ("best", 3.0)])
def test_read_run_duplicates_first_and_best(duplicates: Any, value: float, here: Path) -> None:
    csv = "topic,doc,score\n" + "".join(f"{t},{d},{s}\n" for t, d, s in TWICE)
    jsonl = "".join(json.dumps({"qid": t, "docno": d, "score": s}) + "\n" for t, d, s in TWICE)
    full = [(t, "Q0", d, 1, s, "tag") for t, d, s in TWICE]
    separated = trec(TWICE).replace(" ", ";")
    for data in (text(trec(TWICE)), text(csv, "r.csv"), text(jsonl, "r.jsonl"), TWICE, full):
        run = cf.read_run(data, duplicates=duplicates)
        assert run.to_dict() == {"1": {"a": value, "b": 2.0}, "2": {"a": 1.0}}
        notes = cf.evaluate(QRELS, data, "AP", duplicates=duplicates).notes
        said = f"1 duplicate line dropped, the {duplicates} of each document kept"
        assert [n.text.partition(": ")[2] for n in notes if n.kind == "duplicates"] == [said]
        with pytest.raises(cf.CranfieldError, match=r"duplicate document"):
            cf.evaluate(QRELS, data, "AP")
    by_sign = cf.read_run(text(separated), separator=";", duplicates=duplicates)
    assert by_sign.get_scores("1") == {"a": value, "b": 2.0}


@pytest.mark.parametrize(("duplicates", "value"), [("first", 1.0), ("best", 3.0)])
def test_read_run_duplicates_in_pairs_and_records(duplicates: Any, value: float, here: Path) -> None:
    pairs = {"1": [["a", 1.0], ["b", 2.0], ["a", 3.0]], "2": [["a", 1.0]]}
    records = [{"qid": t, "docno": d, "score": s} for t, d, s in TWICE]
    files = [text(json.dumps(pairs), "pairs.json"), text(json.dumps(records), "records.json")]
    for data in (pairs, records, *files):
        run = cf.read_run(data, duplicates=duplicates)
        assert run.to_dict() == {"1": {"a": value, "b": 2.0}, "2": {"a": 1.0}}
        assert run.merging is not None
        assert [kind for kind, _ in run.merging.describe_merges()] == ["duplicates"]


def test_read_run_duplicates_in_lists(here: Path) -> None:
    lists = {"1": ["b", "a", "b", "c"], "2": ["d"]}
    for data in (lists, text(json.dumps(lists), "r.json")):
        for duplicates in ("first", "best"):
            run = cf.read_run(data, duplicates=duplicates)
            assert run.rankings() == {"1": ["b", "a", "c"], "2": ["d"]}
            assert run.merging is not None
            assert dict(run.merging.describe_merges()).keys() == {"duplicates"}


def test_read_run_duplicate_chunk_raises_by_default(here: Path) -> None:
    """Its score would be added twice."""
    again = text(trec([*ROWS[:5], ("1", "a#1", 0.5), *ROWS[5:]]))
    with pytest.raises(cf.CranfieldError, match=r"run:6: duplicate document 'a#1' in topic 1"):
        cf.evaluate(QRELS, again, "AP", chunks="#", chunk_score="sum")
    found = cf.read_run(again, chunks="#", chunk_score="sum", duplicates="first")
    assert found.to_dict() == MERGED["sum"]


# -- orders ---------------------------------------------------------------------------------------


def test_read_run_chunks_by_rank_use_first_chunk(here: Path) -> None:
    """By rank the order is c, a, b; as given b, a, c."""
    lines = "1 Q0 b#1 5 9 t\n1 Q0 a#1 2 8 t\n1 Q0 b#2 4 7 t\n1 Q0 c#1 1 6 t\n1 Q0 a#2 3 5 t\n"
    run = text(lines)
    for score in (None, "first"):
        by_rank = cf.read_run(run, ties="rank", chunks="#", chunk_score=score)
        assert by_rank.rank_topic("1") == ["c", "a", "b"]
        given = cf.read_run(run, ties="given", chunks="#", chunk_score=score)
        assert given.rank_topic("1") == ["b", "a", "c"]
    listed = {"1": ["b#1", "a#1", "b#2", "c#1"]}
    assert cf.read_run(listed, chunks="#").rank_topic("1") == ["b", "a", "c"]
    table = text("topic,doc,rank\n1,b#1,5\n1,a#1,2\n1,b#2,1\n", "r.csv")
    assert cf.read_run(table, chunks="#").rank_topic("1") == ["b", "a"]


@pytest.mark.parametrize("score", ["max", "sum"])
def test_read_run_chunk_score_without_scores_raises(score: Any, here: Path) -> None:
    run = text(trec(ROWS))
    for data, ties in ((run, "rank"), (run, "given"), ({"1": ["a#1"]}, None)):
        with pytest.raises(cf.CranfieldError, match=rf"chunk_score={score} needs scores, but .* decides"):
            cf.read_run(data, ties=ties, chunks="#", chunk_score=score)  # type: ignore[arg-type]


def test_evaluate_ties_between_merged_documents(here: Path, cranfield: Command) -> None:
    text(trec([("1", "a#1", 1.0), ("1", "c#1", 1.0), ("1", "a#2", 0.5)]))
    text("1 0 a 1\n1 0 c 0\n", "q")
    said = cranfield("evaluate", "q", "run", "-m", "RR", "--chunks", "#")
    assert "tag  0.5000" in said.out  # the larger id first, as trec_eval has it
    assert "ties could change a score in 1 topic (1): 2 of 2 tied documents" in said.err


# -- what is said ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({}, "8 chunks merged to 5 documents, each with the score of its best chunk"),
        (
            {"chunk_score": "first"},
            "8 chunks merged to 5 documents, each with the score of its first",
        ),
        (
            {"chunk_score": "sum"},
            "8 chunks merged to 5 documents, each with the sum of its chunks'",
        ),
        ({"ties": "rank"}, "8 chunks merged to 5 documents, each at the best rank of a chunk"),
        (
            {"ties": "given"},
            "8 chunks merged to 5 documents, each at the position of its first chunk",
        ),
        ({"chunks": "§"}, "no document id contains '§', no chunks merged"),
        ({"chunks": "/(.)§/"}, "no document id is a chunk id, no chunks merged"),
    ],
)
def test_evaluate_merging_is_noted(told: Any, said: str, here: Path) -> None:
    ev = cf.Evaluator(QRELS, "AP", **{"chunks": "#", **told})
    for form in ("trec", "trec", "dict")[: 2 if told.get("ties") == "rank" else 3]:
        notes = ev(FORMS[form]()).notes  # counted once, however often a run is read
        assert any(said in note.text for note in notes), notes
        if "chunks" in told:
            assert "no-chunks" in {note.kind for note in notes[:2]}  # said first


def test_evaluate_merging_is_noted_for_each_run(here: Path) -> None:
    both = text(trec(ROWS) + trec(ROWS[:3]).replace("tag", "other"))
    notes = [n.text for n in cf.evaluate(QRELS, both, "AP", chunks="#").notes]
    assert "tag: 8 chunks merged to 5 documents, each with the score of its best chunk" in notes
    assert "other: 3 chunks merged to 2 documents, each with the score of its best chunk" in notes


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"chunks": ""}, "chunks is empty. Example: '#'"),
        ({"chunks": 3}, "found chunks=3, expected a separator such as '#', or a function"),
        ({"chunks": "/a#/"}, "found 0 groups in /a#/, expected 1 group for the document"),
        ({"chunks": "/(a)(b)/"}, "found 2 groups in"),
        ({"chunks": "/(a/"}, "invalid regular expression /(a/: missing )"),
        ({"chunks": "/(x*).*/"}, "run: found document '' for chunk 'a#1', expected a name"),
        (
            {"chunks": lambda chunk: None},
            "run: found document None for chunk 'a#1', expected a name",
        ),
        ({"chunks": "x"}, "run: found document '' for chunk 'x#1', expected a name"),
        ({"chunk_score": "sum"}, "chunk_score='sum' requires chunks"),
        ({"chunks": "#", "chunk_score": "mean"}, "chunk_score='mean', expected one of first, max"),
        ({"duplicates": "last"}, "found duplicates='last', expected one of error, first, best"),
    ],
)
def test_read_run_invalid_merging_options_raise(told: Any, said: str, here: Path) -> None:
    for data in (text(trec(ROWS)), LISTS):
        with pytest.raises(cf.CranfieldError) as caught:
            cf.evaluate(QRELS, data, "AP", **told)
        assert said in str(caught.value)


def test_read_run_separator_twice_in_id_raises(here: Path) -> None:
    """Which of them is meant? Pyserini takes the first, others the last."""
    rows = [("1", "http://a#b#2", 1.0)]
    for data in (text(trec(rows)), rows, text(trec(rows).replace("#", "::"), "long")):
        sign = "::" if data == "long" else "#"
        with pytest.raises(cf.CranfieldError, match=f"'{sign}' occurs more than once in .*regular expression"):
            cf.read_run(data, chunks=sign).to_dict()
    assert cf.read_run(rows, chunks="/(.+)#.*/").to_dict() == {"1": {"http://a#b": 1.0}}


def test_evaluate_judged_chunks_raises(here: Path, cranfield: Command) -> None:
    text("1 0 a#1 1\n", "q")
    text(trec(ROWS))
    said = cranfield.refused("evaluate", "q", "run", "--chunks", "#")
    assert "q: judged document 'a#1' contains the chunk separator '#'" in said
    assert said in cranfield.refused("pool", "run", "--depth", "2", "--qrels", "q", "--chunks", "#").replace(
        "cranfield pool", "cranfield evaluate"
    )


def test_evaluate_run_read_with_other_chunks_raises(here: Path) -> None:
    read = cf.read_run(LISTS, chunks="#")
    assert cf.evaluate(QRELS, read, "AP").notes == cf.evaluate(QRELS, LISTS, "AP", chunks="#").notes
    assert cf.evaluate(QRELS, read, "AP", chunks="#").summary()
    with pytest.raises(cf.CranfieldError, match="was read with other chunks"):
        cf.evaluate(QRELS, read, "AP", chunks="#", chunk_score="sum")


@pytest.mark.parametrize(
    "command",
    [
        "evaluate q run -m AP",
        "label q run",
        "explain AP --on q run --topic 1",
        "pool run --depth 2",
        "compare q run other -m AP",
        "plan q run more -m AP",
        "meta correlation q run other more -m 'AP nDCG'",
    ],
)
def test_commands_with_runs_accept_chunks(command: str, here: Path, cranfield: Command) -> None:
    """What is printed is what it prints of the merged run."""
    text("".join(f"{t} 0 {d} {n}\n" for t, docs in QRELS.items() for d, n in docs.items()), "q")
    for name, score in (("run", "max"), ("other", "first"), ("more", "sum")):
        rows = [(t, d, s) for t, docs in MERGED[score].items() for d, s in docs.items()]
        text(trec(rows).replace("tag", name), name)
    without = cranfield(command)
    text(trec(ROWS).replace("tag", "run"), "run")
    merged = cranfield(f"{command} --chunks #")
    assert (merged.code, merged.out) == (without.code, without.out), merged.err
    assert merged.code == 0


def test_find_documents_of_column() -> None:
    """Ids longer than a word, and none at all."""
    docs = {f"{'x' * n}#{n}": float(n) for n in range(1, 40)}
    found = Merging("#").merge_ranking("1", docs)
    assert [len(doc) for doc in found] == [*range(1, 40)]
