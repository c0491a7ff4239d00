"""No reader misreads silently: equal scores, an error, or a note that names the cause.

Each example writes one random collection twice: as dicts, which have one meaning, and in another
form, with other column names, other orders of rows and columns, further columns, or with judgments
and run exchanged.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import CranfieldError
from tests.made import examples

MEASURES = "AP nDCG@3 RR"
Rows: TypeAlias = list[dict[str, Any]]
Nested: TypeAlias = dict[str, dict[str, float]]

TOPIC_NAMES = ("qid", "query_id", "topic", "Query ID", "q")
DOC_NAMES = ("docno", "doc_id", "document", "Doc ID", "page")
LEVEL_NAMES = ("level", "relevance", "rating", "grade", "stars")
SCORE_NAMES = ("score", "sim", "scores", "score_x", "pred", "logit", "bm25", "distance")
EXTRA_NAMES = ("title", "price", "year", "id", "rank", "score", "level", "")


def _table(separator: str) -> Callable[[Rows], bytes]:
    def write(rows: Rows) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=separator, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows(row.values() for row in rows)
        return text.getvalue().encode()

    return write


def _json_lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _binary(name: str) -> Callable[[Rows], bytes]:
    def write(rows: Rows) -> bytes:
        getattr(pl.DataFrame(rows), f"write_{name}")(file := io.BytesIO())
        return file.getvalue()

    return write


FILES: dict[str, Callable[[Rows], bytes]] = {
    ".csv": _table(","),
    ".tsv": _table("\t"),
    ".jsonl": _json_lines,
    ".json": lambda rows: json.dumps(rows).encode(),
    ".parquet": _binary("parquet"),
    ".arrow": _binary("ipc"),
}
OBJECTS: dict[str, Callable[[Rows], Any]] = {
    "polars": pl.DataFrame,
    "pandas": lambda rows: pl.DataFrame(rows).to_pandas(),
    "records": list,
}


@dataclass(frozen=True)
class Table:
    """One form of a file or object, and the names of its columns."""

    form: str
    names: dict[str, str]  # column names by role: topic, doc, value, and perhaps rank
    extra: tuple[str, ...]  # names of further columns
    order: tuple[int, ...]  # random keys that order columns and rows

    def rows(self, data: Nested) -> Rows:
        """Return the collection as rows, columns and rows in the order of the example."""
        flat = []
        for topic, docs in data.items():
            best = sorted(docs, key=lambda doc: (-docs[doc], doc))
            for doc, value in docs.items():
                flat.append({"topic": topic, "doc": doc, "value": value, "rank": best.index(doc) + 1})
        keys = [*self.names, *(f"extra {name}" for name in self.extra)]
        keys = [key for _, key in sorted(zip(self.order, keys, strict=False))]
        place = {key: n for n, key in enumerate(keys)}
        ordered = [row for _, row in sorted(zip(self.order * 9, flat, strict=False), key=lambda x: x[0])]
        return [
            {
                self._name(key): row[key] if key in self.names else self._cell(key, number)
                for key in sorted(place, key=place.__getitem__)
            }
            for number, row in enumerate(ordered)
        ]

    def _name(self, key: str) -> str:
        return self.names.get(key, key.removeprefix("extra "))

    def _cell(self, key: str, number: int) -> Any:
        return f"text {number}" if key == "extra title" else (number * 7) % 5 + 1

    def write(self, data: Nested, folder: Path, name: str) -> Any:
        """Return a path or an object with the rows."""
        rows = self.rows(data)
        if self.form in OBJECTS:
            return OBJECTS[self.form](rows)
        path = folder / f"{name}{self.form}"
        path.write_bytes(FILES[self.form](rows))
        return path


def tables(names: Sequence[str], ranked: bool) -> st.SearchStrategy[Table]:
    """Return tables with a value column of one of these names."""
    columns: dict[str, st.SearchStrategy[str]] = {
        "topic": st.sampled_from(TOPIC_NAMES),
        "doc": st.sampled_from(DOC_NAMES),
        "value": st.sampled_from(names),
    }
    roles = st.fixed_dictionaries(columns)
    if ranked:
        with_rank = st.fixed_dictionaries({**columns, "rank": st.just("rank")})
        only_rank = st.fixed_dictionaries(
            {"topic": columns["topic"], "doc": columns["doc"], "rank": st.just("position")}
        )
        roles = st.one_of(roles, roles, with_rank, only_rank)
    extra = st.lists(st.sampled_from(EXTRA_NAMES), max_size=2, unique=True)
    keys = st.permutations(range(12)).map(tuple)
    forms = st.sampled_from([*FILES, *OBJECTS])

    def build(form: str, roles: dict[str, str], extra: list[str], order: Any) -> Table:
        taken = {name.lower() for name in roles.values()}
        return Table(form, roles, tuple(x for x in extra if x not in taken), order)

    return st.builds(build, forms, roles, extra, keys)


@st.composite
def collections(draw: st.DrawFn) -> tuple[Nested, Nested]:
    """Draw judgments and a run with distinct scores in each topic."""
    topics = draw(st.lists(st.sampled_from(["1", "02", "lamp", "t-4"]), min_size=1, unique=True))
    docs = [f"d{n}" for n in range(6)]
    levels = st.dictionaries(st.sampled_from(docs), st.integers(0, 3), min_size=2)
    few = st.lists(st.sampled_from(docs), min_size=3, unique=True)
    qrels = {topic: draw(levels) for topic in topics}
    run = {}
    for topic in topics:
        ranking = draw(few)
        numbers = draw(st.lists(st.integers(-999, 9999), min_size=len(ranking), max_size=len(ranking), unique=True))
        run[topic] = {doc: x / 8 + 0.01 for doc, x in zip(ranking, numbers, strict=True)}
    qrels[topics[0]] |= {"d0": 1, "d1": 0}
    return {t: {d: float(x) for d, x in docs.items()} for t, docs in qrels.items()}, run


def outcome(qrels: Any, run: Any) -> tuple[object, set[str]]:
    """Return the scores by topic and the texts of notes, or the error."""
    try:
        scores = cf.evaluate(qrels, {"r": run}, MEASURES)
    except CranfieldError as error:
        return error, set()
    values = {topic: scores.values[0, t].tolist() for t, topic in enumerate(scores.topics)}
    return values, {note.text for note in scores.notes}


def check(qrels: Any, run: Any, expected: tuple[object, set[str]], context: object) -> None:
    """Fail if the scores differ from the expected ones without an error and without a new note."""
    values, notes = outcome(qrels, run)
    if isinstance(values, CranfieldError):
        assert "Traceback" not in str(values)
        return
    assert values == expected[0] or notes - expected[1], context


@given(collections(), tables(LEVEL_NAMES, ranked=False), tables(SCORE_NAMES, ranked=True))
@settings(
    max_examples=examples(400),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_evaluate_tables_equal_scores_or_message(
    tmp_path: Path, collection: tuple[Nested, Nested], judged: Table, ranked: Table
) -> None:
    qrels, run = collection
    expected = outcome(qrels, run)
    assert not isinstance(expected[0], CranfieldError)
    one, two = judged.write(qrels, tmp_path, "qrels"), ranked.write(run, tmp_path, "run")
    check(one, run, expected, (judged, judged.rows(qrels)))
    check(qrels, two, expected, (ranked, ranked.rows(run)))


@given(collections(), tables(LEVEL_NAMES, ranked=False), tables(SCORE_NAMES, ranked=True))
@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_evaluate_exchanged_tables_message(
    tmp_path: Path, collection: tuple[Nested, Nested], judged: Table, ranked: Table
) -> None:
    qrels, run = collection
    usual = outcome(qrels, run)[1]
    one, two = judged.write(qrels, tmp_path, "qrels"), ranked.write(run, tmp_path, "run")
    values, notes = outcome(two, one)
    assert isinstance(values, CranfieldError) or notes - usual, (judged, ranked)


@pytest.mark.parametrize("form", [*FILES, *OBJECTS])
def test_evaluate_plain_tables_equal_scores(form: str, tmp_path: Path) -> None:
    qrels = {"1": {"a": 2.0, "b": 0.0, "c": 1.0}, "02": {"a": 1.0, "d": 0.0}}
    run = {"1": {"b": 3.5, "a": 2.25, "c": 0.5}, "02": {"d": 0.75, "a": 0.25, "e": 0.125}}
    judged = Table(form, {"topic": "qid", "doc": "docno", "value": "level"}, (), (3, 1, 2))
    ranked = Table(form, {"topic": "qid", "doc": "docno", "value": "score"}, (), (2, 3, 1))
    values, _ = outcome(judged.write(qrels, tmp_path, "qrels"), ranked.write(run, tmp_path, "run"))
    assert values == outcome(qrels, run)[0]
