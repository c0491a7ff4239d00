"""Document ids of LETOR judgments: a docid, the first word of the comment, or the line."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.data.reading import letor
from cranfield.data.reading.letor import BY_LINE, BY_WORD, read_records
from cranfield.data.reading.records import Record
from cranfield.data.reading.source import Source
from tests.made import Command, written

QUEPID = "0\tqid:1\t # 569\tsofa\n3\tqid:1\t # 75\tsofa\n2\tqid:2\t # 75\tred lamp\n"
HELLO = "3.0 qid:7 # 106 floor lamp\n# a line of its own\n0.0 qid:7 1:0.5 #99 floor lamp\n"


@pytest.mark.parametrize(
    ("text", "expected", "note"),
    [
        (QUEPID, {"1": {"569": 0, "75": 3}, "2": {"75": 2}}, BY_WORD),
        (HELLO, {"7": {"106": 3, "99": 0}}, BY_WORD),
        ("2 qid:1 1:1 #docid = G1 inc = 1\n0 qid:1 # docid = G2\n", {"1": {"G1": 2, "G2": 0}}, ""),
        ("2 qid:1 1:1 #docid = G1\n0 qid:1 1:0\n", {"1": {"G1": 2, "2": 0}}, ""),
        ("2 qid:1 1:0.5\n\n0 qid:1 1:0.2\n", {"1": {"1": 2, "3": 0}}, ""),
        ("2 qid:1 # a b\n0 qid:1 # a c\n", {"1": {"1": 2, "2": 0}}, BY_LINE),  # not unique
        ("2 qid:1 # a\n0 qid:1 1:3\n", {"1": {"1": 2, "2": 0}}, BY_LINE),  # not on every line
        ("2 qid:1 # a\n0 qid:1 #\n", {"1": {"1": 2, "2": 0}}, BY_LINE),
        ("2 qid:1 # made by X\n0 qid:2 # made by X\n", {"1": {"1": 2}, "2": {"2": 0}}, BY_LINE),
        ("2 qid:1 # only\n", {"1": {"only": 2}}, BY_WORD),
    ],
)  # fmt: skip
def test_read_qrels_letor_comment_names_documents(text: str, expected: object, note: str, tmp_path: Path) -> None:
    path = written(tmp_path / "judged", text)
    qrels = cf.read_qrels(path)
    assert (qrels.to_dict(), qrels.in_doubt) == (expected, note)
    every = [r for r in read_records(Source.from_path(path), "qrels") if isinstance(r, Record)]
    pairs = {(topic, doc) for topic, docs in qrels.to_dict().items() for doc in docs}
    assert {(r.topic, r.doc) for r in every} == pairs


def test_read_qrels_letor_words_in_several_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letor, "MAX_PARTS", 2)
    rows = [(f"{i // 40}", f"doc{i % 40}", i % 3) for i in range(4000)]
    path = written(tmp_path / "q", "".join(f"{x} qid:{t} # {d} w\n" for t, d, x in rows))
    source = Source.from_path(path)
    pieces = source.iter_pieces
    monkeypatch.setattr(type(source), "iter_pieces", lambda self: pieces(4096))
    found = cf.read_qrels(path)
    assert found.in_doubt == BY_WORD
    assert found.to_dict()["99"]["doc39"] == 3999 % 3


def test_evaluate_letor_words_match_the_run(tmp_path: Path) -> None:
    path = written(tmp_path / "q", QUEPID)
    run = {"1": {"75": 2.0, "569": 1.0}, "2": {"75": 1.0}}
    scores = cf.evaluate(path, run, "AP")
    assert scores.summary() == {"run": {"AP": 1.0}}
    assert any(BY_WORD in note.text for note in scores.notes)
    predicted = cf.evaluate(path, [0.1, 0.2, 0.3], "AP")
    assert predicted.summary() == {"run": {"AP": 1.0}}


@pytest.mark.parametrize("text", ["2 qid:1 1:1\n0 qid:1 1:2\n", "2 qid:1 # a\n0 qid:1 # a\n"])
def test_evaluate_letor_line_numbers_with_other_ids_raises(text: str, tmp_path: Path) -> None:
    path = written(tmp_path / "q", text)
    with pytest.raises(cf.InputError, match="these judgments name no documents"):
        cf.evaluate(path, {"1": {"d1": 2.0, "d2": 1.0}}, "AP")
    assert cf.evaluate(path, {"1": {"1": 2.0, "2": 1.0}}, "AP").summary() == {"run": {"AP": 1.0}}
    assert cf.evaluate(path, [2.0, 1.0], "AP").summary() == {"run": {"AP": 1.0}}


def test_validate_letor_reports_what_names_documents(tmp_path: Path, cranfield: Command) -> None:
    shown = cranfield("validate", written(tmp_path / "q", QUEPID)).out
    assert f"q: warning: {BY_WORD}\n" in shown
