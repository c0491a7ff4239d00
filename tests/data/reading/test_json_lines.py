"""JSON rows with the same text between their values."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.data.reading.json_lines import parse_json_numbers, split_rows
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular

TEXT = st.text(st.characters(codec="utf-8"), max_size=6)
NUMBER = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
NAMES = ("qid", "docid", "score")
ROWS = st.lists(
    st.tuples(TEXT, TEXT, NUMBER).map(lambda row: dict(zip(NAMES, row, strict=True))), min_size=1, max_size=5
)
SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), (" ,  ", " :\t")])


def read_values(text: bytes) -> list[dict[str, Any]]:
    """Return the rows by position, with numbers as JSON defines them. Raise Irregular for irregular rows."""
    columns = {}
    for name, (texts, is_text) in split_rows(text).items():
        columns[name] = texts.tolist() if is_text else parse_json_numbers(texts).tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def parse_rows(text: bytes) -> list[Any]:
    """Return the rows as the standard library reads them, without duplicate keys."""

    def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    lines = text.decode().removesuffix("\n").split("\n")
    return [json.loads(line, object_pairs_hook=reject_duplicates) for line in lines]


@given(ROWS, SEPARATORS, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_split_rows_equals_json(rows: list[Any], separators: Any, ascii_only: bool, end: str) -> None:
    """Rows are read as by the standard library. Only rows with escapes are irregular."""
    lines = [json.dumps(row, separators=separators, ensure_ascii=ascii_only) for row in rows]
    text = "".join(line + end for line in lines).encode()
    if b"\\" in text:
        with pytest.raises(Irregular):
            split_rows(text)
    else:
        assert read_values(text) == rows
        assert read_values(text.removesuffix(b"\n")) == rows


@given(ROWS, st.integers(0), st.sampled_from([b"", *map(bytes, zip(b'" {},\n0-\x01a\xff'))]), st.integers(0, 12))
def test_split_rows_damaged_text_is_valid_or_irregular(rows: list[Any], place: int, inserted: bytes, cut: int) -> None:
    """Text that is no JSON is irregular, and other text is read as by the standard library."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    place %= len(text)
    damaged = text[:place] + inserted + text[place + cut :]
    with suppress(Irregular):
        assert read_values(damaged) == parse_rows(damaged)


FIRST = b'{"qid": "q1", "docid": "d1", "score": 2}\n'


@pytest.mark.parametrize(
    "line",
    [
        b'{"qid": "q1", "score": 2", "docid": "3}',  # the same texts in another order
        b'{"docid": "d1", "qid": "q1", "score": 2}',
        b'{"qid": "q1", "docid": "d1", "docid": "d2", "score": 2}',
        b'{"qid": "q1", "docid": "d1", "score": "2"}',
        b'{"qid": "q1", "docid": 1, "score": 2}',
        b'{"qid": "q1", "docid": "d1", "score": 2, "tag": "a"}',
        b'{"qid": "q1", "docid": "d1"}',
        b'{"qid": "q1", "docid": "a\\u0041", "score": 2}',
        b'{"qid": "q1", "docid": "a\x01", "score": 2}',
        b'{"qid": "q1", "docid": "a\tb", "score": 2}',
        b'{"qid": "q1", "docid": "\xff", "score": 2}',
        b'{"qid": "q1", "docid": "d1", "score": [2]}',
        b"",
        b"{}",
    ],
)
def test_split_rows_other_line_raises(line: bytes) -> None:
    for text in (FIRST + line + b"\n", FIRST + line + b"\n" + FIRST, line + b"\n" + FIRST):
        with pytest.raises(Irregular):
            read_values(text)


NO_NUMBERS = "01 -01 1. .5 -.5 +1 1e nan NaN Infinity true null 1_0 0x1 1e999 -"


@pytest.mark.parametrize("text", ["", *NO_NUMBERS.split()])
def test_parse_json_numbers_other_text_raises(text: str) -> None:
    with pytest.raises(Irregular):
        parse_json_numbers(Strings.from_list(["1", text, "0.5"]))


@given(st.lists(NUMBER, min_size=1))
def test_parse_json_numbers_equals_float(numbers: list[float]) -> None:
    assert parse_json_numbers(Strings.from_list([*map(json.dumps, numbers)])).tolist() == [*map(float, numbers)]
