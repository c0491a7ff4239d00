"""Files that are read column by column give what reading them line by line gives, errors too."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.assess import assessments as assess
from cranfield.assess.assessments import read_assessments
from cranfield.data import assessments, preference_pairs, preferences, sessions, texts
from cranfield.data.reading import cells
from cranfield.data.reading.table import Irregular
from tests.made import examples

READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "assessments": (
        read_assessments,
        "q1 0 d1 L2\nq1 0 d2 L0\nq1 0 d3 L2\nq2 0 d1 L1\nq2 0 d2 L1\nq1 0 d2 L0\n",
    ),
    "ntcir": (read_assessments, "q1 d1 L2\nq1 d2 L0\nq2 d1 L1\n"),
    "pairs of documents": (
        preferences.read_preferences,
        "q1 d1 d2 d1\nq1 d2 d3 d2\nq1 d1 d3 d1\nq2 d7 d8 d8\n",
    ),
    "sub groups": (
        preferences.read_preferences,
        "q1 ann a d1 3\nq1 ann a d2 2\nq1 ann b d2 2\nq1 ann b d3 1\nq1 bob a d1 1\n",
    ),
    "judgment groups": (
        preferences.read_judgment_groups,
        "q1 ann d1 3\nq1 ann d2 0\nq1 bob d1 1\nq2 ann d1 2\n",
    ),
    "preferred": (
        preference_pairs.read_preference_pairs,
        "q1 bm25 dense\nq1 dense bm25\nq2 bm25 sparse\n",
    ),
    "of assessors": (
        preference_pairs.read_preference_pairs,
        "q1 bm25 dense dense ann\nq1 dense bm25 tie bob\nq2 bm25 dense TIE ann\n",
    ),
    "sessions": (
        sessions.read_sessions,
        "q1 s1 1 d1 1 9.5\nq1 s1 1 d2 2 8\nq1 s1 2 d1 1 3\nq1 s2 1 d5 1 -1e3\nq2 s1 1 d1 2 7\nq2 s1 1 d2 1 6.5\n",
    ),
    "sessions with tags": (
        sessions.read_systems,
        "q1 s1 1 d1 1 9.5 one\nq1 s1 1 d2 2 8 one\nq1 s1 2 d1 1 3 one\nq2 s1 1 d1 2 7 one\n",
    ),
    "clicks": (
        sessions.read_clicks,
        "q1 s1 1 4 10000\nq1 s1 1 2 500.5\nq1 s1 2 - -\nq1 s1 3 1 30\nq2 s1 1 7 8\n",
    ),
    "clicks with levels": (
        sessions.read_clicks,
        "q1 s1 1 4 100 2\nq1 s1 1 2 50 0\nq1 s2 1 1 5 1\n",
    ),
    "clicked documents": (
        lambda data: sessions.read_clicks(data, documents=True),
        "q1 s1 1 4 d3\nq1 s1 1 2 d1\nq2 s1 1 - -\n",
    ),
    "texts": (texts.read_texts, 'q1\tA text: "quoted", # and so on\nq2\tanother\nq3\t\n'),
    "nuggets": (texts.read_nuggets, "q1 n1 3 20\nq1 n2 0 7\nq2 n1 1.5 1\n"),
    "matches": (texts.read_matches, "q1 syslen= 500\nq1 n1 20\nq1 n2 0\nq2 n1 7\n"),
}

ODD = [
    "\r\n", "\n\n", " ", "\t", "# a comment\n", "\ufeff", "\0", "nan", "1_0", "-", "-1", "0", "1.5",
    "all", "é", "1e999", "tie", "L9", "\n", "\x85", "\u2028", '"', ",", "=", "x y", "{",
]  # fmt: skip


def shown(value: Any) -> Any:
    """Anything that can be compared, also what has arrays in it."""
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return type(value).__name__, {k: shown(v) for k, v in vars(value).items()}
    if isinstance(value, dict):
        return [(shown(k), shown(v)) for k, v in value.items()]
    if isinstance(value, list | tuple):
        return [shown(x) for x in value]
    return value.tolist() if hasattr(value, "tolist") else value


def outcome(read: Callable[[Any], Any], path: Path) -> Any:
    try:
        return shown(read(str(path)))
    except cf.CranfieldError as error:
        return f"{type(error).__name__}: {error}"


def line_by_line(read: Callable[[Any], Any], path: Path) -> Any:
    """What is found if no file is in order."""

    def irregular(*_: Any) -> Any:
        raise Irregular

    with pytest.MonkeyPatch.context() as patch:
        for module in (cells, assessments, preference_pairs, preferences, sessions, texts):
            for name in ("columns_of", "number_columns", "is_plain_file"):
                if hasattr(module, name):
                    patch.setattr(module, name, irregular)
        patch.setattr(assess, "read_assessment_columns", irregular)
        return outcome(read, path)


@pytest.mark.parametrize("name", READERS)
def test_a_file_in_order_is_read_by_columns(name: str, tmp_path: Path) -> None:
    """Each is read as before, and without looking at its lines."""
    read, text = READERS[name]
    path = tmp_path / "file"
    path.write_text(text)
    expected = line_by_line(read, path)
    with pytest.MonkeyPatch.context() as patch:
        for module in (cells, sessions, texts, preference_pairs, assessments, preferences):
            for one in ("read_lines", "lines_of", "of_text"):
                if hasattr(module, one):
                    patch.delattr(module, one)
        assert outcome(read, path) == expected
    assert not isinstance(expected, str)


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice([1, 1, 2])):
        at = chance.randrange(len(text) + 1)
        lines = text.splitlines(keepends=True)
        text = chance.choice([
            text[:at] + chance.choice(ODD) + text[at:],
            text[:at] + text[at + 1 :],
            "".join(chance.sample(lines, len(lines))),
            text + chance.choice(lines or [""]),
            text.replace(" ", chance.choice(["  ", "\t", " \t", "\v", "\xa0"])),
            text.replace("\n", chance.choice(["\r\n", "\n\n", "\r"])),
            text.rstrip("\n"),
            " ".join(
                chance.choice(ODD).strip() or "x" if chance.random() < 0.1 else field
                for field in text.split(" ")
            ),
        ])  # fmt: skip
        if not text:
            return "\n"
    return text


@pytest.mark.parametrize("name", READERS)
def test_what_is_odd_is_read_or_refused_as_line_by_line(name: str, tmp_path: Path) -> None:
    """The same results, and errors with the same words and lines."""
    read, text = READERS[name]
    chance = random.Random(name)  # noqa: S311
    path = tmp_path / "file"
    for _ in range(examples(60)):
        path.write_bytes(mutated(text, chance).encode())
        assert outcome(read, path) == line_by_line(read, path), path.read_bytes()


def test_bytes_that_are_not_text_are_refused_with_their_line(tmp_path: Path) -> None:
    for read, text in READERS.values():
        path = tmp_path / "file"
        path.write_bytes(text.encode() + b"q9 \xff \n")
        assert outcome(read, path) == line_by_line(read, path)
        assert "UTF-8" in outcome(read, path)


def test_implied_preferences_are_those_of_every_way() -> None:
    """Against walking along the preferences, document by document."""
    chance = random.Random(3)  # noqa: S311
    for _ in range(examples(40)):
        order = chance.sample(range(12), 12)
        rows = []
        for sub in range(8):
            few = sorted(chance.sample(range(12), chance.randint(2, 4)), key=order.index)
            rows += [("q", "g", f"s{sub}", f"d{doc}", 9 - i) for i, doc in enumerate(few)]
        (group,) = preferences.read_preferences(rows).groups["q"]
        better: dict[str, set[str]] = {doc: set() for doc in group.docs}
        for _, _, of, one, level in rows:
            better[one] |= {doc for _, _, other, doc, low in rows if other == of and low < level}
        for at, doc in enumerate(group.docs):
            reached: set[str] = set()
            waiting = [doc]
            while waiting:
                new = better[waiting.pop()] - reached
                reached |= new
                waiting += new
            assert {group.docs[i] for i in group.prefers[at].nonzero()[0]} == reached
