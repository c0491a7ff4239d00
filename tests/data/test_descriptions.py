"""Queries and documents for people: from any table, and no guess where columns are not known."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cranfield.data.descriptions import Doc, Query, read_docs, read_queries
from cranfield.data.reading import binary
from cranfield.errors import CranfieldError, InputError
from tests.made import written

ROWS = [
    {"qid": "301", "query": 'what is "it", really?', "lang": "en", "long": 1},
    {"qid": "302", "query": "zwei", "lang": "de", "long": 0},
]
WANTED = {
    "301": Query('what is "it", really?', {"lang": "en", "long": "1"}),
    "302": Query("zwei", {"lang": "de", "long": "0"}),
}
DOCS = [
    {"docno": "d1", "title": "First", "text": "It was\n a dark  night."},
    {"docno": "d2", "title": "", "text": "Second"},
    {"docno": "d3", "title": "Third", "text": None},
]
FOUND = {"d1": Doc("First", "It was a dark night."), "d3": Doc("Third", "")}


class TestQueries:
    def test_tables(self, tmp_path: Path) -> None:
        frame = pl.DataFrame(ROWS)
        frame.write_csv(tmp_path / "q.csv")
        frame.write_parquet(tmp_path / "q.parquet")
        lines = "".join(json.dumps(row) + "\n" for row in ROWS)
        written(tmp_path / "q.jsonl", lines)
        (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
        text = "qid\tquery\tlang\tlong\n"
        text += "".join("\t".join(map(str, row.values())) + "\n" for row in ROWS)
        written(tmp_path / "q.tsv", text)
        for name in ("q.csv", "q.parquet", "q.jsonl", "q.jsonl.gz", "q.tsv"):
            assert read_queries(tmp_path / name) == WANTED, name
        assert read_queries(frame) == WANTED

    def test_lines_without_a_header(self, tmp_path: Path) -> None:
        path = written(tmp_path / "queries.tsv", '1\twhat is "it"?\n2\t# hash\n')
        assert read_queries(path) == {"1": Query('what is "it"?'), "2": Query("# hash")}

    def test_other_column_names_are_accepted(self, tmp_path: Path) -> None:
        beir = written(tmp_path / "q.jsonl", '{"_id": "7", "text": "seven", "metadata": null}\n')
        assert read_queries(beir) == {"7": Query("seven")}

    def test_topic_column_is_accepted(self) -> None:
        rows = [{"qid": "1", "query": "one", "topic": "sport"}]
        assert read_queries(rows) == {"1": Query("one", {"topic": "sport"})}

    def test_unknown_columns_raises(self, tmp_path: Path) -> None:
        path = written(tmp_path / "q.csv", "a,b\n1,one\n")
        with pytest.raises(InputError, match=r"columns a, b.*qid.*query"):
            read_queries(path)

    def test_bad_input(self, tmp_path: Path) -> None:
        twice = written(tmp_path / "twice.tsv", "1\tone\n1\tagain\n")
        with pytest.raises(InputError, match=r"twice.tsv:2: duplicate topic '1'"):
            read_queries(twice)
        blanks = written(tmp_path / "blanks.txt", "1 one\n")
        with pytest.raises(InputError, match="topic<TAB>query"):
            read_queries(blanks)
        nested = written(tmp_path / "nested.jsonl", '{"qid": "1", "query": ["a"]}\n')
        with pytest.raises(InputError, match="text or a number"):
            read_queries(nested)
        for wrong in (tmp_path / "none.tsv", 7, written(tmp_path / "empty.tsv", "")):
            with pytest.raises(CranfieldError):
                read_queries(wrong)


class TestDocs:
    def test_tables(self, tmp_path: Path) -> None:
        frame = pl.DataFrame(DOCS)
        frame.write_csv(tmp_path / "d.csv")
        frame.write_parquet(tmp_path / "d.parquet")
        written(tmp_path / "d.jsonl", "".join(json.dumps(row) + "\n" for row in DOCS))
        for name in ("d.csv", "d.parquet", "d.jsonl"):
            assert read_docs(tmp_path / name, {"d1", "d3", "zz"}) == FOUND, name

    def test_read_docs_long_table_reads_some_row_groups(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        frame = pl.DataFrame({"docno": [f"d{i}" for i in range(40)], "text": ["text"] * 40})
        frame.write_parquet(tmp_path / "d.parquet", row_group_size=10)
        monkeypatch.setattr("cranfield.data.reading.tables.PART", 10)
        asked, calls = binary._call_polars, list[str]()

        def counting(*given: Any) -> Any:
            calls.append(given[0])
            return asked(*given)

        monkeypatch.setattr(binary, "_call_polars", counting)
        for doc, groups in (("d5", 1), ("d15", 2), ("d39", 4)):
            calls.clear()
            assert read_docs(tmp_path / "d.parquet", {doc}) == {doc: Doc("", "text")}
            assert calls.count("scan_parquet") == groups

    def test_lines_without_a_header(self, tmp_path: Path) -> None:
        two = written(tmp_path / "collection.tsv", 'd1\tsome "text"\nd2\tmore\n')
        assert read_docs(two, {"d1"}) == {"d1": Doc("", 'some "text"')}
        three = written(tmp_path / "three.tsv", "d1\ttitle\ttext\n")
        assert read_docs(three, {"d1"}) == {"d1": Doc("title", "text")}

    def test_read_docs_stops_after_last_wanted_document(self, tmp_path: Path) -> None:
        """Once all are found, the rest of a large file is left alone: even a broken line."""
        path = written(tmp_path / "d.tsv", "d1\tone\nd2\ttwo\nbroken\n")
        assert read_docs(path, {"d1"}) == {"d1": Doc("", "one")}

    def test_read_docs_text_up_to_line_limit_is_read(self, tmp_path: Path) -> None:
        """Python's csv stops at 131,072 characters unless told otherwise."""
        long = "word " * 60_000
        csv = written(tmp_path / "d.csv", f'docno,text\nd1,"{long}"\nd2,two\n')
        tsv = written(tmp_path / "d.tsv", f"docno\ttext\nd1\t{long}\nd2\ttwo\n")
        for path in (csv, tsv):
            assert read_docs(path, {"d1", "d2"}, 9) == {
                "d1": Doc("", "word word"),
                "d2": Doc("", "two"),
            }

    def test_read_docs_long_texts_are_truncated(self) -> None:
        assert read_docs({"d": "abcdef"}, {"d"}, max_length=3) == {"d": Doc("", "abc")}

    def test_unknown_columns_raises(self, tmp_path: Path) -> None:
        path = written(tmp_path / "d.csv", "docno,price\nd1,3\n")
        with pytest.raises(InputError, match=r"columns docno, price.*title, text"):
            read_docs(path, {"d1"})
