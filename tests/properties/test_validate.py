"""What `validate` calls fine, the commands read; what they read, `validate` does not reject."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.validate import READERS, _choose_reader
from cranfield.data.answers import read_answers
from cranfield.data.qrels import read_qrels
from cranfield.data.reading.shapes import TREC_ANSWERS
from cranfield.data.run_reader import call_with_split
from cranfield.data.validate import Report, validate
from cranfield.errors import CranfieldError
from cranfield.evaluation.evaluate import Evaluator
from tests.made import Command, examples

QRELS = {
    "qrels.txt": "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n",
    "ntcir.txt": "1 d1 L2\n1 d2 L0\n2 d1 L1\n",
    "triples.txt": "1 d1 1\n1 d2 0\n2 d1 2\n",
    "sampled.txt": "1 0 d1 1 1\n1 0 d2 1 0\n2 0 d1 2 -1\n",
    "qrels.csv": "topic,doc,level\n1,d1,1\n1,d2,0\n2,d1,2\n",
    "qrels.tsv": "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n2\td1\t2\n",
    "qrels.json": '{"1": {"d1": 1, "d2": 0}, "2": {"d1": 2}}',
    "qrels.jsonl": '{"qid": "1", "doc": "d1", "rel": 1}\n{"qid": "2", "doc": "d2", "rel": 0}\n',
    "letor.txt": "2 qid:1 1:0.5 2:1 # d1\n0 qid:1 1:0.5 2:1 # d2\n1 qid:2 1:3 # d1\n",
}
RUNS = {
    "run.txt": "1 Q0 d1 1 2.5 a\n1 Q0 d2 2 1.5 a\n2 Q0 d1 1 3 a\n",
    "triples.txt": "1 d1 2.5\n1 d2 1.5\n2 d1 3.25\n",
    "msmarco.tsv": "1\td1\t1\n1\td2\t2\n2\td1\t1\n",
    "colbert.tsv": "1\td1\t1\t2.5\n1\td2\t2\t1.5\n2\td1\t1\t9.5\n",
    "run.csv": "topic,doc,score\n1,d1,2.5\n1,d2,1.5\n2,d1,3\n",
    "run.json": '{"1": {"d1": 2.5, "d2": 1.5}, "2": {"d1": 3.5}}',
    "lists.json": '{"1": ["d1", "d2"], "2": ["d1"]}',
    "run.jsonl": '{"qid": "1", "doc": "d1", "score": 2}\n{"qid": "2", "doc": "d2", "score": 1}\n',
    "nested.jsonl": '{"qid": "1", "results": [{"docid": "d1", "score": 2}]}\n',
    "answers.jsonl": '{"metadata": {"run_id": "a", "narrative_id": "1"}, "references": ["d1"], '
    '"answer": [{"text": "x y", "citations": [0]}]}\n',
    "numbers.jsonl": "1\n2\n",
}
BASES = [("qrels", *item) for item in QRELS.items()] + [("run", *item) for item in RUNS.items()]
TOKENS = st.sampled_from(
    [
        *" \t\n\r#,;:{}[]x01\0é",
        '"',
        "",
        "-1",
        "1.5",
        "nan",
        "1e400",
        "null",
        "true",
        "d1",
        "all",
        "L1",
    ]
)
EVALUATOR = Evaluator({"1": {"d1": 1}, "2": {"d2": 1}}, "AP")


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, str, str]:
    """A file in which up to two places are changed, or a line is repeated: kind, name, text."""
    kind, name, text = draw(st.sampled_from(BASES))
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(text)))
        text = text[:start] + draw(TOKENS) + text[start + draw(st.integers(0, 3)) :]
    lines = text.splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 1)) if lines else 0):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(lines)))
    return kind, name, "".join(lines)


def is_read(path: str, kind: str, format: str) -> bool:
    """Return True if the commands read a file."""
    try:
        if kind == "qrels":
            read_qrels(path, sampled=True)
        else:
            call_with_split(EVALUATOR.read([path]), lambda each: EVALUATOR.score_runs(each, strangers=True))
        if format == TREC_ANSWERS:
            read_answers(path)
    except CranfieldError:
        return False
    return True


def checked(path: str, kind: str | None) -> Report | None:
    """Return the report of a file, None if it cannot be read at all."""
    try:
        return validate([path], kind)[0]
    except CranfieldError:
        return None


@settings(max_examples=examples(600), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(file=("run", "msmarco.tsv", "1\td1\t1\n1\td\r\t2\n2\td1\t1\n"))  # \r ends no line
@given(file=mutated())
def test_validate_agrees_with_the_readers(tmp_path_factory: pytest.TempPathFactory, file: tuple[str, str, str]) -> None:
    kind, name, text = file
    path = tmp_path_factory.getbasetemp() / name
    path.write_text(text, encoding="utf-8", newline="")
    for forced in (kind, None):
        report = checked(str(path), forced)
        used = kind if report is None else report.kind
        format = "" if report is None else report.format
        if used not in ("qrels", "run") or (used, format) == ("run", "letor"):
            continue  # read by the same function; predictions, which need LETOR judgments
        fine = report is not None and not report.count("error")
        assert fine == is_read(str(path), used, format)


OTHERS = {  # of each kind that --kind names
    "assignments": "1 a n1 vital support\n",
    "nuggets": "1 n1 vital\n",
    "support": "1 a 1 d1 full\n",
    "answers": "1\tParis\n",
    "texts": "1\tParis is a city.\n",
    "clicks": "1 s1 1 1 200\n",
    "scores": "map 1 0.5\nmap 2 0.25\n",
    "intents": "1 i1 0.5\n1 i2 0.5\n",
    "costs": "1 d1 2.5\n",
    "lengths": "d1 200\n",
    "groups": "1 d1 c1\n",
    "topics": "1\n2\n",
    "teams": "bm25 ours\n",
    "queries": "1\twhich city?\n",
    "battles": "1 x y x\n2 x y tie\n",
    "assessments": "1 d1 ann 2\n1 d1 bob 1\n",
}


def test_validate_every_reader_is_a_function() -> None:
    options = argparse.Namespace(separator=None, labels=None, columns=None)
    assert all(callable(_choose_reader(kind, options)) for kind in READERS)


@pytest.mark.parametrize("kind", OTHERS)
def test_validate_kind_is_read_as_by_its_command(tmp_path: Path, cranfield: Command, kind: str) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text(OTHERS[kind], encoding="utf-8")
    bad.write_bytes(OTHERS[kind].encode() + b"\xff\xfe\n")
    assert cranfield.printed("validate", "--kind", kind, good).rstrip().endswith(": fine")
    done = cranfield("validate", "--kind", kind, bad)
    assert (done.code, "error: found bytes that are not UTF-8" in done.out) == (2, True)


@pytest.mark.parametrize("kind", ["assignments", "nuggets", "support"])
def test_validate_judged_answers_are_detected(tmp_path: Path, cranfield: Command, kind: str) -> None:
    path = tmp_path / kind
    path.write_text(OTHERS[kind], encoding="utf-8")
    assert f": {kind}, 1 topic: fine" in cranfield.printed("validate", path)


def test_validate_judged_answers_from_standard_input_are_detected(cranfield: Command) -> None:
    said = cranfield.printed("validate", "-", stdin=OTHERS["assignments"])
    assert said == "standard input: assignments, 1 topic: fine\n"


def test_validate_nuggetizer_assignments_are_fine(tmp_path: Path, cranfield: Command) -> None:
    nugget = {"text": "size 42", "importance": "vital", "assignment": "partial_support"}
    answer = {"query": "shoes", "qid": "1", "answer_text": "Yes.", "run_id": "a"}
    path = tmp_path / "assignments.jsonl"
    path.write_text(json.dumps({**answer, "nuggets": [nugget]}) + "\n", encoding="utf-8")
    assert cranfield.printed("validate", path).endswith(": assignments, 1 topic: fine\n")
    assert cranfield.printed("answers", path, "-f", "csv").startswith("run,topic,measure,value\na,")


@pytest.mark.parametrize("name", ["p.txt", "p.jsonl"])
def test_validate_numbers_are_predictions_for_letor_judgments_only(
    tmp_path: Path, cranfield: Command, name: str
) -> None:
    numbers, letor, qrels = tmp_path / name, tmp_path / "letor", tmp_path / "qrels"
    numbers.write_text("2\n1\n", encoding="utf-8")
    letor.write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n", encoding="utf-8")
    qrels.write_text("1 0 d1 1\n", encoding="utf-8")
    for judgments, code in ((letor, 0), (qrels, 2)):
        assert cranfield("validate", judgments, numbers).code == code
        assert cranfield("evaluate", judgments, numbers).code == code
    assert cranfield("validate", numbers).code == (2 if name == "p.jsonl" else 0)


@pytest.mark.parametrize("separator", ["tab", "\\t", "\t"])
def test_separator_names_mean_their_separators(tmp_path: Path, cranfield: Command, separator: str) -> None:
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("a b\t0\td 1\t1\n", encoding="utf-8")
    run.write_text("a b\tQ0\td 1\t1\t2.5\tx\n", encoding="utf-8")
    assert ": fine" in cranfield.printed("validate", "--sep", separator, qrels, run)
    assert "1.0000" in cranfield.printed("evaluate", "--sep", separator, qrels, run, "-m", "AP")
    assert cf.evaluate(qrels, run, "AP", separator=separator).topics == ("a b",)
    assert cf.read_qrels(qrels, separator=separator).topics == ("a b",)
