"""Ids of runs and judgments that differ only in how they are spelt."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.folding import FOLDS, describe_difference, fold_id, fold_ids, match_folded
from tests.made import Command

TOPICS, DOCS = range(1, 31), range(40)
QRELS = {f"{t}": {f"Dé-{t}-{d}": d % 3 for d in DOCS if d % 5} for t in TOPICS}
RUN = {f"{t}": {f"Dé-{t}-{d}": 100.0 - d for d in DOCS} for t in TOPICS}

SPELLINGS: dict[str, Callable[[str], str]] = {
    "case": str.upper,
    "spaces": lambda name: f" {name}",
    "Unicode normalisation": lambda name: unicodedata.normalize("NFD", name),
    "leading zeros": lambda name: f"00{name}",
    "decimals": lambda name: f"{name}.0",
}


def warnings_of(qrels: Any, run: Any, measure: str = "AP") -> list[str]:
    notes = cf.evaluate(qrels, run, measure).notes
    return [note.text for note in notes if note.kind == "folded-ids"]


def renamed(spell: Callable[[str], str], share: int = 1) -> dict[str, dict[str, float]]:
    """The run with every n-th document spelt otherwise."""
    return {
        topic: {spell(doc) if (i + 1) % share == 0 else doc: x for i, (doc, x) in enumerate(docs.items())}
        for topic, docs in RUN.items()
    }


def written(path: Path, run: dict[str, dict[str, float]]) -> Path:
    """The run as CSV, which has any name."""
    rows = (f'"{t}","{d}",{x}\n' for t, docs in run.items() for d, x in docs.items())
    file = path / "run.csv"
    file.write_text("topic,doc,score\n" + "".join(rows), encoding="utf-8")
    return file


@pytest.mark.parametrize("what", SPELLINGS)
@pytest.mark.parametrize("share", [1, 2, 4])
def test_of_spelling_documents_spelt_otherwise_warns(tmp_path: Path, what: str, share: int) -> None:
    run = renamed(SPELLINGS[what], share)
    for data in (run, *([written(tmp_path, run)] if what != "spaces" else [])):  # CSV has none
        (text,) = warnings_of(QRELS, data)
        assert f": ids differ only in {what} for " in text
        assert text.endswith(": not matched")


def test_of_spelling_documents_never_match_silently() -> None:
    assert cf.evaluate(QRELS, renamed(str.upper), "AP").mean()["run"]["AP"] == 0


def test_of_spelling_trec_text_with_and_without_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run.txt"
    lines = (f"{t} Q0 {d.upper()} 1 {x} r\n" for t, docs in RUN.items() for d, x in docs.items())
    run.write_text("".join(lines), encoding="utf-8")
    (text,) = warnings_of(QRELS, run)
    monkeypatch.setattr("cranfield.kernel.KERNEL", None)
    assert warnings_of(QRELS, run) == [text]


@pytest.mark.parametrize("spell", [str, lambda name: name[::-1]])
def test_of_spelling_documents_spelt_alike_or_unknown_is_silent(tmp_path: Path, spell: Callable[[str], str]) -> None:
    run = renamed(spell, 2)
    for data in (run, written(tmp_path, run)):
        assert warnings_of(QRELS, data) == []


def test_of_spelling_both_spellings_returned_is_silent() -> None:
    """The judged document is there: the other is another one."""
    run = {t: docs | {d.upper(): x / 9 for d, x in docs.items()} for t, docs in RUN.items()}
    assert warnings_of(QRELS, run) == []


def test_of_spelling_one_document_in_a_hundred_is_silent() -> None:
    assert warnings_of(QRELS, renamed(str.upper, 37)) == []


def test_of_spelling_one_topic_spelt_otherwise_warns() -> None:
    run = {("007" if t == "7" else t): docs for t, docs in RUN.items()}
    assert warnings_of(QRELS, run) == [
        "run: ids differ only in leading zeros for 1 topic ('007' in the run, '7' in the judgments): not matched"
    ]


def test_evaluate_no_topic_matches_names_the_difference() -> None:
    with pytest.raises(cf.CranfieldError, match=r"ids differ only in decimals: '1\.0' and '1'"):
        cf.evaluate(QRELS, {f"{t}.0": docs for t, docs in RUN.items()}, "AP")


def test_validate_topics_spelt_otherwise_warns(tmp_path: Path, cranfield: Command) -> None:
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("7 0 a 1\n8 0 a 1\n", encoding="utf-8")
    run.write_text("007 Q0 a 1 1 x\n8 Q0 a 1 1 x\n", encoding="utf-8")
    said = cranfield.printed("validate", qrels, run)
    assert "warning: ids differ only in leading zeros: '007' and '7'" in said


def test_read_scores_topics_spelt_otherwise_names_the_difference() -> None:
    scores = {"a": {"1": 0.5, "2": 0.25, "7": 0.5}, "b": {"1": 0.5, "2": 0.25, "007": 0.5}}
    with pytest.raises(cf.CranfieldError, match="ids differ only in leading zeros: '7' and '007'"):
        cf.read_scores(scores)
    kinds = [note.kind for note in cf.read_scores(scores, missing="common").notes]
    assert kinds == ["folded-ids", "folded-ids", "missing-topics"]


@given(st.lists(st.text(max_size=6), max_size=8))
def test_fold_ids_equals_fold_id(names: list[str]) -> None:
    assert fold_ids(names) == [*map(fold_id, names)]


@given(st.text(alphabet="aAé0.1 ", min_size=1, max_size=5), st.sampled_from([*FOLDS]))
def test_differences_names_a_fold_that_explains(name: str, what: str) -> None:
    other = FOLDS[what](name)
    if name != other and fold_id(name) == fold_id(other):
        assert match_folded([name], [other]) == [(name, other)]
        assert describe_difference(name, other)


# -- unjudged documents of measures without a cutoff ------------------------------------------


@pytest.mark.parametrize(
    ("measures", "text"),
    [
        ("AP", "2 of 4 returned documents are unjudged and count as nonrelevant"),
        ("AP nDCG@3", "1 of 3 documents in the top 3 are unjudged and count as nonrelevant"),
        ("bpref", ""),
        ("AP(condensed=true)", ""),
        ("num_ret", ""),
    ],
)
def test_evaluate_unjudged_documents_are_reported(measures: str, text: str) -> None:
    notes = cf.evaluate({"1": {"a": 1, "b": 0}}, {"1": ["a", "x", "b", "y"]}, measures).notes
    assert [n.text for n in notes if n.kind == "unjudged"] == [f"run: {text}"] * bool(text)


def test_evaluate_unjudged_documents_down_to_the_depth() -> None:
    notes = cf.evaluate({"1": {"a": 1}}, {"1": ["a", "x", "b", "y"]}, "AP", depth=2).notes
    assert [n.text for n in notes] == ["run: 1 of 2 documents in the top 2 are unjudged and count as nonrelevant"]


def test_evaluate_judged_ids_that_differ_in_case_are_not_confused() -> None:
    """d1 and D1 are two judged documents: D1 of the run is one of them, not d1 misspelt."""
    qrels = {"1": {**{f"D{k}": 1 for k in range(9)}, **{f"d{k}": 0 for k in range(9)}}}
    scores = cf.evaluate(qrels, {"1": {f"D{k}": float(k) for k in range(9)}}, "AP")
    assert "folded-ids" not in [note.kind for note in scores.notes]
