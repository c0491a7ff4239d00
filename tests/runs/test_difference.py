"""`cf.diff`: worked numbers, a naive second implementation, judgments, notes, bad input, the command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.errors import CranfieldError
from tests.made import examples

stats = pytest.importorskip("scipy.stats")

Nested = dict[str, dict[str, float]]
A, B = {"q": list("abcd")}, {"q": list("bade")}
TIED: Any = ({"q": {"a": 3, "b": 3, "c": 2, "d": 1}}, {"q": {"b": 4, "a": 3, "e": 2, "c": 2}})


# -- worked numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "overlap"), [(1, 0), (2, 1), (4, 0.75)])
def test_diff_overlap_equals_worked_example(k: int, overlap: float) -> None:
    assert cf.diff(A, B, k=k).topics[0].overlap == overlap


def test_diff_worked_example_equals_specification() -> None:
    result = cf.diff(A, B, k=4, p=0.9)
    topic = result.topics[0]
    assert [topic.rbo, topic.rbo_lower, topic.rbo_upper] == pytest.approx([0.69075, 0.39553, 0.854775], abs=5e-6)
    assert topic.tau_common == pytest.approx(1 / 3)
    assert topic.tau_union == pytest.approx(0.4)
    assert topic.jaccard == 3 / 5
    assert [(x.doc, x.from_rank, x.to_rank) for x in result.select_documents("entered")] == [("e", None, 4)]
    assert [(x.doc, x.from_rank, x.to_rank) for x in result.select_documents("left")] == [("c", 3, None)]
    assert topic.largest_move == 2  # c: rank 3, and 5 as an absent document


@pytest.mark.parametrize(("ties", "value"), [("a", 0.7507), ("w", 0.7870), ("b", 0.8023)])
def test_diff_ties_equal_worked_example(ties: Any, value: float) -> None:
    assert cf.diff(*TIED, p=0.8, rbo_ties=ties).topics[0].rbo == pytest.approx(value, abs=5e-5)
    assert cf.meta.rbo(TIED[0], TIED[1], p=0.8, ties=ties)["q"].value == pytest.approx(value, abs=5e-5)


def test_rbo_of_runs_has_bounds_by_topic() -> None:
    overlap = cf.meta.rbo({**A, "r": ["x"]}, {**B, "r": ["x"]}, p=0.9)
    row = overlap["q"]
    assert [row.value, row.lower, row.upper] == pytest.approx([0.69075, 0.39553, 0.854775], abs=5e-6)
    assert overlap.value == pytest.approx((0.69075 + 1) / 2)
    with pytest.raises(CranfieldError, match="found topic 's', expected one of"):
        overlap["s"]


# -- a second implementation ----------------------------------------------------------------------

RUN = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=1),
    min_size=1,
)
LEVELS = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0, 1, 2]), min_size=1)


def rank(run: Nested, topic: str) -> list[str]:
    return [doc for doc, _ in sorted(run.get(topic, {}).items(), key=lambda x: (x[1], x[0]), reverse=True)]


def compute_tau(pairs: list[tuple[float, float]]) -> float | None:
    if len(pairs) < 2:
        return None
    tau = stats.kendalltau(*zip(*pairs, strict=True)).statistic
    return None if math.isnan(tau) else float(tau)


@given(RUN, RUN, st.dictionaries(st.sampled_from(["q1", "q2"]), LEVELS, min_size=1), st.integers(1, 5))
@settings(max_examples=examples(150))
def test_diff_any_runs_equal_naive_calculation(a: Nested, b: Nested, qrels: Any, k: int) -> None:
    if a.keys().isdisjoint(b) or a.keys().isdisjoint(qrels) or b.keys().isdisjoint(qrels):
        return
    result = cf.diff(a, b, qrels, "AP", k=k)
    assert {topic.topic for topic in result.topics} == a.keys() | b.keys()
    assert [topic.rbo for topic in result.topics] == sorted(topic.rbo for topic in result.topics)
    for topic in result.topics:
        x, y = rank(a, topic.topic), rank(b, topic.topic)
        common = set(x[:k]) & set(y[:k])
        assert topic.overlap == len(common) / min(k, max(len(x), len(y)))
        assert topic.jaccard == len(common) / len({*x[:k], *y[:k]})
        ranks = {d: (x.index(d) + 1 if d in x else len(x) + 1, y.index(d) + 1 if d in y else len(y) + 1) for d in x + y}
        assert topic.largest_move == max(abs(r - s) for r, s in ranks.values())
        scores = a.get(topic.topic, {}), b.get(topic.topic, {})
        both = [(scores[0][d], scores[1][d]) for d in scores[0] if d in scores[1]]
        assert topic.tau_common == (None if (tau := compute_tau(both)) is None else pytest.approx(tau))
        union = [(scores[0].get(d, -1.0), scores[1].get(d, -1.0)) for d in scores[0].keys() | scores[1].keys()]
        assert topic.tau_union == (None if (tau := compute_tau(union)) is None else pytest.approx(tau))
        moved = {(x.doc, x.change) for x in result.documents if x.topic == topic.topic}
        for change, docs in (("entered", set(y[:k]) - set(x[:k])), ("left", set(x[:k]) - set(y[:k]))):
            assert {doc for doc, kind in moved if kind == change} == docs
        relevant = {d for d, level in qrels.get(topic.topic, {}).items() if level > 0}
        rose = {d for d in common | relevant if d in ranks and ranks[d][1] < ranks[d][0]}
        assert {doc for doc, kind in moved if kind == "rose"} == rose - (set(y[:k]) ^ set(x[:k]))
        if topic.relevant is None:
            assert topic.topic not in qrels
            assert topic.differences is None
        else:
            assert topic.relevant["entered"] == len(relevant & (set(y[:k]) - set(x[:k])))
            assert topic.relevant["left"] == len(relevant & (set(x[:k]) - set(y[:k])))
            assert topic.relevant["rose"] == len(relevant & rose - (set(y[:k]) ^ set(x[:k])))
    means = cf.evaluate(qrels, [a, b], "AP").summary()
    assert result.means["Δ AP"] == means["run2"]["AP"] - means["run1"]["AP"]


@given(RUN, RUN)
@settings(max_examples=examples(40))
def test_diff_exchanged_runs_mirror_the_result(a: Nested, b: Nested) -> None:
    if a.keys().isdisjoint(b):
        return
    forth, back = ({x.topic: x for x in cf.diff(*runs, k=2).topics} for runs in ((a, b), (b, a)))
    for name, topic in forth.items():
        other = back[name]
        assert (topic.overlap, topic.jaccard, topic.tau_union) == (other.overlap, other.jaccard, other.tau_union)
        assert topic.rbo == pytest.approx(other.rbo, abs=1e-12)
        assert (topic.entered, topic.left) == (other.left, other.entered)


# -- missing topics, ties, undefined values -------------------------------------------------------


def test_diff_missing_topic_is_an_empty_ranking() -> None:
    result = cf.diff({"x": {**A, "r": ["u"]}, "ignored": A}["x"], B)
    missing = next(topic for topic in result.topics if topic.topic == "r")
    assert (missing.overlap, missing.jaccard, missing.rbo, missing.rbo_upper) == (0, 0, 0, 1)
    assert (missing.tau_common, missing.tau_union) == (None, None)
    assert [(note.kind, note.topics) for note in result.notes] == [("missing-topics", ("r",))]


def test_diff_undefined_values_are_counted_and_not_averaged() -> None:
    result = cf.diff({**A, "r": ["u"]}, {**B, "r": ["u"]})
    assert result.undefined == {"τ∩": 1, "τ∪": 1}
    assert result.means["τ∩"] == pytest.approx(1 / 3)
    document = result.to_dict()
    assert document["topics"]["r"]["τ∩"] is None
    assert document["undefined"] == {"τ∩": 1, "τ∪": 1}


def test_diff_identical_short_rankings_agree_completely() -> None:
    topic = cf.diff(A, A, k=10).topics[0]
    assert (topic.overlap, topic.jaccard, topic.entered, topic.left, topic.largest_move) == (1, 1, 0, 0, 0)
    assert topic.rbo == pytest.approx(1)
    assert topic.tau_common == topic.tau_union == 1


def test_diff_runs_without_scores_have_no_ties() -> None:
    """Lists of documents: all places differ, and the values that stand for them do not matter."""
    topic = cf.diff({"q": list("abc")}, {"q": list("cba")}).topics[0]
    assert topic.tau_common == -1


def test_diff_relevant_document_that_left_to_an_empty_ranking_is_counted() -> None:
    result = cf.diff({**A, "r": ["u"]}, B, {"q": {"c": 1, "e": 1}, "r": {"u": 1}}, "AP", k=4)
    by_topic = {topic.topic: topic for topic in result.topics}
    assert by_topic["r"].relevant == {"entered": 0, "left": 1, "rose": 0, "fell": 0}
    assert by_topic["q"].relevant == {"entered": 1, "left": 1, "rose": 0, "fell": 0}
    assert by_topic["r"].differences == {"AP": -1.0}
    assert [topic.topic for topic in result.sort_by_effect()] == ["r", "q"]


def test_diff_relevance_follows_rel() -> None:
    qrels = {"q": {"c": 1, "e": 2}}
    relevant = cf.diff(A, B, qrels, "AP(rel=2)", k=4).topics[0].relevant
    assert relevant == {"entered": 1, "left": 0, "rose": 0, "fell": 0}
    assert cf.diff(A, B, qrels, "nDCG@10", k=4, rel=2).topics[0].relevant == relevant


def test_diff_topics_selects_topics() -> None:
    a, b = {**A, "r": ["u"], "s": ["v"]}, {**B, "r": ["u"]}
    assert [x.topic for x in cf.diff(a, b, topics="r").topics] == ["r"]
    assert {x.topic for x in cf.diff(a, b, topics="common").topics} == {"q", "r"}
    tied = {"q": {"a": 1.0, "b": 1.0}, "r": {"u": 1.0, "v": 1.0}}
    assert [note.topics for note in cf.diff(tied, b, topics="r").notes if note.kind == "ties"] == [("r",)]
    judged = cf.diff(a, b, {"q": {"a": 1}}, topics="judged")
    assert [x.topic for x in judged.topics] == ["q"]
    unjudged = cf.diff(a, b, {"q": {"a": 1}})
    assert {x.topic for x in unjudged.topics} == {"q", "r", "s"}
    assert "unjudged-topics" in {note.kind for note in unjudged.notes}


def test_diff_judged_topic_missing_from_both_runs_is_noted() -> None:
    result = cf.diff(A, B, {"q": {"a": 1}, "z": {"u": 1}}, "AP")
    assert ("missing-topics", None, ("z",)) in [(note.kind, note.run, note.topics) for note in result.notes]
    scores = cf.evaluate({"q": {"a": 1}, "z": {"u": 1}}, [A, B], "AP").summary()
    assert result.means["Δ AP"] == scores["run2"]["AP"] - scores["run1"]["AP"]


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((A, {"z": ["a"]}), {}, "run2: found topics z, expected some of q (topics of run1)"),
        ((A, B), {"k": 0}, "found k=0, expected an integer ≥ 1"),
        ((A, B), {"p": 1}, "found p=1, expected a number between 0 and 1"),
        ((A, B), {"rbo_ties": "c"}, "found rbo_ties='c', expected one of a, b, w"),
        ((A, B), {"measures": "AP"}, "measures requires qrels"),
        ((A, B), {"rel": 2}, "rel requires qrels"),
        ((A, B), {"topics": "judged"}, "topics='judged' requires qrels"),
        ((A, B), {"topics": "zzz"}, "topic 'zzz' is not in the runs"),
        ((A, B), {"ties": "expected"}, "found ties='expected', expected one of trec, rank, given, file"),
        ((A, {"q": {"a": math.nan}}), {}, "score nan for document a of topic q"),
    ],
)
def test_diff_bad_input_raises(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(CranfieldError) as error:
        cf.diff(*arguments, **options)
    assert message in str(error.value)


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, docs in (("a", "abcd"), ("b", "bade")):
        lines = [f"q Q0 {doc} {i} {10 - i} {name}\n" for i, doc in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("q 0 c 1\nq 0 e 2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["diff", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_diff_command_json_has_the_keys_of_the_specification(files: Path, capsys: Any) -> None:
    code, out, _ = run_command(capsys, "a.run", "b.run", "--k", "4", "--qrels", "qrels", "-f", "json")
    document = json.loads(out)
    assert code == 0
    assert document.keys() >= {"topics", "all", "entered", "left", "moved", "notices"}
    assert document["entered"] == [{"topic": "q", "doc": "e", "from": None, "to": 4, "level": 2}]
    assert document["left"] == [{"topic": "q", "doc": "c", "from": 3, "to": None, "level": 1}]
    assert [(x["doc"], x["from"], x["to"]) for x in document["moved"]] == [("b", 2, 1), ("a", 1, 2), ("d", 4, 3)]
    assert document["topics"]["q"]["overlap@4"] == document["all"]["overlap@4"] == 0.75


def test_diff_command_tsv_has_topic_measure_value(files: Path, capsys: Any) -> None:
    _, out, _ = run_command(capsys, "a.run", "b.run", "--k", "4", "-f", "tsv")
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["topic", "measure", "value"]
    assert ["q", "overlap@4", "0.75"] in rows
    assert ["all", "overlap@4", "0.75"] in rows
    assert ["q", "RBO", "0.69075"] in rows


def test_diff_command_documents_tsv(files: Path, capsys: Any) -> None:
    _, out, _ = run_command(capsys, "a.run", "b.run", "--k", "4", "--documents", "-f", "tsv")
    assert out.splitlines()[:2] == ["topic\tdoc\tfrom\tto\tlevel", "q\te\t\t4\t"]


def test_diff_command_table_names_runs(files: Path, capsys: Any) -> None:
    code, out, err = run_command(capsys, "a.run", "b.run", "--qrels", "qrels", "-m", "AP", "--documents")
    assert code == 0
    assert "How far a and b agree: means over 1 topic." in out
    assert "Δ: b minus a, over 1 judged topic." in out
    assert "note: b: 3 of 4 returned documents are unjudged and count as nonrelevant\n" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("a.run a.run", "duplicate run a.run"),
        ("qrels a.run", "qrels:1: found 4 fields"),
        ("a.run b.run --qrels a.run", "a.run:1: found 6 fields"),
        ("a.run b.run -m AP", "-m requires --qrels QRELS"),
        ("a.run b.run --rel 2", "--rel requires --qrels"),
        ("a.run missing.run", "cannot read missing.run: no such file"),
        ("a.run b.run --qrels qrels -m wrong", "unknown measure"),
        ("a.run b.run --p 2", "found p=2.0, expected a number between 0 and 1"),
        ("a.run", "the following arguments are required: RUN_B"),
    ],
)
def test_diff_command_bad_input_exits_2(files: Path, capsys: Any, words: str, message: str) -> None:
    try:
        code, out, err = run_command(capsys, *words.split(), "-o", "out.csv")
    except SystemExit as exit_:
        captured = capsys.readouterr()
        code, out, err = int(exit_.code or 0), captured.out, captured.err
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert not Path("out.csv").exists()


def test_diff_command_output_that_is_an_input_exits_2(files: Path, capsys: Any) -> None:
    before = Path("b.run").read_bytes()
    code, _, err = run_command(capsys, "a.run", "b.run", "-o", "b.run")
    assert code == 2
    assert "it is also an input" in err
    assert Path("b.run").read_bytes() == before


def test_diff_command_scattered_topics_equal_sorted_ones(files: Path, capsys: Any) -> None:
    lines = [f"{t} Q0 d{d} {d} {10 - d} a\n" for d in range(1, 6) for t in ("q", "r")]
    Path("scattered.run").write_text("".join(lines))
    Path("sorted.run").write_text("".join(sorted(lines)))
    Path("other.run").write_text("".join(sorted(line.replace("d1", "e1").replace(" a\n", " o\n") for line in lines)))
    outputs = [run_command(capsys, name, "other.run", "-f", "tsv")[1] for name in ("scattered.run", "sorted.run")]
    assert outputs[0] == outputs[1]
