"""The compiled part gives what NumPy and Python give, to the last bit, and never reads too far."""

from __future__ import annotations

import mmap
import random
import struct
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield import kernel
from cranfield.arrays import Ints
from cranfield.data.reading import strings
from cranfield.data.reading.columns import TREC, Kind
from cranfield.data.reading.strings import ROOM
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import pack_strings
from cranfield.data.reading.trec import read_table
from tests.made import examples

pytestmark = pytest.mark.skipif(kernel.KERNEL is None, reason=f"no compiled kernel to test: {kernel.USED}")


def both(work: Callable[[], Any]) -> tuple[Any, Any]:
    """What work gives with the compiled part, and without."""
    compiled = work()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "KERNEL", None)
        return compiled, work()


# -- numbers --------------------------------------------------------------------------------------


def room_for(rows: int) -> tuple[Any, ...]:
    """The columns that lines are read into."""
    kinds = "iiuffiii"
    return tuple(np.empty(rows, dtype=f"{kind}8") for kind in kinds)


def read(texts: list[str]) -> list[float]:
    """The numbers that the compiled part reads, NaN where it leaves them to others."""
    assert kernel.KERNEL is not None
    lines = "".join(f"q 0 d {text}\n" for text in texts).encode()
    columns = room_for(len(texts))
    padded = bytes(ROOM) + lines + bytes(ROOM)
    end = len(padded) - ROOM
    found = kernel.KERNEL.read_lines(padded, ROOM, end, (4, 2, 3, -1, -1), 0, columns)
    assert found is not None
    assert found[0] == len(texts)
    values: list[float] = columns[3].tolist()
    assert found[2] == sum(map(np.isnan, values))
    return values


def decimals(draw: random.Random, count: int) -> Iterator[str]:
    """Numbers as systems write them, and ones that are hard to round."""
    for i in range(count):
        match i % 5:
            case 0:
                yield f"{draw.uniform(-100, 100):.{draw.randint(0, 17)}f}"
            case 1:
                yield repr(draw.gauss(0, 1) * 10 ** draw.randint(-9, 9))
            case 2:  # between two doubles, or next to the middle
                middle = Fraction(2 * (draw.getrandbits(52) | 1 << 52) + 1, 2)
                exact = middle * Fraction(2) ** draw.randint(-12, 8)
                digits = f"{Decimal(exact.numerator) / Decimal(exact.denominator):.17e}"
                yield digits if draw.random() < 0.5 else f"{float(exact):.18e}"
            case 3:
                digits = str(draw.getrandbits(draw.randint(1, 63)))
                point = draw.randint(0, len(digits))
                yield f"{digits[:point]}.{digits[point:]}"
            case _:
                bits = draw.getrandbits(52) | draw.randint(900, 1120) << 52
                yield repr(struct.unpack("<d", struct.pack("<Q", bits))[0])


def test_numbers_are_those_of_python() -> None:
    texts = list(decimals(random.Random(5), 20_000))  # noqa: S311
    read_here = 0
    for text, value in zip(texts, read(texts), strict=True):
        if not np.isnan(value):
            read_here += 1
            assert struct.pack("d", value) == struct.pack("d", float(text)), text
    assert read_here > len(texts) // 2


def test_numbers_at_the_ends() -> None:
    texts = ["0", "-0", "0.0e-26", "-0.5", ".5", "5.", "9007199254740993", "1e22", "1e23", "1e27",
             "9999999999999999999", "0.3", "2.5e-5", "1E3", "1e+3",
             "18014398509481985e-1"]  # fmt: skip
    assert list(map(repr, read(texts))) == [repr(float(text)) for text in texts]
    odd = ["nan", "inf", "1_0", "0x1", "+1", "--1", "1-", "", ".", "-", "1e", "1e-", "e5", "1.2.3",
           "12345678901234567890", "1e28", "1e99999", "１", "1,5"]  # fmt: skip
    assert np.isnan(read([text or "-" for text in odd])).all()


# -- lines ----------------------------------------------------------------------------------------

FIELD = st.text(st.characters(codec="utf-8", exclude_categories=["Zs", "Cc", "Cs"]), min_size=1)
WORD = FIELD.filter(lambda text: len(text.encode().split()) == 1)
NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["nan", "1e400", "1_0", "x", "0x10", "+1", "-", ".", "1e5"]),
)
BLANKS = st.sampled_from([" ", " ", " ", "\t", "  ", "\r", " \f", "\v"])
TOPIC = st.sampled_from(["1", "2", "q", "a longer name".replace(" ", "-"), "#1", "<x>"])
LINE = st.one_of(
    st.tuples(TOPIC, st.just("Q0"), WORD, NUMBER, NUMBER, st.sampled_from(["t", "u"])),
    st.tuples(TOPIC, st.just("0"), WORD, NUMBER),
    st.lists(WORD, max_size=7).map(tuple),
)


