"""Tables without a header: what their fields are taken for, and when that is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import decide
from cranfield.data.reading.records import Text
from cranfield.data.reading.source import Source
from tests.made import Command, written

RANKED = "1 a 1\n1 b 2\n2 c 1\n"
JUDGED = {"1": {"a": 1, "b": 0, "c": 0}}


def decided(path: Path, text: str, kind: Kind | None) -> tuple[str, str | None]:
    """The format, and what separates fields."""
    found = decide(Source.of(written(path / "file", text)), None, Text(), kind)
    return found.format.name, found.text.separator


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("run", RANKED, "msmarco"),
        ("run", "1 a 0\n1 b 1\n2 c 0\n", "msmarco"),
        ("run", "1 a 1\n2 c 1\n1 b 2\n2 d 2\n", "msmarco"),  # topics in turns
        ("run", "1 a 2.5\n1 b 1\n", "triples"),
        ("run", "1 a -1\n1 b -2\n", "triples"),
        ("run", "1 a 3\n1 b 2\n1 c 1\n", "triples"),  # from the top down, as scores fall
        ("run", "1 a 7\n1 b 7\n1 c 9\n", "triples"),  # two documents have no rank in common
        ("run", "1 a 1 2.5\n1 b 2 2.5\n", "colbert"),
        ("run", "1 Q0 a 1 2.5 t\n", "trec"),
        ("qrels", "1 a 1\n1 b 0\n", "triples"),
        ("qrels", "1 a 0.5\n1 b -1\n", "triples"),
        ("qrels", "1 a 0\n1 b 1\n1 c 2\n", "triples"),  # levels that happen to rise
        ("qrels", "1 a L1\n1 b L0\n", "ntcir"),
        ("qrels", "1 0 a 1\n", "trec"),
        ("qrels", "1 0 1 1\n1 0 2 0\n1 0 3 0\n", "trec"),
        (None, "1 0 1 1\n1 0 2 0\n1 0 3 0\n", "trec"),
        (None, "1 a 1 2.5\n1 b 2 2.5\n", "colbert"),
        (None, "1 a 1\n1 b 0\n", "triples"),
        (None, "".join(f"1 d{i} {i}\n" for i in range(20)), "msmarco"),
    ],
)
def test_told_by_their_fields(kind: Kind | None, text: str, expected: str, tmp_path: Path) -> None:
    assert decided(tmp_path, text, kind) == (expected, None)
    for sign in ",;":
        found, between = decided(tmp_path, text.replace(" ", sign), kind)
        if expected != "ntcir":
            assert (found, between) == (expected, sign)


def test_fields_with_blanks_between_tabs(tmp_path: Path) -> None:
    assert decided(tmp_path, "1\ta b\t0.5\n1\tb\t0.4\n", "run") == ("triples", "\t")
    assert decided(tmp_path, "1\t0\ta b\t1\n", "qrels") == ("trec", "\t")
    with pytest.raises(cf.InputError, match="3 fields between tabs or 4 between blanks"):
        decided(tmp_path, "1\ta b\t1\n1\ta c\t0\n", "qrels")


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("run", "1 a 2\n1 b 1\n1 c 3\n", "topic doc rank (msmarco) or topic doc score (triples)"),
        ("run", "1 a 1\n2 b 1\n3 c 1\n", "topic doc rank (msmarco) or topic doc score (triples)"),
        ("run", "1 a 1 2\n1 b 2 3\n", "topic doc rank score (colbert) or topic doc score rank"),
        ("run", "1 0 0.5\n1 1 0.7\n", "RankLib's scores? then cut -f 3"),
        ("run", "1 1 77\n1 2 70\n1 3 51\n", "topic rank doc or topic doc score (triples)"),
        ("run", "1 0.9 77\n1 0.8 70\n", "topic score doc or topic doc score (triples)"),
        ("qrels", "".join(f"1 {i % 3} {i + 70}\n" for i in range(9)), "or topic level doc"),
        ("qrels", "1 0 77\n2 0 78\n", "topic iteration doc without a level"),
        ("qrels", "".join(f"1 d{i} {i}\n" for i in range(1, 9)), "topic doc rank of a run"),
        ("qrels", "1 g s a 1\n1 g t b 0\n", "topic group subgroup doc level (preferences"),
        ("qrels", "1 0 a 3 1\n1 1 b 2 0\n", "topic 0 doc stratum level (sampled) or topic group"),
    ],
)
def test_in_doubt(kind: Kind, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=re.escape(said)) as caught:
        decided(tmp_path, f"# made by hand\n{text}", kind)
    assert caught.value.line == 2


@pytest.mark.parametrize(("format", "expected"), [("msmarco", 1 / 2), ("triples", 1 / 2)])
def test_a_format_decides(format: str, expected: float, tmp_path: Path) -> None:
    path = written(tmp_path / "run", "1 a 2\n1 b 1\n1 c 3\n")  # a is second in both
    with pytest.raises(cf.InputError, match=f"--run-format {format}"):
        cf.evaluate(JUDGED, path, "RR")
    assert cf.evaluate(JUDGED, path, "RR", run_format=format).summary() == {path: {"RR": expected}}
    order = cf.read_run(path, format).ranked("1")
    assert order == (["b", "a", "c"] if format == "msmarco" else ["c", "a", "b"])


def test_the_hint_on_ranklib_where_it_does_not_fit(tmp_path: Path) -> None:
    for text in ("1 d1 0.5\n1 d2 0.7\n", "1 7 0.5\n1 3 0.7\n"):
        assert decided(tmp_path, text, "run") == ("triples", None)
    with pytest.raises(cf.InputError) as caught:
        cf.read_run(written(tmp_path / "run", "1 x 2.5\n"), "trec")
    assert "RankLib" not in str(caught.value)


def test_a_mistake_is_told_with_its_line(tmp_path: Path) -> None:
    for text in ("1 a 1\n1 b 2\n1 c\n", "1,a,1\n1,b,2\n1,c\n"):
        path = written(tmp_path / "run", text)
        with pytest.raises(cf.InputError, match=r"run:3: found 2 fields .*expected 3: topic doc"):
            cf.evaluate(JUDGED, path, "RR")
    path = written(tmp_path / "run", "1 a 1\n1 b 2\n1 c x\n")
    with pytest.raises(cf.InputError, match=r"run:3: found 3 fields|run:3: found rank 'x'"):
        cf.read_run(path, "msmarco").to_dict()


def test_ranks_decide_without_scores(tmp_path: Path) -> None:
    path = written(tmp_path / "run", "1 a 1\n2 c 1\n1 b 2\n")
    assert cf.read_run(path).ranked("1") == ["a", "b"]
    with pytest.raises(cf.InputError, match="found no scores"):
        cf.read_run(path, ties="trec")


def test_chunks_stand_where_the_first_does(tmp_path: Path) -> None:
    """Ranks are not added up, as scores would be."""
    path = written(tmp_path / "run", "1 x#1 1\n1 a#1 2\n1 a#2 3\n1 b#1 4\n1 a#3 5\n")
    assert cf.read_run(path, chunks="#").ranked("1") == ["x", "a", "b"]
    with pytest.raises(cf.InputError, match="found chunk_score=sum where rank decides"):
        cf.read_run(path, chunks="#", chunk_score="sum")


def test_validate_says_what_was_decided(tmp_path: Path, cranfield: Command) -> None:
    path = written(tmp_path / "run", "1 Q0 a 1 2.5 t\n")
    shown = cranfield("validate", "-v", path).out
    assert "trec run, 6 fields, topic in column 1, " in shown
    assert "tag in column 6, 1 topic\n" in shown
    path = written(tmp_path / "other", RANKED.replace(" ", ","))
    shown = cranfield("validate", "-v", "--kind", "run", path).out
    told = "topic in column 1, document in column 2, rank in column 3, 2 topics\n"
    assert f"msmarco run with commas between fields, 3 fields, {told}" in shown
    path = written(tmp_path / "table", "user_id;item;rating\nu;x;1\n")
    shown = cranfield("validate", "-v", path).out
    told = "topic in column user_id, document in column item, level in column rating, 1 topic\n"
    assert f"csv qrels, 3 columns, {told}" in shown
