"""The compiled part, called with changed lines: does it read too far, or say what is not so?

`make sanitize` runs it with a kernel that ends the process at the first access outside of an array.
Each execution reads some lines, most of them changed here and there, and looks for judged documents
in them. Now and then the lists go through the other door, as dicts, or NumPy and Python
do the same work: all must agree. The number of an execution makes it again.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np

from cranfield import kernel
from cranfield.data.reading import strings
from cranfield.data.reading.columns import TREC
from cranfield.data.reading.strings import ROOM, Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.trec import read_table
from tests.data.shapes import SHAPES
from tests.fuzz.mutations import QRELS, RUNS, TOKENS

AROUND = ROOM  # bytes that have to stand before and after the text
LAYOUTS = [(6, 2, 4, 3, 5), (4, 2, 3, -1, -1), (6, 2, 4, 3, -1), (3, 1, 2, -1, -1), (1, 0, 0, 0, 0)]
BLANKS = [b" ", b"\t", b"  ", b"\r", b" \v", b"\f ", b"\n", b"\r\n", b"\0"]
LONG = "a-document-whose-name-is-longer-than-the-block-of-bytes-that-is-looked-at-at-once"
JUDGED = ["a", "b", "c", "d", "e", "z", "d1", "a1", "a2", "é", "a-document-of-many-words", LONG]
TOPICS = ("1", "2", "3", "q", "q1", "q2")
DICTS, NUMPY = 4, 512  # every so many executions, other ways are gone, too

Found: TypeAlias = tuple[bytes, int]


def number(choose: random.Random) -> bytes:
    """Numbers of all sorts, and what is none."""
    match choose.randrange(6):
        case 0:
            return repr(choose.gauss(0, 1) * 10.0 ** choose.randint(-30, 30)).encode()
        case 1:
            return b"%d" % choose.randint(-9, 9)
        case 2:
            return str(choose.getrandbits(choose.randint(1, 90))).encode()
        case 3:
            return b"%d.%de%d" % (
                choose.randint(0, 9),
                choose.getrandbits(40),
                choose.randint(-40, 40),
            )
        case 4:
            return bytes(choose.choices(b"0123456789.eE+-_xn", k=choose.randint(1, 12)))
        case _:
            return choose.choice((b"nan", b"inf", b"1_0", b"0x1", b"-", b".", b"1e", b"-0", b"5."))


def made(choose: random.Random) -> bytes:
    """Lines of a run or of judgments, by topic."""
    width, plain = choose.choice((3, 4, 6, 6)), choose.random() < 0.7
    lines = []
    for topic in choose.sample(TOPICS, choose.randint(1, 3)):
        for doc in choose.sample(JUDGED, choose.randint(1, 6)):
            score = b"%d" % choose.randint(-3, 3) if plain else number(choose)
            fields = [topic.encode(), b"Q0", doc.encode(), number(choose), score, b"t"]
            if width < 6:
                fields = [topic.encode(), *[b"0"] * (width - 3), doc.encode(), score]
            lines.append(choose.choice(BLANKS[:5]).join(fields) + b"\n")
    return b"".join(lines)


def seeds(choose: random.Random) -> list[bytes]:
    """Small files of ours, and lines with numbers of all sorts."""
    ours = [shape.content for shape in SHAPES if len(shape.content) < 1000]
    return [QRELS, *RUNS.values()] * 10 + ours + [made(choose) for _ in range(300)]


def changed(text: bytes, choose: random.Random) -> bytes:
    """A few bytes of a text are others."""
    for _ in range(choose.randrange(4)):
        at, sort = int(choose.random() * (len(text) + 1)), int(choose.random() * 6)
        if sort == 0:
            text = text[:at] + bytes((choose.randrange(256),)) + text[at + 1 :]
        elif sort == 1:
            text = text[:at] + text[at + choose.choice((1, 2, 8, 30)) :]
        elif sort == 2:
            text = text[:at] + choose.choice(BLANKS) + text[at:]
        elif sort == 3:
            text = text[:at] + choose.choice(SHORT) + text[at:]
        elif sort == 4:
            text = text[:at] + number(choose) + text[at + 1 :]
        else:
            text = text[at:] + text[:at]
    return text


SHORT = [token for token in TOKENS if len(token) < 50]


def layout(text: bytes, choose: random.Random) -> tuple[int, ...]:
    """Most often that of the first line."""
    width = len(text.partition(b"\n")[0].split())
    fitting = [known for known in LAYOUTS if known[0] == width]
    return choose.choice(fitting if fitting and choose.random() < 0.9 else LAYOUTS)


class Kernel:
    """The functions of the compiled part, each asked as its callers ask it."""

    def __init__(self) -> None:
        if kernel.KERNEL is None:
            sys.exit(f"no compiled kernel to try: {kernel.USED}")
        self.compiled = kernel.KERNEL
        self.key = int(strings.KEY)
        self.docs = Strings.from_list(JUDGED * len(TOPICS))
        self.hashes = self.docs.compute_hashes()
        self.items = np.arange(len(self.docs))
        self.names = JUDGED * len(TOPICS)
        self.of_names = np.empty(len(self.names), dtype=np.int64)
        assert self.compiled.hash_names(self.names, self.of_names)
        self.offsets = np.arange(len(TOPICS) + 1) * len(JUDGED)
        self.index = {topic.encode(): i for i, topic in enumerate(TOPICS)}
        self.found = 0  # texts that were in order
        self.hits = 0

    def try_text(self, text: bytes, layout: tuple[int, ...], choose: random.Random) -> None:
        """Read a text, and look for documents in it."""
        text += b"" if text.endswith(b"\n") else b"\n"
        padded = bytes(AROUND) + text + bytes(AROUND)
        begin, end = AROUND + int(choose.random() * min(len(text), 4)), AROUND + len(text)
        most = len(text) // (2 * layout[0]) + 1 if choose.random() < 0.9 else choose.randint(0, 3)
        columns = tuple(np.empty(most, dtype=kind) for kind in KINDS)
        read = self.compiled.read_lines(padded, begin, end, layout, self.key, columns)
        if read is None or not read[0]:
            return
        rows, groups, odd_values, odd_ranks, tag, tag_size, _ = read
        assert 0 < groups <= rows <= most
        assert 0 <= tag <= tag + tag_size <= end
        self.found += 1
        start, length, hashes, values, ranks = (column[:rows] for column in columns[:5])
        first, at, size = (column[:groups] for column in columns[5:])
        names = [padded[a : a + n] for a, n in zip(at.tolist(), size.tolist(), strict=True)]
        topics = np.array([self.index.get(name, -1) for name in names])
        bounds, stable = np.append(first, rows), choose.random() < 0.5
        ranked = layout[3] >= 0 and not odd_ranks
        placed = self.compiled.place_rows(
            padded,
            (start, length, hashes, values, ranks if ranked else NONE),
            (bounds, topics),
            self.docs.buffer,
            (self.docs.start, self.docs.length, self.hashes, self.items, self.offsets),
            tuple(np.zeros((2, groups), dtype=np.int64)),
            stable,
        )
        self.hits += len(placed[0]) // 40
        if not odd_values and len({*names}) == groups and choose.random() < 1 / DICTS:
            docs = [padded[a : a + n] for a, n in zip(start.tolist(), length.tolist(), strict=True)]
            self.compare_dicts(names, docs, values.tolist(), bounds.tolist(), placed, stable)

    def compare_dicts(
        self,
        names: list[bytes],
        docs: list[bytes],
        values: list[float],
        bounds: list[int],
        placed: Found,
        stable: bool,
    ) -> None:
        """The same lists as dicts: they have the same hits."""
        hits, twice = placed
        try:
            lists = {
                name.decode(): {docs[i].decode(): values[i] for i in range(a, b)}
                for name, a, b in zip(names, bounds, bounds[1:], strict=False)
            }
        except UnicodeDecodeError:
            return
        repeated = sum(map(len, lists.values())) < len(docs)
        assert repeated == (twice >= 0), "a document twice"
        assert self.compiled.is_plain(lists)
        flat = self.compiled.flatten(lists)
        assert flat is not None
        assert flat[0] == [doc for docs in lists.values() for doc in docs]
        judged = self.of_names, self.items, self.offsets
        for given in (False, True):
            found = self.compiled.place_lists(lists, TOPICS, self.names, judged, stable, given, given)
            assert found is not None
            if not given and not repeated:
                assert by_topic(found[0]) == by_topic(hits), "hits of dicts and of lines"


KINDS = ("i8", "i8", "u8", "f8", "f8", "i8", "i8", "i8")
NONE = np.empty(0)


def by_topic(hits: bytes) -> list[list[int]]:
    """Hits in the order of topics, which lines need not be in."""
    found: list[list[int]] = np.frombuffer(hits, dtype=np.int64).reshape(-1, 5).tolist()
    return sorted(found, key=lambda hit: hit[:2])


def columns_of(text: bytes, kind: Any) -> Any:
    """What the reader makes of a text, or that it leaves it to others."""
    try:
        table = read_table(TREC, text, kind)
    except Irregular:
        return "irregular"
    columns = (table.starts, table.hashes, table.values.view(np.int64), table.ranks)
    return table.names, table.docs.tolist(), table.tag, [np.asarray(x).tolist() for x in columns]


def compare_numpy(text: bytes) -> None:
    """The whole reader, with the compiled part and without."""
    for kind in ("qrels", "run"):
        compiled = columns_of(text, kind)
        with patch.object(kernel, "KERNEL", None):
            assert columns_of(text, kind) == compiled, "what is read with NumPy"


def tried(count: int, seed: int, first: int = 0) -> Kernel:
    """So many executions, from a number on."""
    here, choose = Kernel(), random.Random(seed)  # noqa: S311
    texts = seeds(choose)
    for i in range(first, first + count):
        choose.seed(seed << 40 | i)
        text = changed(texts[int(choose.random() * len(texts))], choose)
        try:
            here.try_text(text, layout(text, choose), choose)
            if i % NUMPY == 0:
                compare_numpy(text)
        except Exception as error:
            error.add_note(f"execution {i} of seed {seed}: {text!r}")
            raise
        if (i + 1) % 1_000_000 == 0:
            print(f"{i + 1:,} executions", flush=True)
    return here


def main(words: Sequence[str] | None = None) -> int:
    """Try, and say how often."""
    parser = argparse.ArgumentParser(description="Does the compiled part bear changed lines?")
    parser.add_argument("--count", type=int, default=100_000, help="of executions")
    parser.add_argument("--seed", type=int, default=0, help="of the changes")
    parser.add_argument("--first", type=int, default=0, help="number of an execution")
    options = parser.parse_args(words)
    here = tried(options.count, options.seed, options.first)
    print(
        f"seed {options.seed}: {options.count:,} executions, {here.found:,} texts in order,"
        f" {here.hits:,} hits; nothing found"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
