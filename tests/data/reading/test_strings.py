"""Packed texts, and the numbers they stand for."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.data.reading import strings
from cranfield.data.reading.strings import Numbering, Strings, parse_integers
from cranfield.data.reading.trec import parse_finite_numbers
from cranfield.errors import InputError

LONG = ["0.1234567890123456789", "123456789012345678", "9.00719925474099301", "-0.3", "1e3"]


def test_half_a_character_is_no_identifier() -> None:
    with pytest.raises(InputError, match=r"as an identifier, expected Unicode text"):
        Strings.from_list(["a", "\ud800"])


def test_whole_numbers_of_at_most_15_digits() -> None:
    found = parse_integers(Strings.from_list(["007", "12", "999999999999999"]))
    assert found is not None
    assert found.tolist() == [7, 12, 10**15 - 1]
    assert parse_integers(Strings.from_list(["7", "1000000000000000"])) is None
    assert parse_integers(Strings.from_list(["7", "1.5"])) is None


@pytest.mark.parametrize("extended", [True, False])
def test_numbers_of_many_digits_are_those_of_python(monkeypatch: pytest.MonkeyPatch, extended: bool) -> None:
    """Also where no type has 64 bits of precision, as on ARM and Windows."""
    monkeypatch.setattr(strings, "_EXTENDED", extended and strings._EXTENDED)
    found = parse_finite_numbers(Strings.from_list(LONG))
    assert found is not None
    assert found.tolist() == [float(text) for text in LONG]
    assert parse_finite_numbers(Strings.from_list(["0.5", "half"])) is None


@given(st.lists(st.text("ab\0é", max_size=12), min_size=1), st.sampled_from([1, 8, 256]))
def test_sort_keys_order_by_bytes(texts: list[str], long: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strings, "LONG", long)
        order = np.lexsort(Strings.from_list(texts).compute_sort_keys()[::-1])
    assert [texts[i] for i in order] == sorted(texts, key=str.encode)


def test_one_long_id_costs_what_it_is() -> None:
    """And not as much for all the others."""
    ids = Strings.from_list([*map(str, range(1000)), "x" * 1_000_000])
    tracemalloc.start()
    order = np.lexsort(ids.compute_sort_keys()[::-1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert order[-1] == 1000
    assert peak < 10_000_000


def test_ids_of_one_hash_cannot_be_written_without_the_key() -> None:
    """The last bit of a word and two of the next: these had one hash, whatever the key was."""
    word = b"\0" * 7
    ids = [first + second for first, second in ((word + b"\0", b"\0" * 8), (word + b"\x80", b"\0\0\0\0\4\0\0\x80"))]
    one, other = Strings.from_bytes(b"".join(ids), np.array([16, 16])).compute_hashes().tolist()
    assert one != other


@given(
    batches=st.lists(st.lists(st.text("abé", max_size=10), max_size=12), max_size=5),
    alike=st.sampled_from([1, 2, 1 << 64]),
)
def test_numbers_in_the_order_in_which_strings_come(batches: list[list[str]], alike: int) -> None:
    """As a dict gives them, also where hashes of different strings agree."""
    hashes, numbering = Strings.compute_hashes, Numbering()
    expected: dict[str, int] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Strings, "compute_hashes", lambda self: hashes(self) & np.uint64(alike - 1))
        for texts in batches:
            numbers = [expected.setdefault(text, len(expected)) for text in texts]
            assert numbering.number_strings(Strings.from_list(texts)).tolist() == numbers
            assert numbering.strings.tolist() == list(expected)


@given(st.lists(st.text("abé", max_size=4)), st.booleans(), st.randoms())
def test_copies_hold_nothing_else(texts: list[str], alike: bool, random: random.Random) -> None:
    texts = [text.ljust(9, "x") if alike else text for text in texts]
    rows = random.sample(range(len(texts)), len(texts) // 2)
    copied = Strings.from_list(texts)[np.array(rows, dtype=np.int64)].copy()
    assert copied.tolist() == [texts[row] for row in rows]
    assert len(copied.buffer) == 2 * strings.ROOM + copied.length.sum()
