"""Fusion: worked numbers, a naive second implementation, every way in, bad input."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.errors import CranfieldError
from cranfield.runs.fusion import METHODS, NORMS
from tests.made import examples

Nested = dict[str, dict[str, float]]
A: Nested = {"q": {"a": 3, "b": 2, "c": 1}}
B: Nested = {"q": {"b": 0.9, "d": 0.3}}
COMB = [name for name, row in METHODS.items() if row.needs_scores]


def fuse_scores(runs: Any, *args: Any, **options: Any) -> dict[str, float]:
    return cf.fuse(runs, *args, **options).get_scores("q")


# -- worked numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "options", "expected"),
    [
        ("rrf", {}, (0.016393, 0.032522, 0.015873, 0.016129)),
        ("combsum", {}, (1, 1.5, 0, 0)),
        ("combmnz", {}, (1, 3, 0, 0)),
        ("isr", {}, (1, 2.5, 0.1111, 0.25)),
        ("borda", {}, (5.5, 7, 3.5, 4)),
        ("condorcet", {}, (2, 2.5, 0.5, 1)),
        ("combsum", {"norm": "z"}, (1.2247, 1, -1.2247, -1)),
    ],
)
def test_fuse_worked_example_equals_specification(method: str, options: Any, expected: tuple[float, ...]) -> None:
    scores = fuse_scores([A, B], method, **options)
    assert [scores[doc] for doc in "abcd"] == pytest.approx(expected, abs=5e-5)


def test_fuse_remaining_methods_equal_hand_calculation() -> None:
    """Min-max: A has a 1, b ½, c 0, and B has b 1, d 0."""
    assert fuse_scores([A, B], "combanz") == {"a": 1, "b": 0.75, "c": 0, "d": 0}
    assert fuse_scores([A, B], "combmax") == {"a": 1, "b": 1, "c": 0, "d": 0}
    assert fuse_scores([A, B], "combmin") == {"a": 1, "b": 0.5, "c": 0, "d": 0}
    assert fuse_scores([A, B], "logisr")["b"] == pytest.approx(math.log(2) * 1.25)
    assert fuse_scores([A, B], "logisr")["a"] == 0
    rbc = fuse_scores([A, B], "rbc", phi=0.5)
    assert rbc == {"a": 0.5, "b": 0.75, "c": 0.125, "d": 0.25}


def test_fuse_norms_equal_hand_calculation() -> None:
    assert fuse_scores([A, B], "combsum", norm="max")["c"] == pytest.approx(1 / 3)
    assert fuse_scores([A, B], "combsum", norm="sum")["b"] == pytest.approx(1 / 3 + 1)
    assert fuse_scores([A, B], "combsum", norm="rank") == pytest.approx({"a": 1, "b": 2 / 3 + 1, "c": 1 / 3, "d": 0.5})
    assert fuse_scores([A, B], "combsum", norm="none")["b"] == 2.9


def test_fuse_constant_scores_follow_the_norm() -> None:
    equal = {"q": {"x": 5.0, "y": 5.0}}
    other = {"q": {"z": 1.0}}
    for norm, value in (("min-max", 1.0), ("sum", 0.5), ("z", 0.0)):
        assert fuse_scores([equal, other], "combsum", norm=norm)["x"] == value


def test_fuse_absent_min_uses_lowest_score() -> None:
    """Norm z: c has −1.2247 in A, and counts in B as its lowest document d, −1."""
    scores = fuse_scores([A, B], "combsum", norm="z", absent="min")
    assert scores["c"] == pytest.approx(-1.224745 - 1)
    assert scores["d"] == pytest.approx(-1.224745 - 1)
    assert scores["a"] == pytest.approx(1.224745 - 1)


def test_fuse_weights_multiply_the_terms() -> None:
    scores = fuse_scores([A, B], "rrf", weights="2,1")
    assert scores["a"] == 2 / 61
    assert scores["b"] == 2 / 62 + 1 / 61
    heavy = fuse_scores([A, B, B], "condorcet", weights=[5, 1, 1])
    assert list(heavy) == ["a", "b", "c", "d"]


def test_fuse_condorcet_decimal_weights_are_a_draw() -> None:
    """0.1 + 0.2 against 0.3: equal but for rounding."""
    ab, ba = {"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "b": 2}}
    assert fuse_scores([ab, ab, ba], "condorcet", weights=[0.1, 0.2, 0.3]) == {"b": 0.5, "a": 0.5}


# -- a second implementation ----------------------------------------------------------------------


def normalise(norm: str, ranked: list[tuple[str, float]]) -> dict[str, float]:
    values = [s for _, s in ranked]
    low, high = min(values), max(values)
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((s - mean) ** 2 for s in values) / len(values))
    total = sum(s - low for s in values)
    by_norm: dict[str, Any] = {
        "min-max": lambda s, r: (s - low) / (high - low) if high > low else 1.0,
        "max": lambda s, r: s / high,
        "sum": lambda s, r: (s - low) / total if total else 1 / len(values),
        "z": lambda s, r: (s - mean) / sd if high > low else 0.0,
        "rank": lambda s, r: 1 - (r - 1) / len(values),
        "none": lambda s, r: s,
    }
    return {doc: by_norm[norm](s, r) for r, (doc, s) in enumerate(ranked, 1)}


def fuse_naively(
    runs: list[Nested], topic: str, method: str, norm: str, weights: list[float], absent: str
) -> dict[str, float]:
    """Return the fused scores of a topic, document by document."""
    ranked = [sorted(run.get(topic, {}).items(), key=lambda x: (x[1], x[0]), reverse=True) for run in runs]
    union = {doc for ranking in ranked for doc, _ in ranking}
    rank = [{doc: r for r, (doc, _) in enumerate(ranking, 1)} for ranking in ranked]
    score = [normalise(norm, ranking) if ranking else {} for ranking in ranked]
    fused = {}
    for doc in union:
        terms, n = [], sum(doc in ranks for ranks in rank)
        for w, ranks, s in zip(weights, rank, score, strict=True):
            if doc in ranks:
                r = ranks[doc]
                if method in COMB:
                    terms.append(w * s[doc])
                else:
                    by_rank = {
                        "rrf": w / (60 + r),
                        "isr": w / r**2,
                        "logisr": w / r**2,
                        "rbc": w * 0.2 * 0.8 ** (r - 1),
                        "borda": w * (len(union) - r + 1),
                        "condorcet": 0.0,
                    }
                    terms.append(by_rank[method])
            elif ranks and method == "borda":
                terms.append(w * (len(union) - len(ranks) + 1) / 2)
            elif ranks and method in COMB and absent == "min":
                terms.append(w * min(s.values()))
        total = sum(terms)
        if method == "condorcet":
            for other in union - {doc}:
                votes = 0.0
                for w, ranks in zip(weights, rank, strict=True):
                    mine, theirs = ranks.get(doc, math.inf), ranks.get(other, math.inf)
                    votes += w * ((mine < theirs) - (mine > theirs))
                total += 1 if votes > 1e-9 else 0.5 if abs(votes) < 1e-9 else 0
        finish = {"combmnz": n * total, "isr": n * total, "combanz": total / n, "logisr": math.log(n) * total}
        extreme = {"combmax": max, "combmin": min}
        fused[doc] = extreme[method](terms) if method in extreme else finish.get(method, total)
    return fused


SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0.25, 1.0, 1.5, 2.0, 7.5]), min_size=1)
RUNS = st.lists(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), SCORES, min_size=1), min_size=2, max_size=4)


@given(
    RUNS, st.sampled_from(sorted(METHODS)), st.sampled_from(sorted(NORMS)), st.sampled_from(["zero", "min"]), st.data()
)
@settings(max_examples=examples(150))
def test_fuse_any_runs_equal_naive_calculation(
    runs: list[Nested], method: str, norm: Any, absent: Any, data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=len(runs), max_size=len(runs)))
    scored = {"norm": norm, "absent": absent} if method in COMB else {}
    fused = cf.fuse(runs, method, weights=weights, **scored)
    for topic, scores in fused.to_dict().items():
        expected = fuse_naively(runs, topic, method, norm, weights, absent)
        assert scores == pytest.approx(expected, abs=1e-12)
        assert list(scores) == sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
    assert fused.to_dict().keys() == {topic for run in runs for topic in run}


# -- ways in and out ------------------------------------------------------------------------------


def write_trec(path: Path, run: Nested) -> str:
    lines = [f"{t} Q0 {d} {r} {s} {path.stem}\n" for t, docs in run.items() for r, (d, s) in enumerate(docs.items(), 1)]
    path.write_text("".join(lines))
    return str(path)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_fuse_files_equal_dicts(tmp_path: Path, method: str) -> None:
    rng = np.random.default_rng(1)
    topics = [f"t{i}" for i in range(30)]
    runs = [
        {t: {f"d{d}": round(float(rng.normal()), 2) for d in rng.permutation(60)[:20]} for t in rng.permutation(topics)}
        for _ in range(3)
    ]
    files = [write_trec(tmp_path / f"{name}.run", run) for name, run in zip("abc", runs, strict=True)]
    norm: dict[str, Any] = {"norm": "none"} if method in COMB else {}
    assert cf.fuse(files, method, **norm).to_dict() == cf.fuse(runs, method, **norm).to_dict()


def test_fuse_written_run_is_read_back(tmp_path: Path) -> None:
    fused = cf.fuse([A, B], name="both")
    for path in ("fused.run", "fused.csv", "fused.tsv"):
        fused.write(tmp_path / path)
        again = cf.read_run(tmp_path / path)
        assert again.name == "both"
        assert again.to_dict() == fused.to_dict()
    assert (tmp_path / "fused.run").read_text().startswith("q Q0 b 1 0.03252247488101534 both\nq Q0 a 2 ")


def test_fuse_document_with_space_needs_csv(tmp_path: Path) -> None:
    fused = cf.fuse([{"q": {"a b": 1}}, B])
    with pytest.raises(CranfieldError, match="contains a space"):
        fused.write(tmp_path / "fused.run")
    assert not (tmp_path / "fused.run").exists()
    fused.write(tmp_path / "fused.csv")
    assert "a b" in cf.read_run(tmp_path / "fused.csv").get_scores("q")


def test_fuse_file_with_two_tags_is_two_runs(tmp_path: Path) -> None:
    path = tmp_path / "both.run"
    path.write_text("q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 c 3 1 x\nq Q0 b 1 0.9 y\nq Q0 d 2 0.3 y\n")
    assert cf.fuse(path).get_scores("q") == fuse_scores([A, B])


def test_fuse_depth_keeps_first_documents() -> None:
    assert list(fuse_scores([A, B], depth=2)) == ["b", "a"]
    assert len(fuse_scores([A, B], depth=None)) == 4


def test_fuse_lists_of_documents_have_ranks() -> None:
    assert fuse_scores([{"q": ["a", "b", "c"]}, {"q": ["b", "d"]}]) == fuse_scores([A, B])


# -- notes ----------------------------------------------------------------------------------------


def test_fuse_missing_topic_is_noted() -> None:
    fused = cf.fuse({"a": A, "b": {**B, "r": {"x": 1.0}}})
    assert [(note.kind, note.run, note.topics) for note in fused.notes] == [("missing-topics", "a", ("r",))]
    assert fused.get_scores("r") == {"x": 1 / 61}


def test_fuse_z_with_absent_documents_is_noted() -> None:
    assert "absent-mean" in [note.kind for note in cf.fuse([A, B], "combsum", norm="z").notes]
    assert not cf.fuse([A, B], "combsum", norm="z", absent="min").notes
    assert not cf.fuse([A, A], "combsum", norm="z").notes


def test_fuse_ties_are_noted_for_ranks_only(tmp_path: Path) -> None:
    tied = {"q": {"a": 1.0, "b": 1.0}}
    assert [note.kind for note in cf.fuse({"t": tied, "b": B}).notes] == ["ties"]
    assert not cf.fuse({"t": tied, "b": B}, "combsum").notes


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ([A], {}, "found 1 run, expected at least 2"),
        ([A, B], {"weights": "1,2,3"}, "found 3 weights, expected 2, one for each run: run1, run2"),
        ([A, B], {"weights": "1,-2"}, "weights must be numbers ≥ 0, not all 0, found '1,-2'"),
        ([A, B], {"weights": [0, 0]}, "weights must be numbers ≥ 0"),
        ([A, B], {"norm": "z"}, "norm requires scores, and rrf uses ranks"),
        ([A, B], {"absent": "min"}, "absent requires scores, and rrf uses ranks"),
        ([A, {"q": ["b"]}], {"method": "combsum"}, "has no scores, and combsum adds scores"),
        (
            [A, {"q": {"b": -1.0}}],
            {"method": "combsum", "norm": "max"},
            "norm max divides by the highest score, found -1",
        ),
        ([A, B], {"method": "median"}, "found method='median', expected one of rrf, combsum"),
        ([A, B], {"k": -1}, "k must be a number ≥ 0, found -1"),
        ([A, B], {"phi": 1}, "phi must be a number between 0 and 1, found 1"),
        ([A, B], {"depth": 0}, "depth must be an integer ≥ 1, found 0"),
    ],
)
def test_fuse_bad_input_raises(runs: Any, options: Any, message: str) -> None:
    with pytest.raises(CranfieldError) as error:
        cf.fuse(runs, **options)
    assert message in str(error.value)


def test_fuse_duplicate_document_has_line(tmp_path: Path) -> None:
    path = tmp_path / "twice.run"
    path.write_text("q Q0 a 1 3 x\nq Q0 a 2 2 x\n")
    with pytest.raises(CranfieldError, match=r"twice\.run:2: duplicate document 'a'"):
        cf.fuse([str(path), B])
    assert cf.fuse([str(path), B], duplicates="first").get_scores("q").keys() == {"a", "b", "d"}


# -- the command ----------------------------------------------------------------------------------


def write_pair(directory: Path) -> list[str]:
    return [write_trec(directory / "a.run", A), write_trec(directory / "b.run", B)]


def test_fuse_command_writes_the_fused_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = str(tmp_path / "fused.run")
    assert main(["fuse", *write_pair(tmp_path), "--method", "rrf", "-o", output]) == 0
    assert cf.read_run(output).to_dict() == cf.fuse([A, B]).to_dict()
    assert capsys.readouterr() == ("", "")


def test_fuse_command_options_reach_the_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--method", "combsum", "--norm", "z", "--absent", "min", "--weights", "2,1", "--depth", "2"]
    words += ["--name", "both"]
    assert main(["fuse", *write_pair(tmp_path), *words]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    expected = fuse_scores([A, B], "combsum", norm="z", absent="min", weights="2,1", depth=2)
    assert {line[2]: float(line[4]) for line in lines} == expected
    assert {line[5] for line in lines} == {"both"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "rrf", "--norm", "z"], "norm requires scores, and rrf uses ranks"),
        (["--weights", "1"], "found 1 weight, expected 2"),
        (["--weights", "one,two"], "weights must be numbers ≥ 0"),
        (["--k", "-1"], "k must be a number ≥ 0"),
    ],
)
def test_fuse_command_bad_options_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    output = tmp_path / "fused.run"
    assert main(["fuse", *write_pair(tmp_path), *words, "-o", str(output)]) == 2
    assert message in capsys.readouterr().err
    assert not output.exists()


def test_fuse_command_output_that_is_an_input_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = write_pair(tmp_path)
    before = Path(a).read_bytes()
    assert main(["fuse", a, b, "-o", a]) == 2
    assert "it is also an input" in capsys.readouterr().err
    assert Path(a).read_bytes() == before
