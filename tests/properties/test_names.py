"""Names mean nothing: other ids for all topics and documents change no number, in any format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.groups import read_groups
from tests.made import examples

QRELS = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 2, "d": 1}}
RUN = {"1": ["x", "a", "b", "c"], "2": ["d", "y", "a"]}
CLASSES = {"1": {"a": "k", "b": "k"}, "2": {"a": "l", "d": "m"}}
ROWS = [(t, d, 9.0 - i) for t, docs in RUN.items() for i, d in enumerate(docs)]
# Any character but ASCII blanks, the comment's # at the beginning, and half a character.
ODD = [*"\x1c\x1f\x85\xa0\u1680\u2003\u2028\u3000\ufeff\0", "é", "中", "\U0001f600", "٣"]
AROUND = st.text(st.sampled_from(ODD), max_size=3)

Written = Callable[[Callable[[str], str], Path], Any]


def _text(form: str, rows: list[tuple[str, str, float]], to: Callable[[str], str]) -> bytes:
    return "".join(form.format(to(t), to(d), x) for t, d, x in rows).encode()


def _table(write: str) -> Written:
    def written(to: Callable[[str], str], path: Path) -> Any:
        topics, docs, scores = zip(*ROWS, strict=True)
        columns = {"topic": map(to, topics), "doc": map(to, docs), "score": scores}
        frame = pl.DataFrame({name: [*values] for name, values in columns.items()})
        getattr(frame, f"write_{write}")(path)
        return path

    return written


def _bytes(made: Callable[[Callable[[str], str]], bytes]) -> Written:
    def written(to: Callable[[str], str], path: Path) -> Any:
        path.write_bytes(made(to))
        return path

    return written


def _xml(to: Callable[[str], str]) -> bytes:
    topics = "".join(
        f"<TOPIC ID={quoteattr(to(t))}>{''.join(f'<D DOCID={quoteattr(to(d))}/>' for d in docs)}</TOPIC>"
        for t, docs in RUN.items()
    )
    return f"<R>{topics}</R>".encode()


RUNS: dict[str, Written] = {
    "r.trec": _bytes(lambda to: _text("{} Q0 {} 1 {} t\n", ROWS, to)),
    "r.csv": _bytes(lambda to: b"topic,doc,score\n" + _text("{},{},{}\n", ROWS, to)),
    "r.tsv": _bytes(lambda to: b"topic\tdoc\tscore\n" + _text("{}\t{} \t{}\n", ROWS, to)),
    "r.parquet": _table("parquet"),
    "r.arrow": _table("ipc"),
    "r.jsonl": _table("ndjson"),
    "r.json": _bytes(lambda to: json.dumps({to(t): [*map(to, docs)] for t, docs in RUN.items()}).encode()),
    "r.xml": _bytes(_xml),
}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("names")


@pytest.mark.parametrize("name", RUNS)
@given(before=AROUND, after=AROUND)
@settings(max_examples=examples(15))
def test_other_names_change_no_number(scratch: Path, name: str, before: str, after: str) -> None:
    """A blank that is not ASCII's is a part of an id, wherever it stands."""
    if name == "r.xml" and set(before + after) & {*"\0\x1c\x1f"}:
        return  # which XML cannot have

    def to(name: str) -> str:
        mark = before.startswith("\ufeff")  # at the beginning of a file it is none of an id
        return f"{'q' * mark}{before}{name}{after}"

    qrels = {to(t): {to(d): x for d, x in docs.items()} for t, docs in QRELS.items()}
    found = cf.evaluate(qrels, RUNS[name](to, scratch / name), "AP nDCG@3 NumRet")
    expected = cf.evaluate(QRELS, RUN, "AP nDCG@3 NumRet")
    assert found.values.tolist() == expected.values.tolist()
    assert found.topics == tuple(map(to, expected.topics))


@given(before=AROUND, after=AROUND)
@settings(max_examples=examples(15))
def test_other_names_are_in_the_same_classes(scratch: Path, before: str, after: str) -> None:
    def to(name: str) -> str:
        return f"q{before}{name}{after}"

    path = scratch / "classes"
    rows = [(t, d, c) for t, docs in CLASSES.items() for d, c in docs.items()]
    for text in ("{} {} {}\n", "{}\t{}\t{}\n"):
        path.write_bytes("".join(text.format(to(t), to(d), c) for t, d, c in rows).encode())
        assert read_groups(path).names == {to(t): {to(d): c for d, c in docs.items()} for t, docs in CLASSES.items()}
