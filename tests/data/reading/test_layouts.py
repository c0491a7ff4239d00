"""Tables without a header: what their fields are taken for, and when that is refused."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import FORMAT, detect_format
from cranfield.data.reading.labels import GRADES, NTCIR_LABEL
from cranfield.data.reading.lines import parse_finite
from cranfield.data.reading.records import ReadOptions
from cranfield.data.reading.source import Source
from tests.made import Command, written

RANKED = "1 a 1\n1 b 2\n2 c 1\n"
JUDGED = {"1": {"a": 1, "b": 0, "c": 0}}


def decided(path: Path, text: str, kind: Kind | None) -> tuple[str, str | None]:
    """The format, and what separates fields."""
    found = detect_format(Source.from_path(written(path / "file", text)), None, ReadOptions(), kind)
    return found.format.name, found.options.separator


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
        ("run", "1 0 0.5\n1 1 0.7\n", "For RankLib's scores, use `cut -f 3`."),
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
    with pytest.raises(cf.InputError, match=f'run_format="{format}"'):
        cf.evaluate(JUDGED, path, "RR")
    assert cf.evaluate(JUDGED, path, "RR", run_format=format).summary() == {path: {"RR": expected}}
    order = cf.read_run(path, format).rank_topic("1")
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
    assert cf.read_run(path).rank_topic("1") == ["a", "b"]
    with pytest.raises(cf.InputError, match="no scores, which"):
        cf.read_run(path, ties="trec")


def test_chunks_stand_where_the_first_does(tmp_path: Path) -> None:
    """Ranks are not added up, as scores would be."""
    path = written(tmp_path / "run", "1 x#1 1\n1 a#1 2\n1 a#2 3\n1 b#1 4\n1 a#3 5\n")
    assert cf.read_run(path, chunks="#").rank_topic("1") == ["x", "a", "b"]
    with pytest.raises(cf.InputError, match="chunk_score=sum needs scores, but rank decides"):
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


# -- lines that two layouts fit -------------------------------------------------------------------

GRADED = "1 A d1 1\n1 B d2 1\n"


def test_read_qrels_grades_or_intents_raises(tmp_path: Path, cranfield: Command) -> None:
    path = written(tmp_path / "q", GRADED)
    said = "topic grade doc relevant (early) or topic intent doc level (trec). Use "
    said += 'qrels_format="early" or qrels_format="trec".'
    with pytest.raises(cf.InputError, match=re.escape(said)):
        cf.evaluate(path, {"1": ["d1", "d2"]}, "nDCG")
    scores = [
        cf.evaluate(path, {"1": ["d2", "d1"]}, "nDCG", qrels_format=name).summary()["run"]["nDCG"]
        for name in ("trec", "early")
    ]
    assert scores == pytest.approx([1.0, 0.8597], abs=1e-4)
    assert cf.evaluate(path, {"1": ["d1", "d2"]}, "alpha_nDCG").summary()["run"]["alpha_nDCG"] == 1
    found = cranfield("validate", path)
    assert (found.code, "--qrels-format early or --qrels-format trec" in found.out) == (2, True)
    assert cranfield("validate", path, "--qrels-format", "early").code == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 A d1 1\n1 C d2 0\n", "early"),
        ("1 S d1 1\n1 A d2 1\n1 B d3 0\n", "early"),
        ("1 C d1 1\n1 A d2 0\n", "trec"),  # the better grade is not relevant
        ("1 A d1 1\n1 B d1 1\n1 C d2 0\n", "trec"),  # one document, two intents
        ("1 A d1 1\n1 A d2 0\n", "trec"),
    ],
)
def test_decide_grades_follow_relevance(text: str, expected: str, tmp_path: Path) -> None:
    assert decided(tmp_path, text, "qrels") == (expected, None)
    qrels = cf.read_qrels(str(tmp_path / "file"))
    assert ("column 2 is read as the grade" in qrels.in_doubt) == (expected == "early")
    assert not cf.read_qrels(str(tmp_path / "file"), expected).in_doubt


def test_evaluate_early_judgments_for_intents_raises(tmp_path: Path) -> None:
    path = written(tmp_path / "q", "1 A d1 1\n1 C d2 0\n")
    with pytest.raises(cf.InputError, match="have no intents"):
        cf.evaluate(path, {"1": ["d1"]}, "alpha_nDCG")
    found = cf.evaluate(path, {"1": ["d1"]}, "alpha_nDCG", qrels_format="trec")
    assert found.summary()["run"]["alpha_nDCG"] == 1


def test_decide_colbert_run_with_documents_called_as_grades(tmp_path: Path) -> None:
    assert decided(tmp_path, "1 A 1 1\n1 B 2 0\n", "run") == ("colbert", None)


FITS: dict[str, Callable[[list[list[str]]], bool]] = {  # as docs/ambiguous.md describes
    "trec": lambda rows: len(rows[0]) == 4 and all(parse_finite(row[3]) is not None for row in rows),
    "early": lambda rows: len(rows[0]) == 4 and all(row[1] in GRADES and row[3] in ("0", "1") for row in rows),
    "ntcir": lambda rows: len(rows[0]) in (3, 4) and all(NTCIR_LABEL.fullmatch(row[2]) for row in rows),
    "letor": lambda rows: all(row[1].startswith("qid:") and parse_finite(row[0]) is not None for row in rows),
    "triples": lambda rows: len(rows[0]) == 3 and all(parse_finite(row[2]) is not None for row in rows),
    "sampled": lambda rows: (
        len(rows[0]) == 5 and all(row[3].isdecimal() and parse_finite(row[4]) is not None for row in rows)
    ),
    "msmarco": lambda rows: len(rows[0]) == 3 and all(row[2].isdecimal() for row in rows),
    "colbert": lambda rows: (
        len(rows[0]) == 4 and all(row[2].isdecimal() and parse_finite(row[3]) is not None for row in rows)
    ),
}
# Precedence without a note, as docs/ambiguous.md describes: what is taken, before what.
TAKEN = {
    ("letor", "trec"), ("letor", "ntcir"), ("letor", "triples"), ("letor", "sampled"),
    ("trec", "ntcir"),  # if the second field is 0, 1 or Q0 on every line
    ("trec", "early"),  # if grades contradict relevance
    ("triples", "msmarco"),  # if numbers fall, or two documents share one
    ("msmarco", "triples"),  # if numbers count up
}  # fmt: skip
CELLS = ("1", "2", "0", "A", "C", "L1", "L2", "d1", "Q0", "0.5", "qid:1", "x", "3")


def readings(path: str, names: Iterable[str], kind: Kind) -> dict[str, object]:
    """What a file holds, by format; what none can read is left out."""
    made: dict[str, object] = {}
    for name in names:
        try:
            if kind == "qrels":
                made[name] = cf.read_qrels(path, name, sampled=True).to_dict()
            else:
                made[name] = cf.read_run(path, name).rankings()
        except cf.CranfieldError:
            continue
    return made


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_decide_lines_of_two_layouts_never_silent(kind: Kind, tmp_path: Path) -> None:
    """Lines that fit two layouts are an error, have a note, or read alike, or it is documented."""
    drawn, seen = random.Random(38), set[tuple[str, str]]()  # noqa: S311
    for _ in range(400):
        width = drawn.choice([3, 3, 4, 4, 4, 5])
        columns = [drawn.sample(CELLS, drawn.choice([1, 2, 3])) for _ in range(width)]
        rows = [[drawn.choice(few) for few in columns] for _ in range(drawn.choice([1, 2, 3]))]
        names = [n for n in FITS if kind in FORMAT[n].kinds and FITS[n](rows)]
        if len(names) < 2:
            continue
        path = written(tmp_path / "file", "".join(f"{' '.join(row)}\n" for row in rows))
        held = readings(path, names, kind)
        if len({repr(one) for one in held.values()}) < 2:
            continue
        try:
            if kind == "qrels":
                qrels = cf.read_qrels(path, sampled=True)
                found: object = qrels.to_dict()
                noted = bool(qrels.in_doubt or qrels.grouped)
            else:
                run = cf.read_run(path)
                found, noted = run.rankings(), bool(run.in_doubt)
        except cf.InputError:
            continue
        taken = detect_format(Source.from_path(path), None, ReadOptions(), kind).format.name
        others = {n for n, one in held.items() if one != found}
        seen |= {(taken, other) for other in others}
        assert noted or all((taken, other) in TAKEN for other in others), (taken, others, rows)
    assert seen
