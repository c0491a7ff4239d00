"""`Strings`: a column of byte strings in one buffer, without Python objects.

Seven million document ids as Python strings need half a gigabyte and seconds, and most are only
hashed. Here, a string is a position in a buffer. Columns are hashed, compared and parsed by words
of eight bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cranfield import kernel
from cranfield.arrays import Bools, Bytes, Floats, Ints, Words
from cranfield.errors import InputError

# Seed of hashes: random, so that no file can contain ids with chosen hash collisions. Results do
# not depend on it.
KEY: np.uint64 = np.frombuffer(os.urandom(8), dtype=np.uint64)[0]
LONG = 256  # bytes of a string sorted with array operations
SPARSE = 32  # maximum buffer size / size of strings to decode the complete buffer
ROOM = 64  # bytes before and after the strings: words can be read across the ends

_U = np.uint64
_FIRST = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)  # first n bytes of a word
_LAST = np.array([~((1 << 8 * (8 - n)) - 1) & (1 << 64) - 1 for n in range(9)], dtype=np.uint64)


def _repeat_byte(byte: int) -> Any:
    """Return a word of eight equal bytes."""
    return _U(byte * 0x0101010101010101)


def _decode_ascii(data: memoryview) -> str | None:
    """Decode a buffer if it is ASCII: positions of bytes are then positions of characters."""
    try:
        return str(data, "ascii")
    except UnicodeDecodeError:
        return None


class Strings:
    """Byte strings: `length` bytes from `start` in a buffer, with ROOM bytes around them.

    >>> ids = Strings.from_list(["d1", "a longer name", "d1"])
    >>> ids.tolist(), len(ids)
    (['d1', 'a longer name', 'd1'], 3)
    >>> (ids.compute_hashes()[0] == ids.compute_hashes()[2]).item()
    True
    """

    __slots__ = ("buffer", "length", "start")

    def __init__(self, buffer: Bytes, start: Ints, length: Ints) -> None:
        self.buffer, self.start, self.length = buffer, start, length

    @classmethod
    def from_list(cls, texts: Sequence[str]) -> Strings:
        """Create a column from Python strings."""
        if (joined := "".join(texts)).isascii():  # as in most files, and faster
            length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
            return cls.from_bytes(joined.encode(), length)
        try:
            encoded = [text.encode() for text in texts]
        except UnicodeEncodeError as error:
            raise InputError(f"{error.object!r} as an identifier", "Unicode text") from None
        length = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return cls.from_bytes(b"".join(encoded), length)

    @classmethod
    def from_bytes(cls, data: bytes, length: Ints) -> Strings:
        """Create a column from adjacent strings with these lengths."""
        room = bytes(ROOM)
        buffer = np.frombuffer(room + data + room, dtype=np.uint8)
        return cls(buffer, np.cumsum(length) - length + ROOM, length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: Any) -> Strings:
        return Strings(self.buffer, self.start[rows], self.length[rows])

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        """Convert to Python strings."""
        data = memoryview(self.buffer)  # type: ignore[arg-type]
        places = zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True)
        if SPARSE * int(self.length.sum()) >= len(data) and (text := _decode_ascii(data)) is not None:
            return [text[a:b] for a, b in places]
        return [str(data[a:b], "utf-8") for a, b in places]

    def copy(self) -> Strings:
        """Return a copy with its own buffer."""
        size = int(self.length[0]) if len(self) else 0
        if size and (self.length == size).all():  # as in many files
            shape, dtype = (len(self.buffer) - size + 1,), f"V{size}"
            text = np.ndarray(shape, dtype, self.buffer, strides=(1,))[self.start].tobytes()
        else:
            text = self.buffer[expand_spans(self.start, self.length)].tobytes()
        return Strings.from_bytes(text, self.length.copy())

    @staticmethod
    def concatenate(parts: Sequence[Strings]) -> Strings:
        """Concatenate columns of strings."""
        offsets = np.cumsum([0, *(len(p.buffer) for p in parts[:-1])])
        return Strings(
            np.concatenate([p.buffer for p in parts]),
            np.concatenate([p.start + b for p, b in zip(parts, offsets, strict=True)]),
            np.concatenate([p.length for p in parts]),
        )

    def split_before(self, separator: str) -> tuple[Strings, Bools]:
        """Return the parts before an ASCII separator, and True for strings with several.

        >>> ids, twice = Strings.from_list(["d1#2", "d1", "d#1#2"]).split_before("#")
        >>> ids.tolist(), twice.tolist()
        (['d1', 'd1', 'd'], [False, False, True])
        """
        end = self.start + self.length
        place = _find_byte(ord(separator), self, end)
        rest_start = np.minimum(place + 1, end)
        rest = Strings(self.buffer, rest_start, end - rest_start)
        return Strings(self.buffer, self.start, place - self.start), _find_byte(ord(separator), rest, end) < end

    # -- eight bytes at a time --------------------------------------------------------------------

    def _read_words(self, place: Ints) -> Words:
        """Return the eight bytes from each position."""
        words = np.ndarray((len(self.buffer) - 7,), "<u8", self.buffer, strides=(1,))
        return words[place]

    def iter_words(self) -> Iterator[tuple[Any, Words]]:
        """Yield the first, second, … words of the strings, with the rows that have this word.

        Bytes after the end of a string are zero.
        """
        rows: Any = slice(None)
        start, remaining = self.start, self.length
        while len(remaining):
            yield rows, self._read_words(start) & _FIRST[np.minimum(remaining, 8)]
            longer = np.flatnonzero(remaining > 8)
            rows = longer if isinstance(rows, slice) else rows[longer]
            start, remaining = start[longer] + 8, remaining[longer] - 8

    def compute_hashes(self) -> Words:
        """Return a 64-bit hash of each string. Equal strings have equal hashes."""
        if kernel.KERNEL is not None:
            hashes = np.empty(len(self), dtype=np.uint64)
            places = np.ascontiguousarray(self.start), np.ascontiguousarray(self.length)
            kernel.KERNEL.hash_strings(self.buffer, places, int(KEY), (hashes,))
            return hashes
        values = self.length.astype(np.uint64) ^ KEY
        for rows, word in self.iter_words():
            mixed = (values[rows] ^ word) * _U(0x9E3779B97F4A7C15)
            values[rows] = (mixed ^ (mixed >> _U(29))) * _U(0xBF58476D1CE4E5B9)
        return values ^ (values >> _U(32))

    def compare(self, strings: Strings) -> Bools:
        """Return True for rows where both columns have the same string."""
        equal: Bools = self.length == strings.length
        rows = np.flatnonzero(equal)
        pairs = zip(self[rows].iter_words(), strings[rows].iter_words(), strict=True)
        for (index, word), (_, other_word) in pairs:
            equal[rows[index]] &= word == other_word
        return equal

    def is_constant(self) -> bool:
        """Return True if all strings are equal.

        >>> [Strings.from_list(x).is_constant() for x in (["bm25", "bm25"], ["bm25", "bm26"])]
        [True, False]
        """
        size = int(self.length[0]) if len(self) else 0
        if (self.length != size).any():
            return False
        for done in range(0, size, 8):
            word = self._read_words(self.start + done) & _FIRST[min(size - done, 8)]
            if (word != word[0]).any():
                return False
        return True

    def find_changes(self) -> Ints:
        """Return the rows with another string than the previous row, and the first row."""
        differs = np.ones(len(self), dtype=bool)
        differs[1:] = self.length[1:] != self.length[:-1]
        for rows, word in self.iter_words():
            if isinstance(rows, slice):
                differs[1:] |= word[1:] != word[:-1]
            else:  # longer strings: compare adjacent rows
                next_to = np.flatnonzero(rows[1:] == rows[:-1] + 1) + 1
                differs[rows[next_to]] |= word[next_to] != word[next_to - 1]
        return np.flatnonzero(differs)

    def compute_sort_keys(self) -> list[Words]:
        """Return sort keys that order the strings by bytes, most significant first.

        Python sorts the bytes after the first `LONG` of a string.
        """
        first = Strings(self.buffer, self.start, np.minimum(self.length, LONG))
        keys = []
        for rows, word in first.iter_words():
            key = np.zeros(len(self), dtype=np.uint64)
            key[rows] = word.byteswap() if np.little_endian else word
            keys.append(key)
        keys.append(first.length.astype(np.uint64))
        long = np.flatnonzero(self.length > LONG)
        if len(long):
            begin, end = self.start[long] + LONG, (self.start + self.length)[long]
            bounds = zip(begin.tolist(), end.tolist(), strict=True)
            rest = [self.buffer[a:b].tobytes() for a, b in bounds]
            place = {text: i for i, text in enumerate(sorted({*rest}), 1)}
            keys.append(np.zeros(len(self), dtype=np.uint64))
            keys[-1][long] = [place[text] for text in rest]
        return keys


class Numbering:
    """Numbers of distinct strings, in the order of first occurrence.

    Strings are distinguished by verified hashes, and after a collision by a dict.

    >>> numbers = Numbering()
    >>> numbers.number_strings(Strings.from_list(["q2", "q1", "q2"])).tolist()
    [0, 1, 0]
    >>> numbers.number_strings(Strings.from_list(["q3", "q1"])).tolist(), numbers.strings.tolist()
    ([2, 1], ['q2', 'q1', 'q3'])
    """

    def __init__(self) -> None:
        self.strings = Strings.from_list([])
        self._hashes = np.empty(0, dtype=np.uint64)  # of the strings
        self._numbers: dict[int, int] = {}  # by hash
        self._table = np.zeros(1, dtype=np.int64)  # most numbers, by the last bits of the hash
        self._by_name: dict[str, int] | None = None

    def number_strings(self, texts: Strings) -> Ints:
        """Return the number of each string."""
        if self._by_name is None:
            numbers = self._number_by_hash(texts)
            if numbers is not None:
                return numbers
            self._by_name = {name: i for i, name in enumerate(self.strings.tolist())}
        names = self._by_name
        codes = [names.setdefault(name, len(names)) for name in texts.tolist()]
        self.strings = Strings.from_list(list(names))
        return np.array(codes, dtype=np.int64)

    def _number_by_hash(self, texts: Strings) -> Ints | None:
        hashes, remaining = texts.compute_hashes(), np.arange(len(texts))
        codes: Ints = self._table[hashes & _U(len(self._table) - 1)]
        if len(self._hashes):
            remaining = remaining[self._hashes[codes] != hashes]
        distinct, first, inverse = np.unique(hashes[remaining], return_index=True, return_inverse=True)
        come, names = np.argsort(first), self._numbers
        numbers = np.empty(len(distinct), dtype=np.int64)
        numbers[come] = [names.setdefault(x, len(names)) for x in distinct[come].tolist()]
        codes[remaining] = numbers[inverse]
        new = come[numbers[come] >= len(self.strings)]
        strings = Strings.concatenate([self.strings, texts[remaining[first[new]]].copy()])
        if not texts.compare(strings[codes]).all():
            return None
        if len(new):
            self.strings, self._hashes = strings, np.append(self._hashes, distinct[new])
            self._table = np.zeros(32 << len(strings).bit_length(), dtype=np.int64)
            place = self._hashes & _U(len(self._table) - 1)
            self._table[place] = np.arange(len(strings))
        return codes


def expand_spans(begin: Ints, count: Ints) -> Ints:
    """All members of the ranges begin..begin+count-1, one range after the other.

    >>> expand_spans(np.array([10, 3]), np.array([3, 2])).tolist()
    [10, 11, 12, 3, 4]
    """
    offsets = np.cumsum(count) - count
    return np.repeat(begin - offsets, count) + np.arange(count.sum())


# -- numbers --------------------------------------------------------------------------------------

_DIGITS = 19  # as many as always fit in 64 bits
_TENS = np.array([10**n for n in range(_DIGITS + 1)], dtype=np.uint64)
_POWERS = np.array([10.0**n for n in range(_DIGITS + 1)])
_EXTENDED = np.finfo(np.longdouble).nmant == 63  # x86: 64 bits of precision


def parse_numbers(texts: Strings) -> Floats:
    """The numbers that plain decimal texts stand for, exactly as Python's float reads them.

    NaN where a text is not of the form -123.456 with at most 19 digits; `slow_numbers` reads
    those. A quotient of two exact doubles is rounded correctly, which is all that is needed up
    to 2^53; beyond, the quotient is taken with 64 bits, and only if that falls in the middle
    between two doubles the text is left to the slow way.

    >>> texts = Strings.from_list(["12.5", "-0.1", "7", "1e3", ".", "0.12345678901234567"])
    >>> parse_numbers(texts).tolist()
    [12.5, -0.1, 7.0, nan, nan, 0.12345678901234566]
    """
    if not len(texts):
        return np.empty(0)
    minus = texts.buffer[texts.start] == ord("-")
    begin, stop = texts.start + minus, texts.start + texts.length
    point = _find_points(texts, stop)
    places = np.maximum(stop - point - 1, 0)
    digits = point - begin + places
    is_plain = (digits > 0) & (digits <= _DIGITS)
    if not is_plain.all():
        point, places = np.where(is_plain, point, begin), np.where(is_plain, places, 0)
    integer, all_digits = _parse_digits(texts, point, point - begin)
    fraction, digits_too = _parse_digits(texts, stop, places)
    is_plain &= all_digits & digits_too
    mantissa = integer * _take(_TENS, places) + fraction
    value: Floats = mantissa / _take(_POWERS, places)
    long = np.flatnonzero(mantissa > _U(1 << 53))
    if len(long):
        value[long] = _divide_long(mantissa[long], places[long])
    if not is_plain.all():
        value[~is_plain] = np.nan
    if minus.any():
        value[minus] *= -1.0
    return value


def _take(table: Any, index: Ints) -> Any:
    """Return table[index], as a single number if all indices are equal."""
    first = index[:1]
    return table[first] if (index == first).all() else table[index]


def _find_points(texts: Strings, stop: Ints) -> Ints:
    """Return the position of the decimal point in each text, or the end of the text."""
    first = texts[:1].tolist()[0]
    point_offset = len(first) - first.find(".") if "." in first else 0  # most files round alike
    if not 0 < point_offset < ROOM:
        return _find_byte(ord("."), texts, stop)
    place = stop - point_offset
    unusual = np.flatnonzero((texts.buffer[place] != ord(".")) | (place < texts.start))
    if len(unusual):
        place[unusual] = _find_byte(ord("."), texts[unusual], stop[unusual])
    return place


def parse_integers(texts: Strings) -> Floats | None:
    """Return the numbers if all are integers of at most 15 digits, else None."""
    if int(texts.length.max(initial=0)) > 15:
        return None
    value, digits = _parse_digits(texts, texts.start + texts.length, texts.length)
    return value.astype(np.float64) if digits.all() else None


def _find_byte(byte: int, texts: Strings, missing: Ints) -> Ints:
    """Return the first position of a byte in each text, or `missing`, the end of the text."""
    place = missing.copy()
    rows, start = np.arange(len(place)), texts.start
    while len(rows):
        difference = texts._read_words(start) ^ _repeat_byte(byte)
        marks = (difference - _repeat_byte(0x01)) & ~difference & _repeat_byte(0x80)  # the lowest marks the first zero
        lowest = marks & (~marks + _U(1))
        position = start + (np.frexp(lowest.astype(np.float64))[1] - 1 >> 3)
        end, is_found = missing[rows], marks != 0
        place[rows] = np.where(is_found & (position < end), position, end)
        more = np.flatnonzero(~is_found & (start + 8 < end))
        rows, start = rows[more], start[more] + 8
    return place


def _parse_digits(texts: Strings, stop: Ints, count: Ints) -> tuple[Words, Bools]:
    """Return the integer of `count` digits before `stop`, and True if all are digits."""
    value = np.zeros(len(stop), dtype=np.uint64)
    digits = np.ones(len(stop), dtype=bool)
    for k in range(-(-int(count.max(initial=0)) // 8)):
        mask = _take(_LAST, np.clip(count - 8 * k, 0, 8))
        word = (texts._read_words(stop - 8 * (k + 1)) ^ _repeat_byte(ord("0"))) & mask
        digits &= ((word + _repeat_byte(0x76)) | word) & _repeat_byte(0x80) == 0  # no byte above 9
        # Eight digits to one number: neighbours are joined, then pairs, then fours.
        word = (word & _repeat_byte(0x0F)) * _U(2561) >> _U(8)
        word = (word & _U(0x00FF00FF00FF00FF)) * _U(6553601) >> _U(16)
        word = (word & _U(0x0000FFFF0000FFFF)) * _U(42949672960001) >> _U(32)
        value += word * _TENS[8 * k]
    return value, digits


def _divide_long(mantissa: Words, places: Ints) -> Floats:
    """Return mantissa / 10^places for mantissas above 2^53, NaN if the rounding is uncertain."""
    if not _EXTENDED:
        return np.full(len(mantissa), np.nan)
    exact = mantissa.astype(np.longdouble) / _TENS[places].astype(np.longdouble)
    value = exact.astype(np.float64)
    neighbour = np.nextafter(value, np.where(exact > value, np.inf, -np.inf))
    halfway = (exact != value) & (2 * exact == value.astype(np.longdouble) + neighbour)
    return np.where(halfway, np.nan, value)