def joined(draw: Any, fields: tuple[str, ...]) -> str:
    return "".join(field + draw(BLANKS) for field in fields[:-1]) + "".join(fields[-1:])


@st.composite
def texts(draw: Any) -> bytes:
    """Lines of judgments or runs, most of them of one kind."""
    some = draw(st.sampled_from([LINE, LINE.filter(lambda f: len(f) == 6)]))
    made = [joined(draw, fields) for fields in draw(st.lists(some, max_size=8))]
    ends = [draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n", " \n"])) for _ in made]
    return ("".join(map("".join, zip(made, ends, strict=True)))).encode()[draw(st.integers(0, 2)) :]


def columns_of(text: bytes, kind: Kind) -> Any:
    try:
        table: Table = read_table(TREC, text, kind)
    except Irregular:
        return "irregular"
    columns = [table.names, table.starts, table.docs.tolist(), table.hashes, table.values]
    return [np.asarray(x).tolist() for x in (*columns, table.ranks)], table.tag


@settings(max_examples=examples(300))
@given(texts(), st.sampled_from(["qrels", "run"]))
def test_lines_are_those_of_numpy(text: bytes, kind: Kind) -> None:
    compiled, plain = both(lambda: columns_of(text, kind))
    assert compiled == plain


def test_a_large_piece_is_read_in_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nobody would notice that every piece is left to NumPy."""
    text = b"".join(b"%d Q0 d#%d %d %.3f t\n" % (i // 100, i, i % 100, -i) for i in range(5000))
    found = read_table(TREC, text, "run")
    monkeypatch.setattr("cranfield.data.reading.trec.Fields", None)
    again = read_table(TREC, text, "run")
    assert again.docs.tolist() == found.docs.tolist() == [f"d#{i}" for i in range(5000)]
    assert again.names == [str(i) for i in range(50)]
    assert (again.hashes == strings.Strings.from_list(again.docs.tolist()).compute_hashes()).all()


def test_comments_may_be_in_any_encoding() -> None:
    text = b"# caf\xe9\n1 Q0 \xc3\xa9 1 2 t\n"
    compiled, plain = both(lambda: columns_of(text, "run"))
    assert compiled == plain
    assert compiled[0][2] == ["é"]
    assert columns_of(text.replace(b"\xc3\xa9", b"\xe9"), "run") == "irregular"


LINE_AND_ROOM = bytes(ROOM) + b"1 0 d 1\n" + bytes(ROOM)


@pytest.mark.parametrize(
    "change",
    [
        {"begin": ROOM - 1}, {"end": ROOM + 5}, {"end": 10**9}, {"begin": 1000},
        {"layout": (7, 0, 1, 2, 3)},
        {"layout": (4, 4, 1, -1, -1)}, {"layout": (4, 2, 9, -1, -1)}, {"layout": (0, 0, 0, -1, -1)},
        {"layout": (4, -1, 3, -1, -1)}, {"columns": ()}, {"text": "text"}, {"end": -(2**63)},
        {"begin": 2**63 - 1}, {"begin": -1}, {"text": bytearray(LINE_AND_ROOM)},
    ],
)  # fmt: skip
def test_no_line_is_read_beyond_the_text(change: dict[str, Any]) -> None:
    columns = room_for(4)
    how: dict[str, Any] = {
        "text": LINE_AND_ROOM, "begin": ROOM, "end": ROOM + 8, "layout": (4, 2, 3, -1, -1),
        "key": 0, "columns": columns,
    }  # fmt: skip
    assert kernel.KERNEL is not None
    assert kernel.KERNEL.read_lines(*how.values())
    held = list(map(sys.getrefcount, columns))
    with pytest.raises((ValueError, TypeError)):
        kernel.KERNEL.read_lines(*(how | change).values())
    assert list(map(sys.getrefcount, columns)) == held


def test_columns_that_are_too_short() -> None:
    assert kernel.KERNEL is not None
    short = room_for(1)
    text = bytes(ROOM) + b"1 0 d 1\n2 0 d 1\n"
    layout = (4, 2, 3, -1, -1)
    assert kernel.KERNEL.read_lines(text + bytes(ROOM), ROOM, len(text), layout, 0, short) is None


@settings(max_examples=examples(100))
@given(st.lists(st.text(max_size=40)))
def test_hashes_are_those_of_numpy(names: list[str]) -> None:
    names = [name.encode("utf-8", "ignore").decode() for name in names]
    compiled, plain = both(lambda: strings.Strings.from_list(names)[::-1].compute_hashes().tolist())
    assert compiled == plain


@pytest.mark.parametrize(("start", "length"), [([1], [8]), ([-1], [1]), ([0], [-1]), ([0], [2**63 - 1]), ([0, 1], [1])])
def test_no_string_is_hashed_beyond_the_text(start: list[int], length: list[int]) -> None:
    assert kernel.KERNEL is not None
    text, out = b"abcdefgh" + bytes(ROOM), np.empty(1, dtype=np.uint64)
    kernel.KERNEL.hash_strings(text, (ints(0), ints(8)), 0, (out,))
    with pytest.raises(ValueError, match="do not fit"):
        kernel.KERNEL.hash_strings(text, (ints(*start), ints(*length)), 0, (out,))
    with pytest.raises(ValueError, match="do not fit"):
        kernel.KERNEL.hash_strings(b"abc", (ints(0), ints(0)), 0, (out,))


OTHER = {
    "of four bytes": np.zeros(16, dtype=np.int32),
    "in another order of bytes": np.zeros(8, dtype=">i8"),
    "no numbers": np.zeros(8, dtype="S8"),
    "of fields": np.zeros(8, dtype=[("a", "i8")]),
    "not side by side": np.zeros(16, dtype=np.int64)[::2],
    "at an odd address": np.frombuffer(bytearray(65), dtype=np.int64, offset=1, count=8),
    "bytes": bytearray(64),
    "nothing": None,
}


@pytest.mark.parametrize("what", OTHER)
def test_columns_of_other_numbers_are_refused(what: str) -> None:
    assert kernel.KERNEL is not None
    columns = room_for(8)
    held = list(map(sys.getrefcount, columns))
    for place in range(8):
        changed = (*columns[:place], OTHER[what], *columns[place + 1 :])
        with pytest.raises((ValueError, TypeError, BufferError)):
            kernel.KERNEL.read_lines(LINE_AND_ROOM, 8, 16, (4, 2, 3, -1, -1), 0, changed)
    del changed
    assert list(map(sys.getrefcount, columns)) == held


def test_places_beyond_32_bits() -> None:
    """Far into a text of five gigabytes, of which there are only the pages that are looked at."""
    assert kernel.KERNEL is not None
    begin, text = 2**32 + 12345, b"q 0 a-document 1\nq 0 b 2\n"
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    with mmap.mmap(-1, 5 << 30, flags=private) as space:
        space[begin : begin + len(text)] = text
        with memoryview(space) as view, view.toreadonly() as all_of_it:
            columns, layout = room_for(2), (4, 2, 3, -1, -1)
            end = begin + len(text)
            found = kernel.KERNEL.read_lines(all_of_it, begin, end, layout, 0, columns)
            assert found == (2, 1, 0, 0, 0, 0, 1)
            start, length, hashes, values, _, _, name, _ = columns
            assert (start.tolist(), length.tolist()) == ([begin + 4, begin + 21], [10, 1])
            assert name[0] == begin
            rows = start, length, hashes, values, np.empty(0)
            gold = start[1:], length[1:], hashes[1:], ints(0), ints(0, 1)
            groups, out = (ints(0, 2), ints(0)), (ints(0), ints(0))
            hits, _ = kernel.KERNEL.place_rows(all_of_it, rows, groups, all_of_it, gold, out, False)
            assert np.frombuffer(hits, dtype=np.int64).tolist() == [0, 1, 0, 1, 1]
            much = (start, length + (1 << 32), *rows[2:])
            with pytest.raises(ValueError, match="do not fit"):
                kernel.KERNEL.place_rows(all_of_it, much, groups, all_of_it, gold, out, False)


# -- lists ----------------------------------------------------------------------------------------

DOC = st.sampled_from(["a", "b", "aa", "a\x00", "é", "日本", "doc-1", "doc-10", "doc-2", "x" * 20, "x" * 21])
SCORE = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, 1e300, 3, 10**20])
LISTS = st.dictionaries(st.sampled_from("12345"), st.dictionaries(DOC, SCORE), min_size=1)
JUDGED = st.dictionaries(st.sampled_from("1234"), st.dictionaries(DOC, st.integers(0, 3), min_size=1), min_size=1)
TIES = st.sampled_from([None, "given", "file", "best"])


def placed(qrels: Any, run: Any, ties: Any, **options: Any) -> Any:
    """Everything that labelling finds, or the error."""
    try:
        evaluator = cf.Evaluator(qrels, "AP", ties=ties, **options)
        labelled = [evaluator.collection.label(one) for one in evaluator.read(run)]
    except cf.CranfieldError as error:
        return str(error)
    columns = ("returned", "offsets", "ranks", "items", "levels", "first", "last", "tied")
    return [
        (
            [getattr(one.full_rankings, name).tolist() for name in columns],
            one.topics,
            one.contradicted,
        )
        for one in labelled
    ]


@settings(max_examples=examples(300))
@given(JUDGED, LISTS, TIES, st.booleans())
def test_dicts_are_placed_as_by_python(qrels: Any, run: Any, ties: Any, without: bool) -> None:
    compiled, plain = both(lambda: placed(qrels, run, ties, exclude_self=without))
    assert compiled == plain


@settings(max_examples=examples(300))
@given(JUDGED, LISTS, TIES, st.randoms(use_true_random=False))
def test_tables_are_placed_as_by_numpy(qrels: Any, run: Any, ties: Any, draw: Any) -> None:
    """Ranks may be any: a contradiction is told alike."""
    import polars as pl

    rows = [(t, d, float(s), draw.randint(1, 5)) for t, docs in run.items() for d, s in docs.items()]
    rows += rows[:1] * draw.choice((0, 0, 0, 1))  # now and then a document twice
    if not rows:
        return
    frame = pl.DataFrame(rows, schema=["qid", "docno", "score", "rank"], orient="row")
    compiled, plain = both(lambda: placed(qrels, frame, ties))
    assert compiled == plain


@pytest.mark.parametrize("judged", [1, 40, 400])
@pytest.mark.parametrize("ties", [None, "given", "file"])
def test_long_lists_are_placed_as_by_python(judged: int, ties: Any) -> None:
    """Few judged documents are looked for otherwise than many."""
    draw = random.Random(judged)  # noqa: S311
    docs = [f"d{i}" for i in range(500)]
    run = {q: {d: float(draw.randint(0, 50)) for d in draw.sample(docs, 300)} for q in "ab"}
    qrels = {q: {d: draw.randint(0, 2) for d in draw.sample(docs, judged)} for q in "abc"}
    compiled, plain = both(lambda: placed(qrels, run, ties))
    assert compiled == plain


class Raising(float):
    """A number of somebody's own, whose text and number cannot be had."""

    def __float__(self) -> float:
        raise RuntimeError("no number")


class Deleting:
    """What changes the dict it is in when it is asked for its number."""

    def __init__(self, docs: dict[str, Any]) -> None:
        self.docs = docs

    def __float__(self) -> float:
        self.docs.clear()
        return 1.0


class Equal(str):
    """A name that claims to be any other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("never compared")

    def __hash__(self) -> int:
        return hash(str(self))


@pytest.mark.parametrize(
    "docs",
    [
        {"a": True, "b": 1.0}, {"a": np.float32(1.5), "b": np.float64(2)}, {"a": Decimal("1.5")},
        {"a": float("nan")}, {"a": 10**400}, {"a": "1"}, {"a": None}, {1: 1.0, 2: 2.0},
        OrderedDict(b=1.0, a=1.0), {"\ud800": 1.0, "a": 1.0}, {"a": Fraction(1, 2)}, {},
    ],
    ids=str,
)  # fmt: skip
def test_odd_lists_are_left_to_python(docs: Any) -> None:
    compiled, plain = both(lambda: placed({"q": {"a": 1, "b": 2, "1": 1}}, {"q": docs}, None))
    assert compiled == plain


def test_objects_that_raise_or_change_their_dict() -> None:
    qrels = {"q": {"a": 1, "b": 2}}
    changing: dict[str, Any] = {"b": 1.0}
    changing["a"] = Deleting(changing)
    for docs in ({"a": Raising(1)}, {Equal("a"): 1.0, "b": 2.0}, changing):
        try:
            placed(qrels, {"q": docs}, None)
        except RuntimeError:
            continue  # what users' objects raise is theirs; that nothing else happens is the point


class Emptying:
    """A name of a list that is as good as a topic, and empties something when it is compared."""

    def __init__(self, like: str) -> None:
        self.like = like
        self.emptied: Any = []

    def __hash__(self) -> int:
        return hash(self.like)

    def __eq__(self, other: object) -> bool:
        self.emptied.clear()
        return False


def test_names_that_change_things_when_compared() -> None:
    """Without an error that nobody sees, and without what is gone."""
    assert kernel.KERNEL is not None
    name, judged = Emptying("q"), ["a", "b"]
    lists: dict[Any, Any] = {name: {}, "q": {"a": 1.0, "b": 2.0}}
    how = (ints(hash("a"), hash("b")), ints(0, 1), ints(0, 2)), False, False, False
    name.emptied = judged
    assert kernel.KERNEL.place_lists(lists, ("q",), judged, *how) is None
    name.emptied = lists
    assert kernel.KERNEL.place_lists(lists, ("q",), ["a", "b"], *how) == (b"", b"")


def test_topics_that_are_no_strings_are_left_to_python() -> None:
    assert kernel.KERNEL is not None
    how = ["a"], (ints(hash("a")), ints(0), ints(0, 1)), False, False, False
    for topic in (Equal("q"), 1, None):
        lists: dict[Any, Any] = {"q": {"a": 1.0}, 1: {"a": 1.0}}
        assert kernel.KERNEL.place_lists(lists, (topic,), *how) is None  # type: ignore[arg-type]


def test_many_short_lists_after_a_long_one_take_no_longer() -> None:
    """Each has a hash table of its own size: emptying the largest for all took minutes."""
    assert kernel.KERNEL is not None
    long, short = 1 << 20, 1 << 14
    size = long + short
    start, hashes = np.arange(size) * 8, np.arange(size).astype(np.uint64)
    rows = start, np.full(size, 8), hashes, np.zeros(size), np.empty(0)
    bounds = np.append(0, np.arange(long, size + 1))
    groups = bounds, np.full(short + 1, -1)
    gold, out = (ints(), ints(), ints(), ints(), ints(0)), np.zeros((2, short + 1), dtype=np.int64)
    begun = process_time()
    text = np.arange(size).tobytes()
    assert kernel.KERNEL.place_rows(text, rows, groups, b"", gold, tuple(out), False) == (b"", -1)
    assert process_time() - begun < 5  # a tenth of a second; it was half a minute


def test_eight_threads_give_the_same_bits() -> None:
    draw = random.Random(8)  # noqa: S311
    docs = [f"d{i}" for i in range(300)]
    qrels = {f"q{t}": {d: draw.randint(0, 2) for d in draw.sample(docs, 50)} for t in range(20)}
    runs = [{q: {d: draw.random() for d in draw.sample(docs, 200)} for q in qrels} for _ in range(16)]
    evaluator = cf.Evaluator(qrels, "AP nDCG@10 RR")
    alone = [evaluator(run).values.tobytes() for run in runs]
    with ThreadPoolExecutor(8) as pool:
        assert [x.values.tobytes() for x in pool.map(evaluator, runs)] == alone


def ints(*numbers: int) -> Ints:
    return np.array(numbers, dtype=np.int64)


def test_arrays_that_do_not_fit_are_refused() -> None:
    assert kernel.KERNEL is not None
    rows = (ints(0), ints(1), ints(7), np.ones(1), np.empty(0))
    gold = (ints(0), ints(1), ints(7), ints(0), ints(0, 1))
    groups, out = (ints(0, 1), ints(0)), (ints(0), ints(0))
    hits, twice = kernel.KERNEL.place_rows(b"a", rows, groups, b"a", gold, out, False)
    assert np.frombuffer(hits, dtype=np.int64).tolist() == [0, 1, 0, 1, 1]
    assert twice == -1
    for wrong in (
        (b"a", (ints(1), *rows[1:]), groups, b"a", gold, out, False),
        (b"a", (ints(-1), *rows[1:]), groups, b"a", gold, out, False),
        (b"a", (*rows[:1], ints(2**62), *rows[2:]), groups, b"a", gold, out, False),
        (b"a", (*rows[:2], ints(7, 7), *rows[3:]), groups, b"a", gold, out, False),
        (b"a", rows, (ints(0, 2), ints(0)), b"a", gold, out, False),
        (b"a", rows, (ints(0, 1), ints(1)), b"a", gold, out, False),
        (b"a", rows, (ints(1, 0), ints(0)), b"a", gold, out, False),
        (b"a", rows, (ints(-(2**63), 2**63 - 1), ints(0)), b"a", gold, out, False),
        (b"a", rows, (ints(2**63 - 1, -(2**63)), ints(0)), b"a", gold, out, False),
        (b"a", rows, (ints(0, 1), ints(2**63 - 1)), b"a", gold, out, False),
        (b"a", (ints(2**63 - 1), ints(2**63 - 1), *rows[2:]), groups, b"a", gold, out, False),
        (b"a", rows, groups, b"", gold, out, False),
        (b"a", rows, groups, b"a", (*gold[:4], ints(0, 2)), out, False),
        (b"a", rows, groups, b"a", gold, (ints(), ints()), False),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            kernel.KERNEL.place_rows(*wrong)
    for hashes, items, offsets in (
        (ints(1), ints(0), ints(0, 2)),
        (ints(1), ints(0), ints(1, 0)),
        (ints(1), ints(0), ints(0)),
        (ints(1), ints(), ints(0, 1)),
        (ints(), ints(0), ints(0, 1)),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            kernel.KERNEL.place_lists({"q": {"a": 1.0}}, ("q",), ["a"], (hashes, items, offsets), False, False, False)


def test_hashes_of_names() -> None:
    assert kernel.KERNEL is not None
    names, found = ["a", "", "日本"], ints(0, 0, 0)
    assert kernel.KERNEL.hash_names(names, found)
    assert found.tolist() == list(map(hash, names))
    assert not kernel.KERNEL.hash_names(names, ints(0))
    assert not kernel.KERNEL.hash_names([Equal("a")], ints(0))


# -- groups of tied documents ---------------------------------------------------------------------


@given(groups=st.lists(st.lists(st.integers(0, 9), max_size=40).map(lambda few: [x / 10 for x in few]), max_size=9))
@settings(max_examples=examples(100))
def test_groups_are_sorted_as_numpy_sorts_them(groups: list[list[float]]) -> None:
    assert kernel.KERNEL is not None
    bounds = np.append(0, np.cumsum([len(group) for group in groups])).astype(np.int64)
    keys = np.array([i + key for i, group in enumerate(groups) for key in group], dtype=np.float64)
    order = np.empty(len(keys), dtype=np.int64)
    kernel.KERNEL.sort_groups(keys, bounds, order)
    assert order.tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("bounds", [[], [0], [0, 2], [1, 3], [0, 4, 3], [0, -1, 3], [0, 3, 2, 3]])
def test_groups_that_are_not_those_of_the_keys_are_refused(bounds: list[int]) -> None:
    assert kernel.KERNEL is not None
    given, order = np.array(bounds, dtype=np.int64), np.empty(3, dtype=np.int64)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.KERNEL.sort_groups(np.zeros(3), given, order)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.KERNEL.sort_groups(np.zeros(3), np.array([0, 3]), order[:2])


# -- columns in Arrow's layout --------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(st.lists(st.lists(st.text(max_size=40)), max_size=4))
def test_columns_of_text_are_packed_as_they_are_without(parts: list[list[str]]) -> None:
    """Short strings are in the views, long ones in buffers; a column may have several parts."""
    clean = [[x.encode("utf-8", "ignore").decode() for x in some] for some in parts]
    column = pl.Series("a", [], dtype=pl.String)
    for some in clean:
        column = column.append(pl.Series("a", some, dtype=pl.String))
    for these in (column, column[1:], column.gather_every(2), column.filter(column != "")):
        compiled, plain = both(lambda these=these: pack_strings(these))  # type: ignore[misc]
        for names, hashes in (compiled, plain):
            assert names.tolist() == these.to_list()
            assert hashes.tolist() == plain[1].tolist()


def test_columns_that_are_not_packed() -> None:
    """Missing strings, other types, and a stream that has been read."""
    assert kernel.KERNEL is not None
    for column in (pl.Series(["a", None]), pl.Series([1, 2]), pl.Series([b"a"])):
        assert kernel.KERNEL.pack_column(column.__arrow_c_stream__(), 0) is None
    stream = pl.Series(["a"]).__arrow_c_stream__()
    assert kernel.KERNEL.pack_column(stream, 0) is not None
    assert kernel.KERNEL.pack_column(stream, 0) is not None  # of which nothing is left
    for other in (None, "a", object()):
        with pytest.raises((ValueError, TypeError)):
            kernel.KERNEL.pack_column(other, 0)


def test_a_kernel_of_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an update of the sources alone."""
    monkeypatch.setattr(kernel, "VERSION", kernel.VERSION + 1)
    found, said = kernel._load()
    assert found is None
    assert said.endswith("(built for another version: reinstall cranfield)")
